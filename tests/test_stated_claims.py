"""What is said about other software is in docs/claims.toml, with its version, how it was seen and when."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import places
import pytest
from babel.messages.pofile import read_po

from lab import packs, presets
from maintenance.claims import LANGUAGES, ROOT, Claim, main, old, place_of, read, sentences

NAMES, CLAIMS, MENTIONS = read()
ROWS = [*CLAIMS, *MENTIONS]
GUIDES = sorted(places.guides("en") + places.guides("zh"))
STORES = re.compile("Milvus|Chroma|LAB_")
"""On the screen, the stores that the lab runs are named by every message about them."""
SEEN = {"run": r"(tests|findings|benchmarks)/\S+", "read": r"[\w.-]+/[\w.-]+ \S+\.\w+( and |, |\S| )* ?at \S+.*"}


def uncovered(place: str, text: str, language: str) -> list[str]:
    """Returns the sentences that name other software and belong to no row."""
    named = [sentence for sentence in sentences(text, language) if NAMES.search(sentence)]
    return [x for x in named if not any(row.covers(place, x, language) for row in ROWS)]


def screen() -> dict[str, str]:
    """Returns the English texts of the interface with their Chinese."""
    texts = {}
    for path in places.CATALOGUES:
        with path.open("rb") as file:
            for message in read_po(file):
                one = isinstance(message.id, str)
                texts[message.id if one else message.id[0]] = message.string if one else message.string[0]
    return texts


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: f"{place_of(path)}.{path.suffixes[0][1:]}")
def test_every_sentence_of_a_guide_that_names_other_software_has_a_row(guide: Path) -> None:
    language = guide.suffixes[0][1:]
    assert uncovered(place_of(guide), guide.read_text("utf-8"), language) == []


def test_a_sentence_without_a_row_is_found() -> None:
    for language, sentence in (
        ("en", "A new statement. Vespa divides by the largest score."),
        ("zh", "先说别的。Vespa 除以最高分。"),
    ):
        assert len(uncovered("combine/fusion", sentence, language)) == 1
    assert uncovered("combine/mmr", "| OpenSearch, min_max | 1 | 1 | 1/61 |", "en"), "a row belongs to its page"


def test_every_text_of_the_interface_and_every_preset_that_names_other_software_has_a_row() -> None:
    texts = [x for x in screen() if NAMES.search(x) and not STORES.search(x) and x not in NAMES.pattern.split("|")]
    assert [x for x in texts if not any(row.covers("screen", x, "en") for row in ROWS)] == []
    for preset in presets.presets().values():
        for language in LANGUAGES:
            assert uncovered("lab/presets.toml", preset.title[language], language) == []


def texts_of(place: str, language: str) -> str:
    """Returns the text of a place of a row: a page's guide, a file, or the interface."""
    if place == "screen":
        return "\n".join(screen() if language == "en" else screen().values())
    file = ROOT / place
    guides = [path for path in GUIDES if place_of(path) == place and f".{language}." in path.name]
    return "".join(re.sub(r"\s+", " ", path.read_text("utf-8")) for path in ([file] if file.is_file() else guides))


@pytest.mark.skipif(bool(packs.missing()), reason="a pack that is left out says some of them")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.software}: {row.en[0][:40]}")
def test_every_part_of_a_row_is_still_said(row: Claim) -> None:
    for language in LANGUAGES:
        texts = [texts_of(place, language) for place in row.where]
        assert [x for x in row.parts(language) if not any(re.sub(r"\s+", " ", x) in text for text in texts)] == []


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda row: f"{row.software}: {row.en[0][:40]}")
def test_every_claim_was_seen_in_a_version(claim: Claim) -> None:
    assert claim.software
    assert claim.version
    assert re.fullmatch(SEEN[claim.seen], claim.how), claim.how
    assert claim.when <= date.today()
    if claim.seen == "run":
        assert (ROOT / claim.how).is_file(), claim.how


def test_claims_older_than_half_a_year_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    today = date(2027, 1, 1)
    first, second, third = (Claim(("x",), ("x",), ("x",), when=today - timedelta(days=n)) for n in (184, 400, 183))
    assert old([first, second, third], today) == [second, first]
    main()
    assert capsys.readouterr().out.count("\n") == len(old(CLAIMS, date.today()))
