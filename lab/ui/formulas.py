"""Formulas with this document's numbers in them, as LaTeX for the page."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lab.fuse import RRF, ListPart, ShareSum
from lab.retrieve.lexical import BM25, TFIDF, TermPart


def tex(text: str) -> str:
    """A term as LaTeX text: every character that LaTeX or KaTeX would act on is made harmless."""
    swap = {
        "\\": r"\backslash{}",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "#": r"\#",
        "%": r"\%",
        "&": r"\&",
        "^": r"\^{}",
        "~": r"\sim{}",
    }
    return (
        r"\text{" + re.sub(r"[\\_{}$#%&^~]", lambda m: swap[m.group()] if m.group() not in "\\~^" else " ", text) + "}"
    )


def n(value: float) -> str:
    """A number, short: whole numbers plain, others with four digits that count, or as many as stand before the point."""
    if float(value).is_integer() and abs(value) < 1e7:
        return f"{value:.0f}"
    if 1e3 <= abs(value) < 1e7:
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def aligned(lines: Sequence[str]) -> str:
    """Several lines as one formula, aligned after the term."""
    return r"\small\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}"


def bm25(operator: BM25, part: TermPart, documents: int) -> str:
    """One addend of BM25 with its numbers."""
    N, df, tf, k1, b = n(documents), n(part.df), n(part.tf), n(operator.k1), n(operator.b)
    odds = rf"\frac{{{N}-{df}+0.5}}{{{df}+0.5}}"
    plain = math.log((documents - part.df + 0.5) / (part.df + 0.5)) if part.df else 0.0
    idf = {
        "okapi": rf"\ln{odds}"
        if plain >= 0
        else rf"\underbrace{{{n(operator.epsilon)}\cdot\overline{{idf}}}}_{{\ln\ldots<0}}",
        "lucene": rf"\ln\left(1+{odds}\right)",
        "l": rf"\ln\frac{{{N}+1}}{{{df}+0.5}}",
        "plus": rf"\ln\frac{{{N}+1}}{{{df}}}",
        "no-log-idf": odds,
    }[operator.variant]
    norm = rf"1-{b}+{b}\cdot\frac{{{n(part.length)}}}{{{n(part.average_length)}}}"
    k1_plus = n(operator.k1 + 1)
    factor = {
        "lucene": rf"\frac{{{tf}}}{{{tf}+{k1}\,({norm})}}",
        "l": rf"\frac{{{tf}\cdot{k1_plus}\,(c+{n(operator.delta)})}}{{{k1}+c+{n(operator.delta)}}}",
        "plus": rf"\left({n(operator.delta)}+\frac{{{tf}\cdot{k1_plus}}}{{{tf}+{k1}\,({norm})}}\right)"
        if part.tf
        else n(operator.delta),
    }.get(operator.variant, rf"\frac{{{tf}\cdot{k1_plus}}}{{{tf}+{k1}\,({norm})}}")
    times = rf"{part.count}\cdot" if part.count > 1 else ""
    where = rf",\; c=\frac{{{tf}}}{{{norm}}}" if operator.variant == "l" else ""
    return rf"{tex(part.term)}:\;& {times}{idf}\cdot{factor} = {part.value:.4f}{where}"


def tfidf(operator: TFIDF, parts: Sequence[TermPart]) -> list[str]:
    """The addends of a TF-IDF cosine with their numbers, one line per shared term."""

    def damp(tf: float) -> float:
        return 1 + math.log(tf) if operator.sublinear else tf

    known = [p for p in parts if p.df]
    q_length = math.sqrt(sum((damp(p.count) * p.idf) ** 2 for p in known)) or 1.0
    lines = []
    for p in known:
        if not p.tf or not p.value:
            continue
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
    total = sum(p.value for p in parts)
    terms, values = [], []
    for part, name in zip(parts, names, strict=True):
        if part.rank is None:
            continue
        if isinstance(fusion, RRF):
            terms.append(rf"\underbrace{{\frac{{{n(part.weight)}}}{{{n(fusion.k)}+{part.rank}}}}}_{{{tex(name)}}}")
        else:
            terms.append(rf"\underbrace{{{n(part.weight)}\cdot {n(part.share)}}}_{{{tex(name)}}}")
        values.append(f"{part.value:.5f}")
    return rf"\small {total:.5f} = {' + '.join(terms)} = {' + '.join(values)}"
