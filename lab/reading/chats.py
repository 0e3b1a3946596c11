"""Exports of chats in JSON: each message a record with its speaker, below the title of its conversation.

Slack, Discord, Telegram, Teams, and ChatGPT are known; other chats are lists of messages, which
`lab.reading.shapes` finds.  Left out, with their number, are the messages that a program writes: who has joined, left,
or renamed a channel.  ChatGPT keeps a conversation as a tree, of which all branches are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from lab.reading.shapes import joined
from lab.reading.uploads import NO_TEXT, Reading
from lab.words import ngettext

_LINK = re.compile(r"<((?:https?|mailto|tel|ftp)[^|>]*)(?:\|([^>]*))?>")
_MENTION = re.compile(r"<(@|#|!)(?:subteam\^)?([^|>^]*)(?:\^[^|>]*)?(?:\|([^>]*))?>")
_SPOKEN = ("", "thread_broadcast", "file_share", "me_message", "file_comment", "reply_broadcast")
"""Kinds of messages in Slack that a person has written."""
_DISCORD = ("default", "reply", "threadstartermessage", "0", "19", "21")
_DEEPEST = 200_000
Records = list[Any]


def spoken(reading: Reading, value: object) -> object:
    """Returns the messages of a chat as records; any other value as it is."""
    for is_chat, read in ((_is_slack, _slack), (_is_chatgpt, _chatgpt)):
        if isinstance(value, list) and is_chat(value):
            return _told(reading, value, list(read(value)))
    if not isinstance(value, dict):
        return value
    for key, is_chat, read in (
        ("messages", _is_slack, _slack),
        ("messages", _is_discord, _discord),
        ("messages", _is_telegram, _telegram),
        ("value", _is_teams, _teams),
    ):
        messages = value.get(key)
        if isinstance(messages, list) and is_chat(messages):
            return {**value, key: _told(reading, messages, list(read(messages)))}
    return value


def _told(reading: Reading, messages: Sequence[object], records: Records) -> Records:
    """The records of messages; how many messages of programs are left out becomes a fact."""
    automatic = sum(record is None for record in records)
    if automatic:
        reading.fact(ngettext("without {n:,} automatic message", "without {n:,} automatic messages", automatic))
    if automatic == len(records) > 0:
        raise reading.refuse("“{file}” has only messages that programs write.", NO_TEXT)
    return [record for record in records if record is not None]


def _all(messages: Sequence[Any], *names: str) -> bool:
    """Whether the first messages are objects, and each has all of these fields."""
    first = messages[:20]
    return bool(first) and all(isinstance(m, dict) and all(name in m for name in names) for m in first)


# --------------------------------------------------------------------------------------------------- Slack


def _is_slack(messages: Sequence[Any]) -> bool:
    return _all(messages, "type", "ts") and any(m["type"] == "message" for m in messages[:20])


def _slack(messages: Sequence[Any]) -> Iterator[dict[str, Any] | None]:
    people = dict(_people(messages))
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("text", ""), str):
            yield None
            continue
        is_bot = "bot_id" in message and "user" not in message
        if str(message.get("subtype") or "") not in _SPOKEN or is_bot or not message.get("text", "").strip():
            yield None
            continue
        user = str(message.get("user", ""))
        fields = {"id": message.get("client_msg_id", message["ts"]), "user": people.get(user, user)}
        more = {name: message[name] for name in ("ts", "thread_ts", "channel") if name in message}
        yield {**fields, **more, "text": slack_text(message["text"], people)}


def _people(messages: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The names of those who write, by their ids."""
    for message in messages:
        profile = message.get("user_profile") if isinstance(message, dict) else None
        if isinstance(profile, dict):
            name = profile.get("display_name") or profile.get("real_name") or profile.get("name")
            if isinstance(name, str):
                yield str(message.get("user")), name


def slack_text(text: str, people: Mapping[str, str]) -> str:
    """Returns the text of a message as it is seen: the words of links, names, and signs for their entities."""
    text = _LINK.sub(lambda m: m[2] or m[1].removeprefix("mailto:").removeprefix("tel:"), text)

    def named(match: re.Match[str]) -> str:
        sign = "#" if match[1] == "#" else "@"
        return sign + (match[3] or people.get(match[2], match[2])).removeprefix(sign)

    return unescape(_MENTION.sub(named, text))


# ----------------------------------------------------------------------------------------- Discord, Telegram


def _is_discord(messages: Sequence[Any]) -> bool:
    return _all(messages, "content", "author", "timestamp") and all(
        isinstance(m["author"], dict) for m in messages[:20]
    )


def _discord(messages: Sequence[Any]) -> Iterator[dict[str, Any] | None]:
    for message in messages:
        author, content = message.get("author") or {}, message.get("content")
        kind = str(message.get("type", "default")).lower()
        if kind not in _DISCORD or not isinstance(content, str) or not content.strip():
            yield None
            continue
        name = author.get("nickname") or author.get("global_name") or author.get("name") or author.get("username")
        yield {"id": message.get("id"), "user": name, "timestamp": message.get("timestamp"), "text": content}


def _is_telegram(messages: Sequence[Any]) -> bool:
    return _all(messages, "id", "type", "date") and any(m["type"] in ("message", "service") for m in messages[:20])


def _telegram(messages: Sequence[Any]) -> Iterator[dict[str, Any] | None]:
    for message in messages:
        text = message.get("text", "")
        text = joined(text) if isinstance(text, list) else text
        if message.get("type") != "message" or not isinstance(text, str) or not text.strip():
            yield None
            continue
        yield {"id": message.get("id"), "user": message.get("from"), "date": message.get("date"), "text": text}


# --------------------------------------------------------------------------------------------------- Teams


def _is_teams(messages: Sequence[Any]) -> bool:
    return _all(messages, "messageType", "body")


def _teams(messages: Sequence[Any]) -> Iterator[dict[str, Any] | None]:
    for message in messages:
        body = message.get("body")
        content = body.get("content") if isinstance(body, dict) else None
        if message.get("messageType") != "message" or not isinstance(content, str) or not content.strip():
            yield None
            continue
        if str(body.get("contentType", "")).lower() == "html" if isinstance(body, dict) else False:
            content = unescape(re.sub(r"<[^>]{0,500}>", "", re.sub(r"</p>|<br\s*/?>", "\n", content)))
        sender = message.get("from")
        user = sender.get("user") if isinstance(sender, dict) else None
        name = user.get("displayName") if isinstance(user, dict) else None
        date = message.get("createdDateTime")
        yield {"id": message.get("id"), "user": name, "date": date, "text": content.strip()}


# ------------------------------------------------------------------------------------------------- ChatGPT


def _is_chatgpt(conversations: Sequence[Any]) -> bool:
    return _all(conversations, "mapping") and all(isinstance(c["mapping"], dict) for c in conversations[:20])


def _chatgpt(conversations: Sequence[Any]) -> Iterator[dict[str, Any] | None]:
    for conversation in conversations:
        mapping = conversation.get("mapping") if isinstance(conversation, dict) else None
        if not isinstance(mapping, dict):
            continue
        named = conversation.get("conversation_id", conversation.get("id", ""))
        for key in _in_order(mapping):
            record = _message(mapping[key])
            if record is not None:
                yield {"id": key, "title": conversation.get("title") or "", "conversation": named, **record}


def _in_order(mapping: Mapping[str, Any]) -> list[str]:
    """The ids of the nodes of a tree, each behind its parent and before the next branch."""
    roots = [k for k, node in mapping.items() if isinstance(node, dict) and node.get("parent") not in mapping]
    waiting, order, seen = roots[::-1], list[str](), set[str]()
    while waiting and len(order) < _DEEPEST:
        key = waiting.pop()
        if key in seen or not isinstance(mapping.get(key), dict):
            continue
        seen.add(key)
        order.append(key)
        children = mapping[key].get("children")
        waiting += [c for c in reversed(children if isinstance(children, list) else []) if isinstance(c, str)]
    return order


def _message(node: Mapping[str, Any]) -> dict[str, Any] | None:
    """The role and the text of a message; None for one without words, or that is hidden."""
    message = node.get("message")
    if not isinstance(message, dict):
        return None
    author, content, notes = (message.get(name) for name in ("author", "content", "metadata"))
    role = author.get("role", "") if isinstance(author, dict) else ""
    parts = (content.get("parts") or [content.get("text")]) if isinstance(content, dict) else []
    texts = [p if isinstance(p, str) else p.get("text", "") for p in parts if isinstance(p, str | dict)]
    text = "\n".join(t for t in texts if isinstance(t, str) and t.strip())
    is_hidden = isinstance(notes, dict) and notes.get("is_visually_hidden_from_conversation")
    return {"role": role, "text": text} if text and role != "system" and not is_hidden else None
