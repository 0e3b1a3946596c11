"""The nouns of the algebra: documents and corpora, questions, rankings with their reasons.

Everything is frozen: a stage never changes its input, so that before and after can both be on the screen.  What made a
ranking is known here only as an `Operator`; the verbs are in `lab.algebra.verbs`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from json.encoder import encode_basestring
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Never, Protocol, TypeVar, cast

from lab import notebook
from lab.algebra.knobs import Operator, counted, is_finite, must, shown
from lab.errors import CorpusError
from lab.footprint import footprint
from lab.kept import Progress, Shared
from lab.words import N_, Said

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

Value = str | int | float | bool | list[str]
T = TypeVar("T")
Arrays = Mapping[str, "NDArray[Any]"]
"""An index as stored on the disk: arrays by their names."""
Models = Mapping[str, object]
"""Loaded models and addresses, by the names of the settings that specifications contain."""
NONE: Mapping[str, Never] = MappingProxyType({})
"""No models, no other corpora."""

# ------------------------------------------------------------------------------------------------ nouns


_LABEL = 40
"""Maximum length, in characters, of the label of an untitled document."""
_NOTHING: Mapping[str, Value] = MappingProxyType({})
"""The metadata of every document without any: a million such dicts would cost the garbage collector seconds."""


class Label(str):
    """A name that knows the ``start`` of what tells it apart: if it is too long, it is cut before that."""

    start: int

    def __new__(cls, text: str, start: int = 0) -> Label:
        label = super().__new__(cls, text)
        label.start = start
        return label

    def after(self, words: str) -> Label:
        """Returns this label after some words, such as its rank."""
        return Label(words + self, self.start and self.start + len(words))

    def __reduce__(self) -> tuple[object, ...]:
        return Label, (str(self), self.start)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Document:
    """One passage.  ``metadata`` values are str, int, float, bool or a list of str; None means missing.

    ``name`` is what tells it apart in its corpus, if that is not its title: see `lab.text.naming`.
    """

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Value] = field(default_factory=lambda: _NOTHING, hash=False)
    name: Label | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.metadata is _NOTHING:
            return
        metadata = {name: list(v) if isinstance(v, tuple) else v for name, v in self.metadata.items() if v is not None}
        object.__setattr__(self, "metadata", MappingProxyType(metadata) if metadata else _NOTHING)

    @property
    def content(self) -> str:
        """The text that is searched: the title, a line break, the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def label(self) -> Label:
        """The name of this document on the screen: its title, else the start of its text, cut between words."""
        return self.name or Label(self.title or self._beginning())

    def _beginning(self) -> str:
        begin = " ".join(self.text[: 5 * _LABEL].split())
        if len(begin) <= _LABEL:
            return begin or self.id
        cut = max(begin.rfind(c, _LABEL // 2, _LABEL) for c in " ，。；、：！？")
        return begin[: cut if cut > 0 else _LABEL - 1].rstrip(" ，。；、：！？,.;:") + "…"

    def __reduce__(self) -> tuple[object, ...]:
        return _document, (self.id, self.text, self.title, dict(self.metadata), self.name)


def _document(id: str, text: str, title: str, metadata: Mapping[str, Value], name: Label | None = None) -> Document:
    return Document(id, text, title, metadata, name=name)


class Searchable(Protocol):
    """Anything that can search a corpus: see `lab.algebra.verbs.Searcher`."""

    def index(self, corpus: Corpus, *, models: Models = ..., progress: Progress | None = ...) -> Index: ...


S = TypeVar("S", bound=Searchable)


class Keeper(Protocol):
    """Stores indexes beyond the end of a process: see `Corpus.stored`."""

    def once(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays: ...


@dataclass(frozen=True)
class Corpus:
    """A named sequence of documents with unique ids.

    ``fingerprint`` identifies the content (not the name) and is the cache key everywhere.  A derived corpus has the
    operator that made it (``made_by``), its ``parents``, and its ``origins``: the document from which each of its own
    documents came.  ``keeper`` stores its indexes on a disk; without one, nothing is stored there.
    Raises `CorpusError` for a repeated or empty id, and for a value that is not text or not metadata.
    """

    name: str
    documents: tuple[Document, ...]
    made_by: Operator | None = field(default=None, kw_only=True, compare=False, repr=False)
    parents: tuple[Corpus, ...] = field(default=(), kw_only=True, compare=False, repr=False)
    origins: Mapping[str, str] = field(default_factory=dict, kw_only=True, compare=False, repr=False)
    keeper: Keeper | None = field(default=None, kw_only=True, compare=False, repr=False)
    _memo: _Memo = field(init=False, repr=False, compare=False, hash=False)
    _mark: object = field(default_factory=object, init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        seen: set[str] = set()
        for document in self.documents:
            of_texts = type(document.id) is type(document.text) is type(document.title) is str
            if (document.metadata or not of_texts) and (faults := [*_faults(document)]):
                raise CorpusError(faults[0], Said("Write it as text, or leave it out."))
            if not document.id or document.id in seen:
                message = N_("The document id “{id}” is empty or occurs twice in {corpus}.")
                remedy = Said("Give every document an id of its own.")
                raise CorpusError(Said(message, id=document.id, corpus=self.name), remedy)
            seen.add(document.id)
        derived = self.made_by is not None and self.parents
        object.__setattr__(self, "_memo", self.parents[0]._memo if derived else _Memo(self))

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __hash__(self) -> int:
        return hash((self.name, self.fingerprint))

    def __reduce__(self) -> tuple[object, ...]:  # without the values that are cached with it
        return partial(Corpus, made_by=self.made_by, parents=self.parents, origins=dict(self.origins)), (
            self.name,
            self.documents,
        )

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The position of every id in corpus order, from 0."""
        return MappingProxyType({d.id: i for i, d in enumerate(self.documents)})

    def get(self, doc_id: str) -> Document | None:
        """The document with this id, or None."""
        i = self.positions.get(doc_id)
        return None if i is None else self.documents[i]

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the ids, titles, texts and metadata, in order."""
        digest, quote = hashlib.sha256(), encode_basestring
        for d in self.documents:  # as json.dumps writes a list of the four, at a third of its time
            more = json.dumps(dict(d.metadata), ensure_ascii=False, sort_keys=True) if d.metadata else "{}"
            line = f"[{quote(d.id)}, {quote(d.title)}, {quote(d.text)}, {more}]\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    elsewhere: ClassVar[str] = ""
    """The engine that stores its texts: each is read when it is needed, and nothing reads them all."""

    def index(self, searcher: Searchable, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """Returns the index of a searcher over these documents; a corpus stored elsewhere is searched there."""
        return searcher.index(self, models=models, progress=progress)

    def instead(self, searcher: S) -> S:
        """Returns the search to run on this corpus: the given one, or another if the texts are stored elsewhere."""
        return searcher

    def takes(self, searcher: Searchable) -> bool:
        """Returns whether a search of this kind is possible on this corpus."""
        return True

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of ``make()``, computed once per key and cached with this corpus within `ROOM`.

        It is for values that several operators derive from the same corpus: term matrices, document vectors.  A value
        computed from a derived corpus is cached with the corpus from which that was derived.
        """
        return self.awaited(key, lambda _: make(), None)

    def awaited(self, key: Hashable, make: Callable[[Progress | None], T], progress: Progress | None) -> T:
        """Returns the value of ``make(progress)``, cached as by `once`, and reports progress to everyone who waits.

        A progress that raises an exception ends its own waiting or computing; one of those still waiting continues.
        """
        return cast(T, self._memo.once((self._mark, key), make, progress))

    def stored(self, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """Returns the arrays of an index: from ``make()``, or stored by an earlier process with the same ``version``.

        ``kind`` identifies the index and its settings, ``version`` everything else that its numbers depend on.
        """
        return make() if self.keeper is None else self.keeper.once(self, kind, version, make)

    def holds(self, key: Hashable) -> bool:
        """Returns whether `once` has a value for this key."""
        return (self._mark, key) in self._memo.kept

    def discard(self, key: Hashable) -> None:
        """Discards the value of `once` for this key, if there is one."""
        self._memo.drop((self._mark, key))

    @property
    def bytes(self) -> int:
        """About how much memory its texts and all values cached with it take."""
        return self._memo.total + sum(sys.getsizeof(d.text) for d in self.documents)

    def forget(self) -> None:
        """Discards all values cached with this corpus."""
        self._memo.clear()


def _faults(document: Document) -> Iterator[Said]:
    """Yields a message for each part of a document that cannot be searched, compared and written to a file."""
    for name in ("id", "text", "title"):
        if not isinstance(getattr(document, name), str):
            message = N_("The {field} of document “{id}” is {value}; it must be text.")
            yield Said(message, id=shown(document.id), field=name, value=shown(getattr(document, name)))
    metadata: Mapping[Any, Any] = document.metadata
    for name, value in metadata.items():
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        number = isinstance(value, int | float) and (isinstance(value, float) or abs(value) < _LARGEST)
        if not (isinstance(name, str) and (isinstance(value, str) or number or texts)):
            message = N_(
                "The metadata “{field}” of document “{id}” must be text, a number, true or false, or a list of texts."
            )
            yield Said(message, id=shown(document.id), field=shown(name))


_LARGEST = 10**4300
"""From this size on, Python does not write a whole number."""


ROOM = 1 << 28
"""Bytes that may be cached with a corpus, plus `ROOM_PER_CHARACTER` for every character of it."""
ROOM_PER_CHARACTER = 256


class _Memo(Shared):
    """The values cached with a corpus and with the corpora derived from it."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(ROOM + ROOM_PER_CHARACTER * sum(len(d.text) + len(d.title) for d in corpus.documents))

    def weight(self, value: Any) -> int:
        """Returns the bytes of a value, without the cached values that it refers to."""
        kept_ids = set(map(id, self.kept.values())) - {id(value)}
        return footprint(
            value, without=lambda item: id(item) in kept_ids or isinstance(item, Document | Corpus | Operator)
        )


# ---------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation; ``shown`` has the ids of the passages that were shown with it."""

    text: str
    role: str = "user"
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """A question.  Queries with the same text, turns and weights are equal.

    ``turns`` are the earlier turns; ``weights`` are (word, weight) pairs that are searched instead of the words of
    the text (empty: every word counts as often as it occurs).  ``metadata`` is the author's notes about the question
    (its ``type``).  If a `Rewriter` wrote it, ``kind`` is the kind of rewrite and ``made_from`` the original question.
    """

    text: str
    id: str = field(default="", kw_only=True, compare=False)
    turns: tuple[Turn, ...] = field(default=(), kw_only=True)
    weights: tuple[tuple[str, float], ...] = field(default=(), kw_only=True)
    metadata: Mapping[str, Value] = field(default_factory=dict, kw_only=True, compare=False, repr=False)
    kind: str = field(default="", kw_only=True, compare=False)
    made_from: Query | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", tuple(self.turns))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))
        for word, weight in self.weights:
            if not (word and is_finite(weight)):
                message = N_("The weight of “{word}” is {weight}, but must be finite.")
                must(False, message, word=word, weight=shown(weight))
        object.__setattr__(self, "weights", tuple((word, float(weight)) for word, weight in self.weights))

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        options = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.kw_only}
        return partial(Query, **{**options, "metadata": dict(self.metadata)}), (self.text,)

    @staticmethod
    def of(query: str | Query) -> Query:
        """Returns the query itself, or a text as a query."""
        return query if isinstance(query, Query) else Query(query)

    @property
    def blank(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.text.strip() and not self.weights


# ----------------------------------------------------------------------------------------------- rankings


@dataclass(frozen=True, slots=True)
class Contribution:
    """One component of a score, named in words that a reader understands.

    In a fused score, ``of`` is the position of the list that it comes from, from 0.  ``group`` names the part of the
    score that it belongs to, if a score has parts that are sums themselves.
    """

    source: str
    value: float
    of: int | None = field(default=None, compare=False, repr=False)
    group: str = field(default="", compare=False, repr=False)


class Later(Sequence[T]):
    """A sequence that is computed when it is first read: the reasons of hits that perhaps nobody looks at."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make: Callable[[], Sequence[T]] | None = make
        self._made: tuple[T, ...] = ()

    def _read(self) -> tuple[T, ...]:
        make = self._make
        if make is not None:
            self._made = tuple(make())
            self._make = None
        return self._made

    def __getitem__(self, at: Any) -> Any:
        return self._read()[at]

    def __len__(self) -> int:
        return len(self._read())

    def __eq__(self, other: object) -> bool:
        return self._read() == (other._read() if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (self._read(),)


@dataclass(frozen=True, slots=True)
class Hit:
    """A document with its score.  ``why`` sums to the score; it is empty only if the score is not a sum."""

    document: Document
    score: float
    why: Sequence[Contribution] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """A document that a stage removed: one sentence with the numbers, and the stage's name."""

    document: Document
    reason: str
    by: str


class Removed(Later[Drop]):
    """The documents that a condition on a whole corpus keeps out of a list's first results, computed when first read.

    ``of`` says of any document of the corpus why it does not fit; None if it fits.
    """

    __slots__ = ("of",)

    def __init__(self, make: Callable[[], Sequence[Drop]], of: Callable[[Document], Drop | None]) -> None:
        super().__init__(make)
        self.of = of


@dataclass(frozen=True)
class Ranking:
    """An ordered list of hits, with the operator that made it and the rankings it was made from.

    ``made_by`` is the frozen operator, ``parents`` the rankings it was made from, ``dropped`` the documents it
    removed; ``corpus`` is the corpus searched.  ``asked`` is the number of documents requested if the list may continue
    beyond its end (0: it is complete).  ``seconds`` is the time it took, ``evidence`` the intermediate results that a
    page may draw.  None of the last four takes part in comparisons.
    """

    query: Query
    hits: tuple[Hit, ...]
    made_by: Operator
    parents: tuple[Ranking, ...] = ()
    dropped: Sequence[Drop] = ()
    seconds: float = field(default=0.0, compare=False)
    asked: int = field(default=0, compare=False)
    evidence: object = field(default=None, compare=False, repr=False)
    corpus: Corpus = field(kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "query", Query.of(self.query))

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {hit.document.id: rank for rank, hit in reversed(list(enumerate(self.hits, 1)))}

    def rank(self, doc_id: str) -> int | None:
        """The rank of this document, from 1, or None if it is not in the list."""
        return self._ranks.get(doc_id)

    def hit(self, doc_id: str) -> Hit | None:
        """The hit of this document, or None."""
        rank = self.rank(doc_id)
        return None if rank is None else self.hits[rank - 1]

    def drop(self, doc_id: str) -> Drop | None:
        """The reason why this document was removed here, or None."""
        document, dropped = self.corpus.get(doc_id), self.dropped
        if isinstance(dropped, Removed):
            return dropped.of(document) if document else None
        return next((drop for drop in dropped if drop.document.id == doc_id), None)

    @property
    def ids(self) -> list[str]:
        """The ids of the hits, best first."""
        return [hit.document.id for hit in self.hits]

    def evidence_as(self, kind: type[T]) -> T:
        """The evidence, which is of this kind.  Raises `TypeError` if it is not."""
        if not isinstance(self.evidence, kind):
            raise TypeError(f"the evidence is of the kind {type(self.evidence).__name__}, not {kind.__name__}")
        return self.evidence

    @property
    def source(self) -> Ranking:
        """The ranking that the scores come from: this one, or the one before it if this one is only truncated."""
        return self.parents[0].source if self.made_by.cuts_only else self

    def first(self, k: int) -> Ranking:
        """Returns the list as if only ``k`` had been requested; ``Top(k)`` is the cut that records what it drops."""
        counted("k", k)
        return self if len(self.hits) <= k else dataclasses.replace(self, hits=self.hits[:k], asked=k)

    def then(self, *stages: Callable[[Ranking], Ranking]) -> Ranking:
        """Apply the stages from left to right."""
        return reduce(lambda ranking, stage: stage(ranking), stages, self)

    def lineage(self) -> Iterator[Ranking]:
        """Every ranking from which this one was made, parents before children, each once, this one last."""
        seen: set[int] = set()

        def walk(ranking: Ranking) -> Iterator[Ranking]:
            if id(ranking) not in seen:
                seen.add(id(ranking))
                for parent in ranking.parents:
                    yield from walk(parent)
                yield ranking

        return walk(self)

    def to_dict(self) -> dict[str, Any]:
        """The ranking as plain values, ready for JSON."""
        hits = [
            {
                "rank": rank,
                "id": hit.document.id,
                "score": hit.score,
                "title": hit.document.title,
                "text": hit.document.text,
                "metadata": dict(hit.document.metadata),
                "why": [{"source": part.source, "value": part.value} for part in hit.why],
            }
            for rank, hit in enumerate(self.hits, 1)
        ]
        dropped = [{"id": d.document.id, "by": d.by, "reason": d.reason} for d in self.dropped]
        head = {"query": self.query.text, "corpus": self.corpus.name, "seconds": self.seconds}
        return {**head, "hits": hits, "dropped": dropped}

    def _repr_html_(self) -> str:
        return notebook.ranking(self)

    def to_frame(self) -> pd.DataFrame:
        """Columns rank, id, title, score, why, text; one row a hit (a lone surrogate becomes a question mark)."""
        import pandas as pd

        def row(rank: int, hit: Hit) -> list[Any]:
            why = " + ".join(f"{part.source} {part.value:.6g}" for part in hit.why)
            cells = (rank, hit.document.id, hit.document.title, hit.score, why, hit.document.text)
            # a table holds UTF-8, which has no half characters
            return [c.encode("utf-8", "replace").decode("utf-8") if isinstance(c, str) else c for c in cells]

        rows = [row(rank, hit) for rank, hit in enumerate(self.hits, 1)]
        return pd.DataFrame(rows, columns=["rank", "id", "title", "score", "why", "text"])


class Index(ABC):
    """A searcher prepared for one corpus."""

    operator: Searchable
    corpus: Corpus

    @abstractmethod
    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """The best ``k`` documents; ``explain=False`` leaves `Hit.why` empty (faster in bulk work).

        A document that shares nothing with the query is never returned; equal scores are in the order of
        `lab.algebra.order`; an empty query gives an empty ranking.  Raises `ParameterError` for k < 1.
        """

    def within(self, rows: NDArray[np.bool_]) -> Index:
        """Returns this index over some of its documents: those whose position is true in ``rows``.

        This default asks for ever longer lists until enough of them are in the set; indexes that can leave out the
        other documents from the start override it.
        """
        return Narrowed(self, rows)


class Narrowed(Index):
    """An index whose lists keep to a set of documents, for those that cannot be searched within a set."""

    def __init__(self, whole: Index, rows: NDArray[np.bool_]) -> None:
        self.operator, self.corpus, self._whole, self._rows = whole.operator, whole.corpus, whole, rows

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        rows, positions, depth, before = self._rows, self.corpus.positions, min(10 * k, len(self.corpus) or k), -1
        while True:
            ranking = self._whole.search(query, k=depth, explain=explain)
            hits = [hit for hit in ranking.hits if rows[positions[hit.document.id]]]
            found = len(ranking.hits) + len(ranking.dropped)
            if len(hits) >= k or depth >= len(self.corpus) or found == before or not ranking.asked:
                break
            depth, before = min(10 * depth, len(self.corpus)), found
        asked = k if len(hits) > k or ranking.asked else 0
        return dataclasses.replace(ranking, hits=tuple(hits[:k]), asked=asked)
