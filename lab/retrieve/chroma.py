"""Vector search in a Chroma database: in this process, or on a server that many labs share.

`ChromaVector` is `Vector` with another store: the same embedder, the same three spaces, the same scores; the
nearest neighbours come from Chroma's HNSW graph, which is fast and may miss one.  A collection is named by
its content (corpus fingerprint, embedder, space), so it is filled once and everybody finds it again; an
interrupted fill later adds only the missing documents.  In the process a collection lives as long as an index
uses it; on a server it stays.

What Chroma calls a distance (checked on chromadb 1.5): ``cosine`` is 1 - cosine, ``ip`` is 1 - the inner
product, ``l2`` is the *squared* Euclidean distance.  The scores are 1 - distance for the first two and
1 / (1 + distance) for the third.
"""

from __future__ import annotations

import hashlib
import re
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from lab.algebra import NONE, Corpus, Models, Progress, best_first
from lab.corpus.indexes import log
from lab.errors import ModelError
from lab.models.embedders import Encoder, encoder_of
from lab.numeric import Floats
from lab.retrieve.chroma_server import PAGE, answering, connect, delete, url_from_environment
from lab.retrieve.fingerprint import same_model, sampled
from lab.retrieve.store import Neighbour, Rows, StoreIndex, StoreVector, spelled
from lab.retrieve.where import chroma_metadata, chroma_where
from lab.words import N_, Said

Without = Callable[[float, int], bool]
BATCH = 200
"""So many documents are sent at once: small enough that a progress bar moves."""
EF_SEARCH = 200
"""Breadth of the search in the graph.  Chroma takes it when a collection is created, and a later change only when the
store is opened again."""


@dataclass(frozen=True)
class ChromaVector(StoreVector):
    """Finds the nearest documents by the vectors of an embedding model, stored in Chroma.

    The store is the server at the address that a run is given as its setting ``chroma``, else at ``LAB_CHROMA_URL``,
    else this process.  ``where`` is a Chroma filter.

    `index` raises `ModelError` for a server that is down or of another version; `exact` needs no Chroma.
    """

    technique = Said("Chroma")
    settings = ("chroma",)
    about = Said("Nearest vectors in a Chroma store, with its filters.")

    @property
    def label(self) -> str:
        return Said("Chroma · {embedder}", embedder=self.embedder.label)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> ChromaIndex:
        encoder = encoder_of(self.embedder, corpus)
        shelf = None
        # some encoders know their size only after the first text; LSA of a corpus without words has size 0
        if len(corpus) and (encoder.dimensions or encoder.documents([corpus.documents[0].content]).shape[1]):
            url = str(models["chroma"]) if "chroma" in models else url_from_environment()
            shelf = open_shelf(url, self.collection(corpus), self.space)
            shelf.fill(corpus, partial(self.rows, corpus), progress)
        return ChromaIndex(self, corpus, encoder, shelf)

    def collection(self, corpus: Corpus) -> str:
        """The name of the collection: at most 63 of the letters, digits and hyphens that every Chroma takes."""
        embedder = re.sub("[^a-z0-9]+", "-", self.embedder.name.lower()).strip("-")[:20]
        digest = hashlib.sha256(spelled((self.embedder, self.scale)).encode("utf-8", "replace")).hexdigest()
        return "-".join(("lab", corpus.fingerprint[:16], embedder or "x", digest[:8], self.space))


class ChromaIndex(StoreIndex):
    """Searches a Chroma collection.  ``shelf`` is None if there is nothing to search."""

    operator: ChromaVector

    def __init__(self, operator: ChromaVector, corpus: Corpus, encoder: Encoder, shelf: CollectionStore | None) -> None:
        self.operator, self.corpus, self.encoder, self.shelf = operator, corpus, encoder, shelf

    @property
    def remarks(self) -> tuple[Said, ...]:
        return () if self.shelf is None else tuple(self.shelf.remarks)

    def near(self, vector: Floats, k: int, where: dict[str, Any] | None) -> tuple[Neighbour, ...]:
        """The nearest ``k`` documents that do not score 0, nearest first."""
        if self.shelf is None or not vector.any():
            return ()
        operator, documents = self.operator, self.corpus.documents
        near = self.shelf.nearest(vector, k, self.corpus, where=where, without=partial(self._nothing, vector))
        return tuple(Neighbour(rank, documents[i], d, operator.score(d)) for rank, (d, i) in enumerate(near, 1))

    def stored(self, places: Sequence[int], where: dict[str, Any] | None) -> set[int]:
        return set() if self.shelf is None else self.shelf.stored(places, where)

    def _nothing(self, vector: Floats, distance: float, place: int) -> bool:
        """Whether the document at this place shares nothing with the query: its score is 0, or it has no vector."""
        if self.operator.space != "l2":
            return distance == 1.0
        origin = float(vector @ vector)  # so far away is a row of zeros
        return abs(distance - origin) <= 1e-4 * origin and not self.operator.rows(self.corpus, [place]).any()


# ----------------------------------------------------------------------------------------------- shelves


class CollectionStore:
    """Reads and fills one collection.  A document's id in it is its position in the corpus: "0", "1", ..."""

    def __init__(self, client: Any, url: str, name: str, space: str) -> None:
        self.client, self.url, self.name, self.space = client, url, name, space
        self.lock = threading.RLock()
        self.remarks = list[Said]()
        self.collection = self._open()
        if not url:  # an unused in-process collection would only take memory
            weakref.finalize(self, _forget, client, name).atexit = False

    def _open(self) -> Any:
        with answering(self.url):
            configuration = {"hnsw": {"space": self.space, "ef_search": EF_SEARCH}}
            return self.client.get_or_create_collection(self.name, configuration=configuration, embedding_function=None)

    def _get(self, **options: Any) -> Any:
        with answering(self.url):
            return self.collection.get(**options)

    def count(self) -> int:
        """How many documents are there."""
        with answering(self.url):
            return int(self.collection.count())

    def fill(self, corpus: Corpus, rows: Callable[[Sequence[int]], Rows], progress: Progress | None) -> None:
        """Adds the missing documents of the corpus to the collection, in batches.

        ``rows`` returns the vectors of the documents at these positions.  ``progress`` is called with (stored, total)
        after each batch and may raise; batches sent until then stay in the collection.
        """
        with self.lock:
            total, stored = len(corpus), self.count()
            if stored and not self._same_model(rows, total):
                with answering(self.url):
                    delete(self.client, self.name)
                self.collection, stored = self._open(), 0
                self._remark(N_("The collection {name} has vectors of another model, and is filled again."))
            elif self.url and stored != total:
                message = N_(
                    "The collection {name} on the server had passages: {there} of {total}. The others are added."
                )
                self._remark(message, there=stored, total=total)
            known = self._known() if 0 < stored != total else set()
            missing = [i for i in range(total) if str(i) not in known] if stored != total else []
            for start in range(0, len(missing), BATCH):
                places = missing[start : start + BATCH]
                metadata = [chroma_metadata(corpus.documents[i].metadata) for i in places]
                vectors = rows(places)
                with answering(self.url):
                    self.collection.upsert(ids=[str(i) for i in places], embeddings=vectors, metadatas=metadata)
                if progress:
                    progress(total - len(missing) + start + len(places), total)
            if progress and not missing:
                progress(total, total)
            stored = self.count() if missing else stored
            if stored != total:
                message = N_("Documents in the collection {name}: {there} instead of {total}.")
                remedy = Said("Delete it on the server, then try again.")
                raise ModelError(Said(message, name=self.name, there=stored, total=total), remedy)

    def _remark(self, message: str, **values: object) -> None:
        """Keeps a remark on what is filled for the page, and logs it for the operator."""
        self.remarks.append(Said(message, name=self.name, **values))
        log(self.remarks[-1])

    def _same_model(self, rows: Callable[[Sequence[int]], Rows], total: int) -> bool:
        """Whether a sample of what is there was made by this model: see `lab.retrieve.fingerprint`."""
        stored = self._get(ids=[str(i) for i in sampled(total)], include=["embeddings"])
        if not stored["ids"]:
            return True  # an interrupted fill: nothing speaks against it
        return same_model(stored["embeddings"], rows([int(i) for i in stored["ids"]]))

    def _known(self) -> set[str]:
        known: set[str] = set()
        while ids := self._get(limit=PAGE, offset=len(known), include=[])["ids"]:
            known.update(ids)
        return known

    def stored(self, places: Sequence[int], where: Mapping[str, Any] | None) -> set[int]:
        """Returns those of these positions that are in the collection and pass a filter."""
        options = {"where": chroma_where(where)} if where else {}
        return set(map(int, self._get(ids=[str(i) for i in places], include=[], **options)["ids"])) if places else set()

    def nearest(
        self, vector: Floats, k: int, corpus: Corpus, *, where: Mapping[str, Any] | None, without: Without
    ) -> list[tuple[float, int]]:
        """(distance, position in the corpus) of the nearest ``k`` passages of it, ``without`` some."""
        limit, total = k + 8, len(corpus)
        while True:
            distances, ids = self._query(vector, min(limit, total), where)
            near = [(d, int(i)) for d, i in zip(distances, ids, strict=True) if not without(d, int(i))]
            # where the last place is shared, others that share it may still be outside
            if len(ids) < limit or limit >= total or (len(near) > k and near[k - 1][0] < near[-1][0]):
                away, places = np.array([d for d, _ in near]), np.array([place for _, place in near], np.int64)
                return [near[i] for i in best_first(-away, places, corpus, k).tolist()]
            limit *= 2

    def _query(self, vector: Floats, n: int, where: Mapping[str, Any] | None) -> tuple[list[float], list[str]]:
        row = np.asarray(vector, dtype=np.float32)[None]
        condition = chroma_where(where) if where else None
        with answering(self.url):
            answer = self.collection.query(query_embeddings=row, n_results=n, where=condition, include=["distances"])
        return answer["distances"][0], answer["ids"][0]


# In-process clients of chromadb share one store per process, so the collections in use must be known per process:
# a collection is deleted only after the last index that uses it is gone.
_IN_USE: weakref.WeakValueDictionary[tuple[str, str], CollectionStore] = weakref.WeakValueDictionary()
_IN_USE_LOCK = threading.RLock()


def open_shelf(url: str, name: str, space: str) -> CollectionStore:
    """The collection with this name, made where it is not there.  Raises `ModelError` where the server fails."""
    if url:
        return CollectionStore(connect(url), url, name, space)
    with _IN_USE_LOCK:
        shelf = _IN_USE.get((url, name))
        if shelf is None:
            shelf = _IN_USE[url, name] = CollectionStore(connect(""), "", name, space)
        return shelf


def _forget(client: Any, name: str) -> None:
    with _IN_USE_LOCK:
        if ("", name) not in _IN_USE:
            delete(client, name)
