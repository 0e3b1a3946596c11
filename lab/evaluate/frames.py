"""The figures of an experiment as a table of pandas, which takes 60 MB and is loaded only where one is made."""

from __future__ import annotations

import html
from typing import Any

import pandas as pd


class Table(pd.DataFrame):  # type: ignore[misc]
    """The figures of an experiment; a notebook shows them with their conclusions."""

    _metadata = ["experiment"]

    @property
    def _constructor(self) -> Any:  # a part of the table is a plain one
        return pd.DataFrame

    def _repr_html_(self) -> str:
        figures = ("difference", "low", "high", "+", "-", "=", "p-value corrected")
        e = self.experiment
        columns = [c for m in e.measures for c in (m, *(f"{m} {name}" for name in figures), e.cutoffs[m])]
        columns_shown = self[["name", *(c for c in dict.fromkeys(columns) if c in self), "ms median"]]
        table = str(columns_shown.to_html(index=False, na_rep="–", float_format=lambda x: f"{x:.4f}", border=0))
        conclusions = [*e.notes, *(text for name, m in e.differences for text in e.told(name, m))]
        return table + "".join(f"<p>{html.escape(text)}</p>" for text in conclusions)
