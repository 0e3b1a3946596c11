"""The lab runs without any pack and says which one a link needs; a stranger's pack is one folder."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from places import PACKS, PAGES, ROOT

from lab import catalog, cli, engine, lessons, packs, presets
from lab.algebra import Corpus
from lab.corpus import samples
from lab.errors import CorpusError, ModelError
from lab.models.embedders import neural_model
from lab.ui import i18n, navigation
from lab.ui.layout import guide


def run(code: str, *folders: Path) -> Any:
    """Runs a program beside the lab; returns what it writes as JSON on its last line."""
    path = os.pathsep.join(map(str, (*folders, ROOT, ROOT / "tests")))
    command = [sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": path}
    ended = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


OPENED = """
import json, logging, sys
logging.getLogger("streamlit").setLevel("CRITICAL")
import app_pages
from streamlit.testing.v1 import AppTest, app_test

def opened(page, **link):
    app = AppTest.from_file("app.py", default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    app._page_hash = app_test.calc_hash(page)
    app.run()
    assert not app.exception, app.exception
    return app
"""
WITHOUT = f"""
import os, sys
sys.modules["lab_packs"] = None  # as if there were none
os.environ["LAB_MILVUS_URI"] = "lab.db"
{OPENED}
import base64, contextlib, io, zlib
from lab import BM25, cli, formats, packs
from lab.ui import navigation

page = opened("compare", lang="en")
links = {{
    name: [opened(name, lang=lang, **{{f"{{name}}.x": "1"}}).warning[0].value for lang in ("en", "zh")]
    for name in packs.PACKS
}}
milvus, neural = [page.sidebar.error[0].value], []
for link in ({{"lists": "bm25,milvusbm25"}}, {{"milvusvector.kind": "FLAT"}}):
    milvus.append(opened("compare", lang="en", **{{f"compare.{{k}}": v for k, v in link.items()}}).warning[0].value)
milvus.append(opened("compare", lang="en", corpus="milvus:devices").warning[0].value)
for link in ({{"embedder": "e5-small"}}, {{"compare.embedders": "built-in,e5-small"}}):
    neural.append(opened("compare", lang="en", **link).warning[0].value)
for words in ("--retriever vector:embedder=e5-small", "--retriever Vector(E5Small())", "--pipeline best-neural"):
    with contextlib.redirect_stderr(io.StringIO()) as heard:
        assert cli.main(["search", *words.split(maxsplit=1), "--corpus", "devices", "y"]) == 2
    neural.append(heard.getvalue().splitlines()[-1])
inside = [opened("compare", lang="en", **{{"compare.lists": "bm25,compressed"}}).warning[0].value]
with contextlib.redirect_stderr(io.StringIO()) as heard:
    assert cli.main(["search", "--retriever", "Compressed(kind='pq')", "--corpus", "devices", "y"]) == 2
inside.append(heard.getvalue().splitlines()[-1])
classroom = [
    opened("course", lang="en", **link).warning[0].value
    for link in ({{"course.class": "x"}}, {{"join": "123456"}}, {{"evaluate.tab": "class"}})
]
course = opened("course", lang="en", **{{"course.step": "2"}})
home = opened("home", lang="en", q="join the class")
unasked = [box.value for app in (course, home) for box in app.warning]
doors = [b.label for app in (course, home) for b in app.button]
doors += [box.proto.popover.label for box in course.get("popover")]
rerank = opened("rerank", lang="en")
buttons = [b.label for b in rerank.button]
toml = formats.to_toml(BM25()).replace("BM25", "MilvusBM25")
packed = base64.urlsafe_b64encode(zlib.compress(toml.encode(), 9)).decode().rstrip("=")
for text in (toml, packed, "RRF()(BM25(), MilvusVector(kind='FLAT'))"):
    try:
        formats.read(text)
    except Exception as error:
        milvus.append(str(error))
for words in (
    "index --data x",
    "search --engine milvus --corpus x y",
    "search --corpus milvus:x y",
    "search --corpus devices --retriever milvus-vector y",
):
    with contextlib.redirect_stderr(io.StringIO()) as heard:
        assert cli.main(words.split()) == 2
    milvus.append(heard.getvalue().splitlines()[-1])
try:
    status = cli.main(["--help"])
except SystemExit as ended:
    status = ended.code
pages = [listed.name for listed in navigation.every()]
seen = {{"title": page.title[0].value, "links": links, "milvus": milvus, "status": status or 0, "pages": pages}}
seen["inside"] = inside
seen |= {{"e5": neural, "buttons": buttons, "classroom": classroom, "doors": doors, "unasked": unasked}}
print(json.dumps(seen))
"""


def test_without_any_pack_the_lab_starts_and_a_link_says_which_one_it_needs() -> None:
    seen = run(WITHOUT)
    assert (seen["title"], seen["status"]) == ("Compare", 0)
    assert seen["pages"] == [page.name for page in navigation.every() if page.name not in packs.PACKS]
    for pack, times in (("milvus", 11), ("e5", 5), ("classroom", 3), ("inside", 2)):
        assert [text for text in seen[pack] if f"needs the pack “{pack}”" not in text] == []
        assert len(seen[pack]) == times
    assert "Best offline pipeline" in seen["buttons"]
    assert "With a neural model" not in seen["buttons"]
    assert {"Handout", "Next step"} <= set(seen["doors"])
    assert [label for label in seen["doors"] if "class" in label.casefold()] == []
    assert seen["unasked"] == [], "a question with these words is no link to a class"
    assert seen["links"].keys() == packs.PACKS.keys()
    for page, (english, chinese) in seen["links"].items():
        assert f"needs the pack “{packs.PACKS[page]}”" in english
        assert f"需要扩展包“{packs.PACKS[page]}”" in chinese


@pytest.mark.skipif(bool(packs.missing()), reason="packs are left out")
def test_every_page_is_listed_and_that_of_a_pack_is_known_without_it() -> None:
    assert sorted(page.folder / "page.py" for page in navigation.every()) == PAGES
    brought = {file.parent.name: file.parts[-5] for file in PAGES if file.parts[-6] == "lab_packs"}
    assert brought == packs.PACKS, "a link to a page of a pack that is left out is explained"


def test_every_folder_of_a_pack_is_named_in_pyproject() -> None:
    kinds = ("operators", "pages", "formats", "lessons", "views", "readings")
    named = {
        entry.module.split(".")[1]
        for kind in kinds
        for entry in packs.entries(kind)
        if entry.value.startswith(packs.OURS)
    }
    assert named == {pack.name for pack in PACKS}


def test_a_folder_in_which_only_compiled_files_are_left_is_no_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab_packs = pytest.importorskip("lab_packs")
    monkeypatch.setattr(lab_packs, "__path__", [*lab_packs.__path__, str(tmp_path)])
    (tmp_path / "emptied/__pycache__").mkdir(parents=True)
    entry = EntryPoint("emptied", "lab_packs.emptied.pages", packs.GROUP + "pages")
    assert not packs._is_there(entry)
    (tmp_path / "emptied/__init__.py").write_text("")
    assert packs._is_there(entry)


@pytest.fixture(autouse=True)
def _no_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "PROBLEMS", {})


@pytest.mark.parametrize("read", [packs.pages, engine.installed])
def test_a_part_of_a_pack_that_cannot_be_loaded_is_logged_named_and_left_out(
    read: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = [EntryPoint("bad", "no_such_pack.part", "x"), EntryPoint("odd", "json:ODD", "x")]
    monkeypatch.setattr(packs, "entries", lambda kind: broken)
    with caplog.at_level(logging.ERROR):
        assert not read.__wrapped__()
    assert [record.getMessage() for record in caplog.records] == [
        f"{name} of a pack cannot be loaded" for name in ("no_such_pack.part", "json:ODD")
    ]
    assert [problem.plugin for problem in packs.PROBLEMS.values()] == ["no_such_pack.part", "json:ODD"]
    assert packs.catalogues("zh") == []


@pytest.mark.parametrize("module", ["lab_packs.inside.compressed", "lab_packs.milvus.searches"])
def test_techniques_of_a_pack_that_cannot_be_loaded_are_named_and_the_others_are_there(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    rooms = ("lab.fuse", module)
    assert "RRF" in catalog._operators_in.__wrapped__(rooms)
    assert list(packs.PROBLEMS) == [module]


@pytest.mark.parametrize("value", ["my-pack.part", "acme letters", ""])
def test_an_entry_point_that_names_no_module_is_named_and_the_rest_is_there(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = EntryPoint("good", "lab_packs.inside.lessons", "x")
    monkeypatch.setattr(packs, "entries", lambda kind: [EntryPoint("bad", value, "x"), good])
    assert packs.catalogues("zh")
    assert packs.lessons(samples.folder("devices"))
    assert list(packs.PROBLEMS) == [value]


def test_an_engine_that_cannot_be_loaded_is_named_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "entries", lambda kind: [EntryPoint("milvus", "json:ODD", "x")])
    monkeypatch.setattr(engine, "installed", engine.installed.__wrapped__)
    with pytest.raises(CorpusError, match="“json:ODD” of a pack cannot be loaded: AttributeError"):
        engine.open_corpus("milvus:x")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("presets.toml", "[[preset"),
        ("presets.toml", '[[preset]]\nname = "mine"\nsearch = { type = "NoSuch" }\nlabel = {}\ntitle = {}\n'),
        ("locale/zh/LC_MESSAGES/deep.po", "hello"),
        ("locale/zh/LC_MESSAGES/deep.po", 'msgid "a"\nmsgstr "\xff"\n'),
        ("locale/zh/LC_MESSAGES/deep.po", 'msgid "{a} letters"\nmsgstr "{b} x"\n'),
        ("locale/zh/LC_MESSAGES/deep.po", 'msgid "{a} letters"\nmsgstr "{a x"\n'),
        ("guides/retrieve/compare/guide.zh.md", "\xff"),
        ("lessons/devices/lessons.toml", "[[lesson]]\npage = 'compare'\n?"),
        ("lessons/devices/glosses.jsonl", "{"),
    ],
)
def test_a_file_of_a_pack_that_cannot_be_read_is_named_and_the_rest_is_there(
    path: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "acme_broken" / path
    file.parent.mkdir(parents=True)
    (tmp_path / "acme_broken/__init__.py").touch()
    file.write_bytes(text.encode("latin-1"))
    monkeypatch.syspath_prepend(tmp_path)
    views = [EntryPoint("broken", "acme_broken", "x")]
    monkeypatch.setattr(packs, "entries", lambda kind: views if kind == "views" else [])
    monkeypatch.setattr(packs, "lessons", lambda corpus: [tmp_path / "acme_broken/lessons/devices"])
    assert next(iter(presets.presets.__wrapped__())) == "best"
    assert i18n.catalogue.__wrapped__("zh")["Guide"]
    assert guide._text.__wrapped__("compare", "zh")
    assert lessons.read(samples.folder("devices"), page="compare", checked=False)
    assert samples.glosses.__wrapped__("devices", "zh")
    assert list(packs.PROBLEMS) == [str(file)]


def test_a_command_that_cannot_be_loaded_is_logged_and_the_others_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad = EntryPoint("bad", "no_such_pack.command:add", packs.GROUP + "commands")
    every = packs.entries
    monkeypatch.setattr(packs, "entries", lambda kind: [*every(kind), *[bad] * (kind == "commands")])
    with caplog.at_level(logging.ERROR):
        assert cli.main(["techniques", "bm25"]) == 0
    assert "no_such_pack.command:add of a pack cannot be loaded" in caplog.text


@pytest.mark.parametrize("module", ["acme_one.pages", "acme_two.search.grams", "acme_three"])
def test_the_chinese_of_a_pack_is_found_wherever_in_it_its_modules_are(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / module.split(".")[0]
    catalogue = home / "locale/zh/LC_MESSAGES/deep.po"
    for file in (home / "__init__.py", home / "search/__init__.py", catalogue):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(packs, "entries", lambda kind: [EntryPoint("deep", module, kind)])
    assert packs.catalogues("zh") == [catalogue]


def test_the_questions_of_a_pack_s_lessons_may_be_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "glosses.jsonl").write_text('{"question": "wirless", "zh": "无线"}\n', "utf-8")
    monkeypatch.setattr(packs, "lessons", lambda corpus: [tmp_path])
    lines = samples.glosses.__wrapped__("devices", "zh")
    assert (lines["wirless"], lines["dv-001"]) == ("无线", samples.glosses("devices", "zh")["dv-001"])


def test_a_neural_model_that_cannot_be_loaded_is_logged_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(packs, "entries", lambda kind: [EntryPoint("bad", "no_such_pack.neural:Model", kind)])
    with caplog.at_level(logging.ERROR), pytest.raises(ModelError, match="needs the pack “e5”"):
        neural_model.__wrapped__().fit(Corpus("c", ()))
    assert [record.getMessage() for record in caplog.records] == [
        "no_such_pack.neural:Model of a pack cannot be loaded"
    ]


def test_a_page_without_a_file_or_whose_name_is_taken_is_left_out_and_one_of_no_section_is_last(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = navigation.every()
    for path in ("retrieve/fusion", "query/extra", "elsewhere/extra2"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "page.py").touch()
    for path in ("retrieve/fusion", "query/no_file"):
        navigation._add(packs.Listed(path, "merge", "Another", "", within=tmp_path))
        assert f"{tmp_path / path} is left out: there is no page.py in it, or another page has its name" in caplog.text
    assert navigation.every() == before
    for path in ("query/extra", "elsewhere/extra2"):
        navigation._add(packs.Listed(path, "merge", "Extra", "", within=tmp_path))
    names = [page.name for page in navigation.every()]
    assert names[names.index("compare") - 1] == "extra"
    assert names[-1] == "extra2"
    for *_how, pages in navigation.PATH:
        pages[:] = [page for page in pages if page in before]
