"""A secret that cannot be shown by accident."""

from __future__ import annotations

from collections.abc import Mapping

PART = 6
"""Consecutive characters of a secret that are masked."""
PRIVATE = ("LAB_", "OPENAI_", "HF_TOKEN")
"""Beginnings of variables that hold keys, passwords, or addresses with passwords."""


def without_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment for a process that needs nothing of the lab's settings."""
    return {name: value for name, value in env.items() if not name.startswith(PRIVATE)}


class Secret:
    """A key or password: it has no text of its own, in no repr, no ``str()``, no JSON, no pickle.

    Take the text out on purpose, with `reveal`, at the place where it is sent.  It compares and hashes by
    its content, so that specifications with different keys differ; it is false where it is empty.
    """

    __slots__ = ("_text",)

    _text: str

    def __init__(self, text: str | Secret = "") -> None:
        object.__setattr__(self, "_text", text.reveal() if isinstance(text, Secret) else text)

    def reveal(self) -> str:
        return self._text

    def masked(self, text: str) -> str:
        """Masks the secret in a text, and every part of it that is long enough to matter."""
        secret, shown, i = self._text, list[str](), 0
        least = min(PART, len(secret))
        while i < len(text):
            end = i + least
            if not secret or text[i:end] not in secret or end > len(text):
                shown.append(text[i])
                i += 1
                continue
            while end < len(text) and text[i : end + 1] in secret:
                end += 1
            shown.append("…")
            i = end
        return "".join(shown)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a secret is not changed")

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Secret, self._text))

    def __repr__(self) -> str:
        return "Secret('…')" if self else "Secret('')"

    def __str__(self) -> str:
        return "…" if self else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __copy__(self) -> Secret:  # immutable, so a copy would be the same
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Secret:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written down")
