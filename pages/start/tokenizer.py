"""Tokenizer lens: one text under several tokenizers, and what each does to a ranking."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lab.retrieve.lexical import BM25, TermMatrix
from lab.text import MODES, Analyzer, fold
from lab.ui import address, components, palette, show, sources
from lab.ui.i18n import _, say
from lab.ui.page import Page

p = Page(
    "tokenizer",
    _("Tokenizer lens"),
    _("What is a word? Every index answers before the first search, and the answer decides what can be found."),
)
f = p.frame
p.lessons()
query = p.query(action=_("Cut"), placeholder=_("A text or a question …"))

notes = {
    "search": _("words and the words inside them"),
    "precise": _("each character once"),
    "full": _("every word of the dictionary"),
    "whitespace": _("a Chinese sentence is one word"),
    "character": _("no dictionary needed"),
    "bigram": _("overlapping, no dictionary"),
}
first, second, third = st.columns([1, 2, 2], vertical_alignment="bottom")
with first:
    single = p.switch(
        "single",
        _("Keep single characters"),
        False,
        _(
            "One-character Chinese words such as 假 or 卡. They match often and say little; "
            "the index leaves them out unless a query has nothing else."
        ),
    )
with second:
    address.keep("tokenizer.stop", "")
    stop = st.text_input(
        _("Stop words, separated by blanks"), key="tokenizer.stop", placeholder=_("for example: 怎么 什么 the is")
    )
with third:
    address.keep("tokenizer.user", "")
    user = st.text_input(
        _("Words to add to the dictionary"), key="tokenizer.user", placeholder=_("for example: 居家办公 动态口令")
    )

stop_words = frozenset(fold(stop).split())
user_words = tuple(dict.fromkeys(user.split()))
start = replace(f.former(Analyzer()), single=single, stop_words=stop_words, user_words=user_words)
analyzers = {mode: replace(start, mode=mode) for mode in MODES}
relevant = show.relevance(f, query)

rows = []
for mode, analyzer in analyzers.items():
    known = TermMatrix.of(f.corpus, analyzer.for_query(query.text)).vocabulary
    kept = list(analyzer.spans(query.text))
    every = list(replace(analyzer, single=True, stop_words=frozenset()).spans(query.text))
    inside = {(t.start, t.end) for t in kept}
    tokens = [
        [t.text, t.start, t.end, "out" if (t.start, t.end) not in inside else "hit" if t.text in known else ""]
        for t in every
    ]
    note = " · ".join([*filter(None, [notes.get(mode)]), _("{n} words", n=len(kept))])
    row = {"name": say(MODES[mode]), "note": note, "tokens": tokens}
    rows.append(row | {"on": mode == Analyzer().mode, "none": _("nothing is left")})
with st.container(border=True):
    st.caption(
        _(
            "Yellow: the corpus has this word under this tokenizer. Struck: left out. "
            "Point at a word to see where it stands. ● marks what the lab uses by default."
        )
    )
    components.tokens({"text": query.text, "rows": rows}, key="tokenizer.rows")

st.subheader(_("What it does to the ranking"), anchor=False)
st.caption(_("BM25 on the same corpus and query; only the tokenizer differs."))
address.keep("tokenizer.modes", ["search", "precise", "character"], address.several(list(MODES)))
chosen = st.pills(
    _("Tokenizers to compare"),
    list(MODES),
    selection_mode="multi",
    key="tokenizer.modes",
    format_func=lambda m: say(MODES[m]),
    label_visibility="collapsed",
)
searches = {say(MODES[m]): replace(f.former(BM25()), analyzer=analyzers[m]) for m in chosen}
found = p.run(searches, query)
panels = [
    sources.panel(p, sources.Source(name, search, name, palette.family(search, i % 3)), found[name], query)
    for i, (name, search) in enumerate(searches.items())
]
if panels:
    doc = show.selected(panels, relevant, 5)
    show.lists("tokenizer", panels, f, depth=5, chosen=doc, relevant=relevant)
else:
    st.info(_("Choose at least one tokenizer above."))
p.end(searches, found)
