"""Searches as they are built with the mouse: what may stand where, what a click changes, and their place in the link.

A pipeline keeps the parts that are switched off; what is searched is the rest.  A part is named by its path, as in
`lab.explain.trace`; a place where one may be added by a path with ``+`` in it: ``retrieve.+``, ``refine.+2`` (before
the third), ``rewrite.+`` (what is done before anything is searched).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from lab import catalog, formats
from lab.algebra import Derivation, Lift, Operator, Pipeline, Rewriter, Searcher
from lab.errors import LabError
from lab.fuse import RRF
from lab.presets import presets
from lab.rewrite.routing import Destination
from lab.ui import address, escape, export
from lab.ui.frame import Frame
from lab.ui.page import Page

LETTERS = tuple(key[-1] for key in export.SIDE_BY_SIDE)
"""What the pipelines side by side are called."""
FIRST = ("best", "hybrid")
"""The presets that stand there first."""
ROWS = ("derive", "retrieve", "refine")
"""The fields of a pipeline that hold several parts."""


@dataclass(frozen=True)
class Built:
    """A pipeline with all its parts, and the paths of those that are switched off."""

    whole: Pipeline
    off: frozenset[str] = frozenset()

    @staticmethod
    def of(search: Searcher, off: Iterable[str] = ()) -> Built:
        """A search as a pipeline; what cannot be switched off stays on."""
        built = Built(search if isinstance(search, Pipeline) else Pipeline((search,)))
        for path in off:
            if built.switchable(path):
                built = replace(built, off=built.off | {path})
        return built

    @property
    def search(self) -> Searcher:
        """What is searched: without the parts that are off; a list alone is itself."""
        made = self.whole
        for path in sorted(self.off, key=_steps, reverse=True):  # from the end, so that what is before stays in place
            made = _less(made, path)
        lone = made.bare and not made.name and not isinstance(made.retrieve[0], Pipeline)
        return made.retrieve[0] if lone else made

    def at_work(self, path: str) -> str | None:
        """The path of a part in what is searched, or None where it is switched off."""
        steps, out = path.split(".") if path else [], list[str]()
        for i, step in enumerate(steps):
            if ".".join(steps[: i + 1]) in self.off:
                return None
            row = ".".join(steps[:i])
            before = sum(f"{row}.{n}" in self.off for n in range(int(step))) if step.isdecimal() else 0
            out.append(str(int(step) - before) if step.isdecimal() else step)
        told = ".".join(out)
        lone = not isinstance(self.search, Pipeline)
        return told.removeprefix("retrieve.0").removeprefix(".") if lone else told

    def switchable(self, path: str) -> bool:
        """Whether a part can be switched off, or on again: a list, if another one is on."""
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
        """With this part switched off, or on again."""
        return replace(self, off=self.off ^ {path}) if self.switchable(path) else self

    def removed(self, path: str) -> Built:
        """Without this part.  Raises `PipelineError` for one that a pipeline cannot lack."""
        owner, rest = owned(self.whole, path)
        row, _, n = path.rpartition(".")
        made = put(self.whole, owner, find(self.whole, owner).without(rest))
        if not n.isdecimal():
            return Built.of(made, self.off - {path})
        i = int(n)
        return Built.of(made, _renumbered(self.off, row, lambda j: None if j == i else j - (j > i)))

    def moved(self, path: str, by: int) -> Built:
        """With this part so many places further; where there is no such place, as it is."""
        row, _, n = path.rpartition(".")
        parts, i = list(find(self.whole, row)), int(n)
        j = i + by
        if not 0 <= j < len(parts):
            return self
        parts[i], parts[j] = parts[j], parts[i]
        made, owner = put(self.whole, row, tuple(parts)), owned(self.whole, path)[0]
        search: Pipeline = find(made, owner)
        weights = list(getattr(search.fuse, "weights", ())) if row.endswith("retrieve") else []
        if weights and search.fuse is not None:  # every list keeps its weight
            weights[i], weights[j] = weights[j], weights[i]
            made = put(made, owner, replace(search, fuse=search.fuse.weighted(weights)))
        return Built(made, frozenset(_renumbered(self.off, row, lambda k: {i: j, j: i}.get(k, k))))

    def added(self, place: str, part: Any) -> tuple[Built, str]:
        """With one more part at a place, and its path there."""
        row, _, n = place.rpartition(".+")
        owner, _dot, head = row.rpartition(".")
        search = find(self.whole, owner)
        if isinstance(part, Rewriter):
            return self.replaced(row, part), row
        if isinstance(part, Derivation):  # what is found is lifted back to the documents
            lift = () if any(isinstance(stage, Lift) for stage in search.refine) else (Lift(),)
            made = put(
                self.whole, owner, replace(search, derive=(*search.derive, part), refine=(*lift, *search.refine))
            )
            off = _renumbered(self.off, _joined(owner, "refine"), lambda j: j + len(lift))
            return Built.of(made, off), _joined(owner, "derive", str(len(search.derive)))
        parts = list(getattr(search, head))
        i = int(n) if n else len(parts)
        parts.insert(i, part)
        changes: dict[str, object] = {head: tuple(parts)}
        if head == "retrieve":
            fusion, weights = search.fuse or RRF(), list(getattr(search.fuse, "weights", ()))
            changes["fuse"] = fusion.weighted([*weights, sum(weights) / len(weights)]) if weights else fusion
        made = put(self.whole, owner, replace(search, **changes))
        return Built.of(made, _renumbered(self.off, row, lambda j: j + (j >= i))), f"{row}.{i}"

    def replaced(self, path: str, part: Any) -> Built:
        """With another part at this path."""
        return Built.of(put(self.whole, path, part), self.off)

    def wrapped(self, path: str) -> Built:
        """With a list that may have stages and wordings of its own."""
        return self.replaced(path, Pipeline((find(self.whole, path),)))


# ---------------------------------------------------------------------------------------------------- paths


def find(value: Any, path: str) -> Any:
    """What is at a path; the empty path is the whole."""
    for step in path.split(".") if path else []:
        value = value[int(step)] if isinstance(value, tuple) else _held(value, step)
        value = value.asked if isinstance(value, Destination) else value
    return value


def _held(value: Any, step: str) -> Any:
    """What a specification has under this name; the fusion of wordings is the rewriter's own, unless chosen."""
    if isinstance(value, Pipeline) and step == "merge" and value.rewrite is not None:
        return value.merging
    return getattr(value, step)


def there(whole: Pipeline, path: str) -> bool:
    """Whether there is a part, or a place, at this path."""
    try:
        held = find(whole, path.partition(".+")[0])
        return bool("+" in path) or held is not None and not isinstance(held, tuple)
    except (AttributeError, IndexError, ValueError, TypeError):
        return False


def put(value: Any, path: str, new: Any) -> Any:
    """The same with something else at a path."""
    if not path:
        return new
    if isinstance(value, Destination):
        return replace(value, search=put(value.asked, path, new), rewriting=None)
    step, _, rest = path.partition(".")
    if isinstance(value, tuple):
        i = int(step)
        own = replace(value[i], search=new, rewriting=None) if isinstance(value[i], Destination) and not rest else None
        return (*value[:i], own or put(value[i], rest, new), *value[i + 1 :])
    return replace(value, **{step: put(_held(value, step), rest, new)})


def owned(whole: Pipeline, path: str) -> tuple[str, str]:
    """The path of the innermost pipeline that a part belongs to, and the part's own path in it."""
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
    """Paths after the parts of a row have got other numbers; None for one that is gone."""
    out = set()
    for path in paths:
        own, _, rest = path.removeprefix(f"{row}.").partition(".")
        if not path.startswith(f"{row}.") or not own.isdecimal():
            out.add(path)
        elif (n := to(int(own))) is not None:
            out.add(_joined(row, str(n), rest))
    return out


def _less(whole: Pipeline, path: str) -> Pipeline:
    """Without a part that is switched off: what lifts back to the documents stays, and changes nothing."""
    owner, rest = owned(whole, path)
    head, _, n = rest.partition(".")
    search: Pipeline = find(whole, owner)
    if head in ("derive", "refine"):
        row = getattr(search, head)
        less = put(search, head, (*row[: int(n)], *row[int(n) + 1 :]))
    else:
        less = search.without(rest)
    made: Pipeline = put(whole, owner, less)
    return made


# -------------------------------------------------------------------------------------------- what may stand where


def kinds(whole: Pipeline, path: str) -> list[type[Any]]:
    """What may stand at this path, by the type of its field; of searchers those that are no bare pipeline."""
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
    """The path of what has this field, the last of a path."""
    steps = path.split(".")
    last = len(steps) - 1 - steps[::-1].index(field)
    return ".".join(steps[:last])


def offers(whole: Pipeline, place: str) -> dict[str, list[type[Any]]]:
    """What can be added at a place, by the role of stages; the empty role is everything else."""
    row = place.rpartition(".+")[0]
    found: dict[str, list[type[Any]]] = {}
    if row.endswith("rewrite"):
        owner = row.rpartition("rewrite")[0].removesuffix(".")
        rewriters = kinds(whole, row) if find(whole, row) is None else []
        return {"rewrite": rewriters, "derive": kinds(whole, _joined(owner, "derive"))}
    for cls in kinds(whole, row):
        found.setdefault(getattr(cls, "role", ""), []).append(cls)
    return dict(sorted(found.items(), key=lambda item: not item[0]))


def starter(cls: type[Any], f: Frame) -> Any:
    """A part as it begins: its defaults, the embedder of the frame, and the simplest of what must be given."""
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
    made = cls(**values)
    if "embedder" in {field.name for field in dataclasses.fields(cls)} and f.embedder.portable:
        made = replace(made, embedder=f.embedder)
    return made


def instead(old: Any, cls: type[Any], f: Frame) -> Any:
    """Another technique in the place of one, with the specifications and weights that both have."""
    made = starter(cls, f)
    names = {x.name for x in dataclasses.fields(cls)} & {x.name for x in dataclasses.fields(old)}
    shared = {
        x.name for x in dataclasses.fields(cls) if x.name in names and x.metadata.get("kind") in ("spec", "numbers")
    }
    try:
        return replace(made, **{name: getattr(old, name) for name in shared})
    except LabError:
        return made


# ----------------------------------------------------------------------------------------------- in the link


def read(p: Page) -> dict[str, Built]:
    """The visitor's pipelines by their letters; until there are any, two presets that need no download."""
    first = [formats.to_link(presets()[name].search) for name in FIRST]
    found: dict[str, Built] = {}
    for i, letter in enumerate(LETTERS):
        key = p.key(letter)
        address.keep(key, first[i] if i < len(first) else "", address.text(formats.LARGEST))
        address.keep(f"{key}.off", [], address.lines)
        if st.session_state[key]:
            try:
                found[letter] = kept(p, letter)
            except LabError as error:
                escape.problem(error)
    return found


def kept(p: Page, letter: str) -> Built:
    """The pipeline that is kept under a letter.  Raises `LabError` for what is none."""
    key = p.key(letter)
    return Built.of(formats.read(str(st.session_state[key])), st.session_state[f"{key}.off"])


def write(p: Page, letter: str, built: Built | None) -> None:
    """Keep a pipeline under its letter, or none.  Raises `PipelineError` for what no link may hold."""
    key = p.key(letter)
    address.put(key, "" if built is None else formats.to_link(built.whole))
    address.put(f"{key}.off", [] if built is None else sorted(built.off, key=_steps))


def write_all(p: Page, made: Sequence[Built]) -> None:
    """Keep these pipelines, and no others."""
    for i, letter in enumerate(LETTERS):
        write(p, letter, made[i] if i < len(made) else None)


def preset_of(search: Searcher) -> str:
    """The name of the preset that a search is, if it is one."""
    return next((name for name, preset in presets().items() if preset.search == search), "")
