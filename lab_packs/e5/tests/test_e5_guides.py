"""Figures of guides and lessons about the neural model are those of the benchmark, or of its vectors of the samples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from places import ROOT
from ui.test_guides import scores_of

from benchmarks.quality import E5, E5_PIECES, PREFIXES
from lab import lessons
from lab.corpus import samples
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.retrieve.vector import Vector
from lab_packs.e5.embedder import E5Small

GUIDES = Path(__file__).parents[1] / "guides"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_embedders_shows_what_prefixes_are_worth(lang: str):
    measured = json.loads((ROOT / "benchmarks/quality.json").read_text("utf-8"))["collections"]
    lines = (GUIDES / f"start/vocabulary/embedders.{lang}.md").read_text("utf-8").splitlines()
    start = next(i for i, x in enumerate(lines) if x.startswith("| nDCG@10"))
    head, _rule, *rows = [[cell.strip() for cell in x.strip("|").split("|")] for x in lines[start : start + 5]]
    assert len(rows) == 3
    for row, kind in zip(rows, ("", *(f", {x}" for x in PREFIXES.values())), strict=True):
        means = [measured[name]["systems"][E5 + kind]["mean"] for name in head[1:]]
        assert row[1:] == [f"{x:.3f}".removeprefix("0") for x in means], kind
    whole, both = ([measured[name]["systems"][x]["mean"] for name in head[1:]] for x in (E5, E5_PIECES))
    assert all(a < b for a, b in zip(whole, both, strict=True))
    across = f"{both[2] - whole[2]:.3f}".removeprefix("0")
    assert across in next(x for x in lines if x.startswith(("- **Sentences help it", "- **句子对它也有用")))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_embedders_says_where_the_neural_model_is_worse(lang: str):
    both = scores_of("devices", (Vector(), Vector(E5Small(), pieces="whole")))
    better, worse = (scores.means["nDCG@10"] for scores in both)
    said = {"en": f"({better:.2f} against {worse:.2f})", "zh": f"（{better:.2f} 对 {worse:.2f}）"}[lang]
    assert said in (GUIDES / f"start/vocabulary/embedders.{lang}.md").read_text("utf-8")


def test_the_cosines_of_the_neural_model_lie_where_its_lesson_says():
    collection = samples.load("devices")
    lesson = next(x for x in lessons.read(samples.folder("devices")) if x.id == "a-threshold-stays-at-home")
    told = [float(x.replace("−", "-")) for x in re.findall(r"−?0\.\d+", lesson.steps[1].text["en"])]
    spans = []
    for embedder in (E5Small(), BuiltIn()):
        encoder = embedder.fit(collection.corpus)
        rows = unit(encoder.documents([d.content for d in collection.corpus]))
        found = unit(encoder.queries([q.text for q in collection.judged])) @ rows.T
        spans += [found.min(), found.max()]
    assert told[0] == told[-1] == 0.4
    assert told[1] < spans[0] < told[1] + 0.01
    assert told[2] - 0.01 < spans[1] < told[2]
    assert told[3:5] == [round(x, 2) for x in spans[2:]]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_rerank_says_how_narrow_the_cosines_of_the_neural_model_are(lang: str) -> None:
    section = (ROOT / f"pages/refine/rerank/guide.{lang}.md").read_text("utf-8").split("\n### ")[3]
    assert re.findall(r"(?<![\d.])\d\.\d{2}(?!\d)", section) == [f"{E5Small.band:.2f}"]
