"""An experiment lives in the address bar: every knob is a query parameter, and a link is the experiment.

`keep` gives a widget its value (from this session, else from the address, else the default) before the
widget is drawn; `write` puts everything that differs from its default into the address.  Where the visitor went back
or forward in the browser, the address comes first.  Streamlit's own
``bind="query-params"`` stores the *label* of a choice, so that a link copied in one language could not be
read in the other; here the plain value is stored.
"""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from lab import catalog, former_names
from lab.ui import server

_VALUES, _DEFAULTS, _SHOWN, _PENDING = "_values", "_defaults", "_shown", "_pending"
_ASKED, _ENTERED, _PAGE, _LANGUAGE = "_asked", "_entered", "_page", "_language"
_BACK, _LINK, _FIRST, _BROWSER = "_back", "_link", "_first", "_browser"

QUESTION = "q"
"""The question of the whole lab: what a visitor asks on one page is asked on the next."""
LONGEST_QUESTION = 2000
"""Characters of a question that are asked, typed or from a link."""


def _table(name: str) -> dict[str, Any]:
    return st.session_state.setdefault(name, {})  # type: ignore[no-any-return]


def begin() -> None:
    """Start a run: read the link by its present names; nothing is written into the address yet."""
    st.session_state[_SHOWN], st.session_state[_ENTERED] = {}, False
    st.session_state[_ASKED] = translated(st.query_params.to_dict())
    st.session_state[_BACK] = server.is_history_navigation()
    st.session_state[_LINK] = server.query_string()
    st.session_state[_BROWSER] = server.keys_in_browser()
    _carry(QUESTION, text(LONGEST_QUESTION))


def _carry(key: str, read: Callable[[str], Any]) -> None:
    """Take a value from the link, also on a page that has no widget for it: it goes on to those that have one."""
    asked, values = st.session_state[_ASKED], _table(_VALUES)
    if st.session_state[_BACK] or not any(key in table for table in (values, _table(_DEFAULTS), _table(_PENDING))):
        values.pop(key, None)
        if key in asked:
            values[key] = read(asked[key])


def asked() -> str:
    """The question that the visitor has asked, on whatever page; empty where none was."""
    return str(_table(_VALUES).get(QUESTION, ""))


def enter(page: str) -> None:
    """Say which page this run draws, before its widgets get their values."""
    _anew(_PAGE, page)


def speak(language: str) -> None:
    """Say in which language the widgets are labelled: the browser knows a choice by its label alone."""
    _anew(_LANGUAGE, language)


def _anew(name: str, value: str) -> None:
    """Every widget of this run gets its value anew where this is not what it was in the run before."""
    st.session_state[_ENTERED] |= st.session_state.get(name) != value
    st.session_state[name] = value


def translated(link: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a link by their present names; of one that is given under both, what the present one says."""
    renamed = {key: catalog.present_parameter(key, value) for key, value in link.items()}
    former = dict(new for key, new in renamed.items() if new[0] != key)
    return former | dict(new for key, new in renamed.items() if new[0] == key)


def rename(name: Callable[[str, Any], tuple[str, Any]]) -> None:
    """Give what no widget has read yet another key or value: for names that only a page can tell."""
    for table in (st.session_state[_ASKED], _table(_VALUES), _table(_PENDING)) if former_names.FORMER_NAMES else ():
        table.update([name(key, table.pop(key)) for key in list(table)])


def linked(key: str) -> str:
    """What the link of this visit says for this key; empty where it says nothing."""
    return str(st.session_state[_ASKED].get(key, ""))


def text(longest: int = 10_000) -> Callable[[str], str]:
    """A reader of a text: a link may hold any, and what is longer is cut."""
    return lambda raw: raw[:longest]


def number(low: float | None, high: float | None, *, whole: bool) -> Callable[[str], float]:
    """A reader of numbers that stay within their range; raises ValueError for anything else."""

    def read(raw: str) -> float:
        value = float(raw)
        if not math.isfinite(value) or (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(raw)
        return int(value) if whole else value

    return read


def optional(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """A reader of what may be left open: nothing is None."""
    return lambda raw: read(raw) if raw else None


def choice(options: Sequence[str]) -> Callable[[str], str]:
    """A reader that accepts the options only, and what they were called before they were renamed."""

    def read(raw: str) -> str:
        word = catalog.present_word(raw, options)
        if word not in options:
            raise ValueError(raw)
        return word

    return read


def several(options: Sequence[str]) -> Callable[[str], list[str]]:
    """A reader of a comma-separated list of options; unknown ones are left out."""
    return lambda raw: [x for x in (catalog.present_word(x, options) for x in _parted(raw)) if x in options]


def lines(raw: str) -> list[str]:
    """A reader of a short list of sentences, parted by commas."""
    return [x for x in _parted(raw) if x.strip()][:20]


def flag(raw: str) -> bool:
    """A reader of a switch; raises ValueError for anything but 1 and 0, true and false."""
    return choice(("0", "1", "false", "true"))(raw) in ("1", "true")


def _parted(raw: str) -> list[str]:
    """The items of a list as `_written` writes it: parted by commas (or line breaks), quoted where they hold one."""
    try:
        return [item for row in csv.reader(io.StringIO(raw, newline="")) for item in row]
    except csv.Error as error:
        raise ValueError(raw) from error


def keep(key: str, default: Any, read: Callable[[str], Any] = text()) -> None:  # noqa: B008 - a plain function
    """Make sure that ``st.session_state[key]`` holds this widget's value before it is drawn.

    A value that equals the default follows the default when that changes (the example query of another
    corpus, say).  What the widget holds already is not written again: a value that code sets is sent to the
    browser, where it overwrites what the visitor has typed or moved since this run began.
    """
    values, defaults, pending = _table(_VALUES), _table(_DEFAULTS), _table(_PENDING)
    asked: dict[str, str] = st.session_state[_ASKED]
    tables = defaults, values, pending
    if st.session_state[_BACK] or (key in asked and not any(key in table for table in tables)):
        for table in tables:
            table.pop(key, None)
        with suppress(KeyError, ValueError):
            values[key] = read(asked[key])
    elif key in pending:
        values[key] = _present(pending.pop(key), read)
    elif key in st.session_state and _valid(st.session_state[key], read):
        values[key] = st.session_state[key]
        if values[key] == defaults.get(key, default):
            del values[key]
    hold(key, values.get(key, default))
    defaults[key] = default
    st.session_state[_SHOWN][key] = default


def _present(value: Any, read: Callable[[str], Any]) -> Any:
    """A value of a lesson by the present names."""
    if former_names.FORMER_NAMES and isinstance(value, str | list):
        with suppress(ValueError):
            return read(_written(value))
    return value


def _valid(value: Any, read: Callable[[str], Any]) -> bool:
    """Whether a widget can have this value: for one run after the language changed it may be the label of a choice."""
    try:
        read_again: Any = value if value is None else read(_written(value))
    except ValueError:
        return False
    return not isinstance(value, list) or len(read_again) == len(value)


def hold(key: str, value: Any) -> None:
    """Give a widget that is not drawn yet this value, unless the browser shows it already.

    On a page that has just been entered no widget has anything: one of the same key is another one, in another form.
    """
    state = st.session_state
    if state[_ENTERED] or key not in state or state[key] != value or not _in_browser(key):
        state[key] = value


def _in_browser(key: str) -> bool:
    """Whether the browser has this widget: it sends the values of all that it has with every run.

    Streamlit keeps a value that code has set under the key of its widget, also when that has vanished; one that returns
    would show its default (the least, or the first choice), while the session has the value.
    """
    if not server.session_id():
        return True
    return key in (server.keys_in_browser() if server.is_fragment_run() else st.session_state[_BROWSER])


def always(key: str) -> None:
    """Write this value into the address even where it is the default: elsewhere the default may be another."""
    st.session_state[_SHOWN][key] = None


def put(key: str, value: Any) -> None:
    """Set a value from code (a lesson, a click): the widget has it from the next run on, or at once in a callback."""
    _table(_VALUES)[key] = _table(_PENDING)[key] = value
    _table(_DEFAULTS).setdefault(key, None)
    with suppress(StreamlitAPIException):  # the widget is drawn already: `keep` gives it the value
        st.session_state[key] = value


def told_elsewhere(prefix: str) -> None:
    """Widgets whose values another key holds: they stand in no link, and follow that key when it changes."""
    for key in [key for key in st.session_state[_SHOWN] if key.startswith(prefix)]:
        del st.session_state[_SHOWN][key]
        _table(_VALUES).pop(key, None)
        _table(_DEFAULTS)[key] = st.session_state[key]


def leave_out(key: str) -> None:
    """What is too long for a link does not stand in it."""
    del st.session_state[_SHOWN][key]


def forget(prefix: str, *, but: str = "") -> None:
    """Back to the default for every key that begins with this."""
    bring_back({}, lambda key: key.startswith(prefix) and key != but)


def taken() -> dict[str, Any]:
    """Every value that differs from its default, to be brought back."""
    return dict(_table(_VALUES))


def bring_back(values: Mapping[str, Any], which: Callable[[str], bool]) -> None:
    """The keys of this kind have these values again, and their defaults where there is none."""
    for table in (_table(_VALUES), _table(_PENDING), st.session_state):
        for key in [k for k in table if isinstance(k, str) and which(k)]:
            del table[key]
    for key, value in values.items():
        if which(key):
            put(key, value)


def reopen(link: Mapping[str, str], which: Callable[[str], bool]) -> None:
    """The keys of this kind are read from this link in the next run, as if it had opened the page; the others stay.

    What a link may not say is refused as from any link.
    """
    tables = [_table(name) for name in (_VALUES, _DEFAULTS, _PENDING)]
    for key in [key for key in {key for table in tables for key in table} if which(key)]:
        for table in tables:
            table.pop(key, None)
        if key in st.session_state:
            del st.session_state[key]
    others = {key: value for key, value in st.query_params.to_dict().items() if not which(key)}
    st.query_params.from_dict(others | {key: value for key, value in link.items() if which(key)})


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:.12g}"  # more than any widget shows, and no 0.30000000000000004
    if isinstance(value, (list, tuple)):
        out = io.StringIO(newline="")
        csv.writer(out).writerow(value)
        return out.getvalue().removesuffix("\r\n")
    return str(value)


def longer(key: str, longest: int) -> bool:
    """Whether the link of this visit holds more for this key than is read of it."""
    return len(linked(key)) > longest


def current() -> dict[str, str]:
    """Every parameter of this run that differs from its default, as it stands in the address.

    The question stands there on a page without a field for it, too.
    """
    shown = st.session_state.get(_SHOWN, {})
    found = {key: (st.session_state.get(key, own), own) for key, own in shown.items()}
    told = {key: _written(value) for key, (value, own) in found.items() if value != own}
    return told if QUESTION in shown or not asked() else told | {QUESTION: asked()}


def write() -> None:
    """Put the experiment into the address bar."""
    now, page = current(), st.session_state.get(_PAGE, "")
    if st.session_state.get(_FIRST, {}).get("page") != page:
        link = st.session_state[_LINK]
        first = link if st.session_state[_BACK] else _replace(now)
        st.session_state[_FIRST] = {"page": page, "link": link, "now": first, "at": time.time()}
    if st.query_params.to_dict() != now:
        st.query_params.from_dict(now)
    js = Path(__file__).with_name("history.js").read_text("utf-8")
    st.components.v2.component("retrieval_lab_history", js=js)(key="history", data=st.session_state[_FIRST])


def _replace(now: Mapping[str, str]) -> str:
    """The first address of a page: it takes the place of the link that led there; ``history.js`` shows it.

    Streamlit would add another one to the history, and under the name of the page that was left where the browser is
    busy.
    """
    embedded = {k: v for k, v in parse_qs(st.session_state[_LINK]).items() if k in ("embed", "embed_options")}
    first = urlencode(embedded | dict(now), doseq=True)
    server.replace_query(now, first)
    return first
