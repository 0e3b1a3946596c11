"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def day(r, a, b):
    """A random ISO date between two ISO dates, both included."""
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return (a + dt.timedelta(days=r.randrange((b - a).days + 1))).isoformat()


def make(folder, name, ddl, **tables):
    path = Path(folder) / f"{name}.sqlite"
    con = sqlite3.connect(path)
    con.execute("PRAGMA foreign_keys=ON")
    con.executescript(ddl)
    for table, rows in tables.items():
        marks = ",".join("?" * len(rows[0]))
        con.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
    con.commit()
    con.close()
    return path


def publisher(folder):
    r = random.Random(501)
    names = [
        "Clara Whitcombe",
        "Declan Rooney",
        "Priya Menon",
        "Howard Finch",
        "Siobhan Daly",
        "Marcus Oyelaran",
        "Judith Kessler",
        "Owen Pryce",
        "Lakshmi Rao",
        "Theodore Blunt",
        "Aoife Brennan",
        "Grace Hollander",
        "Samuel Okafor",
        "Margaret Leigh",
        "Peter Lindqvist",
        "Nora Castellan",
        "Brendan Quill",
        "Eliza Thornton",
        "Arjun Desai",
        "Rosemary Vance",
        "Duncan Frasier",
        "Helen Mbeki",
        "Walter Stroud",
        "Imogen Pike",
    ]
    countries = [
        "UK",
        "Ireland",
        "India",
        "UK",
        "Ireland",
        "UK",
        "USA",
        "UK",
        "India",
        "USA",
        "Ireland",
        "Canada",
        "UK",
        "UK",
        "Canada",
        "USA",
        "Ireland",
        "UK",
        "India",
        "UK",
        "UK",
        "Canada",
        "USA",
        "UK",
    ]
    agents = ["Fiona Marsh", "Greg Tully", "Lena Brandt", None]
    authors = []
    for i, (n, c) in enumerate(zip(names, countries, strict=False), 1):
        born = None if i in (8, 15, 22) else day(r, "1941-01-01", "1995-12-31")
        authors.append((i, n, c, born, r.choice(agents), day(r, "2012-01-01", "2024-12-31")))
    firsts = [
        "The Salt Road",
        "River of Glass",
        "Quiet Harbours",
        "A Winter in Cork",
        "The Clockmaker's Debt",
        "Bread and Stones",
        "Night Ferry",
        "The Third Orchard",
        "Letters from the Delta",
        "Murder at Pike Lane",
        "The Paper Dragon",
        "Seven Small Kitchens",
        "Across the River",
        "The Last Cartographer",
        "Moth Season",
        "Songs for an Empty House",
        "The Hollow Crown of Ash",
        "Grandmother's Spice Box",
        "Dead Reckoning",
        "The Boy Who Counted Stars",
        "Fields of Flax",
        "A Short History of Rope",
        "The Ember Throne",
        "Cold Case at Kinsale",
        "Soup for All Seasons",
        "Where the River Bends",
        "The Lighthouse Twins",
        "Iron and Incense",
        "Poems of the Tideline",
        "The Vanishing Clerk",
        "Castle of Thorns",
        "The Railway Years",
        "Otter Goes to School",
        "Half a Loaf",
        "The Widow's Ledger",
        "Stormglass",
        "Small Gods of the Garden",
        "The Potato Famine Revisited",
        "Nine Lanterns",
        "Blood on the Ballot",
        "Tales for Rainy Days",
        "The Pickle Handbook",
        "Kingdom of Crows",
        "The Silk Merchants",
        "Low Tide",
        "The Alibi Club",
        "Hedgehog's Midnight Feast",
        "Winter Sonnets",
        "The Bronze Gate",
        "Poison in the Port",
        "Cakes of the Old Country",
        "The Empire's Edge",
        "Little Fox Lost",
        "The Glass Witness",
        "River Songs",
        "Dragonfly Summer",
    ]
    genre_of = [
        "Fantasy",
        "Fantasy",
        "Poetry",
        "History",
        "Crime",
        "History",
        "Crime",
        "Fantasy",
        "History",
        "Crime",
        "Children",
        "Cookery",
        "History",
        "Fantasy",
        "Poetry",
        "Poetry",
        "Fantasy",
        "Cookery",
        "Crime",
        "Children",
        "History",
        "History",
        "Fantasy",
        "Crime",
        "Cookery",
        "Poetry",
        "Children",
        "History",
        "Poetry",
        "Crime",
        "Fantasy",
        "History",
        "Children",
        "Cookery",
        "Crime",
        "Fantasy",
        "Poetry",
        "History",
        "Fantasy",
        "Crime",
        "Children",
        "Cookery",
        "Fantasy",
        "History",
        "Poetry",
        "Crime",
        "Children",
        "Poetry",
        "Fantasy",
        "Crime",
        "Cookery",
        "History",
        "Children",
        "Crime",
        "Poetry",
        "Children",
    ]
    base = {
        "Fantasy": (320, 640),
        "Poetry": (64, 140),
        "History": (240, 560),
        "Crime": (260, 440),
        "Children": (32, 120),
        "Cookery": (120, 260),
    }
    writers = [i for i in range(1, 25) if i not in (6, 14, 20, 23)]
    editors = ["Anna Sorrell", "Tom Hadley", "Ruth Imrie", "Ben Achterberg"]
    books = []
    for i, (t, g) in enumerate(zip(firsts, genre_of, strict=False), 1):
        a = r.choice(writers)
        form = r.choice(["hardback", "paperback", "paperback", "ebook"])
        price = {
            "hardback": r.choice([18.99, 20.0, 22.5, 24.99]),
            "paperback": r.choice([8.99, 9.99, 10.99, 12.5]),
            "ebook": r.choice([3.99, 4.99, 6.49]),
        }[form]
        if t == "Iron and Incense":
            form, price = "hardback", 35.0
        prize = r.choice(["Harbour Prize", "Golden Quill", "Lantern Award"]) if r.random() < 0.2 else None
        books.append(
            (
                100 + i,
                t,
                a,
                g,
                form,
                r.randint(*base[g]),
                price,
                day(r, "2015-02-01", "2025-07-31"),
                "yes" if r.random() < 0.72 else "no",
                r.choice(editors),
                prize,
            )
        )
    sales = []
    sellers = [b for b in books if b[0] not in (103, 122, 129, 137, 148)]
    for i in range(1, 151):
        b = r.choice(sellers)
        lo = max(b[7], "2023-10-01")
        d = day(r, lo, "2025-09-16")
        copies = r.choice([1, 2, 3, 5, 8, 10, 12, 15, 20, 24, 30, 40, 50, 75, 120])
        channel = r.choice(["bookshop", "bookshop", "online", "online", "book fair", "library", "direct"])
        rev = round(
            copies * b[6] * {"bookshop": 0.55, "online": 0.6, "book fair": 0.9, "library": 0.7, "direct": 1.0}[channel],
            2,
        )
        sales.append((i, b[0], d, channel, copies, rev))
    sales.sort(key=lambda s: s[2])
    sales = [(i,) + s[1:] for i, s in enumerate(sales, 1)]
    return make(
        folder,
        "publisher",
        """
    CREATE TABLE authors(author_id INTEGER PRIMARY KEY, name TEXT, country TEXT, birth_date TEXT, agent TEXT,
      first_contract TEXT);
    CREATE TABLE books(book_id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES authors(author_id),
      genre TEXT, format TEXT, pages INTEGER, price_gbp REAL, published TEXT, in_print TEXT, editor TEXT, prize TEXT);
    CREATE TABLE sales(sale_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books(book_id), sale_date TEXT,
      channel TEXT, copies INTEGER, revenue_gbp REAL);
    """,
        authors=authors,
        books=books,
        sales=sales,
    )


def campsite(folder):
    r = random.Random(502)
    pitches = []
    for row, kind, n, size, price in (
        ("A", "tent", 14, (40, 85), (16, 26)),
        ("B", "caravan", 12, (80, 130), (28, 42)),
        ("C", "motorhome", 9, (90, 145), (32, 48)),
        ("D", "cabin", 6, (25, 45), (65, 110)),
    ):
        for k in range(1, n + 1):
            power = {"tent": r.random() < 0.3, "caravan": r.random() < 0.85, "motorhome": True, "cabin": k != 5}[kind]
            pitches.append(
                (
                    f"{row}{k:02d}",
                    kind,
                    r.randint(*size),
                    "Y" if power else "N",
                    float(r.randint(*price)),
                    r.choice([15, 25, 35, 45, 60, 80, 110, 140, 190]),
                    r.choice(["full", "partial", "none"]),
                    None if r.random() < 0.2 else day(r, "2024-03-01", "2025-08-31"),
                )
            )
    first = [
        "Anke",
        "Jeroen",
        "Marie",
        "Lukas",
        "Sophie",
        "Pieter",
        "Greta",
        "Hugo",
        "Claire",
        "Stefan",
        "Ines",
        "Thomas",
        "Femke",
        "Karl",
        "Julie",
        "Bram",
        "Heike",
        "Luc",
        "Nina",
        "Oliver",
    ]
    last = [
        "de Vries",
        "Schneider",
        "Dubois",
        "Janssen",
        "Weber",
        "Moreau",
        "Bakker",
        "Hartley",
        "Peeters",
        "Fischer",
        "Leroy",
        "Visser",
        "Collins",
        "Maes",
        "Becker",
    ]
    country = {
        "de Vries": "Netherlands",
        "Schneider": "Germany",
        "Dubois": "France",
        "Janssen": "Netherlands",
        "Weber": "Germany",
        "Moreau": "France",
        "Bakker": "Netherlands",
        "Hartley": "UK",
        "Peeters": "Belgium",
        "Fischer": "Germany",
        "Leroy": "France",
        "Visser": "Netherlands",
        "Collins": "UK",
        "Maes": "Belgium",
        "Becker": "Germany",
    }
    pairs = [(f, l) for f in first for l in last]
    r.shuffle(pairs)
    guests = []
    for i, (f, l) in enumerate(pairs[:55], 1):
        phone = None if r.random() < 0.2 else f"+{r.randint(31, 49)} {r.randint(100, 999)} {r.randint(100000, 999999)}"
        plate = None if r.random() < 0.3 else f"{r.choice('ABDKLN')}{r.choice('XYZ')}-{r.randint(100, 999)}"
        guests.append((i, f"{f} {l}", country[l], phone, plate, r.randint(1948, 2003)))
    price = {p[0]: p[4] for p in pitches}
    free = [p[0] for p in pitches if p[0] not in ("A03", "A11", "B07", "C04")]
    raw = []
    regular = [3, 9, 17, 26, 31, 44]
    for _ in range(140):
        while True:
            arr = dt.date.fromisoformat(
                r.choice(
                    [
                        day(r, "2024-04-01", "2024-10-15"),
                        day(r, "2025-04-01", "2025-10-15"),
                        day(r, "2025-06-15", "2025-09-30"),
                    ]
                )
            )
            if r.random() < (1.0 if arr.month in (7, 8) else 0.55):
                break
        raw.append(arr)
    raw[:4] = [dt.date(2025, 9, 19), dt.date(2025, 9, 20), dt.date(2025, 9, 20), dt.date(2025, 9, 21)]
    raw.sort()
    bookings = []
    for i, arr in enumerate(raw, 1):
        g = r.choice(regular) if r.random() < 0.25 else r.randint(1, 50)
        p = r.choice(free)
        nights = r.choice([1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 9, 10, 14])
        dep = arr + dt.timedelta(days=nights)
        booked = min(arr - dt.timedelta(days=r.choice([0, 1, 2, 3, 5, 9, 14, 21, 35, 60, 90, 120])), TODAY)
        if arr > TODAY:
            status = "cancelled" if r.random() < 0.12 else "confirmed"
        elif dep > TODAY:
            status = "checked in"
        else:
            status = r.choices(["checked out", "cancelled", "no-show"], [80, 14, 6])[0]
        total = nights * price[p]
        paid = (
            total
            if status in ("checked in", "checked out")
            else (round(total * 0.3, 2) if status == "confirmed" else 0.0)
        )
        rating = r.choice([2, 3, 4, 4, 5, 5]) if status == "checked out" and r.random() < 0.7 else None
        bookings.append(
            (
                1000 + i,
                p,
                g,
                booked.isoformat(),
                arr.isoformat(),
                dep.isoformat(),
                nights,
                r.choice([1, 2, 2, 2, 2, 3, 4]),
                r.choice([0, 0, 0, 1, 2, 2, 3]),
                r.choice([0, 0, 0, 0, 1, 1, 2]),
                status,
                r.choice(["website", "website", "website", "phone", "agency", "walk-in"]),
                paid,
                rating,
            )
        )
    return make(
        folder,
        "campsite",
        """
    CREATE TABLE pitches(pitch_no TEXT PRIMARY KEY, kind TEXT, size_m2 INTEGER, electricity TEXT,
      price_per_night_eur REAL, toilets_distance_m INTEGER, shade TEXT, last_inspection TEXT);
    CREATE TABLE guests(guest_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, phone TEXT, number_plate TEXT,
      birth_year INTEGER);
    CREATE TABLE bookings(booking_id INTEGER PRIMARY KEY, pitch_no TEXT REFERENCES pitches(pitch_no),
      guest_id INTEGER REFERENCES guests(guest_id), booked_on TEXT, arrival TEXT, departure TEXT, nights INTEGER,
      adults INTEGER, children INTEGER, dogs INTEGER, status TEXT, booked_via TEXT, paid_eur REAL, rating INTEGER);
    """,
        pitches=pitches,
        guests=guests,
        bookings=bookings,
    )


def runlog(folder):
    r = random.Random(503)
    rows = []
    days = set()
    while len(days) < 126:
        days.add(day(r, "2024-09-20", "2025-09-15"))
    for i, d in enumerate(sorted(days), 1):
        date = dt.date.fromisoformat(d)
        kind = (
            r.choice(["easy", "easy", "easy", "long", "tempo", "intervals", "recovery", "race"])
            if r.random() < 0.6
            else r.choice(["easy", "long", "tempo", "recovery"])
        )
        lo, hi, pace, hr = {
            "easy": (6, 12, 5.7, 138),
            "long": (16, 29, 5.9, 145),
            "tempo": (7, 13, 4.8, 162),
            "intervals": (6, 10, 5.0, 166),
            "recovery": (4, 7, 6.3, 126),
            "race": (5, 21, 4.5, 174),
        }[kind]
        km = round(r.uniform(lo, hi), 1)
        surface = (
            "track"
            if kind == "intervals" and r.random() < 0.7
            else r.choice(["road", "road", "road", "trail", "trail"] + ["treadmill"] * (kind != "race"))
        )
        mins = round(km * (pace + (0.6 if surface == "trail" else 0) + r.uniform(-0.3, 0.3)), 1)
        up = {"road": r.randint(10, 160), "trail": r.randint(80, 620), "track": 0, "treadmill": 0}[surface]
        season = [1, 3, 7, 11, 16, 21, 24, 23, 18, 12, 6, 2][date.month - 1]
        temp = None if surface == "treadmill" else season + r.randint(-7, 7)
        rain = "N" if surface == "treadmill" else r.choice("NNNY")
        shoes = r.choice(["Pegasus 40", "Pegasus 40", "Ghost 15", "Ghost 15", "Endorphin Speed"])
        if surface == "trail":
            shoes = r.choice(["Speedcross 6", "Speedcross 6", "Ghost 15"])
        mate = None if surface == "treadmill" or r.random() < 0.5 else r.choice(["Anna", "Tom", "Tom", "Kofi", "Elise"])
        rows.append(
            (
                i,
                date.strftime("%d.%m.%Y"),
                km,
                mins,
                None if r.random() < 0.12 else hr + r.randint(-8, 8),
                up,
                kind,
                surface,
                shoes,
                temp,
                rain,
                mate,
            )
        )
    return make(
        folder,
        "runlog",
        """
    CREATE TABLE running_log("No." INTEGER PRIMARY KEY, "Date" TEXT, "Dist. (km)" REAL, "Time (min)" REAL,
      "Avg HR (bpm)" INTEGER, "Elev. gain [m]" INTEGER, "Type" TEXT, "Surface" TEXT, "Shoes" TEXT, "Temp [°C]" INTEGER,
      "Rain? (Y/N)" TEXT, "Ran with" TEXT);
    """,
        running_log=rows,
    )


SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
GIVEN = [
    "建国",
    "秀英",
    "志强",
    "丽华",
    "明",
    "晓红",
    "文博",
    "子涵",
    "雨桐",
    "海燕",
    "国栋",
    "婷婷",
    "俊杰",
    "桂兰",
    "浩然",
    "思远",
    "佳怡",
    "春梅",
    "德胜",
    "玉珍",
    "一诺",
    "振华",
    "欣妍",
    "宝珠",
]


def people(r, n):
    pool = [s + g for s in SURNAMES for g in GIVEN]
    r.shuffle(pool)
    return pool[:n]


WOMEN = {"秀英", "丽华", "晓红", "雨桐", "海燕", "婷婷", "桂兰", "佳怡", "春梅", "玉珍", "一诺", "欣妍", "宝珠"}


def sex(name):
    return "女" if name[1:] in WOMEN else "男"


def clinic(folder):
    r = random.Random(504)
    names = people(r, 82)
    posts = ["住院医师", "主治医师", "主治医师", "副主任医师", "主任医师"]
    fee = {"住院医师": 10, "主治医师": 15, "副主任医师": 25, "主任医师": 40}
    depts = ["全科"] * 6 + ["内科"] * 5 + ["儿科"] * 4 + ["中医科"] * 4 + ["口腔科"] * 3
    doctors = []
    for i, d in enumerate(depts, 1):
        post = r.choice(posts)
        if d == "儿科" and post == "主任医师":
            post = "副主任医师"
        doctors.append(
            (
                f"D{i:02d}",
                names[i - 1],
                sex(names[i - 1]),
                d,
                post,
                day(r, "2005-03-01", "2025-06-30"),
                fee[post] + (5 if d == "中医科" else 0),
            )
        )
    patients = []
    for i in range(1, 61):
        born = day(r, "1938-01-01", "1968-12-31") if r.random() < 0.45 else day(r, "1969-01-01", "2022-12-31")
        patients.append(
            (
                f"P{i:03d}",
                names[21 + i],
                sex(names[21 + i]),
                born,
                r.choice(["职工医保", "职工医保", "居民医保", "居民医保", "自费"]),
                r.choice(["阳光花园", "幸福里", "翠竹苑", "滨河小区"]),
                r.choice(["青霉素", "青霉素", "头孢", "磺胺"]) if r.random() < 0.3 else None,
                None if r.random() < 0.15 else f"1{r.choice([38, 39, 58, 86])}{r.randint(10000000, 99999999)}",
            )
        )
    ills = {
        "全科": ["感冒", "高血压", "糖尿病", "湿疹"],
        "内科": ["高血压", "糖尿病", "胃炎", "感冒"],
        "儿科": ["感冒", "湿疹", "肺炎"],
        "中医科": ["颈椎病", "失眠", "胃炎"],
        "口腔科": ["牙周炎", "龋齿"],
    }
    raw = []
    busy = [p[0] for p in patients if p[0] not in ("P007", "P019", "P033", "P046", "P058")]
    working = [d for d in doctors if d[0] not in ("D06", "D18")]
    for _ in range(145):
        d = r.choice(working if r.random() < 0.8 else working[:6])
        lo = max(d[5], "2024-01-02" if r.random() < 0.85 else "2025-07-15")
        raw.append((day(r, lo, "2025-09-16"), d))
    raw.sort(key=lambda x: x[0])
    born = {p[0]: p[3] for p in patients}
    kids = [p for p in busy if born[p] >= "2009-01-01"]
    grown = [p for p in busy if born[p] < "2006-01-01"]
    visits = []
    for i, (date, d) in enumerate(raw, 1):
        p = r.choice([k for k in kids if born[k] < date]) if d[3] == "儿科" else r.choice(grown)
        ill = r.choice(ills[d[3]])
        cost = round(r.uniform(35, 420) * (2.2 if d[3] == "口腔科" else 1), 1)
        temp = (
            None
            if r.random() < 0.25
            else round(
                r.uniform(37.4, 39.6) if ill in ("感冒", "肺炎") and r.random() < 0.6 else r.uniform(36.1, 37.1), 1
            )
        )
        visits.append((20240000 + i, p, d[0], date, ill, temp, cost, "是" if r.random() < 0.38 else "否"))
    return make(
        folder,
        "clinic",
        """
    CREATE TABLE 医生(医生编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 科室 TEXT, 职称 TEXT, 入职日期 TEXT, "挂号费(元)" INTEGER);
    CREATE TABLE 患者(患者编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 医保类型 TEXT, 居住小区 TEXT, 过敏药物 TEXT,
      手机号 TEXT);
    CREATE TABLE 就诊(就诊编号 INTEGER PRIMARY KEY, 患者编号 TEXT REFERENCES 患者(患者编号),
      医生编号 TEXT REFERENCES 医生(医生编号), 就诊日期 TEXT, 诊断 TEXT, "体温(℃)" REAL, "费用(元)" REAL, 是否复诊 TEXT);
    """,
        医生=doctors,
        患者=patients,
        就诊=visits,
    )


def cinema(folder):
    r = random.Random(505)
    halls = [
        ("1号厅", 180, "IMAX"),
        ("2号厅", 120, "普通"),
        ("3号厅", 120, "普通"),
        ("4号厅", 96, "普通"),
        ("5号厅", 150, "杜比"),
        ("6号厅", 48, "VIP"),
        ("7号厅", 64, "普通"),
    ]
    titles = [
        "星海归途",
        "爸爸的厨房",
        "雨夜追踪",
        "小狐狸的冬天",
        "长城以北",
        "恋爱进行时",
        "时间旅行者",
        "笑傲街头",
        "暗室",
        "飞天小猪",
        "钢铁之翼",
        "老友记事",
        "山海之间",
        "第七个证人",
        "月球车站",
        "情书一九九八",
        "猫的旅馆",
        "极速追击",
        "外婆的桥",
        "深海回声",
        "谁动了我的红包",
        "樱花时节",
        "迷雾庄园",
        "机器人阿布",
        "烈火边境",
        "再见夏天",
        "龙的传人",
        "夜班司机",
    ]
    kinds = [
        "科幻",
        "喜剧",
        "悬疑",
        "动画",
        "动作",
        "爱情",
        "科幻",
        "喜剧",
        "悬疑",
        "动画",
        "动作",
        "喜剧",
        "爱情",
        "悬疑",
        "科幻",
        "爱情",
        "动画",
        "动作",
        "爱情",
        "科幻",
        "喜剧",
        "爱情",
        "悬疑",
        "动画",
        "动作",
        "爱情",
        "动画",
        "悬疑",
    ]
    directors = people(r, 16)
    films = []
    for i, (t, k) in enumerate(zip(titles, kinds, strict=False), 1):
        films.append(
            (
                f"F{i:02d}",
                t,
                k,
                directors[(i * 5 + r.randint(0, 4)) % 16],
                r.choice(["中国", "中国", "中国", "美国", "日本", "韩国"]),
                r.randint(84, 104) if k == "动画" else r.randint(92, 168),
                day(r, "2024-06-01", "2025-09-12"),
                None if i in (9, 18, 26) else round(r.uniform(5.2, 9.4), 1),
            )
        )
    shows = []
    played = [f for f in films if f[0] not in ("F13", "F22", "F28")]
    plus = {"IMAX": 30, "普通": 0, "杜比": 15, "VIP": 40}
    raw = []
    for _ in range(110):
        f = r.choice(played)
        last = min((dt.date.fromisoformat(f[6]) + dt.timedelta(days=60)), dt.date(2025, 9, 21)).isoformat()
        h = r.choice(halls[:6])
        raw.append((day(r, f[6], last) if r.random() < 0.6 else day(r, max(f[6], "2025-08-10"), "2025-09-21"), f, h))
    raw.sort(key=lambda x: x[0])
    for i, (d, f, h) in enumerate(raw, 1):
        start = r.choice(["10:15", "11:40", "13:20", "14:50", "16:30", "18:10", "19:25", "20:40", "21:50"])
        price = 35 + plus[h[2]] + (10 if start > "18:00" else 0) - (10 if start < "12:00" else 0) + r.choice([0, 0, 5])
        shows.append((3000 + i, f[0], h[0], d, start, price))
    guests = people(r, 40)
    orders = []
    sold = [s for s in shows if s[3] <= "2025-09-18" and r.random() < 0.8]
    raw = []
    for _ in range(150):
        s = r.choice(sold)
        when = dt.date.fromisoformat(s[3]) - dt.timedelta(days=r.choice([0, 0, 0, 1, 1, 2, 3]))
        raw.append((min(when, TODAY).isoformat(), s))
    raw.sort(key=lambda x: x[0])
    for i, (when, s) in enumerate(raw, 1):
        n = r.choice([1, 1, 2, 2, 2, 2, 3, 4, 6])
        way = r.choice(["手机APP", "手机APP", "手机APP", "柜台", "自助机", "团购"])
        pay = round(n * s[5] * (0.8 if way == "团购" else 0.95 if way == "手机APP" else 1), 2)
        orders.append((f"T{i:04d}", s[0], r.choice(guests), when, n, pay, way, "是" if r.random() < 0.15 else "否"))
    return make(
        folder,
        "cinema",
        """
    CREATE TABLE 影厅(影厅名 TEXT PRIMARY KEY, 座位数 INTEGER, 银幕类型 TEXT);
    CREATE TABLE 影片(影片编号 TEXT PRIMARY KEY, 片名 TEXT, 类型 TEXT, 导演 TEXT, 制片地区 TEXT, 片长_分钟 INTEGER, 上映日期 TEXT,
      评分 REAL);
    CREATE TABLE 场次(场次编号 INTEGER PRIMARY KEY, 影片编号 TEXT REFERENCES 影片(影片编号),
      影厅名 TEXT REFERENCES 影厅(影厅名), 放映日期 TEXT, 开场时间 TEXT, 票价_元 INTEGER);
    CREATE TABLE 购票(订单号 TEXT PRIMARY KEY, 场次编号 INTEGER REFERENCES 场次(场次编号), 顾客姓名 TEXT, 购票日期 TEXT,
      张数 INTEGER, 实付金额 REAL, 购票渠道 TEXT, 是否退票 TEXT);
    """,
        影厅=halls,
        影片=films,
        场次=shows,
        购票=orders,
    )


def warehouse(folder):
    r = random.Random(506)
    who = people(r, 36)
    cities = ["上海", "苏州", "杭州", "宁波", "深圳"]
    heads = [
        "恒达",
        "瑞丰",
        "金桥",
        "顺泰",
        "华信",
        "宏远",
        "联创",
        "东明",
        "百川",
        "新益",
        "安捷",
        "优品",
        "星辰",
        "永固",
        "众合",
        "天宇",
        "佳美",
        "博文",
        "凯利",
        "万通",
    ]
    tails = ["贸易有限公司", "科技有限公司", "实业有限公司", "包装材料厂", "五金制品厂"]
    vendors = []
    for i, h in enumerate(heads, 1):
        vendors.append(
            (
                f"S{i:02d}",
                h + r.choice(tails),
                r.choice(cities + ["上海"]),
                who[i - 1],
                None if r.random() < 0.15 else f"021-{r.randint(50000000, 69999999)}",
                day(r, "2012-01-01", "2025-05-31"),
                r.choice("AAABBC"),
                r.choice([50, 100, 200, 300, 500, 800, 1000, 2000, 5000]),
            )
        )
    goods_names = {
        "办公用品": [
            "A4打印纸",
            "便签纸",
            "中性笔",
            "文件夹",
            "订书机",
            "白板笔",
            "档案盒",
            "计算器",
            "复写纸",
            "印泥",
            "胶水",
            "剪刀",
        ],
        "五金工具": [
            "十字螺丝刀",
            "活动扳手",
            "电钻",
            "卷尺",
            "羊角锤",
            "膨胀螺丝",
            "角磨机",
            "手电筒",
            "工具箱",
            "铝合金梯",
        ],
        "电子设备": [
            "27寸显示器",
            "无线鼠标",
            "机械键盘",
            "路由器",
            "移动硬盘",
            "投影仪",
            "条码扫描枪",
            "网络摄像头",
            "标签打印机",
            "电源插座",
        ],
        "清洁用品": ["洗手液", "垃圾袋", "拖把", "擦手纸", "玻璃清洁剂", "消毒酒精", "橡胶手套", "卫生纸", "扫帚"],
        "包装材料": [
            "五层纸箱",
            "三层纸箱",
            "封箱胶带",
            "气泡膜",
            "缠绕膜",
            "木托盘",
            "玻璃样品瓶",
            "泡沫板",
            "牛皮纸袋",
        ],
        "劳保用品": ["安全帽", "反光背心", "防护眼镜", "棉纱手套", "劳保鞋", "耳塞"],
    }
    span = {
        "办公用品": (2, 60),
        "五金工具": (8, 420),
        "电子设备": (45, 2600),
        "清洁用品": (3, 48),
        "包装材料": (1, 85),
        "劳保用品": (4, 160),
    }
    fragile = {
        "27寸显示器",
        "移动硬盘",
        "投影仪",
        "网络摄像头",
        "玻璃清洁剂",
        "玻璃样品瓶",
        "防护眼镜",
        "消毒酒精",
        "泡沫板",
    }
    goods = []
    for cat, items in goods_names.items():
        for n in items:
            safe = r.choice([5, 10, 20, 30, 50]) if cat == "电子设备" else r.choice([20, 40, 50, 80, 100])
            stock = int(safe * r.uniform(0.3, 4.2))
            goods.append(
                (
                    f"G{len(goods) + 1:03d}",
                    n,
                    cat,
                    r.choice(vendors[:17])[0],
                    round(r.uniform(*span[cat]), 1),
                    stock,
                    safe,
                    "是" if n in fragile else "否",
                    None if r.random() < 0.14 else f"{r.choice('ABCD')}-{r.randint(1, 12):02d}",
                )
            )
    staff = who[20:26]
    takers = who[26:36]
    ins = []
    for _ in range(110):
        g = r.choice([g for g in goods if g[0] not in ("G008", "G027", "G051")])
        ins.append(
            (
                g[0],
                day(r, "2024-02-01", "2025-09-16"),
                r.choice([10, 20, 24, 30, 50, 60, 100, 150, 200]),
                r.choice(staff),
                "合格" if r.random() < 0.86 else "不合格",
            )
        )
    ins.sort(key=lambda x: x[1])
    ins = [(f"RK{i:04d}",) + x for i, x in enumerate(ins, 1)]
    outs = []
    idle = {"G005", "G013", "G029", "G034", "G044", "G050"}
    for _ in range(140):
        g = r.choice([g for g in goods if g[0] not in idle])
        outs.append(
            (
                g[0],
                day(r, "2024-02-01", "2025-09-16"),
                r.choice([1, 2, 3, 5, 6, 8, 10, 12, 15, 20, 25, 40]),
                r.choice(["行政部", "市场部", "研发部", "生产部", "生产部", "售后部"]),
                r.choice(takers),
                "是" if r.random() < 0.2 else "否",
                None if r.random() < 0.7 else r.choice(["展会用", "客户现场", "补领", "新员工"]),
            )
        )
    outs.sort(key=lambda x: x[1])
    outs = [(f"CK{i:04d}",) + x for i, x in enumerate(outs, 1)]
    return make(
        folder,
        "warehouse",
        """
    CREATE TABLE 供应商(供应商编号 TEXT PRIMARY KEY, 公司名称 TEXT, 所在城市 TEXT, 联系人 TEXT, 联系电话 TEXT, 合作开始日期 TEXT,
      信用等级 TEXT, 注册资金_万元 INTEGER);
    CREATE TABLE 商品(商品编号 TEXT PRIMARY KEY, 商品名称 TEXT, 类别 TEXT, 供应商编号 TEXT REFERENCES 供应商(供应商编号), 单价_元 REAL,
      库存量 INTEGER, 安全库存 INTEGER, 是否易碎 TEXT, 货架号 TEXT);
    CREATE TABLE 入库(入库单号 TEXT PRIMARY KEY, 商品编号 TEXT REFERENCES 商品(商品编号), 入库日期 TEXT, 入库数量 INTEGER, 经办人 TEXT,
      质检结果 TEXT);
    CREATE TABLE 出库(出库单号 TEXT PRIMARY KEY, 商品编号 TEXT REFERENCES 商品(商品编号), 出库日期 TEXT, 出库数量 INTEGER, 领用部门 TEXT,
      领用人 TEXT, 是否加急 TEXT, 备注 TEXT);
    """,
        供应商=vendors,
        商品=goods,
        入库=ins,
        出库=outs,
    )


def build() -> dict[str, Path]:
    folder = tempfile.mkdtemp(prefix="apart_")
    return {f.__name__: f(folder) for f in (publisher, campsite, runlog, clinic, cinema, warehouse)}


if __name__ == "__main__":
    for _name, path in build().items():
        con = sqlite3.connect(path)
        for (t,) in con.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
            cur = con.execute(f'SELECT * FROM "{t}"')
            rows = cur.fetchall()
            for _row in rows[:3]:
                pass
