"""Compress: of every hit, only the sentences that bear on the question."""

from __future__ import annotations

import streamlit as st

from lab.core import Stage
from lab.refine.compress import SentenceExtractor, extracts
from lab.refine.filters import EmbeddingsFilter
from lab.refine.llm_filter import ModelExtractor
from lab.text import count_tokens
from lab.ui import address, charts, code, components, escape, language_model, palette, show, sources
from lab.ui.i18n import _
from lab.ui.page import Page

p = Page(
    "compress", _("Compress"), _("A context costs by the token. Which sentences can go, and do you lose the answer?")
)
f = p.frame
p.lessons()
query = p.query()

row = st.columns([3, 2.2, 2.2, 1.5, 1.5], vertical_alignment="bottom")
with row[1]:
    address.keep(p.key("embeddings.threshold"), 0.1, address.number(-1, 1, whole=False))
    near = st.slider(
        _("Passages: cosine above"),
        -1.0,
        1.0,
        step=0.05,
        key=p.key("embeddings.threshold"),
        help=_("Whole passages below this are removed first."),
    )
with row[2]:
    threshold = p.knob(
        SentenceExtractor,
        "threshold",
        _("Sentences: cosine from"),
        _("Sentences below this are struck."),
        name="sentenceextractor.threshold",
    )
with row[3]:
    n = p.number("n", _("Passages"), 1, 50, 8)
with row[4], st.popover(_("More"), width="stretch"):
    least = p.knob(SentenceExtractor, "at_least", _("At least so many sentences"), name="sentenceextractor.at_least")
    by_model = p.switch(
        "model",
        _("Let the language model choose"),
        False,
        _("Its extracts must stand in the passage word for word. Needs a model (sidebar)."),
    )
    most = p.knob(SentenceExtractor, "at_most", _("At most so many sentences"), name="sentenceextractor.at_most")
with row[0], st.spinner(_("Indexing the corpus …"), show_time=True):
    before, first = sources.candidates(p, query, depth=n)
if not before.hits:
    st.info(escape.plain(first.empty), icon=":material/search_off:")
    p.stop()
before = before.top(n)
filtered = EmbeddingsFilter(0, near, f.embedder)(before)
extractor: Stage = SentenceExtractor(threshold, least, most, f.embedder)
model = language_model.current()
if model is not None and by_model and filtered.hits:
    chosen = ModelExtractor(model)
    bar = st.progress(0.0, text=_("The model reads {n} passages …", n=len(filtered)))
    told = chosen.extracts(filtered, progress=lambda done, total: bar.progress(done / total))
    bar.empty()
    extractor, found = chosen, {e.original.id: e for e in told}
    failed = [e for e in told if e.problem]
    if failed:
        st.warning(
            _(
                "{n} of {total} passages stay whole. {reason}",
                n=len(failed),
                total=len(told),
                reason=escape.plain(show.said(failed[0].problem)),
            ),
            icon=":material/smart_toy:",
        )
    invented = [text for e in told for text in e.rejected]
    if invented:
        st.warning(
            _(
                "{n} extracts do not stand in their passage and were rejected, for instance “{text}”.",
                n=len(invented),
                text=escape.plain(invented[0][:120]),
            ),
            icon=":material/fact_check:",
        )
else:
    found = {e.original.id: e for e in extracts(extractor, filtered)}
after = extractor(filtered)
relevant = show.relevance(f, query)
kept_ids = {h.document.id for h in after.hits}

characters = (sum(len(h.document.text) for h in before.hits), sum(len(h.document.text) for h in after.hits))
tokens = (
    sum(count_tokens(h.document.text) for h in before.hits),
    sum(count_tokens(h.document.text) for h in after.hits),
)
numbers = st.columns(4)
numbers[0].metric(
    _("Passages"),
    f"{len(after)}",
    f"{len(after) - len(before)}" if len(after) != len(before) else None,
    delta_color="off",
)
numbers[1].metric(
    _("Characters"),
    f"{characters[1]:,}",
    f"-{100 * (1 - characters[1] / max(characters[0], 1)):.0f} %",
    delta_color="off",
)
numbers[2].metric(_("Tokens (estimated)"), f"{tokens[1]:,}", f"-{tokens[0] - tokens[1]:,}", delta_color="off")
numbers[3].metric(
    _("Sentences kept"),
    f"{sum(s.kept for e in found.values() for s in e.spans)} / {sum(len(e.spans) for e in found.values())}",
)
st.plotly_chart(
    charts.funnel(
        [_("candidates"), _("near the query"), _("only sentences")],
        [characters[0], sum(len(h.document.text) for h in filtered.hits), characters[1]],
        [None, filtered.seconds * 1000, after.seconds * 1000],
        palette.named("refined"),
    ),
    key="compress.funnel",
    config=charts.CONFIG,
)
st.caption(
    _(
        "Characters left after every step. Below: what is kept is plain, what is struck is grey; the number is the cosine of the best sentence."
    )
)

lost = [h.document for h in before.hits if relevant.get(h.document.id, 0) > 0 and h.document.id not in kept_ids]
for document in lost:
    st.warning(
        _("“{title}” is judged relevant and is lost here.", title=escape.plain(document.label)),
        icon=":material/warning:",
    )
for rank, hit in enumerate(before.hits, 1):
    document = hit.document
    with st.container(border=True):
        extract = found.get(document.id)
        grade = relevant.get(document.id, 0)
        judged = " · " + (_("answers") if grade > 1 else _("helps")) if grade > 0 else ""
        if extract is None or document.id not in kept_ids:
            drop = next((d for r in (filtered, after) for d in r.dropped if d.document.id == document.id), None)
            st.caption(f"{rank}{judged} · " + (escape.plain(show.said(drop.reason)) if drop else ""))
            components.passage(
                {"title": document.label, "facts": "", "text": [[document.text, "struck"]]},
                key=f"compress.{document.id}",
            )
            continue
        pieces, at = [], 0
        for span in extract.spans:
            pieces += [
                [document.text[at : span.start], None],
                [document.text[span.start : span.end], None if span.kept else "struck"],
            ]
            at = span.end
        pieces.append([document.text[at:], None])
        best = max((s.similarity for s in extract.spans), default=0.0)
        st.caption(
            _(
                "{rank}{judged} · best sentence {best} · {kept} of {n} sentences",
                rank=rank,
                judged=judged,
                best=f"{best:.2f}",
                kept=sum(s.kept for s in extract.spans),
                n=len(extract.spans),
            )
        )
        components.passage(
            {"title": document.label, "facts": "", "text": [x for x in pieces if x[0]]}, key=f"compress.{document.id}"
        )

with st.expander(_("The way of one document"), icon=":material/route:"):
    doc = show.pick("compress", [before, filtered, after], f, show.selected([first], relevant, n))
    show.biography(after, doc)
with st.expander(_("The context as it would be sent"), icon=":material/description:"):
    st.code(
        "\n\n".join(f"[{i}] {h.document.title}\n{h.document.text}" for i, h in enumerate(after.hits, 1)),
        language=None,
        wrap_lines=True,
    )
p.export(
    [after, before],
    [_("compressed"), first.name],
    code.refinements(f, before, [EmbeddingsFilter(0, near, f.embedder), extractor], query),
)
p.footer([before, filtered, after], [first.name, _("near the query"), _("only sentences")])
