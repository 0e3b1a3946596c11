"""What a word has beside itself, and what becomes of a text before it is cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.text import Analyzer, Token, cutting, one_spelling
from lab.text.writing import changed, changes, parts


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("3.5mm", ["3.5"]),  # mm is a part as a run of letters
        ("1.5m", ["1.5", "m"]),
        ("5l", ["5", "l"]),
        ("7200mm", []),
        ("2h30min", ["2", "h"]),
        ("3.5x1.35mm", ["3.5", "x", "1.35"]),
        ("12m2", ["m2"]),
        ("5-8l", ["8", "l"]),
        ("10-15cm", []),
        ("1.5m-cable", ["1.5", "m"]),
        ("rv-450w", []),
        ("v2.1", []),
        ("3.1.2b", []),
        ("1000xm5", []),
        ("3f2a9c1e", []),
        ("1080p", ["p"]),
    ],
)
def test_numbers_and_units_are_terms_once(word: str, terms: list[str]) -> None:
    before, after = [*parts(word, numbers=True)], [*parts(word, numbers=True, units=True)]
    assert after[: len(before)] == before
    assert [part.text for part in after[len(before) :]] == terms
    assert len({(part.start, part.end) for part in after}) == len(after)


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("wi-fi", ["wifi"]),
        ("state-of-the-art", ["stateoftheart"]),
        ("e-21", ["e21"]),
        ("wi-fi.com", ["wifi"]),
        ("u.s", ["us"]),
        ("p.m", ["pm"]),
        ("a--b-c", ["bc"]),
        ("1-2", []),
        ("2024-06-15", []),
        ("3.5", []),
        ("v2.1-beta", []),
        ("pre-12.5", []),
        ("snake_case", []),
        ("example.com", []),
        ("x", []),
    ],
)
def test_a_word_without_its_hyphens_or_full_stops_is_a_term(word: str, forms: list[str]) -> None:
    found = [*parts(word, joined=True)]
    assert [part.text for part in found if part.kind == "joined"] == forms
    assert [part for part in found if part.kind == "part"] == [*parts(word)]


@given(st.text(alphabet="ab1-._", max_size=12))
def test_every_part_stands_where_it_says(word: str) -> None:
    for part in parts(word, numbers=True, joined=True, units=True):
        there = word[part.start : part.end]
        assert part.text == (there if part.kind == "part" else there.replace("-", "").replace(".", ""))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1,000", "1000"),
        ("1,234,567.89", "1234567.89"),
        ("€1,000, 2,000 and 3,000.", "€1000, 2000 and 3000."),
        ("0,125 3,5 1,0000 1,00", "0,125 3,5 1,0000 1,00"),
        ("2019,2020", "2019,2020"),
        ("1,234,56", "1,234,56"),
        ("1.5,000", "1.5,000"),
        ("1, 000", "1, 000"),
        ("", ""),
    ],
)
def test_a_comma_goes_between_groups_of_three_digits(text: str, read: str) -> None:
    assert changed(text, changes(text, separators=True, accents=False)) == read


@given(st.text(alphabet="0129,. a", max_size=14))
def test_the_numbers_that_are_read_are_those_with_thousands_and_they_are_read_once(text: str) -> None:
    read = changed(text, changes(text, separators=True, accents=False))
    assert read.replace(",", "") == text.replace(",", "")
    assert changes(read, separators=True, accents=False) == []
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text) and text[0] != "0":
        assert read == text.replace(",", "")


def test_places_are_those_of_the_text_as_it_was_written() -> None:
    text = "总价１，０００元, Cafe\u0301 Wi-Fi 3.5mm"
    found = {t.text: text[t.start : t.end] for t in Analyzer(accents=True, stem="none").spans(text)}
    assert found["1000"] == "１，０００"
    assert found["cafe"] == "Cafe\u0301"
    assert found["wifi"] == found["wi-fi"] == "Wi-Fi"
    assert found["3.5"] == "3.5"
    assert found["mm"] == "mm"


def test_a_joined_word_has_a_stem_and_is_called_by_its_letters() -> None:
    analyzer = cutting(joined=True, stem="snowball")
    (token,) = (t for t in analyzer.spans("two E-mails") if t.kind == "joined")
    assert token == Token("email", 4, 11, "joined")
    assert analyzer.word("two E-mails", token) == "emails"


@pytest.mark.parametrize("knob", ["joined", "separators", "units", "accents"])
def test_each_variant_is_a_choice_of_its_own(knob: str) -> None:
    text, plain = "Wi-Fi 1,000 3.5mm café", cutting()
    gained = {"joined": {"wifi"}, "separators": {"1000"}, "units": {"3.5"}, "accents": {"cafe"}}
    assert set(cutting(**{knob: True}).tokens(text)) - set(plain.tokens(text)) >= gained[knob]
    for other in gained.keys() - {knob}:
        assert not gained[other] & set(cutting(**{knob: True}).tokens(text))


SPELLINGS = [
    ("wi-fi", "wifi"),
    ("state-of-the-art", "stateoftheart"),
    ("wh-1000xm5", "wh1000xm5"),
    ("v2.1-beta", "v2.1beta"),
    ("1,234,567", "1234567"),
    ("3.5mm", "3.5 mm"),
    ("3.5-mm", "3.5 mm"),
    ("5-inch", "5inch"),
    ("1,000mm", "1000 mm"),
    ("2h30min", "2 h 30 min"),
    ("10-15cm", "10-15 cm"),
]


@pytest.mark.parametrize(("one", "other"), SPELLINGS)
def test_variants_of_a_word_have_one_spelling(one: str, other: str) -> None:
    assert one_spelling(one).text == one_spelling(other).text


@pytest.mark.parametrize("text", ["1-2", "2024-06-15", "u.s.", "rv450w", "a - b", "--", "3f2a9c1e", "v2.1", "café", ""])
def test_what_has_no_variant_stays(text: str) -> None:
    assert one_spelling(text).text == text


def test_a_hyphen_behind_a_unit_stays() -> None:
    assert one_spelling("1.5m-cable").text == "1.5 m-cable"


@given(st.text(alphabet="ab15-., mw", max_size=14))
def test_a_spelling_is_made_once_and_its_places_are_those_of_the_text(text: str) -> None:
    read = one_spelling(text)
    kept = [i for i, c in enumerate(read.text) if c not in "-, "]
    assert [read.text[i] for i in kept] == [c for c in text if c not in "-, "]
    for i in kept:
        start, end = read.place(i, i + 1)
        assert text[start:end].replace(",", "") == read.text[i]
