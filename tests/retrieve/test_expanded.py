"""BM25 with added words: which words are added, and scores by hand from the weights that are shown."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from night import NIGHT, spread

from lab.algebra import Corpus, Document, Query, Runner, tie_key
from lab.contracts import checks
from lab.contracts.specimens import random_cases
from lab.corpus import samples
from lab.errors import ParameterError
from lab.models.embedders import vectors_of
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.retrieve import expanded
from lab.retrieve.expanded import SHORTEST, WORDS, Expanded, ExpandedIndex, lexicon
from lab.retrieve.lexical import BM25
from lab.text import is_han

QUESTIONS = {
    "devices": ["battery does not charge", "电池充不进电", "stairs", "how long is the warranty", "E21 filter 滤网"],
    "handbook": ["parking", "带薪年休假天数", "sick leave", "哪里能泊车", "salary 工资"],
    "staff": ["holiday", "年假", "canteen opening hours", "the the of"],
}


def indexed(name: str = "devices", operator: Expanded | None = None) -> ExpandedIndex:
    return (operator or Expanded()).index(samples.load(name).corpus)


OPERATORS = (
    Expanded(),
    Expanded(words=3, weight=2.0),
    Expanded(own=BM25(variant="plus")),
    Expanded(weight=2.0, own=BM25(variant="plus", delta=0.3)),
    Expanded(own=BM25(variant="okapi")),
)


@pytest.mark.parametrize(("name", "operator"), spread([*product(QUESTIONS, OPERATORS)], 1))
def test_a_score_is_bm25_and_the_shown_weights_added_up_by_hand(name: str, operator: Expanded) -> None:
    corpus = samples.load(name).corpus
    index, own = indexed(name, operator), operator.own.index(corpus)
    shown = {d.id: {word.term: word.weight for word in index.added_to(d.id)} for d in corpus}
    df = Counter(term for added in shown.values() for term in added)
    for question in QUESTIONS[name]:
        expected = {hit.document.id: hit.score for hit in own.search(question, k=len(corpus))}
        rest = {d.id: sum(part.value for part in own.explain(question, d.id)) for d in corpus}
        for term in WORDS.for_query(question).tokens(question):
            idf = math.log(1 + (len(corpus) - df.get(term, 0) + 0.5) / (df.get(term, 0) + 0.5))
            for doc, added in shown.items():
                if term in added:
                    expected[doc] = expected.get(doc, rest[doc]) + operator.weight * idf * added[term]
        ranking = index.search(question, k=len(corpus))
        assert {hit.document.id: hit.score for hit in ranking} == pytest.approx(expected, abs=1e-9)
        assert ranking.ids == sorted(ranking.ids, key=lambda doc: (-ranking.hit(doc).score, tie_key(doc)))


@pytest.mark.parametrize(
    "operator", [Expanded(words=0), Expanded(weight=0.0), Expanded(words=0, own=BM25(variant="okapi"))]
)
@pytest.mark.parametrize("name", QUESTIONS)
def test_without_words_or_weight_it_is_bm25_exactly(name: str, operator: Expanded) -> None:
    corpus = samples.load(name).corpus
    for question in QUESTIONS[name]:
        ours, own = (op.index(corpus).search(question, k=50) for op in (operator, operator.own))
        assert [(h.document.id, h.score, tuple(h.why)) for h in ours] == [
            (h.document.id, h.score, tuple(h.why)) for h in own
        ]
        assert ours.asked == own.asked


@pytest.mark.parametrize(
    "operator", spread([Expanded(words=2, weight=2.0), Expanded(), Expanded(words=0)], 1), ids=repr
)
def test_it_keeps_to_the_laws_of_retrievers(operator: Expanded) -> None:
    for case in random_cases(8 if NIGHT else 3, seed=5):
        for law in checks.RETRIEVER.values():
            law(operator, case)


def test_added_words_are_those_of_both_languages_that_are_unusually_near_and_not_in_the_text() -> None:
    corpus, lex, index = samples.load("devices").corpus, lexicon(), indexed()
    cosines = lex.vectors.astype(np.float64) @ unit(vectors_of(BuiltIn(), corpus)).T
    z = (cosines - cosines.mean(axis=1, keepdims=True)) / cosines.std(axis=1, keepdims=True)
    term_of = np.repeat(np.arange(len(lex.terms)), np.diff(lex.starts))
    for place in (0, 30, 77, 120, 192):
        document = corpus.documents[place]
        words, held = index.added_to(document.id), set(WORDS.tokens(document.content))
        largest = max(word.z for word in words)
        for han in (False, True):
            own = [word for word in words if word.han == han]
            assert len(own) == len({word.term for word in own}) == 50
            assert [word.z for word in own] == sorted((word.z for word in own), reverse=True)
            may = [
                i for i in range(len(lex.words)) if is_han(lex.words[i]) == han and lex.terms[term_of[i]] not in held
            ]
            per_term: dict[int, float] = {}
            for i in may:
                per_term[int(term_of[i])] = max(per_term.get(int(term_of[i]), -9.0), float(z[i, place]))
            expected = sorted(per_term.values(), reverse=True)[:50]
            assert [word.z for word in own] == pytest.approx(expected, abs=2e-3)
        for word in words:
            assert word.term not in held
            assert len(word.word) >= SHORTEST["han" if word.han else "latin"]
            assert word.weight == pytest.approx(word.z / largest)
            assert word.cosine == pytest.approx(float(cosines[lex.words.index(word.word), place]), abs=1e-6)
        assert max(word.weight for word in words) == 1


def test_a_question_in_the_other_language_finds_a_passage_without_its_words() -> None:
    corpus = samples.load("handbook").corpus
    assert not BM25().index(corpus).search("parking").hits
    first = indexed("handbook").search("parking").hits[0]
    assert "车" in first.document.content
    assert [str(part.source) for part in first.why] == ["parking, by its stem park (added)"]
    assert first.score == pytest.approx(sum(part.value for part in first.why))


def test_the_explanation_has_the_words_of_the_text_and_the_added_ones() -> None:
    index, query = indexed(), Query("battery does not charge stairs")
    ranking = index.search(query)
    kinds = set()
    for hit in ranking.hits[:20]:
        explanation = index.explanation(query, hit.document.id)
        assert sum(addend.value for addend in explanation.addends.values()) == pytest.approx(hit.score)
        assert {str(part.source): part.value for part in hit.why} == pytest.approx(
            {str(name): addend.value for name, addend in explanation.addends.items()}
        )
        kinds |= {str(name).endswith("(added)") for name in explanation.addends}
    assert kinds == {True, False}
    outside = next(d.id for d in index.corpus if d.id not in index.search(query, k=500).ids)
    assert "none was added to it" in index.explanation(query, outside).missing


@pytest.mark.parametrize("variant", ["lucene", "okapi", "plus"])
def test_the_parts_of_a_passage_that_only_added_words_find_sum_to_its_score(variant: str) -> None:
    index = indexed("staff", Expanded(own=BM25(variant=variant)))
    query, corpus = Query("car park fee"), index.corpus
    ranking, own = index.search(query, k=len(corpus)), set(index.own.search(query, k=len(corpus)).ids)
    only_added = [hit for hit in ranking if hit.document.id not in own]
    assert len(only_added) >= 2
    for hit in only_added:
        addends = index.explanation(query, hit.document.id).addends
        assert sum(part.value for part in hit.why) == pytest.approx(hit.score)
        assert sum(addend.value for addend in addends.values()) == pytest.approx(hit.score)
    if variant == "plus":
        assert [hit.document.id for hit in ranking][-len(only_added) :] != [hit.document.id for hit in only_added]


def test_who_has_an_added_word_is_known() -> None:
    index = indexed()
    word = index.added_to("dv-001")[0]
    places, weights = index.holders(word.term)
    expected = {d.id: w.weight for d in index.corpus for w in index.added_to(d.id) if w.term == word.term}
    assert {index.corpus.documents[i].id: float(e) for i, e in zip(places, weights, strict=True)} == pytest.approx(
        expected
    )
    assert index.holders("no such term")[0].size == 0


@pytest.mark.parametrize(
    "documents",
    [
        (),
        (Document("a", ""),),
        (Document("a", "stairs"),),
        (Document("a", "same text"), Document("b", "same text")),
        (Document("a", "QX-17"), Document("b", "???")),
    ],
    ids=["none", "empty", "one", "equal", "unread"],
)
def test_at_the_corners_no_word_is_added_and_nothing_fails(documents: tuple[Document, ...]) -> None:
    corpus = Corpus("corner", documents)
    index = Expanded().index(corpus)
    for question in ("stairs", "text", "楼上", "", "QX-17"):
        ours, own = index.search(question), BM25().index(corpus).search(question)
        assert [(h.document.id, h.score) for h in ours] == [(h.document.id, h.score) for h in own]
    assert [index.added_to(d.id) for d in corpus] == [[] for _ in corpus]


def test_equal_passages_get_equal_words_and_tie() -> None:
    texts = ["The stairs lead to the cellar.", "Annual leave is booked in the portal.", "电池充电三小时。"]
    corpus = Corpus("twins", tuple(Document(f"{i}-{n}", text) for n in range(150) for i, text in enumerate(texts)))
    for found in (Expanded().index(corpus), Expanded().index(Corpus("few", corpus.documents[:9]))):
        question = " ".join(found.added_to(d.id)[0].word for d in corpus.documents[:3])
        ranking = found.search(question, k=500)
        assert len(ranking) == len(found.corpus)
        for i in range(3):
            own = [h for h in ranking.hits if h.document.id.startswith(f"{i}-")]
            assert len({h.score for h in own}) == 1
            assert [h.document.id for h in own] == sorted((h.document.id for h in own), key=tie_key)


def test_many_passages_get_the_words_that_few_computations_give(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = samples.load("devices").corpus
    usual = indexed()
    monkeypatch.setattr(expanded, "FEW", 10)
    monkeypatch.setattr(expanded, "BLOCK", 7)
    other = Expanded().index(Corpus("again", corpus.documents))
    assert other.added.z == pytest.approx(usual.added.z, abs=2e-3)
    assert (other.added.words == usual.added.words).mean() > 0.99


def test_the_work_reports_its_progress_and_can_be_stopped() -> None:
    corpus = Corpus("again", samples.load("devices").corpus.documents)
    told: list[tuple[int, int]] = []
    Expanded().index(corpus, progress=lambda *numbers: told.append(numbers))
    assert (len(corpus), len(corpus)) in told

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        Expanded().index(Corpus("once more", corpus.documents), progress=stop)


def test_the_words_are_kept_with_the_corpus_and_on_the_disk() -> None:
    made = list[str]()

    class Keeper:
        def once(self, corpus, kind, version, make):  # type: ignore[no-untyped-def]
            made.append(kind)
            return make()

    corpus = Corpus("kept", samples.load("devices").corpus.documents, keeper=Keeper())
    first = Expanded().index(corpus)
    again = Expanded(weight=1.0).index(corpus)
    assert first.added is again.added
    assert made.count("added words 50") == 1


@pytest.mark.parametrize(
    "wrong", [{"words": -1}, {"words": 201}, {"weight": -0.1}, {"weight": 2.1}, {"weight": math.nan}]
)
def test_parameters_outside_their_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Expanded(**wrong)  # type: ignore[arg-type]


def test_a_weighted_question_counts_its_words_by_their_weights() -> None:
    corpus = samples.load("handbook").corpus
    index = indexed("handbook")
    once, twice = (index.search(Query("x", weights=(("parking", weight),))) for weight in (1.0, 2.0))
    assert twice.hits[0].score == pytest.approx(2 * once.hits[0].score)
    assert Runner(corpus)(Expanded(), "parking", 5).ids == once.ids[:5]
