"""What was written in a file is what is read of it: files as text, a kind of fault per TOML file.

A case has ``files`` (names and texts, or one ``file`` and its ``text``) and some of: ``documents`` (of each the given
parts), ``holds`` and ``never`` (texts in the documents), ``says`` (in a remark; without it there is none), ``queries``
and ``qrels``.
"""

from __future__ import annotations

from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import Document
from lab.reading.read import ReadResult, read_files

KINDS = (
    "columns_used",
    "csv_dialects",
    "content_decides",
    "header_row",
    "html_in_fields",
    "html_seen",
    "json_records",
    "judgments_found",
    "markdown_seen",
    "missing_values",
    "radicals",
    "rows_name_their_file",
    "text_column",
    "titles_of_documents",
    "xml_records",
)


def result_of(case: dict[str, Any]) -> ReadResult:
    files = case.get("files") or [{"name": case["file"], "text": case["text"]}]
    return read_files([(file["name"], file["text"].encode(file.get("encoding", "utf-8"))) for file in files])


def parts_of(document: Document, wanted: dict[str, Any]) -> dict[str, Any]:
    known = {"id": document.id, "title": document.title, "text": document.text, "metadata": dict(document.metadata)}
    return {name: known[name] for name in wanted}


@pytest.mark.parametrize(
    "case", [pytest.param(*c.values, id=f"{kind}: {c.id}") for kind in KINDS for c in load_cases(kind)]
)
def test_what_was_written_is_what_is_read(case: dict[str, Any]) -> None:
    result = result_of(case)
    if "documents" in case:
        assert [parts_of(d, w) for d, w in zip(result, case["documents"], strict=False)] == case["documents"]
        assert len(result) == len(case["documents"])
    everything = "\n".join(f"{d.id}\n{d.content}" for d in result)
    for text in case.get("holds", []):
        assert text in everything
    for text in case.get("never", []):
        assert text not in everything
    remarks = [str(problem) for problem in result.problems]
    if "says" in case:
        assert any(case["says"] in remark for remark in remarks), remarks
    else:
        assert remarks == []
    if "qrels" in case:
        assert {query: dict(grades) for query, grades in result.qrels.items()} == case["qrels"]
        assert [query.id for query in result.queries] == case["queries"]
