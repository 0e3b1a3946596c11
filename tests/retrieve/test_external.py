"""External retrievers: a function's answer as a list of the lab, whatever form it has, with its faults in words."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from types import SimpleNamespace as Plain
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab import catalog, formats
from lab.algebra import Corpus, Document, Query, Runner, tie_key
from lab.corpus.beir import Collection
from lab.errors import ModelError, UnknownName
from lab.evaluate.experiments import evaluate
from lab.evaluate.runs import run_many
from lab.fuse import RRF, WeightedSum, order_warnings
from lab.refine.filters import ScoreThreshold
from lab.retrieve import external, foreign
from lab.retrieve.external import Answered, External
from lab.retrieve.foreign import read_results
from lab.retrieve.lexical import BM25

CORPUS = Corpus(
    "own",
    (
        Document("a", "sugar and salt"),
        Document("b", "place of salt", "Where"),
        Document("c", "nothing here"),
        Document("7", "sugar  again,\nwith a café"),
    ),
)


def listed(answer: Any, question: str | Query = "salt", **knobs: Any) -> list[tuple[str, float]]:
    """The list that a retriever with this answer gives."""
    ranking = Runner(CORPUS, models={"mine": lambda _question: answer})(External("mine", **knobs), question)
    return [(h.document.id, h.score) for h in ranking]


def remarks(answer: Any, **knobs: Any) -> Answered:
    ranking = Runner(CORPUS, models={"mine": lambda _question: answer})(External("mine", **knobs), "salt")
    return ranking.evidence_as(Answered)


def test_without_scores_the_rank_counts_and_unknown_results_keep_theirs() -> None:
    assert listed(["b", "elsewhere", "a"]) == [("b", 1.0), ("a", 1 / 3)]


def test_distances_are_turned_round() -> None:
    answer = [("c", 0.25), ("a", 0.5), ("b", 0.0)]
    assert listed(answer, lower=True, by_score=True) == [("b", 0.0), ("c", -0.25), ("a", -0.5)]
    assert listed(answer, lower=True) == [("c", -0.25), ("a", -0.5), ("b", 0.0)]
    assert listed(answer, by_score=True) == [("a", 0.5), ("c", 0.25), ("b", 0.0)]


def test_what_is_not_in_the_corpus_is_counted_and_named() -> None:
    found = remarks(["x1", "b", "no such text", "b", {"text": "sugar and salt"}])
    assert (found.returned, found.used, found.unknown) == (5, 2, ("x1", "no such text"))
    assert (found.repeated, found.by_text) == (1, 1)
    assert found.remarks == (
        "Results outside this corpus: 2 of 5 (x1, no such text).",
        "Results identified by their text: 1 of 5.",
        "Results that name a passage again: 1 of 5. The first of each counts.",
    )
    assert remarks(["a", "b"]).note == ""
    many = remarks([f"x{i}" for i in range(9)])
    assert many.reason.startswith(
        "No result of “mine” is in this corpus (results: 9); they name: x0, x1, x2, x3, x4 …."
    )
    assert "no results for this question" in remarks([]).reason


@pytest.mark.parametrize(
    ("answer", "lower", "expected"),
    [
        ([("a", 0.1), ("b", 0.2), ("c", 0.9)], False, "If they are distances, lower is better"),
        ([("a", 0.1), ("b", 0.2), ("c", 0.9)], True, ""),
        ([("a", 0.9), ("b", 0.2)], True, "lower is hardly better"),
        ([("a", 0.9), ("b", 0.2)], False, ""),
        ([("a", 0.5), ("b", 0.5)], False, ""),
        ([("a", 0.5)], True, ""),
        ([("a", 0.5), ("b", 0.9), ("c", 0.7)], False, "result 2 scores more than result 1. The list keeps"),
    ],
)
def test_scores_that_run_the_wrong_way_are_noticed(answer: Any, lower: bool, expected: str) -> None:
    note = remarks(answer, lower=lower).note
    assert expected in note if expected else not note


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "returned NoneType, not a list"),
        ("b", "returned str, not a list"),
        ({"b": "high"}, "returned dict, not a list"),
        (3, "returned int, not a list"),
        ([("b", math.nan)], "The score of result 1 of “mine” is nan"),
        ([("a", 1), ("b", math.inf)], "The score of result 2 of “mine” is inf"),
        ([("a", 1), "b"], "Results of “mine” with a score: 1 of 2"),
        ([{"id": "a", "score": "0.9"}], "The score of result 1 of “mine” is “0.9”, not a number"),
        ([{"name": "a"}], "Result 1 of “mine” has neither an id nor a text"),
        ([object()], "has neither an id nor a text"),
        ([True], "has neither an id nor a text"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_in_words(answer: Any, words: str) -> None:
    with pytest.raises(ModelError, match=r"^") as refused:
        listed(answer)
    assert words in str(refused.value)


def test_an_asynchronous_function_is_refused_in_words() -> None:
    async def mine(question: str) -> list[str]:
        return [question]

    with pytest.raises(ModelError, match="asynchronous"):
        Runner(CORPUS, models={"mine": mine})(External("mine"), "salt")


def test_an_endless_answer_ends() -> None:
    def forever() -> Iterator[str]:
        while True:
            yield "a"

    assert len(read_results(forever())) == foreign.MOST


def test_a_function_is_asked_for_as_many_as_the_run_wants_if_it_can_be_told() -> None:
    def mine(question: str, k: int = 10) -> list[str]:
        return ["a", "b", "c"][:k]

    class Engine:
        def invoke(self, question: str) -> list[str]:
            return ["c", "b"]

    runner = Runner(CORPUS, models={"mine": mine, "engine": Engine(), "method": Engine().invoke})
    assert runner(External("mine"), "salt", 2).ids == ["a", "b"]
    assert runner(External("engine"), "salt", 1).ids == ["c"]
    assert runner(External("engine"), "salt", 1).asked == 1
    assert runner(External("method"), "salt").ids == ["c", "b"]


def test_a_failing_function_is_named_with_its_reason() -> None:
    def mine(question: str) -> list[str]:
        raise ValueError("no index for\n" + question)

    with pytest.raises(ModelError, match="The retriever “mine” failed: ValueError: no index for salt."):
        Runner(CORPUS, models={"mine": mine})(External("mine"), "salt")
    with pytest.raises(ModelError, match="The retriever “mine” failed: AttributeError"):
        Runner(CORPUS, models={"mine": object()})(External("mine"), "salt")


def test_a_run_that_does_not_know_the_name_says_so() -> None:
    with pytest.raises(UnknownName, match=r"This run knows no retriever “mine”.*models=\{“mine”: …\}"):
        Runner(CORPUS)(External("mine"), "salt")
    assert not Runner(CORPUS)(External(), "salt").hits
    assert "No retriever is named" in Runner(CORPUS)(External(), "salt").evidence_as(Answered).reason


def test_a_waiting_run_reports_progress_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(Exception):
        pass

    def mine(question: str) -> list[str]:
        time.sleep(0.5)
        return ["a"]

    def stop(done: int, total: int) -> None:
        raise Stop

    reports = list[tuple[int, int]]()
    runner = Runner(CORPUS, models={"mine": mine}, progress=lambda *x: reports.append(x))
    assert runner(External("mine"), "salt").ids == ["a"]
    assert set(reports) == {(0, 1)}
    with pytest.raises(Stop):
        Runner(CORPUS, models={"mine": mine}, progress=stop)(External("mine"), "salt")
    monkeypatch.setattr(external, "LATE", 0.2)
    with pytest.raises(ModelError, match="did not answer in time"):
        Runner(CORPUS, models={"mine": mine}, progress=lambda *_: None)(External("mine"), "salt")


def test_an_evaluation_goes_on_without_the_questions_that_failed() -> None:
    def mine(question: str) -> list[str]:
        if "sugar" in question:
            raise TimeoutError("late")
        return ["b"]

    queries = Query("salt", id="1"), Query("sugar", id="2")
    collection = Collection(CORPUS, queries, {"1": {"b": 1}, "2": {"a": 1}})
    run = run_many({"m": External("mine")}, CORPUS, queries, models={"mine": mine})["m"]
    assert run.results == {"1": (("b", 1.0),), "2": ()}
    assert [*run.failures] == ["2"]
    experiment = evaluate({"m": External("mine")}, collection, ["RR@10"], models={"mine": mine})
    assert experiment.scores["m"].means["RR@10"] == 0.5
    assert experiment.notes[-1].startswith("m: questions for which the retriever failed: 1 of 2. They count 0.")
    assert "TimeoutError: late" in experiment.notes[-1]


def test_it_is_a_list_as_any_other() -> None:
    calls = list[str]()

    def mine(question: str) -> list[tuple[str, float]]:
        calls.append(question)
        return [("c", 0.9), ("b", 0.7), ("a", 0.1)]

    search = RRF()(External("mine") >> ScoreThreshold(0.5), BM25()) % 3
    ranking = Runner(CORPUS, models={"mine": mine})(search, "salt")
    assert ranking.ids == ["b", "c", "a"]  # a and c are first in one list each, and tie
    assert not any(hit.why for r in ranking.lineage() for hit in r.hits if r.made_by == External("mine"))
    assert search.index(CORPUS, models={"mine": mine}).search("salt").ids == ["b", "c", "a"]
    assert calls == ["salt", "salt"]
    assert formats.from_toml(formats.to_toml(search)) == search
    assert External in catalog.with_role(catalog.retrievers, "list")
    assert External("mine").index(CORPUS, models={"mine": mine}).search("salt", k=2).asked == 2


def test_nothing_of_a_run_is_kept_with_the_corpus() -> None:
    first = Runner(CORPUS, models={"mine": lambda _q: ["a"]})
    second = Runner(CORPUS, models={"mine": lambda _q: ["b"]})
    assert first.index(External("mine")).search("x").ids == ["a"]
    assert second.index(External("mine")).search("x").ids == ["b"]
    assert second(External("mine"), "x").ids == ["b"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c", "7", "x", "y"]),
            st.floats(-1e6, 1e6, allow_subnormal=False) | st.integers(-9, 9),
        ),
        max_size=12,
    ),
    st.booleans(),
    st.integers(1, 5),
)
@examples(150)
def test_any_list_of_pairs_is_counted_in_full_and_keeps_its_order(
    pairs: list[tuple[str, float]], lower: bool, k: int
) -> None:
    ranking = Runner(CORPUS, models={"mine": lambda _q: pairs})(External("mine", lower=lower), "x", k)
    first = {}
    for name, score in pairs:
        first.setdefault(name, -score if lower else score)
    within = {name: score for name, score in first.items() if name in CORPUS.positions}
    expected = [*within]
    assert ranking.ids == expected[:k]
    sorted_list = Runner(CORPUS, models={"mine": lambda _q: pairs})(External("mine", lower, by_score=True), "x", k)
    assert sorted_list.ids == sorted(within, key=lambda name: (-within[name], tie_key(name)))[:k]
    assert [h.score for h in ranking] == [within[name] for name in expected[:k]]
    found = ranking.evidence_as(Answered)
    assert found.returned == len(pairs)
    assert len(found.unknown) + found.repeated + len(within) == len(pairs)


# ------------------------------------------------------------------------------------ objects of other programs


class Node:
    """A node of LlamaIndex: its text is a property, its content of other kinds raises."""

    def __init__(self, id_: str, text: str) -> None:
        self.id_ = self.node_id = id_
        self.text, self.metadata = text, {"file_name": "x.txt"}

    @property
    def image(self) -> str:
        raise ValueError("no image")

    def get_content(self) -> str:
        return self.text


class Scored:
    """A node with its score, as LlamaIndex returns it."""

    def __init__(self, node: Any, score: float) -> None:
        self.node, self.score = node, score

    @property
    def content(self) -> str:
        raise ValueError("only for other nodes")


FRAME = pd.DataFrame({"qid": ["1", "1"], "docid": [17, 4], "docno": ["7", "b"], "rank": [1, 0], "score": [1.0, 3.0]})


@pytest.mark.parametrize(
    "answer",
    [
        [Scored(Node("b", "x"), 3.0), Scored(Node("7", "y"), np.float32(1.0))],
        Plain(source_nodes=[Scored(Node("b", "x"), 3.0), Scored(Node("7", "y"), 1.0)]),
        [Plain(id=h, content="x", meta={"document_id": i}, score=s) for h, i, s in (("9f", "b", 3.0), ("2c", 7, 1.0))],
        {
            "documents": [
                Plain(id="b", content="x", meta={}, score=3.0),
                Plain(id="7", content="y", meta={}, score=1.0),
            ]
        },
        [
            Plain(id=41, payload={"doc_id": "b", "text": "x"}, score=3.0),
            Plain(id=42, payload={"doc_id": 7}, score=1.0),
        ],
        Plain(
            points=[
                Plain(id=41, payload={"docno": "b"}, score=3.0),
                Plain(id=7, payload=None, score=1.0),
            ]
        ),
        [
            Plain(docid="b", score=3.0, contents="x", lucene_docid=3),
            Plain(docid="7", score=1.0, lucene_docid=4),
        ],
        FRAME,
        FRAME.set_index("docno"),
        FRAME.drop(columns="rank").iloc[::-1],
        {
            "hits": {
                "total": 2,
                "hits": [{"_id": "b", "_score": 3.0, "_source": {"text": "x"}}, {"_id": "7", "_score": 1.0}],
            }
        },
        {"matches": [{"id": "b", "score": 3.0, "metadata": {}}, {"id": "7", "score": 1.0}]},
        {"response": {"docs": [{"id": "b", "score": 3.0}, {"id": 7, "score": 1.0}]}},
        {
            "root": {
                "children": [{"id": "q::1", "relevance": 3.0, "fields": {"doc_id": "b"}}, {"id": "7", "relevance": 1.0}]
            }
        },
        [[{"id": 41, "distance": 3.0, "entity": {"doc_id": "b"}}, {"id": 7, "distance": 1.0, "entity": {}}]],
        {"ids": [["b", "7"]], "distances": [[3.0, 1.0]], "documents": [["x", "y"]], "metadatas": [[None, None]]},
        Plain(
            objects=[
                Plain(uuid="u1", properties={"doc_id": "b"}, metadata=Plain(score=3.0, distance=None)),
                Plain(uuid="7", properties={}, metadata=Plain(score=1.0)),
            ]
        ),
        [("b", 3.0), ("7", 1)],
        [["b", 3], [7, np.float32(1)]],
        {"7": 1, "b": 3.0},
        [{"id": "b", "score": 3}, {"_id": 7, "score": 1.0}],
        [{"text": "place of  salt", "score": 3}, {"text": "sugar again, with a cafe\u0301", "score": 1}],
        [({"docno": "b"}, 3), (Plain(page_content="x", metadata={"doc_id": "7"}), 1)],
        [(Plain(id="nobody", page_content="Where\n\nplace of salt", metadata={}), 3.0), ("7", 1.0)],
        [{"metadata": {"document_id": "b"}, "similarity": 3.0}, {"payload": {"id": 7}, "similarity": 1.0}],
        iter([("b", 3), ("7", 1)]),
        [(np.str_("b"), np.float64(3)), (np.int64(7), np.float32(1))],
        [{"document": {"id": "b", "text": "x"}, "score": 3.0}, {"document": {"id": 7}, "score": 1.0}],
        FRAME.set_index("docno")["score"],
        (["b", "7"], [3.0, 1.0]),
        (np.array([["b", "7"]]), np.array([[3.0, 1.0]])),
        {"q1": {"7": 1.0, "b": 3.0}},
        {"retriever": {"documents": [Plain(id="b", score=3.0), Plain(id="7", score=1.0)]}},
        {"chunks": [{"chunk_id": "x", "document_id": "b", "content_with_weight": "x", "similarity": 3.0}, ("7", 1.0)]},
        {"records": [{"segment": {"document": {"id": "b"}}, "score": 3.0}, {"segment": {"id": "7"}, "score": 1.0}]},
        {"hits": [{"document": {"id": "b"}, "text_match": 3}, {"id": "7", "_rankingScore": 1.0}]},
        Plain(body={"hits": {"hits": [{"_id": "b", "_score": 3.0}, {"_id": "7", "_score": 1.0}]}}),
    ],
)
def test_results_of_other_programs_are_read_with_ids_and_scores(answer: Any) -> None:
    assert listed(answer) == [("b", 3.0), ("7", 1.0)]


def test_a_list_keeps_the_order_in_which_it_came_and_says_so() -> None:
    answer = [("a", 1.0), ("7", 0.0), ("c", 0.6), ("b", 0.6)]  # by MMR, with similarities
    assert listed(answer) == answer
    found = remarks(answer)
    assert found.disagrees == (2, 3)
    assert found.note.startswith("The order is not that of the scores: result 3 scores more than result 2.")
    assert listed(answer, by_score=True) == [("a", 1.0), ("c", 0.6), ("b", 0.6), ("7", 0.0)]
    assert remarks(answer, by_score=True).note == ""
    assert listed(reversed(answer)) == answer[::-1]  # scores that rise stay as they came, too


def test_a_fusion_that_counts_scores_says_that_they_disagree_with_the_order() -> None:
    answer = [("a", 1.0), ("7", 0.0), ("b", 0.6)]
    runner = Runner(CORPUS, models={"mine": lambda _question: answer})
    (warning,) = order_warnings(runner(WeightedSum()(External("mine"), BM25()), "salt"))
    assert "“External · mine”: its order is not that of its scores" in warning
    assert order_warnings(runner(RRF()(External("mine"), BM25()), "salt")) == ()
    assert order_warnings(runner(WeightedSum()(External("mine", by_score=True), BM25()), "salt")) == ()
