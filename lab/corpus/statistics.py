"""A corpus at a glance: its size, lengths, metadata, and most characteristic words."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median

from lab.algebra import Corpus
from lab.text import Analyzer, fold, jieba_dictionary, script
from lab.text.naming import BETWEEN
from lab.text.quantities.dates import read_date, read_period
from lab.text.quantities.epochs import epoch_steps
from lab.text.quantities.numbers import read_decimal

_COMPARED = 2_000
"""Passages whose words are counted for `word_spread`."""
WIDE = 3.5
"""The spread of lengths from which BM25's b decides (`benchmarks/lengths.py`)."""
_SAMPLE = 200_000
"""Characters sampled for the top terms: jieba tokenizes about half a million per second."""

# Words without a topic; jieba's table of frequencies already excludes most of the Chinese ones.
_EMPTY_WORDS = """about above after again all also am among an any are as at be because been before being below between
both but by can cannot could did do does doing don down during each either else etc even every few for from further get
had has have having he her here hers him his how if in into is it its itself just like made make many may me might more
most much must my no nor not now of off on once one only or other our out over own per please same see shall she should
since so some such than that the their them then there these they this those through to too two under until up upon us
use used using very via was way we well were what when where whether which while who whom whose why will with within
without would yes yet you your yours
and he no on she so they was with
一个 一些 一种 不同 不是 也是 之后 之间 以及 以上 以下 但是 使用 其中 其他 包括 可以 可能 因为 因此 如果 它们 就是
已经 应当 或者 所以 所有 时候 是否 有关 没有 然后 由于 目前 虽然 许多 进行 通过 这个 这些 那个 那些 需要 而且 还有
还是 对于 关于 为了 并且 例如 您的 我们 他们 你们 什么 怎么 如何 哪些 哪个 多少 請問 一個 這個 這些 沒有 我們 他們
可能 進行 通過 對於 關於 為了 如果 因為 所以 以及"""
_PARTS = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")
"""A part of a word of letters and digits, by which jieba splits what its dictionary does not have (and rjieba not)."""
_ENGLISH_WORDS = """the of is and to in that we for an are by be as on with can if from which you it this then at have
all not one has or"""
_WITHOUT_WEIGHT = frozenset(_ENGLISH_WORDS.split())
"""The stop words of `jieba.analyse`."""
EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that name no topic: keywords never contain them, and no question consists of them alone."""


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

    @property
    def shared(self) -> bool:
        """Whether its values are words, at least two of which several documents share."""
        return self.type in ("str", "list") and 2 <= self.distinct <= self.count / 2

    @property
    def dated(self) -> bool:
        """Whether its most common values are days or months, or times that are counted from 1970."""
        values = [value for value, _ in self.common]
        if self.type == "str" and all((p := read_period(value)) and (p.last - p.first).days < 364 for value in values):
            return True
        if self.type not in ("str", "int", "float"):
            return False
        numbers = [number for value in values if (number := read_decimal(value)) is not None]
        counted = len(numbers) == len(values) and epoch_steps(self.name, numbers) > 0
        return counted or (self.type == "int" and all(map(read_date, values)))


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
    """Computes the figures of the corpus page; ``terms`` is the number of top terms.

    Terms are weighed by jieba's TF-IDF (its table of inverse document frequencies, the median for words that are
    not in it) over titles and texts; a large corpus is sampled, every n-th document.
    """
    lengths = tuple(len(d.text) for d in corpus)
    return Statistics(len(corpus), sum(lengths), lengths, fields_of(corpus), _terms(corpus, terms))


def length_spread(lengths: Sequence[float]) -> float:
    """Returns the mean of the longest tenth of these lengths, divided by their median; 1 without a length."""
    ordered = sorted(lengths, reverse=True)
    longest = ordered[: max(1, len(ordered) // 10)]
    return fmean(longest) / max(median(ordered), 1.0) if ordered else 1.0


def word_spread(corpus: Corpus) -> float:
    """Returns the `length_spread` of the passages in words; of more than `_COMPARED` passages, of an even sample."""
    if corpus.elsewhere:
        return 1.0
    step, analyzer = -(-len(corpus) // _COMPARED) or 1, Analyzer()
    sample = corpus.documents[::step]
    return corpus.once(("word spread",), lambda: length_spread([len(analyzer.tokens(d.content)) for d in sample]))


def main_script(corpus: Corpus) -> str:
    """Returns the `lab.text.script` of nine in ten of about a hundred passages; empty if none has so many."""
    counts = Counter(
        script(d.content) for d in (() if corpus.elsewhere else corpus.documents[:: len(corpus) // 100 + 1])
    )
    return next((name for name, n in counts.items() if n >= 0.9 * counts.total()), "")


def fields_of(corpus: Corpus) -> tuple[FieldSummary, ...]:
    """The metadata fields of a corpus, counted once."""
    return corpus.once(("fields",), lambda: _fields(corpus))


def date_field(fields: Sequence[FieldSummary], usual: str = "date") -> str:
    """Returns the field with the documents' dates: the usual one if it exists, or else the first one of days."""
    return _choose_field(usual, fields, [f for f in fields if f.dated])


def source_field(fields: Sequence[FieldSummary], usual: str = "source") -> str:
    """Returns the field with their sources: the usual one unless it has one value, or else the first shared one."""
    several = [f for f in fields if f.name != usual or f.distinct > 1]
    return _choose_field(usual, several, [f for f in several if f.shared and not f.dated])


def tag_field(fields: Sequence[FieldSummary], usual: str = "tags") -> str:
    """Returns the field of their tags: the usual one, or else the first one of lists, or else the first shared one."""
    lists = [f for f in fields if f.type == "list"]
    return _choose_field(usual, fields, lists or [f for f in fields if f.shared and not f.dated])


def _choose_field(usual: str, fields: Sequence[FieldSummary], candidates: Sequence[FieldSummary]) -> str:
    return usual if not candidates or usual in [f.name for f in fields] else candidates[0].name


def _fields(corpus: Corpus) -> tuple[FieldSummary, ...]:
    types, values = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for document in corpus:
        for name, value in document.metadata.items():
            types[name][type(value).__name__] += 1
            values[name].update(str(element)[:200] for element in (value if isinstance(value, list) else (value,)))
    summaries = []
    for name, kinds in types.items():
        kind = next(iter(kinds)) if len(kinds) == 1 else "float" if set(kinds) == {"int", "float"} else "mixed"
        count, seen = kinds.total(), values[name]
        summaries.append(FieldSummary(name, kind, count, len(corpus) - count, len(seen), tuple(seen.most_common(5))))
    return tuple(summaries)


def _terms(corpus: Corpus, count: int) -> tuple[tuple[str, float], ...]:
    total = sum(len(d.content) for d in corpus)
    sample = corpus.documents[:: max(1, -(-total // _SAMPLE))]
    lines = dict.fromkeys(word for d in sample for word in d.title.split(BETWEEN))  # a file's name counts once
    text = fold("\n".join([*lines, *(d.text for d in sample)]))[:_SAMPLE]
    parts = (part for word in jieba_dictionary().cut(text) for part in _PARTS.split(word))
    words = (w for w in parts if len(w.strip()) > 1 and w.lower() not in _WITHOUT_WEIGHT)
    weighed = _weighed(Counter(words))[: count * 4 + len(EMPTY)]
    return tuple((w, x) for w, x in weighed if w not in EMPTY and any(c.isalpha() for c in w))[:count]


def _weighed(frequency: Counter[str]) -> list[tuple[str, float]]:
    """Returns words by frequency times jieba's idf, the highest first, as `jieba.analyse.extract_tags` does.

    Importing that would keep its table of 260,000 words and another dictionary in memory.
    """
    jieba = find_spec("jieba")
    assert jieba is not None
    assert jieba.origin is not None
    idf, every = dict[str, float](), array("d")
    with Path(jieba.origin).with_name("analyse").joinpath("idf.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, _, value = line.strip().partition(" ")
            every.append(float(value))
            if word in frequency:
                idf[word] = every[-1]
    unknown, total = sorted(every)[len(every) // 2], float(frequency.total())
    weights = {word: float(n) * (idf.get(word, unknown) / total) for word, n in frequency.items()}
    return sorted(weights.items(), key=itemgetter(1), reverse=True)
