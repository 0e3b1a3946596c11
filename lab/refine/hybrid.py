"""Hybrid similarity: words, vectors, fields, tags and PageRank in one sum.

The reranker of RAGFlow, with every part on the table: a token part that weights a word by its field, a
vector part (or a reranking model instead), and rank features.  It works on windows of the list, so that a document
can only climb within its window; `lab.refine.paging` shows one page of it.

Source: RAGFlow's ``rag/nlp/search.py`` (``rerank``, ``rerank_by_model``, ``_rank_feature_scores``, ``retrieval``) and
``rag/nlp/query.py`` (``token_similarity``), at the versions that `RULES` names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lab.algebra import (
    Contribution,
    Corpus,
    Document,
    Drop,
    Env,
    Hit,
    Outcome,
    Ranking,
    Stage,
    fraction,
    in_order,
    knob,
)
from lab.models.cross_encoders import load
from lab.models.embedders import Embedder, vectors_for
from lab.models.static import EMBEDDER
from lab.numeric import cosines
from lab.refine.coverage import Words
from lab.refine.paging import ROUNDING, aligned
from lab.refine.tags import Tags, cosine
from lab.text import WHOLE_WORDS, Analyzer
from lab.words import N_, Said

RULES = {
    "0.22.0": Said("up to 0.22.0"),
    "0.22.1": Said("0.22.1 to 0.23: tags beside the model"),
    "0.24.0": Said("0.24.0 to 0.25.4: pairs of words, too"),
    "0.25.5": Said("from 0.25.5: vectors keep their weight, too"),
}
"""Versions of RAGFlow by the first one with a rule."""
SINGLE, PAIR = 0.4, 0.6
"""Shares of a term's weight that itself and a pair with its neighbour get."""


@dataclass(frozen=True)
class HybridSimilarity(Stage):
    r"""Reranks by ``(1 - v) * tokens + v * vector + tag_weight * tags + pagerank_weight * PageRank``.

    ========  ============================================================================================
    tokens    sum over the query's distinct terms of w_t (k + 1) f / (f + k), 0 for terms that are absent:
              w_t is IDF, summing to 1; f adds up the weights of the fields that have t: 1 for the text,
              ``title``, ``keywords``, ``questions`` (the last two from the metadata); k is ``saturation``
    vector    the cosine of query and document; with a ``model``, its sigmoid
    tags      the cosine of the query's suggested tags (by lift) and the document's: its ``own``, each
              counting 1, or those ``suggested`` for it by lift.  ``off`` leaves them out
    PageRank  the number in the metadata field ``pagerank``; 0 if it is missing
    ========  ============================================================================================

    v is ``vector_weight``.  With a saturation of 0 a word is there or not, whatever the field: so it is in
    RAGFlow, which repeats the words of better fields but then asks only whether a word occurs.  Its tags
    weigh 10 against a similarity of at most 1: they decide alone.

    Three things follow the version of RAGFlow that ``rules`` names, and show in the score components.  Up to 0.22.0,
    with a ``model`` the rank features are inside the weight of the tokens:
    ``(1 - v) * (tokens + tag_weight * tags + pagerank_weight * PageRank) + v * model``.  From 0.24.0 on, a term counts
    0.4 of its weight, and each pair of neighbours in the query 0.6 of the heavier one's; a field has a pair if its
    distinct words have it (in RAGFlow, the fields follow each other: a pair can cross their border).  Up to 0.25.4, the
    tokens count with weight 1 if all cosines of a window are 0.

    Windows of ``window`` documents are reranked one after the other, in whole pages of ``page_size`` by ``rounding``.
    What stays below ``threshold`` is dropped.
    """

    inputs = ("question", "texts", "metadata")
    role = "rerank"
    label = Said("Hybrid similarity")
    about = Said("Adds up words by field, vector, tags and PageRank, as RAGFlow does.")

    vector_weight: float = fraction(
        0.7,
        Said("Weight of the vector"),
        Said("The words have the rest. RAGFlow's retrieval gives the vector 0.3, its rerank function by itself 0.7."),
    )
    threshold: float = knob(
        0.2, Said("Minimum similarity"), Said("Removes values below this."), low=0.0, high=20.0, step=0.05
    )
    title: float = knob(
        2.0,
        Said("Weight of titles"),
        Said("Weight of a title word; a body word counts 1."),
        low=0.0,
        high=20.0,
        step=0.5,
    )
    keywords: float = knob(
        5.0,
        Said("Weight of keywords"),
        Said("Weight of a keyword; a body word counts 1."),
        low=0.0,
        high=20.0,
        step=0.5,
    )
    questions: float = knob(
        6.0,
        Said("Weight of questions"),
        Said("Weight of a word in an attached question; a body word counts 1."),
        low=0.0,
        high=20.0,
        step=0.5,
    )
    saturation: float = knob(
        1.0,
        Said("Saturation of fields"),
        Said("0: only the presence of a word counts, in any field."),
        low=0.0,
        high=20.0,
        step=0.5,
        rare=True,
    )
    tag_source: str = knob(
        "off",
        Said("Tags"),
        Said("Rank feature: ten times the cosine of the query's and the document's tags."),
        choices={"off": Said("off"), "own": Said("the document's own"), "suggested": Said("suggested")},
    )
    tag_weight: float = knob(
        10.0, Said("Weight of the tags"), Said("RAGFlow's is 10."), low=0.0, high=100.0, step=0.5, rare=True
    )
    pagerank_weight: float = knob(
        1.0,
        Said("Weight of PageRank"),
        Said("Multiplied by a number in the document's metadata, if it has one."),
        low=0.0,
        high=100.0,
        step=0.5,
        rare=True,
    )
    window: int = knob(64, Said("Rerank window"), Said("Rounded to whole pages."), low=1, high=1000, rare=True)
    rounding: str = ROUNDING()
    page_size: int = knob(
        10,
        Said("Candidates per page"),
        Said("The rerank window is a multiple of the page size."),
        low=1,
        high=100,
        rare=True,
    )
    rules: str = knob(
        "0.22.0",
        Said("Rules of RAGFlow"),
        Said("The version whose rules hold for tags with a model, pairs of words, and windows without a vector."),
        choices=RULES,
        rare=True,
    )
    model: str = knob(
        "",
        Said("Model"),
        Said("Name of a cross-encoder of the run; its sigmoid replaces the cosine. Empty: the cosine."),
        kind="model",
    )
    embedder: Embedder = EMBEDDER()
    tagger: Tags = knob(Tags(), Said("Tagger"), Said("The documents from which tags are suggested."), kind="spec")
    analyzer: Analyzer = WHOLE_WORDS(kw_only=True)

    def has(self, version: str) -> bool:
        """Returns whether the rules are those of this version of RAGFlow or of a later one."""
        versions = list(RULES)
        return versions.index(self.rules) >= versions.index(version)

    @property
    def aligned_window(self) -> int:
        """Returns the window rounded to whole pages, so that no page crosses a border."""
        return aligned(self.window, self.page_size, self.rounding)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        kept_hits: list[Hit] = []
        dropped: list[Drop] = []
        rated = parts(self, ranking, env)
        low = N_("Similarity {score:.3f} ({tokens:.3f} from tokens, {vector:.3f} from the vector); limit {limit:.2f}.")
        for start in range(0, len(rated), self.aligned_window):
            block = rated[start : start + self.aligned_window]
            good = [Hit(p.document, p.score, p.why) for p in block if p.score >= self.threshold]
            kept_hits += in_order(good, ranking)
            for p in block:
                if not p.score >= self.threshold:
                    values = {"score": p.score, "tokens": p.why[0].value, "vector": p.why[1].value}
                    dropped.append(Drop(p.document, Said(low, **values, limit=self.threshold), self.label))
        return Outcome(kept_hits, dropped, rated)


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one query term adds to the token part of one document.

    ``weight`` is its share of the query's weight; ``fields`` are those that have it, ``strength`` their
    weights added up (f), ``factor`` its saturation; ``value = weight * factor``.
    """

    term: str
    idf: float
    weight: float
    fields: tuple[str, ...]
    strength: float
    factor: float
    value: float


@dataclass(frozen=True, slots=True)
class Parts:
    """One document's hybrid similarity: its parts before weighting, the weighted components, and their sum."""

    document: Document
    terms: tuple[TermPart, ...]
    tokens: float
    vector: float
    tags: float
    pagerank: float
    why: tuple[Contribution, ...]
    score: float


def parts(hybrid: HybridSimilarity, ranking: Ranking, env: Env) -> tuple[Parts, ...]:
    """Returns the parts of every hit, in the order of the ranking."""
    if not ranking.hits:
        return ()
    documents = [h.document for h in ranking.hits]
    corpus, query = ranking.corpus, ranking.query.text
    words = Words.of(hybrid.analyzer, ranking, env)
    size = hybrid.aligned_window
    if hybrid.model:
        near = load(hybrid.model).scores(query, [d.content for d in documents], activation="sigmoid")
    else:
        near, _ = cosines(*vectors_for(hybrid.embedder, query, documents, corpus, env))
    tags = _tag_part(hybrid, query, documents, corpus, env)
    values, all_parts = near.tolist(), []
    windows = range(0, len(values), size)
    alone = not hybrid.model and not hybrid.has("0.25.5")
    blind = [alone and not any(values[start : start + size]) for start in windows]
    asked = _asked(hybrid, words)
    for i, (document, vector, tag) in enumerate(zip(documents, values, tags, strict=True)):
        v = 0.0 if blind[i // size] else hybrid.vector_weight
        inside = 1 - v if hybrid.model and not hybrid.has("0.22.1") else 1.0
        terms = tuple(_term_parts(hybrid, asked, _field_words(document, corpus, words.analyzer)))
        tokens, rank = math.fsum(t.value for t in terms), _number(document.metadata.get("pagerank"))
        why = [
            Contribution(Said("tokens"), (1 - v) * tokens),
            Contribution(Said("model") if hybrid.model else Said("vector"), v * vector),
        ]
        if hybrid.tag_source != "off":
            why.append(Contribution(Said("tags"), inside * hybrid.tag_weight * tag))
        if rank:
            why.append(Contribution("PageRank", inside * hybrid.pagerank_weight * rank))
        all_parts.append(Parts(document, terms, tokens, vector, tag, rank, tuple(why), math.fsum(c.value for c in why)))
    return tuple(all_parts)


def _asked(hybrid: HybridSimilarity, words: Words) -> list[tuple[tuple[str, ...], float, float]]:
    """Returns the query's terms, and its pairs of neighbours if the rules have them, with IDF and weight (sum 1)."""
    known = list(zip(words.tokens, words.idf.tolist(), words.weights.tolist(), strict=True))
    if not hybrid.has("0.24.0"):
        return [((term,), rarity, weight) for term, rarity, weight in known]
    shares: list[tuple[tuple[str, ...], float, float]] = [((t,), rarity, SINGLE * w) for t, rarity, w in known]
    shares += [((a, b), max(x, y), PAIR * max(v, w)) for (a, x, v), (b, y, w) in pairwise(known)]
    total = math.fsum(share for _, _, share in shares)
    return [(term, rarity, share / total if total else 0.0) for term, rarity, share in shares]


def _term_parts(
    hybrid: HybridSimilarity,
    asked: Sequence[tuple[tuple[str, ...], float, float]],
    fields: Mapping[str, frozenset[tuple[str, ...]]],
) -> list[TermPart]:
    strengths = {"text": 1.0, "title": hybrid.title, "keywords": hybrid.keywords, "questions": hybrid.questions}
    k = hybrid.saturation
    term_parts = []
    for term, rarity, weight in asked:
        having = tuple(name for name in strengths if term in fields[name])
        f = math.fsum(strengths[name] for name in having)
        factor = (k + 1) * f / (f + k) if f > 0 else 0.0
        term_parts.append(TermPart(" ".join(term), rarity, weight, having, f, factor, weight * factor))
    return term_parts


def _field_words(document: Document, corpus: Corpus, analyzer: Analyzer) -> Mapping[str, frozenset[tuple[str, ...]]]:
    """Returns the words of every field and the pairs of neighbours among its distinct words.

    Those of documents in the corpus are tokenized once and cached with it.
    """
    in_corpus = corpus.get(document.id) == document
    cache: dict[str, Mapping[str, frozenset[tuple[str, ...]]]] = (
        corpus.once(("field words", analyzer), dict) if in_corpus else {}
    )
    if document.id not in cache:
        fields = {"text": document.text, "title": document.title}
        for name in ("keywords", "questions"):
            value = document.metadata.get(name, "")
            fields[name] = "\n".join(value) if isinstance(value, list) else str(value)
        cache[document.id] = {name: _with_pairs(analyzer.tokens(text)) for name, text in fields.items()}
    return cache[document.id]


def _with_pairs(tokens: Iterable[str]) -> frozenset[tuple[str, ...]]:
    distinct = list(dict.fromkeys(tokens))
    return frozenset([*((token,) for token in distinct), *pairwise(distinct)])


def _tag_part(
    hybrid: HybridSimilarity, query: str, documents: Sequence[Document], corpus: Corpus, env: Env
) -> list[float]:
    """Returns the cosine of the query's tags and each document's: its own, each counting 1, or suggested, by lift."""
    tagger = hybrid.tagger
    if hybrid.tag_source == "off":
        return [0.0] * len(documents)
    tag_weights = {s.tag: s.weight for s in tagger.for_query(query, corpus, env)}
    if hybrid.tag_source == "own":
        return [cosine(tag_weights, dict.fromkeys(tagger.of(d), 1.0)) for d in documents]
    return [cosine(tag_weights, {s.tag: s.weight for s in tagger.for_document(d, corpus, env)}) for d in documents]


def _number(value: object) -> float:
    """Returns a metadata value as a finite number, else 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return 0.0
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0
