"""The algebra: documents, rankings, and the operators between them.

Three nouns (`Document`, `Corpus`, `Ranking`) and the bases of the verbs: `Retriever` turns a corpus and a
query into a ranking, `Fusion` turns rankings into one, `Stage` turns a ranking into a ranking.  Everything
is frozen: a stage never changes its input, so that before and after can both be on the screen.  Operators
are specifications (hashable, printable); a default lives in the dataclass field and nowhere else.

This module knows no technique, no model and no user interface.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from lab.errors import CorpusError, ParameterError
from lab.words import Said

if TYPE_CHECKING:
    import pandas as pd

Value = str | int | float | bool | list[str]
T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with (done, total) as work goes on; it may raise to stop the work."""


# ------------------------------------------------------------------------------------------------ nouns


@dataclass(frozen=True)
class Document:
    """One passage.  ``metadata`` values are str, int, float, bool or a list of str."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Value] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    @property
    def content(self) -> str:
        """What is searched: the title, a line break, the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def label(self) -> str:
        """What a chart calls this document: its title, else the beginning of its text."""
        return self.title or " ".join(self.text[:80].split())[:40] or self.id

    def __reduce__(self) -> tuple[object, ...]:
        return Document, (self.id, self.text, self.title, dict(self.metadata))


@dataclass(frozen=True)
class Corpus:
    """A named sequence of documents with unique ids.

    ``fingerprint`` identifies the content (not the name) and is the cache key everywhere.
    Raises `CorpusError` for a repeated or empty id.
    """

    name: str
    documents: tuple[Document, ...]
    _memo: _Memo = field(default_factory=lambda: _Memo(32), init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        seen: set[str] = set()
        for document in self.documents:
            if not document.id or document.id in seen:
                raise CorpusError(
                    Said(
                        "The document id “{id}” is empty or occurs twice in {corpus}.", id=document.id, corpus=self.name
                    ),
                    Said("Give every document an id of its own."),
                )
            seen.add(document.id)

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __hash__(self) -> int:
        return hash((self.name, self.fingerprint))

    def __reduce__(self) -> tuple[object, ...]:  # without what was derived from it
        return Corpus, (self.name, self.documents)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The place of every id in corpus order, from 0: the last resort of every tie."""
        return MappingProxyType({d.id: i for i, d in enumerate(self.documents)})

    def get(self, doc_id: str) -> Document | None:
        """The document with this id, or None."""
        i = self.positions.get(doc_id)
        return None if i is None else self.documents[i]

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of the ids, titles, texts and metadata, in order."""
        digest = hashlib.sha256()
        for d in self.documents:
            line = json.dumps([d.id, d.title, d.text, dict(d.metadata)], ensure_ascii=False, sort_keys=True)
            digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        return digest.hexdigest()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``make()``, made once per key and kept with this corpus (the 32 last used).

        For what several operators derive from the same corpus: term matrices, document vectors.
        """
        return self._memo.get(key, make)

    def holds(self, key: Hashable) -> bool:
        """Whether `once` has the value of this key at hand."""
        return key in self._memo.made


class _Memo:
    """A small thread-safe table of made things; the least recently used one goes first.

    Who asks for something that is being made waits for it; who asks for something else does not.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.Lock()
        self.made: OrderedDict[Hashable, Any] = OrderedDict()
        self.making: dict[Hashable, threading.RLock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self.lock:
            if key in self.made:
                self.made.move_to_end(key)
                return self.made[key]  # type: ignore[no-any-return]
            own = self.making.setdefault(key, threading.RLock())
        with own:
            with self.lock:
                if key in self.made:
                    return self.made[key]  # type: ignore[no-any-return]
            value = make()
            with self.lock:
                self.made[key] = value
                self.making.pop(key, None)
                while len(self.made) > self.size:
                    self.made.popitem(last=False)
            return value


@dataclass(frozen=True, slots=True)
class Contribution:
    """One addend of a score, named in words that a reader understands."""

    source: str
    value: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A document with its score.  ``why`` sums to the score; it is empty only where the score is no sum."""

    document: Document
    score: float
    why: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """A document that a stage removed: one sentence with the numbers, and the stage's name."""

    document: Document
    reason: str
    by: str


@dataclass(frozen=True)
class Ranking:
    """An ordered list of hits, who made it, and from what.

    ``made_by`` is the frozen operator, ``parents`` the rankings it was made from, ``dropped`` what it
    removed.  ``seconds`` is the time it took; ``corpus`` is what was searched, for stages that need
    corpus statistics.  Neither takes part in comparisons.
    """

    query: str
    hits: tuple[Hit, ...]
    made_by: Operator
    parents: tuple[Ranking, ...] = ()
    dropped: tuple[Drop, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    corpus: Corpus | None = field(default=None, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {hit.document.id: rank for rank, hit in reversed(list(enumerate(self.hits, 1)))}

    def rank(self, doc_id: str) -> int | None:
        """The rank of this document, from 1, or None where it is not in the list."""
        return self._ranks.get(doc_id)

    def hit(self, doc_id: str) -> Hit | None:
        """The hit of this document, or None."""
        rank = self.rank(doc_id)
        return None if rank is None else self.hits[rank - 1]

    def top(self, k: int) -> Ranking:
        """The first ``k`` hits, as the same ranking cut short."""
        at_least("k", k, 1)
        return dataclasses.replace(self, hits=self.hits[:k])

    def then(self, *stages: Stage) -> Ranking:
        """Apply the stages from left to right."""
        ranking = self
        for stage in stages:
            ranking = stage(ranking)
        return ranking

    def lineage(self) -> Iterator[Ranking]:
        """Every ranking on the way here, parents before children, each once, this one last."""
        seen: set[int] = set()

        def walk(ranking: Ranking) -> Iterator[Ranking]:
            if id(ranking) not in seen:
                seen.add(id(ranking))
                for parent in ranking.parents:
                    yield from walk(parent)
                yield ranking

        return walk(self)

    def to_frame(self) -> pd.DataFrame:
        """Columns rank, id, title, score, why, text; one row a hit (a lone surrogate becomes a question mark)."""
        import pandas as pd

        def whole(text: str) -> str:  # a table holds UTF-8, which has no half characters
            return text.encode("utf-8", "replace").decode("utf-8")

        rows = [
            (
                i,
                whole(h.document.id),
                whole(h.document.title),
                h.score,
                whole(" + ".join(f"{c.source} {c.value:.6g}" for c in h.why)),
                whole(h.document.text),
            )
            for i, h in enumerate(self.hits, 1)
        ]
        return pd.DataFrame(rows, columns=["rank", "id", "title", "score", "why", "text"])


# ------------------------------------------------------------------------------------------------ knobs


def knob(
    default: Any,
    *,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    choices: Sequence[str] | None = None,
    rare: bool = False,
) -> Any:
    """A dataclass field that is a knob of the page: its default, its allowed range, its step.

    ``low`` and ``high`` are inclusive; ``choices`` are the allowed words; ``rare`` knobs stand in a popover.
    `Operator` checks the value at construction.
    """
    metadata = {"low": low, "high": high, "step": step, "choices": tuple(choices) if choices else None, "rare": rare}
    return field(default=default, metadata=metadata)


def at_least(name: str, value: float, low: float) -> None:
    """Raise `ParameterError` unless ``value >= low``."""
    if not value >= low:
        raise ParameterError(Said("{name} is {value}, but must be at least {low}.", name=name, value=value, low=low))


def at_most(name: str, value: float, high: float) -> None:
    """Raise `ParameterError` unless ``value <= high``."""
    if not value <= high:
        raise ParameterError(Said("{name} is {value}, but must be at most {high}.", name=name, value=value, high=high))


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise `ParameterError` unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise ParameterError(
            Said(
                "{name} is {value}, but must lie between {low} and {high}.", name=name, value=value, low=low, high=high
            )
        )


def one_of(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise ParameterError(
            Said(
                "{name} is “{value}”, but must be one of: {choices}.",
                name=name,
                value=value,
                choices=", ".join(map(str, choices)),
            )
        )


# ------------------------------------------------------------------------------------------------ verbs


@dataclass(frozen=True)
class Operator:
    """A frozen specification of a technique.  Knobs are checked against their ranges when it is made.

    A subclass with its own ``__post_init__`` calls ``super().__post_init__()`` first.
    """

    def __post_init__(self) -> None:
        for f in dataclasses.fields(self):
            value: Any = getattr(self, f.name)
            meta = f.metadata
            if meta.get("choices") is not None:
                one_of(f.name, value, meta["choices"])
            low, high = meta.get("low"), meta.get("high")
            if low is None and high is None:
                continue
            if value is None and f.default is None:  # a knob that may be left open
                continue
            number = isinstance(value, Real) and not isinstance(value, bool)
            if not number:
                raise ParameterError(Said("{name} is “{value}”, but must be a number.", name=f.name, value=value))
            if low is not None and high is not None:
                within(f.name, value, low, high)
            elif low is not None:
                at_least(f.name, value, low)
            elif high is not None:
                at_most(f.name, value, high)
            if isinstance(f.default, int) and not isinstance(value, int):
                if value != value or value % 1:
                    raise ParameterError(
                        Said("{name} is {value}, but must be a whole number.", name=f.name, value=value)
                    )
                object.__setattr__(self, f.name, int(value))  # 10.0 from a file or a form: a 10

    @property
    def label(self) -> str:
        """What a list made by this operator is called."""
        return type(self).__name__


class Index(ABC):
    """A retriever at work on one corpus."""

    operator: Retriever
    corpus: Corpus

    @abstractmethod
    def search(self, query: str, *, k: int = 100, explain: bool = True) -> Ranking:
        """The best ``k`` documents; ``explain=False`` leaves `Hit.why` empty (faster in bulk work).

        No document with a score of zero is returned; ties stand in corpus order; an empty query gives an
        empty ranking.  Raises `ParameterError` for k < 1.
        """


@dataclass(frozen=True)
class Retriever(Operator, ABC):
    """``(Corpus, query) -> Ranking``: `index` does the work once, `Index.search` answers.

    ``approximate`` ones may miss a document that belongs in the list.
    """

    family = "lexical"
    approximate = False

    @abstractmethod
    def index(self, corpus: Corpus) -> Index:
        """Prepare this retriever for a corpus."""


@dataclass(frozen=True)
class Fusion(Operator, ABC):
    """``[Ranking] -> Ranking``: subclasses say how by `fuse`."""

    family = "fused"

    def __call__(self, rankings: Sequence[Ranking]) -> Ranking:
        if not rankings:
            raise ParameterError(Said("There is nothing to fuse."), Said("Give at least one ranking."))
        start = time.perf_counter()
        hits = self.fuse(rankings)
        return Ranking(
            query=rankings[0].query,
            hits=tuple(hits),
            made_by=self,
            parents=tuple(rankings),
            seconds=time.perf_counter() - start,
            corpus=rankings[0].corpus,
        )

    @abstractmethod
    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        """The fused hits, best first."""


@dataclass(frozen=True)
class Stage(Operator, ABC):
    """``Ranking -> Ranking``: subclasses say how by `refine`.

    Every document of the input is in the hits or in what was dropped, and no other is; a stage that puts
    other documents in their place (parents for children) says so by ``makes_documents = True``.
    """

    family = "refined"
    makes_documents = False

    def __call__(self, ranking: Ranking) -> Ranking:
        start = time.perf_counter()
        hits, dropped = self.refine(ranking)
        return Ranking(
            query=ranking.query,
            hits=tuple(hits),
            made_by=self,
            parents=(ranking,),
            dropped=tuple(dropped),
            seconds=time.perf_counter() - start,
            corpus=ranking.corpus,
        )

    @abstractmethod
    def refine(self, ranking: Ranking) -> tuple[Sequence[Hit], Sequence[Drop]]:
        """The hits that stay, in their new order, and what was removed and why."""


def in_order(hits: Sequence[Hit], corpus: Corpus | None, *, before: Sequence[Ranking] = ()) -> tuple[Hit, ...]:
    """Hits by score, best first; ties in corpus order (in order of first appearance where it is unknown)."""
    if corpus is not None:
        place: Mapping[str, int] = corpus.positions
    else:
        order: dict[str, int] = {}
        for ranking in before:
            for hit in ranking.hits:
                order.setdefault(hit.document.id, len(order))
        place = order
    last = len(place)
    return tuple(sorted(hits, key=lambda h: (-h.score, place.get(h.document.id, last))))
