"""Plain questions, each against SQL that was written for it: numbers beside groups, how many of what is counted, names
and surnames, the newest and the longest.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from made_of import gives, made_of
from night import for_each

from lab.text2sql.database import Database
from lab.text2sql.dialogue import say

pytestmark = pytest.mark.nightly  # test_text2sql_everyday.py and others have such questions in the suite

BIKES = """
CREATE TABLE stations(id INTEGER PRIMARY KEY, name TEXT, district TEXT, docks INTEGER, opened DATE);
CREATE TABLE rides(id INTEGER PRIMARY KEY, station_id INTEGER REFERENCES stations(id), rider TEXT, minutes INTEGER,
  fee REAL, started_at DATETIME);
INSERT INTO stations VALUES (1,'Harbor Gate','North',24,'2016-02-11'),(2,'Mill Square','South',16,'2017-03-11'),
  (3,'Old Depot','North',30,'2018-04-11'),(4,'Fern Street','East',24,'2019-05-11');
INSERT INTO rides VALUES (1,1,'Nora Beck',12,2.5,'2025-01-04 08:15:00'),(2,1,'Tom Reed',40,4,'2025-01-20 18:15:00'),
  (3,2,'Nora Beck',25,3.5,'2025-02-02 09:15:00'),(4,3,'Ivan Petrov',55,6,'2025-02-09 10:15:00'),
  (5,3,'Tom Reed',8,1.5,'2025-02-11 11:15:00'),(6,2,'Nora Beck',33,4,'2025-03-01 07:15:00');
"""
LIBRARY = """
CREATE TABLE books(isbn TEXT PRIMARY KEY, title TEXT, author TEXT, genre TEXT, pages INTEGER, published_year INTEGER,
  copies INTEGER);
CREATE TABLE loans(loan_id INTEGER PRIMARY KEY, isbn TEXT REFERENCES books(isbn), loaned_on DATE, returned_on DATE);
INSERT INTO books VALUES ('978-0','The Salt Road','Mira Lund','novel',310,2009,3),
  ('978-1','Paper Moons','Otto Brandt','poetry',96,1998,1),('978-2','Deep Orchard','Mira Lund','novel',420,2015,4),
  ('978-3','Small Engines','Kai Ito','science',250,2020,2),('978-4','Winter Bread','Ana Ruiz','cooking',180,2018,5);
INSERT INTO loans VALUES (1,'978-0','2025-01-02','2025-01-20'),(2,'978-0','2025-02-02','2025-02-20'),
  (3,'978-0','2025-03-02',NULL),(4,'978-1','2025-03-05',NULL),(5,'978-3','2025-04-02','2025-04-08'),
  (6,'978-4','2025-04-12','2025-04-28'),(7,'978-4','2025-05-12',NULL);
"""
CONTRACTS = """
CREATE TABLE 合同(合同编号 TEXT PRIMARY KEY, 客户名称 TEXT, 经办人姓名 TEXT, 金额 REAL, 手续费 REAL, 评审次数 INTEGER,
  城市名称 TEXT, 签订日期 DATE);
INSERT INTO 合同 VALUES ('HT001','海天公司','陈立',500,10,2,'北京','2024-01-15'),
  ('HT002','北斗贸易','王芳',1500,25,1,'上海','2024-02-15'),('HT003','青山集团','李想',2500,10,3,'广州','2024-02-20'),
  ('HT004','云帆科技','陈立',3500,50,2,'北京','2024-03-15'),('HT005','蓝湖物流','赵敏',4500,25,1,'上海','2024-03-20');
"""
CLINIC = """
CREATE TABLE 科室(科室编号 TEXT PRIMARY KEY, 科室名称 TEXT, 楼层 INTEGER);
CREATE TABLE 挂号(挂号单号 TEXT PRIMARY KEY, 科室编号 TEXT REFERENCES 科室(科室编号), 患者姓名 TEXT, 挂号费 REAL);
INSERT INTO 科室 VALUES ('K1','内科',2),('K2','外科',3),('K3','儿科',1);
INSERT INTO 挂号 VALUES ('G1','K1','张伟',10),('G2','K1','刘洋',25),('G3','K2','陈晨',50),('G4','K3','杨光',25),
  ('G5','K3','黄蓉',25),('G6','K3','吴刚',25);
"""
STAFF = """
CREATE TABLE employees(emp_no INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, department TEXT, salary REAL,
  hire_date DATE, birth_year INTEGER, remote TEXT);
INSERT INTO employees VALUES (1,'Ada','Frost','Sales',82000,'2015-03-01',1980,'no'),
  (2,'Ben','Okafor','Sales',45000,'2020-07-15',1994,'yes'),(3,'Cleo','Ruiz','IT',72000,'2018-01-10',1990,'yes'),
  (4,'Dina','Weiss','IT',69000,'2021-11-02',1996,'yes'),(5,'Eli','Park','HR',51000,'2012-05-20',1985,'no'),
  (6,'Fay','Lund','IT',95000,'2016-09-01',1975,'no');
"""
FLATS = """
CREATE TABLE 房源(房源编号 TEXT PRIMARY KEY, 小区 TEXT, 区域 TEXT, 面积_平方米 REAL, 月租金 REAL, 是否有电梯 TEXT, 发布日期 DATE);
INSERT INTO 房源 VALUES ('F01','阳光花园','朝阳',75,6800,'是','2025-05-01'),('F02','阳光花园','朝阳',48,4500,'是','2025-05-12'),
  ('F03','翠湖苑','海淀',120,9500,'是','2025-04-20'),('F04','翠湖苑','海淀',82,9900,'否','2025-06-02'),
  ('F05','金桥公寓','丰台',45,3600,'否','2025-03-15'),('F06','金桥公寓','丰台',70,4800,'否','2025-06-10');
"""
GRADES = """
CREATE TABLE students(sid INTEGER PRIMARY KEY, name TEXT, class TEXT);
CREATE TABLE scores(id INTEGER PRIMARY KEY, sid INTEGER REFERENCES students(sid), subject TEXT, score REAL);
INSERT INTO students VALUES (1,'李雷','一班'),(2,'韩梅梅','一班'),(3,'王强','二班');
INSERT INTO scores VALUES (1,1,'语文',88),(2,1,'数学',72),(3,2,'语文',95),(4,2,'数学',60),(5,3,'语文',55),(6,3,'数学',91);
"""
MOVIES = """
CREATE TABLE movies(id INTEGER PRIMARY KEY, title TEXT, director TEXT, release_year INTEGER, genre TEXT,
  runtime_min INTEGER, budget_musd REAL, gross_musd REAL);
INSERT INTO movies VALUES (1,'Iron Lake','Sara Holm',2011,'drama',128,20,45),(2,'Blue Static','Sara Holm',2015,'sci-fi',141,90,310),
  (3,'Le Petit Quai','Marc Oger',2008,'comedy',96,8,22),(4,'Paper Crown','Tom Birk',2020,'drama',132,15,9),
  (5,'Orbit Nine','Ines Vidal',2022,'sci-fi',155,150,640);
"""
SHOP = """
CREATE TABLE 消费(流水号 INTEGER PRIMARY KEY, 商品 TEXT, 类别 TEXT, 数量 INTEGER, 金额 REAL, 等级 TEXT, 消费日期 DATE);
INSERT INTO 消费 VALUES (1,'咖啡豆','食品',2,136,'金卡','2025-04-01'),(2,'手冲壶','器具',1,199,'银卡','2025-05-02'),
  (3,'马克杯','器具',6,354,'金卡','2025-05-09'),(4,'咖啡豆','食品',3,204,'普通','2025-06-03');
"""
INVOICES = """
CREATE TABLE invoices(invoice_no TEXT PRIMARY KEY, client TEXT, issued DATE, amount_eur REAL);
INSERT INTO invoices VALUES ('INV-1','Globex','2025-01-03',900),('INV-2','Umbra','2025-01-09',2300),
  ('INV-3','Globex','2025-02-11',1500),('INV-4','Umbra','2025-03-05',400);
"""
PROJECTS = """
CREATE TABLE projects(id INTEGER PRIMARY KEY, name TEXT, owner TEXT, budget REAL);
CREATE TABLE tasks(id INTEGER PRIMARY KEY, project_id INTEGER REFERENCES projects(id), title TEXT, assignee TEXT);
INSERT INTO projects VALUES (1,'Atlas','Rita',50000),(2,'Beacon','Omar',20000),(3,'Comet','Rita',75000);
INSERT INTO tasks VALUES (1,1,'sketch','Lin'),(2,2,'budget','Rita'),(3,3,'hire','Omar'),(4,2,'print','Lin');
"""
WEATHER = """
CREATE TABLE readings(id INTEGER PRIMARY KEY, day DATE, temperature REAL);
INSERT INTO readings VALUES (1,'2025-01-02',3),(2,'2025-01-03',-4),(3,'2025-01-04',1),(4,'2025-01-05',6);
"""

STATIONS = """
CREATE TABLE stations(code TEXT PRIMARY KEY, name TEXT, elevation_m INTEGER);
CREATE TABLE readings(id INTEGER PRIMARY KEY, station TEXT REFERENCES stations(code), day DATE, temp_c REAL, wind_kmh REAL,
  sun_minutes INTEGER);
INSERT INTO stations VALUES ('KAL','Kalden',120),('BRE','Brehm',640),('OST','Ostwick',15),('HOL','Holm',900);
INSERT INTO readings VALUES (1,'KAL','2025-01-02',3.5,12,80),(2,'BRE','2025-01-03',-4,44,20),(3,'OST','2025-02-04',21,9,400),
  (4,'KAL','2025-02-05',16,61,95);
"""
LENDING = """
CREATE TABLE books(isbn TEXT PRIMARY KEY, title TEXT, genre TEXT);
CREATE TABLE members(member_id INTEGER PRIMARY KEY, full_name TEXT, birth_date DATE);
CREATE TABLE loans(loan_id INTEGER PRIMARY KEY, isbn TEXT REFERENCES books(isbn),
  member_id INTEGER REFERENCES members(member_id), loaned_on DATE, returned_on DATE);
INSERT INTO books VALUES ('978-0','The Salt Road','novel'),('978-1','Paper Moons','poetry'),('978-2','Deep Orchard','novel');
INSERT INTO members VALUES (1,'Lena Vogt','1985-06-18'),(2,'Paul Adler','1985-06-19'),(3,'Ines Roca','1990-03-03'),
  (4,'Jon Falk','1960-01-01');
INSERT INTO loans VALUES (1,'978-0',1,'2025-01-02','2025-01-20'),(2,'978-0',2,'2025-02-02',NULL),
  (3,'978-1',2,'2025-03-02','2025-03-09'),(4,'978-0',1,'2025-04-02',NULL);
"""
WARD = """
CREATE TABLE 科室(科室编号 TEXT PRIMARY KEY, 科室名称 TEXT, 楼层 INTEGER, 床位数 INTEGER);
CREATE TABLE 医生(工号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 科室编号 TEXT REFERENCES 科室(科室编号), 月薪 REAL);
CREATE TABLE 挂号(挂号单号 TEXT PRIMARY KEY, 工号 TEXT REFERENCES 医生(工号), 状态 TEXT, 距地铁_米 INTEGER);
INSERT INTO 科室 VALUES ('K1','内科',2,60),('K2','外科',3,45),('K3','儿科',1,30),('K4','眼科',5,12);
INSERT INTO 医生 VALUES ('D1','林涛','男','K1',9000),('D2','周敏','女','K2',12000),('D3','何静','女','K1',15000),
  ('D4','郑凯','男','K3',11000);
INSERT INTO 挂号 VALUES ('G1','D1','已就诊',300),('G2','D2','已取消',800),('G3','D3','已取消',450),('G4','D1','已就诊',500);
"""
TASKS = """
CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, assignee TEXT, hours REAL, vacation_days INTEGER, done TEXT,
  paid_on DATE, rating INTEGER);
INSERT INTO tasks VALUES (1,'sketch','Lin',4,20,'yes','2025-01-02',5),(2,'budget','Rita',9,25,'no',NULL,3),
  (3,'hire','Omar',2,30,'no','1994-05-05',5),(4,'print','Lin',6,20,'yes',NULL,4);
"""

HOTEL = """
CREATE TABLE hotels(hotel_id INTEGER PRIMARY KEY, hotel_name TEXT, stars INTEGER, opened_year INTEGER);
CREATE TABLE guests(guest_id INTEGER PRIMARY KEY, guest_name TEXT, city TEXT);
CREATE TABLE bookings(bk_no TEXT PRIMARY KEY, hotel_id INTEGER REFERENCES hotels(hotel_id),
  guest_id INTEGER REFERENCES guests(guest_id), check_in DATE, due_on DATE, paid_on DATE, room TEXT, nights INTEGER,
  total_eur REAL, cancelled TEXT);
INSERT INTO hotels VALUES (1,'Seaview Inn',3,1998),(2,'Grand Alder',5,1924),(3,'Mill House',4,2011);
INSERT INTO guests VALUES (1,'Ana Costa','Lisbon'),(2,'Piotr Zak','Krakow'),(3,'Sam Hill','Leeds');
INSERT INTO bookings VALUES ('B1',1,1,'2025-01-04','2025-02-01','2025-01-20','suite',2,400,'no'),
  ('B2',2,2,'2025-02-11','2025-03-01',NULL,'single',1,120,'no'),('B3',2,2,'2025-08-01','2025-09-01',NULL,'double',4,640,'yes'),
  ('B4',3,1,'2025-05-20','2025-06-30','2025-05-21','double',3,290,'no');
"""

ORDERS = """
CREATE TABLE 用户(用户ID INTEGER PRIMARY KEY, 昵称 TEXT, 城市 TEXT);
CREATE TABLE 订单(订单号 TEXT PRIMARY KEY, 用户ID INTEGER REFERENCES 用户(用户ID), 下单时间 DATETIME, 支付金额 REAL,
  优惠金额 REAL, 订单状态 TEXT, 收货省份 TEXT);
CREATE TABLE 订单商品(id INTEGER PRIMARY KEY, 订单号 TEXT REFERENCES 订单(订单号), 商品名称 TEXT, 类目 TEXT, 数量 INTEGER);
INSERT INTO 用户 VALUES (1,'小鹿','杭州'),(2,'阿峰','成都'),(3,'大伟','西安');
INSERT INTO 订单 VALUES ('D1',1,'2025-04-03 10:00:00',300,10,'已完成','浙江'),('D2',1,'2025-05-06 11:00:00',200,0,'已退款','浙江'),
  ('D3',2,'2025-05-09 12:00:00',120,5,'已完成','四川');
INSERT INTO 订单商品 VALUES (1,'D1','跑鞋','运动',2),(2,'D1','台灯','家居',1),(3,'D2','耳机','数码',4),(4,'D3','跑鞋','运动',3);
"""
SCHOOL = """
CREATE TABLE pupils(pupil_id INTEGER PRIMARY KEY, first_name TEXT, height_cm REAL);
CREATE TABLE subjects(subj_code TEXT PRIMARY KEY, subject TEXT, teacher TEXT);
CREATE TABLE marks(id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupils(pupil_id),
  subj_code TEXT REFERENCES subjects(subj_code), mark INTEGER, absences INTEGER, delay_min INTEGER);
INSERT INTO pupils VALUES (1,'Ida',161),(2,'Tom',150);
INSERT INTO subjects VALUES ('BI','Biology','Dr Wren'),('HI','History','Mr Pole');
INSERT INTO marks VALUES (1,1,'BI',40,0,5),(2,1,'HI',70,2,0),(3,2,'BI',50,0,12);
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Database]:
    scripts = {"bikes": BIKES, "library": LIBRARY, "contracts": CONTRACTS, "clinic": CLINIC}
    scripts |= {
        "staff": STAFF,
        "flats": FLATS,
        "grades": GRADES,
        "movies": MOVIES,
        "shop": SHOP,
        "invoices": INVOICES,
        "projects": PROJECTS,
        "weather": WEATHER,
        "stations": STATIONS,
        "lending": LENDING,
        "ward": WARD,
        "tasks": TASKS,
        "hotel": HOTEL,
        "orders": ORDERS,
        "school": SCHOOL,
    }
    return {name: made_of(script, tmp_path_factory.mktemp(name), name) for name, script in scripts.items()}


@for_each(
    "where, question, gold",
    [
        # a number beside a group: its sum, where sums are asked for
        (
            "bikes",
            "fees by district",
            "SELECT district, SUM(fee) FROM rides r JOIN stations s ON s.id = r.station_id GROUP BY 1",
        ),
        ("bikes", "fee per month", "SELECT strftime('%Y-%m', started_at), SUM(fee) FROM rides GROUP BY 1"),
        ("bikes", "minutes per rider", "SELECT rider, SUM(minutes) FROM rides GROUP BY 1"),
        (
            "bikes",
            "average minutes by station",
            "SELECT name, AVG(minutes) FROM rides r JOIN stations s ON s.id = r.station_id GROUP BY 1",
        ),
        ("library", "copies by genre", "SELECT genre, SUM(copies) FROM books GROUP BY 1"),
        ("contracts", "按城市统计金额", "SELECT 城市名称, SUM(金额) FROM 合同 GROUP BY 1"),
        ("contracts", "每个城市的金额", "SELECT 城市名称, SUM(金额) FROM 合同 GROUP BY 1"),
        ("contracts", "各经办人的手续费", "SELECT 经办人姓名, SUM(手续费) FROM 合同 GROUP BY 1"),
        ("contracts", "按月统计金额", "SELECT strftime('%Y-%m', 签订日期), SUM(金额) FROM 合同 GROUP BY 1"),
        ("contracts", "amount by city", "SELECT 城市名称, SUM(金额) FROM 合同 GROUP BY 1"),
        (
            "bikes",
            "Average Minutes By Station",
            "SELECT name, AVG(minutes) FROM rides r JOIN stations s ON s.id = r.station_id GROUP BY 1",
        ),
        # how many of what is counted in a column
        ("bikes", "how many docks does each district have", "SELECT district, SUM(docks) FROM stations GROUP BY 1"),
        # by name, by surname
        ("contracts", "客户叫海天公司的合同", "SELECT 客户名称 FROM 合同 WHERE 客户名称 = '海天公司'"),
        ("contracts", "经办人姓陈的合同", "SELECT 客户名称 FROM 合同 WHERE 经办人姓名 LIKE '陈%'"),
        ("contracts", "contracts whose customer is 海天公司", "SELECT 客户名称 FROM 合同 WHERE 客户名称 = '海天公司'"),
        # the newest and the longest, of their own
        ("library", "the newest book", "SELECT title FROM books ORDER BY published_year DESC LIMIT 1"),
        (
            "library",
            "the newest book of each genre",
            "SELECT title FROM books b WHERE published_year = (SELECT MAX(published_year) FROM books WHERE genre = b.genre)",
        ),
        ("library", "the longest novel", "SELECT title FROM books WHERE genre = 'novel' ORDER BY pages DESC LIMIT 1"),
        ("library", "what is the shortest book", "SELECT title FROM books ORDER BY pages LIMIT 1"),
        (
            "clinic",
            "挂号费最高的科室",
            "SELECT 科室名称, SUM(挂号费) FROM 挂号 g JOIN 科室 k ON k.科室编号 = g.科室编号 GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        ),
        ("clinic", "内科的最高挂号费", "SELECT MAX(挂号费) FROM 挂号 WHERE 科室编号 = 'K1'"),
        ("weather", "coldest day", "SELECT day FROM readings ORDER BY temperature LIMIT 1"),
        ("weather", "the 2 hottest readings", "SELECT id FROM readings ORDER BY temperature DESC LIMIT 2"),
        # whose they are
        (
            "projects",
            "projects owned by Rita",
            "SELECT name FROM projects WHERE owner = 'Rita'",
        ),
        ("projects", "tasks assigned to Lin", "SELECT title FROM tasks WHERE assignee = 'Lin'"),
        # what people call things
        ("staff", "who earns the most", "SELECT first_name FROM employees ORDER BY salary DESC LIMIT 1"),
        (
            "staff",
            "employees earning between 50000 and 80000",
            "SELECT first_name FROM employees WHERE salary BETWEEN 50000 AND 80000",
        ),
        ("staff", "oldest employee", "SELECT first_name FROM employees ORDER BY birth_year LIMIT 1"),
        ("staff", "who joined in 2020", "SELECT first_name FROM employees WHERE hire_date LIKE '2020%'"),
        ("staff", "average salary of remote workers", "SELECT AVG(salary) FROM employees WHERE remote = 'yes'"),
        ("flats", "朝阳区的房子", "SELECT 房源编号 FROM 房源 WHERE 区域 = '朝阳'"),
        ("flats", "最便宜的房源", "SELECT 房源编号 FROM 房源 ORDER BY 月租金 LIMIT 1"),
        ("flats", "最大的房子", "SELECT 房源编号 FROM 房源 ORDER BY 面积_平方米 DESC LIMIT 1"),
        ("flats", "各区域的平均租金", "SELECT 区域, AVG(月租金) FROM 房源 GROUP BY 1"),
        ("flats", "最近发布的三套", "SELECT 房源编号 FROM 房源 ORDER BY 发布日期 DESC LIMIT 3"),
        ("flats", "租金比平均高的", "SELECT 房源编号 FROM 房源 WHERE 月租金 > (SELECT AVG(月租金) FROM 房源)"),
        ("grades", "各科平均分", "SELECT subject, AVG(score) FROM scores GROUP BY 1"),
        (
            "grades",
            "每个班的平均分",
            "SELECT class, AVG(score) FROM scores c JOIN students s ON s.sid = c.sid GROUP BY 1",
        ),
        (
            "grades",
            "每个学生的总分",
            "SELECT name, SUM(score) FROM scores c JOIN students s ON s.sid = c.sid GROUP BY 1",
        ),
        ("grades", "最高分和最低分", "SELECT MAX(score), MIN(score) FROM scores"),
        # units of a million, sizes of amounts, sales and distributions
        ("movies", "longest film", "SELECT title FROM movies ORDER BY runtime_min DESC LIMIT 1"),
        ("movies", "movies with a budget under 20 million", "SELECT title FROM movies WHERE budget_musd < 20"),
        ("movies", "total gross by director", "SELECT director, SUM(gross_musd) FROM movies GROUP BY 1"),
        ("movies", "top 3 movies by gross", "SELECT title FROM movies ORDER BY gross_musd DESC LIMIT 3"),
        ("invoices", "average invoice amount", "SELECT AVG(amount_eur) FROM invoices"),
        ("invoices", "largest invoice", "SELECT invoice_no FROM invoices ORDER BY amount_eur DESC LIMIT 1"),
        (
            "invoices",
            "smallest invoice of each client",
            "SELECT invoice_no FROM invoices i WHERE amount_eur = "
            "(SELECT MIN(amount_eur) FROM invoices WHERE client = i.client)",
        ),
        ("shop", "各类别的销售额", "SELECT 类别, SUM(金额) FROM 消费 GROUP BY 1"),
        ("shop", "销量最高的商品", "SELECT 商品, SUM(数量) FROM 消费 GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
        ("shop", "上个月的销售额", "SELECT SUM(金额) FROM 消费 WHERE 消费日期 LIKE '2025-05%'"),
        # of what happened, not of the things
        (
            "library",
            "which genre is borrowed most",
            "SELECT genre, COUNT(*) FROM loans l JOIN books b ON b.isbn = l.isbn GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        ),
        (
            "library",
            "which author wrote the most books",
            "SELECT author, COUNT(*) FROM books GROUP BY 1 ORDER BY 2 DESC LIMIT 1",
        ),
        ("lending", "the most borrowed book", "SELECT 'The Salt Road', 3"),
        ("lending", "how many times was The Salt Road borrowed", "SELECT COUNT(*) FROM loans WHERE isbn = '978-0'"),
        ("lending", "books that were never borrowed", "SELECT title FROM books WHERE isbn = '978-2'"),
        ("lending", "members who never borrowed a book", "SELECT full_name FROM members WHERE member_id IN (3, 4)"),
        ("lending", "从没借过书的会员", "SELECT full_name FROM members WHERE member_id IN (3, 4)"),
        ("lending", "unreturned loans", "SELECT loan_id FROM loans WHERE returned_on IS NULL"),
        # one number less another
        ("staff", "difference between highest and lowest salary", "SELECT MAX(salary) - MIN(salary) FROM employees"),
        (
            "staff",
            "the gap between the lowest and the highest salary",
            "SELECT MAX(salary) - MIN(salary) FROM employees",
        ),
        ("staff", "最高工资和最低工资相差多少", "SELECT MAX(salary) - MIN(salary) FROM employees"),
        ("staff", "工资最高和最低差多少", "SELECT MAX(salary) - MIN(salary) FROM employees"),
        (
            "staff",
            "difference between the highest salary and the lowest salary by department",
            "SELECT department, MAX(salary) - MIN(salary) FROM employees GROUP BY 1",
        ),
        (
            "staff",
            "difference in average salary between IT and Sales",
            "SELECT AVG(salary) FILTER (WHERE department = 'IT') - AVG(salary) FILTER (WHERE department = 'Sales') "
            "FROM employees",
        ),
        ("ward", "男医生和女医生的平均月薪差多少", "SELECT 10000.0 - 13500.0"),
        ("ward", "内科和外科的平均月薪差距", "SELECT 12000.0 - 12000.0"),
        # units in the names of columns, and what they are about
        ("stations", "stations above 500 m", "SELECT name FROM stations WHERE elevation_m > 500"),
        ("stations", "highest station", "SELECT name FROM stations ORDER BY elevation_m DESC LIMIT 1"),
        ("stations", "hottest day", "SELECT day, temp_c FROM readings ORDER BY temp_c DESC LIMIT 1"),
        ("stations", "readings over 20 degrees", "SELECT id FROM readings WHERE temp_c > 20"),
        ("stations", "maximum wind speed", "SELECT MAX(wind_kmh) FROM readings"),
        ("stations", "readings with wind over 40 km/h", "SELECT id FROM readings WHERE wind_kmh > 40"),
        (
            "stations",
            "readings with more than one and a half hours of sun",
            "SELECT id FROM readings WHERE sun_minutes > 90",
        ),
        ("bikes", "rides longer than half an hour", "SELECT id FROM rides WHERE minutes > 30"),
        ("bikes", "average ride time", "SELECT AVG(minutes) FROM rides"),
        ("bikes", "time per rider", "SELECT rider, SUM(minutes) FROM rides GROUP BY 1"),
        ("tasks", "tasks longer than 5 hours", "SELECT title FROM tasks WHERE hours > 5"),
        ("tasks", "how many hours did Lin spend", "SELECT SUM(hours) FROM tasks WHERE assignee = 'Lin'"),
        (
            "tasks",
            "how many vacation days does Lin have in total",
            "SELECT SUM(vacation_days) FROM tasks WHERE assignee = 'Lin'",
        ),
        ("ward", "哪些科室在3楼以上", "SELECT 科室名称 FROM 科室 WHERE 楼层 >= 3"),
        ("ward", "3楼有哪些科室", "SELECT 科室名称 FROM 科室 WHERE 楼层 = 3"),
        ("ward", "各楼层的床位总数", "SELECT 楼层, SUM(床位数) FROM 科室 GROUP BY 1"),
        ("ward", "离地铁500米以内的挂号", "SELECT 挂号单号 FROM 挂号 WHERE 距地铁_米 <= 500"),
        # an age, by the year or the day of birth
        ("staff", "employees older than 40", "SELECT first_name FROM employees WHERE 2025 - birth_year > 40"),
        (
            "staff",
            "employees between 30 and 40 years old",
            "SELECT first_name FROM employees WHERE 2025 - birth_year BETWEEN 30 AND 40",
        ),
        ("lending", "members older than 40", "SELECT full_name FROM members WHERE birth_date < '1985-06-18'"),
        ("lending", "40岁以上的会员", "SELECT full_name FROM members WHERE birth_date <= '1985-06-18'"),
        ("lending", "members under 40 years old", "SELECT full_name FROM members WHERE birth_date > '1985-06-18'"),
        ("staff", "who was born before 1985", "SELECT first_name FROM employees WHERE birth_year < 1985"),
        ("movies", "movies from the 2010s", "SELECT title FROM movies WHERE release_year BETWEEN 2010 AND 2019"),
        ("tasks", "paid in the 90s", "SELECT title FROM tasks WHERE id = 3"),
        # a number behind "is"; more than another row has
        ("ward", "楼层为3的科室", "SELECT 科室名称 FROM 科室 WHERE 楼层 = 3"),
        ("staff", "employees whose salary is 45000", "SELECT first_name FROM employees WHERE salary = 45000"),
        ("staff", "employees earning more than Ada", "SELECT first_name FROM employees WHERE salary > 82000"),
        ("staff", "employees with a higher salary than Cleo", "SELECT first_name FROM employees WHERE salary > 72000"),
        # what is not: open, unpaid
        ("tasks", "unfinished tasks", "SELECT title FROM tasks WHERE done = 'no'"),
        ("tasks", "unpaid tasks", "SELECT title FROM tasks WHERE paid_on IS NULL"),
        ("ward", "取消率是多少", "SELECT 0.5"),
        # what is due, what a unit or a verb says alone, the last of something
        ("hotel", "overdue bookings", "SELECT 'B2'"),
        ("hotel", "5 star hotels", "SELECT 'Grand Alder'"),
        ("hotel", "5-star hotels", "SELECT 'Grand Alder'"),
        ("hotel", "oldest hotel", "SELECT 'Grand Alder'"),
        ("hotel", "guests who booked a suite", "SELECT 'Ana Costa'"),
        ("hotel", "guests who never booked", "SELECT 'Sam Hill'"),
        ("hotel", "cancellation rate", "SELECT 0.25"),
        ("hotel", "how many nights did Ana Costa stay", "SELECT 5"),
        ("hotel", "average number of nights per booking", "SELECT AVG(nights) FROM bookings"),
        ("hotel", "bookings worth over 300", "SELECT bk_no FROM bookings WHERE total_eur > 300"),
        ("hotel", "last booking of Ana Costa", "SELECT 'B4'"),
        ("hotel", "hotels by stars", "SELECT hotel_name FROM hotels"),
        ("tasks", "tasks rated 5", "SELECT 'sketch' UNION SELECT 'hire'"),
        ("bikes", "how many minutes did Nora Beck ride", "SELECT 70"),
        # what people do: they buy, teach, spend; all of it or none of it
        ("orders", "没有下过单的用户", "SELECT '大伟'"),
        ("orders", "消费最多的用户", "SELECT '小鹿', 500"),
        ("orders", "每月销售额", "SELECT '2025-04', 300 UNION SELECT '2025-05', 320"),
        ("orders", "哪个省的订单最多", "SELECT '浙江', 2"),
        ("orders", "销量最高的商品", "SELECT '跑鞋', 5"),
        ("orders", "卖得最好的商品", "SELECT '跑鞋', 5"),
        ("orders", "同时买过跑鞋和耳机的用户", "SELECT '小鹿'"),
        ("orders", "退款率", "SELECT 1.0 / 3"),
        ("lending", "members who borrowed both The Salt Road and Paper Moons", "SELECT 'Paul Adler'"),
        ("school", "average mark by subject", "SELECT 'Biology', 45 UNION SELECT 'History', 70"),
        ("school", "pupils without absences", "SELECT 'Tom'"),
        ("school", "subjects taught by Mr Pole", "SELECT 'History'"),
        ("school", "pupils taller than 5 feet", "SELECT 'Ida'"),
        # with whom, how often, of which share
        ("library", "books not written by Mira Lund", "SELECT title FROM books WHERE author <> 'Mira Lund'"),
        ("lending", "books not borrowed by Lena Vogt", "SELECT title FROM books WHERE isbn <> '978-0'"),
        ("lending", "books borrowed more than 2 times", "SELECT 'The Salt Road', 3"),
        (
            "lending",
            "books and how often they were borrowed",
            "SELECT title, COUNT(*) FROM loans JOIN books USING (isbn) GROUP BY 1",
        ),
        (
            "lending",
            "members and the number of their loans",
            "SELECT full_name, COUNT(*) FROM loans JOIN members USING (member_id) GROUP BY 1",
        ),
        ("lending", "how many novels were borrowed in April", "SELECT 1"),
        ("invoices", "which month had the highest revenue", "SELECT '2025-01', 3200"),
        ("invoices", "revenue per quarter", "SELECT '2025-Q1', SUM(amount_eur) FROM invoices"),
        ("invoices", "share of Globex in total amount", "SELECT 2400.0 / 5100"),
        ("flats", "租金除以面积", "SELECT 月租金 / 面积_平方米 FROM 房源"),
        ("flats", "阳光花园的房租多少", "SELECT 月租金 FROM 房源 WHERE 小区 = '阳光花园'"),
        ("flats", "按面积排序", "SELECT 房源编号 FROM 房源"),
        ("flats", "有没有带电梯的房子", "SELECT 房源编号 FROM 房源 WHERE 是否有电梯 = '是'"),
        ("flats", "小区名以阳光开头的", "SELECT 房源编号 FROM 房源 WHERE 小区 LIKE '阳光%'"),
        ("flats", "超过1套房的小区", "SELECT 小区, COUNT(*) FROM 房源 GROUP BY 1"),
        ("staff", "how many people earn over 50000 in total", "SELECT COUNT(*) FROM employees WHERE salary > 50000"),
    ],
)
def test_a_plain_question_gives_the_rows_of_its_sql(opened: dict[str, Database], where: str, question: str, gold: str):
    db = opened[where]
    gives(db, say(db, question, as_of=dt.date(2025, 6, 18)), gold)


@pytest.mark.parametrize("question", ["windiest day at Brehm", "number of rainy days"])
def test_what_a_word_is_made_of_is_not_what_it_says(tmp_path: Path, question: str):
    script = """CREATE TABLE readings(id INTEGER PRIMARY KEY, station TEXT, day DATE, rain_mm REAL, wind_kmh REAL);
    INSERT INTO readings VALUES (1,'Brehm','2025-01-02',0,12),(2,'Brehm','2025-01-03',4,31),(3,'Kalden','2025-01-03',0,9);
    """
    turn = say(made_of(script, tmp_path, "weather"), question, as_of=dt.date(2025, 6, 18))
    assert turn.result is None, turn.answer
    assert set(turn.unknown) & {"windiest", "rainy"}


@for_each(
    "where, question",
    [("contracts", "按城市统计评审次数"), ("library", "pages by genre"), ("bikes", "各区的分钟数")],
)
def test_a_number_beside_a_group_never_gives_rows_in_the_order_of_the_group(
    opened: dict[str, Database], where: str, question: str
):
    turn = say(opened[where], question, as_of=dt.date(2025, 6, 18))
    assert turn.after is None or turn.after.by, turn.answer


def test_what_is_put_in_order_by_a_name_is_no_group(opened: dict[str, Database]):
    turn = say(opened["library"], "books sorted by title", as_of=dt.date(2025, 6, 18))
    assert turn.result is not None
    assert [row[0] for row in turn.result.rows][0] in ("978-2", "Deep Orchard")
    assert len(turn.result.rows) == 5


@for_each(
    "where, question",
    [
        ("orders", "各类目的销售额"),  # the amount of an order, of each of its items
        ("school", "pupils better than Tom"),  # their numbers are no marks
        ("school", "on time marks"),  # a delay is no time
        ("school", "short pupils"),
        ("staff", "15% of salary"),
        ("lending", "the member with the most members"),
        ("bikes", "rides of members and non-members"),
    ],
)
def test_what_cannot_be_meant_is_not_answered(opened: dict[str, Database], where: str, question: str):
    turn = say(opened[where], question, as_of=dt.date(2025, 6, 18))
    assert turn.result is None, turn.answer
