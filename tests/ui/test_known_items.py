"""Lessons on a visitor's files say of an answer only what is known of it: which passage it is, and its ranks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from known_documents import FILES
from night import NIGHT, sample, spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Document, Runner
from lab.corpus.beir import Collection
from lab.lessons import Lesson, check, forms
from lab.ui.layout import frame

ROOT = Path(__file__).parents[2]
PAGES = list(dict.fromkeys(form.page for form in forms.forms()))
ANY_PASSAGE = {"own-ends", "own-same", "own-twins", "own-shorter"}
"""Lessons in whose claim relevance plays no part."""
OWN_STEP = [("en", "bikes.md"), ("zh", "采购.docx"), ("zh", "路由器.md")]


@pytest.fixture(scope="module")
def visit() -> AppTest:
    """One visit with the files that are asked about, at night all twelve, uploaded on the page Documents."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    for name in [x for x in FILES if NIGHT or x in (*sample(FILES, 3), *(name for _lang, name in OWN_STEP))]:
        if not app.file_uploader:
            app.session_state["corpus.fold.add"] = True
            app.run()
        files = next(f for f in app.file_uploader if f.key == "corpus.files")
        files.set_value([(name, FILES[name][1](), "application/octet-stream")]).run()
        assert not app.exception
        next(b for b in app.button if b.label == "Search this corpus").click().run()
        assert not app.exception
    return app


def corpus_of(app: AppTest, name: str) -> Collection:
    collection = app.session_state[frame.VISITOR].store(frame.UPLOADS)[Path(name).stem]
    assert isinstance(collection, Collection)
    return collection


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def answers(name: str, question: str, document: Document) -> bool:
    """Whether a passage is the one under the heading that was asked for, or has all that was asked for."""
    sections, _make = FILES[name]
    titles = {head: text for head, text in sections.items() if head.endswith(question)}
    if titles:
        return any(plain(document.text).startswith(plain(text)[:12]) for text in titles.values())
    return all(plain(word) in plain(document.content) for word in question.split())


@pytest.mark.parametrize("name", spread(FILES, 1))
def test_every_lesson_on_a_file_is_about_the_passage_that_answers(visit: AppTest, name: str):
    collection = corpus_of(visit, name)
    assert len(collection.corpus) == len(FILES[name][0])
    runner = Runner(collection.corpus)
    lessons = list[Lesson]()
    for page in PAGES:
        for form in forms.of_corpus(page, collection):
            if not isinstance(form, Lesson):
                assert form.needs["en"], "what is missing is said"
                continue
            lessons.append(form)
            assert [result.said for result in check(form, collection) if not result.passed] == []
            document = next(d for d in collection.corpus if d.id == form.select)
            if form.id not in ANY_PASSAGE:
                assert answers(name, form.query, document), (form.id, form.query, document.title)
            if form.id in ("own-words", "own-meaning"):
                first_ten = runner(form.lists["then"], form.query, 10).hits
                right = [hit.document.title for hit in first_ten if answers(name, form.query, hit.document)]
                assert right == [], "what is not found is outside the first ten"
    assert lessons, "at least the order of a context can be shown"


@pytest.mark.parametrize("name", spread(FILES, 1))
def test_every_question_for_a_file_is_one_or_a_heading_without_a_number(visit: AppTest, name: str):
    app = visit.switch_page("pages/start/corpus/page.py").run()
    next(s for s in app.selectbox if s.key == "corpus").set_value(Path(name).stem).run()
    asked = [b.label.replace("\\", "") for b in app.button if str(b.key).startswith("corpus.ask.")]
    assert len(asked) == 3
    sections = FILES[name][0]
    real = {head for head in sections if re.search(r"\?|吗|怎|什么|谁|多久|如何|能不能", head)}
    assert len(real & set(asked)) >= min(3, len(real))
    for question in asked:
        assert not question[0].isdigit()
        assert not question.startswith(("一、", "五、", "第", "（", "Article"))
        assert question not in ("常见问题", "总则", "附则")
        assert any(answers(name, question, d) for d in corpus_of(app, name).corpus), question


@pytest.mark.parametrize(("lang", "name"), OWN_STEP)
def test_the_last_step_of_the_course_asks_about_the_passage_that_answers(visit: AppTest, lang: str, name: str):
    from pages.start.course.parts import own

    seen = own(corpus_of(visit, name))
    assert seen is not None
    assert not seen.lesson.query.startswith(("五、", "第"))
    document = next(d for d in corpus_of(visit, name).corpus if d.id == seen.lesson.select)
    assert answers(name, seen.lesson.query, document)
