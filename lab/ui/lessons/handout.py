"""Handouts: a lesson's questions and its results, as a page that prints and as Markdown, to take home.

The questions come first, with room to answer; the solutions are on pages of their own, which the sheet for pupils does
not have.  Page and Markdown have the same blocks.  The pictures are drawn by plotly.js in the page itself, which needs
nothing else: so it can be opened anywhere, and it saves itself as Markdown with its pictures.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from lab.algebra import Ranking
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.lessons import Lesson, spoken_of
from lab.lessons.asking import Prediction, predict, taken_home
from lab.lessons.checking import Checker, Result
from lab.text import cut
from lab.ui import components, escape, palette
from lab.ui.figures import charts, rank_charts
from lab.ui.figures.described import described
from lab.ui.i18n import _, both, labelled, language, listed, say
from lab.ui.layout import frame
from lab.ui.lessons.performing import Work, list_names, outcome
from lab.ui.lists import show

TOP = 5
"""Number of documents of every list in the table."""
LONGEST_PASSAGE = 320
"""Columns of the passage in the question; a Chinese character takes two."""
WIDE = 680
"""Pixels of a picture: the width of a printed page."""
Kind = Literal[
    "title",
    "head",
    "small",
    "text",
    "plain",
    "code",
    "list",
    "numbers",
    "table",
    "picture",
    "answers",
    "options",
    "lines",
]
Block = tuple[Kind, Any]
STYLE = """
@page { size: A4; margin: 14mm; }
body { max-width: 700px; margin: 2rem auto; padding: 0 1rem; color: #1e293b; background: #fff;
  font: 15px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-top: 1px solid #cbd5e1; padding-top: 1rem; }
.small { color: #475569; font-size: 0.86rem; }
ul { padding-left: 1.2rem; } li { margin: 0.15rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.82rem; table-layout: fixed; }
th, td { border: 1px solid #cbd5e1; padding: 0.25rem 0.4rem; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font-size: 0.8rem; background: #f1f5f9; padding: 0.5rem; }
th:first-child, td:first-child { width: 2.6rem; }
.picture { margin: 0.6rem 0; overflow-x: auto; }
.picture, tr, li, p { break-inside: avoid; } h2, h3 { break-after: avoid; } .answers { break-before: page; }
.options { list-style: none; padding-left: 1.2rem; display: flex; flex-wrap: wrap; gap: 0.1rem 1.4rem; }
.options li::before { content: "☐ "; } .lines { margin: 0.3rem 0 0.9rem 1.2rem; break-inside: avoid; }
.lines div { height: 1.75rem; border-bottom: 1px solid #94a3b8; }
nav { display: flex; gap: 0.6rem; } nav button { font: inherit; padding: 0.35rem 0.8rem; cursor: pointer; }
@media print { nav { display: none; } body { margin: 0 auto; padding: 0; } }
"""
SCRIPT = """
const drawn = FIGURES.map((figure, i) => Plotly.newPlot(`p${i}`, figure.data, figure.layout, { staticPlot: true }));
document.getElementById("print").onclick = () => window.print();
document.getElementById("save").onclick = async () => {
  await Promise.all(drawn);
  let text = MARKDOWN;
  for (let i = 0; i < FIGURES.length; i++) {
    const { width, height } = FIGURES[i].layout;
    const picture = await Plotly.toImage(`p${i}`, { format: "svg", width, height });
    text = text.replace(`(picture-${i})`, () => `(${picture})`);
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = NAME;
  link.click();
};
Promise.all(drawn).then(() => { document.body.dataset.drawn = "yes"; });
"""


@dataclass(frozen=True)
class Seen:
    """The content of a lesson: its lists by their names, the results of every sentence, and its questions."""

    lesson: Lesson
    prediction: Prediction
    rankings: Mapping[str, Ranking]
    names: Mapping[str, str]
    results: Sequence[Sequence[Result]]
    home: Sequence[Prediction]
    concept: str = ""
    """The prior knowledge of the lesson."""
    talk: str = ""
    """A suggestion for discussion."""

    def verdict(self, result: Result) -> str:
        """Returns the result of an expectation, with the name of its list."""
        return labelled(self.names.get(result.list, result.list), outcome(result))

    @property
    def doc(self) -> str:
        return self.prediction.about or self.prediction.winner or self.lesson.select

    def figure(self) -> charts.Figure:
        """Draws its picture: the ranks of the documents, or the numbers that decide."""
        if self.prediction.values:
            labels, values = (
                [say(label) for label, _v in self.prediction.values],
                [v for _label, v in self.prediction.values],
            )
            return charts.bars(values, labels, palette.named("fused"), digits=3)
        rankings = list(self.rankings.values())
        names = [self.names.get(name, name) for name in self.rankings]
        return rank_charts.rank_flow(
            rankings, names, palette.of_lists(rankings), rankings[0].corpus, depth=8, selected=self.doc
        )


def run_lesson(
    lesson: Lesson,
    collection: Collection,
    names: Mapping[str, str],
    lists: Iterable[str],
    ask: Mapping[str, Any] | None = None,
) -> Seen:
    """Runs a lesson on its collection: these lists of it are shown; ``names`` are the names of all its lists.

    Without ``ask``, the question is the first possible one about a rank that it mentions, else about a list's leader.
    """
    checker = Checker(lesson, collection)

    def list_title(name: str) -> str:
        return names.get(name, name)

    checker.called = list_title
    rankings = {name: checker.lists(name) for name in lists}
    titles = {name: list_title(name) for name in rankings}
    home = taken_home(checker, titles)
    first = next(iter(rankings))
    leads = {"leads": first, "of": rankings[first].ids[:3]}
    prediction = next(iter(home), None) if ask is None else predict(ask, checker, list_title)
    prediction = prediction or predict(leads, checker, list_title)
    steps = enumerate(lesson.steps)
    results = [
        [r for expectation in step.expect for r in checker(expectation, lesson.meant_at(i))] for i, step in steps
    ]
    return Seen(
        lesson, prediction, rankings, names, results, [further for further in home if further.text != prediction.text]
    )


def truth(prediction: Prediction) -> str:
    """Returns the solution, once: the right option is not repeated if the finding names it."""
    found = say(prediction.found)
    return found if prediction.plain else listed((prediction.options[prediction.answer], found), ". ")


def blocks(seen: Sequence[tuple[str, Seen]], title: str, *, solutions: bool = True) -> list[Block]:
    """Returns the blocks of a handout: the concept of each lesson, the questions and room to answer them.

    With ``solutions``, the results and answers of each lesson follow behind all questions.
    """
    front, behind = list[Block](), list[Block]()
    n = 0
    for head, item in seen:
        lesson, corpus = item.lesson, next(iter(item.rankings.values())).corpus
        front.append(("head", head))
        where = _("{name}, passages: {n}", name=frame.corpus_title(lesson.corpus), n=len(corpus))
        conversation = " → ".join(f"“{turn}”" for turn in (*lesson.turns, lesson.query))
        front.append(("small", " · ".join([where, listed((_("The question:"), conversation), " ")])))
        if item.concept:
            front.append(("text", item.concept))
        if document := corpus.get(item.prediction.about):
            front.append(("plain", labelled(document.label, cut(document.text, LONGEST_PASSAGE))))
        answers, first = list[str](), n + 1
        for prediction in (item.prediction, *item.home):
            n += 1
            front += [("numbers", (n, [say(prediction.text)])), ("options", [say(x) for x in prediction.options])]
            answers.append(truth(prediction))
        front += [("small", _("Your reasons:")), ("lines", 3)]
        if item.talk:
            front += [("text", _("To talk about: {text}", text=item.talk)), ("lines", 2)]
        behind += [("head", head), *_solution_blocks(item), ("small", _("Answers")), ("numbers", (first, answers))]
    return [("title", title), *front, *([("answers", _("Solutions")), *behind] if solutions else [])]


def _solution_blocks(seen: Seen) -> list[Block]:
    """Returns the results of a lesson: its sentences with their verdicts, the picture, the first of every list."""
    solution = list[Block]()
    for step, results in zip(seen.lesson.steps, seen.results, strict=True):
        is_sample = seen.lesson.corpus in samples.every_name()
        solution.append(("text" if is_sample else "plain", both(dict(step.text))))
        if results:
            solution.append(("list", [f"{'✓' if r.passed else '✗'} {seen.verdict(r)}" for r in results]))
    return [*solution, ("picture", seen.figure()), ("table", _table(seen))]


def _table(seen: Seen) -> list[list[str]]:
    """Returns the first documents of every list, with their scores as on the cards."""
    rows = [[_("Rank"), *(seen.names.get(name, name) for name in seen.rankings)]]
    for rank in range(max([min(TOP, len(r)) for r in seen.rankings.values()], default=0)):
        hits = [r.hits[rank] if rank < len(r) else None for r in seen.rankings.values()]
        cells = [f"{hit.document.label} ({show.number(hit.score)})" if hit else "–" for hit in hits]
        rows.append([str(rank + 1), *cells])
    return rows


def markdown(content: Sequence[Block]) -> str:
    """Returns the blocks as Markdown; the pictures are ``picture-0``, ``picture-1`` … until the page inserts them."""
    parts, pictures = list[str](), 0
    for kind, value in content:
        if kind == "picture":
            parts.append(f"![{escape.plain(described(value))}](picture-{pictures})")
            pictures += 1
        elif kind == "table":
            rows = [" | ".join(escape.plain(cell.replace("|", "/")) for cell in row) for row in value]
            parts.append("\n".join([f"| {rows[0]} |", "|" + " --- |" * len(value[0]), *(f"| {r} |" for r in rows[1:])]))
        elif kind in ("list", "numbers"):
            first, items = value if kind == "numbers" else (0, value)
            signs = [f"{first + i}." if first else "-" for i in range(len(items))]
            parts.append("\n".join(f"{sign} {escape.plain(item)}" for sign, item in zip(signs, items, strict=True)))
        elif kind == "options":
            parts.append("\n".join(f"- [ ] {escape.plain(option)}" for option in value))
        elif kind == "lines":
            parts.append("\n\n".join(["\\_" * 40] * value))
        elif kind == "code":
            parts.append(f"```sql\n{value}\n```")
        else:
            sign = {"title": "# ", "head": "## ", "answers": "## "}.get(kind, "")
            parts.append(sign + (value if kind == "text" else escape.plain(value)))
    return "\n\n".join(filter(None, parts)) + "\n"


def page(content: Sequence[Block], name: str) -> str:
    """Returns the blocks as one HTML file that prints on A4, draws its pictures, and saves itself as Markdown."""
    from plotly.offline import get_plotlyjs

    figures, parts = [dict(value) for kind, value in content if kind == "picture"], list[str]()
    for figure in figures:
        axes = {axis: {"automargin": True} | figure["layout"][axis] for axis in ("xaxis", "yaxis")}
        figure["layout"] = {**figure["layout"], **axes, "width": WIDE}
    pictures = iter(range(len(figures)))
    for kind, block in content:
        if kind == "picture":
            parts.append(f'<div class="picture" id="p{next(pictures)}"></div>')
        elif kind == "table":
            rows = ["".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) for tag, row in _tagged(block)]
            parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
        elif kind in ("list", "numbers"):
            first, items = block if kind == "numbers" else (0, block)
            tag = f'ol start="{first}"' if first else "ul"
            parts.append(f"<{tag}>{''.join(f'<li>{html.escape(item)}</li>' for item in items)}</{tag[:2]}>")
        elif kind == "options":
            parts.append(f'<ul class="options">{"".join(f"<li>{html.escape(option)}</li>" for option in block)}</ul>')
        elif kind == "lines":
            parts.append(f'<div class="lines">{"<div></div>" * block}</div>')
        elif kind == "code":
            parts.append(f"<pre>{html.escape(block)}</pre>")
        elif kind in ("title", "head", "answers"):
            tag = "h1" if kind == "title" else "h2"
            parts.append(f'<{tag} class="{kind}">{html.escape(block)}</{tag}>')
        else:
            parts.append(f'<p class="{kind}">{marked(block) if kind == "text" else html.escape(block)}</p>')
    data = {"FIGURES": figures, "MARKDOWN": markdown(content), "NAME": f"{name}.md"}
    known = "".join(f"const {key} = {_json(value)};\n" for key, value in data.items())
    on_paper, save = _("Print"), _("Save as Markdown")
    buttons = f'<nav><button id="print">{on_paper}</button><button id="save">{save}</button></nav>'
    head = f'<meta charset="utf-8"><title>{html.escape(str(content[0][1]))}</title><style>{STYLE}</style>'
    body = f"{buttons}{''.join(parts)}<script>{get_plotlyjs()}</script><script>{known}{SCRIPT}</script>"
    return f'<!doctype html><html lang="{language()}"><head>{head}</head><body>{body}</body></html>'


def _tagged(rows: Sequence[list[str]]) -> list[tuple[str, list[str]]]:
    return [("td" if i else "th", row) for i, row in enumerate(rows)]


def _json(value: Any) -> str:
    """Returns JSON that may be part of a script."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")


def marked(text: str) -> str:
    """Renders the few marks of Markdown that sentences of lessons have."""
    marked_up = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    marked_up = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", marked_up)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", marked_up)


def render(seen: Sequence[tuple[str, Seen]], title: str, name: str, *, solutions: bool = True) -> str:
    """Returns the page of these lessons, in the colours of paper."""
    with palette.printed():
        return page(blocks(seen, title, solutions=solutions), name)


def with_solutions(key: str) -> bool:
    """Lets the visitor choose between the sheet for pupils and the one with solutions."""
    pupils, teacher = _("Without solutions"), _("With solutions")
    chosen = st.segmented_control(_("Version"), (pupils, teacher), default=teacher, key=f"{key}.version", required=True)
    return chosen != pupils


def offer(content: str, name: str, key: str) -> None:
    """Draws the download of a handout, a page."""
    components.download(st, _("Handout"), content, f"{name}.html", "text/html", key=key, type="primary")
    st.caption(_("A page for the browser: prints on A4, and can be saved as Markdown with its pictures."))


def take(lesson: Lesson, collection: Collection, work: Work) -> None:
    """Draws the download of a lesson's handout, once its lists are computed."""

    def make() -> Seen:
        spoken = {name for expectation in lesson.expect for name in spoken_of(expectation)}
        lists = [name for name in lesson.lists if name in spoken]
        return run_lesson(lesson, collection, list_names(lesson), lists)

    if seen := work("handout", _("Preparing the handout …"), make, about=lesson):
        key, name = f"{lesson.page}.lesson.take", f"retrieval-lab-{lesson.id}"
        solutions = with_solutions(key)
        # a lesson's title states what it finds
        title = both(dict(lesson.title)) if solutions else _("A lesson of Retrieval Lab")
        offer(render([(f"“{lesson.query}”", seen)], title, name, solutions=solutions), name, key)
