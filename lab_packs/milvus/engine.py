"""A corpus that does not fit in memory: streamed from a file into an engine, and opened there by its name.

`fill` reads a folder in the BEIR layout, or a ``.jsonl`` file, twice and a block at a time; `open_corpus` gives the
collection as a corpus whose texts stay where they are, with the questions and judgments of its folder.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lab import formats
from lab.algebra import NONE, Corpus, Document, Models, Progress, Query
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.errors import CorpusError, ParameterError
from lab.retrieve.lexical import BM25
from lab.retrieve.store import Rows
from lab.text import well_formed
from lab.words import Said
from lab_packs.milvus.corpus import EngineCorpus
from lab_packs.milvus.measuring import graph_answers as graph_answers
from lab_packs.milvus.notes import NOTES, Notes, read_head
from lab_packs.milvus.searches import MilvusVector
from lab_packs.milvus.server import engine_of
from lab_packs.milvus.shelf import BLOCK, Contents, Encode, Shelf, Source

PREFIX = "corpus_"
TITLE, VECTOR = "Milvus", MilvusVector()
KNOBS = {"HNSW": ("ef", "m", "ef_construction"), "IVF_FLAT": ("nprobe", "nlist"), "FLAT": ()}
"""The parameters of each kind of index."""
PIECE = 48_000
"""Bytes of the questions in one note."""


@dataclass
class Lines(Source):
    """The documents of a ``.jsonl`` file; ``size`` is its bytes."""

    file: Path

    def __post_init__(self) -> None:
        with self.file.open("rb") as stream:
            self.fingerprint = hashlib.file_digest(stream, "sha256").hexdigest()
        self.size = self.file.stat().st_size

    def blocks(self) -> Iterator[tuple[list[Document], int]]:
        block, read = list[Document](), 0
        for document, read in beir.stream(self.file):
            block.append(document)
            if len(block) == BLOCK:
                yield block, read
                block = []
        if block:
            yield block, self.size


@dataclass(frozen=True)
class Filled:
    """The result of a fill: the name of the collection, and its number of passages."""

    name: str
    passages: int


def fill(
    where: str | Path,
    *,
    name: str = "",
    bm25: BM25 | None = BM25(),  # noqa: B008 - it does not change
    vector: MilvusVector | None = VECTOR,
    replace: bool = False,
    models: Models = NONE,
    progress: Progress | None = None,
) -> Filled:
    """Write the passages of a folder or a ``.jsonl`` file into the engine, each once, with its questions and judgments.

    ``bm25`` and ``vector`` are the searches to prepare (None: without that one).  A fill that was killed resumes where
    it stopped; if the file has changed since, it is refused, unless it may ``replace`` the collection.  ``progress``
    counts to twice the bytes of the file, and may raise to stop.  Raises `CorpusError`, `ParameterError`, `ModelError`.
    """
    path = Path(where).expanduser()
    file = path / "corpus.jsonl" if path.is_dir() else path
    if not file.is_file() or file.suffix != ".jsonl":
        remedy = Said("Give a folder with a corpus.jsonl, or a .jsonl file.")
        raise CorpusError(Said("“{path}” cannot be streamed.", path=str(path)), remedy)
    if bm25 is None and vector is None:
        raise ParameterError(Said("No search was given."), Said("Keep BM25, vectors, or both."))
    title = name or (path.resolve().name if path.is_dir() else path.stem)
    engine, source = engine_of(models), Lines(file)
    engine.remedy = ""  # nobody has these texts in memory
    shelf = Shelf(engine, slug(title))
    if replace:
        shelf.drop()
    dimensions, encode = _encoded(vector)
    notes = {"bm25": bm25 and formats.expression(bm25), "vector": vector and formats.expression(vector), "title": title}
    spelled = json.dumps([notes["bm25"], notes["vector"]])
    graph = None if vector is None else vector.graph(1 << 20)
    contents = Contents(spelled, bm25, graph, dimensions, texts=True, notes=notes)
    shelf.fill(source, contents, encode, progress)
    queries, judged = beir.questions(path) if path.is_dir() else ((), {})
    _write_questions(shelf, queries, judged)
    return Filled(title, shelf.documents)


def _encoded(vector: MilvusVector | None) -> tuple[int, Encode | None]:
    """Returns the size of the vectors and their encoder.  Raises `ParameterError` if it needs the whole corpus."""
    if vector is None:
        return 0, None
    if vector.scale == "by length":
        message = Said("Scaling by text length needs the average length of all texts.")
        raise ParameterError(message, Said("Store vectors as they are, or scaled to length 1."))
    encoder = vector.embedder.fit(Corpus("", ()))
    size = encoder.dimensions or encoder.documents(["a"]).shape[1]
    if not size:
        message = Said(
            "{name} must be learned from the whole corpus, which is never loaded at once.", name=vector.embedder.label
        )
        raise ParameterError(message, Said("Choose an embedding model that is ready, such as the built-in one."))

    def rows(documents: Sequence[Document]) -> Rows:
        vectors = vector.scaled(encoder.documents([d.content for d in documents]), Corpus("", ()), documents)
        return np.asarray(vectors, dtype=np.float32)

    return size, rows


# ------------------------------------------------------------------------------------------------ opening


def names(models: Models = NONE) -> dict[str, int]:
    """Returns the collections of the engine with their numbers of passages.  Raises `ModelError`."""
    engine = engine_of(models)
    stored = [name for name in engine.call("list_collections") if name.startswith(PREFIX)]
    if not stored or not engine.call("has_collection", NOTES):
        return {}
    notes = Notes(engine).get([f"{name}/head" for name in stored])
    heads = [head for head in map(read_head, notes.values()) if isinstance(head.get("title"), str)]
    return dict(sorted((well_formed(head["title"]), head["documents"]) for head in heads))


def open_corpus(
    name: str, models: Models = NONE, *, folder: Path | None = None, queries: str = "queries.jsonl"
) -> Collection:
    """Opens a collection of the engine, with the questions of a folder, or with those stored when it was filled.

    Raises `CorpusError` for a missing collection, and for one whose fill was not finished; `ModelError`.
    """
    engine = engine_of(models)
    engine.remedy = ""
    shelf = Shelf(engine, slug(name))
    whole = shelf.open() and {"title", "bm25", "vector"} <= shelf.head.keys()
    if not whole or not engine.call("has_collection", shelf.name):
        known = Said("Collections: {names}.", names=[*names(models)] or "–")
        raise CorpusError(Said("There is no collection “{name}” in Milvus.", name=name), known)
    shelf.load()
    if (n := shelf.count()) != shelf.documents:
        message = Said("Stored passages of {name}: {n} of {total}.", n=n, total=shelf.documents, name=name)
        raise CorpusError(message, Said("Filling was interrupted. Start again to resume it."))
    searches = (shelf.head[kind] and formats.parse(shelf.head[kind]) for kind in ("bm25", "vector"))
    bm25, vector = searches
    assert bm25 is None or isinstance(bm25, BM25)
    assert vector is None or isinstance(vector, MilvusVector)
    corpus = EngineCorpus(f"milvus:{shelf.head['title']}", shelf, bm25, vector)
    questions, judged = beir.questions(folder, queries) if folder else _questions(shelf)
    known_queries = {q.id for q in questions}
    return Collection(corpus, tuple(questions), {q: grades for q, grades in judged.items() if q in known_queries})


def slug(title: str) -> str:
    """Returns the name of a collection in the engine: letters, digits and underscores."""
    plain = re.sub("[^A-Za-z0-9]+", "_", title).strip("_")[:60]
    return f"{PREFIX}{plain}" + ("" if plain == title else f"_{hashlib.sha256(title.encode()).hexdigest()[:8]}")


def _write_questions(shelf: Shelf, queries: Sequence[Query], judged: Mapping[str, Mapping[str, int]]) -> None:
    rows = [[q.id, q.text, dict(q.metadata)] for q in queries]
    content = {"queries": rows, "qrels": {q: dict(grades) for q, grades in judged.items()}}
    data = zlib.compress(json.dumps(content).encode())
    pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
    head = f"{shelf.name}/questions"
    shelf.notes.put([(head, str(len(pieces)).encode()), *((f"{head}/{i}", piece) for i, piece in enumerate(pieces))])


def _questions(shelf: Shelf) -> tuple[Sequence[Query], Mapping[str, Mapping[str, int]]]:
    head = f"{shelf.name}/questions"
    count = int(shelf.notes.get([head]).get(head, b"0"))
    pieces = shelf.notes.get([f"{head}/{i}" for i in range(count)])
    if not pieces:
        return (), {}
    content: dict[str, Any] = json.loads(zlib.decompress(b"".join(pieces[f"{head}/{i}"] for i in range(count))))
    return [Query(text, id=query_id, metadata=metadata) for query_id, text, metadata in content["queries"]], content[
        "qrels"
    ]
