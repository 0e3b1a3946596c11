"""Every measured figure of a guide is recomputed by a named test, or listed with its reason, or as still open.

`guide_figures.toml` has a row for each page and section: ``by`` names the test, ``why`` the reason.  A row holds for
both guides, unless it has a ``language``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import places
import pytest
from places import ROOT, guides

from lab.corpus import samples

from .guide_figures import changed, figures, page_of

LEDGERS = [
    folder / "guide_figures.toml" for folder in (Path(__file__).parent, *(pack / "tests" for pack in places.PACKS))
]
ROWS: list[dict[str, Any]] = [
    row for file in LEDGERS if file.is_file() for row in tomllib.loads(file.read_text("utf-8"))["row"]
]
OPEN = 0
"""Figures of both languages without a test or a reason: this number only falls."""


def rows_of(page: str, language: str) -> list[tuple[int, str]]:
    """Returns section and figure of the rows of a guide."""
    of_guide = [r for r in ROWS if r["page"] == page and r.get("language", language) == language]
    return sorted((r["section"], figure) for r in of_guide for figure in r["figures"])


def without_row(page: str, language: str, text: str) -> list[tuple[int, str]]:
    """Returns the figures of a guide that have no row."""
    rows = set(rows_of(page, language))
    return [x for x in figures(text) if x not in rows]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_measured_figure_has_one_row(language: str) -> None:
    texts = defaultdict[str, str](str)
    for guide in guides(language):
        texts[page_of(guide)] += guide.read_text("utf-8")
    for page, text in texts.items():
        assert without_row(page, language, text) == [], f"{page}: name the test that recomputes it, or the reason"
        assert rows_of(page, language) == figures(text), f"{page}: a row without a figure, or with one in two rows"


SIZES = {name: len(samples.load(name).corpus) for name in ("devices", "handbook", "staff")} | {
    "cast_conv": 434,
    "cmrc2018": 1104,
    "stard_pool": 1445,
    "xquad_en": 240,
    "xquad_en2zh": 240,
    "xquad_zh": 240,
}
"""Passages of the corpora that guides measure."""
NAMED = {"devices": r"\bdevices?\b|设备", "handbook": r"\bhandbook\b|(?<!英文)(?<!英文员工)手册"} | {
    "staff": r"\bstaff\b(?! handbook)|English handbook|英文手册"
}
WRITTEN = {"设备": "devices", "员工手册": "handbook", "英文员工手册": "staff"}
STATED = re.compile(r"^\*\*(?:Passages of the measured corpora:|所测语料库的段落数：)\*\*(.*?)(?:\. |。)", re.MULTILINE)


def test_a_guide_with_measured_figures_says_on_how_many_passages() -> None:
    measured = {row["page"] for row in ROWS if "by" in row} - {"query/text2sql"}  # databases
    for page in measured:
        texts = [places.guide(page, language).read_text("utf-8") for language in ("en", "zh")]
        both = "\n".join(STATED.sub("", text) for text in texts)
        named = {x for x in SIZES if re.search(NAMED.get(x, rf"\b{x}\b"), both, re.IGNORECASE | re.ASCII)}
        for text in texts:
            (line,) = STATED.findall(text)
            pairs = [pair.strip().rsplit(" ", 1) for pair in re.split(", |、", line)]
            stated = {WRITTEN.get(name, name): int(n.replace(",", "")) for name, n in pairs}
            assert named <= stated.keys(), page
            assert stated.items() <= SIZES.items(), page


@pytest.mark.skipif("LAB_COLLECTIONS" not in os.environ, reason="LAB_COLLECTIONS is not set")
def test_the_collections_have_as_many_passages_as_the_guides_say() -> None:
    for name, size in SIZES.items():
        folder = Path(os.environ["LAB_COLLECTIONS"]) / name
        if folder.is_dir():
            assert len((folder / "corpus.jsonl").read_text("utf-8").splitlines()) == size, name


def test_another_figure_is_noticed() -> None:
    guide = next(x for x in guides("en") if page_of(x) == "combine/fusion")
    text = guide.read_text("utf-8")
    for addition in ("\n| new | 0.4321 |\n", "\nIt reaches 12.34% there.", "\nOf 77 questions, 0.5 are found."):
        assert without_row("combine/fusion", "en", text + addition)
    assert not without_row("combine/fusion", "en", text + "\nSince 2024, `k = 0.77` in 3 steps: $0.66$ (1.2.3).")
    section, figure = figures(text)[0]
    assert (section, figure) not in figures(changed(text, section, figure))


def test_every_row_names_a_test_or_a_reason() -> None:
    known = {"page", "section", "figures", "language", "by", "why", "open", "folder"}
    assert {key for row in ROWS for key in row} <= known
    for row in ROWS:
        assert ("by" in row) + ("why" in row) + ("open" in row) == 1, row
        pack = re.match(r"lab_packs/\w+", row.get("by", ""))
        if "by" in row and (not pack or ROOT / pack[0] in places.PACKS):
            path, _, name = row["by"].partition("::")
            assert re.search(rf"^def {re.escape(name)}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE), row["by"]
        assert row.get("why", "a reason").strip()


def test_the_list_of_open_figures_only_shrinks() -> None:
    assert sum(len(row["figures"]) for row in ROWS if "open" in row) <= OPEN


TESTED = [row for row in ROWS if "by" in row]


@pytest.mark.nightly
@pytest.mark.parametrize("row", TESTED, ids=lambda r: f"{r['page']} {r['section']} {r['by']}")
def test_a_named_test_fails_with_another_figure(row: dict[str, Any]) -> None:
    folder, language = row.get("folder"), row.get("language", "en")  # a section that a pack brings
    guide = ROOT / folder / row["page"] / f"guide.{language}.md" if folder else places.guide(row["page"], language)
    section = "1" if folder else str(row["section"])
    command = [sys.executable, "tests/ui/guide_figures.py", str(guide), section, row["by"]]
    run = subprocess.run([*command, *row["figures"]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "", f"{row['by']} passes without {run.stdout}"
