"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _day(r, a, b):
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def _make(path, ddl, data):
    con = sqlite3.connect(path)
    con.executescript(ddl)
    for table, rows in data.items():
        con.executemany(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(rows[0]))})', rows)
    con.commit()
    con.close()


# ---------------------------------------------------------------- English 1
def bikeshop(path):
    r = random.Random(101)
    first = [
        "Alice",
        "Ben",
        "Carla",
        "Daniel",
        "Emma",
        "Frank",
        "Grace",
        "Harry",
        "Isla",
        "Jack",
        "Karen",
        "Liam",
        "Megan",
        "Noah",
        "Olivia",
        "Peter",
        "Quentin",
        "Rosie",
        "Samuel",
        "Tina",
        "Ursula",
        "Victor",
        "Wendy",
        "Xavier",
        "Yvonne",
        "Zachary",
    ]
    last = [
        "Hughes",
        "Patel",
        "Okafor",
        "Brandt",
        "Sinclair",
        "Novak",
        "Murray",
        "Fletcher",
        "Dunne",
        "Kowalski",
        "Barker",
        "Osei",
        "Lindqvist",
        "Webb",
        "Ferreira",
        "Quinn",
        "Harlow",
        "Tanaka",
        "Reid",
        "Mercer",
    ]
    towns = ["Ashford", "Millbrook", "Kingsbury", "Westham"]
    names = [f"{a} {b}" for a in first for b in last]
    r.shuffle(names)
    customers = []
    for i in range(42):
        name = names[i]
        customers.append(
            (
                i + 1,
                name,
                f"07{r.randint(100000000, 999999999)}" if r.random() > 0.15 else None,
                name.lower().replace(" ", ".") + r.choice(["@gmail.com", "@outlook.com", "@btmail.co.uk"])
                if r.random() > 0.2
                else None,
                r.choices(towns, [5, 3, 3, 2])[0],
                _day(r, "2021-02-01", "2025-09-10").isoformat(),
                r.choices(["yes", "no"], [2, 3])[0],
            )
        )
    parts_src = [
        ("Shimano HG601 chain", "drivetrain", "Velodirect", 24.5),
        ("KMC X9 chain", "drivetrain", "Madison", 19.9),
        ("9-speed cassette 11-34", "drivetrain", "Madison", 32.0),
        ("11-speed cassette 11-42", "drivetrain", "Velodirect", 68.0),
        ("Rear derailleur Deore", "drivetrain", "Velodirect", 54.9),
        ("Bottom bracket BSA", "drivetrain", "Raleigh Supply", 21.0),
        ("Brake pads resin", "brakes", "Madison", 9.5),
        ("Brake pads metallic", "brakes", "Velodirect", 13.0),
        ("Brake cable set", "brakes", "Raleigh Supply", 7.25),
        ("Disc rotor 160 mm", "brakes", "Velodirect", 18.0),
        ("Hydraulic brake set", "brakes", "Velodirect", 89.0),
        ("V-brake blocks", "brakes", "Raleigh Supply", 5.5),
        ("Inner tube 28 inch", "wheels", "Schwalbe", 6.5),
        ("Inner tube 26 inch", "wheels", "Schwalbe", 5.9),
        ("Marathon Plus tyre", "wheels", "Schwalbe", 39.9),
        ("Road tyre 25 mm", "wheels", "Schwalbe", 34.0),
        ("Rear wheel 28 inch", "wheels", "Madison", 85.0),
        ("Spoke set", "wheels", "Raleigh Supply", 12.0),
        ("Dynamo front light", "lights", "Madison", 45.0),
        ("LED rear light", "lights", "Raleigh Supply", 14.5),
        ("USB light set", "lights", "Madison", 29.0),
        ("Handlebar grips", "accessories", "Raleigh Supply", 11.0),
        ("Child seat mount", "accessories", None, 27.5),
        ("Kickstand", "accessories", "Raleigh Supply", 15.0),
        ("Gel saddle", "accessories", "Madison", 36.0),
        ("Bell", "accessories", None, 6.0),
    ]
    parts = [
        (f"P{i + 1:02d}", n, c, s, p, r.choice([0, 0, 2, 3, 4, 6, 8, 10, 12, 15, 24, 40]), r.choice([3, 5, 5, 8, 10]))
        for i, (n, c, s, p) in enumerate(parts_src)
    ]
    mechanics = ["Tom Ridley", "Priya Shah", "Marek Zielinski", "Joanna Cole"]
    work = {
        "puncture": (0.3, 0.8, 15),
        "brake service": (0.7, 2, 35),
        "gear tuning": (0.5, 1.5, 28),
        "full service": (2, 5, 90),
        "wheel truing": (0.5, 1.5, 25),
        "motor diagnosis": (1, 3.5, 60),
    }
    bikes = ["city", "road", "mountain", "e-bike", "children's"]
    active = r.sample(range(1, 43), 34)
    jobs, received = (
        [],
        sorted(_day(r, "2024-03-01", "2025-09-16") for _ in range(108))
        + sorted(_day(r, "2025-09-08", "2025-09-16") for _ in range(7)),
    )
    for i, d in enumerate(sorted(received)):
        while d.weekday() == 6:
            d -= dt.timedelta(days=1)
        bike = r.choices(bikes, [5, 3, 3, 4, 2])[0]
        kind = r.choices(list(work), [5, 4, 4, 3, 2, 8 if bike == "e-bike" else 0])[0]
        lo, hi, base = work[kind]
        hours = round(r.uniform(lo, hi) * 4) / 4 or 0.25
        done = d + dt.timedelta(days=r.choice([0, 0, 1, 1, 2, 3, 4, 6, 9, 14]))
        status = "collected"
        if done > dt.date(2025, 9, 16):
            done, status = None, r.choice(["waiting", "in progress"])
        elif done > dt.date(2025, 8, 25) and r.random() < 0.6:
            status = "ready"
        elif r.random() < 0.05:
            done, status = None, "cancelled"
        finished = done.isoformat() if done else None
        price = round(base + hours * 18 + r.choice([0, 0, 5, 7.5, 10]), 2) if status in ("collected", "ready") else None
        paid = "yes" if status == "collected" and r.random() < 0.9 else "no"
        hours = hours if price is not None or status == "in progress" else None
        jobs.append(
            (
                1001 + i,
                r.choice(active),
                r.choices(mechanics, [4, 3, 3, 2])[0],
                bike,
                kind,
                d.isoformat(),
                finished,
                hours,
                price,
                status,
                paid,
            )
        )
    usable = {
        "puncture": [12, 13, 14, 15],
        "brake service": [6, 7, 8, 9, 10, 11],
        "gear tuning": [0, 1, 2, 3, 4],
        "full service": [0, 1, 2, 3, 5, 6, 8, 12, 14, 19, 21],
        "wheel truing": [16, 17],
        "motor diagnosis": [18, 9],
    }
    job_parts = []
    for j in jobs:
        if j[9] in ("waiting", "cancelled"):
            continue
        for k in r.sample(
            usable[j[4]], min(len(usable[j[4]]), r.choice([0, 1, 1, 1, 2, 3 if j[4] == "full service" else 1]))
        ):
            job_parts.append((j[0], parts[k][0], r.choice([1, 1, 1, 2]) if k not in (17,) else r.choice([1, 2, 4])))
    _make(
        path,
        """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, phone TEXT, email TEXT, town TEXT,
  customer_since TEXT, newsletter TEXT);
CREATE TABLE parts (part_no TEXT PRIMARY KEY, part_name TEXT, category TEXT, supplier TEXT, unit_price_gbp REAL,
  stock INTEGER, reorder_level INTEGER);
CREATE TABLE jobs (job_no INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), mechanic TEXT,
  bike_type TEXT, job_type TEXT, date_received TEXT, date_finished TEXT, labour_hours REAL, price_gbp REAL,
  status TEXT, paid TEXT);
CREATE TABLE job_parts (job_no INTEGER REFERENCES jobs(job_no), part_no TEXT REFERENCES parts(part_no),
  quantity INTEGER, PRIMARY KEY (job_no, part_no));
""",
        {"customers": customers, "parts": parts, "jobs": jobs, "job_parts": job_parts},
    )


# ---------------------------------------------------------------- English 2
def school(path):
    r = random.Random(202)
    girls = [
        "Amelia",
        "Beth",
        "Chloe",
        "Daisy",
        "Ella",
        "Freya",
        "Georgia",
        "Hannah",
        "Imogen",
        "Jasmine",
        "Keira",
        "Lily",
        "Maya",
        "Nadia",
        "Orla",
        "Poppy",
        "Ruby",
        "Sofia",
        "Tilly",
        "Zara",
    ]
    boys = [
        "Adam",
        "Bilal",
        "Charlie",
        "Dylan",
        "Ethan",
        "Finn",
        "George",
        "Hugo",
        "Isaac",
        "Jacob",
        "Kai",
        "Leo",
        "Mason",
        "Nathan",
        "Oscar",
        "Rafael",
        "Sam",
        "Theo",
        "Umar",
        "William",
    ]
    last = [
        "Abbott",
        "Begum",
        "Carter",
        "Davies",
        "Evans",
        "Foster",
        "Green",
        "Hussain",
        "Ingram",
        "Jones",
        "Khan",
        "Lewis",
        "Morgan",
        "Nowak",
        "Owen",
        "Price",
        "Roberts",
        "Singh",
        "Taylor",
        "Walsh",
    ]
    teachers = {"3A": 3, "3B": 3, "4A": 4, "5A": 5, "5B": 5, "6A": 6}
    pupils, used = [], set()
    for i in range(64):
        g = r.choice("FM")
        while True:
            n = (r.choice(girls if g == "F" else boys), r.choice(last))
            if n not in used:
                used.add(n)
                break
        c = r.choices(list(teachers), [5, 4, 5, 4, 4, 6])[0]
        y = 2020 - teachers[c]  # year 3 pupils are born from September 2017 to August 2018
        born = _day(r, f"{y}-09-01", f"{y + 1}-08-31")
        pupils.append(
            (
                i + 1,
                n[0],
                n[1],
                g,
                born.isoformat(),
                c,
                teachers[c],
                r.choice(["Red", "Blue", "Green", "Yellow"]),
                r.choices(["school dinner", "packed lunch", "home"], [5, 4, 1])[0],
                r.choice(["nuts", "nuts", "milk", "gluten", "eggs"]) if r.random() < 0.2 else None,
                round(r.uniform(0.2, 6.5), 1),
                r.choices(["yes", "no"], [1, 2])[0],
            )
        )
    clubs = [
        ("Chess", "Monday", "Mr Dalton", 0, 16),
        ("Choir", "Tuesday", "Mrs Amin", 0, 30),
        ("Football", "Wednesday", "Mr Pryce", 12.5, 22),
        ("Gymnastics", "Thursday", "Ms Lowry", 20, 14),
        ("Coding", "Thursday", "Mr Dalton", 15, 12),
        ("Art", "Friday", "Mrs Amin", 8, 18),
        ("Gardening", "Monday", "Ms Lowry", 0, 12),
        ("Recorder", "Tuesday", "Mrs Amin", 6, 10),
        ("Drama", "Wednesday", "Miss Ferris", 10, 20),
        ("Netball", "Friday", "Mr Pryce", 12.5, 14),
        ("Latin", "Friday", "Mr Dalton", 5, 10),
        ("Cookery", "Monday", "Miss Ferris", 25, 8),
    ]
    clubs = [(f"C{i + 1:02d}", *c) for i, c in enumerate(clubs)]
    members, joiners = [], r.sample(range(1, 65), 49)
    weights = [8, 9, 13, 7, 9, 6, 4, 3, 7, 6, 0, 5]
    for p in joiners:
        ks = set()
        for _ in range(r.choice([1, 1, 1, 2, 2, 3, 4])):
            ks.add(r.choices(range(12), weights)[0])
        for k in sorted(ks):
            members.append(
                (
                    p,
                    clubs[k][0],
                    _day(r, "2024-09-09", "2025-09-15").isoformat(),
                    r.choices(["yes", "no"], [5, 1])[0] if clubs[k][4] else None,
                )
            )
    days, d = [], dt.date(2025, 3, 3)
    while d < TODAY:
        if (
            d.weekday() < 5
            and not (dt.date(2025, 4, 7) <= d <= dt.date(2025, 4, 21))
            and not (dt.date(2025, 7, 23) <= d <= dt.date(2025, 9, 2))
        ):
            days.append(d)
        d += dt.timedelta(days=1)
    att, seen = [], set()
    pool = days + [x for x in days if x.month == 9] * 8
    while len(att) < 150:
        p, d = r.choice([x for x in range(1, 65) if x not in (7, 23, 40)]), r.choice(pool)
        if (p, d) in seen:
            continue
        seen.add((p, d))
        st = r.choices(["present", "late", "absent"], [5, 3, 3])[0]
        att.append(
            (
                p,
                d.isoformat(),
                st,
                r.choice([3, 5, 5, 8, 10, 12, 15, 20, 25, 40]) if st == "late" else None,
                (
                    r.choice(["illness", "illness", "illness", "doctor's appointment", "family holiday"])
                    if r.random() < 0.75
                    else None
                )
                if st == "absent"
                else None,
            )
        )
    att = [(i + 1, *a) for i, a in enumerate(sorted(att, key=lambda a: (a[1], a[0])))]
    _make(
        path,
        """
CREATE TABLE pupils (pupil_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, gender TEXT, date_of_birth TEXT,
  class TEXT, year_group INTEGER, house TEXT, lunch TEXT, allergy TEXT, distance_km REAL, takes_bus TEXT);
CREATE TABLE clubs (club_id TEXT PRIMARY KEY, club_name TEXT, weekday TEXT, teacher TEXT, fee_per_term REAL, max_places INTEGER);
CREATE TABLE club_members (pupil_id INTEGER REFERENCES pupils(pupil_id), club_id TEXT REFERENCES clubs(club_id),
  joined_on TEXT, fee_paid TEXT, PRIMARY KEY (pupil_id, club_id));
CREATE TABLE attendance (record_id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupils(pupil_id), date TEXT,
  status TEXT, minutes_late INTEGER, reason TEXT);
""",
        {"pupils": pupils, "clubs": clubs, "club_members": members, "attendance": att},
    )


# ---------------------------------------------------------------- English 3 (flat CSV)
def rentals(path):
    r = random.Random(303)
    districts = {"Altstadt": 19, "Nordend": 17, "Hafen": 16, "Westpark": 13.5, "Lindenau": 11.5}
    agents = ["Sabine Vogel", "Jonas Keller", "Mira Aydin", "Peter Lang", "Clara Weiss"]
    rows = []
    for i in range(118):
        dis = r.choices(list(districts), [4, 5, 3, 5, 4])[0]
        rooms = r.choices([1, 1.5, 2, 2.5, 3, 4, 5], [4, 2, 6, 2, 5, 3, 1])[0]
        area = round(rooms * r.uniform(19, 27) + 10)
        rent = round(area * districts[dis] * r.uniform(0.8, 1.25) / 5) * 5
        listed = _day(r, "2024-11-01", "2025-09-16")
        avail = listed + dt.timedelta(days=r.choice([0, 7, 14, 30, 45, 60, 90]))
        if r.random() < 0.6:
            avail = (avail.replace(day=1) + dt.timedelta(days=32)).replace(day=1)
        rows.append(
            (
                f"W-{2001 + i}",
                dis,
                area,
                rooms,
                r.choices([0, 1, 2, 3, 4, 5, 7], [3, 4, 4, 4, 3, 2, 1])[0],
                rent,
                rent * r.choice([2, 2, 3]) if r.random() > 0.12 else None,
                r.choices(["Y", "N"], [1, 2])[0],
                r.choices(["allowed", "not allowed", "on request"], [3, 4, 2])[0] if r.random() > 0.08 else None,
                listed.strftime("%Y/%m/%d"),
                avail.strftime("%d.%m.%Y"),
                r.choice(agents),
            )
        )
    _make(
        path,
        """
CREATE TABLE rentals_export ("Ref." TEXT, "District" TEXT, "Area (m2)" INTEGER, "No. of rms" REAL, "Flr" INTEGER,
  "Rent [EUR/mth]" INTEGER, "Dep. [EUR]" INTEGER, "Furn. (Y/N)" TEXT, "Pets" TEXT, "Listed on" TEXT,
  "Avail. from" TEXT, "Agent" TEXT);
""",
        {"rentals_export": rows},
    )


# ---------------------------------------------------------------- Chinese 1
_XING = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
_MING = [
    "伟",
    "芳",
    "娜",
    "敏",
    "静",
    "磊",
    "洋",
    "艳",
    "勇",
    "杰",
    "涛",
    "明",
    "超",
    "丽华",
    "志强",
    "雨欣",
    "子涵",
    "浩然",
    "思远",
    "佳怡",
    "建国",
    "晓燕",
    "梦瑶",
    "俊杰",
    "文博",
    "雪梅",
]


def _renming(r, n):
    s = []
    while len(s) < n:
        x = r.choice(_XING) + r.choice(_MING)
        if x not in s:
            s.append(x)
    return s


def milktea(path):
    r = random.Random(404)
    ppl = _renming(r, 22)
    shops_src = [
        ("人民广场店", "上海", 1),
        ("徐家汇店", "上海", 0),
        ("五角场店", "上海", 1),
        ("陆家嘴店", "上海", 0),
        ("西湖店", "杭州", 0),
        ("武林广场店", "杭州", 1),
        ("滨江店", "杭州", 1),
        ("观前街店", "苏州", 1),
        ("金鸡湖店", "苏州", 0),
        ("新街口店", "南京", 0),
        ("夫子庙店", "南京", 1),
        ("仙林店", "南京", 1),
        ("天一广场店", "宁波", 1),
        ("老外滩店", "宁波", 1),
        ("园区湖东店", "苏州", 1),
        ("下沙店", "杭州", 1),
        ("江宁店", "南京", 1),
        ("松江大学城店", "上海", 1),
        ("鄞州店", "宁波", 0),
        ("平江路店", "苏州", 0),
    ]
    shops = []
    for i, (n, c, f) in enumerate(shops_src):
        op = _day(r, "2019-03-01", "2024-11-30") if i < 17 else _day(r, "2025-01-10", "2025-08-25")
        shops.append(
            (
                f"S{i + 1:02d}",
                n,
                c,
                op.isoformat(),
                ppl[i] if i not in (13, 17) else None,
                r.randint(18, 120),
                r.randint(3, 14),
                "是" if f else "否",
            )
        )
    goods_src = [
        ("珍珠奶茶", "奶茶", 14, 420),
        ("红豆奶茶", "奶茶", 15, 450),
        ("布丁奶茶", "奶茶", 16, 470),
        ("黑糖波波奶", "奶茶", 18, 510),
        ("茉莉奶绿", "奶茶", 13, 330),
        ("杨枝甘露", "果茶", 22, 380),
        ("满杯百香果", "果茶", 17, 260),
        ("葡萄冻冻", "果茶", 19, 300),
        ("柠檬红茶", "果茶", 12, 180),
        ("芒果绿茶", "果茶", 16, 240),
        ("四季春茶", "纯茶", 9, 20),
        ("冻顶乌龙", "纯茶", 10, 15),
        ("茉莉绿茶", "纯茶", 9, 15),
        ("芝士莓莓", "芝士茶", 24, 430),
        ("芝士葡萄", "芝士茶", 25, 440),
        ("芝士金凤", "芝士茶", 20, 360),
        ("拿铁咖啡", "咖啡", 18, 220),
        ("生椰拿铁", "咖啡", 21, 250),
        ("美式咖啡", "咖啡", 15, 10),
        ("桂花乌龙奶", "奶茶", 17, 350),
        ("桃胶雪燕炖奶", "奶茶", 26, None),
    ]
    goods = []
    for i, (n, c, p, k) in enumerate(goods_src):
        d = _day(r, "2019-03-01", "2024-12-20") if i % 4 else _day(r, "2025-01-05", "2025-08-30")
        goods.append((f"G{i + 1:02d}", n, c, float(p), k, d.isoformat(), "否" if i in (8, 12) else "是"))
    orders, lines = [], []
    times = []
    for _ in range(150):
        d = _day(r, "2024-07-01", "2025-09-16") if r.random() < 0.6 else _day(r, "2025-07-15", "2025-09-16")
        h = r.choices(range(9, 23), [1, 2, 3, 4, 4, 5, 6, 5, 4, 4, 5, 5, 3, 1])[0]
        times.append(dt.datetime(d.year, d.month, d.day, h, r.randint(0, 59), r.randint(0, 59)))
    weights = [8, 5, 6, 7, 5, 4, 3, 4, 5, 6, 2, 3, 2, 1, 0, 3, 2, 2, 1, 3]
    for i, t in enumerate(sorted(times)):
        no = f"D{10001 + i}"
        s = r.choices(shops, weights)[0]
        while s[3] > t.date().isoformat():
            s = r.choices(shops, weights)[0]
        ch = r.choices(["到店", "小程序", "美团", "饿了么"], [4, 5, 3, 2])[0]
        gw = [9, 4, 4, 6, 3, 6, 3, 4, 3, 2, 2, 2, 1, 4, 3, 2, 3, 4, 2, 0, 1]
        pick, total = {}, 0
        for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
            g = r.choices(goods, gw)[0]
            if g[5] <= t.date().isoformat():
                pick[g[0]] = g
        if not pick:
            pick["G02"] = goods[1]
        for k, g in sorted(pick.items()):
            q = r.choice([1, 1, 1, 2, 2, 3, 5])
            total += q * g[3]
            lines.append(
                (
                    len(lines) + 1,
                    no,
                    k,
                    q,
                    r.choices(["全糖", "七分糖", "五分糖", "三分糖", "无糖"], [2, 4, 4, 3, 2])[0],
                )
            )
        off = r.choice([0, 0, 0, 2, 3, 5])
        orders.append(
            (
                no,
                s[0],
                t.strftime("%Y-%m-%d %H:%M:%S"),
                ch,
                r.choice(["微信", "微信", "支付宝", "会员卡", "现金"])
                if ch == "到店"
                else r.choice(["微信", "支付宝", "会员卡"]),
                float(total - off),
                r.choices([1, 2, 3, 4, 5, None], [1, 1, 3, 7, 9, 7])[0],
                "是" if r.random() < 0.08 else "否",
            )
        )
    _make(
        path,
        """
CREATE TABLE 门店 (门店编号 TEXT PRIMARY KEY, 店名 TEXT, 城市 TEXT, 开业日期 TEXT, 店长 TEXT, 面积_平方米 INTEGER, 员工人数 INTEGER, 是否加盟 TEXT);
CREATE TABLE 商品 (商品编号 TEXT PRIMARY KEY, 商品名称 TEXT, 品类 TEXT, 单价_元 REAL, 热量_千卡 INTEGER, 上市日期 TEXT, 是否在售 TEXT);
CREATE TABLE 订单 (订单号 TEXT PRIMARY KEY, 门店编号 TEXT REFERENCES 门店(门店编号), 下单时间 TEXT, 渠道 TEXT, 支付方式 TEXT, 实付金额 REAL, 评分 INTEGER, 是否退款 TEXT);
CREATE TABLE 订单明细 (明细编号 INTEGER PRIMARY KEY, 订单号 TEXT REFERENCES 订单(订单号), 商品编号 TEXT REFERENCES 商品(商品编号), 数量 INTEGER, 甜度 TEXT);
""",
        {"门店": shops, "商品": goods, "订单": orders, "订单明细": lines},
    )


# ---------------------------------------------------------------- Chinese 2
def library(path):
    r = random.Random(505)
    names = _renming(r, 50)
    kinds = ["成人", "学生", "儿童", "老年"]
    ranges = {
        "成人": ("1968-01-01", "2001-12-31"),
        "学生": ("2003-01-01", "2010-12-31"),
        "儿童": ("2012-06-01", "2018-12-31"),
        "老年": ("1940-01-01", "1962-12-31"),
    }
    readers = []
    for i, n in enumerate(names):
        k = r.choices(kinds, [5, 4, 2, 2])[0]
        readers.append(
            (
                f"R{i + 1:03d}",
                n,
                r.choice("男女"),
                _day(r, *ranges[k]).isoformat(),
                k,
                r.choice(["鼓楼区", "玄武区", "秦淮区", "建邺区"]),
                f"1{r.choice('35789')}{r.randint(10**8, 10**9 - 1)}" if r.random() > 0.15 else None,
                _day(r, "2020-01-05", "2025-08-30").isoformat(),
                r.choices([0.0, 100.0, 200.0], [2, 4, 2])[0],
            )
        )
    src = [
        ("活着", "余华", "文学", "作家出版社", 2012, 28),
        ("许三观卖血记", "余华", "文学", "作家出版社", 2014, 32),
        ("兄弟", "余华", "文学", "北京十月文艺出版社", 2018, 58),
        ("三体", "刘慈欣", "科幻", "重庆出版社", 2008, 23),
        ("三体Ⅱ黑暗森林", "刘慈欣", "科幻", "重庆出版社", 2008, 32),
        ("三体Ⅲ死神永生", "刘慈欣", "科幻", "重庆出版社", 2010, 38),
        ("球状闪电", "刘慈欣", "科幻", "四川科学技术出版社", 2016, 25),
        ("围城", "钱钟书", "文学", "人民文学出版社", 1991, 39),
        ("平凡的世界", "路遥", "文学", "北京十月文艺出版社", 2017, 108),
        ("人生", "路遥", "文学", "北京十月文艺出版社", 2021, 36),
        ("红楼梦", "曹雪芹", "文学", "人民文学出版社", 2008, 59.7),
        ("西游记", "吴承恩", "文学", "人民文学出版社", 2010, 47.2),
        ("万历十五年", "黄仁宇", "历史", "中华书局", 2006, 45),
        ("明朝那些事儿", "当年明月", "历史", "浙江人民出版社", 2017, 358),
        ("中国大历史", "黄仁宇", "历史", "中华书局", 2014, 46),
        ("全球通史", "斯塔夫里阿诺斯", "历史", "北京大学出版社", 2020, 128),
        ("史记", "司马迁", "历史", "中华书局", 2013, 125),
        ("时间简史", "霍金", "科普", "湖南科学技术出版社", 2010, 45),
        ("物种起源", "达尔文", "科普", "北京大学出版社", 2018, 68),
        ("从一到无穷大", "伽莫夫", "科普", "湖南科学技术出版社", 2019, 49),
        ("昆虫记", "法布尔", "科普", "人民文学出版社", 2015, 35),
        ("窗边的小豆豆", "黑柳彻子", "儿童", "南海出版公司", 2018, 39.5),
        ("夏洛的网", "怀特", "儿童", "上海译文出版社", 2014, 26),
        ("小王子", "圣埃克苏佩里", "儿童", "人民文学出版社", 2020, 32),
        ("草房子", "曹文轩", "儿童", "江苏少年儿童出版社", 2019, 28),
        ("青铜葵花", "曹文轩", "儿童", "江苏少年儿童出版社", 2022, 29.8),
        ("经济学原理", "曼昆", "经济", "北京大学出版社", 2020, 168),
        ("国富论", "亚当·斯密", "经济", "中华书局", 2018, 98),
        ("置身事内", "兰小欢", "经济", "上海人民出版社", 2021, 65),
        ("薛兆丰经济学讲义", "薛兆丰", "经济", "中信出版社", 2018, 68),
        ("流浪地球", "刘慈欣", "科幻", "长江文艺出版社", 2019, 35),
        ("沙丘", "赫伯特", "科幻", "江苏凤凰文艺出版社", 2017, 88),
        ("银河帝国", "阿西莫夫", "科幻", "江苏凤凰文艺出版社", 2015, 268),
        ("白鹿原", "陈忠实", "文学", "人民文学出版社", 2012, 52),
        ("长恨歌", "王安忆", "文学", "作家出版社", 2023, 45),
        ("诗经译注", None, "文学", "中华书局", 2016, 42),
        ("十万个为什么", None, "科普", "上海少年儿童出版社", 2024, 198),
        ("南京城墙志", None, "历史", "南京出版社", 2023, 150),
    ]
    books = [
        (f"B{i + 1:03d}", *b, r.choice([1, 1, 2, 2, 3, 4, 5, 6, 8]), r.choice(["一楼", "二楼", "三楼"]))
        for i, b in enumerate(src)
    ]
    act = r.sample(range(50), 40)
    rw = [r.choice([1, 1, 2, 3, 5]) for _ in act]
    bw = [r.choice([1, 2, 3, 5]) for _ in books]
    for k in (15, 35, 37, 27):
        bw[k] = 0
    loans = []
    for _ in range(150):
        k = r.choices(act, rw)[0]
        rd = readers[k]
        lo = max("2024-06-01", rd[7])
        if r.random() < 0.3:
            lo = max("2025-07-01", rd[7])
        d = _day(r, lo, "2025-09-16")
        b = r.choices(books, bw)[0]
        xu = r.random() < 0.25
        due = d + dt.timedelta(days=60 if xu else 30)
        back = d + dt.timedelta(days=r.choice([2, 5, 9, 14, 18, 21, 25, 28, 30, 33, 38, 47, 62, 75]))
        if back >= TODAY or r.random() < 0.07:
            back = None
        fine = None
        if back:
            fine = round(max(0, (back - due).days) * 0.2, 1)
        loans.append((rd[0], b[0], d, due, back, "是" if xu else "否", fine))
    loans.sort(key=lambda x: x[2])
    loans = [
        (i + 1, a, b, d.isoformat(), u.isoformat(), k.isoformat() if k else None, x, f)
        for i, (a, b, d, u, k, x, f) in enumerate(loans)
    ]
    _make(
        path,
        """
CREATE TABLE 读者 (读者证号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 读者类型 TEXT, 居住区 TEXT, 手机号 TEXT, 办证日期 TEXT, 押金 REAL);
CREATE TABLE 图书 (图书编号 TEXT PRIMARY KEY, 书名 TEXT, 作者 TEXT, 分类 TEXT, 出版社 TEXT, 出版年份 INTEGER, 定价 REAL, 馆藏册数 INTEGER, 楼层 TEXT);
CREATE TABLE 借阅 (借阅编号 INTEGER PRIMARY KEY, 读者证号 TEXT REFERENCES 读者(读者证号), 图书编号 TEXT REFERENCES 图书(图书编号), 借出日期 TEXT, 应还日期 TEXT, 归还日期 TEXT, 是否续借 TEXT, 罚款金额 REAL);
""",
        {"读者": readers, "图书": books, "借阅": loans},
    )


# ---------------------------------------------------------------- Chinese 3
def expenses(path):
    r = random.Random(606)
    names = _renming(r, 46)
    depts_src = [
        ("研发部", "北京", 600000),
        ("销售部", "上海", 900000),
        ("市场部", "上海", 500000),
        ("财务部", "北京", 120000),
        ("人力资源部", "北京", 150000),
        ("客服部", "成都", 200000),
        ("采购部", "成都", None),
        ("法务部", "北京", 80000),
    ]
    weights = [6, 7, 4, 2, 2, 4, 2, 0]
    emps = []
    for i, n in enumerate(names):
        d = i % 7 if i < 7 else r.choices(range(8), weights)[0]
        lv = "经理" if i < 7 else r.choices(["专员", "主管", "总监"], [6, 3, 0.5])[0]
        base = {"专员": 8000, "主管": 13000, "经理": 21000, "总监": 32000}[lv]
        hired = (
            _day(r, "2016-03-01", "2025-02-20") if i < 7 or r.random() < 0.8 else _day(r, "2025-03-01", "2025-08-20")
        )
        emps.append(
            (
                f"E{i + 1:03d}",
                n,
                r.choice("男女"),
                f"D{d + 1}",
                lv,
                hired.isoformat(),
                base + r.randint(-8, 16) * 250,
                f"e{i + 1:03d}@huaxin.cn" if r.random() > 0.12 else None,
                "否" if hired > dt.date(2025, 4, 1) else "是",
            )
        )
    heads = [names[i] for i in range(7)] + [None]
    depts = [(f"D{i + 1}", n, c, heads[i], b) for i, (n, c, b) in enumerate(depts_src)]
    cats = {
        "差旅费": (400, 6500),
        "交通费": (20, 380),
        "餐饮招待": (120, 2600),
        "办公用品": (30, 900),
        "培训费": (500, 8000),
        "通讯费": (50, 300),
    }
    act = r.sample(range(46), 36)
    bills = []
    for _ in range(145):
        k = r.choice(act)
        lo = max("2024-05-06", emps[k][5])
        if r.random() < 0.3:
            lo = max("2025-06-01", emps[k][5])
        d = _day(r, lo, "2025-09-16")
        c = r.choices(list(cats), [5, 5, 4, 3, 1.5, 2])[0]
        a, b = cats[c]
        amt = round(a + (b - a) * r.random() ** 2, 2)
        st = r.choices(["已付款", "已批准", "已驳回"], [8, 1.5, 1.3])[0]
        ap = d + dt.timedelta(days=r.choice([0, 1, 1, 2, 3, 5, 8, 12]))
        if ap > dt.date(2025, 9, 16) or (d > dt.date(2025, 8, 20) and r.random() < 0.5) or r.random() < 0.03:
            st, ap = "待审批", None
        bills.append(
            (
                emps[k][0],
                d,
                c,
                amt,
                r.choices(["有", "无"], [6, 1])[0],
                st,
                ap.isoformat() if ap else None,
                r.choice(
                    ["拜访客户", "客户答谢", "参加展会", "北京出差", "上海出差", "加班打车", "团队建设", "新员工入职"]
                )
                if r.random() < 0.55
                else None,
            )
        )
    bills.sort(key=lambda x: x[1])
    bills = [(f"BX{3001 + i}", e, d.isoformat(), *rest) for i, (e, d, *rest) in enumerate(bills)]
    _make(
        path,
        """
CREATE TABLE 部门 (部门编号 TEXT PRIMARY KEY, 部门名称 TEXT, 所在城市 TEXT, 负责人 TEXT, 年度预算 INTEGER);
CREATE TABLE 员工 (工号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 部门编号 TEXT REFERENCES 部门(部门编号), 职级 TEXT, 入职日期 TEXT, 月薪 INTEGER, 邮箱 TEXT, 是否转正 TEXT);
CREATE TABLE 报销单 (单号 TEXT PRIMARY KEY, 工号 TEXT REFERENCES 员工(工号), 提交日期 TEXT, 费用类别 TEXT, 金额 REAL, 有无发票 TEXT, 状态 TEXT, 审批日期 TEXT, 事由 TEXT);
""",
        {"部门": depts, "员工": emps, "报销单": bills},
    )


def build():
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    out = {}
    for f in (bikeshop, school, rentals, milktea, library, expenses):
        out[f.__name__] = folder / f"{f.__name__}.db"
        f(out[f.__name__])
    return out


if __name__ == "__main__":
    for _k, _v in build().items():
        pass
