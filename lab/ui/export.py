"""What a visitor takes along: rankings as CSV, JSON and TREC run, and the experiment as Python."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import streamlit as st

from lab.core import Ranking
from lab.evaluate.trec import falling
from lab.text import well_formed
from lab.ui.frame import Frame
from lab.ui.i18n import _


def csv(rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """One row per list and hit."""
    import pandas as pd

    frames = [r.to_frame().assign(list=name) for name, r in zip(names, rankings, strict=True)]
    columns = ["list", "rank", "id", "title", "score", "why", "text"]
    return str(pd.concat(frames)[columns].to_csv(index=False)) if frames else ",".join(columns) + "\n"


def as_json(query: str, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """The query, and per list its operator, its hits, and the addends of each score."""
    data = {
        "query": query,
        "lists": [
            {
                "name": name,
                "operator": repr(r.made_by),
                "milliseconds": round(r.seconds * 1000, 3),
                "hits": [
                    {
                        "rank": i,
                        "id": h.document.id,
                        "title": h.document.title,
                        "score": h.score,
                        "why": [{"source": str(c.source), "value": c.value} for c in h.why],
                    }
                    for i, h in enumerate(r.hits, 1)
                ],
            }
            for name, r in zip(names, rankings, strict=True)
        ],
    }
    return well_formed(json.dumps(data, ensure_ascii=False, indent=1))


def trec(query_id: str, rankings: Sequence[Ranking], names: Sequence[str]) -> str:
    """TREC run lines: query Q0 document rank score run.

    Tools sort by the score, not by the rank: where it does not fall (ties, a list in another order), the one
    written is a step of single precision below the one before.  Blanks within an id are written as ``_``.
    """
    out = io.StringIO()
    for name, r in zip(names, rankings, strict=True):
        tag = "-".join(name.replace("·", " ").split()) or "run"
        for i, (h, score) in enumerate(zip(r.hits, falling([h.score for h in r.hits]), strict=True), 1):
            out.write(f"{_word(query_id)} Q0 {_word(h.document.id)} {i} {score!r} {tag}\n")
    return well_formed(out.getvalue())


def _word(identity: str) -> str:
    return "_".join(identity.split()) or "_"


def buttons(page: str, f: Frame, rankings: Sequence[Ranking], names: Sequence[str], code: str) -> None:
    """The download buttons and the code."""
    query = rankings[0].query if rankings else ""
    known = f.collection.query_by_text(query)
    first = st.container(horizontal=True)
    stem = f"{f.corpus.name}-{page}"
    # a byte order mark, so that spreadsheets read Chinese
    first.download_button(
        "CSV", lambda: "\ufeff" + csv(rankings, names), f"{stem}.csv", "text/csv", key=f"{page}.csv", on_click="ignore"
    )
    first.download_button(
        "JSON",
        lambda: as_json(query, rankings, names),
        f"{stem}.json",
        "application/json",
        key=f"{page}.json",
        on_click="ignore",
    )
    first.download_button(
        "TREC",
        lambda: trec(known.id if known else "q", rankings, names),
        f"{stem}.trec",
        "text/plain",
        key=f"{page}.trec",
        on_click="ignore",
    )
    st.caption(_("This experiment in Python"))
    st.code(code, language="python", wrap_lines=True)
