"""Splits documents into chunks, and records the position of every chunk in its text.

`lab.derive.packing` cuts the text at its best borders, without overlap: its pieces join up to the text.  The overlap is
then taken from the text before each chunk.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from lab.algebra import Corpus, Derivation, Document, Env, Label, Progress, knob
from lab.derive.packing import Packing, solid
from lab.errors import ParameterError
from lab.reading.headings import paragraphs, sections
from lab.reading.names import Names
from lab.text import count_tokens
from lab.text.borders import CLAUSE_END, SENTENCE_END, next_word_border, whole_signs
from lab.words import N_, Said

_TEXT = r"\s*(?=[^\s|])"
"""Whitespace before text, but not before the border of a cell."""
_CRUMB = 20
"""Maximum length under which a chunk is enlarged by the end of the one before it."""
_SIGN = 32
"""Maximum characters of a sign that is displayed as one, such as a flag or a family."""
FETCH = partial(
    knob,
    3,
    low=1,
    high=20,
    label=Said("Chunks per document"),
    help=Said("Chunks retrieved for each document wanted: the first ten chunks often belong to few documents."),
    rare=True,
)
"""A knob for derivations that make several entries per document."""


@dataclass(frozen=True)
class Parts(Derivation):
    """Splits documents into parts: subclasses define where in `cut`, and which documents stay whole in `stays`."""

    @abstractmethod
    def cut(self, text: str) -> Iterable[tuple[int, int, dict[str, Any]]]:
        """Yields (start, end) of every part in order, each with its additional metadata."""

    @abstractmethod
    def stays(self, document: Document) -> bool:
        """Whether a document is not split, and keeps its id."""

    def chunk(self, document: Document) -> list[Document]:
        """Returns the parts of a document, with ids ``id#1``, ``id#2``, ...; its title, if ``titles``; its metadata.

        In the metadata, ``parent`` is its id, ``chunk`` counts from 1, ``start`` is the part's position in its text.
        """
        return [*self._parts(document, str)]

    def _parts(self, document: Document, name_for: Callable[[str], str]) -> Iterator[Document]:
        """Yields the parts of a document; ``name_for`` turns each proposed id into a free one."""
        if self.stays(document):
            yield document
            return
        parent, text, known = document.id, document.text, dict(document.metadata)
        title = document.title if getattr(self, "titles", True) else ""
        for n, (a, b, more) in enumerate(self.cut(text), 1):
            metadata = known | {"parent": parent, "chunk": n, "start": a} | more
            name = document.name and Label(f"{document.name} · {n}", document.name.start)
            yield Document(name_for(f"{parent}#{n}"), text[a:b], self.titled(title, more), metadata, name=name)

    def titled(self, title: str, more: Mapping[str, Any]) -> str:
        """Returns the title of a part, from its document's title and its additional metadata."""
        return title

    def chunk_all(self, documents: Iterable[Document], *, progress: Progress | None = None) -> list[Document]:
        """Splits all documents: a document keeps its id, and a part whose id is a document's gets a free one."""
        return [part for part, _ in self._pairs(tuple(documents), progress)]

    def _pairs(self, documents: Sequence[Document], progress: Progress | None) -> Iterator[tuple[Document, str]]:
        names = Names(d.id for d in documents)
        for i, d in enumerate(documents):
            if progress:
                progress(i, len(documents))
            for part in self._parts(d, names.fresh):
                yield part, d.id

    def derive(self, corpus: Corpus, env: Env) -> list[tuple[Document, str]]:
        return list(self._pairs(corpus.documents, env.progress))


@dataclass(frozen=True)
class Chunk(Parts):
    """Splits documents into chunks of at most ``size``; each repeats up to ``overlap`` of the previous one.

    A document that is not longer than ``size`` stays as it is, under its own id.  ``unit`` is characters, or tokens as
    `lab.text.count_tokens` estimates them.  Raises `ParameterError` unless overlap < size.

    ``at`` the exact length, every chunk but the last has ``size``, even if a word is split; only a sign that is
    displayed as one stays whole.  ``at`` paragraphs, headings or clauses (`lab.reading.headings`) no chunk crosses
    their borders; longer ones are split by size.  The title of a section's chunks is the document's title and the path
    of headings; their metadata has the path as ``heading``, and its depth as ``level``.
    """

    label = Said("Chunk")
    about = Said("Splits long documents at paragraphs, sentences and clauses.")

    size: int = knob(
        400,
        Said("Chunk size"),
        Said("Maximum length. Splits at paragraphs, then sentences, then clauses."),
        low=20,
        high=10_000,
        step=10,
    )
    overlap: int = knob(
        50, Said("Overlap"), Said("Characters repeated from the previous chunk."), low=0, high=5000, step=5
    )
    unit: str = knob(
        "characters",
        Said("Length in"),
        Said("Tokens are estimated: one for each Han character, or for up to six letters."),
        choices={"characters": Said("characters"), "tokens": Said("tokens (estimated)")},
    )
    at: str = knob(
        "size",
        Said("Split at"),
        Said(
            "Chunks never cross a paragraph, a heading (# Title, Chapter 1, 第一章, 1.2 Title) or a clause (Article 5, "
            "第三条); longer ones are split inside. The exact length splits in mid-sentence and mid-word."
        ),
        choices={
            "size": Said("sentence borders (default)"),
            "paragraph": Said("paragraphs"),
            "heading": Said("headings"),
            "clause": Said("clauses (Article 5, § 5)"),
            "exact": Said("the exact length"),
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.size:
            wrong = N_("overlap is {overlap}, but must be smaller than size, which is {size}.")
            remedy = Said("Choose a smaller overlap.")
            raise ParameterError(Said(wrong, overlap=self.overlap, size=self.size), remedy)

    @property
    def _length(self) -> Callable[[str], int]:
        return len if self.unit == "characters" else count_tokens

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Returns (start, end) of every chunk in order, without whitespace at the ends; empty for a blank text.

        Every character that is not whitespace is in at least one chunk, except for headings that became titles.
        """
        return [(a, b) for a, b, _ in self.cut(text)]

    def _by_size(self, text: str) -> list[tuple[int, int]]:
        if self._length(text) <= self.size:
            return [solid(text, 0, len(text))] if text.strip() else []
        if self.at == "exact":
            return [*self._exactly(text)]
        packing = Packing(text, self.size, self.overlap, self._length)
        spans: list[tuple[int, int]] = []
        for begin, stop in packing.pieces():
            start, end = solid(text, begin, stop)
            if start == end:
                continue
            room = min(self.overlap, self.size - self._length(text[start:end]))
            if spans and room > 0:
                start = self._reach_back(packing, spans[-1][0], start, room)
            if spans and self._length(text[start:end]) < self._crumb:
                start = self._enlarged(packing, spans, start, end)
            spans.append((start, end))
        return spans

    @property
    def _crumb(self) -> int:
        """The length under which a chunk is enlarged."""
        return min(_CRUMB, max(3, self.size // 20))

    def _enlarged(self, packing: Packing, spans: list[tuple[int, int]], start: int, end: int) -> int:
        """Returns where a short chunk begins if it takes the end of the previous one, which is shortened."""
        text, (low, _) = packing.text, spans[-1]
        room = min(max(self.size // 4, self._crumb), self.size - self._length(text[start:end]))
        place = self._reach_back(packing, low, start, room)
        before = solid(text, low, place)
        if place >= start or self._length(text[slice(*before)]) < self._crumb:
            return start
        spans[-1] = before
        return place

    def _exactly(self, text: str) -> Iterator[tuple[int, int]]:
        """Splits at the exact length; each chunk begins ``overlap`` before the end of the previous one."""
        start = 0
        while start < len(text):
            end = self._reach(text, start, self.size)
            a, b = solid(text, start, end)
            if a < b:
                yield a, b
            if end == len(text):
                return
            start = max(start + 1, self._reach(text, start, self.size - self.overlap))

    def _reach(self, text: str, start: int, length: int) -> int:
        """Returns the end of a stretch of this length that begins at ``start``; at least one sign further."""
        if self.unit == "characters":
            end = start + length
        else:
            ends = range(start, min(len(text), start + 8 * length) + 1)
            end = start + max(1, bisect_left(ends, True, key=lambda at: self._length(text[start:at]) > length) - 1)
        end, low = min(end, len(text)), max(start, end - _SIGN)
        near = text[low : end + _SIGN]
        return low + next(iter(whole_signs(near, list(range(end - low, len(near) + 1)))), end - low)

    def cut(self, text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for begin, end, more in self._sections(text):
            for a, b in self._by_size(text[begin:end]):
                yield begin + a, begin + b, more

    def _sections(self, text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yields (start, end) of each section, which no chunk crosses, and the metadata of its chunks."""
        if self.at in ("size", "exact"):
            yield 0, len(text), {}
        elif self.at == "paragraph":
            yield from ((a, b, {}) for a, b in paragraphs(text))
        else:
            for s in sections(text, with_clauses=self.at == "clause"):
                yield s.start, s.end, {"heading": s.title, "level": s.level} if s.path else {}

    def titled(self, title: str, more: Mapping[str, Any]) -> str:
        return " › ".join(filter(None, (title, more.get("heading", ""))))

    def stays(self, document: Document) -> bool:
        return self._length(document.text) <= self.size and (
            self.at in ("size", "exact") or [more for *_, more in self._sections(document.text)] in ([], [{}])
        )

    def _reach_back(self, packing: Packing, low: int, start: int, room: int) -> int:
        """Returns the beginning of a chunk including its overlap of at most ``room``.

        This is the first sentence or line in reach, else the first clause or word, else the limit; never inside a table
        row or a block of code.  Every chunk begins after ``low``, the beginning of the previous one.
        """
        text = packing.text
        before = text[low + 1 : start]
        reach = start - len(before)
        reach += bisect_left(range(len(before)), True, key=lambda i: self._length(before[i:]) <= room)
        window = text[reach:start]
        end = reach + len(window.rstrip())
        for pattern in (rf"(?:\n\s*(?=\S)|{SENTENCE_END}{_TEXT})", rf"{CLAUSE_END}{_TEXT}", rf"\s{_TEXT}"):
            for border in re.finditer(pattern, window):
                place = reach + border.end()
                if place < end and not packing.inside(place):
                    return place
        if packing.inside(reach) or reach == low + 1:  # inside a row, or all of the previous chunk but one sign
            return start
        place, _ = solid(text, min(next_word_border(text, reach), start), start)
        return place

    def at_least(self, documents: Iterable[Document]) -> int:
        """Returns a lower bound of the number of chunks, from the lengths, without splitting."""
        return sum(sum(self._least(d.text[a:b]) for a, b, _ in self._sections(d.text)) or 1 for d in documents)

    def _least(self, text: str) -> int:
        length = self._length(text)
        return 1 if length <= self.size else ceil(length / self.size)
