"""What people call things, as data: ``names.toml``, read once.

Names of columns with what they are about, words for rows, abbreviations, verbs, opposites, peoples: everything here
describes names and values; the words that open the slots of a question are in `lab_packs.text2sql.keywords`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def word_lists() -> Mapping[str, Any]:
    """The tables of ``names.toml``; `words_in` gives the words of an entry."""
    return tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8"))


def words_in(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := " ".join(part.split())))


@cache
def in_names(group: str) -> frozenset[str]:
    """Returns the words of both languages that mark a column as one of this group."""
    return frozenset(words_in(word_lists()["in names"][group]))


@cache
def irregular() -> Mapping[str, str]:
    """The bases of verbs by their irregular forms: paid, pay."""
    verbs = map(str.split, words_in(word_lists()["verbs"]["irregular"]))
    return {form: base for base, *forms in verbs for form in forms}


def is_participle(word: str) -> bool:
    """Whether an English word may be a participle: baked, sold."""
    return word.endswith("ed") or word in irregular()


OPPOSITES: Mapping[str, tuple[str, ...]] = {
    word: words_in(several) for word, several in word_lists()["opposites"].items()
}
"""What is not open is closed: for columns of yes and no."""


TRUTHS = (
    ("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("是", "否"), ("有", "无"), ("对", "错"), ("真", "假"),
    ("✓", "✗"), ("✔", "✘"), ("√", "×"), ("✓", "x"), ("✔", "x"), ("√", "x"), ("on", "off"),
)  # fmt: skip
"""How tables write yes and no."""
MARKS = frozenset("x ✓ ✔ √ ● ○ * v 1".split())  # noqa: SIM905
"""Marks that say yes where the other cells are empty."""
UNKNOWN = frozenset(
    "- – — -- n/a na n.a. none null nil ? / 暂无 未知 待定 tbd unknown unclear 不详 不明 不清楚 不确定".split()  # noqa: SIM905
)
"""What tables write where neither yes nor no is known."""


def words_for(values: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Returns other words for the values of a column if these are a known closed set; {} if they are not."""
    folded = {v.lower(): v for v in values}
    for pair in (("m", "f"), ("male", "female"), ("男", "女")):
        if set(folded) == set(pair):
            pairs = zip(pair, word_lists()["sexes"].values(), strict=True)
            return {folded[v]: tuple(w for w in words_in(words) if w != v) for v, words in pairs}
    if len(values) > 1 and values <= set(word_lists()["states"]):
        return {v: (word_lists()["states"][v].lower(),) for v in values}
    if len(values) > 1 and values <= set(word_lists()["countries"]):
        return {v: words_in(word_lists()["countries"][v]) for v in values}
    peoples = word_lists()["peoples"]
    return {v: tuple(w.lower() for w in words_in(peoples[v])) for v in values if v in peoples}
