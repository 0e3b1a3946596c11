"""The distinctive words of a corpus are those of `jieba.analyse`, with the same weights, without its dictionary."""

from __future__ import annotations

import pytest

from lab.corpus import samples
from lab.corpus import statistics as module
from lab.corpus.statistics import EMPTY, statistics
from lab.text import fold


@pytest.mark.nightly
def test_words_and_weights_are_those_of_jieba() -> None:
    import jieba.analyse  # loads two dictionaries

    jieba.setLogLevel(60)
    assert module._WITHOUT_WEIGHT == jieba.analyse.TFIDF.STOP_WORDS
    for name in samples.every_name():
        corpus = samples.load(name).corpus
        terms = statistics(corpus).terms
        text = fold("\n".join(d.content for d in corpus))
        tags = jieba.analyse.extract_tags(text, topK=len(terms) * 4 + len(EMPTY), withWeight=True)
        wanted = [(w, x) for w, x in tags if w not in EMPTY and any(c.isalpha() for c in w)]
        assert terms
        assert [weight for _, weight in terms] == [weight for _, weight in wanted[: len(terms)]], name
        assert set(terms) <= set(wanted), name  # equal weights are in the order of the text: there titles stand first
