"""What a visitor takes along can be read by others: CSV, JSON, TREC runs, and Python that runs."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.core import Contribution, Corpus, Document, Hit, Operator, Ranking, Retriever
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.trec import read_trec
from lab.fuse import RRF, WeightedSum
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.refine.compress import SentenceExtractor
from lab.refine.coverage import Coverage
from lab.refine.diversity import MMR
from lab.refine.filters import (
    EmbeddingsFilter,
    KeywordExclusion,
    MetadataFilter,
    RedundancyFilter,
    ScoreThreshold,
    SemanticDedup,
)
from lab.refine.hybrid import HybridSimilarity
from lab.refine.reorder import LongContextReorder
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.text import Analyzer
from lab.ui import code, export
from lab.ui.frame import Frame

ROOT = Path(__file__).parents[2]

# A corpus that is hard on file formats.
HARD = Corpus(
    "hard",
    (
        Document("a b.pdf#1", 'He said "stop, now"; battery\nand\r\nmore', 'Title, with "quotes"'),
        Document("制度\t2", "电池 battery，换行\n\n之后", "标题"),
        Document("c", "battery " * 3 + "=1+1 \u2028 \x85 end"),
        Document("d", "battery half \ud83d of a pair", "\udc00"),
        Document("e", "battery"),
        Document("f", "battery"),
    ),
)
NAMES = ["BM25", "Vector · Built-in, bilingual"]


@pytest.fixture(scope="module")
def lists() -> list[Ranking]:
    rankings = [operator.index(HARD).search("battery 电池") for operator in (BM25(variant="lucene"), Vector())]
    assert all(len(r) == 6 for r in rankings)
    return rankings


def clean(text: str) -> str:
    """Half characters cannot be written in UTF-8: a question mark stands in their place."""
    return text.encode("utf-8", "replace").decode()


# ------------------------------------------------------------------------------------------------- files


def test_csv_has_one_row_per_hit_and_gives_the_texts_back(lists: list[Ranking]) -> None:
    rows = list(csv.DictReader(io.StringIO(export.csv(lists, NAMES), newline="")))
    expected = [(name, i, hit) for name, ranking in zip(NAMES, lists, strict=True) for i, hit in enumerate(ranking, 1)]
    assert len(rows) == len(expected) == 12
    for row, (name, rank, hit) in zip(rows, expected, strict=True):
        assert (row["list"], row["rank"], row["id"]) == (name, str(rank), hit.document.id)
        assert row["title"] == clean(hit.document.title)
        assert row["text"] == clean(hit.document.text)
        assert float(row["score"]) == pytest.approx(hit.score, rel=1e-12)
        assert row["why"].count(" + ") == len(hit.why) - 1


def test_json_gives_every_score_and_its_addends_back(lists: list[Ranking]) -> None:
    data = json.loads(export.as_json("battery 电池", lists, NAMES))
    assert data["query"] == "battery 电池"
    assert [x["name"] for x in data["lists"]] == NAMES
    for told, ranking in zip(data["lists"], lists, strict=True):
        assert told["operator"] == repr(ranking.made_by)
        assert [h["rank"] for h in told["hits"]] == list(range(1, len(ranking) + 1))
        for hit, own in zip(told["hits"], ranking, strict=True):
            assert (hit["id"], hit["score"], hit["title"]) == (own.document.id, own.score, clean(own.document.title))
            assert sum(part["value"] for part in hit["why"]) == pytest.approx(hit["score"])


def test_every_trec_line_has_six_fields_whatever_the_ids(lists: list[Ranking]) -> None:
    text = export.trec("q 1", lists, [*NAMES[:1], " · "])
    lines = text.splitlines()
    assert len(lines) == 12
    for line in lines:
        query, q0, document, rank, score, tag = line.split(" ")
        assert (query, q0) == ("q_1", "Q0")
        assert document
        assert int(rank) >= 1
        assert float(score)
        assert tag in ("BM25", "run")
    assert {line.split()[2] for line in lines} == {"a_b.pdf#1", "制度_2", "c", "d", "e", "f"}


def test_tools_that_sort_by_score_see_our_order(lists: list[Ranking]) -> None:
    tied = [hit.score for hit in lists[0]]
    assert len(set(tied)) < len(tied)  # equal documents: the case is what it is said to be
    upside_down = replace(lists[1], hits=lists[1].hits[::-1])
    for ranking in (*lists, upside_down):
        run = read_trec(io.StringIO(export.trec("q", [ranking], ["x"])))
        assert [d for d, _score in run.results["q"]] == ["_".join(h.document.id.split()) for h in ranking]
        scores = [float(line.split()[4]) for line in export.trec("q", [ranking], ["x"]).splitlines()]
        assert all(a > b for a, b in zip(scores, scores[1:], strict=False))


def test_scores_without_ties_are_written_as_they_are() -> None:
    hits = (Hit(HARD.documents[2], 2 / 3, (Contribution("x", 2 / 3),)), Hit(HARD.documents[4], 1 / 3))
    ranking = Ranking("q", hits, BM25())
    assert export.trec("q", [ranking], ["My · list"]) == f"q Q0 c 1 {2 / 3!r} My-list\nq Q0 e 2 {1 / 3!r} My-list\n"


def test_files_of_empty_lists_are_files(lists: list[Ranking]) -> None:
    nothing = Ranking("nothing", (), BM25())
    assert export.csv([], []) == export.csv([nothing], ["BM25"]) == "list,rank,id,title,score,why,text\n"
    assert len(list(csv.reader(io.StringIO(export.csv([nothing, lists[0]], NAMES), newline="")))) == 1 + 6
    assert json.loads(export.as_json("nothing", [nothing], ["BM25"]))["lists"][0]["hits"] == []
    assert json.loads(export.as_json("nothing", [], []))["lists"] == []
    assert export.trec("q", [nothing], ["BM25"]) == ""


def test_every_file_can_be_written_in_utf_8(lists: list[Ranking]) -> None:
    for text in (
        export.csv(lists, NAMES),
        export.as_json("half \ud83d", lists, NAMES),
        export.trec("q\ud83d", lists, NAMES),
    ):
        assert text.encode("utf-8").decode("utf-8") == text


# ------------------------------------------------------------------------------------------------- code

RUNNER = """
import contextlib, io, json, sys
told = []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {"__name__": "__main__"})
    told.append(out.getvalue())
print(json.dumps(told))
"""


def printed(codes: list[str]) -> list[str]:
    """What each of these programs prints, in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps(codes),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    told: list[str] = json.loads(done.stdout.splitlines()[-1])
    return told


def first_ids(text: str) -> list[tuple[str, str]]:
    """(the line before it, id of the first row) of every printed table; an id of "" where it has no row."""
    lines = text.splitlines()
    out = []
    for i, line in enumerate(lines):
        if re.match(r"\s*rank\s+id\s+title", line):
            row = lines[i + 1].split() if i + 1 < len(lines) else []
            out.append((lines[i - 1] if i else "", row[1] if row[:1] == ["1"] else ""))
        elif line.startswith("Empty DataFrame"):
            out.append((lines[i - 1] if i else "", ""))
    return out


def frame(name: str) -> Frame:
    return Frame(samples.load(name), BuiltIn())


def top(ranking: Ranking) -> str:
    return ranking.hits[0].document.id if ranking.hits else ""


LISTS: list[Retriever] = [
    BM25(1.2, 0.5, "lucene"),
    BM25(
        variant="plus",
        delta=0.5,
        analyzer=Analyzer("bigram", stop_words=frozenset({"的", "the"}), user_words=("充电盒",)),
    ),
    TFIDF("plain", True),
    Vector(),
    Vector(LSA(16, Analyzer("character")), "ip"),
    ChromaVector(space="l2", scale="unit", url=""),
]
STAGES: list[Any] = [
    Coverage("soft", 0.4),
    HybridSimilarity(threshold=0.0),
    LongContextReorder(),
    MetadataFilter(730, "2025-06-30", (), ("date",), "keep", "drop"),
    KeywordExclusion(("it's", 'a "quote"', "退款"), (r"v?1\.\d+", r"\bE\d{2}\b")),
    ScoreThreshold(0.5, "best"),
    SemanticDedup(0.8),
    EmbeddingsFilter(0, 0.1, LSA(16)),
    RedundancyFilter(0.9, "earlier"),
    SentenceExtractor(0.2),
    MMR(0.3, 20, 5),
]


@pytest.mark.parametrize("name", samples.names())
def test_the_exported_program_prints_what_the_page_shows(name: str) -> None:
    f = frame(name)
    query = f.collection.queries[0].text
    searched = [r.index(f.corpus).search(query, k=100) for r in LISTS]
    both = [r.index(f.corpus).search(query, k=20) for r in LISTS[:4:3]]
    fused = [fusion(both) for fusion in (RRF(30, (0.7, 0.3)), WeightedSum((0.7, 0.3), "z-score"))]
    chain: list[Any] = [Coverage(), MMR(0.5, 10, 4), LongContextReorder("sides")]
    refined = LISTS[0].index(f.corpus).search(query, k=20).then(*chain)
    start = WeightedSum((2 / 3, 1 / 3))([r.index(f.corpus).search(query, k=15) for r in LISTS[:4:3]]).top(15)
    single = LISTS[3].index(f.corpus).search(query, k=12)

    told = printed(
        [
            code.searches(f, LISTS, query, 8),
            *(
                code.fusion(f, LISTS[:4:3], fusion, query, 8)
                for fusion in (RRF(30, (0.7, 0.3)), WeightedSum((0.7, 0.3), "z-score"))
            ),
            code.stages(f, LISTS[0], chain, query, 20),
            code.refinements(f, start, STAGES, query),
            code.refinements(f, single, STAGES[:2], query),
        ]
    )
    assert first_ids(told[0]) == [(r.label, top(ranking)) for r, ranking in zip(LISTS, searched, strict=True)]
    assert [first_ids(text) for text in told[1:3]] == [[("", top(ranking))] for ranking in fused]
    assert first_ids(told[3]) == [("", top(refined))]
    assert [line.split()[0] for line in told[3].splitlines()[1 + len(refined) :]] == [
        d.document.id for d in refined.dropped
    ]
    assert first_ids(told[4]) == [(s.label, top(start.then(s))) for s in STAGES]
    assert first_ids(told[5]) == [(s.label, top(single.then(s))) for s in STAGES[:2]]
    assert all(top(r) for r in (*searched, *fused, refined, start, single))


@pytest.mark.parametrize(
    "query", ['it\'s "quoted"', "back\\slash", "two\nlines", "half \ud83d", "{braces}", "’; import os #", "耳机" * 300]
)
@pytest.mark.parametrize("name", ["my notes.pdf", 'it\'s "mine"', "C:\\new\\table", "笔记"])
def test_any_question_and_any_name_of_an_upload_stay_what_they_are(query: str, name: str) -> None:
    corpus = Corpus(name, HARD.documents)
    f = Frame(Collection(corpus), BuiltIn())
    first = BM25().index(corpus).search("battery")
    for text in (
        code.searches(f, [BM25()], query, 3),
        code.fusion(f, [BM25(), Vector()], RRF(), query, 3),
        code.stages(f, BM25(), [Coverage()], query, 3),
        code.refinements(f, first, [Coverage()], query),
    ):
        compile(text, "exported", "exec")
        assert repr(query) in text
        assert f"beir.load({name!r})" in text
        assert text.encode("utf-8")


def test_every_name_in_the_program_is_imported() -> None:
    operators: list[Operator] = [*LISTS, *STAGES, RRF()]
    names: dict[str, Any] = {}
    exec("\n".join(code.imports(operators)), names)
    for operator in operators:
        assert eval(repr(operator), names) == operator
