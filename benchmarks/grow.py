"""What holds when the corpus grows: searches on the same questions among more and more other passages.

    LAB_COLLECTIONS=... python -m benchmarks.grow [--questions 150] [--write]

The same code as `retrieval-lab grow` and the page Evaluate.  The passages of other collections of the language are
added, whole and as single sentences; they are not judged, and some may answer.
"""

from __future__ import annotations

import argparse

from benchmarks import common
from lab.algebra import Searcher
from lab.evaluate.growing import Growth, grow, growing
from lab.fuse import RRF, WeightedSum
from lab.presets import find
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.likelihood import QueryLikelihood
from lab.retrieve.vector import Vector

MEASURE = "nDCG@10"
COLLECTIONS = {"xquad_en": ("cast_conv",), "cmrc2018": ("stard_pool", "xquad_zh")}
"""By collection with the questions, the others of its language."""
SEARCHES: dict[str, Searcher] = {
    "BM25": BM25(),
    "b 0.25": BM25(b=0.25),
    "b 0": BM25(b=0.0),
    "k1 0.6": BM25(k1=0.6),
    "query likelihood": QueryLikelihood(),
    "TF-IDF": TFIDF(),
    "vectors": Vector(),
    "RRF 60": RRF()(BM25(), Vector()),
    "sum, BM25 0.5": WeightedSum()(BM25(), Vector()),
    "best": find("best"),
}


def table(growth: Growth) -> list[str]:
    """The mean of every search at every size, then memory, times, and the orders that flip."""
    sizes = [f"{size:,}" for size in growth.sizes]
    lines = ["| search | " + " | ".join(sizes) + " |", "|---" + "|--:" * len(sizes) + "|"]
    for name, points in growth.points.items():
        lines.append(f"| {name} | " + " | ".join(f"{point.mean:.3f}" for point in points) + " |")
    lines += ["", "Memory of texts and cached indexes, estimated, MB: "]
    lines[-1] += ", ".join(f"{step.bytes / 2**20:.1f} ({size})" for step, size in zip(growth.steps, sizes, strict=True))
    last = {row["search"]: row["query_ms"] for row in growth.rows[-len(SEARCHES) :]}
    lines[-1] += (
        f". Milliseconds of a question at the last size: {', '.join(f'{n} {ms:.1f}' for n, ms in last.items())}."
    )
    weak = [flip for flip in growth.flips if not (flip.before.significant or flip.after.significant)]
    lines += ["", *(f"- {flip.describe()}" for flip in growth.flips if flip not in weak)]
    return [*lines, f"- Pairs whose order flips without a significant lead: {len(weak)} of {len(growth.leads)}.", ""]


def main() -> None:
    """Measure, print, and write where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/results")
    options = parser.parse_args()
    for name, names in COLLECTIONS.items():
        collection, others = common.load(name), [common.load(other).corpus for other in names]
        for sentences in (False, True):
            corpora = growing(collection, others, sentences=sentences)
            steps = grow(SEARCHES, corpora, corpora.sizes(), [MEASURE], limit=options.questions)
            growth = Growth(tuple(steps), MEASURE, corpora.copies)
            kind = "single sentences" if sentences else "whole passages"
            head = f"{MEASURE} of the first {options.questions} questions of {name} by number of passages. "
            text = "\n".join([head + f"Added: {kind} of {', '.join(names)}. {common.machine()}.", "", *table(growth)])
            print(text)
            if options.write:
                common.write(f"Growing corpus: {name} among {kind}", text)


if __name__ == "__main__":
    main()
