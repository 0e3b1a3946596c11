"""Every format gives its text, its titles and its metadata; tables show what their columns were taken for."""

from __future__ import annotations

import datetime
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import docx, jsonl, pdf, xlsx, zipped
from night import for_each

from lab.algebra import Corpus
from lab.corpus.statistics import statistics
from lab.derive.chunk import Chunk
from lab.errors import ParameterError, UploadError
from lab.reading.encodings import clean, decode
from lab.reading.formats import built_in
from lab.reading.read import Columns, Limits, extensions, paste, read_file, read_files
from lab.retrieve.lexical import BM25

ZH = "员工请假应提前三天向直属主管提出申请，经批准后方可生效。"
TW = "員工請假應於三日前向直屬主管提出申請，經核准後方可生效。"


# -------------------------------------------------------------------------------------------- encodings


@for_each(
    "codec, name, text",
    [
        ("utf-8", "UTF-8", ZH),
        ("utf-8-sig", "UTF-8", ZH),
        ("utf-16", "UTF-16", ZH),
        ("utf-32", "UTF-32", ZH),
        ("gbk", "GB18030", ZH),
        ("gb18030", "GB18030", "𠮷野家在东京，㐀是生僻字。我们的员工都知道。"),
        ("big5", "Big5", TW),
        ("cp950", "Big5", "台北市政府"),
        ("cp1252", "cp1252", "Café résumé naïve – “quoted” Übergröße"),
        ("cp1251", "cp1251", "Привет, это просто текст для проверки поиска."),
        ("shift_jis", "cp932", "これは日本語のテキストです。検索の実験に使います。"),
    ],
)
def test_an_encoding_is_found_and_the_text_is_whole(codec: str, name: str, text: str) -> None:
    result = read_file("a.txt", text.encode(codec))
    assert result.documents[0].text == text
    assert (result.encoding, result.problems) == (name, ())


@given(
    st.text(
        alphabet="员工请假应提前三天向直属主管提出申请经批准后方可生效的是在有我他这中大来上国，。 abc123\n",
        min_size=12,
        max_size=200,
    )
)
def test_ordinary_chinese_in_gb18030_comes_back(text: str) -> None:
    decoded = decode((ZH + text).encode("gb18030"))
    assert decoded is not None
    assert decoded.text == ZH + text


def test_a_chosen_encoding_overrides_the_guess_and_an_unknown_one_is_refused() -> None:
    assert read_file("a.txt", "é".encode("cp1252") + b" cafe", encoding="cp1252").documents[0].text == "é cafe"
    with pytest.raises(UploadError, match="no encoding “klingon”"):
        read_file("a.txt", b"text", encoding="klingon")


# ------------------------------------------------------------------------------------------ running text


def test_a_txt_file_is_one_document_called_as_the_file() -> None:
    (document,) = read_file("my notes.txt", b"One.\r\n\r\nTwo.\r")
    assert (document.id, document.text, document.title) == ("my_notes.txt", "One.\n\nTwo.", "my notes")
    assert document.metadata["source"] == "my notes.txt"


def test_markdown_is_cut_at_its_headings_and_titles_are_paths() -> None:
    front = "---\ntitle: Handbook\ntags: [hr, pay]\ndate: 2024-05-01\n---\n"
    text = front + "Intro.\n\n# Leave\n\n## Annual\nTen days.\n\n```sh\n# no heading\n```\n\n"
    text += "Sick\n----\nCall in.\n\n# Pay #\nMonthly.\n"
    documents = read_file("h.md", text.encode()).documents
    assert [(d.id, d.title) for d in documents] == [
        ("h.md/1", "Handbook"),
        ("h.md/2", "Handbook › Leave › Annual"),
        ("h.md/3", "Handbook › Leave › Sick"),
        ("h.md/4", "Handbook › Pay"),
    ]
    assert "# no heading" in documents[1].text
    assert documents[0].metadata["tags"] == ["hr", "pay"]
    assert documents[0].metadata["date"] == "2024-05-01"


def test_markdown_of_headings_only_keeps_them_as_text() -> None:
    assert read_file("a.md", b"# One\n# Two\n").documents[0].text == "# One\n# Two"


def test_html_gives_its_visible_text_with_the_title_of_the_page() -> None:
    head = "<html><head><title> The\n page </title><style>p{}</style></head>"
    page = (
        head
        + "<body><h1>Head</h1><p>One <b>two</b>&amp;three<br>four</p><table><tr><td>a<td>b</table><!-- no --></body>"
    )
    (document,) = read_file("p.html", page.encode())
    assert document.title == "The page"
    assert document.text == "Head\n\nOne two&three\nfour\n\na | b"
    assert read_file("p.html", b"<h1>Only <i>head</i></h1>text").documents[0].title == "Only head"


def test_html_in_the_encoding_that_it_declares() -> None:
    page = f"<meta charset='gb2312'><p>{ZH}".encode("gbk")
    assert read_file("p.htm", page).documents[0].text == ZH


def test_a_pdf_gives_a_document_per_page_with_its_title_and_page() -> None:
    documents = read_file("r.pdf", pdf("First page", "Second page", title="Report")).documents
    assert [(d.id, d.text, d.title, d.metadata["page"]) for d in documents] == [
        ("r.pdf/1", "First page", "Report", 1),
        ("r.pdf/2", "Second page", "Report", 2),
    ]


def test_a_line_of_a_pdf_that_breaks_inside_a_sentence_is_joined() -> None:
    page = "The headset blinks red twice when the\nbattery is empty; charge it for two hours.\nThen it is green."
    (document,) = read_file("r.pdf", pdf(page))
    assert (
        document.text
        == "The headset blinks red twice when the battery is empty; charge it for two hours.\nThen it is green."
    )


def test_a_docx_gives_paragraphs_and_tables_under_the_path_of_headings() -> None:
    def table(document: object) -> None:
        cells = document.add_table(2, 3)  # type: ignore[attr-defined]
        for i, cell in enumerate(c for row in cells.rows for c in row.cells):
            cell.text = str(i)
        cells.cell(0, 0).merge(cells.cell(0, 1)).text = "both"
        cells.cell(0, 2).merge(cells.cell(1, 2)).text = "tall"

    documents = read_file(
        "m.docx", docx("Intro.", "# Leave", "## Annual", "Ten days.", "# Pay", "Monthly.", title="Manual", change=table)
    ).documents
    assert [(d.title, d.text) for d in documents] == [
        ("Manual", "Intro."),
        ("Manual › Leave › Annual", "Ten days."),
        ("Manual › Pay", "Monthly.\n\nboth |  | tall\n3 | 4 | tall"),
    ]


# ------------------------------------------------------------------------------------------------ tables


def test_the_columns_of_a_csv_are_guessed_and_typed() -> None:
    data = "编号,标题,正文,价格,数量,有货,标签,日期\n"
    data += "A1,耳机,蓝牙耳机闪红灯表示电量不足,1.5,3,true,音频; 蓝牙,2024-05-01\n"
    data += "A2,键盘,按键失灵时先更换电池再重新配对,2,,FALSE,,2024-06-01\n"
    result = read_file("产品.csv", data.encode())
    assert result.tables[0].guess == Columns("正文", "标题", "编号", ("价格", "数量", "有货", "标签", "日期"))
    assert result.tables[0].rows[0][:2] == ("A1", "耳机")
    assert result.tables[0].count == 2
    first, second = result.documents
    assert (first.id, first.title) == ("A1", "耳机")
    assert dict(first.metadata) == {
        "source": "产品.csv",
        "价格": 1.5,
        "数量": 3,
        "有货": True,
        "标签": ["音频", "蓝牙"],
        "日期": "2024-05-01",
    }
    assert dict(second.metadata) == {"source": "产品.csv", "价格": 2.0, "有货": False, "日期": "2024-06-01"}


@for_each("query, first", [("E21", "1"), ("bridle", "2"), ("说明书", "3")])
def test_titles_that_are_codes_and_further_long_columns_are_searched(query: str, first: str) -> None:
    problem, solution = "The kite pulls to the left in the wind. " * 6, "Shorten the line by two centimetres. " * 6
    rows = ["id,title,problem,solution", f"1,E21,{problem},{solution}", f"2,E22,{problem},{solution}and the bridle"]
    rows += [f"3,E23,{problem},{solution}按说明书调整"]
    result = read_file("t.csv", "\n".join(rows).encode())
    assert result.tables[0].guess == Columns("problem", "title", "id", (), ("solution",))
    hits = BM25().index(Corpus("c", result.documents)).search(query, k=3)
    assert [hit.document.id for hit in hits][0] == first


def test_the_text_of_a_table_without_telling_names_is_its_longest_column() -> None:
    result = read_file("t.csv", b"a;b;c\nx1;some longer words here;7\nx2;and even more of them;8\n")
    assert result.tables[0].guess.text == "b"
    assert result.documents[0].metadata == {"source": "t.csv", "a": "x1", "c": 7}


def test_chosen_columns_override_the_guess_and_an_unknown_one_is_refused_with_the_known_ones() -> None:
    data = b"id,question,answer,topic\n1,Why?,Because of this.,x\n2,How?,Like that it goes.,y\n"
    result = read_file("f.csv", data, columns=Columns("question", title="topic", metadata=("answer",)))
    assert [(d.id, d.text, d.title, dict(d.metadata)) for d in result][0] == (
        "f.csv/2",
        "Why?",
        "x",
        {"source": "f.csv", "answer": "Because of this."},
    )
    assert result.tables[0].guess == Columns("answer", "question", "id", ("topic",))
    with pytest.raises(UploadError, match="no column “body”.*“question”, “answer”"):
        read_file("f.csv", data, columns=Columns("body"))
    both = read_files([("f.csv", data), ("g.csv", data)], columns={"f.csv": Columns("topic")})
    assert [d.text for d in both][:3] == ["x", "y", "Because of this."]


@for_each("file, delimiter", [("a.csv", ","), ("a.csv", ";"), ("a.csv", "\t"), ("a.csv", "|"), ("a.tsv", "\t")])
def test_the_delimiter_is_found(file: str, delimiter: str) -> None:
    rows = [("id", "text", "n"), ("1", "one, two; three", "4"), ("2", "five", "6")]
    data = "\n".join(delimiter.join(f'"{c}"' for c in row) for row in rows)
    assert [(d.id, d.text, d.metadata["n"]) for d in read_file(file, data.encode())] == [
        ("1", "one, two; three", 4),
        ("2", "five", 6),
    ]


def test_numbers_that_are_names_stay_text() -> None:
    (document,) = read_file("c.csv", b"text,code,big,zip\nsome words,007,12345678901234567890,+3\n")
    assert dict(document.metadata) == {"source": "c.csv", "code": "007", "big": "12345678901234567890", "zip": 3}


def test_every_visible_sheet_of_a_workbook_is_read_with_typed_cells() -> None:
    def hide(book: object) -> None:
        book["secret"].sheet_state = "hidden"  # type: ignore[index]

    sheets: dict[str, list[list[object]]] = {
        "FAQ": [["id", "text", "when", "ok", "n"], ["a", "One text", datetime.datetime(2024, 5, 1), True, 2.5]],
        "More": [[], ["text"], [12], ["Two texts"]],
        "secret": [["text"], ["hidden"]],
    }
    result = read_file("b.xlsx", xlsx(sheets, change=hide))
    assert [(d.id, d.text, dict(d.metadata)) for d in result] == [
        ("a", "One text", {"source": "b.xlsx", "when": "2024-05-01", "ok": True, "n": 2.5}),
        ("b.xlsx/More/3", "12", {"source": "b.xlsx"}),
        ("b.xlsx/More/4", "Two texts", {"source": "b.xlsx"}),
    ]
    assert [t.count for t in result.tables] == [1, 2]


def test_a_cell_far_away_from_a_table_is_left_out_and_the_table_is_read() -> None:
    def stray(book: Any) -> None:
        book["S"]["XFD9"] = "x"

    result = read_file("a.xlsx", xlsx({"S": [["title", "text"], ["A", "alpha beta"], ["B", "gamma"]]}, change=stray))
    assert [d.text for d in result.documents] == ["alpha beta", "gamma"]
    assert any("XFD9" in str(problem.message) for problem in result.problems)


def test_json_lines_keep_types_and_flatten_metadata() -> None:
    record = {
        "_id": 7,
        "title": "T",
        "text": "Some text",
        "metadata": {"year": 2024, "tags": ["a", 1, None], "deep": {"x": [1]}, "none": None},
    }
    (document,) = read_file("corpus.jsonl", jsonl(record))
    assert (document.id, document.title, dict(document.metadata)) == (
        "7",
        "T",
        {"year": 2024, "tags": ["a", "1"], "deep": '{"x": [1]}'},
    )


@for_each(
    "data",
    [
        b'["one text", "two texts"]',
        b'{"documents": [{"text": "one text"}, {"text": "two texts"}], "n": 2}',
        b'{"a": "one text", "b": "two texts"}',
        b'{"a": {"text": "one text"}, "b": {"text": "two texts"}}',
    ],
)
def test_json_of_several_shapes_is_a_list_of_documents(data: bytes) -> None:
    assert [d.text for d in read_file("d.json", data)] == ["one text", "two texts"]


# ------------------------------------------------------------------------------------------------ several


def collection() -> dict[str, bytes | str]:
    return {
        "set/corpus.jsonl": jsonl(
            {"_id": "d1", "title": "A", "text": "one"}, {"_id": "d2", "text": "two", "metadata": {"topic": "x"}}
        ),
        "set/queries.jsonl": jsonl({"_id": "q1", "text": "first?"}, {"_id": 2, "text": "second?"}),
        "set/qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\n",
        "set/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2\n2\td2\t0\n",
        "set/README.md": "# not a document",
    }


def test_a_zipped_test_collection_gives_documents_queries_and_judgments() -> None:
    result = read_file("set.zip", zipped(collection()))
    assert [(d.id, d.title, d.text) for d in result] == [("d1", "A", "one"), ("d2", "", "two")]
    assert [(q.id, q.text) for q in result.queries] == [("q1", "first?"), ("2", "second?")]
    assert {q: dict(g) for q, g in result.qrels.items()} == {"q1": {"d1": 2}, "2": {"d2": 0}}
    assert result.problems == ()


def test_an_uploaded_test_collection_keeps_what_is_noted_of_its_queries() -> None:
    noted = {**collection(), "set/queries.jsonl": jsonl({"_id": "q1", "text": "first?", "metadata": {"kind": "code"}})}
    assert read_files([("set.zip", zipped(noted))]).queries[0].metadata == {"kind": "code"}


def test_judgments_of_documents_that_are_not_there_are_reported() -> None:
    qrels = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\tgone\t1\nq9\td1\t1\n"
    result = read_files([("set.zip", zipped({**collection(), "set/qrels/test.tsv": qrels}))])
    (problem,) = result.problems
    assert problem.file == "set.zip/set/qrels/test.tsv"
    assert problem.message.startswith("Judgments of a missing query or document: 2")
    assert "“gone” for “q1”" in problem.message


def test_the_files_of_a_test_collection_may_come_one_by_one() -> None:
    files = collection()
    result = read_files(
        [(name, bytes(files[name])) for name in ("set/corpus.jsonl", "set/queries.jsonl")]
        + [("set/qrels/test.tsv", str(files["set/qrels/test.tsv"]).encode())]
    )
    assert [len(result), len(result.queries), len(result.qrels)] == [2, 2, 2]


def test_any_other_zip_gives_its_readable_files() -> None:
    result = read_file(
        "all.zip",
        zipped(
            {
                "a/one.txt": "First.",
                "b/two.md": "# T\nSecond.",
                "c.csv": "text\nThird text\n",
                "d.docx": docx("Fourth."),
                "__MACOSX/._x": "junk",
            }
        ),
    )
    assert [(d.id, d.text) for d in result] == [
        ("a/one.txt", "First."),
        ("b/two.md", "Second."),
        ("c.csv/2", "Third text"),
        ("d.docx", "Fourth."),
    ]
    assert result.problems == ()


def test_ids_that_several_files_use_are_made_different_in_the_judgments_too() -> None:
    table = ("t.csv", b"id,text\nd1,another one\nd9,nine\n")
    result = read_files([table, ("set.zip", zipped(collection())), ("set2.zip", zipped(collection()))])
    assert [d.id for d in result] == ["d1", "d9", "d1-2", "d2", "d1-3", "d2-2"]
    assert [q.id for q in result.queries] == ["q1", "2", "q1-2", "2-2"]
    assert {q: dict(g) for q, g in result.qrels.items()} == {
        "q1": {"d1-2": 2},
        "2": {"d2": 0},
        "q1-2": {"d1-3": 2},
        "2-2": {"d2-2": 0},
    }
    assert [p.file for p in result.problems] == ["set.zip/set/corpus.jsonl", "set2.zip/set/corpus.jsonl"]
    assert "“d1” is now “d1-2”" in result.problems[0].message
    assert Corpus("all", result.documents).get("d1-3") is not None


def test_thousands_of_rows_with_one_id_get_different_ids_in_seconds() -> None:
    result = read_file(
        "same.csv",
        b"id,text\n" + b"x,some text\n" * 5_000 + b"y,other text\n" * 5_000,
        columns=Columns("text", id="id"),
    )
    assert len({d.id for d in result}) == 10_000
    assert result.problems[-1].message == "More problems: 9978."


def test_reading_twice_gives_the_same() -> None:
    files = [("a.csv", b"id,text\nx,one text\nx,two texts\n,three\n"), ("a.txt", b"four"), ("a.txt", b"five")]
    assert read_files(files) == read_files(files)


def test_every_promised_format_is_read() -> None:
    table: dict[str, list[list[object]]] = {"s": [["text"], ["a text"]]}
    made = {
        "txt": b"a text", "md": b"a text", "html": b"<p>a text", "xml": b"<a><b>a text</b></a>",
        "ipynb": b'{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["a text"]}]}',
        "pdf": pdf("a text"), "docx": docx("a text"), "xlsx": xlsx(table),
        "csv": b"text\na text\n", "tsv": b"text\na text\n", "json": b'["a text"]', "jsonl": b'{"text": "a text"}\n',
        "srt": b"1\n00:00:01,000 --> 00:00:02,000\na text\n", "vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\na text\n",
        "zip": zipped({"x.txt": "a text"}),
    }  # fmt: skip
    assert set(made) == {format.endings[0] for format in built_in()} | {"zip"}, "a new format needs a specimen here"
    for extension, data in made.items():
        assert [d.text for d in read_file(f"file.{extension}", data)] == ["a text"]


@given(st.binary(max_size=300), st.sampled_from(extensions()))
def test_any_bytes_under_any_name_give_documents_or_a_refusal(data: bytes, extension: str) -> None:
    result = read_files([(f"x.{extension}", data), ("good.txt", b"good")])
    assert result.documents[-1].text == "good"
    assert len(result) > 1 or result.problems or not data.strip()


@given(st.text(max_size=200), st.sampled_from(["txt", "md", "html", "csv", "tsv", "json", "jsonl"]))
def test_any_text_under_any_name_gives_documents_or_a_refusal(text: str, extension: str) -> None:
    result = read_files([(f"x.{extension}", text.encode("utf-8", "replace"))])
    assert result.documents or result.problems
    assert len({d.id for d in result}) == len(result)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="max_rows is 0"):
        Limits(max_rows=0)


# ----------------------------------------------------------------------------------------- paste, count


def test_pasted_text_is_cut_at_blank_lines_or_at_every_line() -> None:
    text = "One\nmore.\n \n\nTwo.\n"
    assert [(d.id, d.text) for d in paste(text)] == [("pasted/1", "One\nmore."), ("pasted/2", "Two.")]
    headed = paste("Why.\n# One\nmore.\n\n## Two\nthree", headings=True)
    assert [(d.title, d.text) for d in headed] == [("", "Why."), ("One", "more."), ("One › Two", "three")]
    assert [d.text for d in paste(text, lines=True)] == ["One", "more.", "Two."]
    with pytest.raises(UploadError, match="no text"):
        paste(" \n ")
    with pytest.raises(UploadError, match="no text"):
        paste("\u202e")
    with pytest.raises(UploadError, match="at most"):
        paste("a" * 100, limits=Limits(max_bytes=10))


def test_statistics_count_documents_fields_and_telling_terms() -> None:
    data = "id,text,year,tags\n"
    data += "1,蓝牙耳机闪红灯表示电量不足。The headset blinks when the headset battery is empty.,2023,a;b\n"
    data += "2,打印机卡纸时先关闭电源。The printer jams.,2024,a\n3,打印机和耳机。,,\n"
    corpus = Corpus("c", read_file("c.csv", data.encode()).documents)
    found = statistics(corpus, terms=8)
    assert found.documents == 3
    assert found.lengths == tuple(len(d.text) for d in corpus)
    assert found.characters == sum(found.lengths)
    assert [(f.name, f.type, f.count, f.missing, f.distinct, f.common[0]) for f in found.fields] == [
        ("source", "str", 3, 0, 1, ("c.csv", 3)),
        ("year", "int", 2, 1, 2, ("2023", 1)),
        ("tags", "list", 2, 1, 2, ("a", 2)),
    ]
    terms = [word for word, _ in found.terms]
    assert {"耳机", "打印机", "headset"} <= set(terms)
    assert "the" not in terms
    assert [w for _, w in found.terms] == sorted((w for _, w in found.terms), reverse=True)


def test_statistics_of_an_empty_corpus_are_empty() -> None:
    found = statistics(Corpus("none", ()))
    assert (found.documents, found.characters, found.lengths, found.fields, found.terms) == (0, 0, (), (), ())


def test_two_sheets_of_a_workbook_have_columns_of_their_own() -> None:
    rows = [["name", "text", "note"], ["Ada", "alpha beta", "one two"], ["Bob", "gamma delta", "three four"]]
    files = [("a.xlsx", xlsx({"S": rows, "T": rows})), ("b.zip", zipped({"t.csv": b"text,note\nalpha,beta\n"}))]
    found = read_files(files)
    assert [t.name for t in found.tables] == ["a.xlsx, S", "a.xlsx, T", "b.zip/t.csv"]
    columns = {"a.xlsx, T": Columns("note", title="name"), "b.zip/t.csv": Columns("note")}
    documents = read_files(files, columns=columns).documents
    assert [d.text for d in documents] == ["alpha beta", "gamma delta", "one two", "three four", "beta"]


def test_reading_and_cutting_say_how_far_they_are_and_can_be_stopped() -> None:
    data = b"text,note\n" + b"alpha beta,x\n" * 5000
    told: list[tuple[int, int]] = []
    found = read_files([("a.csv", data), ("b.csv", data)], progress=lambda *far: told.append(far))
    assert told == sorted(told)
    assert {total for _, total in told} == {2 * len(data)}
    assert any(0 < done < len(data) for done, _ in told)
    told.clear()
    Chunk().chunk_all(found, progress=lambda *far: told.append(far))
    assert told[-1] == (9999, 10_000)

    class Stopped(BaseException):
        """What the interface raises at a click."""

    def stop(done: int, total: int) -> None:
        raise Stopped

    for work in (lambda: read_files([("a.csv", data)], progress=stop), lambda: Chunk().chunk_all(found, progress=stop)):
        with pytest.raises(Stopped):
            work()


def test_a_text_too_long_for_one_document_is_parted_at_its_chapters():
    chapters = [f"Chapter {i}: Of {i}\n" + f"word{i} " * 100 for i in range(1, 8)]
    data = "\n\n".join(chapters).encode()
    (whole,) = read_file("novel.txt", data).documents
    assert len(whole.text) > 4000
    found = read_file("novel.txt", data, limits=Limits(max_chars=1000))
    assert [d.title for d in found] == [f"novel › Chapter {i}: Of {i}" for i in range(1, 8)]
    assert found.problems == ()


def test_html_with_headings_is_cut_at_them_under_its_title() -> None:
    page = "<title>Sensor</title><p>Before.<h2>Probe <b>in</b></h2><p>Push.<h3>Dry</h3>Water.<h2></h2>"
    page += "<h2>电池</h2>十四个月。"
    found = read_file("m.html", page.encode())
    assert [(d.title, d.text) for d in found] == [
        ("Sensor", "Before."),
        ("Sensor › Probe in", "Push."),
        ("Sensor › Probe in › Dry", "Water."),
        ("Sensor › 电池", "十四个月。"),
    ]
    (one,) = read_file("m.html", b"<h1>Only</h1><p>text<h2>Nothing under it</h2>").documents
    assert (one.title, one.text) == ("Only", "Only\n\ntext\n\nNothing under it")


def test_what_this_installation_lacks_is_not_the_files_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mammoth", None)
    with pytest.raises(UploadError, match="the package “mammoth” is missing") as caught:
        read_file("a.docx", docx("Kites."))
    assert "damaged" not in str(caught.value)
    packed = zipped({"a.txt": "Kites fly. " * 20})
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):  # a method that zipfile does not know (Deflate64)
        at = packed.find(mark) + (8 if mark.endswith(b"\x04") else 10)
        packed = packed[:at] + b"\x09\x00" + packed[at + 2 :]
    (problem,) = read_files([("a.zip", packed)]).problems
    assert "a method that is not supported here" in problem.message


@pytest.mark.parametrize("beside", ["", "a\nb", "a\tb", "三\u3000"])
def test_every_unwanted_character_is_removed_whatever_is_beside_it(beside: str) -> None:
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x2028,
        0x2029,
        *range(0x202A, 0x202F),
        0xFEFF,
        0xFFFE,
        0xFFFF,
        0xD800,
    ):
        text, character = clean(f"{beside}{chr(code)}c")[0], chr(code)
        kept = character in "\t\n"
        assert text.startswith(beside), hex(code)
        assert text.removeprefix(beside) in ({character + "c"} if kept else {"c", "\nc", "\ufffdc"}), hex(code)


@pytest.mark.parametrize("text", ["⼈⺠", "⼈\n⺠", "ab ⼈", "⼈\t"])
def test_radicals_become_ideographs_whatever_is_beside_them(text: str) -> None:
    assert clean(text) == (text.replace("⼈", "人").replace("⺠", "民"), 0)
    assert clean(text, ideographs=False) == (text, 0)
