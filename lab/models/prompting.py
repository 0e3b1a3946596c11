"""Prompts: their files, their placeholders, and the base class of operators that ask a model."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import ClassVar, TypeVar, cast

from lab.algebra import Env, knob, one_of
from lab.errors import ModelError
from lab.models.chat import LanguageModel, Shape, model_named
from lab.models.consult import Reading, Request, consult
from lab.words import LANGUAGES, Said

T = TypeVar("T")

NAMES = (
    ("question", "query", "latest_question"),
    ("document", "text", "context", "passages"),
    ("history", "chat_history"),
    ("n", "num_questions"),
    ("routes", "categories"),
    ("wordings", "sub_questions", "query_versions", "abstract_query"),
    ("adapted", "rewritten_query", "adapted_query"),
    ("intent", "industry"),
)
"""Names for the same value: prompts from elsewhere use one of them."""
OWN_NAMES = frozenset({"fence", "kinds", "perspective"})
"""Placeholders of the lab's own prompts that no help text lists."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def other_names(name: str) -> tuple[str, ...]:
    """Returns the further names under which a prompt gets the value of this one."""
    return next((tuple(other for other in names if other != name) for names in NAMES if name in names), ())


def fill(template: str, **values: str) -> str:
    """Fills the placeholders of a template in one pass: braces in a query or a prompt are left unchanged.

    A value is filled in under its further names as well (`other_names`).
    """
    every = {other: value for name, value in values.items() for other in other_names(name)} | values
    return _PLACEHOLDER.sub(lambda m: every.get(m.group(1), m.group()), template)


def missing_names(template: str, needs: Iterable[str]) -> tuple[str, ...]:
    """Returns the needed values that a prompt has under none of their names; an empty prompt is the lab's own."""
    placeholders = set(_PLACEHOLDER.findall(template))
    return tuple(name for name in needs if template and not placeholders & {name, *other_names(name)})


def unknown_names(template: str, help_text: str) -> tuple[str, ...]:
    """Returns the placeholders of a prompt that nothing fills in, in order; ``help_text`` lists those of its field."""
    listed_names = set(_PLACEHOLDER.findall(help_text))
    known = listed_names.union(OWN_NAMES, *map(other_names, listed_names))
    names = dict.fromkeys(_PLACEHOLDER.findall(template))
    return tuple(name for name in names if name not in known and name.isidentifier())


@cache
def prompts() -> dict[str, dict[str, str]]:
    """Returns the prompts of all techniques in both languages, from ``prompts.toml``."""
    return cast("dict[str, dict[str, str]]", tomllib.loads((files("lab.models") / "prompts.toml").read_text("utf-8")))


TEMPLATE = partial(knob, "", kind="prompt", label=Said("Prompt"), kw_only=True)
"""The field for a visitor's own prompt: the help lists the placeholders, ``needs`` the required ones."""


@dataclass(frozen=True)
class Prompted:
    """An operator that asks a language model with one prompt, and has a rule for runs without a model.

    ``template`` is the visitor's prompt, which replaces the technique's own; ``model`` is the name of a model of the
    run, and if it is empty, the rule is used.
    """

    asks_model: ClassVar[bool] = True
    key: ClassVar[str]

    template: str = TEMPLATE()
    model: str = knob(
        "",
        Said("Model"),
        Said("Name of a language model of the run. Empty: the rule is used."),
        kind="model",
        kw_only=True,
    )

    @property
    def wanted(self) -> int:
        """The maximum number of texts it makes."""
        return getattr(self, "n", 1)

    def prompt(self, language: str) -> str:
        """Returns the visitor's prompt, or else the lab's in this language (en or zh), with its placeholders."""
        one_of("language", language, LANGUAGES)
        return self.template or prompts()[self.key][language]

    def asked(self, env: Env) -> LanguageModel:
        """Returns the language model of this name.  Raises `ModelError` if the run does not have it."""
        model = model_named(env.models, self.model)
        if model is None:
            raise no_model(self.model)
        return model

    def consult(self, env: Env, request: Request[T], shape: Shape | None = None) -> Reading[T]:
        """Asks the model of this name one thing; a missing model is a problem of the reading."""
        try:
            model = self.asked(env)
        except ModelError as error:
            return Reading(None, None, error)
        return consult(model, [request], shape=shape, progress=env.progress)[0]


def no_model(name: str) -> ModelError:
    """Returns the error for a run without the language model of this name."""
    remedy = Said("Give it one, or leave the name empty: then the rule does the work.")
    return ModelError(Said("This run has no language model “{name}”.", name=name), remedy)
