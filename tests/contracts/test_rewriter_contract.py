"""What every rewriter keeps to, those to come included."""

from __future__ import annotations

import pytest
from hypothesis import given
from specimens import all_of, corpora, queries

from lab import catalog
from lab.algebra import Corpus, Rewriter
from lab.contracts import checks
from lab.contracts.specimens import Case


@pytest.mark.parametrize("rewriter", all_of(catalog.rewriters()))
@given(corpus=corpora(), query=queries())
def test_a_rewriter_keeps_the_question_and_gives_wordings(rewriter: Rewriter, corpus: Corpus, query: str) -> None:
    checks.check_rewriter(rewriter, Case(corpus, query))
