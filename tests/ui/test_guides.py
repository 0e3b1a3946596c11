"""Every page has its guide in both languages; figures in the embedder guide are those of the benchmark."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from night import NIGHT, for_each, in_turn, turn_about

from benchmarks.quality import E5, E5_PIECES, PREFIXES
from lab import lessons
from lab.algebra import Query, Runner
from lab.corpus import beir, samples
from lab.evaluate import experiment
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.explain.moves import quality
from lab.fuse import RRF, WeightedSum
from lab.models.e5 import E5Small
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.refine.hybrid import HybridSimilarity
from lab.refine.reorder import ORDERS, LongContextReorder, attention, attention_on
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.ui import sources

ROOT = Path(__file__).parents[2]
PAGES = [p for p in sorted((ROOT / "pages").rglob("*.py")) if p.stem != "home"]


@for_each("page", PAGES)
def test_a_page_has_a_guide_in_both_languages(page: Path):
    for lang in ("en", "zh"):
        guide = page.with_name(f"{page.stem}.{lang}.md")
        assert guide.is_file()
        text = guide.read_text("utf-8")
        assert len(text) > 400
        assert not text.startswith("# "), "the dialog has a title of its own"


def test_both_embedder_guides_show_the_same_figures_and_those_of_the_benchmark():
    tables = {
        lang: [
            line
            for line in (ROOT / f"pages/start/embedders.{lang}.md").read_text("utf-8").splitlines()
            if line.startswith("|")
        ]
        for lang in ("en", "zh")
    }
    figures = {
        lang: [cell.strip(" *") for line in rows for cell in line.split("|") if cell.strip(" *").startswith(".")]
        for lang, rows in tables.items()
    }
    assert figures["en"] == figures["zh"]
    shown = (ROOT / "benchmarks/README.md").read_text("utf-8")
    assert figures["en"]
    for figure in figures["en"]:
        assert f"0{figure}" in shown
    assert json.loads((ROOT / "benchmarks/embedders.json").read_text("utf-8"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_compare_shows_the_figures_of_the_benchmark(lang: str):
    measured = json.loads((ROOT / "benchmarks/quality.json").read_text("utf-8"))["collections"]
    lines = (ROOT / f"pages/retrieve/compare.{lang}.md").read_text("utf-8").splitlines()
    head, _rule, *rows = [[cell.strip() for cell in x.strip("|").split("|")] for x in lines if x.startswith("|")]
    systems = (
        *(f"BM25, {x}" for x in ("plain words", "+ stems", "+ pairs", "+ letters and digits apart")),
        *(f"BM25, {x}" for x in ("+ question-word filter", "+ single characters", "all steps")),
        *("TF-IDF, all steps", "vectors, whole", "vectors, best+whole", "best offline"),
        *(E5, E5_PIECES, "preset best-neural", "preset best-neural-all"),
    )
    for row, system in zip(rows, systems, strict=True):
        found = [measured[name]["systems"].get(system) for name in head[1:]]
        assert row[1:] == [f"{x['mean']:.3f}" if x else "–" for x in found], system


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_embedders_shows_what_prefixes_are_worth(lang: str):
    measured = json.loads((ROOT / "benchmarks/quality.json").read_text("utf-8"))["collections"]
    lines = (ROOT / f"pages/start/embedders.{lang}.md").read_text("utf-8").splitlines()
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


@pytest.mark.parametrize("lang", turn_about(["en", "zh"], 1))
def test_the_guide_of_embedders_says_where_the_neural_model_is_worse(lang: str):
    searches = {"built-in": Vector(), "neural": Vector(E5Small(), pieces="whole")}
    collection = samples.load("devices")
    runs = run_many(searches, collection.corpus, collection.judged)
    better, worse = (measure_run(run, collection.qrels, ["nDCG@10"]).means["nDCG@10"] for run in runs.values())
    said = {"en": f"({better:.2f} against {worse:.2f})", "zh": f"（{better:.2f} 对 {worse:.2f}）"}[lang]
    assert said in (ROOT / f"pages/start/embedders.{lang}.md").read_text("utf-8")


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
def test_the_guide_of_rewrite_shows_the_figures_of_the_benchmark(lang: str):
    def rows(text: str) -> list[list[str]]:
        return [[x.strip() for x in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]

    section = (ROOT / "benchmarks/README.md").read_text("utf-8").partition("## Text2SQL\n")[2].partition("\n## ")[0]
    measured = {name: figures for name, *figures in rows(section) if len(figures) == 6}
    guide = (ROOT / f"pages/query/text2sql.{lang}.md").read_text("utf-8")
    lots = ("bundled databases", "first examination", "easily misread", "further databases", "twelve sets, apart")
    lots += ("of these never looked at", "all foreign")
    assert [row[1:] for row in rows(guide)[2:]] == [[*measured[lot][:3], measured[lot][4]] for lot in lots]
    sentence = guide.partition("On your own tables" if lang == "en" else "换成自己的表")[2]
    assert measured["all foreign"][1] in sentence, "what to expect is drawn from the foreign figure"
    assert measured["all foreign"][4] in sentence
