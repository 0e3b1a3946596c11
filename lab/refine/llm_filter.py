"""Filtering and compression by a language model: verdicts with reasons, extracts that are checked word for word.

A model that is missing, fails or answers in no readable way never costs a document: it stays as it is, and the
verdict says why.  The text of a document goes into the prompt as something to be judged; whatever it tells the
model to do, a verdict is only yes or no, and an extract is only what stands in the document.

Source: LangChain's ``LLMChainFilter`` and ``LLMChainExtractor``, here with structured answers and a check.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Any

from lab.algebra import Document, Drop, Env, Outcome, Ranking, Stage, knob
from lab.errors import ModelError
from lab.models.answers import json_object
from lab.models.chat import Completion, LanguageModel, ask_many
from lab.models.prompting import Unreadable, fill, prompts
from lab.refine.compress import Extract, Span
from lab.text import joined, language_of
from lab.words import N_, Said


@dataclass(frozen=True)
class Judging(Stage):
    """What the judge and the extractor share: a model, a prompt that can be changed, how many are asked at once.

    ``model`` is the name of a setting; the model itself is given to the run.  In ``template`` stand ``{question}``
    and ``{document}``; where it is empty, the prompt of the lab is used.
    """

    asks_model = True

    model: str = knob("chat", kind="model", label=Said("Model"), help=Said("Name of a language model of the run."))
    template: str = knob(
        "",
        kind="prompt",
        label=Said("Prompt"),
        help=Said("{question} and {document} are filled in. Empty: the lab's prompt."),
    )
    workers: int = knob(
        4, low=1, high=32, label=Said("Parallel requests"), help=Said("Passages sent to the model at the same time.")
    )

    def prompt(self, language: str) -> str:
        """The prompt with its placeholders."""
        return self.template or prompts()[self.key][language]

    @abstractmethod
    def _read(self, document: Document, answer: Completion, found: Mapping[str, Any]) -> Any:
        """What the model's answer, a JSON object, says of a document.  Raises `Unreadable`."""

    @abstractmethod
    def _stays(self, document: Document, why: Said, answer: Completion | None, error: ModelError | None) -> Any:
        """The same of a document that stays as it is, because there is no answer to go by."""

    def _told(self, ranking: Ranking, env: Env) -> list[Any]:
        """What the model finds of every hit, in order."""
        model: LanguageModel | None = env.models.get(self.model)
        if model is None:
            none = Said("No language model was given: the document is kept.")
            return [self._stays(h.document, none, None, None) for h in ranking.hits]
        template, query = self.prompt(language_of(ranking.query.text)), ranking.query.text
        asked = [fill(template, question=query, document=h.document.content) for h in ranking.hits]
        answers = ask_many(model, asked, json=True, workers=self.workers, progress=env.progress)
        return [self._one(hit.document, answer) for hit, answer in zip(ranking.hits, answers, strict=True)]

    def _one(self, document: Document, answer: Completion | ModelError) -> Any:
        if isinstance(answer, ModelError):
            failed = Said("The model failed: the document is kept. {error}", error=answer.message)
            return self._stays(document, failed, None, answer)
        try:
            return self._read(document, answer, json_object(answer.text))
        except Unreadable as error:
            return self._stays(document, Said("The answer could not be read: the document is kept."), answer, error)


@dataclass(frozen=True)
class Verdict:
    """What the model thinks of one document: ``keep``, the reason in its words, and its answer.

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

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        told: list[Verdict] = self._told(ranking, env)
        said = N_("The model considers it not relevant: {reason}")
        kept = [hit for hit, verdict in zip(ranking.hits, told, strict=True) if verdict.keep]
        drops = [Drop(v.document, Said(said, reason=v.reason), self.label) for v in told if not v.keep]
        return Outcome(kept, drops, tuple(told))

    def _read(self, document: Document, answer: Completion, found: Mapping[str, Any]) -> Verdict:
        keep, given = found.get("relevant"), found.get("reason")
        if not isinstance(keep, bool):
            raise Unreadable(answer.text, Said('a JSON object with "relevant" (true or false) and "reason"'))
        reason = " ".join(given.split())[:300] if isinstance(given, str) else ""
        return Verdict(document, keep, reason or Said("no reason given"), answer)

    def _stays(self, document: Document, why: Said, answer: Completion | None, error: ModelError | None) -> Verdict:
        return Verdict(document, True, why, answer, error)


@dataclass(frozen=True, slots=True)
class ModelExtract(Extract):
    """One document before and after.  The similarity of a span is 1 where the model kept it, else 0.

    ``rejected`` are extracts that do not stand in the document; ``problem`` is why the document stays as it is.
    """

    rejected: tuple[str, ...] = ()
    problem: str = ""
    answer: Completion | None = field(default=None, compare=False)


MOST_EXTRACTS = 200
"""Extracts of one answer that are looked at: no passage has more sentences, and each is looked for in all of it."""


@dataclass(frozen=True)
class ModelExtractor(Judging):
    """Keeps the sentences that a language model copies from a document, if the document contains them verbatim.

    Blanks and line breaks may differ.  A document from which the model copies nothing is dropped; where it fails,
    or where nothing of what it gives is in the document, the document stays whole.  The evidence is a `ModelExtract`
    per hit.
    """

    role = "compress"
    label = Said("Model extractor")
    about = Said("A language model picks the sentences that answer.")
    makes_documents = True

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        told: list[ModelExtract] = self._told(ranking, env)
        hits, drops, nothing = [], [], Said("The model found no relevant sentence.")
        for hit, extract in zip(ranking.hits, told, strict=True):
            if extract.problem or any(s.kept for s in extract.spans):
                hits.append(replace(hit, document=extract.document))
            else:
                drops.append(Drop(hit.document, nothing, self.label))
        return Outcome(hits, drops, tuple(told))

    def _read(self, document: Document, answer: Completion, found: Mapping[str, Any]) -> ModelExtract:
        given = found.get("extracts")
        if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
            raise Unreadable(answer.text, Said("a list of sentences named “extracts”"))
        looked_at = [text for text in given[:MOST_EXTRACTS] if text.strip()]
        places = {text: place(document.text, text) for text in looked_at}
        rejected = tuple(text for text in looked_at if places[text] is None)
        kept = joined(at for at in places.values() if at is not None)
        if rejected and not kept:
            none = Said("No sentence the model returned is in the document, so the document is kept whole.")
            return replace(self._stays(document, none, answer, None), rejected=rejected)
        edges = [0, *chain.from_iterable(kept), len(document.text)]  # what is left out and what is kept take turns
        spans = [Span(a, b, float(i % 2), i % 2 == 1) for i, (a, b) in enumerate(pairwise(edges)) if a < b]
        shorter = replace(document, text="\n".join(document.text[a:b] for a, b in kept))
        return ModelExtract(document, shorter, tuple(spans), rejected, "", answer)

    def _stays(
        self, document: Document, why: Said, answer: Completion | None, error: ModelError | None
    ) -> ModelExtract:
        return ModelExtract(document, document, (Span(0, len(document.text), 1.0, True),), (), why, answer)


def place(text: str, extract: str) -> tuple[int, int] | None:
    """Where this extract stands in the text, word for word but for the number of blanks; None where it does not."""
    wanted = " ".join(extract.split())
    line, begins, words = _in_one_line(text)
    at = line.find(wanted) if wanted else -1
    if at < 0:
        return None
    first, last = bisect_right(begins, at) - 1, bisect_right(begins, at + len(wanted) - 1) - 1
    return words[first] + at - begins[first], words[last] + at + len(wanted) - begins[last]


@lru_cache(maxsize=4)
def _in_one_line(text: str) -> tuple[str, list[int], list[int]]:
    """A text with one blank between words, where each of them begins there, and where it begins in the text."""
    words = [m.start() for m in _WORD.finditer(text)]
    pieces = text.split()
    begins = list(accumulate((len(piece) + 1 for piece in pieces[:-1]), initial=0)) if pieces else []
    return " ".join(pieces), begins, words


_WORD = re.compile(r"\S+")
