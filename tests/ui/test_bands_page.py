"""Cosine bands on Vector store: which models are compared first, and what a cosine means under each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.text import script
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
KEY = "vector_store.bands"


def opened(own: Collection | None = None, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if own is not None:
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.name] = own
        link["corpus"] = own.name
    for name, value in {"lang": "en", "vector_store.fold.bands": "1", **link}.items():
        app.query_params[name] = value
    app.switch_page("pages/retrieve/vector_store/page.py").run()
    assert not app.exception, app.exception
    return app


def rows(app: AppTest) -> list[dict[str, Any]]:
    (table,) = [x.value for x in app.dataframe if "meaning" in x.value]
    return list(table.to_dict("records"))


def upload() -> Collection:
    texts = ("a red fox sleeps", "a red fox hunts at night", "router firmware update", "the router restarts at night")
    return Collection(Corpus("own", tuple(Document(f"d{i}", text) for i, text in enumerate(texts))))


def test_the_cosine_that_is_typed_is_the_one_that_is_explained():
    app = opened(corpus="staff")
    app.number_input(f"{KEY}.cosine").set_value(0.3).run()
    first = rows(app)[0]
    assert first["meaning"].startswith("related")
    assert float(first["related"].rstrip("%")) > 40 > 5 > float(first["unrelated"].rstrip("%"))
    assert not app.error


def test_without_judgments_and_precomputed_vectors_lsa_is_beside_the_built_in_model():
    app = opened(upload(), q="fox")
    assert app.session_state[KEY] == ["built-in", "lsa"]
    assert len(rows(app)) == 2
    assert any(x.value.startswith("Nothing is judged") for x in app.caption)


def test_the_part_is_in_chinese_on_a_chinese_page():
    app = opened(corpus="handbook", lang="zh")
    assert all(script(row["meaning"]) == "zh" for row in rows(app))
    assert any("标注为相关" in x.value for x in app.caption)
