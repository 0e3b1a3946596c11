"""What a guide says of two means on the samples is the verdict of the paired tests: `guide_verdicts.toml` has them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lab import formats
from lab.corpus import samples
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare

from .guide_figures import ROOT, guides, page_of

LINES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("guide_verdicts.toml").read_text("utf-8"))["line"]
MEASURE = "nDCG@10"
MEAN = re.compile(r"(?<![\d.])0\.\d{3}(?!\d)")
COMPARED = re.compile(
    r"\b(?:better|worse|wins?|lose[sd]?|loss|gains?|higher|lower[sed]*|raises?|helps?|falls?|beats?|against|leads?)\b"
    r"|更好|更差|不如|更高|更低|提高|降到|升到|变好|变差|变坏|时候[好坏输]|领先"
)
NOT_SHOWN = re.compile(r"not significant|none is significant|不显著")
OPEN = 33
"""Lines of both languages without a row: this number only falls."""


def line_of(row: dict[str, Any], language: str) -> str:
    """Returns the line of a guide that a row is about."""
    lines = (ROOT / f"pages/{row['page']}/guide.{language}.md").read_text("utf-8").splitlines()
    (line,) = (x for x in lines if x.startswith(row[language]))
    return line


def compares(line: str) -> bool:
    """Returns whether a line compares two means."""
    return not line.startswith("|") and len(MEAN.findall(line)) > 1 and bool(COMPARED.search(line))


def open_lines(language: str) -> list[str]:
    """Returns the lines of the guides that compare means and have no row."""
    starts = {(row["page"], row[language]) for row in LINES}
    return [
        f"{page_of(guide)}: {line}"
        for guide in guides(language)
        for line in guide.read_text("utf-8").splitlines()
        if compares(line) and not any(page == page_of(guide) and line.startswith(start) for page, start in starts)
    ]


def test_the_list_of_lines_without_a_verdict_only_shrinks():
    without = open_lines("en") + open_lines("zh")
    assert len(without) <= OPEN, "\n".join(without)
    assert compares("It reaches 0.612 where BM25 reaches 0.604: better.")
    assert compares("混合检索 0.612，BM25 0.604：更好。")
    assert not compares("| BM25 | 0.612 | 0.604 | better |")


def differences(row: dict[str, Any]) -> list[tuple[float, Difference]]:
    """Returns the p that a row names and the difference that is measured, for every comparison of a line."""
    measured = []
    for part in row["differences"]:
        c = samples.load(part["corpus"])
        searches = {text: formats.read(text) for text in (part["base"], *part["others"])}
        runs = run_many(searches, c.corpus, c.judged)
        scores = {text: measure_run(run, c.qrels, [MEASURE]) for text, run in runs.items()}
        measured += [(p, compare(scores[part["base"]], scores[x], MEASURE)) for x, p in part["others"].items()]
    return measured


@pytest.mark.parametrize("row", LINES, ids=lambda row: f"{row['page']} {row['en'][:30]}")
def test_a_line_says_which_of_its_differences_are_not_significant(row: dict[str, Any]):
    measured = differences(row)
    assert [round(d.p or 0, 3) for _p, d in measured] == pytest.approx([p for p, _d in measured], abs=0.0011)
    undecided = [d for _p, d in measured if not d.significant]
    for language in ("en", "zh"):
        assert bool(NOT_SHOWN.search(line_of(row, language))) == bool(undecided), row[language]
