"""Jieba's words as they are, without stems, pairs and simplified characters: for tests of one step at a time."""

from __future__ import annotations

from functools import partial

from lab.retrieve.lexical import BM25
from lab.text import Analyzer

cutting = partial(Analyzer, bigrams=False, stem="none", simplified=False)
"""An analyzer that only cuts, with what else is said."""
WORDS = cutting()
okapi = partial(BM25, variant="okapi", analyzer=WORDS)
"""BM25 as in rank-bm25, over such words."""
