"""The list of pages: the one place that a new page is added to."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from lab.home import root
from lab.ui import palette
from lab.ui.i18n import N_, _


class Listed(NamedTuple):
    """A page: its file, an icon, its title, and what the home page says of it."""

    path: str
    icon: str
    title: str
    told: str

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[1]


_HOME = Listed("start/home", "home", N_("Home"), "")
_DOCUMENTS = Listed("start/corpus", "library_books", N_("Documents"), N_("read, cut, look at"))
_WORDS = (
    Listed("start/tokenizer", "content_cut", N_("Tokenizer lens"), N_("what counts as a word")),
    Listed("start/vocabulary", "hub", N_("Vocabulary"), N_("what the model knows of a word")),
)
_QUERY = (
    Listed("query/rewrite", "edit_note", N_("Rewrite"), N_("other words for the question")),
    Listed("query/text2sql", "table_chart", "Text2SQL", N_("from a sentence to rows")),
)
_RETRIEVE = (
    Listed("retrieve/compare", "compare_arrows", N_("Compare"), N_("BM25, TF-IDF, vectors side by side")),
    Listed("retrieve/vector_store", "database", N_("Vector store"), N_("spaces, distances, filters in Chroma")),
)
_COMBINE = (
    Listed("combine/fusion", "merge", N_("Fusion"), N_("several lists into one")),
    Listed("combine/mmr", "scatter_plot", N_("MMR"), N_("near the query, not near each other")),
)
_REFINE = (
    Listed("refine/rerank", "sort", N_("Rerank"), N_("a second, closer look")),
    Listed("refine/filter", "filter_alt", N_("Filter"), N_("out, and for what reason")),
    Listed("refine/compress", "compress", N_("Compress"), N_("only the sentences that bear on it")),
    Listed("refine/reorder", "swap_vert", N_("Context reorder"), N_("the best at the ends")),
)
SECTIONS = {
    "": (_HOME,),
    N_("Corpus"): (_DOCUMENTS, *_WORDS),
    N_("Retrieve"): _RETRIEVE,
    N_("Combine"): _COMBINE,
    N_("Refine"): _REFINE,
    N_("Query"): _QUERY,
}
PATH = (  # of a query: verb, colour, pages
    (N_("Documents"), "other", (_DOCUMENTS,)),
    (N_("Words"), "other", _WORDS),
    (N_("Query"), "other", _QUERY),
    (N_("Retrieve"), "bm25", _RETRIEVE),
    (N_("Combine"), "fused", _COMBINE),
    (N_("Refine"), "refined", _REFINE),
)


def _page(listed: Listed) -> StreamlitPage:
    file, icon = root() / "pages" / f"{listed.path}.py", f":material/{listed.icon}:"
    return st.Page(file, title=_(listed.title), icon=icon, url_path=listed.name, default=listed is _HOME)


def find(name: str) -> StreamlitPage:
    """The page with this file name."""
    return next(_page(listed) for section in SECTIONS.values() for listed in section if listed.name == name)


def path() -> list[tuple[str, str, list[dict[str, str]]]]:
    """The path of a query for the home page: (verb, colour, steps), a step being page, title and text."""
    return [
        (_(verb), palette.named(colour), [{"page": x.name, "title": _(x.title), "text": _(x.told)} for x in pages])
        for verb, colour, pages in PATH
    ]


def draw() -> StreamlitPage:
    """Draw the navigation with titles in the visitor's language; gives the page to run."""
    pages = {section and _(section): [_page(x) for x in listed] for section, listed in SECTIONS.items()}
    return st.navigation(pages, position="sidebar", expanded=True)
