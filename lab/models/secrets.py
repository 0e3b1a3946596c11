"""A secret that cannot be shown by accident."""

from __future__ import annotations


class Secret(str):
    """A key or password: a string whose repr is masked and that has no plain ``str()``.

    Take the text out on purpose, with `reveal`, at the place where it is sent.  It compares and hashes by
    its content, so that specifications with different keys differ.
    """

    __slots__ = ()

    def reveal(self) -> str:
        """The secret itself."""
        return str.__str__(self)

    def __repr__(self) -> str:
        return "Secret('…')" if str.__len__(self) else "Secret('')"

    def __str__(self) -> str:
        return "…" if str.__len__(self) else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written down")
