"""The algebra: documents, rankings, and the operators between them.

The nouns (`Document`, `Corpus`, `Query`, `Ranking`) and the bases of the verbs: `Derivation` makes a corpus of a
corpus, `Rewriter` wordings of a query, `Retriever` turns a corpus and a query into a ranking, `Fusion` rankings into
one, `Stage` a ranking into a ranking.  What can search is a `Searcher`: a retriever, or what is composed of them::

    RRF(k=60)(BM25(), Vector() >> ScoreThreshold(0.3)) >> MMR(k=8) % 5

Everything is frozen: a stage never changes its input, so that before and after can both be on the screen.  Operators
are specifications (hashable, printable); a default lives in the dataclass field and nowhere else.

This module knows no technique, no model and no user interface; that ``>>``, ``%``, ``*`` and a call with searchers
make a `lab.pipeline.Pipeline` is the one arrow that points up, and it points late.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from json.encoder import encode_basestring
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar, cast, overload

from lab import notebook
from lab.errors import CorpusError, ParameterError
from lab.footprint import footprint
from lab.kept import Progress as Progress
from lab.kept import Shared
from lab.words import N_, Said

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from lab.pipeline import Pipeline

Value = str | int | float | bool | list[str]
T = TypeVar("T")
Arrays = Mapping[str, "NDArray[Any]"]
"""An index as it lies on a disk: arrays by their names."""
Models = Mapping[str, Any]
"""Models and addresses at work, by the names of the settings that specifications hold."""
NONE: Models = MappingProxyType({})


# ------------------------------------------------------------------------------------------------ nouns


_LABEL = 40
"""Characters of what an untitled document is called."""
_NOTHING: Mapping[str, Value] = MappingProxyType({})
"""The metadata of every document that has none: a million of them are seconds for the collector of garbage."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Document:
    """One passage.  ``metadata`` values are str, int, float, bool or a list of str; None is nothing."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Value] = field(default_factory=lambda: _NOTHING, hash=False)

    def __post_init__(self) -> None:
        if self.metadata is _NOTHING:
            return
        own = {name: list(v) if isinstance(v, tuple) else v for name, v in self.metadata.items() if v is not None}
        object.__setattr__(self, "metadata", MappingProxyType(own) if own else _NOTHING)

    @property
    def content(self) -> str:
        """What is searched: the title, a line break, the text."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def label(self) -> str:
        """What a chart calls this document: its title, else the beginning of its text, cut between words or clauses."""
        if self.title:
            return self.title
        begin = " ".join(self.text[: 5 * _LABEL].split())
        if len(begin) <= _LABEL:
            return begin or self.id
        cut = max(begin.rfind(c, _LABEL // 2, _LABEL) for c in " ，。；、：！？")
        return begin[: cut if cut > 0 else _LABEL - 1].rstrip(" ，。；、：！？,.;:") + "…"

    def __reduce__(self) -> tuple[object, ...]:
        return Document, (self.id, self.text, self.title, dict(self.metadata))


class Keeper(Protocol):
    """What keeps indexes longer than a process lives: see `Corpus.stored`."""

    def once(self, corpus: Corpus, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays: ...


@dataclass(frozen=True)
class Corpus:
    """A named sequence of documents with unique ids.

    ``fingerprint`` identifies the content (not the name) and is the cache key everywhere.  A derived corpus says
    what it was ``made_by``, from which ``parents``, and by ``origins`` from which document each of its own came.
    ``keeper`` keeps its indexes on a disk; a corpus that nobody gives one leaves nothing there.
    Raises `CorpusError` for a repeated or empty id, and for what is no text or no metadata.
    """

    name: str
    documents: tuple[Document, ...]
    made_by: Derivation | None = field(default=None, kw_only=True, compare=False, repr=False)
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
                raise CorpusError(faults[0], Said("Write it as a text, or leave it out."))
            if not document.id or document.id in seen:
                said = N_("The document id “{id}” is empty or occurs twice in {corpus}.")
                remedy = Said("Give every document an id of its own.")
                raise CorpusError(Said(said, id=document.id, corpus=self.name), remedy)
            seen.add(document.id)
        derived = self.made_by is not None and self.parents
        object.__setattr__(self, "_memo", self.parents[0]._memo if derived else _Memo(self))

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __hash__(self) -> int:
        return hash((self.name, self.fingerprint))

    def __reduce__(self) -> tuple[object, ...]:  # without what is kept with it
        options: dict[str, Any] = {"made_by": self.made_by, "parents": self.parents, "origins": dict(self.origins)}
        return partial(Corpus, **options), (self.name, self.documents)

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
        digest, own = hashlib.sha256(), encode_basestring
        for d in self.documents:  # as json.dumps writes a list of the four, at a third of its time
            more = json.dumps(dict(d.metadata), ensure_ascii=False, sort_keys=True) if d.metadata else "{}"
            line = f"[{own(d.id)}, {own(d.title)}, {own(d.text)}, {more}]\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    elsewhere: ClassVar[bool] = False
    """Whether its texts are not here: one is read when it is asked for, and nobody reads them all."""

    def index(self, searcher: Searcher, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """The index of a searcher over these documents; a corpus whose texts are elsewhere is searched there."""
        return searcher.index(self, models=models, progress=progress)

    def instead(self, searcher: Searcher) -> Searcher:
        """The search that stands for this one here; another one where the texts are elsewhere."""
        return searcher

    def takes(self, searcher: Searcher) -> bool:
        """Whether a search of this kind is possible here."""
        return True

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``make()``, made once per key and kept with this corpus, as far as there is `ROOM`.

        For what several operators derive from the same corpus: term matrices, document vectors.  What is made of a
        derived corpus is kept with the one that it was made of.
        """
        return self.awaited(key, lambda _: make(), None)

    def awaited(self, key: Hashable, make: Callable[[Progress | None], T], progress: Progress | None) -> T:
        """The same for long work, ``make(progress)``: it tells those who wait for it how far it is as well.

        A progress that raises ends its own waiting or making, and of those who wait still the next one makes it.
        """
        return cast(T, self._memo.once((self._mark, key), make, progress))

    def stored(self, kind: str, version: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of an index: what ``make()`` gives, or what it gave an earlier process with the same ``version``.

        ``kind`` says what the index is and how it was made, ``version`` what else its numbers rest on.
        """
        return make() if self.keeper is None else self.keeper.once(self, kind, version, make)

    def holds(self, key: Hashable) -> bool:
        """Whether `once` has the value of this key at hand."""
        return (self._mark, key) in self._memo.kept

    @property
    def bytes(self) -> int:
        """About how much memory its texts and all that is kept with it take."""
        return self._memo.total + sum(sys.getsizeof(d.text) for d in self.documents)

    def forget(self) -> None:
        """Let go of all that is kept with this corpus."""
        self._memo.clear()


def _faults(document: Document) -> Iterator[Said]:
    """What of a document is of no kind that can be searched, compared and written to a file."""
    for name in ("id", "text", "title"):
        if not isinstance(getattr(document, name), str):
            said = N_("Of the document “{id}” the {field} is {value}, which is no text.")
            yield Said(said, id=shown(document.id), field=name, value=shown(getattr(document, name)))
    held: Mapping[Any, Any] = document.metadata
    for name, value in held.items():
        texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
        number = isinstance(value, int | float) and (isinstance(value, float) or abs(value) < _LARGEST)
        if not (isinstance(name, str) and (isinstance(value, str) or number or texts)):
            said = N_("Of the document “{id}” the metadata “{field}” is no text, number, truth value or list of texts.")
            yield Said(said, id=shown(document.id), field=shown(name))


_LARGEST = 10**4300
"""From here on Python does not write a whole number."""


ROOM = 1 << 28
"""Bytes that are kept with a corpus, and `ROOM_PER_CHARACTER` more for every character of it."""
ROOM_PER_CHARACTER = 256


class _Memo(Shared):
    """What is kept with a corpus, and with what was derived from it."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(ROOM + ROOM_PER_CHARACTER * sum(len(d.text) + len(d.title) for d in corpus.documents))

    def weight(self, value: Any) -> int:
        """The bytes of a value, without those that are kept here by themselves."""
        own = set(map(id, self.kept.values())) - {id(value)}
        return footprint(value, without=lambda one: id(one) in own or isinstance(one, Document | Corpus | Operator))


# ---------------------------------------------------------------------------------------------- questions


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation; ``shown`` are the ids of the passages that were shown with it."""

    text: str
    role: str = "user"
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """A question.  Equal are queries with the same text, turns and weights.

    ``turns`` is what was said before; ``weights`` are (word, weight) pairs that are searched instead of the words of
    the text (empty: every word counts as often as it stands there).  ``metadata`` is what its author noted about it
    (its ``type``).  Of a wording that a `Rewriter` made, ``kind`` says which kind, ``made_from`` the question.
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
                said = N_("The weight of “{word}” is {weight}, but must be finite.")
                must(False, said, word=word, weight=shown(weight))
        object.__setattr__(self, "weights", tuple((word, float(weight)) for word, weight in self.weights))

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        options = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.kw_only}
        return partial(Query, **{**options, "metadata": dict(self.metadata)}), (self.text,)

    @staticmethod
    def of(what: str | Query) -> Query:
        """The query itself, or a text as a query."""
        return what if isinstance(what, Query) else Query(what)

    @property
    def blank(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.text.strip() and not self.weights


# ----------------------------------------------------------------------------------------------- rankings


@dataclass(frozen=True, slots=True)
class Contribution:
    """One addend of a score, named in words that a reader understands.

    Of a fused score, ``of`` is the place of the list that it comes from, from 0.
    """

    source: str
    value: float
    of: int | None = field(default=None, compare=False, repr=False)


class Later(Sequence[T]):
    """A sequence that is made when it is first read: the reasons of hits that perhaps nobody looks at."""

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
    """A document with its score.  ``why`` sums to the score; it is empty only where the score is no sum."""

    document: Document
    score: float
    why: Sequence[Contribution] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """A document that a stage removed: one sentence with the numbers, and the stage's name."""

    document: Document
    reason: str
    by: str


@dataclass(frozen=True)
class Ranking:
    """An ordered list of hits, who made it, and from what.

    ``made_by`` is the frozen operator, ``parents`` the rankings it was made from, ``dropped`` what it removed;
    ``corpus`` is what was searched.  ``asked`` is how many documents were asked for where the list may go on behind
    its end (0: it is whole).  ``seconds`` is the time it took, ``evidence`` what the operator computed on the way and
    a page may want to draw.  None of the last four takes part in comparisons.
    """

    query: Query
    hits: tuple[Hit, ...]
    made_by: Operator
    parents: tuple[Ranking, ...] = ()
    dropped: Sequence[Drop] = ()
    seconds: float = field(default=0.0, compare=False)
    asked: int = field(default=0, compare=False)
    evidence: Any = field(default=None, compare=False, repr=False)
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
        """The rank of this document, from 1, or None where it is not in the list."""
        return self._ranks.get(doc_id)

    def hit(self, doc_id: str) -> Hit | None:
        """The hit of this document, or None."""
        rank = self.rank(doc_id)
        return None if rank is None else self.hits[rank - 1]

    @property
    def ids(self) -> list[str]:
        """The ids of the hits, best first."""
        return [hit.document.id for hit in self.hits]

    @property
    def source(self) -> Ranking:
        """The ranking that the scores are of: this one, or the one before where it is only a cut."""
        return self.parents[0].source if isinstance(self.made_by, Top) else self

    def first(self, k: int) -> Ranking:
        """The same list as if only ``k`` had been asked for; `Top` is the cut that leaves a trace."""
        counted("k", k)
        return self if len(self.hits) <= k else dataclasses.replace(self, hits=self.hits[:k], asked=k)

    def top(self, k: int) -> Ranking:
        """The first ``k`` hits; the others are dropped, with their ranks as the reason."""
        return Top(k)(self)

    def then(self, *stages: Stage) -> Ranking:
        """Apply the stages from left to right."""
        return reduce(lambda ranking, stage: stage(ranking), stages, self)

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


# ------------------------------------------------------------------------------------------------ knobs


KINDS = ("number", "choice", "flag", "text", "date", "prompt", "words", "lines", "numbers", "spec", "model", "private")
"""How a knob is set: a number (or none), one of its choices, a switch; a line, a day, several lines of text; words
parted by commas, words line by line, numbers parted by commas; a specification, written as an expression; a model's
name; what belongs to the machine and stands in no link."""


def knob(
    default: Any = dataclasses.MISSING,
    *,
    label: str = "",
    help: str = "",
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    choices: Mapping[str, str] | Sequence[str] | None = None,
    kind: str = "",
    offers: Collection[str] = (),
    rare: bool = False,
    search_time: bool = False,
    **options: Any,
) -> Any:
    """A dataclass field that speaks for itself: its default, its range, and the words that people read.

    ``label`` and ``help`` are `Said`; ``low`` and ``high`` are inclusive; ``choices`` are the allowed words, each with
    what it is called; ``offers`` are proposals beside which others may be typed.  ``kind`` is one of `KINDS`; the
    default tells it where it is left out.  ``rare`` knobs stand in a popover.  A ``search_time`` knob is read when a
    question is asked: changing it needs no new index.  ``options`` are those of `dataclasses.field`.  `Operator`
    checks the value at construction.
    """
    number = isinstance(default, int | float) or low is not None or high is not None
    told = "choice" if choices else "flag" if isinstance(default, bool) else "number" if number else "text"
    called = choices if isinstance(choices, Mapping) else {word: word for word in choices or ()}
    allowed = {"low": low, "high": high, "step": step, "choices": tuple(called) or None, "called": called}
    words = {"label": label, "help": help, "kind": kind or told, "offers": tuple(offers)}
    metadata = {**allowed, **words, "rare": rare, "search_time": search_time}
    made = options if "default_factory" in options else {**options, "default": default}
    return field(metadata=metadata, **made)


def must(held: bool, template: str, **values: object) -> None:
    """Raise `ParameterError` with this sentence unless something holds."""
    if not held:
        raise ParameterError(Said(template, **{name: shown(value) for name, value in values.items()}))


def shown(value: object) -> object:
    """A value as a sentence has it, in one line: of a very large whole number its size (Python does not write it)."""
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"{'-' * (value < 0)}10^{value.bit_length() * 0.30103:.0f}"
    if value is None or isinstance(value, str | Real):
        return value
    with suppress(ValueError):  # such a number is in it
        return repr(value)[:80]
    return type(value).__name__


def is_finite(value: object) -> bool:
    """Whether this is a number that a float can hold."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def from_json(text: str, most: int = 500) -> Any:
    """A small value out of JSON that anybody may have written: a link, a filter, a line of a file.

    Raises ValueError, also for more than ``most`` brackets: Python's own limit of recursion may be met anywhere.
    """
    if sum(map(text.count, "[{")) > most:
        raise ValueError(f"more than {most} brackets")
    return json.loads(text)


def at_least(name: str, value: float, low: float) -> None:
    """Raise `ParameterError` unless ``value >= low``."""
    must(value >= low, N_("{name} is {value}, but must be at least {low}."), name=name, value=value, low=low)


def counted(name: str, value: object, low: int = 1) -> None:
    """Raise `ParameterError` unless this is a whole number (True is none), ``low`` or more."""
    if type(value) is int and value >= low:  # quickly, since every search asks it several times
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    must(whole, N_("{name} is {value}, but must be a whole number."), name=name, value=value)
    at_least(name, cast(int, value), low)


def at_most(name: str, value: float, high: float) -> None:
    """Raise `ParameterError` unless ``value <= high``."""
    must(value <= high, N_("{name} is {value}, but must be at most {high}."), name=name, value=value, high=high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise `ParameterError` unless ``low <= value <= high``."""
    said = N_("{name} is {value}, but must lie between {low} and {high}.")
    must(low <= value <= high, said, name=name, value=value, low=low, high=high)


def one_of(name: str, value: object, choices: Collection[object]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    said, known = N_("{name} is “{value}”, but must be one of: {choices}."), ", ".join(map(str, choices))
    must(value in choices, said, name=name, value=str(shown(value))[:80], choices=known)


def listed(name: str, value: object) -> tuple[Any, ...]:
    """A list as a tuple.  Raises `ParameterError` for what is none; a word alone would be cut to letters."""
    said = N_("{name} is “{value}”, but must be {wanted}.")
    held = isinstance(value, Iterable) and not isinstance(value, str)
    must(held, said, name=name, value=value, wanted=Said("a list"))
    return tuple(cast(Iterable[Any], value))


# ------------------------------------------------------------------------------------------------ verbs


@dataclass(frozen=True)
class Operator:
    """A frozen specification of a technique.  Knobs are checked against their ranges when it is made.

    ``key`` is its stable name in links, files, prompts and colours: the plain class name, unless it says otherwise.
    A subclass with its own ``__post_init__`` calls ``super().__post_init__()`` first.
    """

    key: ClassVar[str] = "operator"
    technique: ClassVar[str] = ""
    """What it is called before it has knobs, where its ``label`` tells them too; else that is its label."""
    about: ClassVar[str] = ""
    """What it does, in one sentence for whoever chooses."""
    asks_model: ClassVar[bool] = False
    """Whether its field ``model`` names a language model of the run."""
    portable: ClassVar[bool] = True
    """Whether a file or a link may hold it; what has an address or a key is not portable."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "key" not in cls.__dict__:
            cls.key = cls.__name__.lower()

    def __post_init__(self) -> None:
        checked(self)

    @property
    def label(self) -> str:
        """What a list made by this operator is called."""
        return type(self).__name__


def checked(specification: Any) -> None:
    """Look at every knob of a frozen dataclass that is being made: its kind, its range, its choices.

    What is written in another form gets its own: a list becomes a tuple, 10.0 from a file a 10.
    """
    for f in dataclasses.fields(specification):
        value = getattr(specification, f.name)
        if "low" in f.metadata and not (value is None and f.default is None):  # a knob may be left open
            default = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
            object.__setattr__(specification, f.name, _checked(f.name, value, default, f.metadata))


def _checked(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    kind, told = meta["kind"], {"name": name, "value": value}
    said = N_("{name} is “{value}”, but must be {wanted}.")
    if meta["choices"] is not None:
        one_of(name, value, meta["choices"])
    if isinstance(default, bool):
        must(isinstance(value, bool), said, wanted=Said("true or false"), **told)
    elif kind == "number":
        return _number(name, value, default, meta)
    elif kind in ("words", "lines", "numbers"):
        own = listed(name, value)
        fit = all(map(is_finite, own)) if kind == "numbers" else all(isinstance(one, str) for one in own)
        must(fit, said, wanted=Said("a list of numbers") if kind == "numbers" else Said("a list of texts"), **told)
        return frozenset(own) if isinstance(default, frozenset) else own
    elif kind in ("text", "date", "prompt", "model"):
        must(isinstance(value, str), said, wanted=Said("a text"), **told)
    elif kind == "spec" and (family := [c for c in type(default).__mro__ if dataclasses.is_dataclass(c)]):
        wanted = [c for c in family if c is not Operator][-1]
        must(isinstance(value, wanted), said, wanted=Said("a {kind}", kind=wanted.__name__), **told)
    return value


def _number(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    low, high, told = meta["low"], meta["high"], {"name": name, "value": value}
    number = isinstance(value, Real) and not isinstance(value, bool)
    must(number, N_("{name} is “{value}”, but must be a number."), **told)
    if low is not None and high is not None:
        within(name, value, low, high)
    elif low is not None:
        at_least(name, value, low)
    elif high is not None:
        at_most(name, value, high)
    must(is_finite(value), N_("{name} is {value}, but must be a finite number."), **told)
    if isinstance(default, int) and not isinstance(value, int):
        must(not value % 1, N_("{name} is {value}, but must be a whole number."), **told)
        return int(value)
    return value


@dataclass(frozen=True)
class Env:
    """What a run gives to its operators beside their input.

    ``models`` are models at work, by the names of their settings (a specification holds the name alone);
    ``explain=False`` is bulk work, where nobody reads reasons; ``progress`` is told how far long work is.  `search`
    asks another searcher in the course of the same run.
    """

    models: Models = field(default_factory=dict)
    explain: bool = True
    progress: Progress | None = None
    runner: Any = None

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several searches need for one question, made once per key and kept until the next question."""
        return make() if self.runner is None else cast(T, self.runner.once(key, make))

    def search(self, searcher: Searcher, corpus: Corpus, query: str | Query, k: int) -> Ranking:
        """The first ``k`` of another searcher on this corpus."""
        fits = self.runner is not None and self.runner.corpus is corpus
        runner = self.runner if fits else _pipeline().Runner(corpus, models=self.models, explain=False)
        return cast(Ranking, runner(searcher, query, k))


ALONE = Env()


def _pipeline() -> Any:
    from lab import pipeline

    return pipeline


@dataclass(frozen=True)
class Searcher(Operator, ABC):
    """What can be asked: ``index(corpus).search(query)``.  Retrievers, and everything composed of them."""

    family: ClassVar[str] = "lexical"
    settings: ClassVar[tuple[str, ...]] = ()
    """The settings of a run that an index of this searcher depends on."""

    @abstractmethod
    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """Prepare this searcher for a corpus; ``models`` are at work by the names of their settings."""

    @abstractmethod
    def run(self, runner: Any, query: Query, k: int) -> Ranking:
        """The ranking in a `lab.pipeline.Runner`, which makes every node once.  For the runner alone."""

    def __rshift__(self, stage: Stage | Stages) -> Pipeline:
        """This search, and then a stage (or several)."""
        return cast("Pipeline", _pipeline().appended(self, stage))

    def __mod__(self, k: int) -> Pipeline:
        """This search, and then its first ``k``: the others are dropped."""
        return self >> Top(k)

    def __mul__(self, weight: float) -> Weighted:
        """This list with a weight, for a fusion that has weights."""
        return Weighted(self, weight)

    __rmul__ = __mul__


@dataclass(frozen=True)
class Weighted:
    """A searcher with the weight that its list has in a fusion: ``RRF()(2 * BM25(), Vector())``."""

    searcher: Searcher
    weight: float


class Index(ABC):
    """A searcher at work on one corpus."""

    operator: Searcher
    corpus: Corpus

    @abstractmethod
    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        """The best ``k`` documents; ``explain=False`` leaves `Hit.why` empty (faster in bulk work).

        No document that shares nothing with the query is returned; ties stand in corpus order; an empty query gives
        an empty ranking.  Raises `ParameterError` for k < 1.
        """


@dataclass(frozen=True)
class Retriever(Searcher, ABC):
    """``(Corpus, query) -> Ranking``: `index` does the work once, `Index.search` answers.

    ``approximate`` ones may miss a document that belongs in the list.  ``settled`` ones find the same again as long as
    the corpus and the models are the same: nobody else changes what they search.
    """

    approximate: ClassVar[bool] = False
    settled: ClassVar[bool] = False

    def run(self, runner: Any, query: Query, k: int) -> Ranking:
        return cast(Ranking, runner.index(self).search(query, k=k, explain=runner.explain))


@dataclass(frozen=True)
class Fusion(Operator, ABC):
    """``[Ranking] -> Ranking``: subclasses say how by `fuse`.  Called with searchers, it makes a pipeline of them."""

    family: ClassVar[str] = "fused"

    @overload
    def __call__(self, first: Sequence[Ranking], *, query: Query | None = None) -> Ranking: ...
    @overload
    def __call__(self, first: Searcher | Weighted, *more: Searcher | Weighted, depth: int | None = ...) -> Pipeline: ...
    def __call__(self, first: Any, *more: Any, query: Query | None = None, depth: int | None = None) -> Any:
        """The rankings as one (asked as ``query``, by default the first one's), or the searchers as a pipeline."""
        if isinstance(first, Searcher | Weighted):
            return _pipeline().fused(self, (first, *more), depth)
        rankings = tuple(first)
        if not rankings:
            raise ParameterError(Said("There is nothing to fuse."), Said("Give at least one ranking."))
        comparable(rankings)
        corpus = rankings[0].corpus
        if any(r.corpus is not corpus and r.corpus.fingerprint != corpus.fingerprint for r in rankings[1:]):
            said = Said("These lists are of several corpora, where one id may name two documents.")
            raise ParameterError(
                said, Said("Fuse lists of one corpus; lists over parts of documents are lifted first.")
            )
        start = time.perf_counter()
        hits = self.fuse(rankings)
        seconds = time.perf_counter() - start
        return Ranking(query or rankings[0].query, tuple(hits), self, rankings, seconds=seconds, corpus=corpus)

    @abstractmethod
    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        """The fused hits, best first."""

    def weighted(self, weights: Sequence[float]) -> Self:
        """The same fusion with other weights, one per list.  Raises `ParameterError` where it knows none."""
        raise ParameterError(Said("{name} has no weights.", name=self.label), Said("Take a fusion that has, or none."))


def comparable(rankings: Sequence[Ranking]) -> None:
    """Raise `ParameterError` for a score that takes part in no sum: endless, not a number, beyond all measure."""
    for ranking in rankings:
        for hit in ranking.hits:
            if not -GREATEST <= hit.score <= GREATEST:
                said = Said("A score of {list} is {value}.", list=ranking.made_by.label, value=shown(hit.score))
                remedy = Said("Lists are fused by scores from -{most} to {most}.", most=f"{GREATEST:g}")
                raise ParameterError(said, remedy)


GREATEST = 1e100
"""Beyond it sums of squares leave the range of a float."""


class Outcome(NamedTuple):
    """What a stage gives: the hits that stay in their new order, what was removed and why, and its evidence.

    ``corpus`` is another one where the stage puts other documents in the place of these (parents for children).
    """

    hits: Sequence[Hit]
    dropped: Sequence[Drop] = ()
    evidence: Any = None
    corpus: Corpus | None = None


@dataclass(frozen=True)
class Stage(Operator, ABC):
    """``Ranking -> Ranking``: subclasses say how by `refine`.

    Every document of the input is in the hits or in what was dropped, and no other is; a stage that puts
    other documents in their place (parents for children) says so by ``makes_documents = True``.
    """

    family: ClassVar[str] = "refined"
    role: ClassVar[str] = ""
    """What it is for, and so the page that offers it: ``rerank``, ``filter``, ``compress``; empty: its own page."""
    makes_documents: ClassVar[bool] = False

    def __call__(self, ranking: Ranking, env: Env = ALONE) -> Ranking:
        start = time.perf_counter()
        hits, dropped, evidence, corpus = self.refine(ranking, env)
        seconds, corpus = time.perf_counter() - start, ranking.corpus if corpus is None else corpus
        gone = dropped if isinstance(dropped, Later) else tuple(dropped)
        made = (ranking.query, tuple(hits), self, (ranking,), gone)
        return Ranking(*made, seconds=seconds, evidence=evidence, corpus=corpus)

    @abstractmethod
    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        """The hits that stay, in their new order, and what was removed and why."""

    def __rshift__(self, other: Stage | Stages) -> Stages:
        """This stage and then another, for a search that comes before."""
        return Stages((self,)) >> other

    def __mod__(self, k: int) -> Stages:
        """This stage and then its first ``k``: what ``search >> stage % k`` means in Python."""
        return self >> Top(k)


@dataclass(frozen=True)
class Stages:
    """Stages in a row that still lack their search: ``search >> (a >> b % 10)``."""

    stages: tuple[Stage, ...]

    def __rshift__(self, other: Stage | Stages) -> Stages:
        return Stages((*self.stages, *(other.stages if isinstance(other, Stages) else (other,))))

    def __mod__(self, k: int) -> Stages:
        return self >> Top(k)


@dataclass(frozen=True)
class Top(Stage):
    """The first ``k`` go on, the others are dropped with their rank as the reason."""

    technique = Said("Top")
    about = Said("The first of a list go on.")

    k: int = knob(
        10,
        low=0,
        high=100_000,
        label=Said("How many"),
        help=Said("The first of the list go on; the others are dropped, with their rank as the reason."),
    )

    @property
    def label(self) -> str:
        return Said("Top {k}", k=self.k)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        k, said = self.k, N_("Rank {rank}: only the first {k} go on.")

        def drops() -> list[Drop]:
            left = enumerate(ranking.hits[k:], k + 1)
            return [Drop(h.document, Said(said, rank=i, k=k), self.label) for i, h in left]

        return Outcome(ranking.hits[:k], Later(drops))


@dataclass(frozen=True)
class QueryVariant:
    """One query that a rewriter made: what kind it is, and in a sentence where it comes from.

    ``searched`` is what goes to the index, where that is not the text itself; ``weights`` are those of `Query`.
    """

    text: str
    kind: str
    why: str = ""
    searched: str = ""
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def query(self) -> str:
        """What the index is asked."""
        return self.searched or self.text


@dataclass(frozen=True)
class Rewrite:
    """A query and what a rewriter made of it, by a rule or by a model.

    ``queries`` may be empty (a rule may find nothing to change; ``unchanged`` may say why).  ``answers`` are the
    model's own words; ``problem`` is why a model's rewrite is not there, where a run went on without it; ``evidence``
    is what the rewriter computed on the way and a page may want to draw.
    """

    original: Query
    queries: tuple[QueryVariant, ...]
    made_by: Rewriter
    by: Literal["rule", "model"]
    answers: tuple[Any, ...] = ()
    unchanged: str = ""
    problem: Exception | None = field(default=None, compare=False)
    evidence: Any = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def variants(self) -> tuple[QueryVariant | None, ...]:
        """What is asked, list by list: None for the original, where it is asked as well."""
        return ((None,) if self.made_by.keeps_original else ()) + self.queries

    @property
    def wordings(self) -> tuple[Query, ...]:
        """The queries that are asked, in the order of `variants`."""
        asked = self.original
        first = dataclasses.replace(asked, kind=Said("original"))
        return tuple(
            Query(v.query, weights=v.weights, kind=v.kind, made_from=asked) if v else first for v in self.variants
        )


@dataclass(frozen=True)
class Rewriter(Operator, ABC):
    """``Query -> Rewrite``: subclasses say how by `rewrite`, and by `merge` what becomes of the wordings' lists.

    Called with a searcher it makes a pipeline in which that searcher is asked every wording.
    """

    family: ClassVar[str] = "rewrite"
    role: ClassVar[str] = "rewrite"
    """The page that offers it."""
    keeps_original: ClassVar[bool] = True
    """Whether the original query is searched beside what was made of it."""

    @abstractmethod
    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        """The wordings of this query.  Raises `ModelError` where a model fails or its answer cannot be read."""

    def declines(self, retrievers: Iterable[Retriever]) -> str:
        """Why a searcher made of these is asked the query alone, in a sentence; empty: it is asked every wording."""
        return ""

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """The wordings' lists (in the order of `Rewrite.variants`) as one; ``index`` is the retriever's, if any."""
        return by(lists, query=rewrite.original)

    def __call__(self, searcher: Searcher, *, merge: Fusion | None = None, depth: int | None = None) -> Pipeline:
        own = {} if merge is None else {"merge": merge}
        return cast("Pipeline", _pipeline().Pipeline((searcher,), rewrite=self, depth=depth, **own))


@dataclass(frozen=True)
class Derivation(Operator, ABC):
    """``Corpus -> Corpus``: what is searched in the place of the documents (their parts, summaries, questions).

    Subclasses say how by `derive`, in (document, id of its origin) pairs.  Called with a searcher it makes a pipeline
    that searches the derived documents and is lifted back: ``Chunk(size=300)(Vector())``.
    """

    family: ClassVar[str] = "derived"

    @overload
    def __call__(self, first: Corpus, *, env: Env = ALONE) -> Corpus: ...
    @overload
    def __call__(self, first: Searcher, *, env: Env = ALONE) -> Pipeline: ...
    def __call__(self, first: Any, *, env: Env = ALONE) -> Any:
        """The derived corpus (made once and kept with its origin), or the pipeline over it."""
        if isinstance(first, Searcher):
            return _pipeline().Pipeline((first,), derive=(self,), refine=(_pipeline().Lift(),))

        def make() -> Corpus:
            pairs = self.derive(first, env)
            origins = MappingProxyType({document.id: origin for document, origin in pairs})
            documents = tuple(document for document, _ in pairs)
            return Corpus(f"{first.name} · {self.label}", documents, made_by=self, parents=(first,), origins=origins)

        model = env.models.get(getattr(self, "model", ""))  # another one writes other texts
        return first.once(("derived", self, model), make)

    @abstractmethod
    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        """The derived documents in order, each with the id of the document that it came from."""


def in_order(hits: Sequence[Hit], corpus: Corpus) -> tuple[Hit, ...]:
    """Hits by score, best first; ties in corpus order."""
    place = corpus.positions
    last = len(place)
    return tuple(sorted(hits, key=lambda h: (-h.score, place.get(h.document.id, last))))
