"""Pipelines as a picture: from the question down, what every part gave, what it dropped, and how long it took.

Counts, milliseconds and the place of the selected document come from a `lab.explain.trace.Trace`; a click on a part
writes where it is (``a/refine.0``) into the page's key ``at``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lab import catalog
from lab.algebra import Composed, Corpus, Models, Operator, Pipeline, Ranking, Searcher
from lab.explain.notes import without_model
from lab.explain.trace import Trace, seconds_of, usage_at
from lab.models.costs import Usage, usage_in
from lab.models.memory import NotAsked
from lab.rewrite.routing import Destination
from lab.ui import address, components, palette
from lab.ui.i18n import _, _n, say
from lab.ui.layout.page import Page
from lab.ui.models import costing
from lab.ui.study.building import Built

Item = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One pipeline to draw: its letter, what it is called, and what its parts gave."""

    letter: str
    title: str
    built: Built
    told: Trace
    colour: str


def draw(p: Page, columns: Sequence[Column], at: str, doc: str) -> None:
    """The pipelines side by side; ``at`` is the selected part, ``doc`` the document whose places are shown."""
    data = {
        "at": at,
        "settings": ".st-key-pipeline-part",
        "columns": [
            {
                "letter": c.letter,
                "title": c.title,
                "color": c.colour,
                "meta": _meta(c.told),
                "items": list(
                    _Drawn(c, doc, at.removeprefix(f"{c.letter}/") if at[0] == c.letter else "", p.models).whole()
                ),
            }
            for c in columns
        ],
    }
    components.flow(data, key=p.key("steps"), picked=lambda where: address.put(p.key("at"), where))


def _meta(trace: Trace) -> str:
    if trace.ranking is None:
        return _("waiting for the language model") if isinstance(trace.error, NotAsked) else _("ends with an error")
    total = _n(
        "{n} result · {ms:.1f} ms in total",
        "{n} results · {ms:.1f} ms in total",
        len(trace.ranking),
        ms=trace.seconds * 1000,
    )
    return " · ".join(filter(None, (total, costing.used(trace.usage))))


def place(rankings: Sequence[Ranking], doc: str) -> str:
    """Returns a document's rank in these lists as text: a rank, removed, perhaps beyond the end, or missing.

    In a list of chunks the rank of a document is the rank of its first chunk.
    """
    if not doc or not rankings:
        return ""
    ranks = [i for r in rankings for i, hit in enumerate(r, 1) if origin(r.corpus, hit.document.id) == doc][:1]
    if ranks:
        return f"#{min(ranks)}"
    if any(r.drop(doc) for r in rankings):
        return "✕"
    return f"> #{max(r.asked for r in rankings)}" if any(r.asked for r in rankings) else "–"


def origin(corpus: Corpus, doc: str) -> str:
    """The document that a piece was cut from; a document itself."""
    while corpus.parents:
        doc, corpus = corpus.origins.get(doc, doc), corpus.parents[0]
    return doc


@dataclass(frozen=True)
class _Drawn:
    """One column of the picture; a selected row of steps, or a row with a selected step, has places to add steps."""

    column: Column
    doc: str
    selected: str
    models: Models

    def rankings(self, path: str) -> tuple[Ranking, ...]:
        """The lists of a part; none where it is switched off, or was not reached."""
        at = self.column.built.at_work(path)
        return () if at is None else self.column.told.steps.get(at, ())

    def where(self, path: str) -> str:
        return f"{self.column.letter}/{path}"

    def whole(self) -> Iterator[Item]:
        return self.pipeline("", self.column.built.whole)

    def items(self, path: str, search: Searcher) -> Iterator[Item]:
        """A search, part by part, in the order in which they work."""
        at = f"{path}."
        if isinstance(search, Pipeline):
            inside = f"{self.selected}.".startswith(at)
            yield from (item for item in self.pipeline(at, search) if inside or item["kind"] != "add")
            return
        for field in dataclasses.fields(search):
            value = getattr(search, field.name)
            title = say(field.metadata.get("label") or field.name)
            if isinstance(value, Searcher) and type(search).family == "fused":  # what this one is composed of
                yield self.box(title, self.items(f"{at}{field.name}", value))
            for i, row in enumerate(value if isinstance(value, tuple) else ()):
                if isinstance(row, Destination):
                    yield self.box(row.name, self.items(f"{at}{field.name}.{i}", row.asked))
        yield self.card(path, search)

    def pipeline(self, at: str, p: Pipeline) -> Iterator[Item]:
        yield self.add(f"{at}rewrite.+", _("Add a step before the search"))
        if p.rewrite is not None:
            yield self.card(f"{at}rewrite", p.rewrite)
        for i, derivation in enumerate(p.derive):
            yield self.card(f"{at}derive.{i}", derivation)
        lists = [item for i, s in enumerate(p.retrieve) for item in self.listed(f"{at}retrieve.{i}", s)]
        more = self.add(f"{at}retrieve.+", _("Add a list"), _("list"))
        if len(p.retrieve) > 1:
            inside = not at or f"{self.selected}.".startswith(at)
            yield self.box(_n("{n} list", "{n} lists", len(p.retrieve)), [*lists, *([more] if inside else [])])
        else:
            yield from [*lists, more]
        if p.rewrite is not None:
            yield self.card(f"{at}merge", p.merging, note=_("merges the rewrites"))
        if p.fuse is not None:
            yield self.card(f"{at}fuse", p.fuse, note=self.alone(at, len(p.retrieve)))
        for i, stage in enumerate(p.refine):
            yield self.add(f"{at}refine.+{i}", _("Add a step before {name}", name=say(stage.label)))
            yield self.card(f"{at}refine.{i}", stage, note=say(without_model(stage, self.models)))
        yield self.add(f"{at}refine.+{len(p.refine)}", _("Add a step at the end"))

    def listed(self, path: str, search: Searcher) -> Iterator[Item]:
        if isinstance(search, Pipeline):
            yield self.box(say(search.retrieve[0].label), self.items(path, search))
        else:
            yield from self.items(path, search)

    def alone(self, at: str, lists: int) -> str:
        """Where a fusion has nothing to fuse: all lists but one are switched off."""
        on = sum(self.column.built.at_work(f"{at}retrieve.{i}") is not None for i in range(lists))
        return _("only one list: nothing to fuse") if on == 1 else ""

    def box(self, title: str, items: Any) -> Item:
        return {"kind": "box", "title": title, "items": list(items)}

    def add(self, place: str, title: str, text: str = "") -> Item:
        return {"kind": "add", "at": self.where(place), "title": title, "text": text}

    def card(self, path: str, part: Operator, note: str = "") -> Item:
        """One part: what it gave and dropped, its time, its error."""
        built, trace = self.column.built, self.column.told
        at, rankings = built.at_work(path), self.rankings(path)
        title = catalog.title(type(part)) if isinstance(part, Composed) else part.label
        card = {"kind": "card", "at": self.where(path), "title": say(title), "color": palette.family(part)}
        if at is None:
            return card | {"state": "off", "count": _("off")}
        rewrite, failed = trace.rewrites.get(at), trace.failed == at
        if failed and isinstance(trace.error, NotAsked):
            return card | {"state": "idle", "count": _("waiting for the language model")}
        if failed and trace.error is not None:
            return card | {"state": "failed", "count": _("failed"), "note": say(trace.error.message)}
        if rewrite is not None:
            return card | {
                "count": _("Rewrites: {n}", n=len(rewrite.variants)),
                "ms": _cost(rewrite.seconds, usage_in([rewrite])),
            }
        if path.rpartition(".")[0].endswith("derive"):
            return card | {"count": self.pieces(path)}
        if not rankings:
            return card | {
                "state": "idle",
                "count": _("not run") if trace.failed is not None else _("not asked"),
                "note": note,
            }
        dropped, n_found = (sum(len(x) for x in lists) for lists in ([r.dropped for r in rankings], rankings))
        return card | {
            "count": _n("{n} result", "{n} results", n_found, n=" + ".join(str(len(r)) for r in rankings)),
            "dropped": f"−{dropped}" if dropped else "",
            "ms": _cost(sum(map(seconds_of, rankings)), usage_at(*rankings)),
            "rank": place(rankings, self.doc),
            "note": note,
        }

    def pieces(self, path: str) -> str:
        """Returns the number of chunks that are searched instead of the corpus, as text."""
        first = path.rpartition("derive.")[0] + "retrieve."
        rankings = [r for name, rs in self.column.told.steps.items() if name.startswith(first) for r in rs]
        return _("chunks searched: {n}", n=len(rankings[0].corpus)) if rankings else _("not run")


def _cost(seconds: float, usage: Usage) -> str:
    """The time of a part, and the tokens of the language models that it has asked."""
    time = _("{ms} ms", ms=f"{seconds * 1000:.1f}")
    return f"{time} · " + _("tokens: {n:,}", n=usage.tokens) if usage.tokens else time
