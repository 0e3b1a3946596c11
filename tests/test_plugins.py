"""Operators from outside: found wherever the lab's own are, refused in words, blamed for what they raise."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest
from night import spread

import lab
from lab import catalog, cli, formats, plugins
from lab.algebra import Corpus, Document, Runner
from lab.errors import LabError, ParameterError, PluginError
from lab.retrieve.external import External
from lab.ui import launch
from lab.words import Said

ROOT = Path(__file__).resolve().parents[1]
NGRAMS = ROOT / "tests/plugged/ngrams.py"
HEAD = """
from dataclasses import dataclass
from lab.algebra import NONE, Contribution, Hit, Index, Later, Outcome, Ranking, Retriever, Stage, knob
from lab.errors import QueryError
"""
STAGE = """
@dataclass(frozen=True)
class Mirror(Stage):
    '''The list from its end.'''

    role = "rerank"

    def refine(self, ranking, env):
        return Outcome(ranking.hits[::-1])
"""
TINY = Corpus("tiny", (Document("a", "red fox"), Document("b", "red red house")))
Write = Callable[..., Path]


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a plug-in and names it in the environment."""

    def write(source: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(HEAD + dedent(source), "utf-8")
        monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join(filter(None, [plugins.file_names(), str(path)])))
        return path

    return write


def problems() -> list[str]:
    return [str(problem) for problem in catalog.plugins().problems]


# -------------------------------------------------------------------------------------------- found everywhere


def test_a_file_brings_its_operators_to_files_links_expressions_and_imports(monkeypatch: pytest.MonkeyPatch):
    assert "CharNGrams" not in catalog.operators()
    monkeypatch.setenv(plugins.VARIABLE, str(NGRAMS))
    assert problems() == []
    assert {"CharNGrams"} <= catalog.retrievers().keys()
    assert {"LogRank"} <= catalog.fusions().keys()
    assert catalog.stages()["TitleBonus"] in catalog.with_role(catalog.stages, "rerank")
    assert list(catalog.operators()) == sorted(catalog.operators(), key=str.lower)
    assert lab.CharNGrams is catalog.find(catalog.retrievers, "char-n-grams")
    search = formats.parse("LogRank()(BM25(), CharNGrams(longest=3)) >> TitleBonus(bonus=2)")
    assert formats.from_toml(formats.to_toml(search)) == search
    assert formats.from_link(formats.to_link(search)) == search
    assert Runner(TINY)(search, "hous").ids == ["b"]
    monkeypatch.delenv(plugins.VARIABLE)
    assert "CharNGrams" not in catalog.operators()


@pytest.mark.nightly
def test_a_program_says_which_plug_in_it_needs_and_runs_with_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(plugins.VARIABLE, str(NGRAMS))
    lines = ["from lab.corpus import samples", "", "corpus = samples.load('devices').corpus"]
    searches = {"grams": formats.parse("CharNGrams()"), "fused": formats.parse("LogRank()(BM25(), CharNGrams())")}
    code = formats.to_python(searches, corpus=lines, query="fax", k=3)
    assert code.startswith(
        "# CharNGrams, LogRank: from the plug-in ngrams.py; set LAB_PLUGINS to its path\nfrom lab import"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120, cwd=ROOT
    )
    assert made.stdout.startswith("grams\n")
    search = formats.to_langchain(searches["grams"], corpus=lines, query="fax", k=3)
    assert search.startswith("# CharNGrams: from the plug-in ngrams.py")
    assert not formats.to_python({"a": formats.parse("BM25()")}, corpus=lines, query="fax", k=3).startswith("#")


def test_several_files_are_separated_as_in_path(plug: Write):
    plug(STAGE)
    plug(STAGE.replace("Mirror", "Again"), "other.py")
    assert {"Mirror", "Again"} <= catalog.stages().keys()
    assert [plugin.name for plugin in catalog.plugins().loaded] == ["mine.py", "other.py"]


def test_a_plug_in_may_import_from_the_lab_what_the_catalogue_finds(plug: Write):
    plug("from lab import BM25, Vector\nfrom lab import formats\nsearch = formats.parse('BM25()')\n" + STAGE)
    assert problems() == []
    assert "Mirror" in catalog.stages()


def test_a_file_is_compiled_as_it_is_written(plug: Write):
    plug(STAGE.replace("    role", "    count: int = knob(3, low=1)\n\n    role"))
    assert (
        catalog.stages()["Mirror"].__annotations__["count"] is int
    )  # the lab's own imports from the future are not its


def test_two_visitors_at_once_get_the_same_classes(plug: Write, tmp_path: Path):
    count = tmp_path / "count"
    plug(f"import time\nwith open({str(count)!r}, 'a') as file:\n    file.write('x')\ntime.sleep(0.3)\n" + STAGE)
    with ThreadPoolExecutor(4) as pool:
        found = {pool.submit(lambda: catalog.stages()["Mirror"]) for _ in range(4)}
        assert len({one.result() for one in found}) == 1
    assert count.read_text() == "x"


def test_a_file_that_is_loaded_again_keeps_its_classes_until_it_changes(plug: Write):
    plug(STAGE)
    first = catalog.stages()["Mirror"]
    plug(STAGE.replace("Mirror", "Other"), "other.py")
    assert catalog.stages()["Mirror"] is first
    plug("\n" + STAGE)
    changed = catalog.stages()["Mirror"]
    assert changed is not first
    assert [type(pickle.loads(pickle.dumps(cls()))) for cls in (first, changed)] == [first, changed]


def test_a_key_leads_to_its_class(plug: Write):
    plug(STAGE.replace('role = "rerank"', 'role = "rerank"\n    key = "backwards"'))
    assert catalog.find(catalog.stages, "backwards").__name__ == "Mirror"
    assert catalog.find(catalog.stages, "mirror").__name__ == "Mirror"


PACKAGE = """
[retrieval_lab.operators]
stages = acme_search.stages
one = acme_search.other:Alone
again = acme_search.other:Alone
"""


def test_an_installed_package_brings_what_its_entry_points_name(tmp_path: Path):
    (tmp_path / "acme_search").mkdir()
    (tmp_path / "acme_search/__init__.py").write_text("")
    inner = HEAD + STAGE.replace("Mirror", "Alone")
    (tmp_path / "acme_search/other.py").write_text(inner + STAGE.replace("Mirror", "NotNamed"))
    (tmp_path / "acme_search/stages.py").write_text(HEAD + STAGE.replace("ranking.hits[::-1]", "5"))
    (tmp_path / "acme_search-1.dist-info").mkdir()
    (tmp_path / "acme_search-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: acme-search\nVersion: 1\n")
    (tmp_path / "acme_search-1.dist-info/entry_points.txt").write_text(PACKAGE)
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "LAB_PUBLIC": "1"}  # a package may be there
    code = "from lab import catalog; print(catalog.plugins().problems, *catalog.plugins().operators)"
    made = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=120
    )
    assert made.stdout.split() == ["()", "Mirror", "Alone"]
    command = [
        sys.executable,
        "-m",
        "lab",
        "search",
        "--corpus",
        "devices",
        "--retriever",
        "BM25() >> Mirror()",
        "camera",
    ]
    for strangers, reason in (("", r" \(verbs\.py, line \d+\): .*not iterable"), ("1", "")):
        made = subprocess.run(
            command,
            env={**env, "LAB_PUBLIC": strangers},
            capture_output=True,
            text=True,
            timeout=120,
            cwd=ROOT,
            check=False,
        )
        assert made.returncode == 2
        assert re.search(f"Mirror of the plug-in acme-search failed{reason}", made.stderr), made.stderr


# ------------------------------------------------------------------------------------------------ refused in words

KNOB = "    count: int = knob(5, low=1, high=3)\n"
BROKEN = {
    "the name “bm25” is used by the lab": STAGE.replace("Mirror", "bm25"),
    "the name “Analyzer” is used by the lab": STAGE.replace("Mirror", "Analyzer"),
    "the name “Runner” is used by the lab": STAGE.replace("Mirror", "Runner"),
    "the name “mmr” is used by the lab": STAGE.replace('role = "rerank"', 'key = "mmr"'),
    "its key is “two words”": STAGE.replace('role = "rerank"', 'key = "two words"'),
    "it is not a frozen dataclass": STAGE.replace("@dataclass(frozen=True)", ""),
    "it does not define refine": STAGE.replace("def refine", "def refin"),
    "its default parameters do not work (TypeError": STAGE.replace("    role", "    count: int\n\n    role"),
    "its default parameters do not work (ParameterError": STAGE.replace("    role", KNOB + "\n    role"),
    "its default parameters do not work (ZeroDivisionError": STAGE
    + "\n    @property\n    def label(self):\n        return 1 / 0\n",
    "its label, “about” or technique is not a text": STAGE.replace("    role", "    label = 5\n    role"),
}


@pytest.mark.parametrize(("reason", "source"), BROKEN.items())
def test_a_class_that_does_not_fit_is_left_out_and_the_others_are_there(reason: str, source: str, plug: Write):
    plug(source + STAGE.replace("Mirror", "Sound"))
    (told,) = problems()
    assert f"of the plug-in mine.py is left out: {reason}" in told
    assert told.endswith(".")
    assert list(catalog.plugins().operators) == ["Sound"]
    assert catalog.find(catalog.stages, "mmr").__module__.startswith("lab.")


def test_of_two_plug_ins_with_one_name_the_first_is_there(plug: Write):
    plug(STAGE)
    plug(STAGE, "other.py")
    assert problems() == [
        "Mirror of the plug-in other.py is left out: the name “Mirror” is used by mine.py. Rename the class or its key."
    ]
    assert catalog.stages()["Mirror"].__module__.startswith("lab_plugin_mine")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import no_such_package", r"ModuleNotFoundError: No module named 'no_such_package' \(line 5\)\."),
        ("def x(:\n", r"SyntaxError: .*line 5.*\."),
        ("raise SystemExit(3)", r"SystemExit: 3 \(line 5\)\."),
        ("1 / 0", r"ZeroDivisionError: division by zero \(line 5\)\."),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_the_reason(source: str, told: str, plug: Write):
    path = plug(source)
    (problem,) = problems()
    assert re.fullmatch(f"The plug-in mine.py cannot be loaded: {told} Correct it and start the lab again.", problem)
    assert "BM25" in catalog.retrievers()
    assert str(path) not in {getattr(module, "__file__", None) for module in [*sys.modules.values()]}


def test_what_is_no_plug_in_is_named(plug: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plug("class _Hidden(Stage): ...\nclass Other: ...\n")
    (tmp_path / "notes.txt").write_text("")
    files = [
        plugins.file_names(),
        str(tmp_path / "nowhere.py"),
        str(tmp_path),
        str(tmp_path / "notes.txt"),
        "~nobody0/x.py",
    ]
    monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join([*files, ""]))
    first, *others = problems()
    assert first.startswith("The plug-in mine.py defines no operator and no retriever.")
    assert [told.partition(". Name")[0] for told in others] == [
        f"There is no plug-in file {Path(file).resolve()}" for file in files[1:]
    ]


def test_files_are_refused_where_strangers_come(plug: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ran = tmp_path / "ran"
    plug(f"open({str(ran)!r}, 'w').close()\n" + STAGE)
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert problems() == [
        "Plug-ins from files are refused while LAB_PUBLIC is set. Unset LAB_PLUGINS, or install a package."
    ]
    assert not catalog.plugins().operators
    assert not ran.exists()


# ------------------------------------------------------------------------------------------------ the command line


def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = cli.main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    "place",
    spread(
        [
            lambda option, words: [*option, *words],
            lambda option, words: [*words, *option],
            lambda option, words: [words[0], f"{option[0]}={option[1]}", *words[1:]],
        ],
        1,
    ),
)
def test_a_file_is_named_anywhere_in_a_command(place, capsys: pytest.CaptureFixture[str]):
    words = place(["--plugin", NGRAMS], ["search", "--corpus", "devices", "--retriever", "CharNGrams", "--json", "fax"])
    status, out, err = command(capsys, *words)
    assert (status, err) == (0, "")
    assert '"search": "CharNGrams"' in out
    assert plugins.VARIABLE not in os.environ


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "--corpus", "devices", "--limit", "2", "--retriever", "LogRank()(BM25(), CharNGrams())"],
        ["ablate", "--limit", "2", "--retriever", "CharNGrams() >> TitleBonus()"],
        ["sweep", "--retriever", "CharNGrams() >> TitleBonus()"],
        ["techniques", "CharNGrams"],
        ["run", "--corpus", "devices", "--limit", "2", "--retriever", "CharNGrams", "--output", "-"],
    ],
)
def test_every_command_knows_a_plug_in(words: list[str], capsys: pytest.CaptureFixture[str]):
    status, out, _err = command(capsys, *words, "--plugin", NGRAMS)
    assert status == 0
    assert out
    without = command(capsys, *words)
    assert without[0] == 2 or without[1] != out, "at most a technique of a similar name is found"


def test_several_files_may_be_named_and_come_after_those_of_the_environment(
    plug: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    plug(STAGE)
    other = tmp_path / "other.py"
    other.write_text(HEAD + STAGE)
    status, out, err = command(capsys, "--plugin", NGRAMS, "techniques", "Mirror", "LogRank", "--plugin", other)
    assert status == 0
    assert "Log rank" in out
    assert "Mirror of the plug-in other.py is left out: the name “Mirror” is used by mine.py" in err


def test_what_is_left_out_is_said_and_the_command_runs(plug: Write, capsys: pytest.CaptureFixture[str]):
    plug("1 / 0")
    status, out, err = command(capsys, "search", "--corpus", "devices", "camera")
    assert status == 0
    assert out
    assert err.startswith("retrieval-lab: The plug-in mine.py cannot be loaded: ZeroDivisionError")


def test_after_two_dashes_nothing_is_an_option(capsys: pytest.CaptureFixture[str]):
    status, _out, err = command(capsys, "search", "--corpus", "devices", "--", "--plugin")
    assert status == 0
    assert "“--plugin”" in err


@pytest.mark.parametrize("words", [["search", "--plugin"], ["--plugin="], ["--plugin", "--json", "search"]])
def test_a_file_must_be_named(words: list[str], capsys: pytest.CaptureFixture[str]):
    status, _out, err = command(capsys, *words)
    assert status == 2
    assert err == "retrieval-lab: No file is named after --plugin. Write --plugin FILE.py.\n"


@pytest.mark.parametrize("words", [[], ["search", "--corpus", "devices", "x"], ["techniques"], ["--server.port", "1"]])
def test_a_public_lab_starts_with_no_files(words: list[str], capsys: pytest.CaptureFixture[str]):
    refused = "retrieval-lab: Plug-ins from files are refused while LAB_PUBLIC is set. "
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "start", lambda *_: pytest.fail("it started"))
        patch.setenv("LAB_PUBLIC", "1")
        status, _out, err = command(capsys, *words, "--plugin", NGRAMS)
        assert (status, err) == (2, refused + "Leave out --plugin, and unset LAB_PLUGINS.\n")
        patch.setenv(plugins.VARIABLE, str(NGRAMS))
        assert command(capsys, *words)[0] == 2


def test_the_app_and_its_children_are_handed_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    seen: list[object] = []
    monkeypatch.setattr(
        launch, "start", lambda _script, options: seen.extend([plugins.file_names(), list(options)]) or 0
    )
    monkeypatch.chdir(NGRAMS.parent)
    words = ["--server.port", "8600", "--plugin", "ngrams.py", "--server.address=0.0.0.0", f"--plugin={tmp_path}/b.py"]
    assert cli.main(words) == 0
    assert seen == [f"{NGRAMS}{os.pathsep}{tmp_path}/b.py", ["--server.port", "8600", "--server.address=0.0.0.0"]]
    assert plugins.VARIABLE not in os.environ


# ------------------------------------------------------------------------------------------------- at run time

FAILING = """
@dataclass(frozen=True)
class Fails(Retriever):
    '''Fails in its index.'''

    how: str = knob("index", choices=("index", "search", "why", "garbage", "refusal", "lines"))

    def index(self, corpus, *, models=NONE, progress=None):
        if self.how == "index":
            raise RuntimeError("the engine is away.")
        return _Index(self, corpus)


class _Index(Index):
    def __init__(self, operator, corpus):
        self.operator, self.corpus = operator, corpus

    def search(self, query, *, k=100, explain=True):
        if self.operator.how == "search":
            return self.corpus.nothing
        if self.operator.how == "refusal":
            raise QueryError("The engine does not take this.", "Ask less.")
        if self.operator.how == "lines":
            raise ValueError("one\\n\\n  two " + "x" * 500)
        if self.operator.how == "garbage":
            return None
        hits = tuple(Hit(d, 1.0, Later(lambda: 1 / 0)) for d in self.corpus)
        return Ranking(query, hits, self.operator, corpus=self.corpus)


@dataclass(frozen=True)
class Halves(Stage):
    '''Returns something else than an outcome.'''

    def refine(self, ranking, env):
        return 5
"""
FAILURES = {
    "Fails(how='index')": ("raise RuntimeError", r"RuntimeError: the engine is away\. Choose"),
    "Fails(how='search')": ("self.corpus.nothing", r"AttributeError: .*'nothing'\. Choose"),
    "Fails(how='why')": ("1 / 0", r"ZeroDivisionError: division by zero\. Choose"),
    "Fails(how='lines')": ("raise ValueError", r"ValueError: one two x+…\. Choose"),
    "Fails(how='garbage')": ("", "AttributeError: .*NoneType"),
    "BM25() >> Halves()": ("", "TypeError"),
}


@pytest.mark.parametrize(("search", "failure"), FAILURES.items())
def test_the_command_line_names_the_plug_in_that_failed(
    search: str, failure: tuple[str, str], plug: Write, capsys: pytest.CaptureFixture[str]
):
    lines, (there, reason) = plug(FAILING).read_text().splitlines(), failure
    place = (
        rf"mine\.py, line {next(i for i, x in enumerate(lines, 1) if there in x)}" if there else r"verbs\.py, line \d+"
    )
    status, _out, err = command(capsys, "search", "--corpus", "devices", "--json", "--retriever", search, "camera")
    name = re.findall(r"Fails|Halves", search)[0]
    assert status == 2
    assert re.match(rf"retrieval-lab: {name} of the plug-in mine\.py failed \({place}\): {reason}", err), err


def test_an_error_in_the_words_of_a_plug_in_keeps_them(plug: Write, capsys: pytest.CaptureFixture[str]):
    plug(FAILING)
    status, _out, err = command(
        capsys, "search", "--corpus", "devices", "--retriever", "Fails(how='refusal')", "camera"
    )
    assert status == 2
    assert err == "retrieval-lab: Fails of the plug-in mine.py: The engine does not take this. Ask less.\n"


def test_errors_of_the_lab_are_nobody_s_fault(plug: Write):
    plug(STAGE)
    for error in (ParameterError(Said("no")), RuntimeError("no")):
        with pytest.raises(type(error)) as caught:
            raise error
        assert catalog.name_plugin(caught.value) is error


def test_strangers_are_not_told_the_reason(plug: Write):
    path = plug(FAILING)
    fails = catalog.retrievers()["Fails"]
    with pytest.raises(RuntimeError) as caught:
        fails().index(TINY)
    named = plugins.blame(caught.value, catalog.plugins().loaded, True)
    assert isinstance(named, PluginError)
    assert isinstance(named, LabError)
    assert str(named).startswith(f"Fails of the plug-in {path.name} failed. Choose")
    assert "engine" not in str(named)


def test_a_search_that_does_not_measure_its_time_is_measured(plug: Write):
    plug(FAILING)
    assert Runner(TINY)(catalog.retrievers()["Fails"](how="why"), "x").seconds > 0


# ----------------------------------------------------------------------------------------- retrievers by name

RETRIEVER = """
def search(question, k):
    ids = ["b", "nowhere", "a"] if "fox" in question else []
    return [(i, 1 / rank) for rank, i in enumerate(ids, 1)][:k]


def failing(question):
    raise ValueError("no index")


class Chain:
    def invoke(self, question):
        return ["a"]


RETRIEVERS = {"mine": search, "chain": Chain(), "broken": failing}
"""


def test_a_file_brings_functions_as_lists(plug: Write):
    plug(RETRIEVER)
    assert problems() == []
    retrievers = catalog.plugins().retrievers
    assert [*retrievers] == ["mine", "chain", "broken"]
    runner = Runner(TINY, models=retrievers)
    assert runner(formats.parse('RRF()(External("mine"), BM25())'), "fox").ids == ["a", "b"]
    assert runner(External("chain"), "fox").ids == ["a"]


def test_the_command_line_searches_evaluates_and_says_what_was_left_out(
    plug: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.md").write_text("red fox", "utf-8")
    file = str(plug(RETRIEVER.replace('"b", "nowhere", "a"', '"a.md", "nowhere"')))
    monkeypatch.delenv(plugins.VARIABLE)
    ours = ["--plugin", file, "search", "--corpus", str(tmp_path / "corpus"), "--retriever", "external:name=mine"]
    assert cli.main([*ours, "fox"]) == 0
    out, err = capsys.readouterr()
    assert "a.md" in out
    assert "Results outside this corpus: 1 of 2 (nowhere)." in err
    assert cli.main([*ours, "house"]) == 0
    assert "The retriever “mine” returned no results for this question." in capsys.readouterr().err
    broken = [word.replace("name=mine", "name=broken") for word in ours]
    assert cli.main([*broken, "fox"]) == 2
    assert "The retriever “broken” failed: ValueError: no index." in capsys.readouterr().err
    assert cli.main([*ours[2:], "fox"]) == 2
    assert "This run knows no retriever “mine”. Add it in the settings or with --plugin" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("RETRIEVERS = [print]", "RETRIEVERS of the plug-in mine.py is not a dictionary."),
        ("RETRIEVERS = {}", "defines no operator and no retriever."),
        (
            "RETRIEVERS = {'chat': print}",
            "The retriever “chat” of the plug-in mine.py is left out because of its name.",
        ),
        ("RETRIEVERS = {'a/b': print}", "“a/b” of the plug-in mine.py is left out because of its name."),
        ("RETRIEVERS = {3: print}", "“3” of the plug-in mine.py is left out because of its name."),
        ("RETRIEVERS = {'mine': 3}", "“mine” of the plug-in mine.py is left out: it cannot be called."),
        ("RETRIEVERS = {'mine': dict}", "“mine” of the plug-in mine.py is left out: it cannot be called."),
    ],
)
def test_retrievers_that_cannot_be_used_are_named(plug: Write, line: str, expected: str):
    plug(line)
    (told,) = problems()
    assert expected in told
    assert not catalog.plugins().retrievers


def test_of_two_retrievers_of_one_name_the_first_stays(plug: Write):
    plug("RETRIEVERS = {'mine': lambda question: ['a']}")
    plug("RETRIEVERS = {'mine': lambda question: ['b'], 'other': print}", name="second.py")
    (told,) = problems()
    assert "“mine” of the plug-in second.py is left out: another plug-in has one." in told
    assert catalog.plugins().retrievers["mine"]("x") == ["a"]
    assert [*catalog.plugins().retrievers] == ["mine", "other"]


def test_strangers_do_not_learn_why_a_retriever_failed(monkeypatch: pytest.MonkeyPatch):
    def mine(question: str) -> list[str]:
        raise ValueError("/srv/secret/index is gone")

    monkeypatch.setenv("LAB_PUBLIC", "1")
    with pytest.raises(LabError, match="^The retriever “mine” failed. Correct it"):
        Runner(TINY, models={"mine": mine})(External("mine"), "fox")


def test_an_exported_program_runs_with_the_plug_in_and_gives_the_same_list(plug: Write, capsys):
    plug(RETRIEVER)
    search = formats.parse('RRF()(External("mine"), BM25())')
    corpus = 'corpus = Corpus("tiny", (Document("a", "red fox"), Document("b", "red red house")))'
    lines = ["from lab.algebra import Corpus, Document", corpus]
    code = formats.to_python({"ours": search}, corpus=lines, query="fox", k=3)
    assert code.startswith("# mine: from the plug-in mine.py; set LAB_PLUGINS to its path\n")
    exec(code, {})
    expected = Runner(TINY, models=catalog.plugins().retrievers)(search, "fox", 3).ids
    assert [row.split()[1] for row in capsys.readouterr().out.splitlines()[2:]] == expected
    unknown = formats.to_python({"ours": External("theirs")}, corpus=lines, query="fox", k=3)
    assert "# theirs: put a function of the question, LangChain(…) or HttpRetriever(…) in place of None" in unknown
    assert "models={'theirs': None}" in unknown
    chain = formats.to_langchain(search, corpus=lines, query="fox", k=3)
    exec(chain, {})
    assert [row.split()[1] for row in capsys.readouterr().out.splitlines()] == expected


FAULTY = """
from dataclasses import dataclass, replace
from lab.algebra import Outcome, Stage

@dataclass(frozen=True)
class Faulty(Stage):
    role = "rerank"

    def refine(self, ranking, env):
        return Outcome({hits})
"""


@pytest.mark.parametrize(
    ("hits", "fault"),
    [
        ("[replace(h, score=float('nan')) for h in ranking.hits]", "a score that is not a number"),
        ("[*ranking.hits, ranking.hits[0]]", "a document twice"),
        ("[h for h in ranking.hits for _ in range(3)]", "a document twice"),
    ],
)
def test_a_stage_with_a_result_that_none_may_have_is_named(plug: Write, capsys, hits: str, fault: str):
    plug(FAULTY.replace("{hits}", hits), "faulty.py")
    assert cli.main(["search", "--corpus", "devices", "--retriever", "BM25() >> Faulty()", "battery"]) == 2
    message = capsys.readouterr().err
    assert f"Faulty returned {fault}" in message
    assert "faulty.py" in message
