"""``--where`` on the command line: passages kept by conditions on their metadata, with what each comparison removes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import call, wrong

from lab.algebra import Corpus, Document, Query
from lab.corpus import beir
from lab.corpus.beir import Collection

FIELDS = [
    {"views": 2400, "team": "HR", "updated": "2024-05-01"},
    {"views": 900, "team": "HR", "updated": "2023-11-30"},
    {"views": 5100, "team": "IT", "updated": "2024-02-29"},
    {"views": 1800, "team": "Legal", "updated": "2022-01-10"},
    {"team": "IT", "updated": "2024-06-02"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    documents = tuple(Document(f"d{i}", f"leave rules number {i}", metadata=own) for i, own in enumerate(FIELDS, 1))
    collection = Collection(Corpus("rules", documents), (Query("leave rules", id="q1"),), {"q1": {"d1": 1, "d2": 1}})
    beir.write(collection, tmp_path / "rules")
    return tmp_path / "rules"


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("views > 1000", {"d1", "d3", "d4"}),
        ("views > 1,000 and team in (hr, it)", {"d1", "d3"}),
        ("updated >= 2024 or team = Legal", {"d1", "d3", "d4", "d5"}),
        ("updated between 2024-02 and 2024年5月", {"d1", "d3"}),
        ("not team = HR and views is present", {"d3", "d4"}),
        ("浏览量 缺失", None),
        ("", {"d1", "d2", "d3", "d4", "d5"}),
    ],
)
def test_search_keeps_what_fits(capsys, data: Path, condition: str, ids: set[str] | None):
    asked = ("search", "--corpus", data, "--where", condition, "--json", "leave rules")
    if ids is None:
        said = wrong(capsys, *asked)
        assert "No document of rules has a field “浏览量”" in said
        assert "team, updated, views" in said
        return
    status, out, _err = call(capsys, *asked)
    assert status == 0
    assert {hit["id"] for hit in json.loads(out)["hits"]} == ids


def test_search_says_what_each_comparison_removes(capsys, data: Path):
    condition = "views > 1000 and team in (HR, IT)"
    status, _out, err = call(capsys, "search", "--corpus", data, "--where", condition, "leave rules")
    assert status == 0
    assert [line.removeprefix("retrieval-lab: ") for line in err.splitlines()] == [
        "3 of 5 passages removed by --where",
        "  views > 1000: fails for 1, undecided for 1",
        "  team in (HR, IT): fails for 1, undecided for 0",
    ]


def test_where_nothing_fits_search_says_so(capsys, data: Path):
    status, out, err = call(capsys, "search", "--corpus", data, "--where", "views > 1000000", "leave rules")
    assert (status, out) == (0, "")
    assert "No passage of rules matches “leave rules” and the condition." in err


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("views >> 3", "character 7"),
        ("views > many", "neither a number nor a date"),
        ("(views > 3", "bracket"),
        ("team in HR", "opening bracket"),
        ("views between 9 and 3", "wrong way round"),
    ],
)
def test_what_is_no_condition_is_one_line(capsys, data: Path, condition: str, said: str):
    assert said in wrong(capsys, "search", "--corpus", data, "--where", condition, "leave rules")


def test_evaluate_measures_what_the_condition_leaves(capsys, data: Path):
    found = {}
    for condition in ("", "updated >= 2024"):
        words = ("evaluate", "--data", data, "--retriever", "bm25", "--where", condition, "--json")
        status, out, _err = call(capsys, *words)
        assert status == 0
        (search,) = json.loads(out)["searches"]
        found[condition] = search["measures"]["R@10"]
    assert found == {"": 1.0, "updated >= 2024": 0.5}


def test_an_answer_is_drawn_from_what_the_condition_leaves(capsys, data: Path):
    question = ["answer", "--data", str(data), "--extract", "Extractive(limit=0)", "--json", "leave rules"]
    for condition, ids in (("team = HR", {"d1", "d2"}), ("views > 1000 and team in (IT, Legal)", {"d3", "d4"})):
        status, out, _ = call(capsys, *question, "--where", condition)
        answer = json.loads(out)
        assert status == 0
        assert {p["id"] for p in answer["passages"]} == ids
        assert {s["number"] for said in answer["sentences"] for s in said["sources"]} <= {
            p["number"] for p in answer["passages"]
        }
