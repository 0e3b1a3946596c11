"""Compression: the pictures are those of the lists, each parameter changes its own kind, and losses are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from night import spread
from streamlit.testing.v1 import AppTest
from ui import conftest
from ui.conftest import texts

from lab.algebra import Corpus, Document, Query
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.ui.figures import charts
from lab.ui.lists import show
from lab_packs.inside import compression
from lab_packs.inside.compressed import KINDS, Compressed
from lab_packs.inside.compression import MEASURE, RECALL, exact_lists, losses, quality_of
from lab_packs.inside.pages.retrieve.compression import parts

ROOT = Path(__file__).parents[3]
QUESTION = "my earnings statement for June"
KIND, N, BYTES = (f"compression.compressed.{name}" for name in ("kind", "n", "bytes"))
RESCORE = "compression.compressed.rescore"
STAFF = samples.load("staff")


def opened(question: str = QUESTION, corpus: str = "staff", own: Collection | None = None, **link: str) -> AppTest:
    return conftest.opened("retrieve/compression", own, corpus=corpus, q=question, **link)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[show.Panel]:
    drawn, real = list[show.Panel](), show.lists

    def keep(page: str, panels: list[show.Panel], *args: object, **how: object) -> None:
        drawn[:] = panels
        real(page, panels, *args, **how)

    monkeypatch.setattr(show, "lists", keep)
    return drawn


def test_the_lists_are_those_of_full_vectors_codes_and_rescoring(lists: list[show.Panel]) -> None:
    app = opened()
    own = Compressed(kind="binary", rescore=20)
    expected = [own.full, Compressed(kind="binary"), own]
    assert [panel.ranking.made_by for panel in lists] == expected
    found = [search.index(STAFF.corpus).search(QUESTION) for search in expected]
    assert [panel.ranking.ids for panel in lists] == [ranking.ids for ranking in found]
    both = len(set(found[0].ids[:10]) & set(found[1].ids[:10]))
    assert lists[1].below == f"Bytes per passage: 32 · {both} of the exact first 10"
    missing = [doc for doc in found[0].ids[:10] if doc not in found[2].ids]
    assert [lost.hit.document.id for lost in lists[2].lost] == missing
    app.slider(key=RESCORE).set_value(0).run()
    assert len(lists) == 2


@pytest.mark.parametrize("measure", spread([MEASURE, RECALL], 1))
def test_every_kind_has_a_dot_with_its_quality_and_its_bytes(figures: dict[str, charts.Figure], measure: str) -> None:
    opened(**{"compression.measure": measure})
    asked = [q for q in STAFF.queries if any(g > 0 for g in STAFF.qrels.get(q.id, {}).values())]
    exact = exact_lists(STAFF.corpus, Compressed().full, asked)
    _line, coded, rescored, full = figures["compression.cost.picture"]["data"]
    for trace, rescore in ((coded, 0), (rescored, 20)):
        assert trace["customdata"] == list(KINDS)
        for kind, x, y in zip(KINDS, trace["x"], trace["y"], strict=True):
            quality = quality_of(Compressed(kind=kind, rescore=rescore), STAFF.corpus, asked, STAFF.qrels, exact)
            assert y == quality.value(measure)
            assert x == pytest.approx(np.log2(quality.bytes), abs=0.2)
    assert full["x"] == [np.log2(1024)]


def test_a_parameter_measures_its_own_kind_again_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus("own staff", STAFF.corpus.documents)
    own = Collection(corpus, STAFF.queries[:12], {q.id: STAFF.qrels.get(q.id, {}) for q in STAFF.queries[:12]})
    measured, real = list[object](), compression.quality_of

    def counted(search: object, *args: object, **how: object) -> object:
        measured.append(search)
        return real(search, *args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(parts, "quality_of", counted)
    app = opened(corpus="own staff", own=own)
    assert len(measured) == 1 + 2 * len(KINDS)
    measured.clear()
    app.select_slider(key=N).set_value(128).run()
    assert measured == [Compressed(kind="first", n=128), Compressed(kind="first", n=128, rescore=20)]
    measured.clear()
    app.selectbox(key=KIND).set_value("first").run()
    assert measured == []


def test_what_a_code_loses_is_named_with_its_ranks_and_rounding() -> None:
    app = opened(**{KIND: "first", N: "128"})
    exact = Compressed().full.index(STAFF.corpus).search(QUESTION)
    own = Compressed(kind="first", n=128).index(STAFF.corpus).search(QUESTION, k=len(STAFF.corpus))
    lost = losses(exact, own)
    assert {x.document.id for x in lost} == set(exact.ids[:10]) - set(own.ids[:10])
    table = next(frame.value for frame in app.dataframe if "coded" in frame.value)
    assert table["title"].tolist() == [x.document.label for x in lost]
    assert table["coded"].tolist() == [str(own.rank(x.document.id)) for x in lost]
    (payslips,) = [row for row in table.to_dict("records") if row["title"] == "Payslips"]
    assert (payslips["rank"], payslips["coded"]) == (2, "22")
    assert f"**Lost from the exact first 10: {len(lost)}**" in texts(app)


@pytest.mark.parametrize("kind", spread(KINDS, 2))
def test_the_bars_below_a_vector_sum_to_what_the_code_changes(figures: dict[str, charts.Figure], kind: str) -> None:
    opened(**{KIND: kind, "doc": "sh-081"})
    index = Compressed(kind=kind).index(STAFF.corpus)
    hit = index.search(QUESTION, k=len(STAFF.corpus)).hit("sh-081")
    exact = Compressed().full.index(STAFF.corpus).search(QUESTION).hit("sh-081")
    assert hit is not None
    assert exact is not None
    vector, _code, change = figures["compression.vector.picture"]["data"]
    assert len(vector["x"]) == 256
    expected = hit.score if kind == "hamming" else hit.score - exact.score
    assert sum(change["y"]) == pytest.approx(expected, abs=0.003)  # bars are rounded
    assert len(change["x"]) == (32 if kind == "pq" else 256)


def test_only_what_the_model_allows_can_be_chosen() -> None:
    app = opened()
    assert app.select_slider(key=BYTES).options == ["1", "2", "4", "8", "16", "32", "64", "128", "256"]
    assert app.select_slider(key=N).options[-1] == "256"
    assert opened(**{BYTES: "30", N: "999"}).select_slider(key=BYTES).value == 32


def test_without_judgments_the_picture_is_of_the_exact_list(figures: dict[str, charts.Figure]) -> None:
    kilns = Corpus(
        "kilns", tuple(Document(f"d{i}", f"kiln {word}") for i, word in enumerate(("glaze", "clay", "ferry")))
    )
    app = opened("kiln clay", "kilns", Collection(kilns, (Query("kiln", id="q1"),)))
    assert "Questions: 1, none judged" in texts(app)
    assert figures["compression.cost.picture"]["layout"]["yaxis"]["title"]["text"] == RECALL


@pytest.mark.parametrize("question", ["", "\u2603\u2603"])
def test_where_nothing_is_found_the_page_stands_and_says_why(question: str, lists: list[show.Panel]) -> None:
    opened(question, lang="en")
    assert all(panel.empty for panel in lists)


def test_other_pages_offer_compressed_vectors_under_the_model_of_the_frame() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"lang": "en", "corpus": "staff", "embedder": "lsa", "fusion.lists": "bm25,compressed"}.items():
        app.query_params[name] = value
    app.switch_page("pages/combine/fusion/page.py").run()
    assert not app.exception
    assert not app.error
    assert "compressed" in app.multiselect(key="fusion.lists").value


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ([], False),
        ([(5.3, 0.5)], True),  # a dot where the name would be
        ([(4.7, 0.5)], False),
        ([(5.3, 0.5), (4.7, 0.5)], False),  # no better at the left
        ([(5.3, 0.9)], False),  # far above it
        ([(9.0, 0.5)], False),  # behind the name's end
    ],
)
def test_the_name_of_a_dot_stands_where_no_other_dot_is(others: list[tuple[float, float]], left: bool) -> None:
    assert parts.names_left((5.0, 0.5), 5, [(5.0, 0.5), *others], (60, 500)) is left


@pytest.mark.parametrize(("n", "passages", "effect"), [(42, "4", "by heart"), (1_200, "5", "apart")])
def test_the_page_says_how_many_passages_share_a_centre(n: int, passages: str, effect: str) -> None:
    corpus = Corpus("many", tuple(Document(f"d{i}", f"room {i} {i * 7}") for i in range(n)))
    sentence = parts.learned(Compressed(kind="pq", bytes=8).index(corpus))
    assert f"Passages per centre: {passages}." in sentence
    assert effect in sentence
