"""Questions that work: what a corpus can be asked, in its own words, where nobody has written questions for it.

A question is made of a passage: one that stands in it, its title or heading, or its most telling words.  It works
where BM25 finds the passage by it among the first three.
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
from lab.text import QUESTION_MARKS, QUESTIONS, fold, script, sentences, well_formed, width

LOOKED_AT = 200
"""So many passages are looked at, evenly spread over the corpus."""
FOUND_AMONG = 3
LARGE = 20_000
"""Of more passages nothing asks for questions unasked: making them takes an index of all."""
WORDS = 4
"""The telling words of a question, at most."""
_ANALYZER = TFIDF().analyzer
_BEGINNING = 5_000
"""So much of a passage is read for its questions and its words."""
_WIDEST = 90
_MARKER = re.compile(r"[\W_]*(?:\d+[.、)）：:]\s*)?(?:(?:Q|问|問|question)\s*\d*\s*[:：.、．]\s*)?", re.IGNORECASE)
_HEADINGS = " › "


def suggested(collection: Collection, n: int = 3) -> tuple[str, ...]:
    """At most ``n`` questions that can be asked of this collection: judged ones, else made ones.

    Made ones are of different passages, spread over the corpus, in words of the passage and in its language; each
    finds its own passage among the first three of BM25.  The same collection always gives the same; an empty corpus
    gives none.
    """
    judged = list(dict.fromkeys(q.text for q in collection.judged if q.text.strip()))
    if judged:
        return tuple(judged[i] for i in _spread(len(judged), n))
    corpus = collection.corpus
    return corpus.once(("questions", n), lambda: tuple(question for question, _ in made(corpus, n)))


def made(corpus: Corpus, n: int) -> list[tuple[str, Document]]:
    """At most ``n`` questions that work, each with the passage that it was made of, in corpus order."""
    places, runner = _spread(len(corpus), LOOKED_AT), partial(Runner(corpus, explain=False), BM25(), k=FOUND_AMONG)
    found, asked = dict[int, str](), set[str]()
    parts = [places[len(places) * i // n : len(places) * (i + 1) // n] for i in range(n)]
    index = TFIDF().index(corpus)
    kinds = (_standing, _named, partial(_telling, weights=index.idf, columns=index.matrix.vocabulary))
    for part in (*parts, *([places] * n)):  # a part that has none leaves its turn to the others
        if len(found) == n:
            break
        candidates = (
            (i, " ".join(text.split()))
            for kind in kinds
            for i in part
            if i not in found
            for text in kind(corpus.documents[i])
        )
        for i, question in candidates:
            own, document = fold(question), corpus.documents[i]
            if own in asked or not _sound(question, document):
                continue
            asked.add(own)
            if document in [hit.document for hit in runner(question).hits]:
                found[i] = question
                break
    return [(found[i], corpus.documents[i]) for i in sorted(found)]


def _spread(length: int, n: int) -> list[int]:
    """At most ``n`` places from 0 on, evenly spread."""
    return list(range(length)) if length <= n else [length * i // n for i in range(n)]


def _sound(question: str, document: Document) -> bool:
    """Whether it can stand on the screen as a question, and is in the passage's language."""
    whole = question.isprintable() and question == well_formed(question) and width(question) <= _WIDEST
    written = script(f"{document.title}\n{document.text[:_BEGINNING]}")
    return whole and script(question) == written and any(True for _ in _words(question))


def _standing(document: Document) -> Iterator[str]:
    """The questions that stand in the passage: at the end of a line, as in a list of questions and answers."""
    heading = document.title.split(_HEADINGS)[-1]
    for line in (heading, *document.text[:_BEGINNING].split("\n")):
        line = line.rstrip("*_ \t\r")
        if line.endswith(tuple(QUESTION_MARKS)):
            start, end = sentences(line)[-1]
            yield _MARKER.sub("", line[start:end], count=1)


def _named(document: Document) -> Iterator[str]:
    """The passage's own heading, and the whole path of headings."""
    *above, heading = document.title.split(_HEADINGS)
    yield heading
    if above:
        yield " ".join((*above, heading))


def _telling(document: Document, *, weights: Floats, columns: Mapping[str, int]) -> Iterator[str]:
    """Its most telling words by TF-IDF, as they stand there, and fewer of them where these are too many."""
    words = dict[str, list[str]]()
    for term, word in _words(document.content[:_BEGINNING]):
        if term in columns:
            words.setdefault(term, []).append(word)
    best = sorted(words, key=lambda term: -len(words[term]) * weights[columns[term]])[:WORDS]
    for n in range(len(best), 0, -1):
        yield " ".join(own[0] for term, own in words.items() if term in best[:n])


def _words(text: str) -> Iterator[tuple[str, str]]:
    """(term, as it is written) of every whole word that names something."""
    reached = 0
    for token in _ANALYZER.spans(text):
        word = text[token.start : token.end]
        apart = text[token.start - 1 : token.start] + text[token.end : token.end + 1]
        told = token.kind == "word" and len(word) > 1 and any(c.isalpha() for c in word)
        if told and token.start >= reached and not set(apart) & set("'’") and fold(word) not in EMPTY | QUESTIONS:
            reached = token.end
            yield token.text, word
