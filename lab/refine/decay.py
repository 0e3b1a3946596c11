"""Time decay: a share of the score that halves with every half-life of a document's age.

A filter by age cuts: a document one day too old is gone.  A decay bends: an old document needs a better text score.

Source: exponential decay of documents by age, as in LangChain's ``TimeWeightedVectorStoreRetriever``, whose
``(1 - decay_rate) ** hours`` is this module's ``2 ** (-age / half_life)`` for
``decay_rate = 1 - 2 ** (-1 / (24 * half_life))``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date

from lab.algebra import Contribution, Corpus, Document, Env, Hit, Outcome, Ranking, Stage, fraction, in_order, knob
from lab.corpus.fields import FieldReading, elements, field_period, field_reading, is_year
from lab.fuse import normalise
from lab.refine.filters import DAY_ORDER, order_of
from lab.text.quantities.dates import read_date, reference_date
from lab.words import Said

MISSING = {"half": 0.5, "old": 0.0, "new": 1.0}
"""The decay of a document without a readable date."""


@dataclass(frozen=True, slots=True)
class Ages:
    """The data of a decay: the reference day, and the age in days of each hit, in the order of the input.

    An age is None without a readable date, and 0 for a date after the reference day.  ``first`` holds the
    normalised first scores in the same order; ``documents`` the documents.
    """

    as_of: date | None
    documents: tuple[Document, ...]
    days: tuple[int | None, ...]
    first: tuple[float, ...]

    @property
    def undated(self) -> int:
        """Returns the number of documents without a readable date."""
        return self.days.count(None)


@dataclass(frozen=True)
class TimeDecay(Stage):
    """Reranks by text score and age; keeps every document.

    ``sum``: ``(1 - weight) * s + weight * 2 ** (-age / half_life)``, ``s`` the min-max normalised first score.
    ``product``: ``s * (1 - weight + weight * 2 ** (-age / half_life))``: an old document loses a share of its score.

    The age counts in days back from ``as_of``, or from the newest date of the corpus; never from today, so the same
    experiment gives the same result next year.  A later date has the age 0.  If no document of the list has a
    readable date, the list is unchanged.  Raises `ParameterError` for an ``as_of`` that is not one day.
    """

    inputs = ("scores", "metadata")
    label = Said("Time decay")
    about = Said("Lets newer documents win where the texts fit about equally well.")
    role = "rerank"

    half_life: int = knob(
        365,
        Said("Half-life, days"),
        Said("After this many days the share for age is half as large, after twice as many a quarter."),
        low=1,
        high=36_500,
    )
    weight: float = fraction(
        0.2, Said("Weight of the age"), Said("0: only the first score counts. 1: only the age counts.")
    )
    form: str = knob(
        "sum",
        Said("Age and score are"),
        Said("Added: a new document gets the same bonus whatever its text. Multiplied: a share of its score."),
        choices={"sum": Said("added"), "product": Said("multiplied")},
    )
    as_of: str = knob(
        "",
        Said("Reference date"),
        Said("Ages count from this day. Empty: from the newest date of the corpus."),
        kind="date",
    )
    missing: str = knob(
        "half",
        Said("Documents without a date"),
        Said("How a document counts whose date is missing or unreadable."),
        choices={"half": Said("as after one half-life"), "old": Said("as very old"), "new": Said("as new")},
    )
    day_order: str = DAY_ORDER()
    date_field: str = knob("date", Said("Field of the date"), Said("Name of the metadata field."))

    def __post_init__(self) -> None:
        super().__post_init__()
        reference_date(self.as_of)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        ages = self.ages(ranking)
        if ages.undated == len(ages.days):
            return Outcome(ranking.hits, evidence=ages if env.explain else None)
        name, hits = ranking.source.made_by.label, []
        for hit, first, days in zip(ranking.hits, ages.first, ages.days, strict=True):
            share = self.weight * self.decay(days) * (first if self.form == "product" else 1.0)
            told = AGE_UNKNOWN if days is None else AGE
            parts = (Contribution(name, (1 - self.weight) * first), Contribution(told, share))
            total = math.fsum(part.value for part in parts)
            hits.append(Hit(hit.document, total, parts if env.explain else ()))
        return Outcome(in_order(hits, ranking), evidence=ages if env.explain else None)

    def decay(self, days: int | None) -> float:
        """Returns ``2 ** (-days / half_life)``, from 1 (new) towards 0; without a date the value of ``missing``."""
        return MISSING[self.missing] if days is None else 2.0 ** (-days / self.half_life)

    def ages(self, ranking: Ranking) -> Ages:
        """Returns the age of every hit, in the order of the list."""
        reading = field_reading(ranking.corpus, self.date_field)
        reading = replace(reading, order=order_of(reading, self.day_order))
        today = read_date(self.as_of, reading.order.first) or newest(ranking.corpus, reading)
        dates = [day_of(hit.document, reading) for hit in ranking.hits]
        days = tuple(None if day is None or today is None else max((today - day).days, 0) for day in dates)
        first = tuple(normalise([h.score for h in ranking.hits], "min-max"))
        return Ages(today, tuple(h.document for h in ranking.hits), days, first)


AGE, AGE_UNKNOWN = Said("age"), Said("no date")


def day_of(document: Document, reading: FieldReading) -> date | None:
    """Returns the newest day in a metadata field of a document, of a month its last day, or None."""
    periods = (field_period(value, reading) for value in elements(document.metadata.get(reading.name)))
    return max((period.last for period in periods if period and not is_year(period)), default=None)


def newest(corpus: Corpus, reading: FieldReading) -> date | None:
    """Returns the newest day in a metadata field of a corpus, found once; None if there is none."""

    def find() -> tuple[date | None]:
        return (max((day for document in corpus if (day := day_of(document, reading))), default=None),)

    return corpus.once(("newest day", reading.name, reading.order.first), find)[0]
