"""The suite is a fixed sample of the long proofs; `make nightly` runs all of them.  Also: many small cases in one test.

Nothing here depends on a date: the suite has the same tests on every day.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")
NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def examples(n: int) -> settings:
    """Number of examples of a property: a thirtieth of ``n``, at least 4, in the suite; ten times ``n`` at night."""
    return settings(max_examples=10 * n if NIGHT else max(4, n // 30))


def seeds(n: int) -> range:
    """The seeds of a long proof: a thirtieth of ``n``, at least one, in the suite; all ``n`` at night."""
    return range(n if NIGHT else max(1, n // 30))


def sample(things: Iterable[T], n: int) -> list[T]:
    """What a test goes through: ``n`` of the things, evenly spread, in the suite; all of them at night."""
    listed = list(things)
    return listed if NIGHT else [listed[i] for i in sorted(_evenly(len(listed), n))]


def spread(cases: Iterable[Any], n: int) -> list[Any]:
    """Parameters of a long proof: ``n`` of the cases, evenly spread, in the suite, and the others at night."""
    listed = list(cases)
    in_suite = _evenly(len(listed), n)
    return [case if i in in_suite else nightly(case) for i, case in enumerate(listed)]


def _evenly(size: int, n: int) -> set[int]:
    """``n`` of the places 0 … ``size`` - 1, evenly spread from the first one on."""
    return {i * size // n for i in range(n) if size}


def nightly(case: Any) -> Any:
    """The same parameter with the mark `nightly`; one made by ``pytest.param`` keeps its name and its marks."""
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, id=case.id, marks=[*case.marks, pytest.mark.nightly])
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.nightly)


def for_each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """One test of many small cases, where a test of each would cost more than what it does.

    ``cases`` are those of ``pytest.mark.parametrize``, without marks.  All are tried; every one that fails is named.
    """
    called = [name.strip() for name in names.split(",")]

    def of(case: Any) -> tuple[Any, dict[str, Any]]:
        given = getattr(case, "values", None)
        values = tuple(case if len(called) > 1 else [case]) if not isinstance(given, tuple) else given
        assert not getattr(case, "marks", ()), "a case within a test has no mark of its own"
        return getattr(case, "id", None) or values, dict(zip(called, values, strict=True))

    listed = [of(case) for case in cases]

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        wanted = inspect.signature(test)

        @wraps(test)
        def every(**fixtures: Any) -> None:
            assert listed
            failed = list[BaseException]()
            for name, values in listed:
                try:
                    test(**values, **fixtures)
                except pytest.skip.Exception:
                    continue
                except (Exception, pytest.fail.Exception) as error:  # the latter is none of the former
                    error.add_note(f"in the case {name if isinstance(name, str) else repr(name)}")
                    failed.append(error)
            if len(failed) == 1:
                raise failed[0]
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(listed)} cases", failed)

        rest = [p for name, p in wanted.parameters.items() if name not in called]
        every.__signature__ = wanted.replace(parameters=rest)  # type: ignore[attr-defined]
        return every

    return decorated
