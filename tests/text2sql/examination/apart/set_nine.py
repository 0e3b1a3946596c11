"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)
D = dt.date


def day(r, a, b):
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def write(path, ddl, rows):
    if path.exists():
        path.unlink()
    c = sqlite3.connect(path)
    c.executescript(ddl)
    for t, rs in rows.items():
        c.executemany(f'INSERT INTO "{t}" VALUES ({",".join("?" * len(rs[0]))})', rs)
    c.commit()
    c.close()


def names_zh(r, n, women=False):
    xing = list("王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧")
    ming = (
        [
            "桂芳",
            "秀兰",
            "玉梅",
            "春花",
            "淑珍",
            "红霞",
            "美玲",
            "丽华",
            "翠英",
            "冬梅",
            "秋菊",
            "巧云",
            "爱萍",
            "凤琴",
            "小燕",
        ]
        if women
        else [
            "伟",
            "浩然",
            "子涵",
            "建国",
            "晓东",
            "雨桐",
            "思远",
            "佳怡",
            "俊杰",
            "志强",
            "梦琪",
            "文博",
            "一鸣",
            "静",
            "磊",
            "海燕",
            "欣然",
            "立群",
        ]
    )
    out = []
    while len(out) < n:
        x = r.choice(xing) + r.choice(ming)
        if x not in out:
            out.append(x)
    return out


def names_en(r, n):
    f = [
        "Anna",
        "Tom",
        "Clara",
        "Ben",
        "Eva",
        "Jack",
        "Ruth",
        "Paul",
        "Nora",
        "Simon",
        "Lucy",
        "Mark",
        "Helen",
        "Oscar",
        "Grace",
        "Peter",
        "Alice",
        "Hugo",
        "Diane",
        "Frank",
    ]
    l = [
        "Miller",
        "Hughes",
        "Baker",
        "Foster",
        "Lane",
        "Archer",
        "Webb",
        "Stone",
        "Marsh",
        "Doyle",
        "Fletcher",
        "Osborne",
        "Price",
        "Hale",
        "Turner",
        "Kent",
    ]
    out = []
    while len(out) < n:
        x = r.choice(f) + " " + r.choice(l)
        if x not in out:
            out.append(x)
    return out


def housekeeping(p):
    r = random.Random(901)
    aunt, cust, vis = [], [], []
    for i, n in enumerate(names_zh(r, 28, True), 1):
        aunt.append(
            (
                f"A{i:02d}",
                n,
                r.choice(["四川", "安徽", "河南", "湖南", "江苏"]),
                str(day(r, D(1965, 1, 1), D(1992, 12, 31))),
                str(day(r, D(2018, 3, 1), D(2025, 8, 25))),
                r.choice(["初级", "初级", "中级", "中级", "高级", "金牌"]),
                r.choice([35, 40, 40, 45, 50, 55, 60, 70]),
                r.choice(["是", "否", "否"]),
                None if r.random() < 0.2 else str(day(r, D(2024, 10, 1), D(2026, 8, 1))),
            )
        )
    for i, n in enumerate(names_zh(r, 40), 1):
        cust.append(
            (
                i,
                n,
                r.choice(["翠湖花园", "阳光新城", "金色家园", "梧桐苑", "滨江一号"]),
                r.choice([58, 75, 89, 96, 110, 128, 145, 180, 260]),
                r.choice(["是", "否"]),
                str(day(r, D(2022, 1, 1), D(2025, 9, 10))),
                r.choice([0, 0, 200, 500, 1000, 1500, 3000]),
                r.choice([None, None, "猫", "狗"]),
            )
        )
    for i in range(1, 151):
        a = r.choice(aunt[:25])
        c = r.choice(cust[:35])
        d = day(r, D(2024, 6, 1), D(2025, 9, 16)) if i <= 138 else day(r, D(2025, 9, 18), D(2025, 10, 5))
        st = "已预约" if i > 138 else r.choice(["已完成"] * 7 + ["已取消"])
        h = r.choice([2, 2.5, 3, 3, 4, 4, 5, 6, 8])
        sc = r.choice([5, 5, 5, 4, 4, 3, 2, None]) if st == "已完成" else None
        vis.append(
            (
                1000 + i,
                a[0],
                c[0],
                str(d),
                r.choice(["日常保洁", "日常保洁", "擦玻璃", "做饭", "照看老人", "带孩子"]),
                h,
                round(h * a[6]),
                sc,
                st,
            )
        )
    vis.sort(key=lambda x: x[0])
    write(
        p,
        """
CREATE TABLE 阿姨 (工号 TEXT PRIMARY KEY, 姓名 TEXT, 籍贯 TEXT, 出生日期 TEXT, 入职日期 TEXT, 等级 TEXT, 时薪_元 INTEGER, 能否住家 TEXT, 健康证到期 TEXT);
CREATE TABLE 客户 (客户编号 INTEGER PRIMARY KEY, 姓名 TEXT, 小区 TEXT, 房屋面积_平米 INTEGER, 会员 TEXT, 注册日期 TEXT, 账户余额_元 INTEGER, 宠物 TEXT);
CREATE TABLE 上门记录 (单号 INTEGER PRIMARY KEY, 工号 TEXT REFERENCES 阿姨(工号), 客户编号 INTEGER REFERENCES 客户(客户编号), 上门日期 TEXT, 服务项目 TEXT, 时长_小时 REAL, 金额_元 INTEGER, 评分 INTEGER, 状态 TEXT);
""",
        {"阿姨": aunt, "客户": cust, "上门记录": vis},
    )


def driving(p):
    r = random.Random(902)
    co, le, ls, te = [], [], [], []
    nn = names_zh(r, 100)
    for i in range(1, 21):
        co.append(
            (
                i,
                nn[i - 1],
                r.choice(["男", "男", "女"]),
                r.randint(1, 22),
                r.choice(["手动挡", "自动挡"]),
                f"京{r.choice('ABCEF')}{r.randint(1000, 9999)}学",
                r.choice([None, 4.1, 4.3, 4.6, 4.8, 4.9]),
            )
        )
    for i in range(1, 71):
        k = r.choice(["C1", "C1", "C2", "C2", "B2"])
        le.append(
            (
                f"S{i:03d}",
                nn[20 + i],
                r.choice(["男", "女"]),
                r.randint(18, 52),
                str(day(r, D(2024, 3, 1), D(2025, 9, 15))),
                k,
                {"C1": 3200, "C2": 3800, "B2": 6800}[k] + r.choice([0, 0, 200, -300]),
                r.choice(["是", "是", "否"]),
                None if r.random() < 0.1 else r.randint(1, 18),
            )
        )
    for i in range(1, 151):
        s = r.choice(le[:62])
        d = day(r, D.fromisoformat(s[4]), D(2025, 9, 17))
        ls.append(
            (
                i,
                s[0],
                s[8] or r.randint(1, 18),
                str(d),
                r.choice(["科目二", "科目二", "科目三"]),
                r.choice([1, 1.5, 2, 2, 3]),
                r.choice([None, None, None, "迟到", "方向打得晚", "压线", "半坡熄火"]),
            )
        )
    for i in range(1, 131):
        s = r.choice(le[:58])
        d = day(r, D.fromisoformat(s[4]), D(2025, 9, 17))
        sc = r.choice([None] + [r.randint(50, 100)] * 12)
        km = r.choice(["科目一", "科目二", "科目三", "科目四"])
        te.append(
            (i, s[0], km, str(d), sc, None if sc is None else ("是" if sc >= (80 if km == "科目二" else 90) else "否"))
        )
    write(
        p,
        """
CREATE TABLE 教练 (教练号 INTEGER PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 教龄_年 INTEGER, 教练车类型 TEXT, 车牌 TEXT, 学员评分 REAL);
CREATE TABLE 学员 (学号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 年龄 INTEGER, 报名日期 TEXT, 准驾车型 TEXT, 学费_元 INTEGER, 学费是否缴清 TEXT, 教练号 INTEGER REFERENCES 教练(教练号));
CREATE TABLE 练车课 (课号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 学员(学号), 教练号 INTEGER REFERENCES 教练(教练号), 上课日期 TEXT, 科目 TEXT, 课时 REAL, 备注 TEXT);
CREATE TABLE 考试 (考试号 INTEGER PRIMARY KEY, 学号 TEXT REFERENCES 学员(学号), 科目 TEXT, 考试日期 TEXT, 成绩 INTEGER, 是否通过 TEXT);
""",
        {"教练": co, "学员": le, "练车课": ls, "考试": te},
    )


def phones(p):
    r = random.Random(903)
    m = {
        "苹果": [("iPhone 13", 5199), ("iPhone 14 Pro", 7999), ("iPhone 12 mini", 4499), ("iPhone 15", 5999)],
        "华为": [("Mate 60 Pro", 6999), ("P50", 4488), ("nova 11", 2499)],
        "小米": [("小米13", 3999), ("小米14 Ultra", 6499), ("Redmi K60", 2499)],
        "OPPO": [("Find X6", 4499), ("Reno 10", 2499)],
        "vivo": [("X90", 3999), ("S17", 2499)],
        "三星": [("Galaxy S23", 5699), ("Galaxy Z Flip5", 7499)],
    }
    nn = names_zh(r, 25)
    rows = []
    for i in range(1, 121):
        b = r.choice(["苹果", "苹果", "苹果", "华为", "华为", "小米", "小米", "OPPO", "vivo", "三星"])
        mo, o = r.choice(m[b])
        cs = r.choice(["99新", "95新", "9成新", "8成新"])
        d = day(r, D(2024, 8, 1), D(2025, 9, 17))
        f = {"99新": 0.75, "95新": 0.62, "9成新": 0.5, "8成新": 0.35}[cs] * r.uniform(0.7, 1.25)
        rows.append(
            (
                f"SJ{i:04d}",
                b,
                mo,
                r.choice(["黑色", "白色", "蓝色", "紫色", "绿色"]),
                r.choice([64, 128, 128, 256, 256, 512]),
                cs,
                round(o * f / 10) * 10,
                o if r.random() > 0.1 else None,
                None if r.random() < 0.12 else r.randint(72, 100),
                d.strftime("%Y/%m/%d"),
                r.choice(nn),
                r.choice(["有", "无", "无"]),
            )
        )
    write(
        p,
        """CREATE TABLE 二手手机 ("编号" TEXT, "品牌" TEXT, "型号" TEXT, "颜色" TEXT, "存储(GB)" INTEGER, "成色" TEXT, "售价(元)" INTEGER, "原价(元)" INTEGER, "电池健康(%)" INTEGER, "上架日期" TEXT, "卖家" TEXT, "发票" TEXT);""",
        {"二手手机": rows},
    )


def bakery(p):
    r = random.Random(904)
    pr = [
        ("Sourdough loaf", "bread", 4.8, 1000),
        ("Rye bread", "bread", 4.2, 750),
        ("Wholemeal loaf", "bread", 3.9, 750),
        ("Baguette", "bread", 1.9, 250),
        ("Walnut bread", "bread", 5.2, 500),
        ("Spelt bread", "bread", 5.5, 750),
        ("Ciabatta", "bread", 2.6, 300),
        ("Plain roll", "roll", 0.6, 60),
        ("Poppy seed roll", "roll", 0.75, 65),
        ("Cheese roll", "roll", 1.4, 90),
        ("Pretzel", "roll", 1.1, 85),
        ("Milk roll", "roll", 0.9, 70),
        ("Croissant", "pastry", 1.8, 70),
        ("Almond croissant", "pastry", 2.6, 95),
        ("Cinnamon bun", "pastry", 2.4, 110),
        ("Apple turnover", "pastry", 2.2, 120),
        ("Danish", "pastry", 2.3, 100),
        ("Apple cake", "cake", 18, 1200),
        ("Cheesecake", "cake", 24, 1500),
        ("Chocolate cake", "cake", 26, 1400),
        ("Carrot cake", "cake", 22, 1300),
        ("Birthday cake", "cake", 38, 2000),
        ("Oat cookie", "biscuit", 1.2, 45),
        ("Shortbread", "biscuit", 3.5, 200),
        ("Gingerbread", "biscuit", 4.0, None),
        ("Almond biscotti", "biscuit", 4.4, 180),
    ]
    prod = [
        (
            i,
            n,
            c,
            q,
            w,
            "yes"
            if n
            in (
                "Sourdough loaf",
                "Rye bread",
                "Baguette",
                "Plain roll",
                "Pretzel",
                "Oat cookie",
                "Spelt bread",
                "Ciabatta",
                "Apple turnover",
            )
            else "no",
            str(day(r, D(2015, 1, 1), D(2025, 7, 30))),
        )
        for i, (n, c, q, w) in enumerate(pr, 1)
    ]
    cust = [
        (
            i,
            n,
            r.choice(["private", "private", "private", "café", "hotel", "school"]),
            r.choice(["Church Lane", "Mill Road", "High Street", "Station Road", "Green End"]),
            None if r.random() < 0.25 else f"0{r.randint(1200, 1999)} {r.randint(100000, 999999)}",
            str(day(r, D(2019, 1, 1), D(2025, 9, 1))),
            r.choice(["yes", "no"]),
        )
        for i, n in enumerate(names_en(r, 36), 1)
    ]
    o, it = [], []
    for i in range(1, 141):
        c = r.choice(cust[:31])
        a = max(D.fromisoformat(c[5]), D(2024, 9, 1))
        o.append(
            (
                i,
                c[0],
                str(day(r, a, D(2025, 9, 17))),
                r.choice(["shop", "phone", "website"]),
                r.choice(["yes", "yes", "yes", "no"]),
                None if r.random() < 0.6 else r.choice(["2.50", "3.00", "4.50"]),
            )
        )
        o[-1] = o[-1][:5] + (None if o[-1][5] is None else float(o[-1][5]),)
        for q in r.sample(prod[:24], r.choice([1, 1, 2, 2, 3])):
            it.append(
                (len(it) + 1, i, q[0], r.choice([1, 1, 2]) if q[2] == "cake" else r.choice([1, 2, 3, 4, 6, 10, 12, 20]))
            )
    write(
        p,
        """
CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT, category TEXT, price_eur REAL, weight_g INTEGER, vegan TEXT, introduced_on TEXT);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, customer_type TEXT, street TEXT, phone TEXT, customer_since TEXT, newsletter TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), order_date TEXT, channel TEXT, paid TEXT, delivery_fee_eur REAL);
CREATE TABLE order_lines (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(order_id), product_id INTEGER REFERENCES products(product_id), quantity INTEGER);
""",
        {"products": prod, "customers": cust, "orders": o, "order_lines": it},
    )


def brigade(p):
    r = random.Random(905)
    mem = [
        (
            i,
            n,
            r.choice(["firefighter", "firefighter", "senior firefighter", "sergeant", "captain", "trainee"]),
            str(day(r, D(1962, 1, 1), D(2007, 12, 31))),
            None,
            r.choice(["yes", "no", "no"]),
            r.choice(["teacher", "farmer", "electrician", "nurse", "carpenter", None]),
        )
        for i, n in enumerate(names_en(r, 42), 1)
    ]
    mem = [m[:4] + (str(day(r, max(D(int(m[3][:4]) + 18, 1, 1), D(1990, 1, 1)), D(2025, 9, 1))),) + m[5:] for m in mem]
    veh = [
        (1, "Lion 1", "pumper", 2012, 2000, 9, "2025-03-14"),
        (2, "Lion 2", "pumper", 2019, 2400, 9, "2025-06-02"),
        (3, "Lion 3", "tanker", 2005, 5000, 3, "2024-05-20"),
        (4, "Lion 4", "ladder", 2016, None, 3, "2024-11-07"),
        (5, "Lion 5", "rescue", 2021, 800, 6, "2025-08-19"),
        (6, "Lion 6", "command car", 2018, None, 5, "2025-01-30"),
        (7, "Lion 7", "transport van", 2009, None, 8, "2023-10-11"),
        (8, "Old Bess", "pumper", 1978, 1200, 6, None),
        (9, "Lion 8", "rescue", 2014, 600, 6, "2025-02-12"),
        (10, "Lion 9", "tanker", 2022, 6500, 3, "2025-07-08"),
        (11, "Lion 10", "transport van", 2015, None, 9, "2024-09-30"),
        (12, "Lion 11", "command car", 2023, None, 5, "2025-04-22"),
    ]
    co, at = [], []
    for i in range(1, 121):
        k = r.choice(
            [
                "house fire",
                "traffic accident",
                "traffic accident",
                "flooding",
                "forest fire",
                "animal rescue",
                "alarm system",
            ]
        )
        fa = "yes" if r.random() < (0.5 if k == "alarm system" else 0.08) else "no"
        co.append(
            (
                i,
                str(day(r, D(2023, 10, 1), D(2025, 9, 16))),
                k,
                r.choice(["Ashford", "Bridgewood", "Coldbrook", "Dunmore", "Elmstead"]),
                r.randint(15, 60) if fa == "yes" else r.choice([None] + [r.randint(25, 420)] * 14),
                r.choice([1, 1, 2, 2, 3, 4, 5, 5, 6, 9, 10, 11]),
                r.randint(1, 12),
                fa,
                r.choice([0] * 7 + [1, 2]),
            )
        )
        crew = {co[-1][6]} | set(r.sample(range(1, 39), r.choice([1, 2, 2, 3, 3, 4])))
        at += [(i, m) for m in sorted(crew)]
    write(
        p,
        """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, rank TEXT, birth_date TEXT, joined_on TEXT, truck_licence TEXT, occupation TEXT);
CREATE TABLE vehicles (vehicle_id INTEGER PRIMARY KEY, call_sign TEXT, vehicle_type TEXT, year_built INTEGER, water_tank_l INTEGER, seats INTEGER, last_inspection TEXT);
CREATE TABLE callouts (callout_id INTEGER PRIMARY KEY, alarm_date TEXT, incident_type TEXT, village TEXT, duration_min INTEGER, vehicle_id INTEGER REFERENCES vehicles(vehicle_id), leader_id INTEGER REFERENCES members(member_id), false_alarm TEXT, injured INTEGER);
CREATE TABLE attendance (callout_id INTEGER REFERENCES callouts(callout_id), member_id INTEGER REFERENCES members(member_id), PRIMARY KEY (callout_id, member_id));
""",
        {"members": mem, "vehicles": veh, "callouts": co, "attendance": at},
    )


def museum(p):
    r = random.Random(906)
    fam = {
        "string": ["violin", "cello", "lute", "harp", "guitar"],
        "woodwind": ["flute", "oboe", "clarinet", "bassoon"],
        "brass": ["trumpet", "horn", "trombone"],
        "keyboard": ["harpsichord", "fortepiano", "spinet"],
        "percussion": ["kettledrum", "xylophone"],
    }
    ins, lo, re = [], [], []
    don = names_en(r, 10)
    for i in range(1, 66):
        f = r.choice(["string", "string", "string", "woodwind", "woodwind", "brass", "keyboard", "percussion"])
        ins.append(
            (
                f"MI-{i:03d}",
                r.choice(fam[f]),
                f,
                r.choice(["Hoffmann", "Ruggeri", "Broadwood", "Grenser", "Amati", None]),
                r.choice(["Germany", "Italy", "France", "England", "Austria"]),
                None if r.random() < 0.1 else r.randint(1640, 1935),
                r.choice([None, 800, 1500, 2400, 5000, 7800, 12000, 18500, 32000, 60000, 145000]),
                r.choice(["yes", "yes", "no"]),
                str(day(r, D(1988, 1, 1), D(2025, 8, 30))),
                r.choice([None] + don),
                r.choice(["Room 1", "Room 2", "Room 3", "Depot"]),
            )
        )
    ins = [x[:7] + ("no",) + x[8:] if x[10] == "Depot" else x for x in ins]
    for i in range(1, 71):
        x = r.choice(ins[:50])
        d = day(r, D(2022, 1, 10), D(2025, 9, 12))
        due = d + dt.timedelta(days=r.choice([30, 60, 90, 180]))
        ret = due + dt.timedelta(days=r.randint(-25, 14))
        lo.append(
            (
                i,
                x[0],
                r.choice(
                    [
                        "City Orchestra",
                        "Bach Festival",
                        "Royal Conservatory",
                        "Opera House",
                        "Summer Academy",
                        "National Museum",
                    ]
                ),
                str(d),
                str(due),
                str(ret) if ret <= TODAY and r.random() < 0.93 else None,
                r.choice([0, 50, 120, 200, 350, 600]),
            )
        )
    for i in range(1, 61):
        x = r.choice(ins[8:])
        d = day(r, D(2021, 2, 1), D(2025, 9, 10))
        e = d + dt.timedelta(days=r.randint(3, 120))
        fin = e <= TODAY
        re.append(
            (
                i,
                x[0],
                r.choice(["Greta Lindqvist", "Martin Voss", "Pia Conti", "Leo Hartmann"]),
                r.choice(["crack", "new strings", "cleaning", "tuning", "woodworm", "broken key"]),
                str(d),
                str(e) if fin else None,
                r.choice([45, 80, 150, 220, 380, 640, 1200, 2750]) if fin else None,
            )
        )
    write(
        p,
        """
CREATE TABLE instruments (inv_no TEXT PRIMARY KEY, instrument TEXT, family TEXT, maker TEXT, country TEXT, year_made INTEGER, insured_value_eur INTEGER, on_display TEXT, acquired_on TEXT, donor TEXT, location TEXT);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, inv_no TEXT REFERENCES instruments(inv_no), borrower TEXT, lent_on TEXT, due_on TEXT, returned_on TEXT, fee_eur INTEGER);
CREATE TABLE repairs (repair_id INTEGER PRIMARY KEY, inv_no TEXT REFERENCES instruments(inv_no), restorer TEXT, problem TEXT, started_on TEXT, finished_on TEXT, cost_eur INTEGER);
""",
        {"instruments": ins, "loans": lo, "repairs": re},
    )


def build():
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    out = {}
    for f in (housekeeping, driving, phones, bakery, brigade, museum):
        out[f.__name__] = folder / (f.__name__ + ".sqlite")
        f(out[f.__name__])
    return out
