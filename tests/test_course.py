"""The course: its steps perform lessons that are there; what is asked before them is answered by their lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import sample

from lab import lessons
from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import CorpusError
from lab.lessons import Lesson, Step, asking
from lab.lessons.asking import predict, taken_home
from lab.lessons.checking import Checker
from lab.lessons.course import course
from lab.refine.diversity import MMR
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25, TFIDF
from lab.words import LANGUAGES
from tests.night import examples, spread

EVERY = {f"{x.corpus}/{x.id}": x for name in samples.names() for x in lessons.read(samples.folder(name))}
STEPS = [pytest.param(stage, lang, id=f"{stage.id}-{lang}") for stage in course() for lang in stage.lessons]
WORDS = st.lists(st.sampled_from(["red", "fox", "boat", "lid", "box", "wood"]), max_size=6).map(" ".join)
CORPORA = st.lists(WORDS, min_size=1, max_size=14)


def test_twelve_steps_take_ninety_minutes_and_are_said_in_both_languages():
    stages = course()
    assert len(stages) == 12
    assert sum(stage.minutes for stage in stages) == 90
    assert len({stage.id for stage in stages}) == 12
    for stage in stages:
        for texts in (stage.title, stage.text, stage.talk):
            assert all(texts[lang].strip() for lang in LANGUAGES)
            assert len({texts[lang] for lang in LANGUAGES}) == len(LANGUAGES)
    assert [stage.id for stage in stages if set(stage.lessons) != set(LANGUAGES)] == ["own"], "on one's own documents"


@pytest.mark.parametrize(("stage", "lang"), spread(STEPS, 8))
def test_a_step_asks_about_its_lesson_and_every_sentence_of_that_holds(stage, lang):
    performed = stage.lessons[lang]
    lesson = EVERY[performed.lesson]
    assert lesson.page == stage.page
    assert set(performed.names) <= set(lesson.lists), "a list is called that the lesson does not have"
    spoken = {name for one in lesson.expect for name in lessons.spoken_of(one)}
    assert spoken <= set(performed.names), "a list is spoken of that nobody calls by a name"
    checker = Checker(lesson, samples.load(lesson.corpus))
    asked = predict(performed.ask, checker, performed.names.__getitem__)
    assert 0 <= asked.answer < len(asked.options)
    assert len(set(asked.options)) == len(asked.options)
    assert set(asked.hidden) <= set(performed.lists), "what is hidden is shown in the end"
    results = [r for i, s in enumerate(lesson.steps) for one in s.expect for r in checker(one, lesson.meant_at(i))]
    assert [result.said for result in results if not result.passed] == []


def drawn(texts: list[str], query: str) -> Checker:
    corpus = Corpus("drawn", tuple(Document(str(i), text, f"Number {i}") for i, text in enumerate(texts)))
    lists = {"bm25": BM25(), "tfidf": TFIDF(), "few": BM25() % 20 >> MMR(k=3)}
    title = {"en": "Drawn", "zh": "抽到的"}
    return Checker(Lesson("drawn", "compare", title, (Step(title),), "drawn", query, lists=lists), Collection(corpus))


@examples(40)
@given(CORPORA, WORDS, st.data())
def test_where_a_document_stands_is_the_band_of_its_rank(texts, query, data):
    checker = drawn(texts, query)
    name = data.draw(st.sampled_from(["bm25", "tfidf", "few"]))
    doc = str(data.draw(st.integers(0, len(texts) - 1)))
    asked = predict({"where": name, "doc": doc}, checker)
    rank, said = (
        checker.lists(name).rank(doc),
        asked.options[asked.answer].replace("below rank 10", "rank 11 to 999"),
    )
    if rank is None:
        assert said == "not in the list"
    else:
        low, *high = [int(word) for word in said.split() if word.isdigit()]
        assert low <= rank <= (high or [low])[0]


@examples(40)
@given(CORPORA, WORDS, st.data())
def test_which_list_has_a_document_nearest_to_its_top_is_told_by_its_ranks(texts, query, data):
    checker, doc = drawn(texts, query), str(data.draw(st.integers(0, len(texts) - 1)))
    asked = predict({"which": ["bm25", "tfidf"], "doc": doc}, checker)
    one, other = (checker.lists(name).rank(doc) or 10**6 for name in ("bm25", "tfidf"))
    assert asked.answer == (2 if one == other else 0 if one < other else 1)


@examples(40)
@given(CORPORA, WORDS)
def test_who_leads_a_list_is_its_first_document_or_none(texts, query):
    checker = drawn(texts, query)
    asked = predict({"leads": "few", "of": [str(i) for i in range(min(3, len(texts)))]}, checker)
    first = checker.lists("few").ids[:1]
    assert asked.options[asked.answer] == (f"“Number {first[0]}”" if first else "None: the list is empty")


def test_bands_have_every_rank_once():
    for n in range(1, 40):
        bands = asking._bands(n)
        for rank in range(1, n + 1):
            assert sum(low <= rank and (high is None or rank <= high) for low, high in bands) == 1


def test_what_is_taken_home_is_asked_once_and_only_of_lists_that_are_shown():
    for lesson in sample(EVERY.values(), 6):
        checker = Checker(lesson, samples.load(lesson.corpus))
        first = next(iter(lesson.lists))
        found = taken_home(checker, {first: "the list"})
        assert len(found) <= asking.TAKEN_HOME
        assert len({asked.text for asked in found}) == len(found)
        assert all(asked.hidden == (first,) for asked in found)


def test_a_table_that_asks_nothing_is_an_error_that_says_what_can_be_asked():
    with pytest.raises(CorpusError) as error:
        predict({"when": "now"}, drawn(["a"], "a"))
    assert "which, where, leads, better, says" in str(error.value.remedy)


@pytest.mark.parametrize("order", ["long-context", "best first", "reversed", "sides"])
def test_in_a_reordered_list_a_position_is_asked_for_not_a_rank(order):
    corpus = Corpus("drawn", tuple(Document(str(i), "red " * (4 - i) + "lid " * i, f"Number {i}") for i in range(3)))
    lists = {"bm25": BM25(), "context": BM25() % 3 >> LongContextReorder(order=order)}
    title = {"en": "Drawn", "zh": "抽到的"}
    lesson = Lesson("drawn", "reorder", title, (Step(title),), "drawn", "red", lists=lists)
    checker = Checker(lesson, Collection(corpus))
    first, at = checker.lists("bm25").ids[0], checker.lists("context").rank(checker.lists("bm25").ids[0])
    asked = predict({"where": "context", "doc": first}, checker)
    assert asked.text.startswith("At which position")
    assert asked.options[asked.answer] == f"position {at}"
    assert "rank" not in " ".join(map(str, (*asked.options, asked.found)))
    assert "rank" in predict({"where": "bm25", "doc": first}, checker).text
    (result,) = checker({"list": "context", "rank": 9, "doc": first})
    assert "at position" in result.said
    assert "expected: position 9" in result.said
