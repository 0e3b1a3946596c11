"""Jieba's words as they are, without stems, pairs and simplified characters: for tests of one step at a time."""

from __future__ import annotations

from functools import partial

from lab.retrieve.lexical import BM25
from lab.text import cutting

WORDS = cutting()
okapi = partial(BM25, variant="okapi", analyzer=WORDS)
"""BM25 as in rank-bm25, over such words."""
