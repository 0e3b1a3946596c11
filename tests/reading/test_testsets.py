"""Test sets in JSON: passages are documents, questions are questions, and what belongs together is a judgment."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lab.reading.ratings import ANSWERED
from lab.reading.read import ReadResult, read_files

TENTS, FERRY, SEALS = "Tents are aired in May.", "The ferry leaves at noon.", "Seals rest on the pier."
WHEN, LEAVES = "When are tents aired?", "When does the ferry leave?"


def read(name: str, *values: object) -> ReadResult:
    return read_files([(name, "\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode())])


def judged(result: ReadResult) -> dict[str, dict[str, int]]:
    """The grades of the texts of the documents by the texts of the questions."""
    texts, questions = {d.id: d.text for d in result.documents}, {q.id: q.text for q in result.queries}
    return {questions[q]: {texts[d]: grade for d, grade in grades.items()} for q, grades in result.qrels.items()}


def squad(**more: Any) -> Any:
    return {"id": "56a", "question": WHEN, "answers": [{"text": "May", "answer_start": 19}], **more}


ONE = {WHEN: {TENTS: 1}}
WITH_SEALS = {WHEN: {TENTS: 1, SEALS: 0}}
SETS: dict[str, tuple[list[Any], dict[str, dict[str, int]]]] = {
    "SQuAD": ([{"data": [{"title": "Camp", "paragraphs": [{"context": TENTS, "qas": [squad()]}]}]}], ONE),
    "SQuAD 2.0": (
        [
            {
                "version": "v2.0",
                "data": [
                    {
                        "title": "Camp",
                        "paragraphs": [
                            {
                                "context": TENTS,
                                "qas": [squad(), {"id": "x", "question": LEAVES, "answers": [], "is_impossible": True}],
                            },
                            {"context": SEALS, "qas": []},
                        ],
                    }
                ],
            }
        ],
        {WHEN: {TENTS: 1}, LEAVES: {TENTS: 0}},
    ),
    "SQuAD, flat": (
        [[{"id": "56a", "context": TENTS, "question": WHEN, "answers": {"text": ["May"], "answer_start": [19]}}]],
        ONE,
    ),
    "RAGAS": (
        [
            {
                "user_input": WHEN,
                "retrieved_contexts": [TENTS, SEALS],
                "reference_contexts": [TENTS],
                "response": "May.",
                "reference": "May",
            }
        ],
        ONE,
    ),
    "RAGAS, former names, by column": ([{"question": [WHEN], "contexts": [[TENTS]], "ground_truth": ["May"]}], ONE),
    "DeepEval": (
        [
            [
                {
                    "input": WHEN,
                    "actual_output": None,
                    "expected_output": "May",
                    "context": [TENTS],
                    "retrieval_context": [SEALS],
                }
            ]
        ],
        ONE,
    ),
    "RGB": ([{"id": 0, "query": WHEN, "answer": [["May"]], "positive": [TENTS], "negative": [SEALS]}], WITH_SEALS),
    "MuSiQue": (
        [
            {
                "id": "2hop",
                "question": WHEN,
                "answer": "May",
                "paragraphs": [
                    {"idx": 0, "title": "Camp", "paragraph_text": TENTS, "is_supporting": True},
                    {"idx": 1, "title": "Pier", "paragraph_text": SEALS, "is_supporting": False},
                ],
            }
        ],
        WITH_SEALS,
    ),
    "HotpotQA": (
        [
            [
                {
                    "_id": "h",
                    "question": WHEN,
                    "answer": "May",
                    "supporting_facts": [["Camp", 0]],
                    "context": [["Camp", ["Tents are aired", " in May."]], ["Pier", [SEALS]]],
                }
            ]
        ],
        WITH_SEALS,
    ),
    "HotpotQA, by column": (
        [
            {
                "id": "h",
                "question": WHEN,
                "answer": "May",
                "supporting_facts": {"title": ["Camp"], "sent_id": [0]},
                "context": {"title": ["Camp", "Pier"], "sentences": [[TENTS], [SEALS]]},
            }
        ],
        WITH_SEALS,
    ),
    "MS MARCO": (
        [
            {
                "query": WHEN,
                "query_id": 7,
                "answers": ["May"],
                "passages": [{"is_selected": 1, "passage_text": TENTS}, {"is_selected": 0, "passage_text": SEALS}],
            }
        ],
        WITH_SEALS,
    ),
    "MS MARCO, by column": (
        [
            {
                "query": {"0": WHEN},
                "query_id": {"0": 7},
                "answers": {"0": ["May"]},
                "passages": {
                    "0": [{"is_selected": 1, "passage_text": TENTS}, {"is_selected": 0, "passage_text": SEALS}]
                },
            }
        ],
        WITH_SEALS,
    ),
    "DuReader": (
        [
            {
                "question_id": 1,
                "question": WHEN,
                "answers": ["May"],
                "documents": [
                    {"title": "Camp", "paragraphs": [TENTS], "is_selected": True},
                    {"title": "Pier", "paragraphs": [SEALS], "is_selected": False},
                ],
            }
        ],
        WITH_SEALS,
    ),
    "CMRC": (
        [
            [
                {
                    "context_id": "c",
                    "context_text": TENTS,
                    "title": "Camp",
                    "qas": [{"query_id": "c_0", "query_text": WHEN, "answers": ["May"]}],
                }
            ]
        ],
        ONE,
    ),
    "DPR": (
        [
            [
                {
                    "question": WHEN,
                    "answers": ["May"],
                    "positive_ctxs": [{"title": "Camp", "text": TENTS, "passage_id": "p1"}],
                    "negative_ctxs": [],
                    "hard_negative_ctxs": [{"title": "Pier", "text": SEALS, "passage_id": "p2"}],
                }
            ]
        ],
        WITH_SEALS,
    ),
    "LlamaIndex, generated": (
        [{"examples": [{"query": WHEN, "reference_contexts": [TENTS], "reference_answer": "May"}]}],
        ONE,
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_a_test_set_gives_passages_questions_judgments_and_answers(name: str) -> None:
    values, grades = SETS[name]
    result = read("set.jsonl" if isinstance(values[0], dict) else "set.json", *values)
    assert judged(result) == grades
    assert result.problems == ()
    assert {d.text for d in result.documents} <= {TENTS, SEALS}
    assert result.queries[0].metadata[ANSWERED] == "May"
    assert len({d.text for d in result.documents}) == len(result.documents)


TRIPLETS: dict[str, list[Any]] = {
    "names": [{"anchor": WHEN, "positive": TENTS, "negative": SEALS}],
    "lists": [{"query": WHEN, "pos": [TENTS], "neg": [SEALS]}],
    "labels": [{"query": WHEN, "passage": TENTS, "label": 1}, {"query": WHEN, "passage": SEALS, "label": 0}],
    "objects": [
        {"query_id": "1", "query": WHEN, "positive_passages": [{"text": TENTS}], "negative_passages": [{"text": SEALS}]}
    ],
}


@pytest.mark.parametrize("name", TRIPLETS)
def test_triplets_are_a_test_set(name: str) -> None:
    assert judged(read("train.jsonl", *TRIPLETS[name])) == WITH_SEALS


def test_questions_passages_and_judgments_by_id_keep_their_ids() -> None:
    value = {"queries": {"q1": WHEN}, "corpus": {"n1": TENTS, "n2": SEALS}, "relevant_docs": {"q1": ["n1"]}}
    result = read("finetune.json", value)
    assert [(d.id, d.text) for d in result] == [("n1", TENTS), ("n2", SEALS)]
    assert [(q.id, q.text) for q in result.queries] == [("q1", WHEN)]
    assert {q: dict(g) for q, g in result.qrels.items()} == {"q1": {"n1": 1}}


def test_one_passage_of_several_questions_is_one_document() -> None:
    flat = [{"id": f"q{i}", "title": "Camp", "context": TENTS, "question": f"{WHEN} {i}"} for i in range(3)]
    result = read("flat.json", flat)
    assert [(d.title, d.text) for d in result] == [("Camp", TENTS)]
    assert list(result.qrels) == ["q0", "q1", "q2"]


def test_several_answers_stay_and_a_word_for_none_does_not() -> None:
    passages = [{"is_selected": 0, "passage_text": TENTS}]
    first = {"query": WHEN, "query_id": 1, "answers": ["May", "in May"], "passages": passages}
    second = {"query": LEAVES, "query_id": 2, "answers": ["No Answer Present."], "passages": passages}
    result = read("marco.jsonl", first, second)
    assert [q.metadata.get(ANSWERED) for q in result.queries] == [["May", "in May"], None]


CAST = {
    "number": 31,
    "title": "tents",
    "turn": [
        {"number": 1, "raw_utterance": "What are tents?", "manual_rewritten_utterance": "What are tents?"},
        {
            "number": 2,
            "raw_utterance": "When are they aired?",
            "manual_rewritten_utterance": WHEN,
            "passage": TENTS,
            "canonical_result_id": "MARCO_D1",
        },
    ],
}


def test_topics_of_cast_are_turns_and_their_rewritten_questions() -> None:
    result = read("topics.json", [CAST])
    assert [(q.id, q.text) for q in result.queries] == [("31_1", "What are tents?"), ("31_2", WHEN)]
    assert [(t.text, t.metadata["conversation"], t.metadata["turn"]) for t in result.turns] == [
        ("What are tents?", "31", 1),
        ("When are they aired?", "31", 2),
    ]
    assert [(d.id, d.text) for d in result] == [("MARCO_D1", TENTS)]
    assert dict(result.turn_qrels["31_2"]) == {"MARCO_D1": 1}


def test_topics_with_answers_between_them_count_the_questions_only() -> None:
    turns = [
        {"number": "1-1", "participant": "User", "utterance": "When are they aired?"},
        {"number": "1-2", "participant": "System", "response": "In May.", "provenance": ["MARCO_1"]},
        {"number": "1-3", "participant": "User", "utterance": "Why?"},
    ]
    result = read("topics.json", [{"number": "132", "turn": turns}])
    assert [(t.id, t.metadata["turn"]) for t in result.turns] == [("132_1-1", 1), ("132_1-3", 2)]
    ikat = {"number": "9-1", "turns": [{"turn_id": 1, "utterance": "Which?", "resolved_utterance": LEAVES}]}
    assert [(q.id, q.text) for q in read("ikat.json", [ikat]).queries] == [("9-1_1", LEAVES)]


def test_conversations_with_the_passages_of_their_answers_are_turns() -> None:
    contexts = [
        {"document_id": "d1", "text": TENTS, "feedback": {"relevant": {"a": {"value": "yes"}}}},
        {"document_id": "d2", "text": SEALS, "feedback": {"relevant": {"a": {"value": "no"}}}},
    ]
    messages = [{"speaker": "user", "text": WHEN}, {"speaker": "agent", "text": "In May.", "contexts": contexts}]
    result = read("talks.json", [{"messages": messages}])
    assert {q: dict(g) for q, g in result.turn_qrels.items()} == {"1_1": {"d1": 1, "d2": 0}}
    task = {"task_id": "c<::>2", "conversation_id": "c", "contexts": contexts[:1], "targets": [{"text": "In May."}]}
    spoken = [*messages[:1], {"speaker": "agent", "text": "Yes."}, {"speaker": "user", "text": LEAVES}]
    (turn,) = read("tasks.jsonl", {**task, "input": spoken}).turns
    assert (turn.id, turn.text, dict(turn.metadata)) == ("c<::>2", LEAVES, {"conversation": "c", "turn": 2})


def test_pairs_of_question_and_answer_and_chats_are_no_test_set() -> None:
    for values in (
        [{"question": WHEN, "answer": TENTS}, {"question": LEAVES, "answer": FERRY}],
        [{"instruction": WHEN, "input": "", "output": TENTS}],
        [{"title": WHEN, "context": TENTS, "url": "https://example.org"}],
    ):
        result = read("faq.json", values)
        assert (len(result.queries), len(result.documents)) == (0, len(values))


def test_a_blank_question_is_told_and_its_passage_stays() -> None:
    result = read("set.json", [squad(context=TENTS), {"question": " ", "context": FERRY}, squad(id="c", context=SEALS)])
    assert [d.text for d in result] == [TENTS, FERRY, SEALS]
    assert "The query is empty." in result.problems[0].message


def test_a_paragraph_without_questions_is_a_document() -> None:
    paragraphs = [{"context": TENTS, "qas": [squad()]}, {"context": SEALS, "qas": []}]
    result = read("squad.json", {"data": [{"title": "Camp", "paragraphs": paragraphs}]})
    assert [d.text for d in result] == [TENTS, SEALS]
    assert (len(result.queries), result.problems) == (1, ())


def test_questions_by_their_ids_and_answers_of_one_word_are_read() -> None:
    records = {"12": {"QUESTION": WHEN, "CONTEXTS": [TENTS], "LONG_ANSWER": "In May."}}
    records["13"] = {"QUESTION": LEAVES, "CONTEXTS": [FERRY], "LONG_ANSWER": "At noon."}
    result = read("pubmed.json", records)
    assert [(q.id, q.metadata[ANSWERED]) for q in result.queries] == [("12", "In May."), ("13", "At noon.")]
    (query,) = read("bool.jsonl", {"question": "are tents aired", "passage": TENTS, "answer": True}).queries
    assert query.metadata[ANSWERED] == "yes"
