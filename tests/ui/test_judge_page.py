"""The page Judge: grades belong to the visitor, change every page's figures, are taken along and in again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab import samples
from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.evaluate.judging import Judgments
from lab.ui import cache
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from pages.whole.judge import parts as judging

ROOT = Path(__file__).parents[2]
TEXT = " ".join(f"Sentence {i} is about {word}." for i, word in enumerate(("foxes", "birds", "snow", "rain", "wind")))
WHOLE = (Document("long", TEXT, "Long"), Document("short", "a red fox"))


@pytest.fixture
def visitor(monkeypatch) -> Visitor:
    """A visitor who has uploaded a corpus without a question and without a judgment."""
    found = Visitor("token")
    found.store(frame.UPLOADS)["own"] = Collection(Corpus("own", WHOLE))
    monkeypatch.setattr(frame, "visitor", lambda: found)
    return found


def page(name: str, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "own", "q": "foxes", **params}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/whole/{name}/page.py")
    return app.run()


def texts(app: AppTest) -> str:
    assert not app.exception
    assert not app.error
    return "\n".join(x.value for x in (*app.markdown, *app.caption, *app.info, *app.warning)).replace("\\", "")


def judged(visitor: Visitor) -> Judgments:
    return visitor.store(frame.JUDGMENTS)["all"]


def test_grades_make_an_upload_measurable_and_the_agreement_is_told(visitor):
    assert "nothing can be measured" in texts(page("evaluate"))
    assert "Rater agreement appears here" in texts(page("judge"))
    made = Judgments().given("foxes", WHOLE[0], 3, "ann").given("foxes", WHOLE[1], 0, "ann")
    visitor.store(frame.JUDGMENTS)["all"] = made.given("foxes", WHOLE[0], 3, "bo").given("foxes", WHOLE[1], 2, "bo")
    said = texts(page("evaluate", **{"evaluate.searches": "bm25,tfidf"}))
    assert "own, judged questions: 1" in said
    app = page("judge", **{"judge.rater": "bo", "judge.fold.files": "1", "judge.fold.whose": "1"})
    assert "Grades on which ann and bo agree: 1 of 2" in texts(app)
    assert "Grades for this corpus: 2, questions: 1" in texts(app)
    apart = next(d.value for d in app.dataframe if "other" in d.value)
    assert apart[["one", "other"]].to_numpy().tolist() == [[0, 2]]
    whose = next(d.value for d in app.dataframe if "grade" in d.value)
    assert whose["grade"].to_list()[0] == 3
    app.button("judge.forget").click().run()
    assert judged(visitor).raters == ("ann",)


def test_clicks_are_counted_once_however_often_they_come_and_what_is_no_grade_is_nothing(visitor, monkeypatch):
    monkeypatch.setattr(frame, "current", lambda: frame.Frame(Collection(Corpus("own", WHOLE)), None))
    one = {"n": 1, "doc": "long", "grade": 2, "question": "foxes", "rater": "ann"}
    two = {"n": 2, "doc": "short", "grade": 1, "question": "foxes", "rater": "ann"}
    judging.received({"client": "tab", "clicks": [one]})
    judging.received({"client": "tab", "clicks": [one, two]})
    judging.received({"client": "tab", "clicks": [{**two, "n": 3, "grade": 9}, {**two, "n": 4, "doc": "nobody"}]})
    assert [(j.place.origin, j.grade) for j in judged(visitor).history] == [("long", 2), ("short", 1)]
    judging.received({"client": "other tab", "clicks": [{**one, "grade": None}]})
    assert [j.place.origin for j in judged(visitor).current.values()] == ["short"]


def test_a_grade_follows_when_the_upload_is_cut_anew_and_what_has_no_place_is_listed(visitor):
    parts = Chunk(size=40, overlap=0).chunk_all(WHOLE)
    made = Judgments().given("foxes", parts[1], 2).given("foxes", Document("gone", "quite another text, and long"), 1)
    visitor.store(frame.JUDGMENTS)["all"] = made
    visitor.store(frame.UPLOADS)["cut"] = Collection(Corpus("cut", tuple(Chunk(size=60, overlap=0).chunk_all(WHOLE))))
    app = page("judge", corpus="cut", **{"judge.fold.files": "1"})
    said = texts(app)
    assert "Grades of yours without a passage in the available corpora: 1" in said
    assert "Grades for this corpus: 1, questions: 1" in said
    lost = next(d.value for d in app.dataframe if "quote" in d.value)
    assert lost["quote"].to_list() == [made.history[1].quote]


def test_a_question_that_nothing_answers_has_no_pool(visitor):
    said = texts(page("judge", q="zebra", **{"judge.searches": "bm25"}))
    assert "None of these searches finds anything" in said


def test_the_raters_of_a_lesson_have_judged_its_pool_and_are_compared_with_each_other_and_with_the_visitor(visitor):
    lesson = next(x for x in cache.lessons() if x.page == "judge")
    link = {"q": lesson.query, "corpus": lesson.corpus, "judge.lesson": f"{lesson.corpus}/{lesson.id}"}
    app = page("judge", **link, **{"judge.fold.whose": "1"})
    told = lesson.judgments(samples.load(lesson.corpus).corpus).on(samples.load(lesson.corpus).corpus)
    assert told.agreement("Ann", "Ben").told() in texts(app)
    assert "agree: 16 of 19" in texts(app)
    passages = next(d.value for d in app.dataframe if "passage" in d.value and "grade" in d.value)
    assert len(passages) == 19
    assert passages["grade"].isna().all(), "nobody has judged in the visitor's name"
    assert not visitor.store(frame.JUDGMENTS).get("all")
    document = samples.load(lesson.corpus).corpus.get("dv-130")
    visitor.store(frame.JUDGMENTS)["all"] = Judgments().given(lesson.query, document, 3)
    app.run()
    app = app.segmented_control("judge.other").set_value("").run()
    assert "Ann and me gave every passage the same grade (1): kappa is not defined" in texts(app)
    assert visitor.store(frame.JUDGMENTS)["all"].raters == ("",)


def test_ratings_of_other_tools_are_imported_and_what_was_done_to_them_is_said(visitor):
    visitor.store(frame.JUDGMENTS)["all"] = Judgments().given("foxes", WHOLE[0], 3, "ann")
    app = page("judge", **{"judge.fold.files": "1"})
    rows = [{"docId": "long", "rating": "0.4"}, {"docId": "short", "rating": 1}, {"docId": "gone", "rating": 1}]
    body = json.dumps({"judgmentRatings": [{"query": "new question", "ratings": rows}]}).encode()
    app.file_uploader(key="judge.in").set_value(("clicks.json", body, "application/json")).run()
    said = texts(app)
    assert "clicks, grades: 2" in said.replace("clicks.json", "clicks")
    assert "fractions up to 1; they were multiplied by 3 and rounded" in said
    assert "Naming a missing question or passage: 1, the first: new question gone" in said
    app.button("judge.take.clicks.json").click().run()
    grades = {(j.question, j.place.origin): j.grade for j in judged(visitor).current.values() if j.rater == "clicks"}
    assert grades == {("new question", "long"): 1, ("new question", "short"): 3}
    bad = b"query,docid,rating\nfoxes,long,fine\n"
    app.file_uploader(key="judge.in").set_value(("bad.csv", bad, "text/csv")).run()
    assert "Line 2: The rating “fine” of “long” is not a number from 0 to 1000." in app.error[0].value.replace("\\", "")
