"""The list of all formats that are read, from the modules of this package and from plug-ins."""

from __future__ import annotations

import os
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules

import lab.reading
from lab import plugins
from lab.reading.format import Format
from lab.words import Said

_USUAL = ("txt", "md", "html", "xml", "srt", "vtt", "ipynb", "pdf", "docx", "xlsx", "csv", "tsv", "json", "jsonl")
"""The order in which formats are listed; others follow."""


@cache
def built_in() -> tuple[Format, ...]:
    """Returns the formats that the modules of this package define as ``FORMATS``."""
    modules = (import_module(f"lab.reading.{module.name}") for module in iter_modules(lab.reading.__path__))
    listed = [format for module in modules for format in getattr(module, plugins.FORMATS, ())]
    return tuple(sorted(listed, key=lambda format: (*_USUAL, format.name).index(format.name)))


def brought() -> tuple[Format, ...]:
    """Returns the formats of plug-ins, found once for each setting of the environment."""
    return _brought(plugins.file_names(), os.environ.get("LAB_PUBLIC", ""))


@lru_cache(maxsize=8)
def _brought(files: str, public: str) -> tuple[Format, ...]:
    return tuple(format for format in plugins.formats() if isinstance(format, Format))


def every() -> tuple[Format, ...]:
    """Returns all formats; a plug-in's come first, so that they may replace one."""
    return (*brought(), *built_in())


def named(name: str) -> Format:
    return next(format for format in every() if format.name == name)


def extensions() -> tuple[str, ...]:
    """Returns the promised endings, one for each format; plain text under other names is read, too."""
    return (*(format.endings[0] for format in (*built_in(), *brought())), "zip")


def supported() -> Said:
    """Returns the remedy that lists what can be uploaded."""
    return Said("Upload one of: {formats}.", formats=[*extensions()])
