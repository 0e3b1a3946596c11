r"""A learned mix: the score is a sum of weights times features, and every product is on the screen.

The features of every candidate are computed from the document itself, whichever list found it: a document found only
by vectors has its true BM25 score, and one found only by words its true cosine.  Over the list each feature
is brought to 0..1 (min-max); but for a neural cosine whose model tells how far a list's cosines usually lie apart
(`Embedder.band`): it is divided by the mean of that and of the list's own width, so that a list in which all are
equally near is not spread as far as any other.  Beside each stands the same feature times the list's best exact
coverage c: how much of the question's words the best passage has.  So one set of weights can lean on words where they
meet (c near 1), and on meaning where they cannot (a question in another language, c near 0)::

    score(d) = sum over features f of (w_f + v_f c) f(d)

The weights come from judged questions (`lab.evaluate.learning`); the shipped ones carry where they come from.

Sources: linear learning to rank as in T. Joachims, *Optimizing Search Engines using Clickthrough Data*, 2002
(pairs of documents), with the logistic loss of C. Burges et al., *Learning to Rank using Gradient Descent*, 2005.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.resources import files
from typing import Any, ClassVar, cast

import numpy as np

from lab import packs
from lab.algebra import ALONE, Contribution, Document, Env, Hit, Later, Outcome, Ranking, Stage, in_order, knob, must
from lab.errors import UnknownName
from lab.fuse import normalise
from lab.models.embedders import Embedder, neural_model
from lab.models.static import EMBEDDER
from lab.numeric import Floats
from lab.refine.features import FEATURES, SLOW, Question
from lab.text import ANALYZER, Analyzer
from lab.words import N_, Said

BUILT_IN, NEURAL = "built-in", "neural"
OFFERED = (BUILT_IN, NEURAL) if packs.entries("neural") else (BUILT_IN,)
"""The sets of weights that pages offer: one of them needs the neural model of a pack."""


def _weight(label: Said, help: str) -> Any:
    return knob(0.0, label, help, kind="number", step=0.05)


def _covered(feature: Any) -> Any:
    """Returns the weight of the same feature times the list's best exact coverage."""
    label = feature.metadata["label"]
    return _weight(
        Said("{feature} × coverage", feature=label),
        Said(
            "Weight added to the feature, times the largest share of the question's words in one "
            "passage: full if a passage has all of them, none if no passage has any."
        ),
    )


# ------------------------------------------------------------------------------------------------ weights


@dataclass(frozen=True)
class Weights:
    """One weight per feature, and one for the feature times the list's best exact coverage (``…_covered``).

    A feature that is not named weighs 0.  Raises `ParameterError` for a weight that is not a finite number.
    """

    key: ClassVar[str] = "weights"

    bm25: float = _weight(Said("BM25"), Said("The document's BM25 score (Lucene's variant)."))
    whole: float = _weight(Said("meaning of the whole"), Said("The cosine of question and passage."))
    sentence: float = _weight(
        Said("best sentence"), Said("The cosine of the question and the most similar sentence of the passage.")
    )
    maxsim: float = _weight(
        Said("soft word coverage"), Said("Takes the most similar word of the passage for every word of the question.")
    )
    exact: float = _weight(
        Said("exact coverage"), Said("Share of the question's words that it contains, weighted by IDF.")
    )
    pairs: float = _weight(
        Said("neighbouring words"),
        Said("Share of the question's neighbouring words that are also neighbours in the passage."),
    )
    title: float = _weight(Said("title coverage"), Said("Exact term coverage, title only."))
    neural: float = _weight(
        Said("neural meaning"), Said("The cosine of question and passage with the neural embedding model.")
    )
    bm25_covered: float = _covered(bm25)
    whole_covered: float = _covered(whole)
    sentence_covered: float = _covered(sentence)
    maxsim_covered: float = _covered(maxsim)
    exact_covered: float = _covered(exact)
    pairs_covered: float = _covered(pairs)
    title_covered: float = _covered(title)
    neural_covered: float = _covered(neural)

    def __post_init__(self) -> None:
        message = N_("The weight of “{word}” is {weight}, but must be finite.")
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            must(number, message, word=f.name, weight=value)
            object.__setattr__(self, f.name, float(value))

    @classmethod
    def named(cls, name: str) -> Weights:
        """Returns the shipped weights of this name.  Raises `UnknownName`, which lists the known ones."""
        if name not in shipped():
            known = Said("Valid names: {names}.", names=[*shipped()])
            raise UnknownName(Said("There are no weights “{name}”.", name=name), known)
        return shipped()[name].weights

    @staticmethod
    def names() -> tuple[str, ...]:
        """Returns the names of the shipped weights that pages offer."""
        return OFFERED

    @staticmethod
    def of(numbers: Sequence[float]) -> Weights:
        """Builds weights from numbers in field order: first one per feature, then one per product with coverage."""
        return Weights(*(float(x) for x in numbers))

    def short(self) -> str:
        """Returns the name used for these weights in files, links and expressions; empty if they are not shipped."""
        return next((name for name, shipped_weights in shipped().items() if shipped_weights.weights == self), "")

    @cached_property
    def vector(self) -> Floats:
        """Returns all weights in the order of the fields, shape [2 F]."""
        return np.array(dataclasses.astuple(self))

    def at(self, covered: float) -> dict[str, float]:
        """Returns the weight of each feature in a list whose best exact coverage is ``covered``."""
        w, v = np.split(self.vector, 2)
        return dict(zip(FEATURES, (w + covered * v).tolist(), strict=True))


@dataclass(frozen=True)
class Shipped:
    """A set of weights from ``learned.json``, with the record of what it was learned from."""

    weights: Weights
    provenance: Mapping[str, Any] = dataclasses.field(hash=False)


@cache
def shipped() -> Mapping[str, Shipped]:
    """Returns the shipped weights by name."""
    stored = json.loads((files("lab.refine") / "learned.json").read_text("utf-8"))
    return {name: Shipped(Weights(**entry["weights"]), entry["provenance"]) for name, entry in stored.items()}


# -------------------------------------------------------------------------------------------------- stage


@dataclass(frozen=True, eq=False)
class Mix:
    """The features of every candidate, and the scores computed from them.

    ``names`` are the computed features, ``raw`` [hits, n] their values, ``scaled`` [hits, n] these values from 0 to 1
    over the list (the neural one is divided by the mean of the list's width and ``band``, if ``band`` is not 0);
    ``covered`` is the list's best exact coverage c.  All in the order of ``documents``.
    """

    documents: tuple[Document, ...]
    names: tuple[str, ...]
    raw: Floats
    covered: float
    band: float = 0.0

    @cached_property
    def scaled(self) -> Floats:
        columns = [
            (column - column.min()) / ((np.ptp(column) + self.band) / 2)
            if name == NEURAL and self.band and len(column)
            else normalise(column.tolist(), "min-max")
            for name, column in zip(self.names, self.raw.T, strict=True)
        ]
        return np.array(columns).reshape(len(self.names), len(self.documents)).T

    @cached_property
    def table(self) -> Floats:
        """Returns the factors of the weights: the scaled features, then these times c, shape [hits, 2 F]."""
        whole = np.zeros((len(self.documents), len(FEATURES)))
        whole[:, [list(FEATURES).index(name) for name in self.names]] = self.scaled
        return np.concatenate([whole, self.covered * whole], axis=1)

    def addends(self, weights: Weights) -> Floats:
        """Returns the score components of each hit, for every feature and every feature times c, shape [hits, 2 F]."""
        return np.asarray(self.table * weights.vector)

    def scores(self, weights: Weights) -> list[float]:
        """Returns the score of each document, the sum of its components."""
        return [math.fsum(row) for row in self.addends(weights).tolist()]


@dataclass(frozen=True)
class Learned(Stage):
    r"""Reranks by a weighted sum of features, with weights learned from judged questions.

    ========  ========================================================================================
    bm25      the BM25 score (Lucene) of the document
    whole     the cosine of the question and the document
    sentence  the cosine of the question and the nearest sentence of the document
    maxsim    soft coverage: of every token of the question the nearest of the document (`MaxSim`)
    exact     the share of the question's IDF that the document's words cover (`QueryCoverage`)
    pairs     the share of neighbouring words of the question that are neighbours in the document
    title     the share of the question's IDF that the title's words cover
    neural    the cosine of the question and the document under the ``neural`` embedder
    ========  ========================================================================================

    Each is min-max over the list (the last one half by its model's usual width, where that is known), and counts
    (w + v c) with c the list's best exact coverage.  ``weights`` are the name of a shipped set, or `Weights`.  A
    feature of weight 0 is computed only when the evidence, a `Mix`, is read; the neural one, which may need a package
    and takes long, not even then.
    """

    inputs = ("question", "scores", "texts")
    label = Said("Learning to rank (LTR)")
    about = Said("Adds up words, meaning, best sentence and coverage with weights learned from judged questions.")
    role = "rerank"

    weights: Weights = knob(
        default_factory=lambda: Weights.named(BUILT_IN),
        kind="spec",
        offers=OFFERED,
        called={BUILT_IN: Said("built-in"), NEURAL: Said("neural")},
        label=Said("Weights of the features"),
        help=Said(
            "'built-in'; 'neural', with a neural model that reads every candidate; or your own: "
            "Weights(bm25=2, maxsim=3). A feature that is not named weighs 0."
        ),
    )
    embedder: Embedder = EMBEDDER(kw_only=True)
    analyzer: Analyzer = ANALYZER(kw_only=True)
    neural: Embedder = knob(
        default_factory=neural_model,
        kind="spec",
        label=Said("Neural embedding model"),
        help=Said("Scores question and passage for the neural feature, if that feature has a weight."),
        kw_only=True,
    )

    def __post_init__(self) -> None:
        weights: Any = self.weights
        if isinstance(weights, str):
            object.__setattr__(self, "weights", Weights.named(weights))
        elif isinstance(weights, Mapping):
            object.__setattr__(self, "weights", Weights(**dict(weights)))
        super().__post_init__()

    @property
    def slow(self) -> bool:
        """Returns whether a neural model reads every candidate."""
        used = np.abs(self.weights.vector).reshape(2, -1).sum(0) > 0
        return any(weight for name, weight in zip(FEATURES, used, strict=True) if name in SLOW)

    def mix(self, ranking: Ranking, *, every: bool = True, env: Env = ALONE) -> Mix:
        """Returns the features of the hits; ``every``: also those of weight 0."""
        documents, query, corpus = tuple(h.document for h in ranking.hits), ranking.query, ranking.corpus
        used = np.abs(self.weights.vector).reshape(2, -1).sum(0) > 0
        names = tuple(n for n, weight in zip(FEATURES, used, strict=True) if weight or (every and n not in SLOW))
        key = (Learned, self.analyzer, self.embedder, self.neural, names, query, id(corpus))
        _, cache = env.once(key, lambda: (corpus, dict[tuple[str, str], Floats]()))
        keys = [(d.title, d.text) for d in documents]
        new = {key: d for key, d in zip(keys, documents, strict=True) if key not in cache}
        if new:
            question = Question(query, [*new.values()], corpus, self.analyzer, self.embedder, self.neural, env)
            cache.update(zip(new, np.array([*(FEATURES[n](question) for n in names), question.exact()]).T, strict=True))
        rows = np.array([cache[key] for key in keys]).reshape(len(documents), len(names) + 1)
        return Mix(documents, names, rows[:, :-1], float(rows[:, -1].max(initial=0.0)), self.neural.band)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        if not ranking.hits:
            return Outcome(())
        mix = self.mix(ranking, every=env.explain, env=env)
        addends = mix.addends(self.weights).tolist()
        names = addend_names(mix.covered)

        def why(row: Sequence[float]) -> list[Contribution]:
            return [Contribution(name, value) for name, value in zip(names, row, strict=True) if value]

        hits = [
            Hit(d, score, Later(partial(why, row)) if env.explain else ())
            for d, score, row in zip(mix.documents, mix.scores(self.weights), addends, strict=True)
        ]
        return Outcome(in_order(hits, ranking), (), mix if env.explain else None)


def addend_names(covered: float) -> list[str]:
    """Returns the names of the score components, in the order of `Mix.addends`."""
    names = [feature_name(name) for name in FEATURES]
    return [*names, *(Said("{feature} × coverage {covered:.2f}", feature=x, covered=covered) for x in names)]


def feature_name(name: str) -> Said:
    """Returns the label of a feature."""
    return cast(Said, next(f.metadata["label"] for f in dataclasses.fields(Weights) if f.name == name))
