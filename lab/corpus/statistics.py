"""A corpus at a glance: how much, how long, which metadata, and which words stand out."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from dataclasses import dataclass

from lab.core import Corpus
from lab.text import fold

_SAMPLE = 200_000
"""Characters that the top terms are taken from: jieba cuts about half a million a second."""

# Words that say nothing by themselves; of Chinese ones jieba's table of frequencies leaves few.
_EMPTY_WORDS = """about above after again all also am among an any are as at be because been before being below between
both but by can cannot could did do does doing don down during each either else etc even every few for from further get
had has have having he her here hers him his how if in into is it its itself just like made make many may me might more
most much must my no nor not now of off on once one only or other our out over own per please same see shall she should
since so some such than that the their them then there these they this those through to too two under until up upon us
use used using very via was way we well were what when where whether which while who whom whose why will with within
without would yes yet you your yours
一个 一些 一种 不同 不是 也是 之后 之间 以及 以上 以下 但是 使用 其中 其他 包括 可以 可能 因为 因此 如果 它们 就是
已经 应当 或者 所以 所有 时候 是否 有关 没有 然后 由于 目前 虽然 许多 进行 通过 这个 这些 那个 那些 需要 而且 还有
还是 对于 关于 为了 并且 例如 您的 我们 他们 你们 什么 怎么 如何 哪些 哪个 多少 請問 一個 這個 這些 沒有 我們 他們
可能 進行 通過 對於 關於 為了 如果 因為 所以 以及"""
EMPTY = frozenset(_EMPTY_WORDS.split())
"""They name no topic: no list of keywords has them, and no question is made of them alone."""


@dataclass(frozen=True)
class FieldSummary:
    """A metadata field: its type (int, float, bool, str, list, mixed), documents with and without it, its values.

    ``distinct`` counts the different values; ``common`` are the most common ones with their counts.
    """

    name: str
    type: str
    count: int
    missing: int
    distinct: int
    common: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Statistics:
    """Counts of a corpus.

    ``lengths`` are the documents' characters in corpus order; ``terms`` are (word, weight), best first.
    """

    documents: int
    characters: int
    lengths: tuple[int, ...]
    fields: tuple[FieldSummary, ...]
    terms: tuple[tuple[str, float], ...]


def statistics(corpus: Corpus, *, terms: int = 30) -> Statistics:
    """What the corpus page shows; ``terms`` is the number of top terms.

    Terms are weighed by jieba's TF-IDF (its table of inverse document frequencies, the median for words that are
    not in it) over titles and texts; of a large corpus every n-th document is taken.
    """
    lengths = tuple(len(d.text) for d in corpus)
    return Statistics(len(corpus), sum(lengths), lengths, _fields(corpus), _terms(corpus, terms))


def _fields(corpus: Corpus) -> tuple[FieldSummary, ...]:
    types, values = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for document in corpus:
        for name, value in document.metadata.items():
            types[name][type(value).__name__] += 1
            values[name].update(str(one)[:200] for one in (value if isinstance(value, list) else (value,)))
    out = []
    for name, kinds in types.items():
        kind = next(iter(kinds)) if len(kinds) == 1 else "float" if set(kinds) == {"int", "float"} else "mixed"
        count, seen = kinds.total(), values[name]
        out.append(FieldSummary(name, kind, count, len(corpus) - count, len(seen), tuple(seen.most_common(5))))
    return tuple(out)


def _terms(corpus: Corpus, count: int) -> tuple[tuple[str, float], ...]:
    import jieba
    import jieba.analyse

    jieba.setLogLevel(logging.WARNING)  # it announces the loading of its dictionary
    total = sum(len(d.content) for d in corpus)
    step = max(1, -(-total // _SAMPLE))
    text = fold("\n".join(d.content for d in corpus.documents[::step]))[:_SAMPLE]
    weighed = jieba.analyse.extract_tags(text, topK=count * 4 + len(EMPTY), withWeight=True)
    return tuple((w, float(x)) for w, x in weighed if w not in EMPTY and any(c.isalpha() for c in w))[:count]
