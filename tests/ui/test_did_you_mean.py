"""“Did you mean …?”: offered under the field of every page with lists, and one click asks it."""

from __future__ import annotations

from pathlib import Path

import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.rewrite import spelling

ROOT = Path(__file__).parents[2]
PAGES = places.there(
    "retrieve/compare",
    "retrieve/vector_store",
    "combine/fusion",
    "combine/mmr",
    "refine/rerank",
    "refine/filter",
    "refine/compress",
    "refine/reorder",
    "query/rewrite",
    "index/granularity",
    "index/inside",
    "whole/pipeline",
)


def opened(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"lang": "en", "corpus": "staff", **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception
    return app


def offers(app: AppTest) -> list[str]:
    return [b.label.replace("\\", "") for b in app.button if b.label.startswith(("Did you mean", "你要找的是"))]


@pytest.mark.parametrize("page", spread(PAGES, 2))
def test_a_misspelt_question_is_offered_as_it_was_meant(page: str):
    assert offers(opened(page, q="forgotten pasword")) == ["Did you mean “forgotten password”?"]


def test_one_click_asks_it_and_then_there_is_nothing_to_offer():
    app = opened("retrieve/compare", q="pasword")
    next(b for b in app.button if b.label.startswith("Did you mean")).click().run()
    assert app.session_state["q"] == "password"
    assert offers(app) == []


def test_a_question_whose_words_are_known_or_codes_is_left_alone():
    for text in ("forgotten password", "ERR-9999", "???", "same kind of vacation"):
        assert offers(opened("retrieve/compare", q=text)) == [], text


def test_it_speaks_chinese_and_escapes_what_was_typed():
    app = opened("retrieve/compare", q="*pasword* <b>", lang="zh")
    (said,) = offers(app)
    assert said == "你要找的是“*password* <b>”吗？"


def test_a_large_corpus_is_not_read_to_offer_it(monkeypatch: pytest.MonkeyPatch):
    corpus = samples.load("staff").corpus
    monkeypatch.setattr(spelling.CorpusWords, "at_hand", lambda _corpus: False)  # a sample's are, when the lab is idle
    monkeypatch.setattr(spelling, "LARGEST", len(corpus) - 1)
    assert offers(opened("retrieve/compare", q="pasword")) == []


def test_the_rewrite_page_strikes_the_word_and_underlines_its_correction_with_distance_and_passages():
    app = opened("query/rewrite", q="forgotten <i> pasword ovr", **{"rewrite.techniques": "spelling"})
    drawn = [x.proto.body for x in app.main if x.type == "html"] or [x.proto.body for x in app.get("html")]
    passages = samples.load("staff").corpus
    (told,) = [body for body in drawn if "<del>" in body]
    n = sum("password" in d.content.lower().replace("passwords", "") for d in passages)
    assert "<del>pasword</del> <ins>password</ins>" in told
    assert f"(1 edit · {n} passages)" in told
    assert "&lt;i&gt;" in told
    assert any("“ovr” (too short)" in c.value.replace("\\", "") for c in app.caption)
