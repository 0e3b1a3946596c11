"""Team-draft interleaving against the paper's algorithm, written a second time, over all coins and simulated clicks."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import NIGHT, examples, spread
from scipy.stats import binomtest
from statsmodels.stats.descriptivestats import sign_test as statsmodels_sign_test

from lab.evaluate.interleaving import (
    Clicks,
    Drafted,
    Impression,
    Reader,
    differ,
    draft,
    drafts,
    outcome,
    power,
    sign_test,
)

LISTS = st.lists(st.sampled_from("abcdefgh"), max_size=9)
"""Result lists of every length, with duplicates."""


def tossed(bits):
    tosses = iter(bits)
    return lambda: next(tosses)


def paper(a, b, bits, k):
    """Algorithm 2 of the paper, with sets of ranks as it is printed; then the rest of the longer list."""
    tosses, shown, teams = iter(bits), [], (set(), set())

    def best(ranking):
        return next((doc for doc in ranking if doc not in shown), None)

    while len(shown) < k and best(a) is not None and best(b) is not None:
        a_next = len(teams[0]) < len(teams[1]) or (len(teams[0]) == len(teams[1]) and next(tosses))
        doc = best(a) if a_next else best(b)
        shown.append(doc)
        teams[0 if a_next else 1].add(doc)
    while len(shown) < k and (best(a) or best(b)) is not None:
        team = 0 if best(a) is not None else 1
        shown.append(best((a, b)[team]))
        teams[team].add(shown[-1])
    return [(doc, int(doc in teams[1])) for doc in shown]


@given(LISTS, LISTS, st.integers(1, 10), st.lists(st.booleans(), min_size=10, max_size=10))
@examples(200)
def test_a_draft_is_that_of_the_paper(a, b, k, bits):
    assert [tuple(hit) for hit in draft(a, b, tossed(bits), k=k)] == paper(a, b, bits, k)


@given(LISTS, LISTS, st.integers(1, 7))
@examples(60)
def test_the_drafts_are_those_of_all_coins_with_their_probabilities(a, b, k):
    expected = Counter()
    for bits in itertools.product([False, True], repeat=k):
        expected[tuple(paper(a, b, bits, k))] += Fraction(1, 2**k)
    listed = Counter()
    for chance, hits in drafts(a, b, k=k):
        listed[tuple(tuple(hit) for hit in hits)] += Fraction(chance)
    assert listed == expected


@given(LISTS, LISTS, st.integers(1, 8))
@examples(60)
def test_every_result_has_one_team_and_teams_differ_by_one_while_both_lists_last(a, b, k):
    for _chance, hits in drafts(a, b, k=k):
        docs = [hit.doc for hit in hits]
        assert len(docs) == len(set(docs)) == min(k, len({*a, *b}))
        for n in range(1, len(hits) + 1):
            sizes = Counter(hit.team for hit in hits[:n])
            before = set(docs[: n - 1])
            if {*a} - before and {*b} - before:
                assert abs(sizes[0] - sizes[1]) <= 1
            own = (a, b)[hits[n - 1].team]
            assert docs[n - 1] == next(doc for doc in own if doc not in before), "the best that the team has left"


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True),
    st.integers(1, 8),
    st.sets(st.sampled_from("abcdefgh")),
)
@examples(60)
def test_two_equal_lists_have_exactly_the_same_expected_credit(ranking, k, clicked):
    credit = [Fraction(0), Fraction(0)]
    for chance, hits in drafts(ranking, ranking, k=k):
        assert [hit.doc for hit in hits] == ranking[:k]
        for team, n in enumerate(Impression("r", "q", hits, frozenset(clicked)).credit):
            credit[team] += Fraction(chance) * n
    assert credit[0] == credit[1]
    first, _tie, second = outcome(ranking, ranking, clicked, k=k)
    assert first == pytest.approx(second, abs=1e-12)
    assert not differ(ranking, ranking, k=k)


# ------------------------------------------------------------------------------------------------------- clicks


def clicked_by(rng, hits, relevant, reader):
    """The clicks of a simulated reader, one result after the other."""
    clicks = set()
    for rank, hit in enumerate(hits, 1):
        chance = (reader.finds if hit.doc in relevant else reader.errs) * rank ** (-reader.bias)
        if rng.random() < chance:
            clicks.add(hit.doc)
    return clicks


@pytest.mark.parametrize("bias", [0.0, 0.7, 2.0])
@pytest.mark.parametrize(
    ("a", "b"), [("abcdef", "badcfe"), ("abc", "defgha"), ("aab", "bba"), ("", "abc"), ("abcd", "abdc")]
)
def test_the_outcome_is_that_of_many_simulated_readers(a, b, bias):
    rng, reader, relevant = random.Random(f"{a}{b}{bias}"), Reader(bias=bias), {"b", "d"}
    counts, n = Counter(), 20_000 if NIGHT else 4_000
    for _ in range(n):
        hits = draft(a, b, lambda: rng.random() < 0.5, k=5)
        lead = 0
        for doc in clicked_by(rng, hits, relevant, reader):
            lead += 1 if dict(hits)[doc] == 0 else -1
        counts[(lead < 0) - (lead > 0)] += 1
    exact = outcome(a, b, relevant, reader, k=5)
    assert sum(exact) == pytest.approx(1)
    for sign, chance in zip((-1, 0, 1), exact, strict=True):
        assert counts[sign] / n == pytest.approx(chance, abs=0.015 if NIGHT else 0.03)


def test_the_outcome_is_the_sum_over_all_coins_and_all_sets_of_clicks():
    a, b, relevant, reader = "abcd", "cbea", {"c", "e"}, Reader(0.8, 0.2, 1.0)
    totals = Counter()
    for bits in itertools.product([False, True], repeat=4):
        hits = paper(a, b, bits, 4)
        for pressed in itertools.product([False, True], repeat=4):
            chance = 1 / 16
            lead = 0
            for rank, ((doc, team), is_pressed) in enumerate(zip(hits, pressed, strict=True), 1):
                one = (0.8 if doc in relevant else 0.2) / rank
                chance *= one if is_pressed else 1 - one
                lead += is_pressed * (1 - 2 * team)
            totals[(lead > 0) - (lead < 0)] += chance
    assert outcome(a, b, relevant, reader, k=4) == pytest.approx((totals[1], totals[0], totals[-1]))


PRESSES = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("12"), st.sampled_from("abcdef")), max_size=25)


@given(PRESSES, st.integers(0, 10**6))
@examples(100)
def test_clicks_are_counted_as_by_hand(presses, seed):
    """Readers who click some results twice, others never, with the same question drafted for each by own coins."""
    rng = random.Random(seed)
    shown = {
        (reader, question): draft("abcd", "befa", lambda: rng.random() < 0.5, k=5)
        for reader in "xyz"
        for question in "12"
    }
    pressed = {key: frozenset(doc for r, q, doc in presses if (r, q) == key) for key in shown}
    made = Clicks(tuple(Impression(r, q, hits, pressed[r, q]) for (r, q), hits in shown.items()))
    credit, votes = [0, 0], {}
    for reader in "xyz":
        ahead, took_part = [0, 0], False
        for question in "12":
            own = [0, 0]
            for doc, team in shown[reader, question]:
                own[team] += (reader, question, doc) in presses
            credit = [credit[0] + own[0], credit[1] + own[1]]
            took_part |= any((r, q) == (reader, question) for r, q, _doc in presses)
            if own[0] != own[1]:
                ahead[0 if own[0] > own[1] else 1] += 1
        if took_part:
            votes[reader] = ahead[0] - ahead[1]
    assert made.credit == tuple(credit)
    wins = sum(v > 0 for v in votes.values()), sum(v < 0 for v in votes.values())
    assert (len(made), made.readers) == (len(votes), wins)
    assert made.winner == (None if wins[0] == wins[1] else int(wins[1] > wins[0]))
    assert made.p == pytest.approx(binomtest(wins[0], sum(wins)).pvalue if sum(wins) else 1.0)


@pytest.mark.parametrize("a", range(0, 40, 3))
@pytest.mark.parametrize("b", [0, 1, 5, 30])
def test_the_sign_test_is_that_of_two_libraries(a, b):
    if a + b:
        assert sign_test(a, b) == pytest.approx(binomtest(a, a + b).pvalue)
        assert sign_test(a, b) == pytest.approx(min(1.0, statsmodels_sign_test([1] * a + [-1] * b)[1]))
    assert sign_test(a, b) == sign_test(b, a)


# -------------------------------------------------------------------------------------------------------- power


@pytest.mark.nightly
@pytest.mark.parametrize(("questions", "each"), spread([(5, 3), (5, 1), (2, 2)], 1))
def test_the_power_is_that_of_classes_simulated_click_by_click(questions, each):
    """Lists, readers and tests one by one: nothing of the lab's but the parameters."""
    judged = [
        ("abcd", "dcba", {"a"}),
        ("abcd", "bcda", {"b"}),
        ("abef", "efab", {"a", "b"}),
        ("ab", "cd", {"d"}),
        ("ac", "ca", {"a"}),
    ]
    outcomes = [outcome(a, b, relevant, k=4) for a, b, relevant in judged]
    made = power(outcomes, 0, 12, questions=questions, each=each, classes=4000)
    rng, n = random.Random(7), 3000
    right = significant = misled = 0
    for _ in range(n):
        chosen = rng.sample(judged, questions)
        firsts = seconds = 0
        for _student in range(12):
            lead = 0
            for a, b, relevant in rng.sample(chosen, each):
                hits = paper(a, b, [rng.random() < 0.5 for _ in range(4)], 4)
                own = [0, 0]
                for rank, (doc, team) in enumerate(hits, 1):
                    own[team] += rng.random() < (0.9 if doc in relevant else 0.1) / rank**0.7
                lead += (own[0] > own[1]) - (own[0] < own[1])
            firsts, seconds = firsts + (lead > 0), seconds + (lead < 0)
        is_significant = bool(firsts + seconds) and binomtest(firsts, firsts + seconds).pvalue <= 0.05
        right += firsts > seconds
        significant += is_significant and firsts > seconds
        misled += is_significant and firsts < seconds
    assert made.right == pytest.approx(right / n, abs=0.035)
    assert made.significant == pytest.approx(significant / n, abs=0.035)
    assert made.misled == pytest.approx(misled / n, abs=0.02)


def test_a_draft_with_teams_can_be_told_apart_from_its_documents_only_by_the_lab():
    assert draft("ab", "cd", tossed([True, False]), k=3) == (Drafted("a", 0), Drafted("c", 1), Drafted("d", 1))
