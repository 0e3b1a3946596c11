"""Chooses a question of every kind that a search may meet, by properties that can be measured on the corpus.

Judged questions come first; without one, a kind is made of the corpus's own codes, titles, clauses and words where
that is possible.  The shortest question of a kind is chosen, then the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from lab.algebra import Corpus
from lab.corpus.beir import Collection
from lab.corpus.statistics import EMPTY
from lab.explain.questions import CODE, generate_questions, judged_questions, unique_codes
from lab.rewrite.base import STEMS
from lab.rewrite.nearest import common_sound
from lab.rewrite.spelling import Spelling
from lab.text import QUESTIONS, fold, is_han, script, width
from lab.text.borders import sentences
from lab.words import Said

Items = Mapping[str, frozenset[str]]
"""Questions with the ids of the passages that are right for them."""

KINDS = {
    "code": Said("code"),
    "words": Said("other words"),
    "typo": Said("typo"),
    "negation": Said("negation"),
    "language": Said("other language"),
}
LARGEST = 5_000
"""In a larger corpus no page asks for kinds by itself: a typing error takes an index of all words as written."""
MANY = 200
"""Maximum number of questions that are measured, evenly spread."""
TITLES = 20
"""Number of questions made of titles in which a negation is looked for, and of which one gets a typo."""
SHORTEST = 5
"""Letters of a word that gets a typo; a Chinese word has at least two characters."""
LEAST, MOST, BEGINNING = 12, 48, 2_000
"""Columns of a clause that is offered as a question, and characters of a text in which one is looked for."""
_PARTS = re.compile("[，；;：:\n]")
_REFERS = re.compile(
    r"(?:it|this|that|these|those|they|he|she|and|but|or|which|who)\b|[它其这那此但且并]", re.IGNORECASE
)
"""The beginning of a clause whose subject is in the text before."""
_NEGATES = re.compile(
    r"(?<![\w-])(?:not|no|without|except|excluding|never|neither|cannot)(?![\w.-])|n['’]t\b"
    r"|不(?![同仅但论管久断良足错少然安好了上下开到清住起出见掉])|没|無|无[需法须]|未|除了|除外|免[费除]",
    re.IGNORECASE,
)
_EITHER = re.compile(r"(.)[不没]\1|有没有|是否")
"""A Chinese question that names both answers negates neither."""


def questions_by_kind(collection: Collection, language: str) -> dict[str, Said]:
    """Returns one question of each kind that the corpus has, with the name of the kind.

    Questions in ``language`` (en or zh) are preferred.  The same collection always has the same ones.
    """
    judged = tuple((query.text, tuple(collection.relevant(query.id))) for query in collection.judged)
    key = ("questions by kind", hash(judged), language)
    return collection.corpus.once(key, lambda: _chosen(collection, language))


def _chosen(collection: Collection, language: str) -> dict[str, Said]:
    corpus, items = collection.corpus, judged_questions(collection, MANY)
    if not items:
        titles = generate_questions(corpus, TITLES, lambda _question, _document: True, in_words=False)
        items = unique_codes(corpus, MANY) | {question: frozenset((document.id,)) for question, document in titles}
    ordered = sorted(items, key=lambda q: (script(q) not in (language, "other", ""), width(q)))
    chosen = dict[str, Said]()
    for kind, test in TESTS.items():
        one_kind = (q for q in ordered if kind == "code" or not CODE.search(q))
        found = next((q for q in one_kind if q not in chosen and test(q, items[q], corpus)), "")
        if not found and kind == "typo":
            found = next((typo for q in chain(ordered, _clauses(corpus)) for typo in _misspelt(q, corpus)), "")
        if not found and kind == "negation":
            stated = (clause for clause in _clauses(corpus) if _negates(clause, frozenset(), corpus))
            found = min(stated, key=lambda q: (script(q) not in (language, "other", ""), width(q)), default="")
        if found:
            chosen[found] = KINDS[kind]
    return chosen


def _names_a_code(question: str, right: frozenset[str], corpus: Corpus) -> bool:
    """Returns whether a code of letters and digits in the question is in a right passage."""
    codes = [fold(code) for code in CODE.findall(question)]
    return bool(codes) and any(code in text for code in codes for text in _texts(right, corpus))


def _has_other_words(question: str, right: frozenset[str], corpus: Corpus) -> bool:
    """Returns whether the right passages are in the question's language and contain none of its content words."""
    words = _words(question)
    texts = [text for text in _texts(right, corpus) if script(text) == script(question)]
    return bool(words and texts) and not any(words & _words(text) for text in texts)


def _has_a_typo(question: str, right: frozenset[str], corpus: Corpus) -> bool:
    """Returns whether the corrected words of the question are in a right passage."""
    corrections = Spelling().correct(question, corpus).corrections
    return any(fold(c.near.word) in text for c in corrections for text in _texts(right, corpus))


def _negates(question: str, right: frozenset[str], corpus: Corpus) -> bool:
    return _NEGATES.search(_EITHER.sub("", question)) is not None


def _clauses(corpus: Corpus) -> Iterator[str]:
    """Yields short clauses of the texts that name their subject, to be asked as they are."""
    for document in corpus.documents[:: max(1, len(corpus) // MANY)]:
        for start, end in sentences(document.text[:BEGINNING]):
            for clause in _PARTS.split(document.text[start:end]):
                clause = " ".join(clause.strip().rstrip(".!。！").split())
                if LEAST <= width(clause) <= MOST and not _REFERS.match(clause) and not clause.endswith(("?", "？")):
                    yield clause


def _in_another_language(question: str, right: frozenset[str], corpus: Corpus) -> bool:
    """Returns whether every right passage is in another language than the question."""
    if any(c.isdigit() for c in question):  # numbers are the same in every language
        return False
    scripts = {script(text) for text in _texts(right, corpus)}
    return scripts == {"en": {"zh"}, "zh": {"en"}}.get(script(question))


TESTS: Mapping[str, Callable[[str, frozenset[str], Corpus], bool]] = {
    "code": _names_a_code,
    "negation": _negates,
    "language": _in_another_language,
    "words": _has_other_words,
    "typo": _has_a_typo,
}


def _texts(ids: frozenset[str], corpus: Corpus) -> Iterator[str]:
    return (fold(document.content) for document in map(corpus.get, sorted(ids)) if document)


def _words(text: str) -> set[str]:
    return {t.text for t in STEMS.spans(text) if fold(text[t.start : t.end]) not in EMPTY | QUESTIONS}


def _misspelt(question: str, corpus: Corpus) -> Iterator[str]:
    """Yields the question with two letters swapped, or a character of the same sound, that `Spelling` puts right."""
    for token in sorted(STEMS.spans(question), key=lambda t: t.start - t.end):
        word = question[token.start : token.end]
        for wrong in _swapped(word) if word.isascii() else _same_sound(word):
            typo = question[: token.start] + wrong + question[token.end :]
            if Spelling().correct(typo, corpus).result == question:
                yield typo


def _swapped(word: str) -> Iterator[str]:
    for i in range(1, len(word) - 2 if len(word) >= SHORTEST and word.isalpha() else 0):
        if word[i] != word[i + 1]:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _same_sound(word: str) -> Iterator[str]:
    """Yields a Chinese word with one character replaced by a neighbour in GB 2312, where sounds are side by side."""
    for i, character in enumerate(word if len(word) > 1 and is_han(word) else ""):
        code = int.from_bytes(character.encode("gb2312", "ignore"))
        for other in (code + 1, code - 1) if code > 1 else ():
            wrong = other.to_bytes(2).decode("gb2312", "ignore")
            if len(wrong) == 1 and common_sound(wrong, word, i):
                yield word[:i] + wrong + word[i + 1 :]
