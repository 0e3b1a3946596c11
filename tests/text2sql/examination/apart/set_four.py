"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)
DAY = dt.timedelta(days=1)

FIRST_F = [
    "Anna",
    "Laura",
    "Grace",
    "Priya",
    "Megan",
    "Sofia",
    "Chloe",
    "Hannah",
    "Olivia",
    "Ruth",
    "Nadia",
    "Ella",
    "Fiona",
    "Julia",
    "Carmen",
    "Alice",
    "Tara",
    "Wendy",
    "Iris",
    "Bianca",
]
FIRST_M = [
    "Tom",
    "Daniel",
    "Marcus",
    "Kevin",
    "Oscar",
    "Peter",
    "Liam",
    "Hugo",
    "Samuel",
    "Victor",
    "Adam",
    "Noah",
    "Felix",
    "Ivan",
    "Ryan",
    "Diego",
    "George",
    "Paul",
    "Simon",
    "Ethan",
]
LAST = [
    "Kim",
    "Baker",
    "Novak",
    "Ortiz",
    "Shah",
    "Murphy",
    "Wells",
    "Fischer",
    "Rossi",
    "Green",
    "Lopez",
    "Hughes",
    "Tanaka",
    "Olsen",
    "Doyle",
    "Weber",
    "Clark",
    "Haddad",
    "Price",
    "Young",
    "Moreau",
    "Grant",
    "Silva",
    "Becker",
    "Reed",
    "Ward",
    "Cohen",
    "Walsh",
    "Park",
    "Stone",
]
XING = "王李张刘陈杨黄赵周吴徐孙马朱胡林郭何高罗"
MING_F = ["芳", "秀英", "丽", "静", "敏", "艳", "婷婷", "雪", "梦琪", "佳怡", "欣", "慧", "玉兰", "晓燕", "雨桐"]
MING_M = ["伟", "强", "磊", "军", "洋", "勇", "杰", "涛", "志明", "浩然", "子轩", "建国", "鹏", "俊", "国栋"]


def names(r, n):
    out, seen = [], set()
    while len(out) < n:
        g = r.choice("FM")
        name = r.choice(FIRST_F if g == "F" else FIRST_M) + " " + r.choice(LAST)
        if name not in seen:
            seen.add(name)
            out.append((name, g))
    return out


def xingming(r, n, taken=()):
    out, seen = [], set(taken)
    while len(out) < n:
        g = r.choice("男女")
        name = r.choice(XING) + r.choice(MING_F if g == "女" else MING_M)
        if name not in seen:
            seen.add(name)
            out.append((name, g))
    return out


def day(r, a, b):
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return a + DAY * r.randrange((b - a).days + 1)


def fill(path, script, **tables):
    con = sqlite3.connect(path)
    con.execute("PRAGMA foreign_keys=ON")
    con.executescript(script)
    for t, rows in tables.items():
        con.executemany(f'INSERT INTO "{t}" VALUES ({",".join("?" * len(rows[0]))})', rows)
    con.commit()
    con.close()
    return path


def gym(path):
    r = random.Random(41)
    fee = {"Basic": 29.0, "Plus": 45.0, "Premium": 69.0, "Student": 19.0}
    members = []
    for i, (name, g) in enumerate(names(r, 64), 1):
        plan = r.choices(list(fee), [5, 4, 3, 2])[0]
        born = day(r, "2001-01-01", "2007-06-30") if plan == "Student" else day(r, "1955-01-01", "2003-12-31")
        joined = day(r, "2022-01-10", "2025-09-10")
        mail = (
            None
            if r.random() < 0.2
            else name.lower().replace(" ", ".") + r.choice(["@gmail.com", "@outlook.com", "@mail.net"])
        )
        ref = r.randrange(1, min(i, 15)) if i > 3 and r.random() < 0.3 else None
        members.append(
            (
                i,
                name,
                g,
                str(born),
                mail,
                plan,
                fee[plan] - (5 if r.random() < 0.15 else 0),
                str(joined),
                ref,
                "yes" if r.random() < 0.78 else "no",
            )
        )
    classes = [
        (1, "Morning Yoga", "Mina Sato", "Monday", "07:00", 60, 18, "beginner"),
        (2, "Power Yoga", "Mina Sato", "Thursday", "18:30", 75, 16, "advanced"),
        (3, "Spin Express", "Ben Akers", "Tuesday", "12:15", 30, 24, "intermediate"),
        (4, "Spin Endurance", "Ben Akers", "Saturday", "09:00", 90, 24, "advanced"),
        (5, "Pilates Basics", "Ingrid Lund", "Wednesday", "17:30", 50, 14, "beginner"),
        (6, "Reformer Pilates", "Ingrid Lund", "Friday", "10:00", 50, 8, "intermediate"),
        (7, "Boxing", "Carlos Vega", "Tuesday", "19:00", 60, 20, "intermediate"),
        (8, "Kickboxing", "Carlos Vega", "Thursday", "20:00", 60, 20, "advanced"),
        (9, "Zumba", "Jess Holloway", "Friday", "18:00", 55, 30, "beginner"),
        (10, "Body Pump", "Jess Holloway", "Monday", "18:00", 45, 25, "intermediate"),
        (11, "HIIT Circuit", "Ben Akers", "Wednesday", "06:30", 40, 20, "advanced"),
        (12, "Senior Stretch", "Ingrid Lund", "Tuesday", "10:30", 45, 12, "beginner"),
        (13, "Aqua Fit", None, "Saturday", "11:00", 45, 15, "beginner"),
    ]
    wd = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    regular = r.sample(range(1, 65), 52)
    weight = [r.choice([1, 1, 2, 3, 5]) for _ in regular]
    checks = []
    while len(checks) < 150:
        m = r.choices(regular, weight)[0]
        joined = dt.date.fromisoformat(members[m - 1][7])
        d = day(r, "2025-01-02" if r.random() < 0.8 else "2025-07-20", "2025-09-17")
        if d < joined or d.weekday() == 6 or d in (dt.date(2025, 8, 18), dt.date(2025, 9, 10)):
            continue
        c = None
        if r.random() < 0.68:
            pos = [k[0] for k in classes if k[3] == wd[d.weekday()] and k[0] not in (12,)]
            c = r.choice(pos)
        stay = r.choice([35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 95, 110, 120])
        checks.append((d, m, c, None if r.random() < 0.07 else stay))
    checks.sort(key=lambda x: x[0])
    checks = [
        (1000 + i, m, c, str(d), s, "yes" if r.random() < 0.18 else "no") for i, (d, m, c, s) in enumerate(checks, 1)
    ]
    return fill(
        path,
        """
CREATE TABLE members(member_id INTEGER PRIMARY KEY, full_name TEXT, gender TEXT, birth_date TEXT, email TEXT, plan TEXT,
  monthly_fee_usd REAL, joined_on TEXT, referred_by INTEGER REFERENCES members(member_id), active TEXT);
CREATE TABLE classes(class_id INTEGER PRIMARY KEY, class_name TEXT, instructor TEXT, weekday TEXT, start_time TEXT,
  duration_min INTEGER, capacity INTEGER, level TEXT);
CREATE TABLE checkins(checkin_id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL REFERENCES members(member_id),
  class_id INTEGER REFERENCES classes(class_id), checkin_date TEXT, minutes_stayed INTEGER, brought_guest TEXT);
""",
        members=members,
        classes=classes,
        checkins=checks,
    )


def charity(path):
    r = random.Random(42)
    towns = {
        "Leeds": "United Kingdom",
        "Bristol": "United Kingdom",
        "Dublin": "Ireland",
        "Cork": "Ireland",
        "Lyon": "France",
        "Ghent": "Belgium",
    }
    orgs = [
        "Harbour Foods Ltd",
        "Brightline Software",
        "Oakfield Trust",
        "Marlow Family Foundation",
        "Northgate Bank",
        "Sunrise Bakery",
        "Pemberton Trust",
        "Green Valley Farms",
    ]
    typ = {
        "Ltd": "company",
        "Software": "company",
        "Trust": "foundation",
        "Foundation": "foundation",
        "Bank": "company",
        "Bakery": "company",
        "Farms": "company",
    }
    donors = []
    ppl = [n for n, _ in names(r, 44)]
    allp = ppl + orgs
    r.shuffle(allp)
    for i, n in enumerate(allp, 1):
        t = r.choices(list(towns), [5, 3, 4, 2, 2, 2])[0]
        k = typ.get(n.split()[-1], "individual") if n in orgs else "individual"
        donors.append(
            (
                f"D{i:03d}",
                n,
                k,
                t,
                towns[t],
                None
                if r.random() < 0.25
                else f"+{dict(zip(('United Kingdom', 'Ireland', 'France', 'Belgium'), (44, 353, 33, 32), strict=False))[towns[t]]} {r.randrange(10**8, 10**9)}",
                str(day(r, "2021-02-01", "2025-08-20")),
                r.choice([1, 1, 0]),
            )
        )
    campaigns = [
        ("C01", "Winter Shelter 2024", "homelessness", 2000, "2024-11-01", "2025-02-28", "Ruth Okafor"),
        ("C02", "Books for Schools", "education", 5000, "2024-08-15", "2025-06-30", "Tim Barlow"),
        ("C03", "Clean Rivers", "environment", 4000, "2025-03-01", None, "Elena Costa"),
        ("C04", "Flood Relief", "emergency", 3000, "2025-05-10", "2025-08-31", "Ruth Okafor"),
        ("C05", "Scholarship Fund", "education", 4500, "2024-06-01", None, "Tim Barlow"),
        ("C06", "Plant 1000 Trees", "environment", 1200, "2025-04-01", "2025-10-31", "Elena Costa"),
        ("C07", "Hot Meals", "homelessness", 3500, "2025-01-15", "2025-12-31", None),
        ("C08", "Earthquake Appeal", "emergency", 3800, "2024-09-05", "2025-01-31", "Ruth Okafor"),
        ("C09", "Children's Hospital Wing", "health", 6000, "2024-10-01", "2026-03-31", "Maya Lindqvist"),
        ("C10", "Vaccines Now", "health", 1500, "2025-02-01", "2025-07-31", "Maya Lindqvist"),
        ("C11", "Night School", "education", 900, "2025-09-01", "2026-06-30", "Tim Barlow"),
    ]
    givers = r.sample(range(52), 43)
    w = [r.choice([1, 2, 2, 4]) for _ in givers]
    gifts = []
    while len(gifts) < 146:
        i = r.choices(givers, w)[0]
        d = donors[i]
        when = day(r, "2024-06-01", "2025-09-16")
        if str(when) < d[6]:
            continue
        pos = [c[0] for c in campaigns[:10] if c[4] <= str(when) and (c[5] or "9999") >= str(when)]
        c = None if r.random() < 0.12 or not pos else r.choice(pos)
        if d[2] == "individual":
            a = r.choice([10, 15, 20, 25, 25, 30, 40, 50, 50, 60, 75, 80, 100, 100, 120, 150, 200, 250, 300, 500])
        else:
            a = r.choice([500, 750, 800, 1000, 1200, 1500, 2000, 2500, 3000, 5000, 7500])
        thanks = None if r.random() < 0.22 else str(min(when + DAY * r.randrange(1, 15), TODAY))
        gifts.append(
            (
                when,
                d[0],
                c,
                float(a),
                r.choices(["card", "bank transfer", "cash", "PayPal"], [5, 4, 1.4, 2])[0],
                "Y" if r.random() < 0.3 else "N",
                thanks,
            )
        )
    gifts.sort(key=lambda x: x[0])
    gifts = [(i, a[1], a[2], str(a[0])) + a[3:] for i, a in enumerate(gifts, 1)]
    return fill(
        path,
        """
CREATE TABLE Donors(DonorID TEXT PRIMARY KEY, DonorName TEXT, DonorType TEXT, Town TEXT, Country TEXT, Phone TEXT,
  RegisteredOn TEXT, Newsletter INTEGER);
CREATE TABLE Campaigns(CampaignID TEXT PRIMARY KEY, Title TEXT, Cause TEXT, GoalEUR INTEGER, StartDate TEXT, EndDate TEXT, Coordinator TEXT);
CREATE TABLE Gifts(GiftID INTEGER PRIMARY KEY, DonorID TEXT NOT NULL REFERENCES Donors(DonorID),
  CampaignID TEXT REFERENCES Campaigns(CampaignID), GiftDate TEXT, AmountEUR REAL, PaymentMethod TEXT, Recurring TEXT, ThankedOn TEXT);
""",
        Donors=donors,
        Campaigns=campaigns,
        Gifts=gifts,
    )


def support(path):
    r = random.Random(43)
    nm = names(r, 58)
    agents = []
    for i in range(10):
        agents.append(
            (
                i + 1,
                nm[i][0],
                [
                    "Billing",
                    "Billing",
                    "Shipping",
                    "Shipping",
                    "Shipping",
                    "Technical",
                    "Technical",
                    "Technical",
                    "Returns",
                    "Returns",
                ][i],
                str(day(r, "2020-03-01", "2025-07-15")),
                ["day", "night", "day", "evening", "night", "day", "day", "evening", "day", "evening"][i],
                r.choice(["yes", "no"]),
            )
        )
    customers = []
    for i, (n, _) in enumerate(nm[10:], 1):
        c = r.choices(["USA", "Canada", "Germany", "Australia", "Brazil"], [6, 3, 3, 2, 1])[0]
        customers.append(
            (
                f"CU{i:03d}",
                n,
                None if r.random() < 0.15 else n.lower().replace(" ", "_") + "@example.com",
                c,
                r.choices(["standard", "silver", "gold"], [5, 3, 2])[0],
                str(day(r, "2022-05-01", "2025-08-30")),
                round(r.uniform(20, 900) * r.choice([1, 1, 1, 3]), 2),
            )
        )
    subj = {
        "delivery": ["Parcel never arrived", "Wrong address on parcel", "Delivery is late", "Package arrived damaged"],
        "refund": ["Refund not received", "Refund amount is wrong", "Want my money back"],
        "product": ["Zipper broken", "Wrong size sent", "Headphones stopped working", "Missing parts in box"],
        "account": ["Cannot log in", "Password reset email missing", "Change my email"],
        "payment": ["Card charged twice", "Coupon not accepted", "Payment declined"],
    }
    askers = r.sample(range(48), 41)
    w = [r.choice([1, 1, 2, 4]) for _ in askers]
    raw = []
    while len(raw) < 140:
        cu = customers[r.choices(askers, w)[0]]
        o = day(r, "2024-10-01" if r.random() < 0.7 else "2025-06-01", "2025-09-16")
        if str(o) < cu[5] or o in (dt.date(2025, 9, 10), dt.date(2025, 9, 7), dt.date(2025, 9, 14)):
            continue
        cat = r.choices(list(subj), [5, 3, 4, 2, 3])[0]
        old = (TODAY - o).days
        days = r.choice([0, 0, 1, 1, 2, 2, 3, 4, 5, 7, 9, 14, 21])
        if r.random() < 0.83 and days < old:
            st, cl = r.choice(["closed", "closed", "closed"]), str(o + DAY * days)
        else:
            st, cl = r.choice(["open", "pending"]), None
        ok = [a for a in agents[:9] if a[3] <= str(o)]
        ag = None if st == "open" and r.random() < 0.45 else r.choice(ok)[0]
        raw.append(
            (
                o,
                cu[0],
                ag,
                r.choice(subj[cat]),
                cat,
                r.choices(["low", "normal", "high", "urgent"], [3, 6, 3, 1.5])[0],
                st,
                r.choices(["email", "chat", "phone"], [5, 4, 2])[0],
                cl,
                None if ag is None else r.choice([3, 5, 8, 12, 15, 20, 25, 35, 45, 60, 90, 120, 150, 240, 360]),
                r.choices([1, 2, 3, 4, 5], [1, 1.3, 2, 4, 4])[0] if cl and r.random() < 0.7 else None,
            )
        )
    raw.sort(key=lambda x: x[0])
    tickets = [(5000 + i, a[1], a[2], a[3], a[4], a[5], a[6], a[7], str(a[0])) + a[8:] for i, a in enumerate(raw, 1)]
    return fill(
        path,
        """
CREATE TABLE agents(agent_id INTEGER PRIMARY KEY, agent_name TEXT, team TEXT, hire_date TEXT, shift TEXT, works_remote TEXT);
CREATE TABLE customers(customer_id TEXT PRIMARY KEY, customer_name TEXT, email TEXT, country TEXT, tier TEXT, signup_date TEXT, total_spent REAL);
CREATE TABLE tickets(ticket_id INTEGER PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers(customer_id),
  agent_id INTEGER REFERENCES agents(agent_id), subject TEXT, category TEXT, priority TEXT, status TEXT, channel TEXT,
  opened_on TEXT, closed_on TEXT, first_reply_min INTEGER, satisfaction INTEGER);
""",
        agents=agents,
        customers=customers,
        tickets=tickets,
    )


def houses(path):
    r = random.Random(44)
    xq = {
        "阳光花园": "朝阳区",
        "翠湖雅苑": "海淀区",
        "金桂苑": "丰台区",
        "学府里": "海淀区",
        "万柳家园": "海淀区",
        "东方明珠": "朝阳区",
        "望京新城": "朝阳区",
        "梨园小区": "通州区",
        "运河湾": "通州区",
        "方庄南里": "丰台区",
        "鼓楼胡同院": "西城区",
        "德胜里": "西城区",
    }
    unit = {"朝阳区": 6.5, "海淀区": 8.6, "丰台区": 5.2, "通州区": 3.6, "西城区": 11.2}
    built = {k: r.randrange(1988, 2020) for k in xq}
    built["鼓楼胡同院"] = None
    ag = [n for n, _ in xingming(r, 8)]
    size = {"1室1厅": (38, 58), "2室1厅": (56, 92), "3室1厅": (84, 115), "3室2厅": (98, 138), "4室2厅": (130, 190)}
    rows = []
    for i in range(1, 121):
        x = r.choice(list(xq))
        hx = r.choices(list(size), [3, 5, 3, 3, 1.4])[0]
        m = round(r.uniform(*size[hx]), 1)
        price = round(m * unit[xq[x]] * r.uniform(0.85, 1.15))
        d = day(r, "2024-03-01" if r.random() < 0.5 else "2025-03-01", "2025-09-16")
        rows.append(
            (
                f"ESF{2000 + i}",
                xq[x],
                x,
                hx,
                m,
                price,
                r.choice(["低楼层", "中楼层", "高楼层"]),
                None if r.random() < 0.08 else r.choices(["精装", "简装", "毛坯"], [5, 4, 1.5])[0],
                r.choices(["有", "无"], [6, 4])[0],
                built[x],
                d.strftime("%Y/%m/%d"),
                None if r.random() < 0.06 else r.choice(ag),
            )
        )
    return fill(
        path,
        """
CREATE TABLE "二手房房源"("房源编号" TEXT, "区域" TEXT, "小区" TEXT, "户型" TEXT, "面积(㎡)" REAL, "挂牌价(万)" INTEGER, "楼层" TEXT,
  "装修" TEXT, "电梯(有/无)" TEXT, "建成年份" INTEGER, "挂牌日期" TEXT, "经纪人" TEXT);
""",
        二手房房源=rows,
    )


def hotel(path):
    r = random.Random(45)
    base = {"单人间": (198, 1), "大床房": (288, 2), "双床房": (298, 2), "家庭房": (458, 4), "套房": (688, 3)}
    rooms = []
    for f in range(2, 7):
        for k in range(1, 7):
            t = "套房" if f == 6 and k > 3 else r.choices(["单人间", "大床房", "双床房", "家庭房"], [2, 4, 4, 2])[0]
            rooms.append(
                (
                    f"{f}0{k}",
                    t,
                    f,
                    base[t][0] + 10 * (f - 2) + r.choice([0, 0, 20]),
                    base[t][1],
                    r.choices(["是", "否"], [3, 2])[0],
                    r.choices(["空闲", "维修中"], [12, 1])[0],
                )
            )
    guests = []
    for i, (n, g) in enumerate(xingming(r, 56), 1):
        guests.append(
            (
                i,
                n,
                g,
                r.choices(["上海", "北京", "杭州", "广州", "成都", None], [5, 4, 3, 3, 2, 1])[0],
                str(day(r, "1958-01-01", "2005-12-31")),
                r.choices(["普通", "银卡", "金卡", "钻石"], [6, 3, 2, 1])[0],
                None if r.random() < 0.15 else f"1{r.choice('3578')}{r.randrange(10**8, 10**9)}",
            )
        )
    come = r.sample(range(1, 57), 47)
    w = [r.choice([1, 1, 2, 3, 6]) for _ in come]
    ok = [x for x in rooms if x[6] != "维修中"]
    busy, stays, tries = {}, [], 0
    ok = ok[:-2]
    while len(stays) < 150 and tries < 5000:
        tries += 1
        x = r.choice(ok)
        d = day(r, "2024-05-01" if r.random() < 0.75 else "2025-07-15", "2025-09-16")
        n = r.choices([1, 2, 3, 4, 5, 7], [6, 6, 4, 2, 1, 1])[0]
        if any(d + DAY * k in busy.setdefault(x[0], set()) for k in range(n)):
            continue
        busy[x[0]].update(d + DAY * k for k in range(n))
        gone = d + DAY * n
        inhouse = gone > TODAY
        ch = r.choices(["携程", "美团", "电话", "前台", "官网"], [5, 4, 1.5, 2, 2])[0]
        stays.append(
            (
                d,
                x[0],
                r.choices(come, w)[0],
                None if inhouse else str(gone),
                ch,
                None if inhouse else round(x[3] * n * r.choice([1, 1, 0.9, 0.85]), 1),
                r.choices(["是", "否"], [2, 3])[0],
                None if inhouse or r.random() < 0.35 else r.choices([1, 2, 3, 4, 5], [0.6, 1, 2, 4, 5])[0],
            )
        )
    stays.sort(key=lambda s: (s[0], s[1]))
    now = {s[1] for s in stays if s[3] is None}
    rooms = [x[:6] + ("入住中" if x[0] in now else x[6],) for x in rooms]
    stays = [(f"R{i:04d}", s[1], s[2], str(s[0])) + s[3:] for i, s in enumerate(stays, 1)]
    return fill(
        path,
        """
CREATE TABLE "客房"("房号" TEXT PRIMARY KEY, "房型" TEXT, "楼层" INTEGER, "门市价" INTEGER, "可住人数" INTEGER, "有窗" TEXT, "状态" TEXT);
CREATE TABLE "客人"("客人编号" INTEGER PRIMARY KEY, "姓名" TEXT, "性别" TEXT, "城市" TEXT, "出生日期" TEXT, "会员等级" TEXT, "手机号" TEXT);
CREATE TABLE "入住"("订单号" TEXT PRIMARY KEY, "房号" TEXT NOT NULL REFERENCES "客房"("房号"), "客人编号" INTEGER NOT NULL REFERENCES "客人"("客人编号"),
  "入住日期" TEXT, "离店日期" TEXT, "预订渠道" TEXT, "实付金额" REAL, "含早餐" TEXT, "评分" INTEGER);
""",
        客房=rooms,
        客人=guests,
        入住=stays,
    )


def factory(path):
    r = random.Random(46)
    kinds = {
        "数控车床": (38, 15),
        "铣床": (26, 11),
        "注塑机": (52, 30),
        "冲压机": (45, 37),
        "激光切割机": (88, 20),
        "焊接机器人": (64, 12),
    }
    ppl = [n for n, _ in xingming(r, 12)]
    chief, fixers = ppl[:6], ppl[6:]
    dev, cnt = [], {}
    for i in range(1, 31):
        k = r.choices(list(kinds), [5, 3, 5, 4, 3, 3])[0]
        cnt[k] = cnt.get(k, 0) + 1
        v, p = kinds[k]
        ws = {
            "数控车床": "机加工车间",
            "铣床": "机加工车间",
            "注塑机": "注塑车间",
            "冲压机": "冲压车间",
            "激光切割机": "冲压车间",
            "焊接机器人": "焊装车间",
        }[k]
        dev.append(
            (
                f"SB{i:02d}",
                f"{k}{cnt[k]}号",
                k,
                ws,
                str(day(r, "2012-05-01", "2025-06-30")),
                round(v * r.uniform(0.7, 1.4), 1),
                None if r.random() < 0.1 else p + r.choice([0, 0, 2, 5.5]),
                None if r.random() < 0.1 else r.choice(chief),
                r.choices(["是", "否"], [5, 1])[0],
            )
        )
    bad = r.sample(dev, 22)
    w = [r.choice([1, 1, 2, 4]) for _ in bad]
    fix = []
    while len(fix) < 72:
        d = r.choices(bad, w)[0]
        when = day(r, "2024-01-05", "2025-09-15")
        if str(when) < d[4]:
            continue
        fix.append(
            (
                when,
                d[0],
                r.choices(["电气故障", "机械磨损", "漏油", "程序报错", "其他"], [4, 5, 2, 3, 1])[0],
                r.choice([0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 12, 16, 24, 36, 48, 72]),
                None
                if r.random() < 0.1
                else r.choice(
                    [0, 120, 180, 260, 350, 480, 500, 650, 800, 950, 1200, 1500, 2200, 3600, 5800, 8600, 12000]
                ),
                r.choice(fixers),
                "否" if when > TODAY - DAY * 40 and r.random() < 0.5 or r.random() < 0.06 else "是",
            )
        )
    fix.sort(key=lambda x: x[0])
    fix = [(f"WX{i:03d}", x[1], str(x[0])) + x[2:] for i, x in enumerate(fix, 1)]
    run = [d for d in dev if d[8] == "是"]
    prod = {
        "数控车床": ["传动轴", "法兰盘"],
        "铣床": ["法兰盘", "齿轮坯"],
        "注塑机": ["塑料外壳", "按钮"],
        "冲压机": ["支架", "底板"],
        "激光切割机": ["底板"],
        "焊接机器人": ["支架"],
    }
    out, seen = [], set()
    lazy = {run[3][0], run[11][0]}
    while len(out) < 150:
        d = r.choice(run)
        when = day(r, "2025-03-01", "2025-09-16")
        sh = r.choices(["早班", "中班", "晚班"], [5, 4, 3])[0]
        if d[0] in lazy or str(when) < d[4] or (d[0], when, sh) in seen:
            continue
        seen.add((d[0], when, sh))
        n = r.randrange(80, 620)
        out.append(
            (
                when,
                d[0],
                sh,
                r.choice(prod[d[2]]),
                n,
                None if r.random() < 0.06 else int(n * r.choice([0, 0, 0.005, 0.01, 0.01, 0.02, 0.03, 0.05, 0.08])),
            )
        )
    out = [x[:5] + (x[5] + 3 if x[3] == "法兰盘" and x[5] is not None else x[5],) for x in out]
    out.sort(key=lambda x: (x[0], x[1], x[2]))
    out = [(i, x[1], str(x[0])) + x[2:] for i, x in enumerate(out, 1)]
    return fill(
        path,
        """
CREATE TABLE "设备"("设备编号" TEXT PRIMARY KEY, "设备名称" TEXT, "类型" TEXT, "车间" TEXT, "购入日期" TEXT, "原值(万元)" REAL, "功率(kW)" REAL, "负责人" TEXT, "是否在用" TEXT);
CREATE TABLE "维修"("维修单号" TEXT PRIMARY KEY, "设备编号" TEXT NOT NULL REFERENCES "设备"("设备编号"), "报修日期" TEXT, "故障类型" TEXT, "停机时长(小时)" REAL,
  "维修费用(元)" REAL, "维修工" TEXT, "是否修好" TEXT);
CREATE TABLE "产量"("记录号" INTEGER PRIMARY KEY, "设备编号" TEXT NOT NULL REFERENCES "设备"("设备编号"), "日期" TEXT, "班次" TEXT, "产品" TEXT, "产量(件)" INTEGER, "不良品(件)" INTEGER);
""",
        设备=dev,
        维修=fix,
        产量=out,
    )


def build() -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    return {f.__name__: f(folder / f"{f.__name__}.sqlite") for f in (gym, charity, support, houses, hotel, factory)}
