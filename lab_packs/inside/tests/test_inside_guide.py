"""Figures of the guide are those of walks on the samples."""

from __future__ import annotations

import pytest
from night import spread
from ui.test_guides import WRITTEN, rows, told

from lab.corpus import samples
from lab.retrieve.lexical import BM25
from lab_packs.inside.postings import size_of, walk


@pytest.mark.parametrize("lang", spread(["zh", "en"], 1))
def test_the_guide_of_the_inside_of_an_index_shows_what_is_read_of_the_samples(lang: str):
    head, _line, *table = rows(told("index/inside", lang))
    for i, name in enumerate(head[1:], 1):
        collection = samples.load(WRITTEN.get(name, name))
        index = BM25().index(collection.corpus)
        walks = [walk(index, query, k=10) for query in collection.queries]
        read = sum(one.read for one in walks) / sum(one.postings for one in walks)
        visited = sum(len(one.steps) for one in walks) / sum(one.candidates for one in walks)
        size = size_of(index)
        shown = [f"{100 * read:.0f}%", f"{100 * visited:.0f}%", f"{size.coded / size.postings:.2f}"]
        assert [row[i] for row in table] == shown, name
