"""Parts of the conversation page: the turns, the query of each turn, and the conversation in a link or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import streamlit as st

from lab.algebra import Document, Hit, Query, Ranking, Rewrite, Runner, Searcher, Turn
from lab.corpus import samples
from lab.corpus.conversations import Conversation, grouped, lines
from lab.errors import CorpusError, LabError
from lab.models.memory import NotAsked
from lab.reading import beir as reading
from lab.refine.unseen import Unseen
from lab.retrieve.lexical import BM25
from lab.rewrite.contextual import Contextual, Part, Told
from lab.rewrite.turns import KINDS
from lab.text import script, well_formed
from lab.ui import address, cache, components, escape, palette
from lab.ui.i18n import _, _n, language, say
from lab.ui.layout.talk import LONGEST, MOST, SAID, Line, parsed, read, written
from lab.ui.lists import show, sources, sums
from lab.ui.lists.sources import Source
from lab.ui.work import once
from lab.words import Said

if TYPE_CHECKING:
    from lab.ui.layout.page import Page

LOOKED, EXAMPLE = "dialogue.turn", "dialogue.example"
"""The keys of the turn whose lists are shown, and of the text of an example that the visitor has not typed."""
LINK = 4000
"""Characters of a conversation that a link holds."""
SHOWN = 3
"""So many first passages of a turn count as shown."""
DEEP = 50
"""Number of results stored per turn: `Unseen` counts no further."""
RECENT = 5
"""The turns before these are folded away."""
_COLOURS = ("blue", "green", "orange", "violet", "red", "yellow")


def as_conversation(talk: Sequence[Line]) -> Conversation:
    """Returns the turns as a conversation in the lab's own layout; the metadata hold a kind that was set by hand."""
    turns = (Query(x.text, id=f"c-1-{i}", metadata={"kind": x.kind} if x.kind else {}) for i, x in enumerate(talk, 1))
    return Conversation("c-1", tuple(turns))


def as_jsonl(talk: Sequence[Line]) -> str:
    texts = lines([as_conversation(talk)]) if talk else ()
    return well_formed("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in texts))


def of_file(text: str) -> list[Line]:
    """Returns the first conversation of a file in the lab's own layout.

    Raises `CorpusError` if a line is not a turn, or if there is no conversation.
    """

    def stop(number: int, problem: Said, todo: Said) -> None:
        raise CorpusError(Said("Line {number}: {what}", number=number, what=problem), todo)

    conversations = grouped(
        reading.turns(enumerate(text.lstrip("\ufeff").splitlines(), 1), stop), lambda problem, todo: None
    )
    turns = [turn for conversation in conversations[:1] for turn in conversation.turns if turn.text.strip()]
    if not turns:
        remedy = Said("Give lines with “_id”, “conversation”, “turn” and “text”.")
        raise CorpusError(Said("There is no conversation in this file."), remedy)
    lines = ((turn.text[:LONGEST], str(turn.metadata.get("kind", ""))) for turn in turns[:MOST])
    return [Line(text, kind if kind in KINDS else "") for text, kind in lines]


# --------------------------------------------------------------------------------------- what was said


def said(p: Page) -> list[Line]:
    """The conversation of this page: the visitor's, or the one that it begins with."""
    start = written(_showcase(p))
    address.keep(SAID, start, read)
    if st.session_state.get("dialogue.lesson"):
        st.session_state[EXAMPLE] = st.session_state[SAID]
    if len(str(st.session_state[SAID])) > LINK and st.session_state[SAID] != start:
        address.leave_out(SAID)
        message = _("This conversation is too long for a link. Save it as a file under “Conversations”.")
        st.caption(f":material/link_off: {message}")
    return parsed(str(st.session_state[SAID]))


def _showcase(p: Page) -> list[Line]:
    """A conversation in the visitor's language: of the first lesson on this corpus, which shows what helps; else one
    of the corpus's own in which the turns before matter; else the page's example.
    """
    corpus, talks = p.frame.corpus, p.frame.collection.conversations
    taught = (x for x in cache.lessons(p.name) if x.corpus == corpus.name and x.turns)
    lesson = next((x for x in taught if script(x.query) in (language(), "other")), None)
    if lesson is not None and corpus.name in samples.every_name():
        return [Line(text) for text in (*lesson.turns, lesson.query)]
    in_language = [talk for talk in talks if talk.turns[0].metadata.get("language") == language()] or [*talks]
    if not in_language:
        return [Line(p.showcase())] if p.showcase() else []

    def acts(talk: Conversation) -> bool:
        """Whether a search by words begins with another passage where it knows of the turns before."""
        runner, turns = Runner(corpus, explain=False), [Turn(turn.text) for turn in talk]
        queries = (Query(turn.text, turns=tuple(turns[:i])) for i, turn in enumerate(talk))
        return sum(runner(Contextual()(BM25()), q, 1).ids != runner(BM25(), q.text, 1).ids for q in queries) > 1

    place = corpus.once(
        ("dialogue", language()), lambda: next((i for i, talk in enumerate(in_language) if acts(talk)), 0)
    )
    return [Line(turn.text) for turn in in_language[min(place, len(in_language) - 1)].turns]


def put(talk: Sequence[Line], looked: int = 0, *, example: bool = False) -> None:
    """Replaces the conversation and selects a turn (from 1; 0: the last one).  Call it in a callback.

    ``example``: its turns are not the visitor's own.
    """
    st.session_state[EXAMPLE] = written(talk[:MOST]) if example else None
    address.put(SAID, written(talk[:MOST]))
    address.put("dialogue.lesson", None)  # the visitor has gone on to something else
    address.put(LOOKED, looked)


def is_example() -> bool:
    """Returns whether the turns are an example of the page, a lesson or the corpus."""
    return untouched() or (bool(st.session_state[SAID]) and st.session_state[SAID] == st.session_state.get(EXAMPLE))


def untouched() -> bool:
    """Whether it is still the conversation that the page begins with."""
    return SAID not in address.current() and len(str(st.session_state[SAID])) <= LINK and bool(st.session_state[SAID])


def beside(p: Page) -> Sequence[Any]:
    """Returns the columns of the conversation and of the lists of a turn; on a phone the conversation is above."""
    with st.container(key=f"talk-{p.name}"):
        return st.columns([1, 1.85], gap="medium")


def heading(p: Page, talk: Sequence[Line]) -> Any:
    """Draws the head of the conversation: what it is, other ones, and a new one; returns the panel for downloads."""
    example = is_example()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=p.key("chat-head")):
        title = _("Example") if example else _("Conversation")
        st.markdown(f"**{title}**", width="stretch")
        panel = tools(p)
        st.button(
            _("Clear"),
            key=p.key("clear"),
            icon=":material/delete_sweep:",
            type="tertiary",
            disabled=not talk,
            on_click=put,
            args=([],),
        )
    if example:
        st.caption(_("Click a turn for its lists. Your first question starts your own conversation."))
    if untouched():
        begin(p)
    return panel


def begin(p: Page) -> None:
    """Draws the button that starts a conversation with the question that the visitor has asked elsewhere."""
    question = " ".join(address.current_question().split())[:LONGEST]
    if question:
        label = _("Start with “{question}”", question=escape.plain(question, 80))
        st.button(label, key=p.key("begin"), icon=":material/forum:", on_click=put, args=([Line(question)],))


def tools(p: Page) -> Any:
    """Draws the menus of sample conversations and files; returns the panel, which has room for the downloads."""
    talks = p.frame.collection.conversations
    panel = st.popover(_("Conversations"), icon=":material/forum:", type="tertiary")
    with panel:
        if talks:
            pick = p.key("sample")

            def take() -> None:
                chosen = st.session_state[pick]
                if chosen is not None:
                    put([Line(turn.text) for turn in chosen], example=True)

            st.selectbox(
                _("Conversations of this corpus"),
                talks,
                key=pick,
                placeholder=_("Choose …"),
                format_func=lambda c: c.turns[0].text,
                on_change=take,
                index=None,
            )
        help_text = _("A file with one turn per line: “_id”, “conversation”, “turn”, “text”")
        file = st.file_uploader(help_text, type=["jsonl"], key=p.key("file"))
        if file is not None:
            with escape.problems():
                conversations = of_file(file.getvalue().decode("utf-8", "replace"))
                st.button(
                    _("Use the conversation ({n})", n=len(conversations)),
                    key=p.key("use"),
                    icon=":material/check:",
                    type="primary",
                    on_click=put,
                    args=(conversations,),
                )
    return panel


# ----------------------------------------------------------------------------------------- what was asked


@dataclass(frozen=True)
class Held:
    """A turn and its search: the query with its history, the rewrite, and the ids of its first `DEEP` results.

    ``raw`` are as many results of the turn without its history; ``problem`` is the reason if a model did not rewrite
    it.
    """

    query: Query
    told: Told
    ids: tuple[str, ...]
    raw: tuple[str, ...]
    by: str
    problem: LabError | None = None


def search_of(line: Line, contextual: Contextual, of: Searcher, unseen: Unseen | None) -> Searcher:
    """Returns the search for a turn, with the kind that was set by hand.

    With ``unseen`` it also penalises or hides passages that earlier turns have shown.
    """
    rewritten = replace(contextual, intent=line.kind)(of)
    return rewritten if unseen is None else rewritten >> unseen


def held(p: Page, talk: Sequence[Line], contextual: Contextual, of: Searcher, unseen: Unseen | None) -> list[Held]:
    """Every turn with what this very search has shown before it; what an earlier run has found is not asked again.

    Ends the page where the visitor has stopped it.
    """

    def make() -> list[Held]:
        return _held_all(p, talk, contextual, of, unseen)

    results = p.work("talk", _("Indexing the corpus …"), make, about=(tuple(talk), contextual, of, unseen))
    if results is None:
        p.stop()
    return results


def _held_all(p: Page, talk: Sequence[Line], contextual: Contextual, of: Searcher, unseen: Unseen | None) -> list[Held]:
    results: list[Held] = []
    first = SHOWN if unseen is None else unseen.first
    for i, line in enumerate(talk):
        turns = tuple(Turn(before.query.text, shown=before.ids[:first]) for before in results)
        query = Query(line.text, id=_judged(p, talk[: i + 1]), turns=turns)
        search = search_of(line, contextual, of, unseen)
        about = (p.frame.corpus.fingerprint, search, query)
        make = partial(_held, p, query, search, of)
        results.append(make() if contextual.model else once(p.key(f"turn.{i}"), about, make))
    return results


def _judged(p: Page, talk: Sequence[Line]) -> str:
    """The id of the last turn where this is how a conversation of the corpus begins: only there its judgments hold."""
    texts, talks = [line.text for line in talk], p.frame.collection.conversations
    same = (
        conversation.turns
        for conversation in talks
        if [turn.text for turn in conversation.turns[: len(texts)]] == texts
    )
    return next((turns[len(texts) - 1].id for turns in same), "")


def _held(p: Page, query: Query, search: Searcher, of: Searcher) -> Held:
    ranking, raw = p.runner(search, query, DEEP), p.runner(of, query.text, DEEP)
    rewrite = _rewritten(ranking).evidence_as(Rewrite)
    evidence = cast(Told, rewrite.evidence)
    return Held(query, evidence, tuple(ranking.ids), tuple(raw.ids), rewrite.by, rewrite.problem)


def _rewritten(ranking: Ranking) -> Ranking:
    """The ranking on the way to this one that says what the turn became."""
    return next(r for r in ranking.lineage() if isinstance(getattr(r.evidence, "evidence", None), Told))


def by_model(contextual: Contextual) -> Contextual:
    """Returns the rewriter that asks the visitor's model; the rule is used until the model has answered."""
    return replace(contextual, model="chat")


def looked_at(held: Sequence[Held]) -> int:
    """Returns the number of the turn whose lists are shown, from 1.

    The default is the last turn; in the page's example, unless a lesson plays it, the first turn whose lists differ.
    """
    address.keep(LOOKED, 0, address.number(0, MOST, whole=True))
    chosen, last = int(st.session_state[LOOKED]), len(held)
    if 0 < chosen <= last:
        return chosen
    different = (i for i, x in enumerate(held, 1) if list(x.ids[:1]) != list(x.raw[:1]))
    return next(different, last) if untouched() and not st.session_state.get("dialogue.lesson") else last


def panels(p: Page, source: Source, found: Mapping[str, Ranking], own: Held) -> list[show.Panel]:
    """The lists of one turn: with the conversation, one for each object of a comparison, and of the turn alone."""
    (name, whole), (other, raw) = found.items()
    sides = _rewritten(whole).parents[: len(own.told.parts)] if len(own.told.parts) > 1 else ()
    drawn = [
        _panel(p, source, name, whole, [part for parts in own.told.parts for part in parts], palette.named("fused"))
    ]
    if sides:
        drawn[0] = replace(drawn[0], evidence=partial(_from, sides))
    for parts, ranking in zip(own.told.parts, sides, strict=False):
        drawn.append(
            _panel(p, source, say(ranking.query.kind), ranking, parts, palette.shade(source.colour, len(drawn)))
        )
    return [*drawn, _panel(p, source, other, raw, [Part(own.query.text, 1.0)], source.colour)]


def _panel(p: Page, source: Source, name: str, ranking: Ranking, parts: Sequence[Part], colour: str) -> show.Panel:
    words = Query(" ".join(part.text for part in parts) or ranking.query.text)
    return replace(sources.panel(p, source, ranking, words), name=name, colour=colour)


def _from(sides: Sequence[Ranking], hit: Hit) -> tuple[list[tuple[int, int]], str]:
    """Which objects a hit of a comparison was found for, and where."""
    at = ((say(side.query.kind), side.rank(hit.document.id)) for side in sides)
    return [], " · ".join(f"{name} #{rank}" for name, rank in at if rank is not None)


# -------------------------------------------------------------------------------------------- on the screen


def colour(turn: int | None) -> str:
    """Returns the colour of a turn's words: grey for the current turn (None), primary for a passage (below 0)."""
    return "gray" if turn is None else "primary" if turn < 0 else _COLOURS[turn % len(_COLOURS)]


def chips(parts: Sequence[Part], text: str) -> str:
    """Returns the parts of a turn's query as Markdown: each in the colour of its turn, with its weight."""
    names = (_("this turn") if part.turn is None and part.text == text else part.text for part in parts)
    labels = (f"{escape.plain(name, 60)} {part.weight:.2g}".strip() for name, part in zip(names, parts, strict=True))
    return " ".join(f":{colour(part.turn)}-badge[{label}]" for part, label in zip(parts, labels, strict=True))


def draw(p: Page, talk: Sequence[Line], held: Sequence[Held], looked: int) -> None:
    """Draws the turns from the first to the last, each with what was searched and where its answer is."""
    early = max(0, min(len(held) - RECENT, looked - 1))
    if early:
        with p.fold("early", _n("{n} earlier turn", "{n} earlier turns", early), ":material/history:") as seen:
            for i in range(early if seen else 0):
                _turn(p, talk, held[i], i, looked)
    for i in range(early, len(held)):
        _turn(p, talk, held[i], i, looked)


def _turn(p: Page, talk: Sequence[Line], held: Held, i: int, looked: int) -> None:
    chosen = i + 1 == looked
    with st.container(border=True, key=p.key(f"turn-{i + 1}"), gap=None):
        with st.container(horizontal=True, gap="small", wrap=False, vertical_alignment="center"):
            st.button(
                f":{colour(i)}-badge[{i + 1}] {escape.plain(held.query.text)}",
                key=p.key(f"look.{i}"),
                on_click=address.put,
                args=(LOOKED, i + 1),
                type="primary" if chosen else "secondary",
            )
            _change(p, talk, i)
        kind, by_hand = say(KINDS[held.told.purpose.kind]), _(" (set by hand)") if talk[i].kind else ""
        st.caption(f"**{escape.plain(kind)}**{by_hand} · {escape.plain(say(held.told.purpose.why))}")
        if held.told.purpose.kind != "small-talk":
            _asked(held)
            _answer(p, held)


def _answer(p: Page, held: Held) -> None:
    """Draws where the turn's answer is with and without the conversation; unjudged, the first passage instead."""
    relevant = p.frame.collection.spoken.relevant(held.query.id)
    answers = [doc for doc in (*held.ids, *held.raw) if doc in relevant]
    doc = next(iter([*answers, *held.ids]), "")
    document: Document | None = p.frame.corpus.get(doc)
    if document is None:
        st.caption(_("Nothing was found."))
        return
    with_it, alone = _rank(doc, held.ids), _rank(doc, held.raw)
    name = f"**{escape.plain(document.label, 60)}**"
    if with_it == alone or not held.told.parts:
        place = _("rank {n}", n=with_it)
    elif doc in held.raw:
        place = _("rank {before} alone, {after} with the conversation", before=alone, after=with_it)
    else:
        place = _("rank {after} with the conversation, alone not in the first {n}", after=with_it, n=DEEP)
    st.markdown(
        _("Answer: {title} ({place})", title=name, place=place)
        if answers
        else _("First: {title} ({place})", title=name, place=place)
    )


def _rank(doc: str, ids: Sequence[str]) -> str:
    """Returns the rank of a passage in a list; “> 50” if the list goes on below, a dash if it does not."""
    return str(ids.index(doc) + 1) if doc in ids else f"> {len(ids)}" if len(ids) >= DEEP else "–"


def why(panels: Sequence[show.Panel], document: Document) -> None:
    """The passage that is selected, and of every list the sum that its score is."""
    st.subheader(escape.plain(document.label, 80), anchor=False)
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        hits = [(panel, hit) for panel in panels if (hit := panel.ranking.hit(document.id)) and hit.why]
        is_fused = len(panels) > 2  # by the objects of a comparison, so that the scores have another unit
        longest = 0.0 if is_fused else max((hit.score for _panel, hit in hits), default=0.0)
        for panel, hit in hits:
            st.caption(escape.plain(panel.name))
            sums.bar(panel, hit, longest)
    with right:
        show.passage("dialogue", document, panels[0].mark)


def _asked(held: Held) -> None:
    """What the search was asked; one line for each object of a comparison."""
    if held.problem is not None and not isinstance(held.problem, NotAsked):
        escape.problem(held.problem)
        st.caption(_("The rule's result is used."))
    sides = held.told.purpose.sides
    for n, parts in enumerate(held.told.parts):
        if parts:
            name = f"{escape.plain(sides[n])}: " if sides else _("Searched: ")
            st.markdown(name + chips(parts, held.query.text))
    if not held.told.parts:
        st.caption(_("Searched unchanged."))


def _change(p: Page, talk: Sequence[Line], i: int) -> None:
    """Another wording, another kind, or away: everything after it follows."""

    def typed(key: str, kind: str) -> None:
        text = " ".join(str(st.session_state[key]).split())[:LONGEST]
        added = Line(text, str(st.session_state[kind]))
        put([*talk[:i], *([added] if text else []), *talk[i + 1 :]], i + 1, example=is_example())

    with st.popover(_("Edit"), icon=":material/edit:", type="tertiary"):
        key, kind = p.key(f"edit.{i}"), p.key(f"kind.{i}")
        address.hold(key, talk[i].text)
        address.hold(kind, talk[i].kind)
        labels = {"": _("by the rules"), **{name: say(words) for name, words in KINDS.items()}}
        change = partial(typed, key, kind)
        st.text_area(_("Text of this turn"), key=key, max_chars=LONGEST, height=80, on_change=change)
        st.selectbox(_("Kind of turn"), list(labels), key=kind, format_func=labels.__getitem__, on_change=change)
        st.button(
            _("Remove this turn"),
            key=p.key(f"away.{i}"),
            icon=":material/delete:",
            on_click=put,
            args=([*talk[:i], *talk[i + 1 :]], max(1, i)),
            kwargs={"example": is_example()},
        )


def speak(p: Page, talk: Sequence[Line]) -> None:
    """Draws the field for the next turn at the end of the conversation, and beside it the way back.

    The first turn after an example begins the visitor's own conversation; one click asks it in the example instead.
    """
    with st.container(key=f"speak-{p.name}", gap="xsmall"):
        example = st.session_state.get(p.key("left"))
        if example and len(talk) == 1:
            label = _("Ask it in the example instead")
            turns = [*parsed(example), *talk]
            st.button(label, key=p.key("rejoin"), icon=":material/merge:", type="tertiary", on_click=put, args=(turns,))
        field = st.container(horizontal=True, gap="small", wrap=False, vertical_alignment="center")
    if len(talk) >= MOST:
        field.caption(_("Maximum turns of a conversation: {n}.", n=MOST), width="stretch")
    else:
        _field(p, talk, field)
    field.button(
        _("Undo"),
        key=p.key("undo"),
        icon=":material/undo:",
        help=_("Without the last turn."),
        disabled=not talk,
        on_click=put,
        args=(talk[:-1],),
        kwargs={"example": is_example()},
    )


def _field(p: Page, talk: Sequence[Line], into: Any) -> None:
    key, example = p.key("next"), is_example()

    def ask() -> None:
        text = " ".join(str(st.session_state[key] or "").split())
        if text:
            st.session_state[p.key("left")] = written(talk) if example else None
            put([*([] if example else talk), Line(text[:LONGEST])])

    placeholder = _("Ask a follow-up …") if talk and not example else _("Ask something …")
    into.chat_input(placeholder, key=key, max_chars=LONGEST, on_submit=ask, width="stretch")


def as_json(held: Sequence[Held]) -> str:
    """Returns the turns with the queries and the first results of each."""
    return escape.as_json(
        {
            "turns": [
                {
                    "text": x.query.text,
                    "kind": x.told.purpose.kind,
                    "why": x.told.purpose.why,
                    "asked": [
                        [{"text": part.text, "weight": part.weight, "turn": part.turn} for part in own]
                        for own in x.told.parts
                    ],
                    "found": list(x.ids[:10]),
                    "alone": list(x.raw[:SHOWN]),
                }
                for x in held
            ]
        }
    )


def take_along(p: Page, talk: Sequence[Line], held: Sequence[Held]) -> None:
    """Draws the conversation as files: its turns, and the queries and results of each."""
    row, stem = st.container(horizontal=True), f"{p.frame.corpus.name}-dialogue"
    files = {"JSON": (as_json(held), "application/json"), "JSONL": (as_jsonl(talk), "application/jsonl")}
    for name, (content, mime) in files.items():
        label = _("The conversation as {kind}", kind=name)
        components.download(row, label, content, f"{stem}.{name.lower()}", mime, key=p.key(f"talk.{name}"))
