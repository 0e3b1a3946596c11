"""A collection of Milvus as the lab fills it: passages by position, frozen statistics, and a search that ends.

`Contents` lists the fields of a passage: sparse weights (`lab_packs.milvus.terms`), a vector, the metadata, and the
text if the collection is its only store.  The term counts are in a collection of notes that all collections share.
Filling reads the passages twice (to count, and to write) and holds one block in memory.  It may be killed at any point:
the next fill repeats a count without a head, and writes only the missing passages.
"""

from __future__ import annotations

import json
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Document, Progress, tie_key
from lab.errors import CorpusError, ModelError
from lab.retrieve.distinct import Distinct
from lab.retrieve.lexical import BM25
from lab.text import well_formed
from lab.words import N_, Said
from lab_packs.milvus.filters import TRUTHS, milvus_metadata
from lab_packs.milvus.notes import Graph, Notes, indexed, make, read_head, schema_of
from lab_packs.milvus.server import FIELD, LOADING, LONG, MOST, Engine, retried_after_loading
from lab_packs.milvus.terms import NEVER, Census, Found, Frozen, Reading, find, readings

Rows = NDArray[np.float32]
Encode = Callable[[Sequence[Document]], Rows]
BLOCK = 2_000
"""Passages in memory at once, while a collection is filled."""
BATCH = 500
"""Passages per write request."""
PAGE = 10_000
"""Positions per query, when the stored passages are listed."""
MORE = 32
"""Hits requested beyond ``k``, so that hits with the same score as the last one can be put in order."""
TEXTS = ("id", "title", "text")
_NEAR = 1e-5
"""Relative difference below which an engine, which computes in float32, may swap two scores."""


@dataclass(frozen=True)
class Contents:
    """What a collection holds of a passage; ``made_from`` says in words by what; ``notes`` go into its head."""

    made_from: str
    bm25: BM25 | None = None
    graph: Graph | None = None
    dimensions: int = 0
    texts: bool = False
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The sparse fields."""
        return () if self.bm25 is None else readings(self.bm25.analyzer)


class Source(ABC):
    """Passages that can be read again and again, block by block; ``size`` is what `blocks` counts up to."""

    fingerprint: str
    size: int

    @abstractmethod
    def blocks(self) -> Iterator[tuple[list[Document], int]]:
        """The passages in order, at most `BLOCK` at a time, and how far one is then."""


class Held(Source):
    """The passages of a corpus in memory, or the first passage with each of its distinct texts."""

    def __init__(self, corpus: Corpus, distinct: Distinct | None = None) -> None:
        self.documents, self.fingerprint = corpus.documents, corpus.fingerprint
        if distinct is not None and distinct.repeated:
            self.documents = tuple(distinct.document(number, corpus) for number in range(len(distinct)))
            self.fingerprint += "/distinct"
        self.size = len(self.documents)

    def blocks(self) -> Iterator[tuple[list[Document], int]]:
        for start in range(0, self.size, BLOCK):
            block = list(self.documents[start : start + BLOCK])
            yield block, start + len(block)


# ------------------------------------------------------------------------------------------------ shelves


@dataclass(frozen=True)
class Near:
    """A found passage: its position in the corpus, the score computed by the lab, and the stored fields."""

    score: float
    place: int
    stored: Mapping[str, Any]


class Shelf:
    """A collection in use."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name, self.notes = engine, name, Notes(engine)
        self.head: dict[str, Any] = {}
        self._pieces = _Few(256)

    # ------------------------------------------------------------------------------------------- opening

    def open(self) -> bool:
        """Reads the head; returns False if it is missing or damaged."""
        self.notes.open()
        note = self.notes.get([f"{self.name}/head"])
        self.head = read_head(next(iter(note.values()), b""))
        return bool(self.head)

    @property
    def documents(self) -> int:
        """Returns the number of passages of a filled collection, as the head states it."""
        return int(self.head["documents"])

    def count(self) -> int:
        """Returns the number of passages stored so far."""
        rows = retried_after_loading(
            self.engine, self.name, lambda: self._call("query", filter="", output_fields=["count(*)"])
        )
        return int(rows[0]["count(*)"])

    def _call(self, method: str, **options: Any) -> Any:
        return self.engine.call(method, self.name, **options)

    # ------------------------------------------------------------------------------------------- filling

    def fill(self, source: Source, contents: Contents, encode: Encode | None, progress: Progress | None) -> None:
        """Adds the missing passages to the collection; ``progress`` counts to twice the size of the source.

        Raises `CorpusError` if the collection holds other passages, or a passage is larger than a field of Milvus, and
        `ModelError` if the engine fails.  An error of ``progress`` stops the work; passages sent until then stay.
        """
        report = progress or (lambda done, total: None)
        with _lock(self.engine.address, self.name):
            if self.open() and (self.head["source"], self.head["made"]) != (source.fingerprint, contents.made_from):
                message = Said(
                    "The collection {name} holds other passages, or the same ones with other weights.", name=self.name
                )
                raise CorpusError(message, Said("Give another name, or have it replaced."))
            frozen = None if self.head else self._counted(source, contents, report)
            begun = self._call("has_collection")
            if not begun:
                self._create(contents)
            else:
                self.load()
            if not begun or self.count() < self.documents:  # not loaded while it is filled: that would cost memory
                self._write(source, contents, frozen or self._frozen(contents), encode, report, begun=begun)
            report(2 * source.size, 2 * source.size)

    def load(self) -> None:
        """Loads the collection, so that the first question need not wait for an index."""
        self._call("load_collection", timeout=LOADING)
        self._warm()

    def _warm(self) -> None:
        for name in self.head.get("fields", {}) if self.engine.late else ():
            self._call("search", data=[{NEVER: 1.0}], anns_field=name, limit=1, timeout=LOADING)

    def _create(self, contents: Contents) -> None:
        from pymilvus import DataType

        fields: list[Any] = [("place", DataType.INT64, {"is_primary": True}), ("metadata", DataType.JSON, {})]
        if contents.texts:
            fields += [(name, DataType.VARCHAR, {"max_length": FIELD}) for name in TEXTS]
        graphs = {r.field: Graph("SPARSE_INVERTED_INDEX", "IP") for r in contents.readings}
        fields += [(name, DataType.SPARSE_FLOAT_VECTOR, {}) for name in graphs]
        if contents.graph is not None:
            fields.append(("vector", DataType.FLOAT_VECTOR, {"dim": contents.dimensions}))
            graphs["vector"] = contents.graph
        make(self.engine, self.name, schema_of(fields), graphs)

    def _counted(self, source: Source, contents: Contents, report: Progress) -> list[Frozen]:
        """Counts the terms of all passages and saves the counts; the head comes last and marks them as complete."""
        counts = [Census(reading) for reading in contents.readings]
        total = 0
        for block, count in source.blocks():
            texts = [d.content for d in block]
            for document in block:
                _fits(document, contents)
            for census in counts:
                census.add(texts)
            total += len(block)
            report(count, 2 * source.size)
        frozen = [census.frozen(contents.bm25) for census in counts] if contents.bm25 is not None else []
        for field_terms in frozen:
            self.notes.put((self._piece(field_terms.reading, i), data) for i, data in enumerate(field_terms.pieces()))
        fields = {f.reading.field: {"average": f.average, "pieces": f.count} for f in frozen}
        head_fields = {"documents": total, "source": source.fingerprint, "made": contents.made_from, "fields": fields}
        self.head = {**contents.notes, "texts": contents.texts, **head_fields}
        self.notes.put([(f"{self.name}/head", json.dumps(self.head).encode())])
        return frozen

    def _piece(self, reading: Reading, i: int) -> str:
        return f"{self.name}/{reading.field}/{i}"

    def _frozen(self, contents: Contents) -> list[Frozen]:
        """Returns the saved term counts of a fill that was killed."""
        return [self._thawed(reading) for reading in contents.readings]

    def _thawed(self, reading: Reading) -> Frozen:
        field_head = self.head["fields"][reading.field]
        names = [self._piece(reading, i) for i in range(field_head["pieces"])]
        notes = dict[str, bytes]()
        for start in range(0, len(names), 100):
            notes |= self.notes.get(names[start : start + 100])
        return Frozen.thawed(reading, self.documents, field_head["average"], [notes[name] for name in names])

    def _write(
        self,
        source: Source,
        contents: Contents,
        frozen: Sequence[Frozen],
        encode: Encode | None,
        report: Progress,
        *,
        begun: bool,
    ) -> None:
        present = self._there() if begun else np.zeros(self.documents, np.bool_)
        at = 0
        for block, count in source.blocks():
            places = [i for i in range(len(block)) if not present[at + i]]
            for start in range(0, len(places), BATCH):
                some = places[start : start + BATCH]
                self._send(contents, frozen, encode, [block[i] for i in some], [at + i for i in some])
            at += len(block)
            report(source.size + count, 2 * source.size)
        self._call("flush", timeout=LOADING)
        indexed(self.engine, self.name)
        self._warm()
        if (n := self.count()) != self.documents:
            message = N_("Passages in the collection {name}: {there} instead of {total}.")
            raise ModelError(Said(message, name=self.name, there=n, total=self.documents), Said("Try again."))

    def _there(self) -> NDArray[np.bool_]:
        """Returns for each position whether its passage is stored."""
        present = np.zeros(self.documents, np.bool_)
        for start in range(0, self.documents, PAGE):
            options = {"filter": f"place >= {start} and place < {start + PAGE}", "output_fields": ["place"]}
            present[[row["place"] for row in self._call("query", limit=PAGE, timeout=LONG, **options)]] = True
        return present

    def _send(
        self,
        contents: Contents,
        frozen: Sequence[Frozen],
        encode: Encode | None,
        documents: Sequence[Document],
        places: Sequence[int],
    ) -> None:
        rows: list[dict[str, Any]] = [
            {"place": place, "metadata": milvus_metadata(d.metadata)}
            for place, d in zip(places, documents, strict=True)
        ]
        columns: dict[str, Sequence[Any]] = {}
        if contents.bm25 is not None:
            texts = [d.content for d in documents]
            columns = {field_terms.reading.field: field_terms.rows(contents.bm25, texts) for field_terms in frozen}
        if contents.graph is not None and encode is not None:
            columns["vector"] = list(np.asarray(encode(documents), dtype=np.float32))
        if contents.texts:
            columns |= {name: [well_formed(getattr(d, name)) for d in documents] for name in TEXTS}
        for name, values in columns.items():
            for row, value in zip(rows, values, strict=True):
                row[name] = value
        self._call("upsert", data=rows, timeout=LONG)

    # ----------------------------------------------------------------------------------------- searching

    def terms(self, reading: Reading, words: Sequence[str]) -> dict[str, Found]:
        """Returns the statistics of the terms that occur in the passages; other terms are left out."""
        field_head = self.head["fields"][reading.field]

        def read(pieces: Sequence[int]) -> dict[int, bytes]:
            names = {self._piece(reading, i): i for i in pieces}
            missing = [name for name in names if name not in self._pieces]
            for name, value in self.notes.get(missing).items():
                self._pieces[name] = value
            return {i: self._pieces[name] for name, i in names.items()}

        return find(words, field_head["pieces"], read) if words else {}

    def nearest(
        self,
        field: str,
        query_value: Any,
        k: int,
        score: Callable[[Mapping[str, Any]], float],
        doc_id: Callable[[Near], str],
        *,
        filter: str = "",
        options: Mapping[str, int] | None = None,
        without: float | None = None,
        passages: Callable[[Near], Iterable[Near]] = lambda near: (near,),
    ) -> list[Near]:
        """Returns the best ``k`` passages, by the score that the lab computes from the stored fields.

        ``doc_id`` returns the id of a passage, which orders equal scores (`lab.algebra.order`).  Passages with the
        score ``without`` are left out.  ``passages`` returns the passages that a stored vector stands for.

        The engine is asked for more than ``k``, until no missing passage can tie with the last one.  An engine returns
        at most 16,384 passages, and a search in a graph at most ``ef``, its number of candidates.
        """
        params, stored_fields = dict(options or {}), (*TEXTS, "metadata") if self.head.get("texts") else ()
        most = min(self.documents, MOST)
        if "ef" in params:
            params["ef"] = most = max(params["ef"], min(int(k), MOST))
        wanted = min(int(k) + MORE, MOST, max(most, 1))
        while True:

            def ask(limit: int = wanted) -> Any:
                options = {
                    "filter": filter,
                    "output_fields": [field, *stored_fields],
                    "search_params": {"params": params},
                }
                return self._call("search", data=[query_value], anns_field=field, limit=limit, **options)[0]

            hits = retried_after_loading(self.engine, self.name, ask)
            found = [Near(score(hit["entity"]), int(hit["place"]), hit["entity"]) for hit in hits]
            last = found[-1].score if found else 0.0
            found = [passage for near in found if near.score != without for passage in passages(near)]
            found.sort(key=lambda near: (-near.score, tie_key(doc_id(near))))
            sure = len(found) > k and found[k - 1].score - last > _NEAR * abs(found[0].score)
            if len(hits) < wanted or wanted >= most or sure:
                return found[:k]
            wanted = min(2 * wanted, MOST, most)

    def stored(self, places: Sequence[int], filter: str) -> set[int]:
        """Returns those of these positions whose passages are in the collection and match an expression."""
        within = f"place in {[*map(int, places)]}" + (f" and {filter}" if filter else "")
        options = {"filter": within, "output_fields": ["place"], "limit": len(places)}
        found = retried_after_loading(self.engine, self.name, lambda: self._call("query", **options)) if places else []
        return {row["place"] for row in found}

    def vectors(self, places: Sequence[int]) -> dict[int, Rows]:
        """Returns the stored vectors of the passages at these positions, by position."""
        options = {"filter": f"place in {[*places]}", "output_fields": ["place", "vector"], "limit": len(places)}
        rows = retried_after_loading(self.engine, self.name, lambda: self._call("query", **options)) if places else []
        return {int(row["place"]): np.asarray(row["vector"], np.float32) for row in rows}

    def get(self, filter: str, most: int) -> list[dict[str, Any]]:
        """Returns the texts and metadata of at most ``most`` passages that match an expression."""
        return list(
            retried_after_loading(
                self.engine,
                self.name,
                lambda: self._call("query", filter=filter, output_fields=["place", *TEXTS, "metadata"], limit=most),
            )
        )

    # ----------------------------------------------------------------------------------------------- deleting

    def drop(self) -> None:
        """Deletes the collection and its notes."""
        with _lock(self.engine.address, self.name):
            if self.open():
                pieces = (
                    (f, i) for f, field_head in self.head.get("fields", {}).items() for i in range(field_head["pieces"])
                )
                # the head first, because a collection without a head counts as missing if the deletion is interrupted
                self.notes.delete([f"{self.name}/head"])
                self.notes.delete([f"{self.name}/{field}/{i}" for field, i in pieces])
            if self._call("has_collection"):
                self._call("drop_collection", timeout=LONG)
            self.head = {}


def document_of(stored: Mapping[str, Any]) -> Document:
    """Returns a passage made from its stored fields."""
    metadata = {name: value for name, value in (stored["metadata"] or {}).items() if name != TRUTHS}
    return Document(stored["id"], stored["text"], stored["title"], metadata)


def _fits(document: Document, contents: Contents) -> None:
    """Raises `CorpusError` for a passage that is larger than a field of Milvus."""
    sizes = {"metadata": len(json.dumps(milvus_metadata(document.metadata), ensure_ascii=False).encode())}
    if contents.texts:
        sizes |= {name: len(well_formed(getattr(document, name)).encode()) for name in TEXTS}
    for name, size in sizes.items():
        if size > FIELD:
            message = N_("Size of the {field} of document “{id}” in bytes: {n}; a Milvus field can hold {most}.")
            remedy = Said("Split long documents into passages first.")
            raise CorpusError(Said(message, id=document.id[:80], field=name, n=f"{size:,}", most=f"{FIELD:,}"), remedy)


class _Few(dict[str, bytes]):
    """Keeps the last ``most`` pieces that were read."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, name: str, value: bytes) -> None:
        super().__setitem__(name, value)
        while len(self) > self.most:
            del self[next(iter(self))]


# A process fills a collection once at a time.  Two processes may fill it together, because they write the same rows.
_LOCKS: weakref.WeakValueDictionary[tuple[str, str], _Held] = weakref.WeakValueDictionary()
_GUARD = threading.Lock()


class _Held:
    """A lock that can be garbage-collected once nobody uses it (`_LOCKS` refers to it weakly)."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def _lock(address: str, name: str) -> _Held:
    with _GUARD:
        return _LOCKS.setdefault((address, name), _Held())
