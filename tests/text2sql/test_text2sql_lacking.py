"""None at all: rows that have no row of a kind in another table, and values that no row of a kind has."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

VETS = """
CREATE TABLE owners(id INTEGER PRIMARY KEY, name TEXT, town TEXT, joined DATE);
CREATE TABLE pets(id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id), name TEXT, species TEXT, sex TEXT,
  neutered TEXT, weight_kg REAL);
CREATE TABLE visits(id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets(id), visited_on DATE, reason TEXT, cost REAL,
  vet TEXT);
INSERT INTO owners VALUES (1,'Rosa Kent','Ashby','2021-02-03'),(2,'Liam Ode','Ashby','2022-05-09'),
  (3,'Gita Rao','Corby','2022-08-01'),(4,'Pim Vos','Derne','2023-01-15'),(5,'Zoe Hart','Corby','2024-03-30');
INSERT INTO pets VALUES (1,1,'Biscuit','dog','M','yes',12.5),(2,1,'Nettle','cat','F','yes',4.1),
  (3,2,'Pepper','cat','M','no',5.2),(4,3,'Olive','rabbit','F','no',2.2),(5,3,'Rusty','dog','M','no',22),
  (6,4,'Waffle','dog','F','yes',8.7);
INSERT INTO visits VALUES (1,1,'2025-01-10','vaccination',40,'Dr Lang'),(2,1,'2025-03-12','injury',180,'Dr Moor'),
  (3,2,'2025-03-20','checkup',35,'Dr Lang'),(4,3,'2025-02-02','dental',95,'Dr Moor'),
  (5,5,'2025-04-18','vaccination',42,'Dr Lang'),(6,6,'2025-04-25','injury',260,'Dr Finn'),
  (7,6,'2025-05-02','checkup',30,'Dr Lang');
"""
STAFF = """
CREATE TABLE 员工(工号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 部门 TEXT, 城市 TEXT, 月薪 REAL, 是否远程 TEXT, 入职日期 DATE,
  邮箱 TEXT);
CREATE TABLE 请假(单号 TEXT PRIMARY KEY, 工号 TEXT REFERENCES 员工(工号), 类型 TEXT, 天数 REAL, 开始日期 DATE, 状态 TEXT);
INSERT INTO 员工 VALUES ('A1','陆川','男','研发','杭州',21000,'是','2019-03-01','luchuan@x.cn'),
  ('A2','沈月','女','研发','杭州',18000,'否','2020-06-11',NULL),('A3','顾城','男','运维','南京',15000,'否','2021-01-05','gc@x.cn'),
  ('A4','白露','女','市场','苏州',12000,'否','2022-09-19','bl@x.cn'),('A5','江帆','男','市场','南京',13500,'是','2018-11-23',NULL),
  ('A6','叶青','男','运维','苏州',16500,'否','2023-04-17','yq@x.cn');
INSERT INTO 请假 VALUES ('L1','A1','年假',5,'2025-02-03','已批准'),('L2','A2','病假',2,'2025-03-10','已批准'),
  ('L3','A3','事假',1,'2025-03-15','已拒绝'),('L4','A1','病假',1,'2025-04-01','已批准'),
  ('L5','A4','年假',3,'2025-05-06','待审批'),('L6','A3','病假',8,'2025-05-20','已批准');
"""
ROWS = {
    "vets": "owners o LEFT JOIN pets p ON p.owner_id = o.id LEFT JOIN visits v ON v.pet_id = p.id",
    "staff": "员工 e LEFT JOIN 请假 q ON q.工号 = e.工号",
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    scripts = {"vets": VETS, "staff": STAFF}
    return {name: made_of(script, tmp_path_factory.mktemp(name), name) for name, script in scripts.items()}


def none(where: str, of: str, held: str, more: str = "TRUE", shown: str = "DISTINCT {}") -> str:
    """The values of a column that no row has which holds a condition, among the rows that hold the other."""
    rows = ROWS[where]
    never = f"SELECT {of} FROM {rows} WHERE {held} AND {of} IS NOT NULL"
    return f"SELECT {shown.format(of)} FROM {rows} WHERE {of} IS NOT NULL AND {of} NOT IN ({never}) AND {more}"


MARCH = "v.visited_on LIKE '2025-03%'"
COUNTED = "COUNT(DISTINCT {})"


@for_each(
    "question, of, held, more",
    [
        ("owners without dogs", "o.name", "p.species = 'dog'", ""),
        ("owners who have no cat", "o.name", "p.species = 'cat'", ""),
        ("owners without neutered pets", "o.name", "p.neutered = 'yes'", ""),
        ("owners without female pets", "o.name", "p.sex = 'F'", ""),
        ("owners without pets", "o.name", "p.id > 0", ""),
        ("owners from Corby without a dog", "o.name", "p.species = 'dog'", "o.town = 'Corby'"),
        ("owners whose pets never had a checkup", "o.name", "v.reason = 'checkup'", ""),
        ("owners in towns without cats", "o.town", "p.species = 'cat'", "names"),
        ("towns without cats", "o.town", "p.species = 'cat'", ""),
        ("which towns have no dogs", "o.town", "p.species = 'dog'", ""),
        ("how many towns have no cats", "o.town", "p.species = 'cat'", "count"),
        ("how many owners have no dog", "o.name", "p.species = 'dog'", "count"),
        ("species with no neutered pets", "p.species", "p.neutered = 'yes'", ""),
        ("which species have no females", "p.species", "p.sex = 'F'", ""),
        ("species without a pet over 10 kg", "p.species", "p.weight_kg > 10", ""),
        ("pets without a visit in March", "p.name", MARCH, ""),
        ("In March 2025, which pets had no visit?", "p.name", MARCH, ""),
        ("pets without a visit since April", "p.name", "v.visited_on >= '2025-04-01'", ""),
        ("pets that never had an injury", "p.name", "v.reason = 'injury'", ""),
        ("pets with no visit over 100", "p.name", "v.cost > 100", ""),
        ("pets without visits", "p.name", "v.id > 0", ""),
        ("pets that did not see Dr Lang", "p.name", "v.vet = 'Dr Lang'", ""),
        ("dogs without a vaccination", "p.name", "v.reason = 'vaccination'", "p.species = 'dog'"),
        ("vets with no visits in May", "v.vet", "v.visited_on LIKE '2025-05%'", ""),
        ("vets who never had an injury", "v.vet", "v.reason = 'injury'", ""),
        ("which vets have no vaccinations", "v.vet", "v.reason = 'vaccination'", ""),
        ("reasons with no visit under 50", "v.reason", "v.cost < 50", ""),
    ],
)
def test_rows_and_values_that_have_none_of_a_kind(
    opened: dict[str, Database], question: str, of: str, held: str, more: str
):
    shown = {"count": COUNTED, "names": "DISTINCT o.name"}.get(more, "DISTINCT {}")
    gold = none("vets", of, held, more if "=" in more else "TRUE", shown)
    gives(opened["vets"], say(opened["vets"], question, as_of=dt.date(2025, 6, 18)), gold)


@for_each(
    "question, of, held, more",
    [
        ("没有女员工的部门", "e.部门", "e.性别 = '女'", ""),
        ("哪些部门没有远程员工", "e.部门", "e.是否远程 = '是'", ""),
        ("哪个城市没有女员工", "e.城市", "e.性别 = '女'", ""),
        ("没有月薪超过15000的员工的部门", "e.部门", "e.月薪 > 15000", ""),
        ("有几个部门没有女员工", "e.部门", "e.性别 = '女'", "count"),
        ("没有远程员工的城市有几个", "e.城市", "e.是否远程 = '是'", "count"),
        ("没有病假的部门", "e.部门", "q.类型 = '病假'", ""),
        ("哪些部门没有人请过年假", "e.部门", "q.类型 = '年假'", ""),
        ("没有请过病假的员工", "e.姓名", "q.类型 = '病假'", ""),
        ("没请过年假的员工有哪些", "e.姓名", "q.类型 = '年假'", ""),
        ("无病假记录的员工", "e.姓名", "q.类型 = '病假'", ""),
        ("研发部没有请过病假的员工", "e.姓名", "q.类型 = '病假'", "e.部门 = '研发'"),
        ("从未请过病假的女员工", "e.姓名", "q.类型 = '病假'", "e.性别 = '女'"),
        ("没有请过假的员工", "e.姓名", "q.天数 > 0", ""),
        ("没有请假超过3天的员工", "e.姓名", "q.天数 > 3", ""),
        ("没有被拒绝的请假的员工", "e.姓名", "q.状态 = '已拒绝'", ""),
        ("没有待审批请假的员工数量", "e.姓名", "q.状态 = '待审批'", "count"),
        ("3月没有请假的员工", "e.姓名", "q.开始日期 LIKE '2025-03%'", ""),
        ("今年5月哪些员工没有请假", "e.姓名", "q.开始日期 LIKE '2025-05%'", ""),
        ("2025年没有请过假的男员工", "e.姓名", "q.开始日期 LIKE '2025%'", "e.性别 = '男'"),
    ],
)
def test_what_has_none_of_a_kind_in_chinese(opened: dict[str, Database], question: str, of: str, held: str, more: str):
    gold = none("staff", of, held, more if "=" in more else "TRUE", COUNTED if more == "count" else "DISTINCT {}")
    gives(opened["staff"], say(opened["staff"], question, as_of=dt.date(2025, 6, 18)), gold)


@for_each(
    "where, question, gold",
    [
        ("vets", "cats not neutered", "SELECT name FROM pets WHERE species = 'cat' AND neutered = 'no'"),
        ("vets", "species of pets that are not neutered", "SELECT DISTINCT species FROM pets WHERE neutered = 'no'"),
        (
            "vets",
            "average weight of pets without injuries",
            "SELECT AVG(weight_kg) FROM pets WHERE id NOT IN (SELECT pet_id FROM visits WHERE reason = 'injury')",
        ),
        (
            "vets",
            "number of pets without a checkup by species",
            "SELECT species, COUNT(*) FROM pets WHERE id NOT IN (SELECT pet_id FROM visits WHERE reason = 'checkup') GROUP BY 1",
        ),
        ("staff", "没有邮箱的员工", "SELECT 姓名 FROM 员工 WHERE 邮箱 IS NULL"),
        ("staff", "不在杭州的员工", "SELECT 姓名 FROM 员工 WHERE 城市 <> '杭州'"),
        (
            "staff",
            "没有女员工的部门的平均月薪",
            "SELECT AVG(月薪) FROM 员工 WHERE 部门 NOT IN (SELECT 部门 FROM 员工 WHERE 性别 = '女')",
        ),
    ],
)
def test_a_denial_of_one_row_stays_one(opened: dict[str, Database], where: str, question: str, gold: str):
    gives(opened[where], say(opened[where], question, as_of=dt.date(2025, 6, 18)), gold)


@for_each(
    "where, question, wanted",
    [
        ("vets", "owners who only have dogs", ["Pim Vos"]),
        ("vets", "owners with only cats", ["Liam Ode"]),
        ("vets", "owners whose pets are all dogs", ["Pim Vos"]),
        ("vets", "owners all of whose pets are neutered", ["Rosa Kent", "Pim Vos"]),
        ("vets", "pets that only saw Dr Lang", ["Nettle", "Rusty"]),
        ("vets", "species where all pets are neutered", []),
        ("vets", "species where every pet is neutered", []),
        ("vets", "which species are all neutered", []),
        ("vets", "towns where all owners joined before 2023", ["Ashby"]),
        ("vets", "reasons where all visits cost over 50", ["dental", "injury"]),
        ("vets", "vets whose visits all cost more than 90", ["Dr Finn", "Dr Moor"]),
        ("vets", "all owners in Corby", ["Gita Rao", "Zoe Hart"]),
        ("vets", "all pets that are neutered", ["Biscuit", "Nettle", "Waffle"]),
        ("vets", "only the neutered pets", ["Biscuit", "Nettle", "Waffle"]),
        ("staff", "只有男员工的部门", ["运维"]),
        ("staff", "全是男员工的部门", ["运维"]),
        ("staff", "哪些部门全是男员工", ["运维"]),
        ("staff", "每个员工都是男的部门", ["运维"]),
        ("staff", "所有员工都不远程的部门", ["运维"]),
        ("staff", "员工都在杭州的部门", ["研发"]),
        ("staff", "员工月薪都在15000以上的部门", ["研发", "运维"]),
        ("staff", "月薪都不低于15000的部门", ["研发", "运维"]),
        ("staff", "哪些城市的员工都是男的", ["南京"]),
        ("staff", "只请过病假的员工", ["沈月"]),
        ("staff", "请假都被批准的员工", ["陆川", "沈月"]),
        ("staff", "只有一个员工的部门", []),
        ("staff", "只看女员工", ["沈月", "白露"]),
    ],
)
def test_all_rows_of_something_hold_what_only_and_all_say(
    opened: dict[str, Database], where: str, question: str, wanted: list[str]
):
    turn = say(opened[where], question, as_of=dt.date(2025, 6, 18))
    assert turn.result is not None, turn.answer
    cells = [set(row) for row in turn.result.rows]
    assert len(cells) == len(wanted), turn.answer
    assert all(any(value in row for row in cells) for value in wanted), turn.answer


def test_the_answer_says_of_which_rows_there_are_none(opened: dict[str, Database]):
    today = dt.date(2025, 6, 18)
    towns = say(opened["vets"], "towns without cats", as_of=today)
    assert "no owners of the same town where with pets where species is cat" in towns.answer
    assert "同一部门没有性别是女的员工" in say(opened["staff"], "没有女员工的部门", as_of=today).answer
    never = say(opened["vets"], "vets without a visit since 2024", as_of=today)
    assert never.result is not None
    assert never.answer == "No vet matches (no visits of the same vet where visited on from 2024-01-01 on)."
