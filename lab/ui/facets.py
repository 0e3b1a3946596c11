"""Counts over the hits of a page's lists by one metadata field, and the value whose cards alone are shown.

Nothing is ranked anew: the cards of other values are hidden.  Field and value stand in the link, for as long as the
corpus is the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.algebra import Corpus, Document
from lab.ui import address
from lab.ui.i18n import _

MOST = 40
"""So many values of a field have a button, the most common ones."""
LONGEST = 200
"""Characters of a value: a link holds no longer one."""
FIRST = ("source", "parent")
"""Fields that name the source of a document: they come first."""


@dataclass(frozen=True)
class Facets:
    """What the visitor has chosen: a field, and a value of it, or "" for all."""

    page: str
    field: str
    value: str

    def shows(self, document: Document) -> bool:
        """Whether the card of this document is to be seen."""
        return not self.value or self.value in values(document, self.field)

    def choose(self, field: str, value: str) -> None:
        """Show the cards of this value alone."""
        address.put(f"{self.page}.counts", field)
        address.put(f"{self.page}.only", value)

    def row(self, documents: Iterable[Document], corpus: Corpus) -> dict[str, Any] | None:
        """What stands above the lists: fields and, for the chosen one, values with their counts; None: nothing does."""
        hits = {d.id: d for d in documents}.values()
        fields = offered(hits)
        field = self.field if self.value or self.field in fields else next(iter(fields), "")
        if not field:
            return None
        counts = Counter(value for d in hits for value in values(d, field))
        most = dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST])
        if self.value:
            most.setdefault(self.value, counts[self.value])
        named = _parents(corpus, most) if field == "parent" else {}
        return {
            "label": _("Show only"),
            "help": _("Hides the other cards; ranks and movements do not change."),
            "by": _("Field to count"),
            "fields": list(dict.fromkeys([*fields, field])),
            "field": field,
            "value": self.value,
            "values": [["", _("All"), len(hits)], *([v, named.get(v, v), n] for v, n in most.items())],
        }


def chosen(lists: str, corpus: Corpus) -> Facets:
    """The choice for the lists of a page (``lists`` begins with its name); another corpus begins without one."""
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
    """The different words that stand there, of a list each; a number is none."""
    own = document.metadata.get(field)
    if isinstance(own, str):
        return (own[:LONGEST],) if own else ()
    return tuple({v[:LONGEST]: None for v in own if isinstance(v, str) and v}) if isinstance(own, list) else ()


def offered(documents: Iterable[Document]) -> Sequence[str]:
    """The fields with two values or more that several documents share: a word for every second one tells nothing."""
    found, having = defaultdict[str, set[str]](set), Counter[str]()
    for document in documents:
        for field in document.metadata:
            own = values(document, field)
            if own:
                having[field] += 1
                found[field].update(own)
    fields = [field for field, own in found.items() if 2 <= len(own) <= having[field] / 2]
    return sorted(fields, key=lambda field: field not in FIRST)


def _parents(corpus: Corpus, ids: Iterable[str]) -> Mapping[str, str]:
    """Documents that were cut, by their ids, with what they are called."""
    return {id: document.label for id in ids if (document := corpus.get(id))}
