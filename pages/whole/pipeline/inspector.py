"""The selected part of a pipeline: what it is, its knobs, and the buttons that move, switch, replace and remove it.

Every knob is drawn from its dataclass, and what a field holds that is a specification itself, from its own: nothing
about a technique is written here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import NEEDS, Composed, Operator, Pipeline, Searcher
from lab.errors import LabError
from lab.models.embedders import Embedder
from lab.models.prompting import no_model
from lab.rewrite.routing import Route
from lab.ui import address, escape
from lab.ui.i18n import _, say
from lab.ui.layout import naming, stages
from lab.ui.layout.knobs import Knob
from lab.ui.layout.page import Page
from lab.ui.study import building
from lab.ui.study.building import Built
from pages.whole.pipeline import routes

KNOBS = "knob."
"""What the keys of all knobs begin with: they stand in no link, the pipeline itself does."""
WEIGHTS = "numbers", "weights"
"""The kind and the name of the field that weighs the lists of a fusion."""


def draw(p: Page, letter: str, built: Built, path: str) -> Built:
    """The selected part, or what can be added at the selected place; gives the pipeline with what was just set."""
    if "+" in path:
        _adding(p, letter, built, path)
        return built
    part = building.find(built.whole, path)
    if isinstance(part, Operator) and part.about and path:
        st.caption(say(part.about))
        needs(p, part)
    _buttons(p, letter, built, path)
    with escape.problems():
        key, changed = f"{KNOBS}{letter}.{path}", part
        if isinstance(part, Route):
            changed = routes.draw(p, key, part, partial(_does, p, letter), path)
        changed = _edited(p, key, changed)
        if path.endswith("fuse"):
            lists = building.find(built.whole, building.owned(built.whole, path)[0]).retrieve
            changed = _weighed(p, key, changed, [say(searcher.label) for searcher in lists])
        if changed != part:
            built = building.Built.from_search(building.put(built.whole, path, changed), built.off)
            building.write(p, letter, built)
    address.leave_to_other_key(p.key(KNOBS))
    return built


def needs(p: Page, part: Operator) -> None:
    """What a part needs of its list, of the question and of the run; and whether its language model is there."""
    if not part.needs:
        return
    help_text = _("Needs: {names}.", names=[say(NEEDS[name]) for name in part.needs])
    model = str(getattr(part, "model", ""))
    if "model" in part.needs and model not in p.models:
        help_text += " " + say(no_model(model).message)
    st.caption(help_text)


def title(letter: str, whole: Pipeline, path: str) -> str:
    if "+" in path:
        return _("{letter}: choose a step to add", letter=letter.upper())
    if not path:
        return _("{letter}: the pipeline as a whole", letter=letter.upper())
    return f"{letter.upper()} · {say(building.find(whole, path).label)}"


# ---------------------------------------------------------------------------------------------------- buttons


def _does(p: Page, letter: str, make: Callable[[Built], tuple[Built, str]]) -> Callable[[], None]:
    """Returns a callback that changes the current pipeline and the selection.

    An error is shown on the next run.
    """

    def clicked() -> None:
        try:
            built, at = make(building.load(p, letter))
            building.write(p, letter, built)
            address.put(p.key("at"), f"{letter}/{at}")
        except LabError as error:
            st.session_state["_pipeline_problem"] = error

    return clicked


def problem() -> None:
    """What the last click could not do."""
    error = st.session_state.pop("_pipeline_problem", None)
    if error is not None:
        escape.problem(error)


def _buttons(p: Page, letter: str, built: Built, path: str) -> None:
    """Draws the buttons that move, switch off or remove a step, and the menu that replaces its technique."""
    row, _dot, n = path.rpartition(".")
    head = row.rpartition(".")[2]
    steps: list[tuple[str, str, str, bool, Callable[[Built], tuple[Built, str]]]] = []
    if n.isdecimal() and head in building.ROWS:
        parts, i = building.find(built.whole, row), int(n)
        up, down = f"{row}.{i - 1}", f"{row}.{i + 1}"
        steps.append(("up", _("Up"), "arrow_upward", i > 0, lambda now: (now.moved(path, -1), up)))
        steps.append(("down", _("Down"), "arrow_downward", i < len(parts) - 1, lambda now: (now.moved(path, 1), down)))
    if head in building.ROWS or path.endswith("rewrite"):
        off, free = path in built.off, built.switchable(path)
        told, icon = (_("On"), "toggle_on") if off else (_("Off"), "toggle_off")
        steps.append(("off", told, icon, free, lambda now: (now.switched(path), path)))
        is_only_list = head == "retrieve" and len(building.find(built.whole, row)) < 2
        above = building.owned(built.whole, path)[0]
        steps.append(("remove", _("Remove"), "delete", not is_only_list, lambda now: (now.removed(path), above)))
    bar = st.container(horizontal=True, gap="small")
    for name, label, icon, free, make in steps:
        bar.button(
            label,
            key=p.key(f"do.{name}"),
            icon=f":material/{icon}:",
            disabled=not free,
            on_click=_does(p, letter, make),
        )
    part = building.find(built.whole, path)
    if isinstance(part, Searcher) and not isinstance(part, Pipeline) and path:
        inside = f"{path}.refine.+0"
        bar.button(
            _("Own steps"),
            key=p.key("do.wrap"),
            icon=":material/account_tree:",
            help=_("Steps, rewriting or chunks for this list only."),
            on_click=_does(p, letter, lambda now: (now.wrapped(path), inside)),
        )
    if path and not isinstance(part, Pipeline):
        _replace(p, letter, built, path)


def _replace(p: Page, letter: str, built: Built, path: str) -> None:
    """Another technique in this place, chosen by its name."""
    part = building.find(built.whole, path)
    kinds = {cls.key: cls for cls in building.kinds(built.whole, path)}
    if type(part).key not in kinds or len(kinds) < 2:
        return
    key = p.key(f"as.{letter}.{path}")
    address.hold(key, type(part).key)

    def make(now: Built) -> tuple[Built, str]:
        replacement = building.instead(building.find(now.whole, path), kinds[st.session_state[key]], p.frame)
        return now.replaced(path, replacement), path

    st.selectbox(
        _("Technique"),
        list(kinds),
        key=key,
        format_func=lambda name: say(catalog.title(kinds[name])),
        on_change=_does(p, letter, make),
    )


def _adding(p: Page, letter: str, built: Built, place: str) -> None:
    """Everything that can be added here, a button each that says what it does."""
    titles = {
        "rewrite": _("Ask in other words"),
        "derive": _("Search chunks instead of documents"),
        "rerank": _("Rerank"),
        "filter": _("Remove"),
        "compress": _("Shorten"),
        "": _("Reorder, truncate") if "refine" in place.rpartition(".+")[0].rpartition(".")[2] else _("Add a list"),
    }
    for role, kinds in building.offers(built.whole, place).items():
        if kinds:
            st.caption(titles.get(role, role))
        bar = st.container(horizontal=True, gap="small")
        for cls in kinds:
            at = place if role != "derive" else place.replace("rewrite.+", "derive.+")

            def make(now: Built, cls: type[Any] = cls, at: str = at) -> tuple[Built, str]:
                return now.added(at, building.starter(cls, p.frame))

            label, description = say(catalog.title(cls)), say(cls.about) or None
            bar.button(label, key=p.key(f"add.{cls.key}"), help=description, on_click=_does(p, letter, make))


# ------------------------------------------------------------------------------------------------------ knobs


def _edited(p: Page, key: str, value: Any) -> Any:
    """Returns a specification with the values of its widgets; rare and nested parameters are behind a button."""
    values = dict[str, object]()
    rare: list[Callable[[], None]] = []
    models: list[Callable[[], None]] = []
    offers = stages.offers(p.frame, str(getattr(value, "source_field", "source")))
    for f in dataclasses.fields(value):
        if not f.init:
            continue
        kind = f.metadata.get("kind")
        pictured = isinstance(value, Pipeline) and kind == "spec"
        if kind == "private" or pictured or routes.drawn(value, f.name) or (kind, f.name) == WEIGHTS:
            continue  # what belongs to the machine, what the picture shows, and what has widgets of its own
        current, hint = getattr(value, f.name), catalog.hints(type(value)).get(f.name, Any)
        family = catalog.specification(hint, current)
        inner = f"{key}.{type(value).__name__.lower()}.{f.name}"

        def drawn(f: Any = f, held: Any = current, hint: Any = hint, inner: str = inner) -> None:
            offered = offers.get(f"{getattr(type(value), 'key', '')}.{f.name}", offers.get(f.name, ()))
            names = naming.in_software(catalog.other_names(type(value), f.name))
            values[f.name] = Knob(p.key(inner), f, held, hint, offers=offered, building=True, names=names).draw()

        def nested(f: Any = f, held: Any = current, family: Any = family, inner: str = inner) -> None:
            values[f.name] = _specified(p, inner, say(f.metadata.get("label") or f.name), held, family)

        if family is not None and issubclass(family, Operator):
            if not issubclass(family, Searcher):
                (models.append if issubclass(family, Embedder) else _now)(nested)
            elif not isinstance(value, Searcher):  # the parts of a search are in the picture
                (rare.append if isinstance(current, Composed) else _now)(
                    drawn if isinstance(current, Composed) else nested
                )
        elif family is not None and dataclasses.is_dataclass(current) and not hasattr(current, "named"):
            nested()
        elif catalog.row_of(hint) is None:
            typed = kind in ("spec", "prompt") and not hasattr(current, "named")
            (rare.append if f.metadata.get("rare") or typed else _now)(drawn)
    _fold(models, lambda: st.expander(_("Embedding models"), icon=":material/tune:"))
    _fold(rare, lambda: st.popover(_("More"), width="stretch"))
    return replace(value, **values) if any(getattr(value, name) != new for name, new in values.items()) else value


def _weighed(p: Page, key: str, fusion: Any, lists: Sequence[str]) -> Any:
    """Returns a fusion with one weight per list from its widgets; without weights if all are 1."""
    if not hasattr(fusion, "weights"):
        return fusion
    set_to = []
    for i, (name, held) in enumerate(zip(lists, fusion.weights or [1.0] * len(lists), strict=True)):
        weight_key = address.keep(p.key(f"{key}.weight.{i}"), float(held), address.number(0, None, whole=False))
        set_to.append(st.number_input(_("Weight of {list}", list=name), 0.0, None, step=0.05, key=weight_key))
    weights = () if all(weight == 1 for weight in set_to) else tuple(set_to)
    return fusion if weights == fusion.weights else fusion.weighted(weights)


def _fold(widgets: Sequence[Callable[[], None]], fold: Callable[[], Any]) -> None:
    """Draws these widgets behind a button, if there are any."""
    with fold() if widgets else nullcontext():
        for draw_it in widgets:
            draw_it()


def _now(draw_it: Callable[[], None]) -> None:
    draw_it()


def _specified(p: Page, key: str, label: str, current: Any, family: type[Any]) -> Any:
    """What a field holds that is a specification: which one, and its knobs behind a button."""
    if isinstance(current, Operator):
        base = next(c for c in reversed(family.__mro__) if issubclass(c, Operator) and c is not Operator)
        every = catalog.concrete(base).values()
        kinds = {cls.key: cls for cls in every if cls.portable is True and not issubclass(cls, Composed)}
        if type(current).key not in kinds:
            return current
        titles = {k: say(catalog.title(kinds[k])) for k in kinds}
        chosen = p.pick(f"{key}.type", label, kinds, type(current).key, format_func=titles.__getitem__)
        if chosen != type(current).key:
            current = building.starter(kinds[chosen], p.frame)
        if not _labelled(current):
            return current
        label = say(current.label)
    with st.popover(label, width="stretch", icon=":material/tune:"):
        return _edited(p, key, current)


def _labelled(value: Any) -> Sequence[Any]:
    return [f for f in dataclasses.fields(value) if f.init and f.metadata.get("label")]
