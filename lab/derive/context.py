"""A line of context before every chunk: what the document is about, which a chunk by itself does not say.

The line is the title of the document with its headings, its first sentence, or 50 to 100 tokens that a language model
writes about each chunk after reading the whole document.  It becomes the title of the chunk, so the text of the chunk
and its position stay as they are.

Source: Anthropic, *Introducing Contextual Retrieval*, 2024 (the line by a model; the prompt here is the lab's own).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from lab.algebra import Corpus, Document, Env, Progress, knob
from lab.derive.chunk import FETCH, Parts
from lab.derive.parts import ParentChild
from lab.derive.written import Failure, Written
from lab.models.answers import Unreadable, passage
from lab.models.chat import LanguageModel
from lab.models.consult import Reading
from lab.models.prompting import TEMPLATE, fill
from lab.text import language_of
from lab.text.borders import pieces, sentences
from lab.words import Said

LONGEST = 600
"""Maximum characters of a line; a longer one ends with its last whole sentence."""
BEGINNING, AROUND = 4_000, 8_000
"""Of a longer document, a model reads this many characters from its beginning, and this many around the chunk."""
OMITTED = "\n[…]\n"
_DATA = re.compile(r'[{\[]\s*["{\[\]}]')
"""The beginning of an answer that is data, not sentences."""


@dataclass(frozen=True)
class ContextLine(Written):
    """Puts a line of context before every chunk of ``cut``; a document that is not split stays as it is.

    Without a model, the line is the document's title with its headings, or its first sentence.  With the title, the
    chunks are those of the cut with titles.  If the answers for some chunks cannot be used, these stay without a line
    (`failures`); a model of which no answer of a batch arrives ends the run, as in the other techniques.
    """

    label = Said("Chunks with context")
    about = Said("Searches chunks with a line of context before each.")
    retitles = True

    line: str = knob(
        "title",
        Said("Context line"),
        Said("Without a model: the text that is put before every chunk."),
        choices={"title": Said("title and headings"), "sentence": Said("first sentence of the document")},
    )
    cut: Parts = knob(
        ParentChild(titles=False),
        Said("Chunks"),
        Said("How documents are split. Titles of chunks are replaced by the line."),
        kind="spec",
    )
    fetch: int = FETCH()
    template: str = TEMPLATE(
        help=Said("{document} and {chunk} are filled in. Empty: the lab's prompt."), needs=("document", "chunk")
    )

    def parse(self, answer: str) -> tuple[str, ...]:
        line = shortened(passage(answer))
        if _DATA.match(line) or not any(map(str.isalpha, line)):
            raise Unreadable(answer, Said("one or two sentences"))
        return (line,)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        for i, piece in enumerate(self.units(corpus)):
            if progress:
                progress(i, len(self.units(corpus)))
            origin = self._origin(piece, corpus)
            yield (piece.title if self.line == "title" else first_sentence(origin.text),)

    def derive(self, corpus: Corpus, env: Env) -> list[tuple[Document, str]]:
        texts = self._from_model(corpus, env) if self.model else self.rule(corpus, env.progress)
        lines = {piece.id: text for piece, text in zip(self.units(corpus), texts, strict=True)}
        chunks = self._chunks(corpus)
        with_lines = (replace(d, title=" ".join(lines[d.id])) if d.id in lines else d for d in chunks)
        return [(d, chunks.origins[d.id]) for d in with_lines]

    def units(self, corpus: Corpus) -> Sequence[Document]:
        chunks = self._chunks(corpus)
        return corpus.once(("chunks", chunks.made_by), lambda: tuple(d for d in chunks if d.id not in corpus.positions))

    def prompt_about(self, unit: Document, corpus: Corpus) -> str:
        origin = self._origin(unit, corpus)
        start = unit.metadata.get("start", 0)
        text = excerpt(origin.text, start if isinstance(start, int) else 0, len(unit.text))
        document = "\n".join(filter(None, (origin.title, text)))
        return fill(self.prompt(language_of(origin.content)), document=document, chunk=unit.text)

    def failures(self, corpus: Corpus, model: LanguageModel) -> list[Failure]:
        asked = [unit for unit in self.units(corpus) if self._asks_about(corpus, model, unit)]
        texts: list[object] = [corpus.once(self._place(model, unit), tuple) for unit in asked]
        return [text for text in texts if isinstance(text, Failure)]

    def discard_failures(self, corpus: Corpus, model: LanguageModel) -> None:
        for failure in self.failures(corpus, model):
            corpus.discard(self._place(model, failure.document))
        corpus.discard(self.cache_key({self.model: model}))

    def empty_lines(self, corpus: Corpus) -> int:
        """Returns the number of chunks of a corpus made by this derivation that have no line."""
        return sum(not d.title for d in corpus if d.id != corpus.origins[d.id])

    def _asks_about(self, corpus: Corpus, model: LanguageModel, unit: Document) -> bool:
        return bool(unit.content.strip()) and corpus.holds(self._place(model, unit))

    def _chunks(self, corpus: Corpus) -> Corpus:
        """Returns the chunks of a corpus, each with its document's title."""
        has_titles = any(f.name == "titles" for f in fields(self.cut))
        with_titles: dict[str, Any] = {"titles": True} if has_titles else {}
        return replace(self.cut, **with_titles)(corpus)

    def _origin(self, piece: Document, corpus: Corpus) -> Document:
        return corpus.documents[corpus.positions[self._chunks(corpus).origins[piece.id]]]

    def _place(self, model: LanguageModel, document: Document) -> tuple[object, ...]:
        # the rule's line and the depth do not matter to a model
        rest = type(self)(cut=self.cut, template=self.template)
        return "written", rest, model, document.id

    def _skips(self, readings: Sequence[Reading[tuple[str, ...]]]) -> bool:
        return any(reading.answer is not None for reading in readings)


def first_sentence(text: str) -> str:
    """Returns the first sentence of a text, at most `LONGEST` characters; empty for a blank text."""
    return next((shortened(text[a:b]) for a, b in sentences(text)), "")


def shortened(text: str) -> str:
    """Returns the whole sentences of a text that fit into `LONGEST` characters, or the beginning of its first one."""
    return pieces(" ".join(text.split()), LONGEST)[0].strip()


def excerpt(text: str, start: int, length: int) -> str:
    """Returns what a model reads of a document: all of it, or its beginning and the text around a chunk."""
    if len(text) <= BEGINNING + AROUND:
        return text
    low = max(0, start + length // 2 - AROUND // 2)
    if low <= BEGINNING:
        return text[: BEGINNING + AROUND] + OMITTED
    high = min(len(text), low + AROUND)
    return text[:BEGINNING] + OMITTED + text[low:high] + (OMITTED if high < len(text) else "")
