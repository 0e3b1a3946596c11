"""Citations: whether what a sentence rests on is found, and whether nothing is cited for what rests on nothing.

    LAB_COLLECTIONS=... python -m benchmarks.citations [quality | numbers | time] [--write]

``quality``: questions with one judged passage stand for the sentences of an answer, three for each answer.  Its sources
are shared: the judged passages of the three and the first three of a search for each (BM25; across languages, where
words find nothing, vectors), without the judged passage of one question, which so has nothing to rest on; each of the
three is the one in turn.  250 questions per collection (half of them where there are fewer than 500), and as many
others as a check, which were not used when the numbers of `BestSentence` were chosen.  Precision: of what is cited,
the share that is the judged passage.  Recall: of the sentences whose passage is there, the share that cites it.
Unsupported cited: of the sentences whose passage was taken away, the share that cites.

The curve is over thresholds, which are not lowered: both rules with everything else as it is.

``numbers``: sentences of 200 passages, as they stand and with one number of two to four digits made another that the
passage does not have: how many have a number, date or name flagged, and how many with what really stands there.

``time``: an answer of 10 sentences against 10 passages, processor milliseconds, medians, when the vectors of the
passages' sentences are there.

``--write`` puts the tables into benchmarks/results.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from benchmarks import common
from lab.algebra import Corpus, Document, Retriever, Runner
from lab.answer.base import Place
from lab.answer.citations import BestSentence, CitationRule, Cited, RAGFlowCitations
from lab.answer.facts import Facts
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.models.embedders import vectors_of
from lab.models.pieces import Pieces, spans_of
from lab.models.static import BuiltIn
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text.borders import sentences

HEADING, NUMBERS, TIMES = "Citations", "Citations: numbers that are not there", "Citations: time"
NAMES: Mapping[str, Retriever] = {
    **dict.fromkeys(("cmrc2018", "stard_pool", "xquad_zh", "xquad_en"), BM25()),
    "xquad_en2zh": Vector(),  # across languages words find nothing
    "cast_conv": BM25(),
}
"""The collections, and the search whose first passages stand among the sources."""
CURVE, STEPS = "stard_pool", [i / 100 for i in range(5, 96)]
QUESTIONS, NEAR, TOLD, PASSAGES, MS = 250, 3, 10, 200, 50.0
_NUMBER = re.compile(r"(?<![\dA-Za-z.,-])\d{2,4}(?![\dA-Za-z.,-])")
RULES: Mapping[str, CitationRule] = {"RAGFlow's rule": RAGFlowCitations(), "Best sentence": BestSentence()}
CAUGHT, UNTOUCHED = 0.99, 0.005
"""Of the sentences with a number changed so many are flagged at least, of those as they stand so many at most."""
PROMISES = {"cmrc2018": (0.92, 0.88, 0.11), "stard_pool": (0.46, 0.39, 0.39)}
"""Of `BestSentence`: precision and recall at least, unsupported cited at most."""


class Case(NamedTuple):
    """An answer: its sentences, its sources, and of every sentence which source is the judged one (-1: none)."""

    statements: tuple[str, ...]
    sources: tuple[Document, ...]
    judged: tuple[int, ...]


class Told(NamedTuple):
    """Precision, recall, and the share of the unsupported sentences that were cited."""

    precision: float
    recall: float
    unsupported: float


@cache
def collection(name: str) -> Collection:
    return beir.load(common.collections() / name)


def cases(name: str, part: int = 0) -> list[Case]:
    """The answers made of the first 250 questions of a fixed shuffle, or (part 1) of the second."""
    found, search = collection(name), NAMES[name]
    asked = [q for q in found.judged if len(found.relevant(q.id)) == 1]
    random.Random(0).shuffle(asked)
    half = min(QUESTIONS, len(asked) // 2)
    asked = asked[part * half :][:half]
    runner = Runner(found.corpus, explain=False)
    out = []
    for i in range(0, len(asked) - 2, 3):
        own = asked[i : i + 3]
        true = [next(iter(found.relevant(q.id))) for q in own]
        ids = dict.fromkeys(true)
        for query in own:
            ids |= dict.fromkeys(runner(search, query.text, NEAR).ids)
            runner.forget()
        for gone in dict.fromkeys(true):
            left = [id for id in ids if id != gone]
            judged = tuple(left.index(t) if t != gone else -1 for t in true)
            out.append(Case(tuple(q.text for q in own), tuple(_document(found.corpus, id) for id in left), judged))
    return out


def _document(corpus: Corpus, id: str) -> Document:
    document = corpus.get(id)
    assert document is not None
    return document


def measured(told: Sequence[tuple[Case, Sequence[Cited]]]) -> Told:
    """What the rule was worth on these answers."""
    cited = right = supported = unsupported = false = 0
    for case, rows in told:
        for own, judged in zip(rows, case.judged, strict=True):
            places = [s.place.passage for s in own.sources]
            cited += len(places)
            right += judged in places
            supported += judged >= 0
            unsupported += judged < 0
            false += judged < 0 and bool(places)
    return Told(right / max(cited, 1), right / max(supported, 1), false / max(unsupported, 1))


def applied(rule: CitationRule, answers: Sequence[Case], corpus: Corpus) -> list[tuple[Case, Sequence[Cited]]]:
    return [(case, rule.cite(case.statements, case.sources, corpus)) for case in answers]


def at(rule: CitationRule, threshold: float) -> CitationRule:
    """The rule with one threshold that is never lowered."""
    if isinstance(rule, RAGFlowCitations):
        return replace(rule, threshold=threshold, floor=1.0)
    assert isinstance(rule, BestSentence)
    return replace(rule, threshold=threshold)


def quality(rule: CitationRule, part: int) -> dict[str, Told]:
    """What the rule is worth, by collection."""
    out = {}
    for name in NAMES:
        found = collection(name)
        out[name] = measured(applied(rule, cases(name, part), found.corpus))
    return out


def curve(rule: CitationRule) -> list[tuple[float, Told]]:
    """(threshold, what the rule is worth with it) of the collection of the curve, over both parts."""
    found = collection(CURVE)
    told = applied(at(rule, 0.0), [*cases(CURVE, 0), *cases(CURVE, 1)], found.corpus)

    def cut(own: Cited, threshold: float) -> Cited:
        near = own.nearest
        return own if near and rule.share * near.similarity >= threshold else replace(own, sources=())

    return [(t, measured([(case, [cut(own, t) for own in rows]) for case, rows in told])) for t in STEPS]


def recall_at(points: Sequence[tuple[float, Told]], unsupported: float) -> float:
    """The recall of a curve where so many unsupported sentences are cited, between two points in a straight line."""
    line = sorted({(t.unsupported, t.recall) for _, t in points} | {(0.0, 0.0)})
    below = max(p for p in line if p[0] <= unsupported)
    above = min((p for p in line if p[0] > unsupported), default=below)
    share = (unsupported - below[0]) / (above[0] - below[0]) if above[0] > below[0] else 0.0
    return below[1] + share * (above[1] - below[1])


def below(own: Sequence[tuple[float, Told]], other: Sequence[tuple[float, Told]]) -> list[str]:
    """Where a curve is not above another: at thresholds of the other at which it cites anything."""
    out = []
    for threshold, told in other:
        recall = recall_at(own, told.unsupported)
        if 0 < told.recall >= recall:
            out.append(f"above the curve of RAGFlow at its threshold {threshold:.2f}: {recall:.3f}, {told.recall:.3f}")
    return out


class Flagged(NamedTuple):
    """Sentences, how many of them are flagged as they stand; those with a number changed, how many of these are
    flagged, and how many with the number that stood there."""

    sentences: int
    untouched: int
    changed: int
    caught: int
    told: int


def flagged(name: str) -> Flagged:
    """What is flagged in the sentences of a collection."""
    rng, counts = random.Random(0), [0] * 5
    documents = collection(name).corpus.documents
    for d in rng.sample(documents, min(PASSAGES, len(documents))):
        there = Facts((d,))
        for a, b in spans_of(d):
            sentence, place = d.content[a:b], [Place(0, a, b)]
            counts[0] += 1
            counts[1] += bool(there.flags(sentence, place))
            found = [*_NUMBER.finditer(sentence)]
            m = rng.choice(found) if found else None
            other = str(int(m[0]) + 7 * rng.randint(1, 9)) if m else ""
            if m and other not in d.content:
                flags = there.flags(sentence[: m.start()] + other + sentence[m.end() :], place)
                counts[2] += 1
                counts[3] += any(other in flag.text for flag in flags)
                counts[4] += any(m[0] in p.read((d,)) for flag in flags for p in flag.instead)
    return Flagged(*counts)


def timed() -> dict[str, float]:
    """By rule the processor milliseconds of an answer of 10 sentences against 10 passages, medians."""
    found = collection("cmrc2018")
    lists = Runner(found.corpus, explain=False)
    asked = random.Random(1).sample(found.judged, 40)
    passages = [tuple(h.document for h in lists(BM25(), q.text, TOLD)) for q in asked]
    answers = [[d.text[slice(*sentences(d.text)[0])] for d in own] for own in passages]
    vectors_of(BuiltIn(), found.corpus)
    out = {}
    for label, rule in RULES.items():
        rule.cite(answers[0], passages[0], found.corpus)  # what is made once for a corpus
        took = []
        for answer, own in zip(answers, passages, strict=True):
            Pieces.of(rule.embedder, found.corpus).rows(own)
            begin = time.process_time()
            rule.cite(answer, own, found.corpus)
            took.append(1000 * (time.process_time() - begin))
        out[label] = statistics.median(took)
    return out


def table(told: Mapping[str, Mapping[str, Told]]) -> str:
    names = next(iter(told.values()))
    lines = [f"| | {' | '.join(names)} |", f"|---|{'--:|' * len(names)}"]
    rows = (
        f"| {label} | " + " | ".join(" / ".join(f"{x:.2f}" for x in own[n]) for n in names) + " |"
        for label, own in told.items()
    )
    return "\n".join([*lines, *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("quality", "numbers", "time"), help="default: all")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    missed = list[str]()
    if options.what in (None, "quality"):
        told = {label: quality(rule, 0) for label, rule in RULES.items()}
        check = {label: quality(rule, 1) for label, rule in RULES.items()}
        curves = {label: curve(rule) for label, rule in RULES.items()}
        text = _quality(told, check, curves)
        for name, (precision, recall, unsupported) in PROMISES.items():
            own = told["Best sentence"][name]
            if (
                round(own.precision, 2) < precision
                or round(own.recall, 2) < recall
                or round(own.unsupported, 2) > unsupported
            ):
                missed.append(f"{name}: " + " / ".join(f"{x:.3f}" for x in own))
        missed += below(curves["Best sentence"], curves["RAGFlow's rule"])
        print(text)
        if options.write:
            common.write(HEADING, text)
    if options.what in (None, "numbers"):
        rows = {name: flagged(name) for name in NAMES if name != "xquad_en2zh"}  # whose passages are those of xquad_zh
        missed += [f"{name}: {own}" for name, own in rows.items() if own.caught < CAUGHT * own.changed]
        missed += [f"{name}: {own}" for name, own in rows.items() if own.untouched > UNTOUCHED * own.sentences]
        heads = "| | sentences | flagged unchanged | with a number changed | flagged | naming the right number |"
        text = (
            f"Sentences of {PASSAGES} passages of each collection: what `Faithfulness` flags in them, compared with "
            "their own passage.\n\n"
            + "\n".join([heads, "|---|--:|--:|--:|--:|--:|"])
            + "".join(f"\n| {name} | {' | '.join(map(str, own))} |" for name, own in rows.items())
        )
        print(text)
        if options.write:
            common.write(NUMBERS, text)
    if options.what in (None, "time"):
        took = timed()
        missed += [f"{label}: {ms:.1f} ms" for label, ms in took.items() if ms > MS]
        text = (
            f"An answer of {TOLD} sentences against {TOLD} passages of cmrc2018, with the vectors of the passages' "
            f"sentences already computed:\nmedian processor milliseconds. {common.machine()}.\n\n| | ms |\n|---|--:|\n"
            + "\n".join(f"| {label} | {ms:.1f} |" for label, ms in took.items())
        )
        print(text)
        if options.write:
            common.write(TIMES, text)
    return common.verdict(missed)


def _quality(
    told: Mapping[str, Mapping[str, Told]],
    check: Mapping[str, Mapping[str, Told]],
    curves: Mapping[str, Sequence[tuple[float, Told]]],
) -> str:
    levels = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    shares = [
        f"| {label} | " + " | ".join(f"{recall_at(own, x):.2f}" for x in levels) + " |" for label, own in curves.items()
    ]
    both = [
        f"| {t:.2f} | {' / '.join(f'{x:.2f}' for x in a)} | {' / '.join(f'{x:.2f}' for x in b)} |"
        for (t, a), (_, b) in zip(*curves.values(), strict=True)
        if round(100 * t) % 10 == 0
    ]
    heads = "| threshold | " + " | ".join(curves) + " |"
    return (
        "`LAB_COLLECTIONS=... python -m benchmarks.citations --write`: questions replace the sentences of an answer, "
        "three per answer,\nwith shared sources; the judged passage of one is missing (see the module). In each "
        "cell: precision, recall, share of\nunsupported sentences that were cited.\n\n"
        f"{table(told)}\n\nOther questions, which were not used to choose the parameters of the "
        f"rule:\n\n{table(check)}\n\n"
        f"{CURVE}, all questions of both tables, one threshold that is never lowered: the recall at a given share\n"
        "of cited unsupported sentences, and both rules by threshold.\n\n"
        + "\n".join(
            [
                f"| | {' | '.join(map(str, levels))} |",
                f"|---|{'--:|' * len(levels)}",
                *shares,
                "",
                heads,
                "|--:|--:|--:|",
                *both,
            ]
        )
    )


if __name__ == "__main__":
    sys.exit(main())
