"""Compressed vectors: what each code keeps, what its score is the sum of, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from night import NIGHT, spread

from lab.algebra import Corpus, Document, Runner
from lab.contracts import checks
from lab.contracts.specimens import random_cases
from lab.corpus import samples
from lab.errors import ParameterError
from lab.evaluate.runs import run_many
from lab.footprint import footprint
from lab.models.embedders import vectors_of
from lab.models.lsa import LSA
from lab.numeric import k_means, nearest, unit
from lab.retrieve.vector import Vector
from lab_packs.inside import compressed as module
from lab_packs.inside.codes import LEAST, Product, Signs, Steps, centres_for
from lab_packs.inside.compressed import BY_CODE, CORRECTED, EXACT, KINDS, Compressed, divisors

DEVICES = samples.load("devices")
QUESTION = "battery does not charge"
ALL = [Compressed(kind=kind, rescore=rescore) for kind in KINDS for rescore in (0, 20)]


def vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, d)))


@pytest.mark.parametrize("operator", spread(ALL, 4), ids=lambda o: f"{o.kind}-{o.rescore}")
def test_every_kind_keeps_to_the_laws_with_and_without_rescoring(operator: Compressed) -> None:
    laws = [law for name, law in checks.RETRIEVER.items() if "shorter list" not in name or not operator.rescore]
    for case in random_cases(12 if NIGHT else 3, seed=3):
        for law in laws:
            law(operator, case)


@pytest.mark.parametrize("kind", KINDS)
def test_the_score_is_what_numpy_computes_from_the_decoded_vector(kind: str) -> None:
    index = Compressed(kind=kind, n=100, bytes=16).index(DEVICES.corpus)
    coder, codes = index.coded.coder, index.coded.codes
    assert coder is not None
    query = index.query_vector(QUESTION)
    decoded = coder.decode(codes)
    if kind == "first":
        expected = unit(decoded[:, :100]) @ unit(query[None, :100])[0]
    elif isinstance(coder, Signs):
        asked = coder.rotation @ query
        both = np.sign(coder.rotation @ (query - coder.mean))
        expected = (decoded == both).mean(axis=1) if coder.both else decoded @ asked / (16 * np.linalg.norm(asked))
    else:
        expected = unit(decoded) @ query
    assert coder.scores(codes, query) == pytest.approx(expected, abs=1e-6)  # float32 in the first dimensions
    ranking = index.search(QUESTION, k=len(DEVICES.corpus))
    first = int(np.argmax(expected))
    assert ranking.hits[0].document == DEVICES.corpus.documents[first]


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_beside_its_code_sums_to_the_cosine_and_to_the_score(kind: str) -> None:
    index = Compressed(kind=kind).index(DEVICES.corpus)
    exact = Vector(pieces="whole").index(DEVICES.corpus).search(QUESTION)
    for hit in index.search(QUESTION).hits[:20]:
        seen = index.see(QUESTION, hit.document)
        assert seen is not None
        assert seen.coded.sum() == pytest.approx(hit.score, abs=1e-6)
        cosine = exact.hit(hit.document.id)
        if cosine is not None:
            assert seen.exact.sum() == pytest.approx(cosine.score, abs=1e-6)


@pytest.mark.parametrize("kind", ["first", "int8", "pq"])
def test_a_score_is_the_cosine_of_the_full_vectors_and_what_rounding_changes(kind: str) -> None:
    exact = Vector(pieces="whole").index(DEVICES.corpus).search(QUESTION, k=193)
    for hit in Compressed(kind=kind).index(DEVICES.corpus).search(QUESTION).hits[:10]:
        parts = {c.source: c.value for c in hit.why}
        whole = exact.hit(hit.document.id)
        assert whole is not None
        assert parts[EXACT] == whole.score
        assert sum(parts.values()) == pytest.approx(hit.score, abs=1e-12)


def test_rescoring_gives_the_exact_scores_and_ends_the_list() -> None:
    exact = Vector(pieces="whole").index(DEVICES.corpus).search(QUESTION, k=193)
    by_code = Compressed(kind="hamming").index(DEVICES.corpus).search(QUESTION, k=20)
    index = Compressed(kind="hamming", rescore=20).index(DEVICES.corpus)
    ranking = index.search(QUESTION)
    assert set(ranking.ids) == set(by_code.ids)
    for hit in ranking:
        whole, coded = exact.hit(hit.document.id), by_code.hit(hit.document.id)
        assert whole is not None
        assert coded is not None
        assert hit.score == whole.score
        assert [(c.source, c.value) for c in hit.why] == [(BY_CODE, coded.score), (CORRECTED, hit.score - coded.score)]
    left = next(h.document for h in exact if h.document.id not in by_code.ids)
    assert "rescoring ends at rank 20" in index.missing(QUESTION, left)
    assert index.missing(QUESTION, ranking.hits[0].document) == ""


def test_with_all_candidates_rescored_the_list_is_the_exact_one() -> None:
    exact = Vector(pieces="whole")
    for kind in KINDS:
        own = Compressed(kind=kind, rescore=1000)
        for query in DEVICES.queries[:10]:
            runner = Runner(DEVICES.corpus)
            assert [h.document.id for h in runner(own, query, 50)] == runner(exact, query, 50).ids


def test_bytes_are_those_of_the_codes() -> None:
    sizes = {kind: Compressed(kind=kind, n=64, bytes=32).index(DEVICES.corpus) for kind in KINDS}
    expected = {"first": 4 * 64, "int8": 256, "binary": 256 // 8, "hamming": 256 // 8, "pq": 32}
    for kind, index in sizes.items():
        assert index.sizes.bytes == expected[kind]
        assert index.coded.codes.nbytes == expected[kind] * len(DEVICES.corpus)
        assert index.sizes.full == 4 * 256
        assert len(index.sizes.code(DEVICES.corpus.documents[0])) == index.coded.codes.shape[1]


def test_steps_are_whole_and_no_number_is_wrong_by_more_than_half_of_one() -> None:
    rows = vectors(50, 12)
    coder = Steps.of(np.abs(rows).max(axis=0))
    codes = coder.encode(rows)
    assert codes.dtype == np.int8
    assert np.abs(codes).max() == 127
    assert (np.abs(coder.decode(codes) - rows) <= coder.steps / 2 + 1e-12).all()


def test_centres_are_at_most_a_quarter_of_the_vectors() -> None:
    assert [centres_for(n) for n in (1, 3, 15, 16, 20, 193, 20_000)] == [1, 3, LEAST, 4, 5, 193 // 4, 256]
    assert Compressed(kind="pq").index(DEVICES.corpus).sizes.centres == 193 // 4


def test_k_means_finds_groups_that_are_far_apart_and_needs_no_different_points() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.eye(5) * 10, 40, axis=0)
    points = groups + rng.normal(scale=0.1, size=groups.shape)
    centres = k_means(points, 20, np.random.default_rng(0))
    assert nearest(points, centres)[1].max() < 1
    equal = np.ones((8, 3))
    assert (k_means(equal, 4, rng) == 1).all()


def test_learning_tells_how_far_it_is_and_can_be_stopped() -> None:
    steps = list[tuple[int, int]]()

    def stop(done: int, total: int) -> None:
        steps.append((done, total))
        if done == 25:
            raise KeyboardInterrupt

    corpus = Corpus("fresh", DEVICES.corpus.documents)
    Vector(pieces="whole").index(corpus)
    with pytest.raises(KeyboardInterrupt):
        Compressed(kind="pq", bytes=4).index(corpus, progress=stop)
    assert steps[-1] == (25, 4 * 10)
    assert Compressed(kind="pq", bytes=4).index(corpus).search(QUESTION).hits


def test_a_large_corpus_is_learned_from_a_sample_and_coded_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab_packs.inside.compressed.LEARNED", 60)
    monkeypatch.setattr("lab_packs.inside.compressed.BLOCK", 50)
    corpus = Corpus("fresh", DEVICES.corpus.documents)
    index = Compressed(kind="pq").index(corpus)
    assert (index.sizes.learned, index.sizes.centres) == (60, 15)
    assert len(index.coded.codes) == len(corpus)
    assert index.coded.coder is not None
    again = index.coded.coder.encode(unit(vectors_of(Vector().embedder, corpus)))
    assert (index.coded.codes == again).all()


def test_codes_are_kept_with_the_corpus_and_given_back_with_it() -> None:
    corpus = Corpus("fresh", DEVICES.corpus.documents)
    Vector(pieces="whole").index(corpus)
    before = corpus.bytes
    first = Compressed(kind="pq").index(corpus)
    grown = corpus.bytes - before
    assert grown >= first.coded.codes.nbytes
    assert Compressed(kind="pq", rescore=50).index(corpus).coded is first.coded, "rescoring needs no other codes"
    assert Compressed(kind="binary").index(corpus).coded.codes is Compressed(kind="hamming").index(corpus).coded.codes
    corpus.forget()
    assert corpus.bytes < before
    assert footprint(first.coded) >= first.coded.codes.nbytes


@pytest.mark.parametrize(
    ("operator", "message", "remedy"),
    [
        (
            Compressed(kind="first", n=300),
            "n is 300, but Built-in bilingual has fewer dimensions: 256.",
            "Possible: 1 to 256.",
        ),
        (
            Compressed(kind="pq", bytes=30),
            "bytes is 30, but must divide the number of",
            "1, 2, 4, 8, 16, 32, 64, 128, 256.",
        ),
        (
            Compressed(kind="pq", bytes=512),
            "bytes is 512, but must divide the number of",
            "1, 2, 4, 8, 16, 32, 64, 128, 256",
        ),
        (
            Compressed(LSA(size=12), kind="pq", bytes=5),
            "bytes is 5, but must divide the number of dimensions of LSA-12, 12.",
            "1, 2, 3, 4, 6, 12.",
        ),
    ],
)
def test_what_cannot_be_had_is_refused_with_what_can(operator: Compressed, message: str, remedy: str) -> None:
    with pytest.raises(ParameterError) as error:
        operator.index(DEVICES.corpus)
    assert message in str(error.value.message)
    assert remedy in str(error.value.remedy)


@pytest.mark.parametrize("wrong", [{"kind": "float16"}, {"n": 0}, {"bytes": 0}, {"rescore": 1001}, {"seed": -1}])
def test_parameters_outside_their_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Compressed(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_passages_without_a_vector_are_no_part_of_it(kind: str) -> None:
    texts = ("battery charge", "\u2603", "warranty", "", "battery")
    corpus = Corpus("few", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    index = Compressed(kind=kind).index(corpus)
    assert set(index.search("battery").ids) <= {"d0", "d2", "d4"}
    assert index.sizes.code(corpus.documents[3]) == ()
    assert index.see("battery", corpus.documents[3]) is None
    assert "no word of this passage" in index.missing("battery", corpus.documents[3])
    assert Compressed(kind=kind).index(Corpus("none", (Document("a", ""),))).search("battery").hits == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rescore", [0, 3, 6])
@pytest.mark.parametrize("question", ["battery", "router cable", "refund"])
def test_a_passage_that_is_not_in_the_list_has_a_reason_and_one_that_is_has_none(
    kind: str, rescore: int, question: str
) -> None:
    texts = ("battery charge", "battery cold", "router reset", "router cable", "refund form", "refund days")
    corpus = Corpus("apart", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    search = Compressed(LSA(size=4), kind=kind, n=4, bytes=4, rescore=rescore)
    index = search.index(corpus)
    found = index.search(question, k=len(corpus)).ids
    assert {d.id: not index.missing(question, d) for d in corpus} == {d.id: d.id in found for d in corpus}


def test_divisors_are_all_whole_divisors() -> None:
    assert divisors(12) == (1, 2, 3, 4, 6, 12)
    assert divisors(7) == (1, 7)


def test_more_bytes_find_more_of_the_exact_list() -> None:
    exact = Vector(pieces="whole")
    own = {str(m): Compressed(kind="pq", bytes=m) for m in (8, 32, 128)}
    runs = run_many({"exact": exact, **own}, DEVICES.corpus, DEVICES.queries[:40], k=10)
    found = []
    for name in own:
        pairs = [(runs["exact"].results[q.id], runs[name].results[q.id]) for q in DEVICES.queries[:40]]
        found.append(sum(len({d for d, _ in a} & {d for d, _ in b}) for a, b in pairs))
    assert found == sorted(found)
    assert found[0] < found[2]


def test_centres_that_are_given_are_used_as_they_are() -> None:
    centres = np.array([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, -1.0]]])
    coder = Product(centres)
    rows = unit(np.array([[0.9, 0.1, 0.0, -0.8], [0.1, 0.0, 0.2, 0.9]]))
    assert coder.encode(rows).tolist() == [[1, 1], [0, 0]]
    assert coder.decode(coder.encode(rows)).tolist() == [[1, 0, 0, -1], [0, 0, 0, 1]]


@pytest.mark.parametrize("rescore", [0, 30])
def test_the_quick_pass_over_int8_changes_no_list(rescore: int, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Compressed(kind="int8", rescore=rescore).index(DEVICES.corpus)
    some = np.arange(len(DEVICES.corpus)) % 3 > 0
    for query in DEVICES.queries[:8]:
        monkeypatch.setattr(module, "FEW", 10_000)
        slow = [searched.search(query, k=k) for searched in (index, index.within(some)) for k in (1, 10, 40)]
        monkeypatch.setattr(module, "FEW", 0)
        quick = [searched.search(query, k=k) for searched in (index, index.within(some)) for k in (1, 10, 40)]
        assert [[(h.document.id, h.score) for h in x] for x in quick] == [
            [(h.document.id, h.score) for h in x] for x in slow
        ]
        assert [x.asked for x in quick] == [x.asked for x in slow]
