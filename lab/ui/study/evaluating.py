"""Several searches over all judged questions, on a page: chosen, run (and stopped), compared, down to one question."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from lab import catalog, formats
from lab.algebra import Corpus, Hit, Operator, Progress, Query, Ranking, Searcher
from lab.corpus.beir import Collection
from lab.corpus.statistics import WIDE, word_spread
from lab.errors import LabError
from lab.evaluate.ceiling import CANDIDATES, DEPTHS
from lab.evaluate.conversations import run_many as hold
from lab.evaluate.experiments import Experiment, System, of_runs, with_unanswered
from lab.evaluate.judging import queries_text, unjudged
from lab.evaluate.measures import MEASURES, check_subtopics, measures_in
from lab.evaluate.refusing import SHOWN
from lab.evaluate.runs import Run, answered
from lab.evaluate.significance import SAME, Difference, decide, describe_difference, holm, told_p
from lab.evaluate.trec import read_trec, trec_text
from lab.explain.notes import asks_model, notes
from lab.presets import presets
from lab.reading.names import Names
from lab.retrieve.explaining import word_marker
from lab.retrieve.lexical import BM25
from lab.retrieve.likelihood import QueryLikelihood
from lab.text import Analyzer, cut
from lab.ui import address, components, escape, navigation, palette
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, _n, both, labelled, listed, say
from lab.ui.layout import export, frame, questions, tables
from lab.ui.layout.page import Page
from lab.ui.lists import gloss, grading, show, sources, trust
from lab.ui.models import costing, downloads, writing
from lab.ui.study import measuring, trying
from lab.ui.work import once, work

MANY = 300
"""Number of questions at first; a visitor may ask more."""
DEPTH = 100
"""The depth of a run."""
UPLOADED = "runs"
"""The name of the store of a visitor's own runs."""
_ANSWERED = "_evaluate.answered"
FIRST = ("bm25", "hybrid", "best")
"""The searches that are compared until the visitor chooses."""


@dataclass(frozen=True)
class Elsewhere(Operator):
    """The origin of an uploaded run."""

    called: str = ""

    @property
    def label(self) -> str:
        return self.called


# ----------------------------------------------------------------------------------------------- what is compared


def offered(p: Page) -> dict[str, tuple[str, System]]:
    """Returns everything that can be evaluated, by its key: a name for people, and the search or the run."""
    lists = {key: s for key, s in sources.known(p.frame).items() if not sources.lacking(s.retriever)}
    systems: dict[str, tuple[str, System]] = {key: (s.name, s.retriever) for key, s in lists.items()}
    if not p.frame.corpus.elsewhere:  # presets search all texts
        systems |= {name: (both(preset.label), preset.search) for name, preset in presets().items()}
    links = [str(st.session_state.get(key, "")) for key in export.SIDE_BY_SIDE]
    linked = address.lines(str(st.query_params.get(p.key("searches"), "")))
    for text in [*links, *st.session_state.get(p.key("searches"), []), *linked]:
        if text and text not in systems:
            try:
                search = formats.read(text)
            except LabError:
                continue
            letter = f"{chr(ord('A') + links.index(text))} · " if text in links else ""
            systems[text] = (letter + cut(str(getattr(search, "name", "")) or say(search.label), 60), search)
    return systems | {f"run {name}": (name, run) for name, run in _uploaded().items()}


def _uploaded() -> dict[str, Run]:
    return frame.visitor().store(UPLOADED)


def tabs(c: Collection) -> dict[str, str]:
    """Returns the views that have judgments: questions, or turns of conversations."""
    questions = (
        {"compare": _("Compare searches"), "sweep": _("Parameter sweep"), "threshold": _("Threshold")}
        if c.judged
        else {}
    )
    if questions and not c.corpus.elsewhere:
        questions["grow"] = _("Growing corpus")
    return {**questions, **({"talk": _("Conversations")} if c.spoken.judged else {})}


def choose(p: Page) -> dict[str, System]:
    """Draws the choice of searches and runs, and returns them by their names."""
    known, lists = offered(p), sources.known(p.frame)
    texts = [query.text for query in p.frame.collection.judged[:MANY]]
    row = st.columns([5, 1.4, 1.6] if sources.asks_in_chinese(texts) else [5, 1.4], vertical_alignment="bottom")
    with row[1], st.popover(_("Add"), icon=":material/add:", width="stretch"):
        _adding(p)
    key = p.key("searches")
    first = [name for name in FIRST if name in known] if FIRST[-1] in known else list(known)[:2]
    address.keep(key, first, address.several(list(known)))
    help = "\n\n".join(f"**{both(preset.label)}**: {both(preset.title)}" for preset in presets().values())
    with row[0]:
        chosen = st.multiselect(
            _("Searches"), list(known), key=key, format_func=lambda x: known[x][0], placeholder=_("Choose …"), help=help
        )
    names = Names(pattern="{} ({})")
    own = [x for x in chosen if x in lists]  # presets and searches written as text have terms of their own
    with row[-1]:
        searches = dict(zip(own, sources.with_terms(p, [known[x][1] for x in own], texts), strict=True))
    return {names.fresh(known[x][0]): searches.get(x, known[x][1]) for x in chosen}


def warn(p: Page, searches: Mapping[str, object]) -> None:
    """Shows which steps of these searches have no model, and which prompts lack a value."""
    told = dict.fromkeys(note for search in searches.values() for note in notes(search, p.models))
    for note in told:
        st.caption(f":material/smart_toy: {escape.plain(say(note))}")


def lengths_note(corpus: Corpus) -> str:
    """Returns the sentence on the lengths of the passages if they spread widely, else an empty text."""
    spread = word_spread(corpus)
    text = _(
        "The longest tenth of the passages has {n}× the words of the median one: BM25's b decides how much that "
        "counts.",
        n=f"{spread:.1f}",
    )
    return text if spread >= WIDE else ""


def propose(p: Page, systems: Mapping[str, System]) -> None:
    """Offers a low b and query likelihood if the lengths of the passages spread widely."""
    links = {formats.to_link(search): search for search in (BM25(b=0.25), QueryLikelihood())}
    missing = [link for link, search in links.items() if search not in systems.values()]
    note = lengths_note(p.frame.corpus) if missing else ""
    if not note or not any(isinstance(part, BM25) for x in systems.values() for part in catalog.inside(x)):
        return
    row, key = st.container(horizontal=True, vertical_alignment="center"), p.key("searches")
    row.caption(note)
    chosen = [*st.session_state.get(key, FIRST), *missing]
    row.button(
        _("Add b 0.25 and query likelihood"),
        key=p.key("propose"),
        icon=":material/add:",
        on_click=address.put,
        args=(key, chosen),
    )


def _adding(p: Page) -> None:
    """Adds a search from a text or a file, or a run of another system."""
    key = p.key("searches")
    st.caption(
        _(
            "Pipelines of the page “{page}” appear here. Add others as text or as a file:",
            page=navigation.title("pipeline"),
        )
    )
    text = st.text_area(
        _("Pipeline as text"),
        key=p.key("text"),
        placeholder="RRF()(BM25(), Vector())",
        height=110,
        max_chars=formats.LARGEST,
        label_visibility="collapsed",
    )
    if text.strip():
        with escape.problems():
            link = formats.to_link(formats.read(text))
            now = list(st.session_state.get(key, FIRST))
            st.button(
                _("Compare with"),
                key=p.key("use"),
                icon=":material/check:",
                type="primary",
                on_click=address.put,
                args=(key, [*now, *([] if link in now else [link])]),
            )
    label = _("Runs of other systems (TREC: query Q0 document rank score tag)")
    for file in st.file_uploader(label, accept_multiple_files=True, key=p.key("runs")):
        with escape.problems():
            name = file.name
            run = read_trec(io.TextIOWrapper(io.BytesIO(file.getvalue()), "utf-8-sig"), name=name)
            _uploaded()[name] = run
            now = list(st.session_state.get(key, FIRST))
            if f"run {name}" not in now:
                st.button(
                    _("Compare with {name}", name=plain(name, 40)),
                    key=p.key(f"use.{name}"),
                    on_click=address.put,
                    args=(key, [*now, f"run {name}"]),
                )


def colours(systems: Mapping[str, System]) -> list[str]:
    """Returns the colour of each search by its technique; runs have one of their own."""
    return palette.families([s if isinstance(s, Searcher) else Elsewhere() for s in systems.values()])


def measures(p: Page, c: Collection) -> tuple[str, ...] | None:
    """Returns the chosen measures; None, with an error on the page, if one cannot be computed for the questions."""
    key = address.keep(p.key("measures"), " ".join(MEASURES), address.text(200))
    help_text = _("Names of ir-measures, separated by spaces: nDCG@10, RR@10, R@100, P@5, AP, Success@1, AP(rel=2).")
    more = [_("ERR@10 and RBP(p=0.8,rel=1): a reader who stops when satisfied.")]
    if c.subtopics:
        more.append(_("With subtopics: alpha_nDCG@10, ERR_IA@10, StRecall@10."))
    help_text += "\n\n" + listed(more, " ")
    text = st.text_input(_("Measures"), key=key, help=help_text, max_chars=200)
    with escape.problems():
        names = measures_in(text)
        check_subtopics(names, [q.id for q in c.judged], c.subtopics)
        return names
    return None


def pictured(p: Page, names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return p.choose("measure", _("Measure in the charts"), names, names[0])


def baseline(p: Page, names: Sequence[str]) -> str:
    """Returns the search that the others are compared with."""
    return one_of(p, "baseline", _("Baseline"), names, _("The other searches are compared with this one."))


def one_of(p: Page, name: str, label: str, names: Sequence[str], help: str = "") -> str:
    """Draws the choice of one of several searches; the first if the chosen one is not among them any more."""
    key = p.key(name)
    by_label = {label: both(x.label) for x in presets().values() for label in x.label.values()}
    address.keep(key, names[0], address.choice([*names, *by_label]))
    if (name := st.session_state[key]) not in names:
        address.put(key, next((x for x in names if x == by_label.get(name)), names[0]))
    return str(st.selectbox(label, list(names), key=key, help=help or None))


# -------------------------------------------------------------------------------------------------------- running


def experiment(
    p: Page,
    systems: Mapping[str, System],
    measure_names: Sequence[str],
    first: str,
    queries: Sequence[Query],
    turns_shown: int | None = None,
) -> Experiment | None:
    """Returns the figures so far: of all questions, or of those searched before the visitor stopped.

    With ``turns_shown``, ``queries`` are the judged turns of the conversations: see `lab.evaluate.conversations`.
    Results are cached, question by question, until the corpus or the judgments change.
    """
    whole = p.frame.collection
    c = whole if turns_shown is None else whole.spoken
    searches = {n: s for n, s in systems.items() if isinstance(s, Searcher)}
    if not ready(p, searches.values()):
        return None
    writing.hold(p, searches.values())
    if turns_shown is None:
        study = measuring.Study(p, "all", searches, c.corpus, with_unanswered(c, queries), k=DEPTH)
    else:
        spoken = whole.conversations

        def talk(searchers: Mapping[str, Searcher], corpus: Corpus, _turns: Sequence[Query], **how: Any) -> object:
            return hold(searchers, corpus, spoken, shown=turns_shown, **how)

        study = measuring.Study(p, "all", searches, c.corpus, queries, k=DEPTH, about=(spoken, turns_shown), run=talk)
    if not _agreed(p, study, searches, queries):
        return None
    with escape.problems():
        study.go_on(_("Searching every judged question …"))
    searched = study.runs()
    runs = {name: s if isinstance(s, Run) else searched[name] for name, s in systems.items()}
    done = answered(searched, queries)
    ids = tuple(q.id for q in done)
    about = (c.fingerprint, *systems.items(), *study.keys.items(), tuple(measure_names), first, ids, len(queries))
    with escape.problems():
        make_experiment = partial(of_runs, runs, c, measure_names, done, len(queries), baseline=first, k=DEPTH)
        if study.is_shared and len(searches) == len(systems):
            return c.corpus.once(("evaluated", about), make_experiment)
        return once("evaluated", about, make_experiment)
    return None


def ready(p: Page, searches: Iterable[Searcher]) -> bool:
    """Returns whether every model is loaded; else offers the first download, which a link cannot start."""
    for search in searches:
        if model := downloads.missing_model(search):
            downloads.offer(p.key("download"), model)
            return False
    return True


def _agreed(p: Page, study: measuring.Study, searches: Mapping[str, Searcher], queries: Sequence[Query]) -> bool:
    """Returns whether no language model is asked for these searches, or the visitor has clicked; else says the cost.

    The tokens of a question are known only from earlier ones: with a few questions first, the rest can be estimated.
    """
    asking = {
        name: run
        for name, run in study.missing().items()
        if any(asks_model(part, p.models) for part in catalog.inside(searches[name]))
    }
    about, key = (tuple(study.keys[name] for name in asking), len(queries)), p.key("agree")
    if not asking or st.session_state.get(f"{key}.about") == about:
        return True
    left = {name: sum(q.id not in run.results for q in queries) for name, run in asking.items()}
    lines = [
        _("“{name}” asks the language model about each question; questions left: {n}.", name=plain(name), n=n)
        for name, n in left.items()
    ]
    measured = {name: run.per_query for name, run in asking.items() if run.usage}
    if len(measured) < len(asking):
        lines.append(_("The cost of a question is not known yet: try it with a few questions first."))
    elif measured:
        tokens = sum(left[name] * per_query[0] for name, per_query in measured.items())
        lines.append(_("Tokens at the rate so far: about {n:,}.", n=round(tokens)))
        costs = [left[name] * per_query[1] for name, per_query in measured.items() if per_query[1] is not None]
        if len(costs) == len(measured):
            lines.append(_("At your prices, about {cost}.", cost=costing.money(sum(costs))))
    trust.offer(key, about, lines, _("Ask the model"))
    return False


# ------------------------------------------------------------------------------------------------------- comparing


def overview(p: Page, e: Experiment, measure: str) -> None:
    """Draws one row per search with every measure, the notes on them, and what the questions can tell."""
    number, judged = st.column_config.NumberColumn, list(dict.fromkeys(e.cutoffs.values()))
    columns: dict[str, Any] = {"name": _("Search")} | {m: number(m, format="%.4f") for m in e.measures}
    text = _("The share of these results that are judged.")
    columns |= {j: number(_("Judged@{k}", k=j.rpartition("@")[2]), format="%.2f", help=text) for j in judged}
    text = _("The measure with unjudged results left out instead of counted as not relevant.")
    columns["only"] = number(_("{measure} of judged", measure=measure), format="%.4f", help=text)
    refusals = {name: refused for name in e.runs if (refused := e.refusals(name))}
    if refusals:
        text = _("Share of the questions without an answer whose list is empty. No other column counts them.")
        columns["refused"] = number(_("refused"), format="percent", help=text)
        text = _(
            "Mean number of results in the first {k} for questions without an answer: all of them mislead.", k=SHOWN
        )
        columns["harmful"] = number(_("harmful@{k}", k=SHOWN), format="%.2f", help=text)
    answered = _answer(p, e) if refusals else {}
    if answered:
        text = _("Share of the questions without an answer that sentences of these results seem to answer.")
        columns["without"] = number(_("answered without reason"), format="percent", help=text)
        text = _("Share of the questions with an answer that sentences of these results answer.")
        columns["with"] = number(_("answered"), format="percent", help=text)
    columns |= {"ms": number(_("ms, median"), format="%.2f"), "late": number(_("P95 latency, ms"), format="%.2f")}
    asking = [name for name in e.runs if e.runs[name].asked_models]
    if asking:
        text = _("Tokens of language models per question, sent and answered, as the server counts them.")
        columns["tokens"] = number(_("tokens per question"), format="%.0f", help=text)
    if any(e.runs[name].per_query[1] is not None for name in asking):
        text = _("At the prices that you typed for the language model. Empty: no prices.")
        columns["cost"] = number(_("cost per question"), format="%.6f", help=text)
    rows = []
    for name in e.runs:
        median, late = e.runs[name].ms or (None, None)
        values = {m: e.mean(name, m) for m in (*e.measures, *judged)}
        extra = {"only": e.condensed[name].means[measure], "ms": median, "late": late}
        tokens, cost = e.runs[name].per_query if e.runs[name].usage else (None, None)
        extra |= {"tokens": tokens, "cost": cost}
        extra |= {"refused": refusals[name].share, "harmful": refusals[name].shown} if name in refusals else {}
        extra |= answered.get(name, {})
        rows.append({name: x for name, x in {"name": name, **values, **extra}.items() if name in columns})
    tables.draw(_("The measures of every search"), rows, key=p.key("means"), columns=columns)
    if e.notes:
        st.warning("  \n".join(plain(say(note)) for note in e.notes), icon=":material/info:")
    _health(p, e, measure)
    text = _("{corpus}, judged questions: {n}", n=len(e.queries), corpus=plain(frame.corpus_title(e.collection.name)))
    if refusals:
        text += " · " + _("questions without an answer: {n}", n=max(r.n for r in refusals.values()))
    if any(e.mean(name, j) < 1 for name in e.runs for j in judged):
        text += " · " + _("Unjudged results count as not relevant; the columns “of judged” leave them out.")
    if grading.automatic_counted():
        text += " · " + _("Grades of models count for pairs without a grade by people.")
    st.caption(text)


def _answer(p: Page, e: Experiment) -> Mapping[str, Mapping[str, float | None]]:
    """Returns by search the shares of questions that are answered from its results, if the visitor asks for them."""
    help_text = _("Answers every question with sentences of each search's results, by rule.")
    if not p.switch("answers", _("Answer the questions, too"), help=help_text):
        return {}
    if not (known := _answered(e)):
        from lab.answer.answered import answered_shares

        def make(progress: Progress) -> dict[str, dict[str, float | None]]:
            shares = {}
            for i, (name, run) in enumerate(e.runs.items()):
                progress(i, len(e.runs))
                shares[name] = answered_shares(run, e.collection, e.queries)
            return shares

        known = work(p.key("answering"), _("Answering every question …"), make, about=id(e)) or {}
        st.session_state[_ANSWERED] = e, known
    return known


def _answered(e: Experiment) -> dict[str, dict[str, float | None]]:
    """Returns what is known of the answers from the results of this experiment."""
    of, shares = st.session_state.get(_ANSWERED, (None, {}))
    return dict(shares) if of is e else {}


def _health(p: Page, e: Experiment, measure: str) -> None:
    """Draws in a fold what the questions tell of the searches, all together and by type."""
    with p.fold("health", _("What these questions can tell"), ":material/health_and_safety:") as seen:
        if not seen:
            return
        text = _("Share of the question's words in its relevant document, mean.")
        columns = {
            "type": _("Type"),
            "questions": _("questions"),
            "top": _("all at the maximum"),
            "zero": _("all at 0"),
        }
        columns |= {"apart": _("searches differ")} if len(e.runs) > 1 else {}
        shares = {"shared": st.column_config.NumberColumn(_("words shared"), format="percent", help=text)}
        text = _("Of the search with the fewest judged results.")
        shares["judged"] = st.column_config.NumberColumn(_("judged"), format="percent", help=text)
        rows = [{**row.to_dict(), "type": row.type or _("all")} for row in e.health(measure)]
        shown = [{name: row[name] for name in (*columns, *shares)} for row in rows]
        tables.draw(_("What these questions can tell"), shown, key=p.key("health"), columns={**columns, **shares})


def remember(p: Page, e: Experiment, systems: Mapping[str, System], measure: str, place: Any) -> None:
    """Records the searches of a finished experiment in the history, which is also drawn in this place."""
    if len(e.queries) == e.asked:
        searches = [s.name if isinstance(s, Run) else s for s in systems.values()]
        trying.record(
            p.name,
            searches,
            "",
            began=p.began,
            measured=lambda: [e.mean(name, measure) for name in systems],
            judged=e.collection.fingerprint,
            measure=measure,
            questions=e.asked,
        )
    p.offer_tries()
    with place:
        trying.column(p.name)


def differences(p: Page, e: Experiment, measure: str) -> None:
    """Draws every search against the baseline in one measure: PyTerrier's columns, and sentences about them."""
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "name": _("Search"),
        "difference": number(_("Difference"), format="%+.4f"),
        "low": number(_("95% CI from"), format="%+.4f"),
        "high": number(_("to"), format="%+.4f"),
        "+": number(_("better"), help=_("Questions on which it is better.")),
        "=": number(_("equal"), help=_("Questions with equal results.")),
        "-": number(_("worse"), help=_("Questions on which it is worse.")),
        "p-value": number(_("p (t-test)"), format="%.2g", help=_("Paired t-test.")),
        "p-value corrected": number(
            _("Holm-corrected p"), format="%.2g", help=_("Holm-corrected over all comparisons of this measure.")
        ),
        "randomised": number(
            _("Holm-corrected p (randomization)"), format="%.2g", help=_("p of the randomization test, Holm-corrected.")
        ),
        "needed": number(
            _("questions needed"),
            help=_("Questions needed for 80% power, with the 5% level divided by the number of comparisons."),
        ),
    }
    every = e.pairs[measure]
    tested = {
        d.second: (d, p_value, other)
        for d, p_value, other in zip(
            every, holm([d.p for d in every]), holm([d.randomised for d in every]), strict=True
        )
        if d.first == e.baseline
    }
    figures = (
        (name, d.mean, d.low, d.high, d.better, d.equal, d.worse, d.p, p_value, other, d.needed())
        for name, (d, p_value, other) in tested.items()
    )
    rows = [dict(zip(columns, row, strict=True)) for row in figures]
    tables.draw(_("Every search against the baseline"), rows, key=p.key("differences"), columns=columns)
    left, right = st.columns([1, 1], gap="large")
    with left:
        for name, (d, p_value, other) in tested.items():
            sentences = describe_difference(d, p_value, other, [x.randomised for x in every if x is not d])
            st.markdown(labelled(f"**{plain(name)}**", plain(listed(sentences, " "))))
        key = address.keep(p.key("effect"), 0.02, address.number(0.005, 0.2, whole=False))
        with st.popover(_("Questions needed")):
            size = st.slider(_("Smallest difference to detect"), 0.005, 0.2, step=0.005, format="%.3f", key=key)
        needed = {name: d.needed(size) for name, (d, _p, _other) in tested.items()}
        counts = " · ".join(f"{plain(name)} **{n:,}**" for name, n in needed.items() if n)
        if counts:
            label = _("Questions needed to detect a difference of {size} with 80% power:", size=f"{size:.3f}")
            st.caption(listed((label, counts), " "))
    with right:
        _pareto(p, e, measure)


def _pareto(p: Page, e: Experiment, measure: str) -> None:
    """Draws the measure against time, tokens or money per question, whichever there are."""
    runs = {name: run for name, run in e.runs.items() if run.ms}
    if not runs:
        return
    titles = {"ms": _("milliseconds per question (median)")}
    if any(run.asked_models for run in runs.values()):
        titles["tokens"] = _("tokens per question")
        if all(run.per_query[1] is not None for run in runs.values()):
            titles["money"] = _("cost per question")
    chosen = "ms"
    if len(titles) > 1:
        chosen = p.choose("against", _("Measure against"), list(titles), "ms", format_func=titles.__getitem__)
    values = {
        "ms": lambda run: run.ms[0],
        "tokens": lambda run: run.per_query[0],
        "money": lambda run: run.per_query[1],
    }
    costs = {name: float(values[chosen](run)) for name, run in runs.items()}
    unit = {"ms": "ms", "tokens": _("tokens"), "money": ""}[chosen]
    charts.draw(measure_charts.pareto(e, measure, costs, titles[chosen], unit), p.key("pareto"))
    st.caption(_("The line is the Pareto front: no search is as good at less cost. Whiskers: 95% CI."))


def verdict(e: Experiment, measure: str, into: Any) -> None:
    """Draws what the questions decide, and which pairs they do not decide."""
    first, *rest = decide(e.pairs[measure])
    into.subheader(plain(say(first)), anchor=False)
    if rest:
        into.markdown(plain(listed(rest, " ")))


def two_by_two(
    p: Page, runs: Mapping[str, Run], measure: str, queries: Sequence[Query], hues: Sequence[str] = (), at: str = ""
) -> dict[str, Ranking]:
    """Draws two runs question by question, the first as the baseline; returns the two lists of the chosen question.

    They are two of many that were compared, so a test of this pair alone would say too much: none is shown.
    """
    named = {name: replace(run, name=name) for name, run in runs.items()}
    about = (p.frame.collection.fingerprint, tuple(q.id for q in queries), tuple(named.items()), measure)
    make = partial(of_runs, named, p.frame.collection, [measure], queries, len(queries), baseline=next(iter(named)))
    return one_by_one(p, once(f"{p.name}.apart", about, make), measure, hues, at=at)


def one_by_one(
    p: Page,
    e: Experiment,
    measure: str,
    hues: Sequence[str] = (),
    *,
    at: str = "",
    ask: show.Ask | None = None,
    into: Any = None,
) -> dict[str, Ranking]:
    """Draws a row of squares per pair of searches; returns the two lists of the chosen question.

    The lists have the ``hues`` of the searches, or that of pipelines.  Parameters of the choice begin with ``at`` in
    links; ``ask`` is the button in the heads of the lists.  The squares stand ``into`` a container above, below the
    verdict; without it, the pair is one of many and not tested.
    """
    every = e.pairs[measure]
    texts = {q.id: gloss.with_gloss(q.text) for q in e.queries if q.id in every[0].away}
    pair_key, key = p.key(f"{at}pair"), p.key(f"{at}question")
    address.keep(pair_key, len(e.runs) - 2, address.number(0, len(every) - 1, whole=True))
    if st.session_state[pair_key] >= len(every):
        address.put(pair_key, 0)
    d = every[int(st.session_state[pair_key])]
    differing = [q for q, x in sorted(d.away.items(), key=lambda item: -item[1]) if abs(x) > SAME]
    asked = (q.id for q in e.queries if q.id in texts and q.text == address.current_question())
    foreign = {q.id for q in e.queries if not questions.readable(q.text)}
    first = next(asked, min(differing or texts, key=foreign.__contains__))
    address.keep(key, first, address.text(200))
    if st.session_state[key] not in texts:
        address.put(key, first)

    def pick(number: int, question: str) -> None:
        address.put(pair_key, number)
        address.put(key, question)

    tested = _("A square is a question: click it. p: paired t-test, Holm-corrected over these pairs.")
    data = {
        "rows": list(map(_squares, every, holm([x.p if into else None for x in every]))),
        "texts": texts,
        "colors": {"better": palette.named("refined"), "worse": palette.named("vector")},
        "pair": every.index(d),
        "chosen": st.session_state[key],
        "hint": tested if into else _("A square is a question: click it."),
    }
    with into or st.container():
        components.squares(data, key=p.key(f"{at}squares"), picked=pick)
    options = [*differing, *(q for q in texts if q not in differing)]
    chosen = str(st.selectbox(_("Question"), options, key=key, format_func=lambda q: f"{d.away[q]:+.3f} · {texts[q]}"))
    query = next(q for q in e.queries if q.id == chosen)
    both = {n: e.runs[n] for n in (d.first, d.second)}
    for n in both:
        if (top := e.ceiling(n, measure)) and chosen in top.best:
            st.caption(plain(labelled(n, say(top.describe(chosen)))))
    relevant = {d: g for d, g in e.collection.qrels[query.id].items() if g > 0}
    mark = word_marker(query.text, Analyzer())
    panels = []
    for i, (name, run) in enumerate(both.items()):
        hits = [(e.collection.corpus.get(d), score) for d, score in run.results.get(query.id, ())]
        found_hits = tuple(Hit(d, score) for d, score in hits if d is not None)
        seconds = run.times.get(query.id, 0.0)
        ranking = Ranking(query, found_hits, Elsewhere(name), seconds=seconds, corpus=e.collection.corpus)
        empty = _("Nothing was found for this question.")
        colour = hues[[*e.runs].index(name)] if hues else palette.shade(palette.named("fused"), i)
        panels.append(show.Panel(ranking, name, colour, mark, empty=empty))
    doc = show.selected(panels, relevant, 10)
    how: dict[str, Any] = {"chosen": doc, "relevant": relevant, "question": query.text, "ask": ask}
    show.lists(p.key("two"), panels, p.frame, depth=10, **how)
    return {panel.name: panel.ranking for panel in panels}


def _squares(d: Difference, p_value: float | None) -> dict[str, Any]:
    """Returns the row of a pair: its questions in three groups, the largest difference first."""
    words = {
        "better": _("{n} better", n=d.better),
        "equal": _("{n} equal", n=d.equal),
        "worse": _("{n} worse", n=d.worse),
    }
    questions: dict[str, list[list[str]]] = {kind: [] for kind in words}
    for q, away in sorted(d.away.items(), key=lambda item: -item[1]):
        kind = "better" if away > SAME else "worse" if away < -SAME else "equal"
        questions[kind].append([q, f"{away:+.3f}"])
    groups = [[kind, words[kind], own] for kind, own in questions.items() if own]
    chance = "" if p_value is None else f"p {told_p(p_value)}"
    return {"name": say(d.pair), "mean": f"{d.mean:+.3f}", "chance": chance, "groups": groups}


def folds(p: Page, e: Experiment, measure: str) -> None:
    """Draws in folds the measure by kind of question, and all figures, runs and files."""
    if len(e.types) > 1:
        with p.fold("types", _("By kind of question"), ":material/category:") as seen:
            if seen:
                by_type(p, e, measure)
    with p.fold("files", _("All figures, runs and files"), ":material/table_rows:") as seen:
        if seen:
            files(p, e)


def by_type(p: Page, e: Experiment, measure: str) -> None:
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {"type": _("Kind of question"), "questions": _("Questions")}
    columns |= {name: number(name, format="%.3f") for name in e.runs}
    tables.draw(_("By the kind of the question"), e.by_type(measure), key=p.key("types"), columns=columns)


def ceilings(p: Page, e: Experiment, measure: str) -> None:
    """Draws the measure of every search now and in the best possible order of more and more candidates."""
    number = st.column_config.NumberColumn
    depths = [depth for depth in DEPTHS if depth <= e.k]
    columns: dict[str, Any] = {"name": _("Search"), "now": number(_("now"), format="%.3f")}
    for depth in depths:
        columns[str(depth)] = number(_("best order of {n}", n=depth), format="%.3f")
    if any(e.headroom_taken(name, measure) is not None for name in e.runs):
        text = _("Share of the baseline's headroom. Only for searches that reorder the baseline's results.")
        columns["taken"] = number(_("headroom taken"), format="percent", help=text)
    text = _("Questions without a relevant result down to rank {n}.", n=CANDIDATES)
    columns["empty"] = number(_("unwinnable"), help=text)
    text = _("Questions that another order down to rank {n} would make better.", n=CANDIDATES)
    columns["misordered"] = number(_("misordered"), help=text)
    rows = []
    for name in e.runs:
        tops = {depth: e.ceiling(name, measure, depth) for depth in {*depths, CANDIDATES}}
        if top := tops[CANDIDATES]:
            row = {"name": name, "now": top.mean_now, "taken": e.headroom_taken(name, measure)}
            row |= {str(depth): by_depth.mean for depth in depths if (by_depth := tops[depth])}
            row |= {"empty": len(top.empty), "misordered": len(top.misordered)}
            rows.append({column: value for column, value in row.items() if column in columns})
    if not rows:
        st.caption(_("{measure} has no best possible order by grade.", measure=plain(measure)))
        return
    tables.draw(_("What could a reranker still gain?"), rows, key=p.key("ceilings"), columns=columns)
    st.caption(_("No reranker exceeds the best order of its candidates."))
    if "taken" in columns:
        st.caption(_("Shares: of sums over all questions."))


def files(p: Page, e: Experiment) -> None:
    """Draws the downloads: the table, every question's figures, the runs, the questions without judgments."""
    stem = f"{e.collection.name}-evaluate"
    table = e.table()
    for kind, column in (("without", "answered without reason"), ("with", "answered")) if _answered(e) else ():
        table[column] = [_answered(e)[name][kind] for name in e.runs]
    tables.draw(_("All figures as a table"), table, key=p.key("table"), columns={})
    if len(e.runs) > 2:
        st.caption(_("In this table, p is Holm-corrected over the comparisons with the baseline only."))
    row = st.container(horizontal=True)

    def file(label: str, name: str, make: Callable[[], str], mime: str = "text/plain") -> None:
        components.download(row, label, make, f"{stem}{name}", mime, key=p.key(f"get{name}"))

    file(_("Table (CSV)"), ".csv", lambda: "\ufeff" + escape.as_csv(table), "text/csv")
    file(_("Every question (CSV)"), "-questions.csv", lambda: "\ufeff" + escape.as_csv(e.per_query()), "text/csv")
    for name, run in e.runs.items():
        tag = "-".join(name.replace("·", " ").split())
        text = partial(trec_text, Run(tag, run.results), on_blank="_")
        file(_("Run of {name} (TREC)", name=plain(name, 24)), f"-{tag}.trec", text)
    left = unjudged(e.collection)
    if left:
        file(
            _n("{n} question without judgments", "{n} questions without judgments", len(left)),
            "-unjudged.jsonl",
            lambda: queries_text(left),
        )
