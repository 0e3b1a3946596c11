"""Can a list be trusted?  Its predictors among those of the judged questions, in a fold that its head opens."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.algebra import DEPTH, Env, Progress, Ranking, Runner, Searcher
from lab.evaluate.runs import Run, run_many
from lab.explain.notes import asks_outside
from lab.explain.predicting import MEASURE, PREDICTORS, Outlook, gains_of, outlook, predictors, predictors_of_run
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import address
from lab.ui.escape import plain
from lab.ui.figures import charts, measure_charts
from lab.ui.i18n import _, listed, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.lists import show
from lab.ui.study import measuring

if TYPE_CHECKING:
    from lab.evaluate.experiments import System

MOST = 300
"""Maximum number of judged questions that are searched."""
FOLD, OF = "fold.trust", "trust"
Values = Mapping[str, float | None]


def ask(p: Page) -> show.Ask | None:
    """Returns the button in the heads of the lists, which opens the fold for its list; None if there is no fold."""
    if p.frame.corpus.elsewhere:
        return None

    def opened(name: str) -> None:
        address.put(p.key(FOLD), True)
        address.put(p.key(OF), name)

    return show.Ask(_title(), opened)


def _title() -> str:
    return _("Can this list be trusted?")


def fold(p: Page, systems: Mapping[str, System], rankings: Mapping[str, Ranking]) -> None:
    """Draws the fold for these lists; ``systems`` are the searches or runs that they are of, by the same names."""
    if p.frame.corpus.elsewhere or not rankings:
        return
    with p.fold("trust", _title(), ":material/help:") as seen:
        if not seen:
            return
        names = list(rankings)
        name = names[0]
        if len(names) > 1:
            name = p.choose(OF, _("List"), names, name)
        ranking = rankings[name]
        if not ranking.hits:
            st.caption(_("The list is empty: there is nothing to trust or distrust."))
            return
        judged = _judged(p, systems[name], name)
        if judged is None:
            return
        found = outlook(ranking.query, _values(p, ranking), *judged)
        _draw(p, found)


def _sides(p: Page) -> tuple[Searcher, Searcher]:
    """Returns the lists by words and by meaning whose overlap is counted."""
    return BM25(), Vector(embedder=p.frame.embedder)


def _values(p: Page, ranking: Ranking) -> Values:
    words, meaning = (p.runner(side, ranking.query, DEPTH).ids for side in _sides(p))
    return predictors(ranking, words, meaning, Env(explain=False, runner=p.runner))


def _judged(p: Page, system: System, name: str) -> tuple[Mapping[str, Values], Mapping[str, float]] | None:
    """Returns the predictors and the measure of every judged question; None if the visitor stopped the work."""
    c = p.frame.collection
    queries = c.judged[:MOST]
    if not queries:
        return {}, {}
    if not _agreed(p, system, name, len(queries)):
        return None
    words, meaning = _sides(p)

    def make(progress: Progress) -> tuple[Mapping[str, Values], Mapping[str, float]]:
        searches = {"words": words, "meaning": meaning}
        if isinstance(system, Searcher):
            searches["list"] = system
        runs = run_many(searches, c.corpus, queries, k=DEPTH, models=p.models_now, progress=progress)
        run = system if isinstance(system, Run) else runs["list"]
        env = Env(explain=False, runner=Runner(c.corpus, explain=False))
        values = predictors_of_run(run, runs["words"], runs["meaning"], c, queries, env)
        return values, gains_of(run, c, queries)

    results = tuple(system.results.items()) if isinstance(system, Run) else ()
    about = (c.fingerprint, system, results, meaning, p.model_labels)
    return measuring.remembered(f"{p.name}.trust.{name}", about, make)


def _agreed(p: Page, system: System, name: str, n: int) -> bool:
    """Returns whether no language model and no external retriever is asked, or the visitor has clicked."""
    asks = isinstance(system, Searcher) and asks_outside(system, p.models)
    about, key = (system, p.frame.collection.fingerprint), p.key("trust.agree")
    if not asks or st.session_state.get(f"{key}.about") == about:
        return True
    message = _("“{name}” asks a language model or an external retriever.", name=plain(name))
    offer(key, about, (message, _("Judged questions that it would be asked: {n}.", n=n)), _("Ask"))
    return False


def offer(key: str, about: Hashable, sentences: Sequence[str], label: str) -> None:
    """Draws what asking costs, and the button that agrees to it: a click keeps ``about``."""
    row = st.container(border=True, horizontal=True, vertical_alignment="center")
    row.markdown(listed(sentences, " "))
    agree = st.session_state.update
    row.button(label, key=key, icon=":material/smart_toy:", on_click=agree, args=({f"{key}.about": about},))


def _draw(p: Page, found: Outlook) -> None:
    """Draws the sentences, the table of predictors, and one of them against the measure."""
    for text in found.told():
        st.markdown(plain(say(text)))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {"label": _("Figure of this list"), "value": number(_("Value"), format="%.3f")}
    if found.gains:
        columns |= {
            "below": number(_("Higher than"), help=_("Number of judged questions whose list has a lower value.")),
            "of": number(_("of"), help=_("Number of judged questions whose list has this figure.")),
            "near": number(
                _("{measure} of the nearest", measure=MEASURE),
                format="%.2f",
                help=_("Mean over the judged questions with the nearest values."),
            ),
            "tau": number(_("Kendall's τ"), format="%.2f", help=_("How far the figure orders the questions: −1 to 1.")),
            "p": number(_("Holm-corrected p"), format="%.2g"),
        }
    rows = []
    for x in found.predictors:
        gains = [gain for _value, gain in x.neighbours]
        row = {"label": say(x.label), "value": x.value, "below": None if x.value is None else x.below}
        row |= {"of": len(x.points), "near": sum(gains) / len(gains) if gains else None}
        row |= {"tau": x.tau, "p": found.corrected[x.key]}
        rows.append({name: row[name] for name in columns})
    left, right = st.columns([1.5, 1], gap="large")
    with left:
        tables.draw(_("Figures of this list"), rows, key=p.key("trust.table"), columns=columns)
    if found.gains:
        with right:
            labels = {key: say(label) for key, label in PREDICTORS.items()}
            first = found.telling[0].key if found.telling else next(iter(labels))
            key = p.choose("trust.figure", _("Figure"), list(labels), first, format_func=labels.__getitem__)
            chosen = next(x for x in found.predictors if x.key == key)
            charts.draw(measure_charts.predicted(chosen, labels[key], MEASURE), p.key("trust.dots"))
            st.caption(_("Each point is a judged question, filled if it is among the nearest. Dashed: this list."))
