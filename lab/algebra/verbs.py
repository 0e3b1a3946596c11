"""The verbs of the algebra, and a whole search as a value.

`Derivation` makes a corpus of a corpus, `Rewriter` rewrites of a question, `Retriever` turns a corpus and a question
into a ranking, `Fusion` rankings into one, `Stage` a ranking into a ranking.  Anything that can search is a
`Searcher`: a retriever, or a composition of searchers::

    search = RRF(k=60)(BM25(), Vector() >> ScoreThreshold(0.3)) >> MaxSim(0.4) >> MMR(k=8)
    ranking = search.index(corpus).search("how long does a refund take")

A `Pipeline` is a `Searcher` like a retriever, so it may be used wherever one is: as a list of another pipeline, under
a rewriter, in a `Fallback`.  It is defined beside the bases because ``>>``, ``%``, ``*`` and a call with searchers make
one; `Top` and `Lift`, because ``%`` and a call of a derivation make them.

Sources of `Lift`: LangChain's ``ParentDocumentRetriever`` (unique parents in the order of their first child);
LlamaIndex's ``AutoMergingRetriever`` (a parent replaces its children if more than half of them were found,
with the mean of their scores); RAGFlow (the mean).

There are two depths.  ``depth`` is the number of documents *requested* from each list before anything else happens;
it belongs to the specification and never depends on how many hits are shown, so the first ten of a search are the
first ten of its first hundred.  `Top` (``%``) drops everything after the first k of an existing list.
"""

from __future__ import annotations

import dataclasses
import math
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast, overload

from lab import notebook
from lab.algebra.knobs import Operator, fits, knob, listed, require, shown
from lab.algebra.nouns import (
    NONE,
    Contribution,
    Corpus,
    Document,
    Drop,
    Hit,
    Index,
    Later,
    Models,
    Query,
    Ranking,
    Removed,
)
from lab.algebra.order import in_order
from lab.algebra.runner import ALONE, DEPTH, FILTERED, Env, Runner
from lab.errors import LabError, ParameterError, PipelineError, UnknownName
from lab.kept import Progress
from lab.words import N_, Said, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


# ------------------------------------------------------------------------------------------------ the bases


@dataclass(frozen=True)
class Searcher(Operator, ABC):
    """Anything that can search: ``index(corpus).search(query)``.  Retrievers, and every composition of them."""

    family: ClassVar[str] = "lexical"
    settings: ClassVar[tuple[str, ...]] = ()
    """The settings of a run that an index of this searcher depends on."""
    settled: ClassVar[bool] = False
    """Whether its list is the same as long as corpus and models are the same: nothing else changes what it searches."""
    keeps_index: ClassVar[bool] = True
    """Whether its index is kept with the corpus; one that holds what belongs to a single run is not."""

    @abstractmethod
    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """Prepares this searcher for a corpus; ``models`` are loaded models by the names of their settings."""

    @abstractmethod
    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        """Returns the ranking in a `Runner`, which runs every node once.  Only the runner calls it."""

    @property
    def sets_depth(self) -> bool:
        """Whether its list has the same length regardless of how many results are requested."""
        return False

    @property
    def simplest(self) -> Searcher:
        """The search that gives this list with the fewest steps: this one, or the one list of a bare pipeline."""
        return self

    def __rshift__(self, stage: Stage | Stages) -> Pipeline:
        """This search, and then a stage (or several)."""
        return appended(self, stage)

    def __mod__(self, k: int) -> Pipeline:
        """This search, and then its first ``k``: the rest is dropped."""
        return self >> Top(k)

    def __mul__(self, weight: float) -> Weighted:
        """This list with a weight, for a fusion that has weights."""
        return Weighted(self, weight)

    __rmul__ = __mul__


@dataclass(frozen=True)
class Weighted:
    """A searcher with the weight that its list has in a fusion: ``RRF()(2 * BM25(), Vector())``."""

    searcher: Searcher
    weight: float


@dataclass(frozen=True)
class Retriever(Searcher, ABC):
    """``(Corpus, query) -> Ranking``: `index` does the work that is needed once, `Index.search` answers.

    ``approximate`` ones may miss a document that belongs in the list.
    """

    role: ClassVar[str] = "list"
    """The page that offers it: ``list`` means every page where lists are chosen, any other role its own page."""
    approximate: ClassVar[bool] = False
    compares: ClassVar[bool] = True
    """Whether it compares the question with the documents; if not, its list is taken over unchanged."""
    required_knobs: ClassVar[tuple[str, ...]] = ()
    """The parameters without which it finds nothing: every page that offers it has fields for them."""

    @property
    def filtered(self) -> bool:
        """Whether it has a filter that excludes documents."""
        return False

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        runner.index(self)  # building the index is not part of the search
        start = time.perf_counter()
        ranking = runner.index(self).search(query, k=k, explain=runner.explain)
        # if an index does not measure its own time, it is measured here
        return ranking if ranking.seconds else replace(ranking, seconds=time.perf_counter() - start)


@dataclass(frozen=True)
class Fusion(Operator, ABC):
    """``[Ranking] -> Ranking``: subclasses implement `fuse`.  Called with searchers, it makes a pipeline of them."""

    family: ClassVar[str] = "fused"
    counts_scores: ClassVar[bool] = False
    """Whether it counts the scores of the lists, and not their ranks."""

    @overload
    def __call__(self, first: Sequence[Ranking], *, query: Query | None = None) -> Ranking: ...
    @overload
    def __call__(self, first: Searcher | Weighted, *more: Searcher | Weighted, depth: int | None = ...) -> Pipeline: ...
    def __call__(self, first: Any, *more: Any, query: Query | None = None, depth: int | None = None) -> Any:
        """Returns the rankings as one (for ``query``, by default the first one's), or the searchers as a pipeline."""
        if isinstance(first, Searcher | Weighted):
            return fused(self, (first, *more), depth)
        rankings = tuple(first)
        if not rankings:
            raise ParameterError(Said("There is nothing to fuse."), Said("Give at least one result list."))
        comparable(rankings)
        corpus = rankings[0].corpus
        if any(r.corpus is not corpus and r.corpus.fingerprint != corpus.fingerprint for r in rankings[1:]):
            message = Said("These lists are from several corpora, in which one id may name two documents.")
            raise ParameterError(message, Said("Fuse lists of one corpus; aggregate lists of chunks first."))
        start = time.perf_counter()
        hits = self.fuse(rankings)
        seconds = time.perf_counter() - start
        return Ranking(query or rankings[0].query, tuple(hits), self, rankings, seconds=seconds, corpus=corpus)

    @abstractmethod
    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        """The fused hits, best first."""

    def weighted(self, weights: Sequence[float]) -> Self:
        """Returns this fusion with other weights, one per list.  Raises `ParameterError` if it has no weights."""
        raise ParameterError(
            Said("{name} has no weights.", name=self.label), Said("Choose a fusion with weights, or set none.")
        )


def comparable(rankings: Sequence[Ranking]) -> None:
    """Raises `ParameterError` for a score that cannot be part of a sum: infinite, not a number, or too large."""
    for ranking in rankings:
        for hit in ranking.hits:
            if not -GREATEST <= hit.score <= GREATEST:
                message = Said("A score of {list} is {value}.", list=ranking.made_by.label, value=shown(hit.score))
                remedy = Said("Only lists with scores from -{most} to {most} can be fused.", most=f"{GREATEST:g}")
                raise ParameterError(message, remedy)


GREATEST = 1e100
"""Beyond it, sums of squares exceed the range of a float."""


class Outcome(NamedTuple):
    """The result of a stage: the remaining hits in their new order, the removed ones with reasons, and its evidence.

    ``corpus`` is set if the hits are documents of another corpus, as when parents replace their children.
    """

    hits: Sequence[Hit]
    dropped: Sequence[Drop] = ()
    evidence: object = None
    corpus: Corpus | None = None


class Selection(NamedTuple):
    """What a condition says of a whole corpus: the documents that fit, by position, or None if all do.

    ``reason`` says why a document does not fit.
    """

    rows: NDArray[np.bool_] | None
    evidence: object
    reason: Callable[[Document], str]


@dataclass(frozen=True)
class Stage(Operator, ABC):
    """``Ranking -> Ranking``: subclasses implement `refine`.

    Every document of the input is in the hits or among the removed ones, and no other is; a stage that replaces
    documents by others (children by their parents) sets ``makes_documents = True``.
    """

    family: ClassVar[str] = "refined"
    role: ClassVar[str] = ""
    """Its purpose, and so the page that offers it: ``rerank``, ``filter``, ``compress``; empty: its own page."""
    makes_documents: ClassVar[bool] = False
    selects: ClassVar[bool] = False
    """Whether it is a condition on each document by itself: right behind a list, the list is searched within it."""

    def select(self, query: Query, corpus: Corpus, env: Env) -> Selection | None:
        """Returns the documents that fit; None if the corpus cannot be looked through, and only a list can be."""
        return None

    def __call__(self, ranking: Ranking, env: Env = ALONE) -> Ranking:
        start = time.perf_counter()
        hits, dropped, evidence, corpus = self.refine(ranking, env)
        seconds, corpus = time.perf_counter() - start, ranking.corpus if corpus is None else corpus
        removed, hits = dropped if isinstance(dropped, Later) else tuple(dropped), tuple(hits)
        self._check(hits)
        fields = (ranking.query, hits, self, (ranking,), removed)
        return Ranking(*fields, seconds=seconds, evidence=evidence, corpus=corpus)

    def _check(self, hits: Sequence[Hit]) -> None:
        """Raises `PipelineError` for a score that is not a number, and for a document that comes twice."""
        name, remedy = type(self).__name__, Said("Correct the stage: python -m lab.contracts FILE names its faults.")
        if any(hit.score != hit.score for hit in hits):
            raise PipelineError(Said("{stage} returned a score that is not a number.", stage=name), remedy)
        if len({hit.document.id for hit in hits}) < len(hits):
            raise PipelineError(Said("{stage} returned a document twice.", stage=name), remedy)

    @abstractmethod
    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        """Returns the remaining hits in their new order, and the removed ones with the reason."""

    def __rshift__(self, other: Stage | Stages) -> Stages:
        """This stage and then another, to be appended to a search."""
        return Stages((self,)) >> other

    def __mod__(self, k: int) -> Stages:
        """This stage and then its first ``k``: in Python, ``search >> stage % k`` means exactly that."""
        return self >> Top(k)


@dataclass(frozen=True)
class Stages:
    """Stages in a row without a search yet: ``search >> (a >> b % 10)``."""

    stages: tuple[Stage, ...]

    def __rshift__(self, other: Stage | Stages) -> Stages:
        return Stages((*self.stages, *(other.stages if isinstance(other, Stages) else (other,))))

    def __mod__(self, k: int) -> Stages:
        return self >> Top(k)


@dataclass(frozen=True)
class Top(Stage):
    """Passes the first ``k`` on and drops the others, with their rank as the reason."""

    inputs = ()
    technique = Said("Top")
    about = Said("Passes the first results of a list on.")
    cuts_only = True

    k: int = knob(
        10,
        Said("Number of results"),
        Said("Passes the first results of a list on and removes the others because of their rank."),
        low=0,
        high=100_000,
    )

    @property
    def label(self) -> str:
        return Said("Top {k}", k=self.k)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        k, reason = self.k, N_("Rank {rank}: only the first {k} are passed on.")

        def drops() -> list[Drop]:
            left = enumerate(ranking.hits[k:], k + 1)
            return [Drop(h.document, Said(reason, rank=i, k=k), self.label) for i, h in left]

        return Outcome(ranking.hits[:k], Later(drops))


SECTION = "section"
"""The metadata field of a derived document that numbers the part of its origin from which it was made."""
HALF = 0.5
"""If more than this share of a parent's children was found, auto-merging merges them."""


@dataclass(frozen=True)
class Lifted:
    """The derived documents that led to each document, by its id, best first; ``used`` are those in its score."""

    children: Mapping[str, Sequence[Hit]]
    used: Mapping[str, Sequence[Hit]]

    @cached_property
    def counted(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the derived documents that are in the score of each document."""
        return {origin: tuple([hit.document.id for hit in hits]) for origin, hits in self.used.items()}


@dataclass(frozen=True)
class Lift(Stage):
    """Aggregates derived documents to their originals, with one of their scores; other rankings stay unchanged.

    ``by`` is the best child's score; the mean of all children found; auto-merging (LlamaIndex's: a chunk between two
    that are neighbours in the list counts as found, with their mean; then the mean if more than half of a parent's
    children were found, else the best child); the first child's rank, as 1/rank; the number found; or their sum, which
    is a mistake: long documents have many children.  The score components sum to it.  The evidence is a `Lifted`.
    """

    inputs = ("scores",)
    label = Said("Aggregate")
    about = Said("Returns the documents that the chunks come from.")

    makes_documents = True

    by: str = knob(
        "best",
        Said("Aggregated by"),
        Said(
            "How the scores of chunks become a document's score. The sum favours long documents, which have "
            "many chunks."
        ),
        choices={
            "best": Said("best chunk"),
            "mean": Said("mean of the chunks found"),
            "auto-merging": Said("auto-merging (mean, if more than half)"),
            "first": Said("first chunk"),
            "count": Said("number of chunks found"),
            "sum": Said("sum (a mistake)"),
        },
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        derived = ranking.corpus
        if not derived.parents:
            return Outcome(ranking.hits)
        corpus, origins, by = derived.parents[0], derived.origins, self.by
        documents, positions = corpus.documents, corpus.positions
        children, first = dict[str, list[Hit]](), dict[str, int]()
        for rank, hit in enumerate(ranking.hits, 1):
            origin = origins.get(hit.document.id, "")
            if origin in children:
                children[origin].append(hit)
            elif origin in positions:
                children[origin], first[origin] = [hit], rank
        hits, used = list[Hit](), dict[str, Sequence[Hit]]()
        listed = [hit for hit in ranking.hits if origins.get(hit.document.id, "") in positions]
        merged = _auto_merged(listed, derived) if by == "auto-merging" else {}
        for origin, hits_of_origin in children.items():
            used[origin] = hits_of_origin
            if by == "first":
                used[origin] = hits_of_origin[:1]
                score, why = _placed(first[origin])
            elif len(hits_of_origin) == 1 and by != "count":
                score, why = hits_of_origin[0].score, hits_of_origin[0].why
            if len(hits_of_origin) > 1:
                hits_of_origin.sort(key=_best)  # a stable sort: ties stay in the order of their ranks
            if by != "first" and (len(hits_of_origin) > 1 or by == "count"):
                score, why, used[origin] = self._lifted(hits_of_origin, merged.get(origin, ()))
            hits.append(Hit(documents[positions[origin]], score, why))
        return Outcome(in_order(hits), (), Lifted(children, used), corpus)

    def _lifted(
        self, child_hits: list[Hit], merged: Sequence[list[Hit]]
    ) -> tuple[float, Sequence[Contribution], Sequence[Hit]]:
        """Returns a document's score, its components, and the children (best first) that the score is computed from."""
        if self.by == "count":
            n = float(len(child_hits))
            return n, Later(lambda: [Contribution(Said("chunks found"), n)]), child_hits
        if self.by == "auto-merging":
            child_hits = max(merged, key=_mean)
        if self.by == "best" or len(child_hits) == 1:
            return child_hits[0].score, child_hits[0].why, child_hits[:1]
        share = 1.0 if self.by == "sum" else 1 / len(child_hits)
        return share * sum([hit.score for hit in child_hits]), Later(partial(_summed, child_hits, share)), child_hits


def _auto_merged(hits: Sequence[Hit], derived: Corpus) -> dict[str, list[list[Hit]]]:
    """Returns, by original, its children as LlamaIndex merges them: groups, best child first, and all other children.

    Parents with more than half of their children in the list are merged, after gaps have been filled; what is left is
    filled and merged again until nothing changes.
    """
    sections = derived.once(("sections",), lambda: {d.id: _section(derived, d) for d in derived})
    sizes = derived.once(("sections", "sizes"), lambda: Counter(sections.values()))
    nodes, merged, changed = list(hits), defaultdict[str, list[list[Hit]]](list), True
    while changed:
        filled = _without_gaps(nodes, derived, sections)
        groups = defaultdict[tuple[str, int], list[Hit]](list)
        for hit in filled:
            groups[sections[hit.document.id]].append(hit)
        large = {section for section, group in groups.items() if len(group) > HALF * sizes[section]}
        for section, group in groups.items():
            if section in large:
                merged[section[0]].append(sorted(group, key=_best))
        changed = bool(large) or len(filled) > len(nodes)
        nodes = [hit for hit in filled if sections[hit.document.id] not in large]
    for hit in nodes:
        merged[sections[hit.document.id][0]].append([hit])
    return {origin: sorted(groups, key=lambda group: _best(group[0])) for origin, groups in merged.items()}


def _without_gaps(hits: Sequence[Hit], derived: Corpus, sections: Mapping[str, tuple[str, int]]) -> list[Hit]:
    """Returns a list with the chunk between two neighbours in it of which the first stands two chunks earlier.

    Its score is their mean.  A chunk that is elsewhere in the list, too, is added again, as in LlamaIndex.
    """
    filled = list(hits[:1])
    for before, after in pairwise(hits):
        place = derived.positions[before.document.id] + 1
        if place + 1 == derived.positions[after.document.id]:
            between = derived.documents[place]
            if len({sections[d.id] for d in (before.document, between, after.document)}) == 1:
                why = Later(partial(_summed, (before, after), 0.5))
                filled.append(Hit(between, (before.score + after.score) / 2, why))
        filled.append(after)
    return filled


def _placed(rank: int) -> tuple[float, Sequence[Contribution]]:
    """Returns the score of a document from the rank of its first chunk, and its score component."""
    return 1 / rank, Later(lambda: [Contribution(Said("first chunk at rank {n}", n=rank), 1 / rank)])


def _best(hit: Hit) -> float:
    return -hit.score


def _section(derived: Corpus, document: Document) -> tuple[str, int]:
    """The parent of a derived document: its origin, and the number of the section in it."""
    return derived.origins[document.id], metadata_number(document, SECTION)


def metadata_number(document: Document, name: str) -> int:
    """Returns a whole number from a document's metadata, or 0 if the metadata has no whole number by this name."""
    value = document.metadata.get(name, 0)
    return value if isinstance(value, int) else 0


def _mean(hits: Sequence[Hit]) -> float:
    return sum([hit.score for hit in hits]) / len(hits)


def _summed(hits: Sequence[Hit], share: float) -> list[Contribution]:
    if not all(hit.why for hit in hits):  # one of the scores is not a sum
        return []
    sums = defaultdict[tuple[str, int | None], float](float)
    for hit in hits:
        for addend in hit.why:
            sums[addend.source, addend.of] += share * addend.value
    return [Contribution(source, value, of) for (source, of), value in sums.items()]


@dataclass(frozen=True)
class QueryVariant:
    """One query that a rewriter made: its kind, and a sentence that says where it comes from.

    ``searched`` is the text sent to the index, if it differs from ``text``; ``weights`` are as in `Query`.
    """

    text: str
    kind: str
    why: str = ""
    searched: str = ""
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def query(self) -> str:
        """The text sent to the index."""
        return self.searched or self.text


@dataclass(frozen=True)
class Rewrite:
    """A query and the queries that a rewriter made from it, by a rule or by a model.

    ``queries`` may be empty (a rule may find nothing to change; ``unchanged`` may say why).  ``answers`` are the
    model's own words; ``problem`` is the reason why a model's rewrite is missing, if the run continued without it;
    ``evidence`` is the intermediate results that a page may draw.
    """

    original: Query
    queries: tuple[QueryVariant, ...]
    made_by: Rewriter
    by: Literal["rule", "model"]
    answers: tuple[Any, ...] = ()
    unchanged: str = ""
    problem: LabError | None = field(default=None, compare=False)
    evidence: object = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def variants(self) -> tuple[QueryVariant | None, ...]:
        """The query of each list: None for the original, if it is searched as well."""
        return ((None,) if self.made_by.keeps_original else ()) + self.queries

    @property
    def wordings(self) -> tuple[Query, ...]:
        """The queries that are searched, in the order of `variants`."""
        original = self.original
        first = dataclasses.replace(original, kind=Said("original"))
        return tuple(
            Query(v.query, weights=v.weights, kind=v.kind, made_from=original) if v else first for v in self.variants
        )


@dataclass(frozen=True)
class Rewriter(Operator, ABC):
    """``Query -> Rewrite``: subclasses implement `rewrite`, and may override how `merge` merges the rewrites' lists.

    Called with a searcher it makes a pipeline in which that searcher runs every rewrite.
    """

    family: ClassVar[str] = "rewrite"
    role: ClassVar[str] = "rewrite"
    """The page that offers it."""
    merged_by: ClassVar[Fusion | None] = None
    """The fusion that merges the rewrites' lists, unless a pipeline names another."""
    keeps_original: ClassVar[bool] = True
    """Whether the original query is searched in addition to the rewrites."""
    keeps_list: ClassVar[bool] = False
    """Whether it makes at most one rewrite, whose list it passes on unchanged."""

    @abstractmethod
    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        """Returns the rewrites of this query.  Raises `ModelError` if a model fails or its answer cannot be read."""

    def failed(self, query: Query, problem: LabError) -> Rewrite:
        """Returns the rewrite for a run that continues with the original question after a model failed."""
        return Rewrite(query, (), self, "model", problem=problem)

    def declines(self, retrievers: Iterable[Retriever]) -> str:
        """Returns why a searcher made of these runs only the original query; empty: it runs every rewrite."""
        return ""

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """Merges the rewrites' lists (in the order of `Rewrite.variants`); ``index`` is the retriever's, if any.

        The only list of a rewriter that searches without the original query is passed on with its scores.
        """
        if len(lists) == 1 and not self.keeps_original:
            return replace(lists[0], query=rewrite.original, parents=tuple(lists), dropped=())
        return by(lists, query=rewrite.original)

    def __call__(self, searcher: Searcher, *, merge: Fusion | None = None, depth: int | None = None) -> Pipeline:
        return Pipeline((searcher,), rewrite=self, merge=merge, depth=depth)

    def __rshift__(self, searcher: Searcher) -> Pipeline:
        """Applies this rewriter to a searcher: ``StripOperators() >> BM25() >> Operators()``."""
        return self(searcher) if isinstance(searcher, Searcher) else NotImplemented


@dataclass(frozen=True)
class Derivation(Operator, ABC):
    """``Corpus -> Corpus``: derives units to search instead of documents (chunks, summaries, questions).

    Subclasses implement `derive`, which returns (document, id of its origin) pairs.  Called with a searcher it makes a
    pipeline that searches the derived documents and aggregates them to the originals: ``Chunk(size=300)(Vector())``.
    """

    family: ClassVar[str] = "derived"
    retitles: ClassVar[bool] = False
    """Whether derived documents may have other titles than their origins, such as a line of context."""
    role: ClassVar[str] = "units"
    """The page that offers it: ``units`` (Granularity), or ``access`` for one that keeps or hides whole documents."""

    @overload
    def __call__(self, first: Corpus, *, env: Env = ALONE) -> Corpus: ...
    @overload
    def __call__(self, first: Searcher, *, env: Env = ALONE) -> Pipeline: ...
    def __call__(self, first: Any, *, env: Env = ALONE) -> Any:
        """The derived corpus (made once and cached with its origin), or the pipeline over it."""
        if isinstance(first, Searcher):
            return Pipeline((first,), derive=(self,), refine=(Lift(),))

        def make() -> Corpus:
            pairs = self.derive(first, env)
            origins = MappingProxyType({document.id: origin for document, origin in pairs})
            documents = tuple(document for document, _ in pairs)
            return Corpus(f"{first.name} · {self.label}", documents, made_by=self, parents=(first,), origins=origins)

        return first.once(self.cache_key(env.models), make)

    def cache_key(self, models: Models) -> Hashable:
        """Returns the key under which the derived corpus is kept with its origin; another model writes other texts."""
        return "derived", self, models.get(getattr(self, "model", ""))

    @abstractmethod
    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        """The derived documents in order, each with the id of the document that it came from."""


# -------------------------------------------------------------------------------------- a whole search


class Part(NamedTuple):
    """One operator of a pipeline and its path: ``refine.1``, ``retrieve.0.refine.0``."""

    path: str
    operator: Operator


@dataclass(frozen=True)
class Composed(Searcher, ABC):
    """A search composed of other searchers; their indexes are cached with the corpus."""

    family = "fused"

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> PipelineIndex:
        return PipelineIndex(self, corpus, models, progress)

    def parts(self, *, branches: bool = False) -> tuple[Part, ...]:
        """Every operator with its path, in the order of the work.

        With ``branches`` also every composed search in it, before the parts of that search.
        """
        return tuple(part for path, operator in self._direct_parts() for part in _parts_at(path, operator, branches))

    def without(self, path: str | int) -> Searcher:
        """Returns this search without one part (given by its path, or by its number in `parts`).

        Removing a list removes its weight, removing a route removes its conditions, and of a fallback the other search
        remains.  Raises `UnknownName` for a path that does not exist, `PipelineError` for a part that is required.
        """
        if isinstance(path, int):
            parts = self.parts()
            if not -len(parts) <= path < len(parts):
                raise UnknownName(Said("There is no part {n}.", n=path), Said("Number of parts: {n}.", n=len(parts)))
            path = parts[path].path
        return self._changed(path.split("."), path, None)

    def replace(self, path: str, operator: Operator) -> Searcher:
        """Returns this search with another operator at this path.  Raises `UnknownName`, `PipelineError`."""
        return self._changed(path.split("."), path, operator)

    def _repr_html_(self) -> str:
        return notebook.page(self._picture())

    def _picture(self) -> str:
        """Draws the parts as HTML, from left to right, with parallel searches below each other."""
        boxes, lists = list[str](), list[str]()
        for path, part in self._direct_parts():
            if not isinstance(part, Searcher):
                boxes.append(notebook.box(part.label, notebook.knobs(part), getattr(part, "family", "")))
                continue
            if lists:
                boxes.pop()
            box = part._picture() if isinstance(part, Composed) else ""
            box = box or notebook.box(part.label, notebook.knobs(part), part.family)
            lists.append(box if "." in path else notebook.named(path, box))
            boxes.append(notebook.stack(lists))
        return notebook.row(boxes)

    @abstractmethod
    def _direct_parts(self) -> Iterator[Part]:
        """Yields the operators that it is directly composed of, with their paths."""

    @abstractmethod
    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """Returns this search with another operator at these steps of a path, or with none."""

    def _place(self, steps: list[str], among: Sequence[Any], path: str) -> int:
        """Returns the first step as a position in a sequence.  Raises `UnknownName` if it is not one."""
        places = [str(i) for i in range(len(among))]
        if not steps or steps[0] not in places:
            raise self._unknown(path)
        return places.index(steps[0])

    def _within(self, searcher: Operator, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """Returns a search inside this one, changed at the rest of a path.  Raises `UnknownName`."""
        if not isinstance(searcher, Composed):
            raise self._unknown(path)
        try:
            return searcher._changed(steps, path, operator)
        except UnknownName:
            raise self._unknown(path) from None

    def _unknown(self, path: str) -> UnknownName:
        names = ", ".join(part.path for part in self.parts())
        message = Said("This pipeline has no part “{path}”.", path=path)
        return UnknownName(message, Said("Its parts: {names}.", names=names))

    def _passed_on(self, ranking: Ranking, parents: tuple[Ranking, ...], evidence: object) -> Ranking:
        """Returns another searcher's ranking as a ranking of this one."""
        return replace(ranking, made_by=self, parents=parents, dropped=(), seconds=0.0, evidence=evidence)


@dataclass(frozen=True)
class Pipeline(Composed):
    """A whole search: searchers, derived corpora, a rewriter, a fusion, and the stages that follow.

    In this order: ``derive`` makes the corpus that is searched; ``rewrite`` rewrites the question, every searcher of
    ``retrieve`` runs every rewrite to ``depth``, and ``merge`` (or the rewriter's own method) merges the lists of each
    searcher; ``fuse`` merges those of several searchers; ``refine`` are the stages after that.

    Raises `PipelineError` for no list, for several without a fusion, for weights that do not fit the lists.
    """

    about = Said("A whole search: lists, rewriting, fusion, steps.")

    retrieve: tuple[Searcher, ...] = knob(
        (), Said("Lists"), Said("The search to run: one list, or several that are fused."), kind="spec"
    )
    derive: tuple[Derivation, ...] = knob(
        (), Said("Index side"), Said("Units to search, derived from the corpus, such as chunks."), kind="spec"
    )
    rewrite: Rewriter | None = knob(
        None, Said("Rewriting"), Said("Searches every list with several rewrites."), kind="spec"
    )
    merge: Fusion | None = knob(
        None, Said("Merge of the rewrites"), Said("How the lists of one question's rewrites are merged."), kind="spec"
    )
    fuse: Fusion | None = knob(None, Said("Fusion"), Said("How several lists are merged into one."), kind="spec")
    refine: tuple[Stage, ...] = knob((), Said("Steps"), Said("Steps applied to the list, in this order."), kind="spec")
    depth: int | None = knob(
        None, Said("Depth"), Said("Results requested from each list. Empty: default depth."), low=1, high=100_000
    )
    name: str = knob("", Said("Name"), Said("Name of this search."))

    def __post_init__(self) -> None:
        if isinstance(self.depth, float) and self.depth.is_integer():
            object.__setattr__(self, "depth", int(self.depth))
        super().__post_init__()
        for name, kind in (("retrieve", Searcher), ("derive", Derivation), ("refine", Stage)):
            parts = listed(name, getattr(self, name))
            object.__setattr__(self, name, parts)
            fits(name, parts, kind)
        fits("rewrite", () if self.rewrite is None else (self.rewrite,), Rewriter)
        fits("merge", () if self.merge is None else (self.merge,), Fusion)
        fits("fuse", () if self.fuse is None else (self.fuse,), Fusion)
        if self.rewrite is not None and self.merge == self.rewrite.merged_by:  # explicit or not, it is the same search
            object.__setattr__(self, "merge", None)
        if self.depth is not None and not isinstance(self.depth, int):
            raise ParameterError(Said("{name} is {value}, but must be a whole number.", name="depth", value=self.depth))
        n, weight_count = len(self.retrieve), len(getattr(self.fuse, "weights", ()))
        require(n > 0, Said("A pipeline has no list to search."), Said("Give at least one retriever."))
        message = Said("No fusion merges the lists ({n}).", n=n)
        require(n == 1 or self.fuse is not None, message, Said("Add a fusion, for instance RRF."))
        uneven = Said("Weights given: {given}, lists: {lists}.", given=weight_count, lists=n)
        require(weight_count in (0, n), uneven, Said("Give one weight per list, or none at all."))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in dataclasses.fields(self))

    def __reduce__(self) -> tuple[object, ...]:  # without its hash, which is different in another process
        return Pipeline, self._values

    @property
    def label(self) -> str:
        if self.name:
            return self.name
        head = joined((s.label for s in self.retrieve), " + ")
        if self.rewrite is not None:
            head = Said("{rewriter} ({searches})", rewriter=self.rewrite.label, searches=head)
        return joined([*(d.label for d in self.derive), head, *(s.label for s in self.refine)], " → ")

    @property
    def merging(self) -> Fusion:
        """The fusion of the rewrites' lists: the one that was chosen, else the rewriter's own."""
        fusion = self.rewrite.merged_by if self.merge is None and self.rewrite is not None else self.merge
        if fusion is None:
            raise PipelineError(Said("Nothing merges the lists of the rewrites."), Said("Name a fusion as “merge”."))
        return fusion

    @property
    def sets_depth(self) -> bool:
        return not self.open_ended

    @cached_property
    def bare(self) -> bool:
        """Whether it only passes on its one list: then the number of results is the caller's."""
        return self.depth is None and not (self.fuse or self.rewrite or self.refine or self.derive)

    @cached_property
    def simplest(self) -> Searcher:
        return self.retrieve[0].simplest if self.bare else self

    @cached_property
    def asks(self) -> int:
        """Number of documents requested from each list."""
        return DEPTH if self.depth is None else self.depth

    # -------------------------------------------------------------------------------------- taking apart

    def _direct_parts(self) -> Iterator[Part]:
        yield from (Part(f"derive.{i}", d) for i, d in enumerate(self.derive))
        if self.rewrite is not None:
            yield Part("rewrite", self.rewrite)
        yield from (Part(f"retrieve.{i}", searcher) for i, searcher in enumerate(self.retrieve))
        if self.rewrite is not None:
            yield Part("merge", self.merging)
        if self.fuse is not None:
            yield Part("fuse", self.fuse)
        yield from (Part(f"refine.{i}", stage) for i, stage in enumerate(self.refine))

    def reordered(self, paths: Sequence[str]) -> Pipeline:
        """Returns this search with its stages in the order of these paths (``refine.1``, ``refine.0``, ...)."""
        known = {f"refine.{i}": stage for i, stage in enumerate(self.refine)}
        wrong = Said("{paths} is not an order of the stages.", paths=[*paths] or "–")
        require(sorted(paths) == sorted(known), wrong, Said("Name each once: {names}.", names=[*known] or "–"))
        return replace(self, refine=tuple(known[path] for path in paths))

    def prefixes(self) -> Iterator[Pipeline]:
        """Yields the search after its lists are fused, then after every stage; the last is the whole search."""
        for n in range(len(self.refine) + 1):
            yield replace(self, refine=self.refine[:n])

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Pipeline:
        head, rest = steps[0], steps[1:]
        if head in ("rewrite", "merge", "fuse"):
            if rest or (head != "merge" and getattr(self, head) is None):
                raise self._unknown(path)
            needed = Said("“{path}” cannot be left out.", path=path)
            require(operator is not None or head == "rewrite", needed, Said("Replace it, or leave out lists."))
            return with_changes(self, **{head: operator})
        if head not in ("derive", "retrieve", "refine"):
            raise self._unknown(path)
        parts, i = list(getattr(self, head)), self._place(rest, getattr(self, head), path)
        if rest[1:]:
            parts[i] = self._within(parts[i], rest[1:], path, operator)
        elif operator is not None:
            parts[i] = operator
        else:
            del parts[i]
        changes: dict[str, object] = {head: tuple(parts)}
        if operator is None and not rest[1:]:
            if head == "retrieve":
                changes["fuse"] = self._fusion_without(i) if len(parts) > 1 else None
            if head == "derive" and not parts:
                changes["refine"] = tuple(s for s in self.refine if not isinstance(s, Lift))
        return with_changes(self, **changes)

    def _fusion_without(self, i: int) -> Fusion | None:
        weights = getattr(self.fuse, "weights", ())
        left = [w for j, w in enumerate(weights) if j != i]
        return self.fuse.weighted(left if any(left) else ()) if self.fuse is not None and weights else self.fuse

    # --------------------------------------------------------------------------------------------- at work

    @cached_property
    def before(self) -> Pipeline:
        """The search without its last stage."""
        return replace(self, refine=self.refine[:-1])

    @cached_property
    def listed(self) -> Pipeline:
        """The search over the derived corpus, without derivation and stages; deeper if the units are chunks."""
        times = math.prod(getattr(derivation, "fetch", 1) for derivation in self.derive)
        return replace(self, derive=(), refine=(), depth=self.depth if times == 1 else times * self.asks)

    @cached_property
    def _each(self) -> tuple[Pipeline, ...]:
        """For each of its lists, the search with this list alone and all rewrites."""
        return tuple(Pipeline((s,), rewrite=self.rewrite, merge=self.merge, depth=self.depth) for s in self.retrieve)

    @cached_property
    def narrows(self) -> bool:
        """Whether all of its lists can be searched within a set, so that no other passage is looked at."""
        lists = (isinstance(s, Retriever) or (isinstance(s, Pipeline) and s.narrows) for s in self.retrieve)
        return all(stage.selects or isinstance(stage, Lift) for stage in self.refine) and all(lists)

    @cached_property
    def open_ended(self) -> bool:
        """Whether it is one list that only keeps to conditions: then the number of results is the caller's."""
        if self.bare:
            return True
        one = self.depth is None and not (self.fuse or self.derive) and (not self.rewrite or self.rewrite.keeps_list)
        first = self.retrieve[0]
        inside = isinstance(first, Retriever) or (isinstance(first, Pipeline) and first.open_ended)
        return one and inside and all(stage.selects for stage in self.refine)

    def _refined(self, runner: Runner, query: Query, k: int) -> Ranking:
        """Returns the result of the last stage; a list is searched within a condition that is right behind it."""
        stage, start = self.refine[-1], time.perf_counter()
        if stage.selects and self.before.narrows:
            selection = stage.select(query, runner.corpus, runner.env)
            if selection is not None:
                return self._selected(runner, query, k, selection, time.perf_counter() - start)
            return stage(runner.whole(self.before, query, self.depth or max(k, FILTERED)), runner.env)
        return stage(runner.whole(self.before, query, self.asks), runner.env)

    def _selected(self, runner: Runner, query: Query, k: int, selection: Selection, seconds: float) -> Ranking:
        """Returns the list within a selection; what it leaves out of the list without it is removed."""
        stage, rows = self.refine[-1], selection.rows
        ranking = (runner if rows is None else runner.within(rows)).whole(self.before, query, k)

        def drop(document: Document) -> Drop | None:
            fits_in = rows is None or rows[runner.corpus.positions[document.id]]
            return None if fits_in else Drop(document, selection.reason(document), stage.label)

        def drops() -> list[Drop]:
            plain = runner.whole(self.before, query, k).first(k) if rows is not None else ranking
            return [removed for hit in plain.hits if (removed := drop(hit.document))]

        evidence = selection.evidence if runner.explain else None
        fields = (ranking.query, ranking.hits, stage, (ranking,), Removed(drops, drop))
        return Ranking(*fields, seconds=seconds, asked=ranking.asked, evidence=evidence, corpus=ranking.corpus)

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        if self.refine:
            return self._refined(runner, query, k if self.open_ended else self.asks)
        if self.derive:
            return runner.derived(self.derive).whole(self.listed, query, self.listed.asks)
        deep = k if self.open_ended else self.asks
        lists = [self._list(runner, i, query, deep) for i in range(len(self.retrieve))]
        return lists[0] if self.fuse is None else self.fuse(lists, query=query)

    def _list(self, runner: Runner, i: int, query: Query, deep: int) -> Ranking:
        """Returns one searcher's list: for the query, or for all its rewrites."""
        searcher = self.retrieve[i]
        if self.rewrite is None:
            return runner.node(searcher, query, deep)
        rewrite = self.rewritten(runner, searcher, query)
        if not rewrite.queries:
            plain = runner.node(searcher, query, deep)
            if isinstance(plain.evidence, BranchChoice):  # this evidence is shown as a step of its own
                return replace(plain, parents=(plain,), dropped=(), evidence=rewrite, seconds=rewrite.seconds)
            return replace(plain, evidence=rewrite, seconds=plain.seconds + rewrite.seconds)
        lists = [runner.node(searcher, wording, deep) for wording in rewrite.wordings]
        index = None if isinstance(searcher, Pipeline) else runner.index(searcher)
        start = time.perf_counter() - rewrite.seconds  # the lists have measured their own time
        merged = self.rewrite.merge(rewrite, lists, index, self.merging, deep)
        return replace(merged, made_by=self._each[i], evidence=rewrite, seconds=time.perf_counter() - start)

    def rewritten(self, runner: Runner, searcher: Searcher, query: Query) -> Rewrite:
        """Returns the queries of one of its searchers: every rewrite, or only the original if the rewriter declines."""
        assert self.rewrite is not None
        parts = searcher.parts() if isinstance(searcher, Composed) else (Part("", searcher),)
        reason = self.rewrite.declines(part.operator for part in parts if isinstance(part.operator, Retriever))
        if reason:
            return Rewrite(query, (), self.rewrite, "rule", unchanged=reason)
        return runner.rewrite(self.rewrite, query)


def _parts_at(path: str, operator: Operator, branches: bool) -> Iterator[Part]:
    """Yields the part at this path: an operator, or the parts of a search."""
    if not isinstance(operator, Composed):
        yield Part(path, operator)
        return
    if branches:
        yield Part(path, operator)
    yield from (Part(f"{path}.{part.path}", part.operator) for part in operator.parts(branches=branches))


def with_changes(specification: T, **changes: object) -> T:
    """Returns a specification with these changes.  Raises `PipelineError` if they do not fit together."""
    try:
        return cast(T, replace(cast(Any, specification), **changes))
    except PipelineError:
        raise
    except LabError as error:
        raise PipelineError(error.message, error.remedy) from error


class BranchChoice:
    """Evidence of which of its searches a composed search asked."""


@dataclass(frozen=True)
class Relaxed(BranchChoice):
    """Whether a `Fallback` needed its second search; `lab.explain.decisions` says why, and what that allows."""

    relaxed: bool


@dataclass(frozen=True)
class Fallback(Composed):
    """Runs a strict search first, and a second one if it finds nothing: RAGFlow's adaptive fallback.

    The evidence of the ranking is a `Relaxed`; its parents are the list of the first search and, if that is empty,
    of the second.
    Source: RAGFlow, its search with ``min_match`` 0.3 (then 0.1) and ``similarity`` 0.2 (then 0.17).
    """

    technique = Said("Fallback")
    about = Said("Searches strictly first; if nothing is found, runs a second search.")

    first: Searcher = knob(kind="spec", label=Said("First search"), help=Said("Runs first, with strict conditions."))
    then: Searcher = knob(
        kind="spec", label=Said("Fallback search"), help=Said("Runs if the first search finds nothing.")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        fits("first", (self.first,), Searcher)
        fits("then", (self.then,), Searcher)

    @property
    def label(self) -> str:
        return Said("{first}, else {then}", first=self.first.label, then=self.then.label)

    def _direct_parts(self) -> Iterator[Part]:
        yield from (Part(name, getattr(self, name)) for name in ("first", "then"))

    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        head, rest = steps[0], steps[1:]
        if head not in ("first", "then"):
            raise self._unknown(path)
        if rest:
            operator = self._within(getattr(self, head), rest, path, operator)
        elif operator is None:
            return self.then if head == "first" else self.first
        return with_changes(self, **{head: operator})

    def first_depth(self, k: int) -> int:
        """Number of results requested from the first search."""
        return k

    def choose(self, first: Ranking) -> Relaxed:
        """Decides whether the second search runs after this list of the first one."""
        return Relaxed(not first.hits)

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        first = runner.node(self.first, query, self.first_depth(k))
        choice = self.choose(first)
        if not choice.relaxed:
            return self._passed_on(first.first(k), (first,), choice)
        other = runner.node(self.then, query, k)
        return self._passed_on(other, (first, other), choice)


class PipelineIndex(Index):
    """A composed search prepared for one corpus; the indexes of its retrievers are cached with the corpus."""

    operator: Searcher

    def __init__(self, operator: Searcher, corpus: Corpus, models: Models, progress: Progress | None) -> None:
        self.operator, self.corpus = operator, corpus
        self._models, self._progress = models, progress

    def search(self, query: str | Query, *, k: int = 100, explain: bool = True) -> Ranking:
        runner = Runner(self.corpus, models=self._models, explain=explain, progress=self._progress)
        return runner(self.operator, query, k)


# ------------------------------------------------------------------------- what >>, %, * and calls stand for


def appended(searcher: Searcher, stage: Stage | Stages) -> Pipeline:
    """A search and then a stage, or several."""
    stages = stage.stages if isinstance(stage, Stages) else (stage,)
    fits("refine", stages, Stage)
    if isinstance(searcher, Pipeline):
        return replace(searcher, refine=(*searcher.refine, *stages))
    return Pipeline((searcher,), refine=stages)


def fused(fusion: Fusion, searchers: Sequence[Searcher | Weighted], depth: int | None = None) -> Pipeline:
    """Searchers under a fusion; weighted ones give it their weights (the others weigh 1)."""
    if any(isinstance(s, Weighted) for s in searchers):
        fusion = fusion.weighted([s.weight if isinstance(s, Weighted) else 1.0 for s in searchers])
    lists = tuple(s.searcher if isinstance(s, Weighted) else s for s in searchers)
    return Pipeline(lists, fuse=fusion, depth=depth)
