"""Whatever takes a corpus takes one of pieces, and whatever takes a search takes one over pieces."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import places
import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import catalog, formats
from lab.algebra import Derivation, Lift, Pipeline, Query, Ranking, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.derive.parts import ParentChild
from lab.evaluate.runs import run_many
from lab.refine.neighbours import Neighbours
from lab.retrieve.lexical import BM25
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]
PAGES = places.NAMES
SAMPLE = samples.load("devices")
PIECES = ParentChild(child=60)(SAMPLE.corpus)
JUDGED = Query("factory reset", id="q1")
DERIVATIONS = [cls() for cls in catalog.derivations().values()]


def opened(page: str, **params: str) -> AppTest:
    """A page on a corpus of pieces, with a question and its judgment."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    piece = next(d.id for d in PIECES if PIECES.origins[d.id] == "dv-021")
    app.session_state[frame.VISITOR].store(frame.UPLOADS)["pieces"] = Collection(PIECES, (JUDGED,), {"q1": {piece: 2}})
    for key, value in {"lang": "en", "corpus": "pieces", **params}.items():
        app.query_params[key] = value
    return app.switch_page(page).run()


@pytest.mark.parametrize("page", spread(PAGES, 1))
def test_a_page_takes_a_corpus_of_pieces(page: str):
    app = opened(page, q=JUDGED.text)
    assert not app.exception
    assert not app.error
    assert app.title


@pytest.mark.parametrize("derivation", spread(DERIVATIONS, 2), ids=lambda d: d.key)
def test_a_search_over_pieces_is_measured_and_written_as_it_ran(derivation: Derivation):
    search = Pipeline((BM25(),), derive=(derivation,), refine=(Lift(), Neighbours()))
    asked = SAMPLE.judged[:3]
    found = run_many({"it": search}, SAMPLE.corpus, asked)["it"]
    wanted = Runner(SAMPLE.corpus)(search, asked[0], 5)
    assert [doc for doc, _ in found.results[asked[0].id]][:5] == wanted.ids
    for again in (formats.from_toml(formats.to_toml(search)), formats.from_link(formats.to_link(search))):
        assert again == search
    corpus = ["from lab.corpus import samples", "", "corpus = samples.load('devices').corpus"]
    program, out = formats.to_python({"it": search}, corpus=corpus, query=asked[0], k=5), io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {"__name__": "__main__"})
    ids = re.findall(r"dv-\d+(?:#\d+)?", out.getvalue())
    assert [i for i in ids if i in wanted.ids][:5] == wanted.ids


def test_a_link_to_a_pipeline_over_pieces_restores_it_and_shows_its_list(monkeypatch: pytest.MonkeyPatch):
    shown, own = list[Ranking](), Page.end
    searches = [ParentChild(child=80)(BM25()), Pipeline((BM25(),), derive=(ParentChild(),), name="pieces themselves")]

    def end(page: Page, *told: object, **more: object) -> None:
        shown.extend(told[1].values())  # type: ignore[attr-defined]
        own(page, *told, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Page, "end", end)
    links = dict(zip(("pipeline.a", "pipeline.b"), map(formats.to_link, searches), strict=True))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", "q": JUDGED.text, **links}.items():
        app.query_params[key] = value
    app.switch_page("pages/whole/pipeline/page.py").run()
    assert not app.exception
    assert not app.error
    runner = Runner(SAMPLE.corpus)
    assert [r.ids[:10] for r in shown] == [runner(s, JUDGED.text, 10).ids for s in searches]
    assert all("#" in i for i in shown[1].ids[:3]), "without Lift the pieces are the hits"
