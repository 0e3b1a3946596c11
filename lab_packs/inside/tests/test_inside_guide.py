"""Figures of the guides are those of walks and codes on the samples."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import pytest
from night import spread
from ui.test_guides import WRITTEN, rows, told
from ui.test_guides_measured import LANGUAGES, line, results, section

from lab.corpus import samples
from lab.retrieve.lexical import BM25
from lab_packs.inside.codes import centres_for
from lab_packs.inside.compressed import Compressed
from lab_packs.inside.compression import exact_lists, quality_of
from lab_packs.inside.postings import size_of, walk

PAGES = Path(__file__).parents[1] / "pages"


@pytest.mark.nightly
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


COMPRESSED = (
    Compressed().full,
    Compressed(kind="first"),
    Compressed(kind="first", n=128),
    Compressed(kind="int8"),
    Compressed(kind="binary"),
    Compressed(kind="hamming"),
    Compressed(kind="pq", bytes=8),
    Compressed(kind="pq"),
    Compressed(kind="pq", bytes=64),
    Compressed(kind="pq", rescore=20),
)
"""The rows of the table in the guide of Compression."""


@pytest.mark.nightly
@pytest.mark.parametrize("lang", spread(["zh", "en"], 1))
def test_the_guide_of_compression_shows_what_fewer_bits_cost_on_the_samples(lang: str):
    guide = (PAGES / f"retrieve/compression/guide.{lang}.md").read_text("utf-8")
    lines = takewhile(lambda x: x, guide[guide.index("| |") :].splitlines())  # the first table
    head, _line, *rows = [[x.strip() for x in x.strip("|").split("|")] for x in lines]
    kept: dict[int, list[float]] = {0: [], 50: []}
    for i, name in enumerate(head[2:], 2):
        c = samples.load(WRITTEN.get(name, name))
        asked = [q for q in c.queries if any(g > 0 for g in c.qrels.get(q.id, {}).values())]
        exact = exact_lists(c.corpus, COMPRESSED[0], asked)
        for row, search in zip(rows, COMPRESSED, strict=True):
            measured = quality_of(search, c.corpus, asked, c.qrels, exact)
            # k-means and a rotation end a little elsewhere on another machine
            assert float(row[i]) == pytest.approx(measured.gain, abs=0.006), (name, row[0])
            assert row[1] == str(measured.bytes)
        for rescored, shares in kept.items():
            search = Compressed(kind="hamming", rescore=rescored)
            shares.append(quality_of(search, c.corpus, asked, c.qrels, exact).recall)
    for shares in kept.values():
        assert f"{100 * min(shares):.0f}" in guide
        assert f"{100 * max(shares):.0f}%" in guide
    half, codes = rows[2], rows[7]
    assert all(float(a) < float(b) for a, b in zip(half[2:], codes[2:], strict=True))
    assert int(half[1]) == 16 * int(codes[1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_of_compression_shows_what_codes_keep_by_size(language: str) -> None:
    table, text = results("codes").table("21,145"), section("retrieve/compression", language, 4)
    head = next(row for row in text.splitlines() if row.startswith("|") and "21,145" in row)
    assert tuple(re.findall(r"[\d,]+", head)) == table.columns[1:]
    rows = [re.findall(r"\d\.\d+", row) for row in text[text.index(head) :].splitlines() if row.startswith("|")]
    assert rows[2:] == [re.findall(r"\d\.\d+", " ".join(row[1:])) for row in table.rows]
    centres, (few, many) = line(text, "83", "256"), (centres_for(240), centres_for(21_145))
    shown = {"240", str(few), str(240 // few), "21,145", str(many), f"{21_145 / many:.0f}"}
    assert shown <= set(re.findall(r"[\d,]*\d", centres))
    both = [re.findall(r"\d\.\d+", row[-1])[1] for row in (table.row("binary on both sides"), table.rows[-1])]
    shares = line(section("retrieve/compression", language, 5), "21,145")
    assert re.findall(r"\d+(?=%)", shares)[-2:] == [f"{100 * float(share):.0f}" for share in both]
