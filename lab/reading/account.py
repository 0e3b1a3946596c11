"""The account of a file: what it says, counted apart from its reader, and what of it the corpus has.

A format counts what its files say as *statements*: a place (a column, a field, an element, hidden text …) and a text.
What the reader made of them is in texts, titles, ids, fields, questions and judgments.  Equal lines are removed from
both sides first, then lines that are equal but for case, signs and white space, then whole statements whose lines were
joined, then words and numbers.  A part without a counterpart is missing, and named by its place.  Spaces do not count.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from typing import Any, NamedTuple, Protocol

from lab.algebra import Document, Query
from lab.patterns import lazy_pattern
from lab.reading.encodings import clean
from lab.reading.known import JUDGED
from lab.words import N_, Said, ngettext

FRAME, HIDDEN, BINARY, NUMBER = "frame", "hidden", "binary", "number"
"""Kinds of places that are left out on purpose, with their count; `NUMBER`: a cell that a sheet may show otherwise."""
_LEFT_OUT = (FRAME, HIDDEN, BINARY)
PAGE_FRAME, HIDDEN_TEXT, HIDDEN_SHEETS = N_("Frame of the pages"), N_("Hidden text"), N_("Hidden sheets")
HIDDEN_CELLS = N_("Hidden rows and columns")
COMMENTS, DELETED = N_("Comments"), N_("Deleted text (tracked changes)")
REPLACED = Said("Replaced by a later file of the same name")
PICTURES, OUTPUTS, MARKS = N_("Pictures"), N_("Outputs of cells"), N_("Marks of the editor")
"""Names of places that are left out."""
WAYS_IN: Mapping[str, str] = {
    HIDDEN_TEXT: "hidden",
    HIDDEN_SHEETS: "hidden",
    HIDDEN_CELLS: "hidden",
    COMMENTS: "comments",
    OUTPUTS: "outputs",
}
"""What `lab.reading.uploads.Reading.take_in` calls the places that are read if somebody wants them."""
_SIGNS = bytes(c for c in range(128) if not chr(c).isalnum())
_LOWER = bytes(c + 32 if 65 <= c <= 90 else c for c in range(256))
_RAISED = {ord(c): str(unicodedata.digit(c)) for c in "⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"}
_WORD = lazy_pattern(r"[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]|[^\W_\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")
_TAG = lazy_pattern(r"<[^<>]*>")
_BETWEEN = " › "
_EXAMPLE, _SHOWN = 60, 8
"""Characters of an example, and places of a file that are named; the others are summed up."""
_CODE = 40
"""Characters of a code, an identifier or the name of a type, at most."""
_PLAIN_WORD = lazy_pattern(r"[^\W\d_]{3}|[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")
_NUMERIC = frozenset("0123456789+-.")
_JOINED, _FAILED = 30, 100
"""Least length of joined lines that are looked for, and how many may not be found before no more are."""


class Statement(NamedTuple):
    """Something that a file says: ``kind`` and ``name`` of its place, and its lines."""

    kind: str
    name: str
    lines: Sequence[str]


Statements = Callable[[Any, bytes], Iterable[Statement]]
"""Counts what a file says, for a `lab.reading.uploads.Reading` and its bytes."""
Grades = dict[str, dict[str, int]]


class Table(Protocol):
    """The names of a table."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def sheet(self) -> str: ...


class Read(Protocol):
    """What a reader has made of a file: a `lab.reading.uploads.Reading`."""

    documents: list[Document]
    queries: list[Query]
    turns: list[Query]
    qrels: Grades
    turn_qrels: Grades
    subtopics: dict[str, Grades]

    @property
    def tables(self) -> Sequence[Table]: ...

    def hurry(self, step: int = 0) -> None: ...


@dataclass(frozen=True)
class Missing:
    """What the lines of one place say and the corpus has not: its characters, and in how many lines.

    ``is_technical``: these are numbers, codes or the name of a type, outside of records.
    """

    kind: str
    name: str
    characters: int
    count: int
    example: str
    is_technical: bool = False

    @property
    def is_left_out(self) -> bool:
        """Whether it is left out on purpose: the frame of a page, hidden text, data that is not text."""
        return self.kind in _LEFT_OUT

    @property
    def way_in(self) -> str:
        """What the reader has to take in so that it is read; empty if nothing helps."""
        return WAYS_IN.get(self.name, "") if self.is_left_out else ""

    @property
    def sentence(self) -> Said:
        """Where it is and how much it is."""
        if self.is_left_out:
            return Said("{name}, left out. Characters: {chars:,}.", name=Said(self.name), chars=self.characters)
        one, many = _SENTENCES.get(self.kind, _SENTENCES["text"])
        return ngettext(one, many, self.count, name=self.name, chars=_characters(self.characters))


def _characters(count: int) -> Said:
    return ngettext("{n:,} character", "{n:,} characters", count)


_SENTENCES: Mapping[str, tuple[str, str]] = {
    "column": (
        N_("Column “{name}”: {chars} in {n:,} row are in no passage and no field."),
        N_("Column “{name}”: {chars} in {n:,} rows are in no passage and no field."),
    ),
    "field": (
        N_("Field “{name}”: {chars} in {n:,} value are in no passage and no field."),
        N_("Field “{name}”: {chars} in {n:,} values are in no passage and no field."),
    ),
    "element": (
        N_("Element “{name}”: {chars} in {n:,} place are in no passage and no field."),
        N_("Element “{name}”: {chars} in {n:,} places are in no passage and no field."),
    ),
    "text": (
        N_("Text: {chars} in {n:,} line are in no passage."),
        N_("Text: {chars} in {n:,} lines are in no passage."),
    ),
}
REMEDIES: Mapping[str, Said] = {
    "column": Said("Choose it as the text or as a field when you add the file."),
    "field": Said("Give every record a “text” with everything that is to be searched."),
    "element": Said("Save it as a table or as plain text if it is to be searched."),
    "text": Said("Save it as plain text if it is to be searched."),
}


@dataclass(frozen=True)
class Account:
    """Characters of one file, without spaces: ``said = searched + fields + missing``, and those left out on purpose.

    ``searched`` are in texts and titles, ``fields`` in ids, metadata, questions, judgments and names of columns.
    """

    said: int = 0
    searched: int = 0
    fields: int = 0
    places: tuple[Missing, ...] = ()

    @property
    def missing(self) -> tuple[Missing, ...]:
        """The places from which something is missing, the largest first."""
        return tuple(place for place in self.places if not place.is_left_out)

    @property
    def left_out(self) -> tuple[Missing, ...]:
        """The places that are left out on purpose."""
        return tuple(place for place in self.places if place.is_left_out)

    def without(self, name: str) -> Account:
        """Returns the account of the same file when all of it is left out, for the reason that is named."""
        return Account(self.said, places=(Missing(FRAME, name, self.said, 1, ""),))

    @property
    def technical(self) -> tuple[Missing, ...]:
        """The places of which nothing but numbers, codes and names of types is missing."""
        return tuple(place for place in self.missing if place.is_technical)

    @property
    def remarks(self) -> list[tuple[Said, Said]]:
        """A sentence, and what helps, for each place of which something is missing; numbers and codes are the last."""
        named = [place for place in self.missing if not place.is_technical]
        remarks = [(place.sentence, REMEDIES.get(place.kind, Said())) for place in named[:_SHOWN]]
        if rest := named[_SHOWN:]:
            more = sum(place.characters for place in rest)
            remarks.append((Said("Other places: {n}, characters: {chars:,}.", n=len(rest), chars=more), Said()))
        if self.technical:
            remarks.append((gathered(self.technical), Said()))
        return remarks


def gathered(places: Sequence[Missing]) -> Said:
    """Returns one sentence for numbers, codes and names of types."""
    count, characters = sum(place.count for place in places), sum(place.characters for place in places)
    one = N_("Numbers, codes and names of types outside the records: {n:,} value, {chars}.")
    many = N_("Numbers, codes and names of types outside the records: {n:,} values, {chars}.")
    return ngettext(one, many, count, chars=_characters(characters))


def parted(text: str, begin: str, end: str) -> tuple[list[str], list[str]]:
    """Returns the parts of a text outside and inside of these signs, in linear time; what never ends is outside."""
    outside, inside, at = list[str](), list[str](), 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start + len(begin))) >= 0:
        outside.append(text[at:start])
        inside.append(text[start + len(begin) : stop])
        at = stop + len(end)
    return [*outside, text[at:]], inside


def plain(text: str) -> str:
    """Returns the letters and digits of a text in lower case, and signs beyond ASCII."""
    if not text.isascii():
        text = text.translate(_RAISED)
    return text.encode("utf-8", "replace").translate(_LOWER, _SIGNS).decode("utf-8", "replace")


def _length(text: str) -> int:
    """Returns the number of characters, without spaces."""
    return len(text) - text.count(" ")


def words(text: str) -> list[str]:
    """Returns the words and the Chinese characters of a text in lower case; raised digits are digits."""
    if not text.isascii():
        text = text.translate(_RAISED)
    return _WORD.findall(text.lower())


# ------------------------------------------------------------------------------------------------- the sides


class _Side:
    """Lines that the corpus has, each as often as it is there: first as they are, then by letters and digits."""

    def __init__(self, lines: list[str]) -> None:
        self._all = list(map(str.strip, lines))
        self.lines = Counter(self._all)
        self.plain: Counter[str] | None = None
        self._keys = dict[str, str]()

    def replace(self, lines: list[str]) -> None:
        """Puts these lines into the place of all that are left."""
        self.lines, self.plain, self._all = Counter(lines), None, lines

    def strike_plain(self, key: str) -> bool:
        """Strikes off a line with these letters and digits, if one is left."""
        if self.plain is None:
            self.plain = Counter()
            for line, n in self.lines.items():
                if n > 0 and line:
                    self.plain[self.key(line)] += n
        if self.plain.get(key, 0) <= 0:
            return False
        self.plain[key] -= 1
        return True

    def key(self, line: str) -> str:
        """Returns the letters and digits of a line."""
        return self._keys.get(line) or self._keys.setdefault(line, plain(line))

    @property
    def is_used_up(self) -> bool:
        """Whether no line is left, before lines are compared by their letters and digits."""
        return not any(n > 0 and line for line, n in self.lines.items())

    def rest(self) -> list[str]:
        """Returns the lines that are left, in their order."""
        rest = _limit({line: n for line, n in self.lines.items() if n > 0 and line}, reversed(self._all))[::-1]
        return rest if self.plain is None else _limit(self.plain, rest, self.key)


def _limit(counts: Mapping[str, int], lines: Iterable[str], key: Callable[[str], str] = str) -> list[str]:
    left, selection = dict(counts), list[str]()
    for line in lines if left else ():
        if left.get(k := key(line), 0) > 0:
            left[k] -= 1
            selection.append(line)
    return selection


def _sides(reading: Read) -> tuple[_Side, _Side, Counter[float]]:
    """Returns the lines of texts and titles, all other lines, and the numbers of a reading."""
    texts, others, numbers = list[str](), list[str](), list[object]()

    def add(values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, str):
                others.extend(value.split("\n") if "\n" in value else (value,))
            elif isinstance(value, list):
                others.extend(map(str, value))
            elif isinstance(value, bool):
                others.append(str(value))
            else:
                numbers.append(value)

    for document in reading.documents:
        texts += document.text.split("\n")
        texts += document.title.split(_BETWEEN) if _BETWEEN in document.title else (document.title,)
        others.append(document.id)
        add(document.metadata.values())
    others += dict.fromkeys(name for document in reading.documents[:1000] for name in document.metadata)
    for query in (*reading.queries, *reading.turns):
        texts += query.text.split("\n")
        others += (query.id, *query.metadata)
        add(query.metadata.values())
    for grades_of in (reading.qrels, reading.turn_qrels, *reading.subtopics.values()):
        for query_id, grades in grades_of.items():
            others += (*[query_id] * len(grades), *grades)
            numbers += grades.values()
    for query_id, subtopics in reading.subtopics.items():
        others += [query_id] * sum(map(len, subtopics.values()))
    if reading.qrels or reading.turn_qrels or reading.subtopics:
        others += ("subtopic", *(name for names in JUDGED for name in names))
    others += (name for table in reading.tables for name in (*table.columns, table.sheet))
    return _Side(texts), _Side(others), Counter(float(n) for n in numbers if isinstance(n, int | float))


def _shown_first(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yields what is left out on purpose last, so that its lines are not taken for those that are read."""
    later = list[Statement]()
    for statement in statements:
        if statement.kind in _LEFT_OUT:
            later.append(statement)
        else:
            yield statement
    yield from later


def account_of(reading: Read, statements: Iterable[Statement]) -> Account:
    texts, fields, numbers = _sides(reading)
    searched, others, said, in_fields = texts.lines, fields.lines, 0, 0
    rest = list[tuple[Statement, list[str]]]()
    for step, statement in enumerate(_shown_first(statements)):
        reading.hurry(step)
        lines = list[str]()
        line_texts = list(filter(None, map(str.strip, statement.lines)))
        said += _length("".join(line_texts))
        for line in line_texts:
            if n := searched.get(line):
                searched[line] = n - 1
            elif n := others.get(line):
                others[line] = n - 1
                in_fields += _length(line)
            elif numbers and line[0] in _NUMERIC and (number := _number(line)) is not None and numbers[number] > 0:
                numbers[number] -= 1
                in_fields += _length(line)
            else:
                lines.append(line)
        if lines:
            rest.append((statement, lines))
    left = list[tuple[Statement, list[str]]]()
    has_more = bool(rest) and not (texts.is_used_up and fields.is_used_up)
    for step, (statement, lines) in enumerate(rest):
        reading.hurry(step)
        if not has_more:
            left.append((statement, lines))
            continue
        keys = {line: plain(clean(line)[0]) for line in dict.fromkeys(lines)}
        struck = [(line, key) for line in lines if (key := keys[line]) and not texts.strike_plain(key)]
        lines = list[str]()
        for line, key in struck:
            if fields.strike_plain(key):
                in_fields += _length(line)
            else:
                lines.append(line)
        if lines:
            left.append((statement, lines))
    more, places = _words_missing(reading, _not_joined(left, texts), (texts, fields, numbers)) if left else (0, ())
    in_fields += more
    lost = sum(place.characters for place in places)
    return Account(said, said - in_fields - lost, in_fields, places)


def _not_joined(left: list[tuple[Statement, list[str]]], texts: _Side) -> list[tuple[Statement, list[str]]]:
    """Returns the statements without those whose lines a text has one after the other, perhaps joined."""
    starts, parts, at = list[int](), list[str](), 0
    rest = texts.rest()
    for line in rest:
        starts.append(at)
        parts.append(texts.key(line))
        at += len(parts[-1])
    text, begin, failed = "".join(parts), 0, 0
    result, used = list[tuple[Statement, list[str]]](), set[int]()
    for statement, lines in left:
        key = plain("".join(lines))
        found = text.find(key, begin) if len(key) >= _JOINED and failed < _FAILED else -1
        if found < 0:
            failed += len(key) >= _JOINED
            result.append((statement, lines))
            continue
        begin = found + len(key)
        used.update(range(bisect_left(starts, found), bisect_left(starts, begin)))
    texts.replace([line for i, line in enumerate(rest) if i not in used])
    return result


def _words_missing(
    reading: Read, left: list[tuple[Statement, list[str]]], sides: tuple[_Side, _Side, Counter[float]]
) -> tuple[int, tuple[Missing, ...]]:
    """Returns how many characters of these lines are in fields, and the places of those that are nowhere."""
    texts, fields, numbers = sides
    text_words, field_words = (Counter(words("\n".join(side.rest()))) for side in (texts, fields))
    in_fields, found, lost_lines = 0, dict[tuple[str, str], tuple[int, int, str]](), dict[tuple[str, str], set[str]]()
    nowhere = dict[str, int]()
    for step, (statement, lines) in enumerate(left):
        reading.hurry(step)
        kind = "column" if statement.kind == NUMBER else statement.kind
        for line in lines:
            length = _length(line)
            lost = nowhere.get(line, 0)
            if not lost:
                _, in_field, lost = _matched(line, length, text_words, field_words, numbers, statement.kind == NUMBER)
                in_fields += in_field
                if lost == length:  # words are only removed: a text that matches nothing now never will
                    nowhere[line] = lost
            if lost:
                before, count, example = found.get((kind, statement.name), (0, 0, line))
                found[kind, statement.name] = before + lost, count + 1, example
                lost_lines.setdefault((kind, statement.name), set()).add(line)
    columns = {column for table in reading.tables for column in table.columns}
    places = (
        Missing(kind, name, lost, count, " ".join(example.split())[:_EXAMPLE], technical)
        for (kind, name), (lost, count, example) in found.items()
        for technical in (kind == "field" and name not in columns and _is_technical(lost_lines[kind, name]),)
    )
    return in_fields, tuple(sorted(places, key=lambda place: -place.characters))


def _is_technical(lines: set[str]) -> bool:
    """Whether these lines are numbers or codes, or all the same word: they say nothing to a reader."""
    if all(_PLAIN_WORD.search(line) is None for line in lines):
        return True
    bare = all(len(line) <= _CODE and len(line.split()) == 1 for line in lines)
    return bare and (len(lines) == 1 or all(any(c.isdigit() or c in "_-./:" for c in line) for line in lines))


def _matched(
    text: str, length: int, texts: Counter[str], fields: Counter[str], numbers: Counter[float], shown: bool
) -> tuple[int, int, int]:
    """Returns how many of the characters of a line are in texts, in fields, and in neither."""
    if (number := _number(text)) is not None:
        if numbers.get(number, 0) > 0:
            numbers[number] -= 1
            return 0, length, 0
        if shown and any(_strike(counts, writing) for counts in (fields, texts) for writing in _writings(number)):
            return 0, length, 0
    if "<" in text or "&" in text:
        text = unescape(_TAG.sub(" ", text))
    in_texts = in_fields = lost = 0
    for word in words(text):
        if texts.get(word, 0) > 0:
            texts[word] -= 1
            in_texts += len(word)
        elif fields.get(word, 0) > 0:
            fields[word] -= 1
            in_fields += len(word)
        elif any(_strike(counts, parts) for counts in (texts, fields) for parts in _parts(word)):
            in_texts += len(word)
        else:
            lost += len(word)
    if not lost:
        return length - in_fields, in_fields, 0
    lost = min(lost, length)
    in_fields = min(in_fields, length - lost)
    return length - lost - in_fields, in_fields, lost


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", ""))
    except ValueError:
        return None


def _parts(word: str) -> Iterator[list[str]]:
    """Yields the two parts of a word that a line break or a hyphen may have joined."""
    if 4 <= len(word) <= 60:
        for i in range(1, len(word)):
            yield [word[:i], word[i:]]


def _writings(number: float) -> Iterator[list[str]]:
    """Yields the words of other writings of a number in a workbook: a day, a time, a percentage, leading zeros."""
    if 0 <= number < 2_958_466:
        moment = datetime(1899, 12, 30) + timedelta(seconds=round(number * 86_400))
        yield words(f"{moment:%Y-%m-%d}") if number == int(number) else words(f"{moment:%Y-%m-%d %H:%M:%S}")
        yield words(f"{moment:%H:%M:%S}")
        yield words(f"{number * 100:g}")
        for width in range(2, 13):
            yield [f"{number:0{width}.0f}"]


def _strike(counts: Counter[str], written: list[str]) -> bool:
    """Strikes words off, if all of them are there."""
    if not all(counts.get(word, 0) > 0 for word in written):
        return False
    for word in written:
        counts[word] -= 1
    return True
