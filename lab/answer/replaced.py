"""Sources of an answer of which the corpus has a newer edition: the answer says what replaces them."""

from __future__ import annotations

from lab.algebra import Corpus
from lab.answer.answered import Answered
from lab.refine.superseded import Superseded
from lab.words import Said


def replaced_sources(answered: Answered, corpus: Corpus) -> tuple[Said, ...]:
    """Returns a sentence for every source that is superseded, in the order of their first use; none if it abstains.

    ``corpus`` is the one that was searched, which for chunks is the derived one.
    """
    used = {i + 1: corpus.get(answered.passages[i].id) for i in (answered.used if answered.says else ())}
    sources = {number: document for number, document in used.items() if document is not None}
    newer = Superseded().replacements(list(sources.values()), corpus)
    return tuple(
        Said("Source {n}, “{title}”: {replaced}", n=number, title=source.label, replaced=newer[source.id].sentence)
        for number, source in sources.items()
        if source.id in newer
    )
