"""How much of a text a model reads: the same for its vector and its explanation, and said where it is not all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from models import tiny_sentence_model

from lab.algebra import Corpus, Document, Runner
from lab.cli.asking import _say_given
from lab.fuse import RRF
from lab.models.embedders import encoder_of, reading_note, vectors_of
from lab.models.neural import Model2Vec, SentenceTransformer
from lab.models.static import BuiltIn, StaticEncoder, load_built_in
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector

BUILT_IN = Path(__file__).parents[2] / "lab" / "models" / "built_in"
FILLER = "battery charger headphones noise "


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The built-in model as model2vec saves others: it reads 512 tokens."""
    folder = tmp_path_factory.mktemp("limited") / "model"
    shutil.copytree(BUILT_IN, folder)
    config = json.loads((folder / "config.json").read_text("utf-8")) | {"max_length": 512}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return str(folder)


def passages(*repetitions: int) -> Corpus:
    texts = (FILLER * n + "refund" for n in repetitions)
    return Corpus("long", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))


@pytest.mark.parametrize("text", [FILLER * 300, "x" * 5000, "退货" * 900, FILLER * 30 + "refund", "a b", ""])
@pytest.mark.parametrize("question", ["refund", "noise 退货"])
def test_the_table_of_pairs_sums_to_the_cosine_also_of_a_text_that_is_cut(
    limited: str, text: str, question: str
) -> None:
    for encoder in (Model2Vec(limited).fit(passages(1)), load_built_in()):
        assert isinstance(encoder, StaticEncoder)
        rows = np.asarray(encoder.documents([question, text]), dtype=float)
        lengths = np.linalg.norm(rows, axis=1)
        cosine = rows[0] @ rows[1] / np.prod(lengths) if lengths.all() else 0.0
        assert encoder.pairs(question, text)[2].sum() == pytest.approx(cosine, abs=1e-4)


def test_passages_that_are_read_in_part_are_counted_once_the_model_has_read_them(limited: str) -> None:
    corpus = passages(1, 2, 200, 1000)
    embedder = Model2Vec(limited)
    assert reading_note(embedder, corpus) == ""
    vectors_of(embedder, corpus)
    assert reading_note(embedder, corpus) == (
        "Passages of which this model reads only the beginning (512 tokens): 2 of 4."
    )
    vectors_of(BuiltIn(), corpus)
    assert reading_note(BuiltIn(), corpus) == ""
    short = passages(1, 2)
    vectors_of(embedder, short)
    assert reading_note(embedder, short) == ""


def test_the_words_behind_the_limit_do_not_change_the_vector(limited: str) -> None:
    encoder = Model2Vec(limited).fit(passages(1))
    for long in (FILLER * 300, "退货" * 900):
        one, other = encoder.documents([long + "refund", long + "年假 leave"])
        assert encoder.truncates(long)
        np.testing.assert_array_equal(one, other)
    assert not encoder.truncates(FILLER * 3)


@pytest.mark.parametrize("length", [10, 55, 61, 62, 63, 64, 200])
def test_a_sentence_model_truncates_what_its_tokenizer_says(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    pytest.importorskip("sentence_transformers")
    model = tiny_sentence_model.bert(tmp_path_factory.mktemp("bert"), {})
    corpus = Corpus("tiny", (Document("d", "a " * length),))
    encoder = encoder_of(SentenceTransformer(model), corpus)
    assert encoder.limit == 64
    whole = np.asarray(encoder.documents(["a " * length + "b"]))
    changed = np.asarray(encoder.documents(["a " * length + "c"]))
    assert encoder.truncates("a " * length + "b") == np.array_equal(whole, changed)


def test_the_command_line_says_how_much_a_model_reads(limited: str, capsys: pytest.CaptureFixture[str]) -> None:
    search = RRF()(Vector(Model2Vec(limited)), BM25())
    _say_given(Runner(passages(1, 400))(search, "refund"))
    assert "reads only the beginning (512 tokens): 1 of 2." in capsys.readouterr().err
