"""The page Evaluate: its figures are those of the library, from the table down to one question; errors are said."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from night import spread
from streamlit.testing.v1 import AppTest

from lab import formats, samples
from lab.algebra import Corpus, Document, Query
from lab.answer.answered import answered_shares
from lab.corpus.beir import Collection
from lab.corpus.conversations import Conversation
from lab.derive.chunk import Chunk
from lab.evaluate import evaluate, experiments
from lab.evaluate.conversations import by_depth
from lab.evaluate.conversations import run_many as hold
from lab.evaluate.experiments import Experiment
from lab.evaluate.growing import Growth, grow, growing
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import decide, holm, told_p
from lab.evaluate.thresholds import Threshold, results_of
from lab.evaluate.trec import read_trec
from lab.fuse import RRF
from lab.presets import find
from lab.refine.rerank import CrossEncoderReranker
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.likelihood import QueryLikelihood
from lab.rewrite.contextual import Contextual
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from lab.ui.study import evaluating

ROOT = Path(__file__).parents[2]


def page(**params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in {"lang": "en", "corpus": "devices", **params}.items():
        app.query_params[key] = value
    app.switch_page("pages/whole/evaluate/page.py")
    return app.run()


def quiet(app: AppTest) -> str:
    """Every text of the page, which has neither an error nor anything that is not a number."""
    assert not app.exception
    assert not app.error
    said = "\n".join(x.value for x in (*app.markdown, *app.caption, *app.info, *app.warning))
    assert "nan" not in said.lower()
    return said.replace("\\", "")


NOT_DECIDED = "These questions (25) do not decide."


def corrected_over_pairs(e: Experiment, measure: str) -> list[float | None]:
    return holm([d.p for d in e.pairs[measure]])


def test_the_figures_are_those_of_the_library_and_a_question_can_be_opened(monkeypatch: pytest.MonkeyPatch):
    drawn = list[list[tuple[str, str]]]()
    rows = evaluating.components.squares
    monkeypatch.setattr(
        evaluating.components,
        "squares",
        lambda data, **how: drawn.append([(r["name"], r["chance"]) for r in data["rows"]]) or rows(data, **how),
    )
    app = page(**{"evaluate.n": "25", "evaluate.measures": "nDCG@10 AP"})
    said = quiet(app)
    searches = {"BM25": BM25(), "hybrid": find("hybrid"), "best": find("best")}
    made = evaluate(searches, samples.load("devices"), ["nDCG@10", "AP"], baseline="BM25", limit=25)
    overview, tested = (frame.value for frame in app.dataframe[:2])
    assert overview["name"].to_list() == list(searches)
    for m in ("nDCG@10", "AP", "Judged@10"):
        assert overview[m].to_list() == pytest.approx([made.mean(name, m) for name in searches])
    by_pairs = corrected_over_pairs(made, "nDCG@10")
    assert tested["p-value corrected"].to_list() == by_pairs[:2]
    assert [chance for _, chance in drawn[-1]] == [f"p {told_p(p)}" for p in by_pairs], "the squares have the same p"
    assert tested["+"].to_list() == [made.differences[n, "nDCG@10"].better for n in ("hybrid", "best")]
    assert app.subheader[0].value.replace("\\", "") == decide(made.pairs["nDCG@10"])[0] == NOT_DECIDED
    for name, p in zip(("hybrid", "best"), by_pairs, strict=False):
        (line,) = (line for line in said.split("\n") if line.startswith(f"**{name}**"))
        assert f"is not significant (p {told_p(p)}, Holm-corrected)" in line, "as the heading says"
    away = made.differences["best", "nDCG@10"].away
    assert app.selectbox("evaluate.question").value == max(away, key=away.get)
    again = app.segmented_control("evaluate.measure").set_value("AP").run()
    assert f"(p {told_p(corrected_over_pairs(made, 'AP')[1])}, Holm-corrected)" in quiet(again)
    app.button("evaluate.propose").click().run()
    added = [formats.read(link) for link in app.multiselect("evaluate.searches").value[3:]]
    assert added == [BM25(b=0.25), QueryLikelihood()]
    assert not any(button.key == "evaluate.propose" for button in app.button)


def test_lists_by_words_have_the_chinese_terms_that_the_visitor_chooses(monkeypatch):
    chinese = Collection(
        Corpus("own", (Document("a", "机器"), Document("b", "机会"))), (Query("机场", id="q"),), {"q": {"b": 1}}
    )
    visiting(monkeypatch, chinese)
    written = formats.to_link(BM25(k1=0.3))
    link = {"evaluate.searches": f"bm25,{written},hybrid", "evaluate.analyzer.characters": "0"}
    app = page(corpus="own", lang="zh", **link, **{"evaluate.baseline": "hybrid"})
    quiet(app)
    assert app.selectbox("evaluate.baseline").value == "混合（hybrid）", "a link has the name in the other language"
    by_character, *rest = app.dataframe[0].value["nDCG@10"]
    assert by_character == 0.0, "only a character is shared"
    assert min(rest) > 0, "what is written as text keeps its own terms"
    app.toggle("evaluate.analyzer.characters").set_value(True).run()
    assert app.dataframe[0].value["nDCG@10"][0] > 0


def test_so_many_questions_would_show_a_difference_that_the_visitor_names():
    app = page(**{"evaluate.n": "25", "evaluate.searches": "bm25,hybrid", "evaluate.measures": "AP"})
    d = evaluate([BM25(), find("hybrid")], samples.load("devices"), ["AP"], baseline=0, limit=25)
    (difference,) = d.differences.values()
    for size in (0.02, 0.1):
        said = quiet(app.slider("evaluate.effect").set_value(size).run())
        assert f"difference of {size:.3f} with 80% power: hybrid **{difference.needed(size):,}**" in said


def test_questions_without_judgments_and_runs_can_be_taken_along(monkeypatch):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"), Query("snow", id="q3"))
    visiting(monkeypatch, Collection(FOXES, queries, {"q1": {"d1": 1}}))
    app = page(corpus="foxes", **{"evaluate.searches": "bm25,tfidf", "evaluate.fold.files": "1"})
    quiet(app)
    labels = [button.proto.label.replace("\\", "") for button in app.get("download_button")]
    assert "2 questions without judgments" in labels
    assert [label for label in labels if "TREC" in label] == ["Run of BM25 (TREC)", "Run of TF-IDF (TREC)"]


def test_what_was_asked_once_is_not_asked_again(monkeypatch):
    app = page(**{"evaluate.n": "10", "evaluate.searches": "bm25,hybrid"})
    asked = []
    monkeypatch.setattr(BM25, "run", lambda self, runner, query, k: asked.append(query.id) or [])
    quiet(app.selectbox("evaluate.baseline").set_value("hybrid").run())
    quiet(app.text_input("evaluate.measures").set_value("RR@10").run())
    assert asked == []


@pytest.mark.parametrize("tab", spread(["compare", "sweep"], 1))
def test_a_run_in_which_nothing_has_changed_reckons_nothing_anew(tab, monkeypatch):
    app = page(**{"evaluate.n": "10", "evaluate.searches": "bm25,hybrid", "evaluate.tab": tab})
    shown, made = quiet(app), list[str]()
    for name in ("measure_run", "compare"):
        own = getattr(experiments, name)
        monkeypatch.setattr(experiments, name, lambda *how, do=own: made.append(do.__name__) or do(*how))
    assert quiet(app.run()) == shown
    assert made == []
    if tab == "compare":
        quiet(app.text_input("evaluate.measures").set_value("nDCG@10").run())
        assert {"measure_run", "compare"} == set(made)


@pytest.mark.parametrize("measures", ["nDCG@0", "foo", " ", "nDCG@10 P@-1"])
def test_a_measure_that_cannot_be_computed_is_said_before_anything_runs(measures, monkeypatch):
    def never(*_):
        raise AssertionError("asked")

    monkeypatch.setattr(BM25, "run", never)
    app = page(**{"evaluate.measures": measures})
    assert not app.exception
    assert len(app.error) == 1
    assert "Use measures such as" in app.error[0].value


@pytest.mark.nightly
def test_conversations_are_told_from_turn_to_turn_with_the_figures_of_the_library(monkeypatch):
    link = {"evaluate.searches": "bm25,hybrid", "evaluate.measures": "nDCG@10 AP", "evaluate.tab": "talk"}
    app = page(**link, **{"evaluate.fold.types": "1", "evaluate.fold.files": "1"})
    said, c = quiet(app), samples.load("devices")
    searches = {"BM25": BM25(), "BM25 + Conversation": Contextual()(BM25()), "hybrid": find("hybrid")}
    runs = hold(searches, c.corpus, c.conversations, shown=3)
    scores = {name: measure_run(run, c.turn_qrels, ["nDCG@10"]) for name, run in runs.items()}
    told = {name: by_depth(own, c.conversations, "nDCG@10") for name, own in scores.items()}
    turns, tested = (frame.value for frame in app.dataframe[:2])
    judged = len(c.spoken.judged)
    assert turns.columns.to_list() == ["turn", "turns", *searches]
    assert turns["turn"].to_list() == ["all", *(str(d.depth) for d in told["BM25"])]
    assert turns["turns"].to_list() == [judged, *(d.turns for d in told["BM25"])]
    for name, own in told.items():
        assert turns[name].to_list() == pytest.approx([scores[name].means["nDCG@10"], *(d.mean for d in own)])
        n = judged - own[0].turns
        later = (scores[name].means["nDCG@10"] * judged - own[0].mean * own[0].turns) / n
        low = min(own, key=lambda d: d.mean)
        sentence = f"{own[0].mean:.3f} at the first turn, {later:.3f} on average later (turns: {n}); "
        assert f"**{name}**: {sentence}lowest at turn {low.depth}: {low.mean:.3f}." in said
    assert f"Conversations: {len(c.conversations)}, judged turns: {judged}." in said
    assert tested["name"].to_list() == ["BM25 + Conversation", "hybrid"]
    asked = []
    monkeypatch.setattr(BM25, "run", lambda self, runner, query, k: asked.append(query) or [])
    quiet(app.segmented_control("evaluate.measure").set_value("AP").run())
    assert asked == []
    app.number_input("evaluate.shown").set_value(0).run()
    assert asked, "another number of shown passages is another conversation"


def test_a_baseline_that_reads_the_conversation_or_is_a_run_is_not_asked_once_more():
    link = {"evaluate.tab": "talk", "evaluate.measures": "AP"}
    app = page(**link, **{"evaluate.searches": formats.to_link(Contextual()(BM25()))})
    quiet(app)
    assert "evaluate.remember" not in [t.key for t in app.toggle]
    app = page(**link, **{"evaluate.searches": "bm25"})
    quiet(app)
    assert app.dataframe[0].value.columns.to_list()[2:] == ["BM25", "BM25 + Conversation"]
    quiet(app.toggle("evaluate.remember").set_value(False).run())
    assert app.dataframe[0].value.columns.to_list()[2:] == ["BM25"]


def test_conversations_are_offered_where_there_are_judged_ones_and_questions_where_those_are(monkeypatch):
    talk = (Conversation("c", (Query("fox", id="c-1"), Query("bird", id="c-2"))),)
    only = Collection(FOXES, conversations=talk, turn_qrels={"c-2": {"d2": 1}})
    visiting(monkeypatch, only)
    app = page(corpus="foxes", **{"evaluate.searches": "bm25,tfidf"})
    said = quiet(app)
    assert app.segmented_control("evaluate.tab").options == ["Conversations"]
    assert "Conversations: 1, judged turns: 1" in said
    assert "at the first turn" not in said, "no first turn is judged"
    queries = (Query("fox", id="q1"),)
    visiting(monkeypatch, replace(only, queries=queries, qrels={"q1": {"d1": 1}}, turn_qrels={"c-2": {"d2": 0}}))
    app = page(corpus="foxes", **{"evaluate.searches": "bm25,tfidf", "evaluate.tab": "talk"})
    quiet(app)
    tabs = ["Compare searches", "Parameter sweep", "Threshold", "Growing corpus"]
    assert app.segmented_control("evaluate.tab").options[: len(tabs)] == tabs, "those of packs follow"
    visiting(monkeypatch, replace(only, turn_qrels={}))
    app = page(corpus="foxes")
    assert "nothing can be measured" in quiet(app)
    assert [link.proto.page.rsplit("/", 1)[-1] for link in app.main.get("page_link")] == ["judge", "corpus"]


def test_a_growing_corpus_has_the_figures_of_the_library_and_its_choice_is_in_the_link(monkeypatch):
    link = {"evaluate.tab": "grow", "evaluate.n": "8", "evaluate.searches": "bm25,tfidf", "evaluate.order": "5"}
    app = page(**link, **{"evaluate.add": "staff", "evaluate.cut": "sentences", "evaluate.sizes": "250, 300"})
    said, c = quiet(app), samples.load("devices")
    corpora = growing(c, [samples.load("staff").corpus], sentences=True, seed=5)
    searches = {"BM25": BM25(), "TF-IDF": TFIDF()}
    growth = Growth(tuple(grow(searches, corpora, (193, 250, 300), ["nDCG@10"], limit=8)), "nDCG@10")
    table = app.dataframe[0].value
    for column in ("passages", "search", "value", "low", "high", "flips", "judged"):
        assert table[column].to_list() == [row[column] for row in growth.rows]
    assert growth.notes[0] in said
    searched = []
    monkeypatch.setattr(BM25, "run", lambda self, runner, query, k: searched.append(query) or [])
    quiet(app.text_input("evaluate.measures").set_value("RR@10").run())
    assert searched == []
    assert app.dataframe[0].value["value"].to_list() != table["value"].to_list()
    assert "Choose a corpus to add" in quiet(app.multiselect("evaluate.add").set_value([]).run())


def visiting(monkeypatch, collection: Collection) -> None:
    """The visitor has uploaded this."""
    visitor = Visitor("token")
    visitor.store(frame.UPLOADS)[collection.name] = collection
    monkeypatch.setattr(frame, "visitor", lambda: visitor)


FOXES = Corpus("foxes", (Document("d1", "a red fox"), Document("d2", "a blue bird")))


LONG = Corpus("long", (Document("d1", "a red fox " * 9), Document("d2", "a blue bird " * 9)))


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({}, "nothing can be measured"),
        ({"q1": {"d1": 0}}, "nothing can be measured"),
        ({"q1": {"d1": 1}}, "One question is not enough for a test"),
        ({"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}, "have the same nDCG@10 on every question (2)"),
    ],
)
def test_corners_are_told_in_true_sentences(monkeypatch, qrels, said):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"))
    visiting(monkeypatch, Collection(FOXES, queries, qrels))
    assert said in quiet(page(corpus="foxes", **{"evaluate.searches": "bm25,tfidf"}))


def test_a_sweep_has_no_baseline_and_the_one_that_was_chosen_comes_back():
    app = page(**{"evaluate.n": "5", "evaluate.searches": "bm25,tfidf", "evaluate.measures": "AP"})
    quiet(app.selectbox("evaluate.baseline").set_value("TF-IDF").run())
    quiet(app.segmented_control("evaluate.tab").set_value("sweep").run())
    assert "evaluate.baseline" not in [s.key for s in app.selectbox]
    quiet(app.segmented_control("evaluate.tab").set_value("compare").run())
    assert app.selectbox("evaluate.baseline").value == "TF-IDF"


@pytest.mark.parametrize("qrels", spread([{"q1": {"d1": 1}}, {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}], 1))
@pytest.mark.parametrize("search", [BM25(), BM25() % 0], ids=["words", "nothing"])
def test_a_sweep_over_hardly_anything_says_so_and_nothing_else(monkeypatch, qrels, search):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"))
    visiting(monkeypatch, Collection(FOXES, queries, qrels))
    knob = "b" if search == BM25() else "retrieve.0.b"
    link = {"evaluate.searches": formats.to_link(search), "evaluate.tab": "sweep", "evaluate.knob0": knob}
    app = page(corpus="foxes", **link, **{"evaluate.knob1": knob.replace("b", "k1")})
    said = quiet(app)
    value = 1.0 if search == BM25() else 0.0
    found = f"No setting is better than the current one: nDCG@10 {value:.3f}, questions: {len(qrels)}."
    assert found in said
    assert not app.metric, "four questions at least make two halves"
    assert "halvings" not in said
    again = quiet(app.segmented_control("evaluate.measure").set_value("RR@10").run())
    assert found.replace("nDCG@10", "RR@10") in again


def test_hits_that_nobody_has_judged_are_spoken_of_where_there_are_some(monkeypatch):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"))
    said = "Unjudged results count as not relevant"
    link = {"evaluate.searches": "bm25"}
    visiting(monkeypatch, Collection(FOXES, queries, {"q1": {"d1": 1}, "q2": {"d2": 1}}))
    assert said not in quiet(page(corpus="foxes", **link))
    both = Corpus("foxes", (*FOXES.documents, Document("d3", "a fox and a bird")))
    visiting(monkeypatch, Collection(both, queries, {"q1": {"d1": 1}, "q2": {"d2": 1}}))
    assert said in quiet(page(corpus="foxes", **link))


def test_questions_without_an_answer_have_columns_in_the_table_and_in_its_file(monkeypatch):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"), Query("parrot", id="q3"))
    collection = Collection(FOXES, queries, {"q1": {"d1": 1}, "q2": {"d2": 0}, "q3": {"d2": 0}})
    visiting(monkeypatch, collection)
    link = {"evaluate.searches": "bm25", "evaluate.fold.files": "1"}
    app = page(corpus="foxes", **link)
    assert "with" not in app.dataframe[0].value
    app.toggle("evaluate.answers").set_value(True).run()
    quiet(app)
    overview, everything = app.dataframe[0].value, app.dataframe[-1].value
    assert overview["refused"].to_list() == everything["Refused"].to_list() == [1 / 2], "nothing speaks of a parrot"
    assert overview["harmful"].to_list() == everything["harmful@10"].to_list() == [1 / 2]
    shares = answered_shares(run_many({"": BM25()}, FOXES, queries)[""], collection, queries[:1])
    assert overview[["without", "with"]].to_dict("records") == [shares]
    assert everything["answered without reason"].to_list() == [shares["without"]]


@pytest.mark.nightly
def test_a_threshold_has_the_figures_of_the_library_and_one_click_sets_it_on_the_page_filter():
    c = samples.load("devices")
    run = run_many({"": BM25()}, c.corpus, c.judged)[""]
    for kind, stage, fields in (("best", "scorethreshold", {"of": "best"}), ("coverage", "minimummatch", {})):
        link = {"evaluate.tab": "threshold", "evaluate.searches": "bm25", "evaluate.number": kind}
        app = page(**link, **{"evaluate.n": str(len(c.judged)), "evaluate.fold.points": "1"})
        said = quiet(app)
        made = Threshold(kind, tuple(results_of(run, c, c.judged, kind)), tuple(q.id for q in c.judged), 0.5)
        for sentence in made.told():
            assert sentence in said
        choice = made.choose()
        assert [m.value for m in app.metric] == [f"{choice.there.precision:.2f}", f"{choice.here.precision:.2f}"]
        table = app.dataframe[0].value
        assert table["kept"].to_list() == [p.kept for p in made.points]
        assert table["precision"].to_list() == pytest.approx([p.precision for p in made.points])
        app = app.button("evaluate.set").click().run()
        assert not app.exception
        value = choice.there.value
        app = opened(app, "refine/filter")
        assert app.multiselect("filter.from").value == ["bm25"]
        assert app.multiselect("filter.chain").value == [stage]
        assert app.session_state[f"filter.{stage}.minimum"] == value
        assert all(app.session_state[f"filter.{stage}.{name}"] == x for name, x in fields.items())


def test_a_threshold_on_a_pipeline_becomes_its_last_step():
    own = formats.to_link(RRF()(BM25(), BM25(b=0.0)))
    app = page(**{"evaluate.tab": "threshold", "evaluate.searches": own})
    quiet(app)
    app = opened(app.button("evaluate.set").click().run(), "whole/pipeline")
    stages = formats.read(app.session_state["pipeline.b"]).refine
    assert [type(stage).__name__ for stage in stages] == ["ScoreThreshold"]
    assert app.session_state["pipeline.a"] == own


def opened(app: AppTest, path: str) -> AppTest:
    """The page that a click has opened."""
    return app.switch_page(f"pages/{path}/page.py").run()


def test_a_search_that_finds_nothing_and_one_that_fails(monkeypatch):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"))
    visiting(monkeypatch, Collection(FOXES, queries, {"q1": {"d1": 1}, "q2": {"d2": 1}}))
    nothing = formats.to_link(BM25() % 0)
    said = quiet(page(corpus="foxes", **{"evaluate.searches": f"bm25,{nothing}"}))
    assert "no difference can be significant here" in said
    absent = formats.to_link(BM25() >> CrossEncoderReranker(model="nobody/nothing"))
    app = page(corpus="foxes", **{"evaluate.searches": f"bm25,{absent}"})
    assert "The model nobody/nothing is not on this machine" in quiet(app)
    assert not app.dataframe
    broken = formats.to_link(RRF()(BM25(), Chunk(size=20, overlap=0)(BM25()).without("refine.0")))
    visiting(monkeypatch, Collection(LONG, queries, {"q1": {"d1": 1}, "q2": {"d2": 1}}))
    app = page(corpus="long", **{"evaluate.searches": f"bm25,{broken}"})
    assert not app.exception
    assert "from several corpora" in app.error[0].value
    assert not app.dataframe


def test_a_run_from_elsewhere_stands_beside_ours(monkeypatch):
    queries = (Query("fox", id="q1"), Query("bird", id="q2"))
    visiting(monkeypatch, Collection(FOXES, queries, {"q1": {"d1": 1}, "q2": {"d2": 1}}))
    run = read_trec(io.StringIO("q1 Q0 d9 1 2 x\nq1 Q0 d1 2 1 x\n"), name="theirs.trec")
    frame.visitor().store(evaluating.UPLOADED)["theirs.trec"] = run
    app = page(corpus="foxes", **{"evaluate.searches": "bm25,run theirs.trec", "evaluate.measures": "RR@10"})
    said = quiet(app)
    assert "theirs.trec: results that are not in foxes: 1, the first: d9" in said
    assert "questions without results: 1 of 2. They count 0" in said
    assert app.dataframe[0].value["RR@10"].to_list() == [1.0, (1 / 2 + 0) / 2]


def test_a_pipeline_of_the_pipeline_page_and_one_of_a_link_are_offered():
    own = formats.to_link(BM25(k1=0.3))
    app = page(**{"evaluate.searches": f"bm25,{own}", "evaluate.n": "5"})
    quiet(app)
    assert app.multiselect("evaluate.searches").value == ["bm25", own]
    app.session_state["pipeline.b"] = formats.to_link(BM25(b=0.1))
    app.run()
    assert any(option.startswith("B · BM25") for option in app.multiselect("evaluate.searches").options)


def test_a_sweep_shows_both_halves_and_says_what_the_lead_is_worth():
    more = {"evaluate.n": "20", "evaluate.values.b": "0,0.5,1", "evaluate.fold.settings": "1"}
    app = page(**{"evaluate.tab": "sweep", "evaluate.searches": "bm25", **more})
    said = quiet(app)
    assert re.search(r"Best over all questions \(20\): b=[\d.]+ with|No setting is better", said)
    assert {m.label for m in app.metric} == {"Tuning half", "Held-out half"}
    assert not {m.delta for m in app.metric} & {"+0.000", "-0.000"}, "what is no lead has no arrow"
    table = next(d.value for d in app.dataframe if "b" in d.value)
    assert table["b"].to_list() == ["0.0", "0.5", "0.75", "1.0"]
    app = app.text_input("evaluate.values.b").set_value("high").run()
    assert not app.exception
    assert app.error


def test_a_step_without_its_model_and_a_prompt_without_its_names_are_said():
    judged = "BM25() % 5 >> LanguageModelJudge(template='Is it good?')"
    app = page(**{"evaluate.searches": formats.to_link(formats.read(judged)), "evaluate.n": "2"})
    said = quiet(app)
    assert "No language model is set: every passage stays." in said
    assert "The prompt lacks {question}, {document}: the model is not told them." in said
    assert "No language model is set" not in quiet(page(**{"evaluate.searches": "bm25", "evaluate.n": "2"}))
