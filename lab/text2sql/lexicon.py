"""The words that make a question a question, in both languages: comparisons, negation, counting, order, turns.

The words are data (`lab.text2sql.words`); what they do is in the grammar.  Adjectives stand in a table of their own, since
each gives a comparison, a superlative and an order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from lab.text2sql.words import word_lists, words_in


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
def flows() -> tuple[str, ...]:
    """Words for what adds up: sales, 销量."""
    return tuple(w for w, roles in lexicon().items() if ("flow",) in roles)


def roles_of(word: str) -> tuple[tuple[str, ...], ...]:
    """The roles of a word or phrase; () where it has none."""
    return lexicon().get(word, ())
