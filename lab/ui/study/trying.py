"""The history of a page in this visit: every search that was tried, what it changed, one click back.

The session holds one `Tries` per page; a new tab or a reload begins with the visitor's latest.  The panel is computed
only when it is open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab import catalog, formats
from lab.algebra import Pipeline, Searcher
from lab.errors import LabError
from lab.explain.differences import changes
from lab.presets import presets
from lab.text import cut, well_formed
from lab.ui import address, components, escape, palette
from lab.ui.i18n import _, _n, both, labelled, language, say
from lab.ui.layout import export, frame
from lab.ui.study.tries import MEASURE, Tries, Try, is_parameter

if TYPE_CHECKING:
    import pandas as pd

CHANGES = 4
"""Changes of a try that are named."""
RUN = "run "
"""What stands before the name of an uploaded run, which is no search."""
FILES = {"CSV": ("csv", "text/csv"), "Markdown": ("md", "text/markdown"), "JSON": ("json", "application/json")}
_STATE = "_tries"


@dataclass
class _State:
    """The tries of a page in this session, with their searches and names."""

    tries: Tries = field(default_factory=Tries)
    searches: dict[str, Searcher | None] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    seen: Hashable = None

    def read(self, text: str) -> Searcher | None:
        """The search of an expression; None for an uploaded run, and for what this lab does not know."""
        if text not in self.searches:
            try:
                self.searches[text] = None if text.startswith(RUN) else formats.parse(text)
            except LabError:
                self.searches[text] = None
        return self.searches[text]

    def name(self, text: str) -> str:
        """What a search is called, in the visitor's language."""
        key = language(), text
        if key not in self.names:
            self.names[key] = self._name(text)
        return self.names[key]

    def _name(self, text: str) -> str:
        """The search's own name, the name of the preset that it is, or its label."""
        search = self.read(text)
        if search is None:
            return cut(text.removeprefix(RUN), 60)
        preset = next((both(preset.label) for preset in presets().values() if preset.search == search), "")
        if name := str(getattr(search, "name", "")) or preset:
            return cut(name, 60)
        label = say(search.label)
        if isinstance(search, Pipeline) and search.fuse is not None:
            label = labelled(catalog.title(type(search.fuse)), label)
        return cut(label, 60)


def _state(page: str) -> _State:
    every: dict[str, _State] = st.session_state.setdefault(_STATE, {})
    if page not in every:
        every[page] = _State(frame.visitor().store(_STATE).get(page, Tries()))
    return every[page]


def known(page: str) -> bool:
    """Whether this visit has tried anything on a page."""
    return page in st.session_state.get(_STATE, {}) and bool(_state(page).tries.entries)


def record(
    page: str,
    searches: Sequence[Searcher | str],
    question: str,
    measured: Callable[[], Sequence[float]],
    *,
    judged: Hashable,
    began: float,
    measure: str = MEASURE,
    questions: int = 0,
) -> None:
    """Notes the searches of this run of a page; ``measured`` is called only if something is new.

    ``judged`` are the judgments on which the values depend, ``began`` is when the run began (seconds since 1970).  A
    search that is a text is the name of an uploaded run.
    """
    state, corpus = _state(page), str(st.session_state["corpus"])
    seen = corpus, question, tuple(searches), judged, measure, questions
    if state.seen == seen:
        if not state.tries.settled:
            state.tries = replace(state.tries, settled=True)
    else:
        texts = [RUN + x if isinstance(x, str) else formats.expression(x) for x in searches]
        state.searches |= {text: x for text, x in zip(texts, searches, strict=True) if not isinstance(x, str)}
        parameters = tuple(pair for pair in address.current().items() if is_parameter(page, pair[0]))
        parameters = tuple(pair for pair in parameters if pair[0] != "corpus")
        new = Try(corpus, question, tuple(texts), parameters, time.time(), tuple(measured()), measure, questions)
        state.tries = state.tries.record(replace(new, portable=all(map(_portable, searches))), began=began)
        used = {text for x in state.tries.entries for text in x.searches}
        state.searches = {text: x for text, x in state.searches.items() if text in used}
        state.names, state.seen = {}, seen


def _portable(search: Searcher | str) -> bool:
    """Whether a link may hold a search."""
    try:
        return isinstance(search, str) or bool(formats.to_link(search))
    except LabError:
        return False


def keep(page: str) -> None:
    """Keeps the tries of a page for the visitor's next reload."""
    frame.visitor().store(_STATE)[page] = _state(page).tries


def bring_back(page: str, number: int) -> None:
    """Opens a try again: its corpus, its question and its parameters, each read as from a link."""
    state = _state(page)
    x = state.tries.find(number)
    if x is None or x.corpus not in set(frame.corpora()):
        return
    link = {**dict(x.parameters), "corpus": x.corpus, address.QUESTION: x.question}
    lesson = f"{page}.lesson"

    def which(key: str) -> bool:
        question = key == address.QUESTION and bool(x.question)
        return question or is_parameter(page, key) or key == lesson or key.startswith(f"{lesson}.")

    address.reopen(link, which)


# ---------------------------------------------------------------------------------------------- on the screen


def button(page: str, place: Any) -> None:
    """The button in the head of a page; the panel behind it is computed when it is open."""
    n = len(_state(page).tries.entries)
    label = _("Tries {n}", n=n) if n > 1 else _("Tries")
    at = place.container(key=f"tries-button-{page}", width="content")
    with (
        at,
        st.popover(label, icon=":material/history:", key=f"{page}.tried", on_change="rerun", width="content") as box,
    ):
        if box.open:
            with st.container(key=f"tries-panel-{page}"):
                panel(page)


def column(page: str) -> None:
    """The tries beside the page on a wide screen, above it on a narrow one; nothing before the second."""
    if len(_state(page).tries.entries) > 1:
        panel(page, key=f"{page}.tries.column")


def panel(page: str, *, key: str = "") -> None:
    """Draws the tries of a page, newest first."""
    state = _state(page)

    def forget() -> None:
        state.tries, state.seen = Tries(), None

    components.tries(
        _data(state), key=key or f"{page}.tries.panel", chosen=lambda number: bring_back(page, number), cleared=forget
    )


def _data(state: _State) -> dict[str, Any]:
    now, corpora = state.tries.find(state.tries.current) or Try("", "", ()), set(frame.corpora())
    rows = [_as_row(state, x) | {"here": x.corpus in corpora} for x in reversed(state.tries.entries)]
    line = [
        {"number": row["number"], "value": row["exact"], "base": row["base"]}
        for row, x in zip(rows, reversed(state.tries.entries), strict=True)
        if row["exact"] is not None and x.scale == now.scale
    ]
    furthest = max((abs(row["change"]) for row in rows), default=0.0)
    for row in rows:
        row["bar"] = row["change"] / furthest if furthest else 0.0
    if len(rows) < 2:
        hint = _("Change a parameter or the question: each search is listed here, with its changes.")
    else:
        hint = _("Kept for this visit, also after a reload.")
    return {
        "rows": rows,
        "line": line[::-1],
        "measure": now.measure if any(row["exact"] is not None for row in rows) else "",
        "hint": hint,
        "language": language(),
        "colors": {"up": palette.named("refined"), "down": palette.named("vector"), "now": palette.named("fused")},
        "words": {
            "title": _("What you tried"),
            "baseline": _("baseline"),
            "gone": _("Its corpus is not available."),
            "clear": _("Clear"),
            "sure": _("Delete all tries?"),
        },
    }


def _as_row(state: _State, x: Try) -> dict[str, Any]:
    tries = state.tries
    origin, base = tries.origin(x), tries.baseline(x)
    at, lead = _lead(state, x, origin), _lead(state, base, tries.origin(base))
    value, against, change, sign = x.values[at] if x.values else None, "", 0.0, ""
    if value is not None and base.values and base is not x:
        reference = _reference(state, x, origin, base)
        before = base.values[reference]
        change = value - before if abs(value - before) >= 5e-4 else 0.0
        sign = f"{'▲' if change > 0 else '▼'} {abs(change):.3f}" if change else "＝"
        sign += f" ({before:.3f})" if reference != lead else ""
        against = _("against {name}: {value}", name=state.name(base.searches[reference]), value=f"{before:.3f}")
    name = state.name(x.searches[at])
    phrases = _changes(state, x, origin)
    words = _between().join(
        phrase.removeprefix(f"{name} · ") for phrase in phrases if phrase != name or len(phrases) > 1
    )
    return {
        "number": x.number,
        "name": name,
        "what": cut(words, 240),
        "value": "" if value is None else f"{value:.3f}",
        "exact": value,
        "base": base is x,
        "sign": sign,
        "against": against,
        "change": change,
        "current": x.number == tries.current,
        "at": x.at,
    }


def _reference(state: _State, x: Try, origin: Try | None, base: Try) -> int:
    """The number of the search in the baseline that a try is compared with.

    It is the same search under other parameters, or the search that the baseline is about.
    """
    at = _lead(state, x, origin)
    partners = {j: i for i, j in pairs(state, base.searches, x.searches) if i is not None and j is not None}
    if at in partners and base.searches[partners[at]] != x.searches[at]:
        return partners[at]
    return _lead(state, base, state.tries.origin(base))


def _lead(state: _State, x: Try, origin: Try | None) -> int:
    """The number of the search that a try is about: the best of those that are new in it, or the best of all."""
    new = [j for i, j in pairs(state, origin.searches if origin else (), x.searches) if j is not None and i is None]
    if origin:
        both = [(i, j) for i, j in pairs(state, origin.searches, x.searches) if i is not None and j is not None]
        new += [j for i, j in both if origin.searches[i] != x.searches[j]]
    return max(sorted(new) or range(len(x.searches)), key=lambda j: x.values[j] if x.values else 0.0)


def pairs(state: _State, before: Sequence[str], after: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """The searches of two tries that are the same one: equal, or of one name, or alone in being left on both sides.

    A search without a partner is paired with None.
    """
    matched, left, right = list[tuple[int | None, int | None]](), list(range(len(before))), list(range(len(after)))
    names: tuple[Callable[[str], str], ...] = (str, state.name)
    for name in names:
        for j in list(right):
            i = next((i for i in left if name(before[i]) == name(after[j])), None)
            if i is not None:
                matched.append((i, j))
                left.remove(i)
                right.remove(j)
    if len(left) == len(right):
        return [*matched, *zip(left, right, strict=True)]
    return [*matched, *((i, None) for i in left), *((None, j) for j in right)]


def _changes(state: _State, x: Try, origin: Try | None) -> list[str]:
    """What a try changed, in phrases; of the first one what it searches."""
    if origin is None:
        return [state.name(text) for text in x.searches]
    phrases = list[str]()
    if x.corpus != origin.corpus:
        phrases.append(_("corpus: {name}", name=frame.corpus_title(x.corpus)))
    if x.question != origin.question:
        phrases.append(_("question: “{text}”", text=cut(x.question, 60)))
    for i, j in pairs(state, origin.searches, x.searches):
        old, new = (None if at is None else row[at] for at, row in ((i, origin.searches), (j, x.searches)))
        phrases += _change(state, old, new)
    if x.questions != origin.questions:
        phrases.append(_n("{n:,} question", "{n:,} questions", x.questions))
    phrases = list(dict.fromkeys(phrases))
    more = len(phrases) - CHANGES
    return phrases if more <= 0 else [*phrases[:CHANGES], _("and {n} more", n=more)]


def _between() -> str:
    """The sign between two phrases."""
    return "；" if language() == "zh" else "; "


def _change(state: _State, old: str | None, new: str | None) -> Iterable[str]:
    if old == new:
        return []
    if old is None or new is None:
        return [_("with {name}", name=state.name(new)) if new else _("without {name}", name=state.name(old or ""))]
    before, after = state.read(old), state.read(new)
    if before is None or after is None:
        return [f"{state.name(old)} → {state.name(new)}"]
    return [say(phrase) for phrase in changes(before, after)]


# ---------------------------------------------------------------------------------------------- the export


def table(values: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Returns a row per try and search, the oldest first, with its changes and its measure."""
    import pandas as pd

    heads = {
        **{"try": _("Attempt"), "time": _("Time"), "corpus": _("Corpus"), "question": _("Question")},
        **{"changed": _("Changed"), "search": _("Search"), "expression": _("Expression"), "value": _("Value")},
        **{"measure": _("Measure"), "questions": _("Number of questions")},
    }
    return export.named(pd.DataFrame([row for x in values for row in _flat(x)]), heads)


def _flat(x: Mapping[str, Any]) -> list[dict[str, Any]]:
    head = {name: x[name] for name in ("try", "time", "corpus", "question", "changed")}
    tail = {name: x[name] for name in ("measure", "questions")}
    return [{**head, **search, **tail} for search in x["searches"]]


def as_values(page: str) -> list[dict[str, Any]]:
    """Every try as plain values, ready for JSON; an expression that belongs to this machine is left out."""
    state = _state(page)
    rows = []
    for x in state.tries.entries:
        values = x.values or (None,) * len(x.searches)
        searches = [
            {"search": state.name(text), "expression": text if x.portable else "", "value": value}
            for text, value in zip(x.searches, values, strict=True)
        ]
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(x.at))
        row = {
            **{"try": x.number, "time": when, "page": page, "corpus": x.corpus, "question": x.question},
            **{"changed": _between().join(_changes(state, x, state.tries.origin(x))), "searches": searches},
            **{"measure": x.measure if x.values else "", "questions": x.questions, "parameters": dict(x.parameters)},
        }
        rows.append(row)
    return rows


def take(page: str, corpus: str) -> None:
    """Download buttons for the tries of a page, if it has any."""
    if not known(page):
        return
    st.caption(_("What you tried"))
    row, stem, values = st.container(horizontal=True), escape.file(f"{corpus}-{page}-tries"), as_values(page)
    for kind, (end, mime) in FILES.items():
        make = partial(as_file, values, kind)
        components.download(row, kind, make, f"{stem}.{end}", mime, key=f"{page}.tries.{end}")


def as_file(values: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Returns the tries of a page, as plain values, as a file of this kind (see `FILES`)."""
    if kind == "JSON":
        return escape.as_json(values)
    rows = table(values)  # a byte order mark, so that spreadsheets read Chinese
    return well_formed("\ufeff" + escape.as_csv(rows) if kind == "CSV" else escape.as_markdown(rows))
