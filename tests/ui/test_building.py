"""Pipelines built with the mouse: what a click changes, what is searched then, and what may stand where."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import searches
from night import for_each

from lab import catalog, formats
from lab.algebra import Derivation, Fusion, Lift, Pipeline, Rewriter, Runner, Searcher, Stage
from lab.corpus import samples
from lab.errors import PipelineError
from lab.fuse import WeightedSum
from lab.models.static import BuiltIn
from lab.presets import presets
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.ui.layout.frame import Frame
from lab.ui.study import building
from lab.ui.study.building import Built

DEVICES = samples.load("devices")
FRAME = Frame(DEVICES, BuiltIn())


def built(text: str, *off: str) -> Built:
    return Built.from_search(formats.parse(text), off)


def written(made: Built) -> str:
    return formats.expression(made.search)


def paths(whole: Pipeline) -> list[str]:
    """Every part that a click can select, within a fallback and a route as well."""

    def walk(path: str, search: Searcher) -> list[str]:
        at = f"{path}." if path else ""
        if isinstance(search, Pipeline):
            own = [f"{at}derive.{i}" for i in range(len(search.derive))] + [f"{at}rewrite"] * bool(search.rewrite)
            own += [f"{at}{name}" for name in ("merge", "fuse") if getattr(search, name)]
            own += [f"{at}refine.{i}" for i in range(len(search.refine))]
            return own + [x for i, s in enumerate(search.retrieve) for x in walk(f"{at}retrieve.{i}", s)]
        inner = [
            x
            for f in dataclasses.fields(search)
            if isinstance(value := getattr(search, f.name), Searcher)
            for x in walk(f"{at}{f.name}", value)
        ]
        return [path, *inner]

    return walk("", whole)


@given(search=searches(), data=st.data())
def test_a_part_is_found_in_what_is_searched_wherever_others_are_switched_off(search: Searcher, data: Any) -> None:
    made = Built.from_search(search)
    known = paths(made.whole)
    for path in data.draw(st.lists(st.sampled_from(known), max_size=4)):
        made = made.switched(path)
    for path in known:
        at = made.at_work(path)
        if at is None:
            assert any(path == own or path.startswith(f"{own}.") for own in made.off)
        elif not path.endswith(("fuse", "merge")) and not any(own.startswith(f"{path}.") for own in made.off):
            assert building.find(made.search, at) == building.find(made.whole, path)
    assert Built.from_search(made.whole, made.off) == made, "the link says the same"
    again = Built.from_search(formats.from_link(formats.to_link(made.whole)), sorted(made.off))
    assert again == made


@given(search=searches(), data=st.data())
def test_no_click_leaves_what_cannot_be_searched(search: Searcher, data: Any) -> None:
    made = Built.from_search(search)
    for _n in range(3):
        path = data.draw(st.sampled_from(paths(made.whole)))
        do = data.draw(st.sampled_from(["switched", "removed", "moved", "wrapped", "added"]))
        row = path.rpartition(".")[0]
        if do == "switched":
            made = made.switched(path)
        elif do == "removed":
            try:
                made = made.removed(path)
            except (PipelineError, LookupError):
                continue
        elif do == "moved" and row.endswith(building.ROWS):
            made = made.moved(path, data.draw(st.sampled_from([-1, 1])))
        elif do == "wrapped" and isinstance(building.find(made.whole, path), Searcher):
            made = made.wrapped(path)
        elif do == "added" and row.endswith("refine"):
            kinds = [cls for own in building.offers(made.whole, f"{row}.+0").values() for cls in own]
            made, at = made.added(f"{row}.+0", building.starter(data.draw(st.sampled_from(kinds)), FRAME))
            assert at == f"{row}.0"
        assert formats.from_toml(formats.to_toml(made.search)) == made.search
        assert all(made.switchable(path) for path in made.off)


def test_what_is_off_follows_its_part_when_others_come_go_and_move() -> None:
    made = built("RRF()(BM25(), Vector()) >> MaxSim() >> MMR(k=5) % 3", "refine.1")
    assert written(made) == "RRF()(BM25(), Vector()) >> MaxSim() >> Top(k=3)"
    assert written(made.moved("refine.1", -1)) == "RRF()(BM25(), Vector()) >> MaxSim() >> Top(k=3)"
    assert made.moved("refine.1", -1).off == {"refine.0"}
    assert made.moved("refine.0", 1).off == {"refine.0"}
    assert made.moved("refine.0", -1) == made, "there is no place before the first"
    assert made.removed("refine.0").off == {"refine.1"} - {"refine.1"} | {"refine.0"}
    assert made.removed("refine.1").off == set()
    more, at = made.added("refine.+0", formats.build("ScoreThreshold()"))
    assert (at, more.off) == ("refine.0", {"refine.2"})
    assert written(made.switched("refine.1")) == "RRF()(BM25(), Vector()) >> MaxSim() >> MMR(k=5) >> Top(k=3)"


def test_a_list_brings_a_weight_and_takes_it_along() -> None:
    made = built("WeightedSum()(3 * BM25(), 1 * Vector())")
    more, at = made.added("retrieve.+", TFIDF())
    assert at == "retrieve.2"
    assert more.whole.fuse == WeightedSum((3, 1, (3 + 1) / 2))
    assert more.moved("retrieve.0", 1).whole.fuse == WeightedSum((1, 3, 2))
    assert more.moved("retrieve.0", 1).whole.retrieve == (Vector(), BM25(), TFIDF())
    assert more.switched("retrieve.0").search == WeightedSum((1, 2))(Vector(), TFIDF())
    assert more.removed("retrieve.1").search == WeightedSum((3, 2))(BM25(), TFIDF())


def test_a_second_list_is_fused_and_the_last_one_stays() -> None:
    made, _at = built("BM25()").added("retrieve.+", Vector())
    assert written(made) == "RRF()(BM25(), Vector())"
    off = made.switched("retrieve.1")
    assert written(off) == "BM25()"
    assert off.switched("retrieve.0") == off, "one list must be on"
    assert off.at_work("retrieve.0") == ""
    with pytest.raises(PipelineError, match="no list"):
        built("BM25()").removed("retrieve.0")


def test_pieces_are_lifted_back_and_off_means_the_documents_again() -> None:
    made, at = built("BM25() >> MMR()", "refine.0").added("derive.+", formats.build("Chunk(size=60)"))
    assert at == "derive.0"
    assert made.whole.refine[0] == Lift()
    assert made.off == {"refine.1"}
    assert written(made) == "Pipeline(retrieve=(BM25(),), derive=(Chunk(size=60),), refine=(Lift(),))"
    plain, lifted = (Runner(DEVICES.corpus)(s, "battery", 10) for s in (BM25(), made.switched("derive.0").search))
    assert plain.ids == lifted.ids
    assert not any(isinstance(stage, Lift) for stage in made.removed("derive.0").whole.refine)


@pytest.mark.parametrize(
    ("place", "family"),
    [
        ("rewrite.+", (Rewriter, Derivation)),
        ("retrieve.+", (Searcher,)),
        ("refine.+0", (Stage,)),
        ("retrieve.1.refine.+1", (Stage,)),
        ("retrieve.2.then.refine.+0", (Stage,)),
        ("retrieve.3.routes.0.refine.+0", (Stage,)),
    ],
)
def test_whatever_the_catalogue_has_for_a_place_is_offered_and_can_be_added(place: str, family: Any) -> None:
    route = "Route(WordTable(), (Destination('a', BM25() % 3),))"
    whole = built(f"RRF()(BM25(), Vector() % 9, Fallback(BM25(), TFIDF() % 3), {route})").whole
    found = [cls for kinds in building.offers(whole, place).values() for cls in kinds]
    every = {cls for cls in catalog.operators().values() if issubclass(cls, family) and cls is not Pipeline}
    assert set(found) == every
    for cls in found:
        at = place.replace("rewrite.+", "derive.+") if issubclass(cls, Derivation) else place
        made, path = Built.from_search(whole).added(at, building.starter(cls, FRAME))
        assert type(building.find(made.whole, path)) is cls
        assert formats.from_link(formats.to_link(made.whole)) == made.whole


def test_another_technique_keeps_what_both_have() -> None:
    whole = built("WeightedSum()(3 * BM25(), Vector(embedder=LSA()))").whole
    assert {*building.kinds(whole, "fuse")} == {cls for cls in catalog.fusions().values() if issubclass(cls, Fusion)}
    fusion = building.instead(whole.fuse, catalog.find(catalog.fusions, "rrf"), FRAME)
    assert formats.expression(fusion) == "RRF(weights=(3, 1.0))"
    other = building.instead(whole.retrieve[1], catalog.find(catalog.retrievers, "chromavector"), FRAME)
    assert formats.expression(other) == "ChromaVector(embedder=LSA())"
    assert type(building.instead(whole.retrieve[0], Vector, FRAME)) is Vector


@for_each("path", ["refine.9", "retrieve.x", "nothing", "retrieve.0.k1", "fuse", "", "refine", "a.b.c"])
def test_what_a_link_switches_off_is_looked_at_first(path: str) -> None:
    made = built("RRF()(BM25(), Vector()) >> MMR()", path)
    assert made.off == frozenset()


@for_each("name", presets())
def test_a_preset_is_known_again_by_what_it_is(name: str) -> None:
    made = Built.from_search(presets()[name].search)
    assert made.search == presets()[name].search
    assert building.preset_of(made.search) == name
    assert building.preset_of(BM25(k1=0.1)) == ""
