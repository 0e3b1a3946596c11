"""What all tests share: quick, repeatable property tests, and the test collections where there are any."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # no test asks a hub for a model
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported: the processes of the suite share the cores already
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["LAB_VECTORS_MB"] = "0"  # no test writes to the user's folders: what is reckoned stays in memory
os.environ["LAB_KEEP"] = "0"  # and so do uploads and grades

# What is compiled is kept, whatever the shell says: the suite starts dozens of processes, each of which would compile
# the lab anew, and pytest rewrites the asserts of all tests and of hypothesis.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False

import pytest
from hypothesis import HealthCheck, settings
from night import NIGHT

from lab import lessons, packs
from lab.corpus import beir

# The same few examples in every run: the suite is quick, and a failure repeats itself.  At night many, and others.
_SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "quick", max_examples=3, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("nightly", max_examples=60, deadline=None, database=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

TORCH = (
    "test_cross_encoders",
    "test_neural",
    "models/test_reading",
    "oracles/test_refine",
    "test_rerank",
    "test_hybrid",
)
TOGETHER = {"browser": () if NIGHT else ("/browser/",), "torch": ("/training/", *TORCH)}
"""Files that one worker takes, by a part of their paths."""
SAMPLES = Path(__file__).parent / "sample_corpora"
pytest_plugins = ["browser.fixtures"]


def samples_once(read: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which reads each sample corpus once a process: what is derived from it is kept with it."""
    once = cache(read)

    @wraps(read)
    def reading(where: str | Path, **options: Any) -> Any:
        return once(Path(where)) if Path(where).parent == SAMPLES and not options else read(where, **options)

    return reading


if not NIGHT:  # a sixth of the time of tests that read them
    beir.load, lessons.read = samples_once(beir.load), samples_once(lessons.read)


gc.disable()  # until all tests are collected: a third of the time of collecting


def pytest_collection_finish() -> None:
    """Collect garbage less often, and not among what collecting made: a tenth of the time of the tests."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all browser tests to one worker, which starts the server and Chromium once, those that need torch to one, as
    importing it takes seconds, and of the others a file at a time.  At night both workers take browser tests, which are
    then most of the work.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return next((name for name, files in TOGETHER.items() if any(x in file for x in files)), file)

    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture
def neural(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The model of the pack e5 works, as one that is made up, whether its package is installed or not; None without
    the pack.

    Give it a corpus of the test's own: what it has read is kept with the corpus, and other tests share the samples.
    """
    if not packs.is_installed("e5"):
        yield None
        return
    from made_up_model import working

    with working(monkeypatch) as made:
        yield made


@pytest.fixture(scope="session")
def collection() -> Callable[[str], Path]:
    """The folder of a test collection by name; skips where ``LAB_COLLECTIONS`` does not lead to it."""

    def find(name: str) -> Path:
        root = os.environ.get("LAB_COLLECTIONS")
        if not root:
            pytest.skip("LAB_COLLECTIONS is not set (the folder of the test collections)")
        folder = Path(root) / name
        if not folder.is_dir():
            pytest.skip(f"there is no collection {name} in LAB_COLLECTIONS")
        return folder

    return find
