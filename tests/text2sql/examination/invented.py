"""Five invented tables on which a reading goes wrong easily: abbreviations, units in brackets, yes-no columns, text keys."""

from __future__ import annotations

import datetime as dt
import io
import random
from collections.abc import Callable

from exam_databases import Rows, _csv, _day, _sqlite

from lab.text2sql.database import Database
from lab.text2sql.upload import open_upload

_AUTHORS = ["罗敏", "康宁", "方圆", "石磊", "丁香", "于洋"]


def loans() -> tuple[str, bytes]:
    r, rows = random.Random(11), Rows()
    for i in range(150):
        fine, damage, fee = r.choice([0, 0, 2, 5]), r.choice([0, 0, 10, 30]), r.choice([5, 10, 15])
        note = r.choice([None, "缺页：第3页", "污损：封面", "缺页：目录"])
        rows.append(
            (
                f"J{i + 1:03}", _day(r, dt.date(2024, 1, 3), dt.date(2025, 6, 10)), r.choice(_AUTHORS), r.choice("男女"), r.randrange(18, 70),
                r.choice(["东城馆", "西城馆", "海淀馆"]), r.choice(["何静", "白露", "段誉"]), r.choice(["小说", "历史", "科普", "诗歌"]), fee,
                fine, damage, fee + fine + damage, r.choice("是否"), r.choice([None, 1, 2, 3, 4, 5]), note,
            )
        )  # fmt: skip
    header = [
        "借阅编号",
        "借阅日期",
        "读者姓名",
        "性别",
        "年龄",
        "分馆",
        "馆员",
        "图书类别",
        "工本费",
        "逾期费（元）",
        "赔偿费（元）",
        "合计费用（元）",
        "是否续借",
        "评分",
        "附注",
    ]
    return "loans.csv", _csv(header, rows)


def players() -> tuple[str, bytes]:
    from openpyxl import Workbook

    r = random.Random(12)
    teams = [
        ("红一(1)队", "丁一", "东体育场", 1998),
        ("蓝星队", "何静", "西体育场", 2005),
        ("绿洲队", "陶然", "南体育场", 1987),
    ]
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "球员"
    sheet.append(
        ["号码", "姓名", "球队", "性别", "出生日期", "速度", "力量", "耐力", "技术", "缺席次数", "是否外援", "特长"]
    )
    for i in range(60):
        sheet.append(
            [
                i + 1, f"{'赵钱孙李周吴郑王'[i % 8]}{'一二三四五六七八九十'[i % 10]}{'明华强伟'[i % 4]}", r.choice(teams)[0], r.choice("男女"),
                _day(r, dt.date(1990, 1, 1), dt.date(2007, 12, 1)), *(r.randrange(50, 100) for _ in range(4)), r.choice([0, 0, 1, 2, 3]),
                r.choice("是否"), r.choice(["传球", "防守", "射门"]),
            ]
        )  # fmt: skip
    other = book.create_sheet("球队资料")
    other.append(["球队", "教练", "场地", "建队年份"])
    for t in teams:
        other.append(list(t))
    out = io.BytesIO()
    book.save(out)
    return "players.xlsx", out.getvalue()


def gym() -> tuple[str, bytes]:
    r = random.Random(13)
    members = [(i + 1, n, r.choice(["Spain", "Canada", "Chile"]), r.choice(["gold", "basic"]), _day(r, dt.date(2020, 1, 1), dt.date(2025, 1, 1)).isoformat(), r.choice([0, 1])) for i, n in enumerate(["Tariq Aziz", "Ines Soto", "Leo Brandt", "Maya Roy", "Nils Holm", "Olga Reyes", "Pia Lund", "Quin Hart", "Rosa Diaz", "Sven Falk"])]  # fmt: skip
    trainings = [(i + 1, n, c, p, d, f, s) for i, (n, c, p, d, f, s) in enumerate([("Swim lane", "water", 12.0, 60, 0, "Aqua Ltd"), ("Spinning", "cardio", 9.5, 45, 0, None), ("Boxing", "strength", 14.0, 60, 1, "Ring Co"), ("Yoga", "mind", 8.0, 75, 0, None), ("Rowing", "cardio", 11.0, 30, 1, None)])]  # fmt: skip
    heads = [(i + 1, r.randrange(1, 10), (d := _day(r, dt.date(2024, 1, 1), dt.date(2025, 6, 1))).isoformat(), None if r.random() < 0.3 else (d + dt.timedelta(r.randrange(1, 9))).isoformat(), r.choice(["booked", "refused", "done"]), r.choice(["card", "cash"])) for i in range(90)]  # fmt: skip
    lines = [
        (h[0], n + 1, r.randrange(1, 6), r.randrange(1, 5), r.choice([0, 0, 10]))
        for h in heads
        for n in range(r.randrange(1, 4))
    ]
    script = """
        CREATE TABLE mbr (mbr_id INTEGER PRIMARY KEY, mbr_nm TEXT, cntry TEXT, tier TEXT, jnd_dt DATE, nwsltr INTEGER);
        CREATE TABLE trn (trn_id INTEGER PRIMARY KEY, trn_nm TEXT, cat TEXT, hr_prc REAL, dur_min INTEGER, rtrd_flg INTEGER, spnsr TEXT);
        CREATE TABLE bkg_hdr (bkg_id INTEGER PRIMARY KEY, mbr_id INTEGER REFERENCES mbr(mbr_id), bkg_dt DATE, cnf_dt DATE, stat TEXT, pay_mthd TEXT);
        CREATE TABLE bkg_ln (bkg_id INTEGER REFERENCES bkg_hdr(bkg_id), ln_no INTEGER, trn_id INTEGER REFERENCES trn(trn_id), qty INTEGER, rbt_pct INTEGER);
    """
    return "gym.sqlite", _sqlite(script, {"mbr": members, "trn": trainings, "bkg_hdr": heads, "bkg_ln": lines})


def repairs() -> tuple[str, bytes]:
    r, rows = random.Random(14), Rows()
    for i in range(140):
        got = _day(r, dt.date(2024, 10, 1), dt.date(2025, 6, 12))
        state = r.choice(["Finished", "Open", "On hold"])
        done = got + dt.timedelta(r.randrange(1, 20)) if state == "Finished" else None
        rows.append(
            (
                3000 + i, got, done, r.choice(["critical", "normal", "low"]), state, r.choice(["Tariq Aziz", "Bea Lomax", "Cy Young"]),
                r.choice(["Pinecrest", "Oakfield", "Elm Street"]), r.choice(["phone", "web"]), r.randrange(5, 90), r.choice([None, 1, 2, 3, 4, 5]),
                r.choice([None, "leak", "belt", "leak; valve", "belt; valve", "valve"]), r.choice(["Yes", "No"]),
            )
        )  # fmt: skip
    header = [
        "Job #",
        "Received",
        "Finished",
        "Urgency",
        "State",
        "Mechanic",
        "Client firm",
        "Channel",
        "First visit (min)",
        "Score",
        "Labels",
        "Redone?",
    ]
    return "repair jobs.csv", _csv(header, rows)


def press() -> tuple[str, bytes]:
    r = random.Random(15)
    authors = [(i + 1, f"Author {'ABCDEFGHIJKL'[i]}", r.choice(["France", "Peru", "Japan"]), _day(r, dt.date(2018, 1, 1), dt.date(2022, 12, 1)).isoformat(), r.choice([None, f"a{i}@x.org"])) for i in range(12)]  # fmt: skip
    books = [(i + 1, r.randrange(1, 11), f"Book {i + 1}", r.choice(["novel", "poetry", "essay"]), _day(r, dt.date(2019, 1, 1), dt.date(2025, 6, 1)).isoformat(), round(r.uniform(8, 40), 1), r.randrange(60, 700), r.choice(["in print", "sold out"])) for i in range(80)]  # fmt: skip
    script = """
        CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT, country TEXT, signed_on DATE, email TEXT);
        CREATE TABLE books (id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES authors(id), title TEXT, genre TEXT, published_on DATE,
            price REAL, pages INTEGER, state TEXT);
    """
    return "press.sqlite", _sqlite(script, {"authors": authors, "books": books})


ALL: dict[str, Callable[[], tuple[str, bytes]]] = {f.__name__: f for f in (loans, players, gym, repairs, press)}


def build(name: str) -> Database:
    """One of the invented databases, as an upload."""
    return open_upload(*ALL[name]())
