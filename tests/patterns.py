"""Times every module-level regular expression of the project on strings that take a bad one long.

The strings are made from the pattern itself: the shortest text up to a repeat, many times what the repeat takes, and an
end that does not fit.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import re
import signal
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import places

from lab.patterns import LazyPattern

ROOT = Path(__file__).parents[1]
SHORT, STEPS = 24, (500, 2000, 8000)
"""Length at which an exponential pattern is already endless, and the lengths at which growth is measured."""
MOST_SECONDS, NOISE, STEEPEST = 0.5, 0.1, 10.0
"""Seconds for one string; below `NOISE` nothing is slow; how much longer four times the length may take (linear: 4)."""
MOST = 120 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 12
"""Number of strings for a pattern."""
WRONG_ENDS = ("\x00", "x", "1", "")
_OUTSIDE = ("page.py", "app.py")
"""Files that are scripts: they draw when they are imported, so their patterns are read from the source."""


class Late(Exception):
    """The time for one string is over."""


def _late(number: int, frame: FrameType | None) -> None:
    raise Late


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yields (place, pattern) of the modules of lab and pages, and of the scripts."""
    known = set[tuple[Any, int]]()
    for path in sorted((*places.code(), ROOT / "app.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name.endswith(("__main__", "_worker")):
            continue
        values: Any = _literal(path) if path.name in _OUTSIDE else vars(importlib.import_module(name))
        for key, value in values.items():
            for pattern in _inside(value, 0):
                if (pattern.pattern, pattern.flags) not in known:
                    known.add((pattern.pattern, pattern.flags))
                    yield f"{name}.{key}", pattern


def _literal(path: Path) -> dict[str, Any]:
    """Returns the patterns that a script compiles from literals."""
    calls = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]
    texts = [c.args[0] for c in calls if ast.unparse(c.func).startswith("re.") and c.args]
    return {str(t.lineno): re.compile(t.value) for t in texts if isinstance(t, ast.Constant)}


def _inside(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern | LazyPattern):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for inner in value.values():
            yield from _inside(inner, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            yield from _inside(inner, depth + 1)


# ---------------------------------------------------------------------------------------------------- strings


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Returns (before, repeated) for each repeat of the pattern, with several texts that the repeat may take."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from re import _parser  # type: ignore[attr-defined]
    parsed = _parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    found = dict.fromkeys(_repeats(list(parsed), ""))
    units = sorted({unit for _, unit in found if unit}, key=lambda u: (len(u), u))[:8]
    mixed = (a + b for a, b in itertools.combinations(units, 2) if len(a + b) <= 6)
    return [*found, *(("", unit) for unit in (*units, *mixed))][:MOST]


def _repeats(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    for i, (name, argument) in enumerate(items):
        kind = str(name)
        if kind.endswith("REPEAT"):
            inner = list(argument[2])
            yield from ((before, unit) for unit in _samples(inner) if unit)
            yield from _repeats(inner, before)
        elif kind == "SUBPATTERN":
            yield from _repeats(list(argument[3]), before)
        elif kind == "BRANCH":
            for branch in argument[1]:
                yield from _repeats(list(branch), before)
        elif kind in ("ASSERT", "ATOMIC_GROUP"):
            yield from _repeats(list(argument[1] if kind == "ASSERT" else argument), before)
        before += _samples([items[i]])[0]


def _samples(items: list[Any]) -> list[str]:
    """Returns some short texts that these items match."""
    parts = [_of_one(str(name), argument) for name, argument in items]
    texts = ("".join(combination) for combination in itertools.islice(itertools.product(*parts), 8))
    return list(dict.fromkeys(texts)) or [""]


def _of_one(kind: str, argument: Any) -> list[str]:
    if kind == "LITERAL":
        return [chr(argument)]
    if kind in ("NOT_LITERAL", "ANY"):
        return ["a" if argument != ord("a") else "b", " "]
    if kind == "IN":
        return _of_class(argument)
    if kind.endswith("REPEAT"):
        return [sample * max(1, argument[0]) for sample in _samples(list(argument[2]))] if argument[0] else [""]
    if kind == "SUBPATTERN":
        return _samples(list(argument[3]))
    if kind == "ATOMIC_GROUP":
        return _samples(list(argument))
    if kind == "BRANCH":
        return [sample for branch in argument[1] for sample in _samples(list(branch))[:2]][:6]
    return [""]


_CATEGORIES = {"DIGIT": "1", "NOT_DIGIT": "a", "SPACE": " \n", "NOT_SPACE": "a.", "WORD": "a1", "NOT_WORD": " ."}


def _of_class(items: Any) -> list[str]:
    kinds = [str(name) for name, _ in items]
    found = list[str]()
    for name, argument in items:
        if str(name) == "LITERAL":
            found.append(chr(argument))
        elif str(name) == "RANGE":
            found.append(chr(argument[0]))
        elif str(name) == "CATEGORY":
            found += _CATEGORIES.get(str(argument).removeprefix("CATEGORY_"), "")
    if "NEGATE" in kinds:
        return [c for c in 'a1 .-\n"' if c not in found][:3] or ["中"]
    return list(dict.fromkeys(found))[:5] or [""]


# ------------------------------------------------------------------------------------------------------ times


def seconds(pattern: re.Pattern[Any], how: str, text: str) -> float:
    """Returns the processor seconds for one string; infinity if it takes longer than `MOST_SECONDS`."""
    subject = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        begin = time.process_time()
        getattr(pattern, how)(subject)
        return time.process_time() - begin
    except Late:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def slow(pattern: re.Pattern[Any]) -> str:
    """Returns on what a pattern is slower than linear; empty if it is on nothing."""
    handler = signal.signal(signal.SIGVTALRM, _late)
    try:
        return _slow(pattern)
    finally:
        signal.signal(signal.SIGVTALRM, handler)


def _slow(pattern: re.Pattern[Any]) -> str:
    for before, unit in attacks(pattern):
        tries = list(itertools.product(("match", "fullmatch"), WRONG_ENDS))
        longest = before + unit * STEPS[-1]  # a full match tries whatever a match tries, and more
        if all(seconds(pattern, "fullmatch", longest + end) <= NOISE for end in WRONG_ENDS):
            continue
        for how, end in tries:
            if seconds(pattern, how, before + unit * SHORT + end) > NOISE:
                return f"{how} {before!r} + {SHORT} * {unit!r} + {end!r}"
        for how, end in tries:
            times = list[float]()
            for length in STEPS:
                times.append(seconds(pattern, how, before + unit * length + end))
                if times[-1] > NOISE:
                    again = min(times[-1], seconds(pattern, how, before + unit * length + end))
                    if again > STEEPEST * max(times[-2] if times[1:] else 0, NOISE / 100):
                        return f"{how} {before!r} + {length} * {unit!r} + {end!r}: {times}"
    return ""
