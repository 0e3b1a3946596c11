"""Near-duplicates on the page Documents, and passages per document on Filter."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.corpus.statistics import word_spread

from .drawn import screen

ROOT = Path(__file__).parents[2]


def opened(page: str, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", **params}.items():
        app.query_params[key] = value
    app.switch_page(page).run()
    assert not app.exception
    return app


def test_the_report_says_how_many_passages_have_a_neighbour_and_lists_the_pairs() -> None:
    app = opened("pages/start/corpus/page.py", **{"corpus.fold.repeated": "1", "corpus.repeated.cosine": "0.96"})
    texts = [x.value for x in app.markdown]
    assert "**6 of 193 passages have a neighbour at 0.96 or more.**" in texts
    (pairs,) = (frame.value for frame in app.dataframe if "group" in frame.value.columns)
    assert list(pairs["cosine"]) == ["0.972", "0.971", "0.964"]
    assert sorted(pairs["group"]) == [1, 2, 3]
    nothing = opened("pages/start/corpus/page.py", **{"corpus.fold.repeated": "1", "corpus.repeated.cosine": "1.0"})
    assert "**0 of 193 passages have a neighbour at 1.00 or more.**" in [x.value for x in nothing.markdown]


def test_documents_names_repeated_passages_and_lengths_that_spread() -> None:
    texts = ["left blank"] * 3 + [f"note {i} on doors" for i in range(30)] + ["a long manual of doors " * 20] * 4
    corpus = Corpus("rows and pages", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    shown = screen("start/corpus", Collection(corpus), "doors").texts.replace("\\", "")
    assert word_spread(corpus) > 20
    assert f"The longest tenth of the passages has {word_spread(corpus):.1f}× the words of the median one" in shown
    assert "the text of another passage: 7. Passages with the most frequent text: 4, first d33" in shown


def test_the_filter_offers_the_fields_of_the_corpus_and_names_what_it_keeps() -> None:
    app = opened(
        "pages/refine/filter/page.py",
        **{"q": "reset", "filter.chain": "perdocument", "filter.perdocument.field": "topic"},
    )
    (field,) = (box for box in app.selectbox if box.label == "Field of the document")
    assert field.value == "topic"
    assert {"(none)", "topic", "source", "product"} <= set(field.options)
