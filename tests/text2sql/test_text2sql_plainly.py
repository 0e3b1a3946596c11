"""Rows by what people call them, units that fit, limits that keep the order, and whose day it is, on plain tables."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

SAILING = """
CREATE TABLE sailors(sailor_id INTEGER PRIMARY KEY, full_name TEXT, gender TEXT, birth_year INTEGER, skipper_candidate TEXT);
CREATE TABLE regattas(regatta_id INTEGER PRIMARY KEY, regatta_name TEXT, held_on TEXT, course_nm REAL);
CREATE TABLE entries(entry_id INTEGER PRIMARY KEY, regatta_id INTEGER REFERENCES regattas(regatta_id),
  sailor_id INTEGER REFERENCES sailors(sailor_id), time_min REAL);
INSERT INTO sailors VALUES (1,'Ava Run','F',1972,'yes'),(2,'Ben Holt','M',1985,'no'),(3,'Cleo Dane','F',1990,'yes'),(4,'Dov Lark','M',1979,'no');
INSERT INTO regattas VALUES (1,'Mill Cup Run','2025-05-04',6.5),(2,'Reed Trophy','2025-07-12',9),(3,'Night Sail','2024-08-30',14);
INSERT INTO entries VALUES (1,1,1,71.5),(2,1,2,69),(3,2,1,120.25),(4,2,3,98.5),(5,3,2,NULL),(6,2,2,101),(7,1,3,80);
"""
BEDS = """
CREATE TABLE beds(bed_no TEXT PRIMARY KEY, bed_type TEXT, area_m2 REAL, yearly_rent REAL, holder TEXT, holder_since TEXT);
CREATE TABLE pickings(picking_id INTEGER PRIMARY KEY, bed_no TEXT REFERENCES beds(bed_no), crop TEXT, picked_on TEXT, weight_kg REAL);
INSERT INTO beds VALUES ('A1','raised',42,90,'Jo Pike','2019-04-01'),('A2','flat',61,130,'Sam Orr','2022-03-09'),('B1','flat',55,120,'Jo Pike','2023-02-20'),
  ('B2','raised',30,75,NULL,NULL);
INSERT INTO pickings VALUES (1,'A1','beans','2025-07-01',3.5),(2,'A2','kale','2025-08-03',6),(3,'A1','beans','2025-08-19',9.25),(4,'B1','kale','2024-09-02',1.5);
"""
NURSERY = """
CREATE TABLE 班级(班号 TEXT PRIMARY KEY, 班名 TEXT, 教室 TEXT);
CREATE TABLE 幼儿(学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 班号 TEXT REFERENCES 班级(班号), 入园日期 TEXT, 身高cm REAL);
CREATE TABLE 缺勤(编号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 幼儿(学号), 缺勤日期 TEXT, 天数 INTEGER);
INSERT INTO 班级 VALUES ('K1','海豚班','101'),('K2','松鼠班','102');
INSERT INTO 幼儿 VALUES ('S1','李乐','男','K1','2023-09-01',104),('S2','王语','女','K1','2025-09-02',98),('S3','赵可','女','K2','2023-09-01',110),('S4','周航','男','K2','2024-03-01',101);
INSERT INTO 缺勤 VALUES (1,'S1','2025-09-03',2),(2,'S1','2025-09-11',1),(3,'S3','2025-04-07',3),(4,'S2','2025-09-15',1);
"""
PRINTERS = """
CREATE TABLE 总部打印机台账("资产号" TEXT, "品牌" TEXT, "楼层" INTEGER, "功率(kW)" REAL, "价格(元)" INTEGER, "购置日" TEXT);
INSERT INTO 总部打印机台账 VALUES ('P1','惠普',3,0.5,2600,'2023/05/06'),('P2','佳能',3,0.9,4100,'2024/01/09'),('P3','惠普',7,1.2,8800,'2022/11/30'),('P4','兄弟',7,0.4,1900,'2024/09/18');
"""
COURSES = """
CREATE TABLE courses(course_id INTEGER PRIMARY KEY, tutor TEXT, subject TEXT, fee_eur REAL);
CREATE TABLE dues(due_id INTEGER PRIMARY KEY, course_id INTEGER REFERENCES courses(course_id), paid_on TEXT, amount_eur REAL, method TEXT);
INSERT INTO courses VALUES (1,'Ana Ruiz','tango',40),(2,'Leo Falk','salsa',35),(3,'Mia Gray','waltz',38);
INSERT INTO dues VALUES (1,1,'2025-02-03',40,'cash'),(2,1,'2025-03-01',20,'card'),(3,2,'2025-05-19',35,'cash'),(4,2,'2025-08-02',35,'cash');
"""
MEAD = """
CREATE TABLE meads(mead_id INTEGER PRIMARY KEY, name TEXT, style TEXT);
CREATE TABLE brews(brew_id INTEGER PRIMARY KEY, mead_id INTEGER REFERENCES meads(mead_id), brewer TEXT, brewed_on TEXT, volume_l REAL);
CREATE TABLE sales(sale_id INTEGER PRIMARY KEY, mead_id INTEGER REFERENCES meads(mead_id), sold_on TEXT, bottles INTEGER);
INSERT INTO meads VALUES (1,'Oak Gold','dry'),(2,'Heath','sweet'),(3,'Plum','sweet');
INSERT INTO brews VALUES (1,1,'Kit','2025-01-03',120),(2,2,'Kit','2025-02-07',80.5),(3,1,'Noor','2024-11-11',60);
INSERT INTO sales VALUES (1,1,'2025-04-04',12),(2,3,'2025-05-05',3);
"""
DESK = """
CREATE TABLE 服务单("单号" TEXT, "用户昵称" TEXT, "类型" TEXT, "评分(1-5)" INTEGER, "处理时长(小时)" REAL, "经办人" TEXT, "加急(Y/N)" TEXT);
INSERT INTO 服务单 VALUES ('F1','阿树','投诉',1,20,'钱程','Y'),('F2','小满','表扬',5,1.5,'钱程','N'),('F3','阿树','咨询',4,30.5,'孙悦','N'),('F4','北北','投诉',1,44,'钱程','N');
"""
TODAY = dt.date(2025, 9, 17)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("plainly")
    scripts = {"sailing": SAILING, "beds": BEDS, "nursery": NURSERY, "printers": PRINTERS} | {
        "courses": COURSES,
        "mead": MEAD,
        "desk": DESK,
    }
    return {name: made_of(script, folder, name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        # a limit keeps the order that was said
        ("printers", "打印机按价格从低到高排，只看前两台", "SELECT 资产号 FROM 总部打印机台账 ORDER BY \"价格(元)\" LIMIT 2"),
        ("printers", "按购置日从早到晚排打印机，前三个", "SELECT 资产号 FROM 总部打印机台账 ORDER BY 购置日 LIMIT 3"),
        ("nursery", "孩子按身高从矮到高排，只看前三个", "SELECT 学号 FROM 幼儿 ORDER BY 身高cm LIMIT 3"),
        ("printers", "最贵的前两台打印机", "SELECT 资产号 FROM 总部打印机台账 ORDER BY \"价格(元)\" DESC LIMIT 2"),
        # what rows are called
        ("printers", "3楼有几台打印机", "SELECT count(*) FROM 总部打印机台账 WHERE 楼层=3"),
        ("nursery", "海豚班有哪些小朋友", "SELECT 学号 FROM 幼儿 WHERE 班号='K1'"),
        ("nursery", "有几个女孩", "SELECT count(*) FROM 幼儿 WHERE 性别='女'"),
        ("nursery", "全园最高的孩子", "SELECT 学号 FROM 幼儿 ORDER BY 身高cm DESC LIMIT 1"),
        ("sailing", "how many ladies are in the club?", "SELECT count(*) FROM sailors WHERE gender='F'"),
        ("beds", "number of beds per type", "SELECT bed_type, count(*) FROM beds GROUP BY 1"),
        # what was done is an event, and the day is its day
        ("nursery", "这个月有哪些小朋友缺勤过", "SELECT DISTINCT 学号 FROM 缺勤 WHERE 缺勤日期>='2025-09-01'"),
        ("nursery", "从没缺勤过的孩子", "SELECT 学号 FROM 幼儿 WHERE 学号 NOT IN (SELECT 学号 FROM 缺勤)"),
        ("nursery", "今年9月入园的小朋友", "SELECT 学号 FROM 幼儿 WHERE 入园日期 LIKE '2025-09%'"),
        ("sailing", "who is on the candidate list?", "SELECT sailor_id FROM sailors WHERE skipper_candidate='yes'"),
        # units
        ("beds", "beds of at least 50 m²", "SELECT bed_no FROM beds WHERE area_m2>=50"),
        ("beds", "beds with a rent over 100", "SELECT bed_no FROM beds WHERE yearly_rent>100"),
        ("sailing", "average finishing time of women in the Reed Trophy", "SELECT avg(time_min) FROM entries WHERE entry_id IN (3,4)"),
        ("sailing", "who was fastest in the Reed Trophy?", "SELECT 'Cleo Dane', 98.5"),
        ("mead", "total litres brewed by each brewer", "SELECT brewer, sum(volume_l) FROM brews GROUP BY 1"),
        ("mead", "Which meads have never been brewed?", "SELECT mead_id FROM meads WHERE mead_id=3"),
        ("courses", "How much was paid in cash in the first half of 2025?", "SELECT 75"),
        ("desk", "评分只有1分的服务单", "SELECT 单号 FROM 服务单 WHERE \"评分(1-5)\"=1"),
        ("desk", "钱程的服务单里处理最慢的是哪一单", "SELECT 'F4'"),
        ("desk", "加急的服务单有几个", "SELECT 1"),
        # a common word is no part of a name
        ("sailing", "sailors called Ava Run", "SELECT sailor_id FROM sailors WHERE sailor_id=1"),
    ],
)  # fmt: skip
def test_the_rows_are_those_of_the_sql(opened: dict[str, Database], where: str, question: str, gold: str) -> None:
    gives(opened[where], say(opened[where], question, as_of=TODAY), gold)


@for_each(
    "where, question",
    [
        ("beds", "holders renting more than 100 square metres in total"),  # no square metres of a rent
        ("printers", "总功率超过2千瓦的楼层"),  # no kilowatts of a floor
        ("beds", "the biggest picking of beans"),  # not that of the biggest bed
        ("sailing", "regattas with at least 3 of our sailors"),  # no age
        ("beds", "holders with at least half a dozen sheds"),
        ("desk", "哪些用户从来没提交过表扬？"),  # not the rows of another kind
        ("desk", "耗时超过十条的用户"),
        ("sailing", "did anyone over 50 run it?"),  # Mill Cup Run
    ],
)
def test_no_rows_of_another_question_are_shown(opened: dict[str, Database], where: str, question: str) -> None:
    turn = say(opened[where], question, as_of=TODAY)
    assert turn.result is None, turn.answer
    assert turn.unknown or turn.asks
