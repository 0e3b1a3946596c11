"""The Chinese characters and words that Taiwan, Hong Kong and the mainland write differently, from OpenCC's tables.

    python -m maintenance.variants [--write]

Prints ``lab/text/variants.tsv``, or writes it: lines of a spelling and the one that stands for its class, in
simplified characters.  A line of one character is what it becomes by itself; a line of several is what it becomes in
this word, and has precedence: 著 is 着, but 著名 stays.
Each word of jieba's dictionary is converted to the spellings of Taiwan and
Hong Kong, and the words of OpenCC's own tables are converted back; wherever single characters do not lead to the same
word, there is a line for the word.  If two words of the dictionary have one spelling, the more frequent one stands for
both.  Also prints, or writes to ``lab/text/regional.tsv``, the words that differ by region: 滑鼠, 鼠标.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import jieba
import opencc

from lab.text.folding import is_han, simplified_characters
from lab.text.variants import LONGEST, Variants

ROOT = Path(__file__).parents[1]
FILES = {name: ROOT / "lab" / "text" / f"{name}.tsv" for name in ("variants", "regional")}
REVERSED = {"TSPhrases": "t2s", "TWVariantsRevPhrases": "tw2s", "HKVariantsRevPhrases": "hk2s"}
"""Tables of words, and the conversion in which OpenCC uses each."""
REGIONAL = {"TWPhrasesRev": "tw2s", "HKPhrasesRev": "hk2s"}
"""Tables of regional words, in the characters of the region, with the mainland's word in traditional characters."""
REGIONS = ("s2t", "s2tw", "s2hk")
MISSING = {"妳": "你", "姪": "侄", "甚么": "什么"}
"""Spellings that OpenCC's tables leave out."""
SELDOM = 100
"""How much more frequent the simplified character is, of two, if the other one stands for it in every word."""
RARE = 10
"""Occurrences of a word in jieba's dictionary."""
AS_WRITTEN = {"賬": "帳"}
"""Taiwan's character in place of the one that OpenCC's conversion to its standard returns."""


def dictionary_words() -> dict[str, int]:
    """Returns jieba's words with their frequencies."""
    lines = (Path(jieba.__file__).parent / "dict.txt").read_text("utf-8").splitlines()
    return {word: int(n) for word, n, *_ in map(str.split, lines)}


def dictionary() -> dict[str, int]:
    """Returns jieba's words of Han characters with their frequencies."""
    return {word: n for word, n in dictionary_words().items() if is_han(word)}


def converted(words: Iterable[str], config: str) -> list[str]:
    """Returns the words as a configuration of OpenCC converts each."""
    return str(opencc.OpenCC(config).convert("\n".join(words))).split("\n")


def _entries(name: str) -> list[tuple[str, str]]:
    """Returns the entries of one of OpenCC's dictionaries: the key, and its values with spaces between."""
    place = Path(opencc.__file__).parent / "clib"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "table.txt")
        source = place / "share" / "opencc" / f"{name}.ocd2"
        arguments = ["-i", str(source), "-o", str(target), "-f", "ocd2", "-t", "text"]
        subprocess.run([str(place / "bin" / "opencc_dict"), *arguments], check=True, capture_output=True)
        lines = target.read_text("utf-8").splitlines()
    return [(key, values) for key, values in (line.split("\t") for line in lines)]


def spellings(frequencies: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yields (a spelling in any standard, the simplified word)."""
    for written, word in _spellings(frequencies):
        for missing, new in MISSING.items():
            word = word.replace(missing, new)
        yield written, word


def _spellings(frequencies: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    characters = simplified_characters()
    words = [word for word in frequencies if len(word) > 1]
    simplified = converted(words, "t2s")
    natives = {c for word, s in zip(words, simplified, strict=True) if word == s for c in word if c in characters}
    plain = ["".join(characters.get(c, c) for c in word) for word in words]
    again = converted(plain, "s2t")
    for word, simple, bare, traditional in zip(words, simplified, plain, again, strict=True):
        # 乾县 stays, because OpenCC does not write 干县 with 乾; 弄乾 does not, because OpenCC writes 弄干 with 乾
        strange = {c for c in word if c in characters}
        if word == simple or (strange <= natives and bare not in frequencies and strange.isdisjoint(traditional)):
            yield word, word
    words = [word for word, simple in zip(words, simplified, strict=True) if word == simple]
    for config in REGIONS:
        for word, written in zip(words, converted(words, config), strict=True):
            yield written, word
            if config == "s2tw" and any(c in written for c in AS_WRITTEN):
                yield written.translate(str.maketrans(AS_WRITTEN)), word
    for name, config in REVERSED.items():
        keys = [key for key, _ in _entries(name)]
        yield from zip(keys, converted(keys, config), strict=True)
    yield from MISSING.items()


def alternatives() -> Iterator[tuple[str, str]]:
    """Yields (a traditional character, its simplified one) for every traditional form that OpenCC knows of one."""
    with_all = [(simple, forms.split(" ")) for simple, forms in _entries("STCharacters")]
    return ((form, simple) for simple, forms in with_all for form in forms if form != simple)


def variants() -> dict[str, str]:
    """Returns the lines of ``variants.tsv``."""
    frequencies, characters = dictionary(), simplified_characters()
    weights = Counter[str]()
    for word, n in frequencies.items():
        weights.update(dict.fromkeys(word, n) if len(word) > 1 else {})
    examples = [(a, b) for a, b in spellings(frequencies) if len(a) == len(b) <= LONGEST and is_han(a + b)]
    seldom = {
        a: b for a, b in alternatives() if characters.get(a, a) == a and weights[a] * SELDOM < weights[b]
    } | MISSING
    unsure = {a for a in seldom if len(a) == 1}
    unsure |= {a for pair in examples for a, b in zip(*pair, strict=True) if characters.get(a, a) != b}
    best, unsure = _best(examples, unsure, frequencies)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, word in best.items():
        for a, b in zip(key, word, strict=True):
            counts[a][b] += 1
    single = {a: max(counts[a] or [characters.get(a, a)], key=lambda b: (counts[a][b], b)) for a in sorted(unsure)}
    single |= {a: b for a, b in seldom.items() if len(a) == 1}
    found = _words(best, single, frequencies)
    deciding = {key: {a for a, b in zip(key, found[key], strict=True) if single.get(a, a) != b} for key in found}
    gains = Counter[str]()
    for key, deciders in deciding.items():
        gains.update(dict.fromkeys(deciders, frequencies.get(found[key], 1)))
    worth = {c for c in gains if gains[c] * SELDOM > weights[c]}
    found = {key: word for key, word in found.items() if deciding[key] & worth}
    needed = set().union(*(deciding[key] for key in found))
    return {**{a: b for a, b in single.items() if a in needed or characters.get(a, a) != b}, **found}


def _best(
    examples: Sequence[tuple[str, str]], unsure: set[str], frequencies: Mapping[str, int]
) -> tuple[dict[str, str], set[str]]:
    """Returns the word that stands for each spelling, and the characters that depend on the word.

    The other characters of a spelling are simplified.
    """
    characters = simplified_characters()

    def key(written: str) -> str:
        return "".join(c if c in unsure else characters.get(c, c) for c in written)

    words: defaultdict[str, set[str]] = defaultdict(set)
    for written, word in examples:
        if not unsure.isdisjoint(written):
            words[key(written)].add(word)
    best = {spelt: max(several, key=lambda word: (frequencies.get(word, 0), word)) for spelt, several in words.items()}
    others = [(o, best[k]) for k, several in words.items() for o in several - {best[k]} if frequencies.get(o, 0) > RARE]
    different = {a for pair in others for a, b in zip(*pair, strict=True) if a != b}
    if different <= unsure:
        return {**best, **{key(other): word for other, word in others}}, unsure
    return _best(examples, unsure | different, frequencies)


def _words(best: Mapping[str, str], single: Mapping[str, str], frequencies: Mapping[str, int]) -> dict[str, str]:
    """Returns the words that their single characters and shorter words do not lead to."""
    alone, found = Variants(single, single), dict[str, str]()
    for size in range(2, LONGEST + 1):
        shorter = Variants({**single, **found}, single)
        for key, word in sorted(best.items()):
            if len(key) == size and (spelt := shorter.put(key)) != word:
                # what a shorter word says (想像 is 想象, 著名 stays) holds inside a longer one that is rare
                inner = {key[a:b] for a in range(size) for b in range(a + 2, size + 1) if b - a < size}
                agreed = any(best.get(part) == shorter.put(part) in spelt for part in inner)
                if frequencies.get(word, 0) > RARE or not (agreed or key == word == alone.put(key)):
                    found[key] = word
    return found


def regional() -> dict[str, str]:
    """Returns the lines of ``regional.tsv``: a region's word and the mainland's, both in the spelling of a class."""
    entries = {}
    for name, config in REGIONAL.items():
        keys = [key for key, _ in _entries(name)]
        for key, word in zip(converted(keys, config), converted(keys, f"{config}p"), strict=True):
            if key != word and is_han(key + word) and len(key) > 1:
                entries[key] = word
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the files")
    write = parser.parse_args().write
    for name, entries in (("variants", variants()), ("regional", regional())):
        text = "".join(f"{a}\t{b}\n" for a, b in entries.items())
        if write:
            FILES[name].write_text(text, "utf-8")
        else:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
