"""Every lesson of every sample corpus is true; and the checker does not pass a false one."""

from __future__ import annotations

import pytest

from lab import home, lessons
from lab.core import Corpus, Document
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import CorpusError, ParameterError, UnknownName
from lab.lessons import Lesson

LESSONS = [
    pytest.param(lesson, id=f"{name}-{lesson.id}")
    for name in samples.names()
    for lesson in lessons.read(samples.folder(name))
]


@pytest.fixture(scope="module")
def collections():
    return {name: samples.load(name) for name in samples.names()}


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_lesson_is_true(lesson, collections):
    wrong = [result.said for result in lessons.check(lesson, collections[lesson.corpus]) if not result.passed]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_lesson_opens_an_existing_page_and_document(lesson, collections):
    assert list((home.root() / "pages").glob(f"*/{lesson.page}.py"))
    assert not lesson.select or collections[lesson.corpus].corpus.get(lesson.select)


# ---------------------------------------------------------------------------------------------- checker

TINY = Collection(
    Corpus(
        "tiny",
        (
            Document("short", "red fox"),
            Document("long", "red red red house with many other words in it that make it long"),
            Document("code", "error E21 on the display"),
            Document("none", "nothing to see here"),
            Document("sky", "a blue sky"),
        ),
    )
)


def lesson(*expect, query="red", **more):
    words = {"en": "x", "zh": "x"}
    return Lesson("l", "compare", words, words, "tiny", query, expect=expect, **more)


def outcome(*expect, **more):
    return [result.passed for result in lessons.check(lesson(*expect, **more), TINY)]


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ({"doc": "code", "rank": 1}, {"doc": "code", "rank": 2}),
        ({"doc": "code", "max_rank": 1}, {"doc": "none", "max_rank": 3}),
        ({"doc": "none", "min_rank": 2}, {"doc": "code", "min_rank": 2}),
        ({"doc": "none", "absent": True}, {"doc": "code", "absent": True}),
        ({"doc": "code", "absent": False}, {"doc": "none", "absent": False}),
        ({"doc": "code", "above": "none"}, {"doc": "none", "above": "code"}),
        ({"doc": "code", "ties": "code"}, {"doc": "code", "ties": "none"}),
        ({"doc": "code", "matched": ["e21"]}, {"doc": "code", "matched": ["display"]}),
        ({"doc": "none", "matched": []}, {"doc": "code", "matched": []}),
        ({"top": ["code"]}, {"top": ["none"]}),
        ({"top": ["code"]}, {"top": ["code", "none"]}),
        ({"empty": False}, {"empty": True}),
    ],
)
def test_a_true_expectation_passes_and_a_false_one_fails(true, false):
    assert outcome({"list": "bm25", **true}, query="E21") == [True]
    assert outcome({"list": "bm25", **false}, query="E21") == [False]


def test_every_kind_of_expectation_is_tried_here_or_below():
    ranked = {"rank", "max_rank", "min_rank", "absent", "above", "ties", "better_than", "matched", "top", "empty"}
    assert set(lessons.KINDS) == {*ranked, "attention_above", "holds", "lacks"}


def test_the_text_in_a_list_can_be_expected_to_have_kept_or_lost_words():
    corpus = Corpus(
        "three",
        (
            Document("d", "The fox is red. The bus is late.", "Fox"),
            Document("e", "Blue sky."),
            Document("f", "Green sea."),
        ),
    )
    one_sentence = {"sentenceextractor.at_most": 1}
    told = lesson(
        *(
            {"list": name, "doc": "d", kind: words}
            for name in ("sentenceextractor", "bm25")
            for kind in ("holds", "lacks")
            for words in ("fox is red", "bus is late")
        ),
        {"list": "sentenceextractor", "doc": "d", "lacks": "never said"},
        {"list": "sentenceextractor", "doc": "e", "lacks": "Blue"},
        query="red fox",
        knobs=one_sentence,
    )
    assert [r.passed for r in lessons.check(told, Collection(corpus))] == [
        True,
        False,
        False,
        True,
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_place_at_an_end_can_be_expected_to_get_more_attention():
    order = "longcontextreorder:order="
    corpus = Corpus("five", tuple(Document(f"d{i}", "red " * (6 - i) + "x " * i) for i in range(5)))
    second = lessons.lists_for({}, corpus)["bm25"]("red").hits[1].document.id
    last = {"list": order + "sides", "doc": second, "attention_above": order + "best first"}
    there = {"list": order + "best first", "doc": second, "attention_above": order + "sides"}
    assert [r.passed for r in lessons.check(lesson(last, there), Collection(corpus))] == [True, False]


def test_a_stage_can_be_given_the_first_few_of_a_list_only():
    lists = lessons.lists_for({"coverage.of": "rrf", "coverage.first": 1, "rrf.of": ["bm25", "tfidf"]}, TINY.corpus)
    assert len(lists["rrf"]("red fox")) == 2
    assert len(lists["coverage"]("red fox")) == 1


def test_a_stage_with_a_parameter_named_of_has_its_list_under_another_name():
    knobs = {"scorethreshold.of": "best", "scorethreshold.minimum": 1.0, "scorethreshold.list": "tfidf"}
    kept = lessons.lists_for(knobs, TINY.corpus)["scorethreshold"]("red fox")
    assert [hit.document.id for hit in kept.hits] == ["short"]
    assert kept.parents[0].made_by.label == "TF-IDF"


def test_a_chroma_list_takes_a_filter_and_a_threshold_on_the_distance():
    corpus = Corpus(
        "two", (Document("a", "red fox", metadata={"lang": "en"}), Document("b", "a red fox", metadata={"lang": "de"}))
    )
    both, near, other = ({}, {"chromavector.max_distance": 1e-5}, {"chromavector.where": {"lang": "de"}})
    found = [
        [h.document.id for h in lessons.lists_for(k, corpus)["chromavector"]("red fox")] for k in (both, near, other)
    ]
    assert found == [["a", "b"], ["a"], ["b"]]


def test_groups_of_widgets_are_left_alone_on_their_page_only():
    knobs = {"metadata.max_age_days": 30}
    assert lessons.lists_for(knobs, TINY.corpus, page="filter")["bm25"]("red")
    with pytest.raises(ParameterError, match="belongs to no list"):
        lessons.lists_for(knobs, TINY.corpus, page="rerank")


def test_a_list_can_be_compared_with_itself_under_other_parameters():
    better = {"list": "bm25:b=0", "doc": "long", "better_than": "bm25:b=1"}
    worse = {"list": "bm25:b=1", "doc": "long", "better_than": "bm25:b=0"}
    assert outcome(better, worse) == [True, False]


def test_the_lessons_knobs_hold_and_an_expectation_may_change_them():
    first = {"list": "bm25", "doc": "long", "rank": 1}
    assert outcome(first, knobs={"bm25.b": 0.0}) == [True]
    assert outcome(first, knobs={"bm25.b": 1.0}) == [False]
    assert outcome({**first, "knobs": {"bm25.b": 0.0}}, knobs={"bm25.b": 1.0}) == [True]


def test_the_analyzers_knobs_go_to_every_list_that_has_one():
    kept = [{"list": name, "doc": "code", "absent": False} for name in ("bm25", "tfidf")]
    assert outcome(*kept, query="e21") == [True, True]
    assert outcome(*kept, query="e21", knobs={"analyzer.stop_words": ["e21"]}) == [False, False]


def test_the_selected_document_is_meant_where_none_is_named():
    assert outcome({"list": "bm25", "rank": 1}, query="E21", select="code") == [True]


def test_several_kinds_in_one_table_are_several_results():
    assert outcome({"list": "bm25", "doc": "code", "rank": 1, "absent": True}, query="E21") == [True, False]


def test_a_result_says_what_was_found_and_what_was_expected():
    said = lessons.check(lesson({"list": "bm25", "doc": "none", "rank": 2}, query="E21"), TINY)[0].said
    assert said == "bm25: none is not in the list; expected: rank 2."


@pytest.mark.parametrize(
    ("expect", "knobs", "words"),
    [
        ({"list": "bm26", "doc": "code", "rank": 1}, {}, "There is no list “bm26”"),
        ({"list": "bm25", "doc": "gone", "absent": True}, {}, "tiny has no document “gone”"),
        ({"list": "bm25", "doc": "none", "above": "gone"}, {}, "tiny has no document “gone”"),
        ({"list": "bm25", "top": ["gone"]}, {}, "tiny has no document “gone”"),
        ({"list": "bm25", "doc": "code", "rank": 1}, {"bm25.k1": 99.0}, "must lie between"),
        ({"list": "bm25", "doc": "code", "rank": 1}, {"bm26.k1": 1.0}, "belongs to no list"),
    ],
)
def test_an_expectation_that_cannot_be_carried_out_fails_and_says_why(expect, knobs, words):
    (result,) = lessons.check(lesson(expect, query="E21", knobs=knobs), TINY)
    assert not result.passed
    assert words in result.said


def test_lists_are_named_by_technique_and_made_when_asked_for():
    lists = lessons.lists_for({"tfidf.sublinear": True, "compare.shown": 3, "depth": 1}, TINY.corpus, page="compare")
    assert {"bm25", "tfidf", "vector"} <= set(lists)
    assert "TF-IDF" in lists
    ranking = lists["tf-idf"]("red")
    assert ranking.made_by.sublinear
    assert len(ranking) == 1
    with pytest.raises(UnknownName, match="no list “nope”"):
        lists["nope"]
    with pytest.raises(ParameterError, match="belongs to no list"):
        lessons.lists_for({"compare.shown": 3}, TINY.corpus, page="fusion")


def test_a_fusion_is_a_list_of_lists():
    lists = lessons.lists_for({"rrf.k": 1, "rrf.of": ["bm25:b=0", "tfidf"]}, TINY.corpus)
    ranking = lists["rrf"]("red fox")
    assert [parent.made_by.label for parent in ranking.parents] == ["BM25", "TF-IDF"]
    assert ranking.parents[0].made_by.b == 0
    assert ranking.hits[0].score == pytest.approx(1 / (1 + 1) + 1 / (1 + 1))


def test_a_page_can_bring_lists_of_its_own():
    mine = lessons.lists_for({}, TINY.corpus)["bm25:k1=0"]
    assert lessons.check(lesson({"list": "mine", "doc": "short", "ties": "long"}), TINY, more={"mine": mine})[0].passed


# ------------------------------------------------------------------------------------------------- file

GOOD = """
[[lesson]]
id = "one"
page = "compare"
query = "red"
select = "short"
knobs = { "bm25.k1" = 0.0 }
title = { en = "One", zh = "一" }
claim = { en = "One.", zh = "一。" }
[[lesson.expect]]
list = "bm25"
ties = "long"
"""


def test_a_file_of_lessons_is_read(tmp_path):
    (tmp_path / "lessons.toml").write_text(GOOD, "utf-8")
    (read,) = lessons.read(tmp_path)
    assert (read.id, read.page, read.corpus, read.title["zh"], read.knobs["bm25.k1"]) == (
        "one",
        "compare",
        tmp_path.name,
        "一",
        0.0,
    )
    assert all(result.passed for result in lessons.check(read, TINY))
    with pytest.raises(TypeError):
        read.knobs["bm25.k1"] = 1.0


def test_a_corpus_without_lessons_has_none(tmp_path):
    assert lessons.read(tmp_path) == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('page = "compare"', "", r"lesson 1 \(one\): “page” is missing"),
        ('page = "compare"', "page = 3", "“page” is empty or of the wrong kind"),
        ('id = "one"', 'id = ""', "“id” is empty"),
        ('id = "one"', 'id = "one"\nlevel = 1', "“level” is unknown"),
        (', zh = "一" }', "}", "“title” needs a text in each of en and zh"),
        ('ties = "long"', "", "names a list and at least one of: rank"),
        ('ties = "long"', 'ties = "long"\nrnk = 1', "“rnk” is no expectation"),
        ('list = "bm25"', "", "names a list"),
        ("[[lesson]]", "[[lesson", "cannot be read"),
        ("[[lesson]]", "[settings]\na = 1\n[[lesson]]", "“settings”, which is unknown"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, old, new, words):
    (tmp_path / "lessons.toml").write_text(GOOD.replace(old, new), "utf-8")
    with pytest.raises(CorpusError, match=words):
        lessons.read(tmp_path)


def test_two_lessons_cannot_share_an_id(tmp_path):
    (tmp_path / "lessons.toml").write_text(GOOD + GOOD, "utf-8")
    with pytest.raises(CorpusError, match="two lessons “one”"):
        lessons.read(tmp_path)
