"""“Where is my passage?” on the pages: any passage, every state, and a link's passage that no list has."""

from __future__ import annotations

from itertools import product

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection

from .conftest import opened, texts, unescaped

PAGES = {
    "compare": "retrieve/compare",
    "fusion": "combine/fusion",
    "rerank": "refine/rerank",
    "pipeline": "whole/pipeline",
    "answer": "whole/answer",
    "filter": "refine/filter",
}
ASKED = {"corpus": "staff", "q": "how do I reset my password"}


def read(app: AppTest) -> str:
    return unescaped(texts(app))


@pytest.mark.parametrize(("page", "lang"), spread(product(PAGES, ("en", "zh")), 3))
def test_every_list_of_a_page_says_where_a_passage_is(page: str, lang: str) -> None:
    app = opened(PAGES[page], lang=lang, **ASKED, **{f"{page}.where": "sh-001"})
    title = {"en": "Where is “Annual leave (2025)”?", "zh": "“Annual leave (2025)”在哪里？"}[lang]
    assert title in [unescaped(x.value) for x in app.subheader]
    (table,) = (x.value for x in app.dataframe if list(x.value.columns)[:3] == ["list", "rank", "of"])
    assert len(table)
    assert any(rank == "–" or int(rank) > 10 for rank in table["rank"])


def test_nothing_is_searched_until_a_passage_is_named() -> None:
    app = opened("retrieve/compare", **ASKED)
    (field,) = (x for x in app.text_input if x.key == "compare.where")
    assert field.label == "Where is my passage?"
    assert not any("Where is" in x.value for x in app.subheader)
    field.set_value("Annual leave (2025)").run()
    assert not app.exception
    assert "It has no term of the question (reset, password)." in read(app)
    assert "Annual leave (2025)" in app.query_params["compare.where"]


def test_changes_are_named_with_their_rank() -> None:
    app = opened("combine/fusion", **ASKED, **{"fusion.where": "sh-163"})
    assert "Results shown: " in read(app)
    assert "each was tried" in read(app)


def test_a_sentence_that_no_passage_has_offers_similar_ones() -> None:
    app = opened("retrieve/compare", **ASKED, **{"compare.where": "A forgotten password that nobody wrote about"})
    assert "No passage has this id, this title or this text." in read(app)
    (near, *_more) = (b for b in app.button if str(b.key).startswith("compare.where.near."))
    near.click().run()
    assert not app.exception
    assert any("Where is “" in unescaped(x.value) for x in app.subheader)


OWN = Collection(
    Corpus(
        "own",
        (
            Document("a", "Pay within 30 days, or call us.", "Pay"),
            Document("b", "We send a reminder.", "Terms"),
            Document("c", "Dogs <b>must</b> *wait* outside.", "Terms"),
        ),
    ),
    problems=("Line 4 of terms.csv is empty.",),
)


def test_several_passages_of_a_title_are_a_choice() -> None:
    app = opened("retrieve/compare", OWN, q="pay", **{"compare.where": "terms"})
    (choice,) = (x for x in app.selectbox if x.key == "compare.where.of")
    assert [o.rpartition(" ")[2] for o in choice.options] == ["b", "c"]
    choice.set_value("c").run()
    assert not app.exception
    assert any("Where is “Terms”?" in unescaped(x.value) for x in app.subheader)


def test_what_was_left_out_of_the_files_is_named_if_no_passage_has_the_text() -> None:
    app = opened("retrieve/compare", OWN, q="pay", **{"compare.where": "refund"})
    assert "Left out when the files were read: Line 4 of terms.csv is empty." in read(app)


@pytest.mark.parametrize("page", spread(["compare", "fusion", "rerank", "pipeline", "filter"], 2))
def test_a_linked_passage_is_never_replaced_in_silence(page: str) -> None:
    app = opened(
        PAGES[page],
        **ASKED,
        doc="sh-001",
        **({"compare.lists": "bm25", "compare.embedders": ""} if page == "compare" else {}),
    )
    assert "The selected passage “Annual leave (2025)” is in none of these lists." in read(app)
    (button,) = (b for b in app.button if b.key == f"{page}.where.selected")
    button.click().run()
    assert not app.exception
    assert any("Where is “Annual leave" in unescaped(x.value) for x in app.subheader)


def test_a_linked_passage_that_the_corpus_lacks_is_named() -> None:
    assert "This corpus has no passage “zz-9”." in read(opened("retrieve/compare", **ASKED, doc="zz-9"))
    assert "no passage" not in read(opened("retrieve/compare", **ASKED, doc="sh-144"))
