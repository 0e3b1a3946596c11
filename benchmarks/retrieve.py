"""BM25 and TF-IDF side by side with langchain-community, rank-bm25 and bm25s, on the same real texts.

    LAB_COLLECTIONS=... python -m benchmarks.retrieve [--sizes 1000 10000 100000] [--limit 180]

Each system runs alone in a process of its own, and has indexed and searched twenty texts before it is
measured, so that imports, dictionaries and compilers are out of the way.  Times are processor times of that
process: the clock on the wall would also tell what else the machine does, and hold it against the slow.
``index`` is from a list of texts to the first possible query, word segmentation included; ``query`` is for
the best 10, segmentation of the question included: the median over 50 questions, each asked three times,
the fastest counted; ``memory`` is the peak of the resident memory (ru_maxrss) over the peak before indexing.

    LAB_COLLECTIONS=... python -m benchmarks.retrieve --large 1000000

is BM25 alone, with words alone and with every step, over so many passages made of the sentences of the collections
in ever new orders, as many as the chunks cannot give; ``query`` is over 200 questions, ``explained`` with the reasons
of the ten hits read.  Memory is given back as the app does it, and ``two cores`` are the seconds on the wall until the
index is there: a process for each core counts the words, and is counted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import common
from lab.ui.launch import frugal

ROOT = Path(__file__).parents[1]
K = 10
AIMED = 10_000
"""For so many chunks the aims hold."""
Search = Callable[[str], Any]
Build = Callable[[list[str]], Search]
Found = dict[str, dict[str, float]]
"""The figures of each system."""
HEADING = "Retrieve: BM25 and TF-IDF"
PEERS = ("langchain-community", "rank-bm25", "bm25s", "scikit-learn", "numpy", "jieba", "rjieba")
INTRODUCTION = """`LAB_COLLECTIONS=... python -m benchmarks.retrieve --write`: the texts of four collections, split
into chunks of 120 characters. One pass gives about 9,000; further passes start 8 characters later each, so at 100,000
the chunks overlap and the vocabulary grows less than in 100,000 independent texts. 50 questions, equally many from each
collection. Each system has its own process. Times are processor times; memory is the peak resident memory minus the
memory before indexing. “jieba”: words from `jieba.lcut_for_search`, as users of langchain do; “lab's words”: words from
the lab's own analyzer, so that only the indexes differ. `lab BM25` and `lab TF-IDF` explain every result, as on the
page; evaluation uses `explain=False`. The lab's rows index words only, whatever its defaults, except “all steps”.
"""
CONCLUSION = """Behind the ratios: segmentation takes most of the lab's indexing time, and most of the advantage over
jieba comes from rjieba, not from the index. langchain's BM25 scores every document for every word in Python; its TF-IDF
normalises the whole matrix for every query. numba compiles the search to machine code (several seconds at the first
start, not included here); the lab uses numpy."""


def ours(searcher: str, *, explain: bool) -> Build:
    from lab import formats
    from lab.algebra import Corpus, Document, Runner

    operator = formats.parse(searcher)

    def build(texts: list[str]) -> Search:
        corpus = Corpus("benchmark", tuple(Document(str(i), t) for i, t in enumerate(texts)))
        runner = Runner(corpus, explain=explain)
        runner.index(operator)

        def search(question: str) -> Any:
            runner.forget()
            return runner(operator, question, K)

        return search

    return build


def jieba_words() -> Callable[[str], list[str]]:
    import jieba

    jieba.setLogLevel(60)
    return jieba.lcut_for_search


def langchain_bm25() -> Build:
    from langchain_community.retrievers import BM25Retriever

    words = jieba_words()

    def build(texts: list[str]) -> Search:
        retriever = BM25Retriever.from_texts(texts, preprocess_func=words, k=K)
        return retriever.invoke

    return build


def langchain_tfidf() -> Build:
    from langchain_community.retrievers import TFIDFRetriever

    words = jieba_words()

    def build(texts: list[str]) -> Search:
        retriever = TFIDFRetriever.from_texts(texts, tfidf_params={"tokenizer": words, "token_pattern": None}, k=K)
        return retriever.invoke

    return build


def plain_rank_bm25() -> Build:
    from rank_bm25 import BM25Okapi

    words = jieba_words()

    def build(texts: list[str]) -> Search:
        index = BM25Okapi([words(t) for t in texts])
        return lambda query: index.get_top_n(words(query), texts, n=K)

    return build


def plain_bm25s(backend: str) -> Build:
    import bm25s

    from lab.text import cutting

    words = cutting().tokens  # the same words as lab's, so that only the indexes differ

    def build(texts: list[str]) -> Search:
        index = bm25s.BM25(method="lucene", backend=backend)
        index.index([words(t) for t in texts], show_progress=False)

        return lambda query: index.retrieve([words(query)], k=K, show_progress=False)

    return build


PAIRS = "lab BM25, all steps"
WORDS = (
    "analyzer=Analyzer(bigrams=False, stem='none', simplified=False, numbers=False, questions=False, "
    "characters=False, joined=False, separators=False, units=False)"
)
"""The words that the others have, so that the indexes are compared."""
SYSTEMS: dict[str, Callable[[], Build]] = {
    "lab BM25": lambda: ours(f"BM25({WORDS})", explain=True),
    "lab BM25, explain=False": lambda: ours(f"BM25({WORDS})", explain=False),
    PAIRS: lambda: ours("BM25()", explain=True),
    "lab TF-IDF": lambda: ours(f"TFIDF({WORDS})", explain=True),
    "lab TF-IDF, explain=False": lambda: ours(f"TFIDF({WORDS})", explain=False),
    "bm25s (lab's words)": lambda: plain_bm25s("numpy"),
    "bm25s numba (lab's words)": lambda: plain_bm25s("numba"),
    "rank-bm25 (jieba)": plain_rank_bm25,
    "langchain BM25Retriever (jieba)": langchain_bm25,
    "langchain TFIDFRetriever (jieba)": langchain_tfidf,
}
AIMS = (
    ("BM25, explained: 20 times as fast as langchain's", "query", "lab BM25", "langchain BM25Retriever (jieba)", 20),
    (
        "TF-IDF, explained: 20 times as fast as langchain's",
        "query",
        "lab TF-IDF",
        "langchain TFIDFRetriever (jieba)",
        20,
    ),
    ("BM25, explained: at most 1.5 times the time of bm25s", "query", "lab BM25", "bm25s (lab's words)", 1 / 1.5),
    ("the same against bm25s with numba", "query", "lab BM25", "bm25s numba (lab's words)", 1 / 1.5),
    ("BM25: indexing 5 times as fast as langchain's", "index", "lab BM25", "langchain BM25Retriever (jieba)", 5),
    ("all steps: indexing 4 times as fast as langchain's", "index", PAIRS, "langchain BM25Retriever (jieba)", 4),
    ("TF-IDF: indexing 5 times as fast as langchain's", "index", "lab TF-IDF", "langchain TFIDFRetriever (jieba)", 5),
)
"""What is promised: of what, of which two systems, and how many times as fast the first one is at least."""


def measure(system: str, size: int, *, large: bool = False) -> dict[str, float]:
    """Index seconds, query milliseconds and megabytes of one system, in this process."""
    warnings.simplefilter("ignore")
    if large:
        frugal()
    build = SYSTEMS[system]()
    texts, questions = common.shuffled(size) if large else common.chunks(size), common.queries(200 if large else 50)
    build(texts[:20])(questions[0])
    before = common.peak_megabytes()
    common.watch()
    start, used = time.perf_counter(), common.processor()
    search = build(texts)
    wall, index = time.perf_counter() - start, common.processor() - used
    result = {"index": index, "query": median(search, questions)}
    if large:
        result["two cores"] = wall
        result["explained"] = median(lambda question: [list(hit.why) for hit in search(question)], questions)
    return {**result, "memory": common.peak_megabytes() - before}


def median(search: Search, questions: list[str]) -> float:
    """The processor milliseconds of a question, the fastest of three times."""
    return 1000 * statistics.median(min(timed(search, question) for _ in range(3)) for question in questions)


def timed(search: Search, question: str) -> float:
    """The processor seconds that one search takes."""
    start = time.process_time()
    search(question)
    return time.process_time() - start


def alone(system: str, size: int, limit: float, *, large: bool = False) -> dict[str, float] | None:
    """The same in a process of its own; None where it takes longer than ``limit`` seconds."""
    command = [sys.executable, "-m", "benchmarks.retrieve", "--one", system, "--sizes", str(size)]
    command += ["--large", str(size)] * large
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def table(size: int, systems: Sequence[str], limit: float, *, large: bool = False) -> tuple[list[str], Found]:
    """The lines of one size's table, printed as they are found, and the figures of each system."""
    more = ("two cores", "explained") if large else ()
    units = "".join(f" {name}, {'ms' if name == 'explained' else 's'} |" for name in more)
    lines, found = list[str](), Found()

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    say(f"### {size:,} chunks\n")
    say(f"| | index, s | query, ms |{units} memory, MB | index / lab BM25 | query / lab BM25 |")
    say("|---|--:|--:|--:|--:|--:|" + "--:|" * len(more))
    for system in systems:
        if (r := alone(system, size, limit, large=large)) is None:
            say(f"| {system} | not run: over {limit:.0f} s |{' |' * (4 + len(more))}")
            continue
        found[system] = r
        first = found[systems[0]]
        ratios = f"{r['index'] / first['index']:.2f} | {r['query'] / first['query']:.2f}"
        query = " | ".join(f"{r[name]:.3f}" for name in ("query", *more))
        say(f"| {system} | {r['index']:.2f} | {query} | {r['memory']:.0f} | {ratios} |")
    return lines, found


def aims(found: Found) -> tuple[list[str], list[str]]:
    """What was promised and what was measured, as lines of a table; and what is missed."""
    lines, missed = ["| aim | measured | |", "|---|---|---|"], list[str]()
    for told, what, one, other, least in AIMS:
        ratio = found[other][what] / found[one][what]
        reached = ratio >= least
        lines.append(f"| {told} | {ratio:.1f} times as fast | {'reached' if reached else 'missed'} |")
        missed += [] if reached else [f"{told}: {ratio:.1f}"]
    return lines, missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, AIMED, 100_000])
    parser.add_argument("--limit", type=float, default=180, help="seconds after which a system is not waited for")
    parser.add_argument("--large", type=int, default=0, help="so many passages of shuffled sentences, BM25 only")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    parser.add_argument("--one", choices=SYSTEMS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    common.collections()
    if args.one:
        print(json.dumps(measure(args.one, args.sizes[0], large=bool(args.large))))
        return 0
    if args.large:
        table(args.large, ("lab BM25", PAIRS), args.limit, large=True)
        return 0
    lines, missed = [INTRODUCTION, f"{common.machine()}."], list[str]()
    for size in args.sizes:
        told, found = table(size, list(SYSTEMS), args.limit)
        lines += ["", *told]
        if size == AIMED and len(found) == len(SYSTEMS):
            reached, missed = aims(found)
            lines += ["", f"At {size:,} chunks:", "", *reached]
    if args.write:
        common.write(HEADING, "\n".join([*lines, "", CONCLUSION]), peers=PEERS)
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
