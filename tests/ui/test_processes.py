"""Several processes with one folder of uploads: no grade is lost, and a replaced upload is at every moment whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
TOKEN = "t" * 43
BEGIN = """
import json, sys
from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.errors import LabError
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor

number, times, visitor = int(sys.argv[1]), int(sys.argv[2]), Visitor("t" * 43)
print("ready", flush=True)
sys.stdin.readline()
"""
JUDGES = """
for i in range(times):
    document = Document(f"{number}/{i}", f"Passage {i} of process {number}.")
    keeping.change(visitor, lambda judgments: judgments.given("when?", document, i % 4, f"rater {number}"))
print(json.dumps(len(keeping.judgments(visitor))))
"""
REPLACES = """
own, failed = keeping.OwnCorpora(visitor), []
for i in range(times):
    documents = tuple(Document(f"{number}/{i}/{j}", "The kiln fires.") for j in range(1 + i % 7))
    try:
        own["same"] = Collection(Corpus("same", documents))
    except Exception as error:
        failed.append(repr(error))
print(json.dumps(failed))
"""
LOADS = """
import select
own, failed, seen = keeping.OwnCorpora(visitor), [], 0
while not select.select([sys.stdin], [], [], 0)[0]:
    try:
        documents = own["same"].corpus.documents
        passages = {one.name: one.passages for one in own.listed() if one.sound}["same"]
        i = int(documents[0].id.split("/")[1])
        assert len(documents) == 1 + i % 7, documents
        seen += 1
    except Exception as error:
        failed.append(repr(error))
print(json.dumps([failed, seen]))
"""


def together(folder: Path, times: int, *scripts: str) -> list[Any]:
    """What processes print that begin together; the last one goes on until the others have ended."""
    environment = os.environ | {"LAB_UPLOADS_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environment, "text": True}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(subprocess.Popen([sys.executable, "-c", BEGIN + script, str(i), str(times)], **pipes))
            for i, script in enumerate(scripts)
        ]
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            process.stdin.write("begin\n")
            process.stdin.flush()
        said = [json.loads(process.communicate("end\n")[0]) for process in processes]
        assert [process.returncode for process in processes] == [0] * len(processes)
    return said


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.mark.parametrize("times", [15, pytest.param(200, marks=pytest.mark.nightly)])
def test_two_processes_that_judge_at_the_same_time_lose_no_grade(disk: Path, times: int) -> None:
    together(disk, times, JUDGES, JUDGES)
    found = keeping.judgments(Visitor(TOKEN))
    assert {j.place.origin for j in found.history} == {f"{n}/{i}" for n in (0, 1) for i in range(times)}
    for n in (0, 1):  # each in its own order
        assert [j.place.origin for j in found.history if j.rater == f"rater {n}"] == [f"{n}/{i}" for i in range(times)]


@pytest.mark.nightly
@pytest.mark.parametrize("times", [15, 150])
def test_an_upload_that_two_processes_replace_is_at_every_moment_whole_for_a_third(disk: Path, times: int) -> None:
    keeping.OwnCorpora(Visitor(TOKEN))["same"] = Collection(Corpus("same", (Document("2/0/0", "The kiln fires."),)))
    one, other, (failed, seen) = together(disk, times, REPLACES, REPLACES, LOADS)
    assert (one, other, failed) == ([], [], [])
    assert seen > 0
    left = keeping.OwnCorpora(Visitor(TOKEN))
    assert [listed.name for listed in left.listed()] == ["same"]
    assert left["same"].corpus.documents[0].id.split("/")[1] == str(times - 1)
    assert len([*disk.rglob("corpus.jsonl")]) == 1
