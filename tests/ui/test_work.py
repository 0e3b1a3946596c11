"""Long work on a page: how long it will still take, and that it ends when nobody looks any more."""

from __future__ import annotations

import pytest

from lab.ui.work import AWAY, Pace, Present


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_that_is_left_is_that_of_the_rest_at_the_pace_so_far() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.tell(40)  # these were there already
    assert pace.left(40, 100) == 0, "too early to tell"
    clock.now += 4
    pace.tell(48)
    assert pace.left(48, 100) == pytest.approx((100 - 48) * 4 / 8)
    clock.now += 4
    pace.tell(56)
    assert pace.left(56, 100) == pytest.approx((100 - 56) * 8 / 16)
    assert pace.left(99, 100) == 0, "so little is not worth a word"


def test_what_begins_anew_is_reckoned_anew() -> None:
    clock = Clock()
    pace = Pace(clock)
    pace.tell(10)
    clock.now += 10
    pace.tell(20)
    pace.tell(0)  # another list
    clock.now += 10
    pace.tell(5)
    assert pace.left(5, 100) == pytest.approx(95 * 10 / 5)


def test_nothing_done_and_nothing_to_do_say_nothing() -> None:
    clock = Clock()
    pace = Pace(clock)
    for done, total in ((0, 0), (0, 10), (10, 10)):
        pace.tell(done)
        clock.now += 3
        assert pace.left(done, total) == 0


def test_who_is_away_for_long_needs_no_more_work_and_a_reload_is_not_long() -> None:
    clock, connected = Clock(), [True]
    present = Present(clock, lambda: connected[0])
    connected[0] = False
    clock.now += AWAY - 1
    assert not present.has_left()
    connected[0] = True
    clock.now += 2
    assert not present.has_left()
    connected[0] = False
    for _ in range(int(AWAY) + 1):
        clock.now += 1
        gone = present.has_left()
    assert gone
