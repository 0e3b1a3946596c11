"""The words of questions and of tables: `words.toml`, read once.

``names``: (tags, English, Chinese); ``roles`` and ``adjectives`` by language; ``units``, ``abbreviated``, ``states`` by
what the words mean.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def word_lists() -> Mapping[str, Any]:
    """The tables of ``words.toml``; `words_in` gives the words of an entry."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def words_in(said: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(word for part in said.split(",") if (word := " ".join(part.split())))
