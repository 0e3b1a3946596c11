"""Reads an order of numbered passages in the answer of a language model: ``[3] > [1] > [2]``.

The rules are those of RankGPT: the numbers count in their order, a repeated number counts once, an unknown one not at
all, and missing ones follow in their former order.  What RankGPT corrects silently is named here, and an answer in
which numbers may mean something else is not read.

Source: W. Sun et al., *Is ChatGPT Good at Search? Investigating Large Language Models as Re-Ranking Agents*, EMNLP
2023, arXiv:2304.09542.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from lab.models.answers import Unreadable, refuses
from lab.models.chat import Shape
from lab.models.json_values import first_object
from lab.models.lines import content_lines
from lab.models.thoughts import without_thoughts
from lab.words import Said

_NUMBER = r"(?:\[\s{0,3}\d{1,6}\s{0,3}\]|【\s{0,3}\d{1,6}\s{0,3}】)"
_BETWEEN = r"[\s>＞≻→,，、;；]{1,9}"
_LISTED = re.compile(rf"^[ \t]{{0,9}}(?:\d{{1,4}}[.)、]|[-*•])[ \t]{{1,9}}(?={_NUMBER})", re.MULTILINE)
"""A list mark before a number in brackets."""
_CHAIN = re.compile(rf"{_NUMBER}(?:{_BETWEEN}{_NUMBER})*")
_DIGITS = re.compile(r"\d+")
_BARE = re.compile(r"\[?\s{0,9}\d{1,6}(?:[\s>＞≻→,，、;；]{1,9}\d{1,6})*\s{0,9}\]?[.。]?")
"""Numbers without brackets each, if the answer has nothing else."""


ORDER = Shape.of("order", order={"type": "array", "items": {"type": "integer"}})
"""The shape of an order: the numbers of the passages, best first."""
_KEYS = ("order", "ranking", "ranked", "result", "results", "passages")
_NUMBER_KEYS = ("number", "id", "index", "passage", "document")


@dataclass(frozen=True)
class Order:
    """An order of passages 1 to n, and what was wrong with the answer.

    ``numbers`` has every passage once: those of the answer, then the ``missing`` ones in their former order.
    ``repeated`` and ``unknown`` are the numbers of the answer that were left out, each once.
    """

    numbers: tuple[int, ...]
    repeated: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the answer had every passage once and nothing else."""
        return not (self.repeated or self.unknown or self.missing)


def read_order(answer: str, n: int) -> Order:
    """Returns the order of passages 1 to ``n`` in an answer.  Raises `Unreadable`.

    The answer is a JSON object with a list of numbers, or has one chain of numbers in brackets, among other words or
    alone, or nothing but numbers.  Several chains (a comparison passage by passage) could mean several orders.
    """
    expected = Said("numbers in order, as in [2] > [1]")
    bare = without_thoughts(answer)
    if refuses(bare):
        raise Unreadable(answer, expected)
    listed = _in_json(bare)
    chains = [" ".join(listed)] if listed else [m.group() for m in _CHAIN.finditer(_LISTED.sub("", bare))]
    if not chains:
        text = " > ".join(content_lines(bare)[: 100 * n]).strip()
        chains = [text] if _BARE.fullmatch(text) else []
    if len(chains) > 1 or len(set(_DIGITS.findall(bare))) > 1:  # one number beside others is a mention, not an order
        chains = [chain for chain in chains if len(_DIGITS.findall(chain)) > 1]
    orders = {tuple(map(int, _DIGITS.findall(chain)[: 100 * n])) for chain in chains}
    given = orders.pop() if len(orders) == 1 else ()
    numbers = tuple(number for number in dict.fromkeys(given) if 1 <= number <= n)
    if not numbers:
        raise Unreadable(answer, expected)
    counts = Counter(given)
    missing = tuple(number for number in range(1, n + 1) if number not in counts)
    repeated = tuple(number for number in numbers if counts[number] > 1)
    unknown = tuple(number for number in counts if not 1 <= number <= n)
    return Order((*numbers, *missing), repeated, unknown, missing)


def _in_json(text: str) -> list[str]:
    """Returns the numbers in the list of the first JSON object of an answer; none if it has no such list."""
    table = first_object(text) or {}
    lists = [table[key] for key in _KEYS if isinstance(table.get(key), list)]
    lists += [value for value in table.values() if isinstance(value, list)]
    for numbers in lists:
        fields = [item if isinstance(item, dict) else {"number": item} for item in numbers]
        items = [next((item[key] for key in _NUMBER_KEYS if key in item), "") for item in fields]
        written = [str(item).strip("[]【】 ") for item in items if not isinstance(item, bool)]
        if written and len(written) == len(numbers) and all(_DIGITS.fullmatch(number) for number in written):
            return written
    return []
