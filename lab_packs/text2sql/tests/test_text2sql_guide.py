"""The guide of the page has the figures of the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_text2sql_shows_the_figures_of_the_benchmark(lang: str):
    def rows(text: str) -> list[list[str]]:
        return [[x.strip() for x in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]

    section = (ROOT / "benchmarks/results/text2sql.md").read_text("utf-8")
    measured = {name: figures for name, *figures in rows(section) if len(figures) == 6}
    guide = (ROOT / f"lab_packs/text2sql/pages/query/text2sql/guide.{lang}.md").read_text("utf-8")
    lots = ("bundled databases", "first examination", "easily misread", "further databases", "twelve sets, apart")
    lots += ("of these never looked at", "all foreign")
    assert [row[1:] for row in rows(guide)[2:]] == [[*measured[lot][:3], measured[lot][4]] for lot in lots]
    sentence = guide.partition("On your own tables" if lang == "en" else "换成自己的表")[2]
    assert measured["all foreign"][1] in sentence, "what to expect is drawn from the foreign figure"
    assert measured["all foreign"][4] in sentence
