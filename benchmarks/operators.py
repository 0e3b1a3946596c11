"""Operators and phrases in a question, and proximity: how many times plain BM25 they take.

    LAB_COLLECTIONS=... python -m benchmarks.operators [--size 100000] [--questions 50] [--write]

The passages are those of `benchmarks.million`.  All ways to ask a question are timed in turns in one process, under one
thread, reasons unread, the fastest of three times, best 10.  Each list that operators filter has up to 1,000 results
(`lab.rewrite.operators.DEPTH`), so their time does not grow with the corpus.  Ends with status 1 where a promise does
not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from benchmarks import common
from benchmarks.million import K, timed
from lab.algebra import Corpus, Document, Runner, Searcher
from lab.refine.proximity import Proximity
from lab.retrieve.lexical import BM25
from lab.rewrite.operators import DEPTH, with_operators
from lab.text import Analyzer

HEADING = "Operators in a question"
TIMES = 5.0
"""Promise: times plain BM25 of a question with operators."""
WORDS = Analyzer(pairs=False, bigrams=False, characters=False, numbers=False, joined=False, units=False)
PROMISED = ("the longest word required (+)", "the shortest word excluded (-)", "the longest word in quotation marks")


def words_of(question: str) -> list[str]:
    """The words of a question as they are written, the shortest first."""
    words = {question[token.start : token.end] for token in WORDS.spans(question)}
    return sorted(words, key=lambda word: (len(word), word)) or [question]


def measured(size: int, questions: int) -> dict[str, list[float]]:
    """Milliseconds of each way to ask: the median, and what nine of ten stay below."""
    common.one_thread()
    passages = Corpus("passages", tuple(Document(str(i), text) for i, text in enumerate(common.shuffled(size))))
    runner, plain = Runner(passages, explain=False), BM25()
    runner(plain, common.queries(1)[0], K)

    def ask(search: Searcher, k: int = K, put: Callable[[str], str] = str) -> Callable[[str], object]:
        def found(question: str) -> object:
            runner.forget()
            return runner(search, put(question), k)

        return found

    kept = with_operators(plain)
    ways = {
        "BM25": ask(plain),
        f"BM25, its best {DEPTH:,}": ask(plain, DEPTH),
        PROMISED[0]: ask(kept, put=lambda q: f"+{words_of(q)[-1]} {q}"),
        PROMISED[1]: ask(kept, put=lambda q: f"{q} -{words_of(q)[0]}"),
        PROMISED[2]: ask(kept, put=lambda q: f"“{words_of(q)[-1]}” {q}"),
        "proximity, of BM25's best 50": ask(plain % 50 >> Proximity()),
    }
    return dict(zip(ways, timed(common.queries(questions), *ways.values()), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    common.collections()
    found = measured(options.size, options.questions)
    base = found["BM25"][0]
    lines = [
        f"`LAB_COLLECTIONS=... python -m benchmarks.operators --questions {options.questions}`: {options.size:,}",
        f"passages of {common.LENGTH} characters, in one run; processor milliseconds per question, no reasons read.",
        f"Operators filter up to {DEPTH:,} results of a list, whatever the size of the corpus. {common.machine()}.\n",
        "| | a question, ms | nine of ten within | times BM25 | |\n|---|--:|--:|--:|---|",
    ]
    missed = []
    for name, (median, most) in found.items():
        times = median / base
        verdict = "" if name not in PROMISED else "holds" if times <= TIMES else f"missed (at most {TIMES:g})"
        lines.append(f"| {name} | {median:.2f} | {most:.2f} | {times:.1f} | {verdict} |")
        missed += [f"{name}: {times:.1f} times BM25, at most {TIMES:g}"] if verdict.startswith("missed") else []
    deep = found[f"BM25, its best {DEPTH:,}"][0] / base
    lines += ["", f"A list of {DEPTH:,} results takes {deep:.1f} times a list of {K}; the rest is reading their texts."]
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines))
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
