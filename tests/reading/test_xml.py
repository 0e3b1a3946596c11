"""XML and what is almost XML: nothing behind the first root is lost, and a sign that is no tag stays."""

from __future__ import annotations

import pytest

from lab.reading.read import ReadResult, read_file


def read(xml: str, name: str = "f.xml") -> ReadResult:
    return read_file(name, xml.encode())


def texts(xml: str, name: str = "f.xml") -> list[tuple[str, str, str]]:
    return [(d.id, d.title, d.text) for d in read(xml, name)]


TREC = """
<DOC>
<DOCNO> HB-1 </DOCNO>
<HEAD>Tents</HEAD>
<TEXT>
Tents are aired in May.
</TEXT>
</DOC>
<DOC>
<DOCNO> HB-2 </DOCNO>
<HEAD>Ferry</HEAD>
<TEXT>
The ferry leaves at noon.
</TEXT>
</DOC>
"""


@pytest.mark.parametrize("name", ["trec.xml", "trec.sgml", "FT911_1"])
def test_all_roots_are_read(name: str) -> None:
    stem = name.split(".")[0]
    assert texts(TREC, name) == [
        ("HB-1", f"{stem} › Tents", "Tents are aired in May."),
        ("HB-2", f"{stem} › Ferry", "The ferry leaves at noon."),
    ]


def test_tags_that_are_never_closed_and_references_to_no_character_lose_nothing() -> None:
    body = '<!DOCTYPE l SYSTEM "l.dtd">' + "".join(
        f"<REUTERS ID={n}><TEXT>&#2;\n<TITLE>{title}</TITLE><BODY><P>Oil & gas.<P>Up.\n&#3;</BODY></TEXT></REUTERS>"
        for n, title in ((1, "STEEL"), (2, "COCOA"))
    )
    assert [d.text for d in read(body)] == ["STEEL\nOil & gas.\nUp.", "COCOA\nOil & gas.\nUp."]


def test_files_that_were_joined_are_read_one_by_one_with_the_words_between_them() -> None:
    head = '<?xml version="1.0"?>'
    joined = f"{head}<note><to>Ann</to><body>Lamps are lit.</body></note>{head}<memo><body>Bins.</body></memo>the end"
    assert [d.text for d in read(joined)] == ["Ann\nLamps are lit.", "Bins.", "the end"]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("Tom & Jerry", "Tom & Jerry"),
        ("AT&T, R&amp;D, caf&eacute;, &unknown;", "AT&T, R&D, café, &unknown;"),
        ("if a < b then <post@host.org> writes", "if a < b then <post@host.org> writes"),
        ("say <![CDATA[<q & a>]]> & go", "say <q & a> & go"),
        ("one<br>two<br>three", "one two three"),
    ],
)
def test_a_sign_that_is_no_tag_stays_as_text(written: str, seen: str) -> None:
    assert [d.text for d in read(f"<all><p>{written}</p><p>tail &</p></all>")] == [f"{seen}\ntail &"]


def test_the_beginning_of_a_file_that_was_cut_is_read() -> None:
    cut = "<rss><channel><title>News</title><item><title>A</title><text>One.</text></item><item><text>Two is cu"
    assert [d.text for d in read(cut)] == ["One.", "Two is cu"]


def test_html_in_elements_and_in_attributes_is_read_as_html() -> None:
    posts = (
        '<posts><row Id="1" Title="Knots" Tags="&lt;c#&gt;" Body="&lt;p&gt;A &lt;b&gt;bowline&lt;/b&gt;.&lt;/p&gt;"/>'
        '<row Id="2" Title="Noon" Tags="&lt;html&gt;" Body="&lt;p&gt;Tom &amp;amp; Ann.&lt;/p&gt;"/></posts>'
    )
    assert texts(posts) == [("1", "f › Knots", "A bowline."), ("2", "f › Noon", "Tom & Ann.")]
    assert [d.metadata["Tags"] for d in read(posts)] == [["<c#>"], ["<html>"]]  # no tag of html is closed there


def test_a_text_about_tags_stays() -> None:
    pages = "<pages><page><title>A</title><text>Write &lt;name&gt; first.</text></page></pages>"
    assert [d.text for d in read(pages)] == ["Write <name> first."]


def test_feeds_mix_kinds_of_html_and_of_texts() -> None:
    xhtml = '<div xmlns="http://www.w3.org/1999/xhtml"><p>One 10<sup>5</sup></p><p>Two</p></div>'
    first = f'<entry><title type="html">Tom &amp;amp; J</title><content type="xhtml">{xhtml}</content></entry>'
    second = "<entry><title>B</title><summary>&lt;p&gt;Short&lt;/p&gt;</summary></entry>"
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>N</title>{first}{second}</feed>'
    assert [(d.title, d.text) for d in read(atom)] == [("N › Tom & J", "One 10⁵\n\nTwo"), ("N › B", "Short")]
    item = "<item><title>A</title><description>Fish &amp;amp; chips</description></item>"
    assert [d.text for d in read(f"<rss><channel><title>N</title>{item}</channel></rss>")] == ["Fish & chips"]


def test_exponents_in_a_paragraph_and_names_with_a_prefix_that_is_never_declared() -> None:
    article = "<article><p>Up to 10<sup>5</sup> <italic>cells</italic>, H<sub>2</sub>O.</p><p>Two.</p></article>"
    assert [d.text for d in read(article)] == ["Up to 10⁵ cells, H₂O.\nTwo."]
    items = "".join(f"<a:item><dc:title>{n}</dc:title><dc:text>Text {n}.</dc:text></a:item>" for n in ("One", "Two"))
    read_items = [text[1:] for text in texts(f"<a:items>{items}</a:items>")]
    assert read_items == [("f › One", "Text One."), ("f › Two", "Text Two.")]
