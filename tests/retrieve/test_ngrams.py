"""Character n-grams: what they are, what they find, how their scores are explained and their words marked."""

from __future__ import annotations

import math

import pytest

from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.errors import ParameterError
from lab.retrieve.lexical import BM25
from lab.retrieve.ngrams import CharNgram, Grams

CORPUS = Corpus(
    "filters",
    (
        Document("a", "The filter of this model is washable."),
        Document("b", "Batteries are not covered."),
        Document("c", "打印机卡纸时先关机。"),
    ),
)
INDEX = CharNgram().index(CORPUS)


def test_a_word_has_the_pieces_of_every_length_with_its_edges():
    assert Grams(2, 3, True).tokens("cab") == [" c", "ca", "ab", "b ", " ca", "cab", "ab "]
    assert Grams(2, 3, False).tokens("cab") == ["ca", "ab", "cab"]


def test_a_word_that_is_too_short_is_one_piece():
    assert Grams(5, 6, True).tokens("at") == [" at "]


def test_pieces_never_reach_over_two_words_or_two_scripts():
    grams = Grams(3, 3, False).tokens("Wi-Fi连接 ok")
    assert grams == ["wi", "fi", "连接", "ok"]


def test_a_misspelt_question_finds_what_words_do_not():
    run = Runner(CORPUS)
    assert not run(BM25(), "filtter washeable").hits
    assert run(CharNgram(), "filtter washeable").ids[0] == "a"
    assert run(CharNgram(), "打印机卡指").ids[0] == "c"


def test_the_formulas_of_a_score_are_its_components_with_the_numbers_of_the_passage():
    (first, *_) = INDEX.search("filtter")
    told = INDEX.explanation(Query("filtter"), "a")
    assert {part.source: pytest.approx(part.value) for part in first.why} == {
        name: addend.value for name, addend in told.addends.items()
    }
    assert math.fsum(a.value for a in told.addends.values()) == pytest.approx(first.score)
    assert "_fi" in told.addends
    assert "tte" in told.absent
    assert str(told.note).startswith("passages: N = 3 · n-grams of the question: 18, of which this passage contains ")


def test_marked_are_words_that_the_question_covers_by_half():
    mark = INDEX.marker(Query("filtter"))
    text = CORPUS.documents[0].content
    assert [text[a:b] for a, b in mark(text)] == ["filter"]
    assert mark("The mill is new.") == []


def test_an_empty_list_says_truly_why():
    assert "No passage shares an n-gram" in str(INDEX.reason(Query("zzzz")))
    assert "no searchable word" in str(INDEX.reason(Query("???")))


def test_lengths_that_contradict_each_other_are_refused_in_words():
    with pytest.raises(ParameterError, match=r"shortest n-gram \(5\) is longer than the longest \(4\)"):
        CharNgram(5, 4)


def test_weighted_words_count_by_their_weights():
    once, twice = (INDEX.query_terms(Query("filter", weights=(("filter", w),))) for w in (1.0, 2.0))
    assert twice == {gram: 2 * n for gram, n in once.items()}


def test_counting_in_blocks_gives_the_same_matrix(monkeypatch: pytest.MonkeyPatch):
    from lab.retrieve import matrix

    corpus = samples.load("devices").corpus
    texts = [d.content for d in corpus.documents[:40]]
    whole = matrix.TermMatrix.count(texts, Grams(3, 5, True))
    monkeypatch.setattr(matrix, "BLOCK", 7)
    parts = matrix.TermMatrix.count(texts, Grams(3, 5, True))
    counts = [{term: m.df[j] for term, j in m.vocabulary.items()} for m in (whole, parts)]
    assert counts[0] == counts[1]
