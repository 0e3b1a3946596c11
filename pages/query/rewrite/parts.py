"""What the Rewrite page needs: prompts to edit, adapters to add, credits, the map of wordings."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from lab.algebra import Fusion, Query, QueryVariant, Ranking, Retriever, Rewrite, Rewriter, Searcher
from lab.errors import LabError, QueryError
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import Run
from lab.explain.attribution import Attribution
from lab.models.answers import Unreadable
from lab.models.memory import NotAsked
from lab.retrieve.vector import VectorIndex
from lab.rewrite.base import PromptRewriter
from lab.rewrite.domain import Adapter, DomainVocabulary, adapters
from lab.rewrite.feedback import Feedback, Rocchio
from lab.rewrite.spelling import Corrected, kept_words
from lab.rewrite.wording import WordRule
from lab.text import language_of
from lab.ui import address, escape, palette
from lab.ui.figures import charts, map_charts
from lab.ui.i18n import _, _n, labelled, language, listed, say
from lab.ui.layout import prompts, tables
from lab.ui.layout.frame import Frame
from lab.ui.lists import show
from lab.ui.models import language_model
from lab.words import Said

if TYPE_CHECKING:
    from lab.ui.layout.page import Page

_TEMPLATES, _ADAPTERS = "_rewrite_templates", "_rewrite_adapters"


LISTS = 3
"""So many lists stand side by side."""
MOST = 20
"""So many passages can be marked as good, and as many as bad."""


def knobs_of(kind: type[Rewriter]) -> tuple[str, ...]:
    """The knobs that a technique shows, where it is not simply the common ones: marks are set on the cards."""
    return ("words", "alpha", "beta", "gamma") if issubclass(kind, Rocchio) else ()


def own(page: Page, technique: Rewriter) -> Rewriter:
    """The technique with what is the visitor's: an industry, marks, a prompt."""
    if isinstance(technique, DomainVocabulary):
        technique = industry(page, technique)
    if isinstance(technique, Rocchio):
        technique = replace(technique, more=tuple(_marked(page, "more")), less=tuple(_marked(page, "less")))
    return prompted(technique)


def _marked(page: Page, kind: str) -> list[str]:
    key, known = page.key(f"{Rocchio.key}.{kind}"), page.frame.corpus.positions
    address.keep(key, [], lambda raw: [doc for doc in address.lines(raw) if doc in known])
    return [doc for doc in st.session_state[key] if doc in known]


def votes(page: Page, rules: Collection[Rewriter]) -> show.Votes | None:
    """Returns the buttons on the cards; None if no technique learns from marks.

    A click marks a passage, a second click removes the mark; no passage is both good and bad.
    """
    if not any(isinstance(rule, Rocchio) for rule in rules):
        return None
    marked = {kind: _marked(page, kind) for kind in ("more", "less")}
    titles = {"more": ("+", _("More like this")), "less": ("−", _("Less like this"))}

    def told(doc: str, pressed: str) -> None:
        for kind, ids in marked.items():
            other_ids = [i for i in ids if i != doc]
            added = kind == pressed and doc not in ids
            address.put(page.key(f"{Rocchio.key}.{kind}"), [*other_ids, doc][-MOST:] if added else other_ids)

    kinds = {kind: {"sign": sign, "title": title, "ids": marked[kind]} for kind, (sign, title) in titles.items()}
    return show.Votes(kinds, told)


def marks(page: Page, technique: Rewriter) -> None:
    """Draws the titles of the marked passages and a button that clears the marks.  Only for `Rocchio`."""
    if not isinstance(technique, Rocchio):
        return
    corpus, row = page.frame.corpus, st.container(horizontal=True, vertical_alignment="center")
    for sign, ids in (("+", technique.more), ("−", technique.less)):
        for document in filter(None, map(corpus.get, ids)):
            row.badge(escape.plain(document.label.after(f"{sign} "), 40), color="violet" if sign == "+" else "gray")
    if technique.more or technique.less:

        def clear() -> None:
            for kind in ("more", "less"):
                address.put(page.key(f"{Rocchio.key}.{kind}"), [])

        row.button(_("Clear the marks"), key=page.key("clear"), icon=":material/backspace:", on_click=clear)
    else:
        row.caption(_("Press + or − on a card below."))


def weights(rewrite: Rewrite, colour: str) -> None:
    """The words of a new question and their weights as bars, where it has weights."""
    for wording in rewrite.queries:
        if wording.weights:
            (first, *added), original = wording.weights, rewrite.original.text
            names = [_("the question, each word") if first[0] == original else first[0], *(word for word, _w in added)]
            drawn = charts.bars([first[1], *(weight for _w, weight in added)], names, colour, digits=3)
            with st.columns([1.4, 1])[0]:
                charts.draw(drawn, f"rewrite.weights.{rewrite.made_by.key}")


def corrections(told: Rewrite) -> None:
    """Draws the question with each misspelt word crossed out, its correction, their distance and the passage count."""
    found = told.evidence
    if not isinstance(found, Corrected) or not found.corrections:
        return
    pieces = []
    for piece, own in found.pieces:
        shown = html.escape(piece, quote=False)
        if own:
            edits = _n("{n} edit", "{n} edits", own.near.distance)
            distance = {"edit": edits, "sound": _("by sound"), "character": _("one character")}[own.by]
            passages = _n("{n} passage", "{n} passages", own.near.passages)
            word = html.escape(own.near.word, quote=False)
            shown = f"<del>{shown}</del> <ins>{word}</ins> <small>({distance} · {passages})</small>"
        pieces.append(shown)
    st.html(f"<p>{''.join(pieces)}</p>")
    if found.kept:
        st.caption(escape.plain(say(kept_words(found))))


def taken(page: Page, retriever: Searcher, rules: Mapping[str, Rewriter]) -> dict[str, Rewriter]:
    """Returns the techniques that work with this list: an embedder that reads whole texts takes no word weights.

    Ends the page if no technique is left.
    """
    index = page.runner.index(retriever)
    if isinstance(index, VectorIndex) and any(isinstance(rule, Feedback) for rule in rules.values()):
        try:
            index.query_vector(Query("?", weights=(("?", 1.0),)))
        except QueryError as error:
            escape.problem(error)
            rules = {name: rule for name, rule in rules.items() if not isinstance(rule, Feedback)}
    if not rules:
        page.stop()
    return dict(rules)


def pairs(retriever: Retriever, rules: Mapping[str, Rewriter], merge: Fusion) -> dict[str, tuple[Searcher, Searcher]]:
    """The list before and after each technique, of those that are about more than one question: marks are not."""
    rest = {name: rule for name, rule in rules.items() if not isinstance(rule, Rocchio)}
    return {name: (retriever, rule(retriever, merge=merge)) for name, rule in rest.items()}


def gain(f: Frame, query: Query, before: Ranking, after: Ranking) -> None:
    """nDCG@10 of this question before and after, where it is judged."""
    if query.id and any(grade > 0 for grade in f.collection.relevant(query.id).values()):
        qrels = {query.id: f.collection.relevant(query.id)}
        old, new = (
            measure_run(Run.of("", {query.id: r}), qrels, ["nDCG@10"]).means["nDCG@10"] for r in (before, after)
        )
        st.caption(_("nDCG@10 of this question: {before:.3f} → {after:.3f}.", before=old, after=new))


def prompted(technique: Rewriter) -> Rewriter:
    """Returns the technique, with the visitor's prompt if it uses one."""
    template = st.session_state.get(_TEMPLATES, {}).get(technique.key, "")
    return replace(technique, template=template) if isinstance(technique, PromptRewriter) else technique


def prompt(page: Page, technique: Rewriter, query: str) -> None:
    """The prompt of a technique, folded, to be changed.  Once per technique on a page."""
    if isinstance(technique, PromptRewriter):
        with page.fold(f"prompt.{technique.key}", _("The prompt"), ":material/terminal:") as seen:
            if seen:
                _prompt(technique, language_of(query))


def _prompt(technique: PromptRewriter, language: str) -> None:
    """The prompt as a field: {question} and {n} are filled in."""
    kind = technique.key
    key = f"rewrite.prompt.{technique.label}.{language}"  # the label has the industry: each has a prompt of its own
    templates: dict[str, str] = st.session_state.setdefault(_TEMPLATES, {})
    st.session_state.setdefault(key, technique.prompt(language))

    def use() -> None:
        templates[kind] = st.session_state[key]

    def restore() -> None:
        templates.pop(kind, None)
        st.session_state[key] = replace(technique, template="").prompt(language)

    metadata = PromptRewriter.__dataclass_fields__["template"].metadata
    prompts.warn(st.text_area(_("Prompt"), key=key, height=180, label_visibility="collapsed"), metadata)
    row = st.container(horizontal=True)
    row.button(_("Use this prompt"), key=f"rewrite.prompt.use.{kind}", on_click=use)
    if templates.get(kind):
        row.button(_("Restore the original prompt"), key=f"rewrite.prompt.back.{kind}", on_click=restore)
    help_text = prompts.help_of(_("{question} and {n} are filled in. A rule needs no prompt."), metadata)
    row.caption(help_text.replace("{", "\\{"))


def forced(page: Page, query: Query, rules: Mapping[str, Rewriter]) -> dict[str, Rewriter]:
    """The techniques, whose rules do not abstain from this question if the visitor wants it rewritten all the same."""
    key = address.keep(page.key("forced"), "", address.text(address.LONGEST_QUESTION))
    if st.session_state[key] != query.text:
        return dict(rules)
    return {name: _insisting(rule) for name, rule in rules.items()}


def _insisting(rule: Rewriter) -> Rewriter:
    """The rule that rewrites all the same: where it finds nothing, with the nearest words."""
    rule = replace(rule, nearest=True) if isinstance(rule, WordRule) else rule
    return replace(rule, abstains=False) if isinstance(rule, PromptRewriter) else rule


def abstained(page: Page, query: Query, rankings: Mapping[str, Ranking], techniques: Mapping[str, Rewriter]) -> None:
    """Why rules abstain, once for each reason, with a button that rewrites all the same or lets them abstain again."""
    key, reasons, more = page.key("forced"), dict[str, list[str]](), False
    for name, rewriter in techniques.items():
        rewritten = rankings[name].evidence
        told = rewritten.unchanged if isinstance(rewritten, Rewrite) else ""
        if told and isinstance(rewriter, PromptRewriter) and rewriter.abstains and not rewriter.model:
            reasons.setdefault(say(told), []).append(name)
            no_rule_ran = not page.frame.corpus.holds(("wording",))  # trying it could take long
            more = more or no_rule_ran or bool(page.runner.rewrite(_insisting(rewriter), query).queries)
    if reasons:
        row = st.container(horizontal=True, vertical_alignment="center", key=page.key("abstained"))
        with row.container(width="stretch"):
            for reason, names in reasons.items():
                st.caption(escape.plain(labelled(listed(names), reason)))
        help = _("For this question only. The rules abstain because rewriting it mostly does harm.")
        drawn: dict[str, Any] = {"icon": ":material/edit:", "help": help, "on_click": address.put}
        if more:
            row.button(_("Rewrite all the same"), key=page.key("force"), args=(key, query.text), **drawn)
    elif st.session_state[key] == query.text:
        drawn = {"icon": ":material/undo:", "type": "tertiary", "on_click": address.put, "args": (key, "")}
        st.button(_("Let the rules abstain again"), key=page.key("unforce"), **drawn)


def folded(before: show.Panel, rewritten: Sequence[show.Panel]) -> list[show.Panel]:
    """The lists, each once: what is only a copy of an earlier one is named in the second line of that one's head."""
    panels, copies = list[show.Panel](), dict[int, list[str]]()
    for panel in (before, *rewritten):
        for i, other in enumerate(panels):
            if other.ranking.hits == panel.ranking.hits:
                copies.setdefault(i, []).append(panel.name)
                break
        else:
            panels.append(panel)
    for i, names in copies.items():
        below = _("The same list: {names}", names=[*names])
        panels[i] = replace(panels[i], below=" · ".join(filter(None, (panels[i].below, below))))
    return panels


def side_by_side(page: Page, panels: Sequence[show.Panel]) -> list[show.Panel]:
    """Returns at most `LISTS` lists to show side by side: the visitor's choice, by default the first ones."""
    if len(panels) <= LISTS:
        return [*panels]
    names = {str(i): panel.name for i, panel in enumerate(panels)}
    help_text = _("Up to three stand side by side; the others are one choice away.")
    chosen = page.several(
        "lists", _("Lists shown"), list(names), [*names][:LISTS], help_text, format_func=names.__getitem__
    )
    return [panels[int(i)] for i in sorted(chosen[:LISTS], key=int)] or [*panels[:LISTS]]


def asked(page: Page, query: Query, rules: Mapping[str, Rewriter]) -> dict[str, Rewriter]:
    """Every rule and, where there is a model that answers, its version by the model, by their names."""
    model = page.models.get("chat")
    techniques: dict[str, Rewriter] = {}
    for title, rule in rules.items():
        techniques[f"{title} · " + _("rule") if isinstance(rule, PromptRewriter) else title] = rule
        if model is not None and isinstance(rule, PromptRewriter):
            by_model = replace(rule, model="chat")
            if _answered(page, query, by_model):
                techniques[f"{title} · {model.label}"] = by_model
    if model is None and any(isinstance(rule, PromptRewriter) for rule in rules.values()):
        message = _(
            "Written by rules, without a language model. With one (sidebar), its rewrites appear beside the rule's."
        )
        st.caption(message)
    return techniques


def _answered(page: Page, query: Query, rewriter: Rewriter) -> bool:
    """Whether the model has written what can be read (the run keeps it); where it has not, the reason is shown."""
    try:
        page.runner.rewrite(rewriter, query)
        return True
    except NotAsked:
        return False
    except LabError as error:
        escape.problem(error)
        if isinstance(error, Unreadable):
            language_model.unread([error.answer])
            st.code(error.answer, language=None, wrap_lines=True)
        else:
            st.caption(_("The rule's result is shown below."))
        return False


def industry(page: Page, technique: DomainVocabulary) -> DomainVocabulary:
    """The technique in the industry that the visitor chooses: one of the lab, or one of their own."""
    own: dict[str, Adapter] = st.session_state.setdefault(_ADAPTERS, {})
    known = {**adapters(), **own}
    field, key = DomainVocabulary.__dataclass_fields__["adapter"].metadata, f"{technique.key}.adapter"
    names = {name: name if name in own else adapter.called(language()) for name, adapter in known.items()}
    label, help_text = say(field["label"]), say(field["help"])
    chosen = page.pick(key, label, names, technique.adapter.name, help_text, format_func=names.__getitem__)
    _add(own)
    return replace(technique, adapter=known[chosen])


def named(technique: Rewriter) -> str:
    """What a technique is called on the page; an industry by its title."""
    label = technique.label
    if isinstance(technique, DomainVocabulary) and isinstance(label, Said):
        label = Said(label.template, name=technique.adapter.called(language()))
    return say(label)


def _add(adapters: dict[str, Adapter]) -> None:
    """An industry of the visitor's own: lay words and terms, as data."""
    st.caption(_("Your own domain: one “everyday word = term” per line, or a TOML file in the lab's format."))
    name = st.text_input(_("Name"), key="rewrite.adapter.name", max_chars=40)
    sample = _("laptop died = notebook will not start")
    text = st.text_area(_("Everyday words and terms"), key="rewrite.adapter.words", height=90, placeholder=sample)
    if st.button(_("Add"), key="rewrite.adapter.add", disabled=not (name.strip() and text.strip())):
        with escape.problems():
            adapters[name.strip()] = Adapter.of_lines(name.strip(), text)
            st.rerun()


def credits(f: Frame, attribution: Attribution) -> None:
    """One row per wording: its text, where it comes from, and what it did."""

    def titles(ids: Sequence[str]) -> str:
        documents = ((i, f.corpus.get(i)) for i in ids)
        marked = (("✓ " if i in (attribution.relevant or ()) else "") + (d.label if d else i) for i, d in documents)
        return listed(marked, "; ")

    itself = QueryVariant(attribution.rewrite.original.text, _("the question itself"))
    if not attribution.rewrite.queries:
        by_rule, by_model = (
            _("The rule found nothing to change in this question."),
            _("The model repeats the question."),
        )
        unchanged = by_rule if attribution.rewrite.by == "rule" else by_model
        st.caption(escape.plain(say(attribution.rewrite.unchanged)) or unchanged)
    text = st.column_config.TextColumn
    columns = {
        "wording": text(_("Rewritten question"), width=240),
        "only": text(_("Only this query"), width=110),
        "brought": text(_("Added"), width=150),
        "out": text(_("Displaced"), width=150),
        "kind": text(_("Kind"), width=95),
        "why": text(_("Origin of the passages"), width=240),
    }
    rows = []
    for credit in attribution.credits:
        wording, did = credit.wording or itself, map(titles, (credit.only, credit.brought, credit.pushed_out))
        row = (wording.text, *did, say(wording.kind), say(wording.why))  # what it did is seen first
        rows.append(dict(zip(columns, row, strict=True)))
    key = f"rewrite.credits.{attribution.rewrite.made_by.key}.{attribution.rewrite.by}"
    tables.draw(_("Effect of each rewrite"), rows, key=key, columns=columns)
    if attribution.rewrite.answers:
        st.caption(" · ".join(language_model.usage(a) for a in attribution.rewrite.answers))
    if attribution.relevant is not None:
        won, n_lost = (sum(i in attribution.relevant for i in ids) for ids in (attribution.gained, attribution.lost))
        st.caption(_("Relevant passages compared with the raw question: {won} won, {lost} lost.", won=won, lost=n_lost))


def map_of(
    index: VectorIndex,
    f: Frame,
    rankings: Sequence[Ranking],
    query: str,
    rewrites: Mapping[str, Rewrite],
    selected: str,
) -> charts.Figure:
    """Draws passages, the question, its rewrites (labelled with their technique) and their mean in two dimensions."""
    from lab.explain.maps import project
    from lab.models.embedders import rows_for
    from lab.numeric import unit

    documents = list({h.document.id: h.document for r in rankings for h in r.hits}.values())
    made = [(wording, name) for name, rewrite in rewrites.items() for wording in rewrite.queries]
    texts = [(wording.text, name) for wording, name in made]
    rows = unit(rows_for(index.operator.embedder, documents, f.corpus))
    wordings = unit(index.encoder.documents([t for t, _n in texts])) if texts else np.zeros((0, rows.shape[1]))
    for i, (wording, _name) in enumerate(made):
        if wording.weights:
            wordings[i] = unit(index.query_vector(Query(wording.text, weights=wording.weights))[None])[0]
    query_rows = unit(index.encoder.queries([query]))
    mean = unit(np.concatenate([query_rows, wordings]).mean(0)[None])
    points = project(np.concatenate([rows, wordings, query_rows, mean]), "pca")
    a, b = len(documents), len(documents) + len(texts)
    passages = {
        "size": [15 if d.id == selected else 9 for d in documents],
        "color": [palette.document(f.corpus, d.id) for d in documents],
        "opacity": 0.85,
    }
    edge = {"color": palette.paper(), "width": 1}
    diamonds = {"symbol": "diamond", "size": 12, "color": palette.named("fused"), "line": edge}
    labels = [escape.safe(labelled(n, t), 80) for t, n in texts]
    refined = palette.named("refined")
    data = [
        map_charts.marks(points[:a], passages, "%{hovertext}", **charts.pointed(documents)),
        map_charts.marks(points[a:b], diamonds, "%{hovertext}", hovertext=labels),
        map_charts.landmark(points[b], _("query")),
        map_charts.landmark(points[b + 1], _("mean"), symbol="x", size=13, colour=refined, place="bottom center"),
    ]
    return map_charts.plane(420, data)
