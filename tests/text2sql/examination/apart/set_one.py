"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _day(r: random.Random, first: str, last: str) -> dt.date:
    a, b = dt.date.fromisoformat(first), dt.date.fromisoformat(last)
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def _pick(r: random.Random, weighted: dict):
    return r.choices(list(weighted), weights=list(weighted.values()))[0]


def _fill(path: Path, script: str, tables: dict[str, list[tuple]]) -> None:
    con = sqlite3.connect(path)
    con.execute("PRAGMA foreign_keys = ON")
    con.executescript(script)
    for name, rows in tables.items():
        marks = ",".join("?" * len(rows[0]))
        con.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
    con.commit()
    con.close()


# ------------------------------------------------------------------ 1 vet clinic


def _vetclinic(path: Path) -> None:
    r = random.Random(4101)
    owners_n = [
        "Alice Morgan",
        "Ben Whitaker",
        "Carla Jensen",
        "Derek O'Neill",
        "Emma Lindqvist",
        "Farid Haddad",
        "Grace Tully",
        "Henry Blackwood",
        "Isla Macrae",
        "Jonas Keller",
        "Karen Pope",
        "Liam Donovan",
        "Maria Santos",
        "Nigel Fairfax",
        "Olga Petrova",
        "Paul Ashby",
        "Quentin Reese",
        "Rosa Delgado",
        "Simon Hartley",
        "Tara Nolan",
        "Umar Sheikh",
        "Vera Novak",
        "Will Sumner",
        "Xenia Doukas",
        "Yvonne Carter",
        "Zack Miller",
        "Anna Roth",
        "Brian Cole",
        "Celia Frost",
        "David Marsh",
    ]
    towns = {"Ashford": 9, "Millbrook": 8, "Castleton": 6, "Riverside": 4, "Old Harbour": 3}
    owners = []
    for i, n in enumerate(owners_n, 1):
        mail = (
            None
            if r.random() < 0.2
            else n.lower().replace(" ", ".").replace("'", "") + r.choice(["@mail.com", "@post.net", "@mail.com"])
        )
        owners.append(
            (
                i,
                n,
                _pick(r, towns),
                f"0155-{r.randint(100000, 999999)}",
                mail,
                "yes" if r.random() < 0.55 else "no",
                _day(r, "2019-02-01", "2025-08-30").isoformat(),
            )
        )
    vets = [
        (1, "Dr. Hannah Brookes", "surgery", "2012-04-01", "no"),
        (2, "Dr. Marcus Reed", "general practice", "2016-09-15", "no"),
        (3, "Dr. Ines Alvarez", "dentistry", "2018-01-08", "yes"),
        (4, "Dr. Tom Fielding", "dermatology", "2020-06-01", "no"),
        (5, "Dr. Priya Nair", "general practice", "2022-03-14", "yes"),
        (6, "Dr. Leo Sandberg", "exotic animals", "2025-09-01", "yes"),
    ]
    breeds = {
        "dog": ["Labrador", "Beagle", "Border Collie", "Poodle", "Dachshund", None],
        "cat": ["Maine Coon", "Siamese", "British Shorthair", None, None],
        "rabbit": ["Lop", "Dutch", None],
        "parrot": ["African Grey", "Budgerigar"],
        "guinea pig": [None],
    }
    kilos = {"dog": (5, 42), "cat": (2.8, 7.5), "rabbit": (1.1, 3.4), "parrot": (0.04, 0.6), "guinea pig": (0.7, 1.3)}
    names = [
        "Bella",
        "Max",
        "Luna",
        "Charlie",
        "Milo",
        "Daisy",
        "Rocky",
        "Coco",
        "Simba",
        "Ruby",
        "Oscar",
        "Nala",
        "Toby",
        "Molly",
        "Felix",
        "Rosie",
        "Pepper",
        "Ginger",
        "Shadow",
        "Kiwi",
        "Biscuit",
        "Hazel",
        "Thumper",
        "Olive",
        "Bruno",
        "Misty",
        "Loki",
        "Poppy",
        "Smokey",
        "Willow",
        "Archie",
        "Snowball",
        "Bella",
        "Max",
        "Tiger",
        "Clover",
        "Zorro",
        "Maple",
        "Pip",
        "Sunny",
        "Luna",
        "Otis",
        "Freya",
        "Gizmo",
        "Bonnie",
        "Rex",
    ]
    pets = []
    with_pets = [i for i in range(1, 31) if i not in (6, 14, 23, 29)]
    for i, n in enumerate(names, 1):
        owner = with_pets[i - 1] if i <= len(with_pets) else r.choice(with_pets[:16])
        sp = _pick(r, {"dog": 18, "cat": 15, "rabbit": 6, "parrot": 4, "guinea pig": 3})
        lo, hi = kilos[sp]
        born = None if r.random() < 0.1 else _day(r, "2010-05-01", "2025-05-30").isoformat()
        w = None if r.random() < 0.06 else round(r.uniform(lo, hi), 2 if hi < 2 else 1)
        pets.append(
            (
                i,
                n,
                sp,
                r.choice(breeds[sp]),
                r.choice(["female", "male"]),
                born,
                w,
                "yes" if r.random() < 0.6 else "no",
                owner,
            )
        )
    base = {"vaccination": 55, "check-up": 42, "injury": 120, "dental": 160, "surgery": 480, "skin problem": 75}
    weights = {"vaccination": 30, "check-up": 34, "injury": 18, "dental": 16, "surgery": 12, "skin problem": 18}
    skilled = {
        "surgery": [1, 1, 1, 2],
        "dental": [3, 3, 3, 5],
        "skin problem": [4, 4, 2],
        "injury": [1, 2, 5],
        "vaccination": [2, 5, 5, 4],
        "check-up": [2, 5, 3, 4],
    }
    seen = [p for p in pets if p[0] not in (11, 27, 38, 44)]
    days = []
    while len(days) < 132:
        d = _day(r, "2024-01-08" if len(days) < 108 else "2025-07-20", "2025-09-16")
        if d.weekday() < 5 or (d.weekday() == 5 and r.random() < 0.7):
            days.append(d)
    days.sort()
    visits = []
    for i, d in enumerate(days, 1):
        reason = _pick(r, weights)
        p = r.choice(seen)
        fee = round(base[reason] * r.uniform(0.7, 1.6) * 2) / 2
        late = d >= dt.date(2025, 7, 1)
        nxt = None
        if r.random() < 0.4:
            nxt = (d + dt.timedelta(days=r.choice([14, 21, 30, 90, 180, 365]))).isoformat()
        visits.append(
            (
                i,
                p[0],
                r.choice(skilled[reason]),
                d.isoformat(),
                reason,
                fee,
                "no" if r.random() < (0.45 if late else 0.08) else "yes",
                nxt,
            )
        )
    _fill(
        path,
        """
        CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, town TEXT, phone TEXT, email TEXT,
            newsletter TEXT, registered_on TEXT);
        CREATE TABLE vets (vet_id INTEGER PRIMARY KEY, vet_name TEXT NOT NULL, speciality TEXT, hired_on TEXT, part_time TEXT);
        CREATE TABLE pets (pet_id INTEGER PRIMARY KEY, pet_name TEXT NOT NULL, species TEXT, breed TEXT, sex TEXT,
            birth_date TEXT, weight_kg REAL, neutered TEXT, owner_id INTEGER REFERENCES owners(owner_id));
        CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets(pet_id),
            vet_id INTEGER REFERENCES vets(vet_id), visit_date TEXT, reason TEXT, fee_eur REAL, paid TEXT, next_visit TEXT);
        """,
        {"owners": owners, "vets": vets, "pets": pets, "visits": visits},
    )


# ------------------------------------------------------------------ 2 sports club (Chinese)


def _sportsclub(path: Path) -> None:
    r = random.Random(4202)
    people = [
        "王建国",
        "李秀英",
        "张伟",
        "刘洋",
        "陈静",
        "杨帆",
        "赵敏",
        "黄磊",
        "周婷",
        "吴刚",
        "徐丽",
        "孙浩",
        "朱琳",
        "马超",
        "胡雪",
        "郭强",
        "何佳",
        "高峰",
        "林小雨",
        "罗兰",
        "郑凯",
        "梁燕",
        "谢军",
        "宋佳怡",
        "唐宁",
        "许晴晴",
        "韩梅",
        "冯涛",
        "邓超群",
        "曹阳",
        "彭一鸣",
        "曾志",
        "肖红",
        "田野",
        "董洁",
        "潘虹",
        "袁小泉",
        "蔡明",
        "蒋心怡",
        "余波",
        "于洋",
        "杜娟",
        "叶青",
        "程功",
        "魏然",
    ]
    members = []
    for i, n in enumerate(people, 1):
        born = _day(r, "1955-01-01", "2012-12-31")
        joined = _day(r, "2020-03-01", "2025-09-10")
        phone = None if r.random() < 0.13 else f"1{r.choice(['38', '39', '86', '59'])}{r.randint(10000000, 99999999)}"
        members.append(
            [
                f"M{i:03d}",
                n,
                r.choice("男女"),
                born.isoformat(),
                joined.isoformat(),
                _pick(r, {"普通": 20, "银卡": 12, "金卡": 7, "家庭卡": 6}),
                phone,
                "是" if r.random() < 0.6 else "否",
                None,
            ]
        )
    for m in members:
        if r.random() < 0.4:
            ref = r.choice([x for x in members[:12] if x[0] != m[0]])
            if ref[4] < m[4]:
                m[8] = ref[0]
    courts = [
        ("C1", "羽毛球1号场", "羽毛球", 4, 40, "是"),
        ("C2", "羽毛球2号场", "羽毛球", 4, 40, "是"),
        ("C3", "羽毛球3号场", "羽毛球", 6, 55, "是"),
        ("C4", "篮球馆", "篮球", 20, 150, "是"),
        ("C5", "露天篮球场", "篮球", 24, 80, "否"),
        ("C6", "网球东场", "网球", 4, 90, "否"),
        ("C7", "网球西场", "网球", 4, 90, "否"),
        ("C8", "乒乓球室", "乒乓球", 12, 30, "是"),
        ("C9", "五人制足球场", "足球", 14, 200, "否"),
        ("C10", "瑜伽室", "瑜伽", 16, 60, "是"),
    ]
    active = [m for m in members if m[0] not in ("M007", "M019", "M024", "M033", "M040", "M045")]
    days = sorted(
        [_day(r, "2024-03-01", "2025-08-31") for _ in range(110)]
        + [_day(r, "2025-06-20", "2025-09-16") for _ in range(28)]
        + [_day(r, "2025-09-15", "2025-09-30") for _ in range(12)]
    )
    rows = []
    for i, d in enumerate(days, 1):
        c = r.choice(courts[:9])
        while True:
            m = r.choice(active)
            if m[4] <= d.isoformat():
                break
        hours = r.choice([1, 1, 1.5, 2, 2, 3])
        head = None if r.random() < 0.06 else r.randint(2, c[3])
        if d >= TODAY:
            state = "待使用"
        else:
            state = _pick(r, {"已完成": 72, "已取消": 18, "未到场": 10})
        rows.append(
            (
                i,
                m[0],
                c[0],
                d.isoformat(),
                f"{r.choice([8, 9, 10, 14, 15, 16, 18, 19, 20]):02d}:{r.choice(['00', '30'])}",
                hours,
                head,
                round(c[4] * hours * (0.8 if m[5] == "金卡" else 1), 1),
                state,
            )
        )
    _fill(
        path,
        """
        CREATE TABLE 会员 (会员编号 TEXT PRIMARY KEY, 姓名 TEXT NOT NULL, 性别 TEXT, 出生日期 TEXT, 入会日期 TEXT, 会员等级 TEXT,
            手机号 TEXT, 自动续费 TEXT, 推荐人编号 TEXT REFERENCES 会员(会员编号));
        CREATE TABLE 场地 (场地编号 TEXT PRIMARY KEY, 场地名称 TEXT NOT NULL, 运动项目 TEXT, 最多人数 INTEGER, 每小时价格_元 REAL, 室内 TEXT);
        CREATE TABLE 预订 (预订号 INTEGER PRIMARY KEY, 会员编号 TEXT REFERENCES 会员(会员编号), 场地编号 TEXT REFERENCES 场地(场地编号),
            预订日期 TEXT, 开始时间 TEXT, 时长_小时 REAL, 到场人数 INTEGER, 金额_元 REAL, 状态 TEXT);
        """,
        {"会员": _parents_first(members, 0, 8), "场地": courts, "预订": rows},
    )


def _parents_first(rows: list, key: int, parent: int) -> list[tuple]:
    """Order rows of a table that refers to itself so that a parent comes before its children."""
    done, out, left = set(), [], list(rows)
    while left:
        for x in list(left):
            if x[parent] is None or x[parent] in done:
                out.append(tuple(x))
                done.add(x[key])
                left.remove(x)
    return out


# ------------------------------------------------------------------ 3 bakery chain


def _bakery(path: Path) -> None:
    r = random.Random(4303)
    shops = [
        (1, "Market Square", "Leeds", "2009-05-12", 140, "Joan Pickering", "yes"),
        (2, "Station Road", "Leeds", "2014-10-01", 65, "Sunil Patel", "no"),
        (3, "Harbour Lane", "Hull", "2017-03-20", 110, "Megan Doyle", "yes"),
        (4, "Minster Gate", "York", "2018-11-05", 95, "Arthur Sykes", "yes"),
        (5, "Riverside", "York", "2021-06-14", 48, "Lucy Chan", "no"),
        (6, "University", "Sheffield", "2023-09-04", 80, None, "yes"),
        (7, "Town Hall", "Hull", "2025-09-12", 72, "Peter Grimshaw", "no"),
    ]
    products = [
        (1, "Sourdough loaf", "bread", 4.20, 1.35, 800, "yes"),
        (2, "White tin loaf", "bread", 2.60, 0.80, 800, "no"),
        (3, "Rye loaf", "bread", 3.90, 1.20, 750, "yes"),
        (4, "Baguette", "bread", 1.80, 0.45, 250, "yes"),
        (5, "Soft roll", "rolls", 0.55, 0.14, 60, "no"),
        (6, "Seeded roll", "rolls", 0.75, 0.22, 70, "yes"),
        (7, "Cheese bun", "rolls", 1.40, 0.52, 95, "no"),
        (8, "Croissant", "pastry", 1.90, 0.70, 65, "no"),
        (9, "Cinnamon swirl", "pastry", 2.30, 0.75, 110, "no"),
        (10, "Apple turnover", "pastry", 2.40, 0.85, 120, "yes"),
        (11, "Carrot cake", "cake", 18.50, 6.20, 1200, "no"),
        (12, "Chocolate cake", "cake", 21.00, 7.40, 1300, "no"),
        (13, "Victoria sponge", "cake", 16.90, 5.10, 1100, "no"),
        (14, "Lemon drizzle", "cake", 14.50, None, 900, "yes"),
    ]
    bakers = ["Tom Ridley", "Agnes Webb", "Karim Aziz", "Nora Flynn", "Stan Kowalski", None]
    size = {"bread": (40, 180), "rolls": (90, 400), "pastry": (50, 220), "cake": (4, 24)}
    temp = {"bread": (220, 245), "rolls": (205, 225), "pastry": (180, 200), "cake": (160, 180)}
    days = []
    while len(days) < 148:
        d = _day(r, "2024-07-01", "2025-09-16")
        if d.weekday() != 6:
            days.append(d)
    days.sort()
    batches = []
    for i, d in enumerate(days, 1):
        s = r.choice(shops[:6])
        p = r.choice([x for x in products if x[0] != 13])
        lo, hi = size[p[2]]
        n = r.randint(lo, hi)
        loss = min(n, int(n * max(0.0, r.gauss({1: 0.07, 2: 0.10, 3: 0.06, 4: 0.13, 5: 0.16, 6: 0.11}[s[0]], 0.06))))
        gone = int(n * r.choice([0, 0, 0.02, 0.04]))
        lo, hi = temp[p[2]]
        t = None if r.random() < 0.08 else r.randrange(lo, hi + 1, 5)
        batches.append((i, s[0], p[0], d.isoformat(), n, n - loss - min(gone, n - loss), loss, t, r.choice(bakers)))
    _fill(
        path,
        """
        CREATE TABLE shops (shop_id INTEGER PRIMARY KEY, shop_name TEXT NOT NULL, city TEXT, opened_on TEXT, floor_area_m2 REAL,
            manager TEXT, has_cafe TEXT);
        CREATE TABLE products (product_id INTEGER PRIMARY KEY, product_name TEXT NOT NULL, category TEXT, price_gbp REAL,
            unit_cost_gbp REAL, weight_g INTEGER, vegan TEXT);
        CREATE TABLE batches (batch_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shops(shop_id),
            product_id INTEGER REFERENCES products(product_id), bake_date TEXT, units_baked INTEGER, units_sold INTEGER,
            units_wasted INTEGER, oven_temp_c INTEGER, baker TEXT);
        """,
        {"shops": shops, "products": products, "batches": batches},
    )


# ------------------------------------------------------------------ 4 second-hand cars (Chinese, one flat table)


def _usedcars(path: Path) -> None:
    r = random.Random(4404)
    models = {
        "大众": [("朗逸", 13), ("帕萨特", 20), ("途观L", 22)],
        "丰田": [("卡罗拉", 13), ("凯美瑞", 20), ("汉兰达", 28)],
        "本田": [("思域", 14), ("雅阁", 19), ("CR-V", 20)],
        "比亚迪": [("秦PLUS", 12), ("汉EV", 23), ("宋Pro", 14)],
        "宝马": [("3系", 32), ("X3", 42)],
        "特斯拉": [("Model 3", 26), ("Model Y", 30)],
    }
    fuel = {"秦PLUS": "插电混动", "宋Pro": "插电混动", "汉EV": "纯电", "Model 3": "纯电", "Model Y": "纯电"}
    weights = {"大众": 24, "丰田": 20, "本田": 18, "比亚迪": 17, "宝马": 11, "特斯拉": 9}
    sellers = ["老周", "陈晓东", "李娜", "吴倩"]
    rows = []
    for i in range(1, 97):
        brand = _pick(r, weights)
        model, new = r.choice(models[brand])
        plate = _day(r, "2014-01-10", "2024-11-30")
        stock = _day(r, "2024-05-01", "2025-09-15")
        if plate > stock:
            plate = stock - dt.timedelta(days=r.randint(200, 900))
        age = (stock - plate).days / 365
        km = max(0.3, round(age * r.uniform(0.7, 2.4), 1))
        price = round(new * (0.88**age) * r.uniform(0.82, 1.0), 2)
        sold = None
        if r.random() < 0.66:
            s = stock + dt.timedelta(days=int(r.gammavariate(2, 22)) + 1)
            if s < TODAY:
                sold = s.strftime("%Y/%m/%d")
        f = fuel.get(model) or (
            "油电混动" if model in ("卡罗拉", "凯美瑞", "雅阁", "汉兰达") and r.random() < 0.4 else "汽油"
        )
        rows.append(
            [
                f"ESC{i:04d}",
                brand,
                model,
                r.choice(["白", "黑", "银灰", "红", "蓝", "白", "黑"]),
                f,
                plate.strftime("%Y/%m/%d"),
                None if r.random() < 0.05 else km,
                price,
                "是" if r.random() < 0.16 else "否",
                stock.strftime("%Y/%m/%d"),
                sold,
                None
                if (sold is None and r.random() < 0.3)
                else _pick(r, dict(zip(sellers, (9, 7, 6, 4), strict=False))),
            ]
        )
    _fill(
        path,
        """
        CREATE TABLE 车源 ("车源编号" TEXT, "品牌" TEXT, "车型" TEXT, "颜色" TEXT, "能源" TEXT, "上牌日期" TEXT, "里程(万公里)" REAL,
            "报价(万元)" REAL, "事故车" TEXT, "入库日" TEXT, "售出日" TEXT, "销售" TEXT);
        """,
        {"车源": [tuple(x) for x in rows]},
    )


# ------------------------------------------------------------------ 5 choir


def _choir(path: Path) -> None:
    r = random.Random(4505)
    names = [
        "Abigail Stone",
        "Brenda Fox",
        "Catherine Lowe",
        "Diane Mercer",
        "Eleanor Vance",
        "Fiona Grant",
        "Gillian Moss",
        "Hazel Byrne",
        "Irene Walsh",
        "Judith Crane",
        "Katie Rowan",
        "Laura Finch",
        "Monica Pryce",
        "Nina Bauer",
        "Adam Holt",
        "Bernard Quill",
        "Colin Shaw",
        "Dominic Ferris",
        "Edward Lane",
        "Frank Osborne",
        "George Tate",
        "Howard Nash",
        "Ivan Mirek",
        "James Corrigan",
        "Keith Dunne",
        "Lewis Abbott",
        "Martin Voss",
        "Neil Garrick",
        "Oliver Penn",
        "Philip Arden",
        "Sophie Hart",
        "Teresa Blake",
        "Ursula King",
        "Victor Lund",
        "Wendy Sharp",
        "Zoe Palmer",
    ]
    women = set(names[:14]) | {"Sophie Hart", "Teresa Blake", "Ursula King", "Wendy Sharp", "Zoe Palmer"}
    singers = []
    for i, n in enumerate(names, 1):
        voice = _pick(r, {"soprano": 6, "alto": 5}) if n in women else _pick(r, {"tenor": 4, "bass": 6})
        singers.append(
            (
                i,
                n,
                voice,
                _day(r, "2006-09-01", "2025-06-30").isoformat(),
                r.randint(1948, 2004),
                None if r.random() < 0.17 else r.choice(["Bath", "Bristol", "Keynsham", "Bath", "Frome"]),
                "Y" if r.random() < 0.75 else "N",
            )
        )
    venues = [
        (1, "St Mary's Church", "Bath", 320, "Y"),
        (2, "Guildhall", "Bath", 180, "Y"),
        (3, "Colston Rooms", "Bristol", 450, "Y"),
        (4, "Chapel Arts", "Bath", 90, "N"),
        (5, "Trinity Hall", "Bristol", 260, "N"),
        (6, "Memorial Hall", "Frome", 150, "Y"),
        (7, "Abbey Barn", "Keynsham", 110, "N"),
    ]
    titles = [
        ("Messiah", "Handel"),
        ("St John Passion", "Bach"),
        ("Requiem", "Mozart"),
        ("The Creation", "Haydn"),
        ("A German Requiem", "Brahms"),
        ("Christmas Oratorio", "Bach"),
        ("Carols by Candlelight", None),
        ("Spring Serenade", None),
        ("Requiem", "Faure"),
        ("Elijah", "Mendelssohn"),
        ("Mass in B minor", "Bach"),
        ("Summer Songs", None),
        ("Gloria", "Vivaldi"),
        ("Songs from the Shows", None),
    ]
    conductors = {"Rupert Hale": 5, "Margit Olsen": 4, "Daniel Kerr": 2}
    days = {dt.date(2025, 9, 20), dt.date(2025, 10, 12)}
    while len(days) < 28:
        d = _day(r, "2023-10-01", "2025-12-20")
        d += dt.timedelta(days=(_pick(r, {4: 3, 5: 5, 6: 3}) - d.weekday()) % 7)
        days.add(d)
    concerts = []
    good = [s[0] for s in singers[:10]] + [17, 20, 23, 29]
    for i, d in enumerate(sorted(days), 1):
        while True:
            t, comp = r.choice(titles)
            if ("Christmas" in t or "Carols" in t) == (d.month == 12):
                break
        concerts.append(
            (
                i,
                t,
                comp,
                d.isoformat(),
                "15:00" if d.weekday() == 6 else r.choice(["19:00", "19:30", "19:30"]),
                r.choice([1, 1, 2, 3, 3, 4, 5, 6]),
                _pick(r, conductors),
                None if r.random() < 0.35 else r.choice(good),
            )
        )
    price = {"full": 18.0, "concession": 12.0, "child": 5.0, "student": 8.0}
    buyers = [
        "Mr Atkins",
        "Mrs Bolton",
        "Ms Chowdhury",
        "Mr Dyer",
        "Mrs Everett",
        "Ms Fraser",
        "Mr Goode",
        "Mrs Hobbs",
        "Mr Ingram",
        "Mrs Jarvis",
        "Ms Kemp",
        "Mr Lomax",
        "Mrs Nair",
        "Mr Okafor",
        "Mrs Pugh",
    ]
    sales = []
    no_sales = {concerts[-1][0], concerts[-2][0]}
    for _ in range(150):
        c = r.choice([x for x in concerts if x[0] not in no_sales] + concerts[-6:-2])
        day = dt.date.fromisoformat(c[3])
        channel = _pick(r, {"web": 8, "box office": 5, "phone": 3, "door": 3})
        if day > TODAY and channel == "door":
            channel = "web"
        when = day if channel == "door" else day - dt.timedelta(days=r.randint(1, 60))
        if when > TODAY:
            when = TODAY - dt.timedelta(days=r.randint(1, 40))
        cat = _pick(r, {"full": 8, "concession": 5, "child": 2, "student": 2})
        n = r.choice([1, 2, 2, 2, 3, 4, 4, 6, 10, 15])
        sales.append(
            (
                c[0],
                when.isoformat(),
                channel,
                cat,
                n,
                n * price[cat],
                None if channel == "door" or r.random() < 0.05 else r.choice(buyers),
                "Y" if r.random() < 0.09 and channel != "door" else "N",
            )
        )
    sales.sort(key=lambda x: x[1])
    _fill(
        path,
        """
        CREATE TABLE singers (singer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, voice TEXT, joined_on TEXT, birth_year INTEGER,
            home_town TEXT, fee_paid TEXT);
        CREATE TABLE venues (venue_id INTEGER PRIMARY KEY, venue_name TEXT NOT NULL, city TEXT, seats INTEGER, wheelchair_access TEXT);
        CREATE TABLE concerts (concert_id INTEGER PRIMARY KEY, title TEXT NOT NULL, composer TEXT, concert_date TEXT, start_time TEXT,
            venue_id INTEGER REFERENCES venues(venue_id), conductor TEXT, soloist_id INTEGER REFERENCES singers(singer_id));
        CREATE TABLE ticket_sales (sale_id INTEGER PRIMARY KEY, concert_id INTEGER REFERENCES concerts(concert_id), sale_date TEXT,
            channel TEXT, ticket_type TEXT, tickets INTEGER, amount_gbp REAL, buyer TEXT, refunded TEXT);
        """,
        {
            "singers": singers,
            "venues": venues,
            "concerts": concerts,
            "ticket_sales": [(i, *x) for i, x in enumerate(sales, 1)],
        },
    )


# ------------------------------------------------------------------ 6 county hospital (Chinese)


def _hospital(path: Path) -> None:
    r = random.Random(4606)
    wards = [
        ("W01", "心内科", "住院一号楼", 3, 42),
        ("W02", "呼吸科", "住院一号楼", 4, 38),
        ("W03", "普外科", "住院一号楼", 5, 45),
        ("W04", "骨科", "住院一号楼", 6, 36),
        ("W05", "儿科", "住院二号楼", 2, 30),
        ("W06", "产科", "住院二号楼", 3, 28),
        ("W07", "神经内科", "住院二号楼", 4, 40),
        ("W08", "重症医学科", "住院二号楼", 1, 12),
        ("W09", "感染科", "住院三号楼", 1, 20),
    ]
    sur = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
    giv = [
        "丽",
        "秀兰",
        "芳",
        "敏",
        "静",
        "桂英",
        "雪梅",
        "海燕",
        "玲",
        "婷婷",
        "小红",
        "文娟",
        "慧",
        "倩",
        "晓燕",
        "佳",
        "春花",
        "美玲",
        "志强",
        "鹏",
    ]
    nurses, used = [], set()
    while len(nurses) < 58:
        n = r.choice(sur) + r.choice(giv)
        if n in used:
            continue
        used.add(n)
        i = len(nurses) + 1
        sex = "男" if n[1:] in ("志强", "鹏", "佳") else "女"
        hired = _day(r, "1998-07-01", "2025-08-25")
        years = (TODAY - hired).days / 365
        rank = (
            "护士"
            if years < 4
            else "护师"
            if years < 10
            else _pick(r, {"主管护师": 5, "护师": 2})
            if years < 18
            else _pick(r, {"主管护师": 5, "副主任护师": 3})
        )
        pay = int(
            round({"护士": 4200, "护师": 5300, "主管护师": 6900, "副主任护师": 8800}[rank] * r.uniform(0.9, 1.2), -1)
        )
        edu = _pick(r, {"中专": 2, "大专": 6, "本科": 8, "硕士": 2 if years < 18 else 0.01})
        nurses.append(
            (
                f"N{i:03d}",
                n,
                sex,
                rank,
                edu,
                hired.isoformat(),
                pay,
                "是" if r.random() < 0.45 + years / 60 else "否",
                None if r.random() < 0.06 else r.choice([w[0] for w in wards]),
            )
        )
    ill = {
        "W01": ["冠心病", "心力衰竭", "高血压"],
        "W02": ["肺炎", "慢阻肺"],
        "W03": ["阑尾炎", "胆囊结石"],
        "W04": ["股骨骨折", "腰椎间盘突出"],
        "W05": ["肺炎", "腹泻"],
        "W06": ["足月分娩"],
        "W07": ["脑梗死", "偏头痛"],
        "W08": ["多发伤", "呼吸衰竭"],
    }
    stays = []
    starts = sorted(
        [_day(r, "2024-06-01", "2025-09-10") for _ in range(118)]
        + [_day(r, "2025-08-28", "2025-09-16") for _ in range(22)]
    )
    pat_g = [
        "国强",
        "玉兰",
        "建军",
        "秀珍",
        "志明",
        "桂芳",
        "子涵",
        "浩然",
        "思雨",
        "德胜",
        "翠花",
        "大伟",
        "春生",
        "梓萱",
        "长河",
        "美华",
    ]
    for i, d in enumerate(starts, 1):
        w = r.choice(list(ill))
        sex = "女" if w == "W06" else r.choice("男女")
        age = (
            r.randint(1, 13)
            if w == "W05"
            else r.randint(21, 40)
            if w == "W06"
            else min(94, max(16, int(r.gauss(60, 15))))
        )
        staff = [n for n in nurses if n[8] == w and n[5] <= d.isoformat()]
        nurse = r.choice(staff)[0] if staff and r.random() < 0.94 else None
        length = max(1, int(r.gammavariate(2.2, 4)))
        out = d + dt.timedelta(days=length)
        gone = out < TODAY
        cost = (
            round(length * {"W08": 3800, "W03": 1500, "W04": 1700}.get(w, 900) * r.uniform(0.7, 1.4), 2)
            if gone
            else None
        )
        stays.append(
            (
                f"ZY{i:04d}",
                r.choice(sur) + r.choice(pat_g),
                sex,
                age,
                ill[w][r.randrange(len(ill[w]))],
                w,
                nurse,
                d.isoformat(),
                out.isoformat() if gone else None,
                cost,
                _pick(r, {"居民医保": 9, "职工医保": 6, "自费": 2, "商业保险": 1}),
            )
        )
    _fill(
        path,
        """
        CREATE TABLE 病区 (病区编号 TEXT PRIMARY KEY, 病区名称 TEXT NOT NULL, 楼栋 TEXT, 楼层 INTEGER, 床位数 INTEGER);
        CREATE TABLE 护士 (工号 TEXT PRIMARY KEY, 姓名 TEXT NOT NULL, 性别 TEXT, 职称 TEXT, 学历 TEXT, 入职日期 TEXT, 月薪_元 INTEGER,
            在编 TEXT, 病区编号 TEXT REFERENCES 病区(病区编号));
        CREATE TABLE 住院记录 (住院号 TEXT PRIMARY KEY, 病人姓名 TEXT NOT NULL, 性别 TEXT, 年龄 INTEGER, 诊断 TEXT,
            病区编号 TEXT REFERENCES 病区(病区编号), 责任护士工号 TEXT REFERENCES 护士(工号), 入院日期 TEXT, 出院日期 TEXT,
            总费用_元 REAL, 付费方式 TEXT);
        """,
        {"病区": wards, "护士": nurses, "住院记录": stays},
    )


def build() -> dict[str, Path]:
    """Make the six databases in a new temp folder; name -> path."""
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    makers = {
        "vetclinic": _vetclinic,
        "sportsclub": _sportsclub,
        "bakery": _bakery,
        "usedcars": _usedcars,
        "choir": _choir,
        "hospital": _hospital,
    }
    paths = {}
    for name, make in makers.items():
        paths[name] = folder / f"{name}.sqlite"
        make(paths[name])
    return paths


if __name__ == "__main__":
    for _name, _path in build().items():
        pass
