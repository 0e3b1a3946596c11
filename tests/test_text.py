"""Tokens, where they stand, what a query falls back to, and where sentences end."""

from __future__ import annotations

import copy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.errors import ParameterError
from lab.text import (
    BORDERS,
    MODES,
    Analyzer,
    Token,
    count_tokens,
    fold,
    is_han,
    language_of,
    matches,
    pieces,
    sentences,
)

SEARCH = Analyzer()


# ---------------------------------------------------------------------------------------------- folding


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＷＨ－１０００ＸＭ５", "wh-1000xm5"),
        ("全角　空格", "全角 空格"),
        ("ＡＢＣ！？", "abc!?"),
        ("Straße", "straße"),
        ("ΟΔΟΣ", "οδοσ"),
        ("İstanbul", "İstanbul"),  # its lower case would be longer
    ],
)
def test_full_width_becomes_half_width_and_lower_case(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text(max_size=40), st.integers(0, 40), st.integers(0, 40))
@example("ΑΣ.Β", 0, 2)
@example("İΣ", 1, 2)
def test_folding_keeps_every_place_and_does_not_look_around(text: str, start: int, end: int) -> None:
    assert len(fold(text)) == len(text)
    assert fold(text)[start:end] == fold(text[start:end])
    assert fold(fold(text)) == fold(text)


def test_han_is_every_character_or_not() -> None:
    assert is_han("𠮷野家〇")
    assert not is_han("耳机X")
    assert not is_han("")


# ------------------------------------------------------------------------------------------ model numbers


@pytest.mark.parametrize(
    ("text", "tokens"),
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
        ("-_.", []),
        ("", []),
    ],
)
def test_words_keep_their_inner_marks_and_are_split_too(text: str, tokens: list[str]) -> None:
    assert SEARCH.tokens(text) == tokens


@pytest.mark.parametrize("query", ["wh-1000xm5", "1000xm5", "WH", "ｗｈ－１０００ｘｍ５"])
def test_a_model_number_is_found_whole_and_by_its_parts(query: str) -> None:
    assert set(SEARCH.tokens(query)) <= set(SEARCH.tokens("Sony WH-1000XM5 headphones"))


# ------------------------------------------------------------------------------------------------ modes


@pytest.mark.parametrize(
    ("mode", "tokens"),
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
    assert Analyzer(mode=mode, single=True).tokens(text) == tokens
    kept = tokens if mode in ("character", "whitespace") else [t for t in tokens if len(t) > 1]
    assert Analyzer(mode=mode, pairs=False).tokens(text) == kept
    assert Analyzer(mode=mode).tokens(text) == [*kept, *(["很美"] if mode in ("search", "precise") else [])]


def test_only_blanks_separate_in_whitespace_mode() -> None:
    assert Analyzer(mode="whitespace").tokens(" A-b, 中文，ｃ\t\n d　e ") == [
        "a-b,",
        "中文,ｃ".replace("ｃ", "c"),
        "d",
        "e",
    ]


def test_an_unknown_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match="one of: search, precise, full, whitespace, character, bigram"):
        Analyzer(mode="jieba")


def test_latin_words_of_one_letter_are_kept() -> None:
    assert SEARCH.tokens("plan b 在") == ["plan", "b"]


@pytest.mark.parametrize("mode", ["search", "precise"])
def test_two_single_characters_in_a_row_stand_as_one_token(mode: str) -> None:
    analyzer = Analyzer(mode=mode)
    assert Analyzer(mode=mode, single=True).tokens("猫和狗爱清华") == ["猫", "和", "狗", "爱", "清华"]
    assert analyzer.tokens("猫和狗爱清华") == ["猫和", "和狗", "狗爱", "清华"]
    assert analyzer.tokens("猫清华狗") == ["清华"]  # a word between them
    assert analyzer.tokens("猫 狗，鱼") == []  # not in a row
    assert list(analyzer.spans("a 猫和狗")) == [Token("a", 0, 1), Token("猫和", 2, 4), Token("和狗", 3, 5)]


@pytest.mark.parametrize(
    ("query", "only"),
    [("年假", True), ("猫和狗", True), ("年假 WH", False), ("电池", False), ("猫", False), ("", False)],
)
def test_it_is_known_when_a_query_is_nothing_but_pairs(query: str, only: bool) -> None:
    assert SEARCH.only_pairs(query) is only
    assert not Analyzer(pairs=False).only_pairs(query)
    assert not Analyzer(single=True).only_pairs(query)


# ---------------------------------------------------------------------------- stop words and user words


def test_stop_words_are_dropped_after_folding() -> None:
    analyzer = Analyzer(stop_words=frozenset({"the", "耳机", "wh"}))
    assert analyzer.tokens("ＴＨＥ 耳机 WH-5 充电") == ["wh-5", "5", "充电"]
    assert [t.text for t in analyzer.spans("ＴＨＥ 耳机 WH-5 充电")] == ["wh-5", "5", "充电"]


@pytest.mark.parametrize("mode", ["search", "precise", "full"])
def test_user_words_stay_whole_and_trouble_nobody_else(mode: str) -> None:
    text = "墨鱼云盘很好用"
    assert "墨鱼云盘" not in Analyzer(mode=mode).tokens(text)
    own = Analyzer(mode=mode, user_words=("墨鱼云盘",))
    assert "墨鱼云盘" in own.tokens(text)
    assert Token("墨鱼云盘", 0, 4) in list(own.spans(text))
    assert "墨鱼云盘" not in Analyzer(mode=mode).tokens(text)


def test_analyzers_are_equal_by_value_and_can_be_copied_after_use() -> None:
    used = Analyzer(user_words=("墨鱼云盘",), stop_words=frozenset({"a"}))
    used.tokens("墨鱼云盘")
    assert used == Analyzer(user_words=("墨鱼云盘",), stop_words=frozenset({"a"}))
    assert copy.deepcopy(used) == used
    assert copy.deepcopy(used).tokens("墨鱼云盘") == used.tokens("墨鱼云盘")


# ------------------------------------------------------------------------------------------ the fallback


def test_a_query_with_nothing_but_single_characters_keeps_them() -> None:
    assert SEARCH.tokens("猫") == []
    assert SEARCH.for_query("猫") == Analyzer(single=True)
    assert SEARCH.for_query("猫").tokens("猫") == ["猫"]


@pytest.mark.parametrize("query", ["电池", "猫 WH", "", "  ", "？！…", "the"])
def test_any_other_query_is_analyzed_like_the_documents(query: str) -> None:
    assert SEARCH.for_query(query) is SEARCH


def test_a_query_of_stop_words_has_nothing_to_fall_back_to() -> None:
    analyzer = Analyzer(stop_words=frozenset({"的", "the"}))
    assert analyzer.for_query("的 the") is analyzer


@pytest.mark.parametrize("mode", ["character", "whitespace"])
def test_modes_that_drop_nothing_never_fall_back(mode: str) -> None:
    analyzer = Analyzer(mode=mode)
    assert analyzer.for_query("") is analyzer
    assert analyzer.for_query("猫") is analyzer


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
    *["WH-1000XM5", "ＷＨ－１０", "v2.1", "İ", "ΑΣ.Β", "ß", "ﬁ", "é", "日本語カナ", "한국", "😀", "٣", "_x_", "a--b"],
    *[" ", "　", "\n", "，", "。", "..."],
]


@given(
    text=st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=20),
    mode=st.sampled_from(list(MODES)),
    single=st.booleans(),
    pairs=st.booleans(),
    stop=st.sampled_from([frozenset[str](), frozenset({"的", "wh", "v2.1"})]),
)
def test_every_token_stands_where_it_says(
    text: str, mode: str, single: bool, pairs: bool, stop: frozenset[str]
) -> None:
    analyzer = Analyzer(mode=mode, single=single, pairs=pairs, stop_words=stop)
    spans = list(analyzer.spans(text))
    assert [t.text for t in spans] == analyzer.tokens(text)
    for token in spans:
        assert fold(text[token.start : token.end]) == token.text
        assert token.text not in stop


@pytest.mark.parametrize("mode", ["search", "precise", "character", "bigram"])
def test_repeated_words_have_places_of_their_own(mode: str) -> None:
    spans = list(Analyzer(mode=mode, single=True).spans("电池电池电池"))
    assert len(set(spans)) == len(spans)
    assert {p for t in spans for p in range(t.start, t.end)} == set(range(6))


def test_places_count_characters_beyond_the_basic_plane_as_one() -> None:
    spans = list(Analyzer(mode="search").spans("𠮷𠮷 清华大学"))
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
    analyzer = Analyzer(mode="full", single=True)
    words = set(analyzer.tokens(text)[::2])
    found = matches(text, words, analyzer)
    assert all(a < b for a, b in found)
    assert all(b < c for (_, b), (c, _) in zip(found, found[1:], strict=False))
    for token in analyzer.spans(text):
        if token.text in words:
            assert any(a <= token.start and token.end <= b for a, b in found)


# --------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("一。二！三？四；五", ["一。", "二！", "三？", "四；", "五"]),
        ("Firmware v2.1 fixes it. Use a 3.5 mm plug.", ["Firmware v2.1 fixes it.", "Use a 3.5 mm plug."]),
        ("固件v2.1修复了它。用3.5 mm插头。", ["固件v2.1修复了它。", "用3.5 mm插头。"]),
        ("See lab.example.com/a.html for more", ["See lab.example.com/a.html for more"]),
        ("Wait... what? Yes.", ["Wait...", "what?", "Yes."]),
        ("等一下……什么？好。", ["等一下……什么？", "好。"]),
        ("他说：“走吧。”然后走了。", ["他说：“走吧。”", "然后走了。"]),
        ("他问：「好吗？」她点头。", ["他问：「好吗？」", "她点头。"]),
        ('He said "go." Then he left.', ['He said "go."', "Then he left."]),
        ("He said ‘go.’ Then he left.", ["He said ‘go.’", "Then he left."]),
        ("(It is off.) Press it.", ["(It is off.)", "Press it."]),
        ("What?! No!!", ["What?!", "No!!"]),
        ("  first\n\n  second  \n", ["first", "second"]),
        ("中文。English. 中文", ["中文。", "English.", "中文"]),
        ("no end", ["no end"]),
        ("。。。", ["。。。"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_readers_end_them(text: str, expected: list[str]) -> None:
    assert [text[a:b] for a, b in sentences(text)] == expected


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


@pytest.mark.parametrize(
    ("text", "language"),
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
