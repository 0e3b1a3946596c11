"""The course at work: one step after the other, each with a question before anything is shown.

The visitor's browser stores the predictions (``course.js``), not the server; a pack may bring classes that predict
together (`lab.ui.people.company`).
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any

import streamlit as st

from lab.algebra import Ranking, from_json
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import Lesson, forms
from lab.lessons.asking import Prediction
from lab.lessons.course import Performed, Stage, course
from lab.retrieve.explaining import word_marker
from lab.text import Analyzer, width
from lab.ui import address, cache, components, escape, navigation, palette
from lab.ui.figures import charts
from lab.ui.i18n import _, both, labelled, language, listed, say
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.lessons import handout, performing
from lab.ui.lessons.handout import Seen, run_lesson
from lab.ui.lists import show
from lab.ui.people import company
from lab.ui.people.company import CLAIM, PROJECTOR, STEP, Alone, Guess, guesses
from lab.words import LANGUAGES
from pages.start.course import projected

_LAST = "_course_last"
"""The last sentence of the step that is projected (see `company.CLAIM`)."""
ROWS, BARS = 5, 165
"""Before a class: rows of a list, and units of the height of a picture with bars."""
SHOWN = -1
"""Kept in the place of a guess where somebody wanted to see without one."""
DEPTH, MOST = 6, 10
_ANEW, _UNREADABLE = "_course_anew", "_course_unreadable"


def seen(performed: Performed, collection: Collection) -> Seen:
    """Runs a step's lesson on its corpus and returns the results."""
    lesson = next(x for x in cache.lessons() if f"{x.corpus}/{x.id}" == performed.lesson)
    return run_lesson(lesson, collection, performed.names, performed.lists, performed.ask)


def own(collection: Collection) -> Seen | None:
    """Returns the first lesson that the visitor's own documents can show, with its results; None if there is none."""
    for page in dict.fromkeys(("compare", *(form.page for form in forms.forms()))):
        for lesson in forms.of_corpus(page, collection):
            if isinstance(lesson, Lesson):
                last = lesson.steps[-1].expect[-1]
                ask = {"where": last["list"], "doc": str(last.get("doc", lesson.select))}
                return run_lesson(lesson, collection, performing.list_names(lesson), lesson.lists, ask)
    return None


# ------------------------------------------------------------------------------------------ what was guessed


def _mine(stage: Stage) -> str:
    """Returns the key of this step's prediction: another language or other documents are another question."""
    corpus = str(st.session_state["corpus"])
    corpus_suffix = "" if stage.lessons or corpus in samples.every_name() else f".{corpus[:60]}"
    return f"{language()}.{stage.id}{corpus_suffix}"


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
    guesses().update(known | guesses())


def _guess(stage: Stage, option: int, right: bool) -> None:
    company.part().guess(stage, _mine(stage), (option, right))
    address.put(CLAIM, 1)


def _anew() -> None:
    guesses().clear()
    st.session_state[_ANEW] = True
    address.put(STEP, 1)


# ------------------------------------------------------------------------------------------------- the page


def draw(p: Page) -> None:
    stages, part = course(), company.arrive()
    address.keep(STEP, 1, address.number(1, len(stages), whole=True))
    address.keep(PROJECTOR, False, address.flag)
    address.keep(CLAIM, 0, address.number(0, 99, whole=True))
    at = int(st.session_state[STEP]) - 1
    stage, projected = stages[at], bool(st.session_state[PROJECTOR])
    part.go(at + 1)
    anew = bool(st.session_state.pop(_ANEW, False))
    waits = part.follows and part.waits
    if not projected:
        _head(p, stages, at, part)
    if not (projected or waits):
        _turns(stages, at, part)
        if not part.follows:
            st.caption(_told(stages, at))
        st.markdown(both(dict(stage.text)))
    part.notes()
    found = None if waits else _found(p, stage, quiet=projected)
    if waits:
        part.wait(both(dict(stage.title)))
    elif projected:
        _project(stages, at, found, part)
    elif found is None:
        st.info(_nothing(), icon=":material/search_off:")
    else:
        _step(p, stage, found, part)
    part.follow(stage)
    if n := st.session_state.get(_UNREADABLE, 0):
        message = _("Predictions in your browser that cannot be read: {n}. They are left out.", n=n)
        st.warning(message, icon=":material/warning:")
    asked_before = _UNREADABLE in st.session_state
    told = json.dumps(guesses()) if guesses() or anew or asked_before else ""
    components.course({"guesses": told, "keys": projected}, key="course.kept", use_guesses=_take)


def _found(p: Page, stage: Stage, *, quiet: bool = False) -> Seen | None:
    """The step carried out, on its sample or on the visitor's own documents, which is said unless ``quiet``."""
    lang, own_collection = language(), p.frame.collection
    performed, is_own = stage.lessons.get(lang), own_collection.corpus.name not in samples.every_name()
    if performed:
        collection = cache.sample(performed.lesson.partition("/")[0])
    else:
        collection = own_collection if is_own else cache.sample(frame.DEFAULT_CORPUS[lang])
        where = {"name": escape.plain(frame.corpus_title(collection.corpus.name)), "n": len(collection.corpus)}
        if is_own and not quiet:
            st.caption(_("On your documents: {name}, passages: {n}.", **where))
        elif not quiet:
            st.caption(_("Until you add your own, {name} is shown without its judgments.", **where))
            st.page_link(navigation.find("corpus"), label=_("Add your own documents"), icon=":material/upload_file:")
        collection = replace(collection, queries=(), qrels={})

    def make() -> Seen | None:
        key = "course", stage.id, lang
        return collection.corpus.once(key, lambda: seen(performed, collection) if performed else own(collection))

    about = stage.id, lang, collection.corpus.name
    return p.work(f"step.{stage.id}", _("Preparing the step …"), make, about=about)


def _head(p: Page, stages: Sequence[Stage], at: int, part: Alone) -> None:
    """Where one is in the course, and what can be done with it."""
    predictions = [None if part.hides(s, _mine(s)) else part.given(s, _mine(s)) for s in stages]
    known = [guess[1] for guess in predictions if guess is not None and guess[0] != SHOWN]

    def sign(n: int) -> str:
        guess = predictions[n - 1]
        return f"{n}" if guess is None else f"{n} ·" if guess[0] == SHOWN else f"{n} ✓" if guess[1] else f"{n} ✗"

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-head"):
        steps = range(1, len(stages) + 1)
        if part.follows:
            part.name()
        else:
            st.pills(_("Step"), steps, key=STEP, format_func=sign, label_visibility="collapsed", required=True)
        st.space("stretch")
        if known:
            st.markdown(_("**{n} of {m}** predicted correctly", n=sum(known), m=len(known)), width="content")
        box: Any
        if not part.follows:  # a handout has the results
            with st.popover(_("Handout"), icon=":material/print:", key="course.handout", on_change="rerun") as box:
                if box.open:
                    _handout(p, stages, at)
        part.enter()
        if not part.follows:
            help_ = _("Large type, one sentence of the lesson at a time. → or Space: next; ←: back; Esc: leave.")
            st.toggle(_("Projector"), key=PROJECTOR, help=help_, on_change=address.put, args=(CLAIM, 0))
        if any(predictions) and not part.together:
            st.button("↺", key="course.anew", help=_("Start over"), on_click=_anew, type="tertiary")


def _handout(p: Page, stages: Sequence[Stage], at: int) -> None:
    """This step, or all of them, to be taken home."""
    this, whole = _("This step"), _("The whole course")
    which = st.segmented_control(_("Content"), (this, whole), default=this, key="course.handout.of", required=True)
    chosen = list(enumerate(stages, 1)) if which == whole else [(at + 1, stages[at])]
    solutions = handout.with_solutions("course.handout")
    sheets = list[tuple[str, Seen]]()
    for n, stage in chosen:
        if (seen := _found(p, stage, quiet=True)) is not None:
            seen = replace(seen, concept=both(dict(stage.text)), talk=both(dict(stage.talk)))
            sheets.append((f"{n} · {both(dict(stage.title))}", seen))
    name = "retrieval-lab-course" if which == whole else f"retrieval-lab-{stages[at].id}"
    if sheets:
        title = _("Retrieval Lab: the course") if which == whole else sheets[0][0]
        handout.offer(handout.render(sheets, title, name, solutions=solutions), name, "course.handout.get")


def _turns(stages: Sequence[Stage], at: int, part: Alone) -> None:
    """The step's title, and the way to the one before and the one after."""
    stage = stages[at]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-turns"):
        st.subheader(f"{at + 1} · {both(dict(stage.title))}", anchor=False, width="content")
        if part.follows:
            return
        st.space("stretch")
        st.button(
            _("Previous step"),
            key="course.back",
            args=(STEP, at),
            on_click=address.put,
            icon=":material/arrow_back:",
            disabled=at == 0,
        )
        if at + 1 < len(stages):
            st.button(
                _("Next step"),
                key="course.next",
                args=(STEP, at + 2),
                on_click=address.put,
                icon=":material/arrow_forward:",
                type="primary",
            )


def _told(stages: Sequence[Stage], at: int) -> str:
    """Returns the minutes of the course planned for this step, as text."""
    before = sum(stage.minutes for stage in stages[:at])
    n = sum(stage.minutes for stage in stages)
    return _("minutes {a} to {b} of {n}", a=before, b=before + stages[at].minutes, n=n)


def _nothing() -> str:
    return _("These documents show no difference between the lists.")


def _step(p: Page, stage: Stage, result: Seen, part: Alone) -> None:
    """Draws the question and, after the answer, the chart, lists and sentences."""
    given, hidden = part.given(stage, _mine(stage)), part.hides(stage, _mine(stage))
    with st.container(border=True, key="course-ask", gap="small"):
        _question(result)
        st.subheader(escape.plain(say(result.prediction.text), 300), anchor=False)
        if hidden:
            _options(stage, result, part)
        else:
            _verdict(result.prediction, SHOWN if given is None else given[0])
            if part.follows and result.prediction.values:
                charts.draw(result.figure(), "course.bars")
            elif part.follows:
                _numerals(result)
        if stage.lessons:  # own documents are everybody's own question
            part.predicted(_mine(stage), result.prediction, not hidden)
    rankings = result.rankings
    if hidden:
        _lists(p, result, _before(result), result.prediction.about)
        return
    if part.follows:
        _sentences(stage, result)
        with p.fold("lists", _("See the lists"), ":material/format_list_numbered:") as seen:
            if seen:
                _lists(p, result, rankings, result.prediction.about or result.prediction.winner)
        return
    with st.container(border=True, key="course-picture"):
        charts.draw(result.figure(), "course.bars" if result.prediction.values else "course.flow")
    _lists(p, result, rankings, result.prediction.about or result.prediction.winner)
    _sentences(stage, result)


def _numerals(result: Seen) -> None:
    """Draws the rank of the answer in each list as a large number in the colour of the list."""
    doc = result.prediction.about or result.prediction.winner
    each = (
        f'<div style="flex:1;color:{colour};border-top:3px solid"><div>{html.escape(result.names[name])}</div>'
        f'<b style="font-size:3.2rem;line-height:1.1">{result.rankings[name].rank(doc) or "–"}</b></div>'
        for name, colour in _colours(result).items()
    )
    st.html(f'<div class="numerals" style="display:flex;gap:1rem">{"".join(each)}</div>')


def _colours(result: Seen) -> dict[str, str]:
    return dict(zip(result.rankings, palette.of_lists(list(result.rankings.values())), strict=True))


def _before(result: Seen) -> dict[str, Ranking]:
    """Returns the lists shown before the answer: all before the first list that would give it away."""
    return dict(takewhile(lambda item: item[0] not in result.prediction.hidden, result.rankings.items()))


def _question(result: Seen) -> None:
    """Draws the corpus, the question with the earlier turns, and the passage that the prediction is about."""
    lesson, corpus = result.lesson, next(iter(result.rankings.values())).corpus
    titled = _("{name}, passages: {n}", name=escape.plain(frame.corpus_title(lesson.corpus)), n=len(corpus))
    quoted_turns = " → ".join(f"“{escape.plain(turn, 300)}”" for turn in (*lesson.turns, lesson.query))
    st.caption(titled)
    st.markdown(listed((_("The question:"), f"**{quoted_turns}**"), " "))
    if document := corpus.get(result.prediction.about):
        mark = word_marker(lesson.query, Analyzer())
        text = show.snippet(document.text, mark, 260)
        components.passage({"title": document.label, "facts": "", "text": text}, key="course.passage")


def _options(stage: Stage, result: Seen, part: Alone) -> None:
    """Draws what can be predicted: as buttons, and for a presenter to read out, with the button that ends it."""
    options = [say(option) for option in result.prediction.options]
    if part.presents:
        part.offer(options, partial(_guess, stage, SHOWN, False))
        return
    given, follows = part.given(stage, _mine(stage)), part.follows and part.shares(stage)
    with st.container(horizontal=True, gap="small", key="course-options"):
        for i, option in enumerate(options):
            st.button(
                escape.plain(option, 120),
                key=f"course.option.{i}",
                on_click=_guess,
                args=(stage, i, i == result.prediction.answer),
                type="primary" if given is not None and given[0] == i else "secondary",
            )
        if not follows:
            st.button(
                _("Show without predicting"),
                key="course.show",
                on_click=_guess,
                args=(stage, SHOWN, False),
                type="tertiary",
            )
    if follows and given is not None:
        st.caption(_("You can change it until your teacher shows the result."))


def _result(asked: Prediction, given: int) -> tuple[str, str]:
    """Whether a prediction was right ("right", "wrong", or "shown" if there was none), and what is the case."""
    truth = handout.truth(asked)
    if given == asked.answer:
        return "right", _("Your prediction is right.") + f" {truth}"
    if not 0 <= given < len(asked.options):
        return "shown", truth
    return "wrong", _("You predicted: {guess}.", guess=say(asked.options[given])) + f" {truth}"


def _verdict(asked: Prediction, given: int) -> None:
    kind, text = _result(asked, given)
    looks = {"right": (st.success, "check_circle"), "shown": (st.info, "visibility"), "wrong": (st.error, "cancel")}
    draw, icon = looks[kind]
    draw(escape.plain(text, 800), icon=f":material/{icon}:")


def _lists(p: Page, result: Seen, rankings: Mapping[str, Ranking], doc: str) -> None:
    """Draws these lists side by side with a document selected, without grades."""
    if not rankings:
        return
    mark = word_marker(result.lesson.query, Analyzer())
    empty = _("This list is empty.")
    colours = _colours(result)
    panels = [show.Panel(r, result.names[name], colours[name], mark, empty=empty) for name, r in rankings.items()]
    corpus = next(iter(rankings.values())).corpus
    on = replace(p.frame, collection=Collection(corpus))
    show.lists("course", panels, on, depth=DEPTH, chosen=doc, relevant={}, question="", pinned=False, counted=False)


# ------------------------------------------------------------------------------------------ before a class


def _turn(way: int) -> None:
    """One key: from the question to the result, to each sentence, to the next step; or the same way back."""
    stages, at = course(), int(st.session_state[STEP]) - 1
    last = int(st.session_state.get(_LAST, 0))
    part = company.part()
    if part.presents and part.waits and way > 0:
        part.open()
        return
    now = _claim(stages[at], part, last) + way
    if now == 1 and way > 0 and part.given(stages[at], _mine(stages[at])) is None:
        _guess(stages[at], SHOWN, False)
    if 0 <= now <= last:
        address.put(CLAIM, now)
    elif 0 <= at + way < len(stages):
        address.put(STEP, at + way + 1)
        address.put(CLAIM, 0 if way > 0 else 99)


def _claim(stage: Stage, part: Alone, last: int) -> int:
    """Returns what is projected of a step: in a class nothing but the question until its result is shown."""
    if part.presents and part.given(stage, _mine(stage)) is None:
        return 0
    return min(int(st.session_state[CLAIM]), last)


def _project(stages: Sequence[Stage], at: int, result: Seen | None, part: Alone) -> None:
    """Draws a step as a slide: question, result, the sentences one at a time."""
    stage, last = stages[at], len(result.lesson.steps) + 1 if result else 0
    st.session_state[_LAST] = last
    now = _claim(stage, part, last)
    st.html(projected.style())
    with st.container(key="course-slide"):
        place = _("Step {n} of {m}", n=at + 1, m=len(stages))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-corner"):
            part.corner()
            leave, off = _("Leave projector mode"), (PROJECTOR, False)
            st.button("✕", key="course.light", help=leave, type="tertiary", on_click=address.put, args=off)
        waits, title = part.presents and part.waits, both(dict(stage.title))
        if waits:
            part.gather(place, title)
        else:
            st.html(projected.question(place, title, *_spoken(result, now)))
        if result is None:
            st.info(_nothing(), icon=":material/search_off:")
        elif not waits:
            if not now:
                _options(stage, result, part)
            _picture(stage, result, result.rankings if now else _before(result), now, part)
        with st.container(key="course-foot", gap="small"):
            if result is not None and not waits:
                _told_to_class(stage, result, now, part)
            _keys(stages, at, result, now, last, _("Next: the question") if waits else "")


def _spoken(result: Seen | None, now: int) -> tuple[Sequence[str], str, str]:
    """Returns the turns with the question; before the answer also the passage and the text of the prediction."""
    if result is None:
        return [""], "", ""
    lesson, about = result.lesson, next(iter(result.rankings.values())).corpus.get(result.prediction.about)
    turns = [*lesson.turns, lesson.query]
    if now:  # there is room for the lists
        return ["…", lesson.query] if lesson.turns else turns, "", ""
    return turns, labelled(about.label, about.text)[:300] if about else "", say(result.prediction.text)


def _picture(stage: Stage, result: Seen, rankings: Mapping[str, Ranking], now: int, part: Alone) -> None:
    """The numbers that decide it, or the lists with their curves and the pins of the sentence."""
    values = result.prediction.values if now else ()
    if values:
        charts.draw(charts.enlarged(result.figure()), "course.bars")
    if not rankings or (values and len(rankings) > 1):
        return
    lesson, doc = result.lesson, result.prediction.about or (result.prediction.winner if now else "")
    pins = dict[tuple[str, str], str]()
    if now > 1:
        doc = lesson.meant_at(now - 2) or doc
        for expectation in lesson.steps[now - 2].expect:
            docs = performing.spoken_documents(expectation, lesson.meant_at(now - 2))
            pins |= {(str(expectation["list"]), doc): performing.LETTERS[(now - 2) % 26].upper() for doc in docs}
    rows = ROWS if now and not values else 3
    if not now:
        options = sum(12.5 * width(say(option)) + 66 for option in result.prediction.options)
        rows -= options > projected.WIDE - 140  # they take two lines
        rows -= bool(lesson.turns)  # so does the question
        rows -= part.together  # the QR code of the class is below
    else:
        guess = (part.given(stage, _mine(stage)) or (SHOWN, False))[0]
        text = both(dict(lesson.steps[now - 2].text)) if now > 1 else _result(result.prediction, guess)[1]
        checks = [check for _held, check in _checks(result, now - 2)] if now > 1 else []
        rows = projected.rows_that_fit(text, checks, len(rankings), rows, above=BARS if values else 0)
    st.html(projected.columns(rankings, result.names, _colours(result), depth=rows, selected=doc, pins=pins))


def _checks(result: Seen, step: int) -> list[tuple[bool, str]]:
    """What became of the checks of a sentence; a list that several are about is named once."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for check in result.results[step]:
        groups.setdefault((check.list, check.passed), []).append(performing.outcome(check))
    return [
        (passed, labelled(result.names.get(name, name), " · ".join(facts))) for (name, passed), facts in groups.items()
    ]


def _told_to_class(stage: Stage, result: Seen, now: int, part: Alone) -> None:
    """Draws the result with the class's predictions, or a sentence with its checks."""
    if now > 1:
        lesson = result.lesson
        text = both(dict(lesson.steps[now - 2].text))
        is_sample = lesson.corpus in samples.every_name()
        text = handout.marked(text) if is_sample else html.escape(text)
        st.html(projected.claim(performing.LETTERS[(now - 2) % 26].upper(), text, _checks(result, now - 2)))
        return
    if now:
        guess = (part.given(stage, _mine(stage)) or (SHOWN, False))[0]
        kind, text = _result(result.prediction, guess)
        st.html(projected.claim({"right": "✓", "wrong": "✗"}.get(kind, ""), html.escape(text), ()))
    if stage.lessons:
        part.predicted(_mine(stage), result.prediction, bool(now))


def _keys(stages: Sequence[Stage], at: int, result: Seen | None, now: int, last: int, upcoming: str) -> None:
    """Draws the keys, a tick for each sentence shown so far, and the name of the next one (``upcoming`` if given)."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course-keys"):
        st.button(
            _("Back"),
            key="course.back",
            icon=":material/arrow_back:",
            on_click=_turn,
            args=(-1,),
            disabled=not (now or at),
        )
        end = now == last and at + 1 == len(stages)
        st.button(
            _("Next"),
            key="course.next",
            icon=":material/arrow_forward:",
            on_click=_turn,
            args=(1,),
            type="primary",
            disabled=end,
        )
        if result is not None and now > 1:
            passed = [all(r.passed for r in results) for results in result.results]
            st.html(projected.ticks(passed, now - 1), width="content")
        st.space("stretch")
        if not end:
            upcoming = upcoming or _next_is(stages, at, now, last)
            st.html(f'<div class="slide quiet">{html.escape(upcoming)}</div>', width="content")


def _next_is(stages: Sequence[Stage], at: int, now: int, last: int) -> str:
    if now == last:
        return _("Next: step {n}", n=at + 2)
    if not now:
        return _("Next: the result")
    return _("Next: sentence {n} of {m}", n=now, m=last - 1)


def _sentences(stage: Stage, result: Seen) -> None:
    """What the lesson says, each sentence with what became of it in this run, and the way to its page."""
    lesson = result.lesson
    with st.container(border=True, key="course-sentences", gap="small"):
        st.markdown(f"**{escape.plain(both(dict(lesson.title)), 200)}**")
        for step, results in zip(lesson.steps, result.results, strict=True):
            text = both(dict(step.text))
            st.markdown(text if lesson.corpus in samples.every_name() else escape.plain(text, performing.LONGEST))
            performing.verdicts([("", r.passed, result.verdict(r)) for r in results])
        st.caption(_("To talk about: {text}", text=both(dict(stage.talk))))
        play, icon = _("Play it on its page"), ":material/arrow_outward:"
        st.button(play, key="course.perform", icon=icon, on_click=performing.perform, args=(lesson,))
