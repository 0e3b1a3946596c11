"""What comes after the retrievers, on 100,000 chunks: fusion, MMR and reordering, side by side with LangChain.

    LAB_COLLECTIONS=... python -m benchmarks.pipeline [--size 100000] [--write]

Both get the same lists (BM25 and vector, twice the wanted depth each) and the same vectors, made beforehand, so
that only what comes beyond the retrievers' own work is on the clock: `RRF`, `MMR`, `LongContextReorder`, as one search
that the runner runs (together: the clock, less the retrievers' own seconds), against
``EnsembleRetriever`` (its retrievers hand out the lists), ``maximal_marginal_relevance`` and
``LongContextReorder``.  LangChain's documents carry no vectors, so they are timed with the vectors looked up
from a table, and as its own document transformers do it, embedding the documents again.  Milliseconds on the
clock, median and slowest of 50 questions, each asked three times, the fastest counted.  ``--write`` puts the
table into benchmarks/results.  Ends with status 1 where the lab needs 150 ms or
more for any question.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.document_transformers import LongContextReorder as TheirReorder
from langchain_core.documents import Document as Theirs
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from benchmarks import common
from lab.algebra import Corpus, Document, Pipeline, Ranking, Runner
from lab.fuse import RRF
from lab.models.embedders import Vectors, encoder_of, vectors_of
from lab.models.static import BuiltIn
from lab.refine.diversity import MMR
from lab.refine.reorder import LongContextReorder
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

LIMIT_MS = 150.0
SETTINGS = ((20, 20, 10), (100, 100, 20))
"""(depth of the fused list, fetch_k, k): the usual one, and a large one."""
PEERS = ("langchain-classic", "langchain-core", "langchain-community", "numpy")
HEADING = "After the retrievers: fuse, MMR, reorder"
WAYS = ("lab, with reasons for every rank and drop", "LangChain, vectors from a table", "LangChain, embedding again")


class Clock:
    """Milliseconds between one call and the next."""

    def __init__(self) -> None:
        self.last = time.perf_counter()
        self.times: list[float] = []

    def __call__(self) -> None:
        now = time.perf_counter()
        self.times.append((now - self.last) * 1000)
        self.last = time.perf_counter()


def search(depth: int, fetch_k: int, k: int) -> Pipeline:
    """The whole search of a setting."""
    both = RRF(weights=(0.5, 0.5))(BM25(), Vector(), depth=2 * depth)
    return both % depth >> MMR(fetch_k=fetch_k, k=k) >> LongContextReorder()


def ours(runner: Runner, whole: Pipeline, question: str) -> tuple[float, list[Ranking], list[float], list[str]]:
    """The retrievers' milliseconds and lists; those of the three stages and of all; the ids that come out."""
    runner.forget()
    start = time.perf_counter()
    found = runner(whole, question)
    clock = time.perf_counter() - start
    *lists, fused, top, picked, ordered = found.lineage()
    searching = sum(r.seconds for r in lists)
    spent = [fused.seconds + top.seconds, picked.seconds, ordered.seconds, clock - searching]
    return 1000 * searching, lists, [1000 * s for s in spent], found.ids


def theirs(
    lists: Sequence[Ranking],
    depth: int,
    fetch_k: int,
    k: int,
    vectors: Callable[[list[Theirs]], Vectors],
    embed: Callable[[str], Vectors],
) -> tuple[list[float], list[str]]:
    """The same with LangChain; ``vectors`` finds or makes the documents' vectors, ``embed`` the question's."""
    given = [[Theirs(page_content=h.document.text, metadata={"id": h.document.id}) for h in r] for r in lists]
    hand_out = [RunnableLambda(lambda _, docs=docs: docs) for docs in given]
    ensemble = EnsembleRetriever(retrievers=hand_out, weights=[0.5, 0.5], c=60, id_key="id")
    clock = Clock()
    question = lists[0].query.text
    fused = ensemble.invoke(question)[:depth]
    clock()
    near = fused[:fetch_k]
    rows = maximal_marginal_relevance(embed(question), vectors(near).tolist(), 0.5, k)
    picked = [near[i] for i in rows]
    clock()
    ordered = TheirReorder().transform_documents(picked)
    clock()
    return [*clock.times, sum(clock.times)], [d.metadata["id"] for d in ordered]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    text, slowest = table(args.size)
    print(text)
    if args.write:
        common.write(HEADING, text, PEERS)
    if slowest >= LIMIT_MS:
        sys.exit(f"The lab needed {slowest:.1f} ms beyond its retrievers, which is not under {LIMIT_MS:.0f}.")


def table(size: int) -> tuple[str, float]:
    """The section, and the slowest of the lab's answers in milliseconds."""
    corpus = Corpus("benchmark", tuple(Document(str(i), t) for i, t in enumerate(common.chunks(size))))
    runner = Runner(corpus)
    encoder, vectors = encoder_of(BuiltIn(), corpus), vectors_of(BuiltIn(), corpus)

    def embed(question: str) -> Vectors:
        return encoder.queries([question])[0]

    def looked_up(documents: list[Theirs]) -> Vectors:
        return vectors[[int(d.metadata["id"]) for d in documents]]

    def again(documents: list[Theirs]) -> Vectors:
        return encoder.documents([d.page_content for d in documents])

    lines, slowest = [], 0.0
    questions = common.queries()
    for setting in SETTINGS:
        depth, fetch_k, k = setting
        whole = search(*setting)
        times: dict[str, list[list[float]]] = {way: [] for way in WAYS}
        searching, same = [], 0
        for question in [questions[0], *questions]:  # the first one twice: imports are not counted
            first, lists, *_ = ours(runner, whole, question)
            searching.append(first)
            runs = [
                (
                    ours(runner, whole, question)[2:],
                    theirs(lists, *setting, looked_up, embed),
                    theirs(lists, *setting, again, embed),
                )
                for _ in range(3)
            ]
            for n, way in enumerate(WAYS):
                times[way].append(min((run[n][0] for run in runs), key=lambda spent: spent[-1]))
            same += runs[0][0][1] == runs[0][1][1]
        slowest = max(slowest, *(own[-1] for own in times[WAYS[0]][1:]))
        lines.append(
            f"\n{depth} fused, {fetch_k} candidates, {k} picks (the two retrievers themselves: "
            f"{statistics.median(searching[1:]):.1f} ms; the same documents in the same order for {same} of "
            f"{len(questions) + 1} questions, ties decide the others):\n"
        )
        lines.append("| | fuse | MMR | reorder | together | slowest |\n|---|--:|--:|--:|--:|--:|")
        for way in WAYS:
            columns = [statistics.median(column) for column in zip(*times[way][1:], strict=True)]
            cells = " | ".join(f"{c:.2f}" for c in (*columns, max(own[-1] for own in times[way][1:])))
            lines.append(f"| {way} | {cells} |")
    head = [
        f"`python -m benchmarks.pipeline`, {size:,} chunks, milliseconds beyond the retrievers; limit {LIMIT_MS:.0f}, "
        f"slowest {slowest:.1f}.\n{common.machine()}.",
    ]
    return "\n".join([*head, *lines]) + "\n", slowest


if __name__ == "__main__":
    main()
