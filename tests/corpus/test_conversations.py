"""Conversations: read beside the questions, written back, carried by uploads; what is wrong is said with its line."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from lab.algebra import Corpus, Query
from lab.corpus import beir, samples
from lab.corpus.conversations import Conversation, by_ids, lines
from lab.errors import CorpusError
from lab.reading.read import read_files

TURNS = [
    {"_id": "a-1", "conversation": "a", "turn": 1, "text": "How loud is the fan?", "metadata": {"type": "opening"}},
    {"_id": "b-1", "conversation": "b", "turn": 1, "text": "年假有几天？"},
    {"_id": "a-2", "conversation": "a", "turn": 2, "text": "And at night?"},
]
QRELS = "query-id\tcorpus-id\tscore\na-1\td1\t2\na-2\td2\t1\nb-1\td2\t0\n"


def folder(tmp_path, turns=TURNS, qrels=QRELS):
    home = tmp_path / "fans"
    (home / "qrels").mkdir(parents=True)
    documents = [{"_id": "d1", "text": "The fan is loud."}, {"_id": "d2", "text": "At night it is quiet."}]
    files = {"corpus": documents, "queries": [{"_id": "q1", "text": "fan"}], "conversations": turns}
    for name, records in files.items():
        written = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
        (home / f"{name}.jsonl").write_text("\n".join(written) + "\n", "utf-8")
    (home / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "utf-8")
    (home / "qrels" / "conversations.tsv").write_text(qrels, "utf-8")
    return home


def told(collection: beir.Collection) -> object:
    """All that a collection says of its conversations."""
    turns = [(c.id, [(t.id, t.text, dict(t.metadata)) for t in c]) for c in collection.conversations]
    return turns, {turn: dict(grades) for turn, grades in collection.turn_qrels.items()}


def test_conversations_are_read_turn_by_turn_in_the_order_of_their_first_lines(tmp_path):
    found = beir.load(folder(tmp_path))
    assert [(c.id, [t.id for t in c]) for c in found.conversations] == [("a", ["a-1", "a-2"]), ("b", ["b-1"])]
    assert dict(found.conversations[0].turns[0].metadata) == {"type": "opening"}
    assert {turn: dict(grades) for turn, grades in found.turn_qrels.items()} == {
        "a-1": {"d1": 2},
        "a-2": {"d2": 1},
        "b-1": {"d2": 0},
    }


def test_conversations_change_nothing_of_the_questions(tmp_path):
    with_them = beir.load(home := folder(tmp_path))
    (home / "conversations.jsonl").unlink()
    (home / "qrels" / "conversations.tsv").unlink()
    without = beir.load(home)
    assert (with_them.queries, with_them.judged, with_them.qrels) == (without.queries, without.judged, without.qrels)
    assert with_them.fingerprint == without.fingerprint
    assert with_them.query_by_text("And at night?") is None
    assert without.conversations == ()
    assert without.spoken.queries == ()


def test_the_turns_are_questions_of_a_collection_of_their_own(tmp_path):
    spoken = beir.load(folder(tmp_path, qrels=QRELS + "a-2\tgone\t1\n")).spoken
    assert [q.id for q in spoken.queries] == ["a-1", "a-2", "b-1"]
    assert [q.id for q in spoken.judged] == ["a-1", "a-2"]
    assert spoken.unknown == (("a-2", "gone"),)


def test_what_is_written_comes_back(tmp_path):
    found = beir.load(folder(tmp_path))
    beir.write(found, tmp_path / "out")
    assert told(beir.load(tmp_path / "out")) == told(found)
    a, b = found.conversations
    assert [(x["conversation"], x["turn"]) for x in lines([b, a])] == [("b", 1), ("a", 1), ("a", 2)]


def test_an_upload_carries_them_as_a_folder_does_zipped_or_file_by_file(tmp_path):
    home = folder(tmp_path)
    ours = beir.load(home)
    assert told(beir.load(shutil.make_archive(str(tmp_path / "fans"), "zip", home))) == told(ours)
    files = [p for p in sorted(home.rglob("*")) if p.is_file()]
    read = read_files([(str(p.relative_to(home)), p.read_bytes()) for p in files])
    assert read.problems == ()
    made = beir.collection(Corpus("c", read.documents), read.queries, read.qrels)
    assert told(beir.with_conversations(made, read.turns, read.turn_qrels)) == told(ours)
    assert {q: dict(grades) for q, grades in read.qrels.items()} == {"q1": {"d1": 1}}


def test_two_uploads_with_the_same_ids_stay_two(tmp_path):
    data = Path(shutil.make_archive(str(tmp_path / "fans"), "zip", folder(tmp_path))).read_bytes()
    read = read_files([("one.zip", data), ("two.zip", data)])
    made = beir.collection(Corpus("c", read.documents), read.queries, read.qrels)
    found = beir.with_conversations(made, read.turns, read.turn_qrels)
    names = [(c.id, [t.id for t in c]) for c in found.conversations]
    assert names == [("a", ["a-1", "a-2"]), ("b", ["b-1"]), ("a-2", ["a-1-2", "a-2-2"]), ("b-2", ["b-1-2"])]
    assert dict(found.turn_qrels["a-2-2"]) == {"d2-2": 1}


def test_a_file_of_that_name_without_conversations_is_documents():
    read = read_files([("conversations.jsonl", b'{"_id": "x", "text": "hello"}\n')])
    assert [d.text for d in read] == ["hello"]
    assert read.turns == ()


def changed(**changes: object) -> dict[str, object]:
    return {"_id": "c-1", "conversation": "c", "turn": 1, "text": "x"} | changes


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (changed(conversation=None), "line 4: “conversation” is missing"),
        (changed(conversation=" "), "line 4: “conversation” is missing"),
        (changed(turn="1"), "line 4: “turn” must be a whole number from 1"),
        (changed(turn=0), "line 4: “turn” must be a whole number from 1"),
        (changed(turn=True), "line 4: “turn” must be a whole number from 1"),
        (changed(conversation="a", turn=2), "line 4: Turn 2 of “a” is already in line 3"),
        (changed(_id="a-1"), "line 4: The “_id” “a-1” is already used in line 1"),
        (changed(text=" "), "line 4: “text” is empty"),
        (changed(conversation="a", turn=4), "Turn 3 of “a” is missing"),
        (changed(turn=2), "Turn 1 of “c” is missing"),
        ("[1]", "line 4: This is not a JSON object"),
    ],
)
def test_a_wrong_turn_is_named_from_disk_and_costs_an_upload_what_follows_it_only(tmp_path, line, words):
    home = folder(tmp_path, turns=[*TURNS, line])
    with pytest.raises(CorpusError) as caught:
        beir.load(home)
    assert "conversations.jsonl" in caught.value.message
    assert words in caught.value.message
    assert caught.value.remedy
    found = beir.load(shutil.make_archive(str(tmp_path / "fans"), "zip", home))
    assert any(words.rpartition(": ")[2] in problem for problem in found.problems)
    assert [(c.id, len(c)) for c in found.conversations] == [("a", 2), ("b", 1)]


def test_a_judgment_of_an_unknown_turn_is_an_error_from_disk_and_said_of_an_upload(tmp_path):
    home = folder(tmp_path, qrels=QRELS + "z-9\td1\t1\n")
    with pytest.raises(CorpusError, match="a judgment for “z-9”, which is not a turn of a conversation"):
        beir.load(home)
    found = beir.load(shutil.make_archive(str(tmp_path / "fans"), "zip", home))
    assert "z-9" not in found.turn_qrels
    read = read_files([("fans.zip", (tmp_path / "fans.zip").read_bytes())])
    assert any("“d1” for “z-9”" in problem.message for problem in read.problems)


def test_a_conversation_has_at_least_one_turn():
    with pytest.raises(CorpusError, match="has no turn"):
        Conversation("c", ())


def ids(found: tuple[Conversation, ...]) -> dict[str, str]:
    return {c.id: " ".join(t.id.rpartition("_")[2] for t in c) for c in found}


def test_conversations_of_ids_end_at_the_second_underscore_and_branches_can_be_kept_apart():
    plain = ["2021_106_1", "2021_106_2", "2021_107_1"]
    branched = ["1-1", "1-3", "3-1", "2-1", "1-5", "3-3"]
    queries = [Query("x", id=name) for name in (*plain, *(f"2022_149_{rest}" for rest in branched))]
    together = {"2021_106": "1 2", "2021_107": "1", "2022_149": "1-1 1-3 3-1 2-1 1-5 3-3"}
    assert ids(by_ids(queries)) == together
    assert ids(by_ids(queries, apart=True)) == {
        "2021_106": "1 2",
        "2021_107": "1",
        "2022_149_1": "1-1 1-3 1-5",
        "2022_149_3": "1-1 1-3 3-1 3-3",
        "2022_149_2": "1-1 1-3 2-1",
    }


def test_an_id_that_names_no_conversation_is_refused():
    with pytest.raises(CorpusError, match="“q-1” names no conversation"):
        by_ids([Query("x", id="q-1")])


# --------------------------------------------------------------------------------------- those of the samples

KINDS = {"opening", "follow-up", "comparison", "correction", "choice", "change", "back", "small-talk"}
SAMPLES = {name: samples.load(name) for name in ("devices", "handbook")}


def best(collection: beir.Collection, turn: str) -> set[str]:
    """The documents of a turn's highest grade."""
    grades = collection.turn_qrels.get(turn, {})
    return {d for d, grade in grades.items() if grade == max(grades.values())}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_has_conversations_of_every_kind_of_turn_in_the_languages_of_its_corpus(name):
    conversations = SAMPLES[name].conversations
    assert len(conversations) >= 8
    assert {len(c) for c in conversations} <= {4, 5, 6}
    kinds = Counter(str(turn.metadata["type"]) for c in conversations for turn in c)
    assert set(kinds) == KINDS
    assert kinds["small-talk"] <= 2
    assert [c.turns[0].metadata["type"] for c in conversations] == ["opening"] * len(conversations)
    assert kinds["opening"] == len(conversations)
    table = (samples.folder(name) / "README.md").read_text("utf-8")
    assert f"{len(conversations)} conversations of {kinds.total()} turns" in table
    assert [kind for kind, n in kinds.items() if f"\n| {kind} | {n} |" not in table] == []
    languages = Counter(turn.metadata["language"] for c in conversations for turn in c)
    assert set(languages) == ({"en", "zh"} if name == "devices" else {"zh"})
    if name == "devices":
        assert abs(languages["en"] - languages["zh"]) <= 6
    for c in conversations:
        for turn in c:
            assert (turn.metadata["language"] == "zh") == any("\u4e00" <= x <= "\u9fff" for x in turn.text)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_turn_of_a_sample_but_small_talk_is_judged_on_passages_that_there_are(name):
    c = SAMPLES[name]
    assert c.spoken.unknown == ()
    for turn in c.spoken.queries:
        grades = c.turn_qrels.get(turn.id, {})
        if turn.metadata["type"] == "small-talk":
            assert not grades
        else:
            assert max(grades.values()) == 2
            assert set(grades.values()) <= {0, 1, 2}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_turns_of_a_sample_are_no_questions_of_it(name):
    c = SAMPLES[name]
    assert not {turn.id for turn in c.spoken.queries} & {q.id for q in c.queries}
    assert [turn.text for turn in c.spoken.queries if c.query_by_text(turn.text)] == []
    assert len({turn.text for turn in c.spoken.queries}) == len(c.spoken.queries)


def test_visitors_of_the_samples_ask_back_about_passages_that_answered_an_earlier_turn():
    back = 0
    for c in SAMPLES.values():
        for conversation in c.conversations:
            seen = set[str]()
            for turn in conversation:
                again = bool(best(c, turn.id)) and best(c, turn.id) <= seen
                assert again or turn.metadata["type"] != "back"
                back += again
                seen |= {d for d, grade in c.turn_qrels.get(turn.id, {}).items() if grade > 0}
    assert back >= 6
