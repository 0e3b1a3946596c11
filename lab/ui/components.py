"""The small HTML components of the lab: ranked lists side by side, one passage in full, tokens, the path of a query.

Everything that comes from a document is passed as data and set as text by the component, never as markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from lab.ui import address
from lab.ui.i18n import in_language

On = Mapping[str, Callable[[Any], object] | None]
_OWN = (
    *("alignment", "answer", "cards", "copy", "cuts", "find", "flow", "judge", "menu", "path", "take", "tokens"),
    *("squares", "tries"),
)
STYLES = {"passage": "cards", **{name: name for name in _OWN}}
"""The styles of each script; all of it is sent to the browser with every run."""
BEFORE = {"cards": ("curves",), "take": ("drawing",)}
"""The scripts that each script needs before it, besides ``make``."""


@cache
def _component(script: str) -> Callable[..., Any]:
    here, style = Path(__file__).parent, STYLES.get(script)
    css = "".join((here / f"{name}.css").read_text("utf-8") for name in ("focus", style)) if style else None
    js = "".join((here / f"{name}.js").read_text("utf-8") for name in ("make", *BEFORE.get(script, ()), script))
    return st.components.v2.component(f"retrieval_lab_{script}", css=css, js=js)


def _draw(script: str, data: dict[str, Any], *, key: str, on: On | None = None, **more: Any) -> Any:
    """Draws a component; what it sends under a name in ``on`` is passed to the function there."""

    def report(name: str, use: Callable[[Any], object] | None) -> None:
        sent = getattr(st.session_state.get(key), name, None)
        if sent is not None and use:
            use(sent)

    changes = {f"on_{name}_change": partial(report, name, use) for name, use in (on or {}).items()}
    # Streamlit looks for data frames among the values of a dictionary, and loads pandas for it; not in a tuple
    return _component(script)(key=key, data=(data,), **changes, **more)


def download(
    place: Any, label: str, make: str | Callable[[], str | bytes], file: str, mime: str, *, key: str, **how: Any
) -> None:
    """Draws the download of a file, which ``make`` makes when the button is pressed.

    It is called in a thread without a session: it must have its data, and gets only the language of this run.
    """
    data = in_language(make) if callable(make) else make
    place.download_button(label, data, file, mime, key=key, on_click="ignore", **how)


def lists(
    data: dict[str, Any],
    *,
    key: str,
    voted: Callable[[str, str], None] | None = None,
    graded: Callable[[str, int | None], None] | None = None,
    more: Callable[[], None] | None = None,
    only: Callable[[str, str], None] | None = None,
    asked: Callable[[int], None] | None = None,
) -> None:
    """Draws ranked lists; a click writes the document's id to ``st.session_state['doc']`` (see `address`).

    If ``data["votes"]`` names kinds of votes, every card has a button for each, which calls ``voted(id, kind)``.  With
    ``data["grading"]``, every card has the grades from 0 to 3, which call ``graded(id, grade)``, None to remove one.  A
    click on the button below a list calls ``more``; one on a value above the lists, of ``data["only"]``, calls
    ``only(field, value)``.  With ``data["ask"]``, the heads of the lists that ``data["asked"]`` marks have a
    button with this label, which calls ``asked(number of the list)``.
    """
    on: On = {
        "picked": lambda doc: address.put("doc", doc),
        "voted": voted and (lambda sent: voted(str(sent["doc"]), str(sent["kind"]))),
        "graded": graded and (lambda sent: graded(str(sent["doc"]), sent["grade"])),
        "more": more and (lambda _: more()),
        "only": only and (lambda sent: only(str(sent["field"]), str(sent["value"]))),
        "asked": asked and (lambda number: asked(int(number))),
    }
    _draw("cards", data, key=key, on=on)


def passage(data: dict[str, Any], *, key: str) -> None:
    """Draws one passage: ``{"title", "gloss", "facts", "text": [[text, "mark" | "struck" | None], ...]}``."""
    _draw("passage", data, key=key)


def copy_link(label: str, done: str, *, key: str, link: str = "", icon: bool = False) -> None:
    """Draws a button that copies a link, or the address bar if there is none; ``icon`` hides its label."""
    _draw("copy", {"label": label, "done": done, "link": link, "icon": icon}, key=key, width="content")


def menu(data: dict[str, Any], *, key: str, played: Callable[[str], None]) -> None:
    """Draws the button of the lessons with its menu; a click on a lesson calls ``played`` with its key.

    ``data["groups"]`` are {title, about, open, lessons: [{key, title, claim, seen}]}, ``data["playing"]`` is the key of
    the lesson that is performed, ``data["needs"]`` are sentences on lessons that this corpus cannot show.
    """
    _draw("menu", data, key=key, width="content", on={"played": lambda lesson: played(str(lesson))})


def find(data: dict[str, Any], *, key: str, typed: Callable[[str], None], chosen: Callable[[str], None]) -> None:
    """Draws the field that finds, with a panel for its results, ``data["rows"]`` for ``data["text"]``.

    What is typed calls ``typed``, a click on a result ``chosen`` with its id.
    """
    _draw("find", data, key=key, on={"typed": lambda text: typed(str(text)), "chosen": lambda row: chosen(str(row))})


def tries(data: dict[str, Any], *, key: str, chosen: Callable[[int], None], cleared: Callable[[], None]) -> None:
    """Draws the history of tries: ``data["rows"]``, the newest first, above them the curve of ``data["line"]``.

    A click on a row calls ``chosen`` with its number, Clear ``cleared``.
    """
    _draw("tries", data, key=key, on={"chosen": lambda number: chosen(int(number)), "cleared": lambda _: cleared()})


def take(data: dict[str, Any], *, key: str) -> None:
    """Offers the pictures of the page as files, with ``data["about"]`` above them.

    ``data["stem"]`` is what the names of the files begin with, ``data["own"]`` what components draw, by the class
    of its outermost element.
    """
    _draw("take", data, key=key)


def visitor(data: dict[str, Any], *, key: str, use_token: Callable[[str], None]) -> None:
    """Lets the browser keep ``data["token"]`` and ``data["corpus"]`` in cookies called ``data["name"]``.

    If the browser has a token already, ``use_token`` is called with it.  While the server is unreachable,
    ``data["away"]`` is shown; after that the page is drawn again.  `blocked` returns what the browser refuses here.
    """
    data = {**data, "blocked": blocked(key)}
    on: On = {"token": lambda token: use_token(str(token)), "back": None, "blocked": None}
    _draw("visitor", data, key=key, on=on)


def blocked(key: str) -> str:
    """Returns what the browser refuses this page: ``uploads``, ``memory`` (beyond a reload), or nothing."""
    return str(getattr(st.session_state.get(key), "blocked", None) or "")


def course(data: dict[str, Any], *, key: str, use_guesses: Callable[[str], None]) -> None:
    """Lets the browser keep ``data["guesses"]``, JSON; if that is empty, ``use_guesses`` is called with the kept ones.

    With ``data["keys"]`` the arrows press Next and Back, Escape leaves the projector.
    """
    _draw("course", data, key=key, on={"kept": lambda guesses: use_guesses(str(guesses))})


def tokens(data: dict[str, Any], *, key: str) -> None:
    """Draws a text by tokenizer: ``{"text", "rows": [{"name", "note", "tokens": [[t, start, end, kind]]}]}``."""
    _draw("tokens", data, key=key)


def cuts(data: dict[str, Any], *, key: str) -> None:
    """Draws a document by chunking: ``{"rows": [{"name", "note", "color", "pieces": [[text, kind, title]]}]}``.

    ``kind`` is "", "found" or "lit", with "other" for every second piece; "border" marks the end of a parent, "gap"
    omitted text, "own" a piece that was written about the text, "own context" a line before a chunk.
    """
    _draw("cuts", data, key=key)


def alignment(data: dict[str, Any], *, key: str) -> None:
    """Draws a question above its query: ``words`` and ``sql`` are [text, [numbers of parts], state].

    ``parts`` are {text, color}, ``joins`` {from, on, to, found}; ``labels`` name the bands, ``unknown`` marked words.
    """
    _draw("alignment", data, key=key)


def path(data: dict[str, Any], *, key: str) -> str | None:
    """Draws the path of a query; returns the page whose box was clicked."""
    return getattr(_draw("path", data, key=key, on={"go": None}), "go", None)


def flow(data: dict[str, Any], *, key: str, picked: Callable[[str], None]) -> None:
    """Draws pipelines side by side; a click on a part or a position calls ``picked`` with its place."""
    _draw("flow", data, key=key, on={"picked": lambda place: picked(str(place))})


def squares(data: dict[str, Any], *, key: str, picked: Callable[[int, str], None]) -> None:
    """Draws a row of squares per pair of searches, a square per question; a click calls ``picked(pair, question)``.

    ``data["rows"]`` are {name, mean, chance, groups: [["better" | "equal" | "worse", words, [[question, value]]]]}.
    """
    on: On = {"picked": lambda square: picked(int(square["pair"]), str(square["question"]))}
    _draw("squares", data, key=key, on=on)


def answers(data: dict[str, Any], *, key: str, picked: Callable[[str], None]) -> None:
    """Draws answers side by side; a click on a sentence or on one of its sources calls ``picked`` with its place.

    ``data["at"]`` is what is chosen: "a/2" is the third sentence of the answer a, "a/2/1" its source number 1.
    """
    _draw("answer", data, key=key, on={"picked": lambda place: picked(str(place))})


def judge(data: dict[str, Any], *, key: str, graded: Callable[[Any], None]) -> None:
    """Draws the passages of a pool one by one; ``graded`` is called with the clicks that the server has not confirmed.

    ``data["seen"]`` are the numbers of the last clicks that it has, by client.
    """
    _draw("judge", data, key=key, on={"graded": graded})


def pins(data: dict[str, Any], *, key: str) -> None:
    """Scrolls to the first pin of a lesson's sentence, once for each ``data["step"]``.

    ``data["parts"]`` are selectors of the pinned parts of the page; the pins on cards are found without them.
    """
    _draw("pins", data, key=key)


def top(step: str, *, key: str) -> None:
    """Scrolls to the top of the page when ``step`` has changed."""
    _draw("top", {"step": step}, key=key)
