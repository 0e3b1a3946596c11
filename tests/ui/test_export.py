"""What a visitor takes along can be read by others: CSV, JSON, TREC runs, and Python that runs."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from night import spread

from lab import formats
from lab.algebra import Contribution, Corpus, Document, Hit, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.trec import read_trec
from lab.fuse import RRF
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.reading.read import read_files
from lab.refine.coverage import MaxSim
from lab.refine.diversity import MMR
from lab.refine.filters import KeywordExclusion
from lab.refine.self_query import SelfQuery
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.multi_query import MultiQuery
from lab.text import Analyzer
from lab.ui import escape
from lab.ui.layout import export
from lab.ui.layout.frame import Frame

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
    data = json.loads(export.as_json(lists, NAMES))
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
    ranking = Ranking("q", hits, BM25(), corpus=HARD)
    assert export.trec("q", [ranking], ["My · list"]) == f"q Q0 c 1 {2 / 3!r} My-list\nq Q0 e 2 {1 / 3!r} My-list\n"


def test_files_of_empty_lists_are_files(lists: list[Ranking]) -> None:
    nothing = Ranking("nothing", (), BM25(), corpus=HARD)
    assert export.csv([], []) == export.csv([nothing], ["BM25"]) == "list,rank,id,title,score,why,text\r\n"
    assert len(list(csv.reader(io.StringIO(export.csv([nothing, lists[0]], NAMES), newline="")))) == 1 + 6
    assert json.loads(export.as_json([nothing], ["BM25"]))["lists"][0]["hits"] == []
    assert json.loads(export.as_json([], []))["lists"] == []
    assert export.trec("q", [nothing], ["BM25"]) == ""


def test_every_file_can_be_written_in_utf_8(lists: list[Ranking]) -> None:
    for text in (
        export.csv(lists, NAMES),
        export.as_json([replace(r, query="half \ud83d") for r in lists], NAMES),
        export.trec("q\ud83d", lists, NAMES),
    ):
        assert text.encode("utf-8").decode("utf-8") == text


# ------------------------------------------------------------------------------------------------- code

SEARCHES: dict[str, Searcher] = {
    "words": BM25(
        variant="plus",
        delta=0.5,
        analyzer=Analyzer("bigram", stop_words=frozenset({"的", "the"}), user_words=("充电盒",)),
    ),
    "fused": RRF(30, (0.7, 0.3))(BM25(1.2, 0.5, "lucene"), Vector(LSA(16, Analyzer("character")), "ip")),
    "a chain": TFIDF("plain", True)
    >> KeywordExclusion(("it's", 'a "quote"', "退款"), (r"v?1\.\d+", r"\bE\d{2}\b"))
    >> MaxSim(0.4)
    >> MMR(0.3, 20, 5),
    "reworded": MultiQuery(template='Say "{question}"\nin other words')(BM25()),
}


@pytest.mark.parametrize("name", spread(samples.names(), 1))
def test_the_exported_program_prints_what_the_searches_find(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    f = Frame(samples.load(name), BuiltIn())
    query = f.collection.queries[0]
    told = formats.to_python(SEARCHES, corpus=export.corpus_lines(f), query=query, k=8)
    monkeypatch.chdir(ROOT)
    exec(told, {"__name__": "__main__"})
    printed, runner, at = capsys.readouterr().out, Runner(f.corpus), 0
    for label, search in SEARCHES.items():
        ids = runner(search, query, 8).ids
        at = printed.index(label, at)
        rows = re.findall(r"^\s*\d+\s+(\S+)", printed[at:], re.M)
        assert rows[: len(ids)] == ids


@pytest.mark.parametrize(
    "query", ['it\'s "quoted"', "back\\slash", "two\nlines", "half \ud83d", "{braces}", "’; import os #", "耳机" * 300]
)
@pytest.mark.parametrize("name", ["my notes.pdf", 'it\'s "mine"', "C:\\new\\table", "笔记"])
def test_any_question_and_any_name_of_an_upload_stay_what_they_are(query: str, name: str) -> None:
    f = Frame(Collection(Corpus(name, HARD.documents)), BuiltIn())
    text = formats.to_python(SEARCHES, corpus=export.corpus_lines(f), query=query, k=3)
    compile(text, "exported", "exec")
    assert repr(query) in text
    assert f"beir.load({export.zipped(name)!r})" in text
    assert not set(export.zipped(name)) & set('/\\:"')
    assert text.encode("utf-8")


def test_a_program_that_needs_a_language_model_takes_it_from_the_environment() -> None:
    f = Frame(Collection(HARD), BuiltIn())
    search = MultiQuery(model="chat")(BM25())
    text = formats.to_python({"by a model": search}, corpus=export.corpus_lines(f), query="x", k=3)
    assert "models={'chat': from_environment()}" in text
    compile(text, "exported", "exec")
    assert "from_environment" not in formats.to_python(SEARCHES, corpus=export.corpus_lines(f), query="x", k=3)


def test_no_text_of_a_document_is_a_formula_in_a_spreadsheet() -> None:
    hostile = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"]
    corpus = Corpus("hostile", tuple(Document(f"={i}", text, text) for i, text in enumerate(hostile)))
    hits = tuple(Hit(d, -1.5) for d in corpus)
    ranking = Ranking(Query("q"), hits, BM25(), corpus=corpus)
    rows = list(csv.reader(io.StringIO(export.csv([ranking], ["=list"]), newline="")))
    assert len(rows) == 1 + len(hostile)
    for row in rows[1:]:
        cells = dict(zip(rows[0], row, strict=True))
        assert cells["score"] == "-1.5"  # a number stays one
        assert all(cells[name].startswith("'") for name in ("list", "id", "title", "text")), cells


def test_no_name_of_a_column_is_a_formula() -> None:
    assert escape.as_csv(pd.DataFrame({"=x": [1], "plain": ["a=b"]})).splitlines() == ["'=x,plain", "1,a=b"]


def test_what_an_export_disarmed_is_read_back_as_it_was() -> None:
    table = pd.DataFrame({"text": ["=1+1", "-20 degrees", "@home", "'quoted'", "plain"], "n": [-1, 2, 3, 4, 5]})
    read = read_files([("table.csv", escape.as_csv(table).encode())])
    assert [d.text for d in read.documents] == list(table["text"])
    assert [d.metadata["n"] for d in read.documents] == list(table["n"])


def test_a_table_of_results_names_the_components_in_the_language_of_the_reader(monkeypatch: pytest.MonkeyPatch):
    corpus = samples.load("handbook").corpus
    ranking = Runner(corpus)(BM25() >> MaxSim(0.4), "年休假几天")
    english = export.frame([ranking], ["x"])["why"][0]
    monkeypatch.setattr("lab.ui.i18n.language", lambda: "zh")
    chinese = export.frame([ranking], ["x"])["why"][0]
    assert re.search("[a-z]{4}", english), "there is something to say in Chinese"
    assert not re.search("[a-z]{4}", chinese)
    assert re.findall(r"[\d.]+(?= \+|$)", english) == re.findall(r"[\d.]+(?= \+|$)", chinese)
    assert chinese in export.markdown([ranking], ["x"]).replace("\\", "")
    assert "| 名次 | 编号 | 标题 | 得分 | 得分项 |" in export.markdown([ranking], ["x"])
    assert export.csv([ranking], ["x"]).startswith("结果列表,名次,编号,标题,得分,得分项,正文\r\n")


def test_the_export_names_what_the_conditions_of_the_question_do_not_use() -> None:
    corpus = Corpus("staff", (Document("a", "a rule", "", {"topic": "Leave"}),))
    ranking = Runner(corpus)(BM25() >> SelfQuery(), "rule on Leave or parking in 2023")
    assert "Not used as a condition: parking, 2023" in export.markdown([ranking], ["x"]).replace("\\", "")
    assert json.loads(export.as_json([ranking], ["x"]))["lists"][0]["notes"] == [
        "Not used as a condition: parking, 2023"
    ]
