"""The course at work: one step after the other, each with a question before anything is shown.

What was guessed is kept by the visitor's browser (``course.js``), not by the server; a class that guesses together is
in `lab.ui.classes`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from lab.algebra import Ranking, from_json
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import Lesson, forms
from lab.lessons.asking import Prediction
from lab.lessons.course import Performed, Stage, course
from lab.retrieve.explaining import word_marker
from lab.text import Analyzer
from lab.ui import (
    address,
    cache,
    charts,
    classes,
    components,
    escape,
    frame,
    handout,
    navigation,
    palette,
    performing,
    show,
)
from lab.ui.handout import Seen, carried_out
from lab.ui.i18n import _, both, language, say
from lab.ui.page import Page
from lab.words import LANGUAGES

STEP, CLASS, PROJECTOR = "course.step", "course.class", "course.projector"
SHOWN = -1
"""Kept in the place of a guess where somebody wanted to see without one."""
DEPTH, MOST = 6, 10
_KEPT, _ANEW, _UNREADABLE = "_course", "_course_anew", "_course_unreadable"
Guess = tuple[int, bool]
"""The option (counted from 0), and whether it was right."""
PROJECTED = """<style>
html { font-size: 20px !important; }
[data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"] { display: none !important; }
[data-testid="stMainBlockContainer"] { padding-top: 1rem; max-width: none; }
[data-testid="stMain"] [data-testid="stLayoutWrapper"]:has(> [data-testid="stHorizontalBlock"] h1) { display: none; }
</style>"""
"""A larger type, and nothing beside the step."""


def seen(performed: Performed, collection: Collection) -> Seen:
    """Carry out a step's lesson on its collection."""
    lesson = next(x for x in cache.lessons() if f"{x.corpus}/{x.id}" == performed.lesson)
    return carried_out(lesson, collection, performed.names, performed.lists, performed.ask)


def own(collection: Collection) -> Seen | None:
    """What the visitor's own documents show of the lessons that can be looked for in them; None: nothing."""
    for page in dict.fromkeys(("compare", *(form.page for form in forms.forms()))):
        for lesson in forms.of_corpus(page, collection):
            if isinstance(lesson, Lesson):
                last = lesson.steps[-1].expect[-1]
                ask = {"where": last["list"], "doc": str(last.get("doc", lesson.select))}
                return carried_out(lesson, collection, performing.called(lesson), lesson.lists, ask)
    return None


# ------------------------------------------------------------------------------------------ what was guessed


def guesses() -> dict[str, Guess]:
    """What this browser has guessed, by language and step."""
    found: dict[str, Guess] = st.session_state.setdefault(_KEPT, {})
    return found


def _mine(stage: Stage) -> str:
    """Under which name a guess at this step is kept: another language, or other documents, are another question."""
    corpus = str(st.session_state["corpus"])
    own = "" if stage.lessons or corpus in samples.names() else f".{corpus[:60]}"
    return f"{language()}.{stage.id}{own}"


def _entries(raw: str) -> dict[str, Any]:
    """Returns the entries for steps of the course in a browser's storage.  Raises ValueError if it is not a table."""
    every = {f"{lang}.{stage.id}" for stage in course() for lang in LANGUAGES}
    entries = from_json(raw)
    if not isinstance(entries, dict):
        raise ValueError(raw)
    return {key: value for key, value in entries.items() if ".".join(key.split(".")[:2]) in every}


def _as_guess(value: object) -> Guess | None:
    """Returns a stored guess, or None if it is unreadable."""
    if not isinstance(value, list) or [type(part) for part in value] != [int, bool] or not SHOWN <= value[0] < MOST:
        return None
    return value[0], value[1]


def _known(raw: str) -> tuple[dict[str, Guess], int]:
    """Returns the guesses in a browser's storage, and the number of unreadable ones."""
    try:
        entries = _entries(raw)
    except ValueError:
        return {}, 1
    guesses = {key: _as_guess(value) for key, value in entries.items()}
    known = {key: guess for key, guess in guesses.items() if guess is not None}
    return known, len(entries) - len(known)


def _take(raw: str) -> None:
    known, st.session_state[_UNREADABLE] = _known(raw)
    st.session_state[_KEPT] = known | guesses()


def _guess(stage: Stage, option: int, right: bool) -> None:
    guesses().setdefault(_mine(stage), (option, right))
    joined = cache.CLASSES.of(str(st.session_state.get(CLASS, "")))
    if joined is not None and stage.lessons and option != SHOWN:
        joined.guess(frame.visitor().token, _mine(stage), option)


def _anew() -> None:
    guesses().clear()
    st.session_state[_ANEW] = True
    address.put(STEP, 1)


# ------------------------------------------------------------------------------------------------- the page


def draw(p: Page) -> dict[str, Ranking]:
    """The step that the visitor is at; gives the lists that it shows."""
    stages = course()
    address.keep(STEP, 1, address.number(1, len(stages), whole=True))
    address.keep(CLASS, "", address.text(40))
    address.keep(PROJECTOR, False, address.flag)
    at = int(st.session_state[STEP]) - 1
    stage, projected = stages[at], bool(st.session_state[PROJECTOR])
    anew = bool(st.session_state.pop(_ANEW, False))
    joined = cache.CLASSES.of(str(st.session_state[CLASS]))
    if joined is not None:
        joined.join(frame.visitor().token)
    if projected:
        st.html(PROJECTED)
    else:
        _head(p, stages, at, joined)
    _turns(p, stages, at)
    if not projected:
        st.caption(_told(stages, at))
        st.markdown(both(dict(stage.text)))
    found = _found(p, stage)
    shown: Mapping[str, Ranking] = {}
    if found is None:
        st.info(_("Nothing of these documents shows a difference between the lists."), icon=":material/search_off:")
    else:
        shown = _step(p, stage, found, joined, projected=projected)
    if n := st.session_state.get(_UNREADABLE, 0):
        message = _("Predictions in your browser that cannot be read: {n}. They are left out.", n=n)
        st.warning(message, icon=":material/warning:")
    asked_before = _UNREADABLE in st.session_state
    told = json.dumps(guesses()) if guesses() or anew or asked_before else ""
    components.course({"guesses": told, "keys": projected}, key="course.kept", kept=_take)
    return {found.names[name]: ranking for name, ranking in shown.items()} if found else {}


def _found(p: Page, stage: Stage, *, quiet: bool = False) -> Seen | None:
    """The step carried out, on its sample or on the visitor's own documents, which is said unless ``quiet``."""
    lang, mine = language(), p.frame.collection
    performed, theirs = stage.lessons.get(lang), mine.corpus.name not in samples.names()
    if performed:
        collection = cache.sample(performed.lesson.partition("/")[0])
    else:
        collection = mine if theirs else cache.sample(frame.DEFAULT_CORPUS[lang])
        where = {"name": escape.plain(frame.corpus_title(collection.corpus.name)), "n": len(collection.corpus)}
        if theirs and not quiet:
            st.caption(_("On your documents: {name}, {n} passages.", **where))
        elif not quiet:
            st.caption(_("Until you have brought some, on {name}, as if nobody had ever judged it.", **where))
            st.page_link(navigation.find("corpus"), label=_("Bring your own documents"), icon=":material/upload_file:")
        collection = replace(collection, queries=(), qrels={})

    def make() -> Seen | None:
        key = "course", stage.id, lang
        return collection.corpus.once(key, lambda: seen(performed, collection) if performed else own(collection))

    about = stage.id, lang, collection.corpus.name
    return p.work(f"step.{stage.id}", _("Preparing the step …"), make, about=about)


def _head(p: Page, stages: Sequence[Stage], at: int, joined: classes.Class | None) -> None:
    """Where one is in the course, and what can be done with it."""
    given = [guesses().get(_mine(stage)) for stage in stages]
    known = [one[1] for one in given if one is not None and one[0] != SHOWN]

    def sign(n: int) -> str:
        one = given[n - 1]
        return f"{n}" if one is None else f"{n} ·" if one[0] == SHOWN else f"{n} ✓" if one[1] else f"{n} ✗"

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-head"):
        steps = range(1, len(stages) + 1)
        drawn: dict[str, Any] = {"format_func": sign, "label_visibility": "collapsed", "required": True}
        st.pills(_("Step"), steps, key=STEP, **drawn)
        st.space("stretch")
        if known:
            st.markdown(_("**{n} of {m}** guessed rightly", n=sum(known), m=len(known)), width="content")
        box: Any
        with st.popover(_("Handout"), icon=":material/print:", key="course.handout", on_change="rerun") as box:
            if box.open:
                _handout(p, stages, at)
        with st.popover(_("Class"), icon=":material/groups:", width="content"):
            _class(joined)
        st.toggle(_("Projector"), key=PROJECTOR, help=_("Large type, only the picture and the lists; arrow keys turn."))
        if any(given):
            st.button("↺", key="course.anew", help=_("Begin anew"), on_click=_anew, type="tertiary")


def _handout(p: Page, stages: Sequence[Stage], at: int) -> None:
    """This step, or all of them, to be taken home."""
    this, whole = _("This step"), _("The whole course")
    which = st.segmented_control(_("Of what"), (this, whole), default=this, key="course.handout.of", required=True)
    chosen = list(enumerate(stages, 1)) if which == whole else [(at + 1, stages[at])]
    made = [(f"{n} · {both(dict(stage.title))}", _found(p, stage, quiet=True)) for n, stage in chosen]
    told = [(title, seen) for title, seen in made if seen is not None]
    name = "retrieval-lab-course" if which == whole else f"retrieval-lab-{stages[at].id}"
    if told:
        title = _("Retrieval Lab: the course") if which == whole else told[0][0]
        handout.offer(handout.of(told, title, name), name, "course.handout.get")


def _class(joined: classes.Class | None) -> None:
    """The class that guesses together: begun by one, opened by its link, left by anybody."""
    if joined is None:
        if st.session_state[CLASS]:
            st.warning(_("This class is over, or the server was started anew."), icon=":material/history_toggle_off:")
        st.markdown(
            _("All who open the class's link guess together, and see how the others have guessed. Nobody has a name.")
        )
        st.button(_("Begin a class"), key="course.begin", type="primary", on_click=_begin)
        return
    st.markdown(_("**{n}** in this class. Its link is the address of this page:", n=len(joined)))
    components.copy_link(_("Copy the class's link"), _("Copied"), key="course.copy.class")
    if frame.is_local():
        st.warning(
            _(
                "This link opens on this machine only. Start the lab with {command} and open the address it prints.",
                command="`retrieval-lab --share`",
            ),
            icon=":material/lan:",
        )
    st.caption(_("A class is remembered for a day, in the memory of the server."))
    st.button(_("Leave the class"), key="course.leave", on_click=address.put, args=(CLASS, ""))


def _begin() -> None:
    address.put(CLASS, cache.CLASSES.begin(frame.visitor().token))


def _turns(p: Page, stages: Sequence[Stage], at: int) -> None:
    """The step's title, and the way to the one before and the one after."""
    stage = stages[at]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-turns"):
        st.subheader(f"{at + 1} · {both(dict(stage.title))}", anchor=False, width="content")
        st.space("stretch")
        on: dict[str, Any] = {"on_click": address.put, "icon": ":material/arrow_back:", "disabled": at == 0}
        st.button(_("Previous step"), key="course.back", args=(STEP, at), **on)
        if at + 1 < len(stages):
            on = {"on_click": address.put, "icon": ":material/arrow_forward:", "type": "primary"}
            st.button(_("Next step"), key="course.next", args=(STEP, at + 2), **on)
        if st.session_state[PROJECTOR]:
            st.button("✕", key="course.light", help=_("Leave the projector"), type="tertiary", on_click=_light)


def _told(stages: Sequence[Stage], at: int) -> str:
    """Which minutes of all this step is meant for."""
    before = sum(one.minutes for one in stages[:at])
    n = sum(one.minutes for one in stages)
    return _("minutes {a} to {b} of {n}", a=before, b=before + stages[at].minutes, n=n)


def _light() -> None:
    address.put(PROJECTOR, False)


def _step(
    p: Page, stage: Stage, found: Seen, joined: classes.Class | None, *, projected: bool
) -> Mapping[str, Ranking]:
    """The question, and once it is answered the picture, the lists and the sentences; gives the lists shown."""
    given = guesses().get(_mine(stage), (MOST, False))[0]
    open_ = given >= len(found.asked.options)
    with st.container(border=True, key="course-ask", gap="small"):
        _question(found)
        st.subheader(escape.plain(say(found.asked.text), 300), anchor=False)
        if open_:
            _options(stage, found)
        else:
            _verdict(found.asked, given)
        if joined is not None and stage.lessons:  # own documents are everybody's own question
            _distribution(_mine(stage), found.asked.options, not open_)
    shown = found.rankings
    if open_:
        told = list(shown)
        shown = {name: shown[name] for name in told[: _first(told, found.asked.hidden)]}
        _lists(p, found, shown, found.asked.about)
        return shown
    with st.container(border=True, key="course-picture"):
        charts.draw(found.figure(), "course.bars" if found.asked.values else "course.flow")
    _lists(p, found, shown, found.asked.about or found.asked.winner)
    if not projected:
        _sentences(stage, found)
    return shown


def _first(names: Sequence[str], hidden: Sequence[str]) -> int:
    """The place of the first list that would give the answer away: those after it are told with it."""
    return min((names.index(name) for name in hidden if name in names), default=len(names))


def _question(found: Seen) -> None:
    """What is asked in which corpus, what was said before it, and the passage that it is about."""
    lesson, corpus = found.lesson, next(iter(found.rankings.values())).corpus
    titled = _("{name}: {n} passages", name=escape.plain(frame.corpus_title(lesson.corpus)), n=len(corpus))
    said = " → ".join(f"“{escape.plain(turn, 300)}”" for turn in (*lesson.turns, lesson.query))
    st.caption(titled)
    st.markdown(_("The question:") + f" **{said}**")
    if document := corpus.get(found.asked.about):
        mark = word_marker(lesson.query, Analyzer())
        text = show.snippet(document.text, mark, 260)
        components.passage({"title": document.label, "facts": "", "text": text}, key="course.passage")


def _options(stage: Stage, found: Seen) -> None:
    with st.container(horizontal=True, gap="small", key="course-options"):
        for i, option in enumerate(found.asked.options):
            st.button(
                escape.plain(say(option), 120),
                key=f"course.option.{i}",
                on_click=_guess,
                args=(stage, i, i == found.asked.answer),
            )
        on: dict[str, Any] = {"on_click": _guess, "args": (stage, SHOWN, False), "type": "tertiary"}
        st.button(_("Show me"), key="course.show", **on)


def _verdict(asked: Prediction, given: int) -> None:
    truth, found = escape.plain(say(asked.options[asked.answer]), 120), escape.plain(say(asked.found), 600)
    if given == asked.answer:
        st.success(_("You were right: {option}.", option=truth) + f" {found}", icon=":material/check_circle:")
    elif given == SHOWN:
        st.info(f"{truth}. {found}", icon=":material/visibility:")
    else:
        mine = escape.plain(say(asked.options[given]), 120)
        told = _("You said: {guess}. It is: {option}.", guess=mine, option=truth)
        st.error(f"{told} {found}", icon=":material/cancel:")


@st.fragment(run_every=1.0)
def _distribution(step: str, options: Sequence[str], known: bool) -> None:
    """How the class has guessed at this step, as it comes in; before one's own guess only how many have."""
    joined = cache.CLASSES.of(str(st.session_state.get(CLASS, "")))
    if joined is None:
        return
    counts = joined.guesses(step)
    told = _("The class: {n} of {m} have guessed.", n=counts.total(), m=len(joined))
    with st.container(key="course-class"):
        st.caption(told)
        if known and counts:
            labels = [say(option) for option in options]
            values = [float(counts[i]) for i in range(len(options))]
            charts.draw(charts.bars(values, labels, palette.named("fused"), digits=0), "course.distribution")


def _lists(p: Page, found: Seen, rankings: Mapping[str, Ranking], doc: str) -> None:
    """These lists side by side, a document selected; nothing of them is graded here."""
    if not rankings:
        return
    every = list(found.rankings)
    colours = dict(zip(every, palette.of_lists(list(found.rankings.values())), strict=True))
    mark = word_marker(found.lesson.query, Analyzer())
    empty = _("This list is empty.")
    panels = [show.Panel(r, found.names[name], colours[name], mark, empty=empty) for name, r in rankings.items()]
    corpus = next(iter(rankings.values())).corpus
    on = replace(p.frame, collection=Collection(corpus))
    show.lists(
        "course",
        panels,
        on,
        depth=DEPTH,
        chosen=doc,
        relevant={},
        question="",
        pinned=False,
        counted=False,
    )


def _sentences(stage: Stage, found: Seen) -> None:
    """What the lesson says, each sentence with what became of it in this run, and the way to its page."""
    lesson = found.lesson
    with st.container(border=True, key="course-sentences", gap="small"):
        st.markdown(f"**{escape.plain(both(dict(lesson.title)), 200)}**")
        for step, results in zip(lesson.steps, found.results, strict=True):
            text = both(dict(step.text))
            st.markdown(text if lesson.corpus in samples.names() else escape.plain(text, performing.LONGEST))
            performing.verdicts([("", r.passed, found.told(r)) for r in results])
        st.caption(_("To talk about: {text}", text=both(dict(stage.talk))))
        if st.button(_("Perform it on its page"), key="course.perform", icon=":material/arrow_outward:"):
            performing.perform(lesson)
            st.switch_page(navigation.find(lesson.page))
