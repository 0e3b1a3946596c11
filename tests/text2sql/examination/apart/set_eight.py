"""Six small databases of everyday life, drawn from fixed seeds."""

import datetime as dt
import random
import sqlite3
import tempfile
from pathlib import Path

TODAY = dt.date(2025, 9, 17)


def _day(r, a, b):
    return a + dt.timedelta(days=r.randrange((b - a).days + 1))


def _make(path, ddl, tables):
    if path.exists():
        path.unlink()
    c = sqlite3.connect(path)
    c.executescript(ddl)
    for t, rows in tables.items():
        c.executemany(f'INSERT INTO "{t}" VALUES ({",".join("?" * len(rows[0]))})', rows)
    c.commit()
    c.close()
    return path


def brewery(p):
    r = random.Random(601)
    names = [
        ("Harbour Gold", "Lager"),
        ("Old Miller", "Stout"),
        ("Foxtail", "IPA"),
        ("Copper Kettle", "Pale Ale"),
        ("Night Ferry", "Stout"),
        ("Summer Lane", "Wheat"),
        ("Blue Heron", "Lager"),
        ("Red Barn", "Pale Ale"),
        ("Hop Thief", "IPA"),
        ("White Cloud", "Wheat"),
        ("Black Anvil", "Stout"),
        ("Tall Ship", "IPA"),
        ("Orchard Gate", "Sour"),
        ("Cherry Bomb", "Sour"),
        ("Long Field", "Pale Ale"),
        ("Winter Hearth", "Stout"),
        ("Clear Creek", "Lager"),
        ("Double Foxtail", "IPA"),
        ("Honey Meadow", "Wheat"),
        ("Quiet Monk", "Pale Ale"),
        ("Plum Duff", "Sour"),
        ("Easy Tiger", "IPA"),
    ]
    beers = []
    for i, (n, s) in enumerate(names, 1):
        abv = round(r.uniform(3.8, 6.2) + {"Stout": 1.5, "IPA": 1.0}.get(s, 0), 1)
        ibu = None if r.random() < 0.15 else r.randrange(10, 40) + (30 if s == "IPA" else 0)
        beers.append(
            (
                i,
                n,
                s,
                abv,
                ibu,
                round(r.uniform(3, 8), 2),
                _day(r, dt.date(2018, 3, 1), dt.date(2025, 6, 30)).isoformat(),
                "yes" if r.random() < 0.35 else "no",
            )
        )
    brewers = ["Anna Kowalski", "Tom Reilly", "Priya Shah", "Lars Beck"]
    batches = []
    for i in range(1, 81):
        b = r.randrange(1, 21)  # beers 21 and 22 never brewed
        d = _day(r, dt.date(2024, 1, 5), dt.date(2025, 9, 15))
        batches.append(
            (
                i,
                b,
                r.choice(brewers),
                d.isoformat(),
                r.choice([400, 500, 600, 800, 1000, 1200, 1500]),
                f"T{r.randrange(1, 6)}",
                None if r.random() < 0.12 else round(r.uniform(5, 10), 1),
                round(r.uniform(9, 21), 1),
            )
        )
    cn = [
        "The Crown",
        "Riverside Bar",
        "Green Dragon",
        "Corner Deli",
        "Hotel Astor",
        "Market Bistro",
        "The Anchor",
        "Bottle & Co",
        "Café Luna",
        "Station Pub",
        "Harvest Kitchen",
        "The Old Oak",
        "Fine Drops",
        "Lakeview Hotel",
        "Smoke House",
        "The Lamplighter",
        "Uptown Wines",
        "Mill Tavern",
    ]
    ct = [
        "pub",
        "pub",
        "pub",
        "shop",
        "hotel",
        "restaurant",
        "pub",
        "shop",
        "restaurant",
        "pub",
        "restaurant",
        "pub",
        "shop",
        "hotel",
        "restaurant",
        "pub",
        "shop",
        "pub",
    ]
    customers = [
        (
            i,
            n,
            t,
            r.choice(["Bristol", "Bath", "Cardiff", "Exeter"]),
            None
            if r.random() < 0.25
            else r.choice(
                ["Mary Jones", "Ian Clark", "Sue Patel", "Rob Evans", "Lily Chen", "Omar Aziz", "Kate Moss", "Ben Fry"]
            ),
        )
        for i, (n, t) in enumerate(zip(cn, ct, strict=False), 1)
    ]
    orders = []
    for i in range(1, 141):
        orders.append(
            (
                i,
                r.choice([x for x in range(1, 19) if x not in (12, 17)]),
                r.choice([x for x in range(1, 21) if x != 13]),
                _day(r, dt.date(2024, 6, 1), dt.date(2025, 9, 17)).isoformat(),
                r.choice([20, 30, 50, 50, 80, 100, 150, 200, 300]),
                "yes" if r.random() < 0.78 else "no",
            )
        )
    return _make(
        p,
        """
CREATE TABLE beers (beer_id INTEGER PRIMARY KEY, name TEXT, style TEXT, abv_percent REAL, bitterness_ibu INTEGER, price_per_litre REAL, launched_on TEXT, seasonal TEXT);
CREATE TABLE batches (batch_id INTEGER PRIMARY KEY, beer_id INTEGER REFERENCES beers(beer_id), brewer TEXT, brewed_on TEXT, volume_l INTEGER, tank TEXT, taste_score REAL, fermentation_temp_c REAL);
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, type TEXT, city TEXT, contact_person TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), beer_id INTEGER REFERENCES beers(beer_id), ordered_on TEXT, litres INTEGER, paid TEXT);
""",
        {"beers": beers, "batches": batches, "customers": customers, "orders": orders},
    )


def dance(p):
    r = random.Random(602)
    first = [
        "Emma",
        "Noah",
        "Olivia",
        "Liam",
        "Sofia",
        "Mateo",
        "Grace",
        "Hugo",
        "Isla",
        "Felix",
        "Nina",
        "Oscar",
        "Ruby",
        "Theo",
        "Zoe",
        "Amir",
        "Clara",
        "Jonas",
        "Maya",
        "Paul",
    ]
    last = ["Baker", "Novak", "Hughes", "Silva", "Martin", "Okafor", "Lindgren", "Rossi", "Walsh", "Meyer"]
    seen, students = set(), []
    while len(students) < 60:
        n = f"{r.choice(first)} {r.choice(last)}"
        if n in seen:
            continue
        seen.add(n)
        students.append(
            (
                len(students) + 1,
                n,
                _day(r, dt.date(1968, 1, 1), dt.date(2012, 12, 31)).isoformat(),
                r.choice(["beginner", "beginner", "intermediate", "advanced"]),
                r.choice(["Northside", "Old Town", "Hillcrest", "Lakeside"]),
                None
                if r.random() < 0.2
                else f"{n.split()[0].lower()}.{n.split()[1].lower()}@{r.choice(['mail.com', 'inbox.net'])}",
                _day(r, dt.date(2021, 1, 10), dt.date(2025, 9, 14)).isoformat(),
                "yes" if r.random() < 0.6 else "no",
            )
        )
    teachers = ["Carmen Ruiz", "David Stone", "Yuki Tanaka", "Elena Popova", "Marc Dubois"]
    titles = [
        ("Salsa Basics", "Salsa"),
        ("Salsa Partnerwork", "Salsa"),
        ("Tango Nights", "Tango"),
        ("Tango Technique", "Tango"),
        ("Ballet for Adults", "Ballet"),
        ("Pointe Prep", "Ballet"),
        ("Ballet Barre", "Ballet"),
        ("Street Hip Hop", "Hip Hop"),
        ("Hip Hop Crew", "Hip Hop"),
        ("Waltz and More", "Ballroom"),
        ("Foxtrot Friday", "Ballroom"),
        ("Wedding Dance", "Ballroom"),
        ("Salsa Shines", "Salsa"),
        ("Teen Hip Hop", "Hip Hop"),
        ("Milonga Practice", "Tango"),
        ("Quickstep Club", "Ballroom"),
        ("Contemporary Flow", "Contemporary"),
        ("Improvisation Lab", "Contemporary"),
        ("Floorwork", "Contemporary"),
        ("Swan Repertoire", "Ballet"),
    ]
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    classes = []
    for i, (t, s) in enumerate(titles, 1):
        classes.append(
            (
                i,
                t,
                s,
                None if i in (12, 19) else r.choice(teachers),
                "Friday" if "Friday" in t else r.choice(days),
                f"{r.randrange(9, 21):02d}:{r.choice(['00', '15', '30'])}",
                r.choice([45, 60, 60, 75, 90, 120]),
                r.choice(["Studio A", "Studio B", "Mirror Hall"]),
                r.choice([8, 10, 12, 16, 20, 25]),
                r.choice([35, 40, 45, 50, 55, 60, 75]),
            )
        )
    payments = []
    for i in range(1, 151):
        st = r.choice([x for x in range(1, 61) if x % 9])
        cl = r.choice([x for x in range(1, 21) if x not in (15, 18)])
        lo = max(dt.date(2024, 1, 1), dt.date.fromisoformat(students[st - 1][6]))
        payments.append(
            (
                i,
                st,
                cl,
                _day(r, lo, TODAY).isoformat(),
                classes[cl - 1][9] * r.choice([1, 1, 1, 3]) - r.choice([0, 0, 0, 5]),
                r.choice(["card", "card", "cash", "bank transfer"]),
                "yes" if r.random() < 0.1 else "no",
            )
        )
    return _make(
        p,
        """
CREATE TABLE students (student_id INTEGER PRIMARY KEY, full_name TEXT, birth_date TEXT, level TEXT, district TEXT, email TEXT, joined_on TEXT, newsletter TEXT);
CREATE TABLE classes (class_id INTEGER PRIMARY KEY, title TEXT, style TEXT, teacher TEXT, weekday TEXT, start_time TEXT, duration_min INTEGER, room TEXT, capacity INTEGER, monthly_fee_eur INTEGER);
CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES students(student_id), class_id INTEGER REFERENCES classes(class_id), paid_on TEXT, amount_eur INTEGER, method TEXT, refunded TEXT);
""",
        {"students": students, "classes": classes, "payments": payments},
    )


def carpark(p):
    r = random.Random(603)
    att = ["G. Hall", "M. Ortiz", "S. Lee", "P. Novotny"]
    plates = [f"{r.choice('BKMSW')}{r.choice('ABCDEF')}-{r.randrange(100, 999)}" for _ in range(70)]
    rows = []
    for i in range(1, 151):
        d = _day(r, dt.date(2025, 1, 2), TODAY)
        hh, mm = r.randrange(6, 21), r.randrange(60)
        still = r.random() < 0.06
        dur = (
            None
            if still
            else r.choice(
                [r.randrange(10, 90), r.randrange(30, 200), r.randrange(60, min(600, (23 - hh) * 60 + 59 - mm) + 1)]
            )
        )
        if dur is not None:
            dur = min(dur, (23 - hh) * 60 + 59 - mm)
        ex = None if still else f"{(hh * 60 + mm + dur) // 60:02d}:{(hh * 60 + mm + dur) % 60:02d}"
        season = "Y" if r.random() < 0.22 else "N"
        typ = r.choice(["car", "car", "car", "van", "motorbike", "SUV"])
        fee = (
            None
            if still
            else 0.0
            if season == "Y"
            else round(max(1, -(-dur // 30)) * (0.6 if typ == "motorbike" else 1.5 if typ == "van" else 1.2), 2)
        )
        pay = None if still or season == "Y" else r.choice(["card", "card", "cash", "app"])
        rows.append(
            (
                f"P{10000 + i}",
                r.choice(plates),
                d.strftime("%d.%m.%Y"),
                f"{hh:02d}:{mm:02d}",
                ex,
                dur,
                fee,
                pay,
                r.choice([-2, -1, 0, 1, 2]),
                typ,
                season,
                r.choice(att),
            )
        )
    return _make(
        p,
        """
CREATE TABLE car_park_log ("Ticket No." TEXT, "Licence plate" TEXT, "Entry date" TEXT, "Entry time" TEXT, "Exit time" TEXT, "Dur. (min)" INTEGER, "Fee (EUR)" REAL, "Pay. method" TEXT, "Lvl" INTEGER, "Veh. type" TEXT, "Season tkt (Y/N)" TEXT, "Attendant" TEXT);
""",
        {"car_park_log": rows},
    )


XM = [
    "王芳",
    "李伟",
    "张敏",
    "刘洋",
    "陈静",
    "杨磊",
    "赵丽",
    "黄强",
    "周婷",
    "吴军",
    "徐慧",
    "孙浩",
    "马超",
    "朱琳",
    "胡斌",
    "郭雪",
    "何平",
    "林娜",
    "高峰",
    "罗兰",
    "梁宇",
    "宋佳",
    "郑凯",
    "谢婉",
    "韩冰",
    "唐悦",
    "冯涛",
    "董洁",
    "程明",
    "曹颖",
    "袁野",
    "邓超然",
    "许晴",
    "傅雷鸣",
    "沈月",
    "王晓明",
    "李思思",
    "张建国",
    "刘子涵",
    "陈一鸣",
]


def flower(p):
    r = random.Random(604)
    sp = [
        ("红玫瑰", "鲜花"),
        ("白玫瑰", "鲜花"),
        ("香水百合", "鲜花"),
        ("向日葵", "鲜花"),
        ("康乃馨", "鲜花"),
        ("满天星", "鲜花"),
        ("郁金香", "鲜花"),
        ("绿萝", "绿植"),
        ("发财树", "绿植"),
        ("龟背竹", "绿植"),
        ("虎皮兰", "绿植"),
        ("多肉拼盘", "多肉"),
        ("玉露", "多肉"),
        ("仙人球", "多肉"),
        ("永生玫瑰礼盒", "永生花"),
        ("永生花音乐盒", "永生花"),
        ("玻璃花瓶", "花器"),
        ("陶瓷花盆", "花器"),
        ("藤编花篮", "花器"),
        ("蝴蝶兰", "绿植"),
        ("绣球花", "鲜花"),
        ("洋桔梗", "鲜花"),
        ("永生绣球花束", "永生花"),
        ("熊童子", "多肉"),
    ]
    goods = [
        (
            i,
            n,
            c,
            r.choice([15, 19, 25, 29, 39, 49, 68, 88, 128, 168, 199, 268]),
            0 if i in (5, 18) else r.randrange(3, 150),
            None if r.random() < 0.12 else r.choice(["云南", "广东", "山东", "浙江"]),
            r.choice([3, 5, 7, 10, 14]) if c == "鲜花" else None,
            "否" if r.random() < 0.2 else "是",
        )
        for i, (n, c) in enumerate(sp, 1)
    ]
    cust = [
        (
            i,
            n,
            r.choice("男女女"),
            None if r.random() < 0.15 else f"13{r.randrange(100000000, 999999999)}",
            _day(r, dt.date(1970, 1, 1), dt.date(2005, 12, 31)).isoformat(),
            r.choice(["普通", "普通", "银卡", "金卡", "钻石"]),
            _day(r, dt.date(2022, 5, 1), dt.date(2025, 9, 10)).isoformat(),
        )
        for i, n in enumerate(XM, 1)
    ]
    orders = []
    for i in range(1, 141):
        c = r.choice([x for x in range(1, 41) if x not in (7, 19, 28, 33)])
        g = r.choice([x for x in range(1, 25) if x not in (14, 19)])
        n = r.choice([1, 1, 1, 2, 2, 3, 5, 9, 11])
        d = max(_day(r, dt.date(2024, 5, 1), TODAY), dt.date.fromisoformat(cust[c - 1][6]))
        orders.append(
            (
                i,
                c,
                g,
                n,
                n * goods[g - 1][3],
                d.isoformat(),
                r.choice(["自提", "同城配送", "同城配送", "快递"]),
                r.choice(["已完成", "已完成", "已完成", "配送中", "已取消", "待付款"]),
                None
                if r.random() < 0.55
                else r.choice(["生日快乐", "送给妈妈", "结婚纪念日", "请上午送到", "母亲节快乐", "开业大吉"]),
            )
        )
    return _make(
        p,
        """
CREATE TABLE 商品 (商品编号 INTEGER PRIMARY KEY, 名称 TEXT, 类别 TEXT, 单价 REAL, 库存 INTEGER, 产地 TEXT, 保鲜期天数 INTEGER, 是否在售 TEXT);
CREATE TABLE 顾客 (顾客编号 INTEGER PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 电话 TEXT, 生日 TEXT, 会员等级 TEXT, 注册日期 TEXT);
CREATE TABLE 订单 (订单编号 INTEGER PRIMARY KEY, 顾客编号 INTEGER REFERENCES 顾客(顾客编号), 商品编号 INTEGER REFERENCES 商品(商品编号), 数量 INTEGER, 金额 REAL, 下单日期 TEXT, 配送方式 TEXT, 状态 TEXT, 备注 TEXT);
""",
        {"商品": goods, "顾客": cust, "订单": orders},
    )


def groupbuy(p):
    r = random.Random(605)
    xq = [
        "阳光花园",
        "翠湖苑",
        "金色家园",
        "幸福里",
        "东方名城",
        "绿地新苑",
        "和平小区",
        "滨江一号",
        "桂花园",
        "紫荆苑",
        "望江府",
        "学府雅居",
    ]
    tz = [
        (
            i,
            n,
            r.choice(xq),
            r.choice(["江南区", "江北区", "高新区"]),
            _day(r, dt.date(2022, 1, 1), dt.date(2025, 7, 31)).isoformat(),
            r.choice([5, 6, 8, 10, 12]),
            "是" if r.random() < 0.65 else "否",
            r.choice([None, 45, 80, 120, 160, 200, 260, 320, 480, 500]),
        )
        for i, n in enumerate(XM[:24], 1)
    ]
    sp = [
        ("赣南脐橙", "水果"),
        ("海南芒果", "水果"),
        ("红富士苹果", "水果"),
        ("阳光玫瑰葡萄", "水果"),
        ("东北大米", "粮油"),
        ("菜籽油", "粮油"),
        ("手工挂面", "粮油"),
        ("土鸡蛋", "肉蛋"),
        ("黑猪五花肉", "肉蛋"),
        ("冷鲜鸡腿", "肉蛋"),
        ("有机西兰花", "蔬菜"),
        ("本地小青菜", "蔬菜"),
        ("山东大葱", "蔬菜"),
        ("高原土豆", "蔬菜"),
        ("纯牛奶", "乳品"),
        ("原味酸奶", "乳品"),
        ("抽纸", "日用品"),
        ("洗衣液", "日用品"),
        ("垃圾袋", "日用品"),
        ("冷冻虾仁", "肉蛋"),
        ("蓝莓", "水果"),
        ("奶酪棒", "乳品"),
    ]
    goods = []
    for i, (n, c) in enumerate(sp, 1):
        m = r.choice([12.9, 15.9, 19.9, 25.8, 29.9, 39.9, 49.9, 59.9, 79])
        goods.append(
            (
                i,
                n,
                c,
                round(m * r.choice([0.6, 0.7, 0.75, 0.85, 0.9]), 1),
                m,
                None if c == "日用品" else r.choice([0.25, 0.5, 1, 1.5, 2.5, 5, 10]),
                r.choice(["绿源农场", "鲜达供应链", "惠民商贸", "山野合作社"]),
                "是" if c in ("肉蛋", "乳品") else "否",
            )
        )
    buyers = XM[24:] + ["小李", "豆豆妈", "老周", "阿珍"]
    orders = []
    for i in range(1, 151):
        d = _day(r, dt.date(2024, 9, 1), TODAY)
        st = r.choice(["已取货", "已取货", "已取货", "待取货", "已退款"])
        orders.append(
            (
                i,
                r.choice([x for x in range(1, 25) if x not in (6, 17)]),
                r.choice([x for x in range(1, 23) if x not in (13, 19)]),
                r.choice(buyers),
                r.choice([1, 1, 1, 2, 2, 3, 4, 6]),
                d.isoformat(),
                (d + dt.timedelta(days=r.choice([1, 1, 2, 2, 3]))).isoformat() if st == "已取货" else None,
                st,
                r.choice([None, 1, 2, 3, 4, 4, 5, 5, 5]) if st == "已取货" else None,
            )
        )
    return _make(
        p,
        """
CREATE TABLE 团长 (团长编号 INTEGER PRIMARY KEY, 姓名 TEXT, 小区 TEXT, 城区 TEXT, 加入日期 TEXT, "佣金比例(%)" INTEGER, 是否认证 TEXT, 群人数 INTEGER);
CREATE TABLE 商品 (商品编号 INTEGER PRIMARY KEY, 品名 TEXT, 品类 TEXT, 团购价 REAL, 市场价 REAL, "重量(kg)" REAL, 供应商 TEXT, 是否冷链 TEXT);
CREATE TABLE 订单 (订单编号 INTEGER PRIMARY KEY, 团长编号 INTEGER REFERENCES 团长(团长编号), 商品编号 INTEGER REFERENCES 商品(商品编号), 买家 TEXT, 份数 INTEGER, 下单日期 TEXT, 取货日期 TEXT, 订单状态 TEXT, 评分 INTEGER);
""",
        {"团长": tz, "商品": goods, "订单": orders},
    )


def feedback(p):
    r = random.Random(606)
    nick = [
        "追风少年",
        "橙子汽水",
        "深海鱼",
        "小确幸",
        "云淡风轻",
        "柠檬不酸",
        "老王在此",
        "夜猫子",
        "西瓜皮",
        "一叶知秋",
        "奔跑的蜗牛",
        "阿布",
        "星河",
        "码农小张",
        "南山南",
        "糯米团子",
    ]
    txt = {
        "功能建议": ["希望增加夜间模式", "建议支持批量导出", "希望能自定义首页"],
        "程序错误": ["页面一直闪退", "图片加载失败", "提交后页面空白"],
        "投诉": ["客服态度差", "退款太慢", "广告太多"],
        "咨询": ["如何修改密码", "怎么开发票", "会员如何退款"],
        "表扬": ["界面很好看", "客服很耐心", "用起来很顺手"],
    }
    rows = []
    for i in range(1, 151):
        k = r.choice(["功能建议", "程序错误", "程序错误", "投诉", "咨询", "表扬"])
        sc = {"表扬": [4, 5], "投诉": [1, 1, 2], "程序错误": [1, 2, 3]}.get(k, [2, 3, 4, 5])
        un = r.random() < 0.18
        h = None if un else round(r.choice([r.uniform(0.2, 5), r.uniform(2, 30), r.uniform(24, 90)]), 1)
        rows.append(
            (
                f"FB{i:04d}",
                _day(r, dt.date(2024, 10, 1), TODAY).strftime("%Y/%m/%d"),
                r.choice(nick),
                r.choice(["网页", "APP", "APP", "电话", "邮件"]),
                k,
                None if r.random() < 0.1 else r.choice(sc),
                h,
                None if un else r.choice(["孙悦", "钱程", "周小川", "李慕白"]),
                "否" if un or r.random() < 0.25 else "是",
                r.choice(["北京", "上海", "广州", "成都", "武汉"]),
                r.choice(["安卓", "苹果", "电脑"]),
                r.choice(txt[k]),
            )
        )
    return _make(
        p,
        """
CREATE TABLE 用户反馈 (反馈编号 TEXT, 提交日期 TEXT, 用户昵称 TEXT, 渠道 TEXT, 反馈类型 TEXT, "评分(1-5)" INTEGER, "响应时长(小时)" REAL, 处理人 TEXT, "是否解决" TEXT, 城市 TEXT, 设备 TEXT, 反馈内容 TEXT);
""",
        {"用户反馈": rows},
    )


def build():
    d = Path(tempfile.mkdtemp(prefix="apart_"))
    return {
        n: f(d / f"{n}.sqlite")
        for n, f in {
            "brewery": brewery,
            "dance": dance,
            "carpark": carpark,
            "flower": flower,
            "groupbuy": groupbuy,
            "feedback": feedback,
        }.items()
    }
