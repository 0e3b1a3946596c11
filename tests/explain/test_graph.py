"""The graph and the cells: what a walk visits and keeps, what a filter does, and corners of bad input."""

from __future__ import annotations

import numpy as np
import pytest
from night import seeds

from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.errors import ParameterError
from lab.explain import structures
from lab.explain.graph import M, Walk, apart, build, cells_of, probe, walk
from lab.explain.structures import FILTERS, KINDS, Asked, K, curve, structures_of
from lab.numeric import Floats
from lab.retrieve.store import ExactVector
from lab.retrieve.vector import SPACES

STAFF = samples.load("staff")
UNIT = ExactVector(scale="unit")


def cloud(n: int, seed: int, d: int = 16) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(12, d))[rng.integers(12, size=n)] + 0.7 * rng.normal(size=(n, d))


def nearest_of(distances: Floats, k: int, allowed: frozenset[int] | None = None) -> list[int]:
    order = np.argsort(distances, kind="stable").tolist()
    return [node for node in order if allowed is None or node in allowed][:k]


def reachable(w: Walk) -> int:
    return len(w.compared())


# -------------------------------------------------------------------------------------------------- the graph itself


@pytest.mark.parametrize("space", SPACES)
def test_every_layer_has_the_nodes_of_the_layer_above_and_no_node_more_links_than_it_may(space: str) -> None:
    graph = build(cloud(400, 0), space)
    assert len(graph.layers) >= 3
    assert graph.entry in graph.layers[-1]
    for i, layer in enumerate(graph.layers):
        if i:
            assert set(layer) < set(graph.layers[i - 1])
        for node, others in layer.items():
            assert len(others) <= (M if i else 2 * M)
            assert node not in others
            assert len(set(others)) == len(others)
            assert set(others) <= set(layer)
    assert 400 / M * 0.5 < len(graph.layers[1]) < 400 / M * 1.6


def test_the_same_seed_gives_the_same_graph_and_the_same_cells() -> None:
    rows = cloud(200, 3)
    assert build(rows, "cosine", seed=4).layers == build(rows, "cosine", seed=4).layers
    assert build(rows, "cosine", seed=4).layers != build(rows, "cosine", seed=5).layers
    assert (cells_of(rows, seed=4).of == cells_of(rows, seed=4).of).all()


def test_the_walk_keeps_the_exact_list_if_it_keeps_everything_that_can_be_reached() -> None:
    for seed in seeds(6):
        rows = cloud(150, seed)
        for space in ("cosine", "l2"):
            distances = apart(space, rows, cloud(1, seed + 1000)[0])
            w = walk(build(rows, space, seed=seed), distances, len(rows))
            reached = frozenset(w.compared())
            assert list(w.kept) == nearest_of(distances, len(rows), reached), seed
            assert len(reached) == len(rows)
            assert w.stop is None


def test_by_inner_product_no_link_leads_to_many_short_passages_and_they_are_lost_even_with_ef_of_all() -> None:
    search = ExactVector(space="ip", scale="by length")
    index, lost = structures_of(search, STAFF.corpus), 0
    lengths = search.sizes(STAFF.corpus, STAFF.corpus.documents)
    for query in STAFF.queries[:20]:
        asked = index.ask(query)
        assert asked is not None
        w = asked.walk(len(index))
        reached = frozenset(node for step in w.steps if step.layer == 0 for node in step.compared)
        assert 0 < len(reached) < 0.7 * len(index)
        assert list(w.kept) == nearest_of(asked.distances, len(index), reached)
        outcome = asked.outcome(w)
        assert {loss.node for loss in outcome.losses} == set(outcome.exact) - reached
        lost += len(outcome.losses)
        unreached = [i for i in range(len(index)) if i not in reached]
        assert lengths[unreached].mean() < lengths[list(reached)].mean()
    assert lost > 0


# ------------------------------------------------------------------------------------------------------- the steps


@pytest.mark.parametrize("ef", [1, 5, 20])
def test_the_steps_of_a_walk_replay_what_it_keeps(ef: int) -> None:
    rows = cloud(300, 2)
    graph = build(rows, "cosine")
    for seed in seeds(6):
        distances = apart("cosine", rows, cloud(1, seed + 50)[0])
        w = walk(graph, distances, ef)
        assert w.kept_after(len(w.steps)) == w.kept
        assert len(w.kept) == ef
        layers = [step.layer for step in w.steps]
        assert layers == sorted(layers, reverse=True)
        assert layers[-1] == 0
        met = {layer: set[int]() for layer in range(len(graph.layers))}
        for n, step in enumerate(w.steps, 1):
            assert step.node in met[step.layer] | set(step.compared)
            assert not met[step.layer] & set(step.compared)
            met[step.layer] |= set(step.compared)
            kept = w.kept_after(n)
            assert len(kept) <= (ef if step.layer == 0 else 1)
            best = nearest_of(distances, len(kept), frozenset(met[step.layer]))
            assert list(kept) == best, "the nearest of all that the layer has compared"
            if n < len(w.steps) and w.steps[n].layer == step.layer:
                assert w.steps[n].node == w.waiting_after(n)[0], "the nearest that waits is visited next"
        waiting = w.waiting_after(len(w.steps))
        assert w.stop == (waiting[0] if waiting else None)
        if waiting:
            assert distances[w.stop] > distances[w.kept[-1]]


def test_a_wider_walk_compares_more_and_finds_as_much() -> None:
    rows = cloud(500, 1)
    graph = build(rows, "cosine")
    questions = [apart("cosine", rows, q) for q in cloud(40, 9)]
    means = []
    for ef in (10, 50, 500):
        walks = [walk(graph, d, ef) for d in questions]
        right = sum(len(set(w.kept[:K]) & set(nearest_of(d, K))) for w, d in zip(walks, questions, strict=True))
        means.append((sum(map(reachable, walks)), right / (K * len(questions))))
    assert means == sorted(means)
    assert means[0][1] < 1
    assert means[-1] == (500 * len(questions), 1.0)


# ------------------------------------------------------------------------------------------------------- a filter


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02, 0.0])
def test_a_filter_in_the_walk_keeps_only_what_passes_and_goes_on_until_enough_is_kept(share: float) -> None:
    rows = cloud(500, 1)
    graph = build(rows, "cosine")
    allowed = frozenset(range(round(500 * share)))
    for seed in seeds(8):
        distances = apart("cosine", rows, cloud(1, seed + 90)[0])
        w = walk(graph, distances, K, allowed)
        assert set(w.kept) <= allowed
        assert len(w.kept) == min(K, len(allowed))
        assert w.kept_after(len(w.steps)) == w.kept
        if len(allowed) <= K:
            assert len(w.compared()) == 500, "there are fewer than it looks for, so it looks everywhere"


def test_a_filter_after_the_cut_leaves_too_few_and_one_in_the_search_does_not() -> None:
    index, left = structures_of(UNIT, STAFF.corpus), {how: list[int]() for how in FILTERS}
    for query in STAFF.queries[:40]:
        asked = index.ask(query, '{"source": "Facilities notice"}')
        assert asked is not None
        assert asked.allowed is not None
        assert len(asked.allowed) > K
        for how in FILTERS:
            outcome = asked.outcome(asked.walk(K, how), how)
            left[how].append(len(outcome.found))
            for loss in outcome.losses:
                assert outcome.exact[loss.rank - 1] == loss.node
                assert (loss.cut > 0) == (how == "after" and asked.order.index(loss.node) >= K)
    assert set(left["none"]) == set(left["search"]) == {K}
    assert np.mean(left["after"]) < 2


# ---------------------------------------------------------------------------------------------------------- cells


def test_every_node_is_in_the_cell_of_its_nearest_centre_and_all_cells_give_the_exact_list() -> None:
    rows = cloud(200, 5)
    cells = cells_of(rows)
    assert 10 <= len(cells) <= 14
    assert sorted(node for members in cells.members for node in members) == list(range(200))
    for node in range(200):
        away = apart("l2", cells.centres, rows[node])
        assert away[cells.of[node]] == pytest.approx(away.min())
    question = cloud(1, 77)[0]
    distances, to_centres = apart("l2", rows, question), apart("l2", cells.centres, question)
    for nprobe in (1, 3, len(cells)):
        probed = probe(cells, to_centres, distances, nprobe)
        assert list(probed.visited) == np.argsort(to_centres, kind="stable")[:nprobe].tolist()
        members = frozenset(node for cell in probed.visited for node in cells.members[cell])
        assert list(probed.kept) == nearest_of(distances, 200, members)
        assert set(probed.compared()) == members
        assert probed.compared(1) == dict.fromkeys(cells.members[probed.visited[0]], probed.visited[0])
    few = probe(cells, to_centres, distances, 3, {0, 1, 2})
    assert set(few.kept) <= {0, 1, 2}


# ------------------------------------------------------------------------------------------------ on a whole corpus


def ask(corpus: Corpus, question: str, search: ExactVector = UNIT, where: str = "") -> Asked | None:
    return structures_of(search, corpus).ask(question, where)


@pytest.mark.parametrize("where", ["", '{"source": "Facilities notice"}'])
@pytest.mark.parametrize("scale", ["unit", "by length"])
@pytest.mark.parametrize("space", SPACES)
def test_the_exact_order_is_that_of_the_exact_search(space: str, scale: str, where: str) -> None:
    search = ExactVector(space=space, scale=scale)
    for query in STAFF.queries[:8]:
        asked = ask(STAFF.corpus, query.text, search, where)
        assert asked is not None
        exact = ExactVector(space=space, scale=scale, where=where).index(STAFF.corpus).search(query, k=K)
        for kind in KINDS:
            breadth = asked.structures.breadths(kind)[-1]
            outcome = asked.outcome(asked.visit(kind, breadth, "search"), "search")
            ids = [asked.structures.documents[node].id for node in outcome.exact]
            assert ids == exact.ids
            assert space == "ip" or kind == "cells" or scale != "unit" or outcome.recall == 1
            if kind == "cells":
                assert outcome.found == outcome.exact


@pytest.mark.parametrize(
    "texts", [[], ["kiln"], ["kiln", "clay"], ["kiln clay"] * 30, ["", "kiln", ""], ["a", "b", "c"]]
)
@pytest.mark.parametrize("space", SPACES)
def test_few_passages_equal_ones_and_ones_without_a_vector_have_one_layer(space: str, texts: list[str]) -> None:
    corpus = Corpus("few", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    index = structures_of(ExactVector(space=space, scale="unit"), corpus)
    assert len(index) == sum(bool(text) for text in texts)
    if len(index) < 3 or len(set(texts)) == 1:
        assert len(index.graph.layers) == 1
    asked = index.ask("kiln")
    if not len(index):
        assert asked is None
        return
    assert asked is not None
    for kind in KINDS:
        breadths = index.breadths(kind)
        assert breadths[-1] >= 1
        outcome = asked.outcome(asked.visit(kind, breadths[-1]))
        if len(set(texts)) > 1 or len(texts) <= 16:
            assert outcome.found == outcome.exact
        assert curve([asked], kind, "none")[-1].share <= 1


def test_a_question_without_a_known_word_is_not_searched() -> None:
    assert ask(STAFF.corpus, "☃☃") is None
    assert ask(STAFF.corpus, "") is None


def test_of_a_large_corpus_a_sample_is_in_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structures, "MOST", 50)
    corpus = Corpus("much", STAFF.corpus.documents)
    one, again, other = (
        structures_of(UNIT, c, seed=s) for c, s in ((corpus, 1), (Corpus("x", corpus.documents), 1), (corpus, 2))
    )
    assert len(one) == 50
    assert one.total == len(corpus) == 240
    assert one.places.tolist() == again.places.tolist() == sorted(one.places.tolist())
    assert one.graph.layers == again.graph.layers
    assert one.places.tolist() != other.places.tolist()


def test_the_curve_ends_where_everything_is_compared() -> None:
    index = structures_of(UNIT, STAFF.corpus)
    asked = [case for query in STAFF.queries[:20] if (case := index.ask(query))]
    for kind in KINDS:
        points = curve(asked, kind, "none")
        assert [point.breadth for point in points] == list(index.breadths(kind))
        assert [p.share for p in points] == sorted(p.share for p in points)
        assert (points[-1].recall, points[-1].share) == (1, 1)
        assert points[0].recall < 1
        first = points[0].breadth
        found = [case.outcome(case.visit(kind, first)).recall or 0 for case in asked]
        assert points[0].recall == pytest.approx(np.mean(found))


@pytest.mark.parametrize(
    "wrong", [lambda: build(cloud(5, 0), "l2", m=1), lambda: build(cloud(5, 0), "l2", ef_construction=0)]
)
def test_parameters_that_make_no_graph_are_refused(wrong: object) -> None:
    with pytest.raises(ParameterError):
        wrong()  # type: ignore[operator]
