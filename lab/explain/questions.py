"""Generates questions that work on a corpus, in its own words, if nobody has written questions for it.

A question is made of a passage: a question in its title or text; else its heading, without its number; else its most
distinctive words.  It works if BM25 ranks the passage among its first three results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from lab.algebra import Corpus, Document, Runner
from lab.corpus.beir import Collection
from lab.corpus.statistics import EMPTY
from lab.numeric import Floats
from lab.retrieve.lexical import BM25, TFIDF
from lab.text import QUESTIONS, fold, script, well_formed, width
from lab.text.borders import QUESTION_MARKS, sentences
from lab.text.quantities.numbers import UP_TO_99

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
CODE = re.compile(r"(?<![\w-])(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w-])", re.ASCII)
_HEADINGS = " › "
_NUMBER = re.compile(
    r"(?:第\s*[0-9〇零一二三四五六七八九十百两]+\s*(?:[编篇章条]|[部卷回讲课节款](?![^\W\d_]))|附[录件表](?:\s*+\w)?(?!\w)"
    rf"|[(（](?:\d{{1,3}}|{UP_TO_99}|[ivxlc]{{1,5}}|[a-z])[)）]|{UP_TO_99}[、.．)）]|[①-⑳]"
    r"|(?:part|volume|chapter|section|article|clause|step)\s+(?:\d+(?:\.\d+)*|[ivxlc]+)\b|(?:appendix|annex)\s+\w\b"
    r"|§+\s*\d+\w?|\d{1,3}[.、．)）](?!\d)|\d{1,2}(?:\.\d{1,2}){1,3}[.、．)）]?(?![\d%])|\d{1,2}\s+(?=(?-i:[A-Z])|[^\W\da-z_])|[ivxlc]{1,5}[.)]|[a-z][.)](?=\s))"
    r"[\s:：.、．·–—-]*+",
    re.IGNORECASE,
)
"""The number of a heading: 一、 （二） 第三章 1.2 Chapter 4: § 5."""
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how)\b.*\s"
    r"|(?:can|could|may|must|should|shall|will|would|do|does|did|is|are|am|was|were|has|have)\s+"
    r"(?:i|we|you|they|he|she|it|there|this|that|the|an?|my|our|your)\b"
    r"|.*(?:吗|呢|嗎|什么|什麼|么|麼)\Z"
    r"|.*(?:怎么|怎麼|怎样|如何|为什么|為什麼|为何|哪|多少|多久|多长|多大|几[天个次年月时点号位]|是否|能否|可否|谁|有没有|能不能"
    r"|可不可以|要不要|是不是|会不会)",
    re.IGNORECASE,
)
"""A title that asks without a question mark."""
_PARTS_OF_A_TEXT = """about, abstract, appendix, background, common questions, conclusion, contents, definitions, faq,
faqs, foreword, frequently asked questions, general, general provisions, glossary, introduction, miscellaneous, notes,
overview, preface, purpose, q&a, questions, questions and answers, references, remarks, scope, summary,
table of contents,
前言, 序言, 目录, 引言, 概述, 概要, 简介, 总则, 附则, 附录, 附件, 附表, 说明, 备注, 注意事项, 其他, 其它,
常见问题, 常见问题解答, 常见问题与解答, 问答, 问题解答, 适用范围, 目的, 定义, 术语, 总结,
小结, 结论, 参考文献, 背景, 正文"""
_NO_TOPIC = frozenset(" ".join(_PARTS_OF_A_TEXT.split()).split(", "))
"""Headings that name a part of any text, and no topic."""


def suggest_questions(collection: Collection, n: int = 3) -> tuple[str, ...]:
    """Returns up to ``n`` questions for this collection: judged ones, else generated ones.

    Generated questions are spread over the corpus, in words of their passage and in its language; each finds its own
    passage among the first three results of BM25.  The same collection always has the same questions; an empty corpus
    does not have any.
    """
    if judged := judged_questions(collection, n):
        return tuple(judged)
    corpus = collection.corpus
    return corpus.once(("questions", n), lambda: tuple(question for question, _ in generate_questions(corpus, n)))


def known_items(collection: Collection, n: int) -> tuple[Mapping[str, frozenset[str]], ...]:
    """Returns questions with the ids of the passages that are right for them: up to ``n`` of a kind, the best first.

    Of a judged question these are the passages with a grade above 0.  Without judgments the first kind are questions
    and headings, right for every passage that has the same, and codes that one passage alone has; the second are
    distinctive words of a passage, right for every passage that has them all.  Questions need not find their passages.
    """
    if judged := judged_questions(collection, n):
        return (judged,)
    corpus = collection.corpus
    return corpus.once(("known items", n), lambda: (unique_codes(corpus, n) | _headed(corpus, n), _worded(corpus, n)))


def _headed(corpus: Corpus, n: int) -> dict[str, frozenset[str]]:
    """Returns up to ``n`` questions and headings of the corpus, with the passages that have them."""
    generated = dict(generate_questions(corpus, n, works=lambda _question, _document: True, in_words=False))
    right = {fold(question): {document.id} for question, document in generated.items()}
    for document in corpus.documents if right else ():
        for text in (*_verbatim(document), *_headings(document)):
            right.get(fold(" ".join(text.split())), set()).add(document.id)
    return {question: frozenset(right[fold(question)]) for question in generated}


def _worded(corpus: Corpus, n: int) -> dict[str, frozenset[str]]:
    """Returns the most distinctive words of up to ``n`` passages, with the passages that have them all."""
    index, right = TFIDF().index(corpus), dict[str, frozenset[str]]()
    for i in _spread(len(corpus), n):
        document = corpus.documents[i]
        texts = _key_words(document, weights=index.idf, columns=index.matrix.vocabulary)
        words = next((text for text in texts if _sound(text, document)), "")
        if words:
            parts = [fold(word) for word in words.split()]
            having = (d.id for d in corpus.documents[:LARGE] if all(part in fold(d.content) for part in parts))
            right[words] = frozenset((document.id, *having))
    return right


def unique_codes(corpus: Corpus, n: int) -> dict[str, frozenset[str]]:
    """Returns up to ``n`` codes of letters and digits that one passage alone has, evenly spread, with its id."""
    passages, spellings = dict[str, set[str]](), dict[str, str]()
    for document in corpus.documents[:LARGE]:
        for code in CODE.findall(document.content[:_BEGINNING]):
            passages.setdefault(fold(code), set()).add(document.id)
            spellings.setdefault(fold(code), code)
    alone = [code for code, ids in passages.items() if len(ids) == 1]
    return {spellings[alone[i]]: frozenset(passages[alone[i]]) for i in _spread(len(alone), n)}


def judged_questions(collection: Collection, n: int) -> dict[str, frozenset[str]]:
    """Returns up to ``n`` judged questions, evenly spread, with the passages that are relevant to them."""
    relevant = dict[str, set[str]]()
    for query in collection.judged:
        if query.text.strip():
            grades = collection.qrels[query.id]
            relevant.setdefault(query.text, set()).update(doc for doc, grade in grades.items() if grade > 0)
    texts = list(relevant)
    return {texts[i]: frozenset(relevant[texts[i]]) for i in _spread(len(texts), n)}


def generate_questions(
    corpus: Corpus, n: int, works: Callable[[str, Document], bool] | None = None, *, in_words: bool = True
) -> list[tuple[str, Document]]:
    """Generates up to ``n`` questions that work, each with the passage that it was made of, in corpus order.

    A passage has more than one only if it asks more than one.  ``works`` decides what works; without ``in_words``
    there are only questions and headings.
    """
    places, runner = _spread(len(corpus), LOOKED_AT), partial(Runner(corpus, explain=False), BM25(), k=FOUND_AMONG)
    works = works or (lambda question, document: document in [hit.document for hit in runner(question).hits])
    questions, seen = list[tuple[int, str]](), set[str]()
    parts = [places[len(places) * i // n : len(places) * (i + 1) // n] for i in range(n)]
    index = TFIDF().index(corpus)
    key_words = partial(_key_words, weights=index.idf, columns=index.matrix.vocabulary)
    asked, headed, worded = (
        [(kind, part) for part in (*parts, *([places] * n))] for kind in (_verbatim, _headings, key_words)
    )
    # a part without a question is made up for by any other passage
    for kind, part in (*asked, *headed, *(worded if in_words else ())):
        used = {i for i, _question in questions}
        if len(questions) == n:
            break
        if part is not places and used & set(part):
            continue
        more = part if kind is _verbatim and part is places else [i for i in part if i not in used]
        for i, question in _texts(kind, more, corpus):
            folded, document = fold(question), corpus.documents[i]
            if folded in seen or not _sound(question, document):
                continue
            seen.add(folded)
            if works(question, document):
                questions.append((i, question))
                break
    return [(question, corpus.documents[i]) for i, question in sorted(questions, key=lambda asked: asked[0])]


def _texts(
    kind: Callable[[Document], Iterator[str]], places: Sequence[int], corpus: Corpus
) -> Iterator[tuple[int, str]]:
    """Yields the questions of this kind in these passages, on one line each."""
    return ((i, " ".join(text.split())) for i in places for text in kind(corpus.documents[i]))


def _spread(length: int, n: int) -> list[int]:
    """Returns up to ``n`` positions from 0 on, evenly spread."""
    return list(range(length)) if length <= n else [length * i // n for i in range(n)]


def _sound(question: str, document: Document) -> bool:
    """Returns whether this can be shown as a question, and is in the passage's language."""
    whole = question.isprintable() and question == well_formed(question) and width(question) <= _WIDEST
    written = script(f"{document.title}\n{document.text[:_BEGINNING]}")
    return whole and script(question) == written and any(True for _ in _words(question))


def _verbatim(document: Document) -> Iterator[str]:
    """Yields the questions of the passage: its heading, if it asks, and questions at either end of a line.

    A question with nothing after it does not count: its answer is elsewhere.
    """
    heading = _unnumbered(document.title.split(_HEADINGS)[-1], in_path=_HEADINGS in document.title)
    if heading.endswith(tuple(QUESTION_MARKS)) or _ASKS.match(heading):
        yield _MARKER.sub("", heading, count=1)
    text = document.text[:_BEGINNING].rstrip("*_ \t\r\n")
    for line in text.splitlines(keepends=True):
        for question in _asking(line):
            if not text.endswith(question):
                yield _MARKER.sub("", question, count=1).strip("*_ ")


def _asking(line: str) -> Iterator[str]:
    """Yields the first and the last sentence of a line, if they ask."""
    line = line.strip("*_ \t\r\n")
    spans = sentences(line.replace("**", "  "))
    for start, end in dict.fromkeys([*spans[:1], *spans[-1:]]):
        if line[start:end].endswith(tuple(QUESTION_MARKS)):
            yield line[start:end]


def _headings(document: Document) -> Iterator[str]:
    """Yields the passage's own heading, and the whole path of headings, without numbers, if they name a topic."""
    in_path = _HEADINGS in document.title
    *above, heading = (_unnumbered(part, in_path=in_path) for part in document.title.split(_HEADINGS))
    if heading and fold(heading).strip() not in _NO_TOPIC:
        yield heading
        if above:
            yield " ".join((*above, heading))


def _unnumbered(heading: str, *, in_path: bool) -> str:
    """Returns a heading without its number.  A bare number is one only under another heading: 1.5 m of cable."""
    heading = heading.strip()
    number = _NUMBER.match(heading)
    if number is None or (not in_path and re.match(r"\d+(?:\.\d|\s)", heading)):
        return heading
    return heading[number.end() :].strip(" :：")


def _key_words(document: Document, *, weights: Floats, columns: Mapping[str, int]) -> Iterator[str]:
    """Yields the most distinctive words by TF-IDF, as the passage spells them, then fewer and fewer of them."""
    words = dict[str, list[str]]()
    for term, word in _words((document.text or document.content)[:_BEGINNING]):
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
