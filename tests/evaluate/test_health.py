"""What a question set can tell of searches: questions at the maximum, at 0 and apart, words in common, chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.algebra import Corpus, Document, Pipeline, Query
from lab.cli import main
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.evaluate.experiments import evaluate
from lab.evaluate.health import shared_words
from lab.evaluate.runs import Run
from lab.evaluate.sweeping import sweep
from lab.retrieve.lexical import BM25, TFIDF

QUERIES = tuple(
    Query(text, id=text[0], metadata={"type": text[1]}) for text in ("axpump", "byvalve", "cxhose", "dycable")
)
CORPUS = Corpus("tiny", (Document("1", "axpump in the garden"), Document("2", "byvalve"), Document("3", "wire")))
COLLECTION = Collection(CORPUS, QUERIES, {"a": {"1": 1}, "b": {"2": 1}, "c": {"3": 1}, "d": {"3": 2, "1": 1}})


def _run(name: str, **lists: str) -> Run:
    return Run(name, {q: tuple((d, -float(i)) for i, d in enumerate(docs)) for q, docs in lists.items()})


def test_questions_are_counted_at_the_maximum_at_zero_equal_and_apart_also_by_type() -> None:
    runs = {"one": _run("one", a="1", b="2", c="2", d="1"), "two": _run("two", a="12", b="12", c="1", d="1")}
    whole, x, y = evaluate(runs, COLLECTION, ["nDCG@10"]).health("nDCG@10")
    assert (whole.questions, whole.top, whole.zero, whole.equal, whole.apart) == (4, 1, 1, 1, 1)
    assert (x.type, x.questions, x.top, x.zero, x.apart) == ("x", 2, 1, 1, 0)
    assert (y.type, y.questions, y.equal, y.apart) == ("y", 2, 1, 1)
    assert whole.judged == pytest.approx((1 + 0 + 0 + 1) / 4), "the lower of the two searches"


def test_searches_that_are_equal_on_every_question_cannot_be_told_apart() -> None:
    easy = Collection(CORPUS, QUERIES[:2], {"a": {"1": 1}, "b": {"2": 1}})
    both = [note for note in evaluate([BM25(), TFIDF()], easy, ["nDCG@10"]).notes if "cannot tell" in note]
    assert len(both) == 1
    assert "the maximum on 2 of 2 and 0 on 0" in both[0]
    assert "no search can be better" in " ".join(evaluate([BM25()], easy, ["nDCG@10"]).notes)
    assert not [
        note for note in evaluate([BM25(), TFIDF()], samples.load("staff"), ["nDCG@10"]).notes if "tell" in note
    ]


def test_words_that_question_and_answer_share_are_counted_by_their_stems() -> None:
    corpus = Corpus("w", (Document("1", "Filters are cleaned monthly."), Document("2", "退货需要七天")))
    c = Collection(corpus, (), {"en": {"1": 1}, "zh": {"2": 1}, "no": {"1": 0}})
    assert shared_words(c, "en", "cleaning filter") == 1.0
    assert shared_words(c, "en", "cleaning pump") == 0.5
    assert shared_words(c, "zh", "退货 七天") == 1.0
    assert shared_words(c, "no", "filter") == 0.0


CHUNKS = Pipeline((BM25(),), derive=(Chunk(size=100),))


def test_chunks_beside_judgments_of_documents_are_named_and_lift_is_offered() -> None:
    c = samples.load("devices")
    e = evaluate({"chunks": CHUNKS, "lifted": Chunk(size=100)(BM25())}, c, ["nDCG@10"], limit=5)
    told = [note for note in e.notes if "Lift()" in note]
    assert len(told) == 1
    assert told[0].startswith("chunks: ")
    assert e.measured_nothing("chunks")
    assert not e.measured_nothing("lifted")
    swept = sweep(CHUNKS, c, {"derive.0.size": [100, 200]}, limit=5)
    assert "Lift()" in swept.told()[0]


def test_a_sweep_of_chunking_shows_what_every_setting_indexes() -> None:
    c = samples.load("devices")
    swept = sweep(Chunk(size=200)(BM25()), c, {"derive.0.size": [200, 400]}, limit=4)
    small, large = (p.size for p in swept.points)
    assert small
    assert large
    assert small.chunks == len(Chunk(size=200)(c.corpus)) > large.chunks > len(c.corpus)
    assert small.bytes == sum(len(d.content.encode()) for d in Chunk(size=200)(c.corpus))
    assert small.tokens > large.tokens
    assert all(p.size is None for p in sweep(BM25(), c, {"k1": [1.0]}, limit=4).points)


def test_a_run_that_measured_nothing_ends_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strange = tmp_path / "strange.run"
    strange.write_text("q-001 Q0 dv-001#1 1 1.0 x\nq-002 Q0 nowhere 1 1.0 x\n", encoding="utf-8")
    assert main(["evaluate", "--corpus", "devices", "--run", str(strange)]) == 1
    assert "Nothing was measured for strange.run" in capsys.readouterr().err
    assert main(["evaluate", "--corpus", "devices", "--limit", "4", "--retriever", "BM25()"]) == 0
