"""Turns: slots before, new, removed, after; what is asked back; what is not understood."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from lab.text2sql.slots import Filter, Ref, Slots
from text2sql_cases import TODAY

from lab.text2sql.answer import describe
from lab.text2sql.database import Database
from lab.text2sql.dialogue import Turn, choose, edit, say


def play(db: Database, *questions: str) -> list[Turn]:
    turns: list[Turn] = []
    for q in questions:
        turns.append(say(db, q, as_of=TODAY, before=turns[-1].after if turns else None))
    return turns


def shown(turn: Turn, db: Database, *, what: str = "after") -> list[str]:
    return [describe(s, db.schema, turn.language) for s in getattr(turn, what)]


def test_a_turn_says_what_is_new_and_what_went(candidates: Database) -> None:
    _, second = play(candidates, "期望薪资2万以下的远程候选人", "换成现场的")
    assert second.kind == "follow-up"
    assert shown(second, candidates, what="new") == ["工作方式是现场"]
    assert shown(second, candidates, what="removed") == ["工作方式是远程"]
    assert set(shown(second, candidates)) == {"期望薪资 ≤ 20,000 元", "工作方式是现场"}


def test_every_turn_starts_from_the_slots_of_the_one_before(candidates: Database) -> None:
    turns = play(candidates, "上海的候选人", "会Python的", "薪资不限", "三年以上", "重新开始")
    for earlier, later in pairwise(turns):
        assert later.before == earlier.after
        assert {s.key for s in later.after} == ({s.key for s in later.before} | {s.key for s in later.new}) - {
            s.key for s in later.removed
        }
    assert turns[-1].after == Slots()


@pytest.mark.parametrize(
    "said",
    [
        "不限薪资了",
        "薪资不限",
        "薪资无所谓",
        "不考虑薪资",
        "去掉薪资条件",
        "取消限制薪资",
        "any salary",
        "regardless of salary",
        "remove the salary filter",
        "no salary limit",
        "salary doesn't matter",
        "forget about the salary",
    ],
)
def test_a_condition_goes_when_one_says_so(candidates: Database, said: str) -> None:
    _, turn = play(candidates, "上海期望薪资2万以下的候选人", said)
    assert [str(f.column) for f in turn.after.filters] == ["candidates.city"]
    assert turn.unknown == ()


def test_both_ends_of_a_range_can_be_said_one_after_the_other(candidates: Database) -> None:
    turns = play(candidates, "三年以上的候选人", "五年以下的", "十年以上的")
    assert shown(turns[1], candidates) == ["工作年限 ≥ 3 年", "工作年限 ≤ 5 年"]
    assert shown(turns[2], candidates) == ["工作年限 ≥ 10 年"]


def test_a_chip_can_be_taken_away(candidates: Database) -> None:
    (turn,) = play(candidates, "上海会Python的候选人")
    key = next(s.key for s in turn.after if isinstance(s, Filter) and s.column.column == "city")
    edited = edit(candidates, turn.after, turn.after.without(key), language="zh")
    assert edited.kind == "edit"
    assert [s.key for s in edited.removed] == [key]
    assert edited.result is not None
    assert len(edited.result.rows) > len(turn.result.rows if turn.result else ())


def test_a_word_of_two_columns_is_asked_back(shop: Database) -> None:
    turn = say(shop, "top 3 orders", as_of=TODAY)
    assert turn.query is None
    assert {describe(c, shop.schema, "en") for c in turn.asks[0].choices} == {
        "order date, highest first",
        "order total, highest first",
    }
    chosen = choose(shop, turn, 0, 1)
    assert chosen.asks == ()
    assert chosen.result is not None
    assert len(chosen.result.rows) == 3
    totals = [r[5] for r in chosen.result.rows]
    assert totals == sorted(totals, reverse=True)


def test_a_value_of_two_columns_is_asked_back_and_the_column_settles_it(tmp_path: object) -> None:
    from lab.text2sql.upload import open_upload

    rows = "".join(f"{i},{'Berlin' if i % 3 else 'Paris'},{'Paris' if i % 2 else 'Rome'}\n" for i in range(12))
    db = open_upload("trips.csv", ("id,origin,destination\n" + rows).encode())
    turn = say(db, "trips with Paris", as_of=TODAY)
    assert [str(c.column) for c in turn.asks[0].choices if isinstance(c, Filter)] == [
        "trips.origin",
        "trips.destination",
    ]
    assert turn.query is None
    settled = say(db, "trips with destination Paris", as_of=TODAY)
    assert settled.asks == ()
    assert settled.after.filters == (Filter(Ref("trips", "destination"), "=", ("Paris",)),)
    assert choose(db, turn, 0, 0).after.filters == (Filter(Ref("trips", "origin"), "=", ("Paris",)),)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("会人工智能的上海候选人", ("人工智能",)),
        ("candidates in Shanghai with a sense of humour", ("sense", "humour")),
        ("上海的候选人里脾气好的", ("脾气", "好")),
        ("Shanghai candidates who know Klingon", ("Klingon",)),
    ],
)
def test_what_is_not_understood_is_named_and_the_rest_still_counts(
    candidates: Database, question: str, words: tuple[str, ...]
) -> None:
    turn = say(candidates, question, as_of=TODAY)
    assert " ".join(turn.unknown).replace(" ", "") == "".join(words)
    assert [f.values for f in turn.after.filters] == [("上海",)]
    assert all(w in turn.answer for w in words)


@pytest.mark.parametrize("question", ["今天天气怎么样", "tell me a joke", "asdf qwer", "？？", ""])
def test_a_question_of_which_nothing_is_understood_changes_nothing(candidates: Database, question: str) -> None:
    first = say(candidates, "上海的候选人", as_of=TODAY)
    turn = say(candidates, question, as_of=TODAY, before=first.after)
    if turn.kind == "nothing":
        assert turn.after == first.after
        assert turn.result is None
    assert turn.kind == "nothing"


def test_where_nothing_matches_each_condition_is_weighed(candidates: Database) -> None:
    turn = say(candidates, "上海期望薪资5000以下的候选人", as_of=TODAY)
    assert turn.result is not None
    assert turn.result.rows == ()
    (without, n), *_ = turn.relaxed
    assert without.column.column == "expected_salary"
    alone = say(candidates, "上海的候选人", as_of=TODAY)
    assert alone.result is not None
    assert n == len(alone.result.rows)


def test_the_answer_is_in_the_language_of_the_question(candidates: Database) -> None:
    assert say(candidates, "有多少候选人", as_of=TODAY).answer == "共有 68 个候选人。"
    assert say(candidates, "how many candidates", as_of=TODAY).answer == "There are 68 candidates."
    english = say(candidates, "candidates who work remotely in Wuhan", as_of=TODAY).answer
    assert "work mode is remote" in english
    assert "city is Wuhan" in english


def test_a_new_question_starts_afresh_and_a_narrowing_does_not(candidates: Database, shop: Database) -> None:
    turns = play(candidates, "上海的候选人", "其中会Python的", "列出北京的候选人")
    assert [t.kind for t in turns] == ["fresh", "follow-up", "fresh"]
    other = play(shop, "orders in 2023", "which products cost less than 50 yuan?")
    assert other[1].kind == "fresh"
    assert other[1].after.table == "products"


def test_whether_a_question_is_new_can_be_said_by_hand(candidates: Database) -> None:
    first = say(candidates, "上海的候选人", as_of=TODAY)
    kept = say(candidates, "列出会Python的候选人", as_of=TODAY, before=first.after, fresh=False)
    alone = say(candidates, "会Python的", as_of=TODAY, before=first.after, fresh=True)
    assert {f.column.column for f in kept.after.filters} == {"city", "skills"}
    assert {f.column.column for f in alone.after.filters} == {"skills"}


def test_an_order_goes_with_its_measure(candidates: Database) -> None:
    (turn,) = play(candidates, "候选人最多的三个城市")
    measure = turn.after.measures[0]
    left = turn.after.without(measure.key)
    assert left.sorts == ()
    assert left.measures == ()


def test_today_is_passed_in(shop: Database) -> None:
    this = say(shop, "今年的订单", as_of=TODAY)
    that = say(shop, "今年的订单", as_of=TODAY.replace(year=2023))
    assert this.after.filters[0].values == ("2024-01-01", "2025-01-01")
    assert that.after.filters[0].values == ("2023-01-01", "2024-01-01")


def test_slots_are_values() -> None:
    a = Slots("t", (Filter(Ref("t", "a"), "=", (1,), said="one"),))
    assert a == replace(a, filters=(Filter(Ref("t", "a"), "=", (1,), said="eins"),))
    assert hash(a) == hash(replace(a))
