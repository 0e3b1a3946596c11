"""The words that were added to a passage, on Compare: by weight, by language, the worst ones, and who else has one."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from lab.corpus import samples
from lab.retrieve.expanded import Expanded
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
LINK = {"lang": "en", "corpus": "handbook", "q": "parking", "compare.lists": "bm25,expanded"}


def opened(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    for name, value in {**LINK, **params}.items():
        app.query_params[name] = value
    app.switch_page("pages/retrieve/compare/page.py")
    return answered(app.run())


def said(app: AppTest) -> str:
    return "\n".join(str(x.value) for own in (app.subheader, app.caption, app.markdown) for x in own).replace("\\", "")


def test_the_selected_passage_shows_its_added_words_and_a_click_lists_who_has_one() -> None:
    corpus = samples.load("handbook").corpus
    index = Expanded().index(corpus)
    first = index.search("parking").hits[0].document
    app = opened(select=first.id)
    assert f"Words added to “{first.label}”" in said(app)
    words = index.added_to(first.id)
    own, other, worst = (app.button_group(key=f"compare.added.{n}") for n in range(3))
    assert own.options == [f"{w.word} {w.weight:.2f}" for w in words if w.han][:20]
    assert other.options == [f"{w.word} {w.weight:.2f}" for w in words if not w.han][:20]
    least = sorted(words, key=lambda w: (w.cosine, w.word))[:6]
    assert worst.options == [f"{w.word} {w.cosine:.2f}" for w in least]
    picked = next(w for w in words if w.term == "park" and not w.han)
    app.session_state["compare.added.1"] = picked.word
    app = answered(app.run())
    places, weights = index.holders("park")
    assert (
        f"**{picked.word}**, added to passages: {len(places)} of {len(corpus)}; idf′ = {index.idf('park'):.2f}"
        in said(app)
    )
    top = max(zip(weights, places, strict=True), key=lambda pair: (pair[0], -pair[1]))
    assert f"- {float(top[0]):.2f} · {corpus.documents[int(top[1])].label}" in said(app)


def test_without_such_a_list_there_are_no_added_words() -> None:
    assert "Words added to" not in said(opened(**{"compare.lists": "bm25"}))


def test_bm25_and_its_added_words_have_the_same_parameters() -> None:
    app = opened(**{"compare.bm25.k1": "0.5", "q": "员工"})
    assert not app.exception
    assert app.session_state["compare.bm25.k1"] == 0.5
