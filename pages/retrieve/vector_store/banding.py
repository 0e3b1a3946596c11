"""Cosine bands of the embedding models: the picture, the overlaps in words, and what one cosine means under each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from lab.algebra import Progress
from lab.corpus import samples
from lab.explain.bands import Band, Pairs, band_of, pairs_of, quantiles
from lab.models.embedders import Embedder
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.ui import address, escape, palette
from lab.ui.escape import safe
from lab.ui.figures import charts
from lab.ui.figures.charts import Figure, Part, font, hovered, trace
from lab.ui.i18n import _, say
from lab.ui.layout import settings, tables
from lab.ui.layout.page import Page
from lab.ui.study import measuring

BESIDE = 0.17
"""Distance of each band from the middle of its model's row."""
START = 0.6
"""The cosine with which the page begins."""


def fold(page: Page) -> None:
    """Draws the part, folded; a corpus whose texts stay in an engine has none."""
    if page.frame.corpus.elsewhere:
        return
    title = _("Cosines of related and unrelated texts")
    with page.fold("bands", title, ":material/align_horizontal_center:") as seen:
        if seen:
            _draw(page)


def _draw(page: Page) -> None:
    corpus = page.frame.corpus
    known = settings.embedders()
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        names = page.several(
            "bands", _("Embedding models"), list(known), _ready(page, known), format_func=lambda n: say(known[n].label)
        )
    key = address.keep(page.key("bands.cosine"), START, address.number(-1.0, 1.0, whole=False))
    cosine = float(right.number_input(_("Cosine"), -1.0, 1.0, step=0.05, key=key))
    pairs = corpus.once(("cosine bands", page.frame.collection.fingerprint), partial(pairs_of, page.frame.collection))
    if not pairs.related or not pairs.unrelated:
        st.caption(_("Bands need at least one related and one unrelated pair of texts. This corpus has too few."))
        return
    st.caption(_explained(pairs))
    bands = dict[str, Band]()
    for name in names:
        with escape.problems():
            band = _band(page, name, known[name], pairs)
            if band is not None:
                bands[say(known[name].label)] = band
    _show(page, {label: band for label, band in bands.items() if band}, cosine)
    for label, band in bands.items():
        if band.missing:
            st.caption(
                _(
                    "{model}: pairs left out because a text has no vector: {n} of {m}.",
                    model=escape.plain(label),
                    n=band.missing,
                    m=len(pairs.related) + len(pairs.unrelated),
                )
            )


def _ready(page: Page, known: Mapping[str, Embedder]) -> list[str]:
    """Returns the models that need no long work: the built-in one, a precomputed one, and the one in use.

    If that is a single one, LSA is beside it, so that there is something to compare.
    """
    ready = {BuiltIn(), page.frame.embedder}
    if page.frame.corpus.name in samples.every_name():
        ready |= {type(embedder)() for embedder in known.values() if embedder.precomputed}
    if len(ready) == 1:
        ready.add(LSA())
    return [name for name, embedder in known.items() if embedder in ready]


def _explained(pairs: Pairs) -> str:
    numbers = {"n": len(pairs.related), "m": len(pairs.unrelated)}
    if pairs.judged:
        return _(
            "Related pairs, a question and a passage judged relevant to it: {n:,}. Unrelated pairs, a random question "
            "and passage: {m:,}. Thick line: the middle half; thin line: 90%; circle: the median.",
            **numbers,
        )
    return _(
        "Nothing is judged in this corpus. Related pairs, a passage and the one nearest to it by words: {n:,}. "
        "Unrelated pairs, two random passages: {m:,}. Thick line: the middle half; thin line: 90%; circle: the median.",
        **numbers,
    )


def _band(page: Page, name: str, embedder: Embedder, pairs: Pairs) -> Band | None:
    collection = page.frame.collection

    def make(progress: Progress) -> Band:
        return band_of(embedder, pairs, collection.corpus, progress)

    about = (collection.fingerprint, embedder)
    return measuring.remembered(page.key(f"bands.{name}"), about, make, _("Reading the pairs …"))


def _show(page: Page, bands: Mapping[str, Band], cosine: float) -> None:
    """Draws the picture of these bands, the overlap of each in words, and what the cosine means under each."""
    if not bands:
        return
    colours = (palette.named("refined"), palette.mute())
    names = (_("related"), _("unrelated"))
    legend = " · ".join(
        f'<span style="color:{c}">●</span> {safe(name)}' for name, c in zip(names, colours, strict=True)
    )
    st.html(f'<div style="font-size:0.85rem">{legend}</div>')
    charts.draw(_figure(bands, cosine, names, colours), page.key("bands.picture"))
    lines = [
        _(
            "{model}: {share} of the unrelated pairs are above the median of the related ones ({median}).",
            model=escape.plain(label),
            share=f"{100 * band.overlap:.1f}%",
            median=f"{band.median:.2f}",
        )
        for label, band in bands.items()
    ]
    st.markdown("\n".join(f"- {line}" for line in lines))
    meanings = {
        "nothing": _("nothing: most unrelated pairs reach it"),
        "high": _("too high: hardly any related pair reaches it"),
        "related": _("related: hardly any unrelated pair reaches it"),
        "unclear": _("unclear: pairs of both kinds reach it"),
    }
    rows = []
    for label, band in bands.items():
        related, unrelated = (f"{100 * share:.1f}%" for share in band.reached(cosine))
        rows.append(
            {"model": label, "related": related, "unrelated": unrelated, "meaning": meanings[band.meaning(cosine)]}
        )
    tables.draw(
        _("What a cosine means under each model"),
        rows,
        key=page.key("bands.table"),
        columns={
            "model": _("Embedding model"),
            "related": _("Related pairs with at least {cosine}", cosine=f"{cosine:.2f}"),
            "unrelated": _("Unrelated pairs with at least {cosine}", cosine=f"{cosine:.2f}"),
            "meaning": _("Meaning of {cosine}", cosine=f"{cosine:.2f}"),
        },
    )


def _figure(bands: Mapping[str, Band], cosine: float, names: tuple[str, str], colours: tuple[str, str]) -> Figure:
    """Returns the picture: two bands per model, and a line at the cosine."""
    data: list[Part] = []
    for row, (label, band) in enumerate(bands.items()):
        for side, name, colour, shift in zip(
            (band.related, band.unrelated), names, colours, (-BESIDE, BESIDE), strict=True
        ):
            low, first, middle, third, high = quantiles(side)
            y = row + shift
            numbers = f"5% {low:.2f} · 25% {first:.2f} · 50% {middle:.2f} · 75% {third:.2f} · 95% {high:.2f}"
            hover = f"{hovered(label, 40)} · {name}<br>{numbers}"
            for ends, width in (((low, high), 2), ((first, third), 9)):
                data.append(trace("scatter", list(ends), [y, y], mode="lines", line={"color": colour, "width": width}))
            marker = {"size": 11, "color": palette.paper(), "line": {"color": colour, "width": 2.5}}
            data.append(trace("scatter", [middle], [y], hover, mode="markers", marker=marker))
    ticks = {"tickvals": list(range(len(bands))), "ticktext": [safe(label, 30) for label in bands]}
    down = {"range": [len(bands) - 0.5, -0.5], "showline": False, "tickfont": font(12), **ticks}
    at: Part = {"type": "line", "xref": "x", "x0": cosine, "x1": cosine, "yref": "y domain", "y0": 0, "y1": 1}
    shapes = [{**at, "line": {"color": palette.ink(), "width": 1.5, "dash": "dash"}}]
    x = charts.axis(_("cosine"))
    return charts.figure(56 + 58 * len(bands), data, {"l": 4, "b": 40}, x=x, y=down, shapes=shapes)
