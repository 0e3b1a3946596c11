"""About how many bytes a value takes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from lab.algebra import Corpus, Document
from lab.footprint import footprint
from lab.retrieve.lexical import BM25
from lab.text import Analyzer


def test_a_view_weighs_what_it_holds_and_nothing_is_counted_twice() -> None:
    rows = np.zeros((1000, 100))
    assert footprint(rows) == pytest.approx(rows.nbytes, rel=0.01)
    assert footprint(rows[::50]) == pytest.approx(rows.nbytes, rel=0.01)
    assert footprint([rows, rows, rows[1:]]) == pytest.approx(rows.nbytes, rel=0.01)
    assert footprint([rows, "x"], without=lambda one: one is rows) < 1000
    circle: list[object] = [rows]
    circle.append(circle)
    assert footprint(circle) == pytest.approx(rows.nbytes, rel=0.01)


def test_long_containers_and_an_index_weigh_about_what_they_take() -> None:
    words = [f"w{i * 7919 % 3001}" for i in range(60_000)]
    corpus = Corpus("c", tuple(Document(str(i), " ".join(words[i * 30 : i * 30 + 30])) for i in range(2000)))
    BM25().index(Corpus("warm", corpus.documents))  # what the analyzer remembers of words belongs to nobody
    for make in (lambda: [[str(i * j) for j in range(40)] for i in range(2000)], lambda: BM25().index(corpus)):
        tracemalloc.start()
        value = make()
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        own = footprint(value, without=lambda one: isinstance(one, Document | Corpus | Analyzer))
        assert own == pytest.approx(taken, rel=0.5)


def test_the_words_that_an_analyzer_remembers_belong_to_nobody() -> None:
    analyzer = Analyzer()
    analyzer.tokens("one 一")
    before = footprint(analyzer)
    analyzer.tokens(" ".join(f"w{i}" for i in range(20_000)))
    assert len(analyzer._latin) == 20_001
    assert footprint([analyzer]) < before + 1000
