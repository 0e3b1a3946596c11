"""Formulas with this document's numbers in them, as LaTeX for the page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lab.fuse import RRF, ListPart, ShareSum
from lab.retrieve.lexical import BM25, TFIDF, TermPart


def tex(text: str) -> str:
    """A term as LaTeX text: every character that LaTeX or KaTeX would act on is made harmless."""
    shown = re.sub(r"[\\^~]", " ", text)  # nothing in a text of LaTeX shows these
    return r"\text{" + re.sub(r"[_{}$#%&]", r"\\\g<0>", shown) + "}"


def n(value: float) -> str:
    """A number, short: whole ones plain, others with four digits that count, or as many as stand before the point."""
    if abs(value) < 1e7 and (abs(value) >= 1e3 or float(value).is_integer()):
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def aligned(lines: Sequence[str]) -> str:
    """Several lines as one formula, aligned after the term."""
    return r"\small\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}"


def bm25(operator: BM25, part: TermPart, documents: int) -> str:
    """One addend of BM25 with its numbers."""
    N, df, tf, k1, b = n(documents), n(part.df), n(part.tf), n(operator.k1), n(operator.b)
    delta, k1_plus = n(operator.delta), n(operator.k1 + 1)
    odds = rf"\frac{{{N}-{df}+0.5}}{{{df}+0.5}}"
    frequent = 2 * part.df > documents  # Okapi's logarithm is negative
    floor = rf"\underbrace{{{n(operator.epsilon)}\cdot\overline{{idf}}}}_{{\ln\ldots<0}}"
    idf = {
        "okapi": floor if frequent else rf"\ln{odds}",
        "lucene": rf"\ln\left(1+{odds}\right)",
        "l": rf"\ln\frac{{{N}+1}}{{{df}+0.5}}",
        "plus": rf"\ln\frac{{{N}+1}}{{{df}}}",
        "no-log-idf": odds,
    }[operator.variant]
    norm = rf"1-{b}+{b}\cdot\frac{{{n(part.length)}}}{{{n(part.average_length)}}}"
    classic = rf"\frac{{{tf}\cdot{k1_plus}}}{{{tf}+{k1}\,({norm})}}"
    factor = {
        "lucene": rf"\frac{{{tf}}}{{{tf}+{k1}\,({norm})}}",
        "l": rf"\frac{{{tf}\cdot{k1_plus}\,(c+{delta})}}{{{k1}+c+{delta}}}",
        "plus": rf"\left({delta}+{classic}\right)" if part.tf else delta,
    }.get(operator.variant, classic)
    times = rf"{part.count}\cdot" if part.count > 1 else ""
    where = rf",\; c=\frac{{{tf}}}{{{norm}}}" if operator.variant == "l" else ""
    return rf"{tex(part.term)}:\;& {times}{idf}\cdot{factor} = {part.value:.4f}{where}"


def tfidf(operator: TFIDF, parts: Sequence[TermPart]) -> list[str]:
    """The addends of a TF-IDF cosine with their numbers, one line per shared term."""

    def damp(tf: float) -> float:
        return 1 + math.log(tf) if operator.sublinear else tf

    q_length = math.sqrt(sum((damp(p.count) * p.idf) ** 2 for p in parts if p.df)) or 1.0
    lines = []
    for p in (p for p in parts if p.df and p.tf and p.value):
        q = damp(p.count) * p.idf / q_length
        raw = damp(p.tf) * p.idf
        d_length = raw / (p.value / q)
        tf = rf"(1+\ln {n(p.tf)})" if operator.sublinear else n(p.tf)
        count = rf"(1+\ln {p.count})" if operator.sublinear else str(p.count)
        lines.append(
            rf"{tex(p.term)}:\;& \underbrace{{\frac{{{count}\cdot{n(p.idf)}}}{{{n(q_length)}}}}}_{{q}}\cdot"
            rf"\underbrace{{\frac{{{tf}\cdot{n(p.idf)}}}{{{n(d_length)}}}}}_{{d}} = {p.value:.4f}"
        )
    return lines


def fused(fusion: ShareSum, parts: Sequence[ListPart], names: Sequence[str]) -> str:
    """A fused score with its numbers: one addend per list that has the document."""

    def term(p: ListPart) -> str:
        if isinstance(fusion, RRF):
            return rf"\frac{{{n(p.weight)}}}{{{n(fusion.k)}+{p.rank}}}"
        return rf"{n(p.weight)}\cdot {n(p.share)}"

    found = [(p, name) for p, name in zip(parts, names, strict=True) if p.rank is not None]
    terms = " + ".join(rf"\underbrace{{{term(p)}}}_{{{tex(name)}}}" for p, name in found)
    values = " + ".join(f"{p.value:.5f}" for p, _name in found)
    return rf"\small {sum(p.value for p in parts):.5f} = {terms} = {values}"
