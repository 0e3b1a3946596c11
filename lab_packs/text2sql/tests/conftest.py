from __future__ import annotations

import pytest

from lab_packs.text2sql.database import Database, open_sample


@pytest.fixture(scope="session")
def candidates() -> Database:
    return open_sample("candidates")


@pytest.fixture(scope="session")
def shop() -> Database:
    return open_sample("shop")
