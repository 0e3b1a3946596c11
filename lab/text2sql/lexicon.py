"""The words that make a question a question, in both languages: comparisons, negation, counting, order, turns.

The words are data (``words.toml``); what they do is in the grammar.  Adjectives stand in a table of their own, since
each gives a comparison, a superlative and an order.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
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
    for word, *role in _words():
        found.setdefault(word, {})[tuple(role)] = None
    for form in (form for verb in words_in(word_lists()["verbs"]["deeds"]) for form in conjugated(verb)):
        found.setdefault(form, {("verb", "deed"): None})
    return {word: tuple(roles) for word, roles in found.items()}


def _words() -> Iterator[tuple[str, ...]]:
    """Every word with one of its roles; an adjective gives a question, a comparison, an order and a superlative."""
    for roles, languages in word_lists()["roles"].items():
        yield from ((word, *roles.split()) for said in languages.values() for word in words_in(said))
    asked = {"which": "哪 哪一 哪几", "what": "是哪 是哪一", "per": "每一"}
    yield from ((w + m, role) for role, said in asked.items() for w in said.split() for m in measure_words())
    adjectives = ((about, up, by) for about, sides in word_lists()["adjectives"].items() for up, by in sides.items())
    for about, up, languages in adjectives:
        for word in words_in(languages["zh"]):
            yield from ((word, "adj", up, about), (f"最{word}", "super", up, about), (f"更{word}", "adj", up, about))
        down, at_most = ("<", "<=") if up == ">" else (">", ">=")
        for base, *forms in map(str.split, words_in(languages["en"])):
            more, most = forms or (f"more {base}", f"most {base}")
            yield base, "base", about
            yield from ((f"how {base}", "worth", about), (f"{more} than", "cmp", up, about), (more, "adj", up, about))
            yield most, "super", up, about
            if forms:
                yield from ((f"{no} {more} than", "cmp", at_most, about) for no in ("no", "not"))
            else:
                yield from ((f"less {base} than", "cmp", down, about), (f"least {base}", "super", down, about))


@cache
def measure_words() -> tuple[str, ...]:
    """Words between a number and what is counted: 台, 张, 位."""
    return words_in(word_lists()["roles"]["classifier"]["zh"])


@cache
def known_words() -> frozenset[str]:
    """Every English word of the lists, adjectives by their base as well: what is no misspelling of another."""
    lists = word_lists()
    said = [text for languages in lists["roles"].values() for text in languages.values()]
    said += [side["en"] for sides in lists["adjectives"].values() for side in sides.values()]
    said += [en for _, en, _ in lists["names"]]
    return frozenset(word for text in said for word in text.replace(",", " ").split() if word.isascii())


@cache
def irregular() -> Mapping[str, str]:
    """The bases of verbs by their irregular forms: paid, pay."""
    verbs = map(str.split, words_in(word_lists()["verbs"]["irregular"]))
    return {form: base for base, *forms in verbs for form in forms}


def conjugated(verb: str) -> tuple[str, ...]:
    """What an English verb is in the past and as a participle; by itself too where it is more than one word."""
    base, *rest = verb.split()
    root = base + base[-1] if re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", base) else base.removesuffix("e")
    past = f"{base[:-1]}ied" if re.search("[^aeiou]y$", base) else f"{root}ed"
    forms = [form for form, of in irregular().items() if of == base] or [past]
    alone = [base, f"{base}s"] if rest else []
    return tuple(" ".join((form, *rest)) for form in (*forms, f"{root}ing", *alone))


def is_participle(word: str) -> bool:
    """Whether an English word may say what was done: baked, sold."""
    return word.endswith("ed") or word in irregular()


@cache
def flows() -> tuple[str, ...]:
    """Words for what adds up: sales, 销量."""
    return tuple(w for w, roles in lexicon().items() if ("flow",) in roles)


def roles_of(word: str) -> tuple[tuple[str, ...], ...]:
    """The roles of a word or phrase; () where it has none."""
    return lexicon().get(word, ())


ORIGIN, DESTINATION = in_names("origin"), in_names("destination")
"""Words in the name of a column that says where a way begins, and where it ends."""

OPPOSITES: Mapping[str, tuple[str, ...]] = {word: words_in(said) for word, said in word_lists()["opposites"].items()}
"""What is not open is closed: for columns of yes and no."""


def words_for(values: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    """Other words for the values of a column that has exactly these: those of a closed set; {} where it is none."""
    folded = {v.lower(): v for v in values}
    for pair in (("m", "f"), ("male", "female"), ("男", "女")):
        if set(folded) == set(pair):
            said = zip(pair, word_lists()["sexes"].values(), strict=True)
            return {folded[v]: tuple(w for w in words_in(words) if w != v) for v, words in said}
    if len(values) > 1 and values <= set(word_lists()["states"]):
        return {v: (word_lists()["states"][v].lower(),) for v in values}
    peoples = word_lists()["peoples"]
    return {v: tuple(w.lower() for w in words_in(peoples[v])) for v in values if v in peoples}
