"""Predictions: questions asked before something is shown; the right answers are computed from the lists of a lesson.

A prediction made before looking is remembered better: predict–observe–explain (R. White and R. Gunstone, *Probing
Understanding*, 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import CorpusError
from lab.evaluate.significance import compare, told_p
from lab.lessons.checking import MEASURE, Checker, answered, is_reordered
from lab.lessons.values import known
from lab.words import N_, Said, joined

FEW = 5
"""Up to this length of a list, every rank is a separate option."""
BANDS = ((1, 1), (2, 3), (4, 10), (11, None))
TAKEN_HOME = 3
"""Maximum number of questions per lesson for the handout."""
Named = Callable[[str], str]
"""A function from a list's name in the lesson to its label."""


@dataclass(frozen=True)
class Prediction:
    """A question with its options in order, the right one (counted from 0), and the finding that explains it.

    ``hidden`` are the lists that would reveal the answer.
    """

    text: Said
    options: tuple[str, ...]
    answer: int
    found: Said
    hidden: tuple[str, ...]
    about: str = ""
    """The document that the question is about."""
    winner: str = ""
    """The document that is the answer; empty if it is not a document."""
    values: tuple[tuple[str, float], ...] = ()
    """The numbers that decide the answer, if it is not decided by a rank."""
    named: bool = False
    """Whether the finding is the right option in a sentence."""

    @property
    def plain(self) -> bool:
        """Whether the finding names the right option by itself."""
        return self.named or not self.values


def predict(question: Mapping[str, Any], checker: Checker, name_of: Named = str) -> Prediction:
    """Makes the question that a table describes, on the lists of a lesson::

        {which = ["bm25", "vector"], doc = "d12"}   # which list has the document nearest to its top?
        {where = "hybrid", doc = "d12"}             # where does it land in this list?
        {leads = "equal", of = ["d3", "d7"]}        # which of these documents is first in the list?
        {better = ["both", "vector"]}               # which is significantly better over all judged questions?
        {says = "context"}                          # do the passages of this list say it?

    Raises `CorpusError` for a table that asks nothing, and whatever the lists raise.
    """
    kind = next((kind for kind in KINDS if kind in question), None)
    if kind is None:
        raise CorpusError(Said("The question is empty."), Said("Valid names: {names}.", names=[*KINDS]))
    return KINDS[kind](question, checker, name_of)


def _title(doc: str, checker: Checker) -> str:
    return known(doc, checker.collection.corpus).label


def _place(name: str, rank: int | None, *, reordered: bool = False) -> Said:
    if rank is None:
        return Said("{list}: not in the list", list=name)
    template = N_("{list}: position {rank}") if reordered else N_("{list}: rank {rank}")
    return Said(template, list=name, rank=rank)


def _which(question: Mapping[str, Any], checker: Checker, name_of: Named) -> Prediction:
    names, doc = tuple(question["which"]), str(question["doc"])
    ranks = [checker.lists(name).rank(doc) for name in names]
    best = min((rank for rank in ranks if rank is not None), default=None)
    first = [i for i, rank in enumerate(ranks) if rank == best]
    options = [name_of(name) for name in names]
    finding = joined([_place(name_of(name), rank) for name, rank in zip(names, ranks, strict=True)], " · ")
    text = Said("Which list ranks “{title}” higher?", title=_title(doc, checker))
    answer = first[0] if len(first) == 1 else len(names)
    return Prediction(text, (*options, Said("No difference")), answer, finding, names, doc)


def _bands(n: int) -> list[tuple[int, int | None]]:
    return [(rank, rank) for rank in range(1, n + 1)] if n <= FEW else [*BANDS]


def _band(low: int, high: int | None, *, reordered: bool = False) -> Said:
    if reordered:
        if high is None:
            return Said("after position {rank}", rank=low - 1)
        if low == high:
            return Said("position {rank}", rank=low)
        return Said("position {low} to {high}", low=low, high=high)
    if high is None:
        return Said("below rank {rank}", rank=low - 1)
    return Said("rank {rank}", rank=low) if low == high else Said("rank {low} to {high}", low=low, high=high)


def _where(question: Mapping[str, Any], checker: Checker, name_of: Named) -> Prediction:
    name, doc = str(question["where"]), str(question["doc"])
    ranking = checker.lists(name)
    rank, bands = ranking.rank(doc), _bands(len(ranking))
    inside = [i for i, (low, high) in enumerate(bands) if rank and low <= rank and (high is None or rank <= high)]
    reordered = is_reordered(checker.lesson.lists[name])
    asked = N_("At which position does “{list}” put “{title}”?")
    text = Said(
        asked if reordered else N_("At which rank does “{list}” place “{title}”?"),
        title=_title(doc, checker),
        list=name_of(name),
    )
    options = (*(_band(*band, reordered=reordered) for band in bands), Said("not in the list"))
    found = _place(name_of(name), rank, reordered=reordered)
    return Prediction(text, options, inside[0] if inside else len(bands), found, (name,), doc)


def _leads(question: Mapping[str, Any], checker: Checker, name_of: Named) -> Prediction:
    name, ranking = str(question["leads"]), checker.lists(str(question["leads"]))
    first = ranking.ids[:1]
    place = checker.collection.corpus.positions
    docs = sorted({*map(str, question["of"]), *first}, key=lambda doc: place[known(doc, checker.collection.corpus).id])
    options = tuple(f"“{_title(doc, checker)}”" for doc in docs)
    text = Said("Which document is first in “{list}”?", list=name_of(name))
    if not first:
        finding = Said("{list}: nothing found", list=name_of(name))
        return Prediction(text, (*options, Said("None: the list is empty")), len(docs), finding, (name,))
    finding = Said("{list}: “{title}” is first", list=name_of(name), title=_title(first[0], checker))
    return Prediction(
        text, (*options, Said("None: the list is empty")), docs.index(first[0]), finding, (name,), winner=first[0]
    )


def _better(question: Mapping[str, Any], checker: Checker, name_of: Named) -> Prediction:
    names = tuple(question["better"])
    means = [checker.scores(name).means[MEASURE] for name in names]
    order = sorted(range(len(names)), key=lambda i: -means[i])
    best, next_best = (checker.scores(names[i]) for i in order[:2])
    lead = compare(next_best, best, MEASURE)
    means_by_list = [f"{name_of(name)} {mean:.3f}" for name, mean in zip(names, means, strict=True)]
    n = len(checker.collection.judged)
    template = N_("{measure}, questions: {n}: {means}; not significant (p {p})")
    if lead.significant:
        template = N_("{measure}, questions: {n}: {means}; significant (p {p})")
    p = "–" if lead.p is None else told_p(lead.p)
    finding = Said(template, measure=MEASURE, n=n, means=" · ".join(means_by_list), p=p)
    text = Said("Which is significantly better on average, over all judged questions ({n})?", n=n)
    options = (*(name_of(name) for name in names), Said("No significant difference"))
    values = tuple((name_of(name), mean) for name, mean in zip(names, means, strict=True))
    return Prediction(text, options, order[0] if lead.significant else len(names), finding, names, values=values)


def _says(question: Mapping[str, Any], checker: Checker, name_of: Named) -> Prediction:
    answer, doc = answered(checker.lists(str(question["says"]))), ""
    values = (Said("the best sentence"), answer.reached), (Said("the threshold"), answer.limit)
    numbers = {"reached": f"{answer.reached:.2f}", "limit": f"{answer.limit:.2f}"}
    if answer.says:
        best = max(answer.sentences, key=lambda sentence: sentence.score)
        source = answer.passages[best.place.passage]
        doc, template = (
            source.id,
            N_("The passages answer it: “{text}” (from “{title}”; {reached}, the threshold is {limit})"),
        )
        finding = Said(template, text=best.text.strip(), title=source.label, **numbers)
    else:
        finding = Said(
            "The passages do not answer it: the best sentence scores {reached}, the threshold is {limit}", **numbers
        )
    text, options = Said("Do the passages in the context answer it?"), (Said("Yes"), Said("No"))
    return Prediction(text, options, 0 if answer.says else 1, finding, (), winner=doc, values=values, named=True)


KINDS: Mapping[str, Callable[[Mapping[str, Any], Checker, Named], Prediction]] = {
    "which": _which,
    "where": _where,
    "leads": _leads,
    "better": _better,
    "says": _says,
}
"""The kinds of questions."""


def taken_home(checker: Checker, lists: Mapping[str, str]) -> list[Prediction]:
    """Returns questions for the handout, about the ranks in these lists (by name) that the lesson mentions."""
    predictions: dict[str, Prediction] = {}
    for step, sentence in enumerate(checker.lesson.steps):
        for expectation in sentence.expect:
            doc = str(expectation.get("doc", checker.lesson.meant_at(step)))
            if (
                doc
                and expectation["list"] in lists
                and expectation.keys() & {"rank", "max_rank", "min_rank", "absent", "above", "better_than"}
            ):
                prediction = predict({"where": expectation["list"], "doc": doc}, checker, lists.__getitem__)
                predictions.setdefault(prediction.text, prediction)
    return list(predictions.values())[:TAKEN_HOME]
