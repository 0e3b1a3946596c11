"""The list of pages: the one place that a new page is added to."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lab.home import root
from lab.ui import palette
from lab.ui.i18n import _


def pages() -> dict[str, list[StreamlitPage]]:
    """Section to pages, with titles in the visitor's language."""

    def page(path: str, title: str, icon: str, *, default: bool = False) -> StreamlitPage:
        return st.Page(
            root() / "pages" / f"{path}.py",
            title=title,
            icon=f":material/{icon}:",
            url_path=path.rsplit("/", 1)[1],
            default=default,
        )

    return {
        "": [page("start/home", _("Home"), "home", default=True)],
        _("Corpus"): [
            page("start/corpus", _("Documents"), "library_books"),
            page("start/tokenizer", _("Tokenizer lens"), "content_cut"),
            page("start/vocabulary", _("Vocabulary"), "hub"),
        ],
        _("Retrieve"): [
            page("retrieve/compare", _("Compare"), "compare_arrows"),
            page("retrieve/vector_store", _("Vector store"), "database"),
        ],
        _("Combine"): [
            page("combine/fusion", _("Fusion"), "merge"),
            page("combine/mmr", _("MMR"), "scatter_plot"),
        ],
        _("Refine"): [
            page("refine/rerank", _("Rerank"), "sort"),
            page("refine/filter", _("Filter"), "filter_alt"),
            page("refine/compress", _("Compress"), "compress"),
            page("refine/reorder", _("Context reorder"), "swap_vert"),
        ],
        _("Query"): [
            page("query/rewrite", _("Rewrite"), "edit_note"),
            page("query/text2sql", "Text2SQL", "table_chart"),
        ],
    }


def find(name: str) -> StreamlitPage:
    """The page with this file name."""
    return next(
        page
        for section in pages().values()
        for page in section
        if page.url_path == name or (name == "home" and page.url_path == "")
    )


def path() -> list[tuple[str, str, list[dict[str, str]]]]:
    """The path of a query for the home page: (verb, colour, steps), a step being page, title and text."""
    colours = {name: palette.named(name) for name in ("other", "bm25", "vector", "fused", "refined")}

    def step(page: str, title: str, text: str) -> dict[str, str]:
        return {"page": page, "title": title, "text": text}

    return [
        (_("Documents"), colours["other"], [step("corpus", _("Documents"), _("read, cut, look at"))]),
        (
            _("Words"),
            colours["other"],
            [
                step("tokenizer", _("Tokenizer lens"), _("what counts as a word")),
                step("vocabulary", _("Vocabulary"), _("what the model knows of a word")),
            ],
        ),
        (
            _("Query"),
            colours["other"],
            [
                step("rewrite", _("Rewrite"), _("other words for the question")),
                step("text2sql", "Text2SQL", _("from a sentence to rows")),
            ],
        ),
        (
            _("Retrieve"),
            colours["bm25"],
            [
                step("compare", _("Compare"), _("BM25, TF-IDF, vectors side by side")),
                step("vector_store", _("Vector store"), _("spaces, distances, filters in Chroma")),
            ],
        ),
        (
            _("Combine"),
            colours["fused"],
            [
                step("fusion", _("Fusion"), _("several lists into one")),
                step("mmr", _("MMR"), _("near the query, not near each other")),
            ],
        ),
        (
            _("Refine"),
            colours["refined"],
            [
                step("rerank", _("Rerank"), _("a second, closer look")),
                step("filter", _("Filter"), _("out, and for what reason")),
                step("compress", _("Compress"), _("only the sentences that bear on it")),
                step("reorder", _("Context reorder"), _("the best at the ends")),
            ],
        ),
    ]


def draw() -> StreamlitPage:
    """Draw the navigation; gives the page to run."""
    return st.navigation(pages(), position="sidebar", expanded=True)
