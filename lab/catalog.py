"""The catalogue of techniques: finds every concrete operator in the technique modules.

A new technique is a dataclass in one of these packages, or in a plug-in (`lab.plugins`); the command line, the lessons
and the pipeline files know it by its class name in any spelling (``TFIDF``, ``tf-idf``).  `make` builds it from
words and tables.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import pkgutil
import tomllib
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from datetime import time as clock_time
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, TypeVar, cast

import lab
from lab import former_names, packs
from lab.algebra import Derivation, Fusion, Operator, Retriever, Rewriter, Searcher, Stage, from_json, shown
from lab.errors import LabError, ParameterError, UnknownName, UploadError, needs_pack
from lab.former_names import plain as plain
from lab.models.embedders import Embedder
from lab.models.endpoint import public
from lab.plugins import Plugins, blame, file_names, load, loading
from lab.words import N_, Said

T = TypeVar("T")
O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator

ROOMS = tuple(f"lab.{n}" for n in ("algebra", "retrieve", "fuse", "refine", "derive", "rewrite", "models", "answer"))
ROOMS += packs.techniques()

PLACES: Mapping[type, tuple[str, ...]] = {
    Retriever: ("lab.retrieve", *packs.techniques()),
    Fusion: ("lab.fuse",),
    Rewriter: ("lab.rewrite",),
    Derivation: ("lab.derive",),
    Embedder: ("lab.models", *packs.techniques()),
}
"""Kinds whose operators are all in one package, so that no other one is imported to find them."""

_NONE = Plugins()


def specifications() -> dict[str, type[Any]]:
    """Returns name to class of the specifications in operators: analyzers, vocabularies, destinations."""
    return dict(_specifications(ROOMS, plugins()))


@cache
def _specifications(rooms: tuple[str, ...], added: Plugins) -> Mapping[str, type[Any]]:
    known = _all(rooms, added).values()
    fields = {cls: {f.name for f in dataclasses.fields(cls)} for cls in known}
    field_types = (hint for cls, names in fields.items() for name, hint in hints(cls).items() if name in names)
    classes = (specification(hint, None) or row_of(hint) for hint in field_types)
    return {cls.__name__: cls for cls in classes if cls is not None and not issubclass(cls, Operator)}


def concrete(base: type[O]) -> dict[str, type[O]]:
    """Returns name to class of every public concrete operator of this kind, in alphabetical order."""
    rooms = tuple(room for room in ROOMS if room in PLACES.get(base, ROOMS))
    return {name: cls for name, cls in _all(rooms, plugins()).items() if issubclass(cls, base)}


def plugins() -> Plugins:
    """Returns the operators of plug-ins, and why others were left out."""
    with loading() as inside:
        return _NONE if inside else _plugins(ROOMS, file_names(), public())


def name_plugin(error: Exception) -> Exception:
    """Returns the error that names the plug-in in whose code this one was raised; this one if there is none."""
    # what refuses a file says so to whoever has uploaded it
    return error if isinstance(error, UploadError) else blame(error, plugins().loaded, public()) or error


@cache
def _plugins(rooms: tuple[str, ...], files: str, strangers: bool) -> Plugins:
    return load(files, lambda: _reserved(rooms), strangers)


def _reserved(rooms: tuple[str, ...]) -> Mapping[str, str]:
    """Returns every name and key in use, in plain spelling, with its owner."""
    classes = _operators_in(rooms)
    former = [old for old in former_names.FORMER_NAMES if old[:1].isupper() and "." not in old]
    names = [*classes, *(cls.key for cls in classes.values()), *_specifications(rooms, _NONE), *former, *lab.NOUNS]
    return dict.fromkeys(map(plain, names), Said("the lab"))


@cache
def _all(rooms: tuple[str, ...], added: Plugins) -> Mapping[str, type[Operator]]:
    classes = {**_operators_in(rooms), **added.operators}
    return dict(sorted(classes.items(), key=lambda item: item[0].lower()))


@cache
def _operators_in(rooms: tuple[str, ...]) -> Mapping[str, type[Operator]]:
    return {
        name: thing
        for module in _modules(rooms)
        for name, thing in vars(module).items()
        if inspect.isclass(thing) and issubclass(thing, Operator) and thing.__module__ == module.__name__
        if not inspect.isabstract(thing) and not name.startswith("_") and thing is not Operator
    }


def _modules(rooms: tuple[str, ...]) -> Iterator[types.ModuleType]:
    yield from packs.each((room for room in rooms if room.startswith(packs.OURS)), import_module)
    for room in rooms:
        if room.startswith(packs.OURS) or find_spec(room) is None:
            continue
        package = import_module(room)
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", ()), room + "."):
            yield import_module(info.name)


# every kind: name to class, in alphabetical order; ``catalog.stages()``
operators = partial(concrete, Operator)
searchers = partial(concrete, Searcher)  # type: ignore[type-abstract]  # abstract on purpose: here and below
retrievers = partial(concrete, Retriever)  # type: ignore[type-abstract]
fusions = partial(concrete, Fusion)  # type: ignore[type-abstract]
stages = partial(concrete, Stage)  # type: ignore[type-abstract]
rewriters = partial(concrete, Rewriter)  # type: ignore[type-abstract]
derivations = partial(concrete, Derivation)  # type: ignore[type-abstract]
embedders = partial(concrete, Embedder)  # type: ignore[type-abstract]


def with_role(kind: partial[dict[str, type[O]]], role: str) -> list[type[O]]:
    """Returns the classes of a kind for a page: ``with_role(catalog.stages, "filter")``; see `Stage.role`."""
    return [cls for cls in kind().values() if getattr(cls, "role", "") == role]


def find(kind: partial[dict[str, type[O]]], name: str) -> type[O]:
    """Returns the class of a kind with this name: ``find(catalog.retrievers, "tf-idf")``.

    Capitals, ``-``, ``_``, ``.`` and spaces do not count.  Raises `UnknownName`, which lists the known names.
    """
    return among(kind(), kind.args[0].__name__.lower(), name)


def among(known: Mapping[str, type[T]], kind: str, name: str) -> type[T]:
    """Returns the known class with this name.  Raises `UnknownName`, which lists the nearest and all known names."""
    for spelling in map(plain, (name, former_names.present_class(name))):
        for class_name, cls in known.items():
            if spelling in (plain(class_name), plain(getattr(cls, "key", ""))):
                return cls
    check_pack(name)
    remedy = Said("{nearest}Valid names: {names}.", nearest=nearest(name, known), names=[*known])
    raise UnknownName(Said("There is no {kind} “{name}”.", kind=kind, name=name[:80]), remedy)


def check_pack(name: str) -> None:
    """Raises `UnknownName` if this is the name of a part of the lab whose pack is left out."""
    for left, pack in packs.left_out().items():
        if plain(name) == plain(left):
            raise needs_pack(UnknownName, left, pack)


def nearest(name: str, known: Iterable[str]) -> Said:
    """Returns “Did you mean …?” if a known name is similar; empty if not."""
    by_plain = {plain(known_name): known_name for known_name in known}
    matches = difflib.get_close_matches(plain(name), by_plain, 1)
    return Said("Did you mean “{name}”? ", name=by_plain[matches[0]]) if matches else Said()


def nouns() -> dict[str, type[Any]]:
    """Returns name to class of what techniques are given and give, and what is not one: Analyzer, Corpus, Ranking."""
    return {name: getattr(lab, name) for name in lab.NOUNS}


def title(cls: type[Any]) -> str:
    """Returns the name of a technique, whatever its knobs are, or of a noun."""
    label = getattr(cls, "label", None)
    return getattr(cls, "technique", "") or (label if isinstance(label, str) else Said(cls.__name__))


def about(cls: type[Any]) -> str:
    """Returns the description of a technique, or the first sentence of a noun's documentation."""
    if issubclass(cls, Operator):
        return cls.about
    return inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


@cache
def names_table() -> Mapping[str, Any]:
    """Returns ``other_names.toml``: names by origin, by technique, parameter and page."""
    return tomllib.loads((files("lab") / "other_names.toml").read_text("utf-8"))


def names_of(owner: type[Any] | str) -> Mapping[str, Any]:
    """Returns the table of other names of a technique, with its ``page``, or of a page."""
    if isinstance(owner, str):
        return cast(
            Mapping[str, Any],
            names_table()["pages"].get(owner)
            or next((page.other_names for page in packs.pages() if page.name == owner), {}),
        )
    return {**names_table().get(owner.__name__, {}), **owner.__dict__.get("other_names", {})}


def other_names(owner: type[Any] | str, knob: str = "") -> dict[str, tuple[str, ...]]:
    """Returns the names that others give to a technique, to one of its parameters or to a page, by their origin.

    ``en`` and ``zh`` are usual terms; the other origins are software.  A class from a plug-in brings its names as the
    attribute ``other_names``, in the form of its table in ``other_names.toml``.
    """
    table = names_of(owner).get(knob, {}) if knob else names_of(owner)
    return {origin: tuple(names) for origin, names in table.items() if isinstance(names, list | tuple)}


def absent_names(owner: type[Any] | str) -> tuple[str, ...]:
    """Returns the names of what the lab does not have and to which this technique or page is the nearest."""
    return tuple(names_table()["absent"].get(owner if isinstance(owner, str) else owner.__name__, ()))


def describe_knobs(cls: type[Any]) -> list[dict[str, str]]:
    """Describes each knob of a class: its name, label and help, and its default and range as text."""
    rows = []
    for f in (f for f in dataclasses.fields(cls) if f.init) if dataclasses.is_dataclass(cls) else ():
        meta, start_value = dict.fromkeys(("label", "help"), "") | dict(f.metadata), default(f)
        low, high = (f"{x:,}" if x is not None else "" for x in (meta.get("low"), meta.get("high")))
        span = " | ".join(meta.get("choices") or ()) or (f"{low}…{high}" if low or high else "")
        start = "" if start_value is dataclasses.MISSING else written(start_value)
        rows.append({"name": f.name, "label": meta["label"], "help": meta["help"], "default": start, "range": span})
    return rows


# ------------------------------------------------------------------------------- parameters of links and lessons


def by_key() -> dict[str, type[Any]]:
    """Returns key to class of every operator and specification that has knobs on a page."""
    return {cls.key: cls for cls in {**specifications(), **operators()}.values() if hasattr(cls, "key")}


def present_parameter(key: str, value: T) -> tuple[str, T]:
    """Returns a parameter of a link or lesson under its present name, and a choice under its present word.

    Behind the page, a key of a class is followed by the name of one of its knobs: ``mmr.mmr.lambda_mult``.
    """
    if not former_names.FORMER_NAMES:
        return key, value
    # operators are imported only for the former names of classes and of their knobs
    key, known = former_names.present_key(key), by_key() if former_names.of_classes() else {}
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
    """Returns the knobs of a lesson, named without its page, under their present names."""
    renamed = (present_parameter(f"{page}.{knob}", value) for knob, value in knobs.items())
    return {key.removeprefix(f"{page}."): value for key, value in renamed}


def present_key(word: str) -> str:
    """Returns the present key of the class that once had this key; any other word unchanged."""
    name = former_names.present_class(word)
    cls = {**specifications(), **operators()}.get(name) if name != word else None
    return str(getattr(cls, "key", word))


def present_word(word: str, options: Collection[str]) -> str:
    """Returns the option that a word of a link or lesson means: the word itself, or its present name."""
    if word in options:
        return word
    keys = present_key(word), "-".join(map(present_key, word.split("-")))
    return next((option for option in (*keys, *former_names.present_choices(word)) if option in options), word)


# -------------------------------------------------------------------------------------------------- make


def make(cls: type[O], params: Mapping[str, Any] | None = None) -> O:
    """Makes an operator from parameters that may be words: ``make(BM25, {"k1": "0.9", "analyzer.mode": "precise"})``.

    A field that is itself a specification takes the name of another class (``embedder="lsa"``) or a mapping (with
    ``type`` for another class), and also dotted parameters (``embedder.size=64``).  Raises `ParameterError` for an
    unknown parameter, with the known ones, and for a bad value.
    """
    return cast(O, _make(cls, params or {}, cls.__name__))


def from_text(kind: partial[dict[str, type[O]]], text: str, params: Mapping[str, Any] | None = None) -> O:
    """Makes an operator from ``name`` or ``name:parameter=value,parameter=value``, which override ``params``.

    Raises `UnknownName` and `ParameterError`.
    """
    name, _, rest = text.partition(":")
    written_params = dict(assignment(part) for part in rest.split(",") if part.strip())
    return make(find(kind, name), {**(params or {}), **written_params})


def assignment(text: str) -> tuple[str, str]:
    """Splits ``"k1=0.9"`` into ``("k1", "0.9")``.  Raises `ParameterError`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        remedy = Said("Write it as name=value, for instance k1=0.9.")
        raise ParameterError(Said("“{text}” is not a parameter.", text=text[:80]), remedy)
    return name.strip(), value.strip()


def searcher(table: Mapping[str, Any]) -> Searcher:
    """Makes the search in tables: operators have ``type``, pipelines ``retrieve``.  Errors have their ``path``."""
    return cast(Searcher, _specification("search", Searcher, None, table, {}))


@contextmanager
def at(name: str) -> Iterator[None]:
    """Adds this field to the path of any `LabError` raised in the block: see `LabError.path`."""
    try:
        yield
    except LabError as error:
        error.path = (name, *error.path)
        raise


def knobs(owner: Any) -> dict[str, Any]:
    """Returns the parameters of a class with their defaults, or of a value, including dotted ones of those inside."""
    values: dict[str, Any] = {}
    for f in dataclasses.fields(owner):
        if f.init:
            value = default(f) if isinstance(owner, type) else getattr(owner, f.name)
            values[f.name] = None if value is dataclasses.MISSING else value
            if dataclasses.is_dataclass(value):
                values |= {f"{f.name}.{name}": inner for name, inner in knobs(value).items()}
    return values


def _make(cls: type[Any], params: Mapping[str, Any], owner: str) -> Any:
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    direct, nested = dict[str, Any](), dict[str, dict[str, Any]]()
    heads = {name.partition(".")[0] for name in params}
    for name, value in params.items():
        former, _, rest = name.partition(".")
        head = former_names.present_knob(cls, former)
        # given twice: under its former and its present name
        if head not in fields or (head != former and head in heads):
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
        knob_name = getattr(error.message, "values", {}).get("name")
        error.path = (knob_name,) if not error.path and knob_name in values else error.path
        raise
    except TypeError:  # a parameter without a default was not given
        missing = [n for n, f in fields.items() if n not in values and default(f) is dataclasses.MISSING]
        if not missing:
            raise
        message = Said("{operator} needs the parameter “{name}”.", operator=owner, name=missing[0])
        raise ParameterError(message) from None


def _no_parameter(owner: str, name: str, cls: type[Any]) -> ParameterError:
    known = knobs(cls)
    remedy = Said("{nearest}It has: {names}.", nearest=nearest(name, known), names=[*known] or "none")
    return ParameterError(Said("{operator} has no parameter “{name}”.", operator=owner, name=name[:80]), remedy)


def specification(hint: Any, base: Any) -> type[Any] | None:
    """The class of a field that holds a specification; None for a field of words or numbers."""
    for candidate in typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,):
        if inspect.isclass(candidate) and dataclasses.is_dataclass(candidate):
            return candidate
    return type(base) if dataclasses.is_dataclass(base) and not isinstance(base, type) else None


def row_of(hint: Any) -> type[Any] | None:
    """The class of the specifications in a field that holds several of them; None for any other field."""
    items = typing.get_args(hint) if typing.get_origin(hint) is tuple else ()
    return specification(items[0], None) if len(items) == 2 and items[1] is Ellipsis else None


def _row(name: str, family: type[Any], rows: Any) -> tuple[Any, ...]:
    if isinstance(rows, str | Mapping) or not isinstance(rows, Sequence):
        raise _bad(name, rows, Said("a list"))
    specifications = []
    for i, row in enumerate(rows):
        with at(str(i)):
            specifications.append(_specification(f"{name}.{i}", family, None, row, {}))
    return tuple(specifications)


def _specification(name: str, family: type[Any], base: Any, value: Any, dotted: Mapping[str, Any]) -> Any:
    """The value of a field that is a specification: the default changed, or another class of its family.

    A mapping with ``retrieve`` is a pipeline if the field holds a searcher.
    """
    if isinstance(value, Mapping):
        params = {**{k: v for k, v in value.items() if k != "type"}, **dotted}
        if hasattr(family, "named") and "type" not in value:  # a complete value instead of a named one
            return _make(family, params, name)
        value, dotted = value.get("type"), params
        if value is None and issubclass(family, Searcher) and _is_pipeline(params):
            value = "Pipeline"
    if isinstance(value, str):
        if hasattr(family, "named"):
            return _specification(name, family, family.named(value), None, dotted)
        if not issubclass(family, Operator):
            parts = ", ".join(f"{name}.{part}" for part in knobs(family))
            message = Said("{name} cannot be “{value}”.", name=name, value=value)
            raise ParameterError(message, Said("Set its parts: {names}.", names=parts))
        kind = next(c for c in reversed(family.__mro__) if issubclass(c, Operator) and c is not Operator)
        with at("type"):
            cls = among(concrete(kind), kind.__name__.lower(), value)
        return _make(cls, dotted, value)
    if value is not None and not isinstance(value, family):
        raise _bad(name, value, Said("a {kind}", kind=family.__name__))
    if value is not None:
        base = value
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
    """Returns the default of a field; `dataclasses.MISSING` if it has no default."""
    return f.default if f.default_factory is dataclasses.MISSING else f.default_factory()


def _hints(cls: type[Any]) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(cls)
    except NameError:  # a type imported for type checkers only: use the types of the defaults
        return {f.name: type(default(f)) for f in dataclasses.fields(cls)}


hints = cast(Callable[[type[Any]], Mapping[str, Any]], cache(_hints))
"""The types of the fields of a class."""


TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def convert(name: str, value: Any, hint: Any) -> Any:
    """Converts a word to a value of this type; other values are kept, but lists become tuples or sets.

    Lists may be written with commas or as JSON; an empty word is the empty list; ``none`` is None if the type allows
    it. Raises `ParameterError`.
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
    for hint in sorted(hints, key=lambda h: h is str):  # every word fits str, so try numbers first
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


def _bad(name: str, value: object, expected: Said) -> ParameterError:
    message = N_("{name} is “{value}”, but must be {wanted}.")
    text = str(value if isinstance(value, date | clock_time) else shown(value))
    return ParameterError(Said(message, name=name, value=text[:80], wanted=expected))


def inside(search: Any) -> Iterator[Operator]:
    """Yields every operator in a specification, at any depth, including itself."""
    if isinstance(search, Operator):
        yield search
    if isinstance(search, tuple):
        for part in search:
            yield from inside(part)
    elif dataclasses.is_dataclass(search) and not isinstance(search, type):
        for f in dataclasses.fields(search):
            yield from inside(getattr(search, f.name))


def changed(value: Any, usual: Any = None) -> dict[str, Any]:
    """Returns the fields of a specification that differ from the defaults of its class, or from ``usual`` of its class.

    Classes whose values have names (`named`) are always compared with the defaults, also in a file.
    """
    fields = [f for f in dataclasses.fields(value) if f.init]
    same = type(usual) is type(value) and not hasattr(value, "named")
    before = {f.name: getattr(usual, f.name) if same else default(f) for f in fields}
    return {name: getattr(value, name) for name, usual_value in before.items() if getattr(value, name) != usual_value}


def usual(cls: type[Any], name: str) -> Any:
    """Returns the default of this field of a class; see `default`."""
    return default(next(f for f in dataclasses.fields(cls) if f.name == name))


def written(value: Any) -> str:
    """Writes a specification as Python, without fields that have their default: ``BM25(k1=0.9)``."""
    if isinstance(value, tuple):
        inner = ", ".join(map(written, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return repr(value)
    fields = ", ".join(f"{name}={written(field_value)}" for name, field_value in changed(value).items())
    return f"{type(value).__name__}({fields})"
