"""Filtering and compression by a language model: verdicts with reasons, extracts that are checked word for word.

A model that is missing, fails or answers in no readable way never costs a document: it stays as it is, and the
verdict says why.  The text of a document goes into the prompt as something to be judged; whatever it tells the
model to do, a verdict is only yes or no, and an extract is only text from the document.

Prompts of other tools may be used: their answers are read as well (`lab.models.answers`).

Source: LangChain's ``LLMChainFilter`` and ``LLMChainExtractor``, here with structured answers and a check.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar

from lab.algebra import Document, Drop, Env, Outcome, Ranking, Stage, knob
from lab.errors import ModelError
from lab.models.answers import Unreadable, read_extracts, read_verdict
from lab.models.chat import TEXT, TEXTS, Completion, Shape, model_named
from lab.models.consult import Reading, Request, consult
from lab.models.lines import clean
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.refine.compress import Extract, Span
from lab.text import joined, language_of
from lab.text.borders import sentences
from lab.words import N_, Said

NO_READING = Reading[Any](None)
NO_MODEL = Said("No language model was given: the document stays.")


@dataclass(frozen=True)
class Judging(Prompted, Stage):
    """The common base of judge and extractor: a model, an editable prompt, the number of parallel requests.

    ``model`` is the name of a setting; the model itself is given to the run.  In ``template`` stand ``{question}``
    and ``{document}``; where it is empty, the prompt of the lab is used.
    """

    inputs = ("question", "texts")

    shape: ClassVar[Shape]
    """The JSON object that the model is asked for."""

    template: str = TEMPLATE(
        help=Said("{question} and {document} are filled in. Empty: the lab's prompt."), needs=("question", "document")
    )
    model: str = knob("chat", Said("Model"), Said("The name of a language model of the run."), kind="model")
    workers: int = knob(
        4, Said("Parallel requests"), Said("Passages sent to the model at the same time."), low=1, high=32
    )

    @abstractmethod
    def _read(self, document: Document, answer: str) -> Any:
        """Parses the model's answer about a document.  Raises `Unreadable`."""

    @abstractmethod
    def _stays(self, document: Document, why: Said, reading: Reading[Any] = NO_READING) -> Any:
        """Returns the evidence for a document that is kept unchanged, because no usable answer came."""

    def _consult_all(self, ranking: Ranking, env: Env) -> list[Any]:
        """Asks the model about every hit and returns its verdicts or extracts in order."""
        model = model_named(env.models, self.model)
        if model is None:
            return [self._stays(hit.document, NO_MODEL) for hit in ranking.hits]
        template, query = self.prompt(language_of(ranking.query.text)), ranking.query.text
        requests = [
            Request(fill(template, question=query, document=hit.document.content), partial(self._read, hit.document))
            for hit in ranking.hits
        ]
        readings = consult(model, requests, shape=self.shape, workers=self.workers, progress=env.progress)
        return [self._found(hit.document, reading) for hit, reading in zip(ranking.hits, readings, strict=True)]

    def _found(self, document: Document, reading: Reading[Any]) -> Any:
        if reading.problem is None:
            return replace(reading.get(), answer=reading.answer)
        why = Said("The answer could not be read: the document is kept.")
        if not isinstance(reading.problem, Unreadable):
            why = Said("The model failed: the document is kept. {error}", error=reading.problem.message)
        return self._stays(document, why, reading)


@dataclass(frozen=True)
class Verdict:
    """The model's verdict on one document: ``keep``, the reason in its words, and its answer.

    ``problem`` is why there is no verdict; such a document is kept.
    """

    document: Document
    keep: bool
    reason: str
    answer: Completion | None = None
    problem: ModelError | None = None


@dataclass(frozen=True)
class LanguageModelJudge(Judging):
    """Removes documents that a language model considers not relevant, with the reason that it gives.

    Kept: what it finds helpful, and every document that it failed on.  The evidence is a `Verdict` per hit.
    """

    role = "filter"
    label = Said("Language model judge")
    about = Said("Asks a language model whether each passage is relevant to the question.")
    cost = 3
    shape = Shape.of("verdict", relevant={"type": "boolean"}, reason=TEXT)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        verdicts: list[Verdict] = self._consult_all(ranking, env)
        message = N_("The model considers it not relevant: {reason}")
        kept_hits = [hit for hit, verdict in zip(ranking.hits, verdicts, strict=True) if verdict.keep]
        drops = [Drop(v.document, Said(message, reason=v.reason), self.label) for v in verdicts if not v.keep]
        return Outcome(kept_hits, drops, tuple(verdicts))

    def _read(self, document: Document, answer: str) -> Verdict:
        keep, reason = read_verdict(answer)
        return Verdict(document, keep, reason[:300] or Said("no reason given"))

    def _stays(self, document: Document, why: Said, reading: Reading[Any] = NO_READING) -> Verdict:
        return Verdict(document, True, why, reading.answer, reading.problem)


@dataclass(frozen=True, slots=True)
class ModelExtract(Extract):
    """One document before and after.  The similarity of a span is 1 where the model kept it, else 0.

    ``rejected`` are extracts that the document does not contain; ``problem`` is why the document stays as it is.
    """

    rejected: tuple[str, ...] = ()
    problem: str = ""
    answer: Completion | None = field(default=None, compare=False)


MOST_EXTRACTS = 200
"""Extracts of one answer that are looked at: no passage has more sentences, and each is looked for in all of it."""


@dataclass(frozen=True)
class ModelExtractor(Judging):
    """Keeps the sentences that a language model copies from a document, if the document contains them verbatim.

    Whitespace may differ.  A document from which the model copies nothing is dropped; if the model fails, or if none
    of its sentences is in the document, the document stays whole.  The evidence is a `ModelExtract` per hit.
    """

    role = "compress"
    label = Said("Model extractor")
    about = Said("A language model picks the sentences that answer.")
    makes_documents = True
    shape = Shape.of("extracts", extracts=TEXTS)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        extracts: list[ModelExtract] = self._consult_all(ranking, env)
        hits, drops, nothing = [], [], Said("The model found no relevant sentence.")
        for hit, extract in zip(ranking.hits, extracts, strict=True):
            if extract.problem or any(s.kept for s in extract.spans):
                hits.append(replace(hit, document=extract.document))
            else:
                drops.append(Drop(hit.document, nothing, self.label))
        return Outcome(hits, drops, tuple(extracts))

    def _read(self, document: Document, answer: str) -> ModelExtract:
        looked_at, listed = read_extracts(answer, MOST_EXTRACTS)
        if not listed:
            looked_at = list(chain.from_iterable(_sentences_in(document.text, line) for line in looked_at))
        places = {text: place(document.text, text) for text in looked_at}
        rejected = tuple(text for text in looked_at if places[text] is None)
        kept_spans = joined(at for at in places.values() if at is not None)
        if not listed and sum(map(len, rejected)) * 2 > sum(map(len, looked_at)):
            raise Unreadable(answer, Said("sentences of the document, word for word"))
        if rejected and not kept_spans:
            none = Said("No sentence the model returned is in the document, so the document is kept whole.")
            return replace(self._stays(document, none), rejected=rejected)
        # removed and kept text alternate, so every odd span is kept
        edges = [0, *chain.from_iterable(kept_spans), len(document.text)]
        spans = [Span(a, b, float(i % 2), i % 2 == 1) for i, (a, b) in enumerate(pairwise(edges)) if a < b]
        shorter = replace(document, text="\n".join(document.text[a:b] for a, b in kept_spans))
        return ModelExtract(document, shorter, tuple(spans), rejected)

    def _stays(self, document: Document, why: Said, reading: Reading[Any] = NO_READING) -> ModelExtract:
        return ModelExtract(document, document, (Span(0, len(document.text), 1.0, True),), (), why, reading.answer)


def _sentences_in(text: str, line: str) -> list[str]:
    """Returns the extracts in a line of an answer: the line, the line without markup, or else each sentence."""
    for whole in (line.strip(), clean(line)):
        if place(text, whole):
            return [whole]
    return [line[a:b] for a, b in sentences(line)]


def place(text: str, extract: str) -> tuple[int, int] | None:
    """Returns (start, end) of a verbatim extract in the text, or None if it is absent; whitespace may differ."""
    words_in_one_line = " ".join(extract.split())
    line, begins, words = _in_one_line(text)
    at = line.find(words_in_one_line) if words_in_one_line else -1
    if at < 0:
        return None
    first, last = bisect_right(begins, at) - 1, bisect_right(begins, at + len(words_in_one_line) - 1) - 1
    return words[first] + at - begins[first], words[last] + at + len(words_in_one_line) - begins[last]


@lru_cache(maxsize=4)
def _in_one_line(text: str) -> tuple[str, list[int], list[int]]:
    """Returns a text with single spaces, and the start of each word in it and in the original text."""
    words = [m.start() for m in _WORD.finditer(text)]
    pieces = text.split()
    begins = list(accumulate((len(piece) + 1 for piece in pieces[:-1]), initial=0)) if pieces else []
    return " ".join(pieces), begins, words


_WORD = re.compile(r"\S+")
