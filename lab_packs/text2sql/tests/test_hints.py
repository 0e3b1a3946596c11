"""A file of hints is read or refused with a sentence that names the place."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from regressions import load_cases, written_out

from lab.errors import UploadError
from lab_packs.text2sql.hints import read_hints


def listed(value: Any) -> Any:
    """Returns the value as TOML gives it: with lists for tuples."""
    if isinstance(value, dict):
        return {name: listed(held) for name, held in value.items()}
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", load_cases(str(Path(__file__).with_name("hints"))))
def test_a_file_of_hints_is_read_or_refused_with_a_sentence(case: dict[str, Any]) -> None:
    text = written_out(case["text"])
    if "tells" in case:
        hints = read_hints(text)
        for name, fields in case["tells"].items():
            assert {key: listed(getattr(hints[name], key)) for key in fields} == fields
        return
    begun = time.perf_counter()
    with pytest.raises(UploadError) as refused:
        read_hints(text)
    assert time.perf_counter() - begun < 5
    assert case["says"] in str(refused.value)
    assert refused.value.remedy
