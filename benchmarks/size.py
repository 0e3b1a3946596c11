"""How large the lab is: the wheel, and what is installed with it.

    python -m benchmarks.size [--write]

Builds the wheel, and adds up the files of every package that `retrieval-lab` needs without extras,
and that each extra needs in addition, as they are installed here.  Megabytes of 10^6 bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks import common

ROOT = Path(__file__).parents[1]
HEADING = "Size"
NAME = "retrieval-lab"
EXTRAS = ("neural", "e5", "datasets", "langchain", "scale", "pinyin")
"""What a user may choose."""
SHOWN = 12
"""So many of the largest packages are shown."""


def needed(name: str, extra: str = "", seen: set[str] | None = None) -> set[str]:
    """The packages that one needs, and those that they need, of those that are installed."""
    found = set[str]() if seen is None else seen
    for line in distribution(name).requires or ():
        required = Requirement(line)
        if required.marker is None or required.marker.evaluate({"extra": extra}):
            package = canonicalize_name(required.name)
            if package != NAME and package not in found and megabytes(package):
                found.add(package)
                for chosen in required.extras or {""}:
                    needed(package, chosen, found)
            elif package == NAME:
                for chosen in required.extras:
                    needed(NAME, chosen, found)
    return found


@cache
def megabytes(package: str) -> float:
    """The files of an installed package; 0 where it is not installed."""
    try:
        files = distribution(package).files or ()
    except PackageNotFoundError:
        return 0.0
    paths = (Path(str(file.locate())) for file in files if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def wheel() -> float:
    """The wheel of this checkout, built anew."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, str(ROOT)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr or done.stdout)
        return next(Path(folder).glob("*.whl")).stat().st_size / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args()
    plain, built = needed(NAME), wheel()
    lines = [
        f"`python -m benchmarks.size --write`: megabytes of files, without compiled caches. {common.machine()}.\n",
        "| | packages | MB |",
        "|---|--:|--:|",
        f"| the wheel | 1 | {built:.0f} |",
        f"| installed, with all that it needs | {len(plain)} | {sum(map(megabytes, plain)) + built:,.0f} |",
    ]
    for extra in EXTRAS:
        more = needed(NAME, extra) - plain
        lines.append(f"| the extra `{extra}`, in addition | {len(more)} | {sum(map(megabytes, more)):,.0f} |")
    largest = sorted(plain, key=megabytes, reverse=True)[:SHOWN]
    lines += ["\nThe largest packages that it needs:\n", "| package | MB |", "|---|--:|"]
    lines += [f"| {name} | {megabytes(name):,.0f} |" for name in largest]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
