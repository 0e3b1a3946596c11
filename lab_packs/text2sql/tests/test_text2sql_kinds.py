"""Kinds of questions on tables that no rule was written beside: each reads as its reference query, or is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_of import gives, made_of
from night import for_each
from sets import TODAY, Question, opened, right

from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import say

RUN = [
    ("grants", "What is the ratio of completed projects to ongoing projects?",
     "SELECT 1.0 * sum(status = 'completed') / sum(status = 'ongoing') FROM project"),
    ("fleet", "What is the ratio of cash payments to card payments?",
     "SELECT 1.0 * sum(method = 'cash') / sum(method = 'card') FROM payments"),
    ("fleet", "What is the average number of days between pickup date and return date?",
     "SELECT avg(julianday(return_date) - julianday(pickup_date)) FROM rentals"),
    ("fleet", "How many rentals lasted more than 7 days?",
     "SELECT count(*) FROM rentals WHERE julianday(return_date) - julianday(pickup_date) > 7"),
    ("clinic", "What is the average number of treatments per patient?",
     "SELECT 1.0 * count(*) / count(DISTINCT pat_id) FROM treatments"),
    ("grants", "Show the average, minimum and maximum h-index for each department.",
     "SELECT d.dept_name, avg(h_index), min(h_index), max(h_index) FROM researcher JOIN department d USING (dept_id) "
     "GROUP BY d.dept_id"),
    ("fleet", "What is the highest and lowest daily rate per color?",
     "SELECT color, max(daily_rate), min(daily_rate) FROM vehicles GROUP BY color"),
    ("ferries", "Which sailings have no stops?", "SELECT sailing_id FROM sailing WHERE stops = 0"),
]  # fmt: skip
ASKED = [
    ("fleet", "Which makes have a highest daily rate above 100?"),
    ("loyalty", "How many transactions does each partner category have, including failed ones?"),
    ("loyalty", "How many successful orders are there?"),
    ("grants", "Which researchers are in the same department as Ada Brandt?"),
]


@for_each("database, words, sql", RUN)
def test_a_kind_of_question_brings_its_rows(database: str, words: str, sql: str) -> None:
    turn = say(opened("reports", database), words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert right(opened("reports", database), Question(database, TODAY, (words,), sql), turn.result.rows)


@for_each("database, words", ASKED)
def test_what_has_no_place_is_asked_about_and_nothing_runs(database: str, words: str) -> None:
    turn = say(opened("reports", database), words, as_of=TODAY)
    assert turn.result is None, turn.answer
    assert turn.unknown or turn.asks


@pytest.mark.parametrize(("way", "column"), [("depart from", "from_port"), ("arrive in", "to_port")])
def test_of_two_keys_to_one_table_the_direction_that_is_said_is_taken(way: str, column: str) -> None:
    db = opened("reports", "ferries")
    turn = say(db, f"How many sailings {way} Oslo?", as_of=TODAY)
    runs = turn.query is not None
    tree = turn.after if runs else turn.asks[0]
    assert column in str(tree)
    assert len(turn.asks) == (0 if runs else 1)


ENDINGS = ("d", "ed", "red", "s", "es", "ing", "er", "ly")
"""Values that make another form of a column's name where they stand behind it: grade d, colour red, size ing."""


@pytest.mark.parametrize("column", ["grade", "colour", "size", "track"])
def test_a_value_behind_its_column_is_a_condition_whatever_word_both_would_make(column: str, tmp_path: Path) -> None:
    rows = ", ".join(f"({i}, 'n{i}', '{value}')" for i, value in enumerate((*ENDINGS, "blue", *ENDINGS[::2])))
    script = f"CREATE TABLE shirts(id INTEGER PRIMARY KEY, name TEXT, {column} TEXT); INSERT INTO shirts VALUES {rows};"
    db = made_of(script, tmp_path, column)
    for value in ENDINGS:
        for words in (f"shirts with {column} {value}", f"names of the shirts with {column} {value}"):
            gives(db, say(db, words, as_of=TODAY), f"SELECT name FROM shirts WHERE {column} = '{value}'")


TABLES = {
    "ferries": """
CREATE TABLE lines(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE crossings(id INTEGER PRIMARY KEY, line_id INTEGER REFERENCES lines(id), origin TEXT, destination TEXT,
  fare REAL, delay_minutes INTEGER, damage_note TEXT, left_on DATE);
INSERT INTO lines VALUES (1,'Blue Line'),(2,'Fjord Line'),(3,'Coastal');
INSERT INTO crossings VALUES (1,1,'Turku','Riga',20,0,NULL,'2025-01-02'),(2,1,'Riga','Turku',22,40,'hull','2025-01-03'),
  (3,2,'Riga','Kiel',30,0,NULL,'2025-01-04'),(4,2,'Kiel','Riga',31,15,NULL,'2025-01-05'),
  (5,3,'Turku','Kiel',45,90,'bow','2025-01-06'),(6,3,'Turku','Gdynia',28,0,NULL,'2025-01-07');
""",
    "coaches": """
CREATE TABLE 班车(班次 TEXT PRIMARY KEY, 到达站 TEXT, 出发站 TEXT, 票价 REAL, 晚点分钟 INTEGER);
INSERT INTO 班车 VALUES ('B1','苏州','无锡',20,0),('B2','无锡','苏州',21,12),('B3','常州','苏州',35,0),('B4','苏州','常州',33,7);
""",
    "depots": """
CREATE TABLE depots(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE moves(id INTEGER PRIMARY KEY, to_depot_id INTEGER REFERENCES depots(id),
  from_depot_id INTEGER REFERENCES depots(id), pallets INTEGER);
INSERT INTO depots VALUES (1,'Quayside'),(2,'Hilltop'),(3,'Meadow');
INSERT INTO moves VALUES (1,2,1,4),(2,1,2,6),(3,3,1,9),(4,1,3,2);
""",
    "machines": """
CREATE TABLE 机器(编号 INTEGER PRIMARY KEY, 名称 TEXT, 车间 TEXT, 单价 REAL, 数量 INTEGER, 状态 TEXT);
INSERT INTO 机器 VALUES (1,'铣床','甲',8,2,'维修'),(2,'车床','甲',5,1,'正常'),(3,'磨床','乙',6,4,'报废');
""",
    "loans": """
CREATE TABLE members(id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT);
CREATE TABLE loans(id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(id),
  book_id INTEGER REFERENCES books(id), borrowed_on DATE, fine REAL);
INSERT INTO members VALUES (1,'Ida','Hull'),(2,'Max','York'),(3,'Eva','Hull');
INSERT INTO books VALUES (1,'Emma','Austen','novel'),(2,'Persuasion','Austen','novel'),(3,'Cosmos','Sagan','science');
INSERT INTO loans VALUES (1,1,1,'2025-01-01',0),(2,1,2,'2025-01-05',2),(3,2,3,'2025-02-01',NULL),(4,1,3,'2025-03-01',0),
  (5,3,1,'2025-03-02',0);
""",
    "fines": """
CREATE TABLE 司机(司机号 INTEGER PRIMARY KEY, 姓名 TEXT, 城区 TEXT);
CREATE TABLE 停车(停车号 INTEGER PRIMARY KEY, 司机号 INTEGER REFERENCES 司机(司机号), 停车日期 DATE, 罚款 REAL);
INSERT INTO 司机 VALUES (1,'冯远','东区'),(2,'蒋欣','西区'),(3,'卫平','西区');
INSERT INTO 停车 VALUES (1,1,'2025-01-01',0),(2,1,'2025-01-05',50),(3,2,'2025-02-01',NULL),(4,3,'2025-03-01',0);
""",
    "sales": """
CREATE TABLE 客户(客户号 INTEGER PRIMARY KEY, 姓名 TEXT, 城市 TEXT);
CREATE TABLE 商品(商品号 INTEGER PRIMARY KEY, 品名 TEXT, 类别 TEXT, 设计师 TEXT);
CREATE TABLE 订单(订单号 INTEGER PRIMARY KEY, 客户号 INTEGER REFERENCES 客户(客户号),
  商品号 INTEGER REFERENCES 商品(商品号), 下单日期 DATE);
INSERT INTO 客户 VALUES (1,'韩雪','成都'),(2,'邓超','重庆'),(3,'孙俪','成都');
INSERT INTO 商品 VALUES (1,'台灯','家居','林木'),(2,'耳机','数码','陈石'),(3,'书架','家居','林木');
INSERT INTO 订单 VALUES (1,1,1,'2025-01-01'),(2,1,2,'2025-01-02'),(3,2,3,'2025-01-03'),(4,1,3,'2025-01-04'),
  (5,3,1,'2025-01-05');
""",
}
PLACES = [
    ("ferries", "crossings to Kiel", "SELECT id FROM crossings WHERE destination = 'Kiel'"),
    ("ferries", "from Riga", "SELECT id FROM crossings WHERE origin = 'Riga'"),
    ("ferries", "how many lines sail to Riga", "SELECT 2"),
    ("ferries", "crossings from Turku to Riga under 25", "SELECT 1"),
    ("ferries", "crossings that leave Turku", "SELECT id FROM crossings WHERE origin = 'Turku'"),
    ("ferries", "crossings not to Riga", "SELECT id FROM crossings WHERE destination <> 'Riga'"),
    ("ferries", "crossings from Gdynia", "SELECT id FROM crossings WHERE origin = 'Gdynia'"),
    ("coaches", "从苏州到无锡的班车", "SELECT 班次 FROM 班车 WHERE 班次 = 'B2'"),
    ("coaches", "苏州到常州的票价", "SELECT 票价 FROM 班车 WHERE 班次 = 'B3'"),
    ("coaches", "开往苏州的班车", "SELECT 班次 FROM 班车 WHERE 到达站 = '苏州'"),
    ("coaches", "从常州出发的班车有几趟", "SELECT 1"),
    ("depots", "moves from Quayside", "SELECT id FROM moves WHERE from_depot_id = 1"),
    ("depots", "moves from Hilltop to Quayside", "SELECT id FROM moves WHERE id = 2"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("made")
    return {name: made_of(script, folder, name) for name, script in TABLES.items()}


@for_each("name, words, sql", PLACES)
def test_a_place_is_where_things_begin_or_end_as_the_question_says(
    made: dict[str, Database], name: str, words: str, sql: str
) -> None:
    gives(made[name], say(made[name], words, as_of=TODAY), sql)


def test_a_place_on_either_side_is_asked_about(made: dict[str, Database]) -> None:
    assert say(made["ferries"], "crossings to or from Riga", as_of=TODAY).result is None


def test_rows_that_a_key_points_to_are_named_in_the_answer(made: dict[str, Database]) -> None:
    assert "from depot id where name is Meadow" in say(made["depots"], "moves from Meadow", as_of=TODAY).answer


@for_each(
    "name, words, unknown",
    [
        ("ferries", "delayed crossings", "delayed"), ("ferries", "how many delayed crossings", "delayed"),
        ("ferries", "which crossings are delayed", "delayed"), ("ferries", "damaged crossings to Kiel", "damaged"),
        ("ferries", "overdue crossings", "overdue"), ("ferries", "used crossings", "used"),
        ("ferries", "other crossings to Kiel", "other"), ("coaches", "晚点的班车", "晚点"), ("coaches", "逾期的班车", "逾期"),
        ("coaches", "去苏州的晚点班车", "晚点"), ("machines", "在修的机器", "修"), ("machines", "在用的机器有几台", "用"),
        ("machines", "报修的机器", "修"),
    ],
)  # fmt: skip
def test_an_attribute_of_rows_that_is_no_condition_is_asked_about(
    made: dict[str, Database], name: str, words: str, unknown: str
) -> None:
    turn = say(made[name], words, as_of=TODAY)
    assert turn.result is None, turn.answer
    assert unknown in turn.unknown


@for_each(
    "name, words, sql",
    [
        ("ferries", "crossings delayed by more than 30 minutes", "SELECT id FROM crossings WHERE delay_minutes > 30"),
        ("ferries", "crossings with their delay", "SELECT delay_minutes FROM crossings"),
        ("coaches", "晚点超过10分钟的班车", "SELECT 班次 FROM 班车 WHERE 晚点分钟 > 10"),
        ("machines", "维修的机器", "SELECT 编号 FROM 机器 WHERE 状态 = '维修'"),
    ],
)
def test_the_same_words_are_read_where_they_are_a_condition_or_a_column(
    made: dict[str, Database], name: str, words: str, sql: str
) -> None:
    gives(made[name], say(made[name], words, as_of=TODAY), sql)


@for_each(
    "name, words, sql",
    [
        ("sales", "谁买的商品最多", "SELECT '韩雪', 3"), ("sales", "谁买的家居商品最多", "SELECT '韩雪', 2"),
        ("sales", "谁下单最多", "SELECT '韩雪', 3"), ("sales", "下单最多的人", "SELECT '韩雪', 3"),
        ("sales", "买过台灯的人", "SELECT 姓名 FROM 客户 WHERE 姓名 <> '邓超'"), ("loans", "who borrows the most", "SELECT 'Ida', 3"),
        ("loans", "who borrowed the most novels", "SELECT 'Ida', 2"), ("loans", "people who borrowed Emma", "SELECT name "
         "FROM members WHERE id <> 2"), ("loans", "who paid the highest fine", "SELECT 'Ida', 2.0"),
        ("loans", "who wrote the most books", "SELECT 'Austen', 2"),
    ],
)  # fmt: skip
def test_who_did_something_most_often_is_a_person_of_its_rows(
    made: dict[str, Database], name: str, words: str, sql: str
) -> None:
    gives(made[name], say(made[name], words, as_of=TODAY), sql)


@for_each(
    "name, words",
    [
        ("sales", "谁的商品买得最多"),
        ("loans", "whose books are borrowed most"),
        ("machines", "单价最高的人"),
        ("loans", "who has never borrowed a book"),
        ("loans", "how many people borrowed Emma"),
    ],
)
def test_a_person_whom_no_rows_name_is_asked_about(made: dict[str, Database], name: str, words: str) -> None:
    assert say(made[name], words, as_of=TODAY).result is None


@for_each(
    "name, words, sql",
    [
        ("fines", "罚过款的人", "SELECT '冯远'"), ("fines", "没罚过款的司机", "SELECT 姓名 FROM 司机 WHERE 姓名 <> '冯远'"),
        ("fines", "停车量", "SELECT 4"), ("fines", "每个城区的停车量", "SELECT '东区', 2 UNION ALL SELECT '西区', 2"),
        ("sales", "订单量最高的商品", "SELECT 品名, 2 FROM 商品 WHERE 品名 <> '耳机'"),
    ],
)  # fmt: skip
def test_a_verb_around_its_object_and_a_volume_are_read(
    made: dict[str, Database], name: str, words: str, sql: str
) -> None:
    gives(made[name], say(made[name], words, as_of=TODAY), sql)


def test_a_volume_of_things_is_asked_about(made: dict[str, Database]) -> None:
    assert say(made["machines"], "机器量", as_of=TODAY).result is None


STORES = """
CREATE TABLE stores(id INTEGER PRIMARY KEY, name TEXT, region TEXT, revenue REAL, cost REAL);
INSERT INTO stores VALUES (1, 'Ash', 'North', 100, 50), (2, 'Elm', 'North', 300, 50), (3, 'Oak', 'South', 90, 30);
"""


QUOTIENTS = {
    "ratio of revenue to cost by region": "SELECT 'North', 4.0 UNION ALL SELECT 'South', 3.0",
    "the ratio of cost to revenue per region": "SELECT 'North', 1 / 4.0 UNION ALL SELECT 'South', 1 / 3.0",
    "difference between revenue and cost per region": "SELECT 'North', 300 UNION ALL SELECT 'South', 60",
    "ratio of revenue of North to South": "SELECT 400 / 90.0",
    "What is the ratio of cost in South to North?": "SELECT 30 / 100.0",
}


def test_two_sums_are_divided_or_subtracted_by_group_or_by_value(tmp_path: Path) -> None:
    db = made_of(STORES, tmp_path, "stores")
    for words, sql in QUOTIENTS.items():
        gives(db, say(db, words, as_of=TODAY), sql)
