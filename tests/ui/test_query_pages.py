"""Every page in every mode opens, and what it exports gives the lists that it shows (refining: test_refine_pages)."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from night import spread
from opened_as import same_as_pipelines
from streamlit.testing.v1 import AppTest

from lab import lessons
from lab.algebra import Pipeline, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.formats import from_toml, to_toml
from lab.refine.diversity import MMR
from lab.retrieve import chroma as stores_of_chroma
from lab.retrieve.chroma import ChromaIndex, ChromaVector, CollectionStore
from lab.retrieve.lexical import BM25
from lab.retrieve.store import ExactVector, StoreVector
from lab.retrieve.vector import SCALES, SPACES
from lab.text import cutting, is_han
from lab.ui import components, escape
from lab.ui.layout.page import Page
from lab.words import Said
from ui.conftest import unescaped

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "compare": "retrieve",
    "vector_store": "retrieve",
    "fusion": "combine",
    "mmr": "combine",
    "reorder": "refine",
    "rewrite": "query",
    "tokenizer": "start",
    "answer": "whole",
}
TECHNIQUES = ("multiquery", "subquestions", "stepback", "query2doc", "hyde", "domainvocabulary")
NOBODY = "http://127.0.0.1:9"

BOTH = ["devices", pytest.param("handbook", marks=pytest.mark.nightly)]


@dataclass
class Exported:
    """What a page gave to its export the last time that it was drawn."""

    searches: Mapping[str, Searcher] = field(default_factory=dict)
    rankings: Sequence[Ranking] = ()
    names: Sequence[str] = ()


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Exported:
    last, own = Exported(), Page.end

    def end(page: Page, searches: Mapping[str, Searcher], rankings: Mapping[str, Ranking], *took: Any) -> None:
        last.searches, last.rankings, last.names = searches, list(rankings.values()), list(rankings)
        own(page, searches, rankings, *took)

    monkeypatch.setattr(Page, "end", end)
    return last


def opened(page: str, **link: str) -> AppTest:
    """The page in English; ``link`` are its knobs and those of the frame."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    for name, value in {"fold.export": "1", **link}.items():
        app.query_params[name if name in ("corpus", "embedder", "q", "doc") else f"{page}.{name}"] = value
    app.switch_page(f"pages/{FOLDERS[page]}/{page}/page.py")
    app.run()
    assert not app.exception, app.exception
    return app


def printed(app: AppTest, names: Sequence[str]) -> dict[str, list[str]]:
    """The ids that the program on the page prints, list by list."""
    (program,) = [c.value for c in app.code if "searches = {" in c.value]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "exported", "exec"), {})
    found: dict[str, list[str]] = {}
    for text in out.getvalue().splitlines():
        row = re.match(r" *\d+ +(\S+) ", text)
        if text in names:
            found[text] = []
        elif row:
            found[list(found)[-1]].append(row[1])
    return found


def holds(app: AppTest, exported: Exported) -> None:
    """The lists of the page are those of its searches, of its program and of its files."""
    shown = dict(zip(exported.names, exported.rankings, strict=True))
    shown = {name: ranking for name, ranking in shown.items() if name in exported.searches}  # others led to these
    assert not app.error, [e.value for e in app.error]
    assert list(shown) == list(exported.searches)
    assert printed(app, exported.names) == {name: ranking.ids for name, ranking in shown.items()}
    runner = Runner(samples.load(app.session_state["corpus"]).corpus)
    for name, search in exported.searches.items():
        again = from_toml(to_toml(search))
        assert again == search
        found = runner(again, shown[name].query, max(100, len(shown[name])))
        assert scores(found) == pytest.approx(scores(shown[name]), abs=1e-5)
    same_as_pipelines(app, app.session_state["_page"], exported, exported.searches)


def scores(ranking: Ranking) -> dict[str, float]:
    return {hit.document.id: hit.score for hit in ranking}


def stored(search: Searcher) -> StoreVector:
    """The exact search or the store in one of the vector store's searches."""
    own = search.retrieve[0] if isinstance(search, Pipeline) else search
    assert isinstance(own, StoreVector)
    return own


def said(app: AppTest) -> str:
    found = (*app.markdown, *app.caption, *app.info, *app.warning, *app.error)
    return unescaped("\n".join(str(x.value) for x in found))


def bar(app: AppTest, key: str) -> str:
    """What the address has for this key."""
    value = app.query_params[key]
    return value[0] if isinstance(value, list) else str(value)


# ------------------------------------------------------------------------------------------- vector store

SCALE, SPACE, WHERE, LIMIT = (f"chromavector.{name}" for name in ("scale", "space", "where", "max_distance"))


@pytest.mark.parametrize(
    ("kind", "scale"),
    spread([(kind, scale) for scale in SCALES for kind in ("similarity", "threshold", "mmr")], 1),
)
def test_the_vector_store_exports_the_exact_lists_and_the_stores_in_every_mode(
    kind: str, scale: str, exported: Exported
):
    app = opened("vector_store", search=kind, **{SCALE: scale, LIMIT: "0.6"})
    holds(app, exported)
    assert all(ranking.hits for ranking in exported.rankings) or kind == "threshold"
    types = [(ExactVector, "cosine"), (ExactVector, "l2"), (ExactVector, "ip"), (ChromaVector, "ip")]
    for (type_, space), search in zip(types, exported.searches.values(), strict=True):
        own = stored(search)
        assert type(own) is type_
        assert (own.space, own.scale, own.max_distance) == (space, scale, 0.6 if kind == "threshold" else None)
        assert isinstance(search, Pipeline) == (kind == "mmr")
        assert not isinstance(search, Pipeline) or isinstance(search.refine[0], MMR)


@pytest.mark.parametrize(
    "link",
    spread(
        [
            {},
            {"beside": "search", "context.budget": "300"},
            {"beside": "order", "context.most": "3", "again": "1"},
            {"search": "bm25", "context.order": "by document"},
        ],
        1,
    ),
    ids=["plain", "another search", "another order", "by document"],
)
def test_the_contexts_of_answers_are_exported(link: dict[str, str], exported: Exported):
    holds(opened("answer", corpus="handbook", q="护理假多少天，生育津贴由谁支付", **link), exported)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", spread(["similarity", "threshold", "mmr"], 1))
def test_a_filter_is_in_what_the_vector_store_exports(kind: str, exported: Exported):
    where = '{"lang": "en"}'
    app = opened("vector_store", search=kind, corpus="devices", **{WHERE: where, LIMIT: "1"})
    holds(app, exported)
    assert {own.where for own in map(stored, exported.searches.values())} == {where}
    found = [hit.document for ranking in exported.rankings for hit in ranking]
    assert found
    assert {d.metadata["lang"] for d in found} == {"en"}


def test_what_a_threshold_cuts_keeps_its_distance(exported: Exported):
    app = opened("vector_store", corpus="devices", search="threshold", **{LIMIT: "0.45", SCALE: "unit"})
    cosine = exported.rankings[0]
    assert cosine.dropped
    near = {n.document.id: n.distance for n in cosine.evidence}
    assert all(near[i] <= 0.45 for i in cosine.ids)
    assert all(near[d.document.id] > 0.45 for d in cosine.dropped)
    numbers = next(d.value for d in app.dataframe if "distance" in d.value)
    assert list(numbers["distance"].notna()) == [True] * 4


@pytest.mark.parametrize("limit", ["0", "3.5", "4"])
def test_a_threshold_of_a_link_is_one_that_the_widget_has(limit: str):
    app = opened("vector_store", search="threshold", **{LIMIT: limit})
    assert app.number_input(f"vector_store.{LIMIT}").value == float(limit)


@pytest.mark.parametrize("limit", ["-1", "4.01", "nan"])
def test_a_threshold_that_the_widget_does_not_have_is_not_taken(limit: str):
    app = opened("vector_store", search="threshold", **{LIMIT: limit})
    assert app.number_input(f"vector_store.{LIMIT}").value == 0.7


@pytest.mark.parametrize("where", ['["en"]', "{lang: en}", '"en"'])
def test_a_filter_that_is_no_object_is_told_and_left_out(where: str, exported: Exported):
    app = opened("vector_store", search="similarity", **{WHERE: where})
    assert "The filter is not a JSON object" in said(app)
    assert all(isinstance(s, StoreVector) and not s.where for s in exported.searches.values())
    assert all(exported.rankings)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ('{"lang": {"$about": "en"}}', "This is not a filter on metadata"),
        ('{"lang": {"$gt": "a"}}', "This is not a filter on metadata"),
    ],
)
def test_a_filter_that_the_store_does_not_take_ends_the_page_with_a_sentence(where: str, told: str):
    app = opened("vector_store", **{WHERE: where})
    assert told in said(app)
    assert not app.dataframe


@pytest.mark.parametrize("kind", spread(["similarity", "mmr"], 1))
def test_without_its_server_the_exact_lists_are_there_with_filter_and_export(kind: str, exported: Exported):
    app = opened("vector_store", corpus="devices", server=NOBODY, search=kind, **{WHERE: '{"lang": "en"}'})
    app.button("vector_store.server.use").click().run()
    (warning,) = app.warning
    assert "Until then the page shows the exact lists alone." in warning.value
    holds(app, exported)
    assert [type(stored(search)) for search in exported.searches.values()] == [ExactVector] * 3
    assert {hit.document.metadata["lang"] for ranking in exported.rankings for hit in ranking} == {"en"}
    assert not any(NOBODY in c.value for c in app.code), "an address is a setting of the run, not of the search"


def test_the_typed_server_is_a_setting_of_the_run(monkeypatch: pytest.MonkeyPatch):
    asked = []
    own = Page.run

    def run(page, searches, query, **options):
        asked.append(page.models.get("chroma"))
        return own(page, searches, query, **options)

    monkeypatch.setattr(Page, "run", run)
    app = opened("vector_store")
    app.text_input("vector_store.server").set_value(f" {NOBODY} ").run()
    assert not app.exception
    assert asked == ["", "", NOBODY, NOBODY]  # the exact lists, then the store's
    assert len(app.warning) == 1


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of Chroma servers that were connected to: nobody answers there."""
    asked: list[str] = []

    def connect(url: str = "") -> Any:
        asked.append(url)
        return own(url)

    own = stores_of_chroma.connect
    monkeypatch.setattr(stores_of_chroma, "connect", connect)
    return asked


def test_a_server_that_a_link_names_is_called_only_after_a_click(called: list[str]):
    app = opened("vector_store", server="http://127.0.0.1:9/inside")
    assert app.text_input("vector_store.server").value == "http://127.0.0.1:9/inside"
    assert not any(called)
    assert "The link names a Chroma server: http://127.0.0.1:9/inside. It has not been contacted yet." in said(app)
    app.selectbox(key="corpus").set_value("handbook").run()
    assert not any(called), "a click on something else is no yes"
    app.button("vector_store.server.use").click().run()
    assert set(filter(None, called)) == {"http://127.0.0.1:9/inside"}
    assert bar(app, "vector_store.server") == "http://127.0.0.1:9/inside"


@pytest.mark.parametrize("public", ["", "1"])
def test_the_server_of_the_lab_is_called_and_its_password_shown_nowhere(
    public: str, called: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LAB_CHROMA_URL", "http://admin:SECRETPW@127.0.0.1:9")
    monkeypatch.setenv("LAB_PUBLIC", public)
    app = opened("vector_store")
    assert set(filter(None, called)) == {"http://admin:SECRETPW@127.0.0.1:9"}
    where = "…" if public else "http://127.0.0.1:9"
    assert f"The Chroma server at {where} does not answer." in said(app)
    shown = [said(app), *(x.value for x in app.code), *(x.value for x in app.text_input), str(dict(app.query_params))]
    assert "SECRETPW" not in "\n".join(map(str, shown))


def test_a_typed_password_goes_to_the_server_and_into_no_link(called: list[str]):
    app = opened("vector_store")
    app.text_input("vector_store.server").set_value("http://me:SECRETPW@127.0.0.1:9").run()
    assert set(filter(None, called)) == {"http://me:SECRETPW@127.0.0.1:9"}
    assert app.text_input("vector_store.server").value == "http://127.0.0.1:9"
    assert bar(app, "vector_store.server") == "http://127.0.0.1:9"


def test_a_collection_that_is_filled_again_is_named_on_the_page(monkeypatch: pytest.MonkeyPatch):
    message = "The collection {name} has vectors of another model, and is filled again."
    monkeypatch.setattr(ChromaIndex, "remarks", (Said(message, name="lab-7"),))
    assert "The collection lab-7 has vectors of another model, and is filled again." in said(opened("vector_store"))


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Places in the corpus to which no edge of Chroma's graph leads."""
    lost: set[int] = set()
    whole = CollectionStore._query

    def query(self: Any, vector: Any, n: int, where: Any) -> tuple[list[float], list[str]]:
        distances, ids = whole(self, vector, self.count(), where)
        kept = [(d, i) for d, i in zip(distances, ids, strict=True) if int(i) not in lost][:n]
        return [d for d, _ in kept], [i for _, i in kept]

    monkeypatch.setattr(CollectionStore, "_query", query)
    return lost


@pytest.mark.parametrize("kind", spread(["similarity", "threshold", "mmr"], 1))
@pytest.mark.parametrize("space", spread([*SPACES], 1))
def test_what_the_graph_lost_is_in_its_place_and_never_absent(
    space: str, kind: str, unreachable: set[int], exported: Exported, monkeypatch: pytest.MonkeyPatch
):
    corpus, shown = samples.load("devices").corpus, dict[str, Any]()
    monkeypatch.setattr(components, "lists", lambda data, **_: shown.update(data))
    link = {
        "corpus": "devices",
        "q": "AX-7200N factory reset",
        "search": kind,
        SCALE: "unit",
        SPACE: space,
        LIMIT: "1.9",
    }
    opened("vector_store", **link)
    best = exported.rankings[2]
    assert not any(hit.get("lost") for hit in shown["lists"][3]["hits"])
    assert "graph found 100 of the exact first 100" in shown["lists"][3]["below"]
    unreachable |= {corpus.positions[best.ids[i]] for i in (0, 2)}
    app = opened("vector_store", **{**link, "doc": best.ids[2]})
    *exact, own = shown["lists"]
    assert not any(hit.get("lost") for column in exact for hit in column["hits"])
    assert all(column["below"] == "compares every vector" for column in exact)
    assert own["below"] == "graph found 98 of the exact first 100"
    rows = {hit["id"]: (at, hit) for at, hit in enumerate(own["hits"], 1)}
    for rank in (1, 3):
        at, hit = rows[best.ids[rank - 1]]
        assert at == rank
        assert hit["rank"] == ""
        assert hit["reason"].startswith("lost by the graph (exact rank ")
    assert [hit["rank"] for hit in own["hits"] if not hit.get("lost")][:4] == [1, 2, 3, 4]
    numbers = next(d.value for d in app.dataframe if "relevance" in d.value)
    assert list(numbers["rank"])[3].startswith("lost by the graph (exact rank ")
    assert (
        list(numbers["distance"])[3] == dict(zip(numbers["space"], numbers["distance"], strict=True))[exact[2]["title"]]
    )
    assert not any("–" in str(value) for value in numbers["rank"])


def test_a_passage_behind_the_end_of_the_exact_list_is_lost_where_the_graph_has_ended(unreachable: set[int]):
    corpus = samples.load("devices").corpus
    unreachable |= set(range(len(corpus))) - {7, 20, 30}
    gone = corpus.documents[0].id
    app = opened("vector_store", corpus="devices", q="AX-7200N factory reset", doc=gone, **{SCALE: "by length"})
    rank = Runner(corpus)(ExactVector(space="ip", scale="by length"), "AX-7200N factory reset", len(corpus)).rank(gone)
    numbers = next(d.value for d in app.dataframe if "relevance" in d.value)
    assert list(numbers["rank"])[3] == f"lost by the graph (exact rank {rank})"


def test_the_plain_case_is_first_and_a_sentence_says_what_the_lengths_do():
    app = opened("vector_store", corpus="devices")
    assert app.selectbox(f"vector_store.{SCALE}").value == "unit"
    assert "the three spaces give the same order" in said(app)
    app.selectbox(f"vector_store.{SCALE}").set_value("by length").run()
    assert "the inner product prefers long texts" in said(app)


def test_only_one_collection_is_filled_and_searched(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []
    whole = CollectionStore.nearest
    noted = lambda self, *a, **b: (asked.append(self.name), whole(self, *a, **b))[1]  # noqa: E731
    monkeypatch.setattr(CollectionStore, "nearest", noted)
    app = opened("vector_store", corpus="devices")
    assert len(asked) == 1
    app.number_input("vector_store.k").set_value(5).run()
    assert len(asked) == 2, "once a run, for the list that is shown"
    assert len(set(asked)) == 1


@pytest.mark.nightly
def test_the_graph_is_measured_on_the_open_corpus_when_somebody_asks_for_it():
    app = opened("vector_store", corpus="devices", **{"fold.hnsw": "1", "chromavector.ef": "30"})
    assert not any("recall@10" in d.value for d in app.dataframe)
    app.button("vector_store.measure").click().run()
    (table,) = [d.value for d in app.dataframe if "recall@10" in d.value]
    assert list(table["vectors"]) == ["this corpus"] * 4 + ["random"] * 4
    assert list(table["ef_search"]) == [10, 30, 50, 200] * 2
    assert set(table["n"]) == {193}
    assert app.number_input("vector_store.chromavector.ef").value == 30


# ------------------------------------------------------------------------------------------------ rewrite


@pytest.mark.parametrize("merge", spread(["rrf", "bestscore"], 1))
@pytest.mark.parametrize(
    "techniques", [",".join(TECHNIQUES), *(pytest.param(name, marks=pytest.mark.nightly) for name in TECHNIQUES)]
)
def test_rewrite_exports_the_raw_list_and_one_of_every_technique(techniques: str, merge: str, exported: Exported):
    app = opened("rewrite", techniques=techniques, merge=merge, corpus="handbook")
    holds(app, exported)
    kinds = techniques.split(",")
    assert len(exported.searches) == 1 + len(kinds)
    raw, *rewritten = exported.searches.values()
    assert raw == BM25()
    assert all(isinstance(s, Pipeline) and s.rewrite and s.retrieve == (raw,) for s in rewritten)


def test_the_credits_speak_of_the_list_that_is_shown(exported: Exported):
    app = opened("rewrite", techniques="multiquery", corpus="handbook", q="奔丧能歇几天", k="5")
    titles = {hit.document.label for hit in exported.rankings[1].hits[:5]}
    rows = app.tabs[0].dataframe[0].value
    brought = {title.removeprefix("✓ ") for text in rows["brought"] for title in text.split("; ") if title}
    assert brought
    assert brought <= titles


# -------------------------------------------------------------------------------------- tokenizer and home


@pytest.mark.parametrize(
    "link",
    spread(
        [
            {},
            {"modes": "full,whitespace,bigram"},
            {"single": "1", "stop": "the is 怎么", "user": "居家办公 动态口令"},
            {"q": "router battery"},
        ],
        1,
    ),
)
@pytest.mark.parametrize("corpus", BOTH)
def test_the_tokenizer_lens_exports_the_lists_that_it_shows(link: dict[str, str], corpus: str, exported: Exported):
    app = opened("tokenizer", corpus=corpus, **link)
    holds(app, exported)
    chinese = any(map(is_han, app.session_state["q"]))
    assert len(exported.searches) == (3 if chinese or "modes" in link else 2)


@pytest.fixture
def chips(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, dict[str, set[str]]]]:
    """Row by row, the chips of a component by how they look."""
    from lab.ui import components

    told: dict[str, dict[str, dict[str, set[str]]]] = {}

    def drawn(data, key):
        told[key] = {}
        for row in data["rows"]:
            looks = told[key][row["name"]] = {}
            for text, start, end, look in row["tokens"]:
                assert 0 <= start < end <= len(data["text"])
                looks.setdefault(look, set()).add(text)

    monkeypatch.setattr(components, "tokens", drawn)
    return told.__getitem__


def test_every_step_of_the_analyzer_is_shown_on_the_visitors_own_text(chips):
    opened("tokenizer", corpus="devices", q="How: Charging a ﬁne 電池 16GB", stop="fine")
    assert chips("tokenizer.steps") == {
        "Fold": {"hit word": {"how:", "charging", "fine", "16gb"}, "word": {"a", "電池"}},
        "Script": {"hit word": {"电池"}, "word": {"how:", "charging", "a", "fine", "16gb"}},
        "Tokenize": {"word": {"how", "charging", "a", "fine", "电池", "16gb"}, "part": {"16", "gb"}},
        "Stop": {"out word": {"how", "fine"}, "word": {"charging", "a", "电池", "16gb"}, "part": {"16", "gb"}},
        "Stem": {"hit word": {"charg"}, "word": {"a", "电池", "16gb"}, "part": {"16", "gb"}},
        "Pair": {"hit pair": {"电池"}, "word": {"charg", "a", "电池", "16gb"}, "part": {"16", "gb"}},
        "Character": {
            **{"hit character": {"电", "池"}, "pair": {"电池"}},
            **{"word": {"charg", "a", "电池", "16gb"}, "part": {"16", "gb"}},
        },
    }


def test_variants_of_writing_are_steps_of_their_own_where_they_change_something(chips):
    opened("tokenizer", corpus="devices", q="Café Wi-Fi 1,000 2.5m", **{"analyzer.accents": "1"})
    steps = chips("tokenizer.steps")
    assert list(steps)[:5] == ["Fold", "Script", "Marks", "Tokenize", "Variants"]
    assert steps["Marks"] == {"hit word": {"cafe", "1000"}, "word": {"wi-fi", "2.5m"}}
    assert steps["Variants"]["hit joined"] == {"wifi"}
    assert steps["Variants"]["hit part"] == {"2.5", "m"}
    opened("tokenizer", corpus="devices", q="router")
    assert not {"Marks", "Variants"} & set(chips("tokenizer.steps"))


def test_two_single_characters_that_stand_as_one_word_are_shown_as_a_pair(chips):
    opened("tokenizer", corpus="handbook", q="年假", **{"analyzer.bigrams": "0", "analyzer.characters": "0"})
    search = chips("tokenizer.rows")["jieba, search mode"]
    assert {text for look, texts in search.items() for text in texts if look.endswith("pair")} == {"年假"}
    assert chips("tokenizer.steps")["Pair"] == {"hit pair": {"年假"}}


@pytest.mark.parametrize(
    ("question", "single"), [("工作三年年假有几天", {"年", "假", "有"}), ("我的假条", {"我", "的"})]
)
def test_single_characters_are_cut_and_then_struck(chips, question: str, single: set[str]):
    opened("tokenizer", corpus="handbook", q=question)
    steps = chips("tokenizer.steps")
    assert steps["Tokenize"]["character"] == single
    assert steps["Stop"]["out character"] == single


@pytest.mark.nightly
def test_the_tokenizer_lens_measures_what_each_step_is_worth(exported: Exported):
    app = opened("tokenizer", corpus="devices", all="1", **{"fold.worth": "1"})
    own = BM25().analyzer
    expected = {
        "as set above": own,
        "without: Fold traditional to simplified": replace(own, simplified=False),
        "without: Split letters and digits": replace(own, numbers=False),
        "without: Question-word filter": replace(own, questions=False),
        "without: English stems": replace(own, stem="none"),
        "without: All pairs of characters": replace(own, bigrams=False),
        "without: All single characters": replace(own, characters=False),
        "without: Asker-word filter": replace(own, asker=False),
        "without: Join hyphenated words": replace(own, joined=False),
        "without: Drop thousands separators": replace(own, separators=False),
        "without: Split numbers and units": replace(own, units=False),
        "with: Ignore accents": replace(own, accents=True),
        "with: Fold regional vocabulary": replace(own, regional=True),
    }
    assert {name: s.analyzer for name, s in list(exported.searches.items())[3:]} == expected
    c = samples.load("devices")
    runs = run_many({name: exported.searches[name] for name in expected}, c.corpus, c.judged)
    means = [f"{measure_run(r, c.qrels, ['nDCG@10']).means['nDCG@10']:.3f}" for r in runs.values()]
    assert [m.value for m in app.metric] == means
    holds(app, exported)


def test_a_step_that_is_off_is_compared_with_the_step(exported: Exported):
    off = {f"analyzer.{step}": "0" for step in ("bigrams", "simplified", "numbers", "questions", "asker")}
    off |= {f"analyzer.{step}": "0" for step in ("characters", "joined", "separators", "units")}
    off["analyzer.accents"] = "1"
    off["analyzer.stem"] = "none"
    opened("tokenizer", corpus="devices", stop="the", **{"fold.worth": "1"}, **off)
    assert list(exported.searches)[4:] == [
        "with: Fold traditional to simplified",
        "with: Split letters and digits",
        "with: Question-word filter",
        "with: English stems",
        "with: All pairs of characters",
        "with: All single characters",
        "with: Asker-word filter",
        "with: Join hyphenated words",
        "with: Drop thousands separators",
        "with: Split numbers and units",
        "without: Ignore accents",
        "with: Fold regional vocabulary",
        "without: Stop words",
    ]


def test_the_tokenizer_lens_without_a_tokenizer_asks_for_one(exported: Exported):
    app = opened("tokenizer", modes="")
    assert "Choose at least one tokenizer" in said(app)
    assert not exported.searches


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> Callable[[], dict[str, str]]:
    """What stands under every step of the path on the home page."""
    from lab.ui import components

    told: list[dict[str, str]] = []

    def drawn(data, key):
        told.append({step["page"]: step["value"] for group in data["groups"] for step in group["steps"]})

    monkeypatch.setattr(components, "path", drawn)
    return lambda: told[-1]


@pytest.mark.parametrize("q", ["", "电池充不进电", "zzz"])
def test_home_takes_the_question_along_its_path(q: str, path: Callable[[], dict[str, str]]):
    collection = samples.load("devices")
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    link = {"lang": "en", "corpus": "devices"}
    for name, value in (link | ({"q": q} if q else {})).items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    asked = (
        q
        or min(
            (x for x in lessons.read(samples.folder("devices")) if x.page == "compare"), key=lambda x: bool(x.knobs)
        ).query
    )
    assert f"“{escape.plain(asked)}”" in said(app)
    best = Runner(collection.corpus)(BM25(), Query(asked)).hits[:1]
    assert path()["compare"] == "".join(hit.document.label for hit in best)
    assert path()["tokenizer"] == " · ".join(cutting(numbers=True, questions=True).tokens(asked)[:5])


# ------------------------------------------------------------------------- compare, fusion, MMR, reorder


@pytest.mark.parametrize("corpus", BOTH)
@pytest.mark.parametrize(
    "link",
    spread(
        [
            {},
            {"bm25.variant": "plus", "bm25.k1": "0.9", "analyzer.mode": "bigram", "tfidf.sublinear": "1"},
            {"embedders": "built-in,lsa", "vector.space": "l2", "k": "50"},
            {"embedders": "", "tfidf.idf_form": "textbook"},
        ],
        1,
    ),
)
def test_compare_exports_every_list_of_every_mode(corpus: str, link: dict[str, str], exported: Exported):
    app = opened("compare", corpus=corpus, **link)
    holds(app, exported)
    vectors = [name for name in link.get("embedders", "built-in").split(",") if name]
    assert len(exported.searches) == len(exported.rankings) == 2 + len(vectors)


@pytest.mark.parametrize("corpus", BOTH)
@pytest.mark.parametrize(
    "link",
    spread(
        [
            {},
            {"weight": "0.25", "rrf.k": "5", "k": "20"},
            {"method": "sum", "weight": "0.7"},
            {"method": "sum", "weightedsum.normalisation": "z-score", "lists": "vector,bm25,tfidf"},
            {"lists": "bm25,tfidf,vector,vector-lsa", "weight": "0.4"},
        ],
        1,
    ),
)
def test_fusion_exports_the_fused_list_of_every_mode(corpus: str, link: dict[str, str], exported: Exported):
    app = opened("fusion", corpus=corpus, **link)
    holds(app, exported)
    (search,) = exported.searches.values()
    assert isinstance(search, Pipeline)
    assert len(search.retrieve) == len(exported.rankings) - 1
    assert exported.rankings[0].ids == Runner(samples.load(corpus).corpus)(search, exported.rankings[0].query, 1000).ids


@pytest.mark.parametrize("corpus", BOTH)
@pytest.mark.parametrize(
    "link", spread([{}, {"of": "bm25", "mmr.k": "3"}, {"mmr.lambda_mult": "0", "mmr.fetch_k": "60"}], 1)
)
def test_mmr_exports_its_picks(corpus: str, link: dict[str, str], exported: Exported):
    holds(opened("mmr", corpus=corpus, **link), exported)


@pytest.mark.parametrize("corpus", BOTH)
@pytest.mark.parametrize("order", spread(["long-context", "best first", "reversed", "sides"], 1))
def test_reorder_exports_the_order_that_it_shows(corpus: str, order: str, exported: Exported):
    of = "vector" if order == "sides" else "bm25"
    holds(opened("reorder", corpus=corpus, of=of, n="7", **{"longcontextreorder.order": order}), exported)
    assert 1 <= len(exported.rankings[0]) <= 7
