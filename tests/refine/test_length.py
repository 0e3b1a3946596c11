"""The filter of lengths: its borders, its reasons, and what it refuses."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document, Hit, Query, Ranking
from lab.errors import ParameterError
from lab.refine.length import LengthFilter
from lab.retrieve.lexical import BM25

TEXTS = ["", "short", "x" * 20, "电" * 21]
CORPUS = Corpus("lengths", tuple(Document(str(len(text)), text, "a title that is long enough") for text in TEXTS))
RANKING = Ranking(Query("q"), tuple(Hit(d, 1.0) for d in CORPUS), BM25(), corpus=CORPUS)


def test_the_borders_themselves_stay_and_the_title_does_not_count() -> None:
    assert LengthFilter()(RANKING).ids == ["20", "21"]
    assert LengthFilter(5, 20)(RANKING).ids == ["5", "20"]
    assert LengthFilter(0)(RANKING).ids == RANKING.ids
    assert LengthFilter(0, 0)(RANKING).ids == ["0"]


def test_every_removal_says_the_length_and_the_limit() -> None:
    told = {d.document.id: str(d.reason) for d in LengthFilter(6, 20)(RANKING).dropped}
    assert told == {
        "0": "Characters: 0; minimum: 6.",
        "5": "Characters: 5; minimum: 6.",
        "21": "Characters: 21; maximum: 20.",
    }


def test_a_shortest_above_the_longest_is_refused() -> None:
    with pytest.raises(ParameterError, match="shortest is 21, but must not be greater than longest, which is 20"):
        LengthFilter(21, 20)
