"""Regular expressions that are compiled when they are first used: hundreds of them are not, in most processes."""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """A regular expression before its first use; afterwards the methods of the compiled one are its attributes."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask for methods that a pattern need not have
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> Any:
        return LazyPattern, (self.pattern, self._flags)


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Returns the regular expression, as `re.compile` does, but a mistake in it is reported at its first use."""
    return cast("re.Pattern[str]", LazyPattern(text, int(flags)))
