"""Vector store: one query in three spaces, exactly, and the list of a store beside them; thresholds, filters, MMR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

import streamlit as st

from lab.algebra import Document, Progress
from lab.models.embedders import Embedder, Vectors, encoder_of, rows_for
from lab.refine.diversity import MMR
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.vector import SPACES
from lab.ui import escape, palette
from lab.ui.figures import charts, map_charts
from lab.ui.i18n import _, say
from lab.ui.layout import settings, tables
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import facets, show, why
from lab.ui.work import work
from pages.retrieve.vector_store import banding, parts, watching

p = Page(
    "vector_store",
    _("Vector store"),
    _("Cosine, inner product, L2: when do they agree, and what does a threshold keep?"),
)
f = p.frame
p.lessons()
query = p.query()

row = p.row([2.2, 4.6, 1.2, 2.2, 1.6, 1.6])
own = replace(p.knobs(ChromaVector(scale="unit"), "scale", into=row[:1]), space=parts.space(p, row[3]))
with row[1]:
    kind = p.choose(
        "search",
        _("Search type"),
        ("similarity", "threshold", "relevance", "mmr"),
        "threshold" if parts.is_opening(p, query) else "similarity",
        format_func={
            "similarity": _("similarity"),
            "threshold": _("threshold"),
            "relevance": _("relevance"),
            "mmr": technique_name(MMR),
        }.__getitem__,
    )
k = p.number("k", _("Show"), 1, 50, 8, into=row[2])
with row[5], st.popover(_("Store"), width="stretch"):
    st.caption(_("In this process, or a Chroma server that many labs share (LAB_CHROMA_URL)."))
    p.models["chroma"], linked = parts.server(p)
    into = parts.chosen(p, own)
if linked:
    parts.offer(p, linked)
wheres = row[4].popover(_("Filter"), width="stretch")
own = p.knobs(own, "where", into=[wheres])
examples = _(
    'Examples: {"lang": "zh"} · {"$and": [{"source": "manual"}, {"lang": "en"}]} · {"tags": {"$contains": "setup"}}'
)
wheres.caption(examples.replace("{", "\\{").replace("$", "\\$"))
own = parts.limited(p, own, kind)


def fields() -> list[str]:
    """Metadata with few enough values to be colours."""
    every: dict[str, set[str]] = {m: set() for d in f.corpus for m in d.metadata}
    for name, values in every.items():
        values.update(str(d.metadata.get(name, "")) for d in f.corpus)
    return ["", *(name for name, values in every.items() if len(values) <= 24)]


def hues(values: Sequence[str]) -> dict[str, str]:
    """Returns a colour for every value, a pale one for the empty value."""
    told = {v: palette.nth(i) for i, v in enumerate(dict.fromkeys(values))}
    return told | dict.fromkeys({""} & set(told), palette.line())


def plane(key: str, embedder: Embedder, *, named: bool) -> None:
    """The passages and the question in two dimensions, as this embedder sees them."""
    if named:
        st.markdown(f"**{escape.plain(say(embedder.label))}**")

    def read(progress: Progress) -> tuple[Vectors, Vectors]:
        rows = rows_for(embedder, shown, f.corpus, progress)
        return rows, encoder_of(embedder, f.corpus).queries([query.text or " "])[0]

    about = (embedder, query.text, f.corpus.fingerprint)
    with escape.problems():
        if (found := work(key, _("Reading every passage …"), read, about=about)) is not None:
            show.click(
                charts.clickable(
                    map_charts.map_of(
                        shown, *found, f.corpus, {}, selected=doc, method=method, colours=paints, height=520
                    ),
                    key,
                )
            )


def beside() -> Embedder | None:
    """The embedder whose map the visitor wants beside the frame's."""
    others = {name: embedder for name, embedder in settings.embedders().items() if embedder != f.embedder}
    label = lambda name: say(others[name].label) if name else _("no other model")  # noqa: E731
    return others.get(p.pick("beside", _("Compare with"), ["", *others], "", format_func=label))


def maps() -> None:
    """The map, or two of them side by side."""
    if second is None:
        plane("vector_store.map", f.embedder, named=False)
        return
    left, right = st.columns(2)
    with left:
        plane("vector_store.map", f.embedder, named=True)
    with right:
        plane("vector_store.map.beside", second, named=True)
    st.caption(_("Each map has its own axes: compare neighbours and the star's distance, not positions."))


mmr = [MMR(0.5, 20, min(k, 20), f.embedder)] if kind == "mmr" else []
store = parts.with_limits(into, own)
found, beside_exact = parts.run(p, store, query, *mmr)
colours = {say(word): palette.family(store, i) for i, word in enumerate(SPACES.values())}
panels = [
    show.Panel(
        x.ranking,
        name,
        colours[name],
        why.meaning_marker(p.runner.index(x.store), query.text),
        empty=x.nothing(p.runner),
        below=_("compares every vector"),
    )
    for name, x in found.items()
]
every = dict(found)
if beside_exact:
    last, name = beside_exact.store, parts.name_of(store)
    every[name] = last
    panels.append(
        show.Panel(
            last.ranking,
            name,
            palette.ink(),
            panels[-1].mark,
            empty=last.nothing(p.runner),
            below=beside_exact.count(),
            lost=beside_exact.lost(),
            end=beside_exact.end(),
        )
    )
distances = {name: list(found[name].distances.values())[:k] for name in colours}
relevant = show.relevance(f, query)
doc = show.selected(panels, relevant, k)

st.caption(parts.lengths(store.scale))
with p.stage():
    show.lists("vector_store", panels, f, depth=k, chosen=doc, relevant=relevant)

    document = f.corpus.get(doc)
    if document is not None:
        with p.box(escape.plain(document.label, 80)):
            left, right = st.columns([1.2, 1], gap="large")
            with left, st.container(key=p.key("spaces")):
                numbers = [{"space": name, **found[name].numbers(doc, p.runner)} for name in colours]
                if beside_exact:
                    space = f"{parts.name_of(store)} · {say(SPACES[store.space])}"
                    numbers.append({"space": space, **beside_exact.numbers(doc, p.runner)})
                tables.draw(
                    _("The document in every space"),
                    numbers,
                    key="vector_store.numbers",
                    columns={
                        "space": _("Space"),
                        "rank": _("Rank"),
                        "distance": _("Distance"),
                        "score": _("Score"),
                        "relevance": _("Relevance"),
                    },
                )
                drop = next((d for x in every.values() for d in x.ranking.dropped if d.document.id == doc), None)
                if drop:
                    st.markdown(escape.plain(say(drop.reason)))
            with right:
                show.passage("vector_store", document, panels[0].mark)


def three_distances() -> None:
    """The distances of the three spaces, one below the other."""
    if not any(distances.values()):
        return
    with p.box(_("The same documents, three distances")):
        st.caption(_("Every point is a document, the number its rank."))
        shades = list(colours.values())
        charts.draw(map_charts.distances(distances, shades, limit=own.max_distance), "vector_store.distances")
        if kind == "relevance":
            parts.formulas()


three_distances()
with st.container(border=True):
    head, more = st.columns([3, 1], vertical_alignment="bottom")
    head.subheader(_("The map"), anchor=False)
    with more.popover(_("More"), icon=":material/tune:", width="stretch"):
        second = beside()
        options = fields()
        field = p.pick(
            "colour", _("Colour by"), options, options[:2][-1], format_func=lambda x: facets.named(x) or _("document")
        )
        method = p.choose(
            "projection", _("Method"), ("pca", "t-sne"), "pca", format_func={"pca": "PCA", "t-sne": "t-SNE"}.__getitem__
        )
    st.caption(_("All passages and the query (star) in two dimensions. Click a point to read its passage."))
    shown: list[Document] = list(f.corpus.documents[:2000])
    values = [str(d.metadata.get(field, "")) for d in shown]
    colour_of = hues(values)
    paints = [colour_of[v] for v in values] if field else None
    maps()
    if field:
        legend = " · ".join(
            f'<span style="color:{c}">●</span> {escape.safe(v, 24) or "–"}' for v, c in colour_of.items()
        )
        st.html(f'<div style="font-size:0.85rem">{legend}</div>')


def speeds() -> None:
    """A measurement of the graph against the exact search, where the visitor asks for it."""
    st.caption(
        _(
            "How many of the ten nearest passages the graph finds and how long a query takes, for several values of "
            "ef: in this corpus (5,000 passages of a larger one) with its questions, and in as many random vectors. "
            "Crosses: exact search. An engine of the lab is measured, too; its times include the network."
        )
    )
    about, state = (f.corpus.fingerprint, store.embedder), st.session_state
    st.button(
        _("Measure now (about half a minute)"),
        key="vector_store.measure",
        on_click=lambda: state.update(_hnsw=(about, None)),
        icon=":material/play_arrow:",
    )
    if "_hnsw" in state and state["_hnsw"] == (about, None):
        with escape.problems():
            state["_hnsw"] = about, work("vector_store.hnsw", _("Measuring …"), parts.curves(p, store), about=about)
    wanted, rows = state.get("_hnsw", (None, None))
    if wanted == about and rows:
        charts.draw(charts.speeds(rows, palette.named("vector")), "vector_store.speeds")
        columns = ("vectors", "store", "n", "ef_search", "recall@10", "HNSW ms", "exact ms", "build s")
        figures = attrgetter("store", "n", "ef_search", "recall", "hnsw_ms", "exact_ms", "build_seconds")
        tables.draw(
            _("Exact against HNSW"),
            [
                dict(zip(columns, (_("this corpus") if row.corpus else _("random"), *figures(row)), strict=True))
                for row in rows
            ],
            key="vector_store.speedtable",
            columns={
                "vectors": _("Vectors"),
                "store": _("Store"),
                "HNSW ms": _("HNSW, ms"),
                "exact ms": _("exact, ms"),
                "build s": _("building, s"),
            },
        )


with p.fold("watch", _("Watch the search: graph and cells"), ":material/hub:") as seen:
    if seen:
        watching.draw(p, store, query, doc)
banding.fold(p)
with p.fold("hnsw", _("Exact against HNSW"), ":material/speed:") as seen:
    if seen:
        speeds()
p.end({name: x.search for name, x in every.items()}, {name: x.ranking for name, x in every.items()})
