"""Documents as points on a plane: two dimensions of many, by PCA or t-SNE.

A map shows neighbourhoods, not scores: PCA keeps the two directions in which the vectors differ most, t-SNE
keeps neighbours together and lets distances go.

Sources: scikit-learn's ``PCA`` and ``TSNE``; L. van der Maaten and G. Hinton, *Visualizing Data using t-SNE*, 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.algebra import one_of
from lab.numeric import Floats, unit

METHODS = ("pca", "t-sne")
FEWEST = 5
"""With fewer points t-SNE has no neighbourhoods to keep, and PCA is used instead."""


def project(vectors: NDArray[Any], method: str = "pca", *, seed: int = 0) -> Floats:
    """Returns the rows of ``vectors``, shape [n, d], as points on a plane, shape [n, 2].

    Rows are brought to length 1 first, so that near means a large cosine.  Equal inputs give equal maps.
    Raises `ParameterError` for an unknown method.
    """
    return _points(vectors, len(vectors), method, seed)


def with_query(vectors: NDArray[Any], query: NDArray[Any], method: str = "pca") -> tuple[Floats, Floats]:
    """Returns the documents, [n, 2], and the query, [2], on one map.

    PCA takes its directions from the documents alone, so that the map stays still while the query changes;
    t-SNE places all of them jointly.
    """
    points = _points(np.vstack([vectors, query]), len(vectors), method, 0)
    return points[:-1], points[-1]


def _points(vectors: NDArray[Any], known: int, method: str, seed: int) -> Floats:
    """Returns the rows on a plane; PCA learns from the first ``known`` of them."""
    one_of("method", method, METHODS)
    rows = unit(vectors)
    if method == "t-sne" and len(np.unique(rows, axis=0)) >= FEWEST:
        return _tsne(rows, seed)
    points, size = np.zeros((len(rows), 2)), min(2, *rows[:known].shape)
    if size and known > 1:
        points[:, :size] = _pca(size, rows[:known], rows)
    return points


def _pca(size: int, known: Floats, rows: Floats) -> Floats:
    """Returns rows in the directions in which the known ones differ most, [n, size]; signs as scikit-learn's.

    Importing scikit-learn for it takes a second and 75 MB.
    """
    mean = known.mean(axis=0)
    centred = known - mean
    if min(known.shape) < 500 or len(known) <= known.shape[1]:
        directions = np.linalg.svd(centred, full_matrices=False)[2][:size]
    else:
        directions = np.linalg.eigh(centred.T @ centred)[1].T[::-1][:size]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return np.asarray((rows - mean) @ (directions * np.sign(largest)).T)


def _tsne(rows: Floats, seed: int) -> Floats:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

    # at most a third of the points are neighbours: of a handful of points, the usual 30 would be all of them
    perplexity = min(30.0, max(2.0, (len(rows) - 1) / 3))
    if min(rows.shape) > 50:  # the first fifty directions: what t-SNE is usually given, and faster
        rows = _pca(50, rows, rows)
    with threadpool_limits(1):  # threads that wait for each other on a busy machine take seconds for a few points
        points = TSNE(2, perplexity=perplexity, init="pca", random_state=seed, n_jobs=1).fit_transform(rows)
    return np.asarray(points, dtype=np.float64)
