"""Sentences in both languages: abbreviations, initials, items, quotations, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.text.borders import BORDERS, border_ends, next_word_border, run_on, sentences

LINES = Path(__file__).with_name("sentences.txt").read_text("utf-8").splitlines()
"""A hundred texts in each language; ‖ is the end of a sentence."""


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@pytest.mark.parametrize("line", LINES)
def test_a_text_is_cut_where_a_reader_cuts_it(line: str) -> None:
    assert cut(line.replace("‖", "")) == [part.strip() for part in line.split("‖")]


@for_each(
    "text",
    [
        "It weighs 5 ft. 3 in. of rope.",
        "Prices excl. VAT are in Tab. 7 of vol. II there.",
        "Sen. J. McCain met Prof. em. Weber and the Rev. A. B. Stone.",
        "Add 2 tbsp. sugar, 1 tsp. salt, etc. (see Fig. 12) to it.",
        "Our gate (U.S. and U.K. visitors, p. 3) is open from 9 a.m. Monday to Friday.",
        "Send it to N. America, i.e. to the U.S. Navy or Acme Corp. in Washington, D.C. today.",
    ],
)
def test_a_sentence_full_of_abbreviations_is_one(text: str) -> None:
    assert cut(text) == [text]
    assert cut(f"{text} The rest follows.") == [text, "The rest follows."]


ABBREVIATIONS = [
    "Fig.",
    "No.",
    "vol.",
    "pp.",
    "approx.",
    "Inc.",
    "Ltd.",
    "p.m.",
    "U.S.",
    "al.",
    "etc.",
    "Jan.",
    "Dr.",
    "J.",
]
ENDS = ["p.m.", "Inc.", "etc.", "U.S.", "Jan.", "Ltd.", "Co.", "al.", "max."]


@given(
    st.sampled_from(ABBREVIATIONS), st.sampled_from(["(2019)", "5 of them", "and more", "[4] there", "“quoted” words"])
)
def test_nothing_small_begins_a_sentence_behind_an_abbreviation(short: str, follower: str) -> None:
    text = f"They met at {short} {follower} on the way."
    assert cut(text) == [text]


@given(st.sampled_from(ENDS), st.sampled_from(["The", "It", "We", "They"]))
def test_a_word_that_begins_sentences_begins_one_behind_an_abbreviation(short: str, first: str) -> None:
    assert cut(f"They met at {short} {first} left.") == [f"They met at {short}", f"{first} left."]


def test_a_text_without_capitals_has_sentences() -> None:
    assert cut("it is good. we like it, e.g. at 6 p.m. and later. buy it.") == [
        "it is good.",
        "we like it, e.g. at 6 p.m. and later.",
        "buy it.",
    ]


def test_a_chunk_does_not_end_behind_an_abbreviation() -> None:
    text = "It was founded by J. R. Hartley in approx. 1920. It has books."
    assert [text[:end] for end in border_ends(text, BORDERS[2], 10)] == [
        "It was founded by J. R. Hartley in approx. 1920.",
        text,
    ]


def test_the_next_border_is_behind_the_number_or_the_word_unless_that_is_endless() -> None:
    found = [
        next_word_border(text, at) for text, at in (("see v2.1 now", 6), ("a wireless-mouse b", 4), ("x" * 250, 20))
    ]
    assert found == [8, 16, 20]


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (["年假五天。", "病假另算？", "RRF 见下。"], "年假五天。病假另算？RRF 见下。"),
        (["“可以。”", "他说"], "“可以。”他说"),
        (["Leave is paid.", "“Ask HR.”", "Then go."], "Leave is paid. “Ask HR.” Then go."),
        (["See below.", "年假"], "See below.年假"),
        (["标题", "年假五天"], "标题 年假五天"),
        ([], ""),
    ],
)
def test_sentences_run_on_without_a_blank_beside_a_full_width_sign(texts: list[str], text: str) -> None:
    assert run_on(texts) == text
