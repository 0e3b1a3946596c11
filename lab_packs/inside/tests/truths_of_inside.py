"""What the sentences of the page Inside the index say is true of drawn corpora (tests/ui/test_drawn.py asks it)."""

from __future__ import annotations

import re
from typing import Any

from ui.drawn import Screen, about, plain, terms

from lab.retrieve.lexical import BM25, LARGE, MANY
from lab_packs.inside.postings import Walk, walk


def walked(s: Screen) -> Walk:
    """The walk that the page Inside the index shows: the ten best by BM25."""
    return walk(BM25().index(s.corpus), s.question, k=10)


@about("Postings read: {read} of {postings} ({share}%)")
def postings_read(s: Screen, v: dict[str, Any], _: str) -> bool:
    own, them = terms(s)
    every = sum(len(own & set(d)) for d in them)
    share = f"{100 * v['read'] / every:.0f}"
    return (v["read"], v["postings"], v["share"]) == (walked(s).read, every, share)


@about("Passages visited: {steps} of {candidates} with a word of the question")
def visited(s: Screen, v: dict[str, Any], _: str) -> bool:
    own, them = terms(s)
    return v["candidates"] == sum(bool(own & set(d)) for d in them) and v["steps"] == len(walked(s).steps)


@about("Best after step {n}")
def best_after(s: Screen, v: dict[str, Any], told: str) -> bool:
    steps, ids = walked(s), s.rankings("inside")[told].ids
    return ids == [s.corpus.documents[d].id for d, _ in steps.best(v["n"])]


@about("Scored in full: {n}")
def in_full(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] == sum(step.score is not None for step in walked(s).steps)


@about("**Step {step} of {steps}:** passage {n}, “{title}”")
def at_step(s: Screen, v: dict[str, Any], _: str) -> bool:
    steps = walked(s).steps
    return len(steps) == v["steps"] and steps[v["step"] - 1].document == v["n"] - 1


@about("“{word}”: read, adds {value}", "“{word}”: looked up, not in this passage")
def read_there(s: Screen, v: dict[str, Any], told: str) -> bool:
    (at,) = [t.values["step"] for t in s.said if t.template.startswith("**Step ") and t.values]
    document = s.corpus.documents[walked(s).steps[at - 1].document]
    hit = BM25().index(s.corpus).search(s.question, k=len(s.corpus)).hit(document.id)
    assert hit is not None
    parts = {re.sub(r", by its stem .*", "", str(c.source)): c.value for c in hit.why}
    word = re.sub(r" \(pair\)$", "", plain(v["word"]))
    return (word in parts) == ("value" in v)


@about("adds {value}")
def adds(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(f"{value:.3f}" == v["value"] for own in walked(s).lists for value in own.addends.tolist())


@about("**Score {score}:** rank {rank} so far.")
def ranked_so_far(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(f"{step.score:.3f}" == v["score"] and step.rank == v["rank"] for step in walked(s).steps if step.rank)


@about(
    "The lab's own search adds up whole lists here. It skips from {postings} postings and {passages} passages on, "
    "where finding out what to skip costs less than reading it. Both give the same list."
)
def whole_lists(s: Screen, v: dict[str, Any], _: str) -> bool:
    return (v["postings"], v["passages"]) == (f"{MANY:,}", f"{LARGE:,}") and len(s.corpus) < LARGE


@about("A word adds nothing, or less than nothing, to a score: no bound holds, so every posting is read.")
def no_bound(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(own.addends.min() <= 0 for own in walked(s).lists)
