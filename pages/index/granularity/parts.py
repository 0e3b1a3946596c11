"""Parts of the Granularity page: the indexes to choose from, the match shown under every hit, the chunks of a document,
the costs of an index, and the texts that a language model writes about a corpus on request."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from lab import catalog
from lab.algebra import (
    Derivation,
    Document,
    Fusion,
    Hit,
    Lift,
    Pipeline,
    Progress,
    Query,
    Ranking,
    Retriever,
    Searcher,
    Stage,
)
from lab.derive.chunk import Chunk
from lab.derive.context import ContextLine
from lab.derive.parts import Sentences
from lab.derive.written import Written
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import compare, describe_difference
from lab.explain.indexing import Cost, cost, size
from lab.explain.lifting import Lifting, Piece, effect, lifting, stretches
from lab.retrieve.vector import Vector
from lab.text import cut, language_of
from lab.ui import address, components, escape, palette
from lab.ui.i18n import _, _n, listed
from lab.ui.layout import knobs, tables
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import show
from lab.ui.lists.sources import Source
from lab.ui.models import writing
from lab.ui.study import measuring
from pages.index.granularity import context

WHOLE, LAB, BESIDE = "whole", "lab", "beside-"
"""The keys of whole passages, of the list that other pages have, and what stands before one that is asked beside."""
LONGEST_SHOWN = 1600
"""So many characters of a document are shown under each cut, around the piece that was matched."""
MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Index:
    """An index to compare: its search, and how its entries are derived from the documents.

    Without ``derivation`` the documents themselves are searched.
    """

    key: str
    name: str
    colour: str
    search: Searcher
    derivation: Derivation | None = None

    @property
    def pieces(self) -> str:
        """What its entries are called."""
        return self.name if self.derivation is None else technique_name(type(self.derivation))


def kinds() -> dict[str, type[Derivation]]:
    """What a corpus can be turned into, but for what only cuts an upload or hides passages, by its key."""
    return {cls.key: cls for cls in catalog.derivations().values() if cls.key != "chunk" and cls.role == "units"}


def choose(p: Page) -> list[str]:
    """The keys of the indexes that the visitor chooses: of whole passages, of another kind, of both side by side."""
    known = {cls.key: technique_name(cls) for cls in kinds().values()}
    words = {WHOLE: _("Whole passages"), LAB: _("As on other pages"), **known}
    words |= {BESIDE + key: _("Whole + {index}", index=name) for key, name in known.items()}
    default = [WHOLE, "parentchild", LAB]
    help_text = _(
        "All indexes use the same retriever. “As on other pages”: vectors compare the best sentence as well as the "
        "whole passage. “Whole +” searches two indexes and adds up their scores."
    )
    return p.several("indexes", _("Indexes"), list(words), default, help_text, format_func=words.__getitem__)


def first_chunks(p: Page) -> Chunk | None:
    """Returns the chunking applied before indexing, whose chunks are the results; None for whole documents."""
    told = _(
        "Maximum characters of the chunks that are cut first; the indexes are made of these chunks, and the results "
        "are chunks. 0: indexes of whole documents."
    )
    size = p.number("first", _("Chunks first"), 0, 10_000, 0, told)
    at = str(st.session_state.get(p.key("parentchild.at"), "sentence"))
    return Chunk(size=max(size, 20), overlap=0, at="exact" if at == "exact" else "size") if size else None


def of_chunks(rankings: Iterable[Ranking], relevant: Mapping[str, int]) -> dict[str, int]:
    """The grades of the documents, and for every chunk that came back that of the document that it was cut from."""
    grades = dict(relevant)
    for ranking in rankings:
        for hit in ranking.hits:
            if hit.document.id in ranking.corpus.origins:
                grade = relevant.get(ranking.corpus.origins[hit.document.id], 0)
                grades |= {hit.document.id: grade} if grade else {}
    return grades


def chunk(rankings: Iterable[Ranking], doc: str) -> Document | None:
    """The chunk of this id that came back."""
    return next((hit.document for ranking in rankings if (hit := ranking.hit(doc))), None)


def configured(p: Page, keys: Sequence[str]) -> dict[str, Derivation]:
    """The derivations of these indexes with the visitor's knobs."""
    keys_in_order = dict.fromkeys(key.removeprefix(BESIDE) for key in keys if key not in (WHOLE, LAB))
    if context.KEY in keys_in_order:  # its chunks are those of “Parent and child”
        keys_in_order.setdefault(context.PARENT_CHILD)
    return context.with_cut({key: _configured(p, kinds()[key]()) for key in keys_in_order})


def _configured(p: Page, start: Derivation) -> Derivation:
    common = [f.name for f in dataclasses.fields(start) if f.metadata["kind"] in knobs.COMMON]
    return p.knobs(start, *common, with_name=True)


def indexes(
    keys: Sequence[str],
    source: Source,
    of_lab: Retriever,
    derivations: Mapping[str, Derivation],
    lift: Stage,
    window: Stage,
    fusion: Fusion,
    first: Chunk | None = None,
) -> list[Index]:
    """The indexes by their keys, each with its search; sentences are returned with their neighbours.

    Of chunks that are cut ``first`` an index gives the chunks; beside the whole passages, their documents.
    """
    indexes = []
    for key in keys:
        derivation = derivations.get(key.removeprefix(BESIDE))
        if derivation is None:
            is_lab, retriever = key == LAB, of_lab if key == LAB else source.retriever
            if not is_lab or of_lab != source.retriever:  # without vectors both are the same list
                colour = palette.shade(source.colour, 1) if is_lab else source.colour
                indexes.append(Index(key, undivided(retriever), colour, retriever))
            continue
        after = (lift, window) if isinstance(derivation, Sentences) else (lift,)
        if first is not None and key.startswith(BESIDE):
            after = (*after, Lift())
        derive = (derivation,) if first is None else (first, derivation)
        search: Searcher = Pipeline((source.retriever,), derive=derive, refine=after)
        name, colour = technique_name(type(derivation)), palette.named("refined")
        if key.startswith(BESIDE):
            search, name = fusion(source.retriever, search), _("Whole + {index}", index=name)
            colour = palette.named("fused")
        beside = key.startswith(BESIDE)
        before = sum(index.derivation is not None and index.key.startswith(BESIDE) == beside for index in indexes)
        indexes.append(Index(key, name, palette.shade(colour, before), search, derivation))
    return indexes


def retriever_name(source: Source, name: str) -> str:
    """Returns the name of a retriever to choose: what compares vectors compares whole passages here."""
    if not isinstance(source.retriever, Vector):
        return name
    return _("{name}, whole passages only", name=name)


def undivided(retriever: Retriever) -> str:
    """Returns the name of a list of passages that are indexed without being divided."""
    if not isinstance(retriever, Vector):
        return _("Whole passages")
    return _("Vector, whole passages only") if retriever.pieces == "whole" else _("Vector, as on other pages")


# ------------------------------------------------------------------------------------- what was matched


def panel(index: Index, ranking: Ranking, plain: show.Panel) -> show.Panel:
    """Returns the panel of one list; an aggregated list also shows the match under every hit and in its text."""
    below = _("compares the whole passage and its best sentence") if index.key == LAB else ""
    panel = replace(plain, ranking=ranking, name=index.name, colour=index.colour, below=below)
    way = lifting(ranking)
    if index.derivation is None or way is None:
        return panel
    return replace(panel, evidence=lambda hit: matched(way, hit))


def matched(way: Lifting, hit: Hit) -> tuple[list[tuple[int, int]], str]:
    """Returns the spans of the matched chunks in the text of a hit, and a short description of the match."""
    pieces = way.pieces_of(hit.document.id)
    matched_pieces = sorted((p for p in pieces if p.rank is not None), key=lambda p: p.rank or 0)
    if not matched_pieces:
        return [], _("found only as a whole")
    lit = [p for p in matched_pieces if p.counted]
    if lit[0].start is None:
        return [], _("matched: {text}", text=" ".join(cut(p.document.text, 120) for p in lit[:3]))
    text, whole = hit.document.text, way.documents.hit(hit.document.id)
    long = len(whole.document.text) if whole else len(text)
    spans = [(at, at + len(p.document.text)) for p in lit if (at := text.find(p.document.text)) >= 0]
    if len(pieces) == 1:
        reason = _("not split: matched as a whole")
    elif len(lit) == 1:
        numbers = {"n": pieces.index(lit[0]) + 1, "all": len(pieces), "a": len(lit[0].document.text), "b": long}
        reason = _("matched: chunk {n} of {all}, characters {a} of {b}", **numbers)
    else:
        reason = _("chunks that count: {n} of {all}", n=len(lit), all=len(pieces))
    if len(text) < long:
        reason += " · " + _("characters returned: {n}", n=len(text))
    return _merged(spans), reason


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order; one that begins in another is left out."""
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if not merged or a >= merged[-1][1]:
            merged.append((a, b))
    return merged


def cuts(indexes: Sequence[Index], rankings: Mapping[str, Ranking]) -> dict[str, tuple[Index, Lifting]]:
    """The indexes that are of pieces, each with the step at which they became documents; of equal cuts the first."""
    by_derivation: dict[Derivation, tuple[Index, Lifting]] = {}
    for index in indexes:
        way = lifting(rankings[index.name])
        if index.derivation is not None and way is not None:
            by_derivation.setdefault(index.derivation, (index, way))
    return {index.name: (index, way) for index, way in by_derivation.values()}


def contexts(
    p: Page,
    indexes: Sequence[Index],
    rankings: Mapping[str, Ranking],
    source: Source,
    query: Query,
    document: Document,
    first: Chunk | None,
) -> None:
    """Draws a chunk of the document under each line of context, if an index of chunks with context is chosen."""
    for index in indexes:
        if isinstance(index.derivation, ContextLine):
            context.section(p, index.derivation, lifting(rankings[index.name]), source, query, document, first)
            return


def effects(indexes: Mapping[str, tuple[Index, Lifting]], by: str, k: int) -> None:
    """What the way to lift made of every list of pieces, in sentences."""
    for index, way in indexes.values():
        text = listed(effect(way, by, k), " ")
        st.markdown(f"**{escape.plain(index.pieces)}** · {escape.plain(text) or '–'}")


# ------------------------------------------------------------------------------------- how one document is cut


def picture(document: Document, indexes: Mapping[str, tuple[Index, Lifting]]) -> None:
    """Draws one document as each index splits it, with the matched chunks and those that count."""
    st.markdown(f"**{escape.plain(document.label, 80)}**")
    components.cuts({"rows": [_row(document, index, way) for index, way in indexes.values()]}, key="granularity.cuts")
    st.caption(_("Each tint is a chunk. Underlined: retrieved for this question; yellow: counts in the score."))


def _row(document: Document, index: Index, way: Lifting) -> dict[str, Any]:
    own = way.pieces_of(document.id)
    lit = [(n, p) for n, p in enumerate(own) if p.counted]
    which = _("matched: number {which}", which=[str(n + 1) for n, _p in lit]) if lit else _("none was found")
    note = _n("{n} chunk", "{n} chunks", len(own)) + " · " + (_title(*lit[0]) if len(lit) == 1 else which)
    inside = any(p.start is not None for p in own)
    outside = [[p.document.text, f"own {_look(n, p)}", _title(n, p)] for n, p in enumerate(own)]
    pieces = _inside(document.text, own) if inside else outside
    if not own:
        pieces = [[_("This index does not contain this passage."), "gap", ""]]
    return {"name": index.pieces, "note": note, "color": index.colour, "pieces": pieces}


def _inside(text: str, pieces: Sequence[Piece]) -> list[list[str]]:
    """The text cut into its pieces: at most `LONGEST_SHOWN` characters, around the first one that counts."""
    at = next((p.start or 0 for p in pieces if p.counted), 0)
    low = 0 if at + LONGEST_SHOWN // 2 <= LONGEST_SHOWN else at - LONGEST_SHOWN // 2
    high, segments, section = low + LONGEST_SHOWN, list[list[str]](), 0
    for a, b, numbers in stretches(text, pieces):
        if b <= low or a >= high:
            continue
        piece = pieces[numbers[0]] if numbers else None
        if piece is not None and section and piece.section != section:
            segments.append(["‖", "border", _("End of a parent chunk.")])
        section = piece.section if piece else section
        look = " ".join(dict.fromkeys(" ".join(_look(n, pieces[n]) for n in numbers).split()))
        look += " over" if len(numbers) > 1 else ""
        segments.append([text[max(a, low) : min(b, high)], look, "\n".join(_title(n, pieces[n]) for n in numbers)])
    gap = ["…", "gap", ""]
    return [*([gap] if low else []), *segments, *([gap] if high < len(text) else [])]


def _look(n: int, piece: Piece) -> str:
    kind = "lit" if piece.counted else "found" if piece.rank is not None else ""
    return f"{kind} other".strip() if n % 2 else kind


def _title(n: int, piece: Piece) -> str:
    text = _("chunk {n}, characters: {size}", n=n + 1, size=len(piece.document.text))
    if piece.rank is None or piece.score is None:
        return text + " · " + _("not found")
    return text + " · " + _("rank {rank} among the chunks, score {score}", rank=piece.rank, score=f"{piece.score:.4g}")


# --------------------------------------------------------------------------------------------- what it costs


@dataclass(frozen=True)
class Measured:
    """What indexes cost, and how good they are where questions are judged, by their names."""

    costs: Mapping[str, Cost]
    scores: Mapping[str, Scores]


def table(p: Page, indexes: Sequence[Index]) -> None:
    """Entries, characters, build time, memory and nDCG@10 of every index; what takes time is measured by a click."""
    c, searches = p.frame.collection, {index.name: index.search for index in indexes}
    chunked = any(isinstance(s, Pipeline) and any(isinstance(d, Chunk) for d in s.derive) for s in searches.values())
    sizes = {name: size(search, c.corpus, p.models) for name, search in searches.items()}
    about = (c.fingerprint, tuple(searches.items()))
    judged = len(c.judged)
    message = (
        _n("Measure time, memory and {n} question", "Measure time, memory and {n} questions", judged)
        if judged
        else _("Measure time and memory")
    )
    if st.button(message, key=p.key("measure"), icon=":material/play_arrow:"):
        st.session_state["_granularity_measured"] = about

    def make(progress: Progress) -> Measured:
        models = p.models_now
        costs = {name: cost(search, c.corpus, models, progress) for name, search in searches.items()}
        if not judged:
            return Measured(costs, {})
        whole = {name: search >> Lift() for name, search in searches.items()}  # documents are judged, not their chunks
        runs = run_many(whole if chunked else searches, c.corpus, c.judged, models=models, progress=progress)
        return Measured(costs, {name: measure_run(run, c.qrels, [MEASURE]) for name, run in runs.items()})

    requested = st.session_state.get("_granularity_measured") == about  # under anything else it is no longer true
    measured = measuring.remembered(p.key("costs"), about, make, _("Measuring …")) if requested else None
    rows = []
    first = next(iter(measured.scores.values()), None) if measured else None
    for name, one in sizes.items():
        own = measured.costs[name] if measured else None
        score = measured.scores.get(name) if measured else None
        mean = score.means[MEASURE] if score else None
        away = mean - first.means[MEASURE] if first and mean is not None else None
        figures = (1000 * own.seconds, own.bytes / 2**20) if own else (None, None)
        rows.append((name, one.entries, one.characters, *figures, mean, away))
    number = st.column_config.NumberColumn
    columns: dict[str, Any] = {
        "index": _("Index"),
        "entries": _("Entries"),
        "characters": number(_("Characters"), format="localized", help=_("Titles included.")),
        "build": number(_("Build, ms"), format="%.0f"),
        "memory": number(_("Memory, MiB"), format="%.2f"),
        "quality": number(MEASURE, format="%.4f"),
        "away": number(_("against the first"), format="%+.4f"),
    }
    cells = [
        {name: cell for name, cell in zip(columns, row, strict=True) if measured or cell is not None} for row in rows
    ]
    tables.draw(_("Cost of each index"), cells, key=p.key("costs"), columns=columns)
    if measured and any(cost.written for cost in measured.costs.values()):
        st.caption(_("Build times do not include the language model's writing."))
    if measured:
        lab = next((index.name for index in indexes if index.key == LAB), None)
        verdicts(measured.scores, lab)


def verdicts(scores: Mapping[str, Scores], lab: str | None) -> None:
    """Says of every index whether it is better than the first, and than the list that other pages have."""
    names = list(scores)
    pairs = [(names[0], name) for name in names[1:]] if names else []
    pairs += (
        [(lab, name) for name in names[1:] if name != lab]
        if lab is not None and lab in scores and lab != names[0]
        else []
    )
    for base, name in pairs:
        difference = compare(scores[base], scores[name], MEASURE)
        *_before, verdict = describe_difference(difference, difference.p, difference.randomised)
        numbers = {"name": name, "base": base, "better": difference.better, "worse": difference.worse}
        numbers |= {"equal": difference.equal, "mean": f"{difference.mean:+.3f}", "measure": MEASURE}
        message = _(
            "{name} against {base}: {measure} {mean}; questions better {better}, equal {equal}, worse {worse}.",
            **numbers,
        )
        st.caption(escape.plain(listed((message, verdict), " ")))


# --------------------------------------------------------------------------------------- by a language model


def written(p: Page, derivations: Mapping[str, Derivation]) -> dict[str, Derivation]:
    """The derivations, by the visitor's language model where it has written all that is needed.

    Before that the page shows the prompt and what would be sent, and asks: nothing is sent without a click.
    """
    model = p.models.get("chat")
    written = dict(derivations)
    rules = {key: derivation for key, derivation in derivations.items() if isinstance(derivation, Written)}
    if model is None:
        if rules:
            message = _(
                "Written by rules, without a language model. With one (sidebar), the model writes them instead."
            )
            st.caption(message)
        return written
    for key, rule in rules.items():
        with st.container(border=True, key=p.key(f"written.{key}")):
            written[key] = _written(p, key, rule)
    return written


def _written(p: Page, key: str, rule: Written) -> Derivation:
    """What the model has written about the whole corpus, or the rule, with the way to the model."""
    corpus, model, name = p.frame.corpus, p.models_now["chat"], technique_name(type(rule))
    with p.fold(f"prompt.{key}", _("The prompt of “{name}”", name=name), ":material/terminal:") as seen:
        usual = rule.prompt(language_of(corpus.documents[0].content)) if len(corpus) else ""
        edited = p.knobs(replace(rule, template=usual), "template") if seen else _prompted(p, rule, usual)
    derivation = replace(rule, model="chat", template="" if edited.template == usual else edited.template)
    if not writing.ready(p, key, derivation, corpus, rule=True):
        return rule
    st.caption(_("{name}: written by {model}, kept with the corpus.", name=name, model=escape.plain(model.label)))
    return derivation


def _prompted(p: Page, rule: Written, usual: str) -> Written:
    """The rule with the prompt that a link or the visitor has set, while its fold is closed."""
    key = address.keep(p.key(f"{rule.key}.template"), usual)
    return replace(rule, template=str(st.session_state[key]))
