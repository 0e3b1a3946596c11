"""The guide of a page: the Markdown file in its folder, in the visitor's language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from lab import catalog, packs
from lab.ui import navigation, palette
from lab.ui.i18n import _, labelled, language, say
from lab.ui.layout import naming

_OPEN = "_guide"
_STYLE = """<style>
:root {{ --guide: clamp(20rem, 27vw, 27rem); }}
.st-key-guide-drawer {{
  position: fixed; top: 0; right: 0; bottom: 0; z-index: 1000; box-sizing: border-box; display: block !important;
  width: var(--guide) !important; max-width: 100vw; padding: 3.6rem 1.3rem 2rem; overflow: auto;
  overscroll-behavior: contain; background: {paper}; border-left: 1px solid {line};
}}
.st-key-guide-drawer > * {{ max-width: 100%; }}
.st-key-guide-drawer [data-testid="stMarkdownContainer"] {{ font-size: 0.92rem; overflow-wrap: anywhere; }}
.st-key-guide-drawer table {{ display: block; overflow-x: auto; font-size: 0.8rem; }}
.st-key-guide-drawer :is(th, td) {{ overflow-wrap: normal; padding: 0.2rem 0.4rem; }}
.st-key-guide-drawer :is(th, td):first-child {{ min-width: 7.5rem; }}
.st-key-guide-drawer :is(h2, h3) {{ font-size: 1.15rem; padding: 0.9rem 0 0.2rem; }}
.st-key-guide-drawer .katex-display {{ overflow: visible !important; font-size: 0.8em; }}
@media (min-width: 1200px) {{
  [data-testid="stMain"]:has(.st-key-guide-drawer) {{ padding-right: var(--guide); }}
  [data-testid="stMain"]:has(.st-key-guide-drawer) [data-testid="stMainBlockContainer"] {{
    padding-left: 2rem; padding-right: 1.5rem;
  }}
}}
@media (max-width: 1199px) {{ .st-key-guide-drawer {{ box-shadow: -8px 0 24px rgba(0, 0, 0, 0.25); }} }}
</style>"""
"""Places the guide on the right: beside the page if there is room, else over its edge."""


@cache
def _text(name: str, language: str) -> str:
    """Returns a guide by the name of its page, or by its own name; empty if there is none.

    The sections of packs come before its last one.
    """
    pages = [(page.path, page.folder, "guide" if page.name == name else name) for page in navigation.every()]
    files = {folder / f"{stem}.{language}.md": path for path, folder, stem in pages}
    file = next(filter(Path.is_file, files), None)
    if file is None:
        return ""
    sections = packs.files(f"guides/{files[file]}/{file.name}")
    more = "".join(packs.each(sections, lambda added: "\n" + added.read_text("utf-8")))
    start, heading, end = file.read_text("utf-8").rpartition("\n### ")
    return start + more + heading + end if heading else end + more


def button(page: str) -> None:
    """Draws the button that opens or closes the guide beside the page; an open guide stays open on other pages."""
    text = _text(page, language())
    if not text:
        return
    st.button(
        _("Guide"),
        key=f"{page}.guide",
        type="primary" if st.session_state.get(_OPEN) else "secondary",
        on_click=_turn,
        icon=":material/menu_book:",
    )
    if st.session_state.get(_OPEN):
        with st.container(key="guide-drawer"):
            st.html(_STYLE.format(paper=palette.paper(), line=palette.line()))
            head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
            head.subheader(_("Guide"), anchor=False, width="content")
            head.button(_("Close"), key=f"{page}.guide.close", type="tertiary", icon=":material/close:", on_click=_turn)
            st.markdown(text)
            _show_names(page)


def _show_names(page: str) -> None:
    from lab.finding import page_of

    tables = {cls: catalog.other_names(cls) for cls in catalog.operators().values() if page_of(cls) == page}
    lines = [naming.also_called(catalog.other_names(page))]
    lines += [
        "- " + labelled(f"**{say(catalog.title(cls))}**", naming.also_called(names))
        for cls, names in tables.items()
        if names
    ]
    title = _("Other names")
    st.markdown("\n".join((f"### {title}\n", lines[0], "", *lines[1:])))


def show() -> None:
    """Opens the guide of each page that the visitor goes to."""
    st.session_state[_OPEN] = True


def headings(page: str, language: str) -> list[str]:
    lines = _text(page, language).splitlines()
    return [line.lstrip("# ").replace("*", "") for line in lines if line.startswith("##")]


def _turn() -> None:
    st.session_state[_OPEN] = not st.session_state.get(_OPEN)


def folded(page: str, title: str) -> None:
    """Draws another guide, folded."""
    if text := _text(page, language()):
        with st.expander(title, icon=":material/menu_book:"):
            st.markdown(text)
