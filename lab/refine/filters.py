"""Filters: stages that only remove, and say why.

Each removal is a sentence with its numbers.  What stays keeps its order, score and why.  A filter's ``cost``
(0 reads metadata or scores, 1 reads the text, 2 needs vectors) puts the cheap ones first.

Sources: LangChain's ``EmbeddingsFilter`` and ``EmbeddingsRedundantFilter``; RE2 (linear time) for patterns.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from lab.core import Drop, Env, Outcome, Ranking, Stage, Value, knob
from lab.errors import ParameterError
from lab.fuse import normalise
from lab.models.embedders import Embedder, vectors_for
from lab.models.static import BuiltIn
from lab.numeric import Floats, cosines
from lab.reading.dates import read_date
from lab.refine.coverage import Words
from lab.refine.patterns import fault
from lab.text import HAN, Analyzer, fold, well_formed
from lab.words import N_, Said


@dataclass(frozen=True)
class Filter(Stage):
    """A stage that only removes: subclasses give the reason for every hit that must go."""

    cost: ClassVar[int] = 0

    @abstractmethod
    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        """One entry per hit: why it is removed, or None where it stays."""

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        judged = list(zip(ranking.hits, self.reasons(ranking, env) if ranking.hits else (), strict=True))
        kept = tuple(hit for hit, reason in judged if reason is None)
        return Outcome(kept, [Drop(hit.document, reason, self.label) for hit, reason in judged if reason is not None])


# --------------------------------------------------------------------------------------------- by score


@dataclass(frozen=True)
class ScoreThreshold(Filter):
    """Removes what scores below ``minimum``.

    ``of`` says what is compared: the ``score`` itself, its share of the ``best`` score, or its place between
    the lowest (0) and the highest (1) score of the list (``min-max``).  A threshold on raw scores holds for
    one kind of score only: BM25 has no upper end, a cosine ends at 1, RRF at a few hundredths.
    """

    label = "Score threshold"

    minimum: float = knob(0.2, step=0.05)
    of: str = knob("score", choices=("score", "best", "min-max"))

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        scores = [h.score for h in ranking.hits]
        values = scores if self.of == "score" else normalise(scores, "max" if self.of == "best" else "min-max")
        said = {
            "score": N_("Score {score:.4g}; limit {limit:.4g}."),
            "best": N_("Score {score:.4g} is {share:.3f} of the best, {best:.4g}; limit {limit:.4g}."),
            "min-max": N_(
                "Score {score:.4g} lies at {share:.3f} between the lowest and the best, {best:.4g}; limit {limit:.4g}."
            ),
        }[self.of]
        same = {"best": max(scores), "limit": self.minimum}
        compared = zip(scores, values, strict=True)
        return [Said(said, score=s, share=v, **same) if v < self.minimum else None for s, v in compared]


@dataclass(frozen=True)
class MinimumMatch(Filter):
    """Removes what holds less than a share of the query's different terms (at least one is asked for).

    Source: RAGFlow's ``min_match``; ``analyzer`` cuts the terms.
    """

    label = "Minimum match"
    cost = 1

    minimum: float = knob(0.3, low=0.0, high=1.0, step=0.05)
    analyzer: Analyzer = field(default=Analyzer(), kw_only=True)

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        words = Words(self.analyzer, ranking.query.text, ranking.corpus)
        held = (words.held([h.document for h in ranking.hits]) > 0).sum(axis=1)
        terms = len(words.tokens)
        need = max(1, math.ceil(self.minimum * terms - 1e-9))
        reason = N_("It has {there} of {terms} query terms; {need} are asked for.")
        return [Said(reason, there=n, terms=terms, need=need) if n < need else None for n in held.tolist()]


# ------------------------------------------------------------------------------------------ by metadata

POLICIES = ("keep", "drop")


@dataclass(frozen=True)
class MetadataFilter(Filter):
    """Removes what is too old, from elsewhere, or incomplete.

    ``max_age_days`` counts back from ``as_of`` (a date such as 2025-06-30, to be given with it: the same
    experiment gives the same result next year); what is dated later than that is not too old.  ``sources``
    are the allowed values of ``source_field``; ``required`` fields must be there and not be blank.
    ``missing`` says what happens where a date or source is missing, ``unreadable`` where a date is no date.
    """

    label = "Metadata"

    max_age_days: int | None = knob(None, low=0, high=36525)
    as_of: str = ""
    sources: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    missing: str = knob("keep", choices=POLICIES)
    unreadable: str = knob("keep", choices=POLICIES)
    date_field: str = "date"
    source_field: str = "source"

    def __post_init__(self) -> None:
        super().__post_init__()
        _tuples(self, "sources", "required")
        if self.max_age_days is not None and read_date(self.as_of) is None:
            open_ = Said("as_of is “{value}”, but a maximum age needs a day to count from.", value=self.as_of)
            raise ParameterError(open_, Said("Write it as 2025-06-30."))

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        return [next(self._faults(h.document.metadata), None) for h in ranking.hits]

    def _faults(self, metadata: Any) -> Iterator[Said]:
        for name in self.required:
            if _blank(metadata.get(name)):
                yield Said("The field “{field}” is missing.", field=name)
        if self.sources:
            yield from self._there(metadata, self.source_field, self._source)
        if self.max_age_days is not None:
            yield from self._there(metadata, self.date_field, self._age)

    def _there(self, metadata: Any, name: str, faults: Callable[[str, Value], Iterator[Said]]) -> Iterator[Said]:
        if not _blank(metadata.get(name)):
            yield from faults(name, metadata[name])
        elif self.missing == "drop":
            yield Said("The field “{field}” is missing.", field=name)

    def _source(self, name: str, value: Value) -> Iterator[Said]:
        own = [str(v) for v in value] if isinstance(value, list) else [str(value)]
        if not set(own) & set(self.sources):
            said, allowed = N_("{field} is “{value}”; allowed: {allowed}."), ", ".join(self.sources)
            yield Said(said, field=name, value=", ".join(own), allowed=allowed)

    def _age(self, name: str, value: Value) -> Iterator[Said]:
        day, today, limit = read_date(value), read_date(self.as_of), self.max_age_days
        if day is None or today is None:
            if self.unreadable == "drop":
                yield Said("{field} is “{value}”, which is no date.", field=name, value=str(value)[:40])
        elif limit is not None and (age := (today - day).days) > limit:
            said = N_("Dated {day}, {age} days before {as_of}; limit {limit}.")
            yield Said(said, day=day.isoformat(), age=age, as_of=today.isoformat(), limit=limit)


def _blank(value: Value | None) -> bool:
    words = value if isinstance(value, list) else ["" if value is None else str(value)]
    return not any(word.strip() for word in words)


def _tuples(operator: Stage, *names: str) -> None:
    """Lists become tuples: the operator stays hashable.  One word alone is a slip (it would be cut to letters)."""
    for name in names:
        value = getattr(operator, name)
        if isinstance(value, str):
            raise ParameterError(Said("{name} is “{value}”, but must be a list.", name=name, value=value))
        object.__setattr__(operator, name, tuple(value))


# --------------------------------------------------------------------------------------------- by words


@dataclass(frozen=True)
class KeywordExclusion(Filter):
    """Removes documents with one of these words, or with text that one of these patterns matches.

    A word is found as it is written, in any width of letters; a Latin word only where no letter or digit
    touches it.  Patterns are RE2's, which needs time in proportion to the text for any pattern.  Both ignore
    the case unless ``case_matters``.  Raises `ParameterError` for an invalid pattern, with the position.
    """

    label = "Keywords"
    cost = 1

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    case_matters: bool = knob(False, rare=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        _tuples(self, "words", "patterns")
        for word in self.words:
            if not word.strip():
                raise ParameterError(Said("An excluded word is empty."), Said("Take it out of the list."))
        self._compiled()

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        compiled = self._compiled()
        return [self._reason(h.document.title, h.document.text, compiled) for h in ranking.hits]

    def _reason(self, title: str, text: str, compiled: Sequence[Any]) -> Said | None:
        for in_title, part in ((False, text), (True, title)):
            shown = part if self.case_matters else fold(part)
            for word in self.words:
                at = _stands(shown, word if self.case_matters else fold(word))
                if at is not None:
                    said = N_("It has the word “{word}” at character {position}.")
                    said = N_("The title has the word “{word}”.") if in_title else said
                    return Said(said, word=word, position=at + 1)
            plain = well_formed(part)
            for pattern, machine in zip(self.patterns, compiled, strict=True):
                if m := machine.search(plain):
                    said = N_("It has “{found}” at character {position}, which fits the pattern {pattern}.")
                    said = N_("The title has “{found}”, which fits the pattern {pattern}.") if in_title else said
                    return Said(said, found=_short(m.group()), position=m.start() + 1, pattern=pattern)
        return None

    def _compiled(self) -> list[Any]:
        import re2

        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = self.case_matters
        out = []
        for pattern in self.patterns:
            try:
                out.append(re2.compile(pattern, options))
            except (re2.error, UnicodeEncodeError) as error:
                raise fault(pattern, error) from None
        return out


_LETTER = rf"[^\W_{HAN}]"


def _stands(text: str, word: str) -> int | None:
    """Where a word stands for the first time; a Latin letter or digit at its edge must not continue outside."""
    left = rf"(?<!{_LETTER})" if re.match(_LETTER, word[0]) else ""
    right = rf"(?!{_LETTER})" if re.match(_LETTER, word[-1]) else ""
    m = re.search(left + re.escape(word) + right, text)
    return m.start() if m else None


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


# ------------------------------------------------------------------------------------------- by vectors


@dataclass(frozen=True)
class SemanticDedup(Filter):
    """From the top down, removes what is nearly the same as something kept: a cosine of ``threshold`` or more."""

    label = "Semantic de-duplication"
    cost = 2

    threshold: float = knob(0.9, low=0.0, high=1.0, step=0.01)
    embedder: Embedder = field(default_factory=BuiltIn)

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        similarity = _cosines(self.embedder, ranking)[1]
        said = N_("Cosine {cosine:.3f} with {document}, kept at rank {rank}; limit {limit:.2f}.")
        kept = [0]
        out: list[Said | None] = [None]
        for i in range(1, len(ranking)):
            near = int(similarity[i, kept].argmax())
            cosine, twin = float(similarity[i, kept[near]]), ranking.hits[kept[near]].document.id
            if cosine >= self.threshold:
                out.append(Said(said, cosine=cosine, document=twin, rank=near + 1, limit=self.threshold))
            else:
                kept.append(i)
                out.append(None)
        return out


@dataclass(frozen=True)
class RedundancyFilter(Filter):
    """Of every two documents with a cosine above ``threshold`` one goes, the most similar pairs first.

    Equal to LangChain's ``EmbeddingsRedundantFilter``, which keeps the ``later`` of the two: on a ranking,
    that throws away the better one.  ``keep="earlier"`` is the same without this.
    """

    label = "Redundancy"
    cost = 2

    threshold: float = knob(0.95, low=0.0, high=1.0, step=0.01)
    keep: str = knob("later", choices=("later", "earlier"))
    embedder: Embedder = field(default_factory=BuiltIn)

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        said = N_("Cosine {cosine:.3f} with {document} at rank {rank}; limit {limit:.2f}.")
        similarity = np.tril(_cosines(self.embedder, ranking)[1], k=-1)
        later, earlier = np.nonzero(similarity > self.threshold)
        out: list[Said | None] = [None] * len(ranking)
        for n in np.argsort(similarity[later, earlier])[::-1].tolist():
            pair = (int(earlier[n]), int(later[n]))
            gone, twin = pair if self.keep == "later" else pair[::-1]
            if out[gone] is None and out[twin] is None:
                cosine, kept = float(similarity[later[n], earlier[n]]), ranking.hits[twin].document.id
                out[gone] = Said(said, cosine=cosine, document=kept, rank=twin + 1, limit=self.threshold)
        return out


@dataclass(frozen=True)
class EmbeddingsFilter(Filter):
    """Keeps the ``k`` documents nearest to the query (0: any number) whose cosine is above ``threshold``.

    What is kept equals LangChain's ``EmbeddingsFilter``; the order stays that of the ranking.
    """

    label = "Embeddings"
    cost = 2

    k: int = knob(20, low=0, high=1000)
    threshold: float | None = knob(None, low=-1.0, high=1.0, step=0.05)
    embedder: Embedder = field(default_factory=BuiltIn)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.k and self.threshold is None:
            neither = Said("There is neither a number nor a threshold.")
            raise ParameterError(neither, Said("Set k above 0, or a threshold."))

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        near, _ = _cosines(self.embedder, ranking)
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
        return out


def _cosines(embedder: Embedder, ranking: Ranking) -> tuple[Floats, Floats]:
    """The cosines of a ranking's documents with the query, shape [n], and with each other, shape [n, n]."""
    documents = [hit.document for hit in ranking.hits]
    return cosines(*vectors_for(embedder, ranking.query.text, documents, ranking.corpus))


# ------------------------------------------------------------------------------------------- in a chain


def cheapest_first(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages by what they need: metadata, then text, then vectors; equals stay as they are."""
    return tuple(sorted(stages, key=lambda stage: getattr(stage, "cost", 2)))
