"""A line in the reader's language under a passage or a question of a sample that is in the other one."""

from __future__ import annotations

from lab.algebra import Document
from lab.corpus import samples
from lab.ui import cache
from lab.ui.i18n import language


def of(document: Document) -> str:
    """What a passage says, or ""; one of the visitor's own that has the id of a sample's has none."""
    for name in samples.names():
        told = samples.glosses(name, language()).get(document.id, "")
        if told and cache.sample(name).corpus.get(document.id) == document:
            return told
    return ""


def of_question(text: str) -> str:
    """What a question says, or ""."""
    found = (samples.glosses(name, language()).get(text, "") for name in samples.names())
    return next(filter(None, found), "")


def beside(text: str) -> str:
    """A question, with what it says in brackets where it is in the other language."""
    told = of_question(text)
    return f"{text} ({told})" if told else text
