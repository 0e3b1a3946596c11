"""Eight sets of documents as people have them: each is read, asked and explained on every page."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from night import spread
from own_documents import SETS
from streamlit.testing.v1 import AppTest

from lab.algebra import Runner
from lab.corpus.beir import Collection
from lab.explain.questions import FOUND_AMONG, generate_questions
from lab.retrieve.lexical import BM25
from lab.ui import address, components
from lab.ui.layout import frame
from lab.ui.navigation import COURSE, PATH

ROOT = Path(__file__).parents[2]
PASSAGES = {
    "novel.txt": 7,
    "价目表.csv": 8,
    "faq.md": 6,
    "minutes.docx": 7,
    "manual.html": 8,
    "swifts.pdf": 3,
    "mails.json": 8,
    "clocks.xlsx": 8,
}
ASKING = [COURSE.path, *(page.path for *_section, pages in PATH for page in pages)]
"""Every page; on those without a field for it the question is that of the visit."""


@pytest.fixture(scope="module")
def visit() -> AppTest:
    """One visit with all eight sets, uploaded on the page Documents as a visitor does it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    for name, make in SETS.items():
        if not app.file_uploader:  # the panel is closed after an upload
            app.session_state["corpus.fold.add"] = True
            app.run()
        files = next(f for f in app.file_uploader if f.key == "corpus.files")
        files.set_value([(name, make(), "application/octet-stream")]).run()
        assert not app.exception
        next(b for b in app.button if b.label == "Search this corpus").click().run()
        assert not app.exception
        assert [e.value for e in app.error] == []
    return app


def corpus_of(app: AppTest, name: str) -> Collection:
    found = app.session_state[frame.VISITOR].store(frame.UPLOADS)[Path(name).stem]
    assert isinstance(found, Collection)
    return found


def chosen(app: AppTest, name: str, page: str, question: str = "") -> AppTest:
    app.switch_page(f"pages/{page}/page.py").run()
    next(s for s in app.selectbox if s.key == "corpus").set_value(Path(name).stem).run()
    if question:
        next(t for t in app.text_input if t.key == address.QUESTION).set_value(question).run()
    return app


def test_every_set_is_read_whole_and_nothing_is_remarked(visit: AppTest):
    sizes = {name: len(corpus_of(visit, name).corpus) for name in SETS}
    assert sizes == PASSAGES
    titles = [d.title for d in corpus_of(visit, "novel.txt").corpus]
    assert [title.partition(":")[0] for title in titles] == [f"novel › Chapter {i}" for i in range(1, 8)]
    assert corpus_of(visit, "价目表.csv").corpus.documents[0].title == "青瓷茶壶"
    assert [d.title for d in corpus_of(visit, "manual.html").corpus][:2] == [
        "Soil sensor 土壤传感器 › Insert the probe",
        "Soil sensor 土壤传感器 › 插入探头",
    ]
    assert {d.metadata["room"] for d in corpus_of(visit, "clocks.xlsx").corpus} == {"tower", "hall", "workshop"}


@pytest.mark.parametrize("name", spread(SETS, 4))
def test_documents_tells_what_was_read_and_asks_questions_that_find_their_passage(visit: AppTest, name: str):
    app = chosen(visit, name, "start/corpus")
    assert not app.exception
    told = " ".join(m.value for m in app.markdown)
    assert "**Languages**" in told
    corpus = corpus_of(app, name).corpus
    asked = [b.label.replace("\\", "") for b in app.button if str(b.key).startswith("corpus.ask.")]
    found = generate_questions(corpus, 3)
    assert asked == [question for question, _ in found]
    assert len(asked) == 3
    runner = Runner(corpus)
    for question, document in found:
        assert document.id in runner(BM25(), question, FOUND_AMONG).ids


@pytest.mark.parametrize("name", spread(SETS, 1))
def test_the_suggested_question_finds_its_passage_among_the_first_three_on_compare(
    visit: AppTest, name: str, monkeypatch: pytest.MonkeyPatch
):
    drawn = list[dict[str, Any]]()
    monkeypatch.setattr(components, "lists", lambda data, **_how: drawn.append(data))
    question, document = generate_questions(corpus_of(visit, name).corpus, 3)[0]
    app = chosen(visit, name, "retrieve/compare", question)
    assert not app.exception
    assert [e.value for e in app.error] == []
    first = [hit["id"] for hit in drawn[-1]["lists"][0]["hits"][:FOUND_AMONG]]
    assert document.id in first


@pytest.mark.parametrize(("name", "page"), spread(itertools.product(SETS, ASKING), 2))
def test_a_suggested_question_is_answered_on_every_page(visit: AppTest, name: str, page: str):
    question, _document = generate_questions(corpus_of(visit, name).corpus, 3)[0]
    app = chosen(visit, name, page)
    field = next((t for t in app.text_input if t.key == address.QUESTION), None)
    if field is not None:
        field.set_value(question).run()
    assert not app.exception
    assert [e.value for e in app.error] == []
    shown = " ".join(str(x.value) for x in (*app.warning, *app.info))
    assert "is no longer available" not in shown
    assert "None of these words" not in shown


TWO = (
    "The ferry leaves the harbour at seven every morning except Sunday.\n\n"
    "The lighthouse was built in 1871 and its lamp is seen for eighteen miles."
)


@pytest.mark.parametrize(
    "page", spread(["retrieve/compare", "refine/rerank", "refine/filter", "start/tokenizer", "query/rewrite"], 1)
)
def test_on_two_own_documents_the_one_that_answers_is_first_in_every_list(page: str, monkeypatch: pytest.MonkeyPatch):
    drawn = list[dict[str, Any]]()
    monkeypatch.setattr(components, "lists", lambda data, **_how: drawn.append(data))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    next(a for a in app.text_area if a.key == "corpus.paste").set_value(TWO).run()
    told = " ".join(m.value for m in (*app.success, *app.caption)).replace("\\", "")
    assert "Documents read: 2" in told
    assert "the list below still belong to “Staff handbook (English)”" in told
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    app.switch_page(f"pages/{page}/page.py").run()
    next(t for t in app.text_input if t.key == address.QUESTION).set_value("when does the ferry leave").run()
    assert not app.exception
    firsts = [shown["hits"][0]["title"] for shown in drawn[-1]["lists"] if shown["hits"]]
    assert {title[:9] for title in firsts} == {"The ferry"}, firsts
