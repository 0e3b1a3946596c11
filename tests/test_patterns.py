"""No regular expression of the project takes long over a short text, whatever the text is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from night import NIGHT

ROOT = Path(__file__).parents[1]
QUADRATIC = frozenset(
    [
        "lab.answer.asking._ANY_EN",
        "lab.answer.kinds._CODE",
        "lab.answer.kinds._NUMBER_AND_UNIT",
        "lab.answer.splitting._ITEM",
        "lab.explain.questions._MARKER",
        "lab.models.answers._REFUSAL",
        "lab.reading.headings._ATX",
        "lab.reading.known.JUNK_TITLE",
        "lab.rewrite.turns._UNNAMED",
        "lab.rewrite.turns._INSTEAD",
        "lab.rewrite.turns._COMPARING",
        "lab_packs.text2sql.hints._BRACKET",
        "lab_packs.text2sql.inspecting._NUMBER",
    ]
)
"""Patterns that take seconds for 10,000 characters at worst, and are given a line, a title, a question or an answer
of a model: none of them is given a whole upload.  No other pattern may be added."""
EXPLODING = r"\W*(?:\d{1,4}|[ap]m|\W+)+", r"(?:\s|<\?.*?\?>)*<a", r"(\w+\s?)*$"
STEEP = r"(?:ab)*(?:ab|c)*x", r"\s*\d*\s*\d*x"
SOME = None if NIGHT else 1
LINEAR = r"\W*\d+(?:\W+\d+)*", r"[a-z]+\d*", r"(?>\s+|<!--.*?-->)*+<a"


def slow_patterns(*given: str) -> list[str]:
    """The places of the slow ones of these patterns, or of the project's other patterns."""
    command = [sys.executable, str(ROOT / "tests/patterns.py"), *(given or ("--known", *QUADRATIC))]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=path, timeout=300, check=True)
    *places, count = map(json.loads, ended.stdout.splitlines())
    assert count >= (len(given) or 400)
    return [place if given else f"{place}: {reason}" for place, reason in places]


def test_no_pattern_of_the_project_takes_longer_than_linear_time() -> None:
    assert not slow_patterns()


def test_the_slow_are_told_from_the_fast() -> None:
    exploding, steep, linear = EXPLODING[:SOME], STEEP[:SOME], LINEAR[:SOME]
    assert slow_patterns(*exploding, *steep, *linear) == [*exploding, *steep]
