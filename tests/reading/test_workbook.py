"""Workbooks: what the sheet shows, also in merged cells, in the strict form, below titles and behind escapes."""

from __future__ import annotations

import datetime
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
    [[["Kites of the club, 2024"], []], [["Kites of the club"], ["As of", "2024-05-01"]], [[None, "二〇二四年台账"]]],
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


# ----------------------------------------------------------------------------------- what a sheet shows


def formatted(code: str, value: object) -> object:
    """The field of a cell with this number format."""

    def change(book: Any) -> None:
        book["S"]["B2"].number_format = code

    result = read_file("f.xlsx", xlsx({"S": [["text", "x"], ["Kites fly", value]]}, change=change))
    return result.documents[0].metadata.get("x")


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("00000", 6108, "06108"),
        ("000-0000", 5550123, "555-0123"),
        ('"EMP-"000', 7, "EMP-007"),
        ("0%", 0.15, "15%"),
        ("0.00%", 0.075, "7.50%"),
        ("[h]:mm", datetime.timedelta(hours=36, minutes=5), "36:05"),
        ("[h]:mm:ss", datetime.timedelta(hours=100, seconds=9), "100:00:09"),
        ("[mm]:ss", datetime.timedelta(minutes=90), "90:00"),
        ("aaaa", 45322, "星期三"),
        ("[$-804]dddd", datetime.datetime(2024, 1, 31), "星期三"),
        ("dddd", datetime.datetime(2024, 1, 31), "Wednesday"),
        ("h:mm", datetime.time(9, 30), "09:30"),
        ("yyyy-mm-dd", datetime.datetime(2024, 1, 31), "2024-01-31"),
        ("#,##0.00", 1234.5, 1234.5),
        ("0.00", 2.5, 2.5),
    ],
)
def test_a_cell_is_read_as_its_format_shows_it_where_that_changes_what_is_meant(
    code: str, value: object, shown: object
) -> None:
    assert formatted(code, value) == shown


def test_ids_keep_the_zeros_that_the_sheet_shows() -> None:
    def change(book: Any) -> None:
        for row in (2, 3):
            book["表"].cell(row, 1).number_format = "00000"

    table = [["编号", "正文"], [501, "风筝高飞"], [502, "鼹鼠挖洞"]]
    assert [d.id for d in read_file("z.xlsx", xlsx({"表": table}, change=change))] == ["00501", "00502"]


def test_hidden_rows_columns_and_sheets_are_left_out_and_named() -> None:
    def hide(book: Any) -> None:
        book["S"].row_dimensions[3].hidden = True
        book["S"].column_dimensions["B"].hidden = True
        book["H"].sheet_state = "hidden"

    table = [["text", "salary", "town"], ["Kites fly", 1, "Oslo"], ["Moles dig", 2, "Kiel"], ["Reels turn", 3, "Bari"]]
    result = read_file("h.xlsx", xlsx({"S": table, "H": [["text"], ["SECRET"]]}, change=hide))
    assert rows(result) == [("Kites fly", {"town": "Oslo"}), ("Reels turn", {"town": "Bari"})]
    remarks = "\n".join(map(str, result.problems))
    assert "Hidden sheets were left out: H." in remarks
    assert "Hidden rows were left out: 3." in remarks
    assert "Hidden columns were left out: B." in remarks


@pytest.mark.parametrize("column", ["price", "text"])
def test_formulas_without_a_result_are_named_as_such(column: str) -> None:
    table: list[list[object]] = [["text", "price"], ["Kites fly", 2], ["Moles dig", 3]]
    table[1][["text", "price"].index(column)] = '="Reels "&"turn"'
    result = read_file("f.xlsx", xlsx({"S": table}))
    assert any("Formulas without a stored result: 1" in str(p) and "save it there" in str(p) for p in result.problems)
