"""The list of pages: the one place that a new page is added to, unless a pack brings it."""

from __future__ import annotations

import streamlit as st

from lab import packs
from lab.packs import Listed
from lab.ui import palette
from lab.ui.i18n import N_, _, language

_PAGES = "_pages"
"""The pages of the navigation, cached per visit and language: each is looked up on the disk."""
HOME = Listed("start/home", "home", N_("Home"), "")
COURSE = Listed("start/course", "school", N_("Course"), N_("predict, then check"))
PATH = (
    # the way of a query: the section of the navigation, the verb and its colour on the home page, the pages
    (N_("Corpus"), N_("Documents"), "other", [
        Listed("start/corpus", "library_books", N_("Documents"), N_("load, split, browse")),
    ]),
    (N_("Corpus"), N_("Words"), "other", [
        Listed("start/tokenizer", "content_cut", N_("Tokenizer lens"), N_("what counts as a word")),
        Listed("start/vocabulary", "hub", N_("Vocabulary"), N_("what the model knows of a word")),
    ]),
    (N_("Index side"), N_("Index"), "refined", [
        Listed("index/granularity", "splitscreen", N_("Granularity"), N_("chunks, summaries or questions instead "
                                                                         "of whole texts")),
        Listed("index/inside", "manage_search", N_("Inside the index"), N_("postings: read or skipped")),
    ]),
    (N_("Query"), N_("Query"), "other", [
        Listed("query/rewrite", "edit_note", N_("Rewrite"), N_("the question in other words")),
        Listed("query/dialogue", "forum", N_("Dialogue"), N_("what “it” and “there” stand for")),
        Listed("query/routing", "alt_route", N_("Routing"), N_("which corpus to search, and how confidently")),
    ]),
    (N_("Retrieve"), N_("Retrieve"), "bm25", [
        Listed("retrieve/compare", "compare_arrows", N_("Compare"), N_("BM25, TF-IDF, vectors side by side")),
        Listed("retrieve/vector_store", "database", N_("Vector store"), N_("spaces, distances, filters in Chroma")),
        Listed("retrieve/compression", "data_object", N_("Vector compression"), N_("what fewer bits cost")),
    ]),
    (N_("Combine"), N_("Combine"), "fused", [
        Listed("combine/fusion", "merge", N_("Fusion"), N_("several lists into one")),
        Listed("combine/mmr", "scatter_plot", N_("MMR"), N_("similar to the query, but not to each other")),
    ]),
    (N_("Refine"), N_("Refine"), "refined", [
        Listed("refine/rerank", "sort", N_("Rerank"), N_("a second, more thorough scoring")),
        Listed("refine/filter", "filter_alt", N_("Filter"), N_("removed passages, with reasons")),
        Listed("refine/compress", "compress", N_("Compress"), N_("only the relevant sentences")),
        Listed("refine/reorder", "swap_vert", N_("Context reorder"), N_("best passages first and last")),
    ]),
    (N_("Whole"), N_("Whole"), "other", [
        Listed("whole/answer", "format_quote", N_("Answer"), N_("which passage supports which sentence")),
        Listed("whole/pipeline", "account_tree", N_("Pipeline"), N_("build, compare, ablate, export")),
        Listed("whole/evaluate", "leaderboard", N_("Evaluate"), N_("is the difference significant?")),
        Listed("whole/judge", "grading", N_("Judge"), N_("your own judgments, by keyboard")),
    ]),
)  # fmt: skip


def _add(page: Listed) -> None:
    """Adds a page of a pack at the end of its section; one with a name that is taken is left out."""
    sections = [pages for *_how, pages in reversed(PATH) if pages[0].section == page.section] or [PATH[-1][-1]]
    if page.name not in [x.name for x in every()]:
        sections[0].append(page)


def _page(listed: Listed) -> st.Page:
    file, icon = listed.folder / "page.py", f":material/{listed.icon}:"
    return st.Page(file, title=_(listed.title), icon=icon, url_path=listed.name, default=listed is HOME)


def _missing(page: str, pack: str) -> st.Page:
    """Returns what a link finds in the place of a page whose pack is left out."""

    def explain() -> None:
        text = _(
            "This link needs the pack “{pack}”, which this lab runs without. Ask the person who runs it to install it.",
            pack=pack,
        )
        st.warning(text, icon=":material/link_off:")
        st.page_link(find(HOME.name), label=_(HOME.title), icon=f":material/{HOME.icon}:")

    return st.Page(explain, title=pack, url_path=page, visibility="hidden")


def listed(name: str) -> Listed:
    """Returns the entry of the page with this name."""
    return next(x for x in every() if x.name == name)


def every() -> tuple[Listed, ...]:
    """Returns the entries of all pages."""
    return (HOME, COURSE, *(x for *_how, pages in PATH for x in pages))


for _packed in packs.pages():
    _add(_packed)


def title(name: str) -> str:
    """Returns the title of the page with this name, for a sentence that names the page."""
    return _(listed(name).title)


def find(name: str) -> st.Page:
    """Returns the page with this name."""
    return _page(listed(name))


def path() -> list[tuple[str, str, list[dict[str, str]]]]:
    """Returns the path of a query for the home page: (verb, colour, steps), a step being page, title and text."""
    return [
        (_(verb), palette.named(colour), [{"page": x.name, "title": _(x.title), "text": _(x.summary)} for x in pages])
        for _section, verb, colour, pages in PATH
    ]


def draw() -> st.Page:
    """Draws the navigation with titles in the visitor's language; returns the page to run."""
    cached = st.session_state.get(_PAGES)
    if cached is None or cached[0] != language():
        sections: dict[str, list[st.Page]] = {"": [_page(HOME), _page(COURSE)]}
        for section, _verb, _colour, pages in PATH:
            sections.setdefault(_(section), []).extend(map(_page, pages))
        sections[""] += [_missing(page, pack) for page, pack in packs.missing().items()]
        cached = st.session_state[_PAGES] = language(), sections
    return st.navigation(cached[1], position="sidebar", expanded=True)
