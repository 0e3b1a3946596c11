"""Broken and hostile files: each gives a clear message, the good files beside it survive, and search goes on."""

from __future__ import annotations

import json
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from making import changed, docx, flagged_as_encrypted, jsonl, locked_pdf, lying, pdf, xlsx, zipped
from night import for_each, nightly, spread

from lab.algebra import Corpus
from lab.errors import UploadError
from lab.reading.read import Limits, ReadResult, read_file, read_files
from lab.reading.uploads import MB
from lab.retrieve.lexical import BM25

ZH = "员工请假应提前三天向直属主管提出申请，经批准后方可生效。差旅费用须在返回后十四天内报销，逾期不予受理。"
TW = "員工請假應於三日前向直屬主管提出申請，經核准後方可生效。差旅費用須於返回後十四天內報銷，逾期不予受理。"
EN = "The headset blinks red twice when the battery is empty; charge it for two hours."
GOOD = ("good.txt", "打印机卡纸时，先关闭电源，再打开后盖取出纸张。 The printer shows E21.".encode())

noise = Random(7).randbytes
png = b"\x89PNG\r\n\x1a\n" + noise(2000)


@dataclass(frozen=True)
class Bad:
    """A file of which nothing can be read, and what the message says."""

    name: str
    file: str
    make: Callable[[], bytes]
    says: str
    limits: Limits = Limits()


@dataclass(frozen=True)
class Odd:
    """A file read in part or with a remark: how many documents, a text that is there, what is said ("": nothing)."""

    name: str
    file: str
    make: Callable[[], bytes]
    documents: int
    holds: str
    says: str = ""
    never: str = ""
    limits: Limits = Limits()


def bomb() -> bytes:
    return zipped({"zeros.txt": b"a" * (30 * MB)})


def many_layers() -> bytes:
    """Members that share one packed stream would be one way; here: many members, each modest."""
    return zipped({f"{i}.txt": noise(40_000).hex() for i in range(30)})


def false_sizes() -> bytes:
    return lying(zipped({"a.txt": b"a" * (5 * MB)}), 100)


def wrong_checksum() -> bytes:
    archive = bytearray(zipped({"a.txt": EN * 3, "b.txt": ZH}, compression=zipfile.ZIP_STORED))
    at = archive.find(b"headset")
    archive[at : at + 7] = b"HEADSET"
    return bytes(archive)


def billion_laughs() -> bytes:
    entities = (
        b"<!DOCTYPE x [<!ENTITY a '"
        + b"ha" * 50
        + b"'>"
        + b"".join(b"<!ENTITY %c '%s'>" % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9))
        + b"]>"
    )
    return changed(
        docx(EN),
        "word/document.xml",
        lambda xml: xml.replace(b"<w:document", entities + b"<w:document", 1).replace(EN[:4].encode(), b"&j;"),
    )


def xlsx_entities() -> bytes:
    return changed(
        xlsx({"a": [["text"], [EN]]}),
        "xl/workbook.xml",
        lambda xml: b'<?xml version="1.0"?><!doctype x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + xml,
    )


def pdf_bomb() -> bytes:
    return pdf("x", content=b"(" + b"a" * (60 * MB) + b") Tj", packed=True)


def endless_pdf() -> bytes:
    return pdf(*["x"] * 20, content=b"BT /F1 12 Tf " + b"(ab) Tj " * 100_000 + b"ET", packed=True)


def overfull_pdf() -> bytes:
    return pdf("x", content=b"BT /F1 12 Tf " + b"0 0 0 rg " * 400_000 + b"ET", packed=True)


def spans_millions() -> bytes:
    def change(document: object) -> None:
        cell = document.add_table(1, 1).cell(0, 0)  # type: ignore[attr-defined]
        cell.text = "wide cell"
        cell._tc.grid_span = 50_000_000

    return docx(EN, change=change)


def merged(book: object) -> None:
    book.worksheets[0].merge_cells("A2:A3")  # type: ignore[attr-defined]


BAD = [
    Bad("an empty file", "empty.txt", lambda: b"", "is empty"),
    Bad("only blanks", "blank.txt", lambda: b" \n\t \r\n" * 50, "is empty"),
    Bad("only a byte order mark", "mark.txt", lambda: b"\xef\xbb\xbf", "is empty"),
    Bad("only NUL bytes", "nul.txt", lambda: b"\0" * 5000, "is empty"),
    Bad("only control characters", "bells.txt", lambda: b"\x07\x08\x01" * 100, "not text"),
    Bad("only invisible characters", "invisible.txt", lambda: "\u202e\u2066\ufeff".encode() * 9, "no text"),
    Bad("random bytes", "random.txt", lambda: noise(50_000), "not text"),
    Bad("random bytes as csv", "random.csv", lambda: noise(50_000), "not text"),
    Bad("a picture named txt", "notes.txt", lambda: png, "a picture"),
    Bad("a picture named pdf", "scan.pdf", lambda: png, "a picture"),
    Bad("a picture named docx", "scan.docx", lambda: png, "a picture"),
    Bad("a program", "setup.txt", lambda: b"MZ\x90\0\3\0\0\0" + noise(500), "a program"),
    Bad("a gzip archive", "corpus.jsonl", lambda: b"\x1f\x8b\x08" + noise(500), "gzip"),
    Bad("a SQLite database", "data.json", lambda: b"SQLite format 3\0" + bytes(100), "SQLite"),
    Bad("an old Word file", "old.doc", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "before 2007"),
    Bad("a docx with a password", "locked.docx", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "password"),
    Bad("a rich text file", "notes.rtf", lambda: rb"{\rtf1\ansi hello}", "RTF"),
    Bad("a presentation", "talk.pptx", lambda: zipped({"ppt/presentation.xml": "<p/>"}), "presentation"),
    Bad(
        "an OpenDocument text",
        "text.odt",
        lambda: zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"}),
        "OpenDocument",
    ),
    Bad("a file over the size limit", "big.txt", lambda: b"a" * 2000, "at most", Limits(max_bytes=1000)),
    Bad("a truncated PDF", "cut.pdf", lambda: pdf(EN)[:120], "damaged"),
    Bad("a PDF that is only its first line", "head.pdf", lambda: b"%PDF-1.7\n", "damaged"),
    Bad("a PDF of noise", "noise.pdf", lambda: b"%PDF-1.7\n" + noise(5000), "damaged"),
    Bad("a PDF with a password", "locked.pdf", lambda: locked_pdf(EN), "password"),
    Bad("a PDF without text", "scan.pdf", lambda: pdf("", ""), "scan"),
    Bad("a PDF without pages", "none.pdf", lambda: pdf(), "no pages"),
    Bad("a PDF whose page unpacks to 60 MB", "bomb.pdf", pdf_bomb, "larger than any normal page"),
    Bad("a PDF whose pages take forever", "slow.pdf", endless_pdf, "longer", Limits(max_seconds=1)),
    Bad("a PDF whose page has a million operators", "full.pdf", overfull_pdf, "larger than any normal page"),
    Bad("a text named pdf that is no PDF", "fake.pdf", lambda: b"hello", "is not a pdf file"),
    Bad("a truncated docx", "cut.docx", lambda: docx(EN)[:3000], "damaged"),
    Bad("a docx of noise", "noise.docx", lambda: b"PK\3\4" + noise(3000), "damaged"),
    Bad(
        "a docx without its main part",
        "hollow.docx",
        lambda: zipped({"[Content_Types].xml": "<x/>"}),
        "is not a docx file",
    ),
    Bad(
        "a docx whose XML is broken",
        "broken.docx",
        lambda: changed(docx(EN), "word/document.xml", lambda x: x[: len(x) // 2]),
        "damaged",
    ),
    Bad("a docx with exploding entities", "laughs.docx", billion_laughs, "entities"),
    Bad("a docx without text", "blank.docx", lambda: docx(), "no text"),
    Bad("a docx that is a bomb", "bomb.docx", lambda: zipped({"word/document.xml": b" " * (30 * MB)}), "bomb"),
    Bad("a truncated xlsx", "cut.xlsx", lambda: xlsx({"a": [["text"], [EN]]})[:2000], "damaged"),
    Bad("an xlsx with external entities", "entities.xlsx", xlsx_entities, "entities"),
    Bad("an xlsx that is a bomb", "bomb.xlsx", lambda: zipped({"xl/workbook.xml": b" " * (30 * MB)}), "bomb"),
    Bad(
        "an xlsx whose workbook is broken",
        "broken.xlsx",
        lambda: changed(xlsx({"a": [["text"], [EN]]}), "xl/workbook.xml", lambda x: x[:90]),
        "damaged",
    ),
    Bad("an empty workbook", "empty.xlsx", lambda: xlsx({"a": []}), "no sheet"),
    Bad("a workbook with only a header", "header.xlsx", lambda: xlsx({"a": [["id", "text"]]}), "no rows"),
    Bad(
        "a workbook of numbers",
        "numbers.xlsx",
        lambda: xlsx({"a": [["x", "y"], [1, 2.5], [3, 4.5]]}),
        "no column with text",
    ),
    Bad("a csv with only a header", "header.csv", lambda: b"id,title,text\n", "no rows"),
    Bad("a csv of numbers", "numbers.csv", lambda: b"x,y\n1,2\n3,4\n", "no column with text"),
    Bad(
        "a csv with 5,000 columns",
        "wide.csv",
        lambda: ",".join(f"c{i}" for i in range(5000)).encode() + b"\n" + b"a," * 4999 + b"b\n",
        "5000 columns",
    ),
    Bad(
        "an xlsx with too many columns",
        "wide.xlsx",
        lambda: xlsx({"a": [[f"text {i}" for i in range(2000)], [EN] * 2000]}),
        "2000 columns",
    ),
    Bad("broken JSON", "broken.json", lambda: b'[{"text": "a"}, {"text": ', "not valid JSON"),
    Bad("JSON that is a number", "number.json", lambda: b"42", "not a list"),
    Bad("JSON that is null", "null.json", lambda: b"null", "not a list"),
    Bad("a list of numbers", "numbers.json", lambda: b"[1, 2, 3]", "contains nothing readable"),
    Bad("an empty list", "none.json", lambda: b"[]", "not a list"),
    Bad("objects without a text", "numbers.json", lambda: b'[{"a": 1}, {"a": 2}]', "no column with text"),
    Bad("JSON nested 100,000 deep", "deep.json", lambda: b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    Bad("JSON lines of which none is good", "bad.jsonl", lambda: b"{\nnot json\n[1,2\n", "contains nothing readable"),
    Bad(
        "html of scripts and styles only",
        "script.html",
        lambda: b"<html><script>alert(1)</script><style>p{}</style></html>",
        "no visible text",
    ),
    Bad("html of unclosed quotes", "quotes.html", lambda: b"<a b='" * 200_000, "no visible text"),
    Bad("a truncated zip", "cut.zip", lambda: zipped({"a.txt": EN * 100})[:60], "damaged"),
    Bad("a zip of noise", "noise.zip", lambda: b"PK\3\4" + noise(4000), "damaged"),
    Bad("an empty zip", "empty.zip", lambda: zipped({}), "nothing to read"),
    Bad(
        "a zip with nothing but junk",
        "junk.zip",
        lambda: zipped({"__MACOSX/._a.txt": "x", ".DS_Store": "x", "dir/Thumbs.db": "x"}),
        "nothing to read",
    ),
    Bad("a zip bomb", "bomb.zip", bomb, "bomb"),
    Bad(
        "a zip that unpacks to more than the limit",
        "layers.zip",
        many_layers,
        "more than",
        Limits(max_total_expanded=MB),
    ),
    Bad("a zip that lies about its sizes", "liar.zip", false_sizes, "damaged"),
    Bad("a zip with a password", "locked.zip", lambda: flagged_as_encrypted(zipped({"a.txt": EN})), "password"),
    Bad(
        "a zip whose only name leads out",
        "out.zip",
        lambda: zipped({"../../etc/cron.d/evil.txt": EN}),
        "points outside",
    ),
    Bad("a zip in a zip", "nested.zip", lambda: zipped({"inner.zip": zipped({"a.txt": EN})}), "inside an archive"),
    Bad("a zip with 6,000 files", "many.zip", lambda: zipped({f"{i}.txt": "x" for i in range(6000)}), "6000 files"),
    Bad(
        "a test collection whose corpus is broken",
        "beir.zip",
        lambda: zipped({"x/corpus.jsonl": "{\n{\n", "x/queries.jsonl": "{}"}),
        "contains nothing readable",
    ),
]

HTML = "<img src=x onerror=alert(1)><script>alert('x')</script> & {{7*7}} ${7*7} </div></body>"

ODD = [
    Odd("GB18030", "gb.txt", lambda: ZH.encode("gb18030"), 1, ZH),
    Odd("Big5", "big5.txt", lambda: TW.encode("big5"), 1, TW),
    Odd("UTF-16 with its mark", "utf16.txt", lambda: ZH.encode("utf-16"), 1, ZH),
    Odd("UTF-16, big end first, without a mark", "utf16be.txt", lambda: (ZH + EN).encode("utf-16-be"), 1, ZH),
    Odd(
        "UTF-16 with an odd number of bytes",
        "odd.txt",
        lambda: ZH.encode("utf-16") + b"\x41",
        1,
        ZH,
        "not valid UTF-16",
    ),
    Odd("UTF-8 cut inside a character", "cut.txt", lambda: ZH.encode()[:-1], 1, ZH[:-2], "not valid UTF-8"),
    Odd(
        "GB18030 with a stray byte",
        "stray.txt",
        lambda: (ZH * 5).encode("gb18030") + b"\xff\n",
        1,
        ZH,
        "not valid GB18030",
    ),
    Odd("a csv in GBK", "faq.csv", lambda: f"编号,正文\n1,{ZH}\n".encode("gbk"), 1, ZH),
    Odd(
        "an xlsx with a cell in the last place that there is",
        "far.xlsx",
        lambda: xlsx({"a": [["text"], [EN]]}, change=lambda b: b.worksheets[0].cell(1_048_576, 16384, "far")),
        1,
        EN,
        "XFD1048576 is far away",
        "far",
    ),
    Odd("10 MB in one line", "line.txt", lambda: (EN + " ").encode() * 125_000, 102, EN, "split"),
    Odd("10 MB without any border", "long.txt", lambda: b"x" * (10 * MB), 105, "xxxx", "split"),
    Odd(
        "a csv cell of 3 MB",
        "cell.csv",
        lambda: b"id,text\n1," + b"word " * 600_000 + b"\n2,short\n",
        31,
        "short",
        "split",
    ),
    Odd(
        "ontrol characters",
        "bells.txt",
        lambda: b"abc\x07\x1bdef" + EN.encode() * 5,
        1,
        "abcdef",
        "ontrol characters",
        "\x07",
    ),
    Odd(
        "characters that turn the page around",
        "bidi.txt",
        lambda: f"safe\u202egnp.exe {EN}".encode(),
        1,
        "safegnp.exe",
        "ontrol characters",
        "\u202e",
    ),
    Odd(
        "lone surrogates",
        "half.jsonl",
        lambda: b'{"id": "a\\ud800", "text": "half \\ud83d of it", "tag\\udc00": "x\\udfff"}\n',
        1,
        "half � of it",
        "broken characters",
    ),
    Odd(
        "escaped control characters",
        "escapes.json",
        lambda: b'[{"text": "a\\u0000b\\u001b[31m", "k": "\\u0007z"}]',
        1,
        "ab[31m",
        "ontrol characters",
        "\0",
    ),
    Odd("a text full of html and script", "html.txt", lambda: HTML.encode(), 1, HTML),
    Odd(
        "a csv full of html and script",
        "html.csv",
        lambda: f'id,title,text\n<b>1</b>,<script>1</script>,"{HTML}"\n'.encode(),
        1,
        HTML,
    ),
    Odd("JSON full of html and script", "html.json", lambda: json.dumps([{"text": HTML}]).encode(), 1, HTML),
    Odd(
        "html with scripts",
        "page.html",
        lambda: (
            f"<title>T</title><body onload=evil()><p>{EN}<script>evil()</script><noscript>evil()</noscript>".encode()
        ),
        1,
        EN,
        "",
        "evil",
    ),
    Odd(
        "html hidden from the eye",
        "hidden.html",
        lambda: f"<p>{EN}</p><p style='display: none'>evil<p hidden>evil<p>seen".encode(),
        1,
        "seen",
        "",
        "evil",
    ),
    Odd(
        "html that never closes anything",
        "open.html",
        lambda: f"<table><tr><td>{EN}<tr><td><b><i>two".encode(),
        1,
        "two",
    ),
    Odd(
        "html nested 4,000 deep",
        "deep.html",
        lambda: f"<p>{EN}</p>".encode() + b"<div>" * 4000 + b"deep" + b"</div>" * 4000,
        1,
        "deep",
    ),
    Odd(
        "html nested a million deep",
        "abyss.html",
        lambda: f"<p>{EN}</p>".encode() + b"<b>x</i>" * 1_000_000,
        1,
        EN,
        "nested too deeply",
    ),
    Odd("a Word file named pdf", "report.pdf", lambda: docx(EN), 1, EN, "is docx"),
    Odd("a PDF named txt", "report.txt", lambda: pdf("Charge the headset"), 1, "headset", "is pdf"),
    Odd("a workbook named csv", "faq.csv", lambda: xlsx({"a": [["text"], [EN]]}), 1, EN, "is xlsx"),
    Odd("a zip named txt", "all.txt", lambda: zipped({"a.txt": EN}), 1, EN, "is zip"),
    Odd("JSON lines named json", "rows.json", lambda: jsonl({"text": EN}, {"text": ZH}), 2, ZH),
    Odd("a name without extension", "README", lambda: EN.encode(), 1, EN),
    Odd("a name that leads elsewhere", "../../etc/passwd\x00\u202e.txt", lambda: EN.encode(), 1, EN),
    Odd(
        "a csv with ragged rows",
        "ragged.csv",
        lambda: f"id,text,tags\n1,{EN},a\n2,two,x,y,z\n3,three\n4,four,b\n".encode(),
        3,
        "three",
        "row 3",
    ),
    Odd(
        "a csv with an unclosed quote",
        "quote.csv",
        lambda: b'id,text\n1,one\n2,"two\n3,three\n4,four\n',
        3,
        "four",
        "row 3",
    ),
    Odd("a csv with a stray quote", "stray.csv", lambda: b'id,text\n1,"one"x\n2,two\n', 1, "two", "quotation marks"),
    Odd(
        "line breaks inside quotes",
        "breaks.csv",
        lambda: b'id,text\r\n1,"one\r\n\r\nmore"\r\n2,two\r\n',
        2,
        "one\n\nmore",
    ),
    Odd("two columns of one name", "twice.csv", lambda: f"text,note,note\n{EN},b,c\n".encode(), 1, EN, "Two columns"),
    Odd("columns without a name", "nameless.csv", lambda: f"text,,\n{EN},b,c\n".encode(), 1, EN),
    Odd(
        "100 columns",
        "hundred.csv",
        lambda: (
            ",".join(["text", *(f"c{i}" for i in range(99))]) + "\n" + ",".join([EN.replace(",", ""), *"1" * 99]) + "\n"
        ).encode(),
        1,
        EN,
    ),
    Odd("a csv without a header", "bare.csv", lambda: f"1,{ZH}\n2,{EN}\n".encode(), 2, ZH, "looks like data"),
    Odd(
        "repeated and missing ids",
        "ids.csv",
        lambda: b"id,text\na,one\na,two\n,three\nb,four\nc,five\nd,six\n",
        6,
        "three",
        "occurs again",
    ),
    Odd("rows without a text", "gaps.csv", lambda: b"id,text\n1,one\n2,\n3,   \n,,\n4,four\n", 2, "four", "row 3"),
    Odd(
        "400 bad rows",
        "bad.csv",
        lambda: b"id,text\n0,good one\n" + b"".join(b"%d,\n" % i for i in range(1, 401)),
        1,
        "good one",
        "More problems: 380",
    ),
    Odd(
        "more rows than allowed",
        "long.csv",
        lambda: b"id,text\n" + b"".join(b"%d,row text\n" % i for i in range(50)),
        10,
        "row text",
        "Only the first 10 rows",
        limits=Limits(max_rows=10),
    ),
    Odd(
        "NaN, infinity and huge numbers",
        "numbers.csv",
        lambda: b"text,x,y,z\none two,nan,inf,1e999\nthree,1.5,2," + b"9" * 5000 + b"\n",
        2,
        "three",
        says="no words",
    ),
    Odd(
        "NaN, infinity and huge numbers in JSON",
        "numbers.jsonl",
        lambda: b'{"text": "one", "x": NaN, "y": 1e999, "z": ' + b"9" * 5000 + b"}\n",
        1,
        "one",
        "no words",
    ),
    Odd(
        "one bad line of JSON",
        "lines.jsonl",
        lambda: b'{"text": "one"}\n{"text": "two"\n{"text": "three"}\n',
        2,
        "three",
        "line 2",
    ),
    Odd(
        "one deep line of JSON",
        "deep.jsonl",
        lambda: b'{"text": "one"}\n' + b"[" * 90_000 + b"]" * 90_000 + b"\n",
        1,
        "one",
        "nested too deeply",
    ),
    Odd(
        "lines that are no objects",
        "mixed.jsonl",
        lambda: b'{"text": "one"}\n17\n"two"\n[3]\nnull\n',
        2,
        "two",
        "line 4",
    ),
    Odd(
        "a text that is an object",
        "nested.json",
        lambda: b'[{"text": "one"}, {"text": {"zh": "two"}}, {"text": ["three"]}]',
        2,
        "three",
        "nested value",
    ),
    Odd(
        "JSON of another shape",
        "shape.json",
        lambda: json.dumps({"meta": {"n": 2}, "data": [{"text": EN}, {"text": ZH}]}).encode(),
        2,
        ZH,
    ),
    Odd(
        "formulas without results",
        "formula.xlsx",
        lambda: xlsx({"a": [["id", "text"], ["a", EN], ["b", '="x"&"y"']]}),
        1,
        EN,
        "formula",
    ),
    Odd(
        "merged cells",
        "merged.xlsx",
        lambda: xlsx({"a": [["text", "topic"], [EN, "x"], [None, "y"], [ZH, "z"]]}, change=merged),
        2,
        ZH,
        "row 3",
    ),
    Odd("error cells", "errors.xlsx", lambda: xlsx({"a": [["text", "n"], [EN, "#REF!"], ["#N/A", 2]]}), 1, EN, "row 3"),
    Odd(
        "a cell in the last row of a sheet",
        "far.xlsx",
        lambda: xlsx({"a": [["text"], [EN]]}, change=lambda b: b.worksheets[0].cell(1_048_576, 1, ZH)),
        2,
        ZH,
    ),
    Odd(
        "a sheet of numbers beside a sheet of texts",
        "two.xlsx",
        lambda: xlsx({"n": [["x"], [1]], "t": [["text"], [EN]]}),
        1,
        EN,
        "no column with text",
    ),
    Odd("a cell that spans fifty million columns", "span.docx", spans_millions, 1, "wide cell"),
    Odd(
        "a PDF with a damaged and an empty page",
        "half.pdf",
        lambda: pdf("Charge the headset", "", "bad").replace(b"(bad) Tj", b"(bad]]>>("),
        1,
        "headset",
        "page 2",
    ),
    Odd(
        "a PDF with more pages than allowed",
        "long.pdf",
        lambda: pdf(*(f"page about topic {i}" for i in range(9))),
        4,
        "topic 3",
        "only the first 4",
        limits=Limits(max_pages=4),
    ),
    Odd(
        "a PDF whose table of objects is elsewhere",
        "mended.pdf",
        lambda: pdf("Charge the headset").replace(b"startxref\n", b"startxref\n9"),
        1,
        "headset",
    ),
    Odd(
        "a zip with one name that leads out",
        "out.zip",
        lambda: zipped({"../evil.txt": "evil", "/etc/x.txt": "evil", "C:\\x.txt": "evil", "ok.txt": EN}),
        1,
        EN,
        "points outside",
        "evil",
    ),
    Odd("a zip with a wrong checksum", "crc.zip", wrong_checksum, 1, ZH, "damaged", "HEADSET"),
    Odd(
        "a zip with pictures and broken files",
        "mixed.zip",
        lambda: zipped({"a.png": png, "b.pdf": b"%PDF-", "c.txt": EN, "d.docx": docx(ZH), "e.zip": zipped({})}),
        2,
        ZH,
        "a picture",
    ),
    Odd(
        "a zip with names in GBK",
        "names.zip",
        lambda: zipped({"xxxx.txt": EN}).replace(b"xxxx", "请假".encode("gbk")),
        1,
        EN,
    ),
    Odd(
        "a test collection with bad lines",
        "beir.zip",
        lambda: zipped(
            {
                "b/corpus.jsonl": b'{"_id": "1", "text": "one"}\nbad\n',
                "b/queries.jsonl": "bad\n",
                "b/qrels/test.tsv": "q\td\t1\nx\n",
            }
        ),
        1,
        "one",
        "line 2",
    ),
    Odd(
        "more documents than allowed",
        "many.jsonl",
        lambda: jsonl(*({"text": f"document {i}"} for i in range(9))),
        5,
        "document 4",
        "Only the first 5 documents",
        limits=Limits(max_documents=5),
    ),
]


def clear(message: str, remedy: str) -> None:
    """A sentence a visitor understands: not empty, ends like a sentence, shows nothing of the program."""
    for text in (message, remedy):
        assert text.strip()
        assert text.rstrip()[-1] in ".。:…"
        assert not re.search(r"Traceback|Error\b|Exception|0x[0-9a-f]{6}|lab/|\.py\b|\{\w*\}", text), text
        assert len(text) < 700


def searchable(result: ReadResult, wanted: str) -> None:
    """A corpus can be made of the documents, its fingerprint taken, and the good file be found."""
    corpus = Corpus("upload", result.documents)
    assert corpus.fingerprint
    for d in corpus:
        f"{d.id}{d.title}{d.text}{dict(d.metadata)}".encode()  # raises for a lone surrogate
        json.dumps(dict(d.metadata), allow_nan=False)
    found = BM25(variant="lucene").index(corpus).search("printer E21 卡纸")
    assert found.hits[0].document.id == wanted


def test_there_are_more_than_sixty_broken_uploads_and_each_has_a_name_of_its_own() -> None:
    assert len(BAD) + len(ODD) >= 120
    assert len({case.name for case in (*BAD, *ODD)}) == len(BAD) + len(ODD)


LONG = ("10 MB in one line", "a csv cell of 3 MB", "10 MB without any border")
"""Of the odd files those that are read at night: another one of their kind is read in the suite."""


@pytest.mark.parametrize("case", spread(BAD, 20), ids=lambda c: c.name)
def test_a_file_that_cannot_be_read_is_refused_in_words_and_the_good_file_survives(case: Bad) -> None:
    data, start = case.make(), time.process_time()
    result = read_files([(case.file, data), GOOD], limits=case.limits)
    seconds = time.process_time() - start
    assert [d.id for d in result] == ["good.txt"]
    (problem,) = result.problems
    assert problem.file == case.file
    assert case.says in problem.message
    assert case.file.rsplit("/", 1)[-1] in problem.message
    clear(problem.message, problem.remedy)
    searchable(result, "good.txt")
    assert seconds < 8


@pytest.mark.parametrize(
    "case",
    [*spread([c for c in ODD if c.name not in LONG], 20), *(nightly(c) for c in ODD if c.name in LONG)],
    ids=lambda c: c.name,
)
def test_what_is_good_in_an_odd_file_is_read_and_what_is_not_is_said(case: Odd) -> None:
    data, start = case.make(), time.process_time()
    result = read_files([GOOD, (case.file, data)], limits=Limits() if case.limits.max_documents < 9 else case.limits)
    if case.limits.max_documents < 9:  # the limit holds for an upload: without the good file
        result = read_files([(case.file, data), GOOD], limits=case.limits)
        assert len(result) == case.limits.max_documents
        assert any(case.says in str(p) for p in result.problems)
        return
    seconds = time.process_time() - start
    own = [d for d in result if d.id != "good.txt"]
    assert len(own) == case.documents
    everything = "\n".join(d.content for d in own)
    assert case.holds in everything
    assert not case.never or case.never not in everything
    assert all(len(d.text) <= case.limits.max_chars for d in own)
    for problem in result.problems:
        clear(problem.message, problem.remedy)
        assert problem.file
    assert any(case.says in str(p) for p in result.problems) if case.says else not result.problems
    searchable(result, "good.txt")
    assert seconds < 8


def test_all_broken_uploads_together_lose_no_good_one() -> None:
    small = [
        (c.file, data)
        for c in BAD
        if not c.file.endswith("pdf") and len(data := c.make()) < 100_000 and c.limits == Limits()
    ]
    result = read_files([GOOD, *small, ("last.md", b"# Last\n\nThe last file.")])
    assert [d.id for d in result] == ["good.txt", "last.md"]
    assert len(result.problems) == len(small) > 40
    searchable(result, "good.txt")


@pytest.mark.parametrize(
    "case", [c for c in BAD if c.limits == Limits() and not c.file.endswith("pdf")][::5], ids=lambda c: c.name
)
def test_a_single_bad_file_raises_what_the_problem_of_several_says(case: Bad) -> None:
    data = case.make()
    with pytest.raises(UploadError) as caught:
        read_file(case.file, data)
    (problem,) = read_files([(case.file, data)]).problems
    assert (problem.message, problem.remedy) == (caught.value.message, caught.value.remedy)


def test_members_that_share_one_packed_stream_cannot_get_past_the_count() -> None:
    """Overlapping members (Fifield 2019): many central entries, one stream; the declared sizes say what they are."""
    single = zipped({"a.txt": zlib.compress(noise(1000)) + b"a" * 200_000})
    local, central = (
        single[: single.find(b"PK\x01\x02")],
        single[single.find(b"PK\x01\x02") : single.find(b"PK\x05\x06")],
    )
    count = 2000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(central) * count, len(local), 0)
    with pytest.raises(UploadError, match="MB|bomb"):
        read_file("overlap.zip", local + central * count + end)


def test_office_files_inside_a_zip_spend_the_same_budget() -> None:
    big = docx(*(noise(3000).hex() for _ in range(100)))
    archive = zipped({f"{i}.docx": big for i in range(4)})
    assert len(read_file("all.zip", archive)) >= 4
    with pytest.raises(UploadError, match="more than"):
        read_file("all.zip", archive, limits=Limits(max_total_expanded=len(archive) // 2))


@for_each(
    "data",
    [
        b"id,text,code\n1,battery charge,123456789012345678901234567x\n2,router reset,5\n",
        b"id,text,code\n1,battery,*** 2024 *** 2024 *** 2024 *** x\n2,router,---------------------- Page 1\n",
        "编号,正文,证号\n1,电池充电,11010119900307123X\n2,路由器重置,6222 0212 3456 7890 1234 5678 CNY\n".encode(),
        b"<??>" * 4000 + b"x",
        b"<?xml?>" * 4000 + b"x",
        b"<!---->" * 4000 + b"<p>x",
    ],
)
def test_no_form_of_a_text_takes_long_to_recognise(data: bytes) -> None:
    begin = time.process_time()
    read_files([("a.csv", data), ("b.txt", data), ("c.html", data)])
    assert time.process_time() - begin < 2
