"""No regular expression of the project takes long over a short text, whatever the text is."""

from __future__ import annotations

import re

from night import NIGHT
from patterns import patterns, slow

QUADRATIC = frozenset(
    [
        "lab.answer.asking._ANY_EN",
        "lab.answer.kinds._CODE",
        "lab.answer.kinds._NUMBER_AND_UNIT",
        "lab.answer.splitting._ITEM",
        "lab.explain.questions._MARKER",
        "lab.models.answers._REFUSAL",
        "lab.reading.headings._ATX",
        "lab.reading.known.JUNK_TITLE",
        "lab.rewrite.turns._UNNAMED",
        "lab.rewrite.turns._INSTEAD",
        "lab.rewrite.turns._COMPARING",
        "lab_packs.text2sql.hints._BRACKET",
        "lab_packs.text2sql.inspecting._NUMBER",
    ]
)
"""Patterns that take seconds for 10,000 characters at worst, and are given a line, a title, a question or an answer
of a model: none of them is given a whole upload.  No other pattern may be added."""
EXPLODING = r"\W*(?:\d{1,4}|[ap]m|\W+)+", r"(?:\s|<\?.*?\?>)*<a", r"(\w+\s?)*$"
STEEP = r"(?:ab)*(?:ab|c)*x", r"\s*\d*\s*\d*x"
SOME = None if NIGHT else 1
LINEAR = r"\W*\d+(?:\W+\d+)*", r"[a-z]+\d*", r"(?>\s+|<!--.*?-->)*+<a"


def test_no_pattern_of_the_project_takes_longer_than_linear_time() -> None:
    every = list(patterns())
    assert len(every) > 400
    slow_ones = {place: slow(pattern) for place, pattern in every if place not in QUADRATIC}
    assert {place: reason for place, reason in slow_ones.items() if reason} == {}


def test_the_slow_are_told_from_the_fast() -> None:
    bad = *EXPLODING[:SOME], *STEEP[:SOME]
    assert [text for text in (*bad, *LINEAR[:SOME]) if slow(re.compile(text))] == [*bad]


def test_no_group_is_possessive() -> None:
    """Python 3.11.0 to 3.11.4 match such groups wrongly: the cells of a workbook were none.  `(?>(?:…)*)` is right."""
    possessive = re.compile(r"(?<!\\)\)(?:[*?+]|\{\d*,?\d*\})\+")
    assert possessive.search("(?:ab)*+")
    assert [place for place, pattern in patterns() if possessive.search(str(pattern.pattern))] == []
