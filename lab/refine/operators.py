"""Operators of a question as a filter: quotation marks, +, -, AND, OR, NOT, brackets and fields are kept to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from lab.algebra import Corpus, Env, Query, Ranking, Selection, knob
from lab.corpus.statistics import fields_of
from lab.refine.boolean import BooleanQuery, Matching, Reading, parse
from lab.refine.filters import Filter, Judged
from lab.refine.sets import Sets
from lab.words import Said, joined


def field_names(corpus: Corpus) -> Collection[str]:
    """Returns the metadata fields that a question about this corpus may name; none if its texts are elsewhere."""
    return () if corpus.elsewhere else [field.name for field in fields_of(corpus)]


def asked_of(query: Query) -> str:
    """Returns the text of a question as it was asked, before it was rewritten."""
    while query.made_from is not None:
        query = query.made_from
    return query.text


def read(query: Query, corpus: Corpus) -> BooleanQuery:
    """Reads the operators of the question as it was asked, before rewriting."""
    return _parse(asked_of(query), tuple(field_names(corpus)))


_parse = lru_cache(maxsize=1)(parse)  # the steps of a search read one question in turn


@dataclass(frozen=True)
class Operators(Filter):
    """Removes what the operators of the question exclude: see `lab.refine.boolean`.

    A rewritten question is judged by the operators of the original one.  A question without operators removes nothing.
    The evidence is the `BooleanQuery`.
    """

    inputs = ("question", "texts", "metadata")
    label = Said("Operators")
    about = Said("Keeps to the quotation marks, +, -, AND, OR, NOT and fields in a question.")
    cost = 1
    cuts_only = True
    selects = True

    stems: bool = knob(
        True, Said("Match word forms"), Said("“filter” also matches “filters”, but not in quotation marks.")
    )

    def select(self, query: Query, corpus: Corpus, env: Env) -> Selection | None:
        if corpus.elsewhere:
            return None
        boolean_query = read(query, corpus)
        if not boolean_query.signs:
            return Selection(None, boolean_query, lambda document: Said())
        tree, matching = boolean_query.tree, Matching(self.stems)
        key = "operators", boolean_query.text, self.stems
        rows = env.once(key, lambda: Sets(corpus, stems=self.stems).fitting(tree))
        return Selection(rows, boolean_query, lambda document: joined(matching.reasons(tree, Reading(document)), " "))

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        boolean_query = read(ranking.query, ranking.corpus)
        if not boolean_query.signs:
            return Judged([None] * len(ranking.hits), boolean_query)
        tree, matching = boolean_query.tree, Matching(self.stems)
        reasons = [matching.reasons(tree, Reading(hit.document)) for hit in ranking.hits]
        return Judged([joined(parts, " ") if parts else None for parts in reasons], boolean_query)
