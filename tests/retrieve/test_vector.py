"""Exact search against brute force, ties of equal documents, and the cosine as a sum of pairs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from night import spread

from lab.algebra import Corpus, Document, Progress, best_first, tie_key
from lab.models import rows as kept
from lab.models.embedders import Embedder, Encoder, Vectors, encoder_of, vectors_of
from lab.models.lsa import LSA
from lab.models.pieces import spans_of
from lab.models.rows import Rows, rows_of
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.retrieve import vector as module
from lab.retrieve.vector import SPACES, STRONGEST, Compared, Vector


@dataclass(frozen=True)
class Told(Embedder):
    """The vectors that the texts spell out: ``"1 2 3"``, times ``scale``."""

    scale: float = 1.0

    def fit(self, corpus: Corpus) -> Encoder:
        return _Told(self.scale)


class _Told(Encoder):
    def __init__(self, scale: float) -> None:
        self.scale = scale

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        return np.array([np.fromstring(t, sep=" ") * self.scale for t in texts], dtype=np.float32)


def spelled(rows: np.ndarray) -> Corpus:
    return Corpus("vectors", tuple(Document(str(i), " ".join(map(repr, row.tolist()))) for i, row in enumerate(rows)))


def score(rows: np.ndarray, query: np.ndarray, space: str) -> np.ndarray:
    """The definition, in float64, one document at a time."""
    rows, query = rows.astype(np.float32).astype(float), query.astype(np.float32).astype(float)
    if space == "cosine":
        return np.array([r @ query / (np.linalg.norm(r) * np.linalg.norm(query) or 1) for r in rows])
    if space == "ip":
        return np.array([r @ query for r in rows])
    return np.array([1 / (1 + ((r - query) ** 2).sum()) for r in rows])


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3], ids=["short", "middle", "long"])
@pytest.mark.parametrize("shift", spread([0.0, 5.0], 1), ids=["spread", "in one corner"])
def test_exact_search_is_brute_force_above_the_size_of_the_quick_pass(space: str, scale: float, shift: float) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(1500, 12)) + shift
    rows[700] = 0  # one document without a direction
    index = Vector(Told(scale), space=space).index(spelled(rows))
    for query in (rng.normal(size=12) + shift, 2 * rows[40], rows[1200]):
        text = " ".join(map(repr, query.tolist()))
        expected = score(rows * scale, query * scale, space)
        expected[700] = -np.inf  # it is not found
        for k in (1, 10, 100):
            ranking = index.search(text, k=k)
            places = [int(h.document.id) for h in ranking]
            assert len(places) == k
            assert [h.score for h in ranking] == pytest.approx(expected[places].tolist(), rel=1e-9, abs=1e-12)
            assert min(expected[places]) >= np.sort(expected)[-k] * (1 - 1e-9 * np.sign(np.sort(expected)[-k]))
            assert places == sorted(places, key=lambda i: (-ranking.hits[places.index(i)].score, tie_key(str(i))))


@pytest.mark.parametrize("space", spread(SPACES, 1))
def test_differences_that_float32_cannot_see_decide(space: str) -> None:
    rng = np.random.default_rng(5)
    rows = np.ones((2000, 64)) + rng.normal(size=(2000, 64)) * 2e-4
    query = np.ones(64)
    expected = score(rows, query, space)
    ranking = Vector(Told(), space=space).index(spelled(rows)).search(" ".join(["1.0"] * 64), k=10)
    assert [h.document.id for h in ranking] == [str(i) for i in np.argsort(-expected)[:10]]
    if space == "cosine":  # the case is what it is said to be
        assert len(set(np.sort(expected)[-10:].astype(np.float32).tolist())) < 10


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("size", [60, 3000], ids=["small", "above the quick pass"])
def test_equal_documents_tie_exactly_wherever_they_stand(space: str, size: int) -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(size, 37))
    copies = sorted(rng.choice(size, 20, replace=False).tolist())
    rows[copies] = rows[copies[0]]
    index = Vector(Told(), space=space).index(spelled(rows))
    near = " ".join(map(repr, (rows[copies[0]] + 0.01).tolist()))
    for k in (5, 20, 40):
        ranking = index.search(near, k=k)
        top = [h for h in ranking if int(h.document.id) in copies]
        assert [h.document.id for h in top] == sorted(map(str, copies), key=tie_key)[:k]
        assert len({h.score for h in top}) == 1


@pytest.mark.parametrize("space", SPACES)
def test_equal_texts_tie_exactly_with_the_built_in_model(space: str) -> None:
    texts = [f"耳机 {i} battery {i * 7 % 13}" for i in range(700)]
    for i in range(5, 700, 90):
        texts[i] = "充电盒的灯闪烁红色 charging case blinks red"
    ranking = (
        Vector(space=space)
        .index(Corpus("c", tuple(Document(str(i), t) for i, t in enumerate(texts))))
        .search("充电盒 blinks", k=30)
    )
    same = [h for h in ranking if h.document.text.startswith("充电盒的灯")]
    assert [h.document.id for h in same] == sorted(map(str, range(5, 700, 90)), key=tie_key)
    assert len({h.score for h in same}) == 1


def test_scores_are_named_after_what_they_are() -> None:
    rows = np.array([[3.0, 4.0], [1.0, 0.0]])
    query = "2.0 0.0"
    cosine, ip, l2 = (
        {h.document.id: h.score for h in Vector(Told(), space=s).index(spelled(rows)).search(query)}
        for s in ("cosine", "ip", "l2")
    )
    assert cosine == pytest.approx({"1": 1.0, "0": 3 / 5})
    assert ip == pytest.approx({"0": 2 * 3, "1": 2 * 1})
    assert l2 == pytest.approx({"1": 1 / (1 + (2 - 1) ** 2), "0": 1 / (1 + (2 - 3) ** 2 + (0 - 4) ** 2)})


def test_a_document_against_the_query_is_a_hit_and_one_at_right_angles_is_not() -> None:
    rows = np.array([[0.0, 1.0], [-1.0, 0.0], [1.0, 0.0]])
    ranking = Vector(Told()).index(spelled(rows)).search("5.0 0.0")
    assert [(h.document.id, h.score) for h in ranking] == [("2", 1.0), ("1", -1.0)]


def test_a_query_without_a_direction_finds_nothing() -> None:
    rows = np.ones((3, 2))
    for space in SPACES:
        assert Vector(Told(), space=space).index(spelled(rows)).search("0 0").hits == ()


@pytest.mark.parametrize("space", SPACES)
def test_a_document_without_a_known_sign_is_found_in_no_space(space: str) -> None:
    corpus = Corpus("c", tuple(Document(t or "nothing", t) for t in ("", "🙂", "手机电池", "headphones")))
    assert set(Vector(space=space).index(corpus).search("电").ids) == {"手机电池", "headphones"}


# ---------------------------------------------------------------------------------------------------- why

DEVICES = Corpus(
    "devices",
    (
        Document("red", "充电盒的灯闪烁红色时请联系售后", "指示灯"),
        Document("reset", "Hold the power button for seven seconds to reset the headphones."),
        Document("word", "耳机"),
    ),
)


def test_the_strongest_pairs_are_named_and_the_rest_is_one_addend() -> None:
    index = Vector(pieces="whole").index(DEVICES)
    for query in ("headphones light blinks red", "耳机", "耳机 reset"):
        for hit in index.search(query):
            named = hit.why[:STRONGEST]
            q, d, table = index.encoder.pairs(query, hit.document.content)  # type: ignore[attr-defined]
            assert sum(c.value for c in hit.why) == pytest.approx(hit.score, rel=1e-12)
            assert len(hit.why) == min(table.size, STRONGEST + 1)
            if table.size > STRONGEST:
                n = table.size - STRONGEST
                assert hit.why[-1].source == ("1 other pair" if n == 1 else f"{n} other pairs")
            strongest = sorted(np.abs(table).ravel(), reverse=True)[: len(named)]
            assert [abs(c.value) for c in named] == pytest.approx(strongest, abs=1e-6)
            for c in named:
                left, right = c.source.split(" × ")
                assert c.value == pytest.approx(table[q.index(left), d.index(right)], abs=1e-6)


@pytest.mark.parametrize("space", ["ip", "l2"])
def test_only_the_cosine_is_told_as_a_sum(space: str) -> None:
    assert all(h.why == () for h in Vector(space=space).index(DEVICES).search("耳机 reset"))


def test_vectors_are_made_once_for_all_spaces_and_report_progress() -> None:
    own = Corpus("own", DEVICES.documents)
    reports = list[tuple[int, int]]()
    Vector().index(own, progress=lambda done, total: reports.append((done, total)))
    sentences = 2 + 1 + 1  # a title is one as well
    assert reports == [(3, 3), (sentences, sentences)]
    Vector(space="l2").index(own, progress=lambda done, total: reports.append((done, total)))
    sentences = 2 + 1 + 1  # a title is one as well
    assert reports == [(3, 3), (sentences, sentences)]
    assert vectors_of(BuiltIn(), own) is vectors_of(BuiltIn(), own)


def test_work_that_is_stopped_leaves_nothing_behind() -> None:
    own = Corpus("own", DEVICES.documents)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Vector().index(own, progress=stop)
    assert len(Vector().index(own).search("耳机")) == 3


def test_the_addends_of_every_hit_are_its_cosine_on_random_texts() -> None:
    rng = random.Random(7)
    words = [
        *["耳机", "充电", "年假", "报销", "的", "电池", "蓝牙", "无法连接", "售后", "，", "。", "😀", "𠮷"],
        *["headphones", "battery", "WH-1000XM5", "the", "of", "charging", "v2.1", "E21", "!"],
    ]

    def made_up() -> str:
        return rng.choice(["", " "]).join(rng.choices(words, k=rng.randint(1, 40)))

    corpus = Corpus("random", tuple(Document(str(i), made_up()) for i in range(50)))
    index, pairs = Vector(pieces="whole").index(corpus), 0
    for query in (made_up() for _ in range(14)):
        theirs = index.encoder.model.encode([query, *(d.text for d in corpus)]).astype(float)  # type: ignore[attr-defined]
        cosines = unit(theirs[1:]) @ unit(theirs[:1])[0]
        for hit in index.search(query):
            assert abs(sum(c.value for c in hit.why) - hit.score) <= 1e-12
            assert abs(hit.score - cosines[int(hit.document.id)]) <= 1e-6
            pairs += 1
    assert pairs >= 500


# ------------------------------------------------------------------------------------------ best sentences


def passages(n: int, seed: int = 11) -> Corpus:
    """Passages of one to five sentences, some with titles; every tenth is the same one."""
    rng = random.Random(seed)
    words = ["耳机", "充电盒", "红灯", "年假", "报销", "battery", "headphones", "refund", "noise", "reset", "button"]

    def sentence() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 6))) + rng.choice("。!?")

    def document(i: int) -> Document:
        text = "".join(sentence() for _ in range(rng.randint(1, 5)))
        return Document(
            str(i), text if i % 10 else "The red light means that it charges. 年假十天。", "灯" * (i % 3 == 1)
        )

    return Corpus("passages", tuple(document(i) for i in range(n)))


PASSAGES = passages(700)


def by_hand(embedder: Embedder, corpus: Corpus, query: str, pieces: str) -> list[float]:
    """The definition, one document and one sentence at a time."""
    encoder = encoder_of(embedder, corpus)
    asked = unit(encoder.queries([query]))[0]
    texts = [[d.content, *(d.content[a:b] for a, b in spans_of(d))] for d in corpus]
    cosines = iter((unit(encoder.documents([text for own in texts for text in own])) @ asked).tolist())
    out = []
    for own in texts:
        whole, *sentences = [next(cosines) for _ in own]
        out.append({"best": max(sentences), "best+whole": (max(sentences) + whole) / 2}[pieces])
    return out


@pytest.mark.parametrize(
    ("pieces", "embedder", "few"),
    spread(
        [
            *(("best", BuiltIn(), 50_000), ("best", BuiltIn(), 0), ("best+whole", BuiltIn(), 50_000)),
            *(("best+whole", BuiltIn(), 0), ("best+whole", LSA(8), 0)),
        ],
        2,
    ),
    ids=["best, float32", "best, two bytes", "both, float32", "both, two bytes", "both, LSA"],
)
def test_the_best_sentence_counts_alone_or_beside_the_whole(
    pieces: str, embedder: Embedder, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.models.rows.FEW", few)
    monkeypatch.setattr("lab.models.pieces.FEW", few)
    corpus = Corpus("own", PASSAGES.documents)
    for query in ("red light", "how do I reset the 年假"):
        true = np.array(by_hand(embedder, corpus, query, pieces))
        ranking = Vector(embedder, pieces=pieces).index(corpus).search(query, k=25)
        places = [int(h.document.id) for h in ranking]
        assert [h.score for h in ranking] == pytest.approx(true[places].tolist(), abs=1e-6)
        assert min(true[places]) >= np.sort(true)[-25] - 1e-6
        assert places == sorted(places, key=lambda i: (-ranking.hits[places.index(i)].score, tie_key(str(i))))
        told = ranking.evidence
        assert isinstance(told, Compared)
        for h in ranking:
            best, whole = told.best[h.document.id], told.whole[h.document.id]
            assert h.score == pytest.approx(best if pieces == "best" else (best + whole) / 2, abs=1e-11)
            assert told.spans[h.document.id] in spans_of(h.document)
        assert told.note == ""


def test_both_halves_are_named_and_the_sentence_is_in_the_evidence() -> None:
    own = Corpus(
        "own", (Document("a", "年假十天。The red light means that it charges.", "指示灯"), Document("b", "报销"))
    )
    ranking = Vector(pieces="best+whole").index(own).search("what does red light mean")
    first = ranking.hits[0]
    a, b = ranking.evidence.spans["a"]
    assert first.document.content[a:b] == "The red light means that it charges."
    halves = {"best sentence: ": ranking.evidence.best["a"] / 2, "whole passage: ": ranking.evidence.whole["a"] / 2}
    for half, value in halves.items():
        assert sum(c.value for c in first.why if c.source.startswith(half)) == pytest.approx(value, abs=1e-9)
    assert all(c.source.startswith(tuple(halves)) for c in first.why)
    assert any(c.source == "best sentence: red × red" for c in first.why)
    plain = Vector(LSA(2), pieces="best+whole").index(own).search("red light").hits[0]
    assert [c.source for c in plain.why] == ["best sentence", "whole passage"]
    assert sum(c.value for c in plain.why) == pytest.approx(plain.score, rel=1e-12)


@pytest.mark.parametrize("space", ["ip", "l2"])
def test_other_spaces_compare_the_whole(space: str) -> None:
    whole = Vector(space=space, pieces="whole").index(PASSAGES).search("red light", k=10)
    both = Vector(space=space, pieces="best+whole").index(PASSAGES).search("red light", k=10)
    assert [(h.document.id, h.score) for h in both] == [(h.document.id, h.score) for h in whole]


def test_in_a_large_corpus_sentences_are_compared_for_the_nearest_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MANY", 600)
    monkeypatch.setattr(module, "CANDIDATES", 60)
    corpus = Corpus("own", PASSAGES.documents)
    ranking = Vector(pieces="best+whole").index(corpus).search("how do I reset the button", k=10)
    nearest = Vector(pieces="whole").index(corpus).search("how do I reset the button", k=60)
    all_of_them = Vector(pieces="best+whole").index(PASSAGES).search("how do I reset the button", k=len(PASSAGES))
    assert set(ranking.ids) <= set(nearest.ids)
    true = {h.document.id: h.score for h in all_of_them}
    assert {h.document.id: h.score for h in ranking} == {i: true[i] for i in ranking.ids}
    assert ranking.evidence.note.startswith("Sentences were compared only for the passages nearest as a whole: 6")
    assert "of 700" in ranking.evidence.note


@pytest.mark.parametrize("pieces", module.PIECES)
def test_a_score_is_the_product_of_the_query_and_the_row_that_is_compared(pieces: str) -> None:
    index = Vector(pieces=pieces).index(PASSAGES)
    vector = index.query_vector("reset the red light")
    for hit in index.nearest(vector, 5):
        assert float(index.row(hit.document, vector) @ vector) == pytest.approx(hit.score, abs=1e-7)


def test_an_index_keeps_its_sentences_whatever_else_the_corpus_has_to_keep() -> None:
    corpus = Corpus("own", PASSAGES.documents)
    index = Vector(pieces="best+whole").index(corpus)
    before = index.search("red light", k=10)
    for i in range(40):  # more than a corpus keeps
        corpus.once(i, object)
    assert index.search("red light", k=10) == before


# -------------------------------------------------------------------------------------------------- memory


def test_rows_of_two_bytes_are_as_near_as_they_say() -> None:
    encoder = encoder_of(BuiltIn(), PASSAGES)
    texts = [d.content for d in PASSAGES] + ["", "🙂"]
    rows = Rows.narrow(encoder, [texts[:300], texts[300:]], len(texts), None)
    true = unit(encoder.documents(texts))
    assert (rows.kept.dtype, rows.low.dtype) == (np.int8, np.uint8)
    places = np.arange(len(texts))
    off = np.linalg.norm(rows.numbers(places) * rows.steps[:, None].astype(float) - true, axis=1)
    assert off.max() <= rows.error * (1 + 1e-6)
    assert rows.error < 1e-4
    assert (rows.lengths[-2:] == 0).all()
    for query in ("red light", "年假"):
        asked = unit(encoder.queries([query]))[0]
        for chosen in (None, places):
            products, error = rows.near(asked, chosen)
            assert np.abs(products - true @ asked).max() <= error


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("scale", spread(module.SCALES, 1))
def test_the_lists_by_two_bytes_are_those_by_float32(space: str, scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus("own", PASSAGES.documents)
    operator = Vector(space=space, scale=scale)
    monkeypatch.setattr(kept, "FEW", 0)
    small = operator.index(corpus)
    monkeypatch.undo()
    wide = operator.index(PASSAGES)
    assert not small.rows.whole
    assert wide.rows.whole
    for query in ("red light", "年假 refund", "reset", "battery battery 充电盒"):
        for k in (1, 10, 90, 1000):
            one, other = small.search(query, k=k), wide.search(query, k=k)
            assert [(h.document.id, h.score) for h in one] == [(h.document.id, h.score) for h in other]


class _Quick(_Told):
    quick, dimensions = True, 9


@dataclass(frozen=True)
class Quick(Told):
    """As `Told`, and quick enough for rows of two bytes."""

    def fit(self, corpus: Corpus) -> Encoder:
        return _Quick(self.scale)


DRAW = np.random.default_rng(75)
NORMAL = DRAW.normal(size=(700, 9))
DRAWN = {
    "spread": NORMAL,
    "ties": NORMAL[DRAW.integers(0, 40, 700)],
    "zeros": NORMAL * (DRAW.random((700, 9)) < 0.3),
    "nearly tied": NORMAL[0] + 1e-5 * NORMAL,
    "one large number": NORMAL + 100 * np.eye(9)[4],
}


@pytest.mark.parametrize("rows", DRAWN.values(), ids=DRAWN)
@pytest.mark.parametrize("simd", [True, False], ids=["simd", "numpy"])
def test_a_scan_of_bytes_finds_the_list_of_all_rows(
    rows: np.ndarray, simd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not simd:
        monkeypatch.setattr(kept, "simsimd", None)
    elif kept.simsimd is None:
        pytest.skip("simsimd is not installed")
    monkeypatch.setattr(kept, "FEW", 0)
    corpus, every = spelled(rows), np.arange(700)
    for space in SPACES:
        index = Vector(Quick(), space=space, pieces="whole").index(corpus)
        assert not index.rows.whole
        for vector in (NORMAL[0], rows[3], -NORMAL[5], np.eye(9)[4]):
            asked = unit(vector[None])[0] if space == "cosine" else vector
            scores = index.scores(every, asked)
            order = [int(i) for i in best_first(scores, every, corpus) if scores[i] != 0]
            for k in (1, 10, 50):
                if space == "l2" or (scores > 0).sum() >= k:
                    assert [int(h.document.id) for h in index.nearest(asked, k)] == order[:k]


def test_bytes_at_their_limits_are_compared_without_overflow() -> None:
    for d in (1, 7, 64, 257, 4096):
        codes = np.random.default_rng(d).integers(-128, 128, (9, d)).astype(np.int8)
        codes[0], codes[1], codes[2] = -128, 127, 0
        for vector in (np.ones(d), -np.ones(d), np.zeros(d)):
            products, compared = kept.scan(codes, vector)
            assert products == pytest.approx(codes.astype(float) @ compared, rel=1e-6)


def test_a_large_corpus_takes_two_bytes_a_number_and_a_small_one_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows_of(BuiltIn(), PASSAGES).kept is vectors_of(BuiltIn(), PASSAGES)
    monkeypatch.setattr(kept, "FEW", 100)
    monkeypatch.setattr(kept, "AT_ONCE", 256)
    corpus, reports = Corpus("own", PASSAGES.documents), list[tuple[int, int]]()
    index = Vector(pieces="whole").index(corpus, progress=lambda done, total: reports.append((done, total)))
    assert reports == [(256, 700), (512, 700), (700, 700)]
    assert index.rows.kept.nbytes + index.rows.low.nbytes == 2 * 700 * 256
    assert not corpus.holds(("vectors", BuiltIn()))
    assert rows_of(LSA(4), corpus).whole, "what is dear to embed is kept as it is"
