"""Superseded editions: those of the samples, invented ones, and similar texts that are no editions of one another."""

from __future__ import annotations

import random

import numpy as np
import pytest
from night import for_each

from lab import formats
from lab.algebra import Corpus, Document, Hit, Query, Ranking, Runner
from lab.corpus import samples
from lab.corpus.editions import title_without_edition
from lab.models.embedders import vectors_of
from lab.models.static import BuiltIn
from lab.refine.superseded import NEAR, Superseded
from lab.retrieve.lexical import BM25

LEAVE = "Full-time staff have {days} days of annual leave a year, booked in half days. The leave year ends in December."
PUMP = "Oil the {name} pump every month and clean its filter with warm water. Hold the button for {n} seconds to start."


def passage(id: str, title: str, text: str, date: object, **fields: object) -> Document:
    return Document(id, text, title, {"date": date, **fields} if date else dict(fields))


def replaced(*documents: Document, **knobs: object) -> dict[str, str]:
    """The newer edition of each passage that has one, by id."""
    corpus = Corpus("editions", documents)
    return {i: x.newer.id for i, x in Superseded(**knobs).replacements(documents, corpus).items()}


@pytest.mark.parametrize(("name", "count"), [("staff", 11), ("handbook", 10), ("devices", 0)])
def test_the_samples_have_the_editions_that_their_versions_name(name: str, count: int) -> None:
    """The field “version” is not read by the technique: it says which documents were written as editions."""
    corpus = samples.load(name).corpus
    found = Superseded().replacements(corpus.documents, corpus)
    assert len(found) == count
    for i, replacement in found.items():
        older, newer = corpus.get(i), replacement.newer
        assert older
        assert int(str(older.metadata["version"])) < int(str(newer.metadata["version"]))
        assert older.metadata["topic"] == newer.metadata["topic"]
    years = [d for d in corpus if str(d.metadata.get("version", "")).isdigit()]
    assert len(years) - len({title_without_edition(d.title, int(str(d.metadata["version"]))) for d in years}) == count


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("Annual leave (2022)", "2022-01-01"), ("Annual leave (2025)", "2025-01-01")),
        (("Annual leave, 2nd edition", "2021-05"), ("Annual leave, 3rd edition", "2021-06-01")),
        (("Leave rules version 1.2", 2022), ("Leave rules version 2", 2024)),
        (("Leave rules 2023", "2022-12-20"), ("Leave rules 2024", "2023-12-18")),
        (("Leave rules", "31/12/2023"), ("Leave rules (revised)", "13/02/2024")),
        (("年休假规定（2022 版）", "2022-03-01"), ("年休假规定（2025 年修订）", "2025-01-01")),
        (("年休假规定 第二版", "2022年3月1日"), ("年休假规定 第3版", "2025年1月1日")),
        (("", "2022-03-01"), ("", "2025-01-01")),
    ],
)
def test_a_later_edition_replaces_an_earlier_one_and_never_the_reverse(
    old: tuple[str, object], new: tuple[str, object]
) -> None:
    older = passage("old", old[0], LEAVE.format(days=24), old[1])
    newer = passage("new", new[0], LEAVE.format(days=26), new[1])
    other = passage("other", "Parking", "Visitors park behind the house.", "2025-06-01")
    assert replaced(older, newer, other) == replaced(newer, other, older) == {"old": "new"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # editions for two products: by title, by model number, by name, by field
        (("WR-5 charging (2022)", PUMP, "2022", "WR-5"), ("WR-5S charging (2024)", PUMP, "2024", "WR-5S")),
        (("Care (2022)", PUMP, "2022", "VT-900XM"), ("Care (2024)", PUMP, "2024", "VT-900XN")),
        (("Care (2022)", PUMP, "2022", "Aurora"), ("Care (2024)", PUMP, "2024", "Borealis")),
        (("", PUMP, "2022", "VT-900XM"), ("", PUMP, "2024", "VT-900XN")),
        (("", PUMP, "2022", "Aurora"), ("", PUMP, "2024", "Borealis")),
        (("Office 2016: install", PUMP, "2023-05-01", "old"), ("Office 2019: install", PUMP, "2024-05-01", "old")),
        (
            ("Car park draw: first quarter", PUMP, "2025-01-13", "x"),
            ("Car park draw: second quarter", PUMP, "2025-04-07", "x"),
        ),
        (("FW: Leave", PUMP, "2022", "x"), ("Leave", PUMP, "2024", "x")),
        # not later, or unknown
        (("Care", PUMP, "2024-05-01", "x"), ("Care", PUMP, "2024-05-01", "x")),
        (("Care", PUMP, "2024", "x"), ("Care", PUMP, "2024-05-01", "x")),
        (("Care", PUMP, "2024-05", "x"), ("Care", PUMP, "2024-05-31", "x")),
        (("Care", PUMP, "soon", "x"), ("Care", PUMP, "2024-05-31", "x")),
        # one title for two texts
        (("FAQ", PUMP, "2022", "x"), ("FAQ", "Refunds arrive on the card within a week of the return.", "2024", "x")),
        # parts of one file share title and date: only a near-duplicate is an edition of a part
        (("Handbook", PUMP, "2022", "x"), ("Handbook", LEAVE, "2024", "x")),
    ],
)
def test_similar_texts_of_two_subjects_or_one_day_are_no_editions(
    first: tuple[str, str, str, str], second: tuple[str, str, str, str]
) -> None:
    """Reverse order, too; a third passage shares the title of a file."""
    documents = [
        passage(i, title, text.format(name=name, n=5, days=24), day)
        for i, (title, text, day, name) in zip("ab", (first, second), strict=True)
    ]
    documents.append(passage("c", "Handbook", "Visitors park behind the house.", "2024"))
    assert replaced(*documents) == replaced(*documents[::-1]) == {}


def test_fields_that_must_not_differ_part_the_editions_of_two_products() -> None:
    text = "Hold the button for five seconds until the lamp blinks."
    documents = [passage("a", "Reset", text, "2022", product="one"), passage("b", "Reset", text, "2024", product="two")]
    assert replaced(*documents) == {}
    assert replaced(*documents, apart=()) == {"a": "b"}
    assert replaced(documents[0], passage("b", "Reset", text, "2024")) == {"a": "b"}


def test_a_field_of_the_subject_decides_alone() -> None:
    documents = [
        passage("a", "Old name", "One text.", "2022", policy="HR-7"),
        passage("b", "New name", "Quite another text.", "2024", policy="hr-7"),
        passage("c", "Newest", "A third text.", "2025", policy="HR-7"),
        passage("d", "Other", "One text.", "2026", policy="HR-8"),
        passage("e", "None", "One text.", "2026"),
    ]
    assert replaced(*documents, subject="Policy") == {"a": "c", "b": "c"}


@for_each("seed", range(10))
def test_untitled_editions_are_the_near_duplicates_of_a_later_day(seed: int) -> None:
    rng = random.Random(seed)
    words = ["lamp", "refund", "meeting", "router", "leave", "button"]
    documents = tuple(
        passage(f"d{i}", "", " ".join(sorted(rng.choices(words, k=6))), f"2024-0{rng.randint(1, 9)}-01")
        for i in range(25)
    )
    corpus = Corpus("drawn", documents)
    rows = np.asarray(vectors_of(BuiltIn(), corpus), np.float64)
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    wanted = {}
    for i, old in enumerate(documents):
        fitting = [
            (str(new.metadata["date"]), float(rows[i] @ rows[j]))
            for j, new in enumerate(documents)
            if str(new.metadata["date"]) > str(old.metadata["date"])
            and rows[i] @ rows[j] >= NEAR
            and same_names(old, new)
        ]
        if fitting:
            wanted[old.id] = max(fitting)
    found = Superseded().replacements(documents, corpus)
    assert {i: x.day.isoformat() for i, x in found.items()} == {i: day for i, (day, _) in wanted.items()}
    for i, x in found.items():
        assert x.cosine == pytest.approx(wanted[i][1], abs=1e-6)


def same_names(old: Document, new: Document) -> bool:
    """Whether no word that one repeats is missing in the other, in both directions."""
    texts = old.text.split(), new.text.split()
    return not all({w for w in a if a.count(w) > 1} - set(b) for a, b in (texts, texts[::-1]))


def test_a_removal_names_the_newer_edition_its_day_and_where_it_is() -> None:
    corpus = samples.load("staff").corpus
    after = Runner(corpus)(BM25() >> Superseded(), "How many days of annual leave?")
    reasons = {drop.document.id: str(drop.reason) for drop in after.dropped}
    assert reasons["sh-002"] == (
        "Replaced by “Annual leave (2025)” of 2025-01-01; this one is of 2022-01-01. One subject, cosine 0.860. "
        f"It was at rank {after.parents[0].rank('sh-001')} of the list."
    )
    alone = Ranking(Query("leave"), (Hit(corpus.get("sh-002"), 1.0),), BM25(), corpus=corpus)  # type: ignore[arg-type]
    (drop,) = Superseded()(alone).dropped
    assert str(drop.reason).endswith("cosine 0.860. It is not in this list.")
    (drop,) = Superseded(subject="topic")(alone).dropped
    assert "Both have the same topic." in str(drop.reason)


def test_another_field_of_days_is_read_if_the_corpus_has_no_such_field() -> None:
    documents = [
        Document(str(year), LEAVE.format(days=24), "Leave", {"updated": f"{year}-01-02"}) for year in (2022, 2024)
    ]
    assert replaced(*documents) == {"2022": "2024"}


def test_chunks_of_an_old_edition_go_by_the_edition_of_their_document() -> None:
    corpus = samples.load("staff").corpus
    search = formats.parse("Pipeline((BM25(),), derive=(Chunk(size=100),), refine=(Superseded(),))")
    after = Runner(corpus)(search, "annual leave days")
    assert set(after.ids[:2]) == {"sh-001#1", "sh-001#2"}
    assert not [i for i in after.ids if i.startswith("sh-002")]
    reasons = {drop.document.id: str(drop.reason) for drop in after.dropped}
    assert "Replaced by “Annual leave (2025)” of 2025-01-01" in reasons["sh-002#1"]
    assert reasons["sh-002#1"].endswith("It was at rank 1 of the list.")
