"""Compression: of every document only the sentences that bear on the query.

`SentenceExtractor` replaces each document by a shortened one with the same id; its evidence lists every sentence as
kept or removed.  Kept sentences are verbatim.

Source: the extracting compressors of LangChain (``LLMChainExtractor``, ``EmbeddingsFilter`` on split text),
here by sentence similarity, without a language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lab.algebra import Document, Drop, Env, Outcome, Progress, Ranking, Stage, knob
from lab.models.embedders import Embedder, encoder_of
from lab.models.static import EMBEDDER
from lab.numeric import unit
from lab.text import count_tokens
from lab.text.borders import sentences
from lab.words import N_, Said


@dataclass(frozen=True)
class SentenceExtractor(Stage):
    """Keeps the sentences whose cosine with the query is at least ``threshold``, ``at_most`` per document.

    The ``at_least`` best stay whatever their cosine is; with 0 a document without any is dropped.  Titles
    and scores stay; kept sentences that were neighbours stay joined, a gap becomes a line break.  The hits
    hold new documents with the old ids; the evidence is one `Extract` per hit.
    """

    inputs = ("question", "texts")
    role = "compress"
    label = Said("Sentence extractor")
    about = Said("Keeps sentences similar to the query.")
    makes_documents = True

    threshold: float = knob(
        0.3, Said("Sentences: cosine from"), Said("Removes sentences below this."), low=-1.0, high=1.0, step=0.05
    )
    at_least: int = knob(
        1, Said("Minimum sentences"), Said("The best sentences are kept, however low they score."), low=0, high=20
    )
    at_most: int = knob(
        5, Said("Maximum sentences"), Said("The best sentences are kept, in the order of the text."), low=1, high=100
    )
    embedder: Embedder = EMBEDDER()

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        hits, drops, extracts_found = [], [], extracts(self, ranking, env.progress)
        message = N_("No sentence is relevant to the query: best cosine {cosine:.3f}; threshold {limit:.2f}.")
        for hit, extract in zip(ranking.hits, extracts_found, strict=True):
            if extract.spans and not any(s.kept for s in extract.spans):
                best = max(s.similarity for s in extract.spans)
                drops.append(Drop(hit.document, Said(message, cosine=best, limit=self.threshold), self.label))
            else:
                hits.append(replace(hit, document=extract.document))
        return Outcome(hits, drops, extracts_found)


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of the original text, ``text[start:end]``, its cosine with the query, and whether it stays."""

    start: int
    end: int
    similarity: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Extract:
    """One document before and after: the sentences in order, and the sizes of the text.

    Tokens are estimates, see `lab.text.count_tokens`.
    """

    original: Document
    document: Document
    spans: tuple[Span, ...]

    @property
    def characters(self) -> tuple[int, int]:
        """Characters of the text before and after."""
        return len(self.original.text), len(self.document.text)

    @property
    def tokens(self) -> tuple[int, int]:
        """Estimated tokens of the text before and after."""
        return count_tokens(self.original.text), count_tokens(self.document.text)


def extracts(extractor: SentenceExtractor, ranking: Ranking, progress: Progress | None = None) -> tuple[Extract, ...]:
    """Returns the extract of every hit, in the order of the ranking."""
    if not ranking.hits:
        return ()
    documents = [h.document for h in ranking.hits]
    encoder = encoder_of(extractor.embedder, ranking.corpus, progress=progress)
    spans = [sentences(d.text) for d in documents]
    flat = [d.text[a:b] for d, sentence_spans in zip(documents, spans, strict=True) for a, b in sentence_spans]
    if not flat:
        return tuple(Extract(d, d, ()) for d in documents)
    query = unit(encoder.queries([ranking.query.text]))[0]
    near = np.einsum("ij,j->i", unit(encoder.documents(flat, progress=progress)), query).tolist()
    extracts_found, at = [], 0
    for document, sentence_spans in zip(documents, spans, strict=True):
        extracts_found.append(_extract(extractor, document, sentence_spans, near[at : at + len(sentence_spans)]))
        at += len(sentence_spans)
    return tuple(extracts_found)


def _extract(
    extractor: SentenceExtractor, document: Document, spans: Sequence[tuple[int, int]], near: Sequence[float]
) -> Extract:
    order = sorted(range(len(spans)), key=lambda i: (-near[i], i))
    least, most = order[: extractor.at_least], order[: extractor.at_most]
    keep = {*least, *(i for i in most if near[i] >= extractor.threshold)}
    spans_kept = tuple(Span(a, b, near[i], i in keep) for i, (a, b) in enumerate(spans))
    text, end, last = "", 0, -2
    for i in sorted(keep):
        a, b = spans[i]
        between = "" if last < 0 else document.text[end:a] if i == last + 1 else "\n"
        text, end, last = text + between + document.text[a:b], b, i
    return Extract(document, replace(document, text=text) if spans else document, spans_kept)
