"""A passage is left out as a near-duplicate only of one that is sent, for every user of `Context`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from regressions import load_cases

from lab.algebra import NONE as NO_MODELS
from lab.algebra import Corpus, Document, Hit, Index, Models, Progress, Query, Ranking, Retriever, Runner
from lab.answer.again import AskAgain
from lab.answer.context import Context
from lab.answer.extract import Extractive


@dataclass(frozen=True)
class InOrder(Retriever):
    """Finds all documents, in the order of the corpus."""

    def index(self, corpus: Corpus, *, models: Models = NO_MODELS, progress: Progress | None = None) -> Index:
        return InOrderIndex(self, corpus)


class InOrderIndex(Index):
    def __init__(self, operator: InOrder, corpus: Corpus) -> None:
        self.operator, self.corpus = operator, corpus

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        hits = tuple(Hit(d, 1 / rank) for rank, d in enumerate(self.corpus.documents[:k], 1))
        return Ranking(Query.of(query), hits, self.operator, corpus=self.corpus)


@pytest.mark.parametrize("case", load_cases("duplicates_in_context"))
def test_a_copy_is_left_out_only_beside_a_passage_that_is_sent(case: dict[str, Any]) -> None:
    documents = tuple(Document(name, text) for name, text in case["documents"])
    context = Context(**{knob: case[knob] for knob in ("budget", "most", "order", "duplicates") if knob in case})
    runner = Runner(Corpus("c", documents))
    rounds = AskAgain(rounds=1)(runner, InOrder(), Query("What?"), context=context, extract=Extractive())
    for ranking in (runner(InOrder() >> context, "What?", 10), rounds[0].context):
        assert [d.id for d in ranking.evidence.by_rank] == case["sent"]
        reasons = {drop.document.id: drop.reason for drop in ranking.dropped}
        assert reasons.keys() == case["left_out"].keys()
        for name, part in case["left_out"].items():
            assert part in reasons[name]
