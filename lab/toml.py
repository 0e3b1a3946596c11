"""Reads TOML from any source: every problem of a file is the same kind of error.

``tomllib`` alone raises three kinds of errors, and takes minutes for a key of many thousand parts.
"""

from __future__ import annotations

import re
import sys
import tomllib
from typing import Any

from lab.words import Said

_CHAIN = re.compile(r"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){64}")
"""A key with 64 parts or more, which tomllib reads very slowly."""


class TomlError(ValueError):
    """A text that is not TOML: ``reason`` says why, and in which line if that is known."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class NestedTooDeeply(TomlError):
    """Tables nested too deeply to be read."""

    def __init__(self) -> None:
        super().__init__(Said("its tables are nested too deeply"))


def read_toml(text: str) -> dict[str, Any]:
    """Returns the tables of a TOML text.  Raises `TomlError`."""
    if _CHAIN.search(text):
        raise NestedTooDeeply
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from None
    except RecursionError:
        raise NestedTooDeeply from None
    except ValueError:
        raise _too_long_a_number(text) from None


def _too_long_a_number(text: str) -> TomlError:
    """Returns the error for a whole number of more digits than Python reads."""
    most = sys.get_int_max_str_digits()
    match = re.search(rf"[=\[,]\s*[+-]?\d[\d_]{{{most},}}", text)
    if match is None:
        return TomlError(Said("a number has more than {n} digits", n=f"{most:,}"))
    line = text.count("\n", 0, match.end()) + 1
    return TomlError(Said("a number has more than {n} digits (at line {line})", n=f"{most:,}", line=line))
