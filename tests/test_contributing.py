"""What CONTRIBUTING shows works."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from lab import formats
from lab.algebra import Corpus, Document, Runner
from lab.retrieve.lexical import BM25

ROOT = Path(__file__).parents[1]


def test_the_technique_that_contributing_adds_works():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    block = re.search(r"```python\n(.*?)```", text, re.S)
    assert block is not None
    head = "from dataclasses import dataclass\nfrom lab.algebra import Env, Outcome, Ranking, Stage, knob\n"
    head += "from lab.words import Said\n"
    made: dict[str, type] = {}
    exec(head + textwrap.dedent(block[1]), made)
    corpus = Corpus("two", (Document("b", "red red fox", "Bear"), Document("a", "red fox house", "Ape")))
    search = BM25(variant="lucene") >> made["FirstLetter"]()
    assert Runner(corpus)(search, "red").ids == ["a", "b"]


def test_the_search_that_contributing_shows_can_be_read():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    shown = re.search(r"`(RRF\(\)\(.*?)`", text)
    assert shown is not None
    search = formats.parse(shown[1])
    assert formats.expression(search) == "RRF()(BM25(), Vector()) >> MaxSim(weight=0.4) >> MMR(k=8)"
