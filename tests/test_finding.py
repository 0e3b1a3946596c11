"""Techniques, parameters and pages are found under the names that courses and other libraries give them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from packed import packed

from lab import catalog, cli, finding
from lab.algebra import Fusion
from lab.finding import Entry, Finder, Name, techniques

SHARED = {
    "keywords": ["KeywordExclusion", "Keywords"],  # one removes what has them, one adds them
    "queryfusionretriever": ["MultiQuery", "RRF"],  # it writes the queries and fuses their lists
    "vector": ["StoreVector", "Vector"],  # in memory, and in a store
}
"""The names that several techniques carry."""


def shared_names(entries: Sequence[Entry], kind: str) -> dict[str, list[str]]:
    """Returns the names, in plain form, that several entries of a kind carry, with the keys of these."""
    keys: dict[str, list[str]] = {}
    for entry in entries:
        for name in {finding.plain(name.text) for name in entry.names} if entry.kind == kind else ():
            keys.setdefault(name, []).append(entry.key)
    return {name: owners for name, owners in keys.items() if len(owners) > 1}


@cache
def finder() -> Finder:
    return Finder(techniques(lambda text: {"en": text}))


def first(text: str) -> str:
    matches = finder().find(text)
    return matches[0].entry.key if matches else ""


def test_every_table_of_names_belongs_to_a_technique_and_every_knob_exists():
    known = catalog.operators() | catalog.nouns()
    for name, table in catalog.names_table().items():
        if name in ("pages", "absent"):
            continue
        knobs = {row["name"] for row in catalog.describe_knobs(known[name])}
        assert {key for key, value in table.items() if isinstance(value, dict)} <= knobs, name


def test_names_of_what_the_lab_does_not_have_lead_to_the_nearest_or_to_nothing(capsys):
    table = catalog.names_table()["absent"]
    assert set(table) <= {"none", *catalog.operators(), *catalog.names_table()["pages"]}
    for owner in table.keys() & catalog.operators():
        best = [finder().find(name)[0] for name in table[owner]]
        assert {(match.entry.key, match.how, match.name.absent) for match in best} == {(owner, "exact", True)}
    lacking = [*table["none"], "knowlege graph", "GrahpCypherQAChain"]
    assert [finder().find(name) for name in lacking] == [[]] * len(lacking)
    assert cli.main(["techniques", "FLARE"]) == cli.main(["techniques", "GraphRAG"]) == 2
    printed = capsys.readouterr().err
    assert "does not have it. The nearest is “AskAgain”" in printed
    assert printed.endswith("“GraphRAG”. The lab does not have it.\n")


def test_every_name_leads_to_its_own_first_or_is_shared_on_purpose():
    entries = [entry for entry in techniques(lambda text: {"en": text}) if entry.kind == "technique"]
    assert shared_names(entries, "technique") == SHARED
    index = finder()
    for entry in entries:
        for name in entry.names:
            best = index.find(name.text)[0]
            wanted = SHARED.get(finding.plain(name.text), [entry.key])
            assert best.entry.key in wanted, name
            assert best.how == "exact", name


def test_a_plugin_brings_names_of_its_own_and_a_subclass_has_its_own():
    class Odd(Fusion):
        other_names = {"Elsewhere": ("OddRetriever",), "k": {"Elsewhere": ["OddRetriever.c"]}}

    class Derived(Odd):
        pass

    assert catalog.other_names(Odd) == {"Elsewhere": ("OddRetriever",)}
    assert catalog.other_names(Odd, "k") == {"Elsewhere": ("OddRetriever.c",)}
    assert catalog.other_names(Derived) == catalog.other_names(Odd, "missing") == {}


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("hnsw:space", "ChromaVector.space"),
        ("ensamble retriver", "RRF"),
        ("EmbedingsRedundantFilter", "RedundancyFilter"),
        ("CrosEncoderReranker", "CrossEncoderReranker"),
        *(("MilvsHybridRetriever", type(x).__name__) for x in packed("MilvusVector")),
        ("假设文挡", "HyDE"),
        ("倒数排明融合", "RRF"),
        ("ｒｒｆ", "RRF"),
        ("hdye", "HyDE"),
        ("lucene", "BM25.variant"),
        ("交差编码器", "CrossEncoderReranker"),
        ("语意检索", "Vector"),
    ],
)
def test_a_name_leads_to_its_technique_with_typing_errors_too(typed, key):
    assert first(typed) == key


def test_nonsense_and_nothing_find_nothing():
    assert [finder().find(text) for text in ("", " ", "…", "xqzt", "z" * 100_000)] == [[]] * 5


def test_the_result_says_by_which_name_it_was_found():
    exact, part, similar = (finder().find(text)[0] for text in ("ensembleretriever", "ensemble", "ensamble"))
    assert [match.how for match in (exact, part, similar)] == ["exact", "part", "similar"]
    assert {match.name for match in (exact, part, similar)} == {Name("EnsembleRetriever", "LangChain")}


def test_results_are_ordered_by_match_then_by_kind_and_many_lessons_hide_no_other_kind():
    def entry(kind: str, key: str, *names: str) -> Entry:
        return Entry(kind, key, "fusion", {"en": key}, {}, tuple(map(Name, names)))

    lessons = [entry("lesson", f"l{i}", f"Merging lists, part {i}") for i in range(20)]
    mixed = [*lessons, entry("parameter", "p", "Merging lists weight"), entry("page", "f", "Merging lists page")]
    keys = [match.entry.key for match in Finder(mixed).find("merging lists")]
    assert keys[:2] == ["f", "p"]
    assert len(keys) == 2 + finding.PER_KIND
    assert Finder([*mixed, entry("lesson", "same", "Merging lists")]).find("merging lists")[0].entry.key == "same"


def test_the_command_line_knows_a_technique_by_any_name(capsys):
    assert cli.main(["techniques", "EnsembleRetriever", "hyde"]) == 0
    printed = capsys.readouterr().out
    assert "LangChain: EnsembleRetriever" in printed
    assert "HyDEQueryTransform" in printed
    assert cli.main(["techniques", "DomainVocabulary", "fetch_k"]) == 0
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) < 300, "a default that is a table is cut"
    assert "MMR: " in printed
    assert cli.main(["techniques", "拒答"]) == 2
    assert "See the page “answer” of the lab" in capsys.readouterr().err
    assert cli.main(["techniques", "ensamble"]) == 2
    assert "Did you mean “RRF”? (EnsembleRetriever, LangChain)" in capsys.readouterr().err
