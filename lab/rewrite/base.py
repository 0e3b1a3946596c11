"""Query rewriting: the common base of the techniques in this folder.

Each is one prompt (shown and editable), one strict parser, and one offline rule.  A run that has a model under the
name in ``model`` asks it; without that name the rule does the work.  `Rewrite.by` records which of the two it was.

A rule abstains where it would more often do harm: where the question finds enough by its own words (`held`), and where
a list searches by meaning.  Both were measured (`benchmarks/rewrite.py`), for rules only: a model is always asked.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from lab.algebra import (
    ALONE,
    Corpus,
    Document,
    Env,
    Fusion,
    Hit,
    Index,
    Progress,
    Query,
    QueryVariant,
    Ranking,
    Retriever,
    Rewrite,
    Rewriter,
    Searcher,
    knob,
)
from lab.fuse import RRF, ShareSum
from lab.models.answers import items, sameness
from lab.models.chat import QUERIES, Completion, Shape
from lab.models.consult import Request, consult
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.refine.coverage import Words
from lab.retrieve.vector import Vector
from lab.text import Analyzer, language_of
from lab.words import N_, Said

STEMS = Analyzer(pairs=False, bigrams=False, characters=False)
"""Whole words by their stems: a passage has pairs and characters of nearly every question."""

Found = Callable[[str, int], Sequence[Hit]]
"""The first hits of a query: what rules learn from."""


@dataclass(frozen=True, slots=True)
class Held:
    """The best match for the words of a question without rewriting.

    ``share`` is the share of its IDF weight that the best passage holds, from 0 to 1; ``words`` how many words of equal
    weight it is worth, (sum of w)^2 / sum of w^2 (L. Kish's effective sample size, *Survey Sampling*, 1965); 0 if
    it has no word.  ``document`` is that passage, or None if no passage holds a word.
    """

    share: float
    words: float
    document: Document | None

    @property
    def reached(self) -> float:
        """Returns share sqrt(words): m of n equal words are m / sqrt(n), as a long question needs no larger share.

        It is what the passage holds of w, divided by the Euclidean length of w.
        """
        return self.share * math.sqrt(self.words)


def held(text: str, corpus: Corpus, progress: Progress | None = None) -> Held:
    """Returns how much of a question the best passage holds, by whole words; ties by corpus order.

    ``progress`` follows the counting of the words, which is done once for a corpus, and may stop it.
    """
    words = Words(STEMS, text, corpus, progress)
    sums, matrix = np.zeros(len(corpus)), words.matrix
    for token, weight in zip(words.tokens, words.weights.tolist(), strict=True):
        if token in matrix.vocabulary:
            sums[matrix.docs[matrix.column(matrix.vocabulary[token])]] += weight
    square = float(words.weights @ words.weights)  # the weights sum to 1
    if not sums.any():
        return Held(0.0, 1 / square if square else 0.0, None)
    best = int(sums.argmax())
    return Held(float(sums[best]), 1 / square, corpus.documents[best])


@dataclass(frozen=True)
class PromptRewriter(Prompted, Rewriter):
    """A way to rewrite a query.

    ``template`` is the visitor's prompt, which replaces the technique's own; ``{question}`` stands for the query and
    ``{n}`` for the number of items.  ``model`` is the name of a setting of the run; if it is empty, the rule is used.
    Rules that take words from the first hits take them from ``learns_from``.

    A rule that ``abstains`` leaves the question as it is where `Held.reached` is at least ``enough``, and asks a list
    that searches by meaning the question alone.
    """

    merged_by = RRF()
    kind: ClassVar[str] = ""
    """What its queries are called, where all of them are of one kind."""
    neighbours: ClassVar[int] = 0
    """Number of first results whose common words the rule takes."""
    shape: ClassVar[Shape | None] = QUERIES
    """The JSON object that a model is asked for; None: a passage."""

    template: str = TEMPLATE(
        help=Said("{question} and {n} are filled in. Empty: the lab's prompt."), needs=("question",)
    )
    learns_from: Searcher = knob(
        Vector(),
        kind="spec",
        label=Said("Search to learn from"),
        help=Said("The search whose first hits give the rule its words."),
        kw_only=True,
    )
    abstains: bool = knob(
        True,
        label=Said("Skip good questions"),
        help=Said(
            "The rule does not rewrite a question whose own words find enough, or a list that searches by "
            "meaning. A model is always asked."
        ),
        kw_only=True,
    )
    enough: float = knob(
        0.65,
        low=0.0,
        high=2.0,
        step=0.05,
        label=Said("Coverage threshold"),
        help=Said(
            "Share of the question's IDF weight that one passage must contain, divided by the square root of the "
            "number of its words."
        ),
        kw_only=True,
    )

    def requests(self, query: str, language: str) -> tuple[str, ...]:
        """Returns the prompts for the model, usually one."""
        return (fill(self.prompt(language), question=query, n=str(self.wanted)),)

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        """Reads the rewrites, at least one and none empty, from the answers to `requests`.  Raises `Unreadable`."""
        return tuple(QueryVariant(text, self.kind) for text in items(answers[0], self.wanted))

    def nothing(self, query: str, corpus: Corpus) -> str:
        """Explains in a sentence why the rule found no rewrite; empty if there is nothing to say."""
        return ""

    @abstractmethod
    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        """Rewrites the query without a model; ``search`` gives the passages that rules learn from."""

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start, text = time.perf_counter(), query.text.strip()
        variants: Sequence[QueryVariant] = ()
        answers: tuple[Completion, ...] = ()
        unchanged = self._enough(text, corpus, env) if text and not self.model and self.abstains else ""
        if text and self.model:
            requests = [Request(prompt, str) for prompt in self.requests(text, language_of(text))]
            readings = consult(self.asked(env), requests, shape=self.shape, progress=env.progress)
            variants = self.parse(text, [reading.get() for reading in readings])
            answers = tuple(reading.answer for reading in readings if reading.answer)
        elif text and not unchanged:
            variants = self.rule(text, corpus, lambda asked, k: env.search(self.learns_from, corpus, asked, k).hits)
            unchanged = "" if variants else self.nothing(text, corpus)
        by: Literal["rule", "model"] = "model" if self.model else "rule"
        seconds = time.perf_counter() - start
        return Rewrite(query, unique(variants, text), self, by, answers, unchanged, seconds=seconds)

    def _enough(self, text: str, corpus: Corpus, env: Env) -> str:
        """Explains with numbers why the question stays unchanged; empty if its words do not find enough."""
        best_passage = held(text, corpus, env.progress)
        if best_passage.document is None or best_passage.reached < self.enough:
            return ""
        message = N_(
            "The rule leaves the question unchanged: “{title}” contains {share:.0%} of the question's IDF weight. "
            "The question is worth {words:.1f} words of equal weight, and {wanted:.0%} is enough ({enough:g} / "
            "√{words:.1f})."
        )
        if best_passage.words < 1.05:  # it would say: 1.0 words
            message = N_("The rule leaves the question unchanged: “{title}” contains its one important word.")
        values = {
            "share": best_passage.share,
            "words": best_passage.words,
            "wanted": self.enough / math.sqrt(best_passage.words),
        }
        return Said(message, title=best_passage.document.label, enough=self.enough, **values)

    def declines(self, retrievers: Iterable[Retriever]) -> str:
        meaning = next((r.label for r in retrievers if r.family == "vector"), "")
        if not meaning or self.model or not self.abstains:
            return ""
        return Said(
            "The rule leaves “{list}” unchanged: it searches by meaning, where rules made results worse in "
            "our measurements.",
            list=meaning,
        )


@dataclass(frozen=True)
class Rewording(PromptRewriter):
    """A way to rewrite a query whose wordings are asked beside it, one list each.

    The query's own list has ``weight`` where that of a wording has 1, in fusions that have weights (and are given none
    of their own); in others it counts like the rest.
    """

    weight: float = knob(
        1.0,
        low=0.1,
        high=10.0,
        step=0.1,
        label=Said("Weight of the question"),
        help=Said("Weight of the question's own list; the list of each rewrite counts 1."),
        kw_only=True,
    )

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        whole = len(lists) == 1 + len(rewrite.queries)  # else the question itself was left out
        if whole and self.weight != 1 and isinstance(by, ShareSum) and not by.weights:
            each = by.unweighted(len(lists))
            by = by.weighted([self.weight * each, *[each] * len(rewrite.queries)])
        return by(lists, query=rewrite.original)


def unique(
    variants: Iterable[QueryVariant], query: str, key: Callable[[str], Hashable] = sameness
) -> tuple[QueryVariant, ...]:
    """Removes blank rewrites, repetitions of an earlier one by this key, and the query itself."""
    distinct: dict[Hashable, QueryVariant | None] = {key(query): None}
    for variant in variants:
        if variant.query.strip():
            distinct.setdefault(key(variant.query), variant)
    return tuple(variant for variant in distinct.values() if variant)
