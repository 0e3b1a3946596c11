"""Questions that are put before something is shown; what is right is found out on the lists of a lesson.

Guessing first and looking then is what makes one remember: it is known as predict–observe–explain (White and Gunstone,
Probing Understanding, 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import CorpusError
from lab.lessons.checking import MEASURE, Checker, answered
from lab.lessons.values import known
from lab.words import N_, Said, joined

NEAR = 0.005
"""Means of a measure that differ by less than this count as equal."""
FEW = 5
"""In a list of so many documents every rank is an answer of its own."""
BANDS = ((1, 1), (2, 3), (4, 10), (11, None))
TAKEN_HOME = 3
"""So many questions of a lesson are taken home, at most."""
Named = Callable[[str], str]
"""What a list of the lesson is called."""


@dataclass(frozen=True)
class Prediction:
    """A question with its options in order, the right one (counted from 0), and what was found.

    ``hidden`` are the lists that would give it away.
    """

    text: Said
    options: tuple[str, ...]
    answer: int
    found: Said
    hidden: tuple[str, ...]
    about: str = ""
    """The document that the question speaks of."""
    winner: str = ""
    """The document that is its answer, where one is."""
    values: tuple[tuple[str, float], ...] = ()
    """Numbers that decide it, where no rank does."""

    @property
    def plain(self) -> bool:
        """Whether what was found names the right option by itself."""
        return not self.values


def predict(asked: Mapping[str, Any], checker: Checker, named: Named = str) -> Prediction:
    """The question that a table asks of the lists of a lesson::

        {which = ["bm25", "vector"], doc = "d12"}   # which list has the document nearest to its top?
        {where = "hybrid", doc = "d12"}             # where does it land in this list?
        {leads = "equal", of = ["d3", "d7"]}        # which of these documents is first in the list?
        {better = ["both", "vector"]}               # which has the higher mean nDCG@10 over all judged questions?
        {says = "context"}                          # do the passages of this list say it?

    Raises `CorpusError` for a table that asks nothing, and whatever the lists raise.
    """
    kind = next((kind for kind in KINDS if kind in asked), None)
    if kind is None:
        raise CorpusError(Said("The question is empty."), Said("Valid names: {names}.", names=", ".join(KINDS)))
    return KINDS[kind](asked, checker, named)


def _title(doc: str, checker: Checker) -> str:
    return known(doc, checker.collection.corpus).label


def _place(name: str, rank: int | None) -> Said:
    return (
        Said("{list}: not in the list", list=name)
        if rank is None
        else Said("{list}: rank {rank}", list=name, rank=rank)
    )


def _which(asked: Mapping[str, Any], checker: Checker, named: Named) -> Prediction:
    names, doc = tuple(asked["which"]), str(asked["doc"])
    ranks = [checker.lists(name).rank(doc) for name in names]
    best = min((rank for rank in ranks if rank is not None), default=None)
    first = [i for i, rank in enumerate(ranks) if rank == best]
    options = [named(name) for name in names]
    found = joined([_place(named(name), rank) for name, rank in zip(names, ranks, strict=True)], " · ")
    text = Said("Which list ranks “{title}” higher?", title=_title(doc, checker))
    answer = first[0] if len(first) == 1 else len(names)
    return Prediction(text, (*options, Said("No difference")), answer, found, names, doc)


def _bands(n: int) -> list[tuple[int, int | None]]:
    return [(rank, rank) for rank in range(1, n + 1)] if n <= FEW else [*BANDS]


def _band(low: int, high: int | None) -> Said:
    if high is None:
        return Said("below rank {rank}", rank=low - 1)
    return Said("rank {rank}", rank=low) if low == high else Said("rank {low} to {high}", low=low, high=high)


def _where(asked: Mapping[str, Any], checker: Checker, named: Named) -> Prediction:
    name, doc = str(asked["where"]), str(asked["doc"])
    ranking = checker.lists(name)
    rank, bands = ranking.rank(doc), _bands(len(ranking))
    inside = [i for i, (low, high) in enumerate(bands) if rank and low <= rank and (high is None or rank <= high)]
    text = Said("At which rank does “{list}” place “{title}”?", title=_title(doc, checker), list=named(name))
    options = (*(_band(*band) for band in bands), Said("not in the list"))
    return Prediction(text, options, inside[0] if inside else len(bands), _place(named(name), rank), (name,), doc)


def _leads(asked: Mapping[str, Any], checker: Checker, named: Named) -> Prediction:
    name, ranking = str(asked["leads"]), checker.lists(str(asked["leads"]))
    first = ranking.ids[:1]
    place = checker.collection.corpus.positions
    docs = sorted({*map(str, asked["of"]), *first}, key=lambda doc: place[known(doc, checker.collection.corpus).id])
    options = tuple(f"“{_title(doc, checker)}”" for doc in docs)
    text = Said("Which document is first in “{list}”?", list=named(name))
    if not first:
        found = Said("{list}: nothing found", list=named(name))
        return Prediction(text, (*options, Said("None: the list is empty")), len(docs), found, (name,))
    found = Said("{list}: “{title}” is first", list=named(name), title=_title(first[0], checker))
    return Prediction(
        text, (*options, Said("None: the list is empty")), docs.index(first[0]), found, (name,), winner=first[0]
    )


def _better(asked: Mapping[str, Any], checker: Checker, named: Named) -> Prediction:
    names = tuple(asked["better"])
    means = [checker.scores(name).means[MEASURE] for name in names]
    order = sorted(range(len(names)), key=lambda i: -means[i])
    clear = means[order[0]] - means[order[1]] >= NEAR
    told = [f"{named(name)} {mean:.3f}" for name, mean in zip(names, means, strict=True)]
    n = len(checker.collection.judged)
    found = Said("{measure}, questions: {n}: {means}", measure=MEASURE, n=n, means=" · ".join(told))
    text = Said("Which is better on average, over all judged questions ({n})?", n=n)
    options = (*(named(name) for name in names), Said("No difference"))
    values = tuple((named(name), mean) for name, mean in zip(names, means, strict=True))
    return Prediction(text, options, order[0] if clear else len(names), found, names, values=values)


def _says(asked: Mapping[str, Any], checker: Checker, named: Named) -> Prediction:
    answer, doc = answered(checker.lists(str(asked["says"]))), ""
    values = (Said("the best sentence"), answer.reached), (Said("the threshold"), answer.limit)
    numbers = {"reached": f"{answer.reached:.2f}", "limit": f"{answer.limit:.2f}"}
    if answer.says:
        best = max(answer.sentences, key=lambda sentence: sentence.score)
        source = answer.passages[best.place.passage]
        doc, said = (
            source.id,
            N_("The passages answer it: “{text}” (from “{title}”; {reached}, the threshold is {limit})"),
        )
        found = Said(said, text=best.text.strip(), title=source.label, **numbers)
    else:
        found = Said(
            "The passages do not answer it: the best sentence scores {reached}, the threshold is {limit}", **numbers
        )
    text, options = Said("Do the passages in the context answer it?"), (Said("Yes"), Said("No"))
    return Prediction(text, options, 0 if answer.says else 1, found, (), winner=doc, values=values)


KINDS: Mapping[str, Callable[[Mapping[str, Any], Checker, Named], Prediction]] = {
    "which": _which,
    "where": _where,
    "leads": _leads,
    "better": _better,
    "says": _says,
}
"""What can be asked."""


def taken_home(checker: Checker, lists: Mapping[str, str]) -> list[Prediction]:
    """Questions about places in these lists (by their names) that the lesson speaks of, to be taken home."""
    found: dict[str, Prediction] = {}
    for step, sentence in enumerate(checker.lesson.steps):
        for one in sentence.expect:
            doc = str(one.get("doc", checker.lesson.meant_at(step)))
            if (
                doc
                and one["list"] in lists
                and one.keys() & {"rank", "max_rank", "min_rank", "absent", "above", "better_than"}
            ):
                asked = predict({"where": one["list"], "doc": doc}, checker, lists.__getitem__)
                found.setdefault(asked.text, asked)
    return list(found.values())[:TAKEN_HOME]
