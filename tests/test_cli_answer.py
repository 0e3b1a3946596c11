"""Answers on the command line: footnotes that stand in their passages, status 3, a prompt, a model."""

from __future__ import annotations

import json
import re

import pytest
from models.server import Server

from lab import cli
from lab.answer.searched import presets
from lab.cli import options
from lab.corpus import samples

WATCH = ["answer", "--corpus", "devices", "手表不能充电怎么办"]


def test_an_answer_has_footnotes_that_stand_in_their_passages(capsys: pytest.CaptureFixture[str]) -> None:
    corpus = samples.load("devices").corpus
    assert cli.main([*WATCH, "--extract", "Extractive(limit=0)"]) == 0
    told = capsys.readouterr().out
    notes = re.findall(r"^\[\^(\d+)\]: .*?\(?([\w-]+)\)? · “(.*)”$", told, re.MULTILINE)
    assert notes
    for number, doc, sentence in notes:
        document = corpus.get(doc)
        assert document is not None
        assert sentence in " ".join(document.content.split())
        assert f"[^{number}]" in told.split("\n\n")[0]


def test_an_answer_as_json_names_its_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*WATCH, "--extract", "Extractive(limit=0)", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["says"] is True
    numbers = {p["number"]: p for p in told["passages"]}
    for sentence in told["sentences"]:
        for source in sentence["sources"]:
            assert source["sentence"] in numbers[source["number"]]["title"] + "\n" + numbers[source["number"]]["text"]


def test_where_the_passages_do_not_say_the_status_is_3_and_nothing_is_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main([*WATCH, "--extract", "Extractive(limit=10)"]) == 3
    out, told = capsys.readouterr()
    assert out == ""
    assert "threshold 10.00" in told
    assert "which is no answer" in told


def test_the_prompt_is_printed_and_nobody_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*WATCH, "--prompt", "--context", "Context(most=2, order='long-context')"]) == 0
    told = capsys.readouterr().out
    assert told.count("\n### [") == 2
    assert told.rstrip().endswith("手表不能充电怎么办")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--cite", "BM25()"], "is not a CitationRule"),
        (["--context", "Context(budget=1)"], "budget"),
        (["--rounds", "0"], "rounds"),
        (["--model"], "No language model is set"),
        (["--extract", "Extractive(nothing=1)"], "nothing"),
    ],
)
def test_a_part_of_an_answer_that_is_none_is_said(
    wrong: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LAB_LLM_BASE_URL", "LAB_LLM_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert cli.main([*WATCH, *wrong]) == 2
    assert said in capsys.readouterr().err


def test_a_model_answers_from_the_passages_and_a_rule_cites(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server("请先把充电座擦干净。月亮是奶酪做的。") as server:
        monkeypatch.setenv("LAB_LLM_BASE_URL", server.url)
        monkeypatch.setenv("LAB_LLM_MODEL", "m")
        assert cli.main([*WATCH, "--model", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [s["text"] for s in told["sentences"]] == ["请先把充电座擦干净。", "月亮是奶酪做的。"]
        assert told["by"] == "m"
        assert told["sentences"][1]["sources"] == []
        server.answer = "资料没有说明。"
        assert cli.main([*WATCH, "--model"]) == 3
        assert len(server.requests) == 2


def test_a_ready_prompt_tells_what_the_search_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert [*presets()] == [*options.READY]
    asked = ["answer", "--corpus", "handbook", "--retriever", "SubQuestions(abstains=False)(BM25())", "--prompt"]
    cli.main([*asked, "--ready", "parts", "年假有几天，以及病假怎么申请"])
    told = capsys.readouterr().out
    assert "- 年假有几天？\n- 病假怎么申请？" in told
    cli.main([*asked, "年假有几天，以及病假怎么申请"])
    assert "- 年假有几天？" not in capsys.readouterr().out


def test_an_outdated_source_is_said_and_listed_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    old = [
        "answer",
        "--corpus",
        "staff",
        "--where",
        "version = 2022",
        "--extract",
        "Extractive(limit=0)",
        "annual leave",
    ]
    assert cli.main([*old, "--json"]) == 0
    out, errors = capsys.readouterr()
    (sentence,) = json.loads(out)["replaced"]
    assert "Replaced by “Annual leave (2025)” of 2025-01-01" in sentence
    assert sentence in errors
    new = [word.replace("2022", "2025") for word in old]
    assert cli.main([*new, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["replaced"] == []
