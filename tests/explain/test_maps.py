"""Maps: the right shapes, the same map twice, neighbours together, and few points."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from lab.errors import ParameterError
from lab.explain.maps import METHODS, project, with_query
from lab.numeric import unit


def clusters(each: int = 15, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(3, 20)) * 3
    return np.concatenate([c + 0.3 * rng.normal(size=(each, 20)) for c in centres])


@pytest.mark.parametrize("method", METHODS)
def test_points_of_one_cluster_stand_together(method: str) -> None:
    points = project(clusters(), method)
    assert points.shape == (45, 2)
    middle = points.reshape(3, 15, 2).mean(axis=1)
    for i, point in enumerate(points):
        assert np.linalg.norm(middle - point, axis=1).argmin() == i // 15


@pytest.mark.parametrize("method", METHODS)
def test_the_same_vectors_give_the_same_map(method: str) -> None:
    assert (project(clusters(), method, seed=3) == project(clusters(), method, seed=3)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", range(8))
def test_few_points_have_a_place_too(method: str, n: int) -> None:
    points = project(np.random.default_rng(1).normal(size=(n, 6)), method)
    assert points.shape == (n, 2)
    assert np.isfinite(points).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [np.zeros((9, 4)), np.ones((9, 4)), np.ones((9, 1)), np.zeros((4, 0))])
def test_points_without_differences_do_no_harm(method: str, rows: np.ndarray) -> None:
    assert np.isfinite(project(rows, method)).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_query_stands_with_its_own(method: str) -> None:
    rows = clusters()
    documents, query = with_query(rows[:-1], rows[-1], method)
    assert (documents.shape, query.shape) == ((44, 2), (2,))
    assert np.linalg.norm(documents - query, axis=1).argmin() // 15 == 2


def test_under_pca_the_documents_stay_where_they_are_while_the_query_changes() -> None:
    rows = clusters()
    one, _ = with_query(rows, rows[0])
    two, _ = with_query(rows, -5 * rows[20])
    assert (one == two).all()
    assert one == pytest.approx(project(rows))


def test_the_length_of_a_vector_does_not_matter() -> None:
    rows = clusters()
    assert project(rows * np.arange(1, 46)[:, None]) == pytest.approx(project(rows))


def test_an_unknown_method_is_refused() -> None:
    for call in (lambda: project(clusters(), "umap"), lambda: with_query(clusters(), clusters()[0], "umap")):
        with pytest.raises(ParameterError, match="pca, t-sne"):
            call()


def test_scikit_learn_is_loaded_only_when_a_map_is_drawn() -> None:
    code = "import sys, lab.explain.maps; print('sklearn' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )


@pytest.mark.parametrize(("n", "d"), [(2, 9), (40, 40), (120, 16), (700, 520)])
def test_pca_is_that_of_scikit_learn(n: int, d: int) -> None:
    from sklearn.decomposition import PCA

    rng = np.random.default_rng(n)
    rows = unit(rng.normal(size=(n, d)) @ rng.normal(size=(d, d)))
    solver = "full" if min(n, d) < 500 or n <= d else "covariance_eigh"
    wanted = PCA(2, svd_solver=solver).fit(rows).transform(rows)
    assert np.abs(project(rows) - wanted).max() < 1e-12
