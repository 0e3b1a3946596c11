"""An answer with everything that it rests on, as one value: what a page draws and a program takes along.

An answer is sentences, whoever wrote them: the extractive ones have a place that they were copied from, a model's have
none.  What each rests on is said by a rule of citation, what of it stands in no source by the strip.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lab.algebra import ALONE, DEPTH, Corpus, Document, Env, Query, Runner, Searcher
from lab.answer.again import AskAgain, sent
from lab.answer.base import Place
from lab.answer.citations import BestSentence, CitationRule, Cited
from lab.answer.context import Context
from lab.answer.extract import Extracted, Extractive, Scored
from lab.answer.faithfulness import Cell, Faithfulness, Strip
from lab.answer.model import abstains, written
from lab.answer.splitting import kind, pieces
from lab.text import well_formed
from lab.words import Said

FAITHFULNESS = Faithfulness()
COPIED = Said("sentences of the passages")
"""Who wrote an answer that was copied."""
CONTEXT, EXTRACT, RULE, ONCE = Context(), Extractive(), BestSentence(), AskAgain(rounds=1)
"""What an answer is made with, unless somebody says otherwise."""


@dataclass(frozen=True)
class Answered:
    """An answer to a question from numbered passages.

    ``sentences``, ``cited`` and `cells` are as long as each other; so are ``copied``, the places that sentences were
    copied from, and ``scored``, the sums that chose them, but empty where a model wrote them.  Where it does not say,
    ``reason`` says why, and the sentences are the nearest ones, which answer nothing.
    """

    question: str
    by: str
    passages: tuple[Document, ...]
    sentences: tuple[str, ...]
    cited: tuple[Cited, ...]
    strip: Strip
    copied: tuple[Place, ...] = ()
    scored: tuple[Scored, ...] = ()
    best: int | None = None
    says: bool = True
    reason: str = ""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """How far each sentence is supported."""
        return self.strip.cells

    def sources(self, i: int) -> tuple[Place, ...]:
        """What the i-th sentence rests on: where it was copied from, then what the rule cites beside that."""
        own = self.copied[i : i + 1]
        cited = [s.place for s in self.cited[i].sources]
        return (*own, *(place for place in cited if place.passage not in {one.passage for one in own}))

    @property
    def used(self) -> tuple[int, ...]:
        """The places (from 0) of the passages that a sentence rests on, in the order of their first use."""
        return tuple(dict.fromkeys(place.passage for i in range(len(self.sentences)) for place in self.sources(i)))

    def to_markdown(self) -> str:
        """Sentences with footnotes, and below them the sentence of each source that they rest on."""
        if not self.says:
            return f"{self.reason}\n"
        lines, notes, at = list[str](), list[str](), dict[Place, int]()
        for i, sentence in enumerate(self.sentences):
            numbers = [at.setdefault(place, len(at) + 1) for place in self.sources(i)]
            gap_before = "\n" if numbers and kind(sentence) == "code" else ""  # behind the fence it would undo it
            lines.append(sentence + gap_before + "".join(f"[^{n}]" for n in numbers))
        for place, n in at.items():
            document, said = self.passages[place.passage], " ".join(place.read(self.passages).split())
            notes.append(f"[^{n}]: {_named(document)}: “{said}”")
        gap = "\n\n" if any("\n" in s for s in self.sentences) else " "
        return well_formed("\n\n".join([gap.join(lines), *notes]) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """The question, the answer sentence by sentence with its sources, and the passages as they were sent."""
        told = [
            {
                "text": sentence,
                "sources": [self._source(place, i) for place in self.sources(i)],
                "support": self.cells[i].support,
                "missing": [flag.text for flag in self.cells[i].flags],
            }
            for i, sentence in enumerate(self.sentences)
        ]
        passages = [{"number": i, "id": d.id, "title": d.title, "text": d.text} for i, d in enumerate(self.passages, 1)]
        return {
            "question": self.question,
            "by": str(self.by),
            "says": self.says,
            "reason": str(self.reason),
            "sentences": told,
            "passages": passages,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return well_formed(json.dumps(self.to_dict(), ensure_ascii=False, indent=1))

    def _source(self, place: Place, i: int) -> dict[str, Any]:
        near = next((s.similarity for s in self.cited[i].sources if s.place.passage == place.passage), None)
        return {
            "number": place.passage + 1,
            "id": self.passages[place.passage].id,
            "sentence": place.read(self.passages),
            "similarity": near,
            "copied": place in self.copied,
        }


def _named(document: Document) -> str:
    return document.id if not document.title or document.title == document.id else f"{document.title} ({document.id})"


def answer(
    runner: Runner,
    search: Searcher,
    question: Query | str,
    *,
    context: Context = CONTEXT,
    extract: Extractive = EXTRACT,
    rule: CitationRule = RULE,
    again: AskAgain = ONCE,
    k: int = DEPTH,
) -> Answered:
    """The extractive answer to a question from what a search finds (``k`` hits deep) on the runner's corpus."""
    rounds = again(runner, search, Query.of(question), context=context, extract=extract, k=k)
    return extractive(rounds[-1].answer, sent(rounds).passages, rule, runner.corpus, Env(runner.models))


def extractive(
    told: Extracted, numbered: Sequence[Document], rule: CitationRule, corpus: Corpus, env: Env = ALONE
) -> Answered:
    """An extractive answer over the passages as they are numbered, in whatever order it has read them."""
    chosen = told.sentences if told.says else told.nearest[:1]
    number = {document.id: i for i, document in enumerate(numbered)}
    placed = sorted((s.place._replace(passage=number[told.passages[s.place.passage].id]), s) for s in chosen)
    best = next((i for i, (_place, s) in enumerate(placed) if told.says and s.best), None)
    texts = [s.text for _place, s in placed]
    made = _with_sources(told.query.text, texts, numbered, rule, corpus, FAITHFULNESS, env)
    copied, scored = tuple(place for place, _s in placed), tuple(s for _place, s in placed)
    return replace(made, by=COPIED, copied=copied, scored=scored, best=best, says=told.says, reason=told.reason)


def of_model(
    text: str,
    question: str,
    numbered: Sequence[Document],
    rule: CitationRule,
    corpus: Corpus,
    *,
    by: str,
    rate: Faithfulness = FAITHFULNESS,
    env: Env = ALONE,
) -> Answered:
    """What a model wrote, or what came of it, in sentences; blocks of code, tables and lists stay whole."""
    said = written(text)
    sentences = [said[a:b] for a, b in pieces(said)]
    made = replace(_with_sources(question, sentences, numbered, rule, corpus, rate, env), by=by)
    if abstains(said):
        return replace(made, says=False, reason=said)
    return made


def _with_sources(
    question: str,
    sentences: Sequence[str],
    passages: Sequence[Document],
    rule: CitationRule,
    corpus: Corpus,
    rate: Faithfulness,
    env: Env,
) -> Answered:
    cited = rule.cite(sentences, passages, corpus, env)
    return Answered(question, "", tuple(passages), tuple(sentences), cited, rate.rate(cited, passages, env))
