"""Packs: parts that the lab runs without, each a folder with all that it brings, found by entry points.

The groups of entry points are ``retrieval_lab.operators`` and ``.formats`` (`lab.plugins`), ``.pages``, a module with
``PAGES`` beside the folders of these, ``.lessons``, a folder with ``CORPUS/lessons.toml``, ``.engines`` (`lab.engine`),
``.commands``, a function that adds a command to the parser, ``.neural``, the embedder that is meant where no neural one
is named, ``.views``, a view of a page of the core (`views`), ``.company``, who takes part with a visitor
(`lab.ui.people.company`), and ``.readings``, what lessons expect (`lab.lessons.checking`).  The package that holds the
module of an entry point has the Chinese of the pack in the folder ``locale``, its sections of the core's guides in
``guides``, by the section and name of the page, and its presets in ``presets.toml``.  The packs that come with the lab
are packages of ``lab_packs``; the lab imports none of them, and any may be left out.  A part of a pack that cannot be
loaded is left out, too: `PROBLEMS` names it.
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from lab.errors import PluginError
from lab.home import root
from lab.words import N_, Said

GROUP = "retrieval_lab."
OURS = "lab_packs."
PACKS: Mapping[str, str] = MappingProxyType({"text2sql": "text2sql", "inside": "inside", "compression": "inside"})
"""The pack of each page that comes with the lab in one: a link may name it where the pack is left out."""
ENGINES = ("milvus",)
"""The engines that come with the lab, each in a pack of its name."""
PARTS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("MilvusBM25", "MilvusVector", "milvus", "LAB_MILVUS_URI"), "milvus")
    | dict.fromkeys(("E5Small", "e5", "best-neural", "best-neural-all"), "e5")
    | {"Compressed": "inside"}
    | dict.fromkeys(("course.class=", "evaluate.tab=class", "join="), "classroom")
)
"""The pack of each technique, engine, setting, preset and link parameter (``name=``) that comes with the lab in one."""
COMMANDS: Mapping[str, str] = MappingProxyType({"index": "milvus"})
"""The pack of each command that comes with the lab in one."""
LOG = logging.getLogger("retrieval_lab")
PROBLEMS: dict[str, PluginError] = {}
"""What cannot be loaded, by the module or file."""
LONGEST = 200
"""Characters of the reason for a failure."""
P = TypeVar("P", EntryPoint, Path, str)
T = TypeVar("T")


class Listed(NamedTuple):
    """A page: its folder, an icon, its title, and its summary on the home page.

    ``path`` is section and name; ``within`` is the folder that it is relative to, by default the lab's own ``pages``.
    ``other_names`` are the names that others give to it, by their origin, as in ``other_names.toml``, ``questions``
    judged ones with which it opens, by the sample.
    """

    path: str
    icon: str
    title: str
    summary: str
    other_names: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    within: Path | None = None
    questions: Mapping[str, str] = MappingProxyType({})

    @property
    def section(self) -> str:
        return self.path.split("/")[0]

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[1]

    @property
    def folder(self) -> Path:
        return (self.within or root() / "pages") / self.path


def entries(kind: str) -> list[EntryPoint]:
    """Returns the entry points of ``operators``, ``pages``, ``formats`` or ``lessons``.

    In a checkout, those of the lab's own packs are read from pyproject.toml, as those of an installation may be older.
    """
    installed, written = _installed().select(group=GROUP + kind), _written()
    ours = [e for e in installed if e.value.startswith(OURS)] if written is None else written.get(GROUP + kind, [])
    return [*filter(_is_there, ours), *(e for e in installed if not e.value.startswith(OURS))]


_installed = cache(entry_points)
"""Reads the entry points of all installed packages, once: there are hundreds of files."""


@cache
def _written() -> dict[str, list[EntryPoint]] | None:
    """Returns the entry points of pyproject.toml by group; None for an installed lab."""
    file = root() / "pyproject.toml"
    if not file.is_file():
        return None
    groups = tomllib.loads(file.read_text("utf-8"))["project"].get("entry-points", {})
    return {group: [EntryPoint(name, value, group) for name, value in pairs.items()] for group, pairs in groups.items()}


def _is_there(entry: EntryPoint) -> bool:
    return is_installed(entry.module.split(".")[1])


def is_installed(pack: str) -> bool:
    """Returns whether one of the lab's own packs is there."""
    try:
        spec = find_spec(OURS + pack)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None  # compiled files alone, left in a folder, have no origin


def _folders(package: str) -> list[Path]:
    """Returns the folders of a package, which is not imported; none if there is no such package."""
    try:
        spec = find_spec(package) if package else None
    except Exception:  # whatever a package that holds it raises
        return []
    return [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []


def each(parts: Iterable[P], read: Callable[[P], T]) -> Iterator[T]:
    """Yields what ``read`` makes of each part of a pack; one that it cannot read is logged, named and left out."""
    for part in parts:
        try:
            yield read(part)
        except (Exception, SystemExit) as error:
            name = part.value if isinstance(part, EntryPoint) else str(part)
            if name not in PROBLEMS:  # as views are looked for at each run of a page
                LOG.exception("%s of a pack cannot be loaded", name)
            template, why = N_("The part “{plugin}” of a pack cannot be loaded: {reason}."), reason(error)
            remedy = Said("Correct it and start the lab again.")
            PROBLEMS[name] = PluginError(Said(template, plugin=name, reason=why), remedy)


def reason(error: BaseException) -> str:
    """Returns the kind of an error with its words, for a sentence."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.rstrip(".") if len(text) <= LONGEST else text[:LONGEST] + "…"


def loaded(kind: str, read: Callable[[Any], Any] = lambda thing: thing) -> Iterator[Any]:
    """Yields what ``read`` makes of what each entry point names."""
    return each(entries(kind), lambda entry: read(entry.load()))


@cache
def pages() -> tuple[Listed, ...]:
    """Returns the pages of all packs."""

    def listed(module: Any) -> list[Listed]:
        return [page._replace(within=Path(module.__file__).parent) for page in module.PAGES]

    return tuple(page for pages_of_pack in loaded("pages", listed) for page in pages_of_pack)


def views(page: str) -> list[Any]:
    """Returns the modules of packs for a page (``PAGE``), with ``tabs``, a ``tab`` and what a ``visit`` begins with."""
    return [module for module in loaded("views") if page == module.PAGE]


def missing() -> dict[str, str]:
    """Returns the pages of the lab's own packs that are left out, each with its pack."""
    return {page: pack for page, pack in PACKS.items() if page not in [listed.name for listed in pages()]}


@cache
def left_out() -> dict[str, str]:
    """Returns the techniques, engines, settings, presets and parameters that are left out, each with its pack."""
    return {name: pack for name, pack in PARTS.items() if not is_installed(pack)}


def engines() -> tuple[str, ...]:
    """Returns the names of all engines, those in a pack that is left out included."""
    return tuple(dict.fromkeys((*ENGINES, *(entry.name for entry in entries("engines")))))


def techniques() -> tuple[str, ...]:
    """Returns the modules with the techniques of the lab's own packs."""
    return tuple(entry.module for entry in entries("operators") if entry.value.startswith(OURS))


def lessons(corpus: Path) -> list[Path]:
    """Returns the folders with lessons that packs bring for the sample corpus in a folder."""
    brought = entries("lessons") if corpus.is_relative_to(root() / "sample_corpora") else ()
    return [folder / corpus.name for module in each(brought, lambda entry: entry.module) for folder in _folders(module)]


def catalogues(language: str) -> list[Path]:
    """Returns the catalogues of texts that packs bring in a language."""
    folders = [folder / "locale" / language / "LC_MESSAGES" for folder in _of_packs()]
    return [path for folder in folders for path in sorted(folder.glob("*.po"))]


def files(path: str) -> list[Path]:
    """Returns what packs bring at a path: their presets, or their section of a guide of the core."""
    return [file for folder in _of_packs() if (file := folder / path).is_file()]


def _of_packs() -> list[Path]:
    """Returns the folders of the packages that hold the modules of entry points, directly or deeper."""
    packages = dict.fromkeys(
        package
        for kind in ("operators", "pages", "formats", "engines", "views")
        for module in each(entries(kind), lambda entry: entry.module)
        for package in accumulate(module.split("."), "{}.{}".format)
    )
    return [folder for package in packages for folder in _folders(package)]
