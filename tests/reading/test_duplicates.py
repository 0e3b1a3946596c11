"""Documents that two files of an upload contain are found, and only those."""

from __future__ import annotations

from making import jsonl, xlsx

from lab.reading.duplicates import repeated_documents, shared_files, without_documents
from lab.reading.read import read_files

ROWS = [["id", "text"], ["a", "Kites are mended in March."], ["b", "Moles dig."]]
CSV = "\n".join(",".join(row) for row in ROWS).encode()


def test_the_same_table_as_csv_and_as_a_workbook_is_there_once() -> None:
    result = read_files([("faq.csv", CSV), ("faq.xlsx", xlsx({"S": ROWS})), ("x.txt", "风筝。".encode())])
    repeated = repeated_documents(result)
    assert repeated == {2: 0, 3: 1}
    assert shared_files(result, repeated) == {("faq.xlsx", "faq.csv"): 2}
    left = without_documents(result, repeated)
    assert [d.id for d in left] == ["a", "b", "x.txt"]
    assert [(f.file, f.end - f.start) for f in left.files] == [("faq.csv", 2), ("faq.xlsx", 0), ("x.txt", 1)]
    assert left.documents[left.files[2].start].id == "x.txt"


def test_case_punctuation_and_whitespace_do_not_count_but_titles_of_short_texts_do() -> None:
    result = read_files([("a.md", b"# Hours\n\nKites are mended  in march\n"), ("b.csv", CSV)])
    assert repeated_documents(result) == {1: 0}
    short = read_files([("a.md", "# 甲\n\n见附件。\n".encode()), ("b.md", "# 乙\n\n见附件。\n".encode())])
    assert repeated_documents(short) == {}


def test_repetitions_within_a_file_and_judged_collections_stay() -> None:
    twice = jsonl({"text": "Kites are mended in March."}, {"text": "Kites are mended in March."})
    assert repeated_documents(read_files([("a.jsonl", twice)])) == {}
    corpus = jsonl({"_id": "1", "text": "Kites are mended in March."})
    files = [("corpus.jsonl", corpus), ("queries.jsonl", corpus), ("qrels.txt", b"1 0 1 1\n"), ("b.csv", CSV)]
    assert repeated_documents(read_files(files)) == {}
