"""The extractive answer: the sentences of the passages that answer a question, verbatim, or the report that none does.

Sentences are only copied, so nothing can be made up, and instructions in a passage have no effect.  The score of a
sentence is a sum (`lab.answer.scoring` has its features).  Whether the passages answer at all is decided by the best
sentence: by its score, and by its lead over the best sentences of the other passages.  A passage that only shares the
topic is as similar as its neighbours; one that answers has a clear lead.

Sources: sentence selection by word overlap and inverse frequency is H. P. Luhn, *The Automatic Creation of Literature
Abstracts*, 1958, doi:10.1147/rd.22.0159, applied to a question as in D. Radev et al., *Ranking Suspected Answers to
Natural Language Questions*, ANLP 2000 (with the expected kind of answer); abstaining below a threshold: P. Rajpurkar et
al., *Know What You Don't Know*, ACL 2018, doi:10.18653/v1/P18-2124.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lab.algebra import ALONE, Contribution, Corpus, Document, Env, Operator, Query, fraction, knob
from lab.answer.asking import ASKED, HOW, asks
from lab.answer.base import Place
from lab.answer.defining import defined, defines
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
"""Splits a text into stemmed words that do not overlap, as a reader would count the words of a question."""

_SINGLE = "".join(sorted(w for w in FUNCTION_WORDS if len(w) == 1 and is_han(w)))
_ENDS = re.compile(f"^[{_SINGLE}]+|[{_SINGLE}]+$")
_ASKING = "几哪谁何"
COVERED = 0.9
"""A chosen sentence answers a part of the question if it reaches this share of the part's best score."""
PARTS = 4
"""Maximum number of parts of a question that are answered."""
MOST_MISSING = 0.6
"""Share of what is asked from which on uncovered words count."""
CALIBRATED = 1_500
"""Number of passages up to which the threshold is `Extractive.limit`: it was chosen on corpora of at most that size."""
OTHERS = 0.3
"""Assumed score of the other passages if there is only one, as a share of its best score."""


def _weight(default: float, label: Said, help: Said, *, rare: bool = True) -> Any:
    return knob(default, label, help, low=0.0, high=5.0, step=0.05, rare=rare, kw_only=True)


@dataclass(frozen=True)
class Scored:
    """A candidate unit: its place, text, score and components, and the facts that fit the question's kind.

    ``compared`` is the text that was compared with the question, with a printed question or the names of columns.
    ``best`` marks the one of the highest score; ``defines``: the question asks what a term means, and it says it.
    """

    place: Place
    text: str
    score: float
    why: tuple[Contribution, ...]
    fitting: tuple[Found, ...] = ()
    best: bool = False
    defines: bool = False
    compared: str = ""


@dataclass(frozen=True)
class Extracted:
    """An extractive answer to a question.

    ``sentences`` are the chosen ones in the order of the text, ``nearest`` the best ones by score, also if the passages
    do not answer (``says`` is False; ``reason`` then says why).  ``evidence`` are the components of the sum that is
    compared with ``limit``.  ``asked`` is the kind that the question asks for (see `lab.answer.kinds.ASKED`),
    ``missing`` are its content words that no chosen sentence has.
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
        """The sentence of the highest score, whether the passages answer or not."""
        return self.nearest[0] if self.nearest else None

    @property
    def reached(self) -> float:
        """The sum of the evidence."""
        return math.fsum(c.value for c in self.evidence)

    @property
    def text(self) -> str:
        """The chosen sentences, one per line; empty if the passages do not answer."""
        return "\n".join(s.text for s in self.sentences)


@dataclass(frozen=True)
class Extractive(Operator):
    """Answers with one to three sentences of the passages, or abstains.

    The score of a sentence is the sum of its features times the weights below.  The passages answer if a sum reaches
    ``limit``: the best score, plus ``lead`` times its distance from the mean of the other passages' best scores, minus
    ``absent`` times the share of the question's names that its passage lacks, minus ``uncovered`` times the share of
    its other content words that nothing in the passage resembles (from `MOST_MISSING` on), and once more if the passage
    has no number of the measure asked for.  If a question asks what a term means (`lab.answer.defining`), a sentence
    that only mentions the term loses ``undefined``, and so does a sentence without a name if it asks who holds a role.
    The best of more passages scores higher by chance: ``rise`` is added to the limit for each tenfold of the passages
    of the corpus beyond `CALIBRATED`.
    For a passage in another language than the question, the threshold is ``across`` times the limit, more if the two
    share words, and ``uncovered`` counts only if they do.  A further sentence is added if its score is at least
    ``worth`` times the best one and it has a content word of the question that no chosen sentence has.

    If a question asks several things, each part adds its best sentence, unless the passages do not answer it or a
    chosen sentence already has `COVERED` of its score.

    The weights were chosen on judged questions of three collections of reading comprehension (XQuAD in Chinese and
    English, CMRC 2018), which ``benchmarks/answers.py`` does not ask; the limit partly on questions that it does ask.
    """

    label = Said("Extractive answer")
    about = Said("Quotes the sentences of the passages that answer, or reports that the passages do not answer.")

    at_most: int = knob(
        3,
        Said("Maximum sentences"),
        Said("A second or third sentence is taken only if it adds a word of the question."),
        low=1,
        high=10,
    )
    read: int = knob(
        5,
        Said("Passages that are read"),
        Said("Reads the first results of the list; lower ranks are not examined."),
        low=1,
        high=50,
    )
    limit: float = knob(
        2.1,
        Said("Threshold for answering"),
        Said("Compared with the best score plus its lead. A higher value abstains more often."),
        low=0.0,
        high=10.0,
        step=0.05,
    )
    worth: float = fraction(
        0.6,
        Said("Threshold for further sentences"),
        Said("The share of the best score that a second or third sentence must reach."),
    )
    across: float = fraction(
        0.52,
        Said("Threshold across languages"),
        Said(
            "Factor applied to the threshold if the passage is in another language, because its words cannot "
            "match the question's."
        ),
        step=0.01,
        rare=True,
        kw_only=True,
    )
    rise: float = _weight(
        0.3,
        Said("Rise of the threshold"),
        Said("Added to the threshold for ten times as many passages as 1,500: the best of many scores is higher."),
    )
    lead: float = _weight(
        1.0, Said("Weight of the lead"), Said("Weight of the best sentence's lead over the other passages.")
    )
    absent: float = _weight(
        1.0,
        Said("Penalty for missing names"),
        Said("Share of the question's names, numbers and dates that are missing from the best sentence's passage."),
    )
    uncovered: float = _weight(
        1.0,
        Said("Penalty for uncovered words"),
        Said("Share of what is asked without a similar word in the passage, from six tenths; names do not count."),
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
    defines: float = _weight(
        1.0,
        Said("Weight of a definition"),
        Said("The question asks what a term means, and the sentence says it: “X is a …”, “X means …”."),
    )
    undefined: float = _weight(
        5.0,
        Said("Penalty for a missing definition"),
        Said("The question asks what a term means, and the best sentence only mentions it. 0: a mention is enough."),
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
        """Answers a question from passages; the IDF of their ``corpus`` weighs the words.

        A question that asks several things is answered as a whole; then each part that no chosen sentence answers adds
        its best sentence.
        """
        query = Query.of(question)
        parts = asking_parts(query.text, corpus)
        whole = self._answer_whole(query, passages, corpus, env, parts)
        if len(parts) < 2 or not whole.nearest:
            return whole
        return self._with_parts(
            whole, [self._answer_whole(replace(query, text=part), passages, corpus, env) for part in parts]
        )

    def _with_parts(self, whole: Extracted, parts: Sequence[Extracted]) -> Extracted:
        """Adds the sentences that answer the parts of a question to the answer to the whole."""
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
                fitting = [s for s in enough if defines(s.compared, subject)] or fitting
            if {s.place for s in fitting} & {s.place for s in chosen}:
                continue
            if len(chosen) == self.at_most:  # replace the least useful sentence
                spare = [s for s in chosen if not s.best and s not in added]
                if not spare:
                    break
                chosen.remove(min(spare, key=lambda s: s.score))
            added.append(next(s for s in whole.nearest if s.place == fitting[0].place))
            chosen.append(added[-1])
        content = content_words(whole.query.text)
        where = [whole.passages[i].title for i in dict.fromkeys(s.place.passage for s in chosen)]
        missing = lacking(content, " ".join([*where, *(s.compared for s in chosen)]))
        return replace(whole, sentences=tuple(sorted(chosen, key=lambda s: s.place)), missing=missing)

    def _answer_whole(
        self, query: Query, passages: Sequence[Document], corpus: Corpus, env: Env, parts: Sequence[str] = ()
    ) -> Extracted:
        """Answers a question as a whole; if it has parts, different passages may cover its words."""
        passages = tuple(passages)
        result = partial(Extracted, query, passages, self, limit=self.limit)
        content = content_words(query.text)
        missing = tuple(content.values())
        if not passages:
            return result(reason=Said("There are no passages."), missing=missing)
        compared = Question(query.text, corpus, self.analyzer, self.embedder, env, parts)
        result = partial(result, asked=next(iter(compared.asked), None))
        if compared.empty or not (compared.words.tokens or compared.meanings.tokens):
            return result(reason=Said("The question has no words."), missing=missing)
        table = compared.table(passages[: self.read])
        nearest = self.scored(table)
        if not nearest:
            empty = not any(d.content.strip() for d in passages[: self.read])
            questions = Said("The passages contain questions, but no answers to them.")
            return result(reason=Said("The passages contain no text.") if empty else questions, missing=missing)
        across = compared.across(passages[nearest[0].place.passage])
        evidence = self._evidence(compared, nearest, passages, bool(parts))
        limit = self.limit + self.rise * max(0.0, math.log10(max(len(corpus), 1) / CALIBRATED))
        if across:
            limit *= self.across + (1 - self.across) * compared.shared(passages[nearest[0].place.passage])
        result = partial(result, nearest=nearest, evidence=evidence, limit=limit)
        reached = math.fsum(c.value for c in evidence)
        if reached < limit and compared.term and not nearest[0].defines:
            term = content_words(compared.term)
            mentions = sum(not lacking(term, d.content) for d in passages[: self.read]) if term else 0
            return result(reason=_no_meaning(compared.term, mentions, len(passages[: self.read])), missing=missing)
        if reached < limit:
            nowhere = () if across else lacking(content, " ".join(d.content for d in passages[: self.read]))
            return result(reason=_reason(reached, limit, nowhere, across), missing=missing)
        chosen = self._chosen(nearest, content)
        where = [passages[i].title for i in dict.fromkeys(s.place.passage for s in chosen)]
        missing = lacking(content, " ".join([*where, *(s.compared for s in chosen)]))
        return result(sentences=tuple(sorted(chosen, key=lambda s: s.place)), says=True, missing=missing)

    def scored(self, table: Table) -> tuple[Scored, ...]:
        """Scores the sentences of a table, best first; ties in the order of the text."""
        signs = {"lacks": -1.0, "rank": -1.0}
        candidates, defines = [], FEATURES.index("defines")
        rows = zip(table.places, table.units, table.features.tolist(), table.fitting, strict=True)
        for place, unit, row, fitting in rows:
            values = (getattr(self, f) * signs.get(f, 1.0) * x for f, x in zip(FEATURES, row, strict=True))
            why = tuple(Contribution(_NAMES[f], v) for f, v in zip(FEATURES, values, strict=True) if v)
            score, says = math.fsum(c.value for c in why), bool(row[defines])
            candidates.append(Scored(place, unit.text, score, why, fitting, defines=says, compared=unit.compared))
        candidates.sort(key=lambda s: (-s.score, s.place))
        return tuple(replace(s, best=i == 0) for i, s in enumerate(candidates))

    def _evidence(
        self, question: Question, nearest: Sequence[Scored], passages: Sequence[Document], several: bool
    ) -> tuple[Contribution, ...]:
        best, best_by_passage = nearest[0], dict[int, float]()
        for s in nearest:
            best_by_passage.setdefault(s.place.passage, s.score)
        best_by_passage.pop(best.place.passage)
        mean = math.fsum(best_by_passage.values()) / len(best_by_passage) if best_by_passage else OTHERS * best.score
        passage = passages[best.place.passage]
        absent = question.absent(passage)
        share = len(absent) / len(question.named) if absent else 0.0
        lead = Contribution(Said("lead over the other passages"), self.lead * (best.score - mean))
        off = Contribution(
            Said("named in the question, not in the passage: {names}", names=[*absent]), -self.absent * share
        )
        vague = Contribution(
            Said("the sentence does not say what “{term}” is", term=question.term),
            -self.undefined * float(bool(question.term) and not best.defines),
        )
        covering = passages[: self.read] if several else [passage]
        share, uncovered = question.uncovered(covering)
        beyond = Contribution(
            Said("nothing similar in the passage: {words}", words=[*uncovered]),
            -self.uncovered * max(0.0, share - MOST_MISSING) / (1 - MOST_MISSING),
        )
        kind = question.unmeasured(covering)
        unmeasured = Contribution(
            Said("asked for, not in the passage: {kind}", kind=ASKED.get(kind, "")), -self.uncovered * bool(kind)
        )
        nobody = Contribution(
            Said("the sentence names nobody"), -self.undefined * float(question.nameless(best.compared))
        )
        terms = (lead, off, beyond, unmeasured, nobody, vague)
        return (Contribution(Said("best sentence"), best.score), *(c for c in terms if c.value))

    def _chosen(self, nearest: Sequence[Scored], content: dict[str, str]) -> list[Scored]:
        chosen = [nearest[0]]
        left = {t for t, w in content.items() if w in lacking(content, nearest[0].compared)}
        for s in nearest[1:]:
            if len(chosen) == self.at_most or s.score < self.worth * nearest[0].score or not left:
                break
            new = left & set(CONTENT.tokens(s.compared))
            if new:
                chosen.append(s)
                left -= new
        return chosen


def asking_parts(question: str, corpus: Corpus) -> tuple[str, ...]:
    """Splits a question into parts that each ask something, by `SubQuestions`; empty if it asks one thing."""
    variants = SubQuestions(n=PARTS).rule(question, corpus, lambda _query, _k: ())
    parts = tuple(variant.text for variant in variants if asks(variant.text))
    return parts if len(parts) > 1 else ()


def _reason(reached: float, limit: float, nowhere: Sequence[str], across: bool) -> str:
    """Returns a sentence that says why the passages do not answer."""
    message = N_(
        "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; the question's words are spread "
        "over several sentences or passages."
    )
    if across:
        message = N_(
            "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; it is in another language "
            "than the question."
        )
    if nowhere:
        message = N_("The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; in no passage: {words}.")
        return Said(message, words=[*nowhere], reached=reached, limit=limit)
    return Said(message, reached=reached, limit=limit)


def _no_meaning(term: str, mentions: int, passages: int) -> str:
    """Returns a sentence that says why no sentence answers what a term means, and which one would."""
    if not mentions:
        message = N_("The question asks what “{term}” means; none of the passages that were read mentions it.")
        return Said(message, term=term)
    message = N_(
        "The question asks what “{term}” means. Passages that mention it: {n} of {total}; none of them says what it "
        "means."
    )
    return Said(message, term=term, n=mentions, total=passages)


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
    "defines": Said("definition of the term"),
    "rank": Said("rank of the passage"),
}


def content_words(text: str) -> dict[str, str]:
    """Returns the content words of a question by their terms, each in its first spelling.

    A Han word that no dictionary has loses the function words that a wrong split has left at its ends (假要 of 年假要).
    A single character does not count as a word.
    """
    words = dict[str, str]()
    for term, word in spelled(HOW.sub(" ", text), CONTENT):
        trimmed = _ENDS.sub("", word) if is_han(word) and not known_word(word) else word
        if word not in FUNCTION_WORDS and word[0] not in _ASKING and (len(trimmed) > 1 or trimmed.isdigit()):
            words.setdefault(trimmed if trimmed != word else term, trimmed)
    return words


def lacking(content: Mapping[str, str], text: str) -> tuple[str, ...]:
    """Returns the words of `content_words` that a text does not have."""
    terms = set(CONTENT.tokens(text))
    return tuple(word for term, word in content.items() if term not in terms)
