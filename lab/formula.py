r"""Arithmetic that can be read: a number, and how it came about, as LaTeX.

    >>> share = n(1) / (n(60) + n(3))
    >>> share.value, share.tex
    (0.015873015873015872, '\\frac{1}{60+3}')

A technique writes the formula of an addend in this arithmetic, with a document's own numbers: what stands on the screen
is what was computed, and cannot say anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

SUM, PRODUCT, ATOM = range(3)


@dataclass(frozen=True)
class Formula:
    """A number with its LaTeX; ``level`` says what holds it together, ``where`` what the letters in it stand for."""

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
        """This with a brace below it, and what it is called (LaTeX)."""
        return replace(self, tex=rf"\underbrace{{{self.tex}}}_{{{name}}}", level=ATOM)

    def called(self, letter: str) -> Formula:
        """A letter in the place of this, which is told beside the formula."""
        return Formula(self.value, letter, ATOM, (*self.where, f"{letter}={self.tex}"))

    def line(self, name: str) -> str:
        """One line of several: what it is the addend of, the formula, its value to four digits, what letters mean."""
        where = "".join(rf",\; {one}" for one in self.where)
        return rf"{text(name)}:\; {self.tex} = {self.value:.4f}{where}"


def n(value: float, tex: str = "") -> Formula:
    """A number as it is shown, or a letter with the number that it has here."""
    return Formula(value, tex or number(value))


def ln(x: Formula) -> Formula:
    """The natural logarithm."""
    inner = x.tex if x.tex.startswith(r"\frac") and x.level == ATOM else rf"\left({x.tex}\right)"
    return Formula(math.log(x.value), rf"\ln{inner}", PRODUCT, x.where)


def log2(x: Formula) -> Formula:
    """The logarithm to base 2."""
    inner = x.tex if x.tex.startswith(r"\frac") and x.level == ATOM else rf"\left({x.tex}\right)"
    return Formula(math.log2(x.value), rf"\log_2{inner}", PRODUCT, x.where)


def text(words: str) -> str:
    """Words as LaTeX: every character that LaTeX or KaTeX would act on is made harmless."""
    shown = re.sub(r"[\\^~]", " ", words)  # nothing in a text of LaTeX shows these
    return r"\text{" + re.sub(r"[_{}$#%&]", r"\\\g<0>", shown) + "}"


def number(value: float) -> str:
    """A number, short: whole ones plain, others with four digits that count, or as many as stand before the point."""
    if abs(value) < 1e7 and (abs(value) >= 1e3 or float(value).is_integer()):
        return f"{value:.0f}"
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def lines(formulas: Sequence[str]) -> str:
    """Several formulas below each other for `st.latex`, each of which a narrow column may break at an operator."""
    return "\n$$\n\n$$\n".join(rf"\small {one}" for one in formulas)


def total(addends: Sequence[tuple[str, Formula]]) -> str:
    """A score as the sum of named addends: the score, the formulas, their values."""
    score = math.fsum(f.value for _, f in addends)
    terms = " + ".join(f.under(text(name)).tex for name, f in addends)
    return rf"\small {score:.5f} = {terms} = " + " + ".join(f"{f.value:.5f}" for _, f in addends)
