#!/bin/sh
# openpyxl gives a date whose cell has the number format "aaaa" as a bare serial number.
# aaa and aaaa are the weekday formats of spreadsheets in Chinese and Japanese (周三, 星期三), as ddd and
# dddd are in English.  The same cell with dddd is a datetime, with aaaa an int, so a reader that takes dates from
# openpyxl finds 45322 where the sheet shows 星期三.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openpyxl==3.1.5 et_xmlfile==2.0.0
"$folder/venv/bin/python" - "$folder/days.xlsx" <<'PYTHON'
import sys

import openpyxl
from openpyxl.styles.numbers import is_date_format

print("openpyxl", openpyxl.__version__)
path = sys.argv[1]
book = openpyxl.Workbook()
for row, code in enumerate(("dddd", "aaaa", "[$-804]aaaa;@", 'yyyy"年"m"月"d"日" aaaa'), 1):
    book.active.cell(row, 1, 45322).number_format = code  # 31 January 2024, a Wednesday
book.save(path)
seen = []
for (cell,) in openpyxl.load_workbook(path).active.iter_rows():
    seen.append(type(cell.value).__name__)
    print(f"{cell.number_format!r}: {cell.value!r}, is_date_format {is_date_format(cell.number_format)}")
if seen != ["datetime", "int", "int", "datetime"]:
    print("The behaviour has changed:", seen)
    sys.exit(1)
print("A date under dddd is a datetime; under aaaa, the Chinese and Japanese weekday, it is a number.")
PYTHON
