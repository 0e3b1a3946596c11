"""The statements about other software in docs/claims.toml, and those that are older than half a year.

    python -m maintenance.claims

A row has the software, its version, the places (``where``: a page, a module, ``lab/presets.toml`` or ``screen``, the
texts of the interface), a part of each statement in English and Chinese, and how it was seen: ``run`` names the test or
script that runs the software, ``read`` the file that was read.  A mention names software without saying how it behaves.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HALF_A_YEAR = timedelta(days=183)
LANGUAGES = ("en", "zh")
SENTENCE = {"en": re.compile(r"(?<=[.!?])[*”)]*\s+"), "zh": re.compile(r"(?<=[。！？])")}


@dataclass(frozen=True)
class Claim:
    """A statement about other software, or, without a version, a mention of it."""

    where: tuple[str, ...]
    en: tuple[str, ...]
    zh: tuple[str, ...]
    software: str = ""
    version: str = ""
    seen: str = ""
    how: str = ""
    when: date = date.max

    def parts(self, language: str) -> tuple[str, ...]:
        """Returns the parts of its statements in a language."""
        return self.zh if language == "zh" else self.en

    def covers(self, place: str, sentence: str, language: str) -> bool:
        """Returns whether a sentence of a place has one of its parts."""
        return place in self.where and any(part in sentence for part in self.parts(language))


def read(path: Path = ROOT / "docs" / "claims.toml") -> tuple[re.Pattern[str], list[Claim], list[Claim]]:
    """Returns a pattern of the names of software, the claims and the mentions."""
    table = tomllib.loads(path.read_text("utf-8"))
    claims, mentions = ([_claim(row) for row in table[kind]] for kind in ("claim", "mention"))
    return re.compile("|".join(map(re.escape, table["names"]))), claims, mentions


def _claim(row: dict[str, Any]) -> Claim:
    fields: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in row.items()}
    return Claim(**fields)


def sentences(text: str, language: str) -> Iterator[str]:
    """Yields the sentences of a text; a row of a table is one."""
    for line in text.splitlines():
        yield from [line] if line.startswith("|") else SENTENCE[language].split(line)


def place_of(guide: Path) -> str:
    """Returns the name of a guide's page, such as ``refine/rerank``."""
    return "/".join(guide.parts[-3:-1])


def old(claims: Sequence[Claim], today: date) -> list[Claim]:
    """Returns the claims that were last seen more than half a year ago, oldest first."""
    return sorted((c for c in claims if today - c.when > HALF_A_YEAR), key=lambda c: c.when)


def main() -> None:
    _, claims, _ = read()
    for claim in old(claims, date.today()):
        places = ", ".join(claim.where)
        sys.stdout.write(f"{claim.when}  {claim.software} {claim.version}: {claim.en[0]} ({places})\n")


if __name__ == "__main__":
    main()
