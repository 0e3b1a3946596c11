"""The commands that measure: runs, evaluations, judgments, ablations, sweeps, growing corpora.

``--help`` prints their docstrings.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lab.algebra import Models, Query, Searcher, at_least
from lab.cli.printing import (
    Figures,
    bar,
    head,
    print_ablation,
    print_evaluation,
    print_growth,
    print_sweep,
    print_table,
    say,
    say_problems,
    say_unknown,
    show,
)
from lab.cli.searches import (
    all_searches,
    asked_questions,
    models_for,
    one_search,
    open_collection,
    read_floor,
    read_floors,
    say_missed,
    some_searches,
    too_low,
)
from lab.errors import CorpusError, ParameterError
from lab.words import Said

if TYPE_CHECKING:
    from lab.corpus.beir import Collection
    from lab.corpus.conversations import Conversation
    from lab.evaluate.experiments import System
    from lab.evaluate.refusing import Refusals
    from lab.evaluate.regression import Limits, Regression
    from lab.evaluate.runs import Run
    from lab.evaluate.sweeping import Axis, Point

_APART = ", branches apart"


def run(options: argparse.Namespace) -> None:
    """Searches every question of a corpus and writes a TREC run."""
    from lab.evaluate import runs, trec

    name, searcher = one_search(options)
    collection, questions = asked_questions(options)
    start = time.perf_counter()
    result = runs.run_many(
        {name: searcher}, collection.corpus, questions, k=options.k, models=models_for(searcher), progress=bar(name)
    )[name]
    say_problems(result)
    trec.write_trec(result, sys.stdout if options.output == "-" else options.output)
    lines = sum(map(len, result.results.values()))
    seconds = time.perf_counter() - start
    sys.stderr.write(f"{name}: {len(result)} queries, {lines} lines, {seconds:.1f} s, {options.output}\n")


def _say_savings(searches: Mapping[str, Any], collection: Collection, models: Models) -> None:
    """Says what each selective search saves on all judged questions, and what that costs."""
    from lab.explain.saving import saving
    from lab.retrieve.selective import Selective

    for name, search in searches.items():
        if isinstance(search, Selective) and (result := saving(search, collection, models=models)):
            for sentence in result.sentences:
                say(f"{name}: {sentence}")


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
    from lab.evaluate.refusing import REFUSED
    from lab.evaluate.regression import Regression, comparable
    from lab.evaluate.runs import prepare

    floors, limits = read_floors(options), _limits(options)
    _report_file(options)
    measured_floors = [name for name in floors if name != REFUSED]
    measures = tuple(dict.fromkeys([*measures_in(options.measures), *measured_floors, *limits.means]))
    searches, baseline, earlier = _evaluated(options)
    how = _how(options, searches)
    talk = _talk(options) if options.conversations else None
    collection, questions = (talk.collection, talk.collection.judged) if talk else asked_questions(options, judged=True)
    notes: tuple[str, ...] = ()
    if earlier:
        collection, questions, notes = comparable(earlier, collection, questions)
    searchers = {name: search for name, search in searches.items() if isinstance(search, Searcher)}
    runner = Runner(collection.corpus, models=how["models"], explain=False)
    ready = prepare(searchers, runner, questions[0], options.k)
    systems = _run_conversations(talk, searches, options.shown, how) if talk else searches
    experiment = experiments.evaluate(systems, collection, measures, baseline=baseline, limit=len(questions), **how)
    report = Regression(experiment, limits) if earlier else None
    for note in (notes := (*notes, *experiment.notes, *(report.notes if report else ()))):
        say(note)
    figures = {**head(collection, questions), **experiment.to_dict(), "baseline": baseline, "notes": list(notes)}
    for row in figures["searches"]:
        row["ready_seconds"] = ready.get(row["name"])
        if options.answers:
            from lab.answer.answered import answered_shares

            row["answered"] = answered_shares(experiment.runs[row["name"]], experiment.collection, experiment.queries)
    if talk:
        figures |= {"conversations": len(talk.groupings[""]), "shown": options.shown, "measure": measures[0]}
        for row in figures["searches"]:
            row["depths"] = talk.depths(row["name"], experiment.scores[row["name"]], measures[0])
    _say_savings(searches, collection, how["models"])
    chosen = options.baseline or options.against
    reached = {name: dict(experiment.scores[name].means) for name in systems if not chosen or name != baseline}
    for name in reached if REFUSED in floors else ():
        reached[name][REFUSED] = refused_share(name, experiment.refusals(name))
    nothing = [name for name in systems if experiment.measured_nothing(name)]
    for name in nothing:
        say(Said("Nothing was measured for {name}: none of its results is judged.", name=name))
    if report is None:
        show(options, [Figures(figures, experiment.table, experiment.per_query)], print_evaluation)
        return say_missed(floors, reached) or int(bool(nothing))
    figures |= report.to_dict()
    if not _write_report(options, report, notes, too_low(floors, reached)):
        show(options, [Figures(figures, experiment.table, experiment.per_query)], print_evaluation)
        if not options.csv and not options.json:
            from lab.cli.reports import print_changes

            print_changes(report)
    for failure in report.failures:
        say(failure)
    return say_missed(floors, reached) or int(bool(report.failures or nothing))


def refused_share(name: str, refusals: Refusals | None) -> float:
    """Returns the share that a search refuses.  Raises `ParameterError` if it has searched no such question."""
    from lab.evaluate.refusing import REFUSED

    if refusals is None:
        message = Said("{name} has searched no question without an answer.", name=name)
        remedy = Said("Judge questions with grade 0 only, or leave out {measure}.", measure=REFUSED)
        raise ParameterError(message, remedy)
    return refusals.share


def _evaluated(options: argparse.Namespace) -> tuple[dict[str, System], str | None, Run | None]:
    """Returns what is evaluated by name, the name of the baseline, and the run of --against, which then is first."""
    from lab import catalog
    from lab.evaluate import experiments, trec
    from lab.reading.names import Names

    searches = all_searches(options)
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


def _report_file(options: argparse.Namespace) -> str:
    """Returns the file that the report is written into; empty for the standard output."""
    name, _, file = options.format.partition("=")
    if name and name != "markdown":
        unknown = Said("There is no format “{name}”.", name=name)
        raise ParameterError(unknown, Said("Valid names: {names}.", names=["markdown"]))
    if name and not file and (options.json or options.csv):
        several = Said("Only one of the formats can be printed.")
        raise ParameterError(several, Said("Write the other into a file: --format markdown=report.md."))
    return str(file)


def _write_report(
    options: argparse.Namespace, report: Regression, notes: Sequence[str], missed: Mapping[str, Mapping[str, str]]
) -> bool:
    """Writes the report that --format asks for into its file, or prints it; returns whether it was printed."""
    from lab.cli.reports import markdown

    text, file = markdown(report, notes, missed), _report_file(options)
    if options.format and file:
        Path(file).write_text(text, encoding="utf-8", newline="\n")
    elif options.format:
        print(text, end="")
    return bool(options.format) and not file


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
    collection = open_collection(options.corpus, queries=options.queries)
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


def _run_conversations(talk: _Talk, searches: Mapping[str, Any], shown: int, how: dict[str, Any]) -> dict[str, Any]:
    """Runs the searches on every grouping; returns the runs by name, and runs from elsewhere unchanged."""
    from lab.evaluate.conversations import run_many

    searchers = {name: search for name, search in searches.items() if isinstance(search, Searcher)}
    corpus = talk.collection.corpus
    runs = {end: run_many(searchers, corpus, talks, shown=shown, **how) for end, talks in talk.groupings.items()}
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

    collection = open_collection(options.corpus)
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


def _how(options: argparse.Namespace, searches: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the depth, the models and the progress bar of a measurement of these searches."""
    models = models_for(*(s for s in searches.values() if isinstance(s, Searcher)))
    return {"k": options.k, "models": models, "progress": bar(", ".join(searches))}


def ablate(options: argparse.Namespace) -> int:
    """Evaluates a search as a whole, without each of its parts, and with each part alone."""
    floors, searches = read_floor(options), some_searches(options)
    collection, questions = asked_questions(options, judged=True)
    figures = [_ablated(options, name, searcher, collection, questions) for name, searcher in searches.items()]
    show(options, figures, print_ablation)
    return say_missed(floors, {f.found["search"]: {options.measure: f.found["value"]} for f in figures})


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
        **_how(options, {name: searcher}),
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
    from lab.evaluate.refusing import REFUSED

    floors, searches = read_floor(options, REFUSED), some_searches(options)
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
    collection, questions = asked_questions(options, judged=True)
    swept = [_swept(options, name, searches[name], axes[name], collection, questions) for name in searches]
    show(options, [figures for figures, _ in swept], print_sweep)
    if any(len(figures.found["settings"]) == 1 for figures, _ in swept):
        say(Said("Nothing was compared: only one value could be tried. Name others with --knob."))
        return 1
    if any(not any(row["judged"] for row in figures.found["settings"]) for figures, _ in swept):
        say(Said("Nothing was measured: no result of any setting is judged."))
        return 1
    reached = dict[str, dict[str, float]]()
    for figures, now in swept:
        name = figures.found["search"]
        reached[name] = {options.measure: now.scores.means[options.measure]}
        if REFUSED in floors:
            reached[name][REFUSED] = refused_share(name, now.refusals)
    return say_missed(floors, reached)


def _swept(
    options: argparse.Namespace,
    name: str,
    searcher: Searcher,
    axes: Sequence[Axis],
    collection: Collection,
    questions: Sequence[Query],
) -> tuple[Figures, Point]:
    """Returns the figures of a sweep, and the current setting."""
    import pandas as pd

    from lab.evaluate import sweeping

    swept = sweeping.sweep(
        searcher, collection, axes, limit=options.limit, measure=options.measure, **_how(options, {name: searcher})
    )
    figures = {**head(collection, questions), "search": name, **swept.to_dict(options.seed)}

    def table() -> Any:
        paths = [a.path for a in axes]
        rows = [(*p.values, swept.mean(p), *(swept.bounds(p) or (None, None)), p.best, p.ms) for p in swept.points]
        return pd.DataFrame(rows, columns=[*paths, options.measure, "low", "high", "best order", "ms median"])

    def each() -> Any:
        values_by_setting = ((p.values, p.scores.per_query[options.measure]) for p in swept.points)
        rows = [(*values, q, value) for values, by_question in values_by_setting for q, value in by_question.items()]
        return pd.DataFrame(rows, columns=[*(a.path for a in axes), "qid", options.measure])

    return Figures(figures, table, each), swept.now


def grow(options: argparse.Namespace) -> None:
    """Evaluates searches on a corpus to which more and more passages of others are added.

    The first size is the corpus alone; the others follow by equal factors up to all passages, or are named by --sizes.
    Orders of searches that flip are named. Added passages are not judged and count as not relevant.
    """
    import pandas as pd

    from lab.corpus import samples
    from lab.evaluate import growing
    from lab.evaluate.measures import measure

    measure(options.measure)
    searches = some_searches(options)
    collection, questions = asked_questions(options, judged=True)
    names = options.add or [name for name in samples.names() if name != collection.name]
    others = [open_collection(name).corpus for name in names]
    corpora = growing.growing(collection, others, sentences=options.sentences, seed=options.seed)
    steps = growing.grow(
        searches,
        corpora,
        corpora.sizes(options.sizes),
        [options.measure],
        limit=options.limit,
        **_how(options, searches),
    )
    growth = growing.Growth(tuple(steps), options.measure, corpora.copies)
    figures = {**head(collection, questions), "added": [corpus.name for corpus in others], **growth.to_dict()}

    def each() -> Any:
        return pd.concat([step.experiment.per_query().assign(passages=step.size) for step in growth.steps])

    show(options, [Figures(figures, lambda: pd.DataFrame(growth.rows), each)], print_growth)
