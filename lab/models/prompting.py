"""Prompts: where they are kept, how they are filled, and what an answer is that cannot be read."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from lab.errors import ModelError
from lab.words import N_, Said

LONGEST_SHOWN = 2000
"""Characters of an answer that are shown: pages that hold megabytes of one stand still."""


def beginning(text: str) -> str:
    """An answer as it is shown: where it is very long, its first characters, and how many there are."""
    if len(text) <= LONGEST_SHOWN + 100:
        return text
    return f"{text[:LONGEST_SHOWN]} … [{LONGEST_SHOWN:,} / {len(text):,}]"


class Unreadable(ModelError):
    """An answer that the parser rejects: ``answer`` is its `beginning`, ``expected`` what it should have been."""

    def __init__(self, answer: str, expected: str) -> None:
        self.answer, self.expected = beginning(answer), expected
        short = answer if len(answer) <= 300 else answer[:300] + "…"
        said = N_("The model's answer could not be read: “{answer}”. Expected: {expected}.")
        remedy = Said("Try again, change the prompt, or use the rule.")
        super().__init__(Said(said, answer=short, expected=expected), remedy)

    def __reduce__(self) -> tuple[object, ...]:
        return Unreadable, (self.answer, self.expected)


def fill(template: str, **values: str) -> str:
    """The template with its placeholders filled in one pass: braces in a query or a prompt stay what they are."""
    return re.sub(r"\{(\w+)\}", lambda m: values.get(m.group(1), m.group()), template)


@cache
def prompts() -> dict[str, dict[str, str]]:
    """The prompts of all techniques in both languages, from ``prompts.toml``."""
    found: dict[str, dict[str, str]] = tomllib.loads((files("lab.models") / "prompts.toml").read_text("utf-8"))
    return found
