"""Prompts: where they are kept, how they are filled, and what an answer is that cannot be read."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Any, ClassVar

from lab.algebra import Env, knob, one_of
from lab.errors import ModelError
from lab.words import LANGUAGES, N_, Said

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


TEMPLATE = partial(knob, "", kind="prompt", label=Said("Prompt"), kw_only=True)
"""The field for a prompt of the visitor's own; its help says what is filled in."""


@dataclass(frozen=True)
class Prompted:
    """What asks a language model by one prompt, and has a rule for where there is none.

    ``template`` is the prompt of the visitor in the place of the technique's own, ``model`` the name of a setting of
    the run; where it is empty, the rule works.
    """

    asks_model: ClassVar[bool] = True
    key: ClassVar[str]

    template: str = TEMPLATE()
    model: str = knob(
        "",
        kind="model",
        label=Said("Model"),
        help=Said("Name of a language model of the run. Empty: the rule is used."),
        kw_only=True,
    )

    @property
    def wanted(self) -> int:
        """How many texts it makes at most."""
        return getattr(self, "n", 1)

    def prompt(self, language: str) -> str:
        """The prompt in this language (en or zh), with its placeholders; the visitor's own, where there is one."""
        one_of("language", language, LANGUAGES)
        return self.template or prompts()[self.key][language]

    def asked(self, env: Env) -> Any:
        """The language model of this name.  Raises `ModelError` where the run has none."""
        model = env.models.get(self.model)
        if model is None:
            remedy = Said("Give it one, or leave the name empty: then the rule does the work.")
            raise ModelError(Said("This run has no language model “{name}”.", name=self.model), remedy)
        return model
