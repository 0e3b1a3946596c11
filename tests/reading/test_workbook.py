"""Workbooks: what the sheet shows, also in merged cells, in the strict form, below titles and behind escapes."""

from __future__ import annotations

from typing import Any

import pytest
from making import changed, strict, xlsx

from lab.errors import UploadError
from lab.reading.read import ReadResult, read_file
from lab.reading.workbook import unescaped


def rows(result: ReadResult) -> list[tuple[str, dict[str, Any]]]:
    return [(d.text, {k: v for k, v in d.metadata.items() if k != "source"}) for d in result]


def test_a_merged_cell_is_in_every_row_that_it_reaches_over() -> None:
    def merge(book: Any) -> None:
        book["S"].merge_cells("A2:A4")
        book["S"].merge_cells("C3:C4")

    table = [
        ["area", "text", "n"],
        ["North", "Kites fly", 1],
        [None, "Moles dig", 2],
        [None, "Owls see", None],
        ["South", "Hares run", 4],
    ]
    assert rows(read_file("m.xlsx", xlsx({"S": table}, change=merge))) == [
        ("Kites fly", {"area": "North", "n": 1}),
        ("Moles dig", {"area": "North", "n": 2}),
        ("Owls see", {"area": "North", "n": 2}),
        ("Hares run", {"area": "South", "n": 4}),
    ]


def test_a_merged_text_is_one_document() -> None:
    table = [["text", "topic"], ["Kites fly", "x"], [None, "y"], ["Moles dig", "z"]]
    result = read_file("m.xlsx", xlsx({"S": table}, change=lambda book: book["S"].merge_cells("A2:A3")))
    assert [text for text, _ in rows(result)] == ["Kites fly", "Moles dig"]
    assert "merged cell above" in result.problems[0].message


def test_merged_areas_of_each_sheet_are_its_own_and_millions_cost_nothing() -> None:
    def merge(book: Any) -> None:
        book["二"].merged_cells.add("A2:A1048576")

    table = [["区", "正文"], ["北", "风筝高飞"], [None, "鼹鼠挖洞"]]
    result = read_file("m.xlsx", xlsx({"一": table, "二": table}, change=merge))
    assert [m for _, m in rows(result)] == [{"区": "北"}, {}, {"区": "北"}, {"区": "北"}]


@pytest.mark.parametrize(
    "above",
    [
        [["Kites of the club, 2024"], []],
        [["Kites of the club"], ["As of", "2024-05-01"]],
        [[None, "二〇二四年台账"]],
    ],
)
def test_the_names_of_columns_are_found_below_titles(above: list[list[object]]) -> None:
    table = [
        *above,
        ["place", "text", "price", "count"],
        ["north", "Kites are mended", 12, 1],
        ["south", "Kites are sold", 20, 2],
    ]
    assert rows(read_file("b.xlsx", xlsx({"S": table}))) == [
        ("Kites are mended", {"place": "north", "price": 12, "count": 1}),
        ("Kites are sold", {"place": "south", "price": 20, "count": 2}),
    ]


def test_years_name_columns_as_numbers_do() -> None:
    assert rows(read_file("y.xlsx", xlsx({"S": [["text", 2021, 2022], ["Kites sold", 5, 6]]}))) == [
        ("Kites sold", {"2021": 5, "2022": 6})
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("One._x000D_\nTwo.", "One.\r\nTwo."),
        ("a_x0009_b", "a\tb"),
        ("_x005F_x000D_", "_x000D_"),
        ("_xD83D__xDE00_", "😀"),
        ("_x4F60__x597D_", "你好"),
        ("_xyz_ and _x12_", "_xyz_ and _x12_"),
    ],
)
def test_the_notation_of_the_format_is_undone(written: str, meant: str) -> None:
    assert unescaped(written) == meant


def test_escapes_in_cells_and_in_names_of_columns_are_undone() -> None:
    book = xlsx({"S": [["text", "a_x0020_b"], ["Kites._x000A_Moles.", "x_x0021_"]]})
    assert rows(read_file("e.xlsx", book)) == [("Kites.\nMoles.", {"a b": "x!"})]


def test_the_strict_form_is_read() -> None:
    assert rows(read_file("s.xlsx", strict(xlsx({"S": [["id", "text"], [1, "Kites fly"]]})))) == [("Kites fly", {})]


def test_hidden_sheets_are_left_out_and_the_number_of_rows_is_said() -> None:
    def hide(book: Any) -> None:
        book["H"].sheet_state = "veryHidden"

    result = read_file(
        "h.xlsx", xlsx({"S": [["text"], ["Kites"], ["Moles"]], "H": [["text"], ["SECRET"]]}, change=hide)
    )
    assert [text for text, _ in rows(result)] == ["Kites", "Moles"]
    assert result.files[0].text == "2 rows"


def test_a_workbook_of_hidden_sheets_is_refused_for_that() -> None:
    with pytest.raises(UploadError, match="All sheets of “h.xlsx” are hidden"):
        read_file("h.xlsx", changed(xlsx({"S": [["text"], ["Kites"]]}), "xl/workbook.xml", hidden))


def hidden(xml: bytes) -> bytes:
    return xml.replace(b'state="visible"', b'state="hidden"')
