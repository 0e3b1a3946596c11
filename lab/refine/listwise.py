"""Listwise reranking: a model reads a window of candidates at once and answers with their order.

The windows go from the end of the list to the front and overlap, so that a good passage climbs from window to window.
The published loop stops when a window would begin before the first candidate: with 25 candidates, a window of 20 and a
step of 10 the first five are never read.  Here the last window begins at the first candidate.

A model may prefer what it reads first.  With ``shuffles`` it gets each window in several orders, and their answers are
joined by Borda's count, so that a preference for a place cancels out.

Sources: W. Sun et al., *Is ChatGPT Good at Search? Investigating Large Language Models as Re-Ranking Agents* (RankGPT),
EMNLP 2023, arXiv:2304.09542; R. Tang et al., *Found in the Middle: Permutation Self-Consistency Improves Listwise
Ranking in Large Language Models*, NAACL 2024, arXiv:2310.07712 (its Kemeny ranking is replaced by Borda's count).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from lab.algebra import Document, Env, Hit, Outcome, Query, Ranking, Stage, knob
from lab.errors import ModelError
from lab.models.answers import ORDER, Order, read_order
from lab.models.chat import Completion, LanguageModel, OutOfReach, model_named
from lab.models.consult import Reading, Request, consult
from lab.models.costs import Estimate, estimate
from lab.models.memory import NotAsked
from lab.models.prompting import TEMPLATE, Prompted, fill, no_model
from lab.refine.coverage import Meanings
from lab.text import language_of
from lab.words import Said

EARLY = 0.3
"""How much the early bird adds to the similarity of the first passage of a window; the last one gets nothing."""
_NUMBER = re.compile(r"\[(\s*\d+\s*)\]|【(\s*\d+\s*)】")


@dataclass(frozen=True)
class Asked:
    """One question about a window: the documents in the order in which they were shown, and the answer.

    ``order`` counts from 1 in that order; None, with the ``problem``, if there was no answer to go by.
    """

    shown: tuple[Document, ...]
    order: Order | None
    answer: Completion | None = field(default=None, compare=False)
    problem: ModelError | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the documents in the order of the answer; empty without one."""
        return tuple(self.shown[i - 1].id for i in self.order.numbers) if self.order else ()


@dataclass(frozen=True)
class Window:
    """A window of a pass: where it begins (from 0), its documents before and after, and the questions about it."""

    sweep: int
    start: int
    before: tuple[Document, ...]
    after: tuple[Document, ...]
    asked: tuple[Asked, ...]

    @property
    def unread(self) -> tuple[ModelError, ...]:
        """Why answers could not be used."""
        return tuple(asked.problem for asked in self.asked if asked.problem is not None)

    @property
    def unchanged(self) -> bool:
        """Whether no answer could be used, so that the order stays."""
        return all(asked.order is None for asked in self.asked)

    @property
    def moves(self) -> tuple[tuple[Document, int, int], ...]:
        """Each document with its rank in the whole list before and after this window, in the order after it."""
        before = {d.id: i for i, d in enumerate(self.before, self.start + 1)}
        return tuple((d, before[d.id], i) for i, d in enumerate(self.after, self.start + 1))


@dataclass(frozen=True)
class Windows:
    """The windows in the order in which they were read; ``left`` were not, because of the ``problem``."""

    windows: tuple[Window, ...]
    left: int = 0
    problem: ModelError | None = None

    @property
    def answers(self) -> tuple[Completion, ...]:
        """Every answer of the model."""
        return tuple(a.answer for window in self.windows for a in window.asked if a.answer is not None)

    @property
    def early_share(self) -> float | None:
        """Of all pairs of passages in all orders, the share in which the one shown first was ranked higher.

        In random orders it is a half on average if places do not matter; None without a readable order.
        """
        first = total = 0
        for order in (a.order for window in self.windows for a in window.asked if a.order is not None):
            numbers = order.numbers
            first += sum(a < b for i, a in enumerate(numbers) for b in numbers[i + 1 :])
            total += len(numbers) * (len(numbers) - 1) // 2
        return first / total if total else None


@dataclass(frozen=True)
class Listwise(Prompted, Stage):
    """Orders windows of candidates as a whole, from the last window to the first; keeps every document.

    ``window`` candidates are read at once, ``step`` is how far the next window begins before; ``passes`` is how often
    the whole list is gone through.  Without ``shuffles`` a window is read once in its order; with some, so often in a
    random order.  ``model`` is the name of a model of the run.  If it is empty, a rule compares the passages by late
    interaction (`lab.refine.coverage.MaxSim`) with the built-in model: ``early`` prefers early places, as some language
    models do, for comparison.

    An answer that cannot be read leaves its window unchanged.  Texts go into the prompt without numbers in brackets,
    and whatever they tell the model to do, its answer only moves numbers.  The score is 1 / rank and no sum, so
    `Hit.why` is empty; the evidence is `Windows`.
    """

    inputs = ("question", "texts")
    role = "rerank"
    label = Said("Listwise")
    about = Said("A model reads a window of passages and orders them, from the last window to the first.")
    cost = 3

    window: int = knob(20, Said("Window"), Said("Number of passages ordered at once."), low=2, high=50)
    step: int = knob(
        10,
        Said("Step"),
        Said("Passages from one window to the next. A step beyond the window counts as the window."),
        low=1,
        high=50,
    )
    passes: int = knob(1, Said("Passes"), Said("Passes over the whole list."), low=1, high=5)
    shuffles: int = knob(
        0,
        Said("Shuffled orders"),
        Said("Random orders in which each window is read; their answers are joined. 0: once, in list order."),
        low=0,
        high=9,
    )
    rule: str = knob(
        "maxsim",
        Said("Without a model"),
        Said("How passages are compared without a language model. The biased one shows what shuffling is for."),
        choices={"maxsim": Said("soft term matching (MaxSim)"), "early": Said("MaxSim, preferring early positions")},
    )
    longest: int = knob(
        1500,
        Said("Maximum passage length"),
        Said("In characters; longer passages are truncated in the prompt."),
        low=50,
        high=20_000,
        rare=True,
    )
    template: str = TEMPLATE(
        help=Said("{question}, {passages} and {n} are filled in. Empty: the lab's prompt."),
        needs=("question", "passages"),
    )

    def starts(self, n: int) -> list[int]:
        """Returns where the windows of one pass over ``n`` candidates begin, in the order in which they are read."""
        return [*range(n - self.window, 0, -min(self.step, self.window)), 0] if n else []

    def requests(self, n: int) -> int:
        """Returns how often a model is asked about ``n`` candidates."""
        return len(self.starts(n)) * self.passes * max(1, self.shuffles) if n > 1 else 0

    def request(self, query: Query, documents: Sequence[Document]) -> str:
        """Returns the prompt for a window, with the passages in this order."""
        texts = (" ".join(_NUMBER.sub(r"(\1\2)", d.content).split())[: self.longest] for d in documents)
        passages = "\n\n".join(f"[{i}] {text}" for i, text in enumerate(texts, 1))
        prompt = self.prompt(language_of(query.text))
        return fill(prompt, question=query.text, passages=passages, n=str(len(documents)))

    def estimate(self, ranking: Ranking, model: LanguageModel) -> Estimate:
        """Estimates the requests for a list: the prompts of the first pass, as if no window had changed anything."""
        documents = [hit.document for hit in ranking.hits]
        starts = self.starts(len(documents)) if len(documents) > 1 else []
        prompts = [self.request(ranking.query, documents[start : start + self.window]) for start in starts]
        return estimate(model, prompts, self.passes * max(1, self.shuffles))

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        documents = [hit.document for hit in ranking.hits]
        read = self._reader(ranking, env)
        plan = [(sweep, start) for sweep in range(self.passes) for start in self.starts(len(documents))]
        windows, problem = list[Window](), None
        for number, (sweep, start) in enumerate(plan if len(documents) > 1 else []):
            before = tuple(documents[start : start + self.window])
            asked = read(self._shown(before, sweep, start))
            after = joined(before, asked)
            windows.append(Window(sweep, start, before, after, asked))
            documents[start : start + self.window] = after
            problem = next((a.problem for a in asked if isinstance(a.problem, NotAsked | OutOfReach)), None)
            if problem is not None:  # the next windows depend on this one, or would fail as well
                break
            if env.progress:
                env.progress(number + 1, len(plan))
        hits = [Hit(document, 1 / rank) for rank, document in enumerate(documents, 1)]
        left = len(plan) - len(windows) if problem is not None else 0
        return Outcome(hits, (), Windows(tuple(windows), left, problem) if env.explain or self.model else None)

    def _shown(self, before: tuple[Document, ...], sweep: int, start: int) -> list[tuple[Document, ...]]:
        """Returns the orders in which a window is read: the same ones for the same window of every run."""
        if not self.shuffles:
            return [before]
        return [tuple(random.Random(f"{sweep}/{start}/{i}").sample(before, len(before))) for i in range(self.shuffles)]

    def _reader(self, ranking: Ranking, env: Env) -> Callable[[list[tuple[Document, ...]]], tuple[Asked, ...]]:
        """Returns what reads a window in several orders: the rule, or the model."""
        if not self.model:
            return partial(self._by_rule, self._similarities(ranking, env))
        model = model_named(env.models, self.model)
        if model is None:
            problem = no_model(self.model)
            return lambda orders: tuple(Asked(shown, None, None, problem) for shown in orders)
        return partial(self._by_model, model, ranking.query)

    def _by_model(self, model: LanguageModel, query: Query, orders: list[tuple[Document, ...]]) -> tuple[Asked, ...]:
        requests = [Request(self.request(query, shown), partial(read_order, n=len(shown))) for shown in orders]
        readings: tuple[Reading[Order], ...] = consult(model, requests, shape=ORDER)
        return tuple(Asked(s, r.value, r.answer, r.problem) for s, r in zip(orders, readings, strict=True))

    def _similarities(self, ranking: Ranking, env: Env) -> dict[str, float]:
        """Returns the late interaction of the question with every candidate, by its id."""
        if len(ranking.hits) < 2:
            return {}
        documents, meanings = [hit.document for hit in ranking.hits], Meanings.of(ranking, env)
        shares = (meanings.held(documents) * meanings.weights).sum(axis=1).tolist()
        return dict(zip((d.id for d in documents), shares, strict=True))

    def _by_rule(self, similarity: dict[str, float], orders: list[tuple[Document, ...]]) -> tuple[Asked, ...]:
        bias = EARLY if self.rule == "early" else 0.0
        rank = {doc: i for i, doc in enumerate(similarity)}  # equal passages keep the order of the list, not the shown

        def order(shown: tuple[Document, ...]) -> Order:
            values = [similarity[d.id] + bias * (1 - i / (len(shown) - 1)) for i, d in enumerate(shown)]
            best_first = sorted(range(len(shown)), key=lambda i: (-values[i], rank[shown[i].id]))
            return Order(tuple(i + 1 for i in best_first))

        return tuple(Asked(shown, order(shown)) for shown in orders)


def joined(before: tuple[Document, ...], asked: Sequence[Asked]) -> tuple[Document, ...]:
    """Returns a window in the order of its answers, joined by Borda's count; unchanged without a readable one.

    Each answer gives a document as many points as documents stand behind it; ties keep their order.
    """
    points = dict.fromkeys((d.id for d in before), 0)
    for answer in asked:
        for place, doc in enumerate(answer.ids):
            points[doc] += len(before) - 1 - place
    return tuple(sorted(before, key=lambda d: -points[d.id]))
