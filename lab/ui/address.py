"""An experiment is in the address bar: every parameter is a query parameter, and a link is the experiment.

`keep` gives a widget its value (from this session, else from the address, else the default) before the
widget is drawn; `write` puts everything that differs from its default into the address.  If the visitor went back
or forward in the browser, the address comes first.  Streamlit's own
``bind="query-params"`` stores the *label* of a choice, so that a link copied in one language could not be
read in the other; here the plain value is stored.
"""

from __future__ import annotations

import csv
import io
import math
import re
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from lab import catalog, former_names
from lab.ui import server

_VALUES, _DEFAULTS, _SHOWN, _PENDING = "_values", "_defaults", "_shown", "_pending"
_ASKED, _ENTERED, PAGE, _LANGUAGE = "_asked", "_entered", "_page", "_language"
_BACK, _LINK, _FIRST, _BROWSER = "_back", "_link", "_first", "_browser"

QUESTION = "q"
"""The question of the whole lab: a visitor's question on one page is also that of the next."""
LONGEST_QUESTION = 2000
"""Maximum characters of a question, typed or from a link."""


def _table(name: str) -> dict[str, Any]:
    return st.session_state.setdefault(name, {})  # type: ignore[no-any-return]


def begin() -> None:
    """Starts a run: reads the link by its present names; nothing is written into the address yet."""
    st.session_state[_SHOWN], st.session_state[_ENTERED] = {}, False
    st.session_state[_ASKED] = translated(st.query_params.to_dict())
    st.session_state[_BACK] = server.is_history_navigation()
    st.session_state[_LINK] = server.query_string()
    st.session_state[_BROWSER] = server.keys_in_browser()
    _carry(QUESTION, text(LONGEST_QUESTION))


def _carry(key: str, read: Callable[[str], Any]) -> None:
    """Takes a value from the link, also on a page without a widget for it, so that later pages have it."""
    link, values = st.session_state[_ASKED], _table(_VALUES)
    if st.session_state[_BACK] or not any(key in table for table in (values, _table(_DEFAULTS), _table(_PENDING))):
        values.pop(key, None)
        if key in link:
            values[key] = read(link[key])


def current_question() -> str:
    """Returns the visitor's question, from whatever page; empty if there is none."""
    return str(_table(_VALUES).get(QUESTION, ""))


def enter(page: str) -> None:
    """Notes which page this run draws, before its widgets get their values."""
    _anew(PAGE, page)


def speak(language: str) -> None:
    """Notes the language of the widgets' labels: the browser knows a choice only by its label."""
    _anew(_LANGUAGE, language)


def _anew(name: str, value: str) -> None:
    """Resets every widget of this run if this value has changed since the run before."""
    st.session_state[_ENTERED] |= st.session_state.get(name) != value
    st.session_state[name] = value


def translated(link: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters of a link by their present names; a present name overrides a former one."""
    renamed = {key: catalog.present_parameter(key, value) for key, value in link.items()}
    former = dict(new for key, new in renamed.items() if new[0] != key)
    return former | dict(new for key, new in renamed.items() if new[0] == key)


def rename(name: Callable[[str, Any], tuple[str, Any]]) -> None:
    """Renames parameters that no widget has read yet: for names that only a page knows."""
    for table in (st.session_state[_ASKED], _table(_VALUES), _table(_PENDING)) if former_names.FORMER_NAMES else ():
        table.update([name(key, table.pop(key)) for key in list(table)])


def linked(key: str) -> str:
    """Returns the value of this key in the link of this visit; empty if there is none."""
    return str(st.session_state[_ASKED].get(key, ""))


def text(longest: int = 10_000) -> Callable[[str], str]:
    """Returns a reader of any text; a longer one is cut."""
    return lambda raw: raw[:longest]


def number(low: float | None, high: float | None, *, whole: bool) -> Callable[[str], float]:
    """Returns a reader of numbers within a range; it raises ValueError for anything else."""

    def read(raw: str) -> float:
        value = float(raw)
        if not math.isfinite(value) or (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(raw)
        return int(value) if whole else value

    return read


def optional(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Returns a reader of an optional value: an empty text is None."""
    return lambda raw: read(raw) if raw else None


def words() -> set[str]:
    """Returns the steps of the parameters of the link, and the items of their values, but not the question.

    Each parameter is there as a whole, too: ``name=`` and ``name=value``.
    """
    link = [(key, value) for key, value in st.session_state[_ASKED].items() if key != QUESTION]
    whole = {f"{key}={text}" for key, value in link for text in ("", value)}
    return whole | {word for key, value in link for word in re.split("[.,:-]", f"{key},{value}")}


def choice(options: Sequence[str]) -> Callable[[str], str]:
    """Returns a reader that accepts only the options, also by their former names."""

    def read(raw: str) -> str:
        word = catalog.present_word(raw, options)
        if word not in options:
            raise ValueError(raw)
        return word

    return read


def several(options: Sequence[str]) -> Callable[[str], list[str]]:
    """Returns a reader of a comma-separated list of options; unknown ones are left out."""
    return lambda raw: [x for x in (catalog.present_word(x, options) for x in _parted(raw)) if x in options]


def lines(raw: str) -> list[str]:
    """Reads a short list of sentences, separated by commas."""
    return [x for x in _parted(raw) if x.strip()][:20]


def flag(raw: str) -> bool:
    """Reads a switch; raises ValueError for anything but 1 and 0, true and false."""
    return choice(("0", "1", "false", "true"))(raw) in ("1", "true")


def _parted(raw: str) -> list[str]:
    """Returns the items of a list that `_written` wrote: separated by commas or line breaks, quoted if necessary."""
    try:
        return [item for row in csv.reader(io.StringIO(raw, newline="")) for item in row]
    except csv.Error as error:
        raise ValueError(raw) from error


def keep(key: str, default: Any, read: Callable[[str], Any] = text()) -> str:  # noqa: B008 - a plain function
    """Makes sure that ``st.session_state[key]`` holds this widget's value before it is drawn, and returns the key.

    A value that equals the default follows the default when that changes (the example query of another
    corpus, say).  A value that the widget has already is not written again: a value set by code is sent to the
    browser, where it overwrites what the visitor has typed or moved since this run began.
    """
    values, defaults, pending = _table(_VALUES), _table(_DEFAULTS), _table(_PENDING)
    link: dict[str, str] = st.session_state[_ASKED]
    tables = defaults, values, pending
    if st.session_state[_BACK] or (key in link and not any(key in table for table in tables)):
        for table in tables:
            table.pop(key, None)
        with suppress(KeyError, ValueError):
            values[key] = read(link[key])
    elif key in pending:
        values[key] = _present(pending.pop(key), read)
    elif key in st.session_state and _valid(st.session_state[key], read):
        values[key] = st.session_state[key]
        if values[key] == defaults.get(key, default):
            del values[key]
    hold(key, values.get(key, default))
    defaults[key] = default
    st.session_state[_SHOWN][key] = default
    return key


def _present(value: Any, read: Callable[[str], Any]) -> Any:
    """Returns a value of a lesson by its present name."""
    if former_names.FORMER_NAMES and isinstance(value, str | list):
        with suppress(ValueError):
            return read(_written(value))
    return value


def _valid(value: Any, read: Callable[[str], Any]) -> bool:
    """Returns whether a widget can have this value: after a change of language it may be the label of a choice."""
    try:
        read_again: Any = value if value is None else read(_written(value))
    except ValueError:
        return False
    return not isinstance(value, list) or len(read_again) == len(value)


def follow(key: str, options: Container[object], name: str) -> None:
    """Writes the choice of a select under another name, unless its options changed meanwhile.

    Streamlit then gives the text of the choice in place of its value.
    """
    if st.session_state[key] in options:
        put(name, st.session_state[key])


def hold(key: str, value: Any) -> None:
    """Gives a widget that is not drawn yet this value, unless the browser shows it already.

    On a page that was just entered no widget has a value yet: one of the same key belongs to another form.
    """
    state = st.session_state
    if state[_ENTERED] or key not in state or state[key] != value or not _in_browser(key):
        state[key] = value


def _in_browser(key: str) -> bool:
    """Returns whether the browser has this widget: with every run it sends the values of all its widgets.

    Streamlit keeps a value set by code under the key of its widget, even after the widget has vanished; when it
    returns, it would show its default (the least, or the first choice), while the session has the value.
    """
    if not server.session_id():
        return True
    return key in (server.keys_in_browser() if server.is_fragment_run() else st.session_state[_BROWSER])


def always(key: str) -> None:
    """Writes this value into the address even if it is the default: another visitor may have another default."""
    st.session_state[_SHOWN][key] = None


def put(key: str, value: Any) -> None:
    """Sets a value from code (a lesson, a click): the widget has it from the next run on, or at once in a callback."""
    _table(_VALUES)[key] = _table(_PENDING)[key] = value
    _table(_DEFAULTS).setdefault(key, None)
    with suppress(StreamlitAPIException):  # the widget is drawn already: `keep` gives it the value
        st.session_state[key] = value


def leave_to_other_key(prefix: str) -> None:
    """Excludes widgets from the link whose values another key holds; they follow that key when it changes."""
    for key in [key for key in st.session_state[_SHOWN] if key.startswith(prefix)]:
        del st.session_state[_SHOWN][key]
        _table(_VALUES).pop(key, None)
        _table(_DEFAULTS)[key] = st.session_state[key]


def leave_out(key: str) -> None:
    """Excludes a value that is too long for a link."""
    del st.session_state[_SHOWN][key]


def forget(prefix: str, *, but: str = "") -> None:
    """Resets every key that begins with this prefix to its default."""
    bring_back({}, lambda key: key.startswith(prefix) and key != but)


def changed_values() -> dict[str, Any]:
    """Returns every value that differs from its default, for `bring_back`."""
    return dict(_table(_VALUES))


def bring_back(values: Mapping[str, Any], which: Callable[[str], bool]) -> None:
    """Gives the keys of this kind these values, or their defaults."""
    for table in (_table(_VALUES), _table(_PENDING), st.session_state):
        for key in [k for k in table if isinstance(k, str) and which(k)]:
            del table[key]
    for key, value in values.items():
        if which(key):
            put(key, value)


def reopen(link: Mapping[str, str], which: Callable[[str], bool]) -> None:
    """Lets the next run read the keys of this kind from this link, as if it had opened the page; the others stay.

    Values that a link may not set are refused as usual.
    """
    tables = [_table(name) for name in (_VALUES, _DEFAULTS, _PENDING)]
    for key in [key for key in {key for table in tables for key in table} if which(key)]:
        for table in tables:
            table.pop(key, None)
        if key in st.session_state:
            del st.session_state[key]
    rest = {key: value for key, value in st.query_params.to_dict().items() if not which(key)}
    st.query_params.from_dict(rest | {key: value for key, value in link.items() if which(key)})


def _written(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return f"{value:.12g}"  # more digits than any widget shows, but not 0.30000000000000004
    if isinstance(value, (list, tuple)):
        buffer = io.StringIO(newline="")
        csv.writer(buffer).writerow(value)
        return buffer.getvalue().removesuffix("\r\n")
    return str(value)


def longer(key: str, longest: int) -> bool:
    """Returns whether the link of this visit has more characters for this key than are read."""
    return len(linked(key)) > longest


def current() -> dict[str, str]:
    """Returns every parameter of this run that differs from its default, as the address has it.

    The question is included even on a page without a field for it.
    """
    shown = st.session_state.get(_SHOWN, {})
    pairs = {key: (st.session_state.get(key, default), default) for key, default in shown.items()}
    parameters = {key: _written(value) for key, (value, default) in pairs.items() if value != default}
    return parameters if QUESTION in shown or not current_question() else parameters | {QUESTION: current_question()}


def link(page: str, values: Mapping[str, Any]) -> str:
    """Returns the link from any page to this one, with the corpus and question of this run and these values."""
    everywhere = {key: value for key, value in current().items() if "." not in key}
    return f"./{page}?{urlencode(everywhere | {key: _written(value) for key, value in values.items()})}"


def write() -> None:
    """Puts the experiment into the address bar."""
    now, page = current(), st.session_state.get(PAGE, "")
    if st.session_state.get(_FIRST, {}).get("page") != page:
        link = st.session_state[_LINK]
        first = link if st.session_state[_BACK] else _replace(now)
        st.session_state[_FIRST] = {"page": page, "link": link, "now": first, "at": time.time()}
    if st.query_params.to_dict() != now:
        st.query_params.from_dict(now)
    js = Path(__file__).with_name("history.js").read_text("utf-8")
    st.components.v2.component("retrieval_lab_history", js=js)(key="history", data=(st.session_state[_FIRST],))


def _replace(now: Mapping[str, str]) -> str:
    """Replaces the link that led to a page by the page's first address; ``history.js`` shows it.

    Streamlit would add another entry to the history, and in a busy browser under the name of the page before.
    """
    embedded = {k: v for k, v in parse_qs(st.session_state[_LINK]).items() if k in ("embed", "embed_options")}
    first = urlencode(embedded | dict(now), doseq=True)
    server.replace_query(now, first)
    return first
