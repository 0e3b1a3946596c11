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


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    folder = tmp_path_factory.mktemp("everyday")
    scripts = {"wind": WIND, "homes": HOMES, "recipes": RECIPES}
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
