"""A folder streamed into Milvus Lite, and what a question costs there beside the same question in memory.

    LAB_COLLECTIONS=... python -m benchmarks.engine fill [--size 20000] [--vectors none] [--write]
    LAB_COLLECTIONS=... python -m benchmarks.engine parity [--write]

``fill`` makes a folder of so many passages (120 characters each, of the sentences of the collections), starts a
`milvus-lite server` of its own on the loopback, and fills it by ``retrieval-lab index`` in a process of its own, whose
peak of memory is what is promised (800 MB, for 300,000 too); that of the engine is told beside it.  ``parity`` asks all
questions of all collections: BM25 in a file of Milvus Lite against BM25 in memory, HNSW (ef 200) against the exact
search.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import common
from lab.algebra import Corpus, Ranking, Runner, Searcher
from lab.engine import open_corpus
from lab.retrieve.lexical import BM25
from lab_packs.milvus import server as milvus_server
from lab_packs.milvus.searches import MilvusBM25, MilvusVector

MEGABYTES, RECALL = 800, 0.99
COLLECTIONS = ("cast_conv", "cmrc2018", "stard_pool", "xquad_en", "xquad_en2zh", "xquad_zh")
K, ASKED = 10, 200


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, Callable[[], float]]]:
    """A Milvus Lite on the loopback: its address, and what it holds in megabytes at most."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = "from milvus_lite.cmdline import main; main()"
    where = ["--data-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    own = subprocess.Popen([sys.executable, "-c", program, "server", *where], stdout=subprocess.DEVNULL)

    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}", lambda: peak(own.pid)
    finally:
        own.kill()
        own.wait()


def peak(process: object) -> float:
    """The most that a process has held since it began, in megabytes (Linux)."""
    told = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in told.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def filled(size: int, vectors: str, write: bool) -> int:
    """Fill, and say what it took; then ask."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "passages"
        folder.mkdir()
        with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
            for i, text in enumerate(common.shuffled(size)):
                file.write(json.dumps({"_id": f"p{i}", "text": text}, ensure_ascii=False) + "\n")
        with server(Path(home) / "data") as (uri, engine):
            environment = {**os.environ, "LAB_MILVUS_URI": uri}
            start = time.perf_counter()
            code = (
                "import sys; from lab.cli import main; from benchmarks.engine import peak; "
                f"status = main(['index', '--data', {str(folder)!r}, '--engine', 'milvus', '--vectors', {vectors!r}]); "
                "print(peak('self')); sys.exit(status)"
            )
            told = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
            seconds = time.perf_counter() - start
            if told.returncode:
                return told.returncode
            most = float(told.stdout.split()[-1])
            print(f"{size:,} passages: {most:.0f} MB, the engine {engine():.0f} MB, {seconds:.0f} s", flush=True)
            milvus_server.PATIENCE = 60.0  # Milvus Lite searches in Python: how long that takes is told, not refused
            found = open_corpus("passages", {"milvus": uri}).corpus
            questions = common.queries(ASKED)
            searches = {"BM25": BM25(), **({} if vectors == "none" else {"vectors": MilvusVector()})}
            asked = {name: timed(found, search, questions) for name, search in searches.items()}
            rows = [
                f"| passages | {size:,} |",
                f"| peak of the filling process, MB (promised: under {MEGABYTES}) | {most:.0f} |",
                f"| peak of the engine, MB | {engine():.0f} |",
                f"| to fill, s | {seconds:.0f} |",
                *(f"| {name}: a question, ms (median) | {ms:.1f} |" for name, ms in asked.items()),
            ]
    table = "\n".join(["| | |", "|---|--:|", *rows])
    print(table)
    if write:
        head = f"`python -m benchmarks.engine fill --size {size} --vectors '{vectors}'`, {common.machine()}"
        common.write(
            "An engine: filled with bounded memory",
            f"{head}\n\n{table}",
            peers=(
                "pymilvus",
                "milvus-lite",
            ),
        )
    return int(most > MEGABYTES)


def timed(corpus: Corpus, search: Searcher, questions: list[str]) -> float:
    """Milliseconds of a question by the clock, reasons not read, the median."""
    runner = Runner(corpus, explain=False)
    return statistics.median(runner(search, text, K).seconds for text in questions) * 1000


def differs(ours: Ranking, true: Ranking) -> bool:
    """Whether two lists differ in more than the order of what nobody can tell apart."""
    scores = {h.document.id: h.score for h in true}
    return any(
        mine.document.id != theirs.document.id
        and abs(scores.get(mine.document.id, theirs.score) - theirs.score) > 1e-5 * theirs.score
        for mine, theirs in zip(ours.hits[:K], true.hits[:K], strict=True)
    )


def parity(write: bool) -> int:
    """All questions of all collections."""
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as home:
        os.environ["LAB_MILVUS_URI"] = str(Path(home) / "lab.db")
        for name in COLLECTIONS:
            found = common.load(name)
            questions = [q.text for q in found.queries]
            ours, true, near, exact = searches = (MilvusBM25(), BM25(), MilvusVector(), MilvusVector().exact)
            runner = Runner(found.corpus, explain=False)
            other, most, hits, whole = 0, 0.0, 0, 0
            for text in questions:
                # one more than is compared: what stands in the last place may tie with the next
                mine, theirs = runner(ours, text, K), runner(true, text, K + 1)
                other += len(mine) != min(len(theirs), K) or differs(mine, theirs.first(K))
                pairs = zip(mine.hits, theirs.hits, strict=False)
                most = max([most, *(abs(a.score - b.score) / b.score for a, b in pairs)])
                a, b = (set(runner(search, text, K).ids) for search in (near, exact))
                hits, whole = hits + len(a & b), whole + len(b)
                runner.forget()
            ms = [timed(found.corpus, search, questions[:ASKED]) for search in searches]
            wrong += other + (hits < RECALL * whole)
            figures = (f"{most:.1e}", f"{hits / whole:.4f}", *(f"{x:.2f}" for x in ms))
            rows.append(f"| {name} | {len(questions)} | {other} | {' | '.join(figures)} |")
            print(rows[-1], flush=True)
    columns = "questions | other top 10 | scores differ by | recall@10 of HNSW | BM25 ms | in memory | HNSW ms | exact"
    head = f"| collection | {columns} |"
    table = "\n".join([head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|", *rows])
    print(table)
    if write:
        head = f"`python -m benchmarks.engine parity`, {common.machine()}"
        common.write(
            "An engine: the same lists as in memory",
            f"{head}\n\n{table}",
            peers=(
                "pymilvus",
                "milvus-lite",
            ),
        )
    return int(wrong > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("fill", "parity"), help="default: both")
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--vectors", default="MilvusVector()")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    wrong = 0 if options.what == "fill" else parity(options.write)
    return wrong or (0 if options.what == "parity" else filled(options.size, options.vectors, options.write))


if __name__ == "__main__":
    sys.exit(main())
