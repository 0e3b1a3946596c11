"""The measured figures of the guides: numbers in tables, and in sentences with a decimal fraction or a percentage.

Formulas, code, links, versions and years are none; a number that is written as a word is not seen.

    python tests/ui/guide_figures.py GUIDE SECTION TEST FIGURE ...

runs a test once for each figure, with another number in its place in the guide, and prints the figures that the
test does not miss: it passes without them.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
UNMEASURED = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]*\$|`[^`\n]*`|\]\([^)]*\)|^\d+\. |(?<![\d.])\d+\.\d+\.\d+(?![\d.])"
    r"|(?<![\d.,])(?:19|20)\d\d(?![\d.,]\d|%)|arXiv:\S+",
    re.DOTALL | re.MULTILINE,
)
FIGURE = re.compile(r"(?<![A-Za-z0-9_.@/-])[−-]?\d+(?:[,.]\d+)*%?(?![A-Za-z0-9_])")
BORDER = re.compile(r"^### .*$|(?<=[.!?。！？])\s|(?<=[。！？])|\n", re.MULTILINE)


def page_of(guide: Path) -> str:
    """Returns the name of a guide's page, such as ``refine/rerank``."""
    return "/".join(guide.parts[-3:-1])


def _sentences(masked: str) -> Iterator[tuple[int, int]]:
    """Yields the borders of sentences; a line of a table is one."""
    start = 0
    for border in [*BORDER.finditer(masked), None]:
        end = border.start() if border else len(masked)
        if not masked[start:end].startswith("|") or border is None or border.group() == "\n":
            yield start, end
            start = border.end() if border else end


def places(text: str) -> list[tuple[int, int, str, int]]:
    """Returns section, place, figure and length of each measured figure."""
    masked = UNMEASURED.sub(lambda m: re.sub(r"\S", " ", m.group()) if "|" not in m.group() else m.group(), text)
    headings = [m.start() for m in re.finditer("^### ", text, re.MULTILINE)]
    rows = []
    for start, end in _sentences(masked):
        found = list(FIGURE.finditer(masked, start, end))
        if masked.startswith("|", start) or any("." in m.group() or "%" in m.group() for m in found):
            rows += [(sum(h <= m.start() for h in headings), m.start(), m.group(), len(m.group())) for m in found]
    return rows


def figures(text: str) -> list[tuple[int, str]]:
    """Returns section and figure of each measured figure, once."""
    return sorted({(section, figure.rstrip("%").replace("-", "−")) for section, _, figure, _ in places(text)})


def changed(text: str, section: int, figure: str) -> str:
    """Returns the text with another number wherever a section has the figure."""
    for s, place, written, length in reversed(places(text)):
        if s == section and written.rstrip("%").replace("-", "−") == figure:
            digit = next((c for c in written if c in "123456789"), "0")
            other = written.replace(digit, str((int(digit) + 3) % 9 + 1), 1)
            text = text[:place] + other + text[place + length :]
    return text


def missed(guide: Path, section: int, test: str, shown: list[str]) -> list[str]:
    """Returns the figures without which a test passes."""
    read, text, rows = Path.read_text, guide.read_text("utf-8"), []
    for figure in shown:
        other = changed(text, section, figure)

        def altered(path: Path, *args: Any, other: str = other, **more: Any) -> str:
            return other if path.absolute() == guide else read(path, *args, **more)

        Path.read_text = altered  # type: ignore[method-assign, assignment]
        with contextlib.redirect_stdout(io.StringIO()):
            status = pytest.main([test, "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "nightly or not nightly"])
        Path.read_text = read  # type: ignore[method-assign]
        if status != pytest.ExitCode.TESTS_FAILED:
            rows.append(figure)
    return rows


if __name__ == "__main__":
    _, which, number, by, *listed = sys.argv
    sys.stdout.write(" ".join(missed(Path(which).absolute(), int(number), by, listed)))
