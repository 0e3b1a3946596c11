"""Codes of vectors against faiss: product quantisation, Hamming distances, and lists from centres of one's own."""

from __future__ import annotations

import faiss
import numpy as np
import pytest
from night import seeds, spread

from lab.numeric import unit
from lab_packs.inside.codes import Product, Signs, Steps


def clustered(n: int, d: int, seed: int) -> np.ndarray:
    """Vectors of length 1 around some centres, as embeddings lie."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(20, d))
    rows = centres[rng.integers(20, size=n)] + rng.normal(scale=0.7, size=(n, d))
    return unit(rows.astype(np.float32))


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize(("d", "parts"), spread([(64, 8), (48, 16), (256, 32)], 1))
def test_codes_and_decoded_vectors_are_those_of_faiss_with_its_centres(d: int, parts: int, seed: int) -> None:
    rows = clustered(600, d, seed)
    quantiser = faiss.ProductQuantizer(d, parts, 8)
    quantiser.train(np.vstack([rows] * 5).astype(np.float32))  # faiss wants more points than centres
    centres = faiss.vector_to_array(quantiser.centroids).reshape(parts, 256, d // parts)
    coder = Product(centres.astype(np.float64))
    theirs = quantiser.compute_codes(rows.astype(np.float32))
    ours = coder.encode(rows)
    apart = np.argwhere(ours != theirs)
    for row, part in apart:  # faiss reckons in float32: only where two centres are as near
        piece = rows[row].reshape(parts, -1)[part]
        near = [((piece - centres[part, c]) ** 2).sum() for c in (ours[row, part], theirs[row, part])]
        assert near[0] == pytest.approx(near[1], abs=1e-6)
    assert len(apart) <= 0.001 * ours.size
    assert coder.decode(theirs) == pytest.approx(quantiser.decode(theirs), abs=1e-7)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("d", [24, 64, 256])
def test_hamming_distances_are_those_of_faiss(d: int, seed: int) -> None:
    rows, questions = clustered(400, d, seed), clustered(20, d, seed + 100)
    coder = Signs.of(rows.mean(axis=0), seed)
    codes = coder.encode(rows)
    index = faiss.IndexBinaryFlat(d)
    index.add(codes)
    distances, places = index.search(coder.encode(questions), len(rows))
    for question, theirs, order in zip(questions, distances, places, strict=True):
        assert (coder.distances(codes, question)[order] == theirs).all()


@pytest.mark.parametrize("seed", seeds(3))
def test_int8_is_what_numpy_makes_of_the_formula(seed: int) -> None:
    rows, (question,) = clustered(300, 32, seed), clustered(1, 32, seed + 7)
    step = np.abs(rows).max(axis=0) / 127
    codes = np.round(rows / step).astype(int)
    coder = Steps.of(np.abs(rows).max(axis=0))
    assert (coder.encode(rows) == codes).all()
    back = codes * step
    expected = back @ question / np.linalg.norm(back, axis=1) / np.linalg.norm(question)
    assert coder.scores(coder.encode(rows), question) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.nightly
def test_lists_from_our_own_centres_are_as_near_to_the_exact_ones_as_those_from_faiss(seed: int) -> None:
    rows, questions = clustered(3000, 64, seed), clustered(100, 64, seed + 50)
    own = Product.learned(rows, 16, seed)
    quantiser = faiss.ProductQuantizer(64, 16, 8)
    quantiser.cp.seed = seed + 1
    quantiser.train(rows.astype(np.float32))
    theirs = Product(faiss.vector_to_array(quantiser.centroids).reshape(16, 256, 4).astype(np.float64))

    def recall(coder: Product) -> float:
        codes, found = coder.encode(rows), 0
        for question in questions:
            exact = set(np.argsort(-(rows @ question), kind="stable")[:10].tolist())
            found += len(exact & set(np.argsort(-coder.scores(codes, question), kind="stable")[:10].tolist()))
        return found / (10 * len(questions))

    assert recall(own) >= recall(theirs) - 0.02
