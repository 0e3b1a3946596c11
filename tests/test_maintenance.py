"""The project's own papers and its checks: licences, constraints, workflow, templates."""

from __future__ import annotations

import re
import tomllib
from email.message import Message
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from maintenance import dependencies

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text("utf-8"))
installed = cache(dependencies.packages)  # asks every package of this machine


def listed() -> dict[str, str]:
    """The versions of constraints.txt by package."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def required() -> list[Requirement]:
    return [Requirement(r) for rs in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()) for r in rs]


# --------------------------------------------------------------------------------------------- licences


def test_the_licence_of_every_package_is_known_and_compatible():
    assert len(installed()[0]) > len(PROJECT["dependencies"])
    assert {p.name: p.licence for p in installed()[0] if not p.is_compatible} == {}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("GPL-3.0-only OR Apache-2.0", True),
        ("Apache-2.0 AND GPL-3.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("MIT AND (GPL-2.0-only OR AGPL-3.0-only)", False),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("", False),
        ("UNKNOWN", False),
        ("MIT AND", False),
        ("(MIT", False),
        ("MIT BSD-3-Clause", False),
        (") MIT", False),
    ],
)
def test_a_licence_is_compatible_if_its_expression_is(expression: str, allowed: bool):
    assert dependencies.allows(expression) == allowed


def test_a_licence_is_read_from_the_expression_the_field_or_the_classifiers():
    def told(**fields: str) -> Message:
        message = Message()
        for name, value in fields.items():
            message[name.replace("_", "-")] = value
        return message

    assert dependencies.licence("x", told(License_Expression="MIT")) == "MIT"
    assert dependencies.licence("x", told(License="Apache License 2.0")) == "Apache-2.0"
    osi = "License :: OSI Approved :: BSD License"
    assert dependencies.licence("x", told(License="Copyright (c) 2001", Classifier=osi)) == "BSD"
    assert dependencies.licence("x", told(License="Proprietary")) == "Proprietary"
    gpl = "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"
    assert not dependencies.allows(dependencies.licence("x", told(Classifier=gpl)))


def test_a_package_that_the_metadata_say_nothing_of_is_looked_up():
    silent = {p.name for p in installed()[0] if p.name in dependencies.SILENT}
    assert silent == set(dependencies.SILENT) - set(installed()[1]), "each entry is still needed"
    for name in silent:
        told = metadata.metadata(name)
        assert not told.get("License-Expression")
        assert not (told.get("License") or "").strip()


@pytest.mark.parametrize(
    ("name", "left_out"),
    [("nvidia-cublas", True), ("cuda-toolkit", True), ("triton", True), ("torch", False), ("cudax", False)],
)
def test_what_a_build_of_torch_for_cuda_brings_is_no_package_of_the_lab(name: str, left_out: bool):
    assert bool(dependencies.CUDA.fullmatch(name)) is left_out
    assert not (left_out and name in {p.name for p in installed()[0]})


def test_the_list_of_licences_and_the_constraints_have_every_package():
    rows = re.findall(r"^\| ([\w.-]+) \|", (ROOT / "docs/licences.md").read_text("utf-8"), re.MULTILINE)[1:]
    assert rows == list(listed())
    assert {canonicalize_name(r.name) for r in required()} <= set(rows)
    if all(listed().get(p.name) == p.version for p in installed()[0] if p.name in listed()) and not installed()[1]:
        assert [p.name for p in installed()[0]] == rows, "run make dependencies"


# ------------------------------------------------------------------------------------------ constraints


def test_the_constraints_are_within_what_the_project_allows():
    for r in required():
        assert r.specifier.contains(listed()[canonicalize_name(r.name)]), r


def test_the_container_and_the_checks_install_these_versions():
    assert "-c /src/constraints.txt" in (ROOT / "Dockerfile").read_text("utf-8")
    assert "constraints.txt" not in (ROOT / ".dockerignore").read_text("utf-8").split()
    installing = [
        step["run"] for job in ("test", "nightly") for step in WORKFLOW["jobs"][job]["steps"] if "run" in step
    ]
    assert sum("-c constraints.txt" in command for command in installing) == 2


# --------------------------------------------------------------------------------------------- workflow


def test_the_newest_versions_are_tried_on_every_python_that_the_project_names():
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    versions = WORKFLOW["jobs"]["newest"]["strategy"]["matrix"]["python"]
    assert set(versions) | {WORKFLOW["jobs"]["lowest"]["steps"][1]["with"]["python-version"]} == set(named)


def test_every_job_calls_a_target_of_the_makefile_and_the_long_one_at_night_only():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    called = {}
    for name, job in WORKFLOW["jobs"].items():
        commands = [step["run"] for step in job["steps"] if "run" in step]
        called[name] = [word for c in commands if c.startswith("make ") for word in c.split()[1:]]
    assert called == {"test": ["lint", "test"], "lowest": ["lowest"], "newest": ["newest"], "nightly": ["nightly"]}
    assert {word for words in called.values() for word in words} <= targets
    assert "schedule" in WORKFLOW[True], "YAML reads the key on as true"
    assert "schedule" in WORKFLOW["jobs"]["nightly"]["if"]
    assert "pull_request" not in WORKFLOW["jobs"]["nightly"]["if"]
    assert WORKFLOW["permissions"] == {"contents": "read"}


def test_the_newest_versions_run_the_suite_outside_this_environment():
    rule = re.search(r"^newest:.*?(?=^\w)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert rule
    assert "python -m venv" in rule[0]
    assert '"$$folder/bin/python" -m pytest' in rule[0]
    assert "-c constraints.txt" not in rule[0]


# ----------------------------------------------------------------------------------------------- papers


def test_the_citation_names_the_version_and_the_licences_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors", "version"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == PROJECT["version"]
    assert " AND ".join(citation["license"]) == PROJECT["license"]
    assert citation["authors"] == [{"name": "The Retrieval Lab contributors"}]


@pytest.mark.parametrize("name", ["defect", "wish"])
def test_an_issue_template_is_a_form_of_github(name: str):
    form = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{name}.yml").read_text("utf-8"))
    assert {"name", "description", "body"} <= set(form)
    kinds = [part["type"] for part in form["body"]]
    assert set(kinds) <= {"markdown", "textarea", "input", "dropdown", "checkboxes"}
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids)) > 1
    assert all(part["attributes"].get("label") or part["type"] == "markdown" for part in form["body"])


PAPERS = ["SECURITY.md", "CODE_OF_CONDUCT.md", "CITATION.cff", ".github/pull_request_template.md"]


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_name_no_person_address_or_link_that_is_not_there(name: str):
    text = (ROOT / name).read_text("utf-8")
    assert re.findall(r"https?://\S+|[\w.]+@[\w.]+|<\w+>|TODO", text) == []
    for file in re.findall(r"\b[A-Z_]+\.(?:md|cff)\b", text):
        assert (ROOT / file).is_file(), file


def test_what_the_papers_and_templates_say_can_be_run():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in PAPERS:
        for target in re.findall(r"`make ([a-z ]+)`", (ROOT / name).read_text("utf-8")):
            assert all(f"\n{word}:" in makefile for word in target.split()), target
