"""The units of a passage that an answer quotes: sentences, the answer to a printed question, a list, a row of a table.

A sentence that asks answers nothing: it is compared with the question together with what follows it, up to the next
question, and only that is quoted.  A list is quoted with the line that opens it.  A row of a table is said with the
names of its columns; the names alone are no unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from lab.answer.asking import asks
from lab.reading.header import score
from lab.text import is_han
from lab.text.borders import CLOSING, QUESTION_MARKS
from lab.text.quantities.numbers import UP_TO_99

LONGEST = 600
"""Maximum characters of a unit of several sentences; what follows is quoted sentence by sentence."""

_MARKUP = r"[\s>*_#|]*"
_NUMBER = rf"(?:\d{{1,2}}|{UP_TO_99})"
_ITEM = re.compile(
    rf"{_MARKUP}(?:[-–—•·▪◦●○■□]\s+|[*+]\s+|{_NUMBER}[.．)）]\s*(?!\d)|{_NUMBER}、|[(（](?:{_NUMBER}|[a-zA-Z]|[ivx]{{1,4}})[)）]"
    rf"|[a-zA-Z][.)）、]\s*(?![a-z]\.)|[ivx]{{1,4}}[.)]\s|[①-⑳]|第{_NUMBER}[步条项点种]?[，,：:、是]|(?:Step|步骤)\s?\d)"
)
_ASKER = re.compile(rf"{_MARKUP}(?:{_NUMBER}[.、)）]\s*)?(?:问题?|提问|[Qq]|Question|FAQ)\s?\d*\**\s?[:：.、]")
_ANSWERER = re.compile(r"[\s*_]*(?:(?:答案?|回答|[Aa]|Answer)\s?\d*\**\s?[:：.、][\s*_]*)?")
_ASKS = re.compile(rf"[{QUESTION_MARKS}][{QUESTION_MARKS}!！]*[*_{CLOSING}]*\s*$|[吗嘛][。.！!…]*[*_{CLOSING}]*\s*$")
_PARTICLE = re.compile(rf"[呢么][*_{CLOSING}]*\s*$")
_OPENING_MARK = re.compile(r"[\"“‘「『（(【]")
_OPENS = re.compile(
    r"(?:[:：]|(?:下列|如下|以下|步骤|(?i:following|below|as follows|these|steps))[^，,。；;]{0,12}[。.，,]?"
    r"|(?<![。.；;！!])\Z)[*_\s]*\Z"
)
"""The end of a line that opens a list: a colon, words such as “as follows”, or no stop at all."""
_COLON = re.compile(r"[:：]\s*")
_HEADING = re.compile(r"\s*#{1,6}\s")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_BAR = re.compile(r"\s*\|\s*|\t+")


class Unit(NamedTuple):
    """Sentences ``first`` to ``last`` of a passage, of which ``content[start:end]`` is quoted.

    ``begin`` is where the compared text begins, before ``start`` if a printed question belongs to it.  ``text`` is the
    quotation as an answer says it, ``compared`` the text that is compared with the question.
    """

    first: int
    last: int
    start: int
    end: int
    text: str
    compared: str


class _Cell(NamedTuple):
    """A cell of a table: its text at ``content[start:end]``."""

    text: str
    start: int
    end: int


def units(content: str, spans: Sequence[tuple[int, int]]) -> list[Unit]:
    """Returns the units of a passage from its sentences, in order; questions and the heads of tables are none."""
    return list(_Passage(content, spans).units())


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, by 吗 at its end, or because it is printed as a question (Q:, 问：)."""
    if _ASKER.match(sentence):
        return True
    if _PARTICLE.search(sentence):
        return asks(sentence)
    m = _ASKS.search(sentence)
    if not m:
        return False
    closing = sentence[m.start() :].rstrip().rstrip("*_")[-1] in CLOSING
    return not closing or bool(_OPENING_MARK.match(sentence.lstrip(" *_#>\t")))  # He asked “Why?” only reports it


class _Passage:
    """A passage and its sentences, which are counted from 0."""

    def __init__(self, content: str, spans: Sequence[tuple[int, int]]) -> None:
        self.content, self.spans = content, spans
        self.sentences = [content[a:b] for a, b in spans]
        self.asking = [is_question(sentence) for sentence in self.sentences]
        self.rows = self._rows() if "|" in content or "\t" in content else {}

    def units(self) -> Iterator[Unit]:
        i = 0
        while i < len(self.spans):
            if i in self.rows:
                last, unit = self.rows[i]
            elif self.asking[i]:
                last, unit = self._answer(i)
            else:
                last = self._end_of_list(i) if self._opens(i) else i
                unit = self._unit(i, i, last)
            if unit:
                yield unit
            i = last + 1

    def _unit(self, first: int, quoted: int, last: int) -> Unit:
        """Returns a unit that quotes the sentences from ``quoted`` on, without a mark such as 答：, or a semicolon."""
        start, end = self.spans[quoted][0], self.spans[last][1]
        if quoted > first and (mark := _ANSWERER.match(self.content, start, end)) and mark.end() < end:
            start = mark.end()
        quotation = self.content[start:end].rstrip("；; ")  # a clause may end with a semicolon, a quotation does not
        end = start + len(quotation) if quotation else end
        return Unit(first, last, start, end, self.content[start:end], self.content[self.spans[first][0] : end])

    def _new_lines(self, i: int) -> int:
        """Returns the number of line ends before a sentence; two are an empty line."""
        return self.content.count("\n", self.spans[i - 1][1], self.spans[i][0])

    # ----------------------------------------------------------------------------------- printed questions

    def _answer(self, first: int) -> tuple[int, Unit | None]:
        """Returns the last sentence of what follows a printed question, and its unit; None if nothing does.

        If no other question follows, the answer ends with its paragraph or list.
        """
        begin, sentences = first, range(len(self.spans))
        while begin in sentences and self.asking[begin] and begin not in self.rows:
            begin += 1
        end = begin
        while end in sentences and end not in self.rows and not self.asking[end] and not self._too_long(begin, end):
            end += 1
        if not (end in sentences and self.asking[end]):
            inside = (j for j in range(begin + 1, end) if self._new_lines(j) > 1 and not _ITEM.match(self.sentences[j]))
            end = next(inside, end)
        return max(begin, end) - 1, self._unit(first, begin, end - 1) if end > begin else None

    def _too_long(self, begin: int, end: int) -> bool:
        """Whether an answer or a list ends before this sentence: at a heading, or because it would be too long."""
        return bool(_HEADING.match(self.sentences[end])) or self.spans[end][1] - self.spans[begin][0] > LONGEST

    # ----------------------------------------------------------------------------------------------- lists

    def _opens(self, i: int) -> bool:
        """Whether a sentence opens the list that follows it."""
        if i + 1 == len(self.spans) or i + 1 in self.rows or not _ITEM.match(self.sentences[i + 1]):
            return False
        text = self.sentences[i]
        if _ITEM.match(text) and (not _OPENS.search(text) or _form(text) == _form(self.sentences[i + 1])):
            return False
        has_first_item = any(_ITEM.match(text, colon.end()) for colon in _COLON.finditer(text))
        return has_first_item or bool(_OPENS.search(text) or _HEADING.match(text))

    def _end_of_list(self, opening: int) -> int:
        """Returns the last sentence of a list, as far as it fits into `LONGEST`.

        An item on a line of its own has all sentences of the line; one in running text ends with its sentence, unless
        another item follows.
        """
        last, in_lines = opening, self._new_lines(opening + 1) > 0
        for j in range(opening + 1, len(self.spans)):
            if j in self.rows or self.asking[j] or self._too_long(opening, j):
                break
            if _ITEM.match(self.sentences[j]) or (in_lines and not self._new_lines(j)):
                last = j
            elif in_lines or self._new_lines(j) > 1:
                break
        return last

    # ---------------------------------------------------------------------------------------------- tables

    def _rows(self) -> dict[int, tuple[int, Unit | None]]:
        """Returns, for the first sentence of each row of a table, its last one and its unit; a head has none."""
        by_line, rows = dict[int, list[int]](), dict[int, tuple[int, Unit | None]]()
        for i, (start, _) in enumerate(self.spans):
            by_line.setdefault(self.content.rfind("\n", 0, start) + 1, []).append(i)
        for lines in self._tables(sorted(by_line)):
            head = self._head(lines)
            names = [] if head is None else [cell.text for cell in self._cells(head)]
            for line in lines:
                first, last = by_line[line][0], by_line[line][-1]
                named = line == head or _RULE.fullmatch(self._line(line).strip())
                rows[first] = last, None if named else self._row(first, last, names, line)
        return rows

    def _line(self, start: int) -> str:
        end = self.content.find("\n", start)
        return self.content[start : end if end >= 0 else len(self.content)]

    def _tables(self, lines: Sequence[int]) -> Iterator[list[int]]:
        """Yields the tables: the positions of lines with several cells that follow one another, at least two."""
        block = list[int]()
        for line in lines:
            if block and line != block[-1] + len(self._line(block[-1])) + 1:
                yield from [block] if len(block) > 1 else []
                block = []
            if len(self._cells(line)) > 1 or _RULE.fullmatch(self._line(line).strip()):
                block.append(line)
        yield from [block] if len(block) > 1 else []

    def _head(self, lines: Sequence[int]) -> int | None:
        """Returns the line that names the columns: the one over a rule, or one that is unlike those below it."""
        if _RULE.fullmatch(self._line(lines[1]).strip()):
            return lines[0]
        cells = [[cell.text for cell in self._cells(line)] for line in lines]
        if len({len(row) for row in cells}) > 1 or any(map(is_question, cells[0])):
            return None
        asking = any(is_question(cell) for row in cells[1:] for cell in row)
        return lines[0] if asking or score(cells[0], cells[1:]) >= 0 else None

    def _cells(self, start: int) -> list[_Cell]:
        line = self._line(start)
        inner = line.strip().strip("|")
        at = start + line.find(inner)
        borders = [(at, at), *((at + m.start(), at + m.end()) for m in _BAR.finditer(inner)), (at + len(inner),) * 2]
        places = (_solid(self.content, a, b) for (_, a), (b, _) in pairwise(borders))
        return [_Cell(self.content[a:b], a, b) for a, b in places]

    def _row(self, first: int, last: int, names: Sequence[str], line: int) -> Unit | None:
        """Returns the unit of a row: its cells, each with the name of its column, but no printed question.

        None if all cells are questions.
        """
        cells = self._cells(line)
        start, end = self.spans[first][0], self.spans[last][1]
        text = self.content[start:end]
        compared = " ".join([*names, text])
        answers = [(name, cell) for name, cell in zip_longest(names, cells) if cell and not is_question(cell.text)]
        if not answers:
            return None
        if len(answers) < len(cells):
            start, end = answers[0][1].start, answers[-1][1].end
            return Unit(first, last, start, end, self.content[start:end], compared)
        if names:
            colon, joint = ("：", "；") if any(map(is_han, compared)) else (": ", "; ")
            filled = ((name, cell) for name, cell in answers if cell.text)
            text = joint.join(f"{name}{colon}{cell.text}" if name else cell.text for name, cell in filled)
        return Unit(first, last, start, end, text, compared)


def _form(item: str) -> str:
    """Returns the form of an item's number, digits and letters alike: (1), 1., 一、, –."""
    m = _ITEM.match(item)
    return re.sub(rf"\d+|{UP_TO_99}|[a-zA-Z]+", "1", m[0].strip()) if m else ""


def _solid(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns (start, end) of a part of a text without whitespace around it."""
    part = text[start:end]
    return end - len(part.lstrip()), start + len(part.rstrip()) if part.strip() else end
