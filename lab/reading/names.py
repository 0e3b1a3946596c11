"""Names that must differ: ids of documents, columns of a table, corpora of a visitor."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class Names:
    """Names that are taken, and the next free number behind each of those that were wanted again.

    ``pattern`` says how a name and its number are written; two names are one where ``key`` gives the same for both.
    """

    def __init__(self, taken: Iterable[str] = (), *, pattern: str = "{}-{}", key: Callable[[str], str] = str) -> None:
        self.pattern, self.key = pattern, key
        self.taken = {key(name) for name in taken}
        self.next: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """``wanted``, or the first of ``wanted-2``, ``wanted-3``, ... that is not taken."""
        if wanted and self.key(wanted) not in self.taken:
            return wanted
        n = self.next.get(wanted, 2)
        while self.key(self.pattern.format(wanted, n)) in self.taken:
            n += 1
        self.next[wanted] = n
        return self.pattern.format(wanted, n)

    def fresh(self, wanted: str) -> str:
        """`free`, and it is taken now."""
        found = self.free(wanted)
        self.taken.add(self.key(found))
        return found
