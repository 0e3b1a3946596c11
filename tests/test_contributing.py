"""What CONTRIBUTING shows works: its plug-in, and its five steps, followed in a copy of the lab."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from lab import cli, formats
from lab.contracts.__main__ import main as contracts
from lab.reading.read import read_files

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PLUGIN, FORMAT, OPERATOR = "grams.py", "fortune.py", "lab/refine/first_letter.py"
NAVIGATION, LESSONS = "lab/ui/navigation.py", "sample_corpora/devices/lessons.toml"


def blocks() -> dict[str, str]:
    """The code of CONTRIBUTING by the file that its fence names; several of one file are one."""
    found: dict[str, str] = {}
    for block in re.finditer(r"^( *)```\w+ (\S+)\n(.*?)^ *```$", TEXT, re.DOTALL | re.MULTILINE):
        code = textwrap.dedent(block[3])
        found[block[2]] = f"{found[block[2]]}\n{code}" if block[2] in found else code
    return found


CODE = blocks()
PACK = [path for path in CODE if path.startswith("acme/")]
PAGE = next(path for path in CODE if path.startswith("pages/"))
GUIDES = {lang: PAGE.replace("page.py", f"guide.{lang}.md") for lang in ("en", "zh")}
RERANK = "pages/refine/rerank/page.py"
SEARCH = ["search", "--corpus", "devices", "--json", "--retriever"]


def test_every_file_that_is_shown_is_written_here_somewhere():
    texts = {path for path in CODE if path.endswith(".po")}
    assert set(CODE) == {PLUGIN, FORMAT, OPERATOR, PAGE, NAVIGATION, LESSONS, *PACK, *texts}
    assert {Path(path).name for path in texts} == {"library.po", "ui.po"}


def test_the_search_that_contributing_shows_can_be_read():
    shown = re.search(r"`(RRF\(\)\(.*?)`", TEXT)
    assert shown is not None
    search = formats.parse(shown[1])
    assert formats.expression(search) == "RRF()(BM25(), Vector()) >> MaxSim(weight=0.4) >> MMR(k=8)"


# ---------------------------------------------------------------------------------------------------- the plug-in


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / PLUGIN
    path.write_text(CODE[PLUGIN], "utf-8")
    return path


def test_the_plug_in_keeps_the_laws_and_is_short(plugin: Path, capsys: pytest.CaptureFixture[str]):
    assert contracts([str(plugin)]) == 0
    assert re.fullmatch(r"CharGrams: \d+ laws kept\n", capsys.readouterr().out)
    code = [line for line in CODE[PLUGIN].splitlines() if line.strip() and '"""' not in line]
    assert len(code) <= 32


def test_the_plug_in_finds_what_is_misspelt(plugin: Path, capsys: pytest.CaptureFixture[str]):
    def found(retriever: str) -> list[str]:
        assert cli.main([*SEARCH, retriever, "--plugin", str(plugin), "wirless"]) == 0
        return [hit["id"] for hit in json.loads(capsys.readouterr().out)["hits"]]

    assert not found("BM25")
    assert found("CharGrams(size=4)")


def test_the_format_that_is_shown_is_read_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    path, sayings = tmp_path / FORMAT, tmp_path / "sayings.fortune"
    path.write_text(CODE[FORMAT], "utf-8")
    sayings.write_text("A watched pot never boils.\n%\nStill waters run deep.\n%\nHaste makes waste.\n", "utf-8")
    words = ["search", "--corpus", str(sayings), "--retriever", "BM25", "--json", "haste"]
    assert cli.main([*words, "--plugin", str(path)]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert [hit["id"] for hit in hits] == ["sayings.fortune/3"]
    sayings.write_text("Haste makes waste.\n", "utf-8")
    assert cli.main([*words, "--plugin", str(path)]) == 2
    refusal = "retrieval-lab: “sayings.fortune” has no line “%”. Write one between two sayings.\n"
    assert capsys.readouterr().err == refusal
    assert cli.main(words) == 0
    assert [hit["id"] for hit in json.loads(capsys.readouterr().out)["hits"]] == ["sayings.fortune"]
    sayings.write_text("Still waters run deep.\n%\nHaste makes waste.\n%\nAll is well.\n", "utf-8")
    monkeypatch.setenv("LAB_PLUGINS", str(path))
    assert len(read_files([("a.txt", sayings.read_bytes()), ("b.txt", b"% of %\n")])) == 4
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert len(read_files([("a.txt", sayings.read_bytes())])) == 1


# ------------------------------------------------------------------------------------------------ the pack


def ran(lab: Path, words: Sequence[str], *packs: Path) -> str:
    """What a command says in the lab, beside packs; it must succeed."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*packs, lab)))}
    made = subprocess.run(
        [sys.executable, *words], cwd=lab, env=env, capture_output=True, text=True, timeout=400, check=False
    )
    assert made.returncode == 0, made.stdout[-4000:] + made.stderr[-4000:]
    return made.stdout


def test_operator_page_lesson_and_words_come_in_one_folder(tmp_path: Path):
    home, info = tmp_path / "acme_letters", tmp_path / "acme_letters-1.dist-info"
    catalogue = "locale/zh/LC_MESSAGES/letters.po"
    texts = "\n".join(CODE[path] for path in CODE if path.endswith(".po"))
    files = {"__init__.py": "", "first_letter.py": CODE[OPERATOR], "lessons/devices/lessons.toml": CODE[LESSONS]}
    files |= {PAGE: CODE[PAGE].replace("lab.refine.first_letter", "acme_letters.first_letter"), catalogue: texts}
    files |= dict.fromkeys(GUIDES.values(), "### Letters\n") | {FORMAT: CODE[FORMAT]}
    files |= {path.removeprefix("acme/acme_letters/"): CODE[path] for path in PACK[1:]}
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, "utf-8")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-letters\nVersion: 1\n")
    groups = tomllib.loads(CODE[PACK[0]])["project"]["entry-points"]
    rows = (f"[{group}]\n{name} = {value}\n" for group, named in groups.items() for name, value in named.items())
    (info / "entry_points.txt").write_text("".join(rows))
    check_seen(ran(ROOT, ["-c", SEEN + TESTED, RERANK, PAGE], tmp_path))


# ------------------------------------------------------------------------------------------------ the five steps


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the lab in which somebody has followed CONTRIBUTING to the letter."""
    folder = tmp_path_factory.mktemp("lab")
    leave = shutil.ignore_patterns("built_in")
    for name in ("lab", "lab_packs", "pages", "sample_corpora", "tests", ".streamlit"):
        if (ROOT / name).is_dir():  # without any pack, lab_packs is not there
            shutil.copytree(ROOT / name, folder / name, ignore=leave)
    for name in ("app.py", "conftest.py", "pyproject.toml", "CONTRIBUTING.md", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "lab/models/built_in").symlink_to(ROOT / "lab/models/built_in")
    (folder / "benchmarks").symlink_to(ROOT / "benchmarks")
    for path, code in CODE.items():
        if path == NAVIGATION:
            listed = (folder / path).read_text("utf-8")
            last = re.findall(r'^ *Listed\("refine/.*\n', listed, re.MULTILINE)[-1]
            indent = re.match(" *", last)
            assert indent is not None
            (folder / path).write_text(listed.replace(last, last + indent[0] + code), "utf-8")
        elif path not in (PLUGIN, FORMAT, *PACK):
            there = folder / path
            there.parent.mkdir(parents=True, exist_ok=True)
            before = there.read_text("utf-8") + "\n" if there.exists() else ""
            there.write_text(before + code, "utf-8")
    for lang, path in GUIDES.items():
        sentence = {"en": "Titles that begin with the letter come first. ", "zh": "标题以该字母开头的排前面。"}[lang]
        (folder / path).write_text(f"### {sentence}\n" + 40 * sentence, "utf-8")
    return folder


SEEN = """
import json, os, sys
sys.path.insert(0, "tests")
from ui import conftest
import pytest
from streamlit.testing.v1 import AppTest, app_test

conftest.playable(pytest.MonkeyPatch())

def opened(page, **link):
    app = AppTest.from_file(os.path.join(os.getcwd(), "app.py"), default_timeout=120)
    for key, value in {"corpus": "devices", "q": "firmware 3.1.2", **link}.items():
        app.query_params[key] = value
    app._page_hash = app_test.calc_hash(page.split("/")[-2])  # before the first run, pages have the names of files
    app.run()
    assert not app.exception, app.exception
    assert not app.error, app.error
    return app

seen = {}
for lang in ("en", "zh"):
    app = opened(sys.argv[1], lang=lang, **{"rerank.by": "firstletter"})
    by, letter = (next(w for w in found if w.key == key) for found, key in (
        (app.multiselect, "rerank.by"), (app.text_input, "rerank.firstletter.letter")))
    seen[lang] = {"options": by.options, "knob": [letter.label, letter.value, letter.help]}
    app = opened(sys.argv[2], lang=lang)
    knob = next(w for w in app.text_input if w.key == "first_letter.firstletter.letter")
    seen[lang] |= {"title": app.title[0].value, "caption": app.caption[0].value, "page knob": knob.label}
    seen[lang]["guide"] = any(button.key == "first_letter.guide" for button in app.button)
app = opened(sys.argv[1], lang="en", q="")
conftest.play(app, "rerank", "devices/release-notes-begin-with-a")
app.button("rerank.lesson.next").click().run()
assert not app.exception and not app.error
seen["lesson"] = app.session_state["q"], list(app.session_state["rerank.by"])
print("SEEN" + json.dumps(seen))
"""


TESTED = """
from acme_letters.tests import test_letters
from lab.reading import formats
test_letters.test_the_operator_keeps_the_laws()
test_letters.test_the_lessons_are_true()
assert formats.named("fortune")
"""


def check_seen(out: str) -> None:
    seen = json.loads(out.rpartition("SEEN")[2])
    assert "First letter" in seen["en"]["options"]
    assert "首字母" in seen["zh"]["options"]
    assert seen["en"]["knob"] == ["Letter", "a", "Capitals do not count."]
    assert seen["zh"]["knob"] == ["字母", "a", "不区分大小写。"]
    assert seen["en"]["title"] == seen["en"]["page knob"].replace("Letter", "First letter") == "First letter"
    assert seen["zh"]["title"] == "首字母"
    assert seen["en"]["caption"] == "What changes if titles that begin with a letter come first?"
    assert [seen[lang]["guide"] for lang in ("en", "zh")] == [True, True]
    assert seen["lesson"] == ["firmware 3.1.2", ["firstletter"]]


@pytest.mark.nightly
def test_operator_lesson_and_page_are_found_where_contributing_says(copy: Path):
    check_seen(ran(copy, ["-c", SEEN, RERANK, PAGE]))
    words = ["-m", "lab", *SEARCH, "BM25() >> FirstLetter()", "firmware 3.1.2"]
    assert json.loads(ran(copy, words))["hits"][0]["id"] == "dv-027"
    assert ran(copy, ["-c", "from lab import FirstLetter; print(FirstLetter())"]) == "FirstLetter(letter='a')\n"


@pytest.mark.nightly
def test_the_tests_that_contributing_names_hold_in_the_copy(copy: Path):
    tests = {
        "tests/ui/test_i18n.py": "",
        "tests/contracts/test_operator_contract.py": "frozen or knob or survives",
        "tests/contracts/test_stage_contract.py": "FirstLetter",
        "tests/ui/test_knobs.py": "FirstLetter or says_what_it_does",
        "tests/test_lessons.py": "begin-with-a or survives or opens_an_existing",
        "tests/ui/test_lesson_pages.py": "begin-with-a",
        "tests/ui/test_guides.py": "has_a_guide_in_both_languages",
        "tests/test_layers.py": "",
        "tests/test_packs.py": "every_page_is_listed",
    }
    for path, chosen in tests.items():
        words = ["-m", "pytest", path, "-n", "0", "-q", "-m", "nightly or not nightly", "-p", "no:cacheprovider"]
        out = ran(copy, [*words, *(["-k", chosen] if chosen else [])])
        assert re.search(r"\d+ passed", out)
    assert ran(copy, ["-m", "ruff", "check", "lab", "pages"]) == "All checks passed!\n"
