"""The tags on the page Documents: shares with their smoothing, and what the neighbours suggest."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.refine.tags import Tags

ROOT = Path(__file__).parents[2]
CORPUS = samples.load("textbook-tags-en").corpus


def opened(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    every = {"lang": "en", "corpus": CORPUS.name, "corpus.fold.tags": "1", "doc": CORPUS.documents[0].id, **params}
    for key, value in every.items():
        app.query_params[key] = value
    app.switch_page("pages/start/corpus/page.py").run()
    assert not app.exception
    return app


def column(app: AppTest, name: str, of: int) -> list[object]:
    frames = [frame.value for frame in app.dataframe if name in frame.value.columns]
    return list(frames[of][name])


def test_the_shares_are_those_of_the_library_and_the_sum_says_how_they_are_smoothed() -> None:
    app = opened(**{"corpus.tags.smoothing": "1000"})
    shares = Tags(smoothing=1000).shares(CORPUS)
    assert column(app, "share", 0) == [f"{x.share:.5f}" for x in shares.values()]
    total = sum(x.count for x in shares.values())
    assert f"with N = {total} and S = 1000." in "".join(c.value for c in app.caption)


def test_a_suggestion_has_its_lift_and_rounding_takes_it_away() -> None:
    suggested = Tags().for_document(CORPUS.documents[0], CORPUS)
    assert suggested
    assert column(opened(), "lift", 0) == [f"{x.lift:.3f}" for x in suggested]
    rounded = opened(**{"corpus.tags.rounding": "1"})
    assert not [frame for frame in rounded.dataframe if "lift" in frame.value.columns]
    assert f"The highest lift is {max(x.lift for x in suggested):.3f}" in "".join(i.value for i in rounded.info)


def test_a_corpus_without_tags_has_no_such_part() -> None:
    app = opened(corpus="textbook-okapi-en", doc="oe-1")
    assert not [x for x in app.expander if "Tags" in x.label]


def test_small_samples_are_one_entry_of_the_corpora_and_a_list_of_their_own():
    app = opened(corpus="staff")
    entries = app.selectbox("corpus").options
    assert [x for x in entries if "extbook" in x] == ["Textbook samples"]
    app.selectbox("corpus").select("textbook-dialogue-en").run()
    own = app.selectbox("_small_sample")
    assert len(own.options) == len(samples.textbook()) // 2
    own.select("textbook-okapi-en").run()
    assert not app.exception
    assert app.session_state["corpus"] == "textbook-okapi-en"
    assert app.selectbox("corpus").options == entries
    app = opened(corpus="textbook-filter-zh")  # of the other language: the menu must not have two of one name
    own = app.selectbox("_small_sample")
    assert len(set(own.options)) == len(own.options) == len(samples.textbook()) // 2 + 1
