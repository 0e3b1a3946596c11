"""Folded text: characters that are compared as equal, each with its position in the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lab.patterns import lazy_pattern
from lab.text.variants import variants
from lab.text.writing import HAN, changed, changes, respelled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HAN_RUN = lazy_pattern(f"[{HAN}]+")
_DOTS = lazy_pattern("i\u0307+")  # İ in lower case
_WIDTH = (
    {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
    | dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], 0x20)
    | dict.fromkeys([0x2010, 0x2011], ord("-"))
    | {0xB5: 0x3BC}
)
"""Single characters replaced by one other character: full-width forms, spaces, hyphens, the micro sign."""
UNSEEN: dict[int, None] = dict.fromkeys(
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


class Table(dict[int, int | str | None]):
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
        codes = self._replacement_codes[character_codes(text)]
        return characters_of(codes[codes < 0x110000])


_RADICALS = (
    "⺁厂⺂乛⺃乚⺄乙⺅亻⺆冂⺇𠘨⺈刀⺉刂⺊卜⺋㔾⺌小⺍小⺎兀⺏尣⺐尢⺑𡯂⺒巳⺓幺⺔彑⺕彐⺖忄⺗心⺘扌⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺦丬⺧牛⺨犭⺩王"
    "⺪𤴔⺫目⺬示⺭礻⺮𥫗⺯糹⺰纟⺱罓⺲罒⺳㓁⺴冗⺵𦉫⺶羊⺷𦍌⺸𦍋⺹耂⺺肀⺻聿⺼肉⺽𦥑⺾艹⺿艹⻀艹⻁虎⻂衤⻃覀⻄西⻅见⻆角⻇𧢲⻈讠⻉贝⻊𧾷⻋车⻌辶⻍辶⻎辶⻏邑⻐钅⻑長"
    "⻒镸⻓长⻔门⻕𨸏⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞𩙿⻟飠⻠饣⻡𩠐⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
"""CJK radicals, each before its ideograph: the property Equivalent_Unified_Ideograph of Unicode 14."""
_IDEOGRAPHS = {ord(radical): ord(ideograph) for radical, ideograph in zip(_RADICALS[::2], _RADICALS[1::2], strict=True)}
_IDEOGRAPHS |= {c: ord(unicodedata.normalize("NFKC", chr(c))) for c in range(0x2F00, 0x2FD6)}  # Kangxi radicals
_NOT_UNIFIED = lazy_pattern("[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1f]")

_MARKS = dict.fromkeys([0xA9, 0xAE, 0x2117, 0x2120, 0x2122, 0x1F16A, 0x1F16B, 0x1F16C], 0x20)
"""Signs of trade and copyright, which NFKC would join to the word before (Atmos™: atmostm): each is a space."""
_ABBREVIATIONS = "№℡℻"
"""Single characters that NFKC replaces by a word of its own."""

PLAIN = Table({**_WIDTH, **UNSEEN, **_IDEOGRAPHS, **_MARKS})


def unified(text: str) -> str:
    """Returns the text with CJK radicals and compatibility ideographs replaced by ideographs.

    PDFs that a browser printed contain the radicals, because a font draws both with one glyph.
    Source: Unicode's Equivalent_Unified_Ideograph, and NFC for U+F900 to U+FAFF and U+2F800 to U+2FA1F.
    """
    return _NOT_UNIFIED.sub(lambda m: unicodedata.normalize("NFC", m[0]).translate(_IDEOGRAPHS), text)


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


def simplified(text: str) -> Folded:
    """Returns the folded text in simplified characters, one spelling for all that regions write differently."""
    if text.isascii():
        return folded(text)
    read = folded(text, simplified_table())
    return read._replace(text=variants().put(read.text))


def folded(text: str, table: Table = PLAIN, *, case: bool = False) -> Folded:
    """Returns NFKC in lower case (``case``: with its case) and the original positions: accents, width, İ and µ.

    Invisible characters (soft hyphens, zero-width signs) are dropped; an ellipsis remains one character, because full
    stops would join the words next to it.  A superscript, fraction or circled number is separated from the digits next
    to it by a space, because 10⁶ is not 106; so is a fraction or circled number from letters.  ``table`` is applied as
    well, before and after.
    Source: Unicode Standard Annex 15, *Unicode Normalization Forms*.
    """
    if text.isascii():
        return Folded(text if case else text.lower())
    plain = table.put(text) if case else table.put(text).lower()
    if keeps_places(plain, text):
        return Folded(plain.replace("ς", "σ"))  # which of the two `lower` writes depends on the neighbouring characters
    parts_folded, starts, ends, before = [], [], [], " "
    for start, end in pairwise([*(i for i, c in enumerate(text) if not (i and _attached(c))), len(text)]):
        new = _fold_cluster(text[start:end], case).translate(table)
        character = text[start]
        if not (before.isascii() and character.isascii()) and _is_separate(before, character):
            new = f" {new}"
        before = character
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


def keeps_places(plain: str, text: str) -> bool:
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
    return ord(first) in UNSEEN or unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff"


@lru_cache(maxsize=1 << 14)
def _is_separate(before: str, after: str) -> bool:
    """Returns whether NFKC would join two neighbouring characters to a number or word that nobody has written."""
    left, right = _form(before), _form(after)
    if left == right == "":
        return False
    end, begin = unicodedata.normalize("NFKC", before)[-1:], unicodedata.normalize("NFKC", after)[:1]
    if not begin.isalnum() or not (end.isalnum() or end == "."):
        return False
    alone = {"<fraction>", "<circle>", "word"}
    return not alone.isdisjoint((left, right)) or (begin.isdecimal() and left != right and not end.isalpha())


def _form(character: str) -> str:
    """Returns how a character differs from the one that NFKC replaces it by, unless only in width or font."""
    if character.isascii():
        return ""
    if character in _ABBREVIATIONS:
        return "word"
    form = unicodedata.decomposition(character).partition(" ")[0]
    return form if form in ("<super>", "<sub>", "<fraction>", "<circle>", "<compat>", "<square>") else ""


@lru_cache(maxsize=4096)
def _fold_cluster(cluster: str, case: bool) -> str:
    """Returns a character and its attached marks in NFKC, in lower case unless case counts."""
    if cluster.startswith("…"):
        return "…" + _fold_cluster(cluster[1:], case)
    seen = unicodedata.normalize("NFKC", cluster.translate(PLAIN))
    if case:
        return seen
    return unicodedata.normalize("NFKC", _DOTS.sub("i", seen.lower())).replace("ς", "σ")


def simplified_characters() -> dict[str, str]:
    """Returns the simplified form of every traditional character, by OpenCC's character table."""
    import opencc

    characters = characters_of(han_codes()[:0x323B0].nonzero()[0].astype("uint32"))
    simple = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {c: s for c, s in zip(characters, simple, strict=True) if s != c and len(s) == 1}


@lru_cache(maxsize=1)
def simplified_table() -> Table:
    """The table of `folded` plus the simplified form of the characters that do not depend on the word."""
    forms = {**simplified_characters(), **variants().single}
    return Table({**PLAIN, **{ord(c): form for c, form in forms.items() if c not in variants().characters}})


@lru_cache(maxsize=1)
def han_codes() -> NDArray[np.bool_]:
    """For every code point, whether it is a Han character."""
    import numpy as np

    is_han_code = np.zeros(0x110000, np.bool_)
    for first, last in re.findall("(.)(?:-(.))?", HAN):
        is_han_code[ord(first) : ord(last or first) + 1] = True
    return is_han_code


def is_han(text: str) -> bool:
    return _HAN_RUN.fullmatch(text) is not None


def character_codes(text: str) -> NDArray[np.uint32]:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def characters_of(codes: NDArray[np.uint32]) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")
