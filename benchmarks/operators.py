"""Operators and phrases in a question, and proximity: how many times plain BM25 and tantivy they take.

    LAB_COLLECTIONS=... python -m benchmarks.operators [--size 100000] [--questions 50] [--write]

The passages are those of `benchmarks.million`.  All ways to ask a question are timed in turns in one process, under one
thread, reasons unread, the fastest of three times, best 10.  Tantivy indexes the same words: the terms of the lab's
default analyzer, joined by blanks; its questions are the same terms, made before the clock runs and parsed by its own
parser, while the lab tokenizes in the time of the question.  A required or excluded word is its first term there.
Proximity has read the texts of a list before, as it remembers those of earlier lists; the first time, it takes 7 to 8
times plain BM25.  Ends with status 1 where a promise does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import cache

from benchmarks import common
from benchmarks.million import K, timed
from lab.algebra import Corpus, Document, Runner, Searcher
from lab.refine.proximity import Proximity
from lab.retrieve.lexical import BM25
from lab.rewrite.operators import with_operators
from lab.text import Analyzer

HEADING = "Operators in a question"
WORDS = Analyzer(pairs=False, bigrams=False, characters=False, numbers=False, joined=False, units=False)
REQUIRED = "the longest word required (+)"
EXCLUDED = "the shortest word excluded (-)"
PHRASE = "the longest word in quotation marks"
TWO = "two neighbouring words in quotation marks"
PROMISED = {REQUIRED: 1.5, EXCLUDED: 1.5, PHRASE: 3.0, TWO: 3.0}
"""Promises: times the same question to BM25."""
BESIDE = {"BM25": 2.5, REQUIRED: 4.0, EXCLUDED: 4.0}
"""Promises: times the same question to tantivy."""


@cache  # the words are chosen before the clock runs: that is no work of a search
def words_of(question: str) -> list[str]:
    """The words of a question as they are written, the shortest first."""
    words = {question[token.start : token.end] for token in WORDS.spans(question)}
    return sorted(words, key=lambda word: (len(word), word)) or [question]


@cache
def in_a_row(question: str) -> str:
    """Two neighbouring words of a question as they are written, the longest such; one, if it has no more."""
    spans = sorted({(token.start, token.end) for token in WORDS.spans(question)})
    pairs = [question[a:d] for a, b in spans for c, d in spans if b <= c <= b + 1]
    return max(pairs, key=len, default=words_of(question)[-1])


def tantivy_ways(texts: list[str]) -> dict[str, Callable[[str], object]]:
    """The same questions to tantivy, over the same terms."""
    import tantivy

    analyzer = BM25().analyzer
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=256 << 20, num_threads=1)
    for text in texts:
        writer.add_document(tantivy.Document(text=" ".join(analyzer.tokens(text))))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    _peer = index.searcher()

    @cache  # made before the clock runs: tantivy gets its words ready
    def terms(text: str) -> list[str]:
        return [term.replace('"', "").replace("\\", "") for term in analyzer.tokens(text)]

    def quoted(words: list[str], sign: str = "") -> str:
        return " ".join(f'{sign}"{word}"' for word in words)

    def asked(query: str) -> object:
        return _peer.search(index.parse_query(query, ["text"]), K).hits

    return {
        "BM25": lambda q: asked(quoted(terms(q))),
        REQUIRED: lambda q: asked(f"{quoted(terms(words_of(q)[-1])[:1], '+')} {quoted(terms(q))}"),
        EXCLUDED: lambda q: asked(f"{quoted(terms(q))} {quoted(terms(words_of(q)[0])[:1], '-')}"),
        PHRASE: lambda q: asked(f"{quoted(terms(words_of(q)[-1])[:1], '+')} {quoted(terms(q))}"),
    }


def measured(size: int, questions: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds of each way to ask, of the lab and of tantivy: the median, and what nine of ten stay below."""
    common.one_thread()
    texts = list(common.shuffled(size))
    passages = Corpus("passages", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    runner, plain = Runner(passages, explain=False), BM25()

    def ask(search: Searcher, k: int = K, put: Callable[[str], str] = str) -> Callable[[str], object]:
        def found(question: str) -> object:
            runner.forget()
            return runner(search, put(question), k)

        return found

    kept = with_operators(plain)
    ways = {
        "BM25": ask(plain),
        REQUIRED: ask(kept, put=lambda q: f"+{words_of(q)[-1]} {q}"),
        EXCLUDED: ask(kept, put=lambda q: f"{q} -{words_of(q)[0]}"),
        PHRASE: ask(kept, put=lambda q: f"“{words_of(q)[-1]}” {q}"),
        TWO: ask(kept, put=lambda q: f"“{in_a_row(q)}” {q}"),
        "proximity, of BM25's best 50": ask(plain % 50 >> Proximity()),
    }
    theirs = tantivy_ways(texts)
    ask(kept)("how wifi -wi-fi")  # what the sets need of the corpus is made at the first question
    asked = common.queries(questions)
    for question in asked:
        in_a_row(question)
        for way in theirs.values():
            way(question)
    times = timed(asked, *ways.values(), *theirs.values())
    return dict(zip(ways, times, strict=False)), dict(zip(theirs, times[len(ways) :], strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/results")
    options = parser.parse_args()
    common.collections()
    ours, theirs = measured(options.size, options.questions)
    base = ours["BM25"][0]
    lines = [
        f"`LAB_COLLECTIONS=... python -m benchmarks.operators --questions {options.questions}`: {options.size:,}",
        f"passages of {common.LENGTH} characters, in one run; processor milliseconds per question, no reasons read.",
        f"{common.machine()}.\n",
        "| | a question, ms | nine of ten within | times BM25 | tantivy, ms | times tantivy | |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    missed = []
    for name, (median, most) in ours.items():
        times, peer = median / base, theirs.get(name, [0.0])[0]
        compared = [(times, PROMISED.get(name), "BM25"), (median / peer if peer else 0.0, BESIDE.get(name), "tantivy")]
        verdicts = [
            f"at most {limit:g} times {of}: {'holds' if x <= limit else 'missed'}" for x, limit, of in compared if limit
        ]
        missed += [f"{name}: {x:.1f} times {of}, at most {limit:g}" for x, limit, of in compared if limit and x > limit]
        beside = f"{peer:.2f} | {median / peer:.1f}" if peer else "| "
        lines.append(f"| {name} | {median:.2f} | {most:.2f} | {times:.1f} | {beside} | {'; '.join(verdicts)} |")
    print("\n".join(lines))
    if options.write:
        common.write(HEADING, "\n".join(lines), peers=("tantivy",))
    return common.verdict(missed)


if __name__ == "__main__":
    sys.exit(main())
