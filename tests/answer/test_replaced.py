"""An answer says by what its sources are replaced, and only of sources that it uses."""

from __future__ import annotations

from dataclasses import replace

from lab.answer.answered import Answered, from_model
from lab.answer.citations import BestSentence
from lab.answer.replaced import replaced_sources
from lab.corpus import samples

CORPUS = samples.load("staff").corpus
PASSAGES = [CORPUS.documents[CORPUS.positions[i]] for i in ("sh-023", "sh-002", "sh-001")]


def answer_from(number: int) -> Answered:
    """An answer that copies the first sentence of a passage."""
    sentence = PASSAGES[number].text.partition(". ")[0] + "."
    return from_model(sentence, "q", PASSAGES, BestSentence(), CORPUS, by="a person")


def test_an_outdated_source_is_named_with_the_passage_that_replaces_it() -> None:
    old = answer_from(1)
    assert 1 in old.used
    sentence = str(replaced_sources(old, CORPUS)[0])
    assert sentence.startswith("Source 2, “Annual leave (2022)”: Replaced by “Annual leave (2025)” of 2025-01-01;")


def test_a_valid_source_an_old_one_without_a_successor_and_a_refusal_have_none() -> None:
    assert 0 in answer_from(0).used
    assert replaced_sources(answer_from(0), CORPUS) == ()
    assert replaced_sources(replace(answer_from(1), says=False), CORPUS) == ()
