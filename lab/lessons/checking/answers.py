"""Expectations of answers from a list, which may end in a `Context`."""

from __future__ import annotations

from dataclasses import replace

from lab import formats
from lab.algebra import Document, Pipeline, Runner
from lab.answer.again import AskAgain
from lab.answer.citations import CitationRule, Cited
from lab.answer.context import Context
from lab.answer.extract import Extractive
from lab.answer.faithfulness import Faithfulness
from lab.errors import UnknownName
from lab.lessons.checking.case import EXTRACTIVE, Case, Reading, Result, answered, sent
from lab.words import Said


class Answers(Case):
    """Answers, citations, and another round."""

    @property
    def sent(self) -> tuple[Document, ...]:
        """The passages of the list, best first."""
        return sent(self.ranking)

    def _cited(self, rule: str, sentence: str) -> tuple[CitationRule, Cited]:
        """Returns a citation rule, and its citations for one sentence among the passages."""
        citation_rule = formats.build(rule)
        if not isinstance(citation_rule, CitationRule):
            raise UnknownName(Said("“{text}” is not a citation rule.", text=rule), Said("Write BestSentence()."))
        return citation_rule, citation_rule.cite([sentence], self.sent, self.collection.corpus)[0]

    def expect_answers(self, value: str) -> Result:
        """``answers = "14 days"``: a sentence of the answer that is taken from the document has these words."""
        answer, doc = answered(self.ranking), self.known(self.doc)
        sentences = [s.text for s in answer.sentences if answer.passages[s.place.passage].id == doc.id]
        passed = answer.says and any(value in text for text in sentences)
        finding = Said("taken from “{title}”: {text}", title=doc.label, text=" ".join(sentences) or "–")
        return self.told(passed, finding, Said("“{text}”", text=value))

    def read_answered(self, expression: str) -> Reading:
        """``of = "Extractive(limit=2)"``: whether the passages answer so."""
        extract = formats.build(expression)
        if not isinstance(extract, Extractive):
            raise UnknownName(Said("“{text}” is not a {kind}.", text=expression, kind="Extractive"), EXTRACTIVE)
        answer = answered(self.ranking, extract)
        numbers = {"reached": f"{answer.reached:.2f}", "limit": f"{answer.limit:.2f}"}
        return answer.says, Said("the best sentence scores {reached}, the threshold is {limit}", **numbers)

    def read_citations(self, rule: str, text: str) -> Reading:
        """``of = ["BestSentence()", "It takes 14 days."]``: the number of passages that the rule cites for this."""
        citation_rule, cited = self._cited(rule, text)
        n = len(cited.sources)
        return n, Said("passages cited by {rule}: {n}", rule=citation_rule.label, n=n)

    def read_cited_first(self, rule: str, text: str) -> Reading:
        """``of = ["BestSentence()", "It takes 14 days."]``: whether the document is the first that is cited for it."""
        citation_rule, cited = self._cited(rule, text)
        first = self.sent[cited.sources[0].place.passage] if cited.sources else None
        finding = Said("{rule} cites “{title}” first", rule=citation_rule.label, title=first.label if first else "–")
        return first is not None and first.id == self.known(self.doc).id, finding

    def read_unsupported(self, text: str, words: str) -> Reading:
        """``of = ["It takes 14 days.", "14 days"]``: whether no cited passage contains these words of this sentence."""
        cited = self._cited("BestSentence()", text)[1]
        (cell,) = Faithfulness().rate([cited], self.sent).cells
        flagged = [flag.text for flag in cell.flags]
        return words in flagged, Said("in no source: {words}", words=[*flagged] or "–")

    def read_answered_later(self, words: str) -> Reading:
        """``of = "14 days"``: whether the first round's answer lacks these words, and the last round's has them."""
        search, context = self.search, Context()
        if isinstance(search, Pipeline) and search.refine and isinstance(last := search.refine[-1], Context):
            search, context = replace(search, refine=search.refine[:-1]), last
        rounds = AskAgain()(
            Runner(self.collection.corpus), search, self.ranking.query, context=context, extract=Extractive()
        )
        first, end = (" ".join(s.text for s in r.answer.sentences) for r in (rounds[0], rounds[-1]))
        finding = Said(
            "at first “{first}”, after round {n} “{last}”", n=len(rounds), first=first or "–", last=end or "–"
        )
        return words in end and words not in first, finding
