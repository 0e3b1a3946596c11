"""The BEIR layout line by line: what the lines of ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv`` say.

Beside it conversations, as ours: ``conversations.jsonl``, a line per turn, and ``qrels/conversations.tsv``.

One parser for two readers: from disk (`lab.corpus.beir`) the first bad line is an error, of an upload the good
lines are kept.  Whoever reads gives an ``on_problem`` that raises or takes a note.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from typing import Any

from lab.algebra import Document, Query, Value
from lab.reading.tables import OnProblem, json_values
from lab.reading.uploads import Reading
from lab.words import N_, Said

HEADER = ("query-id", "corpus-id", "score")
_OWN_ID = Said("Give every line an “_id” of its own.")
Lines = Iterable[tuple[int, str]]


def records(
    lines: Lines, on_problem: OnProblem, *, blank: bool = True, tidy: Callable[[str], str] | None = None
) -> Iterator[Document]:
    """Documents or queries: ``_id`` and ``text``, optionally ``title`` and ``metadata``; other keys are ignored.

    ``blank``: a text may be empty; ``tidy`` is as in `lab.reading.tables.parse_json`.
    """
    first: dict[str, int] = {}
    for number, value in json_values(lines, on_problem, tidy):
        wrong = _wrong(value, first, blank=blank)
        if wrong is not None:
            on_problem(number, *wrong)
            continue
        record = _record(value)
        first[record.id] = number
        yield record


def turns(lines: Lines, on_problem: OnProblem, *, tidy: Callable[[str], str] | None = None) -> Iterator[Query]:
    """Turns of conversations: as `records`, with ``conversation`` (an id) and ``turn`` (a whole number from 1).

    Both stand in the metadata of the query that comes of a line.  No two lines are the same turn.
    """
    first, places = dict[str, int](), dict[tuple[str, int], int]()
    for number, value in json_values(lines, on_problem, tidy):
        wrong = _wrong(value, first, blank=False) or _wrong_turn(value, places)
        if wrong is not None:
            on_problem(number, *wrong)
            continue
        record, place = _record(value), (str(value["conversation"]), value["turn"])
        first[record.id] = places[place] = number
        noted = {**record.metadata, "conversation": place[0], "turn": place[1]}
        yield Query(" ".join(record.text.split()), id=record.id, metadata=noted)


def _record(value: Mapping[str, Any]) -> Document:
    metadata = {str(k): _value(v) for k, v in (value.get("metadata") or {}).items() if v is not None}
    return Document(str(value.get("_id", value.get("id"))), value["text"], value.get("title") or "", metadata)


def _wrong_turn(record: Mapping[str, Any], places: Mapping[tuple[str, int], int]) -> tuple[Said, Said] | None:
    """What is wrong with a record as a turn; ``places`` has the lines of the turns before."""
    conversation, turn = record.get("conversation"), record.get("turn")
    if isinstance(conversation, bool) or not isinstance(conversation, str | int) or not str(conversation).strip():
        return Said("“conversation” is missing."), Said("Name the conversation in every line.")
    if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
        return Said("“turn” is no whole number from 1."), Said("Number the turns of every conversation 1, 2, 3.")
    if (str(conversation), turn) in places:
        again = N_("Turn {turn} of “{conversation}” stands in line {first} already.")
        said = Said(again, turn=turn, conversation=str(conversation), first=places[str(conversation), turn])
        return said, Said("Give every turn a number of its own.")
    return None


def _wrong(record: Any, first: Mapping[str, int], *, blank: bool) -> tuple[Said, Said] | None:
    """What is wrong with a record and what to do; ``first`` has the lines of the ids before."""
    if not isinstance(record, dict):
        return Said("This is not a JSON object."), Said("Write one JSON object per line, in braces.")
    identity = record.get("_id", record.get("id"))
    if isinstance(identity, bool) or not isinstance(identity, str | int) or not str(identity).strip():
        return Said("“_id” is missing."), _OWN_ID
    if str(identity) in first:
        again = N_("The “_id” “{id}” stands in line {first} already.")
        return Said(again, id=str(identity), first=first[str(identity)]), _OWN_ID
    if not isinstance(record.get("text"), str):
        return Said("“text” is missing."), Said("Give every line a “text”, a string.")
    if not isinstance(record.get("title") or "", str):
        return Said("“title” is no string."), Said("Write it in quotes.")
    if not isinstance(record.get("metadata") or {}, dict):
        return Said("“metadata” is no JSON object."), Said("Write it in braces, or leave it out.")
    if not (blank or record["text"].strip()):
        return Said("“text” is empty."), Said("Write the question, or leave the line out.")
    return None


def _value(value: Any) -> Value:
    """Lists become lists of strings, objects become their JSON text, the rest stays."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, list):
        return [v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in value]
    return json.dumps(value, ensure_ascii=False)


def judgments(lines: Lines, on_problem: OnProblem) -> dict[str, dict[str, int]]:
    """Grades by query id and document id: a header, then three columns parted by tabs; also TREC's four columns."""
    qrels: dict[str, dict[str, int]] = {}
    shape = Said("Write three columns parted by tabs: {header}.", header=", ".join(HEADER))
    for number, line in lines:
        cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
        if len(cells) == 4:  # query, iteration, document, grade
            del cells[1]
        elif number == 1:
            if tuple(cells) == HEADER:
                continue
            on_problem(number, Said("The header is missing."), shape)
        if len(cells) != 3 or not cells[0] or not cells[1]:
            count = len([c for c in cells if c])
            on_problem(number, Said("There are {n} columns where 3 are needed.", n=count), shape)
        elif not re.fullmatch(r"[+-]?[0-9]{1,9}", cells[2]):
            on_problem(number, Said("The score “{score}” is no whole number.", score=cells[2]), shape)
        elif qrels.setdefault(cells[0], {}).setdefault(cells[1], int(cells[2])) != int(cells[2]):
            twice = N_("“{document}” is judged twice for “{query}”, and not alike.")
            on_problem(number, Said(twice, document=cells[1], query=cells[0]), Said("Keep one of the two."))
    return qrels


def unknown(
    queries: Iterable[str], documents: Container[str], qrels: Mapping[str, Mapping[str, int]]
) -> tuple[tuple[str, str], ...]:
    """(query id, document id) of the judgments that name a query or a document that is not there."""
    known = set(queries)
    return tuple((q, d) for q, grades in qrels.items() for d in grades if q not in known or d not in documents)


# ------------------------------------------------------------------------------------------------ of an upload


def members(names: Collection[str]) -> list[str]:
    """The files of the test collection in an archive; none where there is no ``corpus.jsonl``.

    The folder nearest to the top counts, and of several ``qrels`` files the test split, else the first; those of
    conversations are no split.
    """
    homes = [n.removesuffix("corpus.jsonl") for n in names if n == "corpus.jsonl" or n.endswith("/corpus.jsonl")]
    if not homes:
        return []
    home = min(homes, key=lambda h: (h.count("/"), h))
    own = f"{home}qrels/conversations.tsv"
    splits = (n for n in names if n.startswith(f"{home}qrels/") and n.endswith(".tsv") and n != own)
    qrels = sorted(splits, key=lambda n: (not n.endswith("/test.tsv"), n))
    wanted = (f"{home}corpus.jsonl", f"{home}queries.jsonl", *qrels[:1], f"{home}conversations.jsonl", own)
    return [n for n in wanted if n in names]


def add_queries(reading: Reading, data: bytes) -> None:
    """Queries from ``queries.jsonl``: one object with ``_id`` and ``text`` a line."""
    lines = reading.lines(reading.decode(data))
    for query in records(lines, reading.wrong_line, blank=False, tidy=reading.clean):
        reading.queries.append(Query(" ".join(query.text.split()), id=query.id, metadata=query.metadata))


def add_turns(reading: Reading, data: bytes) -> None:
    """Turns from ``conversations.jsonl``."""
    reading.turns += turns(reading.lines(reading.decode(data)), reading.wrong_line, tidy=reading.clean)


def add_qrels(reading: Reading, data: bytes) -> None:
    """Judgments from ``qrels/*.tsv``; those of turns stand in ``conversations.tsv``."""
    found = judgments(reading.lines(reading.decode(data)), reading.wrong_line)
    if reading.file.rsplit("/", 1)[-1] == "conversations.tsv":
        reading.turn_qrels = found
    else:
        reading.qrels = found


def is_turns(name: str, data: bytes) -> bool:
    """True for a ``conversations.jsonl`` whose first line names a conversation: others are documents."""
    return name.rsplit("/", 1)[-1] == "conversations.jsonl" and b'"conversation"' in data.lstrip().split(b"\n")[0]


def is_qrels(name: str, data: bytes) -> bool:
    """True for a file in a folder ``qrels``, and where the first line is the header of a judgments file."""
    first = data[:60].lstrip(b"\xef\xbb\xbf").lower().split(b"\n")[0]
    return "/qrels/" in f"/{name}" or tuple(first.decode("ascii", "replace").split()) == HEADER
