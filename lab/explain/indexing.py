"""What an index costs: how much is searched, how long it takes to make, how much memory it keeps."""

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
"""What makes a derived corpus."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many ``entries`` are searched, and how many ``characters`` (titles and texts) they have."""

    entries: int
    characters: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to make the indexes of a search: ``seconds``, and the ``bytes`` that are kept.

    Where a language model has written what is searched, its time is not in it: ``written`` says so.
    """

    seconds: float
    bytes: int
    written: bool


def leaves(search: Searcher, corpus: Corpus, over: Over) -> Iterator[tuple[Searcher, Corpus]]:
    """Every retriever of a search with the corpus that it searches, each pair once; ``over`` derives a corpus."""
    seen = set[tuple[Searcher, int]]()
    for leaf, own in _every(search, corpus, over):
        if (key := (at_rest(leaf), id(own))) not in seen:
            seen.add(key)
            yield at_rest(leaf), own


def _every(search: Searcher, corpus: Corpus, over: Over) -> Iterator[tuple[Searcher, Corpus]]:
    if not isinstance(search, Pipeline):
        yield search, corpus
        return
    for derivation in search.derive:
        corpus = over(derivation, corpus)
    for one in search.retrieve:
        yield from _every(one, corpus, over)


def size(search: Searcher, corpus: Corpus, models: Models = NONE) -> Size:
    """What is searched, all indexes of a search together."""
    texts = [own for _, own in leaves(search, corpus, lambda derivation, c: derivation(c, env=Env(models)))]
    return Size(sum(map(len, texts)), sum(len(d.content) for own in texts for d in own))


def cost(search: Searcher, corpus: Corpus, models: Models = NONE, progress: Progress | None = None) -> Cost:
    """The indexes of a search made once more, with nothing of what is kept already, and measured.

    What a language model has written is not asked for again.
    """
    env, fresh = Env(models, progress=progress), Corpus(corpus.name, corpus.documents)
    kept: dict[int, Corpus] = {id(fresh): corpus}  # what is there already, by what is made anew
    made: dict[tuple[Derivation, int], Corpus] = {}

    def over(derivation: Derivation, own: Corpus) -> Corpus:
        if (key := (derivation, id(own))) not in made:
            if by_model(derivation):
                there = derivation(kept[id(own)], env=env)
                made[key] = Corpus(
                    there.name, there.documents, made_by=derivation, parents=(own,), origins=there.origins
                )
            else:
                there, made[key] = own, derivation(own, env=env)
            kept[id(made[key])] = there
        return made[key]

    start = time.perf_counter()
    for leaf, own in leaves(search, fresh, over):
        index_of(leaf, own, models=models, progress=progress)
    seconds = time.perf_counter() - start
    originals = set(map(id, fresh.documents))
    texts = (d.text for own in made.values() for d in own if id(d) not in originals)
    held = fresh.bytes - Corpus(fresh.name, fresh.documents).bytes + sum(map(sys.getsizeof, texts))
    return Cost(seconds, held, any(by_model(derivation) for derivation, _ in made))


def unwritten(search: Any, corpus: Corpus, models: Models) -> Iterator[tuple[Written, Corpus]]:
    """What these models must write before a search can run: each derivation with the corpus that it writes about.

    What stands behind one of them in a row is not known before it is written.
    """
    if not any(isinstance(part, Written) and part.model in models for part in catalog.inside(search)):
        return
    own = corpus
    for derivation in search.derive if isinstance(search, Pipeline) else ():
        if isinstance(derivation, Written) and _lacks(derivation, own, models):
            yield derivation, own
            return
        own = derivation(own, env=Env(models))
    for one in search if isinstance(search, tuple) else (getattr(search, f.name) for f in dataclasses.fields(search)):
        yield from unwritten(one, own, models)


def _lacks(written: Written, corpus: Corpus, models: Models) -> bool:
    model = model_named(models, written.model)
    return model is not None and bool(written.missing(corpus, model))


def by_model(part: Operator) -> bool:
    """Whether a language model does the work of this part, not its rule."""
    return "model" in part.needs
