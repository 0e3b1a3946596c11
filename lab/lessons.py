"""Lessons: a claim about retrieval, with the expectation that makes it true, as data.

``lessons.toml`` beside a corpus holds a list of tables::

    [[lesson]]
    id = "code-beats-meaning"
    page = "compare"
    query = "E21"
    select = "d12"                                  # the document that the page opens
    knobs = { "bm25.k1" = 0.9, "vector.embedder" = "LSA", "analyzer.mode" = "precise" }
    title = { en = "…", zh = "…" }
    claim = { en = "…", zh = "…" }
    [[lesson.expect]]
    list = "bm25"                                   # or "bm25:b=0,k1=2"
    doc = "d12"                                     # `select`, where it is left out
    rank = 1
    [[lesson.expect]]
    list = "bm25"
    better_than = "vector"
    knobs = { "vector.space" = "l2" }               # on top of the lesson's, for this expectation

What can be expected: see `KINDS`.  A list is named by its technique: a retriever; a way of fusing
(``rrf``, which fuses the lists ``rrf.of``); a stage (``mmr``, which refines the list ``mmr.of``, of which it
gets the first ``mmr.first``, where that is set; a stage with an ``of`` of its own has its list in ``.list``).  A
Chroma list takes ``chromavector.where`` and ``.max_distance``.  Lists of the rewrite page: `lab.rewrite.lists`.

A lesson's own knobs are the widgets of its page; where the operators of a list are set otherwise, the
expectation's knobs say how.  The first expectation is about what the page shows when the lesson is opened.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lab import catalog
from lab.core import Corpus, Fusion, Index, Operator, Ranking, Retriever, Stage
from lab.corpus.beir import Collection
from lab.errors import CorpusError, LabError, ParameterError, UnknownName
from lab.words import Said

FILE = "lessons.toml"
LANGUAGES = ("en", "zh")

Knobs = Mapping[str, Any]
Search = Callable[[str], Ranking]
"""A list: from a query to its ranking."""

WIDGETS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "filter": frozenset(("metadata", "keywords", "score", "dedup", "embeddings", "redundancy")),
        "compress": frozenset(("embeddings",)),
    }
)
"""Pages with knobs that are named ``group.knob`` and belong to no list: page to its groups."""


@dataclass(frozen=True)
class Lesson:
    """One lesson.  ``title`` and ``claim`` are keyed by language; ``expect`` are tables as in the file."""

    id: str
    page: str
    title: Mapping[str, str] = field(hash=False)
    claim: Mapping[str, str] = field(hash=False)
    corpus: str
    query: str
    knobs: Knobs = field(default_factory=dict, hash=False)
    select: str = ""
    expect: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)

    def __post_init__(self) -> None:
        for name in ("title", "claim", "knobs"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "expect", tuple(MappingProxyType(dict(e)) for e in self.expect))


@dataclass(frozen=True)
class Result:
    """What became of one expectation: the sentence says what was found, and what was expected."""

    passed: bool
    said: Said


# -------------------------------------------------------------------------------------------------- read


def read(folder: str | Path) -> tuple[Lesson, ...]:
    """The lessons of the corpus in this folder, in the order of the file; none where it has no file.

    Raises `CorpusError` for a file that cannot be read, a field that is missing or unknown, an id used twice.
    """
    file = Path(folder) / FILE
    if not file.is_file():
        return ()
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(
            Said("{file} cannot be read: {reason}.", file=str(file), reason=str(error)), Said("Correct the file.")
        ) from None
    if set(tables) - {"lesson"}:
        raise CorpusError(
            Said("{file} has “{name}”, which is unknown.", file=str(file), name=min(set(tables) - {"lesson"})),
            Said("Write [[lesson]] tables only."),
        )
    lessons = tuple(_lesson(table, file, number) for number, table in enumerate(tables.get("lesson", []), 1))
    ids = [lesson.id for lesson in lessons]
    for lesson_id in ids:
        if ids.count(lesson_id) > 1:
            raise CorpusError(Said("{file} has two lessons “{id}”.", file=str(file), id=lesson_id), Said("Rename one."))
    return lessons


FIELDS: Mapping[str, type] = {
    "id": str,
    "page": str,
    "title": dict,
    "claim": dict,
    "query": str,
    "knobs": dict,
    "select": str,
    "expect": list,
}
OPTIONAL = ("knobs", "select")


def _lesson(table: Mapping[str, Any], file: Path, number: int) -> Lesson:
    def wrong(what: Said) -> CorpusError:
        return CorpusError(
            Said(
                "{file}, lesson {number} ({id}): {what}.",
                file=str(file),
                number=number,
                id=table.get("id", "?"),
                what=what,
            ),
            Said("A lesson has: {names}.", names=", ".join(FIELDS)),
        )

    for name in table:
        if name not in FIELDS:
            raise wrong(Said("“{name}” is unknown", name=name))
    for name, kind in FIELDS.items():
        if name not in table and name not in OPTIONAL:
            raise wrong(Said("“{name}” is missing", name=name))
        if name in table and (
            not isinstance(table[name], kind)
            or (kind is not dict and not table[name] and name not in ("query", "select"))
        ):
            raise wrong(Said("“{name}” is empty or of the wrong kind", name=name))
    for name in ("title", "claim"):
        if set(table[name]) != set(LANGUAGES) or not all(
            isinstance(t, str) and t.strip() for t in table[name].values()
        ):
            raise wrong(
                Said("“{name}” needs a text in each of {languages}", name=name, languages=" and ".join(LANGUAGES))
            )
    for expectation in table["expect"]:
        if (
            not isinstance(expectation, dict)
            or not KINDS.keys() & expectation.keys()
            or not isinstance(expectation.get("list"), str)
        ):
            raise wrong(Said("an expectation names a list and at least one of: {kinds}", kinds=", ".join(KINDS)))
        for name in expectation.keys() - KINDS.keys() - {"list", "doc", "knobs"}:
            raise wrong(Said("“{name}” is no expectation; known are: {kinds}", name=name, kinds=", ".join(KINDS)))
    return Lesson(corpus=file.parent.name, **table)


# ------------------------------------------------------------------------------------------------- lists


class Lists(Mapping[str, Search]):
    """The named lists that a page with these knobs would show, each made when it is first asked for.

    ``lists["bm25"](query)`` is a `Ranking`.  A knob is named ``list.parameter``; ``analyzer.parameter`` goes to
    every list that has an analyzer; ``depth`` is how many documents a retriever gives (all, where it is not
    said).  ``more`` adds lists of other making.  Raises `ParameterError` for a knob of no list, unless it
    begins with ``page`` or one of its `WIDGETS`, or is a word without a point: the page's own settings (``k``,
    ``modes``) are left alone.
    """

    def __init__(
        self, knobs: Knobs, corpus: Corpus, *, page: str = "", more: Mapping[str, Search] | None = None
    ) -> None:
        self.knobs, self.corpus, self.more = dict(knobs), corpus, dict(more or {})
        if page == "rewrite":
            from lab.rewrite.lists import searches  # its techniques are lists of this page alone

            self.more = {**searches(corpus, knobs), **self.more}
        classes: dict[str, type[Operator]] = {**catalog.retrievers(), **catalog.fusions(), **catalog.stages()}
        self.classes = {catalog.plain(name): cls for name, cls in classes.items()}
        self._indexes: dict[Retriever, Index] = {}
        self._params: dict[str, dict[str, Any]] = {name: {} for name in self.classes}
        for knob, value in self.knobs.items():
            head, _, rest = knob.partition(".")
            if catalog.plain(head) in self.classes and rest:
                self._params[catalog.plain(head)][rest] = value
            elif (
                rest and head not in {"analyzer", page, *WIDGETS.get(page, ())} and catalog.plain(head) not in self.more
            ):
                raise ParameterError(
                    Said("The knob “{knob}” belongs to no list.", knob=knob),
                    Said("Lists are: {names}.", names=", ".join(self)),
                )

    def __iter__(self) -> Iterator[str]:
        yield from {**self.classes, **self.more}

    def __len__(self) -> int:
        return len({**self.classes, **self.more})

    def __getitem__(self, name: str) -> Search:
        """The list of this name; parameters may follow: ``bm25:b=0``.  Raises `UnknownName`."""
        head, _, rest = name.partition(":")
        key = catalog.plain(head)
        if key in self.more and not rest:
            return self.more[key]
        if key not in self.classes:
            raise UnknownName(
                Said("There is no list “{name}”.", name=name), Said("Known are: {names}.", names=", ".join(self))
            )
        own = dict(catalog.assignment(part) for part in rest.split(",") if part.strip())
        params = {**self._params[key], **own}
        cls = self.classes[key]
        beside = {name: params.pop(name) for name in BESIDE if name in params and name not in catalog.knobs(cls)}
        if "analyzer" in catalog.knobs(cls):
            shared = {k: v for k, v in self.knobs.items() if k.partition(".")[0] == "analyzer"}
            params = {**shared, **params}
        operator = catalog.make(cls, params)
        if isinstance(operator, Fusion):
            return self._fused(operator, beside.get("of", ["bm25", "vector"]))
        if isinstance(operator, Stage):
            return self._refined(operator, beside.get("list", beside.get("of", "bm25")), beside.get("first"))
        assert isinstance(operator, Retriever)
        return self._searched(operator, {name: beside[name] for name in ("where", "max_distance") if name in beside})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and catalog.plain(name.partition(":")[0]) in {*self.classes, *self.more}

    def _searched(self, retriever: Retriever, options: Mapping[str, Any]) -> Search:
        def search(query: str) -> Ranking:
            if retriever not in self._indexes:
                self._indexes[retriever] = retriever.index(self.corpus)
            return self._indexes[retriever].search(
                query, k=int(self.knobs.get("depth", max(1, len(self.corpus)))), **options
            )

        return search

    def _fused(self, fusion: Fusion, of: Sequence[str]) -> Search:
        searches = [self[name] for name in of]
        return lambda query: fusion([search(query) for search in searches])

    def _refined(self, stage: Stage, of: str, first: int | None) -> Search:
        search = self[of]
        return lambda query: stage(search(query) if first is None else search(query).top(first))


BESIDE = ("of", "list", "first", "where", "max_distance")
"""Parameters of a list that are none of its operator: what it is made of, and what a single search is told."""


def lists_for(
    knobs: Knobs, corpus: Corpus, *, page: str = "", more: Mapping[str, Search] | None = None
) -> Mapping[str, Search]:
    """The named lists under these knobs: see `Lists`."""
    return Lists(knobs, corpus, page=page, more=more)


# ------------------------------------------------------------------------------------------------- check


@dataclass(frozen=True)
class Case:
    """One expectation in its place: the list's ranking, the document, and the lesson's other lists."""

    name: str
    ranking: Ranking
    doc: str
    lists: Mapping[str, Search]
    corpus: Corpus

    @property
    def rank(self) -> int | None:
        """The document's rank, or None where it is not in the list."""
        return self.ranking.rank(self.known(self.doc))

    def known(self, doc_id: str) -> str:
        """The id, if the corpus has it; a lesson about a document that is gone raises `CorpusError`."""
        if self.corpus.get(doc_id) is None:
            raise CorpusError(
                Said("{corpus} has no document “{id}”.", corpus=self.corpus.name, id=doc_id),
                Said("Name an existing document in the expectation."),
            )
        return doc_id


Kind = Callable[[Case, Any], Result]
KINDS: dict[str, Kind] = {}
"""What can be expected, by name: ``kind(case, value)``.  A page with results of another sort adds its own."""


def kind(check: Kind) -> Kind:
    """Make this function an expectation, named as the function without its ``expect_``."""
    KINDS[check.__name__.removeprefix("expect_")] = check
    return check


def _at(rank: int | None) -> Said:
    return Said("is not in the list") if rank is None else Said("is at rank {rank}", rank=rank)


def _result(passed: bool, case: Case, wanted: Said) -> Result:
    return Result(
        passed,
        Said(
            "{list}: {doc} {found}; expected: {wanted}.",
            list=case.name,
            doc=case.doc,
            found=_at(case.rank),
            wanted=wanted,
        ),
    )


@kind
def expect_rank(case: Case, value: int) -> Result:
    """``rank = 1``: the document has this rank."""
    return _result(case.rank == value, case, Said("rank {rank}", rank=value))


@kind
def expect_max_rank(case: Case, value: int) -> Result:
    """``max_rank = 3``: the document is among the first three."""
    return _result(case.rank is not None and case.rank <= value, case, Said("rank {rank} or better", rank=value))


@kind
def expect_min_rank(case: Case, value: int) -> Result:
    """``min_rank = 4``: the document is not among the first three; it may be absent."""
    return _result(case.rank is None or case.rank >= value, case, Said("rank {rank} or worse", rank=value))


@kind
def expect_absent(case: Case, value: bool) -> Result:
    """``absent = true``: the document is not in the list (``false``: it is)."""
    return _result((case.rank is None) == value, case, Said("not in the list") if value else Said("in the list"))


@kind
def expect_above(case: Case, value: str) -> Result:
    """``above = "d7"``: the document stands above this other one, which may be absent."""
    mine, other = case.rank, case.ranking.rank(case.known(value))
    passed = mine is not None and (other is None or mine < other)
    return _result(passed, case, Said("above {other}, which {found}", other=value, found=_at(other)))


@kind
def expect_ties(case: Case, value: str) -> Result:
    """``ties = "d7"``: the document and this other one have the same score (to within rounding)."""
    mine, other = case.ranking.hit(case.known(case.doc)), case.ranking.hit(case.known(value))
    passed = (
        mine is not None and other is not None and abs(mine.score - other.score) <= 1e-9 * max(1.0, abs(mine.score))
    )
    scores = Said("{a} against {b}", a=mine and round(mine.score, 6), b=other and round(other.score, 6))
    return _result(passed, case, Said("the score of {other} ({scores})", other=value, scores=scores))


@kind
def expect_better_than(case: Case, value: str) -> Result:
    """``better_than = "vector"``: the document is nearer to the top here than in this other list."""
    mine, other = case.rank, case.lists[value](case.ranking.query).rank(case.doc)
    passed = mine is not None and (other is None or mine < other)
    return _result(passed, case, Said("a better rank than in {list}, where it {found}", list=value, found=_at(other)))


@kind
def expect_matched(case: Case, value: Sequence[str]) -> Result:
    """``matched = ["leave"]``: these are among the addends of the document's score; ``[]``: it has none."""
    hit = case.ranking.hit(case.known(case.doc))
    found = [c.source for c in hit.why] if hit else []
    passed = set(value) <= set(found) if value else not found
    wanted = Said("addends {wanted}, found {found}", wanted=", ".join(value) or "–", found=", ".join(found) or "–")
    return _result(passed, case, wanted)


@kind
def expect_top(case: Case, value: Sequence[str]) -> Result:
    """``top = ["d3", "d9"]``: the list begins with exactly these documents, in this order."""
    found = [hit.document.id for hit in case.ranking.hits[: len(value)]]
    passed = found == [case.known(doc) for doc in value]
    said = Said(
        "{list} begins with {found}; expected: {wanted}.",
        list=case.name,
        found=", ".join(found) or "–",
        wanted=", ".join(value),
    )
    return Result(passed, said)


@kind
def expect_empty(case: Case, value: bool) -> Result:
    """``empty = true``: the list has no document at all (``false``: it has some)."""
    wanted = Said("none") if value else Said("some")
    said = Said("{list} has {n} documents; expected: {wanted}.", list=case.name, n=len(case.ranking), wanted=wanted)
    return Result((len(case.ranking) == 0) == value, said)


@kind
def expect_attention_above(case: Case, value: str) -> Result:
    """``attention_above = "longcontextreorder:order=reversed"``: the document stands at a place that counts more than there.

    What a place counts is the illustrative curve of `lab.refine.reorder.attention`, at its default shape.
    """
    from lab.refine.reorder import attention

    def at(ranking: Ranking) -> float:
        rank = ranking.rank(case.known(case.doc))
        return 0.0 if rank is None else float(attention(len(ranking))[rank - 1])

    mine, other = at(case.ranking), at(case.lists[value](case.ranking.query))
    return _result(
        mine > other,
        case,
        Said("more attention than in {list} ({a} against {b})", list=value, a=round(mine, 3), b=round(other, 3)),
    )


def _text(case: Case) -> str:
    hit = case.ranking.hit(case.known(case.doc))
    return hit.document.text if hit else ""


@kind
def expect_holds(case: Case, value: str) -> Result:
    """``holds = "within 90 days"``: the document's text, as it is in this list, has these words."""
    return _result(case.rank is not None and value in _text(case), case, Said("text with “{text}”", text=value))


@kind
def expect_lacks(case: Case, value: str) -> Result:
    """``lacks = "within 90 days"``: the document is in the list, and its text there has lost these words of the original."""
    original = case.corpus.get(case.known(case.doc))
    passed = case.rank is not None and value not in _text(case) and original is not None and value in original.text
    return _result(passed, case, Said("text that has lost “{text}”", text=value))


def check(lesson: Lesson, collection: Collection, *, more: Mapping[str, Search] | None = None) -> tuple[Result, ...]:
    """What became of every expectation of this lesson on this collection, in order.

    Nothing is raised for an expectation that fails or that cannot be carried out (a list that is unknown, a
    knob out of its range): its result is not passed, and says why.
    """
    results: list[Result] = []
    for expectation in lesson.expect:
        try:
            knobs = {**lesson.knobs, **expectation.get("knobs", {})}
            lists = lists_for(knobs, collection.corpus, page=lesson.page, more=more)
            name = expectation["list"]
            case = Case(
                name, lists[name](lesson.query), expectation.get("doc", lesson.select), lists, collection.corpus
            )
            results += [KINDS[key](case, value) for key, value in expectation.items() if key in KINDS]
        except LabError as error:
            results.append(Result(False, Said("{list}: {error}", list=expectation.get("list", "?"), error=str(error))))
    return tuple(results)
