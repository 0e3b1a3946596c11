"""What a reader is told of results with equal scores: how many, and what decides their order."""

from __future__ import annotations

from lab.algebra import Ranking, ties
from lab.words import N_, Said


def tie_note(ranking: Ranking, doc_id: str) -> Said | None:
    """Returns a sentence on the results with the score of this one, and what orders them; None without a tie."""
    rank = ranking.rank(doc_id)
    group = next((g for g in ties(ranking) if rank and g[0] < rank <= g[1]), None)
    if group is None:
        return None
    values = {"first": group[0] + 1, "last": group[1]}
    if len(ranking.parents) > 1:
        message = N_(
            "Equal score: ranks {first} to {last}. Order: better rank in one of the lists, then a hash of the id."
        )
    elif ranking.parents:
        message = N_("Equal score: ranks {first} to {last}. Order: that of the list before, then a hash of the id.")
    else:
        message = N_("Equal score: ranks {first} to {last}. Order: a hash of the id.")
    return Said(message, **values)


def tie_count(ranking: Ranking) -> Said | None:
    """Returns how many results of a list have the score of another one; None if none has."""
    groups = ties(ranking)
    if not groups:
        return None
    numbers = {"n": sum(end - start for start, end in groups), "of": len(ranking), "groups": len(groups)}
    return Said(
        "Results with equal scores: {n} of {of}; groups: {groups}. The order within a group is arbitrary.", **numbers
    )
