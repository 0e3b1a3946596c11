"""Operators and their knobs: frozen specifications whose fields carry their range and the words that people read.

`knob` makes such a field, `Operator` checks every field when a specification is made.  A default lives in the dataclass
field and nowhere else.  The functions below (`must`, `counted`, `within` …) raise `ParameterError` for bad values.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, ClassVar, cast

from lab.errors import ParameterError, PipelineError
from lab.words import N_, Said

KINDS = ("number", "choice", "flag", "text", "date", "prompt", "words", "lines", "numbers", "spec", "model", "private")
"""How a knob is set: a number (or none), one of its choices, a switch; a line, a day, several lines of text; words
parted by commas, words line by line, numbers parted by commas; a specification, written as an expression; a model's
name; what belongs to the machine and stands in no link."""


def knob(
    default: Any = dataclasses.MISSING,
    *,
    label: str = "",
    help: str = "",
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    choices: Mapping[str, str] | Sequence[str] | None = None,
    kind: str = "",
    offers: Collection[str] = (),
    rare: bool = False,
    search_time: bool = False,
    **options: Any,
) -> Any:
    """A dataclass field that speaks for itself: its default, its range, and the words that people read.

    ``label`` and ``help`` are `Said`; ``low`` and ``high`` are inclusive; ``choices`` are the allowed words, each with
    what it is called; ``offers`` are proposals beside which others may be typed.  ``kind`` is one of `KINDS`; the
    default tells it where it is left out.  ``rare`` knobs stand in a popover.  A ``search_time`` knob is read when a
    question is asked: changing it needs no new index.  ``options`` are those of `dataclasses.field`.  `Operator`
    checks the value at construction.
    """
    number = isinstance(default, int | float) or low is not None or high is not None
    told = "choice" if choices else "flag" if isinstance(default, bool) else "number" if number else "text"
    called = choices if isinstance(choices, Mapping) else {word: word for word in choices or ()}
    allowed = {"low": low, "high": high, "step": step, "choices": tuple(called) or None, "called": called}
    words = {"label": label, "help": help, "kind": kind or told, "offers": tuple(offers)}
    metadata = {**allowed, **words, "rare": rare, "search_time": search_time}
    made = options if "default_factory" in options else {**options, "default": default}
    return field(metadata=metadata, **made)


def must(held: bool, template: str, **values: object) -> None:
    """Raise `ParameterError` with this sentence unless something holds."""
    if not held:
        raise ParameterError(Said(template, **{name: shown(value) for name, value in values.items()}))


def shown(value: object) -> object:
    """A value as a sentence has it, in one line: of a very large whole number its size (Python does not write it)."""
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
    """A small value out of JSON that anybody may have written: a link, a filter, a line of a file.

    Raises ValueError, also for more than ``most`` brackets: Python's own limit of recursion may be met anywhere.
    """
    if sum(map(text.count, "[{")) > most:
        raise ValueError(f"more than {most} brackets")
    return json.loads(text)


def at_least(name: str, value: float, low: float) -> None:
    """Raise `ParameterError` unless ``value >= low``."""
    must(value >= low, N_("{name} is {value}, but must be at least {low}."), name=name, value=value, low=low)


def counted(name: str, value: object, low: int = 1) -> None:
    """Raise `ParameterError` unless this is a whole number (True is none), ``low`` or more."""
    if type(value) is int and value >= low:  # quickly, since every search asks it several times
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    must(whole, N_("{name} is {value}, but must be a whole number."), name=name, value=value)
    at_least(name, cast(int, value), low)


def at_most(name: str, value: float, high: float) -> None:
    """Raise `ParameterError` unless ``value <= high``."""
    must(value <= high, N_("{name} is {value}, but must be at most {high}."), name=name, value=value, high=high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise `ParameterError` unless ``low <= value <= high``."""
    said = N_("{name} is {value}, but must lie between {low} and {high}.")
    must(low <= value <= high, said, name=name, value=value, low=low, high=high)


def one_of(name: str, value: object, choices: Collection[object]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    said, known = N_("{name} is “{value}”, but must be one of: {choices}."), ", ".join(map(str, choices))
    must(value in choices, said, name=name, value=str(shown(value))[:80], choices=known)


def listed(name: str, value: object) -> tuple[Any, ...]:
    """A list as a tuple.  Raises `ParameterError` for what is none; a word alone would be cut to letters."""
    said = N_("{name} is “{value}”, but must be {wanted}.")
    held = isinstance(value, Iterable) and not isinstance(value, str)
    must(held, said, name=name, value=value, wanted=Said("a list"))
    return tuple(cast(Iterable[Any], value))


def fits(name: str, parts: Sequence[object], kind: type[Any]) -> None:
    """Raise `PipelineError` for a part that is not of this kind."""
    for part in parts:
        if not isinstance(part, kind):
            wrong = Said("“{name}” cannot hold {part}.", name=name, part=type(part).__name__)
            raise PipelineError(wrong, Said("Accepted: {kind}.", kind=kind.__name__))


def require(held: bool, what: Said, remedy: Said) -> None:
    """Raise `PipelineError` with this sentence unless something holds."""
    if not held:
        raise PipelineError(what, remedy)


@dataclass(frozen=True)
class Operator:
    """A frozen specification of a technique.  Knobs are checked against their ranges when it is made.

    ``key`` is its stable name in links, files, prompts and colours: the plain class name, unless it says otherwise.
    A subclass with its own ``__post_init__`` calls ``super().__post_init__()`` first.
    """

    key: ClassVar[str] = "operator"
    technique: ClassVar[str] = ""
    """What it is called before it has knobs, where its ``label`` tells them too; else that is its label."""
    about: ClassVar[str] = ""
    """What it does, in one sentence for whoever chooses."""
    asks_model: ClassVar[bool] = False
    """Whether its field ``model`` names a language model of the run."""
    portable: ClassVar[bool] = True
    """Whether a file or a link may hold it; what has an address or a key is not portable."""
    cuts_only: ClassVar[bool] = False
    """Whether it only shortens a list, so that the scores are those of the list before."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "key" not in cls.__dict__:
            cls.key = cls.__name__.lower()

    def __post_init__(self) -> None:
        checked(self)

    @property
    def label(self) -> str:
        """What a list made by this operator is called."""
        return type(self).__name__


def checked(specification: Any) -> None:
    """Look at every knob of a frozen dataclass that is being made: its kind, its range, its choices.

    What is written in another form gets its own: a list becomes a tuple, 10.0 from a file a 10.
    """
    for f in dataclasses.fields(specification):
        value = getattr(specification, f.name)
        if "low" in f.metadata and not (value is None and f.default is None):  # a knob may be left open
            default = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
            object.__setattr__(specification, f.name, _checked(f.name, value, default, f.metadata))


def _checked(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    kind, told = meta["kind"], {"name": name, "value": value}
    said = N_("{name} is “{value}”, but must be {wanted}.")
    if meta["choices"] is not None:
        one_of(name, value, meta["choices"])
    if isinstance(default, bool):
        must(isinstance(value, bool), said, wanted=Said("true or false"), **told)
    elif kind == "number":
        return _number(name, value, default, meta)
    elif kind in ("words", "lines", "numbers"):
        own = listed(name, value)
        fit = all(map(is_finite, own)) if kind == "numbers" else all(isinstance(one, str) for one in own)
        must(fit, said, wanted=Said("a list of numbers") if kind == "numbers" else Said("a list of texts"), **told)
        return frozenset(own) if isinstance(default, frozenset) else own
    elif kind in ("text", "date", "prompt", "model"):
        must(isinstance(value, str), said, wanted=Said("a text"), **told)
    elif kind == "spec" and (family := [c for c in type(default).__mro__ if dataclasses.is_dataclass(c)]):
        wanted = [c for c in family if c is not Operator][-1]
        must(isinstance(value, wanted), said, wanted=Said("a {kind}", kind=wanted.__name__), **told)
    return value


def _number(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    low, high, told = meta["low"], meta["high"], {"name": name, "value": value}
    number = isinstance(value, Real) and not isinstance(value, bool)
    must(number, N_("{name} is “{value}”, but must be a number."), **told)
    if low is not None and high is not None:
        within(name, value, low, high)
    elif low is not None:
        at_least(name, value, low)
    elif high is not None:
        at_most(name, value, high)
    must(is_finite(value), N_("{name} is {value}, but must be a finite number."), **told)
    if isinstance(default, int) and not isinstance(value, int):
        must(not value % 1, N_("{name} is {value}, but must be a whole number."), **told)
        return int(value)
    return value
