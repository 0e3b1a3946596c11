"""Filtering and compression by a language model: verdicts with reasons, extracts that are checked word for word.

A model that is missing, fails or answers in no readable way never costs a document: it stays as it is, and the
verdict says why.  The text of a document goes into the prompt as something to be judged; whatever it tells the
model to do, a verdict is only yes or no, and an extract is only what stands in the document.

Source: LangChain's ``LLMChainFilter`` and ``LLMChainExtractor``, here with structured answers and a check.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lab.core import Document, Drop, Env, Outcome, Ranking, Stage, knob
from lab.errors import ModelError
from lab.models.answers import json_object
from lab.models.chat import Completion, LanguageModel, ask_many
from lab.models.prompting import Unreadable, fill, prompts
from lab.refine.compress import Extract, Span
from lab.refine.filters import Filter
from lab.text import language_of
from lab.words import Said

NO_MODEL = Said("No language model was given: the document stays.")


@dataclass(frozen=True)
class Judging:
    """What the judge and the extractor share: a model, a prompt that can be changed, how many are asked at once.

    ``model`` is the name of a setting; the model itself is given to the run.  In ``template`` stand ``{question}``
    and ``{document}``; where it is empty, the prompt of the lab is used.
    """

    asks_model = True

    model: str = "chat"
    template: str = ""
    workers: int = knob(4, low=1, high=32)

    def prompt(self, language: str) -> str:
        """The prompt with its placeholders."""
        key: str = self.key  # type: ignore[attr-defined]  # of the operator that this is mixed into
        return self.template or prompts()[key][language]

    def _answers(self, ranking: Ranking, env: Env) -> Sequence[Completion | ModelError] | None:
        """One answer per hit; None where the run has no model of this name."""
        model: LanguageModel | None = env.models.get(self.model)
        if model is None:
            return None
        template, query = self.prompt(language_of(ranking.query.text)), ranking.query.text
        asked = [fill(template, question=query, document=h.document.content) for h in ranking.hits]
        return ask_many(model, asked, json=True, workers=self.workers, progress=env.progress)


# ------------------------------------------------------------------------------------------------ judge


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
class LanguageModelJudge(Judging, Filter):
    """Removes what a language model finds of no help for the query, with the reason that it gives.

    Kept: what it finds helpful, and every document that it failed on.  `verdicts` has all of them, and says so.
    """

    cost = 3

    @property
    def label(self) -> str:
        return "Language model judge"

    def verdicts(self, ranking: Ranking, env: Env) -> tuple[Verdict, ...]:
        """One verdict per hit, in order."""
        answers = self._answers(ranking, env)
        if answers is None:
            return tuple(Verdict(h.document, True, NO_MODEL) for h in ranking.hits)
        return tuple(_verdict(h.document, a) for h, a in zip(ranking.hits, answers, strict=True))

    def reasons(self, ranking: Ranking, env: Env) -> Sequence[Said | None]:
        return [_reason(v) for v in self.verdicts(ranking, env)]

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        told = self.verdicts(ranking, env)
        pairs = list(zip(ranking.hits, map(_reason, told), strict=True))
        drops = [Drop(hit.document, reason, self.label) for hit, reason in pairs if reason is not None]
        return Outcome([hit for hit, reason in pairs if reason is None], drops, told)


def _reason(verdict: Verdict) -> Said | None:
    return None if verdict.keep else Said("The model finds it of no help: {reason}", reason=verdict.reason)


def _verdict(document: Document, answer: Completion | ModelError) -> Verdict:
    if isinstance(answer, ModelError):
        return Verdict(
            document, True, Said("The model failed: the document stays. {error}", error=answer.message), problem=answer
        )
    try:
        found = json_object(answer.text)
        keep = found.get("relevant")
        if not isinstance(keep, bool):
            raise Unreadable(answer.text, Said('a JSON object with "relevant" (true or false) and "reason"'))
    except Unreadable as error:
        return Verdict(document, True, Said("The answer could not be read: the document stays."), answer, error)
    given = found.get("reason")
    reason = " ".join(given.split())[:300] if isinstance(given, str) else ""
    return Verdict(document, keep, reason or Said("no reason given"), answer)


# -------------------------------------------------------------------------------------------- extractor


@dataclass(frozen=True, slots=True)
class ModelExtract(Extract):
    """One document before and after.  The similarity of a span is 1 where the model kept it, else 0.

    ``rejected`` are extracts that do not stand in the document; ``problem`` is why the document stays as it is.
    """

    rejected: tuple[str, ...] = ()
    problem: str = ""
    answer: Completion | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ModelExtractor(Judging, Stage):
    """Keeps of every document what a language model copies from it, if it stands there word for word.

    Blanks and line breaks may differ.  A document from which the model copies nothing is dropped; where it fails,
    or where nothing of what it gives is in the document, the document stays whole.
    """

    makes_documents = True

    @property
    def label(self) -> str:
        return "Model extractor"

    def extracts(self, ranking: Ranking, env: Env) -> tuple[ModelExtract, ...]:
        """What the extractor does with every hit, in order."""
        answers = self._answers(ranking, env)
        if answers is None:
            return tuple(_whole(h.document, NO_MODEL) for h in ranking.hits)
        return tuple(_extract(h.document, a) for h, a in zip(ranking.hits, answers, strict=True))

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        hits, drops, told = [], [], self.extracts(ranking, env)
        for hit, extract in zip(ranking.hits, told, strict=True):
            if extract.problem or any(s.kept for s in extract.spans):
                hits.append(replace(hit, document=extract.document))
            else:
                drops.append(
                    Drop(hit.document, Said("The model found no sentence that bears on the query."), self.label)
                )
        return Outcome(hits, drops, told)


def _whole(
    document: Document, problem: str, *, rejected: tuple[str, ...] = (), answer: Completion | None = None
) -> ModelExtract:
    return ModelExtract(document, document, (Span(0, len(document.text), 1.0, True),), rejected, problem, answer)


def _extract(document: Document, answer: Completion | ModelError) -> ModelExtract:
    if isinstance(answer, ModelError):
        return _whole(document, Said("The model failed: the document stays. {error}", error=answer.message))
    try:
        given = json_object(answer.text).get("extracts")
        if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
            raise Unreadable(answer.text, Said("a list of sentences under “extracts”"))
    except Unreadable:
        return _whole(document, Said("The answer could not be read: the document stays."), answer=answer)
    wanted = [text for text in given if text.strip()]
    found = [place(document.text, text) for text in wanted]
    rejected = tuple(text for text, at in zip(wanted, found, strict=True) if at is None)
    kept = joined([at for at in found if at is not None])
    if rejected and not kept:
        return _whole(
            document,
            Said("Nothing of what the model gave stands in the document: the document stays."),
            rejected=rejected,
            answer=answer,
        )
    spans, end = [], 0
    for a, b in kept:
        spans += [Span(end, a, 0.0, False)] if a > end else []
        spans.append(Span(a, b, 1.0, True))
        end = b
    spans += [Span(end, len(document.text), 0.0, False)] if end < len(document.text) else []
    text = "\n".join(document.text[a:b] for a, b in kept)
    return ModelExtract(document, replace(document, text=text), tuple(spans), rejected, "", answer)


def place(text: str, extract: str) -> tuple[int, int] | None:
    """Where this extract stands in the text, word for word but for the number of blanks; None where it does not."""
    pattern = r"\s+".join(re.escape(word) for word in extract.split())
    m = re.search(pattern, text) if pattern else None
    return m.span() if m else None


def joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch made one."""
    out: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out
