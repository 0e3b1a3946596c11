"""The visitor's conversation: its turns as a short text in the address, for every page that reads it."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from lab.algebra import from_json
from lab.rewrite.turns import KINDS
from lab.text import well_formed
from lab.ui import address

SAID = "dialogue.said"
"""The key of the conversation."""
MOST, LONGEST = 200, 1000
"""The most turns of a conversation, and the most characters of a turn."""
_PACKED = "~"


class Line(NamedTuple):
    """A turn as the visitor has typed it; ``kind`` is what it is for, where that was set by hand."""

    text: str
    kind: str = ""


def written(talk: Sequence[Line]) -> str:
    """A conversation as a short text: JSON, packed where that is shorter."""
    plain = json.dumps([x.text if not x.kind else [x.text, x.kind] for x in talk], ensure_ascii=False)
    packed = _PACKED + base64.urlsafe_b64encode(zlib.compress(well_formed(plain).encode(), 9)).decode().rstrip("=")
    return "" if not talk else min(plain, packed, key=len)


def read(raw: str) -> str:
    """Returns the text of a conversation in its canonical form; turns and characters beyond the limits are left out.

    Raises ValueError if it is not a conversation.
    """
    return written(parsed(raw))


def parsed(raw: str) -> list[Line]:
    """The turns of such a text.  Raises ValueError."""
    if raw.startswith(_PACKED):
        try:
            packed = base64.urlsafe_b64decode(raw[1:] + "=" * (-(len(raw) - 1) % 4))
            maker = zlib.decompressobj()
            raw = maker.decompress(packed, 4 * MOST * LONGEST + 10_000).decode()
        except (binascii.Error, zlib.error, UnicodeDecodeError) as error:
            raise ValueError(raw) from error
        if not maker.eof:
            raise ValueError(packed)
    try:
        found = from_json(raw) if raw else []
    except ValueError as error:
        raise ValueError(raw) from error
    if not isinstance(found, list):
        raise ValueError(raw)
    pairs = [(x, "") if isinstance(x, str) else tuple(x) if isinstance(x, list) else () for x in found[:MOST]]
    if not all(len(pair) == 2 and all(isinstance(x, str) for x in pair) for pair in pairs):
        raise ValueError(raw)
    return [
        Line(" ".join(text.split())[:LONGEST], kind if kind in KINDS else "") for text, kind in pairs if text.strip()
    ]


def earlier(question: str) -> list[str]:
    """Returns the turns of the visitor's conversation before this question, all of them if it is not among them."""
    try:
        turns = [line.text for line in parsed(str(address.changed_values().get(SAID) or ""))]
    except ValueError:
        return []
    plain = " ".join(question.split())
    return turns[: turns.index(plain)] if plain in turns else turns
