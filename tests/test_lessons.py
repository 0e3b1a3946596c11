"""Every lesson of every sample corpus is true; and the checker does not pass a false one."""

from __future__ import annotations

import re
import tomllib
from functools import partial
from pathlib import Path

import places
import pytest
from night import for_each, sample, spread

from lab import formats, lessons, packs
from lab.algebra import Corpus, Document, Query, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.derive.parts import ParentChild
from lab.errors import CorpusError, PipelineError, UnknownName
from lab.explain.structures import structures_of
from lab.lessons import Lesson, Step
from lab.lessons.checking import OPERATORS, READINGS
from lab.retrieve.lexical import BM25, LexicalIndex
from lab.retrieve.store import ExactVector
from lab.rewrite.domain import Adapter, DomainVocabulary, adapters

LESSONS = [
    pytest.param(lesson, id=f"{name}-{lesson.id}")
    for name in samples.every_name()
    for lesson in lessons.read(samples.folder(name))
]
EXPRESSIONS = [
    pytest.param(text, id=f"{name}-{lesson['id']}-{called}")
    for name in samples.every_name()
    for lesson in tomllib.loads((samples.folder(name) / lessons.FILE).read_text("utf-8"))["lesson"]
    for called, text in lesson["lists"].items()
]


@pytest.fixture(scope="module")
def collections():
    return {name: samples.load(name) for name in samples.every_name()}


@pytest.mark.parametrize("lesson", spread(LESSONS, 28))
def test_the_lesson_is_true(lesson, collections):
    wrong = [result.said for result in lessons.check(lesson, collections[lesson.corpus]) if not result.passed]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", spread(sorted({x.values[0].page for x in LESSONS}), 2))
def test_the_lessons_of_a_page_are_read_without_the_others(page: str) -> None:
    for name in samples.every_name():
        every = [lesson.id for lesson in lessons.read(samples.folder(name), checked=False) if lesson.page == page]
        assert [lesson.id for lesson in lessons.read(samples.folder(name), page=page, checked=False)] == every


@pytest.mark.parametrize("line", ['page="mmr"', "  page  =  'mmr'", 'page = "mmr" # as asked'])
def test_the_page_of_a_lesson_is_found_as_toml_may_write_it(line: str, tmp_path: Path) -> None:
    start = '[[lesson]]\nid = "a"\nquery = "q"\nlists = {}\nstep = []\ntitle = {}\n'
    (tmp_path / lessons.FILE).write_text(f'{start}page = "mmr2"\n{start}{line}\n', "utf-8")
    assert len(lessons.read(tmp_path, page="mmr", checked=False)) == 1


@for_each("lesson", LESSONS)
def test_the_lesson_opens_an_existing_page_and_document_and_speaks_of_every_list_once(lesson, collections):
    assert places.file_of(lesson.page)
    assert not lesson.select or collections[lesson.corpus].corpus.get(lesson.select)
    assert set(lesson.lists) == {name for e in lesson.expect for name in lessons.spoken_of(e)}
    assert len(set(lesson.lists.values())) == len(lesson.lists), "no two are the same search"


@for_each("text", sample(EXPRESSIONS, 250))
def test_a_list_survives_a_file_a_link_and_an_expression_which_is_as_the_lab_writes_it(text):
    """But for the short forms of a cut, a share and a set of words: no default is spelled out."""

    def short(written: str) -> str:
        written = re.sub(r" >> Top\(k=(\d+)\)", r" % \1", written.replace("Top()", "Top(k=10)"))
        written = re.sub(r"frozenset\({(.*?)}\)", r"(\1)", written).replace("0.6666666666666666", "2/3")
        return written.replace("0.3333333333333333", "1/3").replace(".0,", ",").replace(".0)", ")")

    search = formats.parse(text)
    assert text == short(formats.expression(search))
    assert formats.from_toml(formats.to_toml(search)) == search
    assert formats.from_link(formats.to_link(search)) == search
    assert formats.parse(formats.expression(search)) == search


def test_a_list_names_an_adapter_of_the_lab_and_carries_one_of_the_visitor():
    law = formats.parse("DomainVocabulary(adapter='law')(BM25())")
    assert law == DomainVocabulary(adapters()["law"])(BM25())
    assert 'adapter = "law"' in formats.to_toml(law)
    own = DomainVocabulary(Adapter.read('name = "law"\n[terms]\nfired = "dismissed"'))(BM25())
    assert own != law
    for again in (formats.parse(formats.expression(own)), formats.from_toml(formats.to_toml(own))):
        assert again == own
        assert not again.rewrite.adapter.only_questions
    with pytest.raises(PipelineError, match="no domain vocabulary “laws”. Valid names: education, law, medicine"):
        formats.parse("DomainVocabulary(adapter='laws')(BM25())")


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
PLAIN = {"bm25": "BM25()"}
COMPONENTS = {"doc": "code", "reading": "components", "is": 0}
CODE = BM25().index(TINY.corpus).search("E21").hits[0].score


def lesson(*expect, lists=PLAIN, query="red", **more):
    words = {"en": "x", "zh": "x"}
    searches = {name: formats.parse(text) for name, text in lists.items()}
    return Lesson("l", "compare", words, (Step(words, expect),), "tiny", query, lists=searches, **more)


def outcome(*expect, **more):
    return [result.passed for result in lessons.check(lesson(*expect, **more), TINY)]


def found(text, query, corpus=TINY.corpus):
    """The list that this expression gives in a lesson."""
    return lesson(lists={"it": text}, query=query).ranking("it", Runner(corpus))


@for_each(
    "true, false",
    [
        ({"doc": "code", "rank": 1}, {"doc": "code", "rank": 2}),
        ({"doc": "code", "score": round(CODE, 2)}, {"doc": "code", "score": round(CODE, 2) + 0.02}),
        ({"doc": "code", "score": round(CODE, 4)}, {"doc": "none", "score": 0.0}),
        ({"doc": "code", "max_rank": 1}, {"doc": "none", "max_rank": 3}),
        ({"doc": "none", "min_rank": 2}, {"doc": "code", "min_rank": 2}),
        ({"doc": "none", "absent": True}, {"doc": "code", "absent": True}),
        ({"doc": "code", "absent": False}, {"doc": "none", "absent": False}),
        ({"doc": "code", "above": "none"}, {"doc": "none", "above": "code"}),
        ({"doc": "code", "ties": "code"}, {"doc": "code", "ties": "none"}),
        ({"doc": "code", "matched": ["e21"]}, {"doc": "code", "matched": ["display"]}),
        ({"doc": "none", "matched": []}, {"doc": "code", "matched": []}),
        ({**COMPONENTS, "of": ["display"]}, {**COMPONENTS, "of": ["e21"]}),
        ({"top": ["code"]}, {"top": ["none"]}),
        ({"top": ["code"]}, {"top": ["code", "none"]}),
        ({"at_least": 1}, {"at_most": 0}),
        ({"at_most": 1}, {"at_most": 0}),
        ({"at_least": 1}, {"at_least": 2}),
    ],
)
def test_a_true_expectation_passes_and_a_false_one_fails(true, false):
    assert outcome({"list": "bm25", **true}, query="E21") == [True]
    assert outcome({"list": "bm25", **false}, query="E21") == [False]


def test_every_kind_of_expectation_is_tried_here_or_below():
    ranked = {"rank", "max_rank", "min_rank", "absent", "above", "ties", "score", "better_than", "matched", "top"}
    others = {"attention_above", "holds", "lacks", "blocked_by", "answers", "mean_above", "mean_undecided"}
    assert set(lessons.KINDS) == ranked | others | OPERATORS.keys()
    brought = {name for readings in packs.loaded("readings") for name in vars(readings)}
    assert {name for name in READINGS if f"read_{name}" not in brought} == {
        *("results", "components", "ceiling", "kept_by_refusing", "worse", "p_of_lead", "judged", "lead_kept"),
        *("kappa", "kappa_of_rule", "preferred_by_rule_only", "precision_kept", "highest_precision"),
        *("first_place_decides", "class_significant", "class_misled"),
        *(
            "chunks_alike",
            "chunks_joined",
            "graph_found",
            "graph_lost",
            "graph_compared",
            "graph_left",
        ),
        *("answered", "citations", "cited_first", "unsupported", "answered_later"),
    }


def test_what_late_chunking_changes_and_what_chunks_are_when_joined_can_be_expected():
    corpus = Corpus(
        "pumps", (Document("pump", "The pump is loud today. It needs ninety days of rest. Extraordinarily long."),)
    )
    cut = "ParentChild(child=30, parent=60, titles=False{})(BM25())"
    exact = len(ParentChild(child=30, parent=60, at="exact")(corpus))
    counts = ("sentences", 3), ("sentences", 2), ("exact", exact), ("bm25", 1)
    joined = ("sentences", -2), ("overlap", 18), ("overlap", -2), ("bm25", 0)  # two spaces between the sentences
    told = lesson(
        *({"list": name, "doc": "pump", "reading": "chunks_alike", "is": n} for name, n in counts),
        *({"list": name, "doc": "pump", "reading": "chunks_joined", "is": n} for name, n in joined),
        lists={
            **{"sentences": cut.format(""), "exact": cut.format(", at='exact'"), "bm25": "BM25()"},
            "overlap": cut.format(", overlap=9"),
        },
    )
    results = lessons.check(told, Collection(corpus))
    assert [r.passed for r in results] == [True, False, False, False, True, True, False, False]
    assert "changed by late chunking: 0" in results[0].said


def test_what_a_walk_in_a_graph_finds_loses_and_compares_can_be_expected():
    staff = samples.load("staff")
    where = """ExactVector(scale='unit', where='{"source": "IT service desk"}')"""
    asked = structures_of(ExactVector(scale="unit"), staff.corpus).ask("PR-52")
    searched = asked.walk(10)
    own = asked.outcome(searched)
    exact = [asked.structures.documents[node].id for node in own.exact]
    lost = [asked.structures.documents[loss.node].id for loss in own.losses]
    assert lost
    (found_one, *_), (lost_one, *_) = [doc for doc in exact if doc not in lost], lost
    n, compared = own.hits, len(searched.compared())
    told = lesson(
        {"list": "unit", "reading": "graph_found", "of": [10, "none"], "is": n},
        {"list": "unit", "reading": "graph_lost", "of": [10, "none"], "is": True, "doc": lost_one},
        {"list": "unit", "reading": "graph_compared", "of": [10, "none"], "is": compared},
        {"list": "unit", "reading": "graph_left", "of": [10, "none"], "is": 10},
        {"list": "desk", "reading": "graph_found", "of": [240, "search"], "is": 10},
        {"list": "desk", "reading": "graph_left", "of": [10, "search"], "is": 10},
        {"list": "unit", "reading": "graph_found", "of": [10, "none"], "is": n + 1},
        {"list": "unit", "reading": "graph_lost", "of": [10, "none"], "is": True, "doc": found_one},
        {"list": "unit", "reading": "graph_compared", "of": [10, "none"], "is": compared + 1},
        {"list": "desk", "reading": "graph_left", "of": [10, "after"], "is": 10},
        {"list": "unit", "reading": "graph_found", "of": [10, "sometimes"], "is": n},
        {"list": "bm25", "reading": "graph_found", "of": [10, "none"], "is": n},
        lists={"unit": "ExactVector(scale='unit')", "desk": where, "bm25": "BM25()"},
        query="PR-52",
    )
    assert [r.passed for r in lessons.check(told, staff)] == [True] * 6 + [False] * 6


def test_what_a_simulated_class_prefers_can_be_expected():
    words = [f"word{i}" for i in range(12)]
    documents = [Document(f"long{i}", f"{w} {w} " + "filler " * 30) for i, w in enumerate(words)]
    documents += [Document(f"short{i}", f"{w} filler") for i, w in enumerate(words)]
    queries = tuple(Query(w, id=w) for w in words)
    qrels = {w: {f"short{i}": 1} if i < 8 else {f"long{i}": 1} for i, w in enumerate(words)}
    qrels["word0"]["long0"] = 1  # both answer
    judged = Collection(Corpus("pairs", tuple(documents)), queries, qrels)
    lists = {"short": "BM25(b=1)", "long": "BM25(b=0)"}
    true = [
        {"list": "short", "reading": "first_place_decides", "than": "long", "is": True},
        {"list": "long", "reading": "first_place_decides", "than": "short", "is": True},
        {"list": "short", "reading": "class_significant", "of": 30, "than": "long", "at_most": 0.9},
        {"list": "short", "reading": "class_misled", "of": 300, "than": "long", "at_least": 3},
    ]
    false = [
        {"list": "short", "reading": "class_significant", "of": 30, "than": "long", "at_most": 0.05},
        {"list": "long", "reading": "class_significant", "of": 30, "than": "short", "at_most": 1.0},
    ]
    told = lessons.check(lesson(*true, *false, query="word0", lists=lists), judged)
    assert [r.passed for r in told] == [True] * 4 + [False] * 2, "\n".join(r.said for r in told)
    always = Collection(judged.corpus, queries, {w: {f"short{i}": 1} for i, w in enumerate(words)})
    clear = lessons.check(lesson(true[3], query="word0", lists=lists), always)
    assert not clear[0].passed, "no class is misled"
    one_answers = lessons.check(lesson(true[0], query="word1", lists=lists), judged)
    assert not one_answers[0].passed, "with a coin the list with the answer is preferred"
    too_few = lessons.check(lesson(true[2], query="word0", lists=lists), Collection(judged.corpus, queries[:3], qrels))
    assert not too_few[0].passed
    assert "questions" in too_few[0].said


def test_what_a_threshold_promises_and_keeps_can_be_expected():
    words = [f"word{i}" for i in range(24)]
    documents = [Document(f"good{w}", f"{w} " * 3) for w in words] + [Document(f"bad{w}", f"{w} filler") for w in words]
    queries = tuple(Query(w, id=w) for w in words)
    separable = Collection(Corpus("s", tuple(documents)), queries, {w: {f"good{w}": 1} for w in words})
    answers = {w: {f"{'good' if i % 3 else 'bad'}{w}": 1} for i, w in enumerate(words)}
    mixed = Collection(separable.corpus, queries, answers)
    kept = {"list": "bm25", "reading": "precision_kept", "of": ["best", 0.9]}
    keeps, slips = ({**kept, "between": limits} for limits in ((0.95, 1.0), (0.0, 0.9)))
    none = {"list": "bm25", "reading": "highest_precision", "of": "best", "below": 0.9}
    told = partial(lessons.check, lesson(keeps, slips, none, query="word0", lists={"bm25": "BM25()"}))
    assert [r.passed for r in told(separable)] == [True, False, False]
    assert [r.passed for r in told(mixed)] == [False, False, True]
    few = Collection(separable.corpus, queries[:10], separable.qrels)
    assert [r.passed for r in told(few)] == [False, False, False]


def test_the_best_order_of_the_candidates_can_be_expected():
    documents = tuple(
        Document(name, text) for name, text in (("a", "pump pump"), ("b", "pump and valve"), ("c", "hose"))
    )
    queries = (Query("pump", id="p"), Query("valve", id="v"))
    judged = Collection(Corpus("s", documents), queries, {"p": {"b": 1}, "v": {"c": 1}})
    best = {"list": "bm25", "reading": "ceiling", "of": 10}
    right = {**best, "between": [0.5, 0.5]}  # the pump is misordered, the hose is not found
    wrong = [{**best, "of": 1, "between": [0.4, 0.5]}, {**best, "between": [0.6, 1.0]}]
    told = lesson(right, *wrong, query="pump", lists={"bm25": "BM25()"})
    assert [r.passed for r in lessons.check(told, judged)] == [True, False, False]


def test_what_refusing_costs_can_be_expected():
    documents = tuple(Document(name, f"{name} " * 3) for name in ("pump", "hose", "valve"))
    queries = (Query("pump", id="p"), Query("hose", id="h"), Query("valve", id="v"))
    judged = Collection(Corpus("s", documents), queries, {"p": {"pump": 1}, "h": {"hose": 1}, "v": {"valve": 0}})
    kept = {"list": "bm25", "reading": "kept_by_refusing"}
    free, costly = ({**kept, "of": ["score", share], "at_most": 0.0} for share in (0.5, 1.0))
    easy = {"list": "bm25", "reading": "kept_by_refusing", "of": ["score", 1.0], "at_most": 1.0}
    told = lesson(free, costly, easy, query="pump", lists={"bm25": "BM25()"})
    assert [r.passed for r in lessons.check(told, judged)] == [True, True, True]  # all scores are equal: all or none
    mild = Collection(judged.corpus, queries, {"p": {"pump": 1}, "h": {"hose": 1}})
    assert not any(r.passed for r in lessons.check(told, mild))  # no question without an answer


def test_what_is_answered_from_a_list_can_be_expected():
    boil = Document("boil", "The red kettle boils water in three minutes. It is made of steel.", "Red kettle")
    clean = Document("clean", "Descale with vinegar every month. Rinse twice.", "Descaling")
    corpus = Corpus("kettles", (boil, clean, Document("blue", "The blue kettle whistles.", "Blue kettle")))
    rule, said = "BestSentence()", "The red kettle boils water in three minutes."
    true = [
        {"doc": "boil", "answers": "three minutes"},
        {"reading": "answered", "of": "Extractive()", "is": True},
        {"reading": "citations", "of": [rule, said], "is": 1},
        {"doc": "boil", "reading": "cited_first", "of": [rule, said], "is": True},
        {"reading": "unsupported", "of": ["The red kettle boils water in nine minutes.", "nine minutes"], "is": True},
    ]
    false = [
        {"doc": "clean", "answers": "three minutes"},
        {"doc": "boil", "answers": "steel"},
        {"reading": "answered", "of": "Extractive()", "is": False},
        {"reading": "citations", "of": [rule, said], "is": 2},
        {"reading": "answered", "of": "BM25()", "is": True},
        {"reading": "citations", "of": ["BM25()", said], "is": 1},
        {"doc": "clean", "reading": "cited_first", "of": [rule, said], "is": True},
        {"reading": "unsupported", "of": [said, "three minutes"], "is": True},
        {"reading": "answered_later", "of": "three minutes", "is": True},
    ]
    told = lesson(
        *({"list": "context", **one} for one in (*true, *false)),
        query="How fast does the red kettle boil water?",
        lists={"context": "BM25() >> Context()"},
        select="boil",
    )
    assert [r.passed for r in lessons.check(told, Collection(corpus))] == [True] * 5 + [False] * 9
    paid = Document("paid", "产假期间的生育津贴由社保机构支付。", "产假")
    leave = Document("leave", "男员工享受带薪护理假 15 天，应在六个月内使用。", "男员工")
    again = lesson(
        {"list": "context", "reading": "answered_later", "of": "15 天", "is": True},
        {"list": "context", "reading": "answered_later", "of": "社保", "is": True},
        query="护理假多少天，生育津贴由谁支付",
        lists={"context": "BM25() >> Context(most=1)"},
    )
    two = Corpus("two", (paid, leave, Document("moon", "月球很远。", "月球")))
    assert [r.passed for r in lessons.check(again, Collection(two))] == [True, False]


def test_the_text_in_a_list_can_be_expected_to_have_kept_or_lost_words():
    corpus = Corpus(
        "three",
        (
            Document("d", "The fox is red. The bus is late.", "Fox"),
            Document("e", "Blue sky."),
            Document("f", "Green sea."),
        ),
    )
    told = lesson(
        *(
            {"list": name, "doc": "d", kind: words}
            for name in ("one sentence", "bm25")
            for kind in ("holds", "lacks")
            for words in ("fox is red", "bus is late")
        ),
        {"list": "one sentence", "doc": "d", "lacks": "never said"},
        {"list": "one sentence", "doc": "e", "lacks": "Blue"},
        query="red fox",
        lists={**PLAIN, "one sentence": "BM25() >> SentenceExtractor(at_most=1)"},
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
    corpus = Corpus("five", tuple(Document(f"d{i}", "red " * (6 - i) + "x " * i) for i in range(5)))
    second = found("BM25()", "red", corpus).ids[1]
    orders = {name: f"BM25() >> LongContextReorder(order={name!r})" for name in ("sides", "best first")}
    last = {"list": "sides", "doc": second, "attention_above": "best first"}
    there = {"list": "best first", "doc": second, "attention_above": "sides"}
    told = lessons.check(lesson(last, there, lists=orders), Collection(corpus))
    assert [r.passed for r in told] == [True, False]


def test_all_judged_questions_can_be_expected_to_gain_in_the_mean_and_to_lose_in_part():
    queries = tuple(Query(text, id=text) for text in ("red", "fox", "E21", "blue"))
    qrels = {"red": {"long": 1}, "fox": {"short": 1}, "E21": {"code": 1}, "blue": {"sky": 1}}
    lists = {"first": "BM25() % 1", "all": "BM25()", "none": "BM25() % 0"}
    judged = Collection(TINY.corpus, queries, qrels)
    told = lesson(
        {"list": "all", "mean_undecided": "none"},  # four questions cannot decide
        {"list": "none", "mean_above": "first"},
        {"list": "none", "reading": "worse", "than": "all", "at_least": 1.0},
        {"list": "first", "reading": "worse", "than": "all", "at_least": 0.25},
        {"list": "first", "reading": "worse", "than": "all", "at_least": 0.3},
        {"list": "all", "reading": "p_of_lead", "of": 4, "than": "first", "at_least": 0.05},
        {"list": "first", "reading": "p_of_lead", "of": 4, "than": "all", "at_least": 0.05},
        {"list": "all", "reading": "judged", "below": 1.1},
        {"list": "none", "reading": "judged", "below": 0},
        lists=lists,
        query="red",
        select="long",
    )
    found = lessons.check(told, judged)
    assert [r.passed for r in found] == [True, False, True, True, False, True, False, True, False]
    assert found[3].said == "first: questions worse than in all: 1 of 4; expected: at least 0.25."
    nobody = lessons.check(told, TINY)
    assert not nobody[0].passed
    assert "no judgments" in nobody[0].said


def test_a_setting_that_was_chosen_by_luck_is_told_from_one_that_is_better():
    corpus = Corpus("pair", (Document("long", "red fox and much else besides"), Document("short", "red")))
    queries = tuple(Query(f"red {n}", id=f"q{n}") for n in range(12))
    kept = {"list": "first", "reading": "lead_kept", "of": [12, "retrieve.0.b=0,0.75"], "at_most": 0.33}
    told = lesson(kept, lists={"first": "BM25() % 1"}, query="red")

    def found(*relevant):
        qrels = {q.id: {relevant[i % len(relevant)]: 1} for i, q in enumerate(queries)}
        (result,) = lessons.check(told, Collection(corpus, queries, qrels))
        return result

    assert found("long", "short").passed, "without length (b=0) the first document leads, on every other question"
    assert not found("long").passed
    assert "by +1.000 on the tuning half and by +1.000 on the held-out half" in found("long").said


def test_raters_of_a_lesson_can_agree_on_most_and_on_nothing():
    corpus = Corpus("eight", tuple(Document(f"d{i}", f"red {i}") for i in range(8)))
    nothing = dict.fromkeys((d.id for d in corpus), 0)
    grades = {
        "ann": nothing | {"d0": 3},
        "ben": nothing | {"d1": 3},
        "cy": nothing | {"d0": 2},
        "di": {"d0": 0, "d2": 1},
    }
    kappa = {"list": "bm25", "reading": "kappa", "below": 0.2}
    pairs = [{**kappa, "of": ["ann", other]} for other in ("ben", "cy", "di", "nobody")]
    told = lesson(*pairs, query="red", select="d0", grades=grades)
    found = lessons.check(told, Collection(corpus))
    assert [r.passed for r in found] == [True, False, False, False]
    assert found[0].found.startswith(
        "Grades on which ann and ben agree: 6 of 8; kappa is -0.14: no better than chance."
    )
    assert "not judged any passage in common" in found[3].said
    lost = lesson({"list": "bm25", "rank": 1}, query="red", select="d0", grades={"ann": {"gone": 1}})
    assert "no document “gone”" in lessons.check(lost, Collection(corpus))[0].said


def test_what_a_rater_by_words_gets_wrong_can_be_expected():
    """The answer shares no word with the question; the rule prefers what repeats the question."""
    corpus = Corpus("two", (Document("echo", "red car price"), Document("answer", "auto costs"), Document("x", "blue")))
    collection = Collection(corpus, (Query("red car price", id="q"),), {"q": {"answer": 2, "echo": 0, "x": 0}})
    lists = {"words": "BM25()", "right": "Given(rows=('answer 2', 'echo 1'))"}
    told = lesson(
        {"list": "words", "reading": "kappa_of_rule", "below": 0.0},
        {"list": "words", "reading": "preferred_by_rule_only", "than": "right", "is": True},
        {"list": "words", "reading": "kappa_of_rule", "below": -0.9},
        {"list": "right", "reading": "preferred_by_rule_only", "than": "words", "is": True},
        query="red car price",
        select="echo",
        lists=lists,
    )
    assert [r.passed for r in lessons.check(told, collection)] == [True, True, False, False]


def test_a_stage_can_be_given_the_first_few_of_a_list_only():
    assert len(found("RRF()(BM25(), TFIDF())", "red fox")) == 2
    assert len(found("RRF()(BM25(), TFIDF()) % 1 >> QueryCoverage()", "red fox")) == 1


def test_a_stage_follows_the_list_that_stands_before_it():
    kept = found("TFIDF() >> ScoreThreshold(minimum=1, of='best')", "red fox")
    assert kept.ids == ["short"]
    assert kept.parents[0].made_by.label == "TF-IDF"


def test_a_chroma_list_takes_a_filter_and_a_threshold_on_the_distance():
    corpus = Corpus(
        "two", (Document("a", "red fox", metadata={"lang": "en"}), Document("b", "a red fox", metadata={"lang": "de"}))
    )
    own = ("", "max_distance=1e-5", """where='{"lang": "de"}'""")
    assert [found(f"ChromaVector({o})", "red fox", corpus).ids for o in own] == [["a", "b"], ["a"], ["b"]]


def test_a_fusion_is_a_list_of_lists():
    ranking = found("RRF(k=1)(BM25(b=0), TFIDF())", "red fox")
    assert [parent.made_by.label for parent in ranking.parents] == ["BM25", "TF-IDF"]
    assert ranking.parents[0].made_by.b == 0
    assert ranking.hits[0].score == pytest.approx(1 / (1 + 1) + 1 / (1 + 1))


def test_a_rewritten_list_is_one_of_the_wordings_lists():
    ranking = found("SubQuestions(abstains=False)(BM25(), merge=BestScore())", "red fox and blue sky")
    assert [parent.query.kind for parent in ranking.parents] == ["original", "sub-question", "sub-question"]
    assert {"short", "sky"} <= set(ranking.ids)


def test_a_retriever_is_asked_for_the_whole_corpus_and_anything_else_for_its_depth():
    corpus = Corpus("many", tuple(Document(f"d{i}", "red " + "x " * i) for i in range(120)))
    assert len(found("BM25()", "red", corpus)) == 120
    assert len(found("RRF()(TFIDF(), depth=7)", "red", corpus)) == 7
    assert len(found("BM25() % 110", "red", corpus)) == 100


def test_no_list_of_a_lesson_is_searched_twice(monkeypatch):
    asked, own = [], LexicalIndex.search

    def search(index, query, **more):
        asked.append(index.operator.label)
        return own(index, query, **more)

    monkeypatch.setattr(LexicalIndex, "search", search)
    fused = "RRF()(BM25(), TFIDF())"
    first = {"list": "fused", "doc": "short", "rank": 1}
    again = {"list": "first", "doc": "short", "rank": 1, "better_than": "last"}
    assert outcome(
        first,
        first,
        again,
        query="red fox",
        lists={"fused": fused, "first": f"{fused} % 1", "last": f"{fused} >> LongContextReorder()"},
    ) == [True, True, True, True]
    assert asked == ["BM25", "TF-IDF"]


def test_lists_that_differ_in_one_knob_can_be_compared():
    lists = {"b = 0": "BM25(b=0)", "b = 1": "BM25(b=1)"}
    better = {"list": "b = 0", "doc": "long", "better_than": "b = 1"}
    worse = {"list": "b = 1", "doc": "long", "better_than": "b = 0"}
    assert outcome(better, worse, lists=lists) == [True, False]


def test_the_knobs_of_the_page_change_no_list():
    first = {"list": "bm25", "doc": "long", "rank": 1}
    knobs = {"bm25.b": 1.0, "anything.else": "x"}
    assert outcome(first, knobs=knobs, lists={"bm25": "BM25(b=0)"}) == [True]
    assert outcome(first, knobs={"bm25.b": 0.0}, lists={"bm25": "BM25(b=1)"}) == [False]


def test_a_list_says_how_text_becomes_words():
    kept = [{"list": name, "doc": "code", "absent": False} for name in ("bm25", "tfidf")]
    analyzer = "analyzer=Analyzer(stop_words=('e21', '21'))"
    assert outcome(*kept, query="e21", lists={"bm25": "BM25()", "tfidf": "TFIDF()"}) == [True, True]
    stopped = {"bm25": f"BM25({analyzer})", "tfidf": f"TFIDF({analyzer})"}
    assert outcome(*kept, query="e21", lists=stopped) == [False, False]


def test_the_selected_document_is_meant_where_none_is_named():
    assert outcome({"list": "bm25", "rank": 1}, query="E21", select="code") == [True]


def test_several_kinds_in_one_table_are_several_results():
    assert outcome({"list": "bm25", "doc": "code", "rank": 1, "absent": True}, query="E21") == [True, False]


def test_a_result_says_what_was_found_and_what_was_expected():
    said = lessons.check(lesson({"list": "bm25", "doc": "none", "rank": 2}, query="E21"), TINY)[0].said
    assert said == "bm25: “nothing to see here” is not in the list (results: 1); expected: rank 2."


@for_each(
    "expect, words",
    [
        ({"list": "bm26", "doc": "code", "rank": 1}, "There is no list “bm26”. Valid names: bm25, reworded."),
        ({"list": "bm25", "doc": "code", "better_than": "bm26"}, "There is no list “bm26”"),
        ({"list": "bm25", "doc": "gone", "absent": True}, "tiny has no document “gone”"),
        ({"list": "bm25", "doc": "none", "above": "gone"}, "tiny has no document “gone”"),
        ({"list": "bm25", "top": ["gone"]}, "tiny has no document “gone”"),
        ({"list": "bm25", "rank": 1}, "tiny has no document “”"),
        ({"list": "reworded", "doc": "code", "rank": 1}, "no language model “chat”"),
    ],
)
def test_an_expectation_that_cannot_be_carried_out_fails_and_says_why(expect, words):
    lists = {**PLAIN, "reworded": "MultiQuery(model='chat')(BM25())"}
    (result,) = lessons.check(lesson(expect, query="E21", lists=lists), TINY)
    assert not result.passed
    assert words in result.said


def test_a_list_that_fails_leaves_the_other_expectations_alone():
    lists = {**PLAIN, "reworded": "MultiQuery(model='chat')(BM25())"}
    told = [{"list": name, "doc": "code", "rank": 1} for name in ("reworded", "bm25")]
    assert outcome(*told, query="E21", lists=lists) == [False, True]


def test_an_unknown_list_is_an_error_for_who_asks_for_it():
    with pytest.raises(UnknownName, match="no list “nope”"):
        lesson().ranking("nope", Runner(TINY.corpus))


# ------------------------------------------------------------------------------------------------- file

GOOD = """
[[lesson]]
id = "one"
page = "compare"
query = "red"
select = "short"
knobs = { "bm25.k1" = 0.0 }
title = { en = "One", zh = "一" }
[lesson.lists]
"k1 = 0" = "BM25(k1=0)"
both = "RRF()(BM25(k1=0), TFIDF())"
[[lesson.step]]
en = "They tie."
zh = "并列。"
expect = [{ list = "k1 = 0", ties = "long" }]
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
    assert list(read.lists) == ["k1 = 0", "both"]
    assert read.lists["both"] == formats.parse("RRF()(BM25(k1=0), TFIDF())")
    assert all(result.passed for result in lessons.check(read, TINY))
    for table in (read.knobs, read.lists):
        with pytest.raises(TypeError):
            table["new"] = 1.0


def test_a_corpus_without_lessons_has_none(tmp_path):
    assert lessons.read(tmp_path) == ()


AS_IN = r"\. Every list has a name under \[lesson.lists\], and a search, as in first = "


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('page = "compare"', "", r"lesson 1 \(one\): “page” is missing"),
        ('page = "compare"', "page = 3", "“page” is empty or of the wrong kind"),
        ('id = "one"', 'id = ""', "“id” is empty"),
        ('id = "one"', 'id = "one"\nlevel = 1', "“level” is unknown"),
        (', zh = "一" }', "}", "“title” needs a text in each of en and zh"),
        (', ties = "long"', "", "names a list and at least one of: rank"),
        ('ties = "long"', 'ties = "long", rnk = 1', '“rnk” is not an expectation.*written as { list = "first"'),
        ('list = "k1 = 0", ', "", "names a list"),
        ('en = "They tie."', "", "“step” needs a text in each of en and zh"),
        ('en = "They tie."', 'en = "They tie."\nde = "Gleich."', "“de” is unknown"),
        ('en = "They tie."', 'en = "They tie."\nselect = 1', "“select” is empty or of the wrong kind"),
        ('expect = [{ list = "k1 = 0", ties = "long" }]', "", "no sentence expects anything"),
        ("[[lesson.step]]\nen", "[lesson.step]\nen", "“step” is empty or of the wrong kind"),
        ("[[lesson]]", "[[lesson", "cannot be read"),
        ("[lesson.lists]", "[lesson.grades]\nann = { d1 = 'good' }\n[lesson.lists]", "“grades” needs a table for each"),
        ("[[lesson]]", "[settings]\na = 1\n[[lesson]]", "“settings”, which is unknown"),
        (
            '"BM25(k1=0)"',
            '"BM26(k1=0)"',
            r"lesson 1 \(one\), list “k1 = 0”: There is no operator “BM26”.*Did you mean",
        ),
        ('"BM25(k1=0)"', '"BM25(k1=99)"', "list “k1 = 0”: k1 is 99.0, but must lie between"),
        ('"BM25(k1=0)"', '"BM25(k2=0)"', "list “k1 = 0”: BM25 has no parameter “k2”"),
        ('"BM25(k1=0)"', '"MMR()"', "list “k1 = 0”: “MMR\\(\\)” is not a search"),
        ('"BM25(k1=0)"', '""', "list “k1 = 0”: "),
        ('"BM25(k1=0)"', "{ k1 = 0 }", "the list “k1 = 0” is not a text"),
        ('ties = "long"', 'better_than = "vector"', "“vector” is not a list of this lesson; valid: k1 = 0, both"),
        ('ties = "long"', 'attention_above = "vector"', "“vector” is not a list of this lesson"),
        ('ties = "long"', 'reading = "worse", than = "vector", below = 1', "“vector” is not a list of this lesson"),
        ('ties = "long"', 'reading = "wrose", below = 1', "“wrose” is not a reading; valid: components, results"),
        # as they were written before lists were searches
        (
            '[lesson.lists]\n"k1 = 0" = "BM25(k1=0)"\nboth = "RRF()(BM25(k1=0), TFIDF())"\n',
            "",
            f"“lists” is missing{AS_IN}",
        ),
        ('list = "k1 = 0"', 'list = "bm25:k1=0"', f"“bm25:k1=0” is not a list of this lesson.*{AS_IN}"),
        ('ties = "long"', 'ties = "long", knobs = { "bm25.b" = 0 }', f"is another list{AS_IN}"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, old, new, words):
    assert old in GOOD
    (tmp_path / "lessons.toml").write_text(GOOD.replace(old, new), "utf-8")
    with pytest.raises(CorpusError, match=words):
        lessons.read(tmp_path)


def test_two_lessons_cannot_share_an_id(tmp_path):
    (tmp_path / "lessons.toml").write_text(GOOD + GOOD, "utf-8")
    with pytest.raises(CorpusError, match="two lessons “one”"):
        lessons.read(tmp_path)
