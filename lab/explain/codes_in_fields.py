"""Codes of a question that only fields hold, which a search by words or vectors does not read."""

from __future__ import annotations

import re

from lab.algebra import Corpus
from lab.words import N_, Said

CODE = re.compile(r"(?=[\w./#-]*\d)(?=[\w./#-]*[^\W\d]|[\w./#-]*\w[./#-]\w|\d{5})[^\W_](?:[\w./#-]*[^\W_])?", re.ASCII)
"""A word with a digit, and with a letter, a sign between its parts or five digits: A-10293, 10293."""
MOST = 100_000
"""Passages of the largest corpus that is read for this."""
SHOWN = 3
"""Maximum number of passages that are named."""


def codes_in_fields(question: str, corpus: Corpus) -> tuple[Said, ...]:
    """Returns a sentence for each code of a question that no text has but a field of some passages."""
    codes = {code.casefold(): code for code in CODE.findall(question)}
    if not codes or corpus.elsewhere or len(corpus) > MOST:
        return ()
    ids = dict[tuple[str, str], list[str]]()
    for document in corpus:
        for field, value in document.metadata.items():
            values = value if isinstance(value, list | tuple) else (value,)
            for code in codes.keys() & {str(x).strip().casefold() for x in values}:
                ids.setdefault((code, field), []).append(document.id)
    written = {code for code, _ in ids if any(code in document.content.casefold() for document in corpus)}
    message = N_("“{code}” is in no text, only in the field “{field}”, which no list reads. Passages: {n} ({ids}).")
    return tuple(
        Said(message, code=codes[code], field=field, n=len(there), ids=", ".join(there[:SHOWN]))
        for (code, field), there in ids.items()
        if code not in written
    )
