"""Vector search in a Chroma database: in this process, or on a server that many labs share.

`ChromaVector` is `Vector` with another store: the same embedder, the same three spaces, the same scores; the
nearest neighbours come from Chroma's HNSW graph, which is fast and may miss one.  Passages with the same text are one
vector (`lab.retrieve.distinct`).  A collection is named by its content (corpus fingerprint, embedder, space), so it is
filled once and everybody finds it again; an interrupted fill later adds only the missing documents.  In the process a
collection lives as long as an index uses it; on a server it stays.

What Chroma calls a distance (checked on chromadb 1.5): ``cosine`` is 1 - cosine, ``ip`` is 1 - the inner
product, ``l2`` is the *squared* Euclidean distance.  The scores are 1 - distance for the first two and
1 / (1 + distance) for the third.
"""

from __future__ import annotations

import hashlib
import re
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from lab.retrieve.distinct import REFILLED, SEVERAL, Distinct, passing
from lab.retrieve.fingerprint import same_model, sampled
from lab.retrieve.store import Neighbour, Rows, StoreIndex, StoreVector, ef_knob, spelled
from lab.retrieve.where import chroma_metadata, chroma_where
from lab.words import N_, Said

Without = Callable[[float, int], bool]
BATCH = 200
"""So many documents are sent at once: small enough that a progress bar moves."""
EF_SEARCH = 200
"""Default breadth of the search in the graph, with which every collection without another one in its name was made."""


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

    # Chroma takes it when a collection is created, and a later change only when the store is opened again
    ef: int = ef_knob(EF_SEARCH)

    @property
    def label(self) -> str:
        return Said("Chroma · {embedder}", embedder=self.embedder.label)

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> ChromaIndex:
        encoder = encoder_of(self.embedder, corpus)
        shelf = None
        # some encoders know their size only after the first text; LSA of a corpus without words has size 0
        if len(corpus) and (encoder.dimensions or encoder.documents([corpus.documents[0].content]).shape[1]):
            url = str(models["chroma"]) if "chroma" in models else url_from_environment()
            shelf = open_shelf(url, self.collection(corpus), self.space, self.ef)
            shelf.fill(corpus, partial(self.rows, corpus), progress)
        return ChromaIndex(self, corpus, encoder, shelf)

    def collection(self, corpus: Corpus) -> str:
        """The name of the collection: at most 63 of the letters, digits and hyphens that every Chroma takes."""
        embedder = re.sub("[^a-z0-9]+", "-", self.embedder.name.lower()).strip("-")[:20]
        ef = () if self.ef == EF_SEARCH else (self.ef,)
        digest = hashlib.sha256(spelled((self.embedder, self.scale, *ef)).encode("utf-8", "replace")).hexdigest()
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
        return self.shelf.stored(places, where, self.corpus) if self.shelf is not None else set()

    def _nothing(self, vector: Floats, distance: float, place: int) -> bool:
        """Whether the document at this place shares nothing with the query: its score is 0, or it has no vector."""
        if self.operator.space != "l2":
            return distance == 1.0
        origin = float(vector @ vector)  # so far away is a row of zeros
        return abs(distance - origin) <= 1e-4 * origin and not self.operator.rows(self.corpus, [place]).any()


# ----------------------------------------------------------------------------------------------- shelves


class CollectionStore:
    """Reads and fills one collection: a vector for each distinct text of a corpus.

    Its id is the position of the first passage with this text, "0", "1", ...; of a text that n passages have, "0xn".
    """

    distinct: Distinct

    def __init__(self, client: Any, url: str, name: str, space: str, ef: int) -> None:
        self.client, self.url, self.name, self.space, self.ef = client, url, name, space, ef
        self.lock = threading.RLock()
        self.remarks = list[Said]()
        self.collection = self._open()
        if not url:  # an unused in-process collection would only take memory
            weakref.finalize(self, _forget, client, name).atexit = False

    def _open(self) -> Any:
        with answering(self.url):
            configuration = {"hnsw": {"space": self.space, "ef_search": self.ef}}
            return self.client.get_or_create_collection(self.name, configuration=configuration, embedding_function=None)

    def _get(self, ids: Sequence[str], include: Sequence[str] = (), **options: Any) -> Any:
        with answering(self.url):
            return self.collection.get(ids=[*ids], include=[*include], **options) if ids else {"ids": []}

    def count(self) -> int:
        """Returns the number of stored vectors."""
        with answering(self.url):
            return int(self.collection.count())

    def _ids(self, numbers: Iterable[int]) -> list[str]:
        firsts, sizes = self.distinct.firsts, self.distinct.sizes
        return [f"{firsts[i]}x{sizes[i]}" if sizes[i] > 1 else str(firsts[i]) for i in numbers]

    def fill(self, corpus: Corpus, rows: Callable[[Sequence[int]], Rows], progress: Progress | None) -> None:
        """Adds the missing texts of the corpus to the collection, in batches.

        ``rows`` returns the vectors of the documents at these positions.  ``progress`` is called with the numbers of
        passages (stored, total) after each batch and may raise; batches sent until then stay in the collection.
        """
        with self.lock:
            self.distinct = distinct = Distinct.of(corpus)
            vectors, passages, stored = len(distinct), len(corpus), self.count()
            reason = self._outdated(rows) if stored else ""
            if reason:
                with answering(self.url):
                    delete(self.client, self.name)
                self.collection, stored = self._open(), 0
                self._remark(reason)
            known = self._known() if 0 < stored != vectors else set()
            names = self._ids(range(vectors)) if stored != vectors else []
            missing = [i for i, name in enumerate(names) if name not in known]
            done = passages - int(distinct.sizes[missing].sum())
            if self.url and stored != vectors and not reason:
                message = N_(
                    "The collection {name} on the server had passages: {there} of {total}. The others are added."
                )
                self._remark(message, there=done, total=passages)
            for start in range(0, len(missing), BATCH):
                numbers = missing[start : start + BATCH]
                metadata = [chroma_metadata(distinct.document(i, corpus).metadata) for i in numbers]
                embeddings = rows(distinct.firsts[numbers].tolist())
                with answering(self.url):
                    self.collection.upsert(ids=self._ids(numbers), embeddings=embeddings, metadatas=metadata)
                done += int(distinct.sizes[numbers].sum())
                if progress:
                    progress(done, passages)
            if progress and not missing:
                progress(passages, passages)
            stored = self.count() if missing else stored
            if stored != vectors:
                message = N_("Vectors in the collection {name}: {there} instead of {total}.")
                remedy = Said("Delete it on the server, then try again.")
                raise ModelError(Said(message, name=self.name, there=stored, total=vectors), remedy)

    def _remark(self, message: str, **values: object) -> None:
        """Keeps a remark on what is filled for the page, and logs it for the operator."""
        self.remarks.append(Said(message, name=self.name, **values))
        log(self.remarks[-1])

    def _outdated(self, rows: Callable[[Sequence[int]], Rows]) -> str:
        """Returns why the stored vectors cannot be used; empty if they can.

        A sample of them is compared with the model's own: see `lab.retrieve.fingerprint`.
        """
        distinct = self.distinct
        if self._get([str(first) for first in distinct.firsts[distinct.sizes > 1][:PAGE]])["ids"]:
            return REFILLED
        stored = self._get(self._ids(sampled(len(distinct))), include=["embeddings"])
        places = [*map(_first, stored["ids"])]
        if not places or same_model(stored["embeddings"], rows(places)):  # an interrupted fill: nothing is against it
            return ""
        return N_("The collection {name} has vectors of another model, and is filled again.")

    def _known(self) -> set[str]:
        known: set[str] = set()
        while True:
            with answering(self.url):
                ids = self.collection.get(limit=PAGE, offset=len(known), include=[])["ids"]
            if not ids:
                return known
            known.update(ids)

    def stored(self, places: Sequence[int], where: Mapping[str, Any] | None, corpus: Corpus) -> set[int]:
        """Returns those of these positions in the corpus that are in the collection and pass a filter."""
        numbers, passes = self.distinct.numbers, passing(where, corpus)
        options: dict[str, Any] = {"where": _where(where)} if where else {}
        names = self._ids({int(numbers[place]) for place in places})
        found = {numbers[_first(name)] for name in self._get(names, **options)["ids"]}
        return {place for place in places if numbers[place] in found and passes(place)}

    def nearest(
        self, vector: Floats, k: int, corpus: Corpus, *, where: Mapping[str, Any] | None, without: Without
    ) -> list[tuple[float, int]]:
        """(distance, position in the corpus) of the nearest ``k`` passages of it, ``without`` some."""
        distinct, passes = self.distinct, passing(where, corpus)
        limit, total = k + 8, len(distinct)
        while True:
            distances, ids = self._query(vector, min(limit, total), where)
            firsts = [(d, _first(name)) for d, name in zip(distances, ids, strict=True)]
            vectors = [(d, int(distinct.numbers[first])) for d, first in firsts if not without(d, first)]
            near = [(d, place) for d, number in vectors for place in distinct.passages(number) if passes(place)]
            # where the last place is shared, others that share it may still be outside
            if len(ids) < limit or limit >= total or (len(near) > k and near[k - 1][0] < near[-1][0]):
                away, places = np.array([d for d, _ in near]), np.array([place for _, place in near], np.int64)
                return [near[i] for i in best_first(-away, places, corpus, k).tolist()]
            limit *= 2

    def _query(self, vector: Floats, n: int, where: Mapping[str, Any] | None) -> tuple[list[float], list[str]]:
        row = np.asarray(vector, dtype=np.float32)[None]
        condition = _where(where) if where else None
        with answering(self.url):
            answer = self.collection.query(query_embeddings=row, n_results=n, where=condition, include=["distances"])
        return answer["distances"][0], answer["ids"][0]


def _first(name: str) -> int:
    """Returns the position of the first passage of a vector with this id."""
    return int(name.partition("x")[0])


def _where(where: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the filter of Chroma for vectors of which one passage may pass."""
    return {"$or": [chroma_where(where), {SEVERAL: True}]}


# In-process clients of chromadb share one store per process, so the collections in use must be known per process:
# a collection is deleted only after the last index that uses it is gone.
_IN_USE: weakref.WeakValueDictionary[tuple[str, str], CollectionStore] = weakref.WeakValueDictionary()
_IN_USE_LOCK = threading.RLock()


def open_shelf(url: str, name: str, space: str, ef: int = EF_SEARCH) -> CollectionStore:
    """The collection with this name, made where it is not there.  Raises `ModelError` where the server fails."""
    if url:
        return CollectionStore(connect(url), url, name, space, ef)
    with _IN_USE_LOCK:
        shelf = _IN_USE.get((url, name))
        if shelf is None:
            shelf = _IN_USE[url, name] = CollectionStore(connect(""), "", name, space, ef)
        return shelf


def _forget(client: Any, name: str) -> None:
    with _IN_USE_LOCK:
        if ("", name) not in _IN_USE:
            delete(client, name)
