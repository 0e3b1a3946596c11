"""What the sentences of the pages of the pack say is true of drawn corpora (tests/ui/test_drawn.py asks it)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from ui.drawn import Screen, about, plain, terms

from lab.models.embedders import rows_for
from lab.retrieve.lexical import BM25, LARGE, MANY
from lab.retrieve.vector import Vector
from lab_packs.inside.compressed import Compressed
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


# -------------------------------------------------------------------------------------------- compressed vectors


def coded(s: Screen) -> dict[str, Any]:
    """The indexes of the page Compression as it opens, by the names of its lists."""
    own = Compressed(kind="binary", rescore=20)
    return {
        "Full vectors": own.full.index(s.corpus),
        "binary": replace(own, rescore=0).index(s.corpus),
        "first 20 rescored": own.index(s.corpus),
    }


@about("Bytes per passage: {bytes}")
def bytes_kept(s: Screen, v: dict[str, Any], _: str) -> bool:
    indexes = coded(s)
    kept = {str(4 * indexes["binary"].encoder.dimensions), str(indexes["binary"].coded.codes.shape[1])}
    return v["bytes"].replace(",", "") in kept


@about("{n} of the exact first {m}")
def of_the_exact(s: Screen, v: dict[str, Any], _: str) -> bool:
    exact, *others = (index.search(s.question, k=10).ids for index in coded(s).values())
    return v["m"] == len(exact) and v["n"] in {len(set(exact) & set(own)) for own in others}


@about("**Lost from the exact first {k}: {n}**")
def lost_by_code(s: Screen, v: dict[str, Any], _: str) -> bool:
    exact, own, _rescored = (index.search(s.question, k=v["k"]).ids for index in coded(s).values())
    return v["n"] == len(set(exact) - set(own)) > 0


@about("Code: {code}")
def bits(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = ["".join(map(str, np.unpackbits(code)[:32])) for code in coded(s)["binary"].coded.codes]
    return v["code"].replace(" ", "").rstrip("…") in every


@about("Judged questions: {n}")
def questions_judged(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] == sum(any(g > 0 for g in grades.values()) for grades in s.collection.qrels.values())


@about("Questions: {n}, none judged")
def questions_unjudged(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] > 0 and not any(g > 0 for grades in s.collection.qrels.values() for g in grades.values())


@about("**{measure} kept: {before}%, and {after}% with the first {n} rescored** (arrow; needs the full vectors)")
def share_kept(s: Screen, v: dict[str, Any], _: str) -> bool:
    """All of at most four passages are among the first ten, and among the rescored."""
    return v["after"] == "100" and v["n"] == 20 and (v["measure"] == "nDCG@10" or v["before"] == "100")


@about("first {n} rescored")
def list_rescored(s: Screen, v: dict[str, Any], told: str) -> bool:
    exact, own = s.rankings("compression")["Full vectors"], s.rankings("compression")[told]
    return len(own) <= v["n"] and all(hit.score == exact.hits[exact.ids.index(hit.document.id)].score for hit in own)


@about("The model knows no word of this passage, so it has no vector.")
def no_vector(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(not row.any() for row in np.asarray(rows_for(Vector().embedder, list(s.corpus), s.corpus)))


@about("Select a passage to see its vector and its code.")
def nothing_selected(s: Screen, v: dict[str, Any], _: str) -> bool:
    chosen = s.lists[0][3]["selected"]
    return not chosen or coded(s)["binary"].see(s.question, s.corpus.get(chosen)) is None


@about("This corpus has no questions to measure with: ask one.")
def none_to_measure(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not s.question.strip()
