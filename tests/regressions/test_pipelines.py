"""A search from outside is read or refused with a sentence, alike as a file, a link and an expression."""

from __future__ import annotations

import base64
import re
import time
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from regressions import load_cases, written_out

from lab import formats
from lab.algebra import Searcher
from lab.errors import PipelineError

SECONDS = 5.0
"""No search takes longer to be read or refused, on a busy machine."""


def packed(text: str) -> str:
    """Returns a TOML text as it stands in a link."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii").rstrip("=")


def ways(case: dict[str, Any]) -> list[Callable[[], Searcher]]:
    text = written_out(case["text"])
    if case["written"] == "expression":
        return [lambda: formats.parse(text), lambda: formats.read(text)]
    link = packed(text)
    return [
        lambda: formats.from_toml(text),
        lambda: formats.from_link(link),
        lambda: formats.read(text),
        lambda: formats.read(link),
    ]


@pytest.mark.parametrize("case", load_cases("pipelines"))
def test_a_search_is_read_or_refused_with_a_sentence(case: dict[str, Any]) -> None:
    for read in ways(case):
        begun = time.perf_counter()
        if "says" not in case:
            search = read()
            assert formats.from_link(formats.to_link(search)) == search
            assert formats.parse(formats.expression(search)) == search
            continue
        with pytest.raises(PipelineError) as refused:
            read()
        assert time.perf_counter() - begun < SECONDS
        assert re.sub(r"\s+", " ", case["says"]) in str(refused.value)
        assert len(str(refused.value)) < 1000
        if "line" in case:
            assert re.match(rf"Line {case['line']}[,:]", str(refused.value))
