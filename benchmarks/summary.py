"""The tables of README.md, one for each question that a reader has, out of what the benchmarks wrote into results/.

    python -m benchmarks.summary

Every benchmark with ``--write`` does this at its end.  A figure whose benchmark has not been run is “–”.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

README = Path(__file__).with_name("README.md")
RESULTS = Path(__file__).with_name("results")
STAMP = re.compile(r"^Commit (?P<commit>\w+(?:, with changes)?), (?P<day>[\d-]+)(?:; (?P<peers>.+))?\.$", re.MULTILINE)
"""Under every heading: which commit was measured, when, and beside which packages."""
NOT_MEASURED = "–"
AS_STARTED = "as they are started: the peer collects garbage after a run"
EVALUATED = "best, 1,000 questions, indexes included, gone on with after the stop: seconds"
BM25S, RAGFLOW = "bm25s (lab's words)", "RAGFlow's rule"
AMONG = "xquad_en among single sentences"
STRANGERS = "messages with what is another visitor's"


@dataclass(frozen=True)
class Table:
    """A table of Markdown: the text between the last table and this one, its columns, and its rows."""

    above: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def row(self, *begins: str) -> tuple[str, ...]:
        """The cells of the row that begins with these.  Raises `KeyError` where there is none."""
        for row in self.rows:
            if all(_is(cell, wanted) for cell, wanted in zip(row, begins, strict=False)):
                return row
        raise KeyError(begins)

    def place(self, column: str) -> int:
        """Where a column stands.  Raises `KeyError` where there is none of this name."""
        for i, name in enumerate(self.columns):
            if _is(name, column):
                return i
        raise KeyError(column)


def _is(cell: str, name: str) -> bool:
    """Whether a cell is this name, perhaps with a number of questions in brackets behind it."""
    return cell == name or re.fullmatch(re.escape(name) + r" \([\d,]+\)", cell) is not None


@dataclass(frozen=True)
class Results:
    """What one benchmark wrote."""

    text: str

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in their order."""
        found, above, block = list[Table](), list[str](), list[str]()
        for line in [*self.text.splitlines(), ""]:
            if line.startswith("|"):
                block.append(line)
            elif block:
                head, _rule, *rows = (_cells(x) for x in block)
                found.append(Table("\n".join(above), head, tuple(rows)))
                above, block = [line], []
            else:
                above.append(line)
        return tuple(found)

    def table(self, column: str, under: str = "") -> Table:
        """The first table with this column, of those with these words above it.  Raises `KeyError`."""
        for table in self.tables:
            if any(_is(name, column) for name in table.columns) and under in table.above:
                return table
        raise KeyError(column)

    def cell(self, column: str, *row: str, under: str = "") -> str:
        """What stands in this column, in the row that begins with these cells.  Raises `KeyError`."""
        table = self.table(column, under)
        return table.row(*row)[table.place(column)]

    def number(self, column: str, *row: str, under: str = "") -> float:
        """The first number of that cell."""
        return _number(self.cell(column, *row, under=under))

    def value(self, *row: str) -> str:
        """What stands beside these cells, in whichever table has such a row.  Raises `KeyError`."""
        for table in self.tables:
            for cells in table.rows:
                if cells[: len(row)] == row:
                    return cells[len(row)]
        raise KeyError(row)

    def sum(self, column: str, under: str = "") -> int:
        """The whole numbers of a column, added up."""
        table = self.table(column, under)
        return sum(int(_number(row[table.place(column)])) for row in table.rows)

    def peer(self, package: str) -> str:
        """The package with the version that was measured.  Raises `KeyError` where it is not told."""
        for stamp in STAMP.finditer(self.text):
            for told in (stamp["peers"] or "").split(", "):
                if told.rpartition(" ")[0] == package:
                    return told
        raise KeyError(package)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|")))


def _number(cell: str) -> float:
    """The first number of a cell, without the commas of its thousands."""
    if found := re.search(r"[-+]?\d[\d,]*(?:\.\d+)?", cell):
        return float(found[0].replace(",", ""))
    raise KeyError(cell)


Told = Callable[[Results], str]


@dataclass(frozen=True)
class Row:
    """One line of README.md: what is asked, the benchmark that answers, the lab's figure, and what stands beside it."""

    asked: str
    benchmark: str
    lab: Told
    beside: Told = lambda _: ""


def _ms(value: float) -> str:
    return f"{value:.3g} ms" if value < 100 else f"{value:,.0f} ms"


def _query(system: str, size: str) -> Callable[[Results], float]:
    return lambda r: r.number("query, ms", system, under=f"### {size} chunks")


def _bm25(size: str, column: str, unit: str) -> tuple[Told, Told]:
    """The lab's figure in the table of this size, and those of the others."""
    others = ((BM25S, "bm25s"), ("rank-bm25 (jieba)", "rank-bm25"))
    others += (("langchain BM25Retriever (jieba)", "langchain-community"),)

    def figure(r: Results, system: str) -> str:
        value = r.number(column, system, under=f"### {size} chunks")
        return f"{value:.2g} {unit}" if value < 10 else f"{value:,.0f} {unit}"

    def beside(r: Results) -> str:
        return "; ".join(f"{r.peer(package)}: {figure(r, system)}" for system, package in others)

    return lambda r: figure(r, "lab BM25"), beside


ACROSS = "xquad_en2zh"
"""English questions to Chinese passages, told apart from the collections of one language."""


def _quality(system: str, than: str) -> tuple[Told, Told]:
    """Mean nDCG@10 of a system within a language, with the lowest and the highest, and across; and of the other one.

    The means are over the collections on which both were asked.
    """

    def figure(r: Results, whose: str) -> str:
        table = r.table("system")
        both = zip(table.columns, table.row(whose), table.row(system), table.row(than), strict=True)
        asked = {name: _number(cell) for name, cell, *all in both if NOT_MEASURED not in all and name != "system"}
        across = next(value for name, value in asked.items() if _is(name, ACROSS))
        within = [value for name, value in asked.items() if not _is(name, ACROSS)]
        return f"{statistics.mean(within):.3f} ({min(within):.3f} to {max(within):.3f}); across {across:.3f}"

    return lambda r: figure(r, system), lambda r: f"{than}: {figure(r, than)}"


def _text2sql(lot: str) -> Told:
    def told(r: Results) -> str:
        table = next(t for t in r.tables if "right" in t.columns and any(row[0] == lot for row in t.rows))
        _name, questions, right, asked, none, other, _ms = table.row(lot)
        return f"{right} of {questions} right, {other} other rows, {asked} asked back, {none} no answer"

    return told


def _references(r: Results) -> str:
    """Every package that a test compares with, once."""
    told = {peer for row in r.table("with").rows for peer in row[1].split(", ") if re.search(r" \d", peer)}
    return ", ".join(sorted(told, key=str.lower))


RIGHT = (
    Row(
        "Does every technique give what its reference implementation gives?",
        "references",
        lambda r: f"{r.number('tests', 'all'):,.0f} tests, {r.cell('failed', 'all')} failed",
        _references,
    ),
    Row(
        "BM25 in Milvus and in memory: how many lists of ten differ?",
        "engine",
        lambda r: f"{r.sum('other top 10')} of {r.sum('questions'):,} questions",
        lambda r: f"{r.peer('pymilvus')}, {r.peer('milvus-lite')}",
    ),
    Row(
        "Vectors kept as small numbers: how many lists differ from those of float32?",
        "vectors",
        lambda r: f"{r.sum('Vector')} of {r.sum('questions'):,} questions",
        lambda r: f"without comparing the candidates again: int8 {r.sum('int8 alone'):,}, int16 {r.sum('int16 alone')}",
    ),
    Row(
        "The graph to watch: how many of the exact first ten does a walk find (ef 50)?",
        "graph",
        lambda r: r.cell("recall@10", "lab", "50"),
        lambda r: f"{r.peer('faiss-cpu')}: {r.cell('recall@10', 'faiss', '50')}",
    ),
    Row(
        "A number of a sentence is changed: how often is it flagged?",
        "citations",
        lambda r: f"{r.sum('flagged'):,} of {r.sum('with a number changed'):,}",
        lambda r: f"flagged unchanged: {r.sum('flagged unchanged')} of {r.sum('sentences'):,}",
    ),
)
FAST = (
    Row("A question to BM25, 10,000 chunks, with its reasons", "retrieve", *_bm25("10,000", "query, ms", "ms")),
    Row("The same, 100,000 chunks", "retrieve", *_bm25("100,000", "query, ms", "ms")),
    Row("Indexing 10,000 chunks, segmentation included", "retrieve", *_bm25("10,000", "index, s", "s")),
    Row(
        "A question to TF-IDF, 10,000 chunks, with its reasons",
        "retrieve",
        lambda r: _ms(_query("lab TF-IDF", "10,000")(r)),
        lambda r: f"{r.peer('langchain-community')}: {_ms(_query('langchain TFIDFRetriever (jieba)', '10,000')(r))}",
    ),
    Row(
        "A question to BM25, a million passages, with its reasons",
        "million",
        lambda r: f"{r.cell('a question, ms', 'BM25')} ms",
        lambda r: f"without reasons: {r.cell('a question, ms', 'BM25, no reasons read')} ms",
    ),
    Row(
        "A question to exact vectors, a million passages",
        "million",
        lambda r: f"{r.cell('a question, ms', 'vectors, the whole passage')} ms",
        lambda r: (
            f"{r.peer('numpy')}, one float32 product of that shape: "
            f"{r.cell('a question, ms', 'a float32 product of the same shape')} ms"
        ),
    ),
    Row(
        "Fusing 20, MMR of 20, reorder, with reasons",
        "pipeline",
        lambda r: f"{r.cell('together', 'lab, with reasons for every rank and drop')} ms",
        lambda r: (
            f"{r.peer('langchain-classic')}: {r.cell('together', 'LangChain, vectors from a table')} ms; "
            f"embedding again: {r.cell('together', 'LangChain, embedding again')} ms"
        ),
    ),
    Row(
        "A question to 20,000 codes of product quantisation",
        "codes",
        lambda r: f"{r.cell('query, ms', 'pq', 'lab')} ms",
        lambda r: f"{r.peer('faiss-cpu')}: {r.cell('query, ms', 'pq', 'faiss')} ms",
    ),
    Row(
        "A walk in the graph to watch (2,000 vectors, ef 50)",
        "graph",
        lambda r: f"{r.cell('walk, ms', 'lab', '50')} ms",
        lambda r: f"{r.peer('faiss-cpu')}: {r.cell('walk, ms', 'faiss', '50')} ms",
    ),
    Row(
        "A search as a value, against the same steps by hand",
        "runner",
        lambda r: f"{r.cell('ratio', 'with reasons, as on a page')} times",
        lambda r: f"by hand: {r.cell('by hand, ms', 'with reasons, as on a page')} ms",
    ),
    Row(
        "A word that is required (+), 100,000 passages",
        "operators",
        lambda r: f"{r.cell('a question, ms', 'the longest word required (+)')} ms",
        lambda r: f"BM25 without operators: {r.cell('a question, ms', 'BM25')} ms",
    ),
    Row(
        "Evaluating the preset `best` on 1,000 questions, indexes included",
        "evaluate",
        lambda r: (
            f"{r.cell('figure', 'best, 1,000 questions, indexes included, gone on with after the stop: seconds')} s"
        ),
        lambda r: f"BM25, with all tests: {r.cell('figure', 'BM25 beside it, with all tests: seconds')} s",
    ),
    Row(
        "Ablation of a pipeline of four stages",
        "ablate",
        lambda r: f"{r.cell('ablation / once', 'four stages')} times one search",
        lambda r: f"every variant by itself: {r.cell('by itself / once', 'four stages')} times",
    ),
    Row(
        "Citing an answer of ten sentences from ten passages",
        "citations",
        lambda r: f"{r.cell('ms', 'Best sentence')} ms",
        lambda r: f"RAGFlow's rule: {r.cell('ms', RAGFLOW)} ms",
    ),
    Row(
        "A question to a database, with its rows",
        "text2sql",
        lambda r: f"{r.cell('ms', 'bundled databases')} ms",
        lambda r: f"databases of others: {r.cell('ms', 'all foreign', under='sql-eval')} ms",
    ),
    Row(
        "The first page until everything is drawn (Compare)",
        "first_paint",
        lambda r: f"{r.cell('seconds (median)', 'compare')} s",
        lambda r: f"{r.peer('streamlit')}, a page with one chart: {r.cell('seconds (median)', 'one chart')} s",
    ),
    Row(
        "The server until the first page is drawn (Compare): processor, memory",
        "light",
        lambda r: f"{r.cell('compare', 'processor, s')} s, {r.cell('compare', 'memory then, MB')} MB",
        lambda r: (
            f"{r.peer('streamlit')}, a page with one chart: {r.cell('one chart', 'processor, s')} s,"
            f" {r.cell('one chart', 'memory then, MB')} MB"
        ),
    ),
    Row(
        "A rerun without changes (Fusion)",
        "rerun",
        lambda r: f"{r.cell('ms', 'fusion')} ms",
        lambda r: f"{r.peer('streamlit')}, a page with one chart: {r.cell('ms', 'one chart')} ms",
    ),
    Row(
        "Reading 20 MB of PDF",
        "reading",
        lambda r: f"{r.cell('s', 'pdf')} s",
        lambda r: f"Word: {r.cell('s', 'docx')} s; HTML: {r.cell('s', 'html')} s; text: {r.cell('s', 'txt')} s",
    ),
)
GOOD = (
    Row(
        "BM25 with all steps of the analyzer: mean nDCG@10",
        "quality",
        *_quality("BM25, all steps", "BM25, plain words"),
    ),
    Row("nDCG@10 of the built-in vectors", "quality", *_quality("vectors, best+whole", "BM25, all steps")),
    Row("nDCG@10 of the preset `hybrid`", "quality", *_quality("preset hybrid", "BM25, all steps")),
    Row("nDCG@10 of the best without a download", "quality", *_quality("best offline", "BM25, all steps")),
    Row(
        "nDCG@10 of multilingual-e5-small",
        "quality",
        *_quality("multilingual-e5-small, best+whole", "vectors, best+whole"),
    ),
    Row("nDCG@10 of the preset `best-neural`", "quality", *_quality("preset best-neural", "best offline")),
    Row(
        "A turn of a conversation: nDCG@10 with what was said before",
        "dialogue",
        lambda r: r.cell("all turns", "BM25, with the conversation"),
        lambda r: f"the turn alone: {r.cell('all turns', 'BM25, the turn alone')}",
    ),
    Row(
        "A typing mistake in each question (staff): nDCG@10 of BM25 after the correction",
        "spelling",
        lambda r: r.cell("typo, spelling", "staff"),
        lambda r: f"uncorrected: {r.cell('typo', 'staff')}; without mistakes: {r.cell('BM25 clean', 'staff')}",
    ),
    Row(
        "Choosing the collection without a model",
        "routing",
        lambda r: f"{_number(r.cell('both', 'one IDF, mean of 3 (as shipped)')):.0%} right",
        lambda r: (
            "an IDF for each collection, the best one: "
            f"{_number(r.cell('both', 'an IDF for each collection, the best one')):.0%}"
        ),
    ),
    Row(
        "Citations (cmrc2018, other questions): precision / recall / unsupported sentences cited",
        "citations",
        lambda r: r.cell("cmrc2018", "Best sentence", under="Other questions"),
        lambda r: f"RAGFlow's rule: {r.table('cmrc2018', 'Other questions').rows[0][1]}",
    ),
    Row(
        "The answer without a model stands in the best sentence (xquad_en, second sample)",
        "answers",
        lambda r: r.cell("best sentence", "xquad_en, second sample"),
        lambda r: f"a plain rule: {r.cell('plain rule', 'xquad_en, second sample')}",
    ),
    Row(
        "Answered although no passage answers (held-out, other topics)",
        "abstain",
        lambda r: " / ".join(f"{row[2]} ({row[0]})" for row in r.table("other topic, held-out").rows),
    ),
    Row(
        "Best offline among the sentences of another collection (xquad_en): nDCG@10 from 240 to 3,272 passages",
        "grow",
        lambda r: f"{r.cell('240', 'best', under=AMONG)} to {r.cell('3,272', 'best', under=AMONG)}",
        lambda r: f"BM25: {r.cell('240', 'BM25', under=AMONG)} to {r.cell('3,272', 'BM25', under=AMONG)}",
    ),
    Row("Text2SQL on the bundled databases", "text2sql", _text2sql("bundled databases")),
    Row("Text2SQL on databases never looked at", "text2sql", _text2sql("of these never looked at")),
    Row(
        "Text2SQL on the public databases of sql-eval",
        "text2sql",
        _text2sql("all foreign"),
    ),
)
LARGE = (
    Row(
        "A million passages in one process: memory with texts and all indexes",
        "million",
        lambda r: f"{r.cell('measured', 'memory at most, texts and all, GB')} GB",
        lambda r: f"promised: at most {r.cell('at most', 'memory at most, texts and all, GB')} GB",
    ),
    Row(
        "Indexing them by BM25, by vectors",
        "million",
        lambda r: f"{r.cell('index, s', 'BM25')} s, {r.cell('index, s', 'vectors, the whole passage')} s",
        lambda r: f"opened again from the disk: {r.cell('measured', 'indexes opened from the disk, s')} s",
    ),
    Row(
        "Memory of BM25 for 100,000 chunks",
        "retrieve",
        lambda r: f"{r.cell('memory, MB', 'lab BM25', under='### 100,000 chunks')} MB",
        lambda r: (
            f"{r.peer('bm25s')}: {r.cell('memory, MB', BM25S, under='### 100,000 chunks')} MB; "
            f"{r.peer('rank-bm25')}: {r.cell('memory, MB', 'rank-bm25 (jieba)', under='### 100,000 chunks')} MB"
        ),
    ),
    Row(
        "Memory of vectors of a million passages, texts not counted",
        "vectors",
        lambda r: f"{r.cell('memory, MB', '1,000,000', 'whole')} MB",
        lambda r: f"float32 rows alone: {256 * 4 * 1_000_000 / 2**20:,.0f} MB",
    ),
    Row(
        "Filling Milvus with 20,000 passages: memory of the filling process",
        "engine",
        lambda r: f"{r.value('peak of the filling process, MB (promised: under 800)')} MB",
        lambda r: f"the engine: {r.value('peak of the engine, MB')} MB",
    ),
    Row(
        "Reading 20 MB of PDF: memory in addition to the file",
        "reading",
        lambda r: f"{r.cell('MB', 'pdf')} MB",
        lambda r: f"Word: {r.cell('MB', 'docx')} MB; Excel: {r.cell('MB', 'xlsx')} MB",
    ),
    Row(
        "A lesson of thirty visitors: memory at most",
        "lesson",
        lambda r: f"{r.value('maximum, MB')} MB",
        lambda r: (
            f"per visitor: {r.value('per visitor, MB')} MB; visitors that keep one core busy: "
            f"{r.value('visitors at this pace that keep one core busy, calculated')}"
        ),
    ),
    Row(
        "Thirty visitors press a key at the same moment (Fusion)",
        "classroom",
        lambda r: f"{r.cell('fusion', AS_STARTED, '30 visitors')} ms",
        lambda r: f"{r.peer('streamlit')}, a page with one chart: {r.cell('one chart', AS_STARTED, '30 visitors')} ms",
    ),
    Row(
        "Ten minutes of thirty visitors at random: exceptions, change of the memory",
        "soak",
        lambda r: (
            f"{int(r.value('exceptions in the log')) + int(r.value('exceptions on pages'))}, {r.table('').rows[-1][1]}"
        ),
        lambda r: f"messages with what is another visitor's: {r.value(STRANGERS)}",
    ),
    Row(
        "The mean of a column by group, a million rows (Text2SQL)",
        "text2sql",
        lambda r: f"{r.cell('seconds', 'average amount per city (4 rows)')} s",
        lambda r: f"reading the schema: {r.cell('seconds', 'schema inference')} s",
    ),
    Row(
        "The wheel; installed with all that it needs",
        "size",
        lambda r: f"{r.cell('MB', 'the wheel')} MB; {r.cell('MB', 'installed, with all that it needs')} MB",
        lambda r: "largest: " + ", ".join(f"{row[0]} ({row[1]} MB)" for row in r.table("package").rows[:3]),
    ),
)
QUESTIONS = {"Is it right?": RIGHT, "Is it fast?": FAST, "Is it good?": GOOD, "How large?": LARGE}
"""Headings of README.md, and what stands under them."""


def lines(rows: Sequence[Row], folder: Path) -> Iterator[str]:
    """The table of one question."""
    yield "| | the lab | beside it | command, with all its figures |"
    yield "|---|---|---|---|"
    for row in rows:
        file = folder / f"{row.benchmark}.md"
        results = Results(file.read_text("utf-8") if file.is_file() else "")
        told = [_told(figure, results) for figure in (row.lab, row.beside)]
        command = f"[`python -m benchmarks.{row.benchmark}`](results/{row.benchmark}.md)"
        yield f"| {row.asked} | {told[0]} | {told[1]} | {command} |"


def _told(figure: Told, results: Results) -> str:
    try:
        return figure(results)
    except (KeyError, StopIteration):
        return NOT_MEASURED


def commits(folder: Path) -> dict[str, list[str]]:
    """The benchmarks that were measured at each commit, those of the most benchmarks first."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*.md")):
        for commit in dict.fromkeys(stamp["commit"] for stamp in STAMP.finditer(file.read_text("utf-8"))):
            found.setdefault(commit, []).append(file.stem)
    return dict(sorted(found.items(), key=lambda x: -len(x[1])))


def measured(folder: Path) -> str:
    """Of which commit the figures are, in a sentence."""
    (first, _), *others = commits(folder).items() or [("none", [])]
    more = "; ".join(f"{', '.join(names)} at {commit}" for commit, names in others)
    return f"All figures were measured at commit {first}{f', but {more}' if more else ''}."


def shown(readme: str, folder: Path) -> str:
    """README.md with its tables written anew: each is the last of what stands under its heading."""
    for heading, rows in QUESTIONS.items():
        before, found, after = readme.partition(f"## {heading}\n")
        if not found:
            raise KeyError(heading)
        section, following, rest = after.partition("\n## ")
        prose = section.partition("\n|")[0].strip()
        parts = [x for x in (found.strip(), prose, "\n".join(lines(rows, folder))) if x]
        readme = before + "\n\n".join(parts) + f"\n{following}{rest}"
    return re.sub(r"(?m)^All figures were measured .*$", lambda _: measured(folder), readme)


def update() -> None:
    """Write README.md anew."""
    README.write_text(shown(README.read_text("utf-8"), RESULTS), "utf-8")


if __name__ == "__main__":
    update()
    sys.exit(0)
