"""The extractive answer: the sentences of the passages that answer a question, verbatim, or that none does.

Nothing is written anew, so nothing can be made up; and nothing that a passage says is carried out.  Every sentence has
a score that is a sum (`lab.answer.scoring` has its features).  Whether the passages answer at all is told by the best
one: by its score, and by how far it is ahead of the best sentences of the other passages.  A passage that only shares
the topic is as near as its neighbours; one that answers stands out.

Sources: sentence selection by word overlap and inverse frequency is H. P. Luhn, *The Automatic Creation of Literature
Abstracts*, 1958, turned to a question as in D. Radev et al., *Ranking Suspected Answers to Natural Language Questions*,
2000 (with the kind that is asked for); to say that there is no answer, by a limit: P. Rajpurkar et al., *Know What You
Don't Know*, 2018.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lab.algebra import ALONE, Contribution, Corpus, Document, Env, Operator, Query, knob
from lab.answer.asking import HOW, asks, defined, defines
from lab.answer.base import Place
from lab.answer.kinds import Found
from lab.answer.scoring import FEATURES, Question, Table
from lab.models.embedders import Embedder
from lab.models.static import EMBEDDER
from lab.rewrite.feedback import spelled
from lab.rewrite.sub_questions import SubQuestions
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import ANALYZER, Analyzer, cutting, is_han, known_word
from lab.words import N_, Said

CONTENT = cutting(mode="precise", stem="snowball", simplified=True, questions=True)
"""Words that do not overlap, each by its stem: what a reader calls the words of a question."""

_SINGLE = "".join(sorted(w for w in FUNCTION_WORDS if len(w) == 1 and is_han(w)))
_ENDS = re.compile(f"^[{_SINGLE}]+|[{_SINGLE}]+$")
_ASKING = "几哪谁何"
COVERED = 0.9
"""A chosen sentence answers a part of the question where it reaches this share of the part's best score."""
PARTS = 4
"""So many parts of a question are answered at most."""
OTHERS = 0.3
"""Where a passage has no other beside it, others are taken to reach so much of its best score."""


def _weight(default: float, label: Said, help: Said, *, rare: bool = True) -> Any:
    return knob(default, low=0.0, high=5.0, step=0.05, label=label, help=help, rare=rare, kw_only=True)


@dataclass(frozen=True)
class Scored:
    """A sentence as a candidate: where it stands, itself, its score with the addends, and what fits the kind asked for.

    ``best`` is the one of the highest score.
    """

    place: Place
    text: str
    score: float
    why: tuple[Contribution, ...]
    fitting: tuple[Found, ...] = ()
    best: bool = False


@dataclass(frozen=True)
class Extracted:
    """What the passages say to a question.

    ``sentences`` are the chosen ones in the order of the text, ``nearest`` the best ones by score, also where the
    passages do not say (``says`` is False; ``reason`` then says why).  ``evidence`` are the addends of what is held
    against ``limit``.  ``asked`` is the kind that the question asks for (see `lab.answer.kinds.ASKED`), ``missing``
    are its content words that no chosen sentence has.
    """

    query: Query
    passages: tuple[Document, ...]
    made_by: Extractive
    sentences: tuple[Scored, ...] = ()
    nearest: tuple[Scored, ...] = ()
    evidence: tuple[Contribution, ...] = ()
    limit: float = 0.0
    says: bool = False
    reason: str = ""
    asked: str | None = None
    missing: tuple[str, ...] = ()

    @property
    def best(self) -> Scored | None:
        """The sentence of the highest score, whether the passages say or not."""
        return self.nearest[0] if self.nearest else None

    @property
    def reached(self) -> float:
        """The sum of the evidence."""
        return math.fsum(c.value for c in self.evidence)

    @property
    def text(self) -> str:
        """The chosen sentences, one a line; empty where the passages do not say."""
        return "\n".join(s.text for s in self.sentences)


@dataclass(frozen=True)
class Extractive(Operator):
    """Answers with one to three sentences of the passages, or abstains.

    The score of a sentence is the sum of its features times the weights below.  The passages say where the best score,
    ``lead`` times what it is ahead of the mean of the other passages' best scores, and ``absent`` times the share of
    the question's names that its passage has not (taken off) reach ``limit`` (of a passage in another language than the
    question ``across`` times the limit).  A further sentence is taken where its
    score is at least ``worth`` times the best one and it has a content word of the question that none before it has.

    Each part of a question that asks several things adds its best sentence, where the passages say it and none that is
    chosen has `COVERED` of its score.

    The weights were read off judged questions of three collections of reading comprehension (XQuAD in Chinese and
    English, CMRC 2018), other ones than those that ``benchmarks/answers.py`` asks; the limit off its first ones too.
    """

    label = Said("Extractive answer")
    about = Said("Quotes the sentences of the passages that answer, or reports that the passages do not answer.")

    at_most: int = knob(
        3,
        low=1,
        high=10,
        label=Said("Maximum sentences"),
        help=Said("A second or third sentence is taken only if it adds a word of the question."),
    )
    read: int = knob(
        5,
        low=1,
        high=50,
        label=Said("Passages that are read"),
        help=Said("Reads the first results of the list; lower ranks are not examined."),
    )
    limit: float = knob(
        2.2,
        low=0.0,
        high=10.0,
        step=0.05,
        label=Said("Threshold for answering"),
        help=Said("Compared with the best score plus its lead. A higher value abstains more often."),
    )
    worth: float = knob(
        0.6,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Threshold for further sentences"),
        help=Said("The share of the best score that a second or third sentence must reach."),
    )
    across: float = knob(
        0.5,
        low=0.0,
        high=1.0,
        step=0.05,
        label=Said("Threshold across languages"),
        help=Said(
            "Factor applied to the threshold if the passage is in another language, because its words cannot "
            "match the question's."
        ),
        rare=True,
        kw_only=True,
    )
    lead: float = _weight(
        1.0,
        Said("Weight of the lead"),
        Said("Weight of the best sentence's lead over the other passages."),
    )
    absent: float = _weight(
        1.0,
        Said("Penalty for missing names"),
        Said("Share of the question's names, numbers and dates that are missing from the best sentence's passage."),
    )
    words: float = _weight(
        0.75, Said("Weight of the words"), Said("Question words in the sentence; rare ones count more.")
    )
    rare: float = _weight(
        0.2, Said("Weight of words rare in the passage"), Said("A word in every sentence helps choose none.")
    )
    meaning: float = _weight(
        1.5,
        Said("Weight of the meaning"),
        Said("Takes the most similar word of the sentence for every word of the question."),
    )
    cosine: float = _weight(
        0.5, Said("Weight of the cosine"), Said("Similarity of the question to the whole sentence.")
    )
    pairs: float = _weight(
        0.6,
        Said("Weight of neighbouring words"),
        Said("Words that are neighbours both in the question and in the sentence."),
    )
    topic: float = _weight(
        0.85,
        Said("Weight of the surroundings, words"),
        Said("Weight of words in the title, the first sentence and the previous sentence, which “it” often refers to."),
    )
    theme: float = _weight(
        0.95, Said("Weight of the surroundings, meaning"), Said("Factor for the most similar words.")
    )
    fits: float = _weight(
        0.1,
        Said("Weight of the answer type"),
        Said("The sentence has a number, a date or a name, as the question requires."),
    )
    lacks: float = _weight(
        0.65,
        Said("Penalty for a missing answer type"),
        Said("The question asks for a number or a date, which the sentence does not contain."),
    )
    rank: float = _weight(
        0.6,
        Said("Penalty by rank"),
        Said("The second passage loses half of it, the third two thirds: the retrieval order counts, too."),
    )
    embedder: Embedder = EMBEDDER(kw_only=True)
    analyzer: Analyzer = ANALYZER(kw_only=True)

    def answer(
        self, question: Query | str, passages: Sequence[Document], corpus: Corpus, env: Env = ALONE
    ) -> Extracted:
        """What the passages say; ``corpus`` is the one they are of, whose IDF weighs the words.

        A question that asks several things is answered as a whole, and takes from each part the best sentence where
        none that is chosen already answers it.
        """
        query = Query.of(question)
        whole, parts = self._one(query, passages, corpus, env), asking_parts(query.text, corpus)
        if len(parts) < 2 or not whole.nearest:
            return whole
        return self._with_parts(whole, [self._one(replace(query, text=part), passages, corpus, env) for part in parts])

    def _with_parts(self, whole: Extracted, parts: Sequence[Extracted]) -> Extracted:
        """The answer to a question, and what the answers to its parts add to it."""
        if not whole.says:
            if not all(part.says for part in parts):
                return whole
            weakest = min(parts, key=lambda part: part.reached - part.limit)
            whole = replace(whole, evidence=weakest.evidence, limit=weakest.limit, says=True, reason="", sentences=())
        chosen, added = list(whole.sentences), list[Scored]()
        for part in filter(lambda part: part.says, parts):
            fitting = [s for s in part.nearest if s.score >= COVERED * part.nearest[0].score]
            if subject := defined(part.query.text):
                enough = [s for s in part.nearest if s.score >= self.worth * part.nearest[0].score]
                fitting = [s for s in enough if defines(s.text, subject)] or fitting
            if {s.place for s in fitting} & {s.place for s in chosen}:
                continue
            if len(chosen) == self.at_most:  # for it goes what is least needed
                spare = [s for s in chosen if not s.best and s not in added]
                if not spare:
                    break
                chosen.remove(min(spare, key=lambda s: s.score))
            added.append(next(s for s in whole.nearest if s.place == fitting[0].place))
            chosen.append(added[-1])
        content = content_words(whole.query.text)
        where = [whole.passages[i].title for i in dict.fromkeys(s.place.passage for s in chosen)]
        missing = lacking(content, " ".join([*where, *(s.text for s in chosen)]))
        return replace(whole, sentences=tuple(sorted(chosen, key=lambda s: s.place)), missing=missing)

    def _one(self, query: Query, passages: Sequence[Document], corpus: Corpus, env: Env) -> Extracted:
        """What the passages say to a question as a whole."""
        passages = tuple(passages)
        made = partial(Extracted, query, passages, self, limit=self.limit)
        content = content_words(query.text)
        missing = tuple(content.values())
        if not passages:
            return made(reason=Said("There are no passages."), missing=missing)
        asked = Question(query.text, corpus, self.analyzer, self.embedder, env)
        made = partial(made, asked=next(iter(asked.asked), None))
        if not (asked.words.tokens or asked.meanings.tokens):
            return made(reason=Said("The question has no words."), missing=missing)
        table = asked.table(passages[: self.read])
        nearest = self.scored(table, passages)
        if not nearest:
            return made(reason=Said("The passages contain no text."), missing=missing)
        evidence = self._evidence(asked, nearest, passages)
        across = asked.across(passages[nearest[0].place.passage])
        limit = self.limit * (self.across if across else 1.0)
        made = partial(made, nearest=nearest, evidence=evidence, limit=limit)
        reached = math.fsum(c.value for c in evidence)
        if reached < limit:
            nowhere = () if across else lacking(content, " ".join(d.content for d in passages[: self.read]))
            return made(reason=_reason(reached, limit, nowhere, across), missing=missing)
        chosen = self._chosen(nearest, content)
        where = [passages[i].title for i in dict.fromkeys(s.place.passage for s in chosen)]
        missing = lacking(content, " ".join([*where, *(s.text for s in chosen)]))
        return made(sentences=tuple(sorted(chosen, key=lambda s: s.place)), says=True, missing=missing)

    def scored(self, table: Table, passages: Sequence[Document]) -> tuple[Scored, ...]:
        """The sentences of a table with their scores, best first; ties in the order of the text."""
        signs = {"lacks": -1.0, "rank": -1.0}
        out = []
        for place, row, fitting in zip(table.places, table.features.tolist(), table.fitting, strict=True):
            values = (getattr(self, f) * signs.get(f, 1.0) * x for f, x in zip(FEATURES, row, strict=True))
            why = tuple(Contribution(_NAMES[f], v) for f, v in zip(FEATURES, values, strict=True) if v)
            out.append(Scored(place, place.read(passages), math.fsum(c.value for c in why), why, fitting))
        out.sort(key=lambda s: (-s.score, s.place))
        return tuple(Scored(s.place, s.text, s.score, s.why, s.fitting, i == 0) for i, s in enumerate(out))

    def _evidence(
        self, asked: Question, nearest: Sequence[Scored], passages: Sequence[Document]
    ) -> tuple[Contribution, ...]:
        best, others = nearest[0], dict[int, float]()
        for s in nearest:
            others.setdefault(s.place.passage, s.score)
        others.pop(best.place.passage)
        mean = math.fsum(others.values()) / len(others) if others else OTHERS * best.score
        absent = asked.absent(passages[best.place.passage])
        share = len(absent) / len(asked.named) if absent else 0.0
        lead = Contribution(Said("lead over the other passages"), self.lead * (best.score - mean))
        off = Contribution(
            Said("named in the question, not in the passage: {names}", names=", ".join(absent)), -self.absent * share
        )
        return (Contribution(Said("best sentence"), best.score), *(c for c in (lead, off) if c.value))

    def _chosen(self, nearest: Sequence[Scored], content: dict[str, str]) -> list[Scored]:
        chosen = [nearest[0]]
        left = {t for t, w in content.items() if w in lacking(content, nearest[0].text)}
        for s in nearest[1:]:
            if len(chosen) == self.at_most or s.score < self.worth * nearest[0].score or not left:
                break
            new = left & set(CONTENT.tokens(s.text))
            if new:
                chosen.append(s)
                left -= new
        return chosen


def asking_parts(question: str, corpus: Corpus) -> tuple[str, ...]:
    """The parts of a question that each ask something (`SubQuestions` cuts them); none where it asks one thing."""
    made = SubQuestions(n=PARTS).rule(question, corpus, lambda _query, _k: ())
    parts = tuple(variant.text for variant in made if asks(variant.text))
    return parts if len(parts) > 1 else ()


def _reason(reached: float, limit: float, nowhere: Sequence[str], across: bool) -> str:
    """Why the passages do not say, in a sentence."""
    said = N_(
        "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; the question's words are spread "
        "over several sentences or passages."
    )
    if across:
        said = N_(
            "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; it is in another language "
            "than the question."
        )
    if nowhere:
        said = N_("The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; in no passage: {words}.")
        return Said(said, words=", ".join(nowhere), reached=reached, limit=limit)
    return Said(said, reached=reached, limit=limit)


_NAMES = {
    "words": Said("words of the question"),
    "rare": Said("words rare in the passage"),
    "meaning": Said("most similar words"),
    "cosine": Said("cosine"),
    "pairs": Said("neighbouring words"),
    "topic": Said("words of its surroundings"),
    "theme": Said("meanings of its surroundings"),
    "fits": Said("answer type"),
    "lacks": Said("answer type missing"),
    "rank": Said("rank of the passage"),
}


def content_words(text: str) -> dict[str, str]:
    """The words of a question that say what it is about: by their terms, each as it is written first.

    A Han word that no dictionary has loses the function words that a wrong cut has left at its ends (假要 of 年假要).
    One character is no word.
    """
    out = dict[str, str]()
    for term, word in spelled(HOW.sub(" ", text), CONTENT):
        kept = _ENDS.sub("", word) if is_han(word) and not known_word(word) else word
        if word not in FUNCTION_WORDS and word[0] not in _ASKING and (len(kept) > 1 or kept.isdigit()):
            out.setdefault(kept if kept != word else term, kept)
    return out


def lacking(content: Mapping[str, str], text: str) -> tuple[str, ...]:
    """Which of these words (`content_words`) a text does not have."""
    there = set(CONTENT.tokens(text))
    return tuple(word for term, word in content.items() if term not in there)
