"""Many visitors at once, without browsers: no exception, and nobody sees what is another's.

At night thirty of them for ten minutes, and the memory stays as it is; `python -m benchmarks.soak` prints the figures.
"""

from __future__ import annotations

import pytest

from benchmarks import lesson, soak


@pytest.mark.nightly
@pytest.mark.parametrize(("visitors", "seconds"), [(3, 3), (30, 600)], ids=["a moment", "ten minutes"])
def test_no_exception_and_nothing_of_another_visitor_however_many_there_are(visitors: int, seconds: float) -> None:
    told, logged = soak.run(visitors, seconds)
    assert logged == []
    assert told.errors == []
    assert told.strangers == []
    assert told.visitors >= visitors
    if seconds >= 600:
        assert told.flat() <= soak.FLAT


@pytest.mark.nightly
def test_a_lesson_has_acts_of_every_kind_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "PAUSE", 0.2)
    told = lesson.held(2, 20, 0)
    assert told.errors == []
    assert set(told.seconds) == {"first page", "course", "page", "question", "knob", "upload"}
    assert told.most >= told.before > 0
    assert told.busy > 0
