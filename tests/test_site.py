"""The documentation: it builds strictly, every technique has its entry, and every block of code in it runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from night import spread

from lab import catalog, cli, home
from maintenance import claims

ROOT = home.root()
SITE = ROOT / "docs" / "site"
PAGES = sorted(path.relative_to(SITE / "en").as_posix() for path in (SITE / "en").rglob("*.md"))
BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)
KINDS = {"csv", "json", "python", "sh", "text", "toml", "yaml"}


def blocks(language: str, page: str) -> list[tuple[str, str, str]]:
    """Kind, file name ("" for none) and content of each block of code."""
    text = (SITE / language / page).read_text("utf-8")
    return [(m["kind"], m["file"] or "", m["code"]) for m in BLOCK.finditer(text)]


@pytest.fixture(scope="module")
def generated() -> ModuleType:
    pytest.importorskip("mkdocs")
    pytest.importorskip("latex2mathml")
    spec = spec_from_file_location("generated", ROOT / "docs" / "generated.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_documentation_builds_without_a_warning(language: str, tmp_path: Path):
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(
        [*command, "--config-file", f"docs/{language}.yml"], cwd=ROOT, env=quiet, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[-2000:]
    page = (tmp_path / "site" / "guides" / "mmr.html").read_text("utf-8")
    assert "<math" in page, "formulas are drawn without a script"
    assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page), "nothing comes from another server"
    raw = [path.name for path in (tmp_path / "site").rglob("*.html") if "```" in path.read_text("utf-8")]
    assert raw == [], "a block of code is shown as text"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_block_of_a_page_runs(language: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for kind, file, code in blocks(language, page):
        assert kind in KINDS
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(code, "utf-8")
        elif kind == "python":
            exec(compile(code, page, "exec"), names)
        elif kind == "sh":
            for line in code.splitlines():
                program, *words = shlex.split(line)
                assert program == "retrieval-lab"
                assert cli.main(words) == 0, line


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_show_the_same_blocks(page: str):
    english, chinese = (
        [(kind, file, len(code.splitlines())) for kind, file, code in blocks(x, page)] for x in ("en", "zh")
    )
    assert english == chinese


@pytest.mark.parametrize("language", spread(["en", "zh"], 1))
def test_every_technique_has_its_entry_with_every_parameter(generated: ModuleType, language: str):
    for kind, (base, _) in generated.KINDS.items():
        text = generated.techniques(kind, language)
        entries = {part.partition("\n")[0]: part for part in text.split("\n## ")[1:]}
        assert list(entries) == list(catalog.concrete(base))
        for name, cls in catalog.concrete(base).items():
            named = re.findall(r"^\| `(\w+)` \|", entries[name], re.MULTILINE)
            assert named == [row["name"] for row in catalog.describe_knobs(cls)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_statement_about_other_software_is_shown_with_its_version(generated: ModuleType, language: str):
    rows = [line for line in generated.others(language).splitlines() if line.startswith("|")][2:]
    assert len(rows) == len(claims.read()[1])
    for claim in claims.read()[1]:
        assert any(claim.version in row and claim.how in row and claim.software in row for row in rows)
    assert all(row.count("|") == 6 for row in rows), "no cell has a line of the table in it"


def test_a_formula_that_cannot_be_drawn_stops_the_build(generated: ModuleType):
    with pytest.raises(generated.PluginError, match="nosuchcommand"):
        generated.on_page_content('<span class="arithmatex">\\(\\nosuchcommand\\)</span>')
