"""The line under BM25 where Okapi's IDF has no sense, and the click that leaves it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    from types import SimpleNamespace
    from typing import Any, cast

    import streamlit as st

    from lab.algebra import Corpus, Document, Query, Runner
    from lab.retrieve.lexical import BM25
    from lab.ui import address
    from pages.retrieve.compare import okapi

    address.begin()
    address.enter("compare")
    address.keep("compare.bm25.variant", "okapi")
    n, question = st.session_state["asked"]
    texts = ("red fox" if i % 2 else "blue sky" for i in range(n))
    corpus = Corpus("c", tuple(Document(str(i), text + (" E21" if i == 0 else "")) for i, text in enumerate(texts)))
    p = SimpleNamespace(runner=Runner(corpus), frame=SimpleNamespace(corpus=corpus), key=lambda k: f"compare.{k}")
    variant = st.session_state["compare.bm25.variant"]
    okapi.hint(cast(Any, p), BM25(variant=variant), Query(question))


def asked(n: int, question: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=60)
    app.session_state["asked"] = (n, question)
    app.run()
    assert not app.exception
    return app


def test_a_word_of_half_of_the_passages_is_named_with_its_number_and_a_click_takes_lucene() -> None:
    app = asked(20, "fox E21")
    (caption,) = app.caption
    assert "fox (10/20)" in caption.value.replace("\\", "")
    assert "e21" not in caption.value
    app.button[0].click().run()
    assert app.session_state["compare.bm25.variant"] == "lucene"
    assert not app.caption
    assert not app.button


def test_few_passages_are_told_where_no_word_is_common() -> None:
    assert "Passages: 9." in asked(9, "E21").caption[0].value
    assert "in 5 of them or more" in asked(9, "E21").caption[0].value


def test_many_passages_and_rare_words_need_no_line() -> None:
    assert not asked(10, "E21").caption
    assert not asked(20, "E21 unknown").button
