"""What the Routing page needs: the routes of a visitor and how they are edited, scores and decision as pictures, and
what a router does to all judged questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from lab import catalog, formats
from lab.algebra import Corpus, Progress, Query, Ranking, Rewriter, Runner
from lab.errors import LabError, PipelineError
from lab.evaluate.routing import Curve, Routed, accuracy, balance, confusion, curve, decide_all
from lab.retrieve.explaining import word_marker
from lab.retrieve.lexical import BM25
from lab.rewrite.base import PromptRewriter
from lab.rewrite.domain import Adapter, DomainVocabulary, adapters
from lab.rewrite.routing import CollectionRouter, Decision, Destination, Route, gathered
from lab.text import Analyzer, language_of
from lab.ui import address, components, escape, navigation, palette
from lab.ui.figures import charts
from lab.ui.figures.charts import Figure, Part
from lab.ui.i18n import _, _n, labelled, language, listed, say
from lab.ui.layout import frame, knobs, tables
from lab.ui.layout.page import Page, technique_name
from lab.ui.lists import show
from lab.ui.study import measuring
from lab.words import Said

MOST = 8
"""So many routes on the page: each is searched for every question."""
EDIT = "edit."
"""What the keys of the table of routes begin with: they stand in no link, the routes as a whole do."""
_SENT, _PROBLEM = "_routing_file", "_routing_problem"


# ------------------------------------------------------------------------------------------------- the routes


def usual(p: Page) -> tuple[Destination, ...]:
    """Returns a route for every corpus: if some are own or there are many, the chosen and the own come first."""
    uploads, known = [*frame.uploads()], [*frame.corpora()]
    first = [p.frame.corpus.name, *uploads] if uploads or len(known) > MOST else []
    return _to([*first, *known])


def _to(names: Iterable[str]) -> tuple[Destination, ...]:
    """Returns a route to each of these corpora that is here, at most `MOST`."""
    known, search = frame.corpora(), BM25()
    return tuple(Destination(name, search, name) for name in list(dict.fromkeys(names))[:MOST] if name in known)


def only_uploads(p: Page) -> None:
    """Draws the button that leaves a route to each of the visitor's own corpora, if there is one."""
    if destinations := _to(frame.uploads()):
        label, icon = _("Only my documents"), ":material/person:"
        st.button(label, key=p.key("mine"), icon=icon, on_click=write, args=(p, destinations), width="stretch")


def routes(p: Page) -> tuple[Destination, ...]:
    """Returns the routes of the visitor or the link; warns of routes whose corpus is not loaded and omits them.

    Ends the page if no route is left.
    """
    address.keep(p.key("routes"), "", address.text(formats.LARGEST))
    try:
        stored_routes = _kept(p)
    except LabError as error:
        escape.problem(error)
        stored_routes = usual(p)
    loaded_routes = _here(stored_routes)
    missing = [route.collection for route in stored_routes if route not in loaded_routes]
    if missing:
        names = [escape.plain(name, 60) for name in missing]
        st.warning(_("Not loaded, so not used: {names}.", names=names))
    if not loaded_routes:
        st.info(_("There is no route. Add one, or load a file."), icon=":material/alt_route:")
        editor(p, ())
        p.stop()
    return loaded_routes


def _kept(p: Page) -> tuple[Destination, ...]:
    """Returns the stored routes, by default the usual ones.  Raises `PipelineError` if they cannot be read."""
    link = str(st.session_state[p.key("routes")])
    return read(formats.from_link(link)).routes if link else usual(p)


def _here(destinations: Sequence[Destination]) -> tuple[Destination, ...]:
    known = frame.corpora()
    return tuple(route for route in destinations if route.collection in known)


def read(search: Any) -> Route:
    """Returns a search as a route of this page.  Raises `PipelineError` if it is not one."""
    if not isinstance(search, Route) or not isinstance(search.router, CollectionRouter):
        remedy = Said(
            "Use a file whose router is a CollectionRouter; the page “{page}” opens all others.",
            page=Said(navigation.listed("pipeline").title),
        )
        raise PipelineError(Said("This file holds no routes for this page."), remedy)
    if len(search.routes) > MOST:
        raise PipelineError(Said("Routes: {n}.", n=len(search.routes)), Said("At most {n} are allowed.", n=MOST))
    return search


def write(p: Page, new_routes: Sequence[Destination]) -> None:
    """Keep these routes.  Raises `PipelineError` for names that are not the route's own."""
    link = "" if tuple(new_routes) == usual(p) else formats.to_link(Route(CollectionRouter(), tuple(new_routes)))
    address.put(p.key("routes"), link)


def editor(p: Page, now: Sequence[Destination]) -> tuple[Destination, ...]:
    """Draws the editor of routes; returns the edited routes, or the current ones if an edit is not valid."""
    problem = st.session_state.pop(_PROBLEM, None)
    if problem is not None:
        escape.problem(problem)
    edited_routes = tuple(_row(p, i, now) for i in range(len(now)))
    row = st.container(horizontal=True, vertical_alignment="bottom")
    if len(now) < MOST:
        row.button(_("Add a route"), key=p.key("add"), icon=":material/add:", on_click=_more, args=(p,))
    row.button(
        _("One route for each collection"),
        key=p.key("usual"),
        icon=":material/undo:",
        on_click=address.put,
        args=(p.key("routes"), ""),
    )
    try:
        Route(CollectionRouter(), edited_routes)
        if edited_routes != tuple(now):
            write(p, edited_routes)
    except LabError as error:
        escape.problem(error)
        edited_routes = tuple(now)
    address.leave_to_other_key(p.key(EDIT))
    return edited_routes


def _row(p: Page, i: int, now: Sequence[Destination]) -> Destination:
    """Draws one route as a form: name, corpus, rewriting, examples, and a button that removes it."""
    route, known = now[i], list(dict.fromkeys([*frame.corpora(), *(x.collection for x in now)]))
    rewriters = {"": _("unchanged"), **{cls.key: technique_name(cls) for cls in catalog.rewriters().values()}}
    current_key = route.rewriting.key if route.rewriting is not None else ""

    def key(name: str) -> str:
        return p.key(f"{EDIT}{i}.{name}")

    with st.container(border=True, key=key("row")):
        cells = st.columns([1.6, 2.0, 2.0, 0.6], vertical_alignment="bottom")
        address.keep(key("name"), route.name, address.text(60))
        name = cells[0].text_input(_("Name"), key=key("name"), max_chars=60)
        address.keep(key("collection"), route.collection, address.choice(list(known)))
        collection = cells[1].selectbox(_("Corpus"), list(known), format_func=frame.corpus_title, key=key("collection"))
        address.keep(key("rewriting"), current_key, address.choice(list(rewriters)))
        rewriting = cells[2].selectbox(
            _("Rewritten by"), list(rewriters), format_func=rewriters.__getitem__, key=key("rewriting")
        )
        cells[3].button(
            "",
            key=key("away"),
            disabled=len(now) < 2,
            icon=":material/delete:",
            help=_("Remove"),
            on_click=_less,
            args=(p, i),
        )
        address.keep(key("examples"), "\n".join(route.examples), address.text())
        text = st.text_area(_("Example questions, one per line"), key=key("examples"), height=90, max_chars=10_000)
        rewriter = route.rewriting
        if rewriting != current_key:
            rewriter = catalog.find(catalog.rewriters, str(rewriting))() if rewriting else None
        if rewriter is not None:
            rewriter = _settings(p, f"{EDIT}{i}.{rewriter.key}", rewriter)
    example_questions = tuple(line.strip() for line in text.splitlines() if line.strip())
    return replace(route, name=name.strip(), collection=str(collection), examples=example_questions, rewriting=rewriter)


def _settings(p: Page, key: str, rewriter: Rewriter) -> Rewriter:
    """Draws the parameters of a route's rewriting, such as prompt, industry and terms; returns the changed rewriter."""
    values, hints = dict[str, Any](), catalog.hints(type(rewriter))
    with st.popover(_("Settings of the rewriting"), icon=":material/tune:", key=p.key(f"{key}.settings")):
        if isinstance(rewriter, PromptRewriter) and p.models.get("chat"):
            flag = address.keep(p.key(f"{key}.model"), bool(rewriter.model), address.flag)
            values["model"] = "chat" if st.toggle(_("Written by the language model"), key=flag) else ""
        if isinstance(rewriter, DomainVocabulary):
            values["adapter"] = _adapter(p, key, rewriter.adapter)
        try:
            for f in fields(rewriter):
                if f.init and f.metadata.get("kind") in (*knobs.COMMON, "prompt") and f.name != "model":
                    current_value = getattr(rewriter, f.name)
                    values[f.name] = knobs.Knob(
                        p.key(f"{key}.{f.name}"), f, current_value, hints[f.name], building=True
                    ).draw()
            return (
                replace(rewriter, **values)
                if any(getattr(rewriter, n) != new for n, new in values.items())
                else rewriter
            )
        except LabError as error:
            escape.problem(error)
            return rewriter


def _adapter(p: Page, key: str, adapter: Adapter) -> Adapter:
    """The industry of a route, with the visitor's own words and terms before its own."""
    known = {**adapters()}
    known.setdefault(adapter.name, adapter)
    titles = {adapter_name: known[adapter_name].called(language()) for adapter_name in known}
    field = DomainVocabulary.__dataclass_fields__["adapter"].metadata
    label, help_text = say(field["label"]), say(field["help"])
    chosen = p.pick(f"{key}.adapter", label, known, adapter.name, help_text, format_func=titles.__getitem__)
    lines = p.key(f"{key}.{chosen}.terms")
    term_pairs = adapter.own_terms() if chosen == adapter.name else ()
    address.keep(lines, "\n".join(f"{lay} = {term}" for lay, term in term_pairs), address.text())
    help_text = _("One “lay word = term” per line. They come before those of the industry.")
    sample = _("laptop died = notebook will not start")
    text = st.text_area(_("Your own words and terms"), key=lines, height=90, help=help_text, placeholder=sample)
    with escape.problems():
        return known[chosen].with_terms(text)
    return adapter


def runnable(p: Page, destinations: Sequence[Destination]) -> tuple[Destination, ...]:
    """Returns the routes as they can run here: without a language model, their rewriting uses rules."""
    if p.models.get("chat"):
        return tuple(destinations)

    def by_rule(rewriter: Rewriter | None) -> Rewriter | None:
        return replace(rewriter, model="") if isinstance(rewriter, PromptRewriter) else rewriter

    return tuple(replace(route, rewriting=by_rule(route.rewriting)) for route in destinations)


def _shown(p: Page) -> tuple[Destination, ...]:
    """Returns the routes that the page shows: the usual ones if the link cannot be read."""
    try:
        return _here(_kept(p))
    except LabError:
        return usual(p)


def _less(p: Page, i: int) -> None:
    now = _shown(p)
    _put(p, [*now[:i], *now[i + 1 :]])


def _more(p: Page) -> None:
    now = _shown(p)
    names = {route.name for route in now}
    name = next(n for n in (str(i) for i in range(1, len(now) + 2)) if n not in names)
    _put(p, [*now, Destination(name, BM25(), p.frame.corpus.name)])


def _put(p: Page, new_routes: Sequence[Destination]) -> None:
    """Stores these routes after a click; an error is shown on the next run."""
    try:
        write(p, new_routes)
    except LabError as error:
        st.session_state[_PROBLEM] = error


def files(p: Page, route: Route) -> None:
    """Draws the export and import of the routes and their router."""
    with escape.problems():
        text = formats.to_toml(route)
        st.code(text, language="toml", wrap_lines=True)
        components.download(st, _("Download file"), text, "routes.toml", "text/plain", key=p.key("toml"))
    file = st.file_uploader(_("A TOML file"), type=["toml"], key=p.key("file"))
    if file is not None and st.session_state.get(_SENT) != file.file_id:
        st.session_state[_SENT] = file.file_id
        with escape.problems():
            loaded_route = read(formats.from_toml(file.getvalue().decode("utf-8", "replace")))
            write(p, loaded_route.routes)
            for name in ("best", "examples", "margin", "template"):
                address.put(p.key(f"{CollectionRouter.key}.{name}"), getattr(loaded_route.router, name))
            st.rerun()


def title(name: str) -> str:
    """Returns the title of a route: the visitor's name for it, or the title of its sample corpus."""
    return frame.corpus_title(name)


def told(message: str) -> str:
    """Returns a router's message in the visitor's language, with the titles of the routes."""
    if not isinstance(message, Said):
        return message
    values = {k: title(v) if k in ("route", "other") and isinstance(v, str) else v for k, v in message.values.items()}
    values = {k: told(v) if isinstance(v, Said) else v for k, v in values.items()}
    return _(message.template, **{k: say(v) if isinstance(v, str) else v for k, v in values.items()})


# ------------------------------------------------------------------------------------------- one question


def router(p: Page, start: CollectionRouter, query: Query) -> CollectionRouter:
    """Returns the router that the visitor chooses: the rule, or their language model with an editable prompt."""
    model = p.models.get("chat")
    if model is None:
        st.caption(
            _("Decided by the rule, without a language model. With one (sidebar), the model can decide instead.")
        )
        return start
    words = {"rule": _("the rule"), "model": escape.plain(model.label, 40)}
    by = p.choose("by", _("Router"), list(words), "rule", format_func=words.__getitem__)
    if by == "rule":
        return start
    usual = start.prompt(language_of(query.text))
    with p.fold("prompt", _("The prompt"), ":material/terminal:") as seen:
        if seen:
            template = p.knobs(replace(start, template=usual), "template").template
        else:
            address.keep(key := p.key(f"{start.key}.template"), usual)
            template = str(st.session_state[key])
    return replace(start, model="chat", template="" if template == usual else template)


def decision(told_of: Decision, least: float, above: Any) -> None:
    """Draws the decision as a sentence ``above``, and the score components of every route."""
    sentence = escape.plain(told(told_of.said))
    if told_of.sure:
        above.success(f"**{sentence}**", icon=":material/check_circle:")
    else:
        above.warning(f"**{sentence}**", icon=":material/help:")
    if told_of.answer is not None:
        st.caption(_("The model's answer: {text}", text=escape.plain(told_of.answer.text, 200)))
    charts.draw(scores(told_of, least), "routing.scores")
    if len(told_of.scores) > 1:
        first, second = told_of.scores[:2]
        sentence = _(
            "First {first}, runner-up {second}.",
            first=escape.plain(title(first.route)),
            second=escape.plain(title(second.route)),
        )
        if _line(told_of):
            parts = (
                sentence,
                _(
                    "The dashed line is the first route's score minus the margin. If the runner-up passes it, "
                    "the router is not confident."
                ),
            )
            sentence = listed(parts, " ")
        st.caption(sentence)


def _line(told_of: Decision) -> bool:
    """Whether the margin decides: between several routes, by the rule."""
    return len(told_of.scores) > 1 and told_of.by == "rule" and told_of.scores[0].score > 0


def scores(told_of: Decision, least: float) -> Figure:
    """Draws the score components of every route as a bar, and a line at the margin below the best score."""
    rows = [escape.safe(title(route_score.route), 24) for route_score in told_of.scores]
    colours = [palette.named("bm25"), palette.named("vector")]
    data = []
    for i in range(max((len(route_score.why) for route_score in told_of.scores), default=0)):
        parts = [route_score.why[i] for route_score in told_of.scores]
        hovers = [labelled(charts.hovered(say(part.source), 60), f"{part.value:.4f}") for part in parts]
        texts = [f"{say(part.source).split('(')[0].split('（')[0].split(':')[0]} {part.value:.3f}" for part in parts]
        look: Part = {"orientation": "h", "marker": {"color": colours[i]}, "hovertext": hovers}
        look |= {"text": texts, "textposition": "inside", "insidetextanchor": "start", "textangle": 0}
        look |= {"textfont": {"color": palette.paper()}}
        data.append(charts.trace("bar", [part.value for part in parts], rows, "%{hovertext}", **look))
    ends = [
        charts.note(
            max(route_score.score, 0.0),
            row,
            f"<b>{route_score.score:.3f}</b>",
            13,
            palette.ink(),
            xanchor="left",
            xshift=4,
        )
        for route_score, row in zip(told_of.scores, rows, strict=True)
    ]
    top = max((route_score.score for route_score in told_of.scores), default=0.0)
    shapes: list[Part] = []
    if _line(told_of):
        at = {"type": "line", "xref": "x", "yref": "y domain", "y0": 0, "y1": 1, "x0": top - least, "x1": top - least}
        shapes = [{**at, "line": {"color": palette.ink(), "width": 1.5, "dash": "dash"}}]
    low = min([0.0, top - least, *(part.value for route_score in told_of.scores for part in route_score.why)])
    x: Part = {"range": [low, max(1.15 * top, 0.05)], "tickfont": charts.font(12, palette.mute()), "nticks": 6}
    y: Part = {"autorange": "reversed", "tickfont": charts.font(13)}
    more: Part = {"shapes": shapes, "annotations": ends, "barmode": "relative", "bargap": 0.35}
    more |= {"uniformtext": {"minsize": 9, "mode": "hide"}}
    return charts.figure(40 + 42 * max(len(rows), 1), data, {"l": 4, "r": 12, "b": 22}, x=x, y=y, **more)


@dataclass(frozen=True)
class Found:
    """The result list of every route, best route first, and the list that the decision leads to.

    All lists are over one corpus: see `lab.rewrite.routing.gathered`.
    """

    corpus: Corpus
    lists: Mapping[str, Ranking]
    routed: Ranking


def found(runner: Runner, route: Route, query: Query) -> Found:
    """Runs every route and the routed search, and returns their lists."""
    told_of, whole = route.decided(runner, query), runner(route, query)
    order = {one.route: i for i, one in enumerate(told_of.scores)}
    each = sorted(route.routes, key=lambda one: order[one.name])
    rankings = gathered([runner.elsewhere(one.collection)(one.asked, query) for one in each])
    lists = {one.name: ranking for one, ranking in zip(each, rankings, strict=True)}
    if told_of.sure:  # the same list, under the ids of all
        whole = replace(whole, hits=lists[told_of.route].hits, corpus=rankings[0].corpus)
    return Found(rankings[0].corpus, lists, whole)


def panels(told_of: Found, decided: Decision, query: Query) -> list[show.Panel]:
    """Returns one list per route, preceded by the merged list if the router is not confident."""
    mark = word_marker(query.text, Analyzer())
    result_panels, nothing = [], _("Nothing was found here.")
    if not decided.sure:
        name, colour = _("All routes, merged"), palette.named("fused")
        result_panels.append(
            show.Panel(told_of.routed, name, colour, mark, unit=_("not confident: all routes"), empty=nothing)
        )
    for i, (name, ranking) in enumerate(told_of.lists.items()):
        is_searched = decided.sure and name == decided.route
        unit = _("searched") if is_searched else "" if decided.sure else _("also searched")
        unit = unit or _("if searched")
        colour = palette.shade(palette.named("bm25" if is_searched or not decided.sure else "other"), i % 3)
        result_panels.append(show.Panel(ranking, title(name), colour, mark, unit=unit, empty=nothing))
    return result_panels


def relevant(destinations: Sequence[Destination], query: Query, corpus: Corpus) -> dict[str, int]:
    """Returns the grades of this question from every corpus that has judged it, by the documents' ids in the lists."""
    grades: dict[str, int] = {}
    for name in dict.fromkeys(route.collection for route in destinations):
        collection = frame.judged(frame.collection(name))
        judged_query = collection.query_by_text(query.text)
        for doc, grade in (collection.relevant(judged_query.id) if judged_query and judged_query.id else {}).items():
            known = [i for i in (doc, f"{collection.corpus.name}/{doc}") if corpus.get(i)]
            grades |= dict.fromkeys(known[:1], grade)
    return grades


# ------------------------------------------------------------------------------------- all judged questions


def questions(route: Route) -> dict[str, list[Query]]:
    """Returns the judged questions of every route that shares its corpus with no other, without its examples."""
    each = [destination.collection for destination in route.routes]
    unshared_routes = [destination for destination in route.routes if each.count(destination.collection) == 1]
    return {
        destination.name: [
            q
            for q in frame.judged(frame.collection(destination.collection)).judged
            if q.text not in destination.examples
        ]
        for destination in unshared_routes
    }


def measured(p: Page, route: Route) -> None:
    """Draws the rule's results on all judged questions after a click: confusion matrix, curve and errors."""
    judged_questions, rule = {k: v for k, v in questions(route).items() if v}, _by_rule(route)
    total = sum(map(len, judged_questions.values()))
    if not judged_questions or len(route.routes) < 2:
        st.caption(
            _("Nothing to count: at least two routes are needed, and judged questions in a corpus of one route only.")
        )
        return
    left_out = [title(destination.name) for destination in route.routes if destination.name not in judged_questions]
    if left_out:
        names = [escape.plain(name, 60) for name in left_out]
        st.caption(
            _(
                "Routes without judged questions of their own, to which questions can only be sent wrongly: {names}.",
                names=names,
            )
        )
    prints = tuple(frame.judged(frame.collection(destination.collection)).fingerprint for destination in route.routes)
    about = (rule, prints)
    label = _n("Route {n} judged question by the rule", "Route {n} judged questions by the rule", total)
    if st.button(label, key=p.key("measure"), icon=":material/play_arrow:"):
        st.session_state["_routing_measured"] = about
    if st.session_state.get("_routing_measured") != about:  # under anything else it is no longer true
        return
    margin = rule.router.margin if isinstance(rule.router, CollectionRouter) else 0.0

    def make(progress: Progress) -> tuple[Routed, ...]:
        runner = Runner(p.frame.corpus, others=frame.corpora(), explain=False)
        return decide_all(rule, judged_questions, runner, progress=progress)

    routed = measuring.remembered(p.key("all"), about, make, _("Routing every judged question …"))
    if routed:
        _told(p, routed, [destination.name for destination in rule.routes], margin)


def _by_rule(route: Route) -> Route:
    """Returns the route with only the rule: no model, no prompt, no rewriting, and BM25 as every search."""
    if not isinstance(route.router, CollectionRouter):
        return route
    bare = tuple(replace(destination, search=BM25(), rewriting=None) for destination in route.routes)
    return Route(replace(route.router, model="", template=""), bare)


def _told(p: Page, routed: Sequence[Routed], names: Sequence[str], margin: float) -> None:
    count = balance(routed)
    sure = [question for question in routed if question.decision.sure]
    share = len(sure) / len(routed)
    row = st.columns(3)
    row[0].metric(_("Accuracy of the best route"), f"{accuracy(routed):.1%}")
    row[1].metric(_("Confident"), f"{share:.1%}")
    row[2].metric(_("Accuracy if confident"), f"{accuracy(sure):.1%}" if sure else "–")
    st.markdown(escape.plain(listed(sentences(routed, len(names)), " ")))
    left, right = st.columns(2, gap="large")
    with left:
        st.caption(_("The questions of each route (rows) and where they were sent (columns)."))
        charts.draw(matrix(routed, names), "routing.confusion")
    with right:
        st.caption(_("The dot is the current margin."))
        charts.draw(margins(curve(routed), share, accuracy(sure)), "routing.curve")
    if count.missed or count.saved:
        _wrong(p, routed)


def sentences(routed: Sequence[Routed], n: int) -> list[str]:
    """Describes the costs and benefits of searching all routes when the router is not confident."""
    count = balance(routed)
    unsure = count.saved + count.cost
    if not unsure:
        texts = [_("Every question is routed with confidence: none is searched everywhere.")]
    else:
        numbers = {"unsure": unsure, "asked": count.asked, "n": n, "saved": count.saved, "cost": count.cost}
        texts = [
            _(
                "Questions searched in all {n} routes because the router is not confident: {unsure} of {asked}.",
                **numbers,
            ),
            _("Found only this way, not by the best route alone: {saved}.", **numbers),
            _("Searched everywhere although the best route was right: {cost}.", **numbers),
        ]
    if count.missed:
        texts.append(_("Confident and wrong: {n}.", n=count.missed))
    else:
        texts.append(
            _("All confident routes are right.") if count.sure else _("No question is routed with confidence.")
        )
    return texts


def matrix(routed: Sequence[Routed], names: Sequence[str]) -> Figure:
    """Draws the confusion matrix of the routes; the diagonal holds the correct decisions."""
    table = confusion(routed, names)
    row_numbers = [i for i, row in enumerate(table) if row.any()]  # a route without questions has a column only
    titles = [title(name) for name in names]
    cells = [[float(v) for v in table[i]] for i in row_numbers]
    texts = [
        [f"{v:.0f} ✓" if j == i else f"{v:.0f}" for j, v in enumerate(row)]
        for i, row in zip(row_numbers, cells, strict=True)
    ]
    rows, columns = [titles[i] for i in row_numbers], [*titles, _("not confident")]
    faint = 2.2 * max((v for row in cells for v in row), default=1.0)
    drawn = charts.table_map(cells, rows, columns, palette.named("fused"), texts=texts, zmax=faint)
    layout = drawn["layout"]  # the heads are names: they need room, in Chinese too
    more: Part = {"height": layout["height"] + 14 + 8 * len(rows), "margin": layout["margin"] | {"t": 40}}
    return drawn | {"layout": layout | more}


def margins(points: Curve, share: float, right: float) -> Figure:
    """Draws the accuracy of confident questions against their share as the margin varies; a dot is the current one."""
    rows = zip(points.margins, points.shares, points.accuracies, strict=True)
    template = _("margin {m:.3f}: {s:.1%} are confident, {a:.1%} of those right")
    hover = [template.format(m=m, s=s, a=a) for m, s, a in rows]
    colour = palette.named("fused")
    look: Part = {"mode": "lines", "line": {"color": colour, "width": 2.5}, "hovertext": hover}
    data = [charts.trace("scatter", points.shares.tolist(), points.accuracies.tolist(), "%{hovertext}", **look)]
    if share:
        edge = {"color": palette.ink(), "width": 2}
        dot: Part = {"mode": "markers", "marker": {"size": 13, "color": colour, "line": edge}}
        data.append(charts.trace("scatter", [share], [right], "%{x:.1%}: %{y:.1%}", **dot))
    percent: Part = {"tickformat": ".0%"}
    x = {**charts.axis(_("share of confident questions")), **percent, "range": [0, 1.02]}
    y = {**charts.axis(_("right, of those")), **percent}
    return charts.figure(260, data, {"l": 58, "b": 44}, x=x, y=y)


def _wrong(p: Page, routed: Sequence[Routed]) -> None:
    """Draws the wrongly routed questions, the largest margin first, and a menu to ask one of them."""
    wrong = sorted((question for question in routed if not question.hit), key=lambda question: -question.lead)
    st.caption(_("Questions whose best route is wrong: {n}, the largest margin first.", n=len(wrong)))
    columns: dict[str, Any] = {
        "question": st.column_config.TextColumn(_("Question"), width="large"),
        "right": _("Correct route"),
        "sent": _("Best route"),
        "lead": st.column_config.NumberColumn(_("Margin"), format="%.4f"),
        "sure": st.column_config.CheckboxColumn(_("Confident")),
    }
    rows = [
        (
            question.query.text,
            title(question.right),
            title(question.decision.route),
            question.lead,
            question.decision.sure,
        )
        for question in wrong
    ]
    table = [dict(zip(columns, row, strict=True)) for row in rows]
    tables.draw(_("Wrongly routed questions"), table, key=p.key("wrong"), columns=columns)
    pick = p.key("ask")

    def chosen() -> None:
        if st.session_state[pick] in range(len(wrong)):  # not the text of a choice whose options changed meanwhile
            address.put(address.QUESTION, wrong[st.session_state[pick]].query.text)

    st.selectbox(
        _("Choose a question"),
        range(len(wrong)),
        index=None,
        format_func=lambda i: wrong[i].query.text,
        key=pick,
        on_change=chosen,
        placeholder=_("Choose one of {n}", n=len(wrong)),
    )
