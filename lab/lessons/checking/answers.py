"""Expectations of answers from a list, which may end in a `Context`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab import formats
from lab.algebra import Document, Pipeline, Runner
from lab.answer.again import AskAgain
from lab.answer.citations import CitationRule, Cited
from lab.answer.context import Context
from lab.answer.extract import Extractive
from lab.answer.faithfulness import Faithfulness
from lab.errors import UnknownName
from lab.lessons.checking.case import EXTRACTIVE, Case, Result, answered, sent
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

    def expect_says(self, value: Sequence[Any]) -> Result:
        """``says = ["Extractive(limit=2)", false]``: the passages do not answer so (``true``: they do)."""
        expression, expected = value
        extract = formats.build(str(expression))
        if not isinstance(extract, Extractive):
            raise UnknownName(Said("“{text}” is not a {kind}.", text=expression, kind="Extractive"), EXTRACTIVE)
        answer = answered(self.ranking, extract)
        numbers = {"reached": f"{answer.reached:.2f}", "limit": f"{answer.limit:.2f}"}
        finding = Said("the best sentence scores {reached}, the threshold is {limit}", **numbers)
        return self.told(answer.says == expected, finding, Said("an answer") if expected else Said("none"))

    def expect_cites(self, value: Sequence[Any]) -> Result:
        """``cites = ["BestSentence()", "It takes 14 days.", 1]``: for this sentence the rule cites one passage."""
        rule, text, expected = value
        citation_rule, cited = self._cited(str(rule), str(text))
        finding = Said("passages cited by {rule}: {n}", rule=citation_rule.label, n=len(cited.sources))
        return self.told(len(cited.sources) == expected, finding, Said(str(expected)))

    def expect_carries(self, value: Sequence[str]) -> Result:
        """``carries = ["BestSentence()", "It takes 14 days."]``: the document is the first that is cited for it."""
        citation_rule, cited = self._cited(*value)
        first = self.sent[cited.sources[0].place.passage] if cited.sources else None
        finding = Said("{rule} cites “{title}” first", rule=citation_rule.label, title=first.label if first else "–")
        passed = first is not None and first.id == self.known(self.doc).id
        return self.told(passed, finding, Said("“{text}”", text=self.title(self.doc)))

    def expect_flags(self, value: Sequence[str]) -> Result:
        """``flags = ["It takes 14 days.", "14 days"]``: no cited passage contains these words of this sentence."""
        text, expected = value
        cited = self._cited("BestSentence()", text)[1]
        (cell,) = Faithfulness().rate([cited], self.sent).cells
        flagged = [flag.text for flag in cell.flags]
        finding = Said("in no source: {words}", words=[*flagged] or "–")
        return self.told(expected in flagged, finding, Said("“{text}”", text=expected))

    def expect_saved(self, value: str) -> Result:
        """``saved = "14 days"``: the first round's answer lacks these words, the last round's has them."""
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
        return self.told(value in end and value not in first, finding, Said("“{text}” only then", text=value))
