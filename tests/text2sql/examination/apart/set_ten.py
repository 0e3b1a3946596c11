"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _d(r, a, b):
    return a + dt.timedelta(days=r.randrange((b - a).days + 1))


def _make(path, ddl, rows):
    con = sqlite3.connect(path)
    con.executescript(ddl)
    for table, lines in rows.items():
        con.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(lines[0]))})', lines)
    con.commit()
    con.close()


def _cn_names(r, n):
    sur = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
    giv = [
        "伟",
        "芳",
        "娜",
        "秀英",
        "敏",
        "静",
        "丽",
        "强",
        "磊",
        "洋",
        "艳",
        "勇",
        "军",
        "杰",
        "娟",
        "涛",
        "超",
        "明",
        "霞",
        "平",
        "刚",
        "桂兰",
        "子涵",
        "梓萱",
        "浩然",
        "欣怡",
        "宇轩",
        "诗涵",
        "思远",
        "佳琪",
        "一诺",
        "雨桐",
    ]
    out = []
    while len(out) < n:
        x = r.choice(sur) + r.choice(giv)
        if x not in out:
            out.append(x)
    return out


def _en_names(r, n, taken=()):
    first = [
        "Anna",
        "Ben",
        "Clara",
        "David",
        "Emma",
        "Frank",
        "Grace",
        "Henry",
        "Iris",
        "Jack",
        "Kate",
        "Liam",
        "Mia",
        "Noah",
        "Olivia",
        "Peter",
        "Quinn",
        "Rosa",
        "Sam",
        "Tina",
        "Umar",
        "Vera",
        "Will",
        "Yara",
        "Zoe",
    ]
    last = [
        "Adams",
        "Baker",
        "Clarke",
        "Dixon",
        "Evans",
        "Fisher",
        "Green",
        "Hughes",
        "Irwin",
        "Jones",
        "Kelly",
        "Lewis",
        "Moore",
        "Nolan",
        "Owens",
        "Price",
        "Reid",
        "Shaw",
        "Turner",
        "Walsh",
    ]
    out = []
    while len(out) < n:
        x = r.choice(first) + " " + r.choice(last)
        if x not in out and x not in taken:
            out.append(x)
    return out


def station(path):
    r = random.Random(101)
    names = _cn_names(r, 52)
    cour = []
    comp = ["顺丰", "中通", "圆通", "韵达", "京东"]
    for i in range(12):
        cour.append(
            (
                f"K{i + 1:02d}",
                names[i],
                comp[i % 5] if i < 10 else r.choice(comp),
                f"138{r.randrange(10**7, 10**8)}",
                _d(r, dt.date(2019, 3, 1), dt.date(2025, 7, 1)).isoformat(),
            )
        )
    rec = []
    for i in range(40):
        rec.append(
            (
                i + 1,
                names[12 + i],
                r.choice(["1号楼", "2号楼", "3号楼", "5号楼", "8号楼"]),
                r.choice(["是", "否", "否"]),
                None if r.random() < 0.15 else f"139{r.randrange(10**7, 10**8)}",
                _d(r, dt.date(2022, 1, 1), dt.date(2025, 8, 31)).isoformat(),
            )
        )
    par = []
    for i in range(150):
        a = _d(r, dt.date(2024, 6, 1), TODAY)
        if i % 3 == 0:
            a = _d(r, dt.date(2025, 7, 15), TODAY)
        p = a + dt.timedelta(days=r.choice([0, 0, 1, 1, 2, 3, 5, 8, 11]))
        got = p.isoformat() if p <= TODAY and r.random() < 0.88 else None
        size = r.choice(["小件", "小件", "中件", "大件"])
        w = round({"小件": r.uniform(0.1, 2), "中件": r.uniform(1, 6), "大件": r.uniform(4, 28)}[size], 1)
        par.append(
            (
                f"YD{20001 + i}",
                f"K{r.choice(range(1, 11)):02d}",
                r.choice(range(1, 36)),
                size,
                w,
                a.isoformat(),
                got,
                r.choice(["A区", "B区", "C区", "冷藏区"]),
                r.choice([0, 0, 0, 0.5, 1, 2, 3, 5]),
                r.choice(["是", "否", "否", "否"]),
            )
        )
    _make(
        path,
        """
CREATE TABLE 快递员(工号 TEXT PRIMARY KEY, 姓名 TEXT, 快递公司 TEXT, 手机号 TEXT, 入职日期 TEXT);
CREATE TABLE 收件人(收件人编号 INTEGER PRIMARY KEY, 姓名 TEXT, 楼栋 TEXT, 会员 TEXT, 手机号 TEXT, 注册日期 TEXT);
CREATE TABLE 包裹(运单号 TEXT PRIMARY KEY, 快递员工号 TEXT REFERENCES 快递员(工号),
 收件人编号 INTEGER REFERENCES 收件人(收件人编号), 尺寸 TEXT, "重量(kg)" REAL, 到站日期 TEXT, 取件日期 TEXT,
 存放区 TEXT, "保管费(元)" REAL, 易碎 TEXT);
""",
        {"快递员": cour, "收件人": rec, "包裹": par},
    )


def kindergarten(path):
    r = random.Random(202)
    names = _cn_names(r, 98)
    cl = []
    for i, (n, g, c) in enumerate(
        [
            ("向日葵班", "小班", 18),
            ("小星星班", "小班", 18),
            ("彩虹班", "中班", 22),
            ("蒲公英班", "中班", 20),
            ("海豚班", "大班", 25),
            ("雄鹰班", "大班", 28),
            ("小蜜蜂班", "托班", 12),
        ]
    ):
        cl.append((i + 1, n, g, names[90 + i], f"{1 + i // 3}0{1 + i % 3}", c))
    kids = []
    for i in range(90):
        c = r.choice([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7])
        g = cl[c - 1][2]
        y = {"托班": 2022, "小班": 2021, "中班": 2020, "大班": 2019}[g]
        b = _d(r, dt.date(y, 9, 1), dt.date(y + 1, 8, 31))
        h = round({"托班": 92, "小班": 99, "中班": 107, "大班": 114}[g] + r.gauss(0, 4), 1)
        kids.append(
            (
                f"Y{1001 + i}",
                names[i],
                r.choice("男女"),
                b.isoformat(),
                c,
                _d(r, dt.date(y + 3, 9, 1), dt.date(2025, 9, 8)).isoformat()
                if y < 2022
                else _d(r, dt.date(2025, 2, 15), dt.date(2025, 9, 8)).isoformat(),
                h,
                round(h * h * 0.00155 + r.gauss(0, 1), 1),
                r.choice([None, None, None, None, "牛奶", "花生", "鸡蛋", "海鲜"]),
                r.choice(["是", "否"]),
            )
        )
    ab = []
    for i in range(110):
        ab.append(
            (
                i + 1,
                r.choice(kids[:72])[0],
                _d(r, dt.date(2024, 9, 2), TODAY).isoformat()
                if i % 4
                else _d(r, dt.date(2025, 7, 1), TODAY).isoformat(),
                r.choice(["感冒", "感冒", "发烧", "旅行", "家中有事", "手足口病"]),
                r.choice([1, 1, 1, 2, 2, 3, 5, 7]),
                r.choice([1, 1, 0]),
            )
        )
    meals = []
    for i in range(140):
        m = r.choice(["早餐", "午餐", "午餐", "下午点心"])
        meals.append(
            (
                i + 1,
                r.choice(kids[:80])[0],
                _d(r, dt.date(2025, 6, 1), TODAY).isoformat(),
                m,
                {"早餐": 6, "午餐": 15, "下午点心": 4.5}[m] + r.choice([0, 0, 1, 2]),
                r.choice(["全部", "大半", "少量", None]),
            )
        )
    _make(
        path,
        """
CREATE TABLE 班级(班级编号 INTEGER PRIMARY KEY, 班级名称 TEXT, 年级 TEXT, 班主任 TEXT, 教室 TEXT, 额定人数 INTEGER);
CREATE TABLE 幼儿(学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 班级编号 INTEGER REFERENCES 班级(班级编号),
 入园日期 TEXT, 身高cm REAL, 体重kg REAL, 过敏原 TEXT, 乘坐校车 TEXT);
CREATE TABLE 缺勤(记录号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 幼儿(学号), 缺勤日期 TEXT, 原因 TEXT, 天数 INTEGER, 已请假 INTEGER);
CREATE TABLE 用餐(用餐编号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 幼儿(学号), 用餐日期 TEXT, 餐次 TEXT, "餐费(元)" REAL, 进食量 TEXT);
""",
        {"班级": cl, "幼儿": kids, "缺勤": ab, "用餐": meals},
    )


def aircon(path):
    r = random.Random(303)
    names = _cn_names(r, 7)
    rows = []
    for i in range(85):
        b = r.choice(["格力", "格力", "美的", "海尔", "大金", "奥克斯"])
        kw = r.choice([2.6, 3.5, 3.5, 5.0, 7.2, 12.0])
        buy = _d(r, dt.date(2016, 4, 1), dt.date(2025, 8, 30))
        m = _d(r, max(buy, dt.date(2024, 5, 1)), TODAY)
        price = int(kw * r.uniform(700, 1100) * (1.7 if b == "大金" else 1) / 10) * 10 + 9
        rows.append(
            (
                f"KT-{i + 1:03d}",
                b,
                r.choice(["会议室", "办公区", "办公区", "机房", "前台", "茶水间"]),
                r.randrange(1, 9),
                kw,
                buy.strftime("%Y/%m/%d"),
                price,
                r.choice(["一级", "二级", "三级"]),
                r.choice(["是", "是", "否"]),
                None if r.random() < 0.14 else m.strftime("%Y/%m/%d"),
                None if r.random() < 0.1 else r.choice(names),
                r.choice([None, None, None, "漏水", "噪音大", "遥控器丢失", "制冷差,噪音大", "待移机"]),
            )
        )
    _make(
        path,
        """
CREATE TABLE 办公室空调台账(设备编号 TEXT PRIMARY KEY, 品牌 TEXT, 位置 TEXT, 楼层 INTEGER, "制冷量(kW)" REAL, 购置日 TEXT,
 "价格(元)" INTEGER, 能效 TEXT, "变频?" TEXT, 上次清洗 TEXT, 负责人 TEXT, "备注/故障" TEXT);
""",
        {"办公室空调台账": rows},
    )


def bikeshop(path):
    r = random.Random(404)
    names = _en_names(r, 45)
    cust = [
        (
            i + 1,
            names[i],
            r.choice(["Ashford", "Milton", "Kingsley", "Hartwell"]),
            None
            if r.random() < 0.2
            else names[i].lower().replace(" ", ".") + r.choice(["@gmail.com", "@mail.org", "@web.net"]),
            _d(r, dt.date(2021, 1, 5), dt.date(2025, 9, 10)).isoformat(),
            r.choice(["yes", "no"]),
        )
        for i in range(45)
    ]
    bikes = [
        (
            i + 1,
            r.choice(range(1, 39)),
            r.choice(["Trek", "Giant", "Cube", "Specialized", "Canyon"]),
            r.choice(["road", "mountain", "city", "city", "e-bike", "kids"]),
            r.choice(["black", "red", "blue", "green", "white"]),
            r.randrange(2008, 2026),
            r.choice([None, 48, 50, 52, 54, 56, 58]),
        )
        for i in range(60)
    ]
    mech = ["Tom Harris", "Lucy Bell", "Marek Nowak", "Priya Shah"]
    jobs = []
    for i in range(120):
        a = _d(r, dt.date(2024, 3, 1), TODAY) if i % 3 else _d(r, dt.date(2025, 7, 1), TODAY)
        kind = r.choice(["brake service", "puncture", "full service", "wheel truing", "gear tuning"])
        f = a + dt.timedelta(days=r.choice([0, 1, 1, 2, 3, 4, 7, 12]))
        done = f <= TODAY and r.random() < 0.92
        st = (
            r.choice(["done", "done", "collected", "collected", "collected"])
            if done
            else r.choice(["waiting", "in progress"])
        )
        jobs.append(
            (
                5001 + i,
                r.choice(range(1, 55)),
                kind,
                r.choice(mech),
                a.isoformat(),
                f.isoformat() if done else None,
                st,
                {"brake service": 1.0, "puncture": 0.5, "full service": 3.0, "wheel truing": 1.0, "gear tuning": 0.75}[
                    kind
                ]
                + r.choice([0, 0.25, 0.5]),
                {"brake service": 45, "puncture": 15, "full service": 110, "wheel truing": 35, "gear tuning": 30}[kind]
                + r.randrange(0, 25),
            )
        )
    cat = {
        "inner tube": 6.5,
        "brake pads": 14.0,
        "chain": 24.9,
        "tyre": 32.0,
        "cassette": 48.0,
        "cable": 4.2,
        "spoke": 1.5,
    }
    parts = []
    for i in range(130):
        n = r.choice(list(cat))
        parts.append(
            (
                i + 1,
                r.choice(jobs[:100])[0],
                n,
                r.choice([1, 1, 1, 2, 2, 4]) if n != "spoke" else r.randrange(1, 9),
                cat[n],
                r.choice(["Shimano", "Schwalbe", "SRAM", "Continental"]),
            )
        )
    _make(
        path,
        """
CREATE TABLE customers(customer_id INTEGER PRIMARY KEY, name TEXT, town TEXT, email TEXT, customer_since TEXT, newsletter TEXT);
CREATE TABLE bikes(bike_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), brand TEXT, bike_type TEXT,
 color TEXT, model_year INTEGER, frame_size_cm INTEGER);
CREATE TABLE jobs(job_id INTEGER PRIMARY KEY, bike_id INTEGER REFERENCES bikes(bike_id), job_type TEXT, mechanic TEXT, date_in TEXT,
 date_finished TEXT, status TEXT, labour_hours REAL, labour_price_eur REAL);
CREATE TABLE parts_used(line_id INTEGER PRIMARY KEY, job_id INTEGER REFERENCES jobs(job_id), part_name TEXT, quantity INTEGER,
 unit_price_eur REAL, supplier TEXT);
""",
        {"customers": cust, "bikes": bikes, "jobs": jobs, "parts_used": parts},
    )


def runclub(path):
    r = random.Random(505)
    names = _en_names(r, 50)
    run = []
    for i in range(50):
        run.append(
            (
                i + 1,
                names[i],
                r.choice("FM"),
                r.randrange(1955, 2007),
                r.choice(["Northbridge", "Eastham", "Lakeside", "Old Mill"]),
                _d(r, dt.date(2017, 1, 1), dt.date(2025, 9, 1)).isoformat(),
                r.choice([1, 1, 1, 0]),
                r.choice([None, "Carol Finch", "Dan Okafor", "Stella Brandt"]),
            )
        )
    base = [
        "Harbour 10K",
        "Spring Half",
        "Moor Trail Run",
        "City Marathon",
        "Parkside 5K",
        "Castle Hill Race",
        "Winter Mile Series",
        "Riverside 10K",
        "Forest Half",
        "Canal Relay Leg",
        "Summit Trail",
        "Sunset 5K",
        "Old Town Marathon",
        "Valley 10 Miler",
        "New Year Dash",
        "Lighthouse 10K",
        "Meadow Half",
        "Bonfire 5K",
        "Quarry Trail",
        "Easter 10K",
        "Ridgeway Ultra",
        "Dockland 5K",
    ]
    km = [10, 21.1, 14.5, 42.2, 5, 8.4, 1.6, 10, 21.1, 6.2, 18, 5, 42.2, 16.1, 5, 10, 21.1, 5, 12, 10, 54, 5]
    sur = {
        "Moor Trail Run": "trail",
        "Summit Trail": "trail",
        "Quarry Trail": "trail",
        "Ridgeway Ultra": "trail",
        "Forest Half": "mixed",
        "Winter Mile Series": "track",
        "Canal Relay Leg": "mixed",
    }
    races = []
    for i, n in enumerate(base):
        races.append(
            (
                i + 1,
                n,
                _d(r, dt.date(2024, 1, 1), dt.date(2025, 9, 14)).isoformat()
                if i not in (17, 12)
                else ["2025-11-08", "2025-10-05"][i == 12],
                km[i],
                sur.get(n, "road"),
                r.choice([0, 20, 60, 140, 310, 480, 650]) if km[i] > 4 else 0,
                r.choice([None, 8, 12, 15, 25, 35, 60]),
            )
        )
    res, seen, n = [], set(), 0
    pool = [x for x in range(22) if x not in (17, 12, 20)]
    while len(res) < 150:
        a, b = r.choice(run[:44]), races[r.choice(pool)]
        if (a[0], b[0]) in seen:
            continue
        seen.add((a[0], b[0]))
        pace = r.uniform(4.0, 6.8) + (b[5] / 600)
        dnf = r.random() < 0.09
        res.append(
            [
                len(res) + 1,
                a[0],
                b[0],
                None if dnf else round(b[3] * pace, 1),
                None if dnf else r.randrange(1, 180),
                "no" if dnf or r.random() < 0.8 else "yes",
            ]
        )
    _make(
        path,
        """
CREATE TABLE runners(runner_id INTEGER PRIMARY KEY, full_name TEXT, gender TEXT, birth_year INTEGER, neighbourhood TEXT, joined_on TEXT,
 fee_paid INTEGER, coach TEXT);
CREATE TABLE races(race_id INTEGER PRIMARY KEY, race_name TEXT, race_date TEXT, distance_km REAL, surface TEXT, climb_m INTEGER, entry_fee_gbp REAL);
CREATE TABLE results(result_id INTEGER PRIMARY KEY, runner_id INTEGER REFERENCES runners(runner_id), race_id INTEGER REFERENCES races(race_id),
 time_min REAL, overall_place INTEGER, personal_best TEXT);
""",
        {"runners": run, "races": races, "results": res},
    )


def garden(path):
    r = random.Random(606)
    names = _en_names(r, 36)
    g = [
        (
            i + 1,
            names[i],
            r.randrange(22, 82),
            _d(r, dt.date(2014, 3, 1), dt.date(2025, 8, 1)).isoformat(),
            r.choice(["Y", "N"]),
            None if r.random() < 0.25 else f"0{r.randrange(700000, 799999)}",
            round(r.choice([0, 0, 0, 0, 12.5, 25, 40, 60]), 1),
        )
        for i in range(36)
    ]
    plots = [
        (
            f"{'ABCD'[i // 14]}{i % 14 + 1}",
            r.choice(["north", "south", "east", "west"]),
            r.choice([20, 25, 30, 40, 50, 60, 75, 100]),
            r.choice(["clay", "loam", "sand", "peat"]),
            r.choice(["full sun", "half shade", "shade"]),
            r.choice(["Y", "N", "Y"]),
            r.choice([30, 45, 60, 80, 95, 120]),
            None if r.random() < 0.16 else r.choice(range(1, 33)),
        )
        for i in range(54)
    ]
    owned = [p[0] for p in plots if p[7]]
    h = []
    for i in range(145):
        c = r.choice(["tomatoes", "potatoes", "carrots", "zucchini", "beans", "strawberries"])
        w = {"tomatoes": 4, "potatoes": 9, "carrots": 3, "zucchini": 5, "beans": 2, "strawberries": 1.5}[c] * r.uniform(
            0.3, 2
        )
        y = r.choice([2024, 2025, 2025])
        h.append(
            (
                i + 1,
                r.choice(owned[:38]),
                c,
                _d(r, dt.date(y, 5, 10), dt.date(y, 10, 20) if y == 2024 else TODAY).isoformat(),
                round(w, 1),
                r.choice([None, 1, 2, 3, 3, 4, 4, 5]),
                r.choice(["kept", "shared", "donated"]),
            )
        )
    _make(
        path,
        """
CREATE TABLE gardeners(gardener_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, member_since TEXT, committee_member TEXT, phone TEXT, balance_due REAL);
CREATE TABLE plots(plot_no TEXT PRIMARY KEY, section TEXT, area_m2 INTEGER, soil TEXT, light TEXT, water_tap TEXT, annual_rent REAL,
 gardener_id INTEGER REFERENCES gardeners(gardener_id));
CREATE TABLE harvests(harvest_id INTEGER PRIMARY KEY, plot_no TEXT REFERENCES plots(plot_no), crop TEXT, picked_on TEXT, weight_kg REAL,
 quality INTEGER, used_for TEXT);
""",
        {"gardeners": g, "plots": plots, "harvests": h},
    )


def build() -> dict[str, Path]:
    d = Path(tempfile.mkdtemp())
    out = {}
    for f in (station, kindergarten, aircon, bikeshop, runclub, garden):
        out[f.__name__] = d / f"{f.__name__}.sqlite"
        f(out[f.__name__])
    return out
