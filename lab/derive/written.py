"""Texts that are generated for documents and searched instead of them: summaries, questions, keywords.

Each has one prompt (shown and editable), one strict parser, and one offline rule.  A run that has a model by the name
in ``model`` asks it; without that name the rule is used.  The rules are weak: a summary of a document's own
sentences loses words, and as the only index it loses questions.

Sources: LangChain's ``MultiVectorRetriever`` (summaries, hypothetical questions); R. Nogueira et al., *Document
Expansion by Query Prediction*, 2019, arXiv:1904.08375; RAGFlow's auto-keyword and auto-question.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np

from lab.algebra import Corpus, Derivation, Document, Env, Progress, knob
from lab.derive.chunk import FETCH
from lab.errors import ModelError
from lab.models.answers import beginning, items, passage
from lab.models.chat import TEXTS, LanguageModel, Shape
from lab.models.consult import Reading, Request, consult_in_batches
from lab.models.costs import Estimate, estimate
from lab.models.embedders import Embedder, encoder_of, vectors_of
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.models.static import EMBEDDER
from lab.numeric import unit
from lab.reading.names import Names
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, is_han, jieba_dictionary, language_of
from lab.text.borders import run_on, sentences
from lab.words import N_, Said

_WORDS = Analyzer(mode="precise", pairs=False, bigrams=False, numbers=False, characters=False, stem="none")
"""Words as a reader would split them: none is a part of another (the search mode has 算机 in 计算机)."""
_GRAMMAR = tuple("cdefhkmopqruyz")
"""First letters of jieba's tags for words that name nothing: numerals, measures, pronouns, adverbs, particles."""
_LIGHT_VERBS = """具有 具备 拥有 能够 可以 可能 必须 应当 应该 需要 不可 不能 不得 不会 允许 进行
通过 使用 利用 采用 提供 包括 包含 属于 成为 作为 是指 称为 存在 得到 获得 实现
支持 造成 导致 产生 形成 根据 按照 用于 有关 以及 常见"""
_LIGHT = frozenset(_LIGHT_VERBS.split())
"""Chinese verbs that take their meaning from their object: they name nothing by themselves."""


@dataclass(frozen=True)
class Failure:
    """A document, or a part of one, for which the model has written nothing that can be used, and why.

    ``answer`` is the `beginning` of the model's answer; empty if none arrived.
    """

    document: Document
    problem: ModelError
    answer: str = ""


@dataclass(frozen=True)
class Written(Prompted, Derivation):
    """Texts about every document, which are searched instead of it.

    ``template`` is the visitor's prompt, which replaces the technique's own; ``{text}`` stands for the document,
    ``{n}`` for the number of texts.  The texts of a model are kept with the corpus: after a failure or a stop the next
    run only asks for the missing ones.  Raises `ModelError` if an answer is missing.
    """

    shape: ClassVar[Shape | None] = None
    """The JSON object expected from a model; None if it is a passage."""

    template: str = TEMPLATE(help=Said("{text} and {n} are filled in. Empty: the lab's prompt."), needs=("text",))

    def request(self, document: Document) -> str:
        prompt = self.prompt(language_of(document.content))
        return fill(prompt, text=document.content, n=str(self.wanted))

    @abstractmethod
    def parse(self, answer: str) -> tuple[str, ...]:
        """Reads the texts of an answer.  Raises `Unreadable`."""

    @abstractmethod
    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        """Yields the texts of every document in order, made without a model."""

    def derive(self, corpus: Corpus, env: Env) -> list[tuple[Document, str]]:
        texts = self._from_model(corpus, env) if self.model else self.rule(corpus, env.progress)
        names, entries = Names(d.id for d in corpus), list[tuple[Document, str]]()
        for d, written in zip(corpus, texts, strict=True):
            for n, text in enumerate(self.entries(d, written), 1):
                metadata = {**d.metadata, "parent": d.id, "chunk": n}
                entries.append((replace(d, id=names.fresh(f"{d.id}#{n}"), text=text, metadata=metadata), d.id))
        return entries

    def entries(self, document: Document, texts: Sequence[str]) -> list[str]:
        """Returns the texts that are searched instead of the document."""
        return [text for text in texts if text.strip()]

    def units(self, corpus: Corpus) -> Sequence[Document]:
        """Returns what a model is asked about, one request for each: the documents, or parts of them."""
        return corpus.documents

    def prompt_about(self, unit: Document, corpus: Corpus) -> str:
        return self.request(unit)

    def missing(self, corpus: Corpus, model: LanguageModel) -> list[Document]:
        """Returns the units without a text of this model so far."""
        return [d for d in self.units(corpus) if d.content.strip() and not corpus.holds(self._place(model, d))]

    def estimate(self, corpus: Corpus, model: LanguageModel) -> Estimate:
        """Estimates the requests of a run with this model, for the units without a text so far."""
        return estimate(model, [self.prompt_about(d, corpus) for d in self.missing(corpus, model)])

    def failures(self, corpus: Corpus, model: LanguageModel) -> list[Failure]:
        """Returns the units that stay without a text because of their answer; most techniques stop instead."""
        return []

    def discard_failures(self, corpus: Corpus, model: LanguageModel) -> None:
        """Forgets the `failures`, so that the next run asks about these units again."""

    def _place(self, model: LanguageModel, document: Document) -> tuple[object, ...]:
        """Returns the key under which the texts of a document are kept."""
        return "written", self, model, document.id

    def _skips(self, readings: Sequence[Reading[tuple[str, ...]]]) -> bool:
        """Whether the units of a batch whose answers cannot be used stay without a text; else the run ends."""
        return False

    def _from_model(self, corpus: Corpus, env: Env) -> Iterator[tuple[str, ...]]:
        """Yields the texts of every unit in order, written by the model."""
        model: LanguageModel = self.asked(env)
        missing, count_all = self.missing(corpus, model), len(self.units(corpus))
        requests = [Request(self.prompt_about(d, corpus), self.parse) for d in missing]

        def keep(batch: Sequence[tuple[int, Reading[tuple[str, ...]]]]) -> None:
            for i, reading in batch:
                if reading.problem is None:
                    texts: Callable[[], object] = reading.get
                else:
                    texts = partial(Failure, missing[i], reading.problem, _begin(reading))
                corpus.once(self._place(model, missing[i]), texts)

        shape, progress, before = self.shape, env.progress, count_all - len(missing)
        problems = consult_in_batches(
            model, requests, keep, skips=self._skips, shape=shape, progress=progress, done=before
        )
        if problems:
            left = len(self.missing(corpus, model))
            message = N_("{error} Documents without a text so far: {left} of {all}.")
            remedy = Said("Finished texts are kept. Start again to write the rest.")
            raise ModelError(Said(message, error=problems[0].message, all=count_all, left=left), remedy)
        for d in self.units(corpus):
            text = corpus.once(self._place(model, d), tuple) if d.content.strip() else ()
            yield () if isinstance(text, Failure) else text


@dataclass(frozen=True)
class Summaries(Written):
    """Writes a short text per document; the rule takes the ``n`` sentences nearest its vector, in text order."""

    label = Said("Summaries")
    about = Said("Searches a short text about each document.")

    n: int = knob(
        2, Said("Sentences"), Said("Length of a summary in characters, for the rule and in the prompt."), low=1, high=10
    )
    embedder: Embedder = EMBEDDER()

    def parse(self, answer: str) -> tuple[str, ...]:
        return (passage(answer),)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        for picked in nearest(self.embedder, corpus, self.n, progress):
            yield (run_on(text for _, text in sorted(picked)),)


@dataclass(frozen=True)
class Questions(Written):
    """Indexes questions that a document answers; the rule takes its sentences, or fills a question template.

    The template asks about each of the document's keywords: a weak rule, kept for comparison.
    """

    label = Said("Hypothetical questions")
    about = Said("Searches the questions that each document answers.")
    shape = Shape.of("questions", questions=TEXTS)

    n: int = knob(3, Said("Questions"), Said("Maximum per document."), low=1, high=10)
    rule_of: str = knob(
        "sentences",
        Said("Written from"),
        Said("Without a model: the sentences nearest the document's vector, or “What is …?” with its keywords."),
        choices={"sentences": Said("its own sentences"), "templates": Said("question templates (weak)")},
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
            template = "{}是什么？" if language_of(d.content) == "zh" else "What is {}?"
            yield tuple(template.format(word) for word in words)


@dataclass(frozen=True)
class Keywords(Written):
    """Adds keywords to the text of every document; the rule takes those with the highest TF-IDF.

    ``times`` is how often each is repeated, which multiplies its term frequency.
    """

    label = Said("Keywords added")
    about = Said("Searches each document with keywords added to its text.")
    shape = Shape.of("keywords", keywords=TEXTS)

    n: int = knob(5, Said("Keywords"), Said("Maximum per document."), low=1, high=20)
    times: int = knob(1, Said("Repetitions"), Said("Repetitions of each keyword: its weight."), low=1, high=5)

    def parse(self, answer: str) -> tuple[str, ...]:
        return items(answer, self.n)

    def rule(self, corpus: Corpus, progress: Progress | None) -> Iterator[tuple[str, ...]]:
        yield from map(tuple, keywords(corpus, self.n, progress))

    def entries(self, document: Document, texts: Sequence[str]) -> list[str]:
        words = [word for word in texts for _ in range(self.times)]
        return ["\n".join(filter(None, (document.text, " ".join(words))))]


def _begin(reading: Reading[tuple[str, ...]]) -> str:
    return beginning(reading.answer.text) if reading.answer else ""


def nearest(embedder: Embedder, corpus: Corpus, n: int, progress: Progress | None) -> Iterator[list[tuple[int, str]]]:
    """Yields each document's ``n`` sentences nearest to its vector, nearest first: position and text."""
    encoder, rows = encoder_of(embedder, corpus), vectors_of(embedder, corpus, progress=progress)

    def beat(*_: int) -> None:  # a slow model may be stopped between two sentences
        if progress:
            progress(done, len(corpus))

    for done, d in enumerate(corpus):
        texts = [d.text[a:b] for a, b in sentences(d.text)]
        if len(texts) > n:
            near = unit(encoder.documents(texts, progress=beat)) @ np.asarray(rows[done])
            order = sorted(range(len(texts)), key=lambda j: (-float(near[j]), j))[:n]
        else:
            order = [*range(len(texts))]
        yield [(j, texts[j]) for j in order]


def keywords(corpus: Corpus, n: int, progress: Progress | None) -> Iterator[list[str]]:
    """Yields each document's ``n`` words of the highest tf-idf that name something, best first; idf is ln(N / df)."""
    matrix = TermMatrix.for_corpus(corpus, _WORDS)
    idf = np.log(max(1, len(corpus)) / matrix.df)
    for i, d in enumerate(corpus):
        if progress:
            progress(i, len(corpus))
        counts = Counter(_whole_words(d.content))
        weight = {word: count * float(idf[matrix.vocabulary[word]]) for word, count in counts.items()}
        candidates = [word for word in weight if weight[word] > 0 and _names_something(word)]
        yield sorted(candidates, key=lambda w: (-weight[w], w))[:n]


def _whole_words(text: str) -> Iterator[str]:
    """Yields the words of a text without the parts that they are joined of: wh-1000xm5, but not 1000xm5."""
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
    return word not in _LIGHT and not jieba_dictionary().tag(word)[-1][1].startswith(_GRAMMAR)
