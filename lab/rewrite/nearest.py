"""Finds the corpus words nearest to a word that it lacks: by letters, or by one Chinese character.

The distance of two words is the least number of edits (insert, delete or replace a letter, swap two neighbours) of
which none touches what another one made: optimal string alignment.

Sources: F. J. Damerau, *A Technique for Computer Detection and Correction of Spelling Errors*, 1964; M. D. Kernighan,
K. W. Church and W. A. Gale, *A Spelling Correction Program Based on a Noisy Channel Model*, 1990 (frequent words
first).
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Corpus, Progress
from lab.errors import MissingExtra
from lab.numeric import Ints
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, cutting, is_han, known_word

WORDS = cutting(pairs=False, bigrams=True, simplified=True)
"""Words as they are written, without stems, and every pair of Han characters."""
STEMS = Analyzer(pairs=False, bigrams=False, characters=False, numbers=False)
LONGEST = 40
"""Letters of a word that is compared; what is longer is no word of a language."""
SHORTEST_HAN, LONGEST_HAN = 2, 4
"""Characters of a Chinese word that is compared."""
SURE, FEW = 2, 50
"""Passages that contain a Chinese word which the dictionary does not have; 1 in a corpus of fewer than `FEW`."""
_SYLLABLES = (
    "啊埃鞍肮凹芭白斑邦苞杯奔崩逼鞭标鳖彬兵玻捕擦猜餐苍操厕层插拆搀昌超车郴撑吃充抽初揣川疮吹春戳疵聪凑粗"
    "蹿摧村磋搭呆耽当刀德蹬堤颠碉跌丁丢东兜督端堆墩掇蛾恩而发藩坊菲芬丰佛否夫噶该干冈篙哥给根耕工钩辜刮乖"
    "棺光瑰辊锅哈骸酣夯壕呵嘿痕哼轰喉呼花槐欢荒灰荤豁击嘉歼僵蕉揭巾荆炯揪鞠捐撅均喀开刊康考坷肯坑空抠枯夸"
    "块宽匡亏坤括垃莱蓝琅捞勒雷棱厘俩联粮撩列琳玲溜龙楼芦驴峦掠抡萝妈埋瞒芒猫么玫门萌眯棉苗蔑民明谬摸谋拇"
    "拿氖南囊挠呢馁嫩能妮蔫娘鸟捏您柠牛脓奴女暖虐挪哦欧啪拍攀乓抛呸喷砰坯篇飘撇拼乒坡扑期掐牵枪橇切钦青琼"
    "秋趋圈缺裙然瓤饶惹壬扔日戎揉茹软蕊闰若撒腮三桑搔瑟森僧莎筛珊墒梢奢砷声师收蔬刷摔栓霜谁吮说斯松搜苏酸"
    "虽孙蓑塌胎坍汤掏特藤梯天挑贴厅通偷凸湍推吞拖挖歪豌汪威瘟嗡挝巫昔瞎掀相萧楔薪星兄休墟轩靴勋压焉殃邀椰"
    "一茵英哟拥幽迂鸳曰耘匝栽咱赃遭责贼怎增扎摘瞻樟招遮珍蒸芝中舟珠抓拽专桩椎谆捉兹鬃邹租钻嘴尊昨"
)
"""The first character of each syllable in GB 2312, whose 3,755 common characters are in the order of their sounds."""
PARTICLES = frozenset(
    "的了是在和与我你您他她它这那个们吗呢吧啊着过地得很都也就还不没要有会能可把被给让上下里哪怎什么谁几多时于以向由为从中前后内外已未"
    "对及即等使该再"
)
"""Characters that are words by themselves nearly everywhere."""
Alike = Callable[[str, str, int], bool]
"""Whether a character may stand for the one at a place of a word."""
_FINALS = re.compile("(?<=[aei])ng$")
_NEAR_SOUNDS = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"), ("h", "f"))
"""Initials that are often confused, each with the one that stands for both."""


class Near(NamedTuple):
    """A word of the corpus near to another: its distance and the number of passages that contain it."""

    word: str
    distance: int
    passages: int


class CorpusWords:
    """The words of a corpus as it writes them, with the number of passages of each."""

    def __init__(self, matrix: TermMatrix) -> None:
        self._vocabulary, self._df = matrix.vocabulary, matrix.df
        self._sure = SURE if len(matrix.lengths) >= FEW else 1

    @staticmethod
    def of(corpus: Corpus, progress: Progress | None = None) -> CorpusWords:
        """Returns the words of this corpus, computed once and cached with it."""
        matrix = TermMatrix.for_corpus(corpus, WORDS, progress)
        return corpus.once(("words as written",), lambda: CorpusWords(matrix))

    @staticmethod
    def at_hand(corpus: Corpus) -> bool:
        """Returns whether the words of this corpus are counted already."""
        return corpus.holds(("words as written",))

    @cached_property
    def _letters(self) -> list[str]:
        return [t for t in self._vocabulary if len(t) <= LONGEST and t.isalpha() and not is_han(t[0])]

    @cached_property
    def _lengths(self) -> Mapping[int, tuple[Sequence[str], NDArray[np.uint32]]]:
        """Maps each length to the words of letters in corpus order and their code points, shape [length, words]."""
        groups = defaultdict[int, list[str]](list)
        for word in self._letters:
            groups[len(word)].append(word)
        return {
            size: (words, np.frombuffer("".join(words).encode("utf-32-le"), np.uint32).reshape(-1, size).T)
            for size, words in groups.items()
        }

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(STEMS.tokens("\n".join(self._letters)))

    @property
    def has_letters(self) -> bool:
        """Returns whether the corpus has a word that is not written in Han characters."""
        return bool(self._letters)

    def passages(self, word: str) -> int:
        """Returns the number of passages that contain this word as it is written."""
        j = self._vocabulary.get(word)
        return 0 if j is None else int(self._df[j])

    def knows(self, word: str) -> bool:
        """Returns whether the corpus has this word of letters, or one with the same stem."""
        return word in self._vocabulary or not self._stems.isdisjoint(STEMS.tokens(word))

    def near(self, word: str, most: int) -> list[Near]:
        """Returns the words within ``most`` edits, by distance, then by most passages, then in corpus order."""
        candidates = list[tuple[int, float, int, str]]()
        for size in range(max(1, len(word) - most), len(word) + most + 1):
            words, codes = self._lengths.get(size, ((), None))
            if codes is not None:
                distances = edit_distances(word, codes)
                for i in np.flatnonzero(distances <= most).tolist():
                    j = self._vocabulary[words[i]]
                    candidates.append((int(distances[i]), -float(self._df[j]), j, words[i]))
        return [Near(w, distance, int(-passages)) for distance, passages, _, w in sorted(candidates)]

    @cached_property
    def _pairs(self) -> Mapping[str, int]:
        """Maps pairs of characters that enough passages have, and no word is, to their columns."""
        pairs = (
            (t.replace("_", ""), j) for t, j in self._vocabulary.items() if len(t) == SHORTEST_HAN + 1 and "_" in t
        )
        return {
            pair: j
            for pair, j in pairs
            if self._df[j] >= self._sure and pair not in self._vocabulary and PARTICLES.isdisjoint(pair)
        }

    @cached_property
    def _open(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """Maps the text before and after one character to the Chinese words that fit around it."""
        words_by_neighbours = defaultdict[tuple[str, str], list[str]](list)
        for word in chain(self._vocabulary, self._pairs):
            is_word = (
                SHORTEST_HAN <= len(word) <= LONGEST_HAN
                and is_han(word)
                and (known_word(word) or self.passages(word) >= self._sure)
            )
            for i in range(len(word)) if is_word or word in self._pairs else ():
                words_by_neighbours[word[:i], word[i + 1 :]].append(word)
        return words_by_neighbours

    def near_run(self, run: str, alike: Alike) -> list[Near]:
        """Returns the Chinese words one character away from a run, by most passages, then in corpus order.

        None for a run that the corpus has.  ``alike(character, word, i)`` says whether
        this character may stand for the one at place i of the word.
        """
        if all(f"{a}_{b}" in self._vocabulary for a, b in pairwise(run)):
            return []
        matches = {
            word: self._pairs.get(word) or self._vocabulary[word]
            for i, character in enumerate(run)
            for word in self._open.get((run[:i], run[i + 1 :]), ())
            if alike(character, word, i)
        }
        ordered = sorted(matches.items(), key=lambda pair: (-self._df[pair[1]], pair[1]))
        return [Near(word, 1, int(self._df[j])) for word, j in ordered]


def edit_distances(word: str, codes: NDArray[np.uint32]) -> Ints:
    """Returns a word's edit distances to words of one length, given by their code points, shape [length, words]."""
    size, number = codes.shape
    before, last = np.zeros((0, number), np.int64), np.repeat(np.arange(size + 1)[:, None], number, axis=1)
    for i, letter in enumerate(word, 1):
        row = np.empty_like(last)
        row[0] = i
        differs = codes != ord(letter)
        for j in range(1, size + 1):
            least = np.minimum(np.minimum(last[j], row[j - 1]) + 1, last[j - 1] + differs[j - 1])
            if i > 1 and j > 1:
                swapped = ~differs[j - 2] & (codes[j - 1] == ord(word[i - 2]))
                least = np.where(swapped, np.minimum(least, before[j - 2] + 1), least)
            row[j] = least
        before, last = last, row
    return last[size]


def runs_of(text: str, borders: Set[int]) -> Iterator[tuple[int, int]]:
    """Yields (start, end) of the runs of two to four characters between these borders, longer ones first."""
    for size in range(LONGEST_HAN, SHORTEST_HAN - 1, -1):
        for start in sorted(borders):
            if start + size in borders and is_han(text[start : start + size]):
                yield start, start + size


def common_sound(character: str, word: str, i: int) -> bool:
    """Returns whether two common characters have the same syllable, by their order in GB 2312; no package is needed."""
    syllable = syllable_of(character)
    return syllable > 0 and syllable == syllable_of(word[i]) and word[i] not in PARTICLES


@cache
def syllable_of(character: str) -> int:
    """Returns the number of the syllable of a common character; 0 for any other."""
    code = character.encode("gb2312", "ignore")
    starts = [first.encode("gb2312") for first in _SYLLABLES]
    return bisect_right(starts, code) if starts[0] <= code <= b"\xd7\xf9" else 0


def sounds_alike(*, near: bool) -> Alike:
    """Returns a test for characters that sound like one in a word, without tones; ``near``: or nearly.

    Raises `MissingExtra` where pypinyin is not installed.
    """
    if not find_spec("pypinyin"):
        raise MissingExtra("pinyin", "pypinyin")

    def key(sound: str) -> str:
        return _near_sound(sound) if near else sound

    @cache
    def readings(character: str) -> frozenset[str]:
        package = _pypinyin()
        (readings_found,) = package.pinyin(character, style=package.Style.NORMAL, heteronym=True)
        return frozenset(map(key, readings_found))

    def alike(character: str, word: str, i: int) -> bool:
        typed, intended = readings(character), readings(word[i])
        if intended <= typed or typed.isdisjoint(intended):  # however it is read in this word
            return intended <= typed
        return key(_pypinyin(phrases=True).lazy_pinyin(word)[i]) in typed

    return alike


@cache
def _pypinyin(*, phrases: bool = False) -> Any:
    """Returns pypinyin, which takes 11 MB; with its ``phrases``, by which it chooses between readings, 55 MB."""
    os.environ.setdefault("PYPINYIN_NO_PHRASES", "1")
    import pypinyin

    if phrases:
        from pypinyin.phrases_dict import phrases_dict

        pypinyin.load_phrases_dict(phrases_dict)
    return pypinyin


def _near_sound(sound: str) -> str:
    """Maps commonly confused syllables to one: zh and z, l and n, f and h, -ng and -n."""
    for typed, intended in _NEAR_SOUNDS:
        if sound.startswith(typed):
            sound = intended + sound[len(typed) :]
            break
    return _FINALS.sub("n", sound)
