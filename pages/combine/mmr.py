"""MMR: diversity, pick by pick."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.refine.diversity import MMR, Replay
from lab.ui import address, charts, escape, palette, show, sources
from lab.ui.i18n import _, say
from lab.ui.page import Page

p = Page(
    "mmr", _("MMR"), _("Ten hits that say the same, or five that say different things? Watch every pick being made.")
)
f = p.frame
p.lessons()
query = p.query()

row = st.columns([3, 3, 2, 2], vertical_alignment="bottom")
with row[0]:
    source = sources.choose_one(p, "vector", _("The list that MMR picks from."))
with row[1]:
    share = p.knob(
        MMR,
        "lambda_mult",
        "λ",
        _("1: only nearness to the query. 0: only distance from what was picked."),
        name="mmr.lambda_mult",
    )
with row[2]:
    k = p.number("mmr.k", _("Picks"), 1, 20, 5, _("How many documents are picked."))
with row[3]:
    fetch = p.number(
        "mmr.fetch_k", _("Candidates"), 1, 100, 20, _("How many documents of the list are looked at (fetch_k).")
    )

mmr = MMR(share, fetch, k, f.embedder)
search = source.retriever >> mmr
picked = p.run({"": search}, query)[""]
ranking, told = picked.parents[0], picked.evidence
relevant = show.relevance(f, query)
before = sources.panel(p, source, ranking, query)
if not isinstance(told, Replay):
    st.info(escape.plain(before.empty), icon=":material/search_off:")
    p.stop()
colour = palette.family(mmr)
after = show.Panel(picked, "MMR", colour, before.mark)
doc = show.selected([after, before], relevant, k)

with st.container(border=True):
    st.subheader(_("The picks, one by one"), anchor=False)
    step_key = p.key("step")
    address.keep(step_key, min(2, len(told.picks)), address.number(1, 20, whole=True))
    if st.session_state[step_key] > len(told.picks):
        address.put(step_key, len(told.picks))
    left, right = st.columns([1.5, 1], gap="large")
    with left:
        step = st.segmented_control(
            _("Pick"),
            list(range(1, len(told.picks) + 1)),
            key=step_key,
            required=True,
            help=_("Step through the picks; arrow keys work too."),
        )
        pick = told.picks[(step or 1) - 1]
        top = pick.candidates[:10]
        st.caption(
            _("First pick: the candidate nearest to the query, whatever λ is.")
            if step == 1
            else _(
                "To the right: λ × nearness to the query. To the left: (1 − λ) × nearness to the nearest earlier "
                "pick, which is named. The longest remainder wins."
            )
        )
        st.plotly_chart(charts.picks(top, f.corpus, pick.document.id), key="mmr.picks", config=charts.CONFIG)
    with right:
        if pick.low > 0 or pick.high < 1:
            low = (
                _("below {value} it is “{title}”", value=f"{pick.low:.3f}", title=escape.plain(pick.below.label, 30))
                if pick.below
                else ""
            )
            high = (
                _("above {value} it is “{title}”", value=f"{pick.high:.3f}", title=escape.plain(pick.above.label, 30))
                if pick.above
                else ""
            )
            st.markdown(
                _("**This pick stays for λ from {low} to {high}.**", low=f"{pick.low:.3f}", high=f"{pick.high:.3f}")
            )
            st.caption(" · ".join(x for x in (low, high) if x))
        else:
            st.markdown(_("**This pick is the same for every λ.**"))
        st.plotly_chart(charts.journeys(told, f.corpus, share), key="mmr.journeys", config=charts.CONFIG)
        st.caption(_("Who is picked (rows) for which λ (from left to right); a change of colour is an exact flip."))

show.lists(
    "mmr",
    [replace(before, name=_("Plain: {list}", list=before.name)), after],
    f,
    depth=k,
    chosen=doc,
    relevant=relevant,
)

left, right = st.columns(2, gap="large")
with left, st.container(border=True):
    st.subheader(_("How alike the chosen are"), anchor=False)
    which = p.choose(
        "of_what",
        _("Of"),
        ("mmr", "plain"),
        "mmr",
        format_func={"mmr": "MMR", "plain": _("plain top {k}", k=k)}.__getitem__,
    )
    documents = [h.document for h in (picked.hits if which == "mmr" else ranking.hits[: min(k, fetch)])]
    table = told.among(documents)
    labels = [f"{i} {d.label}" for i, d in enumerate(documents, 1)]
    st.plotly_chart(
        charts.table_map(table.tolist(), labels, [str(i) for i in range(1, len(labels) + 1)], colour, zmax=1),
        key="mmr.heat",
        config=charts.CONFIG,
    )
    n = len(documents)
    mean = (table.sum() - n) / (n * (n - 1)) if n > 1 else 0.0
    st.caption(_("mean cosine between two of them: {mean}", mean=f"{mean:.3f}"))
with right, st.container(border=True):
    st.subheader(_("On the map"), anchor=False)
    st.caption(
        _(
            "Candidates and query in two dimensions (PCA keeps only part of the distances). Numbers are the picks in "
            "order."
        )
    )
    numbers = {d.id: str(i) for i, d in enumerate((h.document for h in picked.hits), 1)}
    event = st.plotly_chart(
        charts.map_of(told.documents, told.vectors, told.query, f.corpus, numbers, selected=doc),
        key="mmr.map",
        on_select="rerun",
        selection_mode="points",
        config=charts.CONFIG,
    )
    show.click(event)

document = f.corpus.get(doc)
if document is not None:
    with st.container(border=True):
        st.subheader(escape.plain(document.label, 80), anchor=False)
        hit = picked.hit(doc)
        drop = next((d for d in picked.dropped if d.document.id == doc), None)
        left, right = st.columns([1.45, 1], gap="large")
        with left:
            if hit:
                st.plotly_chart(charts.addends(hit.why, colour), key="mmr.why", config=charts.CONFIG)
                st.caption(
                    _(
                        "MMR value {value} = λ × nearness to the query − (1 − λ) × nearness to the nearest earlier "
                        "pick",
                        value=f"{hit.score:.4f}",
                    )
                )
            elif drop:
                st.markdown(escape.plain(say(drop.reason)))
        with right:
            show.passage("mmr", document, before.mark)

with st.expander(_("All hits as a table"), icon=":material/table_rows:"):
    show.table("mmr", [picked, ranking], ["MMR", before.name])
p.export({"MMR": search}, [picked, ranking], ["MMR", before.name])
p.footer([ranking, picked], [before.name, "MMR"])
