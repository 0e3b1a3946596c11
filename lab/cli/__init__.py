"""The command line: start the app, search a corpus, answer a question, write a run, evaluate, ablate, sweep searches.

The commands run the same code as the pages, plug-ins included (``--plugin``).  An error in the input is one line on
stderr and exit status 2; Ctrl-C gives 130; a reader that closes the pipe (``| head``) is not an error.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from lab import __version__, home, plugins
from lab.algebra import Corpus, Models, Operator, Progress, Query, Ranking, Searcher, at_least
from lab.cli.printing import (
    PROGRAM,
    Figures,
    bar,
    head,
    print_ablation,
    print_evaluation,
    print_json,
    print_ranking,
    print_sweep,
    print_table,
    say,
    say_problems,
    say_sharing,
    say_unknown,
    show,
)
from lab.errors import CorpusError, LabError, ParameterError, PipelineError, PluginError
from lab.words import Said

O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator

if TYPE_CHECKING:
    from lab.corpus.beir import Collection
    from lab.corpus.conversations import Conversation
    from lab.evaluate.experiments import System
    from lab.evaluate.regression import Limits, Regression
    from lab.evaluate.runs import Run
    from lab.evaluate.sweeping import Axis

SEARCHES = """\
a search is a retriever, an expression, a preset or a TOML file:
  --retriever bm25    --retriever bm25:k1=0.9,b=0.4    --retriever vector:embedder=lsa
  --retriever "RRF()(BM25(), Vector()) >> MMR(k=8)"
  --pipeline best     --pipeline hybrid.toml
  --retriever "StripOperators() >> BM25() >> Operators()"   (as --operators, 100 results deep)
a step that asks a language model (MultiQuery(model="chat")) uses the one set in the environment:
LAB_LLM_BASE_URL, LAB_LLM_KEY, LAB_LLM_MODEL, or OPENAI_BASE_URL and OPENAI_API_KEY
"""
ENGINES = ("milvus",)
READY = ("wordings", "parts", "background", "draft", "intent", "history", "adapted")
"""The ready prompts of `lab.answer.searched.presets`, which the help names without reading them."""
JUDGMENT_FORMATS = (
    "trec",
    "beir",
    "queries",
    "quepid",
    "quepid-json",
    "quepid-needs",
    "opensearch",
    "opensearch-queries",
)
"""The names of `lab.evaluate.exchange.WRITERS`, which the help names without reading them."""
SHARE = "--share"
LONGEST_NAME = 1000
"""Characters of an expression that names a search."""
PLUGINS = """\
techniques of your own, with the app and with every command:
  --plugin FILE.py    may be repeated; LAB_PLUGINS names such files, too
a retriever of your own: RETRIEVERS = {"mine": function} in such a file, then
  --plugin FILE.py --retriever external:name=mine
"""
EPILOG = f"""\
without a command, the app starts, for this machine only.  With --share, others in your
network can open it at the printed address.  Options such as --server.port 8600 are
passed to Streamlit.

{SEARCHES}
{PLUGINS}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 1 for a value below its floor, 2 for wrong input.

    130 is Ctrl-C, 141 a closed pipe.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ? instead
    try:
        files, words = _plugin_files(words)
        with plugins.adding_files(files):
            return _run(words)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python flushes stdout once more at exit, which must not fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (LabError, OSError) as error:
        say(" ".join(str(error).split()))
        return 2


def _run(words: Sequence[str]) -> int:
    """Start the app, or run a command.  An exception in a plug-in becomes an error that names it."""
    if plugins.file_names():
        from lab.models.endpoint import public

        if public():
            raise PluginError(plugins.FILES_REFUSED, Said("Leave out --plugin, and unset LAB_PLUGINS."))
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        return start_app(words)
    options = parser().parse_args(words)
    from lab import catalog

    for problem in catalog.plugins().problems:
        say(str(problem))
    try:
        status: int = options.command(options) or 0
    except BrokenPipeError:
        raise
    except Exception as error:
        if (failure := catalog.name_plugin(error)) is error:
            raise
        raise failure from error
    sys.stdout.flush()
    return status


def _plugin_files(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the files of every --plugin, and the other words; words after -- are not options."""
    files, words_left, left = list[str](), list[str](), iter(words)
    for word in left:
        option, equals, file = word.partition("=")
        if option == "--plugin":
            files.append(file if equals else next(left, ""))
            if not files[-1] or files[-1].startswith("-"):
                raise ParameterError(Said("No file is named after --plugin."), Said("Write --plugin FILE.py."))
        else:
            words_left.append(word)
            if word == "--":
                words_left += left
    return files, words_left


# ------------------------------------------------------ commands: ``--help`` prints their docstrings


def start_app(options: Sequence[str]) -> int:
    """Start the app, from any folder; ``options`` are Streamlit's, but for ``--share``."""
    script = home.root() / "app.py"
    if not script.is_file():
        missing = Said("The app's files are missing ({path}).", path=str(script))
        raise CorpusError(missing, Said("Reinstall retrieval-lab."))
    from lab.ui.launch import start

    if SHARE not in options:
        return start(script, options)
    if any(option.startswith("--server.address") for option in options):
        both = Said("--share listens at all addresses of this machine, --server.address at one.")
        raise ParameterError(both, Said("Give one of the two."))
    return start(script, [option for option in options if option != SHARE], share=say_sharing)


def search(options: argparse.Namespace) -> None:
    """Searches one question and prints the list of documents.

    Routes can lead to other corpora: to sample corpora by name, and to those given with --other. The route that was
    taken, the reason for a fallback, and another spelling of the question are printed on the standard error.
    """
    from lab.algebra import Runner
    from lab.explain.decisions import decisions

    corpus = _collection(options.corpus, engine=options.engine).corpus
    name, searcher = _one_search(options, "bm25")
    _check_fields(options.where, corpus)
    collections = _other_corpora(searcher, options.other)
    if options.operators:
        searcher = _keeping_to_operators(searcher, options.query, corpus)
    runner = Runner(corpus, others=collections, models=_models(searcher), progress=bar(name))
    ranking = runner(searcher, options.query, options.k)
    for sentence in decisions(ranking):
        say(sentence)
    _say_tested(ranking)
    _say_given(ranking)
    _say_meant(options.query, corpus)
    if options.json:
        print_json({"search": name, **ranking.to_dict()})
    elif not ranking.hits and options.where.strip():
        sys.stderr.write(f"No passage of {corpus.name} matches “{options.query}” and the condition.\n")
    elif not ranking.hits:
        sys.stderr.write(f"Nothing in {corpus.name} matches “{options.query}”.\n")
    else:
        print_ranking(ranking)


def _say_meant(text: str, corpus: Corpus) -> None:
    """Another spelling, if a word of the question is not in the corpus and one of its words is near."""
    from lab.rewrite.spelling import offered

    if found := offered(text, corpus):
        say(f"Did you mean: {found.result}?")


def _keeping_to_operators(searcher: Searcher, question: str, corpus: Corpus) -> Searcher:
    """The search that keeps to the operators of the question; how they were read is printed on the standard error."""
    from lab.refine.boolean import ONLY_EXCLUDES, parse
    from lab.refine.operators import field_names
    from lab.rewrite.operators import DEPTH, with_operators

    asked = parse(question, field_names(corpus))
    if asked.only_excludes:
        raise ParameterError(ONLY_EXCLUDES)
    for told in (asked.reading, *asked.remarks):
        if told:
            say(told)
    if asked.signs and len(corpus) > DEPTH:
        say(f"results of each list that are filtered: {DEPTH:,}")
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
    from lab.answer.searched import Searched, presets
    from lab.models.chat import whole
    from lab.models.endpoint_chat import from_environment
    from lab.text import language_of

    options.searches = options.searches or [(_from_file_or_preset, "best")]
    name, searcher = _one_search(options)
    context, rule = _build_part(options.context, Context), _build_part(options.cite, CitationRule)  # type: ignore[type-abstract]
    corpus, collections = (
        _collection(options.corpus, engine=options.engine).corpus,
        _other_corpora(searcher, options.other),
    )
    _check_fields(options.where, corpus)
    runner = Runner(corpus, others=collections, models=_models(searcher), progress=bar(name))
    result = answered(
        runner,
        searcher,
        options.query,
        again=AskAgain(rounds=options.rounds),
        k=options.k,
        context=context,
        rule=rule,
        extract=_build_part(options.extract, Extractive),
    )
    did = Searched.of(runner(searcher, options.query, options.k))
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
        text = whole(model.ask(request.text)).text
        result = from_model(text, options.query, result.passages, rule, corpus, by=model.label)
    if options.json:
        print_json({"search": name, **result.to_dict()})
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


def run(options: argparse.Namespace) -> None:
    """Searches every question of a corpus and writes a TREC run."""
    from lab.evaluate import runs, trec

    name, searcher = _one_search(options)
    collection, questions = _questions(options)
    start = time.perf_counter()
    result = runs.run_many(
        {name: searcher}, collection.corpus, questions, k=options.k, models=_models(searcher), progress=bar(name)
    )[name]
    say_problems(result)
    trec.write_trec(result, sys.stdout if options.output == "-" else options.output)
    lines = sum(map(len, result.results.values()))
    seconds = time.perf_counter() - start
    sys.stderr.write(f"{name}: {len(result)} queries, {lines} lines, {seconds:.1f} s, {options.output}\n")


def evaluate(options: argparse.Namespace) -> int:
    """Evaluates searches or runs on a corpus with judgments and compares them with the baseline.

    With --conversations, the turns of conversations are searched instead, each with the passages that the search has
    shown before, and the first measure is reported per turn. Conversations are in conversations.jsonl, their judgments
    in qrels/conversations.tsv. Or --queries names a file with ids like those of TREC CAsT (2021_106_3, 2022_149_3-1),
    judged in qrels/test.tsv: the conversation is the id up to its second underscore. If ids name branches (3-1), a
    second row reports these separately.

    With --against, the baseline is an earlier run, such as that of the last release (see run). The questions lost and
    won since are listed by the first measure, with their values before and now, and the differences are tested for
    significance. The --fail options set the exit status to 1. Reports for pull requests and continuous integration are
    written with --format.
    """
    from lab.algebra import Runner
    from lab.evaluate import experiments
    from lab.evaluate.measures import measures_in
    from lab.evaluate.regression import Regression, comparable

    floors, limits = _floors(options), _limits(options)
    outputs = _report_files(options)
    measures = tuple(dict.fromkeys([*measures_in(options.measures), *floors, *limits.means]))
    searches, baseline, earlier = _evaluated(options)
    models = _models(*(s for s in searches.values() if isinstance(s, Searcher)))
    talk = _talk(options) if options.conversations else None
    collection, questions = (talk.collection, talk.collection.judged) if talk else _questions(options, judged=True)
    notes: tuple[str, ...] = ()
    if earlier:
        collection, questions, notes = comparable(earlier, collection, questions)
    ready, runner = dict[str, float](), Runner(collection.corpus, models=models, explain=False)
    for name, searcher in searches.items():
        if isinstance(searcher, Searcher):
            start = time.perf_counter()
            runner(searcher, questions[0], options.k)
            ready[name] = time.perf_counter() - start
    progress = bar(", ".join(searches))
    systems = _run_conversations(talk, searches, options, models, progress) if talk else searches
    experiment = experiments.evaluate(
        systems,
        collection,
        measures,
        baseline=baseline,
        limit=len(questions),
        k=options.k,
        models=models,
        progress=progress,
    )
    report = Regression(experiment, limits) if earlier else None
    for note in (notes := (*notes, *experiment.notes, *(report.notes if report else ()))):
        say(note)
    figures = {**head(collection, questions), **experiment.to_dict(), "baseline": baseline, "notes": list(notes)}
    for row in figures["searches"]:
        row["ready_seconds"] = ready.get(row["name"])
    if talk:
        figures |= {"conversations": len(talk.groupings[""]), "shown": options.shown, "measure": measures[0]}
        for row in figures["searches"]:
            row["depths"] = talk.depths(row["name"], experiment.scores[row["name"]], measures[0])
    chosen = options.baseline or options.against
    reached = {name: experiment.scores[name].means for name in systems if not chosen or name != baseline}
    if report is None:
        show(options, [Figures(figures, experiment.table, experiment.per_query)], print_evaluation)
        return _missed(floors, reached)
    figures |= report.to_dict()
    if not _write_reports(outputs, report, notes, _too_low(floors, reached)):
        show(options, [Figures(figures, experiment.table, experiment.per_query)], print_evaluation)
        if not options.csv and not options.json:
            from lab.cli.reports import print_changes

            print_changes(report)
    for failure in report.failures:
        say(failure)
    return _missed(floors, reached) or int(bool(report.failures))


def _evaluated(options: argparse.Namespace) -> tuple[dict[str, System], str | None, Run | None]:
    """Returns what is evaluated by name, the name of the baseline, and the run of --against, which then is first."""
    from lab import catalog
    from lab.evaluate import experiments, trec
    from lab.reading.names import Names

    searches = _searches(options)
    if not searches and not options.run:
        remedy = Said("Give --pipeline, --retriever or --run at least once.")
        raise ParameterError(Said("No search was given to evaluate."), remedy)
    if options.against and options.baseline:
        both = Said("--against and --baseline both name what the searches are compared with.")
        raise ParameterError(both, Said("Give one of the two."))
    names = Names(searches, pattern="{} ({})")
    runs = [
        trec.read_trec(file, name=names.fresh(Path(file).name))
        for file in (*filter(None, [options.against]), *options.run)
    ]
    named: dict[str, System] = {**searches, **{run.name: run for run in runs}}
    if options.against:
        return {runs[0].name: runs[0], **named}, runs[0].name, runs[0]
    plain_name = catalog.plain(options.baseline or next(iter(named)))
    baseline = next((name for name in named if catalog.plain(name) == plain_name), options.baseline)
    return named, experiments.chosen(named, baseline), None


def _limits(options: argparse.Namespace) -> Limits:
    """Returns the limits of the --fail options.  Raises `ParameterError` if one is not a number, or needs --against."""
    from lab.evaluate.measures import measure, measures_in
    from lab.evaluate.regression import Limits
    from lab.text.quantities.numbers import read_decimal

    given = {"--fail-below": options.fail_below, "--fail-query-below": options.fail_query_below}
    given |= {"--fail-significant": options.fail_significant, "--format": options.format}
    if not options.against and (name := next((name for name, value in given.items() if value), "")):
        missing = Said("No earlier run is given, which {option} needs.", option=name)
        raise ParameterError(missing, Said("Give --against FILE."))

    def number(text: str) -> float:
        value = read_decimal(text.strip())
        if value is None:
            message = Said("“{text}” is not a difference.", text=text)
            raise ParameterError(message, Said("Write it as a number, for instance -0.01, or as nDCG@10=-0.01."))
        return value

    means = dict[str, float]()
    for text in options.fail_below:
        name, equals, value = text.rpartition("=")
        for m in [name.strip()] if equals else measures_in(options.measures):
            measure(m)
            means[m] = number(value)
    question = None if options.fail_query_below is None else number(options.fail_query_below)
    return Limits(means, question, options.fail_significant)


def _report_files(options: argparse.Namespace) -> dict[str, str]:
    """Returns by format the file that a report is written into; empty for the standard output."""
    from lab.cli.reports import FORMATS

    files = dict[str, str]()
    for text in options.format:
        name, _, file = text.partition("=")
        if name not in FORMATS:
            unknown = Said("There is no format “{name}”.", name=name)
            raise ParameterError(unknown, Said("Valid names: {names}.", names=", ".join(FORMATS)))
        files[name] = file
    if list(files.values()).count("") + options.json + options.csv > 1:
        several = Said("Only one of the formats can be printed.")
        raise ParameterError(several, Said("Write the others into files: --format junit=report.xml."))
    return files


def _write_reports(
    files: Mapping[str, str], report: Regression, notes: Sequence[str], missed: Mapping[str, Mapping[str, str]]
) -> bool:
    """Writes reports into their files, or prints them; returns whether one was printed."""
    from lab.cli.reports import FORMATS

    for name, file in files.items():
        text = FORMATS[name](report, notes, missed)
        if file:
            Path(file).write_text(text, encoding="utf-8", newline="\n")
        else:
            print(text, end="")
    return "" in files.values()


_APART = ", branches apart"


class _Talk(NamedTuple):
    """Conversations to evaluate: their turns as a collection, and groupings by the suffix for a search's name."""

    collection: Collection
    groupings: dict[str, tuple[Conversation, ...]]

    def depths(self, name: str, scores: Any, measure: str) -> list[dict[str, Any]]:
        """Returns a measure by the depth of the turn, ready for JSON."""
        from lab.evaluate.conversations import by_depth

        apart = _APART in self.groupings and name.endswith(_APART)
        return [asdict(d) for d in by_depth(scores, self.groupings[_APART if apart else ""], measure)]


def _talk(options: argparse.Namespace) -> _Talk:
    """Returns the first --limit conversations of the collection, or of the file --queries, grouped by their ids."""
    from lab.corpus.conversations import by_ids

    if options.limit is not None:
        at_least("limit", options.limit, 1)
    with_ids = options.queries != "queries.jsonl"
    collection = _collection(options.corpus, queries=options.queries)
    whole = (by_ids(collection.queries) if with_ids else collection.conversations)[: options.limit]
    if not whole:
        remedy = Said("Give a corpus with conversations.jsonl, or --queries with a file whose ids name conversations.")
        raise CorpusError(Said("{name} has no conversations.", name=options.corpus), remedy)
    spoken = collection if with_ids else collection.spoken
    spoken = replace(spoken, queries=tuple(turn for conversation in whole for turn in conversation))
    if not spoken.judged:
        remedy = Said("Add qrels/{file}.", file="test.tsv" if with_ids else "conversations.tsv")
        raise CorpusError(Said("{name} has no judgments.", name=collection.name), remedy)
    say_unknown(spoken)
    apart = by_ids(spoken.queries, apart=True) if with_ids else whole
    return _Talk(spoken, {"": whole} if apart == whole else {"": whole, _APART: apart})


def _run_conversations(
    talk: _Talk, searches: Mapping[str, Any], options: argparse.Namespace, models: Models, progress: Progress | None
) -> dict[str, Any]:
    """Runs the searches on every grouping; returns the runs by name, and runs from elsewhere unchanged."""
    from lab.evaluate.conversations import run_many

    searchers = {name: search for name, search in searches.items() if isinstance(search, Searcher)}
    corpus = talk.collection.corpus
    passages_shown, k = options.shown, options.k
    runs = {
        end: run_many(searchers, corpus, talks, shown=passages_shown, k=k, models=models, progress=progress)
        for end, talks in talk.groupings.items()
    }
    return {
        name + end: runs[end][name] if name in searchers else search
        for name, search in searches.items()
        for end in (talk.groupings if name in searchers else ("",))
    }


def judgments(options: argparse.Namespace) -> None:
    """Writes the judgments of a corpus, or of a file, for another tool.

    Formats: trec and beir (qrels), queries (queries.jsonl), quepid and quepid-json (ratings of Quepid), quepid-needs
    (its information needs), opensearch (judgments of the Search Relevance Workbench) and opensearch-queries (its query
    set). --from reads a file in TREC's or BEIR's columns, or ratings of Quepid or OpenSearch; these name questions by
    their texts. Ratings other than 0 to 3 are scaled, and the standard error says how.
    """
    from lab.evaluate import judging
    from lab.evaluate.exchange import WRITERS
    from lab.reading.encodings import decode
    from lab.reading.ratings import is_rated

    collection = _collection(options.corpus)
    if options.source:
        decoded = decode(Path(options.source).read_bytes())
        if decoded is None:
            raise CorpusError(Said("“{file}” is not a text file.", file=options.source), Said("Give a text file."))
        remark = ""
        if is_rated(decoded.text):
            given, unknown, remark = judging.read_rated(decoded.text, collection, "")
        else:
            given, unknown = judging.read_qrels(decoded.text, collection, "")
        if remark:
            say(remark)
        if unknown:
            names = {"n": len(unknown), "document": unknown[0][1], "query": unknown[0][0]}
            say(Said("Judgments of a missing query or document: {n}, the first: “{document}” for “{query}”.", **names))
        collection = judging.with_judgments(replace(collection, qrels={}), given)
    else:
        say_unknown(collection)
    if not any(collection.qrels.values()) and not options.format.endswith("queries"):
        remedy = Said("Add qrels/test.tsv, or choose another collection.")
        raise CorpusError(Said("{name} has no judgments.", name=options.source or collection.name), remedy)
    kept = collection.queries if options.all else tuple(q for q in collection.queries if collection.qrels.get(q.id))
    text = WRITERS[options.format][0](replace(collection, queries=kept))
    if options.output == "-":
        print(text, end="")
    else:
        Path(options.output).write_text(text, encoding="utf-8", newline="\n")


def ablate(options: argparse.Namespace) -> int:
    """Evaluates a search as a whole, without each of its parts, and with each part alone."""
    floors, searches = _floor(options), _some_searches(options)
    collection, questions = _questions(options, judged=True)
    figures = [_ablated(options, name, searcher, collection, questions) for name, searcher in searches.items()]
    show(options, figures, print_ablation)
    return _missed(floors, {f.found["search"]: {options.measure: f.found["value"]} for f in figures})


def _ablated(
    options: argparse.Namespace, name: str, searcher: Searcher, collection: Collection, questions: Sequence[Query]
) -> Figures:
    import pandas as pd

    from lab.evaluate import ablation

    result = ablation.ablate(
        searcher,
        collection.corpus,
        questions,
        collection.qrels,
        measure=options.measure,
        subtopics=collection.subtopics,
        k=options.k,
        models=_models(searcher),
        progress=bar(name),
    )
    if result.unwritten:
        say(f"{len(result.unwritten)} of {result.queries} questions were not rewritten")

    def each() -> Any:
        runs = {"": result.scores, **{v.cut.run: v.scores for v in result.variants}}
        values_by_run = ((of, scores.per_query[options.measure]) for of, scores in runs.items())
        rows = [(of or name, q, options.measure, value) for of, values in values_by_run for q, value in values.items()]
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    figures = {**head(collection, questions), "search": name, **result.to_dict()}
    return Figures(figures, lambda: pd.DataFrame(figures["variants"]), each)


def sweep(options: argparse.Namespace) -> int:
    """Evaluates a search for many values of one or two parameters.

    The best value is chosen on one half of the questions and reported on the other. Without --knob, lists the
    parameters that can be swept, with the values to try. --at-least applies to the current value.
    """
    from lab.evaluate import sweeping

    floors, searches = _floor(options), _some_searches(options)
    if not options.knob:
        for name, searcher in searches.items():
            known = sweeping.knobs(searcher).values()
            rows = [(a.path, a.label, str(a.current), " ".join(map(str, a.values))) for a in known]
            if len(searches) > 1:
                print(f"{name}:")
            print_table([("knob", "", "now", "values"), *rows], left=4)
        return 0
    axes = {
        name: [
            sweeping.axis(searcher, path.strip(), values if equals else None)
            for path, equals, values in (text.partition("=") for text in options.knob)
        ]
        for name, searcher in searches.items()
    }
    collection, questions = _questions(options, judged=True)
    swept = [_swept(options, name, searches[name], axes[name], collection, questions) for name in searches]
    show(options, [figures for figures, _ in swept], print_sweep)
    return _missed(floors, {figures.found["search"]: {options.measure: now} for figures, now in swept})


def _swept(
    options: argparse.Namespace,
    name: str,
    searcher: Searcher,
    axes: Sequence[Axis],
    collection: Collection,
    questions: Sequence[Query],
) -> tuple[Figures, float]:
    """Returns the figures of a sweep, and the measure of the current setting."""
    import pandas as pd

    from lab.evaluate import sweeping

    swept = sweeping.sweep(
        searcher,
        collection,
        axes,
        measure=options.measure,
        limit=options.limit,
        k=options.k,
        models=_models(searcher),
        progress=bar(name),
    )
    figures = {**head(collection, questions), "search": name, **swept.to_dict(options.seed)}

    def table() -> Any:
        paths = [a.path for a in axes]
        rows = [(*p.values, swept.mean(p), *(swept.bounds(p) or (None, None)), p.ms) for p in swept.points]
        return pd.DataFrame(rows, columns=[*paths, options.measure, "low", "high", "ms median"])

    def each() -> Any:
        values_by_setting = ((p.values, p.scores.per_query[options.measure]) for p in swept.points)
        rows = [(*values, q, value) for values, by_question in values_by_setting for q, value in by_question.items()]
        return pd.DataFrame(rows, columns=[*(a.path for a in axes), "qid", options.measure])

    return Figures(figures, table, each), swept.mean(swept.now)


def index(options: argparse.Namespace) -> None:
    """Writes a folder or a .jsonl file into an engine, in which search and evaluate find it by name.

    Memory stays bounded for any size: the file is read twice, a block at a time. A fill that was killed resumes where
    it stopped, without duplicates. LAB_MILVUS_URI names the engine.
    """
    from lab import engine
    from lab.retrieve.lexical import BM25
    from lab.retrieve.milvus import MilvusVector

    def part(text: str, kind: type[O]) -> O | None:
        return None if text == "none" else _build_part(text, kind)

    start = time.perf_counter()
    filled = engine.fill(
        options.corpus,
        name=options.name,
        bm25=part(options.bm25, BM25),
        vector=part(options.vectors, MilvusVector),
        replace=options.replace,
        progress=bar(options.name or str(options.corpus)),
    )
    summary = {"name": filled.name, "passages": filled.passages, "seconds": round(time.perf_counter() - start, 1)}
    if options.json:
        print_json(summary)
    else:
        print(f"{filled.name}: {filled.passages} passages in {options.engine}, {summary['seconds']} s")


def techniques(options: argparse.Namespace) -> None:
    """Lists the techniques, each in a sentence; for the given names, every parameter with default and range."""
    from lab import catalog

    known = catalog.operators()
    chosen = [catalog.among(known, "technique", name) for name in options.names] or list(known.values())
    heads = [{"name": c.__name__, "title": catalog.title(c), "about": c.about} for c in chosen]
    if options.json:
        more = [{"knobs": catalog.describe_knobs(c)} if options.names else {} for c in chosen]
        print_json({"techniques": [head | details for head, details in zip(heads, more, strict=True)]})
    elif not options.names:
        print_table([list(head.values()) for head in heads], left=3)
    else:
        for cls in chosen:
            print(f"{catalog.title(cls)}: {cls.about}\n" if cls.about else f"{catalog.title(cls)}\n")
            knobs = catalog.describe_knobs(cls)
            rows = [[f"  {k['name']}", k["default"], k["range"], f"{k['label']}. {k['help']}"] for k in knobs]
            print_table(rows or [["  no knobs"]], left=4)
            print()


# ----------------------------------------------------------------------------------------------- options


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Prints one line; argparse would print the usage, too."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    description = "See why a document is ranked where it is."
    parser = _Parser(prog=PROGRAM, description=description, epilog=EPILOG, formatter_class=plain)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        metavar="search | answer | run | evaluate | ablate | sweep | index | judgments | techniques",
        required=True,
    )

    def command(does: Callable[..., int | None], summary: str, k: int = 100, corpus: str = "") -> Any:
        """Adds a command with the options that all commands have."""
        subparser = commands.add_parser(
            does.__name__,
            formatter_class=plain,
            help=summary,
            description=does.__doc__,
            epilog=f"{SEARCHES}\n{PLUGINS}",
        )
        subparser.set_defaults(command=does)
        add = subparser.add_argument
        text = "a sample corpus by name, a folder in the BEIR layout, a file, or ir_datasets:NAME" + (
            corpus and f" ({corpus})"
        )
        add("--corpus", "--data", metavar="CORPUS", required=not corpus, default=corpus, help=text)
        text = "read the corpus from this engine, by its name or by the folder that it was filled from (see index)"
        add("--engine", choices=ENGINES, help=text)
        search_option = partial(add, action="append", dest="searches", default=[], metavar="SEARCH")
        search_option(
            "--pipeline", type=lambda text: (_from_file_or_preset, text), help="a preset by name, or a TOML file"
        )
        search_option(
            "--retriever", type=lambda text: (_from_expression, text), help="a retriever by name, or an expression"
        )
        text = "a parameter, such as k1=0.9 or analyzer.mode=bigram; rows=@FILE takes the lines of a file"
        add("--param", action="append", default=[], metavar="NAME=VALUE", help=text)
        text = 'keep passages whose metadata fits, such as "views > 1000 and category in (HR, IT)"'
        add("--where", default="", metavar="CONDITION", help=text)
        add("-k", type=int, default=k, help=f"number of results ({k})")
        if does is not run:
            add("--json", action="store_true", help="print JSON")
        if does not in (run, search, answer):
            add("--csv", action="store_true", help="print CSV")
            add("--per-query", action="store_true", help="print the figures of each question, too (CSV: only these)")
        if does in (evaluate, ablate, sweep):
            text = 'exit with status 1 if the measure is lower ("nDCG@10=0.75"); may be repeated'
            add("--at-least", action="append", default=[], metavar="MEASURE=VALUE", help=text)
        if does not in (search, answer):
            add("--queries", default="queries.jsonl", metavar="FILE", help="the file of queries (queries.jsonl)")
            text = "only the first N judged questions" + (" or conversations" if does is evaluate else "")
            add("--limit", type=int, metavar="N", help=text)
        return add

    add = command(search, "search a corpus", k=10)
    add("query", help="what to search for")
    text = 'keep to "phrases", +must, -not, AND, OR, NOT, brackets and field:word in the query; else they are words'
    add("--operators", action="store_true", help=text)
    text = "another corpus for routes that name it, written like CORPUS; may be repeated"
    add("--other", action="append", default=[], metavar="CORPUS", help=text)
    add = command(answer, "answer a question with its sources", k=50)
    add("query", help="the question")
    add("--other", action="append", default=[], metavar="CORPUS", help=text)
    add("--context", default="Context()", metavar="CONTEXT", help='the context: "Context(budget=1000, most=5)"')
    add("--extract", default="Extractive()", metavar="ANSWER", help='the answer: "Extractive(at_most=1)"')
    add("--cite", default="BestSentence()", metavar="RULE", help='the citation rule: "RAGFlowCitations(threshold=0.5)"')
    add(
        "--rounds",
        type=int,
        default=1,
        metavar="N",
        help="search again for missing words of the question, at most N rounds (1)",
    )
    add("--model", action="store_true", help="let the language model set in the environment answer")
    add("--prompt", action="store_true", help="print the prompt without calling a model")
    add(
        "--ready",
        default="",
        choices=READY,
        metavar="NAME",
        help=f"a ready prompt that tells the model what the search did: {', '.join(READY)}",
    )
    add = command(run, "write a TREC run")
    add("--output", required=True, metavar="FILE", help="file for the run (- for the standard output)")
    add = command(evaluate, "measure searches")
    add("--run", action="append", default=[], metavar="FILE", help="a TREC run from elsewhere; may be repeated")
    add("--conversations", action="store_true", help="evaluate conversations turn by turn")
    add("--shown", type=int, default=3, metavar="N", help="passages of each earlier turn that count as shown (3)")
    add("--measures", default="nDCG@10 RR@10 R@10 AP", help='ir-measures names ("nDCG@10 RR@10 R@10 AP")')
    text = "name of the search or run that the others are compared with (the first); --at-least does not apply to it"
    add("--baseline", metavar="NAME", help=text)
    add("--against", metavar="FILE", help="an earlier TREC run: list the questions lost and won since (see run)")
    text = 'exit with status 1 if a mean falls by more ("-0.01": any measure; "nDCG@10=-0.01"); may be repeated'
    add("--fail-below", action="append", default=[], metavar="[MEASURE=]DIFFERENCE", help=text)
    text = "exit with status 1 if a question falls by more in the first measure (-0.5)"
    add("--fail-query-below", metavar="DIFFERENCE", help=text)
    text = "exit with status 1 if a measure is significantly worse (both tests, Holm-corrected)"
    add("--fail-significant", action="store_true", help=text)
    text = "a report with --against: markdown or junit, printed or written into FILE; may be repeated"
    add("--format", action="append", default=[], metavar="FORMAT[=FILE]", help=text)
    add = command(ablate, "evaluate a search without each of its parts", corpus="devices")
    add("--measure", default="nDCG@10", help="an ir-measures name (nDCG@10)")
    add = command(sweep, "evaluate many values of a parameter", corpus="devices")
    add("--measure", default="nDCG@10", help="an ir-measures name (nDCG@10)")
    text = "a parameter by its path, with or without values (fuse.weights, refine.1.k=5,10,20); once or twice"
    add("--knob", action="append", default=[], metavar="PATH[=VALUES]", help=text)
    add("--seed", type=int, default=0, help="seed of the random split (0)")
    subparser = commands.add_parser(
        "index", formatter_class=plain, help="write a corpus into an engine", description=index.__doc__, epilog=PLUGINS
    )
    subparser.set_defaults(command=index)
    add = subparser.add_argument
    add("--corpus", "--data", metavar="CORPUS", required=True, help="a folder in the BEIR layout, or a .jsonl file")
    add("--engine", choices=ENGINES, default=ENGINES[0], help="the engine (milvus)")
    add("--name", default="", help="name of the collection (the folder's name)")
    add("--bm25", default="BM25()", metavar="SEARCH", help='the BM25 whose weights are stored: "BM25(k1=0.9)", or none')
    text = "the vectors that are stored: \"MilvusVector(kind='IVF_FLAT')\", or none"
    add("--vectors", default="MilvusVector()", metavar="SEARCH", help=text)
    add("--replace", action="store_true", help="delete the collection that has this name")
    add("--json", action="store_true", help="print JSON")
    subparser = commands.add_parser(
        "judgments", formatter_class=plain, help="write judgments for another tool", description=judgments.__doc__
    )
    subparser.set_defaults(command=judgments)
    add = subparser.add_argument
    text = "a sample corpus by name, a folder in the BEIR layout, a file, or ir_datasets:NAME"
    add("--corpus", "--data", metavar="CORPUS", required=True, help=text)
    add("--from", dest="source", metavar="FILE", help="judgments to use in place of those of the corpus")
    add("--format", required=True, choices=JUDGMENT_FORMATS, metavar="FORMAT", help=", ".join(JUDGMENT_FORMATS))
    add("--output", default="-", metavar="FILE", help="file for the judgments (- for the standard output)")
    add("--all", action="store_true", help="questions without judgments, too")
    subparser = commands.add_parser(
        "techniques",
        formatter_class=plain,
        help="list techniques and their parameters",
        description=techniques.__doc__,
        epilog=PLUGINS,
    )
    subparser.set_defaults(command=techniques)
    subparser.add_argument("names", nargs="*", metavar="NAME", help="a technique, such as BM25 or mmr")
    subparser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _one_search(options: argparse.Namespace, default: str = "") -> tuple[str, Searcher]:
    """Returns the single search of the options, with its name.  Raises `ParameterError` for none or several."""
    options.searches = options.searches or ([(_from_expression, default)] if default else [])
    if len(options.searches) != 1:
        message = Said("Searches given: {n}; exactly one is required.", n=len(options.searches))
        raise ParameterError(message, Said("Give --pipeline or --retriever exactly once."))
    return next(iter(_searches(options).items()))


def _some_searches(options: argparse.Namespace) -> dict[str, Searcher]:
    """Returns the searches of the options.  Raises `ParameterError` if there is none."""
    if not options.searches:
        raise ParameterError(Said("No search is given."), Said("Give --pipeline or --retriever at least once."))
    return _searches(options)


def _searches(options: argparse.Namespace) -> dict[str, Searcher]:
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
                if load is _from_expression
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
    decoded = decode(Path(value[1:]).read_bytes())
    if decoded is None:
        raise ParameterError(Said("“{file}” is not a text file.", file=value[1:]), Said("Give a text file."))
    return name, decoded.text.splitlines()


def _filtered(searches: Mapping[str, Searcher], condition: str) -> dict[str, Searcher]:
    """Appends a filter to every search that keeps the passages that fit a condition."""
    from lab.refine.where import Where

    stage = Where(condition)
    return {f"{name}, where {stage.condition}": searcher >> stage for name, searcher in searches.items()}


def _check_fields(condition: str, corpus: Corpus) -> None:
    """Raises `ParameterError` if a condition names a field that no document of the corpus has."""
    from lab.corpus.fields import field_name
    from lab.corpus.statistics import fields_of
    from lab.refine.conditions import comparisons, parse

    if not condition.strip():
        return
    known = [field.name for field in fields_of(corpus)]
    for test in comparisons(parse(condition)):
        if field_name(corpus, test.field) not in known:
            missing = Said("No document of {corpus} has a field “{field}”.", corpus=corpus.name, field=test.field)
            raise ParameterError(missing, Said("Its fields: {names}.", names=", ".join(sorted(known)) or "–"))


def _say_tested(ranking: Ranking) -> None:
    """Reports how many passages each comparison of --where has removed, and how ambiguous dates were read."""
    from lab.refine.where import Checked

    for step in ranking.lineage():
        if not isinstance(tested := step.evidence, Checked):
            continue
        say(f"{len(step.dropped)} of {len(step.dropped) + len(step.hits)} passages removed by --where")
        if len(tested.comparisons) > 1:
            for i, test in enumerate(tested.comparisons):
                say(f"  {test}: fails for {tested.failed(i)}, undecided for {tested.undecided(i)}")
        for remark in tested.remarks:
            say(remark)


def _say_given(ranking: Ranking) -> None:
    """Reports what was left out of a given list or of an external retriever's, or why it is empty."""
    from lab.retrieve.external import Answered
    from lab.retrieve.given import Supplied

    for step in ranking.lineage():
        if isinstance(supplied := step.evidence, Supplied | Answered) and (
            note := supplied.note if supplied.used else supplied.reason
        ):
            say(note)


def _build_part(text: str, kind: type[O]) -> O:
    """Builds a part of an answer from an expression."""
    from lab import formats

    part = formats.build(text)
    if not isinstance(part, kind):
        message = Said("“{text}” is not a {kind}.", text=text[:80], kind=kind.__name__)
        raise ParameterError(message, Said("“retrieval-lab techniques” lists them."))
    return part


def _models(*searches: Searcher) -> dict[str, Any]:
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


def _from_expression(text: str) -> tuple[str, Searcher]:
    """Reads a retriever by its name, or an expression."""
    from lab import catalog, formats

    searcher = formats.parse(text) if "(" in text else catalog.from_text(catalog.retrievers, text)
    return _written(searcher), searcher


def _from_file_or_preset(text: str) -> tuple[str, Searcher]:
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


def _collection(name: str, *, engine: str | None = None, **options: Any) -> Collection:
    """Loads a sample corpus by its name, a collection of ir_datasets by its own, or a folder or file.

    With an ``engine``, loads its collection of this name, or the one filled from this folder, with its questions.
    """
    from lab.corpus import beir, datasets, samples

    if engine or name.startswith("milvus:"):
        from lab.engine import open_corpus

        name = name.removeprefix("milvus:")

        folder = Path(name).expanduser()
        if folder.is_dir():
            return open_corpus(folder.resolve().name, folder=folder, queries=options.get("queries", "queries.jsonl"))
        return open_corpus(name)

    if name.startswith(datasets.PREFIX):
        dataset_name = name.removeprefix(datasets.PREFIX)
        if options.get("queries", "queries.jsonl") != "queries.jsonl":
            message = Said("The questions of {name} are its own.", name=dataset_name)
            raise ParameterError(message, Said("Leave out --queries."))
        return _told_of(datasets.load(dataset_name, progress=bar(dataset_name)))
    sample = name in samples.every_name()
    if not sample and not Path(name).expanduser().exists():
        known = Said("Sample corpora are: {names}.", names=", ".join(samples.every_name()) or "none")
        raise CorpusError(Said("There is no sample corpus, folder or file “{name}”.", name=name), known)
    return _told_of(beir.load(samples.folder(name) if sample else name, **options))


def _other_corpora(searcher: Searcher, places: Sequence[str]) -> dict[str, Corpus]:
    """Returns the corpora for routes, by name: those given with --other, and the samples that the search names."""
    from lab import formats
    from lab.corpus import samples

    corpora = {corpus.name: corpus for corpus in (_collection(place).corpus for place in places)}
    sample_names = [
        name for name in formats.collections([searcher]) if name in samples.every_name() and name not in corpora
    ]
    return corpora | {name: samples.load(name).corpus for name in sample_names}


def _told_of(collection: Collection) -> Collection:
    """Reports the problems of a collection, and returns it."""
    for problem in collection.problems:
        say(problem)
    return collection


def _questions(options: argparse.Namespace, *, judged: bool = False) -> tuple[Collection, tuple[Query, ...]]:
    """Returns the collection and its questions; only judged ones if ``judged``, or if --limit picks some of them."""
    if options.limit is not None:
        at_least("limit", options.limit, 1)
    collection = _collection(options.corpus, queries=options.queries, engine=options.engine)
    if not collection.queries:
        remedy = Said("Give a folder with queries.jsonl.")
        raise CorpusError(Said("{name} has no queries.", name=options.corpus), remedy)
    if judged and not collection.judged:
        remedy = Said("Add qrels/test.tsv, or choose another collection.")
        raise CorpusError(Said("{name} has no judgments.", name=collection.name), remedy)
    say_unknown(collection)
    _check_fields(options.where, collection.corpus)
    some = judged or (options.limit is not None and collection.judged)
    return collection, (collection.judged if some else collection.queries)[: options.limit]


def _floors(options: argparse.Namespace) -> dict[str, float]:
    """Returns the required minimum of each measure."""
    from lab.evaluate.measures import measure
    from lab.text.quantities.numbers import read_decimal

    floors = dict[str, float]()
    for text in options.at_least:
        name, _, value = text.rpartition("=")
        floor = read_decimal(value.strip())
        if floor is None:
            message = Said("“{text}” is not a minimum.", text=text)
            raise ParameterError(message, Said("Write it as measure=value, for instance nDCG@10=0.75."))
        floors[name.strip()] = floor
        measure(name.strip())
    return floors


def _floor(options: argparse.Namespace) -> dict[str, float]:
    """Returns the required minimum of --measure.  Raises `ParameterError` if another measure has one."""
    from lab.evaluate.measures import measure

    measure(options.measure)
    floors = _floors(options)
    if floors.keys() - {options.measure}:
        message = Said(
            "The minimum is for {floor}, but {measure} was measured.", floor=min(floors), measure=options.measure
        )
        raise ParameterError(message, Said("Name the same measure."))
    return floors


def _missed(floors: Mapping[str, float], reached: Mapping[str, Mapping[str, float]]) -> int:
    """Reports every value below its floor; returns exit status 1 if there is one, else 0."""
    low = [text for by_measure in _too_low(floors, reached).values() for text in by_measure.values()]
    for text in low:
        say(text)
    return int(bool(low))


def _too_low(floors: Mapping[str, float], reached: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, str]]:
    """Returns by search and measure a sentence on every value below its floor."""
    return {
        name: {
            m: f"{name}: {m} is {values[m]:.4f}, below {floor:g}" for m, floor in floors.items() if values[m] < floor
        }
        for name, values in reached.items()
    }


# ------------------------------------------------------------------------------------------------ output
