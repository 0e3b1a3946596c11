"""The commands that ask: search and answer; techniques.

``--help`` prints their docstrings.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lab.algebra import Corpus, Ranking, Searcher
from lab.algebra.knobs import in_bounds
from lab.cli.printing import bar, print_json, print_ranking, print_table, say
from lab.cli.searches import (
    build_part,
    check_fields,
    from_file_or_preset,
    models_for,
    one_search,
    open_collection,
    other_corpora,
)
from lab.errors import ParameterError, UnknownName
from lab.text import cut
from lab.words import Said

LONGEST_DEFAULT = 40
"""Columns of a default in the list of parameters."""


def search(options: argparse.Namespace) -> int:
    """Searches one question and prints the list of documents.

    --where-is names a passage by its id, its title or a sentence of it, and prints where it is in the list, or why it
    is not there, and the smallest changes that show it; the exit status is 1 if there is no such passage.

    Routes can lead to other corpora: to sample corpora by name, and to those given with --other. The route that was
    taken, the reason for a fallback, and another spelling of the question are printed on the standard error.
    """
    from lab.algebra import Runner
    from lab.explain.decisions import decisions

    collection = open_collection(options.corpus, engine=options.engine)
    corpus = collection.corpus
    name, searcher = one_search(options, "bm25")
    check_fields(options.where, corpus)
    collections = other_corpora(searcher, options.other)
    if options.operators:
        searcher = _keeping_to_operators(searcher, options.query, corpus)
    runner = Runner(corpus, others=collections, models=models_for(searcher), progress=bar(name))
    ranking = runner(searcher, options.query, options.k)
    for sentence in decisions(ranking):
        say(sentence)
    _say_tested(ranking)
    _say_given(ranking)
    _say_meant(options.query, corpus)
    where: dict[str, Any] = {}
    if options.where_is.strip():
        from lab.cli.whereabouts import print_where, where_is

        found = where_is(runner, searcher, options.query, options.where_is, options.k, collection.problems)
        where = {"where_is": found}
    if options.json:
        print_json({"search": name, **ranking.to_dict(), **where})
    elif not ranking.hits and options.where.strip():
        sys.stderr.write(f"No passage of {corpus.name} matches “{options.query}” and the condition.\n")
    elif not ranking.hits:
        sys.stderr.write(f"Nothing in {corpus.name} matches “{options.query}”.\n")
    else:
        print_ranking(ranking)
    if where and not options.json:
        print(end="\n" * bool(ranking.hits))
        print_where(where["where_is"])
    return int(bool(where) and not where["where_is"]["passages"])


def duplicates(options: argparse.Namespace) -> int:
    """Reports how many passages of a corpus have a near-duplicate, which pairs, and in which groups.

    Every passage is compared with every other by the cosine of the built-in model, as on the page Documents.
    """
    from lab.explain.near_duplicates import MOST, near_duplicates
    from lab.models.static import BuiltIn
    from lab.retrieve.distinct import Distinct

    in_bounds("cosine", options.cosine, 0, 1)
    corpus = open_collection(options.corpus).corpus
    if len(corpus) > MOST:
        message = Said("Too many passages to compare with each other: {n}, at most {most}.", n=len(corpus), most=MOST)
        raise ParameterError(message, Said("Choose a smaller corpus."))
    copies = Distinct.of(corpus).copies
    report = near_duplicates(corpus, BuiltIn(), options.cosine, progress=bar("duplicates"))
    group_of = {document.id: n for n, group in enumerate(report.groups, 1) for document in group}
    pairs = [(pair.cosine, pair.first.id, pair.second.id, group_of[pair.first.id]) for pair in report.pairs]
    if options.json:
        counts = {"passages": report.passages, "repeated": copies, "with_neighbour": report.count}
        rows = [dict(zip(("cosine", "first", "second", "group"), pair, strict=True)) for pair in pairs]
        whole = {**counts, "pairs_in_all": report.total_pairs, "pairs": rows}
        print_json({"corpus": corpus.name, "cosine": report.threshold, **whole})
        return 0
    print(f"{copies} of {report.passages} passages have the text of another passage")
    print(f"{report.count} of {report.passages} passages have a neighbour at {report.threshold:g}")
    if pairs:
        cells = [[first, second, f"{cosine:.3f}", str(group)] for cosine, first, second, group in pairs]
        print_table([["passage", "neighbour", "cosine", "group"], *cells], left=2)
    if report.total_pairs > len(pairs):
        say(f"most similar pairs listed: {len(pairs)} of {report.total_pairs}")
    return 0


def _say_meant(text: str, corpus: Corpus) -> None:
    """Says which codes only fields hold, and another spelling if the corpus lacks a word and has one that is near."""
    from lab.explain.codes_in_fields import codes_in_fields
    from lab.rewrite.spelling import offered

    for sentence in codes_in_fields(text, corpus):
        say(sentence)
    if found := offered(text, corpus):
        say(f"Did you mean: {found.result}?")


def _keeping_to_operators(searcher: Searcher, question: str, corpus: Corpus) -> Searcher:
    """The search that keeps to the operators of the question; how they were read is printed on the standard error."""
    from lab.algebra.runner import FILTERED
    from lab.refine.boolean import ONLY_EXCLUDES, parse
    from lab.refine.operators import field_names
    from lab.rewrite.operators import with_operators

    asked = parse(question, field_names(corpus))
    if asked.only_excludes:
        raise ParameterError(ONLY_EXCLUDES)
    for told in (asked.reading, *asked.remarks):
        if told:
            say(told)
    if asked.signs and corpus.elsewhere:
        say(f"results of each list that are filtered: {FILTERED:,}")
    return with_operators(searcher)


def answer(options: argparse.Namespace) -> int:
    """Answers one question with sentences quoted from the passages, with footnotes.

    The exit status is 3 if the passages do not answer; the reason and the nearest sentence are printed on the standard
    error. With --model, the language model set in the environment answers, and a citation rule adds the footnotes.
    """
    from lab.algebra import Runner
    from lab.answer.again import AskAgain
    from lab.answer.answered import answer as answered
    from lab.answer.answered import from_model
    from lab.answer.citations import CitationRule
    from lab.answer.context import Context
    from lab.answer.extract import Extractive
    from lab.answer.model import ModelAnswer
    from lab.answer.replaced import replaced_sources
    from lab.answer.searched import Searched, presets
    from lab.models.chat import whole
    from lab.models.endpoint_chat import from_environment
    from lab.text import language_of

    options.searches = options.searches or [(from_file_or_preset, "best")]
    name, searcher = one_search(options)
    context, rule = build_part(options.context, Context), build_part(options.cite, CitationRule)  # type: ignore[type-abstract]
    corpus, collections = (
        open_collection(options.corpus, engine=options.engine).corpus,
        other_corpora(searcher, options.other),
    )
    check_fields(options.where, corpus)
    runner = Runner(corpus, others=collections, models=models_for(searcher), progress=bar(name))
    result = answered(
        runner,
        searcher,
        options.query,
        again=AskAgain(rounds=options.rounds),
        k=options.k,
        context=context,
        rule=rule,
        extract=build_part(options.extract, Extractive),
    )
    ranking = runner(searcher, options.query, options.k)
    did = Searched.of(ranking)
    ready = presets()[options.ready].template[language_of(options.query)] if options.ready else ""
    request = ModelAnswer(template=ready).request(options.query, result.passages, did)
    if options.prompt:
        print(request.text)
        return 0
    if options.model:
        model = from_environment()
        if model is None:
            missing = Said("No language model is set in the environment variables.")
            raise ParameterError(missing, Said("Set LAB_LLM_BASE_URL and LAB_LLM_MODEL, or leave out --model."))
        completion = whole(model.ask(request.text))
        for remark in completion.remarks:
            say(remark)
        result = from_model(completion.text, options.query, result.passages, rule, corpus, by=model.label)
    replaced = list(map(str, replaced_sources(result, ranking.corpus)))
    for sentence in replaced:
        say(sentence)
    if options.json:
        print_json({"search": name, **result.to_dict(), "replaced": replaced})
    elif result.says:
        print(result.to_markdown(), end="")
    if result.says:
        return 0
    say(" ".join(str(result.reason).split()))
    for i, sentence in enumerate(result.sentences[:1]):
        place = next(iter(result.sources(i)), None)
        where = f" ({result.passages[place.passage].id})" if place else ""
        say(f"the nearest sentence, which is no answer{where}: {' '.join(sentence.split())}")
    return 3


def techniques(options: argparse.Namespace) -> None:
    """Lists the techniques, each in a sentence; for the given names, every parameter with default and range.

    A name may be that of another library or a usual term: EnsembleRetriever shows RRF. It may also be something that
    techniques are given, such as Analyzer or Corpus.
    """
    from lab import catalog

    known = catalog.operators()
    chosen = [cls for name in options.names for cls in _named(name)] or list(known.values())
    heads = [{"name": c.__name__, "title": catalog.title(c), "about": catalog.about(c)} for c in chosen]
    if options.json:
        more = [
            {"knobs": catalog.describe_knobs(c), "other_names": catalog.other_names(c)} if options.names else {}
            for c in chosen
        ]
        print_json({"techniques": [head | added for head, added in zip(heads, more, strict=True)]})
    elif not options.names:
        print_table([list(head.values()) for head in heads], left=3)
    else:
        for cls in chosen:
            print(": ".join(filter(None, (catalog.title(cls), catalog.about(cls)))) + "\n")
            if others := catalog.other_names(cls):
                print("".join(f"  {origin}: {', '.join(names)}\n" for origin, names in others.items()))
            knobs = catalog.describe_knobs(cls)
            help_texts = [f"{k['label']}. {k['help']}" if k["label"] else "" for k in knobs]
            rows = [
                [f"  {k['name']}", cut(k["default"], LONGEST_DEFAULT), k["range"], text]
                for k, text in zip(knobs, help_texts, strict=True)
            ]
            print_table(rows or [["  no knobs"]], left=4)
            print()


def _named(name: str) -> list[type[Any]]:
    """Returns the techniques or nouns with this name, or of which it is another name or a part of one.

    Raises `UnknownName`, which names the technique with the most similar name.
    """
    from lab import catalog
    from lab.finding import Entry, Finder, all_names, names_label, plain, techniques

    known, nouns = catalog.operators(), catalog.nouns()
    try:
        return [catalog.among(known | nouns, "technique", name)]
    except UnknownName as error:
        unknown = error
    for cls in nouns.values():
        if plain(name) in (plain(other) for names in catalog.other_names(cls).values() for other in names):
            return [cls]
    pages = (Entry("page", page, page, {}, {}, tuple(all_names(page))) for page in catalog.names_table()["pages"])
    finder = Finder([*techniques(lambda text: {"en": text}), *pages])
    matches = finder.find(name)
    best = matches[0] if matches else None
    if best and best.how != "similar" and best.entry.kind != "page" and not best.name.absent:
        keys = (m.entry.key.partition(".")[0] for m in matches if m.how == best.how and m.entry.kind == best.entry.kind)
        return [known[key] for key in dict.fromkeys(keys)]
    if finder.lacks(name):
        raise UnknownName(unknown.message, Said("The lab does not have it."))
    if not best or plain(best.name.text) == plain(best.entry.key):
        raise unknown
    remedy = Said("Did you mean “{name}”? ({other})", name=best.entry.key, other=names_label(best.name))
    if best.name.absent:
        remedy = Said("The lab does not have it. The nearest is “{name}”.", name=best.entry.key)
    elif best.entry.kind == "page":
        remedy = Said("See the page “{name}” of the lab ({other}).", name=best.entry.key, other=names_label(best.name))
    raise UnknownName(unknown.message, remedy)


def _say_tested(ranking: Ranking) -> None:
    """Reports how many passages each comparison of --where has removed, and how ambiguous dates were read."""
    from lab.refine.where import Checked

    for step in ranking.lineage():
        if not isinstance(tested := step.evidence, Checked):
            continue
        say(f"{tested.removed} of {tested.total} passages removed by --where")
        if len(tested.comparisons) > 1:
            for i, test in enumerate(tested.comparisons):
                say(f"  {test}: fails for {tested.failed(i)}, undecided for {tested.undecided(i)}")
        for remark in tested.remarks:
            say(remark)


def _say_given(ranking: Ranking) -> None:
    """Reports what was left out of a given list or of an external retriever's, or why it is empty."""
    from lab.fuse import order_warnings
    from lab.models.embedders import Embedder, reading_note
    from lab.retrieve.external import Answered
    from lab.retrieve.given import Supplied

    for step in ranking.lineage():
        if isinstance(supplied := step.evidence, Supplied | Answered) and (
            note := supplied.note if supplied.used else supplied.reason
        ):
            say(note)
        for warning in order_warnings(step):
            say(warning)
        embedder = getattr(step.made_by, "embedder", None)
        if isinstance(embedder, Embedder) and (reading := reading_note(embedder, step.corpus)):
            say(reading)
