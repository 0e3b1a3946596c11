"""The pipeline page: built by clicks, searched, compared, and true where a step fails or finds nothing."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from models.server import Server
from night import spread
from streamlit.testing.v1 import AppTest

from lab import catalog, formats
from lab.algebra import Corpus, Document, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.models.endpoint_chat import EndpointModel
from lab.presets import presets
from lab.refine import rerank
from lab.refine.learned import OFFERED, Learned, Weights
from lab.retrieve.lexical import BM25
from lab.rewrite.domain import adapters
from lab.ui import components
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people.visitor import Visitor
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "pages/whole/pipeline/page.py"
ASKED = "battery empty in the morning"


@dataclass
class Shown:
    """The page as it was drawn last: what it exported, and the cards of its picture by where they are."""

    app: AppTest
    searches: Mapping[str, Searcher] = field(default_factory=dict)
    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def texts(self) -> str:
        app = self.app
        drawn = [*app.markdown, *app.caption, *app.subheader, *app.warning, *app.error, *app.info]
        return "\n".join(str(element.value) for element in drawn).replace("\\", "")

    def select(self, at: str) -> Shown:
        """Click a step of the picture."""
        self.app.session_state["pipeline.at"] = at
        return self.run()

    def click(self, name: str) -> Shown:
        self.app.button(f"pipeline.{name}").click()
        return self.run()

    def run(self) -> Shown:
        self.app.run()
        assert not self.app.exception, self.app.exception
        return self

    def written(self, letter: str = "a") -> str:
        """What the address says of a pipeline."""
        return formats.expression(formats.read("".join(self.app.query_params[f"pipeline.{letter}"])))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Any:
    def open_it(own: Collection | None = None, **link: str) -> Shown:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        shown, end = Shown(app), Page.end

        def take(p: Page, searches: Any, rankings: Any, *took: Any) -> None:
            shown.searches, shown.rankings = searches, rankings
            end(p, searches, rankings, *took)

        def flow(data: dict[str, Any], key: str, picked: Any) -> None:
            def walk(items: Any) -> None:
                for item in items:
                    if item["kind"] == "box":
                        walk(item["items"])
                    else:
                        shown.cards[item["at"]] = item

            shown.cards.clear()
            for column in data["columns"]:
                walk(column["items"])
                shown.cards[column["letter"]] = column

        monkeypatch.setattr(Page, "end", take)
        monkeypatch.setattr(components, "flow", flow)
        for name, value in {"lang": "en", "corpus": "devices", "q": ASKED, **link}.items():
            app.query_params[name if name in ("lang", "corpus", "q", "doc") else f"pipeline.{name}"] = value
        if own is not None:
            app.session_state[frame.VISITOR] = Visitor("")
            app.session_state[frame.VISITOR].store(frame.UPLOADS)[own.corpus.name] = own
        app.switch_page(PAGE.relative_to(ROOT).as_posix())
        return shown.run()

    return open_it


def link(text: str) -> str:
    return formats.to_link(formats.parse(text))


def test_the_page_is_short_and_names_no_technique() -> None:
    source = PAGE.read_text("utf-8")
    assert len(source.splitlines()) <= 250
    names = {*catalog.operators(), *(str(catalog.title(cls)) for cls in catalog.operators().values()), *presets()}
    names -= {"Pipeline", "Top"}
    assert [name for name in names if re.search(rf"\b{re.escape(name)}\b", source)] == []


def test_at_first_two_presets_that_need_no_download_stand_side_by_side(opened: Any) -> None:
    shown = opened()
    best, other = presets()["best"], presets()["hybrid"]
    assert list(shown.searches.values()) == [best.search, other.search]
    assert [shown.cards[x]["title"] for x in "ab"] == [f"A · {best.name}", f"B · {other.name}"]
    runner = Runner(samples.load("devices").corpus)
    query = samples.load("devices").query_by_text(ASKED) or Query(ASKED)
    for name, search in shown.searches.items():
        assert shown.rankings[name].hits == runner(search, query, 100).hits
    assert not [key for key in shown.app.query_params if key.startswith("pipeline")]
    for part in best.search.parts():  # type: ignore[attr-defined]
        card = shown.cards[f"a/{part.path}"]
        assert card["count"].endswith(" results")
        assert card["ms"].endswith(" ms")
    assert not shown.cards["a/refine.0"]["dropped"], "it ranks all that it is given"
    assert opened(a=link("BM25() % 3"), b="").cards["a/refine.0"]["dropped"].startswith("−")


def test_a_pipeline_is_built_by_clicks_and_its_link_is_all_of_it(opened: Any) -> None:
    shown = opened(a=link("BM25()"), b="")
    assert list(shown.searches.values()) == [formats.parse("BM25()")]
    shown.select("a/retrieve.+").click("add.vector")
    assert shown.written() == "RRF()(BM25(), Vector())"
    shown.select("a/refine.+0").click("add.mmr")
    shown.app.slider("pipeline.knob.a.refine.0.mmr.lambda_mult").set_value(0.9)
    assert shown.run().written() == "RRF()(BM25(), Vector()) >> MMR(lambda_mult=0.9)"
    shown.select("a/refine.+0").click("add.top")
    assert shown.app.session_state["pipeline.at"] == "a/refine.0"
    shown.click("do.down")
    assert shown.written() == "RRF()(BM25(), Vector()) >> MMR(lambda_mult=0.9) >> Top()"
    shown.select("a/fuse").app.selectbox("pipeline.as.a.fuse").set_value("borda")
    assert shown.run().written() == "Borda()(BM25(), Vector()) >> MMR(lambda_mult=0.9) >> Top()"
    shown.select("a/retrieve.1").click("do.wrap").click("add.scorethreshold")
    assert shown.written() == "Borda()(BM25(), Vector() >> ScoreThreshold()) >> MMR(lambda_mult=0.9) >> Top()"
    shown.select("a/refine.0").click("do.off")
    assert shown.cards["a/refine.0"]["state"] == "off"
    assert shown.select("a/retrieve.1").cards["a/fuse"]["note"] == ""
    ((_name, searched),) = shown.searches.items()
    assert formats.expression(searched) == "Borda()(BM25(), Vector() >> ScoreThreshold()) >> Top()"
    again = opened(**{k.removeprefix("pipeline."): "".join(v) for k, v in shown.app.query_params.items() if "." in k})
    assert again.searches == shown.searches
    assert again.cards["a/refine.0"]["state"] == "off"
    assert [r.hits for r in again.rankings.values()] == [r.hits for r in shown.rankings.values()]
    again.click("do.off").select("a/refine.1").click("do.remove")
    assert again.written() == "Borda()(BM25(), Vector() >> ScoreThreshold()) >> MMR(lambda_mult=0.9)"
    assert again.app.session_state["pipeline.at"] == "a/"


def test_every_list_of_a_fusion_has_its_weight_and_one_list_alone_is_not_fused(opened: Any) -> None:
    shown = opened(a=link("RRF()(BM25(), Vector())"), b="", at="a/fuse")
    weights = [f"pipeline.knob.a.fuse.weight.{i}" for i in range(2)]
    assert [shown.app.number_input(key).value for key in weights] == [1, 1]
    assert "pipeline.a" in shown.app.query_params
    shown.app.number_input(weights[0]).set_value(3)
    assert shown.run().written() == "RRF(weights=(3.0, 1.0))(BM25(), Vector())"
    shown.app.number_input(weights[0]).set_value(1)
    assert shown.run().written() == "RRF()(BM25(), Vector())"
    for key in weights:
        shown.app.number_input(key).set_value(0)
    assert shown.run().app.error, "weights of 0 weigh nothing"
    assert shown.rankings, "and the page goes on with those before"
    shown.select("a/retrieve.0").click("do.off")
    assert shown.cards["a/fuse"]["note"] == "only one list: nothing to fuse"
    assert list(shown.searches.values()) == [formats.parse("Vector()")]


def test_a_knob_follows_its_pipeline_whoever_changes_it(opened: Any) -> None:
    shown = opened(a=link("BM25() % 7"), b="", at="a/refine.0")
    knob = "pipeline.knob.a.refine.0.top.k"
    shown.app.number_input(knob).set_value(5)
    assert shown.run().written() == "BM25() >> Top(k=5)"
    shown.select("a/retrieve.0")
    shown.app.session_state["pipeline.a"] = link("BM25() % 9")
    assert shown.run().select("a/refine.0").app.number_input(knob).value == 9
    assert shown.run().written() == "BM25() >> Top(k=9)"
    help = shown.app.number_input(knob).help
    assert "The technique's own default is 10." in help
    assert "This page starts" not in help
    assert not [key for key in shown.app.query_params if "knob" in key]


def test_a_click_keeps_what_was_set_just_before_it(opened: Any) -> None:
    shown = opened(a=link("BM25() % 7 >> MMR()"), b="", at="a/refine.0")
    shown.app.number_input("pipeline.knob.a.refine.0.top.k").set_value(5)
    shown.run().click("do.down")
    assert shown.written() == "BM25() >> MMR() >> Top(k=5)"


@pytest.mark.nightly
def test_pipelines_come_by_name_once_more_and_go(opened: Any) -> None:
    shown = opened()
    name = list(presets())[2]
    shown.click(f"preset.{name}")
    assert [*shown.searches.values()][2] == presets()[name].search
    assert shown.app.session_state["pipeline.at"] == "c/"
    shown.select("a/").click("do.copy")
    assert len(shown.searches) == 4
    assert [*shown.searches.values()][0] == [*shown.searches.values()][3]
    assert "The two searches are identical." in shown.texts
    assert shown.app.button(f"pipeline.preset.{name}").disabled
    assert "Four pipelines are already side by side" in shown.texts
    first, *others = shown.searches.values()
    shown.select("a/").click("do.away")
    assert list(shown.searches.values()) == others
    assert first in others, "its copy stays"
    shown.select("c/").app.text_input("pipeline.knob.c..pipeline.name").set_value("mine")
    assert shown.run().cards["c"]["title"] == "C · mine"


WRONG = {
    'format = 1\n[[retrieve]]\ntype = "BM52"\n': "Line 3, retrieve.0.type",
    "RRF()(BM25(), Vectr())": "Did you mean “Vector”",
    "eNqrVipILCrJTE5VsqpWKsnMTVWyUjJUqq0FAHH5CDI": "This link contains no readable search",
}
"""What is pasted, and what is said of it."""


@pytest.mark.nightly
def test_what_is_pasted_is_used_or_said_to_be_wrong_with_its_line(opened: Any) -> None:
    shown, used = opened(), formats.parse("TFIDF() % 4")
    right = ("TFIDF() % 4", formats.to_toml(used), link("TFIDF() % 4"))
    for (wrong, said), own in zip(WRONG.items(), right, strict=True):
        shown.app.text_area("pipeline.pasted").set_value(wrong)
        assert said in shown.run().texts
        assert not [b for b in shown.app.button if b.key == "pipeline.use"]
        shown.app.text_area("pipeline.pasted").set_value(own)
        shown.run().click("use")
        assert formats.expression([*shown.searches.values()][2]) == "TFIDF() >> Top(k=4)"
        shown.click("do.away")
        assert len(shown.searches) == 2


def test_a_link_that_cannot_be_read_leaves_the_other_pipelines(opened: Any) -> None:
    shown = opened(a="BM25() >>", b=link("TFIDF()"), c="Vector(embedder=EndpointEmbedder())")
    assert list(shown.searches.values()) == [formats.parse("TFIDF()")]
    assert "cannot be read" in shown.texts
    assert "belongs to this machine" in shown.texts
    assert list(shown.rankings) == ["B · TF-IDF"]
    nothing = opened(a="?", b="")
    assert "There is no pipeline yet." in nothing.texts
    assert nothing.click("preset.hybrid").searches


# ----------------------------------------------------------------------------------- what fails, what finds nothing


def test_where_the_third_stage_fails_the_steps_before_it_are_shown(opened: Any, monkeypatch: Any) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(rerank, "load", lambda name, **options: loaded.append(name))
    away = "RRF()(BM25(), Vector()) >> MaxSim() % 20 >> CrossEncoderReranker(model='owner/model') % 5"
    shown = opened(a=link(away), b=link("BM25()"), at="a/refine.2")
    assert not loaded, "no link downloads a model"
    assert shown.cards["a/refine.2"]["state"] == "failed"
    assert "owner/model is not on this machine" in shown.cards["a/refine.2"]["note"]
    assert shown.cards["a/refine.3"]["count"] == "not run"
    for path, hits in (("retrieve.0", ""), ("fuse", ""), ("refine.1", "20 results")):
        assert shown.cards[f"a/{path}"]["count"].endswith(hits or " results")
    assert shown.cards["a"]["meta"] == "ends with an error"
    assert list(shown.rankings) == ["B · BM25"]
    assert "The model owner/model is not on this machine." in shown.texts
    assert "Not run" in shown.select("a/refine.3").texts
    shown.select("a/refine.2").app.button("pipeline.download").click()
    monkeypatch.setattr(rerank, "load", lambda name, **options: (_ for _ in ()).throw(rerank_error()))
    assert "No network." in shown.run().texts
    assert shown.cards["a/refine.2"]["state"] == "failed"


def test_ablation_downloads_nothing_either(opened: Any) -> None:
    away = link("BM25() >> CrossEncoderReranker(model='owner/model')")
    shown = opened(a=away, b=link("BM25() % 3"), tab="ablate")
    assert "The model owner/model is not on this machine." in shown.texts
    assert shown.app.button("pipeline.download.0")
    assert shown.app.button("pipeline.ablate.begin")
    alone = opened(a=away, b="", tab="ablate")
    assert not [b for b in alone.app.button if b.key == "pipeline.ablate.begin"]


def rerank_error() -> Exception:
    from lab.errors import ModelError

    return ModelError("No network.", "Try later.")


def test_a_rewriter_whose_model_is_away_fails_before_the_lists(opened: Any) -> None:
    shown = opened(a=link("MultiQuery(model='chat')(BM25()) >> MMR()"), b="", at="a/rewrite")
    assert shown.cards["a/rewrite"]["state"] == "failed"
    assert {shown.cards[f"a/{path}"]["count"] for path in ("retrieve.0", "merge", "refine.0")} == {"not run"}
    assert shown.app.error
    assert not shown.rankings


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("BM25()", "qqqq zzzz", "The corpus contains none of these words"),
        ("BM25() >> ScoreThreshold(1000)", ASKED, "Score threshold removed all results"),
        ("BM25() >> ScoreThreshold(1000) >> MMR()", ASKED, "No results to work on"),
        ("BM25() % 0", ASKED, "Top 0 removed all results"),
        ("RRF()(BM25(), Vector()) >> MMR()", "  ", "The query is empty"),
        ("RRF()(BM25(), TFIDF())", "qqqq zzzz", "No results to work on"),
        ("Fallback(BM25() >> ScoreThreshold(1000), TFIDF() % 0)", ASKED, ""),
    ],
)
def test_an_empty_list_says_truly_why(opened: Any, monkeypatch: Any, text: str, asked: str, said: str) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(components, "lists", lambda data, **_o: drawn.extend(x["note"] for x in data["lists"]))
    shown = opened(a=link(text), b="", q=asked)
    assert [r.hits for r in shown.rankings.values()] == [()]
    assert all(note for note in drawn[:1])
    assert any(said in note for note in drawn), drawn
    assert "nan" not in " ".join(drawn).lower().split()


@pytest.mark.parametrize("judged", [0, 1])
@pytest.mark.parametrize("tab", ["build", "ablate"])
def test_one_judged_question_or_none_is_enough_for_every_tab(opened: Any, judged: int, tab: str) -> None:
    corpus = Corpus("few", tuple(Document(str(i), f"ferry number {i} leaves at {i}") for i in range(3)))
    queries, qrels = (Query("ferry number 2", id="q1"),), {"q1": {"2": 1}}
    own = Collection(corpus, queries[:judged], {k: v for k, v in qrels.items() if judged})
    shown = opened(own, corpus="few", q="ferry number 2", tab=tab, a=link("RRF()(BM25(), Vector()) >> MMR(k=2)"))
    assert not shown.app.error
    if tab == "ablate" and judged:
        shown.click("ablate.begin")
        assert any(m.value == "1" for m in shown.app.metric)
    assert not re.search(r"\bnan\b", shown.texts, re.IGNORECASE)
    assert bool(shown.rankings) == (tab == "build")


def test_what_a_fallback_did_not_ask_is_said_to_be_not_asked(opened: Any) -> None:
    shown = opened(a=link("Fallback(BM25(), Vector()) % 3"), b="")
    assert shown.cards["a/retrieve.0.first"]["count"].endswith("results")
    assert shown.cards["a/retrieve.0.then"]["count"] == "not asked"
    assert shown.select("a/retrieve.0").app.button("pipeline.do.off").disabled, "the only list stays on"


def test_the_picture_shows_where_the_selected_document_stands(opened: Any) -> None:
    shown = opened(a=link("RRF()(BM25(), Vector()) >> MMR(k=3) % 1"), b="", at="a/refine.1")
    (ranking,) = shown.rankings.values()
    shown.app.session_state["doc"] = ranking.ids[0]
    shown.run()
    assert shown.cards["a/refine.1"]["rank"] == "#1"
    second = ranking.parents[0].ids[1]
    shown.app.session_state["doc"] = second
    shown.run()
    assert shown.cards["a/refine.0"]["rank"] == "#2"
    assert shown.cards["a/refine.1"]["rank"] == "✕"


# ------------------------------------------------------------------------------------------- from other pages


@pytest.mark.nightly
def test_of_more_lists_than_stand_side_by_side_the_visitor_chooses(opened: Any) -> None:
    shown = opened()
    app = shown.app.switch_page("pages/query/rewrite/page.py")
    app.query_params["rewrite.techniques"] = "multiquery,subquestions,stepback,query2doc,hyde"
    app.run()
    names, wanted = list(shown.searches), list(shown.searches)[4:]
    assert len(names) == 6
    app.multiselect("rewrite.opened").set_value(wanted).run()
    chosen = [shown.searches[name] for name in wanted]
    app.button("rewrite.open").click().run()
    assert not app.exception
    assert app.title[0].value == "Pipeline"
    assert list(shown.searches.values()) == chosen


def test_what_belongs_to_this_machine_does_not_travel_and_says_so() -> None:
    def page() -> None:
        from lab.models.endpoint import EndpointEmbedder
        from lab.retrieve.lexical import BM25
        from lab.retrieve.vector import Vector
        from lab.ui.layout import export, frame

        frame.prepare()
        own = Vector(EndpointEmbedder("m", "http://127.0.0.1:9"))
        export.open_as_pipeline("compare", {"words": BM25(), "mine": own})

    app = AppTest.from_function(page, default_timeout=60)
    app.query_params["lang"] = "en"
    app.run().button("compare.open").click().run()
    assert not app.exception
    assert "belongs to this machine" in app.error[0].value


@pytest.mark.nightly
def test_a_route_gets_destinations_and_rows_by_clicks_and_follows_a_new_name(opened: Any) -> None:
    shown = opened(a=link("Route(WordTable(), (Destination('all', BM25()),))"), b="", at="a/retrieve.0")
    knob = "pipeline.knob.a.retrieve.0"
    assert shown.app.button(f"{knob}.routes.0.away").disabled, "a route has at least one destination"
    shown.click("do.destination")
    assert shown.app.session_state["pipeline.at"] == "a/retrieve.0.routes.1"
    shown.app.selectbox("pipeline.as.a.retrieve.0.routes.1").set_value("vector")
    two = "(Destination(name='all', search=BM25()), Destination(name='1', search=Vector()))"
    assert shown.run().written() == f"Pipeline(retrieve=(Route(router=WordTable(), routes={two}),))"
    shown.select("a/retrieve.0").click("do.row")
    shown.app.text_input(f"{knob}.table.0").set_value("battery")
    shown.run().app.text_input(f"{knob}.routes.1").set_value("meaning")
    shown.run().click("do.row")
    shown.app.button(f"{knob}.table.1.away").click()
    shown.run()
    two = two.replace("'1'", "'meaning'")
    assert (
        shown.written()
        == f"Pipeline(retrieve=(Route(router=WordTable(table=(('battery', 'meaning'),)), routes={two}),))"
    )
    ((_name, ranking),) = shown.rankings.items()
    assert [h.document.id for h in ranking] == Runner(ranking.corpus)(formats.parse("Vector()"), ASKED).ids
    shown.app.selectbox(f"{knob}.table.0.to").set_value("all")
    shown.run().app.selectbox(f"{knob}.otherwise").set_value("meaning")
    table = "WordTable(table=(('battery', 'all'),), otherwise='meaning')"
    assert shown.run().written() == f"Pipeline(retrieve=(Route(router={table}, routes={two}),))"
    shown.app.text_input(f"{knob}.routes.1").set_value("all")
    assert shown.run().app.error, "every destination has a name of its own"
    shown.app.text_input(f"{knob}.routes.1").set_value("meaning")
    assert not shown.run().app.error
    shown.click("do.row").app.button(f"{knob}.table.0.away").click()
    assert "(('a word', 'meaning'),)" in shown.run().written()
    assert shown.app.text_input(f"{knob}.table.0").value == "a word"
    shown.app.button(f"{knob}.routes.1.away").click()
    left = "(Destination(name='all', search=BM25()),)"
    assert shown.run().written() == f"Pipeline(retrieve=(Route(router=WordTable(), routes={left}),))"


def test_what_a_rewriter_learns_from_and_what_is_known_by_name_is_chosen(opened: Any) -> None:
    shown = opened(a=link("MultiQuery()(BM25())"), b="", at="a/rewrite")
    knob = "pipeline.knob.a.rewrite.multiquery.learns_from"
    assert shown.app.selectbox(f"{knob}.type").value == "vector"
    shown.app.selectbox(f"{knob}.type").set_value("bm25")
    assert shown.run().written() == "MultiQuery(learns_from=BM25())(BM25())"
    shown.app.slider(f"{knob}.bm25.k1").set_value(0.5)
    assert shown.run().written() == "MultiQuery(learns_from=BM25(k1=0.5))(BM25())"
    composed = "MultiQuery(learns_from=BM25() >> Top(k=3))(BM25())"
    shown = opened(a=link(composed), b="", at="a/rewrite")
    assert shown.written() == composed
    assert "Top" in shown.app.text_input(knob).value, "what is composed is typed"
    shown = opened(a=link("DomainVocabulary()(BM25()) >> Learned()"), b="", at="a/rewrite")
    offered = shown.app.selectbox("pipeline.knob.a.rewrite.domainvocabulary.adapter")
    assert offered.options == [adapter.called("en") for adapter in adapters().values()]
    other = [name for name in adapters() if name != "education"][0]
    offered.set_value(offered.options[list(adapters()).index(other)])
    assert f"adapter='{other}'" in shown.run().written()
    shown.select("a/refine.0")
    weights = shown.app.selectbox("pipeline.knob.a.refine.0.learned.weights")
    assert weights.options == [*OFFERED]


def test_the_weights_of_a_mix_are_set_one_by_one_and_come_back_by_link_file_and_python(opened):
    shown = opened(a=link("BM25() >> Learned()"), b="", at="a/refine.0")
    key, shipped = "pipeline.knob.a.refine.0.learned.weights", Weights.named("built-in")
    shown.app.session_state[f"{key}.each"] = True
    shown.run()
    told = {f.name: shown.app.number_input(f"{key}.{f.name}") for f in dataclasses.fields(Weights)}
    assert {name: box.value for name, box in told.items()} == dataclasses.asdict(shipped), "they start with the set"
    assert all(box.label and box.help for box in told.values())
    assert len({box.label for box in told.values()}) == len(told)
    told["bm25"].set_value(2.0)  # two in quick succession are one run
    told["title_covered"].set_value(-0.5)
    own = dataclasses.replace(shipped, bm25=2.0, title_covered=-0.5)
    search = BM25() >> Learned(own)
    assert formats.parse(shown.run().written()) == search
    assert shown.app.number_input(f"{key}.title_covered").value == -0.5
    (ranking,) = shown.rankings.values()
    assert ranking.made_by.weights == own
    for text in (formats.to_toml(search), formats.to_link(search), formats.expression(search)):
        assert formats.read(text) == search
    again = opened(a=formats.to_link(search), b="", at="a/refine.0")
    assert again.written() == shown.written()
    assert shown.app.selectbox(key).options == [*OFFERED, "your own"]
    shown.app.selectbox(key).set_value(formats.expression(shipped))
    assert formats.parse(shown.run().written()) == BM25() >> Learned()
    assert shown.app.number_input(f"{key}.bm25").value == shipped.bm25, "and follow the set that is chosen"


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", ("All routes are searched.", "Top 0 removed")), ("zh", ("因此检索全部路线", "“前 0 条”"))],
)
def test_a_list_says_where_its_question_was_sent_and_what_was_relaxed(
    opened: Any, lang: str, words: tuple[str, str]
) -> None:
    places = ", ".join(f"Destination('{name}', BM25(), '{name}')" for name in ("devices", "handbook"))
    route = f"Route(CollectionRouter(margin=0.9), ({places},))"
    strict = "Fallback(BM25() % 0, Vector())"
    shown = opened(a=link(f"{route} >> MMR(k=3)"), b=link(strict), lang=lang, corpus="devices", q="the battery")
    told = [str(c.value).replace("\\", "") for c in shown.app.caption if "alt_route" in str(c.value)]
    assert len(told) == 2
    assert words[0] in told[0], "also where a stage follows"
    assert words[1] in told[1]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_whole_way_arrives_with_its_lineage(opened: Any, lang: str) -> None:
    whole = presets()["integration"].search
    limits = formats.expression(whole.retrieve[0])
    places = ", ".join(f"Destination('{name}', {limits}, '{name}')" for name in ("devices", "handbook"))
    route = f"Contextual()(Route(CollectionRouter(), ({places},)))"
    shown = opened(a=link(route), b=link(limits), lang=lang, corpus="devices", q="knitting patterns as EPUB")
    told = [str(c.value).replace("\\", "") for c in shown.app.caption if "alt_route" in str(c.value)]
    assert ["**A" in one for one in told] == [True, True, False], "where it was sent, what was relaxed; and that of B"
    for one in told[1:]:
        assert "0.3 → 0.1" in one
        assert "0.2 → 0.17" in one
    assert shown.written() == formats.expression(formats.parse(route))


def test_the_name_of_a_pipeline_is_no_markup_in_the_last_line(opened: Any) -> None:
    shown = opened(a=link("Pipeline(retrieve=(BM25(),), name='**loud** $x$')"), b="")
    assert r"\*\*loud\*\* \$x\$" in shown.app.caption[-1].value


NEEDED = {
    "MMR(k=5)": "Needs: the question, scores, texts, vectors.",
    "LengthFilter()": "Needs: texts.",
    "Where('year > 2000')": "Needs: metadata.",
    "LanguageModelJudge(model='chat')": "Needs: the question, texts, a language model. "
    "This run has no language model “chat”.",
    "LanguageModelJudge(model='')": "Needs: the question, texts.",
    "Top(3)": "",
}


@pytest.mark.parametrize("stage", spread(NEEDED, 2))
def test_the_inspector_shows_what_the_selected_stage_needs(stage: str, opened: Any) -> None:
    shown = opened(a=link(f"BM25() >> {stage}"), b="", at="a/refine.0")
    told = [line for line in shown.texts.split("\n") if line.startswith("Needs:")]
    assert told == ([NEEDED[stage]] if NEEDED[stage] else [])


def test_the_picture_says_what_language_models_used(opened: Any) -> None:
    """Three passages are judged: 17 tokens each by the count of the server, and its price."""
    judged = link("BM25() % 3 >> LanguageModelJudge()")
    without = opened(a=judged)
    assert "token" not in without.cards["a"]["meta"] + without.cards["a/refine.1"]["ms"]
    with Server('{"relevant": true, "reason": "it is about batteries"}') as server:
        shown = opened(a=judged)
        shown.app.session_state["_language_model"] = EndpointModel("m", server.url, retries=0, prices=(2.0, 10.0))
        answered(shown.app.run())
        shown.run()
        assert len(server.requests) == 3
    cost = 3 * (12 * 2.0 + 5 * 10.0) / 1_000_000
    assert shown.cards["a"]["meta"].endswith(f"3 requests · tokens: 51 · cost: {cost:.2g}")
    assert shown.cards["a/refine.1"]["ms"].endswith(" ms · tokens: 51")
    assert "token" not in shown.cards["a/refine.0"]["ms"]


def test_a_selective_search_says_what_it_saves_and_decides(opened: Any) -> None:
    shown = opened(a=link("Selective(BM25(), BM25() >> MaxSim())"), b="", **{"fold.saving": "1"})
    assert "Judged questions that skip the second search: " in shown.texts
    assert shown.cards["a/retrieve.0.first"]["count"]
    assert any("value" in frame.value.columns for frame in shown.app.dataframe)
    without = opened(a=link("BM25() >> MaxSim()"), b="")
    assert not any(":material/savings:" in (x.icon or "") for x in without.app.expander)
