"""What a page says of a document and of its own corpus is true at the corners, too."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from night import for_each
from packed import packed
from points import Points
from streamlit.testing.v1 import AppTest

from lab.algebra import Contribution, Corpus, Document, Hit, Query, Ranking, Runner
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.explain.questions import suggest_questions
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.lexical import BM25
from lab.retrieve.store import ExactVector, StoreIndex, StoreVector
from lab.retrieve.vector import SPACES, Vector
from lab.ui import components, palette
from lab.ui.figures import charts, rank_charts
from lab.ui.layout import frame, questions
from lab.ui.lists import facets, show, why
from lab.ui.people.visitor import Visitor
from pages.retrieve.vector_store import parts as stores

ROOT = Path(__file__).parents[2]
FERRY = "The ferry leaves the harbour at seven every morning except Sunday."
TWO = Corpus("two", (Document("f", FERRY), Document("l", "The lighthouse was built in 1871 and its lamp is seen.")))
BINARY = Collection(TWO, (Query("ferry harbour", id="q"),), {"q": {"f": 1, "l": 0}})
GRADED = Collection(TWO, (Query("ferry harbour", id="q"),), {"q": {"f": 1, "l": 2}})


def opened(page: str, own: Collection | None = None, **link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    if own is not None:
        app.session_state[frame.VISITOR].store(frame.UPLOADS)["two"] = own
        link = {"corpus": "two", **link}
    for name, value in {"lang": "en", **link}.items():
        app.query_params[name] = value
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return "\n".join(x.value for kind in (app.caption, app.info, app.markdown, app.subheader) for x in kind)


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    drawn: list[dict[str, Any]] = []
    monkeypatch.setattr(components, "lists", lambda data, **_: drawn.extend(data["lists"]))
    return drawn


def tags(drawn: list[dict[str, Any]], doc: str) -> list[str]:
    return next(hit["tags"] for own in drawn for hit in own["hits"] if hit["id"] == doc)


def test_what_is_relevant_by_a_judgment_of_yes_or_no_answers(lists: list[dict[str, Any]]):
    app = opened("retrieve/compare", BINARY, q="ferry harbour", doc="f")
    assert tags(lists, "f") == ["answers"]
    assert tags(lists, "l") == []
    assert "judged: answers the question" in said(app)


def test_where_judgments_have_grades_the_lowest_helps(lists: list[dict[str, Any]]):
    app = opened("retrieve/compare", GRADED, q="ferry harbour", doc="f")
    assert (tags(lists, "f"), tags(lists, "l")) == (["helps"], ["answers"])
    assert "judged: helps" in said(app)


@for_each("grades, least", [({}, 2), ({"f": 0}, 2), ({"f": 1}, 1), ({"f": 1, "l": 2}, 2), ({"f": 3}, 2)])
def test_the_grade_from_which_a_document_answers_is_that_of_the_collection(grades: dict[str, int], least: int):
    assert Collection(TWO, (Query("x", id="q"),), {"q": grades}).answering == least


QUERY = "battery does not charge"
DEVICES = samples.load("devices").corpus


def test_a_passage_behind_the_end_of_a_list_has_its_rank_and_its_cosine():
    whole = Vector().index(DEVICES).search(QUERY, k=len(DEVICES))
    doc = next(d for d in BM25().index(DEVICES).search(QUERY).ids if (whole.rank(d) or 0) > 100)
    told = said(opened("retrieve/compare", corpus="devices", q=QUERY, doc=doc))
    assert f"#{whole.rank(doc)} of {len(whole)} · " in told
    assert "not among the hits" not in told
    assert " is scored" in told


@pytest.mark.parametrize("space", SPACES)
def test_what_is_behind_the_end_of_an_exact_list_has_its_rank_and_its_figures(space: str):
    runner, exact = Runner(DEVICES), ExactVector(space=space, scale="by length")
    whole = runner(exact, QUERY, len(DEVICES))
    found = stores.Found(exact, exact, runner(exact, QUERY, 5))
    hit, rank = whole.hits[-1], len(whole)
    distance = 1 / hit.score - 1 if space == "l2" else 1 - hit.score
    told = found.numbers(hit.document.id, runner)
    langchain = {"cosine": 1 - distance, "ip": 1 - distance if distance > 0 else -distance, "l2": 1 - distance / 2**0.5}
    assert told.pop("relevance") == f"{langchain[space]:.4f}"
    assert told == {"rank": f"#{rank} of {rank}", "distance": f"{distance:.4f}", "score": f"{hit.score:.4f}"}
    narrow = replace(exact, where='{"lang": "zh"}')
    gone = next(d.id for d in DEVICES if d.metadata.get("lang") != "zh")
    told = stores.Found(narrow, narrow, runner(narrow, QUERY, 5)).numbers(gone, runner)
    assert (told["distance"], told["score"]) == ("–", "–")


POINTS = Corpus("points", tuple(Document(f"p{i}", text) for i, text in enumerate(("1 0", "2 1", "3 1", "1 1", "1 2"))))


@pytest.fixture
def milvus_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LAB_MILVUS_URI", str(tmp_path / "lab.db"))
    return tmp_path / "lab.db"


RATED = Corpus("rated", tuple(Document(d.id, d.text, metadata={"r": i}) for i, d in enumerate(POINTS)))


@pytest.mark.parametrize("store", [ChromaVector(Points(), "ip"), *packed("MilvusVector", Points(), "ip")])
def test_what_a_store_does_not_have_or_filters_is_not_said_to_be_lost(store: StoreVector, milvus_file: Path):
    filtered = replace(store, where='{"r": {"$lt": 3.5}}')
    runner = Runner(RATED)
    true = runner(replace(store.exact, where=""), "1 1", 5)  # a store that filters otherwise than the lab
    found = runner(filtered, "1 1", 5)
    beside = stores.Beside(
        stores.Found(filtered, filtered, found), stores.Found(store.exact, store.exact, true), runner
    )
    assert beside.count() == "store found 4 of the exact first 5"
    assert [x.words for x in beside.lost()] == [f"removed by the store's filter (exact rank {true.rank('p4')})"]
    assert beside.end() == "4 of 4: the store returned no more."
    index = runner.index(store)
    assert isinstance(index, StoreIndex)
    assert index.absences(["p1", "p4"]) == {}
    index.shelf.collection.delete(ids=["1"]) if hasattr(index.shelf, "collection") else index.shelf._call(
        "delete", ids=[1]
    )
    assert index.absences(["p1", "p4"]) == {"p1": "missing"}
    assert runner.index(filtered).absences(["p1", "p4"]) == {"p1": "missing", "p4": "filtered"}


GRAPH = ("graph found", "lost by the graph", "the graph reached no more")
CELLS = ("cells found", "lost by the cells", "the searched cells contain no more")
FLAT = ("store found", "lost by the store", "the store returned no more")


@pytest.mark.parametrize(
    ("store", "words"),
    [
        (ChromaVector(Points(), "ip"), GRAPH),
        *((store, GRAPH) for store in packed("MilvusVector", Points(), "ip")),
        *((store, CELLS) for store in packed("MilvusVector", Points(), "ip", kind="IVF_FLAT")),
        *((store, FLAT) for store in packed("MilvusVector", Points(), "ip", kind="FLAT")),
    ],
)
def test_what_a_store_lost_is_said_of_what_it_searches_in(
    store: StoreVector, words: tuple[str, str, str], milvus_file: Path
):
    runner = Runner(POINTS)
    true = runner(store.exact, "1 1", 5)
    reached = tuple(near for near in true.evidence if near.document.id in ("p1", "p4"))
    hits = tuple(hit for hit in true.hits if hit.document.id in ("p1", "p4"))
    own = Ranking(true.query, hits, store, evidence=reached, corpus=POINTS)
    beside = stores.Beside(stores.Found(store, store, own), stores.Found(store.exact, store.exact, true), runner)
    count, lost, end = words
    assert beside.absences == {}
    assert beside.count() == f"{count} 2 of the exact first 5"
    assert [(x.rank, x.hit.document.id, x.words) for x in beside.lost()] == [
        (rank, doc, f"{lost} (exact rank {rank})") for rank, doc in enumerate(true.ids, 1) if doc not in ("p1", "p4")
    ]
    assert beside.end() == f"2 of 2: {end}."
    for doc in true.ids:
        told, exact = beside.numbers(doc, runner), beside.exact.numbers(doc, runner)
        assert told["rank"] == (own.rank(doc) and f"#{own.rank(doc)}" or f"{lost} (exact rank {true.rank(doc)})")
        assert {**told, "rank": ""} == {**exact, "rank": ""}
    panel = show.Panel(own, "A", "#123456", lambda _: [], below=count, lost=beside.lost(), end=beside.end())
    column = show._Columns(POINTS, 8, "", {}, False, facets.Facets("compare", "", "")).column(panel, None)
    assert [hit["id"] for hit in column["hits"]] == true.ids
    assert [bool(hit.get("lost")) for hit in column["hits"]] == [doc not in ("p1", "p4") for doc in true.ids]
    assert column["end"] == f"2 of 2: {end}."
    assert column["below"] == count
    short = show._Columns(POINTS, 3, "", {}, False, facets.Facets("compare", "", "")).column(panel, None)
    assert [hit["id"] for hit in short["hits"]] == true.ids[:3]
    assert short["end"] == f"{sum(doc in ('p1', 'p4') for doc in true.ids[:3])} of 2"
    assert short["more"] == "2 more"


def test_a_list_that_lacks_the_passage_explains_why_it_is_not_there():
    told = said(opened("retrieve/compare", Collection(TWO), q="ferry", doc="l"))
    assert "lists that contain it: 1 of 3" in told
    assert told.count("Why it is not in this list") == 2
    told = said(opened("retrieve/compare", Collection(TWO), q="the", doc="f"))
    assert "lists ·" not in told
    assert "not in this list" not in told


def test_a_judged_question_is_named_where_there_are_some():
    assert "under “Suggestions”" not in said(opened("refine/rerank", Collection(TWO), q="ferry"))
    assert "Choose one under “Suggestions”." in said(opened("refine/rerank", BINARY, q="lighthouse"))


def test_the_first_question_of_an_upload_finds_its_passage_or_is_whole_words():
    app = opened("refine/rerank", Collection(TWO))
    assert app.session_state["q"] in suggest_questions(Collection(TWO), questions.MADE)
    assert app.selectbox("rerank.example").options == [
        q for q in suggest_questions(Collection(TWO), questions.MADE) if q != app.session_state["q"]
    ]


def test_of_a_corpus_too_large_to_look_for_questions_whole_words_are_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(questions, "LARGE", 0)
    assert opened("refine/rerank", Collection(TWO)).session_state["q"] == "The ferry leaves the harbour at seven"
    short = Collection(Corpus("two", (Document("a", "The kiln is hot. It cools at night."),)))
    assert opened("retrieve/compare", short).session_state["q"] == "The kiln is hot."
    long = Collection(Corpus("two", (Document("a", "x" * 90),)))
    assert opened("retrieve/compare", long).session_state["q"] == "x" * 40


def test_a_sentence_below_the_limit_says_why_it_is_kept():
    link = {"compress.sentenceextractor.threshold": "0.9", "compress.embeddingsfilter.threshold": "-1"}
    told = said(opened("refine/compress", corpus="devices", q="battery does not charge", **link))
    assert "below the threshold 0.90: 1, kept because the minimum is 1" in told
    link["compress.sentenceextractor.threshold"] = "-1"
    assert "below the threshold" not in said(
        opened("refine/compress", corpus="devices", q="battery does not charge", **link)
    )


def test_a_duplicate_names_its_twin_by_the_title_that_its_card_shows(lists: list[dict[str, Any]]):
    twins = (Document("a1", FERRY, "Ferry times"), Document("a2", FERRY, "Ferry times"), Document("b", "The kiln."))
    link = {"filter.chain": "semanticdedup", "q": "ferry"}
    opened("refine/filter", Collection(Corpus("two", twins)), **link)
    kept, removed = lists
    assert [hit["id"] for hit in removed["hits"]] == ["a2"]
    assert "with “Ferry times”, kept at rank 1" in removed["hits"][0]["reason"]
    assert kept["hits"][0]["title"] == "Ferry times"


def test_in_the_rank_flow_the_selected_document_is_thick():
    corpus = Corpus("own", tuple(Document(str(i), f"x {i}") for i in range(3)))
    ranking = Ranking(Query("x"), tuple(Hit(d, 1.0) for d in corpus), BM25(), corpus=corpus)
    drawn = rank_charts.rank_flow([ranking] * 2, "AB", ["red"] * 2, corpus, depth=3, selected="0")["data"]
    widths = {line["customdata"][0]: line["line"]["width"] for line in drawn if "line" in line}
    assert widths["0"] > widths["1"] == widths["2"]


def test_tau_says_of_how_many_shared_passages_it_is(monkeypatch: pytest.MonkeyPatch):
    tables: list[tuple[Any, ...]] = []
    monkeypatch.setattr(charts, "table_map", lambda *of, **how: tables.append((*of, how)) or {})
    monkeypatch.setattr(charts, "draw", lambda *_, **__: None)
    corpus = Corpus("own", tuple(Document(i, i) for i in "abcde"))
    lists = [
        Ranking(Query("x"), tuple(Hit(Document(i, i), 1.0) for i in ids), BM25(), corpus=corpus)
        for ids in ("abc", "bca", "dec")
    ]
    why.agreement(lists, ["A", "B · long name", "C"], 3)
    tau = tables[1][-1]["texts"]
    assert tau[0] == ["1.00 (3)", f"{(1 - 2) / 3:.2f} (3)", "–"]
    assert tables[1][-1]["rows"] == ["1 A", "2 B · long name", "3 C"]
    assert tables[1][-1]["columns"] == ["1", "2", "3"]


def test_the_lines_of_the_tipping_chart_are_those_that_its_caption_names():
    told = said(opened("combine/fusion", corpus="devices", q=QUERY, **{"fusion.fold.every": "1"}))
    assert "all documents that are among the first five anywhere on this axis" in told


def test_a_score_below_zero_has_a_grey_bar_that_ends_at_the_zero_line():
    corpus = Corpus("own", tuple(Document(str(i), "x") for i in range(3)))

    def bars(*scores: float) -> tuple[list[tuple[float, float, str]], float]:
        hits = tuple(Hit(d, score) for d, score in zip(corpus, scores, strict=True))
        ranking = Ranking(Query("x"), hits, BM25(), corpus=corpus)
        made = show._Columns(corpus, 3, "", {}, False, facets.Facets("compare", "", ""))
        column = made.column(show.Panel(ranking, "A", "#123456", lambda _: []), None)
        (parts,) = zip(*(hit["parts"] for hit in column["hits"]), strict=True)
        return [(round(x["left"], 6), round(x["width"], 6), x["color"]) for x in parts], round(column["zero"], 6)

    own, grey = "#123456", palette.mute()
    assert bars(-0.01, -0.02, -0.04) == ([(75, 25, grey), (50, 50, grey), (0, 100, grey)], 100)
    assert bars(0.3, -0.05, -0.1) == ([(25, 75, own), (12.5, 12.5, grey), (0, 25, grey)], 25)
    assert [width for _left, width, _colour in bars(0.0, 0.0, 0.0)[0]] == [0.0] * 3


def test_the_bar_of_a_sum_has_negative_components_left_of_zero_and_the_others_right_of_it():
    corpus = Corpus("own", tuple(Document(str(i), "x") for i in range(2)))
    why = (
        (Contribution("near", 0.6), Contribution("alike", -0.2)),
        (Contribution("near", 0.4), Contribution("alike", 0.0)),
    )
    hits = tuple(Hit(d, sum(c.value for c in own), own) for d, own in zip(corpus, why, strict=True))
    panel = show.Panel(Ranking(Query("x"), hits, BM25(), corpus=corpus), "A", "#123456", lambda _: [])
    bars = show.bars_of(panel, hits, normalised=False)
    assert round(bars.zero, 6) == 25  # 0.2 of 0.8
    near, alike = bars.parts(hits[0])
    assert (round(near["left"], 6), round(near["width"], 6)) == (25, 75)
    assert (round(alike["left"], 6), round(alike["width"], 6)) == (0, 25)
    assert near["color"] == bars.parts(hits[1])[0]["color"]  # a component has one shade in every row


def test_text_on_any_colour_has_a_contrast_of_four_and_a_half():
    def luminance(colour: str) -> float:
        parts = [x / 255 for x in bytes.fromhex(colour[1:])]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    every = [f"#{r:02x}{g:02x}{b:02x}" for r in range(0, 256, 15) for g in range(0, 256, 15) for b in range(0, 256, 15)]
    for colour in every:
        low, high = sorted((luminance(colour), luminance(palette.on(colour))))
        assert (high + 0.05) / (low + 0.05) >= 4.5, colour


def test_no_two_of_two_hundred_documents_have_nearly_the_same_colour():
    told = [[int(n) for n in re.findall(r"\d+", palette.nth(i))] for i in range(200)]
    for i, (hue, rich, light) in enumerate(told):
        for j, (other, own, bright) in enumerate(told[:i]):
            apart = min(abs(hue - other), 360 - abs(hue - other))
            assert apart >= 7 or abs(light - bright) >= 7 or abs(rich - own) >= 15, (i, j)


def test_an_addend_of_a_long_name_keeps_its_end():
    why = [Contribution(f"A very long list name, {i} of many · rank {i}", 1.0) for i in (1, 2)]
    texts = rank_charts.addends(why, "#123456")["data"][0]["text"]
    assert [text.split("…")[1] for text in texts] == ["· rank 1 1", "· rank 2 1"]


def test_a_list_that_is_made_of_several_is_called_the_same_everywhere_and_moves_nothing():
    app = opened("refine/rerank", corpus="devices", q=QUERY, **{"rerank.from": "bm25,vector"})
    badges = [m.value for m in app.markdown if "-badge[" in m.value]
    own = [b for b in badges if "BM25 \\+ Vector" in b]
    assert own
    assert not any("Weighted sum" in b for b in badges)
    assert not any("▲" in b or "▼" in b for b in own)


def test_rank_bm25_computes_the_same():
    link = {"corpus": "devices", "q": QUERY, "compare.bm25.variant": "okapi"}
    told = said(opened("retrieve/compare", **link))
    assert "rank-bm25 computes the same: " in told
    assert "e+00" not in told


def test_every_page_has_a_title_of_its_own_in_the_history_of_the_browser(monkeypatch: pytest.MonkeyPatch):
    titles: list[str] = []
    own = st.set_page_config
    monkeypatch.setattr(st, "set_page_config", lambda **how: (titles.append(how["page_title"]), own(**how)))
    for page in ("retrieve/compare", "combine/fusion"):
        opened(page, Collection(TWO), q="ferry")
    assert titles[1::2] == ["Compare · Retrieval Lab", "Fusion · Retrieval Lab"]


def test_the_selected_passage_of_a_context_can_be_read(monkeypatch: pytest.MonkeyPatch):
    shown: list[str] = []
    monkeypatch.setattr(components, "passage", lambda data, **_: shown.append("".join(x for x, _ in data["text"])))
    opened("refine/reorder", Collection(TWO), q="ferry", doc="f")
    assert shown == [FERRY]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_streamlit_says_of_a_field_is_said_in_the_visitors_language(lang: str, monkeypatch: pytest.MonkeyPatch):
    drawn: list[str] = []
    own = st.html
    monkeypatch.setattr(st, "html", lambda body, **how: (drawn.append(body), own(body, **how))[1])
    opened("retrieve/compare", Collection(TWO), q="ferry", lang=lang)
    said = [body for body in drawn if "InputInstructions" in body]
    assert len(said) == (lang == "zh")
    assert all(word in body for body in said for word in ("按回车提交", "选择文件", "每个文件最大", "全选"))


def test_rerank_explains_the_document_that_it_names_also_where_it_was_cut():
    link = {"corpus": "handbook", "q": "TRV-01", "doc": "hb-103", "rerank.from": "bm25,vector", "rerank.depth": "5"}
    app = opened("refine/rerank", **link)
    assert app.session_state["rerank.pick"] == "hb-103"
    title = samples.load("handbook").corpus.get("hb-103")
    assert title is not None
    assert any(title.label in heading.value for heading in app.subheader)


def test_a_rule_that_replaces_the_question_is_not_said_to_have_found_nothing():
    link = {"corpus": "devices", "q": "irritated wrist, itchy eczema", "rewrite.techniques": "query2doc"}
    app = opened("query/rewrite", **link)
    wordings = [text for d in app.dataframe if "wording" in d.value for text in d.value["wording"]]
    assert wordings
    assert wordings != ["irritated wrist, itchy eczema"]
    assert "found nothing to change" not in said(app)
