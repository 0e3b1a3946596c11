"""Words of Han and other characters, such as T恤: found by themselves, as each script is tokenized separately."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from lab.text.folding import is_han

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

JIEBA_WORDS = (
    "1号店 4s店 aa制 ab型 a型 a座 a股 a轮 bb机 bp机 b型 b座 b股 b超 b轮 call机 cd机 "
    "cd盒 c座 c盘 c语言 d座 d版 d盘 e化 e座 e盘 e通 f座 f盘 g盘 h盘 h股 ic卡 ip卡 ip地址 "
    "ip电话 i盘 k党 k歌之王 n年 o型 pc机 ph值 qq号 q版 rss订阅 sim卡 t台 t型台 t恤 t恤衫 "
    "t盘 u盘 visa卡 x光 x光线 x射线 z盘 γ射线 卡拉ok 大s 小s 江南style 阿q"
)
"""The words of jieba's dictionary that have both, folded, and 卡拉OK."""


class MixedWords:
    """Finds words of Han and other characters in a folded text, beside their parts."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = defaultdict[str, set[tuple[int, str]]](set)
        for word in words:
            scripts = [is_han(c) for c in word]
            border = next((i for i in range(1, len(word)) if scripts[i] != scripts[i - 1]), 0)
            if border:
                self._words[word[border - 1 : border + 1]].add((border, word))

    @cached_property
    def _borders(self) -> NDArray[np.uint64]:
        """The two characters around each border that a word has, in one number."""
        import numpy as np

        return np.array([ord(pair[0]) << 32 | ord(pair[1]) for pair in self._words], np.uint64)

    def borders(self, codes: NDArray[np.uint32], places: NDArray[np.int64]) -> list[int]:
        """Returns the borders of scripts at which a word may be, given the code points of the text."""
        import numpy as np

        around = codes[places - 1].astype(np.uint64) << np.uint64(32) | codes[places]
        return list(places[np.isin(around, self._borders)].tolist())

    def spans(self, text: str, borders: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yields (start, end) of every such word; ``borders`` are the positions where the script changes."""
        for border in borders:
            for before, word in sorted(self._words.get(text[border - 1 : border + 1], ())):
                start, end = border - before, border - before + len(word)
                if start >= 0 and text.startswith(word, start) and not _continues(text, start, end):
                    yield start, end


def _continues(text: str, start: int, end: int) -> bool:
    """Returns whether a letter or digit at an edge continues outside: 4s in 14s店."""
    left = start > 0 and _is_letter(text[start]) and _is_letter(text[start - 1])
    return left or (end < len(text) and _is_letter(text[end - 1]) and _is_letter(text[end]))


def _is_letter(character: str) -> bool:
    return character.isalnum() and not is_han(character)
