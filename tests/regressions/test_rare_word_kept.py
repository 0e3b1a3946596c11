"""MMR that works on its list keeps a passage that only a rare word has put on top of it."""

from __future__ import annotations

from typing import Any

import pytest
from night import spread
from regressions import load_cases

from lab.algebra import Corpus, Runner
from lab.corpus import samples
from lab.presets import presets
from lab.retrieve.lexical import BM25
from lab.text import Analyzer


def words_of_one_passage(runner: Runner, corpus: Corpus, number: int) -> list[tuple[str, str]]:
    """The first words by the alphabet that BM25 finds in one passage only, each with its id."""
    found = []
    for word in sorted({t for d in corpus for t in Analyzer().tokens(d.content) if t.isalpha() and len(t) > 2}):
        ids = runner(BM25(), word, 2).ids
        if len(ids) == 1:
            found.append((word, ids[0]))
        if len(found) == number:
            break
    return found


@pytest.mark.parametrize("case", spread(load_cases("rare_word_kept"), 1))
def test_the_only_passage_with_a_word_is_among_the_picks(case: dict[str, Any]) -> None:
    corpus = samples.load(case["corpus"]).corpus
    runner, search = Runner(corpus), presets()["diverse"].search
    named = [(case["query"], case["document"])] if "query" in case else []
    pairs = named or words_of_one_passage(runner, corpus, case["words"])
    assert pairs
    assert [word for word, document in pairs if document not in runner(search, word, 8).ids] == []
