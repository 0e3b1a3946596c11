"""Measures of diversity: which questions count, what is refused, and the files that hold subtopics."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest

from lab import samples
from lab.corpus import beir
from lab.errors import CorpusError, EvaluationError
from lab.evaluate import evaluate, sweep
from lab.evaluate.diverse import alpha_ndcg, err, err_ia, new_subtopics, subtopic_recall
from lab.evaluate.measures import measure_run, measures_in
from lab.evaluate.runs import Run
from lab.reading.read import read_file
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector

TOPICS = {"s1": {"a": 2, "b": 1}, "s2": {"c": 1, "b": 0}}
RUN = Run("r", {"q1": (("a", 3.0), ("b", 2.0), ("c", 1.0)), "q2": (("x", 1.0),)})
QRELS = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"x": 1}}


def test_only_questions_with_subtopics_count_for_measures_that_need_them():
    scores = measure_run(RUN, QRELS, ["alpha_nDCG@3", "nDCG@3"], {"q1": TOPICS})
    assert list(scores.per_query["alpha_nDCG@3"]) == ["q1"]
    assert list(scores.per_query["nDCG@3"]) == ["q1", "q2"]
    assert scores.means["alpha_nDCG@3"] == scores.per_query["alpha_nDCG@3"]["q1"]


def test_a_missing_file_is_named():
    with pytest.raises(
        EvaluationError, match="No subtopics for alpha_nDCG@10: the collection has no file qrels/subtopics.tsv"
    ):
        measure_run(RUN, QRELS, ["alpha_nDCG@10"])
    with pytest.raises(EvaluationError, match=r"StRecall@5: none of these questions \(2\) has any"):
        measure_run(RUN, QRELS, ["StRecall@5"], {"q9": TOPICS})
    with pytest.raises(EvaluationError, match=r"No subtopics for ERR_IA\(rel=3\)@5"):
        measure_run(RUN, QRELS, ["ERR_IA(rel=3)@5"], {"q1": TOPICS})
    with pytest.raises(EvaluationError, match="no file"):
        evaluate([BM25()], replace(samples.load("devices"), subtopics={}), ["ERR_IA@10"])


@pytest.mark.parametrize("name", ["P_IA@2", "MAP_IA", "NRBP", "nNRBP", "nERR_IA@2", "alpha_DCG@2"])
def test_no_measure_of_diversity_is_computed_without_subtopics(name, capsys):
    with pytest.raises(EvaluationError, match="No subtopics for .*: the collection has no file qrels/subtopics.tsv"):
        measure_run(RUN, QRELS, [name])
    assert list(measure_run(RUN, QRELS, [name], {"q1": TOPICS}).per_query[name]) == ["q1"]
    assert capsys.readouterr().err == ""


def test_three_subtopics_count_as_three():
    topics = {"q": {"s1": {"a": 1, "b": 1}, "s2": {"c": 1}, "s3": {"d": 1}}}
    run = Run("r", {"q": (("a", 2.0), ("b", 1.0))})
    names = ["P_IA@2", "MAP_IA", "NRBP", "nERR_IA@2", "alpha_DCG@2"]
    means = measure_run(run, {"q": dict.fromkeys("abcd", 1)}, names, topics).means
    assert list(means.values()) == pytest.approx([1 / 3, 1 / 3, 5 / 16, 5 / 6, 1 / 3])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("alpha_nDCG", "No cutoff in alpha_nDCG: write, for example, alpha_nDCG@10"),
        ("ERR", "No cutoff in ERR: write, for example, ERR@10"),
        ("alpha_nDCG(alpha=1.5)@10", "alpha must be from 0 to 1"),
        ("alpha_nDCG(judged_only=True)@10", "cannot leave out unjudged results"),
        ("RBP(p=1)", "p must be above 0 and below 1"),
        ("RBP(p=0)", "p must be above 0 and below 1"),
        ("StRecall(rel=0)@5", "rel must be at least 1"),
    ],
)
def test_parameters_out_of_range_are_refused(name, said):
    with pytest.raises(EvaluationError, match=said):
        measures_in(name)


def test_at_the_corners_nothing_is_not_a_number():
    for measure in (alpha_ndcg, err_ia, subtopic_recall):
        assert measure([], TOPICS, 5) == 0.0
        assert measure(["a"], {}, 5) == 0.0
        assert measure(["b", "z"], {"s": {"b": 0}}, 5) == 0.0
    assert err([], {"a": 1}, 5, 1) == err(["z"], {"a": 1}, 5, 1) == 0.0
    assert alpha_ndcg(["a", "b"], TOPICS, 2, alpha=1.0) == pytest.approx(1 / (1 + 1 / 1.584962500721156))
    assert alpha_ndcg(["a", "c", "b"], TOPICS, 3, alpha=1.0) == 1.0
    assert measures_in("RBP alpha_nDCG(alpha=1)@5") == ("RBP", "alpha_nDCG(alpha=1)@5")


def test_a_cutoff_far_beyond_the_list_changes_nothing():
    names = ["ERR_IA", "alpha_nDCG", "StRecall", "ERR"]
    far, near = (measure_run(RUN, QRELS, [f"{n}@{k}" for n in names], {"q1": TOPICS}) for k in (10**18, 1000))
    assert list(far.means.values()) == pytest.approx(list(near.means.values()))


def test_a_copy_brings_nothing_new():
    assert new_subtopics(["b", "a", "c"], TOPICS) == {"b": ("s1",), "c": ("s2",)}


def test_subtopics_are_written_and_read_again(tmp_path):
    c = samples.load("devices")
    beir.write(c, tmp_path / "devices")
    back = beir.load(tmp_path / "devices")
    assert back.subtopics == c.subtopics
    assert back.fingerprint == c.fingerprint
    (tmp_path / "devices" / "qrels" / "subtopics.tsv").unlink()
    without = beir.load(tmp_path / "devices")
    assert without.subtopics == {}
    assert without.qrels == c.qrels
    assert without.fingerprint != c.fingerprint


def test_subtopics_of_an_upload_are_read():
    files = {
        "corpus.jsonl": '{"_id": "a", "title": "", "text": "a red fox"}\n',
        "queries.jsonl": '{"_id": "q1", "text": "fox"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t1\n",
        "qrels/subtopics.tsv": "q1\tcolour\ta\t1\n",
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    read = read_file("foxes.zip", packed.getvalue())
    assert not read.problems
    assert read.subtopics == {"q1": {"colour": {"a": 1}}}
    assert read.qrels == {"q1": {"a": 1}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q-020\tx\tdv-103\n", "Columns in the line: 3; 4 are required"),
        ("q-020\tx\tdv-103\tmuch\n", "“much” is not a whole number"),
        ("q-020\thosts\tdv-103\t1\n", "judged twice"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, said):
    beir.write(samples.load("devices"), tmp_path / "devices")
    with (tmp_path / "devices" / "qrels" / "subtopics.tsv").open("a") as stream:
        stream.write(line)
    with pytest.raises(CorpusError, match=said) as error:
        beir.load(tmp_path / "devices")
    assert "subtopics.tsv, line 54" in str(error.value)


@pytest.mark.parametrize("name", ["devices", "handbook", "staff"])
def test_the_subtopics_of_a_sample_are_of_judged_documents_with_their_grades(name):
    c = samples.load(name)
    assert len(c.subtopics) == 16
    for query, own in c.subtopics.items():
        for grades in own.values():
            assert grades
            assert all(c.qrels[query][document] == grade > 0 for document, grade in grades.items())


def test_an_experiment_says_how_many_questions_a_measure_covers():
    c = samples.load("devices")
    e = evaluate([BM25(), TFIDF()], c, ["alpha_nDCG@10", "AP"], baseline=0)
    assert "Only questions with subtopics count for alpha_nDCG@10: 16 of 114." in e.notes
    assert len(e.differences["TFIDF" if "TFIDF" in e.runs else list(e.runs)[1], "alpha_nDCG@10"]) == 16
    assert len(e.per_query()) == 2 * (16 + 114)
    assert e.by_type("alpha_nDCG@10")[list(e.runs)[0]].notna().all()


def test_a_sweep_over_subtopics_covers_their_questions():
    c = samples.load("devices")
    s = sweep(BM25(), c, {"b": [0.2, 0.75]}, measure="StRecall@10", limit=40)
    assert s.answered == 40
    assert list(s.queries) == [q.id for q in c.judged[:40] if q.id in c.subtopics]


def test_mmr_costs_more_than_it_brings_on_average():
    """What the guide says: on the samples even alpha_nDCG falls, since most questions have one answer."""
    from lab.refine.diversity import MMR

    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        e = evaluate({"vectors": Vector(), "mmr": Vector() >> MMR(k=10)}, c, ["alpha_nDCG@10", "nDCG@10"])
        for m in e.measures:
            assert e.mean("mmr", m) < e.mean("vectors", m)
