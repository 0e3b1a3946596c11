"""Reads the BEIR layout line by line: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``.

Also reads our addition, conversations: ``conversations.jsonl``, a line per turn, and ``qrels/conversations.tsv``.
Judgments also come as TREC's four columns, as csv, under other names and beside the corpus: see
`lab.reading.judgments`.

One parser for all readers: from disk (`lab.corpus.beir`) the first bad line is an error, of an upload the good lines
are kept.  A reader gives an ``on_problem`` that raises or takes a note.  Ids and texts stay as they are, but for
characters that no page should show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.algebra import Document, Query, Value
from lab.reading import questions as questions_of
from lab.reading import ratings
from lab.reading.encodings import clean, decode
from lab.reading.judgments import (
    JUDGED_TURNS,
    SUBTOPICS,
    as_id,
    is_judgments,
    is_named,
    is_rated,
    judgments,
    of_json,
    preferred,
    subtopic_judgments,
)
from lab.reading.records import json_text, json_values, tidied
from lab.reading.tables import OnProblem, to_value
from lab.reading.testsets import add_test_set
from lab.reading.uploads import Reading
from lab.words import N_, Said, ngettext

CORPUS, QUERIES, CONVERSATIONS = "corpus.jsonl", "queries.jsonl", "conversations.jsonl"
_OWN_ID = Said("Give every line an “_id” of its own.")
_FEW = 50
"""Maximum number of files that are looked into, whatever their names are."""
_FIELDS = {"_id", "title", "text", "metadata"}
BEGINNING = 1 << 16
"""Bytes of a file that are read to recognise its kind."""
Lines = Iterable[tuple[int, str]]
Tidy = Callable[[str], str]


def harmless(text: str) -> str:
    """Returns a string of a collection on one's own disk: as in an upload, but its control characters stay."""
    return clean(text, breaks=False, controls=False)[0]


def records(lines: Lines, on_problem: OnProblem, *, tidy: Tidy = harmless) -> Iterator[Document]:
    """Documents or queries: ``_id`` and ``text``, optionally ``title`` and ``metadata``; other keys are ignored.

    A text may be empty.  ``tidy`` is called with every string but the ids.
    """
    first: dict[str, int] = {}
    for number, value in json_values(lines, on_problem):
        wrong = _wrong(value, first)
        if wrong is not None:
            on_problem(number, *wrong)
            continue
        record = _record(value, tidy)
        first[record.id] = number
        yield record


def questions(lines: Lines, on_problem: OnProblem, *, tidy: Tidy = harmless) -> Iterator[Query]:
    """Queries: `records`, each text in one line."""
    for record in records(lines, on_problem, tidy=tidy):
        yield Query(" ".join(record.text.split()), id=record.id, metadata=record.metadata)


def turns(lines: Lines, on_problem: OnProblem, *, tidy: Tidy = harmless) -> Iterator[Query]:
    """Turns of conversations: as `records`, with ``conversation`` (an id) and ``turn`` (a whole number from 1).

    The query of a line has both in its metadata.  No two lines are the same turn.
    """
    first, places = dict[str, int](), dict[tuple[str, int], int]()
    for number, value in json_values(lines, on_problem):
        wrong = _wrong(value, first, blank=False) or _wrong_turn(value, places)
        if wrong is not None:
            on_problem(number, *wrong)
            continue
        record, place = _record(value, tidy), (str(value["conversation"]), value["turn"])
        first[record.id] = places[place] = number
        noted = {**record.metadata, "conversation": place[0], "turn": place[1]}
        yield Query(" ".join(record.text.split()), id=record.id, metadata=noted)


def _record(value: Mapping[str, Any], tidy: Tidy) -> Document:
    metadata = ((tidy(str(k)), _value(tidied(v, tidy))) for k, v in (value.get("metadata") or {}).items())
    title, text = tidy(value.get("title") or ""), tidy(value["text"])
    identity = as_id(str(value.get("_id", value.get("id"))))
    return Document(identity, text, title, {k: v for k, v in metadata if v is not None})


def _value(value: Any) -> Value | None:
    """A field of the metadata as in other JSON (`lab.reading.tables.to_value`), but no text is missing or trimmed."""
    if isinstance(value, list):
        return [v if isinstance(v, str) else str(to_value(v)) for v in value if v is not None]
    return value if isinstance(value, str) else to_value(value)


def _wrong_turn(record: Mapping[str, Any], places: Mapping[tuple[str, int], int]) -> tuple[Said, Said] | None:
    """Returns the problem of a record as a turn, and a remedy; ``places`` has the lines of earlier turns."""
    conversation, turn = record.get("conversation"), record.get("turn")
    if isinstance(conversation, bool) or not isinstance(conversation, str | int) or not str(conversation).strip():
        return Said("“conversation” is missing."), Said("Name the conversation in every line.")
    if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
        return Said("“turn” must be a whole number from 1."), Said("Number the turns of every conversation 1, 2, 3.")
    if (str(conversation), turn) in places:
        again = N_("Turn {turn} of “{conversation}” is already in line {first}.")
        message = Said(again, turn=turn, conversation=str(conversation), first=places[str(conversation), turn])
        return message, Said("Give every turn a number of its own.")
    return None


def _wrong(record: Any, first: Mapping[str, int], *, blank: bool = True) -> tuple[Said, Said] | None:
    """Returns the problem of a record and a remedy, or None; ``first`` has the lines of earlier ids."""
    if not isinstance(record, dict):
        return Said("This is not a JSON object."), Said("Write one JSON object per line, in braces.")
    identity = record.get("_id", record.get("id"))
    if isinstance(identity, bool) or not isinstance(identity, str | int) or not str(identity).strip():
        return Said("“_id” is missing."), _OWN_ID
    if str(identity) in first:
        again = N_("The “_id” “{id}” is already used in line {first}.")
        return Said(again, id=str(identity), first=first[str(identity)]), _OWN_ID
    if not isinstance(record.get("text"), str):
        return Said("“text” is missing."), Said("Give every line a “text”, a string.")
    if not isinstance(record.get("title") or "", str):
        return Said("“title” must be a string."), Said("Write it in quotes.")
    if not isinstance(record.get("metadata") or {}, dict):
        return Said("“metadata” is not a JSON object."), Said("Write it in braces, or leave it out.")
    if not (blank or record["text"].strip()):
        return Said("“text” is empty."), Said("Write the question, or leave the line out.")
    return None


def unknown(
    queries: Iterable[str], documents: Container[str], qrels: Mapping[str, Mapping[str, int]]
) -> tuple[tuple[str, str], ...]:
    """Returns (query id, document id) of the judgments that name a missing query or document."""
    known = set(queries)
    return tuple((q, d) for q, grades in qrels.items() for d in grades if q not in known or d not in documents)


# ------------------------------------------------------------------------------------------------ of an upload


@dataclass(frozen=True)
class Layout:
    """The files of a test collection, by their names; what is missing is empty."""

    corpus: str
    queries: str = ""
    judgments: str = ""
    conversations: str = ""
    judged_turns: str = ""
    more_judgments: tuple[str, ...] = ()
    subtopics: str = ""
    asked: tuple[str, ...] = ()
    """Files of questions, or of their answers, in other forms than ``queries.jsonl``."""
    more_questions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        spoken = self.conversations, self.judged_turns
        names = (self.corpus, *self.others, self.queries, *self.asked, self.judgments, *spoken, self.subtopics)
        return [name for name in names if name]

    @property
    def unused(self) -> tuple[str, ...]:
        """The names of files with judgments or questions that do not count."""
        return self.more_judgments + self.more_questions


def layout(names: Iterable[str], beginning: Callable[[str], bytes]) -> Layout | None:
    """Returns which of these files are a test collection; None if there is no ``corpus.jsonl`` and no question file.

    The folder nearest to the top counts.  Judgments and questions are beside the corpus or a folder below it, under any
    usual name: the test split, else the first file.  ``beginning`` gives the first bytes of a file.
    """
    known = set(names)
    homes = [n.removesuffix(CORPUS) for n in known if n == CORPUS or n.endswith(f"/{CORPUS}")]
    homes = [home for home in homes if is_corpus(f"{home}{CORPUS}", beginning(f"{home}{CORPUS}"))]
    if not homes:
        return _loose(known, beginning)
    home = min(homes, key=lambda h: (h.count("/"), h))
    fixed_names = [f"{home}{name}" for name in (QUERIES, CONVERSATIONS, JUDGED_TURNS, SUBTOPICS)]
    queries, conversations, judged_turns, subtopics = (name if name in known else "" for name in fixed_names)
    nearby = (n for n in known if n.startswith(home) and n.count("/") <= home.count("/") + 1)
    others = [name.rsplit("/", 1)[-1] for name in (JUDGED_TURNS, SUBTOPICS)]
    possible = [
        n for n in sorted(nearby) if n not in (f"{home}{CORPUS}", *fixed_names) and n.rsplit("/", 1)[-1] not in others
    ]
    question_ids = _ids(beginning(queries)) if queries else frozenset[str]()
    judged, asked, more = _judged_and_asked(possible, beginning, home, question_ids)
    judgments_file, rest = next(iter(judged), ""), tuple(judged[1:])
    fixed = f"{home}{CORPUS}", queries, judgments_file, conversations, judged_turns, rest, subtopics
    return Layout(*fixed, tuple(asked), tuple(more))


def _judged_and_asked(
    names: Iterable[str], beginning: Callable[[str], bytes], home: str, question_ids: frozenset[str]
) -> tuple[list[str], list[str], list[str]]:
    """The files with judgments, the preferred one first, those with questions or their answers, and those left out.

    ``question_ids`` come from ``queries.jsonl``; without it, files with a usual name give them.  A file that repeats
    the ids of another one is left out.
    """
    possible = {name: beginning(name) for name in names if questions_of.may_hold(name)}
    asked = {
        name: queries
        for name, data in possible.items()
        if (question_ids or questions_of.is_usual(name) or len(possible) < _FEW)
        and not is_judgments(name.removeprefix(home), data)
        and (queries := questions_of.beginning(data, BEGINNING))
    }
    usual = (q.id for name, queries in asked.items() if questions_of.is_usual(name) for q in queries)
    ids = question_ids or frozenset(usual)
    judged = preferred(n for n, data in possible.items() if is_judgments(n.removeprefix(home), data, ids))
    grades = _grades(possible[judged[0]]) if judged else {}
    if question_ids:
        grades = {query: grades.get(query, {}) for query in (*question_ids, *grades)}
    found = [n for n, queries in asked.items() if n not in judged and questions_of.is_questions(n, queries, grades)]
    counted, more, seen = list[str](), list[str](), set(question_ids)
    for name in sorted(found, key=lambda n: (not questions_of.is_usual(n), "test" not in n.lower(), n)):
        ids_of = {q.id for q in asked[name]}
        (more if ids_of & seen else counted).append(name)
        seen |= ids_of
    for name, data in possible.items() if seen else ():
        given = questions_of.answers(_text(data)) if name not in (*judged, *found) else {}
        if given and 2 * sum(key in seen for key in given) >= min(len(given), len(seen)):
            counted.append(name)
    return judged, counted, more


def _loose(names: set[str], beginning: Callable[[str], bytes]) -> Layout | None:
    """The questions and judgments among files of which none is ``corpus.jsonl``; None if there are not both."""
    if len(names) < 2 or not any(questions_of.is_usual(name) or is_named(name) for name in names):
        return None
    possible = sorted(name for name in names if questions_of.is_usual(name) or is_named(name) or len(names) < _FEW)
    judged, asked, more = _judged_and_asked(possible, beginning, "", frozenset())
    if not judged or not asked:
        return None
    others, rest = tuple(sorted(names - {*judged, *asked, *more})), tuple(judged[1:])
    return Layout("", "", judged[0], more_judgments=rest, asked=tuple(asked), more_questions=tuple(more), others=others)


def _grades(data: bytes) -> dict[str, dict[str, int]]:
    """The grades in the first bytes of a file with judgments."""
    text = _text(data)
    read = of_json(text) if text.lstrip().startswith(("{", "[")) else {}
    return read or judgments(enumerate(text.split("\n"), 1) if text else (), lambda *_: None)


def _text(data: bytes) -> str:
    """The text of the first bytes of a file, without the line that they end in."""
    decoded = decode(data[:BEGINNING])
    text = decoded.text if decoded else ""
    return text if len(data) < BEGINNING else text.rpartition("\n")[0]


def _ids(data: bytes) -> frozenset[str]:
    """Returns the ids of the queries in the first lines of their file."""
    lines = data[:BEGINNING].decode("utf-8-sig", "replace").split("\n")
    values = (value for _, value in json_values(enumerate(lines), lambda *_: None) if isinstance(value, dict))
    return frozenset(as_id(str(value.get("_id", value.get("id")))) for value in values)


def beginning(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(BEGINNING)


def is_corpus(name: str, data: bytes) -> bool:
    """Whether the first line is a document of the layout: an object with an ``_id`` and a text.

    Under another name than ``corpus.jsonl`` it may have no fields that the layout does not know.
    """
    line = next((line for line in data[:BEGINNING].split(b"\n") if line.strip(b" \r\xef\xbb\xbf")), b"")
    known = name.rsplit("/", 1)[-1] == CORPUS
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):  # perhaps a line that is longer than the beginning
        return known and len(line) >= BEGINNING - 1000 and b'"text"' in line and b'"_id"' in line
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return False
    return ("_id" in value or "id" in value) if known else "_id" in value and set(value) <= _FIELDS


def is_query_set(data: bytes) -> bool:
    """Whether a file holds information needs of Quepid, or a query set of OpenSearch."""
    decoded = decode(data[:BEGINNING])
    return decoded is not None and ratings.is_questions(decoded.text)


def is_turns(data: bytes) -> bool:
    """Whether the first line is a turn of a conversation."""
    return b'"conversation"' in data.lstrip().split(b"\n")[0]


def add_corpus(reading: Reading, data: bytes) -> None:
    """Documents from ``corpus.jsonl``: with their ids, also those without a text."""
    lines = reading.lines(json_text(reading, data))
    for document in records(lines, reading.wrong_line, tidy=reading.clean_string):
        if len(reading.documents) >= reading.limits.max_documents:
            reading.left_out += 1
        else:
            reading.names.fresh(document.id)
            reading.documents.append(document)
    reading.fact(ngettext("{n:,} passage", "{n:,} passages", len(reading.documents)))


def add_queries(reading: Reading, data: bytes) -> None:
    """Queries from ``queries.jsonl``: one object with ``_id`` and ``text`` a line."""
    lines = reading.lines(json_text(reading, data))
    reading.queries += questions(lines, reading.wrong_line, tidy=reading.clean_string)
    reading.fact(ngettext("{n:,} question", "{n:,} questions", len(reading.queries)))


def add_asked(reading: Reading, data: bytes) -> None:
    """Questions in another form than ``queries.jsonl``, or the answers of questions that another file has."""
    text = json_text(reading, data)
    if text.lstrip()[:1] in ("{", "[") and (turns := questions_of.conversations(text)):
        add_test_set(reading, turns)
        return
    if given := questions_of.answers(text):
        noted = ((key, values[0] if len(values) == 1 else values) for key, values in given.items())
        reading.queries = [Query(key, id=key, metadata={ratings.ANSWERED: value}) for key, value in noted]
        reading.by_text = True
        reading.fact(ngettext("answers of {n:,} question", "answers of {n:,} questions", len(given)))
        return
    asked = questions_of.parse(text)
    if not asked:
        remedy = Said("Write an id and a text in every line, separated by a tab.")
        raise reading.nothing(N_("“{file}” holds no questions."), remedy)
    reading.queries += [replace(q, text=reading.clean_string(q.text)) for q in asked]
    reading.fact(ngettext("{n:,} question", "{n:,} questions", len(reading.queries)))


def add_turns(reading: Reading, data: bytes) -> None:
    """Turns from ``conversations.jsonl``."""
    lines = reading.lines(json_text(reading, data))
    reading.turns += turns(lines, reading.wrong_line, tidy=reading.clean_string)
    reading.fact(ngettext("{n:,} turn of conversations", "{n:,} turns of conversations", len(reading.turns)))


def add_judgments(reading: Reading, data: bytes) -> None:
    """Judgments of queries, or of turns in ``conversations.tsv``.  Raises `UploadError` if there are none."""
    text = json_text(reading, data)
    if is_rated(reading.source, data):
        add_rated(reading, text)
        return
    if SUBTOPICS.endswith(f"/{reading.source.rsplit('/', 1)[-1]}"):
        reading.subtopics = subtopic_judgments(reading.lines(text), reading.wrong_line)
        count = sum(len(grades) for own in reading.subtopics.values() for grades in own.values())
        reading.fact(ngettext("{n:,} judgment of subtopics", "{n:,} judgments of subtopics", count))
        return
    grades = of_json(text) if text.lstrip().startswith(("{", "[")) else {}
    grades = grades or judgments(reading.lines(text), reading.wrong_line)
    if not grades:
        remedy = Said("Write three columns separated by tabs: {header}.", header="query-id, corpus-id, score")
        raise reading.nothing(N_("“{file}” holds no judgments."), remedy)
    if JUDGED_TURNS.endswith(f"/{reading.source.rsplit('/', 1)[-1]}"):
        reading.turn_qrels = grades
    elif all(map(_is_sentence, grades)):
        _add_by_text(reading, grades)
    else:
        reading.qrels = grades
    reading.judgments = sum(map(len, grades.values()))
    reading.fact(ngettext("{n:,} judgment", "{n:,} judgments", reading.judgments))


def _is_sentence(query: str) -> bool:
    return len(query.split()) > 2 or query.endswith(("?", "？"))


def _add_by_text(reading: Reading, grades: Mapping[str, dict[str, int]]) -> None:
    """Adds judgments that name their questions by their texts, and these questions."""
    ids = dict[str, str]()
    for text in grades:
        ids[text] = ratings.question_id(text, ids.values())
    reading.queries, reading.by_text = [Query(text, id=identity) for text, identity in ids.items()], True
    reading.qrels = {ids[text]: row for text, row in grades.items()}


def add_rated(reading: Reading, text: str) -> None:
    """Questions and judgments of Quepid or OpenSearch, or questions only.  Raises `UploadError` if there are none."""
    rated = ratings.read(text, reading.wrong_line, tidy=reading.clean_string, as_id=as_id)
    if not rated.queries:
        raise reading.nothing(N_("“{file}” holds no judgments."), Said("Export the file again."))
    reading.queries, reading.by_text = list(rated.queries), True
    reading.qrels = {q: dict(grades) for q, grades in rated.qrels.items()}
    if rated.remark:
        reading.problem(rated.remark, Said("Check the grades before you measure with them."))
    reading.judgments = sum(map(len, rated.qrels.values()))
    reading.fact(ngettext("{n:,} question", "{n:,} questions", len(reading.queries)))
    if reading.judgments:
        reading.fact(ngettext("{n:,} judgment", "{n:,} judgments", reading.judgments))
