"""What was read of documents, what will not show much on them, and what will: each with the number it rests on.

For documents of one's own: nobody has chosen them so that a technique acts on them.
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
"""In fewer passages ranks hardly move."""
LONG = 1000
"""Characters of a passage from which on its vector is the mean of many things."""
COMPARED = 200
"""So many passages, evenly spread, are compared with each other."""
_OF_CUTTING = {"parent", "chunk", "start", "level", "heading", "page", "row"}


@dataclass(frozen=True)
class Overview:
    """Counts of a corpus.

    ``scripts``: passages by what most of their words are written in (`lab.text.script`); ``lengths``: the shortest,
    the median and the longest, in characters; ``long``: passages over `LONG`; ``documents``: those that the passages
    were cut from; ``headings``: passages with a title; ``fields``: metadata beside what cutting has noted; ``nearest``:
    the highest cosine of two of the ``compared`` passages, None where there are no two; ``copies``: those that have
    another one at the limit of `SemanticDedup` or nearer.
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
        """The fields with two values or more that several passages share: what filters and counts go by."""
        return tuple(f for f in self.fields if f.shared)


@dataclass(frozen=True)
class Note:
    """A sentence about a page: by its file name, what the visitor will see there, or why not much."""

    page: str
    told: Said


def overview(collection: Collection, stats: Statistics, embedder: Embedder | None = None) -> Overview:
    """The counts; ``stats`` are those of `lab.corpus.statistics`, ``embedder`` compares passages (the built-in one)."""
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
        fields=tuple(f for f in stats.fields if f.name not in _OF_CUTTING and not _one_file(f)),
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
    """The highest cosine of two passages, how many have one at the limit of `SemanticDedup`, of how many."""
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
    """What will not show much on this corpus, and why."""
    n, half = o.passages, -(-o.passages // 2)
    if n < FEW:
        idf = f"{okapi(half, n):.2f}" if n else "0"
        said = N_(
            "Passages: only {n}. Every list contains nearly all of them, and Okapi's IDF of a word in {half} of "
            "{n} is {idf}."
        )
        yield Note("compare", Said(said, n=n, half=half, idf=idf))
    if len(o.scripts) == 1:
        ((only, written),) = o.scripts.items()
        names = {"zh": Said("Chinese"), "en": Said("English"), "other": Said("another language")}
        said = N_(
            "Passages in {language}: {k} of {n}, in other languages: none. Nothing can be found across languages."
        )
        yield Note("vocabulary", Said(said, k=written, n=n, language=names[only]))
    if not o.groups:
        said = N_(
            "Metadata fields: {n}, but no two passages share a value. Filters and counts have nothing to work with."
        )
        yield Note("filter", Said(said, n=len(o.fields)))
    if o.nearest is not None and not o.copies:
        said = N_("Passages compared: {n}. No duplicates: the highest cosine is {cosine}, the threshold {limit}.")
        limit = f"{SemanticDedup().threshold:.2f}"
        yield Note("mmr", Said(said, n=o.compared, cosine=f"{o.nearest:.2f}", limit=limit))
    if o.long:
        said = N_("Passages of more than {limit} characters: {n}, the longest {longest}; each has only one vector.")
        yield Note("granularity", Said(said, n=o.long, limit=f"{LONG:,}", longest=f"{o.lengths[2]:,}"))


def promising(o: Overview) -> Iterator[Note]:
    """The pages that will show something on this corpus, and why."""
    if len(o.scripts) > 1:
        (one, a), (other, b) = [*o.scripts.items()][:2]
        names = {"zh": Said("Chinese"), "en": Said("English"), "other": Said("another language")}
        said = N_(
            "Passages in {one}: {a}, in {other}: {b}. Compare what words find and what vectors find across "
            "the two languages."
        )
        yield Note("compare", Said(said, a=a, b=b, one=names[one], other=names[other]))
    elif o.passages >= FEW:
        yield Note("compare", Said("Passages: {n}. Compare what words find and what vectors find.", n=o.passages))
    if chinese := o.scripts.get("zh", 0):
        yield Note("tokenizer", Said("Passages in Chinese: {n}. Word boundaries depend on the tokenizer.", n=chinese))
    if o.long:
        said = N_("Passages of more than {limit} characters: {n}. Chunks can be found when the whole passage is not.")
        yield Note("granularity", Said(said, n=o.long, limit=f"{LONG:,}"))
    if o.groups:
        field = o.groups[0]
        said = N_("Different values of the field “{field}”: {k}, in passages: {n}.")
        yield Note("filter", Said(said, field=field.name, k=field.distinct, n=field.count))
    if o.copies:
        said = N_("Passages with a near-duplicate: {n} of {m}. Duplicates take the place of other results.")
        yield Note("mmr", Said(said, n=o.copies, m=o.compared))
    if o.conversations:
        yield Note("dialogue", Said("Conversations that came with the documents: {n}.", n=o.conversations))
    if o.judged:
        yield Note("evaluate", Said("Judged questions: {n}. Measures are available at once.", n=o.judged))
    elif o.passages > 1:
        yield Note("judge", Said("No question is judged: judge three, and measures are available at once."))
