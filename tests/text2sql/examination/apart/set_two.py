"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _days(r: random.Random, first: str, last: str) -> dt.date:
    a, b = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    return a + dt.timedelta(days=r.randrange((b - a).days + 1))


def _open(folder: Path, name: str) -> tuple[sqlite3.Connection, Path]:
    path = folder / f"{name}.sqlite"
    con = sqlite3.connect(path)
    con.execute("PRAGMA foreign_keys = ON")
    return con, path


def _many(con: sqlite3.Connection, table: str, rows: list[tuple]) -> None:
    marks = ",".join("?" * len(rows[0]))
    con.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)


# ---------------------------------------------------------------- museum (en)
def _museum(folder: Path) -> Path:
    r = random.Random(101)
    con, path = _open(folder, "museum")
    con.executescript("""
    CREATE TABLE artists (
      artist_id INTEGER PRIMARY KEY, name TEXT NOT NULL, nationality TEXT,
      birth_year INTEGER, death_year INTEGER);
    CREATE TABLE exhibits (
      inv_no TEXT PRIMARY KEY, title TEXT NOT NULL,
      artist_id INTEGER REFERENCES artists(artist_id), category TEXT,
      year_made INTEGER, height_cm REAL, weight_kg REAL,
      insured_value_eur INTEGER, on_display TEXT, room TEXT,
      acquired_on TEXT, acquisition TEXT);
    CREATE TABLE borrowers (
      borrower_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT,
      country TEXT, contact_person TEXT);
    CREATE TABLE loans (
      loan_id INTEGER PRIMARY KEY, inv_no TEXT NOT NULL REFERENCES exhibits(inv_no),
      borrower_id INTEGER NOT NULL REFERENCES borrowers(borrower_id),
      lent_on TEXT, due_on TEXT, returned_on TEXT, fee_eur INTEGER);
    """)
    artists = [
        (1, "Pieter van Holt", "Dutch", 1612, 1671),
        (2, "Lucia Marenghi", "Italian", 1821, 1889),
        (3, "Hugo Lindqvist", "Swedish", 1948, None),
        (4, "Claire Dubreuil", "French", 1875, 1953),
        (5, "Maria de Wit", "Dutch", 1902, 1984),
        (6, "Tomas Ferrari", "Italian", 1955, None),
        (7, "Agnes Bloch", "German", 1888, 1961),
        (8, "Jean Morel", "French", 1840, 1907),
        (9, "Ingrid Solberg", "Swedish", 1967, None),
        (10, "Karl Reuter", "German", 1931, 2011),
        (11, "Beatrix Smits", "Dutch", 1971, None),
        (12, "Emile Garnier", "French", 1790, 1852),
        (13, "Otto Brandt", "German", 1859, 1932),
        (14, "Paola Conti", "Italian", 1980, None),
    ]
    _many(con, "artists", artists)
    adj = [
        "Silent",
        "Golden",
        "Broken",
        "Northern",
        "Blue",
        "Sleeping",
        "Lost",
        "Winter",
        "Old",
        "Burning",
        "White",
        "Distant",
    ]
    noun = [
        "Harbour",
        "Woman",
        "Garden",
        "Mill",
        "Bridge",
        "Dancer",
        "Horse",
        "Forest",
        "Market",
        "Lady with Fan",
        "Shepherd",
        "Moon",
    ]
    titles = [f"{a} {n}" for a in adj for n in noun]
    r.shuffle(titles)
    cats = ["Painting"] * 26 + ["Sculpture"] * 16 + ["Ceramics"] * 11 + ["Textile"] * 8 + ["Photograph"] * 11
    r.shuffle(cats)
    exhibits = []
    for i, cat in enumerate(cats):
        inv = f"M{1001 + i}"
        if cat == "Photograph":
            aid = r.choice([3, 6, 9, 10, 11, 5, None])
        elif cat in ("Ceramics", "Textile"):
            aid = r.choice([1, 2, 4, 5, 7, 8, 13, None, None, 9])
        else:
            aid = r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 13, 1, None])
        if aid is None:
            year = r.randrange(1500, 1900) if cat != "Photograph" else r.randrange(1880, 1930)
            if r.random() < 0.4:
                year = None
        else:
            b, d = artists[aid - 1][3], artists[aid - 1][4] or 2024
            year = r.randrange(b + 20, d + 1)
        height = {
            "Painting": (30, 240),
            "Sculpture": (25, 320),
            "Ceramics": (8, 70),
            "Textile": (60, 300),
            "Photograph": (18, 120),
        }[cat]
        weight = {
            "Painting": (2, 40),
            "Sculpture": (5, 900),
            "Ceramics": (0.4, 14),
            "Textile": (1, 25),
            "Photograph": (0.2, 6),
        }[cat]
        value = {
            "Painting": (8, 900),
            "Sculpture": (6, 450),
            "Ceramics": (1, 60),
            "Textile": (1, 40),
            "Photograph": (0.3, 25),
        }[cat]
        v = int(value[0] * 1000 * (value[1] / value[0]) ** r.random() / 100) * 100
        shown = r.random() < 0.6
        acq = _days(r, "1985-01-01", "2023-12-31") if i % 6 else _days(r, "2024-01-10", "2025-09-05")
        if year and acq.year <= year:
            year = min(year, 2018)
            acq = _days(r, f"{year + 1}-01-01", "2023-12-31")
        exhibits.append(
            [
                inv,
                titles[i],
                aid,
                cat,
                year,
                None if r.random() < 0.05 else round(r.uniform(*height), 1),
                None if r.random() < 0.1 else round(r.uniform(*weight), 1),
                v,
                "yes" if shown else "no",
                r.choice(["Great Hall", "North Wing", "South Wing", "Gallery 3"]) if shown else None,
                acq.isoformat(),
                r.choice(["purchase", "purchase", "gift", "gift", "bequest"]),
            ]
        )
    exhibits[14][1] = "Portrait of a Lady in Black"
    exhibits[40][1] = "Portrait of the Mayor"
    exhibits[55][1] = "Self-portrait at Thirty"
    borrowers = [
        (1, "Stadtmuseum Köln", "Cologne", "Germany", "Renate Vogel"),
        (2, "Musée des Arts", "Lyon", "France", "Paul Lefèvre"),
        (3, "Kunsthal", "Rotterdam", "Netherlands", "Joost Bakker"),
        (4, "Galleria Civica", "Turin", "Italy", None),
        (5, "Nordic House", "Gothenburg", "Sweden", "Elsa Nyström"),
        (6, "Harbour Gallery", "Hamburg", "Germany", "Jens Petersen"),
        (7, "City Art Hall", "Vienna", "Austria", "Sophie Hofer"),
        (8, "Maison Bleue", "Paris", "France", None),
    ]
    _many(con, "borrowers", borrowers)
    loans = []
    out: set[str] = set()
    pool = [e[0] for e in exhibits if e[10] < "2022-12-01"]
    r.shuffle(pool)
    pool = pool[:30]
    free_from: dict[str, dt.date] = {}
    lid = 1
    starts = sorted(_days(r, "2023-02-01", "2025-09-10") for _ in range(56))
    for start in starts:
        inv = r.choice(pool)
        if inv in out or free_from.get(inv, dt.date(2000, 1, 1)) >= start:
            continue
        due = start + dt.timedelta(days=r.choice([60, 90, 120, 180]))
        back = due + dt.timedelta(days=r.choice([-20, -10, -5, -2, 0, 3, 9, 25]))
        if back >= dt.date(2025, 9, 10) or (start.year == 2025 and r.random() < 0.25):
            back = None
            out.add(inv)
        else:
            free_from[inv] = back
        loans.append(
            (
                lid,
                inv,
                r.choice([1, 1, 2, 3, 3, 4, 5, 6, 6, 8]),
                start.isoformat(),
                due.isoformat(),
                back.isoformat() if back else None,
                None if r.random() < 0.12 else r.randrange(4, 60) * 50,
            )
        )
        lid += 1
    for e in exhibits:
        if e[0] in out:
            e[8], e[9] = "no", None
    _many(con, "exhibits", [tuple(e) for e in exhibits])
    _many(con, "loans", loans)
    con.commit()
    con.close()
    return path


# ------------------------------------------------------------- express (zh)
def _express(folder: Path) -> Path:
    r = random.Random(202)
    con, path = _open(folder, "express")
    con.executescript("""
    CREATE TABLE 快递员 (
      工号 TEXT PRIMARY KEY, 姓名 TEXT NOT NULL, 公司 TEXT, 入职日期 TEXT,
      月薪_元 INTEGER, 是否在职 TEXT, 手机号 TEXT);
    CREATE TABLE 包裹 (
      运单号 TEXT PRIMARY KEY, 工号 TEXT REFERENCES 快递员(工号), 收件人 TEXT,
      小区 TEXT, 类型 TEXT, 重量_公斤 REAL, 到站时间 TEXT, 取件时间 TEXT,
      货架 TEXT, 是否破损 TEXT, 到付金额_元 REAL);
    CREATE TABLE 投诉 (
      投诉编号 INTEGER PRIMARY KEY, 运单号 TEXT NOT NULL REFERENCES 包裹(运单号),
      投诉日期 TEXT, 原因 TEXT, 赔偿_元 REAL);
    """)
    names = ["赵铁柱", "孙小军", "周海", "吴建国", "郑强", "冯丽", "陈大伟", "褚云", "卫东", "蒋春梅", "沈涛", "韩雪"]
    firms = ["顺丰", "中通", "圆通", "顺丰", "韵达", "中通", "圆通", "韵达", "顺丰", "中通", "韵达", "圆通"]
    hired = [
        "2019-04-12",
        "2021-07-01",
        "2023-02-20",
        "2025-03-03",
        "2020-11-15",
        "2024-06-18",
        "2018-09-01",
        "2025-07-21",
        "2022-05-09",
        "2024-12-02",
        "2025-01-13",
        "2023-10-30",
    ]
    pay = [9200, 6800, 7150, 6300, 7600, 6900, 8300, 5800, 8850, 6450, 6100, 7050]
    job = ["是", "是", "是", "是", "否", "是", "是", "是", "是", "否", "是", "是"]
    couriers = [
        (
            f"K{i + 1:02d}",
            n,
            firms[i],
            hired[i],
            pay[i],
            job[i],
            None if i in (3, 9) else f"13{r.randrange(10**8, 10**9)}",
        )
        for i, n in enumerate(names)
    ]
    _many(con, "快递员", couriers)
    family = "王李张刘陈杨黄林何高"
    given = ["伟", "芳", "娜", "秀英", "敏", "静", "磊", "洋", "艳", "勇", "杰", "娟", "涛", "明", "超", "霞"]
    people = [f + g for f in family for g in given]
    r.shuffle(people)
    people = people[:60]
    parcels = []
    for i in range(140):
        when = dt.datetime.combine(
            _days(r, "2025-06-01", "2025-09-17") if i % 4 else _days(r, "2025-09-01", "2025-09-17"),
            dt.time(r.randrange(7, 19), r.randrange(60)),
        )
        if when >= dt.datetime(2025, 9, 17, 11):
            when = when.replace(hour=8)
        wait = r.choice([0.1, 0.2, 0.5, 0.9, 1.2, 1.9, 2.5, 3.3, 5.5])
        took = when + dt.timedelta(days=wait)
        took = took.replace(hour=min(max(took.hour, 9), 21))
        if took < when:
            took = when + dt.timedelta(hours=2)
        if took >= dt.datetime(2025, 9, 17, 12) or r.random() < 0.07:
            took = None
        kind = r.choice(["文件", "服装", "服装", "食品", "食品", "电器", "日用品"])
        heavy = {"文件": (0.1, 0.9), "服装": (0.3, 3), "食品": (0.8, 16), "电器": (1, 28), "日用品": (0.5, 9)}[kind]
        parcels.append(
            (
                when,
                took,
                r.choice(people),
                r.choice(["阳光花园", "翠湖苑", "东方家园", "学府路小区", "金桂里"]),
                kind,
                None if r.random() < 0.04 else round(r.uniform(*heavy), 2),
                r.choice("ABCD") + str(r.randrange(1, 6)),
                "是" if r.random() < 0.08 else "否",
                round(r.uniform(8, 60), 1) if r.random() < 0.2 else None,
            )
        )
    parcels.sort(key=lambda p: p[0])
    rows = []
    for i, (when, took, who, where, kind, kg, shelf, broken, cod) in enumerate(parcels):
        pool = [
            c
            for c in couriers
            if c[0] not in ("K05",)
            and c[3] < when.date().isoformat()
            and not (c[0] == "K10" and when > dt.datetime(2025, 8, 1))
        ]
        c = r.choice(pool + [x for x in pool if x[0] in ("K01", "K06", "K07")])
        rows.append(
            (
                f"YD{250001 + i * 7}",
                c[0],
                who,
                where,
                kind,
                kg,
                when.strftime("%Y-%m-%d %H:%M"),
                took.strftime("%Y-%m-%d %H:%M") if took else None,
                shelf,
                broken,
                cod,
            )
        )
    _many(con, "包裹", rows)
    complaints = []
    chosen = [p for p in rows if p[9] == "是"][:9] + r.sample(
        [p for p in rows if p[1] in ("K01", "K02", "K03", "K07", "K09", "K12", "K08")], 15
    )
    for p in chosen:
        d = dt.date.fromisoformat(p[6][:10]) + dt.timedelta(days=r.randrange(0, 5))
        complaints.append(
            (min(d, TODAY).isoformat(), p[0], "破损" if p[9] == "是" else r.choice(["延误", "延误", "丢件", "态度差"]))
        )
    for p in chosen[10:12]:
        d = dt.date.fromisoformat(p[6][:10]) + dt.timedelta(days=6)
        complaints.append((min(d, TODAY).isoformat(), p[0], "态度差"))
    complaints.sort()
    _many(
        con,
        "投诉",
        [
            (i + 1, no, d, why, None if r.random() < 0.3 else float(r.choice([10, 20, 30, 50, 80, 120, 200])))
            for i, (d, no, why) in enumerate(complaints)
        ],
    )
    con.commit()
    con.close()
    return path


# ------------------------------------------------------------- airline (en)
def _airline(folder: Path) -> Path:
    r = random.Random(303)
    con, path = _open(folder, "airline")
    con.executescript("""
    CREATE TABLE airports (
      code TEXT PRIMARY KEY, city TEXT, country TEXT, runway_m INTEGER);
    CREATE TABLE aircraft (
      tail_no TEXT PRIMARY KEY, model TEXT, seats INTEGER, built_year INTEGER,
      range_km INTEGER, leased TEXT);
    CREATE TABLE pilots (
      pilot_id INTEGER PRIMARY KEY, name TEXT, base TEXT REFERENCES airports(code),
      hired_on TEXT, flight_hours INTEGER, email TEXT);
    CREATE TABLE flights (
      flight_id INTEGER PRIMARY KEY, flight_no TEXT, tail_no TEXT REFERENCES aircraft(tail_no),
      captain_id INTEGER REFERENCES pilots(pilot_id),
      origin TEXT REFERENCES airports(code), destination TEXT REFERENCES airports(code),
      flight_date TEXT, departure_time TEXT, cancelled TEXT, delay_min INTEGER,
      delay_reason TEXT, passengers INTEGER, fuel_kg INTEGER);
    """)
    _many(
        con,
        "airports",
        [
            ("ABZ", "Aberdeen", "United Kingdom", 1829),
            ("EDI", "Edinburgh", "United Kingdom", 2557),
            ("KOI", "Kirkwall", "United Kingdom", 1428),
            ("DUB", "Dublin", "Ireland", 3110),
            ("ORK", "Cork", "Ireland", 2133),
            ("BGO", "Bergen", "Norway", 2990),
            ("SVG", "Stavanger", "Norway", 2706),
            ("KEF", "Reykjavik", "Iceland", 3054),
            ("CPH", "Copenhagen", "Denmark", 3600),
        ],
    )
    craft = [
        ("G-ALBA", "ATR 72", 70, 2011, 1500, "no"),
        ("G-BUTE", "ATR 72", 70, 2016, 1500, "no"),
        ("G-CRAG", "Embraer 145", 50, 2004, 2900, "no"),
        ("G-DOON", "Embraer 145", 50, 2006, 2900, "yes"),
        ("G-ERNE", "Saab 340", 34, 1998, 1700, "no"),
        ("G-FOYL", "Embraer 190", 98, 2018, 4500, "yes"),
        ("G-GLEN", "ATR 42", 48, 2013, 1300, "no"),
        ("G-HOLM", "Embraer 190", 98, 2020, 4500, "yes"),
        ("G-IONA", "Saab 340", 34, 1995, 1700, "no"),
    ]
    _many(con, "aircraft", craft)
    pn = [
        "Fiona Campbell",
        "Angus Reid",
        "Sean O'Brien",
        "Niamh Kelly",
        "Erik Hansen",
        "Liv Dahl",
        "Gordon Muir",
        "Helen Ross",
        "Patrick Doyle",
        "Kirsty Bain",
        "Jon Sigurdsson",
        "Anna Larsen",
        "Robert Shaw",
        "Claire Munro",
        "Declan Walsh",
        "Moira Sinclair",
    ]
    bases = [
        "EDI",
        "ABZ",
        "DUB",
        "DUB",
        "BGO",
        "BGO",
        "EDI",
        "EDI",
        "ORK",
        "ABZ",
        "KEF",
        "BGO",
        "EDI",
        "ABZ",
        "DUB",
        "KOI",
    ]
    pilots = []
    for i, n in enumerate(pn):
        h = _days(r, "2005-01-01", "2025-06-30")
        hours = 1200 + int((TODAY - h).days * r.uniform(1.0, 1.7))
        pilots.append(
            (
                i + 1,
                n,
                bases[i],
                h.isoformat(),
                hours,
                None if i in (4, 8, 13) else n.lower().replace("'", "").replace(" ", ".") + "@northair.example",
            )
        )
    _many(con, "pilots", pilots)
    routes = [
        ("EDI", "KOI"),
        ("KOI", "EDI"),
        ("EDI", "BGO"),
        ("BGO", "EDI"),
        ("ABZ", "SVG"),
        ("SVG", "ABZ"),
        ("DUB", "EDI"),
        ("EDI", "DUB"),
        ("DUB", "ABZ"),
        ("ABZ", "DUB"),
        ("ORK", "EDI"),
        ("EDI", "ORK"),
        ("EDI", "KEF"),
        ("KEF", "EDI"),
        ("DUB", "KEF"),
        ("BGO", "KEF"),
    ]
    flyable = [c for c in craft if c[0] != "G-IONA"]
    flights = []
    for i in range(148):
        k = r.choice([0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        o, d = routes[k]
        day = _days(r, "2025-01-04", "2025-09-16") if i % 5 else _days(r, "2025-07-01", "2025-09-16")
        c = r.choice(flyable)
        while c[0] == "G-ERNE" and day > dt.date(2025, 7, 25):
            c = r.choice(flyable)
        cap = r.choice([p for p in pilots[:13] if p[3] < day.isoformat()])
        gone = r.random() < (0.3 if k in (0, 4) else 0.05)
        if gone:
            delay, why, pax, fuel = None, None, None, None
        else:
            delay = 0 if r.random() < 0.45 else int(r.expovariate(1 / 38)) + 3
            why = (
                None
                if delay == 0 or r.random() < 0.12
                else r.choice(["weather", "weather", "technical", "crew", "air traffic control", "late aircraft"])
            )
            pax = c[2] if r.random() < 0.1 else r.randrange(int(c[2] * 0.35), c[2] + 1)
            fuel = r.randrange(900, 4200, 10)
        flights.append(
            (
                day,
                f"NA{110 + 3 * k}",
                c[0],
                cap[0],
                o,
                d,
                f"{r.randrange(6, 21):02d}:{r.choice(['00', '15', '30', '45'])}",
                "Y" if gone else "N",
                delay,
                why,
                pax,
                fuel,
            )
        )
    flights.append((dt.date(2025, 9, 16), "NA146", "G-HOLM", 7, "EDI", "KEF", "09:30", "N", 12, "crew", 81, 3900))
    flights.append((dt.date(2025, 9, 15), "NA110", "G-GLEN", 8, "EDI", "KOI", "07:15", "N", 0, None, 48, 1010))
    flights.sort(key=lambda f: (f[0], f[6]))
    _many(
        con,
        "flights",
        [(5001 + i, f[1], f[2], f[3], f[4], f[5], f[0].isoformat(), *f[6:]) for i, f in enumerate(flights)],
    )
    con.commit()
    con.close()
    return path


# ------------------------------------------------------------- tutoring (zh)
def _tutoring(folder: Path) -> Path:
    r = random.Random(404)
    con, path = _open(folder, "tutoring")
    con.executescript("""
    CREATE TABLE 老师 (
      老师编号 TEXT PRIMARY KEY, 姓名 TEXT NOT NULL, 性别 TEXT, 学历 TEXT,
      入职日期 TEXT, 课时费 INTEGER, 是否全职 TEXT);
    CREATE TABLE 班级 (
      班级编号 TEXT PRIMARY KEY, 班名 TEXT NOT NULL, 科目 TEXT, 年级 TEXT,
      老师编号 TEXT REFERENCES 老师(老师编号), 教室 TEXT, 上课时间 TEXT,
      学费 INTEGER, 名额 INTEGER, 开课日期 TEXT);
    CREATE TABLE 学生 (
      学号 TEXT PRIMARY KEY, 姓名 TEXT NOT NULL, 性别 TEXT, 年级 TEXT,
      学校 TEXT, 出生日期 TEXT, 家长电话 TEXT);
    CREATE TABLE 报名 (
      报名编号 INTEGER PRIMARY KEY, 学号 TEXT NOT NULL REFERENCES 学生(学号),
      班级编号 TEXT NOT NULL REFERENCES 班级(班级编号), 报名日期 TEXT,
      实缴金额 INTEGER, 是否缴清 TEXT, 期末成绩 REAL);
    """)
    teachers = [
        ("T01", "李敏", "女", "硕士", "2018-03-05", 260, "是"),
        ("T02", "王志远", "男", "博士", "2020-09-01", 380, "是"),
        ("T03", "张雅琴", "女", "本科", "2021-02-22", 180, "否"),
        ("T04", "刘洋", "男", "本科", "2019-08-19", 200, "是"),
        ("T05", "陈思", "女", "硕士", "2023-06-12", 240, "是"),
        ("T06", "黄国栋", "男", "本科", "2025-02-17", 150, "否"),
        ("T07", "林婉", "女", "本科", "2022-11-07", 190, "是"),
        ("T08", "何俊", "男", "硕士", "2024-07-01", 230, "否"),
        ("T09", "高敏华", "女", "博士", "2017-05-15", 350, "是"),
        ("T10", "罗平", "男", "大专", "2025-06-30", 130, "否"),
        ("T11", "宋佳", "女", "硕士", "2024-03-11", 220, "否"),
    ]
    _many(con, "老师", teachers)
    spec = [
        ("初一数学基础班", "数学", "初一", "T04"),
        ("初一英语阅读班", "英语", "初一", "T03"),
        ("初二数学提高班", "数学", "初二", "T01"),
        ("初二物理入门班", "物理", "初二", "T08"),
        ("初二英语口语班", "英语", "初二", "T07"),
        ("初三数学冲刺班", "数学", "初三", "T02"),
        ("初三物理冲刺班", "物理", "初三", "T09"),
        ("初三化学冲刺班", "化学", "初三", "T05"),
        ("初三英语冲刺班", "英语", "初三", "T07"),
        ("高一数学同步班", "数学", "高一", "T01"),
        ("高一物理同步班", "物理", "高一", "T08"),
        ("高一作文班", "语文", "高一", "T06"),
        ("高二数学竞赛班", "数学", "高二", "T02"),
        ("高二化学提高班", "化学", "高二", "T05"),
        ("高二英语写作班", "英语", "高二", "T03"),
        ("高二物理提高班", "物理", "高二", "T09"),
        ("初一作文班", "语文", "初一", "T06"),
        ("初三语文冲刺班", "语文", "初三", "T06"),
        ("高一英语听力班", "英语", "高一", "T07"),
        ("高二语文阅读班", "语文", "高二", None),
    ]
    slots = ["周六", "周日", "周五", "周六", "周三", "周日"]
    fees = [
        1800,
        1600,
        2200,
        2400,
        1500,
        3600,
        3400,
        3200,
        2800,
        2600,
        2500,
        1400,
        4800,
        3100,
        2300,
        3300,
        1300,
        2700,
        1950,
        1750,
    ]
    classes = []
    for i, (n, s, g, t) in enumerate(spec):
        classes.append(
            [
                f"B{i + 1:02d}",
                n,
                s,
                g,
                t,
                None if i == 13 else r.choice(["101", "102", "203", "205", "301"]),
                slots[i % 6],
                fees[i],
                r.choice([8, 10, 12, 15]),
                (_days(r, "2024-07-01", "2024-10-31") if i % 4 else _days(r, "2025-09-01", "2025-09-28")).isoformat(),
            ]
        )
    students = []
    fam, giv = (
        "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨",
        ["子涵", "雨桐", "浩然", "欣怡", "宇轩", "梓萱", "俊杰", "思远", "佳琪", "天佑", "晨曦", "文博"],
    )
    pool = [f + g for f in fam for g in giv]
    r.shuffle(pool)
    grade_birth = {"初一": 2012, "初二": 2011, "初三": 2010, "高一": 2009, "高二": 2008}
    for i in range(60):
        g = r.choice(["初一", "初二", "初二", "初三", "初三", "初三", "高一", "高二"])
        y = grade_birth[g]
        students.append(
            (
                f"S{2001 + i}",
                pool[i],
                r.choice("男女"),
                g,
                r.choice(["一中", "二中", "实验中学", "育才学校"]) if i not in (7, 33) else None,
                _days(r, f"{y}-09-01", f"{y + 1}-08-31").isoformat(),
                None if r.random() < 0.1 else f"15{r.randrange(10**8, 10**9)}",
            )
        )
    _many(con, "学生", students)
    enrol = []
    count: dict[str, int] = {}
    for st in students:
        if r.random() < 0.1:
            continue
        fit = [c for c in classes if c[3] == st[3] and c[0] != "B20"]
        for c in r.sample(fit, min(len(fit), r.choice([1, 1, 2, 2, 3, 4]))):
            if count.get(c[0], 0) >= c[8]:
                continue
            count[c[0]] = count.get(c[0], 0) + 1
            day = _days(r, "2024-06-10" if c[9] < "2025" else "2025-06-10", "2025-09-14")
            paid = r.random() < 0.8
            score = (
                None
                if day > dt.date(2025, 6, 1) or r.random() < 0.08
                else float(min(100, max(35, round(r.gauss(76, 14)))))
            )
            enrol.append(
                (
                    day.isoformat(),
                    st[0],
                    c[0],
                    c[7] if paid else r.choice([0, c[7] // 2, 500]),
                    "是" if paid else "否",
                    score,
                )
            )
    enrol.sort()
    for i, c in enumerate(classes):
        # the popular ones are exactly full
        if count.get(c[0], 0) >= 6 and i in (2, 5, 6, 7, 8):
            c[8] = count[c[0]]
    _many(con, "班级", [tuple(c) for c in classes])
    _many(con, "报名", [(i + 1, e[1], e[2], e[0], e[3], e[4], e[5]) for i, e in enumerate(enrol)])
    con.commit()
    con.close()
    return path


# ------------------------------------------------------------ household (en)
def _household(folder: Path) -> Path:
    r = random.Random(505)
    con, path = _open(folder, "household")
    con.execute("""
    CREATE TABLE "meter readings" (
      "No." INTEGER, "Read. date" TEXT, "Utility" TEXT, "Meter no." TEXT, "Loc." TEXT,
      "Reading" REAL, "Cons. (kWh / m³)" REAL, "Cost (EUR)" REAL, "Read by" TEXT,
      "Est. (y/n)" TEXT, "Temp. outside (°C)" REAL, "Remarks" TEXT)""")
    meters = [
        ("Electricity", "E-4471", "Basement", 310, 0.34, 18450.0),
        ("Electricity", "E-9023", "Garage", 150, 0.31, 2210.0),
        ("Gas", "G-1187", "Basement", 900, 0.115, 96500.0),
        ("Cold water", "W-330", "Kitchen", 6.5, 4.3, 512.0),
        ("Hot water", "W-331", "Bathroom", 4.2, 11.2, 301.0),
        ("Cold water", "W-340", "Garden", 5.0, 2.4, 77.0),
    ]
    season = [-1.5, 0.8, 5, 10, 14.5, 18, 20.5, 20, 15.5, 10, 4.5, 0.2]
    level = {m[1]: m[5] for m in meters}
    rows = []
    n = 1
    for k in range(20):
        year, month = 2024 + (k + 1) // 12, (k + 1) % 12 + 1
        cold = min(1.0, max(0.0, (17 - season[month - 1]) / 17))
        warm = season[month - 1] + r.uniform(-4, 4)
        day_of = r.randrange(2, 16) if (year, month) == (2025, 9) else r.randrange(3, 29)
        for util, no, loc, base, price, _ in meters:
            d = dt.date(year, month, max(1, min(28, day_of + r.choice([-1, 0, 0, 0, 1]))))
            cons = base * r.uniform(0.75, 1.3)
            if util == "Gas":
                cons = base * (0.15 + 1.9 * cold) * r.uniform(0.85, 1.15)
            if loc == "Garden":
                cons = base * max(0.02, 2.2 * (1 - cold) ** 1.5 * r.uniform(0.6, 1.3))
            remark = None
            if r.random() < 0.06:
                remark = r.choice(["visitors for two weeks", "on holiday", "new fridge", "meter hard to read"])
            if (no, k) in (("W-331", 5), ("W-340", 15), ("W-330", 11)):
                cons *= 2.6
                remark = {5: "leak under the bath", 15: "hose leaking all night", 11: "toilet leak, plumber called"}[k]
            cons = round(cons, 1)
            level[no] += cons
            est = r.random() < 0.15
            who = None if est else r.choices(["Anna", "Tom", "Ruth", "Mr Keller"], [5, 4, 2, 2])[0]
            cost = (
                None
                if (k >= 18 and r.random() < 0.4) or r.random() < 0.02
                else round(cons * price + r.choice([4.5, 9.9]), 2)
            )
            temp = None if r.random() < 0.05 else round(warm + r.uniform(-0.7, 0.7), 1)
            rows.append(
                (
                    n,
                    d.strftime("%d.%m.%Y"),
                    util,
                    no,
                    loc,
                    round(level[no], 1),
                    cons,
                    cost,
                    who,
                    "y" if est else "n",
                    temp,
                    remark,
                )
            )
            n += 1
    _many(con, "meter readings", rows)
    con.commit()
    con.close()
    return path


# -------------------------------------------------------------- orchard (zh)
def _orchard(folder: Path) -> Path:
    r = random.Random(606)
    con, path = _open(folder, "orchard")
    con.executescript("""
    CREATE TABLE 地块 (
      地块编号 TEXT PRIMARY KEY, 地块名称 TEXT, "面积（亩）" REAL, 土质 TEXT,
      有无灌溉 TEXT, 负责人 TEXT);
    CREATE TABLE 采收记录 (
      采收编号 INTEGER PRIMARY KEY, 地块编号 TEXT NOT NULL REFERENCES 地块(地块编号),
      水果 TEXT, 采收日期 TEXT, "重量（公斤）" REAL, 等级 TEXT, "人工费（元）" REAL);
    CREATE TABLE 客户 (
      客户编号 TEXT PRIMARY KEY, 客户名称 TEXT NOT NULL, 类型 TEXT, 城市 TEXT,
      联系人 TEXT, 电话 TEXT);
    CREATE TABLE 销售 (
      销售编号 INTEGER PRIMARY KEY, 客户编号 TEXT NOT NULL REFERENCES 客户(客户编号),
      水果 TEXT, 销售日期 TEXT, "数量（公斤）" REAL, "单价（元/公斤）" REAL, 是否付清 TEXT);
    """)
    plots = [
        ("P1", "东坡", 32.5, "壤土", "有", "王德福", ("苹果",)),
        ("P2", "西坡", 28.0, "沙土", "无", "李桂芬", ("苹果", "梨")),
        ("P3", "河边", 15.5, "壤土", "有", "王德福", ("桃",)),
        ("P4", "后山", 41.0, "黏土", "无", "马永贵", ("梨",)),
        ("P5", "大棚区", 8.0, "壤土", "有", "赵小兰", ("葡萄",)),
        ("P6", "南洼", 19.0, "黏土", "有", "马永贵", ("苹果", "桃")),
        ("P7", "老井", 12.0, "沙土", "有", "赵小兰", ("葡萄",)),
        ("P8", "石坎", 22.5, "沙土", "无", "李桂芬", ("桃",)),
        ("P9", "新园", 36.0, "壤土", "有", None, ()),
    ]
    _many(con, "地块", [p[:6] for p in plots])
    window = {"苹果": ((9, 1), (10, 25)), "梨": ((8, 5), (9, 16)), "桃": ((6, 15), (8, 20)), "葡萄": ((7, 20), (9, 16))}
    harvest = []
    for _i in range(118):
        p = r.choice(plots[:8])
        f = r.choice(p[6])
        year = r.choice([2024, 2025])
        if p[0] == "P4":
            year = 2024
        a, b = (dt.date(year, *window[f][0]), dt.date(year, *window[f][1]))
        if year == 2025:
            b = min(b, dt.date(2025, 9, 16))
        day = _days(r, a.isoformat(), b.isoformat())
        kg = float(round(p[2] * r.uniform(8, 80) / 5) * 5)
        harvest.append(
            (
                day.isoformat(),
                p[0],
                f,
                kg,
                r.choices(["特级", "一级", "二级", "等外"], [3, 5, 3, 1])[0],
                None if r.random() < 0.08 else float(round(kg * r.uniform(0.25, 0.5) / 10) * 10),
            )
        )
    harvest.sort()
    _many(con, "采收记录", [(i + 1, h[1], h[2], h[0], h[3], h[4], h[5]) for i, h in enumerate(harvest)])
    buyers = [
        ("C01", "好又多超市", "超市", "西安", "周丽", "13991230001"),
        ("C02", "城北批发市场", "批发商", "西安", "孙建", "13991230002"),
        ("C03", "鲜果坊", "水果店", "咸阳", "吴小梅", None),
        ("C04", "万家超市", "超市", "宝鸡", "郑凯", "13991230004"),
        ("C05", "老刘果行", "批发商", "郑州", "刘长河", "13991230005"),
        ("C06", "甜甜水果店", "水果店", "西安", "冯甜", None),
        ("C07", "陈先生", "个人", "咸阳", "陈立", "13991230007"),
        ("C08", "绿源超市", "超市", "郑州", None, "13991230008"),
        ("C09", "果满园", "水果店", "宝鸡", "蒋莉", "13991230009"),
        ("C10", "杨女士", "个人", "西安", "杨慧", None),
        ("C11", "中原果品批发", "批发商", "郑州", "韩冰", "13991230011"),
    ]
    _many(con, "客户", buyers)
    price = {"苹果": 6.2, "梨": 4.4, "桃": 7.5, "葡萄": 11.0}
    sales = []
    for _i in range(92):
        b = r.choice(buyers[:9] + buyers[:5])
        fruits = ["苹果", "苹果", "梨", "桃", "葡萄"]
        if b[0] in ("C03", "C04"):
            fruits = ["苹果", "梨", "葡萄"]
        if b[0] == "C07":
            fruits = ["苹果", "桃"]
        f = r.choice(fruits)
        size = {"超市": (150, 900), "批发商": (500, 3200), "水果店": (40, 300), "个人": (10, 60)}[b[2]]
        day = _days(r, "2024-06-20", "2025-09-16")
        kg = float(round(r.uniform(*size) / 5) * 5)
        sales.append(
            (
                day.isoformat(),
                b[0],
                f,
                kg,
                round(price[f] * r.uniform(0.75, 1.35), 1),
                "否" if r.random() < (0.35 if day > dt.date(2025, 6, 1) else 0.06) else "是",
            )
        )
    sales.sort()
    _many(con, "销售", [(i + 1, s[1], s[2], s[0], s[3], s[4], s[5]) for i, s in enumerate(sales)])
    con.commit()
    con.close()
    return path


def build() -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    return {
        "museum": _museum(folder),
        "express": _express(folder),
        "airline": _airline(folder),
        "tutoring": _tutoring(folder),
        "household": _household(folder),
        "orchard": _orchard(folder),
    }
