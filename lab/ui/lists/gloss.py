"""A line in the reader's language under a passage or a question of a sample that is in the other one."""

from __future__ import annotations

from lab.algebra import Document
from lab.corpus import samples
from lab.ui import cache
from lab.ui.i18n import language


def for_document(document: Document) -> str:
    """Returns a passage's meaning, or ""; a visitor's own passage with the id of a sample's does not have one."""
    for name in samples.names():
        gloss = samples.glosses(name, language()).get(document.id, "")
        if gloss and cache.sample(name).corpus.get(document.id) == document:
            return gloss
    return ""


def for_question(text: str) -> str:
    """Returns a question's meaning, or ""."""
    glosses = (samples.glosses(name, language()).get(text, "") for name in samples.names())
    return next(filter(None, glosses), "")


def with_gloss(text: str) -> str:
    """Returns a question, with its meaning in brackets if it is in the other language."""
    gloss = for_question(text)
    return f"{text} ({gloss})" if gloss else text
