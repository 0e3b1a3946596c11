"""Six small databases of everyday life, drawn from fixed seeds."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _day(r, a, b):
    a, b = dt.date.fromisoformat(a), dt.date.fromisoformat(b)
    return a + dt.timedelta(days=r.randint(0, (b - a).days))


def _names(r, n, first, last, sep):
    out, seen = [], set()
    while len(out) < n:
        x = (r.choice(last) + r.choice(first)) if sep == "" else (r.choice(first) + sep + r.choice(last))
        if x not in seen:
            seen.add(x)
            out.append(x)
    return out


ZL = list("王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗")
ZF = [
    "伟",
    "芳",
    "娜",
    "敏",
    "静",
    "丽",
    "强",
    "磊",
    "洋",
    "艳",
    "勇",
    "军",
    "杰",
    "娟",
    "涛",
    "明",
    "超",
    "秀英",
    "桂兰",
    "建国",
    "志强",
    "海燕",
    "文博",
    "雨桐",
    "子涵",
    "思远",
    "晓东",
    "玉梅",
]
EF = [
    "Alice",
    "Ben",
    "Clara",
    "Daniel",
    "Emma",
    "Frank",
    "Grace",
    "Harry",
    "Isla",
    "Jack",
    "Kate",
    "Liam",
    "Megan",
    "Noah",
    "Olivia",
    "Peter",
    "Rosie",
    "Sam",
    "Tessa",
    "Victor",
    "Wendy",
    "Zoe",
]
EL = [
    "Archer",
    "Bennett",
    "Carter",
    "Dawson",
    "Ellis",
    "Foster",
    "Grant",
    "Hughes",
    "Irwin",
    "Jenkins",
    "Knight",
    "Lawson",
    "Mason",
    "Norris",
    "Owen",
    "Palmer",
    "Quinn",
    "Reid",
    "Shaw",
    "Turner",
]


def bookshop(c):
    r = random.Random(1101)
    c.executescript("""
    CREATE TABLE 供应商 (供应商编号 TEXT PRIMARY KEY, 供应商名称 TEXT, 类型 TEXT, 城市 TEXT, 联系人 TEXT, 合作开始日期 TEXT, 是否签约 TEXT);
    CREATE TABLE 图书 (图书编号 TEXT PRIMARY KEY, 书名 TEXT, 作者 TEXT, 类别 TEXT, 品相 TEXT, 出版年份 INTEGER, 页数 INTEGER, 进价 REAL, 标价 REAL, 入库日期 TEXT, 供应商编号 TEXT REFERENCES 供应商(供应商编号));
    CREATE TABLE 销售 (销售编号 INTEGER PRIMARY KEY, 图书编号 TEXT REFERENCES 图书(图书编号), 销售日期 TEXT, 成交价 REAL, 顾客姓名 TEXT, 付款方式 TEXT);
    """)
    sup = [
        "博古书社",
        "文渊旧书行",
        "城南废品站",
        "师大图书馆",
        "墨香斋",
        "老街书摊",
        "汇文拍卖行",
        "同济书店",
        "青石巷收书点",
        "翰林旧藏",
        "海淀书市",
        "江畔书屋",
    ]
    types = ["书店", "书店", "回收站", "图书馆", "书店", "个人", "拍卖行", "书店", "回收站", "个人", "书店", "个人"]
    cities = ["北京", "南京", "南京", "上海", "苏州", "苏州", "上海", "上海", "南京", "杭州", "北京", "杭州"]
    people = _names(r, 12, ZF, ZL, "")
    for i in range(12):
        c.execute(
            "INSERT INTO 供应商 VALUES (?,?,?,?,?,?,?)",
            (
                f"G{i + 1:02d}",
                sup[i],
                types[i],
                cities[i],
                None if i in (5, 8) else people[i],
                str(_day(r, "2018-01-01", "2025-06-30")),
                "是" if r.random() < 0.6 else "否",
            ),
        )
    a = ["江南", "古城", "中国", "明清", "民国", "西洋", "唐宋", "海上", "北平", "敦煌", "乡土", "晚清"]
    b = ["旧事", "诗选", "建筑史", "食谱", "人物志", "画集", "游记", "小说集", "书法", "风物", "戏曲", "科技史"]
    combos = [x + y for x in a for y in b]
    r.shuffle(combos)
    authors = _names(r, 22, ZF, ZL, "")
    books = []
    for i in range(90):
        entry = _day(r, "2023-06-01", "2025-09-15")
        cost = r.choice([5, 6, 8, 10, 12, 15, 18, 20, 25, 30, 40, 60, 90, 150]) + r.choice([0, 0.5])
        price = round(cost * r.uniform(1.3, 3.2))
        bid = f"B{i + 1:03d}"
        books.append((bid, price, entry))
        c.execute(
            "INSERT INTO 图书 VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (
                bid,
                combos[i],
                None if r.random() < 0.08 else r.choice(authors),
                r.choice(["文学", "历史", "艺术", "科技", "少儿", "文学", "历史"]),
                r.choice(["全新", "九品", "八品", "七品", "八品"]),
                r.randint(1955, 2022),
                r.randint(80, 780),
                cost,
                price,
                str(entry),
                None if r.random() < 0.07 else f"G{r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 1, 2, 4]):02d}",
            ),
        )
    buyers = _names(r, 26, ZF, ZL, "")
    sold = r.sample(books, 66)
    rows = []
    for bid, price, entry in sold:
        d = entry + dt.timedelta(days=r.randint(2, 330))
        if d > dt.date(2025, 9, 16):
            d = _day(r, str(entry), "2025-09-16")
        rows.append(
            (
                bid,
                str(d),
                round(price * r.choice([1, 1, 0.9, 0.8, 0.85, 1.1]), 1),
                None if r.random() < 0.12 else r.choice(buyers),
                r.choice(["微信", "支付宝", "现金", "微信", "银行卡"]),
            )
        )
    rows.sort(key=lambda x: x[1])
    for i, x in enumerate(rows):
        c.execute("INSERT INTO 销售 VALUES (?,?,?,?,?,?)", (i + 1, *x))


def physio(c):
    r = random.Random(2202)
    c.executescript("""
    CREATE TABLE 治疗师 (工号 TEXT PRIMARY KEY, 姓名 TEXT, 职称 TEXT, 专长 TEXT, 入职日期 TEXT, 是否在岗 TEXT);
    CREATE TABLE 患者 (患者编号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 出生日期 TEXT, 诊断 TEXT, 医保类型 TEXT, 首诊日期 TEXT, 体重公斤 REAL, 主管治疗师 TEXT REFERENCES 治疗师(工号));
    CREATE TABLE 治疗记录 (记录编号 INTEGER PRIMARY KEY, 患者编号 TEXT REFERENCES 患者(患者编号), 治疗师工号 TEXT REFERENCES 治疗师(工号), 治疗日期 TEXT, 治疗项目 TEXT, 时长分钟 INTEGER, 费用 REAL, 疼痛评分 INTEGER, 是否爽约 TEXT);
    """)
    names = _names(r, 60, ZF, ZL, "")
    for i in range(9):
        c.execute(
            "INSERT INTO 治疗师 VALUES (?,?,?,?,?,?)",
            (
                f"T{i + 1:02d}",
                names[i],
                [
                    "初级治疗师",
                    "中级治疗师",
                    "高级治疗师",
                    "中级治疗师",
                    "初级治疗师",
                    "中级治疗师",
                    "高级治疗师",
                    "初级治疗师",
                    "中级治疗师",
                ][i],
                [None, "运动康复", "神经康复", "手法治疗", "运动康复", "儿童康复", "手法治疗", None, "神经康复"][i],
                str(_day(r, "2012-03-01", "2024-12-01")),
                "否" if i in (3, 7) else "是",
            ),
        )
    pats = []
    for i in range(50):
        first = _day(r, "2024-03-01", "2025-09-12")
        pid = f"P{i + 1:03d}"
        th = f"T{r.choice([1, 2, 3, 5, 6, 7, 9, 3, 2]):02d}"
        pats.append((pid, first, th))
        c.execute(
            "INSERT INTO 患者 VALUES (?,?,?,?,?,?,?,?,?)",
            (
                pid,
                names[9 + i],
                r.choice("男女"),
                str(_day(r, "1940-01-01", "2014-12-31")),
                r.choice(["腰椎间盘突出", "颈椎病", "膝关节炎", "脑卒中后遗症", "肩周炎", "骨折术后"]),
                r.choice(["职工医保", "居民医保", "自费", "职工医保"]),
                str(first),
                None if r.random() < 0.1 else round(r.uniform(38, 96), 1),
                None if r.random() < 0.1 else th,
            ),
        )
    rows = []
    items = {"电疗": 60, "牵引": 80, "手法松解": 150, "运动训练": 120, "针灸": 90}
    for _ in range(145):
        pid, first, th = r.choice(pats[:45])
        it = r.choice(list(items))
        miss = r.random() < 0.13
        d = _day(r, str(max(first, dt.date(2024, 6, 1))), "2025-09-16")
        rows.append(
            (
                pid,
                th if r.random() < 0.7 else f"T{r.choice([1, 2, 3, 4, 5, 6, 9]):02d}",
                str(d),
                it,
                None if miss else r.choice([20, 30, 30, 40, 45, 60]),
                0 if miss else items[it] + r.choice([0, 0, 10, 20, 35]),
                None if miss or r.random() < 0.08 else r.randint(0, 9),
                "是" if miss else "否",
            )
        )
    rows.sort(key=lambda x: x[2])
    for i, x in enumerate(rows):
        c.execute("INSERT INTO 治疗记录 VALUES (?,?,?,?,?,?,?,?,?)", (i + 1, *x))


def charging(c):
    r = random.Random(3303)
    c.executescript(
        """CREATE TABLE 充电明细 ("单号" TEXT, "站点" TEXT, "桩型(快/慢)" TEXT, "车牌号" TEXT, "车主" TEXT, "充电日期" TEXT, "起始时刻" TEXT, "时长(min)" INTEGER, "电量(kWh)" REAL, "电费(元)" REAL, "服务费(元)" REAL, "异常中断" TEXT);"""
    )
    owners = _names(r, 18, ZF, ZL, "")
    plates = [r.choice(["沪A", "沪B", "苏E", "浙A"]) + "D" + f"{r.randint(10000, 99999)}" for _ in owners]
    rows = []
    for _ in range(120):
        i = r.randrange(18)
        fast = r.random() < 0.6
        m = r.randint(18, 75) if fast else r.randint(90, 420)
        k = round(m * (r.uniform(0.6, 1.1) if fast else r.uniform(0.08, 0.12)), 1)
        bad = r.random() < 0.12
        rows.append(
            (
                _day(r, "2024-11-01", "2025-09-16"),
                r.choice(["人民广场站", "高铁东站", "科技园站", "万达广场站", "体育中心站", "科技园站"]),
                "快充" if fast else "慢充",
                plates[i],
                None if i in (4, 11) else owners[i],
                f"{r.randint(0, 23):02d}:{r.randint(0, 59):02d}",
                m,
                k,
                round(k * r.choice([0.38, 0.62, 0.95, 1.1]), 2),
                None if r.random() < 0.1 else round(k * r.choice([0.3, 0.4, 0.5]), 2),
                "是" if bad else "否",
            )
        )
    rows.sort(key=lambda x: x[0])
    for i, x in enumerate(rows):
        c.execute(
            "INSERT INTO 充电明细 VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (f"CD{i + 1:04d}", x[1], x[2], x[3], x[4], x[0].strftime("%Y/%m/%d"), *x[5:]),
        )


def wedding(c):
    r = random.Random(4404)
    c.executescript("""
    CREATE TABLE couples (couple_id INTEGER PRIMARY KEY, partner_one TEXT, partner_two TEXT, home_town TEXT, enquiry_date TEXT, heard_from TEXT, email TEXT);
    CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, couple_id INTEGER REFERENCES couples(couple_id), wedding_date TEXT, room TEXT, package TEXT, guests INTEGER, price_gbp REAL, deposit_paid TEXT, status TEXT);
    CREATE TABLE vendors (vendor_id INTEGER PRIMARY KEY, vendor_name TEXT, service TEXT, town TEXT, rating REAL, insured TEXT);
    CREATE TABLE booking_vendors (booking_id INTEGER REFERENCES bookings(booking_id), vendor_id INTEGER REFERENCES vendors(vendor_id), fee_gbp REAL, PRIMARY KEY (booking_id, vendor_id));
    """)
    n = _names(r, 100, EF, EL, " ")
    for i in range(48):
        c.execute(
            "INSERT INTO couples VALUES (?,?,?,?,?,?,?)",
            (
                i + 1,
                n[2 * i],
                n[2 * i + 1],
                r.choice(["Bath", "Bristol", "Wells", "Frome", "Cardiff", "Bristol"]),
                str(_day(r, "2023-10-01", "2025-09-14")),
                r.choice(["Instagram", "Wedding fair", "Friend", "Website", None]),
                None
                if r.random() < 0.2
                else n[2 * i].lower().replace(" ", ".") + "@" + r.choice(["gmail.com", "outlook.com", "mail.uk"]),
            ),
        )
    for i in range(42):
        enq = dt.date.fromisoformat(
            c.execute("SELECT enquiry_date FROM couples WHERE couple_id=?", (i + 1,)).fetchone()[0]
        )
        d = enq + dt.timedelta(days=r.randint(120, 560))
        g = r.choice([25, 40, 50, 60, 75, 80, 90, 100, 120, 150, 180])
        p = r.choice(["Classic", "Rustic", "Luxury", "Micro"])
        st = (
            "cancelled"
            if r.random() < 0.12
            else ("completed" if d < TODAY else ("confirmed" if r.random() < 0.75 else "provisional"))
        )
        c.execute(
            "INSERT INTO bookings VALUES (?,?,?,?,?,?,?,?,?)",
            (
                501 + i,
                i + 1,
                str(d),
                r.choice(["Orangery", "Great Barn", "Walled Garden", "Ballroom"]),
                p,
                None if r.random() < 0.07 else g,
                round(
                    {"Classic": 3000, "Rustic": 2200, "Luxury": 6000, "Micro": 1200}[p] + g * r.choice([45, 55, 70]), 0
                ),
                "no" if st == "provisional" or r.random() < 0.1 else "yes",
                st,
            ),
        )
    v = [
        ("Petal & Stem", "florist"),
        ("Wild Posy", "florist"),
        ("Snap Happy", "photographer"),
        ("Golden Hour Photos", "photographer"),
        ("Oak Tree Catering", "caterer"),
        ("Feast & Fire", "caterer"),
        ("Silver Spoon", "caterer"),
        ("The Brass Monkeys", "band"),
        ("Moonlight Quartet", "band"),
        ("Sugar Loft Cakes", "baker"),
        ("Tiers of Joy", "baker"),
        ("DJ Starling", "DJ"),
        ("Vinyl Vows", "DJ"),
        ("Lens & Light", "photographer"),
    ]
    for i, (a, b) in enumerate(v):
        c.execute(
            "INSERT INTO vendors VALUES (?,?,?,?,?,?)",
            (
                i + 1,
                a,
                b,
                r.choice(["Bath", "Bristol", "Wells", "Frome"]),
                None if i in (6, 12) else round(r.uniform(3.1, 5.0), 1),
                "no" if i in (1, 7, 12) else "yes",
            ),
        )
    base = {"florist": 700, "photographer": 1400, "caterer": 3800, "band": 1200, "baker": 420, "DJ": 500}
    for b in range(501, 543):
        if b in (505, 517, 529, 538):
            continue
        for w in r.sample([x for x in range(1, 14) if x != 11], r.randint(1, 4)):
            c.execute(
                "INSERT INTO booking_vendors VALUES (?,?,?)",
                (b, w, None if r.random() < 0.06 else round(base[v[w - 1][1]] * r.uniform(0.7, 1.5) / 10) * 10),
            )


def bees(c):
    r = random.Random(5505)
    c.executescript("""
    CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name TEXT, village TEXT, joined_on TEXT, experience TEXT, phone TEXT, fee_paid INTEGER);
    CREATE TABLE hives (hive_code TEXT PRIMARY KEY, owner_id INTEGER REFERENCES members(member_id), hive_type TEXT, bee_strain TEXT, queen_year INTEGER, honey_kg REAL, installed_on TEXT);
    CREATE TABLE inspections (inspection_id INTEGER PRIMARY KEY, hive_code TEXT REFERENCES hives(hive_code), inspected_on TEXT, inspector_id INTEGER REFERENCES members(member_id), varroa_mites INTEGER, temper TEXT, queen_seen TEXT, temperature_c REAL, remarks TEXT);
    """)
    n = _names(r, 26, EF, EL, " ")
    for i in range(26):
        c.execute(
            "INSERT INTO members VALUES (?,?,?,?,?,?,?)",
            (
                i + 1,
                n[i],
                r.choice(["Ashford", "Brookfield", "Coldwell", "Dunmore", "Elmstead"]),
                str(_day(r, "2009-01-01", "2025-08-20")),
                r.choice(["beginner", "intermediate", "expert", "beginner"]),
                None if r.random() < 0.2 else f"07{r.randint(100000000, 999999999)}",
                0 if r.random() < 0.25 else 1,
            ),
        )
    hv = []
    for i in range(58):
        inst = _day(r, "2019-03-01", "2025-07-15")
        code = f"H-{i + 1:02d}"
        hv.append((code, inst))
        c.execute(
            "INSERT INTO hives VALUES (?,?,?,?,?,?,?)",
            (
                code,
                r.choice([1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 20, 21, 22]),
                r.choice(["National", "Langstroth", "Top-bar", "Warre", "National"]),
                r.choice(["Buckfast", "Carniolan", "Italian", "Native black"]),
                None if r.random() < 0.1 else r.randint(max(2021, inst.year - 1), 2025),
                None if r.random() < 0.12 else round(r.uniform(4, 42), 1),
                str(inst),
            ),
        )
    rows = []
    for _ in range(140):
        code, inst = r.choice(hv[:51])
        d = _day(r, str(max(inst, dt.date(2024, 3, 15))), "2025-09-15")
        rows.append(
            (
                code,
                str(d),
                r.choice([1, 2, 3, 8, 12, 15]),
                None if r.random() < 0.12 else min(r.randint(0, 30), r.randint(0, 30)),
                r.choice(["calm", "nervous", "aggressive", "calm", "calm"]),
                "yes" if r.random() < 0.65 else "no",
                round(r.uniform(9, 31), 1),
                r.choice(
                    [
                        None,
                        None,
                        None,
                        "needs feeding",
                        "swarm cells found",
                        "added a super",
                        "signs of chalkbrood",
                        "replaced frames",
                        "wasp damage, needs new roof",
                    ]
                ),
            )
        )
    rows.sort(key=lambda x: x[1])
    for i, x in enumerate(rows):
        c.execute("INSERT INTO inspections VALUES (?,?,?,?,?,?,?,?,?)", (i + 1, *x))


def complaints(c):
    r = random.Random(6606)
    c.executescript(
        """CREATE TABLE guest_complaints ("Ref No." TEXT, "Date Rcvd" TEXT, "Guest" TEXT, "Room No." INTEGER, "Compl. Category" TEXT, "Severity (1-5)" INTEGER, "Channel" TEXT, "Handled By" TEXT, "Resp. Time (min)" INTEGER, "Comp. Paid (EUR)" REAL, "Resolved Y/N" TEXT, "Nts Stayed" INTEGER);"""
    )
    g = _names(r, 70, EF, EL, " ")
    rows = []
    for _ in range(110):
        res = r.random() < 0.76
        rows.append(
            (
                _day(r, "2024-10-01", "2025-09-16"),
                r.choice(g),
                r.randint(1, 5) * 100 + r.randint(1, 18),
                r.choice(["Noise", "Cleanliness", "Staff", "Wi-Fi", "Billing", "Noise"]),
                min(5, max(1, round(r.gauss(2.8, 1.2)))),
                r.choice(["Front desk", "Phone", "E-mail", "App", "Front desk"]),
                None if r.random() < 0.09 else r.choice(["M. Keller", "S. Brandt", "A. Novak", "J. Rossi"]),
                None if r.random() < 0.1 else r.randint(3, 240),
                r.choice([0, 0, 0, 20, 25, 50, 80, 120, 200]) if res else (None if r.random() < 0.5 else 0),
                "Y" if res else "N",
                r.randint(1, 10),
            )
        )
    rows.sort(key=lambda x: x[0])
    for i, x in enumerate(rows):
        c.execute(
            "INSERT INTO guest_complaints VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (f"GC-{i + 1:03d}", x[0].strftime("%d.%m.%Y"), *x[1:]),
        )


def build() -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(prefix="apart_"))
    out = {}
    for name, fill in (
        ("bookshop", bookshop),
        ("physio", physio),
        ("charging", charging),
        ("wedding", wedding),
        ("bees", bees),
        ("complaints", complaints),
    ):
        path = folder / f"{name}.sqlite"
        c = sqlite3.connect(path)
        fill(c)
        c.commit()
        c.close()
        out[name] = path
    return out
