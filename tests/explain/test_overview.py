"""What is said of own documents: counts that are true, warnings with their numbers, pages with their reasons."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples

from lab.algebra import Corpus, Document, Query
from lab.corpus.beir import Collection
from lab.corpus.statistics import date_field, fields_of, source_field, statistics, tag_field
from lab.explain.overview import FEW, LONG, Overview, overview, promising, warnings


def of(*texts: str, metadata: tuple[dict, ...] = (), judged: bool = False) -> Overview:
    own = (*metadata, *({} for _ in texts))
    corpus = Corpus("own", tuple(Document(str(i), t, metadata=own[i]) for i, t in enumerate(texts)))
    queries = (Query("what?", id="q"),) if judged else ()
    found = Collection(corpus, queries, {"q": {"0": 1}} if judged else {})
    return overview(found, statistics(corpus))


def told(o: Overview, of=warnings) -> dict[str, str]:
    return {note.page: str(note.sentence) for note in of(o)}


TEXTS = [
    "The ferry leaves at seven.",
    "灯塔建于一八七一年。",
    "",
    "???",
    "Привет мир",
    "x" * 1200,
    "The ferry leaves at seven.",
]


@examples(60)
@given(st.lists(st.sampled_from(TEXTS), max_size=8), st.booleans())
def test_every_sentence_is_true_of_any_corpus(texts: list[str], judged: bool):
    o = of(*texts, judged=judged and bool(texts))
    low, middle, high = o.lengths
    assert (low, high) == (min(map(len, texts), default=0), max(map(len, texts), default=0))
    assert low <= middle <= high
    against, there = told(o), told(o, promising)
    assert ("compare" in against) == (len(texts) < FEW)
    assert ("vocabulary" in against) == (len(o.scripts) == 1)
    assert "filter" in against
    assert "filter" not in there
    assert ("granularity" in against) == ("granularity" in there) == any(len(t) > LONG for t in texts)
    assert ("mmr" in there) == (o.copies > 0)
    assert not ("mmr" in there and "mmr" in against)
    same = len([t for t in texts if t.strip("?") and texts.count(t) > 1])
    assert o.copies >= same  # equal texts have a cosine of 1
    assert ("tokenizer" in there) == (TEXTS[1] in texts)
    assert ("evaluate" in there) == (judged and bool(texts))


def test_few_passages_are_warned_of_with_okapis_weight():
    assert told(of("a ferry", "a lighthouse"))["compare"] == (
        "Passages: only 2. Every list contains nearly all of them, and Okapi's IDF of a word in 1 of 2 is "
        f"{math.log((2 - 1 + 0.5) / (1 + 0.5)):.2f}."
    )
    assert f"a word in 2 of 3 is {math.log((3 - 2 + 0.5) / (2 + 0.5)):.2f}" in told(of("a", "b", "c"))["compare"]
    assert "compare" not in told(of(*"abcde"))


def test_one_language_and_two_are_told_apart():
    assert "Passages in Chinese: 3 of 3" in told(of("渡轮", "灯塔", "港口 ferry"))["vocabulary"]
    both = of("The ferry leaves", "灯塔建成", "港口很大")
    assert dict(both.scripts) == {"zh": 2, "en": 1}
    assert told(both, promising)["compare"].startswith("Passages in Chinese: 2, in English: 1.")


def test_fields_that_several_passages_share_are_offered_and_those_of_cutting_are_none():
    meta = tuple({"kind": "ab"[i % 2], "price": i, "source": "a.csv", "chunk": i, "parent": "p"} for i in range(6))
    o = of(*(f"item {i}" for i in range(6)), metadata=meta)
    assert [f.name for f in o.fields] == ["kind", "price"]
    assert told(o, promising)["filter"] == "Different values of the field “kind”: 2, in passages: 6."
    assert "filter" not in told(o)
    assert o.documents == 1


def test_near_copies_are_counted_and_without_any_the_nearest_two_are_named():
    o = of("The ferry leaves at seven.", "The ferry leaves at seven.", "灯塔建于一八七一年。")
    assert told(o, promising)["mmr"].startswith("Passages with a near-duplicate: 2 of 3.")
    other = of("The ferry leaves at seven.", "灯塔建于一八七一年。")
    assert f"the highest cosine is {other.nearest:.2f}, the threshold 0.90" in told(other)["mmr"]


META = {"day": "2024-05-01", "地区": "北京", "labels": ["a"], "n": 3}


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({}, ("day", "地区", "labels")),
        ({"date": "soon", "source": "x", "tags": ["t"]}, ("date", "地区", "tags")),  # one source is none to choose from
        ({"day": None, "地区": None, "labels": None}, ("date", "source", "tags")),
    ],
)
def test_the_fields_of_filters_and_tags_are_those_that_the_documents_have(changes: dict, fields: tuple[str, ...]):
    made = [META | changes | {"地区": changes.get("地区", "北京上海"[i % 2 * 2 :][:2])} for i in range(4)]
    corpus = Corpus("own", tuple(Document(str(i), "text", metadata=m) for i, m in enumerate(made)))
    own = fields_of(corpus)
    assert (date_field(own), source_field(own), tag_field(own)) == fields
