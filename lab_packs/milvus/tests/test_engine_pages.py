"""A corpus that stays in the lab's own engine, on the pages: opened by its name, its texts never loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from milvus_at_hand import free_port, needs_milvus
from night import spread
from streamlit.testing.v1 import AppTest
from ui.conftest import unescaped

from lab.algebra import Runner
from lab.corpus import samples
from lab.retrieve.lexical import BM25
from lab.retrieve.store import ExactVector, StoreVector
from lab.retrieve.vector import Vector
from lab.ui import i18n
from lab.ui.layout import export, frame
from lab.ui.lists import sources
from lab.ui.models import engines
from lab_packs.milvus import engine
from lab_packs.milvus.corpus import _Documents
from lab_packs.milvus.searches import MilvusVector

pytestmark = needs_milvus
ROOT = Path(__file__).parents[3]
CORPUS = "milvus:devices"


@pytest.fixture(autouse=True, scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        path = str(tmp_path_factory.mktemp("engine") / "lab.db")
        patch.setenv("LAB_MILVUS_URI", path)
        engine.fill(samples.folder("devices"))
        yield path
    engines._sizes.clear()
    engines._collection.clear()


def shown(page: str, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in {"lang": "en", "corpus": CORPUS, **link}.items():
        app.query_params[key] = value
    app.switch_page(page).run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    found = (app.markdown, app.caption, app.error, app.warning, app.info)
    return unescaped("\n".join(str(x.value) for some in found for x in some))


@pytest.mark.parametrize("lang", spread(["en", "zh"], 1))
def test_compare_searches_the_engine_and_says_what_it_cannot(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lists: list[Any] = []
    real = sources.show.lists

    def noted(page: str, panels: Any, *args: Any, **named: Any) -> Any:
        lists.extend(panels)
        return real(page, panels, *args, **named)

    monkeypatch.setattr(sources.show, "lists", noted)
    read: list[Any] = []
    monkeypatch.setattr(_Documents, "refuse", lambda self: read.append(1))
    app = shown("pages/retrieve/compare/page.py", lang=lang, q="headset shows E21")
    assert not read, "nobody reads all texts"
    said = "The texts stay in {engine}, which was filled for other searches than these: {names}."
    assert i18n.translate(said, lang).format(engine="Milvus", names="TF-IDF") in texts(app)
    memory = samples.load("devices").corpus
    true = [Runner(memory)(search, "headset shows E21", 100) for search in (BM25(), Vector(pieces="whole"))]
    assert [panel.ranking.ids[:10] for panel in lists] == [ranking.ids[:10] for ranking in true]
    assert [panel.ranking.made_by.label for panel in lists] == [panel.name for panel in lists] or lang == "zh"
    # the arithmetic is on the screen: the formula of BM25 with this document's numbers
    assert any(r"\ln" in str(x.value) for x in app.latex)


LISTS = ["whole/evaluate", "combine/fusion", "combine/mmr", "whole/judge", "refine/compress"]


@pytest.mark.parametrize("page", spread(LISTS, 1))
def test_pages_of_lists_work_on_it_without_its_texts(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app = shown(f"pages/{page}/page.py", **{"evaluate.n": "9"})
    assert not app.error, [x.value for x in app.error]
    assert app.session_state["corpus"] == CORPUS


def test_a_page_that_needs_all_texts_says_so_in_a_sentence() -> None:
    told = texts(shown("pages/start/corpus/page.py"))
    assert "The texts of devices stay in Milvus; this step would need all" in told
    assert "Run only the searches that it was filled for" in told


def test_an_engine_that_goes_away_leaves_a_sentence_and_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = f"http://127.0.0.1:{free_port()}"
    monkeypatch.setenv("LAB_MILVUS_URI", uri)
    monkeypatch.setattr(engines, "sizes", lambda: {CORPUS: 193})
    app = shown("pages/retrieve/compare/page.py")
    assert f"The Milvus server at {uri} does not answer." in unescaped(texts(app))
    assert app.session_state["corpus"] == "staff"


def test_strangers_are_not_shown_what_is_in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PUBLIC", "1")
    assert engines.sizes() == {}
    app = shown("pages/retrieve/compare/page.py")
    assert app.session_state["corpus"] == "staff"
    assert CORPUS not in [option for box in app.selectbox for option in box.options]


def test_an_engine_that_fails_offers_nothing_and_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_MILVUS_URI", "nonsense")
    assert engines.sizes() == {}
    monkeypatch.delenv("LAB_MILVUS_URI")
    assert engines.sizes() == {}


def test_a_program_opens_the_collection_by_its_name() -> None:
    corpus = engines.collection(CORPUS)
    lines = export.corpus_lines(frame.Frame(corpus, None))  # type: ignore[arg-type]
    told: dict[str, Any] = {}
    exec("\n".join(lines), told)  # what stands on the page is run
    assert len(told["corpus"]) == len(corpus.corpus)


# ---------------------------------------------------------------------------------------- the vector store page

STORE = "pages/retrieve/vector_store/page.py"
LONG = "家里猫主子掉毛厉害，扫地那玩意儿三天两头得拿剪刀剪，有没有省事点的"


LINKS: list[dict[str, str]] = [
    {"search": "relevance", "q": LONG, "chromavector.scale": "by length"},
    {},
    {"search": "mmr"},
    {"milvusvector.kind": "IVF_FLAT", "milvusvector.nprobe": "1"},
    {"milvusvector.kind": "FLAT"},
]


@pytest.mark.parametrize("link", spread(LINKS, 1), ids=str)
def test_the_vector_store_page_takes_its_lists_from_milvus(link: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lists: list[Any] = []
    real = sources.show.lists
    noted = lambda page, panels, *a, **b: (lists.extend(panels), real(page, panels, *a, **b))[1]  # noqa: E731
    monkeypatch.setattr(sources.show, "lists", noted)
    own = {name if name == "q" else f"vector_store.{name}": value for name, value in link.items()}
    app = shown(STORE, corpus="devices", **{"vector_store.store": "milvus", **own})
    assert not app.error, [x.value for x in app.error]
    assert not app.warning, [x.value for x in app.warning]
    made = (step.made_by for panel in lists for step in panel.ranking.lineage())
    makers = [own for own in made if isinstance(own, StoreVector)]
    assert [(type(own), own.space) for own in makers] == [
        *((ExactVector, space) for space in ("cosine", "l2", "ip")),
        (MilvusVector, "ip"),
    ]
    word, losses = {"IVF_FLAT": ("cells", 30), "FLAT": ("store", 0)}.get(link.get("milvusvector.kind"), ("graph", 0))
    exact, milvus = (panel.ranking.hits for panel in lists[2:])
    if link.get("search") == "mmr":  # of the candidates, not of the picks
        assert lists[3].below == "graph found 100 of the exact first 100"
    else:
        assert lists[3].below == f"{word} found {len(exact) - len(lists[3].lost)} of the exact first {len(exact)}"
        assert len(lists[3].lost) >= losses
        assert {x.hit.document.id for x in lists[3].lost}.isdisjoint(hit.document.id for hit in milvus)
    if link.get("search") == "relevance":
        assert all(own.min_relevance == 0.5 for own in makers)
        assert any(r"\sqrt2" in str(x.value) for x in app.latex)
        # lengths by the text: a product that is a little above 1 has a relevance near 0, a worse one stays
        products = [panel.ranking for panel in lists if panel.ranking.made_by.space == "ip"]
        assert len(products) == 2
        for product in products:
            past = [near for near in product.evidence if -0.4 < near.distance <= 0]
            assert past
            assert all(product.rank(near.document.id) is None for near in past)
            assert any(0 < hit.score < 1 for hit in product.hits)


def test_the_page_says_where_milvus_would_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LAB_MILVUS_URI")
    app = shown(STORE, corpus="devices")
    assert "Set LAB_MILVUS_URI (a file, a server or a cluster) to compare with Milvus." in texts(app)
    assert not app.error


def test_a_milvus_that_is_down_leaves_the_exact_lists_and_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = f"http://me:SECRETPW@127.0.0.1:{free_port()}"
    monkeypatch.setenv("LAB_MILVUS_URI", uri)
    told = texts(shown(STORE, corpus="devices", **{"vector_store.store": "milvus"}))
    assert "does not answer" in told
    assert "Until then the page shows the exact lists alone." in told
    assert "SECRETPW" not in told
