"""The figures in the guides of Filter and Rerank are those of the samples."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from night import spread

from lab.algebra import Runner
from lab.corpus import samples
from lab.evaluate.ceiling import ceiling
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.explain.near_duplicates import near_duplicates
from lab.models.cross_encoders import load_textbook
from lab.models.static import BuiltIn
from lab.refine.filters import EmbeddingsFilter, SemanticDedup
from lab.refine.rerank import CrossEncoderReranker
from lab.refine.superseded import Superseded
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text.quantities.dates import read_date
from training.order_pairs import order_pairs

from .guide_figures import ROOT

WORDS = {r"\beight\b": 8, r"\bsix\b": 6, r"BM\d+": "", "前三十名": "30", "first thirty": "30"}


def section(language: str, number: int) -> str:
    return (ROOT / f"pages/refine/filter/guide.{language}.md").read_text("utf-8").split("### ")[number]


def figures_of(text: str) -> list[float]:
    for word, number in WORDS.items():
        text = re.sub(word, str(number), text)
    return [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text)]


@pytest.mark.nightly
@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guide_of_filter_counts_what_a_proxy_removes(language: str) -> None:
    similar, near, removed, lost = 0.9, 0.2, [], []
    for name in ("handbook", "devices"):
        c = samples.load(name)
        run = Runner(c.corpus, explain=False)
        first = {q.id: run(BM25(), q, 30) for q in c.judged}
        relevant = {q.id: set(c.relevant(q.id)) for q in c.judged}
        for search, counts in ((SemanticDedup(similar), removed), (EmbeddingsFilter(0, near), lost)):
            gone = [(q, drop.document.id) for q, ranking in first.items() for drop in search(ranking).dropped]
            counts += [len(gone), sum(document in relevant[q] for q, document in gone)]
        lost.append(sum(h.document.id in relevant[q] for q, ranking in first.items() for h in ranking.hits))
    _, handbook_lost, handbook_all, _, devices_lost, devices_all = lost
    shown = figures_of(section(language, 5).partition("0.95")[2])
    assert shown[:6] == [30, similar, *removed]
    limits = [near, handbook_lost, handbook_all, devices_lost, devices_all]
    if language == "zh":  # of so many, so many
        limits = [near, handbook_all, handbook_lost, devices_all, devices_lost]
    assert shown[6:] == limits


@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guide_of_filter_counts_editions_and_what_similarity_takes_for_them(language: str) -> None:
    counts = {0.9: [0, 0], 0.5: [0, 0]}
    total = 0
    for name in ("handbook", "staff", "devices"):
        corpus = samples.load(name).corpus
        editions = set(Superseded().replacements(corpus.documents, corpus))
        versions = {d.id for d in corpus if str(d.metadata.get("version", "")).isdigit()}
        assert editions <= versions
        total += len(editions)
        for cosine, count in counts.items():
            older = set()
            for pair in near_duplicates(corpus, BuiltIn(), cosine).pairs:
                dated = [
                    (day, d.id) for d in (pair.first, pair.second) if (day := read_date(d.metadata.get("date", "")))
                ]
                if len(dated) == 2 and dated[0][0] != dated[1][0]:
                    older.add(min(dated)[1])
            count[0] += len(older & editions)
            count[1] += len(older - editions)
    (near, wrong), (all_of_them, many) = counts.values()
    (text,) = (row for row in section(language, 2).splitlines() if str(many) in row)
    assert sorted(figures_of(text.partition("0.9")[2])) == sorted([near, total, wrong, 0.5, all_of_them, many, total])


GROUPS = {"handbook": [0.39, 0.19, 0.13, 0.06], "staff": [0.39, 0.19, 0.11, 0.04]}


@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guide_of_filter_shows_what_permissions_after_the_cut_leave(language: str) -> None:
    expected = []
    for name, shares in GROUPS.items():
        c = samples.load(name)
        run, sources = Runner(c.corpus, explain=False), Counter(d.metadata.get("source") for d in c.corpus)
        lists = [run(Vector(), q, 10) for q in c.judged]
        for share in shares:
            source = next(s for s, n in sources.items() if round(n / len(c.corpus), 2) == share)
            left = [sum(h.document.metadata.get("source") == source for h in ranking.hits) for ranking in lists]
            expected += [100 * share, round(sum(left) / len(left), 1), round(100 * left.count(0) / len(left))]
    part = section(language, 6).replace("of 10 results", "of ten results")
    assert figures_of(part[part.index("39%") :]) == expected


@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_the_guides_show_the_best_order_of_candidates(language: str) -> None:
    c = samples.load("devices")
    runs = run_many({"words": BM25(), "vectors": Vector()}, c.corpus, c.judged)
    best = [f"{top.mean:.3f}" for run in runs.values() if (top := ceiling(run, c.qrels, depth=50))]
    for page in ("refine/rerank", "whole/evaluate"):
        guide = (ROOT / f"pages/{page}/guide.{language}.md").read_text("utf-8")
        (line,) = (line for line in guide.splitlines() if re.search("best possible order|最佳次序", line))
        assert re.findall(r"0\.\d{3}", line) == best


def of_cross_encoder(language: str) -> str:
    text = (ROOT / f"pages/refine/rerank/guide.{language}.md").read_text("utf-8")
    return re.split(r"^### ", text, flags=re.MULTILINE)[8]


def test_the_guide_of_rerank_says_how_often_the_built_in_cross_encoder_sees_the_order() -> None:
    model, shares = load_textbook(), []
    for language in ("en", "zh"):
        scores = [model.scores(pair.question, pair[1:]) for pair in order_pairs(language)]
        shares.append(f"{np.mean([right > wrong for right, wrong in scores]):.0%}")
    for language in ("en", "zh"):
        assert re.findall(r"\d+%", of_cross_encoder(language)) == shares


@pytest.mark.nightly
def test_the_guide_of_rerank_says_what_the_built_in_cross_encoder_costs_on_documents() -> None:
    figures = []
    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        searches = {"before": BM25(), "after": BM25() % 50 >> CrossEncoderReranker()}
        runs = run_many(searches, c.corpus, c.judged).values()
        figures += [f"{measure_run(run, c.qrels, ['nDCG@10']).means['nDCG@10']:.3f}" for run in runs]
    for language in ("en", "zh"):
        assert re.findall(r"0\.\d{3}", of_cross_encoder(language)) == figures
