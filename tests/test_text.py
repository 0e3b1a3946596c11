"""Tokens, where they stand, what a query falls back to, and where sentences end."""

from __future__ import annotations

import copy
import gc
import re
import sys
import unicodedata
import weakref
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from night import NIGHT, examples, for_each, spread
from plain import cutting

from lab.algebra import Corpus, Document
from lab.errors import ParameterError
from lab.retrieve.lexical import BM25
from lab.text import (
    BLANK_TERM,
    MODES,
    STEMS,
    Analyzer,
    Token,
    count_tokens,
    fold,
    folded,
    half_width,
    is_han,
    language_of,
    matches,
    surface,
    unified,
)
from lab.text.analyzer import s_stem
from lab.text.borders import BORDERS, pieces, sentences

SEARCH = cutting()
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u3164\uffa0\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ff]"
)


# ---------------------------------------------------------------------------------------------- folding


@for_each(
    "text, same",
    [
        ("ＷＨ－１０００ＸＭ５", "wh-1000xm5"),
        ("全角　空格", "全角 空格"),
        ("ＡＢＣ！？", "abc!?"),
        ("Straße", "straße"),
        ("ΟΔΟΣ", "οδοσ"),
        ("cafe\u0301", "café"),  # as macOS writes it
        ("ﬁsh", "fish"),
        ("ｶﾒﾗ ｶﾞﾗｽ", "カメラ ガラス"),
        ("İstanbul", "istanbul"),  # its lower case has two code points
        ("I\u0307stanbul", "istanbul"),
        ("µm", "μm"),
        ("bat\u00adtery", "battery"),
        ("bat\u200btery\ufeff", "battery"),
        ("葛\U000e0100城", "葛城"),  # a variant of the character
        ("豈", "豈"),
        ("25℃ ㎏ ²", "25°c kg 2"),
        ("WH‑1000", "wh-1000"),  # a hyphen that does not break
        ("J\u030c", "ǰ"),  # only its lower case has one code point
        ("한국", "한국"),
        ("wait…what", "wait…what"),  # three full stops would join the words
        ("قَال", "قَال"),
        ("", ""),
    ],
)
def test_what_looks_the_same_is_the_same(text: str, same: str) -> None:
    assert fold(text) == same
    assert fold(same) == same


SCRIPTS = st.text(max_size=30) | st.text(
    alphabet=st.sampled_from(
        [*"aEiIİ\u0301\u0307\u0323\u00ad\u200d\ufe0fﬁ½…Ｗ－ｶﾞΣςǰ電电한\u1112\u1161\u11ab각\u11a8กำ👩🏽 قَ"]
    ),
    max_size=12,
)


@examples(400)
@given(SCRIPTS)
@example("ΑΣ.Β")
@example("İΣ")
@example("⺁⻛⼀豈")
def test_folding_is_nfkc_in_lower_case_of_what_is_seen(text: str) -> None:
    def nfkc(said: str) -> str:
        return unicodedata.normalize("NFKC", said)

    def solid(said: str) -> str:  # spaces separate numbers that NFKC would join: see tests/text/test_folding.py
        return said.replace(" ", "")

    seen = unified(re.sub("[\u2010\u2011]", "-", UNSEEN.sub("", text))).replace("…", "\ue000")
    seen = re.sub("[©®™℠℗\U0001f16a-\U0001f16c]", " ", seen)
    same = nfkc(re.sub("i\u0307+", "i", nfkc(seen).lower())).replace("ς", "σ").replace("\ue000", "…")
    assert solid(fold(text)) == solid(same)
    assert fold(fold(text)) == fold(text)


@examples(400)
@given(SCRIPTS)
@example("½İ\u0301…ﬁ")
def test_every_folded_character_knows_where_it_stood(text: str) -> None:
    read = folded(text)
    places = [read.place(i, i + 1) for i in range(len(read.text))]
    assert all(0 <= a < b <= len(text) for a, b in places)
    assert places == sorted(places)
    for (a, b), i in zip(places, range(len(places)), strict=True):
        assert read.text[i] in " " + fold(text[a:b])
    assert "".join(fold(text[a:b]) for a, b in dict.fromkeys(places)).replace(" ", "") == read.text.replace(" ", "")


@given(st.text(max_size=40))
def test_half_width_keeps_every_place(text: str) -> None:
    assert len(half_width(text)) == len(text)
    assert half_width(half_width(text)) == half_width(text)


def test_han_is_every_character_or_not() -> None:
    assert is_han("𠮷野家〇")
    assert not is_han("耳机X")
    assert not is_han("")


# ------------------------------------------------------------------------------------------ model numbers


@for_each(
    "text, tokens",
    [
        ("WH-1000XM5", ["wh-1000xm5", "wh", "1000xm5"]),
        ("ＷＨ－１０００ＸＭ５", ["wh-1000xm5", "wh", "1000xm5"]),
        ("v2.1", ["v2.1", "v2", "1"]),
        ("3.5 mm", ["3.5", "3", "5", "mm"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("E-21.", ["e-21", "e", "21"]),
        ("--E21--", ["e21"]),
        ("a--b", ["a--b", "a", "b"]),
        ("E21", ["e21"]),
        ("WH-1000XM5耳机", ["wh-1000xm5", "wh", "1000xm5", "耳机"]),
        ("don't", ["don", "t"]),
        ("user-defined batteries", ["user-defined", "user", "defined", "batteries"]),
        ("C++, C# and F#", ["c++", "c#", "and", "f#"]),
        ("Ｃ＋＋、.NET、ASP.NET", ["c++", ".net", "asp.net", "asp", "net"]),
        ("用C#写C++17", ["c#", "c++", "17"]),
        ("C+ C- C .network a.net ...net #c", ["c", "c", "c", "network", "a.net", "a", "net", "net", "c"]),
        ("-_.", []),
        ("", []),
    ],
)
def test_words_keep_their_inner_marks_and_are_split_too(text: str, tokens: list[str]) -> None:
    assert SEARCH.tokens(text) == tokens


@for_each("query", ["wh-1000xm5", "1000xm5", "WH", "ｗｈ－１０００ｘｍ５"])
def test_a_model_number_is_found_whole_and_by_its_parts(query: str) -> None:
    assert set(SEARCH.tokens(query)) <= set(SEARCH.tokens("Sony WH-1000XM5 headphones"))


# ------------------------------------------------------------------------------------------------ modes


@for_each(
    "mode, tokens",
    [
        ("search", ["清华", "华大", "大学", "清华大学", "很", "美"]),
        ("precise", ["清华大学", "很", "美"]),
        ("full", ["清华", "清华大学", "华大", "大学", "很美"]),
        ("character", list("清华大学很美")),
        ("bigram", ["清华", "华大", "大学", "学很", "很美"]),
        ("whitespace", ["清华大学很美"]),
    ],
)
def test_each_mode_cuts_in_its_way(mode: str, tokens: list[str]) -> None:
    text = "清华大学很美"
    assert cutting(mode=mode, single=True).tokens(text) == tokens
    kept = tokens if mode in ("character", "whitespace") else [t for t in tokens if len(t) > 1]
    assert cutting(mode=mode, pairs=False).tokens(text) == kept
    assert cutting(mode=mode).tokens(text) == [*kept, *(["很美"] if mode in ("search", "precise") else [])]


@for_each(
    "text, terms",
    [
        ("清华大学很美", [*"清华大学", "␣", "很", "␣", "美"]),
        ("Red fox", ["r", "e", "d", "␣", "f", "o", "x"]),
        ("什么是 AI?", ["是", "␣", "a", "i"]),
        ("", []),
    ],
)
def test_a_joined_string_is_cut_into_its_characters(text: str, terms: list[str]) -> None:
    """What a tokenizer that returns ``" ".join(words)`` makes of a text; question words are left out before."""
    assert cutting(mode="string", questions=True).tokens(text) == terms


def test_a_document_without_a_common_word_is_found_by_a_joined_string() -> None:
    corpus = Corpus("c", (Document("a", "red fox"), Document("b", "more ice"), Document("c", "9999")))
    joined = BM25(analyzer=Analyzer("string")).index(corpus).search("fox")
    assert [*joined.ids] == ["a", "b"]
    assert [*BM25().index(corpus).search("fox").ids] == ["a"]


def test_only_blanks_separate_in_whitespace_mode() -> None:
    assert cutting(mode="whitespace").tokens(" A-b, 中文，ｃ\t\n d　e ") == [
        "a-b,",
        "中文,ｃ".replace("ｃ", "c"),
        "d",
        "e",
    ]


def test_an_unknown_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="one of: search, precise, full, whitespace, character, bigram, string"):
        cutting(mode="jieba")


def test_latin_words_of_one_letter_are_kept() -> None:
    assert SEARCH.tokens("plan b 在") == ["plan", "b"]


@pytest.mark.parametrize("mode", ["search", "precise"])
def test_two_single_characters_in_a_row_stand_as_one_token(mode: str) -> None:
    analyzer = cutting(mode=mode)
    assert cutting(mode=mode, single=True).tokens("猫和狗爱清华") == ["猫", "和", "狗", "爱", "清华"]
    assert analyzer.tokens("猫和狗爱清华") == ["猫和", "和狗", "狗爱", "清华"]
    assert analyzer.tokens("猫清华狗") == ["清华"]  # a word between them
    assert analyzer.tokens("猫 狗，鱼") == []  # not in a row
    assert list(analyzer.spans("a 猫和狗")) == [
        Token("a", 0, 1),
        Token("猫和", 2, 4, "pair"),
        Token("和狗", 3, 5, "pair"),
    ]


@for_each(
    "query, only", [("年假", True), ("猫和狗", True), ("年假 WH", False), ("电池", False), ("猫", False), ("", False)]
)
def test_it_is_known_when_a_query_is_nothing_but_pairs(query: str, only: bool) -> None:
    assert SEARCH.only_pairs(query) is only
    assert cutting(bigrams=True).only_pairs(query) is only
    assert not cutting(pairs=False).only_pairs(query)
    assert not cutting(single=True).only_pairs(query)


# ---------------------------------------------------------------------------- stop words and user words


def test_stop_words_are_dropped_after_folding() -> None:
    analyzer = cutting(stop_words=frozenset({"the", "耳机", "wh"}))
    assert analyzer.tokens("ＴＨＥ 耳机 WH-5 充电") == ["wh-5", "5", "充电"]
    assert [t.text for t in analyzer.spans("ＴＨＥ 耳机 WH-5 充电")] == ["wh-5", "5", "充电"]


@pytest.mark.parametrize("mode", ["search", "precise", "full"])
def test_user_words_stay_whole_and_trouble_nobody_else(mode: str) -> None:
    text = "墨鱼云盘很好用"
    assert "墨鱼云盘" not in cutting(mode=mode).tokens(text)
    own = cutting(mode=mode, user_words=("墨鱼云盘",))
    assert "墨鱼云盘" in own.tokens(text)
    assert Token("墨鱼云盘", 0, 4) in list(own.spans(text))
    assert "墨鱼云盘" not in cutting(mode=mode).tokens(text)


def test_analyzers_are_equal_by_value_and_can_be_copied_after_use() -> None:
    used = cutting(user_words=("墨鱼云盘",), stop_words=frozenset({"a"}))
    used.tokens("墨鱼云盘")
    assert used == cutting(user_words=("墨鱼云盘",), stop_words=frozenset({"a"}))
    assert copy.deepcopy(used) == used
    assert copy.deepcopy(used).tokens("墨鱼云盘") == used.tokens("墨鱼云盘")


# ------------------------------------------------------------------------------------------ the fallback


def test_a_query_with_nothing_but_single_characters_keeps_them() -> None:
    assert SEARCH.tokens("猫") == []
    assert SEARCH.for_query("猫") == cutting(mode="character")
    assert SEARCH.for_query("猫").tokens("猫") == ["猫"]


@pytest.mark.parametrize("analyzer", [SEARCH, cutting(single=True), cutting(bigrams=True), cutting(mode="bigram")])
@pytest.mark.parametrize("query", ["电", "电？"])
def test_a_query_of_one_character_looks_inside_of_words(query: str, analyzer: Analyzer) -> None:
    used = analyzer.for_query(query)
    assert used.mode == "character"
    assert set(used.tokens(query)) <= set(used.tokens("手机电池"))


def test_several_single_characters_look_inside_of_words_where_they_would_find_nothing() -> None:
    assert cutting(bigrams=True).for_query("电 池").mode == "character"
    assert cutting(single=True).for_query("年假") == cutting(single=True)


@for_each("query", ["电池", "猫 WH", "", "  ", "？！…", "the"])
def test_any_other_query_is_analyzed_like_the_documents(query: str) -> None:
    assert SEARCH.for_query(query) is SEARCH


def test_a_query_of_stop_words_has_nothing_to_fall_back_to() -> None:
    analyzer = cutting(stop_words=frozenset({"的", "the"}))
    assert analyzer.for_query("的 the") is analyzer


@pytest.mark.parametrize("mode", ["character", "whitespace"])
def test_modes_that_drop_nothing_never_fall_back(mode: str) -> None:
    analyzer = cutting(mode=mode)
    assert analyzer.for_query("") is analyzer
    assert analyzer.for_query("猫") is analyzer


# ------------------------------------------------------------------------------- pairs, stems, two scripts


@pytest.mark.parametrize("mode", ["search", "precise", "full"])
def test_every_two_neighbours_are_a_token_after_the_words(mode: str) -> None:
    words, both = cutting(mode=mode, pairs=False), cutting(mode=mode, bigrams=True)
    text = "手机电池，猫 WH-5 很好"
    pairs = ["手_机", "机_电", "电_池", "很_好"]
    assert both.tokens(text) == [*words.tokens(text), *pairs]
    assert [t.kind for t in both.spans(text)][-4:] == ["pair"] * 4
    assert [surface(p) for p in pairs] == ["手机", "机电", "电池", "很好"]
    assert replace(both, pairs=False).tokens(text) == both.tokens(text)  # nothing is left to be joined


@pytest.mark.parametrize("mode", ["whitespace", "character", "bigram"])
def test_modes_without_a_dictionary_have_no_pairs_beside(mode: str) -> None:
    assert cutting(mode=mode, bigrams=True).tokens("手机电池") == cutting(mode=mode).tokens("手机电池")


@for_each("term", ["snake_case", "a_b", "电池", "_", "电_", "电_池_机", "c++"])
def test_any_other_term_is_read_as_it_is_written(term: str) -> None:
    assert surface(term) == term


def test_a_stop_word_is_no_pair_either_and_no_other_pair_goes() -> None:
    analyzer = cutting(bigrams=True, stop_words=frozenset({"电池"}))
    assert analyzer.tokens("手机电池") == ["手机", "机电", "手机电池", "手_机", "机_电"]
    assert [t.text for t in analyzer.spans("手机电池")] == analyzer.tokens("手机电池")


@for_each(
    "stem, stems",
    [
        ("none", ["charging", "batteries", "user-defined", "user", "defined", "universities"]),
        ("s", ["charging", "battery", "user-defined", "user", "defined", "university"]),
        ("porter", ["charg", "batteri", "user-defined", "user", "defin", "univers"]),
        ("snowball", ["charg", "batteri", "user-defined", "user", "defin", "universiti"]),
    ],
)
def test_words_are_known_by_their_stems_and_joint_ones_by_those_of_their_parts(stem: str, stems: list[str]) -> None:
    analyzer, text = cutting(stem=stem), "Charging batteries: user-defined universities"
    assert analyzer.tokens(text) == stems
    assert [text[t.start : t.end].lower() for t in analyzer.spans(text)] == cutting().tokens(text)
    assert [t.kind for t in analyzer.spans(text)] == ["word", "word", "word", "part", "part", "word"]


def test_only_words_of_latin_letters_have_stems() -> None:
    kept = ["cafés", "wh-1000s", "wh", "1000s", "3s", "c++", "电池", "μs", "カメラs"]
    assert cutting(stem="snowball").tokens(" ".join(kept[:2] + kept[4:])) == kept


def test_stop_words_are_compared_before_stems_are_made() -> None:
    assert cutting(stem="snowball", stop_words=frozenset({"Being", "batteri"})).tokens("being batteries be") == [
        "batteri",
        "be",
    ]


def test_an_unknown_stem_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="one of: none, s, porter, snowball"):
        cutting(stem="lancaster")


@for_each(
    "word, stem",
    [  # the three rules and their exceptions, which go on to the next rule
        ("queries", "query"),
        ("zombaies", "zombaie"),
        ("eies", "eie"),
        ("cases", "case"),
        ("boxes", "boxe"),
        ("trees", "tree"),
        ("shoes", "shoe"),
        ("reggaes", "reggae"),
        ("plugs", "plug"),
        ("bonus", "bonus"),
        ("glass", "glass"),
        ("as", "as"),
        ("gas", "ga"),
        ("battery", "battery"),
        ("", ""),
    ],
)
def test_the_plural_s_goes_by_three_rules(word: str, stem: str) -> None:
    assert s_stem(word) == stem


@for_each("mode", ["search", "precise", "full", "character", "bigram"])
def test_traditional_characters_are_read_as_simplified_ones_and_the_text_stays(mode: str) -> None:
    analyzer = cutting(mode=mode, bigrams=True, simplified=True, user_words=("墨魚雲盤",), stop_words=frozenset({"請"}))
    text, simple = "請換電池，墨魚雲盤", "请换电池，墨鱼云盘"
    assert analyzer.tokens(text) == analyzer.tokens(simple)
    assert list(analyzer.spans(text)) == list(analyzer.spans(simple))
    assert analyzer.tokens("電") == [] or mode == "character"
    assert cutting(mode=mode).tokens(text) != cutting(mode=mode).tokens(simple)
    if mode in ("search", "precise", "full"):
        assert {"电池", "墨鱼云盘"} <= set(analyzer.tokens(text))


@for_each(
    "text, query",
    [
        ("café", "cafe\u0301"),
        ("cafe\u0301", "café"),
        ("ﬁsh", "fish"),
        ("ｶﾒﾗ", "カメラ"),
        ("İstanbul", "istanbul"),
        ("5 µm", "5 μm"),
        ("bat\u00adtery", "battery"),
        ("电\u200b池", "电池"),
    ],
)
def test_words_that_look_the_same_find_each_other(text: str, query: str) -> None:
    assert SEARCH.tokens(text) == SEARCH.tokens(query) != []
    assert matches(f"({text})", set(SEARCH.tokens(query)), SEARCH)[0][0] == 1
    assert matches(f"({text})", set(SEARCH.tokens(query)), SEARCH)[-1][1] == len(text) + 1


# --------------------------------------------------------------------------------------------- positions

PIECES = [
    *[
        "中华人民共和国",
        "研究生命起源",
        "的",
        "结婚的和尚未结婚的",
        "哈哈哈哈",
        "人人网人",
        "乒乓球拍卖完了",
        "𠮷野家",
        "鿗㐀",
    ],
    *[
        "電池",
        "墨魚雲盤",
        "請",
        "葛\U000e0100城",
        "豈",
        "㍿",
        "½",
        "batteries",
        "ca\u0301fe\u0301s",
        "soft\u00adly",
        "C++",
        ".NET",
    ],
    *["ｶﾞﾗｽ", "हिन्दी", "ภาษาไทย", "قَالَ", "👩🏽‍🚀", "\u200b", "\u0301", "…", "℃"],
    *[
        "WH-1000XM5",
        "AX7200N",
        "怎么办",
        "什么",
        "吗",
        "HOW",
        "ＷＨ－１０",
        "v2.1",
        "İ",
        "ΑΣ.Β",
        "ß",
        "ﬁ",
        "é",
        "日本語カナ",
        "한국",
        "😀",
        "٣",
        "_x_",
        "a--b",
    ],
    *[
        "Wi-Fi",
        "e-mails",
        "U.S.",
        "1,000",
        "１，２３４．５",
        "0,125",
        "3.5mm",
        "2h30min",
        "12m²",
        "1-2",
        "mu\u0308ßte",
        "x\u0302",
    ],
    *["-", ".", ",", "7", "000"],
    *[" ", "　", "\n", "，", "。", "..."],
]


@st.composite
def analyzers(draw: st.DrawFn) -> Analyzer:
    return Analyzer(
        draw(st.sampled_from(list(MODES))),
        draw(st.booleans()),
        draw(st.sampled_from([frozenset[str](), frozenset({"的", "wh", "v2.1", "大学", "电池", "Batteries"})])),
        draw(st.sampled_from([(), ("墨鱼云盘",)])),
        *(draw(st.booleans()), draw(st.booleans()), draw(st.sampled_from(list(STEMS)))),
        *(draw(st.booleans()) for _ in range(8)),
    )


@settings(max_examples=10_000 if NIGHT else 300)
@given(text=st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | SCRIPTS, analyzer=analyzers())
def test_every_token_stands_where_it_says(text: str, analyzer: Analyzer) -> None:
    spans = list(analyzer.spans(text))
    assert [t.text for t in spans] == analyzer.tokens(text)
    unstemmed = replace(analyzer, stem="none", stop_words=frozenset())
    stops = {unstemmed.read(word).text for word in analyzer.stop_words}
    for token in spans:
        assert 0 <= token.start < token.end <= len(text)
        marked = text[token.start : token.end]
        said = surface(token.text) if token.kind == "pair" else token.text
        read = unstemmed.word(text, token)
        if analyzer.mode == "string":  # one character of a sign may be a letter of several (ﬁ)
            assert said in read or said == BLANK_TERM
            assert said not in stops
            continue
        if analyzer.stem != "none" and read.isascii() and read.isalpha():
            assert [said] == cutting(mode="whitespace", stem=analyzer.stem).tokens(read)
        elif len(read) == len(said):
            assert read == said
        else:  # a sign that is several characters, not all of which belong to the token (½, ㍿), or a mark beside it
            apart = unstemmed.read(marked + "½")
            assert any(apart.place(i, i + 1) != (i, i + 1) for i in range(len(read)))
            stem = cutting(mode="whitespace", stem=analyzer.stem)
            assert said in read or said in [t for word in cutting().tokens(read) for t in stem.tokens(word)]
        assert read not in stops


@examples(300)
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join) | SCRIPTS, max_size=5), analyzers())
def test_many_texts_have_the_tokens_that_each_has_by_itself(texts: list[str], analyzer: Analyzer) -> None:
    together: list[list[str]] = [[] for _ in texts]
    for terms, order in analyzer.many(texts):
        at, own = 0, [*terms]
        for term in own if order is None else [own[i] for i in order]:
            if term == "\t":
                at += 1
            else:
                together[at].append(term)
        assert at == len(texts)
    assert list(map(sorted, together)) == [sorted(analyzer.tokens(text)) for text in texts]


@for_each("mode", ["search", "precise", "character", "bigram"])
def test_repeated_words_have_places_of_their_own(mode: str) -> None:
    spans = list(cutting(mode=mode, single=True).spans("电池电池电池"))
    assert len(set(spans)) == len(spans)
    assert {p for t in spans for p in range(t.start, t.end)} == set(range(6))


def test_places_count_characters_beyond_the_basic_plane_as_one() -> None:
    spans = list(cutting(mode="search").spans("𠮷𠮷 清华大学"))
    assert Token("清华大学", 3, 7) in spans


# ------------------------------------------------------------------------------------------------- marks


def test_matches_are_merged_places_of_the_words() -> None:
    text = "清华大学和 WH-1000XM5 和清华"
    assert matches(text, {"清华", "清华大学"}, SEARCH) == [(0, 4), (text.rindex("清华"), len(text))]
    assert matches(text, frozenset({"1000xm5"}), SEARCH) == [(text.index("1000"), text.index("1000") + 7)]
    assert matches(text, {"wh-1000xm5", "wh"}, SEARCH) == [(6, 16)]
    assert matches(text, set(), SEARCH) == []
    assert matches("", {"清华"}, SEARCH) == []


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_matches_are_apart_and_in_order(text: str) -> None:
    analyzer = cutting(mode="full", single=True)
    words = set(analyzer.tokens(text)[::2])
    found = matches(text, words, analyzer)
    assert all(a < b for a, b in found)
    assert all(b < c for (_, b), (c, _) in zip(found, found[1:], strict=False))
    for token in analyzer.spans(text):
        if token.text in words:
            assert any(a <= token.start and token.end <= b for a, b in found)


# --------------------------------------------------------------------------------------------- sentences


@for_each(
    "text, expected",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("一。二！三？四；五", ["一。", "二！", "三？", "四；", "五"]),
        ("Firmware v2.1 fixes it. Use a 3.5 mm plug.", ["Firmware v2.1 fixes it.", "Use a 3.5 mm plug."]),
        ("固件v2.1修复了它。用3.5 mm插头。", ["固件v2.1修复了它。", "用3.5 mm插头。"]),
        ("See lab.example.com/a.html for more", ["See lab.example.com/a.html for more"]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("等一下……什么？好。", ["等一下……什么？", "好。"]),
        ("他说：“走吧。”然后走了。", ["他说：“走吧。”", "然后走了。"]),
        ("他问：「好吗？」她点头。", ["他问：「好吗？」", "她点头。"]),
        ('He said "go." Then he left.', ['He said "go."', "Then he left."]),
        ("He said ‘go.’ Then he left.", ["He said ‘go.’", "Then he left."]),
        ("(It is off.) Press it.", ["(It is off.)", "Press it."]),
        ("What?! No!!", ["What?!", "No!!"]),
        ('真的？"是的。"他说。', ["真的？", '"是的。"', "他说。"]),
        ('他说："好。"走了。', ['他说："好。"', "走了。"]),
        ('他问\n真的？"是的。', ["他问", "真的？", '"是的。']),
        ('Really? "Yes." He left "it".', ["Really?", '"Yes."', 'He left "it".']),
        ("1. one\n2. two. More.\n10. ten", ["1. one", "2. two.", "More.", "10. ten"]),
        ("It was 15. Then", ["It was 15.", "Then"]),
        ("Mr. Smith, Dr. Li and Prof. Ng went, e.g. today. Fine.", None),
        ("It is better, vs. before, i.e. now, says Mrs. Ba. So.", None),
        ("  first\n\n  second  \n", ["first", "second"]),
        ("中文。English. 中文", ["中文。", "English.", "中文"]),
        ("no end", ["no end"]),
        ("。。。", ["。。。"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str] | None) -> None:
    if expected is None:  # at the last two full stops alone
        expected = [text[: text.rindex(" ")], text[text.rindex(" ") + 1 :]]
    assert [text[a:b] for a, b in sentences(text)] == expected


@for_each(
    "odd", [{"single": "x"}, {"stop_words": "the"}, {"stop_words": (5,)}, {"user_words": "电池"}, {"user_words": None}]
)
def test_an_analyzer_of_another_kind_is_refused(odd: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(odd))):
        Analyzer(**odd)


def test_a_list_of_words_is_a_set_or_a_tuple_of_them() -> None:
    made = Analyzer(stop_words=["the"], user_words=["充满"])  # type: ignore[arg-type]
    assert made == Analyzer(stop_words=frozenset({"the"}), user_words=("充满",))
    assert hash(made)


def test_a_long_line_of_quotations_is_cut_in_a_moment() -> None:
    text = '真的？"是的。"他说。' * 20_000
    assert len(sentences(text)) == 60_000


@given(st.text(alphabet="ab 中。！？.!?;；”\"')】\n　", max_size=30))
def test_sentences_lose_nothing_but_blanks(text: str) -> None:
    spans = sentences(text)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)
    covered = {p for a, b in spans for p in range(a, b)}
    assert [c for i, c in enumerate(text) if i not in covered and not c.isspace()] == []
    assert all(b <= c for (_, b), (c, _) in zip(spans, spans[1:], strict=False))


# ------------------------------------------------------------------------------ pieces, tokens, languages

WORDS = ["员工请假", "。", "，", "……", "v2.1 ", "Then wait", ". ", "\n\n", "\n", "x" * 50, "”", "；"]


@given(st.lists(st.sampled_from(WORDS), max_size=60).map("".join), st.integers(2, 60))
@example("员工请假应提前三天。\n\nEmployees apply in v2.1, see page 3. " * 10 + "x" * 200, 80)
def test_a_text_is_cut_where_langchain_cuts_it_and_loses_nothing(text: str, size: int) -> None:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    theirs = RecursiveCharacterTextSplitter(
        separators=list(BORDERS),
        is_separator_regex=True,
        keep_separator="end",
        strip_whitespace=False,
        chunk_size=size,
        chunk_overlap=0,
    )
    found = pieces(text, size)
    assert "".join(found) == text
    assert all(len(piece) <= size for piece in found)
    assert len(text) <= size or found == theirs.split_text(text)


@given(st.lists(st.sampled_from(WORDS), max_size=40).map("".join), st.integers(1, 40))
def test_no_piece_has_more_tokens_than_asked(text: str, size: int) -> None:
    found = pieces(text, size, length=count_tokens)
    assert "".join(found) == text
    assert all(count_tokens(piece) <= size for piece in found)


def test_tokens_are_counted_per_han_character_mark_and_six_letters_begun() -> None:
    assert count_tokens("请假。three words and internationalisation v2") == 2 + 1 + 1 + 1 + 1 + 4 + 1
    assert count_tokens(" \n") == 0


@for_each(
    "text, language",
    [
        ("去年的订单", "zh"),
        ("orders of last year", "en"),
        ('orders of "台灯" last year', "en"),
        ("orders of 「台灯」 and “电池”", "en"),
        ("“台灯” 的订单", "zh"),
        ("《劳动合同法》", "zh"),
        ("", "en"),
    ],
)
def test_the_language_of_a_question_is_that_of_its_words_outside_quotes(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("length", spread([5, 200, 3000, 60_000], 1))
def test_the_words_that_an_analyzer_remembers_are_bounded_in_bytes(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = 1 << 20 if NIGHT else 1 << 18
    monkeypatch.setattr("lab.text.analyzer.REMEMBERED", room)
    analyzer, most = Analyzer(), 0
    for i in range(max(300, 3 * room // length // (1 if NIGHT else 4))):
        word = f"{i:x}".rjust(length, "x")
        assert len(analyzer.tokens(word)) > 0
        most = max(most, analyzer._latin.bytes)
    assert most <= room
    kept = sum(map(sys.getsizeof, (analyzer._latin, *analyzer._latin, *analyzer._latin.values())))
    assert kept <= room


def test_nothing_holds_an_analyzer_that_was_asked():
    own = cutting(user_words=("量子退货",))
    assert own.for_query("退货 charging") is own
    assert own.only_pairs("退货") is cutting().only_pairs("退货")
    gone = weakref.ref(own)
    del own
    gc.collect()
    assert gone() is None, "a visitor's words go with the visitor"


def test_radicals_are_found_as_the_ideographs_that_they_stand_for():
    """PDFs that a browser printed contain them; NFKC knows U+2F00 to U+2FDF, but not U+2E80 to U+2EFF."""
    printed = "中华⼈⺠共和国的⻝品安全⻛险由主管部⻔⻓期监测。"
    common = "中华人民共和国的食品安全风险由主管部门长期监测。"
    assert unified(printed) == common
    assert fold(printed) == common
    others = [Document("1", "渡轮中午开。"), Document("2", "灯塔在北边。")]
    scores = []
    for text in (printed, common):
        index = BM25().index(Corpus("c", (Document("d", text), *others)))
        found = [index.search(query).hits[0] for query in ("食品", "人民", "部门", "长期", "风险")]
        scores.append([(hit.document.id, hit.score) for hit in found])
    assert scores[0] == scores[1]
    assert unified("𠀀 ⺀ abc ①") == "𠀀 ⺀ abc ①"  # what is no radical, and the one that stands for nothing
