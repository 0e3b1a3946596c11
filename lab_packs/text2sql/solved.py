"""Solved questions as examples for a language model: those whose form is nearest, the words of the schema masked.

"candidates in Shanghai over 30" and "orders in Berlin over 50" are one form: <table> in <value> over <number>.  The forms
are documents, searched by the lab's own BM25 and vectors, fused by RRF.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from lab.algebra import Corpus, Document
from lab_packs.text2sql.database import open_sample, samples
from lab_packs.text2sql.documents import SEARCH, SchemaDocuments
from lab_packs.text2sql.recall import shipped
from lab_packs.text2sql.tagging import Span, tag

_DAY = dt.date(2024, 6, 15)


@dataclass(frozen=True)
class Solved:
    """A question with the SQL that answers it, and its form."""

    question: str
    sql: str
    form: str


def form(text: str, spans: Sequence[Span]) -> str:
    """Returns a question with placeholders for words of the schema, numbers and days."""
    parts, at = list[str](), 0
    for span in spans:
        kinds = [link.thing.kind for link in span.links]
        word = kinds[0] if kinds and not span.roles else "day" if span.days else "number" if span.quantity else ""
        parts.append(text[at : span.start] + (f"<{word}>" if word else text[span.start : span.end]))
        at = span.end
    return "".join(parts) + text[at:]


@cache
def _known() -> tuple[tuple[Solved, ...], Corpus]:
    """Returns the questions of the sample databases, and their forms as a corpus."""
    solved: list[Solved] = []
    for name in samples():
        documents = open_sample(name).documents
        solved += [Solved(q, sql, form(q, tag(q, documents, _DAY))) for q, sql in shipped(name)]
    return tuple(solved), Corpus("solved", tuple(Document(str(n), question.form) for n, question in enumerate(solved)))


def nearest(question: str, documents: SchemaDocuments, as_of: dt.date, *, k: int = 3) -> list[Solved]:
    """Returns the solved questions of the most similar form, without the question itself."""
    solved, corpus = _known()
    masked = form(question, tag(question, documents, as_of))
    hits = SEARCH.index(corpus).search(masked, k=k + 1).hits if solved else ()
    similar = [solved[int(hit.document.id)] for hit in hits]
    return [example for example in similar if example.question != question][:k]


def examples(solved: Sequence[Solved]) -> str:
    """Writes solved questions as lines of a prompt; "" if there are none."""
    if not solved:
        return ""
    lines = [f"Question: {example.question}\nSQL: {' '.join(example.sql.split())}" for example in solved]
    return "\n".join(["Solved questions of a similar form, on other databases:", *lines])
