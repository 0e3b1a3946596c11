"""The package as it is published: its licences, its files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from places import PACKS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LICENCES = {"LICENSE": "Apache License", "lab/models/built_in/LICENSE": "Attribution-ShareAlike 4.0 International"}


def test_the_licence_names_the_code_s_and_the_built_in_model_s_and_both_texts_are_there():
    assert PROJECT["license"] == "Apache-2.0 AND CC-BY-SA-4.0"
    assert PROJECT["license-files"] == list(LICENCES)
    for name, title in LICENCES.items():
        assert (ROOT / name).read_text("utf-8").lstrip().startswith(title)
    assert "license: cc-by-sa-4.0" in (ROOT / "lab/models/built_in/README.md").read_text("utf-8")


OBJECTS = {
    "joblib": "tests/retrieve/test_counting.py",  # the processes of a pool
    "langchain-core": "tests/retrieve/test_relevance.py",  # the functions of relevance
    "pytest-xdist": "conftest.py",  # how tests are shared out
    "streamlit": "tests/app_pages.py",  # the test runner
}
"""Packages whose objects are asked for something private, where the imports alone do not say so."""


def private_names(file: Path) -> Iterator[tuple[str, str]]:
    """The private names of other packages that a module imports or asks an import for: (package, name)."""
    text, home = file.read_text("utf-8"), dict[str, str]()
    if not re.search(r"(?<!self)(?<!cls)\._[A-Za-z]|import .*\b_[A-Za-z]|^\s*_\w+,$|from _(?!_)", text, re.MULTILINE):
        return
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            home |= {alias.asname or alias.name: node.module for alias in node.names}
            for part in (*node.module.split("."), *(alias.name for alias in node.names)):
                if is_private(part):
                    yield node.module.partition(".")[0], part
        elif isinstance(node, ast.Import):
            home |= {(alias.asname or alias.name).partition(".")[0]: alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            root = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in home:
                yield home[root.id].partition(".")[0], node.attr


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def bounds(name: str) -> SpecifierSet:
    """All that pyproject.toml asks of a package, whichever extra asks it."""
    lists = PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()
    asked = [r for listed in lists for r in map(Requirement, listed) if canonicalize_name(r.name) == name]
    return SpecifierSet(",".join(str(r.specifier) for r in asked))


def test_a_package_of_which_a_private_name_is_used_has_an_upper_bound_that_admits_what_is_installed():
    packages, used = metadata.packages_distributions(), dict[str, set[str]]()
    for folder in ("lab", "lab_packs", "pages", "tests", "benchmarks", "training"):
        for file in (ROOT / folder).rglob("*.py"):
            for module, name in private_names(file):
                for package in {canonicalize_name(p) for p in packages.get(module, [])} - {"retrieval-lab"}:
                    used.setdefault(package, set()).add(name)
    assert "rjieba" in used, "the search finds it"
    for package in {*used, *OBJECTS}:
        upper = [s for s in bounds(package) if s.operator in ("<", "<=", "==", "~=")]
        assert upper, f"{package}: {used.get(package)}"
        assert bounds(package).contains(metadata.version(package)), package
    for package, file in OBJECTS.items():
        assert re.search(r"\._[a-z]\w+|def _[a-z]\w+", (ROOT / file).read_text("utf-8")), f"{package} needs no bound"


@pytest.mark.nightly
def test_the_wheel_tells_both_licences_and_holds_the_app_and_no_secret(tmp_path: Path):
    pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        told = Parser().parsestr(wheel.read(metadata).decode("utf-8"))
    assert told["License-Expression"] == PROJECT["license"]
    assert told.get_all("License-File") == list(LICENCES)
    assert {f"{Path(metadata).parent}/licenses/{name}" for name in LICENCES} <= set(names)
    models = {f"lab/models/built_in/{name}" for name in ("model.safetensors", "textbook_cross_encoder.npz")}
    assert {"lab/_app/app.py", "lab/_app/.streamlit/config.toml", *models} <= set(names)
    files = (path.relative_to(ROOT) for pack in PACKS for path in pack.rglob("*") if path.is_file())
    packed = {path.as_posix() for path in files if not {"tests", "__pycache__"} & set(path.parts)}
    assert packed <= set(names)
    assert [name for name in names if name.startswith("lab_packs/") and "/tests/" in name] == []
    assert [name for name in names if Path(name).name == "secrets.toml" or Path(name).name.startswith(".env")] == []
