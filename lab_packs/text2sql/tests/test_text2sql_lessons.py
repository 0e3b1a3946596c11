"""The lessons of the Text2SQL page: what they claim is what the rows say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from night import spread

from lab_packs.text2sql.database import open_sample
from lab_packs.text2sql.lessons import Lesson, check, counts, play, read

LESSONS = read()


def test_there_are_lessons_with_texts_in_both_languages():
    assert len(LESSONS) >= 6
    for lesson in LESSONS:
        assert set(lesson.title) == {"en", "zh"}
        assert all(set(step.text) == {"en", "zh"} and all(step.text.values()) for step in lesson.steps)


@pytest.mark.parametrize("lesson", spread(LESSONS, 3), ids=[x.id for x in LESSONS])
def test_a_lesson_comes_to_the_counts_it_claims(lesson: Lesson):
    turns = play(open_sample(lesson.database), lesson.turns, today=lesson.today)
    assert counts(turns) == lesson.expect
    for step, turn in zip(lesson.steps, turns, strict=True):
        assert turn.unknown == step.unknown
        assert check(step, turn)[0]
        assert not check(replace(step, rows=step.rows + 1), turn)[0]
        assert not check(replace(step, unknown=("pianos",)), turn)[0]


def test_another_count_would_be_noticed():
    lesson = LESSONS[0]
    turns = play(open_sample(lesson.database), lesson.turns[:1], today=lesson.today)
    assert counts(turns) != (lesson.expect[0] + 1,)
