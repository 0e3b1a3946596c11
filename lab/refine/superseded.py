"""Superseded editions: a newer edition of the same text is in the corpus, so this one no longer holds.

Age is not supersession: an old rule may hold for years, and a new text may be about another product.  Two passages are
editions of one text if they have the same subject and the later one has a later date:

- by a field: both have the same value of ``subject``, such as a policy's number;
- by their texts: their titles are equal without the year, version or edition, and their vectors are similar
  (``threshold``).  Parts of one file, which share title and date, and passages without a title must be near-duplicates
  (`NEAR`).  A name that one text has in place of another's is another subject: a model number, a word that is repeated.

Fields of ``apart``, such as the product, must not differ.  What is compared is the whole corpus, not the list.

Source of near-duplicates as the sign of a version: A. Broder, *On the resemblance and containment of documents*, 1997;
the rules on titles and names are the lab's own, measured in its guide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from lab.algebra import Corpus, Document, Env, Ranking, fraction, knob
from lab.corpus.editions import names_differ, title_without_edition
from lab.corpus.fields import elements, field_name, field_period, field_reading
from lab.corpus.statistics import date_field, fields_of
from lab.models.embedders import Embedder, rows_for
from lab.models.rows import rows_of
from lab.models.static import EMBEDDER
from lab.numeric import unit
from lab.refine.filters import ALIKE, DAY_ORDER, Filter, Judged, order_of
from lab.refine.per_document import origin_of
from lab.text import fold
from lab.text.quantities.dates import Period
from lab.words import N_, Said

NEAR = 0.9
"""Cosine from which passages without a title, and parts of one file, are editions of one text."""


@dataclass(frozen=True)
class Replacement:
    """A newer edition of a passage, the days of both, and their cosine, or the field whose value they share."""

    newer: Document
    day: date
    own_day: date
    cosine: float | None
    field: str = ""

    @property
    def sentence(self) -> Said:
        """Says which edition replaces a passage, and by what they are known to be editions of one text."""
        told = {"title": self.newer.label, "day": self.day.isoformat(), "own": self.own_day.isoformat()}
        if self.cosine is None:
            return Said(
                N_("Replaced by “{title}” of {day}; this one is of {own}. Both have the same {field}."),
                field=self.field,
                **told,
            )
        message = N_("Replaced by “{title}” of {day}; this one is of {own}. One subject, cosine {cosine:.3f}.")
        return Said(message, cosine=self.cosine, **told)


@dataclass(frozen=True)
class Superseded(Filter):
    """Removes passages of which the corpus has a newer edition, and names it: see `lab.refine.superseded`.

    A later date is a day after the other's day, month or year has ended.  Passages without a readable date stay.
    If the corpus has no ``date_field``, its first field of days is read.
    """

    inputs = ("texts", "metadata")
    label = Said("Superseded editions")
    about = Said("Removes passages of which the corpus has a newer edition.")
    cost = 2

    subject: str = knob(
        "",
        Said("Field of the subject"),
        Said("Passages with the same value are editions of one text. Empty: by titles, texts and names."),
    )
    threshold: float = fraction(
        0.5,
        Said("Editions from cosine"),
        Said("For passages with the same title. Without titles, at least 0.9 is required."),
    )
    apart: tuple[str, ...] = knob(
        ("product", "lang", "region"),
        Said("Fields that must not differ"),
        Said("Passages with different values of such a field are never editions of one text."),
        kind="words",
        rare=True,
    )
    day_order: str = DAY_ORDER()
    date_field: str = knob("date", Said("Field of the date"), Said("Name of the metadata field."))
    embedder: Embedder = EMBEDDER()

    def judge(self, ranking: Ranking, env: Env) -> Judged:
        newer = self.replacements([hit.document for hit in ranking.hits], ranking.corpus)
        ranks = dict[str, int]()
        for rank, hit in enumerate(ranking.hits, 1):
            ranks.setdefault(origin_of(hit.document.id, ranking.corpus)[0], rank)

        def reason(found: Replacement) -> Said:
            rank = ranks.get(found.newer.id)
            if rank is None:
                return Said("{replaced} It is not in this list.", replaced=found.sentence)
            return Said("{replaced} It was at rank {rank} of the list.", replaced=found.sentence, rank=rank)

        return Judged([reason(newer[i]) if (i := hit.document.id) in newer else None for hit in ranking.hits])

    def replacements(self, passages: Sequence[Document], corpus: Corpus) -> dict[str, Replacement]:
        """Returns the newest edition of each passage that has a newer one, by the passage's id.

        Of a chunk, the document that it was made of is compared.
        """
        origins = {passage.id: origin_of(passage.id, corpus) for passage in passages}
        base = next(iter(origins.values()))[1] if origins else corpus
        if base.elsewhere:
            base = Corpus(base.name, tuple(passages))  # the others are not at hand
        editions: _Editions = base.once(("editions", self), lambda: _Editions(self, base))
        newest = ((i, editions.newest(d, base)) for i, (name, _) in origins.items() if (d := base.get(name)))
        return {i: replacement for i, replacement in newest if replacement is not None}


class _Editions:
    """The dated passages of a corpus by their subjects."""

    def __init__(self, operator: Superseded, corpus: Corpus) -> None:
        self.operator = operator
        self.field = field_name(corpus, operator.subject.strip())
        self.apart = [field_name(corpus, name) for name in operator.apart]
        reading = field_reading(corpus, date_field(fields_of(corpus), operator.date_field))
        reading = replace(reading, order=order_of(reading, operator.day_order))
        self.periods, self.groups = dict[str, Period](), defaultdict[str, list[Document]](list)
        for document in corpus:
            values = elements(document.metadata.get(reading.name))
            if periods := [p for value in values if (p := field_period(value, reading))]:
                self.periods[document.id] = max(periods, key=lambda period: period.last)
                self.groups[self.subject_of(document)].append(document)
        days = {subject: Counter(self._day(d) for d in group) for subject, group in self.groups.items()}
        self.whole = {subject for subject, counts in days.items() if subject and max(counts.values()) == 1}

    def _day(self, document: Document) -> date:
        return self.periods[document.id].last

    def subject_of(self, document: Document) -> str:
        """Returns the value of the subject field, or the title without its edition; empty if there is none."""
        if self.field:
            return fold(", ".join(map(str, elements(document.metadata.get(self.field)))))
        return title_without_edition(document.title, self._day(document).year)

    def newest(self, passage: Document, corpus: Corpus) -> Replacement | None:
        """Returns the newest edition after this passage; of two of one day, the more similar one."""
        if passage.id not in self.periods:
            return None
        own, subject = self.periods[passage.id], self.subject_of(passage)
        group = self.groups[subject] if subject else [] if self.field else self._near(passage, corpus)
        later = [d for d in group if self.periods[d.id].first > own.last and not self._is_apart(passage, d)]
        if not later:
            return None
        if self.field:
            best = max(later, key=self._day)
            return Replacement(best, self._day(best), own.last, None, self.field)
        rows = unit(rows_for(self.operator.embedder, [passage, *later], corpus))
        cosines = np.einsum("ij,j->i", rows[1:], rows[0]).tolist()
        least = self.operator.threshold if subject in self.whole else max(self.operator.threshold, NEAR)
        for cosine, document in sorted(zip(cosines, later, strict=True), key=lambda x: (self._day(x[1]), x[0]))[::-1]:
            if cosine >= least - ALIKE and not names_differ(passage.content, document.content):
                return Replacement(document, self._day(document), own.last, cosine)
        return None

    def _near(self, passage: Document, corpus: Corpus) -> list[Document]:
        """Returns the near-duplicates of a passage without a title, by a quick pass with its error as the margin."""
        vector = unit(rows_for(self.operator.embedder, [passage], corpus))[0]
        places = rows_of(self.operator.embedder, corpus).at_least(vector, NEAR)
        near = [corpus.documents[i] for i in places.tolist()]
        return [d for d in near if d.id in self.periods and not self.subject_of(d)]

    def _is_apart(self, first: Document, second: Document) -> bool:
        """Returns whether both have a field of ``apart``, with different values."""
        pairs = ((first.metadata.get(name), second.metadata.get(name)) for name in self.apart)
        return any(None not in pair and pair[0] != pair[1] for pair in pairs)
