"""Ask again: searches for the words that the answer lacks, until no new passage comes.

Source: incremental retrieval and generation, as in Z. Jiang et al., *Active Retrieval Augmented Generation* (FLARE),
EMNLP 2023, doi:10.18653/v1/2023.emnlp-main.495, and Z. Shao et al., *Enhancing Retrieval-Augmented Large Language
Models with Iterative Retrieval-Generation Synergy*, Findings of EMNLP 2023; here the rule needs no model: it searches
for the question's words that no sentence of the answer has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from lab.algebra import DEPTH, Document, Env, Operator, Query, Ranking, Runner, Searcher, knob
from lab.answer.context import Context, Sent, fence
from lab.answer.extract import Extracted, Extractive, content_words, lacking
from lab.errors import ModelError
from lab.models.answers import Unreadable, items
from lab.models.consult import Request
from lab.models.lines import says
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.models.thoughts import without_thoughts
from lab.text import language_of, plain
from lab.words import Said


@dataclass(frozen=True)
class Round:
    """One round: its query, its list, and the answer from the passages of all rounds so far.

    ``found`` is the list of this round's ``query``, ``context`` the part of it that is sent: passages of earlier
    rounds are left out.  ``by`` says what wrote the query (``question`` in the first round), ``problem`` why a model
    did not.  ``stopped`` says why there is no further round; empty if there is one.
    """

    query: Query
    found: Ranking
    context: Ranking
    answer: Extracted
    by: Literal["question", "rule", "model"]
    stopped: str = ""
    problem: ModelError | None = field(default=None, compare=False)

    @property
    def new(self) -> tuple[Document, ...]:
        """The new passages of this round, in the order in which they are sent."""
        return tuple(hit.document for hit in self.context.hits)


@dataclass(frozen=True)
class AskAgain(Prompted, Operator):
    """Answers, searches for what is missing, and answers again, in at most ``rounds`` rounds.

    The rule's next query is the question's content words that no sentence of the answer has; a model writes a follow-up
    question, and the rule's is used if the model fails or its answer cannot be read.  Every round reads its own new
    passages, as many as the context holds, for the original question.  Earlier sentences stay: a later round adds
    sentences (see `joined`), or answers if no round before it did.  The rounds end if nothing is missing, if the query
    was searched before, if no new passage comes, and after ``rounds``.
    """

    label = Said("Ask again")
    about = Said("Searches for what the answer lacks, until nothing new is found.")

    rounds: int = knob(3, Said("Maximum rounds"), Said("The first round asks the question itself."), low=1, high=10)
    template: str = TEMPLATE(
        help=Said("{question}, {answer} and {fence} are filled in. Empty: the lab's prompt."),
        needs=("question", "answer"),
    )

    def __call__(
        self, runner: Runner, search: Searcher, query: Query, *, context: Context, extract: Extractive, k: int = DEPTH
    ) -> tuple[Round, ...]:
        """Returns the rounds, at least one; each list has up to ``k`` results."""
        env = Env(runner.models, runner.explain, runner.progress)
        rounds, current = list[Round](), query
        by: Literal["question", "rule", "model"] = "question"
        problem: ModelError | None = None
        while True:
            ranking = runner(search, current, k)
            known = {d.id for r in rounds for d in r.new}
            sent = context(replace(ranking, hits=tuple(h for h in ranking.hits if h.document.id not in known)), env)
            answer = extract.answer(query, sent.evidence_as(Sent).by_rank, sent.corpus, env)
            if rounds:
                answer = joined(extract, rounds[-1].answer, answer)
            latest = Round(current, ranking, sent, answer, by, problem=problem)
            if rounds and not latest.new:
                return (*rounds, replace(latest, stopped=NOTHING_NEW))
            if len(rounds) + 1 == self.rounds:
                return (*rounds, replace(latest, stopped=Said("It was the last round: {n} at most.", n=self.rounds)))
            text, by, problem = self._next(query, answer, env)
            searched = {plain(r.query.text) for r in (*rounds, latest)}
            if not plain(text) or plain(text) in searched:
                why = NOTHING_MISSING if not plain(text) else Said("“{query}” has already been searched.", query=text)
                return (*rounds, replace(latest, stopped=why))
            rounds.append(latest)
            current = Query(text, made_from=query)

    def _next(
        self, query: Query, answer: Extracted, env: Env
    ) -> tuple[str, Literal["rule", "model"], ModelError | None]:
        """Returns the next query (empty if nothing is missing), its author, and the model's error if any."""
        rule = " ".join(answer.missing)
        if not self.model:
            return rule, "rule", None
        reading = self.consult(env, Request(self.request(query.text, answer), read))
        if reading.value is None:
            return rule, "rule", reading.problem
        return reading.value, "model", None

    def request(self, question: str, answer: Extracted) -> str:
        """Returns the prompt that asks a model for the next query."""
        answered = "\n".join(s.text for s in answer.sentences) or "–"
        border = fence([question, answered])
        return fill(self.prompt(language_of(question)), fence=border, question=question, answer=answered).strip()


NOTHING_NEW = Said("No new passage entered the context.")
NOTHING_MISSING = Said("Nothing is missing: the answer contains every important word of the question.")


def read(answer: str) -> str:
    """The follow-up query in a model's answer, empty for “none”.  Raises `Unreadable`."""
    text = without_thoughts(answer).strip()
    if plain(text) and not says(text):
        return ""
    try:
        return items(text, 1)[0]
    except Unreadable as error:
        raise Unreadable(error.answer, Said("one search query on a line, or “none”")) from None


def joined(extract: Extractive, first: Extracted, more: Extracted) -> Extracted:
    """Joins two answers to one question, from different passages, into one over the passages of both.

    If the first one answers, it stays, and takes sentences of the second that have a word that it lacks and reach
    ``worth`` of its best score, the same rule as for its own passages.  If only the second one answers, that is the
    answer; if neither does, the one with the higher evidence gives the reason.
    """
    passages, shift = (*first.passages, *more.passages), len(first.passages)
    near = [replace(s, place=s.place._replace(passage=s.place.passage + shift), best=False) for s in more.nearest]
    added = [s for s, original in zip(near, more.nearest, strict=True) if original in more.sentences]
    if first.says:
        sentences, missing, content = list(first.sentences), first.missing, content_words(first.query.text)
        for s in near:
            left = tuple(word for word in lacking(content, s.compared) if word in missing)
            if (
                len(sentences) < extract.at_most
                and s.score >= extract.worth * first.nearest[0].score
                and left != missing
            ):
                sentences, missing = [*sentences, s], left
        return replace(
            first, passages=passages, sentences=tuple(sentences), nearest=(*first.nearest, *near), missing=missing
        )
    rest = [replace(s, best=False) for s in first.nearest]
    if more.says or more.reached > first.reached:
        near = [replace(s, best=i == 0) for i, s in enumerate(near)]
        added = [replace(s, best=s.place == near[0].place) for s in added]
        return replace(more, passages=passages, sentences=tuple(added), nearest=(*near, *rest))
    return replace(first, passages=passages, nearest=(*first.nearest, *near))


def sent(rounds: Sequence[Round]) -> Sent:
    """The passages of all rounds as they are sent, each with its rank in the list of its own round."""
    every = [r.context.evidence_as(Sent) for r in rounds]
    ranks = (r.found.rank(d.id) or 0 for r in rounds for d in r.new)
    passages, tokens = (tuple(x for part in every for x in getattr(part, name)) for name in ("passages", "tokens"))
    return Sent(passages, tuple(ranks), tokens, sum(part.budget for part in every))
