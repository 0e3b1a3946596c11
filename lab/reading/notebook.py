"""Notebooks (ipynb): the cells as one Markdown text, with code in fences; outputs and pictures are left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.reading.account import BINARY, OUTPUTS, Statement
from lab.reading.format import Format
from lab.reading.markdown import add_markdown
from lab.reading.markdown import said_in as markdown_said
from lab.reading.records import is_notebook, json_text, parse_json
from lab.reading.uploads import NO_TEXT, Reading
from lab.words import Said, ngettext


def read_ipynb(reading: Reading, data: bytes) -> None:
    """Adds the sections of a notebook, split at the headings of its Markdown cells."""
    try:
        book = parse_json(json_text(reading, data), reading.clean)
    except ValueError as error:
        remedy = Said("Open it in the program that made it, save it again, and upload that.")
        raise reading.refuse("“{file}” is a damaged notebook ({reason}).", remedy, reason=str(error)) from None
    sheets = book.get("worksheets") or [book] if isinstance(book, dict) else []
    cells = [cell for sheet in sheets for cell in sheet.get("cells", ()) if isinstance(cell, dict)]
    language = str(
        _field(book, "metadata", "language_info", "name") or _field(book, "metadata", "kernelspec", "language") or ""
    )
    texts = [_text(cell, language) for cell in cells]
    if reading.takes_in("outputs"):
        texts = [text for cell, source in zip(cells, texts, strict=True) for text in (source, *_outputs(cell))]
    if not any(texts):
        raise reading.refuse("“{file}” is a notebook without text.", NO_TEXT)
    add_markdown(reading, "\n\n".join(filter(None, texts)))
    reading.fact(ngettext("{n:,} cell", "{n:,} cells", len(cells)))
    if any(cell.get("outputs") for cell in cells) and not reading.takes_in("outputs"):
        reading.fact(Said("outputs left out"))


def _field(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(cell: Any, language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
    if not text.strip():
        return ""
    kind = cell.get("cell_type")
    if kind == "heading":
        level = cell.get("level")
        return f"{'#' * (level if level in range(1, 7) else 1)} {text}"
    if kind == "markdown":
        return text
    return _fenced(text, language if kind == "code" else "")


def _fenced(text: str, language: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _outputs(cell: Any) -> Iterator[str]:
    """The texts that a cell has printed or returned, each as a block of code."""
    for output in cell.get("outputs") or ():
        lines = output.get("text") or _field(output, "data", "text/plain") or ""
        text = "".join(map(str, lines)) if isinstance(lines, list) else str(lines)
        if text.strip():
            yield _fenced(text)


def say_notebook(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields the lines of all cells; outputs are counted as left out."""
    book = parse_json(reading.text_again(data))
    for sheet in book.get("worksheets") or [book]:
        for cell in sheet.get("cells", ()):
            source = cell.get("source") or cell.get("input") or ""
            yield from markdown_said("".join(source) if isinstance(source, list) else str(source))
            for output in cell.get("outputs") or ():
                texts = output.get("text") or (output.get("data") or {}).get("text/plain") or ""
                yield Statement(BINARY, OUTPUTS, "".join(texts).split("\n"))


FORMATS = (
    Format("ipynb", ("ipynb",), lambda r, d, _: read_ipynb(r, d), is_notebook, is_text=False, statements=say_notebook),
)
