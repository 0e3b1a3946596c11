"""Ask again: what the answer lacks becomes the next search, until nothing new comes.

Source: incremental retrieval and generation, as in S. Jiang et al., *Active Retrieval Augmented Generation* (FLARE),
2023, and Z. Shao et al., *Enhancing Retrieval-Augmented Large Language Models with Iterative Retrieval-Generation
Synergy*, 2023; here the rule needs no model: it searches for the question's words that no sentence of the answer has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from lab.algebra import DEPTH, Document, Env, Operator, Query, Ranking, Runner, Searcher, knob
from lab.answer.context import Context, Sent, fence
from lab.answer.extract import Extracted, Extractive, content_words, lacking
from lab.errors import ModelError
from lab.models.answers import Unreadable, items, says, without_thoughts
from lab.models.consult import Request
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.text import language_of, plain
from lab.words import Said


@dataclass(frozen=True)
class Round:
    """One round: what was searched, what came, and the answer from all that had come until then.

    ``found`` is the list of this round's ``query``, ``context`` what of it is sent beside the rounds before: passages
    that they had are left out.  ``by`` is who wrote the query (``question`` in the first round), ``problem`` why a
    model did not.  ``stopped`` says why there is no further round; empty: there is one.
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
        """The passages that this round brought, in the order in which they are sent."""
        return tuple(hit.document for hit in self.context.hits)


@dataclass(frozen=True)
class AskAgain(Prompted, Operator):
    """Answers, searches for what is missing, and answers again, in at most ``rounds`` rounds.

    By the rule the next query is the question's content words that no sentence of the answer has; by a model it is its
    own follow-up question, and the rule's where the model fails or cannot be read.  Every round reads its own new
    passages, as many as the context holds, for the question itself.  What was answered stays: a later round adds
    sentences (see `joined`), or says something where nothing was said.  It stops where nothing is missing, where the
    same was searched before, where no new passage comes, and after the last round.
    """

    label = Said("Ask again")
    about = Said("Searches for what the answer lacks, until nothing new is found.")

    rounds: int = knob(
        3, low=1, high=10, label=Said("Maximum rounds"), help=Said("The first round asks the question itself.")
    )
    template: str = TEMPLATE(
        help=Said("{question}, {answer} and {fence} are filled in. Empty: the lab's prompt."),
        needs=("question", "answer"),
    )

    def __call__(
        self,
        runner: Runner,
        search: Searcher,
        query: Query,
        *,
        context: Context,
        extract: Extractive,
        k: int = DEPTH,
    ) -> tuple[Round, ...]:
        """The rounds, at least one; ``k`` is how deep each list is."""
        env = Env(runner.models, runner.explain, runner.progress)
        made, asked = list[Round](), query
        by: Literal["question", "rule", "model"] = "question"
        problem: ModelError | None = None
        while True:
            found = runner(search, asked, k)
            known = {d.id for r in made for d in r.new}
            sent = context(replace(found, hits=tuple(h for h in found.hits if h.document.id not in known)), env)
            answer = extract.answer(query, sent.evidence_as(Sent).by_rank, sent.corpus, env)
            if made:
                answer = joined(extract, made[-1].answer, answer)
            own = Round(asked, found, sent, answer, by, problem=problem)
            if made and not own.new:
                return (*made, replace(own, stopped=NOTHING_NEW))
            if len(made) + 1 == self.rounds:
                return (*made, replace(own, stopped=Said("It was the last round: {n} at most.", n=self.rounds)))
            text, by, problem = self._next(query, answer, env)
            searched = {plain(r.query.text) for r in (*made, own)}
            if not plain(text) or plain(text) in searched:
                why = NOTHING_MISSING if not plain(text) else Said("“{query}” has already been searched.", query=text)
                return (*made, replace(own, stopped=why))
            made.append(own)
            asked = Query(text, made_from=query)

    def _next(
        self, query: Query, answer: Extracted, env: Env
    ) -> tuple[str, Literal["rule", "model"], ModelError | None]:
        """What is searched next (empty: nothing is missing), by whom, and why the model did not."""
        rule = " ".join(answer.missing)
        if not self.model:
            return rule, "rule", None
        reading = self.consult(env, Request(self.request(query.text, answer), read))
        if reading.value is None:
            return rule, "rule", reading.problem
        return reading.value, "model", None

    def request(self, question: str, answer: Extracted) -> str:
        """What a model is asked for the next query."""
        told = "\n".join(s.text for s in answer.sentences) or "–"
        own = fence([question, told])
        return fill(self.prompt(language_of(question)), fence=own, question=question, answer=told).strip()


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
    """Two answers to one question from different passages as one, over the passages of both.

    The first one stays where it says something, and takes from the second one sentences that have a word that it lacks
    and reach ``worth`` of its best score, as it does from its own passages.  Where only the second one says, it is the
    answer; where neither does, the one that came nearer tells why.
    """
    passages, shift = (*first.passages, *more.passages), len(first.passages)
    near = [replace(s, place=s.place._replace(passage=s.place.passage + shift), best=False) for s in more.nearest]
    taken = [s for s, own in zip(near, more.nearest, strict=True) if own in more.sentences]
    if first.says:
        told, missing, content = list(first.sentences), first.missing, content_words(first.query.text)
        for s in near:
            left = tuple(word for word in lacking(content, s.text) if word in missing)
            if len(told) < extract.at_most and s.score >= extract.worth * first.nearest[0].score and left != missing:
                told, missing = [*told, s], left
        return replace(
            first, passages=passages, sentences=tuple(told), nearest=(*first.nearest, *near), missing=missing
        )
    rest = [replace(s, best=False) for s in first.nearest]
    if more.says or more.reached > first.reached:
        near = [replace(s, best=i == 0) for i, s in enumerate(near)]
        taken = [replace(s, best=s.place == near[0].place) for s in taken]
        return replace(more, passages=passages, sentences=tuple(taken), nearest=(*near, *rest))
    return replace(first, passages=passages, nearest=(*first.nearest, *near))


def sent(rounds: Sequence[Round]) -> Sent:
    """The passages of all rounds as they are sent, each with its rank in the list of its own round."""
    every = [r.context.evidence_as(Sent) for r in rounds]
    ranks = (r.found.rank(d.id) or 0 for r in rounds for d in r.new)
    passages, tokens = (tuple(x for own in every for x in getattr(own, name)) for name in ("passages", "tokens"))
    return Sent(passages, tuple(ranks), tokens, sum(own.budget for own in every))
