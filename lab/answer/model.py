"""An answer by a language model: the prompt as it is sent, what it costs before it is sent, whether it is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Document, Operator
from lab.answer.context import fence, numbered
from lab.answer.searched import Searched
from lab.models.answers import refuses
from lab.models.chat import Completion
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.models.thoughts import without_thoughts
from lab.text import count_tokens, language_of, plain
from lab.words import Said

ABSTAINS = ("The passages do not say.", "资料没有说明。")
"""The sentence that a model is asked to write if the passages do not answer, by language."""


NOTHING = Searched()
"""A search about which nothing is known."""


class Request(NamedTuple):
    """A prompt as it is sent, and about how many tokens it has (`lab.text.count_tokens`)."""

    text: str
    tokens: int

    def cost(self, prices: tuple[float, float] | None) -> float | None:
        """Returns the cost of the prompt at prices per million tokens (of prompt and answer); None without prices."""
        return None if prices is None else self.tokens * prices[0] / 1e6


@dataclass(frozen=True)
class ModelAnswer(Prompted, Operator):
    """Puts the question and the passages of a context into one prompt.

    Each header begins with a fence, a run of # that neither the passages nor the question contain: so a passage cannot
    imitate the next header or the question.
    """

    label = Said("Answer by a language model")
    about = Said("Puts the question and the passages into one prompt.")

    template: str = TEMPLATE(
        help=Said(
            "{passages}, {question} and {fence} are filled in, and what the search did: {wordings}, {intent}, "
            "{history}, {adapted}. Empty: the lab's prompt."
        ),
        needs=("passages", "question"),
    )

    def request(self, question: str, passages: Sequence[Document], searched: Searched = NOTHING) -> Request:
        """Returns the prompt: the passages in this order, numbered from 1, and a description of the search."""
        values = searched.values()
        border = fence([question, *values.values(), *(d.title for d in passages), *(d.text for d in passages)])
        filled = {"fence": border, "question": question, "passages": numbered(passages, border), **values}
        text = fill(self.prompt(language_of(question)), **filled).strip()
        return Request(text, count_tokens(text))


def written(answer: Completion | str) -> str:
    """Returns the text of an answer, which may be cut off, without the model's thoughts."""
    return without_thoughts(answer if isinstance(answer, str) else answer.text).strip()


def abstains(text: str) -> bool:
    """Whether an answer only states that the passages do not answer, or refuses."""
    answer = plain(written(text))
    return refuses(written(text)) or answer in {plain(sentence) for sentence in ABSTAINS}
