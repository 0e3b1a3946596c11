"""Vocabulary: what the static model knows of a word, and what of the corpus it does not know."""

from __future__ import annotations

import streamlit as st

from lab.models.embedders import encoder_of
from lab.models.static import StaticEncoder
from lab.numeric import unit
from lab.ui import address, cache, components, palette
from lab.ui.figures import charts, map_charts
from lab.ui.i18n import _, language, say
from lab.ui.layout import guide
from lab.ui.layout.page import Page

p = Page(
    "vocabulary",
    _("Vocabulary"),
    _("Which words are neighbours in the model, in both languages, and which words are unknown to it?"),
)
f = p.frame
p.lessons(beside_question=False)
encoder = encoder_of(f.embedder, f.corpus)
if not isinstance(encoder, StaticEncoder):
    p.stop(
        _(
            "{model} has no word table: it computes one vector from the whole text. To browse a vocabulary, "
            "choose the built-in model or a model2vec model.",
            model=say(f.embedder.label),
        ),
        ":material/info:",
    )
words = cache.vocabulary(f.embedder, f.corpus)

address.keep("vocabulary.q", "工资" if language() == "zh" else "salary")
with st.form("vocabulary-ask", border=False):
    field, button = st.columns([6, 1], vertical_alignment="bottom")
    text = field.text_input(
        _("One or a few words"),
        key="vocabulary.q",
        placeholder=_("A word in either language …"),
        label_visibility="collapsed",
        max_chars=200,
    )
    button.form_submit_button(_("Look up"), type="primary", width="stretch")
near = {script: words.nearest(text, script=script) for script in ("han", "latin")} if text.strip() else {}
if not text.strip():
    st.info(_("Type a word to see its neighbours in both languages."), icon=":material/edit:")
elif not any(near.values()):
    st.info(
        _("The model knows none of these words. Try another spelling, or fewer words."), icon=":material/search_off:"
    )
else:
    left, middle, right = st.columns([1, 1, 1.5], gap="medium")
    sides = [("latin", _("Nearest in English")), ("han", _("Nearest in Chinese"))]
    for column, (script, title) in zip((left, middle), sides if language() == "en" else sides[::-1], strict=True):
        with column, p.box(title):
            cosines, names = [n.cosine for n in near[script]], [n.word for n in near[script]]
            charts.draw(charts.bars(cosines, names, palette.named("vector"), digits=2), f"vocabulary.{script}")
    with right, st.container(border=True, height="stretch"):
        st.subheader(_("The neighbourhood"), anchor=False)
        labels, _cosines, places = zip(*near["han"], *near["latin"], strict=True)
        vectors = unit(words.table.numbers(words.rows[[*places]]))
        plane = map_charts.words_map(labels, vectors, text, encoder.queries([text])[0], split=len(near["han"]))
        charts.draw(plane, "vocabulary.map")
        st.caption(
            _(
                "Two of {d} dimensions: neighbours stay near each other, but distances are distorted.",
                d=encoder.dimensions,
            )
        )

with p.box(_("Text that the model reads")):
    pieces = cache.pieces(encoder, text)
    named = {"name": say(f.embedder.label), "note": _("tokens: {n}", n=len(pieces)), "none": _("nothing left")}
    row = {**named, "tokens": pieces, "on": False}
    components.tokens({"text": text, "rows": [row]}, key="vocabulary.pieces")

with p.box(_("Words unknown in this corpus")):
    with st.spinner(_("Analysing the corpus …")):
        missing = cache.unknown(f.embedder, f.corpus)
    a, b, c = st.columns(3)
    a.metric(_("Words examined"), f"{missing.words:,}")
    b.metric(_("Unknown"), f"{100 * missing.unseen / max(missing.words, 1):.1f} %")
    c.metric(
        _("Split into three or more tokens"),
        f"{100 * missing.broken / max(missing.words, 1):.1f} %",
        help=_("Names and codes: their vectors are composed of fragments."),
    )
    if missing.share > 0.1:
        st.warning(
            _(
                "One word in {n} is unknown to this model or composed of fragments: trust word lists (BM25) more "
                "than vectors on this corpus.",
                n=max(1, round(1 / missing.share)),
            ),
            icon=":material/warning:",
        )
    if missing.examples:
        names, counts = [w for w, _n in missing.examples[:15]], [float(n) for _w, n in missing.examples[:15]]
        charts.draw(charts.bars(counts, names, palette.mute(), digits=0), "vocabulary.unknown")
        st.caption(_("The most frequent of them, with their counts."))
guide.folded("embedders", _("Which embedding model?"))
with p.exports():
    pass  # pictures and tables only
