"""From bytes to text: finds the encoding of a file, and removes unwanted characters.

The order of evidence: a byte order mark; strict UTF-8; for Chinese, how common the characters are that GB18030
and Big5 would give (the wrong one gives rare characters); charset-normalizer for the rest of the world.
"""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from lab.patterns import lazy_pattern
from lab.text import unified

_MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_SAMPLE = 1 << 16
# The characters that make up about a third of any modern Chinese text, simplified and traditional.
_FREQUENT = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学"
    "如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高"
    "間問這個們來為國說時會對過發後裡種經麼學現當沒動還進樣開從實無與長機業關點將兩請員電話月日內份條或及由等應按需可號須"
    "请员电话内条或及由等应按需号须"
)
_OTHERS = (
    "cp1252", "iso8859_15", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256",
    "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949",
)  # fmt: skip
_LATIN = ("cp1252", "iso8859_15", "cp1250", "cp1254")
_EAST_ASIAN = ("shift_jis", "cp932", "euc_jp", "euc_kr", "cp949")
_PAIR = lazy_pattern("[\x80-\U0010ffff]{2}|(?<![A-Za-z])[\x80-\U0010ffff](?![A-Za-z])")
_WESTERN = frozenset("àâäáãåæçèéêëìíîïñòóôöõøœùúûüÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜŸ€£§°«»“”‘’„‚–—…·¿¡©®™½¼¾²³\xa0")
_EAST_ASIAN_MARK = lazy_pattern("[\u3000-\u30ff\uff00-\uffef]")
_HAN = lazy_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Control characters (line breaks and tabs stay), direction overrides that would turn the page around, byte
# order marks inside the text, non-characters; and lone surrogates, which no UTF-8 can hold.
_CONTROLS, _MISLEADING = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f", "\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
_UNWANTED, _UNSEEN = re.compile(f"[{_CONTROLS}{_MISLEADING}]"), re.compile(f"[{_MISLEADING}]")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_BREAKS = lazy_pattern("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")


class Decoded(NamedTuple):
    """A text, the name of its encoding, and the number of places that could not be decoded (now U+FFFD)."""

    text: str
    encoding: str
    bad: int = 0


def decode(data: bytes, *, encoding: str | None = None) -> Decoded | None:
    """Decodes bytes; None if they are not text, or in an unknown encoding.

    ``encoding`` (a Python codec name) overrides the guess; a codec that does not exist raises `LookupError`.
    """
    if encoding is not None:
        codecs.lookup(encoding)
        return _replaced(data, encoding, encoding)
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _replaced(data[len(mark) :], codec, name)
    if b"\0" in data[:_SAMPLE]:
        return _utf16_without_mark(data)
    if is_binary(data):
        return None
    with suppress(UnicodeDecodeError):
        return Decoded(data.decode("utf-8"), "UTF-8")
    damaged = _replaced(data, "utf-8", "UTF-8")
    wide = sum(1 for c in damaged.text if c > "\x7f") - damaged.bad
    if wide >= 10 * damaged.bad:  # a few broken places in what is plainly UTF-8: a file cut in the middle
        return damaged
    codecs_of = (("gb18030", "GB18030"), ("cp950", "Big5"), ("big5hkscs", "Big5"))
    chinese = max((_replaced(data, codec, name) for codec, name in codecs_of), key=_chinese)
    if _chinese(chinese) > 0:
        return chinese
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE], cp_isolation=list(_OTHERS)).best()
    if best is None:
        return None
    western = _replaced(data, "cp1252", "cp1252")  # its neighbours differ in a few letters: prefer the common one
    sample, plausible = western.text[:_SAMPLE], best.encoding in _LATIN
    # “Käse” is not Japanese, whose bytes come in pairs
    plausible |= best.encoding in _EAST_ASIAN and not _PAIR.search(sample)
    if plausible and not western.bad and all(c < "\x7f" or c in _WESTERN for c in sample):
        return western
    return _replaced(data, best.encoding, best.encoding)


def is_binary(data: bytes) -> bool:
    """Whether more than one byte in fifty of the beginning is a control character that texts do not have."""
    sample = data[:_SAMPLE]
    controls = sum(sample.count(b) for b in range(32) if b not in (9, 10, 11, 12, 13, 27))
    return controls * 50 > len(sample)


def clean(text: str, *, breaks: bool = True, ideographs: bool = True, controls: bool = True) -> tuple[str, int]:
    """Returns a text as all readers give it, and the number of its unwanted characters.

    Every kind of line break becomes ``\\n`` (``breaks``), CJK radicals and compatibility ideographs become ideographs
    (``ideographs``; see `lab.text.unified`), lone surrogates become U+FFFD, and other unwanted characters are removed,
    control characters (``controls``) among them.
    """
    if text.replace("\n", "").isprintable():  # as most texts are: then only ideographs can be replaced
        return unified(text) if ideographs and not text.isascii() else text, 0
    if breaks:
        text = _BREAKS.sub("\n", text)
    if ideographs and not text.isascii():
        text = unified(text)
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    text, removed = (_UNWANTED if controls else _UNSEEN).subn("", text)
    return text, surrogates + removed


def _replaced(data: bytes, codec: str, name: str) -> Decoded:
    text = data.decode(codec, errors="replace")
    honest = data.count("\ufffd".encode(codec, "ignore") or b"\xff\xff\xff") if codec == "utf-8" else 0
    return Decoded(text, name, max(0, text.count("\ufffd") - honest))


def _utf16_without_mark(data: bytes) -> Decoded | None:
    """UTF-16 whose mark is missing: the order of bytes that gives mostly known characters; else it is binary."""
    both = (_replaced(data, codec, "UTF-16") for codec in ("utf-16-le", "utf-16-be"))
    share, best = max((_familiar(decoded.text[:4096]), decoded) for decoded in both)
    return best if share > 0.9 else None


def _familiar(sample: str) -> float:
    """The share of letters, marks and characters that any modern text is made of."""
    known = (" " <= c <= "~" or c in "\r\n\t" or c in _common() or _EAST_ASIAN_MARK.match(c) for c in sample)
    return sum(map(bool, known)) / max(1, len(sample))


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    """The characters that the two national standards file as common: GB2312 level 1 and Big5 level 1."""
    simplified = (bytes((a, b)).decode("gb2312", "ignore") for a in range(0xB0, 0xD8) for b in range(0xA1, 0xFF))
    second = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    traditional = (bytes((a, b)).decode("big5", "ignore") for a in range(0xA4, 0xC7) for b in second)
    return frozenset(c for c in (*simplified, *traditional) if _HAN.fullmatch(c))


def _chinese(decoded: Decoded) -> float:
    """Scores how plausible a text is as Chinese: 0 if it is not, more is better.

    Share of common characters, plus twice the share of the most frequent ones, minus what could not be decoded.
    """
    sample = decoded.text[:_SAMPLE]
    han = _HAN.findall(sample)
    private = sum("\ue000" <= c <= "\uf8ff" for c in sample)  # GB18030 files bytes that mean nothing under these
    if not han or decoded.bad > 1 + len(decoded.text) // 1000 or private * 20 > len(han):
        return 0.0
    common = sum(c in _common() for c in han) / len(han)
    frequent = sum(c in _FREQUENT for c in han) / len(han)
    if common < 0.7 or (len(han) >= 20 and frequent < 0.05):
        return 0.0
    return common + 2 * frequent - decoded.bad / len(han)
