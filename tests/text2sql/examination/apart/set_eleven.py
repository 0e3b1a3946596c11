"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def day(r, a, b):
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def zh_names(r, n):
    sur = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
    giv = [
        "秀英",
        "桂兰",
        "建国",
        "志强",
        "玉梅",
        "德福",
        "丽华",
        "国庆",
        "淑珍",
        "永明",
        "海燕",
        "文斌",
        "晓东",
        "雅琴",
        "振华",
        "美玲",
        "立新",
        "春生",
        "佳怡",
        "子轩",
        "梓涵",
        "浩然",
        "思雨",
        "宇航",
        "婷婷",
        "俊杰",
    ]
    out = []
    while len(out) < n:
        x = r.choice(sur) + r.choice(giv)
        if x not in out:
            out.append(x)
    return out


def en_names(r, n):
    a = [
        "Alice",
        "Brian",
        "Carla",
        "Derek",
        "Elena",
        "Frank",
        "Grace",
        "Henry",
        "Isla",
        "Jonas",
        "Karen",
        "Liam",
        "Mona",
        "Nigel",
        "Olive",
        "Peter",
        "Ruth",
        "Simon",
        "Tara",
        "Victor",
        "Wendy",
        "Yusuf",
        "Zoe",
    ]
    b = [
        "Abbott",
        "Barnes",
        "Carver",
        "Doyle",
        "Ellison",
        "Foster",
        "Griggs",
        "Hobbs",
        "Irving",
        "Jensen",
        "Kowalski",
        "Lambert",
        "Murray",
        "Novak",
        "Osborne",
        "Pratt",
        "Quigley",
        "Reyes",
        "Stone",
        "Tanner",
    ]
    out = []
    while len(out) < n:
        x = r.choice(a) + " " + r.choice(b)
        if x not in out:
            out.append(x)
    return out


def canteen(c):
    r = random.Random(1101)
    c.executescript("""
    CREATE TABLE 会员 (会员编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 小区 TEXT, 办卡日期 TEXT,
        余额元 REAL, 是否独居 TEXT, 联系电话 TEXT);
    CREATE TABLE 菜品 (菜品编号 TEXT PRIMARY KEY, 菜名 TEXT, 类别 TEXT, 单价元 REAL, 热量千卡 INTEGER, 是否少盐 TEXT,
        上架日期 TEXT);
    CREATE TABLE 就餐记录 (记录编号 INTEGER PRIMARY KEY, 会员编号 TEXT REFERENCES 会员(会员编号),
        菜品编号 TEXT REFERENCES 菜品(菜品编号), 就餐日期 TEXT, 餐别 TEXT, 份数 INTEGER, 实付金额元 REAL, 评分 INTEGER);
    """)
    ms = []
    for i, n in enumerate(zh_names(r, 45), 1):
        m = f"M{i:03d}"
        ms.append(m)
        c.execute(
            "INSERT INTO 会员 VALUES (?,?,?,?,?,?,?,?,?)",
            (
                m,
                n,
                r.choice("男女女"),
                str(day(r, "1936-01-01", "1966-12-31")),
                r.choice(["桂花园", "桂花园", "和平里", "东风新村", "梧桐苑"]),
                str(day(r, "2023-02-01", "2025-09-10")),
                round(r.uniform(0, 600), 1),
                r.choice(["是", "否", "否"]),
                None if r.random() < 0.2 else "139" + "".join(r.choice("0123456789") for _ in range(8)),
            ),
        )
    dishes = [
        ("红烧肉", "荤菜", 18),
        ("清蒸鲈鱼", "荤菜", 22),
        ("宫保鸡丁", "荤菜", 15),
        ("土豆烧牛肉", "荤菜", 20),
        ("狮子头", "荤菜", 12),
        ("蒜蓉西兰花", "素菜", 7),
        ("麻婆豆腐", "素菜", 6),
        ("番茄炒蛋", "素菜", 8),
        ("地三鲜", "素菜", 8),
        ("清炒时蔬", "素菜", 5),
        ("香菇青菜", "素菜", 6),
        ("紫菜蛋花汤", "汤羹", 3),
        ("冬瓜排骨汤", "汤羹", 9),
        ("番茄牛尾汤", "汤羹", 13),
        ("银耳羹", "汤羹", 4),
        ("白米饭", "主食", 1),
        ("小米粥", "主食", 2),
        ("鲜肉包", "主食", 2.5),
        ("牛肉面", "主食", 14),
        ("花卷", "主食", 1.5),
        ("凉拌黄瓜", "凉菜", 4),
        ("皮蛋豆腐", "凉菜", 6),
        ("口水鸡", "凉菜", 16),
        ("酱牛肉", "凉菜", 19),
    ]
    ds = []
    for i, (n, k, p) in enumerate(dishes, 1):
        d = f"C{i:02d}"
        ds.append((d, p))
        base = {"荤菜": 380, "素菜": 150, "汤羹": 110, "主食": 240, "凉菜": 160}[k]
        c.execute(
            "INSERT INTO 菜品 VALUES (?,?,?,?,?,?,?)",
            (
                d,
                n,
                k,
                p,
                None if n in ("银耳羹", "口水鸡") else base + r.randint(-60, 140),
                r.choice(["是", "否"]),
                str(day(r, "2023-03-01", "2025-09-01")),
            ),
        )
    for i in range(1, 151):
        d, p = r.choice(ds[:13] + ds[14:22])
        q = r.choice([1, 1, 1, 2, 2, 3])
        c.execute(
            "INSERT INTO 就餐记录 VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                r.choice(ms[:38]),
                d,
                str(day(r, "2024-06-01", "2025-09-17") if i % 3 else day(r, "2025-07-15", "2025-09-17")),
                r.choice(["早餐", "午餐", "午餐", "晚餐"]),
                q,
                round(p * q * r.choice([1, 1, 0.9, 0.8]), 1),
                None if r.random() < 0.25 else r.choice([1, 2, 3, 3, 4, 4, 5, 5]),
            ),
        )


def gym(c):
    r = random.Random(1202)
    c.executescript("""
    CREATE TABLE 教练 (教练号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 从业年限 INTEGER, 课时费元 INTEGER, 持证 TEXT);
    CREATE TABLE 会员 (会员号 INTEGER PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 年龄 INTEGER, 卡种 TEXT, 入会日期 TEXT,
        到期日期 TEXT, 体重kg REAL, 身高cm INTEGER, 手机号 TEXT);
    CREATE TABLE 课程 (课程号 TEXT PRIMARY KEY, 课程名 TEXT, 难度 TEXT, 教练号 TEXT REFERENCES 教练(教练号),
        时长分钟 INTEGER, 容量人数 INTEGER, 价格元 INTEGER);
    CREATE TABLE 签到 (签到号 INTEGER PRIMARY KEY, 会员号 INTEGER REFERENCES 会员(会员号),
        课程号 TEXT REFERENCES 课程(课程号), 签到日期 TEXT, 时段 TEXT, 消耗千卡 INTEGER, 是否迟到 TEXT);
    """)
    names = zh_names(r, 68)
    cs = []
    for i in range(8):
        c.execute(
            "INSERT INTO 教练 VALUES (?,?,?,?,?,?)",
            (
                f"T{i + 1}",
                names[i],
                r.choice("男女"),
                [3, 12, 5, 8, 2, 6, 10, 1][i],
                [150, 320, 180, 260, 120, 200, 320, 100][i],
                ["是", "是", "是", "是", "否", "是", "是", "否"][i],
            ),
        )
    for i in range(60):
        k = r.choice(["月卡", "季卡", "年卡", "年卡", "次卡"])
        j = day(r, "2024-01-05", "2025-09-14")
        e = (
            None
            if k == "次卡"
            else str(j + dt.timedelta(days={"月卡": 30, "季卡": 90, "年卡": 365}[k] * r.choice([1, 1, 2])))
        )
        c.execute(
            "INSERT INTO 会员 VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                1001 + i,
                names[8 + i],
                r.choice("男女"),
                r.randint(17, 58),
                k,
                str(j),
                e,
                None if r.random() < 0.15 else round(r.uniform(46, 98), 1),
                r.randint(153, 189),
                None if r.random() < 0.1 else "136" + "".join(r.choice("0123456789") for _ in range(8)),
            ),
        )
    for i, (n, d, t, m, cap, p) in enumerate(
        [
            ("流瑜伽", "初级", "T1", 60, 20, 69),
            ("阴瑜伽", "初级", "T1", 75, 18, 79),
            ("动感单车", "中级", "T2", 45, 25, 59),
            ("燃脂搏击", "高级", "T3", 60, 16, 89),
            ("杠铃操", "中级", "T4", 50, 20, 65),
            ("普拉提", "中级", "T4", 60, 12, 129),
            ("尊巴舞", "初级", "T6", 55, 30, 49),
            ("TRX悬挂训练", "高级", "T2", 40, 8, 149),
            ("HIIT高强度间歇", "高级", "T3", 30, 15, 79),
            ("空中瑜伽", "高级", "T7", 60, 10, 139),
            ("拉伸放松", "初级", "T6", 30, 20, 39),
            ("水中健身", "初级", None, 45, 12, 99),
        ],
        1,
    ):
        cs.append(f"K{i:02d}")
        c.execute("INSERT INTO 课程 VALUES (?,?,?,?,?,?,?)", (cs[-1], n, d, t, m, cap, p))
    for i in range(1, 151):
        k = r.choice(cs[:11])
        c.execute(
            "INSERT INTO 签到 VALUES (?,?,?,?,?,?,?)",
            (
                i,
                1001 + r.choice(range(52)),
                k,
                str(day(r, "2024-07-01", "2025-09-17") if i % 3 else day(r, "2025-08-01", "2025-09-17")),
                r.choice(["早上", "下午", "晚上", "晚上"]),
                None if r.random() < 0.1 else r.randint(90, 620),
                r.choice(["是", "否", "否", "否", "否"]),
            ),
        )


def rooms(c):
    r = random.Random(1303)
    c.execute("""CREATE TABLE 会议室预订明细 ("单号" TEXT, "会议室" TEXT, "楼层(F)" INTEGER, "预订部门" TEXT, "预订人" TEXT,
        "会议主题" TEXT, "会议日期" TEXT, "时段" TEXT, "时长(min)" INTEGER, "人数(人)" INTEGER, "需投影(是/否)" TEXT,
        "茶歇费(元)" REAL)""")
    who = zh_names(r, 16)
    deps = ["销售部", "研发部", "人事部", "财务部", "市场部"]
    dep = {w: deps[i % 5] for i, w in enumerate(who)}
    floor = {"牡丹厅": 3, "兰花厅": 3, "竹韵厅": 5, "松涛厅": 8, "梅园厅": 8, "云海厅": 12}
    for i in range(1, 141):
        w = r.choice(who)
        k = r.choice(list(floor))
        d = day(r, "2024-05-06", "2025-10-31") if i % 3 else day(r, "2025-07-20", "2025-10-10")
        c.execute(
            "INSERT INTO 会议室预订明细 VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                f"YD{i:04d}",
                k,
                floor[k],
                dep[w],
                w,
                r.choice(
                    [
                        "周例会",
                        "月度例会",
                        "项目评审",
                        "客户来访",
                        "新员工培训",
                        "产品培训",
                        "预算讨论",
                        "面试",
                        "年度总结会",
                    ]
                ),
                d.strftime("%Y/%m/%d"),
                r.choice(["上午", "上午", "下午", "下午", "晚上"]),
                r.choice([30, 45, 60, 60, 90, 120, 150, 180, 240]),
                None if r.random() < 0.08 else r.randint(2, 40),
                r.choice(["是", "否"]),
                None if r.random() < 0.35 else r.choice([60, 80, 120, 150, 200, 260, 300, 480, 650]),
            ),
        )


def kennel(c):
    r = random.Random(1404)
    c.executescript("""
    CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, owner_name TEXT, town TEXT, phone TEXT, email TEXT,
        registered_on TEXT, newsletter TEXT);
    CREATE TABLE dogs (dog_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(owner_id), dog_name TEXT, breed TEXT,
        size TEXT, birth_date TEXT, weight_kg REAL, neutered TEXT, allergies TEXT);
    CREATE TABLE stays (stay_id INTEGER PRIMARY KEY, dog_id INTEGER REFERENCES dogs(dog_id), kennel_type TEXT, check_in TEXT,
        check_out TEXT, nights INTEGER, price_eur REAL, grooming TEXT, paid TEXT);
    """)
    for i, n in enumerate(en_names(r, 36), 1):
        c.execute(
            "INSERT INTO owners VALUES (?,?,?,?,?,?,?)",
            (
                i,
                n,
                r.choice(["Ashford", "Ashford", "Brinton", "Kelby", "Marlow"]),
                f"0{r.randint(1000, 9999)} {r.randint(100000, 999999)}",
                None
                if r.random() < 0.22
                else n.split()[0].lower() + "@" + r.choice(["mailbox.org", "gmail.com", "post.net"]),
                str(day(r, "2022-03-01", "2025-09-12")),
                r.choice(["yes", "no"]),
            ),
        )
    dn = [
        "Bella",
        "Max",
        "Luna",
        "Rocky",
        "Daisy",
        "Buddy",
        "Molly",
        "Charlie",
        "Coco",
        "Duke",
        "Rosie",
        "Toby",
        "Lola",
        "Bear",
        "Ruby",
        "Jack",
        "Poppy",
        "Oscar",
        "Willow",
        "Teddy",
        "Maggie",
        "Finn",
        "Nala",
        "Bruno",
        "Hazel",
        "Rex",
        "Pippa",
        "Milo",
        "Stella",
        "Ziggy",
        "Olive",
        "Gus",
        "Penny",
        "Ollie",
        "Winnie",
        "Archie",
        "Honey",
        "Scout",
        "Misty",
        "Thor",
        "Biscuit",
        "Peanut",
        "Shadow",
        "Suki",
        "Waffles",
        "Mabel",
        "Otis",
        "Juno",
    ]
    br = {
        "Labrador": ("large", 26, 36),
        "Beagle": ("medium", 10, 16),
        "Dachshund": ("small", 6, 11),
        "Poodle": ("medium", 12, 24),
        "German Shepherd": ("large", 27, 40),
        "Jack Russell Terrier": ("small", 5, 9),
    }
    for i, n in enumerate(dn, 1):
        b = r.choice(list(br))
        s, lo, hi = br[b]
        c.execute(
            "INSERT INTO dogs VALUES (?,?,?,?,?,?,?,?,?)",
            (
                i,
                r.choice(range(1, 32)),
                n,
                b,
                s,
                None if r.random() < 0.08 else str(day(r, "2012-01-01", "2025-02-28")),
                round(r.uniform(lo, hi), 1),
                r.choice(["yes", "yes", "no"]),
                r.choice([None, None, None, None, "chicken", "grain", "beef", "pollen"]),
            ),
        )
    rate = {"standard": 24, "comfort": 32, "suite": 45}
    for i in range(1, 131):
        k = r.choice(["standard", "standard", "comfort", "suite"])
        a = day(r, "2024-03-01", "2025-09-10") if i % 3 else day(r, "2025-06-15", "2025-09-12")
        n = r.choice([1, 2, 2, 3, 4, 5, 7, 7, 10, 14])
        o = a + dt.timedelta(days=n)
        here = o > TODAY
        c.execute(
            "INSERT INTO stays VALUES (?,?,?,?,?,?,?,?,?)",
            (
                i,
                r.choice(range(1, 43)),
                k,
                str(a),
                None if here else str(o),
                None if here else n,
                None if here else round(n * rate[k] + r.choice([0, 0, 15]), 2),
                r.choice(["yes", "no", "no"]),
                "no" if here or r.random() < 0.12 else "yes",
            ),
        )
    for j, (dog, k, a) in enumerate(
        [
            (3, "suite", "2025-09-13"),
            (17, "standard", "2025-09-15"),
            (40, "comfort", "2025-09-16"),
            (41, "suite", "2025-09-16"),
        ],
        131,
    ):
        c.execute("INSERT INTO stays VALUES (?,?,?,?,NULL,NULL,NULL,?, 'no')", (j, dog, k, a, "yes" if j % 2 else "no"))


def theatre(c):
    r = random.Random(1505)
    c.executescript("""
    CREATE TABLE plays (play_id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, running_time_min INTEGER,
        min_age INTEGER, premiere_date TEXT, director TEXT);
    CREATE TABLE performances (performance_id INTEGER PRIMARY KEY, play_id INTEGER REFERENCES plays(play_id), perf_date TEXT,
        start_time TEXT, stage TEXT, sold_out TEXT, cancelled TEXT);
    CREATE TABLE ticket_sales (sale_id INTEGER PRIMARY KEY, performance_id INTEGER REFERENCES performances(performance_id),
        customer TEXT, sale_date TEXT, channel TEXT, seat_category TEXT, tickets INTEGER, amount_eur REAL);
    """)
    people = en_names(r, 45)
    dirs = people[:5]
    plays = [
        ("The Seagull", "Anton Chekhov", "drama"),
        ("Uncle Vanya", "Anton Chekhov", "drama"),
        ("Hamlet", "William Shakespeare", "tragedy"),
        ("Twelfth Night", "William Shakespeare", "comedy"),
        ("Macbeth", "William Shakespeare", "tragedy"),
        ("The Importance of Being Earnest", "Oscar Wilde", "comedy"),
        ("An Ideal Husband", "Oscar Wilde", "comedy"),
        ("A Doll's House", "Henrik Ibsen", "drama"),
        ("Antigone", "Sophocles", "tragedy"),
        ("Tartuffe", "Molière", "comedy"),
        ("The Night Train", None, "musical"),
        ("Harbour Lights", "Nora Fielding", "musical"),
        ("The Little Fox", "Nora Fielding", "children"),
        ("Puppets in the Attic", None, "children"),
        ("Ghosts", "Henrik Ibsen", "drama"),
        ("The Miser", "Molière", "comedy"),
        ("Peer Gynt", "Henrik Ibsen", "drama"),
        ("Moonlight Parade", "Greta Olsen", "musical"),
        ("Salt", "Greta Olsen", "drama"),
        ("The Clockmaker", "Greta Olsen", "drama"),
    ]
    for i, (t, a, g) in enumerate(plays, 1):
        c.execute(
            "INSERT INTO plays VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                t,
                a,
                g,
                r.choice([45, 55, 60]) if g == "children" else r.choice(range(80, 195, 5)),
                4 if g == "children" else r.choice([None, 10, 12, 14, 16]),
                str(day(r, "2022-09-10", "2025-09-06")),
                r.choice(dirs),
            ),
        )
    perf = []
    for i in range(1, 91):
        p = r.choice(range(1, 19))
        d = day(r, "2024-09-01", "2025-12-20")
        can = "yes" if r.random() < 0.08 else "no"
        perf.append((i, d))
        c.execute(
            "INSERT INTO performances VALUES (?,?,?,?,?,?,?)",
            (
                i,
                p,
                str(d),
                r.choice(["15:00", "18:00", "19:30", "19:30", "20:00"]),
                r.choice(["Main Stage", "Main Stage", "Studio", "Courtyard"]),
                "yes" if can == "no" and r.random() < 0.25 else "no",
                can,
            ),
        )
    price = {"stalls": 38, "circle": 29, "balcony": 19, "box": 55}
    for i in range(1, 151):
        p, d = r.choice(perf[:78])
        s = min(d, TODAY) - dt.timedelta(days=r.randint(0, 45))
        k = r.choice(["stalls", "stalls", "circle", "balcony", "box"])
        n = r.choice([1, 2, 2, 2, 3, 4, 4, 5, 6, 10, 12])
        c.execute(
            "INSERT INTO ticket_sales VALUES (?,?,?,?,?,?,?,?)",
            (
                i,
                p,
                None if r.random() < 0.12 else r.choice(people[5:]),
                str(s),
                r.choice(["online", "online", "box office", "phone"]),
                k,
                n,
                round(n * price[k] * r.choice([1, 1, 1, 0.8, 0.5]), 2),
            ),
        )


def expenses(c):
    r = random.Random(1606)
    c.execute("""CREATE TABLE export_transactions ("Tx No." INTEGER, "Booking dt" TEXT, "Payee" TEXT, "Cat." TEXT, "Amt (EUR)" REAL,
        "Pmt type" TEXT, "Acct" TEXT, "Cardholder" TEXT, "Recurring (y/n)" TEXT, "Cashback (%)" REAL, "Memo" TEXT)""")
    pay = {
        "Groceries": [("Lidl", 12, 90), ("Aldi", 8, 80), ("Green Grocer", 5, 45), ("Corner Bakery", 3, 16)],
        "Transport": [("City Transit", 3, 60), ("Shell", 35, 95), ("Bike Shop Keller", 15, 240)],
        "Utilities": [("Northern Power", 70, 140), ("AquaWater", 25, 55), ("FastNet", 39, 46)],
        "Eating out": [("Pizzeria Roma", 18, 75), ("Sushi Bar Mori", 24, 110), ("Corner Bakery", 4, 12)],
        "Leisure": [("Cinema Lux", 10, 48), ("Streamly", 12, 18), ("Fit Club", 35, 60), ("Book Barn", 8, 70)],
        "Health": [("Central Pharmacy", 4, 65), ("Dr. Weiss Dental", 60, 480)],
    }
    rec = {"Northern Power", "AquaWater", "FastNet", "Streamly", "Fit Club"}
    rows = []
    for i in range(145):
        k = r.choice(
            [
                "Groceries",
                "Groceries",
                "Groceries",
                "Transport",
                "Utilities",
                "Eating out",
                "Eating out",
                "Leisure",
                "Health",
            ]
        )
        p, lo, hi = r.choice(pay[k])
        d = day(r, "2024-06-01", "2025-09-17") if i % 3 else day(r, "2025-06-01", "2025-09-17")
        t = "direct debit" if p in rec else r.choice(["card", "card", "card", "cash", "transfer"])
        rows.append(
            (
                d,
                p,
                None if r.random() < 0.06 else k,
                round(r.uniform(lo, hi), 2),
                t,
                r.choice(["Joint", "Joint", "Savings", "Private"]),
                r.choice(["Hannah", "Hannah", "Oliver", "Mia"]),
                "y" if p in rec else "n",
                r.choice([0.5, 1, 1.5, 2]) if t == "card" else None,
                r.choice(
                    [
                        None,
                        None,
                        None,
                        "birthday gift",
                        "weekly shop",
                        "refund expected",
                        "split with Mia",
                        "holiday trip",
                    ]
                ),
            )
        )
    rows.sort(key=lambda x: x[0])
    for i, x in enumerate(rows, 5001):
        c.execute(
            "INSERT INTO export_transactions VALUES (?,?,?,?,?,?,?,?,?,?,?)", (i, x[0].strftime("%d.%m.%Y"), *x[1:])
        )


def build():
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    out = {}
    for name, fill in [
        ("canteen", canteen),
        ("gym", gym),
        ("rooms", rooms),
        ("kennel", kennel),
        ("theatre", theatre),
        ("expenses", expenses),
    ]:
        p = folder / f"{name}.sqlite"
        con = sqlite3.connect(p)
        fill(con)
        con.commit()
        con.close()
        out[name] = p
    return out
