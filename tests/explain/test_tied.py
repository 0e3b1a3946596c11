"""What is said of equal scores: the ranks they share and what orders them."""

from lab.algebra import Corpus, Document, Hit, Query, Ranking, Runner
from lab.explain.tied import tie_count, tie_note
from lab.explain.whereabouts import whereabouts
from lab.fuse import RRF
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25

CORPUS = Corpus(
    "equal", tuple(Document(i, text) for i, text in zip("abcd", ("tea tea", "tea", "tea", "oil"), strict=True))
)


def listed(ids: str) -> Ranking:
    hits = tuple(Hit(CORPUS.get(i), float(9 - n)) for n, i in enumerate(ids))
    return Ranking(Query("q"), hits, BM25(), corpus=CORPUS)


def test_a_tie_in_a_search_list_names_its_ranks():
    ranking = BM25(b=0.0).index(CORPUS).search("tea")
    assert str(tie_note(ranking, "b")) == "Equal score: ranks 2 to 3. Order: a hash of the id."
    assert tie_note(ranking, "b") == tie_note(ranking, "c")
    assert tie_note(ranking, "a") is None
    assert tie_note(ranking, "d") is None
    assert str(tie_count(ranking)).startswith("Results with equal scores: 2 of 3; groups: 1.")
    place = whereabouts(Runner(CORPUS), BM25(b=0.0), Query("tea"), "c", 5).final
    assert str(place.sentence).endswith("Order: a hash of the id.")


def test_a_tie_in_a_fused_list_names_the_better_rank():
    fused = RRF()([listed("ab"), listed("ba")])
    assert "ranks 1 to 2. Order: better rank in one of the lists" in str(tie_note(fused, "a"))
    assert tie_count(RRF()([listed("ab"), listed("ab")])) is None


def test_an_order_that_has_a_meaning_has_no_ties():
    ranking = BM25(b=0.0).index(Corpus("same", tuple(Document(i, "tea") for i in "abcd"))).search("tea")
    assert tie_count(ranking) is not None
    assert tie_count(LongContextReorder()(ranking)) is None
