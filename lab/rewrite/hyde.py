"""Hypothetical documents: passages that could answer the question, searched by the mean of their vectors.

Source: L. Gao et al., *Precise Zero-Shot Dense Retrieval without Relevance Labels* (HyDE), 2022: the mean of the
vectors of the documents and of the query.  Here the documents look at the question from three sides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.core import Corpus, Index, knob
from lab.models.answers import passage
from lab.models.prompting import fill, prompts
from lab.rewrite.base import QueryVariant, Rewriter
from lab.rewrite.wording import Sentence, feedback
from lab.words import Said

PERSPECTIVES = ("research", "practice", "basics")

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
class HyDE(Rewriter):
    """Three passages, from research, practice and basics; a vector index searches by the mean with the query.

    The rule selects sentences of the first ``documents`` hits three times, each time preferring those with the
    signs of one perspective (pseudo-relevance feedback); no sentence is in two passages.
    """

    sentences: int = knob(2, low=1, high=10)
    documents: int = knob(5, low=1, high=20)

    @property
    def label(self) -> str:
        return "Hypothetical documents"

    @property
    def wanted(self) -> int:
        return len(PERSPECTIVES)

    def requests(self, query: str, language: str) -> tuple[str, ...]:
        sides = prompts()["perspectives_" + language]
        return tuple(fill(self.prompt(language), question=query, perspective=sides[side]) for side in PERSPECTIVES)

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(passage(text), side) for side, text in zip(PERSPECTIVES, answers, strict=True))

    def rule(self, query: str, corpus: Corpus, index: Index) -> tuple[QueryVariant, ...]:
        left, made = feedback(query, index, documents=self.documents), []
        for side in PERSPECTIVES:

            def liking(s: Sentence, side: str = side) -> float:
                return s.cosine + (BONUS if SIGNS[side].search(s.text) else 0.0)

            chosen = sorted(left, key=liking, reverse=True)[: self.sentences]
            left = [s for s in left if s not in chosen]
            if chosen:
                why = Said(
                    "Sentences of the first hits (pseudo-relevance feedback), {side} first: {ids}.",
                    side=side,
                    ids=", ".join(dict.fromkeys(s.doc_id for s in chosen)),
                )
                made.append(QueryVariant(" ".join(s.text for s in chosen), side, why))
        return tuple(made)
