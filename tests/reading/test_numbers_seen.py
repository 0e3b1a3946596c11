"""Numbers that a page shows and its file does not spell: of lists and headings, exponents, marks of notes."""

from __future__ import annotations

import pytest
from making import docx, p, r, style, word

from lab.reading.read import read_file


def html(body: str) -> str:
    return read_file("f.html", f"<html><body>{body}</body></html>".encode()).documents[0].text


def markdown(text: str) -> str:
    return read_file("f.md", text.encode()).documents[0].text


# ------------------------------------------------------------------------------------------ raised and lowered


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("10<sup>5</sup> cells, 3.2<sup>1</sup> metres", "10⁵ cells, 3.2¹ metres"),
        ("10<sup>-3</sup>, 10<sup>−12</sup>, x<sup>n</sup>, m<sup>2</sup>", "10⁻³, 10⁻¹², xⁿ, m²"),
        ("10<sup>6.5</sup>, 2<sup>k</sup>, 2<sup>x+1</sup>", "10^6.5, 2^k, 2^(x+1)"),
        ("e<sup>-x</sup>, (x+1)<sup>2</sup>", "e^(-x), (x+1)²"),
        ("the 1<sup>st</sup>, 2<sup>e</sup> M<sup>me</sup>, Atmos<sup>TM</sup>", "the 1st, 2e Mme, Atmos™"),
        ("in 2019<sup>3</sup>, 2020<sup>3,4</sup>, 2021<sup>[5]</sup>", "in 2019³, 2020³,⁴, 2021[5]"),
        ('2019<sup><a href="#fn3">3</a></sup>, 2020<a href="#_ftn4"><sup>4</sup></a>', "2019[3], 2020[4]"),
        ('2021<a class="footnote-ref" href="#fn5">5</a>, see <a href="#note-1">the note</a>', "2021[5], see the note"),
        ("<sup>1</sup>2019 was wet", "1 2019 was wet"),
        ('10<span style="vertical-align: super">6</span>', "10⁶"),
        ("H<sub>2</sub>O, T<sub>max</sub>, SO<sub>4</sub><sup>2-</sup>", "H₂O, Tmax, SO₄²⁻"),
        ('2022<sup><a href="#note1">注1</a></sup>, 7<sup>a,b</sup>', "2022[注1], 7a,b"),
        ('3<span class="sup">2</span>', "3²"),
        ("<math><msup><mn>10</mn><mn>5</mn></msup></math>", "10⁵"),
        ("<table><tr><td>10<sup>5</sup></td><td>m<sup>3</sup></td></tr></table>", "10⁵ | m³"),
    ],
)  # fmt: skip
def test_no_exponent_and_no_note_makes_another_number(markup: str, text: str) -> None:
    assert html(f"<p>{markup}</p>") == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("10<sup>5</sup> cells, 10^6^ litres, H~2~O", "10⁵ cells, 10⁶ litres, H₂O"),
        ("10^5 and ~5 to ~6 and 2^10 stay, `10^6^` too", "10^5 and ~5 to ~6 and 2^10 stay, 10^6^ too"),
        ("~~gone~~ and x^2^", "gone and x²"),
    ],
)
def test_markdown_has_signs_for_superscripts(text: str, seen: str) -> None:
    assert markdown(text) == seen


UP, DOWN = (f'<w:vertAlign w:val="{w}script"/>' for w in ("super", "sub"))


def test_superscripts_of_word_stay_superscripts_also_by_their_style_and_in_several_runs() -> None:
    power = style("Power", "Power", more=f"<w:rPr>{UP}</w:rPr>").replace('"paragraph"', '"character"')
    body = p("10", r("5", UP), " or 10", r("-", UP), r("3", UP), " or 10", r("6", '<w:rStyle w:val="Power"/>'))
    body += p("H", r("2", DOWN), "O in 2019", r("3", UP))
    assert read_file("f.docx", word(body, styles=power)).documents[0].text == "10⁵ or 10⁻³ or 10⁶\nH₂O in 2019³"


# ------------------------------------------------------------------------------------------------- lists of html


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ol><li>one<li value=7>seven<li>eight</ol>", "1. one\n7. seven\n8. eight"),
        ("<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
        ("<ol reversed start=9 type=I><li>x<li>y</ol>", "IX. x\nVIII. y"),
        ("<ol type=a start=26><li>z<li>next</ol>", "z. z\naa. next"),
        ('<ol style="list-style-type: lower-roman"><li>x<li>y</ol>', "i. x\nii. y"),
        ("<ol style='list-style:none'><li>bare</ol>", "bare"),
        ("<ol start=0><li>x<ol type=A><li>in</ol><li>y</ol>", "0. x\nA. in\n1. y"),
    ],
)
def test_items_of_html_have_the_number_that_is_shown(markup: str, text: str) -> None:
    assert html(markup) == text


# ------------------------------------------------------------------------------------------------- lists of Word


def lvl(at: int, text: str, format: str = "decimal", more: str = "") -> str:
    looks = f'<w:start w:val="1"/><w:numFmt w:val="{format}"/>{more}<w:lvlText w:val="{text}"/>'
    return f'<w:lvl w:ilvl="{at}">{looks}</w:lvl>'


def numbering(*levels: str, nums: str = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>') -> dict[str, str]:
    definition = f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>'
    return {"word/numbering.xml": f"<w:numbering W>{definition}{nums}</w:numbering>"}


def item(text: str, at: int = 0, list: int = 1) -> str:
    return p(text, more=f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{list}"/></w:numPr>')


def lines(body: str, parts: dict[str, str], styles: str = "") -> list[str]:
    return [line for d in read_file("f.docx", word(body, parts=parts, styles=styles)) for line in d.text.split("\n")]


def test_levels_of_word_count_on_and_begin_again() -> None:
    body = item("Deposit") + item("Sum", 1) + item("Return", 1) + p("Between.") + item("Keys") + item("Loss", 1)
    levels = lvl(0, "%1."), lvl(1, "%1.%2")
    assert lines(body, numbering(*levels)) == [
        "1. Deposit", "1.1 Sum", "1.2 Return", "Between.", "2. Keys", "2.1 Loss",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "text", "seen"),
    [
        ("chineseCounting", "第%1条", ["第一条 a", "第二条 b"]),
        ("chineseCountingThousand", "%1、", ["一、 a", "二、 b"]),
        ("lowerLetter", "(%1)", ["(a) a", "(b) b"]),
        ("upperRoman", "Art. %1", ["Art. I a", "Art. II b"]),
        ("decimalZero", "%1", ["01 a", "02 b"]),
        ("decimalEnclosedCircle", "%1", ["① a", "② b"]),
        ("ideographTraditional", "%1", ["甲 a", "乙 b"]),
        ("bullet", "\uf0b7", ["• a", "• b"]),
        ("bullet", "–", ["– a", "– b"]),
        ("none", "", ["a", "b"]),
    ],
)
def test_formats_of_word(format: str, text: str, seen: list[str]) -> None:
    assert lines(item("a") + item("b"), numbering(lvl(0, text, format))) == seen


def test_lists_of_one_definition_count_on_unless_one_restarts() -> None:
    num = '<w:num w:numId="{}"><w:abstractNumId w:val="0"/>{}</w:num>'
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'
    parts = numbering(lvl(0, "%1."), nums=num.format(1, "") + num.format(2, "") + num.format(3, restart))
    body = item("a") + item("b", list=2) + item("c", list=3) + item("d", list=3) + item("none", list=0)
    assert lines(body, parts) == ["1. a", "2. b", "5. c", "6. d", "none"]


def test_legal_numbers_and_levels_that_never_begin_again() -> None:
    levels = lvl(0, "%1", "upperRoman"), lvl(1, "%1.%2", more='<w:lvlRestart w:val="0"/><w:isLgl/>')
    body = item("A") + item("x", 1) + item("B") + item("y", 1)
    assert lines(body, numbering(*levels)) == ["I A", "1.1 x", "II B", "2.2 y"]


def test_numbers_of_styles_stand_in_headings_and_their_paths() -> None:
    number = '<w:pPr><w:numPr>{}<w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = style("Heading1", "heading 1", more=number.format("")) + style(
        "Heading2", "heading 2", more=number.format('<w:ilvl w:val="1"/>')
    )
    levels = lvl(0, "%1", more='<w:pStyle w:val="Heading1"/>'), lvl(1, "%1.%2", more='<w:pStyle w:val="Heading2"/>')
    body = p("Rent", style="Heading1") + p("Sum", style="Heading2") + p("65 euros.") + p("Keys", style="Heading1")
    result = read_file("f.docx", word(body + p("Two."), styles=styles, parts=numbering(*levels)))
    assert [(d.title, d.text) for d in result] == [("f › 1 Rent › 1.1 Sum", "65 euros."), ("f › 2 Keys", "Two.")]


def test_the_usual_styles_of_lists() -> None:
    def change(document: object) -> None:
        for text, name in (("Ask", "List Number"), ("Pay", "List Number"), ("Soap", "List Bullet")):
            document.add_paragraph(text, style=name)  # type: ignore[attr-defined]

    assert read_file("f.docx", docx("Do:", change=change)).documents[0].text == "Do:\n1. Ask\n2. Pay\n• Soap"
