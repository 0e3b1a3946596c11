"""The small HTML components of the lab: ranked lists side by side, one passage in full, tokens, the way of a query.

Everything that comes from a document is passed as data and set as text by the component, never as markup.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from lab.ui import address

_OWN = ("alignment", "answer", "cards", "copy", "cuts", "flow", "judge", "menu", "path", "take", "tokens", "tries")
STYLES = {"passage": "cards", **{name: name for name in _OWN}}
"""Scripts that draw something, and their styles: all of it is sent to the browser with every run."""
BEFORE = {"cards": ("curves",), "copy": ("copying",), "take": ("copying", "drawing")}
"""Scripts and what stands before them, besides ``make``."""


@cache
def _component(script: str) -> Callable[..., Any]:
    here, style = Path(__file__).parent, STYLES.get(script)
    css = (here / f"{style}.css").read_text("utf-8") if style else None
    js = "".join((here / f"{name}.js").read_text("utf-8") for name in ("make", *BEFORE.get(script, ()), script))
    return st.components.v2.component(f"retrieval_lab_{script}", css=css, js=js)


def _draw(script: str, data: dict[str, Any], *, key: str, **more: Any) -> Any:
    return _component(script)(key=key, data=data, **more)


def lists(
    data: dict[str, Any],
    *,
    key: str,
    voted: Callable[[str, str], None] | None = None,
    graded: Callable[[str, int | None], None] | None = None,
    more: Callable[[], None] | None = None,
    only: Callable[[str, str], None] | None = None,
) -> None:
    """Draw ranked lists; a click writes the document's id to ``st.session_state['doc']`` (see `address`).

    Where ``data["votes"]`` names kinds of votes, every card has a button for each, which calls ``voted(id, kind)``.
    Where there is ``data["grading"]``, every card has the grades from 0 to 3, which call ``graded(id, grade)``: None
    takes one back.  A click on the button below a list calls ``more``, one on a value above the lists, of
    ``data["only"]``, ``only(field, value)``.
    """

    def told(name: str) -> Any:
        return getattr(st.session_state.get(key), name, None)

    def picked() -> None:
        doc = told("picked")
        if doc:
            address.put("doc", doc)

    def vote() -> None:
        pressed = told("voted")
        if pressed and voted:
            voted(str(pressed["doc"]), str(pressed["kind"]))

    def grade() -> None:
        given = told("graded")
        if given and graded:
            graded(str(given["doc"]), given["grade"])

    def further() -> None:
        if told("more") and more:
            more()

    def value() -> None:
        pressed = told("only")
        if pressed and only:
            only(str(pressed["field"]), str(pressed["value"]))

    on = {"picked": picked, "voted": vote, "graded": grade, "more": further, "only": value}
    _draw("cards", data, key=key, **{f"on_{name}_change": do for name, do in on.items()})


def passage(data: dict[str, Any], *, key: str) -> None:
    """Draw one passage: ``{"title", "gloss", "facts", "text": [[text, "mark" | "struck" | None], ...]}``."""
    _draw("passage", data, key=key)


def copy_link(label: str, done: str, *, key: str, link: str = "", icon: bool = False) -> None:
    """A button that copies a link, or the address bar if there is none; as an ``icon`` its label is for the pointer."""
    _draw("copy", {"label": label, "done": done, "link": link, "icon": icon}, key=key, width="content")


def menu(data: dict[str, Any], *, key: str, played: Callable[[str], None]) -> None:
    """Draws the button of the lessons with its menu; a click on a lesson calls ``played`` with its key.

    ``data["groups"]`` are {title, about, open, lessons: [{key, title, claim, seen}]}, ``data["playing"]`` is the key of
    the lesson that is performed, ``data["needs"]`` are sentences on lessons that this corpus cannot show.
    """

    def report() -> None:
        lesson = getattr(st.session_state.get(key), "played", None)
        if lesson:
            played(str(lesson))

    _draw("menu", data, key=key, width="content", on_played_change=report)


def tries(
    data: dict[str, Any],
    *,
    key: str,
    chosen: Callable[[int], None],
    starred: Callable[[int], None],
    noted: Callable[[int, str], None],
    cleared: Callable[[], None],
) -> None:
    """Draws what was tried: ``data["rows"]``, the newest first, above them the curve of ``data["line"]``.

    A click on a row calls ``chosen`` with its number, one on its star ``starred``; a note that was written calls
    ``noted``, Clear ``cleared``.
    """

    def sent(name: str) -> Any:
        return getattr(st.session_state.get(key), name, None)

    def number(name: str, do: Callable[[int], None]) -> Callable[[], None]:
        def report() -> None:
            if (value := sent(name)) is not None:
                do(int(value))

        return report

    def note() -> None:
        written = sent("noted")
        if written:
            noted(int(written["number"]), str(written["text"]))

    def clear() -> None:
        if sent("cleared"):
            cleared()

    on = {"chosen": number("chosen", chosen), "starred": number("starred", starred), "noted": note, "cleared": clear}
    _draw("tries", data, key=key, **{f"on_{name}_change": do for name, do in on.items()})


def take(data: dict[str, Any], *, key: str) -> None:
    """Offer the pictures that the page shows as files, and the page as a slide: ``data["head"]`` and ``data["body"]``.

    ``data["stem"]`` is what the names of the files begin with, ``data["own"]`` what components draw, by the class
    of its outermost element.
    """
    _draw("take", data, key=key)


def visitor(data: dict[str, Any], *, key: str, found: Callable[[str], None]) -> None:
    """Let the browser keep ``data["token"]`` and ``data["corpus"]`` in cookies called ``data["name"]``.

    Where it has a token already, ``found`` is told that one.  While the server is away, ``data["away"]`` is shown; when
    it is back, the page is drawn anew.
    """

    def told() -> None:
        token = getattr(st.session_state.get(key), "token", None)
        if token:
            found(str(token))

    _draw("visitor", data, key=key, on_token_change=told, on_back_change=lambda: None)


def course(data: dict[str, Any], *, key: str, kept: Callable[[str], None]) -> None:
    """Let the browser keep ``data["guesses"]``, JSON; where that is empty ``kept`` is told what it has.

    With ``data["keys"]`` the arrows press Next and Back, Escape leaves the projector.
    """

    def told() -> None:
        found = getattr(st.session_state.get(key), "kept", None)
        if found:
            kept(str(found))

    _draw("course", data, key=key, on_kept_change=told)


def tokens(data: dict[str, Any], *, key: str) -> None:
    """A text under several tokenizers: ``{"text", "rows": [{"name", "note", "tokens": [[t, start, end, kind]]}]}``."""
    _draw("tokens", data, key=key)


def cuts(data: dict[str, Any], *, key: str) -> None:
    """One document under several cuts: ``{"rows": [{"name", "note", "color", "pieces": [[text, kind, title]]}]}``.

    ``kind`` is "", "found" or "lit", with "other" for every second piece; "border" is where a parent ends, "gap" what
    is left out, "own" a piece that is no part of the text.
    """
    _draw("cuts", data, key=key)


def alignment(data: dict[str, Any], *, key: str) -> None:
    """A question above what it became: ``words`` and ``sql`` are [text, [numbers of parts], state].

    ``parts`` are {text, color}, ``joins`` {from, on, to, found}; ``labels`` name the bands, ``unknown`` marked words.
    """
    _draw("alignment", data, key=key)


def path(data: dict[str, Any], *, key: str) -> str | None:
    """Draw the path of a query; gives the page whose box was clicked."""
    return getattr(_draw("path", data, key=key, on_go_change=lambda: None), "go", None)


def flow(data: dict[str, Any], *, key: str, picked: Callable[[str], None]) -> None:
    """Draw pipelines side by side; a click on a part or a place calls ``picked`` with where it is."""

    def told() -> None:
        where = getattr(st.session_state.get(key), "picked", None)
        if where:
            picked(str(where))

    _draw("flow", data, key=key, on_picked_change=told)


def answers(data: dict[str, Any], *, key: str, picked: Callable[[str], None]) -> None:
    """Draw answers side by side; a click on a sentence or on one of its sources calls ``picked`` with where it is.

    ``data["at"]`` is what is chosen: "a/2" is the third sentence of the answer a, "a/2/1" its source number 1.
    """

    def told() -> None:
        where = getattr(st.session_state.get(key), "picked", None)
        if where:
            picked(str(where))

    _draw("answer", data, key=key, on_picked_change=told)


def judge(data: dict[str, Any], *, key: str, graded: Callable[[Any], None]) -> None:
    """Draw the passages of a pool one by one; ``graded`` is called with the clicks that the server has not confirmed.

    ``data["seen"]`` are the numbers of the last clicks that it has, by client.
    """

    def told() -> None:
        sent = getattr(st.session_state.get(key), "graded", None)
        if sent:
            graded(sent)

    _draw("judge", data, key=key, on_graded_change=told)


def pins(data: dict[str, Any], *, key: str) -> None:
    """Bring the first pin of a lesson's sentence into sight, once for each ``data["step"]``.

    ``data["parts"]`` are selectors of the parts of the page that have a pin; those of the cards are found.
    """
    _draw("pins", data, key=key)
