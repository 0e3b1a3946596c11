"""Numbers, units, ranges and days as people write them, in Chinese and English: 两万五, 20k, 三到五年, last month.

The only reader of them.  Answers, uploads, filters and questions to databases read other things (a claim in running
text, a whole cell, the meaning of a word), but numbers in words, units, months and dates are the same everywhere:

- `notation`: a number in digits with all that touches it: groups, decimals, exponents, fractions;
- `numbers`: plain decimals and amounts in cells, Han and English numbers, ordinals;
- `units`: how units are written, what they measure, and how they convert;
- `dates`: months, days of the week, times; dates that are a whole value, as in a cell or in a filter;
- `amounts` and `days`: what a question says at one place, a number or a range with its unit, a stretch of days;
- `claimed_numbers` and `claimed_days`: all numbers and dates of running text; `claims`: whether two mean the same.

Everything here is a pure function of a text (and, for days, of what "today" is).
"""

from __future__ import annotations

from lab.text.quantities.amounts import Quantity, quantities, read_quantity
from lab.text.quantities.days import Days, read_days, read_shift, written_days
from lab.text.quantities.numbers import english_number, han_number, read_number
from lab.text.quantities.units import UNITS, convert, is_unit, measure, read_unit

__all__ = [
    "UNITS",
    "Days",
    "Quantity",
    "convert",
    "english_number",
    "han_number",
    "is_unit",
    "measure",
    "quantities",
    "read_days",
    "read_number",
    "read_quantity",
    "read_shift",
    "read_unit",
    "written_days",
]
