"""Figures of the guides about classes are those of simulated ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.corpus import samples
from lab.evaluate.interleaving import outcomes, power
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.presets import find
from lab.retrieve.lexical import BM25

GUIDES = Path(__file__).parents[1] / "guides"


@pytest.mark.nightly
def test_the_guides_of_evaluate_show_the_figures_of_simulated_classes():
    """BM25 against the hybrid search on the three samples: who prefers the better one, and how often significantly."""
    figures = {}
    for name in ("handbook", "staff", "devices"):
        c = samples.load(name)
        searches = {"bm25": BM25(), "hybrid": find("hybrid")}
        runs = run_many(searches, c.corpus, c.judged)
        means = [measure_run(run, c.qrels, ["nDCG@10"]).means["nDCG@10"] for run in runs.values()]
        first, second = ({q: [d for d, _ in hits] for q, hits in run.results.items()} for run in runs.values())
        chances = outcomes(first, second, c.qrels)
        assert means[1] > means[0]
        for students, questions in ((30, 10), (30, 3), (100, 10), (100, 3)):
            figures[name, students, questions] = power(chances, 1, students, questions=questions, each=3)
        figures[name, "means"] = [f"{mean:.3f}" for mean in means]
        figures[name, "apart"] = f"{means[1] - means[0]:.2f}"

    def percent(name, students, questions, what, digits=0):
        return f"{100 * getattr(figures[name, students, questions], what):.{digits}f}%"

    for lang in ("en", "zh"):
        guide = (GUIDES / f"whole/evaluate/guide.{lang}.md").read_text("utf-8")
        shown = guide.rpartition("**When it loses.**" if lang == "en" else "**什么时候不灵。**")[2]  # of the class
        numbers = re.findall(r"[\d.]+%?", shown.partition("###")[0].replace(",", ""))
        numbers = [n.rstrip(".") for n in numbers]
        means, hb = figures["handbook", "means"], "handbook"
        first = [*means, percent(hb, 30, 10, "right"), percent(hb, 30, 10, "significant")]
        second = [percent(hb, 100, 10, "right"), percent(hb, 100, 10, "significant")]
        staff = [figures["staff", "apart"], percent("staff", 30, 10, "right"), percent("staff", 30, 10, "significant")]
        devices = [figures["devices", "apart"]]
        devices += [percent("devices", 30, 10, "right"), percent("devices", 30, 10, "significant")]
        same = {percent(hb, 30, 3, "right"), percent(hb, 30, 3, "misled"), percent(hb, 30, 10, "misled", 1)}
        same |= {percent(hb, 100, 3, "misled")}
        for row in (first, second, staff, devices):
            assert set(row) <= set(numbers), (lang, row, numbers)
        assert same <= set(numbers), (lang, same, numbers)
