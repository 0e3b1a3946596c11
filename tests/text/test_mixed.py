"""Words of Han and other characters, and words of one or two letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document
from lab.retrieve.lexical import BM25
from lab.text import STEMS, Analyzer, is_han
from lab.text.mixed import JIEBA_WORDS
from maintenance.variants import dictionary_words

MODES = ("search", "precise", "full")


def words(analyzer: Analyzer, text: str) -> list[str]:
    """Returns the words of a text, which are the same one by one and together."""
    tokens = [*analyzer.spans(text)]
    assert analyzer.tokens(text) == [t.text for t in tokens]
    together = sorted(t for kind, _ in analyzer.many(["other", text]) for t in kind if t != "\t")
    assert together == sorted(analyzer.tokens("other") + analyzer.tokens(text))
    for token in tokens:
        if token.kind == "word":
            assert analyzer.read(text[token.start : token.end]).text == token.text
    return [t.text for t in tokens if t.kind == "word"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "word", ["5G手机", "T恤衫", "C罗", "小米13", "Wi-Fi路由器", "骁龙8代", "5G手機", "iPhone15手机壳"]
)
def test_a_dictionary_word_may_have_letters_and_digits(mode: str, word: str) -> None:
    analyzer = Analyzer(mode=mode, user_words=(word,), stem="none")
    whole = analyzer.read(word).text
    found = words(analyzer, f"我要买{word}，好的")
    assert whole in found
    without = words(Analyzer(mode=mode, stem="none"), f"我要买{word}，好的")
    assert [w for w in found if w != whole] == [w for w in without if w != whole]
    assert whole not in words(analyzer, word[:-1] + " " + word[-1])


@pytest.mark.parametrize(
    ("text", "word"),
    [("T恤", "t恤"), ("做B超", "b超"), ("U盘坏了", "u盘"), ("去卡拉OK吧", "卡拉ok"), ("ＰＨ值", "ph值")],
)
def test_a_word_that_jieba_knows_is_kept_whole(text: str, word: str) -> None:
    assert word in words(Analyzer(), text)


def test_a_mixed_word_ends_where_a_word_ends() -> None:
    analyzer = Analyzer(user_words=("5G手机", "小米13"))
    assert "5g手机" not in words(analyzer, "15G手机")
    assert "小米13" not in words(analyzer, "小米135")
    assert "小米13" in words(analyzer, "小米13和")


@given(
    st.from_regex(r"[a-z0-9]{1,4}", fullmatch=True),
    st.sampled_from(["手机", "盘", "电视机"]),
    st.booleans(),
    st.sampled_from(MODES),
)
def test_any_mixed_word_is_found_by_bm25_above_its_parts(letters: str, han: str, first: bool, mode: str) -> None:
    word = letters + han if first else han + letters
    corpus = Corpus(
        "c", [Document("parts", "", f"{han} {letters} {han}，{letters}"), Document("whole", "", f"买{word}吗")]
    )
    retriever = BM25(analyzer=Analyzer(mode=mode, user_words=(word,)))
    assert [hit.document.id for hit in retriever.index(corpus).search(word)][0] == "whole"


def test_the_mixed_words_are_those_of_jieba() -> None:
    own = {word.lower() for word in dictionary_words() if any(map(is_han, word)) and not is_han(word)}
    assert set(JIEBA_WORDS.split()) == own | {"卡拉ok"}


@pytest.mark.parametrize("stem", [s for s in STEMS if s != "s"])
@pytest.mark.parametrize("word", ["s", "is", "us", "as", "by", "ie", "a"])
def test_a_word_of_one_or_two_letters_is_its_own_stem(stem: str, word: str) -> None:
    analyzer = Analyzer(stem=stem, questions=False)
    assert analyzer.tokens(word) == [word]
    assert all(analyzer.tokens(f"The router{sign}s light") for sign in "'’")
    assert "" not in analyzer.tokens("The router's light is us")
