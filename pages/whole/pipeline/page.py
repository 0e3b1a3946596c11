"""Pipeline: searches built with the mouse, side by side on one question, taken apart and taken home."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab import catalog
from lab.algebra import DEPTH, Ranking, Searcher
from lab.explain.differences import differences
from lab.explain.parting import Parting
from lab.explain.trace import Trace, trace
from lab.retrieve.explaining import word_marker
from lab.text import Analyzer, cut
from lab.ui import address, palette
from lab.ui.escape import plain
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, ways, whereabouts
from lab.ui.models import downloads, writing
from lab.ui.study import building, pipelines
from lab.ui.study.building import Built
from pages.whole.pipeline import ablating, flow, inspector, saving

p = Page(
    "pipeline",
    _("Pipeline"),
    _("A search is a sequence of steps. Build several and see what each step adds and removes."),
)
f = p.frame
p.lessons()
query = p.query()
pipelines_by_letter = building.read(p)

row = p.row([3.4, 2, 1.4])
with row[0]:
    tab = p.choose(
        "tab",
        _("View"),
        ("build", "ablate"),
        "build",
        format_func={"build": _("Build and compare"), "ablate": _("Ablation")}.__getitem__,
    )
with row[1]:
    pipelines.adding(p, pipelines_by_letter)
k = p.number("k", _("Show"), 1, 50, 8, into=row[2])
inspector.problem()
if not pipelines_by_letter:
    p.stop(_("There is no pipeline yet. “Add a pipeline” offers some to start with."), ":material/account_tree:")


def titled(letter: str, built: Built) -> str:
    """What a pipeline is called: its letter, and its own name, the preset's that it is, or what it is made of."""
    search = built.search
    name = built.whole.name or building.preset_of(search) or say(search.label)
    return f"{letter.upper()} · {cut(name, 44)}"


def chosen_part() -> tuple[str, str]:
    """The selected part: the letter of its pipeline and its path; at first the last part of the first pipeline."""
    first = next(iter(pipelines_by_letter))
    last = pipelines_by_letter[first].whole.parts()[-1].path
    key = address.keep(p.key("at"), f"{first}/{last}", address.text(200))
    letter, _slash, path = str(st.session_state[key]).partition("/")
    if letter not in pipelines_by_letter or not building.exists(pipelines_by_letter[letter].whole, path):
        st.session_state[key] = f"{first}/{last}"
        return first, last
    return letter, path


if tab == "ablate":
    ready = pipelines.ready(p, {titled(letter, built): built.search for letter, built in pipelines_by_letter.items()})
    if ready:
        writing.hold(p, ready.values())
        ablating.tab(p, ready)
    p.stop()

letter, path = chosen_part()
left, right = st.columns([2.4, 1], gap="medium")
with left:
    picture, stage = st.container(), p.stage()
with right, st.container(border=True, key="pipeline-part"):
    st.markdown(f"**{plain(inspector.title(letter, pipelines_by_letter[letter].whole, path))}**")
    if not path:
        pipelines.duplicate_or_remove(p, letter, pipelines_by_letter)
    pipelines_by_letter[letter] = inspector.draw(p, letter, pipelines_by_letter[letter], path)
    below = st.container()

titles = {letter: titled(letter, built) for letter, built in pipelines_by_letter.items()}
colours = {letter: palette.shade(palette.named("fused"), i) for i, letter in enumerate(pipelines_by_letter)}


def traced() -> dict[str, Trace]:
    """Every pipeline step by step; what they have in common is searched once."""
    return {x: trace(p.runner, b.search, query, DEPTH, check=downloads.refuse) for x, b in pipelines_by_letter.items()}


searches: dict[str, Searcher] = {titles[letter]: built.search for letter, built in pipelines_by_letter.items()}
writing.hold(p, searches.values())
traces = p.work("trace", _("Searching …"), traced, about=(query, tuple(searches.items()))) or {}
if not traces:
    p.stop()
p.offer_spelling(query)
found = {titles[x]: replace(t.ranking, seconds=t.seconds) for x, t in traces.items() if t.ranking is not None}
relevant = show.relevance(f, query)
p.tries(searches, found, query, relevant)
words = next(
    (
        part_with_words.analyzer
        for s in searches.values()
        for part_with_words in catalog.inside(s)
        if hasattr(part_with_words, "analyzer")
    ),
    None,
)
mark = word_marker(query.text, words or Analyzer())


def panel(ranking: Ranking, name: str, colour: str) -> show.Panel:
    """One list to draw, with the reason where it is empty."""
    note = sources.model_note(ranking)
    return show.Panel(ranking, name, colour, mark, unit=note, empty=pipelines.nothing(p, ranking))


panels = [panel(found[titles[x]], titles[x], colours[x]) for x in pipelines_by_letter if titles[x] in found]
every = [r for t in traces.values() for rankings in t.steps.values() for r in rankings]
doc = show.selected([*panels, *(show.Panel(r, "", "", mark) for r in every)], relevant, k)
columns = [flow.Column(x, titles[x], b, traces[x], colours[x]) for x, b in pipelines_by_letter.items()]
with picture:
    flow.draw(p, columns, f"{letter}/{path}", doc)
    if document := f.corpus.get(doc):
        text = _(
            "Large numbers: ranks of “{title}”. Click a step for its settings and list; + adds one.",
            title=plain(document.label, 60),
        )
        st.caption(text)


def part(built: Built, trace: Trace, path: str) -> None:
    """Draws the lists of the selected part and the removed passages, or why there are no lists."""
    at = built.at_work(path)
    pipelines.show_error(p, trace, at, building.find(built.whole, path) if "+" not in path else None)
    pipelines.wordings(trace, at)
    rankings = trace.steps.get(at, ()) if at is not None else ()
    if not path and trace.ranking is not None:
        rankings = (trace.ranking,)
    panels = [panel(r, say(r.query.kind) or say(r.made_by.label), palette.family(r.made_by)) for r in rankings]
    removed = pipelines.removed(rankings, 50)
    if panels:
        show.lists(
            "pipeline.part", panels, f, pinned=False, depth=min(k, 5), chosen=doc, relevant=relevant, removed=removed
        )


with below:
    part(pipelines_by_letter[letter], traces[letter], path)


def compared() -> None:
    """What differs between the first pipeline and every other one, and between their lists."""
    (first, base), *rest = pipelines_by_letter.items()
    for other, built in rest:
        st.markdown(f"**{plain(titles[first])}** ↔ **{plain(titles[other])}**")
        sentences = [say(x) for x in differences(base.search, built.search)]
        lines = sentences or [_("The two searches are identical.")]
        if titles[first] in found and titles[other] in found:
            lists = found[titles[first]], found[titles[other]]
            lines.append(pipelines.agreement(*lists, k))
            lines += map(say, Parting.between(*lists, k, first.upper()).sentences())
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))


with stage.container():
    if panels:
        show.lists("pipeline", panels, f, depth=k, chosen=doc, relevant=relevant)
    with st.container(key=p.key("decided")):
        pipelines.show_decisions(found)
    if len(pipelines_by_letter) > 1:
        with p.box(_("Differences")):
            compared()


def biography(doc: str) -> None:
    """The way of one document through every pipeline, and its text."""
    for x, t in traces.items():
        if t.ranking is not None:
            st.caption(plain(titles[x]))
            ways.biography(t.ranking, doc)
    if document := f.corpus.get(doc):
        show.passage("pipeline", document, mark)


def step_by_step() -> None:
    """The way of one document, folded."""
    if every and doc:
        with p.fold("way", _("One document, step by step"), ":material/timeline:") as seen:
            if seen:
                biography(show.pick("pipeline", [*found.values(), *every], doc))


def locate() -> None:
    """Asks for a passage in the list of every pipeline that ran."""
    whereabouts.field(p, {name: searches[name] for name in found}, query, k)


locate()
step_by_step()
saving.draw(p, searches)
p.end(searches, found)
