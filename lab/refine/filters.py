"""Filters: stages that only remove, and say why.

Each removal is a sentence with its numbers.  What stays keeps its order, score and why.  A filter's ``cost``
(0 reads metadata or scores, 1 reads the text, 2 needs vectors) puts the cheap ones first.

Sources: LangChain's ``EmbeddingsFilter`` and ``EmbeddingsRedundantFilter``; RE2 (linear time) for patterns.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lab.algebra import Drop, Env, Outcome, Ranking, Stage, fraction, knob
from lab.corpus.fields import FieldReading
from lab.errors import ParameterError
from lab.fuse import normalise
from lab.models.embedders import Embedder, vectors_for
from lab.models.static import EMBEDDER
from lab.numeric import Floats, cosines
from lab.refine.coverage import Words
from lab.refine.finders import Finder
from lab.refine.patterns import fault, with_unicode
from lab.text import WHOLE_WORDS, Analyzer, folded, one_spelling, short, well_formed
from lab.text.quantities.dates import DAY_FIRST, MONTH_FIRST, DayOrder
from lab.words import N_, Said

ALIKE = 1e-9
"""A number and a limit that are nearer than this are equal: 0.3 / 1.5 is a fifth."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers that a filter compares, one per hit, in the order of the list; ``name`` describes them.

    Hits below ``low`` or above ``high`` are removed; None means without a limit.
    """

    name: str
    values: tuple[float, ...]
    low: float | None = None
    high: float | None = None


class Judged(NamedTuple):
    """Per hit why it is removed, or None where it stays; and what this rests on: a `Measured` where it is numbers."""

    reasons: Sequence[Said | None]
    evidence: Any = None


@dataclass(frozen=True)
class Filter(Stage):
    """A stage that only removes: subclasses give the reason for every hit that must go.

    The evidence of its ranking is a `Measured` if it compares scores or cosines with a limit.
    """

    role = "filter"

    cost: ClassVar[int] = 0

    @abstractmethod
    def judge(self, ranking: Ranking, env: Env) -> Judged:
        """Decides which hits of this list, which has at least one, are removed."""

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        reasons, evidence = self.judge(ranking, env) if ranking.hits else Judged(())
        judged = list(zip(ranking.hits, reasons, strict=True))
        drops = [Drop(hit.document, reason, self.label) for hit, reason in judged if reason is not None]
        return Outcome([hit for hit, reason in judged if reason is None], drops, evidence if env.explain else None)


# --------------------------------------------------------------------------------------------- by score


@dataclass(frozen=True)
class ScoreThreshold(Filter):
    """Removes documents that score below ``minimum``.

    ``of`` says what is compared: the ``score`` itself, its share of the ``best`` score, or its place between
    the lowest (0) and the highest (1) score of the list (``min-max``; where all are equal, all are the highest).
    If no score is above 0, a share of the best is undefined and ``min-max`` is used.  A threshold on raw scores
    holds for one kind of score only: BM25 has no upper end, a cosine ends at 1, RRF at a few hundredths.
    """

    inputs = ("scores",)
    label = Said("Score threshold")
    about = Said("Removes results with low scores.")

    minimum: float = knob(
        0.2,
        Said("Minimum"),
        Said("Removes results scoring below this. BM25 scores have no upper limit; a cosine is at most 1."),
        step=0.05,
    )
    of: str = knob(
        "score",
        Said("Score scale"),
        Said("The raw score depends on the kind of list; the other two scales do not."),
        choices={"score": Said("raw score"), "best": Said("share of the best score"), "min-max": Said("min–max")},
    )

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        scores = [h.score for h in ranking.hits]
        of = "min-max" if self.of == "best" and max(scores) <= ALIKE else self.of
        values = scores if of == "score" else normalise(scores, "max" if of == "best" else "min-max")
        if of == "min-max" and max(values) == 0:
            values = [1.0] * len(scores)
        said = {
            "score": N_("Score {score:.4g}; limit {limit:.4g}."),
            "best": N_("Score {score:.4g} is {share:.3f} of the best, {best:.4g}; limit {limit:.4g}."),
            "min-max": N_(
                "Score {score:.4g} lies at {share:.3f} between the lowest and the best, {best:.4g}; limit {limit:.4g}."
            ),
        }[of]
        same = {"best": max(scores), "limit": self.minimum}
        compared = zip(scores, values, strict=True)
        reasons = [Said(said, score=s, share=v, **same) if v < self.minimum - ALIKE else None for s, v in compared]
        names = {"score": Said("score"), "best": Said("share of the best score"), "min-max": Said("score, min–max")}
        return Judged(reasons, Measured(names[of], tuple(values), self.minimum))


@dataclass(frozen=True)
class MinimumMatch(Filter):
    """Removes documents that contain less than a share of the query's distinct terms (at least one is required).

    Source: RAGFlow's ``min_match``; ``analyzer`` cuts the terms.  RAGFlow sends it to its index only for a question
    that it takes for Chinese (`is_chinese`); with ``asked`` other questions remove nothing.
    """

    inputs = ("question", "texts")
    label = Said("Minimum match")
    about = Said("Removes texts with too few of the question's words.")
    cost = 1

    minimum: float = fraction(0.3, Said("Share of the question's words"), Said("Removes documents with fewer matches."))
    asked: str = knob(
        "any",
        Said("Questions with a minimum"),
        Said("RAGFlow has a minimum for up to three words, or if 70% of the words are not purely Latin."),
        choices={"any": Said("every question"), "chinese": Said("as RAGFlow: none in English")},
        rare=True,
    )
    analyzer: Analyzer = WHOLE_WORDS(kw_only=True)

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        if self.asked == "chinese" and not is_chinese(ranking.query.text):
            return Judged([None] * len(ranking.hits))
        words = Words.of(self.analyzer, ranking, env)
        held = (words.held([h.document for h in ranking.hits]) > 0).sum(axis=1)
        terms = len(words.tokens)
        need = max(1, math.ceil(self.minimum * terms - 1e-9))
        reason = N_("Query terms found: {there} of {terms}; required: {need}.")
        reasons = [Said(reason, there=n, terms=terms, need=need) if n < need else None for n in held.tolist()]
        return Judged(reasons, Measured(Said("query terms that it contains"), tuple(map(float, held.tolist())), need))


def is_chinese(question: str) -> bool:
    """Returns whether RAGFlow takes a question for Chinese: three words or fewer, or 70% of them not purely Latin.

    Source: ``is_chinese`` in RAGFlow's ``common/query_base.py``, the same from version 0.15.0 to 0.27.0.
    """
    words = re.split(r"[ \t]+", question)
    return len(words) <= 3 or sum(not re.match("[a-zA-Z]+$", word) for word in words) / len(words) >= 0.7


# ------------------------------------------------------------------------------------------ by metadata

ORDERS = {
    "auto": Said("as the other dates of the field"),
    DAY_FIRST: Said("day/month/year"),
    MONTH_FIRST: Said("month/day/year"),
}
"""How dates are read in which day and month could change places."""
DAY_ORDER = partial(
    knob,
    "auto",
    choices=ORDERS,
    label=Said("Dates such as 01/05/2024"),
    help=Said("Which comes first, the day or the month."),
    rare=True,
)


def order_of(reading: FieldReading, wanted: str) -> DayOrder:
    """Returns how the days of a field are read: as wanted, or, ``auto``, as its values say."""
    return reading.order if wanted == "auto" else DayOrder(wanted, "", reading.order.open)


def stripped(operator: Stage, *names: str) -> None:
    """Strips the words of these parameters.  Raises `ParameterError` if a word is only whitespace."""
    for name in names:
        words = tuple(word.strip() for word in getattr(operator, name))
        if not all(words):
            raise ParameterError(Said("A word of {name} is empty.", name=name), Said("Remove it from the list."))
        object.__setattr__(operator, name, words)


# --------------------------------------------------------------------------------------------- by words


MOST_WORDS = 1_000
"""Excluded words that are looked for at most: each is looked for in every text."""


@dataclass(frozen=True)
class KeywordExclusion(Filter):
    """Removes documents that contain one of these words or match one of these patterns.

    A word is found in any width of letters and in the variants that an index reads as one (`one_spelling`): wifi also
    removes Wi-Fi, and 1000 removes 1,000; a Latin word only if no letter or digit touches it.  Patterns are RE2's,
    which needs time in proportion to the text for any pattern, and match the text as it is written.  Both ignore the
    case unless ``case_matters``.  Raises `ParameterError` for an invalid pattern, with the position.
    """

    inputs = ("texts",)
    label = Said("Keywords")
    about = Said("Removes texts that contain a word or match a pattern.")
    cost = 1

    words: tuple[str, ...] = knob(
        (),
        Said("Words to exclude, separated by commas"),
        Said("Removes documents that contain any of these words. wifi also matches Wi-Fi, 1000 matches 1,000."),
        kind="words",
    )
    patterns: tuple[str, ...] = knob(
        (),
        Said("Patterns (RE2), one per line"),
        Said("Removes documents that match any pattern. \\w, \\d and \\s know all scripts, \\b only ASCII."),
        kind="lines",
    )
    case_matters: bool = knob(
        False, Said("Case-sensitive"), Said("Off: “Beta” and “beta” are the same word."), rare=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        stripped(self, "words")
        if len(self.words) > MOST_WORDS:
            many = Said("There are {n} excluded words; the maximum is {limit}.", n=len(self.words), limit=MOST_WORDS)
            raise ParameterError(many, Said("Remove the rarest, or write one pattern for several similar words."))
        self._compiled()

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        compiled = self._compiled()
        words = {word: text for word in self.words if (text := folded(word, case=self.case_matters).text)}
        finders = {word: Finder.of(text, as_written=True) for word, text in words.items()}
        return Judged([self._reason(h.document.title, h.document.text, finders, compiled) for h in ranking.hits])

    def _reason(self, title: str, text: str, finders: Mapping[str, Finder], compiled: Sequence[Any]) -> Said | None:
        for in_title, part in ((False, text), (True, title)):
            shown = folded(part, case=self.case_matters)
            spelled = one_spelling(shown.text)
            for word, finder in finders.items():
                if place := min(finder.places(shown.text, spelled), default=None):
                    start, end = shown.place(*place)
                    found = part[start:end]
                    if folded(found, case=self.case_matters).text == finder.text:
                        said = N_("It contains the word “{word}” at character {position}.")
                        said = N_("The title contains the word “{word}”.") if in_title else said
                        return Said(said, word=word, position=start + 1)
                    said = N_("It contains “{found}” at character {position}, a variant of “{word}”.")
                    said = N_("The title contains “{found}”, a variant of “{word}”.") if in_title else said
                    return Said(said, word=word, position=start + 1, found=short(found, 40))
            plain = well_formed(part)
            for pattern, machine in zip(self.patterns, compiled, strict=True):
                if m := machine.search(plain):
                    said = N_("It contains “{found}” at character {position}, which matches the pattern {pattern}.")
                    said = (
                        N_("The title contains “{found}”, which matches the pattern {pattern}.") if in_title else said
                    )
                    return Said(said, found=short(m.group(), 40), position=m.start() + 1, pattern=short(pattern, 40))
        return None

    def _compiled(self) -> list[Any]:
        import re2

        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = self.case_matters
        out = []
        for pattern in self.patterns:
            try:
                re2.compile(pattern, options)  # so that an error names what was written
                machine = re2.compile(with_unicode(pattern), options)
            except (re2.error, UnicodeEncodeError) as error:
                raise fault(pattern, error) from None
            if any((m := machine.search(text)) and not m.group() for text in ("", "a", " a ")):
                nothing = Said(
                    "The pattern “{pattern}” matches the empty text, so all documents would be removed.",
                    pattern=short(pattern, 40),
                )
                raise ParameterError(nothing, Said("Require at least one character: + instead of *."))
            out.append(machine)
        return out


# ------------------------------------------------------------------------------------------- by vectors


@dataclass(frozen=True)
class SemanticDedup(Filter):
    """Removes, from the top down, near-duplicates of kept documents: a cosine of ``threshold`` or more."""

    inputs = ("texts",)
    label = Said("Semantic de-duplication")
    about = Said("Keeps the best of near-duplicate passages.")
    cost = 2

    threshold: float = fraction(
        0.9, Said("Duplicates from cosine"), Said("Keeps the better of two equal results."), step=0.01
    )
    embedder: Embedder = EMBEDDER()

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        similarity = _cosines(self.embedder, ranking, env)[1]
        said = N_("Cosine {cosine:.3f} with “{document}”, kept at rank {rank}; limit {limit:.2f}.")
        kept, values = [0], [0.0]  # the first has nothing above it
        out: list[Said | None] = [None]
        for i in range(1, len(ranking)):
            near = int(similarity[i, kept].argmax())
            cosine, twin = float(similarity[i, kept[near]]), ranking.hits[kept[near]].document.label
            values.append(cosine)
            if cosine >= self.threshold - ALIKE:
                out.append(Said(said, cosine=cosine, document=twin, rank=near + 1, limit=self.threshold))
            else:
                kept.append(i)
                out.append(None)
        name = Said("cosine with the nearest passage kept above it")
        return Judged(out, Measured(name, tuple(values), high=self.threshold))


@dataclass(frozen=True)
class RedundancyFilter(Filter):
    """Removes one of every two documents with a cosine above ``threshold``, the most similar pairs first.

    Equal to LangChain's ``EmbeddingsRedundantFilter``, which keeps the ``later`` of the two: on a ranking,
    that throws away the better one.  ``keep="earlier"`` is the same without this.
    """

    inputs = ("texts",)
    label = Said("Redundancy")
    about = Said("Removes one of each similar pair, as in LangChain.")
    cost = 2

    threshold: float = fraction(
        0.95, Said("Remove one of two above cosine"), Said("LangChain's filter of redundant documents."), step=0.01
    )
    keep: str = knob(
        "later",
        Said("Duplicate to keep"),
        Said("LangChain keeps the later one: in a result list, that removes the better one."),
        choices={"later": Said("the later one (LangChain)"), "earlier": Said("the earlier one")},
    )
    embedder: Embedder = EMBEDDER()

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        said = N_("Cosine {cosine:.3f} with {document} at rank {rank}; limit {limit:.2f}.")
        similarity = np.tril(_cosines(self.embedder, ranking, env)[1], k=-1)
        later, earlier = np.nonzero(similarity > self.threshold + ALIKE)
        out: list[Said | None] = [None] * len(ranking)
        for n in np.argsort(similarity[later, earlier])[::-1].tolist():
            pair = (int(earlier[n]), int(later[n]))
            gone, twin = pair if self.keep == "later" else pair[::-1]
            if out[gone] is None and out[twin] is None:
                cosine, kept = float(similarity[later[n], earlier[n]]), ranking.hits[twin].document.id
                out[gone] = Said(said, cosine=cosine, document=kept, rank=twin + 1, limit=self.threshold)
        nearest = np.maximum(similarity.max(axis=0), similarity.max(axis=1))  # 0 for a single passage
        name = Said("cosine with the nearest other passage")
        return Judged(out, Measured(name, tuple(nearest.tolist()), high=self.threshold))


@dataclass(frozen=True)
class EmbeddingsFilter(Filter):
    """Keeps the ``k`` documents nearest to the query (0: any number) whose cosine is above ``threshold``.

    The result has the same documents as LangChain's ``EmbeddingsFilter``, in the order of the ranking.  Of equal texts
    at the limit ``k`` the first stays here, and the last in LangChain.
    """

    inputs = ("question", "texts")
    label = Said("Similar to the query")
    about = Said("Keeps texts similar to the query.")
    cost = 2

    k: int = knob(
        20,
        Said("Maximum number of nearest (0: no limit)"),
        Said("Number of documents nearest to the query that are kept."),
        low=0,
        high=1000,
    )
    threshold: float | None = knob(
        None,
        Said("Passages: cosine above"),
        Said("Removes documents farther away than this. Empty: no limit."),
        low=-1.0,
        high=1.0,
        step=0.05,
    )
    embedder: Embedder = EMBEDDER()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.k and self.threshold is None:
            neither = Said("Neither a maximum number nor a threshold is set.")
            raise ParameterError(neither, Said("Set k above 0, or a threshold."))

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        near, _ = _cosines(self.embedder, ranking, env)
        order = np.argsort(-near, kind="stable").tolist()
        places = {i: n for n, i in enumerate(order, 1)}
        low = N_("Cosine {cosine:.3f} with the query; limit {limit:.2f}.")
        far = N_("Cosine {cosine:.3f} with the query, the {place}. of {n}; the last of the nearest {k} has {last:.3f}.")
        last = float(near[order[min(self.k, len(order)) - 1]])
        same = {"limit": self.threshold, "n": len(order), "k": self.k, "last": last}
        out: list[Said | None] = []
        for i, cosine in enumerate(near.tolist()):
            below = self.threshold is not None and not cosine > self.threshold
            beyond = 0 < self.k < places[i]
            out.append(Said(low if below else far, cosine=cosine, place=places[i], **same) if below or beyond else None)
        limits = [x for x in (self.threshold, last if self.k else None) if x is not None]
        return Judged(out, Measured(Said("cosine with the query"), tuple(near.tolist()), max(limits)))


def _cosines(embedder: Embedder, ranking: Ranking, env: Env) -> tuple[Floats, Floats]:
    """Returns the cosines of a ranking's documents with the query, shape [n], and with each other, shape [n, n]."""
    documents = [hit.document for hit in ranking.hits]
    return cosines(*vectors_for(embedder, ranking.query.text, documents, ranking.corpus, env))


# ------------------------------------------------------------------------------------------- in a chain


def cheapest_first(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Sorts stages by cost: metadata, then text, then vectors; stages of equal cost keep their order."""
    return tuple(sorted(stages, key=lambda stage: getattr(stage, "cost", 2)))
