"""Which passage is meant: by its id, its title, or a sentence that was pasted.

located = locate("The warranty lasts two years.", corpus)
located.documents       # every passage that contains the sentence
located.sentence        # why there is none, with the nearest passages
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from lab.algebra import Corpus, Document, Runner
from lab.retrieve.lexical import BM25
from lab.text import fold
from lab.words import Said

NEAR = 3
"""Number of passages that are offered instead if none contains the sentence."""
SHORTEST = 3
"""Characters of a sentence on either side of a border: fewer may be there by chance."""


@dataclass(frozen=True)
class Located:
    """The passages that are meant, in corpus order, and by what: ``id``, ``title``, ``text``, or empty if none are.

    ``border`` are two neighbours between which the sentence is cut; ``near`` are passages that share words with it.
    ``text`` is what was asked for.
    """

    text: str
    documents: tuple[Document, ...] = ()
    by: Literal["id", "title", "text", ""] = ""
    border: tuple[Document, ...] = ()
    near: tuple[Document, ...] = ()

    @property
    def sentence(self) -> Said:
        """Says what was recognised, or why nothing was."""
        n = len(self.documents)
        if n > 1:
            return Said("Passages that fit: {n}.", n=n)
        if n:
            return Said("Passage {id}.", id=self.documents[0].id)
        if self.border:
            a, b = self.border
            return Said("No passage contains all of it: its beginning is in {a}, its end in {b}.", a=a.id, b=b.id)
        return Said("No passage has this id, this title or this text.")


def plain(text: str) -> str:
    """Returns a text as it is compared: one spelling of every character, without whitespace."""
    return "".join(fold(text).split())


def locate(text: str, corpus: Corpus) -> Located:
    """Returns the passages of a corpus that an id, a title or a part of their text names."""
    text = text.strip()
    if document := corpus.get(text):
        return Located(text, (document,), "id")
    wanted = plain(text)
    if not wanted or corpus.elsewhere:
        return Located(text)
    if documents := tuple(d for d in corpus if plain(d.id) == wanted):
        return Located(text, documents, "id")
    if documents := tuple(d for d in corpus if plain(d.title) == wanted):
        return Located(text, documents, "title")
    texts = corpus.once(("texts without whitespace",), lambda: tuple((plain(d.title), plain(d.text)) for d in corpus))
    whole = zip(corpus, ("".join(parts) for parts in texts), strict=True)
    if documents := tuple(d for d, content in whole if wanted in content):
        return Located(text, documents, "text")
    pairs = zip(pairwise(corpus.documents), pairwise(body for _, body in texts), strict=True)
    border = next((documents for documents, bodies in pairs if _is_cut(wanted, *bodies)), ())
    near = Runner(corpus, explain=False)(BM25(), text, NEAR) if len(corpus) else ()
    return Located(text, border=border, near=tuple(hit.document for hit in near))


def _is_cut(wanted: str, before: str, after: str) -> bool:
    """Returns whether a text begins at the end of one passage and ends at the beginning of the next."""
    lengths = range(len(wanted) - 1, SHORTEST - 1, -1)
    first = next((n for n in lengths if before.endswith(wanted[:n])), 0)
    last = next((n for n in lengths if after.startswith(wanted[-n:])), 0)
    return first > 0 and last > 0 and first + last >= len(wanted)
