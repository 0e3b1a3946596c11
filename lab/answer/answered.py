"""An answer with its sources as one value, which a page draws and a program can save.

An answer is a list of sentences: extractive ones know the place that they were copied from.
A citation rule finds the sources of each sentence; the strip lists its details that no source contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lab.algebra import ALONE, DEPTH, Corpus, Document, Env, Query, Runner, Searcher
from lab.answer.again import AskAgain, sent
from lab.answer.base import Place
from lab.answer.citations import BestSentence, CitationRule, Cited
from lab.answer.context import Context, Sent
from lab.answer.extract import Extracted, Extractive, Scored
from lab.answer.faithfulness import Cell, Faithfulness, Strip
from lab.answer.model import abstains, written
from lab.answer.splitting import kind, pieces
from lab.corpus.beir import Collection
from lab.evaluate.runs import Run
from lab.evaluate.thresholds import ranking_of
from lab.text import well_formed
from lab.words import Said

FAITHFULNESS = Faithfulness()
COPIED = Said("sentences of the passages")
"""The author named for an extractive answer."""
CONTEXT, EXTRACT, RULE, ONCE = Context(), Extractive(), BestSentence(), AskAgain(rounds=1)
"""The defaults of `answer`."""


@dataclass(frozen=True)
class Answered:
    """An answer to a question from numbered passages.

    ``sentences``, ``cited`` and `cells` have the same length; so have ``copied``, the places that sentences were copied
    from, and ``scored``, the sums that chose them, but both are empty if a model wrote the answer.  If ``says`` is
    false, ``reason`` says why, and the sentences are the nearest ones, which do not answer.
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
        """Returns the sources of the i-th sentence: where it was copied from, then the rule's other citations."""
        copied = self.copied[i : i + 1]
        cited = [s.place for s in self.cited[i].sources]
        return (*copied, *(place for place in cited if place.passage not in {known.passage for known in copied}))

    @property
    def used(self) -> tuple[int, ...]:
        """The places (from 0) of the passages that a sentence rests on, in the order of their first use."""
        return tuple(dict.fromkeys(place.passage for i in range(len(self.sentences)) for place in self.sources(i)))

    def to_markdown(self) -> str:
        """Returns the sentences with footnotes, and below them the cited sentence of each source."""
        if not self.says:
            return f"{self.reason}\n"
        lines, notes, at = list[str](), list[str](), dict[Place, int]()
        for i, sentence in enumerate(self.sentences):
            numbers = [at.setdefault(place, len(at) + 1) for place in self.sources(i)]
            gap_before = "\n" if numbers and kind(sentence) == "code" else ""  # behind the fence it would undo it
            lines.append(sentence + gap_before + "".join(f"[^{n}]" for n in numbers))
        for place, n in at.items():
            document, quote = self.passages[place.passage], " ".join(place.read(self.passages).split())
            notes.append(f"[^{n}]: {_named(document)} · “{quote}”")
        gap = "\n\n" if any("\n" in s for s in self.sentences) else " "
        return well_formed("\n\n".join([gap.join(lines), *notes]) + "\n")

    def to_dict(self) -> dict[str, Any]:
        """Returns the question, each sentence of the answer with its sources, and the passages as they were sent."""
        sentences = [
            {
                "text": sentence,
                "sources": [self._source(place, i) for place in self.sources(i)],
                "support": self.cells[i].support,
                "missing": [flag.text for flag in self.cells[i].flags],
                "unread": [flag.text for flag in self.cells[i].unread],
            }
            for i, sentence in enumerate(self.sentences)
        ]
        passages = [{"number": i, "id": d.id, "title": d.title, "text": d.text} for i, d in enumerate(self.passages, 1)]
        return {
            "question": self.question,
            "by": self.by,
            "says": self.says,
            "reason": self.reason,
            "sentences": sentences,
            "passages": passages,
        }

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
    """Returns the extractive answer to a question from the first ``k`` results of a search on the runner's corpus."""
    rounds = again(runner, search, Query.of(question), context=context, extract=extract, k=k)
    return extractive(rounds[-1].answer, sent(rounds).passages, rule, runner.corpus, Env(runner.models))


def answered_shares(run: Run, collection: Collection, queries: Iterable[Query]) -> dict[str, float | None]:
    """Returns the shares of questions, without and with an answer, that the extractive rule answers from a run.

    ``queries`` are those with an answer; None is the share of no questions.
    """
    groups = {"without": [q for q in collection.unanswered if q.id in run.results], "with": [*queries]}
    return {
        kind: count_answered(run, collection.corpus, asked) / len(asked) if asked else None
        for kind, asked in groups.items()
    }


def count_answered(run: Run, corpus: Corpus, queries: Iterable[Query]) -> int:
    """Returns how many of these questions the extractive rule answers from the results of a run."""
    lists = (ranking_of(run, corpus, query) for query in queries)
    contexts = (CONTEXT(ranking, Env(explain=False)) for ranking in lists)
    return sum(EXTRACT.answer(c.query, c.evidence_as(Sent).by_rank, corpus).says for c in contexts)


def extractive(
    extracted: Extracted, numbered: Sequence[Document], rule: CitationRule, corpus: Corpus, env: Env = ALONE
) -> Answered:
    """Numbers the sources of an extractive answer by ``numbered``, whatever order it has read the passages in."""
    chosen = extracted.sentences if extracted.says else extracted.nearest[:1]
    number = {document.id: i for i, document in enumerate(numbered)}
    placed = sorted((s.place._replace(passage=number[extracted.passages[s.place.passage].id]), s) for s in chosen)
    best = next((i for i, (_place, s) in enumerate(placed) if extracted.says and s.best), None)
    texts = [s.text for _place, s in placed]
    answered = _with_sources(extracted.query.text, texts, numbered, rule, corpus, FAITHFULNESS, env)
    copied, scored = tuple(place for place, _s in placed), tuple(s for _place, s in placed)
    return replace(
        answered, by=COPIED, copied=copied, scored=scored, best=best, says=extracted.says, reason=extracted.reason
    )


def from_model(
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
    """Finds the sources of a model's text, even a truncated one; code, tables and lists stay whole."""
    prose = written(text)
    sentences = [prose[a:b] for a, b in pieces(prose)]
    answered = replace(_with_sources(question, sentences, numbered, rule, corpus, rate, env), by=by)
    if abstains(prose):
        return replace(answered, says=False, reason=prose)
    return answered


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
