"""What the options of a command name: searches, corpora, questions, models, floors."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lab import packs
from lab.algebra import Corpus, Operator, Query, Searcher, at_least
from lab.cli.printing import bar, say, say_unknown
from lab.errors import CorpusError, LabError, ParameterError, PipelineError
from lab.words import Said

if TYPE_CHECKING:
    from lab.corpus.beir import Collection

O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator
LONGEST_NAME = 1000
"""Characters of an expression that names a search."""
_LARGEST = 10 << 20
"""Bytes of a file whose lines are a parameter."""


def one_search(options: argparse.Namespace, default: str = "") -> tuple[str, Searcher]:
    """Returns the single search of the options, with its name.  Raises `ParameterError` for none or several."""
    options.searches = options.searches or ([(from_expression, default)] if default else [])
    if len(options.searches) != 1:
        message = Said("Searches given: {n}; exactly one is required.", n=len(options.searches))
        raise ParameterError(message, Said("Give --pipeline or --retriever exactly once."))
    return next(iter(all_searches(options).items()))


def some_searches(options: argparse.Namespace) -> dict[str, Searcher]:
    """Returns the searches of the options.  Raises `ParameterError` if there is none."""
    if not options.searches:
        raise ParameterError(Said("No search is given."), Said("Give --pipeline or --retriever at least once."))
    return all_searches(options)


def all_searches(options: argparse.Namespace) -> dict[str, Searcher]:
    """Returns the searches by name; each gets the parameters that it has.  Raises for one that no search has."""
    from lab import catalog
    from lab.reading.names import Names

    params = dict(_parameter(p) for p in options.param)
    names, searches = Names(pattern="{} ({})"), dict[str, Searcher]()
    is_only_search, left = len(options.searches) == 1, set(params)
    for load, text in options.searches:
        name, searcher = load(text)
        knobs = catalog.knobs(type(searcher))
        own_params = {n: v for n, v in params.items() if is_only_search or n.partition(".")[0] in knobs}
        if own_params:
            searcher = catalog.make(type(searcher), {**catalog.changed(searcher), **own_params})
            name = (
                _written(searcher)
                if load is from_expression
                else f"{name}, {', '.join(f'{n}={v}' for n, v in own_params.items())}"
            )
        left -= own_params.keys()
        searches[names.fresh(name)] = searcher
    if left:
        raise ParameterError(
            Said("None of these searches has a parameter “{name}”.", name=min(left)), Said("Check the name.")
        )
    return _filtered(searches, options.where) if options.where.strip() else searches


def _parameter(text: str) -> tuple[str, Any]:
    """Reads ``name=value``; ``name=@FILE`` takes the lines of a file, for a parameter that is a list of lines."""
    from lab import catalog
    from lab.reading.encodings import decode

    name, value = catalog.assignment(text)
    if not value.startswith("@"):
        return name, value
    path = Path(value[1:])
    if not path.is_file():
        raise ParameterError(Said("There is no file {file}.", file=value[1:]), Said("Give a text file."))
    if path.stat().st_size > _LARGEST:
        large = Said("“{file}” is larger than {limit} MB.", file=value[1:], limit=_LARGEST >> 20)
        raise ParameterError(large, Said("Give a smaller file."))
    decoded = decode(path.read_bytes())
    if decoded is None:
        raise ParameterError(Said("“{file}” is not a text file.", file=value[1:]), Said("Give a text file."))
    return name, decoded.text.splitlines()


def _filtered(searches: Mapping[str, Searcher], condition: str) -> dict[str, Searcher]:
    """Returns every search with its lists searched within the passages that fit a condition."""
    from lab.refine.where import Where
    from lab.rewrite.operators import with_condition

    stage = Where(condition)
    each = ((name, with_condition(searcher, stage)) for name, searcher in searches.items())
    return {f"{name}, where {stage.condition}": searcher for name, searcher in each}


def check_fields(condition: str, corpus: Corpus) -> None:
    """Raises `ParameterError` if a condition names a field that no document of the corpus has."""
    from lab.corpus.conditions import each_test, parse
    from lab.corpus.fields import field_name
    from lab.corpus.statistics import fields_of

    if not condition.strip():
        return
    known = [field.name for field in fields_of(corpus)]
    for test in each_test(parse(condition)):
        if field_name(corpus, test.field) not in known:
            missing = Said("No document of {corpus} has a field “{field}”.", corpus=corpus.name, field=test.field)
            raise ParameterError(missing, Said("Its fields: {names}.", names=sorted(known) or "–"))


def build_part(text: str, kind: type[O]) -> O:
    from lab import formats

    part = formats.build(text)
    if not isinstance(part, kind):
        message = Said("“{text}” is not a {kind}.", text=text[:80], kind=kind.__name__)
        raise ParameterError(message, Said("“retrieval-lab techniques” lists them."))
    return part


def models_for(*searches: Searcher) -> dict[str, Any]:
    """Returns the retrievers of plug-ins, and the language model of the environment under every name asked for.

    Limitations of a search with these models are reported on the standard error.
    """
    from lab import catalog
    from lab.explain.notes import notes
    from lab.models.endpoint_chat import from_environment

    asking = [x for search in searches for x in catalog.inside(search) if "model" in x.needs]
    names = list(dict.fromkeys(str(getattr(x, "model", "")) for x in asking))
    model = from_environment() if names else None
    models: dict[str, Any] = catalog.plugins().retrievers
    models |= {} if model is None else dict.fromkeys(names, model)
    for note in dict.fromkeys(note for search in searches for note in notes(search, models)):
        say(note)
    return models


def from_expression(text: str) -> tuple[str, Searcher]:
    from lab import catalog, formats

    searcher = formats.parse(text) if "(" in text else catalog.from_text(catalog.retrievers, text)
    return _written(searcher), searcher


def from_file_or_preset(text: str) -> tuple[str, Searcher]:
    """Reads the search of a file, whose name has a ``/`` or ends in .toml, or of a preset."""
    from lab import formats, presets

    if "/" not in text and os.sep not in text and not text.endswith(".toml"):
        return text, presets.find(text)
    try:
        searcher = formats.from_toml(Path(text).expanduser().read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise PipelineError(Said("{file} is not UTF-8.", file=text), Said("Save the file as UTF-8.")) from None
    except LabError as error:
        raise PipelineError(Said("{path}: {what}", path=text, what=error.message), error.remedy) from error
    return getattr(searcher, "name", "") or Path(text).stem, searcher


def _written(searcher: Searcher) -> str:
    """Writes a search as an expression; a bare name has no brackets."""
    from lab import formats

    text = formats.expression(searcher)
    if len(text) > LONGEST_NAME:  # the rows of a whole run, for instance
        return str(searcher.label)
    return text.removesuffix("()") if text.count("(") == 1 else text


def open_collection(name: str, *, engine: str | None = None, **options: Any) -> Collection:
    """Loads a sample corpus by its name, a collection of ir_datasets by its own, or a folder or file.

    With an ``engine``, loads its collection of this name, or the one filled from this folder, with its questions.
    """
    from lab.corpus import beir, datasets, samples

    if engine or name.partition(":")[0] in packs.engines():
        from lab.engine import of, open_corpus

        prefix = f"{engine or of(name)}:"
        name = name.removeprefix(prefix)
        folder = Path(name).expanduser()
        if folder.is_dir():
            queries = options.get("queries", "queries.jsonl")
            return open_corpus(prefix + folder.resolve().name, folder=folder, queries=queries)
        return open_corpus(prefix + name)

    if name.startswith(datasets.PREFIX):
        dataset_name = name.removeprefix(datasets.PREFIX)
        if options.get("queries", "queries.jsonl") != "queries.jsonl":
            message = Said("The questions of {name} are its own.", name=dataset_name)
            raise ParameterError(message, Said("Leave out --queries."))
        return _told_of(datasets.load(dataset_name, progress=bar(dataset_name)))
    sample = name in samples.every_name()
    if not sample and not Path(name).expanduser().exists():
        known = Said("Sample corpora are: {names}.", names=[*samples.every_name()] or "none")
        raise CorpusError(Said("There is no sample corpus, folder or file “{name}”.", name=name), known)
    return _told_of(samples.load(name, **options) if sample else beir.load(name, **options))


def other_corpora(searcher: Searcher, places: Sequence[str]) -> dict[str, Corpus]:
    """Returns the corpora for routes, by name: those given with --other, and the samples that the search names."""
    from lab import formats
    from lab.corpus import samples

    corpora = {corpus.name: corpus for corpus in (open_collection(place).corpus for place in places)}
    sample_names = [
        name for name in formats.collections([searcher]) if name in samples.every_name() and name not in corpora
    ]
    return corpora | {name: samples.load(name).corpus for name in sample_names}


def _told_of(collection: Collection) -> Collection:
    """Reports the problems of a collection, and returns it."""
    for problem in collection.problems:
        say(problem)
    return collection


def asked_questions(options: argparse.Namespace, *, judged: bool = False) -> tuple[Collection, tuple[Query, ...]]:
    """Returns the collection and its questions; only judged ones if ``judged``, or if --limit picks some of them."""
    if options.limit is not None:
        at_least("limit", options.limit, 1)
    collection = open_collection(options.corpus, queries=options.queries, engine=options.engine)
    if not collection.queries:
        remedy = Said("Give a folder with queries.jsonl.")
        raise CorpusError(Said("{name} has no queries.", name=options.corpus), remedy)
    if judged and not collection.judged:
        remedy = Said("Add qrels/test.tsv, or choose another collection.")
        raise CorpusError(Said("{name} has no judgments.", name=collection.name), remedy)
    say_unknown(collection)
    check_fields(options.where, collection.corpus)
    some = judged or (options.limit is not None and collection.judged)
    return collection, (collection.judged if some else collection.queries)[: options.limit]


def read_floors(options: argparse.Namespace) -> dict[str, float]:
    """Returns the required minimum of each measure."""
    from lab.evaluate.measures import measure
    from lab.evaluate.refusing import REFUSED
    from lab.text.quantities.numbers import read_decimal

    floors = dict[str, float]()
    for text in options.at_least:
        name, _, value = text.rpartition("=")
        floor = read_decimal(value.strip())
        if floor is None:
            message = Said("“{text}” is not a minimum.", text=text)
            raise ParameterError(message, Said("Write it as measure=value, for instance nDCG@10=0.75."))
        floors[name.strip()] = floor
        if name.strip() != REFUSED:
            measure(name.strip())
    return floors


def read_floor(options: argparse.Namespace, *more: str) -> dict[str, float]:
    """Returns the required minimum of --measure and of ``more``.  Raises `ParameterError` if another one has one."""
    from lab.evaluate.measures import measure

    measure(options.measure)
    floors = read_floors(options)
    if floors.keys() - {options.measure, *more}:
        message = Said(
            "The minimum is for {floor}, but {measure} was measured.", floor=min(floors), measure=options.measure
        )
        raise ParameterError(message, Said("Name the same measure."))
    return floors


def say_missed(floors: Mapping[str, float], reached: Mapping[str, Mapping[str, float]]) -> int:
    """Reports every value below its floor; returns exit status 1 if there is one, else 0."""
    low = [text for by_measure in too_low(floors, reached).values() for text in by_measure.values()]
    for text in low:
        say(text)
    return int(bool(low))


def too_low(floors: Mapping[str, float], reached: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, str]]:
    """Returns by search and measure a sentence on every value below its floor."""
    return {
        name: {
            m: f"{name}: {m} is {values[m]:.4f}, below {floor:g}" for m, floor in floors.items() if values[m] < floor
        }
        for name, values in reached.items()
    }
