"""Makes names unique: ids of documents, columns of a table, corpora of a visitor."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Names:
    """The used names, and the next free number for each repeated name.

    ``pattern`` is the form of a name with its number; two names are equal if ``key`` returns the same for both.
    """

    def __init__(self, used: Iterable[str] = (), *, pattern: str = "{}-{}", key: Callable[[str], str] = str) -> None:
        self.pattern, self.key = pattern, key
        self.taken = {key(name) for name in used}
        self.next: dict[str, int] = {}

    def free(self, name: str) -> str:
        """Returns ``name``, or the first of ``name-2``, ``name-3``, ... that is not used."""
        if name and self.key(name) not in self.taken:
            return name
        n = self.next.get(name, 2)
        while self.key(self.pattern.format(name, n)) in self.taken:
            n += 1
        self.next[name] = n
        return self.pattern.format(name, n)

    def fresh(self, name: str) -> str:
        """Returns the free form of a name (see `free`), and marks it as used."""
        unique = self.free(name)
        self.taken.add(self.key(unique))
        return unique
