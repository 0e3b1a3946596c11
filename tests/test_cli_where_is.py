"""``search --where-is``: where a passage is, why it is missing, and what would show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from night import spread
from test_cli import call

from lab import formats
from lab.algebra import Runner
from lab.corpus import samples

ASK = ("search", "--corpus", "staff", "-k", "3", "how do I reset my password", "--where-is")


def found(capsys: Any, passage: str, *more: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = call(capsys, *ASK, passage, *more, "--json")
    return status, json.loads(out)["where_is"]


def test_text_says_rank_score_and_what_to_change(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, *ASK, "sh-163", "--retriever", "vector")
    assert status == 0
    lines = out.partition("\n\n")[2].splitlines()
    assert lines[0] == "sh-163  Deputies in Tally"
    assert lines[1].startswith("  Rank 30 of 240, score 0.1225; the last result shown is at rank 3 with ")
    assert "  To show it: Results shown: 30." in lines


@pytest.mark.parametrize(
    "search", spread(["bm25", "RRF()(BM25(), Vector(), depth=20)", "Vector() >> ScoreThreshold(minimum=0.3)"], 1)
)
def test_the_changes_of_the_json_show_the_passage(capsys: pytest.CaptureFixture[str], search: str) -> None:
    corpus = samples.load("staff").corpus
    ids = Runner(corpus)(formats.parse("Vector()"), "how do I reset my password", 240).ids
    tried = 0
    for doc in (ids[4], ids[29], ids[150]):
        status, answer = found(capsys, doc, "--retriever", search)
        (passage,) = answer["passages"]
        assert status == 0
        for change in passage["changes"]:
            ranking = Runner(corpus)(formats.parse(change["search"]), change["query"], change["k"])
            assert ranking.rank(doc) == change["rank"]
            tried += 1
        if passage["score"] is not None:
            assert sum(x["score"] for x in passage["components"]) == pytest.approx(passage["score"], abs=1e-6)
    assert tried or search == "bm25"


def test_a_sentence_that_no_passage_has_is_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    status, answer = found(capsys, "A passage on passwords that nobody wrote")
    assert status == 1
    assert answer["sentence"] == "No passage has this id, this title or this text."
    assert "sh-144" in answer["near"]
    assert answer["passages"] == []


def test_what_was_left_out_when_the_file_was_read_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "rules.csv"
    file.write_text("id,text\na,Pay within 30 days.\nb,\n", "utf-8")
    status, out, err = call(capsys, "search", "--corpus", file, "pay", "--where-is", "Refunds take a week")
    assert status == 1
    problems = [line.removeprefix("retrieval-lab: ") for line in err.splitlines()]
    assert "No passage has this id" in out
    for problem in problems:
        assert problem in out


def test_a_condition_that_removes_the_passage_is_the_cause(capsys: pytest.CaptureFixture[str]) -> None:
    field = next(iter(samples.load("staff").corpus.get("sh-144").metadata))  # type: ignore[union-attr]
    _, answer = found(capsys, "sh-144", "--where", f"{field} = nothing-of-the-kind")
    (passage,) = answer["passages"]
    assert "removes it" in passage["sentence"]
    assert [x["kind"] for x in passage["changes"]] == ["threshold"]


def test_without_the_option_nothing_is_added(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, *ASK[:-1], "--json")
    assert status == 0
    assert "where_is" not in json.loads(out)
