"""“Where is my passage?”: a field below the lists, which says where any passage is, or why it is not in a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from lab.algebra import Document, Query, Searcher
from lab.explain.bringing_in import Change, changes
from lab.explain.locating import Located, locate
from lab.explain.whereabouts import Place, Whereabouts, whereabouts
from lab.ui import address, escape
from lab.ui.i18n import _, labelled, say
from lab.ui.layout import tables
from lab.ui.layout.page import Page
from lab.ui.lists import show
from lab.ui.work import once

LONGEST = 500
"""Characters of a sentence that are compared."""
MOST = 50
"""Maximum number of passages to choose from if a title or a sentence fits several."""
PROBLEMS = 5
"""Number of texts left out of the files that are named."""
COMPONENTS = 12
"""Maximum number of score components of a list."""
Found = Mapping[str, tuple[Whereabouts, Sequence[Change]]]


def field(p: Page, searches: Mapping[str, Searcher], query: Query, shown: int) -> None:
    """Draws the field and, once a passage is named, where it is in the lists of these searches."""
    corpus, key = p.frame.corpus, p.key("where")
    if corpus.elsewhere or query.blank or not searches:
        return
    address.keep(key, "", address.text(LONGEST))
    label = _("Where is my passage?")
    with st.expander(label, icon=":material/location_searching:", expanded=bool(st.session_state[key])):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"where-{p.name}"):
            hint = _("Its id, title or a sentence")
            st.text_input(label, key=key, max_chars=LONGEST, label_visibility="collapsed", placeholder=hint, width=420)
            if (document := corpus.get(str(st.session_state.get("doc", "")))) and not st.session_state[key]:
                _offer(p, key, document)
        if text := str(st.session_state[key]).strip():
            _answer(p, searches, query, shown, text)


def _answer(p: Page, searches: Mapping[str, Searcher], query: Query, shown: int, text: str) -> None:
    """Draws where the passage with this id, title or sentence is."""
    corpus, key = p.frame.corpus, p.key("where")
    located = once(key, (corpus.fingerprint, text), lambda: locate(text, corpus))
    with st.container(key=f"where-answer-{p.name}"), escape.problems():
        document = _chosen(p, key, located)
        if document is None:
            return
        doc = document

        def make() -> Found:
            found = {}
            for name, search in searches.items():
                where = whereabouts(p.runner, search, query, doc.id, shown, text=text if located.by == "text" else "")
                found[name] = where, changes(p.runner, search, query, where)
            return found

        about = (tuple(searches.items()), query, query.made_from, doc.id, shown, text)
        found = p.work("where.search", _("Searching every list to its end …"), make, about=about)
        if found is not None:
            _draw(p, document, found)


def _offer(p: Page, key: str, document: Document) -> None:
    """Offers to look for the selected passage, which may be in no list."""
    label = _("Where is “{title}”?", title=escape.plain(document.label, 40))
    st.button(label, key=f"{key}.selected", type="tertiary", on_click=address.put, args=(key, document.id))


def _chosen(p: Page, key: str, located: Located) -> Document | None:
    """Returns the passage that is meant; without one, says why and offers similar ones."""
    if not located.documents:
        st.markdown(escape.plain(say(located.sentence)))
        for problem in p.frame.collection.problems[:PROBLEMS]:
            st.caption(_("Left out when the files were read: {problem}", problem=escape.plain(say(problem), 300)))
        near = [*located.border, *(d for d in located.near if d not in located.border)]
        if near:
            st.caption(_("Passages with the same words"))
        for document in near:
            name = f"{escape.plain(document.label, 60)} · {escape.plain(document.id, 30)}"
            st.button(
                name, key=f"{key}.near.{document.id}", type="tertiary", on_click=address.put, args=(key, document.id)
            )
        return None
    by_id = {document.id: document for document in located.documents[:MOST]}
    if len(by_id) == 1:
        return located.documents[0]
    st.caption(escape.plain(say(located.sentence)))
    of = f"{key}.of"
    address.keep(of, next(iter(by_id)), address.choice(list(by_id)))
    chosen = st.selectbox(_("Passage"), list(by_id), key=of, format_func=lambda i: f"{by_id[i].label[:60]} · {i}")
    return by_id[chosen]


def _draw(p: Page, document: Document, found: Found) -> None:
    st.subheader(_("Where is “{title}”?", title=escape.plain(document.label, 60)), anchor=False)
    lines = []
    for name, (where, tried) in found.items():
        lines.append("- " + labelled(f"**{escape.plain(name)}**", escape.plain(say(where.sentence))))
        lines += [f"  - :material/arrow_upward: {escape.plain(say(change.sentence))}" for change in tried]
    st.markdown("\n".join(lines))
    if any(tried for _where, tried in found.values()):
        st.caption(_("↑ Changes that show the passage; each was tried."))
    _table(p, found)
    _components(p, found)


def _table(p: Page, found: Found) -> None:
    """Draws the rank and the score in every list, against the last result shown."""
    rows = [
        _row(name, place)
        for search, (where, _tried) in found.items()
        for name, place in [(search, where.final), *((f"↳ {say(x.ranking.made_by.label)}", x) for x in where.lists)]
    ]
    columns = {
        "list": _("List"),
        "rank": _("Rank"),
        "of": _("Results in the whole list"),
        "score": _("Score"),
        "last": _("Score of the last result shown"),
    }
    tables.draw(_("Where is my passage?"), rows, key=p.key("where.table"), columns=columns)


def _row(name: str, place: Place) -> dict[str, str | int]:
    return {
        "list": name,
        "rank": "–" if place.rank is None else str(place.rank),
        "of": len(place.ranking),
        "score": "–" if place.hit is None else show.number(place.hit.score),
        "last": "–" if place.last is None else show.number(place.last.score),
    }


def _component(value: float) -> str:
    """Returns a component as text; none is a dash."""
    return show.number(value) if value else "–"


def _components(p: Page, found: Found) -> None:
    """Draws the score components beside those of the last result shown, for lists that do not show the passage."""
    rows = [
        {"list": name, "part": say(x.name), "score": _component(x.score), "last": _component(x.last)}
        for name, (where, _tried) in found.items()
        if not where.final.is_shown
        for x in where.final.compared[:COMPONENTS]
    ]
    if rows:
        columns = {
            "list": _("List"),
            "part": _("Score component"),
            "score": _("This passage"),
            "last": _("Last result shown"),
        }
        tables.draw(_("Score components"), rows, key=p.key("where.components"), columns=columns)
