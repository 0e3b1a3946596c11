"""The lists that a page can start from: every retriever of the catalogue whose role is ``list``, by its key.

Vectors are there once per embedder: ``vector`` (the one chosen in the frame) and ``vector-<embedder>``.  Pages that
fuse or refine let the visitor choose some of them, and get searches, names and colours alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Operator, Pipeline, Query, Ranking, Retriever, Searcher
from lab.corpus.fields import NUMBER, field_reading
from lab.corpus.statistics import fields_of
from lab.errors import ParameterError
from lab.fuse import WeightedSum
from lab.models.embedders import Embedder
from lab.reading.encodings import decode
from lab.retrieve.explaining import Explains
from lab.retrieve.vector import Compared, Vector
from lab.ui import address, cache, escape, frame, palette, settings, show, why
from lab.ui.frame import Frame
from lab.ui.i18n import _, say
from lab.ui.nothing import nothing
from lab.ui.page import Page, called
from lab.words import Said

R = TypeVar("R", bound=Retriever)
LONGEST_ROWS = 2000
"""Characters of rows that a link holds."""


@dataclass(frozen=True)
class Source:
    """A retriever with what the page calls it and paints it."""

    key: str
    retriever: Retriever
    name: str
    colour: str


def known(f: Frame) -> dict[str, Source]:
    """Every source for this frame, by its short name."""
    found = dict[str, Retriever]()
    for cls in sorted(catalog.with_role(catalog.retrievers, "list"), key=called):
        own = _given(f).get(cls.key) or cls()
        if isinstance(own, Vector):
            others = {name: e for name, e in settings.embedders().items() if e != f.embedder}
            for name, embedder in [("", f.embedder), *others.items()]:
                found[f"{own.key}-{name}" if name else own.key] = suited(own, embedder)
        else:
            found[own.key] = replace(own, embedder=f.embedder) if _takes_embedder(own) else own
    colours = palette.families(list(found.values()))
    takes, instead = f.corpus.takes, f.corpus.instead
    return {
        key: Source(key, instead(own), say(cache.label(own)), colour)
        for (key, own), colour in zip(found.items(), colours, strict=True)
        if takes(own)
    }


def _takes_embedder(own: Retriever) -> bool:
    """Whether this list compares vectors, which are then those of the frame's model."""
    return any(field.name == "embedder" for field in fields(own))


def possible(f: Frame, searches: Sequence[Retriever]) -> list[Retriever]:
    """Those of the searches that the corpus can do, by those of its engine if it is in one; the others are told."""
    left = [say(own.label) for own in searches if not f.corpus.takes(own)]
    if left:
        said = _(
            "The texts stay in Milvus, which was filled for other searches than these: {names}.", names=", ".join(left)
        )
        st.caption(escape.plain(said))
    return [f.corpus.instead(own) for own in searches if f.corpus.takes(own)]


def suited(vector: Vector, embedder: Embedder) -> Vector:
    """The same under this embedder, with the pieces that suit it where the visitor has not chosen others."""
    pieces = embedder.pieces if vector.pieces == Embedder.pieces else vector.pieces
    return replace(vector, embedder=embedder, pieces=pieces)


def choose(
    page: Page, name: str = "lists", default: Sequence[str] = ("bm25", "vector"), label: str = "", help: str = ""
) -> list[Source]:
    """Let the visitor choose the lists; gives them in the order of choice."""
    lists = known(page.frame)
    picked = page.several(name, label or _("Lists"), list(lists), default, help, format_func=lambda k: lists[k].name)
    return [settled(page, lists[k]) for k in picked]


def choose_one(page: Page, default: str, help: str = "", label: str = "") -> Source:
    """Let the visitor choose one list."""
    lists, key = known(page.frame), page.key("of")
    address.keep(key, default, address.choice(list(lists)))
    names = {k: source.name for k, source in lists.items()}
    name = st.selectbox(
        label or _("Candidates from"), names, key=key, format_func=names.__getitem__, help=help or None
    )
    return settled(page, lists[name])


def settled(page: Page, source: Source) -> Source:
    """The list with what it needs before it finds anything (`Retriever.required_knobs`), given here by the visitor."""
    if not source.retriever.required_knobs:
        return source
    own = needed(page, source.retriever)
    return replace(source, retriever=own, name=say(cache.label(own)))


def needed(page: Page, own: R) -> R:
    """The widgets of what a list needs, in a popover; what was given on another page is there.

    Rows may come from a file; one that cannot be read is explained, and leaves the rows as they are.
    """
    cls, f = type(own), page.frame
    known, start = _given(f), cls()
    keys = {name: page.key(f"{cls.key}.{name}") for name in cls.required_knobs}
    asked = {name: key for name, key in keys.items() if address.linked(key) or key in address.taken()}
    before = known.get(cls.key, start)
    for name, key in keys.items():
        value = getattr(before, name)
        if not asked and value != getattr(start, name):
            address.put(key, "\n".join(value) if isinstance(value, tuple) else value)
    place = st.popover(say(catalog.title(cls)), icon=":material/table_rows:", width="stretch")
    numbers = [field.name for field in fields_of(f.corpus) if field_reading(f.corpus, field.name).kind == NUMBER]
    if "rows" in keys:
        with place:
            _rows_from_file(page, cls, keys)
    made = page.knobs(start, *cls.required_knobs, into=[place], offers={"field": numbers})
    if len(str(st.session_state.get(keys.get("rows", ""), ""))) > LONGEST_ROWS:
        address.leave_out(keys["rows"])
        with place:
            st.caption(_("The rows are too long for a link. A reader of the link has to give them again."))
    known[cls.key] = made
    return made


def lacking(own: Retriever) -> bool:
    """Whether a list needs something and nobody has given it: it would find nothing."""
    return bool(own.required_knobs) and own == type(own)()


def _given(f: Frame) -> dict[str, Any]:
    """What this visitor has given for this corpus, by the key of the technique."""
    kept: dict[str, dict[str, Any]] = frame.visitor().store("given")
    return kept.setdefault(f.corpus.fingerprint, {})


def _rows_from_file(page: Page, cls: type[Retriever], keys: Mapping[str, str]) -> None:
    """A file with a run: its lines become the rows, in the place of a field."""
    seen = page.key(f"{cls.key}.read")
    file = st.file_uploader(_("File with a run or table"), key=page.key(f"{cls.key}.file"))
    if file is None or st.session_state.get(seen) == file.file_id:
        return
    with escape.problems():
        decoded = decode(file.getvalue())
        if decoded is None:
            told = Said("“{file}” is not a text file.", file=file.name)
            raise ParameterError(told, Said("Give a TREC run, or a table as CSV or TSV."))
        lines = [line for line in decoded.text.splitlines() if line.strip()]
        catalog.make(cls, {"rows": lines})
        st.session_state[seen] = file.file_id
        address.put(keys["rows"], "\n".join(lines))
        if "field" in keys:
            address.put(keys["field"], "")
        st.rerun()


def panel(page: Page, source: Source, ranking: Ranking, query: Query) -> show.Panel:
    """One list to draw, with its marks and the reason where it is empty."""
    at = page.runner.index(source.retriever)
    if isinstance(at, Explains):
        mark, how = at.marker(query), say(at.reading(query))
    else:
        mark = why.meaning_marker(at, query.text)
        how = say(ranking.evidence.note) if isinstance(ranking.evidence, Compared) else ""
    empty = "" if ranking.hits else nothing(ranking, at)
    mark = show.remembered(mark, source.retriever, query, ranking.corpus.fingerprint)
    return show.Panel(ranking, source.name, source.colour, mark, unit=how, empty=empty)


@dataclass(frozen=True)
class First:
    """The first stage of a page that refines: its search, its ranking, and how it is drawn."""

    search: Pipeline
    ranking: Ranking
    panel: show.Panel

    @property
    def names(self) -> dict[Operator, str]:
        """What the page calls the list that several others are fused into."""
        return {r.made_by: self.panel.name for r in self.ranking.lineage() if len(r.parents) > 1}


def first(page: Page, query: Query, depth: int) -> First:
    """The candidates that the visitor chooses: the first ``depth`` of one list, or of several that are fused.

    Draws the picker; ends the page where nothing is chosen.
    """
    help = _("One list, or several, which are fused (min–max, the first with twice the weight of the others).")
    chosen = choose(page, "from", ("bm25",), _("Candidates from"), help)
    if not chosen:
        st.info(_("Choose at least one list."), icon=":material/list:")
        page.stop()
    search = first_stage([s.retriever for s in chosen], depth)
    ranking = page.run({"": search}, query, k=max(depth, DEPTH))[""]
    ranking = replace(ranking, seconds=sum(r.seconds for r in ranking.lineage()))
    head = panel(page, chosen[0], ranking, query)
    if len(chosen) > 1:
        head = replace(head, name=" + ".join(s.name for s in chosen), colour=palette.named("fused"))
        if not ranking.hits:
            reasons = {s.name: nothing(ranking, page.runner.index(s.retriever)) for s in chosen}
            head = replace(head, empty=" ".join(f"{name}: {reason}" for name, reason in reasons.items()))
    return First(search, ranking, head)


def first_stage(lists: Sequence[Searcher], depth: int) -> Pipeline:
    """The first ``depth`` of one list; several are fused by the min-max sum, the first with twice the others' weight.

    Every fused list is asked ``depth``; what their sum has behind that is dropped with its rank, not lost.
    """
    if len(lists) == 1:
        return Pipeline((lists[0],), depth=depth if depth > DEPTH else None) % depth
    other = 1 / (len(lists) + 1)
    fused = WeightedSum((2 * other, *([other] * (len(lists) - 1))))(*lists, depth=depth)
    return Pipeline((fused,), depth=depth * len(lists)) % depth
