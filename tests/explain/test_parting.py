"""Where a search engine's own list and a search of the lab part: the step, and the documents that it concerns."""

from __future__ import annotations

import random

import pytest
from night import seeds

from lab.algebra import Corpus, Document, Ranking, Runner, Stage
from lab.algebra.verbs import Outcome
from lab.explain.parting import Parting, steps_of
from lab.fuse import RRF
from lab.refine.diversity import MMR
from lab.refine.filters import KeywordExclusion
from lab.retrieve.external import External
from lab.retrieve.given import Given
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

IDS = "abcdefgh"
CORPUS = Corpus("own", tuple(Document(i, f"salt {i} {'x ' * n}", f"Title {i}") for n, i in enumerate(IDS)))


def told(own: str, search: object, k: int = 3) -> list[str]:
    """The sentences about a list and a search; both are named by letters."""
    runner = Runner(CORPUS, models={"mine": lambda _question: list(own)})
    return list(Parting.between(runner(External("mine"), "salt"), runner(search, "salt"), k, "mine").sentences())  # type: ignore[arg-type]


def test_equal_lists_part_nowhere() -> None:
    assert told("abc", Given(rows=tuple("abc"))) == []
    assert told("abcd", Given(rows=tuple("abce"))) == []  # the same first three
    assert told("", Given(rows=tuple("abc"))) == []
    assert told("abc", Given()) == []


def test_a_first_list_that_differs_is_where_they_part() -> None:
    assert told("abz", Given(rows=tuple("acb"))) == [
        "Among the first 2, this list and mine differ from this step on: Given scores.",
        "“Title b”, rank 2 in mine, has rank 3 here.",
        "“Title c” has rank 2 here, and mine does not list it.",
    ]
    assert told("abgh", Given(rows=tuple("ahbc"))) == [
        "Among the first 3, this list and mine differ from this step on: Given scores.",
        "“Title g”, rank 3 in mine, is not in the list.",
        "“Title h” has rank 2 here, and rank 4 in mine.",
    ]


def test_a_later_step_that_removes_is_where_they_part() -> None:
    search = Given(rows=tuple("abcd")) >> KeywordExclusion(words=("b",)) % 4
    head, lost, gained = told("abcd", search)
    assert head.endswith("from this step on: Keyword exclusion.") or "from this step on: " in head
    assert lost.startswith("“Title b”, rank 2 in mine, is removed: ")
    assert gained == "“Title d” has rank 3 here, and rank 4 in mine."


def test_what_a_later_step_undoes_is_no_difference() -> None:
    reverse = Turned() >> Turned()
    assert told("abc", Given(rows=tuple("abcdef")) >> reverse) == []
    head, *_ = told("fed", Given(rows=tuple("abcdef")) >> Turned() >> Turned())
    assert head.endswith("from this step on: Turned round.")


def test_another_order_names_the_first_two_documents() -> None:
    assert told("abc", Given(rows=tuple("bac"))) == [
        "Among the first 3, this list and mine differ from this step on: Given scores.",
        "mine ranks “Title a” before “Title b”; here it is behind it.",
    ]


def test_the_steps_begin_with_the_fusion_of_several_lists() -> None:
    ranking = Runner(CORPUS)(RRF()(BM25(), Vector()) >> MMR(k=3), "salt")
    assert [type(step.made_by).__name__ for step in steps_of(ranking)] == ["RRF", "MMR"]


class Turned(Stage):
    """The list from its end."""

    label = "Turned round"

    def refine(self, ranking: Ranking, env: object) -> Outcome:
        return Outcome(ranking.hits[::-1])


@pytest.mark.parametrize("seed", seeds(120))
def test_the_step_is_the_first_whose_effect_lasts(seed: int) -> None:
    """By a definition of its own: a difference is made at step j if it is there after j, and always after that."""
    rng = random.Random(seed)
    for _ in range(20):
        steps: list[Ranking] = []
        for n in range(rng.choice([1, 2, 3, 4])):
            ids = rng.sample(IDS, rng.randint(1, 6))
            given = Runner(CORPUS)(Given(rows=tuple(ids)), "x")
            steps.append(given if not n else Ranking(given.query, given.hits, Turned(), (steps[-1],), corpus=CORPUS))
        own = Runner(CORPUS)(Given(rows=tuple(rng.sample(IDS, rng.randint(1, 6)))), "x")
        parting = Parting.between(own, steps[-1], rng.randint(1, 5), "mine")
        k, last = parting.k, steps[-1]
        theirs, ours = own.ids[:k], last.ids[:k]
        assert k >= 1
        if theirs == ours:
            assert parting.at is None
            continue
        found = set[int]()
        for i in set(theirs) ^ set(ours):
            lasting = [j for j in range(len(steps)) if all((i in s.ids[:k]) == (i in ours) for s in steps[j:])]
            found.add(min(lasting))
        if not found:
            at = next(n for n in range(k) if theirs[n] != ours[n])
            a, b = theirs[at], ours[at]

            def behind(s: Ranking, a: str = a, b: str = b) -> bool:
                return b in s.ids and (a not in s.ids or s.ids.index(b) < s.ids.index(a))

            found.add(min(j for j in range(len(steps)) if all(map(behind, steps[j:]))))
        assert parting.at == min(found)
        assert parting.sentences()
