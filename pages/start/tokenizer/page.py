"""Tokenizer lens: one text under several tokenizers, step by step, and what each step does to a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from lab.algebra import Ranking
from lab.retrieve.lexical import BM25
from lab.retrieve.matrix import TermMatrix
from lab.text import MODES, Analyzer, Token, cutting, fold, is_han, surface
from lab.ui import address, components, palette
from lab.ui.i18n import _, say
from lab.ui.layout.page import Page
from lab.ui.lists import show, sources
from lab.ui.study import measuring

p = Page("tokenizer", _("Tokenizer lens"), _("How text becomes terms, and what can be found as a result."))
f = p.frame
p.lessons()
query = p.query(action=_("Tokenize"), placeholder=_("A text or a question …"))

usual = BM25()
notes = {
    "search": _("words and the words inside them"),
    "precise": _("each character once"),
    "full": _("every word of the dictionary"),
    "whitespace": _("one Chinese sentence becomes one word"),
    "character": _("no dictionary needed"),
    "bigram": _("overlapping; no dictionary"),
    "string": _("what a tokenizer that returns a string gives"),
}
HAN, LATIN = ("simplified", "bigrams", "characters"), ("numbers", "stem")
ALIKE = "search", "whitespace", "string"  # without Chinese, the other modes give the words of the first
VARIANTS = ("questions", "asker", "joined", "separators", "units", "accents", "regional")
STEPS = ("simplified", "numbers", "questions", "stem", "bigrams", "characters", *VARIANTS[1:])  # in their order
chinese = any(map(is_han, query.text))
shown, folded = (HAN, LATIN) if chinese else (LATIN, HAN)
row = p.row([1, 1, 1, 1, 1])
sources.carry(p, usual.analyzer, sources.CHARACTERS)
base_analyzer = p.knobs(usual.analyzer, *shown, "questions", into=row)
with row[4].popover(_("More"), icon=":material/tune:", width="stretch"):
    base_analyzer = p.knobs(base_analyzer, *folded, *VARIANTS[1:])
    single = not base_analyzer.characters and p.switch(
        "single",
        _("Keep words of one character"),
        usual.analyzer.single,
        _("Chinese words such as 假 or 卡. If they are not kept, they are used only for a query without other words."),
    )
    address.keep("tokenizer.stop", "")
    stop = st.text_input(
        _("Stop words, separated by spaces"), key="tokenizer.stop", placeholder=_("for example: 怎么 什么 the is")
    )
    address.keep("tokenizer.user", "")
    user = st.text_input(
        _("Words to add to the dictionary"), key="tokenizer.user", placeholder=_("for example: 居家办公 动态口令")
    )

sources.keep(p, base_analyzer)
stop_words = frozenset(fold(stop).split())
base_analyzer = replace(
    base_analyzer, single=single, stop_words=stop_words, user_words=tuple(dict.fromkeys(user.split()))
)
address.keep(
    "tokenizer.modes",
    ["search", "precise", "character"] if chinese else ["search", "whitespace"],
    address.several(list(MODES)),
)
modes = {
    mode: _("Words (default)") if mode == "search" and not chinese else say(name)
    for mode, name in MODES.items()
    if chinese or mode in (*ALIKE, *st.session_state["tokenizer.modes"])
}
analyzers = {mode: replace(base_analyzer, mode=mode) for mode in modes}
relevant = show.relevance(f, query)
searches, rankings_by_title = dict[str, BM25](), dict[str, Ranking]()


def chips(tokens: Iterable[Token], marked: Iterable[Token] = (), removed: Iterable[Token] = ()) -> list[list[Any]]:
    """Returns tokens as chips: ``marked`` yellow, ``removed`` crossed out, bigrams and characters dashed."""
    yellow, struck = set(marked), set(removed)
    kinds = {t: "out" if t in struck else "hit" if t in yellow else "" for t in tokens}
    return [[surface(t.text), t.start, t.end, f"{look} {t.kind}".strip()] for t, look in kinds.items()]


def lines() -> list[dict[str, Any]]:
    """Returns a row per tokenizer: the tokens of the text, with those in the corpus and the removed ones marked.

    Tokenizers with equal tokens share a row: all but one agree on a text without Chinese.
    """
    rows = list[dict[str, Any]]()
    for mode, analyzer in analyzers.items():
        if mode == "string" and mode not in st.session_state["tokenizer.modes"]:
            continue  # a mistake to be shown, not a tokenizer to choose
        known = TermMatrix.for_corpus(f.corpus, analyzer.for_query(query.text)).vocabulary
        kept_tokens = list(analyzer.spans(analyzer.without_asker(query.text)))
        every = list(replace(analyzer, single=True, questions=False, stop_words=frozenset()).spans(query.text))
        inside = {(t.start, t.end) for t in kept_tokens}
        left_out = [t for t in every if (t.start, t.end) not in inside]
        tokens = chips(dict.fromkeys([*every, *kept_tokens]), [t for t in kept_tokens if t.text in known], left_out)
        same = next((row for row in rows if row["tokens"] == tokens), None)
        if same is not None:
            same["alike"].append(modes[mode])
            continue
        note = " · ".join([*filter(None, [notes.get(mode)]), _("words: {n}", n=len(kept_tokens))])
        line: dict[str, Any] = {"name": modes[mode], "note": note, "tokens": tokens, "alike": []}
        rows.append(line | {"on": mode == usual.analyzer.mode, "none": _("nothing left")})
    for row in rows:
        if alike := row.pop("alike"):
            row["note"] += " · " + _("the same: {names}", names=[*alike])
    return rows


def steps() -> list[dict[str, Any]]:
    """Returns the tokens of the text after every step of the analyzer; changes are yellow, removals crossed out."""
    blanks, plain = (
        cutting(mode="whitespace"),
        replace(base_analyzer, bigrams=False, characters=False, pairs=False, stem="none"),
    )
    way = [(_("Fold"), _("capitals, width, composed accents"), blanks)]
    if base_analyzer.simplified:
        way.append((_("Script"), _("traditional folded to simplified"), replace(blanks, simplified=True)))
    if base_analyzer.simplified and base_analyzer.regional:
        way.append((_("Region"), _("words of Taiwan and Hong Kong replaced"), replace(way[-1][2], regional=True)))
    written = replace(way[-1][2], separators=base_analyzer.separators, accents=base_analyzer.accents)
    if list(written.spans(query.text)) != list(way[-1][2].spans(query.text)):
        way.append((_("Marks"), _("thousands separators and accents removed"), written))
    whole = replace(plain, single=True, questions=False, stop_words=frozenset())
    split = replace(whole, joined=False, units=False)
    way.append((_("Tokenize"), _("words, and the words inside them"), split))
    if list(whole.spans(query.text)) != list(split.spans(query.text)):
        way.append((_("Variants"), _("hyphenated words joined, numbers and units split"), whole))
    if plain != whole:
        way.append((_("Stop"), _("stop words, single characters"), plain))
    if base_analyzer.stem != "none":
        way.append((_("Stem"), _("endings removed"), replace(plain, stem=base_analyzer.stem)))
    way.append((_("Pair"), _("neighbouring characters"), replace(base_analyzer, characters=False)))
    if base_analyzer.characters:
        way.append((_("Character"), _("every character separately"), base_analyzer))
    text, rows = query.text, []
    before = [Token(text[t.start : t.end], *t[1:]) for t in blanks.spans(text)]
    for name, about, analyzer in way:
        now = list(analyzer.spans(text))
        cut = name == _("Tokenize")  # everything is another, and nothing is gone
        places = {(t.start, t.end) for t in now}
        removed = [] if cut else [t for t in before if (t.start, t.end) not in places]
        new = [] if cut else [t for t in now if t not in before]
        changed = _("words: {n}", n=len(now)) if cut else _("changed: {n}", n=len(new) + len(removed))
        line = {"name": name, "note": f"{about} · {changed}", "tokens": chips([*now, *removed], new, removed)}
        rows.append(line | {"none": _("nothing left")})
        before = now
    return rows


def ranked(name: str, analyzers_by_title: dict[str, Analyzer]) -> None:
    """Draws the question's result lists under these analyzers side by side."""
    searches_by_title = {title: replace(usual, analyzer=analyzer) for title, analyzer in analyzers_by_title.items()}
    rankings = p.run(searches_by_title, query)
    panels = [
        sources.panel(p, sources.Source(title, search, title, palette.family(search, i % 3)), rankings[title], query)
        for i, (title, search) in enumerate(searches_by_title.items())
    ]
    doc = show.selected(panels, relevant, 5)
    show.lists(name, panels, f, depth=5 if name == p.name else 3, chosen=doc, relevant=relevant)
    searches.update(searches_by_title)
    rankings_by_title.update(rankings)


def others() -> dict[str, Analyzer]:
    """Returns this analyzer, and variants that each switch one step on or off."""
    variants = {_("as set above"): base_analyzer}
    labels = {field.name: say(field.metadata["label"]) for field in fields(Analyzer) if "label" in field.metadata}
    for step in (*STEPS, "stop_words", "user_words"):
        value = getattr(base_analyzer, step)
        if step == "stem":
            turned: Any = "snowball" if value == "none" else "none"
        else:
            turned = type(value)() if value or step not in STEPS else True
        if turned != value:
            without = not turned or turned == "none"
            name = _("without: {step}", step=labels[step]) if without else _("with: {step}", step=labels[step])
            variants[name] = replace(base_analyzer, **{step: turned})
    return variants


components.tokens({"text": query.text, "rows": lines()}, key="tokenizer.rows")
st.caption(
    _("Yellow: in the corpus. Crossed out: removed. Dashed: bigrams, characters. ●: the lab's default."),
    help=_("In the corpus: with this tokenizer. Point at a term to see its place in the text."),
)

chosen = st.pills(
    _("BM25 with each tokenizer"),
    list(modes),
    selection_mode="multi",
    key="tokenizer.modes",
    format_func=modes.__getitem__,
    label_visibility="collapsed",
)
if chosen:
    ranked(p.name, {modes[m]: analyzers[m] for m in chosen})
else:
    st.info(_("Choose at least one tokenizer above."))

st.subheader(_("Step by step"), anchor=False)
st.caption(_("The lab's steps from a text to the terms of an index. Yellow: changed or added by this step."))
with st.container(border=True):
    components.tokens({"text": query.text, "rows": steps()}, key="tokenizer.steps")

st.subheader(_("Effect of each step"), anchor=False)
with p.fold("worth", _("With and without each step"), ":material/compare_arrows:") as seen:
    if seen:
        compared = others()
        ranked("tokenizer.worth", compared)
        if f.collection.judged and p.switch(
            "all",
            _("nDCG@10 over all judged queries"),
            False,
            _("Searches all judged questions once for each list; takes a few seconds."),
        ):
            measuring.metrics(p, {n: searches[n] for n in compared}, dict(zip(compared, compared, strict=True)))
p.end(searches, rankings_by_title)
