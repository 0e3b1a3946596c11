"""Lessons on a visitor's own documents: what they claim is true there, or it is said what is lacking."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import Lesson, check, forms
from lab.ui import navigation
from lab.ui.i18n import translate
from lab.words import LANGUAGES
from tests.night import examples, spread

PAGES = list(dict.fromkeys(form.page for form in forms.forms()))
TWO = "Vector() >> MMR(k=5)"
WORDS = st.lists(
    st.sampled_from(["red", "fox", "boats", "boat", "电池", "充不上电", "a", "，", "E-21", "?"]), max_size=9
)


def own(*texts: str) -> Collection:
    return Collection(Corpus("own", tuple(Document(str(i), text) for i, text in enumerate(texts))))


@cache  # what is derived from a corpus is kept with it
def unjudged(name: str) -> Collection:
    return Collection(Corpus("own", samples.load(name).corpus.documents))


@cache
def found_in(name: str, page: str) -> tuple[Lesson | forms.Missing, ...]:
    return tuple(forms.of_corpus(page, unjudged(name)))


@pytest.mark.parametrize(("name", "page"), spread(sorted(product(samples.names(), PAGES)), 1))
def test_a_found_lesson_holds_step_by_step(name, page):
    collection = unjudged(name)
    for found in found_in(name, page):
        if isinstance(found, Lesson):
            assert found.page == page
            assert found.corpus == "own"
            assert found.steps
            assert all(step.expect for step in found.steps)
            wrong = [result.said for result in check(found, collection) if not result.passed]
            assert not wrong, "\n".join(wrong)


@pytest.mark.nightly
def test_the_samples_show_nearly_all_forms():
    found = {
        form.id
        for name in samples.names()
        for page in PAGES
        for form in found_in(name, page)
        if isinstance(form, Lesson)
    }
    assert found == {form.id for form in forms.forms() if form.low}


@examples(20)
@given(st.lists(WORDS, max_size=6))
def test_whatever_the_documents_are_a_lesson_on_them_is_true(texts):
    collection = own(*(" ".join(words) for words in texts))
    for page in ("compare", "fusion", "rerank", "reorder", "tokenizer", "answer", "compress", "rewrite"):
        for found in forms.of_corpus(page, collection):
            if isinstance(found, Lesson):
                assert all(result.passed for result in check(found, collection)), found
            else:
                assert set(found.needs) == set(LANGUAGES)


def test_what_words_find_and_meaning_does_not_is_found():
    far = "The code QX-9 is printed on the lid beside the name of the town, the year and a small anchor."
    near = [f"The code QX-{n}." for n in range(10, 30)]
    words, meaning, _apart = forms.of_corpus("compare", own(far, *near))
    assert isinstance(words, Lesson)
    assert isinstance(meaning, forms.Missing)
    assert words.select == "0"
    first, then = words.steps
    assert first.expect[0]["list"] == "first"
    assert first.text["en"].endswith(f" {first.expect[0]['rank']}.")
    assert then.expect[0].get("rank", 99) > 10


def test_in_ten_passages_nothing_is_said_to_be_missed():
    texts = [f"The code QX-{n} stands on the {word} lid." for n, word in enumerate(("red", "blue", "green", "grey"))]
    words, meaning, _apart = forms.of_corpus("compare", own(*texts, *(text.replace("lid", "box") for text in texts)))
    assert isinstance(words, forms.Missing)
    assert isinstance(meaning, forms.Missing)


@pytest.mark.parametrize("question", ["what there is and where", "其中还有哪些"])
def test_a_passage_that_shares_only_words_without_a_topic_shows_nothing(question):
    texts = ["What there is and where it was, we said.", "其中还有哪些，我们说过。"]
    texts += [f"Lid number {n} of {n} boxes is painted." for n in range(14)]
    collection = replace(own(*texts), queries=(Query(question, id="q"),), qrels={"q": {"0": 1, "1": 1}})
    words, _meaning, apart = forms.of_corpus("compare", collection)
    assert isinstance(words, forms.Missing)
    assert isinstance(apart, forms.Missing)


def test_mmr_is_shown_only_where_what_it_leaves_out_resembles_a_pick():
    twins = [f"The blue ferry leaves the harbour at {n} in the morning." for n in ("seven", "eight", "nine", "ten")]
    others = ["A lamp is lit.", "The cook bakes bread.", "Snow fell on the roof.", "Six geese.", "The bank is closed."]
    (left_out,) = forms.of_corpus("mmr", own(*twins, *others))
    assert isinstance(left_out, Lesson)
    assert left_out.steps[1].expect[0]["blocked_by"] in {"0", "1", "2", "3"}
    assert all(result.passed for result in check(left_out, own(*twins, *others)))
    wrong = replace(left_out.steps[1], expect=({**left_out.steps[1].expect[0], "blocked_by": "8"},))
    results = check(replace(left_out, steps=(wrong,)), own(*twins, *others))
    assert [result.passed for result in results] == [True, False]
    (unlike,) = forms.of_corpus("mmr", own(*twins[:1], *others, "Iron rusts.", "A song was sung."))
    assert isinstance(unlike, forms.Missing)


def test_where_nothing_shows_it_the_lesson_says_what_it_needs_and_how_much_was_tried():
    (twins,) = forms.of_corpus("mmr", own("A red fox sleeps.", "The blue sea is calm."))
    assert isinstance(twins, forms.Missing)
    assert "more than five passages" in twins.needs["en"]
    assert "for 2 questions" in twins.needs["en"]


def test_what_a_form_asks_for_can_be_given():
    """A form without lists finds no lesson: it must be gone once the corpus has what it asks for."""
    for form in forms.forms():
        assert form.low or form.kind == "judged", form.id
    bare = own("A red fox sleeps.", "The blue sea is calm.")
    (measures,) = forms.of_corpus("evaluate", bare)
    assert isinstance(measures, forms.Missing)
    assert "on the page Judge" in measures.needs["en"]
    for grade in (0, 1):  # a judgment that says “not relevant” is one
        judged = replace(bare, queries=(Query("fox", id="q"),), qrels={"q": {"0": grade, "1": 1}})
        assert judged.judged
        assert forms.of_corpus("evaluate", judged) == ()
    assert forms.of_corpus("judge", bare) == forms.of_corpus("dialogue", bare) == ()


def test_a_page_that_a_form_names_exists():
    names = {
        lang: {translate(page.title, lang) for *_section, pages in navigation.PATH for page in pages}
        for lang in LANGUAGES
    }
    for form in forms.forms():
        for named in re.findall(r"on the page (\w+)", form.needs["en"]):
            assert named in names["en"], form.id
        for named in re.findall(r"在“(.+?)”页", form.needs["zh"]):
            assert named in names["zh"], form.id


def test_every_form_has_all_its_texts_in_both_languages():
    for form in forms.forms():
        for texts in (form.title, form.needs, form.first, form.then, form.gone):
            assert not texts or set(texts) == set(LANGUAGES), form.id
        assert not form.low or form.first or form.gone, form.id
