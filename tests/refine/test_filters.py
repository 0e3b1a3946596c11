"""Filters: what goes, why, with numbers that can be computed again; chains of them in any order."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import date
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from night import for_each

from lab.algebra import Corpus, Document, Hit, Pipeline, Query, Ranking, Runner, Stage
from lab.errors import ParameterError
from lab.models.embedders import Embedder
from lab.models.lsa import LSA
from lab.models.static import BuiltIn
from lab.numeric import unit
from lab.refine.filters import (
    EmbeddingsFilter,
    KeywordExclusion,
    MinimumMatch,
    RedundancyFilter,
    ScoreThreshold,
    SemanticDedup,
    cheapest_first,
)
from lab.refine.where import MetadataFilter
from lab.retrieve.lexical import BM25
from lab.text import one_spelling
from lab.text.quantities.dates import read_date
from lab.words import Said

TEXTS = [
    "The headphones last thirty hours.",
    "The headphones last thirty hours!",
    "耳机充满电需要两个小时。",
    "耳机充满电要两小时。",
    "Annual leave needs three days notice.",
    "年假须提前三天申请。",
    "tea and cake",
    "A beta release of the app.",
    "Alphabetical order of the list.",
]


def documents(n: int = len(TEXTS)) -> list[Document]:
    return [
        Document(
            f"d{i}",
            TEXTS[i],
            metadata={"source": ["manual", "forum", "faq"][i % 3], "date": f"2024-{i + 1:02d}-15", "n": i},
        )
        for i in range(n)
    ]


def ranking(
    found: Sequence[Document] | None = None, query: str = "headphones charging", scores: Sequence[float] | None = None
) -> Ranking:
    found = documents() if found is None else found
    corpus = Corpus("things", tuple(found))
    given_scores = scores or [float(len(found) - i) for i in range(len(found))]
    return Ranking(
        Query(query), tuple(Hit(d, s) for d, s in zip(found, given_scores, strict=True)), BM25(), corpus=corpus
    )


def values(after: Ranking, doc_id: str) -> dict[str, object]:
    """The numbers in the reason for which a document was dropped."""
    reason = next(d.reason for d in after.dropped if d.document.id == doc_id)
    assert isinstance(reason, Said)
    return reason.values


def kept(after: Ranking) -> list[str]:
    return [h.document.id for h in after]


FILTERS: list[Stage] = [
    ScoreThreshold(4.0),
    ScoreThreshold(0.6, "best"),
    ScoreThreshold(0.5, "min-max"),
    MetadataFilter(max_age_days=100, as_of="2024-10-01", sources=("manual", "faq")),
    KeywordExclusion(("beta",), ("t.a",)),
    SemanticDedup(0.8),
    RedundancyFilter(0.8),
    RedundancyFilter(0.8, "earlier"),
    EmbeddingsFilter(3),
    EmbeddingsFilter(0, 0.2),
]


@for_each("stage", FILTERS)
def test_kept_and_removed_are_the_input_in_its_order_with_scores_untouched(stage: Stage) -> None:
    before = ranking()
    after = stage(before)
    assert 0 < len(after) < len(before)
    assert after.hits == tuple(h for h in before.hits if h.document.id in kept(after))
    gone = [h.document for h in before.hits if h.document.id not in kept(after)]
    assert [d.document for d in after.dropped] == gone
    assert all(d.by == stage.label and d.reason.endswith(".") for d in after.dropped)


# ------------------------------------------------------------------------------------------------ score


@given(
    st.lists(st.floats(-10, 10), min_size=1, max_size=9),
    st.floats(-2, 2),
    st.sampled_from(["score", "best", "min-max"]),
)
def test_scores_below_the_limit_go_and_say_how_far_below(scores: list[float], limit: float, of: str) -> None:
    before = ranking(documents(len(scores)), scores=scores)
    after = ScoreThreshold(limit, of)(before)
    low, top = min(scores), max(scores)
    for hit in before:
        value = hit.score
        if of == "best" and top > 1e-9:
            value = hit.score / top
        elif of != "score":
            value = (hit.score - low) / (top - low) if top - low > 1e-9 else 1.0
        assert (hit.document.id in kept(after)) == (value >= limit - 1e-9)
        if value < limit - 1e-9:
            told = values(after, hit.document.id)
            assert told["score"] == hit.score
            assert told["limit"] == limit
            assert told.get("share", value) == pytest.approx(value)


@pytest.mark.parametrize(("scores", "of"), [((1.5, 0.3), "best"), ((1.5, 0.3, 0.0), "min-max")])
def test_a_score_that_is_exactly_at_the_limit_stays(scores: tuple[float, ...], of: str) -> None:
    assert 0.3 / 1.5 < 0.2  # in binary fractions
    after = ScoreThreshold(0.2, of)(ranking(documents(len(scores)), scores=scores))
    assert [h.score for h in after] == [1.5, 0.3]


@pytest.mark.parametrize("of", ["best", "min-max"])
@pytest.mark.parametrize("scores", [(1.0,), (1.0, 1.0, 1.0), (-2.0, -2.0), (0.0,)])
def test_where_all_scores_are_equal_all_are_the_best(scores: tuple[float, ...], of: str) -> None:
    assert len(ScoreThreshold(1.0, of)(ranking(documents(len(scores)), scores=scores))) == len(scores)


def test_of_negative_scores_the_place_between_is_compared_and_the_best_stays() -> None:
    after = ScoreThreshold(0.4, "best")(ranking(documents(3), scores=(-1.0, -2.0, -3.0)))
    assert [h.score for h in after] == [-1.0, -2.0]
    assert values(after, after.dropped[0].document.id)["share"] == 0.0
    assert "between the lowest and the best" in after.dropped[0].reason


# --------------------------------------------------------------------------------------------- metadata


@for_each(
    "text, day",
    [
        ("2024-05-01", date(2024, 5, 1)),
        ("2024/5/1", date(2024, 5, 1)),
        ("2024.05.01", date(2024, 5, 1)),
        ("2024年5月1日", date(2024, 5, 1)),
        ("２０２４－０５－０１", date(2024, 5, 1)),
        (20240501, date(2024, 5, 1)),
        ("2024-05-01T23:59:00Z", date(2024, 5, 1)),
        ("2024-02-30", None),
        ("last spring", None),
        ("2024-05-011", None),
        (2024.5, None),
        (True, None),
        (["2024-05-01"], None),
        ("", None),
    ],
)
def test_dates_are_read_as_they_are_usually_written(text: str | int, day: date | None) -> None:
    assert read_date(text) == day


def test_the_age_counts_back_from_the_day_that_was_set() -> None:
    found = [
        Document("old", "x", metadata={"date": "2023-12-31"}),
        Document("edge", "x", metadata={"date": "2024-01-01"}),
        Document("new", "x", metadata={"date": "2030-01-01"}),
    ]
    after = MetadataFilter(max_age_days=366, as_of="2025-01-01")(ranking(found))
    assert kept(after) == ["edge", "new"]
    assert (date(2025, 1, 1) - date(2024, 1, 1)).days == 366
    assert values(after, "old") == {"day": "2023-12-31", "age": 367, "as_of": "2025-01-01", "limit": 366}
    assert after.dropped[0].reason == "Dated 2023-12-31; age on 2025-01-01 in days: 367, limit 366."


def test_what_happens_to_missing_and_unreadable_values_is_set() -> None:
    found = [
        Document("none", "x"),
        Document("odd", "x", metadata={"date": "long ago", "source": "manual"}),
        Document("blank", "x", metadata={"date": " ", "source": []}),
    ]
    limits = {"max_age_days": 10, "as_of": "2025-01-01", "sources": ("manual",)}
    assert kept(MetadataFilter(**limits)(ranking(found))) == ["none", "odd", "blank"]
    assert kept(MetadataFilter(**limits, missing="drop")(ranking(found))) == ["odd"]
    after = MetadataFilter(**limits, unreadable="drop")(ranking(found))
    assert kept(after) == ["none", "blank"]
    assert values(after, "odd") == {"field": "date", "value": "long ago"}


def test_sources_may_be_lists_and_fields_may_be_required() -> None:
    found = [
        Document("a", "x", metadata={"source": ["faq", "manual"], "author": "Li"}),
        Document("b", "x", metadata={"source": "forum", "author": "Wu"}),
        Document("c", "x", metadata={"source": "manual", "author": ""}),
    ]
    after = MetadataFilter(sources=("manual",), required=("author",))(ranking(found))
    assert kept(after) == ["a"]
    assert {d.document.id: d.reason for d in after.dropped} == {
        "b": "source is “forum”; allowed: manual.",
        "c": "The field “author” is missing.",
    }


@pytest.mark.parametrize("as_of", ["", "yesterday", "2024-13-01"])
def test_a_maximum_age_needs_a_day_to_count_from(as_of: str) -> None:
    with pytest.raises(ParameterError, match="as_of"):
        MetadataFilter(max_age_days=1, as_of=as_of)


@for_each("wanted", ["web ", "Web", "ＷＥＢ", " web"])
def test_a_source_is_the_same_in_any_case_and_width_and_with_blanks_around_it(wanted: str) -> None:
    found = [Document("a", "x", metadata={"source": " web"}), Document("b", "x", metadata={"source": "webs"})]
    assert kept(MetadataFilter(sources=(wanted,))(ranking(found))) == ["a"]
    assert kept(MetadataFilter(required=("source ",))(ranking(found))) == ["a", "b"]


@pytest.mark.parametrize("name", ["sources", "required"])
def test_a_word_of_blanks_would_remove_everything_and_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"A word of {name} is empty"):
        MetadataFilter(**{name: ("a", " ")})


def test_lists_become_tuples_and_a_lone_word_is_refused() -> None:
    assert hash(MetadataFilter(sources=["a"])) == hash(MetadataFilter(sources=("a",)))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="must be a list"):
        KeywordExclusion(words="beta")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------ words


def test_a_latin_word_stands_alone_and_a_chinese_one_anywhere() -> None:
    after = KeywordExclusion(("beta", "充满"))(ranking())
    assert [d.document.id for d in after.dropped] == ["d2", "d3", "d7"]  # not Alphabetical
    assert values(after, "d7") == {"word": "beta", "position": TEXTS[7].index("beta") + 1}
    assert values(after, "d3")["position"] == TEXTS[3].index("充满") + 1


@for_each("text", ["ＢＥＴＡ版", "the Beta", "(beta)", "beta版", "内测beta"])
def test_words_are_found_in_any_width_and_case(text: str) -> None:
    assert kept(KeywordExclusion(("beta",))(ranking([Document("x", text)]))) == []


def test_a_word_is_found_however_its_accent_is_written_and_its_place_is_that_in_the_text() -> None:
    after = KeywordExclusion(("café",))(ranking([Document("x", "ﬁne cafe\u0301")]))
    assert values(after, "x") == {"word": "café", "position": 5}
    assert kept(KeywordExclusion(("\u200b",))(ranking([Document("x", "tea")]))) == ["x"]  # nothing to look for


@pytest.mark.parametrize(
    ("word", "text", "found", "position"),
    [
        ("wifi", "no Wi-Fi here", "Wi-Fi", 4),
        ("Wi-Fi", "no wifi here", "wifi", 4),
        ("e-mails", "Emails", "Emails", 1),
        ("1000", "above 1,000 yuan", "1,000", 7),
        ("1,000", "above 1000 yuan", "1000", 7),
        ("3.5 mm", "a 3.5mm plug", "3.5mm", 3),
        ("3.5mm", "插头３．５ mm", "３．５ mm", 3),
        ("WH1000XM5", "the WH-1000XM5.", "WH-1000XM5", 5),
    ],
)
def test_a_word_is_found_in_its_variants_of_spelling(word: str, text: str, found: str, position: int) -> None:
    after = KeywordExclusion((word,))(ranking([Document("x", text), Document("y", "z", text)]))
    assert values(after, "x") == {"word": word, "position": position, "found": found}
    assert values(after, "y")["found"] == found
    assert kept(KeywordExclusion(patterns=(re.escape(word),))(ranking([Document("x", text)]))) == ["x"]


@for_each(
    "pair", [("us", "the U.S."), ("U.S.", "tell us"), ("5", "5l"), ("12", "1-2"), ("fi", "wifi"), ("wi fi", "wifi")]
)
def test_these_are_no_variants(pair: tuple[str, str]) -> None:
    word, text = pair
    assert kept(KeywordExclusion((word,))(ranking([Document("x", text)]))) == ["x"]


def test_the_spelling_of_a_variant_keeps_its_case_where_that_counts() -> None:
    found = [Document("x", "Wi-Fi"), Document("y", "wi-fi")]
    assert kept(KeywordExclusion(("WiFi",), case_matters=True)(ranking(found))) == ["y"]


def test_a_thousand_words_are_looked_for_in_two_hundred_passages_in_two_seconds() -> None:
    text = "Ｗ77 and w1000w w2000 w3000, 充满 of w4000_ words like a w123x " * 8
    found = [Document(f"d{i}", f"{text} {i}", "w55555 and more") for i in range(200)]
    start = time.process_time()
    after = KeywordExclusion(tuple(f"w{i}" for i in (*range(78, 1000), *range(5000, 5078))))(ranking(found))
    assert time.process_time() - start < 2
    assert len(kept(after)) == 200


def test_more_excluded_words_than_can_be_looked_for_are_refused() -> None:
    with pytest.raises(ParameterError, match="1001 excluded words; the maximum is 1000") as caught:
        KeywordExclusion(tuple(f"w{i}" for i in range(1001)))
    assert caught.value.remedy


@given(text=st.text(alphabet="ab1_ .-充满", max_size=12), word=st.text(alphabet="ab1.-充", min_size=1, max_size=3))
def test_a_word_stands_where_no_letter_or_digit_touches_its_letters(text: str, word: str) -> None:
    letter = "[ab1]"
    left, right = (re.match(letter, edge) is not None for edge in (word[0], word[-1]))
    wanted = re.search(f"{f'(?<!{letter})' * left}{re.escape(word)}{f'(?!{letter})' * right}", text)
    assume(word.strip())
    assume(one_spelling(word).text == word and one_spelling(text).text == text)  # no variants
    after = KeywordExclusion((word,))(ranking([Document("x", text or " ")]))
    assert kept(after) == ([] if wanted else ["x"])


def test_case_counts_where_it_is_said_to() -> None:
    found = [Document("x", "Beta"), Document("y", "beta")]
    assert kept(KeywordExclusion(("beta",), case_matters=True)(ranking(found))) == ["x"]
    assert kept(KeywordExclusion(patterns=("^b",), case_matters=True)(ranking(found))) == ["x"]
    assert kept(KeywordExclusion(patterns=("^b",))(ranking(found))) == []


@pytest.mark.parametrize(("word", "text"), [("BETA", "ＢＥＴＡ"), ("ＢＥＴＡ", "BETA"), ("É", "E\u0301")])
def test_width_never_counts_also_where_case_does(word: str, text: str) -> None:
    found = [Document("x", f"的 {text}"), Document("y", f"的 {text.lower()}")]
    after = KeywordExclusion((word,), case_matters=True)(ranking(found))
    assert kept(after) == ["y"]
    assert values(after, "x") == {"word": word, "position": 3}


def test_blanks_around_an_excluded_word_are_none_of_it() -> None:
    assert KeywordExclusion((" low", "low ")) == KeywordExclusion(("low", "low"))
    assert kept(KeywordExclusion((" low ",))(ranking([Document("x", "low battery"), Document("y", "slow")]))) == ["y"]


@for_each("pattern", ["", "x*", "(a|)", "^", "$", r"\b", r"\B", "(?i)", "a?", r"\s*$"])
def test_a_pattern_that_fits_where_nothing_stands_is_refused(pattern: str) -> None:
    with pytest.raises(ParameterError, match="matches the empty text") as caught:
        KeywordExclusion(patterns=("fine", pattern))
    assert "+" in caught.value.remedy


def test_a_pattern_says_what_it_found_and_where() -> None:
    text = "耳机😀 call 555-0199 now"
    after = KeywordExclusion(patterns=(r"\d{3}-\d{4}",))(ranking([Document("x", text)]))
    assert values(after, "x") == {"found": "555-0199", "position": text.index("555") + 1, "pattern": r"\d{3}-\d{4}"}


def test_titles_are_searched_too() -> None:
    after = KeywordExclusion(("draft",), ("^v[0-9]",))(ranking([Document("a", "x", "Draft"), Document("b", "x", "v2")]))
    assert [d.reason for d in after.dropped] == [
        "The title contains the word “draft”.",
        "The title contains “v2”, which matches the pattern ^v[0-9].",
    ]


def test_half_characters_in_a_text_do_no_harm() -> None:
    assert kept(KeywordExclusion(("beta",), ("b.ta",))(ranking([Document("x", "\ud83d beta")]))) == []


@pytest.mark.parametrize("end", ["", "!"])
def test_a_pattern_that_ruins_others_takes_no_time(end: str) -> None:
    found = [Document("x", "a" * 1_000_000 + end)]
    start = time.process_time()
    after = KeywordExclusion(("aa",), (r"(a+)+$",))(ranking(found))
    assert time.process_time() - start < 2
    assert kept(after) == (["x"] if end else [])


@for_each(
    "pattern, position",
    [
        ("ab(cd", 3),
        ("ab)c", 3),
        ("x[ab", 2),
        ("a**", 2),
        ("*a", 1),
        ("a*|+b", 4),
        ("(?=x)", 1),
        ("ab(?<!c)d", 3),
        (r"ab\1", 3),
        ("a{1001}", 2),
        ("电池(", 3),
        (r"\(a\)(", 6),
        ("[)](", 4),
        ("ab\\", 3),
        ("a\ud800", 2),
        ("x{2,1}", 2),
    ],
)
def test_an_invalid_pattern_is_explained_with_its_position(pattern: str, position: int) -> None:
    with pytest.raises(ParameterError) as caught:
        KeywordExclusion(patterns=("fine", pattern))
    assert isinstance(caught.value.message, Said)
    assert caught.value.message.values["pattern"] == pattern
    assert caught.value.message.values["position"] == position
    assert "RE2" in caught.value.remedy


def test_an_empty_word_is_refused() -> None:
    with pytest.raises(ParameterError):
        KeywordExclusion(("a", " "))


# ---------------------------------------------------------------------------------------------- vectors


def cosines_of(before: Ranking) -> tuple[np.ndarray, np.ndarray]:
    assert before.corpus is not None
    encoder = BuiltIn().fit(before.corpus)
    rows = unit(encoder.documents([h.document.content for h in before]))
    return rows @ unit(encoder.queries([before.query.text]))[0], rows @ rows.T


@for_each("limit", [0.5, 0.8, 0.9, 1.0])
def test_duplicates_of_something_kept_go_and_name_it(limit: float) -> None:
    before = ranking()
    after = SemanticDedup(limit)(before)
    _, similarity = cosines_of(before)
    stays: list[int] = []
    for i, hit in enumerate(before):
        near = max((similarity[i, j] for j in stays), default=-1.0)
        assert (hit.document.id in kept(after)) == (near < limit)
        if near < limit:
            stays.append(i)
        else:
            told = values(after, hit.document.id)
            assert told["cosine"] == pytest.approx(near)
            twin = after.hits[int(str(told["rank"])) - 1].document
            assert told["document"] == twin.label
            assert similarity[i, int(twin.id[1:])] == pytest.approx(near)


@pytest.mark.parametrize("embedder", [BuiltIn(), LSA()], ids=["built-in", "LSA"])
def test_at_a_limit_of_one_exact_copies_are_the_same_and_nothing_is_above(embedder: Embedder) -> None:
    texts = [f"耳机 WH-{i}00 的电池 battery {'充电 case ' * (i % 3)}" for i in range(60)]
    twice = [Document(f"{copy}{i}", text) for copy in "ab" for i, text in enumerate(texts)]
    assert len(SemanticDedup(1.0, embedder)(ranking(twice))) == len(texts)
    assert len(RedundancyFilter(1.0, "earlier", embedder)(ranking(twice))) == 2 * len(texts)


@pytest.mark.parametrize("keep", ["later", "earlier"])
def test_of_two_similar_documents_the_named_one_stays(keep: str) -> None:
    before = ranking()
    after = RedundancyFilter(0.8, keep)(before)
    _, similarity = cosines_of(before)
    left = [int(i[1:]) for i in kept(after)]
    assert all(similarity[i, j] <= 0.8 for i in left for j in left if i != j)
    for drop in after.dropped:
        told = values(after, drop.document.id)
        gone, twin = int(drop.document.id[1:]), int(str(told["document"])[1:])
        assert told["cosine"] == pytest.approx(similarity[gone, twin])
        assert told["rank"] == twin + 1
        assert (twin > gone) == (keep == "later")


@for_each("k, threshold", [(3, None), (0, 0.2), (4, 0.1), (100, None)])
def test_the_nearest_above_the_threshold_stay(k: int, threshold: float | None) -> None:
    before = ranking()
    after = EmbeddingsFilter(k, threshold)(before)
    near, _ = cosines_of(before)
    order = np.argsort(-near)
    chosen = order[:k] if k else order
    assert {int(i[1:]) for i in kept(after)} == {int(i) for i in chosen if threshold is None or near[i] > threshold}
    for drop in after.dropped:
        i, told = int(drop.document.id[1:]), values(after, drop.document.id)
        assert told["cosine"] == pytest.approx(near[i])
        if "place" in told:
            assert told["place"] == list(order).index(i) + 1 > k
            assert told["last"] == pytest.approx(near[order[k - 1]])


def test_an_embeddings_filter_without_any_limit_is_refused() -> None:
    with pytest.raises(ParameterError):
        EmbeddingsFilter(0)


# --------------------------------------------------------------------------------------------- minimum match


def test_what_has_too_few_of_the_terms_goes_with_the_numbers() -> None:
    found = [Document("two", "red pear jam"), Document("one", "red red red"), Document("none", "tea")]
    after = MinimumMatch(0.6)(ranking(found, "red pear"))
    assert kept(after) == ["two"]
    assert {d.document.id: d.reason for d in after.dropped} == {
        "one": "Query terms found: 1 of 2; required: 2.",
        "none": "Query terms found: 0 of 2; required: 2.",
    }


@given(st.floats(0, 1), st.integers(0, 5))
def test_the_share_is_rounded_up_and_at_least_one_term_is_asked_for(share: float, there: int) -> None:
    words = ["apple", "pear", "plum", "lemon", "cherry"]
    found = [Document("x", " ".join(words[:there]) + " tea")]
    after = MinimumMatch(share)(ranking(found, " ".join(words)))
    need = next(n for n in range(1, 6) if n >= share * 5 - 1e-9)
    assert (kept(after) == ["x"]) == (there >= need)


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        ("refund time", True),
        ("how long does a refund take", False),
        ("退货要几天", True),
        ("E21 on RV-450W 2.1 报错", True),
        ("one two three 4", False),
        ("1 2 3 four", True),
    ],
)
def test_ragflow_has_a_minimum_match_for_what_it_takes_for_chinese(question: str, taken: bool) -> None:
    after = MinimumMatch(1.0, asked="chinese")(ranking([Document("x", "tea")], question))
    assert (kept(after) == []) == taken
    assert kept(MinimumMatch(1.0)(ranking([Document("x", "tea")], question))) == []


# ---------------------------------------------------------------------------------------------- in a chain

CHAIN = (SemanticDedup(0.8), KeywordExclusion(("hours",)), ScoreThreshold(3.0))
SEARCH = BM25(variant="lucene") >> SemanticDedup(0.8) >> KeywordExclusion(("hours",)) >> ScoreThreshold(1.0)
THINGS = Corpus("things", tuple(documents()))
ASKED = "headphones hours charging leave app list order"


def test_a_chain_counts_what_comes_and_what_stays() -> None:
    whole = Runner(THINGS)(SEARCH, ASKED)
    steps = [r for r in whole.lineage() if r.parents]
    assert [s.made_by for s in steps] == list(SEARCH.refine)
    assert steps[-1] is whole
    for before, after in pairwise(whole.lineage()):
        assert len(before) == len(after) + len(after.dropped)
    assert all(s.seconds >= 0 for s in steps)
    assert ranking().then(*CHAIN).hits == CHAIN[2](CHAIN[1](CHAIN[0](ranking()))).hits


def test_the_cheap_ones_come_first() -> None:
    assert cheapest_first(CHAIN) == (CHAIN[2], CHAIN[1], CHAIN[0])
    assert cheapest_first((CHAIN[0], EmbeddingsFilter())) == (CHAIN[0], EmbeddingsFilter())


def looked_at(search: Pipeline, runner: Runner) -> int:
    """How many documents the stages of a search were given, all of them together."""
    return sum(len(r.parents[0]) for r in runner(search, ASKED).lineage() if r.parents)


def test_another_order_can_cost_less_and_keep_other_documents() -> None:
    paths = [f"refine.{i}" for i in range(3)]
    orders = [SEARCH.reordered(order) for order in permutations(paths)]
    assert orders[0] == SEARCH
    assert len(set(orders)) == 6
    runner = Runner(THINGS)
    first = BM25(variant="lucene").index(THINGS).search(ASKED)
    for order in orders:
        assert runner(order, ASKED).hits == first.then(*order.refine).hits
    cheap = next(order for order in orders if order.refine == cheapest_first(SEARCH.refine))
    assert looked_at(cheap, runner) < looked_at(SEARCH, runner)


def test_order_matters_where_a_duplicate_outlives_its_twin() -> None:
    twins = Corpus("twins", (Document("a", "The lamp blinks red."), Document("b", "The lamp blinks red!")))
    dedup_first = BM25(variant="lucene") >> SemanticDedup(0.9) >> KeywordExclusion(patterns=(r"\.$",))
    dedup_last = dedup_first.reordered(("refine.1", "refine.0"))
    runner = Runner(twins)
    assert runner(dedup_first, "lamp").ids == []
    assert runner(dedup_last, "lamp").ids == ["b"]


def test_an_empty_chain_changes_nothing() -> None:
    assert ranking().then() == ranking()
    only = Pipeline((BM25(variant="lucene"),))
    assert only.reordered(()) == only
    assert Runner(THINGS)(only, ASKED) == Runner(THINGS)(BM25(variant="lucene"), ASKED)


def test_documents_that_were_removed_are_named_with_the_step() -> None:
    whole = ranking().then(*CHAIN)
    lost = [
        (r.made_by.label, d.document.id)
        for r in whole.lineage()
        for d in r.dropped
        if d.document.id in ("d0", "d1", "d4")
    ]
    assert lost == [("Semantic de-duplication", "d1"), ("Keywords", "d0")]
