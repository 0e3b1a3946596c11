"""The list of pages: the one place that a new page is added to, unless a pack brings it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from lab import packs
from lab.packs import Listed
from lab.ui import palette
from lab.ui.i18n import N_, _, language


class Family(NamedTuple):
    """Pages that are views of one thing: one entry of the menu and of the map, with a summary and a name per view."""

    title: str
    summary: str
    views: Mapping[str, str]


FAMILIES = (
    Family(N_("Words"), N_("terms, vectors"), {"tokenizer": N_("Terms"), "vocabulary": N_("Word vectors")}),
    Family(N_("Vectors"), N_("space, graph, bits"), {"vector_store": N_("Space and graph"), "compression": N_("Bits")}),
)
_CACHED = "_pages"
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
    ]),
    (N_("Query"), N_("Query"), "other", [
        Listed("query/rewrite", "edit_note", N_("Rewrite"), N_("the question in other words")),
        Listed("query/dialogue", "forum", N_("Dialogue"), N_("what “it” and “there” stand for")),
        Listed("query/routing", "alt_route", N_("Routing"), N_("which corpus to search, and how confidently")),
    ]),
    (N_("Retrieve"), N_("Retrieve"), "bm25", [
        Listed("retrieve/compare", "compare_arrows", N_("Compare"), N_("BM25, TF-IDF, vectors side by side")),
        Listed("retrieve/vector_store", "database", N_("Vector store"), N_("spaces, distances, filters in Chroma")),
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


FIRST = ("home", "course", "compare", "corpus", "evaluate")
"""The pages that the menu begins with, in this order; the others are in it by their place on the path of a query."""


def _add(page: Listed) -> None:
    """Adds a page of a pack at the end of its section; one without a file or with a name that is taken is left out."""
    sections = [pages for *_how, pages in reversed(PATH) if pages[0].section == page.section] or [PATH[-1][-1]]
    if page.name not in [x.name for x in every()] and (page.folder / "page.py").is_file():
        sections[0].append(page)
    else:
        packs.LOG.error("%s is left out: there is no page.py in it, or another page has its name", page.folder)


def _page(listed: Listed) -> st.Page:
    return st.Page(
        listed.folder / "page.py",
        title=_(listed.title),
        icon=f":material/{listed.icon}:",
        url_path=listed.name,
        default=listed is HOME,
    )


def needs_pack(pack: str) -> None:
    """Draws that the link needs a pack that is left out."""
    text = _(
        "This link needs the pack “{pack}”, which this lab runs without. Ask the person who runs it to install it.",
        pack=pack,
    )
    st.warning(text, icon=":material/link_off:")


def _missing(page: str, pack: str) -> st.Page:
    """Returns what a link finds in the place of a page whose pack is left out."""

    def explain() -> None:
        needs_pack(pack)
        st.page_link(find(HOME.name), label=_(HOME.title), icon=f":material/{HOME.icon}:")

    return st.Page(explain, title=pack, url_path=page)


def listed(name: str) -> Listed:
    return next(x for x in every() if x.name == name)


def every() -> tuple[Listed, ...]:
    return (HOME, COURSE, *(x for *_how, pages in PATH for x in pages))


for _packed in packs.pages():
    _add(_packed)


def title(name: str) -> str:
    return _(listed(name).title)


def find(name: str) -> st.Page:
    return _page(listed(name))


def family(name: str) -> Family | None:
    """Returns the family of the page with this name; None if it stands alone: a view may be left out."""
    names = {page.name for page in every()}
    return next((family for family in FAMILIES if name in family.views and family.views.keys() <= names), None)


def views(name: str) -> None:
    """Draws the choice between the views of the family of this page, if it has one."""
    family_of_page = family(name)
    if family_of_page is None:
        return
    labels = family_of_page.views
    chosen = st.segmented_control(
        _(family_of_page.title),
        list(labels),
        default=name,
        required=True,
        key=f"{name}.view",
        format_func=lambda view: _(labels[view]),
        label_visibility="collapsed",
        width="content",
    )
    if chosen != name:
        st.switch_page(find(chosen))


def path() -> list[tuple[str, str, list[dict[str, str]]]]:
    """Returns the path of a query for the home page: (verb, colour, steps), a step being page, title and text."""
    return [
        (_(verb), palette.named(colour), [_step(x) for x in pages if _is_first(x.name)])
        for _section, verb, colour, pages in PATH
    ]


def _is_first(name: str) -> bool:
    """Returns whether a page stands for its family, or alone."""
    family_of_page = family(name)
    return family_of_page is None or next(iter(family_of_page.views)) == name


def _step(listed: Listed) -> dict[str, str]:
    title, summary, *_views = family(listed.name) or (listed.title, listed.summary)
    return {"page": listed.name, "title": _(title), "text": _(summary)}


def _pages() -> dict[str, st.Page]:
    """Returns the pages with titles in the visitor's language, by their names."""
    cached = st.session_state.get(_CACHED)
    if cached is None or cached[0] != language():
        cached = st.session_state[_CACHED] = language(), {x.name: _page(x) for x in every()}
    return dict(cached[1])


def chosen() -> st.Page:
    """Returns the page to run."""
    return st.navigation([*_pages().values(), *(_missing(*x) for x in packs.missing().items())], position="hidden")


def menu(page: st.Page) -> None:
    """Draws the menu, with this page as the one that is open."""
    pages = _pages()
    others = [name for name in pages if name not in FIRST]
    inside = next((name for name in others if pages[name] == page), "")
    with st.container(key="menu-path"):
        for name in FIRST:
            st.page_link(pages[name])
        with st.expander(_("The path of a query"), icon=":material/route:", expanded=bool(inside)):
            for name in filter(_is_first, others):
                views = family(name)
                marked = inside if views and inside in views.views else name  # of a family the view that is open
                st.page_link(pages[marked], label=_(views.title) if views else None)
