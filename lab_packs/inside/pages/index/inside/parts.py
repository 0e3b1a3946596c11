"""The postings of a question as a picture, one step of the walk in words, Boolean evaluation and bytes as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lab.algebra import Contribution, Corpus, Hit, Query, Ranking
from lab.retrieve.lexical import LARGE, MANY, Lexical, LexicalIndex
from lab.text import width as columns
from lab.ui import address, escape, palette
from lab.ui.figures import charts
from lab.ui.figures.charts import Figure, Part
from lab.ui.i18n import _, labelled
from lab.ui.layout import tables
from lab.words import Said
from lab_packs.inside.postings import Merge, Postings, Step, Walk, coded_bytes, conjunction, disjunction, gaps

SHOWN = 2_000
"""Passages in the picture at most."""
FIRST = 12
"""Document numbers that are shown of a list."""


def word_names(walk: Walk) -> list[str]:
    """The names of the lists; a pair of characters that is a word, too, has a list of its own."""
    names = [short(postings.name) for postings in walk.lists]
    return [_("{word} (pair)", word=name) if name in names[:i] else name for i, name in enumerate(names)]


def short(name: str) -> str:
    """A word without the stem that it is looked up by."""
    return str(name.values.get("word", name)) if isinstance(name, Said) else name


def telling(walk: Walk) -> int:
    """The step that says most, counted from 1: the first that leaves a passage, else the last; 0 if there is none."""
    left = (n for n, step in enumerate(walk.steps, 1) if step.score is None)
    over = (n for n in range(1, len(walk.steps)) if walk.passed(n)[0])
    return next(left, None) or next((n + 1 for n in over), len(walk.steps))


def so_far(walk: Walk, steps: int, query: Query, operator: Lexical, corpus: Corpus) -> Ranking:
    """Returns the best passages after this number of steps as a ranking."""
    by_document = {step.document: step for step in walk.steps[:steps]}
    hits = []
    for document, score in walk.best(steps):
        read, sums = dict(by_document[document].read), dict[str, float]()
        for i, postings in enumerate(walk.lists):
            if i in read or postings.floor:
                sums[postings.name] = sums.get(postings.name, 0.0) + read.get(i, 0.0) + postings.floor
        why = tuple(Contribution(name, value) for name, value in sums.items())
        hits.append(Hit(corpus.documents[document], score, why))
    return Ranking(query, tuple(hits), operator, corpus=corpus)


# ------------------------------------------------------------------------------------------------------ the picture

ROWS, GAP, SCORES, BELOW = (20, 16), 12, 66, 52
"""Pixels: a row of dots (of few, of many), above the rows, of the scores, of the numbers and the title below."""


def picture(walk: Walk, corpus: Corpus, colour: str, step: int, selected: str) -> Figure:
    """Draws the postings as rows of dots in corpus order, and above them the scores with the k-th best.

    A filled dot has been read.
    """
    end = min(walk.end, SHOWN)
    order = sorted(range(len(walk.lists)), key=lambda i: -walk.lists[i].bound)
    names, data, rows = word_names(walk), list[Part](), dict[int, int]()
    for row, i in enumerate(order):
        rows[i] = row
        postings, read = walk.lists[i], set(walk.reads(i))
        places = [d for d in postings.documents.tolist() if d < end]
        addends = postings.addends.tolist()
        for scored in (False, True):
            some = [n for n, d in enumerate(places) if (d in read) == scored]
            if not some:
                continue
            shown_places = [places[n] for n in some]
            fill = colour if scored else "rgba(0,0,0,0)"
            line = {"width": 1, "color": colour if scored else palette.mute()}
            marker: Part = {"size": 7, "color": fill, "opacity": 1 if scored else 0.6, "line": line}
            template = _("adds {value}") if scored else _("not read, would add {value}")
            hover = [
                f"{labelled(charts.hovered(names[i]), template.format(value=f'{addends[n]:.3f}'))}<br>"
                f"{charts.hovered(corpus.documents[d].label, 40)}"
                for n, d in zip(some, shown_places, strict=True)
            ]
            drawn: Part = {"mode": "markers", "marker": marker, "hovertext": hover, **charts.UNDIMMED}
            drawn["customdata"] = [corpus.documents[d].id for d in shown_places]
            data.append(
                charts.trace(
                    "scatter", [d + 1 for d in shown_places], [row] * len(shown_places), "%{hovertext}", **drawn
                )
            )
    data += _scores(walk, corpus, end, colour)
    ticks = {"tickvals": list(range(len(order))), "ticktext": [escape.safe(names[i], 18) for i in order]}
    rows_high = ROWS[len(order) > 8] * len(order)
    inner = rows_high + GAP + SCORES
    y: Part = {"range": [len(order) - 0.4, -0.6], "domain": [0, rows_high / inner], "showline": False, **ticks}
    y["tickfont"] = charts.font(12)
    bounds = [
        charts.note(1.01, row, f"≤ {walk.lists[i].bound:.2f}", 12, palette.quiet(), xref="paper", xanchor="left")
        for i, row in rows.items()
    ]
    bounds.append(
        charts.note(1.01, 1, _("upper bound"), 12, palette.quiet(), xref="paper", yref="paper", xanchor="left")
    )
    x = {
        "range": [0.2, end + 0.8],
        "title": {"text": _("passages, in corpus order"), "font": charts.font(12), "standoff": 12},
    }
    now: Part = {"at": walk.steps[step - 1].document + 1, "text": ""} if step else {"at": 0.5, "text": ""}
    axis = {
        "domain": [(rows_high + GAP) / inner, 1],
        "fixedrange": True,
        "tickfont": charts.font(12, palette.quiet()),
        "rangemode": "tozero",
    }
    axis |= {"showgrid": True, "gridcolor": palette.line(), "zeroline": False, "nticks": 3}
    marked = _marked(corpus, selected, end)
    left = 24 + 7 * max((columns(names[i][:18]) for i in order), default=0)
    return charts.figure(
        inner + 8 + BELOW,
        data,
        {"l": left, "r": 92, "b": BELOW},
        x=x | {"automargin": False},
        y=y | {"automargin": False},
        yaxis2=axis,
        annotations=bounds,
        shapes=marked,
        meta=now,
    )


def _scores(walk: Walk, corpus: Corpus, end: int, colour: str) -> list[Part]:
    """Returns the traces of each passage's score and of the score needed; a filled dot is a full score."""
    steps = [step for step in walk.steps if step.document < end]
    data = []
    for whole in (True, False):
        matching = [step for step in steps if (step.score is not None) == whole]
        if not matching:
            continue
        line = {"width": 1.5, "color": colour if whole else palette.mute()}
        marker = {"size": 7, "color": colour if whole else palette.paper(), "line": line}
        template = _("score {value}") if whole else _("left: at most {value}")
        values = [step.bound if step.score is None else step.score for step in matching]
        texts = [
            f"{charts.hovered(corpus.documents[s.document].label, 40)}<br>{template.format(value=f'{v:.3f}')}"
            for s, v in zip(matching, values, strict=True)
        ]
        drawn: Part = {"mode": "markers", "marker": marker, "hovertext": texts, "yaxis": "y2", **charts.UNDIMMED}
        drawn["customdata"] = [corpus.documents[step.document].id for step in matching]
        data.append(charts.trace("scatter", [step.document + 1 for step in matching], values, "%{hovertext}", **drawn))
    needed = [(step.document + 1, step.needed) for step in steps if step.needed is not None]
    if needed:
        xs, ys = [*(x for x, _y in needed), end + 0.8], [*(y for _x, y in needed), needed[-1][1]]
        how: Part = {"mode": "lines", "line": {"color": palette.ink(), "width": 1.5, "dash": "dot", "shape": "hv"}}
        data.append(charts.trace("scatter", xs, ys, yaxis="y2", **how))
    return data


def _marked(corpus: Corpus, selected: str, end: int) -> list[Part]:
    """A band behind the selected passage."""
    at = corpus.positions.get(selected)
    if at is None or at >= end:
        return []
    place = {"type": "rect", "xref": "x", "x0": at + 0.5, "x1": at + 1.5, "yref": "paper", "y0": 0, "y1": 1}
    return [{**place, "line": {"width": 0}, "fillcolor": palette.document(corpus, selected), "opacity": 0.25}]


# ---------------------------------------------------------------------------------------------------- one step in words


def read_so_far(walk: Walk) -> str:
    """How much of the postings is read, in one line."""
    share = f"{100 * walk.read / walk.postings:.0f}" if walk.postings else "0"
    counts = {"read": walk.read, "postings": walk.postings, "share": share}
    read = _("Postings read: {read} of {postings} ({share}%)", **counts)
    parts = [f"**{read}**"]
    visited = {"steps": len(walk.steps), "candidates": walk.candidates}
    parts.append(_("Passages visited: {steps} of {candidates} with a word of the question", **visited))
    parts.append(_("Scored in full: {n}", n=sum(step.score is not None for step in walk.steps)))
    return " · ".join(parts)


def in_words(walk: Walk, n: int, corpus: Corpus) -> None:
    """What happens at the step number ``n``, counted from 1."""
    step, names = walk.steps[n - 1], [escape.plain(name) for name in word_names(walk)]
    document = corpus.documents[step.document]
    place = {"step": n, "steps": len(walk.steps), "n": step.document + 1, "title": escape.plain(document.label, 60)}
    st.markdown(_("**Step {step} of {steps}:** passage {n}, “{title}”", **place))
    if passage_text := passed_over(walk, n - 1, names):
        st.caption(passage_text)
    st.markdown("\n".join(f"- {line}" for line in lines(walk, step, names)))
    st.markdown(outcome(walk, step, corpus))
    if n == len(walk.steps) and (passage_text := passed_over(walk, n, names)):
        st.caption(passage_text)


def lines(walk: Walk, step: Step, names: Sequence[str]) -> list[str]:
    """Describes what this step does with each list, in the order of execution."""
    lines = [_("“{word}”: read, adds {value}", word=names[i], value=f"{value:.3f}") for i, value in step.read]
    lines += [_("“{word}”: looked up, not in this passage", word=names[i]) for i in step.absent]
    bounds = {i: f"{walk.lists[i].bound:.3f}" for i in step.spared}
    lines += [_("“{word}”: not looked up, adds at most {value}", word=names[i], value=b) for i, b in bounds.items()]
    return lines


def outcome(walk: Walk, step: Step, corpus: Corpus) -> str:
    """What becomes of the passage of this step."""
    needed = "" if step.needed is None else f"{step.needed:.3f}"
    if step.score is None:
        numbers = {"bound": f"{step.bound:.3f}", "needed": needed, "k": walk.k}
        return _("**Left:** at most {bound} in all, but rank {k} so far has {needed}. The rest is not read.", **numbers)
    score = f"{step.score:.3f}"
    if not step.rank:
        numbers = {"score": score, "needed": needed, "k": walk.k}
        return _("**Score {score}:** not above {needed}, the score of rank {k} so far.", **numbers)
    text = _("**Score {score}:** rank {rank} so far.", score=score, rank=step.rank)
    if step.displaced is not None:
        title = escape.plain(corpus.documents[step.displaced].label, 60)
        text += " " + _("“{title}” is no longer among the best {k}.", title=title, k=walk.k)
    return text


def passed_over(walk: Walk, n: int, names: Sequence[str]) -> str:
    """Explains which passages are skipped before this step (counted from 0); empty if none are."""
    number, holding = walk.passed(n)
    if not number:
        return ""
    most = sum(walk.lists[i].bound for i in holding) + walk.constant
    needed = walk.steps[n].needed if n < len(walk.steps) else walk.best()[-1][1]
    numbers: dict[str, Any] = {"n": number, "words": "”, “".join(names[i] for i in holding), "most": f"{most:.3f}"}
    numbers["needed"] = f"{needed:.3f}"
    if n < len(walk.steps):
        return _(
            "Passages skipped before it: {n}, with only “{words}”. At most {most}, and {needed} is needed.", **numbers
        )
    return _("Passages skipped after it: {n}, with only “{words}”. At most {most}, and {needed} is needed.", **numbers)


def engine(index: LexicalIndex, query: Query, walk: Walk) -> str:
    """What the lab's own search does with this question."""
    scored, candidates = index.scored(query, k=walk.k), walk.candidates
    if walk.end == len(index.corpus) and scored == candidates:
        few = {"postings": f"{MANY:,}", "passages": f"{LARGE:,}"}
        return _(
            "The lab's own search adds up whole lists here. It skips from {postings} postings and {passages} passages "
            "on, where finding out what to skip costs less than reading it. Both give the same list.",
            **few,
        )
    return _("The lab's own search skips here, too; passages scored in full: {n}.", n=f"{scored:,}")


# ------------------------------------------------------------------------------------------------- sets and bytes


def boolean(walk: Walk) -> None:
    """AND from the rarest word to the most frequent, OR in the order of the question."""
    left, right = st.columns(2, gap="large")
    every, some = conjunction(walk.lists), disjunction(walk.lists)
    with left:
        st.markdown(_("**All of the words (AND)**"))
        _merges(every, "and", _("Passages with all words so far"))
    with right:
        st.markdown(_("**Any of the words (OR)**"))
        _merges(some, "or", _("Passages with any word so far"))


def _merges(merges: Sequence[Merge], name: str, left: str) -> None:
    rows = [{"word": short(m.name), "df": m.documents, "left": m.left} for m in merges]
    columns: dict[str, Any] = {"word": _("Word"), "df": _("Passages"), "left": left}
    tables.draw(left, rows, key=f"inside.{name}", columns=columns)


def bytes_of(lists: Mapping[str, Postings], key: str) -> None:
    """One list as it lies on a disk: document numbers, their distances, and the bytes of both."""
    address.keep(key, next(iter(lists)), address.choice(list(lists)))
    name = st.selectbox(_("List"), list(lists), key=key)
    postings = lists[name]
    distances = gaps(postings.documents)
    sizes = coded_bytes(distances)
    more = ["…"][: max(0, len(postings) - FIRST)]
    st.markdown(_("Passages: {numbers}", numbers=[*(postings.documents[:FIRST] + 1).tolist(), *more]))
    st.markdown(_("Gaps: {numbers}", numbers=[*distances[:FIRST].tolist(), *more]))
    sums = {"plain": f"{4 * len(postings):,}", "coded": f"{int(sizes.sum()):,}"}
    st.caption(_("Bytes as 32-bit numbers: {plain}; as gaps, with seven bits a byte: {coded}.", **sums))
