"""Documents as points on a plane: two dimensions of many, by PCA or t-SNE.

A map shows neighbourhoods, not scores: PCA keeps the two directions in which the vectors differ most, t-SNE
keeps neighbours together and lets distances go.

Sources: scikit-learn's ``PCA`` and ``TSNE``; L. van der Maaten and G. Hinton, *Visualizing Data using t-SNE*, 2008.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.core import one_of
from lab.numeric import unit

METHODS = ("pca", "t-sne")
FEWEST = 5
"""With fewer points t-SNE has no neighbourhoods to keep, and PCA takes its place."""


def project(vectors: NDArray[Any], method: str = "pca", *, seed: int = 0) -> NDArray[np.float64]:
    """The rows of ``vectors``, shape [n, d], as points on a plane, shape [n, 2].

    Rows are brought to length 1 first, so that near means a large cosine.  Equal inputs give equal maps.
    Give the query as one more row: t-SNE can place it only together with the documents (`with_query`).
    Raises `ParameterError` for an unknown method.
    """
    one_of("method", method, METHODS)
    rows = unit(np.asarray(vectors))
    if method == "t-sne" and len(np.unique(rows, axis=0)) >= FEWEST:
        return _tsne(rows, seed)
    return _pca(rows)


def with_query(
    vectors: NDArray[Any], query: NDArray[Any], method: str = "pca", *, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The documents, [n, 2], and the query, [2], on one map.

    PCA takes its directions from the documents alone, so that the map stays still while the query changes;
    t-SNE places all of them jointly.
    """
    one_of("method", method, METHODS)
    both = np.vstack([np.asarray(vectors), np.asarray(query)[None]])
    if method == "t-sne":
        points = project(both, method, seed=seed)
    else:
        rows = unit(both)
        points = _pca(rows, learn_from=rows[:-1])
    return points[:-1], points[-1]


def _pca(rows: NDArray[np.float64], learn_from: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    from sklearn.decomposition import PCA

    known = rows if learn_from is None else learn_from
    size = min(2, *known.shape)
    out = np.zeros((len(rows), 2))
    if size and len(known) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # all points equal: no variance to explain
            out[:, :size] = (
                PCA(size, svd_solver="full" if min(known.shape) < 500 else "covariance_eigh").fit(known).transform(rows)
            )
    return out


def _tsne(rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # comes with scikit-learn

    # each point looks at its nearest third at most: on a handful of points the usual 30 would be everybody
    perplexity = min(30.0, max(2.0, (len(rows) - 1) / 3))
    small = _fifty(rows)
    with threadpool_limits(1):  # threads that wait for each other on a busy machine take seconds for a few points
        points = TSNE(2, perplexity=perplexity, init="pca", random_state=seed, n_jobs=1).fit_transform(small)
    return np.asarray(points, dtype=np.float64)


def _fifty(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first fifty directions: what t-SNE is usually given, and faster."""
    if min(rows.shape) <= 50:
        return rows
    from sklearn.decomposition import PCA

    return np.asarray(
        PCA(50, svd_solver="covariance_eigh" if len(rows) > rows.shape[1] else "full").fit_transform(rows)
    )
