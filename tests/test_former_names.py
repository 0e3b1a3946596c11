"""What was written before something was renamed gives the same search: files, expressions, links and lessons."""

from __future__ import annotations

import base64
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from night import for_each

from lab import catalog, formats, former_names, lessons
from lab.algebra import Pipeline
from lab.corpus import samples
from lab.errors import ParameterError, PipelineError
from lab.evaluate.sweeping import axis
from lab.fuse import RRF
from lab.refine.coverage import QueryCoverage
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.routing import CollectionRouter, Destination
from lab.ui import address

ROOT = Path(__file__).parents[1]
CLASSES: dict[str, type[Any]] = {**catalog.operators(), **catalog.specifications()}
SEARCH = RRF()(BM25(variant="no-log-idf"), Vector(), depth=40) >> QueryCoverage(weight=0.4) >> MMR(0.3, k=5)
RENAMED = {
    "TermOverlap": "QueryCoverage",
    "MMR.balance": "MMR.lambda_mult",
    "BM25.variant=odds": "BM25.variant=no-log-idf",
    "Pipeline.lists": "Pipeline.retrieve",
    "Pipeline.deep": "Pipeline.depth",
}
"""Renamings that might have been: nothing was ever called what is on the left."""


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former_names, "FORMER_NAMES", RENAMED)


def last(name: str) -> str:
    """Returns the word of a name that stands in a file: MMR.lambda_mult -> lambda_mult."""
    return re.split("[.=]", name)[-1]


def yesterday(text: str, table: Mapping[str, str] = RENAMED) -> str:
    """Returns a text of today as it was written before these renamings."""
    for old, new in table.items():
        for now, then in {last(new): last(old), last(new).lower(): last(old).lower()}.items():
            text = re.sub(rf"(?<![\w-]){re.escape(now)}(?![\w-])", then, text)
    return text


def packed(file: str) -> str:
    return base64.urlsafe_b64encode(zlib.compress(file.encode("utf-8"), 9)).decode("ascii").rstrip("=")


# ------------------------------------------------------------------------------------------------ the table


def test_every_former_name_leads_to_what_is_there_today_and_is_no_name_any_more() -> None:
    check(former_names.FORMER_NAMES)


def test_a_table_that_leads_nowhere_is_found_out() -> None:
    check(RENAMED)
    for old, new in (
        ("Overlap", "Nothing"),
        ("MMR", "QueryCoverage"),
        ("MMR.x", "MMR.y"),
        ("MMR.k", "MMR.lambda_mult"),
        ("BM25.x", "MMR.lambda_mult"),
        ("BM25.variant=x", "BM25.variant=y"),
        ("BM25.variant=okapi", "BM25.variant=no-log-idf"),
    ):
        with pytest.raises(AssertionError):
            check({old: new})
    with pytest.raises(AssertionError):
        check({"A": "B", "B": "MMR"})


def check(table: Mapping[str, str]) -> None:
    """Holds every line of a table of former names against today's."""
    assert not set(table) & set(table.values()), "name what is there today"
    for old, new in table.items():
        if not old[0].isupper():  # which parameters a link has is seen when its page is drawn
            assert old != new
            continue
        (cls, knob, choice), before = (*re.split("[.=]", new), "", "")[:3], re.split("[.=]", old)
        assert cls in CLASSES, f"there is no {new}"
        if not knob:
            assert catalog.plain(old) not in map(catalog.plain, CLASSES), f"{old} is the name of a class"
            continue
        fields = {f.name: f for f in dataclasses.fields(CLASSES[cls])}
        assert knob in fields, f"there is no {new}"
        assert before[:-1] == re.split("[.=]", new)[:-1], f"{old} and {new} are names of different things"
        names = (fields[knob].metadata["choices"] or ()) if choice else fields
        assert last(new) in names, f"there is no {new}"
        assert last(old) not in names, f"there is {old}"


# ------------------------------------------------------------------------------------- files and expressions


@pytest.mark.usefixtures("renamed")
def test_a_file_a_link_and_an_expression_of_yesterday_give_the_same_search() -> None:
    file, expression = yesterday(formats.to_toml(SEARCH)), yesterday(formats.expression(SEARCH))
    for name in map(last, RENAMED):
        assert name in file
        assert name in expression or name == "lists"
    assert formats.from_toml(file) == formats.read(file) == SEARCH
    assert formats.from_link(packed(file)) == formats.read(packed(file)) == SEARCH
    assert formats.parse(expression) == formats.read(expression) == SEARCH
    assert formats.to_toml(formats.from_toml(file)) == formats.to_toml(SEARCH), "written back with today's names"


@pytest.mark.usefixtures("renamed")
def test_former_names_are_known_however_deep_they_stand_and_however_they_are_spelled() -> None:
    assert formats.parse("Fallback(RRF()(BM25(), Vector(), deep=40) >> term_overlap(0.4), Vector())") == formats.parse(
        "Fallback(RRF()(BM25(), Vector(), depth=40) >> QueryCoverage(0.4), Vector())"
    )
    assert formats.build("term-overlap:weight=0.4") == QueryCoverage(weight=0.4)
    assert formats.parse("bm25:variant=odds") == BM25(variant="no-log-idf")
    routed = 'type = "Route"\nrouter = "CollectionRouter"\nroutes = [{ name = "a", search = { lists = ["bm25"] } }]'
    assert formats.from_toml(f"format = 1\n{routed}").routes == (Destination("a", Pipeline((BM25(),))),)  # type: ignore[attr-defined]


@pytest.mark.usefixtures("renamed")
def test_what_is_given_under_both_names_is_refused_with_its_line() -> None:
    text = 'format = 1\nretrieve = ["bm25"]\n[[refine]]\ntype = "MMR"\nbalance = 0.3\nlambda_mult = 0.4'
    with pytest.raises(PipelineError, match="Line 5, refine.0.balance: MMR has no parameter “balance”"):
        formats.from_toml(text)
    with pytest.raises(PipelineError, match="MMR has no parameter “balance”"):
        formats.parse("BM25() >> MMR(0.3, balance=0.4)")


@pytest.mark.usefixtures("renamed")
def test_the_former_name_of_one_class_is_none_of_another() -> None:
    for text in ("BM25(balance=0.3)", "TFIDF(variant='odds')", "BM25() >> Odds()"):
        with pytest.raises(PipelineError):
            formats.parse(text)


@pytest.mark.usefixtures("renamed")
def test_a_parameter_that_is_inherited_is_renamed_with_that_of_its_class() -> None:
    narrow = type("Narrow", (MMR,), {})
    assert former_names.present_knob(narrow, "balance") == "lambda_mult"
    assert former_names.present_knob(QueryCoverage, "balance") == "balance"


@for_each("name", sorted(CLASSES))
def test_any_class_parameter_and_choice_can_be_renamed(name: str) -> None:
    cls = CLASSES[name]
    examples: dict[str, dict[str, Any]] = {
        "Adapter": {"name": "x", "title": (), "prompts": ()},
        "Destination": {"name": "x", "search": BM25()},
        "Fallback": {"first": BM25(), "then": Vector()},
        "Pipeline": {"retrieve": (BM25(),)},
        "Selective": {"first": BM25(), "then": Vector()},
        "Route": {"router": CollectionRouter(), "routes": (Destination("x", BM25()),)},
    }
    needed = examples.get(name, {})
    for f in (f for f in dataclasses.fields(cls) if f.init):
        words = tuple(f.metadata.get("choices") or ())
        table = {f"Former{name}": name, f"{name}.former_{f.name}": f"{name}.{f.name}"}
        table |= {f"{name}.{f.name}=former-{word}": f"{name}.{f.name}={word}" for word in words}
        given = {**needed, f.name: needed.get(f.name, catalog.default(f))}
        if given[f.name] is None:  # left open: it is not written
            continue
        before = {f"former_{key}" if key == f.name else key: value for key, value in given.items()}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(former_names, "FORMER_NAMES", table)
            assert catalog.among(CLASSES, "operator", f"former-{name}") is cls
            assert catalog.make(cls, before) == catalog.make(cls, given)
            for word in words:
                old = catalog.make(cls, {**needed, f"former_{f.name}": f"former-{word}"})
                assert old == catalog.make(cls, {**needed, f.name: word})
                with pytest.raises(ParameterError):
                    catalog.make(cls, {**needed, f.name: f"older-{word}"})


# ------------------------------------------------------------------------------------------- links and lessons

LINKS = {
    "MMR.balance": ("MMR.lambda_mult", {"mmr.mmr.balance": "0.3"}, {"mmr.mmr.lambda_mult": "0.3"}),
    "TermOverlap": (
        "QueryCoverage",
        {"rerank.termoverlap.weight": "0.4", "rerank.depth": "20"},
        {"rerank.querycoverage.weight": "0.4", "rerank.depth": "20"},
    ),
    "BM25.variant=odds": (
        "BM25.variant=no-log-idf",
        {"compare.bm25.variant": "odds", "q": "odds"},
        {"compare.bm25.variant": "no-log-idf", "q": "odds"},
    ),
    "vector_store.scale": (
        "vector_store.chromavector.scale",
        {"vector_store.scale": "unit", "vector_store.scales": "x"},
        {"vector_store.chromavector.scale": "unit", "vector_store.scales": "x"},
    ),
    "rerank.overlap": (
        "rerank.querycoverage",
        {"rerank.overlap.weight": "0.4"},
        {"rerank.querycoverage.weight": "0.4"},
    ),
    "compress.model=1": (
        "compress.model=modelextractor",
        {"compress.model": "1,0"},
        {"compress.model": "modelextractor,0"},
    ),
}


@for_each("old", LINKS)
def test_a_link_of_yesterday_has_today_s_parameters(old: str) -> None:
    new, link, meant = LINKS[old]
    with pytest.MonkeyPatch.context() as patch:
        assert address.translated(link) == link
        patch.setattr(former_names, "FORMER_NAMES", {old: new})
        assert address.translated(link) == meant
        assert address.translated(meant) == meant
        assert address.translated({**link, **meant}) == meant, "what has today's name wins"


@pytest.mark.usefixtures("renamed")
def test_what_widgets_read_are_today_s_words() -> None:
    read = address.choice(["querycoverage", "maxsim", "no-log-idf"])
    assert [read("termoverlap"), read("maxsim"), read("odds")] == ["querycoverage", "maxsim", "no-log-idf"]
    several = address.several(["whole", "beside-querycoverage", "querycoverage"])
    assert several("termoverlap,whole,beside-termoverlap,x") == ["querycoverage", "whole", "beside-querycoverage"]
    with pytest.raises(ValueError):
        address.choice(["maxsim"])("termoverlap")


@pytest.mark.usefixtures("renamed")
def test_a_sweep_finds_a_knob_and_its_values_by_their_former_names() -> None:
    assert axis(SEARCH, "refine.1.balance", "0.1") == axis(SEARCH, "refine.1.lambda_mult", "0.1")
    search = SEARCH.without("refine.0")
    assert axis(search, "retrieve.0.variant", "odds, lucene") == axis(
        search, "retrieve.0.variant", "no-log-idf, lucene"
    )


LESSONS = {
    "QueryCoverages": "QueryCoverage",
    "MMR.balance": "MMR.lambda_mult",
    "BM25.variant=odds": "BM25.variant=no-log-idf",
    "LongContextReorder.way": "LongContextReorder.order",
}


def meaning(lesson: lessons.Lesson) -> lessons.Lesson:
    """Returns a lesson in which the searches that it gives to its page are written with today's names."""

    def present(knobs: Mapping[str, Any]) -> dict[str, Any]:
        texts = {knob for knob, value in knobs.items() if isinstance(value, str) and "(" in value}
        return {k: formats.expression(formats.build(v)) if k in texts else v for k, v in knobs.items()}

    steps = tuple(dataclasses.replace(step, knobs=present(step.knobs)) for step in lesson.steps)
    return dataclasses.replace(lesson, knobs=present(lesson.knobs), steps=steps)


@for_each("corpus", samples.names())
def test_the_lessons_of_yesterday_are_those_of_today(corpus: str, tmp_path: Path) -> None:
    today = before = (samples.folder(corpus) / lessons.FILE).read_text("utf-8")
    for now, then in {
        "QueryCoverage(": "QueryCoverages(",
        "querycoverage.": "querycoverages.",
        "lambda_mult": "balance",
        "no-log-idf": "odds",
        "longcontextreorder.order": "longcontextreorder.way",
    }.items():
        before = before.replace(now, then)
    assert before != today
    folder = tmp_path / corpus
    folder.mkdir()
    (folder / lessons.FILE).write_text(before, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(former_names, "FORMER_NAMES", LESSONS)
        read = list(map(meaning, lessons.read(folder)))
    own = [x for x in lessons.read(samples.folder(corpus)) if f'\nid = "{x.id}"\n' in today]  # the others are of packs
    assert read == list(map(meaning, own))
    assert len(read) > 10


# ----------------------------------------------------------------------------------- a tree that was renamed

RENAMINGS = {
    "TermCoverage": "QueryCoverage",
    "relevance_share": "lambda_mult",
    "plain-idf": "no-log-idf",
}
"""New name to the one that stands in the code today, in the copy of the next test."""
TABLE = """FORMER_NAMES: Mapping[str, str] = {
    "QueryCoverage": "TermCoverage",
    "MMR.lambda_mult": "MMR.relevance_share",
    "BM25.variant=no-log-idf": "BM25.variant=plain-idf",
}
"""
SCRIPT = """
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest, app_test
from lab import formats, lessons, presets
from lab.corpus import samples

assert Path(formats.__file__).is_relative_to(Path.cwd())
for text in Path("yesterday").read_text("utf-8").split("\\f"):
    print(formats.expression(formats.read(text)))
print(len(presets.presets()))
for lesson in lessons.read(samples.folder("devices")):
    if lesson.page == "mmr" or lesson.id == "odds":
        assert all(result.passed for result in lessons.check(lesson, samples.load("devices"))), lesson.id
        print(lesson.id, sorted(lesson.knobs))
for page, link in (
    ("pages/combine/mmr/page.py", {"mmr.mmr.lambda_mult": "0.3"}),
    ("pages/retrieve/compare/page.py", {"compare.bm25.variant": "no-log-idf"}),
    ("pages/refine/rerank/page.py", {"rerank.by": "querycoverage", "rerank.querycoverage.weight": "0.4"}),
):
    app = AppTest.from_file("app.py", default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", **link}.items():
        app.query_params[key] = value
    app._page_hash = app_test.calc_hash(page.split("/")[-2])  # before the first run, pages have the names of files
    app.run()
    assert not app.exception, app.exception
    bar = {key: value for key, value in app.query_params.items() if "." in key}
    print({key: value[0] if isinstance(value, list) else value for key, value in bar.items()})
"""


@pytest.mark.nightly
def test_after_a_renaming_in_the_code_everything_of_yesterday_gives_the_same_search(tmp_path: Path) -> None:
    texts = [formats.to_toml(SEARCH), formats.to_link(SEARCH), formats.expression(SEARCH)]
    for name in ("lab", "pages"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("built_in"))
    (tmp_path / "lab/models/built_in").symlink_to(ROOT / "lab/models/built_in")
    (tmp_path / "sample_corpora").symlink_to(ROOT / "sample_corpora")
    shutil.copy(ROOT / "app.py", tmp_path)
    for path in [*(tmp_path / "lab").rglob("*.py"), *(tmp_path / "pages").rglob("*.py")]:
        text = before = path.read_text("utf-8")
        for new, old in RENAMINGS.items():
            if old in text:
                text = re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, text)
        if text != before:  # what is compiled already holds for the others
            path.write_text(text, "utf-8")
    table = tmp_path / "lab/former_names.py"
    code = table.read_text("utf-8")
    table.write_text(re.sub(r"FORMER_NAMES: Mapping\[str, str\] = .*\n", TABLE, code), "utf-8")
    (tmp_path / "yesterday").write_text("\f".join(texts), "utf-8")
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-3000:]
    lines = told.stdout.splitlines()
    written = formats.expression(SEARCH)
    for new, old in RENAMINGS.items():
        assert old in written
        written = written.replace(old, new)
    assert lines[:3] == [written] * 3
    assert any("mmr.relevance_share" in line for line in lines)
    assert lines[-3:] == [
        str({"mmr.mmr.relevance_share": "0.3"}),
        str({"compare.bm25.variant": "plain-idf"}),
        str({"rerank.by": "termcoverage", "rerank.termcoverage.weight": "0.4"}),
    ]
