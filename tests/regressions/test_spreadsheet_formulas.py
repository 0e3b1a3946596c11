"""Exported tables: no text of a document is a formula in a spreadsheet, and reading gives the text back."""

from __future__ import annotations

import argparse
import csv
import io
from typing import Any

import pandas as pd
import pytest
from regressions import load_cases

from lab.cli.printing import Figures, show
from lab.text import rearm
from lab.ui import escape


@pytest.mark.parametrize("case", load_cases("spreadsheet_formulas"))
def test_no_cell_is_a_formula_and_reading_gives_it_back(case: dict[str, Any], capsys: pytest.CaptureFixture[str]):
    cell = case["cell"]
    table = pd.DataFrame({cell: [cell], "n": [-1.5]})
    expected = f"'{cell}" if case["formula"] else cell
    show(argparse.Namespace(csv=True, per_query=False), [Figures({}, lambda: table, lambda: table)], lambda _: None)
    for text in (escape.as_csv(table), capsys.readouterr().out):
        assert list(csv.reader(io.StringIO(text, newline=""))) == [[expected, "n"], [expected, "-1.5"]]
    assert rearm(expected) == cell
