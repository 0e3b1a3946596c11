"""Operators of a question give the sets of Tantivy, a search engine with Lucene's query language."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from night import NIGHT, spread

from lab.algebra import Corpus, Document, Runner
from lab.refine.boolean import Matching, Reading, parse
from lab.retrieve.lexical import BM25
from lab.rewrite.operators import with_operators

tantivy = pytest.importorskip("tantivy")
WORDS = ["kiln", "wax", "loom", "brick", "glaze", "wick", "yarn", "clay"]


def drawn(seed: int, n: int = 200) -> Corpus:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(n)]
    return Corpus("drawn", tuple(Document(str(i), text) for i, text in enumerate(texts)))


def engine(corpus: Corpus) -> Callable[[str], set[str]]:
    """Returns what finds the ids of a question's documents in Tantivy."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text", tokenizer_name="whitespace")
    index = tantivy.Index(builder.build())
    writer = index.writer(num_threads=1)
    for document in corpus:
        writer.add_document(tantivy.Document(id=document.id, text=document.text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def found(question: str) -> set[str]:
        hits = searcher.search(index.parse_query(question, ["text"]), len(corpus)).hits
        return {searcher.doc(address)["id"][0] for _, address in hits}

    return found


def fitting(question: str, corpus: Corpus) -> set[str]:
    tree = parse(question).tree
    return {d.id for d in corpus if Matching(stems=False).holds(tree, Reading(d))}


PATTERNS = [
    "{a}",
    '"{a} {b}"',
    '"{a} {b} {a}"',
    "+{a} -{b} {c}",
    "{a} -{b}",
    "{a} {b} -{c} -{d}",
    "+{a} +{b}",
    "{a} AND {b} OR {c}",
    "{a} OR {b} AND {c}",
    "{a} AND {b} OR {c} AND {d}",
    "({a} OR {b}) AND {c}",
    "{a} AND ({b} OR {c})",
    "({a} OR {b}) AND ({c} OR {d})",
    "(({a} AND {b}) OR {c}) AND {d}",
    "+({a} OR {b}) {c}",
    "({a} OR {b}) {c}",
    "{a} NOT {b}",
    "NOT {a} {b}",
    "NOT ({a} OR {b}) {c}",
    "{c} NOT ({a} AND {b})",
    "{a} AND -{b}",
    "({a} -{b}) OR {c}",
    "{a} AND ({b} -{c})",
    "{a} AND {b} {c}",
    "{a} {b} AND {c}",
    "{a} AND {b} -{c}",
    "+{a} {b} AND {c}",
    "{a} OR {b} +{c}",
    '"{a} {b}" AND {c}',
    '"{a} {b}" OR "{c} {d}"',
    '+"{a} {b}" {c}',
    '{a} -"{b} {c}"',
    '+{a} -({b} OR "{c} {d}")',
]


@pytest.mark.parametrize("pattern", spread(PATTERNS, 16))
def test_the_set_is_that_of_tantivy(pattern: str) -> None:
    rng, some = random.Random(pattern), 0
    for seed in range(3 if NIGHT else 1):
        corpus = drawn(seed)
        find, runner = engine(corpus), Runner(corpus)
        for _ in range(5):
            question = pattern.format(**dict(zip("abcd", rng.sample(WORDS, 4), strict=True)))
            theirs = find(question)
            assert fitting(question, corpus) == theirs, question
            assert set(runner(with_operators(BM25()), question, len(corpus)).ids) == theirs, question
            some += 0 < len(theirs) < len(corpus)
    assert some > (5 if NIGHT else 1)  # the sets are neither empty nor everything


def nested(rng: random.Random, depth: int) -> str:
    """Returns a drawn condition; what is excluded stands beside what is not, as Tantivy needs it."""
    if not depth or rng.random() < 0.2:
        return rng.choice(WORDS) if rng.random() < 0.8 else '"{} {}"'.format(*rng.choices(WORDS, k=2))
    parts = [nested(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    if rng.random() < 0.3:
        return f"({parts[0]} AND -{parts[1]})"
    return "(" + f" {rng.choice(('AND', 'OR'))} ".join(parts) + ")"


def test_drawn_conditions_have_the_sets_of_tantivy() -> None:
    rng, some = random.Random(52), 0
    for seed in range(4):
        corpus = drawn(100 + seed)
        find = engine(corpus)
        for _ in range(60):
            question = nested(rng, 3)
            theirs = find(question)
            assert fitting(question, corpus) == theirs, question
            some += 0 < len(theirs) < len(corpus)
    assert some > 100


def test_where_tantivy_reads_otherwise() -> None:
    """Tantivy finds nothing for “a AND NOT b” and leaves NOT out of “a OR NOT b”; here NOT is the complement."""
    corpus = drawn(1)
    find = engine(corpus)
    assert find("kiln AND NOT wax") == set()
    assert fitting("kiln AND NOT wax", corpus) == find("kiln AND -wax") != set()
    assert find("kiln OR NOT wax") == find("kiln")
    assert fitting("kiln OR NOT wax", corpus) == {d.id for d in corpus} - (find("wax") - find("kiln"))
    # a phrase beside words: one of all for Tantivy; here it is required, as web search engines have it
    assert fitting('"kiln wax" loom', corpus) == find('+"kiln wax" loom') != find('"kiln wax" loom')
