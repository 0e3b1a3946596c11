"""The verbs of the algebra, and a whole search as a value.

`Derivation` makes a corpus of a corpus, `Rewriter` wordings of a question, `Retriever` turns a corpus and a question
into a ranking, `Fusion` rankings into one, `Stage` a ranking into a ranking.  What can search is a `Searcher`: a
retriever, or what is composed of searchers::

    search = RRF(k=60)(BM25(), Vector() >> ScoreThreshold(0.3)) >> MaxSim(0.4) >> MMR(k=8)
    ranking = search.index(corpus).search("how long does a refund take")

A `Pipeline` is a `Searcher` like a retriever, so it may be used wherever one is: as a list of another pipeline, under
a rewriter, in a `Fallback`.  It is defined beside the bases because ``>>``, ``%``, ``*`` and a call with searchers make
one; `Top` and `Lift`, because ``%`` and a call of a derivation make them.

Sources of `Lift`: LangChain's ``ParentDocumentRetriever`` (unique parents in the order of their first child);
LlamaIndex's ``AutoMergingRetriever`` (a parent takes the place of its children where more than half of them were found,
with the mean of their scores); RAGFlow (the mean).

Two depths are told apart.  ``depth`` is how many documents every list is *asked* for before anything is made of the
lists; it belongs to the specification and never depends on how many hits somebody wants to see, so the first ten of a
search are the first ten of its first hundred.  `Top` (``%``) drops what is behind the first k of a list that is there.
"""

from __future__ import annotations

import dataclasses
import math
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast, overload

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
    in_order,
)
from lab.algebra.runner import ALONE, DEPTH, Env, Runner
from lab.errors import LabError, ParameterError, PipelineError, UnknownName
from lab.kept import Progress
from lab.words import N_, Said, joined

T = TypeVar("T")


# ------------------------------------------------------------------------------------------------ the bases


@dataclass(frozen=True)
class Searcher(Operator, ABC):
    """What can be asked: ``index(corpus).search(query)``.  Retrievers, and everything composed of them."""

    family: ClassVar[str] = "lexical"
    settings: ClassVar[tuple[str, ...]] = ()
    """The settings of a run that an index of this searcher depends on."""
    settled: ClassVar[bool] = False
    """Whether it finds the same again while corpus and models are the same: nobody else changes what it searches."""
    sets_depth: ClassVar[bool] = False
    """Whether its list has the same length however many results are asked for."""

    @abstractmethod
    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> Index:
        """Prepare this searcher for a corpus; ``models`` are at work by the names of their settings."""

    @abstractmethod
    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        """The ranking in a `Runner`, which makes every node once.  For the runner alone."""

    @property
    def simplest(self) -> Searcher:
        """The search that gives the same list with the fewest steps: this one, or the one list of a bare pipeline."""
        return self

    def __rshift__(self, stage: Stage | Stages) -> Pipeline:
        """This search, and then a stage (or several)."""
        return appended(self, stage)

    def __mod__(self, k: int) -> Pipeline:
        """This search, and then its first ``k``: the others are dropped."""
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
    """``(Corpus, query) -> Ranking``: `index` does the work once, `Index.search` answers.

    ``approximate`` ones may miss a document that belongs in the list.
    """

    role: ClassVar[str] = "list"
    """Where it is offered: ``list`` wherever lists are chosen, anything else only on a page of its own."""
    approximate: ClassVar[bool] = False
    compares: ClassVar[bool] = True
    """Whether it compares the question with the documents; if not, its list comes from elsewhere as it is."""
    required_knobs: ClassVar[tuple[str, ...]] = ()
    """The knobs without which it finds nothing: whatever page offers it asks for them."""

    @property
    def filtered(self) -> bool:
        """Whether a filter of its own leaves out documents."""
        return False

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        runner.index(self)  # its making is no part of the search
        start = time.perf_counter()
        ranking = runner.index(self).search(query, k=k, explain=runner.explain)
        # an index that does not measure its own time is measured here
        return ranking if ranking.seconds else replace(ranking, seconds=time.perf_counter() - start)


@dataclass(frozen=True)
class Fusion(Operator, ABC):
    """``[Ranking] -> Ranking``: subclasses say how by `fuse`.  Called with searchers, it makes a pipeline of them."""

    family: ClassVar[str] = "fused"

    @overload
    def __call__(self, first: Sequence[Ranking], *, query: Query | None = None) -> Ranking: ...
    @overload
    def __call__(self, first: Searcher | Weighted, *more: Searcher | Weighted, depth: int | None = ...) -> Pipeline: ...
    def __call__(self, first: Any, *more: Any, query: Query | None = None, depth: int | None = None) -> Any:
        """The rankings as one (asked as ``query``, by default the first one's), or the searchers as a pipeline."""
        if isinstance(first, Searcher | Weighted):
            return fused(self, (first, *more), depth)
        rankings = tuple(first)
        if not rankings:
            raise ParameterError(Said("There is nothing to fuse."), Said("Give at least one result list."))
        comparable(rankings)
        corpus = rankings[0].corpus
        if any(r.corpus is not corpus and r.corpus.fingerprint != corpus.fingerprint for r in rankings[1:]):
            said = Said("These lists are from several corpora, in which one id may name two documents.")
            raise ParameterError(said, Said("Fuse lists of one corpus; aggregate lists of chunks first."))
        start = time.perf_counter()
        hits = self.fuse(rankings)
        seconds = time.perf_counter() - start
        return Ranking(query or rankings[0].query, tuple(hits), self, rankings, seconds=seconds, corpus=corpus)

    @abstractmethod
    def fuse(self, rankings: Sequence[Ranking]) -> Sequence[Hit]:
        """The fused hits, best first."""

    def weighted(self, weights: Sequence[float]) -> Self:
        """The same fusion with other weights, one per list.  Raises `ParameterError` where it knows none."""
        raise ParameterError(
            Said("{name} has no weights.", name=self.label), Said("Choose a fusion with weights, or set none.")
        )


def comparable(rankings: Sequence[Ranking]) -> None:
    """Raise `ParameterError` for a score that takes part in no sum: endless, not a number, beyond all measure."""
    for ranking in rankings:
        for hit in ranking.hits:
            if not -GREATEST <= hit.score <= GREATEST:
                said = Said("A score of {list} is {value}.", list=ranking.made_by.label, value=shown(hit.score))
                remedy = Said("Only lists with scores from -{most} to {most} can be fused.", most=f"{GREATEST:g}")
                raise ParameterError(said, remedy)


GREATEST = 1e100
"""Beyond it sums of squares leave the range of a float."""


class Outcome(NamedTuple):
    """What a stage gives: the hits that stay in their new order, what was removed and why, and its evidence.

    ``corpus`` is another one where the stage puts other documents in the place of these (parents for children).
    """

    hits: Sequence[Hit]
    dropped: Sequence[Drop] = ()
    evidence: object = None
    corpus: Corpus | None = None


@dataclass(frozen=True)
class Stage(Operator, ABC):
    """``Ranking -> Ranking``: subclasses say how by `refine`.

    Every document of the input is in the hits or in what was dropped, and no other is; a stage that puts
    other documents in their place (parents for children) says so by ``makes_documents = True``.
    """

    family: ClassVar[str] = "refined"
    role: ClassVar[str] = ""
    """What it is for, and so the page that offers it: ``rerank``, ``filter``, ``compress``; empty: its own page."""
    makes_documents: ClassVar[bool] = False

    def __call__(self, ranking: Ranking, env: Env = ALONE) -> Ranking:
        start = time.perf_counter()
        hits, dropped, evidence, corpus = self.refine(ranking, env)
        seconds, corpus = time.perf_counter() - start, ranking.corpus if corpus is None else corpus
        gone = dropped if isinstance(dropped, Later) else tuple(dropped)
        made = (ranking.query, tuple(hits), self, (ranking,), gone)
        return Ranking(*made, seconds=seconds, evidence=evidence, corpus=corpus)

    @abstractmethod
    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        """The hits that stay, in their new order, and what was removed and why."""

    def __rshift__(self, other: Stage | Stages) -> Stages:
        """This stage and then another, for a search that comes before."""
        return Stages((self,)) >> other

    def __mod__(self, k: int) -> Stages:
        """This stage and then its first ``k``: what ``search >> stage % k`` means in Python."""
        return self >> Top(k)


@dataclass(frozen=True)
class Stages:
    """Stages in a row that still lack their search: ``search >> (a >> b % 10)``."""

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
        low=0,
        high=100_000,
        label=Said("Number of results"),
        help=Said("Passes the first results of a list on and removes the others because of their rank."),
    )

    @property
    def label(self) -> str:
        return Said("Top {k}", k=self.k)

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        k, said = self.k, N_("Rank {rank}: only the first {k} are passed on.")

        def drops() -> list[Drop]:
            left = enumerate(ranking.hits[k:], k + 1)
            return [Drop(h.document, Said(said, rank=i, k=k), self.label) for i, h in left]

        return Outcome(ranking.hits[:k], Later(drops))


SECTION = "section"
"""The metadata field of a derived document that numbers the part of its origin from which it was made."""
HALF = 0.5
"""Of more than this share of a parent's children auto-merging makes one."""


@dataclass(frozen=True)
class Lifted:
    """Which derived documents brought each document here: by its id, best first; ``used`` are those in its score."""

    children: Mapping[str, Sequence[Hit]]
    used: Mapping[str, Sequence[Hit]]

    @cached_property
    def counted(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the derived documents that are in the score of each document."""
        return {origin: tuple([hit.document.id for hit in hits]) for origin, hits in self.used.items()}


@dataclass(frozen=True)
class Lift(Stage):
    """Aggregates derived documents to their originals, with one of their scores; other rankings stay unchanged.

    ``by`` is the best child's score; the mean of all that were found; auto-merging (the mean, where more than half of
    a parent's children were found, else the best child); the first child's place, as 1/rank; how many were found; or
    their sum, which is a mistake: long documents have many children.  The addends sum to it.  The evidence is a
    `Lifted`.
    """

    inputs = ("scores",)
    label = Said("Aggregate")
    about = Said("Returns the documents that the chunks come from.")

    makes_documents = True

    by: str = knob(
        "best",
        choices={
            "best": Said("best chunk"),
            "mean": Said("mean of the chunks found"),
            "auto-merging": Said("auto-merging (mean, if more than half)"),
            "first": Said("first chunk"),
            "count": Said("number of chunks found"),
            "sum": Said("sum (a mistake)"),
        },
        label=Said("Aggregated by"),
        help=Said(
            "How the scores of chunks become a document's score. The sum favours long documents, which have "
            "many chunks."
        ),
    )

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        derived = ranking.corpus
        if not derived.parents:
            return Outcome(ranking.hits)
        corpus, origins, by = derived.parents[0], derived.origins, self.by
        documents, positions = corpus.documents, corpus.positions
        found, first = dict[str, list[Hit]](), dict[str, int]()
        for rank, hit in enumerate(ranking.hits, 1):
            origin = origins.get(hit.document.id, "")
            if origin in found:
                found[origin].append(hit)
            elif origin in positions:
                found[origin], first[origin] = [hit], rank
        hits, used = list[Hit](), dict[str, Sequence[Hit]]()
        for origin, own in found.items():
            used[origin] = own
            if by == "first":
                used[origin] = own[:1]
                score, why = _placed(first[origin])
            elif len(own) == 1 and by != "count":
                score, why = own[0].score, own[0].why
            if len(own) > 1:
                own.sort(key=_best)  # equal ones stay in the order of their ranks
            if by != "first" and (len(own) > 1 or by == "count"):
                score, why, used[origin] = self._lifted(own, derived)
            hits.append(Hit(documents[positions[origin]], score, why))
        return Outcome(in_order(hits, corpus), (), Lifted(found, used), corpus)

    def _lifted(self, own: list[Hit], derived: Corpus) -> tuple[float, Sequence[Contribution], Sequence[Hit]]:
        """The score of a document, its addends, and the derived ones (``own``, best first) that are in it."""
        if self.by == "count":
            n = float(len(own))
            return n, Later(lambda: [Contribution(Said("chunks found"), n)]), own
        if self.by == "auto-merging":
            own = max(self._merged(own, derived), key=_mean)
        if self.by == "best" or len(own) == 1:
            return own[0].score, own[0].why, own[:1]
        share = 1.0 if self.by == "sum" else 1 / len(own)
        return share * sum([hit.score for hit in own]), Later(partial(_summed, own, share)), own

    @staticmethod
    def _merged(own: Sequence[Hit], derived: Corpus) -> Iterable[list[Hit]]:
        """The found children of every parent of which more than half were found, and every other one by itself."""
        sections = derived.once(("sections",), lambda: {d.id: _section(derived, d) for d in derived})
        sizes = derived.once(("sections", "sizes"), lambda: Counter(sections.values()))
        groups = defaultdict[tuple[str, int], list[Hit]](list)
        for hit in own:
            groups[sections[hit.document.id]].append(hit)
        for section, hits in groups.items():
            if len(hits) > HALF * sizes[section]:
                yield hits
            else:
                yield from ([hit] for hit in hits)


def _placed(rank: int) -> tuple[float, Sequence[Contribution]]:
    """The score of a document by the rank of its first piece, and its addend."""
    return 1 / rank, Later(lambda: [Contribution(Said("first chunk at rank {n}", n=rank), 1 / rank)])


def _best(hit: Hit) -> float:
    return -hit.score


def _section(derived: Corpus, document: Document) -> tuple[str, int]:
    """The parent of a derived document: its origin, and which part of that."""
    return derived.origins[document.id], metadata_number(document, SECTION)


def metadata_number(document: Document, name: str) -> int:
    """A whole number of the metadata of a part; 0 where there is none."""
    value = document.metadata.get(name, 0)
    return value if isinstance(value, int) else 0


def _mean(hits: Sequence[Hit]) -> float:
    return sum([hit.score for hit in hits]) / len(hits)


def _summed(hits: Sequence[Hit], share: float) -> list[Contribution]:
    if not all(hit.why for hit in hits):  # the score of one is no sum
        return []
    sums = defaultdict[tuple[str, int | None], float](float)
    for hit in hits:
        for addend in hit.why:
            sums[addend.source, addend.of] += share * addend.value
    return [Contribution(source, value, of) for (source, of), value in sums.items()]


@dataclass(frozen=True)
class QueryVariant:
    """One query that a rewriter made: what kind it is, and in a sentence where it comes from.

    ``searched`` is what goes to the index, where that is not the text itself; ``weights`` are those of `Query`.
    """

    text: str
    kind: str
    why: str = ""
    searched: str = ""
    weights: tuple[tuple[str, float], ...] = ()

    @property
    def query(self) -> str:
        """What the index is asked."""
        return self.searched or self.text


@dataclass(frozen=True)
class Rewrite:
    """A query and what a rewriter made of it, by a rule or by a model.

    ``queries`` may be empty (a rule may find nothing to change; ``unchanged`` may say why).  ``answers`` are the
    model's own words; ``problem`` is why a model's rewrite is not there, where a run went on without it; ``evidence``
    is what the rewriter computed on the way and a page may want to draw.
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
        """What is asked, list by list: None for the original, where it is asked as well."""
        return ((None,) if self.made_by.keeps_original else ()) + self.queries

    @property
    def wordings(self) -> tuple[Query, ...]:
        """The queries that are asked, in the order of `variants`."""
        asked = self.original
        first = dataclasses.replace(asked, kind=Said("original"))
        return tuple(
            Query(v.query, weights=v.weights, kind=v.kind, made_from=asked) if v else first for v in self.variants
        )


@dataclass(frozen=True)
class Rewriter(Operator, ABC):
    """``Query -> Rewrite``: subclasses say how by `rewrite`, and by `merge` what becomes of the wordings' lists.

    Called with a searcher it makes a pipeline in which that searcher is asked every wording.
    """

    family: ClassVar[str] = "rewrite"
    role: ClassVar[str] = "rewrite"
    """The page that offers it."""
    merged_by: ClassVar[Fusion | None] = None
    """The fusion that makes one list of the wordings' lists, unless a pipeline names another."""
    keeps_original: ClassVar[bool] = True
    """Whether the original query is searched beside what was made of it."""

    @abstractmethod
    def rewrite(self, query: Query, corpus: Corpus, env: Env = ALONE) -> Rewrite:
        """The wordings of this query.  Raises `ModelError` where a model fails or its answer cannot be read."""

    def failed(self, query: Query, problem: LabError) -> Rewrite:
        """The rewrite where a model failed and the run continues with the question as it is."""
        return Rewrite(query, (), self, "model", problem=problem)

    def declines(self, retrievers: Iterable[Retriever]) -> str:
        """Why a searcher made of these is asked the query alone, in a sentence; empty: it is asked every wording."""
        return ""

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """The wordings' lists (in the order of `Rewrite.variants`) as one; ``index`` is the retriever's, if any."""
        return by(lists, query=rewrite.original)

    def __call__(self, searcher: Searcher, *, merge: Fusion | None = None, depth: int | None = None) -> Pipeline:
        return Pipeline((searcher,), rewrite=self, merge=merge, depth=depth)

    def __rshift__(self, searcher: Searcher) -> Pipeline:
        """The same, in the order of the work: ``StripOperators() >> BM25() >> Operators()``."""
        return self(searcher) if isinstance(searcher, Searcher) else NotImplemented


@dataclass(frozen=True)
class Derivation(Operator, ABC):
    """``Corpus -> Corpus``: what is searched in the place of the documents (their parts, summaries, questions).

    Subclasses say how by `derive`, in (document, id of its origin) pairs.  Called with a searcher it makes a pipeline
    that searches the derived documents and is lifted back: ``Chunk(size=300)(Vector())``.
    """

    family: ClassVar[str] = "derived"

    @overload
    def __call__(self, first: Corpus, *, env: Env = ALONE) -> Corpus: ...
    @overload
    def __call__(self, first: Searcher, *, env: Env = ALONE) -> Pipeline: ...
    def __call__(self, first: Any, *, env: Env = ALONE) -> Any:
        """The derived corpus (made once and kept with its origin), or the pipeline over it."""
        if isinstance(first, Searcher):
            return Pipeline((first,), derive=(self,), refine=(Lift(),))

        def make() -> Corpus:
            pairs = self.derive(first, env)
            origins = MappingProxyType({document.id: origin for document, origin in pairs})
            documents = tuple(document for document, _ in pairs)
            return Corpus(f"{first.name} · {self.label}", documents, made_by=self, parents=(first,), origins=origins)

        model = env.models.get(getattr(self, "model", ""))  # another one writes other texts
        return first.once(("derived", self, model), make)

    @abstractmethod
    def derive(self, corpus: Corpus, env: Env) -> Sequence[tuple[Document, str]]:
        """The derived documents in order, each with the id of the document that it came from."""


# -------------------------------------------------------------------------------------- a whole search


class Part(NamedTuple):
    """One operator of a pipeline and where it stands: ``refine.1``, ``retrieve.0.refine.0``."""

    path: str
    operator: Operator


@dataclass(frozen=True)
class Composed(Searcher, ABC):
    """What is made of other searchers; their indexes are kept with the corpus."""

    family = "fused"

    def index(self, corpus: Corpus, *, models: Models = NONE, progress: Progress | None = None) -> PipelineIndex:
        return PipelineIndex(self, corpus, models, progress)

    def parts(self, *, branches: bool = False) -> tuple[Part, ...]:
        """Every operator with its path, in the order in which it works.

        With ``branches`` also every composed search in it, before its own parts.
        """
        return tuple(part for path, one in self._held() for part in _told(path, one, branches))

    def without(self, path: str | int) -> Searcher:
        """The same search without this part (its path, or its number as `parts` lists it).

        Without a list its weight goes too, without a route what leads to it, and of a fallback the other search is
        left.  Raises `UnknownName` for a path that is not there, `PipelineError` for a part that it cannot lack.
        """
        if isinstance(path, int):
            told = self.parts()
            if not -len(told) <= path < len(told):
                raise UnknownName(Said("There is no part {n}.", n=path), Said("Number of parts: {n}.", n=len(told)))
            path = told[path].path
        return self._changed(path.split("."), path, None)

    def replace(self, path: str, operator: Operator) -> Searcher:
        """The same search with another operator at this path.  Raises `UnknownName`, `PipelineError`."""
        return self._changed(path.split("."), path, operator)

    def _repr_html_(self) -> str:
        return notebook.page(self._picture())

    def _picture(self) -> str:
        """Its parts from left to right, searches below each other."""
        told, lists = list[str](), list[str]()
        for path, part in self._held():
            if not isinstance(part, Searcher):
                told.append(notebook.box(part.label, notebook.knobs(part), getattr(part, "family", "")))
                continue
            if lists:
                told.pop()
            own = part._picture() if isinstance(part, Composed) else ""
            own = own or notebook.box(part.label, notebook.knobs(part), part.family)
            lists.append(own if "." in path else notebook.named(path, own))
            told.append(notebook.stack(lists))
        return notebook.row(told)

    @abstractmethod
    def _held(self) -> Iterator[Part]:
        """What it is made of, with its path."""

    @abstractmethod
    def _changed(self, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """The same search with another operator at these steps of a path, or with none."""

    def _place(self, steps: list[str], among: Sequence[Any], path: str) -> int:
        """The number at the head of these steps, if it is one of a sequence.  Raises `UnknownName`."""
        places = [str(i) for i in range(len(among))]
        if not steps or steps[0] not in places:
            raise self._unknown(path)
        return places.index(steps[0])

    def _within(self, held: Operator, steps: list[str], path: str, operator: Operator | None) -> Searcher:
        """A search that is held in this one, changed at the rest of a path.  Raises `UnknownName`."""
        if not isinstance(held, Composed):
            raise self._unknown(path)
        try:
            return held._changed(steps, path, operator)
        except UnknownName:
            raise self._unknown(path) from None

    def _unknown(self, path: str) -> UnknownName:
        names = ", ".join(part.path for part in self.parts())
        said = Said("This pipeline has no part “{path}”.", path=path)
        return UnknownName(said, Said("Its parts: {names}.", names=names))

    def _passed_on(self, found: Ranking, parents: tuple[Ranking, ...], evidence: object) -> Ranking:
        """Another searcher's ranking as one of this one's."""
        return replace(found, made_by=self, parents=parents, dropped=(), seconds=0.0, evidence=evidence)


@dataclass(frozen=True)
class Pipeline(Composed):
    """A whole search: searchers, derived corpora, a rewriter, a fusion, and the stages that follow.

    In this order: ``derive`` makes the corpus that is searched; ``rewrite`` words the question, every searcher of
    ``retrieve`` is asked every wording ``depth`` deep, and ``merge`` (or the rewriter's own way) makes one list of each
    searcher's; ``fuse`` makes one of several searchers'; ``refine`` are the stages after that.

    Raises `PipelineError` for no list, for several without a fusion, for weights that do not fit the lists.
    """

    about = Said("A whole search: lists, rewriting, fusion, steps.")
    sets_depth = True

    retrieve: tuple[Searcher, ...] = knob(
        (), kind="spec", label=Said("Lists"), help=Said("The search to run: one list, or several that are fused.")
    )
    derive: tuple[Derivation, ...] = knob(
        (),
        kind="spec",
        label=Said("Index side"),
        help=Said("Units to search, derived from the corpus, such as chunks."),
    )
    rewrite: Rewriter | None = knob(
        None, kind="spec", label=Said("Rewriting"), help=Said("Searches every list with several rewrites.")
    )
    merge: Fusion | None = knob(
        None,
        kind="spec",
        label=Said("Merge of the rewrites"),
        help=Said("How the lists of one question's rewrites are merged."),
    )
    fuse: Fusion | None = knob(
        None, kind="spec", label=Said("Fusion"), help=Said("How several lists are merged into one.")
    )
    refine: tuple[Stage, ...] = knob(
        (), kind="spec", label=Said("Steps"), help=Said("Steps applied to the list, in this order.")
    )
    depth: int | None = knob(
        None,
        low=1,
        high=100_000,
        label=Said("Depth"),
        help=Said("Results requested from each list. Empty: default depth."),
    )
    name: str = knob("", label=Said("Name"), help=Said("Name of this search."))

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
        if self.rewrite is not None and self.merge == self.rewrite.merged_by:  # said or not, it is the same search
            object.__setattr__(self, "merge", None)
        if self.depth is not None and not isinstance(self.depth, int):
            raise ParameterError(Said("{name} is {value}, but must be a whole number.", name="depth", value=self.depth))
        n, given = len(self.retrieve), len(getattr(self.fuse, "weights", ()))
        require(n > 0, Said("A pipeline has no list to search."), Said("Give at least one retriever."))
        alone = Said("No fusion merges the lists ({n}).", n=n)
        require(n == 1 or self.fuse is not None, alone, Said("Add a fusion, for instance RRF."))
        uneven = Said("Weights given: {given}, lists: {lists}.", given=given, lists=n)
        require(given in (0, n), uneven, Said("Give one weight per list, or none at all."))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._values)

    @property
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in dataclasses.fields(self))

    def __reduce__(self) -> tuple[object, ...]:  # without its hash, which another process reckons otherwise
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
        """The fusion of the wordings' lists: the one that was chosen, else the rewriter's own."""
        fusion = self.rewrite.merged_by if self.merge is None and self.rewrite is not None else self.merge
        if fusion is None:
            raise PipelineError(Said("Nothing merges the lists of the rewrites."), Said("Name a fusion as “merge”."))
        return fusion

    @cached_property
    def bare(self) -> bool:
        """Whether nothing is made of its one list: then it is asked for what the caller wants."""
        return self.depth is None and not (self.fuse or self.rewrite or self.refine or self.derive)

    @cached_property
    def simplest(self) -> Searcher:
        return self.retrieve[0].simplest if self.bare else self

    @cached_property
    def asks(self) -> int:
        """How many documents every list is asked for."""
        return DEPTH if self.depth is None else self.depth

    # -------------------------------------------------------------------------------------- taking apart

    def _held(self) -> Iterator[Part]:
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
        """The same search with its stages in the order of these paths (``refine.1``, ``refine.0``, ...)."""
        known = {f"refine.{i}": stage for i, stage in enumerate(self.refine)}
        wrong = Said("{paths} is not an order of the stages.", paths=", ".join(paths) or "–")
        require(sorted(paths) == sorted(known), wrong, Said("Name each once: {names}.", names=", ".join(known) or "–"))
        return replace(self, refine=tuple(known[path] for path in paths))

    def prefixes(self) -> Iterator[Pipeline]:
        """The search after its lists are one, then after every stage; the last is the whole."""
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
        own, i = list(getattr(self, head)), self._place(rest, getattr(self, head), path)
        if rest[1:]:
            own[i] = self._within(own[i], rest[1:], path, operator)
        elif operator is not None:
            own[i] = operator
        else:
            del own[i]
        changes: dict[str, object] = {head: tuple(own)}
        if operator is None and not rest[1:]:
            if head == "retrieve":
                changes["fuse"] = self._fusion_without(i) if len(own) > 1 else None
            if head == "derive" and not own:
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
        """The search over the derived corpus, without derivation and stages; where that is of pieces, for more."""
        times = math.prod(getattr(derivation, "fetch", 1) for derivation in self.derive)
        return replace(self, derive=(), refine=(), depth=self.depth if times == 1 else times * self.asks)

    @cached_property
    def _each(self) -> tuple[Pipeline, ...]:
        """For each of its lists the search that is this list alone, asked every wording."""
        return tuple(Pipeline((s,), rewrite=self.rewrite, merge=self.merge, depth=self.depth) for s in self.retrieve)

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        if self.refine:
            ranking = runner.whole(self.before, query, self.asks)
            return self.refine[-1](ranking, runner.env)
        if self.derive:
            return runner.derived(self.derive).whole(self.listed, query, self.listed.asks)
        deep = k if self.bare else self.asks
        lists = [self._list(runner, i, query, deep) for i in range(len(self.retrieve))]
        return lists[0] if self.fuse is None else self.fuse(lists, query=query)

    def _list(self, runner: Runner, i: int, query: Query, deep: int) -> Ranking:
        """One searcher's list: of the query, or of all its wordings."""
        searcher = self.retrieve[i]
        if self.rewrite is None:
            return runner.node(searcher, query, deep)
        rewrite = self.rewritten(runner, searcher, query)
        if not rewrite.queries:
            plain = runner.node(searcher, query, deep)
            if isinstance(plain.evidence, BranchChoice):  # which is told on the way
                return replace(plain, parents=(plain,), dropped=(), evidence=rewrite, seconds=rewrite.seconds)
            return replace(plain, evidence=rewrite, seconds=plain.seconds + rewrite.seconds)
        lists = [runner.node(searcher, wording, deep) for wording in rewrite.wordings]
        index = None if isinstance(searcher, Pipeline) else runner.index(searcher)
        start = time.perf_counter() - rewrite.seconds  # the lists have seconds of their own
        merged = self.rewrite.merge(rewrite, lists, index, self.merging, deep)
        return replace(merged, made_by=self._each[i], evidence=rewrite, seconds=time.perf_counter() - start)

    def rewritten(self, runner: Runner, searcher: Searcher, query: Query) -> Rewrite:
        """What one of its searchers is asked: every wording, or the query alone where the rewriter declines it."""
        assert self.rewrite is not None
        parts = searcher.parts() if isinstance(searcher, Composed) else (Part("", searcher),)
        alone = self.rewrite.declines(part.operator for part in parts if isinstance(part.operator, Retriever))
        if alone:
            return Rewrite(query, (), self.rewrite, "rule", unchanged=alone)
        return runner.rewrite(self.rewrite, query)


def _told(path: str, held: Operator, branches: bool) -> Iterator[Part]:
    """What stands at this path: an operator, or the parts of a search."""
    if not isinstance(held, Composed):
        yield Part(path, held)
        return
    if branches:
        yield Part(path, held)
    yield from (Part(f"{path}.{part.path}", part.operator) for part in held.parts(branches=branches))


def with_changes(held: T, **changes: object) -> T:
    """A specification with these changes.  Raises `PipelineError` for what does not fit together."""
    try:
        made: T = replace(cast(Any, held), **changes)
        return made
    except PipelineError:
        raise
    except LabError as error:
        raise PipelineError(error.message, error.remedy) from error


class BranchChoice:
    """Evidence of which of its searches a composed search asked."""


@dataclass(frozen=True)
class Relaxed(BranchChoice):
    """Whether a `Fallback` had to ask its second search; `lab.explain.decisions` says why, and what that allows."""

    relaxed: bool


@dataclass(frozen=True)
class Fallback(Composed):
    """Runs a strict search first, and a second one if it finds nothing: RAGFlow's adaptive fallback.

    The evidence of the ranking is a `Relaxed`; its parents are the list of the first search and, where that is empty,
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

    def _held(self) -> Iterator[Part]:
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

    def run(self, runner: Runner, query: Query, k: int) -> Ranking:
        strict = runner.node(self.first, query, k)
        if strict.hits:
            return self._passed_on(strict, (strict,), Relaxed(False))
        other = runner.node(self.then, query, k)
        return self._passed_on(other, (strict, other), Relaxed(True))


class PipelineIndex(Index):
    """A composed search at work on one corpus; the indexes of its retrievers are kept with the corpus."""

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
