"""Relevance feedback: what is added with which weight, how the new question is asked, and where nothing is learnt."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import spread
from specimens import corpora, queries

from lab.algebra import Corpus, Document, Query, Rewrite, Runner, Searcher
from lab.corpus import samples
from lab.errors import QueryError
from lab.explain.attribution import attribute
from lab.models.lsa import LSA
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.feedback import RM3, Bag, Feedback, Rocchio, spelled
from lab.text import Analyzer

BLANKS = Analyzer(mode="whitespace")
WORDS = BM25(variant="lucene", analyzer=BLANKS)
FRUIT = Corpus(
    "fruit",
    tuple(
        Document(name, text)
        for name, text in [
            ("a", "apple orchard orchard press"),
            ("b", "apple orchard"),
            ("c", "orchard press cider"),
            ("d", "cider cellar"),
            ("e", "stone wall"),
            ("f", "stone wall"),
            ("g", "stone path wall"),
            ("h", "stone bridge"),
        ]
    ),
)
LEARNS = RM3(documents=2, words=2, share=0.6, learns_from=WORDS, analyzer=BLANKS, common=1.0)
MARKED = Rocchio(more=("c",), less=("g",), analyzer=BLANKS, common=1.0)
each = pytest.mark.parametrize("technique", [RM3(), Rocchio(more=("a", "d0"), less=("b", "d1"))], ids=lambda t: t.key)
HANDBOOK = samples.load("handbook").corpus


def learnt(technique: Feedback, query: str | Query, corpus: Corpus = FRUIT) -> Rewrite:
    return technique.rewrite(Query.of(query), corpus)


def weights(rewrite: Rewrite) -> dict[str, float]:
    """The weights of the new question, word by word."""
    (variant,) = rewrite.queries
    found: defaultdict[str, float] = defaultdict(float)
    for word, weight in variant.weights:
        found[word] += weight
    return dict(found)


# ------------------------------------------------------------------------------------------------- RM3


def scores(query: str, *ids: str) -> list[float]:
    found = WORDS.index(FRUIT).search(query)
    return [hit.score for hit in map(found.hit, ids) if hit]


def test_rm3_mixes_the_question_with_the_relevance_model_of_its_first_hits():
    b, a = scores("apple", "b", "a")
    p_b, p_a = b / (a + b), a / (a + b)
    apple, orchard = 1 / 2 * p_b + 1 / 4 * p_a, 1 / 2 * p_b + 2 / 4 * p_a  # the third is "press" with 1/4 p_a
    whole = apple + orchard
    wanted = {"apple": 0.6 * 1 + 0.4 * apple / whole, "orchard": 0.4 * orchard / whole}
    assert weights(learnt(LEARNS, "apple")) == pytest.approx(wanted)


def test_every_word_of_the_question_has_its_share_of_the_share():
    asked = learnt(LEARNS, "apple orchard apple").queries[0].weights[0]
    assert asked == ("apple orchard apple", pytest.approx(0.6 / 3)), "each of its three words counts a third"


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_weights_of_rm3_sum_to_one(share: float):
    made = learnt(dataclasses.replace(LEARNS, share=share), "apple")
    assert sum(weights(made).values()) == pytest.approx(1)


def test_with_the_whole_share_the_question_finds_what_it_found():
    search = dataclasses.replace(LEARNS, share=1.0)(WORDS)
    assert Runner(FRUIT)(search, "apple press").ids == WORDS.index(FRUIT).search("apple press").ids


def test_a_word_in_too_many_documents_is_not_added():
    assert "orchard" in weights(learnt(LEARNS, "apple"))
    rare = dataclasses.replace(LEARNS, common=0.25)  # of eight documents two; orchard is in three
    assert set(weights(learnt(rare, "apple"))) == {"apple", "press"}


def test_in_a_small_corpus_a_tenth_of_it_is_not_what_counts_as_too_common():
    rare = dataclasses.replace(LEARNS, common=0.0)
    assert "press" in weights(learnt(rare, "apple")), "two documents have it"


def test_ties_are_broken_by_the_word():
    two = Corpus("two", (Document("1", "pear zeta alpha mid"), Document("2", "other")))
    made = learnt(dataclasses.replace(LEARNS, words=3), "pear", two)
    assert [word for word, _ in made.queries[0].weights] == ["pear", "alpha", "mid", "pear"]


def test_the_hits_that_feedback_found_are_credited_to_it():
    search = LEARNS(WORDS)
    (credit,) = attribute(search, "apple", Runner(FRUIT)).credits
    assert credit.only == ("c",), "it has orchard, and no apple"
    assert credit.brought == ("c",)


def test_where_the_first_search_finds_nothing_the_question_stays_and_this_is_said():
    made = learnt(LEARNS, "banana")
    assert made.queries == ()
    assert "no words to add" in made.unchanged
    found = Runner(FRUIT)(LEARNS(WORDS), "banana")
    assert found.ids == []
    assert found.evidence.unchanged == made.unchanged
    assert learnt(LEARNS, "  ").queries == ()


def test_where_all_words_are_too_common_the_question_stays_and_this_is_said():
    same = Corpus("same", tuple(Document(str(i), "wall stone") for i in range(5)))
    made = learnt(RM3(learns_from=WORDS, analyzer=BLANKS), "wall", same)
    assert made.queries == ()
    assert "rare enough" in made.unchanged


def test_scores_that_are_not_positive_leave_all_hits_alike():
    okapi = dataclasses.replace(LEARNS, learns_from=BM25(variant="okapi", analyzer=BLANKS))
    pair = Corpus("pair", (Document("1", "sea salt"), Document("2", "sun hat")))
    assert okapi.learns_from.index(pair).search("sea").hits[0].score == 0  # Okapi's idf of a word in half of them
    assert weights(learnt(okapi, "sea", pair)) == pytest.approx({"sea": 0.6 + 0.4 / 2, "salt": 0.4 / 2})


# --------------------------------------------------------------------------------------------- Rocchio


def test_rocchio_moves_the_question_to_the_good_and_away_from_the_bad():
    ln = {"orchard": math.log(8 / 3), "press": math.log(8 / 2), "cider": math.log(8 / 2)}
    against = {"stone": math.log(8 / 4), "wall": math.log(8 / 3), "path": math.log(8 / 1)}
    good, bad = math.hypot(*ln.values()), math.hypot(*against.values())
    wanted = {
        "apple": 1.0,
        **{word: 0.75 * idf / good for word, idf in ln.items()},
        **{word: -0.15 * idf / bad for word, idf in against.items() if word != "path"},
    }
    assert weights(learnt(MARKED, "apple")) == pytest.approx(wanted), "path stands nowhere else: it finds nothing"


def test_the_question_is_a_vector_of_length_one():
    assert learnt(MARKED, "apple apple wall").queries[0].weights[0] == (
        "apple apple wall",
        pytest.approx(1 / math.hypot(2, 1)),
    )


def test_more_like_this_brings_its_kind_and_less_like_this_sends_it_down():
    assert WORDS.index(FRUIT).search("apple").rank("c") is None, "no apple in it"
    assert Runner(FRUIT)(MARKED(WORDS), "apple").ids[:3] == ["a", "b", "c"]
    found = Runner(FRUIT)(dataclasses.replace(MARKED, more=("h",), less=("g",), gamma=2.0)(WORDS), "stone")
    assert found.ids[0] == "h"
    assert set(found.ids[1:]) == {"e", "f", "g"}, "they have wall"
    assert all(hit.score < found.hits[0].score for hit in found.hits[1:])


def test_without_marks_the_question_stays_and_this_is_said():
    for marked in (Rocchio(), Rocchio(more=("no such",))):
        made = learnt(marked, "apple")
        assert made.queries == ()
        assert "marked" in made.unchanged
        assert Runner(FRUIT)(marked(WORDS), "apple").ids == WORDS.index(FRUIT).search("apple").ids


def test_marks_are_found_where_the_question_finds_nothing():
    assert Runner(FRUIT)(dataclasses.replace(MARKED, more=("e",), less=())(WORDS), "banana").ids[:2] == ["e", "f"]


# -------------------------------------------------------------------------------------------- both


@each
@given(corpus=corpora(), query=queries())
def test_any_corpus_and_question_give_a_question_that_can_be_asked(technique: Feedback, corpus: Corpus, query: str):
    made = learnt(technique, query, corpus)
    assert made == learnt(technique, query, corpus)
    assert len(made.queries) <= 1
    assert bool(made.queries) != bool(made.unchanged) or not query.strip()
    for searcher in (BM25(), TFIDF(), TFIDF(sublinear=True), Vector()):
        found = Runner(corpus)(technique(searcher), query)
        assert all(math.isfinite(h.score) for h in found)
        assert all(sum(c.value for c in h.why) == pytest.approx(h.score, abs=1e-9) for h in found if h.why)


@each
@given(query=st.text(max_size=40))
def test_any_text_can_be_asked_again(technique: Feedback, query: str):
    learnt(technique, query, HANDBOOK)


def each_analyzer() -> list[Analyzer]:
    """Every mode, and whatever else an analyzer offers."""
    out = [Analyzer(mode=mode) for mode in ("search", "precise", "full", "bigram", "whitespace")]
    known = {f.name: f for f in dataclasses.fields(Analyzer)}
    out += [Analyzer(**{name: True}) for name in ("bigrams", "simplified") if name in known]
    out += [Analyzer(stem=stem) for stem in (known["stem"].metadata["choices"] if "stem" in known else ())]
    return out


@pytest.mark.parametrize("analyzer", spread(each_analyzer(), 4), ids=str)
@pytest.mark.parametrize("name", spread(["handbook", "devices"], 1))
def test_every_added_word_is_found_again_by_the_analyzer_that_gave_it(name: str, analyzer: Analyzer):
    collection = samples.load(name)
    technique = RM3(analyzer=analyzer, learns_from=BM25(analyzer=analyzer))
    index = BM25(analyzer=analyzer).index(collection.corpus)
    told = 0
    for query in collection.queries[:12]:
        for variant in technique.rewrite(query, collection.corpus).queries:
            for word, weight in variant.weights[1:]:
                assert weight > 0
                assert any(term in index.matrix.vocabulary for term in analyzer.tokens(word)), word
                assert list(spelled(word, analyzer)), "it is a word, not a pair that no reader knows"
                told += 1
    assert told > 5


def test_a_stem_is_added_as_its_most_frequent_word_and_weighs_as_all_of_them():
    stems = Analyzer(stem="snowball")
    texts = ["the pump hums while charging, charging and charged", "no pump", "a charger"]
    corpus = Corpus("pumps", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    learns = RM3(documents=1, words=1, share=0.0, learns_from=BM25(variant="lucene", analyzer=stems), analyzer=stems)
    (made,) = learnt(dataclasses.replace(learns, common=1.0), "hums", corpus).queries
    assert made.weights == (("charging", pytest.approx(1.0)),), "three of eight words, as it is written twice of three"
    found = Runner(corpus)(dataclasses.replace(learns, common=1.0)(BM25(variant="lucene", analyzer=stems)), "hums")
    assert found.ids[0] == "0"


def test_words_are_kept_by_document_and_not_by_its_id_alone():
    assert learnt(LEARNS, "apple").queries, "document a has been read"
    for text in ("cider", "stone wall"):  # as a search that leads to another corpus gives them
        assert Bag([Document("a", text)], FRUIT, BLANKS, 1.0).counts == [Counter(text.split())]


def test_the_new_question_shows_its_added_words_and_why():
    (made,) = learnt(LEARNS, "apple").queries
    assert made.text == "apple orchard"
    assert "first results (pseudo-relevance feedback, 2)" in made.why
    assert "orchard 0." in made.why
    (made,) = learnt(MARKED, "apple").queries
    assert set(made.text.split()) == {"apple", "orchard", "press", "cider"}, "what counts against is not in the text"
    assert "good: 1, bad: 1" in made.why
    assert "wall -0." in made.why


@pytest.mark.parametrize("searcher", [WORDS, TFIDF(analyzer=BLANKS), Vector()], ids=lambda s: type(s).__name__)
def test_the_list_keeps_the_scores_of_the_new_question(searcher: Searcher):
    runner = Runner(FRUIT)
    found = runner(LEARNS(searcher), "apple")
    (wording,) = found.evidence.wordings
    assert wording.weights
    assert [(h.document.id, h.score) for h in found] == [(h.document.id, h.score) for h in runner(searcher, wording)]
    assert found.query == Query("apple")
    assert found.parents[0].query.made_from == Query("apple")


def test_a_question_that_has_weights_keeps_their_proportions():
    asked = Query("", weights=(("apple", 3.0), ("wall", 1.0)))
    made = dict(learnt(LEARNS, asked).queries[0].weights[:2])
    assert made == pytest.approx({"apple": 0.6 * 3 / 4, "wall": 0.6 * 1 / 4})


@pytest.mark.nightly
def test_an_embedder_that_reads_a_text_as_a_whole_says_that_it_takes_no_weights():
    with pytest.raises(QueryError, match="words cannot have weights"):
        Runner(HANDBOOK)(RM3()(Vector(LSA(size=8))), "年假")


@pytest.mark.parametrize("searcher", [BM25(), TFIDF(sublinear=True)], ids=lambda s: type(s).__name__)
def test_the_explanation_of_the_new_question_is_its_score_and_its_formula(searcher: BM25 | TFIDF):
    index = searcher.index(HANDBOOK)
    (wording,) = learnt(RM3(), "年假可以折成工资吗", HANDBOOK).wordings
    for hit in index.search(wording, k=5):
        parts = index.explain(wording, hit.document.id)
        assert sum(part.value for part in parts) == pytest.approx(hit.score)
        drawn = [formula.value for _, formula in searcher.formula(parts, len(HANDBOOK))]
        assert drawn == pytest.approx([part.value for part in parts if part.value])
