"""A corpus whose texts stay in Milvus: opened by its name, searched there, a passage read when it is shown.

Code that needs one passage, or the index of a search, can use it as a `Corpus`.  Code that reads all texts gets a
`CorpusError`, which says that they stay in Milvus.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, cast, overload

from lab.algebra import NONE, Corpus, Document, Index, Models, Operator, Progress
from lab.algebra.nouns import S, Searchable
from lab.errors import CorpusError, ParameterError
from lab.models.embedders import encoder_of
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.words import N_, Said, joined
from lab_packs.milvus.filters import literal
from lab_packs.milvus.searches import MilvusBM25, MilvusBM25Index, MilvusVector, MilvusVectorIndex
from lab_packs.milvus.shelf import Near, Shelf, document_of

KEPT = 2_000
"""Number of passages kept in memory after they were read."""
AT_ONCE = 5_000
"""Maximum number of passages per read."""


class EngineCorpus(Corpus):
    """The passages of a collection; ``bm25`` and ``vector`` are the searches that it was filled for."""

    def __init__(self, name: str, shelf: Shelf, bm25: BM25 | None, vector: MilvusVector | None) -> None:
        super().__init__(name, ())
        object.__setattr__(self, "documents", _Documents(str(shelf.head["title"]), shelf))
        object.__setattr__(self, "shelf", shelf)
        object.__setattr__(self, "bm25", bm25)
        object.__setattr__(self, "vector", vector)

    elsewhere = "Milvus"
    shelf: Shelf
    bm25: BM25 | None
    vector: MilvusVector | None

    @property
    def fingerprint(self) -> str:
        """Returns the fingerprint of the source file, and a hash of the settings used to fill the collection."""
        return f"{self.shelf.head['source']}{hash_of(self.shelf.head['made'])}"

    @property
    def positions(self) -> Mapping[str, int]:
        """Returns a mapping from ids to positions, which asks the engine for passages that are not in memory."""
        return self._documents.places

    @property
    def bytes(self) -> int:
        """Returns the size of the values cached with the corpus in this process."""
        return self._memo.total

    @property
    def _documents(self) -> _Documents:
        documents = self.documents
        assert isinstance(documents, _Documents)
        return documents

    def received(self, near: Near) -> Document:
        """A passage that came with an answer."""
        return self._documents.keep(near.place, near.stored)

    def instead(self, searcher: S) -> S:
        """The search of the engine that stands for one in memory, where the collection was filled for it."""
        stored: Searchable = searcher
        if isinstance(searcher, BM25) and searcher == self.bm25:
            stored = MilvusBM25(searcher)
        elif self.vector is not None and isinstance(searcher, Vector) and not isinstance(searcher, MilvusVector):
            stored = self.vector if self._same(searcher, self.vector) else searcher
        return cast(S, stored)  # a retriever for a retriever

    def index(self, searcher: Searchable, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """The collection as an index of this search.  Raises `ParameterError` for one that it was not filled for."""
        stored_search = self.instead(searcher)
        if isinstance(stored_search, MilvusBM25) and stored_search.bm25 == self.bm25:
            return MilvusBM25Index(stored_search, self, self.shelf)
        if (
            isinstance(stored_search, MilvusVector)
            and self.vector is not None
            and self._same(stored_search, self.vector)
        ):
            return MilvusVectorIndex(stored_search, self, encoder_of(stored_search.embedder, self), self.shelf)
        filled = joined((search.label for search in (self.bm25, self.vector) if search is not None), ", ")
        message = N_("{name} is stored in Milvus and was not filled for the search “{search}”.")
        remedy = N_(
            "The collection was filled for {searches} with the parameters of that time. Index again to use others."
        )
        search_label = searcher.label if isinstance(searcher, Operator) else ""
        raise ParameterError(Said(message, name=self.name, search=search_label), Said(remedy, searches=filled))

    def _same(self, searcher: Vector, stored_search: MilvusVector) -> bool:
        settings = (searcher.embedder, searcher.space, searcher.scale)
        if isinstance(searcher, MilvusVector):
            return (*settings, searcher.graph(len(self))) == (
                stored_search.embedder,
                stored_search.space,
                stored_search.scale,
                stored_search.graph(len(self)),
            )
        return type(searcher) is Vector and settings == (
            stored_search.embedder,
            stored_search.space,
            stored_search.scale,
        )

    def takes(self, searcher: Searchable) -> bool:
        """Whether there is anything here for a search of this kind."""
        if isinstance(searcher, BM25 | MilvusBM25):
            return self.bm25 is not None
        return isinstance(searcher, Vector) and self.vector is not None and searcher.embedder == self.vector.embedder

    def __reduce__(self) -> NoReturn:
        raise TypeError("a collection of an engine is not written down")


def hash_of(text: str) -> str:
    """Eight letters for a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


class _Documents(Sequence[Document]):
    """Reads passages by their positions on demand, and keeps the most recent ones in memory."""

    def __init__(self, name: str, shelf: Shelf) -> None:
        self.name, self.shelf = name, shelf
        self.kept = OrderedDict[int, Document]()
        self.places = _Places(self)

    def __len__(self) -> int:
        return self.shelf.documents

    @overload
    def __getitem__(self, at: int) -> Document: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Document, ...]: ...
    def __getitem__(self, at: int | slice) -> Document | tuple[Document, ...]:
        if isinstance(at, slice):
            return self._read(range(len(self))[at])
        return self._read(range(at, at + 1))[0]

    def __iter__(self) -> Iterator[Document]:
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raises `CorpusError`, because reading all texts would take too long and too much memory."""
        message = N_("The texts of {name} stay in Milvus; this step would need all {n} of them.")
        remedy = Said("Run only the searches that it was filled for, or load a smaller corpus.")
        raise CorpusError(Said(message, name=self.name, n=len(self)), remedy)

    def _read(self, places: Sequence[int]) -> tuple[Document, ...]:
        missing = [i for i in places if i not in self.kept]
        if len(places) > AT_ONCE:
            self.refuse()
        if missing:
            rows = self.shelf.get(f"place in {missing}" if len(missing) < 200 else _between(missing), len(missing))
            for row in rows:
                self.keep(row["place"], row)
        return tuple(self.kept[i] for i in places)

    def keep(self, place: int, stored: Mapping[str, Any]) -> Document:
        """Keep a passage at hand."""
        document = self.kept.get(place)
        if document is None:
            document = self.kept[place] = document_of(stored)
            self.places.known[document.id] = place
        self.kept.move_to_end(place)
        while len(self.kept) > max(KEPT, AT_ONCE):
            self.places.known.pop(self.kept.popitem(last=False)[1].id, None)
        return document


def _between(places: Sequence[int]) -> str:
    return f"place >= {min(places)} and place <= {max(places)}"


class _Places(Mapping[str, int]):
    """Ids to places."""

    def __init__(self, documents: _Documents) -> None:
        self.documents, self.known = documents, dict[str, int]()

    def __getitem__(self, doc_id: str) -> int:
        if doc_id not in self.known:
            for row in self.documents.shelf.get(f"id == {literal(doc_id)}", 1):
                self.documents.keep(row["place"], row)
        return self.known[doc_id]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[str]:
        self.documents.refuse()
