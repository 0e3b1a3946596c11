"""The anatomy of a page: header, lessons, query, knobs, and the quiet line at the end.

Every page makes one `Page`; what it calls is drawn in the order of the calls, so that a visitor learns the
order once.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar, cast

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Operator, Pipeline, Progress, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.errors import LabError
from lab.explain.moves import quality
from lab.explain.questions import LARGE
from lab.lessons import Lesson, forms
from lab.refine.learned import Learned
from lab.rewrite.operators import with_operators
from lab.text import Analyzer, script
from lab.ui import (
    address,
    cache,
    components,
    did_you_mean,
    escape,
    export,
    field_lines,
    frame,
    gloss,
    guide,
    handout,
    knobs,
    language_model,
    lesson_menu,
    operation,
    performing,
    questions,
    show,
    slide,
    tables,
    trying,
    writing,
)
from lab.ui import operators as reading
from lab.ui.i18n import _, both, language, say
from lab.ui.palette import line
from lab.ui.work import work

K = TypeVar("K", bound=Operator | Analyzer)
O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator
T = TypeVar("T")
_BEFORE = "_runner"
Words = Callable[[Any], str]
"""What the values of a choice are called."""


class Page:
    """One page at work: ``name`` is the prefix of its widget keys and the file name of its guide.

    ``showcase`` is the page whose lessons have its first question, where it has none of its own.
    """

    def __init__(self, name: str, title: str, question: str, *, showcase: str = "") -> None:
        self.name, self.title, self.question = name, title, question
        address.enter(name)
        tables.begin()
        self.frame = frame.current()
        if _BEFORE in st.session_state and st.session_state[_BEFORE].corpus is not self.frame.corpus:
            del st.session_state[_BEFORE]  # nobody else holds what an upload was
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"head-{name}"):
            st.title(title, anchor=False, width="content")
            st.caption(question, width="stretch")
            guide.button(name)
            self._tools = st.container(horizontal=True, gap="small", width="content")
            components.copy_link(_("Copy link"), _("Copied"), key=f"{name}.copy", icon=True)
        self._asked = st.container()  # what a language model is asked, and how far that is
        self._k, self._runs, self._showcase = DEPTH, 0, showcase or name
        self._field: Any = None  # the places of the row of the question, once it is drawn
        self._menu: Any = None
        self._suggestions: Any = None
        self._meant: Any = None  # the place for another spelling, until there are lists
        self._offers_tries, self.began = False, time.time()
        self._operators = False  # whether the lists keep to those of the question

    # ----------------------------------------------------------------------------------------- searching

    @cached_property
    def models(self) -> dict[str, Any]:
        """The models that this visitor has set, by the names that searches know them under."""
        try:
            model = language_model.current(self._asked)
        except LabError:  # set in a wrong way: the sidebar says how
            model = None
        return {} if model is None else {"chat": model}

    @cached_property
    def models_now(self) -> dict[str, Any]:
        """The same for work that somebody has begun by a click: a language model is asked at once."""
        return {name: language_model.at_once(model) for name, model in self.models.items()}

    @cached_property
    def runner(self) -> Runner:
        """The one place where this page's searches run: what they have in common is made once.

        The lists that the run before has found are found again: a knob of what is made of them costs only that.
        """
        runner = Runner(self.frame.corpus, others=frame.corpora(), models=self.models)
        if _BEFORE in st.session_state:
            runner.follow(st.session_state[_BEFORE])
        st.session_state[_BEFORE] = runner
        return runner

    def run(
        self, searches: Mapping[str, Searcher], query: Query, *, k: int = DEPTH, doing: str = ""
    ) -> dict[str, Ranking]:
        """Every search by its name; what takes long says how far it is, and can be stopped: then the page ends here."""
        self._k = k
        if self._operators:
            searches = {name: with_operators(search, strip=False) for name, search in searches.items()}
        if self.models:
            writing.hold(self, searches.values())

        corpus = str(st.session_state["corpus"])

        def make() -> dict[str, Ranking]:
            found = {name: self.runner(search, query, k) for name, search in searches.items()}
            operation.searched(self.name, corpus, found)
            return found

        self._runs += 1  # several on a page, each with a button of its own
        about = (tuple(searches.values()), query, query.made_from, k)
        told = doing or _("Indexing the corpus …")
        meanwhile = partial(self.meanwhile, searches, query)
        made = self.work(f"run.{self._runs}", told, make, about=about, meanwhile=meanwhile)
        if made is None:
            self._other_model()
            self.stop()
        self._offer_spelling(query)
        return made

    def _offer_spelling(self, query: Query) -> None:
        """Under the question, once there are lists: the question without the words that no list can find."""
        place, self._meant = self._meant, None
        if place is not None and query.text == str(st.session_state.get(address.QUESTION, "")):
            with place:
                did_you_mean.draw(self.key("meant"), self.frame.corpus, query.text)

    def meanwhile(self, searches: Mapping[str, Searcher], query: Query) -> None:
        """While a neural model reads the candidates: the order in which it gets them, of every list that has one."""
        runner = Runner(self.frame.corpus, others=self.runner.others, models=self.models, explain=False)
        for name, search in searches.items():
            before = _before_it(search)
            if before is not None:
                titles = [escape.plain(hit.document.label, 60) for hit in runner(before, query, 10).hits]
                st.caption(_("Meanwhile, the order before the neural model: {name}", name=escape.plain(name)))
                st.markdown("\n".join(f"{i}. {title}" for i, title in enumerate(titles, 1)))

    def work(
        self,
        name: str,
        doing: str,
        make: Callable[[], T],
        *,
        about: Hashable,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> T | None:
        """What the runner makes on this corpus, or None where the visitor has stopped it: see `lab.ui.work`."""

        def told(progress: Progress) -> T:
            self.runner.progress = progress
            try:
                return make()
            finally:
                self.runner.progress = None

        return work(self.key(name), doing, told, about=(self.frame.corpus.fingerprint, about), meanwhile=meanwhile)

    def _other_model(self) -> None:
        """Where slow embedding may have been stopped: the way back to the model that needs no waiting."""
        if st.session_state["embedder"] != "built-in":
            st.button(
                _("Use the built-in model"),
                key=self.key("built-in"),
                icon=":material/swap_horiz:",
                on_click=address.put,
                args=("embedder", "built-in"),
            )

    def key(self, knob: str) -> str:
        """The widget key, and the name in the address, of a knob."""
        return f"{self.name}.{knob}"

    # ---------------------------------------------------------------------------------------- lessons

    def lessons(self, *, beside_question: bool = True) -> Lesson | None:
        """The lessons of this page behind one button, those of this corpus first, and the chosen one performed.

        The button stands ``beside_question``, or in the head of a page without a field for the question.
        """
        if beside_question:
            self._question_row()
        own = self.frame.corpus.name
        forms_found, needs = self._own_lessons()
        every = [*forms_found, *(x for x in cache.lessons() if x.page == self.name)]
        mine = {f"{x.corpus}/{x.id}": x for x in sorted(every, key=lambda x: x.corpus != own)}
        if not mine:
            return None
        key = self.key("lesson")
        address.keep(key, None, address.choice(list(mine)))
        chosen = mine.get(st.session_state[key] or "")
        asked = st.session_state.get(address.QUESTION)
        if chosen and (chosen.corpus != st.session_state["corpus"] or asked not in (None, chosen.query)):
            address.put(key, None)  # the visitor has gone on to something else
            address.keep(key, None, address.choice(list(mine)))

        def play(name: str) -> None:
            if name in mine:
                performing.perform(mine[name])

        read = {samples.language_of(own), language(), ""}  # of the small samples those that the reader can read
        found = lesson_menu.groups({k: x for k, x in mine.items() if samples.language_of(x.corpus) in read}, own)
        self.lesson_menu(found, st.session_state[key] or "", play, needs, beside_question=beside_question)
        lesson = mine.get(st.session_state[key] or "")
        if lesson:
            at = self.key("lesson.step")
            address.keep(at, 1, address.number(1, len(lesson.steps), whole=True))
            after = {a: b for a, b in pairwise(mine.values()) if b.corpus == a.corpus}
            performance = performing.begin(self.name, lesson, int(st.session_state[at]) - 1, self.frame.collection)
            performing.box(performance, self._leave, after.get(lesson))
        else:
            performing.end()
            self._way_back()
        return lesson

    def lesson_menu(
        self,
        groups: Sequence[dict[str, Any]],
        playing: str,
        play: Callable[[str], None],
        needs: Sequence[str] = (),
        *,
        beside_question: bool = False,
    ) -> None:
        """The button of the lessons with its menu (`lab.ui.lesson_menu.draw`), beside the question or in the head."""
        with self._menu if beside_question else self._tools:
            lesson_menu.draw(self.key("menu"), groups, playing, needs, play)

    def _question_row(self) -> None:
        """One row: the question, the lessons, the suggestions; on a phone the last two stand below the first."""
        with st.container(horizontal=True, gap="small", key=f"ask-{self.name}", vertical_alignment="center"):
            self._field = st.container(width="stretch")
            self._menu = st.container(width="content")
            self._suggestions = st.container(width="content")

    def _own_lessons(self) -> tuple[list[Lesson], list[str]]:
        """The lessons on the visitor's own documents, and what the documents lack for the others, in sentences."""
        collection = self.frame.collection
        corpus = collection.corpus
        if corpus.name in samples.every_name() or len(corpus) > LARGE or corpus.elsewhere:
            return [], []
        make = partial(forms.of_corpus, self.name, collection)
        about = "forms", self.name, collection.judged
        doing = _("Looking for lessons that your documents can show …")
        found = self.work("forms", doing, lambda: collection.corpus.once(about, make), about=about) or ()
        lacking = [(both(dict(x.title)), both(dict(x.needs))) for x in found if isinstance(x, forms.Missing)]
        sentences = [
            _("The lesson “{title}” does not work on your documents: it needs {needs}.", title=t, needs=n)
            for t, n in lacking
        ]
        return [form for form in found if isinstance(form, Lesson)], sentences

    def _leave(self) -> None:
        """Bring back what the visitor had before the lessons of this page: corpus, question, document, knobs."""
        before = st.session_state.pop(self.key("lesson.before"), None) or {}
        frame_keys = ("corpus", "embedder", "doc", address.QUESTION, reading.SWITCH)
        address.bring_back(before, lambda key: key in frame_keys or key.startswith(self.name + "."))
        address.put(self.key("lesson"), None)

    def _way_back(self) -> None:
        """Where a lesson was left by asking on: the way back to what was before it."""
        if st.session_state.get(self.key("lesson.before")) is not None:
            told = _("Back to your own search")
            st.button(told, key=self.key("before"), icon=":material/undo:", type="tertiary", on_click=self._leave)

    # ------------------------------------------------------------------------------------ query, knobs

    def query(self, *, placeholder: str = "", action: str = "", operators: bool = False) -> Query:
        """The question of the lab, as a form: Enter runs it.  Until the visitor has asked, the page's own showcase.

        ``operators``: the lists of the page keep to the operators in it, where the visitor has turned them on; the
        question is then the words without them.
        """
        key, longest = address.QUESTION, address.LONGEST_QUESTION
        showcase = self.showcase()
        address.keep(key, showcase, address.text(longest))
        if st.session_state[key] in frame.visitor().questions:
            address.always(key)  # by a grade it becomes the showcase, which is another where the grade is lost
        if address.longer(key, longest) and st.session_state[key] != showcase:
            st.caption(_("The link's question is very long: only its first {n} characters are used.", n=longest))
        if self._field is None:
            self._question_row()
        with self._field, st.form(f"{self.name}-ask", border=False), st.container(horizontal=True, gap="small"):
            st.text_input(
                _("Query"),
                key=key,
                max_chars=longest,
                label_visibility="collapsed",
                placeholder=placeholder or _("Ask something …"),
            )
            st.form_submit_button(action or _("Search"), type="primary", width="content")
        text = str(st.session_state[key])
        if text.strip() and text != showcase and not st.session_state.get(self.key("lesson")):
            frame.visitor().ask(text)
        with self._suggestions:
            questions.suggested(self.key("example"), self.frame, text)
        self._meant = st.container(key=f"meant-{self.name}")
        if told := gloss.of_question(text):
            field_lines.text(self.name, "gloss", told)
        if text == showcase and text:
            field_lines.text(self.name, "example", _("Example question. Type your own; it follows you across pages."))
        query = self.frame.collection.query_by_text(text) or Query(text)
        asked = reading.read(self.name, query, self.frame.corpus, applied=operators)
        self._operators = asked is not query
        return asked

    def showcase(self) -> str:
        """The question that the page starts with: that of a lesson on this corpus, else the corpus's first.

        A lesson without knobs of its own comes first: its point is seen under the page's defaults.  One that asks
        other lists for its candidates comes last: those of the page may have nothing to show for it.  One that brings
        whole pipelines of its own (“a”) is none.

        On the sample of the reader's language it is in that language.  An upload without questions starts with words
        from its first title.
        """
        f, theirs = self.frame, {"zh": ("zh",), "en": ("en", "other", "")}[language()]
        everybody = f.corpus.name != frame.DEFAULT_CORPUS[language()]
        mine = (x for x in cache.lessons() if x.page == self._showcase and x.corpus == f.corpus.name)
        ready = [x for x in mine if x.query and "a" not in x.knobs and (everybody or script(x.query) in theirs)]
        if f.corpus.name in samples.every_name() and ready:
            return min(ready, key=lambda x: (bool(x.knobs), "from" in x.knobs)).query
        return questions.example(f)

    def knobs(
        self,
        start: K,
        *names: str,
        into: Iterable[Any] = (),
        offers: Mapping[str, Sequence[str]] = MappingProxyType({}),
        high: Mapping[str, float] = MappingProxyType({}),
        named: bool = False,
    ) -> K:
        """The widgets of these knobs (of the common ones, where none is named), and the specification that they make.

        ``start`` is the page's showcase: what its widgets begin with, and what a link leaves out.  The widgets stand
        in the containers of ``into``, one after the other, or where the page is; ``offers`` are what this corpus
        proposes, ``high`` what is as much as this page shows; ``named`` puts the technique's name before the labels.
        The embedder is that of the frame.  What is no value is said, and leaves the showcase.
        """
        cls, own = type(start), dict[str, Any]()
        fields = {f.name: f for f in dataclasses.fields(cls)}
        if "embedder" in fields and "embedder" not in names:
            start = dataclasses.replace(cast(Any, start), embedder=self.frame.embedder)
        common = [n for n, f in fields.items() if not f.metadata["rare"] and f.metadata["kind"] in knobs.COMMON]
        places = itertools.cycle(into or [nullcontext()])
        hints, name = catalog.hints(cls), called(cls) if named and issubclass(cls, Operator) else ""
        try:
            for field in names or common:
                key = self.key(f"{cls.key}.{field}")
                with next(places):
                    own[field] = knobs.Knob(
                        key,
                        fields[field],
                        getattr(start, field),
                        hints[field],
                        offers=offers.get(field, ()),
                        high=high.get(field),
                        called=name,
                    ).draw()
            return dataclasses.replace(start, **own)
        except LabError as error:
            escape.problem(error)
            return start

    def stage(self) -> Any:
        """The place of the lists and, as one second part, of the selected document: beside them on a wide screen."""
        return st.container(key=f"stage-{self.name}")

    def row(self, widths: Sequence[float]) -> list[Any]:
        """The columns of the page's one row of knobs; on a phone it can be moved sideways."""
        with st.container(key=f"knobs-{self.name}"):
            return list(st.columns(widths, vertical_alignment="bottom"))

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
        chosen = st.segmented_control(
            label, options, required=True, key=key, help=help or None, format_func=format_func
        )
        return str(chosen) if chosen in options else default  # a run that was cut short may leave none

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
        return list(
            st.multiselect(
                label, options, placeholder=_("Choose …"), key=key, help=help or None, format_func=format_func
            )
        )

    def switch(self, name: str, label: str, default: bool = False, help: str = "") -> bool:
        """A switch that is the page's own."""
        key = self.key(name)
        address.keep(key, default, address.flag)
        return bool(st.toggle(label, key=key, help=help or None))

    def technique(self, name: str, label: str, kinds: Sequence[type[O]], default: type[O], help: str = "") -> type[O]:
        """One of several techniques."""
        known = {cls.key: cls for cls in sorted(kinds, key=called)}
        key = self.key(name)
        address.keep(key, default.key, address.choice(list(known)))
        return known[
            st.selectbox(label, list(known), key=key, help=_told(kinds, help), format_func=lambda k: called(known[k]))
        ]

    def techniques(
        self, name: str, label: str, kinds: Sequence[type[O]], default: Sequence[type[O]], help: str = ""
    ) -> list[type[O]]:
        """Several techniques, in the order of choice."""
        known, start = {cls.key: cls for cls in sorted(kinds, key=called)}, [cls.key for cls in default]
        told = _told(kinds, help)
        keys = self.several(name, label, list(known), start, told, format_func=lambda k: called(known[k]))
        return [known[key] for key in keys]

    # --------------------------------------------------------------------------------------- the end of a page

    @contextmanager
    def fold(self, name: str, title: str, icon: str, *, opened: bool = False) -> Iterator[bool]:
        """What is folded away, and not computed until it is opened: ``with p.fold(...) as seen: if seen: ...``.

        A link says which are open.
        """
        key = self.key(f"fold.{name}")
        address.keep(key, opened, address.flag)
        with st.expander(title, icon=icon, key=key, on_change="rerun") as box:
            yield bool(box.open)

    def tries(
        self,
        searches: Mapping[str, Searcher],
        rankings: Mapping[str, Ranking],
        query: Query,
        relevant: Mapping[str, int],
    ) -> None:
        """Notes these searches among what was tried on this page, and offers the history in the head.

        ``rankings`` have the lists under the names of the searches: one without a list is left out.  ``relevant`` are
        the grades for the query.
        """
        own = {name: self._whole(search) for name, search in searches.items() if name in rankings}
        query = query.made_from if self._operators and query.made_from else query

        def measured() -> Sequence[float]:
            judged = any(grade > 0 for grade in relevant.values())
            return quality([rankings[name] for name in own], relevant) if judged else ()

        if own:
            trying.record(
                self.name, [*own.values()], query.text, measured, judged=tuple(relevant.items()), began=self.began
            )
        self.offer_tries()

    def _whole(self, search: Searcher) -> Searcher:
        """A search with what the page does about the operators of the question."""
        return with_operators(search) if self._operators else search

    def offer_tries(self) -> None:
        """The history of this page in its head and in its link."""
        self._offers_tries = True
        trying.keep(self.name)
        trying.button(self.name, self._tools)

    def end(
        self,
        searches: Mapping[str, Searcher],
        rankings: Mapping[str, Ranking],
        took: Sequence[tuple[str, Ranking]] = (),
    ) -> None:
        """The end of every page: all hits as a table, the export, one quiet line.

        ``rankings`` by their names are what is taken along, ``searches`` what makes them again; ``took`` are the
        steps that the line tells, where they are others.
        """
        with self.fold("table", _("Results as a table"), ":material/table_rows:") as seen:
            if seen:
                show.table(self.name, list(rankings.values()), list(rankings))
        drops = {d.document.id: d for r in rankings.values() for d in reading.removed(r)} if self._operators else {}
        if drops:
            title = _("Removed by operators ({n})", n=len(drops))
            with self.fold("operators", title, ":material/filter_alt:") as seen:
                if seen:
                    reading.table(self.name, list(drops.values()))
        searches = {name: self._whole(search) for name, search in searches.items()}
        self._close()
        with self.exports({} if self.name == "pipeline" else searches, rankings) as seen:
            if seen:
                export.buttons(self.name, self.frame, searches, list(rankings.values()), list(rankings), self._k)
        told = " · ".join(f"{escape.plain(name)} {r.seconds * 1000:.1f} ms" for name, r in took or rankings.items())
        st.html(f'<div style="border-top:1px solid {line()};margin-top:0.5rem"></div>')
        st.caption(_corpus_line(self.frame) + (f" · {told}" if told else ""))

    @contextmanager
    def exports(
        self,
        searches: Mapping[str, Searcher] = MappingProxyType({}),
        rankings: Mapping[str, Ranking] = MappingProxyType({}),
    ) -> Iterator[bool]:
        """What can be taken away, at the head of the page: ``with p.exports() as seen: if seen: ...``.

        The pictures and tables that have been drawn are there on every page, and the page as a slide, which has the
        first of ``rankings``; ``searches`` may be opened as pipelines beside it.
        """
        key = self.key("fold.export")
        address.keep(key, False, address.flag)
        tools = self._tools.container(horizontal=True, gap="small")
        if searches:
            with tools:
                export.open_as_pipeline(self.name, searches)
        with tools, st.popover(_("Export"), icon=":material/download:", key=key, on_change="rerun") as box:
            if box.open:
                export.pictures(self.name, self.frame, slide.text(self.name, self.title, self.question, rankings))
                tables.buttons(self.frame.corpus.name)
                trying.take(self.name, self.frame.corpus.name)
                told = performing.current()
                if told and told.page == self.name:
                    handout.take(told.lesson, self.frame.collection, self.work)
            yield bool(box.open)

    def _close(self) -> None:
        """The verdicts of the lesson's sentence, when the page is drawn."""
        performing.close(self.work)

    def stop(self) -> NoReturn:
        """End the page here: there is nothing to draw below.  The experiment is in the address all the same."""
        if trying.known(self.name) and not self._offers_tries:
            self.offer_tries()
        self._close()
        address.write()
        language_model.go_on()
        st.stop()


def _before_it(search: Searcher) -> Searcher | None:
    """The search without a last stage for which a neural model reads every candidate; None where it has none."""
    last = search.refine[-1] if isinstance(search, Pipeline) and search.refine else None
    if not isinstance(search, Pipeline) or not isinstance(last, Learned) or not last.slow:
        return None
    return dataclasses.replace(search, refine=search.refine[:-1], name="")


def called(cls: type[Operator]) -> str:
    """What a technique is called, in the visitor's language."""
    return say(catalog.title(cls))


def _told(kinds: Sequence[type[Operator]], help: str) -> str:
    """What each of these techniques does, one paragraph each."""
    return "\n\n".join([*([help] if help else []), *(f"**{called(c)}**: {say(c.about)}" for c in kinds if c.about)])


def _corpus_line(f: frame.Frame) -> str:
    text = _("{name}, passages: {n}", name=escape.plain(frame.corpus_title(f.corpus.name)), n=len(f.corpus))
    return f"{text} · {say(f.embedder.label)}"
