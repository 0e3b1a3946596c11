"""Word files: all that a reader of the final document sees, in its place, under its headings."""

from __future__ import annotations

import pytest
from making import docx, p, r, strict, style, tbl, tc, tr, word

from lab.reading.read import ReadResult, read_file


def texts(body: str, **more: object) -> list[str]:
    return [d.text for d in read_file("f.docx", word(body, **more))]  # type: ignore[arg-type]


def titles(result: ReadResult) -> list[tuple[str, str]]:
    return [(d.title, d.text) for d in result]


DATE = '<w:fldSimple w:instr="DATE"><w:r><w:t>12 May</w:t></w:r></w:fldSimple>'


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (p("Rent is ", f"<w:del>{r('40')}</w:del>", f"<w:ins>{r('65')}</w:ins>", " euros."), "Rent is 65 euros."),
        (f"<w:ins>{p('Bins go out on Friday.')}</w:ins>", "Bins go out on Friday."),
        (p("Key ", f"<w:moveFrom>{r('HERE')}</w:moveFrom>", f"<w:moveTo>{r('THERE')}</w:moveTo>"), "Key THERE"),
        (
            p("joined ", more='<w:rPr><w:del w:id="1"/></w:rPr>') + p("to this"),
            "joined to this",
        ),
        (p("No. ", f"<w:sdt><w:sdtContent>{r('QX-7')}</w:sdtContent></w:sdt>"), "No. QX-7"),
        (f"<w:sdt><w:sdtContent>{p('整段的控件')}</w:sdtContent></w:sdt>", "整段的控件"),
        (p("Due ", DATE), "Due 12 May"),
        (p(f"<w:smartTag>{r('Oslo')}</w:smartTag>", f"<w:hyperlink>{r(' now')}</w:hyperlink>"), "Oslo now"),
        (p(f"<w:bdo>{r('left')}</w:bdo>", f"<w:customXml>{r(' tag')}</w:customXml>"), "left tag"),
        (p("Seen ", r("SECRET", "<w:vanish/>"), r("too", '<w:vanish w:val="0"/>')), "Seen too"),
        (p("a", "<w:r><w:sym w:font='Arial' w:char='2713'/></w:r>", "<w:r><w:cr/></w:r>", "b"), "a✓\nb"),
        (
            p("<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>"),
            "a/b",
        ),
        (
            p(
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
                "<w:r><w:instrText> PAGEREF x </w:instrText></w:r>",
                '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
                "see 7",
                '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
            ),
            "see 7",
        ),
    ],
)  # fmt: skip
def test_all_text_that_is_seen_is_read_and_no_other(paragraph: str, text: str) -> None:
    assert texts(paragraph) == [text]


BOX = "<w:txbxContent>" + p("In the box") + "</w:txbxContent>"
NEW = f"<w:drawing><a:graphic><wps:wsp><wps:txbx>{BOX}</wps:txbx></wps:wsp></a:graphic></w:drawing>"
OLD = f"<w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict>"


@pytest.mark.parametrize(
    "box",
    [
        f"<mc:AlternateContent><mc:Choice>{NEW}</mc:Choice><mc:Fallback>{OLD}</mc:Fallback></mc:AlternateContent>",
        f"<mc:AlternateContent><mc:Choice>{NEW}</mc:Choice></mc:AlternateContent>",
        OLD,
    ],
)
def test_the_text_of_a_text_box_is_read_once(box: str) -> None:
    assert texts(p("Before", f"<w:r>{box}</w:r>")) == ["Before\nIn the box"]


def test_notes_stand_behind_the_paragraph_that_refers_to_them() -> None:
    note = p("<w:r><w:footnoteRef/></w:r>", "Rock salt.")
    notes = f'<w:footnotes W><w:footnote w:id="2">{note}</w:footnote></w:footnotes>'
    body = p("Salt", '<w:r><w:footnoteReference w:id="2"/></w:r>', " melts ice.") + p("Next.")
    assert texts(body, parts={"word/footnotes.xml": notes}) == ["Salt melts ice.\nRock salt.\nNext."]


DOWN = '<w:vMerge w:val="restart"/>'


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (tbl(tr("Day", "Open"), tr("", "8"), tr("Tue", "")), "Day | Open\n| 8\nTue |"),
        (tbl(tr("Room", "Day", "Open"), tr("Hall", "", "8")), "Room | Day | Open\nHall |  | 8"),
        (tbl(tr("区", "月"), tr(tc("北", DOWN), "五"), tr(tc("", "<w:vMerge/>"), "六")), "区 | 月\n北 | 五\n北 | 六"),
        (tbl(tr("a", "b", "c"), tr(tc("wide", '<w:gridSpan w:val="2"/>'), "6")), "a | b | c\nwide |  | 6"),
        (tbl(tr("a", "b"), tr("2", more='<w:gridBefore w:val="1"/>')), "a | b\n| 2"),
        (tbl(tr("a", "b"), f"<w:sdt><w:sdtContent>{tr('c', 'd')}</w:sdtContent></w:sdt>"), "a | b\nc | d"),
        (tbl(tr("a", f"<w:sdt><w:sdtContent>{tc('b')}</w:sdtContent></w:sdt>")), "a | b"),
        (tbl(tr("a", "b"), tr("gone", "gone", more="<w:del/>")), "a | b"),
        (tbl(tr(f"<w:tc>{tbl(tr('n1', 'n2'))}<w:p/></w:tc>", "z")), "n1 n2 | z"),
    ],
)  # fmt: skip
def test_a_cell_never_moves_another_one(table: str, text: str) -> None:
    assert texts(table) == [text]


HEADING = style("H1", "heading 1", more='<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')


@pytest.mark.parametrize(
    ("styles", "used", "own"),
    [
        (HEADING + style("Mine", "My chapter", based_on="H1"), "Mine", ""),
        (HEADING + style("Mine", "甲", based_on="Other") + style("Other", "乙", based_on="H1"), "Mine", ""),
        (style("Mine", "甲", more='<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'), "Mine", ""),
        ("", "", '<w:outlineLvl w:val="0"/>'),
        (style("a3", "标题 1"), "a3", ""),
        ("", "Heading1", ""),
    ],
)
def test_a_heading_is_what_the_file_says_it_is(styles: str, used: str, own: str) -> None:
    body = p("Enrolment", style=used, more=own) + p("Until Friday.") + p("费用", style=used, more=own) + p("十二元。")
    result = read_file("course.docx", word(body, styles=styles))
    assert titles(result) == [("course › Enrolment", "Until Friday."), ("course › 费用", "十二元。")]


def test_a_level_of_body_text_takes_a_heading_back() -> None:
    body = p("Only looks", style="H1", more='<w:outlineLvl w:val="9"/>') + p("like one.")
    assert titles(read_file("a.docx", word(body, styles=HEADING))) == [("a", "Only looks\nlike one.")]


def test_styles_that_are_based_on_each_other_end_no_reading() -> None:
    styles = style("A", "甲", based_on="B") + style("B", "乙", based_on="A")
    assert texts(p("Text.", style="A"), styles=styles) == ["Text."]


def test_the_title_stands_above_the_chapters_and_is_never_lost() -> None:
    styles = HEADING + style("T", "Title") + style("T2", "我的标题", based_on="T")
    for title in ("T", "T2"):
        body = (
            p("差旅办法", style=title)
            + p("第一章", style="H1")
            + p("全体员工。")
            + p("第二章", style="H1")
            + p("四百元。")
        )
        assert titles(read_file("x.docx", word(body, styles=styles))) == [
            ("差旅办法 › 第一章", "全体员工。"),
            ("差旅办法 › 第二章", "四百元。"),
        ]
    assert titles(read_file("x.docx", word(p("Only a name", style="T"), styles=styles))) == [
        ("Only a name", "Only a name")
    ]
    late = p("First.") + p("Late name", style="T") + p("Second.")
    assert titles(read_file("x.docx", word(late, styles=styles))) == [("x", "First."), ("x › Late name", "Second.")]


def test_the_files_own_title_stands_above_unless_a_program_wrote_it() -> None:
    assert [d.title for d in read_file("m.docx", docx("# A", "one", "# B", "two", title="Manual"))] == [
        "Manual › A",
        "Manual › B",
    ]
    assert [d.title for d in read_file("m.docx", docx("one", title="Microsoft Word - x.doc"))] == ["m"]
    assert [d.title for d in read_file("m.docx", docx("# Plan", "one", title="Plan"))] == ["Plan"]


def test_the_strict_form_and_names_with_backslashes_are_read() -> None:
    assert [d.text for d in read_file("s.docx", strict(word(p("Strict text."))))] == ["Strict text."]


def test_what_was_read_is_said_in_one_line() -> None:
    body = p("A", "<w:r><w:pict><v:shape><v:imagedata/></v:shape></w:pict></w:r>") + tbl(tr("a", "b"))
    (summary,) = read_file("f.docx", word(body)).files
    assert summary.text == "1 section, 1 table, 1 picture without text"


def test_a_part_in_another_format_is_said() -> None:
    (problem,) = read_file("f.docx", word(p("Here.") + "<w:altChunk/>")).problems
    assert "embedded in another format" in problem.message
