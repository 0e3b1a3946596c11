"""The process of a native library: whatever it says, it is a `ModelError` in time, and the next text is read."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from regressions import load_cases

from lab.errors import ModelError
from lab.models.native import Library, Worker

FAKE = sys.executable, "-P", str(Path(__file__).parents[1] / "models" / "fake_worker.py")


@pytest.mark.parametrize("case", load_cases("worker_answers"))
def test_what_a_process_says_instead_of_vectors_is_an_error_in_time(case: dict[str, Any]):
    says = {name: case[name] for name in ("first", "answer") if name in case}
    worker = Worker(Library(Path(), {**says, "times": str(case.get("times", 1))}, FAKE), deadline=1.0, starting=5.0)
    try:
        start = time.monotonic()
        with pytest.raises(ModelError) as error:
            worker.embed(["a"], query=False, tokens=512, rank=0)
        assert time.monotonic() - start < 10
        assert error.value.remedy
        assert not worker.running
    finally:
        worker.close()
