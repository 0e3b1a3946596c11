"""Counts over the results of a page's lists by one metadata field, and the value whose cards are shown.

Nothing is ranked again: the cards of other values are hidden.  The link includes field and value, for as long as the
corpus is the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.algebra import Corpus, Document
from lab.ui import address
from lab.ui.i18n import N_, _

MOST = 40
"""Maximum number of values with a button, the most common ones."""
LONGEST = 200
"""Maximum characters of a value in a link."""
FIRST = ("source", "parent")
"""Fields that name the source of a document: they come first."""
NAMES = {"questions": N_("answered questions"), "rerank_score": N_("reranked score")} | {
    name: name
    for name in (
        *(N_("source"), N_("topic"), N_("date"), N_("tags"), N_("keywords"), N_("product"), N_("version")),
        *(N_("rating"), N_("lang"), N_("page"), N_("score"), N_("relevance")),
    )
}
"""Fields of samples and of files that are read, which have a name in the visitor's language; others are data."""


def named(field: str) -> str:
    return _(NAMES[field]) if field in NAMES else field


@dataclass(frozen=True)
class Facets:
    """The visitor's choice: a field, and a value of it, or "" for all."""

    page: str
    field: str
    value: str

    def shows(self, document: Document) -> bool:
        return not self.value or self.value in values(document, self.field)

    def choose(self, field: str, value: str) -> None:
        """Shows only the cards of this value."""
        address.put(f"{self.page}.counts", field)
        address.put(f"{self.page}.only", value)

    def row(self, documents: Iterable[Document], corpus: Corpus) -> dict[str, Any] | None:
        """Returns the row above the lists: the fields, and the values of the chosen one with counts; None if empty."""
        hits = {d.id: d for d in documents}.values()
        fields = offered(hits)
        field = self.field if self.value or self.field in fields else next(iter(fields), "")
        if not field:
            return None
        counts = Counter(value for d in hits for value in values(d, field))
        most = dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST])
        if self.value:
            most.setdefault(self.value, counts[self.value])
        parents = {id: document.label for id in most if (document := corpus.get(id))}
        labels = parents if field == "parent" else {}
        return {
            "label": _("Show only"),
            "help": _("Hides the other cards; ranks and movements do not change."),
            "by": _("Field to count"),
            "fields": [[name, named(name)] for name in dict.fromkeys([*fields, field])],
            "field": field,
            "value": self.value,
            "values": [["", _("All"), len(hits)], *([v, labels.get(v, v), n] for v, n in most.items())],
        }


def chosen(lists: str, corpus: Corpus) -> Facets:
    """Returns the choice for the lists of a page (``lists`` begins with its name); it is reset with the corpus."""
    page = lists.partition(".")[0]
    keys = f"{page}.counts", f"{page}.only"
    if st.session_state.setdefault(f"_counted.{page}", corpus.fingerprint) != corpus.fingerprint:
        st.session_state[f"_counted.{page}"] = corpus.fingerprint
        for key in keys:
            address.put(key, "")
    for key in keys:
        address.keep(key, "", address.text(LONGEST))
    return Facets(page, *(str(st.session_state[key]) for key in keys))


def values(document: Document, field: str) -> tuple[str, ...]:
    """Returns the distinct words of a field, whether text or list; numbers are left out."""
    value = document.metadata.get(field)
    if isinstance(value, str):
        return (value[:LONGEST],) if value else ()
    return tuple({v[:LONGEST]: None for v in value if isinstance(v, str) and v}) if isinstance(value, list) else ()


def offered(documents: Iterable[Document]) -> Sequence[str]:
    """Returns the fields with two or more values that several documents share; unique values are useless here."""
    words_by_field, having = defaultdict[str, set[str]](set), Counter[str]()
    for document in documents:
        for field in document.metadata:
            words = values(document, field)
            if words:
                having[field] += 1
                words_by_field[field].update(words)
    fields = [field for field, words in words_by_field.items() if 2 <= len(words) <= having[field] / 2]
    return sorted(fields, key=lambda field: field not in FIRST)
