"""Chunks end where something ends: no crumbs, no halves of rows, blocks, sentences or signs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import regex
from regressions import load_cases

from lab.derive.chunk import Chunk


@pytest.mark.parametrize("case", load_cases("chunk_borders"))
def test_a_chunk_ends_where_something_ends(case: dict[str, Any]) -> None:
    chunker, text = Chunk(**case["knobs"]), case["text"] * case.get("times", 1)
    spans = chunker.spans(text)
    chunks = [text[a:b] for a, b in spans]
    assert len(chunks) > 1
    assert all(len(chunk) <= chunker.size for chunk in chunks)
    assert min(len(chunk) for chunk in chunks) >= case.get("shortest", 1)
    borders = {place for span in spans for place in span}
    kept = [m.span() for x in case.get("whole", []) for m in re.finditer(re.escape(x), text)]
    if case.get("rows"):
        kept += [m.span() for m in re.finditer(r"^.*\|.*$", text, re.MULTILINE)]
    if case.get("signs"):
        kept += [m.span() for m in regex.finditer(r"\X", text)]
    assert [text[a:b] for a, b in kept if any(a < place < b for place in borders)] == []
    for end in case.get("ends", []):
        assert any(chunk.endswith(end) for chunk in chunks), chunks


@pytest.mark.parametrize("overlap", [10, 30, 60])
def test_an_overlap_begins_at_a_row_or_a_sentence(overlap: int) -> None:
    rows = "\n".join(f"row {i} | kite of oak | north side" for i in range(20))
    text = "Kites: \n\n" + rows
    spans = Chunk(size=150, overlap=overlap).spans(text)
    assert len(spans) > 3
    for start, _ in spans[1:]:
        assert text[start - 1] == "\n"
    prose = "The keeper lights a lamp at dusk. Seals rest on the pier. " * 6
    for start, _ in Chunk(size=150, overlap=40).spans(prose)[1:]:
        assert prose[start - 2 : start] == ". "
