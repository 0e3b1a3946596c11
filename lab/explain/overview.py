"""A summary of a corpus, what will show little on it, and what is worth trying: each with its number.

It is for a visitor's own documents, which were not chosen so that a technique has an effect on them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

import numpy as np

from lab.algebra import Corpus
from lab.corpus.beir import Collection
from lab.corpus.statistics import FieldSummary, Statistics
from lab.models.embedders import Embedder, rows_for
from lab.models.static import BuiltIn
from lab.numeric import cosines
from lab.refine.filters import ALIKE, SemanticDedup
from lab.text import script
from lab.words import N_, Said

FEW = 5
"""With fewer passages ranks hardly move."""
LONG = 1000
"""Characters from which on a passage has too many topics for one vector."""
COMPARED = 200
"""Maximum number of passages, evenly spread, that are compared with each other."""
_FROM_CHUNKING = {"parent", "chunk", "start", "level", "heading", "page", "row"}


@dataclass(frozen=True)
class Overview:
    """Counts of a corpus.

    ``scripts``: passages by the script of most of their words (`lab.text.script`); ``lengths``: the shortest, the
    median and the longest, in characters; ``long``: passages over `LONG`; ``documents``: those that the passages
    were split from; ``headings``: passages with a title; ``fields``: metadata that chunking did not add; ``nearest``:
    the highest cosine of two of the ``compared`` passages, None with fewer than two; ``copies``: passages that have
    a neighbour at or above the threshold of `SemanticDedup`.
    """

    passages: int
    documents: int
    scripts: Mapping[str, int]
    lengths: tuple[int, float, int]
    long: int
    headings: int
    fields: tuple[FieldSummary, ...]
    compared: int
    nearest: float | None
    copies: int
    judged: int
    conversations: int

    @property
    def groups(self) -> tuple[FieldSummary, ...]:
        """The fields with at least two values that several passages share: useful for filters and counts."""
        return tuple(f for f in self.fields if f.shared)


@dataclass(frozen=True)
class Note:
    """A sentence about a page, given by its file name: what it will show, or why it will show little."""

    page: str
    sentence: Said


def overview(collection: Collection, stats: Statistics, embedder: Embedder | None = None) -> Overview:
    """Counts a corpus, given its statistics from `lab.corpus.statistics`; the default embedder is the built-in one."""
    corpus = collection.corpus
    lengths = stats.lengths or (0,)
    nearest, copies, compared = _near(corpus, embedder or BuiltIn())
    return Overview(
        passages=len(corpus),
        documents=len({str(d.metadata.get("parent", d.id)) for d in corpus}),
        scripts=MappingProxyType(dict(Counter(filter(None, (script(d.content[:5000]) for d in corpus))).most_common())),
        lengths=(min(lengths), float(median(lengths)), max(lengths)),
        long=sum(n > LONG for n in lengths),
        headings=sum(bool(d.title) for d in corpus),
        fields=tuple(f for f in stats.fields if f.name not in _FROM_CHUNKING and not _one_file(f)),
        compared=compared,
        nearest=nearest,
        copies=copies,
        judged=len(collection.judged),
        conversations=len(collection.conversations),
    )


def _one_file(field: FieldSummary) -> bool:
    """Whether this is the name of the one file that was uploaded."""
    return field.name == "source" and field.distinct < 2


def _near(corpus: Corpus, embedder: Embedder) -> tuple[float | None, int, int]:
    """Returns the highest cosine of two passages, how many are near-duplicates, and how many were compared."""
    n = min(len(corpus), COMPARED)
    chosen = [corpus.documents[len(corpus) * i // n] for i in range(n)]
    if n < 2:
        return None, 0, n
    rows = rows_for(embedder, chosen, corpus)
    between = np.array(cosines(rows[0], rows)[1])
    np.fill_diagonal(between, -1)
    most = between.max(axis=1)
    return float(most.max()), int((most >= SemanticDedup().threshold - ALIKE).sum()), n


def okapi(df: int, n: int) -> float:
    """Okapi's IDF of a word in ``df`` of ``n`` passages, ln((n - df + .5) / (df + .5))."""
    return math.log((n - df + 0.5) / (df + 0.5))


def warnings(o: Overview) -> Iterator[Note]:
    """Yields a warning for each page that will show little on this corpus, with the reason."""
    n, half = o.passages, -(-o.passages // 2)
    if n < FEW:
        idf = f"{okapi(half, n):.2f}" if n else "0"
        template = N_(
            "Passages: only {n}. Every list contains nearly all of them, and Okapi's IDF of a word in {half} of "
            "{n} is {idf}."
        )
        yield Note("compare", Said(template, n=n, half=half, idf=idf))
    if len(o.scripts) == 1:
        ((only, written),) = o.scripts.items()
        names = {"zh": Said("Chinese"), "en": Said("English"), "other": Said("another language")}
        template = N_(
            "Passages in {language}: {k} of {n}, in other languages: none. Nothing can be found across languages."
        )
        yield Note("vocabulary", Said(template, k=written, n=n, language=names[only]))
    if not o.fields:
        yield Note("filter", Said("No metadata fields: filters and counts have nothing to work with."))
    elif not o.groups:
        template = N_(
            "Metadata fields: {n}, but no two passages share a value. Filters and counts have nothing to work with."
        )
        yield Note("filter", Said(template, n=len(o.fields)))
    if o.nearest is not None and not o.copies:
        template = N_("Passages compared: {n}. No duplicates: the highest cosine is {cosine}, the threshold {limit}.")
        limit = f"{SemanticDedup().threshold:.2f}"
        yield Note("mmr", Said(template, n=o.compared, cosine=f"{o.nearest:.2f}", limit=limit))
    if o.long:
        template = N_("Passages of more than {limit} characters: {n}, the longest {longest}; each has only one vector.")
        yield Note("granularity", Said(template, n=o.long, limit=f"{LONG:,}", longest=f"{o.lengths[2]:,}"))


def promising(o: Overview) -> Iterator[Note]:
    """Yields a note for each page that will show something on this corpus, with the reason."""
    if len(o.scripts) > 1:
        (first, a), (second, b) = [*o.scripts.items()][:2]
        names = {"zh": Said("Chinese"), "en": Said("English"), "other": Said("another language")}
        template = N_(
            "Passages in {one}: {a}, in {other}: {b}. Compare what words find and what vectors find across "
            "the two languages."
        )
        yield Note("compare", Said(template, a=a, b=b, one=names[first], other=names[second]))
    elif o.passages >= FEW:
        yield Note("compare", Said("Passages: {n}. Compare what words find and what vectors find.", n=o.passages))
    if chinese := o.scripts.get("zh", 0):
        yield Note("tokenizer", Said("Passages in Chinese: {n}. Word boundaries depend on the tokenizer.", n=chinese))
    if o.long:
        template = N_(
            "Passages of more than {limit} characters: {n}. Chunks can be found when the whole passage is not."
        )
        yield Note("granularity", Said(template, n=o.long, limit=f"{LONG:,}"))
    if o.groups:
        field = o.groups[0]
        template = N_("Different values of the field “{field}”: {k}, in passages: {n}.")
        yield Note("filter", Said(template, field=field.name, k=field.distinct, n=field.count))
    if o.copies:
        template = N_("Passages with a near-duplicate: {n} of {m}. Duplicates take the place of other results.")
        yield Note("mmr", Said(template, n=o.copies, m=o.compared))
    if o.conversations:
        yield Note("dialogue", Said("Conversations that came with the documents: {n}.", n=o.conversations))
    if o.judged:
        yield Note("evaluate", Said("Judged questions: {n}. Measures are available at once.", n=o.judged))
    elif o.passages > 1:
        yield Note("judge", Said("No question is judged: judge three, and measures are available at once."))
