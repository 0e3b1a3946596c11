"""Searching with rewrites, and who deserves the credit."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from models.scripted import ScriptedModel
from night import spread

from lab.algebra import (
    ALONE,
    Contribution,
    Corpus,
    Document,
    Env,
    Fusion,
    Pipeline,
    Query,
    QueryVariant,
    Ranking,
    Rewrite,
    Rewriter,
    Runner,
)
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import ModelError, ParameterError, UnknownName
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run, run_many
from lab.explain.attribution import attribute
from lab.fuse import RRF, BestScore
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector, VectorIndex
from lab.rewrite.domain import DomainVocabulary, adapters
from lab.rewrite.hyde import HyDE, mean_parts
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack

CORPUS = Corpus(
    "fruit",
    tuple(
        Document(w, text)
        for w, text in [
            ("a", "apple apple"),
            ("b", "apple banana"),
            ("c", "cherry"),
            ("d", "cherry date"),
            ("e", "elder"),
        ]
    ),
)
WORDS = BM25(variant="lucene")
HANDBOOK = samples.load("handbook")


@dataclass(frozen=True)
class Told(Rewriter):
    """Gives the wordings that it was told, and merges them as another rewriter would."""

    merged_by = RRF()

    texts: tuple[str, ...]
    like: Rewriter = MultiQuery()

    @property
    def keeps_original(self) -> bool:  # type: ignore[override]
        return self.like.keeps_original

    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        made = tuple(QueryVariant(t, "rewording", "made up") for t in self.texts) if query.text else ()
        return Rewrite(query, made, self, "rule")

    def merge(self, rewrite, lists, index, by, depth):  # type: ignore[no-untyped-def]
        return self.like.merge(dataclasses.replace(rewrite, made_by=self.like), lists, index, by, depth)


def searched(*texts: str, like: Rewriter = MultiQuery(), query: str = "apple", by: Fusion = RRF()) -> Ranking:  # noqa: B008
    return Runner(CORPUS)(Told(texts, like)(WORDS, merge=by), query, 10)


def test_lists_of_all_wordings_are_merged_by_their_ranks() -> None:
    found = searched("banana", "cherry", by=RRF(k=60))
    assert [r.ids for r in found.parents] == [["a", "b"], ["b"], ["c", "d"]]
    assert [(r.query.text, r.query.kind) for r in found.parents] == [
        ("apple", "original"), ("banana", "rewording"), ("cherry", "rewording")
    ]  # fmt: skip
    assert [r.query.made_from for r in found.parents] == [None, Query("apple"), Query("apple")]
    assert all(r.made_by == WORDS for r in found.parents), "who found them: no stand-in"
    assert found.ids[0] == "b"
    assert found.hits[0].score == pytest.approx(1 / (60 + 2) + 1 / (60 + 1))
    assert [c.source for c in found.hits[0].why] == ["original rank 2", "rewording 1 rank 1"]
    assert found.query == Query("apple")
    assert Runner(CORPUS)(WORDS, "apple").ids == ["a", "b"]


def test_a_merged_list_says_who_wrote_the_wordings_and_comes_out_again() -> None:
    search = Told(("banana", "cherry"))(WORDS)
    found = Runner(CORPUS)(search, "apple", 10)
    assert found.made_by == search
    assert isinstance(found.evidence, Rewrite)
    assert [v.text for v in found.evidence.queries] == ["banana", "cherry"]
    again = found.made_by.index(CORPUS).search(found.query, k=10)  # type: ignore[attr-defined]
    assert again == found
    for parent, wording in zip(found.parents, found.evidence.wordings, strict=True):
        assert parent == parent.made_by.index(CORPUS).search(wording, k=100)  # type: ignore[attr-defined]


def test_the_best_score_of_any_list_counts() -> None:
    found = searched("banana", "cherry", by=BestScore())
    for hit in found:
        scores = [h.score for r in found.parents if (h := r.hit(hit.document.id))]
        assert hit.score == max(scores) == math.fsum(c.value for c in hit.why)
    assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)


def test_a_rewrite_without_queries_is_the_plain_ranking() -> None:
    runner = Runner(CORPUS)
    found, plain = runner(Told(())(WORDS), "apple"), runner(WORDS, "apple")
    assert found == plain, "its scores and reasons are those of the retriever, not of a fusion of one list"
    assert found.evidence.queries == ()
    assert runner(Told(())(WORDS), "").ids == []


def test_a_query_with_its_document_takes_the_place_of_the_original() -> None:
    @dataclass(frozen=True)
    class Joined(Told):
        def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
            made = QueryVariant("cherry pie", "pseudo-document", "", searched="apple\ncherry")
            return Rewrite(query, (made,), self, "rule")

    found = Runner(CORPUS)(Joined((), Query2Doc())(WORDS), "apple")
    assert [r.query.text for r in found.parents] == ["apple\ncherry"]
    assert set(found.ids) == {"a", "b", "c", "d"}


def test_stepping_back_takes_so_many_of_each_and_the_cut_can_be_seen() -> None:
    found = searched("cherry", like=StepBack(abstract_k=1, concrete_k=1))
    assert sorted(found.ids) == ["a", "c"]
    assert sorted([c.source for c in h.why] for h in found) == [["original rank 1"], ["rewording 1 rank 1"]]
    assert [[d.document.id for d in r.dropped] for r in found.parents] == [["b"], ["d"]]
    assert [len(r.parents[0]) for r in found.parents] == [2, 2], "what was searched stands in the lineage"
    assert searched("cherry", like=StepBack(abstract_k=2, concrete_k=0)).ids == ["c", "d"]


@pytest.mark.parametrize("space", ["cosine", "ip", "l2"])
def test_hypothetical_documents_search_by_the_mean_vector(space: str) -> None:
    retriever = Vector(space=space)
    index = retriever.index(CORPUS)
    found = Runner(CORPUS)(Told(("cherry", "date"), HyDE())(retriever), "apple", 3)
    vectors = np.stack([index.query_vector(t) for t in ("apple", "cherry", "date")])
    mean = vectors.mean(0)
    wanted = mean / np.linalg.norm(mean) if space == "cosine" else mean
    assert np.allclose(mean_parts(index, Query("apple"), ["cherry", "date"]).sum(0), wanted)
    assert found.ids == [h.document.id for h in index.nearest(wanted, 3)]
    assert [r.query.text for r in found.parents] == ["apple", "cherry", "date"]
    for hit in found:
        if space == "l2":
            assert hit.why == ()
        else:
            assert [c.source for c in hit.why] == ["original", "rewording", "rewording"]
            assert math.fsum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-9)


def test_the_mean_vector_has_one_addend_per_wording_also_on_a_sample() -> None:
    found = Runner(HANDBOOK.corpus)(HyDE(abstains=False)(Vector()), "领薪水的日子", 10)
    assert len(found) == 10
    for hit in found:
        assert [c.source for c in hit.why] == ["original", "research", "practice", "basics"]
        assert all(isinstance(c, Contribution) for c in hit.why)
        assert math.fsum(c.value for c in hit.why) == pytest.approx(hit.score, abs=1e-9)
    assert isinstance(Vector().index(HANDBOOK.corpus), VectorIndex)
    words = Runner(HANDBOOK.corpus)(HyDE()(WORDS), "领薪水的日子", 10)
    assert len(words.parents) == 4, "without vectors the lists are fused"
    assert "rank" in words.hits[0].why[0].source


def test_several_lists_are_each_asked_every_wording_and_then_fused() -> None:
    runner = Runner(CORPUS)
    search = Pipeline((WORDS, Vector()), rewrite=Told(("banana", "cherry")), merge=RRF(k=5), fuse=RRF(k=60))
    found = runner(search, "apple", 10)
    assert [len(r.parents) for r in found.parents] == [3, 3]
    alone = [runner(Told(("banana", "cherry"))(r, merge=RRF(k=5)), "apple", 100) for r in (WORDS, Vector())]
    assert [r.hits for r in found.parents] == [r.hits for r in alone]
    assert found.hits == RRF(k=60)(alone).hits


# ------------------------------------------------------------------------------------- in words and knobs


def test_a_rewording_finds_what_the_question_does_not() -> None:
    runner = Runner(HANDBOOK.corpus)
    plain, more = (runner(s, "领薪水的日子", 50) for s in (BM25(), MultiQuery()(BM25())))
    assert (more.rank("hb-065") or 99) < (plain.rank("hb-065") or 99)


def test_the_knobs_reach_the_rewriter_the_merging_and_the_retriever() -> None:
    runner = Runner(HANDBOOK.corpus)
    one, four = (runner(MultiQuery(n=n)(BM25()), "领薪水的日子") for n in (1, 4))
    assert (len(one.parents), len(four.parents)) == (2, 5)
    best = runner(MultiQuery(abstains=False)(Vector(), merge=BestScore()), "领薪水的日子")
    assert best.hits[0].why[0].value == best.hits[0].score
    assert {r.made_by.family for r in best.parents} == {"vector"}  # type: ignore[attr-defined]
    law = runner(DomainVocabulary(adapters()["law"])(BM25()), "房东不退押金")
    assert len(law.parents) == 2


def test_a_knob_that_is_none_is_told_of() -> None:
    from lab import formats

    for text, words in (
        ("MultiQuery(x=1)(BM25())", "no parameter"),
        ("MultiQuery(n=99)(BM25())", "must lie between"),
        ("MultiQuery()(google())", "no operator “google”"),
        ("MultiQuery()(BM25(), merge=Sum())", "no operator “Sum”"),
        ("DomainVocabulary(adapter='magic')(BM25())", "no domain vocabulary"),
    ):
        with pytest.raises(Exception, match=words) as told:
            formats.parse(text)
        assert isinstance(told.value, (ParameterError, UnknownName)) or "Pipeline" in type(told.value).__name__


# ------------------------------------------------------------------------------------------ attribution


def credit(*texts: str, k: int, relevant: set[str] | None = None):  # type: ignore[no-untyped-def]
    return attribute(Told(texts)(WORDS), "apple", Runner(CORPUS), k=k, relevant=relevant)


def test_credit_goes_to_the_wording_that_found_it() -> None:
    told = credit("banana", "cherry", k=2, relevant={"c"})
    # merged: b = 1/62 + 1/61, then a and c with 1/61 each, ordered by the hashes of the ids
    assert searched("banana", "cherry").ids[:2] == ["b", "c"]
    assert (told.gained, told.lost, told.relevant) == (("c",), ("a",), {"c"})
    wide = credit("banana", "cherry", k=4, relevant={"c"})
    original, banana, cherry = wide.credits
    assert original.wording is None
    assert cherry.only == ("c", "d")
    assert cherry.brought == ("c", "d")
    assert (banana.only, banana.brought, banana.pushed_out) == ((), (), ())
    assert original.only == ("a",)
    assert wide.gained == ("c", "d")
    assert wide.relevant == {"c"}


def test_a_wording_that_pushes_something_out_is_told_of() -> None:
    told = credit("cherry", k=2)
    assert searched("cherry").ids[:2] == ["c", "a"]
    assert told.credits[1].brought == ("c",)
    assert told.credits[1].pushed_out == ("b",)
    assert told.lost == ("b",)
    assert told.relevant is None


@pytest.mark.parametrize("fusion", [RRF(), BestScore()], ids=lambda f: f.label)
@pytest.mark.parametrize("query", ["领薪水的日子", "旅馆住一晚多少"])
def test_the_credits_explain_every_change(fusion: Fusion, query: str) -> None:
    runner = Runner(HANDBOOK.corpus)
    search = MultiQuery()(BM25(), merge=fusion)
    told = attribute(search, query, runner, k=10)
    whole, before = runner(search, query, 10), runner(BM25(), query, 10)
    assert set(told.gained) == set(whole.ids) - set(before.ids)
    assert set(told.lost) == set(before.ids) - set(whole.ids)
    for one, ranking in zip(told.credits, whole.parents, strict=True):
        assert set(one.only) <= set(whole.ids) & set(ranking.ids)
        assert len(one.brought) >= len(one.pushed_out)
        assert not set(one.pushed_out) & set(whole.ids)
        assert set(one.brought) <= set(whole.ids)


# ------------------------------------------------------------------------------------------------ gains


def gains(collection: Collection, rewriter: Rewriter, queries, k: int = 10, models=None, progress=None):  # type: ignore[no-untyped-def]
    """Per query (before, after) of the recall at k."""
    searches = {"before": BM25(variant="lucene"), "after": rewriter(BM25(variant="lucene"))}
    found = run_many(searches, collection.corpus, queries, k=k, models=models or {}, progress=progress)
    qrels = {q.id: collection.qrels[q.id] for q in queries}
    name = f"R@{k}"
    before, after = (measure_run(found[s], qrels, [name]).per_query[name] for s in searches)
    return {q: (before[q], after[q]) for q in before}, found


@pytest.mark.parametrize("name", spread(["handbook", "devices"], 1))
@pytest.mark.parametrize("kind", spread(["colloquial", "synonym"], 1))
def test_rewordings_by_rule_find_more_of_what_is_said_in_other_words(name: str, kind: str) -> None:
    collection = samples.load(name)
    chosen = [q for q in collection.judged if q.metadata["type"] == kind]
    told, _ = gains(collection, MultiQuery(), chosen)
    assert len(told) == len(chosen)
    assert sum(a for _, a in told.values()) > sum(b for b, _ in told.values())
    assert sum(a > b for b, a in told.values()) > sum(a < b for b, a in told.values())


def test_gains_are_counted_per_query_with_a_model() -> None:
    queries = (Query("pomme", id="1", metadata={"type": "x"}), Query("apple", id="2", metadata={"type": "y"}))
    collection = Collection(CORPUS, queries, {"1": {"a": 1, "b": 1}, "2": {"c": 1}})
    model = ScriptedModel((("pomme", "apple banana"), ("apple", "zzz")))
    seen: list[tuple[int, int]] = []
    told, _ = gains(
        collection, MultiQuery(model="chat"), queries, k=1, models={"chat": model},
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert told == {"1": (0.0, 1 / 2), "2": (0.0, 0.0)}
    assert [beat for beat in dict.fromkeys(seen) if beat[0]] == [(1, 2), (2, 2)]  # a slow machine beats in between


def test_a_model_that_fails_on_one_query_leaves_it_as_it_was() -> None:
    queries = (Query("apple", id="1"), Query("cherry", id="2"))
    collection = Collection(CORPUS, queries, {"1": {"a": 1}, "2": {"d": 1}})
    model = ScriptedModel((("apple", ModelError("no")), ("cherry", "date")))
    told, found = gains(collection, MultiQuery(model="chat"), queries, models={"chat": model})
    assert isinstance(found["after"], Run)
    assert list(found["after"].problems) == ["1"]
    assert told["1"] == (1.0, 1.0)


def test_counting_gains_can_be_stopped() -> None:
    collection = samples.load("devices")

    def refuse(done: int, total: int) -> None:
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        gains(collection, MultiQuery(), collection.judged, progress=refuse)


def test_the_wordings_are_numbered_within_their_kind() -> None:
    found = searched("banana", "cherry", "date")
    sources = {c.source for h in found for c in h.why}
    assert {s.rsplit(" rank ", 1)[0] for s in sources} == {
        "original", "rewording 1", "rewording 2", "rewording 3"
    }  # fmt: skip
    assert all(a.score >= b.score for a, b in pairwise(found))
