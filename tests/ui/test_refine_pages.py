"""Rerank, filter and compress in all their modes: what they show is what their program and their files give again."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import pytest
from models.scripted import ScriptedModel
from night import spread
from opened_as import same_as_pipelines
from streamlit.testing.v1 import AppTest

from lab import catalog, formats, packs, presets
from lab.algebra import Corpus, Document, Env, Outcome, Query, Ranking, Runner, Searcher, Stage, in_order, knob
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import ModelError
from lab.evaluate.learning import halves
from lab.explain import decaying
from lab.explain.decaying import AgeWeight, HalfLife
from lab.explain.mixing import Weighs, tipping
from lab.explain.moves import moves
from lab.models import cross_encoders
from lab.refine import rerank
from lab.refine.llm_filter import LanguageModelJudge
from lab.retrieve.vector import Vector
from lab.ui import cache
from lab.ui.layout.page import Page
from lab.ui.models import language_model
from lab.words import Said

EMPTY: Mapping[str, object] = MappingProxyType({})
ROOT = Path(__file__).parents[2]
CORPORA = {name: samples.load(name).corpus for name in samples.names()}

BOTH = ["devices", pytest.param("handbook", marks=pytest.mark.nightly)]


@dataclass(frozen=True)
class Longest(Stage):
    """A reranker that no page knows."""

    label = Said("Longest first")

    most: int = knob(5, low=1, high=20, label=Said("At most"))

    def refine(self, ranking: Ranking, env: Env) -> Outcome:
        hits = in_order([replace(hit, score=float(len(hit.document.text)), why=()) for hit in ranking], ranking)
        return Outcome(hits[: self.most])


@dataclass
class Shown:
    """What a page exported when it was last drawn."""

    app: AppTest
    searches: Mapping[str, Searcher] = field(default_factory=dict)
    rankings: Sequence[Ranking] = ()
    names: Sequence[str] = ()
    k: int = 0

    @property
    def lists(self) -> dict[str, Ranking]:
        return dict(zip(self.names, self.rankings, strict=True))

    @property
    def texts(self) -> str:
        app = self.app
        drawn = [*app.markdown, *app.caption, *app.subheader, *app.warning, *app.error, *app.info]
        return "\n".join(element.value for element in drawn).replace("\\", "")


@pytest.fixture
def opened(monkeypatch):
    """Opens a page with the knobs of a link; gives what it exported."""

    def open_it(page: str, corpus: str = "handbook", session: Mapping[str, object] = EMPTY, **knobs: str) -> Shown:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        shown, own = Shown(app), Page.end

        def take(p, searches, rankings, *took):
            shown.searches, shown.rankings, shown.names, shown.k = searches, [*rankings.values()], [*rankings], p._k
            own(p, searches, rankings, *took)

        monkeypatch.setattr(Page, "end", take)
        for name, value in {"lang": "en", "corpus": corpus, **knobs}.items():
            app.query_params[name if name in ("lang", "corpus", "q", "doc") else f"{page}.{name}"] = value
        for name, value in session.items():
            app.session_state[name] = value
        app.switch_page(f"pages/refine/{page}/page.py").run()
        assert not app.exception, app.exception
        return shown

    return open_it


def printed(program: str) -> dict[str, list[str]]:
    """The ids that a program prints, by the name of the search."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {})
    lists: dict[str, list[str]] = {}
    ids: list[str] = []
    for line in out.getvalue().splitlines():
        row = re.match(r" *(\d+) +(\S+) ", line)
        if row and lists:
            ids.append(row[2])
        elif not line.startswith((" ", "rank", "Empty", "Columns", "Index")):
            ids = lists[line] = []
    return lists


def holds(shown: Shown) -> None:
    """Every list has one search, and its program, its file and its link give the same list again."""
    assert set(shown.searches) == set(shown.names)
    corpus, query = shown.rankings[0].corpus, shown.rankings[0].query
    runner = Runner(corpus)
    for name, ranking in shown.lists.items():
        again = runner(formats.from_toml(formats.to_toml(shown.searches[name])), query, shown.k)
        assert [(h.document, h.score) for h in again.hits] == [(h.document, h.score) for h in ranking.hits], name
        assert again.dropped == ranking.dropped, name
        assert formats.parse(formats.expression(shown.searches[name])) == shown.searches[name]
    lines = ["from lab.corpus import samples", f"corpus = samples.load({corpus.name!r}).corpus"]
    program = formats.to_python(shown.searches, corpus=lines, query=query, k=shown.k)
    assert printed(program) == {name: ranking.ids for name, ranking in shown.lists.items()}
    same_as_pipelines(shown.app, shown.app.session_state["_page"], shown, shown.searches)


NEAR = {"semanticdedup.threshold": "0.7", "embeddingsfilter.k": "5"}
MODES = [
    *(
        ("rerank", {"by": by})
        for by in ("", "querycoverage", "maxsim", "hybridsimilarity", "querycoverage,maxsim,hybridsimilarity")
    ),
    ("rerank", {"from": "vector", "querycoverage.weight": "0.8", "maxsim.normalisation": "none"}),
    ("rerank", {"from": "bm25,vector", "by": "maxsim,hybridsimilarity", "depth": "20"}),
    ("rerank", {"from": "bm25,tfidf,vector", "depth": "200"}),
    ("rerank", {"by": "learned"}),
    ("rerank", {"by": "learned", "from": "bm25,vector", "learned.weights": "Weights(bm25=1.0, maxsim_covered=-0.5)"}),
    ("rerank", {"by": "hybridsimilarity", "hybridsimilarity.threshold": "20"}),
    ("rerank", {"by": "hybridsimilarity", "hybridsimilarity.tag_source": "suggested", "hybridsimilarity.window": "5"}),
    ("filter", {"chain": ""}),
    *(("filter", {"chain": cls.key}) for cls in catalog.with_role(catalog.stages, "filter")),
    (
        "filter",
        {
            "chain": "semanticdedup,metadatafilter",
            "metadatafilter.required": "date,source",
            "metadatafilter.missing": "drop",
        },
    ),
    ("filter", {"chain": "semanticdedup,embeddingsfilter,metadatafilter", **NEAR, "cheap": "1"}),
    ("filter", {"chain": "embeddingsfilter,semanticdedup", **NEAR, "from": "bm25,vector"}),
    ("filter", {"chain": "embeddingsfilter", "embeddingsfilter.k": "0", "embeddingsfilter.threshold": ""}),
    (
        "filter",
        {
            "chain": "scorethreshold,languagemodeljudge,redundancyfilter",
            "scorethreshold.minimum": "0.5",
            "scorethreshold.of": "best",
            "depth": "200",
        },
    ),
    ("filter", {"chain": "scorethreshold,semanticdedup", "scorethreshold.minimum": "1000"}),
    (
        "filter",
        {"chain": "keywordexclusion", "keywordexclusion.words": "员工,公司", "keywordexclusion.patterns": "("},
    ),
    ("compress", {}),
    ("compress", {"from": "bm25,vector", "n": "20", "sentenceextractor.at_most": "1"}),
    ("compress", {"embeddingsfilter.threshold": "1"}),
    ("compress", {"sentenceextractor.threshold": "1", "sentenceextractor.at_least": "0"}),
    ("compress", {"embeddingsfilter.threshold": "-1", "by": "modelextractor"}),
]


@pytest.mark.parametrize("corpus", BOTH)
@pytest.mark.parametrize(("page", "knobs"), spread(MODES, 3))
def test_what_a_page_shows_its_program_and_its_files_give_again(opened, page, corpus, knobs):
    holds(opened(page, corpus, **knobs))


@pytest.mark.parametrize("page", ["rerank", "filter", "compress"])
def test_a_question_that_finds_nothing_says_so(opened, page):
    shown = opened(page, q="qqqq zzzz", **{"from": "bm25"})
    assert "The corpus contains none of these words" in shown.texts
    assert not shown.names


BEHIND = "hb-176"
"""The fifth of the vectors: of five candidates it is the first that is cut.

By min–max it is worth 0, as is hb-103, which BM25 alone finds and ranks first: the better rank decides.
"""


def test_a_document_that_was_cut_before_it_was_read_is_the_one_that_is_explained(opened):
    title = CORPORA["handbook"].get(BEHIND).label
    assert Runner(CORPORA["handbook"])(Vector(), "TRV-01", 5).ids[-1] == BEHIND
    shown = opened("rerank", q="TRV-01", doc=BEHIND, depth="5", **{"from": "bm25,vector"})
    assert f"Why “{title}” is missing" in shown.texts
    assert "BM25 + Vector · Built-in bilingual #6" in shown.texts
    assert "Top 5: Rank 6: only the first 5 are passed on." in shown.texts
    assert shown.app.selectbox(key="rerank.pick").value == BEHIND
    shown.app.selectbox(key="rerank.pick").set_value("hb-156").run()
    assert "How “员工停车位管理” is scored" in shown.texts
    shown.app.selectbox(key="rerank.pick").set_value(BEHIND).run()
    assert f"Why “{title}” is missing" in shown.texts
    shown = opened("rerank", q="TRV-01", doc=BEHIND, depth="100", **{"from": "bm25,vector"})
    assert f"How “{title}” is scored" in shown.texts
    assert shown.lists["Coverage"].rank("hb-103") == 1


@pytest.mark.parametrize("page", ["filter", "compress"])
def test_a_document_behind_the_candidates_tells_its_way(opened, page):
    shown = opened(page, q="TRV-01", doc=BEHIND, **{"from": "bm25,vector", "depth": "5", "n": "5", "fold.way": "1"})
    assert "Top 5: Rank" in shown.texts


def test_each_coverage_has_a_weight_of_its_own(opened):
    shown = opened("rerank", **{"querycoverage.weight": "0.25"})
    assert [search.refine[-1].weight for search in list(shown.searches.values())[1:]] == [0.25, 0.5]


def test_the_best_offline_pipeline_is_that_of_the_presets(opened):
    shown = opened("rerank", **{"from": "tfidf", "depth": "20", "learned.weights": "Weights(bm25=1.0)"})
    next(b for b in shown.app.button if b.label == "Best offline pipeline").click().run()
    assert not shown.app.exception
    name, search = list(shown.searches.items())[-1]
    best = presets.find("best")
    assert search.refine[-1] == best.refine[-1]
    assert search.retrieve[0].retrieve == best.retrieve
    assert search.retrieve[0].fuse.weights == pytest.approx(best.fuse.weights)
    found = Runner(CORPORA["handbook"])(best, shown.lists[name].query, 50)
    assert shown.lists[name].ids[:10] == found.ids[:10]


@pytest.mark.skipif("best-neural" in packs.left_out(), reason="the pack e5 is left out")
def test_the_mix_with_the_neural_model_is_a_click_away_for_the_first_20_candidates(opened):
    shown = opened("rerank")  # a question of the sample: its vectors come with the lab
    next(b for b in shown.app.button if b.label == "With a neural model").click().run()
    assert not shown.app.exception
    name, search = list(shown.searches.items())[-1]
    assert search.refine[-1] == presets.find("best-neural").refine[-1]
    assert search.refine[-1].weights.neural > 0
    assert len(shown.lists[name].hits) == 20
    assert shown.lists[name].ids == Runner(CORPORA["handbook"])(search, shown.lists[name].query, 20).ids


def test_a_weight_of_the_learned_mix_is_tried_and_taken(opened):
    shown = opened("rerank", by="learned", feature="maxsim", **{"fold.weights": "1"})
    app, own = shown.app, shown.lists["Learning to rank (LTR)"].made_by
    mix = shown.lists["Learning to rank (LTR)"].evidence
    tips = tipping(mix, own.weights, Weighs("maxsim", 10.0))
    exact = ", ".join(f"{v:.3f}" for v in sorted({c.value for c in tips.crossings})[:12])
    assert f"The first five change order at {exact}." in shown.texts
    assert app.slider("rerank.if.maxsim").value == pytest.approx(own.weights.at(mix.covered)["maxsim"], abs=0.005)
    app.slider("rerank.if.maxsim").set_value(0.0).run()
    app.button("rerank.take").click().run()
    assert not app.exception
    taken = shown.lists["Learning to rank (LTR)"]
    assert taken.made_by.weights.at(mix.covered)["maxsim"] == pytest.approx(0.0, abs=1e-3)
    assert taken.ids[:5] == [d.id for d in tips.interval_at(0.0).documents]
    holds(shown)


def test_weights_of_the_learned_mix_are_set_one_by_one_and_stand_in_the_link(opened):
    shown = opened("rerank", by="learned")
    app, own = shown.app, shown.lists["Learning to rank (LTR)"].made_by.weights
    app.session_state["rerank.learned.weights.each"] = True
    app.run()
    app.number_input("rerank.learned.weights.maxsim").set_value(7.25).run()
    assert not app.exception
    changed = replace(own, maxsim=7.25)
    assert shown.lists["Learning to rank (LTR)"].made_by.weights == changed
    assert formats.build("".join(app.query_params["rerank.learned.weights"])) == changed


@pytest.mark.nightly
def test_the_learned_mix_is_trained_on_half_of_the_judged_questions_and_reported_on_the_other(opened):
    shown = opened("rerank", "devices", by="learned", seed="3", **{"fold.train": "1"})
    app, judged = shown.app, samples.load("devices").judged
    taught, reported = (len(half) for half in halves(judged, 3))
    assert f"Questions learned from: {taught}; held out: {reported}." in shown.texts
    table = next(d.value for d in app.dataframe if "half" in d.value)
    assert (table["half"] == "tuning").sum() == taught
    assert table[table["half"] == "tuning"]["after"].isna().all()
    told = {m.label: m for m in app.metric}
    assert float(told["Learned weights"].value) == pytest.approx(table["after"].mean(), abs=6e-4)
    assert "…" in told["95% CI of the difference"].value
    before = shown.lists["Learning to rank (LTR)"].made_by.weights
    app.button("rerank.take_all").click().run()
    assert not app.exception
    after = shown.lists["Learning to rank (LTR)"].made_by.weights
    assert after != before
    assert formats.build(app.selectbox("rerank.learned.weights").value) == after


def test_too_few_judged_questions_are_said_to_be_too_few(opened, monkeypatch):
    own = samples.load("handbook")
    few = replace(own, qrels={q.id: own.qrels[q.id] for q in own.judged[:8]})
    monkeypatch.setattr(cache, "sample", lambda name: few)
    assert "Too few judged questions: 8." in opened("rerank", by="learned", **{"fold.train": "1"}).texts


def test_a_reranker_that_has_just_been_written_needs_no_edit_of_the_page(opened, monkeypatch):
    own = catalog.with_role
    found = lambda kind, role: [*own(kind, role), *([Longest] if role == "rerank" else [])]  # noqa: E731
    monkeypatch.setattr(catalog, "with_role", found)
    shown = opened("rerank", by="longest", depth="9", **{"longest.most": "9"})
    assert shown.app.slider("rerank.longest.most").value == 9
    lengths = [hit.score for hit in shown.lists["Longest first"]]
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == 9
    assert "is not a sum and cannot be split" in shown.texts


def test_a_reranker_that_cannot_be_loaded_leaves_the_others(opened, monkeypatch):
    def load(name: str, **options: object) -> object:
        raise ModelError(Said("No network."), Said("Try later."))

    monkeypatch.setattr(rerank, "load", load)
    shown = opened("rerank", by="crossencoderreranker,querycoverage", **{"crossencoderreranker.model": "owner/model"})
    assert "No network." not in shown.texts
    shown.app.button("rerank.download.crossencoderreranker").click().run()
    assert [*shown.names] == ["BM25", "Coverage"]
    assert "No network." in shown.texts
    button = next(b for b in shown.app.button if "soft coverage instead" in b.label)
    button.click().run()
    assert [*shown.names] == ["BM25", "Coverage", "Soft coverage"]
    holds(shown)


def test_a_link_downloads_no_cross_encoder(opened, monkeypatch):
    loaded = []
    monkeypatch.setattr(rerank, "load", lambda name, **options: loaded.append(name))
    knobs = {"by": "crossencoderreranker", "crossencoderreranker.model": "owner/model"}
    shown = opened("rerank", **knobs)
    assert "The model owner/model is not on this machine." in shown.texts
    shown.app.number_input("rerank.k").set_value(5).run()
    assert not loaded


def test_the_built_in_cross_encoder_shows_what_it_reads_and_what_it_is(opened):
    asked = {"q": "Did the dog bite the postman?", "from": "vector", "doc": "me-2"}
    shown = opened("rerank", "textbook-order-en", by="maxsim,crossencoderreranker", **asked, **{"maxsim.weight": "1"})
    soft, cross = (shown.lists[name] for name in ("Soft coverage", "Cross-encoder · textbook"))
    assert soft.hits[0].score == soft.hits[1].score
    assert [hit.document.id for hit in cross.hits][:2] == ["me-2", "me-1"]
    assert shown.app.selectbox("rerank.crossencoderreranker.model").options[0] == "textbook (built-in, small)"
    assert "Not for your documents" in shown.texts
    assert f"Logit {cross.hits[0].score:.2f}" in shown.texts
    assert "Attention does not explain the score" in shown.texts


@pytest.mark.parametrize("model", ["/etc", "/nothere", "~", "./tests", "owner/..", "owner/model"])
def test_a_lab_for_strangers_says_nothing_of_its_folders(opened, monkeypatch, model):
    monkeypatch.setenv("LAB_PUBLIC", "1")
    shown = opened("rerank", **{"by": "crossencoderreranker", "crossencoderreranker.model": model})
    assert shown.app.selectbox(key="rerank.crossencoderreranker.model").value == cross_encoders.TEXTBOOK
    assert "is not on this machine" not in shown.texts
    assert not shown.app.error


def test_the_quality_over_all_questions_is_that_of_the_searches_on_the_page(opened):
    shown = opened("rerank", all="1")
    labels = [m.label for m in shown.app.metric]
    assert any(label.startswith("before (") for label in labels)
    assert {"Coverage", "Soft coverage"} <= set(labels)
    before, *after = shown.rankings
    furthest = [max((m.change or 0 for m in moves(before, ranking)), key=abs) for ranking in after]
    told = re.findall(r"largest move: .*? ([▲▼])(\d+)", shown.texts)
    assert told == [("▲" if change > 0 else "▼", str(abs(change))) for change in furthest]


def test_a_relevant_document_that_a_filter_removes_is_named_with_the_filter(opened):
    shown = opened("filter", chain="keywordexclusion", q="TRV-01", **{"keywordexclusion.words": "TRV-01"})
    assert [d.document.id for d in shown.lists["Kept"].dropped] == ["hb-103"]
    assert "is judged relevant, and Keywords removes it" in shown.texts


def test_other_orders_are_made_when_they_are_opened(opened):
    knobs = {"q": "RV-450W 报 E27 怎么办", "chain": "semanticdedup,embeddingsfilter", **NEAR}
    closed = opened("filter", "devices", **knobs)
    assert not any("looked" in d.value for d in closed.app.dataframe)
    shown = opened("filter", "devices", **{"fold.others": "1"}, **knobs)
    table = next(d.value for d in shown.app.dataframe if "looked" in d.value)
    first, second = table.to_dict("records")
    kept = shown.lists["Kept"]
    assert first["kept"] == len(kept)
    assert first["more"] == first["fewer"] == ""
    assert first["looked"] == len(kept.parents[0]) + len(kept.parents[0].parents[0])
    candidates = shown.lists["BM25"]
    other = candidates.then(*reversed([kept.parents[0].made_by, kept.made_by]))
    assert second["kept"] == len(other)
    assert second["more"] == ", ".join(i for i in other.ids if kept.rank(i) is None)
    assert second["fewer"] == ", ".join(i for i in kept.ids if other.rank(i) is None) != ""


@pytest.fixture
def model(monkeypatch):
    def use(*script: tuple[str, object]) -> None:
        monkeypatch.setattr(language_model, "current", lambda place: ScriptedModel(tuple(script)))

    return use


def test_the_judges_verdicts_are_those_of_its_step(opened, model):
    model(("", '{"relevant": false, "reason": "off topic"}'))
    shown = opened("filter", chain="languagemodeljudge,semanticdedup")
    assert not shown.lists["Kept"].hits
    assert "The model considers it not relevant: off topic" in shown.texts
    assert "off topic" not in formats.to_toml(shown.searches["Kept"])
    model(("", ModelError(Said("It is tired."))))
    shown = opened("filter", chain="languagemodeljudge")
    n = len(shown.lists["BM25"])
    assert len(shown.lists["Kept"]) == n
    assert f"Passages kept because the model failed: {n} of {n}." in shown.texts


def test_the_judges_prompt_is_there_to_be_changed_and_stands_in_files_only_when_it_was(opened):
    shown = opened("filter", chain="languagemodeljudge")
    field = shown.app.text_area(key="filter.languagemodeljudge.template")
    assert "{question}" in field.value
    assert shown.searches["Kept"].refine[-1] == LanguageModelJudge()
    field.set_value("Is {document} of help for {question}?").run()
    assert shown.searches["Kept"].refine[-1].template == "Is {document} of help for {question}?"
    holds(shown)


def test_the_models_extracts_are_checked_and_drawn_from_the_evidence(opened, model):
    model(("", '{"extracts": ["This stands nowhere."]}'))
    shown = opened("compress", by="modelextractor")
    n = len(shown.lists["compressed"].parents[0])
    assert f"Passages kept whole: {n} of {n}." in shown.texts
    assert f"Extracts rejected because they are not in their passage: {n}" in shown.texts


def test_any_id_can_be_compressed(opened, monkeypatch):
    """Streamlit refuses keys with two underscores in a row."""
    documents = tuple(Document(f"__a__{i}", f"The red fox runs. Number {i} sleeps.") for i in range(3))
    corpus = Corpus("handbook", documents)
    monkeypatch.setattr(cache, "sample", lambda name: Collection(corpus, (Query("red fox", id="q"),), {"q": {}}))
    shown = opened("compress", q="red fox")
    assert shown.lists["compressed"].ids == [d.id for d in documents]


@pytest.mark.nightly
def test_the_half_lives_at_which_time_decay_changes_the_order_are_said(opened):
    shown = opened("rerank", by="timedecay", **{"fold.decay": "1", "timedecay.weight": "0.5"})
    stage, ages = shown.lists["Time decay"].made_by, shown.lists["Time decay"].evidence
    for axis, key, digits in ((HalfLife(), "half-life", 1), (AgeWeight(), "weight", 3)):
        shown.app.segmented_control("rerank.decay").set_value(key).run()
        tips = decaying.tipping(stage, ages, axis)
        exact = ", ".join(f"{v:.{digits}f}" for v in sorted({c.value for c in tips.crossings})[:12])
        told = f"The first five change order at {exact}." if exact else "the first five results stay the same"
        assert told in "\n".join(x.value for x in shown.app.caption)
    assert f"Ages count back from {ages.as_of}." in shown.texts
    holds(shown)
