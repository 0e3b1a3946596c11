"""A plug-in of which every operator breaks a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.algebra import (
    ALONE,
    NONE,
    Contribution,
    Corpus,
    Derivation,
    Document,
    Drop,
    Env,
    Fusion,
    Hit,
    Index,
    Models,
    Outcome,
    Progress,
    Query,
    QueryVariant,
    Ranking,
    Retriever,
    Rewrite,
    Rewriter,
    Stage,
    counted,
    in_order,
    knob,
)


@dataclass(frozen=True)
class Shared(Retriever):
    """Counts shared words, with one fault at a time."""

    about = "Counts shared words, with one fault at a time."

    fault: str = knob(
        "none",
        choices=("none", "addends", "twice", "worst first", "too many", "cut", "crash", "blank", "any k", "numpy"),
        label="Fault",
        help="What is wrong.",
    )

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> SharedIndex:
        return SharedIndex(self, corpus)


class SharedIndex(Index):
    def __init__(self, operator: Shared, corpus: Corpus) -> None:
        self.operator, self.corpus = operator, corpus

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        fault = self.operator.fault
        query = Query.of(query)
        if fault != "any k":
            counted("k", k)
        if fault == "crash" and len(self.corpus) > 3:
            raise RuntimeError("more than three documents")
        hits = list[Hit]()
        for document in self.corpus:
            shared = sorted(set(query.text.split()) & set(document.content.split()))
            score = float(len(shared)) or float(fault == "blank")
            if score:
                why = [Contribution(word, 1.0 + (fault == "addends")) for word in shared] if explain else []
                hits.append(Hit(document, score, tuple(why)))
        hits = list(in_order(hits))
        if fault == "worst first":
            hits.reverse()
        if fault == "twice":
            hits += hits[:1]
        if fault == "numpy":
            hits = [replace(hit, score=int(hit.score)) for hit in hits]
        asked = k if isinstance(k, int) and len(hits) > k and fault != "cut" else 0
        shown = hits if fault == "too many" or not isinstance(k, int) or k < 1 else hits[:k]
        return Ranking(query, tuple(shown), self.operator, corpus=self.corpus, asked=asked)


@dataclass(frozen=True)
class Running(Fusion):
    """Adds up rounded scores one by one."""

    about = "Adds up rounded scores one by one."

    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        documents = {hit.document.id: hit.document for ranking in rankings for hit in ranking}
        scores = dict.fromkeys(documents, 0.0)
        for ranking in rankings:
            for hit in ranking:
                scores[hit.document.id] += hit.score
        return in_order([Hit(document, scores[i]) for i, document in documents.items()], *rankings)


@dataclass(frozen=True)
class Forgets(Stage):
    """Forgets, invents or hides a document."""

    about = "Forgets, invents or hides a document."

    fault: str = knob("none", choices=("none", "forgets", "invents", "hides"), label="Fault", help="What is wrong.")

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        hits = ranking.hits
        if self.fault == "forgets":
            return Outcome(hits[1:])
        if self.fault == "invents":
            return Outcome((*hits, Hit(Document("new", "new"), 1.0)))
        if self.fault == "hides":
            return Outcome(hits[1:], [Drop(hit.document, "", "Forgets") for hit in hits[:1]])
        return Outcome(hits)


@dataclass(frozen=True)
class Orphans(Derivation):
    """Names an origin that is not there."""

    about = "Names an origin that is not there."

    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        return [(replace(document, id=f"{document.id}#1"), "nobody") for document in corpus]


@dataclass(frozen=True)
class Restless(Rewriter):
    """Never rewrites twice in the same way."""

    about = "Never rewrites twice in the same way."

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        return Rewrite(query, (QueryVariant(f"word{id(object()):x}{id(corpus)}{next(_count)}", "other"),), self, "rule")


_count = iter(range(10**9))
