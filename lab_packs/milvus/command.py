"""The command that writes a corpus into Milvus."""

from __future__ import annotations

import argparse
import time
from typing import Any

from lab.cli.printing import bar, print_json
from lab.cli.searches import O, build_part


def add_index(commands: Any, **options: Any) -> None:
    subparser = commands.add_parser("index", help="write a corpus into an engine", description=index.__doc__, **options)
    subparser.set_defaults(command=index)
    add = subparser.add_argument
    add("--corpus", "--data", metavar="CORPUS", required=True, help="a folder in the BEIR layout, or a .jsonl file")
    add("--engine", choices=["milvus"], default="milvus", help="the engine (milvus)")
    add("--name", default="", help="name of the collection (the folder's name)")
    add("--bm25", default="BM25()", metavar="SEARCH", help='the BM25 whose weights are stored: "BM25(k1=0.9)", or none')
    text = "the vectors that are stored: \"MilvusVector(kind='IVF_FLAT')\", or none"
    add("--vectors", default="MilvusVector()", metavar="SEARCH", help=text)
    add("--replace", action="store_true", help="delete the collection that has this name")
    add("--json", action="store_true", help="print JSON")


def index(options: argparse.Namespace) -> None:
    """Writes a folder or a .jsonl file into an engine, in which search and evaluate find it by name.

    Memory stays bounded for any size: the file is read twice, a block at a time. A fill that was killed resumes where
    it stopped, without duplicates. LAB_MILVUS_URI names the engine.
    """
    from lab.retrieve.lexical import BM25
    from lab_packs.milvus import engine
    from lab_packs.milvus.searches import MilvusVector

    def part(text: str, kind: type[O]) -> O | None:
        return None if text == "none" else build_part(text, kind)

    start = time.perf_counter()
    filled = engine.fill(
        options.corpus,
        name=options.name,
        bm25=part(options.bm25, BM25),
        vector=part(options.vectors, MilvusVector),
        replace=options.replace,
        progress=bar(options.name or str(options.corpus)),
    )
    summary = {"name": filled.name, "passages": filled.passages, "seconds": round(time.perf_counter() - start, 1)}
    if options.json:
        print_json(summary)
    else:
        print(f"{filled.name}: {filled.passages} passages in {options.engine}, {summary['seconds']} s")
