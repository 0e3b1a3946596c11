"""Words by which files are understood: names of columns, of judgments, of styles, of frames, and junk titles."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))
_COLUMNS = _KNOWN["columns"]
TEXT, TITLE, ID, LISTS = (tuple[str, ...](_COLUMNS[kind]) for kind in ("text", "title", "id", "lists"))
"""Names of columns, in lower case, the first that fits first."""
STRONG = frozenset(TEXT) - frozenset(_COLUMNS["described"])
"""Names of the text itself, and not of a description beside it."""
ERRORS = frozenset(_COLUMNS["errors"])
"""What a spreadsheet shows in the place of a value."""
NAMES = frozenset((*TEXT, *TITLE, *ID, *LISTS, *_COLUMNS["others"]))
"""Names that only a header has."""
JUDGED = tuple(frozenset(_KNOWN["judgments"][kind]) for kind in ("query", "document", "grade"))
"""Names of the columns for query, document and grade."""
NAVIGATION, FOOTERS, LINE_NUMBERS = (
    frozenset(_KNOWN["frames"][kind]) for kind in ("navigation", "footers", "line_numbers")
)
"""Ids and classes of elements that frame a page, in lower case."""
HEADING_STYLE = re.compile(rf"(?:{'|'.join(_KNOWN['word']['heading'])}) ?([1-9])", re.IGNORECASE)
TITLE_STYLES = frozenset(_KNOWN["word"]["title"])
JUNK_TITLE = re.compile(rf"(?:{'|'.join(_KNOWN['titles']['junk'])})(?:[ _-]?\(?\d*\)?)", re.IGNORECASE)
