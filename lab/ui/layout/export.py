"""Exports for a visitor: rankings as CSV, JSON and TREC run, and the experiment as Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import streamlit as st

from lab import engine, formats, packs
from lab.algebra import Query, Ranking, Searcher
from lab.corpus import samples
from lab.evaluate.runs import Run
from lab.evaluate.trec import trec_text
from lab.explain.decisions import decisions
from lab.text import cut, well_formed
from lab.ui import address, components, escape, i18n, navigation
from lab.ui.i18n import _, say
from lab.ui.layout.frame import Frame, corpus_title
from lab.ui.layout.frame import visitor as current_visitor
from lab.ui.lists import retrievers

if TYPE_CHECKING:
    import pandas as pd


def frame(rankings: Sequence[Ranking], names: Sequence[str]) -> pd.DataFrame:
    """Returns one row per list and result; the score components are named in the visitor's language."""
    import pandas as pd

    def parts(ranking: Ranking) -> list[str]:
        every = (" + ".join(f"{say(part.source)} {part.value:.6g}" for part in hit.why) for hit in ranking.hits)
        return [well_formed(text) for text in every]

    columns = ["list", "rank", "id", "title", "score", "why", "text"]
    frames = [r.to_frame().assign(list=name, why=parts(r)) for name, r in zip(names, rankings, strict=True)]
    return pd.concat(frames)[columns] if frames else pd.DataFrame(columns=columns)


def heads() -> dict[str, str]:
    """Returns the heads of the columns of `frame` in the visitor's language."""
    return {
        "list": _("List"),
        "rank": _("Rank"),
        "id": _("Id"),
        "title": _("Title"),
        "score": _("Score"),
        "why": _("Score components"),
        "text": _("Text"),
    }


def named(table: pd.DataFrame, heads: Mapping[str, str]) -> pd.DataFrame:
    """Returns a table with Chinese heads for a Chinese reader; programs read the English ones."""
    return table if i18n.language() == "en" else table.rename(columns=heads)


def csv(rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Returns one row per list and result as CSV."""
    return escape.as_csv(named(frame(rankings, names), heads()))


def markdown(rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Returns the question, and every list as a table, in Markdown."""
    parts = [f"# {escape.plain(' '.join(rankings[0].query.text.split()))}\n"] if rankings else []
    for name, ranking in zip(names, rankings, strict=True):
        table = frame([ranking], [name]).drop(columns=["list", "text"])
        notes = "".join(f"{escape.plain(say(sentence))}\n\n" for sentence in decisions(ranking))
        parts.append(f"## {escape.plain(name)}\n\n{notes}{escape.as_markdown(named(table, heads()))}")
    return well_formed("\n".join(parts))


def as_json(rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Returns per list its operator, its results with score components, and its removed documents, as JSON."""
    lists = [
        {"name": name, "operator": repr(r.made_by), **r.to_dict(), "notes": [*decisions(r)]}
        for name, r in zip(names, rankings, strict=True)
    ]
    return escape.as_json({"query": rankings[0].query.text if rankings else "", "lists": lists})


def trec(query_id: str, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """Returns TREC run lines: query Q0 document rank score run.

    The list's name is the run's; spaces within an id are written as ``_``.
    """
    tags = ("-".join(name.replace("·", " ").split()) for name in names)
    runs = (Run.of(tag, {query_id: r}) for tag, r in zip(tags, rankings, strict=True))
    return well_formed("".join(trec_text(run, on_blank="_") for run in runs))


def corpus_lines(f: Frame, searches: Iterable[Searcher] = ()) -> list[str]:
    """Returns Python that loads the corpus, and the other corpora of routes: samples by name, uploads from a file."""
    others = [name for name in formats.collections(searches) if name != f.corpus.name]
    kinds = {_kind(name) for name in (f.corpus.name, *others)}
    lines = [f"from lab.corpus import {', '.join(sorted(kinds - {''}))}"] if kinds - {""} else []
    lines += ["from lab.engine import open_corpus"] if "" in kinds else []
    lines += ["", f"corpus = {_loaded(f.corpus.name)}"]
    if others:
        lines += ["others = {", *(f"    {name!r}: {_loaded(name, ',')}" for name in others), "}"]
    elif formats.collections(searches):
        lines.append("others = {}")
    return lines


def _kind(name: str) -> str:
    """Returns the module that loads a corpus; empty for a corpus of an engine."""
    return "samples" if name in samples.every_name() else "" if engine.of(name) else "beir"


def _loaded(name: str, after: str = "") -> str:
    if name in samples.every_name():
        return f"samples.load({name!r}).corpus{after}"
    if engine.of(name):
        known = name.removeprefix(f"{packs.ENGINES[0]}:")
        return f"open_corpus({known!r}).corpus{after}"
    return f"beir.load({zipped(name)!r}).corpus{after}  # from the page Documents: This corpus as a BEIR zip"


def zipped(name: str) -> str:
    """Returns the file name of a corpus's zip, one that any disk accepts."""
    return escape.file(name) + ".zip"


def about(f: Frame) -> str:
    """Returns the question and the corpus, which stand above every picture; empty without a question."""
    question = cut(str(st.session_state.get(address.QUESTION, "")), 160)
    return f"{question} · {corpus_title(f.corpus.name)}" if question else ""


def pictures(page: str, f: Frame) -> None:
    """Draws the exports that the visitor's browser makes: the page's pictures."""
    data = {
        "page": page,
        "stem": f.corpus.name,
        "about": about(f),
        "failed": _("This browser cannot create such a picture. Take a screenshot instead."),
        "own": {
            "lists": _("The lists"),
            "flow": _("The pipelines"),
            "path": _("The path of a query"),
            "answers": _("The answers"),
            "tokens": _("The tokens"),
            "cuts": _("Segmentation"),
            "alignment": _("Words and SQL"),
            "squares": _("Compare searches"),
        },
    }
    components.take(data, key=f"{page}.take")


def buttons(
    page: str, f: Frame, searches: Mapping[str, Searcher], rankings: Sequence[Ranking], names: Sequence[str], k: int
) -> None:
    """Draws the downloads of the lists, and every search of the page as a file and as Python."""
    query = rankings[0].query if rankings else Query("")
    known = f.collection.query_by_text(query.text)
    stem = f"{f.corpus.name}-{page}"
    kinds: dict[str, tuple[Callable[[], str], str]] = {
        # a byte order mark, so that spreadsheets read Chinese
        "CSV": (lambda: "\ufeff" + csv(rankings, names), "text/csv"),
        "Markdown": (lambda: markdown(rankings, names), "text/markdown"),
        "JSON": (lambda: as_json(rankings, names), "application/json"),
        "TREC": (lambda: trec(known.id if known else "q", rankings, names), "text/plain"),
    }
    st.caption(_("The lists"))
    row = st.container(horizontal=True)
    for kind, (make, mime) in kinds.items():
        name = {"Markdown": "md"}.get(kind, kind.lower())
        components.download(row, kind, make, f"{stem}.{name}", mime, key=f"{page}.{name}")
    with escape.problems():  # an address or a key must not be written down
        own = retrievers.written(current_visitor())
        code = formats.to_python(searches, corpus=corpus_lines(f, searches.values()), query=query, k=k, retrievers=own)
        files = {name: formats.to_toml(search) for name, search in searches.items()}
        st.caption(_("This experiment in Python"))
        st.code(code, language="python", wrap_lines=True)
        st.caption(_("Each search as a file, for the command line: retrieval-lab search --pipeline FILE"))
        for name, file in files.items():
            st.caption(escape.plain(name))
            st.code(file, language="toml", wrap_lines=True)
        st.caption(_("As a LangChain retriever"))
        for name, search in searches.items():
            lines = corpus_lines(f, [search])
            code = formats.to_langchain(search, corpus=lines, query=query, k=min(k, 10), retrievers=own)
            st.caption(escape.plain(name))
            st.code(code, language="python", wrap_lines=True)


SIDE_BY_SIDE = tuple(f"pipeline.{letter}" for letter in "abcd")
"""The keys of the pipelines on their page; ``.off`` is appended for the disabled steps of one."""


def open_as_pipeline(page: str, searches: Mapping[str, Searcher]) -> None:
    """Draws the button that opens a page's searches as pipelines; if there are too many, the visitor chooses."""
    label, icon = _("Open as pipeline"), ":material/account_tree:"
    most, names = len(SIDE_BY_SIDE), list(searches)
    if len(names) > most:
        with st.popover(label, icon=icon):
            names = st.multiselect(
                _("Up to {n} lists", n=most),
                names,
                names[:most],
                placeholder=_("Choose …"),
                max_selections=most,
                key=f"{page}.opened",
            )
            pressed = st.button(_("Open"), key=f"{page}.open", type="primary", disabled=not names)
    else:
        pressed = st.button(label, key=f"{page}.open", icon=icon, disabled=not names)
    if pressed:
        with escape.problems():  # an address or a key must not be written down
            links = [formats.to_link(searches[name]) for name in names]
            if address.QUESTION in st.session_state:
                address.put(address.QUESTION, st.session_state[address.QUESTION])  # the showcase of this page, too
            address.forget("pipeline.")
            for key, link in zip_longest(SIDE_BY_SIDE, links, fillvalue=""):
                address.put(key, link)
            st.switch_page(navigation.find("pipeline"))
