"""The cost of an index: how much is searched, how long it takes to build, how much memory it keeps."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lab import catalog
from lab.algebra import NONE, Corpus, Derivation, Env, Models, Operator, Pipeline, Progress, Searcher, at_rest, index_of
from lab.derive.written import Written
from lab.models.chat import model_named

Over = Callable[[Derivation, Corpus], Corpus]
"""Makes a derived corpus."""


@dataclass(frozen=True, slots=True)
class Size:
    """The number of ``entries`` searched, and of their ``characters`` (titles and texts)."""

    entries: int
    characters: int


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of building the indexes of a search: ``seconds``, and the ``bytes`` that they keep.

    ``written``: a language model wrote some of the entries; its time is not included.
    """

    seconds: float
    bytes: int
    written: bool


def leaves(search: Searcher, corpus: Corpus, over: Over) -> Iterator[tuple[Searcher, Corpus]]:
    """Yields every retriever of a search with the corpus that it searches, once; ``over`` derives a corpus."""
    seen = set[tuple[Searcher, int]]()
    for leaf, leaf_corpus in _every(search, corpus, over):
        if (key := (at_rest(leaf), id(leaf_corpus))) not in seen:
            seen.add(key)
            yield at_rest(leaf), leaf_corpus


def _every(search: Searcher, corpus: Corpus, over: Over) -> Iterator[tuple[Searcher, Corpus]]:
    if not isinstance(search, Pipeline):
        yield search, corpus
        return
    for derivation in search.derive:
        corpus = over(derivation, corpus)
    for searcher in search.retrieve:
        yield from _every(searcher, corpus, over)


def size(search: Searcher, corpus: Corpus, models: Models = NONE) -> Size:
    """Returns the number of entries and characters of all indexes of a search."""
    texts = [
        leaf_corpus for _, leaf_corpus in leaves(search, corpus, lambda derivation, c: derivation(c, env=Env(models)))
    ]
    return Size(sum(map(len, texts)), sum(len(d.content) for part in texts for d in part))


def cost(search: Searcher, corpus: Corpus, models: Models = NONE, progress: Progress | None = None) -> Cost:
    """Builds the indexes of a search once more, without anything cached, and measures that.

    Texts that a language model has written are reused.
    """
    env, fresh = Env(models, progress=progress), Corpus(corpus.name, corpus.documents)
    existing: dict[int, Corpus] = {id(fresh): corpus}  # the cached corpus, by the id of its fresh copy
    derived: dict[tuple[Derivation, int], Corpus] = {}

    def over(derivation: Derivation, parent: Corpus) -> Corpus:
        if (key := (derivation, id(parent))) not in derived:
            if by_model(derivation):
                already = derivation(existing[id(parent)], env=env)
                derived[key] = Corpus(
                    already.name, already.documents, made_by=derivation, parents=(parent,), origins=already.origins
                )
            else:
                already, derived[key] = parent, derivation(parent, env=env)
            existing[id(derived[key])] = already
        return derived[key]

    start = time.perf_counter()
    for leaf, leaf_corpus in leaves(search, fresh, over):
        index_of(leaf, leaf_corpus, models=models, progress=progress)
    seconds = time.perf_counter() - start
    originals = set(map(id, fresh.documents))
    texts = (d.text for part in derived.values() for d in part if id(d) not in originals)
    kept_bytes = fresh.bytes - Corpus(fresh.name, fresh.documents).bytes + sum(map(sys.getsizeof, texts))
    return Cost(seconds, kept_bytes, any(by_model(derivation) for derivation, _ in derived))


def unwritten(search: Any, corpus: Corpus, models: Models) -> Iterator[tuple[Written, Corpus]]:
    """Yields the texts that these models must write before a search can run: each derivation and its corpus.

    A derivation behind one of them is left out: its corpus is not known yet.
    """
    if not any(isinstance(part, Written) and part.model in models for part in catalog.inside(search)):
        return
    derived = corpus
    for derivation in search.derive if isinstance(search, Pipeline) else ():
        if isinstance(derivation, Written) and _lacks(derivation, derived, models):
            yield derivation, derived
            return
        derived = derivation(derived, env=Env(models))
    for child in search if isinstance(search, tuple) else (getattr(search, f.name) for f in dataclasses.fields(search)):
        yield from unwritten(child, derived, models)


def _lacks(written: Written, corpus: Corpus, models: Models) -> bool:
    model = model_named(models, written.model)
    return model is not None and bool(written.missing(corpus, model))


def by_model(part: Operator) -> bool:
    """Returns whether a language model does the work of this part, not its rule."""
    return "model" in part.needs
