"""Experiments: errors before anything runs, what is done is kept, runs from elsewhere, corners without NaN."""

from __future__ import annotations

import io

import pytest
from night import for_each

from lab import samples
from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.errors import EvaluationError, LabError, ParameterError, UnknownName
from lab.evaluate import experiment
from lab.evaluate.experiments import evaluate, of_runs
from lab.evaluate.runs import Gathered, Run, answered
from lab.evaluate.trec import read_trec
from lab.retrieve.lexical import BM25, TFIDF

CORPUS = Corpus("animals", tuple(Document(f"d{i}", text) for i, text in enumerate(["red fox", "blue bird", "red sky"])))
QUERIES = tuple(
    Query(text, id=f"q{i}", metadata={"type": kind})
    for i, (text, kind) in enumerate([("fox", "plain"), ("bird", "plain"), ("sky", "odd"), ("nothing", "odd")])
)
QRELS = {"q0": {"d0": 2}, "q1": {"d1": 1, "d0": 0}, "q2": {"d1": 1}, "q3": {"d0": 1}}
COLLECTION = Collection(CORPUS, QUERIES, QRELS)


class Stopped(Exception):
    pass


class Never(BM25):
    """A search that must not be asked."""

    def run(self, runner, query, k):
        raise AssertionError("asked")


# ------------------------------------------------------------------------------- before anything runs


@for_each(
    "collection, measures, more, kind, said",
    [
        (COLLECTION, ["nDCG@0"], {}, EvaluationError, "no measure “nDCG@0”"),
        (COLLECTION, ["foo"], {}, EvaluationError, "no measure “foo”"),
        (COLLECTION, [], {}, EvaluationError, "No measure is given"),
        (COLLECTION, ["Compat(p=0.8)"], {"k": 0}, ParameterError, "k is 0"),
        (COLLECTION, ["AP"], {"baseline": "none"}, UnknownName, "“none” to compare with. Valid names: BM25"),
        (COLLECTION, ["AP"], {"baseline": 3}, UnknownName, "“3” to compare with"),
        (Collection(CORPUS, QUERIES), ["AP"], {}, EvaluationError, "no judgments"),
        (Collection(CORPUS, QUERIES, {"q0": {"d0": 0}}), ["AP"], {}, EvaluationError, "No document is judged relevant"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(collection, measures, more, kind, said):
    with pytest.raises(kind, match=said):
        evaluate({"BM25": Never()}, collection, measures, **more)


def test_without_a_search_there_is_nothing_to_evaluate():
    with pytest.raises(ParameterError, match="No search was given to evaluate"):
        evaluate([], COLLECTION)


# ------------------------------------------------------------------------------------------- stopped


def test_what_is_done_is_kept_and_goes_on_where_it_was_stopped(monkeypatch):
    monkeypatch.setattr("lab.evaluate.runs.BEAT", 1000)  # a slow machine reports within a question, too
    searches = {"one": BM25(), "two": TFIDF()}
    into, seen = Gathered(searches), []

    def stop(done, total):
        seen.append((done, total))
        if done == 3:
            raise Stopped

    with pytest.raises(Stopped):
        evaluate(searches, COLLECTION, ["AP"], into=into, progress=stop)
    done = answered(into.runs(), COLLECTION.judged)
    part = of_runs(into.runs(), COLLECTION, ["AP"], done, len(COLLECTION.judged), baseline=0)
    assert (len(part.queries), part.asked) == (2, 4)
    assert part.notes == ("Stopped: the figures cover only the first 2 of 4 questions.",)
    assert part.mean("one", "AP") == (1 + 1) / 2
    whole = evaluate(searches, COLLECTION, ["AP"], into=into, progress=lambda *step: seen.append(step))
    assert seen == [(1, 4), (2, 4), (3, 4), (3, 4), (4, 4)]
    assert whole.scores == evaluate(searches, COLLECTION, ["AP"]).scores
    assert [note.partition(":")[0] for note in whole.notes] == ["These questions cannot tell the searches apart"]
    with pytest.raises(EvaluationError, match="No question is finished yet"):
        of_runs(Gathered(searches).runs(), COLLECTION, ["AP"], (), 4)


@pytest.mark.parametrize(("n", "compared"), [(2, 1), (3, 3), (4, 6), (5, 4)])
def test_any_two_of_few_runs_are_compared_and_of_many_each_with_the_baseline(n: int, compared: int):
    runs = {str(i): Run(str(i), {"q0": {f"d{i % 3}": 1.0}}) for i in range(n)}
    pairs = of_runs(runs, COLLECTION, ["AP"], COLLECTION.judged, 4, baseline="1").pairs["AP"]
    assert [d.second for d in pairs if d.first == "1"] == [name for name in runs if name != "1"]
    assert [d.first for d in pairs[: n - 1]] == ["1"] * (n - 1)
    assert (len(pairs), {d.family for d in pairs}) == (compared, {compared})


def test_one_note_on_equal_scores_names_the_figure_that_they_move_most():
    tied = Run("tied", {"q0": tuple((d, 1.0) for d in ("d0", "d1", "d2"))})
    less = Run("less", {"q0": (("d0", 1.0), ("d1", 1.0)), "q1": (("d1", 1.0),)})
    made = of_runs({"less": less, "tied": tied}, COLLECTION, ["AP", "RR"], COLLECTION.judged, 4, baseline="less")
    (note,) = [note for note in made.notes if "equal scores" in note]
    low, high = made.scores["tied"].range("AP")
    assert f"{low:.4f} to {high:.4f} (tied, AP)" in note
    widths = [high - low for scores in made.scores.values() for low, high in map(scores.range, ("AP", "RR"))]
    assert high - low == max(widths)
    alone = of_runs({"x": Run("x", {"q0": (("d0", 1.0),)})}, COLLECTION, ["AP"], COLLECTION.judged, 4, baseline="x")
    assert not [note for note in alone.notes if "equal scores" in note]


# ------------------------------------------------------------------------------- runs from elsewhere


def test_a_run_from_elsewhere_stands_beside_ours_and_its_strangers_are_named():
    lines = "q0 Q0 d9 1 3 x\nq0 Q0 d0 2 2 x\nq1 Q0 d1 1 1 x\nq9 Q0 d1 1 1 x\n"
    made = evaluate([BM25(), read_trec(io.StringIO(lines), name="theirs")], COLLECTION, ["RR"], baseline="BM25")
    assert [made.scores["theirs"].per_query["RR"][q] for q in ("q0", "q1", "q2", "q3")] == [1 / 2, 1, 0, 0]
    assert made.notes == (
        "theirs: results that are not in animals: 1, the first: d9. They keep their ranks.",
        "theirs: questions without results: 2 of 4. They count 0.",
    )
    row = made.table().set_index("name").loc["theirs"]
    assert (row["RR +"], row["RR -"], row["RR ="]) == (0, 1, 3)
    assert row[["ms median", "ms 95 %"]].isna().all()
    assert made.runs["BM25"].ms[0] <= made.runs["BM25"].ms[1]


def test_a_run_of_other_questions_is_an_error():
    with pytest.raises(EvaluationError, match="r and the judgments have no query in common"):
        evaluate([Run("r", {"other": (("d0", 1.0),)})], COLLECTION)


# --------------------------------------------------------------------------------------------- corners


def test_hits_that_nobody_judged_count_nothing_and_beside_it_stands_the_measure_without_them():
    run = Run("r", {"q0": (("d1", 3.0), ("d2", 2.0), ("d0", 1.0))})
    one = Collection(CORPUS, QUERIES, {"q0": {"d0": 1, "d2": 0}})
    row = evaluate([run], one, ["RR@10"]).table().iloc[0]
    assert row["RR@10"] == 1 / 3
    assert row["RR@10 judged only"] == 1 / 2
    assert row["Judged@10"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("qrels", [{"q0": {"d0": 1}}, {"q0": {"d0": 3}, "q1": {"d1": 1}}], ids=["one", "graded"])
@pytest.mark.parametrize("search", [BM25(), BM25() % 0], ids=["some", "nothing"])
def test_corners_have_true_sentences_and_no_nan_on_the_screen(qrels, search):
    made = evaluate({"a": TFIDF(), "b": search}, Collection(CORPUS, QUERIES, qrels), ["nDCG@10", "AP"], baseline="a")
    shown = made.table()._repr_html_()
    assert "nan" not in shown.lower()
    said = {m: made.told("b", m) for m in made.measures}
    if len(qrels) == 1:
        assert said["AP"] == ("One question is not enough for a test.",)
    elif len(search.index(CORPUS).search("fox")):
        assert "have the same AP on every question (2)" in said["AP"][0]
    else:
        assert "no difference can be significant here" in said["AP"][-1]
        assert made.mean("b", "AP") == 0


def test_by_type_of_question():
    made = evaluate({"a": BM25(), "b": BM25() % 0}, COLLECTION, ["AP"])
    frame = made.by_type("AP")
    assert frame.to_dict("records") == [
        {"type": "plain", "questions": 2, "a": 1.0, "b": 0.0},
        {"type": "odd", "questions": 2, "a": 0.0, "b": 0.0},
    ]
    plain = Collection(CORPUS, (Query("fox", id="q0"),), QRELS)
    assert evaluate([BM25()], plain, ["AP"]).by_type("AP").empty


def test_names_are_told_apart_and_hostile_ones_are_text():
    made = evaluate([BM25(), BM25(), Run("<b>", {"q0": (("d0", 1.0),)})], COLLECTION, ["AP"], baseline="<b>")
    assert list(made.runs) == ["BM25", "BM25 (2)", "<b>"]
    assert "<b>" not in made.table()._repr_html_()


def test_a_notebook_gets_a_data_frame_and_a_part_of_it_is_a_plain_one():
    table = experiment([BM25(), TFIDF()], samples.load("devices"), ["nDCG@10"], baseline=0)
    assert table.shape[0] == 2
    assert all(text in table._repr_html_() for text in table.experiment.told("TF-IDF", "nDCG@10"))
    assert type(table[["name", "nDCG@10"]]).__name__ == "DataFrame"
    assert table.experiment.per_query().groupby("name")["value"].mean()["BM25"] == pytest.approx(table["nDCG@10"][0])
    with pytest.raises(LabError):
        experiment([BM25()], samples.load("devices"), ["nDCG@-1"])
