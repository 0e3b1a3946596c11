"""Numbers in runs, judgments and floors: finite ones in plain digits; anything else is refused, with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from regressions import load_cases

from lab import cli
from lab.corpus.beir import questions
from lab.errors import LabError
from lab.evaluate.trec import read_trec


@pytest.mark.parametrize("case", load_cases("runs"))
def test_a_number_is_finite_and_in_plain_digits(case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture):
    if "score" in case:
        assert _read(case, tmp_path) == {"d": case["score"], "first": 9.0}
        return
    if "floor" in case:
        assert cli.main(["evaluate", "--corpus", "devices", "--retriever", "bm25", "--at-least", case["floor"]]) == 2
        message = capsys.readouterr().err
    else:
        with pytest.raises(LabError) as error:
            _read(case, tmp_path)
        message = str(error.value)
    assert case["error"] in message


def _read(case: dict[str, Any], folder: Path) -> dict[str, float]:
    """What the file of the case has for its question."""
    if "judgment" in case:
        (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{case['judgment']}\n", "utf-8")
        (folder / "queries.jsonl").touch()
        return dict(questions(folder, qrels="qrels.tsv")[1]["q"])
    file = folder / "theirs.trec"
    file.write_text(f"q Q0 first 1 9.0 theirs\n{case['line']}\n", "utf-8")
    return dict(read_trec(file).results["q"])
