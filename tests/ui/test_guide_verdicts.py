"""What a guide says of two means is the verdict of the paired tests: `guide_verdicts.toml` has them."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from night import spread
from places import ROOT, guides

from benchmarks.spelling import Homophones, misspelt
from lab import formats
from lab.corpus import beir, samples
from lab.corpus.beir import Collection
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import ALPHA, Difference, compare
from lab.refine.learned import BUILT_IN, shipped
from lab.retrieve.lexical import BM25
from lab.retrieve.ngrams import CharNgram

from .guide_figures import page_of
from .test_guides_measured import results

LEDGER: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("guide_verdicts.toml").read_text("utf-8")
)
LINES = [row for row in LEDGER["line"] if (ROOT / row.get("folder", "pages")).is_dir()]
NO_COMPARISONS = LEDGER["no_comparison"]
MEASURE = "nDCG@10"
MEAN = re.compile(r"(?<![\d.])0\.\d{3}(?!\d)")
COMPARED = re.compile(
    r"\b(?:better|worse|wins?|lose[sd]?|loss|gains?|higher|lower[sed]*|raises?|helps?|falls?|beats?|against|leads?)\b"
    r"|更好|更差|不如|更高|更低|提高|降到|升到|变好|变差|变坏|时候[好坏输]|领先"
)
NOT_SHOWN = re.compile(
    r"not significant|none is significant|no difference that|neither is significant|不显著|看不出差异"
)
P = re.compile(r"\bp = (0\.\d\d|1\.00)")


def line_of(row: dict[str, Any], language: str) -> str:
    """Returns the line of a guide that a row is about."""
    lines = (ROOT / row.get("folder", "pages") / f"{row['page']}/guide.{language}.md").read_text("utf-8").splitlines()
    (line,) = (x for x in lines if x.startswith(row[language]))
    return line


def compares(line: str) -> bool:
    """Returns whether a line compares two means."""
    return not line.startswith("|") and len(MEAN.findall(line)) > 1 and bool(COMPARED.search(line))


def open_lines(language: str) -> list[str]:
    """Returns the lines of the guides that compare means and have no row."""
    starts = {(row["page"], row[language]) for row in (*LINES, *NO_COMPARISONS)}
    return [
        f"{page_of(guide)}: {line}"
        for guide in guides(language)
        for line in guide.read_text("utf-8").splitlines()
        if compares(line) and not any(page == page_of(guide) and line.startswith(start) for page, start in starts)
    ]


def test_every_line_that_compares_means_has_a_verdict_or_a_reason():
    without = open_lines("en") + open_lines("zh")
    assert not without, "\n".join(without)
    assert compares("It reaches 0.612 where BM25 reaches 0.604: better.")
    assert compares("混合检索 0.612，BM25 0.604：更好。")
    assert not compares("| BM25 | 0.612 | 0.604 | better |")
    assert all(row["why"].strip() and line_of(row, "en") and line_of(row, "zh") for row in NO_COMPARISONS)


# ------------------------------------------------------------------------------------------------- measured


def collection(name: str) -> Collection:
    """Returns a sample, or a test collection of LAB_COLLECTIONS."""
    if name in ("devices", "handbook", "staff"):
        return samples.load(name)
    folder = Path(os.environ.get("LAB_COLLECTIONS", "")) / name
    if "LAB_COLLECTIONS" not in os.environ or not folder.is_dir():
        pytest.skip(f"LAB_COLLECTIONS names no folder with {name}")
    return _read(folder)


_read = cache(beir.load)


@cache
def scores(name: str, search: str, first: int | None) -> Scores:
    """Returns the scores of a search over the judged questions of a corpus, or over so many of them."""
    c = collection(name)
    run = run_many({search: formats.read(search)}, c.corpus, c.judged[:first])[search]
    return measure_run(run, {q.id: c.qrels[q.id] for q in c.judged[:first]}, [MEASURE, "R@10"])


def measured_in(part: dict[str, Any]) -> Iterator[tuple[str, Difference]]:
    """Yields each search of a comparison with its difference from the base, over the questions of a kind."""
    name, first = part["corpus"], part.get("first")
    ids = {q.id for q in collection(name).judged if part.get("kind", "") in ("", q.metadata.get("type"))}
    for search in part["others"]:
        pair = (scores(name, x, first) for x in (part["base"], search))
        difference = compare(*pair, part.get("measure", MEASURE))
        yield search, replace(difference, away={q: d for q, d in difference.away.items() if q in ids})


def p_of(difference: Difference) -> float:
    """Returns the larger p of the paired t-test and the randomization test: both decide."""
    return max(difference.p or 0.0, difference.randomised or 0.0)


def named(row: dict[str, Any]) -> list[float]:
    """Returns the p of all comparisons of a row."""
    return [p for part in row.get("differences", ()) for p in part["others"].values()] + [*row.get("p", ())]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_line_says_which_of_its_differences_are_not_significant(language: str):
    for row in LINES:
        line = line_of(row, language)
        undecided = [f"{p:.2f}" for p in named(row) if p > ALPHA]
        assert bool(NOT_SHOWN.search(line)) == bool(undecided), row[language]
        shown = [p for group in re.findall(r"p = ([^)）；。;]*)", line) for p in re.findall(r"\d\.\d\d(?!\d)", group)]
        assert set(shown) <= set(undecided), row[language]


@pytest.mark.parametrize(
    "row", spread([row for row in LINES if "differences" in row], 1), ids=lambda row: row["en"][:30]
)
def test_the_verdicts_are_those_of_the_paired_tests(row: dict[str, Any]):
    for part in row["differences"]:
        measured = {search: p_of(difference) for search, difference in measured_in(part)}
        assert measured == pytest.approx(part["others"], abs=0.0011)


@pytest.mark.parametrize(
    ("name", "kind"), spread([("staff", "letters"), ("handbook", "sound"), ("xquad_en", "letters")], 0)
)
def test_n_grams_lose_where_the_guide_of_compare_says_so(name: str, kind: str):
    """A typing mistake costs both lists on staff and n-grams on the handbook; clean, n-grams lose on xquad_en."""
    if kind == "sound":
        pytest.importorskip("pypinyin")
    c = collection(name)
    make = misspelt if kind == "letters" else Homophones(c.corpus).misspelt
    asked = c.judged[:: -(-len(c.judged) // 300)]
    typos = {q.id: replace(q, text=make(q.text, q.id)) for q in asked}
    clean = [q for q in asked if typos[q.id].text != q.text]
    grades, lists = {q.id: c.qrels[q.id] for q in clean}, {"words": BM25(), "n-grams": CharNgram()}
    scores = {
        (state, search): measure_run(run, grades, [MEASURE])
        for state, queries in (("clean", clean), ("typo", [typos[q.id] for q in clean]))
        for search, run in run_many(lists, c.corpus, queries).items()
    }
    pairs = {
        "staff": [(("clean", x), ("typo", x)) for x in lists],
        "handbook": [(("clean", "n-grams"), ("typo", "n-grams"))],
        "xquad_en": [(("clean", "words"), ("clean", "n-grams"))],
    }
    for first, second in pairs[name]:
        difference = compare(scores[first], scores[second], MEASURE)
        assert difference.significant, (first, second)
        assert difference.mean < 0


def test_learning_to_rank_is_compared_over_its_six_collections():
    (row,) = (row for row in LINES if row["en"].startswith("LTR"))
    table = shipped()[BUILT_IN].provenance["left out"]
    scores = [
        Scores(
            by,
            {MEASURE: float(np.mean([x[by] for x in table.values()]))},
            {MEASURE: {n: x[by] for n, x in table.items()}},
        )
        for by in ("two lists and soft coverage", "learned")
    ]
    assert [p_of(compare(*scores, MEASURE))] == pytest.approx(row["p"], abs=0.0051)


def test_coverage_is_compared_by_the_stars_of_its_benchmark():
    both = results("rerank").table("xquad_en (1190)").row("both lists, soft coverage 0.4")[1:7]
    alone = results("rerank").table("xquad_en (1190)").row("BM25, exact coverage 0.5")[1:7]
    assert all(re.search(r"\(\+0\.\d+\*\)", cell) for cell in both), "the guide says: better on all six"
    assert not any("*" in cell for cell in alone), "the guide says: almost nothing"
