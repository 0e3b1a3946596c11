"""What a class adds to a slide of the course, as HTML; the styles are the slide's."""

from __future__ import annotations

import html
from collections.abc import Sequence


def choices(options: Sequence[str]) -> str:
    """Returns what a class can predict as HTML, with letters to name it by."""
    each = (f"<span><b>{chr(65 + i)}</b>{html.escape(option)}</span>" for i, option in enumerate(options))
    return f'<div class="choices">{"".join(each)}</div>'


def door(picture: str, lines: Sequence[str], share: float | None = None) -> str:
    """Returns the QR code of a class and lines with its join code as HTML; a bar is the share that has predicted."""
    text = "".join(f'<div class="{"digits" * _is_code(line)}">{html.escape(line)}</div>' for line in lines if line)
    return f'<div class="slide door">{picture}<div>{text}{"" if share is None else _bar(share)}</div></div>'


def _is_code(line: str) -> bool:
    return line.replace(" ", "").isdecimal()


def shares(options: Sequence[tuple[str, int, bool]]) -> str:
    """Returns how many have predicted what as HTML: name, count and bar of each option, a tick at the right one."""
    total = max(1, sum(n for _name, n, _right in options))
    each = (
        f"<div>{html.escape(name)}{' ✓' if right else ''} <b>{n}</b>{_bar(n / total, right=right)}</div>"
        for name, n, right in options
    )
    return f'<div class="slide shares">{"".join(each)}</div>'


def _bar(share: float, *, right: bool = False) -> str:
    return f'<div class="meter{" held" if right else ""}"><span style="width:{min(share, 1):.1%}"></span></div>'
