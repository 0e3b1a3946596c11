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
from lab.rewrite.turn_words import PROPERTY
from lab.rewrite.wording import Wording
from lab.text import known_word, language_of
from lab.words import Said

_MARKS = re.compile(r"[?？。！!；;\n]+|[，,：:](?!\d)|\.(?=\s|$)|\s[–—-]\s")
_JOINTS = {
    "zh": re.compile(r"以及|还有|并且|而且|同时|另外|或者|还是|和|与|及|跟|、(?!\d)"),
    "en": re.compile(r"\b(?:as well as|and|or|but|also|then|versus|vs\.?)\b", re.I),
}
_RELATES = {
    "zh": re.compile(
        r"关系|关联|联系|区别|异同|差别|差异|差距|差多少|不同|不一样|一样|相同|相似|类似|对比|比较|相比|比起来|之间|共同|"
        r"哪一?[个种款家台项者]|谁更"
    ),
    "en": re.compile(
        r"\b(?:relat(?:ed?|es|ions?|ionships?)|connect(?:ed|ions?)|differ(?:s|ent|ences?)?|similar(?:ity|ities)?|same|"
        r"alike|compar(?:ed?|es|ing|isons?)|in common|interact|overlap)\b",
        re.I,
    ),
}
"""What is said of two things together: behind them, it holds for neither alone."""
_OPENS_RELATION = {
    "zh": re.compile(r"比较|对比|比一比|区分|分清"),
    "en": re.compile(
        r"\b(?:between|compar(?:e|ing|isons? of)|distinguish|contrast|tell apart|relationship of|difference of)\b", re.I
    ),
}
"""What is said of two things together before they are named."""
_NEW_QUESTION = {
    "zh": re.compile(r"\s*(?:怎么|怎样|如何|为什么|为何|什么时候|多少|多久|是否|能否|要不要|能不能|可不可以|有没有)"),
    "en": re.compile(
        r"\s*(?:how|what|when|where|who|whom|whose|why|is|are|was|were|do|does|did|can|could|should|must|may|will)\b",
        re.I,
    ),
}
"""What begins a question of its own behind a conjunction."""
_ASKS = re.compile(
    r"(?:各自?|分别|都)?(?:(?P<word>怎|如何|为什么|为何|什么|哪|几|多[少久长大高重远])|有|是|要|能|会|可以|需要|吗|呢)"
)
"""In Chinese, what is asked of a thing, behind its name."""
_ATTRIBUTE = re.compile(r"多(?:[久长大高重远]|少(?!钱))")
"""Behind an attribute of the thing: 保修多久 asks for the warranty of what stands before it."""
_OWNER = re.compile(r"\s*(?:of|for|on)\s+(?:(?:the|an?|my|our|your)\s+)?", re.I)
"""Between a property and its thing."""
_SAYS_NOTHING = re.compile(r"(?:办|样|回事|说|了|呢|吗|啊|的|会|是|这|那|\W)*")
"""Behind a question word, what asks for nothing else: 怎么办."""
_POINTS = {
    "zh": re.compile(r"它们?|他们|她们|两者|这些|那些"),
    "en": re.compile(r"\b(?:its?|they|them|their|these)\b", re.I),
}
"""Words that stand for what an earlier part names."""


@dataclass(frozen=True)
class SubQuestions(Rewording):
    """Splits the question into up to ``n`` sub-questions.

    The rule cuts at punctuation and conjunctions, but not between two things of which one thing is said together
    (their relation, their difference).  A piece without a content word joins the one before; a piece with a single one
    (“and when?”), or with a pronoun, gets the topic words of the first piece, unless these are a property alone (the
    warranty, without the thing that has it).
    """

    label = Said("Sub-questions")
    about = Said("One question for each thing that the question asks.")

    n: int = knob(4, low=1, high=10, label=Said("Sub-questions"), help=Said("Maximum number."))

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(text, Said("sub-question")) for text in items(answers[0], self.n, questions=True))

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        wording, language = Wording.of(corpus), language_of(query)
        pieces: list[str] = []
        for clause in _MARKS.split(query):
            for piece in _cut(clause, language, wording):
                if not wording.content(piece) and pieces and not _asks_anew(piece, language):
                    pieces[-1] = f"{pieces[-1]}{'' if language == 'zh' else ' '}{piece}"
                elif wording.content(piece) or pieces:
                    pieces.append(piece)
        if len(pieces) < 2:
            return ()
        about = _subject(pieces[0], language, wording)
        mark = "？" if language == "zh" else "?"
        variants = []
        for i, piece in enumerate(pieces[: self.n]):
            bare = _NEW_QUESTION[language].sub("", piece, count=1) if language == "zh" else piece
            lonely = (
                i > 0 and about not in piece and (len(wording.content(bare)) < 2 or _POINTS[language].search(piece))
            )
            why = Said("Part {i} of {n}.", i=i + 1, n=len(pieces))
            if lonely:
                why = Said("Part {i} of {n}; “{about}” is from the first part.", i=i + 1, n=len(pieces), about=about)
                piece = f"{about}{'，' if language == 'zh' else ': '}{piece}"
            variants.append(QueryVariant(piece.rstrip("?？.。 ") + mark, Said("sub-question"), why))
        return tuple(variants)


def _subject(piece: str, language: str, wording: Wording) -> str:
    """Returns the topic of a piece: the words before what is asked of it, else its first run of content words."""
    start = _asked(piece, language, wording)
    if start > 0 and (head := piece[:start].strip()):
        words = wording.content(head)
        attribute = _ATTRIBUTE.match(piece, start) and len(words) > 1 and words[-1].end == len(head)
        topic = head[: words[-1].start].rstrip("的 ") if attribute else head
        return "" if len(words) < 2 and PROPERTY[language].search(topic) else topic.rstrip("了")
    first, *other_tokens = wording.content(piece)
    end = first.end
    for token in other_tokens:
        if piece[end : token.start].strip() not in ("", "of"):
            break
        end = token.end
    topic = piece[first.start : end]
    if not PROPERTY[language].search(topic):
        return topic
    owner = _OWNER.match(piece, end)
    rest = piece[owner.end() :] if owner else ""
    return _subject(rest, language, wording) if wording.content(rest) else ""


def _asks_anew(piece: str, language: str) -> bool:
    """Returns whether a Chinese piece without a content word asks something of its own: 怎么申请, but not 怎么办."""
    asks = _NEW_QUESTION[language].match(piece) if language == "zh" else None
    return asks is not None and not _SAYS_NOTHING.fullmatch(piece, asks.end())


def _asked(text: str, language: str, wording: Wording) -> int:
    """Returns where that begins which is asked of the thing named before it; -1 if that is not clear."""
    words = wording.content(text)
    for m in _ASKS.finditer(text if language == "zh" else ""):
        if not any(
            t.start < m.start() < t.end
            or (t.start <= m.start() and m.end() < t.end and not m["word"] and known_word(t.text))
            for t in words
        ):
            return m.start()
    return -1


def _cut(clause: str, language: str, wording: Wording) -> list[str]:
    """Splits a clause at conjunctions with content words on both sides, and never inside a word."""
    words = [(t.start, t.end) for t in wording.content(clause)]
    parts, start = [], 0
    for m in _JOINTS[language].finditer(clause):
        inside = any(a < m.start() < b or a < m.end() < b for a, b in words)
        if not inside and not clause[start : m.start()].strip():  # a clause that begins with “and”
            start = m.end()
        elif inside or _together(clause, start, m, language):
            continue
        elif wording.content(clause[start : m.start()]) and wording.content(clause[m.end() :]):
            parts.append(clause[start : m.start()].strip())
            start = m.end()
    parts = [part for part in [*parts, clause[start:].strip()] if part]
    if len(parts) > 1 and (start := _asked(parts[-1], language, wording)) > 0:
        same = re.sub("^(?:各自?|分别|都)", "", parts[-1][start:])  # asked of each of them
        parts = [*parts[:-1], parts[-1][:start]]
        parts = [part if _asked(part, language, wording) >= 0 else part + same for part in parts]
    return parts


def _together(clause: str, start: int, joint: re.Match[str], language: str) -> bool:
    """Returns whether a conjunction joins two things asked about together: their relation, their difference."""
    if _NEW_QUESTION[language].match(clause, joint.end()):
        return False
    behind, before = clause[joint.end() :], clause[start : joint.start()]
    opened = _OPENS_RELATION[language].search(before)
    joined = opened and _JOINTS[language].search(before, opened.end())  # its second thing was named already
    return bool(_RELATES[language].search(behind) or (opened and not joined))
