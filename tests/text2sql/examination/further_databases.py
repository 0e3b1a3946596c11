"""The databases of further.txt, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lab.text2sql.database import Database, open_database

TODAY = dt.date(2025, 9, 17)


def day(r: random.Random, first: str, last: str) -> str:
    """A day between two."""
    a, b = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    return (a + dt.timedelta(r.randrange((b - a).days))).isoformat()


def turbines(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE sites (site_code TEXT PRIMARY KEY, site_name TEXT, region TEXT, elevation_m INTEGER, grid_connected TEXT, opened DATE);
CREATE TABLE turbines (tid INTEGER PRIMARY KEY, site_code TEXT REFERENCES sites, manufacturer TEXT, rated_power_kw INTEGER, hub_height_m REAL, rotor_diam_m REAL, commissioned DATE, status TEXT);
CREATE TABLE service_visits (visit_id INTEGER PRIMARY KEY, tid INTEGER REFERENCES turbines, visit_date DATE, technician TEXT, downtime_h REAL, cost_eur REAL, fault TEXT);""")
    sites = [
        ("N1", "North Ridge", "Highland", 420, "yes", "2009-05-01"),
        ("S2", "South Bay", "Coast", 12, "yes", "2014-09-12"),
        ("E3", "Eastmoor", "Moor", 210, "yes", "2018-03-30"),
        ("W4", "West Fell", "Highland", 530, "no", "2024-11-05"),
        ("C5", "Castle Flats", "Plain", 75, "yes", "2011-07-19"),
    ]
    db.executemany("INSERT INTO sites VALUES (?,?,?,?,?,?)", sites)
    n = 0
    turb = []
    for s in sites[:4]:
        for _ in range(r.randrange(4, 9)):
            n += 1
            turb.append(
                (
                    n,
                    s[0],
                    r.choice(["Vento", "Nordwind", "Aeris"]),
                    r.choice([2000, 3000, 3600, 4200]),
                    r.choice([80.0, 95.5, 110.0, 125.0]),
                    r.choice([90.0, 112.5, 130.0]),
                    day(r, max(s[5], "2009-06-01"), "2025-08-01"),
                    r.choice(["running", "running", "running", "stopped", "under repair"]),
                )
            )
    db.executemany("INSERT INTO turbines VALUES (?,?,?,?,?,?,?,?)", turb)
    v = 0
    for t in turb:
        if r.random() < 0.2:
            continue
        for _ in range(r.randrange(1, 7)):
            v += 1
            db.execute(
                "INSERT INTO service_visits VALUES (?,?,?,?,?,?,?)",
                (
                    v,
                    t[0],
                    day(r, "2023-01-01", "2025-09-16"),
                    r.choice(["Ines Falk", "Tom Reed", "Priya Nair", "Olaf Berg"]),
                    round(r.random() * 30, 1),
                    round(100 + r.random() * 9000, 2),
                    r.choice([None, "gearbox", "blade", "sensor", "hydraulics"]),
                ),
            )


def property_(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 住户 (户号 TEXT PRIMARY KEY, 业主姓名 TEXT, 楼栋 TEXT, 楼层 INTEGER, "面积(㎡)" REAL, 入住日期 TEXT, 是否出租 TEXT, 联系电话 TEXT);
CREATE TABLE 缴费 (单号 INTEGER PRIMARY KEY, 户号 TEXT REFERENCES 住户, 费用类型 TEXT, "金额(元)" REAL, 应缴日期 TEXT, 缴费日期 TEXT, 支付方式 TEXT);
CREATE TABLE 报修 (报修编号 INTEGER PRIMARY KEY, 户号 TEXT REFERENCES 住户, 项目 TEXT, 报修时间 TEXT, 完成时间 TEXT, 维修员 TEXT, 满意度 INTEGER);""")
    names = ["王建国", "李秀英", "张伟", "刘洋", "陈静", "杨帆", "赵敏", "黄磊", "周涛", "吴倩", "徐明", "孙悦"]
    hh = []
    for i, nm in enumerate(names):
        h = f"{r.choice('ABC')}{100 + i}"
        hh.append(h)
        db.execute(
            "INSERT INTO 住户 VALUES (?,?,?,?,?,?,?,?)",
            (
                h,
                nm,
                r.choice(["1号楼", "2号楼", "3号楼"]),
                r.randrange(1, 19),
                r.choice([58.5, 76.0, 89.3, 102.0, 131.8]),
                day(r, "2015-01-01", "2025-06-01").replace("-", "/"),
                r.choice(["是", "否", "否"]),
                None if i % 5 == 0 else f"138{r.randrange(10**7, 10**8)}",
            ),
        )
    k = 0
    for h in hh:
        for _ in range(r.randrange(0, 7)):
            k += 1
            due = day(r, "2024-01-01", "2025-09-30")
            paid = (
                None
                if r.random() < 0.25
                else (dt.date.fromisoformat(due) + dt.timedelta(r.randrange(-10, 30))).isoformat()
            )
            db.execute(
                "INSERT INTO 缴费 VALUES (?,?,?,?,?,?,?)",
                (
                    k,
                    h,
                    r.choice(["物业费", "停车费", "水费", "电费"]),
                    round(30 + r.random() * 900, 1),
                    due,
                    paid,
                    None if paid is None else r.choice(["微信", "支付宝", "现金", "银行卡"]),
                ),
            )
    k = 0
    for h in hh:
        for _ in range(r.randrange(0, 4)):
            k += 1
            a = day(r, "2024-03-01", "2025-09-10")
            done = (
                None if r.random() < 0.2 else (dt.date.fromisoformat(a) + dt.timedelta(r.randrange(0, 9))).isoformat()
            )
            db.execute(
                "INSERT INTO 报修 VALUES (?,?,?,?,?,?,?)",
                (
                    k,
                    h,
                    r.choice(["水管漏水", "门锁损坏", "电路故障", "空调不制冷", "电梯异响"]),
                    a,
                    done,
                    r.choice(["老马", "小高", "老钱"]),
                    None if done is None else r.randrange(1, 6),
                ),
            )


def recipes(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE "Recipe Log" ("Recipe #" INTEGER PRIMARY KEY, "Dish" TEXT, "Cuisine" TEXT, "Prep (min)" INTEGER, "Cook (min)" INTEGER, "Servings" INTEGER, "kcal per serving" INTEGER, "Vegan?" TEXT, "Added On" TEXT, "Author" TEXT, "Stars" REAL);""")
    dishes = [
        "Lentil soup",
        "Pad thai",
        "Margherita pizza",
        "Chickpea curry",
        "Beef ragu",
        "Miso ramen",
        "Shakshuka",
        "Apple strudel",
        "Caesar salad",
        "Tofu stir-fry",
        "Paella",
        "Ratatouille",
        "Pho",
        "Goulash",
        "Falafel wrap",
        "Banana bread",
        "Tom yum",
        "Risotto",
        "Moussaka",
        "Bibimbap",
    ]
    for i, d in enumerate(dishes, 1):
        db.execute(
            'INSERT INTO "Recipe Log" VALUES (?,?,?,?,?,?,?,?,?,?,?)',
            (
                i,
                d,
                r.choice(["Italian", "Thai", "Indian", "Japanese", "French", "Greek"]),
                r.randrange(5, 60),
                r.randrange(0, 150),
                r.choice([1, 2, 4, 6]),
                r.randrange(180, 950),
                r.choice(["Y", "N"]),
                (lambda d: f"{int(d[5:7])}/{int(d[8:])}/{d[:4]}")(day(r, "2023-01-01", "2025-09-01")),
                r.choice(["Mara", "Jonas", "Li Wei", "Sofia"]),
                r.choice([None, 3.5, 4.0, 4.5, 5.0, 2.5]),
            ),
        )


def ferry(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE ferries (ferry_id INTEGER PRIMARY KEY, name TEXT, capacity_pax INTEGER, car_spaces INTEGER, built_year INTEGER, home_port TEXT);
CREATE TABLE sailings (sailing_id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferries, route TEXT, depart_date DATE, delay_min INTEGER, cancelled TEXT, captain TEXT);
CREATE TABLE tickets (ticket_no INTEGER PRIMARY KEY, sailing_id INTEGER REFERENCES sailings, passenger TEXT, ticket_class TEXT, fare_gbp REAL, with_car TEXT, booked_on DATE);""")
    fs = [
        ("Isle Star", 420, 60, 1998, "Oban"),
        ("Sea Otter", 180, 0, 2012, "Mallaig"),
        ("Northern Light", 650, 120, 2007, "Oban"),
        ("Kittiwake", 95, 0, 2019, "Ullapool"),
        ("Old Skerry", 300, 45, 1985, "Mallaig"),
    ]
    for i, f in enumerate(fs, 1):
        db.execute("INSERT INTO ferries VALUES (?,?,?,?,?,?)", (i, *f))
    for s in range(1, 41):
        c = "yes" if r.random() < 0.12 else "no"
        db.execute(
            "INSERT INTO sailings VALUES (?,?,?,?,?,?,?)",
            (
                s,
                r.choice([1, 2, 3, 5]),
                r.choice(["Oban-Mull", "Mallaig-Skye", "Ullapool-Lewis"]),
                day(r, "2025-01-01", "2025-09-15"),
                None if c == "yes" else max(0, int(r.gauss(9, 14))),
                c,
                r.choice(["M. Grant", "E. Sinclair", "R. Boyd"]),
            ),
        )
    for t in range(1, 161):
        db.execute(
            "INSERT INTO tickets VALUES (?,?,?,?,?,?,?)",
            (
                t,
                r.randrange(1, 39),
                r.choice(["Ana Ruiz", "Ben Cole", "Chloe Martin", "Dev Patel", "Eva Novak", "Finn Daly", "Gus Lind"]),
                r.choice(["standard", "cabin", "premium"]),
                round(8 + r.random() * 70, 2),
                r.choice(["yes", "no", "no"]),
                day(r, "2024-12-01", "2025-09-01"),
            ),
        )


def tea(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 门店 (门店编号 TEXT PRIMARY KEY, 店名 TEXT, 城市 TEXT, 开业日期 TEXT, "面积(平)" REAL, 店长 TEXT);
CREATE TABLE 饮品 (饮品编号 INTEGER PRIMARY KEY, 品名 TEXT, 类别 TEXT, "售价" REAL, "成本" REAL, 是否热饮 TEXT);
CREATE TABLE 销售 (流水号 INTEGER PRIMARY KEY, 门店编号 TEXT REFERENCES 门店, 饮品编号 INTEGER REFERENCES 饮品, 杯数 INTEGER, 实收金额 REAL, 销售日期 TEXT, 渠道 TEXT);""")
    ms = [
        ("M01", "春熙路店", "成都", "2021-03-01", 45, "何静"),
        ("M02", "观前街店", "苏州", "2022-07-15", 60, "罗军"),
        ("M03", "解放碑店", "重庆", "2020-11-20", 38, "唐宁"),
        ("M04", "宽窄巷店", "成都", "2024-05-01", 25, "何静"),
        ("M05", "湖滨店", "杭州", "2025-08-30", 70, None),
    ]
    db.executemany("INSERT INTO 门店 VALUES (?,?,?,?,?,?)", ms)
    ys = [
        ("茉莉奶绿", "奶茶", 16, 5.2, "否"),
        ("杨枝甘露", "果茶", 22, 8.5, "否"),
        ("姜汁红茶", "纯茶", 14, 3.1, "是"),
        ("芋泥波波", "奶茶", 19, 7, "否"),
        ("柠檬绿茶", "果茶", 12, 2.8, "否"),
        ("热可可", "其他", 18, 6, "是"),
    ]
    for i, y in enumerate(ys, 1):
        db.execute("INSERT INTO 饮品 VALUES (?,?,?,?,?,?)", (i, *y))
    for i in range(1, 121):
        y = r.randrange(1, 6)
        n = r.randrange(1, 6)
        db.execute(
            "INSERT INTO 销售 VALUES (?,?,?,?,?,?,?)",
            (
                i,
                r.choice(["M01", "M02", "M03", "M04"]),
                y,
                n,
                round(n * ys[y - 1][2] * r.choice([1, 1, 0.8, 0.9]), 1),
                day(r, "2025-01-01", "2025-09-16"),
                r.choice(["堂食", "外卖", "小程序"]),
            ),
        )


def trees(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript(
        """CREATE TABLE "Street Trees 2025" ("Tree No." TEXT, "Species (common)" TEXT, "Street" TEXT, "Ward" TEXT, "Planted" TEXT, "Height m" REAL, "Trunk diam (cm)" INTEGER, "Condition" TEXT, "Protected?" TEXT, "Last inspected" TEXT, "Inspector" TEXT);"""
    )
    for i in range(1, 46):
        db.execute(
            'INSERT INTO "Street Trees 2025" VALUES (?,?,?,?,?,?,?,?,?,?,?)',
            (
                f"T{i:04}",
                r.choice(["Lime", "Plane", "Silver birch", "Horse chestnut", "Cherry", "Rowan"]),
                r.choice(["Mill Lane", "High Street", "Park Road", "Station Road"]),
                r.choice(["North", "Central", "Riverside"]),
                str(r.randrange(1950, 2024)),
                round(3 + r.random() * 22, 1),
                r.randrange(8, 120),
                r.choice(["good", "fair", "poor", "dead"]),
                r.choice(["Yes", "No", "No"]),
                None
                if r.random() < 0.15
                else dt.date.fromisoformat(day(r, "2023-01-01", "2025-09-01")).strftime("%d/%m/%Y"),
                r.choice(["K. Shaw", "P. Doyle", "L. Okoro"]),
            ),
        )


def labs(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 设备 (资产号 TEXT PRIMARY KEY, 设备名称 TEXT, 类型 TEXT, 购置年份 INTEGER, "原值(万元)" REAL, 存放地点 TEXT, 状态 TEXT);
CREATE TABLE 借用记录 (记录号 INTEGER PRIMARY KEY, 资产号 TEXT REFERENCES 设备, 借用人 TEXT, 院系 TEXT, 借出日期 TEXT, 归还日期 TEXT, "使用时长(小时)" REAL);""")
    ds = [
        ("E01", "示波器", "电子", 2018, 3.2, "A楼201", "在用"),
        ("E02", "离心机", "生化", 2015, 12.5, "B楼105", "在用"),
        ("E03", "3D打印机", "机械", 2021, 8, "A楼101", "维修中"),
        ("E04", "显微镜", "生化", 2012, 45, "B楼105", "在用"),
        ("E05", "频谱仪", "电子", 2020, 60, "A楼201", "报废"),
        ("E06", "激光切割机", "机械", 2022, 25, "C楼", "在用"),
    ]
    db.executemany("INSERT INTO 设备 VALUES (?,?,?,?,?,?,?)", ds)
    for i in range(1, 61):
        a = day(r, "2025-01-05", "2025-09-15")
        b = None if r.random() < 0.15 else (dt.date.fromisoformat(a) + dt.timedelta(r.randrange(0, 20))).isoformat()
        db.execute(
            "INSERT INTO 借用记录 VALUES (?,?,?,?,?,?,?)",
            (
                i,
                r.choice(["E01", "E02", "E03", "E04", "E05"]),
                r.choice(["林晓", "郑凯", "苏雨", "高远", "宋佳"]),
                r.choice(["物理系", "化学系", "机械系"]),
                a,
                b,
                None if b is None else round(r.random() * 40, 1),
            ),
        )


def dental(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, full_name TEXT, birth_date DATE, insurer TEXT, phone TEXT, smoker TEXT);
CREATE TABLE dentists (dentist_id INTEGER PRIMARY KEY, name TEXT, speciality TEXT, hourly_rate_usd REAL);
CREATE TABLE appointments (appt_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients, dentist_id INTEGER REFERENCES dentists, appt_date DATE, duration_min INTEGER, treatment TEXT, bill_usd REAL, paid TEXT, no_show TEXT);""")
    for i, n in enumerate(
        [
            "Ada Wong",
            "Bill Frost",
            "Cara Diaz",
            "Dan Okoye",
            "Ella Marsh",
            "Fred Lowe",
            "Gina Rossi",
            "Hal Pike",
            "Ivy Shaw",
            "Jon Bell",
        ],
        1,
    ):
        db.execute(
            "INSERT INTO patients VALUES (?,?,?,?,?,?)",
            (
                i,
                n,
                day(r, "1950-01-01", "2012-01-01"),
                r.choice(["Delta", "Cigna", None]),
                r.choice([None, f"555-01{i:02}"]),
                r.choice(["yes", "no", "no"]),
            ),
        )
    for i, (n, s, h) in enumerate(
        [
            ("Dr Amos", "orthodontics", 180),
            ("Dr Bianchi", "general", 110),
            ("Dr Cho", "surgery", 240),
            ("Dr Dunn", "general", 95),
        ],
        1,
    ):
        db.execute("INSERT INTO dentists VALUES (?,?,?,?)", (i, n, s, h))
    for i in range(1, 61):
        ns = "yes" if r.random() < 0.13 else "no"
        db.execute(
            "INSERT INTO appointments VALUES (?,?,?,?,?,?,?,?,?)",
            (
                i,
                r.randrange(1, 10),
                r.randrange(1, 4),
                day(r, "2024-06-01", "2025-12-01"),
                r.choice([15, 30, 45, 60, 90]),
                r.choice(["cleaning", "filling", "extraction", "crown", "checkup"]),
                None if ns == "yes" else round(40 + r.random() * 900, 2),
                None if ns == "yes" else r.choice(["yes", "yes", "no"]),
                ns,
            ),
        )


def express(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 快递单 (单号 TEXT PRIMARY KEY, 寄件城市 TEXT, 收件城市 TEXT, 重量kg REAL, 运费 REAL, 揽收时间 TEXT, 签收时间 TEXT, 快递员 TEXT, 是否保价 TEXT, 状态 TEXT);""")
    for i in range(1, 71):
        a = day(r, "2025-06-01", "2025-09-15")
        ok = r.random() < 0.8
        db.execute(
            "INSERT INTO 快递单 VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                f"SF{1000 + i}",
                r.choice(["上海", "广州", "武汉", "西安"]),
                r.choice(["北京", "深圳", "成都", "杭州"]),
                round(0.2 + r.random() * 24, 1),
                round(8 + r.random() * 90, 1),
                a + " 10:20:00",
                (dt.date.fromisoformat(a) + dt.timedelta(r.randrange(1, 6))).isoformat() + " 16:00:00" if ok else None,
                r.choice(["小赵", "小钱", "小孙"]),
                r.choice(["是", "否", "否"]),
                "已签收" if ok else r.choice(["运输中", "派送中", "丢失"]),
            ),
        )


def podcasts(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE shows (show_id INTEGER PRIMARY KEY, title TEXT, host TEXT, language TEXT, launched DATE, subscribers INTEGER);
CREATE TABLE episodes (episode_id INTEGER PRIMARY KEY, show_id INTEGER REFERENCES shows, episode_title TEXT, published DATE, length_min INTEGER, downloads INTEGER, explicit INTEGER, sponsor TEXT);""")
    for i, s in enumerate(
        [
            ("Deep Tide", "Maya Lund", "English", "2019-04-01", 52000),
            ("Café Code", "Luc Petit", "French", "2021-10-12", 8300),
            ("Night Markets", "Wen Zhao", "Chinese", "2020-02-20", 120500),
            ("Small Robots", "Maya Lund", "English", "2023-06-06", 15400),
            ("Quiet Hours", "Tess Orr", "English", "2025-07-01", 310),
        ],
        1,
    ):
        db.execute("INSERT INTO shows VALUES (?,?,?,?,?,?)", (i, *s))
    for i in range(1, 56):
        db.execute(
            "INSERT INTO episodes VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                r.randrange(1, 5),
                f"Episode about {r.choice(['tides', 'bridges', 'noodles', 'sleep', 'robots', 'trains'])} {i}",
                day(r, "2022-01-01", "2025-09-10"),
                r.randrange(12, 95),
                r.randrange(100, 60000),
                r.choice([0, 0, 0, 1]),
                r.choice([None, None, "Acme", "Bolt", "Corex"]),
            ),
        )


def gradesz(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 学生 (学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 班级 TEXT, 籍贯 TEXT, 出生日期 TEXT, 身高cm INTEGER);
CREATE TABLE 成绩 (编号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 学生, 科目 TEXT, 分数 REAL, 考试日期 TEXT, 是否补考 TEXT);""")
    for i, n in enumerate(["赵一鸣", "钱小雨", "孙浩", "李静怡", "周凯", "吴桐", "郑爽", "王子轩", "冯媛", "陈默"], 1):
        db.execute(
            "INSERT INTO 学生 VALUES (?,?,?,?,?,?,?)",
            (
                f"S{i:03}",
                n,
                r.choice("男女"),
                r.choice(["一班", "二班", "三班"]),
                r.choice(["浙江", "江苏", "安徽"]),
                day(r, "2008-01-01", "2010-12-31"),
                r.randrange(152, 186),
            ),
        )
        if i == 10:
            continue
        for k in ["语文", "数学", "英语"]:
            db.execute(
                "INSERT INTO 成绩(学号,科目,分数,考试日期,是否补考) VALUES (?,?,?,?,?)",
                (f"S{i:03}", k, r.randrange(45, 101), day(r, "2025-06-20", "2025-06-28"), "否"),
            )
    db.execute("INSERT INTO 成绩(学号,科目,分数,考试日期,是否补考) VALUES ('S003','数学',66,'2025-09-05','是')")


def phones(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript(
        """CREATE TABLE 二手手机 (编号 TEXT PRIMARY KEY, 品牌 TEXT, 型号 TEXT, 内存G INTEGER, 成色 TEXT, 电池健康度 INTEGER, 收购价 REAL, 标价 REAL, 入库日期 TEXT, 售出日期 TEXT, 质检员 TEXT, 是否全网通 TEXT);"""
    )
    for i in range(1, 61):
        c = r.randrange(300, 5200)
        a = day(r, "2025-01-05", "2025-09-10")
        db.execute(
            "INSERT INTO 二手手机 VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                f"P{i:03}",
                r.choice(["苹果", "华为", "小米", "荣耀"]),
                f"型号{r.randrange(1, 12)}",
                r.choice([64, 128, 256, 512]),
                r.choice(["全新", "九成新", "八成新", "有划痕"]),
                r.randrange(71, 101),
                c,
                round(c * (1.1 + r.random() * 0.3)),
                a,
                None if r.random() < 0.4 else (dt.date.fromisoformat(a) + dt.timedelta(r.randrange(1, 60))).isoformat(),
                r.choice(["阿强", "阿珍", "老周"]),
                r.choice(["是", "是", "否"]),
            ),
        )


def conf(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE sessions (session_id INTEGER PRIMARY KEY, title TEXT, track TEXT, room TEXT, starts_at TEXT, length_min INTEGER, speaker TEXT);
CREATE TABLE attendees (attendee_id INTEGER PRIMARY KEY, name TEXT, company TEXT, country TEXT, ticket_type TEXT, price_paid_eur REAL, registered_on DATE, vegetarian TEXT);
CREATE TABLE checkins (id INTEGER PRIMARY KEY, session_id INTEGER REFERENCES sessions, attendee_id INTEGER REFERENCES attendees, rating INTEGER);""")
    tracks = ["Data", "Web", "Security"]
    for i in range(1, 13):
        db.execute(
            "INSERT INTO sessions VALUES (?,?,?,?,?,?,?)",
            (
                i,
                f"{r.choice(['Scaling', 'Securing', 'Designing', 'Debugging'])} {r.choice(['queues', 'graphs', 'forms', 'caches'])} {i}",
                r.choice(tracks),
                r.choice(["Aula", "B12", "C3"]),
                f"2025-05-{r.choice([14, 15, 16])} {r.randrange(9, 17):02}:00",
                r.choice([30, 45, 60, 90]),
                r.choice(["Noor Haddad", "Piet Visser", "Sara Lind", "Tariq Aziz"]),
            ),
        )
    for i, n in enumerate(
        [
            "Ana",
            "Bo",
            "Cleo",
            "Dmitri",
            "Esra",
            "Femi",
            "Greta",
            "Hugo",
            "Iris",
            "Jonas",
            "Kira",
            "Leo",
            "Mina",
            "Nils",
            "Olga",
        ],
        1,
    ):
        db.execute(
            "INSERT INTO attendees VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                n + " " + r.choice(["Berg", "Costa", "Diallo", "Evans"]),
                r.choice(["Acme", "Nimbus", "Orbit", None]),
                r.choice(["Germany", "Spain", "Norway", "Kenya"]),
                r.choice(["early bird", "regular", "student"]),
                r.choice([99, 199, 349, 0]),
                day(r, "2025-01-10", "2025-05-10"),
                r.choice(["yes", "no"]),
            ),
        )
    for i in range(1, 81):
        db.execute(
            "INSERT INTO checkins VALUES (?,?,?,?)",
            (i, r.randrange(1, 12), r.randrange(1, 15), r.choice([None, 2, 3, 4, 5, 5])),
        )


def solar(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript(
        """CREATE TABLE solar_output (reading_date DATE, plant TEXT, panel_count INTEGER, energy_kwh REAL, peak_kw REAL, sun_hours REAL, max_temp_c REAL, cleaned TEXT, technician TEXT);"""
    )
    d = dt.date(2025, 1, 1)
    for i in range(0, 240, 3):
        for p, n in (("Alba", 400), ("Brisa", 250), ("Cima", 820)):
            db.execute(
                "INSERT INTO solar_output VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    (d + dt.timedelta(i)).isoformat(),
                    p,
                    n,
                    round(n * (0.5 + r.random() * 3), 1),
                    round(n * 0.3 * (0.5 + r.random() / 2), 1),
                    round(2 + r.random() * 9, 1),
                    round(5 + r.random() * 32, 1),
                    r.choice(["yes", "no", "no", "no"]),
                    r.choice(["Rui", "Marta", None]),
                ),
            )


def bnb(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 房源 (房源编号 TEXT PRIMARY KEY, 名称 TEXT, 城市 TEXT, 房型 TEXT, 可住人数 INTEGER, 每晚价格 REAL, 房东 TEXT, 上线日期 TEXT);
CREATE TABLE 订单 (订单号 INTEGER PRIMARY KEY, 房源编号 TEXT REFERENCES 房源, 客人 TEXT, 入住日期 TEXT, 晚数 INTEGER, 订单金额 REAL, 状态 TEXT, 评分 REAL);""")
    hs = [
        ("H1", "海边小屋", "厦门", "整套", 4, 520, "林姐"),
        ("H2", "老街阁楼", "大理", "单间", 2, 180, "阿木"),
        ("H3", "湖景大宅", "杭州", "整套", 8, 1680, "林姐"),
        ("H4", "胡同四合院", "北京", "整套", 6, 980, "老金"),
        ("H5", "山谷木屋", "大理", "整套", 3, 360, "阿木"),
        ("H6", "地铁旁公寓", "北京", "单间", 2, 260, "小夏"),
    ]
    for h in hs:
        db.execute("INSERT INTO 房源 VALUES (?,?,?,?,?,?,?,?)", (*h, day(r, "2022-01-01", "2025-06-01")))
    for i in range(1, 71):
        h = r.choice(hs[:5])
        n = r.randrange(1, 6)
        st = r.choice(["已完成", "已完成", "已取消", "待入住"])
        db.execute(
            "INSERT INTO 订单 VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                h[0],
                r.choice(["方芳", "高翔", "韩梅", "江河", "康宁"]),
                day(r, "2025-01-01", "2025-10-20"),
                n,
                n * h[5],
                st,
                r.choice([None, 3, 4, 4.5, 5]) if st == "已完成" else None,
            ),
        )


def cars(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE vehicles (plate TEXT PRIMARY KEY, model TEXT, fuel TEXT, seats INTEGER, odometer_km INTEGER, zone TEXT, in_service TEXT);
CREATE TABLE drivers (driver_id INTEGER PRIMARY KEY, full_name TEXT, licence_since DATE, plan TEXT, city TEXT);
CREATE TABLE trips (trip_id INTEGER PRIMARY KEY, plate TEXT REFERENCES vehicles, driver_id INTEGER REFERENCES drivers, trip_date DATE, distance_km REAL, minutes INTEGER, price_eur REAL, damage TEXT);""")
    for i in range(9):
        db.execute(
            "INSERT INTO vehicles VALUES (?,?,?,?,?,?,?)",
            (
                f"AB-{100 + i}",
                ["Corsa", "Zoe", "Up", "Kangoo"][i % 4],
                ["petrol", "electric", "electric", "diesel"][i % 4],
                [5, 4, 4, 2][i % 4],
                r.randrange(4000, 140000),
                r.choice(["North", "Harbour", "Centre"]),
                "no" if i == 6 else "yes",
            ),
        )
    for i, n in enumerate(["Lena Roth", "Marc Weiss", "Nadia Omar", "Oskar Lind", "Paula Reyes", "Quinn Ward"], 1):
        db.execute(
            "INSERT INTO drivers VALUES (?,?,?,?,?)",
            (i, n, day(r, "1998-01-01", "2024-01-01"), r.choice(["basic", "plus"]), r.choice(["Bern", "Basel"])),
        )
    for i in range(1, 71):
        db.execute(
            "INSERT INTO trips VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                f"AB-{100 + r.randrange(8)}",
                r.randrange(1, 6),
                day(r, "2025-03-01", "2025-09-16"),
                round(1 + r.random() * 60, 1),
                r.randrange(5, 240),
                round(3 + r.random() * 70, 2),
                r.choice([None, None, None, "scratch", "dent"]),
            ),
        )


def drugs(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript(
        """CREATE TABLE 药品库存 (药品编号 TEXT PRIMARY KEY, 药品名称 TEXT, 类别 TEXT, 规格 TEXT, "单价(元)" REAL, 库存数量 INTEGER, 生产厂家 TEXT, 有效期至 TEXT, 是否处方药 TEXT, 货架 TEXT);"""
    )
    for i, n in enumerate(
        [
            "阿莫西林",
            "布洛芬",
            "板蓝根",
            "维生素C",
            "头孢克肟",
            "氯雷他定",
            "蒙脱石散",
            "硝苯地平",
            "二甲双胍",
            "藿香正气水",
            "感冒灵",
            "红霉素软膏",
            "创可贴",
            "碘伏",
            "阿司匹林",
            "奥美拉唑",
        ],
        1,
    ):
        db.execute(
            "INSERT INTO 药品库存 VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                f"Y{i:02}",
                n,
                r.choice(["抗生素", "感冒药", "慢病药", "外用药"]),
                r.choice(["24片", "10袋", "100ml"]),
                round(3 + r.random() * 60, 1),
                r.choice([0, 12, 35, 80, 150, 260]),
                r.choice(["华康制药", "同德堂", "北岸药业"]),
                day(r, "2025-06-01", "2027-12-31"),
                r.choice(["是", "否"]),
                r.choice(["A1", "A2", "B1"]),
            ),
        )


def films(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT, director TEXT, country TEXT, year INTEGER, running_time_min INTEGER, genre TEXT, award TEXT);
CREATE TABLE screenings (screening_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES films, cinema TEXT, shown_on DATE, tickets_sold INTEGER, ticket_price REAL);""")
    fs = [
        ("The Salt Road", "Ines Faro", "Portugal", 2023, 118, "drama", "Grand Prix"),
        ("Paper Boats", "Kenji Ito", "Japan", 2024, 95, "animation", None),
        ("Northbound", "Tove Berg", "Norway", 2022, 104, "drama", None),
        ("Loud Silence", "Ines Faro", "Portugal", 2025, 131, "thriller", None),
        ("Two Left Feet", "Ray Boone", "USA", 2024, 88, "comedy", "Audience Award"),
        ("Ash", "Lucia Prado", "Chile", 2021, 142, "documentary", None),
        ("Lantern", "Mei Tan", "China", 2025, 101, "drama", None),
    ]
    for i, f in enumerate(fs, 1):
        db.execute("INSERT INTO films VALUES (?,?,?,?,?,?,?,?)", (i, *f))
    for i in range(1, 41):
        db.execute(
            "INSERT INTO screenings VALUES (?,?,?,?,?,?)",
            (
                i,
                r.randrange(1, 7),
                r.choice(["Odeon", "Lux", "Rex"]),
                day(r, "2025-08-20", "2025-09-12"),
                r.randrange(8, 320),
                r.choice([7.5, 9, 11]),
            ),
        )


def pets(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 会员 (卡号 TEXT PRIMARY KEY, 姓名 TEXT, 宠物名 TEXT, 宠物种类 TEXT, 宠物年龄 INTEGER, 办卡日期 TEXT, 余额 REAL);
CREATE TABLE 消费 (流水 INTEGER PRIMARY KEY, 卡号 TEXT REFERENCES 会员, 服务项目 TEXT, 金额 REAL, 消费日期 TEXT, 店员 TEXT, 评价 TEXT);""")
    for i, n in enumerate(["夏雨", "秦川", "白鹭", "莫离", "顾盼", "宁远", "苏打", "叶子"], 1):
        db.execute(
            "INSERT INTO 会员 VALUES (?,?,?,?,?,?,?)",
            (
                f"V{i:02}",
                n,
                r.choice(["豆豆", "米粒", "大黄", "雪球"]) + str(i),
                r.choice(["猫", "狗", "兔子"]),
                r.randrange(1, 14),
                day(r, "2021-01-01", "2025-08-01"),
                r.choice([0, 120, 560, 38.5]),
            ),
        )
    for i in range(1, 56):
        db.execute(
            "INSERT INTO 消费 VALUES (?,?,?,?,?,?,?)",
            (
                i,
                f"V{r.randrange(1, 8):02}",
                r.choice(["洗澡", "美容", "寄养", "疫苗"]),
                round(30 + r.random() * 400, 1),
                day(r, "2025-01-01", "2025-09-16"),
                r.choice(["小美", "阿宽"]),
                r.choice([None, "好评", "好评", "差评"]),
            ),
        )


def bees(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE hives (hive_id INTEGER PRIMARY KEY, apiary TEXT, queen_breed TEXT, set_up DATE, frames INTEGER, alive TEXT);
CREATE TABLE harvests (harvest_id INTEGER PRIMARY KEY, hive_id INTEGER REFERENCES hives, harvested_on DATE, honey_kg REAL, honey_type TEXT, moisture_pct REAL);""")
    for i in range(1, 15):
        db.execute(
            "INSERT INTO hives VALUES (?,?,?,?,?,?)",
            (
                i,
                r.choice(["Orchard", "Heath", "River"]),
                r.choice(["Carnica", "Buckfast", "Ligustica"]),
                day(r, "2019-03-01", "2025-05-01"),
                r.randrange(8, 25),
                r.choice(["yes", "yes", "yes", "no"]),
            ),
        )
    for i in range(1, 46):
        db.execute(
            "INSERT INTO harvests VALUES (?,?,?,?,?,?)",
            (
                i,
                r.randrange(1, 12),
                day(r, "2023-05-01", "2025-09-01"),
                round(4 + r.random() * 22, 1),
                r.choice(["heather", "acacia", "wildflower"]),
                round(15 + r.random() * 5, 1),
            ),
        )


def bus(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript("""
CREATE TABLE 线路 (线路号 TEXT PRIMARY KEY, 起点 TEXT, 终点 TEXT, "里程(公里)" REAL, 票价 REAL, 所属公司 TEXT);
CREATE TABLE 班次 (班次号 INTEGER PRIMARY KEY, 线路号 TEXT REFERENCES 线路, 发车日期 TEXT, 司机 TEXT, 载客人数 INTEGER, 晚点分钟 INTEGER, 是否取消 TEXT);""")
    for x in [
        ("1路", "火车站", "大学城", 18.5, 2, "公交一公司"),
        ("7路", "码头", "体育馆", 9.2, 2, "公交二公司"),
        ("夜12路", "火车站", "机场", 36, 5, "公交一公司"),
        ("K3路", "市政府", "科技园", 22.4, 3, "公交三公司"),
        ("旅游专线", "火车站", "古镇", 48, 10, "公交二公司"),
    ]:
        db.execute("INSERT INTO 线路 VALUES (?,?,?,?,?,?)", x)
    for i in range(1, 61):
        c = "是" if r.random() < 0.1 else "否"
        db.execute(
            "INSERT INTO 班次 VALUES (?,?,?,?,?,?,?)",
            (
                i,
                r.choice(["1路", "7路", "夜12路", "K3路"]),
                day(r, "2025-07-01", "2025-09-16"),
                r.choice(["郭师傅", "马师傅", "胡师傅"]),
                None if c == "是" else r.randrange(0, 75),
                None if c == "是" else max(0, int(r.gauss(4, 7))),
                c,
            ),
        )


def wine(db: sqlite3.Connection, r: random.Random) -> None:
    db.executescript(
        """CREATE TABLE "wine cellar" (bin TEXT PRIMARY KEY, wine TEXT, producer TEXT, country TEXT, colour TEXT, vintage INTEGER, bottles INTEGER, "price per bottle" REAL, "drink by" INTEGER, rating INTEGER);"""
    )
    for i in range(1, 41):
        db.execute(
            'INSERT INTO "wine cellar" VALUES (?,?,?,?,?,?,?,?,?,?)',
            (
                f"B{i:02}",
                f"{r.choice(['Clos', 'Villa', 'Quinta', 'Weingut'])} {r.choice(['Alba', 'Noir', 'Stein', 'Flor'])} {i}",
                r.choice(["Moreau", "Bassi", "Keller", "Pinto"]),
                r.choice(["France", "Italy", "Germany", "Portugal"]),
                r.choice(["red", "white", "rosé"]),
                r.randrange(2005, 2024),
                r.randrange(0, 13),
                round(6 + r.random() * 90, 2),
                r.randrange(2024, 2038),
                r.choice([None, 86, 88, 90, 92, 95]),
            ),
        )


SETS: tuple[tuple[int, tuple[Callable[[sqlite3.Connection, random.Random], None], ...]], ...] = (
    (5, (turbines, property_, recipes)),
    (11, (ferry, tea, trees, labs)),
    (23, (dental, express, podcasts, gradesz)),
    (31, (phones, conf, solar, bnb)),
    (47, (cars, drugs, films, pets)),
    (61, (bees, bus, wine)),
)
"""The seed of a set, and its databases in the order in which they are drawn."""


@cache
def build() -> dict[str, Database]:
    """All of them, opened."""
    folder, made = Path(tempfile.mkdtemp()), dict[str, Database]()
    for seed, makers in SETS:
        drawn = random.Random(seed)
        for maker in makers:
            path = folder / f"{maker.__name__.strip('_')}.sqlite"
            with sqlite3.connect(path) as db:
                maker(db, drawn)
            db.close()
            made[path.stem] = open_database(path)
    return made
