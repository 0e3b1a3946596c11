"""Parts below the answers: a passage beside its sentence, score components, the context, search rounds, the prompt."""

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
from lab.answer.defining import defined
from lab.answer.extract import Extracted, Scored
from lab.answer.model import ModelAnswer, Request
from lab.answer.searched import MEANINGS, presets, unfilled
from lab.text import fold, language_of
from lab.ui import address, components, escape, palette
from lab.ui.escape import plain
from lab.ui.figures import charts, rank_charts
from lab.ui.figures.charts import Figure, Part
from lab.ui.i18n import _, _n, language, listed, say
from lab.ui.layout import prompts, tables
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import grading, show, trust
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


def looked(p: Page, answer: Answered, chosen: CitationRule) -> list[Looked]:
    """The answer under every rule; the one that is chosen has its knobs."""
    looks, env = [], Env(p.models)
    for rule in (chosen if isinstance(chosen, kind) else kind() for kind in RULES):
        cited = answer.cited if rule == chosen else rule.cite(answer.sentences, answer.passages, p.frame.corpus, env)
        near: Sequence[Sequence[Source]] = [()] * len(cited)
        if answer.passages:
            neighbours = Beside(rule.embedder, rule.analyzer, answer.passages, p.frame.corpus, env)
            near = rule.compare(answer.sentences, neighbours)
        looks.append(Looked(rule, cited, [{s.place.passage: s for s in sources} for sources in near]))
    return looks


def source(p: Page, column: Column, i: int, passage: int | None, every: Sequence[Looked]) -> None:
    """The passage that a sentence rests on, opened at its sentence; beside it why it was taken, and the rules' sums."""
    answer = column.answered
    places, nearest = answer.sources(i), answer.cited[i].nearest
    if passage is None:
        place = places[0] if places else nearest.place if nearest else None
    else:
        near = {s.place.passage: s.place for look in every for s in look.near[i].values()}
        place = next((cited_place for cited_place in places if cited_place.passage == passage), near.get(passage))
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        if place is None:
            st.caption(_("No sentence of the context is similar to this one."))
        else:
            rests, close = _("Passage {n}, supporting sentence marked"), _("Passage {n}, nearest sentence marked")
            st.caption((rests if place in places else close).format(n=place.passage + 1))
            opened(p, answer.passages[place.passage], place)
    with right:
        st.markdown(plain(told_of(answer, i)))
        if column.told is not None:
            chosen(p, column.told, answer.scored[i], column.colour)
        if place is not None and not answer.cited[i].alone:
            for look in every:
                _sum(look, i, place.passage, p.key(f"sum.{look.rule.key}"))


def chosen(p: Page, extracted: Extracted, scored: Scored, colour: str) -> None:
    """The sum that chose a sentence, and the one that says whether the passages say."""
    st.caption(_("**Why this sentence**: the components of its score {x}", x=f"{scored.score:.3f}"))
    charts.draw(rank_charts.addends(scored.why, colour), p.key("scored"))
    signed = " ".join(f"{'−' if c.value < 0 else '+'} {abs(c.value):.3f} {say(c.source)}" for c in extracted.evidence)
    parts = signed.removeprefix("+ ")
    values = {"parts": parts, "x": f"{extracted.reached:.3f}", "limit": f"{extracted.limit:.2f}"}
    if extracted.says:
        st.caption(_("**Do the passages answer it?** {parts} = {x}, not below {limit}: yes.", **values))
    else:
        st.caption(_("**Do the passages answer it?** {parts} = {x}, below {limit}: no.", **values))


NEAREST = 3
"""Number of passages that are offered instead of an answer."""


def ask_back(p: Page, extracted: Extracted) -> None:
    """What would help if the passages do not answer: a narrower question on one of the nearest passages."""
    nearest = list({s.place.passage: s for s in reversed(extracted.nearest)}.items())[::-1]
    nearest = sorted(nearest, key=lambda item: -item[1].score)[:NEAREST]
    if not nearest:
        return
    term = defined(extracted.query.text)
    help_ = (
        _(
            "What do you want to know about “{term}”? The passages can answer questions about it, and a passage with "
            "the sentence “{term} is …” would answer the question.",
            term=plain(term, 60),
        )
        if term and any(fold(term) in fold(d.content) for d in extracted.passages)
        else _("Which of these did you mean? A question in the words of a passage finds its sentence.")
    )
    st.markdown(help_)
    for at, sentence in nearest:
        document = extracted.passages[at]
        st.markdown(
            _(
                "**{title}**: {sentence} (score {x})",
                title=plain(document.label, 60),
                sentence=plain(sentence.text, 160),
                x=f"{sentence.score:.2f}",
            )
        )
        if question := next(iter(own_questions(document)), ""):
            st.button(
                plain(question, 100),
                key=p.key(f"instead.{at}"),
                icon=":material/subdirectory_arrow_right:",
                type="tertiary",
                help=_("A question that this passage answers."),
                on_click=address.put,
                args=(address.QUESTION, question),
            )


def own_questions(document: Document) -> list[str]:
    """Returns the questions that a passage answers by its own metadata; none if it has no such field."""
    questions = document.metadata.get("questions")
    texts = questions if isinstance(questions, (list, tuple)) else [questions]
    return [text for text in texts if isinstance(text, str) and 0 < len(text.strip()) <= address.LONGEST_QUESTION]


def opened(p: Page, document: Document, place: Place) -> None:
    """A passage with one sentence of it marked and in sight."""
    before = len(document.content) - len(document.text)
    span = [(place.start - before, place.end - before)] if place.start >= before and place.end > place.start else []
    text = show.segments(document.text, span, "here")
    components.passage({"title": document.label, "facts": document.id, "text": text}, key=p.key("passage"))


def _sum(look: Looked, i: int, passage: int, key: str) -> None:
    """How near a passage is by a rule, as the sum that it is, and what the threshold says."""
    cited, near = look.cited[i], look.near[i][passage]
    parts = " + ".join(f"{part.weight:.2g} × {part.value:.3f} {say(part.name)}" for part in near.parts)
    values = {"n": passage + 1, "x": f"{near.similarity:.3f}", "parts": parts, "limit": f"{cited.threshold:.3f}"}
    st.caption(f"**{plain(technique_name(type(look.rule)))}**")
    if any(s.place.passage == passage for s in cited.sources):
        st.markdown(_("[{n}]: {parts} = **{x}**, cited (threshold {limit}).", **values))
    elif cited.sources:
        st.markdown(_("[{n}]: {parts} = **{x}**, not cited: another passage is more similar.", **values))
    elif cited.nearest is not None and cited.nearest.place.passage == passage:
        st.markdown(_("[{n}], the most similar: {parts} = **{x}**, below the threshold {limit}: not cited.", **values))
    else:
        st.markdown(_("[{n}]: {parts} = **{x}**, not cited: the most similar passage is not cited, either.", **values))
    why = [Contribution(part.name, part.addend) for part in near.parts]
    charts.draw(rank_charts.addends(why, palette.named("fused")), key)


# ---------------------------------------------------------------------------------------------- the two rules


def rules(p: Page, answer: Answered, every: Sequence[Looked]) -> None:
    """Which sentence cites which passage, and how near every other one is, by either rule."""
    for look, side in zip(every, st.columns(len(every), gap="large"), strict=True):
        with side:
            st.caption(f"**{plain(technique_name(type(look.rule)))}** · {plain(say(look.rule.about))}")
            charts.draw(table(look, len(answer.passages)), p.key(f"rule.{look.rule.key}"))
            st.caption(_summary(answer, look.cited))


def table(look: Looked, passages: int) -> Figure:
    """Draws a table of similarities, sentences by passages; a dot marks a cited passage."""
    values, texts = [], []
    for cited, near in zip(look.cited, look.near, strict=True):
        cited_passages = {s.place.passage for s in cited.sources}
        similarities = [0.0 if cited.alone or i not in near else near[i].similarity for i in range(passages)]
        values.append([max(0.0, x) for x in similarities])
        texts.append(
            ["–" if cited.alone else "● " * (i in cited_passages) + _short(x) for i, x in enumerate(similarities)]
        )
    rows = [_("sentence {n}", n=i) for i in range(1, len(look.cited) + 1)]
    columns = [f"[{i}]" for i in range(1, passages + 1)]
    drawn = charts.table_map(values, rows, columns, palette.named("fused"), texts=texts, zmax=2.0)
    layout = drawn["layout"]  # the heads need room where there are few rows
    return drawn | {"layout": layout | {"height": layout["height"] + 12, "margin": layout["margin"] | {"t": 38}}}


def _short(x: float) -> str:
    return f"{x:.2f}".replace("0.", ".", 1)


def _summary(answer: Answered, cited: Sequence[Cited]) -> str:
    """What a rule did with an answer, in a sentence; where sentences were copied, whether it found from where."""
    bare = [c for c in cited if not c.alone]
    without = sum(not c.sources for c in bare)
    summary = _("Sentences with a source: {n} of {total}.", n=len(bare) - without, total=len(bare))
    if answer.copied:
        right = sum(
            any(s.place.passage == place.passage for s in c.sources)
            for c, place in zip(cited, answer.copied, strict=True)
            if not c.alone
        )
        copied = _("Each sentence was copied from a passage; exactly that passage is cited for {n}.", n=right)
        summary = listed((summary, copied), " ")
    limit = {f"{c.threshold:.3g}" for c in bare}
    threshold = _("Threshold {limit}.", limit=sorted(limit)) if limit else ""
    return "● " + listed(filter(None, (summary, threshold)), " ")


# ------------------------------------------------------------------------------------------------ the context


def context(p: Page, results: Sequence[Made], column: Column, at: str, doc: str) -> None:
    """Draws the passages sent, in order and as long as their tokens, and the omitted ones with the reason.

    A click opens a passage beside the sentence that is chosen (``at``) of an answer.
    """
    numbers, several = {d.id: i for i, d in enumerate(column.answered.passages)}, len(results) > 1
    for result in results:
        name = f"**{plain(result.version.name)}** · " if several else ""
        head = st.container(horizontal=True, vertical_alignment="center")
        head.caption(
            name
            + _(
                "Passages: {n}, tokens: about {tokens} of {budget} (an estimate).",
                n=len(result.sent.passages),
                tokens=sum(result.sent.tokens),
                budget=result.sent.budget,
            ),
            width="content",
        )
        if ask := trust.ask(p):
            of = result.version.name if several else _("passages")
            key = p.key(f"trust.{result.version.letter}")
            head.button("?", key=key, help=ask.label, type="tertiary", on_click=ask.on_ask, args=(of,))
        drawn = strip(result.sent, p.frame.corpus, doc)
        clicked = charts.clicked(charts.clickable(drawn, p.key(f"context.{result.version.letter}")))
        last = p.key(f"clicked.{result.version.letter}")
        if clicked != st.session_state.get(last):  # a click stays selected in the picture: it counts once
            st.session_state[last] = clicked
            if clicked in numbers:
                address.put(p.key("at"), f"{at}/{numbers[clicked]}")
                st.rerun()
        titles = (f"**{i}** {plain(d.label, 34)}" for i, d in enumerate(result.sent.passages, 1))
        st.caption(" · ".join(titles))
    left = [drop for result in results for round_ in result.rounds for drop in round_.context.dropped]
    sent_ids = {d.id for result in results for d in result.sent.passages}
    cut = list({d.document.id: d for d in left if d.document.id not in sent_ids}.values())
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
    x = {"range": [0, max(start, sent.budget) * 1.02], "tickfont": charts.font(12, palette.mute())}
    more: Part = {"y": {"visible": False}, "barmode": "overlay", "shapes": shapes, "bargap": 0.1}
    return charts.figure(86, data, {"t": 4, "b": 24}, x=x, **more)


# ------------------------------------------------------------------------------------------------- the rounds


def rounds(p: Page, results: Sequence[Made]) -> None:
    """Draws each search round: its queries, its results, their effect, and why the search stopped."""
    for result in results:
        if len(results) > 1:
            st.markdown(f"**{plain(result.version.name)}**")
        for n, round_ in enumerate(result.rounds, 1):
            _round(p, n, round_, result.rounds[n - 2] if n > 1 else None)


def _round(p: Page, n: int, round_: Round, before: Round | None) -> None:
    authors = {"question": _("the question"), "rule": _("by the rule"), "model": _("by the model")}[round_.by]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":violet-badge[{n}] **{plain(round_.query.text, 120)}** · {authors}")
        if round_.problem is not None:
            st.caption(
                _(
                    "The model did not report what is missing, so the rule decided. {error}",
                    error=plain(say(round_.problem.message)),
                )
            )
        if before is not None:
            titles = [f"“{plain(d.label, 40)}”" for d in round_.new]
            st.caption(
                _("New in the context: {titles}", titles=titles) if round_.new else _("New in the context: nothing")
            )
        st.caption(_change(round_, before))
        if round_.stopped:
            st.caption(f":material/stop_circle: {plain(say(round_.stopped))}")
        elif round_.answer.missing:
            words = [plain(word, 30) for word in round_.answer.missing]
            st.caption(_("Not covered by the answer: {words}", words=words))


def _change(round_: Round, before: Round | None) -> str:
    now = round_.answer
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
    """Returns the model's answer method with the visitor's prompt; an empty one means the usual prompt."""
    key = address.keep(p.key("template"), "", address.text(8000))
    return ModelAnswer(template=str(st.session_state[key]))


def prompt(p: Page, model_answer: ModelAnswer, question: str, requests: Sequence[tuple[Made, Request]]) -> None:
    """The prompt whole, with its size and cost, and the text that makes it."""
    prices = getattr(getattr(p.models_now.get("chat"), "heart", None), "prices", None)
    for result, request in requests:
        cost = request.cost(prices)
        label = _n("about {n} token", "about {n} tokens", request.tokens) + (
            f" · {cost:.5f}" if cost is not None else ""
        )
        st.caption(f"{plain(result.version.name)} · {label}" if len(requests) > 1 else label)
        st.code(request.text, language=None, wrap_lines=True, height=360)
    key, usual = p.key("own"), model_answer.prompt(language_of(question))

    def typed() -> None:
        text = str(st.session_state[key])
        lab = ModelAnswer().prompt(language_of(question))
        address.put(p.key("template"), "" if text.strip() == lab.strip() else text)

    _ready(p, model_answer, language_of(question))
    address.hold(key, usual.strip())
    field = ModelAnswer.__dataclass_fields__["template"].metadata
    help = prompts.help_of(say(field["help"]), field).replace("{", "\\{")
    st.text_area(_("Edit the prompt"), key=key, height=220, max_chars=8000, help=help, on_change=typed)
    prompts.warn(usual, field)
    for result, _request in requests:
        empty = [f"{say(MEANINGS[name])} ({{{name}}})" for name in unfilled(usual, result.searched.values())]
        if empty:
            names = escape.plain(listed(empty, "; "))
            st.caption(_("This search has nothing for: {names}. The prompt says “–” there.", names=names))


def _ready(p: Page, model_answer: ModelAnswer, others_prompt: str) -> None:
    """A choice of ready prompts, which takes the one that is chosen in the language of the question."""
    templates = {name: preset.template[others_prompt] for name, preset in presets().items()}
    titles = {name: preset.title[language()] for name, preset in presets().items()}
    names, key = {"": _("The lab's prompt"), **titles, "own": _("Your own prompt")}, p.key("preset")
    usual = "own" if model_answer.template else ""
    now = next((name for name, text in templates.items() if text == model_answer.template.strip()), usual)

    def take() -> None:
        name = str(st.session_state[key])
        if name != "own":
            address.put(p.key("template"), templates.get(name, ""))

    address.hold(key, now)
    help_text = _("Prompts that tell the model what the search did: its rewrites, the route, the conversation.")
    options = [name for name in names if name != "own" or now == "own"]
    st.selectbox(_("Ready prompts"), options, key=key, on_change=take, format_func=names.__getitem__, help=help_text)


def model(p: Page, requests: Sequence[tuple[Made, Request]]) -> None:
    """A button per version that asks the visitor's model; while it writes, its words as they come."""
    own = p.models_now.get("chat")
    if own is None:
        return
    for result, request in requests:
        letter = result.version.letter
        writing = streaming.written(request.text, own)
        if writing is not None and not writing.over.is_set():
            streaming.watch(writing, p.key(f"model.{letter}"))
            continue
        row = st.container(horizontal=True, vertical_alignment="center")
        name = plain(say(own.label), 40) + (f" · {plain(result.version.name, 30)}" if len(requests) > 1 else "")
        again = writing is not None
        label = _("Ask {model} again", model=name) if again else _("Answer with {model}", model=name)
        row.button(
            label,
            key=p.key(f"ask.{letter}"),
            icon=":material/smart_toy:",
            on_click=streaming.ask,
            args=(request.text, own),
            disabled=not result.sent.passages,
        )
        prices = getattr(getattr(own, "heart", None), "prices", None)
        cost = request.cost(prices)
        message = _n("about {n} token is sent", "about {n} tokens are sent", request.tokens) + (
            f", {cost:.5f}" if cost is not None else ""
        )
        row.caption(message)
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
            new_grade = None if on else grade
            row.button(
                label,
                key=p.key(f"{icon}.{column.key}"),
                icon=f":material/{icon}:",
                type="primary" if on else "secondary",
                on_click=_graded,
                args=(question, used, new_grade),
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
        answer = column.answered
        files = {
            "Markdown": (answer.to_markdown() if answer.says else f"{say(answer.reason)}\n", "md", "text/markdown"),
            "JSON": (escape.as_json(answer.to_dict()), "json", "application/json"),
        }
        for kind, (make, end, mime) in files.items():
            components.download(row, kind + name, make, f"{stem}{tail}.{end}", mime, key=p.key(f"{end}.{column.key}"))
    for result, request in requests:
        label = _("Prompt") + (f" · {plain(result.version.name, 30)}" if len(requests) > 1 else "")
        file = f"{stem}-prompt-{result.version.letter}.txt"
        key = p.key(f"prompt.{result.version.letter}")
        components.download(row, label, request.text, file, "text/plain", key=key)
