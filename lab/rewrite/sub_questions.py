"""Sub-questions: a question with several parts, one part at a time.

Source: O. Press et al., *Measuring and Narrowing the Compositionality Gap in Language Models* (self-ask), 2022;
LlamaIndex's ``SubQuestionQueryEngine``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, QueryVariant, knob
from lab.models.answers import items
from lab.rewrite.base import Found, Rewording
from lab.rewrite.wording import Wording
from lab.text import language_of
from lab.words import Said

_MARKS = re.compile(r"[?？。！!；;\n]+|[，,、：:](?!\d)|\.(?=\s|$)|\s[–—-]\s")
_JOINTS = {
    "zh": re.compile(r"以及|还有|并且|而且|同时|另外|或者|还是|和|与|及|跟"),
    "en": re.compile(r"\b(?:as well as|and|or|but|also|then|versus|vs\.?)\b", re.I),
}


@dataclass(frozen=True)
class SubQuestions(Rewording):
    """Splits the question into up to ``n`` sub-questions.

    The rule cuts at punctuation and conjunctions; a piece without a content word joins the one before, and a
    piece with a single one (“and when?”) is told what the first piece is about.
    """

    label = Said("Sub-questions")
    about = Said("One question for each thing that the question asks.")

    n: int = knob(4, low=1, high=10, label=Said("Sub-questions"), help=Said("Maximum number."))

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(text, Said("sub-question")) for text in items(answers[0], self.n, questions=True))

    def rule(self, query: str, corpus: Corpus, found: Found) -> tuple[QueryVariant, ...]:
        wording, language = Wording.of(corpus), language_of(query)
        pieces: list[str] = []
        for clause in _MARKS.split(query):
            for piece in _cut(clause, _JOINTS[language], wording):
                if not wording.content(piece) and pieces:
                    pieces[-1] = f"{pieces[-1]}{'' if language == 'zh' else ' '}{piece}"
                elif wording.content(piece):
                    pieces.append(piece)
        if len(pieces) < 2:
            return ()
        subject = wording.content(pieces[0])[0]
        about = pieces[0][subject.start : subject.end]
        mark = "？" if language == "zh" else "?"
        made = []
        for i, piece in enumerate(pieces[: self.n]):
            lonely = i > 0 and len(wording.content(piece)) < 2 and about not in piece
            why = Said("Part {i} of {n}.", i=i + 1, n=len(pieces))
            if lonely:
                why = Said("Part {i} of {n}; “{about}” is from the first part.", i=i + 1, n=len(pieces), about=about)
                piece = f"{about}{'，' if language == 'zh' else ': '}{piece}"
            made.append(QueryVariant(piece.rstrip("?？.。 ") + mark, Said("sub-question"), why))
        return tuple(made)


def _cut(clause: str, joint: re.Pattern[str], wording: Wording) -> list[str]:
    """A clause cut at its conjunctions, where something is said on both sides, and never inside a word."""
    words = [(t.start, t.end) for t in wording.content(clause)]
    parts, start = [], 0
    for m in joint.finditer(clause):
        inside = any(a < m.start() < b or a < m.end() < b for a, b in words)
        if not inside and not clause[start : m.start()].strip():  # a clause that begins with “and”
            start = m.end()
        elif not inside and wording.content(clause[start : m.start()]) and wording.content(clause[m.end() :]):
            parts.append(clause[start : m.start()].strip())
            start = m.end()
    return [part for part in [*parts, clause[start:].strip()] if part]
