"""Query rewriting: what the techniques of this folder share.

Each is one prompt (shown and editable), one strict parser, and one offline rule.  A run that has a model under the
name in ``model`` asks it; without that name the rule does the work.  Which of the two it was stands in `Rewrite.by`.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from lab.core import ALONE, Corpus, Env, Hit, Query, QueryVariant, Rewrite, Rewriter, Searcher, knob
from lab.models.answers import items, sameness
from lab.models.chat import Completion, LanguageModel, ask_many, whole
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.retrieve.vector import Vector
from lab.text import language_of
from lab.words import Said

Found = Callable[[str, int], Sequence[Hit]]
"""The first hits of a query: what rules learn from."""


@dataclass(frozen=True)
class PromptRewriter(Prompted, Rewriter):
    """A way to rewrite a query.

    ``template`` is the prompt of the visitor in the place of the technique's own; ``{question}`` stands for the
    query and ``{n}`` for the number of items.  ``model`` is the name of a setting of the run; where it is empty, the
    rule works.  Rules that take words from the first hits take them from ``learns_from``.
    """

    kind: ClassVar[str] = ""
    """What its queries are called, where all of them are of one kind."""

    template: str = TEMPLATE(help=Said("{question} and {n} are filled in. Empty: the prompt of the lab."))
    learns_from: Searcher = knob(
        Vector(),
        kind="spec",
        label=Said("Learns from"),
        help=Said("The search whose first hits give the rule its words."),
        kw_only=True,
    )

    def requests(self, query: str, language: str) -> tuple[str, ...]:
        """What is sent to a model: usually one prompt."""
        return (fill(self.prompt(language), question=query, n=str(self.wanted)),)

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        """What the answers to `requests` say.  Raises `Unreadable`; never gives an empty query, nor none at all."""
        return tuple(QueryVariant(text, self.kind) for text in items(answers[0], self.wanted))

    @abstractmethod
    def rule(self, query: str, corpus: Corpus, found: Found) -> tuple[QueryVariant, ...]:
        """The same without a model; ``found`` gives the passages that rules learn from."""

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start, text = time.perf_counter(), query.text.strip()
        made: Sequence[QueryVariant] = ()
        answers: tuple[Completion, ...] = ()
        if text and self.model:
            answers = self._answers(text, env)
            made = self.parse(text, [a.text for a in answers])
        elif text:
            made = self.rule(text, corpus, lambda asked, k: env.search(self.learns_from, corpus, asked, k).hits)
        by: Literal["rule", "model"] = "model" if self.model else "rule"
        return Rewrite(query, unique(made, text), self, by, answers, seconds=time.perf_counter() - start)

    def _answers(self, text: str, env: Env) -> tuple[Completion, ...]:
        model: LanguageModel = self.asked(env)
        asked = self.requests(text, language_of(text))
        return tuple(map(whole, ask_many(model, asked, progress=env.progress)))  # half a wording finds something else


def unique(made: Sequence[QueryVariant], query: str) -> tuple[QueryVariant, ...]:
    """Without those that are blank, say the same as an earlier one, or are the query itself."""
    seen, out = {sameness(query)}, []
    for one in made:
        if one.query.strip() and sameness(one.query) not in seen:
            seen.add(sameness(one.query))
            out.append(one)
    return tuple(out)
