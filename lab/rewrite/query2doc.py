"""Query to document: a passage that could answer the question, appended to the question.

Source: L. Wang, N. Yang, F. Wei, *Query2doc: Query Expansion with Large Language Models*, 2023: for word
search the query is repeated five times before the passage, so that its own words keep their weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, QueryVariant, knob
from lab.models.answers import passage
from lab.rewrite.base import Found, PromptRewriter
from lab.rewrite.wording import RESULTS, SENTENCES, feedback
from lab.text.borders import run_on
from lab.words import Said


@dataclass(frozen=True)
class Query2Doc(PromptRewriter):
    """Searches with the query ``repeat`` times, followed by a generated passage.

    The rule takes the ``sentences`` best sentences of the first ``documents`` hits (pseudo-relevance feedback): it
    trusts the first search.
    """

    label = Said("Query as document")
    keeps_original = False
    shape = None
    about = Said("Searches with the question followed by a passage that might answer it.")

    repeat: int = knob(
        3,
        low=1,
        high=10,
        label=Said("Question repeated"),
        help=Said("Copies of the question placed before the generated passage."),
    )
    sentences: int = SENTENCES(3)
    documents: int = RESULTS(3)

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return (self._made(query, passage(answers[0]), ""),)

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        best = feedback(query, corpus, search, documents=self.documents)[: self.sentences]
        if not best:
            return ()
        ids = [*dict.fromkeys(s.doc_id for s in best)]
        why = Said("The best sentences of the first results (pseudo-relevance feedback): {ids}.", ids=ids)
        return (self._made(query, run_on(s.text for s in best), why),)

    def _made(self, query: str, text: str, why: str) -> QueryVariant:
        return QueryVariant(text, Said("pseudo-document"), why, searched="\n".join([query] * self.repeat + [text]))
