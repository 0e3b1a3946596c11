"""What is written about documents and searched in their place: summaries, questions, keywords.

Each is one prompt (shown and editable), one strict parser, and one offline rule.  A run that has a model under the name
in ``model`` asks it; without that name the rule does the work.  The rules are weak: a summary of a document's own
sentences loses words, and as the only index it loses questions.

Sources: LangChain's ``MultiVectorRetriever`` (summaries, hypothetical questions); R. Nogueira et al., *Document
Expansion by Query Prediction*, 2019; RAGFlow's auto-keyword and auto-question.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from lab.algebra import Corpus, Derivation, Document, Env, Progress, knob
from lab.derive.chunk import FETCH
from lab.errors import ModelError
from lab.models.answers import items, passage
from lab.models.chat import TEXTS, LanguageModel, Shape
from lab.models.consult import Request, consult
from lab.models.embedders import Embedder, encoder_of, vectors_of
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.models.static import EMBEDDER
from lab.numeric import unit
from lab.reading.names import Names
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, count_tokens, is_han, language_of, sentences
from lab.words import N_, Said

TOGETHER = 16
"""So many prompts are sent before their answers are kept: what a stop in the midst loses at most."""
_WORDS = Analyzer(mode="precise", pairs=False, bigrams=False, numbers=False, characters=False, stem="none")
"""Words as a reader would cut them: none is a part of another (the search mode cuts 算机 out of 计算机)."""
_GRAMMAR = tuple("cdefhkmopqruyz")
"""What jieba's tags of words that name nothing begin with: numerals, measures, pronouns, adverbs, particles."""
_LIGHT_VERBS = """具有 具备 拥有 能够 可以 可能 必须 应当 应该 需要 不可 不能 不得 不会 允许 进行
通过 使用 利用 采用 提供 包括 包含 属于 成为 作为 是指 称为 存在 得到 获得 实现
支持 造成 导致 产生 形成 根据 按照 用于 有关 以及 常见"""
_LIGHT = frozenset(_LIGHT_VERBS.split())
"""Chinese verbs that take their meaning from their object: they name nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is going to be sent to a model: so many requests, with so many characters and (about) tokens in all.

    What it answers is not known before, and not in it.
    """

    requests: int
    characters: int
    tokens: int


@dataclass(frozen=True)
class Written(Prompted, Derivation):
    """Texts about every document, each searched in its place.

    ``template`` is the prompt of the visitor in the place of the technique's own; ``{text}`` stands for the document,
    ``{n}`` for the number of texts.  What a model has written stays with the corpus: after a failure or a stop the
    next run asks only for what is missing.  Raises `ModelError` where an answer is missing.
    """

    shape: ClassVar[Shape | None] = None
    """The JSON object that a model is asked for; None: a passage."""

    template: str = TEMPLATE(help=Said("{text} and {n} are filled in. Empty: the lab's prompt."), needs=("text",))

    def request(self, document: Document) -> str:
        """What is sent to a model for a document."""
        prompt = self.prompt(language_of(document.content))
        return fill(prompt, text=document.content, n=str(self.wanted))

    @abstractmethod
    def parse(self, answer: str) -> tuple[str, ...]:
        """The texts of an answer.  Raises `Unreadable`."""

    @abstractmethod
    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        """The texts of every document without a model, in order."""

    def derive(self, corpus: Corpus, env: Env) -> list[tuple[Document, str]]:
        texts = self._asked(corpus, env) if self.model else self.rule(corpus, env.progress)
        names, out = Names(d.id for d in corpus), list[tuple[Document, str]]()
        for d, own in zip(corpus, texts, strict=True):
            for n, text in enumerate(self.entries(d, own), 1):
                told = {**d.metadata, "parent": d.id, "chunk": n}
                out.append((replace(d, id=names.fresh(f"{d.id}#{n}"), text=text, metadata=told), d.id))
        return out

    def entries(self, document: Document, texts: Sequence[str]) -> list[str]:
        """What is searched in the document's place."""
        return [text for text in texts if text.strip()]

    def missing(self, corpus: Corpus, model: LanguageModel) -> list[Document]:
        """The documents that this model has written nothing about yet."""
        return [d for d in corpus if d.content.strip() and not corpus.holds(self._place(model, d))]

    def estimate(self, corpus: Corpus, model: LanguageModel) -> Estimate:
        """What a run by this model would send: of the documents that it has written nothing about yet."""
        prompts = [*map(self.request, self.missing(corpus, model))]
        return Estimate(len(prompts), sum(map(len, prompts)), sum(map(count_tokens, prompts)))

    def _place(self, model: LanguageModel, document: Document) -> tuple[object, ...]:
        """Under what name the texts of a document are kept."""
        return "written", self, model, document.id

    def _asked(self, corpus: Corpus, env: Env) -> Iterator[tuple[str, ...]]:
        """The texts of every document, in order, by the model."""
        model: LanguageModel = self.asked(env)
        missing, lost, stopped = self.missing(corpus, model), list[ModelError](), list[BaseException]()
        for at in range(0, len(missing), TOGETHER):
            batch = missing[at : at + TOGETHER]

            def told(done: int, _: int, before: int = len(corpus) - len(missing) + at) -> None:
                try:
                    if env.progress:
                        env.progress(before + done, len(corpus))
                except BaseException as error:  # what is answered is kept first
                    stopped.append(error)

            requests = [Request(self.request(d), self.parse) for d in batch]
            readings = consult(model, requests, shape=self.shape, progress=told, cancel=lambda: bool(stopped))
            for d, reading in zip(batch, readings, strict=True):
                if reading.problem is not None:
                    lost.append(reading.problem)
                    continue
                corpus.once(self._place(model, d), reading.get)
            if stopped:
                raise stopped[0]
            if lost:
                break
        if lost:
            left = len(self.missing(corpus, model))
            said = N_("{error} Documents without a text so far: {left} of {all}.")
            kept = Said("Finished texts are kept. Start again to write the rest.")
            raise ModelError(Said(said, error=lost[0].message, all=len(corpus), left=left), kept)
        for d in corpus:
            yield corpus.once(self._place(model, d), tuple) if d.content.strip() else ()


@dataclass(frozen=True)
class Summaries(Written):
    """Writes a short text per document; the rule takes the ``n`` sentences nearest its vector, in text order."""

    label = Said("Summaries")
    about = Said("Searches a short text about each document.")

    n: int = knob(
        2,
        low=1,
        high=10,
        label=Said("Sentences"),
        help=Said("Length of a summary in characters, for the rule and in the prompt."),
    )
    embedder: Embedder = EMBEDDER()

    def parse(self, answer: str) -> tuple[str, ...]:
        return (passage(answer),)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        for picked in nearest(self.embedder, corpus, self.n, progress):
            yield (" ".join(text for _, text in sorted(picked)),)


@dataclass(frozen=True)
class Questions(Written):
    """Indexes questions that a document answers; the rule takes its sentences, or fills a question template.

    The template asks for the document's keywords, one by one: a weak rule, kept to be looked at.
    """

    label = Said("Hypothetical questions")
    about = Said("Searches the questions that each document answers.")
    shape = Shape.of("questions", questions=TEXTS)

    n: int = knob(3, low=1, high=10, label=Said("Questions"), help=Said("Maximum per document."))
    rule_of: str = knob(
        "sentences",
        choices={"sentences": Said("its own sentences"), "templates": Said("question templates (weak)")},
        label=Said("Rule"),
        help=Said("Without a model: the sentences nearest the document's vector, or “What is …?” with its keywords."),
    )
    fetch: int = FETCH()
    embedder: Embedder = EMBEDDER()

    def parse(self, answer: str) -> tuple[str, ...]:
        return items(answer, self.n)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        if self.rule_of == "sentences":
            for picked in nearest(self.embedder, corpus, self.n, progress):
                yield tuple(text for _, text in picked)
            return
        for d, words in zip(corpus, keywords(corpus, self.n, progress), strict=True):
            asked = "{}是什么？" if language_of(d.content) == "zh" else "What is {}?"
            yield tuple(asked.format(word) for word in words)


@dataclass(frozen=True)
class Keywords(Written):
    """Adds keywords to the text of every document; the rule takes those with the highest TF-IDF.

    ``times`` is how often each stands there: so much more they count for words.
    """

    label = Said("Keywords added")
    about = Said("Searches each document with keywords added to its text.")
    shape = Shape.of("keywords", keywords=TEXTS)

    n: int = knob(5, low=1, high=20, label=Said("Keywords"), help=Said("Maximum per document."))
    times: int = knob(
        1, low=1, high=5, label=Said("Repetitions"), help=Said("Repetitions of each keyword: its weight.")
    )

    def parse(self, answer: str) -> tuple[str, ...]:
        return items(answer, self.n)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        yield from map(tuple, keywords(corpus, self.n, progress))

    def entries(self, document: Document, texts: Sequence[str]) -> list[str]:
        words = [word for word in texts for _ in range(self.times)]
        return ["\n".join(filter(None, (document.text, " ".join(words))))]


def nearest(embedder: Embedder, corpus: Corpus, n: int, progress: Progress | None) -> Iterator[list[tuple[int, str]]]:
    """Of every document its ``n`` sentences that are nearest its vector, nearest first: place and text."""
    encoder, rows = encoder_of(embedder, corpus), vectors_of(embedder, corpus, progress=progress)
    for i, d in enumerate(corpus):
        found = [d.text[a:b] for a, b in sentences(d.text)]
        if len(found) > n:
            near = unit(encoder.documents(found)) @ np.asarray(rows[i])
            order = sorted(range(len(found)), key=lambda j: (-float(near[j]), j))[:n]
        else:
            order = [*range(len(found))]
        yield [(j, found[j]) for j in order]


def keywords(corpus: Corpus, n: int, progress: Progress | None) -> Iterator[list[str]]:
    """Of every document its ``n`` words of the highest tf-idf that name something, best first; idf is ln(N / df)."""
    matrix = TermMatrix.of(corpus, _WORDS)
    idf = np.log(max(1, len(corpus)) / matrix.df)
    for i, d in enumerate(corpus):
        if progress:
            progress(i, len(corpus))
        counts = Counter(_whole_words(d.content))
        weight = {word: count * float(idf[matrix.vocabulary[word]]) for word, count in counts.items()}
        found = [word for word in weight if weight[word] > 0 and _names_something(word)]
        yield sorted(found, key=lambda w: (-weight[w], w))[:n]


def _whole_words(text: str) -> Iterator[str]:
    """The words of a text, and not what they are joined of: wh-1000xm5, but not 1000xm5."""
    end = 0
    for token in sorted(_WORDS.spans(text), key=lambda token: (token.start, -token.end)):
        if token.end > end:
            end = token.end
            yield token.text


@lru_cache(maxsize=1 << 16)
def _names_something(word: str) -> bool:
    """Whether a Chinese word is more than grammar, by jieba's tag of its last part, the head; others are."""
    if not is_han(word):
        return True
    import rjieba

    return word not in _LIGHT and not rjieba.tag(word)[-1][1].startswith(_GRAMMAR)
