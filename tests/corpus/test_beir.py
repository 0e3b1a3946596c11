"""The BEIR layout: what is written comes back, and every complaint names file, line and remedy."""

from __future__ import annotations

import json
import shutil

import pytest

from lab.algebra import Corpus, Document, Query
from lab.corpus import beir, samples
from lab.errors import CorpusError, UnknownName

DOCUMENTS = [
    {"_id": "d1", "title": "Leave", "text": "ten days"},
    {"_id": "d2", "title": "", "text": "年假十天", "metadata": {"topic": "假期"}},
]
QUERIES = [{"_id": "q1", "text": "how much leave"}, {"_id": "q2", "text": "没有答案的问题"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\n"


def folder(tmp_path, *, documents=DOCUMENTS, queries=QUERIES, qrels=QRELS):
    home = tmp_path / "leave"
    (home / "qrels").mkdir(parents=True)
    for name, records in (("corpus", documents), ("queries", queries)):
        lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
        (home / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (home / "qrels" / "test.tsv").write_text(qrels, "utf-8")
    return home


def test_a_folder_is_a_corpus_with_queries_and_judgments(tmp_path):
    collection = beir.load(folder(tmp_path))
    assert collection.name == "leave"
    assert [d.id for d in collection.corpus] == ["d1", "d2"]
    assert collection.corpus.documents[1].metadata["topic"] == "假期"
    assert [q.id for q in collection.judged] == ["q1"]
    assert list(collection.relevant("q1").items()) == [("d2", 2), ("d1", 1)]
    assert collection.relevant("q2") == {}
    assert collection.unknown == ()


def test_a_query_is_found_by_its_wording_whatever_its_blanks_and_capitals(tmp_path):
    collection = beir.load(folder(tmp_path))
    assert collection.query_by_text(" How  much LEAVE ").id == "q1"
    assert collection.query_by_text("how much pay") is None


def test_what_is_written_comes_back(tmp_path):
    metadata = {"date": "2024-05-01", "pages": 3, "price": 1.5, "new": True, "keywords": ["假", "a\tb"]}
    corpus = Corpus("c", (Document("1", "line\nbreak \u2028 and 😀", "T", metadata), Document("b c", "")))
    queries = (Query(text="问题", id="q", metadata={"kind": "code"}), Query(text="two", id="r"))
    whole = beir.Collection(corpus, queries, {"q": {"1": 2, "b c": 0}})
    beir.write(whole, tmp_path / "out")
    back = beir.load(tmp_path / "out")
    assert back.corpus.fingerprint == corpus.fingerprint
    assert back.queries == queries
    assert back.queries[0].metadata == {"kind": "code"}
    assert {q: dict(grades) for q, grades in back.qrels.items()} == {"q": {"1": 2, "b c": 0}}


def test_a_collection_cannot_be_changed(tmp_path):
    collection = beir.load(folder(tmp_path))
    with pytest.raises(TypeError):
        collection.qrels["q1"]["d1"] = 0
    with pytest.raises(TypeError):
        collection.qrels["q9"] = {}


def test_a_single_corpus_file_is_a_collection_without_queries(tmp_path):
    collection = beir.load(folder(tmp_path) / "corpus.jsonl")
    assert (len(collection.corpus), collection.queries, dict(collection.qrels)) == (2, (), {})


def test_queries_and_judgments_may_be_missing_unless_they_were_asked_for(tmp_path):
    home = folder(tmp_path)
    (home / "queries.jsonl").unlink()
    (home / "qrels" / "test.tsv").unlink()
    assert beir.load(home).queries == ()
    with pytest.raises(CorpusError, match="queries_raw.jsonl"):
        beir.load(home, queries="queries_raw.jsonl")


def test_another_file_of_queries_can_be_chosen(tmp_path):
    home = folder(tmp_path)
    (home / "queries_raw.jsonl").write_text('{"_id": "q1", "text": "and leave?"}\n', "utf-8")
    assert [q.text for q in beir.load(home, queries="queries_raw.jsonl").queries] == ["and leave?"]


def test_judgments_of_unknown_things_are_reported_and_only_those_of_documents_stay(tmp_path):
    collection = beir.load(folder(tmp_path, qrels=QRELS + "q1\tgone\t1\nq7\td1\t1\n"))
    assert collection.unknown == (("q1", "gone"), ("q7", "d1"))
    assert dict(collection.qrels["q1"]) == {"d1": 1, "d2": 2, "gone": 1}
    assert "q7" not in collection.qrels


def test_numbers_become_ids_and_odd_metadata_becomes_text(tmp_path):
    odd = {
        "_id": 7,
        "text": "x",
        "title": None,
        "metadata": {"none": None, "list": [1, "a"], "map": {"a": 1}},
        "url": "ignored",
    }
    document = beir.load(folder(tmp_path, documents=[odd], qrels="query-id\tcorpus-id\tscore\n")).corpus.documents[0]
    assert (document.id, document.title) == ("7", "")
    assert dict(document.metadata) == {"list": ["1", "a"], "map": '{"a": 1}'}


def test_a_byte_order_mark_and_blank_lines_do_not_matter(tmp_path):
    home = folder(tmp_path)
    for name in ("corpus.jsonl", "qrels/test.tsv"):
        file = home / name
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert len(beir.load(home).qrels["q1"]) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"_id": "d3", "text": ', "not valid JSON"),
        ("[1, 2]", "not a JSON object"),
        ("[" * 100_000, "not valid JSON"),
        ('{"text": "x"}', "“_id” is missing"),
        ('{"_id": "", "text": "x"}', "“_id” is missing"),
        ('{"_id": true, "text": "x"}', "“_id” is missing"),
        ('{"_id": "d1", "text": "x"}', "is already used in line 1"),
        ('{"_id": "d3"}', "“text” is missing"),
        ('{"_id": "d3", "text": 5}', "“text” is missing"),
        ('{"_id": "d3", "text": "x", "title": 5}', "“title” must be a string"),
        ('{"_id": "d3", "text": "x", "metadata": [1]}', "“metadata” is not a JSON object"),
    ],
)
def test_a_malformed_line_is_named_with_its_number_and_a_remedy(tmp_path, line, words):
    home = folder(tmp_path, documents=[*DOCUMENTS, line])
    with pytest.raises(CorpusError) as caught:
        beir.load(home)
    assert "corpus.jsonl, line 3: " in caught.value.message
    assert words in caught.value.message
    assert caught.value.remedy


def test_a_line_in_another_encoding_is_named(tmp_path):
    home = folder(tmp_path)
    with (home / "queries.jsonl").open("ab") as stream:
        stream.write('{"_id": "q3", "text": "年假"}\n'.encode("gb18030"))
    with pytest.raises(CorpusError, match=r"queries.jsonl, line 3: The line is not UTF-8"):
        beir.load(home)


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        ("q1\td1\t1\n", "line 1: The header is missing"),
        (QRELS + "q1 d1\n", "line 4: Columns in the line: 2;"),
        (QRELS + "q1\t0\td1\tx\t1\n", "line 4: Columns in the line: 5;"),
        (QRELS + "q2\td1\thigh\n", "line 4: The score “high” is not a whole number"),
        (QRELS + "q1\td1\t0\n", "line 4: “d1” is judged twice"),
    ],
)
def test_a_malformed_judgment_is_named_with_its_line(tmp_path, qrels, words):
    with pytest.raises(CorpusError, match=words):
        beir.load(folder(tmp_path, qrels=qrels))


def test_judgments_in_the_four_columns_of_trec_are_read(tmp_path):
    collection = beir.load(folder(tmp_path, qrels="q1 0 d1 1\nq1\t0\td2\t2\n"))
    assert {q: dict(grades) for q, grades in collection.qrels.items()} == {"q1": {"d1": 1, "d2": 2}}


def test_a_collection_that_was_zipped_is_the_one_of_its_folder(tmp_path):
    queries = [{"_id": "q1", "text": "how much leave", "metadata": {"kind": "number"}}]
    home = folder(tmp_path, queries=queries, qrels=QRELS + "q1\tgone\t1\nq7\td1\t1\n")
    zipped = shutil.make_archive(str(tmp_path / "leave"), "zip", home)
    ours, theirs = beir.load(home), beir.load(zipped)
    assert [dict(q.metadata) for q in theirs.queries] == [{"kind": "number"}]
    assert theirs.unknown == (("q1", "gone"), ("q7", "d1"))
    assert (theirs.queries, theirs.qrels, theirs.unknown) == (ours.queries, ours.qrels, ours.unknown)


def test_an_empty_corpus_a_folder_without_one_and_a_missing_path_are_errors(tmp_path):
    (tmp_path / "corpus.jsonl").write_text("\n")
    with pytest.raises(CorpusError, match="no documents"):
        beir.load(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match=r"no corpus.jsonl"):
        beir.load(tmp_path / "empty")
    with pytest.raises(CorpusError, match="There is no file or folder"):
        beir.load(tmp_path / "nowhere")


def test_an_id_that_a_table_cannot_hold_is_refused(tmp_path):
    odd = beir.Collection(Corpus("c", (Document("a\tb", "x"),)), (Query(text="x", id="q"),), {"q": {"a\tb": 1}})
    with pytest.raises(CorpusError, match="contains a tab"):
        beir.write(odd, tmp_path)


def test_every_sample_corpus_is_whole():
    assert {"devices", "handbook"} <= set(samples.names())
    for name in samples.names():
        collection = samples.load(name)
        assert collection.name == name
        assert collection.unknown == ()
        assert collection.judged


def test_an_unknown_sample_is_answered_with_the_known_ones():
    with pytest.raises(UnknownName, match="devices, handbook"):
        samples.load("../handbook")
