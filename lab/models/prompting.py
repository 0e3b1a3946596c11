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
    (
        "question", "query", "latest_question", "input", "query_str", "user_question", "user_query",
        "original_question", "original_query",
    ),
    ("document", "text", "context", "passages", "context_str", "context_msg", "summaries", "documents", "knowledge"),
    ("history", "chat_history", "chat_history_str", "conversation"),
    ("n", "num_questions", "num_queries"),
    ("routes", "categories", "destinations"),
    ("wordings", "sub_questions", "query_versions", "abstract_query"),
    ("adapted", "rewritten_query", "adapted_query"),
    ("intent", "industry"),
)  # fmt: skip
"""Names for the same value: prompts from elsewhere use one of them."""
OWN_NAMES = frozenset({"fence", "kinds", "perspective"})
"""Placeholders of the lab's own prompts that no help text lists."""
_PLACEHOLDER = re.compile(r"\{\{ *(\w+) *\}\}|\{(\w+)\}")
"""``{question}``, or ``{{ question }}`` as in Jinja."""
_EXPRESSION = re.compile(
    r"\{\{[^{}\"':]*\}\}|\{%.*?%\}|\{[^\W\d]\w*(?:[.\[!][^{}\n]*"
    r"|:(?:%[^\s{}]+|(?:.?[<>=^])?[-+ ]?#?\d*[,_]?(?:\.\d+)?[bcdeEfFgGnosxX%]?))\}|%\([^\W\d]\w*\)[a-z]"
    rf"|\$(?:{'|'.join(name for names in NAMES for name in names)})\b"
)
"""What other template languages fill in: ``{{ documents[0].content }}``, ``{% for d in documents %}``, ``{score:.2f}``,
``%(question)s``, ``$question``; not the sketch of a JSON object, ``{answer:string}``."""


def other_names(name: str) -> tuple[str, ...]:
    """Returns the further names under which a prompt gets the value of this one."""
    return next((tuple(other for other in names if other != name) for names in NAMES if name in names), ())


def fill(template: str, **values: str) -> str:
    """Fills the placeholders of a template in one pass: braces in a query or a prompt are left unchanged.

    A value is filled in under its further names as well (`other_names`).
    """
    every = {other: value for name, value in values.items() for other in other_names(name)} | values
    return _PLACEHOLDER.sub(lambda m: every.get(m[1] or m[2], m[0]), template)


def missing_names(template: str, needs: Iterable[str]) -> tuple[str, ...]:
    """Returns the needed values that a prompt has under none of their names; an empty prompt is the lab's own."""
    placeholders = _names_in(template)
    return tuple(name for name in needs if template and not placeholders & {name, *other_names(name)})


def unknown_names(template: str, help_text: str) -> tuple[str, ...]:
    """Returns what a prompt has in braces and nothing fills in, as written; ``help_text`` lists the field's names."""
    listed_names = _names_in(help_text)
    known = listed_names.union(OWN_NAMES, *map(other_names, listed_names))
    names = {m.start(): m for m in _PLACEHOLDER.finditer(template) if _names_in(m[0]) - known}
    expressions = {m.start(): m for m in _EXPRESSION.finditer(template) if not _PLACEHOLDER.fullmatch(m[0])}
    return tuple(dict.fromkeys(m[0] for _, m in sorted({**expressions, **names}.items())))


def _names_in(template: str) -> set[str]:
    names = (m[1] or m[2] for m in _PLACEHOLDER.finditer(template))
    return {name for name in names if name.isidentifier()}


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
