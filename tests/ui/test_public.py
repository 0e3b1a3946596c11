"""A lab for strangers (LAB_PUBLIC=1): no page says a secret, opens a folder, or tells which folders there are."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import places
import pytest
from night import nightly
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.errors import ModelError
from lab.models import endpoint
from lab.refine.rerank import CrossEncoderReranker
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

ROOT = Path(__file__).parents[2]
PAGES = places.NAMES
IN_SUITE = ("compare", "rerank", "pipeline", "vector_store")
"""The pages that load models or call servers: all are looked at at night."""


def told(page: str, name: str) -> str:
    """All that a page says where its link names a model ``name``, and a server inside."""
    search = formats.expression(BM25() >> CrossEncoderReranker(model="owner/name")).replace("owner/name", name)
    link = {
        "corpus": "devices",
        "embedder": f"sentence-transformer/{name}",
        "rerank.by": "crossencoderreranker",
        "rerank.crossencoderreranker.model": name,
        "vector_store.server": "http://127.0.0.1:9/inside",
        "vector_store.store": "milvus",
        "pipeline.a": search,
        "pipeline.b": formats.to_link(Vector()),
    }
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", **link}.items():
        app.query_params[key] = value
    app.switch_page(page).run()
    assert not app.exception, app.exception
    lists = app.markdown, app.caption, app.info, app.warning, app.error, app.success, app.code, app.button
    said = [str(getattr(x, "value", "")) + str(getattr(x, "label", "")) for found in lists for x in found]
    said += [str(x.value) for found in (app.selectbox, app.text_input, app.text_area) for x in found]
    return re.sub(r"[\d.]+ ms", "… ms", "\n".join(said).replace("\\", ""))


@pytest.mark.parametrize("page", [page if Path(page).stem in IN_SUITE else nightly(page) for page in PAGES])
def test_no_page_says_what_is_on_this_machine(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []

    def connect(*args: Any, **named: Any) -> None:
        called.append(args)
        raise ModelError("nobody", "nothing")

    monkeypatch.setattr(endpoint, "connect", connect)
    for name, value in {
        "PUBLIC": "1",
        "CHROMA_URL": "http://admin:SECRETPW@127.0.0.1:9",
        "MILVUS_URI": "http://admin:SECRETPW@127.0.0.1:9",
        "MILVUS_TOKEN": "SECRETPW",
        "LLM_BASE_URL": "http://me:SECRETPW@127.0.0.1:9/v1",
        "LLM_KEY": "sk-SECRETPW",
        "LLM_MODEL": "own",
    }.items():
        monkeypatch.setenv(f"LAB_{name}", value)
    (tmp_path / "config.json").write_text("{}")
    there, nowhere = str(tmp_path), str(tmp_path.with_name("nothere"))
    first, second = (told(page, name).replace(name, "…") for name in (there, nowhere))
    assert first == second, "it says whether there is such a folder"
    for secret in ("SECRETPW", "127.0.0.1", str(Path.home()) + "/", os.getcwd()):
        assert secret not in first, secret
    assert not called
