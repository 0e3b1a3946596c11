"""The questions of cases.toml are answered with the right rows."""

from __future__ import annotations

import sqlite3

import pytest
from night import sample
from text2sql_cases import TODAY, judge, load

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say


@pytest.fixture(scope="module")
def databases(candidates: Database, shop: Database) -> dict[str, Database]:
    return {"candidates": candidates, "shop": shop}


def test_there_are_enough_questions_in_both_languages() -> None:
    asked = [t["ask"] for c in load() for t in c["turn"]]
    chinese = sum(any("一" <= ch <= "鿿" for ch in q) for q in asked)
    assert len(asked) >= 120
    assert chinese >= 60
    assert len(asked) - chinese >= 60


def test_the_expected_rows_are_those_of_the_reference_queries(databases: dict[str, Database]) -> None:
    for case in load():
        with sqlite3.connect(databases[case["database"]].path) as db:
            for turn in case["turn"]:
                if "sql" not in turn:
                    continue
                rows = db.execute(turn["sql"]).fetchall()
                if "ids" in turn:
                    assert [r[0] for r in rows] == turn["ids"], turn["ask"]
                else:
                    for got, want in zip(rows, turn["rows"], strict=True):
                        assert [v if not isinstance(v, float) else pytest.approx(v, abs=1e-3) for v in got] == want, (
                            turn["ask"]
                        )


def test_at_least_95_of_100_questions_are_answered_right_and_hardly_any_otherwise(
    databases: dict[str, Database],
) -> None:
    cases = sample(load(), 100)
    judged = [j for case in cases for j in judge(case, databases[case["database"]])]
    wrong = [f"{j.category}: {j.question}: {j.problem}" for j in judged if j.problem]
    assert len(wrong) <= 0.05 * len(judged), "\n".join(wrong)
    others = [w for j, w in zip((j for j in judged if j.problem), wrong, strict=True) if j.problem.startswith("rows")]
    assert len(others) <= 0.01 * len(judged), "\n".join(others)


def test_the_three_turn_narrowing_has_the_right_counts(candidates: Database) -> None:
    counts: list[int] = []
    turn = None
    for question in ("找三年以上经验、会Python的候选人", "期望薪资不超过2万", "必须能远程"):
        turn = say(candidates, question, as_of=TODAY, before=turn)
        assert turn.result is not None
        counts.append(len(turn.result.rows))
    with sqlite3.connect(candidates.path) as db:
        rows = db.execute("SELECT years, skills, expected_salary, work_mode FROM candidates").fetchall()
    able = [r for r in rows if r[0] >= 3 and "Python" in r[1].split("、")]
    cheap = [r for r in able if r[2] <= 20_000]
    remote = [r for r in cheap if r[3] == "远程"]
    assert counts == [len(able), len(cheap), len(remote)]
    assert counts[0] > counts[1] > counts[2] > 0
