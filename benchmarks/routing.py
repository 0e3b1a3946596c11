"""Routing without a model: how often a question is sent to the collection that it was asked of.

    LAB_COLLECTIONS=... python -m benchmarks.routing [--most 500] [--write]

Routes are the collections whose passages are of one language, and both sample corpora (which are asked in both):
once the Chinese ones with the Chinese questions, once the English ones with the English, once all with all.
``xquad_en2zh`` is no route: its passages are those of xquad_zh, and its questions those of xquad_en, which both hold
their answers; where they are sent among all routes is told apart.

The router's knobs were chosen on the questions of even number (the first, the third, ...); every figure is shown for
both halves.  ``--write`` puts the tables into benchmarks/results.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchmarks import common
from lab.algebra import Query, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.routing import Routed, accuracy, curve, decide_all
from lab.retrieve.lexical import BM25
from lab.rewrite.routing import CollectionRouter, Destination, Route
from lab.text import language_of

HEADING = "Routing without a model"
CHINESE, ENGLISH = ("cmrc2018", "xquad_zh", "stard_pool"), ("xquad_en", "cast_conv")
ROUTES: Mapping[str, Sequence[str]] = {
    "Chinese": (*CHINESE, *samples.names()),
    "English": (*ENGLISH, *samples.names()),
    "both": (*CHINESE, *ENGLISH, *samples.names()),
}
CROSSED = "xquad_en2zh"
LANGUAGE = {"Chinese": "zh", "English": "en"}
EXAMPLES = 20
ROUTER = CollectionRouter()
MARGINS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1)
LEAST = {"Chinese": 0.80, "English": 0.88}
"""The accuracy that is promised without examples."""
SURE, SHARE = 0.87, 0.65
"""The accuracy of the sure ones that is promised with examples, and at least their share."""
INTRODUCTION = """\
`LAB_COLLECTIONS=... python -m benchmarks.routing --write`: the share of judged questions whose best route is the
collection that they belong to; in brackets, every second question, on which parameters were chosen / the others.
Routes: {chinese} for Chinese questions, {english} for English ones, {samples}
for both; up to {most} questions of each. {examples} of them (half if there are fewer than {twice}) are the route's
examples and are never asked. Questions to a sample in a language other than that of its passages are included, although
words rarely lead there (handbook under English). Promises for `lab.rewrite.routing.CollectionRouter` as shipped:
{chinese_least:.2f} and {english_least:.2f} without examples; with examples, {sure:.2f} of the confident decisions are
right, at a share of at least {share:.2f}. {machine}."""

CHOICE = """\
Chosen on the first half: every weight of the examples from 0.05 to 0.3 is within 0.005 of the best there, among them
0.2; 0.03 is the smallest of these margins for which at least 0.95 of the confident decisions are right in every column.
The mean of 3 is used although the best passage alone does as well here, because most of these questions were written
with one passage in view, which favours a single passage; elsewhere, several passages show what a collection covers."""


class Measured:
    """One set of routes: their collections, and questions with and without those that are examples."""

    def __init__(self, name: str, most: int) -> None:
        self.name, self.names = name, ROUTES[name]
        self.collections = {route: common.load(route) for route in self.names}
        rng, language = random.Random(0), LANGUAGE.get(name)
        self.asked: dict[str, list[Query]] = {}
        self.examples: dict[str, tuple[str, ...]] = {}
        for route, collection in self.collections.items():
            fit = [q for q in collection.judged if language in (None, language_of(q.text))]
            fit = rng.sample(fit, min(most, len(fit)))
            taken = min(EXAMPLES, len(fit) // 2)  # a sample corpus has few questions of the other language
            self.examples[route] = tuple(q.text for q in fit[:taken])
            self.asked[route] = fit[taken:]

    @property
    def total(self) -> int:
        return sum(map(len, self.asked.values()))

    def routed(self, router: CollectionRouter, *, examples: bool) -> tuple[Routed, ...]:
        """All questions by this router; those that are examples are asked in no case."""
        given = self.examples if examples else dict.fromkeys(self.names, ())
        places = tuple(Destination(n, BM25(), n, given[n]) for n in self.names)
        return decide_all(Route(router, places), self.asked, runner(self.collections))

    def simple(self, score: Callable[[Sequence[float]], float]) -> list[bool]:
        """Whether the right route is the best by its own BM25 scores, each collection with an IDF of its own."""
        runners = {n: Runner(c.corpus, explain=False) for n, c in self.collections.items()}
        hits = []
        for right, asked in self.asked.items():
            for query in asked:
                found = {n: [h.score for h in r(BM25(), query, 10).hits] for n, r in runners.items()}
                hits.append(max(self.names, key=lambda n: score(found[n])) == right)
        return hits


def runner(collections: Mapping[str, Collection]) -> Runner:
    corpora = {name: c.corpus for name, c in collections.items()}
    return Runner(next(iter(corpora.values())), others=corpora, explain=False)


def _halves(hits: Sequence[bool]) -> str:
    a, b = (statistics.mean(hits[half::2]) for half in (0, 1))
    return f"{statistics.mean(hits):.3f} ({a:.3f} / {b:.3f})"


def _cell(routed: Sequence[Routed]) -> str:
    return _halves([one.hit for one in routed])


def sure_at(routed: Sequence[Routed], margin: float) -> tuple[float, float]:
    """The accuracy of the questions that are sure by this margin, and their share."""
    sure = [one for one in routed if one.lead >= margin and one.lead > 0]
    return accuracy(sure), len(sure) / len(routed)


def _sure(routed: Sequence[Routed], margin: float) -> str:
    parts = [sure_at(part, margin) for part in (routed, routed[::2], routed[1::2])]
    whole, a, b = (f"{right:.3f} of {share:.2f}" for right, share in parts)
    return f"{whole} ({a} / {b})"


def _table(head: str, rows: Mapping[str, Sequence[str]], columns: Sequence[str]) -> str:
    lines = [f"| {head} | {' | '.join(columns)} |", "|---|" + "--:|" * len(columns)]
    return "\n".join([*lines, *(f"| {row} | {' | '.join(cells)} |" for row, cells in rows.items())])


def report(sets: Sequence[Measured], most: int) -> tuple[str, list[str]]:
    """The section for benchmarks/results, and the promises that do not hold."""
    heads = [f"{one.name} ({one.total})" for one in sets]
    plain = {one.name: one.routed(ROUTER, examples=False) for one in sets}
    learnt = {one.name: one.routed(ROUTER, examples=True) for one in sets}
    rows = {
        "an IDF for each collection, mean of 10": [_halves(one.simple(lambda s: sum(s) / 10)) for one in sets],
        "an IDF for each collection, the best one": [
            _halves(one.simple(lambda s: max(s, default=0.0))) for one in sets
        ],
    }
    for best in (1, 3, 5, 10):
        told = [one.routed(replace(ROUTER, best=best), examples=False) for one in sets]
        rows[f"one IDF, mean of {best}" + (" (as shipped)" if best == ROUTER.best else "")] = [*map(_cell, told)]
    for weight in (0.05, 0.1, 0.2, 0.3, 0.5):
        told = [one.routed(replace(ROUTER, examples=weight), examples=True) for one in sets]
        shipped = " (as shipped)" if weight == ROUTER.examples else ""
        rows[f"mean of {ROUTER.best}, {EXAMPLES} examples, weight {weight:g}{shipped}"] = [*map(_cell, told)]
    curves = {}
    for said, found in (("no examples", plain), (f"{EXAMPLES} examples", learnt)):
        for margin in MARGINS:
            shipped = " (as shipped)" if margin == ROUTER.margin else ""
            curves[f"{said}, margin {margin:g}{shipped}"] = [_sure(found[one.name], margin) for one in sets]
    by_route = {}
    for route in ROUTES["both"]:
        of = [[x for x in plain[one.name] if x.right == route] for one in sets]
        by_route[route] = [f"{accuracy(own):.3f} ({len(own)})" if own else "–" for own in of]
    missed = list[str]()
    for name, least in LEAST.items():
        if accuracy(plain[name]) < least:
            missed.append(f"{name}: accuracy {accuracy(plain[name]):.3f} without examples")
        right, share = sure_at(learnt[name], ROUTER.margin)
        if right < SURE or share < SHARE:
            missed.append(f"{name}: the sure ones are {right:.3f} right at a share of {share:.2f}")
    parts = [
        INTRODUCTION.format(
            chinese=", ".join(CHINESE),
            english=", ".join(ENGLISH),
            samples=", ".join(samples.names()),
            most=most,
            examples=EXAMPLES,
            twice=2 * EXAMPLES,
            chinese_least=LEAST["Chinese"],
            english_least=LEAST["English"],
            sure=SURE,
            share=SHARE,
            machine=common.machine(),
        ),
        _table("accuracy", rows, heads),
        CHOICE,
        "Accuracy of the confident decisions, with their share:",
        _table("confident", curves, heads),
        "By the route that the question belongs to, without examples (number of questions):",
        _table("route", by_route, [one.name for one in sets]),
        _effort(sets[-1], plain[sets[-1].name]),
    ]
    return "\n\n".join(parts), missed


def _effort(one: Measured, plain: Sequence[Routed]) -> str:
    """What deciding takes, and where questions go whose words no passage of theirs has."""
    asked = common.load(CROSSED).judged[:: max(1, len(common.load(CROSSED).judged) // 300)]
    router = Route(ROUTER, tuple(Destination(n, BM25(), n) for n in one.names))
    at_work, spent = runner(one.collections), []
    sent = {"xquad_en": 0, "xquad_zh": 0}
    for query in asked:
        start = time.process_time()
        told = router.decided(at_work, query)
        spent.append(1000 * (time.process_time() - start))
        sent[told.route] = sent.get(told.route, 0) + 1
    other = len(asked) - sent["xquad_en"] - sent["xquad_zh"]
    points = curve(plain)
    area = float(np.trapezoid(points.accuracies[::-1], points.shares[::-1])) if len(points.shares) > 1 else float("nan")
    return (
        f"Of {len(asked)} questions of {CROSSED}, with all {len(one.names)} routes, {sent['xquad_en']} are sent to "
        f"xquad_en, {sent['xquad_zh']} to xquad_zh, {other} elsewhere: words\nlead to the passages of their own "
        f"language. A decision between {len(one.names)} routes takes {statistics.median(spent):.1f} ms (median). The "
        f"area under the curve of all routes is {area:.3f}."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=500, metavar="N", help="so many questions of each at most")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    text, missed = report([Measured(name, options.most) for name in ROUTES], options.most)
    print(text)
    if options.write:
        common.write(HEADING, text)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
