"""Clicks on interleaved lists: what is said of them, the exchange of places, and what a class can show."""

from __future__ import annotations

import random

import pytest

from lab.errors import ParameterError
from lab.evaluate.interleaving import (
    Clicks,
    Drafted,
    Impression,
    Places,
    Reader,
    differ,
    differ_in_relevant,
    draft,
    exchanged,
    outcome,
    power,
    spread_over_kinds,
)

HITS = (Drafted("a", 0), Drafted("b", 1), Drafted("c", 1), Drafted("d", 0))


def votes(first: int, second: int, neither: int = 0) -> Clicks:
    """The clicks of so many readers on one question."""
    clicked = [{"a"}] * first + [{"b"}] * second + [{"a", "b"}] * neither
    return Clicks(tuple(Impression(str(i), "q", HITS, frozenset(docs)) for i, docs in enumerate(clicked)))


def test_a_reader_who_clicks_a_lot_counts_once():
    busy = Impression("busy", "1", HITS, frozenset("bc"))
    again = Impression("busy", "2", HITS, frozenset("bc"))
    others = [Impression(str(i), "1", HITS, frozenset("a")) for i in range(2)]
    clicks = Clicks((busy, again, *others))
    assert clicks.credit == (2, 4)
    assert clicks.readers == (2, 1)
    assert clicks.winner == 0


def test_a_click_on_what_was_not_shown_counts_nothing():
    clicks = Clicks((Impression("x", "1", HITS, frozenset({"a", "zzz"})),))
    assert (clicks.credit, clicks.readers) == ((1, 0), (1, 0))


@pytest.mark.parametrize(
    ("clicks", "said"),
    [
        (Clicks(), ["Nobody has clicked yet."]),
        (
            votes(0, 0, 2),
            ["Browsers that prefer A: 0; B: 0; neither: 2.", "Without a preference there is nothing to test."],
        ),
        (votes(1, 1), ["Browsers that prefer A: 1; B: 1; neither: 0.", "Equally many: no winner."]),
        (
            votes(4, 0, 1),
            [
                "Browsers that prefer A: 4; B: 0; neither: 1.",
                "A is ahead, but nothing can be significant yet: even if all preferences agreed (4), p would be 0.125.",
            ],
        ),
        (
            votes(12, 18),
            [
                "Browsers that prefer A: 12; B: 18; neither: 0.",
                "B is ahead, but the sign test gives p = 0.362: not significant.",
            ],
        ),
        (
            votes(21, 9),
            [
                "Browsers that prefer A: 21; B: 9; neither: 0.",
                "A significant preference for A: the sign test gives p = 0.043.",
            ],
        ),
    ],
)
def test_what_is_said_of_the_clicks_is_true_of_them(clicks, said):
    assert list(clicks.told("A", "B")) == said


def test_the_exchange_moves_the_first_two_results_only():
    assert exchanged(HITS) == (HITS[1], HITS[0], HITS[2], HITS[3])
    assert exchanged(HITS[:1]) == HITS[:1]
    assert exchanged(()) == ()
    assert exchanged(exchanged(HITS)) == HITS


def pair(reader: str, before: str, after: str) -> tuple[Impression, Impression]:
    return Impression(reader, "q", HITS, frozenset(before)), Impression(reader, "q", exchanged(HITS), frozenset(after))


def both(*pairs: tuple[Impression, Impression]) -> Places:
    return Places.of(Clicks(tuple(a for a, _ in pairs)), Clicks(tuple(b for _, b in pairs)))


def test_who_follows_the_passage_shows_no_position_bias():
    places = both(*(pair(str(i), "a", "a") for i in range(20)))
    assert places.clicks == (20, 20)
    assert places.readers == (0, 0)
    assert "No significant position bias" in places.told()


def test_who_follows_the_place_shows_it():
    places = both(
        *(pair(str(i), "a", "b") for i in range(8)), pair("x", "b", "b"), pair("y", "", ""), pair("z", "d", "d")
    )
    assert places.clicks == (17, 1)
    assert places.readers == (8, 0)
    assert places.told() == (
        "Clicks on the same passages at rank 1: 17, at rank 2: 1. "
        "The place decides, too: the sign test gives p = 0.008."
    )


def test_a_reader_who_saw_the_list_once_does_not_count_for_the_places():
    once = Impression("x", "q", HITS, frozenset("a"))
    assert Places.of(Clicks((once,)), Clicks()).pairs == ()
    assert Places.of(Clicks(), Clicks()).told().startswith("Position bias appears here once")


@pytest.mark.parametrize(("bias", "is_biased"), [(0.0, False), (2.0, True)])
def test_the_bias_of_simulated_readers_is_found(bias, is_biased):
    rng, reader = random.Random(3), Reader(finds=0.7, bias=bias)

    def clicked(hits):
        return frozenset(
            h.doc for h, chance in zip(hits, reader.chances(hits, "ab"), strict=True) if rng.random() < chance
        )

    places = both(
        *(
            (
                Impression(str(i), "q", HITS, clicked(HITS)),
                Impression(str(i), "q", exchanged(HITS), clicked(exchanged(HITS))),
            )
            for i in range(100)
        )
    )
    assert (places.p <= 0.05) == is_biased


def test_lists_that_agree_in_the_first_k_leave_nothing_to_choose():
    assert not differ("abcx", "abcy", k=3)
    assert differ("abcx", "abcy", k=4)
    assert differ("ab", "ba")
    assert not differ("aab", "ab"), "a duplicate is no difference"
    assert not differ("", "")


def test_bad_parameters_are_refused_with_their_range():
    with pytest.raises(ParameterError, match="k"):
        draft("ab", "cd", bool, k=0)
    for bad in ({"bias": -1}, {"finds": 1.5}, {"errs": float("nan")}):
        with pytest.raises(ParameterError, match=next(iter(bad))):
            Reader(**bad)
    with pytest.raises(ParameterError, match="each"):
        power([(0.5, 0.2, 0.3)] * 3, 0, 30, questions=2, each=3)
    with pytest.raises(ParameterError, match="questions"):
        power([(0.5, 0.2, 0.3)] * 3, 0, 30, questions=4, each=3)


def test_a_class_without_a_better_search_is_misled_at_most_as_often_as_the_test_allows():
    """One question, equal lists: each direction is significant in at most 2.5% of the classes."""
    made = power([outcome("abc", "bca", {"a", "b", "c"}, Reader(bias=0))], 0, 60, questions=1, each=1)
    assert made.significant <= 0.035
    assert made.misled <= 0.035
    assert made == power([outcome("abc", "bca", {"a", "b", "c"}, Reader(bias=0))], 0, 60, questions=1, each=1)


def test_more_students_help_only_until_the_questions_decide():
    """Three questions for all: more students make the wrong verdict of three unlucky questions more certain."""
    judged = [("ab", "ba", {"a"})] * 6 + [("ab", "ba", {"b"})] * 4
    outcomes = [outcome(a, b, relevant) for a, b, relevant in judged]
    few, many = (power(outcomes, 0, n, questions=3, each=3) for n in (30, 300))
    assert many.misled > few.misled + 0.03
    spread = power(outcomes, 0, 300, questions=10, each=3)
    assert spread.misled < 0.02


def test_questions_are_spread_over_their_kinds_and_within_them():
    kinds = {f"a{i}": "a" for i in range(9)} | {"b0": "b"} | {f"c{i}": "c" for i in range(3)}
    assert spread_over_kinds(kinds, 3) == ["a4", "b0", "c1"]
    assert spread_over_kinds(kinds, 5) == ["a2", "a6", "b0", "c0", "c2"]
    assert spread_over_kinds(kinds, 99) == list(kinds)
    assert spread_over_kinds({}, 5) == []
    assert spread_over_kinds(kinds, 2) == ["a4", "b0"]


@pytest.mark.parametrize(
    ("a", "b", "relevant", "expected"),
    [
        ("abc", "bac", {"c"}, False),
        ("abc", "bac", {"a"}, True),
        ("abc", "abd", {"d"}, True),
        ("abc", "abd", {"x"}, False),
        ("abcdef", "abcfed", {"d"}, False),
    ],
)
def test_lists_that_differ_elsewhere_do_not_differ_in_a_relevant_result(a, b, relevant, expected):
    assert differ_in_relevant(a, b, relevant, k=3) == expected
