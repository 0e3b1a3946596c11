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
    needs: Collection[str] = (),
    **options: Any,
) -> Any:
    """A dataclass field that speaks for itself: its default, its range, and the words that people read.

    ``label`` and ``help`` are `Said`; ``low`` and ``high`` are inclusive; ``choices`` are the allowed words, each with
    what it is called; ``offers`` are proposals beside which others may be typed.  ``kind`` is one of `KINDS`; the
    default tells it where it is left out.  ``rare`` knobs stand in a popover.  A ``search_time`` knob is read when a
    question is asked: changing it needs no new index.  ``needs`` are the placeholders without which a prompt is
    useless.  ``options`` are those of `dataclasses.field`.  `Operator` checks the value at construction.
    """
    number = isinstance(default, int | float) or low is not None or high is not None
    told = "choice" if choices else "flag" if isinstance(default, bool) else "number" if number else "text"
    called = choices if isinstance(choices, Mapping) else {word: word for word in choices or ()}
    allowed = {"low": low, "high": high, "step": step, "choices": tuple(called) or None, "called": called}
    words = {"label": label, "help": help, "kind": kind or told, "offers": tuple(offers)}
    metadata = {**allowed, **words, "rare": rare, "search_time": search_time, "needs": tuple(needs)}
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
    in_bounds(name, value, low, None)


def counted(name: str, value: object, low: int = 1) -> None:
    """Raise `ParameterError` unless this is a whole number (True is none), ``low`` or more."""
    if type(value) is int and value >= low:  # quickly, since every search asks it several times
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    must(whole, N_("{name} is {value}, but must be a whole number."), name=name, value=value)
    at_least(name, cast(int, value), low)


def at_most(name: str, value: float, high: float) -> None:
    """Raise `ParameterError` unless ``value <= high``."""
    in_bounds(name, value, None, high)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise `ParameterError` unless ``low <= value <= high``."""
    in_bounds(name, value, low, high)


def one_of(name: str, value: object, choices: Collection[object]) -> None:
    """Raise `ParameterError` unless ``value`` is one of ``choices``."""
    said, known = N_("{name} is “{value}”, but must be one of: {choices}."), ", ".join(map(str, choices))
    must(value in choices, said, name=name, value=str(shown(value))[:80], choices=known)


def listed(name: str, value: object) -> tuple[Any, ...]:
    """A list as a tuple.  Raises `ParameterError` for what is none; a word alone would be cut to letters."""
    held = isinstance(value, Iterable) and not isinstance(value, str)
    must(held, N_("{name} is “{value}”, but must be {wanted}."), name=name, value=value, wanted=Said("a list"))
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
"""What an operator may need: of the list that it is given, of the question, and of the run."""


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
    inputs: ClassVar[tuple[str, ...] | None] = None
    """What of a list and its question it depends on (of `NEEDS`); None: it is not said, and may be anything."""
    cuts_only: ClassVar[bool] = False
    """Whether it only shortens a list, so that the scores are those of the list before."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "key" not in cls.__dict__:
            cls.key = cls.__name__.lower()

    def __post_init__(self) -> None:
        checked(self)

    @property
    def needs(self) -> tuple[str, ...]:
        """What it needs (of `NEEDS`) as it is set: its `inputs`, an embedder's vectors, a language model."""
        names = set(self.inputs or ())
        if hasattr(self, "embedder"):
            names.add("vectors")
        if self.asks_model and getattr(self, "model", None):
            names.add("model")
        return tuple(name for name in NEEDS if name in names)

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


def _is_text(value: object) -> bool:
    return isinstance(value, str)


class Rule(NamedTuple):
    """What a value must be, and what it is called in the sentence about one that is not."""

    fits: Callable[[Any], bool]
    wanted: Said


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "flag": Rule(lambda value: isinstance(value, bool), Said("true or false")),
        **dict.fromkeys(("text", "date", "prompt", "model"), Rule(_is_text, Said("a text"))),
        **dict.fromkeys(("words", "lines"), Rule(lambda values: all(map(_is_text, values)), Said("a list of texts"))),
        "numbers": Rule(lambda values: all(map(is_finite, values)), Said("a list of numbers")),
    }
)
"""By the kind of a knob what its value must be; numbers also have a range, and specifications a family."""
BOUNDS: Mapping[tuple[bool, bool], str] = MappingProxyType(
    {
        (True, True): N_("{name} is {value}, but must lie between {low} and {high}."),
        (True, False): N_("{name} is {value}, but must be at least {low}."),
        (False, True): N_("{name} is {value}, but must be at most {high}."),
    }
)
"""By which bounds there are (low, high) what is said of a number outside of them."""


def in_bounds(name: str, value: float, low: float | None, high: float | None) -> None:
    """Raise `ParameterError` unless the value is within the bounds, of which one or both may be missing."""
    held = (low is None or value >= low) and (high is None or value <= high)
    if not held:
        said = BOUNDS[low is not None, high is not None]
        must(held, said, name=name, value=value, low=low, high=high)


def _checked(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    kind = "flag" if isinstance(default, bool) else meta["kind"]
    if meta["choices"] is not None:
        one_of(name, value, meta["choices"])
    if kind == "number":
        return _number(name, value, default, meta)
    form = listed(name, value) if kind in ("words", "lines", "numbers") else value
    rule = _of_family(default) if kind == "spec" else RULES.get(kind)
    if rule is not None:
        said = N_("{name} is “{value}”, but must be {wanted}.")
        must(rule.fits(form), said, name=name, value=value, wanted=rule.wanted)
    return frozenset(form) if isinstance(default, frozenset) else form


def _of_family(default: object) -> Rule | None:
    """The rule of a specification: it is of the family of its default, if that is one."""
    family = [c for c in type(default).__mro__ if dataclasses.is_dataclass(c)]
    if not family:
        return None
    wanted = [c for c in family if c is not Operator][-1]
    return Rule(lambda value: isinstance(value, wanted), Said("a {kind}", kind=wanted.__name__))


def _number(name: str, value: Any, default: Any, meta: Mapping[str, Any]) -> Any:
    number, told = isinstance(value, Real) and not isinstance(value, bool), {"name": name, "value": value}
    must(number, N_("{name} is “{value}”, but must be a number."), **told)
    in_bounds(name, value, meta["low"], meta["high"])
    must(is_finite(value), N_("{name} is {value}, but must be a finite number."), **told)
    if isinstance(default, int) and not isinstance(value, int):
        must(not value % 1, N_("{name} is {value}, but must be a whole number."), **told)
        return int(value)
    return value
