"""The engine of the contracts: a Milvus Lite file of this run."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="session")
def milvus_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LAB_MILVUS_URI", str(tmp_path_factory.mktemp("milvus") / "lab.db"))
        yield
