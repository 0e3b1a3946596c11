"""Rerank: a closer look at the candidates, by rerankers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial

import streamlit as st

from lab import catalog, formats, presets
from lab.algebra import DEPTH, Document, Pipeline, Ranking, Searcher, Stage
from lab.errors import LabError
from lab.evaluate.ceiling import ceiling
from lab.evaluate.runs import Run
from lab.explain.moves import Move, moves, quality, speed
from lab.refine.coverage import Covered, MaxSim, QueryCoverage
from lab.refine.decay import Ages, TimeDecay
from lab.refine.learned import Learned, Mix
from lab.refine.listwise import Listwise, Windows
from lab.refine.rerank import CrossEncoderReranker
from lab.ui import address, escape, navigation, palette
from lab.ui.figures import charts, map_charts
from lab.ui.i18n import _, both, listed, say
from lab.ui.layout import knobs
from lab.ui.layout.page import Page, technique_name
from lab.ui.layout.stages import for_corpus
from lab.ui.lists import show, sources, sums, ways, whereabouts
from lab.ui.models import downloads
from lab.ui.study import measuring
from pages.refine.rerank import decaying, mixing, pairs, windows

p = Page("rerank", _("Rerank"), _("What does reranking the first results change, and does it help?"))
f = p.frame
p.lessons()
query = p.query(operators=True)
named = presets.presets()


def take(name: str, depth: int) -> None:
    """Applies the lists and the last reranker of one of the lab's best pipelines, with this number of candidates."""
    search = named[name].search
    assert isinstance(search, Pipeline)
    stage = search.refine[-1]
    address.put("rerank.from", [one.key for one in search.retrieve])
    address.put("rerank.by", [stage.key])
    address.put("rerank.depth", depth)
    address.forget(p.key(f"{stage.key}."))
    for knob, value in catalog.changed(stage).items():
        address.put(p.key(f"{stage.key}.{knob}"), formats.expression(value))


def configured(kind: type[Stage]) -> Stage:
    """A reranker with all its knobs; what holds another specification is left as it is."""
    st.markdown(f"**{technique_name(kind)}**")
    drawn = [x.name for x in fields(kind) if x.metadata["kind"] in knobs.COMMON or x.metadata["offers"]]
    stage = p.knobs(for_corpus(kind(), f), *drawn)
    return windows.configured(p, stage, query) if isinstance(stage, Listwise) else stage


row = p.row([3.2, 3.6, 1.6, 1.4, 1.6])
with row[1]:
    kinds = p.techniques(
        "by", _("Rerankers"), catalog.with_role(catalog.stages, "rerank"), [QueryCoverage, MaxSim], _("Up to three.")
    )[:3]
depth = p.number("depth", _("Candidates"), 2, 200, 50, _("Number of candidates to rerank."), into=row[2])
k = p.number("k", _("Show"), 1, 50, 8, into=row[3])
with row[4], st.popover(_("More"), width="stretch"):
    for label, own in ((_("Best offline pipeline"), ("best", 50)), (_("With a neural model"), ("best-neural", 20))):
        if own[0] not in named:  # a pack has it that is left out
            continue
        told = both(dict(named[own[0]].title))
        st.button(label, on_click=take, args=own, icon=":material/star:", help=told, width="stretch")
    stages = {say(stage.label): stage for stage in map(configured, kinds)}
with row[0]:
    first = sources.first(p, query, depth)
if not first.ranking.hits:
    p.stop(escape.plain(first.panel.empty), ":material/search_off:")
if not stages:
    st.info(_("Choose a reranker above."), icon=":material/sort:")
pairs.about(stages.values())


def instead(failed: Stage) -> None:
    """Offers the reranker that needs no model instead of one that cannot be loaded."""
    wanted = [kind.key for kind in kinds if kind is not type(failed)]
    if MaxSim.key not in wanted:
        st.button(
            _("Use soft coverage instead: it needs no model"),
            on_click=lambda: address.put("rerank.by", [*wanted, MaxSim.key]),
            icon=":material/swap_horiz:",
            key=p.key(f"instead.{failed.key}"),
        )


def agreed(stage: Stage) -> bool:
    """Whether nothing is downloaded for this reranker, or the visitor has said so: a link cannot."""
    name = downloads.missing_model(stage)
    if name:
        downloads.offer(p.key(f"download.{stage.key}"), name)
    return not name


def rerank_by(name: str, search: Searcher) -> Ranking | None:
    """Returns the reranked list; None if the visitor has stopped it, or if a language model waits for a click."""
    stage, deep = stages[name], max(depth, DEPTH)
    if windows.asks(stage):
        return windows.ranked(p, stage, search, first.ranking, deep)
    doing, at = _("Reading each candidate with the question …"), (search, query, deep)
    static = partial(p.meanwhile, {name: search}, query)
    return p.work(f"read.{stage.key}", doing, partial(p.runner, *at), about=at, meanwhile=static)


def measure_all() -> None:
    """nDCG@10 over all judged questions, for the lists that ask no language model."""
    free = [name for name in found if not windows.asks(stages[name])]
    compared = {"": first.search, **{name: searches[name] for name in free}}
    measuring.metrics(p, compared, dict(zip(free, free, strict=True)))
    results = measuring.scores(p, compared)
    if results and (top := ceiling(measuring.runs(p, compared)[""], f.collection.qrels, depth=depth)):
        measuring.headroom(p, top, {name: results[name] for name in free})
    if len(free) < len(found):
        st.caption(_("Lists that a language model orders are measured on “{page}”.", page=navigation.title("evaluate")))


searches = {name: first.search >> stage for name, stage in stages.items()}
found: dict[str, Ranking] = {}
for name, search in searches.items():  # each by itself: one that cannot be loaded leaves the others
    if not agreed(stages[name]):
        instead(stages[name])
        continue
    try:
        made = rerank_by(name, search)
        found |= {} if made is None else {name: made}
    except LabError as error:
        escape.problem(error)
        instead(stages[name])
relevant = show.relevance(f, query)
p.tries(searches, found, query, relevant)
before, mark = first.ranking, first.panel.mark
colours = {name: palette.shade(palette.named("refined"), i) for i, name in enumerate(found)}
nothing = _("No passage is left: every candidate is below the threshold.")
panels = [first.panel, *(show.Panel(r, name, colours[name], mark, empty=nothing) for name, r in found.items())]
lists = {first.panel.name: before, **found}
names, rankings = list(lists), list(lists.values())
moved = {name: moves(before, ranking) for name, ranking in found.items()}
whole = [step for ranking in rankings for step in ranking.lineage()]  # including passages truncated before reranking
doc = show.selected([*panels[1:], first.panel, *(show.Panel(r, "", "", mark) for r in whole)], relevant, k)


def pace(ranking: Ranking, changes: Sequence[Move]) -> None:
    """How fast a reranker was, and what it moved furthest."""
    pairs = speed(ranking)
    if not pairs:
        return
    text = _("{ms:.1f} ms · {pace} pairs per second", ms=ranking.seconds * 1000, pace=f"{pairs:,.0f}")
    mover = max((m for m in changes if m.change), key=lambda m: abs(m.change or 0), default=None)
    if mover and mover.change:
        text += " · " + _(
            "largest move: {title} {move}",
            title=escape.plain(mover.document.label, 22),
            move=f"▲{mover.change}" if mover.change > 0 else f"▼{-mover.change}",
        )
    st.caption(text)


def locate() -> None:
    """Asks for a passage in the first list and in those that were reranked."""
    reranked = {name: searches[name] for name in found}
    whereabouts.field(p, {**p.applied({first.panel.name: first.search}), **reranked}, query, k)


def gain() -> None:
    """Draws whether another order of the candidates is better for this judged question."""
    run = Run("", {"": tuple((hit.document.id, hit.score) for hit in before.hits)})
    if relevant and (top := ceiling(run, {"": relevant}, depth=depth)):
        st.caption(say(top.describe("")))


def numbers() -> None:
    """nDCG@10 of every list where the question is judged, and the pace of every reranker."""
    values = quality(rankings, relevant) if relevant else ()
    for i, (column, name) in enumerate(zip(st.columns(max(len(lists), 2)), lists, strict=False)):
        with column:
            if values:
                change = None if i == 0 or abs(values[i] - values[0]) < 5e-4 else f"{values[i] - values[0]:+.3f}"
                st.metric(f"nDCG@10 · {escape.plain(name, 24)}", f"{values[i]:.3f}", change, delta_color="normal")
            if i:
                pace(found[name], moved[name])


def heat(covered: Covered, document: Document, name: str) -> None:
    """The words of the question against those of the document."""
    shown = covered.matrix(document).around(8)
    if len(shown.columns) and len(shown.tokens):
        labels = [f"{t} ({w:.2f})" for t, w in zip(shown.tokens, shown.weights, strict=True)]
        table = charts.table_map(shown.table.tolist(), labels, shown.columns, colours[name], zmax=1)
        charts.draw(table, f"rerank.heat.{stages[name].key}")
        st.caption(_("Rows: words of the query and their share of its weight. Each row uses its best column."))


def explain(name: str, ranking: Ranking, document: Document) -> None:
    """Draws a document's rank after every step, its score components, and its matches of the question's words."""
    ways.biography(ranking, document.id, first.names)
    hit = ranking.hit(document.id)
    if hit and hit.why:
        sums.bar(next(x for x in panels if x.name == name), hit)
        st.caption(_("score {score} = the sum of its components", score=f"{hit.score:.4f}"))
    elif hit and isinstance(ranking.made_by, CrossEncoderReranker):
        said = _(
            "A cross-encoder reads question and passage together: its score {score} is not a sum and cannot be split.",
            score=f"{hit.score:.4f}",
        )
        st.caption(said)
        if pairs.is_textbook(ranking.made_by):
            pairs.picture(p, ranking, hit, colours[name])
    elif hit:
        st.caption(_("The score {score} is not a sum and cannot be split.", score=f"{hit.score:.4f}"))
    if isinstance(ranking.evidence, Covered):
        heat(ranking.evidence, document, name)


def scatter() -> None:
    """The first score of every passage against the first reranker's."""
    with p.fold("scatter", _("First score against second score"), ":material/scatter_plot:") as seen:
        if seen:
            name = next(iter(found))
            points = [
                (m.document.id, m.score_before, m.score_after)
                for m in moved[name]
                if m.score_before is not None and m.score_after is not None
            ]
            plot = map_charts.scatter(points, f.corpus, first.panel.name, name, selected=doc, relevant=relevant)
            event = charts.clickable(plot, "rerank.scatter")
            st.caption(_("Ringed: judged relevant. A rising line: the reranker repeats the first list."))
            show.click(event)


def learned() -> None:
    """The weights of the learned mix, and others from the visitor's own judgments; where it is among the rerankers."""
    for name, stage in stages.items():
        if not isinstance(stage, Learned):
            continue
        mix = found[name].evidence if name in found else None
        with p.fold("weights", _("The learned weights, and the effect of changing one"), ":material/tune:") as seen:
            if seen and isinstance(mix, Mix):
                mixing.weights(p, stage.weights, mix, doc)
        with p.fold("train", _("Train it on your own judgments"), ":material/school:") as seen:
            if seen:
                mixing.training(p, first.search, stage)


def pictured() -> None:
    """The windows of a listwise reranker, and where time decay changes the order, if they are among the rerankers."""
    for name, stage in stages.items():
        evidence = found[name].evidence if name in found else None
        if isinstance(stage, Listwise) and isinstance(evidence, Windows):
            with p.fold("windows", _("Windows: what each one moved"), ":material/view_column:") as seen:
                if seen:
                    windows.picture(p, stage, evidence, doc)
        elif isinstance(stage, TimeDecay) and isinstance(evidence, Ages):
            with p.fold("decay", _("Age: where does the order change?"), ":material/hourglass_empty:") as seen:
                if seen:
                    decaying.picture(p, stage, evidence, doc)


with p.stage():
    show.lists("rerank", panels, f, depth=k, chosen=doc, relevant=relevant)
    if found:
        with st.container(border=True):
            head = st.empty()
            doc = show.pick("rerank", whole, doc)
            document = f.corpus.get(doc)
            assert document is not None
            title = escape.plain(document.label, 60)
            here = any(ranking.rank(doc) for ranking in found.values())
            head.subheader(
                _("How “{title}” is scored", title=title) if here else _("Why “{title}” is missing", title=title),
                anchor=False,
            )
            left, right = st.columns([1.45, 1], gap="large")
            with left:
                for tab, (name, ranking) in zip(st.tabs(list(found)), found.items(), strict=True):
                    with tab:
                        explain(name, ranking, document)
            with right:
                show.passage("rerank", document, mark)

locate()
numbers()
gain()
if not relevant:
    told = _("This question has no judgments, so the page cannot tell whether the change helps.")
    choose = _("Choose one under “Suggestions”.")
    st.caption(listed((told, choose), " ") if f.collection.judged else told)
elif p.switch(
    "all",
    _("nDCG@10 over all judged queries"),
    False,
    _("Searches all judged questions with the same steps; takes a few seconds."),
):
    measure_all()
if found:
    pictured()
    learned()
    scatter()
p.end({first.panel.name: first.search, **{name: searches[name] for name in found}}, lists)
