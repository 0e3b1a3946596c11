"""Proximity: neighbouring words of the question add to a score, each by its own sum."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest

from lab.algebra import Corpus, Document, Runner
from lab.errors import ParameterError
from lab.refine.coverage import idf
from lab.refine.proximity import Positions, Proximity, closeness
from lab.retrieve.lexical import BM25
from lab.text import Analyzer

WHITESPACE = Analyzer(mode="whitespace")
CORPUS = Corpus(
    "crafts",
    (
        Document("far", "kiln one two three clay"),
        Document("near", "kiln clay one two three"),
        Document("twin", "kiln clay one two three"),
        Document("one", "kiln only"),
        Document("title", "one two", "kiln clay"),
        Document("border", "clay one", "two kiln"),
    ),
)


def test_the_sum_is_that_of_the_paper() -> None:
    rank = Runner(CORPUS)
    after, before = rank(BM25() >> Proximity(0.5, k1=2.0), "kiln clay"), rank(BM25(), "kiln clay")
    n, kiln, clay = len(CORPUS), idf(len(CORPUS), 6), idf(len(CORPUS), 5)
    assert n == 6
    for name, distance in (("near", 1), ("far", 4)):
        hit, first = after.hit(name), before.hit(name)
        assert hit
        assert first
        parts = [
            0.5 * min(1, own) * (other / distance**2) / (other / distance**2 + 2.0)
            for own, other in ((kiln, clay), (clay, kiln))
        ]
        assert hit.score == pytest.approx(first.score + sum(parts), abs=1e-12)
        assert [str(c.source) for c in hit.why[-2:]] == ["kiln: close to others", "clay: close to others"]
        assert [c.value for c in hit.why[-2:]] == pytest.approx(parts)
        assert math.fsum(c.value for c in hit.why) == pytest.approx(hit.score)
    assert after.rank("near") < after.rank("far")  # type: ignore[operator]
    assert before.rank("far") < before.rank("near")  # type: ignore[operator]
    assert after.hit("near").score == after.hit("twin").score  # type: ignore[union-attr]
    assert abs(after.rank("twin") - after.rank("near")) == 1  # type: ignore[operator]


def test_texts_with_one_word_of_the_question_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[str]()

    def reading(positions: Positions, document: Document, terms: Mapping[str, float]) -> dict[str, float]:
        read.append(document.id)
        return closeness(positions, document, terms)

    monkeypatch.setattr("lab.refine.proximity.closeness", reading)
    ranking = Runner(CORPUS)(BM25() >> Proximity(), "kiln clay")
    assert "one" in ranking.ids
    assert sorted(read) == sorted({*ranking.ids} - {"one"})


def test_title_and_text_do_not_touch() -> None:
    each = {d.id: closeness(Positions(WHITESPACE), d, {"kiln": 1.0, "clay": 1.0}) for d in CORPUS}
    assert each["title"] == each["near"] == {"kiln": 1.0, "clay": 1.0}
    assert each["border"] == each["one"] == {}


def test_only_neighbours_count_and_a_word_beside_itself_does_not() -> None:
    weights = {"a": 1.0, "b": 2.0, "c": 4.0}
    assert closeness(Positions(WHITESPACE), Document("d", "a a x b"), weights) == {"a": 2.0 / 2**2, "b": 1.0 / 2**2}
    assert closeness(Positions(WHITESPACE), Document("d", "a b c"), weights) == {"a": 2.0, "b": 1.0 + 4.0, "c": 2.0}


def test_overlapping_chinese_words_are_no_neighbours() -> None:
    analyzer = Analyzer(bigrams=False, characters=False, numbers=False)
    terms = dict.fromkeys(analyzer.tokens("年休假管理规定"), 1.0)
    spans = sorted(analyzer.spans("年休假"), key=lambda t: (t.start, t.end))
    assert len(spans) > 1
    assert closeness(Positions(analyzer), Document("d", "年休假"), terms) == {}
    assert closeness(Positions(analyzer), Document("d", "年休假管理"), terms)


def test_drawn_texts_against_the_definition() -> None:
    rng = random.Random(3)
    for _ in range(200):
        words = rng.choices("abcxyz", k=rng.randint(0, 14))
        weights = {"a": 0.5, "b": 1.5, "c": 3.0}
        sums = dict.fromkeys(weights, 0.0)
        places = [(i, w) for i, w in enumerate(words) if w in weights]
        for (i, one), (j, other) in zip(places, places[1:], strict=False):
            if one != other:
                sums[one] += weights[other] / (j - i) ** 2
                sums[other] += weights[one] / (j - i) ** 2
        expected = {w: v for w, v in sums.items() if v}
        assert closeness(Positions(WHITESPACE), Document("d", " ".join(words)), weights) == pytest.approx(expected)


@pytest.mark.parametrize("question", ["", "kiln", "unknown words", "kiln kiln"])
def test_a_question_of_fewer_than_two_words_changes_nothing(question: str) -> None:
    before, after = Runner(CORPUS)(BM25(), question), Runner(CORPUS)(BM25() >> Proximity(), question)
    assert [(h.document.id, h.score) for h in before.hits] == [(h.document.id, h.score) for h in after.hits]


def test_without_weight_nothing_changes_and_bad_numbers_are_refused() -> None:
    before, after = Runner(CORPUS)(BM25(), "kiln clay"), Runner(CORPUS)(BM25() >> Proximity(0.0), "kiln clay")
    assert [(h.document.id, h.score) for h in before.hits] == [(h.document.id, h.score) for h in after.hits]
    for bad in ({"weight": -0.1}, {"weight": 3.1}, {"k1": 0.0}):
        with pytest.raises(ParameterError, match="must lie between"):
            Proximity(**bad)
