"""Is it right: every technique beside a reference implementation, on random inputs, the sample corpora and collections.

    LAB_COLLECTIONS=... python -m benchmarks.references [--write]

Runs all tests of ``tests/oracles``, those of packs included, with every drawn case (those of the mark ``nightly``
too), and counts them by file.  The packages beside a file are those that its tests compare with; where there are none,
the reference is the published definition, written a second time in the test.  Ends with status 1 if a test fails, or if
one could not run.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import TypeGuard

from benchmarks import common

ROOT = Path(__file__).parents[1]
FOLDERS = [ROOT / "tests" / "oracles", *ROOT.glob("lab_packs/*/tests/oracles")]
HEADING = "Beside reference implementations"
TOOLS = {"hypothesis", "lab", "numpy", "pytest"}
"""Packages that draw, compute and run the cases."""
BEHIND = {"lab.retrieve.chroma": "chromadb", "lab_packs.milvus.searches": "pymilvus"}
"""Modules of the lab that ask another engine, and its package."""
DEFINITION = "its definition, written a second time"


def packages(file: Path) -> list[str]:
    """The installed packages that a file of tests imports, with their versions, but for those that run it."""
    tree = ast.parse(file.read_text("utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {ast.literal_eval(node.args[0]) for node in ast.walk(tree) if _asks_for_a_package(node)}
    modules |= {BEHIND[name] for name in modules & set(BEHIND)}
    owners = packages_distributions()
    found = {owners[top][0] for name in modules if (top := name.partition(".")[0]) in owners and top not in TOOLS}
    return [f"{name} {version(name)}" for name in sorted(found, key=str.lower)]


def _asks_for_a_package(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether this is ``pytest.importorskip("package")``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "importorskip"


def subject(file: Path) -> str:
    """What a file of tests is about: the first paragraph of its docstring."""
    told = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or file.stem
    return " ".join(told.partition("\n\n")[0].split()).replace("``", "`").replace("|", r"\|")


def outcomes(report: Path) -> dict[str, Counter[str]]:
    """By file, how many tests passed, failed, or could not run, from pytest's report in XML."""
    found: dict[str, Counter[str]] = {}
    for case in ET.parse(report).iter("testcase"):
        file = next(part for part in case.get("classname", "").split(".") if part.startswith("test_"))
        failed = case.find("failure") is not None or case.find("error") is not None
        said = "failed" if failed else "skipped" if case.find("skipped") is not None else "passed"
        found.setdefault(file, Counter())[said] += 1
    return found


def run() -> dict[str, Counter[str]]:
    """All tests with every drawn case, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "nightly or not nightly", *map(str, FOLDERS)]
        environment = {**os.environ, "HYPOTHESIS_PROFILE": "nightly"}
        subprocess.run([*command, f"--junitxml={report}"], env=environment, cwd=ROOT, check=False)
        return outcomes(report)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    found, total = run(), Counter[str]()
    lines = [
        "`LAB_COLLECTIONS=... python -m benchmarks.references --write`: the tests of `tests/oracles`, with every drawn "
        f"case. {common.machine()}.\n",
        "| what is compared | with | tests | failed |",
        "|---|---|--:|--:|",
    ]
    for file in sorted((file for folder in FOLDERS for file in folder.glob("test_*.py")), key=lambda file: file.name):
        own = found.get(file.stem, Counter())
        total += own
        peers = ", ".join(packages(file)) or DEFINITION
        lines.append(f"| {subject(file)} | {peers} | {own['passed'] + own['failed']:,} | {own['failed']} |")
    lines.append(f"| all | | {total['passed'] + total['failed']:,} | {total['failed']} |")
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    missed = [f"{total['failed']} tests failed"] if total["failed"] else []
    return common.verdict([*missed, *([f"{total['skipped']} tests could not run"] if total["skipped"] else [])])


if __name__ == "__main__":
    sys.exit(main())
