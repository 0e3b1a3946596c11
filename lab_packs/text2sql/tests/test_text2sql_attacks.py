"""Attacks: whatever is asked, written by a model or uploaded, every database stays as it is, byte by byte."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from night import for_each, sample, spread
from sets import TODAY

from lab.errors import LabError, QueryError, UploadError
from lab_packs.text2sql.database import Database, open_database, open_sample, sha256
from lab_packs.text2sql.dialogue import say
from lab_packs.text2sql.free import check_sql, free_sql
from lab_packs.text2sql.guard import Limits
from lab_packs.text2sql.hints import Hint
from lab_packs.text2sql.model_tree import ModelReader
from lab_packs.text2sql.sql import build
from lab_packs.text2sql.tree import Field, Select
from lab_packs.text2sql.tree import Test as Compared
from lab_packs.text2sql.upload import open_upload

FAST = Limits(seconds=0.3, rows=50)

STATEMENTS = [
    "DROP TABLE orders",
    "DELETE FROM orders",
    "UPDATE orders SET total = 0",
    "INSERT INTO orders SELECT * FROM orders",
    "INSERT INTO orders DEFAULT VALUES RETURNING *",
    "REPLACE INTO orders (id) VALUES (1)",
    "CREATE TABLE evil (a)",
    "CREATE TEMP TABLE evil (a)",
    "CREATE TRIGGER evil AFTER INSERT ON orders BEGIN DELETE FROM orders; END",
    "CREATE VIEW evil AS SELECT 1",
    "CREATE VIRTUAL TABLE evil USING fts5(a)",
    "CREATE TABLE evil AS SELECT * FROM orders",
    "ALTER TABLE orders ADD COLUMN evil",
    "ALTER TABLE orders RENAME TO evil",
    "VACUUM",
    "VACUUM INTO '/tmp/evil.sqlite'",
    "REINDEX",
    "ANALYZE",
    "ATTACH DATABASE '/tmp/evil.sqlite' AS evil",
    "ATTACH ':memory:' AS evil",
    "DETACH DATABASE main",
    "PRAGMA writable_schema = ON",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 7",
    "PRAGMA table_info(orders)",
    "PRAGMA database_list",
    "PRAGMA trusted_schema = ON",
    "BEGIN IMMEDIATE",
    "SAVEPOINT evil",
    "COMMIT",
    "ROLLBACK",
    "EXPLAIN DELETE FROM orders",
    "EXPLAIN SELECT 1",
    "VALUES (1), (2)",
    "WITH d AS (SELECT id FROM orders) DELETE FROM orders WHERE id IN d",
    "SELECT * FROM orders; DROP TABLE orders",
    "SELECT * FROM orders; --",
    "SELECT * FROM orders;;SELECT * FROM customers",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_master",
    "SELECT * FROM sqlite_sequence",
    "SELECT name FROM orders UNION SELECT sql FROM sqlite_master",
    "SELECT id FROM orders UNION ALL SELECT id FROM customers",
    "SELECT id FROM orders INTERSECT SELECT 1",
    "SELECT id FROM orders EXCEPT SELECT 1",
    "SELECT (SELECT group_concat(sql) FROM sqlite_master) FROM orders",
    "SELECT * FROM orders WHERE id IN (SELECT rootpage FROM sqlite_master)",
    "SELECT * FROM pragma_table_info('orders')",
    "SELECT * FROM pragma_database_list",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT load_extension('evil') FROM orders",
    "SELECT writefile('/tmp/evil', 'x') FROM orders",
    "SELECT readfile('/etc/passwd') FROM orders",
    "SELECT edit('x') FROM orders",
    "SELECT fts3_tokenizer('simple') FROM orders",
    "SELECT randomblob(1000000000) FROM orders",
    "SELECT zeroblob(1000000000) FROM orders",
    "SELECT hex(zeroblob(500000000)) FROM orders",
    "SELECT printf('%1000000000d', 1) FROM orders",
    "SELECT format('%.*c', 1000000000, 'x') FROM orders",
    "SELECT sqlite_compileoption_get(1) FROM orders",
    "SELECT json_group_array(id) FROM orders",
    "SELECT * FROM json_each('[1,2]')",
    "SELECT * FROM generate_series(1, 1000000000)",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT o.id FROM orders o, c",
    "WITH orders AS (SELECT * FROM customers) SELECT * FROM orders",
    "SELECT * FROM main.orders",
    "SELECT * FROM temp.orders",
    "SELECT * FROM orders WHERE id = ?",
    "SELECT * FROM orders WHERE id = :id",
    "SELECT * FROM orders WHERE id = $id",
    "SELECT secret FROM orders",
    'SELECT "no such column" FROM orders',
    "SELECT * FROM nothing",
    "SELECT * FROM ｏｒｄｅｒｓ",
    "ＳＥＬＥＣＴ * FROM orders",
    "SELECT\u200b* FROM orders",
    "SELECT * FROM оrders",  # a Cyrillic o
    "DЕLETE FROM orders",  # a Cyrillic E
    "SELECT * INTO evil FROM orders",
    "SELECT * FROM orders FOR UPDATE",
    "SELECT 1 FROM orders LIMIT (SELECT count(*) FROM sqlite_master)",
    "/*!50000 DROP TABLE orders */",
    "-- SELECT\nDROP TABLE orders",
    "SELECT '" + "a" * 20_000 + "' FROM orders",
    "SELECT " + "(" * 3000 + "1" + ")" * 3000 + " FROM orders",
    "",
    ";",
    "\x00",
    "SELECT * FROM orders WHERE 1=1 AND\x00 1",
]

HONEST = [
    "SELECT * FROM orders, order_items, customers, products ORDER BY random()",
    "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e",
    "SELECT * FROM orders -- '; DROP TABLE orders",
    "SELECT * FROM orders /* ; DELETE FROM orders */ LIMIT 5",
    "SELECT 'DROP TABLE orders' AS x FROM orders LIMIT 1",
    "SELECT replace(replace(replace('aaaaaaaaaa', 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa') "
    "FROM orders",
    "SELECT id FROM orders LIMIT 999999999999",
    "SELECT id FROM orders LIMIT -1",
    "SELECT * FROM orders WHERE status LIKE '%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%_%_%_%'",
]

WORDS = [
    "'; DROP TABLE orders; --",
    '" OR ""="',
    "' OR '1'='1",
    "x' UNION SELECT sql FROM sqlite_master --",
    "'); DELETE FROM customers; --",
    "%' OR 1=1 /*",
    "Robert'); DROP TABLE customers;--",
    "\\'; ATTACH 'x' AS y; --",
    "`; PRAGMA query_only=OFF; `",
    "$(rm -rf /)",
    "{{7*7}}",
    "${jndi:ldap://x}",
    "<script>alert(1)</script>",
    "＇；ＤＲＯＰ ＴＡＢＬＥ orders；－－",
    "ʼ; DROP TABLE orders; --",
    "\u202e;sredro ELBAT PORD",
    "\x00'; DROP TABLE orders",
    "'" * 500,
    "%" * 500,
    "🙂" * 100,
    "9" * 400,
    "1e309",
    "-9223372036854775809",
    "(" * 1000,
]

QUESTIONS = [
    "customers named “{}”",
    "名称包含“{}”的商品",
    'orders where status is "{}"',
    "{}",
    "products whose name starts with '{}'",
    "除了“{}”以外的客户",
    "show orders {} and customers",
]


class Scripted:
    """A model that always writes the same."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def ask(self, system: str, prompt: str) -> str:
        return self.reply


@pytest.fixture(scope="module")
def target() -> Database:
    return open_sample("shop")


@pytest.fixture(autouse=True)
def unchanged(target: Database) -> Iterator[None]:
    """Every test here leaves the database as it was, with no file beside it."""
    before, beside = sha256(target.path), sorted(p.name for p in target.path.parent.iterdir())
    yield
    assert sha256(target.path) == before
    assert sorted(p.name for p in target.path.parent.iterdir()) == beside


def refused(error: LabError | None) -> bool:
    return error is not None and len(error.message) > 10


@for_each("sql", STATEMENTS)
def test_a_model_that_writes_this_is_refused_with_the_rule(target: Database, sql: str) -> None:
    with pytest.raises(QueryError, match="refused"):
        check_sql(sql, target.schema)
    answer = free_sql(target, "all orders", Scripted(sql), as_of=TODAY, limits=FAST)
    assert answer.result is None
    assert len(answer.attempts) == 2
    assert all(refused(a.refusal) for a in answer.attempts)


@for_each("sql", STATEMENTS)
def test_even_unchecked_the_guard_lets_nothing_be_written(target: Database, sql: str) -> None:
    with contextlib.suppress(LabError, ValueError):
        result = target.select(sql, limits=FAST)
        # odd, but only reading what may be read
        assert "orders" in sql.lower() or "values" in sql.lower() or sql.strip() in ("", ";")
        assert not any("CREATE" in str(cell) for row in result.rows for cell in row)


@pytest.mark.parametrize("sql", HONEST)
def test_a_heavy_or_odd_select_gives_rows_or_ends_in_time(target: Database, sql: str) -> None:
    answer = free_sql(target, "all orders", Scripted(sql), as_of=TODAY, limits=FAST)
    assert answer.result is not None or refused(answer.error)
    if answer.result is not None:
        assert len(answer.result.rows) <= FAST.rows


@for_each("question, word", sample(product(QUESTIONS, WORDS), 20))
def test_a_question_full_of_sql_is_only_words(target: Database, question: str, word: str) -> None:
    turn = say(target, question.format(word) if "{}" in question else question, as_of=TODAY, limits=FAST)
    assert turn.error is None or refused(turn.error)
    if turn.query is not None:
        assert word not in turn.query.sql
        assert turn.query.sql.count(";") == 0
    if turn.result is not None:
        assert turn.answer
    else:
        assert turn.kind == "nothing" or turn.asks or turn.error is not None


@pytest.mark.parametrize("word", [w for w in WORDS if "\x00" not in w])
def test_values_full_of_sql_find_exactly_themselves(tmp_path: Path, word: str) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT)")
        plain.executemany("INSERT INTO notes VALUES (?, ?)", [(1, word), (2, "plain"), (3, None)])
    before = sha256(path)
    db = open_database(path)
    ref = db.schema.table("notes").columns[1].ref
    for op, expected in (("=", [1]), ("contains", [1]), ("starts", [1]), ("ends", [1])):
        rows = db.run(build(Select("notes", where=(Compared(Field(ref), op, (word,)),)), db.schema)).rows
        assert [r[0] for r in rows] == expected
    assert sha256(path) == before


@for_each(
    "data",
    [
        {"table": "sqlite_master", "filters": []},
        {"table": "orders; DROP TABLE orders", "filters": [{"column": "orders.status", "op": "=", "values": ["x"]}]},
        {"table": "orders", "filters": [{"column": "orders.status OR 1=1", "op": "=", "values": ["x"]}]},
        {"table": "orders", "filters": [{"column": "orders.total", "op": "= 1 OR 1", "values": [1]}]},
        {"table": "orders", "filters": [{"column": "orders.total", "op": ">", "values": ["0; DROP TABLE orders"]}]},
        {
            "table": "orders",
            "filters": [{"column": "orders.status", "op": "=", "values": ["'; DROP TABLE orders; --"]}],
        },
        {"table": "orders", "sort": [{"column": "orders.total DESC; DROP TABLE orders", "descending": True}]},
        {"table": "orders", "group": [{"column": "orders.ordered_on", "part": "1); DROP TABLE orders"}]},
        {"table": "orders", "measures": [{"fn": "load_extension", "column": "orders.total"}]},
        {"table": "orders", "measures": [{"fn": "sum", "column": "sqlite_master.rootpage"}]},
        {"table": "orders", "limit": "1; DROP TABLE orders"},
        {"table": "orders", "limit": 10**30},
        {
            "table": "orders",
            "filters": [{"column": "orders.ordered_on", "op": "during", "values": ["2023-01-01'; --", None]}],
        },
        {"table": "orders", "filters": [{"column": ["orders"], "op": {}, "values": {}}] * 1000},
        {"table": "orders", "filters": "all", "show": 7, "group": None},
        [],
        "not json",
    ],
)
def test_slots_of_a_model_are_held_against_the_schema(target: Database, data: object) -> None:
    turn = say(target, "orders", as_of=TODAY, reader=ModelReader(Scripted(json.dumps(data))), limits=FAST)
    assert turn.error is None or refused(turn.error)
    if turn.query is not None:
        assert "DROP" not in turn.query.sql
        assert "sqlite_master" not in turn.query.sql


@pytest.mark.parametrize(
    "name", ['a"; DROP TABLE orders; --', "x' OR 1=1", "]]>", "", " ", "\x00", "select", "🙂", "a" * 5000]
)
def test_hints_are_words_and_reach_no_sql(target: Database, name: str) -> None:
    hints = {
        "orders.total": Hint(
            zh=name, en=name, synonyms=(name,), cues=(name,), unit=name, values={"x": (name,)}, order=(name,)
        ),
        "orders": Hint(zh=name, en=name),
    }
    edited = target.with_hints(hints)
    turn = say(edited, f"{name} orders over 1000 sorted by {name}", as_of=TODAY, limits=FAST)
    assert turn.error is None or refused(turn.error)
    if turn.query is not None and len(name) > 3:
        assert name not in turn.query.sql or name == "select"


@pytest.mark.parametrize("seed", spread(range(40), 13))
def test_a_damaged_file_is_refused_or_read_honestly(target: Database, seed: int) -> None:
    """Bytes of a good file are overwritten here and there; SQLite must not fall over it."""
    random_ = random.Random(seed)
    data = bytearray(target.path.read_bytes())
    if seed % 4 == 0:
        data = data[: random_.randrange(600, len(data))]
    for _ in range(1 + seed % 7 * 10):
        at = random_.randrange(16 if seed % 3 else 100, len(data))
        data[at : at + 1 + seed % 5 * 20] = random_.randbytes(1 + seed % 5 * 20)
    try:
        db = open_upload("damaged.sqlite", bytes(data))
    except UploadError as caught:
        said = caught.message
    else:
        said = ""
    if said:
        assert "damaged.sqlite" in said
        return
    before = sha256(db.path)
    for question in ("有多少订单", "products under 100 yuan", "订单最多的客户"):
        turn = say(db, question, as_of=TODAY, limits=FAST)
        assert turn.result is not None or refused(turn.error) or turn.kind == "nothing" or turn.asks
    assert sha256(db.path) == before


VIEWS = [
    "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
    "CREATE VIEW v AS SELECT a.k FROM t a, t b, t c, t d, t e, t f",
    "CREATE VIEW v AS SELECT load_extension('evil') AS k FROM t",
    "CREATE VIEW v AS SELECT randomblob(1000000000) AS k FROM t",
    "CREATE VIEW v AS SELECT * FROM sqlite_master",
    "CREATE VIEW v AS SELECT * FROM missing",
    "CREATE VIEW v AS SELECT k FROM v2; CREATE VIEW v2 AS SELECT k FROM v",
    "CREATE VIEW v AS SELECT k FROM t; CREATE TRIGGER w INSTEAD OF INSERT ON v BEGIN DELETE FROM t; END",
    "CREATE TRIGGER w AFTER UPDATE ON t BEGIN DELETE FROM t; END",
    "CREATE TABLE g (a, b AS (a || hex(a)))",
    "CREATE INDEX i ON t (abs(k))",
]


@pytest.mark.parametrize("script", spread(VIEWS, 4))
def test_views_and_triggers_of_an_upload_cannot_write_or_hang(tmp_path: Path, script: str) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as plain, plain:
        plain.execute("CREATE TABLE t (k INTEGER)")
        plain.executemany("INSERT INTO t VALUES (?)", [(i,) for i in range(60)])
        for statement in script.split("; CREATE VIEW v2"):
            plain.executescript(statement if statement.startswith("CREATE") else "CREATE VIEW v2" + statement)
    db = open_upload("a.db", path.read_bytes())
    before = sha256(db.path)
    for question in ("how many t", "how many v", "v with k over 10", "all v"):
        turn = say(db, question, as_of=TODAY, limits=FAST)
        assert turn.result is not None or refused(turn.error) or turn.kind == "nothing" or turn.asks
    assert sha256(db.path) == before
    assert db.select("SELECT count(*) FROM t").rows == ((60,),)


def test_there_are_at_least_300_attacks() -> None:
    assert 2 * len(STATEMENTS) + len(HONEST) + len(QUESTIONS) * len(WORDS) + len(WORDS) + 40 + len(VIEWS) >= 300
