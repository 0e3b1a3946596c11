"""``python -m lab.contracts FILE_OR_PACKAGE``: put every operator of a plug-in to the contracts.

Prints per operator how many laws it keeps, and what is wrong with the others.  Exit status 1 if anything fails.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from lab import catalog, plugins
from lab.contracts import CASES, Report, check_operator


def main(argv: Sequence[str] | None = None) -> int:
    """Check a plug-in and give the exit status: 0, 1 if a law is broken or something was left out."""
    parser = argparse.ArgumentParser(prog="python -m lab.contracts", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("plugin", metavar="FILE_OR_PACKAGE", help="a .py file, or an installed package by its name")
    parser.add_argument(
        "--cases", type=int, default=CASES, metavar="N", help=f"corpora that each law is tried on ({CASES})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which corpora (0)")
    options = parser.parse_args(argv)
    sys.stdout.reconfigure(errors="replace") if hasattr(sys.stdout, "reconfigure") else None
    name, is_file = options.plugin, options.plugin.endswith(".py") or os.sep in options.plugin
    before = os.environ.pop(plugins.VARIABLE, None)  # this plug-in alone
    try:
        with plugins.adding_files([name] if is_file else []):
            return _check(str(Path(name).expanduser().resolve()) if is_file else name, options.cases, options.seed)
    finally:
        if before is not None:
            os.environ[plugins.VARIABLE] = before


def _check(plugin_name: str, cases: int, seed: int) -> int:
    """Checks the plug-in with this file or package name."""
    installed = catalog.plugins()
    matching = [
        plugin
        for plugin in installed.loaded
        if plugin_name == plugin.place or _normalised(plugin_name) in _names(plugin)
    ]
    names = {plugin.name for plugin in matching} | {Path(plugin_name).name, plugin_name}
    problems = [problem for problem in installed.problems if problem.plugin in ("", *names)]
    for problem in problems:
        print(problem)
    if not matching and not problems:
        print(f"No installed package “{plugin_name}” has an entry point in the group {plugins.GROUP}. Install it.")
        return 1
    reports = [check_operator(cls, cases=cases, seed=seed) for plugin in matching for cls in plugin.operators]
    for report in reports:
        _print(report)
    return int(bool(problems) or any(report.broken for report in reports))


def _names(plugin: plugins.Plugin) -> set[str]:
    """The names of a package: its distribution and its module."""
    return {_normalised(plugin.name), _normalised(Path(plugin.place).stem)}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _print(report: Report) -> None:
    if not report.broken:
        print(f"{report.operator}: {report.laws} laws kept")
        return
    print(f"{report.operator}: {len(report.broken)} of {report.laws} laws broken")
    for broken in report.broken:
        print(f"  {broken.law}: no")
        print(f"    {broken.reason}")
        if broken.seen:
            print(f"    Seen with {broken.seen}")


if __name__ == "__main__":
    sys.exit(main())
