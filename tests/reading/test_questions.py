"""Questions beside a corpus and its judgments, under any usual name and in any usual form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.corpus.beir import load
from lab.reading.ratings import ANSWERED, NEEDED
from lab.reading.read import ReadResult, read_file, read_files

from making import zipped  # isort: skip

CORPUS = '{"_id": "d1", "text": "Tents are aired in May."}\n{"_id": "d2", "text": "The ferry leaves at noon."}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n"
TENTS, FERRY = "when are tents aired", "when does the ferry leave"
ASKED = [("q1", TENTS), ("q2", FERRY)]
TOPICS = f"""<top>
<num> Number: q1
<title> {TENTS}

<desc> Description:
Which month?

<narr> Narrative:
A month is enough.
</top>

<top>
<num> Number: q2
<title> {FERRY}
<desc> Description:
At which hour?
</top>
"""
XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<topics task="ad hoc">
  <topic number="q1"><query>{TENTS}</query><narrative>Tents &amp; poles.</narrative></topic>
  <topic number="q2" type="single"><query>{FERRY}</query></topic>
</topics>
"""
FORMS = {
    "queries.tsv": f"q1\t{TENTS}\nq2\t{FERRY}\n",
    "queries.csv": f"id,text\nq1,{TENTS}\nq2,{FERRY}\n",
    "questions.csv": f'question_id,question\nq1,{TENTS}\nq2,"{FERRY}"\n',
    "dev.queries.tsv": f"qid\tquery\nq1\t{TENTS}\nq2\t{FERRY}\n",
    "topics.txt": f"q1 {TENTS}\nq2 {FERRY}\n",
    "topics.web.txt": f"q1:{TENTS}\nq2:{FERRY}\n",
    "topics.1-2.txt": TOPICS,
    "topics.xml": XML,
    "asked.tsv": f"q1\t{TENTS}\nq2\t{FERRY}\n",
    "queries.json": json.dumps(dict(ASKED)),
    "questions.json": json.dumps({"questions": [{"id": key, "question": text} for key, text in ASKED]}),
    "topics.jsonl": "\n".join(json.dumps({"qid": key, "title": text}) for key, text in ASKED),
}


def read(**files: str) -> ReadResult:
    return read_files([(name, text.encode()) for name, text in files.items()])


def asked(result: ReadResult) -> list[tuple[str, str]]:
    return [(q.id, q.text) for q in result.queries]


@pytest.mark.parametrize("name", FORMS)
def test_questions_are_known_by_the_ids_in_the_judgments(name: str, tmp_path: Path) -> None:
    files = {"corpus.jsonl": CORPUS, "qrels/test.tsv": QRELS, name: FORMS[name]}
    one_by_one = read(**files)
    assert (asked(one_by_one), len(one_by_one), one_by_one.problems) == (ASKED, 2, ())
    assert {q: dict(g) for q, g in one_by_one.qrels.items()} == {"q1": {"d1": 1}, "q2": {"d2": 1}}
    packed = read_file("set.zip", zipped(files))
    assert (asked(packed), len(packed)) == (ASKED, 2)
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
    assert [(q.id, q.text) for q in load(tmp_path).queries] == ASKED


@pytest.mark.parametrize(
    "corpus",
    [
        {"collection.tsv": "id\ttext\nd1\tTents are aired in May.\nd2\tThe ferry leaves at noon.\n"},
        {"docs.jsonl": CORPUS.replace("_id", "id")},
        {"corpus.json": json.dumps({"d1": "Tents are aired in May.", "d2": "The ferry leaves at noon."})},
    ],
)
def test_the_corpus_may_have_another_name(corpus: dict[str, str]) -> None:
    result = read(**corpus, **{"qrels.txt": "q1 0 d1 1\nq2 0 d2 1\n", "queries.tsv": FORMS["queries.tsv"]})
    assert (asked(result), sorted(d.id for d in result), result.problems) == (ASKED, ["d1", "d2"], ())
    assert len(result.qrels) == 2


def test_documents_and_questions_may_have_the_same_numbers() -> None:
    docs = "id,text\n1,Tents are aired in May.\n2,The ferry leaves at noon.\n"
    files = {"docs.csv": docs, "qrels.txt": "1 0 1 1\n2 0 2 1\n", "topics.csv": f"id,query\n1,{TENTS}\n2,{FERRY}\n"}
    result = read(**files)
    assert asked(result) == [("1", TENTS), ("2", FERRY)]
    assert [d.text for d in result] == ["Tents are aired in May.", "The ferry leaves at noon."]


@pytest.mark.parametrize("name", ["topics.1-2.txt", "topics.xml"])
def test_topics_of_trec_are_questions_without_a_corpus_too(name: str) -> None:
    result = read(**{name: FORMS[name]})
    assert (asked(result), len(result)) == (ASKED, 0)
    needs = {"topics.xml": "Tents & poles.", "topics.1-2.txt": "Which month? A month is enough."}
    assert result.queries[0].metadata == {NEEDED: needs[name]}


def test_other_wordings_are_named_and_answers_join_their_questions() -> None:
    spoken = '{"_id": "q1", "text": "when are they aired"}\n{"_id": "q2", "text": "and the ferry"}\n'
    queries = "".join(json.dumps({"_id": key, "text": text}) + "\n" for key, text in ASKED)
    answers = '{"_id": "q1", "answers": ["May"]}\n{"_id": "q2", "answers": ["noon", "12"]}\n'
    files = {"corpus.jsonl": CORPUS, "queries.jsonl": queries, "queries_raw.jsonl": spoken, "answers.jsonl": answers}
    result = read(**files, **{"qrels/test.tsv": QRELS})
    assert (asked(result), len(result), result.problems) == (ASKED, 2, ())
    assert [q.metadata[ANSWERED] for q in result.queries] == ["May", ["noon", "12"]]
    texts = {f.file: str(f.text) for f in result.files}
    assert texts["queries_raw.jsonl"] == "not used: the questions of “queries.jsonl” count"
    assert texts["answers.jsonl"] == "answers of 2 questions"


def test_of_two_files_with_the_same_ids_one_counts() -> None:
    files = {"corpus.jsonl": CORPUS, "qrels/test.tsv": QRELS, "queries.tsv": FORMS["queries.tsv"]}
    result = read(**files, **{"topics.txt": FORMS["topics.txt"]})
    assert asked(result) == ASKED
    assert "not used" in str(result.files[-1].text)


def test_questions_with_answers_alone_stay_documents() -> None:
    faq = f"id,question,answer\n1,{TENTS}?,Tents are aired in May.\n2,{FERRY}?,The ferry leaves at noon.\n"
    result = read(**{"questions.csv": faq, "notes.txt": "Bring a rope."})
    assert (len(result.queries), len(result)) == (0, 3)
