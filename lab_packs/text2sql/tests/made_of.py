"""Databases that a test makes of a script of SQL, uploaded like a visitor's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sets import TODAY

from lab_packs.text2sql.database import Database
from lab_packs.text2sql.dialogue import Turn, say
from lab_packs.text2sql.upload import open_upload

VETS = """
CREATE TABLE owners(id INTEGER PRIMARY KEY, name TEXT, town TEXT, joined DATE);
CREATE TABLE pets(id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id), name TEXT, species TEXT, sex TEXT,
  neutered TEXT, weight_kg REAL);
CREATE TABLE visits(id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets(id), visited_on DATE, reason TEXT, cost REAL,
  vet TEXT);
INSERT INTO owners VALUES (1,'Rosa Kent','Ashby','2021-02-03'),(2,'Liam Ode','Ashby','2022-05-09'),
  (3,'Gita Rao','Corby','2022-08-01'),(4,'Pim Vos','Derne','2023-01-15'),(5,'Zoe Hart','Corby','2024-03-30');
INSERT INTO pets VALUES (1,1,'Biscuit','dog','M','yes',12.5),(2,1,'Nettle','cat','F','yes',4.1),
  (3,2,'Pepper','cat','M','no',5.2),(4,3,'Olive','rabbit','F','no',2.2),(5,3,'Rusty','dog','M','no',22),
  (6,4,'Waffle','dog','F','yes',8.7);
INSERT INTO visits VALUES (1,1,'2025-01-10','vaccination',40,'Dr Lang'),(2,1,'2025-03-12','injury',180,'Dr Moor'),
  (3,2,'2025-03-20','checkup',35,'Dr Lang'),(4,3,'2025-02-02','dental',95,'Dr Moor'),
  (5,5,'2025-04-18','vaccination',42,'Dr Lang'),(6,6,'2025-04-25','injury',260,'Dr Finn'),
  (7,6,'2025-05-02','checkup',30,'Dr Lang');
"""
STAFF = """
CREATE TABLE 员工(工号 TEXT PRIMARY KEY, 姓名 TEXT, 性别 TEXT, 部门 TEXT, 城市 TEXT, 月薪 REAL, 是否远程 TEXT, 入职日期 DATE,
  邮箱 TEXT);
CREATE TABLE 请假(单号 TEXT PRIMARY KEY, 工号 TEXT REFERENCES 员工(工号), 类型 TEXT, 天数 REAL, 开始日期 DATE, 状态 TEXT);
INSERT INTO 员工 VALUES ('A1','陆川','男','研发','杭州',21000,'是','2019-03-01','luchuan@x.cn'),
  ('A2','沈月','女','研发','杭州',18000,'否','2020-06-11',NULL),('A3','顾城','男','运维','南京',15000,'否','2021-01-05','gc@x.cn'),
  ('A4','白露','女','市场','苏州',12000,'否','2022-09-19','bl@x.cn'),('A5','江帆','男','市场','南京',13500,'是','2018-11-23',NULL),
  ('A6','叶青','男','运维','苏州',16500,'否','2023-04-17','yq@x.cn');
INSERT INTO 请假 VALUES ('L1','A1','年假',5,'2025-02-03','已批准'),('L2','A2','病假',2,'2025-03-10','已批准'),
  ('L3','A3','事假',1,'2025-03-15','已拒绝'),('L4','A1','病假',1,'2025-04-01','已批准'),
  ('L5','A4','年假',3,'2025-05-06','待审批'),('L6','A3','病假',8,'2025-05-20','已批准');
"""


def made_of(script: str, folder: Path, name: str) -> Database:
    """The database of this script, as the lab opens the file that a visitor uploads."""
    path = folder / f"{name}.sqlite"
    with closing(sqlite3.connect(path)) as base, base:
        base.executescript(script)
    base.close()
    opened = open_upload(path.name, path.read_bytes())
    return opened[0] if isinstance(opened, tuple) else opened


def play(db: Database, *questions: str) -> list[Turn]:
    """Returns the turns of a conversation."""
    turns: list[Turn] = []
    for q in questions:
        turns.append(say(db, q, as_of=TODAY, before=turns[-1] if turns else None))
    return turns


def gives(db: Database, turn: Turn, gold: str) -> None:
    """Assert that a turn shows the rows of this SQL, each perhaps with more than that asks for."""
    assert turn.result is not None, turn.answer
    with closing(sqlite3.connect(db.path)) as base:
        wanted = base.execute(gold).fetchall()
    cells = [{round(c, 6) if isinstance(c, float) else c for c in row} for row in turn.result.rows]
    assert len(cells) == len(wanted), turn.answer
    for row in wanted:
        told = {round(c, 6) if isinstance(c, float) else c for c in row}
        assert any(told <= have for have in cells), f"{told} is missing: {turn.answer}"
