"""Everyday words for what no column is called: verbs, measures, kinds of tables, what is not known of a row."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

WIND = """
CREATE TABLE sites(site_code TEXT PRIMARY KEY, site_name TEXT, region TEXT, elevation_m INTEGER, grid_connected TEXT);
CREATE TABLE turbines(tid INTEGER PRIMARY KEY, site_code TEXT REFERENCES sites(site_code), manufacturer TEXT,
  rated_power_kw INTEGER, hub_height_m REAL, status TEXT);
CREATE TABLE service_visits(visit_id INTEGER PRIMARY KEY, tid INTEGER REFERENCES turbines(tid), visit_date DATE,
  technician TEXT, downtime_h REAL, cost_eur REAL, fault TEXT);
INSERT INTO sites VALUES ('N1','North Ridge','Highland',420,'yes'),('S2','South Bay','Coast',12,'yes'),
  ('W4','West Fell','Highland',530,'no');
INSERT INTO turbines VALUES (1,'N1','Vento',3600,110,'running'),(2,'N1','Aeris',2000,80,'stopped'),
  (3,'S2','Vento',3600,95.5,'running'),(4,'W4','Nordwind',4200,125,'under repair');
INSERT INTO service_visits VALUES (1,1,'2024-03-02','Ines Falk',4,900,'gearbox'),(2,1,'2025-01-20','Tom Reed',NULL,250,NULL),
  (3,3,'2024-06-11','Tom Reed',22,6100,'gearbox'),(4,4,'2025-05-05','Ines Falk',9,1400,'blade'),
  (5,4,'2025-07-30','Olaf Berg',NULL,300,'sensor');
"""
HOMES = """
CREATE TABLE 住户(户号 TEXT PRIMARY KEY, 业主姓名 TEXT, 楼栋 TEXT, 楼层 INTEGER, "面积(㎡)" REAL, 联系电话 TEXT);
CREATE TABLE 缴费(单号 INTEGER PRIMARY KEY, 户号 TEXT REFERENCES 住户(户号), 费用类型 TEXT, "金额(元)" REAL, 缴费日期 DATE,
  支付方式 TEXT);
INSERT INTO 住户 VALUES ('A1','王建国','1号楼',3,58.5,'13800000001'),('A2','李秀英','2号楼',12,102,NULL),
  ('B3','张伟','1号楼',15,131.8,'13800000003');
INSERT INTO 缴费 VALUES (1,'A1','停车费',300,'2025-01-05','微信'),(2,'A1','水费',62.5,'2025-03-01','现金'),
  (3,'A2','停车费',280,'2024-11-20','微信'),(4,'B3','物业费',900,'2025-04-11','支付宝');
"""
RECIPES = """
CREATE TABLE "Recipe Log"("Recipe #" INTEGER PRIMARY KEY, "Dish" TEXT, "Cuisine" TEXT, "Cook (min)" INTEGER,
  "kcal per serving" INTEGER, "Vegan?" TEXT, "Author" TEXT, "Stars" REAL);
INSERT INTO "Recipe Log" VALUES (1,'Lentil soup','Indian',40,320,'Y','Mara',4.5),(2,'Beef ragu','Italian',150,780,'N','Jonas',5),
  (3,'Tomato soup','Italian',25,210,'Y','Mara',NULL),(4,'Paella','Spanish',55,610,'N','Sofia',4);
"""
PHONES = """
CREATE TABLE 二手手机(编号 TEXT PRIMARY KEY, 品牌 TEXT, 标价 REAL, 入库日期 DATE, 售出日期 DATE, 质检员 TEXT);
INSERT INTO 二手手机 VALUES ('P1','苹果',2300,'2025-01-08','2025-02-01','阿强'),('P2','苹果',1900,'2025-03-02',NULL,'阿珍'),
  ('P3','华为',2600,'2025-03-09','2025-03-30','阿珍'),('P4','小米',800,'2025-07-11',NULL,'阿强');
"""
CLINIC = """
CREATE TABLE patients(patient_id INTEGER PRIMARY KEY, full_name TEXT, birth_date DATE, insurer TEXT, smoker TEXT);
CREATE TABLE appointments(appt_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients(patient_id), appt_date DATE,
  duration_min INTEGER, treatment TEXT, bill_usd REAL);
INSERT INTO patients VALUES (1,'Ada Wong','1971-04-02','Delta','no'),(2,'Bill Frost','2001-11-30',NULL,'yes'),
  (3,'Cara Diaz','1980-01-15','Delta','no'),(4,'Dan Okoye','1999-05-05',NULL,'no'),(5,'Ella Marsh','2003-08-17',NULL,'no');
INSERT INTO appointments VALUES (1,1,'2025-02-03',60,'crown',700),(2,2,'2025-03-04',15,'checkup',80),
  (3,2,'2025-05-09',90,'extraction',420),(4,3,'2025-06-01',30,'extraction',310);
"""
GROVE = """
CREATE TABLE trees("Tree No." TEXT PRIMARY KEY, "Species" TEXT, "Planted" TEXT, "Height m" REAL, "Trunk diam (cm)" INTEGER,
  "Last inspected" DATE);
INSERT INTO trees VALUES ('T1','Lime','1954',21.5,110,'2024-05-06'),('T2','Rowan','1988',9.2,25,NULL),
  ('T3','Plane','1962',17.8,95,'2025-01-30');
"""
PUPILS = """
CREATE TABLE 学生(学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 身高cm INTEGER);
CREATE TABLE 快递单(单号 TEXT PRIMARY KEY, 学号 TEXT REFERENCES 学生(学号), 重量kg REAL, 揽收时间 TEXT, 状态 TEXT);
INSERT INTO 学生 VALUES ('S1','赵一鸣','女',168),('S2','钱小雨','男',181),('S3','孙浩','女',172);
INSERT INTO 快递单 VALUES ('K1','S1',22.5,'2014-06-01 10:00:00','派送中'),('K2','S3',1.2,'2025-06-08 11:30:00','已签收');
"""
CELLAR = """
CREATE TABLE "wine cellar"(bin TEXT PRIMARY KEY, wine TEXT, producer TEXT, country TEXT, vintage INTEGER, bottles INTEGER,
  "price per bottle" REAL, rating INTEGER);
INSERT INTO "wine cellar" VALUES ('B1','Clos Alba','Moreau','France',2008,6,44,92),('B2','Villa Noir','Bassi','Italy',2016,0,18,NULL),
  ('B3','Weingut Stein','Keller','Germany',2011,3,61,95),('B4','Quinta Flor','Keller','Portugal',2019,12,9.5,88);
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("everyday")
    scripts = {"wind": WIND, "homes": HOMES, "recipes": RECIPES, "phones": PHONES, "clinic": CLINIC, "grove": GROVE}
    scripts |= {"pupils": PUPILS, "cellar": CELLAR}
    return {name: made_of(script, folder, name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        ("wind", "sites that are not connected to the grid", "SELECT 'West Fell'"),
        ("wind", "turbines with a hub height over 100 m", "SELECT tid FROM turbines WHERE hub_height_m > 100"),
        ("wind", "turbines of 3.6 MW", "SELECT tid FROM turbines WHERE rated_power_kw = 3600"),
        (
            "wind",
            "average downtime of visits by technician",
            "SELECT technician, avg(downtime_h) FROM service_visits GROUP BY 1",
        ),
        ("wind", "how much did we spend on gearbox faults in 2024?", "SELECT 7000.0"),
        ("wind", "which technician caused the longest downtime in total?", "SELECT 'Tom Reed', 22.0"),
        ("wind", "the visit with the least downtime", "SELECT 1, 4.0"),
        ("homes", "每栋楼有多少户", "SELECT 楼栋, count(*) FROM 住户 GROUP BY 1"),
        ("homes", "面积大于100平米的住户", "SELECT 户号 FROM 住户 WHERE 户号 <> 'A1'"),
        ("homes", "住在10层以上的业主", "SELECT 业主姓名 FROM 住户 WHERE 楼层 >= 10"),
        ("homes", "没有留电话的业主", "SELECT '李秀英'"),
        ("homes", "用微信交的停车费", "SELECT 单号 FROM 缴费 WHERE 支付方式 = '微信'"),
        ("homes", "2025年一共收了多少钱", "SELECT 1262.5"),
        (
            "recipes",
            "how many vegan recipes are there per cuisine",
            'SELECT Cuisine, count(*) FROM "Recipe Log" WHERE "Vegan?" = \'Y\' GROUP BY 1',
        ),
        ("recipes", "dishes whose name contains soup", "SELECT Dish FROM \"Recipe Log\" WHERE Dish LIKE '%soup'"),
        (
            "recipes",
            "average calories by cuisine",
            'SELECT Cuisine, avg("kcal per serving") FROM "Recipe Log" GROUP BY 1',
        ),
        ("recipes", "dishes with more calories than Paella", "SELECT 'Beef ragu'"),
        ("recipes", "share of recipes that are vegan", "SELECT 0.5"),
        ("recipes", "the recipe with the fewest stars", "SELECT 'Paella'"),
        ("phones", "苹果手机的平均标价", "SELECT 2100.0"),
        ("phones", "各品牌卖出多少台", "SELECT '苹果', 1 UNION SELECT '华为', 1"),
        ("phones", "还没卖出去的手机有几台", "SELECT 2"),
        ("phones", "最贵的苹果", "SELECT 'P1'"),
        ("phones", "最便宜的手机", "SELECT 'P4'"),
        ("phones", "7月入库的手机", "SELECT 'P4'"),
        ("clinic", "patients over 40", "SELECT 'Ada Wong' UNION SELECT 'Cara Diaz'"),
        ("clinic", "patients without insurance", "SELECT full_name FROM patients WHERE insurer IS NULL"),
        ("clinic", "which insurer has the most patients?", "SELECT 'Delta', 2"),
        ("clinic", "appointments longer than the average", "SELECT 1 UNION SELECT 3"),
        ("clinic", "patients who smoke", "SELECT 'Bill Frost'"),
        ("clinic", "average length of an extraction", "SELECT 60.0"),
        ("clinic", "appointments that lasted an hour or more", "SELECT 1 UNION SELECT 3"),
        ("grove", "trees planted before 1970", "SELECT 'T1' UNION SELECT 'T3'"),
        ("grove", "trees older than 50 years", "SELECT 'T1' UNION SELECT 'T3'"),
        ("grove", "the 2 thickest trees", "SELECT 'T1' UNION SELECT 'T3'"),
        ("grove", "trees with a trunk thicker than 1 m", "SELECT 'T1'"),
        ("grove", "trees over 10 m tall", "SELECT 'T1' UNION SELECT 'T3'"),
        ("cellar", "wines older than 2010", "SELECT 'Clos Alba'"),
        ("cellar", "the most expensive wine", "SELECT 'Weingut Stein'"),
        ("cellar", "French wines", "SELECT 'Clos Alba'"),
        ("cellar", "unrated wines", "SELECT 'Villa Noir'"),
        ("cellar", "wines that are out of stock", "SELECT 'Villa Noir'"),
        ("cellar", "wines by Keller under 30", "SELECT 'Quinta Flor'"),
        ("cellar", "which producer has the most wines?", "SELECT 'Keller', 2"),
        ("pupils", "最高的女生", "SELECT '孙浩'"),
        ("pupils", "超过20公斤的快递", "SELECT 'K1'"),
        ("pupils", "2015年以前揽收的包裹", "SELECT 'K1'"),
        ("pupils", "正在派送的快递", "SELECT 'K1'"),
    ],
)
def test_a_question_in_everyday_words_gives_the_rows_of_its_sql(
    opened: dict[str, Database], where: str, question: str, gold: str
) -> None:
    gives(opened[where], say(opened[where], question, as_of=dt.date(2025, 9, 17)), gold)


def test_what_has_no_value_is_never_the_lowest_group(opened: dict[str, Database]) -> None:
    """Olaf Berg's visits have no downtime: that is unknown, not the least."""
    turn = say(opened["wind"], "which technician has the lowest average downtime?", as_of=dt.date(2025, 9, 17))
    gives(opened["wind"], turn, "SELECT 'Ines Falk', 6.5")


def test_a_verb_is_no_noun_of_the_same_form(opened: dict[str, Database]) -> None:
    """A noun that no column has must not be passed over as a verb."""
    turn = say(opened["recipes"], "books by Mara", as_of=dt.date(2025, 9, 17))
    assert turn.result is None


def test_the_way_of_an_order_may_stand_behind_it(opened: dict[str, Database]) -> None:
    turn = say(opened["grove"], "trees sorted by height, highest first", as_of=dt.date(2025, 9, 17))
    assert turn.result is not None
    assert [row[0] for row in turn.result.rows] == ["T1", "T3", "T2"]


@for_each(
    "where, question", [("wind", "the sunniest site"), ("homes", "去年没有住户吗"), ("grove", "the cloudiest tree")]
)
def test_what_no_column_says_is_not_passed_over(opened: dict[str, Database], where: str, question: str) -> None:
    assert say(opened[where], question, as_of=dt.date(2025, 9, 17)).result is None
