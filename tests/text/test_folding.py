"""What looks the same is equal, and what looks different is different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document
from lab.corpus.fields import read_number
from lab.retrieve.lexical import BM25
from lab.text import Analyzer, cutting, fold
from lab.text.quantities.numbers import plain_digits

WORDS = cutting(numbers=True, units=True)
RAISED, LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
FRACTIONS = "½¼¾⅓⅔⅕⅛⅞"
CIRCLED = "①②③⑨⑩⑳❶"


def terms(text: str) -> list[str]:
    """Returns the terms of a text, which are the same one by one and together with others."""
    tokens = [*WORDS.spans(text)]
    assert WORDS.tokens(text) == [token.text for token in tokens]
    together = next(kind for kind, _ in WORDS.many([text, "other"]) if "other" in kind)
    assert [*together][: [*together].index("\t")] == [token.text for token in tokens]
    for token in tokens:  # a position is exact: what is there reads as the token
        assert token.text in WORDS.tokens(text[token.start : token.end])
    return [token.text for token in tokens]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dolby Atmos™ sound", ["dolby", "atmos", "sound"]),
        ("ServiceMark℠", ["servicemark"]),
        ("Model X™5", ["model", "x", "5"]),
        ("Kevlar®49", ["kevlar", "49"]),
        ("©2024", ["2024"]),
        ("opened in 2019³", ["opened", "in", "2019", "3"]),
        ("２０１９³", ["2019", "3"]),
        ("10⁶ litres", ["10", "6", "litres"]),
        ("10⁻³", ["10", "3"]),
        ("101₂", ["101", "2"]),
        ("3½ inches", ["3", "1", "2", "inches"]),
        ("2⅔", ["2", "2", "3"]),
        ("½kg", ["1", "2", "kg"]),
        ("2019①", ["2019", "1"]),
        ("step②", ["step", "2"]),
        ("①②", ["1", "2"]),
        ("⒈5", ["1", "5"]),
        ("№5", ["no", "5"]),
        ("x²5", ["x2", "5"]),
        ("CO₂", ["co2", "co"]),
        ("5 m²", ["5", "m2"]),
        ("1ˢᵗ", ["1st", "st", "1"]),
        ("25℃", ["25", "c"]),
        ("5㎏", ["5kg", "kg", "5"]),
        ("ﬁsh ＡＢ 𝟏𝟎", ["fish", "ab", "10"]),
    ],
)
def test_signs_end_a_word_and_other_digits_begin_a_number(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.from_regex("[a-zA-Z]{2,8}", fullmatch=True), st.sampled_from("™℠®©℗"), st.sampled_from(["", " sound", "5"]))
def test_a_word_is_found_before_any_sign_of_trade(word: str, sign: str, behind: str) -> None:
    assert terms(word + sign + behind)[:1] == terms(word)[:1] == [word.lower()]


@given(
    st.integers(0, 9999), st.lists(st.sampled_from([*RAISED, *LOWERED, *FRACTIONS, *CIRCLED]), min_size=1, max_size=3)
)
def test_a_number_stays_itself_beside_any_other_digits(number: int, signs: list[str]) -> None:
    others = "".join(signs)
    assert terms(f"{number}{others}")[0] == terms(f"{others}{number}")[-1] == str(number)
    assert plain_digits(f"{number}{others}") is plain_digits(f"{others}{number}") is None
    assert read_number(f"{number}{others}") is read_number(others) is None


@pytest.mark.parametrize(
    ("cell", "digits"),
    [
        ("10⁶", None),
        ("10³", None),
        ("⁶", None),
        ("3½", None),
        ("①", None),
        ("10⁶⁰⁰", None),
        ("5®", None),
        ("٣٤", None),
        ("１２", "12"),
        ("￥1,200", "1200"),
        ("1\u202f200", "1200"),
        ("12\u200b", "12"),
    ],
)
def test_a_cell_is_a_number_only_in_plain_digits(cell: str, digits: str | None) -> None:
    assert plain_digits(cell) == digits
    assert read_number(cell) == (None if digits is None else float(digits))


def test_bm25_finds_the_word_before_a_trade_mark_and_not_another_number() -> None:
    corpus = Corpus("c", [Document("a", "", "Dolby Atmos™ since 2019³"), Document("b", "", "3½ inches of 10⁶ pixels")])
    index = BM25().index(corpus)
    for query, expected in (("atmos", ["a"]), ("2019", ["a"]), ("20193", []), ("31", []), ("106", []), ("10", ["b"])):
        assert [hit.document.id for hit in index.search(query)] == expected, query


@given(st.text(st.sampled_from([*"a1５é½³①™ 中", "\u0301", "\u200b"]), max_size=12))
def test_a_folded_text_has_a_position_for_each_character(text: str) -> None:
    for analyzer in (WORDS, Analyzer()):
        read = analyzer.read(text)
        spans = [read.place(i, i + 1) for i in range(len(read.text))]
        assert all(0 <= a < b <= len(text) for a, b in spans)
        assert spans == sorted(spans)
    assert fold(fold(text)) == fold(text)
