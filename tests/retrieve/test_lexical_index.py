"""BM25 and TF-IDF by hand: scores as arithmetic, the explained numbers, the fallback, the shared matrix."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from night import NIGHT, for_each, seeds, spread
from plain import WORDS, okapi

from lab.algebra import Contribution, Corpus, Document, Later, Query, tie_key
from lab.corpus import samples
from lab.retrieve import lexical, matrix
from lab.retrieve.lexical import BM25, TFIDF, Lexical, LexicalIndex
from lab.retrieve.matrix import TermMatrix
from lab.text import Analyzer, is_han


def corpus(*texts: str) -> Corpus:
    return Corpus("by hand", tuple(Document(str(i), text) for i, text in enumerate(texts)))


# lengths 2, 4, 3, 3: the average is 3.  E21 stands in one document of four, battery in two.
FOUR = corpus("battery E21", "battery battery low light", "bluetooth pairing light", "return policy days")
N, AVERAGE = 4, (2 + 4 + 3 + 3) / 4
K1, B = 1.5, 0.75


def norm(length: int) -> float:
    return 1 - B + B * length / AVERAGE


# ---------------------------------------------------------------------------------------------- formulas


@for_each(
    "variant, expected",
    [
        ("okapi", math.log((N - 1 + 0.5) / (1 + 0.5)) * 1 * (K1 + 1) / (1 + K1 * norm(2))),
        ("lucene", math.log(1 + (N - 1 + 0.5) / (1 + 0.5)) * 1 / (1 + K1 * norm(2))),
        (
            "l",
            math.log((N + 1) / (1 + 0.5)) * 1 * (K1 + 1) * (1 / norm(2) + 1.0) / (K1 + 1 / norm(2) + 1.0),
        ),
        ("plus", math.log((N + 1) / 1) * (1.0 + 1 * (K1 + 1) / (1 + K1 * norm(2)))),
        ("no-log-idf", (N - 1 + 0.5) / (1 + 0.5) * 1 * (K1 + 1) / (1 + K1 * norm(2))),
    ],
)
def test_each_variant_is_its_formula(variant: str, expected: float) -> None:
    ranking = BM25(k1=K1, b=B, variant=variant, analyzer=WORDS).index(FOUR).search("e21")
    assert [h.document.id for h in ranking] == ["0"]
    assert ranking.hits[0].score == pytest.approx(expected, rel=1e-12)


def test_okapi_gives_a_word_of_most_documents_a_share_of_the_mean_idf() -> None:
    three = corpus("battery E21", "battery light", "battery low")  # battery is in all of three
    common = math.log(0 + 0.5) - math.log(3 + 0.5)
    rare = math.log(3 - 1 + 0.5) - math.log(1 + 0.5)
    mean = (common + 3 * rare) / 4
    index = okapi(epsilon=0.25).index(three)
    assert common < 0
    assert index.idf[index.matrix.vocabulary["battery"]] == pytest.approx(0.25 * mean)
    assert index.search("battery").hits[0].score == pytest.approx(0.25 * mean * (1 * 2.5) / (1 + 1.5), rel=1e-12)


def test_without_k1_only_presence_counts() -> None:
    scores = {h.document.id: h.score for h in BM25(k1=0.0, variant="lucene").index(FOUR).search("battery")}
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    assert scores == pytest.approx({"0": idf, "1": idf})


def test_without_b_length_does_not_count() -> None:
    index = BM25(b=0.0, variant="lucene").index(corpus("light", "light and very many other words here"))
    one, two = index.search("light").hits
    assert one.score == two.score


def test_without_the_logarithm_one_rare_word_drowns_the_rest() -> None:
    texts = ["battery light low"] * 3 + ["battery light"] * 3 + ["E21 case"] + ["other words"] * 60
    query = "E21 battery light low"
    odds = BM25(variant="no-log-idf").index(corpus(*texts)).search(query)
    log = BM25().index(corpus(*texts)).search(query)
    assert odds.rank("6") == 1
    assert log.ids[0] in ("0", "1", "2")


def test_tfidf_is_the_cosine_of_weighted_counts() -> None:
    two = corpus("light light low", "light E21")
    light, low = math.log((1 + 2) / (1 + 2)) + 1, math.log((1 + 2) / (1 + 1)) + 1
    ranking = TFIDF().index(two).search("light low")
    expected = (2 * light * light + low * low) / (math.hypot(2 * light, low) * math.hypot(light, low))
    assert ranking.hits[0].score == pytest.approx(expected, rel=1e-12)
    damped = TFIDF(sublinear=True).index(two).search("light low").hits[0].score
    tf = 1 + math.log(2)
    assert damped == pytest.approx(
        (tf * light * light + low * low) / (math.hypot(tf * light, low) * math.hypot(light, low))
    )


def test_textbook_idf_ignores_a_word_of_every_document() -> None:
    two = corpus("light low", "light E21")
    found = TFIDF(idf_form="textbook").index(two).search("light")
    assert [h.score for h in found] == [0.0, 0.0], "it weighs nothing, and is found"
    assert len(TFIDF(idf_form="plain").index(two).search("light")) == 2


def test_a_word_asked_twice_counts_twice_in_bm25_and_not_at_all_in_a_cosine() -> None:
    bm25, tfidf = BM25().index(FOUR), TFIDF().index(FOUR)
    assert bm25.search("E21 E21").hits[0].score == pytest.approx(2 * bm25.search("E21").hits[0].score)
    assert tfidf.search("E21 E21").hits[0].score == pytest.approx(tfidf.search("E21").hits[0].score)


def test_a_word_in_half_of_the_documents_is_found_with_score_zero() -> None:
    index = okapi().index(corpus("red fox", "blue sky"))
    found = index.search("fox")
    assert [(h.document.id, h.score) for h in found] == [("0", 0.0)]  # ln((2 - 1 + .5) / (1 + .5)) = 0
    assert [(c.source, c.value) for c in found.hits[0].why] == [("fox", 0.0)]
    alone = okapi().index(corpus("red fox")).search("fox")
    assert [h.document.id for h in alone] == ["0"]
    assert alone.hits[0].score < 0
    assert index.search("cat").hits == ()


def test_a_list_says_how_many_were_asked_for_where_it_may_go_on() -> None:
    index = BM25(variant="lucene").index(FOUR)
    assert (len(index.search("battery", k=1)), index.search("battery", k=1).asked) == (1, 1)
    assert (len(index.search("battery", k=2)), index.search("battery", k=2).asked) == (2, 0)


# ------------------------------------------------------------------------------------------ weighted words


def test_a_word_of_weight_two_is_the_word_twice_in_bm25() -> None:
    for variant in ("okapi", "lucene", "l", "plus", "no-log-idf"):
        index = BM25(variant=variant).index(FOUR)
        twice = index.search("battery battery light")
        weighed = index.search(Query("anything", weights=(("battery", 2), ("light", 1))))
        assert [(h.document, h.score) for h in weighed] == [(h.document, h.score) for h in twice]
        assert [list(h.why) for h in weighed] == [list(h.why) for h in twice]
        parts = index.explain(Query("", weights=(("battery", 2), ("light", 1))), weighed.ids[0])
        assert math.fsum(p.value for p in parts) == pytest.approx(weighed.hits[0].score, rel=1e-12)


def test_the_text_is_not_searched_where_there_are_weights() -> None:
    index = BM25(variant="lucene").index(FOUR)
    assert index.search(Query("battery", weights=(("E21", 1),))).ids == index.search("E21").ids
    assert index.search(Query("battery", weights=(("unknown", 1),))).hits == ()


def test_half_and_negative_weights_scale_their_addends() -> None:
    index = BM25(analyzer=WORDS).index(FOUR)
    whole = {h.document.id: {c.source: c.value for c in h.why} for h in index.search("battery light")}
    found = index.search(Query("", weights=(("battery", 0.5), ("light", -1))))
    for hit in found:
        own = whole[hit.document.id]
        expected = {word: w * own[word] for word, w in (("battery", 0.5), ("light", -1)) if word in own}
        assert {c.source: c.value for c in hit.why} == pytest.approx(expected)
        assert hit.score == pytest.approx(math.fsum(expected.values()))


def test_tfidf_takes_weights_as_counts() -> None:
    index = TFIDF().index(FOUR)
    once, twice = index.search(Query("", weights=(("battery", 1), ("light", 1)))), index.search("battery light")
    assert [(h.document, h.score) for h in once] == [(h.document, h.score) for h in twice]
    more = index.search(Query("", weights=(("battery", 2), ("light", 1))))
    assert [(h.document, h.score) for h in more] == [
        (h.document, h.score) for h in index.search("battery battery light")
    ]


def test_reasons_are_made_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    real = Later._read

    def counted(self: Later[Contribution]) -> tuple[Contribution, ...]:
        calls.append(1)
        return real(self)

    monkeypatch.setattr(Later, "_read", counted)
    found = BM25(analyzer=WORDS).index(FOUR).search("battery light")
    assert len(found) > 1
    assert calls == []
    assert found.hits[0].why[0].source in ("battery", "light")
    assert len(calls) == 1


# ------------------------------------------------------------------------------------------- explanations


@for_each("variant", ["okapi", "lucene", "l", "plus", "no-log-idf"])
def test_the_explained_numbers_make_the_score(variant: str) -> None:
    index = BM25(variant=variant, analyzer=WORDS).index(FOUR)
    query = "battery battery light E21 unknown"
    for hit in index.search(query):
        parts = index.explain(query, hit.document.id)
        assert [p.term for p in parts] == ["battery", "light", "e21", "unknown"]
        assert math.fsum(p.value for p in parts) == pytest.approx(hit.score, rel=1e-12)
        assert [p.count for p in parts] == [2, 1, 1, 1]
        assert [p.df for p in parts] == [2, 2, 1, 0]
        assert {p.length for p in parts} == {len(hit.document.text.split())}
        assert {p.average_length for p in parts} == {AVERAGE}
        words = hit.document.text.lower().split()
        assert [p.tf for p in parts] == [words.count(p.term) for p in parts]
        floor = 1.0 if variant == "plus" else 0.0
        for p in parts:
            assert p.value == pytest.approx(p.count * p.idf * (p.factor + floor))


def test_explained_tfidf_makes_the_score() -> None:
    index = TFIDF(sublinear=True).index(FOUR)
    for hit in index.search("battery light unknown"):
        assert math.fsum(p.value for p in index.explain("battery light unknown", hit.document.id)) == pytest.approx(
            hit.score
        )


def test_why_has_one_addend_per_matched_word_in_query_order() -> None:
    hit = BM25(analyzer=WORDS).index(FOUR).search("light unknown battery").hit("1")
    assert hit is not None
    assert [c.source for c in hit.why] == ["light", "battery"]


def test_plus_explains_the_words_that_are_not_there() -> None:
    index = BM25(variant="plus", delta=0.5, analyzer=WORDS).index(FOUR)
    hit = index.search("e21 pairing").hit("0")
    assert hit is not None
    assert [c.source for c in hit.why] == ["e21", "pairing"]
    assert hit.why[1].value == pytest.approx(0.5 * math.log((4 + 1) / 1))
    assert index.search("e21 pairing").rank("3") is None


# ------------------------------------------------------------------------------------------------ queries


def test_single_characters_find_what_the_index_leaves_out() -> None:
    cats = corpus("猫喜欢鱼", "狗喜欢骨头", "我喜欢猫和猫粮")
    search = BM25(analyzer=WORDS)
    index = search.index(cats)
    assert "猫" not in index.matrix.vocabulary
    ranking = index.search("猫")
    assert [h.document.id for h in ranking][0] in ("0", "2")
    assert {h.document.id for h in ranking} == {"0", "2"}
    assert ranking.made_by == search
    assert [p.term for p in index.explain("猫", "0")] == ["猫"]
    assert index.explain("猫", "0")[0].value == pytest.approx(ranking.hit("0").score)  # type: ignore[union-attr]
    assert index.query_terms("猫") == {"猫": 1}


def test_question_words_are_looked_up_where_a_query_has_nothing_else() -> None:
    own = corpus("E21 是什么意思", "怎么充电", "who is who", "what E21 means")
    index = BM25().index(own)
    assert not {"什么", "什_么", "什", "怎么", "is", "what"} & set(index.matrix.vocabulary)
    assert index.search("E21 是什么").ids == ["0", "3"]
    assert [p.term for p in index.explain("E21 是 什么", "0")] == ["e21", "21", "是"]
    assert index.search("什么").ids == ["0", "1"], "么 stands in both"
    assert index.search("么").ids == ["1", "0"], "a character of a question word, and nothing else"
    assert set(index.search("what is").ids) == {"2", "3"}
    assert index.search("who").ids == ["2"]


def test_a_pair_that_no_document_has_falls_back_to_its_characters() -> None:
    cats = corpus("猫喜欢鱼", "狗喜欢骨头", "买猫粮")
    index = BM25(analyzer=WORDS).index(cats)
    assert [h.document.id for h in index.search("猫粮")] == ["2"]  # the pair itself
    assert {h.document.id for h in index.search("狗粮")} == {"1", "2"}  # the characters, apart
    assert index.search("狗粮 E21").hits == ()  # more than pairs: nothing to fall back to


@pytest.mark.parametrize("query", ["", "？！", "   "])
def test_a_query_without_words_builds_no_second_index(query: str) -> None:
    index = BM25().index(FOUR)
    assert index.for_query(query) is index
    assert index.search(query).hits == ()


def test_the_title_is_searched() -> None:
    titled = Corpus("t", (Document("a", "nothing here", "E21"), Document("b", "nothing else"), Document("c", "else")))
    assert [h.document.id for h in BM25().index(titled).search("e21")] == ["a"]


def test_equal_scores_at_the_cut_are_ordered_by_the_hash_of_their_ids() -> None:
    texts = ["light"] * 50 + ["light light"]
    ranking = BM25(variant="lucene", b=0.0).index(corpus(*texts)).search("light", k=10)
    assert [h.document.id for h in ranking] == ["50", *sorted(map(str, range(50)), key=tie_key)[:9]]


@pytest.mark.parametrize(
    "kinds", [{}, {"characters": False}, {"characters": False, "single": True}, {"mode": "bigram"}], ids=str
)
def test_a_query_of_one_character_finds_exactly_the_documents_that_have_it(kinds: dict[str, Any]) -> None:
    devices = samples.load("devices").corpus
    index = BM25(variant="lucene", analyzer=Analyzer(**kinds)).index(devices)
    characters = sorted({c for d in devices for c in d.content if is_han(c)})
    assert len(characters) > 1000
    for character in (characters[i] for i in seeds(len(characters))):
        has = {d.id for d in devices if character in d.content}
        assert set(index.search(character, k=len(devices)).ids) == has, character


def test_the_index_of_characters_is_made_when_it_is_asked_for() -> None:
    own = corpus("手机电池", "battery")
    index = BM25(analyzer=WORDS).index(own)
    characters = ("terms", replace(WORDS, mode="character"))
    assert index.search("电池").ids == ["0"]
    assert not own.holds(characters)
    assert index.search("电？").ids == ["0"]
    assert own.holds(characters)


# ------------------------------------------------------------------------------------------ kinds of terms

KINDS = Analyzer(bigrams=True, stem="snowball")
SHOPS = corpus("手机电池充电 charging charges", "电池 battery charged", "手表 watch", "音箱 speaker", "耳机 earphone")
OPERATORS: list[Lexical] = [
    *(BM25(variant=v, analyzer=KINDS) for v in ("okapi", "lucene", "l", "plus", "no-log-idf")),
    TFIDF(analyzer=KINDS),
    TFIDF(idf_form="plain", sublinear=True, analyzer=KINDS),
]


@for_each("operator", OPERATORS)
def test_a_pair_and_a_word_of_the_same_characters_are_one_addend(operator: Lexical) -> None:
    index = operator.index(SHOPS)
    hit = index.search("电池充电").hit("0")
    assert hit is not None
    why = {str(c.source): c.value for c in hit.why}
    assert list(why) == ["电池", "充电", "池充", "电", "池", "充"]
    parts = {p.term: p.value for p in index.explain("电池充电", "0")}
    assert set(parts) == {"电池", "充电", "电_池", "池_充", "充_电", "电", "池", "充"}
    assert why["电池"] == pytest.approx(parts["电池"] + parts["电_池"], rel=1e-12)
    assert why["电"] == parts["电"]
    assert math.fsum(why.values()) == pytest.approx(hit.score, rel=1e-12)


@for_each("operator", OPERATORS)
def test_the_formulas_of_the_names_sum_to_the_score(operator: Lexical) -> None:
    index = operator.index(SHOPS)
    for query in ("电池充电 charging", "手机 电池", "charged watch"):
        for hit in index.search(query):
            formulas = index.formulas(query, hit.document.id)
            assert math.fsum(f.value for f in formulas.values()) == pytest.approx(hit.score, rel=1e-9)
            assert {name: pytest.approx(f.value) for name, f in formulas.items()} == {
                str(c.source): c.value for c in hit.why if c.value
            }


def test_two_counts_in_one_formula_have_two_letters() -> None:
    index = BM25(variant="l", analyzer=KINDS).index(SHOPS)
    assert [w.partition("=")[0] for w in index.formulas("电池", "0")["电池"].where] == ["c", "c'"]


def test_a_stem_is_named_by_the_first_word_of_the_query_that_has_it() -> None:
    index = BM25(variant="lucene", analyzer=KINDS).index(SHOPS)
    found = index.search("charging charges watch")
    assert set(found.ids) == {"0", "1", "2"}
    (addend,) = found.hits[0].why
    assert found.ids[0] == "1"
    assert addend.source == "charging, by its stem charg"
    assert addend.source.values == {"word": "charging", "stem": "charg"}  # type: ignore[attr-defined]
    weighed = index.search(Query("", weights=(("charged", 0.5),)))
    assert [str(h.why[0].source) for h in weighed] == ["charged, by its stem charg"] * 2


# --------------------------------------------------------------------------------------- few documents


@pytest.mark.parametrize("n", [1, 2, 4, 10])
@pytest.mark.parametrize("variant", spread(["okapi", "lucene", "l", "plus", "no-log-idf"], 2))
def test_every_document_that_has_a_word_is_found_however_few_there_are(n: int, variant: str) -> None:
    for having in range(1, n + 1):
        own = corpus(*(f"fox {i}" if i < having else f"sky {i}" for i in range(n)))
        found = BM25(variant=variant).index(own).search("fox")
        assert sorted(found.ids) == sorted(str(i) for i in range(having))
        for hit in found:
            assert [c.source for c in hit.why] == ["fox"]
            assert math.fsum(c.value for c in hit.why) == hit.score
        if variant == "lucene":
            assert all(h.score > 0 for h in found)


# ------------------------------------------------------------------------------------------- many documents


@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer(stop_words=frozenset({"电池", "the"}), characters=False)])
def test_texts_counted_block_by_block_have_the_same_terms(analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        "电池充电，手机电池",
        "The phone: 充电",
        "",
        "电池",
        "机电 phones",
        "如何给手机充电",
        "充电电池\twhat 池",
    ] * 3
    for block in (1, 2, 3, 100):
        monkeypatch.setattr(matrix, "BLOCK", block)
        found = TermMatrix.count(texts, analyzer)
        rows: list[Counter[str]] = [Counter() for _ in texts]
        for term, j in found.vocabulary.items():
            for doc, tf in zip(found.docs[found.column(j)], found.tf[found.column(j)], strict=True):
                rows[doc][term] += int(tf)
        assert rows == [Counter(analyzer.tokens(text)) for text in texts]


def made_up(seed: int) -> tuple[Corpus, list[Query]]:
    """Some hundred documents of words of very different frequencies, many of them equal, and weighed queries."""
    rng, words = random.Random(seed), [f"w{i}" for i in range(60)]
    shares = [1 / (i + 1) ** rng.choice([0.5, 1.0, 1.5]) for i in range(len(words))]
    texts = [" ".join(rng.choices(words, shares, k=rng.choice([0, 1, 5, 20]))) for _ in range(rng.randint(60, 300))]
    texts += rng.choices(texts, k=rng.choice([0, 200])) + ["rare w0 w1", "rare w0"]
    texts += ["half"] * len(texts)  # in half of the documents: Okapi's IDF is 0
    queries = [Query(" ".join(rng.choices(words, k=rng.randint(1, 12)))) for _ in range(4)]
    weighed = [tuple((w, rng.choice(some)) for w in rng.sample(words, 6)) for some in ([0.5, 2.0], [1.0, -0.5, 0.0])]
    rng.shuffle(texts)
    return corpus(*texts), [
        *queries,
        *(Query("", weights=w) for w in weighed),
        *map(Query, ("rare w0", "half w3", "no")),
    ]


@pytest.mark.parametrize(
    "operator",
    spread(
        [
            *(BM25(variant=v) for v in ("okapi", "lucene", "l", "plus", "no-log-idf")),
            BM25(variant="lucene", k1=0.0),
            BM25(variant="plus", b=0.0, delta=4.0),
            TFIDF(),
            TFIDF(idf_form="textbook", sublinear=True),
        ],
        3,
    ),
    ids=str,
)
def test_what_cannot_be_among_the_best_is_left_out_and_nothing_else_changes(
    operator: Lexical, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = 0
    monkeypatch.setattr(lexical, "LARGE", 0)
    for seed in range(24 if NIGHT else 2):
        own, queries = made_up(seed)
        index = operator.index(own)
        for query in queries:
            for k in (1, 2, 7, 30, len(own)):
                monkeypatch.setattr(lexical, "MANY", 10**9)
                plain = index.search(query, k=k)
                monkeypatch.setattr(lexical, "MANY", 0)
                monkeypatch.setattr(lexical, "FEW", 1 + 10 * (seed % 4))
                monkeypatch.setattr(lexical, "SOUGHT", (0, 1, 10**9)[(seed + k) % 3])
                fast = index.search(query, k=k)
                assert [(h.document.id, h.score) for h in fast] == [(h.document.id, h.score) for h in plain], (seed, k)
                assert [list(h.why) for h in fast] == [list(h.why) for h in plain]
                assert fast.asked == plain.asked
                known = index._known(query)
                left_out += len(index._scores(known, k)[0]) < len(index._summed(known)[0])
    assert left_out > (20 if NIGHT else 0)


def test_a_common_word_is_looked_up_where_rare_ones_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"the {'E21 battery' if i % 100 == 0 else 'day'}" for i in range(2_000)]
    index = BM25(variant="lucene").index(corpus(*texts))
    for name, value in {"MANY": 0, "LARGE": 0, "FEW": 10}.items():
        monkeypatch.setattr(lexical, name, value)
    index.search("the E21 battery", k=10)  # the most that a word weighs is looked for once
    weighed: list[int] = []
    real = LexicalIndex._weights

    def counted(self: LexicalIndex, *args: Any) -> Any:
        found = real(self, *args)
        weighed.append(found[0].size)
        return found

    monkeypatch.setattr(LexicalIndex, "_weights", counted)
    assert len(index.search("the E21 battery", k=10)) == 10
    assert sum(weighed) < 400, "of 2000 + 20 + 20 entries, some of them twice"


def test_searches_at_the_same_time_have_sums_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    index = BM25(variant="lucene").index(corpus(*(f"the {'E21' if i % 9 == 0 else 'day'} {i % 7}" for i in range(900))))
    for name, value in {"MANY": 0, "LARGE": 0, "FEW": 10}.items():
        monkeypatch.setattr(lexical, name, value)
    alone = [index.search(query, k=3).hits for query in ("the E21 3", "the day 5")]

    class Taken(list[Any]):
        """Looks as if there were room, which another search has taken in the meantime."""

        def __len__(self) -> int:
            return 1

        def pop(self, *_: Any) -> Any:
            raise IndexError

    monkeypatch.setattr(index, "_room", Taken())
    assert index.search("the E21 3", k=3).hits == alone[0]
    monkeypatch.setattr(index, "_room", [])
    real, within = LexicalIndex._weights, list[Any]()

    def interrupted(self: LexicalIndex, *args: Any) -> Any:
        if not within:
            within.append(None)
            within[0] = index.search("the day 5", k=3).hits
        return real(self, *args)

    monkeypatch.setattr(LexicalIndex, "_weights", interrupted)
    assert index.search("the E21 3", k=3).hits == alone[0]
    assert within[0] == alone[1]


# ------------------------------------------------------------------------------------------------- matrix


def test_the_matrix_is_made_once_per_analyzer() -> None:
    own = corpus("battery light", "E21")
    first: LexicalIndex = BM25(k1=0.1).index(own)
    assert BM25(k1=9.0, variant="l").index(own).matrix is first.matrix
    assert TFIDF().index(own).matrix is first.matrix
    assert BM25(analyzer=Analyzer(mode="bigram")).index(own).matrix is not first.matrix


@pytest.mark.parametrize(
    "analyzer",
    [Analyzer(), Analyzer(bigrams=False), Analyzer(mode="full", stop_words=frozenset({"的"})), Analyzer(single=True)],
    ids=str,
)
def test_the_matrix_without_characters_is_a_part_of_that_with_them(analyzer: Analyzer) -> None:
    without, texts = replace(analyzer, characters=False), ("电池 battery a 的", "", "什么电", "b", "手机电池的电，Ａ的")
    made = TermMatrix.for_corpus(alone := corpus(*texts), without)
    whole = TermMatrix.for_corpus(both := corpus(*texts), analyzer)
    part = TermMatrix.for_corpus(both, without)
    assert [*part.vocabulary.items()] == [*made.vocabulary.items()]
    for name in ("starts", "docs", "tf", "lengths"):
        np.testing.assert_array_equal(getattr(part, name), getattr(made, name))
    assert np.shares_memory(part.docs, whole.docs) == (not analyzer.single)  # whose words of one character it lacks
    assert len(alone) == len(both)


def test_the_matrix_counts_terms_by_column() -> None:
    m = TermMatrix.count(["b a b", "", "a"], Analyzer(mode="whitespace"))
    a, b = m.vocabulary["a"], m.vocabulary["b"]
    assert m.docs[m.column(a)].tolist() == [0, 2]
    assert m.tf[m.column(a)].tolist() == [1, 1]
    assert m.tf[m.column(b)].tolist() == [2]
    assert m.df[[a, b]].tolist() == [2, 1]
    assert m.lengths.tolist() == [3, 0, 1]
    assert m.average_length == (3 + 0 + 1) / 3


@pytest.mark.parametrize("texts", [[], [""], ["", "  "]], ids=repr)
def test_nothing_to_count_is_a_matrix_too(texts: list[str]) -> None:
    m = TermMatrix.count(texts, Analyzer())
    assert m.vocabulary == {}
    assert m.lengths.tolist() == [0] * len(texts)
    assert m.average_length == 1
    for op in (BM25(), BM25(variant="plus"), TFIDF(), TFIDF(idf_form="textbook")):
        assert op.index(corpus(*texts)).search("light").hits == ()


@pytest.mark.parametrize(
    "kinds", [{}, {"stem": "porter", "questions": False}, {"mode": "precise", "characters": False}], ids=str
)
@pytest.mark.parametrize(
    "stop_words", spread([frozenset(), frozenset({"的", "电池", "a"})], 1), ids=["no stop words", "stop words"]
)
def test_texts_counted_in_blocks_have_the_tokens_of_each(
    kinds: dict[str, Any], stop_words: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, signs = random.Random(7), "电池手机的什么怎吗7a b C+#.-_1\t\n\x00，é\u0301ﬁｶﾒﾗ電話Σς½İ😀\ud800㐀〇Ｗ\u200b"
    texts = ["".join(rng.choices(signs, k=rng.randint(0, 40))) for _ in range(400)]
    analyzer = Analyzer(stop_words=stop_words, **kinds)
    monkeypatch.setattr(matrix, "BLOCK", 37)
    m = TermMatrix.count(iter(texts), analyzer)
    counts = [Counter(analyzer.tokens(text)) for text in texts]
    assert m.lengths.tolist() == [c.total() for c in counts]
    assert set(m.vocabulary) == set().union(*counts)
    for term, j in m.vocabulary.items():
        at = m.column(j)
        own = [(i, c[term]) for i, c in enumerate(counts) if c[term]]
        assert list(zip(m.docs[at].tolist(), m.tf[at].tolist(), strict=True)) == own


def test_a_count_above_255_is_kept() -> None:
    m = TermMatrix.count(["a " * 70_000 + "b", "a"], Analyzer(mode="whitespace"))
    assert m.tf[m.column(m.vocabulary["a"])].tolist() == [70_000, 1]
    assert TermMatrix.count(["a b", "a"], Analyzer(mode="whitespace")).tf.dtype == np.uint8


@pytest.mark.parametrize("operator", [BM25(), BM25(variant="l"), TFIDF(), TFIDF(sublinear=True)], ids=str)
def test_equal_documents_have_equal_scores_wherever_they_stand(
    operator: Lexical, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, words = random.Random(1), [f"w{i}" for i in range(40)]
    texts = [" ".join(rng.choices(words, k=20)) for _ in range(60)]
    monkeypatch.setattr(matrix, "BLOCK", 7)
    scores = {h.document.id: h.score for h in operator.index(corpus(*texts, *texts)).search("w1 w2 w3 w5 w8", k=120)}
    assert scores == {str((int(i) + 60) % 120): score for i, score in scores.items()}
    assert len(set(scores.values())) > 20
