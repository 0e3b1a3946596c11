"""Differences between two searches, in sentences, in both languages."""

from __future__ import annotations

import pytest
from night import for_each

from lab.algebra import Searcher
from lab.explain.differences import differences
from lab.formats import parse
from lab.presets import presets
from lab.ui import i18n

PAIRS = [
    ("BM25(k1=1.5)", "BM25(k1=0.9) >> MMR()", ["BM25 · k₁: 1.5 against 0.9.", "MMR only in the second."]),
    ("BM25()", "TFIDF()", ["BM25 against TF-IDF."]),
    ("BM25() % 5", "BM25()", ["Top only in the first."]),
    ("RRF()(BM25(), Vector())", "RRF(k=10)(BM25(), Vector())", ["RRF · k: 60 against 10."]),
    ("RRF()(BM25(), Vector())", "BM25()", ["Vector, RRF only in the first."]),
    (
        "RRF()(BM25(), Vector(), depth=50)",
        "WeightedSum()(BM25(), Vector())",
        ["RRF against Weighted sum.", "Results per list: 50 against 100."],
    ),
    (
        "BM25() >> MaxSim() >> MMR()",
        "BM25() >> MMR(k=3) >> MaxSim()",
        ["Different order: Soft coverage, MMR against MMR, Soft coverage.", "MMR · Picks: 10 against 3."],
    ),
    (
        "RRF()(BM25(), Vector())",
        "RRF()(BM25(), Vector() >> ScoreThreshold(0.3))",
        ["Vector: Score threshold only in the second."],
    ),
    ("RRF()(BM25(), BM25(b=0.5))", "RRF()(BM25(), BM25(b=0))", ["2. BM25 · b: 0.5 against 0."]),
    ("MultiQuery()(BM25())", "MultiQuery(n=2)(BM25())", ["Multi-query · Number of rewrites: 4 against 2."]),
    (
        "BM25(analyzer=Analyzer(bigrams=False))",
        "BM25()",
        ["BM25 · Analyzer · All pairs of characters: off against on."],
    ),
    (
        "BM25() >> EmbeddingsFilter(k=5)",
        "BM25() >> EmbeddingsFilter(k=5, threshold=0.5)",
        ["Similar to the query · Passages: cosine above: none against 0.5."],
    ),
    (
        "Fallback(BM25(), Vector())",
        "Fallback(BM25() % 3, Vector())",
        ["Fallback · First search: Top only in the second."],
    ),
]


@for_each("a, b, said", PAIRS)
def test_a_difference_is_said_with_its_values(a: str, b: str, said: list[str]) -> None:
    told = [str(x) for x in differences(parse(a), parse(b))]
    assert told == said


@for_each("a, b", [pair[:2] for pair in PAIRS])
def test_the_same_the_other_way_round_names_the_other_one(a: str, b: str) -> None:
    """One sentence each way; what is only in the first is only in the second then."""
    there, back = differences(parse(a), parse(b)), differences(parse(b), parse(a))
    assert len(there) == len(back)
    for here, other in (("first", "second"), ("second", "first")):
        own = [x for x in there if x.endswith(f"only in the {here}.")]
        assert own == [x.replace(other, here) for x in back if x.endswith(f"only in the {other}.")]
    assert not differences(parse(a), parse(a))


@pytest.mark.parametrize("a", presets().values(), ids=list(presets()))
@pytest.mark.parametrize("b", presets().values(), ids=list(presets()))
def test_searches_that_differ_are_told_apart(a: object, b: object) -> None:
    first, second = a.search, b.search  # type: ignore[attr-defined]
    assert isinstance(first, Searcher)
    assert bool(differences(first, second)) == (first != second)


def test_the_chinese_sentence_has_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    told = [i18n.say(x) for x in differences(parse(PAIRS[0][0]), parse(PAIRS[0][1]))]
    assert "1.5" in told[0]
    assert "0.9" in told[0]
    assert "against" not in "".join(told)
    assert "only in" not in "".join(told)
