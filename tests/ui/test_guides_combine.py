"""The figures in the guide of MMR are those of the samples."""

from __future__ import annotations

import re

import pytest
from night import spread

from lab.corpus import samples
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.refine.diversity import MMR
from lab.retrieve.vector import Vector

from .guide_figures import ROOT

HEADING = re.compile("^### ", re.MULTILINE)


@pytest.mark.nightly
@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guide_of_mmr_shows_what_diversity_costs(language: str) -> None:
    expected = []
    for name in ("handbook", "devices"):
        c = samples.load(name)
        searches = {str(x): Vector() % 20 >> MMR(k=10, lambda_mult=x) for x in (1, 0.8, 0.5)} | {"list": Vector()}
        runs = run_many(searches, c.corpus, c.judged)
        expected += [f"{measure_run(run, c.qrels, ['nDCG@10']).means['nDCG@10']:.2f}" for run in runs.values()]
    part = HEADING.split((ROOT / f"pages/combine/mmr/guide.{language}.md").read_text("utf-8"))[4]
    shown = re.findall(r"0\.\d\d(?!\d)", part)
    assert shown == [*expected[:3], *expected[4:7], expected[3], expected[7]]


@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guide_of_mmr_shows_what_diversity_brings_to_subtopics(language: str) -> None:
    part = HEADING.split((ROOT / f"pages/combine/mmr/guide.{language}.md").read_text("utf-8"))[5]
    means = []
    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        asked = [q for q in c.judged if q.id in c.subtopics]
        searches = {"list": Vector(), "mmr": Vector() % 20 >> MMR(k=10, lambda_mult=0.5)}
        runs = run_many(searches, c.corpus, asked)
        measure = "alpha_nDCG@10"
        means += [f"{measure_run(run, c.qrels, [measure], c.subtopics).means[measure]:.2f}" for run in runs.values()]
    c = samples.load("handbook")
    (question,) = (q for q in c.judged if q.text == "出差住宿标准和补助各是多少，回来多久之内要报销")
    runs = run_many({"list": Vector(), "mmr": Vector() % 20 >> MMR(k=5, lambda_mult=0.5)}, c.corpus, [question])
    of_question = [
        f"{measure_run(run, c.qrels, [measure], c.subtopics).per_query[measure][question.id]:.2f}"
        for measure in ("nDCG@5", "alpha_nDCG@5")
        for run in runs.values()
    ]
    assert re.findall(r"0\.\d\d(?!\d)", part) == [*of_question, *means]
