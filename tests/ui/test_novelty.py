"""New subtopics on the page MMR: the chips and the sentences are those of the subtopics and the two lists."""

from __future__ import annotations

import pytest
from night import spread

from lab import samples
from lab.algebra import DEPTH, Corpus, Document, Query, Runner
from lab.corpus.beir import Collection
from lab.refine.diversity import MMR
from lab.retrieve.vector import Vector
from ui.drawn import screen

PAGE, K = "combine/mmr", 5


def told(own: Collection, query: Query) -> tuple[str, list[list[list[str]]], dict[str, str]]:
    """The captions, the chips of both lists, and the figures of the page."""
    shown = screen(PAGE, own, query.text)
    lists = next(data["lists"] for name, _panels, _how, data in shown.lists if name == "mmr")
    chips = [[hit["chips"] for hit in column["hits"][:K]] for column in lists] if "chips" in lists[0]["hits"][0] else []
    return "\n".join(c.value for c in shown.app.caption), chips, {m.label: m.value for m in shown.app.metric}


@pytest.mark.parametrize("question", spread(["q-101", "q-057", "q-030", "q-092"], 1))
def test_the_chips_are_what_no_result_above_covers_and_the_sentence_counts_them(question: str):
    sample = samples.load("handbook")
    own = Collection(Corpus("own", sample.corpus.documents), sample.queries, sample.qrels, subtopics=sample.subtopics)
    query = next(q for q in own.queries if q.id == question)
    topics, counts = own.subtopics[question], []
    captions, chips, _figures = told(own, query)
    for search, column in zip((Vector(), Vector() >> MMR(k=K)), chips, strict=True):
        seen: set[str] = set()
        for document, drawn in zip(Runner(own.corpus)(search, query, DEPTH).ids[:K], column, strict=True):
            fresh = [s for s, grades in topics.items() if grades.get(document, 0) > 0 and s not in seen]
            assert drawn == [f"+{s}" for s in fresh]
            seen.update(fresh)
        counts.append(len(seen))
    every = f"Subtopics of the question: {len(topics)}. In the first {K}, the unchanged list covers {counts[0]}, "
    assert f"{every}MMR {counts[1]}." in captions
    assert ("nDCG falls although more is new" in captions) == (question == "q-101")


def test_without_subtopics_nothing_is_said_of_them():
    own = Collection(
        Corpus("own", (Document("a", "kiln"), Document("b", "clay"))), (Query("kiln", id="q"),), {"q": {"a": 1}}
    )
    captions, chips, _figures = told(own, own.queries[0])
    assert "Subtopics" not in captions
    assert chips == []
