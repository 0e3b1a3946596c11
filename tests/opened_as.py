"""A page's searches, opened as pipelines: on their page they give the page's own lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamlit.testing.v1 import AppTest

from lab.algebra import Ranking, Searcher


def same_as_pipelines(app: AppTest, page: str, last: Any, searches: Mapping[str, Searcher]) -> None:
    """Click “Open as pipeline”; ``last`` has what was exported last (``rankings``, ``searches``), by whichever page."""
    names = list(searches)[:4]  # so many stand side by side; the visitor chooses which
    own = dict(zip(last.names, last.rankings, strict=True))
    wanted: list[Ranking] = [own[name] for name in names]
    kept = {field: getattr(last, field) for field in ("names", "rankings", "searches")}
    asked, corpus = app.session_state["q"], app.session_state["corpus"]
    app.button(f"{page}.open").click().run()
    assert not app.exception, app.exception
    assert not app.error, [e.value for e in app.error]
    assert app.title[0].value == "Pipeline"
    assert (app.session_state["q"], app.session_state["corpus"]) == (asked, corpus)
    assert len(last.rankings) == len(names)
    for name, before, after in zip(names, wanted, last.rankings, strict=True):
        assert [h.document for h in after][:100] == [h.document for h in before][:100], name
        assert [h.score for h in after][:100] == [h.score for h in before][:100], name
    for field, value in kept.items():
        setattr(last, field, value)
