"""The built-in model and LSA: what they load, what their vectors are, and what they do with next to nothing."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from night import for_each

from lab.algebra import Corpus, Document
from lab.errors import ParameterError
from lab.models.embedders import encoder_of, rows_for, vectors_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import unit
from lab.retrieve.vector import Vector
from lab.text import Analyzer, well_formed


def corpus(*texts: str) -> Corpus:
    return Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts)))


@pytest.fixture(scope="module")
def built_in() -> StaticEncoder:
    return BuiltIn().fit(corpus())


WORDS = [
    *[
        "headphones",
        "battery",
        "WH-1000XM5",
        "the",
        "of",
        "charging",
        "Bluetooth",
        "v2.1",
        "reset",
        "invoice",
        "leave",
        "E21",
    ],
    *[
        "耳机",
        "充电",
        "年假",
        "报销",
        "的",
        "电池",
        "蓝牙",
        "无法连接",
        "三天",
        "售后",
        "发票",
        "，",
        "。",
        "😀",
        "𠮷",
        "!?",
    ],
]


def made_up(rng: random.Random) -> str:
    return rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randint(1, 30)))


# ----------------------------------------------------------------------------------------------- built-in


def test_the_built_in_model_and_lsa_work_without_torch_and_friends() -> None:
    code = """
import sys
from lab.algebra import Corpus, Document
from lab.models.lsa import LSA
from lab.retrieve.vector import Vector
corpus = Corpus("c", (Document("a", "耳机"), Document("b", "holiday")))
assert Vector().index(corpus).search("headphones").hits[0].document.id == "a"
heavy = {"torch", "transformers", "sentence_transformers", "sklearn", "chromadb", "pandas", "streamlit"}
assert "scipy" not in sys.modules
assert Vector(LSA()).index(corpus).search("holiday").hits[0].document.id == "b"
assert not heavy & sys.modules.keys()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_library_itself_imports_nothing_heavy() -> None:
    code = """
import sys, lab, lab.algebra, lab.text, lab.retrieve.lexical, lab.retrieve.vector, lab.models.embedders
heavy = {"torch", "transformers", "model2vec", "sklearn", "scipy", "chromadb", "pandas", "streamlit"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_pair_table_sums_to_the_cosine_on_random_texts(built_in: StaticEncoder) -> None:
    rng = random.Random(5)
    for _ in range(500):
        query, text = made_up(rng), made_up(rng)
        q_names, d_names, table = built_in.pairs(query, text)
        assert table.shape == (len(q_names), len(d_names))
        assert len(set(q_names)) == len(q_names)
        own = unit(built_in.documents([query, text]))
        theirs = built_in.model.encode([query, text]).astype(float)
        length = np.linalg.norm(theirs[0]) * np.linalg.norm(theirs[1])
        cosine = theirs[0] @ theirs[1] / length if length else 0.0
        assert abs(table.sum() - cosine) <= 1e-6, (query, text)
        assert abs(own[0] @ own[1] - cosine) <= 1e-6


def test_the_pair_table_sums_to_the_cosine_of_long_texts(built_in: StaticEncoder) -> None:
    text = "充电盒的灯闪烁红色。The case blinks red. " * 400
    one, two = unit(built_in.documents(["红灯 red light", text]))
    assert abs(built_in.pairs("红灯 red light", text)[2].sum() - one @ two) <= 1e-6


@for_each("text", ["", " ", "\n", "\u200b"])
def test_a_text_without_tokens_is_a_vector_of_zeros(built_in: StaticEncoder, text: str) -> None:
    vector = built_in.documents([text, "耳机"])
    assert not vector[0].any()
    assert vector[1].any()
    names, other, table = built_in.pairs(text, "耳机")
    assert names == []
    assert table.shape == (0, len(other))
    assert table.sum() == 0


def test_no_texts_are_no_vectors(built_in: StaticEncoder) -> None:
    assert built_in.documents([]).shape == (0, built_in.dimensions)


def test_broken_characters_do_not_stop_the_model(built_in: StaticEncoder) -> None:
    assert well_formed("a\ud83db") == "a?b"
    assert well_formed("耳机😀") == "耳机😀"
    assert built_in.documents(["耳机 \ud83d"]).any()
    assert built_in.pairs("\ud83d 耳机", "耳机\udc00")[2].size


def test_the_vectors_do_not_depend_on_the_batch(built_in: StaticEncoder) -> None:
    rng = random.Random(6)
    texts = [made_up(rng) for _ in range(1500)]  # more than one batch
    reports = list[tuple[int, int]]()
    together = built_in.documents(texts, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(1024, 1500), (1500, 1500)]
    for i in (0, 1023, 1024, 1499):
        assert np.array_equal(built_in.documents([texts[i]])[0], together[i])
    assert together.dtype == np.float32


def test_chinese_and_english_share_one_space(built_in: StaticEncoder) -> None:
    earphones, battery, headphones = unit(built_in.documents(["耳机", "电池", "headphones"]))
    assert earphones @ headphones > battery @ headphones + 0.2


def test_the_model_is_loaded_once() -> None:
    assert BuiltIn().fit(corpus("a")) is BuiltIn().fit(corpus("b"))


# ---------------------------------------------------------------------------------------------------- LSA

TOPICS = (
    "car engine wheel", "car wheel road", "automobile engine road", "automobile wheel engine",
    "leave holiday vacation", "holiday vacation request", "leave request approval", "vacation approval leave",
)  # fmt: skip


def test_lsa_brings_words_together_that_share_their_company() -> None:
    encoder = LSA(size=2).fit(corpus(*TOPICS))
    car, automobile, holiday = unit(encoder.queries(["car", "automobile", "holiday"]))
    assert car @ automobile > 0.99  # no document has both
    assert abs(car @ holiday) < 0.01


def test_lsa_is_the_truncated_svd_of_scikit_learn() -> None:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [*TOPICS, "car leave request", "road holiday"]
    counts = TfidfVectorizer(analyzer=str.split, sublinear_tf=True).fit_transform(texts)
    for size in (2, 5):
        svd = TruncatedSVD(size, algorithm="arpack", random_state=0).fit(counts)
        theirs = svd.transform(counts)
        own = LSA(size=size, analyzer=Analyzer(mode="whitespace")).fit(corpus(*texts)).documents(texts)
        assert np.allclose(own @ own.T, theirs @ theirs.T, atol=1e-6)  # directions may point the other way


def test_the_weights_of_lsa_are_those_of_scikit_learn_to_the_last_bit() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [*TOPICS, "", "unknown", "wheel car car unknown road road wheel road vacation"]
    vectorizer = TfidfVectorizer(analyzer=Analyzer().tokens, sublinear_tf=True).fit(TOPICS)
    encoder = LSA(size=100).fit(corpus(*TOPICS))
    assert [*encoder.numbers] == [*vectorizer.get_feature_names_out()]
    assert np.array_equal(encoder.documents(texts), vectorizer.transform(texts) @ encoder.directions)


def test_lsa_with_all_dimensions_keeps_every_angle() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    counts = TfidfVectorizer(analyzer=str.split, sublinear_tf=True).fit_transform(TOPICS)
    own = LSA(size=100, analyzer=Analyzer(mode="whitespace")).fit(corpus(*TOPICS)).documents(TOPICS)
    assert np.allclose(own @ own.T, (counts @ counts.T).toarray(), atol=1e-6)


@for_each(
    "texts, dimensions",
    [
        ((), 0),
        (("",), 0),
        (("？！", "  "), 0),
        (("headphones",), 1),
        (("headphones battery case",), 1),
        (("headphones", "headphones", "headphones"), 1),
        (("headphones", "headphones headphones", ""), 1),
        (("headphones battery", "battery", "headphones"), 2),
        (("headphones", "battery", "case", "light"), 4),
        ((*TOPICS, *TOPICS), 5),
        (("headphones battery case",) * 3, 1),  # by a full decomposition
        (("headphones battery case light", "leave holiday request approval") * 10, 2),  # by ARPACK
    ],
)
def test_lsa_has_as_many_dimensions_as_the_corpus_allows(texts: tuple[str, ...], dimensions: int) -> None:
    own = corpus(*texts)
    encoder = LSA(size=5).fit(own)
    assert encoder.dimensions == dimensions
    vectors = encoder.documents([d.content for d in own])
    assert vectors.shape == (len(texts), dimensions)
    assert np.isfinite(vectors).all()
    assert encoder.queries(["headphones", ""]).shape == (2, dimensions)
    for text, vector in zip(texts, vectors, strict=True):
        assert vector.any() == bool(Analyzer().tokens(text))


def test_lsa_gives_equal_texts_equal_vectors() -> None:
    texts = [*TOPICS, *TOPICS, "other words", TOPICS[0]]
    for size in (3, 100):
        vectors = LSA(size=size).fit(corpus(*texts)).documents(texts)
        assert np.array_equal(vectors[: len(TOPICS)], vectors[len(TOPICS) : 2 * len(TOPICS)])
        assert np.array_equal(vectors[0], vectors[-1])


def test_lsa_gives_the_same_vectors_every_time() -> None:
    one, two = (vectors_of(LSA(size=3), corpus(*TOPICS)) for _ in range(2))
    assert np.array_equal(one, two)


def test_what_lsa_cannot_tell_apart_ties_and_what_shares_nothing_is_no_hit() -> None:
    rng = random.Random(1)
    for _ in range(30):
        names = [g + "x" + i for g in "abcd"[: rng.randint(2, 4)] for i in "klmno"[: rng.randint(2, 5)]]
        rng.shuffle(names)  # every topic has a word of its own, and every document one that is in no other
        own = Corpus("topics", tuple(Document(n, f"topic{n[0]} own{n}") for n in names))
        for space in ("cosine", "ip"):
            ranking = Vector(LSA(), space).index(own).search("topica")
            assert sorted(ranking.ids) == sorted(n for n in names if n[0] == "a")
            assert len({h.score for h in ranking}) == 1


@pytest.mark.filterwarnings("error")
def test_lsa_takes_many_equal_documents_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.models.lsa.DENSE", 0)  # as for a corpus that is too large for a full decomposition
    assert LSA(2).fit(corpus(*["headphones battery case light"] * 12)).dimensions == 1


def test_lsa_refuses_a_size_below_two() -> None:
    with pytest.raises(ParameterError, match="size is 1, but must lie between 2 and 1024"):
        LSA(size=1)


# ------------------------------------------------------------------------------------------------- common


def test_encoders_are_kept_with_their_corpus() -> None:
    one, two = corpus(*TOPICS), corpus("a b", "b c")
    assert encoder_of(LSA(size=2), one) is encoder_of(LSA(size=2), one)
    assert encoder_of(LSA(size=2), one) is not encoder_of(LSA(size=2), two)
    assert encoder_of(LSA(size=2), one) is not encoder_of(LSA(size=3), one)


def test_names_and_labels() -> None:
    assert (BuiltIn().name, LSA().name) == ("built-in", "lsa")
    assert (BuiltIn().label, LSA(size=64).label) == ("Built-in bilingual", "LSA-64")


def test_unit_leaves_zeros_alone() -> None:
    assert unit(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[3 / 5, 4 / 5], [0, 0]]
    assert unit(np.zeros((0, 4))).shape == (0, 4)


def test_lsa_gives_the_same_scores_whenever_it_is_fitted() -> None:
    """Directions of equal strength can be turned: which ones are taken must not depend on the run."""
    texts = ["𠮷野家", "WH-1000XM5", "WH-1000XM5", "", "battery 电池"]
    found = set()
    for _ in range(8):
        documents = corpus(*texts)
        ranking = Vector(LSA(size=4)).index(documents).search("𠮷野家", k=5)
        found.add(tuple((hit.document.id, hit.score) for hit in ranking.hits))
    assert len(found) == 1


def test_a_text_of_a_corpus_that_is_not_embedded_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    some = corpus("kiln", "wax", "kiln", "loom")
    encoder, read = encoder_of(BuiltIn(), some), list[str]()
    expected, documents = encoder.documents([d.content for d in some]), type(encoder).documents

    def spy(self, texts, **more):  # type: ignore[no-untyped-def]
        read.extend(texts)
        return documents(self, texts, **more)

    monkeypatch.setattr(type(encoder), "documents", spy)
    assert rows_for(BuiltIn(), [], some).shape == (0, encoder.dimensions)
    assert (rows_for(BuiltIn(), some.documents[:2], some) == expected[:2]).all()
    assert (rows_for(BuiltIn(), some.documents, some) == expected).all()
    assert read == ["kiln", "wax", "loom"]
