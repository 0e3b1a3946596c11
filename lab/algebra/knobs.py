"""Operators and their knobs: frozen specifications whose fields carry their range and the words that people read.

`knob` makes such a field, `Operator` checks every field when a specification is made.  A default lives in the dataclass
field and nowhere else.  The functions below (`must`, `counted`, `within` …) raise `ParameterError` for bad values.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, cast

from lab.errors import ParameterError, PipelineError
from lab.words import N_, Said, joined

KINDS = ("number", "choice", "flag", "text", "date", "prompt", "words", "lines", "numbers", "spec", "model", "private")
"""How a parameter is set: a number (or none), one of its choices, a switch; a line, a day, several lines of text; words
separated by commas, words line by line, numbers separated by commas; a specification, written as an expression; a
model's name; a value that belongs to the machine and is never in a link."""


def knob(
    default: Any = dataclasses.MISSING,
    label: str = "",
    help: str = "",
    *,
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    choices: Mapping[str, str] | Sequence[str] | None = None,
    kind: str = "",
    offers: Collection[str] = (),
    called: Mapping[str, str] = MappingProxyType({}),
    rare: bool = False,
    search_time: bool = False,
    needs: Collection[str] = (),
    **options: Any,
) -> Any:
    """A dataclass field that describes itself: its default, its range, and its texts on the screen.

    ``label`` and ``help`` are `Said`; ``low`` and ``high`` are inclusive; ``choices`` are the allowed words, each with
    its name on the screen; ``offers`` are proposals, some with a name in ``called``, and others may be typed.  ``kind``
    is one of `KINDS`; without it, the default decides.  ``rare`` knobs are in a popover.  A ``search_time`` knob is
    read when a question is searched: changing it needs no new index.  ``needs`` are the placeholders without which a
    prompt is useless.  ``options`` are passed to `dataclasses.field`.  `Operator` checks the value at construction.
    """
    number = isinstance(default, int | float) or low is not None or high is not None
    default_kind = "choice" if choices else "flag" if isinstance(default, bool) else "number" if number else "text"
    labels = choices if isinstance(choices, Mapping) else {word: word for word in choices or ()} | dict(called)
    allowed = {"low": low, "high": high, "step": step, "choices": tuple(choices or ()) or None, "called": labels}
    words = {"label": label, "help": help, "kind": kind or default_kind, "offers": tuple(offers)}
    metadata = {**allowed, **words, "rare": rare, "search_time": search_time, "needs": tuple(needs)}
    field_options = options if "default_factory" in options else {**options, "default": default}
    return field(metadata=metadata, **field_options)


def fraction(default: float | None, label: str, help: str, *, step: float = 0.05, **options: Any) -> Any:
    """A `knob` from 0 to 1."""
    return knob(default, label, help, low=0.0, high=1.0, step=step, **options)


def must(condition: bool, template: str, **values: object) -> None:
    """Raises `ParameterError` with this message unless the condition holds."""
    if not condition:
        raise ParameterError(Said(template, **{name: shown(value) for name, value in values.items()}))


def shown(value: object) -> object:
    """A value as messages show it, on one line; a very large whole number, which Python does not write, by its size."""
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"{'-' * (value < 0)}10^{value.bit_length() * 0.30103:.0f}"
    if value is None or isinstance(value, str | Real):
        return value
    with suppress(ValueError):  # such a number is in it
        return repr(value)[:80]
    return type(value).__name__


def is_finite(value: object) -> bool:
    """Whether this is a number that a float can hold."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def from_json(text: str, most: int = 500) -> Any:
    """Parses a small value from JSON that anybody may have written: a link, a filter, a line of a file.

    Raises ValueError, also for more than ``most`` brackets: Python's own recursion limit may be reached anywhere.
    """
    if sum(map(text.count, "[{")) > most:
        raise ValueError(f"more than {most} brackets")
    return json.loads(text)


def at_least(name: str, value: float, low: float) -> None:
    """Raises `ParameterError` unless ``value >= low``."""
    in_bounds(name, value, low, None)


def counted(name: str, value: object, low: int = 1) -> None:
    """Raises `ParameterError` unless this is a whole number (not a bool) of at least ``low``."""
    if type(value) is int and value >= low:  # the fast path, since every search checks several values
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    must(whole, N_("{name} is {value}, but must be a whole number."), name=name, value=value)
    at_least(name, cast(int, value), low)


def at_most(name: str, value: float, high: float) -> None:
    """Raises `ParameterError` unless ``value <= high``."""
    in_bounds(name, value, None, high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raises `ParameterError` unless ``low <= value <= high``."""
    in_bounds(name, value, low, high)


def one_of(name: str, value: object, choices: Collection[object]) -> None:
    """Raises `ParameterError` unless ``value`` is one of ``choices``."""
    message = N_("{name} is “{value}”, but must be one of: {choices}.")
    must(value in choices, message, name=name, value=str(shown(value))[:80], choices=joined(choices, ", "))


def listed(name: str, value: object) -> tuple[Any, ...]:
    """Returns a list as a tuple.  Raises `ParameterError` for anything else; a text would be split into letters."""
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    must(is_list, N_("{name} is “{value}”, but must be {wanted}."), name=name, value=value, wanted=Said("a list"))
    return tuple(cast(Iterable[Any], value))


def fits(name: str, parts: Sequence[object], kind: type[Any]) -> None:
    """Raises `PipelineError` for a part that is not of this kind."""
    for part in parts:
        if not isinstance(part, kind):
            wrong = Said("“{name}” cannot hold {part}.", name=name, part=type(part).__name__)
            raise PipelineError(wrong, Said("Accepted: {kind}.", kind=kind.__name__))


def require(condition: bool, message: Said, remedy: Said) -> None:
    """Raises `PipelineError` with this message unless the condition holds."""
    if not condition:
        raise PipelineError(message, remedy)


NEEDS: Mapping[str, Said] = MappingProxyType(
    {
        "question": Said("the question"),
        "turns": Said("earlier turns"),
        "scores": Said("scores"),
        "texts": Said("texts"),
        "metadata": Said("metadata"),
        "vectors": Said("vectors"),
        "model": Said("a language model"),
    }
)
"""What an operator may need from its input list, from the question and from the run."""


@dataclass(frozen=True)
class Operator:
    """A frozen specification of a technique.  Its parameters are checked against their ranges at construction.

    ``key`` is its stable name in links, files, prompts and colours: the class name in lower case by default.
    A subclass with its own ``__post_init__`` calls ``super().__post_init__()`` first.
    """

    key: ClassVar[str] = "operator"
    technique: ClassVar[str] = ""
    """The name of the technique without parameters, if its ``label`` includes them; otherwise its label is the name."""
    about: ClassVar[str] = ""
    """The description, one sentence, shown where a technique is chosen."""
    asks_model: ClassVar[bool] = False
    """Whether its field ``model`` names a language model of the run."""
    portable: ClassVar[bool] = True
    """Whether a file or a link may contain it; an operator with an address or a key is not portable."""
    inputs: ClassVar[tuple[str, ...] | None] = None
    """The parts of a list and its question that it depends on (from `NEEDS`); None: unknown, possibly all."""
    cuts_only: ClassVar[bool] = False
    """Whether it only shortens a list, so the scores are those of the list before."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "key" not in cls.__dict__:
            cls.key = cls.__name__.lower()

    def __post_init__(self) -> None:
        checked(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """What it needs (from `NEEDS`) with these parameters: its `inputs`, an embedder's vectors, a language model."""
        names = set(self.inputs or ())
        if hasattr(self, "embedder"):
            names.add("vectors")
        if self.asks_model and getattr(self, "model", None):
            names.add("model")
        return tuple(name for name in NEEDS if name in names)

    @property
    def label(self) -> str:
        """The name of a list made by this operator."""
        return type(self).__name__


def checked(specification: Any) -> None:
    """Checks every parameter of a frozen dataclass at construction: its kind, its range, its choices.

    Values written in another form are converted: a list becomes a tuple, 10.0 from a file becomes 10.
    """
    for f in dataclasses.fields(specification):
        value = getattr(specification, f.name)
        if "low" in f.metadata and not (value is None and f.default is None):  # a parameter may be left empty
            default = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
            object.__setattr__(specification, f.name, _checked(f.name, value, default, f.metadata))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


class Rule(NamedTuple):
    """The check that a value must pass, and the expected kind in the message about one that does not."""

    fits: Callable[[Any], bool]
    expected: Said


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "flag": Rule(lambda value: isinstance(value, bool), Said("true or false")),
        **dict.fromkeys(("text", "date", "prompt", "model"), Rule(_is_text, Said("a text"))),
        **dict.fromkeys(("words", "lines"), Rule(lambda values: all(map(_is_text, values)), Said("a list of texts"))),
        "numbers": Rule(lambda values: all(map(is_finite, values)), Said("a list of numbers")),
    }
)
"""The rule for each kind of parameter; numbers also have a range, and specifications a family."""
BOUNDS: Mapping[tuple[bool, bool], str] = MappingProxyType(
    {
        (True, True): N_("{name} is {value}, but must lie between {low} and {high}."),
        (True, False): N_("{name} is {value}, but must be at least {low}."),
        (False, True): N_("{name} is {value}, but must be at most {high}."),
    }
)
"""The message about a number outside its bounds, by which bounds (low, high) there are."""


def in_bounds(name: str, value: float, low: float | None, high: float | None) -> None:
    """Raises `ParameterError` unless the value is within the bounds; either may be missing."""
    inside = (low is None or value >= low) and (high is None or value <= high)
    if not inside:
        message = BOUNDS[low is not None, high is not None]
        must(inside, message, name=name, value=value, low=low, high=high)


def _checked(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    kind = "flag" if isinstance(default, bool) else meta["kind"]
    if meta["choices"] is not None:
        one_of(name, value, meta["choices"])
    if kind == "number":
        return _number(name, value, default, meta)
    form = listed(name, value) if kind in ("words", "lines", "numbers") else value
    rule = _of_family(default) if kind == "spec" else RULES.get(kind)
    if rule is not None:
        message = N_("{name} is “{value}”, but must be {wanted}.")
        must(rule.fits(form), message, name=name, value=value, wanted=rule.expected)
    return frozenset(form) if isinstance(default, frozenset) else form


def _of_family(default: object) -> Rule | None:
    """The rule of a specification: it belongs to the family of its default, if that is a specification."""
    family = [c for c in type(default).__mro__ if dataclasses.is_dataclass(c)]
    if not family:
        return None
    base = [c for c in family if c is not Operator][-1]
    return Rule(lambda value: isinstance(value, base), Said("a {kind}", kind=base.__name__))


def _number(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    number, values = isinstance(value, Real) and not isinstance(value, bool), {"name": name, "value": value}
    must(number, N_("{name} is “{value}”, but must be a number."), **values)
    in_bounds(name, value, meta["low"], meta["high"])
    must(is_finite(value), N_("{name} is {value}, but must be a finite number."), **values)
    if isinstance(default, int) and not isinstance(value, int):
        must(not value % 1, N_("{name} is {value}, but must be a whole number."), **values)
        return int(value)
    return value
