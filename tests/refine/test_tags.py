"""Tags: how common they are, and what neighbours suggest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.refine.tags import Tags, cosine

CORPUS = Corpus(
    "tagged",
    (
        Document("a", "battery battery charging", metadata={"tags": ["power", "faq"]}),
        Document("b", "battery life", metadata={"tags": ["power"]}),
        Document("c", "salary and leave", metadata={"tags": ["faq"]}),
        Document("d", "leave in summer", metadata={"tags": ["faq", "staff", "faq", " "]}),
        Document("e", "nothing to say"),
    ),
)


def test_shares_are_smoothed_by_one_per_tag() -> None:
    shares = Tags().shares(CORPUS)
    assert list(shares) == ["faq", "power", "staff"]
    assert [s.count for s in shares.values()] == [3, 2, 1]
    assert [s.share for s in shares.values()] == [(3 + 1) / (6 + 3), (2 + 1) / (6 + 3), (1 + 1) / (6 + 3)]
    assert sum(s.share for s in shares.values()) == pytest.approx(1)


def test_another_smoothing_can_be_set() -> None:
    assert Tags(smoothing=1000).shares(CORPUS)["staff"].share == (1 + 1) / (6 + 1000)


def test_a_query_gets_the_tags_that_are_more_common_among_its_neighbours() -> None:
    (only,) = Tags().for_query("battery", CORPUS)  # neighbours a and b: power twice, faq once
    near = (2 + 1) / (3 + 3)
    assert (only.tag, only.count, only.near, only.share) == ("power", 2, near, (2 + 1) / (6 + 3))
    assert only.lift == near / ((2 + 1) / (6 + 3))
    assert set(only.neighbours) == {"a", "b"}


def test_a_document_is_no_neighbour_of_itself() -> None:
    suggested = Tags(neighbours=1).for_document(CORPUS.documents[3], CORPUS)  # its neighbour is c, which has faq only
    assert [s.tag for s in suggested] == ["faq"]
    assert all("d" not in s.neighbours for s in suggested)


def test_no_neighbour_no_tag() -> None:
    assert Tags().for_query("zzz", CORPUS) == ()
    assert Tags().for_query("battery", Corpus("untagged", (Document("x", "battery"),))) == ()


def test_under_the_heavy_smoothing_of_large_systems_a_small_corpus_gets_no_tag() -> None:
    corpus = samples.load("devices").corpus
    assert all(not Tags(smoothing=1000).for_document(d, corpus) for d in corpus.documents[:20])
    assert any(Tags().for_document(d, corpus) for d in corpus.documents[:20])


def test_suggestions_find_more_of_a_documents_own_tags_than_the_most_common_tags_do() -> None:
    corpus, tags = samples.load("handbook").corpus, Tags()
    common = set(list(tags.shares(corpus))[:3])
    suggested = plain = 0
    for document in corpus.documents[::3]:
        own = set(tags.of(document))
        suggested += len(own & {s.tag for s in tags.for_document(document, corpus)})
        plain += len(own & common)
    assert suggested > plain


vectors = st.dictionaries(st.sampled_from("pqrs"), st.floats(0.1, 10), max_size=4)


@given(vectors, vectors, st.floats(0.1, 10))
def test_the_cosine_of_tags_is_a_cosine(a: dict[str, float], b: dict[str, float], scale: float) -> None:
    value = cosine(a, b)
    assert 0 <= value <= 1 + 1e-12
    assert value == pytest.approx(cosine(b, a))
    assert cosine({t: w * scale for t, w in a.items()}, b) == pytest.approx(value)
    assert cosine(a, a) == pytest.approx(1 if a else 0)
    if not a.keys() & b.keys():
        assert value == 0


@given(st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=30), st.integers(1, 9))
def test_under_a_heavy_smoothing_no_lift_is_far_above_one(tags: list[str], neighbours: int) -> None:
    documents = tuple(Document(str(i), "battery", metadata={"tags": [tag]}) for i, tag in enumerate(tags))
    corpus = Corpus("t", documents)
    for suggestion in Tags(neighbours=neighbours, smoothing=1000).for_query("battery", corpus):
        assert 1 < suggestion.lift <= 1 + len(tags) / 1000


def test_a_tuple_of_tags_is_a_list_of_tags() -> None:
    assert Tags().of(Document("a", "x", metadata={"tags": ("x", " y ")})) == ("x", "y")  # type: ignore[dict-item]


def test_ragflow_s_rounding_writes_no_tag_to_a_document_and_every_tag_to_a_question() -> None:
    rounded, plain = Tags(rounding=True), Tags()
    assert plain.for_document(CORPUS.documents[0], CORPUS)
    assert rounded.for_document(CORPUS.documents[0], CORPUS) == ()  # every lift is below 5: round(lift / 10) is 0
    found = rounded.for_query("battery", CORPUS)
    assert {s.tag: s.weight for s in found} == {"power": 1.0, "faq": 1.0}  # faq, too, though its lift is below 1
    assert [s.tag for s in plain.for_query("battery", CORPUS)] == ["power"]
    assert all(s.weight == s.lift for s in plain.for_query("battery", CORPUS))


def test_a_tag_that_is_fifteen_times_as_common_nearby_is_written_as_two() -> None:
    documents = [Document(f"n{i}", "battery", metadata={"tags": ["power"]}) for i in range(3)]
    documents += [Document(f"o{i}", "tea", metadata={"tags": [f"t{i}"]}) for i in range(60)]
    corpus = Corpus("wide", tuple(documents))
    (one,) = Tags(rounding=True).for_query("battery", corpus)
    s = 61  # different tags
    lift = ((3 + 1) / (3 + s)) / ((3 + 1) / (63 + s))
    assert one.lift == pytest.approx(lift)
    assert one.weight == max(1.0, round(lift / 10))
    (small,) = Tags(rounding=True, smoothing=0.0).for_query("battery", corpus)
    assert small.lift == pytest.approx((4 / 3) / (4 / 63))
    assert small.weight == 2.0


def test_a_document_without_a_suggestion_has_the_true_reason() -> None:
    lonely, plain = CORPUS.documents[4], CORPUS.documents[1]
    assert str(Tags().reason(lonely, CORPUS)) == "No neighbour has a tag. Neighbours: 0."
    assert Tags().reason(plain, CORPUS) == ""
    rounded = Tags(rounding=True)
    lifts = [x.lift for x in Tags().for_document(plain, CORPUS)]
    assert f"The highest lift is {max(lifts):.3f}." in str(rounded.reason(plain, CORPUS))
    assert rounded.for_document(plain, CORPUS) == ()
    heavy = Tags(smoothing=10_000.0)
    assert heavy.for_document(plain, CORPUS) == ()
    assert "more common among the neighbours" in str(heavy.reason(plain, CORPUS))
