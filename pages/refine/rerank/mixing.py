"""The learned mix on a page: its weights, what if one were another, and weights from the visitor's own judgments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from lab import formats
from lab.algebra import Progress, Searcher
from lab.errors import LabError
from lab.evaluate.learning import FEW, Trained, examples, halves, learn
from lab.explain.mixing import Weighs, tipping
from lab.explain.tipping import Tipping
from lab.refine.features import FEATURES
from lab.refine.learned import BUILT_IN, Learned, Mix, Weights, feature_name, shipped
from lab.ui import address, escape, palette
from lab.ui.figures import charts, rank_charts
from lab.ui.i18n import _, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.study import measuring

MEASURE = "nDCG@10"
HIGHEST = 10.0
"""The end of the slider of a weight."""


def put(page: Page, weights: Weights) -> None:
    """Put weights into the knob of the page, with as many digits as matter."""
    own = Weights.of([round(x, 4) for x in weights.vector.tolist()])
    address.put(page.key(f"{Learned.key}.weights"), formats.expression(own))


def bars(own: Weights, covered: float, key: str) -> None:
    """Draws the weight of every feature in a list whose best passage covers this share of the question."""
    told = own.at(covered)
    names = [say(feature_name(name)) for name in told]
    charts.draw(charts.bars(list(told.values()), names, palette.named("refined"), digits=2), key)


def weights(page: Page, own: Weights, mix: Mix, doc: str) -> None:
    """The weights as bars, and the first places along the one that the visitor chooses."""
    left, right = st.columns([1, 1.7], gap="large")
    with left:
        bars(own, mix.covered, page.key("weights"))
        said = _(
            "Weights of the features in this list: its best passage contains {covered} of the question's words. "
            "The more it contains, the more words count.",
            covered=f"{mix.covered:.0%}",
        )
        st.caption(said)
        told = shipped()[own.short()].provenance["collections"] if own.short() else {}
        if told:
            st.caption(_("Learned from the questions of {names} ({n}).", n=f"{sum(told.values()):,}", names=[*told]))
    with right:
        what_if(page, own, mix, doc)


def what_if(page: Page, own: Weights, mix: Mix, doc: str) -> None:
    """One weight on a slider, and the exact values at which the first places change."""
    corpus, now, key = page.frame.corpus, own.at(mix.covered), page.key("feature")
    address.keep(key, next(iter(FEATURES)), address.choice(list(mix.names)))
    if st.session_state[key] not in mix.names:
        address.put(key, mix.names[0])
    pick, slide = st.columns([1.2, 2], vertical_alignment="bottom")
    feature = pick.selectbox(
        _("Effect of this weight"), list(mix.names), key=key, format_func=lambda name: say(feature_name(name))
    )
    at, axis, place = min(max(now[feature], 0.0), HIGHEST), Weighs(feature, HIGHEST), page.key(f"if.{feature}")
    address.keep(place, round(at, 2), address.number(0, HIGHEST, whole=False))
    value = slide.slider(_("Weight in this list"), 0.0, HIGHEST, step=0.01, key=place)
    tips = tipping(mix, own, axis)
    right = _("{feature} decides →", feature=say(feature_name(feature)))
    charts.draw(
        rank_charts.tipping(tips, corpus, left=_("← less of this list"), right=right, selected=doc), page.key("tips")
    )
    st.caption(changes(tips) or _("For every weight of this feature, the first five results stay the same."))
    order = [escape.plain(d.label, 30) for d in tips.interval_at(value).documents]
    st.markdown(_("At {value}: {titles}", value=f"{value:.2f}", titles=" › ".join(order)))
    changed = axis.with_value(own, mix.covered, value)
    st.button(_("Use this weight"), icon=":material/check:", key=page.key("take"), on_click=put, args=(page, changed))


def changes(tips: Tipping, digits: int = 3) -> str:
    """Returns the values at which the first five change; empty if they never do."""
    exact = [f"{value:.{digits}f}" for value in sorted({c.value for c in tips.crossings})[:12]]
    return _("The first five change order at {values}.", values=exact) if exact else ""


def training(page: Page, search: Searcher, stage: Learned) -> None:
    """Weights from half of the corpus's judged questions, and what they are worth on the other half."""
    c = page.frame.collection
    seed = page.number("seed", _("Split"), 0, 999, 0, _("Another number splits the questions differently."))
    teach, report = halves(c.judged, seed)
    if not teach:
        st.info(_("There are fewer than two judged questions: too few to learn from and report on."))
        return
    if len(c.judged) < FEW:
        said = _(
            "Too few judged questions: {n}. With fewer than {few}, weights and figures are accidental.",
            n=len(c.judged),
            few=FEW,
        )
        st.warning(said, icon=":material/warning:")

    stage = replace(stage, weights=Weights.named(BUILT_IN))  # learned weights have seen some of the held-out half

    def make(progress: Progress) -> Trained:
        found = examples(search, stage, c, c.judged, models=page.models_now, progress=progress)
        return learn(found, c.qrels, stage.weights, seed=seed, measure=MEASURE)

    try:
        made = measuring.remembered(page.key("training"), (c.fingerprint, search, stage, seed), make)
    except LabError as error:
        escape.problem(error)
        return
    if made is not None:
        trained(page, made)


def trained(page: Page, made: Trained) -> None:
    """Draws the learned weights and their effect on the held-out half."""
    d, n = made.difference, made.after.queries
    said = _("Questions learned from: {taught}; held out: {n}.", taught=len(made.taught), n=n)
    st.caption(said)
    before, after, sure = st.columns(3)
    before.metric(_("Built-in weights"), f"{made.before.means[MEASURE]:.3f}", help=MEASURE)
    after.metric(_("Learned weights"), f"{made.after.means[MEASURE]:.3f}", f"{d.mean:+.3f}", help=MEASURE)
    if d.low is not None and d.high is not None:
        sure.metric(_("95% CI of the difference"), f"{d.low:+.3f} … {d.high:+.3f}")
        open_ = d.low <= 0 <= d.high
        st.markdown(
            _("The 95% CI includes 0: these questions do not show that the learned weights are better or worse.")
            if open_
            else _("The 95% CI excludes 0: a significant difference on this corpus.")
        )
    st.caption(_("Questions better: {better}, worse: {worse}.", better=d.better, worse=d.worse))
    needed = d.needed(0.02)
    if needed is not None and needed > n:
        said = _("To detect a difference of 0.02, about {n} held-out questions are needed.", n=f"{needed:,}")
        st.caption(said)
    bars(made.weights, 0.5, page.key("learned"))
    st.caption(_("The learned weights in a list whose best passage contains half of the question's words."))
    take = {"icon": ":material/check:", "key": page.key("take_all")}
    st.button(_("Use the learned weights"), on_click=put, args=(page, made.weights), **take)  # type: ignore[arg-type]
    halves_table(page, made)


def halves_table(page: Page, made: Trained) -> None:
    """Every question with the half that it was in, and both figures where it was reported on."""
    taught, rows = set(made.taught), []
    for q in page.frame.collection.judged:
        learned = q.id in taught
        row = {"question": q.text, "half": _("tuning") if learned else _("held out")}
        figures = (None, None) if learned else (s.per_query[MEASURE][q.id] for s in (made.before, made.after))
        rows.append(row | dict(zip(("before", "after"), figures, strict=True)))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "question": _("Question"),
        "half": _("Half"),
        "before": number(_("Built-in weights"), format="%.3f"),
        "after": number(_("Learned weights"), format="%.3f"),
    }
    tables.draw(_("Every question"), rows, key=page.key("halves"), columns=columns, height=240)
