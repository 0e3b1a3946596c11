"""Why a list is empty: the sentence is true of the case at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from night import for_each, sample, spread
from points import Points, corpus_of_points
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Retriever, Runner
from lab.models.lsa import LSA
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import SPACES, Vector
from lab.text import Analyzer
from lab.ui import components
from lab.ui.lists import nothing

ROOT = Path(__file__).parents[2]
TEXTS = ("园区停车位在地下二层。", "The kiln is hot on Monday.", "The clay is cold on Friday.", "Overrunning.")
CORPUS = Corpus("own", tuple(Document(str(i), text, metadata={"n": i}) for i, text in enumerate(TEXTS)))
WORDS = Analyzer(mode="whitespace")
SAID = {
    "blank": (BM25(), "  ", "The query is empty."),
    "no word": (BM25(), "???", "The query contains no searchable word."),
    "no word for vectors": (Vector(), "???", "The query contains no searchable word."),
    "nowhere": (BM25(), "zebra", "The corpus contains none of these words: zebra."),
    "cut otherwise": (
        BM25(analyzer=WORDS),
        "车位",
        "With this tokenizer, no passage contains any of these words: 车位.",
    ),
    "inside another word": (
        BM25(),
        "running",
        "With this tokenizer, no passage contains any of these words: running, by",
    ),
    "unknown to LSA": (Vector(LSA()), "冷气", "LSA-128 knows no word of this question"),
    "too far": (ChromaVector(max_distance=0.001), "kiln", "The nearest passage is at distance 0."),
    "filtered": (ChromaVector(where='{"n": 7}'), "kiln", "No passage that passes the filter"),
}


@for_each("search, query, said", SAID.values())
def test_an_empty_list_says_truly_why(search: Retriever, query: str, said: str):
    runner = Runner(CORPUS)
    ranking = runner(search, query, 10)
    assert not ranking.hits
    told = nothing.nothing(ranking, runner.index(search))
    assert told.startswith(said)
    assert ("threshold" in told or "limit" in told) == (said == SAID["too far"][2])
    assert ("filter" in told) == (said == SAID["filtered"][2])


def test_the_distance_and_the_limit_that_keep_a_list_empty_are_those_of_the_search():
    runner, search = Runner(CORPUS), ChromaVector(max_distance=0.001)
    nearest = min(1 - hit.score for hit in runner(Vector(), "kiln", 10))
    told = nothing.nothing(runner(search, "kiln", 10), runner.index(search))
    assert f"at distance {nearest:.4f}; the limit is 0.0010." in told


@for_each("seed", sample(range(90), 30))
def test_whoever_changes_the_limits_that_are_named_finds_something_and_half_of_it_is_not_enough(seed: int):
    rng = np.random.default_rng(seed)
    points = [f"{x:.2f} {y:.2f}" for x, y in rng.uniform(0.05, 1.3, (int(rng.integers(1, 6)), 2))]
    runner = Runner(corpus_of_points(points, rng.integers(0, 2, len(points)).tolist()))
    limits = {"max_distance": round(rng.uniform(0, 0.6), 3), "min_relevance": round(rng.uniform(0.3, 1), 3)}
    knobs = {"space": tuple(SPACES)[seed % 3], "where": '{"n": 1}' if seed % 5 == 0 else ""}

    def search(*names: str) -> ChromaVector:
        return ChromaVector(Points(), **knobs, **{name: limits[name] for name in names})

    def finds(*names: str) -> bool:
        return bool(runner(search(*names), "1 0.2", 10).hits)

    if finds(*limits):
        return
    told = nothing.nothing(runner(search(*limits), "1 0.2", 10), runner.index(search(*limits)))
    found = finds("min_relevance"), finds("max_distance"), finds()
    if "Raise the distance limit and lower the relevance threshold" in told:
        assert found == (False, False, True)
    elif "Raise the limit" in told:
        assert found == (True, False, True)
    elif "Lower the threshold" in told:
        assert found[1:] == (True, True)
    else:
        assert "passes the filter" in told
        assert not found[2]
    assert ("the filter" in told) == bool(knobs["where"])


def test_in_a_large_corpus_no_claim_is_made_of_what_was_not_looked_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(nothing, "LOOKED", len(CORPUS) - 1)
    runner = Runner(CORPUS)
    told = nothing.nothing(runner(BM25(), "zebra", 10), runner.index(BM25()))
    assert told.startswith("With this tokenizer, no passage contains any of these words: zebra.")


def opened(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"lang": "en", **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception
    return app


@pytest.mark.parametrize("kind", spread(["similarity", "threshold", "mmr"], 1))
def test_the_vector_store_does_not_speak_of_a_limit_or_filter_where_the_question_has_no_word(
    monkeypatch: pytest.MonkeyPatch, kind: str
):
    notes: list[str] = []
    monkeypatch.setattr(components, "lists", lambda data, **_: notes.extend(x["note"] for x in data["lists"]))
    opened("retrieve/vector_store", q="???", **{"vector_store.search": kind})
    assert notes == ["The query contains no searchable word. Try a whole word."] * 4


@pytest.mark.parametrize(("text", "said"), [("", "Type a word"), ("qzxv qzxv", ""), ("???", "knows none")])
def test_an_empty_field_of_the_vocabulary_is_no_unknown_word(text: str, said: str):
    told: list[Any] = [info.value for info in opened("start/vocabulary", **{"vocabulary.q": text}).info]
    assert any(said in value for value in told) or not said
    assert any("knows none" in value for value in told) == (said == "knows none")
