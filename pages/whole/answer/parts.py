"""What stands under the answers of their page: a passage at its sentence, sums, the context, rounds, the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from lab.algebra import Contribution, Corpus, Document, Env
from lab.answer.again import Round
from lab.answer.answered import Answered
from lab.answer.base import Place
from lab.answer.beside import Beside
from lab.answer.citations import CitationRule, Cited, Source
from lab.answer.context import Sent
from lab.answer.extract import Extracted, Scored
from lab.answer.model import ModelAnswer, Request
from lab.answer.searched import MEANINGS, presets, unfilled
from lab.text import language_of
from lab.ui import address, charts, components, escape, grading, palette, prompts, show, tables
from lab.ui.charts import Figure, Part
from lab.ui.escape import plain
from lab.ui.i18n import _, _n, language, say
from lab.ui.page import Page, technique_name
from pages.whole.answer import streaming
from pages.whole.answer.answering import RULES, Column, Made, told_of

_ANSWERS, _HELPS_NOT = 2, 0
"""The grades that a click on an answer gives to the passages that it rests on."""


# ------------------------------------------------------------------------------------- one sentence, one source


class Looked(NamedTuple):
    """An answer under a rule: what each sentence cites, and all passages beside it, by their places."""

    rule: CitationRule
    cited: Sequence[Cited]
    near: Sequence[Mapping[int, Source]]


def looked(p: Page, own: Answered, chosen: CitationRule) -> list[Looked]:
    """The answer under every rule; the one that is chosen has its knobs."""
    out, env = [], Env(p.models)
    for rule in (chosen if isinstance(chosen, kind) else kind() for kind in RULES):
        cited = own.cited if rule == chosen else rule.cite(own.sentences, own.passages, p.frame.corpus, env)
        near: Sequence[Sequence[Source]] = [()] * len(cited)
        if own.passages:
            beside = Beside(rule.embedder, rule.analyzer, own.passages, p.frame.corpus, env)
            near = rule.compare(own.sentences, beside)
        out.append(Looked(rule, cited, [{s.place.passage: s for s in sources} for sources in near]))
    return out


def source(p: Page, column: Column, i: int, passage: int | None, every: Sequence[Looked]) -> None:
    """The passage that a sentence rests on, opened at its sentence; beside it why it was taken, and the rules' sums."""
    own = column.answered
    places, nearest = own.sources(i), own.cited[i].nearest
    if passage is None:
        place = places[0] if places else nearest.place if nearest else None
    else:
        near = {s.place.passage: s.place for one in every for s in one.near[i].values()}
        place = next((one for one in places if one.passage == passage), near.get(passage))
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        if place is None:
            st.caption(_("No sentence of the context is similar to this one."))
        else:
            rests, close = _("Passage {n}, supporting sentence marked"), _("Passage {n}, nearest sentence marked")
            st.caption((rests if place in places else close).format(n=place.passage + 1))
            opened(p, own.passages[place.passage], place)
    with right:
        st.markdown(plain(told_of(own, i)))
        if column.told is not None:
            chosen(p, column.told, own.scored[i], column.colour)
        if place is not None and not own.cited[i].alone:
            for one in every:
                _sum(one, i, place.passage, p.key(f"sum.{one.rule.key}"))


def chosen(p: Page, told: Extracted, scored: Scored, colour: str) -> None:
    """The sum that chose a sentence, and the one that says whether the passages say."""
    st.caption(_("**Why this sentence**: the components of its score {x}", x=f"{scored.score:.3f}"))
    charts.draw(charts.addends(scored.why, colour), p.key("scored"))
    signed = " ".join(f"{'−' if c.value < 0 else '+'} {abs(c.value):.3f} {say(c.source)}" for c in told.evidence)
    parts = signed.removeprefix("+ ")
    values = {"parts": parts, "x": f"{told.reached:.3f}", "limit": f"{told.limit:.2f}"}
    if told.says:
        st.caption(_("**Do the passages answer it?** {parts} = {x}, not below {limit}: yes.", **values))
    else:
        st.caption(_("**Do the passages answer it?** {parts} = {x}, below {limit}: no.", **values))


def opened(p: Page, document: Document, place: Place) -> None:
    """A passage with one sentence of it marked and in sight."""
    before = len(document.content) - len(document.text)
    span = [(place.start - before, place.end - before)] if place.start >= before and place.end > place.start else []
    text = show.segments(document.text, span, "here")
    components.passage({"title": document.label, "facts": document.id, "text": text}, key=p.key("passage"))


def _sum(one: Looked, i: int, passage: int, key: str) -> None:
    """How near a passage is by a rule, as the sum that it is, and what the threshold says."""
    cited, near = one.cited[i], one.near[i][passage]
    parts = " + ".join(f"{part.weight:.2g} × {part.value:.3f} {say(part.name)}" for part in near.parts)
    told = {"n": passage + 1, "x": f"{near.similarity:.3f}", "parts": parts, "limit": f"{cited.threshold:.3f}"}
    st.caption(f"**{plain(technique_name(type(one.rule)))}**")
    if any(s.place.passage == passage for s in cited.sources):
        st.markdown(_("[{n}]: {parts} = **{x}**, cited (threshold {limit}).", **told))
    elif cited.sources:
        st.markdown(_("[{n}]: {parts} = **{x}**, not cited: another passage is more similar.", **told))
    elif cited.nearest is not None and cited.nearest.place.passage == passage:
        st.markdown(_("[{n}], the most similar: {parts} = **{x}**, below the threshold {limit}: not cited.", **told))
    else:
        st.markdown(_("[{n}]: {parts} = **{x}**, not cited: the most similar passage is not cited, either.", **told))
    why = [Contribution(part.name, part.addend) for part in near.parts]
    charts.draw(charts.addends(why, palette.named("fused")), key)


# ---------------------------------------------------------------------------------------------- the two rules


def rules(p: Page, own: Answered, every: Sequence[Looked]) -> None:
    """Which sentence cites which passage, and how near every other one is, by either rule."""
    for one, side in zip(every, st.columns(len(every), gap="large"), strict=True):
        with side:
            st.caption(f"**{plain(technique_name(type(one.rule)))}** · {plain(say(one.rule.about))}")
            charts.draw(table(one, len(own.passages)), p.key(f"rule.{one.rule.key}"))
            st.caption(_summary(own, one.cited))


def table(one: Looked, passages: int) -> Figure:
    """Sentences by passages: how near each is; what is cited has a dot."""
    values, texts = [], []
    for own, near in zip(one.cited, one.near, strict=True):
        taken = {s.place.passage for s in own.sources}
        found = [0.0 if own.alone or i not in near else near[i].similarity for i in range(passages)]
        values.append([max(0.0, x) for x in found])
        texts.append(["–" if own.alone else "● " * (i in taken) + _short(x) for i, x in enumerate(found)])
    rows = [_("sentence {n}", n=i) for i in range(1, len(one.cited) + 1)]
    columns = [f"[{i}]" for i in range(1, passages + 1)]
    drawn = charts.table_map(values, rows, columns, palette.named("fused"), texts=texts, zmax=2.0)
    layout = drawn["layout"]  # the heads need room where there are few rows
    return drawn | {"layout": layout | {"height": layout["height"] + 12, "margin": layout["margin"] | {"t": 38}}}


def _short(x: float) -> str:
    return f"{x:.2f}".replace("0.", ".", 1)


def _summary(own: Answered, cited: Sequence[Cited]) -> str:
    """What a rule did with an answer, in a sentence; where sentences were copied, whether it found from where."""
    bare = [c for c in cited if not c.alone]
    without = sum(not c.sources for c in bare)
    told = _("Sentences with a source: {n} of {total}.", n=len(bare) - without, total=len(bare))
    if own.copied:
        right = sum(
            any(s.place.passage == place.passage for s in c.sources)
            for c, place in zip(cited, own.copied, strict=True)
            if not c.alone
        )
        told += " " + _("Each sentence was copied from a passage; exactly that passage is cited for {n}.", n=right)
    limit = {f"{c.threshold:.3g}" for c in bare}
    return f"● {told} " + (_("Threshold {limit}.", limit=", ".join(sorted(limit))) if limit else "")


# ------------------------------------------------------------------------------------------------ the context


def context(p: Page, made: Sequence[Made], column: Column, at: str, doc: str) -> None:
    """What is sent, in its order, each passage as long as its tokens; and what was left out, with the reason.

    A click opens a passage beside the sentence that is chosen (``at``) of an answer.
    """
    numbers = {d.id: i for i, d in enumerate(column.answered.passages)}
    for one in made:
        name = f"**{plain(one.version.name)}** · " if len(made) > 1 else ""
        st.caption(
            name
            + _(
                "Passages: {n}, tokens: about {tokens} of {budget} (an estimate).",
                n=len(one.sent.passages),
                tokens=sum(one.sent.tokens),
                budget=one.sent.budget,
            )
        )
        drawn = strip(one.sent, p.frame.corpus, doc)
        clicked = charts.clicked(charts.clickable(drawn, p.key(f"context.{one.version.letter}")))
        last = p.key(f"clicked.{one.version.letter}")
        if clicked != st.session_state.get(last):  # a click stays selected in the picture: it counts once
            st.session_state[last] = clicked
            if clicked in numbers:
                address.put(p.key("at"), f"{at}/{numbers[clicked]}")
                st.rerun()
        titles = (f"**{i}** {plain(d.label, 34)}" for i, d in enumerate(one.sent.passages, 1))
        st.caption(" · ".join(titles))
    left = [drop for one in made for own in one.rounds for drop in own.context.dropped]
    there = {d.id for one in made for d in one.sent.passages}
    cut = list({d.document.id: d for d in left if d.document.id not in there}.values())
    if cut:
        with p.fold("left", _("Left out ({n})", n=len(cut)), ":material/content_cut:") as seen:
            if seen:
                columns = {"passage": _("Passage"), "reason": _("Reason")}
                rows = [{"passage": d.document.label, "reason": say(d.reason)} for d in cut[:200]]
                tables.draw(_("Left out ({n})", n=len(cut)), rows, key=p.key("left"), columns=columns)


def strip(sent: Sent, corpus: Corpus, selected: str = "") -> Figure:
    """The context from its first line to its last: a piece for each passage, as long as its tokens."""
    data, start = list[Part](), 0
    for i, (document, rank, tokens) in enumerate(zip(sent.passages, sent.ranks, sent.tokens, strict=True), 1):
        line = {"color": palette.ink() if document.id == selected else palette.paper(), "width": 3}
        marker = {"color": palette.document(corpus, document.id), "line": line}
        hover = _n(
            "[{i}] rank {rank}, {tokens} token",
            "[{i}] rank {rank}, {tokens} tokens",
            tokens,
            i=i,
            rank=rank,
            tokens=tokens,
        )
        look: Part = {"orientation": "h", "base": [start], "marker": marker, **charts.UNDIMMED}
        look |= {"text": [f"<b>{i}</b>"], "textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
        look |= {"textfont": {"color": palette.paper()}, **charts.pointed([document])}
        data.append(charts.trace("bar", [tokens], [""], f"%{{hovertext}}<br>{hover}", **look))
        start += tokens
    limit = {"type": "line", "x0": sent.budget, "x1": sent.budget, "y0": 0, "y1": 1, "yref": "paper"}
    shapes = [{**limit, "line": {"color": palette.ink(), "width": 2, "dash": "dash"}}]
    x = {"range": [0, max(start, sent.budget) * 1.02], "tickfont": charts.font(11, palette.mute())}
    more: Part = {"y": {"visible": False}, "barmode": "overlay", "shapes": shapes, "bargap": 0.1}
    return charts.figure(86, data, {"t": 4, "b": 24}, x=x, **more)


# ------------------------------------------------------------------------------------------------- the rounds


def rounds(p: Page, made: Sequence[Made]) -> None:
    """Round by round: what was searched, what came, what it changed; and why it stopped."""
    for one in made:
        if len(made) > 1:
            st.markdown(f"**{plain(one.version.name)}**")
        for n, own in enumerate(one.rounds, 1):
            _round(p, n, own, one.rounds[n - 2] if n > 1 else None)


def _round(p: Page, n: int, own: Round, before: Round | None) -> None:
    who = {"question": _("the question"), "rule": _("by the rule"), "model": _("by the model")}[own.by]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":violet-badge[{n}] **{plain(own.query.text, 120)}** · {who}")
        if own.problem is not None:
            st.caption(
                _(
                    "The model did not report what is missing, so the rule decided. {error}",
                    error=plain(say(own.problem.message)),
                )
            )
        if before is not None:
            titles = ", ".join(f"“{plain(d.label, 40)}”" for d in own.new)
            st.caption(
                _("New in the context: {titles}", titles=titles) if own.new else _("New in the context: nothing")
            )
        st.caption(_change(own, before))
        if own.stopped:
            st.caption(f":material/stop_circle: {plain(say(own.stopped))}")
        elif own.answer.missing:
            words = ", ".join(plain(word, 30) for word in own.answer.missing)
            st.caption(_("Not covered by the answer: {words}", words=words))


def _change(own: Round, before: Round | None) -> str:
    """What the answer of a round is, against that of the round before."""
    now = own.answer
    if before is None:
        return (
            _("Sentences in the answer: {n}", n=len(now.sentences)) if now.says else _("The passages do not answer it.")
        )
    was = before.answer
    if now.says and not was.says:
        return _("The passages answer it now.")
    if not now.says:
        return _("The passages still do not answer it.")
    old, new = [s.text for s in was.sentences], [s.text for s in now.sentences]
    if old == new:
        return _("The answer stays the same.")
    more, less = sum(s not in old for s in new), sum(s not in new for s in old)
    return _("The answer changes: sentences added: {more}, removed: {less}.", more=more, less=less)


# ----------------------------------------------------------------------------------------- the model, its prompt


def prompted(p: Page) -> ModelAnswer:
    """The prompt with the visitor's own text, where there is one."""
    key = p.key("template")
    address.keep(key, "", address.text(8000))
    return ModelAnswer(template=str(st.session_state[key]))


def prompt(p: Page, own: ModelAnswer, question: str, requests: Sequence[tuple[Made, Request]]) -> None:
    """The prompt whole, with its size and cost, and the text that makes it."""
    prices = getattr(getattr(p.models_now.get("chat"), "heart", None), "prices", None)
    for one, request in requests:
        cost = request.cost(prices)
        told = _n("about {n} token", "about {n} tokens", request.tokens, n=request.tokens) + (
            f" · {cost:.5f}" if cost is not None else ""
        )
        st.caption(f"{plain(one.version.name)} · {told}" if len(requests) > 1 else told)
        st.code(request.text, language=None, wrap_lines=True, height=360)
    key, usual = p.key("own"), own.prompt(language_of(question))

    def typed() -> None:
        text = str(st.session_state[key])
        lab = ModelAnswer().prompt(language_of(question))
        address.put(p.key("template"), "" if text.strip() == lab.strip() else text)

    _ready(p, own, language_of(question))
    address.hold(key, usual.strip())
    field = ModelAnswer.__dataclass_fields__["template"].metadata
    help = prompts.help_of(say(field["help"]), field["needs"]).replace("{", "\\{")
    st.text_area(_("Edit the prompt"), key=key, height=220, max_chars=8000, help=help, on_change=typed)
    prompts.warn(usual, field["needs"])
    for one, _request in requests:
        empty = [f"{say(MEANINGS[name])} ({{{name}}})" for name in unfilled(usual, one.searched.values())]
        if empty:
            listed = escape.plain("; ".join(empty))
            st.caption(_("This search has nothing for: {names}. The prompt says “–” there.", names=listed))


def _ready(p: Page, own: ModelAnswer, theirs: str) -> None:
    """A choice of ready prompts, which takes the one that is chosen in the language of the question."""
    templates = {name: preset.template[theirs] for name, preset in presets().items()}
    titles = {name: preset.title[language()] for name, preset in presets().items()}
    names, key = {"": _("The lab's prompt"), **titles, "own": _("Your own prompt")}, p.key("preset")
    usual = "own" if own.template else ""
    now = next((name for name, text in templates.items() if text == own.template.strip()), usual)

    def take() -> None:
        name = str(st.session_state[key])
        if name != "own":
            address.put(p.key("template"), templates.get(name, ""))

    address.hold(key, now)
    told = _("Prompts that tell the model what the search did: its rewrites, the route, the conversation.")
    options = [name for name in names if name != "own" or now == "own"]
    st.selectbox(_("Ready prompts"), options, key=key, on_change=take, format_func=names.__getitem__, help=told)


def model(p: Page, requests: Sequence[tuple[Made, Request]]) -> None:
    """A button per version that asks the visitor's model; while it writes, its words as they come."""
    own = p.models_now.get("chat")
    if own is None:
        return
    for one, request in requests:
        letter = one.version.letter
        writing = streaming.written(request.text, own)
        if writing is not None and not writing.over.is_set():
            streaming.watch(writing, p.key(f"model.{letter}"))
            continue
        row = st.container(horizontal=True, vertical_alignment="center")
        name = plain(say(own.label), 40) + (f" · {plain(one.version.name, 30)}" if len(requests) > 1 else "")
        again = writing is not None
        label = _("Ask {model} again", model=name) if again else _("Answer with {model}", model=name)
        row.button(
            label,
            key=p.key(f"ask.{letter}"),
            icon=":material/smart_toy:",
            on_click=streaming.ask,
            args=(request.text, own),
            disabled=not one.sent.passages,
        )
        prices = getattr(getattr(own, "heart", None), "prices", None)
        cost = request.cost(prices)
        told = _n("about {n} token is sent", "about {n} tokens are sent", request.tokens, n=request.tokens) + (
            f", {cost:.5f}" if cost is not None else ""
        )
        row.caption(told)
        if writing is not None and writing.error is not None and not writing.said:
            escape.problem(writing.error)
            st.caption(_("The answer with the passages' own sentences is still shown."))


# ------------------------------------------------------------------------------------------- feedback, exports


def feedback(p: Page, columns: Sequence[Column], question: str) -> None:
    """Good or bad, by a click: the passages that an answer rests on get that grade for this question."""
    judged = grading.judgments().on(p.frame.corpus).of(question, grading.rater())
    for column in columns:
        used = [column.answered.passages[i].id for i in column.answered.used] if column.answered.says else []
        if not used or column.key == "t":
            continue
        row = st.container(horizontal=True, vertical_alignment="center", gap="small")
        row.caption(_("Does “{name}” answer the question?", name=plain(column.title, 40)), width="content")
        for grade, label, icon in ((_ANSWERS, _("Good"), "thumb_up"), (_HELPS_NOT, _("Bad"), "thumb_down")):
            on = all(judged.get(doc) == grade for doc in used)
            given = None if on else grade
            row.button(
                label,
                key=p.key(f"{icon}.{column.key}"),
                icon=f":material/{icon}:",
                type="primary" if on else "secondary",
                on_click=_graded,
                args=(question, used, given),
            )
        if all(doc in judged for doc in used):
            row.caption(
                _("Graded “{grade}” for this question: {n}", n=len(used), grade=grading.grades()[judged[used[0]]])
            )


def _graded(question: str, docs: Sequence[str], grade: int | None) -> None:
    for doc in docs:
        grading.give(question, doc, grade)


def take_along(p: Page, columns: Sequence[Column], requests: Sequence[tuple[Made, Request]]) -> None:
    """The answers as Markdown with footnotes and as JSON, the prompts as they are sent."""
    stem, row = f"{p.frame.corpus.name}-answer", st.container(horizontal=True)
    for column in columns:
        name = f" · {plain(column.title, 30)}" if len(columns) > 1 else ""
        tail = f"-{column.key}" if len(columns) > 1 else ""
        own = column.answered
        row.download_button(
            f"Markdown{name}",
            own.to_markdown,
            f"{stem}{tail}.md",
            "text/markdown",
            key=p.key(f"md.{column.key}"),
            on_click="ignore",
        )
        row.download_button(
            f"JSON{name}",
            own.to_json,
            f"{stem}{tail}.json",
            "application/json",
            key=p.key(f"json.{column.key}"),
            on_click="ignore",
        )
    for one, request in requests:
        label = _("Prompt") + (f" · {plain(one.version.name, 30)}" if len(requests) > 1 else "")
        file = f"{stem}-prompt-{one.version.letter}.txt"
        row.download_button(
            label, request.text, file, "text/plain", key=p.key(f"prompt.{one.version.letter}"), on_click="ignore"
        )
