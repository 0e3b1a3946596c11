"""Cached values go when nobody has used them for ten minutes, except those that take long to compute."""

from __future__ import annotations

import weakref

import numpy as np
import pytest

from lab import kept
from lab.algebra import Corpus, Document
from lab.models import static
from lab.text import Analyzer, jieba_dictionary


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as a list of one number that a test may change."""
    times = [1000.0]
    monkeypatch.setattr(kept, "CLOCK", lambda: times[0])
    return times


def test_unused_values_of_a_corpus_are_dropped_and_computed_again(now: list[float]) -> None:
    corpus, made = Corpus("c", (Document("a", "red"),)), list[str]()

    def value(key: str, seconds: float = 0.0) -> str:
        def make() -> str:
            made.append(key)
            now[0] += seconds
            return key * 1000

        return corpus.once(key, make)

    for key, seconds in (("chart", 0.5), ("index", 1.0), ("vectors", 30.0)):
        value(key, seconds)
    before = corpus.bytes
    now[0] += kept.IDLE - 40
    value("index")
    kept.drop_unused()
    assert made == ["chart", "index", "vectors"]
    assert corpus.holds("chart")
    now[0] += 60
    assert kept.drop_unused() >= 1
    assert [corpus.holds(key) for key in ("chart", "index", "vectors")] == [False, True, True]
    assert corpus.bytes < before
    now[0] += 10 * kept.IDLE
    kept.drop_unused()
    assert [corpus.holds(key) for key in ("index", "vectors")] == [False, True], "what took long stays"
    assert value("chart") == "chart" * 1000
    assert made == ["chart", "index", "vectors", "chart"]


def test_the_dictionary_of_jieba_is_dropped_and_read_again(now: list[float]) -> None:
    analyzer, other = Analyzer(), Analyzer(user_words=frozenset({"电池如何"}))
    words, of_other, first = analyzer.tokens("公司的电池如何申请"), other.tokens("电池如何"), jieba_dictionary()
    now[0] += kept.IDLE - 1
    kept.drop_unused()
    assert jieba_dictionary() is first
    now[0] += kept.IDLE + 1
    kept.drop_unused()
    assert jieba_dictionary() is not first
    assert (analyzer.tokens("公司的电池如何申请"), other.tokens("电池如何")) == (words, of_other)
    assert "电池如何" in of_other
    assert "电池如何" not in words


def test_a_model_is_dropped_when_nothing_holds_it_and_is_loaded_again(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static, "_LOADED", kept.Shared(1))
    monkeypatch.setattr(static, "_HELD", weakref.WeakValueDictionary())
    encoder = static.load_built_in()
    vector, gone = encoder.documents(["kiln"]), weakref.ref(encoder)
    for _ in range(2):
        now[0] += kept.IDLE + 1
        kept.drop_unused()
        assert static.load_built_in() is encoder
    del encoder
    now[0] += kept.IDLE + 1
    kept.drop_unused()
    assert gone() is None
    assert np.array_equal(static.load_built_in().documents(["kiln"]), vector)


def test_what_took_long_stays_unless_it_may_go(now: list[float]) -> None:
    def slowly(_: object) -> str:
        now[0] += 30
        return "value"

    stays, goes = kept.Shared(1), kept.Shared(1, quick=60)
    for holder in (stays, goes):
        holder.once("key", slowly, None)
    now[0] += kept.IDLE + 60
    kept.drop_unused()
    assert (stays.get("key"), goes.get("key")) == ("value", None)
