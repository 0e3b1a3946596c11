"""Stems against what others make of the same words, and traditional characters against OpenCC itself."""

from __future__ import annotations

import re
from pathlib import Path

import opencc
import pytest
import Stemmer

from lab.text import cutting, fold

CORPORA = Path(__file__).parents[2] / "sample_corpora"
TEXT = "\n".join(p.read_text(encoding="utf-8") for p in sorted(CORPORA.rglob("*.jsonl")))
ROOT = Path(__file__).parents[2]
WORDS = sorted(set(re.findall("[a-z]+", fold(TEXT))))


@pytest.mark.parametrize(("stem", "language"), [("porter", "porter"), ("snowball", "english")])
def test_stems_equal_those_of_snowball(stem: str, language: str) -> None:
    assert len(WORDS) > 1000
    stems = zip(WORDS, Stemmer.Stemmer(language).stemWords(WORDS), strict=True)
    expected = [word if len(word) < 3 else known for word, known in stems]
    assert cutting(stem=stem).tokens(" ".join(WORDS)) == expected


def test_the_plural_s_goes_where_lucene_takes_it_and_after_vowels() -> None:
    """Lucene's EnglishMinimalStemmer has the same rules, but lets -aes, -ees, -ies and -oes be."""

    def lucene(word: str) -> str:
        if len(word) < 3 or word[-1] != "s" or word[-2] in "us":
            return word
        if word[-2] != "e":
            return word[:-1]
        if len(word) > 3 and word[-3] == "i" and word[-4] not in "ae":
            return word[:-3] + "y"
        return word if word[-3] in "iaoe" else word[:-1]

    ours = cutting(stem="s").tokens(" ".join(WORDS))
    different = {w for w, stem in zip(WORDS, ours, strict=True) if stem != lucene(w)}
    assert {w for w in different if not w.endswith(("aes", "ees", "oes", "aies", "eies"))} == set()
    assert different  # fees, shoes


def test_characters_become_what_opencc_makes_of_each_alone() -> None:
    machine, analyzer = opencc.OpenCC("t2s"), cutting(mode="character", simplified=True)
    characters = list(map(chr, [*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000), *range(0x20000, 0x2A6E0)]))
    others = {c for c in characters if analyzer.tokens(c) != [machine.convert(c)]}
    table = (ROOT / "lab/text/variants.tsv").read_text("utf-8")
    listed = {spelling for line in table.splitlines() for spelling in line.split("\t") if len(spelling) == 1}
    assert others <= listed, "only where regions differ is a character another one than OpenCC's"
    assert len(others) < 60
