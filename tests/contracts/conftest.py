"""The engine of the contracts: where its pack is there, a Milvus Lite file of each module, named as long as it runs."""

from __future__ import annotations

import pytest

from lab import packs


@pytest.fixture(autouse=True, scope="module")
def milvus_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if packs.is_installed("milvus"):
            patch.setenv("LAB_MILVUS_URI", str(tmp_path_factory.mktemp("milvus") / "lab.db"))
        yield
