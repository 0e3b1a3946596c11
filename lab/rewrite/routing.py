"""Routing: which of several searches a question is sent to, and when that is not certain.

A `Router` decides between `Destination` values; `Route` is the search that follows it.  `WordTable` looks for words in
the question, `CollectionRouter` at what the routes have to say about it, or asks a language model.
A decision that is not sure says so: then all routes are searched.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from lab.algebra import (
    ALONE,
    DEPTH,
    BranchChoice,
    Composed,
    Contribution,
    Corpus,
    Document,
    Env,
    Fusion,
    Operator,
    Part,
    Query,
    Ranking,
    Rewriter,
    Runner,
    Searcher,
    fits,
    knob,
    listed,
)
from lab.algebra.knobs import require
from lab.algebra.verbs import with_changes
from lab.errors import ModelError, ParameterError
from lab.fuse import RRF
from lab.models.chat import Completion, Shape
from lab.models.consult import Reading, Request
from lab.models.embedders import Encoder, encoder_of
from lab.models.prompting import TEMPLATE, Prompted, fill
from lab.models.static import BuiltIn
from lab.numeric import Floats, unit
from lab.refine.coverage import idf
from lab.retrieve.lexical import BM25, looked_up
from lab.retrieve.matrix import TermMatrix
from lab.text import cut, language_of
from lab.words import N_, Said

Find = Callable[[str], Corpus]
"""The corpus of a route by the name of its collection; the empty name is the corpus of the run."""
SHOWN = 5
"""So many examples of a route, or titles of its passages, stand in the prompt."""


@dataclass(frozen=True)
class Destination:
    """One route of a router: its name, its search, and its corpus (empty: the corpus of the run).

    ``examples`` are questions that belong there, which a router may learn from; ``rewriting`` rewrites a question
    that is sent there.  Raises `PipelineError` or `ParameterError` for values of another type.
    """

    name: str
    search: Searcher
    collection: str = ""
    examples: tuple[str, ...] = ()
    rewriting: Rewriter | None = None

    def __post_init__(self) -> None:
        fits("search", (self.search,), Searcher)
        object.__setattr__(self, "examples", listed("examples", self.examples))
        fits("examples", self.examples, str)
        fits("rewriting", () if self.rewriting is None else (self.rewriting,), Rewriter)

    @property
    def asked(self) -> Searcher:
        """Returns the search that receives the question, including the rewriting if one is set."""
        return self.search if self.rewriting is None else self.rewriting(self.search)


@dataclass(frozen=True)
class Scored:
    """The score of one route; ``why`` holds its score components."""

    route: str
    score: float
    why: tuple[Contribution, ...] = ()


@dataclass(frozen=True)
class Decision(BranchChoice):
    """The route chosen for a question, and the reason in a sentence.

    Where it is not ``sure``, the route is the best of the ``scores`` (best first), and all routes are searched.
    ``answer`` is what a language model said; ``problem`` is why it did not decide, where it was asked.
    """

    route: str
    said: str
    sure: bool = True
    scores: tuple[Scored, ...] = ()
    by: Literal["rule", "model"] = "rule"
    answer: Completion | None = field(default=None, compare=False)
    problem: ModelError | None = field(default=None, compare=False)

    @property
    def margin(self) -> float:
        """Returns the lead of the best score over the second; the score itself for a single route, 0 without scores."""
        return self.scores[0].score - (self.scores[1].score if len(self.scores) > 1 else 0.0) if self.scores else 0.0


@dataclass(frozen=True)
class Router(Operator, ABC):
    """``Query -> Decision``."""

    family = "route"

    @abstractmethod
    def decide(self, query: Query, routes: Sequence[Destination], find: Find, env: Env = ALONE) -> Decision:
        """Chooses one of these routes; ``find`` gives their corpora.  Raises `UnknownName` for a missing route."""

    def without(self, route: str) -> Router:
        """Returns this router without settings for a route that was removed."""
        return self

    def renamed(self, route: str, name: str) -> Router:
        return self


@dataclass(frozen=True)
class WordTable(Router):
    """A fixed table: the first (words, route) whose words are in the question decides, or else ``otherwise``.

    Words are compared without case; an empty ``otherwise`` is the first route.
    """

    technique = Said("Word table")
    about = Said("Words in the question decide the route.")

    table: tuple[tuple[str, str], ...] = knob(
        (),
        kind="spec",
        label=Said("Table"),
        help=Said("Rows of words and their routes; the first row that matches decides."),
    )
    otherwise: str = knob(
        "", label=Said("Default route"), help=Said("Route if no row matches. Empty: the first route.")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = listed("table", self.table)
        pairs = [row for row in rows if isinstance(row, list | tuple) and len(row) == 2]
        if len(pairs) < len(rows) or not all(isinstance(part, str) and part for row in pairs for part in row):
            raise ParameterError(
                Said("A row of the table is not a pair of words and route."),
                Said('Write it like ["VPN", "computers"].'),
            )
        object.__setattr__(self, "table", tuple((words, route) for words, route in rows))

    @property
    def label(self) -> str:
        return Said("Word table")

    def without(self, route: str) -> Router:
        otherwise = "" if self.otherwise == route else self.otherwise
        return replace(self, table=tuple(row for row in self.table if row[1] != route), otherwise=otherwise)

    def renamed(self, route: str, name: str) -> Router:
        table = tuple((words, name if to == route else to) for words, to in self.table)
        return replace(self, table=table, otherwise=name if self.otherwise == route else self.otherwise)

    def decide(self, query: Query, routes: Sequence[Destination], find: Find, env: Env = ALONE) -> Decision:
        for words, route in self.table:
            if words.casefold() in query.text.casefold():
                return Decision(route, Said("The question contains “{words}”: {route}.", words=words, route=route))
        route = self.otherwise or routes[0].name
        return Decision(route, Said("The question contains no words of the table: {route}.", route=route))


NOT_ASKED = Reading[str](None)


@dataclass(frozen=True)
class CollectionRouter(Prompted, Router):
    r"""Chooses the corpus that matches a question best, by its passages and by example questions.

    With idf(t) over the passages of all routes together and the Lucene variant's factor f(t, d) of a word's frequency,
    a passage holds ``sum of idf(t) f(t, d)`` of the question's ``sum of idf(t)``, a share from 0 to 1.  A route's score
    is the mean share of its ``best`` passages, plus ``examples`` times the cosine of the question with the mean of its
    example questions (built-in vectors); a route without examples gets the mean of the others' cosines.  Scores of one
    idf can be compared: where each collection has its own, what is rare in one looks like what it is about.

    Where the best score is less than ``margin`` ahead of the runner-up, the decision is not sure.

    With a ``model`` that answers, its choice counts, and is sure; only the exact name of a route is one.  The rule
    decides, and says so, where the model is not there, fails, or answers anything else.

    Sources: collection-wide information in one idf: C. Viles and J. French, *Dissemination of Collection Wide
    Information in a Distributed Information Retrieval System*, 1995; collections by their best passages: L. Si and
    J. Callan, *Relevant Document Distribution Estimation Method for Resource Selection*, 2003; the centroid: E.-H. Han
    and G. Karypis, *Centroid-Based Document Classification*, 2000.
    """

    label = Said("Collection router")
    about = Said("Sends the question to the corpus whose passages match it best, or lets a language model choose.")

    template: str = TEMPLATE(
        help=Said("{question} and {routes} are filled in. Empty: the lab's prompt."), needs=("question", "routes")
    )
    best: int = knob(
        3,
        low=1,
        high=100,
        label=Said("Passages for the word score"),
        help=Said("Number of passages whose mean score is the word score of a route."),
        kw_only=True,
    )
    examples: float = knob(
        0.2,
        low=0.0,
        high=2.0,
        step=0.05,
        label=Said("Weight of the examples"),
        help=Said("Weight of the similarity to a route's example questions, relative to the words."),
        kw_only=True,
    )
    margin: float = knob(
        0.03,
        low=0.0,
        high=1.0,
        step=0.01,
        label=Said("Margin"),
        help=Said("Minimum lead over the runner-up; below it, all routes are searched."),
        kw_only=True,
    )

    def decide(self, query: Query, routes: Sequence[Destination], find: Find, env: Env = ALONE) -> Decision:
        scores = self.scores(query, routes, find, env)
        reading = NOT_ASKED
        if self.model and query.text.strip():
            from lab.models.answers import read_name

            names = [route.name for route in routes]
            request = Request(self.request(query, routes, find), lambda answer: read_name(answer, names, "route"))
            shape = Shape.of("route", route={"type": ["string", "null"], "enum": [*names, None]})
            reading = self.consult(env, request, shape)
        if reading.value is not None:
            message = Said("The language model chose {route}.", route=reading.value)
            return Decision(reading.value, message, True, scores, "model", reading.answer)
        decided = Decision(scores[0].route, "", True, scores, "rule", reading.answer, reading.problem)
        return replace(decided, **self._told(decided))

    def _told(self, decided: Decision) -> dict[str, Any]:
        """Returns whether the rule's decision is confident, and its explanation."""
        first, *other_scores = decided.scores
        margin = math.floor(1e4 * decided.margin) / 1e4  # rounded up it might be enough
        values = {"route": first.route, "margin": margin, "least": self.margin}
        sure = not other_scores or (decided.margin >= self.margin and decided.margin > 0)
        if not other_scores:
            message = Said("{route} is the only route.", route=first.route)
        elif sure:
            template = N_("{route} leads {other} by {margin:.4f}; {least:g} is enough.")
            message = Said(template, other=other_scores[0].route, **values)
        elif first.score <= 0:
            message = Said("Not confident: no route matches the question. All routes are searched.")
        else:
            template = N_(
                "Not confident: {route} leads {other} by only {margin:.4f}, less than {least:g}. All routes are "
                "searched."
            )
            if decided.margin == 0:
                template = N_("Not confident: {route} and {other} have the same score. All routes are searched.")
            message = Said(template, other=other_scores[0].route, **values)
        if decided.problem is not None:
            message = Said("{problem} The rule decides. {said}", problem=decided.problem.message, said=message)
        return {"sure": sure, "said": message}

    def scores(self, query: Query, routes: Sequence[Destination], find: Find, env: Env = ALONE) -> tuple[Scored, ...]:
        """Scores each route and returns the scores, best first; ties in the order of the routes."""
        corpora = [find(route.collection) for route in routes]
        words = held(query, corpora, self.best, env)
        near = self.examples * nearness(query.text, [route.examples for route in routes], corpora)
        has_examples = any(route.examples for route in routes) and self.examples > 0
        scores = []
        for route, share, close in zip(routes, words.tolist(), near.tolist(), strict=True):
            name = Said("examples") if route.examples else Said("examples (mean of the other routes)")
            why = (Contribution(Said("words"), share), *([Contribution(name, close)] if has_examples else []))
            scores.append(Scored(route.name, sum(part.value for part in why), why))
        return tuple(sorted(scores, key=lambda score: -score.score))

    def request(self, query: Query, routes: Sequence[Destination], find: Find) -> str:
        """Returns the prompt for the model: the question, and each route's name with examples or titles."""
        lines = "\n".join(f"- {route.name}: {' / '.join(_tells(route, find))}" for route in routes)
        return fill(self.prompt(language_of(query.text)), question=query.text.strip(), routes=lines)


def held(query: Query, corpora: Sequence[Corpus], best: int, env: Env = ALONE) -> Floats:
    """Returns the mean share of a question's IDF weight in the ``best`` passages of each corpus, [corpora].

    IDF is computed over all their passages together; a corpus that is listed twice counts once.
    """
    words, weighted_texts = BM25(), query.weights or ((query.text, 1.0),)
    each = {id(corpus): corpus for corpus in corpora}
    matrices = {i: TermMatrix.for_corpus(corpus, words.analyzer, env.progress) for i, corpus in each.items()}
    known = ChainMap(*(m.vocabulary for m in matrices.values()))
    used = looked_up(words.analyzer, " ".join(text for text, _ in weighted_texts), known)
    if used != words.analyzer:
        matrices = {i: TermMatrix.for_corpus(corpus, used, env.progress) for i, corpus in each.items()}
    counts = defaultdict[str, float](float)
    for text, weight in weighted_texts:
        for term in used.tokens(text):
            counts[term] += weight
    documents = sum(map(len, each.values()))
    weights = {
        term: count * idf(documents, sum(m.df[m.vocabulary[term]] for m in matrices.values() if term in m.vocabulary))
        for term, count in counts.items()
    }
    total = sum(map(abs, weights.values())) or 1.0
    shares = {i: _best(words, m, weights, best) / total for i, m in matrices.items()}
    return np.array([shares[id(corpus)] for corpus in corpora])


def _best(words: BM25, m: TermMatrix, weights: Mapping[str, float], best: int) -> float:
    """Returns the mean score of a matrix's ``best`` passages; missing passages count 0."""
    sums, norms = np.zeros(max(best, len(m.lengths))), words.norms(m, np.zeros(0))
    for term, weight in weights.items():
        if term in m.vocabulary:
            at = m.column(m.vocabulary[term])
            docs = m.docs[at]
            sums[docs] += words.weigh(m.tf[at].astype(np.float64), norms[docs], weight)
    return float(np.sort(np.partition(sums, -best)[-best:]).mean())


def nearness(text: str, examples: Sequence[tuple[str, ...]], corpora: Sequence[Corpus]) -> Floats:
    """Returns a question's cosine with each row's mean example vector, [rows]; empty rows get the others' mean.

    The mean vector of a row is cached with its corpus.
    """
    similarities, has_examples = np.zeros(len(examples)), np.array([bool(row) for row in examples])
    if has_examples.any():
        encoder = encoder_of(BuiltIn(), corpora[0])  # one for all of them
        centres = [
            corpus.once(("examples", row), partial(_centre, encoder, row))
            for row, corpus in zip(examples, corpora, strict=True)
            if row
        ]
        similarities[has_examples] = np.array(centres) @ unit(encoder.queries([text]))[0]
        similarities[~has_examples] = similarities[has_examples].mean()
    return similarities


def _centre(encoder: Encoder, row: Sequence[str]) -> Floats:
    return np.asarray(unit(unit(encoder.queries([*row])).mean(axis=0, keepdims=True))[0])


def _tells(route: Destination, find: Find) -> Sequence[str]:
    """Describes a route to a model: by its examples, or else by titles sampled from its whole corpus."""
    documents = find(route.collection).documents
    every = max(1, len(documents) // SHOWN)
    return [cut(example, 100) for example in route.examples[:SHOWN] or [d.label for d in documents[::every][:SHOWN]]]


@dataclass(frozen=True)
class Route(Composed):
    """Sends a question to one of several searches, or to all if the router is not confident.

    The evidence of the ranking is the `Decision`.  The lists of all routes, each ``DEPTH`` deep, become one by
    ``merge``; where they are of several corpora, the ranking's corpus is what they found (see `gathered`).
    """

    technique = Said("Route")
    about = Said("Sends a question to one of several searches, or to all if the router is not confident.")

    router: Router = knob(kind="spec", label=Said("Router"), help=Said("Decides which route a question is sent to."))
    routes: tuple[Destination, ...] = knob(
        kind="spec", label=Said("Routes"), help=Said("The searches that a question can be sent to, each with a name.")
    )
    merge: Fusion = knob(
        RRF(),
        kind="spec",
        label=Said("All routes merged by"),
        help=Said("How the lists of all routes are merged if the router is not confident."),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "routes", listed("routes", self.routes))
        fits("router", (self.router,), Router)
        fits("routes", self.routes, Destination)
        names = [r.name for r in self.routes]
        names_valid = bool(names) and len(set(names)) == len(names) and all(names)
        remedy = Said("Give at least one route, and every route a name of its own.")
        require(names_valid, Said("The names of the routes are: {names}.", names=names or "–"), remedy)
        router_names = [name for _, name in getattr(self.router, "table", ())] + [getattr(self.router, "otherwise", "")]
        for name in router_names:
            missing = Said("The router names a route “{name}” that does not exist.", name=name)
            require(not name or name in names, missing, Said("Valid names: {names}.", names=names))

    @property
    def label(self) -> str:
        return " | ".join(r.name for r in self.routes)

    def renamed(self, route: str, name: str) -> Route:
        """Returns this step with a new name for a route, in its router, too."""
        routes = tuple(replace(x, name=name) if x.name == route else x for x in self.routes)
        return replace(self, router=self.router.renamed(route, name), routes=routes)

    def _direct_parts(self) -> Iterator[Part]:
        yield Part("router", self.router)
        yield from (Part(f"routes.{i}", route.asked) for i, route in enumerate(self.routes))

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        head, rest = steps[0], steps[1:]
        router, routes = self.router, list(self.routes)
        if head == "router" and not rest:
            needed = Said("“{path}” cannot be left out.", path=path)
            require(operator is not None, needed, Said("Replace it, or leave out routes."))
            return with_changes(self, router=operator)
        if head != "routes":
            raise self._unknown(path)
        i = self._place(rest, routes, path)
        if rest[1:]:
            operator = self._within(routes[i].asked, rest[1:], path, operator)
        if operator is None:
            router = router.without(routes.pop(i).name)
        else:
            routes[i] = with_changes(routes[i], search=operator, rewriting=None)
        return with_changes(self, router=router, routes=tuple(routes))

    def decided(self, runner: Runner, query: Query) -> Decision:
        """Returns the routing decision for this question, made once in a run."""

        def make() -> Decision:
            return self.router.decide(query, self.routes, lambda name: runner.elsewhere(name).corpus, runner.env)

        return runner.once((Route, self.router, self.routes, query), make)

    def taken(self, decision: Decision) -> list[int]:
        """Returns the positions of the routes to search: the chosen one, or all if the decision is not confident."""
        return [i for i, route in enumerate(self.routes) if route.name == decision.route or not decision.sure]

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        decision = self.decided(runner, query)
        chosen_routes = [self.routes[i] for i in self.taken(decision)]
        deep = k if decision.sure else DEPTH
        lists = [runner.elsewhere(route.collection).node(route.asked, query, deep) for route in chosen_routes]
        ranking = lists[0] if len(lists) == 1 else self.merge(gathered(lists), query=query)
        return self._passed_on(ranking, tuple(lists), decision)


def gathered(lists: Sequence[Ranking]) -> list[Ranking]:
    """Returns lists of several corpora over one corpus, made of their documents in the order of the lists.

    A document whose id another of the corpora has as well gets the name of its corpus before it.
    """
    corpora = list({id(ranking.corpus): ranking.corpus for ranking in lists}.values())
    if len(corpora) == 1:
        return list(lists)

    def renamed(document: Document, corpus: Corpus) -> Document:
        twice = any(other.get(document.id) for other in corpora if other is not corpus)
        return replace(document, id=f"{corpus.name}/{document.id}") if twice else document

    rows = [tuple(replace(h, document=renamed(h.document, r.corpus)) for h in r.hits) for r in lists]
    documents = {hit.document.id: hit.document for row in rows for hit in row}
    corpus = Corpus(" + ".join(corpus.name for corpus in corpora), tuple(documents.values()))
    return [replace(ranking, hits=row, corpus=corpus) for ranking, row in zip(lists, rows, strict=True)]
