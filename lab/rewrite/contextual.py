"""Rewrites a turn of a conversation as a question that is complete without it.

Turns are put into plain words first (`lab.rewrite.plain`).  The rule remembers: the content words of the user's earlier
turns are asked as well, each once, the less the longer ago they were said.  What a turn is for (`lab.rewrite.turns`)
says which of them, and whether one question is asked or one for each object of a comparison.  The other rule is HQE.  A
model writes one to four questions that are complete without the conversation; if it gives no readable answer, the
rule's questions are used.

Sources: J. Dalton et al., *TREC CAsT 2019: The Conversational Assistance Track Overview*, 2020 (the task); S.-C. Lin et
al., *Multi-Stage Conversational Passage Retrieval*, TOIS 2021 (HQE).  The decay is exponential.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, takewhile
from typing import Literal, NamedTuple

from lab.algebra import (
    ALONE,
    Corpus,
    Env,
    Fusion,
    Index,
    Query,
    QueryVariant,
    Ranking,
    Rewrite,
    Rewriter,
    Searcher,
    Top,
    Turn,
    knob,
)
from lab.fuse import RRF
from lab.kept import Kept
from lab.models import chat
from lab.models.answers import Unreadable, items, json_object, sameness
from lab.models.chat import Shape
from lab.models.consult import Reading, Request
from lab.models.lines import clean, says
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.retrieve.lexical import BM25
from lab.rewrite.objects import kept
from lab.rewrite.plain import in_plain_words
from lab.rewrite.sub_questions import several_questions
from lab.rewrite.turn_words import LONGEST, frames, is_content
from lab.rewrite.turns import KINDS, Meant, changed_at, chosen_at, earlier, meant, named_objects, replaced_at
from lab.text import ANALYZER, Analyzer, language_of, whole_words
from lab.text.quantities.dates import reference_date
from lab.words import Said, joined

MOST, FAR = 4, 20
"""A model gives so many questions at most; it reads so many turns."""
OF_EACH = RRF(k=15)
"""Merges the lists of n objects or questions; the first of each counts n times more, so that nothing is before it."""
TURNS = 100
"""So many turns are remembered."""
LEAST = 1e-9
"""A word that weighs less is forgotten."""
PEAKS, TEXTS = 5000, 500
"""The best scores of so many words, and the content words of so many turns, are kept with their corpus."""
Content = Callable[[str], Sequence[tuple[str, str]]]
"""(term, as it is written) of the words of a text that are about something."""


class Part(NamedTuple):
    """Some words of a query and their weight; ``turn`` is the place of the turn that they come from.

    None is the turn that is asked now, -1 a passage that was shown.
    """

    text: str
    weight: float
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The purpose of a turn, and the weighted parts of each query to search."""

    purpose: Meant
    parts: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True)
class Contextual(Prompted, Rewriter):
    r"""Adds words of the earlier turns (`Query.turns`) to the question.

    By decay, a content word that was said ``age`` turns ago, and not since, weighs ``decay ** age``; the words of the
    turn itself weigh 1.  HQE selects a word w of an earlier turn by R(w), the BM25 score of the best passage for w
    alone: it is a topic if R(w) > ``topic``.  If the turn is unclear (its own best score is below ``clear``), words of
    the ``window`` turns before it with R(w) > ``subtopic`` are added.  All weigh 1.

    The ``words`` heaviest are taken at most, so a long conversation costs no more than a short one.
    """

    label = Said("Conversation")
    about = Said("Adds words of earlier turns to the question, so that “it” and “there” are understood.")
    role = "dialogue"
    keeps_original = False
    merged_by = RRF()

    template: str = TEMPLATE(
        help=Said("{history} and {question} are filled in. Empty: the prompt of the lab."),
        needs=("history", "question"),
    )
    rule_of: str = knob(
        "decay",
        choices={"decay": Said("fading words"), "hqe": Said("HQE")},
        label=Said("Earlier words"),
        help=Said(
            "Words of earlier turns that are added: all, each turn with less weight, or (HQE) only those that "
            "search well."
        ),
        kw_only=True,
    )
    decay: float = knob(
        0.7,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Memory"),
        help=Said("Weight of a word one turn later; after two turns it is squared. 0: nothing is remembered."),
        kw_only=True,
    )
    words: int = knob(
        30,
        low=1,
        high=200,
        label=Said("Remembered words"),
        help=Said("Maximum number of words kept, the heaviest first."),
        rare=True,
        kw_only=True,
    )
    topic: float = knob(
        4.5,
        low=0.0,
        high=50.0,
        step=0.5,
        label=Said("Topic"),
        help=Said("HQE: words whose best BM25 score is above this are added to every later turn."),
        rare=True,
        kw_only=True,
    )
    subtopic: float = knob(
        2.5,
        low=0.0,
        high=50.0,
        step=0.5,
        label=Said("Subtopic"),
        help=Said("HQE: in an unclear turn, words of the last turns scoring above this are added."),
        rare=True,
        kw_only=True,
    )
    clear: float = knob(
        12.0,
        low=0.0,
        high=100.0,
        step=0.5,
        label=Said("Clear"),
        help=Said("HQE: a turn is unclear if its own best BM25 score is below this."),
        rare=True,
        kw_only=True,
    )
    window: int = knob(
        5,
        low=1,
        high=50,
        label=Said("Window"),
        help=Said("HQE: number of earlier turns that subtopics are taken from."),
        rare=True,
        kw_only=True,
    )
    intent: str = knob(
        "",
        choices={"": Said("by the rules"), **KINDS},
        label=Said("Kind of turn"),
        help=Said("Decided by rules, or set by hand: how the earlier turns are used."),
        rare=True,
        kw_only=True,
    )
    as_of: str = knob(
        "",
        kind="date",
        label=Said("Date of the conversation"),
        help=Said("What “last year” counts from. Empty: such a time is searched unchanged."),
        rare=True,
        kw_only=True,
    )
    learns_from: Searcher = knob(
        BM25(),
        kind="spec",
        label=Said("Search to learn from"),
        help=Said("HQE: the search whose best scores show how well a word searches."),
        kw_only=True,
    )
    analyzer: Analyzer = ANALYZER(kw_only=True)

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        start = time.perf_counter()
        plain, remarks = in_plain_words(query, reference_date(self.as_of))
        analysis = self._by_rule(plain, corpus, env)
        if plain.text != query.text and not analysis.parts:
            analysis = replace(analysis, parts=((Part(plain.text, 1.0),),))
        why = joined([analysis.purpose.why, *remarks], " ") if remarks else analysis.purpose.why
        analysis = replace(analysis, purpose=replace(analysis.purpose, why=why))
        variants = [_variant(analysis, parts) for parts in analysis.parts]
        by: Literal["rule", "model"] = "rule"
        reading = NOT_ASKED
        if self.model and earlier(query) and analysis.purpose.kind != "small-talk":
            reading = self.consult(env, Request(self.request(query), self.parse), SHAPE)
        if reading.value is not None:
            analysis, variants = self._by_model(query, corpus, *reading.value)
            by = "model"
        answers, problem = (reading.answer,) if reading.answer else (), reading.problem
        unchanged = Said("Searched unchanged. {why}", why=analysis.purpose.why) if not variants else ""
        seconds = time.perf_counter() - start
        return Rewrite(query, tuple(variants), self, by, answers, unchanged, problem, analysis, seconds=seconds)

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """Returns the list of a single query unchanged, or fuses the lists of several."""
        if len(lists) > 1:
            if rewrite.by == "rule" and by == self.merged_by:
                n = len(lists)
                by, lists = OF_EACH.weighted([1.0] * n + [float(n)] * n), [*lists, *map(_first, lists)]
            return by(lists, query=rewrite.original)
        return replace(lists[0], query=rewrite.original, parents=tuple(lists), dropped=())

    # ------------------------------------------------------------------------------------------- by rule

    def _by_rule(self, query: Query, corpus: Corpus, env: Env) -> Told:
        """Reads a turn; if it asks several questions, each of them, the later ones as if the earlier had been asked.

        A question that names nothing has the subject of those before it.
        """
        whole, questions = self._read(query, corpus, env), several_questions(query.text[:LONGEST], corpus)
        compared = whole.purpose.sides and all(side in query.text for side in whole.purpose.sides)
        if compared or whole.purpose.kind in ("choice", "small-talk") or not 1 < len(questions) <= MOST:
            return whole
        asked, readings, subject = query, list[Told](), ""
        for text, topic in questions:
            named = named_objects(text, corpus)
            added = subject or topic if topic or not named else ""
            readings.append(self._read(replace(asked, text=text), corpus, env, added, spoken=len(query.turns)))
            asked, subject = replace(asked, turns=(*asked.turns, Turn(text))), named or subject
        if readings[0].purpose.kind == "comparison":
            return whole
        reasons: list[str] = [Said("The turn asks several questions: each is searched separately.")]
        reasons += [reading.purpose.why for reading in readings if reading.purpose.gone or reading.purpose.sides]
        purpose = Meant(readings[0].purpose.kind, joined(reasons, " "))
        return Told(purpose, tuple(parts for reading in readings for parts in reading.parts))

    def _read(self, query: Query, corpus: Corpus, env: Env, added: str = "", *, spoken: int | None = None) -> Told:
        """Returns the purpose and the parts of each query; without queries, the turn is searched as it is.

        ``added`` is the subject of a question of several; the first ``spoken`` turns are those before its turn.
        """
        purpose = meant(query, corpus, intent=self.intent)
        if purpose.kind == "small-talk":
            return Told(purpose, ((),))
        turn_parts, content = [Part(query.text, 1.0)], self._content(corpus)
        dropped_terms = {term for text in purpose.gone for term, _ in content(text)}
        if dropped_terms:
            turn_parts = [Part(text, 1.0) for text in _without(query.text, purpose.gone)]
        chosen = corpus.get(purpose.chosen) if purpose.chosen else None
        if chosen is not None:
            turn_parts.append(Part(chosen.title or chosen.text[:LONGEST], 1.0, -1))
        turn_parts += [Part(added, 1.0)] if added else []
        known = dropped_terms | {term for part in turn_parts for term, _ in content(part.text)}
        history: list[Part] = []
        if purpose.kind not in ("opening", "change") and not (purpose.kind == "comparison" and not earlier(query)):
            history_words = self._remembered(query, known, content, corpus, spoken)
            history = (
                self._hqe(query, history_words, corpus, env) if self.rule_of == "hqe" else self._fading(history_words)
            )
        if purpose.sides:
            return Told(purpose, tuple(_side(query, purpose, i, history, content) for i in range(len(purpose.sides))))
        changed = history or len(turn_parts) > 1 or dropped_terms or spoken is not None
        return Told(purpose, ((*turn_parts, *history),) if changed else ())

    def _content(self, corpus: Corpus) -> Content:
        def terms(text: str) -> tuple[tuple[str, str], ...]:
            spans = frames(text)
            words = (token for token in self.analyzer.spans(text) if getattr(token, "kind", "word") == "word")
            every = ((token, text[token.start : token.end].lower()) for token in whole_words(words))
            return tuple((t.text, written) for t, written in every if is_content(written, t.start, spans))

        name = f"content by {self.analyzer}"
        return lambda text: kept(corpus, name, text[:LONGEST], partial(terms, text[:LONGEST]))

    def _remembered(
        self, query: Query, known: Collection[str], content: Content, corpus: Corpus, spoken: int | None
    ) -> Iterator[tuple[int, int, str]]:
        """Yields (turn, age, word) for each word of earlier turns, at its last use; words in ``known`` are skipped."""
        before = [i for i, _ in earlier(query) if i < (len(query.turns) if spoken is None else spoken)]
        ages = {i: age for age, i in enumerate(before, 1)}
        memory = (entry for entry in self._memory(query, content, corpus) if entry[0] in ages)
        return ((i, ages[i], word) for i, term, word in memory if term not in known and i >= len(query.turns) - TURNS)

    def _memory(self, query: Query, content: Content, corpus: Corpus) -> tuple[tuple[int, str, str], ...]:
        """Returns (turn, term, word) for what is remembered of a conversation, latest first: each turn is read once.

        A turn that chose a passage has words of its title, too.  Words that a later turn has replaced or corrected are
        left out, and so are all turns before a change of topic.
        """
        cache: Kept[tuple[tuple[int, str, str], ...]] = corpus.once(("memory", self.analyzer), lambda: Kept(TEXTS))
        turns = query.turns
        begin, memory = max(0, len(turns) - TURNS), tuple[tuple[int, str, str], ...]()
        for n in range(len(turns), begin, -1):
            if (cached := cache.get(turns[:n])) is not None:
                begin, memory = n, cached
                break
        for i in range(begin, len(turns)):
            if turns[i].role != "user" or not turns[i].text.strip():
                continue
            gone = {term for text in replaced_at(query, i, corpus) for term, _ in content(text)}
            new = {t: word for t, word in content(f"{chosen_at(query, i, corpus)} {turns[i].text}") if t not in gone}
            if changed_at(query, i, corpus):
                memory = ()
            old = (entry for entry in memory if entry[1] not in gone and entry[1] not in new)
            memory = (*((i, term, word) for term, word in new.items()), *old)
        cache.put(turns, memory)
        return memory

    def _fading(self, history_words: Iterable[tuple[int, int, str]]) -> list[Part]:
        weighed = (Part(word, self.decay**age, i) for i, age, word in history_words)
        return [*islice(takewhile(lambda part: part.weight > LEAST, weighed), self.words)]

    def _hqe(self, query: Query, history_words: Iterable[tuple[int, int, str]], corpus: Corpus, env: Env) -> list[Part]:
        peaks: Kept[float] = corpus.once(("peaks", self.learns_from), lambda: Kept(PEAKS))

        def best(text: str) -> float:
            return max((hit.score for hit in env.search(self.learns_from, corpus, text, 1).hits), default=0.0)

        def peak(text: str) -> float:
            return peaks.computed(text, partial(best, text))

        unclear, low = peak(query.text) < self.clear, min(self.topic, self.subtopic)
        kept_parts = (
            Part(word, 1.0, i)
            for i, age, word in history_words
            if peak(word) > (low if unclear and age <= self.window else self.topic)
        )
        return [*islice(kept_parts, self.words)]

    # ------------------------------------------------------------------------------------------ by model

    def request(self, query: Query) -> str:
        """Returns the prompt for the model: the turns, each with its role, and the question."""
        turns = [turn for turn in query.turns if turn.text.strip()][-FAR:]
        history = "\n".join(f"{turn.role}: {' '.join(turn.text[:LONGEST].split())}" for turn in turns)
        prompt = self.prompt(language_of(query.text))
        return fill(prompt, history=history, question=query.text[:LONGEST], kinds=", ".join(list(KINDS)[1:]))

    def parse(self, answer: str) -> tuple[str, tuple[str, ...]]:
        """Reads the kind of the turn and one to four questions from an answer.  Raises `Unreadable`.

        The visitor's own prompt may ask for lines instead of JSON: they have no kind.
        """
        if self.template and "{" not in answer:
            return "", items(answer, MOST, questions=True)
        answer_fields = json_object(answer)
        kind, queries = answer_fields.get("kind"), answer_fields.get("queries")
        if not isinstance(kind, str) or kind not in KINDS or not isinstance(queries, list):
            raise Unreadable(answer, Said("a kind of turn and a list of queries"))
        queries_by_key: dict[str, str] = {}
        for text in (
            clean(" ".join(x.split())) for x in queries[: 2 * MOST] if isinstance(x, str) and len(x) <= LONGEST
        ):
            if says(text):
                queries_by_key.setdefault(sameness(text), text)
        if not queries_by_key and kind != "small-talk":
            raise Unreadable(answer, Said("one to {n} queries", n=MOST))
        return kind, tuple(queries_by_key.values())[:MOST]

    def _by_model(
        self, query: Query, corpus: Corpus, kind: str, queries: Sequence[str]
    ) -> tuple[Told, list[QueryVariant]]:
        decided = self.intent or kind
        rule = meant(query, corpus, intent=decided)
        why = Said("The model decided this.") if kind and not self.intent else rule.why
        purpose = replace(rule, kind=decided or rule.kind, why=why, sides=())
        if purpose.kind == "small-talk":
            return Told(purpose, ((),)), [QueryVariant("", Said("nothing"), purpose.why)]
        parts = tuple((Part(text, 1.0),) for text in queries)
        return Told(purpose, parts), [
            QueryVariant(text, text if len(queries) > 1 else Said("a question of its own"), purpose.why)
            for text in queries
        ]


NOT_ASKED = Reading[tuple[str, tuple[str, ...]]](None)
SHAPE = Shape.of("turn", kind={"type": "string", "enum": [kind for kind in KINDS if kind]}, queries=chat.TEXTS)


def _variant(analysis: Told, parts: Sequence[Part]) -> QueryVariant:
    """Builds a query variant from the weighted parts of one query; one of several is called by what it asks."""
    text = " ".join(part.text for part in parts)
    kind = parts[0].text if len(analysis.parts) > 1 else Said("with its conversation")
    return QueryVariant(text, kind, analysis.purpose.why, weights=tuple((p.text, p.weight) for p in parts))


def _first(ranking: Ranking) -> Ranking:
    """Returns the first result of an object as a list of its own."""
    kind = Said("first for {object}", object=ranking.query.kind)
    return replace(Top(1)(ranking), query=replace(ranking.query, kind=kind))


def _side(query: Query, purpose: Meant, i: int, history: Sequence[Part], content: Content) -> tuple[Part, ...]:
    """Returns the query parts for one object of a comparison: the object, the rest of the turn, earlier words."""
    side_terms = {term for term, _ in content(purpose.sides[i])}
    other_terms = {t for j, side in enumerate(purpose.sides) if j != i for t, _ in content(side)} - side_terms
    rest = _without(query.text, purpose.sides)
    known = side_terms | {term for text in purpose.gone for term, _ in content(text)}
    words = dict.fromkeys(word for text in rest for term, word in content(text) if term not in known)
    history_parts = [part for part in history if not (other_terms | known) & {term for term, _ in content(part.text)}]
    return Part(purpose.sides[i], 1.0), *(Part(word, 1.0) for word in words), *history_parts


def _without(text: str, separators: Sequence[str]) -> list[str]:
    """Splits a text at all separators and returns the parts that are not empty."""
    left = [text]
    for separator in filter(None, separators):
        left = [part for whole in left for part in whole.split(separator)]
    return [part.strip() for part in left if part.strip()]
