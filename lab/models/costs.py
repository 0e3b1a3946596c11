"""The cost of asking a language model: an estimate before, and what was used afterwards.

Prices are those that the visitor typed for the model; the lab has none of its own, and without them no money is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lab.algebra import Ranking
from lab.models.chat import Completion, LanguageModel, Prompt, messages
from lab.models.memory import Standing
from lab.text import count_tokens

MILLION = 1_000_000
"""Prices are per million tokens."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of the requests to a model: their number, and all characters and (estimated) tokens.

    Answers are not included, since their length is not known beforehand; ``cost`` is that of the tokens sent, None
    without prices.
    """

    requests: int
    characters: int
    tokens: int
    cost: float | None = None


def estimate(model: LanguageModel, prompts: Sequence[Prompt], times: int = 1) -> Estimate:
    texts = ["\n".join(message.text for message in messages(prompt)) for prompt in prompts]
    tokens, prices = times * sum(map(count_tokens, texts)), prices_of(model)
    cost = None if prices is None else tokens * prices[0] / MILLION
    return Estimate(times * len(texts), times * sum(map(len, texts)), tokens, cost)


def prices_of(model: object) -> tuple[float, float] | None:
    """Returns the prices of a model per million tokens, sent and answered, or None if none were typed."""
    prices: tuple[float, float] | None = getattr(model.heart if isinstance(model, Standing) else model, "prices", None)
    return prices


@dataclass(frozen=True, slots=True)
class Usage:
    """The requests of a search to language models, and the tokens and the cost of their answers.

    ``uncounted`` is the number of answers whose server reports no tokens; ``cost`` is None if an answer has none.
    Answers from a cache count like new ones: it is what the search costs, not what was spent.
    """

    requests: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    uncounted: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.uncounted + other.uncounted,
            cost,
        )

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.answer_tokens


def usage_of(answers: Iterable[Completion]) -> Usage:
    """Returns the sum over these answers."""
    total = Usage()
    for answer in answers:
        counted = answer.prompt_tokens is not None and answer.answer_tokens is not None
        sent, written = (answer.prompt_tokens or 0, answer.answer_tokens or 0) if counted else (0, 0)
        total += Usage(1, sent, written, int(not counted), answer.cost)
    return total


def answers_in(evidence: Any) -> tuple[Completion, ...]:
    """Returns the answers of language models in the evidence of a step.

    They are in its ``answers``, in its ``answer``, or in the ``answer`` of each of its items (a verdict per document).
    """
    answers = getattr(evidence, "answers", ())
    items = evidence if isinstance(evidence, tuple) else (evidence,)
    singles = [getattr(item, "answer", None) for item in items]
    several = answers if isinstance(answers, tuple) else ()
    return tuple(answer for answer in (*several, *singles) if isinstance(answer, Completion))


def usage_in(evidences: Iterable[Any]) -> Usage:
    """Returns the usage of the answers in these evidences; an answer that several of them share counts once."""
    answers = {id(answer): answer for evidence in evidences for answer in answers_in(evidence)}
    return usage_of(answers.values())


def usage_behind(ranking: Ranking) -> Usage:
    """Returns what the language models cost that made a ranking, with all rankings before it."""
    return usage_in(step.evidence for step in ranking.lineage())


def mean_usage(usages: Sequence[Usage]) -> tuple[float, float | None]:
    """Returns tokens and cost per search; the cost is None if one of them has none."""
    total = sum(usages, Usage())
    n = max(1, len(usages))
    return total.tokens / n, None if total.cost is None else total.cost / n
