"""Documents in parts: children of parents, and single sentences.

Both are searched instead of the documents, and are too short to read: results are lifted back to longer texts
(`lab.algebra.Lift`), so more parts are requested than documents.

Sources: LangChain's ``ParentDocumentRetriever``; LlamaIndex's ``HierarchicalNodeParser`` and
``SentenceWindowNodeParser``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from lab.algebra import Document, knob
from lab.algebra.verbs import SECTION
from lab.derive.chunk import FETCH, Chunk, Parts
from lab.errors import ParameterError
from lab.text.borders import sentences
from lab.words import N_, Said

_TITLES = partial(
    knob,
    True,
    label=Said("With the title"),
    help=Said(
        "Searches every chunk together with its document's title; without it, short chunks resemble each other less."
    ),
    rare=True,
)


@dataclass(frozen=True)
class ParentChild(Parts):
    """Splits documents into parents of at most ``parent`` characters, and these into children of at most ``child``.

    No child crosses the border of its parent.  A document that is not longer than a child stays whole.
    Raises `ParameterError` unless overlap < child <= parent.
    """

    label = Said("Parent and child")
    about = Said("Searches small chunks and returns the texts that they come from.")

    parent: int = knob(
        300,
        Said("Parent"),
        Said("Maximum characters. Auto-merging checks how many of a parent's children were retrieved."),
        low=20,
        high=10_000,
        step=10,
    )
    child: int = knob(
        100,
        Said("Child"),
        Said("Maximum characters. Splits at paragraphs, then sentences, then clauses."),
        low=20,
        high=10_000,
        step=10,
    )
    overlap: int = knob(
        0, Said("Overlap"), Said("Characters repeated from the previous child."), low=0, high=5000, step=5
    )
    at: str = knob(
        "sentence",
        Said("Cut at"),
        Said("The exact length cuts parents and children in mid-sentence and mid-word."),
        choices={"sentence": Said("paragraphs, sentences, clauses"), "exact": Said("the exact length")},
    )
    fetch: int = FETCH()
    titles: bool = _TITLES()

    def __post_init__(self) -> None:
        super().__post_init__()
        for low, high in (("overlap", "child"), ("child", "parent")):
            small, large = getattr(self, low), getattr(self, high)
            if small > large or (small == large and low == "overlap"):
                wrong = N_("{low} is {small}, but {high} is {large}: it must be larger.")
                raise ParameterError(Said(wrong, low=low, small=small, high=high, large=large), Said("Change one."))

    def stays(self, document: Document) -> bool:
        return len(document.text) <= self.child

    def cut(self, text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
        parents, children = self._cutters
        for n, (begin, end) in enumerate(parents.spans(text), 1):
            for a, b in children.spans(text[begin:end]):
                yield begin + a, begin + b, {SECTION: n}

    @cached_property
    def _cutters(self) -> tuple[Chunk, Chunk]:
        at = "exact" if self.at == "exact" else "size"
        return Chunk(size=self.parent, overlap=0, at=at), Chunk(size=self.child, overlap=self.overlap, at=at)


@dataclass(frozen=True)
class Sentences(Parts):
    """Splits documents into sentences; those longer than ``longest`` characters are split at clauses.

    A document of one sentence stays whole.
    """

    label = Said("Sentences")
    about = Said("Searches single sentences and returns the documents that contain them.")

    longest: int = knob(
        400,
        Said("Maximum length"),
        Said("In characters. Longer sentences, for instance tables, are split at clauses."),
        low=20,
        high=10_000,
        step=10,
        rare=True,
    )
    fetch: int = FETCH()
    titles: bool = _TITLES()

    def cut(self, text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for begin, end in sentences(text):
            if end - begin <= self.longest:
                yield begin, end, {}
                continue
            for a, b in self._cutter.spans(text[begin:end]):
                yield begin + a, begin + b, {}

    @cached_property
    def _cutter(self) -> Chunk:
        return Chunk(size=self.longest, overlap=0)

    def stays(self, document: Document) -> bool:
        return len(document.text) <= self.longest and len(sentences(document.text)) <= 1
