"""The words that make a question a question, in both languages: comparisons, negation, counting, order, turns.

The words are data (``words.toml``); what they do is in the grammar.  Adjectives stand in a table of their own, since
each gives a comparison, a superlative and an order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def word_lists() -> Mapping[str, Any]:
    """The tables of ``words.toml``; `words_in` gives the words of an entry."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def words_in(said: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(word for part in said.split(",") if (word := " ".join(part.split())))


@cache
def in_names(what: str) -> frozenset[str]:
    """The words in the name of a column that say this of it, of both languages."""
    return frozenset(words_in(word_lists()["in names"][what]))


@cache
def lexicon() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Every word or phrase, folded, with its roles: ``("cmp", ">=")``, ``("super", ">", "price")`` …"""
    found: dict[str, dict[tuple[str, ...], None]] = {}

    def put(word: str, *role: str) -> None:
        found.setdefault(word, {})[role] = None

    for role, languages in word_lists()["roles"].items():
        for said in languages.values():
            for word in words_in(said):
                put(word, *role.split())
    for about, sides in word_lists()["adjectives"].items():
        for up, languages in sides.items():
            for word in words_in(languages["zh"]):
                put(word, "adj", up, about)
                put("最" + word, "super", up, about)
                put("更" + word, "adj", up, about)
            for forms in words_in(languages["en"]):
                _english(put, forms.split(), up, about)
    return {word: tuple(roles) for word, roles in found.items()}


def _english(put: Callable[..., None], forms: list[str], up: str, about: str) -> None:
    down, at_most = ("<", "<=") if up == ">" else (">", ">=")
    base = forms[0]
    more, most = forms[1:] if len(forms) == 3 else (f"more {base}", f"most {base}")
    put(f"how {base}", "worth", about)
    put(base, "base", about)
    put(f"{more} than", "cmp", up, about)
    put(more, "adj", up, about)
    put(most, "super", up, about)
    if len(forms) == 3:
        put(f"no {more} than", "cmp", at_most, about)
        put(f"not {more} than", "cmp", at_most, about)
    else:
        put(f"less {base} than", "cmp", down, about)
        put(f"least {base}", "super", down, about)


@cache
def known_words() -> frozenset[str]:
    """Every English word of the lists, adjectives by their base as well: what is no misspelling of another."""
    lists = word_lists()
    said = [text for languages in lists["roles"].values() for text in languages.values()]
    said += [side["en"] for sides in lists["adjectives"].values() for side in sides.values()]
    said += [en for _, en, _ in lists["names"]]
    return frozenset(word for text in said for word in text.replace(",", " ").split() if word.isascii())


@cache
def flows() -> tuple[str, ...]:
    """Words for what adds up: sales, 销量."""
    return tuple(w for w, roles in lexicon().items() if ("flow",) in roles)


def roles_of(word: str) -> tuple[tuple[str, ...], ...]:
    """The roles of a word or phrase; () where it has none."""
    return lexicon().get(word, ())


_WAYS = (
    "origin from departure source start sender 寄件 发件 出发 始发 起点 起飞 出 发货 起始",
    "destination to arrival target end receiver recipient 收件 到达 目的地 目的 终点 抵达 到 收货",
)
ORIGIN, DESTINATION = (frozenset(words.split()) for words in _WAYS)
"""Words in the name of a column that says where a way begins, and where it ends."""

_MALE, _FEMALE = (
    "male man men boy boys males 男 男性 男士 男生 男的",
    "female woman women girl girls females 女 女性 女士 女生 女的",
)
_CLOSED = {
    frozenset({"m", "f"}): {"m": _MALE, "f": _FEMALE},
    frozenset({"male", "female"}): {"male": _MALE, "female": _FEMALE},
    frozenset({"男", "女"}): {"男": _MALE, "女": _FEMALE},
}

OPPOSITES = {
    "open": "closed", "active": "inactive", "read": "unread", "enabled": "disabled", "public": "private",
    "paid": "unpaid", "indoor": "outdoor", "online": "offline", "domestic": "international foreign", "done": "open unfinished undone", "finished": "open", "completed": "open unfinished incomplete",
}  # fmt: skip
"""What is not open is closed: for columns of yes and no."""


def words_for(values: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Other words for the values of a column that has exactly these: those of a closed set; {} where it is none."""
    folded = {v.lower(): v for v in values}
    closed = _CLOSED.get(frozenset(folded), {})
    if closed:
        return {folded[v]: tuple(w for w in said.split() if w != v) for v, said in closed.items()}
    if len(values) > 1 and values <= set(word_lists()["states"]):
        return {v: (word_lists()["states"][v].lower(),) for v in values}
    return {}
