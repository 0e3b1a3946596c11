"""The laws of the algebra, as checks that any retriever, fusion or stage can be put to."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lab.algebra import Corpus, Document, Fusion, Hit, Index, Query, Ranking, Searcher
from lab.retrieve.explaining import Explains
from lab.retrieve.lexical import BM25, LexicalIndex


def frozen_copy(ranking: Ranking) -> object:
    """Everything in a ranking as plain values: what must be the same afterwards."""

    def of(document: Document) -> object:
        plain = {k: list(v) if isinstance(v, list) else v for k, v in document.metadata.items()}
        return document.id, document.text, document.title, plain

    return (
        ranking.query,
        [(of(h.document), h.score, [(str(c.source), c.value) for c in h.why]) for h in ranking.hits],
        repr(ranking.made_by),
        [frozen_copy(parent) for parent in ranking.parents],
        [(of(d.document), str(d.reason), d.by) for d in ranking.dropped],
        ranking.seconds,
    )


def addends_sum_to_the_score(hits: Sequence[Hit]) -> None:
    """``why``, where there is one, sums to the score within 1e-9 of the sizes that are added."""
    for hit in hits:
        if hit.why:
            total = math.fsum(c.value for c in hit.why)
            size = math.fsum(abs(c.value) for c in hit.why)
            assert abs(total - hit.score) <= 1e-9 * max(size, abs(hit.score)), (
                hit.document.id,
                total,
                hit.score,
                hit.why,
            )
            assert all(c.source for c in hit.why), f"an addend of {hit.document.id} has no name"


def best_first_ties_in_corpus_order(hits: Sequence[Hit], corpus: Corpus) -> None:
    """Scores fall; equal scores stand in corpus order."""
    keys = [(-h.score, corpus.positions[h.document.id]) for h in hits]
    assert keys == sorted(keys)


def places_that_are_exchanged_tie_exactly(fusion: Fusion, lists: int = 3) -> None:
    """Documents whose ranks and scores are the same, but in other lists, have exactly the same fused score.

    In every list the documents take turns: each has each rank and score once.
    """
    documents = tuple(Document(f"d{i}", f"text {i}") for i in range(lists))
    corpus = Corpus("turns", documents)
    for scores in ((0.7, 0.2, 0.1), (3.3, 1.1, 0.3), (1e9 / 3, 1 / 3, 1 / 7)):
        rankings = []
        for turn in range(lists):
            order = documents[turn:] + documents[:turn]
            hits = tuple(Hit(d, score) for d, score in zip(order, scores, strict=True))
            rankings.append(Ranking("turns", hits, BM25(), corpus=corpus))
        fused = fusion(rankings)
        assert len({hit.score for hit in fused}) == 1, f"{fusion} breaks a tie: {[h.score for h in fused]}"
        assert fused.ids == [d.id for d in documents]


def scores_are_numbers(hits: Sequence[Hit]) -> None:
    """Every score is a finite Python float."""
    for hit in hits:
        assert type(hit.score) is float
        assert math.isfinite(hit.score)
        assert all(type(c.value) is float for c in hit.why)


def something_in_common(index: Index, query: str | Query, ranking: Ranking) -> None:
    """Nothing is returned that shares nothing with the query; what shares a word is, whatever it scores."""
    if isinstance(index, LexicalIndex):
        has = {d.id for d in index.corpus if any(part.tf for part in index.explain(query, d.id))}
        assert set(ranking.ids) <= has
        assert set(ranking.ids) == has or 0 < len(ranking) == ranking.asked
    else:
        assert all(h.score != 0 for h in ranking.hits)


def explains_itself(index: Explains, query: Query, ranking: Ranking) -> None:
    """The formulas come to the addends of every hit, by the same names; what is absent adds nothing that is shown."""
    names = set(map(str, index.names(query).values()))
    mark = index.marker(query)
    for hit in ranking.hits:
        told = index.explanation(query, hit.document.id)
        size = math.fsum(abs(addend.value) for addend in told.addends.values())
        total = math.fsum(addend.value for addend in told.addends.values())
        assert abs(total - hit.score) <= 1e-6 * max(size, 1.0), (hit.document.id, total, hit.score)
        assert {*map(str, told.addends), *map(str, told.absent)} <= names
        assert isinstance(told.search, Searcher)
        for start, end in mark(hit.document.text):
            assert 0 <= start < end <= len(hit.document.text)


def each_document_once(hits: Sequence[Hit]) -> None:
    """No document stands in a list twice."""
    ids = [h.document.id for h in hits]
    assert len(ids) == len(set(ids)), ids


def documents_of_the_corpus(hits: Sequence[Hit], corpus: Corpus) -> None:
    """Every hit is a document of the corpus, unchanged."""
    for hit in hits:
        assert corpus.get(hit.document.id) == hit.document


def ranks_from_one(ranking: Ranking) -> None:
    """The first hit has rank 1; what is not there has none."""
    assert [ranking.rank(h.document.id) for h in ranking.hits] == list(range(1, len(ranking) + 1))
    assert [ranking.hit(h.document.id) for h in ranking.hits] == list(ranking.hits)
    assert ranking.rank("no such document") is None
    assert ranking.hit("no such document") is None


def nothing_lost_nothing_invented(before: Ranking, after: Ranking) -> None:
    """What came in is kept or dropped, once, with a reason; nothing else appears."""
    came = [h.document.id for h in before.hits]
    kept = [h.document.id for h in after.hits]
    dropped = [d.document.id for d in after.dropped]
    assert sorted(kept + dropped) == sorted(came), (came, kept, dropped)
    assert all(d.reason and d.by for d in after.dropped), "a drop without a reason or a name"


def parents_before_children(ranking: Ranking) -> None:
    """The lineage names every ranking once, parents first, this one last."""
    order = [id(r) for r in ranking.lineage()]
    assert order[-1] == id(ranking)
    assert len(order) == len(set(order))
    for r in ranking.lineage():
        assert all(order.index(id(p)) < order.index(id(r)) for p in r.parents)
