"""Figures of the guides on Fusion, Rerank and Compare that come from test collections, recomputed at night."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from lab.algebra import Searcher
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.fuse import RRF, WeightedSum
from lab.refine.title import TitleMix
from lab.retrieve.fields import BM25F
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

from .test_guides_measured import LANGUAGES, THREE, cells, line, section

pytestmark = pytest.mark.nightly
FIRST = 300
"""Number of questions, as the guide of Fusion says."""
LISTS = BM25(), Vector()


def collection(name: str) -> Collection:
    folder = os.environ.get("LAB_COLLECTIONS")
    if not folder or not (Path(folder) / name).is_dir():
        pytest.skip(f"LAB_COLLECTIONS names no folder with {name}")
    return beir.load(Path(folder) / name)


@cache
def gains(name: str, searches: Sequence[Searcher], most: int | None = None) -> list[str]:
    c = collection(name)
    asked = c.judged[:most]
    runs = run_many({str(i): search for i, search in enumerate(searches)}, c.corpus, asked)
    grades = {q.id: c.qrels[q.id] for q in asked}
    return [f"{measure_run(run, grades, ['nDCG@10']).means['nDCG@10']:.3f}" for run in runs.values()]


@pytest.mark.parametrize(("column", "name"), [(3, "xquad_en"), (4, "cast_conv"), (5, "stard_pool"), (6, "xquad_en2zh")])
def test_the_guide_of_fusion_shows_what_normalisations_reach_on_a_collection(column: int, name: str) -> None:
    searches = tuple(WeightedSum((0.5, 0.5), by)(*LISTS) for by in ("min-max", "z-score", "3-sigma", "l2"))
    wanted = gains(name, searches, FIRST)
    for language in LANGUAGES:
        assert [row[column] for row in cells(section("combine/fusion", language, 5))] == wanted


def test_the_guide_of_fusion_shows_what_two_formulas_of_one_name_reach_on_collections() -> None:
    searches = tuple(RRF(weights=(0.8, 0.2), form=form)(*LISTS) for form in ("qdrant", "paper"))
    wanted = {name: gains(name, searches, FIRST) for name in ("xquad_en2zh", "xquad_en", "stard_pool")}
    for language in LANGUAGES:
        wins, loses = section("combine/fusion", language, 4).split("\n- ")[1:]
        assert re.findall(THREE, wins) == wanted["xquad_en2zh"]
        assert re.findall(THREE, loses)[2:] == [*wanted["xquad_en"], *wanted["stard_pool"]]


def test_the_guide_of_compare_says_what_a_weight_for_titles_costs_on_a_collection() -> None:
    wanted = gains("stard_pool", (*(BM25F(title=w) for w in (1.0, 2.0, 5.0)), BM25()))
    for language in LANGUAGES:
        sentence = line(section("retrieve/compare", language, 7), "stard_pool")
        assert re.findall(THREE, sentence.partition("stard_pool")[2]) == wanted


def test_the_guide_of_rerank_says_what_titles_cost_on_a_collection() -> None:
    searches = (Vector(), *(Vector() >> TitleMix(w) for w in (0.1, 0.3, 0.5)))
    wanted = gains("stard_pool", searches)
    for language in LANGUAGES:
        sentence = line(section("refine/rerank", language, 5), "stard_pool")
        ours = {"en": "staff", "zh": "英文员工手册"}[language]
        assert re.findall(THREE, sentence.partition("stard_pool")[2].partition(ours)[0]) == wanted
