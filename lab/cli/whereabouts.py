"""Where a passage is: the answer of ``search --where-is``, printed or as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab import formats
from lab.algebra import Document, Runner, Searcher
from lab.cli.printing import print_table
from lab.explain.bringing_in import changes
from lab.explain.locating import locate
from lab.explain.whereabouts import Place, whereabouts
from lab.text import cut

MOST = 5
"""Maximum number of passages that are searched for if a title or a sentence fits several."""
COMPONENTS = 12
"""Maximum number of score components that are printed for a list; JSON has all."""


def where_is(runner: Runner, search: Searcher, query: str, text: str, shown: int, problems: Sequence[str]) -> Any:
    """Returns as plain values where a passage is in a search; ``problems`` are those of the files that were read."""
    located = locate(text, runner.corpus)
    passages = [_passage(runner, search, query, document, shown, text) for document in located.documents[:MOST]]
    found = {"text": located.text, "by": located.by, "sentence": str(located.sentence), "passages": passages}
    if located.documents:
        return found
    return {**found, "near": [document.id for document in located.near], "left_out": [str(x) for x in problems]}


def _passage(runner: Runner, search: Searcher, query: str, document: Document, shown: int, text: str) -> dict[str, Any]:
    where = whereabouts(runner, search, query, document.id, shown, text=text)
    tried = [
        {
            "kind": change.kind,
            "sentence": str(change.sentence),
            "search": formats.expression(change.search),
            "query": change.query.text,
            "k": change.shown,
            "rank": change.rank,
        }
        for change in changes(runner, search, query, where)
    ]
    head = {"id": document.id, "title": document.title, **_place(where.final)}
    lists = [{"list": str(place.ranking.made_by.label), **_place(place)} for place in where.lists]
    return {**head, "lists": lists, "changes": tried}


def _place(place: Place) -> dict[str, Any]:
    last = None if place.last is None else {"id": place.last.document.id, "score": place.last.score}
    return {
        "sentence": str(place.sentence),
        "rank": place.rank,
        "of": len(place.ranking),
        "shown": place.is_shown and not place.cause,
        "score": None if place.hit is None else place.hit.score,
        "last_shown": last,
        "components": [part._asdict() for part in place.compared],
    }


def print_where(found: Mapping[str, Any]) -> None:
    """Prints where a passage is, its score components, and the changes that show it."""
    if not found["passages"]:
        print(found["sentence"])
        for head, items in (("Passages that share words with it", found["near"]), ("Not read", found["left_out"])):
            if items:
                print(f"{head}: {', '.join(items)}")
    elif found["by"] != "id":
        print(found["sentence"])
    for passage in found["passages"]:
        print("  ".join(filter(None, (cut(passage["id"]), cut(passage["title"], 80)))))
        print(f"  {passage['sentence']}")
        _print_components(passage)
        for part in passage["lists"]:
            print(f"  {part['list']}: {part['sentence']}")
            _print_components(part)
        for change in passage["changes"]:
            print(f"  To show it: {change['sentence']}")


def _print_components(place: Mapping[str, Any]) -> None:
    rows = [[f"    {x['name']}", f"{x['score']:.4f}", f"{x['last']:.4f}"] for x in place["components"][:COMPONENTS]]
    if rows and not place["shown"]:
        print_table([["    component", "this passage", "last shown"], *rows])
