"""Spelling: what one typing mistake in each question costs, and how much of it a correction brings back.

    LAB_COLLECTIONS=... python -m benchmarks.spelling [devices staff ...] [--most 300] [--write]

The sample corpora and every folder of LAB_COLLECTIONS with judgments, unless some are named.  Every n-th question is
asked, the n such that there are ``--most`` of them at most.  A question with a word of at least four letters gets one
edit in its longest word (insert, delete, replace or swap, drawn by the question's id); a Chinese one gets a character
of the same sound in a word of the corpus, where pypinyin is installed.  ``--write`` puts the tables into
benchmarks/results.
"""

from __future__ import annotations

import argparse
import random
import string
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from benchmarks import common, quality
from lab.algebra import Corpus, Searcher
from lab.corpus import samples
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.retrieve.lexical import BM25
from lab.retrieve.ngrams import CharNgram
from lab.retrieve.vector import Vector
from lab.rewrite.nearest import CorpusWords
from lab.rewrite.spelling import Spelling
from lab.text import cutting, is_han

HEADING = "Spelling: what a typing mistake costs, and what a correction brings back"
MEASURE = "nDCG@10"
SHORTEST = 4
"""Letters of a word that is misspelt."""
PART, LOSS = 0.5, 0.003
"""With spelling a typing mistake costs BM25 at most this part of what it costs without; a clean question this much."""
SURE = 50
"""Questions of a kind that a collection must have for the promises to be held to it."""
WORDS = cutting()
PRECISE = cutting(mode="precise", single=True)
INTRODUCTION = """\
`LAB_COLLECTIONS=... python -m benchmarks.spelling --most {most} --write`.  {measure} of BM25, of the built-in vectors
and of character n-grams for the questions as they are (clean), with one typing mistake each (typo), and both after
`Spelling()` (in Chinese `Spelling(sound="same")`), which asks the corrected question instead.  “Touched” are clean
questions in which something is corrected.  In brackets how many questions were asked.  {machine}."""


def misspelt(text: str, seed: str) -> str:
    """The text with one random edit in its longest word of letters; the text itself if all words are too short."""
    words = [t for t in WORDS.spans(text) if t.text.isalpha() and not is_han(t.text[:1])]
    longest = max(words, key=lambda t: len(t.text), default=None)
    if longest is None or len(longest.text) < SHORTEST:
        return text
    rng, before = random.Random(seed), text[longest.start : longest.end]
    after = before
    while after.lower() == before.lower():
        i, letter = rng.randrange(len(before)), rng.choice(string.ascii_lowercase)
        after = {
            "insert": before[:i] + letter + before[i:],
            "delete": before[:i] + before[i + 1 :],
            "replace": before[:i] + letter + before[i + 1 :],
            "swap": before[:i] + before[i + 1 : i + 2] + before[i : i + 1] + before[i + 2 :],
        }[rng.choice(("insert", "delete", "replace", "swap"))]
    return text[: longest.start] + after + text[longest.end :]


class Homophones:
    """Characters of a corpus that sound the same, tones aside."""

    def __init__(self, corpus: Corpus) -> None:
        from pypinyin import lazy_pinyin

        self._sound, self._words = lazy_pinyin, CorpusWords.of(corpus)
        self._alike = defaultdict[str, set[str]](set)
        for character in {c for document in corpus for c in document.content if is_han(c)}:
            self._alike[lazy_pinyin(character)[0]].add(character)

    def misspelt(self, text: str, seed: str) -> str:
        """The text with another character of the same sound in a word of the corpus; the text itself if it has none."""
        rng = random.Random(seed)
        words = [t for t in PRECISE.spans(text) if 2 <= len(t.text) <= 4 and is_han(t.text)]
        words = [t for t in words if self._words.passages(t.text)]
        for t in rng.sample(words, len(words)):
            i = rng.randrange(t.start, t.end)
            others = sorted(self._alike[self._sound(text[i])[0]] - {text[i]})
            if others:
                return text[:i] + rng.choice(others) + text[i + 1 :]
        return text


@dataclass(frozen=True)
class Measured:
    """One kind of mistake in one collection: means of each column, questions, and how many clean ones are touched."""

    name: str
    kind: str
    questions: int
    means: Mapping[str, float]
    touched: int
    restored: int

    @property
    def head(self) -> str:
        return f"{self.name} ({self.questions})"


def measured(name: str, most: int) -> list[Measured]:
    """Both kinds of mistakes in one collection, as far as its questions allow them."""
    collection = common.load(name)
    asked = collection.judged[:: -(-len(collection.judged) // most)]
    kinds = {"letters": (misspelt, Spelling())}
    if find_spec("pypinyin"):
        kinds["sound"] = (Homophones(collection.corpus).misspelt, Spelling(sound="same"))
    found = []
    for kind, (make, spelling) in kinds.items():
        typos = {q.id: replace(q, text=make(q.text, q.id)) for q in asked}
        clean = [q for q in asked if typos[q.id].text != q.text]
        if not clean:
            continue
        searches: dict[str, Searcher] = {"BM25": BM25(), "vectors": Vector(), "n-grams": CharNgram()}
        searches |= {f"{row}, spelling": spelling(searches[row]) for row in ("BM25", "vectors")}
        qrels = {q.id: collection.qrels[q.id] for q in clean}
        means = dict[str, float]()
        for state, queries in (("clean", clean), ("typo", [typos[q.id] for q in clean])):
            for row, run in run_many(searches, collection.corpus, queries, k=100).items():
                means[f"{row}, {state}"] = measure_run(run, qrels, [MEASURE]).means[MEASURE]
        corrected = {q.id: spelling.correct(typos[q.id].text, collection.corpus) for q in clean}
        touched = sum(bool(spelling.correct(q.text, collection.corpus).corrections) for q in clean)
        restored = sum(corrected[q.id].result.lower() == q.text.lower() for q in clean)
        found.append(Measured(name, kind, len(clean), means, touched, restored))
    return found


COLUMNS = {
    "BM25 clean": "BM25, clean",
    "typo": "BM25, typo",
    "typo, spelling": "BM25, spelling, typo",
    "clean, spelling": "BM25, spelling, clean",
    "vectors clean": "vectors, clean",
    "typo ": "vectors, typo",
    "typo, spelling ": "vectors, spelling, typo",
    "n-grams clean": "n-grams, clean",
    "typo  ": "n-grams, typo",
}


def table(found: Sequence[Measured]) -> str:
    """One row per collection."""
    lines = ["| | " + " | ".join(map(str.strip, COLUMNS)) + " | restored | touched |", "|---|" + "--:|" * 11]
    for one in found:
        cells = [f"{one.means[column]:.3f}" for column in COLUMNS.values()]
        lines.append("| " + " | ".join([one.head, *cells, str(one.restored), str(one.touched)]) + " |")
    return "\n".join(lines)


def report(found: Sequence[Measured], most: int) -> str:
    """The section for benchmarks/results."""
    parts = [INTRODUCTION.format(most=most, measure=MEASURE, machine=common.machine())]
    for kind, title in (("letters", "One edit in the longest word"), ("sound", "One character of the same sound")):
        if own := [one for one in found if one.kind == kind]:
            parts += [f"**{title}**", table(own)]
    return "\n\n".join(parts)


def broken(found: Sequence[Measured]) -> list[str]:
    """Where a correction brings back too little, or harms clean questions; few questions show neither."""
    lines = []
    for one in found:
        clean, typo, repaired, touched = (one.means[column] for column in [*COLUMNS.values()][:4])
        if one.questions < SURE:
            continue
        if one.kind == "letters" and clean - repaired > PART * (clean - typo):
            lines.append(f"a typing mistake costs {clean - repaired:.4f} of {clean - typo:.4f} on {one.name}")
        if clean - touched > LOSS:
            lines.append(f"clean questions lose {clean - touched:.4f} on {one.name} ({one.kind})")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", help="names (default: the samples and all of LAB_COLLECTIONS)")
    parser.add_argument("--most", type=int, default=300, metavar="N", help="so many questions of each at most")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    found = []
    for name in options.collections or [*samples.names()[::-1], *quality.names()]:
        found += measured(name, options.most)
        print(name, file=sys.stderr, flush=True)
    if options.write:
        common.write(HEADING, report(found, options.most))
    print(report(found, options.most))
    missed = broken(found)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
