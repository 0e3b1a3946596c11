"""Cutting documents into chunks, with the place of every chunk in its text.

LangChain's `RecursiveCharacterTextSplitter` finds the borders: paragraphs, lines, sentences, clauses, blanks, and
only then anywhere; Chinese and English marks count alike.  It is asked for chunks *without* overlap: those
join up to the text, so that each one's place is a running sum.  (With overlap its own ``add_start_index`` searches
for the chunk in the text, which goes wrong where a text repeats itself.)  The overlap is then taken from the
text before each chunk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lab.core import Document, Operator, knob
from lab.corpus.uploads import Names
from lab.errors import ParameterError
from lab.text import HAN
from lab.words import Said

if TYPE_CHECKING:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

_CLOSING = "[”’」』）)\"'】》]*"
_SENTENCE = rf"(?:[。！？!?；;…]+{_CLOSING}|\.{_CLOSING}(?=\s))"
_CLAUSE = r"(?:[，、：]|[,:](?=\s))"
SEPARATORS = (r"\n\s*\n", r"\n", _SENTENCE, _CLAUSE, r"\s", "")
"""Patterns, strongest first; a full stop or comma ends something only before a blank (v2.1, 10,000)."""

_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]{{1,6}}|[^\w\s]")


def count_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text: one per Han character, per punctuation mark, and per six letters begun of every other word."""
    return sum(1 for _ in _TOKEN.finditer(text))


@dataclass(frozen=True)
class Chunker(Operator):
    """``Document -> [Document]``: chunks of at most ``size``, each beginning with up to ``overlap`` of the one before.

    ``unit`` is characters, or tokens as `count_tokens` estimates them.  Raises `ParameterError` unless
    overlap < size.
    """

    size: int = knob(400, low=20, high=10_000, step=10)
    overlap: int = knob(50, low=0, high=5000, step=5)
    unit: str = knob("characters", choices=("characters", "tokens"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.size:
            raise ParameterError(
                Said(
                    "overlap is {overlap}, but must be smaller than size, which is {size}.",
                    overlap=self.overlap,
                    size=self.size,
                ),
                Said("Choose a smaller overlap."),
            )

    @property
    def _length(self) -> Callable[[str], int]:
        return len if self.unit == "characters" else count_tokens

    @cached_property
    def _splitter(self) -> RecursiveCharacterTextSplitter:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        return RecursiveCharacterTextSplitter(
            separators=list(SEPARATORS),
            is_separator_regex=True,
            keep_separator="end",
            strip_whitespace=False,
            chunk_size=self.size - self.overlap,
            chunk_overlap=0,
            # Never 0 for a blank: the splitter carries pieces of length 0 over into the next chunk as overlap.
            length_function=len
            if self.unit == "characters"
            else lambda piece: max(1, count_tokens(piece)) if piece else 0,
        )

    def spans(self, text: str) -> list[tuple[int, int]]:
        """(start, end) of every chunk in ``text``, in order, without blanks at the ends; none for a blank text.

        Every character that is not blank lies in at least one chunk.
        """
        if self._length(text) <= self.size:
            pieces = [text]
        else:
            pieces = self._splitter.split_text(text)
        out: list[tuple[int, int]] = []
        at = before = 0
        for piece in pieces:
            start, end = at, at + len(piece)
            at = end
            body = piece.strip()
            if not body:
                continue
            start += len(piece) - len(piece.lstrip())
            end -= len(piece) - len(piece.rstrip())
            if out and self.overlap:
                start = self._reach_back(text, before, start)
            out.append((start, end))
            before = start
        return out

    def _reach_back(self, text: str, low: int, start: int) -> int:
        """Where a chunk begins with its overlap: after the first sentence, clause or blank within reach, else at its limit.

        ``low`` is where the chunk before begins: no chunk begins before it or at it.
        """
        reach = self._reach(text, low + 1, start)
        window = text[reach:start]
        for pattern in (_SENTENCE, _CLAUSE, r"\s"):
            found = re.search(rf"{pattern}\s*(?=\S)", window)
            if found and found.end() < len(window.rstrip()):
                return reach + found.end()
        return reach + len(window) - len(window.lstrip())

    def _reach(self, text: str, low: int, start: int) -> int:
        if self.unit == "characters":
            return max(low, start - self.overlap)
        high = start  # the smallest place from which at most ``overlap`` tokens lie before start, by halving
        while low < high:
            middle = (low + high) // 2
            if count_tokens(text[middle:start]) <= self.overlap:
                high = middle
            else:
                low = middle + 1
        return low

    def chunk(self, document: Document) -> list[Document]:
        """The chunks of a document: ids ``id#1``, ``id#2``, ...; its title; its metadata with ``parent`` and ``chunk``.

        A document that is not longer than ``size`` stays as it is, under its own id.
        """
        if self._length(document.text) <= self.size:
            return [document]
        return [
            Document(
                f"{document.id}#{n}",
                document.text[a:b],
                document.title,
                {**document.metadata, "parent": document.id, "chunk": n},
            )
            for n, (a, b) in enumerate(self.spans(document.text), 1)
        ]

    def chunk_all(self, documents: Iterable[Document]) -> list[Document]:
        """`chunk` for all of them; where a chunk's id is taken already it gets a free one, so that all differ."""
        names, out = Names(), list[Document]()
        for document in documents:
            for chunk in self.chunk(document):
                name = names.fresh(chunk.id)
                out.append(chunk if name == chunk.id else Document(name, chunk.text, chunk.title, chunk.metadata))
        return out
