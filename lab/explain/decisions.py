"""What was decided on the way to a list, in sentences: where a question was sent, and why it was asked twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from lab import catalog
from lab.algebra import Fallback, Ranking, Relaxed
from lab.explain.differences import enumerated, moved
from lab.rewrite.routing import Decision
from lab.words import N_, Said


def decisions(ranking: Ranking) -> Iterator[str]:
    """One sentence for every route, then one for every fallback that asked its second search.

    Where a question went to all routes, a fallback's begins with its collection.
    """
    steps = list(ranking.lineage())
    routed = [step.evidence for step in steps if isinstance(step.evidence, Decision)]
    yield from (told.said for told in routed)
    for step in steps:
        if isinstance(step.evidence, Relaxed) and step.evidence.relaxed and not step.query.blank:
            said, sure = relaxed(step), all(told.sure for told in routed)
            yield said if sure else Said("{corpus}: {said}", corpus=step.corpus.name, said=said)


def relaxed(ranking: Ranking) -> Said:
    """What the first search of a `Fallback` lacked, what the second one allows, and how much that finds.

    ``ranking`` is what the fallback made of both.
    """
    strict, other = ranking.parents
    search = ranking.made_by
    assert isinstance(search, Fallback)
    knobs, told = moved(search.first, search.then), {"lacked": lacked(strict)}
    said = Said("The first search has no results left: {lacked}. The second search is identical.", **told)
    if knobs is None:
        template = N_("{first} has no results left: {lacked}. {then} was used instead.")
        said = Said(template, first=search.first.label, then=search.then.label, **told)
    elif knobs:
        allowed = _joined([Said("{what} {a} → {b}", what=x.what, a=x.first, b=x.second) for x in knobs])
        said = Said(
            "The first search has no results left: {lacked}. Searched again with {allowed}.", allowed=allowed, **told
        )
    template = N_("{said} Hits now: {n}.") if other.hits else N_("{said} That finds nothing either.")
    return Said(template, said=said, n=len(other))


def lacked(ranking: Ranking) -> Said:
    """Why a list is empty: the lists that found nothing, and how many hits every stage removed of how many."""
    lists, stages = dict[str, int](), dict[tuple[str, str], tuple[int, int]]()
    for step in ranking.lineage():
        ends = [x for x in step.lineage() if not x.parents]
        name = enumerated(list(dict.fromkeys(catalog.title(type(x.made_by)) for x in ends)))
        if not step.parents:
            lists[name] = lists.get(name, 0) + len(step)
        elif step.dropped:
            gone, of = stages.get((name, step.made_by.label), (0, 0))
            stages[name, step.made_by.label] = gone + len(step.dropped), of + len(step) + len(step.dropped)
    nothing = [Said("{list} found nothing", list=name) for name, n in lists.items() if not n]
    template = N_("{stage} removed {gone} of {of} ({list})") if len(lists) > 1 else N_("{stage} removed {gone} of {of}")
    removed = [Said(template, stage=stage, gone=n, of=of, list=name) for (name, stage), (n, of) in stages.items()]
    return _joined([*nothing, *removed])


def _joined(told: Sequence[Said]) -> Said:
    return reduce(lambda first, then: Said("{first}; {then}", first=first, then=then), told)
