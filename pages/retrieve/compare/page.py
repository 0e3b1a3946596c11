"""Compare: one question, several retrievers, every list beside the others."""

from __future__ import annotations

from dataclasses import fields, replace

import streamlit as st

from lab import catalog
from lab.algebra import Retriever
from lab.retrieve.expanded import Expanded
from lab.retrieve.external import External
from lab.retrieve.lexical import BM25, TFIDF, Lexical
from lab.retrieve.vector import Vector
from lab.text import Analyzer
from lab.ui import palette
from lab.ui.i18n import _, say
from lab.ui.layout import frame, settings
from lab.ui.layout.page import Page
from lab.ui.lists import retrievers, show, sources, trust, whereabouts, why
from pages.retrieve.compare import added, okapi

p = Page("compare", _("Compare"), _("Rank by words and by meaning: why do the lists differ?"))
f = p.frame
p.lessons()
query = p.query(operators=True)


def further(cls: type[Retriever], analyzer: Analyzer) -> Retriever:
    """A list by words with its knobs; one that has an analyzer takes that of BM25, so that the formulas compare."""
    if issubclass(cls, Expanded):  # beside BM25 it adds to the same scores
        return p.knobs(cls(own=replace(bm25, analyzer=analyzer)), with_name=True)
    if not issubclass(cls, Lexical):
        return p.knobs(cls(), with_name=True)
    return p.knobs(cls(analyzer=analyzer), *(f.name for f in fields(cls) if f.name != "analyzer"), with_name=True)


known = settings.embedders()
every = catalog.with_role(catalog.retrievers, "list")
by_words = {cls.key: cls for cls in every if not issubclass(cls, Vector | External)}
external = retrievers.searches(frame.visitor())
row = p.row([2.2, 2.2, 2.6, 4.6, 4, 1.9, 2.3])
bm25 = p.knobs(BM25(), "k1", "b", "variant", into=row[:3], with_name=True)
with row[3]:
    others = {key: say(search.label) for key, search in external.items()}
    keys = p.technique_keys("lists", _("Lists"), [*by_words.values()], [BM25, TFIDF], others=others)
    kinds = [by_words[key] for key in keys if key in by_words]
    needed = {cls: sources.needed(p, cls()) for cls in kinds if cls.required_knobs}
with row[4]:
    chosen = p.several(
        "embedders",
        _("Vector lists"),
        list(known),
        [next(n for n, e in known.items() if e == f.embedder)],
        _("One list per embedder."),
        format_func=lambda n: say(known[n].label),
    )
depth = p.number("k", _("Show"), 1, 50, 8, _("Results shown per list."), into=row[5])
with row[6], st.popover(_("More"), width="stretch"):
    analyzer = sources.terms(p, "mode")
    tfidf = p.knobs(TFIDF(analyzer=analyzer), "idf_form", "sublinear", with_name=True)
    vector = p.knobs(Vector(), "space", "pieces", with_name=True)
    bm25 = p.knobs(replace(bm25, analyzer=analyzer), "delta", "epsilon", with_name=True)
    own: dict[type[Retriever], Retriever] = {BM25: bm25, TFIDF: tfidf, **needed}
    own |= {cls: further(cls, analyzer) for cls in kinds if cls not in own}
    bar = p.choose(
        "bars",
        _("Bars"),
        ("score", "minmax"),
        "score",
        _("Score: bars start at zero. Min–max: the shown scores are stretched to 0–1, to compare their shape."),
        format_func={"score": _("score"), "minmax": _("min–max")}.__getitem__,
    )

vectors = [sources.suited(vector, known[name]) for name in chosen]
chosen_lists = [own[by_words[key]] if key in by_words else external[key] for key in keys]
lexical, dense = sources.possible(f, chosen_lists), sources.possible(f, vectors)
operators = [*lexical, *dense]
if not operators:
    p.stop(_("Choose at least one list."), ":material/list:")
names = [say(own.label) for own in operators]
searches = dict(zip(names, operators, strict=True))
rankings = list(p.run(searches, query).values())
colours = palette.families(operators)
if BM25 in kinds:
    okapi.hint(p, bm25, query)
relevant = show.relevance(f, query)
panels = [
    sources.panel(p, sources.Source(name, op, name, colour), r, query)
    for op, name, colour, r in zip(operators, names, colours, rankings, strict=True)
]
if vector.space == "cosine":
    panels[len(lexical) :] = [
        replace(panel, unit=" · ".join(filter(None, (_("cosine"), panel.unit)))) for panel in panels[len(lexical) :]
    ]
doc = show.selected(panels, relevant, depth)
p.tries(searches, dict(zip(names, rankings, strict=True)), query, relevant)

with p.stage():
    stretched = bar == "minmax"
    show.lists("compare", panels, f, depth=depth, chosen=doc, relevant=relevant, normalised=stretched, ask=trust.ask(p))

    if doc:
        why.section("compare", panels, p.runner, f, doc, relevant)
    added.section(p, operators, f.corpus.get(doc) if doc else None)

whereabouts.field(p, p.applied(searches), query, depth)
trust.fold(p, searches, dict(zip(names, rankings, strict=True)))
with p.fold("agree", _("Agreement of the lists"), ":material/join_inner:") as seen:
    if seen:
        why.agreement(rankings, names, depth)
p.end(searches, dict(zip(names, rankings, strict=True)))
