"""What brought a document into a lifted list, how it is cut, and the sentences on what the rule made of the list."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Lift, Pipeline, Query, Runner
from lab.derive.parts import ParentChild, Sentences
from lab.derive.written import Keywords, Questions
from lab.explain.lifting import Lifting, effect, lifting, pieces, stretches
from lab.fuse import RRF
from lab.refine.neighbours import Neighbours
from lab.retrieve.lexical import BM25

LONG = "The red fox runs far. " * 6
CORPUS = Corpus(
    "c",
    (
        Document("long", LONG, "Runs"),
        Document("short", "A red fox, a red fox, a red fox sleeps.", "Sleeps"),
        Document("none", "Nothing of the kind."),
    ),
)
CHILDREN = ParentChild(parent=60, child=25)


def lifted(by: str = "best", corpus: Corpus = CORPUS, query: str = "red fox", k: int = 10) -> Lifting:
    search = replace(CHILDREN(BM25()), refine=(Lift(by=by),))
    way = lifting(Runner(corpus)(search, query, k))
    assert way is not None
    return way


def test_the_pieces_of_a_document_are_its_own_with_their_ranks_and_what_counts() -> None:
    way = lifted()
    own = way.pieces_of("long")
    assert " ".join(p.document.text for p in own) == LONG.strip()
    assert [LONG[p.start : p.end] for p in own] == [p.document.text for p in own]
    assert len({p.section for p in own}) > 1
    (counted,) = (p for p in own if p.counted)
    assert counted.rank == min(p.rank for p in own if p.rank)
    assert counted.score == way.documents.hit("long").score  # type: ignore[union-attr]
    assert [p.counted for p in lifted("sum").pieces_of("long")] == [p.rank is not None for p in own]
    assert all(p.rank is None and p.score is None and not p.counted for p in way.pieces_of("none"))


def test_what_is_no_part_has_no_place_and_what_is_not_cut_is_its_own_piece() -> None:
    (keywords,) = pieces(Keywords()(CORPUS), "long")
    assert keywords.start is None
    assert keywords.end is None
    (whole,) = pieces(Sentences()(CORPUS), "none")
    assert (whole.start, whole.end, whole.section) == (0, len("Nothing of the kind."), 0)
    assert pieces(Questions()(Corpus("empty", (Document("a", ""),))), "a") == ()


def test_a_list_is_lifted_once_wherever_that_was_on_its_way() -> None:
    search = Pipeline((BM25(),), derive=(Sentences(),), refine=(Lift(), Neighbours()))
    way = lifting(Runner(CORPUS)(RRF()(BM25(), search), "red fox", 5))
    assert way is not None
    assert way.documents.made_by == Lift()
    assert way.pieces.corpus.made_by == Sentences()
    assert lifting(Runner(CORPUS)(BM25(), "red fox", 5)) is None


@given(text=st.text("ab 。.\n", max_size=120), overlap=st.sampled_from((0, 10)))
@settings(max_examples=40)
def test_stretches_restate_the_text_and_name_every_piece_that_is_there(text: str, overlap: int) -> None:
    own = pieces(ParentChild(parent=60, child=20, overlap=overlap)(Corpus("c", (Document("d", text),))), "d")
    cut = stretches(text, own)
    assert "".join(text[a:b] for a, b, _ in cut) == text
    assert all(a < b for a, b, _ in cut)
    for n, piece in enumerate(own):
        assert "".join(text[a:b] for a, b, there in cut if n in there) == piece.document.text


def test_the_sum_puts_a_document_of_many_pieces_first_and_the_sentence_says_so() -> None:
    best, way = lifted(), lifted("sum")
    assert best.documents.ids == ["short", "long"]
    assert way.documents.ids == ["long", "short"]
    _, rose, sizes = effect(way, "sum", 2)
    n, place = len(way.evidence.counted["long"]), way.pieces.rank(way.evidence.children["long"][0].document.id)
    assert rose == (
        "“Runs” is at rank 1; by its best chunk alone it would be at 2. "
        f"Chunks that count here: {n}; rank of the best among all chunks: {place}."
    )
    each = (len(pieces(way.pieces.corpus, "long")) + len(pieces(way.pieces.corpus, "short"))) / 2
    assert (
        sizes == f"Chunks per document among the first 2: {each:.1f} on average; ranked by the best chunk: {each:.1f}."
    )


def test_a_rule_that_changes_nothing_says_so() -> None:
    assert effect(lifted("first"), "first", 5)[1:] == (
        "The first 2 are the same as with the best chunk, in the same order.",
    )


@pytest.mark.parametrize("k", [1, 2, 50])
def test_of_the_best_piece_it_says_of_how_many_documents_the_first_pieces_are(k: int) -> None:
    way = lifted()
    first = {way.pieces.corpus.origins[i] for i in way.pieces.ids[:k]}
    found = len(way.pieces)
    assert effect(way, "best", k) == (
        f"Documents of the chunks retrieved: {len(first)} for the first {min(k, found)}, 2 for all {found}.",
    )


def test_where_nothing_was_found_nothing_is_said() -> None:
    way = lifted(query="zebra")
    assert effect(way, "sum", 5) == ()
    assert effect(lifted(corpus=Corpus("one", CORPUS.documents[:1])), "sum", 5)[1].startswith(
        "The first 1 are the same"
    )


def test_a_question_is_as_good_as_its_text() -> None:
    assert lifting(Runner(CORPUS)(CHILDREN(BM25()), Query("red fox"), 5)) is not None
