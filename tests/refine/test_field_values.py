"""The values of fields in filters: months, times that are counted from 1970, numbers with a decimal comma."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lab.algebra import Corpus, Document, Stage, Value
from lab.corpus.fields import DAY, NUMBER, field_reading
from lab.corpus.statistics import fields_of
from lab.refine.decay import TimeDecay
from lab.refine.where import MetadataFilter, Where
from lab.retrieve.lexical import BM25


def corpus_of(name: str, values: Sequence[Value]) -> Corpus:
    return Corpus("c", tuple(Document(str(i), "Kites fly.", "", {name: v}) for i, v in enumerate(values)))


def kept(corpus: Corpus, stage: Stage) -> list[str]:
    return sorted(hit.document.id for hit in (BM25() >> stage).index(corpus).search("kites", k=10))


MONTHS = [
    ["2024-05", "2024-07", "2023-01"],
    ["2024年5月", "2024年7月", "2023年1月"],
    ["May 2024", "July 2024", "Jan. 2023"],
]
COUNTED: list[list[Value]] = [
    [1714521600, 1719792000, 1672531200],
    [1714521600000, 1719792000000, 1672531200000],
    ["1714521600", "1719792000", "1672531200"],
    [1714521600.25, 1719792000.5, 1672531200.75],
]


@pytest.mark.parametrize("values", [*MONTHS, *COUNTED], ids=str)
def test_months_and_counted_times_are_dates(values: list[Value]) -> None:
    corpus = corpus_of("created", values)
    assert field_reading(corpus, "created").kind == DAY
    assert next(f for f in fields_of(corpus) if f.name == "created").dated
    assert kept(corpus, Where("created >= 2024-06-01")) == ["1"]
    assert kept(corpus, Where("created = 2024-05")) == ["0"]
    assert kept(corpus, Where("created = 2024")) == ["0", "1"]
    assert kept(corpus, Where("created between 2024-05-01 and 2024-05-31")) == ["0"]


@pytest.mark.parametrize(("values", "left"), [*((m, ["0", "1"]) for m in MONTHS), *((c, ["1"]) for c in COUNTED)])
def test_the_age_of_a_month_counts_from_its_last_day(values: list[Value], left: list[str]) -> None:
    young = MetadataFilter(max_age_days=60, as_of="2024-07-20", unreadable="drop", date_field="created")
    assert kept(corpus_of("created", values), young) == left
    ages = TimeDecay(date_field="created").ages((BM25()).index(corpus_of("created", values)).search("kites", k=3))
    assert ages.undated == 0


@pytest.mark.parametrize("name", ["views", "价格", "station"])
def test_large_numbers_that_are_called_otherwise_stay_numbers(name: str) -> None:
    corpus = corpus_of(name, [1714521600, 1719792000])
    assert field_reading(corpus, name).kind == NUMBER
    assert kept(corpus, Where(f"{name} > 1715000000")) == ["1"]


def test_small_numbers_in_a_field_called_a_time_stay_numbers() -> None:
    assert field_reading(corpus_of("time", [12, 40, 1714521600]), "time").kind == NUMBER


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["2,50", "12,75", "1.234,50 €"], [2.5, 12.75, 1234.5]),
        (["0,5 %", "15 %", "7,25 %"], [0.5, 15, 7.25]),
        (["1,200", "2,5"], [1200, None]),
        (["1,200.50", "3"], [1200.5, 3]),
    ],
)
def test_a_decimal_comma_is_read_as_in_an_uploaded_table(values: list[str], numbers: list[float | None]) -> None:
    corpus = corpus_of("price", values)
    for limit in (1, 10, 1000):
        above = [str(i) for i, number in enumerate(numbers) if number is not None and number > limit]
        assert kept(corpus, Where(f"price > {limit}")) == above
