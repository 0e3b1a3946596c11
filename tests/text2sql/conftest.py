from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lab.text2sql.database import Database, open_sample

sys.path.insert(0, str(Path(__file__).with_name("examination")))


@pytest.fixture(scope="session")
def candidates() -> Database:
    return open_sample("candidates")


@pytest.fixture(scope="session")
def shop() -> Database:
    return open_sample("shop")
