"""Hypothetical documents: passages that could answer the question, searched by the mean of their vectors.

Source: L. Gao et al., *Precise Zero-Shot Dense Retrieval without Relevance Labels* (HyDE), 2022: the mean of the
vectors of the documents and of the query.  Here the documents look at the question from three sides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np

from lab.algebra import Contribution, Corpus, Fusion, Hit, Index, Later, Query, QueryVariant, Ranking, Rewrite, knob
from lab.algebra.knobs import fits, listed, must
from lab.models.answers import passage
from lab.models.prompting import fill, prompts
from lab.numeric import Floats, unit
from lab.retrieve.vector import VectorIndex
from lab.rewrite.base import Found, Rewording
from lab.rewrite.wording import RESULTS, SENTENCES, Sentence, feedback
from lab.text.borders import run_on
from lab.words import N_, Said

PERSPECTIVES = (Said("research"), Said("practice"), Said("basics"))
SIDES = tuple(map(str, PERSPECTIVES))
"""The three perspectives as a knob has them."""

SIGNS = {
    "research": re.compile(
        r"\d|%|％|percent|measur|tested|average|according|because|数据|平均|比例|根据|统计|因为|由于", re.I
    ),
    "practice": re.compile(
        r"\b(?:press|hold|open|choose|turn|set|use|try|send|ask|must|should|first|then)\b|请|须|应|先|再|点击|提交|填写|申请|按住|打开|选择",
        re.I,
    ),
    "basics": re.compile(r"\b(?:is|are|means|called|kind of|refers)\b|是指|是一|称为|包括|分为|即|属于|是", re.I),
}
"""What a sentence has that looks at its matter from this side: figures and grounds, steps, definitions."""
BONUS = 0.15
"""What a sign is worth in cosine."""


@dataclass(frozen=True)
class HyDE(Rewording):
    """Writes ``n`` hypothetical passages, research, practice and basics in turn; vectors search with the mean.

    The query is part of the mean.

    The rule selects sentences of the first ``documents`` hits ``n`` times, each time preferring those with the
    signs of one perspective (pseudo-relevance feedback); no sentence is in two passages.  It knows
    no signs of user-defined perspectives.  When a perspective is repeated, the prompt says so.
    """

    label = Said("Hypothetical documents")
    shape = None
    about = Said("Searches with passages that might answer, each written differently.")

    n: int = knob(
        3,
        low=1,
        high=9,
        label=Said("Hypothetical documents"),
        help=Said("Number of passages written; they take turns among the perspectives."),
    )
    perspectives: tuple[str, ...] = knob(
        SIDES,
        kind="words",
        label=Said("Perspectives"),
        help=Said("research, practice, basics, or words of your own, which only a language model follows."),
    )

    sentences: int = SENTENCES(2)
    documents: int = RESULTS(5)

    def merge(self, rewrite: Rewrite, lists: Sequence[Ranking], index: Index | None, by: Fusion, depth: int) -> Ranking:
        """Searches a vector index with the mean vector; on any other index, fuses the lists."""
        if not isinstance(index, VectorIndex):
            return super().merge(rewrite, lists, index, by, depth)
        names = [Said("original"), *(v.kind for v in rewrite.queries)]
        parts = mean_parts(index, rewrite.original, [v.text for v in rewrite.queries], self.weight)
        hits = index.nearest(parts.sum(0), depth)

        def why(hit: Hit) -> Sequence[Contribution]:
            if index.operator.space == "l2" or index.operator.approximate:
                return ()

            def components() -> list[Contribution]:
                row = index.row(hit.document, parts.sum(0))
                return [Contribution(n, float(p @ row)) for n, p in zip(names, parts, strict=True)]

            return Later(components)

        explained = tuple(Hit(h.document, h.score, why(h)) for h in hits)
        return Ranking(rewrite.original, explained, by, tuple(lists), asked=depth, corpus=index.corpus)

    def __post_init__(self) -> None:
        perspectives = listed("perspectives", self.perspectives)
        fits("perspectives", perspectives, str)
        sides = tuple(side.strip() for side in perspectives if side.strip())
        must(bool(sides), N_("At least one perspective is needed."))
        object.__setattr__(self, "perspectives", sides)
        super().__post_init__()

    @property
    def _sides(self) -> list[str]:
        """Returns the perspective of each passage, by its name."""
        known = dict(zip(SIDES, PERSPECTIVES, strict=True))
        return [known.get(side, side) for side in islice(cycle(self.perspectives), self.n)]

    def requests(self, query: str, language: str) -> tuple[str, ...]:
        template, requests, times = prompts()["perspectives_" + language], list[str](), Counter[str]()
        for side in self._sides:
            request = fill(self.prompt(language), question=query, perspective=template.get(side, side))
            times[side] += 1
            requests.append(request if times[side] == 1 else f"{request}\n\n{template['again'].format(n=times[side])}")
        return tuple(requests)

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(passage(text), side) for side, text in zip(self._sides, answers, strict=True))

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        left, variants = feedback(query, corpus, search, documents=self.documents), []
        for side in self._sides:

            def liking(s: Sentence, side: str = side) -> float:
                return s.cosine + (BONUS if side in SIGNS and SIGNS[side].search(s.text) else 0.0)

            chosen = sorted(left, key=liking, reverse=True)[: self.sentences]
            left = [s for s in left if s not in chosen]
            if chosen:
                ids = [*dict.fromkeys(s.doc_id for s in chosen)]
                message = N_("Sentences of the first results (pseudo-relevance feedback), {side} first: {ids}.")
                why = Said(message, side=side, ids=ids)
                variants.append(QueryVariant(run_on(s.text for s in chosen), side, why))
        return tuple(variants)


def mean_parts(index: VectorIndex, query: Query, passages: Sequence[str], weight: float = 1.0) -> Floats:
    """Returns the parts of the searched mean vector: the query's, then each passage's, shape [1 + passages, d].

    The query counts ``weight``, a passage 1.  In the cosine space unit vectors are averaged and the mean is
    normalised to length 1.
    """
    query_rows = np.asarray(index.encoder.queries([query.text]), dtype=np.float64)
    passage_rows = np.asarray(index.encoder.documents(list(passages)), dtype=np.float64).reshape(
        -1, query_rows.shape[1]
    )
    if index.operator.space == "cosine":
        query_rows, passage_rows = unit(query_rows), unit(passage_rows)
    rows = np.concatenate([weight * query_rows, passage_rows])
    if index.operator.space != "cosine":
        return rows / (weight + len(passage_rows))
    return np.asarray(rows / (float(np.linalg.norm(rows.sum(0))) or 1.0))
