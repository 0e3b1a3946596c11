"""Questions that the samples do not answer: their make-up, and that the lab abstains from them."""

from __future__ import annotations

from collections import Counter

from benchmarks.abstain import HALVES, KINDS, unanswerable
from lab.corpus import samples

QUESTIONS = unanswerable()


def test_every_sample_has_thirty_questions_of_each_kind_half_of_them_held_out() -> None:
    counts = Counter((q.corpus, q.kind, q.half) for q in QUESTIONS)
    assert counts == {(name, kind, half): 15 for name in samples.names() for kind in KINDS for half in HALVES}
    assert len({(q.corpus, q.text) for q in QUESTIONS}) == len(QUESTIONS)


def test_the_questions_are_in_the_languages_of_their_sample() -> None:
    languages = {name: {q.language for q in QUESTIONS if q.corpus == name} for name in samples.names()}
    assert languages == {"devices": {"en", "zh"}, "handbook": {"zh"}, "staff": {"en"}}
