"""Words that could be two things, numbers in the unit of a column, averages of a kind, what somebody never was."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dates import read_date
from lab.text2sql.dialogue import say

TODAY = dt.date(2025, 9, 17)
SCHOOL = """
CREATE TABLE 教研室(编号 TEXT PRIMARY KEY, 名称 TEXT, 楼层 INTEGER);
CREATE TABLE 教师(工号 TEXT PRIMARY KEY, 姓名 TEXT, 职称 TEXT, 教研室编号 TEXT REFERENCES 教研室(编号), 月薪_元 INTEGER);
CREATE TABLE 公开课(课号 INTEGER PRIMARY KEY, 题目 TEXT, 主讲教师工号 TEXT REFERENCES 教师(工号), 日期 DATE);
INSERT INTO 教研室 VALUES ('K1','数学组',2),('K2','历史组',3);
INSERT INTO 教师 VALUES ('T1','孟远','教师','K1',7000),('T2','韩梅','高级教师','K1',11000),('T3','卢森','教师','K2',9000);
INSERT INTO 公开课 VALUES (1,'数列','T1','2025-03-04'),(2,'圆','T1','2025-04-09'),(3,'秦朝','T3','2025-05-20');
"""
STABLE = """
CREATE TABLE riders(rider_id INTEGER PRIMARY KEY, rider_name TEXT, birth_year INTEGER, town TEXT);
CREATE TABLE horses(horse_id INTEGER PRIMARY KEY, horse_name TEXT, kind TEXT, weight_kg INTEGER);
CREATE TABLE shows(show_id INTEGER PRIMARY KEY, show_date DATE, judge_id INTEGER REFERENCES riders(rider_id), place TEXT);
INSERT INTO riders VALUES (1,'Ona Ley',1980,'Orrick'),(2,'Sam Pike',2000,'Tarn'),(3,'Bea Holm',2006,'Tarn');
INSERT INTO horses VALUES (1,'Moss','pony',300),(2,'Dune','pony',340),(3,'Titan','draught',900),(4,'Birch','cob',560);
INSERT INTO shows VALUES (1,'2025-05-01',1,'Orrick'),(2,'2025-06-01',NULL,'Tarn'),(3,'2025-08-01',1,'Tarn');
"""
BOATS = """
CREATE TABLE 游艇转让(编号 TEXT PRIMARY KEY, 船型 TEXT, "标价(万元)" REAL, 港口 TEXT, 下水年份 INTEGER);
INSERT INTO 游艇转让 VALUES ('Y1','帆船',18,'青岛',2012),('Y2','帆船',30,'三亚',2018),('Y3','快艇',9.5,'青岛',2020),('Y4','快艇',12,'三亚',2016);
"""
LODGINGS = """
CREATE TABLE export_0917("Ref" TEXT PRIMARY KEY, "Quarter" TEXT, "Rooms" REAL, "Rent [EUR]" INTEGER, "Floor" INTEGER, "Furnished" TEXT);
INSERT INTO export_0917 VALUES ('L1','Weir',2,700,1,'yes'),('L2','Weir',3,980,4,'no'),('L3','Kiln',1,520,2,'yes');
"""
RIVER = """
CREATE TABLE 水文日报(日期 TEXT, "水位(米)" REAL, 天气 TEXT, 值班人 TEXT);
INSERT INTO 水文日报 VALUES ('2025/08/01',2.1,'晴','邱实'),('2025/08/02',2.9,'阴','何野'),('2025/08/03',3.4,'阴','邱实'),('2025/09/01',1.8,'晴','何野');
"""
LORRIES = """
CREATE TABLE 卡车(车号 TEXT PRIMARY KEY, 载重吨 REAL, 里程公里 INTEGER, 司机 TEXT);
CREATE TABLE 检修(检修单 INTEGER PRIMARY KEY, 车号 TEXT REFERENCES 卡车(车号), 时长分钟 INTEGER);
INSERT INTO 卡车 VALUES ('A1',8,120000,'费宁'),('A2',12,60000,'莫言江'),('A3',20,30000,'费宁');
INSERT INTO 检修 VALUES (1,'A1',45),(2,'A1',130),(3,'A3',60);
"""
TABLETS = """
CREATE TABLE "Tablets"("Ad No." INTEGER, "Maker" TEXT, "Scr. (in)" REAL, "Flash (GB)" INTEGER, "Price (EUR)" INTEGER, "Vendor" TEXT);
INSERT INTO "Tablets" VALUES (101,'Oxo',11,1024,640,'Mia Lo'),(102,'Oxo',8,128,150,'Jan Ek'),(103,'Vela',11,256,310,'Mia Lo');
"""
PUMPS = """
CREATE TABLE 水泵(泵号 TEXT PRIMARY KEY, 泵房 TEXT, 是否在用 TEXT, 购入日期 DATE);
INSERT INTO 水泵 VALUES ('P1','东区','是','2012-03-01'),('P2','东区','否','2010-06-01'),('P3','西区','是','2019-01-15');
"""
CHARITY = """
CREATE TABLE helpers(helper_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT);
CREATE TABLE gardens(garden_id INTEGER PRIMARY KEY, garden_name TEXT, town TEXT);
CREATE TABLE shifts(shift_id INTEGER PRIMARY KEY, helper_id INTEGER REFERENCES helpers(helper_id),
  garden_id INTEGER REFERENCES gardens(garden_id), shift_date DATE, hours REAL);
INSERT INTO helpers VALUES (1,'Una Reed','Ebb'),(2,'Per Lund','Ebb'),(3,'Ivy Marsh','Lorn');
INSERT INTO gardens VALUES (1,'Old Walls','Ebb'),(2,'Quince Lane','Lorn'),(3,'Fern Pit','Lorn');
INSERT INTO shifts VALUES (1,1,1,'2025-08-02',3),(2,1,2,'2025-08-09',2),(3,1,1,'2025-09-01',4),(4,2,1,'2025-07-05',1);
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("spoken")
    named = {
        "school": SCHOOL,
        "stable": STABLE,
        "boats": BOATS,
        "lodgings": LODGINGS,
        "charity": CHARITY,
        "pumps": PUMPS,
    }
    scripts = named | {"river": RIVER, "lorries": LORRIES, "tablets": TABLETS}
    return {name: made_of(script, folder, name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        # a value that is called like the table: the rows are meant
        ("school", "月薪八千以上的教师有哪些", "SELECT 'T2' UNION SELECT 'T3'"),
        ("school", "数学组有几位教师", "SELECT 2"),
        ("school", "职称是教师的有几个", "SELECT 2"),
        # a number in the unit of the column, of a group's average and sum
        ("boats", "平均标价超过15万的船型", "SELECT '帆船', 24.0"),
        ("boats", "平均标价在十一万以下的船型有哪些", "SELECT '快艇', 10.75"),
        ("boats", "总标价超过四十万的船型", "SELECT '帆船', 48.0"),
        ("boats", "平均标价高于12的船型", "SELECT '帆船', 24.0"),
        # the average of a kind, and of a number that falls with age
        ("stable", "ponies that are heavier than the average pony", "SELECT 2"),
        ("stable", "horses lighter than the average cob", "SELECT 1 UNION SELECT 2"),
        ("stable", "horses heavier than average", "SELECT 3 UNION SELECT 4"),
        ("stable", "riders older than the average rider", "SELECT 1"),
        ("stable", "how many riders are younger than average?", "SELECT 2"),
        # what somebody was, by the key that points to them
        ("stable", "riders who have never been a judge", "SELECT 2 UNION SELECT 3"),
        ("stable", "riders who have been a judge", "SELECT 1"),
        ("stable", "shows without a judge", "SELECT 2"),
        ("school", "从来没有当过主讲教师的教师", "SELECT 'T2'"),
        ("school", "当过主讲教师的教师有几位", "SELECT 2"),
        # the name of a column is no two words without weight
        ("pumps", "2015年以前购入、现在还在用的水泵", "SELECT 'P1'"),
        ("pumps", "东区在用的有几台", "SELECT 1"),
        # an average that is said apart from its number
        ("charity", "on average, how many hours do helpers from Ebb work?", "SELECT 2.5"),
        ("charity", "how many hours does a shift in Old Walls take on average?", "SELECT 8.0 / 3"),
        ("school", "各教研室教师平均多少元", "SELECT 9000.0 UNION ALL SELECT 9000.0"),
        # weekends; a more than the average of a kind; of each, averages
        ("stable", "horses with a higher weight than the average pony", "SELECT 2 UNION SELECT 3 UNION SELECT 4"),
        (
            "charity",
            "average number of hours per shift by garden",
            "SELECT 'Old Walls', 8.0 / 3 UNION SELECT 'Quince Lane', 2.0",
        ),
        # rows that are days
        ("river", "水位最高的是哪几天", "SELECT '2025/08/03'"),
        ("river", "每种天气各有几天", "SELECT '晴', 2 UNION SELECT '阴', 2"),
        ("river", "水位高于平均值的有多少天", "SELECT 2"),
        ("river", "邱实值班的日子", "SELECT '2025/08/01' UNION SELECT '2025/08/03'"),
        # units behind a name, inches, terabytes, rates
        ("lorries", "载重超过10吨的卡车", "SELECT 'A2' UNION SELECT 'A3'"),
        ("lorries", "里程不到5万公里的卡车", "SELECT 'A3'"),
        ("lorries", "检修超过两小时的有几次", "SELECT 1"),
        ("tablets", "11 inch tablets", "SELECT 101 UNION SELECT 103"),
        ("tablets", "tablets with 1 TB", "SELECT 101"),
        ("tablets", "tablets that cost less than 320", "SELECT 102 UNION SELECT 103"),
        ("tablets", "which vendor has the most ads?", "SELECT 'Mia Lo', 2"),
        ("lodgings", "homes under 800 euros a month", "SELECT 'L1' UNION SELECT 'L3'"),
        # what was done says that there is a row of another table, and no more
        ("charity", "helpers who have supported at least two different gardens", "SELECT 1"),
        ("charity", "which helpers have worked in Quince Lane?", "SELECT 1"),
        ("charity", "gardens that nobody has looked after", "SELECT 3"),
        ("charity", "who has taken care of the most gardens?", "SELECT 'Una Reed'"),
        # what the rows of a lone table are, by its columns
        ("lodgings", "furnished flats", "SELECT 'L1' UNION SELECT 'L3'"),
        ("lodgings", "which apartment is the cheapest?", "SELECT 'L3'"),
        ("lodgings", "how many homes are there in Weir?", "SELECT 2"),
    ],
)
def test_the_rows_are_those_of_the_sql(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


def test_the_sentence_names_the_kind_whose_average_is_meant(opened: dict[str, Database]) -> None:
    turn = say(opened["stable"], "horses lighter than the average cob", as_of=TODAY)
    assert "the average weight where kind is cob" in turn.answer


@for_each(
    "where, question",
    [
        ("stable", "flats in Tarn"),
        ("lodgings", "cars in Weir"),
        ("boats", "青岛的车"),
        ("lodgings", "homes groomed in Weir"),
        ("charity", "helpers who were thanked"),
    ],
)
def test_rows_are_not_called_what_no_column_tells(opened: dict[str, Database], where: str, question: str) -> None:
    assert say(opened[where], question, as_of=TODAY).result is None


@for_each(
    "where, question, begins",
    [
        ("stable", "are there any cobs?", "Yes. "),
        ("stable", "has Sam Pike ever been a judge?", "No. "),
        ("stable", "are all horses ponies?", ""),
        ("stable", "which riders are from Tarn?", ""),
        ("school", "历史组有没有高级教师", "否。"),
        ("boats", "青岛有快艇吗", "是。"),
        ("boats", "青岛有哪些快艇", ""),
    ],
)
def test_a_question_whether_there_is_something_is_answered_by_a_word(
    opened: dict[str, Database], where: str, question: str, begins: str
) -> None:
    answer = say(opened[where], question, as_of=TODAY).answer
    assert answer.startswith(begins) if begins else not answer.startswith(("Yes", "No.", "是。", "否。"))


@for_each(
    "said, first",
    [
        ("this weekend", "2025-09-20"),
        ("last weekend", "2025-09-13"),
        ("上周末", "2025-09-13"),
        ("下周末", "2025-09-27"),
    ],
)
def test_a_weekend_that_is_named_is_two_days(said: str, first: str) -> None:
    found = read_date(said, 0, TODAY)
    assert found is not None
    assert (found.first.isoformat(), (found.after - found.first).days) == (first, 2)
