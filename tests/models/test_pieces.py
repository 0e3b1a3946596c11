"""The best sentence of a passage: its cosine against one sentence at a time, and its place."""

from __future__ import annotations

import numpy as np
import pytest

from lab.algebra import Corpus, Document
from lab.models.embedders import encoder_of
from lab.models.pieces import Pieces, spans_of
from lab.models.static import BuiltIn
from lab.numeric import unit

TEXT = " 耳机坏了。Hold the button for seven seconds! 年假怎么算？"
CORPUS = Corpus(
    "pieces",
    (
        Document("a", TEXT, "指示灯"),
        Document("b", TEXT),
        Document("c", " \n"),
        Document("d", "", "Reset the headphones"),
    ),
)


def test_every_sentence_is_a_piece_and_so_is_the_title() -> None:
    titled = CORPUS.documents[0]
    cut = [titled.content[a:b] for a, b in spans_of(titled)]
    assert cut == ["指示灯", "耳机坏了。", "Hold the button for seven seconds!", "年假怎么算？"]
    assert [TEXT[a:b] for a, b in spans_of(CORPUS.documents[1])] == cut[1:]
    assert spans_of(CORPUS.documents[2]) == [(0, 2)], "what has no sentence is one piece"
    assert [CORPUS.documents[3].content[a:b] for a, b in spans_of(CORPUS.documents[3])] == ["Reset the headphones"]


def test_the_best_sentence_is_the_nearest_of_all_alone() -> None:
    encoder, pieces = encoder_of(BuiltIn(), CORPUS), Pieces.of(BuiltIn(), CORPUS)
    for query in ("press the button", "how many days of leave", "reset"):
        vector = unit(encoder.queries([query]))[0]
        for _again in range(2):  # the second time they are remembered
            cosines, spans = pieces.best(vector, CORPUS.documents)
            for d, cosine, span in zip(CORPUS.documents, cosines, spans, strict=True):
                alone = [float(unit(encoder.documents([d.content[a:b]]))[0] @ vector) for a, b in spans_of(d)]
                assert cosine == pytest.approx(max(alone), abs=1e-6)
                assert span == spans_of(d)[int(np.argmax(alone))]


def test_equal_sentences_are_equally_near_and_one_document_may_be_asked_for_twice() -> None:
    pieces = Pieces.of(BuiltIn(), CORPUS)
    vector = unit(pieces.encoder.queries(["button"]))[0]
    a, b = CORPUS.documents[:2]
    cosines, spans = pieces.best(vector, [a, b, a])
    assert cosines[0] == cosines[1] == cosines[2]
    assert a.content[slice(*spans[0])] == b.content[slice(*spans[1])] == "Hold the button for seven seconds!"
    assert pieces.best(vector, []).spans == []
