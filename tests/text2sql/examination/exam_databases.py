"""The eight databases of the examination, made by code with a fixed seed: five files as people export them, three with joins.

`build` gives each as the `Database` that an upload would give.  No sample database of the lab shares a table with them.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.text2sql.database import Database
from lab.text2sql.upload import open_upload

TODAY = dt.date(2025, 6, 18)
Rows = list[Sequence[object]]


def _day(r: random.Random, first: dt.date, last: dt.date) -> dt.date:
    return first + dt.timedelta(r.randrange((last - first).days + 1))


def _csv(header: Sequence[str], rows: Rows) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue().encode()


def _sqlite(script: str, tables: dict[str, Rows]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exam.sqlite"
        db = sqlite3.connect(path)
        db.executescript(script)
        for name, rows in tables.items():
            db.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.commit()
        db.close()
        return path.read_bytes()


def orchard() -> tuple[str, bytes]:
    """采摘记录.csv: units in brackets, a yes-no column, slashed dates, a column of lists."""
    r, rows = random.Random(1), Rows()
    fruits = {"苹果": 6.5, "梨": 5.2, "桃子": 8.0, "樱桃": 32.0, "葡萄": 12.5}
    for i in range(140):
        fruit = r.choice(list(fruits))
        day = _day(r, dt.date(2024, 4, 1), dt.date(2025, 6, 15))
        kilos = round(r.uniform(20, 600), 1)
        price = round(fruits[fruit] * r.uniform(0.8, 1.3), 2)
        rows.append(
            (
                f"C{i + 1:04}", f"{day.year}/{day.month}/{day.day}", r.choice(["东坡", "河湾", "北岭", "南塘"]), fruit,
                r.choice(["陈立", "孙梅", "周全", "吴芳", "郑海"]), kilos, price, r.choice(["一级", "二级", "三级"]),
                r.choice(["是", "否"]), r.choice([None, r.randrange(1, 30)]), r.choice([None, "雨天采摘", "有虫眼", "果面轻微擦伤", "客户自提"]),
            )
        )  # fmt: skip
    header = [
        "采摘编号",
        "采摘日期",
        "地块",
        "水果",
        "工人姓名",
        "产量（公斤）",
        "单价（元/公斤）",
        "等级",
        "是否冷藏",
        "损耗（公斤）",
        "备注",
    ]
    return "采摘记录.csv", _csv(header, rows)


def parcels() -> tuple[str, bytes]:
    """快递.csv: two city columns, a weight with its unit in the name, empty days of delivery."""
    r, rows = random.Random(2), Rows()
    cities = ["杭州", "成都", "西安", "青岛", "厦门", "长沙"]
    for i in range(160):
        sent = _day(r, dt.date(2024, 9, 1), dt.date(2025, 6, 17))
        done = None if r.random() < 0.15 else sent + dt.timedelta(r.randrange(1, 9))
        a, b = r.sample(cities, 2)
        rows.append(
            (
                700100 + i, sent, done, a, b, round(r.uniform(0.2, 30), 1), round(r.uniform(6, 120), 1),
                r.choice(["标准", "特快", "冷链"]), r.choice(["Y", "N"]), r.choice(["已签收", "运输中", "退回"]) if done else "运输中",
                r.choice([None, 1, 2, 3, 4, 5]),
            )
        )  # fmt: skip
    header = [
        "运单号",
        "寄件日期",
        "签收日期",
        "寄件城市",
        "收件城市",
        "重量kg",
        "运费（元）",
        "服务类型",
        "是否保价",
        "状态",
        "服务评分",
    ]
    return "快递.csv", _csv(header, rows)


def meters() -> tuple[str, bytes]:
    """meter readings.csv: English headers with units and a question mark."""
    r, rows = random.Random(3), Rows()
    for i in range(150):
        rows.append(
            (
                f"M-{r.randrange(1, 41):03}", r.choice(["Hillside", "Old Mill", "Riverbank", "Station Road"]),
                _day(r, dt.date(2024, 1, 1), dt.date(2025, 6, 10)), round(r.uniform(40, 900), 1), round(r.uniform(1, 14), 2),
                r.choice(["Standard", "Night", "Green"]), r.choice(["Yes", "No"]), r.choice([None, "estimated", "meter exchanged", "access refused"]),
                r.choice(["House", "Flat", "Shop"]), round(r.uniform(9, 250), 2),
            )
        )  # fmt: skip
        _ = i
    header = [
        "Meter #",
        "Site",
        "Reading Date",
        "kWh Used",
        "Peak (kW)",
        "Tariff",
        "Smart meter?",
        "Remarks",
        "Premises",
        "Bill (EUR)",
    ]
    return "meter readings.csv", _csv(header, rows)


def museum() -> tuple[str, bytes]:
    """collection.csv: abbreviations, a year column, dates as text, lists of materials."""
    r, rows = random.Random(4), Rows()
    names = ["Amphora", "Brooch", "Chalice", "Dagger", "Figurine", "Lantern", "Mask", "Seal", "Tapestry", "Urn"]
    for i in range(120):
        materials = r.sample(["bronze", "clay", "gold", "ivory", "silk", "wood"], r.randrange(1, 3))
        rows.append(
            (
                f"A{i + 1}", f"{r.choice(names)} {i + 1}", r.choice(["Roman", "Greek", "Ming", "Edo", "Inca"]), r.randrange(1890, 2025),
                "; ".join(materials), r.randrange(15, 9000), r.choice(["East Wing", "North Hall", "Vault"]), r.choice(["Yes", "No"]),
                r.randrange(1, 900) * 100, r.choice(["Dr. Amara Okafor", "Prof. Jonas Weber", "Dr. Lin Mei"]),
                r.choice([None, _day(r, dt.date(2022, 1, 1), dt.date(2025, 6, 1))]),
            )
        )  # fmt: skip
    header = [
        "Inv No",
        "Object Name",
        "Culture",
        "Yr Acquired",
        "Materials",
        "Weight (g)",
        "Location",
        "On Loan?",
        "Ins. Value (USD)",
        "Curator",
        "Last Checked",
    ]
    return "collection.csv", _csv(header, rows)


def clinic() -> tuple[str, bytes]:
    """clinic.sqlite: three tables with abbreviated names and declared keys."""
    r = random.Random(5)
    doctors = [(i + 1, n, s, y) for i, (n, s, y) in enumerate([("Helen Park", "Cardiology", 2008), ("Omar Haddad", "Dermatology", 2015), ("Ruth Cole", "Pediatrics", 2001), ("Ivan Petrov", "Cardiology", 2019), ("Mina Sato", "Neurology", 2012), ("Paul Reyes", "Dermatology", 2020)])]  # fmt: skip
    first, last = (
        ["Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo"],
        ["Brook", "Dale", "Frost", "Lane", "Marsh", "Stone"],
    )
    patients = [(i + 1, f"{first[i % 8]} {last[i % 6]}", r.choice("MF"), _day(r, dt.date(1940, 1, 1), dt.date(2018, 1, 1)).isoformat(), r.choice(["Leeds", "York", "Hull"]), r.choice([0, 1])) for i in range(48)]  # fmt: skip
    visits = [(i + 1, r.randrange(1, 44), r.randrange(1, 6), _day(r, dt.date(2023, 6, 1), dt.date(2025, 6, 16)).isoformat(), r.choice(["done", "cancelled", "no show"]), r.randrange(10, 61), round(r.uniform(30, 400), 2), r.choice([None, "follow up in 3 months", "blood test ordered"])) for i in range(210)]  # fmt: skip
    script = """
        CREATE TABLE doc (doc_id INTEGER PRIMARY KEY, doc_nm TEXT, spec TEXT, join_yr INTEGER);
        CREATE TABLE pat (pat_id INTEGER PRIMARY KEY, pat_nm TEXT, sex TEXT, dob DATE, town TEXT, insrd_flg INTEGER);
        CREATE TABLE appt (appt_id INTEGER PRIMARY KEY, pat_id INTEGER REFERENCES pat(pat_id), doc_id INTEGER REFERENCES doc(doc_id),
            appt_dt DATE, stat TEXT, dur_min INTEGER, fee_amt REAL, rmk TEXT);
    """
    return "clinic.sqlite", _sqlite(script, {"doc": doctors, "pat": patients, "appt": visits})


def bikes() -> tuple[str, bytes]:
    """bikes.sqlite: readable English names, trips with a start and an end station."""
    r = random.Random(6)
    stations = [(i + 1, n, d, c) for i, (n, d, c) in enumerate([("Harbour Square", "Port", 24), ("City Hall", "Centre", 40), ("Museum Gate", "Centre", 18), ("West Park", "Westside", 30), ("Tech Campus", "Westside", 36), ("Lighthouse", "Port", 12), ("Old Market", "Centre", 28)])]  # fmt: skip
    riders = [(i + 1, f"Rider {i + 1}", r.choice(["annual", "monthly", "casual"]), r.randrange(16, 75), _day(r, dt.date(2021, 1, 1), dt.date(2025, 5, 1)).isoformat()) for i in range(40)]  # fmt: skip
    trips = [(i + 1, r.randrange(1, 37), r.randrange(1, 7), _day(r, dt.date(2024, 1, 1), dt.date(2025, 6, 17)).isoformat(), r.randrange(3, 95), round(r.uniform(0.4, 18), 1), round(r.uniform(0, 9), 2), r.choice(["classic", "electric"])) for i in range(260)]  # fmt: skip
    script = """
        CREATE TABLE stations (id INTEGER PRIMARY KEY, name TEXT, district TEXT, docks INTEGER);
        CREATE TABLE riders (id INTEGER PRIMARY KEY, name TEXT, plan TEXT, age INTEGER, signup_date DATE);
        CREATE TABLE trips (id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES riders(id), station_id INTEGER REFERENCES stations(id),
            trip_date DATE, duration_minutes INTEGER, distance_km REAL, fare REAL, bike_type TEXT);
    """
    return "bikes.sqlite", _sqlite(script, {"stations": stations, "riders": riders, "trips": trips})


def cinema() -> tuple[str, bytes]:
    """影院.sqlite: Chinese names of tables and columns."""
    r = random.Random(7)
    films = [(i + 1, n, g, d, m, round(r.uniform(5.5, 9.6), 1), y) for i, (n, g, d, m, y) in enumerate([("星河尽头", "科幻", "顾远", 132, "2024-10-01"), ("小镇来信", "剧情", "沈岚", 105, "2025-02-14"), ("疾风行动", "动作", "顾远", 118, "2025-01-28"), ("猫的假日", "动画", "林一", 92, "2025-06-01"), ("深海回声", "科幻", "何川", 140, "2024-12-20"), ("笑傲厨房", "喜剧", "沈岚", 99, "2025-05-01"), ("长夜灯火", "剧情", "何川", 124, "2024-08-09"), ("机甲少年", "动画", "林一", 96, "2025-07-10")])]  # fmt: skip
    halls = [
        (i + 1, n, s, t)
        for i, (n, s, t) in enumerate(
            [("一号厅", 260, "IMAX"), ("二号厅", 120, "普通"), ("三号厅", 86, "普通"), ("四号厅", 48, "VIP")]
        )
    ]
    shows = [(i + 1, r.randrange(1, 8), r.randrange(1, 5), _day(r, dt.date(2025, 3, 1), dt.date(2025, 6, 17)).isoformat(), r.choice([29.9, 39.9, 49.9, 69.9]), r.randrange(5, 120)) for i in range(180)]  # fmt: skip
    script = """
        CREATE TABLE 影片 (影片编号 INTEGER PRIMARY KEY, 片名 TEXT, 类型 TEXT, 导演 TEXT, 片长 INTEGER, 评分 REAL, 上映日期 DATE);
        CREATE TABLE 影厅 (影厅编号 INTEGER PRIMARY KEY, 影厅名称 TEXT, 座位数 INTEGER, 厅型 TEXT);
        CREATE TABLE 场次 (场次编号 INTEGER PRIMARY KEY, 影片编号 INTEGER REFERENCES 影片(影片编号), 影厅编号 INTEGER REFERENCES 影厅(影厅编号),
            放映日期 DATE, 票价 REAL, 售票数 INTEGER);
    """
    return "影院.sqlite", _sqlite(script, {"影片": films, "影厅": halls, "场次": shows})


def staff() -> tuple[str, bytes]:
    """考勤.sqlite: two tables joined by 工号 without a declared key, values with units in the header."""
    r = random.Random(8)
    names = ["赵磊", "钱敏", "孙浩", "李娜", "周涛", "吴静", "郑凯", "王雪", "冯刚", "陈晨", "褚亮", "卫红", "蒋波", "沈洁", "韩冰", "杨柳", "朱峰", "秦月", "许诺", "何欢"]  # fmt: skip
    people = [(f"G{100 + i}", n, r.choice(["研发部", "市场部", "财务部", "客服部"]), r.choice(["工程师", "主管", "专员"]), r.choice("男女"), r.randrange(22, 56), _day(r, dt.date(2015, 1, 1), dt.date(2025, 5, 1)).isoformat(), r.randrange(60, 320) * 100) for i, n in enumerate(names)]  # fmt: skip
    days = [(i + 1, f"G{100 + r.randrange(18)}", _day(r, dt.date(2025, 1, 1), dt.date(2025, 6, 17)).isoformat(), r.choice(["正常", "迟到", "早退", "请假"]), round(r.uniform(0, 4), 1), r.choice([0, 0, 0, r.randrange(1, 60)])) for i in range(240)]  # fmt: skip
    script = """
        CREATE TABLE 员工 (工号 TEXT, 姓名 TEXT, 部门 TEXT, 岗位 TEXT, 性别 TEXT, 年龄 INTEGER, 入职日期 TEXT, "月薪（元）" INTEGER);
        CREATE TABLE 考勤 (序号 INTEGER PRIMARY KEY, 工号 TEXT, 日期 TEXT, 出勤情况 TEXT, "加班时长（小时）" REAL, "迟到分钟数" INTEGER);
    """
    return "考勤.sqlite", _sqlite(script, {"员工": people, "考勤": days})


ALL: dict[str, Callable[[], tuple[str, bytes]]] = {
    f.__name__: f for f in (orchard, parcels, meters, museum, clinic, bikes, cinema, staff)
}


def build(name: str) -> Database:
    """One of the databases, as an upload."""
    return open_upload(*ALL[name]())
