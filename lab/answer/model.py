"""An answer by a language model: the prompt as it is sent, what it costs before it is sent, whether it is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.algebra import Document, Operator
from lab.answer.context import fence, numbered
from lab.answer.searched import Searched
from lab.models.answers import refuses, without_thoughts
from lab.models.chat import Completion
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.text import count_tokens, language_of, plain
from lab.words import Said

ABSTAINS = ("The passages do not say.", "资料没有说明。")
"""What a model is asked to write where the passages do not answer, by language."""


NOTHING = Searched()
"""What is known of a search that nobody has told of."""


class Request(NamedTuple):
    """A prompt as it is sent, and about how many tokens it has (`lab.text.count_tokens`)."""

    text: str
    tokens: int

    def cost(self, prices: tuple[float, float] | None) -> float | None:
        """What the prompt alone will cost by prices per million tokens (of prompt and answer); None without prices."""
        return None if prices is None else self.tokens * prices[0] / 1e6


@dataclass(frozen=True)
class ModelAnswer(Prompted, Operator):
    """Puts the question and the passages of a context into one prompt.

    The passages are told apart from the rest by a row of signs that stands in none of them, nor in the question: text
    of a passage that looks like the next header, or like the question, does not begin with it.
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
        """What is sent: the passages in this order, numbered from 1, and what the search did."""
        values = searched.values()
        own = fence([question, *values.values(), *(d.title for d in passages), *(d.text for d in passages)])
        told = {"fence": own, "question": question, "passages": numbered(passages, own), **values}
        text = fill(self.prompt(language_of(question)), **told).strip()
        return Request(text, count_tokens(text))


def written(answer: Completion | str) -> str:
    """The text of an answer, or of what came of one, without thoughts."""
    return without_thoughts(answer if isinstance(answer, str) else answer.text).strip()


def abstains(text: str) -> bool:
    """Whether an answer says that the passages do not say, and nothing more, or refuses."""
    said = plain(written(text))
    return refuses(written(text)) or said in {plain(own) for own in ABSTAINS}
