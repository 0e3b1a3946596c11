"""Inside the index: each step in words is the step of the walk, and the page follows its knobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from ui import conftest
from ui.conftest import texts

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.retrieve.lexical import BM25
from lab.ui.figures import charts
from lab_packs.inside.pages.index.inside import parts
from lab_packs.inside.postings import size_of, walk

ROOT = Path(__file__).parents[2]
QUESTION = "Does the company give shares to its staff?"
KILNS = Collection(
    Corpus("kilns", tuple(Document(f"d{i}", "kiln the" if i in (1, 4, 6) else "the", f"Title {i}") for i in range(12))),
    (Query("kiln the", id="q1"),),
    {"q1": {"d1": 1}},
)


def opened(question: str, corpus: str = "staff", own: Collection | None = None, **link: str) -> AppTest:
    return conftest.opened("index/inside", own, corpus=corpus, q=question, **link)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[charts.Figure]:
    figures, real = list[charts.Figure](), charts.clickable

    def keep(figure: charts.Figure, key: str) -> object:
        figures.append(figure)
        return real(figure, key)

    monkeypatch.setattr(charts, "clickable", keep)
    return figures


def test_the_page_opens_on_the_first_step_that_leaves_a_passage() -> None:
    walked = walk(BM25().index(samples.load("staff").corpus), QUESTION)
    first = next(n for n, step in enumerate(walked.steps, 1) if step.score is None)
    app = opened(QUESTION)
    step = walked.steps[first - 1]
    assert app.slider(key="inside.step").value == first
    assert f"**Step {first} of {len(walked.steps)}:** passage {step.document + 1}" in texts(app)
    assert f"**Left:** at most {step.bound:.3f} in all, but rank 10 so far has {step.needed:.3f}." in texts(app)
    assert f"Postings read: {walked.read} of {walked.postings} (28%)" in texts(app)


def test_a_step_is_told_as_it_is_and_another_question_begins_anew() -> None:
    app = opened("kiln the", "kilns", KILNS, **{"inside.k": "2", "inside.step": "6"})
    told = texts(app)
    assert "**Step 6 of 6:** passage 7, “Title 6”" in told  # d1 and d4 fill the best two; then only kiln leads
    assert "Passages skipped before it: 1, with only “the”" in told
    assert "“kiln”: read, adds" in told
    assert "“the”: read, adds" in told
    assert "“Title 1” is no longer among the best 2." in told  # its score is equal
    assert "Passages skipped after it: 5, with only “the”" in told
    app.slider(key="inside.step").set_value(5).run()
    assert "“Title 3” is no longer among the best 2." in texts(app)
    app.number_input(key="inside.k").set_value(5).run()
    walked = walk(BM25().index(KILNS.corpus), "kiln the", k=5)
    assert app.slider(key="inside.step").value == parts.telling(walked)
    assert f"Postings read: {walked.read} of 15" in texts(app)


def test_sliding_opens_the_passage_of_the_step() -> None:
    app = opened("kiln the", "kilns", KILNS, **{"inside.k": "2"})
    app.slider(key="inside.step").set_value(2).run()
    assert app.session_state["doc"] == "d1"


def test_the_picture_has_a_dot_for_each_posting_filled_where_it_is_read(drawn: list[charts.Figure]) -> None:
    opened("kiln the", "kilns", KILNS, **{"inside.k": "2"})
    walked = walk(BM25().index(KILNS.corpus), "kiln the", k=2)
    rows = [t for t in drawn[-1]["data"] if t.get("mode") == "markers" and "yaxis" not in t]
    filled = sum(len(t["x"]) for t in rows if t["marker"]["color"] != "rgba(0,0,0,0)")
    hollow = sum(len(t["x"]) for t in rows if t["marker"]["color"] == "rgba(0,0,0,0)")
    assert (filled, filled + hollow) == (walked.read, walked.postings)


@pytest.mark.parametrize("question", ["", "zebra"])
def test_where_nothing_is_found_the_page_says_why(question: str) -> None:
    app = opened(question, "kilns", KILNS)
    assert app.info
    assert not any(x.key == "inside.step" for x in app.slider)


def test_the_sets_and_the_bytes_are_told_when_they_are_opened() -> None:
    app = opened("kiln the", "kilns", KILNS, **{"inside.fold.boolean": "1", "inside.fold.bytes": "1"})
    told = texts(app)
    assert "Passages: 2, 5, 7" in told
    assert "Gaps: 2, 3, 2" in told
    assert "Bytes as 32-bit numbers: 12; as gaps, with seven bits a byte: 3." in told
    size = size_of(BM25().index(KILNS.corpus))
    assert f"terms {size.terms}, postings {size.postings}; bytes of passage numbers {size.plain}" in told
    every, some = (frame.value for frame in app.dataframe[:2])
    assert list(every.columns[:3]) == ["word", "df", "left"]
    assert every["left"].tolist() == [3, 3]
    assert some["left"].tolist() == [3, 12]


@pytest.mark.parametrize("key", ["tfidf", "bm25"])
def test_any_list_by_words_can_be_walked(key: str) -> None:
    assert "Postings read" in texts(opened(QUESTION, **{"inside.by": key}))


def test_a_pair_with_the_name_of_a_word_is_told_apart() -> None:
    walked = walk(BM25().index(samples.load("handbook").corpus), "补助一天多少钱")
    names = parts.word_names(walked)
    assert len(set(names)) == len(names)
    assert "补助 (pair)" in names


def test_a_word_is_called_without_its_stem() -> None:
    walked = walk(BM25().index(samples.load("staff").corpus), QUESTION)
    call: Callable[..., list[str]] = parts.word_names
    assert "shares" in call(walked)
