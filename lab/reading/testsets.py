"""Test sets in JSON: questions with their passages and answers, as a corpus, questions and judgments.

Each distinct passage is a document, each question a query with its id, and what belongs together is a judgment: 1 for a
passage that answers, 0 for one that is given as a distractor.  Passages that a system has retrieved are documents
without a judgment.  The answers of a question are in its metadata, as `lab.reading.ratings.ANSWERED`.

The known forms are SQuAD (also as CMRC, DuReader and Hugging Face write them), RAGAS, DeepEval, RGB, MuSiQue,
HotpotQA, MS MARCO, DPR and Tevatron, triplets of sentence-transformers, the sets of LlamaIndex and lancedb, MT-RAG, and
CAsT.  They are known by the names of their fields, so that others with such names are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from lab.algebra import Query, Value
from lab.reading.judgments import as_id
from lab.reading.known import ASKED, ID, TEXT, TITLE
from lab.reading.names import Names
from lab.reading.ratings import ANSWERED
from lab.reading.shapes import SAMPLE, column_rows
from lab.reading.tables import has_words, to_value
from lab.reading.uploads import Reading
from lab.words import Said, ngettext

_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_UTTERANCES = ("rawutterance", "utterance")
_REWRITTEN = ("manualrewrittenutterance", "resolvedutterance", "rewrittenutterance")
_CANONICAL = ("canonicalresultid", "manualcanonicalresultid", "automaticcanonicalresultid")
_USERS = ("user", "human")
_RELEVANT_DOCUMENTS = ("relevantdocs", "relevantdocuments", "qrels", "judgments")
_TITLES, _TEXTS, _IDS = (
    tuple(dict.fromkeys(_BETWEEN_WORDS.sub("", name) for name in names))
    for names in (sorted(set(TITLE) - set(ASKED["text"])), (*TEXT, "sentences", "paragraphs"), ID)
)
_PASSAGE_IDS = tuple(name for name in _IDS if name not in ("id", "key", "uuid", "guid"))
_NO_ANSWER = "No Answer Present."
_DEEPEST = 4
_LONGEST_NOTE, _MOST_KEYS = 200, 100


@lru_cache(maxsize=4096)
def squeezed(name: object) -> str:
    """Returns the name of a field in lower case, without spaces, hyphens and underscores."""
    return _BETWEEN_WORDS.sub("", str(name).strip().lower())


class Fields(dict[str, Any]):
    """The fields of an object by their squeezed names, and the names themselves."""

    def __init__(self, record: object = ()) -> None:
        record = record if isinstance(record, dict) else {}
        super().__init__((squeezed(name), value) for name, value in record.items())
        self.names = {squeezed(name): str(name) for name in record}


@dataclass(frozen=True)
class Passage:
    """A text with its grade for a question; None if nobody has judged it."""

    text: str
    title: str = ""
    id: str = ""
    grade: int | None = 1


@dataclass(frozen=True)
class Asked:
    """A question with its passages; ``place`` is its conversation and turn, ``raw`` its words there.

    ``is_asked`` is false for passages that nobody asks about.
    """

    text: str
    id: str = ""
    passages: Sequence[Passage] = ()
    notes: Mapping[str, Value] = field(default_factory=dict)
    place: tuple[str, int] | None = None
    raw: str = ""
    is_asked: bool = True


def test_set(value: object) -> list[Asked]:
    """Returns the questions of a JSON value with their passages; nothing if it is not a test set."""
    if isinstance(value, dict) and (by_id := _by_id(value)):
        return by_id
    for records in _lists(value, 0):
        sample = [Fields(record) for record in records[:SAMPLE]]
        for read in (_of_paragraphs, _of_topics, _of_dialogues, _of_records):
            if any(asked.is_asked for asked in read(sample)):
                return _merged(read([Fields(record) for record in records]))
    return []


def _merged(asked: Iterable[Asked]) -> list[Asked]:
    """The questions, each once: one with the same text and the same id, or none, has the passages of both."""
    by_text: dict[tuple[str, str, int], Asked] = {}
    for place, question in enumerate(asked):
        key = question.text, question.id, 0 if question.text else place
        first = by_text.get(key)
        by_text[key] = replace(first, passages=[*first.passages, *question.passages]) if first else question
    return list(by_text.values())


test_set.__test__ = False  # type: ignore[attr-defined]


def add_test_set(reading: Reading, asked: Sequence[Asked]) -> None:
    """Adds the passages, questions and judgments of a test set."""
    limit, ids, documents = reading.limits.max_rows, Names(), dict[tuple[str, str], list[str]]()
    for number, question in enumerate(asked[:limit], 1):
        reading.hurry(number)
        graded = [(passage, _document(reading, documents, passage)) for passage in question.passages]
        text = " ".join(reading.clean(question.text).split())
        if not question.is_asked:
            continue
        if not text:
            place = Said("item {n}", n=number)
            reading.problem(Said("The query is empty."), Said("Write the text of the question."), place=place)
            continue
        identity = ids.fresh(as_id(question.id) or f"q{number}")
        notes = {name: note for name, note in question.notes.items() if note not in ("", [])}
        reading.queries.append(Query(text, id=identity, metadata=notes))
        grades = dict[str, int]()
        for passage, parts in graded:
            for part in parts if passage.grade is not None else ():
                grades[part] = max(passage.grade or 0, grades.get(part, 0))
        if grades:
            reading.qrels[identity] = grades
        if question.place is not None:
            _add_turn(reading, question, identity, grades)
    if len(asked) > limit:
        few = Said("Only the first {limit} rows were read.", limit=limit)
        reading.problem(few, Said("Upload the rest as a separate file."))
    _add_facts(reading)


def _add_turn(reading: Reading, question: Asked, identity: str, grades: dict[str, int]) -> None:
    conversation, turn = question.place or ("", 1)
    words = " ".join(reading.clean(question.raw or question.text).split())
    noted: dict[str, Value] = {"conversation": conversation, "turn": turn}
    reading.turns.append(Query(words, id=identity, metadata=noted))
    if grades:
        reading.turn_qrels[identity] = dict(grades)


def _document(reading: Reading, documents: dict[tuple[str, str], list[str]], passage: Passage) -> list[str]:
    """The ids of the document of a passage, or of its parts; it is added if it is new."""
    key = passage.title, passage.text
    if key not in documents:
        begin = len(reading.documents)
        identity = " ".join(as_id(passage.id).split()) or f"{reading.name}/{len(documents) + 1}"
        reading.add(passage.text, id=identity, title=passage.title, metadata={"source": reading.source})
        documents[key] = [document.id for document in reading.documents[begin:]]
    return documents[key]


def _add_facts(reading: Reading) -> None:
    passages, questions, turns = len(reading.documents), len(reading.queries), len(reading.turns)
    reading.judgments = sum(map(len, reading.qrels.values()))
    if passages:
        reading.fact(ngettext("{n:,} passage", "{n:,} passages", passages))
    reading.fact(ngettext("{n:,} question", "{n:,} questions", questions))
    if turns:
        reading.fact(ngettext("{n:,} turn of conversations", "{n:,} turns of conversations", turns))
    if reading.judgments:
        reading.fact(ngettext("{n:,} judgment", "{n:,} judgments", reading.judgments))


# -------------------------------------------------------------------------------------------------- fields


def _first(fields: Fields, names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) not in (None, "", [], {})), None)


def _text(fields: Fields, names: Iterable[str]) -> str:
    """The first of these fields that is a text, or the sentences of one."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            between = "\n" if name == "paragraphs" else "" if value[-1].startswith(" ") else " "
            value = between.join(value)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _identity(fields: Fields, names: Iterable[str]) -> str:
    values = (fields.get(name) for name in names)
    return next((str(v).strip() for v in values if isinstance(v, str | int) and not isinstance(v, bool)), "")


def _answers(value: Any, depth: int = 0) -> list[str]:
    """The different texts of answers: strings, or objects with a text."""
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, str | int | float):
        return [str(value)] if str(value).strip() and value != _NO_ANSWER else []
    if isinstance(value, dict):
        value = value.get("text", value.get("answer", value.get("value", [])))
    inner = (value if isinstance(value, list) else []) if not isinstance(value, str) else [value]
    found = (answer for v in inner for answer in _answers(v, depth + 1)) if depth < _DEEPEST else ()
    return list(dict.fromkeys(found))


def answers_of(fields: Fields) -> list[str]:
    return _answers(_first(fields, ASKED["answer"]))


def _notes(fields: Fields) -> dict[str, Value]:
    """The answers of a question, and its short fields."""
    asked = {name for names in ASKED.values() for name in names}
    notes: dict[str, Value] = {}
    for name, value in fields.items():
        short = isinstance(value, int | float) or (isinstance(value, str) and len(value) <= _LONGEST_NOTE)
        if short and name not in (*asked, *_TITLES) and (noted := to_value(value)) is not None:
            notes[fields.names.get(name, name)] = noted
    if answers := answers_of(fields):
        notes[ANSWERED] = answers[0] if len(answers) == 1 else answers
    return notes


def _lists(value: object, depth: int) -> Iterator[Sequence[object]]:
    """The lists of objects in a value, from the outside to the inside."""
    if isinstance(value, dict):
        first = [v for v in islice(value.values(), SAMPLE) if isinstance(v, dict)]
        if len(first) > 1 and all(_has_question(Fields(v)) for v in first):
            yield [{"id": k, **v} for k, v in value.items() if isinstance(v, dict)]
        if len(value) > _MOST_KEYS:
            return
        rows = column_rows(value)
        if rows or not depth or _has_question(Fields(value)):
            yield rows or [value]
        for inner in value.values() if depth < _DEEPEST else ():
            yield from _lists(inner, depth + 1)
    elif isinstance(value, list) and any(isinstance(v, dict) for v in value[:SAMPLE]):
        yield [v.get("row", v) for v in value if isinstance(v, dict)]
    elif isinstance(value, list) and value and all(isinstance(v, list) for v in value[:SAMPLE]) and _is_triplets(value):
        yield [{"anchor": row[0], "positive": row[1], "negative": row[2:]} for row in value[1:]]


def _is_triplets(rows: list[Any]) -> bool:
    """Whether lists are the rows of a table of triplets, below their names."""
    names = [squeezed(name) for name in rows[0][:2] if isinstance(name, str)]
    return names == ["anchor", "positive"] and all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)


# ------------------------------------------------------------------------------------------------ passages


def _passages(value: Any, grade: int | None, title: str = "") -> list[Passage]:
    """The passages in a value: texts, objects, pairs of a title and sentences, or the columns of a table of them."""
    if isinstance(value, str):
        return [Passage(value, title, grade=grade)] if has_words(value) else []
    if isinstance(value, dict):
        fields = Fields(value)
        if rows := column_rows(value) or _of_columns(value):
            return [passage for row in rows for passage in _passages(row, grade)]
        if text := _text(fields, _TEXTS):
            marked = _mark(fields)
            named = _text(fields, _TITLES) or title
            return [Passage(text, named, _identity(fields, _IDS), grade if marked is None else marked)]
        texts = [(k, v) for k, v in value.items() if isinstance(v, str) and has_words(v)]
        return [Passage(v, "", str(k), grade) for k, v in texts]
    if not isinstance(value, list):
        return []
    if _is_pair(value):
        text = value[1] if isinstance(value[1], str) else _text(Fields({"text": value[1]}), ("text",))
        return [Passage(text, value[0], grade=grade)]
    return [passage for v in value[:1000] for passage in _passages(v, grade, title)]


def _is_pair(value: Sequence[Any]) -> bool:
    """Whether a list is a title and the sentences below it."""
    if len(value) != 2 or not isinstance(value[0], str):
        return False
    if isinstance(value[1], list):
        return bool(value[1]) and all(isinstance(v, str) for v in value[1])
    return False


def _of_columns(value: Mapping[str, Any]) -> list[object]:
    """The rows of columns that are lists of one length, such as titles and sentences."""
    columns = {k: v for k, v in value.items() if isinstance(v, list)}
    if len(columns) < 2 or len({len(v) for v in columns.values()}) != 1 or len(columns) != len(value):
        return []
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _mark(fields: Fields) -> int | None:
    """The grade that a passage has itself, such as “is_selected”."""
    value = next((fields[name] for name in ASKED["marks"] if name in fields), None)
    return max(int(value), 0) if isinstance(value, bool | int | float) and abs(value) < 100 else None


def _all_passages(fields: Fields) -> list[Passage]:
    """The passages of a question by what they are to it; the first grade of a text counts."""
    title = _text(fields, _TITLES)
    found = [p for name in ASKED["relevant"] for p in _passages(fields.get(name), 1)]
    found += [p for name in ASKED["irrelevant"] for p in _passages(fields.get(name), 0)]
    given = [p for name in ASKED["given"] for p in _passages(fields.get(name), 1, title)]
    if len(given) == 1 and not given[0].id:
        given = [replace(given[0], id=_identity(fields, _PASSAGE_IDS))]
    found += _graded(fields, given, judged=any(p.grade for p in found))
    found += [p for name in ASKED["retrieved"] for p in _passages(fields.get(name), None)]
    return list({(p.title, p.text): p for p in reversed(found)}.values())[::-1]


def _graded(fields: Fields, given: list[Passage], *, judged: bool) -> list[Passage]:
    """The passages that are given with a question, with grades by the facts that support it or by its own mark."""
    if supporting := _supporting(fields.get("supportingfacts")):
        return [replace(p, grade=int(p.title in supporting)) for p in given]
    answerable = fields.get("isimpossible") is not True and fields.get("answerable") is not False
    marked = _mark(fields) if len(given) == 1 else None
    if not answerable or marked is not None:
        return [replace(p, grade=marked or 0) for p in given]
    return [replace(p, grade=None) for p in given] if judged else given


def _supporting(value: Any) -> set[str]:
    """The titles of the passages that support an answer."""
    if isinstance(value, dict):
        value = value.get("title", [])
    titles = ((v[0] if isinstance(v, list) and v else v) for v in (value if isinstance(value, list) else []))
    return {title for title in titles if isinstance(title, str)}


# ------------------------------------------------------------------------------------------------- records


def _has_question(fields: Fields) -> bool:
    return bool(_question(fields)) and bool(_all_passages(fields))


def _question(fields: Fields) -> str:
    return next((v for name in ASKED["text"] if isinstance(v := fields.get(name), str) and has_words(v)), "")


def _of_records(records: Sequence[Fields]) -> list[Asked]:
    """A question in each object."""
    sample = records[:SAMPLE]
    if not sample or 2 * sum(map(_has_question, sample)) <= len(sample):
        return []
    return [_asked(fields) for fields in records]


def _asked(fields: Fields) -> Asked:
    return Asked(_question(fields), _identity(fields, ASKED["id"]), _all_passages(fields), _notes(fields))


def _of_paragraphs(records: Sequence[Fields]) -> list[Asked]:
    """The questions below their paragraphs, as SQuAD has them."""
    return [asked for fields in records for asked in _below(fields, "", 0)]


def _below(fields: Fields, title: str, depth: int) -> Iterator[Asked]:
    title = _text(fields, _TITLES) or title
    inner = fields.get("paragraphs")
    if isinstance(inner, list) and depth < _DEEPEST:
        for paragraph in inner:
            yield from _below(Fields(paragraph), title, depth + 1)
    questions, context = fields.get("qas"), _text(fields, ("context", "contexttext", "paragraph", "text"))
    if not isinstance(questions, list) or not context:
        return
    passage = Passage(context, title, _identity(fields, ("contextid", "paragraphid", "id")))
    if not questions:
        yield Asked("", passages=[replace(passage, grade=None)], is_asked=False)
    for question in map(Fields, questions):
        found = _graded(question, [passage], judged=False)
        yield Asked(_question(question), _identity(question, ASKED["id"]), found, _notes(question))


def _by_id(value: Mapping[str, Any]) -> list[Asked]:
    """The questions of an object of questions, passages and lists of relevant passages, all by id."""
    fields = Fields(value)
    questions, corpus = fields.get("queries"), fields.get("corpus")
    relevant = _first(fields, _RELEVANT_DOCUMENTS)
    if not all(isinstance(v, dict) and v for v in (questions, corpus, relevant)):
        return []
    passages = {str(k): p for k, v in corpus.items() for p in _passages(v, None)}  # type: ignore[union-attr]
    passages = {k: replace(p, id=k, grade=None) for k, p in passages.items()}
    asked = list[Asked]()
    for key, question in questions.items():  # type: ignore[union-attr]
        grades = relevant.get(key, [])
        grades = grades if isinstance(grades, dict) else dict.fromkeys(grades if isinstance(grades, list) else [], 1)
        found = [(passages[str(k)], grade) for k, grade in grades.items() if str(k) in passages]
        judged = [replace(p, grade=int(grade)) for p, grade in found if isinstance(grade, int | float)]
        fields = Fields(question)
        text = question if isinstance(question, str) else _question(fields) or _text(fields, _TEXTS)
        asked.append(Asked(text, str(key), judged if asked else [*passages.values(), *judged]))
    return asked


# ------------------------------------------------------------------------------------------- conversations


def _of_topics(records: Sequence[Fields]) -> list[Asked]:
    """The turns of the topics of CAsT and iKAT."""
    return [asked for topic in records for asked in _turns(topic)]


def _turns(topic: Fields) -> Iterator[Asked]:
    turns, number = _first(topic, ("turn", "turns")), _identity(topic, ("number", "topicnumber", "topicid", "id"))
    spoken = [Fields(turn) for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    if not number or not any(_text(turn, _UTTERANCES) for turn in spoken):
        return
    asked = [turn for turn in spoken if _text(turn, _UTTERANCES)]
    for place, turn in enumerate(asked, 1):
        raw, key = _text(turn, _UTTERANCES), _identity(turn, ("number", "turnid", "turnnumber", "id")) or str(place)
        text = _text(turn, ("passage", "canonicalresult", "canonicalpassage"))
        passages = _passages(text, 1) if text else []
        if passages:
            canonical = _identity(turn, _CANONICAL)
            part = _identity(turn, ("passageid",))
            name = f"{canonical}-{part}" if canonical and part else canonical
            passages = [replace(p, id=name) for p in passages]
        identity = key if key.startswith(f"{number}_") else f"{number}_{key}"
        notes = {k: v for k, v in _notes(turn).items() if squeezed(k) not in (*_UTTERANCES, *_REWRITTEN, "passage")}
        title = _text(topic, ("title",))
        notes |= {"title": title} if title else {}
        yield Asked(_text(turn, _REWRITTEN) or raw, identity, passages, notes, (number, place), raw)


def _of_dialogues(records: Sequence[Fields]) -> list[Asked]:
    """The turns of MT-RAG: a conversation with the passages of each answer, or one with its next turn."""
    found = [asked for number, record in enumerate(records, 1) for asked in _dialogue(record, number)]
    return found if any(asked.passages for asked in found) else []


def _dialogue(record: Fields, number: int) -> Iterator[Asked]:
    messages = [Fields(m) for m in _messages(record) if isinstance(m, dict)]
    conversation = _identity(record, ("conversationid", "dialogid", "id")) or str(number)
    places = [i for i, m in enumerate(messages) if str(_first(m, ("speaker", "role"))).lower() in _USERS]
    if not places:
        return
    if "contexts" in record and "messages" not in record:  # one turn, after those before it
        notes = _notes(Fields({"answer": _texts_of(record.get("targets"))}))
        text, identity = _text(messages[places[-1]], ("text", "content")), _identity(record, ("taskid", "id"))
        place = conversation, len(places)
        yield Asked(text, identity, _passages(record.get("contexts"), 1), notes, place, text)
        return
    for turn, i in enumerate(places, 1):
        answer = messages[i + 1] if i + 1 < len(messages) and i + 1 not in places else Fields()
        contexts = answer.get("contexts")
        passages = [p for v in contexts for p in _passages(v, _feedback(v))] if isinstance(contexts, list) else []
        text = _text(messages[i], ("text", "content"))
        notes = _notes(Fields({"answer": _text(answer, ("text", "content"))}))
        yield Asked(text, f"{conversation}_{turn}", passages, notes, (conversation, turn), text)


def _messages(record: Fields) -> list[Any]:
    value = _first(record, ("messages", "input"))
    return value if isinstance(value, list) else []


def _texts_of(value: Any) -> list[str]:
    return [
        text for v in islice(value if isinstance(value, list) else [], 100) if (text := _text(Fields(v), ("text",)))
    ]


def _feedback(context: Any) -> int:
    """0 if those who wrote a conversation called a passage irrelevant."""
    relevant = context.get("feedback", {}).get("relevant", {}) if isinstance(context, dict) else {}
    values = [v.get("value", "") if isinstance(v, dict) else v for v in relevant.values()] if relevant else []
    return int(not values or any(str(v).lower() in ("yes", "true", "1") for v in values))
