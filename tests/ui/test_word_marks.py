"""What is marked in the passages of a list."""

from __future__ import annotations

import pytest

from lab.algebra import Corpus, Document
from lab.retrieve.explaining import word_marker
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer

TEXTS = ["丧假的规定", "我的书", "他的伞", "你的笔"]
OWN = Corpus("marks", tuple(Document(str(i), text) for i, text in enumerate(TEXTS)))


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("奔丧 的 规定", ["丧", "规定"]),  # 的 stands everywhere
        ("的", ["的"]),  # and is all that was asked
        ("伞", []),
    ],
)
def test_a_character_of_most_passages_is_not_marked_beside_words(query: str, marked: list[str]):
    text = OWN.documents[0].text
    assert [
        text[a:b] for a, b in word_marker(query, Analyzer(), TermMatrix.for_corpus(OWN, Analyzer()))(text)
    ] == marked


def test_words_alone_are_marked_without_single_characters_or_a_corpus():
    text = OWN.documents[0].text
    for analyzer in (Analyzer(), Analyzer(characters=False)):
        assert [text[a:b] for a, b in word_marker("奔丧 的 规定", analyzer)(text)] == ["规定"]
