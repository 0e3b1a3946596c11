"""MMR: diversity, pick by pick."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.algebra import Document
from lab.refine.diversity import MMR, Pick, Replay
from lab.ui import address, escape, palette
from lab.ui.figures import charts, map_charts, rank_charts
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources, sums
from pages.combine.mmr import novelty

p = Page("mmr", _("MMR"), _("Trade similarity for diversity, one pick at a time."))
f = p.frame
p.lessons()
query = p.query(operators=True)

row = p.row([3, 3, 2, 2])
with row[0]:
    source = sources.choose_one(p, "vector", _("The list that MMR picks from."))
mmr = p.knobs(MMR(k=5), "lambda_mult", "k", "fetch_k", into=row[1:], high={"k": 20, "fetch_k": 100})
search = source.retriever >> mmr
picked = p.run({"": search}, query)[""]
ranking, replay = picked.parents[0], picked.evidence
relevant = show.relevance(f, query)
before = sources.panel(p, source, ranking, query)
if not isinstance(replay, Replay):
    p.stop(escape.plain(before.empty), ":material/search_off:")
colour = palette.family(mmr)
after = show.Panel(picked, "MMR", colour, before.mark)
doc = show.selected([after, before], relevant, mmr.k)


def firmness(pick: Pick) -> None:
    """Between which values of λ the pick stays, and who takes its place beyond them."""
    if pick.low <= 0 and pick.high >= 1:
        st.markdown(_("**This pick is the same for every λ.**"))
        return
    low, high = f"{pick.low:.3f}", f"{pick.high:.3f}"
    st.markdown(_("**This pick is the same for λ from {low} to {high}.**", low=low, high=high))
    sentences = []
    if pick.below:
        sentences.append(_("below {value}: “{title}”", value=low, title=escape.plain(pick.below.label, 30)))
    if pick.above:
        sentences.append(_("above {value}: “{title}”", value=high, title=escape.plain(pick.above.label, 30)))
    st.caption(" · ".join(sentences))


def alike(replay: Replay, documents: list[Document]) -> None:
    """The cosines of these documents with each other, and their mean."""
    table, n = replay.among(documents), len(documents)
    labels = [d.label.after(f"{i} ") for i, d in enumerate(documents, 1)]
    numbers = [str(i) for i in range(1, n + 1)]
    charts.draw(charts.table_map(table.tolist(), labels, numbers, colour, zmax=1), "mmr.heat")
    mean = (table.sum() - n) / (n * (n - 1)) if n > 1 else 0.0
    st.caption(_("mean cosine of two picks: {mean}", mean=f"{mean:.3f}"))


def explain(document: Document) -> None:
    """What one document got in the end, or why it was not picked."""
    hit = picked.hit(document.id)
    if hit:
        sums.bar(after, hit)
        message = _(
            "MMR value {value} = λ × similarity to the query − (1 − λ) × similarity to the nearest earlier pick",
            value=f"{hit.score:.4f}",
        )
        st.caption(message)
        return
    for drop in picked.dropped:
        if drop.document.id == document.id:
            st.markdown(escape.plain(say(drop.reason)))


plain = replace(before, name=_("Unchanged: {list}", list=before.name))
subtopics = f.collection.subtopics.get(query.id, {}) if query.id else {}
if subtopics:
    plain, after = novelty.with_chips(plain, subtopics), novelty.with_chips(after, subtopics)
with p.stage():
    show.lists("mmr", [plain, after], f, depth=mmr.k, chosen=doc, relevant=relevant)
    with p.box(_("The picks, one by one")):
        step_key, last = p.key("step"), len(replay.rows)
        address.keep(step_key, min(2, last), address.number(1, 20, whole=True))
        if st.session_state[step_key] > last:
            address.put(step_key, last)
        left, right = st.columns([1.5, 1], gap="large")
        with left:
            step = st.segmented_control(
                _("Pick"),
                list(range(1, last + 1)),
                key=step_key,
                required=True,
                help=_("Step through the picks; the arrow keys work, too."),
            )
            pick = replay.picks[(step or 1) - 1]
            st.caption(
                _("First pick: the candidate most similar to the query, for every λ.")
                if step == 1
                else _(
                    "Right: λ × similarity to the query. Left: (1 − λ) × similarity to the named nearest earlier "
                    "pick. The highest difference is picked."
                )
            )
            charts.draw(rank_charts.picks(pick.candidates[:10], f.corpus, pick.document.id), "mmr.picks")
        with right:
            firmness(pick)
            charts.draw(rank_charts.journeys(replay, f.corpus, mmr.lambda_mult), "mmr.journeys")
            st.caption(_("Picks (rows) by λ (columns); each change of colour is an exact tipping point."))
    if subtopics and relevant:
        with st.container(border=True, key=p.key("novelty")):
            novelty.draw(ranking, picked, relevant, subtopics, mmr.k)

document = f.corpus.get(doc)
if document is not None:
    with p.box(escape.plain(document.label, 80)):
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            explain(document)
        with right:
            show.passage("mmr", document, before.mark)

left, right = st.columns(2, gap="large")
with left, p.box(_("Similarity among the picks")):
    which = p.choose(
        "of_what",
        _("Picks shown"),
        ("mmr", "plain"),
        "mmr",
        format_func={"mmr": "MMR", "plain": _("unchanged top {k}", k=mmr.k)}.__getitem__,
    )
    alike(replay, [h.document for h in picked] if which == "mmr" else list(replay.documents[: mmr.k]))
with right, p.box(_("On the map")):
    st.caption(_("Candidates and query in two dimensions. Numbers are the picks in order."))
    numbers = {d: str(i) for i, d in enumerate(picked.ids, 1)}
    plane = map_charts.map_of(replay.documents, replay.vectors, replay.query, f.corpus, numbers, selected=doc)
    show.click(charts.clickable(plane, "mmr.map"))

p.end({"MMR": search}, {"MMR": picked, before.name: ranking}, [(before.name, ranking), ("MMR", picked)])
