"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def day(r, a, b):
    """A random date from a to b, both ISO text."""
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def fill(con, table, rows):
    con.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(rows[0]))})', rows)


# ---------------------------------------------------------------- restaurant


def restaurant(con):
    r = random.Random(701)
    con.executescript("""
    CREATE TABLE waiters (
      waiter_id INTEGER PRIMARY KEY, name TEXT NOT NULL, hired_on TEXT,
      hourly_wage_eur REAL, contract TEXT, speaks_french TEXT);
    CREATE TABLE dining_tables (
      table_no INTEGER PRIMARY KEY, area TEXT, seats INTEGER,
      by_window TEXT, minimum_spend_eur INTEGER);
    CREATE TABLE reservations (
      reservation_id TEXT PRIMARY KEY, guest_name TEXT, phone TEXT,
      reserved_for TEXT, start_time TEXT, party_size INTEGER,
      table_no INTEGER REFERENCES dining_tables(table_no),
      waiter_id INTEGER REFERENCES waiters(waiter_id),
      status TEXT, occasion TEXT, bill_eur REAL, tip_eur REAL);
    """)
    names = [
        "Marta Keller",
        "Luca Ferri",
        "Sophie Brandt",
        "Jonas Weil",
        "Amira Haddad",
        "Pavel Novak",
        "Chloe Martin",
        "Tom Ashby",
        "Ines Duarte",
        "Erik Lund",
        "Nadia Rossi",
        "Oscar Pell",
    ]
    waiters = []
    for i, n in enumerate(names, 1):
        waiters.append(
            (
                i,
                n,
                day(r, "2018-02-01", "2025-07-15").isoformat(),
                r.choice([13.5, 14, 14.5, 15, 15.5, 16, 17.2, 18]),
                r.choice(["full-time", "full-time", "part-time", "seasonal"]),
                r.choice(["yes", "no", "no"]),
            )
        )
    fill(con, "waiters", waiters)
    tables = []
    areas = ["Terrace"] * 6 + ["Main Hall"] * 10 + ["Bar"] * 4 + ["Private Room"] * 3
    for no, area in enumerate(areas, 1):
        seats = {"Terrace": [2, 4, 4, 6], "Main Hall": [2, 4, 4, 6, 8], "Bar": [2, 2, 3], "Private Room": [8, 10, 12]}[
            area
        ]
        tables.append(
            (
                no,
                area,
                r.choice(seats),
                "no" if area == "Bar" else r.choice(["yes", "no", "no"]),
                r.choice([250, 300, 400]) if area == "Private Room" else r.choice([None, None, None, 50, 80]),
            )
        )
    fill(con, "dining_tables", tables)
    first = [
        "Anna",
        "Bruno",
        "Carla",
        "David",
        "Elena",
        "Felix",
        "Greta",
        "Hugo",
        "Irene",
        "Jack",
        "Kira",
        "Liam",
        "Mona",
        "Nils",
        "Olga",
    ]
    last = ["Adams", "Becker", "Costa", "Dubois", "Evans", "Fischer", "Garcia", "Hansen", "Ivers"]
    guests = []
    while len(guests) < 70:
        g = r.choice(first) + " " + r.choice(last)
        if g not in [x[0] for x in guests]:
            guests.append((g, f"+49 151 {r.randint(1000000, 9999999)}"))
    rows = []
    # waiters 11 (Nadia) never gets one, tables 9 and 19 are never booked
    usable = [t for t in tables if t[0] not in (9, 19)]
    for i in range(1, 141):
        t = r.choice(usable)
        g = r.choice(guests[:25]) if r.random() < 0.45 else r.choice(guests)
        d = day(r, "2025-03-01", "2025-10-12") if i <= 118 else day(r, "2025-09-15", "2025-10-12")
        size = r.randint(max(1, t[2] - 2), t[2]) if r.random() > 0.06 else t[2] + 1
        if d >= TODAY:
            status = r.choice(["confirmed", "confirmed", "confirmed", "pending", "cancelled"])
        else:
            status = r.choice(["completed"] * 7 + ["cancelled", "cancelled", "no-show"])
        w = r.choice([1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 12])
        if status == "pending" or (d >= TODAY and r.random() < 0.4):
            w = None
        bill = tip = None
        if status == "completed":
            bill = round(size * r.uniform(22, 68), 1)
            tip = round(bill * r.uniform(0.02, 0.15), 1) if r.random() < 0.85 else None
        rows.append(
            (
                f"R{1000 + i}",
                *g,
                d.isoformat(),
                r.choice(["12:00", "12:30", "13:00", "18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "21:00"]),
                size,
                t[0],
                w,
                status,
                r.choice([None, None, None, None, "birthday", "anniversary", "business dinner", "engagement"]),
                bill,
                tip,
            )
        )
    fill(con, "reservations", rows)


# ---------------------------------------------------------------- city trees


def city_trees(con):
    r = random.Random(702)
    con.executescript("""
    CREATE TABLE parks (
      park_id TEXT PRIMARY KEY, park_name TEXT, district TEXT, area_ha REAL,
      opened_year INTEGER, playground INTEGER);
    CREATE TABLE crews (
      crew_id INTEGER PRIMARY KEY, crew_name TEXT, foreman TEXT, members INTEGER);
    CREATE TABLE trees (
      tree_id TEXT PRIMARY KEY, park_id TEXT REFERENCES parks(park_id), species TEXT,
      planted_on TEXT, height_m REAL, trunk_diameter_cm INTEGER, condition TEXT,
      is_protected INTEGER, last_inspected TEXT);
    CREATE TABLE work_orders (
      order_id INTEGER PRIMARY KEY, tree_id TEXT REFERENCES trees(tree_id),
      crew_id INTEGER REFERENCES crews(crew_id), task TEXT, priority TEXT,
      opened_on TEXT, completed_on TEXT, labor_hours REAL, cost_usd INTEGER);
    """)
    pn = [
        "Riverside Park",
        "Maple Commons",
        "Lincoln Square",
        "Harbor Green",
        "Oakmont Gardens",
        "Sunset Meadow",
        "Mill Pond Park",
        "Fairview Park",
        "Old Quarry",
        "Station Green",
        "Veterans Park",
        "Willow Creek Park",
    ]
    parks = []
    dist = ["North", "East", "South", "West", "East", "South", "North", "West", "North", "South", "East", "North"]
    for i, n in enumerate(pn, 1):
        parks.append(
            (
                f"P{i:02d}",
                n,
                dist[i - 1],
                round(r.uniform(0.8, 42), 1),
                r.randint(1898, 2021),
                int(i in (1, 2, 4, 6, 7, 11)),
            )
        )
    fill(con, "parks", parks)
    crews = [
        (1, "Crew Alpha", "Dan Whitlock", 5),
        (2, "Crew Bravo", "Rosa Jimenez", 4),
        (3, "Crew Cedar", "Wes Tanaka", 6),
        (4, "Crew Delta", "Lori Banks", 3),
        (5, "Crew Echo", "Hank Moreau", 4),
        (6, "Crew Fox", "Priya Nair", 7),
    ]
    fill(con, "crews", crews)
    trees = []
    for i in range(1, 131):
        p = r.choice(parks[:10] + parks[:5])  # P11, P12 have no trees
        pl = day(r, "1962-03-01", "2025-05-20") if r.random() < 0.75 else day(r, "2015-03-01", "2025-05-20")
        age = (TODAY - pl).days / 365
        h = round(min(r.uniform(22, 33), 1.6 + age * r.uniform(0.2, 0.6)), 1)
        trees.append(
            (
                f"T{i:03d}",
                p[0],
                r.choice(["Red Oak", "Silver Maple", "London Plane", "American Elm", "Ginkgo", "River Birch"]),
                pl.isoformat() if r.random() > 0.07 else None,
                h,
                int(4 + age * r.uniform(0.6, 1.5)) if r.random() > 0.06 else None,
                r.choice(["good"] * 5 + ["fair"] * 3 + ["poor"] * 2 + ["dead"]),
                int(age > 25 and r.random() < 0.4),
                day(r, "2023-04-01", "2025-09-12").isoformat() if r.random() > 0.12 else None,
            )
        )
    fill(con, "trees", trees)
    rows = []
    for i in range(1, 111):
        t = r.choice(trees[:90])
        o = day(r, "2024-02-01", "2025-09-15")
        done = o + dt.timedelta(days=r.randint(1, 60))
        open_ = done > TODAY or r.random() < 0.1
        task = r.choice(["pruning", "pruning", "watering", "removal", "pest treatment", "stump grinding"])
        base = {"pruning": 240, "watering": 60, "removal": 1400, "pest treatment": 320, "stump grinding": 450}[task]
        hrs = round(r.uniform(1, 12) * 2) / 2
        rows.append(
            (
                i,
                t[0],
                r.choice([1, 1, 2, 3, 3, 4, 5]),
                task,  # Crew Fox idle
                r.choice(["low", "medium", "medium", "high", "urgent"]),
                o.isoformat(),
                None if open_ else done.isoformat(),
                None if open_ else hrs,
                None if open_ else int(base * r.uniform(0.6, 1.9) // 5 * 5),
            )
        )
    fill(con, "work_orders", rows)


# ---------------------------------------------------------------- expenses (flat)


def expenses(con):
    r = random.Random(703)
    con.executescript("""
    CREATE TABLE bank_export (
      "Ref No." INTEGER PRIMARY KEY, "Booking Dt" TEXT, "Payee" TEXT, "Category" TEXT,
      "Amt (EUR)" REAL, "Fee (EUR)" REAL, "Card Holder" TEXT, "Pmt Method" TEXT, "City" TEXT,
      "Recurring (Y/N)" TEXT, "Notes" TEXT);
    """)
    shops = {
        "Groceries": (["Lidl", "Aldi", "Carrefour", "Farmers Market"], 6, 130),
        "Transport": (["Shell", "DB Bahn", "Uber", "Metro Pass"], 3, 90),
        "Dining": (["Pizzeria Roma", "Sushi Bar", "Cafe Central", "McDonalds"], 5, 95),
        "Utilities": (["Vattenfall", "Vodafone", "City Water"], 25, 160),
        "Health": (["Apotheke Nord", "Dr. Stein", "FitGym"], 8, 180),
        "Leisure": (["Netflix", "Cinemaxx", "IKEA", "Amazon"], 9, 420),
    }
    rows = []
    for _i in range(1, 151):
        cat = r.choice(
            ["Groceries"] * 4 + ["Transport"] * 3 + ["Dining"] * 3 + ["Utilities", "Health", "Leisure", "Leisure"]
        )
        payees, lo, hi = shops[cat]
        p = r.choice(payees)
        d = day(r, "2024-07-01", "2025-09-16")
        amt = round(lo + (hi - lo) * r.random() ** 2, 2)
        city = (
            None
            if p in ("Netflix", "Amazon", "Vodafone")
            else r.choice(["Berlin"] * 4 + ["Hamburg", "Leipzig", "Paris", "Potsdam"])
        )
        rec = "Y" if p in ("Netflix", "Vattenfall", "Vodafone", "City Water", "FitGym", "Metro Pass") else "N"
        method = r.choice(["Debit Card"] * 3 + ["Credit Card"] * 3 + ["Direct Debit", "PayPal"])
        if rec == "Y":
            method = r.choice(["Direct Debit"] * 3 + ["Credit Card"])
        fee = round(r.uniform(0.5, 4), 2) if city == "Paris" or r.random() < 0.06 else 0
        note = r.choice(
            [None] * 8
            + [
                "birthday gift for Mia",
                "weekend trip",
                "reimbursed by employer",
                "split with Ben",
                "gift voucher",
                "for the office party",
            ]
        )
        rows.append(
            [
                d,
                p,
                cat,
                amt,
                fee,
                r.choice(["Laura Winter", "Laura Winter", "Max Winter", "Mia Winter", "Ben Sommer"]),
                method,
                city,
                rec,
                note,
            ]
        )
    rows.sort(key=lambda x: x[0])
    fill(con, "bank_export", [(5000 + k, x[0].strftime("%d.%m.%Y"), *x[1:]) for k, x in enumerate(rows, 1)])


# ---------------------------------------------------------------- 驾校

XING = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕"
NAN = ["伟", "强", "磊", "军", "勇", "杰", "涛", "明", "志强", "建国", "浩然", "子轩", "俊杰", "宇航", "文博", "天宇"]
NV = [
    "芳",
    "娜",
    "敏",
    "静",
    "丽",
    "艳",
    "秀英",
    "雨欣",
    "梓涵",
    "思雨",
    "佳怡",
    "晓燕",
    "欣怡",
    "美玲",
    "诗涵",
    "雅婷",
]


def people(r, n):
    """n different names with their sex."""
    seen, out = set(), []
    while len(out) < n:
        s = r.choice("男女")
        m = r.choice(XING) + r.choice(NAN if s == "男" else NV)
        if m not in seen:
            seen.add(m)
            out.append((m, s))
    return out


def driving(con):
    r = random.Random(704)
    con.executescript("""
    CREATE TABLE 教练 (
      教练编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 教龄 INTEGER, 入职日期 TEXT,
      所属校区 TEXT, 月薪 INTEGER, 车牌号 TEXT);
    CREATE TABLE 学员 (
      学员编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 年龄 INTEGER, 报名日期 TEXT,
      车型 TEXT, 学费 INTEGER, 练车学时 INTEGER, 教练编号 TEXT REFERENCES 教练(教练编号),
      是否结业 TEXT);
    CREATE TABLE 考试 (
      考试编号 INTEGER PRIMARY KEY, 学员编号 TEXT REFERENCES 学员(学员编号), 科目 TEXT,
      考试日期 TEXT, 考场 TEXT, 成绩 INTEGER, 是否合格 TEXT);
    """)
    ppl = people(r, 114)
    coaches = []
    for i in range(1, 15):
        n, s = ppl[i - 1]
        d = day(r, "2012-01-01", "2025-06-30")
        coaches.append(
            (
                f"J{i:02d}",
                n,
                s,
                2025 - d.year + r.randint(0, 9),
                d.isoformat(),
                r.choice(["城东校区", "城西校区", "高新校区"]),
                r.randrange(5500, 12001, 100),
                f"苏A{r.randint(1000, 9999)}学",
            )
        )
    fill(con, "教练", coaches)
    stu = []
    for i in range(1, 61):
        n, s = ppl[13 + i]
        d = day(r, "2024-03-01", "2025-09-14")
        car = r.choice(["C1", "C1", "C1", "C2", "C2", "B2", "D"])
        fee = {"C1": 3600, "C2": 4200, "B2": 8800, "D": 1200}[car] + r.randrange(-3, 6) * 100
        stu.append(
            (
                f"X{i:03d}",
                n,
                s,
                r.randint(18, 52),
                d.isoformat(),
                car,
                fee,
                r.randint(0, 64) if r.random() > 0.06 else None,
                r.choice(coaches[:12])[0] if r.random() > 0.1 else None,
            )
        )
    exams, passed_all = [], {}
    for st in stu:
        d = dt.date.fromisoformat(st[4])
        if r.random() < 0.15:
            continue
        for k in ("科目一", "科目二", "科目三", "科目四"):
            ok = False
            for _ in range(2):
                d += dt.timedelta(days=r.randint(14, 55))
                if d > TODAY:
                    break
                if r.random() < 0.05:
                    sc, okt = None, "否"
                else:
                    line = {"科目一": 90, "科目二": 80, "科目三": 90, "科目四": 90}[k]
                    sc = r.choice([100, 98, 96, 95, 94, 92, 90, 90, 92, 88, 86, 84, 80, 76, 70, 60])
                    okt = "是" if sc >= line else "否"
                exams.append((st[0], k, d.isoformat(), r.choice(["江北考场", "江南考场", "机场路考场"]), sc, okt))
                if okt == "是":
                    ok = True
                    break
            if not ok or r.random() < 0.18:
                break
        else:
            passed_all[st[0]] = True
    fill(con, "学员", [st + ("是" if st[0] in passed_all else "否",) for st in stu])
    r.shuffle(exams)
    exams = sorted(exams, key=lambda e: e[2])
    fill(con, "考试", [(k, *e) for k, e in enumerate(exams, 1)])


# ---------------------------------------------------------------- 幼儿园


def kindergarten(con):
    r = random.Random(705)
    con.executescript("""
    CREATE TABLE 班级 (
      班级编号 INTEGER PRIMARY KEY, 班级名称 TEXT, 年级 TEXT, 班主任 TEXT, 教室楼层 INTEGER,
      额定人数 INTEGER);
    CREATE TABLE 孩子 (
      学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT,
      班级编号 INTEGER REFERENCES 班级(班级编号), 入园日期 TEXT, "身高(cm)" REAL, "体重(kg)" REAL,
      过敏食物 TEXT, 乘坐校车 TEXT, 家长姓名 TEXT);
    CREATE TABLE 考勤 (
      记录号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 孩子(学号), 日期 TEXT, 状态 TEXT,
      晨检体温 REAL);
    CREATE TABLE 缴费 (
      单号 TEXT PRIMARY KEY, 学号 TEXT REFERENCES 孩子(学号), 项目 TEXT, 金额 REAL,
      应缴日期 TEXT, 实缴日期 TEXT, 支付方式 TEXT);
    """)
    ppl = people(r, 150)
    cls = [
        (1, "向日葵班", "小班"),
        (2, "小白兔班", "小班"),
        (3, "彩虹班", "中班"),
        (4, "星星班", "中班"),
        (5, "月亮班", "大班"),
        (6, "海豚班", "大班"),
        (7, "太阳花班", "托班"),
    ]
    teachers = [n for n, s in ppl if s == "女"][:7]
    fill(
        con, "班级", [(*c, teachers[k], r.choice([1, 1, 2, 3]), r.choice([15, 18, 20, 25])) for k, c in enumerate(cls)]
    )
    rest = [p for p in ppl if p[0] not in teachers]
    kids = []
    lo = {
        "小班": ("2021-09-01", "2022-08-31"),
        "中班": ("2020-09-01", "2021-08-31"),
        "大班": ("2019-09-01", "2020-08-31"),
    }
    for i in range(1, 81):
        n, s = rest[i - 1]
        c = r.choice(cls[:6] + cls[:1])
        b = day(r, *lo[c[2]])
        inn = (
            r.choice(["2025-09-01", "2025-02-17"])
            if c[2] == "小班"
            else r.choice(["2024-09-02", "2024-09-02", "2025-02-17", "2025-09-01"])
            if c[2] == "中班"
            else r.choice(["2023-09-01", "2023-09-01", "2024-09-02", "2025-03-10"])
        )
        age = (TODAY - b).days / 365
        kids.append(
            (
                f"Y{i:03d}",
                n,
                s,
                b.isoformat(),
                c[0],
                inn,
                round(78 + age * 6.4 + r.uniform(-5, 5), 1),
                round(7 + age * 2.2 + r.uniform(-1.8, 3), 1) if r.random() > 0.06 else None,
                r.choice([None] * 8 + ["花生", "牛奶", "鸡蛋", "海鲜"]),
                r.choice(["是", "否", "否"]),
                n[0] + r.choice(NAN + NV),
            )
        )
    fill(con, "孩子", kids)
    att, k = [], 0
    days = [dt.date(2025, 9, 1) + dt.timedelta(days=x) for x in range(17)]
    days = [d for d in days if d.weekday() < 5]
    days += [dt.date(2025, 6, x) for x in (23, 24, 25, 26, 27)]
    for d in sorted(days):
        for kid in r.sample(kids[:74], 9):
            if kid[5] > d.isoformat():
                continue
            k += 1
            st = r.choice(["出勤"] * 8 + ["迟到", "病假", "病假", "事假", "缺勤"])
            t = round(r.gauss(36.6, 0.25), 1) if st in ("出勤", "迟到") else None
            if t and r.random() < 0.05:
                t = round(r.uniform(37.3, 38.2), 1)
            att.append((k, kid[0], d.isoformat(), st, t))
    fill(con, "考勤", att)
    pay, k = [], 0
    for m in ("2024-10-10", "2025-03-10", "2025-04-10", "2025-05-10", "2025-06-10", "2025-09-10"):
        for kid in r.sample(kids[:70], 24):
            if kid[5] > m:
                continue
            k += 1
            item = r.choice(["保教费", "保教费", "伙食费", "兴趣班费"] + (["校车费"] * 3 if kid[9] == "是" else []))
            amt = {
                "保教费": r.choice([1800, 2000, 2200]),
                "伙食费": r.choice([420, 450, 480]),
                "校车费": 300,
                "兴趣班费": r.choice([360, 600, 800]),
            }[item]
            paid = dt.date.fromisoformat(m) + dt.timedelta(days=r.randint(-8, 12))
            if paid > TODAY or r.random() < 0.12:
                paid = None
            pay.append(
                (
                    f"F{k:04d}",
                    kid[0],
                    item,
                    amt,
                    m,
                    paid and paid.isoformat(),
                    paid and r.choice(["微信", "微信", "支付宝", "银行转账", "现金"]),
                )
            )
    fill(con, "缴费", pay)


# ---------------------------------------------------------------- 应聘者 (flat)


def applicants(con):
    r = random.Random(706)
    con.executescript("""
    CREATE TABLE 应聘者 (
      序号 INTEGER PRIMARY KEY, 姓名 TEXT, 性别 TEXT, "年龄(岁)" INTEGER, 最高学历 TEXT,
      应聘岗位 TEXT, 投递日期 TEXT, "期望薪资(元/月)" INTEGER, "工作经验(年)" INTEGER,
      招聘渠道 TEXT, 面试得分 REAL, 是否录用 TEXT);
    """)
    ppl = people(r, 120)
    rows = []
    for n, s in ppl:
        edu = r.choice(["大专", "本科", "本科", "本科", "硕士", "硕士", "博士"])
        post = r.choice(["Java开发", "Java开发", "产品经理", "数据分析师", "销售代表", "人事专员"])
        exp = max(0, int(r.gauss(4, 3.5)))
        age = {"大专": 21, "本科": 22, "硕士": 25, "博士": 28}[edu] + exp + r.randint(0, 4)
        pay = {"Java开发": 13000, "产品经理": 14000, "数据分析师": 12000, "销售代表": 7000, "人事专员": 6500}[post]
        pay = int(
            (pay + exp * 900 + {"大专": -1500, "本科": 0, "硕士": 2500, "博士": 6000}[edu] + r.randint(-2000, 3000))
            // 500
            * 500
        )
        d = day(r, "2024-08-01", "2025-09-16")
        score = round(min(98, max(42, r.gauss(74, 11))) * 2) / 2 if r.random() > 0.25 else None
        hired = "是" if score is not None and score + r.uniform(-6, 6) > 82 else "否"
        rows.append(
            [
                n,
                s,
                age,
                edu,
                post,
                d,
                pay if r.random() > 0.07 else None,
                exp,
                r.choice(["BOSS直聘", "BOSS直聘", "智联招聘", "内推", "校园招聘"]),
                score,
                hired,
            ]
        )
    rows.sort(key=lambda x: x[5])
    fill(con, "应聘者", [(k, *x[:5], x[5].strftime("%Y/%m/%d"), *x[6:]) for k, x in enumerate(rows, 1)])


ALL = {
    "restaurant": restaurant,
    "city_trees": city_trees,
    "expenses": expenses,
    "driving_school": driving,
    "kindergarten": kindergarten,
    "applicants": applicants,
}


def build() -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    out = {}
    for name, make in ALL.items():
        path = folder / f"{name}.sqlite"
        con = sqlite3.connect(path)
        make(con)
        con.commit()
        con.close()
        out[name] = path
    return out
