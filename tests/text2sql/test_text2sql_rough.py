"""Tables as people have them: headers with units and questions marks, days without zeros, parts of one, short names."""

from __future__ import annotations

import datetime as dt

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

pytestmark = pytest.mark.nightly  # test_text2sql_everyday.py and others have such questions in the suite

ENERGY = """
CREATE TABLE readings("Meter No" TEXT, "Read Dt" TEXT, "kWh used" REAL, "Unit rate (p)" REAL, "Region" TEXT,
  "Est?" TEXT, "Cust type" TEXT);
INSERT INTO readings VALUES ('M100','03/01/2025',310.5,24.5,'North','N','Domestic'),
  ('M101','04/01/2025',1220,19.2,'North','N','Business'),('M102','15/01/2025',95,24.5,'South','Y','Domestic'),
  ('M100','02/02/2025',288,24.5,'North','N','Domestic'),('M101','05/02/2025',1410,19.2,'North','Y','Business'),
  ('M103','10/02/2025',402,26.1,'East','N','Domestic'),('M104','12/02/2025',2100,18.4,'East','N','Business'),
  ('M102','17/02/2025',110.2,24.5,'South','N','Domestic'),('M103','09/03/2025',377,26.1,'East','Y','Domestic'),
  ('M104','14/03/2025',1985,18.4,'East','N','Business'),('M105','20/03/2025',60,27,'South','N','Domestic'),
  ('M100','04/03/2025',299,24.5,'North','N','Domestic');
"""
MUSEUM = """
CREATE TABLE exhibitions(ex_id INTEGER PRIMARY KEY, title TEXT, hall TEXT, curator TEXT, opens DATE,
  closes DATE, budget_eur REAL);
CREATE TABLE visitors(v_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, age INTEGER, is_member TEXT);
CREATE TABLE tickets(t_id INTEGER PRIMARY KEY, ex_id INTEGER REFERENCES exhibitions(ex_id),
  v_id INTEGER REFERENCES visitors(v_id), sold_on DATE, price_eur REAL, channel TEXT, audio_guide TEXT);
INSERT INTO exhibitions VALUES (1,'Glass and Light','A','Ines Roca','2025-01-10','2025-04-20',120000),
  (2,'Maps of the Moon','B','Otto Brandt','2025-02-01','2025-07-31',80000),
  (3,'Silent Machines','A','Ines Roca','2025-05-01','2025-09-30',150000),
  (4,'Paper Gardens','C','Lea Sand','2024-09-01','2025-01-31',45000);
INSERT INTO visitors VALUES (1,'Nora Beck','Norway',34,'yes'),(2,'Ivan Petrov','Bulgaria',61,'no'),
  (3,'Sofia Marin','Spain',27,'no'),(4,'Tom Reed','Ireland',45,'yes'),(5,'Aiko Tan','Japan',19,'no'),
  (6,'Paul Adler','Spain',52,'no');
INSERT INTO tickets VALUES (1,1,1,'2025-01-15',12,'online','yes'),(2,1,2,'2025-02-03',9,'desk','no'),
  (3,2,1,'2025-02-20',14,'online','no'),(4,2,3,'2025-03-08',14,'online','yes'),
  (5,4,4,'2024-12-12',10,'desk','no'),(6,1,4,'2025-03-30',12,'desk','yes'),
  (7,3,5,'2025-05-17',16,'online','no'),(8,3,3,'2025-06-01',16,'online','yes'),
  (9,2,5,'2025-06-10',11,'desk','no'),(10,3,1,'2025-06-12',16,'online','yes');
"""
MARKET = """
CREATE TABLE 进货("单号" TEXT, "菜名" TEXT, "品类" TEXT, "单价(元/斤)" REAL, "数量（斤）" REAL,
  "进货日期" TEXT, "供应商" TEXT, "产地" TEXT, "是否有机" TEXT, "损耗率" REAL);
INSERT INTO 进货 VALUES ('J1','白菜','叶菜',1.2,300,'2025/3/1','老王菜行','山东','否',0.08),
  ('J2','番茄','茄果',3.5,120,'2025/3/2','绿野','云南','是',0.05),
  ('J3','土豆','根茎',1.8,500,'2025/3/5','老王菜行','内蒙古','否',0.03),
  ('J4','菠菜','叶菜',2.6,90,'2025/3/15','绿野','山东','是',0.12),
  ('J5','黄瓜','茄果',2.9,210,'2025/4/2','鲜达','河北','否',0.06),
  ('J6','白菜','叶菜',1.4,260,'2025/4/6','鲜达','河北','否',0.09),
  ('J7','胡萝卜','根茎',2.1,180,'2025/4/20','老王菜行','山东','否',0.02),
  ('J8','番茄','茄果',4.2,150,'2025/5/3','鲜达','山东','否',0.07),
  ('J9','生菜','叶菜',3.8,60,'2025/5/11','绿野','云南','是',0.15),
  ('J10','土豆','根茎',1.6,620,'2025/5/30','鲜达','内蒙古','否',0.04);
"""
COURSES = """
CREATE TABLE 讲师(讲师ID INTEGER PRIMARY KEY, 姓名 TEXT, 职级 TEXT, 课时费 REAL);
CREATE TABLE 课程(课程ID INTEGER PRIMARY KEY, 课程名 TEXT, 讲师ID INTEGER REFERENCES 讲师(讲师ID), 类别 TEXT,
  学时 INTEGER, 开课时间 DATE);
CREATE TABLE 学员(学员ID INTEGER PRIMARY KEY, 姓名 TEXT, 公司 TEXT, 年龄 INTEGER, 学历 TEXT);
CREATE TABLE 报名(报名ID INTEGER PRIMARY KEY, 课程ID INTEGER REFERENCES 课程(课程ID),
  学员ID INTEGER REFERENCES 学员(学员ID), 报名日期 DATE, 缴费 REAL, 成绩 INTEGER, 状态 TEXT);
INSERT INTO 讲师 VALUES (1,'秦岭','高级',800),(2,'苏河','中级',500),(3,'方舟','特聘',1200);
INSERT INTO 课程 VALUES (1,'数据分析入门','1','技术',24,'2025-03-10'),(2,'商务谈判',2,'管理',12,'2025-04-01'),
  (3,'深度学习',3,'技术',40,'2025-05-12'),(4,'时间管理',2,'管理',6,'2025-05-20');
INSERT INTO 学员 VALUES (1,'郭靖宇','远航',28,'本科'),(2,'林小满','远航',35,'硕士'),
  (3,'许知远','蓝鲸',41,'本科'),(4,'何夕','蓝鲸',24,'大专'),(5,'陶然','星野',31,'博士');
INSERT INTO 报名 VALUES (1,1,1,'2025-02-20',2400,86,'已完成'),(2,1,2,'2025-02-25',2400,92,'已完成'),
  (3,2,3,'2025-03-18',1500,75,'已完成'),(4,3,2,'2025-04-20',5200,NULL,'进行中'),
  (5,3,4,'2025-04-28',5200,NULL,'进行中'),(6,2,1,'2025-03-22',1500,58,'已完成'),
  (7,1,4,'2025-03-01',2400,NULL,'已退款'),(8,4,3,'2025-05-10',600,88,'已完成');
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    scripts = {"energy": ENERGY, "museum": MUSEUM, "market": MARKET, "courses": COURSES}
    return {name: made_of(script, tmp_path_factory.mktemp(name), name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        ("energy", "total kWh in February", 'SELECT SUM("kWh used") FROM readings WHERE substr("Read Dt",4,2)=\'02\''),
        ("energy", "average usage per region", 'SELECT Region, AVG("kWh used") FROM readings GROUP BY 1'),
        ("energy", "estimated readings", 'SELECT "Meter No", "kWh used" FROM readings WHERE "Est?" = \'Y\''),
        (
            "energy",
            "business meters in the North",
            "SELECT DISTINCT \"Meter No\" FROM readings WHERE \"Cust type\" = 'Business' AND Region = 'North'",
        ),
        ("energy", "how many meters are there", 'SELECT COUNT(DISTINCT "Meter No") FROM readings'),
        (
            "energy",
            "how many meters does each region have",
            'SELECT Region, COUNT(DISTINCT "Meter No") FROM readings GROUP BY 1',
        ),
        (
            "energy",
            "readings between 100 and 400 kWh",
            'SELECT "Meter No", "kWh used" FROM readings WHERE "kWh used" BETWEEN 100 AND 400',
        ),
        ("energy", "highest unit rate by region", 'SELECT Region, MAX("Unit rate (p)") FROM readings GROUP BY 1'),
        ("energy", "share of estimated readings", "SELECT AVG(\"Est?\"='Y') FROM readings"),
        (
            "energy",
            "readings after 10 March 2025",
            'SELECT "Meter No", "kWh used" FROM readings WHERE "Meter No" IN (\'M104\', \'M105\') AND "Read Dt" LIKE \'%/03/2025\'',
        ),
        ("energy", "meters with more than 2 readings", 'SELECT "Meter No" FROM readings GROUP BY 1 HAVING COUNT(*)>2'),
        (
            "energy",
            "regions with an average usage above 500",
            'SELECT Region FROM readings GROUP BY 1 HAVING AVG("kWh used")>500',
        ),
        (
            "energy",
            "usage of M101 in January",
            'SELECT "kWh used" FROM readings WHERE "Meter No"=\'M101\' AND substr("Read Dt",4,2)=\'01\'',
        ),
        (
            "energy",
            "meters never estimated",
            'SELECT DISTINCT "Meter No" FROM readings WHERE "Meter No" NOT IN (SELECT "Meter No" FROM readings WHERE "Est?"=\'Y\')',
        ),
        (
            "energy",
            "difference between business and domestic average usage",
            'SELECT (SELECT AVG("kWh used") FROM readings WHERE "Cust type"=\'Business\')-(SELECT AVG("kWh used") FROM readings WHERE "Cust type"=\'Domestic\')',
        ),
        (
            "energy",
            "total usage of domestic and business customers",
            'SELECT "Cust type", SUM("kWh used") FROM readings GROUP BY 1',
        ),
        ("museum", "tickets sold online", "SELECT t_id FROM tickets WHERE channel='online'"),
        (
            "museum",
            "revenue per exhibition",
            "SELECT e.title, SUM(price_eur) FROM tickets t JOIN exhibitions e USING(ex_id) GROUP BY 1",
        ),
        ("museum", "which exhibition sold the most tickets", "SELECT title FROM exhibitions WHERE ex_id IN (1,2,3)"),
        (
            "museum",
            "average age of visitors to Silent Machines",
            "SELECT AVG(age) FROM visitors WHERE v_id IN (SELECT v_id FROM tickets WHERE ex_id=3)",
        ),
        ("museum", "visitors from Spain", "SELECT full_name FROM visitors WHERE country='Spain'"),
        ("museum", "visitors who never bought a ticket", "SELECT 'Paul Adler'"),
        (
            "museum",
            "exhibitions currently open",
            "SELECT title FROM exhibitions WHERE opens<='2025-06-18' AND closes>='2025-06-18'",
        ),
        ("museum", "exhibitions that have closed", "SELECT title FROM exhibitions WHERE closes<'2025-06-18'"),
        ("museum", "exhibitions in hall A", "SELECT title FROM exhibitions WHERE hall='A'"),
        (
            "museum",
            "curators with more than one exhibition",
            "SELECT curator FROM exhibitions GROUP BY 1 HAVING COUNT(*)>1",
        ),
        ("museum", "budget by curator", "SELECT curator, SUM(budget_eur) FROM exhibitions GROUP BY 1"),
        (
            "museum",
            "exhibitions with a budget between 50k and 130k",
            "SELECT title FROM exhibitions WHERE budget_eur BETWEEN 50000 AND 130000",
        ),
        (
            "museum",
            "tickets per month this year",
            "SELECT substr(sold_on,1,7), COUNT(*) FROM tickets WHERE sold_on>='2025-01-01' GROUP BY 1",
        ),
        ("museum", "youngest visitor", "SELECT full_name FROM visitors ORDER BY age LIMIT 1"),
        ("museum", "visitors aged 30 to 50", "SELECT full_name FROM visitors WHERE age BETWEEN 30 AND 50"),
        (
            "museum",
            "share of tickets sold online by exhibition",
            "SELECT title, AVG(channel='online') FROM tickets JOIN exhibitions USING(ex_id) GROUP BY 1",
        ),
        ("museum", "how much did Nora Beck spend", "SELECT 42"),
        ("museum", "who spent the most", "SELECT 'Nora Beck', 42"),
        ("museum", "visitors who went to both Glass and Light and Silent Machines", "SELECT 'Nora Beck'"),
        ("museum", "exhibitions visited by Sofia Marin", "SELECT title FROM exhibitions WHERE ex_id IN (2,3)"),
        ("museum", "tickets sold last month", "SELECT t_id FROM tickets WHERE sold_on LIKE '2025-05%'"),
        ("museum", "average ticket price by channel", "SELECT channel, AVG(price_eur) FROM tickets GROUP BY 1"),
        ("museum", "most expensive ticket", "SELECT t_id FROM tickets WHERE price_eur=16"),
        ("museum", "number of different countries", "SELECT 5"),
        ("museum", "number of visitors per country", "SELECT country, COUNT(*) FROM visitors GROUP BY 1"),
        ("museum", "desk tickets under 10 euros", "SELECT t_id FROM tickets WHERE channel='desk' AND price_eur<10"),
        ("museum", "Which visitors are older than Tom Reed?", "SELECT full_name FROM visitors WHERE age>45"),
        ("museum", "exhibitions without visitors from Spain", "SELECT title FROM exhibitions WHERE ex_id IN (1,4)"),
        (
            "museum",
            "halls with no exhibition over 100000",
            "SELECT hall FROM exhibitions GROUP BY 1 HAVING MAX(budget_eur)<=100000",
        ),
        ("museum", "median age of visitors", "SELECT 39.5"),
        ("museum", "is there an exhibition about maps?", "SELECT title FROM exhibitions WHERE title LIKE '%Maps%'"),
        ("museum", "tickets sold on weekends", "SELECT t_id FROM tickets WHERE strftime('%w',sold_on) IN ('0','6')"),
        ("market", "3月进了多少斤", "SELECT SUM(\"数量（斤）\") FROM 进货 WHERE 进货日期 LIKE '2025/3/%'"),
        ("market", "各品类的平均单价", 'SELECT 品类, AVG("单价(元/斤)") FROM 进货 GROUP BY 1'),
        ("market", "单价低于2元的菜", 'SELECT 单号 FROM 进货 WHERE "单价(元/斤)"<2'),
        ("market", "山东产的叶菜", "SELECT 单号 FROM 进货 WHERE 产地='山东' AND 品类='叶菜'"),
        ("market", "损耗率超过10%的", "SELECT 单号 FROM 进货 WHERE 损耗率>0.1"),
        ("market", "白菜的最高单价", "SELECT MAX(\"单价(元/斤)\") FROM 进货 WHERE 菜名='白菜'"),
        ("market", "每个供应商有几种菜", "SELECT 供应商, COUNT(DISTINCT 菜名) FROM 进货 GROUP BY 1"),
        ("market", "没有供应过叶菜的供应商", "SELECT 供应商 FROM 进货 GROUP BY 1 HAVING SUM(品类='叶菜')=0"),
        (
            "market",
            "4月以后进货的",
            "SELECT 单号 FROM 进货 WHERE 进货日期>'2025/4/30' OR 进货日期 LIKE '2025/4/%' OR 进货日期 LIKE '2025/5/%'",
        ),
        ("market", "单价乘以数量的总和", 'SELECT SUM("单价(元/斤)"*"数量（斤）") FROM 进货'),
        ("market", "数量在100到300斤之间的", 'SELECT 单号 FROM 进货 WHERE "数量（斤）" BETWEEN 100 AND 300'),
        (
            "market",
            "根茎类占总数量的百分比",
            'SELECT SUM(CASE WHEN 品类=\'根茎\' THEN "数量（斤）" END)/SUM("数量（斤）") FROM 进货',
        ),
        ("market", "老王菜行供应的菜", "SELECT DISTINCT 菜名 FROM 进货 WHERE 供应商 = '老王菜行'"),
        ("market", "最便宜的三种菜", 'SELECT 单号 FROM 进货 ORDER BY "单价(元/斤)" LIMIT 3'),
        (
            "market",
            "鲜达和绿野的平均单价差多少",
            "SELECT (SELECT AVG(\"单价(元/斤)\") FROM 进货 WHERE 供应商='鲜达')-(SELECT AVG(\"单价(元/斤)\") FROM 进货 WHERE 供应商='绿野')",
        ),
        ("market", "一共有多少个产地", "SELECT COUNT(DISTINCT 产地) FROM 进货"),
        ("market", "除了山东以外的产地有哪些", "SELECT DISTINCT 产地 FROM 进货 WHERE 产地<>'山东'"),
        ("market", "平均损耗率最高的品类", "SELECT '叶菜'"),
        ("market", "进货超过两次的菜", "SELECT 菜名 FROM 进货 GROUP BY 1 HAVING COUNT(*)>2"),
        (
            "market",
            "单价高于平均单价的有几个",
            'SELECT COUNT(*) FROM 进货 WHERE "单价(元/斤)">(SELECT AVG("单价(元/斤)") FROM 进货)',
        ),
        ("market", "番茄从哪些产地来", "SELECT DISTINCT 产地 FROM 进货 WHERE 菜名='番茄'"),
        ("courses", "技术类课程有哪些", "SELECT 课程名 FROM 课程 WHERE 类别='技术'"),
        ("courses", "秦岭讲的课", "SELECT 课程名 FROM 课程 WHERE 讲师ID=1"),
        ("courses", "报名人数最多的课程", "SELECT '数据分析入门'"),
        ("courses", "每门课的报名人数", "SELECT 课程名, COUNT(*) FROM 报名 b JOIN 课程 k USING(课程ID) GROUP BY 1"),
        ("courses", "缴费总额", "SELECT SUM(缴费) FROM 报名"),
        ("courses", "每个公司的缴费总额", "SELECT 公司, SUM(缴费) FROM 报名 JOIN 学员 USING(学员ID) GROUP BY 1"),
        (
            "courses",
            "成绩在80分以上的学员",
            "SELECT 姓名 FROM 学员 s WHERE EXISTS(SELECT 1 FROM 报名 b WHERE b.学员ID=s.学员ID AND 成绩>=80)",
        ),
        ("courses", "没有报名的学员", "SELECT '陶然'"),
        ("courses", "没有成绩的报名", "SELECT 报名ID FROM 报名 WHERE 成绩 IS NULL"),
        ("courses", "已退款的有几个", "SELECT 1"),
        ("courses", "远航公司学员的平均成绩", "SELECT AVG(成绩) FROM 报名 JOIN 学员 USING(学员ID) WHERE 公司='远航'"),
        ("courses", "学时超过20的课程", "SELECT 课程名 FROM 课程 WHERE 学时>20"),
        ("courses", "课时费最高的讲师", "SELECT '方舟'"),
        ("courses", "5月开课的课程", "SELECT 课程名 FROM 课程 WHERE 开课时间 LIKE '2025-05%'"),
        ("courses", "报名了深度学习的学员", "SELECT 姓名 FROM 学员 WHERE 学员ID IN (2,4)"),
        ("courses", "同时报名了数据分析入门和深度学习的学员", "SELECT 姓名 FROM 学员 WHERE 学员ID IN (2,4)"),
        ("courses", "林小满报了几门课", "SELECT 2"),
        ("courses", "学历是硕士以上的学员", "SELECT 姓名 FROM 学员 WHERE 学历 IN ('硕士','博士')"),
        ("courses", "平均年龄最大的公司", "SELECT 公司 FROM 学员 GROUP BY 1 ORDER BY AVG(年龄) DESC LIMIT 1"),
        ("courses", "每个类别学时最长的课程", "SELECT 课程名 FROM 课程 WHERE 课程ID IN (2,3)"),
        ("courses", "苏河的课程平均成绩", "SELECT AVG(成绩) FROM 报名 JOIN 课程 USING(课程ID) WHERE 讲师ID=2"),
        ("courses", "完成率", "SELECT AVG(状态='已完成') FROM 报名"),
        (
            "courses",
            "管理类和技术类课程的缴费总额",
            "SELECT 类别, SUM(缴费) FROM 报名 JOIN 课程 USING(课程ID) GROUP BY 1",
        ),
        ("courses", "比许知远年轻的学员", "SELECT 姓名 FROM 学员 WHERE 年龄<41"),
        ("courses", "和何夕同公司的学员", "SELECT '许知远'"),
        ("courses", "商务谈判的最高分是谁", "SELECT 姓名 FROM 学员 WHERE 学员ID=3"),
        ("courses", "开课最早的课", "SELECT '数据分析入门'"),
        ("courses", "公司里学员超过1人的", "SELECT 公司 FROM 学员 GROUP BY 1 HAVING COUNT(*)>1"),
        ("courses", "报名两门以上课程的学员", "SELECT 姓名 FROM 学员 WHERE 学员ID IN (1,2,3,4)"),
    ],
)
def test_a_question_to_a_rough_table_gives_the_rows_of_its_sql(
    opened: dict[str, Database], where: str, question: str, gold: str
):
    gives(opened[where], say(opened[where], question, as_of=dt.date(2025, 6, 18)), gold)


@for_each(
    "written",
    ["{d.year}/{d.month}/{d.day}", "{d.year}年{d.month}月{d.day}日", "{d.month}/{d.day}/{d.year}", "{d.day}.{d.month}.{d.year}",
     "{d.year}-{d.month}-{d.day} 9:05", "{d:%d/%m/%Y}", "{d:%Y%m%d}"],
)  # fmt: skip
def test_days_are_read_however_they_are_written(tmp_path_factory: pytest.TempPathFactory, written: str):
    days = [
        dt.date(2024, 12, 31),
        dt.date(2025, 1, 3),
        dt.date(2025, 1, 28),
        dt.date(2025, 3, 9),
        dt.date(2025, 11, 14),
    ]
    rows = ", ".join(f"({i}, '{written.format(d=d)}')" for i, d in enumerate(days))
    script = f"CREATE TABLE deliveries(no INTEGER PRIMARY KEY, arrived TEXT); INSERT INTO deliveries VALUES {rows};"
    db = made_of(script, tmp_path_factory.mktemp("days"), "days")
    today = dt.date(2025, 12, 1)
    for question, wanted in {
        "deliveries in January 2025": [(1,), (2,)],
        "deliveries after 28 January 2025": [(3,), (4,)],
        "the latest delivery": [(4,)],
        "deliveries before 2025": [(0,)],
    }.items():
        turn = say(db, question, as_of=today)
        assert turn.result is not None, turn.answer
        assert [row[:1] for row in turn.result.rows] == wanted, turn.answer
    months = say(db, "deliveries per month", as_of=today).result
    assert months is not None
    assert list(months.rows) == [("2024-12", 1), ("2025-01", 2), ("2025-03", 1), ("2025-11", 1)]
