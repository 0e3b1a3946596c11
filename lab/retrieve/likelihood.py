"""Query likelihood and divergence from randomness: two alternatives to BM25 from the same counts.

Both are sums with one component per query term; Dirichlet smoothing has another one, for the length of the passage,
which is negative.  A term that the corpus does not have adds nothing.

Sources: C. Zhai and J. Lafferty, *A Study of Smoothing Methods for Language Models Applied to Ad Hoc Information
Retrieval*, 2001 (in the form that sums over matching terms alone, without the constant ``sum of ln p(t)``);
G. Amati and C. van Rijsbergen, *Probabilistic Models of Information Retrieval Based on Measuring the Divergence from
Randomness*, 2002 (I(n) with the Laplace after-effect and the second normalisation).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lab.algebra import knob
from lab.formula import Formula, ln, log2, n
from lab.numeric import Floats
from lab.retrieve.lexical import LENGTH, Lexical, TermPart, numbers
from lab.retrieve.matrix import TermMatrix
from lab.text import surface
from lab.words import N_, Said


@dataclass(frozen=True)
class QueryLikelihood(Lexical):
    r"""The logarithm of the probability that the passage's own language model writes the query.

    The model mixes the frequency of a term in the passage with its frequency in the corpus, p = cf / C:

    ==============  =======================================  ==============================
    smoothing       component of a term                      component of the passage
    ==============  =======================================  ==============================
    dirichlet       ln(1 + tf / (mu p))                      \|q\| ln(mu / (l + mu))
    jelinek-mercer  ln(1 + (1 - lambda) tf / (lambda l p))   none
    ==============  =======================================  ==============================

    \|q\| counts the terms of the query that the corpus has.  A Dirichlet score may be negative; such passages stay in
    the list (Lucene's ``LMDirichletSimilarity`` replaces a negative component of a term with 0).
    """

    technique = Said("Query likelihood")
    about = Said("By words: how probable the query is if the passage's own words, mixed with the corpus, write it.")

    smoothing: str = knob(
        "dirichlet",
        Said("Smoothing"),
        Said("How a passage's word frequencies are mixed with those of the corpus."),
        choices={"dirichlet": Said("Dirichlet"), "jelinek-mercer": Said("Jelinek–Mercer")},
    )
    mu: float = knob(
        1000.0,
        Said("Dirichlet: μ"),
        Said("Words of the corpus mixed into each passage. Usually several times the average length."),
        low=1.0,
        high=10_000.0,
        step=50.0,
    )
    lam: float = knob(
        0.4,
        Said("Jelinek–Mercer: λ"),
        Said("Share of the corpus in the mixture. Low: rare words decide less."),
        low=0.01,
        high=0.99,
        step=0.01,
    )

    @property
    def label(self) -> str:
        if self.smoothing == "dirichlet":
            return Said("Query likelihood")
        return Said("Query likelihood, Jelinek–Mercer")

    def idf(self, m: TermMatrix) -> Floats:
        """The factor of tf in the logarithm: large for rare terms, like an inverse document frequency."""
        rarity = m.lengths.sum() / m.cf
        factor = 1 / self.mu if self.smoothing == "dirichlet" else (1 - self.lam) / self.lam
        return np.asarray(rarity * factor)

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        return np.ones(len(m.lengths)) if self.smoothing == "dirichlet" else np.maximum(m.lengths, 1.0)

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        return np.asarray(np.log1p(tf * idf / norm))

    def shift(self, m: TermMatrix) -> Floats | None:
        return np.log(self.mu / (m.lengths + self.mu)) if self.smoothing == "dirichlet" else None

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        if not parts:
            return ""
        message = N_("words in the corpus: C = {total} · words in this passage: {length}, on average {average}")
        total = f"{documents * average:.0f}"
        return Said(message, total=total, length=f"{parts[0].length:.0f}", average=f"{average:.1f}")

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        known = [part for part in parts if part.df]
        for part in known:
            if part.tf:
                total = n(round(documents * part.average_length))
                p = n(part.cf) / total
                addend = self._term_formula(part, p)
                yield part.term, n(part.count) * addend if part.count != 1 else addend
        if known and self.smoothing == "dirichlet":
            mu, terms = n(self.mu), n(math.fsum(part.count for part in known))
            yield LENGTH, terms * ln(mu / (n(known[0].length) + mu))

    def _term_formula(self, part: TermPart, p: Formula) -> Formula:
        tf = n(part.tf)
        if self.smoothing == "dirichlet":
            return ln(n(1) + tf / (n(self.mu) * p))
        lam = n(self.lam)
        return ln(n(1) + ((n(1) - lam) * tf) / (lam * n(part.length) * p))


@dataclass(frozen=True)
class InL2(Lexical):
    r"""A model of divergence from randomness: how surprising the frequency of a term in this passage is.

    ``tfn / (tfn + 1) * log2((N + 1) / (df + 0.5))`` with ``tfn = tf * log2(1 + c * average length / length)``, once for
    every occurrence of the term in the query.  The second factor is the surprise if terms were spread by chance over
    the N passages, the first the share of it that a further occurrence would still add, which is small (Laplace).
    """

    label = Said("DFR InL2")
    about = Said("By words: how surprising it is that a word occurs this often in a passage of this length.")

    c: float = knob(
        1.0,
        Said("c"),
        Said("How strongly long passages are penalised. Higher values penalise them less."),
        low=0.1,
        high=20.0,
        step=0.1,
    )

    def idf(self, m: TermMatrix) -> Floats:
        return np.log2((len(m.lengths) + 1) / (m.df + 0.5))

    def norms(self, m: TermMatrix, idf: Floats) -> Floats:
        return np.asarray(np.log2(1 + self.c * m.average_length / np.maximum(m.lengths, 1.0)))

    def weigh(self, tf: Floats, norm: Floats, idf: float | Floats) -> Floats:
        tfn = tf * norm
        return np.asarray(idf * tfn / (tfn + 1))

    def note(self, parts: Sequence[TermPart], documents: int, average: float) -> str:
        return numbers(parts, documents, average)

    def formula(self, parts: Sequence[TermPart], documents: int) -> Iterator[tuple[str, Formula]]:
        for part in parts:
            if not part.tf:
                continue
            stretch = log2(n(1) + n(self.c) * n(part.average_length) / n(part.length))
            tfn = (n(part.tf) * stretch).called("tfn" if surface(part.term) == part.term else "tfn'")  # both in one sum
            surprise = log2((n(documents) + n(1)) / (n(part.df) + n(0.5)))
            addend = (tfn / (tfn + n(1))) * surprise
            yield part.term, n(part.count) * addend if part.count != 1 else addend
