"""`evaluate --against`: what is printed and written, the exit status, and hostile texts in the reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from night import examples

from lab import cli
from lab.algebra import Corpus, Document, Query
from lab.cli.printing import _p
from lab.cli.reports import markdown
from lab.corpus import beir
from lab.corpus.beir import Collection
from lab.evaluate.experiments import of_runs
from lab.evaluate.regression import Limits, Regression
from lab.evaluate.runs import Run

ROOT = Path(__file__).resolve().parent.parent
TEXTS = ["red fox", "blue bird", "green frog", "old bear", "wet otter", "tall heron"]
CORPUS = Corpus("animals", tuple(Document(f"d{i}", f"a {text} in the snow") for i, text in enumerate(TEXTS)))
COLLECTION = Collection(
    CORPUS,
    tuple(Query(text, id=f"q{i}") for i, text in enumerate(TEXTS)),
    {f"q{i}": {f"d{i}": 1} for i in range(len(TEXTS))},
)


@pytest.fixture
def data(tmp_path):
    beir.write(COLLECTION, tmp_path / "animals")
    return tmp_path / "animals"


def run_file(path: Path, ranks: dict[str, int]) -> Path:
    """A run with the relevant document of each question at this rank; 0: not in the list."""
    lines = []
    for query, rank in ranks.items():
        others = [d.id for d in CORPUS if d.id[1:] != query[1:]]
        ids = others[: rank - 1] + ["d" + query[1:]] + others[rank - 1 :] if rank else others
        lines += [f"{query} Q0 {d} {i} {10 - i} old\n" for i, d in enumerate(ids, 1)]
    path.write_text("".join(lines), "utf-8")
    return path


def call(capsys, *words):
    status = cli.main([str(word) for word in words])
    return status, *capsys.readouterr()


def wrong(capsys, *words):
    status, out, err = call(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.fixture
def words(data, tmp_path):
    """BM25, which finds every question's document first, against a run that has q0 third and lacks q5."""
    old = run_file(tmp_path / "old.trec", {"q0": 3, "q1": 1, "q2": 1, "q3": 1, "q4": 1})
    return ("evaluate", "--corpus", data, "--retriever", "bm25", "--measures", "RR@10 nDCG@10", "--against", old)


def worse(tmp_path):
    """A run that has lost q1 and q2."""
    return run_file(tmp_path / "new.trec", {"q0": 1, "q1": 2, "q2": 0, "q3": 1, "q4": 1, "q5": 1})


# ------------------------------------------------------------------------------------------------- text


def test_questions_lost_and_won_are_printed_with_their_text_and_values(capsys, words, tmp_path):
    status, out, err = call(capsys, *words, "--run", worse(tmp_path))
    assert status == 0
    assert "old.trec: questions without results: 1 of 6, the first: q5." in err
    lines = out.splitlines()
    assert lines[0] == "animals: 6 documents, 5 judged queries"
    assert [line.split()[0] for line in lines[3:6]] == ["old.trec", "BM25", "new.trec"]
    assert "BM25, RR@10: 0 of 5 questions lost against old.trec" in lines
    start = lines.index("new.trec, RR@10: 2 of 5 questions lost against old.trec; rank: of the first relevant result")
    assert [line.split() for line in lines[start + 2 : start + 5]] == [
        ["query", "question", "before", "now", "difference", "rank", "before", "rank", "now"],
        ["q2", "green", "frog", "1.0000", "0.0000", "-1.0000", "1", "–"],
        ["q1", "blue", "bird", "1.0000", "0.5000", "-0.5000", "1", "2"],
    ]
    start = lines.index("new.trec, RR@10: 1 of 5 questions won; rank: of the first relevant result")
    assert lines[start + 3].split() == ["q0", "red", "fox", "0.3333", "1.0000", "+0.6667", "3", "1"]


def test_the_figures_are_those_of_the_run_as_a_baseline(capsys, words, tmp_path):
    against = json.loads(call(capsys, *words, "--run", worse(tmp_path), "--json", "--per-query")[1])
    assert against["against"] == against["baseline"] == "old.trec"
    assert [c["query"] for c in against["changes"]["new.trec"]["lost"]] == ["q2", "q1"]
    assert against["changes"]["BM25"] == {
        "lost": [],
        "won": [
            {
                "query": "q0",
                "text": "red fox",
                "before": pytest.approx(1 / 3),
                "now": 1.0,
                "difference": pytest.approx(2 / 3),
                "rank_before": 3,
                "rank_now": 1,
            }
        ],
        "equal": 4,
    }
    assert {row["qid"] for row in against["per_query"]} == {f"q{i}" for i in range(5)}
    assert against["failures"] == []
    difference = next(d for d in against["differences"] if (d["second"], d["measure"]) == ("BM25", "RR@10"))
    assert difference["mean"] == pytest.approx(2 / 3 / 5)


def test_two_runs_of_the_same_file_name_are_two(capsys, words, tmp_path):
    (tmp_path / "now").mkdir()
    again = shutil.copy(worse(tmp_path), tmp_path / "now" / "old.trec")
    out = json.loads(call(capsys, *words, "--run", again, "--json")[1])
    assert [row["name"] for row in out["searches"]] == ["old.trec", "BM25", "old.trec (2)"]
    assert list(out["changes"]) == ["BM25", "old.trec (2)"]
    plain = [*words[:7], "--run", words[-1], "--run", again, "--json"]
    assert [row["name"] for row in json.loads(call(capsys, *plain)[1])["searches"]] == [
        "BM25",
        "old.trec",
        "old.trec (2)",
    ]


def test_conversations_are_compared_with_an_earlier_run_of_their_turns(capsys, tmp_path):
    from lab import samples

    spoken = samples.load("devices").spoken
    turns = spoken.judged[:3]
    lines = [f"{turn.id} Q0 {next(iter(spoken.relevant(turn.id)))} 1 1.0 old\n" for turn in turns]
    (tmp_path / "turns.trec").write_text("".join(lines), "utf-8")
    words = ("evaluate", "--conversations", "--corpus", "devices", "--retriever", "bm25", "--limit", "2", "--json")
    figures = json.loads(call(capsys, *words, "--measures", "RR@10", "--against", tmp_path / "turns.trec")[1])
    assert figures["queries"] == 3
    assert figures["searches"][0]["measures"]["RR@10"] == 1


# ------------------------------------------------------------------------------------------ exit status


@pytest.mark.parametrize(
    ("limit", "status", "said"),
    [
        (["--fail-below", "-1"], 0, ""),
        (["--fail-below", "-0.1"], 1, "new.trec: the difference in RR@10 from old.trec is -0.1667, below -0.1."),
        (["--fail-below", "RR@10=-0.1", "--fail-below", "nDCG@10=-1"], 1, "-0.1667, below -0.1."),
        (["--fail-below", "P@1=-0.1"], 1, "in P@1 from old.trec is -0.2000, below -0.1."),
        (["--fail-below", "nDCG@10=-1"], 0, ""),
        (["--fail-query-below", "-0.5"], 1, "new.trec: the difference in RR@10 on “q2” is -1.0000, below -0.5."),
        (["--fail-query-below", "-1"], 0, ""),
        (["--fail-significant"], 0, ""),
        (["--at-least", "RR@10=0.99"], 1, "new.trec: RR@10 is 0.7000, below 0.99"),
    ],
)
def test_a_broken_limit_is_said_and_status_1(capsys, words, tmp_path, limit, status, said):
    result, _, err = call(capsys, *words, "--run", worse(tmp_path), *limit)
    assert result == status
    assert said in err
    assert "BM25:" not in err, "what has won breaks nothing"
    assert "old.trec: RR@10" not in err, "a minimum does not apply to the earlier run"


def test_a_significant_loss_is_status_1(capsys, tmp_path):
    old = tmp_path / "released.trec"
    call(capsys, "run", "--corpus", "devices", "--retriever", "bm25", "-k", "10", "--output", old)
    lines = [line.split() for line in old.read_text("utf-8").splitlines()]
    reversed_scores = [[*row[:4], str(-float(row[4])), row[5]] for row in lines]
    (tmp_path / "now.trec").write_text("".join(" ".join(row) + "\n" for row in reversed_scores), "utf-8")
    words = ("evaluate", "--corpus", "devices", "--measures", "RR@10", "--fail-significant", "--against")
    status, _, err = call(capsys, *words, old, "--run", tmp_path / "now.trec")
    assert status == 1
    assert "now.trec is significantly worse than released.trec in RR@10" in err
    assert call(capsys, *words, tmp_path / "now.trec", "--run", old)[0] == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--fail-below", "low"], "“low” is not a difference"),
        (["--fail-below", "nDCG@10=nan"], "“nan” is not a difference"),
        (["--fail-below", "nosuch=0"], "There is no measure “nosuch”"),
        (["--fail-query-below", "x"], "“x” is not a difference"),
        (["--format", "html"], "There is no format “html”"),
        (["--format", "markdown", "--json"], "Only one of the formats can be printed"),
        (["--baseline", "BM25"], "--against and --baseline both name"),
    ],
)
def test_wrong_options_are_one_line(capsys, words, more, said):
    assert said in wrong(capsys, *words, *more)


@pytest.mark.parametrize("more", [["--fail-below", "0"], ["--fail-significant"], ["--format", "markdown"]])
def test_limits_and_reports_need_an_earlier_run(capsys, data, more):
    err = wrong(capsys, "evaluate", "--corpus", data, "--retriever", "bm25", *more)
    assert f"No earlier run is given, which {more[0]} needs. Give --against FILE." in err


def test_a_run_that_does_not_match_is_refused_in_words(capsys, words, tmp_path):
    strange = tmp_path / "strange.trec"
    for text, said in (
        ("x1 Q0 d1 1 1.0 r\n", "strange.trec and the judgments have no query in common."),
        ("q1 Q0 doc 1 1.0 r\n", "strange.trec has no document of animals."),
        ("", "strange.trec and the judgments have no query in common."),
        ("q1 d1\n", "line 1: this line is not in TREC run format"),
    ):
        strange.write_text(text, "utf-8")
        assert said in wrong(capsys, *words[:-1], strange)


# ---------------------------------------------------------------------------------------------- reports


def test_a_report_is_written_and_the_figures_printed(capsys, words, tmp_path):
    status, out, _ = call(capsys, *words, "--format", f"markdown={tmp_path / 'report.md'}")
    assert status == 0
    assert out.startswith("animals: 6 documents")
    assert (tmp_path / "report.md").read_text("utf-8").startswith("### Retrieval regression against `old.trec`\n")


def test_markdown_has_the_verdict_the_measures_and_the_questions(capsys, words, tmp_path):
    out = call(capsys, *words, "--run", worse(tmp_path), "--format", "markdown", "--fail-query-below", "-0.6")[1]
    assert "❌ Limits broken: 1." in out
    assert "✅ No limit is broken." in call(capsys, *words, "--format", "markdown")[1]
    tables = cells_of(out)
    assert tables[0][1][:4] == ["RR@10", "0.8667", "1.0000", "+0.1333"]
    assert ["q2", "green frog", "1.0000", "0.0000", "-1.0000", "1", "–"] in tables[3]


def cells_of(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown text, as GitHub's reading of it has them: text of each cell."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    tables, row = [], []
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            row = []
            tables[-1].append(row)
        elif token.type in ("td_open", "th_open"):
            parts = tokens[at + 1].children
            assert {part.type for part in parts} <= {"text", "code_inline", "html_inline", "text_special"}
            assert all(part.content in ("<code>", "</code>") for part in parts if part.type == "html_inline")
            row.append("".join(part.content for part in parts if part.type != "html_inline"))
    return tables


HOSTILE = st.text(
    st.one_of(st.sampled_from("|`\\*_[]()<>!#@&~:$-+1. \n\t\r\"'/wxh"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=40,
)


@examples(200)
@given(HOSTILE, HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=2))
def test_no_text_breaks_or_formats_a_report(query: str, text: str, name: str, notes: list[str]):
    c = Collection(CORPUS, (Query(text or "x", id=query),), {query: {"d0": 1}})
    runs = {
        "old": Run("old", {query: (("d0", 1.0),)}),
        f"now {name}": Run(name, {query: (("d1", 2.0), ("d0", 1.0))}),
    }
    r = Regression(of_runs(runs, c, ["RR@10"], c.queries, 1, baseline="old"), Limits({"RR@10": 0.0}, 0.0))
    written = markdown(r, notes, {})
    tables = cells_of(written)
    assert [len(row) for row in tables[1]] == [7, 7]
    clean = "".join(x if x.isprintable() or x.isspace() else "�" for x in query)
    assert tables[1][1][0] == (" ".join(clean.split()) or "–")
    kinds = {
        child.type
        for token in MarkdownIt("gfm-like", {"linkify": False}).parse(written)
        for child in token.children or ()
    }
    assert kinds <= {"text", "code_inline", "html_inline", "text_special", "strong_open", "strong_close", "softbreak"}


# --------------------------------------------------------------------------------------- the workflow of the docs

WORKFLOW = ROOT / "docs" / "regression.yml"
SEARCH = 'format = 1\nname = "words"\n[[retrieve]]\ntype = "BM25"\n'


def steps() -> list[dict]:
    """The steps of the workflow's only job."""
    (job,) = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"].values()
    return job["steps"]


def test_the_workflow_is_one_of_github_s():
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    assert {"name", True, "jobs", "env", "permissions"} == set(workflow), "YAML reads the key on as true"
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request" in workflow[True]
    for step in steps():
        assert len({"uses", "run"} & set(step)) == 1
        assert "uses" not in step or step["uses"].partition("@")[0].startswith("actions/")
    used = {word for step in steps() for word in step.get("run", "").split() if word.startswith("--")}
    assert {"--against", "--fail-below", "--format"} <= used


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rank", "status", "verdict"), [(0, 1, "❌ Limits broken: "), (1, 0, "✅ No limit is broken.")]
)
def test_the_commands_of_the_workflow_do_what_it_says(tmp_path, data, rank, status, verdict):
    """With a released run that is as good as the search, and with a search that has lost all that was released."""
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    search = tmp_path / "search"
    search.mkdir()
    shutil.copytree(data, search / "corpus")
    (search / "search.toml").write_text(SEARCH, "utf-8")
    if not rank:  # the corpus has lost its words since the release
        emptied = Collection(
            Corpus("c", tuple(Document(d.id, "rain") for d in CORPUS)), COLLECTION.queries, COLLECTION.qrels
        )
        beir.write(emptied, search / "corpus")
    run_file(search / "released.trec", {q.id: 1 for q in COLLECTION.queries})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "retrieval-lab").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lab "$@"\n', "utf-8")
    (tmp_path / "bin" / "retrieval-lab").chmod(0o755)
    env = os.environ | workflow["env"] | {"PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    env["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{env['PATH']}"
    commands = [step["run"] for step in steps() if "run" in step and "pip install" not in step["run"]]
    assert len(commands) == 2
    ended = [subprocess.run(["bash", "-e", "-c", c], cwd=tmp_path, env=env, capture_output=True) for c in commands]
    assert [x.returncode for x in ended] == [status, 0], ended[0].stderr.decode()
    assert verdict in (tmp_path / "summary.md").read_text("utf-8")
    told = [line for line in WORKFLOW.read_text("utf-8").splitlines() if line.startswith("#   retrieval-lab run")]
    subprocess.run(["bash", "-e", "-c", told[0][1:]], cwd=tmp_path, env=env, check=True, capture_output=True)


def test_a_p_value_is_said_to_be_below_what_four_digits_show_only_if_it_is():
    assert [_p(p) for p in (None, 0.00009, 0.0001, 0.0005)] == ["–", "<0.0001", "0.0001", "0.0005"]
