"""Letters without their accents, against tantivy's ASCII folding and against Unicode's own decomposition."""

from __future__ import annotations

import unicodedata

import pytest
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from lab.text import Analyzer, folded

READ = Analyzer(accents=True)
LATIN = [chr(c) for c in range(0xC0, 0x250) if chr(c).isalpha()]


def test_every_letter_of_latin_1_becomes_what_tantivy_makes_of_it() -> None:
    machine = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.lowercase()).filter(Filter.ascii_fold()).build()
    letters = [c for c in map(chr, range(0x100)) if c.isalpha() and c not in "ªºµ"]  # these are no accented letters
    assert len(letters) > 100
    assert [READ.read(c).text for c in letters] == [machine.analyze(c)[0] for c in letters]
    text = " ".join(letters)
    assert READ.read(text).text == machine.analyze(text)[0]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_latin_letter_is_that_of_its_decomposition_without_marks(form: str) -> None:
    checked = 0
    for c in [*LATIN, *map(chr, range(0x1E00, 0x1F00))]:
        apart = unicodedata.normalize("NFD", folded(c).text)
        bare = "".join(x for x in apart if not unicodedata.combining(x))
        if bare.isascii():
            assert READ.read(unicodedata.normalize(form, c)).text == bare, c
            checked += 1
    assert checked > 400


def test_other_alphabets_keep_their_marks() -> None:
    for text in ("й", "ё", "ά", "が", "한", "हिन्दी", "กำ", "قَال", "э\u0301"):
        assert READ.read(text) == folded(text)
