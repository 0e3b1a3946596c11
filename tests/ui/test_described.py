"""Every picture says in words what it shows."""

from __future__ import annotations

from lab.algebra import Contribution, Corpus, Document, Hit, Query, Ranking
from lab.retrieve.lexical import BM25
from lab.ui.figures import charts, map_charts, rank_charts
from lab.ui.figures.described import MOST, described

DOCUMENTS = tuple(Document(str(i), f"text {i}", f"<b>Title</b> {i}") for i in range(20))
CORPUS = Corpus("own", DOCUMENTS)


def ranking(*places: int) -> Ranking:
    return Ranking(Query("x"), tuple(Hit(DOCUMENTS[i], 1.0) for i in places), BM25(), corpus=CORPUS)


def test_a_flow_of_ranks_says_each_document_s_ranks():
    lists = [ranking(3, 1), ranking(1)]
    said = described(rank_charts.rank_flow(lists, ["BM25", "Vector"], ["#111111", "#222222"], CORPUS, depth=5))
    assert "<b>Title</b> 3, BM25: 1, Vector: –" in said
    assert "<b>Title</b> 1, BM25: 2, Vector: 1" in said
    assert "%{" not in said


def test_the_addends_of_a_score_are_said_with_their_values():
    said = described(rank_charts.addends([Contribution("fox", 1.25), Contribution("red", -0.5)], "#111111"))
    assert "fox" in said
    assert "1.25" in said
    assert "-0.5" in said.replace("−", "-")


def test_a_table_says_its_strongest_cells_first():
    said = described(charts.table_map([[0.1, 0.9], [0.2, 0.3]], ["a", "b"], ["x", "y"], "#111111"))
    assert said.startswith("a × y: 0.9")


def test_of_many_things_the_first_are_said_and_how_many_more_there_are():
    lists = [ranking(*range(20)), ranking(*reversed(range(20)))]
    said = described(rank_charts.rank_flow(lists, ["A", "B"], ["#111111", "#222222"], CORPUS, depth=20))
    assert said.count("; ") == MOST
    assert said.endswith("; and 8 more")


def test_bars_say_label_and_length():
    said = described(charts.bars([0.5, 0.25], ["fox", "hen"], "#111111"))
    assert "fox: 0.5" in said
    assert "hen: 0.25" in said


def test_a_histogram_says_how_many_values_it_has_between_which_and_their_middle():
    said = described(charts.histogram([1, 2, 3, 10], "Characters"))
    assert said == "values: 4, from 1 to 10, median 2.5"
    assert described(charts.histogram([], "Characters")) == ""


def test_points_without_texts_of_their_own_say_their_row_and_their_value():
    said = described(map_charts.distances({"cosine": [0.25, 0.5], "l2": [1.5]}, ["#111111", "#222222"]))
    assert said == "cosine: 0.25; cosine: 0.5; l2: 1.5"
