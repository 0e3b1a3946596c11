"""Sets from postings are those that reading every text gives, for words in any writing."""

from __future__ import annotations

import random

import pytest
from night import spread

from lab.algebra import Corpus, Document
from lab.corpus.conditions import All, AnyOf, Condition, Not, holds
from lab.refine.boolean import Matching, Reading, Word, parse
from lab.refine.sets import Sets

TEXT = """
kiln kilns Wi-Fi wifi wi fi 3.5mm 3.5 mm 5G 5 g C++ c# C .NET net asp.net WH-1000XM5 1000xm5 xm 1000
1,000 U.S. us how What how-to does doing do 电池 電池 电 池 年假 休年假 怎么 什么 为什么 什 出厂设置
恢复出厂设置 设置 iPhone手机 5G手机 café foo_bar foo e-mail email emails state-of-the-art stateoftheart
８００ 10⁶ 2h30min 1-2 12 0,125 ß straße ﬁle file İ -5 里面 裏面 这里 乾隆 干 头发 發 ½ Foo™ don't Don’t
2024-05-01 05 a.b.c abc 𠮷野 … ok…no rv-450w 450w 1.5m-cable cable
"""
WORDS = TEXT.split()
BETWEEN = [" ", " ", " ", "", "\n", "，", "-", ".", "_", "/", "(", "'", "　"]


class Draw(random.Random):
    def text(self, most: int) -> str:
        return "".join(self.choice(WORDS) + self.choice(BETWEEN) for _ in range(self.randint(0, most)))

    def leaf(self) -> Word:
        words = self.choices(WORDS, k=self.choice([1, 1, 2, 3]))
        text = " ".join(words) if self.random() < 0.8 else self.text(3).strip() or "x"
        field = self.choice(["", "", "", "title", "text", "source"])
        return Word.of(text, field, self.random() < 0.5, self.random() < 0.4)

    def tree(self, depth: int) -> Condition:
        if not depth or self.random() < 0.4:
            return self.leaf()
        if self.random() < 0.3:
            return Not(self.tree(depth - 1))
        parts = tuple(self.tree(depth - 1) for _ in range(self.randint(1, 3)))
        return All(parts) if self.random() < 0.5 else AnyOf(parts)

    def corpus(self, size: int) -> Corpus:
        sources = ["faq", "the Wi-Fi manual", "电池 手册"]
        return Corpus(
            "drawn",
            tuple(
                Document(str(i), self.text(8), self.choice(["", self.text(3)]), {"source": self.choice(sources)})
                for i in range(size)
            ),
        )


def fits_places(node: Condition, matching: Matching, reading: Reading) -> bool:
    """Returns whether a text fits by the places of its matches."""
    return holds(node, lambda leaf: isinstance(leaf, Word) and matching.find(leaf, reading) is not None)


@pytest.mark.parametrize("seed", spread([2, 1, *range(3, 60)], 1))  # the second one has words in doubt in each field
def test_a_set_is_that_of_reading_every_text(seed: int) -> None:
    draw, some = Draw(seed), 0
    corpus = draw.corpus(40)
    readings = [Reading(document) for document in corpus]
    for stems in (True, False):
        for depth in (*[0] * 20, *[3] * 20):
            node, matching = draw.tree(depth), Matching(stems)
            fitting = [fits_places(node, matching, reading) for reading in readings]
            assert Sets(corpus, stems=stems).fitting(node).tolist() == fitting, node
            assert [matching.holds(node, reading) for reading in readings] == fitting
            some += 0 < sum(fitting) < len(corpus)
    assert some > 15


def test_few_texts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words and pairs of Han characters are decided by postings alone; a phrase reads those with all of its words."""
    texts = ["a kiln and a loom", "kilns for 电池", "looms, kilns", "wax only", "年假"] * 20
    corpus = Corpus("many", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    read, reading = list[int](), Sets._read
    monkeypatch.setattr(
        Sets, "_read", lambda self, leaf, rows, *how: read.extend(rows) or reading(self, leaf, rows, *how)
    )
    for text in ("kiln", "looms", "电池", "年假", "池"):
        assert Sets(corpus).fitting(Word.of(text)).any()
    assert not read
    Sets(corpus).fitting(All((Word.of("wax"), Word.of("wax only", phrase=True))))
    assert len(read) == 20


CRAFTS = ["kiln", "wax", "loom", "clay"]


def drawn(seed: int) -> Corpus:
    rng = random.Random(seed)
    return Corpus("drawn", tuple(Document(str(i), " ".join(rng.choices(CRAFTS, k=3))) for i in range(60)))


def test_every_part_has_its_count() -> None:
    corpus = drawn(1)
    held = {w: {d.id for d in corpus if w in d.text.split()} for w in CRAFTS}
    rows = Sets(corpus).parts(parse("(kiln OR wax) AND NOT loom").tree)
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
    rows = list(Sets(corpus).parts(parse('"kiln wax" -clay').tree))
    row = {str(r.label): r.documents for r in rows}
    assert row["“kiln wax” in a row"] == sum("kiln wax" in d.text for d in corpus) > 0
    assert row["not clay"] == sum("clay" not in d.text for d in corpus)
    assert rows[0].documents == sum("kiln wax" in d.text and "clay" not in d.text for d in corpus)


def test_a_corpus_of_nothing_has_empty_sets() -> None:
    assert [r.documents for r in Sets(Corpus("none", ())).parts(parse("kiln -wax").tree)] == [0, 0, 0, 0]
