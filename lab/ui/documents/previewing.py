"""The contents of an upload, file by file: documents, chunks, remarks, and a document with its chunk borders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st

from lab.algebra import Document
from lab.derive.chunk import Chunk
from lab.reading.duplicates import repeated_documents, shared_files, without_documents
from lab.reading.read import FileSummary, Problem, ReadResult
from lab.ui import components, escape
from lab.ui.i18n import _, listed, say

_SHOWN = 6000
"""Characters of a document that are shown."""
_PAIRS = 3
"""Pairs of files with the same documents that are named."""


def offer_duplicates(result: ReadResult) -> ReadResult:
    """Returns the result, without the repeated documents of other files if the visitor says so."""
    repeated = repeated_documents(result)
    if not repeated:
        return result
    pairs = sorted(shared_files(result, repeated).items(), key=lambda pair: -pair[1])[:_PAIRS]
    pairs_text = listed((f"{escape.plain(a, 60)} = {escape.plain(b, 60)} ({n:,})" for (a, b), n in pairs), "; ")
    label = _("Leave out documents that are in other files, too: {n}", n=f"{len(repeated):,}")
    effect = _("Otherwise each appears twice in every result list.")
    drop = st.toggle(label, key="corpus.duplicates", help=listed((pairs_text, effect), ". "))
    return without_documents(result, repeated) if drop else result


def chunks_by_document(documents: Sequence[Document], chunks: Sequence[Document]) -> list[int]:
    """Returns the number of chunks of each document; ``chunks`` are in the order of the documents."""
    counts, at = list[int](), 0
    for document in documents:
        begin = at
        if at < len(chunks) and chunks[at] is document:
            at += 1
        else:
            while at < len(chunks) and chunks[at].metadata.get("chunk") == at - begin + 1:
                at += 1
        counts.append(at - begin)
    return counts


def preview(result: ReadResult, chunks: Sequence[Document], chunker: Chunk | None) -> None:
    """Draws a table of the files, and the document that the visitor chooses, at first the longest one."""
    files = [file for file in result.files if file.start < file.end]
    if not files:
        return
    longest = max(range(len(result.documents)), key=lambda place: len(result.documents[place].text))
    begin = next(i for i, file in enumerate(files) if file.start <= longest < file.end)
    if len(result.files) > 1:
        counts = chunks_by_document(result.documents, chunks)
        known = {file.file for file in result.files}
        refused = dict.fromkeys(p.file for p in result.problems if p.file and p.file not in known)
        listed = [*result.files, *(FileSummary(name, 0, 0) for name in refused)]
        rows = [_row(file, counts, result.problems) for file in listed]
        st.dataframe(rows, hide_index=True, key="corpus.read_files", height=min(38 * len(rows) + 40, 300))
        label, names = _("Preview of the file"), [file.file for file in files]
        chosen = st.selectbox(label, range(len(files)), begin, lambda i: names[i], key="corpus.preview_file")
    else:
        chosen = 0
        if files[0].facts:
            st.caption(say(files[0].text))
    file = files[chosen]
    count = file.end - file.start
    place = longest if chosen == begin else file.start
    if count > 1:
        label = _("Document of {n}", n=f"{count:,}")
        key = f"corpus.preview_document.{chosen}"
        place = file.start - 1 + int(st.number_input(label, 1, count, place - file.start + 1, key=key))
    for problem in [p for p in result.problems if p.file == file.file] if len(result.files) > 1 else []:
        st.caption(f":material/warning: {escape.plain(say(problem.place))} {escape.plain(say(problem.message))}")
    document = result.documents[place]
    text = document.text[:_SHOWN]
    spans = chunker.spans(text) if chunker and not chunker.stays(document) else []
    passage = {"title": document.label, "facts": "", "text": bordered(text, spans)}
    components.passage(passage, key="corpus.borders")


def _row(file: FileSummary, counts: Sequence[int], problems: Sequence[Problem]) -> dict[str, object]:
    return {
        _("File"): file.file,
        _("Contents"): say(file.text),
        _("Document count"): file.end - file.start,
        _("Chunks"): sum(counts[file.start : file.end]),
        _("Remarks"): sum(problem.file == file.file for problem in problems),
    }


def bordered(text: str, spans: Sequence[tuple[int, int]]) -> list[list[object]]:
    """Returns a text in pieces coloured by chunk: ``a`` and ``b`` in turn, ``over`` where two chunks overlap."""
    edges = sorted({0, len(text), *(e for span in spans for e in span)})
    parts: list[list[object]] = []
    for a, b in pairwise(edges):
        inside = [i for i, (start, end) in enumerate(spans) if start <= a and b <= end]
        kind = "over" if len(inside) > 1 else ("a", "b")[inside[0] % 2] if inside else None
        parts.append([text[a:b], kind])
    return parts
