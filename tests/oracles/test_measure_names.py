"""Names of measures: read as ir-measures reads them, with a parser that every Python has."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.evaluate import measures

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir-measures 0.4 reads no names on Python 3.14")

NAMES = st.sampled_from([*sorted(ir_measures.measures.registry), "nothing", "1", "a.b", ""])
VALUES = st.sampled_from(["1", "10", "0.5", "-1", "'exp-log2'", "True", "{0: 0, 1: 2}", "[1]", "x", "1 + 1", ""])
ARGUMENTS = st.lists(
    st.tuples(st.sampled_from(["rel", "dcg", "gains", "p", "cutoff", "judged_only", "beta", ""]), VALUES), max_size=3
)


def text(name: str, arguments: list[tuple[str, str]] | None, cutoff: str | None) -> str:
    listed = "" if arguments is None else f"({', '.join(f'{k}={v}' if k else v for k, v in arguments)})"
    return name + listed + ("" if cutoff is None else f"@{cutoff}")


def theirs(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return read(ir_measures.parse_measure, name)


def read(how: Any, name: str) -> Any:
    """Class and parameters of a measure; None if there is no such measure."""
    try:
        measure = how(name)
    except (NameError, ValueError, AssertionError, TypeError, SyntaxError, KeyError):
        return None
    return type(measure), measure.params


@given(st.builds(text, NAMES, st.none() | ARGUMENTS, st.none() | VALUES))
def test_a_name_is_read_as_ir_measures_reads_it(name: str) -> None:
    assert read(measures._parsed, name) == theirs(name)


@given(st.text(max_size=12))
def test_no_text_is_read_otherwise(name: str) -> None:
    assert read(measures._parsed, name) == theirs(name)


def test_the_names_of_the_lab_are_measures() -> None:
    found = [read(measures._parsed, name) for name in measures.EXAMPLES]
    assert None not in found
    assert found == [theirs(name) for name in measures.EXAMPLES]
