"""Agreement of two rankings, by hand and by its properties."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each

from lab.explain.agreement import kendall_tau, rbo, shared

lists = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8)
pairs = st.tuples(lists, lists)


# ------------------------------------------------------------------------------------------------ by hand


def test_shared_counts_what_both_have() -> None:
    assert shared("abcd", "cdef") == 2
    assert shared("abc", "xyz") == 0
    assert shared("", "abc") == 0


@for_each(
    "a, b, tau",
    [
        ("abcd", "abcd", 6 / 6),
        ("abcd", "dcba", -6 / 6),
        ("abcd", "abdc", (5 - 1) / 6),
        ("abcd", "bacd", (5 - 1) / 6),  # a swap weighs the same at the top and at the bottom
        ("abcd", "dabc", (3 - 3) / 6),
        ("abcde", "cabde", (8 - 2) / 10),
        ("axbyc", "cabz", (1 - 2) / 3),  # shared: a b c against c a b
        ("abxyz", "ab", 1 / 1),
        ("abxyz", "ba", -1 / 1),
    ],
)
def test_tau_is_concordant_minus_discordant_pairs_over_all_pairs(a: str, b: str, tau: float) -> None:
    assert kendall_tau(a, b) == pytest.approx(tau)


@for_each("a, b", [("", ""), ("abc", ""), ("abc", "xyz"), ("abc", "cxy")])
def test_tau_of_fewer_than_two_shared_documents_is_none(a: str, b: str) -> None:
    assert kendall_tau(a, b) is None


@for_each(
    "a, b, p, expected",
    [
        # agreements 0/1, 2/2, 3/3
        ("abc", "bac", 0.9, 3 / 3 * 0.9**3 + (1 - 0.9) / 0.9 * (0 / 1 * 0.9 + 2 / 2 * 0.9**2 + 3 / 3 * 0.9**3)),
        # agreements 1/1, 1/2, 2/3
        ("abc", "axb", 0.5, 2 / 3 * 0.5**3 + (1 - 0.5) / 0.5 * (1 / 1 * 0.5 + 1 / 2 * 0.5**2 + 2 / 3 * 0.5**3)),
        # agreements 1/1, 2/2, 2/3, 2/4
        (
            "abcd",
            "abxy",
            0.9,
            2 / 4 * 0.9**4 + (1 - 0.9) / 0.9 * (1 / 1 * 0.9 + 2 / 2 * 0.9**2 + 2 / 3 * 0.9**3 + 2 / 4 * 0.9**4),
        ),
        # cut to the shorter one: agreements 0/1, 1/2
        ("ab", "cadb", 0.8, 1 / 2 * 0.8**2 + (1 - 0.8) / 0.8 * (0 / 1 * 0.8 + 1 / 2 * 0.8**2)),
    ],
)
def test_rbo_is_the_weighted_mean_of_agreement_extrapolated(a: str, b: str, p: float, expected: float) -> None:
    assert rbo(a, b, p=p) == pytest.approx(expected)


def test_rbo_looks_at_the_top_first_where_tau_does_not() -> None:
    assert rbo("abcd", "abdc") > rbo("abcd", "bacd")
    assert kendall_tau("abcd", "abdc") == kendall_tau("abcd", "bacd")


def test_rbo_without_documents() -> None:
    assert rbo("", "") == 1
    assert rbo("", "abc") == rbo("abc", "") == 0


def test_ids_are_words_not_letters() -> None:
    assert shared(["d10", "d2"], ["d2", "d1"]) == 1
    assert kendall_tau(["d10", "d2"], ["d2", "d10"]) == -1


# -------------------------------------------------------------------------------------------- properties


@given(pairs)
def test_it_does_not_matter_which_list_is_first(both: tuple[list[str], list[str]]) -> None:
    a, b = both
    assert shared(a, b) == shared(b, a)
    assert kendall_tau(a, b) == kendall_tau(b, a)
    assert rbo(a, b) == rbo(b, a)


@given(pairs, st.floats(0.01, 0.99))
def test_the_values_stay_in_their_range(both: tuple[list[str], list[str]], p: float) -> None:
    a, b = both
    tau = kendall_tau(a, b)
    assert tau is None or -1 <= tau <= 1
    assert -1e-12 <= rbo(a, b, p=p) <= 1 + 1e-12


@given(lists, st.floats(0.01, 0.99))
def test_equal_lists_agree_fully_and_reversed_ones_not_at_all(a: list[str], p: float) -> None:
    assert rbo(a, a, p=p) == pytest.approx(1)
    if len(a) > 1:
        assert kendall_tau(a, a) == 1
        assert kendall_tau(a, a[::-1]) == -1


@given(lists, st.floats(0.01, 0.99))
def test_disjoint_lists_share_nothing(a: list[str], p: float) -> None:
    b = [x.upper() for x in a]
    assert shared(a, b) == 0
    assert kendall_tau(a, b) is None
    assert rbo(a, b, p=p) == (0 if a else 1)


def test_tau_equals_scipy_on_every_order_of_five() -> None:
    from scipy.stats import kendalltau

    for order in itertools.permutations("abcde"):
        theirs = kendalltau(range(5), [order.index(x) for x in "abcde"]).statistic
        assert kendall_tau("abcde", order) == pytest.approx(theirs)


@given(pairs, st.floats(0.05, 0.95))
def test_rbo_is_its_infinite_sum_with_the_last_agreement_going_on(both: tuple[list[str], list[str]], p: float) -> None:
    a, b = both
    k = min(len(a), len(b))
    if k:
        agreements = [len(set(a[:d]) & set(b[:d])) / d for d in range(1, k + 1)] + [
            len(set(a[:k]) & set(b[:k])) / k
        ] * 2000
        assert rbo(a, b, p=p) == pytest.approx((1 - p) * sum(x * p**d for d, x in enumerate(agreements)), abs=1e-9)
