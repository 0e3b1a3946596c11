"""What the benchmarks wrote: README.md shows it, every figure has its commit, and `make bench` runs them all."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from benchmarks import common, references, size, summary
from benchmarks.summary import Results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
PROGRAMS = sorted(x.stem for x in FOLDER.glob("*.py") if '"--write"' in x.read_text("utf-8"))
WRITTEN = sorted(summary.RESULTS.glob("*.md"))


def test_the_readme_shows_what_the_benchmarks_wrote():
    text = (FOLDER / "README.md").read_text("utf-8")
    assert text == summary.shown(text, summary.RESULTS), "`python -m benchmarks.summary` writes it anew"
    assert not re.search(r"\| – \|", text), "a benchmark was not run, or calls a figure otherwise"


def test_make_bench_runs_every_benchmark_and_each_has_its_results():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    told = re.search(r"(?s)^BENCHMARKS = (.+?)\n\n", makefile, re.MULTILINE)
    assert told
    assert sorted(told[1].replace("\\\n", " ").split()) == PROGRAMS
    assert [x.stem for x in WRITTEN] == PROGRAMS


@pytest.mark.parametrize("file", WRITTEN, ids=lambda x: x.stem)
def test_every_section_of_results_says_of_which_commit_it_is(file: Path):
    title, *sections = re.split(r"(?m)^## ", file.read_text("utf-8"))
    assert title == f"# `python -m benchmarks.{file.stem}`\n\n"
    assert sections
    for section in sections:
        heading, blank, stamp, *_ = section.splitlines()
        assert heading
        assert not blank
        assert summary.STAMP.fullmatch(stamp)
    assert Results(file.read_text("utf-8")).tables


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of their own, of a benchmark called “tried”, and a README with the four questions."""
    (tmp_path / "results").mkdir()
    (tmp_path / "README.md").write_text("".join(f"## {x}\n\nIn words.\n\n" for x in summary.QUESTIONS), "utf-8")
    monkeypatch.setattr(common, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(summary, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(summary, "README", tmp_path / "README.md")
    monkeypatch.setattr("sys.argv", ["benchmarks/tried.py"])
    return tmp_path


def test_a_section_takes_the_place_of_the_last_one_of_its_heading(folder: Path):
    for heading, text in (("One", "first"), ("Two", "| a | b |\n|---|---|\n| x | 1 |"), ("One", "second")):
        common.write(heading, text, peers=("numpy",) if heading == "Two" else ())
    text = (folder / "results/tried.md").read_text("utf-8")
    assert re.findall("(?m)^#+ .*", text) == ["# `python -m benchmarks.tried`", "## One", "## Two"]
    assert "first" not in text
    assert "second" in text
    results = Results(text)
    assert results.cell("b", "x") == results.value("x") == "1"
    assert results.peer("numpy").startswith("numpy 2")
    assert len(summary.STAMP.findall(text)) == 2
    with pytest.raises(KeyError):
        results.peer("scipy")


def test_the_tables_of_the_readme_are_written_again_and_the_words_stay(folder: Path):
    common.write("One", "first")
    once = (folder / "README.md").read_text("utf-8")
    assert once.count("In words.") == len(summary.QUESTIONS)
    assert once.count("| the lab |") == len(summary.QUESTIONS)
    assert "| – |" in once, "nothing is made up for what was not measured"
    common.write("One", "first")
    assert (folder / "README.md").read_text("utf-8") == once


def test_a_cell_is_found_by_its_row_and_column_whatever_surrounds_it():
    rng = random.Random(1)
    for _ in range(200):
        columns = [f"c{n}" for n in rng.sample(range(50), rng.randint(2, 6))]
        rows = {f"r{n}": [str(rng.randint(0, 9999)) for _ in columns] for n in rng.sample(range(50), 5)}
        counts = {name: rng.choice(["", f" ({rng.randint(1, 5000):,})"]) for name in (*columns, *rows)}
        lines = ["prose", "| name | c99 |", "|---|---|", "| other | 7 |", "", "under this", ""]
        lines += [f"| name | {' | '.join(x + counts[x] for x in columns)} |", "|---|" + "--:|" * len(columns)]
        lines += [f"| {row}{counts[row]} | {' | '.join(cells)} |" for row, cells in rows.items()]
        results = Results("\n".join(lines))
        row, column = rng.choice(list(rows)), rng.randrange(len(columns))
        assert results.cell(columns[column], row, under="under this") == rows[row][column]
        assert results.sum(columns[column]) == sum(int(cells[column]) for cells in rows.values())
        with pytest.raises(KeyError):
            results.cell(columns[column], "other")


def test_figures_of_two_commits_are_told_apart(tmp_path: Path):
    for name, commit in (("a", "11111111"), ("b", "11111111"), ("c", "22222222, with changes")):
        (tmp_path / f"{name}.md").write_text(f"# x\n\n## One\n\nCommit {commit}, 2026-01-02.\n", "utf-8")
    assert summary.measured(tmp_path) == (
        "All figures were measured at commit 11111111, but c at 22222222, with changes."
    )
    (tmp_path / "c.md").unlink()
    assert summary.measured(tmp_path) == "All figures were measured at commit 11111111."


def test_the_references_of_a_test_are_the_packages_that_it_imports(tmp_path: Path):
    file = tmp_path / "test_x.py"
    file.write_text(
        '"""Ranks against\nscipy.\n\nMore."""\nimport numpy, pytest\nimport scipy.stats\nfrom night import seeds\n'
        'def test():\n    from sklearn import metrics\nfaiss = pytest.importorskip("faiss")\n',
        "utf-8",
    )
    assert references.subject(file) == "Ranks against scipy."
    assert [x.partition(" ")[0] for x in references.packages(file)] == ["faiss-cpu", "scikit-learn", "scipy"]


def test_outcomes_are_counted_by_file(tmp_path: Path):
    report = tmp_path / "report.xml"
    case = '<testcase classname="tests.oracles.{}" name="t">{}</testcase>'
    cases = [("test_a", ""), ("test_a", "<failure/>"), ("test_a.TestX", "<skipped/>"), ("test_b", "<error/>")]
    report.write_text(f"<testsuites><testsuite>{''.join(case.format(*x) for x in cases)}</testsuite></testsuites>")
    found = references.outcomes(report)
    assert found == {"test_a": {"passed": 1, "failed": 1, "skipped": 1}, "test_b": {"failed": 1}}


def test_the_size_counts_what_is_needed_and_no_more():
    plain = size.needed(size.NAME)
    assert {"streamlit", "numpy", "pillow"} <= plain, "what a package needs belongs to it"
    assert not {"torch", "pytest", size.NAME} & plain
    assert "torch" in size.needed(size.NAME, "neural")
    assert size.megabytes("numpy") > 10
    assert size.megabytes("no-such-package") == 0
