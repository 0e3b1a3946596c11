"""Generates questions that work on a corpus, in its own words, if nobody has written questions for it.

A question is made of a passage: a question in its text, its title or heading, or its most distinctive words.  It works
if BM25 ranks the passage among its first three results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from lab.algebra import Corpus, Document, Runner
from lab.corpus.beir import Collection
from lab.corpus.statistics import EMPTY
from lab.numeric import Floats
from lab.retrieve.lexical import BM25, TFIDF
from lab.text import QUESTIONS, fold, script, well_formed, width
from lab.text.borders import QUESTION_MARKS, sentences

LOOKED_AT = 200
"""Maximum number of passages examined, evenly spread over the corpus."""
FOUND_AMONG = 3
LARGE = 20_000
"""In a larger corpus no page suggests questions by itself: generating them takes an index of the whole corpus."""
WORDS = 4
"""Maximum number of distinctive words in a question."""
_ANALYZER = TFIDF().analyzer
_BEGINNING = 5_000
"""Number of characters of a passage that are read for its questions and its words."""
_WIDEST = 90
_MARKER = re.compile(r"[\W_]*(?:\d+[.、)）：:]\s*)?(?:(?:Q|问|問|question)\s*\d*\s*[:：.、．]\s*)?", re.IGNORECASE)
_HEADINGS = " › "


def suggest_questions(collection: Collection, n: int = 3) -> tuple[str, ...]:
    """Returns up to ``n`` questions for this collection: judged ones, else generated ones.

    Generated questions are from different passages, spread over the corpus, in words of the passage and in its
    language; each finds its own passage among the first three results of BM25.  The same collection always has the same
    questions; an empty corpus does not have any.
    """
    judged = list(dict.fromkeys(q.text for q in collection.judged if q.text.strip()))
    if judged:
        return tuple(judged[i] for i in _spread(len(judged), n))
    corpus = collection.corpus
    return corpus.once(("questions", n), lambda: tuple(question for question, _ in generate_questions(corpus, n)))


def generate_questions(corpus: Corpus, n: int) -> list[tuple[str, Document]]:
    """Generates up to ``n`` questions that work, each with the passage that it was made of, in corpus order."""
    places, runner = _spread(len(corpus), LOOKED_AT), partial(Runner(corpus, explain=False), BM25(), k=FOUND_AMONG)
    questions, seen = dict[int, str](), set[str]()
    parts = [places[len(places) * i // n : len(places) * (i + 1) // n] for i in range(n)]
    index = TFIDF().index(corpus)
    kinds = (_verbatim, _headings, partial(_key_words, weights=index.idf, columns=index.matrix.vocabulary))
    for part in (*parts, *([places] * n)):  # a part without a question is made up for by any other passage
        if len(questions) == n:
            break
        candidates = (
            (i, " ".join(text.split()))
            for kind in kinds
            for i in part
            if i not in questions
            for text in kind(corpus.documents[i])
        )
        for i, question in candidates:
            folded, document = fold(question), corpus.documents[i]
            if folded in seen or not _sound(question, document):
                continue
            seen.add(folded)
            if document in [hit.document for hit in runner(question).hits]:
                questions[i] = question
                break
    return [(questions[i], corpus.documents[i]) for i in sorted(questions)]


def _spread(length: int, n: int) -> list[int]:
    """Returns up to ``n`` positions from 0 on, evenly spread."""
    return list(range(length)) if length <= n else [length * i // n for i in range(n)]


def _sound(question: str, document: Document) -> bool:
    """Returns whether this can be shown as a question, and is in the passage's language."""
    whole = question.isprintable() and question == well_formed(question) and width(question) <= _WIDEST
    written = script(f"{document.title}\n{document.text[:_BEGINNING]}")
    return whole and script(question) == written and any(True for _ in _words(question))


def _verbatim(document: Document) -> Iterator[str]:
    """Yields the questions in the passage: at the end of a line, as in a list of questions and answers."""
    heading = document.title.split(_HEADINGS)[-1]
    for line in (heading, *document.text[:_BEGINNING].split("\n")):
        line = line.rstrip("*_ \t\r")
        if line.endswith(tuple(QUESTION_MARKS)):
            start, end = sentences(line)[-1]
            yield _MARKER.sub("", line[start:end], count=1)


def _headings(document: Document) -> Iterator[str]:
    """Yields the passage's own heading, and the whole path of headings."""
    *above, heading = document.title.split(_HEADINGS)
    yield heading
    if above:
        yield " ".join((*above, heading))


def _key_words(document: Document, *, weights: Floats, columns: Mapping[str, int]) -> Iterator[str]:
    """Yields the most distinctive words by TF-IDF, as the passage spells them, then fewer and fewer of them."""
    words = dict[str, list[str]]()
    for term, word in _words(document.content[:_BEGINNING]):
        if term in columns:
            words.setdefault(term, []).append(word)
    best = sorted(words, key=lambda term: -len(words[term]) * weights[columns[term]])[:WORDS]
    for n in range(len(best), 0, -1):
        yield " ".join(spellings[0] for term, spellings in words.items() if term in best[:n])


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yields (term, its spelling) of every whole word that names something."""
    reached = 0
    for token in _ANALYZER.spans(text):
        word = text[token.start : token.end]
        neighbours = text[token.start - 1 : token.start] + text[token.end : token.end + 1]
        meaningful = token.kind == "word" and len(word) > 1 and any(c.isalpha() for c in word)
        if (
            meaningful
            and token.start >= reached
            and not set(neighbours) & set("'’")
            and fold(word) not in EMPTY | QUESTIONS
        ):
            reached = token.end
            yield token.text, word
