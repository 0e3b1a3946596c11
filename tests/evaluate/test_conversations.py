"""Conversations: every turn is asked with what that search itself has shown before; a measure by depth."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from lab import samples
from lab.algebra import Corpus, Document, Query, Ranking, Searcher
from lab.corpus.conversations import Conversation, by_ids
from lab.errors import ParameterError
from lab.evaluate.conversations import Depth, by_depth, earlier, run_many
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Gathered
from lab.evaluate.runs import run_many as run_queries
from lab.retrieve.lexical import BM25, TFIDF

CORPUS = Corpus(
    "fans",
    (
        Document("loud", "The fan Arda is loud by day."),
        Document("night", "At night Arda is quiet."),
        Document("price", "Arda costs forty."),
        Document("other", "Borea costs ninety."),
    ),
)
TALK = (
    Conversation("a", (Query("Is Arda loud?", id="a-1"), Query("And at night?", id="a-2"), Query("costs?", id="a-3"))),
    Conversation("b", (Query("Borea", id="b-1"), Query("costs?", id="b-2"))),
)


@dataclass(frozen=True)
class Joined(Searcher):
    """Searches with the words of all turns, and drops what was shown before: what a reader of histories does."""

    def index(self, corpus, **_):
        raise NotImplementedError

    def run(self, runner, query, k) -> Ranking:
        words = " ".join([*(turn.text for turn in query.turns), query.text])
        found = runner.whole(BM25(), Query(words), k)
        shown = {d for turn in query.turns for d in turn.shown}
        return replace(found, hits=tuple(h for h in found.hits if h.document.id not in shown))


@pytest.fixture
def asked(monkeypatch):
    """Every query that BM25 and TF-IDF are asked, in order."""
    told: list[tuple[str, Query]] = []
    for cls in (BM25, TFIDF):
        real = cls.run

        def run(self, runner, query, k, real=real, name=cls.__name__):
            told.append((name, query))
            return real(self, runner, query, k)

        monkeypatch.setattr(cls, "run", run)
    return told


def test_a_turn_is_asked_with_the_texts_before_it_and_what_this_search_showed_for_them(asked):
    runs = run_many({"bm25": BM25(), "tfidf": TFIDF()}, CORPUS, TALK, shown=2)
    assert [(name, q.text) for name, q in asked[:3]] == [
        ("BM25", "Is Arda loud?"),
        ("TFIDF", "Is Arda loud?"),
        ("BM25", "And at night?"),
    ]
    for name, run in (("BM25", runs["bm25"]), ("TFIDF", runs["tfidf"])):
        own = [q for of, q in asked if of == name]
        assert [len(q.turns) for q in own] == [0, 1, 2, 0, 1]
        last = own[2]
        assert [turn.text for turn in last.turns] == ["Is Arda loud?", "And at night?"]
        assert [turn.role for turn in last.turns] == ["user", "user"]
        assert [turn.shown for turn in last.turns] == [
            tuple(d for d, _ in run.results[turn][:2]) for turn in ("a-1", "a-2")
        ]
        assert [turn.text for turn in own[4].turns] == ["Borea"]


def test_a_search_that_reads_no_history_answers_the_raw_turns():
    turns = [turn for one in TALK for turn in one]
    assert run_many({"": BM25()}, CORPUS, TALK)[""] == run_queries({"": BM25()}, CORPUS, turns)[""]


def test_a_search_that_reads_the_history_is_given_it_and_each_search_its_own():
    runs = run_many({"joined": Joined(), "bm25": BM25()}, CORPUS, TALK, shown=1)
    found = {turn: [d for d, _ in hits] for turn, hits in runs["joined"].results.items()}
    assert found["a-1"][0] == "loud"
    assert "loud" not in found["a-2"] + found["a-3"]
    assert found["a-2"][0] == "night"
    assert found["a-3"] == ["price", "other"]
    assert found["b-2"] == ["price"]
    assert [d for d, _ in runs["bm25"].results["b-2"]] == ["price", "other"]


def test_shown_is_how_many_passages_of_a_turn_count(asked):
    run_many({"": BM25()}, CORPUS, TALK, shown=0)
    assert {turn.shown for _, q in asked for turn in q.turns} == {()}
    with pytest.raises(ParameterError):
        run_many({"": BM25()}, CORPUS, TALK, shown=-1)


def test_stopped_work_goes_on_in_the_midst_of_a_conversation(asked):
    whole = run_many({"": Joined()}, CORPUS, TALK)[""]
    into, seen = Gathered({"": Joined()}), []

    def stop(done, total):
        seen.append((done, total))
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_many({"": Joined()}, CORPUS, TALK, progress=stop, into=into)
    assert seen == [(1, 5), (2, 5), (3, 5)]
    assert set(into.runs()[""].results) == {"a-1", "a-2"}
    before = len(asked)
    assert run_many({"": Joined()}, CORPUS, TALK, into=into)[""] == whole
    assert len(asked) == before + 3


def test_a_turn_that_several_branches_begin_with_is_asked_once(asked):
    queries = [Query(text, id=f"2022_149_{i}") for i, text in {"1-1": "Arda", "2-1": "night", "3-1": "loud"}.items()]
    apart = by_ids(queries, apart=True)
    assert [len(c) for c in apart] == [1, 2, 2]
    run_many({"": BM25()}, CORPUS, apart)
    assert [q.text for _, q in asked] == ["Arda", "night", "loud"]
    assert [[turn.text for turn in q.turns] for _, q in asked] == [[], ["Arda"], ["Arda"]]
    assert {i: len(before) for i, before in earlier(by_ids(queries)).items()} == {
        "2022_149_1-1": 0,
        "2022_149_2-1": 1,
        "2022_149_3-1": 2,
    }


def test_a_measure_by_depth_is_the_mean_of_the_judged_turns_at_that_place():
    qrels = {"a-1": {"loud": 1}, "b-1": {"night": 1}, "b-2": {"other": 1}, "a-3": {"price": 0}}
    scores = measure_run(run_many({"": BM25()}, CORPUS, TALK)[""], qrels, ["RR@10"])
    first, second = by_depth(scores, TALK, "RR@10")
    assert (first.depth, first.turns, first.mean) == (1, 2, (1 + 0) / 2)
    assert first.interval is not None
    assert first.interval[0] < 0.5 < first.interval[1]
    assert second == Depth(2, 1, (1 + 1 / 2) / 2, None)  # two results have the same score


@pytest.mark.parametrize("name", ["devices", "handbook"])
def test_the_depths_of_a_sample_hold_every_judged_turn_once(name):
    c = samples.load(name)
    scores = measure_run(run_many({"": BM25()}, c.corpus, c.conversations)[""], c.turn_qrels, ["nDCG@10"])
    told = by_depth(scores, c.conversations, "nDCG@10")
    assert [d.depth for d in told] == [1, 2, 3, 4, 5, 6]
    assert sum(d.turns for d in told) == len(c.spoken.judged)
    assert sum(d.mean * d.turns for d in told) / len(c.spoken.judged) == pytest.approx(scores.means["nDCG@10"])


def test_a_conversation_of_two_hundred_turns_of_empty_ones_and_of_a_repeated_one_is_no_error():
    long = Conversation("l", tuple(Query("Arda" if i % 3 else "", id=f"l-{i}") for i in range(200)))
    run = run_many({"": Joined()}, CORPUS, [long])[""]
    assert len(run) == 200
