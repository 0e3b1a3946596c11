"""Running text as titled documents: the sections under its headings, below the name of the whole.

The title of a section is the path ``name › chapter › section``.  The name is what the file says it is called, else the
only heading above all others, else the name of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from lab.reading.headings import sections
from lab.reading.known import JUNK_TITLE
from lab.reading.uploads import NOTHING, Metadata, Reading
from lab.text.naming import BETWEEN
from lab.words import Said, ngettext

Piece = tuple[int, str]
"""The level and the name of a heading, or 0 and a text."""
_LONGEST_TITLE = 300


def add_sections(reading: Reading, parts: Iterable[tuple[str, str]], metadata: Metadata = NOTHING) -> None:
    """Adds a document for each (title, text) with a text."""
    filled = [(title, text) for title, text in parts if text.strip()]
    only_one, source = len(filled) == 1, {"source": reading.source, **metadata}
    for i, (title, text) in enumerate(filled, 1):
        id, place = (reading.name, None) if only_one else (f"{reading.name}/{i}", Said("section {n}", n=i))
        reading.add(text, id=id, title=title, metadata=source, place=place)
    if filled:
        reading.fact(ngettext("{n:,} section", "{n:,} sections", len(filled)))


def split(pieces: Sequence[Piece], name: str, otherwise: str) -> list[tuple[str, str]]:
    """Returns (title, text) of the sections that the headings among the pieces make.

    ``name`` is what the document calls itself, and is above all headings.  If it is empty, that is the first heading if
    nothing but sections of its own follow, else ``otherwise``.  A heading without a text of its own is in the paths
    of the sections below it; if there are none, its name is its text.
    """
    name, pieces = name_and_pieces(pieces, name, otherwise)
    path: list[Piece] = []
    chapters: list[tuple[list[Piece], list[str]]] = [([], [])]
    for level, text in pieces:
        if level:
            path = [*(above for above in path if above[0] < level), (level, text)]
            chapters.append((path, []))
        else:
            chapters[-1][1].append(text)
    parts = []
    for i, (path_to, lines) in enumerate(chapters):
        body = "\n".join(lines).strip("\n")
        if not body.strip():
            deeper = i + 1 < len(chapters) and len(chapters[i + 1][0]) > len(path_to)
            body = path_to[-1][1] if path_to and not deeper else ""
        titles = [heading for _, heading in path_to]
        if titles[:1] != [name]:
            titles.insert(0, name)
        parts.append((BETWEEN.join(filter(None, titles)), body))
    return parts


def name_and_pieces(pieces: Sequence[Piece], name: str, otherwise: str) -> tuple[str, list[Piece]]:
    """Returns the name of the document, as `split` finds it, and the pieces below it."""
    pieces = [piece for piece in pieces if piece[1].strip() or not piece[0]]
    levels = [level for level, _ in pieces if level]
    if name or not levels:
        return name or otherwise, pieces
    begin = next(i for i, (level, text) in enumerate(pieces) if level or text.strip())
    level, heading = pieces[begin]
    if not level or level > min(levels):
        return otherwise, pieces
    below = pieces[begin + 1 :]
    follows = next((piece for piece in below if piece[1].strip()), None)
    if follows and (levels.count(level) == 1 or follows[0] == level):
        return heading, below
    return otherwise, pieces


def titled(text: str, name: str = "") -> list[tuple[str, str]]:
    """Returns (title, text) of the sections of a plain text; see `lab.reading.headings`."""
    return [(BETWEEN.join(filter(None, (name, s.title))), text[s.start : s.end]) for s in sections(text)]


def document_name(reading: Reading) -> str:
    """Returns the name of the file without folders and extension."""
    return PurePosixPath(reading.source).stem


_FILE_NAME = re.compile(
    r".*\.(docx?|docm|dotx?|pdf|xlsx?|xlsm|pptx?|rtf|odt|ods|odp|wps|dvi|e?ps|indd|qx[dp]|pmd|cdr|tmp|png|jpe?g|tiff?|vsdx?)"
    r"|\S*\.(gif|webp|svg|bmp|txt|tex|ai|html?|aspx?|php|jsp|md|csv|pages)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[{(]?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}[)}]?|[0-9a-f]{16,}", re.IGNORECASE)


def is_file_name(text: str) -> bool:
    return _FILE_NAME.fullmatch(text) is not None


def honest(title: str) -> str:
    """Returns a title in one line; nothing if a program wrote it: its own name, a file, an address, a word for none."""
    text = " ".join(title.split())
    words = any(c.isalpha() for c in text) and "\ufffd" not in text
    if not words or len(text) > _LONGEST_TITLE:
        return ""
    return "" if any(pattern.fullmatch(text) for pattern in (JUNK_TITLE, _FILE_NAME, _IDENTIFIER)) else text
