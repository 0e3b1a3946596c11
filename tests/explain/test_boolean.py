"""A question as a tree of sets: the counts are those of the sets themselves."""

from __future__ import annotations

import random

from lab.algebra import Corpus, Document
from lab.explain.boolean import sets
from lab.refine.boolean import parse

WORDS = ["kiln", "wax", "loom", "clay"]


def drawn(seed: int) -> Corpus:
    rng = random.Random(seed)
    return Corpus("drawn", tuple(Document(str(i), " ".join(rng.choices(WORDS, k=3))) for i in range(60)))


def test_every_part_has_its_count() -> None:
    corpus = drawn(1)
    held = {w: {d.id for d in corpus if w in d.text.split()} for w in WORDS}
    rows = sets(parse("(kiln OR wax) AND NOT loom").tree, corpus)
    either, every = held["kiln"] | held["wax"], {d.id for d in corpus}
    expected = [
        (0, "(kiln or wax) and not loom", len(either - held["loom"])),
        (1, "kiln or wax", len(either)),
        (2, "kiln", len(held["kiln"])),
        (2, "wax", len(held["wax"])),
        (1, "not loom", len(every - held["loom"])),
        (2, "loom", len(held["loom"])),
    ]
    assert [(row.depth, str(row.label), row.documents) for row in rows] == expected


def test_phrases_and_signs_have_sets_too() -> None:
    corpus = drawn(2)
    rows = sets(parse('"kiln wax" -clay').tree, corpus)
    row = {str(r.label): r.documents for r in rows}
    assert row["“kiln wax” in a row"] == sum("kiln wax" in d.text for d in corpus) > 0
    assert row["not clay"] == sum("clay" not in d.text for d in corpus)
    assert rows[0].documents == sum("kiln wax" in d.text and "clay" not in d.text for d in corpus)


def test_a_corpus_of_nothing_has_empty_sets() -> None:
    assert [r.documents for r in sets(parse("kiln -wax").tree, Corpus("none", ()))] == [0, 0, 0, 0]
