"""Headings in plain text: chapters by their word, Markdown's signs, numbered titles; never a list or a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each

from lab.reading.headings import headings, paragraphs, sections

lines = st.sampled_from(
    [
        *["", " ", "text", "正文。", "# A", "### C", "#hash", "Chapter 1: X", "chapter two", "第一章 港口", "第二节"],
        *["1. Title", "1.2 标题", "2. Buy milk", "二、请假", "```", "Part of it.", "x" * 500, "3", "附录", "12.5 mm"],
    ]
)


@examples(300)
@given(st.lists(lines, max_size=14).map("\n".join))
def test_sections_hold_all_of_the_text_in_order_but_the_lines_of_headings_that_became_titles(text: str):
    found, parts = headings(text), sections(text)
    assert all(text[h.start : h.end].strip() and "\n" not in text[h.start : h.end] for h in found)
    assert [p.start for p in parts] == sorted(p.start for p in parts)
    held = {i for part in parts for i in range(part.start, part.end)}
    assert sum(part.end - part.start for part in parts) == len(held)
    named = {i for h in found for i in range(h.start, h.end)}
    assert all(i in held or i in named for i, c in enumerate(text) if not c.isspace())
    for heading in found:  # a title that is in no path stands in a text
        assert any(heading.title in p.path or p.start <= heading.start < p.end for p in parts)
    for part in parts:
        assert len(part.path) == part.level
        assert text[part.start : part.end].strip() == text[part.start : part.end]


def told(text: str) -> list[tuple[str, str]]:
    return [(part.title, text[part.start : part.end]) for part in sections(text)]


def test_seven_chapters_are_seven_sections():
    names = ["The harbour", "The keeper", "The storm", "The letter", "The lamp", "The birds", "The ferry"]
    text = "\n\n".join(f"Chapter {i}: {name}\n\nWhat happened in {name}." for i, name in enumerate(names, 1))
    assert told(text) == [(f"Chapter {i}: {name}", f"What happened in {name}.") for i, name in enumerate(names, 1)]


def test_chinese_chapters_sections_and_numbers_are_headings_with_their_path():
    assert told("序。\n第一章 港口\n渡轮。\n第二节\n班次。\n\n第二章：灯塔\n建于。") == [
        ("", "序。"),
        ("第一章 港口", "渡轮。"),
        ("第一章 港口 › 第二节", "班次。"),
        ("第二章：灯塔", "建于。"),
    ]
    assert told("一、总则\n本制度。\n十、附则\n三天。\n十一、解释\n由人事。") == [
        ("一、总则", "本制度。"),
        ("十、附则", "三天。"),
        ("十一、解释", "由人事。"),
    ]


def test_numbered_titles_stand_under_each_other():
    assert told("1 Introduction\nWhy.\n2 Methods\n2.1 Data\nMany.\n2.2 模型\n小。\n3 Results\nGood.") == [
        ("1 Introduction", "Why."),
        ("2 Methods › 2.1 Data", "Many."),
        ("2 Methods › 2.2 模型", "小。"),
        ("3 Results", "Good."),
    ]


@for_each(
    "text",
    [
        "Buy:\n1. Milk\n2. Eggs\n3. Flour\n\nThen go home.",
        "3. Other matters\nNone.\n4. The end\nBye.",
        "1. This is a sentence of a list.\nIt goes on.\n2. This is another one.\nSo does it.",
        "Part of the work is done.\nChapter 3 of the book is good\nSection 5 says so.",
        "第三章讲的是港口，很好看。\n他说。",
        "12.5 mm is the width\n\n13 mm is more",
        "```\n# a comment\n```\ntext",
        "#hash\n#1 of all",
        "",
    ],
)
def test_lists_sentences_and_code_are_no_headings(text: str):
    assert headings(text) == []


def test_a_list_inside_a_numbered_section_ends_nothing():
    text = "1 Setup\nDo:\n1. Open\n2. Close\nDone.\n2 Use\nTurn it on."
    assert [title for title, _ in told(text)] == ["1 Setup", "2 Use"]


def test_a_heading_with_nothing_under_it_is_kept_as_text():
    assert told("# A\n## B\ntext\n# C") == [("A › B", "text"), ("C", "# C")]


def test_a_clause_whose_line_is_its_name_alone_has_its_text_below():
    text = "第一条【押金】\n押金为三个月的房租。\n第二条【租金】\n租金按月支付。\n"
    found = [text[x.start : x.end] for x in headings(text, with_clauses=True)]
    assert found == ["第一条【押金】", "第二条【租金】"]


def test_paragraphs_are_what_blank_lines_part():
    text = "\n One\nmore. \n \n\nTwo.\n"
    assert [text[a:b] for a, b in paragraphs(text)] == ["One\nmore.", "Two."]
    assert list(paragraphs(" \n\n ")) == []
