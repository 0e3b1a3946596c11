"""Which words became which parts and which SQL: on all our own questions, and at the corners."""

from __future__ import annotations

import datetime as dt
from contextlib import closing

import pytest
from night import NIGHT, for_each
from sets import TODAY, load, opened

from lab_packs.text2sql.alignment import align, joins
from lab_packs.text2sql.database import Database, open_sample, samples
from lab_packs.text2sql.dialogue import Turn, say
from lab_packs.text2sql.hints import read_hints, write_hints
from lab_packs.text2sql.lessons import suggestions


def test_texts_stay_whole_and_nearly_every_new_part_has_its_words_and_its_sql() -> None:
    databases = {name: open_sample(name) for name in samples()}
    lost: list[str] = []
    asked = load("bundled")[:: 4 if NIGHT else 12]
    for question in asked:
        db, turn = databases[question.database], None
        for text in question.turns:
            turn = say(db, text, as_of=TODAY, before=turn)
            found = align(turn, db.schema)
            assert "".join(s.text for s in found.words) == text
            assert "".join(s.text for s in found.sql) == (turn.query.sql if turn.query else "")
            spoken = {i for s in found.words for i in s.parts}
            written = {i for s in found.sql for i in s.parts}
            for i, part in enumerate(found.parts):
                if i not in written or (part in turn.new and i not in spoken):
                    lost.append(f"{text}: {part}")
    assert len(lost) <= 0.12 * len(asked), lost


def parts(turn: Turn, db: Database, word: str) -> list[str]:
    """The kinds of the parts that a word belongs to, and its state where it belongs to none."""
    found = align(turn, db.schema)
    span = next(s for s in found.words if word in s.text)
    return [found.parts[i].kind for i in span.parts] or [span.state]


def test_words_lead_to_their_parts_and_parts_to_their_sql(shop: Database) -> None:
    turn = say(shop, "the three most expensive sports products", as_of=TODAY)
    assert parts(turn, shop, "expensive") == ["order", "limit"]
    assert parts(turn, shop, "sports") == ["where"]
    assert parts(turn, shop, "products") == ["table"]
    found = align(turn, shop.schema)
    at = {found.parts[i].kind: s.text for s in found.sql for i in s.parts}
    assert at["table"] == 'FROM "products"'
    assert at["where"] == '"products"."category" = :p1'
    assert at["limit"] == "LIMIT 3"


def test_a_word_that_is_not_understood_is_marked_and_there_is_no_sql(candidates: Database) -> None:
    turn = say(candidates, "会弹钢琴的后端工程师", as_of=TODAY)
    found = align(turn, candidates.schema)
    assert [s.text for s in found.words if s.state == "unknown"] == ["弹钢琴"]
    assert found.parts == found.sql == ()


def test_words_about_the_conversation_are_no_part_and_what_was_said_before_has_no_words(shop: Database) -> None:
    first = say(shop, "orders since March", as_of=TODAY)
    turn = say(shop, "only those in Berlin", as_of=TODAY, before=first)
    assert parts(turn, shop, "only") == ["move"]
    found = align(turn, shop.schema)
    spoken = {i for s in found.words for i in s.parts}
    assert [p.kind for i, p in enumerate(found.parts) if i not in spoken] == ["table", "where"]
    assert turn.after is not None
    assert [(f.table, f.parent) for f in joins(turn.after, shop.schema)] == [("orders", "customers")]
    city = next(i for i, p in enumerate(found.parts) if i in spoken)
    assert any("JOIN" in s.text and city in s.parts for s in found.sql), "the join is there for the city"


@for_each("question", ["", "  ", "？！", "\ud800", "x" * 2000, "<b>orders</b>"])
def test_hostile_questions_are_aligned_too(shop: Database, question: str) -> None:
    turn = say(shop, question, as_of=TODAY)
    found = align(turn, shop.schema)
    assert "".join(s.text for s in found.words) == turn.question


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["orchard", "bikes", "loans"])
def test_suggested_questions_are_understood_and_bring_rows(name: str, language: str) -> None:
    db, today = opened("examination", name), dt.date(2025, 6, 18)
    found = suggestions(db, language, as_of=today)
    assert len(found) >= 5
    assert len({kind for kind, _ in found}) == len(found)
    for _, question in found:
        turn = say(db, question, as_of=today)
        assert turn.result is not None
        assert turn.result.rows


def test_a_table_without_rows_or_columns_to_ask_about_suggests_nothing(tmp_path) -> None:  # type: ignore[no-untyped-def]
    import sqlite3

    from lab_packs.text2sql.database import open_database

    with closing(sqlite3.connect(tmp_path / "empty.sqlite")) as db, db:
        db.execute("CREATE TABLE hollow (id INTEGER PRIMARY KEY)")
    assert suggestions(open_database(tmp_path / "empty.sqlite"), "en", as_of=TODAY) == ()


def test_names_that_are_written_are_read_again(candidates: Database, shop: Database) -> None:
    for db in (candidates, shop):
        hints = db.schema.hints()
        assert read_hints(write_hints(hints)) == hints
    odd = read_hints('["a\\"b".c]\nzh = "“x”\\u007f"\nsynonyms = ["a, b"]\nvalues = { "k = 1" = ["x", "y"] }\n')
    assert read_hints(write_hints(odd)) == odd
