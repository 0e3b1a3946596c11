"""The anatomy of a page: header, lessons, query, parameters, and the quiet line at the end.

Every page makes one `Page` and draws by its methods in the same order, so that a visitor learns the order once.
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
from typing import Any, Literal, NoReturn, TypeVar, cast

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Operator, Pipeline, Progress, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.errors import LabError
from lab.explain.moves import quality
from lab.explain.questions import LARGE
from lab.lessons import Lesson
from lab.refine.learned import Learned
from lab.retrieve.external import External
from lab.rewrite.operators import with_operators
from lab.text import Analyzer, script
from lab.ui import address, cache, components, escape, navigation
from lab.ui.i18n import _, both, labelled, language, listed, say
from lab.ui.layout import did_you_mean, export, field_lines, frame, guide, knobs, naming, questions, tables
from lab.ui.layout import operators as reading
from lab.ui.lessons import lesson_menu, performing
from lab.ui.lists import gloss, retrievers
from lab.ui.models import language_model, writing
from lab.ui.palette import line
from lab.ui.people import operation
from lab.ui.study import trying
from lab.ui.work import work

K = TypeVar("K", bound=Operator | Analyzer)
O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator
T = TypeVar("T")
_BEFORE = "_runner"
Words = Callable[[Any], str]
"""Returns the label of a choice's value."""


class Page:
    """One page in use: ``name`` is the prefix of its widget keys and the file name of its guide.

    ``showcase`` is the page whose lessons give the first question, if it has no lessons of its own.
    """

    def __init__(self, name: str, title: str, question: str, *, showcase: str = "") -> None:
        self.name, self.title, self.question = name, title, question
        address.enter(name)
        tables.begin()
        self.frame = frame.current()
        if _BEFORE in st.session_state and st.session_state[_BEFORE].corpus is not self.frame.corpus:
            del st.session_state[_BEFORE]  # nobody else holds what an upload was
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"head-{name}"):
            family = navigation.family(name)
            st.title(_(family.title) if family else title, anchor=False, width="content")
            navigation.views(name)
            st.caption(question, width="stretch")
            guide.button(name)
            self._tools = st.container(horizontal=True, gap="small", width="content")
            components.copy_link(_("Copy link"), _("Copied"), key=f"{name}.copy", icon=True)
        self._asked = st.container()  # the requests to a language model, and their progress
        self._k, self._runs, self._showcase = DEPTH, 0, showcase or name
        self._field: Any = None  # the containers of the question's row, once it is drawn
        self._menu: Any = None
        self._suggestions: Any = None
        self._meant: Any = None  # the place for another spelling, until there are lists
        self._offers_tries, self.began = False, time.time()
        self._operators = False  # whether the lists keep to those of the question

    # ----------------------------------------------------------------------------------------- searching

    @cached_property
    def models(self) -> dict[str, Any]:
        """The language model and the external retrievers that this visitor has, by their names in searches."""
        try:
            model = language_model.current(self._asked)
        except LabError:  # the settings are wrong: the sidebar explains it
            model = None
        return {**retrievers.models(frame.visitor()), **({} if model is None else {"chat": model})}

    @cached_property
    def models_now(self) -> dict[str, Any]:
        """The models for work that a click has begun: a language model is then asked at once."""
        return {name: language_model.at_once(model) for name, model in self.models.items()}

    @cached_property
    def model_labels(self) -> tuple[tuple[str, str], ...]:
        """The names of the models and their labels, on which cached results depend."""
        return tuple((name, getattr(model, "label", "")) for name, model in self.models.items())

    @cached_property
    def runner(self) -> Runner:
        """The runner of this page's searches, which computes their common parts once.

        The runner reuses the lists of the previous run: a change of a later step costs only that step.
        """
        runner = Runner(self.frame.corpus, others=frame.corpora(), models=self.models)
        if _BEFORE in st.session_state:
            runner.follow(st.session_state[_BEFORE])
        st.session_state[_BEFORE] = runner
        return runner

    def run(
        self, searches: Mapping[str, Searcher], query: Query, *, k: int = DEPTH, doing: str = ""
    ) -> dict[str, Ranking]:
        """Returns the ranking of every search by its name; long work shows its progress, and a stop ends the page."""
        self._k = k
        searches = self.applied(searches)
        if self.models:
            writing.hold(self, searches.values())

        corpus = str(st.session_state["corpus"])

        def make() -> dict[str, Ranking]:
            rankings = {name: self.runner(search, query, k) for name, search in searches.items()}
            operation.searched(self.name, corpus, rankings)
            return rankings

        self._runs += 1  # several on a page, each with a button of its own
        about = (tuple(searches.values()), query, query.made_from, k)
        asked = {x.name for search in searches.values() for x in catalog.inside(search) if isinstance(x, External)}
        waiting = _("Waiting for {name} …", name=sorted(asked & self.models.keys()))
        label = doing or (waiting if asked & self.models.keys() else _("Indexing the corpus …"))
        meanwhile = partial(self.meanwhile, searches, query)
        result = self.work(f"run.{self._runs}", label, make, about=about, meanwhile=meanwhile)
        if result is None:
            self._other_model()
            self.stop()
        self.offer_spelling(query)
        return result

    def applied(self, searches: Mapping[str, Searcher]) -> Mapping[str, Searcher]:
        """Returns the searches as `run` runs them: filtered by the operators of the question, where they are on."""
        if not self._operators:
            return searches
        return {name: with_operators(search, strip=False) for name, search in searches.items()}

    def offer_spelling(self, query: Query) -> None:
        """Under the question, once there are lists: the question without the words that no list can find."""
        place, self._meant = self._meant, None
        if place is not None and query.text == str(st.session_state.get(address.QUESTION, "")):
            with place:
                did_you_mean.draw(self.key("meant"), self.frame.corpus, query.text)

    def meanwhile(self, searches: Mapping[str, Searcher], query: Query) -> None:
        """Shows the order before a neural reranker while it reads the candidates, for every list that has one."""
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
        """Returns what the runner makes on this corpus, or None if the visitor has stopped it: see `lab.ui.work`."""

        def make_with_progress(progress: Progress) -> T:
            self.runner.progress = progress
            try:
                return make()
            finally:
                self.runner.progress = None

        return work(
            self.key(name), doing, make_with_progress, about=(self.frame.corpus.fingerprint, about), meanwhile=meanwhile
        )

    def _other_model(self) -> None:
        """Offers the model that needs no waiting, if slow embedding may have been stopped."""
        if st.session_state["embedder"] != "built-in":
            st.button(
                _("Use the built-in model"),
                key=self.key("built-in"),
                icon=":material/swap_horiz:",
                on_click=address.put,
                args=("embedder", "built-in"),
            )

    def key(self, knob: str) -> str:
        """Returns the widget key, and the name in the address, of a parameter."""
        return f"{self.name}.{knob}"

    # ---------------------------------------------------------------------------------------- lessons

    def lessons(self, *, beside_question: bool = True) -> Lesson | None:
        """Draws a menu of this page's lessons, the current corpus first, and performs the chosen one.

        The button is ``beside_question``, or in the head of a page without a field for the question.
        """
        if beside_question:
            self._question_row()
        corpus_name = self.frame.corpus.name
        forms_found, needs = self._own_lessons()
        every = [*forms_found, *cache.lessons(self.name)]
        lessons_by_key = {f"{x.corpus}/{x.id}": x for x in sorted(every, key=lambda x: x.corpus != corpus_name)}
        if not lessons_by_key:
            return None
        key = address.keep(self.key("lesson"), None, address.choice(list(lessons_by_key)))
        chosen = lessons_by_key.get(st.session_state[key] or "")
        question = st.session_state.get(address.QUESTION)
        if chosen and (chosen.corpus != st.session_state["corpus"] or question not in (None, chosen.query)):
            address.put(key, None)  # the visitor has moved on to something else
            address.keep(key, None, address.choice(list(lessons_by_key)))

        def play(name: str) -> None:
            if name in lessons_by_key:
                performing.perform(lessons_by_key[name])

        read = {samples.language_of(corpus_name), language(), ""}  # of the small samples only those in a known language
        menu_groups = lesson_menu.groups(
            {k: x for k, x in lessons_by_key.items() if samples.language_of(x.corpus) in read}, corpus_name
        )
        self.lesson_menu(menu_groups, st.session_state[key] or "", play, needs, beside_question=beside_question)
        lesson = lessons_by_key.get(st.session_state[key] or "")
        if lesson:
            at = address.keep(self.key("lesson.step"), 1, address.number(1, len(lesson.steps), whole=True))
            # the lessons of a small sample follow each other from page to page
            in_order = cache.lessons() if samples.language_of(lesson.corpus) else lessons_by_key.values()
            after = {a: b for a, b in pairwise(in_order) if b.corpus == a.corpus}
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
        """Draws the button of the lessons (`lab.ui.lessons.lesson_menu.draw`), beside the question or in the head."""
        with self._menu if beside_question else self._tools:
            lesson_menu.draw(self.key("menu"), groups, playing, needs, play)

    def _question_row(self) -> None:
        """Lays out the question, the lessons and the suggestions in one row; a phone puts the last two below."""
        with st.container(horizontal=True, gap="small", key=f"ask-{self.name}", vertical_alignment="center"):
            self._field = st.container(width="stretch")
            self._menu = st.container(width="content")
            self._suggestions = st.container(width="content")

    def _own_lessons(self) -> tuple[list[Lesson], list[str]]:
        """Returns the lessons on the visitor's documents, and sentences on what the other lessons need."""
        collection = self.frame.collection
        corpus = collection.corpus
        if corpus.name in samples.every_name() or len(corpus) > LARGE or corpus.elsewhere:
            return [], []
        from lab.lessons import forms

        make = partial(forms.of_corpus, self.name, collection)
        about = "forms", self.name, collection.judged
        doing = _("Looking for lessons that your documents can show …")
        results = self.work("forms", doing, lambda: collection.corpus.once(about, make), about=about) or ()
        lacking = [(both(dict(x.title)), both(dict(x.needs))) for x in results if isinstance(x, forms.Missing)]
        sentences = [
            _("The lesson “{title}” does not work on your documents: it needs {needs}.", title=t, needs=n)
            for t, n in lacking
        ]
        return [form for form in results if isinstance(form, Lesson)], sentences

    def _leave(self) -> None:
        """Restores the visitor's corpus, question, document and parameters from before the lessons of this page."""
        before = st.session_state.pop(self.key("lesson.before"), None) or {}
        frame_keys = ("corpus", "embedder", "doc", address.QUESTION, reading.SWITCH)
        address.bring_back(before, lambda key: key in frame_keys or key.startswith(self.name + "."))
        address.put(self.key("lesson"), None)

    def _way_back(self) -> None:
        """Offers the way back to the visitor's settings after a lesson was left by a new question."""
        if st.session_state.get(self.key("lesson.before")) is not None:
            label = _("Back to your own search")
            st.button(label, key=self.key("before"), icon=":material/undo:", type="tertiary", on_click=self._leave)

    # ------------------------------------------------------------------------------------ query, knobs

    def query(self, *, placeholder: str = "", action: str = "", operators: bool = False) -> Query:
        """Draws the question of the lab as a form, at first with the page's own showcase, and returns it.

        ``operators``: the lists of the page keep to the operators in it, where the visitor has turned them on; the
        question is then the words without them.
        """
        key, longest = address.QUESTION, address.LONGEST_QUESTION
        showcase = self.showcase()
        address.keep(key, showcase, address.text(longest))
        if st.session_state[key] in frame.visitor().questions:
            address.always(key)  # a grade makes it the showcase, and without the grade that would be another
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
        if meaning := gloss.for_question(text):
            field_lines.text(self.name, "gloss", meaning)
        if text == showcase and text:
            field_lines.text(self.name, "example", _("Example question. Type your own; it follows you across pages."))
        query = self.frame.collection.query_by_text(text) or Query(text)
        asked = reading.read(self.name, query, self.frame.corpus, applied=operators)
        self._operators = asked is not query
        return asked

    def showcase(self) -> str:
        """Returns the question that the page starts with: `questions.OPENINGS`, a lesson's, else the corpus's first.

        A lesson without parameters of its own comes first: its point is visible with the page's defaults.  One that
        asks other lists for its candidates comes last: the page's own lists may not show it.  Lessons that set a whole
        pipeline (“a”) are not used as showcase.

        On the sample of the reader's language it is in that language.  An upload without questions starts with words
        from its first title.
        """
        if opening := questions.OPENINGS.get((self.frame.corpus.name, self._showcase)):
            return opening
        f, scripts = self.frame, {"zh": ("zh",), "en": ("en", "other", "")}[language()]
        everybody = f.corpus.name != frame.DEFAULT_CORPUS[language()]
        lessons = (x for x in cache.lessons(self._showcase) if x.corpus == f.corpus.name)
        ready = [x for x in lessons if x.query and "a" not in x.knobs and (everybody or script(x.query) in scripts)]
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
        with_name: bool = False,
    ) -> K:
        """Draws the widgets of these parameters (default: the common ones) and returns the resulting specification.

        ``start`` is the page's showcase: the widgets' defaults, which a link leaves out.  The widgets are drawn in the
        containers of ``into``, one after the other; ``offers`` are the values that this corpus proposes, ``high`` the
        upper bounds on this page; ``with_name`` puts the technique's name before the labels.  The embedder comes from
        the frame.  If a value is not valid, an error is shown and the showcase is used.
        """
        cls, values = type(start), dict[str, Any]()
        fields = {f.name: f for f in dataclasses.fields(cls)}
        if "embedder" in fields and "embedder" not in names:
            start = dataclasses.replace(cast(Any, start), embedder=self.frame.embedder)
        common = [n for n, f in fields.items() if not f.metadata["rare"] and f.metadata["kind"] in knobs.COMMON]
        places = itertools.cycle(into or [nullcontext()])
        hints, name = catalog.hints(cls), technique_name(cls) if with_name and issubclass(cls, Operator) else ""
        try:
            for field in names or common:
                key = self.key(f"{cls.key}.{field}")
                with next(places):
                    values[field] = knobs.Knob(
                        key,
                        fields[field],
                        getattr(start, field),
                        hints[field],
                        offers=offers.get(field, ()),
                        high=high.get(field),
                        prefix=name,
                        names=naming.in_software(catalog.other_names(cls, field)),
                    ).draw()
            return dataclasses.replace(start, **values)
        except LabError as error:
            escape.problem(error)
            return start

    def stage(self) -> Any:
        """Returns the container of the lists and the selected document, side by side on a wide screen."""
        return st.container(key=f"stage-{self.name}")

    def row(self, widths: Sequence[float]) -> list[Any]:
        """Returns the columns of the page's one row of parameters; on a phone it scrolls sideways."""
        with st.container(key=f"knobs-{self.name}"):
            return list(st.columns(widths, vertical_alignment="bottom"))

    @contextmanager
    def box(self, title: str, key: str = "") -> Iterator[None]:
        """Draws a frame with a heading around a part: ``with p.box(_("Costs")): ...``."""
        with st.container(border=True, key=self.key(key) if key else None):
            st.subheader(title, anchor=False)
            yield

    def number(
        self, name: str, label: str, low: int, high: int, default: int, help: str = "", *, into: Any = st
    ) -> int:
        """Draws an integer of the page itself (how many to show)."""
        key = address.keep(self.key(name), default, address.number(low, high, whole=True))
        return int(into.number_input(label, low, high, step=1, key=key, help=help or None))

    def choose(
        self,
        name: str,
        label: str,
        options: Sequence[str],
        default: str,
        help: str = "",
        *,
        format_func: Words = str,
        label_visibility: Literal["visible", "collapsed"] = "visible",
    ) -> str:
        """Draws one of several words, as a segmented control."""
        key = address.keep(self.key(name), default, address.choice(list(options)))
        chosen = st.segmented_control(
            label,
            options,
            required=True,
            key=key,
            help=help or None,
            format_func=format_func,
            label_visibility=label_visibility,
        )
        return str(chosen) if chosen in options else default  # after an interrupted run it may be empty

    def pick(
        self,
        name: str,
        label: str,
        options: Iterable[str],
        default: str,
        help: str = "",
        *,
        format_func: Words = str,
        into: Any = st,
    ) -> str:
        """Draws one of several words, as a menu."""
        words = list(options)
        key = address.keep(self.key(name), default, address.choice(words))
        return str(into.selectbox(label, words, key=key, format_func=format_func, help=help or None))

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
        """Draws a choice of several words."""
        key = address.keep(self.key(name), list(default), address.several(list(options)))
        return list(
            st.multiselect(
                label, options, placeholder=_("Choose …"), key=key, help=help or None, format_func=format_func
            )
        )

    def switch(self, name: str, label: str, default: bool = False, help: str = "", *, into: Any = st) -> bool:
        """Draws a switch of the page itself."""
        key = address.keep(self.key(name), default, address.flag)
        return bool(into.toggle(label, key=key, help=help or None))

    def technique(self, name: str, label: str, kinds: Sequence[type[O]], default: type[O], help: str = "") -> type[O]:
        """Draws a choice of one technique."""
        known = {cls.key: cls for cls in sorted(kinds, key=technique_name)}
        key = address.keep(self.key(name), default.key, address.choice(list(known)))
        return known[
            st.selectbox(
                label,
                list(known),
                key=key,
                help=_descriptions(kinds, help),
                format_func=lambda k: technique_name(known[k]),
            )
        ]

    def techniques(
        self, name: str, label: str, kinds: Sequence[type[O]], default: Sequence[type[O]], help: str = ""
    ) -> list[type[O]]:
        """Draws a choice of several techniques, in the order of choice."""
        known = {cls.key: cls for cls in kinds}
        return [known[key] for key in self.technique_keys(name, label, kinds, default, help)]

    def technique_keys(
        self,
        name: str,
        label: str,
        kinds: Sequence[type[O]],
        default: Sequence[type[O]],
        help: str = "",
        others: Mapping[str, str] = MappingProxyType({}),
    ) -> list[str]:
        """Draws a choice of several techniques and of ``others``, names by key; returns the keys in this order."""
        names = {cls.key: technique_name(cls) for cls in sorted(kinds, key=technique_name)} | dict(others)
        start = [cls.key for cls in default]
        return self.several(name, label, list(names), start, _descriptions(kinds, help), format_func=names.__getitem__)

    # --------------------------------------------------------------------------------------- the end of a page

    @contextmanager
    def fold(self, name: str, title: str, icon: str, *, opened: bool = False) -> Iterator[bool]:
        """Folds a part away, which is computed only if it is open: ``with p.fold(...) as seen: if seen: ...``.

        A link says which parts are open.
        """
        key = address.keep(self.key(f"fold.{name}"), opened, address.flag)
        with st.expander(title, icon=icon, key=key, on_change="rerun") as box:
            yield bool(box.open)

    def tries(
        self,
        searches: Mapping[str, Searcher],
        rankings: Mapping[str, Ranking],
        query: Query,
        relevant: Mapping[str, int],
    ) -> None:
        """Records these searches in the history of this page, and offers the history in the head.

        ``rankings`` have the lists by the names of the searches: one without a list is left out.  ``relevant`` are
        the grades for the query.
        """
        drawn = {name: self._whole(search) for name, search in searches.items() if name in rankings}
        query = query.made_from if self._operators and query.made_from else query

        def measured() -> Sequence[float]:
            judged = any(grade > 0 for grade in relevant.values())
            return quality([rankings[name] for name in drawn], relevant) if judged else ()

        if drawn:
            trying.record(
                self.name, [*drawn.values()], query.text, measured, judged=tuple(relevant.items()), began=self.began
            )
        self.offer_tries()

    def _whole(self, search: Searcher) -> Searcher:
        """A search with what the page does about the operators of the question."""
        return with_operators(search) if self._operators else search

    def offer_tries(self) -> None:
        """Draws the history of this page in its head, and keeps it for the visitor."""
        self._offers_tries = True
        trying.keep(self.name)
        trying.button(self.name, self._tools)

    def end(
        self,
        searches: Mapping[str, Searcher],
        rankings: Mapping[str, Ranking],
        took: Sequence[tuple[str, Ranking]] = (),
    ) -> None:
        """Ends every page: the export, one quiet line.

        ``rankings`` by their names are exported, with the ``searches`` that make them; ``took`` are the steps in the
        line, if they are others.
        """
        drops = {d.document.id: d for r in rankings.values() for d in reading.removed(r)} if self._operators else {}
        if drops:
            title = _("Removed by operators ({n})", n=len(drops))
            with self.fold("operators", title, ":material/filter_alt:") as seen:
                if seen:
                    reading.tree(self.name, next(iter(rankings.values())).query, self.frame.corpus)
                    reading.table(self.name, list(drops.values()))
        searches = {name: self._whole(search) for name, search in searches.items()}
        self._close()
        with self.exports({} if self.name == "pipeline" else searches) as seen:
            if seen:
                export.buttons(self.name, self.frame, searches, list(rankings.values()), list(rankings), self._k)
        each = [(escape.plain(name), f"{r.seconds * 1000:.1f}") for name, r in took or rankings.items()]
        times = " · ".join(_("{name} {ms} ms", name=name, ms=ms) for name, ms in each)
        st.html(f'<div style="border-top:1px solid {line()};margin-top:0.5rem"></div>')
        st.caption(_corpus_line(self.frame) + (f" · {times}" if times else ""))

    @contextmanager
    def exports(self, searches: Mapping[str, Searcher] = MappingProxyType({})) -> Iterator[bool]:
        """Draws the exports at the head of the page: ``with p.exports() as seen: if seen: ...``.

        Every page exports its pictures and tables; ``searches`` may be opened as pipelines.
        """
        key = address.keep(self.key("fold.export"), False, address.flag)
        tools = self._tools.container(horizontal=True, gap="small")
        if searches:
            with tools:
                export.open_as_pipeline(self.name, searches)
        with tools, st.popover(_("Export"), icon=":material/download:", key=key, on_change="rerun") as box:
            if box.open:
                export.pictures(self.name, self.frame)
                tables.buttons(self.frame.corpus.name)
                trying.take(self.name, self.frame.corpus.name)
                performance = performing.current()
                if performance and performance.page == self.name:
                    from lab.ui.lessons import handout

                    handout.take(performance.lesson, self.frame.collection, self.work)
            yield bool(box.open)

    def _close(self) -> None:
        """Draws the verdicts of the lesson's sentence, after the rest of the page."""
        performing.close(self.work)

    def need_question(self, query: Query) -> None:
        """Ends the page here if the question is empty."""
        if query.blank:
            self.stop(_("The query is empty. Type a question."), ":material/edit:")

    def stop(self, message: str = "", icon: str | None = None) -> NoReturn:
        """Ends the page here with a message; the address is written all the same."""
        if message:
            st.info(message, icon=icon)
        if trying.known(self.name) and not self._offers_tries:
            self.offer_tries()
        self._close()
        address.write()
        language_model.go_on()
        st.stop()


def _before_it(search: Searcher) -> Searcher | None:
    """Returns the search without its neural reranker; None if its last stage is not a neural reranker."""
    last = search.refine[-1] if isinstance(search, Pipeline) and search.refine else None
    if not isinstance(search, Pipeline) or not isinstance(last, Learned) or not last.slow:
        return None
    return dataclasses.replace(search, refine=search.refine[:-1], name="")


def technique_name(cls: type[Operator]) -> str:
    """Returns the name of a technique, in the visitor's language."""
    return say(catalog.title(cls))


def _descriptions(kinds: Sequence[type[Operator]], help: str) -> str:
    """Returns a description of each of these techniques, one paragraph each."""
    return "\n\n".join([*([help] if help else []), *(_description(c) for c in kinds if c.about)])


def _description(cls: type[Operator]) -> str:
    names = naming.in_software(catalog.other_names(cls))
    return labelled(f"**{technique_name(cls)}**", listed(filter(None, (cls.about, names)), " "))


def _corpus_line(f: frame.Frame) -> str:
    text = _("{name}, passages: {n}", name=escape.plain(frame.corpus_title(f.corpus.name)), n=len(f.corpus))
    return f"{text} · {say(f.embedder.label)}"
