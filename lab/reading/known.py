"""Words by which files are understood: names of columns, of judgments, of styles, of frames, and junk titles."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from lab.patterns import lazy_pattern

_KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))
_COLUMNS = _KNOWN["columns"]
TEXT, TITLE, LISTS = (tuple[str, ...](_COLUMNS[kind]) for kind in ("text", "title", "lists"))
"""Names of columns, in lower case, the first that fits first."""
QUESTION, REPLY, CONTEXT = (tuple[str, ...](_COLUMNS[kind]) for kind in ("question", "reply", "context"))
"""Names of columns of questions and of their answers, and of passages beside them."""
OTHERS = frozenset(_COLUMNS["others"])
"""Names of further columns, which are neither texts nor titles."""
_SHARED = (*_COLUMNS["passage"], *_COLUMNS["document"])
ID: tuple[str, ...] = (*_COLUMNS["id"], *_SHARED, *_COLUMNS["other_id"])
"""Names of ids: of the record, of its passage, of its document."""
PARTS, BESIDE, SHOWN, LINES = (frozenset[str](_COLUMNS[kind]) for kind in ("parts", "beside", "shown", "lines"))
"""Names of lists of texts, of objects beside a text, of what a server shows of a match, and of the lines of a text."""
WORDS = frozenset((*LISTS, *_COLUMNS["words"]))
"""Names of lists of words."""
_DYNAMIC = lazy_pattern(r"_(?:s|t|ss|i|txt|txts|text|str|ws|strs|(?:txt|text)_[a-z]{2})$")
"""What Solr writes behind the name of a field to say what is in it."""
STRONG = frozenset(TEXT) - frozenset(_COLUMNS["described"])
"""Names of the text itself, and not of a description beside it."""
ERRORS = frozenset(_COLUMNS["errors"])
"""What a spreadsheet shows in the place of a value."""
NAMES = frozenset((*TEXT, *TITLE, *ID, *LISTS, *QUESTION, *REPLY, *CONTEXT, *OTHERS))
"""Names that only a header has."""
_JUDGED = _KNOWN["judgments"]
JUDGED: tuple[tuple[str, ...], ...] = (
    tuple(_JUDGED["query"]),
    (*_SHARED, *_JUDGED["document"]),
    tuple(_JUDGED["grade"]),
)
"""Names of the columns for query, document and grade, the first that fits first."""
ASKED: dict[str, tuple[str, ...]] = {kind: tuple(names) for kind, names in _KNOWN["questions"].items()}
"""Names of the fields of a test set, by what they hold."""
COUNTED, COUNTS, PAGED = (frozenset[str](_KNOWN["answers"][kind]) for kind in ("counted", "counts", "paged"))
"""Names, in letters alone, of the number of all hits of a search, of what may be it, and of what stands beside that."""
NAVIGATION, FOOTERS, LINE_NUMBERS = (
    frozenset(_KNOWN["frames"][kind]) for kind in ("navigation", "footers", "line_numbers")
)
"""Ids and classes of elements that frame a page, in lower case."""
HEADING_STYLE = lazy_pattern(rf"(?:{'|'.join(_KNOWN['word']['heading'])}) ?([1-9])", re.IGNORECASE)
TITLE_STYLES = frozenset(_KNOWN["word"]["title"])
JUNK_TITLE = lazy_pattern(rf"(?:{'|'.join(_KNOWN['titles']['junk'])})(?:[ _-]?\(?\d*\)?)", re.IGNORECASE)


def known_name(name: str) -> str:
    """Returns the name of a field as these lists have it."""
    return name.strip().lower()


def bare_name(name: str) -> str:
    """Returns the name of a field as these lists have it, without the type that Solr writes behind it."""
    return _DYNAMIC.sub("", known_name(name))
