"""A filter means the same in memory, in Chroma and in Milvus, or is refused with the same words everywhere."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each
from packed import packed

from lab.algebra import Corpus, Document
from lab.errors import QueryError
from lab.retrieve.chroma import ChromaVector
from lab.retrieve.store import ExactVector, StoreIndex, StoreVector
from lab.retrieve.where import chroma_where, filter_test, stored_number

LIMITS = [0, 1, 4, 0.3, 4.5, -0.5, -3.0, 2**53, 2**53 + 1, 2**62 + 1, 17 * 10**17 + 3]
NUMBERS = sorted(
    {
        near
        for limit in (*LIMITS, *(-limit for limit in LIMITS))
        for near in (
            limit,
            limit - 1,
            limit + 1,
            limit * (1 - 1e-14),
            limit / 1e9,
            math.nextafter(limit, -math.inf),
            math.nextafter(limit, math.inf),
        )
    }
)
"""Numbers at, beside and between all limits."""
OTHERS: list[Any] = [True, False, "", "1", "true", "zh", 'a"b', "a\\", "x\ny", "']", "{n}", "电", "True"]
STORED: list[dict[str, Any]] = [
    *({"n": value} for value in [*NUMBERS, *OTHERS, 1e300, -1e300, 2**70, None, float("nan"), ["1"], ["zh", "1"], []]),
    *({"n": value, "m": other} for value, other in zip(NUMBERS[::3], OTHERS * 9, strict=False)),
    {"m": 4, 'odd"name': 1, "tags": ["zh", 'a"b']},
    {"m": 4.0, 'odd"name': True, "tags": ["1"]},
    {"#document": "x", "$truth": ["n"], "m": 1},
    {},
]
MIXED = Corpus("filters alike", tuple(Document(f"f{i}", f"battery {i}", metadata=own) for i, own in enumerate(STORED)))

number = st.sampled_from([*NUMBERS, 1e300, 2**63, -(2**63)])
value = st.one_of(number, st.sampled_from(OTHERS))
name = st.sampled_from(["n", "n", "n", "m", "tags", "none", 'odd"name', "#document", "", "chroma:document"])
test = st.one_of(
    value,
    *(st.fixed_dictionaries({sign: value}) for sign in ("$eq", "$ne", "$contains", "$not_contains")),
    *(st.fixed_dictionaries({sign: number}) for sign in ("$gt", "$gte", "$lt", "$lte")),
    *(st.fixed_dictionaries({sign: st.lists(value, min_size=1, max_size=3)}) for sign in ("$in", "$nin")),
    st.fixed_dictionaries({"$gte": number, "$lt": number}),
    st.fixed_dictionaries({"$gt": st.sampled_from(OTHERS)}),
)
condition = st.dictionaries(name, test, min_size=1, max_size=2)
WHERES = st.recursive(
    condition,
    lambda inner: st.builds(
        lambda sign, parts: {sign: parts}, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=4,
)


@pytest.fixture(autouse=True, scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("milvus") / "lab.db"
        patch.setenv("LAB_MILVUS_URI", str(path))
        yield path


def outcome(search: Callable[[], list[str]]) -> list[str] | str:
    """The documents that pass, or the words of the refusal."""
    try:
        return sorted(search())
    except QueryError as error:
        return str(error)


def everywhere(where: dict[str, Any]) -> dict[str, list[str] | str]:
    """What a filter does in memory and in every store at hand; no graph is searched."""
    text = json.dumps(where)
    stores = {type(x).__name__: x for x in (ChromaVector(where=text), *packed("MilvusVector", where=text, kind="FLAT"))}

    def passing(store: StoreVector) -> list[str]:
        index = store.index(MIXED)
        assert isinstance(index, StoreIndex)
        return [MIXED.documents[i].id for i in index.stored(range(len(MIXED)), store.filter)]

    exact = outcome(lambda: ExactVector(where=text).index(MIXED).search("battery", k=len(STORED)).ids)
    return {"exact": exact} | {name: outcome(partial(passing, store)) for name, store in stores.items()}


@given(where=WHERES)
@examples(500)
def test_a_filter_means_the_same_everywhere(where: dict[str, Any]) -> None:
    outcomes = everywhere(where)
    exact = outcomes["exact"]
    assert outcomes == dict.fromkeys(outcomes, exact)
    if isinstance(exact, str):
        assert "This is not a filter on metadata" in exact
    else:
        assert exact == sorted(d.id for d in MIXED if filter_test(where)(d.metadata))


@for_each(
    "where, passes",
    [
        ({"n": {"$lt": 4.5}}, lambda x: x < 4.5),
        ({"n": {"$gte": 3.5}}, lambda x: x >= 3.5),
        ({"n": {"$ne": 4.5}}, lambda x: x != 4.5),
        ({"n": 0.3}, lambda x: x == 0.3),
        ({"n": {"$gt": -0.5}}, lambda x: x > -0.5),
        ({"n": {"$lte": -0.5}}, lambda x: x <= -0.5),
        ({"n": 2**53 + 1}, lambda x: x == 2**53 + 1),
        ({"n": {"$gt": 2**53 + 1}}, lambda x: x > 2**53 + 1),
        ({"n": {"$in": [0.3, 4, "zh", True]}}, lambda x: x in (0.3, 4)),
        ({"n": {"$nin": [0.3, 4]}}, lambda x: x not in (0.3, 4)),
        ({"n": {"$gte": 1, "$lt": 4.5}}, lambda x: 1 <= x < 4.5),
        ({"n": {"$gt": 0}, "$and": [{"n": {"$lt": 5}}]}, lambda x: 0 < x < 5),
        ({"n": True}, lambda x: False),
    ],
)
def test_of_the_stored_numbers_those_pass_that_the_filter_names(
    where: dict[str, Any], passes: Callable[[float], bool]
) -> None:
    assert isinstance(stored_number(2**63), float), "no store has whole numbers of more than eight bytes"
    numbers = {f"f{i}" for i in range(len(NUMBERS))}
    wanted = sorted(f"f{i}" for i, number in enumerate(NUMBERS) if passes(stored_number(number)))
    for store, ids in everywhere(where).items():
        assert sorted(numbers & set(ids)) == wanted, store


@for_each(
    "where",
    [
        *({"n": test} for test in (None, {}, [1], 1e300, 2.0**63, 2**63)),
        *({"n": {"$gt": value}} for value in ("w", True)),
        *({"n": {"$in": value}} for value in ([], 1, [None])),
        *({"n": test} for test in ({"$about": 3}, {"$contains": ["x"]}, {"$eq": {"x": 1}})),
        *({"$and": []}, {"$or": {"n": 1}}, {"$where": "1"}),
    ],
)
def test_what_is_no_filter_is_refused_in_the_same_words_everywhere(where: dict[str, Any]) -> None:
    (words,) = set(everywhere(where).values())
    assert "This is not a filter on metadata" in words
    assert '{"year": {"$gte": 2023}}' in words


def test_a_filter_that_chroma_takes_is_sent_as_it_is() -> None:
    for where in ({"lang": "en"}, {"n": {"$gte": 3}}, {"tags": {"$contains": "x"}}):
        (name, test), (sent, changed) = next(iter(where.items())), next(iter(chroma_where(where).items()))
        assert (name, test if isinstance(test, dict) else {"$eq": test}) == (sent, changed)
