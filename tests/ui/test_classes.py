"""Classes that guess together: nobody counts twice, nobody counts who is not in it, and it ends."""

from __future__ import annotations

from collections import Counter

from lab.ui.classes import BROWSERS, CLASSES, LASTS, Classes


def test_a_thousand_guesses_of_one_browser_are_one_and_the_first_counts():
    classes = Classes()
    own = classes.of(classes.begin())
    own.join("a")
    for option in [2, *[1] * 999]:
        own.guess("a", "words", option)
    assert own.guesses("words") == Counter({2: 1})


def test_who_has_not_opened_the_link_counts_nothing():
    classes = Classes()
    own = classes.of(classes.begin())
    own.join("a")
    own.guess("stranger", "words", 0)
    own.guess("a", "words", 1)
    assert (len(own), own.guesses("words"), own.guesses("fusing")) == (1, Counter({1: 1}), Counter())


def test_two_classes_never_meet_and_a_code_that_nobody_has_is_no_class():
    classes = Classes()
    one, other = classes.begin(), classes.begin()
    assert one != other
    classes.of(one).join("a")
    classes.of(one).guess("a", "words", 0)
    assert classes.of(other).guesses("words") == Counter()
    assert classes.of("") is None
    assert classes.of("nobody's") is None


def test_a_class_is_over_after_a_day():
    now = [0.0]
    classes = Classes(clock=lambda: now[0])
    code = classes.begin()
    now[0] = LASTS - 1
    assert classes.of(code) is not None
    now[0] = LASTS
    assert classes.of(code) is None


def test_there_is_an_end_to_classes_and_to_the_browsers_of_one():
    classes = Classes()
    codes = [classes.begin() for _ in range(CLASSES + 1)]
    assert classes.of(codes[0]) is None
    own = classes.of(codes[-1])
    for i in range(BROWSERS + 5):
        own.join(str(i))
        own.guess(str(i), "words", 0)
    assert len(own) == BROWSERS
    assert own.guesses("words").total() == BROWSERS
