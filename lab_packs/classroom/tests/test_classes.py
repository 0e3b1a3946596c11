"""Classes that guess together: nobody counts twice, nobody counts who is not in it, and it ends."""

from __future__ import annotations

from collections import Counter

import pytest

from lab_packs.classroom.classes import (
    BROWSERS,
    CLASSES,
    DIGITS,
    LASTS,
    LONGER,
    PAUSE,
    PAUSE_ADDRESS,
    WRONG_OWN,
    Classes,
)


def test_a_thousand_guesses_of_one_browser_are_one_and_the_first_counts():
    classes = Classes()
    own = classes.find(classes.begin())
    own.join("a")
    for option in [2, *[1] * 999]:
        own.guess("a", "words", option)
    assert own.guesses("words") == Counter({2: 1})


def test_who_has_not_opened_the_link_counts_nothing():
    classes = Classes()
    own = classes.find(classes.begin())
    own.join("a")
    own.guess("stranger", "words", 0)
    own.guess("a", "words", 1)
    assert (len(own), own.guesses("words"), own.guesses("fusing")) == (1, Counter({1: 1}), Counter())


def test_two_classes_never_meet_and_a_code_that_nobody_has_is_no_class():
    classes = Classes()
    one, other = classes.begin(), classes.begin()
    assert one != other
    classes.find(one).join("a")
    classes.find(one).guess("a", "words", 0)
    assert classes.find(other).guesses("words") == Counter()
    assert classes.find("") is None
    assert classes.find("nobody's") is None


def test_a_class_is_over_after_a_day():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    now[0] = LASTS - 1
    assert classes.find(code) is not None
    now[0] = LASTS
    assert classes.find(code) is None


def test_there_is_an_end_to_classes_and_to_the_browsers_of_one():
    classes = Classes()
    codes = [classes.begin() for _ in range(CLASSES + 1)]
    assert classes.find(codes[0]) is None
    own = classes.find(codes[-1])
    for i in range(BROWSERS + 5):
        own.join(str(i))
        own.guess(str(i), "words", 0)
    assert len(own) == BROWSERS
    assert own.guesses("words").total() == BROWSERS


def wrong(classes: Classes, code: str, n: int, token: str, address: str = "") -> None:
    """Type n join codes that no class has."""
    right = int(classes.find(code).join_code)
    for i in range(1, n + 1):
        assert classes.enter(f"{(right + i) % 10**6:06d}", token, address) is None


def test_six_digits_lead_to_the_class_however_they_are_written():
    classes = Classes()
    code = classes.begin()
    digits = classes.find(code).join_code
    assert len(digits) == 6
    assert digits.isdecimal()
    full = "".join(chr(ord("０") + int(d)) for d in digits)
    for typed in (digits, f"{digits[:3]} {digits[3:]}", f" {digits[:3]}-{digits[3:]}\n", full):
        assert classes.enter(typed, "a") == code
    for typed in ("", digits[:5], digits + "0", "²²²²²²", "x" * 5000, code):
        assert classes.enter(typed, "a") is None
    assert not classes.wait("a"), "what is not six digits is no attempt"


def test_join_codes_differ_and_tell_nothing_of_the_link():
    classes = Classes()
    codes = [classes.begin(str(i)) for i in range(CLASSES)]
    digits = [classes.find(code).join_code for code in codes]
    assert len(set(digits)) == CLASSES
    assert {d[0] for d in digits} == set("0123456789"), "leading zeros are kept"
    assert [classes.enter(d, "a") for d in digits] == codes


def test_a_visitor_who_types_wrong_codes_has_to_wait_and_others_do_not():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    digits = classes.find(code).join_code
    wrong(classes, code, WRONG_OWN - 1, "a")
    assert classes.enter(digits, "a") == code
    wrong(classes, code, 1, "a")
    assert classes.wait("a")
    assert classes.enter(digits, "a") is None, "a right one would show that it is right"
    assert classes.enter(digits, "b") == code
    now[0] = PAUSE
    assert classes.enter(digits, "a") == code


def test_each_wrong_code_more_makes_its_browser_wait_twice_as_long_and_the_wait_is_told():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    wrong(classes, code, WRONG_OWN, "a")
    for seconds in (1, 2, 4, 8):
        assert classes.wait("a") == seconds
        now[0] += seconds - 0.01
        assert classes.enter(classes.find(code).join_code, "a") is None, "a right code would show that it is right"
        now[0] += 0.01
        assert classes.wait("a") == 0
        wrong(classes, code, 1, "a")
    assert classes.wait("b") == 0
    assert classes.enter(classes.find(code).join_code, "b") == code


@pytest.mark.parametrize(("browsers", "each"), [(50, 10), (500, 1), (10, 400)])
def test_nobody_keeps_others_out_of_their_class_by_wrong_codes(browsers: int, each: int):
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    digits = classes.find(code).join_code
    for i in range(browsers):
        for j in range(1, each + 1):
            classes.enter(f"{(int(digits) + j) % 10**6:06d}", str(i), "school")
    for other in ("school", "home", ""):
        waited = classes.wait("new", other)
        assert waited <= PAUSE_ADDRESS
        assert waited == 0 or other == "school"
        now[0] += waited
        assert classes.enter(digits, "new", other) == code


def test_one_address_tries_a_thousandth_of_the_codes_in_a_lesson_and_new_codes_become_longer():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin("teacher")
    digits, tried = classes.find(code).join_code, 0
    while now[0] < 90 * 60:
        visitor = f"cookie {tried // 5}"
        now[0] += classes.wait(visitor, "pupil") or 0.01
        wrong(classes, code, 1, visitor, "pupil")
        tried += 1
    assert 500 < tried <= 1_100
    assert classes.enter(digits, "new", "teacher's") == code
    fresh = classes.find(classes.begin("another"))
    assert len(fresh.join_code) == LONGER
    assert fresh.digits.replace(" ", "") == fresh.join_code
    assert classes.enter(fresh.digits, "new", "teacher's")
    now[0] += LASTS
    assert len(classes.find(classes.begin("another")).join_code) == DIGITS


def test_who_presents_counts_for_nothing_and_a_closed_class_takes_nobody_else():
    classes = Classes()
    own = classes.find(classes.begin("teacher"))
    for token in ("teacher", "a", "teacher"):
        own.join(token)
        own.guess(token, "words", 1)
    own.closed = True
    own.join("b")
    own.guess("b", "words", 0)
    own.guess("a", "words", 2, right=True, again=True)
    assert (len(own), own.guesses("words")) == (1, Counter({2: 1}))
    assert own.sheet("a") == {"words": (2, True)}
    own.show("a", "words")
    assert not own.is_shown("words"), "only the presenter shows"
    own.show("teacher", "words")
    assert own.is_shown("words")


def test_a_join_code_is_void_with_its_class():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    digits = classes.find(classes.begin()).join_code
    now[0] = LASTS
    assert classes.enter(digits, "a") is None
