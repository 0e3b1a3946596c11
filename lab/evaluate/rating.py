"""Raters that are not people: a language model with a rubric, and a rule; their grades against those of people.

Their grades are judgments like any others, under a name that begins with `AUTOMATIC`, so that they are never taken for
people's.  Whether they can be trusted is measured: kappa with people, grade by grade, and whether both rank the same
searches alike.

Sources: S. Upadhyay, R. Pradeep, N. Thakur, N. Craswell, J. Lin, *UMBRELA: UMbrela is the (Open-Source Reproduction of
the) Bing RELevance Assessor*, 2024, arXiv:2406.06519; P. Thomas et al., *Large language models can accurately predict
searcher preferences*, 2024, arXiv:2309.10621; M. G. Kendall, *A New Measure of Rank Correlation*, 1938 (tau).
"""

from __future__ import annotations

import random
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from lab.algebra import Corpus, Document, Env, Operator, at_most, fraction, knob
from lab.corpus.beir import Collection
from lab.errors import ModelError
from lab.evaluate.judging import AUTOMATIC, HIGHEST, Agreement, Judgments
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.models.answers import read_grade
from lab.models.chat import LanguageModel, Shape
from lab.models.consult import Reading, Request, consult_in_batches
from lab.models.costs import Estimate, estimate
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.numeric import kendall
from lab.reading.ratings import same
from lab.refine.coverage import Words
from lab.text import PAIRS, Analyzer, language_of
from lab.words import N_, Said


class Pair(NamedTuple):
    """A question and a passage to grade for it."""

    question: str
    document: Document


RULE = f"{AUTOMATIC}rule:"
"""How the name of a rater begins that is a rule."""
Keep = Callable[[Sequence[tuple[Pair, int]]], object]
"""Receives new grades while others are still missing, so that a stop loses little."""
Grades = Mapping[tuple[str, str], int]
"""Grades by question (as `lab.evaluate.judging.same` writes it) and passage id."""


@dataclass(frozen=True)
class Rater(Operator, ABC):
    """Grades passages from 0 to `HIGHEST` by a rule or a model."""

    @abstractmethod
    def name(self, env: Env) -> str:
        """Returns the name under which its grades are kept; it begins with `AUTOMATIC`."""

    @abstractmethod
    def rate(self, pairs: Sequence[Pair], corpus: Corpus, env: Env, keep: Keep) -> None:
        """Grades these pairs, and calls ``keep`` after every few.  ``env.progress`` may raise to stop."""


@dataclass(frozen=True)
class CoverageRater(Rater):
    """Grades by the share of the question's IDF weight that a passage contains: a bad rater, for comparison.

    Below ``helps`` the grade is 0, below ``answers`` it is 1, else 2: words alone never make a full answer.
    """

    label = Said("Word coverage (rule)")
    about = Said("Grades by the share of the question's words in the passage: a weak rater, for comparison.")

    helps: float = fraction(
        0.35, Said("Helps from"), Said("Share of the question's IDF weight from which a passage has grade 1.")
    )
    answers: float = fraction(
        0.6, Said("Answers from"), Said("Share of the question's IDF weight from which a passage has grade 2.")
    )
    analyzer: Analyzer = PAIRS(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        at_most("helps", self.helps, self.answers)

    def name(self, env: Env) -> str:
        changed = "" if self == CoverageRater() else f"{self.helps:g} {self.answers:g}"
        return f"{RULE}{changed}"

    def rate(self, pairs: Sequence[Pair], corpus: Corpus, env: Env, keep: Keep) -> None:
        done = 0
        for question, batch in _by_question(pairs):
            words = Words(self.analyzer, question, corpus, env.progress)
            shares = (words.held([pair.document for pair in batch]) * words.weights).sum(axis=1).tolist()
            keep([(pair, self.grade(share)) for pair, share in zip(batch, shares, strict=True)])
            done += len(batch)
            if env.progress:
                env.progress(done, len(pairs))

    def grade(self, share: float) -> int:
        """Returns the grade for a share of the question's weight."""
        return 0 if share < self.helps else 1 if share < self.answers else 2


@dataclass(frozen=True)
class ModelRater(Prompted, Rater):
    """Asks a language model for a grade by a rubric with four grades, which the visitor may change.

    A changed rubric is another rater, since its grades mean something else.  Whatever a passage tells the model to do,
    its answer is only a number from 0 to 3.
    """

    label = Said("Model rater")
    about = Said("Asks a language model for a grade from 0 to 3 by a rubric.")
    shape = Shape.of("rating", grade={"type": "integer", "enum": list(range(HIGHEST + 1))})

    template: str = TEMPLATE(
        label=Said("Rubric"),
        help=Said("{question} and {document} are filled in. Empty: the lab's rubric."),
        needs=("question", "document"),
    )
    model: str = knob(
        "chat", Said("Model"), Said("The name of a language model of the run."), kind="model", kw_only=True
    )

    def name(self, env: Env) -> str:
        changed = f" #{zlib.crc32(self.template.encode()):08x}" if self.template else ""
        return f"{AUTOMATIC}{self.asked(env).label}{changed}"

    def request(self, pair: Pair) -> str:
        prompt = self.prompt(language_of(pair.question))
        return fill(prompt, question=pair.question, document=pair.document.content)

    def estimate(self, pairs: Sequence[Pair], model: LanguageModel) -> Estimate:
        return estimate(model, [*map(self.request, pairs)])

    def rate(self, pairs: Sequence[Pair], corpus: Corpus, env: Env, keep: Keep) -> None:
        """See `Rater.rate`.  Raises `ModelError` if an answer is missing or cannot be read; the others are kept."""
        kept = 0

        def keep_batch(batch: Sequence[tuple[int, Reading[int]]]) -> None:
            nonlocal kept
            kept += len(batch)
            keep([(pairs[i], reading.get()) for i, reading in batch])

        requests = [Request(self.request(pair), partial(read_grade, highest=HIGHEST)) for pair in pairs]
        problems = consult_in_batches(self.asked(env), requests, keep_batch, shape=self.shape, progress=env.progress)
        if problems:
            message = N_("{error} Pairs without a grade so far: {left} of {all}.")
            values = {"error": problems[0].message, "left": len(pairs) - kept, "all": len(pairs)}
            raise ModelError(Said(message, **values), Said("Finished grades are kept. Start again to grade the rest."))


def _by_question(pairs: Iterable[Pair]) -> Iterator[tuple[str, list[Pair]]]:
    batches: dict[str, list[Pair]] = {}
    for pair in pairs:
        batches.setdefault(pair.question, []).append(pair)
    yield from batches.items()


# ------------------------------------------------------------------------------------------------ which pairs


def ungraded(pairs: Iterable[Pair], judgments: Judgments, corpus: Corpus, name: str) -> list[Pair]:
    """Returns the pairs without a grade by the rater of this name, each once."""
    placed = judgments.on(corpus)
    distinct = {(same(pair.question), pair.document.id): pair for pair in pairs}
    return [pair for (question, doc), pair in distinct.items() if doc not in placed.of(question, name)]


def judged_pairs(collection: Collection, most: int) -> list[Pair]:
    """Returns up to ``most`` pairs that the collection's judgments contain: a random sample, the same every time.

    Questions are drawn, not pairs, so that the searches can be measured on them; the last one may be incomplete.
    """
    questions = [q for q in collection.queries if collection.qrels.get(q.id)]
    random.Random(0).shuffle(questions)
    documents = ((q.text, collection.corpus.get(doc)) for q in questions for doc in collection.qrels[q.id])
    return [Pair(text, document) for text, document in documents if document is not None][:most]


# ------------------------------------------------------------------------------------------------ against people


def grades_of(collection: Collection) -> Grades:
    """Returns the judgments of a collection by question and passage."""
    questions = {q.id: same(q.text) for q in collection.queries}
    every = ((questions.get(q), grades) for q, grades in collection.qrels.items())
    return {(question, doc): grade for question, grades in every if question for doc, grade in grades.items()}


def placed_grades(judgments: Judgments, corpus: Corpus, name: str) -> Grades:
    by_question = judgments.on(corpus).grades.get(name, {})
    return {(question, doc): grade for question, grades in by_question.items() for doc, grade in grades.items()}


def agreement_of(one: str, grades: Grades, other: str, others: Grades) -> Agreement:
    """Returns the agreement of two sets of grades on the pairs that both contain."""
    pairs = {key: (grade, others[key]) for key, grade in grades.items() if key in others}
    return Agreement(one, other, MappingProxyType(pairs))


def grades_by(rater: Rater, pairs: Sequence[Pair], corpus: Corpus, env: Env) -> Grades:
    """Returns the grades of a rater for these pairs, without keeping them."""
    grades: dict[tuple[str, str], int] = {}

    def keep(new: Sequence[tuple[Pair, int]]) -> None:
        grades.update({(same(pair.question), pair.document.id): grade for pair, grade in new})

    rater.rate(pairs, corpus, env, keep)
    return grades


@dataclass(frozen=True)
class Order:
    """The mean of a measure for each search, by people's grades and by another rater's, on the same pairs.

    ``tau`` is Kendall's tau-b between the two orders of the searches; None if one of them has only equal means.
    """

    measure: str
    people: Mapping[str, float]
    rater: Mapping[str, float]
    tau: float | None
    questions: int


def order_of(runs: Mapping[str, Run], agreement: Agreement, questions: Mapping[str, str], measure: str) -> Order:
    """Measures runs with the grades of both raters, on the pairs of an agreement; ``questions`` are ids by question."""
    by_rater: tuple[dict[str, dict[str, int]], ...] = ({}, {})
    for (question, doc), pair in agreement.pairs.items():
        for qrels, grade in zip(by_rater, pair, strict=True):
            qrels.setdefault(questions[question], {})[doc] = grade
    relevant = [q for q, grades in by_rater[0].items() if any(grade > 0 for grade in grades.values())]

    def means(qrels: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
        measured = {q: qrels[q] for q in relevant}
        if not any(grade > 0 for grades in measured.values() for grade in grades.values()):
            return dict.fromkeys(runs, 0.0)
        scores = {name: measure_run(run, measured, [measure]).per_query[measure] for name, run in runs.items()}
        # a question for which this rater finds nothing relevant counts 0, so that both means have the same questions
        return {name: sum(values.values()) / len(relevant) for name, values in scores.items()}

    people, rater = means(by_rater[0]), means(by_rater[1])
    return Order(measure, people, rater, kendall([*people.values()], [*rater.values()]), len(relevant))
