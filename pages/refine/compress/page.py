"""Compress: of every hit, only the sentences that bear on the question."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Document, Ranking
from lab.refine.compress import Extract, SentenceExtractor, Span
from lab.refine.filters import EmbeddingsFilter
from lab.refine.llm_filter import ModelExtract
from lab.text import count_tokens
from lab.ui import components, escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, say
from lab.ui.layout import stages
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, ways
from lab.ui.models import language_model

p = Page("compress", _("Compress"), _("Which sentences can go without losing the answer?"))
f = p.frame
p.lessons()
query = p.query(operators=True)

row = p.row([3, 2.6, 2.6, 1.5])
with row[1]:
    kind = p.technique("by", _("Method"), catalog.with_role(catalog.stages, "compress"), SentenceExtractor)
near = p.knobs(EmbeddingsFilter(k=0, threshold=0.1), "threshold", into=[row[2]])
n = p.number("n", _("Passages"), 1, 50, 8, into=row[3])
with row[0]:
    first = sources.first(p, query, n)
before = first.ranking
if not before.hits:
    p.stop(escape.plain(first.panel.empty), ":material/search_off:")
extractor = stages.drawn(p, kind(), query, seen=1)
nearest = first.search >> near
search = nearest >> extractor
filtered = p.run({"": nearest}, query, k=DEPTH)[""]
after = p.run({"": search}, query, k=DEPTH)[""]
found: dict[str, Extract] = {e.original.id: e for e in after.evidence_as(tuple)}
dropped = {drop.document.id: drop for ranking in (filtered, after) for drop in ranking.dropped}
relevant = show.relevance(f, query)


def doubts() -> None:
    """Where the model failed, and what it made up."""
    told = [e for e in found.values() if isinstance(e, ModelExtract)]
    failed = [e for e in told if e.problem]
    language_model.unread(e.answer.text for e in failed if e.answer)
    if failed and not language_model.asking():
        st.warning(
            _(
                "Passages kept whole: {n} of {total}. {reason}",
                n=len(failed),
                total=len(told),
                reason=escape.plain(say(failed[0].problem)),
            ),
            icon=":material/smart_toy:",
        )
    invented = [text for e in told for text in e.rejected]
    if invented:
        st.warning(
            _(
                "Extracts rejected because they are not in their passage: {n}, for instance “{text}”.",
                n=len(invented),
                text=escape.plain(invented[0][:120]),
            ),
            icon=":material/fact_check:",
        )


def size(ranking: Ranking) -> tuple[int, int]:
    """Characters and estimated tokens of the texts of a list."""
    texts = [hit.document.text for hit in ranking.hits]
    return sum(map(len, texts)), sum(map(count_tokens, texts))


def below(spans: Sequence[Span]) -> str:
    """How many sentences stay although they are below the limit, and by which knob."""
    if not isinstance(extractor, SentenceExtractor):
        return ""
    low = sum(s.kept and s.similarity < extractor.threshold for s in spans)
    named = {"n": low, "limit": f"{extractor.threshold:.2f}", "least": extractor.at_least}
    return " · " + _("below the threshold {limit}: {n}, kept because the minimum is {least}", **named) if low else ""


def card(rank: int, document: Document) -> None:
    """Draws a passage with its removed sentences in grey; a passage removed as a whole also has its reason."""
    grade = relevant.get(document.id, 0)
    judged = " · " + (_("answers") if grade >= f.answering else _("helps")) if grade > 0 else ""
    if drop := dropped.get(document.id):
        st.caption(f"{rank}{judged} · {escape.plain(say(drop.reason))}")
        pieces = [[document.text, "struck"]]
    else:
        spans = found[document.id].spans
        st.caption(
            _(
                "{rank}{judged} · best sentence {best} · sentences kept: {kept} of {n}",
                rank=rank,
                judged=judged,
                best=f"{max((s.similarity for s in spans), default=0.0):.2f}",
                kept=sum(s.kept for s in spans),
                n=len(spans),
            )
            + below(spans)
        )
        struck = [(s.start, s.end) for s in spans if not s.kept]
        pieces = show.segments(document.text, struck, "struck")
    components.passage({"title": document.label, "facts": "", "text": pieces}, key=f"compress.{rank}")


doubts()
characters, tokens = zip(size(before), size(after), strict=True)
spans = [s for e in found.values() for s in e.spans]
judged = [hit.document for hit in before.hits if relevant.get(hit.document.id, 0) > 0]
lost = [document for document in judged if after.rank(document.id) is None]
summary = _(
    "**Characters left: {share}%** · passages: {passages} · sentences: {sentences} · tokens (estimated): {tokens}",
    share=f"{100 * characters[1] / max(characters[0], 1):.0f}",
    passages=f"{len(after)}/{len(before)}",
    sentences=f"{sum(s.kept for s in spans)}/{len(spans)}",
    tokens=f"{tokens[1]:,}/{tokens[0]:,}",
)
if judged:
    summary += " · " + _("judged relevant: {n}", n=f"{len(judged) - len(lost)}/{len(judged)}")
st.markdown(summary)
for document in lost:
    st.warning(
        _("“{title}” is judged relevant and is lost here.", title=escape.plain(document.label)),
        icon=":material/warning:",
    )
names = [_("candidates"), _("similar to the query"), _("only sentences")]
left = [characters[0], size(filtered)[0], characters[1]]
times = [None, filtered.seconds * 1000, after.seconds * 1000]
charts.draw(charts.funnel(names, left, times, palette.named("refined")), "compress.funnel")
st.caption(
    _(
        "Characters left after each step. Below, kept text is black and removed text grey; the "
        "number is the cosine of the best sentence."
    )
)

for rank, hit in enumerate(before.hits, 1):
    with st.container(border=True, key=p.key(f"card.{rank}")):
        card(rank, hit.document)

with p.fold("way", _("One document, step by step"), ":material/route:") as seen:
    if seen:
        whole = [before, *list(after.lineage())[::-1]]  # including what was truncated before the first step
        panels = [show.Panel(r, "", "", first.panel.mark) for r in whole]
        ways.biography(after, show.pick("compress", whole, show.selected(panels, relevant, n)), first.names)
with p.fold("context", _("The context as it would be sent"), ":material/description:") as seen:
    if seen:
        sent = (f"[{i}] {h.document.title}\n{h.document.text}" for i, h in enumerate(after.hits, 1))
        st.code("\n\n".join(sent), language=None, wrap_lines=True)
p.end(
    {_("compressed"): search, first.panel.name: first.search},
    {_("compressed"): after, first.panel.name: before},
    list(zip([first.panel.name, *names[1:]], [before, filtered, after], strict=True)),
)
