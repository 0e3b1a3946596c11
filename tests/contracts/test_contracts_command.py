"""``python -m lab.contracts``: what a plug-in does wrong is said in plain words, and by exit status 1."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from night import spread

from lab import catalog, plugins
from lab.contracts import check_operator, check_specimen
from lab.contracts.__main__ import _names, main
from lab.contracts.specimens import random_cases

ROOT = Path(__file__).parents[2]
PLUGGED = ROOT / "tests/plugged"
FAULTS = {
    "addends": r"The score components of “d\d” sum to [\d.]+, but its score is [\d.]+\.",
    "twice": r"“d\d” is in the list more than once\.",
    "worst first": r"“d\d” and “d\d” have the same score, but are not in the order of `lab\.algebra\.in_order`\.",
    "too many": r"1 documents were asked for, and \d returned\.",
    "cut": r"A list that was cut at \d says asked=0\..*",
    "crash": r"It raises RuntimeError: more than three documents \(.*faulty\.py, line \d+\)\.",
    "blank": r"The empty question '' finds something\.",
    "any k": r"k=0 is accepted\. It must raise ParameterError\.",
    "numpy": r"The score of “d\d” is \d, a int\. Make it a float\.",
    "forgets": r"“d\d” is lost: it is neither in the list nor among what was dropped\.",
    "invents": r"“new” was not in the list before\.",
    "hides": r"“d\d” was dropped without a reason or a name\.",
}


def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert err == ""
    return status, out


def test_a_sound_plug_in_keeps_every_law(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = command(capsys, "--cases", 12, PLUGGED / "ngrams.py")
    assert (status, re.sub(r"\d+", "n", out)) == (
        0,
        "CharNGrams: n laws kept\nLogRank: n laws kept\nTitleBonus: n laws kept\n",
    )
    assert plugins.VARIABLE not in os.environ


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_found_and_said_in_plain_words(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, str(PLUGGED / "faulty.py"))
    name = "Forgets" if fault in ("forgets", "invents", "hides") else "Shared"
    sound, faulty = (catalog.make(catalog.operators()[name], {"fault": word}) for word in ("none", fault))
    cases = random_cases(25)
    assert not any(check_specimen(sound, cases).values())
    broken = [result for result in check_specimen(faulty, cases).values() if result]
    assert any(re.fullmatch(FAULTS[fault], result.reason) for result in broken), broken
    assert all(f"fault={fault}" in result.seen for result in broken)


def test_every_broken_law_is_printed_once_and_the_exit_status_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    status, out = command(capsys, PLUGGED / "faulty.py")
    assert status == 1
    heads = re.findall(r"^(\w+): (\d+) of \d+ laws broken$", out, re.MULTILINE)
    assert {name for name, _ in heads} == {"Shared", "Running", "Forgets", "Orphans", "Restless"}
    assert out.count(": no\n") == sum(int(n) for _, n in heads)
    assert "do not tie: 1.0, 1.0, 0.9999999999999999." in out
    assert "A derived document names “nobody” as its origin, which is not there." in out
    assert "Rewriting twice gives two results." in out
    assert "    Seen with Shared(fault=addends), corpus of " in out


def test_what_the_lab_leaves_out_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text("1 / 0")
    status, out = command(capsys, path)
    assert status == 1
    assert out.startswith("The plug-in mine.py cannot be loaded: ZeroDivisionError: division by zero (line 1).")
    source = (PLUGGED / "ngrams.py").read_text("utf-8")
    path = tmp_path / "other.py"
    path.write_text(source.replace("class TitleBonus(Stage)", "class MMR(Stage)"))
    status, out = command(capsys, path)
    assert status == 1
    assert "MMR of the plug-in other.py is left out: the name “MMR” is used by the lab." in out
    assert "CharNGrams: " in out
    status, out = command(capsys, tmp_path / "nowhere.py")
    assert status == 1
    assert out.startswith("There is no plug-in file")
    status, out = command(capsys, "no-such-package")
    assert status == 1
    assert out.endswith("“no-such-package” has an entry point in the group retrieval_lab.operators. Install it.\n")


def test_other_plug_ins_are_no_concern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("1 / 0")
    monkeypatch.setenv(plugins.VARIABLE, str(tmp_path / "broken.py"))
    assert command(capsys, "--cases", 1, PLUGGED / "ngrams.py")[0] == 0
    assert plugins.file_names() == str(tmp_path / "broken.py")


def test_a_package_has_the_names_of_its_distribution_and_of_its_module() -> None:
    assert _names(plugins.Plugin("Acme.Search", "/site/acme_find.py", ())) == {"acme-search", "acme-find"}


@pytest.mark.parametrize("name", spread(["acme-search", "Acme.Search", "acme_find", "acme_search"], 1))
@pytest.mark.nightly
def test_a_package_is_found_by_either_of_its_names(name: str, tmp_path: Path) -> None:
    package, info = tmp_path / "acme_find", tmp_path / "acme_search-1.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text((PLUGGED / "ngrams.py").read_text("utf-8"), "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-search\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nall = acme_find\n")
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    words = [sys.executable, "-m", "lab.contracts", "--cases", "1", name]
    made = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("laws kept") == 3


@pytest.mark.parametrize("name", spread(["RRF", "Sentences", "MultiQuery", "BM25", "Top", "LSA"], 1))
def test_the_lab_keeps_its_own_laws_in_the_library_too(name: str) -> None:
    report = check_operator(catalog.operators()[name], cases=2, seed=7)
    assert not report.broken
    assert report.laws >= 6


def test_the_cases_are_the_same_at_every_run() -> None:
    one, other, third = random_cases(9), random_cases(9), random_cases(9, seed=1)
    assert [(c.query, c.corpus.fingerprint) for c in one] == [(c.query, c.corpus.fingerprint) for c in other]
    assert [c.query for c in one] != [c.query for c in third]
    assert {len(c.corpus) for c in random_cases(60)} == set(range(8))
