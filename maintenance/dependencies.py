"""The packages that the project needs, with their versions and licences, from the metadata of what is installed here.

    python -m maintenance.dependencies constraints [--write]
    python -m maintenance.dependencies licences [--write]

``constraints`` prints the versions with which the tests have passed, for ``pip install -c constraints.txt``;
``licences`` prints docs/licences.md.  With ``--write``, the file is written.  Install the extras first
(``pip install -e '.[datasets,e5,langchain,neural,pinyin,scale,simd,test]'``): what is not installed is named, and
nothing is written.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
FILES = {"constraints": ROOT / "constraints.txt", "licences": ROOT / "docs" / "licences.md"}
COMPATIBLE = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "CC0-1.0",
        "CNRI-Python",
        "ISC",
        "LLVM-exception",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    ]
)
"""Licences of packages that a project under Apache-2.0 may require.

All are permissive but for MPL-2.0, which asks to publish changes of its own files: the lab changes none.  BSD is a
package that does not say whether it has two or three clauses.
"""
WORDS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "2-clause BSD": "BSD-2-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache2.0": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
}
"""Licences in the words of packages that give no SPDX expression."""
SILENT = {"axe-playwright-python": "MIT"}
"""Packages whose metadata say nothing: what the licence file in their wheel says."""
CUDA = re.compile(r"(nvidia|cuda)-.+|triton")
"""What a build of torch for CUDA brings, under NVIDIA's own licence; the lab needs none of it."""


@dataclass(frozen=True)
class Package:
    """An installed package: who needs it (``lab``, or the names of extras), its version and its licence."""

    name: str
    version: str
    licence: str
    needed_by: tuple[str, ...]

    @property
    def is_compatible(self) -> bool:
        """Whether the licence is known and may be required: of alternatives one, of several together all."""
        return allows(self.licence)


def allows(expression: str) -> bool:
    """Whether `COMPATIBLE` satisfies an SPDX expression; False if it is empty or cannot be read."""
    words = re.findall(r"[()]|[^\s()]+", expression)
    satisfied = _either(words)
    return satisfied and not words


def _either(words: list[str]) -> bool:
    """Takes ``a OR b …`` from the beginning of the words; both sides are read, whatever the first one says."""
    satisfied = _both(words)
    while words and words[0] == "OR":
        del words[0]
        satisfied = _both(words) or satisfied
    return satisfied


def _both(words: list[str]) -> bool:
    """Takes ``a AND b …``, where each may be in brackets; ``a WITH exception`` needs both, too."""
    satisfied = _one(words)
    while words and words[0] in ("AND", "WITH"):
        del words[0]
        satisfied = _one(words) and satisfied
    return satisfied


def _one(words: list[str]) -> bool:
    if not words:
        return False
    word = words.pop(0)
    if word != "(":
        return word in COMPATIBLE
    satisfied = _either(words)
    return bool(words) and words.pop(0) == ")" and satisfied


def packages() -> tuple[list[Package], list[str]]:
    """Returns all packages that the lab and its extras need, and the names of those that are not installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists: Mapping[str, list[str]] = {"lab": project["dependencies"], **project["optional-dependencies"]}
    needed, missing = dict[str, list[str]](), set[str]()
    for extra, texts in lists.items():
        for name in _closure(map(Requirement, texts), missing):
            if not CUDA.fullmatch(name):
                needed.setdefault(name, []).append(extra)
    return [_package(name, tuple(needed[name])) for name in sorted(needed)], sorted(missing)


def _closure(wanted: Iterable[Requirement], missing: set[str]) -> set[str]:
    """The names of these packages and of all that they need, in this environment."""
    queue, seen = [(r, ("",)) for r in wanted], set[tuple[str, frozenset[str]]]()
    while queue:
        requirement, extras = queue.pop()
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key in seen:
            continue
        try:
            texts = metadata.requires(key[0]) or []
        except metadata.PackageNotFoundError:
            missing.add(key[0])
            continue
        seen.add(key)
        queue += [(r, ("", *requirement.extras)) for r in map(Requirement, texts)]
    return {name for name, _ in seen}


def _package(name: str, needed_by: tuple[str, ...]) -> Package:
    told = metadata.metadata(name)
    return Package(name, Version(metadata.version(name)).public, licence(name, told), needed_by)


def licence(name: str, told: metadata.PackageMetadata) -> str:
    """Returns the licence as an SPDX expression: of the field for it, else of the classifiers or the licence's name."""
    if expression := told.get("License-Expression"):
        return expression
    known = [x.rsplit(" :: ", 1)[-1] for x in told.get_all("Classifier") or [] if x.startswith("License :: ")]
    first_line = (told.get("License") or "").strip().partition("\n")[0].strip()
    named = WORDS.get(first_line, first_line)
    if allows(named):
        return named
    return " AND ".join(WORDS.get(word, word) for word in known) or SILENT.get(name, named)


def constraints(found: Iterable[Package]) -> str:
    """The versions as a file of constraints."""
    head = (
        "# Versions with which the tests pass.  CI and the container install these: pip install -c constraints.txt\n"
        "# python -m maintenance.dependencies constraints --write\n"
    )
    return head + "".join(f"{p.name}=={p.version}\n" for p in found)


def licences(found: Iterable[Package]) -> str:
    """The list of licences as Markdown."""
    head = (
        "# Licences of the packages that Retrieval Lab uses\n\n"
        "The code is under Apache-2.0, the built-in model under CC-BY-SA-4.0. These packages are installed, not "
        "included. All of their licences may be required by a project under Apache-2.0; MPL-2.0 asks to publish "
        "changes of its own files, and the lab changes none. “Needed by” names the lab itself or the extras. "
        "A build of torch for CUDA, which the extras `neural` and `test` bring on Linux unless one for processors is "
        "installed before, also installs NVIDIA's libraries under NVIDIA's own licence; the lab does not need them. "
        "(`make dependencies` makes this list from the installed packages.)\n\n"
        "| Package | Licence | Needed by |\n|---|---|---|\n"
    )
    return head + "".join(f"| {p.name} | {p.licence} | {', '.join(p.needed_by)} |\n" for p in found)


def main() -> int:
    """Prints or writes a file; the exit status is 1 if a package is missing or a licence is not compatible."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=FILES)
    parser.add_argument("--write", action="store_true", help="write the file")
    options = parser.parse_args()
    found, missing = packages()
    wrong = [f"{p.name}: the licence “{p.licence}” is not known to be compatible" for p in found if not p.is_compatible]
    for problem in [*(f"{name} is not installed" for name in missing), *wrong]:
        sys.stderr.write(f"{problem}\n")
    if missing or wrong:
        return 1
    text = {"constraints": constraints, "licences": licences}[options.what](found)
    if options.write:
        FILES[options.what].write_text(text, encoding="utf-8", newline="\n")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
