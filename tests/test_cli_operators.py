"""Operators on the command line: the same as on the pages, and off until asked for."""

from __future__ import annotations

import json

import pytest

from lab.cli import main


def ids(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["search", "--corpus", "devices", "--json", "-k", "100", *words]) == 0
    return [hit["id"] for hit in json.loads(capsys.readouterr().out)["hits"]]


def test_operators_filter_only_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    question = '"factory reset" -watch'
    plain, kept = ids(capsys, question), ids(capsys, "--operators", question)
    assert kept
    assert set(kept) < set(plain)
    written = ids(capsys, "--retriever", "StripOperators() >> BM25() >> Operators()", question)
    assert written == kept


def test_how_the_question_was_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--corpus", "devices", "--operators", 'reset -watch "sound']) == 0
    told = capsys.readouterr().err
    assert "Read as: at least one of: reset, sound; excluded: watch; ranked by: reset sound." in told
    assert "A quotation mark is not closed" in told


def test_only_excluding_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--corpus", "devices", "--operators", "NOT watch"]) == 2
    assert "no word to search by" in capsys.readouterr().err
