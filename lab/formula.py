r"""Arithmetic that can be read: a number, and how it came about, as LaTeX.

    >>> share = n(1) / (n(60) + n(3))
    >>> share.value, share.tex
    (0.015873015873015872, '\\frac{1}{60+3}')

A technique writes the formula of a score component in this arithmetic, with a document's own numbers: the formula on
the screen is the one that was computed, and cannot say anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

SUM, PRODUCT, ATOM = range(3)


@dataclass(frozen=True)
class Formula:
    """A number with its LaTeX; ``level`` is its outermost operation, ``where`` explains the letters in it."""

    value: float
    tex: str
    level: int = ATOM
    where: tuple[str, ...] = ()

    def __add__(self, other: Formula) -> Formula:
        return self._with(other, self.value + other.value, f"{self.tex}+{other.tex}", SUM)

    def __sub__(self, other: Formula) -> Formula:
        return self._with(other, self.value - other.value, f"{self.tex}-{other._in(PRODUCT)}", SUM)

    def __mul__(self, other: Formula) -> Formula:
        return self._with(other, self.value * other.value, rf"{self._in(PRODUCT)}\cdot {other._in(PRODUCT)}", PRODUCT)

    def __truediv__(self, other: Formula) -> Formula:
        return self._with(other, self.value / other.value, rf"\frac{{{self.tex}}}{{{other.tex}}}", ATOM)

    def _in(self, level: int) -> str:
        return self.tex if self.level >= level else rf"\left({self.tex}\right)"

    def _with(self, other: Formula, value: float, tex: str, level: int) -> Formula:
        return Formula(value, tex, level, tuple(dict.fromkeys((*self.where, *other.where))))

    def under(self, name: str) -> Formula:
        """Returns the formula with a brace below it, labelled with a name (LaTeX)."""
        return replace(self, tex=rf"\underbrace{{{self.tex}}}_{{{name}}}", level=ATOM)

    def called(self, letter: str) -> Formula:
        """Returns a letter that stands for this formula, which is explained next to it."""
        return Formula(self.value, letter, ATOM, (*self.where, f"{letter}={self.tex}"))

    def line(self, name: str) -> str:
        """Writes one line: the name of the component, the formula, its value to four digits, the meaning of letters."""
        where = "".join(rf",\; {meaning}" for meaning in self.where)
        return rf"{text(name)}:\; {self.tex} = {self.value:.4f}{where}"


def n(value: float, tex: str = "") -> Formula:
    """Returns a number, or a letter with its value."""
    return Formula(value, tex or number(value))


def ln(x: Formula) -> Formula:
    """Returns the natural logarithm."""
    inner = x.tex if x.tex.startswith(r"\frac") and x.level == ATOM else rf"\left({x.tex}\right)"
    return Formula(math.log(x.value), rf"\ln{inner}", PRODUCT, x.where)


def log2(x: Formula) -> Formula:
    """Returns the logarithm to base 2."""
    inner = x.tex if x.tex.startswith(r"\frac") and x.level == ATOM else rf"\left({x.tex}\right)"
    return Formula(math.log2(x.value), rf"\log_2{inner}", PRODUCT, x.where)


def text(words: str) -> str:
    """Writes words as LaTeX text; characters with a meaning in LaTeX or KaTeX are escaped or left out."""
    harmless = re.sub(r"[\\^~]", " ", words)  # LaTeX text cannot show these
    return r"\text{" + re.sub(r"[_{}$#%&]", r"\\\g<0>", harmless) + "}"


def number(value: float) -> str:
    """Writes a number: whole ones in full, others with four significant digits, or all digits before the point."""
    if abs(value) < 1e7 and (abs(value) >= 1e3 or float(value).is_integer()):
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def lines(formulas: Sequence[str]) -> str:
    """Joins formulas below each other for `st.latex`; a narrow column may break each at an operator."""
    return "\n$$\n\n$$\n".join(rf"\small {formula}" for formula in formulas)


def total(addends: Sequence[tuple[str, Formula]]) -> str:
    """Writes a score as the sum of named components: the score, the formulas, their values."""
    score = math.fsum(f.value for _, f in addends)
    terms = " + ".join(f.under(text(name)).tex for name, f in addends)
    return rf"\small {score:.5f} = {terms} = " + " + ".join(f"{f.value:.5f}" for _, f in addends)
