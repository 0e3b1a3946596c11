"""Sentence extraction: what is kept is verbatim, what is struck is accounted for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Hit, Query, Ranking
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.refine.compress import Extract, SentenceExtractor, extracts
from lab.retrieve.lexical import BM25
from lab.text import count_tokens
from lab.text.borders import sentences

MANUAL = Document(
    "m",
    "Charge the battery for two hours. The box holds a cable.  A full battery lasts thirty hours. "
    "充电时指示灯为红色。\nTea is not included.",
    "Manual",
)
CORPUS = Corpus("manuals", (MANUAL, Document("t", "Tea and cake. More tea."), Document("e", "", "Empty")))
QUERY = "How long does charging the battery take?"


def extract(extractor: SentenceExtractor, query: str, document: Document, corpus: Corpus) -> Extract:
    (told,) = extracts(extractor, Ranking(Query(query), (Hit(document, 1.0),), BM25(), corpus=corpus))
    return told


def ranking(query: str = QUERY) -> Ranking:
    return Ranking(Query(query), tuple(Hit(d, 1.0 / (i + 1)) for i, d in enumerate(CORPUS)), BM25(), corpus=CORPUS)


def test_every_sentence_has_its_cosine_with_the_query() -> None:
    told = extract(SentenceExtractor(), QUERY, MANUAL, CORPUS)
    assert [(s.start, s.end) for s in told.spans] == sentences(MANUAL.text)
    encoder = BuiltIn().fit(CORPUS)
    rows = unit(encoder.documents([MANUAL.text[s.start : s.end] for s in told.spans]))
    np.testing.assert_allclose([s.similarity for s in told.spans], rows @ unit(encoder.queries([QUERY]))[0])


@given(threshold=st.floats(-1, 1), least=st.integers(0, 6), most=st.integers(1, 6))
def test_kept_are_the_best_above_the_threshold_within_the_limits(threshold: float, least: int, most: int) -> None:
    told = extract(SentenceExtractor(threshold, least, most), QUERY, MANUAL, CORPUS)
    order = sorted(told.spans, key=lambda s: -s.similarity)
    wanted = max(min(least, len(order)), min(most, sum(s.similarity >= threshold for s in order)))
    assert [s.kept for s in order] == [i < wanted for i in range(len(order))]
    level = extract(SentenceExtractor(order[0].similarity, 0, most), QUERY, MANUAL, CORPUS)
    assert any(s.kept for s in level.spans), "a sentence at the threshold is not below it"


def test_kept_text_is_verbatim_neighbours_stay_joined_and_gaps_become_line_breaks() -> None:
    told = extract(SentenceExtractor(-1.0, at_most=3), QUERY, MANUAL, CORPUS)
    kept = [i for i, s in enumerate(told.spans) if s.kept]
    assert len(kept) == 3
    for a, b in zip(kept, kept[1:], strict=False):
        first, second = told.spans[a], told.spans[b]
        joint = MANUAL.text[first.end : second.start] if b == a + 1 else "\n"
        assert (
            MANUAL.text[first.start : first.end] + joint + MANUAL.text[second.start : second.end] in told.document.text
        )
    everything = extract(SentenceExtractor(-1.0, at_most=100), QUERY, MANUAL, CORPUS)
    assert everything.document == MANUAL


def test_hits_keep_id_title_score_and_order() -> None:
    after = SentenceExtractor(0.3)(ranking())
    assert SentenceExtractor.makes_documents
    assert [(h.document.id, h.document.title, h.score) for h in after] == [
        (d.id, d.title, 1.0 / (i + 1)) for i, d in enumerate(CORPUS)
    ]
    assert len(after.hits[0].document.text) < len(MANUAL.text)
    assert after.hits[2].document == CORPUS.documents[2]
    assert MANUAL.text == CORPUS.documents[0].text


def test_with_nothing_required_a_document_without_a_sentence_on_the_query_goes() -> None:
    after = SentenceExtractor(0.3, at_least=0)(ranking())
    assert [h.document.id for h in after] == ["m", "e"]  # nothing to strike in an empty text
    told = extract(SentenceExtractor(0.3), QUERY, CORPUS.documents[1], CORPUS)
    assert after.dropped[0].reason.values == {"cosine": max(s.similarity for s in told.spans), "limit": 0.3}  # type: ignore[attr-defined]


def test_what_was_saved_adds_up() -> None:
    found = extracts(SentenceExtractor(0.3), ranking())
    before, after = sum(len(d.text) for d in CORPUS), sum(len(e.document.text) for e in found)
    assert sum(e.characters[0] - e.characters[1] for e in found) == before - after > 0
    for told in found:
        assert told.tokens == (count_tokens(told.original.text), count_tokens(told.document.text))
    assert found[0].characters == (len(MANUAL.text), len(found[0].document.text))


def test_the_evidence_is_what_became_of_every_hit() -> None:
    before = ranking()
    after = SentenceExtractor(0.3)(before)
    assert after.evidence == extracts(SentenceExtractor(0.3), before)
    assert [e.document for e in after.evidence] == [h.document for h in after]


def test_an_empty_ranking_has_nothing_to_extract() -> None:
    assert extracts(SentenceExtractor(), Ranking(Query(QUERY), (), BM25(), corpus=CORPUS)) == ()
