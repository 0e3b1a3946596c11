"""At most so many passages of one document, against pandas on drawn lists, and what counts as one document."""

from __future__ import annotations

import random

import pandas as pd
import pytest
from night import for_each

from lab.algebra import Corpus, Document, Hit, Query, Ranking
from lab.derive.chunk import Chunk
from lab.refine.per_document import PerDocument
from lab.retrieve.lexical import BM25

LONG = " ".join(f"The battery lasts {n} hours in test number {n}." for n in range(12))
BOOKS = Corpus("books", (Document("long", LONG, "Long"), Document("short", "A battery lasts a day.", "Short")))


def ranking(files: list[str]) -> Ranking:
    """A list of one passage per file name; an empty name is a passage without a file."""
    documents = [Document(f"p{i}", "text", "", {"source": name} if name else {}) for i, name in enumerate(files)]
    hits = tuple(Hit(document, 1 / rank) for rank, document in enumerate(documents, 1))
    return Ranking(Query("q"), hits, BM25(), corpus=Corpus("files", tuple(documents)))


@for_each("seed", range(30))
def test_the_kept_passages_are_those_of_pandas(seed: int) -> None:
    rng = random.Random(seed)
    most, files = rng.randint(1, 4), [rng.choice(["a.pdf", "b.pdf", "c.md", ""]) for _ in range(rng.randint(0, 20))]
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(len(files))], "file": files})
    frame["file"] = frame["file"].where(frame["file"] != "", frame["id"])
    before = ranking(files)
    after = PerDocument(most)(before)
    assert after.ids == frame.groupby("file", sort=False).head(most)["id"].tolist()
    fill = rng.randint(0, 20)
    filled = PerDocument(most, fill=fill)(before)
    beyond = [i for i in before.ids if i not in after.ids]
    wanted = {*after.ids, *beyond[: max(0, fill - len(after))]}
    assert filled.ids == [i for i in before.ids if i in wanted]
    assert len(filled) >= min(fill, len(before))


def test_chunks_belong_to_the_document_they_were_made_of_also_through_two_derivations() -> None:
    for search in (BM25(), BM25() >> PerDocument(1)):
        chunked = search.index(Chunk(60)(BOOKS)).search("battery")
        left = PerDocument(2)(chunked)
        origins = [chunked.corpus.origins[i] for i in left.ids]
        assert sorted(origins) == (["long", "long", "short"] if isinstance(search, BM25) else ["long", "short"])
    twice = Chunk(60)(Chunk(200)(BOOKS))
    assert len(PerDocument(1)(BM25().index(twice).search("battery"))) == 2


def test_a_passage_of_another_document_moves_up_into_the_first_results() -> None:
    whole = (BM25() >> PerDocument(2) % 3).index(Chunk(60)(BOOKS)).search("battery lasts hours")
    without = (BM25() % 3).index(Chunk(60)(BOOKS)).search("battery lasts hours")
    assert {without.corpus.origins[i] for i in without.ids} == {"long"}
    assert {whole.corpus.origins[i] for i in whole.ids} == {"long", "short"}


def test_every_removal_names_the_document_the_limit_and_the_ranks_that_stay() -> None:
    after = PerDocument(2)(ranking(["a.pdf", "b.pdf", "a.pdf", "a.pdf", "", "a.pdf"]))
    assert [(drop.document.id, str(drop.reason)) for drop in after.dropped] == [
        ("p3", "Passage 3 of “a.pdf” in this list; limit 2, kept at ranks 1, 3."),
        ("p5", "Passage 4 of “a.pdf” in this list; limit 2, kept at ranks 1, 3."),
    ]
    filled = PerDocument(2, fill=5)(ranking(["a.pdf", "b.pdf", "a.pdf", "a.pdf", "", "a.pdf"]))
    assert [str(drop.reason) for drop in filled.dropped] == [
        "Passage 4 of “a.pdf” in this list; limit 2, kept at ranks 1, 3, 4."
    ]


@pytest.mark.parametrize(("field", "kept"), [("", 3), ("Chapter", 2), ("no such field", 3)])
def test_a_field_of_lists_or_numbers_names_documents_and_a_missing_one_none(field: str, kept: int) -> None:
    fields = [{"chapter": 3}, {"chapter": 3}, {"chapter": ["a", "b"]}]
    documents = tuple(Document(f"d{i}", "battery", "", x) for i, x in enumerate(fields))
    found = BM25().index(Corpus("chapters", documents)).search("battery")
    assert len(PerDocument(1, field=field)(found)) == kept
