"""Sentences that are shown to people, kept together with the numbers in them.

The library speaks English; the interface speaks English and Chinese.  A `Said` *is* the English sentence
(a `str`), and it remembers the template and the values it was made from, so that `lab.ui.i18n` can say the
same thing in the other language without guessing at finished text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_QUOTED = re.compile(r"“\{(\w+)\}”")
_OPENING, _STRAIGHT = re.compile(r'(?<!\S)"(?=\S)'), '"'


class Said(str):
    """An English sentence that remembers its template: ``Said("{n} of {total} documents", n=3, total=9)``.

    Values are put in with `str.format`; a value may itself be a `Said`, or a list, which is shown with commas in
    English and with “、” in Chinese.  ``Said()`` is the empty sentence.
    """

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]

    def __new__(cls, template: str = "", **values: object) -> Said:
        values = {name: with_commas(value) for name, value in values.items()}
        self = super().__new__(cls, filled(template, values))
        self.template = template
        self.values = values
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.template, self.values)


def filled(template: str, values: Mapping[str, object]) -> str:
    """Fills a template with its values; quotation marks within a quoted value become single: “‘Card’ is used”."""
    if not values:
        return template
    inner = {name: _inside(str(values[name])) for name in _QUOTED.findall(template) if name in values}
    return template.format(**{**values, **inner})


def _inside(text: str) -> str:
    """Returns a text for use between double quotation marks; an inch mark stays."""
    if _OPENING.search(text):
        text = _OPENING.sub("‘", text).replace(_STRAIGHT, "’")
    return text.replace("“", "‘").replace("”", "’")


def with_commas(value: object) -> object:
    """Returns a list of values as one enumeration; any other value unchanged."""
    return joined(value, ", ") if isinstance(value, list | tuple) else value


def joined(parts: Iterable[object], between: str) -> Said:
    """Joins texts into one; all of them, and the signs between them, are shown in the same language."""
    values = {f"part{i}": part for i, part in enumerate(parts)}
    return Said(between.join(f"{{{name}}}" for name in values), **values)


def ngettext(singular: str, plural: str, count: float, /, **values: object) -> Said:
    """Returns a sentence that depends on a number, ``{n}`` in it: ``ngettext("{n} page", "{n} pages", 3)``."""
    return Said(singular if count == 1 else plural, **{"n": count, **values})


def N_(template: str) -> str:
    """Marks a template for the catalogues if it is not an argument of `Said`; returns it unchanged."""
    return template


def _rebuild(template: str, values: dict[str, object]) -> Said:
    return Said(template, **values)


LANGUAGES = ("en", "zh")
