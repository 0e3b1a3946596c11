"""The lists that a page can start from: every retriever of the catalogue whose role is ``list``, by its key.

Vector lists exist once per embedder: ``vector`` (the one chosen in the frame) and ``vector-<embedder>``; external ones
once per retriever of the visitor: ``external-<name>``.  Pages that fuse or refine let the visitor choose some of them,
and get searches, names and colours alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Contribution, Hit, Operator, Pipeline, Query, Ranking, Retriever, Searcher
from lab.corpus.fields import NUMBER, field_reading
from lab.corpus.statistics import fields_of
from lab.errors import ParameterError
from lab.fuse import WeightedSum, order_warnings
from lab.models.embedders import Embedder, reading_note
from lab.reading.encodings import decode
from lab.retrieve.explaining import Explains, word_marker
from lab.retrieve.external import Answered, External
from lab.retrieve.lexical import Lexical
from lab.retrieve.vector import Compared, Vector
from lab.text import Analyzer, is_han
from lab.text.naming import shorten
from lab.ui import address, cache, escape, palette
from lab.ui.i18n import _, _n, labelled, listed, say
from lab.ui.layout import frame, settings
from lab.ui.layout.frame import Frame
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import retrievers, show, why
from lab.ui.lists.nothing import nothing
from lab.words import N_, Said

R = TypeVar("R", bound=Retriever)
S = TypeVar("S")
CHARACTERS = ("bigrams", "characters")
"""The parameters of the analyzer that add pairs and single characters to the words of Chinese text."""
CHIP = 20
"""Columns of the name of a chosen list: a longer one is cut in the middle."""
LONGEST_ROWS = 2000
"""Maximum characters of rows in a link."""


@dataclass(frozen=True)
class Source:
    """A retriever with its name and colour on the page."""

    key: str
    retriever: Retriever
    name: str
    colour: str


def known(f: Frame) -> dict[str, Source]:
    """Returns every source for this frame, by its short name."""
    lists = dict[str, Retriever]()
    for cls in sorted(catalog.with_role(catalog.retrievers, "list"), key=technique_name):
        if cls is External:
            lists |= retrievers.searches(frame.visitor())
            continue
        _page, retriever = _saved(f).get(cls.key, ("", cls()))
        if isinstance(retriever, Vector):
            other_embedders = {name: e for name, e in settings.embedders().items() if e != f.embedder}
            for name, embedder in [("", f.embedder), *other_embedders.items()]:
                lists[f"{retriever.key}-{name}" if name else retriever.key] = suited(retriever, embedder)
        else:
            lists[retriever.key] = replace(retriever, embedder=f.embedder) if _takes_embedder(retriever) else retriever
    colours = palette.families(list(lists.values()))
    takes, instead = f.corpus.takes, f.corpus.instead
    return {
        key: Source(key, instead(retriever), say(cache.label(retriever)), colour)
        for (key, retriever), colour in zip(lists.items(), colours, strict=True)
        if takes(retriever)
    }


def _takes_embedder(retriever: Retriever) -> bool:
    """Returns whether a list compares vectors; its vectors are then those of the frame's model."""
    return any(field.name == "embedder" for field in fields(retriever))


def possible(f: Frame, searches: Sequence[Retriever]) -> list[Retriever]:
    """Returns the searches that the corpus supports, in the form of its engine if it has one; names the others."""
    left = [say(retriever.label) for retriever in searches if not f.corpus.takes(retriever)]
    if left:
        template = N_("The texts stay in {engine}, which was filled for other searches than these: {names}.")
        message = _(template, engine=f.corpus.elsewhere, names=[*left])
        st.caption(escape.plain(message))
    return [f.corpus.instead(retriever) for retriever in searches if f.corpus.takes(retriever)]


def suited(vector: Vector, embedder: Embedder) -> Vector:
    """Returns the vector search with this embedder, and with its usual pieces unless the visitor has chosen others."""
    pieces = embedder.pieces if vector.pieces == Embedder.pieces else vector.pieces
    return replace(vector, embedder=embedder, pieces=pieces)


def choose(
    page: Page, name: str = "lists", default: Sequence[str] = ("bm25", "vector"), label: str = "", help: str = ""
) -> list[Source]:
    """Lets the visitor choose the lists; returns them in the order of choice."""
    lists = known(page.frame)
    names = dict(zip(lists, shorten([source.name for source in lists.values()], CHIP), strict=True))
    picked = page.several(name, label or _("Lists"), list(lists), default, help, format_func=names.__getitem__)
    return settled(page, [lists[k] for k in picked])


def choose_one(
    page: Page,
    default: str,
    help: str = "",
    label: str = "",
    name_of: Callable[[Source, str], str] | None = None,
    questions: Iterable[str] = (),
) -> Source:
    """Lets the visitor choose one list, by its name or the one that ``name_of`` makes of a short one.

    ``questions`` are searched instead of the question in the field.
    """
    lists, key = known(page.frame), page.key("of")
    address.keep(key, default, address.choice(list(lists)))
    names = {k: source.name for k, source in lists.items()}
    if name_of:
        short = shorten(list(names.values()), CHIP)
        names = {k: name_of(lists[k], name) for k, name in zip(names, short, strict=True)}
    name = st.selectbox(label or _("Candidates from"), names, key=key, format_func=names.__getitem__, help=help or None)
    return settled(page, [lists[name]], questions)[0]


def settled(page: Page, chosen: Sequence[Source], questions: Iterable[str] = ()) -> list[Source]:
    """Returns the lists with the parameters that the visitor sets beside their names.

    These are the parameters without which a list cannot work (`Retriever.required_knobs`) and those of `with_terms`.
    """
    searches = with_terms(page, [source.retriever for source in chosen], questions)
    with_searches = [replace(source, retriever=search) for source, search in zip(chosen, searches, strict=True)]
    return [_given(page, source) if source.retriever.required_knobs else source for source in with_searches]


def _given(page: Page, source: Source) -> Source:
    retriever = needed(page, source.retriever)
    return replace(source, retriever=retriever, name=say(cache.label(retriever)))


def with_terms(page: Page, searches: Sequence[S], questions: Iterable[str] = ()) -> list[S]:
    """Returns the searches; for Chinese questions, lexical lists have the terms that the visitor chooses."""
    if not any(isinstance(search, Lexical) for search in searches) or not asks_in_chinese(questions):
        return [*searches]
    with st.popover(_("Chinese terms"), icon=":material/translate:", width="stretch"):
        analyzer = terms(page, questions=questions)
    added = {name: getattr(analyzer, name) for name in CHARACTERS}
    return [replace(x, analyzer=replace(x.analyzer, **added)) if isinstance(x, Lexical) else x for x in searches]


def asks_in_chinese(questions: Iterable[str] = ()) -> bool:
    """Returns whether a question has a Chinese character: one of these, or else the one in the field."""
    return any(any(map(is_han, text)) for text in questions or [str(st.session_state.get(address.QUESTION, ""))])


def terms(page: Page, *more: str, questions: Iterable[str] = ()) -> Analyzer:
    """Draws ``more`` parameters of the analyzer and, for a Chinese question, the two switches of `CHARACTERS`.

    The switches keep their values on other pages; a lesson has its own.
    """
    if not asks_in_chinese(questions):
        return page.knobs(Analyzer(), *more) if more else Analyzer()
    carry(page, Analyzer(), CHARACTERS)
    analyzer = page.knobs(Analyzer(), *more, *CHARACTERS)
    keep(page, analyzer)
    return analyzer


def carry(page: Page, start: Operator | Analyzer, names: Sequence[str]) -> None:
    """Gives these parameters the values that they have on the page before, unless a lesson or the link sets one."""
    keys = {name: page.key(f"{start.key}.{name}") for name in names}
    before, saved = _saved(page.frame).get(start.key, (page.name, start))
    if before == page.name or st.session_state.get(page.key("lesson")) or any(map(address.linked, keys.values())):
        return
    for name, key in keys.items():
        value = getattr(saved, name)
        address.put(key, "\n".join(value) if isinstance(value, tuple) else value)


def keep(page: Page, edited: Operator | Analyzer) -> None:
    """Keeps the values of a list or of the analyzer for other pages, but not those of a lesson."""
    if not st.session_state.get(page.key("lesson")):
        _saved(page.frame)[edited.key] = page.name, edited


def needed(page: Page, retriever: R) -> R:
    """Draws the required widgets of a list in a popover, filled with the values from other pages.

    Rows may come from a file; if it cannot be read, an error is shown and the rows stay.
    """
    cls, f = type(retriever), page.frame
    start = cls()
    keys = {name: page.key(f"{cls.key}.{name}") for name in cls.required_knobs}
    carry(page, start, cls.required_knobs)
    place = st.popover(say(catalog.title(cls)), icon=":material/table_rows:", width="stretch")
    numbers = [field.name for field in fields_of(f.corpus) if field_reading(f.corpus, field.name).kind == NUMBER]
    if "rows" in keys:
        with place:
            _rows_from_file(page, cls, keys)
    edited = page.knobs(start, *cls.required_knobs, into=[place], offers={"field": numbers})
    if len(str(st.session_state.get(keys.get("rows", ""), ""))) > LONGEST_ROWS:
        address.leave_out(keys["rows"])
        with place:
            st.caption(_("The rows are too long for a link. A reader of the link has to give them again."))
    keep(page, edited)
    return edited


def lacking(retriever: Retriever) -> bool:
    """Returns whether the required parameters of a list are unset: it would find nothing."""
    return bool(retriever.required_knobs) and retriever == type(retriever)()


def _saved(f: Frame) -> dict[str, Any]:
    """Returns what this visitor has set up for this corpus, by key: the last page and the retriever or analyzer."""
    saved: dict[str, dict[str, Any]] = frame.visitor().store("given")
    return saved.setdefault(f.corpus.fingerprint, {})


def _rows_from_file(page: Page, cls: type[Retriever], keys: Mapping[str, str]) -> None:
    """Reads a file with a run: its lines become the rows, instead of a field."""
    seen = page.key(f"{cls.key}.read")
    file = st.file_uploader(_("File with a run or table"), key=page.key(f"{cls.key}.file"))
    if file is None or st.session_state.get(seen) == file.file_id:
        return
    with escape.problems():
        decoded = decode(file.getvalue())
        if decoded is None:
            message = Said("“{file}” is not a text file.", file=file.name)
            raise ParameterError(message, Said("Give a TREC run, or a table as CSV or TSV."))
        lines = [line for line in decoded.text.splitlines() if line.strip()]
        catalog.make(cls, {"rows": lines})
        st.session_state[seen] = file.file_id
        address.put(keys["rows"], "\n".join(lines))
        if "field" in keys:
            address.put(keys["field"], "")
        st.rerun()


def model_note(ranking: Ranking) -> str:
    """Returns the sentence on passages that the embedding model of a list has not read to their end."""
    embedder = getattr(ranking.made_by, "embedder", None)
    return say(reading_note(embedder, ranking.corpus)) if isinstance(embedder, Embedder) else ""


def panel(page: Page, source: Source, ranking: Ranking, query: Query) -> show.Panel:
    """Returns one list to draw, with its marks, and the reason if it is empty."""
    at = page.runner.index(source.retriever)
    if isinstance(at, Explains):
        mark, how = at.marker(query), say(at.reading(query))
    else:
        mark = why.meaning_marker(at, query.text) if source.retriever.compares else word_marker(query.text, Analyzer())
        how = say(ranking.evidence.note) if isinstance(ranking.evidence, Compared | Answered) else ""
    how = listed(filter(None, (how, added_terms(source.retriever, query), model_note(ranking))), " · ")
    empty = "" if ranking.hits else nothing(ranking, at)
    mark = show.remembered(mark, source.retriever, query, ranking.corpus.fingerprint)
    return show.Panel(ranking, source.name, source.colour, mark, unit=how, empty=empty)


def added_terms(retriever: Retriever, query: Query) -> str:
    """Returns how many pairs and characters of a Chinese question a lexical list adds to its words."""
    if not isinstance(retriever, Lexical):
        return ""
    every, words = (
        {*analyzer.for_query(query.text).tokens(analyzer.without_asker(query.text))}
        for analyzer in (retriever.analyzer, replace(retriever.analyzer, bigrams=False, characters=False))
    )
    n = len(every - words)
    message = _n("besides the words: {n} pair or character", "besides the words: {n} pairs and characters", n)
    return message if n else ""


def fused_panel(name: str, ranking: Ranking, parents: Sequence[show.Panel], colour: str) -> show.Panel:
    """Returns a fused list to draw: its bars show what each list adds, its rows the ranks that were fused."""

    def paint(part: Contribution) -> str:
        return colour if part.of is None else parents[part.of].colour

    def ranks(hit: Hit) -> list[tuple[str, str]]:
        at = ((parent.ranking.rank(hit.document.id), parent.colour) for parent in parents)
        return [(str(rank or "–"), colour) for rank, colour in at]

    unit, empty = listed(order_warnings(ranking), " "), _("All lists are empty: there is nothing to fuse.")
    return show.Panel(ranking, name, colour, parents[0].mark, paint=paint, ranks=ranks, empty=empty, unit=unit)


@dataclass(frozen=True)
class First:
    """The first stage of a page that refines: its search, its ranking, and its panel."""

    search: Pipeline
    ranking: Ranking
    panel: show.Panel

    @property
    def names(self) -> dict[Operator, str]:
        """The page's name of the list that several others are fused into."""
        return {r.made_by: self.panel.name for r in self.ranking.lineage() if len(r.parents) > 1}


def first(page: Page, query: Query, depth: int) -> First:
    """Returns the candidates that the visitor chooses: the first ``depth`` of one list, or of several fused ones.

    Draws the picker; ends the page if nothing is chosen.
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
            head = replace(head, empty=listed((labelled(name, reason) for name, reason in reasons.items()), " "))
    return First(search, ranking, head)


def first_stage(lists: Sequence[Searcher], depth: int) -> Pipeline:
    """Returns the first ``depth`` of one list; several are fused by the min-max sum, the first with double weight.

    Each fused list returns ``depth`` results.  Fused results beyond ``depth`` are recorded as dropped, with their rank.
    """
    if len(lists) == 1:
        return Pipeline((lists[0],), depth=depth if depth > DEPTH else None) % depth
    other = 1 / (len(lists) + 1)
    fused = WeightedSum((2 * other, *([other] * (len(lists) - 1))))(*lists, depth=depth)
    return Pipeline((fused,), depth=depth * len(lists)) % depth
