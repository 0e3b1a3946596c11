"""The vocabulary of a static model: neighbours by brute force, and what the model does not know, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from night import for_each, spread

from lab.algebra import Corpus, Document
from lab.errors import ParameterError
from lab.models.static import BuiltIn, StaticEncoder
from lab.models.vocabulary import SCRIPTS, Neighbour, Unknown, Vocabulary, unknown
from lab.numeric import unit
from lab.text import is_han


def corpus(*texts: str) -> Corpus:
    return Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts)))


@pytest.fixture(scope="module")
def built_in() -> StaticEncoder:
    return BuiltIn().fit(corpus())


@pytest.fixture(scope="module")
def vocabulary(built_in: StaticEncoder) -> Vocabulary:
    return Vocabulary.of(built_in)


# A model of six words and three pieces in two dimensions; two words share a vector by the mapping.
TOKENS = {"[UNK]": 0, "▁电池": 1, "▁battery": 2, "▁充电": 3, "▁charge": 4, "▁a": 5, "##er": 6, "池": 7, "▁2024": 8}
VECTORS = np.array([[9, 9], [3, 4], [4, 3], [0, 2], [1, 0], [-1, 0]], np.float32)
MAPPING = np.array([0, 1, 2, 3, 4, 5, 5, 1, 5])
WEIGHTS = np.array([1, 2, 0.5, 1, 1, 1, 1, 1, 1], np.float32)


@pytest.fixture
def small() -> StaticEncoder:
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Metaspace

    tokenizer = Tokenizer(WordLevel(TOKENS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always")  # type: ignore[assignment]
    return StaticEncoder(StaticModel(VECTORS, tokenizer, weights=WEIGHTS, token_mapping=MAPPING))


# ---------------------------------------------------------------------------------------------- the table


def test_the_table_has_whole_words_with_their_vectors_at_length_one(small: StaticEncoder) -> None:
    own = Vocabulary.of(small)
    assert own.words == ("电池", "battery", "充电", "charge", "池")  # no unknown token, piece, single letter, number
    assert unit(own.table.numbers(own.rows)).tolist() == pytest.approx(
        np.array([[3 / 5, 4 / 5], [4 / 5, 3 / 5], [0, 1], [1, 0], [3 / 5, 4 / 5]])
    )
    assert own.rows.tolist() == [1, 2, 3, 4, 1]


def test_the_built_in_table_has_words_of_both_languages(vocabulary: Vocabulary) -> None:
    assert len(vocabulary.words) == len(vocabulary.rows) > 20_000
    assert vocabulary.table.kept is vocabulary.encoder.model.embedding, "mapped from the model's file"
    lengths = np.linalg.norm(unit(vocabulary.table.numbers(vocabulary.rows)), axis=1)
    assert np.allclose(lengths[lengths > 0], 1, atol=1e-5)
    assert {"电池", "battery"} <= set(vocabulary.words)
    assert all(is_han(w) or (w.isalpha() and len(w) > 1) for w in vocabulary.words)
    assert {is_han(w) for w in vocabulary.words} == {True, False}


# --------------------------------------------------------------------------------------------- neighbours


def test_neighbours_are_cosines_by_hand(small: StaticEncoder) -> None:
    own = Vocabulary.of(small)
    # the question's vector is 2 * (3, 4): the weight changes its length, not its direction
    assert own.nearest("电池", script="latin") == (
        Neighbour("battery", pytest.approx(3 / 5 * 4 / 5 + 4 / 5 * 3 / 5), 1),
        Neighbour("charge", pytest.approx(3 / 5), 3),
    )
    # of two words: the mean of 2 * (3, 4) and (0, 2), and neither of them in the answer
    q = np.array([2 * 3 + 0, 2 * 4 + 2]) / np.hypot(2 * 3 + 0, 2 * 4 + 2)
    assert own.nearest("电池 充电", script="han") == (Neighbour("池", pytest.approx(q @ [3 / 5, 4 / 5]), 4),)


@pytest.mark.parametrize("text", spread(["电池", "battery", "how do I reset it", "退货 refund", "WH-1000XM5"], 2))
@pytest.mark.parametrize("script", spread(SCRIPTS, 1))
def test_neighbours_are_the_best_of_all_words(vocabulary: Vocabulary, text: str, script: str) -> None:
    encoder = vocabulary.encoder
    own = {*encoder.tokens(text)[0], text.lower()}
    cosines = unit(encoder.model.embedding[vocabulary.rows]) @ unit(encoder.queries([text]))[0]
    expected = sorted(
        (-c, i)
        for i, (c, w) in enumerate(zip(cosines.tolist(), vocabulary.words, strict=True))
        if w not in own and (script == "han") == is_han(w)
    )
    found = vocabulary.nearest(text, script=script, k=20)
    assert [n.cosine for n in found] == pytest.approx([-c for c, _i in expected[:20]], abs=1e-5)
    for neighbour in found:
        assert vocabulary.words[neighbour.row] == neighbour.word
        assert neighbour.cosine == pytest.approx(cosines[neighbour.row], abs=1e-5)
        assert neighbour.word not in own


@pytest.mark.parametrize(
    ("text", "script", "word"), [("电池", "latin", "battery"), ("hospital", "han", "医院"), ("红色", "latin", "red")]
)
def test_a_word_finds_its_translation(vocabulary: Vocabulary, text: str, script: str, word: str) -> None:
    assert word in [n.word for n in vocabulary.nearest(text, script=script)]


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_nothing_is_near_to_nothing(vocabulary: Vocabulary, text: str) -> None:
    assert vocabulary.nearest(text, script="han") == ()


def test_an_unknown_text_has_no_neighbours_in_a_small_model(small: StaticEncoder) -> None:
    assert Vocabulary.of(small).nearest("nowhere", script="latin") == ()


def test_so_many_are_given_as_were_asked_for(vocabulary: Vocabulary) -> None:
    assert len(vocabulary.nearest("电池", script="han")) == 12
    assert vocabulary.nearest("电池", script="han", k=3) == vocabulary.nearest("电池", script="han", k=30)[:3]


def test_wrong_knobs_are_refused(vocabulary: Vocabulary) -> None:
    with pytest.raises(ParameterError, match="script is “greek”"):
        vocabulary.nearest("电池", script="greek")
    with pytest.raises(ParameterError, match="k is 0"):
        vocabulary.nearest("电池", script="han", k=0)


def test_broken_characters_do_not_stop_it(vocabulary: Vocabulary) -> None:
    assert vocabulary.nearest("电池 \ud83d", script="latin")


# ------------------------------------------------------------------------------------------------ unknown


def test_unseen_words_are_counted_as_often_as_they_stand(small: StaticEncoder) -> None:
    found = unknown(small, corpus("battery robot 电池", "robot charge robot"))
    assert found == Unknown(words=6, unseen=3, broken=0, examples=(("robot", 3),))
    assert found.share == 3 / 6


def test_words_in_three_pieces_or_more_are_broken(built_in: StaticEncoder) -> None:
    cut = {
        w: len(built_in.model.tokenizer.encode(w, add_special_tokens=False).ids)
        for w in ("battery", "电池", "kuechly", "岑朗天")
    }
    assert cut["battery"] == cut["电池"] == 1
    assert cut["kuechly"] >= 3
    found = unknown(built_in, corpus("battery Kuechly 电池", "Kuechly battery"))
    assert found == Unknown(words=5, unseen=0, broken=2, examples=(("kuechly", 2),))


def test_the_most_frequent_come_first_and_not_more_than_asked_for(small: StaticEncoder) -> None:
    found = unknown(small, corpus("one two two three three three"), examples=2)
    assert found.examples == (("three", 3), ("two", 2))
    assert (found.words, found.unseen) == (6, 6)


@for_each("texts", [(), ("",), ("？！ …",), ("\ud83d",)])
def test_a_corpus_without_words_has_nothing_unknown(built_in: StaticEncoder, texts: tuple[str, ...]) -> None:
    found = unknown(built_in, corpus(*texts))
    assert found == Unknown(0, 0, 0, ())
    assert found.share == 0


@pytest.mark.parametrize("name", ["handbook", "devices"])
def test_the_built_in_model_knows_most_of_the_sample_corpora(built_in: StaticEncoder, name: str) -> None:
    from lab.corpus import samples

    found = unknown(built_in, samples.load(name).corpus)
    assert found.words > 1000
    assert 0 < found.share < 0.1
