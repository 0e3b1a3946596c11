"""From text to tokens: one analyzer for Chinese and English, with the place of every token in the text.

Default for search: runs of Han characters go through jieba's search mode (by rjieba: the same dictionary,
much faster); everything else is lower-cased words that keep their inner ``-``, ``_`` and ``.`` together *and*
split, so that ``WH-1000XM5`` is found by ``wh-1000xm5`` and by ``1000xm5``.  Full-width letters and digits
are folded to half-width.  One-character Han tokens stay out of the index, unless a query has nothing else.

The three jieba modes equal jieba's on U+4E00 to U+9FD5, which is what jieba takes for Chinese, with one
exception: where two ways of cutting an unknown word are equally likely to the last digit, the two may choose
differently (once in 46,774 different runs of Wikipedia text).  Rarer characters (the extensions, compatibility
forms) are outside jieba's tables: it mostly keeps them apart, here they may be joined to one token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from lab.core import knob, one_of
from lab.words import Said

if TYPE_CHECKING:
    import rjieba

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_RUN = re.compile(f"[{HAN}]+")
_WORD = rf"[^\W_{HAN}]+"
_PIECES = re.compile(rf"(?P<han>[{HAN}]+)|(?P<word>{_WORD}(?:[-_.]+{_WORD})*)")
_PART = re.compile(_WORD)
_JOINT = re.compile(r"[-_.]")
_BLANK = re.compile(r"\S+")
_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]{{1,6}}|[^\w\s]")
_FOLD = {0x3000: 0x20} | {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula: exports put an apostrophe before it, and reading takes that away."""
QUESTION_MARKS = "?？"
STOPS = QUESTION_MARKS + "。！!；;"
"""What ends a sentence wherever it stands; a full stop ends one only before a blank (v2.1, 3.5 mm)."""
CLOSING = "”’」』）)】》\"'"
"""Quotation marks and brackets that belong to the sentence before them."""
SENTENCE_END = rf"(?:[{STOPS}]+[{CLOSING}]*|\.[{CLOSING}]*(?=\s|$))"
CLAUSE_END = r"(?:[，、：]|…+|[,:](?=\s))"
BORDERS = (r"\n\s*\n", r"\n", SENTENCE_END, CLAUSE_END, r"\s", "")
"""Patterns of the places where a text may be cut, best first: paragraph, line, sentence, clause, blank, anywhere."""
_SENTENCE = re.compile(rf"{SENTENCE_END}|\n+")
_QUOTED = re.compile(r"[\"“「《][^\"“”「」《》\n]*[\"”」》]")

MODES = {
    "search": Said("jieba, search mode"),
    "precise": Said("jieba, precise mode"),
    "full": Said("jieba, full mode"),
    "whitespace": Said("blanks only"),
    "character": Said("single characters"),
    "bigram": Said("pairs of characters"),
}
"""How runs of Han characters are cut: jieba's three modes, blanks only, single characters, pairs."""


class Token(NamedTuple):
    """A token and where it stands: ``text[start:end]`` of the original text."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Full-width forms to half-width, lower case; the result has the same length, position by position."""
    text = text.translate(_FOLD)
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.replace("ς", "σ")  # which of the two `lower` writes depends on the neighbours


def is_han(text: str) -> bool:
    """True where every character is a Han character."""
    return _HAN_RUN.fullmatch(text) is not None


@lru_cache(maxsize=8)
def _dictionary(user_words: tuple[str, ...]) -> rjieba.Jieba:
    """jieba's dictionary with these words added; analyzers that differ in other things share it."""
    import rjieba

    if not user_words:
        return rjieba._DEFAULT_JIEBA
    own = rjieba.Jieba()
    for word in user_words:
        own.add_word(fold(word), None, None)
    return own


@dataclass(frozen=True)
class Analyzer:
    """A specification of how text becomes tokens.

    ``mode`` is one of `MODES`; ``single`` keeps one-character Han tokens; ``stop_words`` are dropped (after
    folding); ``user_words`` are added to the dictionary of the three jieba modes.  ``pairs``: where one-character
    tokens are left out of the search and precise modes, two in a row stand as one token, so that names which
    the dictionary does not know can be found.  Raises `ParameterError` for an unknown mode.
    """

    key: ClassVar[str] = "analyzer"

    mode: str = knob(
        "search",
        choices=MODES,
        label=Said("Chinese is cut by"),
        help=Said("What a word is, for BM25 and TF-IDF. The page “Tokenizer lens” compares them."),
    )
    single: bool = knob(
        False, label=Said("Single characters"), help=Said("Also Han words of one character are looked up.")
    )
    stop_words: frozenset[str] = knob(
        frozenset(), kind="words", label=Said("Stop words"), help=Said("These are left out.")
    )
    user_words: tuple[str, ...] = knob(
        (), kind="words", label=Said("Own words"), help=Said("Added to the dictionary that cuts Chinese.")
    )
    pairs: bool = knob(
        True,
        label=Said("Pairs of single characters"),
        help=Said("Two that stand in a row are one token: names that no dictionary knows can be found."),
    )

    def __post_init__(self) -> None:
        one_of("mode", self.mode, MODES)

    def __reduce__(self) -> tuple[object, ...]:  # without the dictionary, which cannot be copied
        return Analyzer, (self.mode, self.single, self.stop_words, self.user_words, self.pairs)

    @cached_property
    def _jieba(self) -> rjieba.Jieba:
        return _dictionary(self.user_words)

    @cached_property
    def _cut(self) -> Callable[[str], list[str]]:
        """What cuts a run of Han characters in this mode."""
        if self.mode == "search":
            return self._jieba.cut_for_search
        if self.mode == "precise":
            return self._jieba.cut
        if self.mode == "full":
            return lambda run: [run[a:b] for a, b in self._full(run)]
        if self.mode == "bigram":
            return lambda run: [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        return list

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text, in order, as they stand in an index."""
        text = fold(text)
        if self.mode == "whitespace":
            return [t for t in text.split() if t not in self.stop_words]
        out: list[str] = []
        cut = self._cut
        keep_single = self.single or self.mode == "character"
        for m in _PIECES.finditer(text):
            piece = m.group()
            if m.lastgroup == "word":
                out.append(piece)
                if _JOINT.search(piece):
                    out += _PART.findall(piece)
            elif keep_single:
                out += cut(piece)
            else:
                before = ""  # the one-character token just before, if any
                for t in cut(piece):
                    alone = len(t) == 1
                    if not alone:
                        out.append(t)
                    elif before and self._joins:
                        out.append(before + t)
                    before = t if alone else ""
        return [t for t in out if t not in self.stop_words] if self.stop_words else out

    @property
    def _joins(self) -> bool:
        return self.pairs and self.mode in ("search", "precise")

    def only_pairs(self, query: str) -> bool:
        """Whether all that the query has are one-character tokens joined in pairs."""
        if self.single or not self._joins:
            return False
        return bool(self.tokens(query)) and not replace(self, pairs=False).tokens(query)

    def for_query(self, query: str) -> Analyzer:
        """The analyzer to use for this query: with one-character tokens where it has nothing else."""
        if self.single or self.mode in ("character", "whitespace") or self.tokens(query):
            return self
        with_single = replace(self, single=True)
        return with_single if with_single.tokens(query) else self

    def spans(self, text: str) -> Iterator[Token]:
        """The tokens with their places, in the order of `tokens`."""
        keep_single = self.single or self.mode == "character"
        pattern = _BLANK if self.mode == "whitespace" else _PIECES
        for m in pattern.finditer(fold(text)):
            found = [Token(m.group(), m.start(), m.end())]
            if m.lastgroup == "han":
                found = list(self._joined(self._han_spans(m.group(), m.start()), keep_single))
            elif m.lastgroup == "word" and _JOINT.search(m.group()):
                parts = _PART.finditer(m.group())
                found += [Token(p.group(), m.start() + p.start(), m.start() + p.end()) for p in parts]
            yield from (token for token in found if token.text not in self.stop_words)

    def _joined(self, tokens: Iterator[Token], keep_single: bool) -> Iterator[Token]:
        """The tokens of a run without those of one character, of which two in a row may be joined."""
        before: Token | None = None
        for token in tokens:
            alone = len(token.text) == 1 and not keep_single
            if not alone:
                yield token
            elif before and self._joins:
                yield Token(before.text + token.text, before.start, token.end)
            before = token if alone else None

    def _han_spans(self, run: str, offset: int) -> Iterator[Token]:
        if self.mode == "search":
            return (Token(w, offset + a, offset + b) for w, a, b in self._jieba.tokenize(run, "search"))
        if self.mode == "full":
            return (Token(run[a:b], offset + a, offset + b) for a, b in self._full(run))
        spans, at = [], 0
        for token in self._cut(run):
            spans.append(Token(token, offset + at, offset + at + len(token)))
            at += 1 if self.mode == "bigram" else len(token)
        return iter(spans)

    def _full(self, run: str) -> list[tuple[int, int]]:
        """Where the words of the full mode stand, in jieba's order: by start, then by length.

        rjieba names every dictionary word, one-character ones included, and leaves out characters that are
        in no word; jieba names a character only where the word before does not reach.
        """
        found: dict[int, list[int]] = {}
        at = length = 0
        for word in self._jieba.cut_all(run):  # by start, then by length: a word that is no longer starts later
            at = run.index(word, at if len(word) > length else at + 1)
            length = len(word)
            found.setdefault(at, []).append(at + length)
        spans, reached = [], 0
        for start in range(len(run)):
            ends = found.get(start, [start + 1])
            alone = len(ends) == 1 and start >= reached
            for end in ends:
                if alone or end > start + 1:
                    spans.append((start, end))
                    reached = end  # of the last word, as in jieba, not of the longest
        return spans


ANALYZER = partial(knob, Analyzer(), kind="spec", label=Said("Analyzer"), help=Said("How text becomes words."))
"""The field of an operator that needs words."""


def matches(text: str, words: frozenset[str] | set[str], analyzer: Analyzer) -> list[tuple[int, int]]:
    """Where the words of a query stand in a text: merged (start, end) pairs, for marking."""
    return joined((t.start, t.end) for t in analyzer.spans(text) if t.text in words)


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch made one."""
    out: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], b))
        else:
            out.append((a, b))
    return out


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of every sentence, in Chinese and English, without surrounding blanks; see `SENTENCE_END`."""
    ends = [m.end() for m in _SENTENCE.finditer(text)]
    out = []
    for a, b in zip([0, *ends], [*ends, len(text)], strict=True):
        piece = text[a:b]
        if piece.strip():
            out.append((a + len(piece) - len(piece.lstrip()), a + len(piece.rstrip())))
    return out


def pieces(text: str, size: int, *, length: Callable[[str], int] = len, borders: Sequence[str] = BORDERS) -> list[str]:
    """The text in parts of at most ``size``, cut at its best borders; joined, they are the text again.

    The way of LangChain's `RecursiveCharacterTextSplitter`: cut at every border of the best kind that there is, cut
    what is still too long at weaker ones, and join neighbours while they fit.
    """
    if length(text) <= size or not borders:
        return [text]
    best = next(i for i, border in enumerate(borders) if re.search(border, text))
    if borders[best]:
        ends = [m.end() for m in re.finditer(borders[best], text)]
    else:
        ends = list(range(0, len(text), size if length is len else 1))
    out: list[str] = []
    begin = at = filled = 0  # text[begin:at] waits for neighbours
    for end in (*ends, len(text)):
        part = text[at:end]
        room = max(1, length(part)) if part else 0  # a blank is no token, but must not make a part endless
        if begin < at and (filled + room > size or room >= size):
            out.append(text[begin:at])
            begin, filled = at, 0
        if room >= size:
            out += pieces(part, size, length=length, borders=borders[best + 1 :])
            begin = end
        else:
            filled += room
        at = end
    return [*out, text[begin:]] if begin < len(text) else out


def count_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text; real tokenizers differ by a quarter either way.

    One per Han character, one per punctuation mark, and one per six letters begun of every other word.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def well_formed(text: str) -> str:
    """The text without lone surrogates (half characters of broken files), which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: str) -> str:
    """A text without case, blanks and punctuation, for comparisons."""
    return "".join(c for c in text.casefold() if c.isalnum())


def language_of(text: str) -> str:
    """``zh`` where the text has any Han character, else ``en``; what stands in quotes does not count beside words."""
    outside = _QUOTED.sub("", text)
    return "zh" if _HAN_RUN.search(outside if plain(outside) else text) else "en"


def width(text: str) -> int:
    """Columns of a text in a fixed pitch: a wide character takes two, a combining one none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int | None = None) -> str:
    """A text in one line without control characters, as much of it as fits into so many columns."""
    text = " ".join("".join(c for c in text if c.isspace() or unicodedata.category(c)[0] != "C").split())
    if columns is None or width(text) <= columns:
        return text
    reached = accumulate(map(width, text))
    end = next(i for i, used in enumerate(reached) if used >= columns)  # the ellipsis takes a column as well
    return text[: max(end, 1)].rstrip() + "…"
