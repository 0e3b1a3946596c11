"""Where a text is cut: at sentence ends, else clauses, else blanks; never inside a word or a number that fits."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document
from lab.derive.chunk import Chunk, Parts
from lab.derive.parts import ParentChild, Sentences
from lab.text import HAN

WORD = re.compile(rf"[^\W_{HAN}]+(?:[-_.,:'’][^\W_{HAN}]+)*")
"""A word in letters or a number, with what joins its parts: 0x80F4, PX-3310DN, 3.14, 1,000, 10:30, don't."""
SMALL = 20
CUTTERS: Sequence[Parts] = (
    ParentChild(parent=60, child=SMALL),
    ParentChild(parent=100, child=40, overlap=15),
    Sentences(longest=SMALL),
    Chunk(size=SMALL, overlap=0),
    Chunk(size=40, overlap=15),
    Chunk(size=20, overlap=5, unit="tokens"),
)

numbers = st.one_of(
    st.integers(0, 10**7).map(str),
    st.floats(0, 1000, allow_nan=False).map(lambda x: f"{x:.2f}"),
    st.integers(1000, 10**7).map(lambda x: f"{x:,}"),
    st.sampled_from(["10:30", "2024-06-15", "0x80F4", "PX-3310DN", "v3.1.2", "HR-F-055", "12.5%", "don't", "x_1"]),
)
latin = st.text("abcdefghijklmnopqrstuvwxyzéß", min_size=1, max_size=12)
han = st.text("年假工资电池保修期退货打印机的了在", min_size=1, max_size=14)
between = st.sampled_from([" ", " ", "", "。", "，", ". ", ", ", "\n", "\n\n", "；", "：", "！”", "(", ") ", "、", "…"])
texts = st.lists(st.tuples(st.one_of(numbers, latin, han), between), max_size=40).map(
    lambda pairs: "".join(a + b for a, b in pairs)
)


def inside(text: str, cutter: Parts) -> list[str]:
    """The words of at most half a piece's size that a part of this text begins or ends in the middle of."""
    words = [(m.start(), m.end()) for m in WORD.finditer(text) if m.end() - m.start() <= SMALL // 2]
    places = {at for start, end, _ in cutter.cut(text) for at in (start, end)}
    return [text[a:b] for a, b in words if any(a < at < b for at in places)]


@pytest.mark.parametrize("cutter", CUTTERS, ids=str)
@given(text=texts)
@examples(60)
def test_no_part_begins_or_ends_inside_a_word_or_a_number(cutter: Parts, text: str) -> None:
    assert inside(text, cutter) == []


def test_a_cut_inside_a_word_is_found() -> None:
    class Blind(Chunk):
        def _by_size(self, text: str) -> list[tuple[int, int]]:
            return [(i, min(i + 7, len(text))) for i in range(0, len(text), 7)]

    assert inside("The printer PX-3310DN stops.", Blind(size=20, overlap=0)) == ["printer", "PX-3310DN"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("年假十五天。" * 3 + "工资" * 30, ["年假十五天。" * 3]),
        ("One two three. Four five six. Seven eight nine.", ["One two three.", "Four five six.", "Seven eight nine."]),
        ("甲乙丙丁" * 3 + "，" + "一二三四" * 3 + "。", ["甲乙丙丁" * 3 + "，", "一二三四" * 3 + "。"]),
    ],
)
def test_a_cut_is_made_at_the_best_border_that_is_there(text: str, wanted: list[str]) -> None:
    derived = ParentChild(parent=60, child=SMALL)(Corpus("c", (Document("d", text),)))
    assert [d.text for d in derived][: len(wanted)] == wanted


def test_a_word_that_is_longer_than_a_piece_is_cut_and_nothing_of_it_is_lost() -> None:
    text = "see " + "x" * 95 + " there"
    derived = ParentChild(parent=60, child=SMALL)(Corpus("c", (Document("d", text),)))
    assert "".join(d.text for d in derived) == text.replace(" ", "")
    assert all(len(d.text) <= SMALL for d in derived)
