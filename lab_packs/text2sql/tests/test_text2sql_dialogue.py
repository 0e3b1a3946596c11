"""Turns: the tree before, new, removed, after; what is asked back; what is not understood; what goes on."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from made_of import made_of, play
from night import for_each
from sets import TODAY

from lab_packs.text2sql.assembly import Weights
from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn, choose, edit, say
from lab_packs.text2sql.tree import Field, Not, pieces, without
from lab_packs.text2sql.wording import Words


def shown(turn: Turn, db: Database, *, what: str = "") -> list[str]:
    words = Words(db.schema, turn.language)
    return [words.piece(p) for p in (getattr(turn, what) if what else pieces(turn.after))]


def columns(turn: Turn) -> set[str]:
    assert turn.after is not None
    inner = [c.of if isinstance(c, Not) else c for c in turn.after.where]
    return {c.of.ref.column for c in inner if isinstance(getattr(c, "of", None), Field)}


def test_a_turn_says_what_is_new_and_what_went(candidates: Database) -> None:
    _, second = play(candidates, "期望薪资2万以下的远程候选人", "换成现场的")
    assert second.kind == "follow-up"
    assert shown(second, candidates, what="new") == ["工作方式是现场"]
    assert shown(second, candidates, what="removed") == ["工作方式是远程"]
    assert set(shown(second, candidates)) == {"期望薪资 ≤ 20,000 元", "工作方式是现场"}


def test_every_turn_starts_from_the_tree_of_the_one_before(candidates: Database) -> None:
    turns = play(candidates, "上海的候选人", "会Python的", "薪资不限", "三年以上", "重新开始")
    for earlier, later in pairwise(turns):
        assert later.before == earlier.after
        assert set(pieces(later.after)) == (set(pieces(later.before)) | set(later.new)) - set(later.removed)
    assert turns[-1].after is None


@for_each(
    "question, told",
    [
        ("what can I ask?", ["candidates (68 rows): number, name", "interviews (48 rows)"]),
        ("What's in this table?", ["candidates (68 rows)"]),
        ("有哪些字段？", ["候选人（68 行）：编号、姓名", "面试（48 行）"]),
    ],
)
def test_who_asks_what_there_is_gets_tables_and_columns(candidates: Database, question: str, told: list[str]):
    before, turn, after = play(candidates, "上海的候选人", question, "三年以上")
    assert (turn.kind, turn.unknown, turn.after) == ("overview", (), before.after)
    assert all(part in turn.answer for part in told), turn.answer
    assert columns(after) == {"city", "years"}, "the conversation goes on behind it"


def test_an_overview_leaves_out_what_would_make_it_endless(tmp_path: Path):
    columns = ", ".join(f"k{i} INTEGER" for i in range(20))
    tables = "".join(f"CREATE TABLE t{i}(id INTEGER PRIMARY KEY, {columns});" for i in range(9))
    turn = say(made_of(tables, tmp_path, "wide"), "what tables are there", as_of=TODAY)
    assert "t5 (0 rows)" in turn.answer
    assert "t6" not in turn.answer
    assert "and 3 more tables" in turn.answer
    assert turn.answer.count("… and 5 more") == 6


@pytest.mark.parametrize(
    "said",
    [
        "不限薪资了", "薪资不限", "薪资无所谓", "不考虑薪资", "去掉薪资条件", "any salary", "regardless of salary",
        "remove the salary filter", "salary doesn't matter", "forget about the salary",
    ],
)  # fmt: skip
def test_a_condition_goes_when_one_says_so(candidates: Database, said: str) -> None:
    _, turn = play(candidates, "上海期望薪资2万以下的候选人", said)
    assert columns(turn) == {"city"}
    assert turn.unknown == ()


def test_both_ends_of_a_range_can_be_said_one_after_the_other(candidates: Database) -> None:
    turns = play(candidates, "三年以上的候选人", "五年以下的", "十年以上的")
    assert shown(turns[1], candidates) == ["工作年限 ≥ 3 年", "工作年限 ≤ 5 年"]
    assert shown(turns[2], candidates) == ["工作年限 ≥ 10 年"]


def test_a_chip_can_be_taken_away(candidates: Database) -> None:
    (turn,) = play(candidates, "上海会Python的候选人")
    assert turn.after is not None
    city = next(p for p in pieces(turn.after) if "上海" in str(p))
    edited = edit(candidates, turn.after, without(turn.after, city), language="zh")
    assert edited.kind == "edit"
    assert edited.removed == (city,)
    assert edited.result is not None
    assert len(edited.result.rows) > len(turn.result.rows if turn.result else ())


def test_a_number_of_two_columns_is_asked_back_and_a_choice_answers(shop: Database) -> None:
    turn = say(shop, "products over 30", as_of=TODAY)
    assert turn.result is None
    assert len(turn.asks) == 2
    chosen = choose(shop, turn, 0)
    assert chosen.asks == ()
    assert chosen.after == turn.asks[0]
    assert chosen.result is not None


def test_a_value_of_two_columns_is_asked_back_and_the_column_settles_it() -> None:
    from lab_packs.text2sql.upload import open_upload

    rows = "".join(f"{i},{'Berlin' if i % 3 else 'Paris'},{'Paris' if i % 2 else 'Rome'}\n" for i in range(12))
    db = open_upload("trips.csv", ("id,home,office\n" + rows).encode())
    turn = say(db, "trips with Paris", as_of=TODAY)
    assert turn.result is None
    assert len(turn.asks) == 2
    settled = say(db, "trips with office Paris", as_of=TODAY)
    assert settled.asks == ()
    assert columns(settled) == {"office"}


@for_each(
    "question, word",
    [
        ("会人工智能的上海候选人", "人工智能"),
        ("candidates in Shanghai with a sense of humour", "humour"),
        ("上海的候选人里脾气好的", "脾气"),
        ("Shanghai candidates who know Klingon", "Klingon"),
    ],
)
def test_what_is_not_understood_is_named_and_there_are_no_rows(candidates: Database, question: str, word: str) -> None:
    turn = say(candidates, question, as_of=TODAY)
    assert any(word in w for w in turn.unknown)
    assert word in turn.answer
    assert turn.result is None
    assert turn.after is None


@pytest.mark.parametrize("question", ["今天天气怎么样", "tell me a joke", "asdf qwer", "？？", ""])
def test_a_question_of_which_nothing_is_understood_changes_nothing(candidates: Database, question: str) -> None:
    first = say(candidates, "上海的候选人", as_of=TODAY)
    turn = say(candidates, question, as_of=TODAY, before=first)
    assert turn.kind == "nothing"
    assert turn.after == first.after
    assert turn.result is None


@for_each(
    "first, lost, then, told",
    [
        ("上海的候选人", "其中会弹钢琴的", "其中会Python的", "城市是上海"),
        ("杭州的候选人", "第二个呢", "那上海呢", "城市是杭州"),
        ("三年以上的候选人", "脾气好的呢", "只要硕士", "工作年限"),
        ("candidates in Shanghai", "only the funny ones", "only those who know Python", "city is Shanghai"),
    ],
)
def test_a_follow_up_goes_on_from_the_last_query_that_ran_and_says_so(
    candidates: Database, first: str, lost: str, then: str, told: str
) -> None:
    stands, failed, turn, later = play(candidates, first, lost, then, "会Java的")
    assert failed.result is None
    assert failed.after == stands.after
    alone = say(candidates, then, as_of=TODAY, before=stands)
    assert turn.result is not None
    assert alone.result is not None
    assert (turn.after, turn.result.rows) == (alone.after, alone.result.rows)
    assert told in turn.answer.split(alone.answer)[0], "what it goes on from is said before the answer"
    assert later.result is not None
    assert "接着" not in later.answer


@for_each(
    "words, rows",
    [
        ("面试分数高于90分的候选人叫什么", 4),
        ("面试得分90分以上的候选人", 5),
        ("candidates with an interview score over 90", 4),
    ],
)
def test_the_only_reading_over_joins_runs_and_says_how_it_was_read(candidates: Database, words: str, rows: int) -> None:
    turn = say(candidates, words, as_of=TODAY)
    assert turn.result is not None, turn.answer
    assert len(turn.result.rows) == rows
    assert turn.answer.startswith(("理解为：", "Read as: ")) or not turn.readings[0].doubt(Weights()) > 0.15


def test_where_nothing_matches_each_condition_is_weighed(candidates: Database) -> None:
    turn = say(candidates, "上海期望薪资5000以下的候选人", as_of=TODAY)
    assert turn.result is not None
    assert turn.result.rows == ()
    (gone, n), *_ = turn.relaxed
    assert "expected_salary" in str(gone)
    alone = say(candidates, "上海的候选人", as_of=TODAY)
    assert alone.result is not None
    assert n == len(alone.result.rows)


def test_the_answer_is_in_the_language_of_the_question(candidates: Database) -> None:
    assert say(candidates, "有多少候选人", as_of=TODAY).answer == "共有 68 位候选人。"
    assert say(candidates, "how many candidates", as_of=TODAY).answer == "There are 68 candidates."
    english = say(candidates, "candidates who work remotely in Wuhan", as_of=TODAY).answer
    assert "work mode is remote" in english
    assert "city is Wuhan" in english


def test_a_new_question_starts_afresh_and_a_narrowing_does_not(candidates: Database, shop: Database) -> None:
    turns = play(candidates, "上海的候选人", "其中会Python的", "列出北京的候选人")
    assert [t.kind for t in turns] == ["fresh", "follow-up", "fresh"]
    other = play(shop, "orders in 2023", "which products cost less than 50 yuan?")
    assert other[1].kind == "fresh"
    assert other[1].after is not None
    assert other[1].after.table == "products"


def test_whether_a_question_is_new_can_be_said_by_hand(candidates: Database) -> None:
    first = say(candidates, "上海的候选人", as_of=TODAY)
    kept = say(candidates, "列出会Python的候选人", as_of=TODAY, before=first, fresh=False)
    alone = say(candidates, "会Python的", as_of=TODAY, before=first, fresh=True)
    assert columns(kept) == {"city", "skills"}
    assert columns(alone) == {"skills"}


def test_an_order_goes_with_its_measure(candidates: Database) -> None:
    (turn,) = play(candidates, "候选人最多的三个城市")
    assert turn.after is not None
    measure = next(p for p in pieces(turn.after) if p.kind == "measures")
    left = without(turn.after, measure)
    assert left.order == ()
    assert left.measures == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("每个城市的平均期望薪资", "按城市，共 8 组：上海、"),
        ("每个职位有多少候选人", "按职位，共 7 组：产品经理、"),
        ("average age per city", "By city, 8 groups: 上海, "),
    ],
)
def test_groups_without_a_measure_are_named(question: str, told: str, candidates: Database) -> None:
    (turn,) = play(candidates, question)
    for piece in pieces(turn.after):
        assert turn.after is not None
        edited = edit(candidates, turn.after, without(turn.after, piece), language=turn.language)
        assert edited.answer.startswith(told) == (piece.kind == "measures")


def test_today_is_passed_in(shop: Database) -> None:
    this = say(shop, "今年的订单", as_of=TODAY)
    that = say(shop, "今年的订单", as_of=TODAY.replace(year=2023))
    assert "2024-01-01" in str(this.after)
    assert "2023-01-01" in str(that.after)


@pytest.mark.parametrize(
    ("question", "chips"),
    [
        ("按工作年限从高到低，再按期望薪资从低到高", ["按工作年限从高到低", "按期望薪资从低到高"]),
        ("候选人按工作年限从高到低、期望薪资从低到高排列", ["按工作年限从高到低", "按期望薪资从低到高"]),
        (
            "candidates by age ascending, then by salary descending",
            ["age, lowest first", "expected salary, highest first"],
        ),
        (
            "candidates sorted by city, then by salary, highest first",
            ["city, lowest first", "expected salary, highest first"],
        ),
        (
            "按工作年限从高到低，再按期望薪资从低到高，只看前三名",
            ["按工作年限从高到低", "按期望薪资从低到高", "前 3 个"],
        ),
        ("按期望薪资从低到高，只看前三名", ["按期望薪资从低到高", "前 3 个"]),
        ("按年龄排序，从高到低", ["按年龄从高到低"]),
    ],
)
def test_every_order_of_a_question_is_kept_with_its_own_direction(
    candidates: Database, question: str, chips: list[str]
) -> None:
    turn = say(candidates, question, as_of=TODAY)
    assert shown(turn, candidates) == chips
    assert all(chip in turn.answer for chip in chips if "按" in chip)


def test_a_follow_up_for_the_first_of_an_order_adds_no_further_order(candidates: Database) -> None:
    *_, turn = play(candidates, "会Python的候选人", "期望薪资不超过2万5", "按期望薪资从高到低，只看前三名")
    assert shown(turn, candidates)[-2:] == ["按期望薪资从高到低", "前 3 个"]
