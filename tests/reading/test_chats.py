"""Exports of chats, and lines of bulk requests: what is a message or a record, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lab.reading.read import ReadResult, read_files

TENTS, FERRY = "Tents are aired in May.", "The ferry leaves at noon."


def read(name: str, *values: object) -> ReadResult:
    return read_files([(name, "\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode())])


def slack(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "text": text, "user": "U1", "ts": "1714720100.000200", **more}


def test_a_message_of_slack_is_read_as_it_is_seen() -> None:
    ann = {"user": "U2", "user_profile": {"display_name": "ann"}, "client_msg_id": "c1"}
    text = "Is the <https://a.org/f|ferry> late &amp; full, <@U2>? <#C1|pier> &lt;now&gt; <https://b.org> <!here>"
    joins = slack("<@U1> has joined the channel", subtype="channel_join")
    result = read("2024-05-03.json", [joins, slack(text, **ann), slack("deployed", bot_id="B1", subtype="bot_message")])
    (document,) = result.documents
    assert document.text == "Is the ferry late & full, @ann? #pier <now> https://b.org @here"
    assert (document.id, document.metadata["user"]) == ("c1", "ann")
    assert str(result.files[0].text) == "without 2 automatic messages, 1 row"
    assert result.problems == ()


def test_an_answer_of_slack_is_a_chat_and_a_day_without_words_is_refused() -> None:
    result = read("history.json", {"ok": True, "messages": [slack("late &amp; full")]})
    assert [d.text for d in result] == ["late & full"]
    (problem,) = read("day.json", [slack("<@U1> has left", subtype="channel_leave")]).problems
    assert "only messages that programs write" in problem.message


def gpt(key: str, parent: str | None, children: list[str], role: str = "", *parts: str) -> dict[str, Any]:
    message = {"id": key, "author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}}
    return {"id": key, "message": message if role else None, "parent": parent, "children": children}


def test_conversations_of_chatgpt_keep_titles_roles_and_all_branches() -> None:
    nodes = [
        gpt("root", None, ["s"]),
        gpt("b", "u", [], "assistant", "At twelve."),
        gpt("a", "u", [], "assistant", FERRY),
        gpt("u", "s", ["a", "b"], "user", "When does it leave?"),
        gpt("s", "root", ["u"], "system", ""),
    ]
    mapping = {node["id"]: node for node in nodes}
    result = read("conversations.json", [{"title": "Ferries", "mapping": mapping, "conversation_id": "c1"}])
    assert [(d.id, d.title, d.metadata["role"], d.text) for d in result] == [
        ("u", "Ferries", "user", "When does it leave?"),
        ("a", "Ferries", "assistant", FERRY),
        ("b", "Ferries", "assistant", "At twelve."),
    ]


TALK = [{"role": "user", "content": "When are tents aired?"}, {"role": "assistant", "content": TENTS}]


@pytest.mark.parametrize("name", ["talks.jsonl", "talks.json"])
@pytest.mark.parametrize("count", [1, 3])
def test_lines_of_messages_are_messages_under_both_names(name: str, count: int) -> None:
    result = read(name, *([{"messages": TALK}] * count))
    assert [(d.text, d.metadata["role"]) for d in result] == [(m["content"], m["role"]) for m in TALK] * count


def test_the_parts_of_a_message_are_its_text() -> None:
    parts = [{"type": "text", "text": TENTS}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]
    result = read("talks.jsonl", {"messages": [{"role": "user", "content": parts}, TALK[1]]})
    assert [d.text for d in result] == [TENTS, TENTS]


def test_shared_talks_keep_their_titles_and_speakers() -> None:
    turns = [{"from": "human", "value": "When are tents aired?"}, {"from": "gpt", "value": TENTS}]
    result = read("talks.json", [{"id": "x", "title": "Camp", "conversations": turns}])
    assert [(d.title, d.metadata["from"]) for d in result] == [("Camp", "human"), ("Camp", "gpt")]


CHATS: dict[str, Any] = {
    "Telegram": {
        "name": "Club",
        "type": "private_group",
        "messages": [
            {"id": 1, "type": "service", "date": "2024-05-03T10:00:00", "action": "invite_members", "text": ""},
            {
                "id": 2,
                "type": "message",
                "date": "2024-05-03T10:01:00",
                "from": "Ann",
                "text": ["The ", {"type": "bold", "text": "ferry"}, " leaves at noon."],
                "text_entities": [{"type": "plain", "text": "The "}],
            },
        ],
    },
    "Discord": {
        "guild": {"name": "Club"},
        "messages": [
            {"id": "1", "type": "GuildMemberJoin", "timestamp": "2024", "content": "Joined.", "author": {"name": "a"}},
            {"id": "2", "type": "Default", "timestamp": "2024", "content": FERRY, "author": {"name": "Ann"}},
        ],
    },
    "Teams": {
        "value": [
            {"id": "1", "messageType": "systemEventMessage", "body": {"contentType": "html", "content": "<e/>"}},
            {
                "id": "2",
                "messageType": "message",
                "from": {"user": {"displayName": "Ann"}},
                "body": {"contentType": "html", "content": "<p>The ferry leaves at&nbsp;noon.</p>"},
            },
        ]
    },
}


@pytest.mark.parametrize("name", CHATS)
def test_chats_leave_out_what_programs_write(name: str) -> None:
    result = read("chat.json", CHATS[name])
    (document,) = result.documents
    assert (document.id, document.text.replace("\xa0", " "), document.metadata["user"]) == ("2", FERRY, "Ann")
    assert "without 1 automatic message" in str(result.files[0].text)


# -------------------------------------------------------------------------------------------------- bulk


def source(title: str, body: str) -> dict[str, str]:
    return {"title": title, "body": body}


@pytest.mark.parametrize("name", ["bulk.ndjson", "bulk.json"])
def test_lines_of_a_bulk_request_are_records_with_their_ids(name: str) -> None:
    actions = {"index": {"_index": "club", "_id": "e1"}}, {"create": {"_index": "club", "_id": 2}}
    result = read(name, actions[0], source("Tents", TENTS), actions[1], source("Ferry", FERRY))
    assert [(d.id, d.title, d.text) for d in result] == [("e1", "Tents", TENTS), ("2", "Ferry", FERRY)]
    assert result.problems == ()


def test_updates_and_deletions_are_made_and_named() -> None:
    result = read(
        "bulk.ndjson",
        {"index": {"_id": "e1"}},
        source("Tents", "Old words about tents."),
        {"update": {"_id": "e1"}},
        {"doc": {"body": TENTS}},
        {"index": {"_id": "e2"}},
        source("Ferry", FERRY),
        {"delete": {"_id": "e2"}},
        {"delete": {"_id": "e9"}},
        {"update": {"_id": "e3"}},
        {"doc": source("Seals", "Seals rest."), "doc_as_upsert": True},
        {"update": {"_id": "e1"}},
        {"script": {"source": "ctx._source.n += 1"}},
    )
    assert [(d.id, d.title, d.text) for d in result] == [("e1", "Tents", TENTS), ("e3", "Seals", "Seals rest.")]
    fact = "without 2 deleted records: “e2”, “e9”, 1 change by a script not made, 2 rows"
    assert str(result.files[0].text) == fact


def test_a_broken_record_of_a_bulk_request_does_not_shift_the_others() -> None:
    text = (
        '{"index": {"_id": "a"}}\n{"body": "Ten\n{"index": {"_id": "b"}}\n' + json.dumps(source("Ferry", FERRY)) + "\n"
    )
    result = read_files([("bulk.ndjson", text.encode())])
    assert [(d.id, d.text) for d in result] == [("b", FERRY)]
    assert len(result.problems) == 1


def test_a_field_that_is_called_as_an_action_is_none() -> None:
    assert [d.text for d in read("rows.jsonl", {"index": 1, "text": TENTS}, {"index": 2, "text": FERRY})] == [
        TENTS,
        FERRY,
    ]
