"""Operators and retrievers from outside: files that are named when the lab starts, and installed packages.

A file is named by ``--plugin FILE.py`` or in LAB_PLUGINS, which child processes inherit; several are separated as in
PATH.  A package has entry points in the group ``retrieval_lab.operators``, each of which names a module or one class.
`lab.catalog` finds everything that `load` returns, so that it is on the pages, in files and links, on the command line
and in ``from lab import X``.  An unusable operator is left out with a message; the lab continues without it.

A module may also have a dictionary ``RETRIEVERS`` of functions, LangChain retrievers and other things that answer a
question, by their names: they are lists of the lab, as `lab.retrieve.external.External` describes.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, is_dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import RLock
from traceback import walk_tb
from types import FrameType, ModuleType
from typing import Any

from lab import packs
from lab.algebra import Index, Operator
from lab.errors import LabError, PluginError, needs_pack
from lab.former_names import plain
from lab.words import N_, Said

VARIABLE, GROUP = "LAB_PLUGINS", "retrieval_lab.operators"
FILES_REFUSED = Said("Plug-ins from files are refused while LAB_PUBLIC is set.")


@dataclass(frozen=True)
class Plugin:
    """One file or package with the operators that it brings; ``place`` is the file, or the folder of the package.

    ``retrievers`` are pairs of a name and what answers under it.
    """

    name: str
    place: str
    operators: tuple[type[Operator], ...]
    retrievers: tuple[tuple[str, Any], ...] = field(default=(), compare=False)


@dataclass(frozen=True, eq=False)
class Plugins:
    """The loaded plug-ins; ``problems`` say what was left out and why."""

    loaded: tuple[Plugin, ...] = ()
    problems: tuple[PluginError, ...] = ()

    @property
    def operators(self) -> dict[str, type[Operator]]:
        """Name to class of all operators of the plug-ins."""
        return {cls.__name__: cls for plugin in self.loaded for cls in plugin.operators}

    @property
    def retrievers(self) -> dict[str, Any]:
        """Name to retriever of all plug-ins."""
        return {name: retriever for plugin in self.loaded for name, retriever in plugin.retrievers}


def file_names() -> str:
    return os.environ.get(VARIABLE, "").strip()


@contextmanager
def adding_files(files: Sequence[str]) -> Iterator[None]:
    """Adds these files to LAB_PLUGINS, for this process and its children, as long as the block runs."""
    before = os.environ.get(VARIABLE)
    every = [*filter(None, [file_names()]), *(str(_path(file).absolute()) for file in files)]
    if files:
        os.environ[VARIABLE] = os.pathsep.join(every)
    try:
        yield
    finally:
        if files and before is None:
            del os.environ[VARIABLE]
        elif files and before is not None:
            os.environ[VARIABLE] = before


def _path(file: str) -> Path:
    return Path(os.path.expanduser(file))  # which raises nothing for an unknown user


# ------------------------------------------------------------------------------------------------- loading

Brought = tuple[str, str, Sequence[type[Any]], Mapping[str, Any]]
"""Name and place of a plug-in, the classes in it, and its retrievers by name."""
RETRIEVERS, FORMATS = "RETRIEVERS", "FORMATS"
"""The dictionary of a module with its retrievers, and the tuple with its formats of uploads."""
RESERVED = ("chat", "chroma", "milvus")
"""Names in a run that no retriever may have."""
_NAME = re.compile(r"\w(?:[\w .-]{0,38}[\w.-])?")


def is_retriever_name(name: object) -> bool:
    """Returns whether a retriever may have this name: letters, digits, space, ``_``, ``.`` and ``-``, at most 40."""
    return isinstance(name, str) and bool(_NAME.fullmatch(name)) and name.casefold() not in RESERVED


_LOADING = ContextVar("loading", default=False)
_lock = RLock()


@contextmanager
def loading() -> Iterator[bool]:
    """Lets one thread load at a time; gives True to a plug-in that asks for the plug-ins while it is loaded itself."""
    with _lock:
        inside = _LOADING.get()
        before = _LOADING.set(True)
        try:
            yield inside
        finally:
            _LOADING.reset(before)


def load(files: str, reserved: Callable[[], Mapping[str, str]], public: bool) -> Plugins:
    """Loads the installed packages and these files.

    ``reserved`` gives the names and keys that are taken, without capitals and punctuation, each with its owner.  In a
    ``public`` lab the files are refused.
    """
    sources: list[Callable[[], Brought]] = [
        _package(entry) for entry in packs.entries("operators") if not entry.value.startswith(packs.OURS)
    ]
    parts = packs.left_out().items()
    problems = [needs_pack(PluginError, name, pack) for name, pack in parts if os.environ.get(name, "").strip()]
    if files and public:
        problems.append(PluginError(FILES_REFUSED, Said("Unset LAB_PLUGINS, or install a package.")))
    elif files:
        sources += [_file(path) for path in _paths(files)]
    if not sources:
        return Plugins((), tuple(problems))
    names_in_use, plugins = dict(reserved()), list[Plugin]()
    for source in sources:
        try:
            name, place, classes, offered = source()
        except PluginError as error:
            problems.append(error)
            continue
        accepted = list[type[Operator]]()
        for cls in classes:
            if any(cls in plugin.operators for plugin in plugins):  # by another entry point
                continue
            try:
                _check(cls, name, names_in_use)
            except PluginError as error:
                problems.append(error)
                continue
            accepted.append(cls)
            names_in_use |= dict.fromkeys((plain(cls.__name__), plain(cls.key)), name)
        taken = {known for plugin in plugins for known, _ in plugin.retrievers}
        retrievers = list[tuple[str, Any]]()
        for key, retriever in offered.items():
            try:
                _check_retriever(key, retriever, name, taken)
            except PluginError as error:
                problems.append(error)
            else:
                retrievers.append((key, retriever))
        plugins.append(Plugin(name, place, tuple(accepted), tuple(retrievers)))
    return Plugins(tuple(plugins), tuple(problems))


def formats() -> list[Any]:
    """Returns the formats of uploads that packages and files bring, as `lab.reading.format` describes them.

    Files are ignored in a public lab.  What cannot be loaded is logged, and `load` reports it.
    """
    found = list[Any]()
    with loading() as inside:
        for thing in () if inside else packs.loaded("formats"):
            found += getattr(thing, FORMATS, (thing,))
        refused = inside or os.environ.get("LAB_PUBLIC", "") not in ("", "0")
        for path in () if refused else _paths(file_names()):
            with suppress(PluginError):
                found += getattr(_module(path), FORMATS, ())
    return found


def _paths(files: str) -> Iterable[Path]:
    return dict.fromkeys(_path(file.strip()).resolve() for file in files.split(os.pathsep) if file.strip())


def _file(path: Path) -> Callable[[], Brought]:
    def bring() -> Brought:
        module = _module(path)
        return path.name, str(path), *_contents(path.name, module, module.__name__)

    return bring


def _module(path: Path) -> ModuleType:
    if path.suffix != ".py" or not path.is_file():
        raise PluginError(
            Said("There is no plug-in file {file}.", file=str(path)), Said("Name a file that ends in .py.")
        )
    source = path.read_bytes()
    mark = hashlib.sha256(str(path).encode("utf-8", "surrogateescape") + b"\0" + source).hexdigest()[:8]
    name = f"lab_plugin_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{mark}"
    return sys.modules.get(name) or _executed(name, path, source)


def _executed(name: str, path: Path, source: bytes) -> ModuleType:
    """Returns the module of a file.  While the file stays as it is there is only one: pickle wants the same classes."""
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where dataclasses and pickle look it up
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _not_loaded(path.name, str(path), error) from error
    return module


def _package(entry: EntryPoint) -> Callable[[], Brought]:
    def bring() -> Brought:
        name = entry.dist.name if entry.dist is not None else entry.name
        try:
            thing = entry.load()
        except (Exception, SystemExit) as error:
            raise _not_loaded(name, "", error) from error
        top = entry.module.partition(".")[0]
        file = getattr(sys.modules[top], "__file__", None) or next(iter(sys.modules[top].__path__)) + "/__init__.py"
        place = file if Path(file).stem != "__init__" else str(Path(file).parent)
        if isinstance(thing, ModuleType):
            return name, place, *_contents(name, thing, top)
        if inspect.isclass(thing) and issubclass(thing, Operator):
            return name, place, [thing], {}
        raise _empty(name)

    return bring


def _not_loaded(name: str, place: str, error: BaseException) -> PluginError:
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == place]
    reason = packs.reason(error) + (f" (line {lines[-1]})" if lines else "")
    message = Said("The plug-in {plugin} cannot be loaded: {reason}.", plugin=name, reason=reason)
    return PluginError(message, Said("Correct it and start the lab again."))


def _empty(name: str) -> PluginError:
    remedy = Said(
        "Define a frozen dataclass that extends Retriever, Fusion, Stage or another base of lab.algebra, or a "
        "dictionary RETRIEVERS of functions by their names."
    )
    return PluginError(Said("The plug-in {plugin} defines no operator and no retriever.", plugin=name), remedy)


def _contents(name: str, module: ModuleType, top: str) -> tuple[list[type[Any]], Mapping[str, Any]]:
    """Returns the operators and the retrievers of a module.  Raises `PluginError` if it has neither."""
    classes, retrievers = _classes(module, top), getattr(module, RETRIEVERS, {})
    if not isinstance(retrievers, Mapping):
        message = Said("RETRIEVERS of the plug-in {plugin} is not a dictionary.", plugin=name)
        raise PluginError(message, Said('Write RETRIEVERS = {"mine": search}.'))
    listed = getattr(module, FORMATS, ())
    if not isinstance(listed, (list, tuple)) or not all(map(_is_format, listed)):
        message = Said("FORMATS of the plug-in {plugin} is not a tuple of formats.", plugin=name)
        raise PluginError(message, Said('Write FORMATS = (Format("mine", ("mine",), read_mine),).'))
    if not classes and not retrievers and not listed:
        raise _empty(name)
    return classes, retrievers


def _is_format(thing: Any) -> bool:
    return type(thing).__name__ == "Format" and callable(getattr(thing, "read", None))


def _check_retriever(key: Any, retriever: Any, plugin: str, taken: Collection[str]) -> None:
    """Raises `PluginError` for a retriever that no run can use."""
    values = {"name": str(key)[:80], "plugin": plugin}
    if not is_retriever_name(key):
        message = Said("The retriever “{name}” of the plug-in {plugin} is left out because of its name.", **values)
        remedy = Said("Use up to 40 letters, digits, spaces, _, . and -; not {names}.", names=[*RESERVED])
        raise PluginError(message, remedy)
    if key in taken:
        message = Said("The retriever “{name}” of the plug-in {plugin} is left out: another plug-in has one.", **values)
        raise PluginError(message, Said("Give it another name."))
    ways = (retriever, getattr(retriever, "invoke", None), getattr(retriever, "reply", None))
    if inspect.isclass(retriever) or not any(map(callable, ways)):
        message = Said("The retriever “{name}” of the plug-in {plugin} is left out: it cannot be called.", **values)
        raise PluginError(message, Said("Give a function of the question, or a LangChain retriever."))


def _classes(module: ModuleType, top: str) -> list[type[Any]]:
    """Returns the public operators of a module that are defined in it, or in its package (``top``)."""
    classes = [
        thing
        for name_in_module, thing in vars(module).items()
        if inspect.isclass(thing) and issubclass(thing, Operator) and not name_in_module.startswith("_")
        if thing.__module__ == top or thing.__module__.startswith(f"{top}.")
    ]
    bases = {base for cls in classes for base in cls.__mro__[1:]}
    # an abstract class is a base of others, or a technique that lacks a method
    return [cls for cls in dict.fromkeys(classes) if not (inspect.isabstract(cls) and cls in bases)]


def _check(cls: type[Any], plugin: str, names_in_use: Mapping[str, str]) -> None:
    """Raises `PluginError` for a class that the lab cannot use."""

    def left_out(why: str, remedy: str, **values: object) -> PluginError:
        template = N_("{operator} of the plug-in {plugin} is left out: {reason}.")
        return PluginError(
            Said(template, operator=cls.__name__, plugin=plugin, reason=Said(why, **values)), Said(remedy)
        )

    if "__dataclass_fields__" not in vars(cls) or not vars(cls)["__dataclass_params__"].frozen:
        raise left_out(N_("it is not a frozen dataclass"), N_("Write @dataclass(frozen=True) above the class."))
    if missing := sorted(getattr(cls, "__abstractmethods__", ())):
        raise left_out(
            N_("it does not define {names}"), N_("Define everything that its base class requires."), names=missing
        )
    key = cls.key
    if not isinstance(key, str) or not key.isidentifier() or key != key.casefold():
        raise left_out(N_("its key is “{key}”"), N_("Use small letters, digits and _ for a key."), key=str(key)[:80])
    for name in (cls.__name__, key):
        if owner := names_in_use.get(plain(name)):
            why = N_("the name “{name}” is used by {owner}")
            raise left_out(why, N_("Rename the class or its key."), name=name, owner=owner)
    try:
        instance = cls()
        hash(instance)
        words = instance.label, cls.about, cls.technique
    except Exception as error:
        raise left_out(
            N_("its default parameters do not work ({reason})"),
            N_("Give every parameter a valid default."),
            reason=packs.reason(error),
        ) from error
    if not is_dataclass(instance) or not all(isinstance(word, str) for word in words):
        raise left_out(N_("its label, “about” or technique is not a text"), N_("Write them as texts."))


# ------------------------------------------------------------------------------------------------- failures


def blame(error: BaseException, plugins: Iterable[Plugin], public: bool) -> PluginError | None:
    """Returns an error that names the plug-in and the operator in whose code this one was raised.

    None if no code of a plug-in was running.  A `LabError` keeps its words.  A ``public`` lab does not show the reason.
    """
    frames = list(walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        plugin = next((plugin for plugin in plugins if _at_work(plugin, frame)), None)
        if plugin is None:
            continue
        source = {"operator": _operator([frame for frame, _ in frames], frame, plugin), "plugin": plugin.name}
        if isinstance(error, LabError):
            message = Said("{operator} of the plug-in {plugin}: {what}", **source, what=error.message)
            return PluginError(message, error.remedy)
        remedy = Said("Choose another technique, or correct the plug-in and start the lab again.")
        if public:
            return PluginError(Said("{operator} of the plug-in {plugin} failed.", **source), remedy)
        template = N_("{operator} of the plug-in {plugin} failed ({file}, line {line}): {reason}.")
        place = {"file": Path(frame.f_code.co_filename).name, "line": line}
        return PluginError(Said(template, **source, **place, reason=packs.reason(error)), remedy)
    return None


def _at_work(plugin: Plugin, frame: FrameType) -> bool:
    """Whether this is code of the plug-in, or of a base of its operators, which uses what they return."""
    file = frame.f_code.co_filename
    inside = file == plugin.place or file.startswith(plugin.place + os.sep)
    return inside or type(frame.f_locals.get("self")) in plugin.operators


def _operator(frames: Sequence[FrameType], failed: FrameType, plugin: Plugin) -> str:
    """Returns the operator of the plug-in that was at work, nearest to the failure; else the function that failed."""
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            operator = getattr(value, "operator", None) if isinstance(value, Index) else value
            if type(operator) in plugin.operators:
                return type(operator).__name__
    return failed.f_code.co_qualname
