"""What all tests share: quick, repeatable property tests, and the test collections where there are any."""

from __future__ import annotations

import compileall
import gc
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # no test asks a hub for a model
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported: the processes of the suite share the cores already
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["LAB_VECTORS_MB"] = "0"  # no test writes to the user's folders: what is reckoned stays in memory

# What is compiled is kept, whatever the shell says: the suite starts dozens of processes, each of which would compile
# the lab anew, and pytest rewrites the asserts of all tests and of hypothesis.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False

import pytest
from _pytest.assertion import rewrite
from hypothesis import HealthCheck, settings
from neural import MadeUp
from night import NIGHT

from lab import lessons
from lab.corpus import beir
from lab.models import e5
from lab.models.e5 import DIMENSIONS
from lab.models.kept_vectors import Shipped, VectorFile

# The same few examples in every run: the suite is quick, and a failure repeats itself.  At night many, and others.
_SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "quick", max_examples=4, deadline=None, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("nightly", max_examples=60, deadline=None, database=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# A process reads each sample corpus once, and what is derived from it is derived once; at night always anew.
_SAMPLES, _load = Path(__file__).parents[1] / "sample_corpora", beir.load
_sample = cache(_load)


@wraps(_load)
def _loaded(where: str | Path, **options: Any) -> beir.Collection:
    return _sample(Path(where)) if Path(where).parent == _SAMPLES and not options else _load(where, **options)


_read = lessons.read
_lessons = cache(_read)


@wraps(_read)
def _lessons_of(where: Path) -> tuple[lessons.Lesson, ...]:
    return _lessons(where) if where.parent == _SAMPLES else _read(where)


if not NIGHT:
    beir.load = _loaded
    lessons.read = _lessons_of

# What collecting the tests makes stays to the end: the collector of garbage need not look through it again and again.
gc.disable()


def pytest_sessionstart(session: pytest.Session) -> None:
    """In a fresh checkout all workers would compile the same files at the same time: each begins with a share of them,
    and finds the others.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    first, step, here = int(worker["workerid"].removeprefix("gw")), worker["workercount"], Path(__file__).parent
    for path in sorted((here.parent / "lab").rglob("*.py"))[first::step]:
        compileall.compile_file(path, quiet=2)
    with suppress(AttributeError, TypeError):  # another pytest has other names inside: then it does it later, as ever
        for path in sorted(here.rglob("test_*.py"))[first::step]:
            kept = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
            if not kept.exists():
                kept.parent.mkdir(exist_ok=True)
                source, code = rewrite._rewrite_test(path, session.config)
                rewrite._write_pyc(session.config.stash[rewrite.assertstate_key], code, source, kept)


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # by default a page that is drawn is looked through a dozen times
    # Streamlit's ninety loggers tell the root nothing, so that pytest would listen at each of them six times a test.
    for logger in logging.getLogger().manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.propagate = True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What a test is called by besides its name is not sent three times a test to the process that counts them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        report.keywords = {}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """All browser tests go to one worker, which starts the server and Chromium once, and of the others a file at a
    time.  At night both workers take browser tests, which are then most of the work.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "browser" if "/browser/" in file and not NIGHT else file

    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture
def neural(monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """multilingual-e5-small works, as a model that is made up, whether its package is installed or not.

    Give it a corpus of the test's own: what it has read is kept with the corpus, and other tests share the samples.
    """
    made, kept = MadeUp(), VectorFile(None, DIMENSIONS, size=0)
    monkeypatch.setattr(e5, "obstacle", lambda: None)
    monkeypatch.setattr(e5, "worker", lambda: made)
    monkeypatch.setattr(e5, "kept", lambda: kept)
    monkeypatch.setattr(e5, "shipped", Shipped)
    return made


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
