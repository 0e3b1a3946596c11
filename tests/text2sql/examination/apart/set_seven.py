"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)
D = dt.date


def _day(r, first, last):
    return first + dt.timedelta(days=r.randint(0, (last - first).days))


def _make(folder, name, ddl, rows):
    path = folder / f"{name}.sqlite"
    con = sqlite3.connect(path)
    con.executescript(ddl)
    for table, data in rows.items():
        marks = ",".join("?" * len(data[0]))
        con.executemany(f'INSERT INTO "{table}" VALUES ({marks})', data)
    con.commit()
    con.close()
    return path


def _names(r, firsts, lasts, n):
    seen = []
    while len(seen) < n:
        one = f"{r.choice(firsts)} {r.choice(lasts)}"
        if one not in seen:
            seen.append(one)
    return seen


def _chinese_names(r, n):
    sur = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何林高罗"
    given = [
        "伟",
        "敏",
        "静",
        "磊",
        "洋",
        "艳",
        "勇",
        "杰",
        "娟",
        "涛",
        "明",
        "超",
        "秀英",
        "志强",
        "建国",
        "晓东",
        "丽华",
        "海燕",
        "俊杰",
        "雨桐",
        "子涵",
        "浩然",
        "欣怡",
        "思远",
        "文博",
        "佳琪",
        "国栋",
        "春梅",
    ]
    seen = []
    while len(seen) < n:
        one = r.choice(sur) + r.choice(given)
        if one not in seen:
            seen.append(one)
    return seen


# ---------------------------------------------------------------- coworking
def coworking(folder):
    r = random.Random(4101)
    firsts = [
        "Anna",
        "Ben",
        "Clara",
        "David",
        "Elena",
        "Felix",
        "Grace",
        "Hugo",
        "Irene",
        "Jonas",
        "Kate",
        "Liam",
        "Maya",
        "Nils",
        "Olivia",
        "Paul",
        "Rosa",
        "Simon",
        "Tara",
        "Victor",
    ]
    lasts = [
        "Adler",
        "Brooks",
        "Castillo",
        "Dumont",
        "Ellis",
        "Fischer",
        "Grant",
        "Hoffman",
        "Ivanov",
        "Jensen",
        "Keller",
        "Lopez",
        "Moreau",
        "Novak",
        "Owens",
    ]
    companies = ["Pixelworks", "Greenleaf Studio", "Nordic Data", "Bright Legal", "Tinker Labs"]
    fee = {"Flex": 120, "Resident": 260, "Team": 340, "Night Owl": 90}
    members = []
    for i, name in enumerate(_names(r, firsts, lasts, 60)):
        plan = r.choices(list(fee), [5, 4, 3, 2])[0]
        joined = _day(r, D(2022, 2, 1), D(2025, 9, 10))
        notice = None
        if r.random() < 0.45 and joined < D(2025, 6, 15):
            notice = _day(r, max(joined + dt.timedelta(days=60), D(2025, 1, 1)), D(2025, 9, 12)).isoformat()
        members.append(
            (
                i + 1,
                name,
                None if r.random() < 0.35 else r.choice(companies),
                plan,
                fee[plan] + r.choice([-20, -10, 0, 0, 0, 15, 25]),
                joined.isoformat(),
                notice,
                r.choice(["yes", "no", "no"]),
                None if r.random() < 0.2 else f"+49 30 {r.randint(1000000, 9999999)}",
            )
        )
    kinds = {"hot desk": 18, "fixed desk": 28, "standing desk": 24, "phone booth": 15}
    desks = []
    for i in range(24):
        kind = r.choices(list(kinds), [4, 3, 2, 1])[0]
        desks.append(
            (
                i + 1,
                f"{'ABCD'[i // 6]}-{i % 6 + 1:02d}",
                i // 6,
                kind,
                kinds[kind] + r.choice([-2, -1, 0, 0, 1, 2, 4.5]),
                r.choice(["yes", "no"]),
            )
        )
    bookers = [m for m in members if r.random() < 0.78]
    usable = [d[0] for d in desks if d[0] not in (5, 14, 22)]
    bookings = []
    while len(bookings) < 150:
        m = r.choice(bookers)
        first = max(D(2025, 2, 1), D.fromisoformat(m[5]))
        last = D(2025, 9, 30)
        if first >= last:
            continue
        bookings.append((m[0], r.choice(usable), _day(r, first, last), r.choice([2, 3, 4, 4, 6, 8, 8, 9.5])))
    bookings.sort(key=lambda b: b[2])
    bookings = [(1001 + i, a, b, c.isoformat(), d) for i, (a, b, c, d) in enumerate(bookings)]
    invoices = []
    while len(invoices) < 130:
        m = r.choice(members[:54])
        first = max(D(2024, 6, 1), D.fromisoformat(m[5]))
        last = D(2025, 9, 15)
        if first >= last:
            continue
        issued = _day(r, first, last)
        due = issued + dt.timedelta(days=14)
        amount = round(m[4] * r.choice([1, 1, 1, 0.5, 2]) + r.choice([0, 0, 12.5, 30, 45.9]), 2)
        unpaid = r.random() < (0.6 if issued >= D(2025, 8, 1) else 0.12)
        paid = None if unpaid else issued + dt.timedelta(days=r.randint(1, 30))
        if paid and paid > TODAY:
            paid = None
        invoices.append(
            (
                issued,
                m[0],
                due,
                amount,
                paid,
                r.choice(["card", "bank transfer", "bank transfer", "cash"]) if paid else None,
            )
        )
    invoices.sort(key=lambda b: b[0])
    invoices = [
        (f"INV-{i + 1:04d}", m, issued.isoformat(), due.isoformat(), amount, paid.isoformat() if paid else None, how)
        for i, (issued, m, due, amount, paid, how) in enumerate(invoices)
    ]
    ddl = """
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, company TEXT, plan TEXT,
  monthly_fee_eur REAL, joined_on TEXT, notice_given_on TEXT, has_locker TEXT, phone TEXT);
CREATE TABLE desks (desk_id INTEGER PRIMARY KEY, label TEXT NOT NULL, floor INTEGER, desk_type TEXT,
  day_rate_eur REAL, has_monitor TEXT);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members(member_id),
  desk_id INTEGER REFERENCES desks(desk_id), booking_date TEXT, hours REAL);
CREATE TABLE invoices (invoice_id TEXT PRIMARY KEY, member_id INTEGER REFERENCES members(member_id),
  issued_on TEXT, due_on TEXT, amount_eur REAL, paid_on TEXT, payment_method TEXT);
"""
    return _make(
        folder, "coworking", ddl, {"members": members, "desks": desks, "bookings": bookings, "invoices": invoices}
    )


# ------------------------------------------------------------------- league
def league(folder):
    r = random.Random(4202)
    names = [
        "Riverside Rovers",
        "Oakfield United",
        "Mill Lane Lions",
        "Harbour Hawks",
        "Castle Colts",
        "Northgate Rangers",
        "Elmwood Eagles",
        "Parkside Panthers",
        "Stonebridge Stars",
        "Westbury Wolves",
        "Hillcrest Hornets",
        "Lakeside Lynx",
        "Kingsway Kestrels",
        "Meadow Tigers",
        "Ashdown Athletic",
    ]
    towns = ["Riverton", "Oakfield", "Ashdown", "Harbour Bay", "Westbury"]
    firsts = [
        "Alfie",
        "Bella",
        "Callum",
        "Daisy",
        "Ethan",
        "Freya",
        "George",
        "Harry",
        "Isla",
        "Jack",
        "Kai",
        "Leo",
        "Mason",
        "Noah",
        "Oscar",
        "Poppy",
        "Ruby",
        "Sam",
        "Theo",
        "Zoe",
    ]
    lasts = [
        "Baker",
        "Carter",
        "Dixon",
        "Evans",
        "Foster",
        "Green",
        "Hughes",
        "Jones",
        "King",
        "Lewis",
        "Mills",
        "Norris",
        "Parker",
        "Reed",
        "Shaw",
        "Turner",
        "Walsh",
        "Young",
    ]
    coaches = _names(r, ["Martin", "Susan", "Keith", "Paula", "Derek", "Joanne", "Neil", "Karen"], lasts, 15)
    groups = ["U10", "U12", "U14"]
    teams = []
    for i, name in enumerate(names):
        teams.append(
            (i + 1, name, r.choice(towns), groups[i // 5], None if i in (4, 11) else coaches[i], r.randint(1968, 2019))
        )
    teams[14] = teams[14][:2] + ("Ashdown",) + teams[14][3:]
    players, squad = [], {}
    people = _names(r, firsts, lasts, 135)
    for t in teams:
        squad[t[0]] = []
        for _ in range(r.choice([7, 8, 9, 10])):
            if len(players) >= 134:
                break
            pid = len(players) + 1
            year = {"U10": 2016, "U12": 2014, "U14": 2012}[t[3]]
            born = _day(r, D(year - 1, 1, 1), D(year, 12, 31))
            height = {"U10": 132, "U12": 146, "U14": 160}[t[3]] + r.randint(-12, 14)
            pos = r.choices(["Goalkeeper", "Defender", "Midfielder", "Forward"], [1, 4, 4, 3])[0]
            players.append(
                (
                    pid,
                    people[pid - 1],
                    t[0],
                    born.isoformat(),
                    pos,
                    None if r.random() < 0.1 else height,
                    r.randint(1, 22),
                    "yes" if r.random() < 0.25 else "no",
                    _day(r, D(2023, 8, 1), D(2025, 9, 5)).isoformat(),
                    None if r.random() < 0.15 else people[pid - 1].split()[1].lower() + f"{pid}@mail.org",
                )
            )
            squad[t[0]].append(players[-1])
    pitches = ["Town Park", "School Field", "Memorial Ground", "Leisure Centre"]
    refs = ["Bob Marsh", "Linda Price", "Tom Frost", "Gary Webb", "Helen Stone"]
    pairs = [
        (h, a) for g in range(3) for h in range(g * 5 + 1, g * 5 + 6) for a in range(g * 5 + 1, g * 5 + 6) if h != a
    ]
    r.shuffle(pairs)
    dates = sorted(_day(r, D(2025, 3, 1), D(2025, 10, 20)) for _ in pairs)
    matches, goals = [], []
    for i, ((h, a), day) in enumerate(zip(pairs, dates, strict=False)):
        if r.random() < 0.8:  # mostly weekends
            day += dt.timedelta(days=r.choice([5, 6]) - day.weekday())
        matches.append([day, h, a])
    matches.sort(key=lambda m: (m[0], m[1]))
    out = []
    for i, (day, h, a) in enumerate(matches):
        mid = i + 1
        status = "played" if day < TODAY else "scheduled"
        if status == "played" and r.random() < 0.07:
            status = "cancelled"
        hg = ag = crowd = None
        if status == "played":
            hg, ag = r.choice([0, 1, 1, 2, 2, 3, 4]), r.choice([0, 0, 1, 1, 2, 3])
            crowd = None if r.random() < 0.08 else r.randint(15, 180)
            for team, n in ((h, hg), (a, ag)):
                for _ in range(n):
                    who = r.choices(
                        squad[team],
                        [
                            {"Goalkeeper": 0.05, "Defender": 0.5, "Midfielder": 2, "Forward": 4}[p[4]]
                            for p in squad[team]
                        ],
                    )[0]
                    goals.append((mid, who[0], r.randint(1, 60), "yes" if r.random() < 0.12 else "no"))
        out.append(
            (
                mid,
                day.isoformat(),
                h,
                a,
                hg,
                ag,
                r.choice(pitches),
                crowd,
                r.choice(refs) if status != "scheduled" or r.random() < 0.4 else None,
                status,
            )
        )
    goals.sort(key=lambda g: (g[0], g[2]))
    goals = [(i + 1,) + g for i, g in enumerate(goals)]
    ddl = """
CREATE TABLE teams (team_id INTEGER PRIMARY KEY, team_name TEXT NOT NULL, town TEXT, age_group TEXT, coach TEXT,
  founded INTEGER);
CREATE TABLE players (player_id INTEGER PRIMARY KEY, player_name TEXT NOT NULL, team_id INTEGER REFERENCES teams(team_id),
  birth_date TEXT, position TEXT, height_cm INTEGER, shirt_no INTEGER, left_footed TEXT, registered_on TEXT,
  guardian_email TEXT);
CREATE TABLE matches (match_id INTEGER PRIMARY KEY, match_date TEXT, home_team_id INTEGER REFERENCES teams(team_id),
  away_team_id INTEGER REFERENCES teams(team_id), home_goals INTEGER, away_goals INTEGER, pitch TEXT,
  spectators INTEGER, referee TEXT, status TEXT);
CREATE TABLE goals (goal_id INTEGER PRIMARY KEY, match_id INTEGER REFERENCES matches(match_id),
  player_id INTEGER REFERENCES players(player_id), minute INTEGER, is_penalty TEXT);
"""
    return _make(folder, "league", ddl, {"teams": teams, "players": players, "matches": out, "goals": goals})


# ------------------------------------------------------------------ laptops
def laptops(folder):
    r = random.Random(4303)
    models = {
        "Lenovo": (["ThinkPad T480", "ThinkPad X1 Carbon", "IdeaPad 5", "Yoga Slim 7"], 1.0),
        "Dell": (["XPS 13", "Latitude 5400", "Inspiron 15"], 1.05),
        "HP": (["EliteBook 840", "Pavilion 14", "Envy x360"], 0.95),
        "Apple": (["MacBook Air M1", "MacBook Pro 14", "MacBook Air M2"], 1.9),
        "Asus": (["ZenBook 14", "VivoBook S15", "ROG Zephyrus G14"], 1.0),
        "Acer": (["Aspire 5", "Swift 3"], 0.75),
    }
    sellers = _names(
        r,
        ["Peter", "Lucy", "Marco", "Ingrid", "Tom", "Yasmin", "Karl", "Joana", "Ahmed", "Wendy"],
        ["Schulz", "Novotny", "Rossi", "Berg", "Haas", "Silva", "Khan", "Vogel"],
        22,
    )
    factor = {"like new": 1.25, "good": 1.0, "fair": 0.75, "for parts": 0.3}
    rows = []
    for i in range(96):
        brand = r.choices(list(models), [6, 4, 4, 4, 3, 2])[0]
        names, f = models[brand]
        model = r.choice(names)
        ram = r.choices([4, 8, 16, 32], [1, 4, 4, 1])[0]
        ssd = r.choices([128, 256, 512, 1024], [1, 4, 4, 2])[0]
        screen = (
            14.0
            if "14" in model or "840" in model
            else 13.3
            if "Air" in model or "13" in model
            else r.choice([13.3, 14.0, 15.6, 15.6])
        )
        cond = r.choices(list(factor), [3, 6, 3, 1])[0]
        price = round((150 + ram * 11 + ssd * 0.18) * f * factor[cond] * r.uniform(0.85, 1.2) / 5) * 5
        day = _day(r, D(2024, 10, 5), D(2025, 9, 16))
        rows.append(
            (
                5001 + i,
                brand,
                model,
                ram,
                ssd,
                screen,
                None if r.random() < 0.15 else r.randint(52, 100),
                None if r.random() < 0.05 else price,
                cond,
                "yes" if r.random() < (0.5 if cond == "like new" else 0.2) else "no",
                r.choice(sellers),
                day.strftime("%d.%m.%Y"),
            )
        )
    ddl = """
CREATE TABLE laptops ("Ad No." INTEGER, "Brand" TEXT, "Model" TEXT, "RAM (GB)" INTEGER, "SSD (GB)" INTEGER,
  "Scr. (in)" REAL, "Batt. (%)" INTEGER, "Price (EUR)" INTEGER, "Cond." TEXT, "Warranty" TEXT, "Seller" TEXT,
  "Listed" TEXT);
"""
    return _make(folder, "laptops", ddl, {"laptops": rows})


# ---------------------------------------------------------------------- gym
def gym(folder):
    r = random.Random(4404)
    people = _chinese_names(r, 90)
    coaches = []
    skills = ["瑜伽", "力量", "搏击", "游泳", "舞蹈"]
    for i in range(9):
        coaches.append(
            (
                i + 1,
                people[80 + i],
                "女" if r.random() < 0.45 else "男",
                skills[i % 5],
                _day(r, D(2018, 3, 1), D(2025, 4, 1)).isoformat(),
                r.choice(["是", "是", "否"]),
                r.randrange(6000, 15000, 500),
            )
        )
    price = {"年卡": 2888, "季卡": 998, "月卡": 399, "次卡": 600}
    span = {"年卡": 365, "季卡": 90, "月卡": 30, "次卡": 180}
    members = []
    for i in range(80):
        card = r.choices(list(price), [4, 3, 2, 2])[0]
        start = _day(r, D(2024, 5, 1), D(2025, 9, 14))
        members.append(
            (
                f"M{i + 1:03d}",
                people[i],
                r.choice(["男", "女"]),
                _day(r, D(1968, 1, 1), D(2006, 12, 31)).isoformat(),
                card,
                start.isoformat(),
                (start + dt.timedelta(days=span[card])).isoformat(),
                price[card] - r.choice([0, 0, 0, 50, 100]),
                r.choice([0, 0, 50, 120, 200, 300, 350, 500, 880, 1200]),
                None
                if r.random() < 0.15
                else "1" + r.choice("3589") + "".join(r.choice("0123456789") for _ in range(9)),
            )
        )
    titles = [
        ("流瑜伽", "瑜伽"),
        ("阴瑜伽", "瑜伽"),
        ("空中瑜伽", "瑜伽"),
        ("哈他瑜伽", "瑜伽"),
        ("杠铃操", "力量"),
        ("核心训练", "力量"),
        ("壶铃入门", "力量"),
        ("臀腿塑形", "力量"),
        ("泰拳", "搏击"),
        ("拳击基础", "搏击"),
        ("搏击操", "搏击"),
        ("自由泳提高", "游泳"),
        ("蛙泳入门", "游泳"),
        ("水中有氧", "游泳"),
        ("爵士舞", "舞蹈"),
        ("尊巴", "舞蹈"),
        ("街舞", "舞蹈"),
        ("动感单车", "有氧"),
        ("燃脂跳绳", "有氧"),
        ("高强度间歇", "有氧"),
        ("拉伸放松", "瑜伽"),
        ("亲子游泳", "游泳"),
    ]
    courses = []
    for i, (title, kind) in enumerate(titles):
        fit = [c[0] for c in coaches if c[3] == kind] or [2, 3, 7]
        courses.append(
            (
                f"C{i + 1:02d}",
                title,
                kind,
                None if i in (12, 18) else r.choice(fit),
                r.choice([45, 50, 60, 60, 75, 90]),
                r.choice([8, 10, 12, 15, 20, 25]),
                r.choice([39, 49, 59, 69, 89, 99, 128]),
            )
        )
    goers = [m for m in members if r.random() < 0.8]
    taught = [c for c in courses if c[0] not in ("C07", "C17", "C21")]
    visits = []
    while len(visits) < 150:
        m, c = r.choice(goers), r.choice(taught)
        first, last = max(D(2024, 7, 1), D.fromisoformat(m[5])), min(D.fromisoformat(m[6]), D(2025, 9, 16))
        if first >= last:
            continue
        visits.append(
            (
                _day(r, first, last),
                m[0],
                c[0],
                r.randint(8, 55) * 10,
                None if r.random() < 0.25 else r.choice([2, 3, 4, 4, 5, 5]),
                r.choice(["早上", "下午", "晚上", "晚上"]),
            )
        )
    visits.sort(key=lambda v: (v[0], v[1]))
    visits = [(i + 1, b, c, a.isoformat(), f, d, e) for i, (a, b, c, d, e, f) in enumerate(visits)]
    ddl = """
CREATE TABLE 教练 (教练编号 INTEGER PRIMARY KEY, 教练姓名 TEXT, 性别 TEXT, 专长 TEXT, 入职日期 TEXT, 是否全职 TEXT, 月薪 INTEGER);
CREATE TABLE 会员 (会员编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 卡种 TEXT, 办卡日期 TEXT, 到期日期 TEXT,
  办卡金额 INTEGER, 余额 INTEGER, 手机号 TEXT);
CREATE TABLE 课程 (课程编号 TEXT PRIMARY KEY, 课程名称 TEXT, 类别 TEXT, 教练编号 INTEGER REFERENCES 教练(教练编号), 时长分钟 INTEGER,
  人数上限 INTEGER, 单价 INTEGER);
CREATE TABLE 打卡 (打卡编号 INTEGER PRIMARY KEY, 会员编号 TEXT REFERENCES 会员(会员编号), 课程编号 TEXT REFERENCES 课程(课程编号),
  打卡日期 TEXT, 时段 TEXT, 消耗千卡 INTEGER, 评分 INTEGER);
"""
    return _make(folder, "gym", ddl, {"教练": coaches, "会员": members, "课程": courses, "打卡": visits})


# ---------------------------------------------------------------- logistics
def logistics(folder):
    r = random.Random(4505)
    people = _chinese_names(r, 28)
    kinds = {"厢式货车": (5, 8, 10), "平板车": (15, 20, 25), "冷藏车": (8, 10, 12), "面包车": (1, 1.5, 2)}
    trucks = []
    for i in range(26):
        kind = r.choices(list(kinds), [4, 2, 2, 2])[0]
        bought = _day(r, D(2016, 1, 1), D(2025, 6, 30))
        trucks.append(
            (
                f"沪{r.choice('ABD')}{r.randint(10000, 99999)}",
                r.choice(["东风", "解放", "福田", "江淮"]),
                kind,
                r.choice(kinds[kind]),
                bought.isoformat(),
                r.randint(3, 6) * (2026 - bought.year) * 5000 + r.randint(0, 9999),
                "是" if r.random() < 0.25 else "否",
                r.choices(["在用", "维修", "停用"], [8, 2, 1])[0],
            )
        )
    drivers = []
    for i in range(28):
        hired = _day(r, D(2012, 1, 1), D(2025, 8, 20))
        drivers.append(
            (
                f"S{i + 1:02d}",
                people[i],
                r.randint(24, 57),
                r.choice(["A1", "A2", "B2", "B2", "C1"]),
                hired.isoformat(),
                r.randrange(5500, 13000, 100),
                None
                if r.random() < 0.15
                else "1" + r.choice("3589") + "".join(r.choice("0123456789") for _ in range(9)),
                r.choice(["华东组", "华南组", "华北组"]),
            )
        )
    cities = ["上海", "杭州", "南京", "苏州", "广州", "北京", "武汉"]
    pool = list(trucks[:23])
    crew = list(drivers[:25])
    orders = []
    while len(orders) < 145:
        t, d = r.choice(pool), r.choice(crew)
        first = max(D(2024, 6, 15), D.fromisoformat(t[4]), D.fromisoformat(d[4]))
        day = _day(r, D(2024, 6, 15), D(2025, 9, 17)) if len(orders) > 14 else _day(r, D(2025, 9, 8), TODAY)
        if day < first:
            continue
        a, b = r.sample(cities, 2)
        weight = round(t[3] * r.uniform(0.2, 1.0), 1)
        fee = round(300 + weight * r.uniform(80, 420)) + r.choice([0, 0, 200, 500])
        signed = day + dt.timedelta(days=r.randint(1, 6))
        state = "已签收"
        if signed > TODAY:
            signed, state = None, "运输中"
        elif r.random() < 0.08:
            signed, state = None, r.choice(["已取消", "异常"])
        orders.append(
            (day, t[0], d[0], a, b, r.choice(["食品", "家电", "建材", "服装", "药品"]), weight, fee, signed, state)
        )
    orders.sort(key=lambda o: o[0])
    orders = [
        (f"YD{i + 1:04d}", t, d, a, b, c, w, f, day.isoformat(), s.isoformat() if s else None, st)
        for i, (day, t, d, a, b, c, w, f, s, st) in enumerate(orders)
    ]
    fuel = []
    burners = [t for t in trucks if t[6] == "否"]
    while len(fuel) < 120:
        t = r.choice(burners[:-2])
        day = _day(r, D(2024, 7, 1), D(2025, 9, 16))
        if day.isoformat() < t[4]:
            continue
        litres = r.randint(25, 260)
        fuel.append(
            (
                day,
                t[0],
                r.choice(drivers[:25])[0],
                litres,
                round(litres * r.uniform(7.1, 8.3), 2),
                r.choice(["中石化", "中石油", "壳牌"]),
                r.choice(["油卡", "油卡", "现金", "微信"]),
            )
        )
    fuel.sort(key=lambda f: (f[0], f[1]))
    fuel = [(i + 1, t, d, day.isoformat(), l, m, s, p) for i, (day, t, d, l, m, s, p) in enumerate(fuel)]
    ddl = """
CREATE TABLE 车辆 (车牌号 TEXT PRIMARY KEY, 品牌 TEXT, 车型 TEXT, 载重吨 REAL, 购入日期 TEXT, 里程公里 INTEGER, 是否新能源 TEXT, 状态 TEXT);
CREATE TABLE 司机 (司机编号 TEXT PRIMARY KEY, 姓名 TEXT, 年龄 INTEGER, 驾照类型 TEXT, 入职日期 TEXT, 月薪 INTEGER, 电话 TEXT, 班组 TEXT);
CREATE TABLE 运单 (运单号 TEXT PRIMARY KEY, 车牌号 TEXT REFERENCES 车辆(车牌号), 司机编号 TEXT REFERENCES 司机(司机编号), 出发地 TEXT, 目的地 TEXT,
  货物类别 TEXT, 货重吨 REAL, 运费 INTEGER, 发车日期 TEXT, 签收日期 TEXT, 运单状态 TEXT);
CREATE TABLE 油费 (记录号 INTEGER PRIMARY KEY, 车牌号 TEXT REFERENCES 车辆(车牌号), 司机编号 TEXT REFERENCES 司机(司机编号), 加油日期 TEXT, 升数 INTEGER,
  金额 REAL, 加油站 TEXT, 付款方式 TEXT);
"""
    return _make(folder, "logistics", ddl, {"车辆": trucks, "司机": drivers, "运单": orders, "油费": fuel})


# ---------------------------------------------------------------------- air
def air(folder):
    r = random.Random(4606)
    staff = ["陈雨桐", "刘志强", "周佳琪", "吴建国"]
    day, rows, level = D(2025, 4, 20), [], 45.0
    while day < TODAY:
        level = max(12, min(130, level + r.gauss(0, 14) + (42 - level) * 0.12))
        pm25 = round(level * r.uniform(0.75, 1.2))
        pm10 = round(pm25 * r.uniform(1.2, 1.9))
        o3 = round(r.uniform(50, 120) + (50 if day.month in (6, 7, 8) else 0))
        scores = {"PM2.5": pm25 * 1.35, "PM10": pm10 * 0.75, "O3": o3 * 0.62}
        top = max(scores, key=scores.get)
        aqi = round(scores[top])
        grade = "优" if aqi <= 50 else "良" if aqi <= 100 else "轻度污染" if aqi <= 150 else "中度污染"
        warm = {4: 21, 5: 25, 6: 29, 7: 33, 8: 33, 9: 29}[day.month] + r.randint(-5, 5)
        sky = r.choices(["晴", "多云", "阴", "小雨", "大雨"], [4, 4, 3, 2, 1])[0]
        rows.append(
            (
                day.strftime("%Y/%m/%d"),
                aqi,
                grade,
                None if r.random() < 0.06 else pm25,
                pm10,
                o3,
                None if grade == "优" else top,
                sky,
                warm,
                warm - r.randint(5, 12),
                "是" if aqi > 100 or r.random() < 0.08 else "否",
                r.choices(staff, [4, 3, 2, 2])[0],
            )
        )
        day += dt.timedelta(days=1)
    ddl = """
CREATE TABLE 空气质量日报 ("日期" TEXT, "AQI" INTEGER, "质量等级" TEXT, "PM2.5(μg/m³)" INTEGER, "PM10(μg/m³)" INTEGER,
  "O3_8h(μg/m³)" INTEGER, "首要污染物" TEXT, "天气" TEXT, "最高温(℃)" INTEGER, "最低温(℃)" INTEGER, "限行" TEXT, "填报人" TEXT);
"""
    return _make(folder, "air", ddl, {"空气质量日报": rows})


def build() -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    return {f.__name__: f(folder) for f in (coworking, league, laptops, gym, logistics, air)}


if __name__ == "__main__":
    for _name, _path in build().items():
        pass
