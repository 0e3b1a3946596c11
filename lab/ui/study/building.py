"""Searches built with the mouse: the parts allowed at each place, the effect of clicks, and their place in the link.

A pipeline keeps the parts that are switched off; the search consists of the others.  A part is named by its path, as in
`lab.explain.trace`; a place where one may be added by a path with ``+`` in it: ``retrieve.+``, ``refine.+2`` (before
the third), ``rewrite.+`` (steps before any search).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import streamlit as st

from lab import catalog, formats
from lab.algebra import Derivation, Lift, Operator, Pipeline, Rewriter, Searcher
from lab.errors import LabError
from lab.fuse import RRF
from lab.presets import presets
from lab.rewrite.routing import Destination
from lab.ui import address, escape
from lab.ui.i18n import both
from lab.ui.layout import export
from lab.ui.layout.frame import Frame
from lab.ui.layout.page import Page

LETTERS = tuple(key[-1] for key in export.SIDE_BY_SIDE)
"""The names of the pipelines side by side."""
FIRST = ("best", "hybrid")
"""The presets that are there at first."""
ROWS = ("derive", "retrieve", "refine")
"""The fields of a pipeline that hold several parts."""


@dataclass(frozen=True)
class Built:
    """A pipeline with all its parts, and the paths of those that are switched off."""

    whole: Pipeline
    off: frozenset[str] = frozenset()

    @staticmethod
    def from_search(search: Searcher, off: Iterable[str] = ()) -> Built:
        """Returns a search as a pipeline; parts that cannot be switched off stay on."""
        built = Built(search if isinstance(search, Pipeline) else Pipeline((search,)))
        for path in off:
            if built.switchable(path):
                built = replace(built, off=built.off | {path})
        return built

    @property
    def search(self) -> Searcher:
        """The search without the parts that are off; a list alone is not wrapped in a pipeline."""
        pipeline = self.whole
        for path in sorted(self.off, key=_steps, reverse=True):  # from the end, so that earlier paths stay valid
            pipeline = _less(pipeline, path)
        lone = pipeline.bare and not pipeline.name and not isinstance(pipeline.retrieve[0], Pipeline)
        return pipeline.retrieve[0] if lone else pipeline

    def at_work(self, path: str) -> str | None:
        """Returns the path of a part in the search, or None if it is switched off."""
        steps, running_steps = path.split(".") if path else [], list[str]()
        for i, step in enumerate(steps):
            if ".".join(steps[: i + 1]) in self.off:
                return None
            row = ".".join(steps[:i])
            before = sum(f"{row}.{n}" in self.off for n in range(int(step))) if step.isdecimal() else 0
            running_steps.append(str(int(step) - before) if step.isdecimal() else step)
        running_path = ".".join(running_steps)
        lone = not isinstance(self.search, Pipeline)
        return running_path.removeprefix("retrieve.0").removeprefix(".") if lone else running_path

    def switchable(self, path: str) -> bool:
        """Returns whether a part can be switched off or on; a list only if another one is on."""
        if path in self.off:
            return True
        try:
            owner, rest = owned(self.whole, path)
            part = find(self.whole, path)
        except (AttributeError, IndexError, ValueError):
            return False
        head, _, n = rest.partition(".")
        if head == "rewrite":
            return part is not None and not n
        if head not in ROWS or not n.isdecimal():
            return False
        on = sum(
            _joined(owner, head, str(i)) not in self.off for i in range(len(getattr(find(self.whole, owner), head)))
        )
        return head != "retrieve" or on > 1

    # ------------------------------------------------------------------------------------------- what clicks do

    def switched(self, path: str) -> Built:
        """Returns the pipeline with this part switched off, or on again."""
        return replace(self, off=self.off ^ {path}) if self.switchable(path) else self

    def removed(self, path: str) -> Built:
        """Returns the pipeline without this part.  Raises `PipelineError` if the pipeline cannot do without it."""
        owner, rest = owned(self.whole, path)
        row, _, n = path.rpartition(".")
        changed = put(self.whole, owner, find(self.whole, owner).without(rest))
        if not n.isdecimal():
            return Built.from_search(changed, self.off - {path})
        i = int(n)
        return Built.from_search(changed, _renumbered(self.off, row, lambda j: None if j == i else j - (j > i)))

    def moved(self, path: str, by: int) -> Built:
        """Returns the pipeline with this part moved by this number of places, unchanged if that leaves the row."""
        row, _, n = path.rpartition(".")
        parts, i = list(find(self.whole, row)), int(n)
        j = i + by
        if not 0 <= j < len(parts):
            return self
        parts[i], parts[j] = parts[j], parts[i]
        changed, owner = put(self.whole, row, tuple(parts)), owned(self.whole, path)[0]
        search: Pipeline = find(changed, owner)
        weights = list(getattr(search.fuse, "weights", ())) if row.endswith("retrieve") else []
        if weights and search.fuse is not None:  # every list keeps its weight
            weights[i], weights[j] = weights[j], weights[i]
            changed = put(changed, owner, replace(search, fuse=search.fuse.weighted(weights)))
        return Built(changed, frozenset(_renumbered(self.off, row, lambda k: {i: j, j: i}.get(k, k))))

    def added(self, place: str, part: Any) -> tuple[Built, str]:
        """Returns the pipeline with one more part at a place, and the part's path."""
        row, _, n = place.rpartition(".+")
        owner, _dot, head = row.rpartition(".")
        search = find(self.whole, owner)
        if isinstance(part, Rewriter):
            return self.replaced(row, part), row
        if isinstance(part, Derivation):  # the results are lifted back to the documents
            lift = () if any(isinstance(stage, Lift) for stage in search.refine) else (Lift(),)
            changed = put(
                self.whole, owner, replace(search, derive=(*search.derive, part), refine=(*lift, *search.refine))
            )
            off = _renumbered(self.off, _joined(owner, "refine"), lambda j: j + len(lift))
            return Built.from_search(changed, off), _joined(owner, "derive", str(len(search.derive)))
        parts = list(getattr(search, head))
        i = int(n) if n else len(parts)
        parts.insert(i, part)
        changes: dict[str, object] = {head: tuple(parts)}
        if head == "retrieve":
            fusion, weights = search.fuse or RRF(), list(getattr(search.fuse, "weights", ()))
            changes["fuse"] = fusion.weighted([*weights, sum(weights) / len(weights)]) if weights else fusion
        changed = put(self.whole, owner, replace(search, **changes))
        return Built.from_search(changed, _renumbered(self.off, row, lambda j: j + (j >= i))), f"{row}.{i}"

    def replaced(self, path: str, part: Any) -> Built:
        """Returns the pipeline with another part at this path."""
        return Built.from_search(put(self.whole, path, part), self.off)

    def wrapped(self, path: str) -> Built:
        """Returns the pipeline with a list that may have stages and wordings of its own."""
        return self.replaced(path, Pipeline((find(self.whole, path),)))


# ---------------------------------------------------------------------------------------------------- paths


def find(value: Any, path: str) -> Any:
    """Returns the part at a path; the empty path is the whole."""
    for step in path.split(".") if path else []:
        value = value[int(step)] if isinstance(value, tuple) else _field_value(value, step)
        value = value.asked if isinstance(value, Destination) else value
    return value


def _field_value(value: Any, step: str) -> Any:
    """Returns a field of a specification; the fusion of wordings is the rewriter's own, unless chosen."""
    if isinstance(value, Pipeline) and step == "merge" and value.rewrite is not None:
        return value.merging
    return getattr(value, step)


def exists(whole: Pipeline, path: str) -> bool:
    """Returns whether there is a part, or a place, at this path."""
    try:
        value = find(whole, path.partition(".+")[0])
        return bool("+" in path) or value is not None and not isinstance(value, tuple)
    except (AttributeError, IndexError, ValueError, TypeError):
        return False


def put(value: Any, path: str, new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, Destination):
        return replace(value, search=put(value.asked, path, new), rewriting=None)
    step, _, rest = path.partition(".")
    if isinstance(value, tuple):
        i = int(step)
        destination = (
            replace(value[i], search=new, rewriting=None) if isinstance(value[i], Destination) and not rest else None
        )
        return (*value[:i], destination or put(value[i], rest, new), *value[i + 1 :])
    return replace(value, **{step: put(_field_value(value, step), rest, new)})


def owned(whole: Pipeline, path: str) -> tuple[str, str]:
    """Returns the path of the innermost pipeline that a part belongs to, and the part's own path in it."""
    steps, owner = path.split("."), 0
    for i in range(1, len(steps)):
        if isinstance(find(whole, ".".join(steps[:i])), Pipeline):
            owner = i
    return ".".join(steps[:owner]), ".".join(steps[owner:])


def _joined(*steps: str) -> str:
    return ".".join(filter(None, steps))


def _steps(path: str) -> list[Any]:
    return [int(step) if step.isdecimal() else step for step in path.split(".")]


def _renumbered(paths: Collection[str], row: str, to: Callable[[int], int | None]) -> set[str]:
    """Renumbers paths after a change of a row; ``to`` returns None for a removed part."""
    renumbered = set()
    for path in paths:
        number, _, rest = path.removeprefix(f"{row}.").partition(".")
        if not path.startswith(f"{row}.") or not number.isdecimal():
            renumbered.add(path)
        elif (n := to(int(number))) is not None:
            renumbered.add(_joined(row, str(n), rest))
    return renumbered


def _less(whole: Pipeline, path: str) -> Pipeline:
    """Returns the pipeline without a part that is off; the lift to documents stays, and then changes nothing."""
    owner, rest = owned(whole, path)
    head, _, n = rest.partition(".")
    search: Pipeline = find(whole, owner)
    if head in ("derive", "refine"):
        row = getattr(search, head)
        less = put(search, head, (*row[: int(n)], *row[int(n) + 1 :]))
    else:
        less = search.without(rest)
    return cast(Pipeline, put(whole, owner, less))


# ------------------------------------------------------------------------------------ classes allowed at a path


def kinds(whole: Pipeline, path: str) -> list[type[Any]]:
    """Returns the classes allowed at this path, by the type of its field; for a searcher no bare pipeline."""
    steps = [step for step in path.split(".") if not step.isdecimal()]
    owner = find(whole, _before(path, steps[-1]))
    hint = catalog.hints(type(owner))[steps[-1]]
    family = catalog.row_of(hint) or catalog.specification(hint, None)
    if family is Destination:
        family = Searcher
    if family is None or not issubclass(family, Operator):
        return []
    base = next(c for c in reversed(family.__mro__) if issubclass(c, Operator) and c is not Operator)
    return [cls for cls in catalog.concrete(base).values() if cls is not Pipeline and cls.portable is not False]


def _before(path: str, field: str) -> str:
    """Returns the path of the owner of this field, the last one of that name in a path."""
    steps = path.split(".")
    last = len(steps) - 1 - steps[::-1].index(field)
    return ".".join(steps[:last])


def offers(whole: Pipeline, place: str) -> dict[str, list[type[Any]]]:
    """Returns the classes that can be added at a place, by the role of stages; all others have the empty role."""
    row = place.rpartition(".+")[0]
    by_role: dict[str, list[type[Any]]] = {}
    if row.endswith("rewrite"):
        owner = row.rpartition("rewrite")[0].removesuffix(".")
        rewriters = kinds(whole, row) if find(whole, row) is None else []
        return {"rewrite": rewriters, "derive": kinds(whole, _joined(owner, "derive"))}
    for cls in kinds(whole, row):
        by_role.setdefault(getattr(cls, "role", ""), []).append(cls)
    return dict(sorted(by_role.items(), key=lambda item: not item[0]))


def starter(cls: type[Any], f: Frame) -> Any:
    """Returns a new part: its defaults, the embedder of the frame, and the simplest required values."""
    values = dict[str, object]()
    for field in dataclasses.fields(cls):
        if catalog.default(field) is not dataclasses.MISSING or not field.init:
            continue
        hint = catalog.hints(cls)[field.name]
        family, row = catalog.specification(hint, None), catalog.row_of(hint)
        if row is not None:
            values[field.name] = (starter(row, f),)
        elif family is not None and issubclass(family, Operator):
            base = next(c for c in reversed(family.__mro__) if issubclass(c, Operator) and c is not Operator)
            values[field.name] = starter(next(iter(catalog.concrete(base).values())), f)
        else:
            values[field.name] = "1"
    part = cls(**values)
    if "embedder" in {field.name for field in dataclasses.fields(cls)} and f.embedder.portable:
        part = replace(part, embedder=f.embedder)
    return part


def instead(old: Any, cls: type[Any], f: Frame) -> Any:
    """Returns another technique that replaces one, with the specifications and weights that both have."""
    part = starter(cls, f)
    names = {x.name for x in dataclasses.fields(cls)} & {x.name for x in dataclasses.fields(old)}
    shared = {
        x.name for x in dataclasses.fields(cls) if x.name in names and x.metadata.get("kind") in ("spec", "numbers")
    }
    try:
        return replace(part, **{name: getattr(old, name) for name in shared})
    except LabError:
        return part


# ----------------------------------------------------------------------------------------------- in the link


def read(p: Page) -> dict[str, Built]:
    """Returns the visitor's pipelines by their letters; at first two presets that need no download."""
    first = [formats.to_link(presets()[name].search) for name in FIRST]
    pipelines: dict[str, Built] = {}
    for i, letter in enumerate(LETTERS):
        key = address.keep(p.key(letter), first[i] if i < len(first) else "", address.text(formats.LARGEST))
        address.keep(f"{key}.off", [], address.lines)
        if st.session_state[key]:
            try:
                pipelines[letter] = load(p, letter)
            except LabError as error:
                escape.problem(error)
    return pipelines


def load(p: Page, letter: str) -> Built:
    """Returns the pipeline stored under a letter.  Raises `LabError` if it is not valid."""
    key = p.key(letter)
    return Built.from_search(formats.read(str(st.session_state[key])), st.session_state[f"{key}.off"])


def write(p: Page, letter: str, built: Built | None) -> None:
    """Stores a pipeline under its letter, or none.  Raises `PipelineError` if no link may contain it."""
    key = p.key(letter)
    address.put(key, "" if built is None else formats.to_link(built.whole))
    address.put(f"{key}.off", [] if built is None else sorted(built.off, key=_steps))


def write_all(p: Page, pipelines: Sequence[Built]) -> None:
    """Stores exactly these pipelines."""
    for i, letter in enumerate(LETTERS):
        write(p, letter, pipelines[i] if i < len(pipelines) else None)


def preset_of(search: Searcher) -> str:
    """Returns the name of the preset that a search equals, in the visitor's language; empty if there is none."""
    return next((both(preset.label) for preset in presets().values() if preset.search == search), "")
