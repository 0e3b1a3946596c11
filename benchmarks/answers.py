"""The extractive answer: whether the answer stands in the sentences that it takes, and when it says nothing.

    LAB_COLLECTIONS=... python -m benchmarks.answers [--write]

The passages are those of the preset ``best``.  Of every collection with ``answers.jsonl`` about 250 judged questions
that have an answer are asked: every n-th from the first one, n = questions // 250.  The weights were set on others,
the limit on both.  On the second 250, every n-th from the second one, nothing was set.
An answer is found where the text of one of its forms, without blanks and case, stands in the sentence.

"Do not say" is asked twice: where the judged passage is among those that are read, and once more without it.

``--write`` puts the tables into benchmarks/results.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import common
from lab import presets
from lab.algebra import Query, Runner
from lab.answer.extract import Extracted, Extractive
from lab.corpus import beir
from lab.corpus.beir import Collection

HEADING, NUMBER, DEPTH = "Extractive answers", 250, 10
ANSWERS = {"xquad_zh": "xquad_zh", "xquad_en": "xquad_en", "cmrc2018": "cmrc2018", "xquad_en2zh": "xquad_zh"}
"""The collections, each with the one that has its answers."""
SECOND = ("xquad_zh", "xquad_en", "cmrc2018")
"""Those of which a second sample is asked."""
PROMISES = {"xquad_zh": (0.83, 0.92), "xquad_en": (0.84, 0.94), "cmrc2018": (0.70, 0.83)}
"""At least so often the answer stands in the best sentence, and in one of the best three."""
REMOVED, THERE = 0.80, 0.12
"""At least so often nothing is said without the judged passage, at most so often with it."""


PLAIN = Extractive(rare=0, pairs=0, topic=0, theme=0, fits=0, lacks=0, words=1, meaning=1, cosine=1, rank=0.3)
"""The plain rule that the weights are held against: words, meaning and cosine alike."""


class Told(NamedTuple):
    """One question: whether the best sentence (of the plain rule, ours) has it, one of the best three, the answer
    given; what was said."""

    plain: bool
    first: bool
    three: bool
    given: bool
    says: bool
    there: bool
    says_without: bool
    ms: float


def sample(found: Collection, forms: dict[str, list[str]], start: int) -> list[Query]:
    """The questions that are asked."""
    own = [q for q in found.queries if forms.get(q.id) and found.relevant(q.id)]
    return own[start :: max(1, len(own) // NUMBER)][:NUMBER]


def measured(root: Path, name: str, start: int) -> list[Told]:
    found, by = beir.load(root / name), Extractive()
    lines = (root / ANSWERS[name] / "answers.jsonl").read_text("utf-8").splitlines()
    forms = {row["_id"]: row["answers"] for row in map(json.loads, lines)}
    runner, search, out = Runner(found.corpus, explain=False), presets.find("best"), list[Told]()
    for query in sample(found, forms, start):
        passages = [h.document for h in runner(search, query, DEPTH).hits]
        runner.forget()
        judged = set(found.relevant(query.id))
        others = [d for d in passages if d.id not in judged]
        begin = time.perf_counter()
        told = by.answer(query, passages, found.corpus)
        ms = 1000 * (time.perf_counter() - begin)
        there = any(d.id in judged for d in passages[: by.read])
        without = by.answer(query, others, found.corpus)
        plain = has(PLAIN.answer(query, passages, found.corpus), forms[query.id])
        out.append(_told(told, forms[query.id], plain, there, without.says, ms))
    return out


def _told(told: Extracted, forms: Sequence[str], plain: bool, there: bool, without: bool, ms: float) -> Told:
    given = any(_has(s.text, forms) for s in told.sentences)
    first, three = has(told, forms), any(_has(s.text, forms) for s in told.nearest[:3])
    return Told(plain, first, three, given, told.says, there, without, ms)


def has(told: Extracted, forms: Sequence[str]) -> bool:
    """Whether the best sentence has the answer."""
    return told.best is not None and _has(told.best.text, forms)


def _has(text: str, forms: Sequence[str]) -> bool:
    return any(_plain(form) in _plain(text) for form in forms)


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


def share(values: Sequence[bool]) -> float:
    return statistics.mean(map(float, values))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    root, missed, quality, silence = common.collections(), list[str](), list[str](), list[str]()
    for name, start in [*((name, 0) for name in ANSWERS), *((name, 1) for name in SECOND)]:
        rows = measured(root, name, start)
        called = name + (", second sample" if start else "")
        first, three = share([t.first for t in rows]), share([t.three for t in rows])
        applied = [share([t.says and t.first for t in rows]), share([t.given for t in rows])]
        there = [t for t in rows if t.there]
        falsely, rightly = share([not t.says for t in there]), share([not t.says_without for t in there])
        numbers = (share([t.plain for t in rows]), first, three, *applied)
        ms = statistics.median(t.ms for t in rows)
        quality.append(f"| {called} | {len(rows)} | " + " | ".join(f"{x:.3f}" for x in numbers) + f" | {ms:.0f} |")
        silence.append(f"| {called} | {len(there)} | {rightly:.3f} | {falsely:.3f} |")
        print(quality[-1], silence[-1], flush=True)
        if name in PROMISES and not start:
            least = PROMISES[name]
            missed += [f"{name}: {x:.3f}, not {m}" for x, m in zip((first, three), least, strict=True) if x < m]
            missed += [f"{name}: removed {rightly:.3f}"] if rightly < REMOVED else []
            missed += [f"{name}: there {falsely:.3f}"] if falsely > THERE else []
    read = Extractive().read
    text = f"""`LAB_COLLECTIONS=... python -m benchmarks.answers --write`: how often the text of the answer is
in the best sentence by a plain rule (words, meaning and cosine weighted equally), in the best-scoring sentence, and in
one of the best three; the same if the rule may abstain, and in the one to three sentences that are returned. The first
{read} passages of the preset `best` are read. {NUMBER} judged questions, every n-th; no weight or limit was chosen on
the second sample. {common.machine()}.

| | questions | plain rule | best sentence | best three | best, unless it abstains | returned, unless it abstains | ms |
|---|--:|--:|--:|--:|--:|--:|--:|
{chr(10).join(quality)}

Abstaining, with one limit for all: rightly, without the judged passage, and wrongly, with it.

| | questions | rightly | wrongly |
|---|--:|--:|--:|
{chr(10).join(silence)}"""
    if options.write:
        common.write(HEADING, text)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
