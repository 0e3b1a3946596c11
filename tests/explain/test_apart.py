"""Why words and vectors disagree: every sentence says what the lists say, at the corners, too."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from night import for_each, spread

from lab.algebra import Corpus, Document, Query, Ranking, Runner
from lab.corpus import samples
from lab.explain.apart import Disagreement
from lab.fuse import RRF
from lab.models.lsa import LSA
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text import cut
from lab.words import Said

WORDS = ["battery", "charger", "电池", "充电器", "lamp", "harbour", "the", "1871"]


def apart(corpus: Corpus, asked: str, bm25: BM25 | None = None, vector: Vector | None = None) -> Disagreement:
    bm25, vector, runner = bm25 or BM25(), vector or Vector(), Runner(corpus)
    lists = [runner(search, Query(asked)) for search in (bm25, vector, RRF()(bm25, vector))]
    return Disagreement(*lists, runner.index(bm25), runner.index(vector))


def corpus(*texts: str) -> Corpus:
    return Corpus("own", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))


def true(one: Disagreement) -> Sequence[Said]:
    """The sentences; every number, title and word in them is held to the lists, plainly."""
    told = one.sentences()
    labels = {name: (cut(r.hits[0].document.label) if r.hits else None) for name, r in lists(one).items()}
    for said in told:
        values, template = getattr(said, "values", {}), said.template
        if template.startswith("BM25 has"):
            assert labels["words"].startswith(values["title"].rstrip("…"))
            if "part" in values:
                why = [c.value for c in one.words.hits[0].why]
                assert float(values["score"]) == pytest.approx(sum(why), abs=0.0051)
                assert float(values["part"]) == pytest.approx(max(why), abs=0.0051)
        elif template.startswith("The vectors") and "title" in values:
            assert labels["vectors"].startswith(values["title"].rstrip("…"))
            if one.words.hits:
                assert one.vectors.rank(one.words.hits[0].document.id) == values.get("rank")
        elif "first, too" in template or template.startswith("Fusing the two"):
            assert labels["words"] == labels["vectors"]
        elif template.startswith("It has no word"):
            assert one.words.rank(one.vectors.hits[0].document.id) is None
        elif template == "The fused list agrees with BM25.":
            assert labels["fused"] == labels["words"]
        elif template == "The fused list agrees with the vectors.":
            assert labels["fused"] == labels["vectors"]
        elif "number {a}" in template:
            doc = one.fused.hits[0].document.id
            assert (one.words.rank(doc), one.vectors.rank(doc)) == (values["a"], values["b"])
    return told


def held(one: Disagreement, doc: str) -> tuple[Said, ...]:
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


def lists(one: Disagreement) -> dict[str, Ranking]:
    return {"words": one.words, "vectors": one.vectors, "fused": one.fused}


def test_the_ranks_of_an_answer_have_a_true_reason_each_and_a_true_verdict():
    c, verbs = samples.load("handbook"), set[str]()
    for query in c.judged[:60]:
        one = apart(c.corpus, query.text)
        verbs |= {held(one, doc)[-1].template.split()[2] for doc in c.relevant(query.id)}
    assert {"keeps", "costs", "lifts", "lowers"} <= verbs


@for_each("texts, asked", [(("battery",), "battery"), (("battery", "lamp"), "zzzqqq ###"), (("a", "lamp"), "")])
def test_an_answer_in_small_corpora_has_true_reasons(texts, asked):
    held(apart(corpus(*texts), asked), "d0")


@pytest.mark.parametrize("name", spread(["devices", "handbook"], 1))
def test_on_every_question_of_a_sample_the_sentences_are_true_and_say_who_is_first(name):
    c = samples.load(name)
    for query in c.queries[:60]:
        told = true(apart(c.corpus, query.text))
        assert 2 <= len(told) <= 5


def test_on_small_corpora_drawn_by_chance_the_sentences_are_true():
    draw = random.Random(7)
    for _case in range(60):
        texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 5))) for _doc in range(draw.randint(1, 4))]
        told = true(apart(corpus(*texts), " ".join(draw.choices(WORDS, k=draw.randint(1, 3)))))
        assert told


def test_a_passage_without_a_word_of_the_question_is_said_to_have_none():
    told = true(apart(corpus("the battery is empty", "忘记密码怎么办", "harbour"), "forgot my password the"))
    assert "It contains no word of the question." in told
    assert any("“忘记”, near “forgot”" in said or "“密码”, near “password”" in said for said in told)


@for_each("texts, asked", [((), "battery"), (("battery",), ""), ((), ""), (("battery",), "zzzqqq ###")])
def test_where_there_is_nothing_it_says_so_or_nothing(texts, asked):
    told = true(apart(corpus(*texts), asked))
    assert told[0] == "No passage contains a word of the question: BM25 finds nothing."


def test_hostile_titles_and_long_texts_are_cut():
    text = "battery " * 12_500
    told = true(apart(Corpus("own", (Document("a", text, "{title} <b> \ud83d" * 50),)), "battery {word}"))
    assert all(len(said) < 300 for said in told)


def test_a_model_without_words_says_no_pair():
    told = apart(corpus("battery lamp", "lamp harbour", "harbour battery"), "lamp", vector=Vector(LSA())).sentences()
    assert not any("counts most" in said for said in told)


def test_two_passages_of_two_in_which_the_word_stands_have_no_score_to_share():
    told = true(apart(corpus("battery", "battery lamp"), "battery", BM25(variant="okapi")))
    assert told[0].startswith("BM25 ranks “battery")
