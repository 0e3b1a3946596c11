"""Every page has its guide in both languages; figures in the embedder guide are those of the benchmark."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [p for p in sorted((ROOT / "pages").rglob("*.py")) if p.stem != "home"]


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
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
    )
    for row, system in zip(rows, systems, strict=True):
        assert row[1:] == [f"{measured[name]['systems'][system]['mean']:.3f}" for name in head[1:]], system


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_rewrite_shows_the_figures_of_the_benchmark(lang: str):
    def rows(text: str) -> list[list[str]]:
        return [[x.strip() for x in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]

    section = (ROOT / "benchmarks/README.md").read_text("utf-8").partition("## Query rewriting by rule")[2]
    head, _rule, *told = rows(section.partition("**nDCG@10**")[2].partition("**R@10**")[0])
    names = ("handbook", "devices", "cast_conv", "stard_pool", "xquad_en", "xquad_zh")
    places = [next(i for i, cell in enumerate(head) if cell.startswith(f"{name} (")) for name in names]
    measured = {row[0]: [row[i] for i in places] for row in told}
    shown = rows((ROOT / f"pages/query/rewrite.{lang}.md").read_text("utf-8"))[2:7]
    rules = (
        "multi-query",
        "sub-questions",
        "step back, 5 + 3 documents",
        "query to document",
        "hypothetical documents",
    )
    assert [row[1:] for row in shown] == [measured[rule] for rule in rules]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_granularity_shows_the_figures_of_the_benchmark(lang: str):
    measured = json.loads((ROOT / "benchmarks/derive.json").read_text("utf-8"))["collections"]
    lines = (ROOT / f"pages/index/granularity.{lang}.md").read_text("utf-8").splitlines()
    head, _rule, *rows = [[cell.strip() for cell in x.strip("|").split("|")] for x in lines if x.startswith("|")]
    systems = (
        *(f"BM25 | {x}" for x in ("whole passages", "children of 100", "summaries")),
        *(f"one vector an entry | {x}" for x in ("whole passages", "children of 100", "children of 50", "summaries")),
        "one vector an entry | children of 100, the sum",
        *(f"Vector as it is | {x}" for x in ("best sentence and whole", "best+whole, and children beside it")),
    )
    for row, system in zip(rows, systems, strict=True):
        assert row[1:] == [f"{measured[name]['systems'][system]['mean']:.3f}" for name in head[1:]], system


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_dialogue_shows_the_figures_of_the_benchmark(lang: str):
    def rows(text: str) -> list[list[str]]:
        return [[x.strip() for x in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]

    section = (ROOT / "benchmarks/README.md").read_text("utf-8").partition("## Conversations\n")[2]
    measured = {name: f"{whole} ({a}, {b})" for name, whole, a, b in rows(section.partition("Branches")[0])[2:]}
    shown = rows((ROOT / f"pages/query/dialogue.{lang}.md").read_text("utf-8"))[2:]
    both = ("BM25", "BM25 and vectors")
    wanted = [[measured[f"{x}, the turn alone"], measured[f"{x}, with the conversation"]] for x in both]
    assert [row[1:] for row in shown] == [*wanted, [measured["BM25, the turn alone"], measured["BM25, by HQE"]]]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_guide_of_routing_shows_the_figures_of_the_benchmark(lang: str):
    readme = (ROOT / "benchmarks/README.md").read_text("utf-8").partition("## Routing without a model")[2]
    rows = {cells[1].strip(): cells[2:4] for line in readme.splitlines() if len(cells := line.split("|")) > 4}

    def row(begins: str, *words: str) -> list[str]:
        return next(own for name, own in rows.items() if name.startswith(begins) and all(w in name for w in words))

    def percent(cells: list[str], word: int) -> list[int]:
        return [round(100 * float(cell.split()[word])) for cell in cells]

    shipped, common = percent(row("one IDF", "shipped"), 0), percent(row("an IDF for each", "mean of 10"), 0)
    sure = row("20 examples", "shipped")
    told = [*shipped, *common, *percent(sure, 2), *percent(sure, 0)]
    guide = (ROOT / f"pages/query/routing.{lang}.md").read_text("utf-8").replace(" %", "%")
    assert [int(n) for n in re.findall(r"(\d+)%", guide)] == told
