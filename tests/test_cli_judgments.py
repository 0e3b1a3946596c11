"""`retrieval-lab judgments`: every format, files from elsewhere, what cannot be used is said."""

from __future__ import annotations

import json

import pytest

from lab import cli
from lab.algebra import Corpus, Document, Query
from lab.cli import measuring, options
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.evaluate.exchange import WRITERS

COLLECTION = Collection(
    Corpus("shop", (Document("s1", "red shoes"), Document("s2", "boots"))),
    (Query("red shoes", id="q1"), Query("laces", id="q2")),
    {"q1": {"s1": 3, "s2": 0}},
)


@pytest.fixture
def data(tmp_path):
    beir.write(COLLECTION, tmp_path / "shop")
    return tmp_path / "shop"


def call(capsys, *words):
    status = cli.main(["judgments", *map(str, words)])
    return status, *capsys.readouterr()


def test_the_help_names_every_format():
    assert set(WRITERS) == set(options.JUDGMENT_FORMATS)
    assert all(name in measuring.judgments.__doc__ for name in WRITERS)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_written_to_the_standard_output_and_into_a_file(capsys, data, tmp_path, name):
    status, out, err = call(capsys, "--corpus", data, "--format", name)
    assert (status, err) == (0, "")
    assert "s1" in out or "red shoes" in out
    assert "laces" not in out
    call(capsys, "--corpus", data, "--format", name, "--output", tmp_path / "file")
    assert (tmp_path / "file").read_text("utf-8") == out
    assert ("laces" in call(capsys, "--corpus", data, "--format", name, "--all")[1]) == (
        name not in ("trec", "beir", "opensearch")
    )


@pytest.mark.parametrize("name", ["trec", "beir", "quepid", "quepid-json", "opensearch"])
def test_what_is_written_is_read_again(capsys, data, tmp_path, name):
    file = tmp_path / "file"
    call(capsys, "--corpus", data, "--format", name, "--output", file)
    (data / "qrels" / "test.tsv").unlink()
    status, out, err = call(capsys, "--corpus", data, "--from", file, "--format", "trec")
    assert (status, out, err) == (0, "q1 0 s1 3\nq1 0 s2 0\n", "")


def test_ratings_are_scaled_new_questions_kept_and_unknown_documents_counted(capsys, data, tmp_path):
    rows = [{"docId": "s1", "rating": 0.4}, {"docId": "s9", "rating": 1}]
    body = {"judgmentRatings": [{"query": "new laces", "ratings": rows}]}
    (tmp_path / "list.json").write_text(json.dumps(body), "utf-8")
    status, out, err = call(capsys, "--corpus", data, "--from", tmp_path / "list.json", "--format", "beir")
    assert (status, out) == (0, "query-id\tcorpus-id\tscore\nnew-laces\ts1\t1\n")
    assert "fractions up to 1; they were multiplied by 3 and rounded" in err
    assert "Judgments of a missing query or document: 1, the first: “s9” for “new laces”." in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,docid,rating\nred shoes,s1,much\n", "Line 2: The rating “much” of “s1” is not a number"),
        ("q1 0 s1\n", "Line 1: "),
        ("", "has no judgments"),
        ("query,docid,rating\nred shoes,s9,1\n", "has no judgments"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_status_2(capsys, data, tmp_path, text, said):
    (tmp_path / "r.csv").write_text(text, "utf-8")
    status, out, err = call(capsys, "--corpus", data, "--from", tmp_path / "r.csv", "--format", "trec")
    assert (status, out) == (2, "")
    assert said in err
    assert call(capsys, "--corpus", data, "--from", tmp_path / "none.csv", "--format", "trec")[0] == 2
