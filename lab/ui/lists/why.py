"""Why a document is where it is: its score components as a bar, the formula with its numbers, pairs of a cosine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import streamlit as st

from lab import formula
from lab.algebra import Corpus, Document, Index, Ranking, Retriever, Runner, Searcher
from lab.explain import agreement as agree
from lab.explain.occlusion import occlusion
from lab.explain.tied import tie_note
from lab.models.static import StaticEncoder
from lab.retrieve.explaining import Explains, Marker, Misses
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import BEST, VectorIndex
from lab.text import cutting, matches
from lab.ui import cache, escape, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, _n, labelled, listed, say
from lab.ui.layout import operators
from lab.ui.layout.frame import Frame
from lab.ui.lessons import performing
from lab.ui.lists import show, sums
from lab.ui.work import work

WORDS = cutting(single=True)
"""Words as the text spells them, to compare with those of an embedder."""
PAIRS = 7
"""Number of word pairs shown for a cosine."""
BESIDE = 3
"""Maximum number of lists whose arithmetic is side by side; of more, one is open at a time."""
DEEP = 20_000
"""Maximum number of passages for which a list is searched to its end for the selected one."""
SAME = 1e-9
"""Two scores that differ by less are equal: only the order of summation differs."""
STRONGEST = 6
"""Number of words of a document that are marked by their contribution to its cosine."""


def meaning_marker(index: Index, query: str) -> Marker:
    """Returns a marker of the compared sentence, or of the words that add most to the cosine, if the embedder can."""
    encoder = getattr(index, "encoder", None)
    if isinstance(index, VectorIndex) and index.operator.parts != "whole" and query.strip():
        pieces, vector = index.pieces, index.query_vector(query)
        return lambda text: pieces.best(vector, [Document("text", text)]).spans if vector.any() and text.strip() else []
    if not isinstance(encoder, StaticEncoder) or not query.strip():
        return lambda text: []

    def mark(text: str) -> list[tuple[int, int]]:
        _rows, names, table = encoder.pairs(query, text)
        gain = table.sum(axis=0)
        best = {names[i] for i in np.argsort(-gain)[:STRONGEST].tolist() if gain[i] > 0.02}
        return matches(text, best, WORDS)

    return mark


def section(
    page: str, panels: Sequence[show.Panel], runner: Runner, f: Frame, doc: str, relevant: Mapping[str, int]
) -> None:
    """Draws the selected document: one tab per list with its arithmetic (only the open one), and the whole text."""
    document = f.corpus.get(doc)
    if document is None:
        return
    origins = [panel.ranking.source for panel in panels]  # operators of the question may have cut them
    indexes = [runner.index(cast(Retriever, ranking.made_by)) for ranking in origins]
    rankings = [
        deeper(panel.ranking, cast(Searcher, source.made_by), runner, doc) if source is panel.ranking else panel.ranking
        for panel, source in zip(panels, origins, strict=True)
    ]
    panels = [replace(panel, ranking=ranking) for panel, ranking in zip(panels, rankings, strict=True)]
    among = sum(p.ranking.rank(doc) is not None for p in panels)
    values = {"title": escape.plain(document.label, 60), "n": among, "of": len(panels)}
    with st.container(border=True, key=f"{page}-why", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            head = _("How “{title}” is scored", **values) if among else _("Why “{title}” is missing", **values)
            st.subheader(head, anchor=False, width="content")
            facts = [_("lists that contain it: {n} of {of}", **values)] if among < len(panels) else []
            if doc in relevant:
                facts.append(_("judged: answers the question") if relevant[doc] >= f.answering else _("judged: helps"))
            st.caption(" · ".join(facts), width="stretch")
        if len(panels) <= BESIDE:
            with st.container(key=f"strip-{page}-why"):
                for column, panel, index in zip(st.columns(len(panels)), panels, indexes, strict=True):
                    with column:
                        st.markdown(f"**{escape.plain(panel.name)}** &nbsp;{_place(panel, doc)}")
                        _score(panel, index, f, doc, page)
        else:
            names = [p.name for p in panels]
            performing.open_tab(f"{page}.why", names)
            tabs = st.tabs(names, key=f"{page}.why", on_change="rerun")
            for tab, panel, index in zip(tabs, panels, indexes, strict=True):
                if tab.open:  # hidden tabs are not computed
                    with tab:
                        st.markdown(_place(panel, doc))
                        _score(panel, index, f, doc, page)
        at = next((i for i, p in enumerate(panels) if p.ranking.rank(doc)), 0)
        show.passage(page, document, panels[at].mark)


def _place(panel: show.Panel, doc: str) -> str:
    """Returns the rank of a document and its score as a sum, in Markdown."""
    hit, rank = panel.ranking.hit(doc), place(panel.ranking, doc)
    if hit is None:
        return rank
    parts, note = list(show.grouped(hit).values()), tie_note(panel.ranking, doc)
    written = f"{rank} · {sums.written(parts if 1 < len(parts) <= show.FEW else [hit.score], hit.score)}"
    return f"{written}  \n:small[{say(note)}]" if note else written


def deeper(ranking: Ranking, search: Searcher, runner: Runner, doc: str) -> Ranking:
    """Returns the whole list of a search if the document may be behind its end."""
    if ranking.rank(doc) or not ranking.asked or len(ranking.corpus) > DEEP:
        return ranking
    return replace(runner(search, ranking.query, len(ranking.corpus)), asked=ranking.asked)


def place(ranking: Ranking, doc: str) -> str:
    """Returns the rank of a document, with the list's length if it is behind the requested results; – without one."""
    rank = ranking.rank(doc)
    if rank is None:
        return f"> #{ranking.asked}" if 0 < len(ranking) == ranking.asked else "–"
    return _("#{rank} of {n}", rank=rank, n=len(ranking)) if 0 < ranking.asked < rank else f"#{rank}"


def _score(panel: show.Panel, index: Index, f: Frame, doc: str, page: str) -> None:
    hit, key = panel.ranking.hit(doc), f"{page}.why.{panel.name}"
    if hit is None:
        st.markdown(_("**Why it is not in this list**"))
        if told := operators.reason(panel.ranking, doc):
            st.markdown(escape.plain(told))
            return
    if isinstance(index, Explains):
        _explained(panel, index, f, doc, key)
    elif not isinstance(index, VectorIndex):
        if hit is not None and hit.why:
            sums.bar(panel, hit)
        elif hit is not None:
            st.caption(_("The retriever returns this score without components."))
        elif hit is None and isinstance(index, Misses) and (document := f.corpus.get(doc)):
            missing = say(index.missing(panel.ranking.query, document))
            st.markdown(escape.plain(missing) or _("This list does not contain this passage."))
    elif hit is None:
        st.markdown(_("This list does not contain this passage."))
    elif isinstance(index.encoder, StaticEncoder) and index.operator.space == "cosine":
        sums.bar(panel, hit)
        query, text = panel.ranking.query, hit.document.content
        if index.operator.parts != "whole":
            a, b = index.pieces.best(index.query_vector(query), [hit.document]).spans[0]
            text = text[a:b]
            st.caption(labelled(BEST, escape.plain(text, 200)))
        _pairs(index.encoder, query.text, text, panel.colour)
    else:
        cosine = index.operator.space == "cosine"
        name = r"\cos(q, d) = \frac{q\cdot d}{|q|\,|d|}" if cosine else r"\text{score}"
        st.latex(f"{name} = {hit.score:.4f}")
        st.caption(
            _(
                "This score cannot be split into words: the model combines them before it compares, so no table "
                "of word pairs adds up to it."
            )
        )
        if cosine:
            _missing(panel, index, hit.document, key)


def _missing(panel: show.Panel, index: VectorIndex, document: Document, key: str) -> None:
    """Draws how the cosine of the whole changes without each sentence, if the visitor asks for it."""
    help_text = _("The passage is scored again without each of its sentences, which takes a moment.")
    if not st.toggle(_("Effect of removing a sentence"), key=f"{key}.without", help=help_text):
        return
    query = panel.ranking.query
    make = partial(occlusion, index.encoder, index.query_vector(query), document)
    about = (index.operator, query, document)
    with escape.problems():
        result = work(
            f"{key}.work", _("Reading the passage without each sentence …"), lambda p: make(progress=p), about=about
        )
        if result is None:
            return
        if not result.without:
            st.caption(_("The passage has only one sentence: none can be left out."))
            return
        names = [document.content[a:b] for a, b in (without.span for without in result.without)]
        charts.draw(charts.bars(result.changes, names, panel.colour, digits=4), f"{key}.missing")
        least = min(zip([without.cosine for without in result.without], names, strict=True))
        message = _(
            "Cosine of the whole passage: {whole}. Each bar is the loss without that sentence; the largest is for "
            "“{sentence}”, without which the cosine is {least}. The bars do not add up to the cosine (sum: "
            "{sum}).",
            whole=f"{result.cosine:.4f}",
            sentence=escape.plain(least[1], 80),
            least=f"{least[0]:.4f}",
            sum=f"{sum(result.changes):.4f}",
        )
        gain = _(
            "Without any one of its sentences, the passage would be nearer to the question: each sentence "
            "adds some distance."
        )
        st.caption(
            message
            if max(result.changes) > 0
            else f"{gain} " + _("Its cosine is {whole}.", whole=f"{result.cosine:.4f}")
        )


def _explained(panel: show.Panel, index: Explains, f: Frame, doc: str, key: str) -> None:
    """Draws one score component per term of the question, and the formula of each."""
    query, hit = panel.ranking.query, panel.ranking.hit(doc)
    explanation = index.explanation(query, doc)
    score = sum(addend.value for addend in explanation.addends.values())
    if not explanation.addends and explanation.missing:
        st.markdown(say(explanation.missing))
    elif not explanation.addends:
        st.markdown(_("This passage contains no word of the query: its score is 0, and the list does not include it."))
    else:
        if hit is not None:
            sums.bar(panel, hit)
        lines = [addend.line(say(name)) for name, addend in explanation.addends.items()]
        st.latex(formula.lines(lines[:8]))
        if len(lines) > 8:
            st.caption(_n("and {n} more word in the same way", "and {n} more words in the same way", len(lines) - 8))
    if explanation.absent:
        absent = listed(explanation.absent)
        st.caption(_("Not in this passage, 0 each: {words}", words=escape.plain(absent, 160)))
    if explanation.note:
        st.caption(say(explanation.note))
    if isinstance(explanation.search, BM25):
        _second_opinion(explanation.search, query.text, f.corpus, doc, score)


def _second_opinion(used: BM25, query: str, corpus: Corpus, doc: str, score: float) -> None:
    """Compares the score with rank-bm25's, for the variants that it has."""
    names = {"okapi": "BM25Okapi", "l": "BM25L", "plus": "BM25Plus"}
    if used.variant not in names or len(corpus) > 2000 or corpus.elsewhere or used.k1 == 0:
        return
    tokens = cache.tokens(corpus, used.analyzer)
    if not any(tokens):
        return
    import rank_bm25

    extra = {"epsilon": used.epsilon} if used.variant == "okapi" else {"delta": used.delta}
    make = partial(getattr(rank_bm25, names[used.variant]), tokens, k1=used.k1, b=used.b, **extra)
    peer = corpus.once(("rank-bm25", used), make)
    value = float(peer.get_batch_scores(used.analyzer.tokens(query), [corpus.positions[doc]])[0])
    if abs(value - score) < SAME:
        st.caption(_("rank-bm25 computes the same: {value}", value=f"{value:.4f}"))
        return
    values = {"value": f"{value:.4f}", "difference": f"{abs(value - score):.1e}"}
    st.caption(_("rank-bm25 computes {value} for it: the difference is {difference}", **values))


def _pairs(encoder: StaticEncoder, query: str, text: str, colour: str) -> None:
    """Draws the cosine with a text as a sum over pairs of words: the strongest as rows, then the sum of the others."""
    names, columns, table = encoder.pairs(query, text)
    strongest = np.argsort(-np.abs(table).ravel(), kind="stable")[:PAIRS]
    rows = [
        (names[i], columns[j], float(table[i, j])) for i, j in (divmod(int(at), table.shape[1]) for at in strongest)
    ]
    rest = (
        _n("{n} other pair", "{n} other pairs", table.size - len(rows)),
        float(table.sum() - sum(value for *_w, value in rows)),
    )
    st.caption(
        _(
            "cosine {score} = the sum over all pairs of a query word and a passage word ({n})",
            score=f"{table.sum():.4f}",
            n=table.size,
        )
    )
    sums.pairs(rows, rest, colour)


def agreement(rankings: Sequence[Ranking], names: Sequence[str], depth: int) -> None:
    """Draws shared documents, Kendall's tau and rank-biased overlap of every two lists."""
    tops = [r.ids[:depth] for r in rankings]
    taus = [[agree.kendall_tau(a, b) for b in tops] for a in tops]
    rbos = [[agree.rbo(a, b) for b in tops] for a in tops]
    both = [[agree.shared(a, b) for b in tops] for a in tops]
    texts = [
        ["–" if t is None else f"{t:.2f} ({n})" for t, n in zip(*row, strict=True)]
        for row in zip(taus, both, strict=True)
    ]
    positive = [[max(t or 0.0, 0.0) for t in row] for row in taus]
    heads = [str(i) for i in range(1, len(names) + 1)]  # names would not fit beside each other
    rows = [f"{i} {name}" for i, name in zip(heads, names, strict=True)]
    pairs = partial(charts.table_map, rows=rows, columns=heads, colour=palette.mute())
    shares = [[float(n) for n in row] for row in both]
    shared, order, top = st.columns(3)
    with shared:
        st.caption(_("Shared documents in the top {k}", k=depth))
        charts.draw(pairs(shares, digits=0, zmax=depth), "agree.shared")
    with order:
        st.caption(_("Kendall's τ of the shared documents (number): same order 1, reversed −1"))
        charts.draw(pairs(positive, texts=texts, zmax=1), "agree.tau")
    with top:
        st.caption(_("Rank-biased overlap: top ranks count most"))
        charts.draw(pairs(rbos, zmax=1), "agree.rbo")
