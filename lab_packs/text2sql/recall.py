"""How well lists find the tables, columns and values of a question: recall over questions whose SQL is known.

A reference query is ready-made relevance judgments: the documents of the tables, columns and values that it names are
relevant, all others are not.  ``databases/questions.jsonl`` has such questions for the sample databases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sqlglot
from sqlglot import exp

from lab.algebra import Corpus, Searcher
from lab_packs.text2sql.database import sample_folder
from lab_packs.text2sql.documents import BM25_LIST, SEARCH, VECTOR_LIST, SchemaDocuments, Thing
from lab_packs.text2sql.schema import Schema

LISTS: Mapping[str, Searcher] = {"BM25": BM25_LIST, "vectors": VECTOR_LIST, "RRF": SEARCH}
"""The lists that the page shows side by side."""


@dataclass(frozen=True)
class Judged:
    """A question and the ids of the documents that its reference query names."""

    question: str
    relevant: frozenset[str]


@cache
def shipped(database: str) -> tuple[tuple[str, str], ...]:
    """Returns the single-turn questions on a sample database, each with its SQL."""
    file = sample_folder() / "questions.jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.is_file() else []
    pairs = (
        (x["turns"][0], x["sql"]) for x in lines if x["database"] == database and len(x["turns"]) == 1 and x["sql"]
    )
    return tuple(dict.fromkeys(pairs))


def judged(documents: SchemaDocuments, questions: Sequence[tuple[str, str]]) -> list[Judged]:
    """Returns questions with the documents of their reference queries, if there are any."""
    questions_judged = (Judged(question, named_in(sql, documents)) for question, sql in questions)
    return [question_judged for question_judged in questions_judged if question_judged.relevant]


def named_in(sql: str, documents: SchemaDocuments) -> frozenset[str]:
    """Returns the ids of the tables, columns and values that a query names."""
    try:
        tree = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return frozenset()
    schema: Schema = documents.schema
    tables = {t.name.lower() for t in tree.find_all(exp.Table)}
    tables_named = [t for t in schema.tables if t.name.lower() in tables]
    columns = {c.name.lower() for c in tree.find_all(exp.Column)}
    literals = {str(v.this).lower() for v in tree.find_all(exp.Literal) if v.is_string}
    things = [Thing(t.name) for t in tables_named]
    columns_named = [c for t in tables_named for c in t.columns if c.name.lower() in columns and not c.is_key]
    things += [Thing(*c.ref) for c in columns_named]
    things += [Thing(*c.ref, v) for c in columns_named for v in c.values if v.lower() in literals]
    return frozenset(thing.id for thing in things if thing.id in documents.things)


def recall(
    documents: SchemaDocuments, questions: Sequence[Judged], *, k: int = 10, values: bool = True
) -> dict[str, tuple[float, float]]:
    """Returns mean recall@k and precision@1 of every list; without ``values`` only names are searched."""
    corpus = documents.corpus
    if not values:
        names_only = tuple(d for d in corpus if d.metadata["kind"] != "value")
        corpus = Corpus("schema without values", names_only)
    by_list: dict[str, tuple[float, float]] = {}
    for name, searcher in LISTS.items():
        index = searcher.index(corpus)
        hit_share, first = 0.0, 0.0
        for question in questions:
            ids = [hit.document.id for hit in index.search(question.question, k=k).hits]
            relevant = question.relevant if values else {x for x in question.relevant if " = " not in x}
            hit_share += len(relevant & set(ids)) / len(relevant) if relevant else 1.0
            first += bool(ids[:1]) and ids[0] in relevant
        by_list[name] = (hit_share / len(questions), first / len(questions)) if questions else (0.0, 0.0)
    return by_list
