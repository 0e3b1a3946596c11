"""Which techniques there are, found by looking: every concrete operator in the technique modules.

A new technique is a dataclass in one of these packages, or in a plug-in (`lab.plugins`); the command line, the lessons
and the pipeline files know it by its class name, written as one likes (``TFIDF``, ``tf-idf``).  `make` builds it from
words and tables.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import pkgutil
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from datetime import time as clock_time
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar, cast

import lab
from lab import former_names
from lab.algebra import Derivation, Fusion, Operator, Retriever, Rewriter, Searcher, Stage, from_json, shown
from lab.errors import LabError, ParameterError, UnknownName
from lab.former_names import plain as plain
from lab.models.embedders import Embedder
from lab.models.endpoint import public
from lab.plugins import Plugins, blame, file_names, load, loading
from lab.words import N_, Said

T = TypeVar("T")
O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator

ROOMS = tuple(f"lab.{n}" for n in ("algebra", "retrieve", "fuse", "refine", "derive", "rewrite", "models", "answer"))

_NONE = Plugins()


def specifications() -> dict[str, type[Any]]:
    """Name to class of what operators hold without being operators: analyzers, vocabularies, destinations."""
    return dict(_specifications(ROOMS, plugins()))


@cache
def _specifications(rooms: tuple[str, ...], brought: Plugins) -> Mapping[str, type[Any]]:
    known = _all(rooms, brought).values()
    fields = {cls: {f.name for f in dataclasses.fields(cls)} for cls in known}
    held = (hint for cls, names in fields.items() for name, hint in hints(cls).items() if name in names)
    classes = (specification(hint, None) or row_of(hint) for hint in held)
    return {cls.__name__: cls for cls in classes if cls is not None and not issubclass(cls, Operator)}


def concrete(base: type[O]) -> dict[str, type[O]]:
    """Name to class of every public operator of this kind that can be made, in alphabetical order."""
    return {name: cls for name, cls in _all(ROOMS, plugins()).items() if issubclass(cls, base)}


def plugins() -> Plugins:
    """The operators from outside, and why others were left out."""
    with loading() as inside:
        return _NONE if inside else _plugins(ROOMS, file_names(), public())


def name_plugin(error: Exception) -> Exception:
    """Returns the error that names the plug-in in whose code this one was raised; this one if there is none."""
    return blame(error, plugins().loaded, public()) or error


@cache
def _plugins(rooms: tuple[str, ...], files: str, strangers: bool) -> Plugins:
    return load(files, lambda: _reserved(rooms), strangers)


def _reserved(rooms: tuple[str, ...]) -> Mapping[str, str]:
    """Every name and key that is taken, plain, with its owner."""
    found = _found(rooms)
    former = [old for old in former_names.FORMER_NAMES if old[:1].isupper() and "." not in old]
    names = [*found, *(cls.key for cls in found.values()), *_specifications(rooms, _NONE), *former, *lab.NOUNS]
    return dict.fromkeys(map(plain, names), Said("the lab"))


@cache
def _all(rooms: tuple[str, ...], brought: Plugins) -> Mapping[str, type[Operator]]:
    found = {**_found(rooms), **brought.operators}
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


@cache
def _found(rooms: tuple[str, ...]) -> Mapping[str, type[Operator]]:
    return {
        name: thing
        for module in _modules(rooms)
        for name, thing in vars(module).items()
        if inspect.isclass(thing) and issubclass(thing, Operator) and thing.__module__ == module.__name__
        if not inspect.isabstract(thing) and not name.startswith("_") and thing is not Operator
    }


def _modules(rooms: tuple[str, ...]) -> Iterator[types.ModuleType]:
    for room in rooms:
        if find_spec(room) is None:
            continue
        package = import_module(room)
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", ()), room + "."):
            yield import_module(info.name)


# every kind: name to class, in alphabetical order; ``catalog.stages()``
operators = partial(concrete, Operator)
searchers = partial(concrete, Searcher)  # type: ignore[type-abstract]  # the point is to leave it out: here and below
retrievers = partial(concrete, Retriever)  # type: ignore[type-abstract]
fusions = partial(concrete, Fusion)  # type: ignore[type-abstract]
stages = partial(concrete, Stage)  # type: ignore[type-abstract]
rewriters = partial(concrete, Rewriter)  # type: ignore[type-abstract]
derivations = partial(concrete, Derivation)  # type: ignore[type-abstract]
embedders = partial(concrete, Embedder)  # type: ignore[type-abstract]


def with_role(kind: partial[dict[str, type[O]]], role: str) -> list[type[O]]:
    """The classes of a kind that are for this page: ``with_role(catalog.stages, "filter")``; see `Stage.role`."""
    return [cls for cls in kind().values() if getattr(cls, "role", "") == role]


def find(kind: partial[dict[str, type[O]]], name: str) -> type[O]:
    """The class with this name among those of a kind: ``find(catalog.retrievers, "tf-idf")``.

    Capitals, ``-``, ``_``, ``.`` and blanks do not count.  Raises `UnknownName`, which lists the known ones.
    """
    return among(kind(), kind.args[0].__name__.lower(), name)


def among(known: Mapping[str, type[T]], kind: str, name: str) -> type[T]:
    """The class with this name among the known ones.  Raises `UnknownName` with the nearest and all of them."""
    for wanted in map(plain, (name, former_names.present_class(name))):
        for own, cls in known.items():
            if wanted in (plain(own), plain(getattr(cls, "key", ""))):
                return cls
    remedy = Said("{nearest}Valid names: {names}.", nearest=nearest(name, known), names=", ".join(known))
    raise UnknownName(Said("There is no {kind} “{name}”.", kind=kind, name=name[:80]), remedy)


def nearest(name: str, known: Iterable[str]) -> Said:
    """“Did you mean …?”, where a known name is near; else nothing."""
    by_plain = {plain(own): own for own in known}
    found = difflib.get_close_matches(plain(name), by_plain, 1)
    return Said("Did you mean “{name}”? ", name=by_plain[found[0]]) if found else Said()


def title(cls: type[Operator]) -> str:
    """What a technique is called, before it has knobs."""
    return cls.technique or (cls.label if isinstance(cls.label, str) else Said(cls.__name__))


def told(cls: type[Any]) -> list[dict[str, str]]:
    """What each knob of a class says of itself: name, label, help, and as text its default and what is allowed."""
    out = []
    for f in (f for f in dataclasses.fields(cls) if f.init):
        meta, own = f.metadata, default(f)
        low, high = (f"{x:,}" if x is not None else "" for x in (meta["low"], meta["high"]))
        span = " | ".join(meta["choices"] or ()) or (f"{low}…{high}" if low or high else "")
        start = "" if own is dataclasses.MISSING else written(own)
        out.append({"name": f.name, "label": meta["label"], "help": meta["help"], "default": start, "range": span})
    return out


# ------------------------------------------------------------------------------- parameters of links and lessons


def by_key() -> dict[str, type[Any]]:
    """Key to class of every operator and specification that has knobs on a page."""
    return {cls.key: cls for cls in {**specifications(), **operators()}.values() if hasattr(cls, "key")}


def present_parameter(key: str, value: T) -> tuple[str, T]:
    """A parameter of a link or lesson under its present name, with the present word where it holds a choice.

    Behind the page, a key of a class is followed by the name of one of its knobs: ``mmr.mmr.lambda_mult``.
    """
    if not former_names.FORMER_NAMES:
        return key, value
    key, known = former_names.present_key(key), by_key()
    page, *steps = key.split(".")
    for i, step in enumerate(steps):
        steps[i] = present_key(step)
        if steps[i] in known and i + 1 < len(steps):
            cls = known[steps[i]]
            steps[i + 1] = former_names.present_knob(cls, steps[i + 1])
            value = former_names.present_choice(cls, steps[i + 1], value)
    key = ".".join([page, *steps])
    return key, cast(T, former_names.present_words(key, value)) if isinstance(value, str) else value


def present_knobs(page: str, knobs: Mapping[str, Any]) -> dict[str, Any]:
    """The knobs of a lesson, which leave out the name of its page, under their present names."""
    renamed = (present_parameter(f"{page}.{knob}", value) for knob, value in knobs.items())
    return {key.removeprefix(f"{page}."): value for key, value in renamed}


def present_key(word: str) -> str:
    """The key of the class that once had this one; any other word as it is."""
    name = former_names.present_class(word)
    cls = {**specifications(), **operators()}.get(name) if name != word else None
    return str(getattr(cls, "key", word))


def present_word(word: str, options: Collection[str]) -> str:
    """Which of these options a word of a link or lesson means: itself, or what it is called today."""
    if word in options:
        return word
    keys = present_key(word), "-".join(map(present_key, word.split("-")))
    return next((own for own in (*keys, *former_names.present_choices(word)) if own in options), word)


# -------------------------------------------------------------------------------------------------- make


def make(cls: type[O], params: Mapping[str, Any] | None = None) -> O:
    """An operator from parameters that may be words: ``make(BM25, {"k1": "0.9", "analyzer.mode": "precise"})``.

    A field that is itself a specification takes the name of another class (``embedder="lsa"``), a mapping
    (with ``type``, where another class is meant), or dotted parameters (``embedder.size=64``); both may be
    given.  Raises `ParameterError` for an unknown parameter (listing the known) or a bad value.
    """
    return cast(O, _make(cls, params or {}, cls.__name__))


def from_text(kind: partial[dict[str, type[O]]], text: str, params: Mapping[str, Any] | None = None) -> O:
    """An operator from ``name`` or ``name:parameter=value,parameter=value``; ``params`` are added to those.

    Raises `UnknownName` and `ParameterError`.
    """
    name, _, rest = text.partition(":")
    own = dict(assignment(part) for part in rest.split(",") if part.strip())
    return make(find(kind, name), {**(params or {}), **own})


def assignment(text: str) -> tuple[str, str]:
    """``"k1=0.9"`` to ``("k1", "0.9")``.  Raises `ParameterError`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        remedy = Said("Write it as name=value, for instance k1=0.9.")
        raise ParameterError(Said("“{text}” is not a parameter.", text=text[:80]), remedy)
    return name.strip(), value.strip()


def searcher(table: Mapping[str, Any]) -> Searcher:
    """The search in these tables: an operator has ``type``, a pipeline ``retrieve``.  Errors tell their ``path``."""
    return cast(Searcher, _specification("search", Searcher, None, table, {}))


@contextmanager
def at(name: str) -> Iterator[None]:
    """What goes wrong in this block happened at this field: see `LabError.path`."""
    try:
        yield
    except LabError as error:
        error.path = (name, *error.path)
        raise


def knobs(cls: type[Any]) -> dict[str, Any]:
    """The parameters of a class with their defaults; those of a specification inside it are dotted."""
    out: dict[str, Any] = {}
    for f in dataclasses.fields(cls):
        if f.init:
            own = default(f)
            out[f.name] = None if own is dataclasses.MISSING else own
            if dataclasses.is_dataclass(own):
                out |= {f"{f.name}.{name}": value for name, value in knobs(type(own)).items()}
    return out


def _make(cls: type[Any], params: Mapping[str, Any], owner: str) -> Any:
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    direct, nested = dict[str, Any](), dict[str, dict[str, Any]]()
    given = {name.partition(".")[0] for name in params}
    for name, value in params.items():
        former, _, rest = name.partition(".")
        head = former_names.present_knob(cls, former)
        if head not in fields or (head != former and head in given):  # under both of its names it is given twice
            with at(former):
                raise _no_parameter(owner, name, cls)
        if rest:
            nested.setdefault(head, {})[rest] = value
        else:
            direct[head] = former_names.present_choice(cls, head, value)
    types_of, values = hints(cls), dict[str, Any]()
    for name in (n for n in fields if n in direct or n in nested):
        base, hint = default(fields[name]), types_of.get(name, Any)
        family, row = specification(hint, base), row_of(hint)
        with at(name):
            if family is not None:
                values[name] = _specification(name, family, base, direct.get(name), nested.get(name, {}))
            elif name in nested:
                raise _no_parameter(owner, f"{name}.{next(iter(nested[name]))}", cls)
            elif row is not None:
                values[name] = _row(name, row, direct[name])
            else:
                values[name] = convert(name, direct[name], hint)
    try:
        return cls(**values)
    except LabError as error:
        named = getattr(error.message, "values", {}).get("name")
        error.path = (named,) if not error.path and named in values else error.path
        raise
    except TypeError:  # a parameter without a default was not given
        missing = [n for n, f in fields.items() if n not in values and default(f) is dataclasses.MISSING]
        if not missing:
            raise
        said = Said("{operator} needs the parameter “{name}”.", operator=owner, name=missing[0])
        raise ParameterError(said) from None


def _no_parameter(owner: str, name: str, cls: type[Any]) -> ParameterError:
    known = knobs(cls)
    remedy = Said("{nearest}It has: {names}.", nearest=nearest(name, known), names=", ".join(known) or "none")
    return ParameterError(Said("{operator} has no parameter “{name}”.", operator=owner, name=name[:80]), remedy)


def specification(hint: Any, base: Any) -> type[Any] | None:
    """The class of a field that holds a specification; None for a field of words or numbers."""
    for one in typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,):
        if inspect.isclass(one) and dataclasses.is_dataclass(one):
            return one
    return type(base) if dataclasses.is_dataclass(base) and not isinstance(base, type) else None


def row_of(hint: Any) -> type[Any] | None:
    """The class of the specifications in a field that holds several of them; None for any other field."""
    items = typing.get_args(hint) if typing.get_origin(hint) is tuple else ()
    return specification(items[0], None) if len(items) == 2 and items[1] is Ellipsis else None


def _row(name: str, family: type[Any], given: Any) -> tuple[Any, ...]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise _bad(name, given, Said("a list"))
    out = []
    for i, one in enumerate(given):
        with at(str(i)):
            out.append(_specification(f"{name}.{i}", family, None, one, {}))
    return tuple(out)


def _specification(name: str, family: type[Any], base: Any, given: Any, dotted: Mapping[str, Any]) -> Any:
    """The value of a field that is a specification: the default changed, or another class of its family.

    A mapping with ``retrieve`` is a pipeline, wherever a searcher is wanted.
    """
    if isinstance(given, Mapping):
        params = {**{k: v for k, v in given.items() if k != "type"}, **dotted}
        if hasattr(family, "named") and "type" not in given:  # a whole one, in the place of one with a name
            return _make(family, params, name)
        given, dotted = given.get("type"), params
        if given is None and issubclass(family, Searcher) and _is_pipeline(params):
            given = "Pipeline"
    if isinstance(given, str):
        if hasattr(family, "named"):
            return _specification(name, family, family.named(given), None, dotted)
        if not issubclass(family, Operator):
            parts = ", ".join(f"{name}.{part}" for part in knobs(family))
            said = Said("{name} cannot be “{value}”.", name=name, value=given)
            raise ParameterError(said, Said("Set its parts: {names}.", names=parts))
        kind = next(c for c in reversed(family.__mro__) if issubclass(c, Operator) and c is not Operator)
        with at("type"):
            cls = among(concrete(kind), kind.__name__.lower(), given)
        return _make(cls, dotted, given)
    if given is not None and not isinstance(given, family):
        raise _bad(name, given, Said("a {kind}", kind=family.__name__))
    if given is not None:
        base = given
    if not dotted:
        if base is None or base is dataclasses.MISSING:
            remedy = Said('Write it like { type = "…" }.')
            raise ParameterError(Said("“{name}” does not say what it is.", name=name), remedy)
        return base
    if not dataclasses.is_dataclass(base) or isinstance(base, type):
        return _make(family, dotted, name)
    same = {f.name: getattr(base, f.name) for f in dataclasses.fields(base) if f.init}
    return _make(type(base), {**same, **dotted}, name)


def _is_pipeline(params: Mapping[str, Any]) -> bool:
    pipeline = operators()["Pipeline"]
    return any(former_names.present_knob(pipeline, name) == "retrieve" for name in params)


def default(f: dataclasses.Field[Any]) -> Any:
    """What a field holds where nothing is said; `dataclasses.MISSING` where something must be."""
    return f.default if f.default_factory is dataclasses.MISSING else f.default_factory()


def _hints(cls: type[Any]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a type that is imported for type checkers only: the defaults must tell
        return {f.name: type(default(f)) for f in dataclasses.fields(cls)}


hints = cast(Callable[[type[Any]], Mapping[str, Any]], cache(_hints))
"""The types of the fields of a class."""


TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def convert(name: str, value: Any, hint: Any) -> Any:
    """A word as a value of this type; what is no word stays, but for lists, which become tuples or sets.

    Lists may be written with commas or as JSON; an empty word is the empty list; ``none`` is None where the
    type allows it.  Raises `ParameterError`.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if type(None) in arguments and (value is None or (isinstance(value, str) and value.lower() == "none")):
            return None
        return _first_that_fits(name, value, [a for a in arguments if a is not type(None)])
    if origin in (tuple, frozenset, Sequence):
        item = arguments[0] if arguments else str
        parts = _split(value) if isinstance(value, str) else value
        if not isinstance(parts, Sequence | frozenset | set):
            raise _bad(name, value, Said("a list"))
        return (frozenset if origin is frozenset else tuple)(convert(name, part, item) for part in parts)
    if not isinstance(value, str):
        if hint is str or (hint is bool and not isinstance(value, bool)):
            raise _bad(name, value, Said("a text") if hint is str else Said("true or false"))
        if hint in (int, float) and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise _bad(name, value, Said("a whole number") if hint is int else Said("a number"))
        with suppress(OverflowError):  # the knob refuses such a number with its range
            return float(value) if hint is float else value
        return value
    if hint is bool:
        if value.lower() in TRUE + FALSE:
            return value.lower() in TRUE
        raise _bad(name, value, Said("true or false"))
    if hint in (int, float):
        try:
            return hint(value)
        except ValueError:
            raise _bad(name, value, Said("a whole number") if hint is int else Said("a number")) from None
    return value


def _first_that_fits(name: str, value: Any, hints: Sequence[Any]) -> Any:
    for hint in sorted(hints, key=lambda h: h is str):  # a word fits str always: numbers first
        try:
            return convert(name, value, hint)
        except ParameterError as error:
            last = error
    raise last


def _split(text: str) -> list[Any]:
    if text.startswith("["):
        with suppress(ValueError):
            return list(from_json(text))
    return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]


def _bad(name: str, value: object, wanted: Said) -> ParameterError:
    said = N_("{name} is “{value}”, but must be {wanted}.")
    text = str(value if isinstance(value, date | clock_time) else shown(value))
    return ParameterError(Said(said, name=name, value=text[:80], wanted=wanted))


def inside(search: Any) -> Iterator[Operator]:
    """Every operator that a specification holds, however deep, itself included."""
    if isinstance(search, Operator):
        yield search
    if isinstance(search, tuple):
        for one in search:
            yield from inside(one)
    elif dataclasses.is_dataclass(search) and not isinstance(search, type):
        for f in dataclasses.fields(search):
            yield from inside(getattr(search, f.name))


def changed(value: Any, usual: Any = None) -> dict[str, Any]:
    """The fields of a specification that differ from their defaults, or from those of a usual one of its class.

    What is known by name (`named`) is a whole, in a file too: it has nothing of the usual one.
    """
    fields = [f for f in dataclasses.fields(value) if f.init]
    same = type(usual) is type(value) and not hasattr(value, "named")
    before = {f.name: getattr(usual, f.name) if same else default(f) for f in fields}
    return {name: getattr(value, name) for name, own in before.items() if getattr(value, name) != own}


def usual(cls: type[Any], name: str) -> Any:
    """What a field of this class holds where nothing is said; see `default`."""
    return default(next(f for f in dataclasses.fields(cls) if f.name == name))


def written(value: Any) -> str:
    """A specification as Python that makes it again, with only what differs from the defaults: ``BM25(k1=0.9)``."""
    if isinstance(value, tuple):
        inner = ", ".join(map(written, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return repr(value)
    return f"{type(value).__name__}({', '.join(f'{name}={written(own)}' for name, own in changed(value).items())})"
