"""The contract of every retriever over a `milvus-lite server` of its own, and over the server that is named, if any."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from milvus_at_hand import NAMED, Server, needs_milvus
from night import spread
from test_retriever_contract import *  # noqa: F403 - these are the tests

from lab.algebra import Retriever
from lab_packs.milvus.searches import MilvusBM25, MilvusVector

pytestmark = needs_milvus
# not this one: it is about the laws
del globals()["test_the_laws_catch_what_breaks_them"]


@pytest.fixture(scope="module", params=spread(["child", "named"], 1))
def uri(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "named":
        if "://" not in NAMED:
            pytest.skip("LAB_MILVUS_URI names no server")
        yield NAMED
        return
    server = Server(tmp_path_factory.mktemp("server")).start()
    yield server.uri
    server.kill()


@pytest.fixture(params=spread([MilvusBM25(), MilvusVector(), MilvusVector(kind="IVF_FLAT", space="l2")], 1), ids=str)
def retriever(request: pytest.FixtureRequest, uri: str, monkeypatch: pytest.MonkeyPatch) -> Retriever:
    monkeypatch.setenv("LAB_MILVUS_URI", uri)
    op: Retriever = request.param
    return op
