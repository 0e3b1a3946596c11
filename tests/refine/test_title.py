"""Title mix: two addends, and a document without a title is neither punished nor rewarded."""

from __future__ import annotations

import numpy as np
import pytest

from lab.algebra import Corpus, Document, Runner
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.refine.title import TITLE, UNTITLED, TitleMix
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

CORPUS = Corpus(
    "pets",
    (
        Document("dog", "It barks at the postman and sleeps a lot.", "Keeping a dog"),
        Document("cat", "It sleeps a lot and does not bark.", "Keeping a cat"),
        Document("twin", "It sleeps a lot and does not bark.", "Keeping a cat"),
        Document("plain", "A dog sleeps a lot."),
    ),
)
QUERY = "how long does a dog sleep"


def test_a_score_is_the_first_one_and_the_cosine_of_the_title() -> None:
    before = Runner(CORPUS)(Vector(), QUERY)
    after = Runner(CORPUS)(Vector() >> TitleMix(0.3), QUERY)
    encoder = encoder_of(BuiltIn(), CORPUS)
    question, title = unit(np.array([encoder.queries([QUERY])[0], encoder.documents(["Keeping a dog"])[0]]))
    dog = after.hit("dog")
    assert [c.source for c in dog.why] == [before.made_by.label, TITLE]
    assert dog.score == pytest.approx(0.7 * before.hit("dog").score + 0.3 * float(question @ title))
    assert sum(c.value for c in dog.why) == pytest.approx(dog.score)


def test_a_document_without_a_title_keeps_its_score_and_equal_ones_tie() -> None:
    before = Runner(CORPUS)(Vector(), QUERY)
    after = Runner(CORPUS)(Vector() >> TitleMix(0.6), QUERY)
    assert after.hit("plain").score == pytest.approx(before.hit("plain").score)
    assert [c.source for c in after.hit("plain").why] == [before.made_by.label, UNTITLED]
    assert after.hit("cat").score == after.hit("twin").score
    assert abs(after.rank("twin") - after.rank("cat")) == 1


def test_weight_0_changes_nothing_and_an_empty_list_stays_empty() -> None:
    before, after = Runner(CORPUS)(Vector(), QUERY), Runner(CORPUS)(Vector() >> TitleMix(0), QUERY)
    assert after.ids == before.ids
    assert Runner(CORPUS)(BM25() >> TitleMix(), "zebra").hits == ()


def test_scores_that_are_no_cosines_can_be_brought_to_their_size() -> None:
    mixed = Runner(CORPUS)(BM25() >> TitleMix(0.5, normalisation="min-max"), "dog sleeps")
    assert all(hit.score <= 1 for hit in mixed)
    assert mixed.hits[0].document.id in ("dog", "plain")
