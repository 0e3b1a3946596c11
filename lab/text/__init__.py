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

import re
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, compress, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from lab.algebra import checked, knob
from lab.text.writing import HAN, WORD, Part, changed, changes, parts, respelled, without_joints
from lab.words import Said

if TYPE_CHECKING:
    import numpy as np
    import rjieba
    from numpy.typing import NDArray

_HAN_RUN = re.compile(f"[{HAN}]+")
_HAN_PAIR = re.compile(f"[{HAN}]_[{HAN}]")
_SIGNED = rf"[a-z](?:\+\+|\#)|(?<!\.)\.net(?![^\W{HAN}])"  # C++, C#, F#, .NET
_PIECES = re.compile(rf"(?P<han>[{HAN}]+)|(?P<word>{_SIGNED}|{WORD}(?:[-_.]+{WORD})*)")
_OTHERS = re.compile(rf"\t|{_SIGNED}|{WORD}(?:[-_.]+{WORD})*")
_SIGNS = "-_.+#"
"""Characters that join words or belong to them."""
_BLANK = re.compile(r"\S+")
_DOTS = re.compile("i\u0307+")  # İ in lower case
_LETTERS = re.compile(rf"(?P<han>[{HAN}]+)|[^\W\d_{HAN}]+")
_NO_WORDS = re.compile(
    r"""^[ ]{0,3}(```+|~~~+).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)      # a block of code
    | ^[^\n]*(?:[{}]|=>|->)[ \t]*$                               # a line of code
    | ^(?![^\n]*\b[a-z]+[ ][a-z]+[ ][a-z]+[ ][a-z]+\b)[^\n]*(?:=|\w[(\[])[^\n]*;[ \t]*$
    | `[^`\n]+` | <!--.*?--> | </?[a-zA-Z][^<>]*>                # code inside a line, comments, tags
    | \b[a-zA-Z][a-zA-Z+.-]{1,15}://\S+ | \bwww\.\S+ | \S+@\S+\.\w+  # addresses""",
    re.DOTALL | re.MULTILINE | re.VERBOSE | re.ASCII,
)
_IDENTIFIERS = re.compile(
    r"(?<![\w./\\-])(?=[A-Za-z0-9.-]*[\\/_][./\\-]*\w)[\w./\\-]*\w"
    r"|\b[a-z]+(?:[A-Z][a-z]*)+\b|\b\w+(?:\.\w+)+|\b[a-zA-Z_]+\d\w*\b",
    re.ASCII,
)
"""Paths, names_like_this, namesLikeThis, names.like.this, v2."""
_CODE_SIGNS = re.compile(r"[`<{};\\/_@]|->|\w\.\w|[a-z][A-Z]|[a-zA-Z]\d", re.ASCII)
"""A text without any of these has no links, code or identifiers."""
_TOKEN = re.compile(rf"[{HAN}]|[^\W{HAN}]{{1,6}}|[^\w\s]")

_WIDTH = (
    {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
    | dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], 0x20)
    | dict.fromkeys([0x2010, 0x2011], ord("-"))
    | {0xB5: 0x3BC}
)
"""Single characters replaced by one other character: full-width forms, spaces, hyphens, the micro sign."""
_UNSEEN: dict[int, None] = dict.fromkeys(
    [
        0xAD,
        0x34F,
        0x61C,
        0x115F,
        0x1160,
        0x3164,
        0xFFA0,
        *range(0x180B, 0x1810),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
    ]
    + [*range(0x2060, 0x2070), *range(0xFE00, 0xFE10), 0xFEFF, *range(0xE0000, 0xE0200)]
)
"""Invisible characters: soft hyphens, zero-width signs, fillers, directions, variants of a character."""


class _Table(dict[int, int | str | None]):
    """A table for `str.translate`, which is slow on a text with few characters of the table."""

    @cached_property
    def _signs(self) -> re.Pattern[str]:
        """The characters of the table; above the basic plane all, since a class of such characters is slow."""
        return re.compile(f"[{''.join(re.escape(chr(c)) for c in self if c < 0x10000)}\U00010000-\U0010ffff]")

    def put(self, text: str) -> str:
        return self._signs.sub(lambda m: m[0].translate(self), text)

    @cached_property
    def _replacement_codes(self) -> NDArray[np.uint32]:
        """The replacement of every code point; 0x110000 (no code point) removes it."""
        import numpy as np

        codes = np.arange(0x110000, dtype=np.uint32)
        for c, new in self.items():
            codes[c] = 0x110000 if new is None else new if isinstance(new, int) else ord(new)
        return codes

    def put_long(self, text: str) -> str:
        """Returns the text as `put` does; faster for a long text, because each character is looked up directly."""
        codes = self._replacement_codes[_codes(text)]
        return _text(codes[codes < 0x110000])


_RADICALS = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇𠘨⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王"
    "⺪𤴔⺫目⺬示⺭礻⺮𥫗⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵𦉫⺶羊⺷𦍌⺸𦍋⺹耂⺺肀⺻聿⺼肉⺽𦥑⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊𧾷⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長"
    "⻒镸⻓长⻔门⻕𨸏⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞𩙿⻟飠⻠饣⻡𩠐⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
"""CJK radicals, each before its ideograph: the property Equivalent_Unified_Ideograph of Unicode 14."""
_IDEOGRAPHS = {ord(radical): ord(ideograph) for radical, ideograph in zip(_RADICALS[::2], _RADICALS[1::2], strict=True)}
_IDEOGRAPHS |= {c: ord(unicodedata.normalize("NFKC", chr(c))) for c in range(0x2F00, 0x2FD6)}  # Kangxi radicals
_NOT_UNIFIED = re.compile("[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1f]")

_PLAIN = _Table({**_WIDTH, **_UNSEEN, **_IDEOGRAPHS})


def unified(text: str) -> str:
    """Returns the text with CJK radicals and compatibility ideographs replaced by ideographs.

    PDFs that a browser printed contain the radicals, because a font draws both with one glyph.
    Source: Unicode's Equivalent_Unified_Ideograph, and NFC for U+F900 to U+FAFF and U+2F800 to U+2FA1F.
    """
    return _NOT_UNIFIED.sub(lambda m: unicodedata.normalize("NFC", m[0]).translate(_IDEOGRAPHS), text)


_BREAKS = r"\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
_BLANKS = rf"[\s\x00-\x1f\x7f-\x9f{''.join(map(chr, _UNSEEN))}]"
_FORMULA = re.compile(rf"'*(?:[{_BREAKS}]|{_BLANKS}*[=+\-@＝＋－＠﹦﹢﹣﹫−])")
"""The start of a cell that a spreadsheet may compute: a sign of a formula (also full width) after whitespace, or a tab
or line break.  Preceding apostrophes belong to it: otherwise reading would remove an author's own."""
QUESTION_MARKS = "?？"
STOPS = QUESTION_MARKS + "。！!；;"
"""Characters that always end a sentence; a full stop ends one only before whitespace (v2.1, 3.5 mm), and neither after
a title (Mr. Smith) nor after the number of an item that begins a line."""
CLOSING = "”’」』）)】》\"'"
"""Quotation marks and brackets that belong to the sentence before them."""
_ABBREVIATED = r"(?<!\b[DMS]r\.)(?<!\bM[sx]\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
_NUMBERED = r"(?m:(?<!^\d\.)(?<!^\d\d\.))"
# each alternative begins with a required sign, so the search skips other characters quickly
SENTENCE_END = rf"(?:[{STOPS}][{STOPS}]*[{CLOSING}]*|\.{_ABBREVIATED}{_NUMBERED}[{CLOSING}]*(?=\s|$))"
CLAUSE_END = r"(?:[，、：]|…+|[,:](?=\s))"
_JOINED = (
    rf"{WORD}(?:[-_.,:'’]{WORD})*"  # a word or a number with the signs that join its parts: 3.14, 10:30, PX-3310DN
)
_LINE_END = rf"\n(?![ \t]*[a-z{HAN}])|(?<![{HAN}])\n(?![ \t]*[a-z])"
BORDERS = (r"\n\s*\n", _LINE_END, SENTENCE_END, r"\n", CLAUSE_END, r"\s", rf"(?s:{_JOINED}|.)", "")
"""Patterns of positions where a text may be split, best first: paragraph, line, sentence, the end of a line inside a
sentence (before a small letter, between Han characters), clause, whitespace, anywhere."""
_ANYWHERE = 6
"""From this pattern on, a position may be inside a character as people see it: see `whole_signs`."""
_SENTENCE = re.compile(rf"{SENTENCE_END}|\n+")
_SOLID = re.compile(r"\S")
_WHOLE_WORD = re.compile(_JOINED)
_LONGEST_WORD = 100
SLICE = 1 << 19
"""Number of characters searched at once."""
_QUOTED = re.compile(r"[\"“「《][^\"“”「」《》\n]*[\"”」》]")

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


def disarm(value: object) -> object:
    """Returns a cell, with an apostrophe before it if it is a text that a spreadsheet may take for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def rearm(field: str) -> str:
    """Returns a field without the apostrophe that `disarm` added."""
    return field[1:] if field.startswith("'") and _FORMULA.match(field, 1) else field


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


class Folded(NamedTuple):
    """A folded text, and where each of its characters begins and ends in the original; None: at the same position."""

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Returns the position of ``text[start:end]`` in the original; ``start`` must be less than ``end``."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]

    def changed(self, places: list[tuple[int, int, str]]) -> Folded:
        """Returns the text with these replacements; each new character has the position of the ones it replaces."""
        if not places:
            return self
        begins = range(len(self.text)) if self.starts is None else self.starts
        stops = range(1, len(self.text) + 1) if self.ends is None else self.ends
        starts, ends, at = list[int](), list[int](), 0
        for start, end, new in places:
            starts += [*begins[at:start], *[begins[start]] * len(new)]
            ends += [*stops[at:start], *[stops[end - 1]] * len(new)]
            at = end
        return Folded(changed(self.text, places), [*starts, *begins[at:]], [*ends, *stops[at:]])


def fold(text: str) -> str:
    """Returns the text as it is compared: characters that look the same are equal; see `folded`."""
    return folded(text).text


def folded(text: str, table: _Table = _PLAIN, *, case: bool = False) -> Folded:
    """Returns NFKC in lower case (``case``: with its case) and the original positions: accents, width, İ and µ.

    Invisible characters (soft hyphens, zero-width signs) are dropped; an ellipsis remains one character, because full
    stops would join the words next to it.  ``table`` is applied as well, before and after.
    Source: Unicode Standard Annex 15, *Unicode Normalization Forms*.
    """
    if text.isascii():
        return Folded(text if case else text.lower())
    plain = table.put(text) if case else table.put(text).lower()
    if _stands(plain, text):
        return Folded(plain.replace("ς", "σ"))  # which of the two `lower` writes depends on the neighbouring characters
    parts_folded, starts, ends = [], [], []
    for start, end in pairwise([*(i for i, c in enumerate(text) if not (i and _attached(c))), len(text)]):
        new = _fold_cluster(text[start:end], case).translate(table)
        parts_folded.append(new)
        starts += [start] * len(new)
        ends += [end] * len(new)
    return Folded("".join(parts_folded), starts, ends)


def one_spelling(text: str) -> Folded:
    """Returns the folded text with one spelling per word: hyphens, thousands separators and spaces before units.

    Positions refer to ``text``.  Full stops of initials stay, because U.S. is not the word us.
    """
    read = Folded(text).changed(changes(text, separators=True, accents=False))
    return read.changed(respelled(read.text))


def _stands(plain: str, text: str) -> bool:
    """Returns whether each character of a folded text kept its position: none was dropped, none is to be composed."""
    if len(plain) != len(text) or "i\u0307" in plain:
        return False
    return unicodedata.is_normalized("NFKC", plain.replace("…", " "))


def half_width(text: str) -> str:
    """Full-width forms to half-width, lower case; the result has the same length, position by position."""
    text = text.translate(_WIDTH)
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.replace("ς", "σ")


@lru_cache(maxsize=4096)
def _attached(character: str) -> bool:
    """Returns whether a character may combine with the one before: marks, vowels of Hangul, invisible characters."""
    first = unicodedata.normalize("NFKD", character)[0]
    return ord(first) in _UNSEEN or unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


@lru_cache(maxsize=4096)
def _fold_cluster(cluster: str, case: bool) -> str:
    """Returns a character and its attached marks in NFKC, in lower case unless case counts."""
    if cluster.startswith("…"):
        return "…" + _fold_cluster(cluster[1:], case)
    seen = unicodedata.normalize("NFKC", cluster.translate(_PLAIN))
    if case:
        return seen
    return unicodedata.normalize("NFKC", _DOTS.sub("i", seen.lower())).replace("ς", "σ")


@lru_cache(maxsize=1)
def _simplified() -> _Table:
    """The table of `folded` plus the simplified form of every traditional character, by OpenCC's character table."""
    import opencc

    characters = [c for c in map(chr, range(0x3400, 0x323B0)) if is_han(c)]
    simple = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    simple_forms = {ord(c): s for c, s in zip(characters, simple, strict=True) if s != c and len(s) == 1}
    return _Table({**_PLAIN, **simple_forms})


@lru_cache(maxsize=1)
def _han_codes() -> NDArray[np.bool_]:
    """For every code point, whether it is a Han character."""
    import numpy as np

    is_han_code = np.zeros(0x110000, np.bool_)
    for first, last in re.findall("(.)(?:-(.))?", HAN):
        is_han_code[ord(first) : ord(last or first) + 1] = True
    return is_han_code


def is_han(text: str) -> bool:
    """Returns whether every character is a Han character."""
    return _HAN_RUN.fullmatch(text) is not None


def known_word(text: str) -> bool:
    """Returns whether jieba's dictionary has this word."""
    return bool(_dictionary(()).has_word(text))


def surface(term: str) -> str:
    """Returns a term in readable form: a pair of neighbouring characters without the sign that joins them."""
    return term.replace("_", "") if _HAN_PAIR.fullmatch(term) else term


_ENGLISH = "what which when where why how do does did is are was were"
_CHINESE = "什么 怎么 怎么办 怎样 如何 哪里 哪些 哪个 多少 为什么 是否 请问 吗 呢"
_ASKING = frozenset(_CHINESE) - {" "}
QUESTIONS = frozenset(f"{_ENGLISH} {_CHINESE}".split())
"""Question words.  Texts that answer questions rarely contain them, so they would weigh as much as the topic.

Without "who" and "can", which are names of things as well (WHO, a can).
"""

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
    """Returns a function that stems a word of Latin letters. Source: M. Porter, *Snowball*, 2001, by PyStemmer."""
    if stem in ("none", "s"):
        return s_stem if stem == "s" else str
    import Stemmer

    machine, lock = Stemmer.Stemmer("english" if stem == "snowball" else stem, 0), threading.Lock()

    def make(word: str) -> str:
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


@lru_cache(maxsize=8)
def _dictionary(user_words: tuple[str, ...]) -> rjieba.Jieba:
    """jieba's dictionary with these words added; analyzers that differ in other things share it."""
    import rjieba

    if not user_words:
        return rjieba._DEFAULT_JIEBA
    dictionary = rjieba.Jieba()
    for word in user_words:
        dictionary.add_word(word, None, None)
    return dictionary


@dataclass(frozen=True)
class Analyzer:
    """A specification of how text becomes tokens.

    ``mode`` is one of `MODES`; ``single`` keeps one-character Han tokens; ``stop_words`` are dropped (after
    folding, before stemming); ``user_words`` are added to the dictionary of the three jieba modes.  ``pairs``: where
    one-character tokens are left out of the search and precise modes, two in a row form one token, so that
    names missing from the dictionary can be found.  ``bigrams``: in the jieba modes every pair of
    neighbouring Han characters is a token as well, written ``电_池``, after all words.  ``characters``: in the same
    modes every Han character is one, after all pairs; ``single`` has nothing to add then.  ``numbers``: runs of letters
    and of digits inside a word are tokens as well (see `parts`), ``units``: a number and its unit, too, ``joined``:
    a word without its hyphens.  ``separators`` removes the commas from 1,000, ``accents`` makes é an e; the positions
    of tokens refer to the original text.  ``questions``: the words of `QUESTIONS` are stop
    words, too, unless a query has nothing else.  ``stem`` is one of `STEMS`,
    ``simplified`` reads traditional characters as their simplified ones.  Raises `ParameterError` for an unknown
    mode or stem.

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
        help=Said("电池 finds 電池 and the reverse, character by character; the text stays unchanged."),
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

    def __post_init__(self) -> None:
        checked(self)

    def __reduce__(self) -> tuple[object, ...]:  # without the dictionary, which cannot be copied
        return Analyzer, tuple(getattr(self, f.name) for f in fields(self))

    def read(self, text: str) -> Folded:
        """Returns the text in the form that is tokenized: folded, in the selected characters and spelling."""
        read = folded(text, _simplified()) if self.simplified else folded(text)
        return read.changed(changes(read.text, separators=self.separators, accents=self.accents))

    def word(self, text: str, token: Token) -> str:
        """Returns a token of this text in readable form, before stemming."""
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
    def _jieba(self) -> rjieba.Jieba:
        return _dictionary(tuple(self.read(word).text for word in self.user_words))

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
        for m in _PIECES.finditer(text):
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
        codes = _codes(self._read_together(texts))
        latin, stops = self._latin, self._stops
        han, tab = _han_codes()[codes], codes == 9
        runs = _shrunk(codes, ~(han | tab), "\n")
        words = self._han_words(runs)
        yield [t for t in words if t not in stops] if stops else words, None
        other_pieces = _shrunk(codes, ~(tab | _in_words(codes)), " ").replace("\t", " \t ").split(" ")
        yield [*chain.from_iterable(map(latin.__getitem__, other_pieces))], None
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
                codes = _codes(self._stopped.sub("\n", runs))
                han, tab = _han_codes()[codes], codes == 9
                signs, place = _numbered(codes, han | tab)
            yield _without(stops, [*map(chr, signs.tolist())], place[han | tab].astype(np.int64))

    def _read_together(self, texts: Iterable[str]) -> str:
        """Returns the texts as `read` returns them, each followed by a tab (and none inside)."""
        table, texts = _simplified() if self.simplified else _PLAIN, [text.replace("\t", " ") for text in texts]
        plain = table.put_long("\t".join([*texts, ""])).lower().replace("ς", "σ").split("\t")
        read = "".join(
            f"{new if _stands(new, text) else self.read(text).text}\t" for text, new in zip(texts, plain, strict=False)
        )
        return changed(read, changes(read, separators=self.separators, accents=self.accents))

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

    @cached_property
    def _cut(self) -> Callable[[str], list[str]]:
        """The function that tokenizes lines of Han characters in this mode, line ends included."""
        if self.mode == "search":
            return self._jieba.cut_for_search
        if self.mode == "precise":
            return self._jieba.cut
        return lambda lines: [t for line in lines.split("\n") for t in (*(w for w, _, _ in self._words(line)), "\n")]

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
        if self.questions and len(tokens) < 2 and all(t.text in _ASKING for t in tokens):
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
            yield asking, frozenset(words | _ASKING)
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
        runs = []
        for m in pattern.finditer(text):
            if m.lastgroup == "han":
                runs.append(m)
                yield from self._joined(self._words(m[0]), m.start())
                continue
            yield Token(m[0], m.start(), m.end())
            for part in self._parts(m[0]) if m.lastgroup == "word" else ():
                yield Token(part.text, m.start() + part.start, m.start() + part.end, part.kind)
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
        return ("\t" if pair[0] == "\0" else pair for pair in _text(a_b).split("\t")[:-1])


def _codes(text: str) -> NDArray[np.uint32]:
    """Returns the code point of every character."""
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _text(codes: NDArray[np.uint32]) -> str:
    """Returns the characters of these code points."""
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def _in_words(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Returns whether each character may be in a word that is not Han: letters, digits, signs of words."""
    import numpy as np

    known = np.zeros(0x110000, np.bool_)
    known[codes] = True
    known[[c for c in np.flatnonzero(known).tolist() if not (chr(c).isalnum() or chr(c) in _SIGNS)]] = False
    return (known & ~_han_codes())[codes]


def _shrunk(codes: NDArray[np.uint32], away: NDArray[np.bool_], sign: str) -> str:
    """Returns the text with one sign instead of each run of characters to be removed."""
    import numpy as np

    is_kept = ~away
    is_kept[1:] |= ~away[:-1]  # the first of a run; losing the first character of the text does not matter
    return _text(np.where(away, np.uint32(ord(sign)), codes)[is_kept])


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
)
"""An analyzer that only tokenizes: words unchanged, apart from the parameters given."""

_FIELD = partial(knob, kind="spec", label=Said("Analyzer"), help=Said("How text becomes words."))
ANALYZER = partial(_FIELD, Analyzer())
"""The analyzer field of an operator that needs words."""
PAIRS = partial(_FIELD, Analyzer(characters=False))
"""The analyzer field for checking whether a word occurs: a passage has most characters of any question."""
WHOLE_WORDS = partial(_FIELD, Analyzer(bigrams=False, numbers=False, questions=False, characters=False))
"""The analyzer field for counting words: neither a pair of characters nor a part of a word is a word."""


def matches(text: str, words: Set[str], analyzer: Analyzer) -> list[tuple[int, int]]:
    """Returns where the words of a query occur in a text: merged (start, end) pairs, for marking."""
    return joined((t.start, t.end) for t in analyzer.spans(text) if t.text in words)


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the spans in order, with overlapping or touching ones merged."""
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], b))
        else:
            merged.append((a, b))
    return merged


def sentences(text: str) -> list[tuple[int, int]]:
    """Returns (start, end) of every sentence, in Chinese or English, without whitespace around; see `SENTENCE_END`.

    A straight quotation mark closes the sentence before it, unless it opens the next: no other is open on its line, and
    a character follows directly.
    """
    ends, at, quotes = list[int](), 0, 0
    for m in _SENTENCE.finditer(text):
        end = m.end()
        quotes = 0 if m[0].startswith("\n") else quotes + text.count('"', at, end)
        at = end
        opens = m[0].endswith('"') and quotes % 2 == 1 and end < len(text) and not text[end].isspace()
        ends.append(end - opens)
    spans = []
    for a, b in zip([0, *ends], [*ends, len(text)], strict=True):
        piece = text[a:b]
        if piece.strip():
            spans.append((a + len(piece) - len(piece.lstrip()), a + len(piece.rstrip())))
    return spans


def pieces(text: str, size: int, *, length: Callable[[str], int] = len, borders: Sequence[str] = BORDERS) -> list[str]:
    """Returns the text in parts of at most ``size``, split at its best borders; joined, they are the text again.

    The method of LangChain's `RecursiveCharacterTextSplitter`: split at every border of the best kind that occurs,
    split the parts that are still too long at weaker borders, and join neighbours while they fit.
    """
    if length(text) <= size or not borders:
        return [text]
    best = next(i for i, border in enumerate(borders) if _occurs(border, text))
    ends = border_ends(text, borders[best], size if length is len else 1)
    parts: list[str] = []
    begin = at = filled = 0  # text[begin:at] waits for neighbours
    for end in (*ends, len(text)):
        part = text[at:end]
        room = max(1, length(part)) if part else 0  # whitespace has no tokens, but must not make a part endless
        if begin < at and (filled + room > size or room >= size):
            parts.append(text[begin:at])
            begin, filled = at, 0
        if room >= size:
            parts += pieces(part, size, length=length, borders=borders[best + 1 :])
            begin = end
        else:
            filled += room
        at = end
    return [*parts, text[begin:]] if begin < len(text) else parts


_CONTINUING = r"[\p{M}\p{GCB=EX}\p{GCB=ZWJ}\p{GCB=RI}\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{GCB=PP}\p{EMod}]"
"""Characters that may be part of a sign, in the notation of `regex`."""


def whole_signs(text: str, places: list[int]) -> list[int]:
    """Returns the positions that are not inside a character as people see it: a letter with marks, a composed emoji.

    Source: Unicode Standard Annex 29, *Unicode Text Segmentation* (grapheme clusters), by `regex`.
    """
    if text.isascii():
        return places
    import regex

    if not regex.search(_CONTINUING, text):
        return places
    ends = {0, *(m.end() for m in regex.finditer(r"\X", text))}
    return [place for place in places if place in ends]


def border_ends(text: str, border: str, size: int) -> list[int]:
    """Returns the positions of borders of this kind; borders of the last kind are ``size`` apart, or everywhere."""
    if border:
        ends = [m.end() for m in re.finditer(border, text)]
        return whole_signs(text, ends) if border == BORDERS[_ANYWHERE] else ends
    even = list(range(0, len(text), size))
    return even if len(whole_signs(text, even)) == len(even) else whole_signs(text, list(range(len(text)))) or even


def next_word_border(text: str, at: int) -> int:
    """Returns the first position from ``at`` on outside words, numbers and signs (words end after 100 letters)."""
    begin = at
    while begin > max(0, at - _LONGEST_WORD) and not (text[begin - 1].isspace() or is_han(text[begin - 1])):
        begin -= 1
    for m in _WHOLE_WORD.finditer(text, begin, at + _LONGEST_WORD):
        if m.end() > at:
            at = m.end() if m.start() < at and m.end() - m.start() <= _LONGEST_WORD else at
            break
    near = range(at - begin, min(len(text), at + _LONGEST_WORD) - begin + 1)
    return begin + next(iter(whole_signs(text[begin : at + _LONGEST_WORD], list(near))), at - begin)


def _occurs(border: str, text: str) -> bool:
    """Returns whether a border occurs in a text.  It searches slices, since a search of megabytes blocks other threads.

    A slice ends before a character that is not whitespace, so that no border of whitespace is split between two; a
    match that exists only because the slice ends, although the text continues, does not count.
    """
    pattern, at = re.compile(border), 0
    while at < len(text):
        solid = _SOLID.search(text, at + SLICE)
        end = solid.start() if solid else len(text)
        match = pattern.search(text, at, end)
        if match and (match.end() < end or pattern.match(text, match.start())):
            return True
        at = end
    return not text and bool(pattern.search(text))


def count_tokens(text: str) -> int:
    """Returns about how many tokens a language model makes of a text; real tokenizers differ by a quarter either way.

    One per Han character, one per punctuation mark, and one per six letters begun of every other word.
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def well_formed(text: str) -> str:
    """Returns the text without lone surrogates (half characters of broken files), which no tokenizer accepts."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: str) -> str:
    """Returns a text in lower case without whitespace and punctuation, for comparisons."""
    return "".join(c for c in text.casefold() if c.isalnum())


def language_of(text: str) -> str:
    """Returns the language of a question's answer: ``zh`` if it has a Han character outside quotes, else ``en``.

    Questions in Chinese are full of other words (docker compose 部署), so `script`, which counts words, is for longer
    texts.
    """
    outside = _QUOTED.sub("", text)
    return "zh" if _HAN_RUN.search(outside if plain(outside) else text) else "en"


def script(text: str) -> str:
    """Returns the script of most of a text's words: ``zh`` (Han), ``en`` (Latin letters), ``other``; ``""``: no words.

    Links, code, tags and identifiers are not words, and neither are names in capitals in Chinese text.  A Han character
    counts half as much as a word of other letters: Chinese words have about two.
    """
    if _CODE_SIGNS.search(text):
        text = _NO_WORDS.sub(" ", text)
        without_names = _IDENTIFIERS.sub(" ", text)
        text = without_names if _LETTERS.search(without_names) else text  # a name alone is a word
    mixed = _HAN_RUN.search(text) is not None
    han = latin = other = 0
    for m in _LETTERS.finditer(text):
        if m.lastgroup == "han":
            han += len(m[0])
        elif "LATIN" in unicodedata.name(m[0][0], ""):
            latin += 2 if not mixed or m[0].islower() else 0
        else:
            other += 2
    most = max(han, latin, other)
    return "" if not most else "zh" if han == most else "en" if latin == most else "other"


def mostly_han(text: str) -> bool | None:
    """Returns whether a sentence has more Han characters than other words; None if it has neither.

    Every word counts here, names and code included, because two sentences are compared word by word.
    """
    han = other_words = 0
    for m in _LETTERS.finditer(text):
        if m.lastgroup == "han":
            han += len(m[0])
        else:
            other_words += 1
    return han > other_words if han or other_words else None


def width(text: str) -> int:
    """Returns the columns of a text in a fixed pitch: a wide character takes two, a combining one none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int | None = None) -> str:
    """Returns a text on one line without control characters, truncated to this number of columns."""
    if not text.isprintable():
        text = "".join(c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    text = " ".join(text.split())
    if columns is None or width(text) <= columns:
        return text
    reached = accumulate(map(width, text))
    end = next(i for i, used in enumerate(reached) if used >= columns)  # the ellipsis takes a column as well
    return text[: max(end, 1)].rstrip() + "…"
