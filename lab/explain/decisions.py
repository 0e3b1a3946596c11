"""The decisions on the way to a list, in sentences: where a question was sent, and why it was searched twice."""

from __future__ import annotations

from collections.abc import Iterator

from lab import catalog
from lab.algebra import Fallback, Ranking, Relaxed
from lab.explain.differences import enumerated, moved
from lab.refine.question_conditions import QuestionConditions
from lab.retrieve.selective import Predicted
from lab.rewrite.routing import Decision
from lab.words import N_, Said, joined


def decisions(ranking: Ranking) -> Iterator[str]:
    """Yields a sentence for every route, then one for every fallback that used its second search or was selective.

    If a question went to all routes, the sentence of a fallback begins with its collection.  Parts of a question that
    its conditions do not use are named.
    """
    steps = list(ranking.lineage())
    routed = [step.evidence for step in steps if isinstance(step.evidence, Decision)]
    yield from (decision.said for decision in routed)
    for step in steps:
        if isinstance(step.evidence, Predicted):
            yield step.evidence.sentence
        elif isinstance(step.evidence, Relaxed) and step.evidence.relaxed and not step.query.blank:
            sentence, sure = relaxed(step), all(decision.sure for decision in routed)
            yield sentence if sure else Said("{corpus}: {said}", corpus=step.corpus.name, said=sentence)
        elif isinstance(step.evidence, QuestionConditions) and step.evidence.unused:
            yield Said("Not used as a condition: {parts}", parts=[*step.evidence.unused])


def relaxed(ranking: Ranking) -> Said:
    """Describes a `Fallback`: why its first search is empty, what the second allows, and how much that finds.

    ``ranking`` is the result of the fallback.
    """
    strict, other = ranking.parents
    search = ranking.made_by
    assert isinstance(search, Fallback)
    knobs, values = moved(search.first, search.then), {"lacked": explain_empty(strict)}
    sentence = Said("The first search has no results left: {lacked}. The second search is identical.", **values)
    if knobs is None:
        template = N_("{first} has no results left: {lacked}. {then} was used instead.")
        sentence = Said(template, first=search.first.label, then=search.then.label, **values)
    elif knobs:
        allowed = joined((Said("{what} {a} → {b}", what=x.what, a=x.first, b=x.second) for x in knobs), "; ")
        sentence = Said(
            "The first search has no results left: {lacked}. Searched again with {allowed}.", allowed=allowed, **values
        )
    template = N_("{said} Hits now: {n}.") if other.hits else N_("{said} That finds nothing either.")
    return Said(template, said=sentence, n=len(other))


def explain_empty(ranking: Ranking) -> Said:
    """Explains why a list is empty: the lists that found nothing, and how many results each stage removed."""
    lists, stages = dict[str, int](), dict[tuple[str, str], tuple[int, int]]()
    for step in ranking.lineage():
        ends = [x for x in step.lineage() if not x.parents]
        name = enumerated(list(dict.fromkeys(catalog.title(type(x.made_by)) for x in ends)))
        if not step.parents:
            lists[name] = lists.get(name, 0) + len(step)
        elif step.dropped:
            n_removed, of = stages.get((name, step.made_by.label), (0, 0))
            stages[name, step.made_by.label] = n_removed + len(step.dropped), of + len(step) + len(step.dropped)
    nothing = [Said("{list} found nothing", list=name) for name, n in lists.items() if not n]
    template = N_("{stage} removed {gone} of {of} ({list})") if len(lists) > 1 else N_("{stage} removed {gone} of {of}")
    removed = [Said(template, stage=stage, gone=n, of=of, list=name) for (name, stage), (n, of) in stages.items()]
    return joined([*nothing, *removed], "; ")
