"""Techniques are found by looking, and made from words."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field

import pytest
from night import for_each
from specimens import NEEDS

import lab
from lab import catalog
from lab.algebra import Operator, knob
from lab.errors import ParameterError, UnknownName
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.text import Analyzer


def test_every_retriever_is_found_and_no_base_class():
    found = catalog.retrievers()
    assert found.items() >= {"BM25": BM25, "TFIDF": TFIDF, "Vector": Vector}.items()
    assert not {"Retriever", "Lexical", "Embedder"} & found.keys()
    assert not {"Operator", "Stage", "Fusion", "Searcher", "Coverage", "Filter"} & catalog.operators().keys()
    assert {"Fallback", "Pipeline", "Route", "BM25"} <= catalog.searchers().keys()
    assert {"BestScore", "Borda", "RRF", "WeightedSum"} <= catalog.fusions().keys()
    assert {"HyDE", "MultiQuery", "StepBack"} <= catalog.rewriters().keys()
    assert {"Chunk"} <= catalog.derivations().keys()
    assert {"Lift", "MinimumMatch", "Top"} <= catalog.stages().keys()
    assert {"Analyzer", "Destination"} <= catalog.specifications().keys()
    assert catalog.embedders().items() >= {"BuiltIn": BuiltIn, "LSA": LSA}.items()


def test_a_new_technique_in_a_room_is_found_without_a_list(tmp_path, monkeypatch):
    (tmp_path / "extra_room").mkdir()
    (tmp_path / "extra_room" / "__init__.py").write_text("")
    (tmp_path / "extra_room" / "newest.py").write_text(
        "from dataclasses import dataclass\n"
        "from lab.algebra import Outcome, Stage\n"
        "from lab.retrieve.lexical import BM25\n"  # imported, not defined here
        "@dataclass(frozen=True)\n"
        "class TurnAround(Stage):\n"
        "    def refine(self, ranking, env):\n"
        "        return Outcome(ranking.hits[::-1])\n"
        "class _Hidden(TurnAround): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(catalog, "ROOMS", ("extra_room", "no_such_room"))
    assert list(catalog.stages()) == ["TurnAround"]
    assert catalog.retrievers() == {}
    assert catalog.find(catalog.stages, "turn-around").__name__ == "TurnAround"
    for name in ("extra_room", "extra_room.newest"):
        del sys.modules[name]


def test_every_operator_of_a_kind_is_in_its_package():
    for kind, places in catalog.PLACES.items():
        everywhere = {name for name, cls in catalog.operators().items() if issubclass(cls, kind)}
        assert set(catalog.concrete(kind)) == everywhere, (kind, places)


@for_each("name", ["tfidf", "TF-IDF", "tf_idf", "TFIDF", "Tf Idf"])
def test_capitals_and_punctuation_do_not_count(name):
    assert catalog.find(catalog.retrievers, name) is TFIDF


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(
        UnknownName, match=r"no retriever “bm26”. Did you mean “BM25”\? Valid names: .*BM25.*TFIDF.*Vector"
    ):
        catalog.find(catalog.retrievers, "bm26")
    with pytest.raises(UnknownName, match=r"no embedder “bert”. Valid names: .*BuiltIn.*LSA"):
        catalog.from_text(catalog.retrievers, "vector:embedder=bert")


@for_each(
    "text, operator",
    [
        ("bm25", BM25()),
        ("bm25:k1=0.9,b=0.4", BM25(k1=0.9, b=0.4)),
        ("BM25: variant = plus , k1 = 2", BM25(variant="plus", k1=2.0)),
        ("tf-idf:sublinear=yes", TFIDF(sublinear=True)),
        ("tf-idf:sublinear=off", TFIDF(sublinear=False)),
        ("bm25:analyzer.mode=precise", BM25(analyzer=Analyzer(mode="precise"))),
        ("bm25:analyzer.stop_words=的;了", BM25(analyzer=Analyzer(stop_words=frozenset({"的", "了"})))),
        ("bm25:analyzer.stop_words=" + "[" * 9000, BM25(analyzer=Analyzer(stop_words=frozenset({"[" * 9000})))),
        ("bm25:analyzer.user_words=小红书;哈工大", BM25(analyzer=Analyzer(user_words=("小红书", "哈工大")))),
        ("vector", Vector()),
        ("vector:embedder=built-in", Vector(embedder=BuiltIn())),
        ("vector:embedder=lsa", Vector(embedder=LSA())),
        ("vector:embedder=lsa,embedder.size=64,space=l2", Vector(embedder=LSA(size=64), space="l2")),
        ("vector:embedder=lsa,embedder.analyzer.mode=bigram", Vector(embedder=LSA(analyzer=Analyzer(mode="bigram")))),
    ],
)
def test_words_make_an_operator(text, operator):
    assert catalog.from_text(catalog.retrievers, text) == operator


def test_values_and_tables_make_the_same_operator():
    assert catalog.make(BM25, {"k1": 2, "analyzer": {"mode": "full"}}) == BM25(k1=2.0, analyzer=Analyzer(mode="full"))
    assert catalog.make(Vector, {"embedder": {"type": "LSA", "size": 8}}) == Vector(embedder=LSA(size=8))
    assert catalog.make(Vector, {"embedder": LSA(size=9), "embedder.analyzer.single": "true"}) == Vector(
        embedder=LSA(size=9, analyzer=Analyzer(single=True))
    )


def test_parameters_beside_the_name_yield_to_those_behind_it():
    assert catalog.from_text(catalog.retrievers, "bm25:k1=3", {"k1": "1", "b": "0"}) == BM25(k1=3.0, b=0.0)


@for_each(
    "text, words",
    [
        ("bm25:k2=1", "BM25 has no parameter “k2”. (Did you mean “k1”\\? )?It has: .*k1, b, variant"),
        ("bm25:k1=x", "k1 is “x”, but must be a number"),
        ("bm25:k1=99", "k1 is 99.0, but must lie between 0.0 and 10.0"),
        ("bm25:variant=best", "must be one of: okapi"),
        ("bm25:k1.low=1", "no parameter “k1.low”"),
        ("bm25:k1", "“k1” is not a parameter. Write it as name=value"),
        ("bm25:analyzer=precise", "Set its parts: analyzer.mode"),
        ("bm25:analyzer.mod=precise", "no parameter “mod”. Did you mean “mode”\\? It has: mode"),
        ("tfidf:sublinear=perhaps", "must be true or false"),
        ("vector:embedder.size=8", "no parameter “size”"),
        ("vector:embedder=lsa,embedder.size=1.5", "size is “1.5”, but must be a whole number"),
    ],
)
def test_a_wrong_parameter_is_answered_with_what_is_right(text, words):
    with pytest.raises(ParameterError, match=words):
        catalog.from_text(catalog.retrievers, text)


@dataclass(frozen=True)
class Odd(Operator):
    depth: int
    weights: tuple[float, ...] = ()
    limit: int | None = None
    either: float | str = 0.0
    words: frozenset[str] = field(default=frozenset())
    name: str = knob("a", choices=("a", "b"))


def test_lists_and_open_values_are_read_from_words():
    made = catalog.make(
        Odd, {"depth": "3", "weights": "0.5; 1", "limit": "none", "either": "1.5", "words": '["x,y", "z"]'}
    )
    assert made == Odd(3, (0.5, 1.0), None, 1.5, frozenset({"x,y", "z"}))
    assert catalog.make(Odd, {"depth": 3, "weights": [1, 2], "limit": "5", "either": "auto"}) == Odd(
        3, (1.0, 2.0), 5, "auto"
    )
    with pytest.raises(ParameterError, match="weights is “3”, but must be a list"):
        catalog.make(Odd, {"depth": 1, "weights": 3})
    with pytest.raises(ParameterError, match="Odd needs the parameter “depth”"):
        catalog.make(Odd, {})


@for_each(
    "knob, value, wanted",
    [
        ("depth", True, "a whole number"),
        ("depth", [1], "a whole number"),
        ("weights", [True], "a number"),
        ("weights", [{}], "a number"),
        ("words", [1], "a text"),
        ("name", 1, "a text"),
    ],
)
def test_a_value_of_another_kind_is_refused_and_not_turned_into_words(knob, value, wanted):
    with pytest.raises(ParameterError, match=f"must be {wanted}"):
        catalog.make(Odd, {"depth": 1, knob: value})


def test_an_operator_is_written_as_python_that_makes_it_again():
    names = {"BM25": BM25, "Vector": Vector, "LSA": LSA, "Analyzer": Analyzer, "TFIDF": TFIDF, "BuiltIn": BuiltIn}
    for operator, text in [
        (BM25(), "BM25()"),
        (BM25(k1=0.9, analyzer=Analyzer(mode="full")), "BM25(analyzer=Analyzer(mode='full'), k1=0.9)"),
        (Vector(embedder=LSA(size=64)), "Vector(embedder=LSA(size=64))"),
    ]:
        assert catalog.written(operator) == text
        assert eval(text, names) == operator


@for_each("name", sorted(catalog.operators()))
def test_every_knob_of_every_operator_takes_its_own_default(name):
    cls, start = catalog.operators()[name], NEEDS.get(name, [{}])[0]
    defaults = {k: v for k, v in catalog.knobs(cls).items() if v is not None}
    assert catalog.make(cls, {**defaults, **start}) == cls(**start)


def test_everything_that_the_catalogue_knows_can_be_imported_from_lab():
    known = {**catalog.operators(), **catalog.specifications()}
    nouns = {"Corpus", "Document", "Query", "Ranking", "Runner", "Turn", "samples"}
    assert set(lab.__all__) == known.keys() | nouns
    for name, cls in known.items():
        assert getattr(lab, name) is cls
    for name in nouns:
        assert getattr(lab, name).__name__.rpartition(".")[2] == name
    assert set(lab.__all__) <= set(dir(lab))
    with pytest.raises(AttributeError, match="no attribute 'BM26'"):
        lab.BM26  # noqa: B018
    with pytest.raises(ImportError):
        from lab import BM26  # noqa: F401


def test_importing_the_package_alone_loads_nothing():
    code = "import sys, lab; print([m for m in sys.modules if m.startswith('lab.') or m == 'numpy'])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
