"""Classes that guess together: nobody counts twice, nobody counts who is not in it, and it ends."""

from __future__ import annotations

from collections import Counter

from lab.ui.classes import BROWSERS, CLASSES, LASTS, PAUSE, WRONG_ALL, WRONG_OWN, Classes


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


def wrong(classes: Classes, code: str, n: int, token: str) -> None:
    """Type n join codes that no class has."""
    right = int(classes.find(code).join_code)
    for i in range(1, n + 1):
        assert classes.enter(f"{(right + i) % 10**6:06d}", token) is None


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
    assert not classes.is_locked("a"), "what is not six digits is no attempt"


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
    assert classes.is_locked("a")
    assert classes.enter(digits, "a") is None, "a right one would show that it is right"
    assert classes.enter(digits, "b") == code
    now[0] = PAUSE
    assert classes.enter(digits, "a") == code


def test_many_visitors_together_cannot_try_all_codes():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    tried = 0
    for hour in range(23):
        now[0] = hour * 3600.0
        for one in range(200):
            visitor = f"{hour}-{one}"
            while not classes.is_locked(visitor):
                wrong(classes, code, 1, visitor)
                tried += 1
    assert tried == WRONG_ALL
    assert classes.enter(classes.find(code).join_code, "new") is None
    assert classes.find(code) is not None, "the link leads to the class all the same"
    assert len(classes._wrong) == WRONG_ALL
    now[0] += LASTS
    fresh = classes.begin()
    assert classes.enter(classes.find(fresh).join_code, "new") == fresh


def test_a_join_code_is_void_with_its_class():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    digits = classes.find(classes.begin()).join_code
    now[0] = LASTS
    assert classes.enter(digits, "a") is None
