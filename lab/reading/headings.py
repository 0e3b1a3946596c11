"""Headings in plain text: finds lines that are headings by their wording, since the text has no styles.

Headings are Markdown's signs (``## Returns``), chapters by their word (Chapter 1: …, 第一章 …, Part Two), and numbered
titles (1. Title, 1.2 标题, 一、标题).  A numbered line may also be an item of a list: it is a heading if it is short,
does not end a sentence, has text under it, and its number continues the previous one, beginning at 1.

Clauses of contracts, laws and rules (第三条, Article 5, Clause 5, § 5) are below all headings.  Most of them have their
text in the same line: then the line stays, and only the number is the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.patterns import lazy_pattern
from lab.text import width
from lab.text.quantities.numbers import UP_TO_99, han_number

_FENCE = lazy_pattern(r"\s{0,3}(```+|~~~+)")
_ATX = lazy_pattern(r"\s{0,3}(?P<signs>#{1,6})\s+(?P<title>\S.*?)(?:\s+#+)?\s*$")
_HAN_NUMBER = "[0-9〇零一二三四五六七八九十百千两]{1,7}"
_NUMBER = r"(?:\d{1,4}|[IVXLC]{1,7}|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
_WORD = lazy_pattern(
    rf"\s*(?:(?P<part>(?i:part|book|volume))|(?P<chapter>(?i:chapter|appendix))|(?P<section>(?i:section)))\s+"
    rf"(?:{_NUMBER}|[A-Z])\b(?:\s*$|\s*[.:：\-–—]\s*\S.*$|\s+[A-Z\d“\"].*$)"
)
_HAN_WORD = lazy_pattern(
    rf"\s*(?:第\s*{_HAN_NUMBER}\s*(?:(?P<part>[部卷编編篇])|(?P<chapter>[章回讲講课課])|(?P<section>[节節]))"
    rf"|(?P<appendix>附[录錄]{_HAN_NUMBER}?)|(?P<volume>卷{_HAN_NUMBER}))(?:\s*$|[\s:：.、·—-]\s*\S.*$)"
)
_NUMBERED = lazy_pattern(r"\s{0,3}(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?P<dot>[.、．]?)\s+(?P<title>[^\W\d].*)$")
_HAN_NUMBERED = lazy_pattern(rf"\s{{0,3}}(?P<number>{UP_TO_99})、\s*(?P<title>\S.*)$")
_ENDS = tuple("。.；;，,：:！!、")
_LONGEST, _LONGEST_NUMBERED, _LONGEST_CLAUSE = 80, 60, 40
"""Columns of a heading."""
_HAN_CLAUSE = rf"第[ ]?{_HAN_NUMBER}[ ]?[条條](?:之[一二三四五六七八九十]{{1,2}})?|제\s?\d{{1,4}}\s?조(?:의\s?\d+)?"
_CLAUSE_WORD = r"(?i:clause|article|art\.|cláusula|artículo|artikel|artigo|articolo)\s?|§{1,2}\s?"
_CLAUSE_NUMBER = r"(?:\d{1,4}(?:\.\d{1,3})*[a-z]?|[IVXLC]{1,7})(?![\w%]|\.\d)"
_CLAUSE = lazy_pattern(
    rf"[ \t\u3000]*(?:[*_]{{2}})?(?P<number>{_HAN_CLAUSE}|(?:{_CLAUSE_WORD}){_CLAUSE_NUMBER})(?:[*_]{{2}})?"
    r"(?P<sign>[ \t\u3000]*[.:：、．)）—–-]?)(?P<rest>[^\n]*)"
)
_DECIMAL_CLAUSE = lazy_pattern(
    r"[ \t]{0,8}(?P<number>\d{1,2}(?:\.\d{1,2}){1,3})(?P<sign>[.)]?[ \t]+)(?P<rest>[^\W\d][^\n]*)"
)
"""Clauses by numbers alone, in texts without a word for them."""
_REFERS = lazy_pattern(
    r"(?:[,，;；]|[和或与及至到、的之所]|第|中|规定|規定|约定|約定|款|项|項|(?i:abs|satz|nr|lit|bgb)\b|[a-zà-ÿ])"
)
"""What follows the number of a clause that is spoken of, where a line was broken."""
_CLAUSE_NAME = lazy_pattern(r"[【\[（(〔]([^】\]）)〕\n]{1,30})[】\]）)〕]")
_CLAUSE_LEVEL = 9
_LEVELS = {"part": 1, "volume": 1, "chapter": 2, "appendix": 2, "section": 3}
_BELOW = 3
"""The level of a numbered title is this and one for each number: under chapters, and 1.2 under 1."""


@dataclass(frozen=True)
class Heading:
    """A heading: its line is ``text[start:end]``; of two, the one with the lower level is above the other."""

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True)
class Section:
    """The text under a heading: ``text[start:end]``; ``path`` are the headings down to it, ``level`` is from 1.

    Text before the first heading has an empty path and level 0.  A heading without text of its own is kept as the text.
    """

    path: tuple[str, ...]
    level: int
    start: int
    end: int

    @property
    def title(self) -> str:
        """The path as a title, in the form of the sections of a Word file."""
        return " › ".join(self.path)


def headings(text: str, *, with_clauses: bool = False) -> list[Heading]:
    """Returns the headings of a plain text, in order; ``with_clauses``, those too (without a word: 1.1, 1.2)."""
    titles = _headings(text)
    if not with_clauses:
        return titles
    numbered = clauses(text)
    if not numbered:
        numbered = _clauses(text, _DECIMAL_CLAUSE)
        titles = [*titles, *_above(text, numbered, {title.start for title in titles})]
    begins = {clause.start for clause in numbered}
    return sorted([*(title for title in titles if title.start not in begins), *numbered], key=lambda h: h.start)


def clauses(text: str) -> list[Heading]:
    """Returns the clauses of a text that have a word or a sign for them."""
    return _clauses(text, _CLAUSE)


def _clauses(text: str, pattern: re.Pattern[str]) -> list[Heading]:
    lines = ((m.start(), pattern.match(m[0])) for m in re.finditer(r"[^\n]+", text))
    return [_clause(text, at, line) for at, line in lines if line and not _only_refers(line)]


def _above(text: str, numbered: list[Heading], known: set[int]) -> Iterator[Heading]:
    """The lines such as “1. Deposit” before a clause 1.1."""
    for clause in numbered:
        start = text.rfind("\n", 0, max(0, clause.start - 1)) + 1
        line = text[start : clause.start].rstrip("\n")
        whole = re.escape(clause.title.partition(".")[0])
        named = re.match(rf"\s*{whole}[.、)]?\s+[^\W\d]", line)
        if named and start not in known and start < clause.start and not line.rstrip().endswith(_ENDS):
            yield Heading(" ".join(line.split()), _CLAUSE_LEVEL - 1, start, start + len(line))


def _only_refers(line: re.Match[str]) -> bool:
    """Whether a line begins by mentioning a clause, and does not begin it."""
    return bool(line["rest"]) and not line["sign"].strip() and _REFERS.match(line["rest"].lstrip()) is not None


def _clause(text: str, start: int, line: re.Match[str]) -> Heading:
    """A clause; its line is a heading if it holds a name only, with the text below."""
    number, rest = " ".join(line["number"].split()), line["rest"].strip().strip("*_ ")
    begin = start + len(line[0]) - len(line[0].lstrip())
    name = _CLAUSE_NAME.match(rest)
    if name and len(rest) > name.end():
        return Heading(f"{number} {name[1].strip()}", _CLAUSE_LEVEL, begin, begin)
    below = text[start + line.end() :].lstrip("\n").partition("\n")[0]
    short = width(rest) <= _LONGEST_CLAUSE and not rest.endswith((*_ENDS, "?", "？"))
    if short and below.strip() and not _CLAUSE.match(below):
        end = start + line.end()
        return Heading(" ".join(f"{number}{line['sign'].rstrip()} {rest}".split()), _CLAUSE_LEVEL, begin, end)
    return Heading(number, _CLAUSE_LEVEL, begin, begin)


def is_heading(line: str) -> bool:
    """Whether a line by itself looks like a heading, or like a clause without its text."""
    if _level_and_number(line) is not None:
        return True
    clause = _CLAUSE.match(line)
    return clause is not None and width(line.strip()) <= _LONGEST_CLAUSE and not line.rstrip().endswith(_ENDS)


def _headings(text: str) -> list[Heading]:
    candidates, fence = list[tuple[Heading, str]](), ""
    for m in re.finditer(r"[^\n]+", text):
        line = m[0]
        if len(line) > 4 * _LONGEST:
            continue
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and (candidate := _level_and_number(line)):
            level, number = candidate
            sign = _ATX.match(line)
            candidates.append((Heading(sign["title"] if sign else " ".join(line.split()), level, *m.span()), number))
    numbered = _numbered(text, candidates)
    return [heading for heading, number in candidates if not number or heading.start in numbered]


def _level_and_number(line: str) -> tuple[int, str] | None:
    """Returns the level of a line that looks like a heading, and the number of a numbered title; None for text."""
    if width(line.strip()) > _LONGEST:
        return None
    if sign := _ATX.match(line):
        return len(sign["signs"]), ""
    if line.rstrip().endswith(_ENDS):
        return None
    for pattern in (_WORD, _HAN_WORD):
        if word := pattern.match(line):
            return next(_LEVELS[name] for name, matched in word.groupdict().items() if matched), ""
    if width(line.strip()) <= _LONGEST_NUMBERED:
        if numbered := _NUMBERED.match(line):
            return _BELOW + 1 + numbered["number"].count("."), numbered["number"]
        if numbered := _HAN_NUMBERED.match(line):
            return _BELOW, numbered["number"]
    return None


def _numbered(text: str, candidates: list[tuple[Heading, str]]) -> set[int]:
    """Returns the starts of the numbered titles that are headings, two or more of a kind: see the module."""
    chains: dict[str, list[tuple[tuple[int, ...], int]]] = {}
    ends = [heading.start for heading, _ in candidates[1:]] + [len(text)]
    for i, ((heading, number), end) in enumerate(zip(candidates, ends, strict=False)):
        deeper = i + 1 < len(candidates) and candidates[i + 1][1] and candidates[i + 1][0].level > heading.level
        if not number or not (deeper or text[heading.end : end].strip()):
            continue
        parts, kind = _counted(number), "一" if not number[0].isdigit() else heading.title[len(number)]
        if len(parts) > 1:  # 1.2 belongs under both 1 and 1.
            kind = next(
                (k for k, chain in chains.items() if chain[-1][0] < parts and chain[-1][0][0] == parts[0]), kind
            )
        chain = chains.get(kind, [])
        if parts > chain[-1][0] if chain else set(parts) <= {0, 1}:
            chains.setdefault(kind, []).append((parts, heading.start))
    return {start for chain in chains.values() if len(chain) > 1 for _, start in chain}


def _counted(number: str) -> tuple[int, ...]:
    """Reads 1.2 as (1, 2), 十二 as (12,)."""
    if number[0].isdigit():
        return tuple(map(int, number.split(".")))
    return (int(han_number(number) or 0),)


def sections(text: str, *, with_clauses: bool = False) -> list[Section]:
    """Splits a text into sections, in order: all text that is not blank, except the lines of headings with text.

    ``with_clauses``: each clause is a section.
    """
    titles = headings(text, with_clauses=with_clauses)
    result, path = list[Section](), list[Heading]()
    borders = [Heading("", 0, 0, 0), *titles, Heading("", 0, len(text), len(text))]
    for heading, after in pairwise(borders):
        if heading.level:
            path = [above for above in path if above.level < heading.level] + [heading]
        start, end = _solid(text, heading.end, after.start)
        if start == end and heading.level and not (after.level > heading.level):
            start, end = _solid(text, heading.start, heading.end)  # nothing is under it
        if start < end:
            result.append(Section(tuple(ancestor.title for ancestor in path), len(path), start, end))
    return result


def _solid(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the range without whitespace at both ends."""
    piece = text[start:end]
    return (start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())) if piece.strip() else (end, end)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of the paragraphs between blank lines, without whitespace at the ends."""
    at = 0
    for m in re.finditer(r"\n[^\S\n]*\n\s*", text + "\n\n"):
        start, end = _solid(text, at, min(m.start(), len(text)))
        if start < end:
            yield start, end
        at = m.end()
