"""Where a router sends questions: its destinations and the rows of its word table, added, changed and removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from lab.rewrite.routing import Destination, Route, WordTable
from lab.ui import address
from lab.ui.i18n import _
from lab.ui.layout.page import Page
from lab.ui.study import building
from lab.ui.study.building import Built

Does = Callable[[Callable[[Built], tuple[Built, str]]], Callable[[], None]]
"""What a click does: see `pages.whole.pipeline.inspector`."""


def draw(p: Page, key: str, route: Route, does: Does, path: str) -> Route:
    """The names of the destinations, and which words lead to which; gives the route with what was just set."""
    st.caption(_("Routes: the picture shows the search of each."))
    for i, destination in enumerate(route.routes):
        away = does(partial(_less, path=path, i=i))
        name = _row(p, f"{key}.routes.{i}", _("Name"), destination.name, away if len(route.routes) > 1 else None)
        route = route if name == destination.name else route.renamed(destination.name, name)
    names = [destination.name for destination in route.routes]
    new = next(n for n in map(str, range(1, len(names) + 2)) if n not in names)

    def more(now: Built) -> tuple[Built, str]:
        start = building.starter(Destination, p.frame)
        return now.added(f"{path}.routes.+", replace(start, name=new))

    st.button(_("Add a route"), key=p.key("do.destination"), icon=":material/add:", on_click=does(more))
    if not isinstance(route.router, WordTable):
        return route
    return replace(route, router=_table(p, key, route.router, names, does, path))


def _less(now: Built, path: str, i: int) -> tuple[Built, str]:
    return now.removed(f"{path}.routes.{i}"), path


def drawn(value: Any, field: str) -> bool:
    return isinstance(value, Route) and field == "router" and isinstance(value.router, WordTable)


def _table(p: Page, key: str, router: WordTable, names: list[str], does: Does, path: str) -> WordTable:
    """The rows of the table, the first that fits decides; and where all other questions go."""

    def put(now: Built, removed: int | None) -> tuple[Built, str]:
        """With one row less, or one more at the end."""
        route = building.find(now.whole, path)
        rows = [row for i, row in enumerate(route.router.table) if i != removed]
        rows += [(_("a word"), route.routes[-1].name)] if removed is None else []
        return now.replaced(f"{path}.router.table", tuple(rows)), path

    rows = []
    st.caption(_("Words of the question and their routes; the first row that matches decides."))
    for i, (words, to) in enumerate(router.table):
        words = _row(p, f"{key}.table.{i}", _("Words in the question"), words, does(partial(put, removed=i)))
        rows.append((words, p.pick(f"{key}.table.{i}.to", _("Target route"), names, to)))
    more = does(partial(put, removed=None))
    st.button(_("Add a row"), key=p.key("do.row"), icon=":material/add:", on_click=more)
    label = _("All other questions")
    otherwise = p.pick(f"{key}.otherwise", label, names, router.otherwise or names[0])
    usual = otherwise == names[0] and not router.otherwise  # empty: the first
    return replace(router, table=tuple(rows), otherwise="" if usual else otherwise)


def _row(p: Page, name: str, label: str, value: str, away: Callable[[], None] | None) -> str:
    """Draws a text field with a button that removes it; returns its text."""
    key = address.keep(p.key(name), value, address.text(200))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input(label, key=key, max_chars=200)
        st.button(
            "", key=f"{key}.away", icon=":material/delete:", help=_("Remove"), disabled=away is None, on_click=away
        )
    return text.strip()
