"""The Text2SQL page without a browser: lessons, chips, questions back, uploads, links, and a model beside the rules."""

from __future__ import annotations

import csv
import datetime as dt
import html
import io
import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import places
import pytest
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest
from ui.conftest import menus, play  # noqa: F401  # lessons can be chosen

from lab.models.endpoint_chat import EndpointModel
from lab.text import script
from lab.ui.layout import finder, frame
from lab.ui.lessons import handout
from lab_packs.text2sql import lessons
from lab_packs.text2sql.database import open_sample
from lab_packs.text2sql.dialogue import Turn
from lab_packs.text2sql.free import _SYSTEM as WRITES_SQL
from lab_packs.text2sql.lessons import ASKED_BACK, counts
from lab_packs.text2sql.model_tree import SYSTEM as FILLS_SLOTS
from lab_packs.text2sql.pages.query.text2sql import databases, modelled, teaching
from lab_packs.text2sql.pages.query.text2sql import lessons as played

ROOT = Path(__file__).parents[3]
PAGE = places.file_of("text2sql")
LESSONS = [pytest.param(x, id=x.id) for x in lessons.read()]
NARROWING = ["三年以上经验的候选人", "期望薪资不超过2万", "必须能远程"]


def opened(**params: str) -> AppTest:
    """The page, run once; parameters of a link by the names of their knobs (``db``, ``said``, ``today``)."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    for knob, value in params.items():
        app.query_params[f"text2sql.{knob}"] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def ask(app: AppTest, *questions: str) -> AppTest:
    """Type questions, one after the other."""
    for question in questions:
        app.chat_input[0].set_value(question).run()
        assert not app.exception
    return app


def turns(app: AppTest) -> list[Turn]:
    return list(app.session_state["_text2sql_turns"][1])


def press(app: AppTest, key: str) -> AppTest:
    """Press a button by its key, or by how its key begins."""
    next(b for b in app.button if (b.key or "").startswith(key)).click().run()
    assert not app.exception
    return app


def chips(app: AppTest) -> list[str]:
    return [
        b.label.removesuffix("  ✕").replace("\\", "") for b in app.button if (b.key or "").startswith("text2sql.chip.")
    ]


def rows(app: AppTest, key: str = "text2sql.rows") -> int | None:
    """How many rows a table on the screen has; None where it is not there."""
    try:
        return len(app.get_by_key(f"{key}.box").dataframe[0].value)  # type: ignore[union-attr]
    except KeyError:
        return None


def said(app: AppTest) -> str:
    shown = [*app.markdown, *app.caption, *app.warning, *app.error, *app.info]
    return "\n".join(x.value for x in shown).replace("\\", "")


@pytest.mark.parametrize("lesson", spread(LESSONS, 2))
def test_a_lesson_plays_and_its_rows_are_the_ones_it_claims(lesson: lessons.Lesson):
    app = opened()
    play(app, "text2sql", lesson.id)
    for i, step in enumerate(lesson.steps):
        if i:
            press(app, "text2sql.lesson.next")
        assert not app.exception
        assert counts(tuple(turns(app))) == lesson.expect[: i + 1]
        assert step.text["en"][:60] in said(app)
        (verdict,) = [x.body for x in app.get("html") if "verdicts" in x.body and "<li" in x.body]
        assert 'class="held"' in verdict
    if lesson.expect[-1] != ASKED_BACK:
        assert rows(app) == lesson.expect[-1]
    for word in (word for step in lesson.steps for word in step.unknown):
        assert f"Not understood, so no query was run: {word}" in said(app)


@pytest.mark.nightly
def test_leaving_a_lesson_brings_back_the_conversation_that_was_there():
    app = ask(opened(db="shop"), "orders since March")
    before = counts(tuple(turns(app)))
    play(app, "text2sql", "three-turns")
    press(app, "text2sql.lesson.next")
    assert counts(tuple(turns(app))) == (46, 13)
    press(app, "text2sql.lesson.leave")
    assert counts(tuple(turns(app))) == before
    assert app.session_state["text2sql.db"] == "shop"


def test_a_lesson_is_left_when_the_conversation_goes_elsewhere():
    app = opened(lesson="three-turns")
    assert counts(tuple(turns(app))) == (46,)
    press(app, "text2sql.new")
    assert app.session_state["text2sql.lesson"] is None
    assert not app.session_state["text2sql.said"]


@pytest.mark.nightly
def test_typed_turns_narrow_and_a_chip_taken_away_widens():
    app = ask(opened(db="candidates"), *NARROWING)
    assert chips(app) == ["工作年限 ≥ 3 年", "期望薪资 ≤ 20,000 元", "工作方式是远程"]
    assert rows(app) == 8
    sample = open_sample("candidates")
    with closing(sqlite3.connect(sample.path)) as db, db:
        without_salary = db.execute(
            "SELECT count(*) FROM candidates WHERE years >= 3 AND work_mode = '远程'"
        ).fetchone()[0]
    press(app, next(b.key or "" for b in app.button if b.label.replace("\\", "").startswith("期望薪资")))
    assert chips(app) == ["工作年限 ≥ 3 年", "工作方式是远程"]
    assert rows(app) == without_salary
    assert [str(p.value.of.ref) for p in turns(app)[-1].removed] == ["candidates.expected_salary"]


def test_a_link_replays_sentences_chips_taken_away_and_answers():
    app = ask(opened(db="shop"), "sports products", "over 30")
    press(app, "text2sql.ask.1.1")
    press(app, "text2sql.chip.3.0")
    link = {
        k.removeprefix("text2sql."): v if isinstance(v, str) else v[0]
        for k, v in app.query_params.items()
        if k.startswith("text2sql.")
    }
    other = opened(**link)
    assert turns(other)[-1].after == turns(app)[-1].after
    assert chips(other) == chips(app) == ["stock > 30"]
    assert rows(other) == rows(app)


@pytest.mark.parametrize("sentences", spread([["orders", "Berlin"], ["orders, in Berlin", "since March"]], 1))
def test_a_link_keeps_sentences_of_one_word_and_sentences_with_commas_apart(sentences: list[str]):
    app = ask(opened(db="shop"), *sentences)
    value = app.query_params["text2sql.said"]
    other = opened(db="shop", said=value if isinstance(value, str) else value[0])
    assert [t.question for t in turns(other)] == sentences


def test_moves_of_a_link_that_fit_nothing_are_passed_over():
    app = opened(
        db="shop", said="✕0\n?0.0\n≔sports→no_table→\n≔sports→products.category→gone\nsports products\n✕7\n?0.0\n?9.9"
    )
    assert [t.question for t in turns(app)] == ["sports products"]
    assert rows(app) == 4


@pytest.mark.parametrize("move", ["✕" + "9" * 5000, "?" + "9" * 5000 + ".1", "?1." + "9" * 5000])
def test_a_move_with_more_digits_than_there_are_slots_is_no_move(move: str):
    turn = databases.step(open_sample("shop"), [], move, dt.date(2024, 6, 1))[-1]
    assert turn.kind == "nothing"


def test_a_link_to_somebody_elses_upload_says_so_and_plays_nothing():
    app = opened(db="<b>salaries</b>.csv", said="everybody")
    assert "<b>salaries</b>.csv" in app.warning[0].value.replace("\\", "")
    assert not app.session_state["text2sql.said"]


def test_switching_the_language_keeps_the_database_and_the_conversation():
    app = ask(opened(), "sports products")
    next(s for s in app.selectbox if s.key == "lang").set_value("zh").run()
    assert not app.exception
    assert app.session_state["text2sql.db"] == "store"
    assert rows(app) == 4


def test_an_ambiguous_question_runs_nothing_until_its_button_is_pressed():
    app = ask(opened(db="shop"), "sports products", "over 30")
    choices = [b.label.replace("\\", "") for b in app.button if (b.key or "").startswith("text2sql.ask.")]
    assert choices == [
        "products where category is sports; price > 30 yuan",
        "products where category is sports; stock > 30",
    ]
    assert "no query runs until it is answered" in said(app)
    assert rows(app) is None
    press(app, "text2sql.ask.1.0")
    assert chips(app) == ["category is sports", "price > 30 yuan"]
    assert rows(app) == 3
    assert not [b for b in app.button if (b.key or "").startswith("text2sql.ask.")]


def test_a_word_that_nobody_understands_is_named_and_the_rows_of_before_are_folded_away():
    app = ask(opened(db="candidates"), "三年以上经验的候选人", "弹钢琴的")
    assert "Not understood, so no query was run: 弹钢琴" in said(app)
    assert rows(app) is None, "they are no answer to it"
    app.session_state["text2sql.fold.before"] = True
    assert rows(app.run()) == 46
    assert chips(app) == ["工作年限 ≥ 3 年"]


def test_where_nothing_matches_a_condition_can_be_dropped_by_its_button():
    app = ask(opened(db="candidates"), "在成都的博士，会 Java")
    assert rows(app) is None
    offer = next(b for b in app.button if (b.key or "").startswith("text2sql.relax."))
    promised = int(offer.label.rsplit(" ", 1)[1])
    press(app, offer.key or "")
    assert promised > 0
    assert rows(app) == promised


def test_a_day_that_is_none_is_explained():
    app = opened(today="soon")
    assert "“soon” is not a date" in said(app)


def test_today_moves_what_last_year_means():
    app = opened(db="shop", said="orders last year", today="2024-06-15")
    later = opened(db="shop", said="orders last year", today="2025-06-15")
    sample = open_sample("shop")
    with closing(sqlite3.connect(sample.path)) as db, db:
        count = dict(db.execute("SELECT substr(ordered_on, 1, 4), count(*) FROM orders GROUP BY 1").fetchall())
    assert rows(app) == count["2023"]
    assert rows(later) == count["2024"]


# ---------------------------------------------------------------------------------------------------- charts


@pytest.mark.parametrize(
    ("question", "bars"),
    spread(
        [
            ("average price per category", 5),
            ("the three most expensive products", 3),
            ("orders per weekday", 7),
            ("sports products", 0),
            ("how many orders", 0),
        ],
        2,
    ),
)
def test_a_chart_is_drawn_where_there_is_something_to_plot(question: str, bars: int):
    db = open_sample("shop")
    [turn] = databases.replay(db, [question], lessons.read()[0].today)
    plotted = databases.chart(turn, db.schema)
    assert (len(plotted[1]["data"][0]["x"]) if plotted else 0) == bars
    if question == "orders per weekday" and plotted:
        assert set(plotted[1]["data"][0]["y"]) == {
            "Sunday",
            "Monday",
            "Tuesday",
            "Wednesday",
            "Thursday",
            "Friday",
            "Saturday",
        }


# --------------------------------------------------------------------------------------------------- uploads


def table(head: list[str], *lines: list[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows([head, *lines])
    return out.getvalue().encode()


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    next(f for f in app.file_uploader if f.key == "text2sql.file").set_value((name, data, "application/octet-stream"))
    app.run()
    assert not app.exception
    return app


BOATS = table(
    ["boat", "harbour", "length"],
    ["Anna", "Kiel", 12],
    ["Berta", "Kiel", 9],
    ["Clara", "Lübeck", 15],
    ["Dora", "Lübeck", 7],
)


def test_an_uploaded_table_becomes_the_database_and_answers():
    app = upload(opened(), "boats.csv", BOATS)
    assert app.session_state["text2sql.db"] == "boats.csv"
    ask(app, "boats in Kiel")
    assert rows(app) == 2
    ask(app, "length over 10")
    assert rows(app) == 1


def test_the_encoding_of_a_table_can_be_chosen():
    app = upload(opened(), "people.csv", "name,city\n李,高雄\n".encode("big5"))
    table = lambda: app.session_state[frame.VISITOR].store(databases.OWN)["people.csv"].preview("people").rows  # noqa: E731
    assert table() == (("李", "高雄"),)
    next(s for s in app.selectbox if s.key == "text2sql.encoding").set_value("gb18030").run()
    assert table() == (tuple(text.encode("big5").decode("gb18030") for text in ("李", "高雄")),)


def test_an_uploaded_table_is_read_once_whatever_is_clicked(monkeypatch: pytest.MonkeyPatch):
    calls, read = [], databases.open_upload
    monkeypatch.setattr(databases, "open_upload", lambda *args, **named: calls.append(1) or read(*args, **named))
    app = upload(opened(), "boats.csv", BOATS)
    ask(app, "boats in Kiel", "length over 10")
    press(app, "text2sql.new")
    assert not app.run().exception
    assert calls == [1]


@pytest.mark.nightly
def test_names_edited_in_the_schema_are_understood_and_change_no_other_database():
    app = upload(opened(), "shop.csv", BOATS)
    names = list(app.data_editor[0].value["name"])
    app.session_state["text2sql.hints.shop.csv"] = {
        "edited_rows": {names.index("shop.length"): {"synonyms": "measure"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    press(app, "text2sql.hints.use")
    ask(app, "measure over 10")
    assert rows(app) == 2
    next(s for s in app.selectbox if s.key == "text2sql.db").set_value("shop").run()
    ask(app, "measure over 10")
    assert "measure" in turns(app)[-1].unknown[0]


def teach(app: AppTest, word: str, meaning: str) -> AppTest:
    """Choose what a word means, by how its option begins."""
    choice = next(s for s in app.selectbox if s.label == f"“{word}” means …")
    choice.select_index(next(i for i, told in enumerate(choice.options) if told.startswith(meaning))).run()
    assert not app.exception
    return app


@pytest.mark.nightly
def test_a_word_is_taught_where_it_was_not_understood_and_the_question_is_answered():
    app = upload(opened(), "boats.csv", BOATS)
    teach(ask(app, "extent over 10"), "extent", "length")
    assert rows(app) == 2
    assert [t.question for t in turns(app)] == ["extent over 10"]
    assert any("“extent” now means: length" in told.value for told in app.toast)
    teach(ask(app, "how many gizmos"), "gizmos", "the rows: ")
    assert turns(app)[-1].result.rows == ((4,),)
    press(app, "text2sql.hints.drop")
    assert [t.unknown for t in turns(app)] == [("extent",), ("gizmos",)]
    assert not [b for b in app.button if b.key == "text2sql.hints.drop"]


@pytest.mark.nightly
def test_a_word_may_be_a_value_or_be_left_out_and_only_of_the_last_sentence():
    app = ask(opened(db="shop"), "orders in the blorb", "gyrating products, gyrating orders", "gyrating products")
    assert [s.label for s in app.selectbox if "teach" in s.key] == ["“gyrating” means …"]
    teach(app, "gyrating", "category = 运动")
    found, link = turns(app)[-1], app.query_params["text2sql.said"]
    assert found.after.where == turns(ask(app, "运动 products"))[-1].after.where
    other = opened(db="shop", said=link if isinstance(link, str) else link[0])
    assert (turns(other)[-1].after, rows(other)) == (found.after, 4), "a link knows the word, too"
    press(other, "text2sql.new")
    assert turns(ask(other, "gyrating products"))[-1].unknown == ("gyrating",)
    app = teach(ask(opened(db="shop"), "how many blorby products"), "blorby", "ignore")
    assert [t.question for t in turns(app)] == ["how many products"]
    found = [m.label for m in teaching.meanings(open_sample("shop").schema, "price")]
    assert found[0].startswith(("unit price", "价格", "price")), "the nearest in meaning comes first"
    assert 10 < found.index("") < len(found) - 10, "a key pressed too much leaves nothing out"
    assert rows(app) == 1


def test_names_of_a_file_are_understood_and_what_the_database_lacks_is_named():
    app = upload(opened(), "shop.csv", BOATS)
    names = b'["shop".length]\nsynonyms = ["measure"]\n\n["shop".weight]\nunit = "kg"\n'
    next(f for f in app.file_uploader if f.key == "text2sql.hints.read").set_value(("n.toml", names, "text/plain"))
    app.run()
    assert not app.exception
    assert "Not in this database: shop.weight" in said(app)
    ask(app, "measure over 10")
    assert rows(app) == 2
    next(f for f in app.file_uploader if f.key == "text2sql.hints.read").set_value(("n.toml", b"[", "text/plain"))
    app.run()
    assert any("are not TOML" in e.value for e in app.error)


def test_suggested_questions_are_of_what_is_loaded_and_a_click_asks_one():
    app = upload(opened(), "boats.csv", BOATS)
    offered = [b.label for b in app.button if (b.key or "").startswith("text2sql.example.")]
    assert any("harbour" in label for label in offered)
    (example,) = turns(app)  # is answered before anything is asked, and is no part of the conversation
    assert example.question not in offered
    assert rows(app) == len(example.result.rows)  # type: ignore[union-attr]
    press(app, "text2sql.example.")
    assert [turn.question for turn in turns(app)] == offered[:1]
    assert rows(app)


def test_a_chip_of_the_example_goes_on_from_it():
    app = opened(db="store")
    (example,) = turns(app)
    press(app, "text2sql.chip.")
    assert [turn.question for turn in turns(app)] == [example.question, ""]
    ask(app, "customers in Berlin")
    assert [turn.question for turn in turns(app)] == [example.question, "", "customers in Berlin"]


@pytest.mark.parametrize(("question", "told"), [("what can I ask?", "expected salary"), ("有哪些字段", "期望薪资")])
def test_who_asks_what_there_is_sees_the_columns_and_questions_that_work(question: str, told: str):
    app = ask(opened(db="candidates"), question)
    assert told in said(app)
    assert "Not understood" not in said(app)
    press(app, "text2sql.example.")
    assert [turn.kind for turn in turns(app)] == ["overview", "fresh"]
    assert rows(app)
    assert not [b for b in app.button if (b.key or "").startswith("text2sql.example.")]
    ask(app, "what columns are there")
    assert rows(app), "what holds goes on to hold"


def test_a_value_that_there_was_no_time_to_look_for_is_told(monkeypatch: pytest.MonkeyPatch):
    app = opened()
    upload(app, "names.csv", table(["customer", "amount"], *([f"Quiverly {i}", i] for i in range(6000))))
    monkeypatch.setattr("lab_packs.text2sql.database.LOOK_UP", 0)
    monkeypatch.setattr("lab_packs.text2sql.guard.STEPS", 1)
    ask(app, "amount of customer Quiverly 5800")
    assert "Searching “customer” for “Quiverly · 5800” takes longer than 1 s" in said(app)
    assert "Not understood" not in said(app)


def test_the_readings_of_a_question_are_listed_with_their_sums_and_what_became_of_them():
    app = opened(db="shop", said="sports products\nover 30", **{"fold.readings": "1"})
    table = next(d.value for d in app.dataframe if "outcome" in d.value)
    assert list(table["score"]) == sorted(table["score"], reverse=True)
    assert list(table["outcome"][:2]) == ["is offered as a choice", "is offered as a choice"]
    for score, parts in zip(table["score"], table["sum"], strict=True):
        numbers = [float(x) for x in re.findall(r"[-−]? ?\d+\.\d\d", parts.replace("− ", "-"))]
        assert sum(numbers) == pytest.approx(score, abs=0.06)


def test_no_sentence_of_the_code_is_on_the_page():
    assert not any("day after the sample data" in x.value for x in opened(db="shop").markdown)


def test_words_are_linked_by_ranked_lists_side_by_side():
    app = opened(db="shop", said="sports products", **{"fold.linked": "1"})
    table = next(d.value for d in app.dataframe if "namesp" in d.value)
    assert list(table["list"]) == ["BM25", "Vectors", "RRF"]
    assert any("over {n}" not in c.value and "questions of this sample" in c.value for c in app.caption)


@pytest.mark.parametrize(
    "torn",
    spread([b"SQLite format 3\x00" + b"\xff" * 3000, b"no database at all", b""], 1),
    ids=["damaged", "another file", "empty"],
)
def test_a_broken_database_is_explained_and_stays_explained(torn: bytes):
    app = upload(opened(), "broken.sqlite", torn)
    assert "broken.sqlite" in app.error[0].value.replace("\\", "")
    assert app.session_state["text2sql.db"] == "store"
    app.run()
    assert app.error, "the next click must not wipe the reason away"
    ask(app, "sports products")
    assert rows(app) == 4


HOSTILE = [
    "<script>alert(1)</script>",
    "**bold** `code`",
    "[link](javascript:alert(1))",
    "$x^2$ :red[x]",
    'quote" -- ; DROP',
    "# head\n- item",
]


def test_hostile_column_names_are_shown_as_they_are():
    app = upload(opened(), "<b>x.csv", table(HOSTILE, *([f"v{i}{j}" for i in range(len(HOSTILE))] for j in range(3))))
    ask(app, "how many rows?", "**bold** `code` is v10")
    for element in [*app.markdown, *app.caption, *app.warning, *app.error]:
        for piece in ("<script>", "**bold**", "[link](", "$x^2$", ":red["):
            assert piece not in element.value, element.value
    labels = " ".join(b.label for b in app.button)
    assert "<script>" not in labels
    assert "**bold**" not in labels


def test_a_table_whose_columns_hold_bytes_and_mixed_values_is_drawn():
    file = io.BytesIO()
    values = [("a", b"\x00\xff"), ("b", 3), ("c", "three"), ("d", None), (None, 2.5)]
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE things (name, value)")
        db.executemany("INSERT INTO things VALUES (?, ?)", values)
        db.commit()
        file.write(db.serialize())
    app = upload(opened(), "things.sqlite", file.getvalue())
    ask(app, "things")
    assert rows(app) == 5


def test_a_cell_that_was_left_out_of_a_workbook_is_named():
    import openpyxl

    book = openpyxl.Workbook()
    for row in (("name", "length"), ("Ada", 7), ("Bob", 8)):
        book.active.append(row)
    book.active["XFD9"] = "x"
    file = io.BytesIO()
    book.save(file)
    app = upload(opened(), "boats.xlsx", file.getvalue())
    assert any("XFD9" in w.value for w in app.warning)
    assert "boats.xlsx" in str(app.session_state[frame.VISITOR].store(databases.OWN))


@pytest.mark.nightly
def test_only_the_last_few_uploads_are_kept():
    app = opened()
    for i in range(databases.KEPT + 2):
        upload(app, f"boats{i}.csv", BOATS)
    kept = app.session_state[frame.VISITOR].store(databases.OWN)
    assert list(kept) == [f"boats{i}.csv" for i in range(2, databases.KEPT + 2)]


# ----------------------------------------------------------------------------------------------------- model


class Modelled(Server):
    """A server whose model fills slots with ``slots`` and writes the queries of ``sql``, one after the other."""

    slots: dict[str, Any] = {}
    sql: list[str] = []

    @property
    def answer(self) -> str:
        system = self.requests[-1]["messages"][0]["content"]
        if system == FILLS_SLOTS:
            return json.dumps(self.slots, ensure_ascii=False)
        assert system == WRITES_SQL
        return self.sql.pop(0)

    @answer.setter
    def answer(self, text: str) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Modelled]:
    with Modelled() as running:
        running.slots = {
            "table": "products",
            "fresh": True,
            "filters": [{"column": "products.category", "op": "=", "values": ["运动"]}],
        }
        yield running


def with_model(server: Modelled, *questions: str) -> AppTest:
    app = opened(db="shop")
    app.session_state["_language_model"] = EndpointModel("m", server.url, retries=0)
    ask(app, *questions)
    return press(app, "text2sql.model")


def test_without_a_model_the_page_says_where_one_is_set():
    assert "No language model is set" in said(ask(opened(db="shop"), "sports products"))


def test_a_models_slots_and_its_sql_stand_beside_the_rules(server: Modelled):
    server.sql = ["SELECT name, price FROM products WHERE category = '运动'"]
    app = with_model(server, "sports products")
    assert rows(app, "text2sql.model.rows") == 4
    assert rows(app, "text2sql.model.free") == 4
    assert said(app).count("same rows as by the rules") == 2
    assert any("LIMIT 201" in c.value for c in app.code)
    app.run()
    assert rows(app, "text2sql.model.free") == 4, "the answer stays when the page is drawn again"
    ask(app, "under 50 yuan")
    assert rows(app, "text2sql.model.free") is None, "and goes when the question is another"


def test_other_rows_of_a_model_are_called_other_rows(server: Modelled):
    server.slots = {
        "table": "products",
        "fresh": True,
        "filters": [{"column": "products.stock", "op": ">", "values": [30]}],
        "not_understood": ["sports"],
    }
    server.sql = ["SELECT id FROM products LIMIT 7"]
    app = with_model(server, "sports products")
    assert "different rows: 7 here, 4 by the rules" in said(app)
    assert "Not used: sports" in said(app)


def test_a_refused_statement_names_its_rule_and_one_repair_is_shown(server: Modelled):
    server.sql = ["DELETE FROM products", "SELECT id FROM products WHERE category = '运动'"]
    app = with_model(server, "sports products")
    warning = next(w.value.replace("\\", "") for w in app.warning)
    assert "refused" in warning
    assert "DELETE" in warning
    assert "Only one SELECT" in warning
    assert "Repair" in said(app)
    assert rows(app, "text2sql.model.free") == 4
    assert "refused" in server.requests[-1]["messages"][-1]["content"]


def test_after_two_refusals_nothing_was_run(server: Modelled):
    server.sql = ["DROP TABLE orders", "SELECT 1; SELECT 2"]
    app = with_model(server, "sports products")
    assert "Both attempts were refused; nothing was run." in said(app)
    assert rows(app, "text2sql.model.free") is None
    assert rows(app) == 4, "the rules' rows stay"


def test_a_statement_of_a_million_characters_is_shown_in_part(server: Modelled):
    server.sql = ["SELECT 1 -- " + "x" * 1_000_000] * 2
    app = with_model(server, "sports products")
    assert any(c.value.endswith("[2,000 / 1,000,012]") for c in app.code)
    assert max(len(c.value) for c in app.code) < 10_000


def test_after_a_refused_key_the_model_is_not_asked_for_sql(server: Modelled):
    server.then("401")
    app = with_model(server, "sports products")
    assert "does not accept the key" in said(app)
    assert len(server.requests) == 1


def test_a_follow_up_reaches_the_model_with_the_questions_it_builds_on(server: Modelled):
    held = {"column": "products.category", "op": "=", "values": ["运动"]}
    server.slots = {"table": "products", "filters": [held, {"column": "products.price", "op": ">", "values": [30]}]}
    server.sql = ["SELECT id FROM products WHERE category = '运动' AND price > 30"]
    app = with_model(server, "average price per city", "sports products", "over 30 yuan")
    prompts = [r["messages"][-1]["content"] for r in server.requests]
    assert "What stands: products: category is sports" in prompts[0]
    assert "sports products\nover 30 yuan" in prompts[1]
    assert "per city" not in prompts[1]
    assert said(app).count("same rows as by the rules") == 2


def test_a_model_that_does_not_answer_is_explained_and_the_rules_go_on(server: Modelled):
    server.then("500")
    app = with_model(server, "sports products")
    assert app.error
    assert rows(app) == 4


def test_a_query_that_was_cut_is_not_run_and_the_page_says_so(server: Modelled):
    server.sql = ["SELECT id FROM products"]
    server.then("answer", "cut")
    app = with_model(server, "sports products")
    assert "was truncated at the maximum length: “SELECT id FROM products”" in said(app)
    assert rows(app, "text2sql.model.free") is None
    assert rows(app, "text2sql.model.rows") == 4


def test_an_answer_that_was_stopped_is_not_asked_for_again_by_itself(server: Modelled, monkeypatch: pytest.MonkeyPatch):
    server.sql = ["SELECT id FROM products"]
    with monkeypatch.context() as patch:
        patch.setattr(modelled, "work", lambda *args, **named: None)  # what it gives where Stop was pressed
        app = with_model(server, "sports products")
        assert rows(app) == 4
    assert not server.requests
    app.run()  # after “Go on”
    assert len(server.requests) == 2
    assert rows(app, "text2sql.model.free")


def test_the_passages_of_the_corpus_are_a_table_that_a_link_names() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "textbook-filter-en"}.items():
        app.query_params[key] = value
    app.query_params["text2sql.db"] = "passages: textbook-filter-en"
    app.switch_page(PAGE).run()
    ask(app, "how many passages are there?")
    (turn,) = turns(app)
    assert turn.result is not None
    assert [tuple(row) for row in turn.result.rows] == [(10,)]


def test_a_conversation_with_a_database_is_taken_home_with_its_sql_and_its_rows(monkeypatch):
    taken = []
    monkeypatch.setattr(handout, "offer", lambda made, name, key: taken.append(made))
    lesson = lessons.read()[0]
    played.home(lesson)
    assert taken[0].count("<h2") == len(lesson.steps)
    assert "SELECT" in taken[0]
    assert "✗" not in taken[0].split("<script>")[0]
    for turn in lesson.turns:
        assert html.escape(turn) in taken[0]


@pytest.mark.parametrize("said", ["✕" + "9" * 5000, "?" + "9" * 5000 + ".1"])
def test_whatever_a_link_says_at_length_is_soon_done_with(said: str) -> None:
    start = time.process_time()
    app = opened(said=said)
    assert time.process_time() - start < 10
    assert all(len(message.value) < 1000 for message in [*app.error, *app.warning])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reader_has_lessons_in_the_own_language(language: str) -> None:
    assert sum(all(script(turn) == language for turn in lesson.turns) for lesson in lessons.read()) >= 3


def test_a_name_of_others_leads_to_the_page() -> None:
    assert finder._grouped(finder._finder().find("槽位", "zh"))[0].entry.page == "text2sql"
