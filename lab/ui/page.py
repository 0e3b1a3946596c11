"""The anatomy of a page: header, lessons, query, knobs, and the quiet line at the end.

Every page makes one `Page`; what it calls is drawn in the order of the calls, so that a visitor learns the
order once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import streamlit as st

from lab import catalog
from lab.core import Operator, Query, Ranking, Searcher
from lab.corpus import samples
from lab.errors import LabError
from lab.lessons import Lesson
from lab.models.embedders import Embedder
from lab.pipeline import DEPTH, Runner
from lab.ui import address, cache, components, escape, frame, guide, language_model
from lab.ui.i18n import _, both
from lab.ui.palette import line

Words = Callable[[Any], str]
"""What the values of a choice are called."""


class Page:
    """One page at work: ``name`` is the prefix of its widget keys and the file name of its guide."""

    def __init__(self, name: str, title: str, question: str) -> None:
        self.name = name
        address.enter(name)
        self.frame = frame.current()
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.title(title, anchor=False, width="content")
            st.space("stretch")
            guide.button(name)
            self._tools = st.container(width="content")
            components.copy_link(_("Copy link"), _("Copied"), key=f"{name}.copy")
        st.caption(question)
        self._k = DEPTH

    # ----------------------------------------------------------------------------------------- searching

    @cached_property
    def models(self) -> dict[str, Any]:
        """The models that this visitor has set, by the names that searches know them under."""
        try:
            model = language_model.current()
        except LabError:  # set in a wrong way: the sidebar says how
            model = None
        return {} if model is None else {"chat": model}

    @cached_property
    def runner(self) -> Runner:
        """The one place where this page's searches run: what they have in common is made once."""
        return Runner(self.frame.corpus, models=self.models)

    def run(self, searches: Mapping[str, Searcher], query: Query, *, k: int = DEPTH) -> dict[str, Ranking]:
        """Every search by its name; slow embedding shows how far it is, and can be stopped."""
        self._k = k
        with st.spinner(_("Indexing the corpus …"), show_time=True):
            for embedder in {x for s in searches.values() for x in catalog.inside(s) if isinstance(x, Embedder)}:
                cache.embed(embedder, self.frame.corpus)
            return {name: self.runner(search, query, k) for name, search in searches.items()}

    def key(self, knob: str) -> str:
        """The widget key, and the name in the address, of a knob."""
        return f"{self.name}.{knob}"

    # ---------------------------------------------------------------------------------------- lessons

    def lessons(self) -> Lesson | None:
        """The lessons of this page as a row of pills, and the claim of the chosen one."""
        mine = {f"{x.corpus}/{x.id}": x for x in cache.lessons() if x.page == self.name}
        if not mine:
            return None
        key = self.key("lesson")
        address.keep(key, None, address.choice(list(mine)))
        chosen = mine.get(st.session_state[key] or "")
        asked = st.session_state.get(address.QUESTION)
        if chosen and (chosen.corpus != st.session_state["corpus"] or asked not in (None, chosen.query)):
            address.put(key, None)  # the visitor has gone on to something else
        st.pills(
            _("Lessons"),
            list(mine),
            key=key,
            format_func=lambda n: both(dict(mine[n].title)),
            on_change=lambda: self._apply(mine.get(st.session_state[key] or "")),
            label_visibility="collapsed",
        )
        lesson = mine.get(st.session_state[key] or "")
        if lesson:
            with st.container(border=True, key=f"claim-{self.name}"):
                st.markdown(both(dict(lesson.claim)))
        return lesson

    def _apply(self, lesson: Lesson | None) -> None:
        if lesson is None:
            return
        name = f"{lesson.corpus}/{lesson.id}"
        address.forget(self.name + ".")
        address.put("corpus", lesson.corpus)
        address.put("embedder", "built-in")
        address.put("doc", lesson.select)
        address.put(address.QUESTION, lesson.query)
        for knob, value in lesson.knobs.items():
            address.put(self.key(knob), list(value) if isinstance(value, (list, tuple)) else value)
        address.put(self.key("lesson"), name)

    # ------------------------------------------------------------------------------------ query, knobs

    def query(self, *, placeholder: str = "", action: str = "") -> Query:
        """The question of the lab, as a form: Enter runs it.  Until the visitor has asked, the page's own showcase."""
        queries, key = self.frame.collection.queries, address.QUESTION
        showcase = self.showcase()
        address.keep(key, showcase)
        ask, more = st.columns([7, 1], vertical_alignment="bottom")
        with ask, st.form(f"{self.name}-ask", border=False):
            field, button = st.columns([6, 1], vertical_alignment="bottom")
            drawn: dict[str, Any] = {
                "label_visibility": "collapsed",
                "placeholder": placeholder or _("Ask something …"),
            }
            field.text_input(_("Query"), key=key, max_chars=2000, **drawn)
            button.form_submit_button(action or _("Search"), type="primary", width="stretch")
        if queries:
            with more.popover(_("Examples"), width="stretch"):
                pick = self.key("example")
                st.selectbox(
                    _("Queries of this corpus"),
                    queries,
                    index=None,
                    key=pick,
                    format_func=lambda q: q.text,
                    placeholder=_("Choose one of {n}", n=len(queries)),
                    on_change=lambda: address.put(
                        key, st.session_state[pick].text if st.session_state[pick] else showcase
                    ),
                )
        text = str(st.session_state[key])
        if text == showcase and text:
            st.caption(_("An example of this page. Ask your own question: it goes with you to the other pages."))
        return self.frame.collection.query_by_text(text) or Query(text)

    def showcase(self) -> str:
        """The question that the page starts with: that of a lesson on this corpus, else the corpus's first.

        A lesson without knobs of its own comes first: its point is seen under the page's defaults.  One that asks
        other lists for its candidates comes last: those of the page may have nothing to show for it.

        An upload without questions starts with words from its first title.
        """
        f = self.frame
        lessons = [x for x in cache.lessons() if x.page == self.name and x.corpus == f.corpus.name and x.query]
        if f.corpus.name in samples.names() and lessons:
            return min(lessons, key=lambda x: (bool(x.knobs), "from" in x.knobs)).query
        return example(f)

    def knob(
        self,
        cls: type[Operator],
        field: str,
        label: str,
        help: str = "",
        *,
        name: str = "",
        format_func: Words = str,
    ) -> Any:
        """The widget of a knob, drawn from its dataclass field: slider, choice or switch.  Gives its value."""
        f = next(f for f in dataclasses.fields(cls) if f.name == field)
        meta, key = f.metadata, self.key(name or f"{cls.key}.{field}")
        if meta.get("choices"):
            address.keep(key, f.default, address.choice(meta["choices"]))
            return st.selectbox(label, meta["choices"], key=key, help=help or None, format_func=format_func)
        if isinstance(f.default, bool):
            address.keep(key, f.default, address.flag)
            return st.toggle(label, key=key, help=help or None)
        low, high, whole = meta["low"], meta["high"], isinstance(f.default, int)
        address.keep(key, f.default, address.number(low, high, whole=whole))
        step = meta.get("step") or (1 if whole else 0.05)
        if high is None or (whole and high > 200):
            return st.number_input(label, low, high, step=step, key=key, help=help or None)
        return st.slider(label, low, high, step=step, key=key, help=help or None)

    def number(self, name: str, label: str, low: int, high: int, default: int, help: str = "") -> int:
        """A whole number that is the page's own (how many to show)."""
        key = self.key(name)
        address.keep(key, default, address.number(low, high, whole=True))
        return int(st.number_input(label, low, high, step=1, key=key, help=help or None))

    def choose(
        self, name: str, label: str, options: Sequence[str], default: str, help: str = "", *, format_func: Words = str
    ) -> str:
        """One of several words, as a segmented control."""
        key = self.key(name)
        address.keep(key, default, address.choice(list(options)))
        drawn: dict[str, Any] = {"key": key, "help": help or None, "format_func": format_func}
        return str(st.segmented_control(label, options, required=True, **drawn))

    def several(
        self,
        name: str,
        label: str,
        options: Sequence[str],
        default: Sequence[str],
        help: str = "",
        *,
        format_func: Words = str,
    ) -> list[str]:
        """Several of some words."""
        key = self.key(name)
        address.keep(key, list(default), address.several(list(options)))
        drawn: dict[str, Any] = {"key": key, "help": help or None, "format_func": format_func}
        return list(st.multiselect(label, options, placeholder=_("Choose …"), **drawn))

    def switch(self, name: str, label: str, default: bool = False, help: str = "") -> bool:
        """A switch that is the page's own."""
        key = self.key(name)
        address.keep(key, default, address.flag)
        return bool(st.toggle(label, key=key, help=help or None))

    # --------------------------------------------------------------------------------------- export

    def export(self, searches: Mapping[str, Searcher], rankings: Sequence[Ranking], names: Sequence[str]) -> None:
        """Rankings as CSV, JSON and TREC run, the searches as files and as Python: in the header's popover."""
        from lab.ui import export

        with self._tools.popover(_("Export"), icon=":material/download:"):
            export.buttons(self.name, self.frame, searches, rankings, names, self._k)

    def stop(self) -> NoReturn:
        """End the page here: there is nothing to draw below.  The experiment is in the address all the same."""
        address.write()
        st.stop()

    def footer(self, rankings: Sequence[Ranking], names: Sequence[str]) -> None:
        """One quiet line: corpus, embedder, and what each list took."""
        took = " · ".join(f"{name} {r.seconds * 1000:.1f} ms" for name, r in zip(names, rankings, strict=True))
        st.html(f'<div style="border-top:1px solid {line()};margin-top:0.5rem"></div>')
        st.caption(f"{_corpus_line(self.frame)} · {took}")


def _corpus_line(f: frame.Frame) -> str:
    text = _("{name}: {n} passages", name=escape.plain(frame.corpus_title(f.corpus.name)), n=len(f.corpus))
    return f"{text} · {frame.embedder_label(f.embedder)}"


def example(f: frame.Frame) -> str:
    """The corpus's first question, or words from its first title."""
    if f.collection.queries:
        return f.collection.queries[0].text
    return f.corpus.documents[0].label if len(f.corpus) else ""
