"""Patterns mean in RE2 what they mean in Python, or say that they do not."""

from __future__ import annotations

import re
import unicodedata

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document
from lab.errors import ParameterError
from lab.refine.filters import KeywordExclusion
from lab.refine.patterns import with_unicode
from lab.retrieve.lexical import BM25

CLASSES = [r"\w", r"\d", r"\s", r"\W", r"\D", r"\S"]
SETS = ["[{}]", "[^{}]", "[{}_]", "[^{}_]", "[]{}]", "[a{}-]"]


def kept(pattern: str, *texts: str) -> list[int]:
    """Returns which texts a filter keeps."""
    corpus = Corpus("c", [Document(str(i), text) for i, text in enumerate(texts)])
    after = KeywordExclusion(patterns=(pattern,))(BM25().index(corpus).search("x"))
    return [int(hit.document.id) for hit in after.hits]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"第\w+章", "x 第三章"),
        (r"\d{5}", "x １２３４５"),
        (r"x\scaf\w", "x\u3000café"),
        (r"x [\w-]+ y", "x größe-łódź y"),
        (r"x [^\W_]+ y", "x Привет y"),
        (r"é\S+", "x éé"),
        (r"x \D+ y", "x 二 y"),
        (r"[\s]x", "\u00a0x"),
    ],
)
def test_a_class_knows_every_script(pattern: str, text: str) -> None:
    assert kept(pattern, text, "x") == [1]


@given(
    st.sampled_from([*CLASSES, *(s.format(c) for s in SETS for c in CLASSES), r"\\w", r"\[\w", r"a\wb|\d+\s"]),
    st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=12),
)
def test_a_pattern_finds_what_python_finds(pattern: str, text: str) -> None:
    found, expected = re2.compile(with_unicode(pattern)).search(text), re.compile(pattern).search(text)
    assert (found and found.span()) == (expected and expected.span())


@pytest.mark.parametrize("pattern", [r"\Q\w\E", r"[[:alpha:]]", r"\p{Han}\pL", r"[A-Z]+-\p{Nd}+"])
def test_other_parts_of_a_pattern_stay(pattern: str) -> None:
    assert with_unicode(pattern) == pattern


@pytest.mark.parametrize("pattern", [r"\bcafé\b", r"\bÜber\b", r"ñ\b", r"\Bé"])
def test_a_boundary_that_cannot_match_is_an_error(pattern: str) -> None:
    with pytest.raises(ParameterError, match="ASCII"):
        KeywordExclusion(patterns=(pattern,))
    assert KeywordExclusion(patterns=(r"\bcat\b", r"\w+\b"))


def test_letters_of_every_category_are_words_or_not() -> None:
    for category in {unicodedata.category(chr(c)) for c in range(0x3000)} - {"Cn"}:
        c = next(chr(c) for c in range(0x3000) if unicodedata.category(chr(c)) == category)
        assert bool(re2.compile(with_unicode(r"\w")).fullmatch(c)) == bool(re.fullmatch(r"\w", c)), category
