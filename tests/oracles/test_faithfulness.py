"""What a sentence has that its passages have not, against sets, and the support against its formula, at random."""

from __future__ import annotations

import random

import pytest
from night import seeds

from lab.algebra import Corpus, Document
from lab.answer.citations import BestSentence
from lab.answer.faithfulness import Faithfulness

CITIES = ["Berlin", "Paris", "Rome", "Lisbon", "Prague", "Vienna"]
UNITS = {"days": 1, "weeks": 7}
Fact = tuple[str, int]


def sentence(rng: random.Random) -> tuple[str, set[Fact], set[str]]:
    """A sentence, its durations (as written, in days), and its cities."""
    city, other = rng.sample(CITIES, 2)
    told = [
        (f"{n} {unit}", n * UNITS[unit]) for n, unit in ((rng.randint(2, 9), rng.choice([*UNITS])) for _ in range(2))
    ]
    text = f"The shop in {city} pays after {told[0][0]}, that in {other} after {told[1][0]}."
    return text, set(told), {city, other}


@pytest.mark.parametrize("seed", seeds(150))
def test_what_is_missing_and_what_is_left_of_the_similarity(seed: int) -> None:
    rng = random.Random(seed)
    made = [sentence(rng) for _ in range(rng.randint(1, 4))]
    passages = tuple(Document(f"d{i}", text) for i, (text, _, _) in enumerate(made))
    text, told, cities = sentence(rng)
    missing = rng.choice([0.5, 1.0, 0.2])
    (cited,) = BestSentence(rng.choice([0.1, 0.47, 1.0])).cite([text], passages, Corpus("made up", passages))
    (cell,) = Faithfulness(missing=missing).rate([cited], passages).cells
    assert cited.nearest is not None
    looked = {s.place.passage for s in cited.sources} or {cited.nearest.place.passage}
    days = {n for i in looked for _, n in made[i][1]}
    there = {city for i in looked for city in made[i][2]}
    lacking = {written for written, n in told if n not in days} | (cities - there)
    assert {flag.text for flag in cell.flags} == lacking
    share = len(cell.flags) / (2 + 2)
    assert cell.support == pytest.approx(max(cited.nearest.similarity - missing * share, 0.0))
    assert cell.level == ("unsupported" if not cited.sources else "partly" if lacking else "supported")
    for flag in cell.flags:
        written = {place.read(passages) for place in flag.instead}
        if flag.text in cities:
            assert not written
        else:
            own = {n for _, n in told}
            assert written <= {w for i in looked for w, n in made[i][1] if n not in own}
