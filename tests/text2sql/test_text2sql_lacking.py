"""None at all: rows that have no row of a kind in another table, and values that no row of a kind has."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import STAFF, VETS, gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

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
