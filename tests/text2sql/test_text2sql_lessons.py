"""The lessons of the Text2SQL page: what they claim is what the rows say."""

from __future__ import annotations

import pytest

from lab.text2sql.database import open_sample
from lab.text2sql.lessons import Lesson, counts, play, read

LESSONS = read()


def test_there_are_lessons_with_texts_in_both_languages():
    assert len(LESSONS) >= 6
    for lesson in LESSONS:
        assert set(lesson.title) == set(lesson.claim) == {"en", "zh"}
        assert len(lesson.turns) == len(lesson.expect)


@pytest.mark.parametrize("lesson", LESSONS, ids=[x.id for x in LESSONS])
def test_a_lesson_comes_to_the_counts_it_claims(lesson: Lesson):
    turns = play(open_sample(lesson.database), lesson.turns, today=lesson.today)
    assert counts(turns) == lesson.expect
    assert tuple(word for turn in turns for word in turn.unknown) == lesson.unknown


def test_another_count_would_be_noticed():
    lesson = LESSONS[0]
    turns = play(open_sample(lesson.database), lesson.turns[:1], today=lesson.today)
    assert counts(turns) != (lesson.expect[0] + 1,)
