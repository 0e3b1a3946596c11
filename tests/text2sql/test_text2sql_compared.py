"""Rows beside rows and groups: the same as another, above the average of its group, shares and counts of each group."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import STAFF, VETS, gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    scripts = {"vets": VETS, "staff": STAFF}
    return {name: made_of(script, tmp_path_factory.mktemp(name), name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        ("vets", "owners in the same town as Rosa Kent", "SELECT name FROM owners WHERE id = 2"),
        ("vets", "pets with the same species as Nettle", "SELECT name FROM pets WHERE id = 3"),
        ("staff", "和陆川同部门的员工", "SELECT 姓名 FROM 员工 WHERE 工号 = 'A2'"),
        ("staff", "与顾城在同一个城市的人", "SELECT 姓名 FROM 员工 WHERE 工号 = 'A5'"),
        (
            "vets",
            "pets heavier than the average of their species",
            "SELECT name FROM pets p WHERE weight_kg > (SELECT AVG(weight_kg) FROM pets q WHERE q.species = p.species)",
        ),
        (
            "staff",
            "月薪高于本部门平均月薪的员工",
            "SELECT 姓名 FROM 员工 e WHERE 月薪 > (SELECT AVG(月薪) FROM 员工 f WHERE f.部门 = e.部门)",
        ),
        (
            "staff",
            "月薪比所在城市平均月薪低的员工",
            "SELECT 姓名 FROM 员工 e WHERE 月薪 < (SELECT AVG(月薪) FROM 员工 f WHERE f.城市 = e.城市)",
        ),
        ("vets", "share of injuries by vet", "SELECT vet, AVG(reason = 'injury') FROM visits GROUP BY 1"),
        (
            "vets",
            "percentage of neutered pets by species",
            "SELECT species, AVG(neutered = 'yes') FROM pets GROUP BY 1",
        ),
        ("staff", "每个部门女员工的占比", "SELECT 部门, AVG(性别 = '女') FROM 员工 GROUP BY 1"),
        ("staff", "各部门远程比例", "SELECT 部门, AVG(是否远程 = '是') FROM 员工 GROUP BY 1"),
        (
            "vets",
            "share of visits in 2025 by vet",
            "SELECT vet, COUNT(*) / (SELECT 1.0 * COUNT(*) FROM visits) FROM visits GROUP BY 1",
        ),
        ("vets", "average number of visits per pet", "SELECT 7.0 / 5"),
        ("vets", "the average number of pets per owner", "SELECT 6.0 / 4"),
        ("staff", "平均每个员工请假几次", "SELECT 6.0 / 4"),
        (
            "vets",
            "owners with at least two different species",
            "SELECT o.name FROM owners o JOIN pets p ON p.owner_id = o.id GROUP BY o.id HAVING COUNT(DISTINCT species) > 1",
        ),
        (
            "vets",
            "owners who spent more than 100 in total",
            "SELECT o.name, SUM(v.cost) FROM owners o JOIN pets p ON p.owner_id = o.id JOIN visits v ON v.pet_id = p.id "
            "GROUP BY o.id HAVING SUM(v.cost) > 100",
        ),
        (
            "vets",
            "which reason costs the most on average",
            "SELECT reason FROM visits GROUP BY 1 ORDER BY AVG(cost) DESC LIMIT 1",
        ),
        ("vets", "pets whose name starts with W or B", "SELECT name FROM pets WHERE name LIKE 'W%' OR name LIKE 'B%'"),
        ("vets", "visits by month and vet", "SELECT substr(visited_on, 1, 7), vet, COUNT(*) FROM visits GROUP BY 1, 2"),
        ("vets", "visits by vet and month", "SELECT substr(visited_on, 1, 7), vet, COUNT(*) FROM visits GROUP BY 1, 2"),
        (
            "vets",
            "number of visits on weekdays",
            "SELECT COUNT(*) FROM visits WHERE strftime('%w', visited_on) NOT IN ('0', '6')",
        ),
    ],
)
def test_rows_are_compared_with_their_like(opened: dict[str, Database], where: str, question: str, gold: str):
    gives(opened[where], say(opened[where], question, as_of=dt.date(2025, 6, 18)), gold)


def test_the_answer_says_with_what_is_compared(opened: dict[str, Database]):
    today = dt.date(2025, 6, 18)
    heavier = say(opened["vets"], "pets heavier than the average of their species", as_of=today)
    assert "weight > the average weight of the same species" in heavier.answer
    assert "月薪 > 同一部门的平均月薪" in say(opened["staff"], "月薪高于本部门平均月薪的员工", as_of=today).answer
    assert "per pet id is 1.40" in say(opened["vets"], "average number of visits per pet", as_of=today).answer


def test_the_average_of_a_group_is_made_once_for_all_rows(opened: dict[str, Database]):
    """A hundred thousand rows beside the average of their group: no row asks for it anew."""
    turn = say(opened["staff"], "月薪高于本部门平均月薪的员工", as_of=dt.date(2025, 6, 18))
    assert turn.query is not None
    assert turn.query.bound.count("GROUP BY") == 1
    assert 'FROM "员工" AS "员工 1"' in turn.query.bound
