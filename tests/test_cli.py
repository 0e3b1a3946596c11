"""The command line: answers on stdout, everything else on stderr, one line for wrong input."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import ir_measures
import pytest
from models.scripted import ScriptedModel
from night import NIGHT, nightly, spread

from lab import __version__, catalog, cli, formats, home, packs
from lab.algebra import Corpus, Document, Query, Runner
from lab.answer.answered import answer
from lab.cli import printing
from lab.corpus import beir, samples
from lab.corpus.beir import Collection
from lab.evaluate.conversations import by_depth
from lab.evaluate.conversations import run_many as held
from lab.evaluate.measures import measure, measure_run
from lab.evaluate.runs import run_many
from lab.fuse import RRF
from lab.presets import presets
from lab.refine.diversity import MMR
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.routing import CollectionRouter, Destination, Route
from lab.text import width

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Corpus(
    "animals",
    (
        Document("d1", "a red fox in the snow", "Foxes"),
        Document("d2", "狐狸是一种动物，\x1b[31m生活在森林里。" * 30, "关于狐狸"),
        Document("d3", "a blue bird and a red bird"),
        Document("d4", "nothing at all"),
        Document("d5", "rain and wind"),
    ),
)
COLLECTION = Collection(
    CORPUS,
    (
        Query("red fox", id="q1"),
        Query("狐狸", id="q2"),
        Query("an unanswered question", id="q3"),
        Query("bird", id="q4"),
    ),
    {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}, "q4": {"d1": 1}},
)


HYBRID = """\
format = 1
name = "both"
[[retrieve]]
type = "BM25"
[[retrieve]]
type = "Vector"
[fuse]
type = "RRF"
[[refine]]
type = "MMR"
k = 8
"""


@pytest.fixture
def hybrid(tmp_path):
    """A pipeline file."""
    file = tmp_path / "hybrid.toml"
    file.write_text(HYBRID, "utf-8")
    return file


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "animals"
    beir.write(COLLECTION, folder)
    return folder


def call(capsys, *words):
    status = cli.main([str(word) for word in words])
    return status, *capsys.readouterr()


def wrong(capsys, *words):
    """The one line that wrong input is answered with."""
    try:
        status, out, err = call(capsys, *words)
    except SystemExit as end:  # argparse
        status, (out, err) = end.code, capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert err.startswith("retrieval-lab")
    return err


HEARS_CTRL_C = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "runpy.run_module('lab', run_name='__main__', alter_sys=True)"
)
"""A run in the background of a shell ignores Ctrl-C, and its children inherit that.

Said in the child, not by ``preexec_fn``: what runs between fork and exec beside other threads may end in an abort.
"""


def process(*words, **more):
    return subprocess.Popen(
        [sys.executable, "-c", HEARS_CTRL_C, *map(str, words)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        encoding="utf-8",
    )


# ------------------------------------------------------------------------------------------------ search


def test_search_prints_rank_score_id_and_title(capsys, data):
    status, out, err = call(capsys, "search", "--corpus", data, "--retriever", "bm25", "red fox")
    ranking = BM25().index(CORPUS).search("red fox")
    assert (status, err) == (0, "")
    assert out.splitlines()[0].split() == ["1", f"{ranking.hits[0].score:.4f}", "d1", "Foxes"]
    assert "a red fox in the snow" in out.splitlines()[1]


def test_search_asks_on_stderr_whether_another_spelling_was_meant(capsys, data):
    status, out, err = call(capsys, "search", "--corpus", data, "red fox")
    assert (status, err) == (0, "")
    status, out, err = call(capsys, "search", "--corpus", "staff", "--json", "forgotten pasword")
    assert status == 0
    assert json.loads(out)["hits"]
    assert err == "retrieval-lab: Did you mean: forgotten password?\n"


def test_search_as_json_has_the_ranking_with_its_addends(capsys, data):
    words = (
        "search",
        "--corpus",
        data,
        "--retriever",
        "bm25",
        "--param",
        "k1=0.9",
        "--param",
        "b=0.4",
        "-k",
        "1",
        "--json",
        "red fox",
    )
    status, out, _ = call(capsys, *words)
    found = json.loads(out)
    hit = BM25(k1=0.9, b=0.4).index(CORPUS).search("red fox").hits[0]
    assert status == 0
    assert (found["query"], found["corpus"], found["search"]) == ("red fox", "animals", "BM25(k1=0.9, b=0.4)")
    assert len(found["hits"]) == 1
    assert (found["hits"][0]["id"], found["hits"][0]["rank"], found["hits"][0]["score"]) == ("d1", 1, hit.score)
    assert [(p["source"], p["value"]) for p in found["hits"][0]["why"]] == [(c.source, c.value) for c in hit.why]


@pytest.mark.parametrize("corpus", ["handbook", "devices"])
@pytest.mark.parametrize("retriever", ["bm25", "tf-idf", "vector", nightly("vector:embedder=lsa,embedder.size=8")])
def test_search_knows_the_sample_corpora_and_every_retriever(capsys, corpus, retriever):
    status, out, _ = call(capsys, "search", "--corpus", corpus, "--retriever", retriever, "--json", "出差 battery")
    assert status == 0
    assert 0 < len(json.loads(out)["hits"]) <= 10


def test_a_route_leads_to_the_samples_that_it_names_and_to_what_is_given(capsys, data, tmp_path):
    places = tuple(Destination(name, BM25(), name) for name in ("handbook", "devices", "animals"))
    route, file = Route(CollectionRouter(), places), tmp_path / "routes.toml"
    file.write_text(formats.to_toml(route), "utf-8")
    corpora = {name: samples.load(name).corpus for name in samples.names()} | {"animals": CORPUS}
    for question, best in (("What does error ERR-140 mean?", "devices"), ("red fox in the snow", "animals")):
        asked = ("search", "--corpus", "handbook", "--other", data, "--pipeline", file, "--json", question)
        status, out, err = call(capsys, *asked)
        found = Runner(corpora["handbook"], others=corpora)(route, question, 10)
        assert found.evidence.route == best
        assert status == 0
        assert [hit["id"] for hit in json.loads(out)["hits"]] == found.ids
        assert found.evidence.said in err
    status, _out, err = call(capsys, "search", "--corpus", "handbook", "--pipeline", file, "fox")
    assert status == 2
    assert "There is no collection “animals”" in err


def test_a_fallback_says_what_was_relaxed_and_why(capsys, data):
    strict = "BM25() >> MinimumMatch({})"
    for share, said in ((1.0, True), (0.5, False)):
        search = f"Fallback({strict.format(share)}, {strict.format(0.1)})"
        status, out, err = call(capsys, "search", "--corpus", data, "--retriever", search, "fox hammer")
        assert (status, "fox" in out) == (0, True)
        assert ("Minimum match removed" in err) == said
        assert ("words 1 → 0.1" in err) == said


def test_search_reads_a_single_corpus_file(capsys, data):
    assert "d2" in call(capsys, "search", "--corpus", data / "corpus.jsonl", "狐狸")[1]


def test_search_reads_other_files_as_an_upload_would_be(capsys, tmp_path):
    (tmp_path / "note.txt").write_text("the lighthouse keeper\n", "utf-8")
    status, out, _ = call(
        capsys, "search", "--corpus", tmp_path / "note.txt", "--json", "--retriever", "tfidf", "lighthouse"
    )
    assert status == 0
    assert "lighthouse keeper" in json.loads(out)["hits"][0]["text"]


def test_what_could_not_be_read_of_a_file_is_said_and_the_rest_is_searched(capsys, tmp_path):
    (tmp_path / "table.csv").write_text("id,text\na,the lighthouse keeper\nb,\nc,the harbour\nd,rain\n", "utf-8")
    status, out, err = call(capsys, "search", "--corpus", tmp_path / "table.csv", "--json", "lighthouse")
    assert status == 0
    assert "lighthouse keeper" in json.loads(out)["hits"][0]["text"]
    assert "table.csv" in err


def test_a_zipped_collection_can_be_evaluated(capsys, data):
    packed = shutil.make_archive(str(data.parent / "packed"), "zip", data)
    inside, outside = (
        json.loads(call(capsys, "evaluate", "--data", where, "--retriever", "bm25", "--json")[1])
        for where in (packed, data)
    )
    assert inside["searches"][0]["measures"] == outside["searches"][0]["measures"]


def test_a_search_that_finds_nothing_says_so(capsys, data):
    status, out, err = call(capsys, "search", "--corpus", data, "zebra")
    assert (status, out) == (0, "")
    assert err == "Nothing in animals matches “zebra”.\n"


def test_a_document_cannot_steer_the_terminal_and_lines_fit(capsys, data, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = call(capsys, "search", "--corpus", data, "狐狸")[1]
    assert "\x1b" not in out
    assert out.splitlines()[1].endswith("…")
    assert all(width(line) <= 60 for line in out.splitlines())


def test_the_title_stands_two_columns_behind_the_longest_id(capsys, data):
    beir.write(
        Collection(
            Corpus("ids", (Document("a", "red", "One"), Document("long-id", "red red", "Two"), Document("z", "x")))
        ),
        data,
    )
    heads = call(capsys, "search", "--corpus", data, "red")[1].splitlines()[::2]
    assert sorted(line[17:] for line in heads) == ["a        One", "long-id  Two"]


@pytest.mark.parametrize("given", ["--retriever", "--pipeline"])
def test_an_expression_a_file_and_a_preset_are_searches(capsys, data, hybrid, given):
    text = "RRF()(BM25(), Vector()) >> MMR(k=8)" if given == "--retriever" else hybrid
    found = json.loads(call(capsys, "search", "--corpus", data, given, text, "--json", "red fox")[1])
    expected = Runner(CORPUS)(RRF()(BM25(), Vector()) >> MMR(k=8), "red fox", 10)
    assert [hit["id"] for hit in found["hits"]] == expected.ids
    assert [drop["reason"] for drop in found["dropped"]] == [drop.reason for drop in expected.dropped]
    assert found["search"] == ("both" if given == "--pipeline" else text)


@pytest.mark.parametrize("name", spread(sorted(presets()), 4))
def test_every_preset_can_be_searched(capsys, data, name, neural):
    found = json.loads(call(capsys, "search", "--corpus", data, "--pipeline", name, "--json", "red fox")[1])
    assert found["search"] == name
    assert [hit["id"] for hit in found["hits"]] == Runner(CORPUS)(presets()[name].search, "red fox", 10).ids


def test_a_parameter_changes_a_whole_search_as_well(capsys, data, hybrid):
    words = ("search", "--corpus", data, "--pipeline", hybrid, "--param", "depth=1", "--json", "red bird")
    found = json.loads(call(capsys, *words)[1])
    assert found["search"] == "both, depth=1"
    assert [hit["id"] for hit in found["hits"]] == Runner(CORPUS)(
        RRF()(BM25(), Vector(), depth=1) >> MMR(k=8), "red bird", 10
    ).ids


# --------------------------------------------------------------------------------------------------- run


def test_run_writes_a_trec_run_of_every_query(capsys, data, tmp_path):
    file = tmp_path / "run.trec"
    status, out, err = call(
        capsys, "run", "--data", data, "--retriever", "bm25", "--param", "k1=1.2", "-k", "1", "--output", file
    )
    assert (status, out) == (0, "")
    assert "4 queries, 3 lines" in err
    rows = [line.split() for line in file.read_text("utf-8").splitlines()]
    assert [(r[0], r[1], r[2], r[3], r[5]) for r in rows] == [
        ("q1", "Q0", "d1", "1", "BM25(k1=1.2)"),
        ("q2", "Q0", "d2", "1", "BM25(k1=1.2)"),
        ("q4", "Q0", "d3", "1", "BM25(k1=1.2)"),
    ]


def test_run_can_write_to_the_standard_output(capsys, data):
    out = call(capsys, "run", "--data", data, "--retriever", "tfidf", "--output", "-")[1]
    assert out.startswith("q1 Q0 d1 1 ")


@pytest.mark.parametrize("spelling", ["--corpus", "--data"])
def test_the_collection_may_be_called_corpus_or_data(capsys, data, spelling):
    status, out, _ = call(capsys, "run", spelling, data, "--retriever", "bm25", "--output", "-")
    assert (status, out[:8]) == (0, "q1 Q0 d1")
    assert call(capsys, "search", spelling, data, "red fox")[0] == 0
    assert call(capsys, "evaluate", spelling, data, "--retriever", "bm25")[0] == 0
    assert call(capsys, "ablate", spelling, data, "--pipeline", "hybrid")[0] == 0


def test_run_can_ask_the_first_judged_questions_only(capsys, data):
    words = ("run", "--data", data, "--pipeline", "hybrid", "--limit", "3", "-k", "1", "--output", "-")
    out = call(capsys, *words)[1]
    assert [line.split()[0] for line in out.splitlines()] == ["q1", "q2", "q4"]  # nobody has judged q3
    assert {line.split()[5] for line in out.splitlines()} == {"hybrid"}
    (data / "qrels" / "test.tsv").unlink()
    out = call(capsys, "run", "--data", data, "--retriever", "bm25", "--limit", "1", "-k", "1", "--output", "-")[1]
    assert [line.split()[0] for line in out.splitlines()] == ["q1"]


def test_run_can_take_another_file_of_queries(capsys, data):
    (data / "raw.jsonl").write_text('{"_id": "q9", "text": "bird"}\n')
    out = call(capsys, "run", "--data", data, "--queries", "raw.jsonl", "--retriever", "bm25", "--output", "-")[1]
    assert [line.split()[0] for line in out.splitlines()] == ["q9"]


def test_a_progress_bar_is_drawn_on_a_terminal_only(capsys, monkeypatch):
    assert printing.bar("BM25") is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    show = printing.bar("BM25")
    for done in range(1, 5):
        show(done, 4)
    err = capsys.readouterr().err
    assert re.findall(r"(\d+) %", err) == ["25", "50", "75"]
    assert err.endswith("\r\x1b[K")


# ---------------------------------------------------------------------------------------------- evaluate


def test_evaluate_prints_one_row_per_retriever_and_the_paired_differences(capsys, data):
    status, out, err = call(
        capsys,
        "evaluate",
        "--data",
        data,
        "--retriever",
        "bm25",
        "--retriever",
        "bm25:b=0",
        "--measures",
        "nDCG@10 RR@10",
    )
    assert status == 0
    assert err.startswith("retrieval-lab: These questions cannot tell the searches apart: nDCG@10")
    lines = out.splitlines()
    assert lines[0] == "animals: 5 documents, 3 judged queries"
    head = ["search", "nDCG@10", "RR@10", "Judged@10", "ready", "s", "median", "ms", "95", "%", "ms"]
    assert lines[2].split() == head
    assert lines[3].split()[:3] == ["BM25", f"{(1 + 1 + 0) / 3:.4f}", f"{(1 + 1 + 0) / 3:.4f}"]
    assert lines[4].split()[0] == "BM25(b=0.0)"
    counts = ["better", "equal", "worse"]
    tested = ["p", "corrected", "randomised"]
    assert lines[6].startswith("Best possible order of the first 50 results")
    ceilings = ["search", "measure", "now", "best", "order", "headroom", "taken", "unwinnable", "misordered"]
    assert lines[8].split() == ceilings
    two_thirds = f"{2 / 3:.4f}"
    assert [line.split() for line in lines[9:11]] == [
        ["BM25", m, two_thirds, two_thirds, "–", "1", "0"] for m in ("nDCG@10", "RR@10")
    ]
    lines = lines[6:]
    assert lines[10].split() == ["search", "measure", "difference", "from", "to", *counts, *tested]
    assert [line.split()[:2] for line in lines[11:13]] == [["BM25(b=0.0)", "nDCG@10"], ["BM25(b=0.0)", "RR@10"]]
    assert all(len({len(line) for line in block}) == 1 for block in (lines[2:7], lines[10:13]))
    assert lines[14] == "BM25(b=0.0), nDCG@10: BM25(b=0.0) and BM25 have the same nDCG@10 on every question (3)."


def test_a_baseline_is_named_as_one_likes_and_one_that_is_not_there_is_an_error(capsys, data):
    words = ("evaluate", "--data", data, "--retriever", "bm25", "--retriever", "tfidf", "--measures", "AP")
    out = call(capsys, *words, "--baseline", "tf-idf")[1]
    assert "Paired differences from TFIDF" in out
    assert "Valid names: BM25, TFIDF" in wrong(capsys, *words, "--baseline", "vector")


def test_a_floor_that_is_missed_is_said_and_status_1(capsys, data):
    words = ("evaluate", "--data", data, "--retriever", "bm25", "--retriever", "bm25:k1=0", "--measures", "AP")
    status, out, err = call(capsys, *words, "--at-least", "RR@10=0.6", "--at-least", "AP(rel=1)=0.1")
    assert status == 0
    assert err.startswith("retrieval-lab: These questions cannot tell the searches apart")
    assert out.splitlines()[2].split()[1:4] == ["AP", "RR@10", "AP(rel=1)"]  # what has a floor is measured
    status, _, err = call(capsys, *words, "--at-least", "RR@10=0.7")
    assert status == 1
    assert err.partition("\n")[2] == "".join(
        f"retrieval-lab: {name}: RR@10 is {2 / 3:.4f}, below 0.7\n" for name in ("BM25", "BM25(k1=0.0)")
    )
    err = call(capsys, *words, "--at-least", "RR@10=0.7", "--baseline", "BM25")[2]
    assert err.count("below") == 1
    assert call(capsys, "ablate", "--data", data, "--pipeline", "hybrid", "--at-least", "nDCG@10=1")[0] == 1
    assert call(capsys, "ablate", "--data", data, "--pipeline", "hybrid", "--at-least", "nDCG@10=0")[0] == 0
    swept = ("sweep", "--data", data, "--retriever", "bm25", "--knob", "b=0,1", "--at-least")
    assert call(capsys, *swept, "nDCG@10=0")[0] == 0
    status, _, err = call(capsys, *swept, "nDCG@10=1")
    assert status == 1
    assert re.search(r"BM25: nDCG@10 is 0\.\d+, below 1", err), "of the present setting"


def frame(text):
    """CSV as rows."""
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_and_the_figures_of_every_question(capsys, data, hybrid):
    words = ("evaluate", "--data", data, "--retriever", "bm25", "--pipeline", hybrid, "--measures", "RR@10")
    rows = frame(call(capsys, *words, "--csv")[1])
    assert [row["name"] for row in rows] == ["BM25", "both"]
    assert rows[0]["RR@10 p-value"] == ""
    each = frame(call(capsys, *words, "--csv", "--per-query")[1])
    assert list(each[0]) == ["name", "qid", "measure", "value"]
    assert [row["qid"] for row in each] == ["q1", "q2", "q4"] * 2
    told = json.loads(call(capsys, *words, "--json", "--per-query")[1])["per_query"]
    assert [str(row["value"]) for row in told] == [row["value"] for row in each]
    lines = call(capsys, *words, "--per-query")[1].splitlines()
    assert [line.split() for line in lines[-6:]] == [
        [row["name"], row["qid"], "RR@10", f"{float(row['value']):.4f}"] for row in each
    ]
    ablated = ("ablate", "--data", data, "--pipeline", hybrid, "--measure", "RR@10", "--csv")
    assert [row["path"] for row in frame(call(capsys, *ablated)[1]) if row["alone"] == "False"] == [
        "retrieve.0",
        "retrieve.1",
        "refine.0",
    ]
    whole = [row for row in frame(call(capsys, *ablated, "--per-query")[1]) if row["name"] == "both"]
    assert [row["value"] for row in whole] == [row["value"] for row in each if row["name"] == "both"]


# ----------------------------------------------------------------------------------------------- sweep


def test_sweep_lists_the_knobs_of_a_search_and_then_measures_their_values(capsys, data, hybrid):
    words = ("sweep", "--data", data, "--pipeline", hybrid)
    status, out, _ = call(capsys, *words)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()][:2] == ["knob", "depth"]
    assert "refine.0.lambda_mult" in out
    status, out, _ = call(capsys, *words, "--knob", "refine.0.lambda_mult=0,1", "--knob", "refine.0.k=1")
    lines = out.splitlines()
    assert (status, lines[0]) == (0, "animals: 5 documents, 3 judged queries; both")
    assert [line.split()[:2] for line in lines[3:9]] == [[x, k] for x in ("0.0", "0.5", "1.0") for k in ("1", "8")]
    assert "now" in lines[6]
    assert "No setting is better than the current one" in out or "Best over all questions (3)" in out
    rows = frame(call(capsys, *words, "--knob", "refine.0.k=1", "--csv")[1])
    assert [row["refine.0.k"] for row in rows] == ["1", "8"]
    each = frame(call(capsys, *words, "--knob", "refine.0.k=1", "--csv", "--per-query")[1])
    assert len(each) == 2 * 3
    found = json.loads(call(capsys, *words, "--knob", "refine.0.k=1", "--json", "--limit", "2")[1])
    assert [row["values"] for row in found["settings"]] == [[1], [8]]
    assert found["queries"] == 2


@pytest.mark.nightly
def test_evaluate_as_json_agrees_with_ir_measures_on_the_run_that_run_writes(capsys, tmp_path):
    file = tmp_path / "run.trec"
    call(capsys, "run", "--data", "devices", "--retriever", "bm25", "--output", file)
    words = ("evaluate", "--data", "devices", "--retriever", "bm25", "--run", file, "--retriever", "vector", "--json")
    found = json.loads(call(capsys, *words)[1])
    qrels = {
        q: dict(g)
        for q, g in beir.load(home.root() / "sample_corpora" / "devices").qrels.items()
        if any(v > 0 for v in g.values())
    }
    theirs = ir_measures.calc_aggregate(
        [measure(m) for m in ("nDCG@10", "RR@10", "R@10", "AP")],
        qrels,
        ir_measures.read_trec_run(str(file)),
    )
    rows = {row["name"]: row for row in found["searches"]}
    assert list(rows) == ["BM25", "Vector", "run.trec"]
    for name in ("BM25", "run.trec"):
        assert rows[name]["measures"] == pytest.approx({str(m): v for m, v in theirs.items()})
    assert rows["BM25"]["query_ms"] > 0
    assert rows["run.trec"]["query_ms"] is None
    assert found["queries"] == len(qrels)
    second = [d for d in found["differences"] if d["second"] == "run.trec"]
    assert [d["measure"] for d in second] == ["nDCG@10", "RR@10", "R@10", "AP"]
    assert all((d["mean"], d["better"], d["worse"]) == (0, 0, 0) for d in second)


def test_a_common_parameter_goes_to_the_retrievers_that_have_it(capsys, data):
    words = (
        "evaluate",
        "--data",
        data,
        "--retriever",
        "bm25",
        "--retriever",
        "tfidf",
        "--param",
        "k1=0.5",
        "--param",
        "analyzer.mode=bigram",
        "--json",
    )
    names = [row["name"] for row in json.loads(call(capsys, *words)[1])["searches"]]
    assert names == ["BM25(analyzer=Analyzer(mode='bigram'), k1=0.5)", "TFIDF(analyzer=Analyzer(mode='bigram'))"]


def test_searches_of_every_kind_are_measured_side_by_side(capsys, data, hybrid):
    words = ("evaluate", "--data", data, "--pipeline", hybrid, "--retriever", "bm25", "--pipeline", "best", "--json")
    found = json.loads(call(capsys, *words)[1])
    searches = {"both": RRF()(BM25(), Vector()) >> MMR(k=8), "BM25": BM25(), "best": presets()["best"].search}
    runs = run_many(searches, CORPUS, COLLECTION.judged)
    assert {row["name"]: row["measures"] for row in found["searches"]} == {
        name: measure_run(run, COLLECTION.qrels).means for name, run in runs.items()
    }
    assert [d["second"] for d in found["differences"]] == ["BM25"] * 4 + ["best"] * 4
    assert all(row["ready_seconds"] >= 0 and row["query_ms"] > 0 for row in found["searches"])


def test_two_searches_of_one_name_stay_two(capsys, data):
    words = ("evaluate", "--data", data, "--retriever", "bm25", "--retriever", "BM25()", "--json")
    assert [row["name"] for row in json.loads(call(capsys, *words)[1])["searches"]] == ["BM25", "BM25 (2)"]


def test_evaluate_can_ask_the_first_questions_only(capsys, data, tmp_path):
    call(capsys, "run", "--data", data, "--retriever", "bm25", "--output", tmp_path / "run.trec")
    words = (
        "evaluate",
        "--data",
        data,
        "--retriever",
        "bm25",
        "--run",
        tmp_path / "run.trec",
        "--limit",
        "2",
        "--json",
    )
    found = json.loads(call(capsys, *words)[1])
    assert found["queries"] == 2
    assert [row["measures"]["nDCG@10"] for row in found["searches"]] == [1.0, 1.0]  # q4 would be 0


TURNS = ["2022_1_1-1", "2022_1_1-3", "2022_1_2-1", "2022_1_3-1", "2021_2_1", "2021_2_2"]


@pytest.fixture
def spoken(data):
    """Turns whose ids say where they belong: two conversations, the first with three branches."""
    texts = dict(zip(TURNS, ["fox", "tail", "lake", "zebra", "dog", "bird"], strict=True))
    lines = [json.dumps({"_id": turn, "text": text}) for turn, text in texts.items()]
    (data / "raw.jsonl").write_text("\n".join(lines), "utf-8")
    qrels = "".join(f"{turn}\td{i % 5 + 1}\t1\n" for i, turn in enumerate(texts))
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels, "utf-8")
    return data


@pytest.mark.nightly
def test_conversations_are_measured_by_the_depth_of_their_turns(capsys):
    words = ("evaluate", "--conversations", "--corpus", "devices", "--retriever", "bm25", "--pipeline", "best")
    found = json.loads(call(capsys, *words, "--measures", "nDCG@10 RR@10", "--json")[1])
    c = samples.load("devices")
    assert (found["conversations"], found["shown"], found["measure"]) == (len(c.conversations), 3, "nDCG@10")
    assert found["queries"] == len(c.spoken.judged)
    run = held({"": BM25()}, c.corpus, c.conversations)[""]
    scores = measure_run(run, c.turn_qrels, ["nDCG@10"])
    bm25 = found["searches"][0]
    assert bm25["measures"]["nDCG@10"] == pytest.approx(scores.means["nDCG@10"])
    told = by_depth(scores, c.conversations, "nDCG@10")
    assert [(d["depth"], d["turns"], d["mean"]) for d in bm25["depths"]] == [(d.depth, d.turns, d.mean) for d in told]
    lines = call(capsys, *words, "--measures", "nDCG@10")[1].splitlines()
    start = lines.index("nDCG@10 by the depth of the turn; 10 conversations, 3 passages of every earlier turn shown")
    assert lines[start + 2].split() == ["turn", "judged", "BM25", "best"]
    assert [line.split()[:3] for line in lines[start + 3 : start + 3 + len(told)]] == [
        [str(d.depth), str(d.turns), f"{d.mean:.4f}"] for d in told
    ]


def test_conversations_that_ids_name_are_measured_together_and_with_their_branches_apart(capsys, spoken):
    words = ("evaluate", "--conversations", "--data", spoken, "--queries", "raw.jsonl", "--retriever", "bm25")
    found = json.loads(call(capsys, *words, "--measures", "RR@10", "--json")[1])
    assert found["conversations"] == 2
    assert [row["name"] for row in found["searches"]] == ["BM25", "BM25, branches apart"]
    counts = [{d["depth"]: d["turns"] for d in row["depths"]} for row in found["searches"]]
    assert counts == [{1: 2, 2: 2, 3: 1, 4: 1}, {1: 2, 2: 2, 3: 2}]
    first = json.loads(call(capsys, *words, "--measures", "RR@10", "--json", "--limit", "1")[1])
    assert (first["conversations"], first["queries"]) == (1, 4)
    out = call(capsys, *words, "--measures", "RR@10")[1]
    assert out.count("RR@10 by the depth of the turn") == 2  # other turns stand at other places


def test_turns_without_branches_have_one_row_and_a_run_from_elsewhere_has_its_depths(capsys, spoken, tmp_path):
    lines = (spoken / "raw.jsonl").read_text("utf-8").splitlines()
    (spoken / "plain.jsonl").write_text("\n".join(lines[4:]), "utf-8")
    words = ("--data", spoken, "--queries", "plain.jsonl", "--retriever", "bm25")
    call(capsys, "run", *words, "--output", tmp_path / "run.trec")
    measured = ("--measures", "RR@10", "--run", tmp_path / "run.trec", "--json")
    ours, theirs = json.loads(call(capsys, "evaluate", "--conversations", *words, *measured)[1])["searches"]
    assert (ours["name"], theirs["name"]) == ("BM25", "run.trec")
    assert ours["depths"] == theirs["depths"]
    assert [(d["depth"], d["turns"]) for d in ours["depths"]] == [(1, 1), (2, 1)]


def test_a_floor_holds_for_conversations_too(capsys):
    words = ("evaluate", "--conversations", "--corpus", "devices", "--retriever", "bm25", "--limit", "2")
    assert call(capsys, *words, "--at-least", "nDCG@10=0.1")[0] == 0
    assert call(capsys, *words, "--at-least", "nDCG@10=0.99")[0] == 1


# -------------------------------------------------------------------------------------------------- grow


def test_grow_prints_every_size_and_names_the_orders_that_flip(capsys, data):
    words = ("grow", "--data", data, "--retriever", "bm25", "--retriever", "tfidf", "--add", "textbook-filter-en")
    status, out, _ = call(capsys, *words, "--sizes", "6,7")
    lines = out.splitlines()
    assert (status, lines[0]) == (0, "animals: 5 documents, 3 judged queries; added: textbook-filter-en")
    assert [line.split()[:2] for line in lines[3:9]] == [[n, s] for n in "567" for s in ("BM25", "TFIDF")]
    assert "flip" in lines[10]
    plain = json.loads(call(capsys, "evaluate", *words[1:-2], "--json")[1])["searches"]
    found = json.loads(call(capsys, *words, "--json", "--seed", "3", "--sentences")[1])
    assert [row["value"] for row in found["rows"][:2]] == [row["measures"]["nDCG@10"] for row in plain]
    assert found["sizes"][0] == 5
    rows, each = (frame(call(capsys, *words, "--sizes", "6", "--csv", *more)[1]) for more in ([], ["--per-query"]))
    assert [row["passages"] for row in rows] == ["5", "5", "6", "6"]
    assert len(each) == 2 * 2 * 3


# ------------------------------------------------------------------------------------------------ ablate


def test_ablate_prints_the_whole_and_what_each_part_is_worth(capsys, data, hybrid):
    status, out, err = call(capsys, "ablate", "--corpus", data, "--pipeline", hybrid, "--measure", "RR@10")
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == "animals: 5 documents, 3 judged queries"
    assert re.fullmatch(r"both: RR@10 0\.\d{4}, [\d.]+ ms \(95 % of the questions within [\d.]+ ms\)", lines[1])
    tables = [lines[5:9], lines[12:16]]
    tail = ["p", "median", "ms", "95", "%", "ms"]
    assert [table[0].split() for table in tables] == [
        ["without", "RR@10", "difference", "saved", "cost", *tail, "best", "order", "headroom", "taken"],
        ["alone", "RR@10", "difference", "better", "worse", *tail],
    ]
    assert [[row.split()[0] for row in table[1:]] for table in tables] == [
        ["retrieve.0", "retrieve.1", "refine.0"],
        ["retrieve.0", "retrieve.1", "fuse"],
    ]
    assert all(len({width(row) for row in table}) == 1 for table in tables)
    assert lines[17].split() == ["stays", "because"]
    assert re.fullmatch("fuse +RRF +“fuse” cannot be left out.", lines[18])


def test_several_searches_are_ablated_and_swept_one_after_the_other(capsys, data, hybrid):
    both = ("--data", data, "--pipeline", hybrid, "--pipeline", "hybrid")
    alone = [call(capsys, "ablate", "--data", data, "--pipeline", of, "--json")[1] for of in (hybrid, "hybrid")]
    together = json.loads(call(capsys, "ablate", *both, "--json")[1])["searches"]
    timeless = [{k: v for k, v in one.items() if k in ("search", "value")} for one in map(json.loads, alone)]
    assert [{k: one[k] for k in ("search", "value")} for one in together] == timeless
    assert [one["search"] for one in together] == ["both", "hybrid"]
    lines = call(capsys, "ablate", *both)[1].splitlines()
    assert [line.partition(":")[0] for line in lines if "95 % of the questions" in line] == ["both", "hybrid"]
    rows = frame(call(capsys, "ablate", *both, "--csv")[1])
    assert list(dict.fromkeys(row["search"] for row in rows)) == ["both", "hybrid"]
    assert call(capsys, "ablate", *both, "--at-least", "nDCG@10=1")[0] == 1
    swept = frame(call(capsys, "sweep", *both, "--knob", "depth=5,50", "--csv")[1])
    assert {(row["search"], row["depth"]) for row in swept} >= {("both", "5"), ("hybrid", "50")}
    assert "hybrid:" in call(capsys, "sweep", *both)[1].splitlines()


def test_ablate_as_json_has_the_same_figures_as_evaluate(capsys):
    words = ("--corpus", "devices", "--pipeline", "hybrid", "--limit", "20", "--json")
    found = json.loads(call(capsys, "ablate", *words)[1])
    others = ("--retriever", "bm25", "--retriever", "vector", "--measures", "nDCG@10")
    rows = {row["name"]: row for row in json.loads(call(capsys, "evaluate", *words, *others)[1])["searches"]}
    assert (found["corpus"], found["queries"], found["search"], found["measure"]) == (
        "devices",
        20,
        "hybrid",
        "nDCG@10",
    )
    assert found["value"] == rows["hybrid"]["measures"]["nDCG@10"]
    without = {row["path"]: row for row in found["variants"] if not row["alone"]}
    assert without["retrieve.0"]["value"] == pytest.approx(rows["Vector"]["measures"]["nDCG@10"])
    assert without["retrieve.1"]["value"] == pytest.approx(rows["BM25"]["measures"]["nDCG@10"])
    for row in without.values():
        assert row["difference"] == pytest.approx(row["value"] - found["value"])
        assert row["better"] + row["equal"] + row["worse"] == 20
    assert [part["path"] for part in found["kept"]] == ["fuse"]


@pytest.mark.parametrize("command", ["search", "run", "evaluate", "ablate"])
def test_what_asks_a_language_model_is_given_the_one_of_the_environment(capsys, data, monkeypatch, command):
    more = {"search": ["red fox"], "run": ["--output", "-"], "evaluate": [], "ablate": []}[command]
    words = [command, "--corpus", data, "--retriever", "MultiQuery(model='chat')(BM25())", *more]
    monkeypatch.setattr("lab.models.endpoint_chat.from_environment", lambda: None)
    said = call(capsys, *words)[2] if command == "run" else wrong(capsys, *words)  # a run asks the question as it is
    assert "no language model “chat”" in said
    model = ScriptedModel((("", "snow"),))
    monkeypatch.setattr("lab.models.endpoint_chat.from_environment", lambda: model)
    status, out, err = call(capsys, *words)
    assert (status, "were not rewritten" in err) == (0, False)
    assert out


def test_judgments_of_unknown_documents_are_said_on_stderr(capsys, data):
    with (data / "qrels" / "test.tsv").open("a") as stream:
        stream.write("q1\tgone\t1\n")
    status, _, err = call(capsys, "evaluate", "--data", data, "--retriever", "bm25")
    assert status == 0
    assert "1 judgments name unknown queries or documents, the first: q1 gone" in err


# ------------------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["search", "--corpus", "nowhere", "x"], "Sample corpora are: devices, handbook"),
        (["search", "--corpus", "DATA", "--retriever", "bm26", "x"], "Valid names: BM25, .*TFIDF, Vector"),
        (["search", "--corpus", "DATA", "--param", "k9=1", "x"], "It has: .*k1, b, variant"),
        (["search", "--corpus", "DATA", "--param", "k1", "x"], "Write it as name=value"),
        (["search", "--corpus", "DATA", "--param", "k1=-1", "x"], "must lie between"),
        (["search", "--corpus", "DATA", "-k", "0", "x"], "k is 0, but must be at least 1"),
        (["search", "--corpus", "DATA", "-k", "ten", "x"], "invalid int value"),
        (["search", "x"], "--corpus"),
        (
            ["search", "--corpus", "DATA", "--pipeline", "bset", "x"],
            "no pipeline “bset”. Valid names: best, ",
        ),
        (
            ["search", "--corpus", "DATA", "--pipeline", "bset.toml", "x"],
            "retrieval-lab: bset.toml: No such file or directory.",
        ),
        (["search", "--corpus", "DATA", "--pipeline", "bset/best", "x"], "No such file or directory"),
        (["search", "--corpus", "DATA", "--retriever", "BM25() >> MMX()", "x"], "Did you mean “MMR”"),
        (["search", "--corpus", "DATA", "--retriever", "__import__('os')", "x"], "no operator “__import__”"),
        (["search", "--corpus", "DATA", "--retriever", "bm25", "--pipeline", "best", "x"], "Searches given: 2"),
        (["run", "--corpus", "DATA", "--output", "-"], "Searches given: 0; exactly one is required"),
        (["run", "--corpus", "DATA", "--pipeline", "best", "--limit", "0", "--output", "-"], "limit is 0, but must be"),
        (
            ["evaluate", "--corpus", "DATA", "--pipeline", "best", "--limit", "-3"],
            "limit is -3, but must be at least 1",
        ),
        (["evaluate", "--corpus", "DATA", "--pipeline", "best", "-k", "0"], "k is 0, but must be at least 1"),
        (["ablate", "--corpus", "DATA", "--retriever", "bm25"], "BM25 has no parts that could be left out"),
        (["ablate", "--corpus", "DATA", "--pipeline", "best", "--measure", "foo"], "no measure “foo”"),
        (["ablate", "--corpus", "DATA"], "No search is given"),
        (["sweep", "--corpus", "DATA", "--knob", "k1"], "No search is given"),
        (["grow", "--corpus", "DATA", "--add", "staff"], "No search is given"),
        (["grow", "--corpus", "DATA", "--retriever", "bm25", "--add", "DATA"], "There is no passage to add to animals"),
        (["grow", "--corpus", "DATA", "--retriever", "bm25", "--add", "staff", "--sizes", "4"], "not a size between 5"),
        (["find", "x"], "invalid choice"),
        (["duplicates", "--corpus", "DATA", "--cosine", "90"], "cosine is 90.0, but must lie between 0 and 1"),
        (["duplicates", "--corpus", "DATA", "--cosine", "nan"], "must lie between 0 and 1"),
        (
            ["run", "--data", "DATA", "--retriever", "bm25", "--output", "DATA/no/such/folder"],
            "No such file or directory",
        ),
        (["run", "--data", "DATA/corpus.jsonl", "--retriever", "bm25", "--output", "-"], "has no queries"),
        (["run", "--data", "DATA", "--queries", "q.jsonl", "--retriever", "bm25", "--output", "-"], "q.jsonl"),
        (["evaluate", "--data", "DATA"], "Give --pipeline, --retriever or --run"),
        (["evaluate", "--data", "DATA", "--retriever", "bm25", "--measures", "nDCG@0"], "no measure “nDCG@0”"),
        (["evaluate", "--data", "DATA", "--retriever", "bm25", "--at-least", "nDCG@10"], "is not a minimum"),
        (["ablate", "--data", "DATA", "--pipeline", "best", "--at-least", "AP=1"], "Name the same measure"),
        (["sweep", "--data", "DATA", "--pipeline", "best", "--knob", "k9"], "It has: depth, "),
        (["sweep", "--data", "DATA", "--pipeline", "best", "--knob", "depth=many"], "depth"),
        (["evaluate", "--data", "DATA", "--retriever", "bm25", "--measures", "nDCG@10 foo"], "no measure “foo”"),
        (
            ["evaluate", "--data", "DATA", "--retriever", "bm25", "--retriever", "tfidf", "--param", "embedder=lsa"],
            "None of these searches has a parameter “embedder”",
        ),
        (["evaluate", "--data", "DATA", "--run", "DATA/none.trec"], "none.trec"),
        (
            ["evaluate", "--data", "DATA", "--retriever", "bm25", "--conversations"],
            "has no conversations.*--queries",
        ),
        (
            ["evaluate", "--data", "DATA", "--retriever", "bm25", "--conversations", "--queries", "DATA/queries.jsonl"],
            "“q1” names no conversation",
        ),
        (
            ["evaluate", "--data", "devices", "--retriever", "bm25", "--conversations", "--limit", "0"],
            "limit is 0, but must be at least 1",
        ),
        (
            ["evaluate", "--data", "devices", "--retriever", "bm25", "--conversations", "--shown", "-1"],
            "shown is -1, but must be at least 0",
        ),
        (
            ["evaluate", "--data", "DATA", "--run", "DATA/qrels/test.tsv"],
            ("test.tsv, line 1: this line is not in TREC run format"),
        ),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, data, words, said):
    assert re.search(said, wrong(capsys, *(word.replace("DATA", str(data)) for word in words)))


def test_a_malformed_line_is_named_with_its_number(capsys, data):
    with (data / "corpus.jsonl").open("a") as stream:
        stream.write('{"_id": "d9"\n')
    assert "corpus.jsonl, line 6: The line is not valid JSON" in wrong(capsys, "search", "--corpus", data, "x")


def test_judgments_are_needed_to_evaluate_and_to_ablate(capsys, data):
    (data / "qrels" / "test.tsv").unlink()
    assert "has no judgments" in wrong(capsys, "evaluate", "--data", data, "--retriever", "bm25")
    for command in ("ablate", "grow"):
        assert "has no judgments" in wrong(capsys, command, "--data", data, "--pipeline", "best")


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (HYBRID.replace("MMR", "MMX"), "hybrid.toml: Line 10, refine.0.type: .*Did you mean “MMR”"),
        (HYBRID.replace("k = 8", "k = 0"), "hybrid.toml: Line 11, refine.0.k: k is 0, but must"),
        (HYBRID.replace("k = 8", "kk = 8"), "hybrid.toml: Line 11, refine.0.kk: MMR has no parameter “kk”"),
        (
            HYBRID.replace("format = 1", "format = 9"),
            "hybrid.toml: Line 1, format: The format is 9; only format 1",
        ),
        (HYBRID.replace("k = 8", "k ="), "hybrid.toml: This is not TOML: .*line 11"),
        (HYBRID.encode("utf-16"), "hybrid.toml is not UTF-8. Save the file as UTF-8."),
    ],
)
def test_what_is_wrong_in_a_pipeline_file_is_said_with_its_line(capsys, data, hybrid, broken, said):
    hybrid.write_bytes(broken if isinstance(broken, bytes) else broken.encode())
    assert re.search(said, wrong(capsys, "search", "--corpus", data, "--pipeline", hybrid, "x"))


# ------------------------------------------------------------------------------------------- the process


def test_python_m_lab_is_the_same_and_wrong_input_has_no_traceback(data):
    good = process("search", "--corpus", data, "--json", "red fox")
    out, err = good.communicate(timeout=60)
    assert (good.returncode, err) == (0, "")
    assert json.loads(out)["hits"][0]["id"] == "d1"
    bad = process("search", "--corpus", data / "none.jsonl", "red fox")
    out, err = bad.communicate(timeout=60)
    assert (bad.returncode, out, err.count("\n")) == (2, "", 1)


def test_a_search_by_words_imports_nothing_that_only_another_technique_needs():
    others = {
        *(
            "chromadb",
            "httpx2",
            "ir_measures",
            "jieba",
            "langchain_core",
            "langchain_text_splitters",
            "lxml",
            "mammoth",
        ),
        *("model2vec", "openai", "openpyxl", "pandas", "plotly", "pymilvus", "pypdf", "pypinyin", "rank_bm25"),
        *("sentence_transformers", "sklearn", "sqlglot", "streamlit", "torch"),
    }
    code = (
        "import sys; from lab.cli import main; main(['search', '--corpus', 'devices', '--json', 'printer'])\n"
        f"print(sorted({others} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert json.loads(done.stdout)["hits"]
    assert done.stderr.strip() == "[]"


def test_version_and_help_need_no_library(tmp_path):
    """They answer at once: nothing heavy is imported."""
    code = (
        "import sys; from lab import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'pandas', 'streamlit', 'sklearn'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert process("--version").communicate(timeout=60)[0] == f"retrieval-lab {__version__}\n"


def test_the_installed_command_works_from_any_folder(tmp_path):
    """What README's first line installs finds the library without standing beside it."""
    command = Path(sys.executable).with_name("retrieval-lab")
    if not command.exists():
        pytest.skip("the package is not installed into this environment")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([command, "--version"], capture_output=True, text=True, env=kept, cwd=tmp_path, timeout=60)
    assert (done.stdout, done.stderr) == (f"retrieval-lab {__version__}\n", "")


def test_a_reader_that_goes_away_is_no_error(data):
    reader, writer = os.pipe()
    os.close(reader)
    running = process("search", "--corpus", data, "red fox", stdout=writer)
    os.close(writer)
    assert running.communicate(timeout=60)[1] == ""
    assert running.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT to a process")
def test_ctrl_c_is_status_130_without_a_traceback(tmp_path):
    import pty

    many = tuple(Query("red", id=f"q{i}") for i in range(30_000))
    beir.write(Collection(CORPUS, many), tmp_path / "many")
    screen, theirs = pty.openpty()  # on a terminal it says how far it is
    words = ("run", "--data", tmp_path / "many", "--retriever", "bm25", "--output", tmp_path / "run.trec")
    running = process(*words, stderr=theirs)
    os.close(theirs)
    with os.fdopen(screen, "rb", buffering=0) as err:
        told = err.read(1000)
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=60)[0] == ""
        with suppress(OSError):  # where nobody is left who could write to a terminal, Linux calls it an error
            while more := err.read(1000):
                told += more
    assert running.returncode == 130, told
    assert "%" in told.decode(errors="replace")
    assert b"Traceback" not in told


# ------------------------------------------------------------------------------------------------ README


def shown(language, readme="README.md"):
    """The blocks of one language in a README."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / readme).read_text("utf-8"), re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in shown("sh") for line in block.splitlines() if line.startswith("retrieval-lab ")]
ON_AN_ENGINE = [line for line in COMMANDS if "--engine" in line]  # what they do: `test_engine.py`
COMMANDS = [line for line in COMMANDS if line not in ON_AN_ENGINE]


def shorter(command):
    """What is measured over all judged questions is measured over some; over all at night."""
    return [] if NIGHT or not {"evaluate", "ablate", "sweep", "grow"} & set(command.split()[:2]) else ["--limit", 12]


def test_every_command_of_the_readme_does_what_it_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (file,) = shown("toml")
    (tmp_path / "hybrid.toml").write_text(file, "utf-8")
    said = {command: call(capsys, *shlex.split(command)[1:], *shorter(command)) for command in COMMANDS}
    assert {command: status for command, (status, _, _) in said.items() if status} == {}
    every = {"search", "duplicates", "techniques", "run", "evaluate", "ablate", "sweep", "grow", "answer", "judgments"}
    assert {command.split()[1] for command in COMMANDS} == every
    judged = len(beir.load(home.root() / "sample_corpora" / "devices").judged) if NIGHT else 12
    compared, ablated, floored, swept, grown, _, against, _, _, talked, answered, as_json = list(said.values())[-12:]
    assert "best, nDCG@10: " in against[1]
    assert (tmp_path / "report.md").is_file()
    assert "[^1]: " in answered[1]
    assert json.loads(as_json[1])["says"] is True
    assert compared[1].startswith(f"devices: 193 documents, {judged} judged queries\n")
    assert [line.split()[0] for line in compared[1].splitlines()[3:5]] == ["hybrid", "best"]
    assert [line.split()[0] for line in ablated[1].splitlines()[6:9]] == ["retrieve.0", "retrieve.1", "refine.0"]
    assert floored[0] == 0
    assert "fuse.weights" in swept[1].splitlines()[2]
    assert len({line.split()[0] for line in grown[1].splitlines()[3:11]}) == 4
    assert [line.split()[0] for line in talked[1].splitlines()[3:5]] == ["best", "BM25"]
    assert "10 conversations, 3 passages of every earlier turn shown" in talked[1]


@pytest.mark.parametrize("language", ["sh", "toml", "python"])
def test_the_chinese_readme_shows_the_same_commands_files_and_programs(language):
    told = [[re.sub(r" *#.*", "", block) for block in shown(language, x)] for x in ("README.md", "README.zh.md")]
    assert told[0]
    assert told[0] == told[1], "so what holds for the one holds for the other"


@pytest.mark.parametrize(
    ("readme", "words"),
    [("README.md", r"ready-made search by its name \((.*?)\)"), ("README.zh.md", r"现成检索的名字（(.*?)）")],
)
def test_the_ready_made_searches_of_the_readme_are_those_that_there_are(readme, words):
    text = " ".join((ROOT / readme).read_text("utf-8").split())
    (named,) = re.findall(words, text)
    assert [name for name in re.findall("`(.*?)`", named) if name not in packs.left_out()] == list(presets())


def test_the_python_of_the_readme_runs_and_its_file_is_read_again(capsys):
    program, measured, parted, asked = shown("python")
    room = {}
    exec(compile(program, "README.md", "exec"), room)
    out = capsys.readouterr().out
    exec(compile(measured, "README.md", "exec"), room)
    assert "nDCG@10 p-value corrected" in capsys.readouterr().out
    exec(compile(parted, "README.md", "exec"), room)
    begun = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert begun == ["BM25", "Vector", "MMR", "1", "2", "3"]
    exec(compile(asked, "README.md", "exec"), room)
    assert "[^1]: " in capsys.readouterr().out
    assert out.splitlines()[0].startswith(f"1 {room['ranking'].hits[0].document.title} ")
    assert formats.from_toml(out[out.index("format = ") :]) == room["search"]
    assert len(room["search"].without("refine.0").refine) == 0


# --------------------------------------------------------------------------------------------------- app

START = """
import sys
from pathlib import Path
from streamlit import config
from streamlit.web import bootstrap
def run(script, hello, args, options, **more):
    names = ("server.port", "theme.primaryColor", "server.showEmailPrompt")
    print(Path(script).as_posix(), *map(config.get_option, names))
bootstrap.run = run
from lab import cli, home
home.root = lambda: Path(sys.argv[1])
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("words", "port"), spread([(["--server.port", "8612"], "8612"), ([], "8501"), (["--server.port=8613"], "8613")], 1)
)
def test_without_a_command_the_app_starts_with_its_theme_from_any_folder(tmp_path, words, port):
    house, elsewhere = tmp_path / "house", tmp_path / "elsewhere"
    (house / ".streamlit").mkdir(parents=True)
    elsewhere.mkdir()
    (house / "app.py").write_text("import streamlit\n")
    (house / ".streamlit" / "config.toml").write_text('[theme]\nprimaryColor = "#123456"\n')
    done = subprocess.run(
        [sys.executable, "-c", START, str(house), *words],
        capture_output=True,
        text=True,
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(elsewhere)},
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1].split()) == (
        0,
        [(house / "app.py").as_posix(), port, "#123456", "False"],
    ), done.stderr


def test_an_app_that_is_not_there_is_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(home, "root", lambda: tmp_path)
    assert "app.py" in wrong(capsys)


@pytest.mark.nightly
def test_an_option_that_streamlit_does_not_know_is_status_2(tmp_path):
    (tmp_path / "app.py").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", START, str(tmp_path), "--server.prot", "1"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "--server.prot" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("analyzer", "Analyzer: A specification of how text becomes tokens.", "mode"),
        ("分词器", "Analyzer: A specification of how text becomes tokens.", "stop_words"),
        ("corpus", "Corpus: A named sequence of documents with unique ids.", "documents"),
        ("Ranking", "Ranking: An ordered list of hits", "dropped"),
        ("chunker", "Chunk: Splits long documents", "size"),
        ("runner", "Runner: Runs any searches on one corpus", "no knobs"),
    ],
)
def test_what_techniques_are_given_is_shown_by_name_like_a_technique(capsys, name, head, row):
    assert cli.main(["techniques", name]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(head)
    assert f"  {row}" in shown


def test_techniques_are_listed_with_what_they_do_and_their_knobs_with_what_pages_say_of_them(capsys):
    assert cli.main(["techniques"]) == 0
    out = capsys.readouterr().out
    assert all(f"{name} " in out for name in catalog.operators())
    assert str(catalog.operators()["RRF"].about) in out
    assert cli.main(["techniques", "mmr", "bm-25"]) == 0
    out = capsys.readouterr().out
    assert all(x in out for x in ("0.5", "0.0…1.0", "1: only similarity to the query counts.", "lucene | l"))
    assert cli.main(["techniques", "top", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["techniques"]
    assert [k["default"] for k in row["knobs"]] == ["10"]
    assert cli.main(["techniques", "bm26"]) == 2
    assert "Did you mean “BM25”?" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["search", "evaluate"])
def test_a_step_without_its_model_and_a_prompt_without_a_name_are_told_on_stderr(capsys, data, monkeypatch, command):
    for name in ("LAB_LLM_BASE_URL", "LAB_LLM_KEY", "LAB_LLM_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    words = ["--corpus", data, "--retriever", 'BM25() >> LanguageModelJudge(template="{query}?")']
    status, _out, err = call(capsys, command, *words, *(["red fox"] if command == "search" else []))
    assert status == 0
    lines = [line for line in err.splitlines() if "Language model judge" in line]
    assert lines == [
        "retrieval-lab: Language model judge: No language model is set: every passage stays.",
        "retrieval-lab: Language model judge: The prompt lacks {document}: the model is not told them.",
    ]
    status, _out, err = call(capsys, "search", "--corpus", data, "--retriever", "bm25", "red fox")
    assert "model" not in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["evaluate", "--corpus", "devices", "--retriever", "BM25", "--against", "missing.trec"],
            "no file missing.trec",
        ),
        (["evaluate", "--corpus", "devices", "--retriever", "BM25", "--against", "."], "There is no file ."),
        (
            ["search", "--corpus", "devices", "--retriever", "BM25", "--param", "k1=@/dev/zero", "x"],
            "no file /dev/zero",
        ),
        (["search", "--corpus", "devices", "--retriever", "BM25", "--param", "k1=@.", "x"], "There is no file ."),
        (["--server.port", "99999999"], "99999999 is not a port"),
        (["--server.port=http"], "http is not a port"),
    ],
)
def test_a_file_or_a_port_that_does_not_exist_is_a_sentence(words, sentence, capsys):
    assert cli.main(words) == 2
    message = capsys.readouterr().err
    assert sentence in message
    assert "Errno" not in message


def test_duplicates_are_those_of_the_page_documents(capsys):
    status, out, _ = call(capsys, "duplicates", "--corpus", "staff", "--json")
    found = json.loads(out)
    assert (status, found["with_neighbour"], found["passages"]) == (0, 4, 240)
    assert [(row["first"], row["second"]) for row in found["pairs"]] == [("sh-003", "sh-004"), ("sh-184", "sh-185")]
    out = call(capsys, "duplicates", "--corpus", "staff", "--cosine", "0.95")[1]
    whole = ["0 of 240 passages have the text of another passage", "2 of 240 passages have a neighbour at 0.95"]
    assert out.splitlines()[:2] == whole


def test_shares_of_answered_questions_with_and_without_an_answer(capsys, tmp_path):
    sample = samples.load("handbook")
    some = (*sample.judged[:6], *sample.unanswered[:2])
    qrels = {q.id: dict(sample.qrels[q.id]) for q in some}
    beir.write(replace(sample, queries=some, qrels=qrels, conversations=(), turn_qrels={}), tmp_path / "some")
    ask = ("evaluate", "--corpus", str(tmp_path / "some"), "--pipeline", "best", "--answers", "--json")
    status, out, err = call(capsys, *ask)
    assert status == 0, err
    shares = json.loads(out)["searches"][0]["answered"]
    runner = Runner(sample.corpus)
    answers = [answer(runner, presets()["best"].search, query, k=100).says for query in some]
    assert shares == {"without": sum(answers[6:]) / 2, "with": sum(answers[:6]) / 6}
    assert shares["with"] > shares["without"] == 0
