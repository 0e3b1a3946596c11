"""The words that tables are full of, in both languages; units, abbreviations, and what a name of a column proposes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from lab.text2sql.hints import Hint

# tag(s) | English words | Chinese words.  Tags say what a column is about; adjectives (贵, cheapest) and units
# (年, dollars) look for them.
_WORDS = """
label | name, full name | 名称, 姓名, 名字
label | title | 标题, 题名
money price | price, unit price, list price | 价格, 单价, 售价, 价钱
money price | cost | 成本
money price | fare, ticket price | 票价
money price | freight, shipping cost | 运费
money price | bill | 账单
money | amount | 金额
money | revenue, turnover | 营业额, 收入
money | sales | 销售额
money | profit | 利润
money | balance | 余额
money | budget | 预算
money | discount | 折扣
money | tax | 税额, 税
money price | fee, charge | 手续费, 费用
money | payment | 付款, 支付
money salary | salary, pay, wage | 薪资, 工资, 薪水, 薪酬, 月薪
money salary | income | 收入
money | bonus | 奖金
 | city, town | 城市, 所在城市
 | country | 国家
 | state | 州
 | province | 省份, 省
 | region, area | 地区, 区域
 | address | 地址
 | street | 街道
 | postcode, zip code, zip, postal code | 邮编
 | location, place | 地点, 位置
 | district | 区
 | email, mail, email address | 邮箱, 电子邮件
 | phone, phone number, telephone, mobile | 电话, 手机号, 手机
 | gender, sex | 性别
age | age | 年龄, 岁数
date birth | birthday, birth date, date of birth, birth, born | 生日, 出生日期
date | date, day | 日期
date | time | 时间
date | created at, created, creation date | 创建时间, 创建日期
date | updated at, updated | 更新时间
 | year | 年份, 年度
 | month | 月份
date | order date | 下单日期, 订单日期
date | hire date, hired | 入职日期, 入职时间
date | start date | 开始日期
date | end date | 结束日期
date | due date | 到期日
date | signup date, registration date, registered, join date | 注册日期, 注册时间
experience years | experience, years of experience, work experience | 工作年限, 工作经验, 经验, 年限, 工龄
years | years | 年数
 | skills, skill | 技能
 | education, degree | 学历
 | school, university, college | 学校, 毕业院校
 | major | 专业
 | department | 部门
 | position, job title, job, role | 职位, 岗位, 职务
 | company | 公司
 | industry | 行业
 | level | 级别, 等级
 | grade | 年级, 等级
 | status | 状态, 情况
 | type, kind | 类型, 种类
 | category | 类别, 分类, 品类
 | brand, make | 品牌
 | model | 型号
 | color, colour | 颜色
size | size | 尺寸, 大小
size | area, surface | 面积, 占地面积
size | capacity | 容量, 座位数
speed | speed, velocity | 速度, 时速
money value | value, worth | 价值, 估值, 市值
piece | quantity, qty, units | 数量, 件数
piece | stock, inventory | 库存
piece | count, number | 数目, 个数
piece size | population | 人口
rating | rating, stars | 评分, 星级
rating | score, mark, points | 分数, 得分, 成绩
 | rank, ranking | 排名
percent | percentage, percent, rate | 比例, 百分比
weight | weight | 重量, 体重, 净重, 毛重
length | length | 长度, 全长
height | height | 高度, 身高, 海拔
 | width | 宽度
length duration | duration | 时长, 片长, 用时, 耗时
length distance | distance, mileage | 距离, 里程
 | temperature | 温度
 | note, notes, remark, remarks, comment, comments | 备注, 说明, 附注
 | material, materials | 材料, 材质
 | specialty, speciality | 专科, 专长
 | appointment | 预约
 | visit | 就诊
 | trip, ride | 行程
 | station | 站点, 车站
 | reading | 读数
 | trade, deal | 成交
 | ticket | 工单, 票
 | description | 描述, 简介
 | language | 语言
 | author | 作者
 | publisher | 出版社
 | channel | 渠道
 | method | 方式
 | code | 编码, 代码
 | id, number, no | 编号, 号
 | currency | 币种
 | customer, client | 客户, 顾客
 | order | 订单
 | product, item | 商品, 产品
 | order item | 订单明细
 | supplier, vendor | 供应商
 | employee, staff | 员工, 雇员
 | candidate, applicant | 候选人, 应聘者
 | user | 用户
 | student | 学生
 | teacher, instructor | 老师, 教师
 | course | 课程
 | class | 班级
 | book | 图书, 书
 | movie, film | 电影
 | store, shop | 门店, 店铺
 | restaurant | 餐厅, 餐馆
 | hotel | 酒店
 | car | 汽车, 车
 | flight | 航班
 | review | 评论, 评价
 | invoice | 发票
 | transaction | 交易
 | account | 账户, 账号
 | member | 会员
 | project | 项目
 | event | 活动
 | patient | 患者, 病人
 | doctor | 医生
 | paper, publication | 论文
 | river | 河流, 河
 | mountain | 山
 | lake | 湖
"""


@dataclass(frozen=True)
class Word:
    """One line of the dictionary: English words, Chinese words (the first of each is shown), tags."""

    en: tuple[str, ...]
    zh: tuple[str, ...]
    tags: frozenset[str]


@cache
def dictionary() -> Mapping[str, Word]:
    """Every word of either language, with its line (the first line that has it)."""
    found: dict[str, Word] = {}
    for line in _WORDS.strip().splitlines():
        tags, en, zh = (part.strip() for part in line.split("|"))
        word = Word(
            tuple(w.strip() for w in en.split(",")), tuple(w.strip() for w in zh.split(",")), frozenset(tags.split())
        )
        for key in word.en + word.zh:
            found.setdefault(key, word)
    return found


_UNITS = """
money | 元, 块, 块钱, 元/月, 元/年, 人民币, rmb, cny, yuan, usd, dollar, $, ¥, €, £, eur, euro, gbp, pound, 美元, 欧元, 英镑
money 10000 | 万元, 万, 万元/年, 万元/月, w
money 1000 | 千元, k, k元, 千
years | 年, year, yr
age | 岁, 周岁, years old, year old, years of age
months | 个月, 月, month
days | 天, 日, day
weeks | 周, 个星期, 星期, week
hours | 小时, 个小时, 钟头, 个钟头, hour, hr, h
minutes | 分钟, minute, min
seconds | 秒, 秒钟, second, sec
percent | %, percent, 百分之
piece | 件, 个, 位, 人, 名, 本, 台, 份, 只, 单, 条, 款, 笔, 辆, 张, 家, 次, 部, 场, 门, 间, piece, unit, pcs, time
weight | kg, 公斤, 千克, kilogram, kilo
weight g | 克, gram, g
weight t | 吨, ton, tonne
km | 公里, 千米, km, kilometer, kilometre
mile | 英里, mile
metre | 米, m, metre, meter
area km | 平方公里, 平方千米, square kilometer, square kilometre, sq km, km2
area | 平方米, 平米, square meter, square metre, sqm, m2
cm | 厘米, cm, centimeter, centimetre
points | 分, point, star, 星
"""


def _units() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for line in _UNITS.strip().splitlines():
        meaning, words = line.split(" | ")
        measures, _, scale = meaning.rpartition(" ")
        known = (measures, float(scale)) if scale.isdigit() else (meaning, 1.0)
        found |= dict.fromkeys(words.split(", "), known)
    return found


UNITS: Mapping[str, tuple[str, float]] = _units()
"""Units that are understood: what each measures, and by how much the stored number is smaller than the spoken one."""

_DIMENSIONS: tuple[Mapping[str, float], ...] = (
    {"days": 1440.0, "hours": 60.0, "minutes": 1.0, "seconds": 1 / 60},
    {"years": 12.0, "months": 1.0},
    {"weight t": 1e6, "weight": 1000.0, "weight g": 1.0},
    {"km": 1000.0, "metre": 1.0, "cm": 0.01, "mile": 1609.344},
)


def converted(value: float, said: str, stored: str) -> float | None:
    """A number of one measure in another (2 hours: 120 minutes); None where they do not measure the same."""
    if said == stored:
        return value
    for one in _DIMENSIONS:
        if said in one and stored in one:
            return round(value * one[said] / one[stored], 9)
    return None


def words_of(name: str) -> list[str]:
    """The words in a column name: ``monthlyRent``, ``monthly_rent``, ``MONTHLY RENT`` -> monthly, rent."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return [w.lower() for w in re.split(r"[^0-9A-Za-z一-鿿]+", name) if w]


def singular(word: str) -> str:
    """The singular of an English word, as far as endings tell."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural(word: str) -> str:
    """The plural of an English word, as far as endings tell."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word + "s"


def known_word(words: list[str]) -> Word | None:
    """The dictionary's line for a name of one or more words, in either number."""
    lines, joined = dictionary(), " ".join(words)
    if joined in lines:
        return lines[joined]
    if words:
        alone = " ".join([*words[:-1], singular(words[-1])])
        return lines.get(alone)
    return None


_ABBREVIATED = {
    "num": "number", "no": "number", "nbr": "number", "amt": "amount", "qty": "quantity", "cnt": "count", "desc": "description",
    "addr": "address", "dt": "date", "ts": "time", "cust": "customer", "prod": "product", "prd": "product", "dept": "department",
    "emp": "employee", "avg": "average", "tot": "total", "ttl": "total", "pct": "percent", "yr": "year", "yrs": "years",
    "hrs": "hours", "hr": "hour", "tx": "transaction", "txn": "transaction", "ccy": "currency", "cat": "category",
    "lang": "language", "org": "organization", "loc": "location", "freq": "frequency", "nm": "name", "prc": "price",
    "ord": "order", "hdr": "header", "ln": "line", "cntry": "country", "ctry": "country", "flg": "flag", "mthd": "method",
    "wt": "weight", "ht": "height", "len": "length", "dur": "duration", "stat": "status", "sts": "status", "rmk": "remark",
    "rmks": "remarks", "cmt": "comment", "dob": "date of birth", "mgr": "manager", "pos": "position", "sal": "salary",
    "bal": "balance", "pmt": "payment", "pymt": "payment", "inv": "invoice", "acct": "account", "acc": "account",
    "tel": "telephone", "ph": "phone", "ctg": "category", "catg": "category", "grp": "group", "lvl": "level", "mbr": "member",
    "usr": "user", "stu": "student", "std": "student", "tchr": "teacher", "veh": "vehicle", "whse": "warehouse",
    "wh": "warehouse", "sup": "supplier", "supp": "supplier", "vnd": "vendor", "disc": "discount", "rev": "revenue",
    "exp": "expense", "dst": "distance", "dist": "distance", "temp": "temperature", "spd": "speed", "bkg": "booking",
    "ins": "insured", "est": "estimated", "reg": "region", "rgn": "region", "mo": "month", "wk": "week", "cur": "current",
    "prev": "previous", "beg": "beginning", "strt": "start", "typ": "type", "clr": "color", "sz": "size", "upd": "updated",
    "crt": "created", "del": "deleted", "act": "active", "app": "application", "svc": "service", "srv": "service",
}  # fmt: skip
UNIT_SUFFIXES = frozenset(
    """
    kg g cm mm m km usd eur gbp cny rmb hours days minutes mins min sec seconds percent pct hrs kwh kw mw ml l
    """.split()  # noqa: SIM905
)
"""Units at the end of a column's name: weight_kg."""
_BRACKET = re.compile(r"^(.*?)\s*[（(\[【]([^（）()\[\]【】]{1,20})[)）\]】]\s*$")
_HAN_UNIT = re.compile(r"^(.*[一-鿿])\s*([A-Za-z%]{1,4})$")


def bare_name(name: str) -> tuple[str, str]:
    """A name without the unit that stands behind it, and that unit: 运费（元）, Weight (g), weight_kg, 重量kg.

    >>> bare_name("Weight (g)"), bare_name("是否保价"), bare_name("Smart meter?")
    (('Weight', 'g'), ('是否保价', ''), ('Smart meter', ''))
    """
    name = name.strip().rstrip("?？#＃ ").strip() or name
    if (m := _BRACKET.match(name)) and m[1]:
        return m[1].strip(), m[2].strip()
    if m := _HAN_UNIT.match(name):
        return m[1], m[2]
    words = words_of(name)
    if len(words) > 1 and words[-1] in UNIT_SUFFIXES:
        return " ".join(words[:-1]), words[-1]
    return name, ""


def spelled_out(words: list[str]) -> list[str]:
    """A name with its abbreviations written out; [] where it has none."""
    long = [_ABBREVIATED.get(w, w) for w in words]
    return [" ".join(long)] if long != words else []


def propose(name: str, *, loosely: bool = True) -> tuple[Hint, frozenset[str]]:
    """A hint for a name that nobody described, and its tags.

    The whole name, else its last word (its head), is looked up.  A name that is known word by word gets its
    Chinese name put together from theirs; ``loosely`` (for columns) its head alone also stands for it.
    """
    name, unit = bare_name(name)
    hint, tags = _proposed(name, loosely=loosely)
    return (replace(hint, unit=unit) if unit else hint), tags


def _proposed(name: str, *, loosely: bool) -> tuple[Hint, frozenset[str]]:
    words = words_of(name)
    if not words:
        return Hint(zh=name, en=name), frozenset()
    long = spelled_out(words)
    if long:
        hint, tags = _proposed(long[0], loosely=loosely)
        return replace(hint, en=long[0]), tags
    han = any("一" <= c <= "鿿" for c in name)
    whole = known_word(words)
    if whole is not None:
        shown = Hint(
            zh=name if han else whole.zh[0],
            en=whole.en[0] if han else " ".join(words),
            synonyms=tuple(dict.fromkeys(w for w in whole.en + whole.zh if w != name)),
        )
        return shown, whole.tags
    if han:
        ends = [w for k, w in dictionary().items() if len(k) > 1 and name.endswith(k)]
        return Hint(zh=name, en=name), max(ends, key=lambda w: len(w.zh[0])).tags if ends else frozenset()
    each = [known_word([w]) for w in words]
    head = each[-1]
    zh = "".join(w.zh[0] for w in each if w is not None) if all(each) else ""
    loose = (
        loosely
        and head is not None
        and "label" not in head.tags
        and words[-1] not in ("id", "code", "number", "no", "type", "kind", "status", "state")
    )
    said = (*((zh,) if zh else ()), *(head.en + head.zh if loose and head else ()))  # 薪资 for monthly_salary
    return Hint(zh=zh, en=" ".join(words), synonyms=tuple(dict.fromkeys(said))), head.tags if head else frozenset()


def date_cues(hint: Hint, words: list[str]) -> tuple[str, ...]:
    """Verbs that point to a date column: 入职 for 入职日期, hired for hire date, created for created at."""
    cues = [n[:-2] for n in (hint.zh, *hint.synonyms) if n.endswith(("日期", "时间")) and len(n) > 3]
    if len(words) > 1 and words[-1] in ("date", "at", "on", "time", "day"):
        verb = words[-2]
        cues += [verb, verb + "d"] if verb.endswith("e") else [verb] if verb.endswith("ed") else [verb, verb + "ed"]
    return tuple(dict.fromkeys(cues))
