"""The laws of the algebra, as checks of one ranking, fusion, explanation or derived corpus.

Each raises `BrokenLaw`, whose message says in a sentence what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from lab.algebra import Corpus, Derivation, Document, Env, Fusion, Hit, Index, Query, Ranking, Searcher, in_order
from lab.derive.chunk import Parts
from lab.retrieve.explaining import Explains
from lab.retrieve.lexical import BM25, LexicalIndex

ROUNDING = 1e-9
"""Sums may differ by this share of the added sizes."""


class BrokenLaw(AssertionError):
    """An operator breaks a law; the message says how."""


def require(condition: bool, sentence: str) -> None:
    """Raises `BrokenLaw` with this sentence unless the condition is true."""
    if not condition:
        raise BrokenLaw(sentence)


# ------------------------------------------------------------------------------------------------- rankings


def check_ranking(ranking: Ranking, corpus: Corpus) -> None:
    """Checks what every ranking keeps to: ranks, scores and their components, lineage, and the corpus."""
    require(isinstance(ranking, Ranking), f"The result is a {type(ranking).__name__}, not a Ranking.")
    require(ranking.corpus is corpus, "The ranking names another corpus than the one that was searched.")
    require(ranking.seconds >= 0, f"The ranking took {ranking.seconds} seconds.")
    check_unique(ranking.hits)
    check_ranks(ranking)
    check_scores(ranking.hits)
    check_addends(ranking.hits)
    check_lineage(ranking)


def snapshot(ranking: Ranking) -> object:
    """Returns everything in a ranking as plain values, to check that it stays the same."""

    def as_values(document: Document) -> object:
        metadata = {k: list(v) if isinstance(v, list) else v for k, v in document.metadata.items()}
        return document.id, document.text, document.title, metadata

    return (
        ranking.query,
        [(as_values(h.document), h.score, [(str(c.source), c.value) for c in h.why]) for h in ranking.hits],
        repr(ranking.made_by),
        [snapshot(parent) for parent in ranking.parents],
        [(as_values(d.document), str(d.reason), d.by) for d in ranking.dropped],
        ranking.seconds,
    )


def check_addends(hits: Sequence[Hit]) -> None:
    """``why``, if there is one, sums to the score within 1e-9 of the sizes that are added."""
    for hit in hits:
        if hit.why:
            total = math.fsum(c.value for c in hit.why)
            size = math.fsum(abs(c.value) for c in hit.why)
            require(
                abs(total - hit.score) <= ROUNDING * max(size, abs(hit.score)),
                f"The score components of “{hit.document.id}” sum to {total}, but its score is {hit.score}.",
            )
            require(all(c.source for c in hit.why), f"A score component of “{hit.document.id}” has no name.")


def check_order(hits: Sequence[Hit], *lists: Ranking) -> None:
    """Scores fall; equal scores are in the order of `lab.algebra.order`, whatever the order of the corpus."""
    for first, other in pairwise(hits):
        a, b = first.document.id, other.document.id
        require(
            first.score >= other.score,
            f"“{a}” ({first.score}) is before “{b}” ({other.score}), which has the higher score.",
        )
        require(
            in_order([other, first], *lists)[0] == first,
            f"“{a}” and “{b}” have the same score, but are not in the order of `lab.algebra.in_order`.",
        )


def check_scores(hits: Sequence[Hit]) -> None:
    """Every score is a finite Python float, and so is every score component."""
    for hit in hits:
        for part, value in [("score", hit.score), *(("score component", c.value) for c in hit.why)]:
            subject = f"The {part} of “{hit.document.id}” is {value!r}"
            require(type(value) is float, f"{subject}, a {type(value).__name__}. Make it a float.")
            require(math.isfinite(value), f"{subject}. It must be a finite number.")


def check_unique(hits: Sequence[Hit]) -> None:
    """No document is in a list twice."""
    ids = [h.document.id for h in hits]
    twice = [i for i in ids if ids.count(i) > 1]
    require(not twice, f"“{twice[0] if twice else ''}” is in the list more than once.")


def check_documents(hits: Sequence[Hit], corpus: Corpus) -> None:
    """Every hit is a document of the corpus, unchanged."""
    for hit in hits:
        document = corpus.get(hit.document.id)
        require(document is not None, f"“{hit.document.id}” is in the list, but not in the corpus.")
        require(document == hit.document, f"“{hit.document.id}” was changed.")


def check_ranks(ranking: Ranking) -> None:
    """The first hit has rank 1; a document that is not in the list has no rank."""
    ids = [h.document.id for h in ranking.hits]
    require([ranking.rank(i) for i in ids] == list(range(1, len(ids) + 1)), "The ranks do not count from 1.")
    require([ranking.hit(i) for i in ids] == list(ranking.hits), "A document of the list leads to another hit.")
    require(ranking.rank("no such document") is None, "A document that is not in the list has a rank.")
    require(ranking.hit("no such document") is None, "A document that is not in the list has a hit.")


def check_lineage(ranking: Ranking) -> None:
    """The lineage names every ranking once, parents first, this one last."""
    order = [id(r) for r in ranking.lineage()]
    require(order[-1] == id(ranking), "The lineage does not end with the ranking.")
    require(len(order) == len(set(order)), "The lineage names a ranking twice.")
    for r in ranking.lineage():
        before = all(order.index(id(p)) < order.index(id(r)) for p in r.parents)
        require(before, "The lineage names a ranking before the one that it was made from.")


def check_nothing_lost(before: Ranking, after: Ranking) -> None:
    """Every document of the input is kept or dropped, once, with a reason; nothing else appears."""
    came = [h.document.id for h in before.hits]
    remaining, dropped = [h.document.id for h in after.hits], [d.document.id for d in after.dropped]
    for doc_id in came:
        n = remaining.count(doc_id) + dropped.count(doc_id)
        require(n > 0, f"“{doc_id}” is lost: it is neither in the list nor among what was dropped.")
        require(n == 1, f"“{doc_id}” is there {n} times, as a hit or as dropped.")
    for doc_id in [*remaining, *dropped]:
        require(doc_id in came, f"“{doc_id}” was not in the list before.")
    for drop in after.dropped:
        require(bool(drop.reason and drop.by), f"“{drop.document.id}” was dropped without a reason or a name.")


# ---------------------------------------------------------------------------------------------- single verbs


def check_match(index: Index, query: str | Query, ranking: Ranking) -> None:
    """No document is returned that shares nothing with the query; one that shares a word is, whatever it scores.

    Searches that do not compare the question with the documents are exempt from this law.
    """
    if not getattr(index.operator, "compares", True):
        return
    if isinstance(index, LexicalIndex):
        has = {d.id for d in index.corpus if any(part.tf for part in index.explain(query, d.id))}
        require(set(ranking.ids) <= has, "A document is in the list that has no word of the query.")
        whole = set(ranking.ids) == has or 0 < len(ranking) == ranking.asked
        require(whole, "A document that has a word of the query is not in the list.")
    else:
        for hit in ranking.hits:
            require(
                hit.score != 0, f"“{hit.document.id}” is in the list with score 0: it shares nothing with the query."
            )


def check_explanation(index: Explains, query: Query, ranking: Ranking) -> None:
    """The formulas of the named terms sum to the score of every result; marked characters are inside the text."""
    names = set(map(str, index.names(query).values()))
    mark = index.marker(query)
    for hit in ranking.hits:
        doc_id = hit.document.id
        explanation = index.explanation(query, doc_id)
        size = math.fsum(abs(addend.value) for addend in explanation.addends.values())
        total = math.fsum(addend.value for addend in explanation.addends.values())
        require(
            abs(total - hit.score) <= 1e-6 * max(size, 1.0),
            f"The formulas of “{doc_id}” sum to {total}, but its score is {hit.score}.",
        )
        unknown = {*map(str, explanation.addends), *map(str, explanation.absent)} - names
        unknown -= set(map(str, explanation.beside))
        require(
            not unknown,
            f"The explanation of “{doc_id}” names “{min(unknown, default='')}”, which is not a term of the question.",
        )
        require(isinstance(explanation.search, Searcher), f"The explanation of “{doc_id}” does not name its search.")
        for start, end in mark(hit.document.text):
            inside = 0 <= start < end <= len(hit.document.text)
            require(inside, f"In “{doc_id}” the characters {start} to {end} are marked, which are not in its text.")


def check_exact_ties(fusion: Fusion, _case: object = None) -> None:
    """Documents whose ranks and scores are the same, but in other lists, have exactly the same fused score.

    The documents take turns: across the lists, each has each rank and score once.
    """
    documents = tuple(Document(f"d{i}", f"text {i}") for i in range(3))
    corpus = Corpus("turns", documents)
    for scores in ((0.7, 0.2, 0.1), (3.3, 1.1, 0.3), (1e9 / 3, 1 / 3, 1 / 7)):
        rankings = []
        for turn in range(3):
            order = documents[turn:] + documents[:turn]
            hits = tuple(Hit(d, score) for d, score in zip(order, scores, strict=True))
            rankings.append(Ranking(Query("turns"), hits, BM25(), corpus=corpus))
        fused = fusion(rankings)
        scored = ", ".join(repr(hit.score) for hit in fused)
        require(
            len({hit.score for hit in fused}) == 1, f"Documents with the same ranks and scores do not tie: {scored}."
        )
        check_order(fused.hits, *rankings)


def check_derived(derivation: Derivation, corpus: Corpus) -> Corpus:
    """Every derived document has its origin, in the order of the origins; returns the derived corpus."""
    derived = derivation(corpus)
    require(derived.parents == (corpus,), "The derived corpus does not name the corpus that it was made from.")
    require(derived.made_by == derivation, "The derived corpus does not name its derivation.")
    require(set(derived.origins) == {d.id for d in derived}, "A derived document has no origin.")
    strangers = set(derived.origins.values()) - set(corpus.positions)
    require(
        not strangers, f"A derived document names “{min(strangers, default='')}” as its origin, which is not there."
    )
    places = [corpus.positions[derived.origins[d.id]] for d in derived]
    require(places == sorted(places), "The derived documents are not in the order of their origins.")
    for d in derived:
        origin = corpus.get(derived.origins[d.id])
        title = origin.title if origin and (d == origin or getattr(derivation, "titles", True)) else ""
        require(
            derivation.retitles or d.title == title, f"The derived document “{d.id}” has another title than its origin."
        )
        require(d.id not in corpus.positions or d == origin, f"“{d.id}” is the id of a document and of a derived one.")
        parent = d == origin or d.metadata.get("parent") == derived.origins[d.id]
        require(parent, f"The metadata of “{d.id}” does not name its origin as “parent”.")
    if isinstance(derivation, Parts):
        check_parts(corpus, derived)
    again = derivation.derive(Corpus(corpus.name, corpus.documents), Env())
    require([(d, derived.origins[d.id]) for d in derived] == list(again), "Deriving twice gives two results.")
    return derived


def check_parts(corpus: Corpus, derived: Corpus) -> None:
    """Every part is at its stated start, and all parts together, without the overlap, have the whole text."""

    def solid(text: str) -> str:
        return "".join(text.split())

    for origin in corpus:
        at, text = 0, ""
        for part in (d for d in derived if derived.origins[d.id] == origin.id):
            start = cast(int, part.metadata["start"] if part != origin else 0)
            require(isinstance(start, int), f"The “start” of “{part.id}” is not a whole number.")
            is_at_start = origin.text[start : start + len(part.text)] == part.text
            require(is_at_start, f"The text of “{part.id}” does not begin at its “start”.")
            text += origin.text[max(at, start) : start + len(part.text)]
            at = max(at, start + len(part.text))
        whole = solid(text) == solid(origin.text) or (not text and not origin.text.strip())
        require(whole, f"The parts of “{origin.id}” do not have all of its text.")
