"""Reads the vectors in a server's answer: in the order of the texts, whatever the server calls their places."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lab.errors import ModelError
from lab.words import Said


def read_vectors(reply: Any, n: int, *, dimensions: int, url: str, check: Said) -> np.ndarray:
    """Returns the vectors of ``n`` texts, shape [n, dimensions]; ``dimensions`` is 0 if any length is fine.

    Raises `ModelError` that says what is wrong with them, with the remedy ``check``.
    """
    rows = _rows(reply)
    if len(rows) != n:
        values = {"url": url, "got": len(rows), "wanted": n}
        raise ModelError(Said("Vectors from the server at {url}: {got}, texts sent: {wanted}.", **values), check)
    vectors = [_numbers(row, url, check) for row in _in_order(rows, url, check)]
    lengths = sorted({len(vector) for vector in vectors} | ({dimensions} if dimensions else set()))
    if len(lengths) > 1:
        values = {"url": url, "lengths": lengths}
        raise ModelError(Said("The server at {url} did not send vectors of equal length: {lengths}.", **values), check)
    if not lengths or not lengths[0]:
        raise ModelError(Said("The server at {url} sent empty vectors.", url=url), check)
    matrix = np.stack(vectors)
    if not np.isfinite(matrix).all():
        message = Said("The server at {url} sent vectors with numbers that are not finite (NaN or infinite).", url=url)
        raise ModelError(message, check)
    return matrix


def _rows(reply: Any) -> list[Any]:
    """Returns the rows of an answer, wherever they stand.  Raises TypeError if there are none."""
    while isinstance(reply, Mapping):
        names = ("data", "embeddings", "vectors", "output", "result", "float")
        reply = next((reply[name] for name in names if isinstance(reply.get(name), list | Mapping)), None)
    if not isinstance(reply, list):
        raise TypeError("no vectors")
    return reply


def _in_order(rows: Sequence[Any], url: str, check: Said) -> list[Any]:
    """Returns the rows in the order of the texts.

    Some servers write no index, the same for all, or none for the first row; then the order is that of the answer, or
    the one that is missing.
    """
    indexes = [_index(row.get("index", row.get("text_index"))) if isinstance(row, Mapping) else None for row in rows]
    known = [index for index in indexes if index is not None]
    if len(rows) - len(known) == 1 and len(set(known)) == len(known) and len(rows) > 1:
        free = next((i for i in range(len(rows)) if i not in known), None)
        indexes = [free if index is None else index for index in indexes]
    if not known or set(indexes) == {0}:
        return [*rows]
    if None in indexes or len(set(indexes)) < len(rows):
        listed = ["–" if index is None else index for index in indexes[:10]]
        message = Said("The server at {url} numbers its vectors unclearly: {indexes}.", url=url, indexes=listed)
        raise ModelError(message, check)
    return [rows[i] for i in sorted(range(len(rows)), key=lambda i: indexes[i] or 0)]


def _index(value: Any) -> int | None:
    """Returns an index that is a whole number or the text of one."""
    text = str(value).strip().removesuffix(".0")
    return int(text) if text.isdecimal() else None


def _numbers(row: Any, url: str, check: Said) -> np.ndarray:
    """Returns the numbers of a row: a list, or float32 in base64."""
    vector = row
    while isinstance(vector, Mapping):
        vector = next((vector[name] for name in ("embedding", "vector", "values") if name in vector), None)
    try:
        if isinstance(vector, str):
            return np.frombuffer(base64.b64decode(vector, validate=True), dtype="<f4").astype(np.float32)
        while isinstance(vector, list) and len(vector) == 1 and isinstance(vector[0], list):
            vector = vector[0]
        if isinstance(vector, list) and all(isinstance(x, int | float) and not isinstance(x, bool) for x in vector):
            return np.asarray(vector, dtype=np.float32)
    except (binascii.Error, ValueError, OverflowError):
        pass
    raise ModelError(Said("The server at {url} sent something else than numbers in a vector.", url=url), check)
