"""The command line: start the app, search a corpus, write a run, evaluate retrievers.

The same code as the pages.  What is wrong with the input is one line on stderr and exit status 2; Ctrl-C
gives 130; a reader that goes away (``| head``) is no error.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lab import __version__, home
from lab.errors import CorpusError, LabError, ParameterError
from lab.words import Said

if TYPE_CHECKING:
    from lab.core import Ranking, Retriever
    from lab.corpus.beir import Collection
    from lab.evaluate.measures import Scores
    from lab.evaluate.significance import Difference

PROGRAM = "retrieval-lab"
EPILOG = """\
without a command, the app starts; options such as --server.port 8600 or
--server.address 0.0.0.0 are Streamlit's and are handed on to it.

a retriever is a name, with or without parameters:
  bm25    tf-idf    vector    bm25:k1=0.9,b=0.4    vector:embedder=lsa
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and give its exit status: 0, 2 for wrong input, 130 for Ctrl-C, 141 for a closed pipe."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows ?, and nothing breaks
    try:
        if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
            return start_app(words)
        options = _parser().parse_args(words)
        command: Callable[[argparse.Namespace], None] = options.command
        command(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Python flushes stdout once more at the end: give it a place where nothing breaks
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (LabError, OSError) as error:
        _say(f"{PROGRAM}: {' '.join(str(error).split())}")
        return 2
    return 0


# ---------------------------------------------------------------------------------------------- commands


def start_app(options: Sequence[str]) -> int:
    """Start the app, from any folder; ``options`` are Streamlit's."""
    script = home.root() / "app.py"
    if not script.is_file():
        raise CorpusError(
            Said("The app's files are missing ({path}).", path=str(script)), Said("Install retrieval-lab anew.")
        )
    from lab.launch import start

    return start(script, options)


def search(options: argparse.Namespace) -> None:
    """``retrieval-lab search``: one query, the list."""
    corpus = _collection(options.corpus).corpus
    retriever = _retrievers([options.retriever], options.param)[0]
    ranking = retriever.index(corpus).search(options.query, k=options.k)
    if options.json:
        _print_json(_ranking_as_json(ranking, retriever, corpus.name))
    elif not ranking.hits:
        _say(f"Nothing in {corpus.name} matches “{options.query}”.")
    else:
        _print_ranking(ranking)


def run(options: argparse.Namespace) -> None:
    """``retrieval-lab run``: every query of a collection, as a TREC file."""
    from lab.evaluate import runs, trec

    collection = _asked(options)
    retriever = _retrievers([options.retriever], options.param)[0]
    start = time.perf_counter()
    made = runs.run(retriever.index(collection.corpus), collection.queries, k=options.k, progress=_bar(retriever.label))
    tag = _name(retriever)
    if options.output == "-":
        trec.write_trec(made, sys.stdout, tag=tag)
    else:
        trec.write_trec(made, options.output, tag=tag)
    lines = sum(map(len, made.results.values()))
    _say(f"{tag}: {len(made)} queries, {lines} lines, {time.perf_counter() - start:.1f} s, {options.output}")


def evaluate(options: argparse.Namespace) -> None:
    """``retrieval-lab evaluate``: measures of one or more retrievers, and their paired differences."""
    from lab.evaluate import measures as judge
    from lab.evaluate import runs, significance, trec

    measures = judge.measures_in(options.measures)
    retrievers = _retrievers(options.retriever, options.param)
    if not retrievers and not options.run:
        raise ParameterError(Said("Nothing is to be evaluated."), Said("Give --retriever or --run at least once."))
    read = [trec.read_trec(file, name=Path(file).name) for file in options.run]
    collection = _asked(options)
    if not collection.qrels:
        raise CorpusError(
            Said("{name} has no judgments.", name=collection.name),
            Said("Add qrels/test.tsv, or choose another collection."),
        )
    rows: list[Row] = []
    for retriever in retrievers:
        start = time.perf_counter()
        index = retriever.index(collection.corpus)
        ready = time.perf_counter() - start
        name = _name(retriever)
        made = runs.run(index, collection.judged, k=options.k, name=name, progress=_bar(retriever.label))
        rows.append(
            Row(judge.measure_run(made, collection.qrels, measures), ready, 1000 * made.seconds / max(1, len(made)))
        )
    rows += [Row(judge.measure_run(made, collection.qrels, measures), None, None) for made in read]
    differences = [significance.compare(rows[0].scores, row.scores, m) for row in rows[1:] for m in measures]
    if options.json:
        _print_json(_evaluation_as_json(collection, rows, differences))
    else:
        _print_evaluation(collection, rows, differences, measures)


class Row:
    """One line of the table: the scores, the seconds of indexing, the milliseconds per query (None: unknown)."""

    def __init__(self, scores: Scores, index_seconds: float | None, query_ms: float | None) -> None:
        self.scores, self.index_seconds, self.query_ms = scores, index_seconds, query_ms


# ----------------------------------------------------------------------------------------------- options


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, where argparse would print the usage as well."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    plain = argparse.RawDescriptionHelpFormatter
    parser = _Parser(
        prog=PROGRAM, description="See why a document is ranked where it is.", epilog=EPILOG, formatter_class=plain
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="search | run | evaluate", required=True)

    one = commands.add_parser(
        "search",
        help="search a corpus",
        description="One query; the list of documents.",
        epilog=EPILOG.partition("\n\n")[2],
        formatter_class=plain,
    )
    one.add_argument("query", help="what to search for")
    one.add_argument("--corpus", required=True, help="a sample corpus by name, a folder in the BEIR layout, or a file")
    one.add_argument("--retriever", default="bm25", help="a retriever (bm25)")
    one.add_argument("-k", type=int, default=10, help="how many documents (10)")
    one.set_defaults(command=search)

    many = commands.add_parser(
        "run",
        help="write a TREC run",
        description="Ask every query of a collection and write a TREC run.",
        epilog=EPILOG.partition("\n\n")[2],
        formatter_class=plain,
    )
    many.add_argument("--retriever", required=True, help="a retriever")
    many.add_argument(
        "--output", required=True, metavar="FILE", help="where to write the run (- for the standard output)"
    )
    many.set_defaults(command=run)

    judge = commands.add_parser(
        "evaluate",
        help="measure retrievers",
        description="Measure retrievers or runs on a collection with judgments; from the second on, each is compared with the first.",
        epilog=EPILOG.partition("\n\n")[2],
        formatter_class=plain,
    )
    judge.add_argument("--retriever", action="append", default=[], help="a retriever; repeat it to compare")
    judge.add_argument(
        "--run", action="append", default=[], metavar="FILE", help="a TREC run from elsewhere; may be repeated"
    )
    judge.add_argument(
        "--measures", default="nDCG@10 RR@10 R@10 AP", help='ir-measures names ("nDCG@10 RR@10 R@10 AP")'
    )
    judge.set_defaults(command=evaluate)

    for command in (many, judge):
        command.add_argument("--data", required=True, help="a folder in the BEIR layout, or a sample corpus by name")
        command.add_argument(
            "--queries", default="queries.jsonl", metavar="FILE", help="the file of queries in it (queries.jsonl)"
        )
        command.add_argument("-k", type=int, default=100, help="how many documents per query (100)")
    for command in (one, many, judge):
        command.add_argument(
            "--param",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a parameter, such as k1=0.9 or analyzer.mode=bigram",
        )
    for command in (one, judge):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _retrievers(texts: Sequence[str], params: Sequence[str]) -> list[Retriever]:
    """The retrievers; each takes of the common parameters those that it has, and every parameter must be somebody's."""
    from lab import catalog

    given = dict(catalog.assignment(p) for p in params)
    made: list[Retriever] = []
    used: set[str] = set()
    for text in texts:
        cls = catalog.find(catalog.retrievers, text.partition(":")[0])
        own = {
            name: value
            for name, value in given.items()
            if len(texts) == 1 or name.partition(".")[0] in catalog.knobs(cls)
        }
        used |= own.keys()
        made.append(catalog.from_text(catalog.retrievers, text, own))
    for name in given.keys() - used:
        raise ParameterError(Said("No retriever here has a parameter “{name}”.", name=name), Said("Check its name."))
    return made


def _name(retriever: Retriever) -> str:
    """The retriever with the parameters that differ from the defaults."""
    from lab import catalog

    return catalog.written(retriever).replace("()", "")


def _collection(name: str, **options: Any) -> Collection:
    """A sample corpus by its name, else what stands at this path."""
    from lab.corpus import beir, samples

    if name in samples.names():
        return beir.load(samples.folder(name), **options)
    if not Path(name).expanduser().exists():
        raise CorpusError(
            Said("There is no sample corpus, folder or file “{name}”.", name=name),
            Said("Sample corpora are: {names}.", names=", ".join(samples.names()) or "none"),
        )
    collection = beir.load(name, **options)
    for problem in collection.problems:
        _say(f"{PROGRAM}: {problem}")
    return collection


def _asked(options: argparse.Namespace) -> Collection:
    """The collection of ``--data``, which must have queries; what its judgments lack is said on stderr."""
    collection = _collection(options.data, queries=options.queries)
    if not collection.queries:
        raise CorpusError(Said("{name} has no queries.", name=options.data), Said("Give a folder with queries.jsonl."))
    if collection.unknown:
        query, document = collection.unknown[0]
        _say(
            f"{PROGRAM}: {len(collection.unknown)} judgments name unknown queries or documents, the first: {query} {document}"
        )
    return collection


# ------------------------------------------------------------------------------------------------ output


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


def _bar(label: str) -> Callable[[int, int], None] | None:
    """A progress bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        return None
    drawn = -1

    def show(done: int, total: int) -> None:
        nonlocal drawn
        share = int(100 * done / total)
        if share != drawn:
            drawn = share
            sys.stderr.write(
                f"\r{label}  {'█' * (share // 4):<25} {share:3d} %  {done}/{total}" if done < total else "\r\x1b[K"
            )
            sys.stderr.flush()

    return show


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _ranking_as_json(ranking: Ranking, retriever: Retriever, corpus: str) -> dict[str, Any]:
    hits = [
        {
            "rank": rank,
            "id": hit.document.id,
            "score": hit.score,
            "title": hit.document.title,
            "text": hit.document.text,
            "metadata": dict(hit.document.metadata),
            "why": [{"source": part.source, "value": part.value} for part in hit.why],
        }
        for rank, hit in enumerate(ranking.hits, 1)
    ]
    return {
        "query": ranking.query,
        "corpus": corpus,
        "retriever": _name(retriever),
        "seconds": ranking.seconds,
        "hits": hits,
    }


def _print_ranking(ranking: Ranking) -> None:
    """Rank, score, id, title; under it the beginning of the text."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 140)
    ids = max(_width(hit.document.id) for hit in ranking.hits)
    for rank, hit in enumerate(ranking.hits, 1):
        head = f"{rank:3d}  {hit.score:10.4f}  {_pad(_printable(hit.document.id), ids)}  "
        sys.stdout.write(_cut(head + _printable(hit.document.title), width).rstrip() + "\n")
        sys.stdout.write(_cut(" " * 17 + _printable(hit.document.text[:width]), width) + "\n")


def _evaluation_as_json(
    collection: Collection, rows: Sequence[Row], differences: Sequence[Difference]
) -> dict[str, Any]:
    return {
        "data": collection.name,
        "documents": len(collection.corpus),
        "queries": rows[0].scores.queries,
        "retrievers": [
            {
                "name": r.scores.name,
                "measures": dict(r.scores.means),
                "index_seconds": r.index_seconds,
                "query_ms": r.query_ms,
            }
            for r in rows
        ],
        "differences": [
            {
                "first": d.first,
                "second": d.second,
                "measure": d.measure,
                "difference": d.mean,
                "low": d.low,
                "high": d.high,
                "p": d.p,
                "better": d.better,
                "equal": d.equal,
                "worse": d.worse,
            }
            for d in differences
        ],
    }


def _print_evaluation(
    collection: Collection, rows: Sequence[Row], differences: Sequence[Difference], measures: Sequence[str]
) -> None:
    sys.stdout.write(
        f"{collection.name}: {len(collection.corpus)} documents, {rows[0].scores.queries} judged queries\n\n"
    )
    table = [["retriever", *measures, "index s", "query ms"]]
    for row in rows:
        times = ["–" if t is None else f"{t:.2f}" for t in (row.index_seconds, row.query_ms)]
        table.append([row.scores.name, *(f"{row.scores.means[m]:.4f}" for m in measures), *times])
    _print_table(table)
    if not differences:
        return
    sys.stdout.write(
        f"\nPaired differences from {rows[0].scores.name} (95 % interval and p of the t-test, not corrected for their number)\n\n"
    )
    table = [["retriever", "measure", "difference", "from", "to", "p", "better", "equal", "worse"]]
    for d in differences:
        numbers = ["–" if x is None else f"{x:+.4f}" for x in (d.mean, d.low, d.high)]
        p = "–" if d.p is None else "<0.0001" if d.p < 0.0001 else f"{d.p:.4f}"
        table.append([d.second, d.measure, *numbers, p, str(d.better), str(d.equal), str(d.worse)])
    _print_table(table, left=2)


def _print_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Aligned columns, the first ``left`` to the left, the others to the right."""
    widths = [max(_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [
            _pad(c, w) if i < left else " " * (w - _width(c)) + c
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def _printable(text: str) -> str:
    """One line without control characters: a document must not steer the terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _cut(text: str, width: int) -> str:
    """The text, or as much of it as fits into so many columns, with an ellipsis."""
    if len(text) <= width and _width(text) <= width:
        return text
    end = used = 0
    while used + _width(text[end]) < width:
        used += _width(text[end])
        end += 1
    return text[:end] + "…"
