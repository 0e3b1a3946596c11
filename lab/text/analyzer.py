"""From text to tokens: one analyzer for Chinese and English, with the position of every token in the text.

Default for search: runs of Han characters go through jieba's search mode (by rjieba: the same dictionary,
much faster); everything else is lower-cased words that keep their inner ``-``, ``_`` and ``.`` together *and*
split, at these signs and where letters meet digits, so that ``WH-1000XM5`` is found by ``wh-1000xm5``, by ``1000xm5``
and by ``1000``; ``C++``, ``C#`` and ``.NET`` are words.  Characters that look the same are equal (`fold`): accents in
one or two code points, ligatures, full and half width; every token keeps its position in the original text.
In addition to the words, every two neighbouring Han characters and every single one are tokens of their own kinds.

The three jieba modes equal jieba's on U+4E00 to U+9FD5, which is what jieba takes for Chinese, with one
exception: if two segmentations of an unknown word are equally likely to the last digit, the two may choose
differently (once in 46,774 different runs of Wikipedia text).  Rarer characters (the extensions) are outside
jieba's tables: jieba mostly separates them, here they may form one token.
"""

from __future__ import annotations

import math
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain, compress, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from lab.algebra import checked, knob
from lab.kept import Shared
from lab.patterns import lazy_pattern
from lab.text.asking import QUESTION_CHARACTERS, QUESTIONS, asker_words
from lab.text.folding import (
    PLAIN,
    Folded,
    character_codes,
    characters_of,
    folded,
    han_codes,
    is_han,
    keeps_places,
    simplified,
    simplified_table,
)
from lab.text.mixed import JIEBA_WORDS, MixedWords
from lab.text.variants import regional_words, variants
from lab.text.writing import HAN, WORD, Part, changed, changes, parts, without_joints
from lab.words import Said

if TYPE_CHECKING:
    import numpy as np
    import rjieba
    from numpy.typing import NDArray

_HAN_PAIR = lazy_pattern(f"[{HAN}]_[{HAN}]")
_SIGNED = rf"[a-z](?:\+\+|\#)|(?<!\.)\.net(?![^\W{HAN}])"  # C++, C#, F#, .NET
_PIECES = lazy_pattern(rf"(?P<han>[{HAN}]+)|(?P<word>{_SIGNED}|{WORD}(?:[-_.]+{WORD})*)")
_OTHERS = lazy_pattern(rf"\t|{_SIGNED}|{WORD}(?:[-_.]+{WORD})*")
_SIGNS = "-_.+#"
"""Characters that join words or belong to them."""
_BLANK = lazy_pattern(r"\S+")
MODES = {
    "search": Said("jieba, search mode"),
    "precise": Said("jieba, precise mode"),
    "full": Said("jieba, full mode"),
    "whitespace": Said("whitespace only"),
    "character": Said("single characters"),
    "bigram": Said("pairs of characters"),
    "string": Said("one joined string (a mistake)"),
}
"""How runs of Han characters are tokenized: jieba's three modes, whitespace, single characters, bigrams, a mistake."""

BLANK_TERM = "␣"
"""The space between two words, as a term of the mode ``string``."""


JIEBA = ("search", "precise", "full")
"""The modes that use a dictionary."""
_WITHOUT_OTHERS = ("character", "whitespace", "string")
"""The modes that do not search a query without words by its characters instead."""


class Token(NamedTuple):
    """A token and its position: ``text[start:end]`` of the original text.

    ``text`` is the term as in an index (`surface` makes it readable), ``kind`` one of ``word``, ``part`` (of a
    word, see `parts`), ``joined`` (a word without its hyphens), ``pair`` (of neighbouring Han characters) and
    ``character``.
    """

    text: str
    start: int
    end: int
    kind: str = "word"


def known_word(text: str) -> bool:
    """Returns whether jieba's dictionary has this word."""
    return bool(jieba_dictionary().has_word(text))


def surface(term: str) -> str:
    """Returns a term in readable form: a pair of neighbouring characters without the sign that joins them."""
    return term.replace("_", "") if _HAN_PAIR.fullmatch(term) else term


STEMS = {
    "none": Said("none"),
    "s": Said("plural s"),
    "porter": Said("Porter"),
    "snowball": Said("Snowball"),
}
"""How endings are removed from English words."""


def s_stem(word: str) -> str:
    """The word without the s of its plural: the first of three rules that fits, for words of three letters or more.

    Source: D. Harman, *How Effective Is Suffixing?*, 1991.
    """
    if len(word) < 3:
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith(("us", "ss")) else word


def _stemmer(stem: str) -> Callable[[str], str]:
    """Returns a function that stems a word of Latin letters. Source: M. Porter, *Snowball*, 2001, by PyStemmer.

    Porter's own program leaves words of one and two letters alone; Snowball's ``porter`` makes nothing of s.
    """
    if stem in ("none", "s"):
        return s_stem if stem == "s" else str
    import Stemmer

    machine, lock = Stemmer.Stemmer("english" if stem == "snowball" else stem, 0), threading.Lock()

    def make(word: str) -> str:
        if len(word) <= 2:
            return word
        with lock:  # the stemmer has one buffer
            return str(machine.stemWord(word))

    return make


REMEMBERED = 1 << 24
"""About how many bytes of words an analyzer caches; when there are more, the cache is emptied."""


class _Latin(dict[str, tuple[str, ...]]):
    """A cache of the terms of a piece of text without Han characters: its words and their `parts`, each stemmed."""

    shared = True  # see `lab.footprint`

    def __init__(self, stem: str, stop_words: frozenset[str], parts: Callable[[str], Iterable[Part]]) -> None:
        self.make, self.stop_words, self.parts = _stemmer(stem), stop_words, parts
        self.bytes = 0

    def __missing__(self, piece: str) -> tuple[str, ...]:
        words = [w for word in _OTHERS.findall(piece) for w in (word, *(part.text for part in self.parts(word)))]
        terms = tuple(self.stem(w) for w in words if w not in self.stop_words)
        size = 100 + sum(map(sys.getsizeof, (piece, terms, *terms)))  # the table itself takes about 100 bytes per entry
        if size > REMEMBERED >> 10:
            return terms
        if self.bytes + size > REMEMBERED:
            self.clear()
            self.bytes = 0
        self[piece] = terms
        self.bytes += size
        return terms

    def stem(self, word: str) -> str:
        """Returns the stem of a word of Latin letters; accents, numbers and product names stay unchanged."""
        return self.make(word) if word.isascii() and word.isalpha() else word


_DICTIONARIES = Shared(4, quick=math.inf)
"""The last dictionaries of jieba, 30 MB each; after ten minutes without a use they go."""


def jieba_dictionary(user_words: tuple[str, ...] = ()) -> rjieba.Jieba:
    """Returns jieba's dictionary with these words added; analyzers that differ in other things share it."""

    def read(_: object) -> rjieba.Jieba:
        import rjieba

        sys.modules.pop("rjieba", None)  # it would hold its dictionary for ever; the next import reads a new one
        dictionary = rjieba.Jieba() if user_words else rjieba._DEFAULT_JIEBA
        for word in user_words:
            dictionary.add_word(word, None, None)
        return dictionary

    shared: rjieba.Jieba = _DICTIONARIES.once(user_words, read, None)
    return shared


@dataclass(frozen=True)
class Analyzer:
    """A specification of how text becomes tokens.

    ``mode`` is one of `MODES`; ``single`` keeps one-character Han tokens; ``stop_words`` are dropped (after folding,
    before stemming); ``user_words`` are added to the dictionary of the three jieba modes (with other letters or
    digits, as 5G手机, they are terms beside their parts). ``pairs``: where one-character tokens are left out of the
    search and precise modes, two in a row form one token, so that names missing from the dictionary can be found.
    ``bigrams``: in the jieba modes every pair of neighbouring Han characters is a token as well, written ``电_池``,
    after all words. ``characters``: in the same modes every Han character is one, after all pairs; ``single`` has
    nothing to add then. ``numbers``: runs of letters and of digits inside a word are tokens as well (see `parts`),
    ``units``: a number and its unit, too, ``joined``: a word without its hyphens. ``separators`` removes the commas
    from 1,000, ``accents`` makes é an e; the positions of tokens refer to the original text. ``questions``: the words
    of `QUESTIONS` are stop words, too, unless a query has nothing else. ``stem`` is one of `STEMS`, ``simplified``
    reads traditional characters as their simplified ones, ``regional`` the words of Taiwan and Hong Kong as the
    mainland's then, too. Raises `ParameterError` for an unknown mode or stem.

    The mode ``string`` makes the mistake of a tokenizer that returns ``" ".join(words)`` where a list is expected: the
    string is taken for a list of its characters, so every character of every word is a term, and the space between two
    words is `BLANK_TERM`.  Stems and parts of words do not exist in this mode.
    """

    key: ClassVar[str] = "analyzer"

    mode: str = knob(
        "search",
        choices=MODES,
        label=Said("Chinese tokenizer"),
        help=Said("What counts as a word for BM25 and TF-IDF."),
    )
    single: bool = knob(
        False,
        label=Said("Single-character words"),
        help=Said("Also indexes Han words of one character. No effect if all characters are indexed."),
    )
    stop_words: frozenset[str] = knob(
        frozenset(), kind="words", label=Said("Stop words"), help=Said("These words are left out.")
    )
    user_words: tuple[str, ...] = knob(
        (),
        kind="words",
        label=Said("Added dictionary words"),
        help=Said("Added to the dictionary of the Chinese tokenizer."),
    )
    pairs: bool = knob(
        True,
        label=Said("Join single characters"),
        help=Said(
            "Two neighbouring single characters become one term, so that names missing from the "
            "dictionary can be found. No effect if all pairs are used."
        ),
    )
    bigrams: bool = knob(
        True,
        label=Said("All pairs of characters"),
        help=Said(
            "Adds every two neighbouring Han characters as a term beside jieba's words: a wrong word "
            "boundary costs less."
        ),
    )
    stem: str = knob(
        "snowball",
        choices=STEMS,
        label=Said("English stems"),
        help=Said("Endings removed from English words: battery and batteries become one term."),
    )
    simplified: bool = knob(
        True,
        label=Said("Fold traditional to simplified"),
        help=Said("电池 finds 電池, 了解 finds 瞭解, and the reverse; the text stays unchanged."),
    )

    numbers: bool = knob(
        True,
        label=Said("Split letters and digits"),
        help=Said(
            "Indexes letters and digits inside a word as separate terms, too: 7200 finds AX7200N, 1950 finds 1950s."
        ),
    )
    questions: bool = knob(
        True,
        label=Said("Question-word filter"),
        help=Said(
            "Ignores how, what, 怎么, 什么: rare in texts that answer, they would weigh as much as rare topics. A "
            "question made only of such words keeps them."
        ),
    )
    characters: bool = knob(
        True,
        label=Said("All single characters"),
        help=Said(
            "Adds every Han character as a term beside words and bigrams: 电 finds 手机电池, and different "
            "phrasings match."
        ),
    )
    joined: bool = knob(
        True,
        label=Said("Join hyphenated words"),
        help=Said("Indexes Wi-Fi as wifi, too, and U.S. as us: either writing finds the other."),
    )
    separators: bool = knob(
        True,
        label=Said("Drop thousands separators"),
        help=Said("Reads 1,000 as 1000. Off: 1 and 000 are two terms."),
    )
    units: bool = knob(
        True,
        label=Said("Split numbers and units"),
        help=Said("Indexes 3.5mm as 3.5 and mm, too: 3.5 mm finds it, and 3.9mm no longer equals it."),
    )
    accents: bool = knob(
        False,
        label=Said("Ignore accents"),
        help=Said("Reads café as cafe. Latin letters only; words that differ by an accent become one term."),
    )

    regional: bool = knob(
        False,
        label=Said("Fold regional vocabulary"),
        help=Said("滑鼠 finds 鼠标, 軟體 finds 软件. No effect unless traditional characters are folded."),
    )

    asker: bool = knob(
        True,
        label=Said("Asker-word filter"),
        help=Said("Ignores I, my, you, 我, 请问 in questions: passages in the first person would win by them."),
    )

    def __post_init__(self) -> None:
        checked(self)

    def __reduce__(self) -> tuple[object, ...]:  # without the dictionary, which cannot be copied
        return Analyzer, tuple(getattr(self, f.name) for f in fields(self))

    def read(self, text: str) -> Folded:
        """Returns the text in the form that is tokenized: folded, in the selected characters and spelling."""
        read = simplified(text) if self.simplified else folded(text)
        return read.changed(self._changes(read.text))

    def _changes(self, text: str) -> list[tuple[int, int, str]]:
        """Returns the replacements in a folded text, in their order."""
        places = changes(text, separators=self.separators, accents=self.accents)
        return sorted([*places, *regional_words(text)]) if self.simplified and self.regional else places

    def word(self, text: str, token: Token) -> str:
        """Returns a token of this text in readable form, before stemming."""
        if is_han(surface(token.text)):  # the form of a character may depend on those around it
            return surface(token.text)
        read = self.read(text[token.start : token.end]).text
        return without_joints(read) if token.kind == "joined" else read

    @cached_property
    def _stops(self) -> frozenset[str]:
        words = {self.read(word).text for word in self.stop_words} - {"\t"}  # see `tokens`
        words |= QUESTIONS if self.questions else set()
        return frozenset(words | {"_".join(word) for word in words if len(word) == 2 and is_han(word)})

    @cached_property
    def _stopped(self) -> re.Pattern[str] | None:
        """A pattern of the stop words that have several Han characters; None if there are none."""
        words = sorted((word for word in self._stops if len(word) > 1 and is_han(word)), key=len, reverse=True)
        return re.compile("|".join(words)) if words else None

    @cached_property
    def _user_words(self) -> tuple[str, ...]:
        return tuple(self.read(word).text for word in self.user_words)

    @property
    def _jieba(self) -> rjieba.Jieba:
        return jieba_dictionary(self._user_words)

    @cached_property
    def _mixed(self) -> MixedWords:
        """The words of Han and other characters, which are kept beside their parts."""
        return MixedWords([*self._user_words, *self.read(JIEBA_WORDS).text.split()] if self.mode in JIEBA else [])

    @cached_property
    def _latin(self) -> _Latin:
        return _Latin(self.stem, self._stops, self._parts)

    @cached_property
    def _parts(self) -> Callable[[str], Iterable[Part]]:
        return partial(parts, numbers=self.numbers, joined=self.joined, units=self.units)

    @property
    def _keeps_single(self) -> bool:
        return self.mode == "character" or (self.single and not self._each)

    @property
    def _joins(self) -> bool:
        return self.pairs and not self._crosses and self.mode in ("search", "precise")

    @property
    def _crosses(self) -> bool:
        return self.bigrams and self.mode in JIEBA

    @property
    def _each(self) -> bool:
        return self.characters and self.mode in JIEBA

    def tokens(self, text: str) -> list[str]:
        """Returns the tokens of a text as in an index: words in their order, then pairs, then characters."""
        text, latin, stops = self.read(text).text, self._latin, self._stops
        if self.mode == "string":
            return [t.text for t in self._of_joined(text)]
        if self.mode == "whitespace":
            return [latin.stem(t) for t in text.split() if t not in stops]
        runs: list[str] = []
        words: list[str] = []
        borders, end = list[int](), -1
        for m in _PIECES.finditer(text):
            if m.start() == end:
                borders.append(end)
            end = m.end()
            if m.lastgroup == "han":
                runs.append(m[0])
            else:
                runs.append("\t")
                words.append(m[0])
        if len(runs) == len(words):
            return [t for word in words for t in latin[word]]
        terms = self._han_words("\n".join(runs))
        if stops:
            terms = [t for t in terms if t not in stops]
        if words:
            other_words = iter(words)
            terms = [t for w in terms for t in (latin[next(other_words)] if w == "\t" else (w,))]
        whole = (text[a:b] for a, b in self._mixed.spans(text, borders)) if borders else ()
        terms += [t for t in whole if t not in stops]
        if self._crosses:
            pairs = [f"{a}_{b}" for run in runs for a, b in pairwise(run)]
            terms += [t for t in pairs if t not in stops] if stops else pairs
        if self._each:
            characters = "\n".join(runs)
            if self._stopped:
                characters = self._stopped.sub("", characters)
            terms += [t for t in characters if t > "\n" and t not in stops]
        return terms

    def many(self, texts: Iterable[str]) -> Iterator[tuple[list[str] | Pairs, NDArray[np.int64] | None]]:
        """Yields the tokens of some thousand texts at once, which is faster: kind by kind, a tab after each text.

        If every term is given once, the second value has each token's position in that list, in text order.
        """
        import numpy as np  # not at the top, so that the command line can show its help without it

        if self.mode not in ("search", "precise"):
            yield [t for text in texts for t in (*self.tokens(text), "\t")], None
            return
        text = self.read_together(texts)
        codes = character_codes(text)
        latin, stops = self._latin, self._stops
        han, tab = han_codes()[codes], codes == 9
        runs = _shrunk(codes, ~(han | tab), "\n")
        words = self._han_words(runs)
        yield [t for t in words if t not in stops] if stops else words, None
        in_words = _in_words(codes)
        other_pieces = _shrunk(codes, ~(tab | in_words), " ").replace("\t", " \t ").split(" ")
        yield [*chain.from_iterable(map(latin.__getitem__, other_pieces))], None
        borders = np.flatnonzero((han[1:] & in_words[:-1]) | (in_words[1:] & han[:-1])) + 1
        if spans := [*self._mixed.spans(text, self._mixed.borders(codes, borders))]:
            ends = sorted([*((a, text[a:b]) for a, b in spans), *((i, "\t") for i in np.flatnonzero(tab).tolist())])
            yield [t for _, t in ends if t not in stops], None
        if not len(codes) or not (self._crosses or self._each):
            return
        signs, place = _numbered(codes, han | tab)
        if self._crosses:
            at = np.flatnonzero(np.append(False, han[:-1] & han[1:]) | tab)
            first, second = np.where(tab[at], 0, place[at - 1]), place[at]
            order = np.argsort(second, kind="stable")  # by the second, then by the first: linear for small integers
            order = order[np.argsort(first[order], kind="stable")]
            first, second = first[order], second[order]
            new = np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1]))
            which = np.empty(len(at), np.int64)
            which[order] = np.cumsum(new) - 1
            numbers = signs[first[new]] << 32 | signs[second[new]]
            numbers[0] = 0  # a tab, which is less than all Han characters
            is_kept = ~np.isin(numbers, [ord(t[0]) << 32 | ord(t[2]) for t in stops if _HAN_PAIR.fullmatch(t)])
            yield Pairs(numbers[is_kept]), which if is_kept.all() else (np.cumsum(is_kept) - 1)[which[is_kept[which]]]
        if self._each:
            if self._stopped:
                codes = character_codes(self._stopped.sub("\n", runs))
                han, tab = han_codes()[codes], codes == 9
                signs, place = _numbered(codes, han | tab)
            yield _without(stops, [*map(chr, signs.tolist())], place[han | tab].astype(np.int64))

    def read_together(self, texts: Iterable[str]) -> str:
        """Returns the texts as `read` returns them, each followed by a tab (and none inside)."""
        table, texts = simplified_table() if self.simplified else PLAIN, [text.replace("\t", " ") for text in texts]
        plain = table.put_long("\t".join([*texts, ""])).lower().replace("ς", "σ").split("\t")
        read = "".join(
            f"{new if keeps_places(new, text) else self.read(text).text}\t"
            for text, new in zip(texts, plain, strict=False)
        )
        read = variants().put(read) if self.simplified else read
        return changed(read, self._changes(read))

    def _han_words(self, runs: str) -> list[str]:
        """Returns the words of runs of Han characters, one run per line; a line with a tab remains one."""
        cut = self._cut(runs)
        if self._keeps_single:
            return [t for t in cut if t != "\n"]
        if not self._joins:
            return [t for t in cut if len(t) > 1 or t == "\t"]
        words, before = [], ""  # the one-character token just before, if any
        for t in cut:
            if len(t) > 1 or t == "\t":
                words.append(t)
                before = ""
            elif t == "\n":
                before = ""
            else:
                if before:
                    words.append(before + t)
                before = t
        return words

    @property
    def _cut(self) -> Callable[[str], list[str]]:
        """The function that tokenizes lines of Han characters in this mode, line ends included."""
        if self.mode == "search":
            return self._jieba.cut_for_search
        if self.mode == "precise":
            return self._jieba.cut
        return lambda lines: [t for line in lines.split("\n") for t in (*(w for w, _, _ in self._words(line)), "\n")]

    @cached_property
    def _asked(self) -> dict[str, str]:
        return {}

    def without_asker(self, query: str) -> str:
        """Returns a query with spaces in place of the words of the asker; unchanged if it has no other words."""
        if not self.asker or self.mode in ("whitespace", "string"):
            return query
        known = self._asked.get(query)
        if known is None:
            bare = self.blank_asker(query)
            known = bare if bare == query or self._of_query(bare) else query
            self._asked.clear()
            self._asked[query] = known
        return known

    def blank_asker(self, text: str) -> str:
        """Returns a text with spaces in place of all words of the asker, if they are to be ignored."""
        if not self.asker:
            return text
        for start, end in asker_words(text, lambda run: self._jieba.tokenize(simplified(run).text, "default")):
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    @cached_property
    def _query_cache(self) -> dict[str, tuple[Token, ...]]:
        return {}

    def _of_query(self, query: str) -> tuple[Token, ...]:
        """Returns the first tokens of a query, until there are two and one is not a pair: no caller needs more.

        The tokens of the last query are cached, because every step of a search uses them.
        """
        tokens = self._query_cache.get(query)
        if tokens is None:
            first = list[Token]()
            for token in self.spans(query):
                first.append(token)
                if len(first) > 1 and any(t.kind != "pair" for t in first):
                    break
            tokens = tuple(first)
            self._query_cache.clear()
            self._query_cache[query] = tokens
        return tokens

    def only_pairs(self, query: str) -> bool:
        """Returns whether the query has only pairs of characters, which need not be words."""
        if self.single or not (self._joins or self._crosses):
            return False
        return {t.kind for t in self._of_query(query)} == {"pair"}

    def for_query(self, query: str) -> Analyzer:
        """Returns the analyzer for this query: with question words, or by characters, if it has nothing else."""
        tokens = self._of_query(query)
        if self.questions and len(tokens) < 2 and all(t.text in QUESTION_CHARACTERS for t in tokens):
            asking = replace(self, questions=False).for_query(query)
            return asking if asking.tokens(query) else self
        only_character = not tokens or (len(tokens) == 1 and tokens[0].kind == "character")
        if not only_character or self._each or self.mode in _WITHOUT_OTHERS:
            return self
        by_character = replace(self, mode="character")
        return by_character if by_character.tokens(query) else self

    def alternatives(self) -> Iterator[tuple[Analyzer, frozenset[str] | None]]:
        """Yields the analyzers that may replace this one for a query (`for_query`, `only_pairs`).

        Each comes with the possible terms of such a query, or the characters that all its terms have; None: any.
        """
        asking, single = replace(self, questions=False), self.mode not in _WITHOUT_OTHERS and not self._each
        words = {t for word in QUESTIONS for t in asking.tokens(word)} | {BLANK_TERM}
        if self.questions:
            yield asking, frozenset(words | QUESTION_CHARACTERS)
        if single:
            yield replace(self, mode="character"), None
        if single and self.questions:  # a text without any words has no words except question words
            yield replace(asking, mode="character"), None
        stopped = frozenset(c for word in self._stops if is_han(word) for c in word)
        if self._each and stopped and not self.single and (self._joins or self._crosses):
            yield replace(self, mode="character"), stopped

    def spans(self, text: str) -> Iterator[Token]:
        """Yields the tokens with their positions in the original text, in the order of `tokens`."""
        read, stops, stem = self.read(text), self._stops, self._latin.stem
        if self.mode == "string":
            yield from (Token(t.text, *read.place(t.start, t.end), t.kind) for t in self._of_joined(read.text))
            return
        for term, start, end, kind in self._places(read.text):
            if term not in stops:
                yield Token(stem(term), *read.place(start, end), kind)

    def _places(self, text: str) -> Iterator[Token]:
        """Yields the tokens of a folded text, before stop words are dropped and stems are made."""
        pattern = _BLANK if self.mode == "whitespace" else _PIECES
        runs, borders, end = [], list[int](), -1
        for m in pattern.finditer(text):
            if m.start() == end:
                borders.append(end)
            end = m.end()
            if m.lastgroup == "han":
                runs.append(m)
                yield from self._joined(self._words(m[0]), m.start())
                continue
            yield Token(m[0], m.start(), m.end())
            for part in self._parts(m[0]) if m.lastgroup == "word" else ():
                yield Token(part.text, m.start() + part.start, m.start() + part.end, part.kind)
        yield from (Token(text[a:b], a, b) for a, b in (self._mixed.spans(text, borders) if borders else ()))
        for m in runs if self._crosses else ():
            for i, (a, b) in enumerate(pairwise(m[0]), m.start()):
                yield Token(f"{a}_{b}", i, i + 2, "pair")
        for m in runs if self._each else ():
            stopped = {i for stop in self._stopped.finditer(m[0]) for i in range(*stop.span())} if self._stopped else ()
            for i, a in enumerate(m[0]):
                if i not in stopped:
                    yield Token(a, m.start() + i, m.start() + i + 1, "character")

    def _of_joined(self, text: str) -> Iterator[Token]:
        """Yields the characters of the words of a folded text, and the spaces that join the words.

        Stop words are left out before the words are joined, and again among the characters.  The position of a space
        is the gap between its words; if they touch, it is the two characters next to the border.
        """
        stops, before = self._stops, -1
        for m in _PIECES.finditer(text):
            words = self._jieba.tokenize(m[0], "default") if m.lastgroup == "han" else [(m[0], 0, len(m[0]))]
            for word, a, b in words:
                if word in stops:
                    continue
                start = m.start() + a
                if before >= 0 and BLANK_TERM not in stops:
                    touch = int(before == start)
                    yield Token(BLANK_TERM, before - touch, start + touch, "pair")
                yield from (Token(c, i, i + 1, "character") for i, c in enumerate(word, start) if c not in stops)
                before = m.start() + b

    def _joined(self, words: Iterable[tuple[str, int, int]], offset: int) -> Iterator[Token]:
        """Yields the words of a run, without those of one character; two of these in a row may be joined."""
        before = None
        for word, a, b in words:
            is_single = len(word) == 1
            if not is_single or self._keeps_single:
                kind = "character" if is_single else "pair" if self.mode == "bigram" else "word"
                yield Token(word, offset + a, offset + b, kind)
            elif before and self._joins:
                yield Token(before[0] + word, offset + before[1], offset + b, "pair")
            before = (word, a) if is_single else None

    def _words(self, run: str) -> Iterable[tuple[str, int, int]]:
        """Returns the words of a run of Han characters with their positions in it, one-character words included."""
        if self.mode in ("search", "precise"):
            return self._jieba.tokenize(run, "search" if self.mode == "search" else "default")
        if self.mode == "full":
            return [(run[a:b], a, b) for a, b in self._full(run)]
        size = min(2 if self.mode == "bigram" else 1, len(run))
        return [(run[i : i + size], i, i + size) for i in range(len(run) - size + 1)]

    def _full(self, run: str) -> list[tuple[int, int]]:
        """Returns the positions of the words in full mode, in jieba's order: by start, then by length.

        rjieba returns every dictionary word, one-character ones included, and leaves out characters that are
        in no word; jieba returns a character only if the previous word does not reach it.
        """
        ends_by_start: dict[int, list[int]] = {}
        at = length = 0
        for word in self._jieba.cut_all(run):  # by start, then by length: if a word is not longer, it starts later
            at = run.index(word, at if len(word) > length else at + 1)
            length = len(word)
            ends_by_start.setdefault(at, []).append(at + length)
        spans, reached = [], 0
        for start in range(len(run)):
            ends = ends_by_start.get(start, [start + 1])
            uncovered = len(ends) == 1 and start >= reached
            for end in ends:
                if uncovered or end > start + 1:
                    spans.append((start, end))
                    reached = end  # the end of the last word, as in jieba, not of the longest
        return spans


class Pairs:
    """Pairs of neighbouring Han characters, ``电_池``, by their numbers: 2³² times one code point, plus the other.

    Strings are made only when they are read, since making them all takes longer than all other work with pairs.
    The number 0 is a tab.
    """

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        import numpy as np

        a_b = np.full((len(self.numbers), 4), [0, ord("_"), 0, 9], np.uint32)  # a_b, a tab: all written in one go
        a_b[:, 0], a_b[:, 2] = self.numbers >> 32, self.numbers & 0xFFFFFFFF
        return ("\t" if pair[0] == "\0" else pair for pair in characters_of(a_b).split("\t")[:-1])


def _in_words(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Returns whether each character may be in a word that is not Han: letters, digits, signs of words."""
    import numpy as np

    known = np.zeros(0x110000, np.bool_)
    known[codes] = True
    known[[c for c in np.flatnonzero(known).tolist() if not (chr(c).isalnum() or chr(c) in _SIGNS)]] = False
    return (known & ~han_codes())[codes]


def _shrunk(codes: NDArray[np.uint32], away: NDArray[np.bool_], sign: str) -> str:
    """Returns the text with one sign instead of each run of characters to be removed."""
    import numpy as np

    is_kept = ~away
    is_kept[1:] |= ~away[:-1]  # the first of a run; losing the first character of the text does not matter
    return characters_of(np.where(away, np.uint32(ord(sign)), codes)[is_kept])


def _numbered(codes: NDArray[np.uint32], selected: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """Returns the distinct selected characters, by their code points, and the number of each character among them."""
    import numpy as np

    known = np.zeros(0x110000, np.bool_)
    known[codes[selected]] = True
    signs = np.flatnonzero(known)
    return signs, (np.cumsum(known, dtype=np.min_scalar_type(len(signs))) - 1)[codes]


def _without(stops: frozenset[str], terms: list[str], which: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
    """Returns terms and positions in the list, without the stop words."""
    import numpy as np

    if stops.isdisjoint(terms):
        return terms, which
    is_kept = np.array([t not in stops for t in terms])
    return list(compress(terms, is_kept)), (np.cumsum(is_kept) - 1)[which[is_kept[which]]]


cutting = partial(
    Analyzer,
    bigrams=False,
    stem="none",
    simplified=False,
    numbers=False,
    questions=False,
    characters=False,
    joined=False,
    separators=False,
    units=False,
    asker=False,
)
"""An analyzer that only tokenizes: words unchanged, apart from the parameters given."""

_FIELD = partial(knob, kind="spec", label=Said("Analyzer"), help=Said("How text becomes words."))
ANALYZER = partial(_FIELD, Analyzer())
"""The analyzer field of an operator that needs words."""
PAIRS = partial(_FIELD, Analyzer(characters=False))
"""The analyzer field for checking whether a word occurs: a passage has most characters of any question."""
WHOLE_WORDS = partial(_FIELD, Analyzer(bigrams=False, numbers=False, questions=False, characters=False, asker=False))
"""The analyzer field for counting words: neither a pair of characters nor a part of a word is a word."""


def matches(text: str, words: Set[str], analyzer: Analyzer) -> list[tuple[int, int]]:
    """Returns where the words of a query occur in a text: merged (start, end) pairs, for marking."""
    return joined((t.start, t.end) for t in analyzer.spans(text) if t.text in words)


def whole_words(tokens: Iterable[Token]) -> list[Token]:
    """Returns the tokens that are not inside a longer one, in the order of the text: 人工智能 without 人工 and 智能."""
    whole, end = list[Token](), 0
    for token in sorted(tokens, key=lambda t: (t.start, -t.end)):
        if token.end > end:
            whole.append(token)
            end = token.end
    return whole


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the spans in order, with overlapping or touching ones merged."""
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], b))
        else:
            merged.append((a, b))
    return merged
