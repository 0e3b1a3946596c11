"""A page that is opened fresh speaks the reader's language: its words, its corpus, its question, its first lessons.

Each page is opened once in each language here: what else holds at first sight (few inputs, one row) is asked as well.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import places
import pytest
from google.protobuf.json_format import MessageToDict
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats, lessons
from lab.algebra import Corpus, Query, Runner, Turn
from lab.answer.answered import answer
from lab.corpus import samples
from lab.evaluate.exchange import WRITERS
from lab.evaluate.judging import queries_text
from lab.fuse import RRF
from lab.lessons.course import course
from lab.models.static import BuiltIn
from lab.presets import presets
from lab.refine.diversity import MMR
from lab.refine.filters import EmbeddingsFilter
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.contextual import Contextual, Told
from lab.rewrite.routing import CollectionRouter, Destination, Route
from lab.text import script
from lab.ui import components, escape, i18n
from lab.ui.figures import charts
from lab.ui.layout import export, frame, questions
from lab.ui.lessons import handout
from lab.ui.lists import gloss
from lab.ui.study import trying
from pages.query.dialogue import parts as dialogue
from pages.start.course import parts
from ui.test_openings import LISTS, hold_opening, watch_lists

ROOT = Path(__file__).parents[2]
PAGES = {path.parent.name: path.relative_to(ROOT).as_posix() for path in places.PAGES}
HAN = re.compile(r"[一-鿿]+")
SENTENCE = re.compile(r"(?:[A-Za-z][a-z']+ ){4,}[a-z]+")
HALF = re.compile(r".{0,9}(?:[一-鿿][*”]*(?:[,:;()] ?| +)|[。，；：、！？] +)[*“]*[一-鿿].{0,9}")
"""A half-width sign or a blank between Chinese characters."""
WORDS = re.compile(r"例如：.*|\(k \+ 名次\)")
"""Words as one types them, with blanks, and a formula."""
SEARCHED = {"rewrite": "its wordings are words with blanks between them"}
CODE = re.compile(r"\$[^$]*\$|/\*.*?\*/|<[^>]*>|`[^`]*`|\\[a-z]+|https?:\S+", re.DOTALL)
BOTH = {
    "vocabulary": "neighbours in both languages are what it shows",
    "tokenizer": "its examples show how Chinese is cut",
}
GLOSSED = [
    f"{q.text} ({told})"
    for name in samples.names()
    for q in samples.load(name).queries
    for told in [samples.glosses(name, "en").get(q.text) or samples.glosses(name, "zh").get(q.text)]
    if told
]
CHARACTERS = ("how, what, 怎么", "I, my, you, 我", "as a term beside words", "电池 finds 電池", "滑鼠 finds 鼠标")
"""Helps that say what is done with Chinese characters."""


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is given to the components and charts."""
    seen = list[Any]()
    draw, picture = components._draw, charts.draw

    def component(name: str, data: Any, **how: Any) -> Any:
        if name == "menu":  # the first group is open, the others are named and folded
            data = {**data, "groups": data["groups"][:1]}
            seen.append(data)
        elif name not in ("copy", "make"):
            seen.append(data)
        return draw(name, data, **how)

    def chart(figure: Any, key: str, *more: Any, **how: Any) -> None:
        seen.append(json.loads(json.dumps(figure, default=str)))
        picture(figure, key, *more, **how)

    watch_lists(monkeypatch)
    monkeypatch.setattr(components, "_draw", component)
    monkeypatch.setattr(charts, "draw", chart)
    return seen


def protos(block: Any) -> Iterator[dict[str, Any]]:
    """What the elements of a page are told, without the scripts of components and without tables."""
    proto = getattr(block, "proto", None)
    if proto is not None and getattr(block, "type", "") not in (
        "bidi_component",
        "code",
        "dataframe",
        "arrow_data_frame",
    ):
        told = MessageToDict(proto)
        if block.type == "selectbox":
            told.pop("options", None)  # a list that is closed: the suggestions, with those of the other language last
        yield told
    for child in getattr(block, "children", {}).values():
        yield from protos(child)


def strings(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        yield from (text for value in told.values() for text in strings(value))
    elif isinstance(told, (list, tuple)):
        yield from (text for value in told for text in strings(value))


INPUTS = {
    "selectbox", "multiselect", "slider", "select_slider", "number_input", "text_input", "text_area", "checkbox",
    "toggle", "radio", "button_group", "date_input", "time_input", "file_uploader", "chat_input",
}  # fmt: skip
FOLDS = {"expander", "popover", "dialog"}


def inputs(block: Any) -> Iterator[str]:
    """The labels of the inputs in a block that no fold and no other tab hides."""
    for i, child in enumerate(getattr(block, "children", {}).values()):
        if child.type in INPUTS:
            yield getattr(child, "label", "") or child.type
        elif child.type not in FOLDS and not (child.type == "tab" and i):
            yield from inputs(child)


def in_one_place(block: Any, row: bool = False) -> Iterator[list[str]]:
    """The labels of the widgets that stand below each other in a column of the row of parameters."""
    proto = getattr(block, "proto", None)
    row = row or "-knobs-" in str(getattr(proto, "id", ""))
    children = list(getattr(block, "children", {}).values())
    if row and block.type == "column":
        yield [child.label for child in children if getattr(child, "label", "")]
    for child in children:
        if child.type != "popover":
            yield from in_one_place(child, row)


def opened(page: str, language: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = language
    app.switch_page(PAGES[page]).run()
    assert not app.exception
    assert not app.error
    assert app.title, "a page has a title"
    assert all(len(labels) < 2 for labels in in_one_place(app._tree)), "the row of parameters is one row"
    assert len(shown := list(inputs(app.main))) <= 8, shown
    if (path := PAGES[page].removeprefix("pages/").removesuffix("/page.py")) in LISTS:
        hold_opening(path, language, app)
    return app


def texts(app: AppTest, drawn: list[Any]) -> Iterator[str]:
    tables = [json.loads(table.value.to_json()) for table in app.dataframe if "synonyms" not in table.value]
    for text in strings([list(protos(app._tree)), drawn, tables]):
        if text not in ("Language / 语言", "中文") and not any(known in text for known in CHARACTERS):
            for question in GLOSSED:  # a question of the other language is followed by a line in the reader's
                text = text.replace(question, "")
            yield text


@pytest.mark.parametrize("page", spread(sorted(PAGES, key="evaluate".__eq__), len(PAGES) // 3))
def test_a_page_in_english_shows_no_chinese_and_a_second_run_writes_no_value(page: str, drawn: list[Any]) -> None:
    app = opened(page, "en")
    found = [text for text in texts(app, drawn) if HAN.search(text)]
    assert not found or page in BOTH, found[:5]
    app.run()  # a value that is written would overwrite what a visitor types meanwhile
    kinds = app.text_input, app.text_area, app.slider, app.number_input, app.selectbox, app.toggle, app.multiselect
    assert [w.key for kind in (*kinds, app.button_group) for w in kind if w.proto.set_value] == []


@pytest.mark.parametrize("page", spread(sorted(PAGES), len(PAGES) // 3))
def test_a_page_in_chinese_shows_no_english_sentence(page: str, drawn: list[Any]) -> None:
    app = opened(page, "zh")
    assert [head for head in heads(app) if re.fullmatch("[a-z]{3,}", head)] == []
    read = list(texts(app, drawn))
    found = {m[0] for text in read for m in SENTENCE.finditer(CODE.sub(" ", text))}
    assert not found, sorted(found)[:5]
    mixed = mixed_signs(read)
    assert not mixed or page in SEARCHED, sorted(mixed)[:5]


def heads(app: AppTest) -> Iterator[str]:
    """The heads of the tables of a page."""
    for table in app.dataframe:
        shown = json.loads(table.proto.columns or "{}")
        yield from (shown.get(name, {}).get("label") or str(name) for name in table.value.columns)


def mixed_signs(read: Iterable[str]) -> set[str]:
    """The places at which a half-width sign or a blank is between Chinese characters."""
    return {m[0] for text in read for m in HALF.finditer(WORDS.sub("0", CODE.sub("0", text)))}


@pytest.fixture
def chinese() -> Iterator[None]:
    """The language of what is made outside a visit."""
    before = i18n._SPOKEN.set("zh")
    yield
    i18n._SPOKEN.reset(before)


OFFERED = ("best", "hybrid", "diverse", "reworded", "integration", "ragflow-complete")
"""Presets that need no download and find something for the question of the test."""


@pytest.mark.usefixtures("chinese")
def test_an_export_in_chinese_has_neither_english_heads_nor_half_width_signs() -> None:
    run = Runner(samples.load("handbook").corpus)
    searches = {"BM25": BM25(), "向量": Vector(), "融合": RRF()(BM25(), Vector())}
    searches |= {preset.label["zh"]: preset.search for preset in presets().values() if preset.name in OFFERED}
    rankings = [run(search, "请假要谁批") for search in searches.values()]
    rows = [*csv.reader(io.StringIO(export.csv(rankings, [*searches])))]
    tried = {
        "try": 1,
        "time": "",
        "corpus": "员工手册",
        "question": "请假要谁批",
        "changed": "",
        "measure": "",
        "questions": 0,
    }
    tried |= {"note": "", "baseline": False, "searches": [{"search": "BM25", "expression": "", "value": None}]}
    rows[0] += trying.as_file([tried], "CSV").partition("\n")[0].strip("\ufeff\r").split(",")
    heads, lists, why = rows[0], {row[0] for row in rows[1:]}, {row[rows[0].index("得分项")] for row in rows[1:]}
    assert [head for head in heads if not HAN.search(head)] == []
    assert lists == set(searches)
    assert [text for text in why if not HAN.search(text)] == [], "components of a score have Chinese names"
    signs = [line for line in export.markdown(rankings, [*searches]).splitlines() if not line.startswith("|")]
    assert mixed_signs([*heads, *lists, *why, *signs]) == set()


@pytest.mark.usefixtures("chinese")
def test_the_sentences_in_files_for_programs_are_chinese() -> None:
    """Keys, ids, codes, expressions and rows with blanks or tabs are a program's; every other text is the reader's."""
    own = samples.load("handbook")
    run, asked = Runner(Corpus("few", own.corpus.documents[:30])), "请假要谁批"
    lists = [run(BM25() % 9 >> stage, asked) for stage in (EmbeddingsFilter(k=3), MMR(k=3))]
    answers = [answer(run, BM25(), text) for text in ("护理假多少天，生育津贴由谁支付", "员工持股计划的行权价是多少")]
    assert [x.says for x in answers] == [True, False]
    files = [json.loads(export.as_json(lists, ["过滤", "多样化"]))]
    files += [json.loads(escape.as_json(x.to_dict())) for x in answers]
    routes = (Destination("人事", BM25(), examples=(asked, "年假几天")), Destination("财务", Vector()))
    files.append(tomllib.loads(formats.to_toml(Route(CollectionRouter(), routes))))
    files += [json.loads(line) for line in queries_text(own.queries).splitlines()]
    few = replace(own, queries=own.queries[:9])
    files += csv.reader(io.StringIO(WRITERS["quepid"][0](few)))
    files += [json.loads(WRITERS[name][0](few, say=i18n.say)) for name in ("opensearch", "opensearch-queries")]
    files += [json.loads(WRITERS["quepid-json"][0](few))]
    files += [line.split() for line in export.trec("q", lists, ["过滤", "多样化"]).splitlines()]
    held = [
        dialogue.Held(q, cast("Told", Contextual(as_of="2026-05-01").rewrite(q, own.corpus).evidence), (), (), "rule")
        for q in (
            Query("难道没有年假吗？去年呢？", turns=(Turn("病假有几天"),)),
            Query("年假和病假哪个长？"),
        )
    ]
    files.append(json.loads(dialogue.as_json(held)))
    data = {x for d in own.corpus for x in (d.title, d.text)} | {query.text for query in own.queries}
    read = [text for text in strings(files) if text not in data]
    assert {m[0] for text in read for m in SENTENCE.finditer(text)} == set()
    assert mixed_signs([*read, answers[0].to_markdown()]) == set()


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("stage", spread([stage for stage in course() if "zh" in stage.lessons], 1))
def test_a_handout_in_chinese_has_no_half_width_sign(stage: Any) -> None:
    told = stage.lessons["zh"]
    seen = parts.seen(told, samples.load(told.lesson.partition("/")[0]))
    blocks = handout.blocks([("一", seen)], "课程")
    assert mixed_signs(strings([what for kind, what in blocks if kind not in ("picture", "code")])) == set()


def test_questions_of_the_readers_language_are_suggested_first(monkeypatch: pytest.MonkeyPatch) -> None:
    own = samples.load("devices")
    f = frame.Frame(own, BuiltIn())
    for spoken in ("en", "zh"):
        monkeypatch.setattr(questions, "language", lambda spoken=spoken: spoken)
        scripts = [script(text) for text in questions.offered(f)]
        other = [i for i, found in enumerate(scripts) if found not in (spoken, "other", "")]
        assert other == list(range(len(scripts) - len(other), len(scripts)))
        assert len(scripts) == len(own.queries)


# ------------------------------------------------------------------------------------------------- lessons

TEACHING = sorted({lesson.page for name in samples.names() for lesson in lessons.read(samples.folder(name))})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_has_three_lessons_in_each_language_on_a_corpus_of_that_language(language: str) -> None:
    spoken = {"en": ("staff", "devices"), "zh": ("handbook", "devices")}[language]
    found = dict.fromkeys(TEACHING, 0)
    for name in spoken:
        for lesson in lessons.read(samples.folder(name)):
            found[lesson.page] += script(lesson.query) in (language, "other", "")
    assert {page: n for page, n in found.items() if n < 3} == {}, f"their questions are in {language}, on {spoken}"


def test_every_step_of_the_course_plays_on_a_corpus_of_its_language() -> None:
    for stage in course():
        for language, told in stage.lessons.items():
            name, _, key = told.lesson.partition("/")
            assert name == {"en": "staff", "zh": "handbook"}[language]
            lesson = next(x for x in lessons.read(samples.folder(name)) if x.id == key)
            assert script(lesson.query) in (language, "other", ""), lesson.id


# ------------------------------------------------------------------------------------------------- glosses


@pytest.mark.parametrize("name", samples.names())
def test_what_is_in_the_other_language_has_a_line_in_the_readers(name: str) -> None:
    own = samples.load(name)
    asked = [q.text for q in own.queries]
    told = {lesson.query for lesson in lessons.read(samples.folder(name))}
    turns = [turn.text for conversation in own.conversations for turn in conversation.turns]
    turns += [turn for lesson in lessons.read(samples.folder(name)) for turn in lesson.turns]
    for spoken, other in (("en", "zh"), ("zh", "en")):
        lines = samples.glosses(name, other)
        passages = {d.id for d in own.corpus if script(d.title + " " + d.text) == spoken}
        questions_ = {text for text in [*asked, *turns, *told] if script(text) == spoken}
        unknown = [known for known in lines if known not in passages | questions_]
        assert not unknown, "they name what is not there"
        words = [text for text in questions_ if re.search(r"[a-z]{3,} [a-z]{2,}|[一-鿿]", text) and text not in lines]
        assert passages <= lines.keys()
        assert not words, "write a line of glosses.jsonl for each, beside the lessons"


def test_a_gloss_is_shown_to_who_reads_the_other_language_and_only_under_the_sample_s_own_passage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passage = samples.load("handbook").corpus.documents[0]
    monkeypatch.setattr(gloss, "language", lambda: "en")
    assert "Annual leave" in gloss.for_document(passage)
    assert gloss.for_document(replace(passage, text="of the visitor's own")) == ""
    assert gloss.for_question("会议室怎么预订") == "how do I book a meeting room"
    assert gloss.for_question("nobody asked this") == ""
    monkeypatch.setattr(gloss, "language", lambda: "zh")
    assert gloss.for_document(passage) == ""
    assert gloss.for_document(samples.load("staff").corpus.documents[0])
