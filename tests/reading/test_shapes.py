"""Where the records of a JSON file are: answers of servers, dumps of libraries, maps by id, tables by column."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.reading.read import ReadResult, read_files

TENTS, FERRY, SEALS = "Tents are aired in May.", "The ferry leaves at noon.", "Seals rest on the pier."
TAGS = ["camping gear for everybody", "outdoor life", "a third long tag of a record", "summer"]


def read(value: object, name: str = "boats.json") -> ReadResult:
    return read_files([(name, json.dumps(value, ensure_ascii=False).encode())])


def lines(*values: object) -> ReadResult:
    text = "\n".join(json.dumps(value) for value in values)
    return read_files([("boats.jsonl", text.encode())])


def triples(result: ReadResult) -> list[tuple[str, str, str]]:
    return [(d.id, d.title, d.text) for d in result.documents]


BOTH = [("e1", "Tents", TENTS), ("e2", "Ferry", FERRY)]


def hits(*sources: Any) -> Any:
    return {"took": 3, "hits": {"total": {"value": 2}, "hits": list(sources)}}


def langchain(key: str, title: str, text: str) -> Any:
    kind = ["langchain", "schema", "document", "Document"]
    kwargs = {"id": key, "page_content": text, "metadata": {"title": title, "tags": TAGS}, "type": "Document"}
    return {"lc": 1, "type": "constructor", "id": kind, "kwargs": kwargs}


def notion(key: str, title: str, text: str) -> Any:
    properties = {
        "Name": {"id": "title", "type": "title", "title": [{"type": "text", "plain_text": title}]},
        "Notes": {"id": "x", "type": "rich_text", "rich_text": [{"plain_text": text[:7]}, {"plain_text": text[7:]}]},
        "Tags": {"id": "y", "type": "multi_select", "multi_select": [{"name": tag} for tag in TAGS]},
    }
    return {"object": "page", "id": key, "properties": properties}


ANSWERS: dict[str, Any] = {
    "elasticsearch": hits(
        {"_id": "e1", "_score": 1.0, "_source": {"title": "Tents", "body": TENTS, "tags": TAGS}},
        {"_id": "e2", "_score": 1.0, "_source": {"title": "Ferry", "body": FERRY, "tags": TAGS}},
    ),
    "elasticsearch with highlights": hits(
        *(
            {"_id": key, "_source": {"title": title, "body": text}, "highlight": {"body": [f"<em>{text}</em>" * 3]}}
            for key, title, text in BOTH
        )
    ),
    "solr": {
        "responseHeader": {"status": 0},
        "response": {"docs": [{"id": k, "title": [title], "body": [text], "tags": TAGS} for k, title, text in BOTH]},
    },
    "solr with types in its names": {
        "response": {"docs": [{"id": k, "title_s": title, "body_t": text, "tags_ss": TAGS} for k, title, text in BOTH]}
    },
    "qdrant": {
        "result": {
            "points": [
                {"id": k, "payload": {"page_content": text, "metadata": {"title": title, "tags": TAGS}}, "vector": None}
                for k, title, text in BOTH
            ]
        },
        "status": "ok",
    },
    "weaviate": {
        "data": {
            "Get": {
                "Club": [
                    {"title": title, "body": text, "tags": TAGS, "_additional": {"id": k}} for k, title, text in BOTH
                ]
            }
        }
    },
    "typesense": {
        "hits": [
            {
                "document": {"id": k, "title": title, "description": text, "tags": TAGS},
                "highlights": [{"field": "description", "snippet": f"<mark>{text}</mark>" * 3}],
            }
            for k, title, text in BOTH
        ]
    },
    "chroma": {
        "ids": ["e1", "e2"],
        "documents": [TENTS, FERRY],
        "metadatas": [{"title": "Tents"}, {"title": "Ferry"}],
        "included": ["documents", "metadatas"],
    },
    "langchain": [langchain(*record) for record in BOTH],
    "notion": {"object": "list", "results": [notion(*record) for record in BOTH]},
    "airtable": {
        "records": [{"id": k, "fields": {"Name": title, "Notes": text, "Tags": TAGS}} for k, title, text in BOTH]
    },
    "mongodb": [{"_id": {"$oid": k}, "title": title, "text": text, "tags": TAGS} for k, title, text in BOTH],
    "dynamodb": {
        "Items": [{"id": {"S": k}, "title": {"S": t}, "body": {"S": x}, "tags": {"SS": TAGS}} for k, t, x in BOTH]
    },
    "an object that nobody knows": {
        "ok": True,
        "answer": [
            {"key": k, "thing": {"inner": {"heading": title, "body": text}}, "kw": TAGS} for k, title, text in BOTH
        ],
    },
    "objects without a name of a text": [
        {"id": k, "obj": {"title": title, "remark": text, "words": TAGS}} for k, title, text in BOTH
    ],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_text_of_a_record_counts_more_than_its_lists_of_words(name: str) -> None:
    result = read(ANSWERS[name])
    assert triples(result) == BOTH
    assert result.problems == ()


def test_records_in_objects_are_the_same_line_by_line() -> None:
    result = lines(*ANSWERS["elasticsearch"]["hits"]["hits"])
    assert triples(result) == BOTH
    assert result.documents[0].metadata["tags"] == TAGS


def node(key: str, text: str) -> Any:
    related = {"1": {"node_id": "r1", "metadata": {"file_name": "a long name of a file in the club.txt"}}}
    return {"__data__": {"id_": key, "relationships": related, "text": text, "template": "{a} {b}"}, "__type__": "1"}


THREE = {"n1": TENTS, "n2": FERRY, "n3": SEALS}
BY_KEY: dict[str, Any] = {
    "a store of LlamaIndex": {
        "docstore/metadata": {key: {"doc_hash": "ff", "ref_doc_id": "r1"} for key in THREE},
        "docstore/data": {key: node(key, text) for key, text in THREE.items()},
        "docstore/ref_doc_info": {"r1": {"node_ids": list(THREE), "metadata": {"title": "A title of the whole file"}}},
    },
    "its former form": {
        "docstore": {"docs": {key: {"text": text, "doc_id": key, "extra_info": {}} for key, text in THREE.items()}}
    },
    "records below their ids": {"data": {key: {"text": text, "tags": TAGS} for key, text in THREE.items()}},
    "records two levels below": {
        "status": "ok",
        "answer": {"pages": {key: {"nr": 1, "body": text} for key, text in THREE.items()}, "n": 3},
    },
    "records in objects": {key: {"doc": {"content": text}} for key, text in THREE.items()},
    "texts below their ids": {"version": 1, "docs": THREE},
    "splits": {"train": {"n1": {"text": TENTS}, "n2": {"text": FERRY}}, "test": {"n3": {"text": SEALS}}},
}


@pytest.mark.parametrize("name", BY_KEY)
def test_records_by_key_are_read_at_any_depth(name: str) -> None:
    assert [(d.id, d.text) for d in read(BY_KEY[name])] == list(THREE.items())


def test_a_blank_record_by_key_is_told_and_the_others_are_read() -> None:
    values = {"docs": {f"d{i}": {"text": TENTS if i else ""} for i in range(6)}}
    result = read(values)
    assert [d.id for d in result] == ["d1", "d2", "d3", "d4", "d5"]
    assert "“text” is empty" in result.problems[0].message


ROWS = [["Tents", TENTS], ["Ferry", FERRY], ["Seals", SEALS]]
COLUMNS: dict[str, Any] = {
    "pandas": {
        "title": {str(i): row[0] for i, row in enumerate(ROWS)},
        "text": {str(i): row[1] for i, row in enumerate(ROWS)},
    },
    "pandas with an index": {"title": {row[0]: row[0] for row in ROWS}, "text": dict(ROWS)},
    "pandas, split": {"columns": ["title", "text"], "index": [0, 1, 2], "data": ROWS},
    "pandas, by index": {str(i): {"title": title, "text": text} for i, (title, text) in enumerate(ROWS)},
    "pandas, a table": {
        "schema": {"fields": [{"name": "title", "type": "string"}, {"name": "text", "type": "string"}]},
        "data": [{"title": title, "text": text} for title, text in ROWS],
    },
    "lists of one length": {"titles": [row[0] for row in ROWS], "texts": [row[1] for row in ROWS]},
    "lists below a name": {"data": {"title": [row[0] for row in ROWS], "content": [row[1] for row in ROWS]}, "n": 3},
    "an answer in SQL": {"columns": [{"name": "title"}, {"name": "body"}], "rows": ROWS},
    "rows below their names": [["title", "text"], *ROWS],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_that_is_written_by_column_is_a_table(name: str) -> None:
    assert [[d.title, d.text] for d in read(COLUMNS[name])] == ROWS


def test_columns_without_usual_names_and_rows_without_names_are_tables() -> None:
    by_number = {"Bemerkung": {"0": TENTS, "1": FERRY}, "Nr": {"0": 5, "1": 6}}
    assert [(d.text, d.metadata["Nr"]) for d in read(by_number)] == [(TENTS, 5), (FERRY, 6)]
    assert [(d.text, d.metadata["nr"]) for d in read({"nr": [5, 6], "remark": [TENTS, FERRY]})] == [
        (TENTS, 5),
        (FERRY, 6),
    ]
    assert [d.text for d in read(ROWS)] == [TENTS, FERRY, SEALS]


def test_an_index_of_ids_gives_the_ids() -> None:
    split = {"columns": ["title", "text"], "index": ["a", "b", "c"], "data": ROWS}
    assert [d.id for d in read(split)] == ["a", "b", "c"]


def test_lists_of_texts_under_two_names_are_no_table() -> None:
    result = read({"boats": [FERRY, SEALS], "tents": [TENTS, TENTS + " " + SEALS]})
    assert [d.text for d in result] == [FERRY, SEALS, TENTS, TENTS + " " + SEALS]


POEM = ["渡船朝发白沙洲，", "一夜江声入客楼。"]


@pytest.mark.parametrize("name", ["paragraphs", "text", "lines", "诗句"])
def test_a_list_of_lines_is_the_text_of_its_record(name: str) -> None:
    result = read([{"author": "甲", name: POEM, "title": "夜泊", "id": "p-1", "tags": ["江", "夜"]}])
    assert triples(result) == [("p-1", "夜泊", "\n".join(POEM))]
    assert result.documents[0].metadata["tags"] == ["江", "夜"]


def test_a_list_of_passages_gives_a_document_each_with_the_title_above() -> None:
    result = read([{"title": "Camp", "passages": [TENTS, FERRY]}, {"title": "Pier", "passages": [SEALS]}])
    assert [(d.title, d.text) for d in result] == [("Camp", TENTS), ("Camp", FERRY), ("Pier", SEALS)]


def test_a_list_of_words_is_not_the_text_of_a_record() -> None:
    result = read([{"name": "Tents", "about": TENTS, "authors": ["Ann Lee", "Bo Lim", "Cy Fox", "Di Ray"]}])
    assert [d.text for d in result] == [TENTS]


def test_the_id_of_the_passage_counts_before_that_of_its_document() -> None:
    marco = {"pid": "passage_00_0", "passage": TENTS, "docid": "doc_00"}, {"pid": "passage_00_7", "passage": FERRY}
    assert [d.id for d in lines(*marco)] == ["passage_00_0", "passage_00_7"]
    chunks = [{"doc_id": "a", "chunk_id": f"a#{i}", "chunk": text} for i, text in enumerate((TENTS, FERRY))]
    assert [d.id for d in read(chunks)] == ["a#0", "a#1"]
    numbered = [{"document_id": f"d{i}", "segment_id": 0, "text": text} for i, text in enumerate((TENTS, FERRY, SEALS))]
    assert [d.id for d in read(numbered)] == ["d0", "d1", "d2"]


def test_wide_and_deep_values_are_read_in_bounds() -> None:
    deep: Any = {"text": TENTS}
    for _ in range(300):
        deep = {"a": deep, "b": {"c": deep}} if not isinstance(deep, dict) else {"a": deep}
    assert read(deep).documents == ()
    wide = {f"k{i}": {f"m{j}": {"v": {"w": j}} for j in range(30)} for i in range(300)}
    assert read(wide).documents == ()


def test_one_record_alone_has_its_lines_as_its_text() -> None:
    assert triples(read({"id": "p-1", "title": "夜泊", "author": "甲", "paragraphs": POEM})) == [
        ("p-1", "夜泊", "\n".join(POEM))
    ]
    songs = [{"name": "Rowing", "artist": "Ann Lee and her band", "verses": ["Row the boat", "down the stream"]}]
    assert [(d.title, d.text) for d in read(songs)] == [("Rowing", "Row the boat\ndown the stream")]


def test_links_of_a_page_are_not_its_text() -> None:
    links = [{"text": "home", "href": "/"}, {"text": "all tents", "href": "/tents"}]
    pages = [{"url": k, "page": {"title": title, "content": text}, "links": links} for k, title, text in BOTH]
    assert [(d.title, d.text) for d in read({"pages": pages})] == [(title, text) for _, title, text in BOTH]


@pytest.mark.parametrize("name", ["content", "document", "text"])
def test_a_name_of_a_text_may_hold_an_object_with_the_text(name: str) -> None:
    records = [{"id": k, name: {"text": text, "type": "TEXT"}, "score": 0.5} for k, _, text in BOTH]
    assert [(d.id, d.text) for d in read({"results": records})] == [(k, text) for k, _, text in BOTH]


def test_fields_that_are_lists_of_one_value_are_values() -> None:
    fields = [{"_id": k, "fields": {"title": [title], "body": [text], "tags": TAGS}} for k, title, text in BOTH]
    assert triples(read(hits(*fields))) == BOTH


NAMES = st.sampled_from(
    [
        "_id",
        "text",
        "title",
        "tags",
        "_source",
        "hits",
        "rows",
        "columns",
        "index",
        "queries",
        "corpus",
        "qas",
        "question",
    ]
    + ["context", "answers", "turn", "messages", "mapping", "type", "ts", "value", "$oid", "S", "requests", "ratings"]
    + ["qrels", "query_id", "doc_id", "score", "paragraphs", "highlight", "metadata", "content", "0", "1", "delete"]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "d1", "ok", TENTS, FERRY, *POEM])
VALUES = st.recursive(LEAVES, lambda v: st.lists(v, max_size=4) | st.dictionaries(NAMES, v, max_size=4), max_leaves=25)


@given(value=VALUES, name=st.sampled_from(["a.json", "topics.json", "qrels.json", "queries.json", "rank_eval.json"]))
def test_no_json_is_called_damaged(value: object, name: str) -> None:
    corpus = ("corpus.jsonl", b'{"_id": "d1", "text": "Tents are aired in May."}\n')
    result = read_files([corpus, (name, json.dumps(value, ensure_ascii=False).encode())])
    assert not any("damaged" in str(problem) for problem in result.problems)


def test_records_by_key_do_not_give_their_fields_again() -> None:
    values = {f"k{i}": {"v": i, "w": {"t": f"some words {i}"}} for i in range(3)}
    assert [(d.id, d.text) for d in read(values)] == [(f"k{i}", f"some words {i}") for i in range(3)]


DOCS = [{"id": k, "title": title, "text": text} for k, title, text in BOTH]


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ({"hits": {"total": {"value": 250}, "max_score": 1, "hits": [{"_source": doc} for doc in DOCS]}}, "hits.total"),
        ({"response": {"numFound": 250, "start": 0, "docs": DOCS}}, "response.numFound"),
        (
            {"root": {"fields": {"totalCount": 250}, "children": [{"fields": doc} for doc in DOCS]}},
            "root.fields.totalCount",
        ),
        ({"@odata.count": 250, "value": DOCS}, "@odata.count"),
        ({"code": 0, "data": {"total": 250, "pageSize": 2, "list": DOCS}}, "data.total"),
        ({"total": 250, "items": DOCS}, ""),  # perhaps an amount of money
        ({"nbHits": 2, "hits": DOCS}, ""),
        ({"a": {"text": TENTS, "count": 250, "page": 3}, "b": {"text": FERRY, "count": 250, "page": 4}}, ""),
    ],
)
def test_an_answer_that_counts_more_hits_than_it_holds_says_so(answer: Any, place: str) -> None:
    problems = [(str(p.place), str(p.message)) for p in read(answer).problems]
    assert problems == [(place, "Records in the file: 2 of 250.")] * bool(place)
