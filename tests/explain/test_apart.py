"""Why words and vectors disagree: every sentence says what the lists say, at the corners, too."""

from __future__ import annotations

import random

import pytest
from night import for_each

from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.explain.apart import Ranks
from lab.fuse import RRF
from lab.models.lsa import LSA
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.words import Said

WORDS = ["battery", "charger", "电池", "充电器", "lamp", "harbour", "the", "1871"]


def apart(corpus: Corpus, asked: str, bm25: BM25 | None = None, vector: Vector | None = None) -> Ranks:
    bm25, vector, runner = bm25 or BM25(), vector or Vector(), Runner(corpus)
    lists = [runner(search, Query(asked)) for search in (bm25, vector, RRF()(bm25, vector))]
    return Ranks(*lists, runner.index(bm25), runner.index(vector))


def corpus(*texts: str) -> Corpus:
    return Corpus("own", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))


def held(one: Ranks, doc: str) -> tuple[Said, ...]:
    """The sentences about an answer; every number and word in them is held to the lists, plainly."""
    answer = next(document for document in one.lexical.corpus if document.id == doc)
    *places, fusing = told = (*one.of_answer(answer), one.of_fusing(answer))
    a, b, c = (r.rank(doc) for r in (one.words, one.vectors, one.fused))
    by_words, fused, _by_meaning = places
    assert ("no word" in by_words) == (not any(part.tf for part in one.lexical.explain(one.words.query, doc)))
    assert ("first result" in by_words) == (a != 1 and "no word" not in by_words)
    assert (fused.startswith("Not among")) == (c is None)
    if c:
        votes = [1 / (60 + rank) for rank in (a, b) if rank]
        assert fused.values["votes"].count("/") == len(votes)
        assert float(fused.values["score"]) == pytest.approx(sum(votes), abs=0.000051)
        assert ("and is first" in fused) == (c > 1)
    best = min(filter(None, (a, b)), default=None)
    verb = next(x for x in ("keeps", "costs", "lifts", "lowers", "Neither") if x in fusing)
    assert verb == (
        "Neither" if best is None
        else "keeps" if best == c
        else "costs" if best == 1
        else "lowers" if c is None or c > best
        else "lifts"
    )  # fmt: skip
    return told


def test_the_ranks_of_an_answer_have_a_true_reason_each_and_a_true_verdict():
    c, verbs = samples.load("handbook"), set[str]()
    for query in c.judged[:60]:
        one = apart(c.corpus, query.text)
        verbs |= {held(one, doc)[-1].template.split()[2] for doc in c.relevant(query.id)}
    assert {"keeps", "costs", "lifts", "lowers"} <= verbs


@for_each("texts, asked", [(("battery",), "battery"), (("battery", "lamp"), "zzzqqq ###"), (("a", "lamp"), "")])
def test_an_answer_in_small_corpora_has_true_reasons(texts, asked):
    held(apart(corpus(*texts), asked), "d0")


def test_on_small_corpora_drawn_by_chance_the_reasons_are_true():
    draw = random.Random(7)
    for _case in range(60):
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 5))) for _doc in range(draw.randint(1, 4))]
        one = apart(corpus(*texts), " ".join(draw.choices(WORDS, k=draw.randint(1, 3))))
        assert all(held(one, document.id) for document in one.lexical.corpus)


def test_an_answer_without_a_word_of_the_question_is_said_to_have_none():
    by_words, _votes, by_meaning = held(
        apart(corpus("the battery is empty", "忘记密码怎么办"), "forgot my password"), "d1"
    )[:3]
    assert by_words == "It contains no word of the question."
    assert "“忘记”, near “forgot”" in by_meaning or "“密码”, near “password”" in by_meaning


def test_hostile_titles_and_long_texts_are_cut():
    documents = (Document("a", "battery " * 12_500, "{title} <b> \ud83d" * 50), Document("d1", "battery"))
    assert all(len(said) < 300 for said in held(apart(Corpus("own", documents), "battery {word}"), "d1"))


def test_a_model_without_words_says_no_pair():
    one = apart(corpus("battery lamp", "lamp harbour", "harbour battery"), "lamp", vector=Vector(LSA()))
    assert held(one, "d0")[2] == ""
