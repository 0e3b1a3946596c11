"""The class on the page Evaluate: thirty students click and judge, each sees its own list, and late clicks are late."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from night import NIGHT, spread
from streamlit.testing.v1 import AppTest
from ui.conftest import unescaped

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate import evaluate
from lab.evaluate.experiments import Experiment
from lab.evaluate.interleaving import exchanged, outcome, power, sign_test
from lab.presets import find
from lab.retrieve.lexical import BM25
from lab.ui.layout import frame
from lab_packs.classroom.classes import TASKS, Classes, forget_corpus
from lab_packs.classroom.pages import joining
from lab_packs.classroom.polls import CLICK, END, EXCHANGE, MOST, Asked, Grading, Poll
from tests.ui.test_lesson_pages import opened

STUDENTS = 30 if NIGHT else 5
RATERS = 30 if NIGHT else 8
ASKED = {"evaluate.tab": "class", "evaluate.searches": "bm25,hybrid", "corpus": "devices"}


def texts(app: AppTest) -> str:
    """Every text of the page, which has no error."""
    assert not app.exception, app.exception
    assert not app.error
    said = unescaped("\n".join(x.value for x in (*app.markdown, *app.caption, *app.info, *app.success, *app.warning)))
    assert "nan" not in said.lower().split()
    return said


def taught(lang: str = "en", **link: str) -> AppTest:
    """The teacher's page, with a class whose task has begun."""
    app = opened("evaluate", lang, **{**ASKED, **link})
    app.button("evaluate.begin").click().run()
    texts(app)
    app.button("evaluate.start").click().run()
    texts(app)
    return app


def in_class(teacher: AppTest):
    return joining.ALL.find(teacher.session_state["course.class"])


def student(teacher: AppTest, lang: str = "en") -> AppTest:
    """A student who has opened the class's link."""
    return opened("evaluate", lang, **{"evaluate.tab": "class", "course.class": teacher.session_state["course.class"]})


def token(app: AppTest) -> str:
    return app.session_state[frame.VISITOR].token


def results(app: AppTest) -> list:
    return [b for b in app.button if str(b.key).startswith("evaluate.click.")]


def titles(app: AppTest) -> list[str]:
    shown = [unescaped(x.value) for x in app.markdown if x.value.startswith("**")]
    return [text.strip("*").partition(". ")[2] for text in shown]


def test_a_class_clicks_without_an_error_and_every_click_counts_once():
    teacher = taught()
    poll = in_class(teacher).task
    students = [student(teacher, "zh" if i % 5 == 0 else "en") for i in range(STUDENTS)]
    preferences, credit, drafted = Counter(), [0, 0], set()
    for i, app in enumerate(students):
        own, ahead = poll.questions_of(token(app)), 0
        assert len(own) == 3
        for n, at in enumerate(own):
            said = texts(app)
            assert poll.questions[at].text in said
            assert "BM25" not in said.replace("BM25F", ""), "nobody knows where a result comes from"
            hits = poll.hits(token(app), at)
            documents = poll.questions[at].documents
            assert [label[:30] for label in titles(app)] == [documents[hit.doc].label[:30] for hit in hits]
            drafted.add((at, hits))
            clicked = [(i + n) % len(hits), *([0] if i % 3 == 0 else [])]
            for rank in dict.fromkeys(clicked):
                results(app)[rank].click().run()
            results(app)[clicked[0]].click().run()
            results(app)[clicked[0]].click().run()  # taken back, and clicked again
            own_credit = Counter(hits[rank].team for rank in set(clicked))
            credit = [credit[0] + own_credit[0], credit[1] + own_credit[1]]
            ahead += (own_credit[0] > own_credit[1]) - (own_credit[0] < own_credit[1])
            if n < 2:
                app.button("evaluate.forward").click().run()
        preferences[(ahead > 0) - (ahead < 0)] += 1
    assert len(drafted) > STUDENTS, "each student has coins of their own"
    clicks = poll.clicks()
    assert clicks.credit == tuple(credit)
    assert clicks.readers == (preferences[1], preferences[-1])
    assert clicks.p == sign_test(preferences[1], preferences[-1])
    said = texts(teacher.run())
    assert f"Browsers with a click: {STUDENTS} of {STUDENTS}." in said
    counts = f"Browsers that prefer BM25: {preferences[1]}; hybrid: {preferences[-1]}; neither: {preferences[0]}."
    assert counts in said
    assert f"Clicks credited: BM25 {credit[0]}, hybrid {credit[1]}." in said

    teacher.button("evaluate.exchange").click().run()
    late = results(students[0])[1]
    late.click().run()
    assert poll.clicks().credit == tuple(credit), "a click on the old list comes too late"
    for app in students[: STUDENTS // 2]:
        app.run()
        own = poll.questions_of(token(app))
        assert "first two results exchanged" in texts(app) or "前两条结果对调" in texts(app)
        before, documents = poll.hits(token(app), own[0]), poll.questions[own[0]].documents
        labels = [documents[hit.doc].label[:30] for hit in exchanged(before)]
        assert [label[:30] for label in titles(app)] == labels
        results(app)[0].click().run()
    places = poll.places()
    assert places.clicks[0] >= STUDENTS // 2
    assert " ".join(places.told().split()) in texts(teacher.run())

    teacher.button("evaluate.end").click().run()
    results(students[3])[4].click().run()
    assert poll.places().clicks == places.clicks
    assert "has ended this task" in texts(students[4].run())
    assert counts in texts(students[4]), "at the end students see the result"
    teacher.button("evaluate.delete").click().run()
    assert in_class(teacher).task is None
    assert "has not started yet" in texts(students[4].run())


def test_a_class_judges_and_its_agreement_is_that_of_the_page_judge():
    teacher = taught(**{"evaluate.task": "judge", "evaluate.pairs": "4", "evaluate.asked": "q-001,q-002"})
    task = in_class(teacher).task
    for i in range(RATERS):
        app = student(teacher)
        for n in range(4):
            said = texts(app)
            assert f"{n} of 4 judged" in said
            assert task.pairs[task.pairs_of(token(app))[n]][0] in said
            app.button(f"evaluate.grade.{(i + n) % 4}").click().run()
        assert "4 of 4 judged" in texts(app)
    raters = Counter(at for (_token, at) in task._grades)
    assert set(raters) == set(range(len(task.pairs)))
    assert max(raters.values()) - min(raters.values()) <= 1, "all pairs have as many raters, or one more"
    judgments = task.judgments()
    assert len(judgments) == 4 * RATERS
    placed = judgments.on(samples.load("devices").corpus)
    pairs = [placed.agreement(a, b) for a, b in itertools.combinations(judgments.raters, 2)]
    equal, n = sum(a.equal for a in pairs), sum(len(a.pairs) for a in pairs)
    teacher.button("evaluate.end").click().run()
    said = texts(teacher)
    assert f"{equal} of {n} ({100 * equal / n:.0f}%)" in said
    kappas = sorted(a.kappa for a in pairs if a.kappa is not None)
    assert f"lowest {kappas[0]:.2f}, highest {kappas[-1]:.2f}" in said
    teacher.button("evaluate.use.grades").click().run()
    own = frame.keeping.judgments(teacher.session_state[frame.VISITOR])
    assert len(own) == 4 * RATERS
    assert set(own.raters) == {f"student {i}" for i in range(1, RATERS + 1)}


def differences(name: str) -> tuple[Experiment, dict[str, float]]:
    """BM25 and the hybrid search on a sample, and how much each telling question favours the latter."""
    searches = {"BM25": BM25(), "hybrid": find("hybrid")}
    made = evaluate(searches, samples.load(name), ["nDCG@10"], baseline="BM25")
    apart = {}
    for q in made.queries:
        a, b = ([doc for doc, _ in made.runs[search].results[q.id]][:10] for search in searches)
        ranks = [
            [ids.index(doc) if doc in ids else None for doc, grade in made.collection.qrels[q.id].items() if grade > 0]
            for ids in (a, b)
        ]
        if ranks[0] != ranks[1]:
            first, second = (made.scores[search].per_query["nDCG@10"][q.id] for search in searches)
            apart[q.id] = second - first
    return made, apart


@pytest.mark.parametrize("name", spread(["staff", "devices", "handbook"], 1))
@pytest.mark.nightly
def test_the_questions_of_a_class_tell_the_searches_apart_in_every_kind_and_the_forecast_is_theirs(name: str):
    app = opened("evaluate", "en", **{**ASKED, "corpus": name})
    asked = app.multiselect("evaluate.asked").value
    made, apart = differences(name)
    assert len(asked) == 10
    assert set(asked) <= set(apart), "a relevant result has another place"
    kinds = {q: kind for kind, ids in made.types.items() for q in ids}
    sizes = Counter(kinds[q] for q in asked)
    assert len(sizes) == min(10, len({kinds[q] for q in apart}))
    assert max(sizes.values()) <= 2
    overall, here = sum(apart.values()) / len(apart), sum(apart[q] for q in asked) / len(asked)
    assert overall > 0
    decided = made.differences["hybrid", "nDCG@10"].significant
    assert here > 0 or not decided, "the better search is the better one on these as well"
    searches = list(made.runs)
    chances = []
    for q in asked:
        a, b = ([doc for doc, _ in made.runs[search].results[q]] for search in searches)
        chances.append(outcome(a, b, {d for d, grade in made.collection.qrels[q].items() if grade > 0}))
    figures = [power(chances, 1, n, questions=10, each=3) for n in (10, 30, 100)]
    table = app.dataframe[0].value
    assert table["n"].to_list() == [10, 30, 100]
    for share in ("right", "significant", "misled"):
        # the order of the questions is that of the page
        assert table[share].to_list() == pytest.approx([100 * getattr(f, share) for f in figures], abs=4)
    said = texts(app)
    right, significant = (f"{table[share].to_list()[1]:.0f}%" for share in ("right", "significant"))
    assert f"{right} of classes of 30 prefer hybrid" in said
    assert f"{significant}" in said
    means = [sum(made.scores[s].per_query["nDCG@10"][q] for q in asked) / 10 for s in searches]
    assert f"{means[0]:.3f} and {means[1]:.3f} (questions of the class: 10)" in said


@pytest.mark.parametrize(
    ("right", "significant", "begin"),
    [
        (0.95, 0.85, "A class of 30 is enough: 85%"),
        (0.9, 0.3, "90% of classes of 30 prefer X, but only 30%"),
        (0.6, 0.1, "Only 60% of classes of 30 prefer X, 10%"),
    ],
)
def test_the_verdict_on_a_class_follows_its_figures(right, significant, begin):
    from lab.evaluate.interleaving import Power
    from lab_packs.classroom.pages import evaluate as classroom

    assert classroom._verdict([Power(30, right, significant, 0.0)], "X").startswith(begin)


def test_equal_lists_leave_nothing_to_choose():
    app = opened("evaluate", "en", **{**ASKED, "evaluate.searches": "bm25,BM25() % 50"})
    assert "Nothing to choose" in texts(app)
    app.button("evaluate.begin").click().run()
    assert app.button("evaluate.start").disabled


def test_one_search_alone_is_no_choice():
    app = opened("evaluate", "en", **{**ASKED, "evaluate.searches": "bm25"})
    assert "Choose two searches above" in texts(app)
    assert app.segmented_control("evaluate.tab").options[-1] == "Class", "the views of the core come first"


def test_a_student_comes_by_the_short_address_and_a_wrong_code_is_said():
    teacher = taught()
    joined = in_class(teacher)
    app = opened("evaluate", "en", join=joined.join_code)
    assert results(app)
    assert app.session_state["course.class"] == teacher.session_state["course.class"]
    bad = next(f"{i:06d}" for i in range(10**6) if all(c.join_code != f"{i:06d}" for c in joining.ALL._all.values()))
    refused = opened("evaluate", "en", join=bad, **{"evaluate.tab": "class"}).warning
    assert any("No class has this join code" in x.value for x in refused)
    app.button("evaluate.leave").click().run()
    assert not app.session_state["course.class"]
    assert not results(app)


def test_a_student_of_a_full_class_only_watches(monkeypatch):
    monkeypatch.setattr("lab_packs.classroom.classes.BROWSERS", 1)
    teacher = taught()
    first, second = student(teacher), student(teacher)
    assert results(first)
    assert not results(second)
    assert "This class is full" in texts(second)


def test_passages_of_own_documents_are_deleted_with_the_teachers_data():
    bodies = ["kiln " * 3 + "clay ferry glaze " * 9, "kiln kiln ferry", "glaze clay ferry", "ferry"]
    documents = tuple(Document(f"d{i}", body, f"T{i}") for i, body in enumerate(bodies))
    mine = Collection(Corpus("mine", documents), (Query("kiln", id="q"),), {"q": {"d1": 1}})
    app = opened("evaluate", "en", own=mine, **{**ASKED, "corpus": "mine", "evaluate.searches": "bm25,BM25(b=0) % 50"})
    app.button("evaluate.begin").click().run()
    said = texts(app)
    assert "Nothing to choose" not in said
    assert "The class will see these passages of your documents" in said
    app.button("evaluate.start").click().run()
    joined = in_class(app)
    assert isinstance(joined.task, Poll)
    store = app.session_state[frame.VISITOR].store(TASKS)
    forget_corpus(store, "another")
    assert isinstance(joined.task, Poll)
    forget_corpus(store, "mine")
    assert joined.task is None
    app.run()
    app.button("evaluate.start").click().run()
    assert isinstance(joined.task, Poll)
    app.session_state[frame.VISITOR].forget()
    assert joined.task is None


# --------------------------------------------------------------------------------------------------------- tasks


DOCUMENTS = [Document(f"d{i}", f"text {i}") for i in range(8)]
QUESTION = Asked("why", tuple(DOCUMENTS[:5]), tuple(DOCUMENTS[3:]))


def poll(n: int = 4, each: int = 2) -> Poll:
    return Poll(("A", "B"), [QUESTION] * n, each=each, k=5, seed="x")


def test_only_the_owner_of_a_class_gives_it_a_task_and_a_new_one_takes_its_place():
    classes = Classes()
    own = classes.find(classes.begin("teacher"))
    own.set_task("student", poll())
    assert own.task is None
    store = {}
    first, second = poll(), poll()
    own.set_task("teacher", first, store=store)
    assert own.task is first
    own.set_task("teacher", second)
    assert own.task is second
    own.set_task("teacher", first, store=store)
    store.clear()
    assert own.task is None


def test_questions_and_coins_of_a_browser_stay_the_same_and_differ_between_browsers():
    task = poll(n=6)
    assert all(task.questions_of(str(i)) == task.questions_of(str(i)) for i in range(20))
    assert len({task.questions_of(str(i)) for i in range(20)}) > 5
    assert len({task.hits(str(i), 0) for i in range(20)}) > 1
    counts = Counter(at for i in range(600) for at in task.questions_of(str(i)))
    assert all(150 < counts[at] < 250 for at in range(6))


def test_clicks_on_other_questions_other_results_and_after_the_end_do_not_count():
    task = poll()
    own = task.questions_of("x")
    foreign = next(at for at in range(4) if at not in own)
    doc = task.hits("x", own[0])[0].doc
    task.click("x", foreign, doc, CLICK)
    task.click("x", own[0], "nowhere", CLICK)
    task.click("x", own[0], doc, EXCHANGE)
    task.click("x", own[0], doc, END)
    assert task.clicks().credit == (0, 0)
    task.click("x", own[0], doc, CLICK)
    assert sum(task.clicks().credit) == 1
    task.click("x", own[0], doc, CLICK)
    assert sum(task.clicks().credit) == 0
    task.click("x", own[0], doc, CLICK)
    task.go(END)
    task.go(CLICK)
    assert task.phase == END
    task.click("x", own[0], doc, CLICK)
    task.click("x", own[0], doc, END)
    assert sum(task.clicks().credit) == 1


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_pairs_are_dealt_evenly(n):
    task = Grading([QUESTION], each=3, seed="x")
    for i in range(n):
        assert len(set(task.pairs_of(str(i)))) == 3
        assert task.pairs_of(str(i)) == task.pairs_of(str(i))
    counts = Counter(at for i in range(n) for at in task.pairs_of(str(i)))
    assert max(counts.values()) - min(counts.get(at, 0) for at in range(8)) <= 1


def test_a_grade_out_of_range_of_another_pair_or_after_the_end_does_not_count():
    task = Grading([QUESTION], each=3, seed="x")
    own = task.pairs_of("x")
    foreign = next(at for at in range(8) if at not in own)
    task.grade("x", own[0], 4)
    task.grade("x", own[0], -1)
    task.grade("x", foreign, 2)
    assert len(task) == 0
    task.grade("x", own[0], 2)
    task.grade("x", own[0], 3)
    task.go(END)
    task.grade("x", own[1], 1)
    assert [j.grade for j in task.judgments().history] == [3]


def test_a_task_has_a_bounded_number_of_questions():
    assert len(poll(n=99).questions) == MOST
    assert Grading([QUESTION] * 3, each=99).each == 24
