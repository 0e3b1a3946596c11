"""Query rewriting: what a technique is, and what it gives.

Each `Rewriter` is one prompt (shown and editable), one strict parser, and one offline rule.  `apply` uses the
model where there is one and the rule where there is none; which of the two it was stands in `Rewrite.by`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from lab.core import Corpus, Index, Operator, one_of
from lab.errors import ModelError
from lab.models.chat import Completion, LanguageModel, ask_many
from lab.models.prompting import fill, prompts
from lab.text import language_of, plain
from lab.words import LANGUAGES


@dataclass(frozen=True)
class QueryVariant:
    """One query that a technique made: what kind it is, and in a sentence where it comes from.

    ``searched`` is what goes to the index, where that is not the text itself.
    """

    text: str
    kind: str
    why: str = ""
    searched: str = ""

    @property
    def query(self) -> str:
        """What the index is asked."""
        return self.searched or self.text


@dataclass(frozen=True)
class Rewrite:
    """A query and what a technique made of it, by a rule or by a model.

    ``queries`` may be empty (a rule may find nothing to change).  ``answers`` are the model's own words.
    """

    original: str
    queries: tuple[QueryVariant, ...]
    made_by: Rewriter
    by: Literal["rule", "model"]
    answers: tuple[Completion, ...] = ()
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class Rewriter(Operator, ABC):
    """A way to rewrite a query.

    ``template`` is the prompt of the visitor in the place of the technique's own; ``{question}`` stands for the
    query and ``{n}`` for the number of items.
    """

    family: ClassVar[str] = "rewrite"
    keeps_original: ClassVar[bool] = True
    """Whether the original query is searched beside what was made of it."""

    template: str = field(default="", kw_only=True)

    @property
    def wanted(self) -> int:
        """How many queries it makes at most."""
        return getattr(self, "n", 1)

    def prompt(self, language: str) -> str:
        """The prompt in this language (en or zh), with its placeholders; the visitor's own, where there is one."""
        one_of("language", language, LANGUAGES)
        return self.template or prompts()[self._section][language]

    @property
    def _section(self) -> str:
        return type(self).__name__.lower()

    def requests(self, query: str, language: str) -> tuple[str, ...]:
        """What is sent to a model: usually one prompt."""
        return (fill(self.prompt(language), question=query, n=str(self.wanted)),)

    @abstractmethod
    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        """What the answers to `requests` say.  Raises `Unreadable`; never gives an empty query, nor none at all."""

    @abstractmethod
    def rule(self, query: str, corpus: Corpus, index: Index) -> tuple[QueryVariant, ...]:
        """The same without a model; ``index`` finds the passages that rules learn from."""


def apply(
    technique: Rewriter, query: str, corpus: Corpus, *, model: LanguageModel | None = None, index: Index | None = None
) -> Rewrite:
    """What this technique makes of a query: by the model, or by the rule where there is none.

    ``index`` (by default vector search with the built-in embedder) finds the passages that the rules of step back, query
    to document and hypothetical documents take their words from.  Raises `ModelError` where the model fails or
    its answer cannot be read: the rule is still there (call again without a model).
    """
    start = time.perf_counter()
    query = query.strip()
    if not query:
        return Rewrite(query, (), technique, "rule" if model is None else "model")
    if model is None:
        if index is None:
            from lab.retrieve.vector import Vector

            index = corpus.once(("feedback",), lambda: Vector().index(corpus))
        made = unique(technique.rule(query, corpus, index), query)
        return Rewrite(query, made, technique, "rule", seconds=time.perf_counter() - start)
    found = ask_many(model, technique.requests(query, language_of(query)))
    answers = []
    for answer in found:
        if isinstance(answer, ModelError):
            raise answer
        answers.append(answer)
    made = technique.parse(query, [a.text for a in answers])
    return Rewrite(query, unique(made, query), technique, "model", tuple(answers), time.perf_counter() - start)


def unique(made: Sequence[QueryVariant], query: str) -> tuple[QueryVariant, ...]:
    """Without those that are blank, say the same as an earlier one, or are the query itself."""
    seen, out = {plain(query)}, []
    for one in made:
        if one.query.strip() and plain(one.query) not in seen:
            seen.add(plain(one.query))
            out.append(one)
    return tuple(out)
