"""Parts of the answer page: the versions to compare, the drawing of an answer, and the sources of its sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import streamlit as st

from lab.algebra import Env, Operator, Query, Searcher, Turn
from lab.answer.again import AskAgain, Round, sent
from lab.answer.answered import Answered, extractive, from_model
from lab.answer.citations import BestSentence, CitationRule, RAGFlowCitations
from lab.answer.context import ORDERS, Context, Sent
from lab.answer.extract import Extracted, Extractive
from lab.answer.faithfulness import LEVELS, Faithfulness
from lab.answer.model import Request
from lab.answer.searched import Searched
from lab.models.memory import NotAsked
from lab.ui import address, components, navigation, palette
from lab.ui.i18n import _, _n, listed, say
from lab.ui.layout import knobs, stages, talk
from lab.ui.layout.page import Page, technique_name
from lab.ui.models import language_model
from lab.ui.study import evaluating
from pages.whole.answer import streaming

O = TypeVar("O", bound=Operator)  # noqa: E741 - the O of Operator
RULES: Sequence[type[CitationRule]] = (BestSentence, RAGFlowCitations)
"""What cites, side by side; the knobs of the page are those of the one that is chosen."""
OWN = 4000
"""So many characters of a text of one's own are looked at: a link holds it."""
LONGEST = 20_000
"""So many characters of a model's answer are drawn and looked at."""


@dataclass(frozen=True)
class Version:
    """One of the answers to compare: a search and a context, with a letter and a name."""

    letter: str
    name: str
    search: Searcher
    context: Context


@dataclass(frozen=True)
class Made:
    """What a version has found: its rounds, the last of which holds the context and the answer."""

    version: Version
    rounds: tuple[Round, ...]

    @property
    def last(self) -> Round:
        return self.rounds[-1]

    @property
    def sent(self) -> Sent:
        """The passages of all rounds, as they are sent."""
        return sent(self.rounds)

    @property
    def searched(self) -> Searched:
        """What the search did with the question itself, which is the first round."""
        return Searched.of(self.rounds[0].found)


# ------------------------------------------------------------------------------------------------- the knobs


@dataclass(frozen=True)
class SideBySide:
    """A comparison: a search, and beside it another search or another order of the context."""

    name: str
    search: Searcher
    other: tuple[str, Searcher] | None = None
    order: str = ""

    def versions(self, context: Context) -> list[Version]:
        first = Version("a", _ordered(context.order) if self.order else self.name, self.search, context)
        if self.other is not None:
            return [first, Version("b", *self.other, context)]
        if self.order:
            return [first, Version("b", _ordered(self.order), self.search, replace(context, order=self.order))]
        return [first]


def beside(p: Page) -> tuple[SideBySide, bool]:
    """The widgets that say what is put side by side, and whether the search asks again."""
    known = {k: (n, s) for k, (n, s) in evaluating.offered(p).items() if isinstance(s, Searcher)}
    titles = {key: name for key, (name, _search) in known.items()}
    row = st.columns([2, 1.7, 2, 1.4], vertical_alignment="bottom")
    with row[0]:
        name, search = known[p.pick("search", _("Passages found by"), titles, "best", format_func=titles.__getitem__)]
    names = {"none": _("one answer only"), "search": _("another search"), "order": _("another order")}
    with row[1]:
        by = p.pick("beside", _("Compare with an answer by"), names, "none", format_func=names.__getitem__)
    again = p.switch("again", _("Ask again"), help=say(AskAgain.about), into=row[3])
    with row[2]:
        if by == "search":
            key = p.pick("other", _("The other search"), titles, "bm25", format_func=titles.__getitem__)
            return SideBySide(name, search, known[key]), again
        if by == "order":
            orders = {order: _ordered(order) for order in ORDERS}
            return SideBySide(
                name,
                search,
                order=p.pick("order", _("The other order"), orders, "long-context", format_func=orders.__getitem__),
            ), again
    return SideBySide(name, search), again


def _ordered(order: str) -> str:
    return say(ORDERS[order])


def every(p: Page, start: O) -> O:
    """All knobs of an operator, two in a row, the rare ones as well."""
    st.caption(f"**{technique_name(type(start))}**")
    fields = dataclasses.fields(cast(Any, start))
    return p.knobs(start, *(f.name for f in fields if f.metadata["kind"] in knobs.COMMON), into=stages.rows(2))


def again(p: Page, wanted: bool) -> AskAgain:
    """Returns how often to search: once, or until nothing is missing; the visitor's model, if any, writes queries."""
    if not wanted:
        return AskAgain(rounds=1)
    own = p.knobs(AskAgain(), "rounds", into=[st.columns([1, 5])[0]])
    return replace(own, model="chat") if p.models.get("chat") else own


def field(p: Page) -> None:
    """The field for a text of the visitor's own."""
    key = address.keep(p.key("text"), "", address.text(OWN))
    with p.fold("own", _("Check your own text"), ":material/fact_check:", opened=bool(st.session_state[key])):
        told = _(
            "An answer by any model, or your own: which passage supports which sentence, and which sentence has "
            "no support?"
        )
        st.text_area(
            _("Check your own text"), key=key, placeholder=told, label_visibility="collapsed", max_chars=OWN, height=100
        )


def after_turns(p: Page, query: Query) -> Query:
    """The query after the earlier turns that the visitor has given, and the field for them."""
    key = address.keep(p.key("turns"), "", address.text(OWN))
    with p.fold("turns", _("Earlier turns"), ":material/forum:", opened=bool(st.session_state[key])):
        if before := "\n".join(talk.earlier(query.text))[:OWN]:
            st.button(
                _("Take the turns of “{page}”", page=navigation.title("dialogue")),
                key=p.key("turns.take"),
                icon=":material/forum:",
                on_click=address.put,
                args=(key, before),
            )
        st.text_area(
            _("Earlier turns"),
            key=key,
            placeholder=_("One question per line, the earliest first. “{history}” in a prompt stands for them."),
            help=_("Searches that read a conversation use them, too."),
            label_visibility="collapsed",
            max_chars=OWN,
            height=100,
        )
    turns = tuple(Turn(" ".join(line.split())) for line in str(st.session_state[key]).splitlines() if line.strip())
    return replace(query, turns=turns) if turns else query


def checked(p: Page) -> Faithfulness:
    """How the strip is made: by the rule, or, where the visitor wants it, by their model."""
    wanted = bool(p.models.get("chat")) and p.switch("checked", _("The model checks every sentence"))
    return Faithfulness(model="chat") if wanted else Faithfulness()


def made(p: Page, versions: Sequence[Version], query: Query, extract: Extractive, again: AskAgain) -> list[Made]:
    """Every version's rounds.  Ends the page where the visitor has stopped it."""

    def make() -> list[Made]:
        return [Made(v, again(p.runner, v.search, query, context=v.context, extract=extract)) for v in versions]

    about = (tuple(versions), query, extract, again)
    out = p.work("answer", _("Searching and reading …"), make, about=about)
    if out is None:
        p.stop()
    return out


# --------------------------------------------------------------------------------------------- on the screen


@dataclass(frozen=True)
class Column:
    """An answer to draw, with its key, title and colour, a line of facts, and a banner."""

    key: str
    answered: Answered
    title: str
    colour: str
    told: Extracted | None = None
    meta: str = ""
    banner: str = ""


def of_passages(p: Page, one: Made, rule: CitationRule, several: bool) -> Column:
    """The extractive answer of a version."""
    answered = extractive(one.last.answer, one.sent.passages, rule, p.frame.corpus, _env(p))
    title = _("Sentences of the passages")
    title = f"{title} · {one.version.name}" if several else title
    banner = ""
    if not answered.says:
        nearest = _("The nearest sentence, which does not answer the question:") if answered.sentences else ""
        banner = listed(filter(None, (answered.reason, nearest)), " ")
    told = {"n": len(one.sent.passages), "tokens": sum(one.sent.tokens)}
    meta = _("passages: {n}, tokens: about {tokens}", **told)
    colour = palette.named("refined")
    colour = palette.shade(colour, int(one.version.letter == "b"))
    return Column(one.version.letter, answered, title, colour, one.last.answer, meta, banner)


def by_model(
    p: Page, one: Made, rule: CitationRule, rate: Faithfulness, request: Request, model: Any, several: bool
) -> Column | None:
    """What the visitor's model has written for a version; None where it was not asked, or is still writing."""
    writing = streaming.written(request.text, model)
    if writing is None or not writing.over.is_set() or not writing.said:
        return None
    title = say(model.label) + (f" · {one.version.name}" if several else "")
    said = writing.said
    answered = _with_sources(p, one, rule, rate, said[:LONGEST], model.label)
    done = writing.completion
    meta = language_model.usage(done) if done is not None else ""
    banner = ""
    if writing.error is not None:
        banner = _("The answer is incomplete. {error}", error=say(writing.error.message))
    elif done is not None and done.broken:
        banner = _("The answer is incomplete: it broke off. Ask again for the complete answer.")
    elif done is not None and not done.complete:
        banner = _("The answer was truncated at the maximum length.")
    elif len(said) > LONGEST:
        banner = _n(
            "The answer has {n:,} character: its first {shown:,} are shown.",
            "The answer has {n:,} characters: its first {shown:,} are shown.",
            len(said),
            shown=LONGEST,
        )
    elif not answered.says:
        banner = _("The model finds no answer in these passages.")
    banner = banner or _unchecked(answered)
    colour = palette.shade(palette.named("fused"), int(one.version.letter == "b"))
    return Column(one.version.letter + "m", answered, title, colour, None, meta, banner)


def _with_sources(p: Page, one: Made, rule: CitationRule, rate: Faithfulness, text: str, by: str) -> Answered:
    """A text that was written by somebody, sentence by sentence beside the passages of a version."""
    question, passages = one.rounds[0].query.text, one.sent.passages
    return from_model(text, question, passages, rule, p.frame.corpus, by=by, rate=rate, env=_env(p))


def own_text(p: Page, one: Made, rule: CitationRule, rate: Faithfulness) -> Column | None:
    """A text of the visitor's own (an answer that some model has given them), held against the same passages."""
    text = str(st.session_state.get(p.key("text"), "")).strip()
    if not text:
        return None
    name = _("Your own text")
    answered = _with_sources(p, one, rule, rate, text, name)
    answered = replace(answered, says=True, reason="")  # the visitor's text is always checked, even if it abstains
    return Column("t", answered, name, palette.named("vector"), banner=_unchecked(answered))


def _unchecked(answered: Answered) -> str:
    """Why the strip is the rule's though a model was asked."""
    problem = answered.strip.problem
    if problem is None or isinstance(problem, NotAsked):
        return ""
    return _("The model did not check this: the marks are the rule's. {error}", error=say(problem.message))


def columns(
    p: Page, made: Sequence[Made], rule: CitationRule, rate: Faithfulness, requests: Sequence[tuple[Made, Request]]
) -> list[Column]:
    """Everything that is drawn: of every version its sentences and, where it has written, the model's answer."""
    model, several, out = p.models_now.get("chat"), len(made) > 1, list[Column]()
    for one, request in requests:
        out.append(of_passages(p, one, rule, several))
        if model is not None and (own := by_model(p, one, rule, rate, request, model, several)):
            out.append(own)
    if own := own_text(p, made[0], rule, rate):
        out.append(own)
    return out


def _env(p: Page) -> Env:
    return Env(p.models, True, p.runner.progress)


def looked_at(p: Page, columns: Sequence[Column]) -> tuple[Column, int, int | None]:
    """Returns the selected answer, the index of its selected sentence, and the index of the passage or None."""
    key = address.keep(p.key("at"), "", address.text(40))
    parts = str(st.session_state[key]).split("/")
    column = next((c for c in columns if c.key == parts[0]), columns[0])
    numbers = [int(x) for x in parts[1:] if x.isascii() and x.isdecimal()]
    if column.key != parts[0] or not numbers or numbers[0] >= len(column.answered.sentences):
        numbers = [column.answered.best or 0]
    passage = numbers[1] if len(numbers) > 1 and numbers[1] < len(column.answered.passages) else None
    return column, numbers[0], passage


def draw(p: Page, columns: Sequence[Column], at: str) -> None:
    corpus = p.frame.corpus
    told = [
        {
            "title": c.title,
            "meta": c.meta,
            "color": c.colour,
            "banner": c.banner,
            "pale": not c.answered.says,
            "strip": c.answered.says,
            "sentences": [_sentence(c, i, corpus) for i in range(len(c.answered.sentences))],
        }
        for c in columns
    ]
    legend = [[sign, name, say(LEVELS[level])] for level, (name, sign) in _SIGNS.items() if level != "alone"]
    words = {"strip": _("How well each sentence is supported"), "legend": legend}
    components.answers(
        {"answers": told, "at": at, "words": words},
        key=p.key("answers"),
        picked=lambda at: address.put(p.key("at"), at),
    )


_SIGNS = {
    "supported": ("held", "✓"),
    "partly": ("weak", "≈"),
    "unread": ("left", "?"),
    "unsupported": ("none", "✕"),
    "alone": ("left", "·"),
}
"""How a level is drawn, and the sign that says it without colour."""


def _sentence(c: Column, i: int, corpus: Any) -> dict[str, Any]:
    own, at = c.answered, f"{c.key}/{i}"
    name, sign = _SIGNS[own.cells[i].level]
    sources, cited = [], {s.place.passage: s for s in own.cited[i].sources}
    for place in own.sources(i):
        document = own.passages[place.passage]
        told = _("Source {n}: {title}", n=place.passage + 1, title=document.label)
        near = cited.get(place.passage)
        told += " · " + (
            _("similarity {x}", x=f"{near.similarity:.2f}") if near else _("copied from this passage, not cited")
        )
        sources.append(
            {
                "n": place.passage + 1,
                "at": f"{at}/{place.passage}",
                "title": told,
                "color": palette.document(corpus, document.id),
                "kind": "" if near else "missed",
            }
        )
    lone = "" if sources or own.cited[i].alone else _("no source")
    return {
        "at": at,
        "text": _flagged(own, i),
        "block": "\n" in own.sentences[i],
        "best": _("best") if i == own.best and len(own.sentences) > 1 else "",
        "state": name,
        "sign": sign,
        "support": round(own.cells[i].support or 0.0, 3),
        "size": len(own.sentences[i]),
        "told": _("Sentence {n}: {told}", n=i + 1, told=told_of(own, i)),
        "sources": sources,
        "note": lone,
    }


def _flagged(own: Answered, i: int) -> list[list[Any]]:
    """A sentence with the numbers, dates and names in it that no source has, or that were not checked."""
    text, out, end = own.sentences[i], list[list[Any]](), 0
    for flag in sorted([*own.cells[i].flags, *own.cells[i].unread], key=lambda f: f.found.start):
        if flag.found.start >= end:
            out += [[text[end : flag.found.start], None]]
            out += [[text[flag.found.start : flag.found.end], "flag", say(flag.told)]]
            end = flag.found.end
    out.append([text[end:], None])
    return [piece for piece in out if piece[0]]


def told_of(own: Answered, i: int) -> str:
    """Returns why a sentence counts as supported or not, and which of its details no source contains."""
    cell = own.cells[i]
    return listed([cell.reason, *(flag.told for flag in (*cell.flags, *cell.unread))], " ")
