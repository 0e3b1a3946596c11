"""A regular expression that is compiled later is the one that `re.compile` makes."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from lab.patterns import lazy_pattern


@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.IGNORECASE | re.MULTILINE])
def test_it_matches_and_substitutes_as_the_compiled_one(flags: int) -> None:
    source, text = r"(?P<word>[a-z]+)\s*(?:=|是)\s*(\d+)$", "A = 12\nb是3"
    later, compiled = lazy_pattern(source, flags), re.compile(source, flags)
    assert later.pattern == compiled.pattern
    assert [m.groupdict() for m in later.finditer(text)] == [m.groupdict() for m in compiled.finditer(text)]
    assert later.sub("-", text) == compiled.sub("-", text)
    assert (later.flags, later.groups, later.groupindex) == (compiled.flags, compiled.groups, compiled.groupindex)
    for twin in (copy.copy(later), copy.deepcopy(later), pickle.loads(pickle.dumps(later))):
        assert twin.findall(text) == compiled.findall(text)


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    later = lazy_pattern("(")
    assert later.pattern == "("
    with pytest.raises(re.error):
        later.search("x")
    used = lazy_pattern("x")
    assert used.search("x")
    monkeypatch.setattr("lab.patterns.re.compile", lambda *_: pytest.fail("compiled twice"))
    assert used.search("x")
    with pytest.raises(AttributeError):
        lazy_pattern("x").__name__  # noqa: B018
