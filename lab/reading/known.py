"""Words by which files are understood: names of columns, of judgments, of styles, and titles that programs write."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))
_COLUMNS = _KNOWN["columns"]
TEXT, TITLE, ID, LISTS = (tuple[str, ...](_COLUMNS[kind]) for kind in ("text", "title", "id", "lists"))
"""Names of columns, in lower case, the first that fits first."""
QUESTION, REPLY, PASSAGE = (tuple[str, ...](_COLUMNS[kind]) for kind in ("question", "reply", "passage"))
"""Names of columns of questions and of their answers, and of passages beside them."""
OTHERS = frozenset(_COLUMNS["others"])
"""Names of further columns, which are neither texts nor titles."""
STRONG = frozenset(TEXT) - frozenset(_COLUMNS["described"])
"""Names of the text itself, and not of a description beside it."""
ERRORS = frozenset(_COLUMNS["errors"])
"""What a spreadsheet shows in the place of a value."""
NAMES = frozenset((*TEXT, *TITLE, *ID, *LISTS, *QUESTION, *REPLY, *PASSAGE, *OTHERS))
"""Names that only a header has."""
JUDGED = tuple(frozenset(_KNOWN["judgments"][kind]) for kind in ("query", "document", "grade"))
"""Names of the columns for query, document and grade."""
HEADING_STYLE = re.compile(rf"(?:{'|'.join(_KNOWN['word']['heading'])}) ?([1-9])", re.IGNORECASE)
TITLE_STYLES = frozenset(_KNOWN["word"]["title"])
JUNK_TITLE = re.compile(rf"(?:{'|'.join(_KNOWN['titles']['junk'])})(?:[ _-]?\(?\d*\)?)", re.IGNORECASE)
