"""Words that say that somebody asks, not what: question words, and the asker's words for himself and for others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from lab.text.writing import HAN

_ENGLISH = "what which when where why how do does did is are was were"
_CHINESE = "什么 怎么 怎么办 怎样 如何 哪里 哪些 哪个 多少 为什么 是否 请问 吗 呢"
HAN_QUESTION = "什么|怎|哪|谁|几|多少|如何|为何|是否|能否"
"""Parts of the Chinese question words, as alternatives of a pattern; questions of yes or no often have none."""
QUESTION_CHARACTERS = frozenset(_CHINESE) - {" "}
QUESTIONS = frozenset(f"{_ENGLISH} {_CHINESE}".split())
"""Question words.  Texts that answer questions rarely contain them, so they would weigh as much as the topic.

Without "who" and "can", which are names of things as well (WHO, a can).
"""
_PRONOUNS = "i me my mine myself we us our ours ourselves you your yours yourself yourselves"
_ASKER = re.compile(
    rf"\b(?:{'|'.join(sorted(_PRONOUNS.split(), key=len, reverse=True))})(?:['’](?:m|ve|d|ll|re))?(?![\w\-/&]|\.\w)",
    re.IGNORECASE,
)
_JOINS = frozenset("-./&'’")
"""Signs before a word that make it a part of another."""
_NUMBERED = re.compile(
    r"(?:\b(?:act|appendix|article|book|chapter|class|grade|level|part|phase|schedule|section|stage|step|tier|title|type"
    r"|volume|war)|\w\s+[A-Z][a-z]+)\s+\Z",
)
"""What precedes a Roman numeral: type I, World War I, King Henry I."""
_PERSONS = "我 我们 你 你们 您 咱 咱们 请问 想 想问"
ASKER_WORDS = frozenset(f"{_PRONOUNS} {_PERSONS}".split())
"""The asker's words for himself and for others."""
_HAN_SIGN = re.compile("[我你妳您咱请請想]")
_HAN_RUN = re.compile(f"[{HAN}]+")


def asker_words(text: str, cut: Callable[[str], Iterable[tuple[str, int, int]]]) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of the asker's words in a question; ``cut`` returns the words of a run of Han characters.

    Names and numerals stay: US, ME and MINE in capitals, I-95, I/O, type I, Henry I.
    """
    for m in _ASKER.finditer(text):
        is_name = (len(m[0]) > 1 and m[0].isupper() and not text.isupper()) or text[m.start() - 1 : m.start()] in _JOINS
        if not is_name and not (m[0] == "I" and _NUMBERED.search(text, 0, m.start())):
            yield m.span()
    for run in _HAN_RUN.finditer(text) if _HAN_SIGN.search(text) else ():
        yield from ((run.start() + a, run.start() + b) for word, a, b in cut(run[0]) if word in ASKER_WORDS)
