"""What a citation is: its sentence stands in the passage that it opens, its parts are its similarity."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each, spread
from specimens import texts

from lab import catalog
from lab.algebra import Corpus, Document
from lab.answer.answered import from_model
from lab.answer.citations import BestSentence, CitationRule, RAGFlowCitations
from lab.answer.faithfulness import Faithfulness
from lab.answer.splitting import kind, pieces
from lab.models.lsa import LSA
from lab.text import mostly_han

RULES = [cls() for cls in catalog.concrete(CitationRule).values()]  # type: ignore[type-abstract]
LEAVE = Document("leave", "年假有 7 天。食堂在二楼。年假可以结转到下一年。", "年假制度")
REFUND = Document("refund", "A refund takes 14 days. The shop opens at nine. Gift cards are not refunded.", "Refunds")
CORPUS = Corpus("rules", (LEAVE, REFUND, Document("other", "The cafeteria serves noodles on Mondays.")))
TEXT = "年假可以结转到下一年。A refund takes 14 days. 火星上有水。"


@pytest.mark.parametrize("rule", RULES)
def test_a_copied_sentence_cites_the_passage_that_it_stands_in(rule: CitationRule) -> None:
    sentences = [TEXT[a:b] for a, b in pieces(TEXT)]
    told = rule.cite(sentences, CORPUS.documents, CORPUS)
    assert [one.sentence for one in told] == sentences
    best = BestSentence().cite(sentences, CORPUS.documents, CORPUS)
    assert [[s.place.passage for s in one.sources] for one in best] == [[0], [1], []]
    assert best[2].nearest is not None
    assert best[2].nearest.similarity < best[2].threshold


@pytest.mark.parametrize("rule", RULES)
def test_the_place_of_a_source_is_a_sentence_of_its_passage_word_for_word(rule: CitationRule) -> None:
    told = rule.cite(["年假可以结转到下一年。", "A refund takes 14 days."], CORPUS.documents, CORPUS)
    for one in told:
        assert one.nearest is not None
        assert one.nearest.place.read(CORPUS.documents) == one.sentence


@pytest.mark.parametrize("rule", RULES)
def test_the_parts_sum_to_the_similarity(rule: CitationRule) -> None:
    for one in rule.cite(["年假有几天？", "Gift cards!", "zebra"], CORPUS.documents, CORPUS):
        for source in (*one.sources, one.nearest):
            assert source is not None
            assert source.similarity == math.fsum(p.weight * p.value for p in source.parts)
            assert math.fsum(p.weight for p in source.parts) == pytest.approx(1)


@pytest.mark.parametrize("rule", RULES)
def test_without_passages_nothing_is_cited_and_nothing_is_nearest(rule: CitationRule) -> None:
    empty = Corpus("empty", ())
    for corpus in (CORPUS, empty):
        (one,) = rule.cite(["年假有七天。"], (), corpus)
        assert (one.sources, one.printed, one.nearest, one.alone) == ((), (), None, "")
    assert rule.cite([], CORPUS.documents, CORPUS) == ()


def test_ragflow_lowers_its_threshold_for_all_sentences_until_one_is_cited() -> None:
    rule, middling, copied = RAGFlowCitations(), "Noodles on Mondays are cheap.", LEAVE.content
    (alone,) = rule.cite([middling], CORPUS.documents, CORPUS)
    assert alone.nearest is not None
    lowered = [t for t in rule.tried if 0.99 * alone.nearest.similarity >= t]
    assert alone.threshold == lowered[0] < rule.threshold
    assert alone.sources
    beside, whole = rule.cite([middling, copied], CORPUS.documents, CORPUS)
    assert beside.threshold == whole.threshold == rule.threshold
    assert (len(beside.sources), len(whole.sources)) == (0, 1)
    (nothing,) = rule.cite(["关于其他的事情"], CORPUS.documents, CORPUS)
    assert (nothing.sources, nothing.threshold) == ((), rule.tried[-1])


def test_ragflow_prints_a_source_once_and_the_labs_rule_behind_every_sentence() -> None:
    twice = ["A refund takes 14 days.", "Gift cards are not refunded."]
    first, second = RAGFlowCitations().cite(twice, (REFUND,), CORPUS)
    assert (len(first.printed), len(second.sources), len(second.printed)) == (1, 1, 0)
    first, second = BestSentence().cite(twice, (REFUND,), CORPUS)
    assert (first.printed, second.printed) == (first.sources, second.sources)
    assert len(first.sources) == len(second.sources) == 1


@pytest.mark.parametrize("rule", RULES)
def test_a_passage_that_is_there_twice_is_cited_twice_in_its_order(rule: CitationRule) -> None:
    twin = Document("twin", REFUND.text, REFUND.title)
    (one,) = rule.cite(["A refund takes 14 days."], (LEAVE, REFUND, twin), Corpus("c", (LEAVE, REFUND, twin)))
    assert [s.place.passage for s in one.sources] == [1, 2]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ("```python\nprint(7)\n```", "code"),
        ("~~~\n年假有 7 天。", "code"),
        ("| 年假 | 7 |\n|---|---|\n| 病假 | 3 |", "table"),
        ("## 年假有 7 天", "heading"),
        ("是", "short"),
        ("", "short"),
        ("。", "short"),
    ],
)
def test_what_is_no_statement_is_left_alone_and_says_why(rule: CitationRule, piece: str, words: str) -> None:
    (one,) = rule.cite([piece], CORPUS.documents, CORPUS)
    assert words in one.alone
    assert (one.sources, one.nearest) == ((), None)


def test_ragflow_compares_a_block_of_code_if_wanted_and_puts_its_mark_behind_the_block() -> None:
    code = "```\nA refund takes 14 days.\n```"
    (left,) = RAGFlowCitations().cite([code], CORPUS.documents, CORPUS)
    (cited,) = RAGFlowCitations(code=True).cite([code], CORPUS.documents, CORPUS)
    assert left.alone
    assert not left.sources
    assert [CORPUS.documents[s.place.passage] for s in cited.sources] == [REFUND]
    answered = from_model(code, "How long?", CORPUS.documents, RAGFlowCitations(code=True), CORPUS, by="x")
    assert f"{code}\n[^1]" in answered.to_markdown()


def test_an_answer_of_one_word_is_compared() -> None:
    (one,) = BestSentence().cite(["年假"], CORPUS.documents, CORPUS)
    assert not one.alone
    assert one.nearest is not None
    assert one.nearest.place.passage == 0


HOSTILE = [
    "\ud83d",
    "a" * 100_000,
    "电" * 100_000,
    "<b>&amp;</b>",
    "\x00\x01",
    "###[1]###",
    "| |",
    "\u200b" * 9,
    "x\n" * 50,
]


@pytest.mark.parametrize("rule", spread(RULES, 1))
def test_hostile_sentences_and_passages_break_nothing(rule: CitationRule) -> None:
    passages = tuple(Document(f"h{i}", text) for i, text in enumerate([*HOSTILE, "", "年假有 7 天。" * 14_000]))
    told = rule.cite([*HOSTILE, "年假有 7 天。"], passages, Corpus("hostile", passages))
    assert len(told) == len(HOSTILE) + 1
    assert told[-1].sources[0].place.read(passages) == "年假有 7 天。"
    for one in told:
        assert all(0 <= s.place.start <= s.place.end <= len(passages[s.place.passage].content) for s in one.sources)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 50])
def test_one_passage_and_fifty(rule: CitationRule, n: int) -> None:
    passages = tuple(Document(f"d{i}", f"Rule {i}: item {i * 37} costs {i * 11} coins.") for i in range(n))
    (one,) = rule.cite([passages[n // 2].text], passages, Corpus("many", passages))
    assert one.sources[0].place.passage == n // 2
    assert len(one.sources) <= rule.at_most


@examples(30)
@given(st.lists(texts(), max_size=5), st.lists(texts(), max_size=5), st.sampled_from(RULES))
def test_any_sentences_beside_any_passages(sentences: list[str], found: list[str], rule: CitationRule) -> None:
    passages = tuple(Document(f"d{i}", text, text[:3] if i % 2 else "") for i, text in enumerate(found))
    told = rule.cite(sentences, passages, Corpus("any", passages))
    assert [one.sentence for one in told] == sentences
    for one in told:
        assert set(one.printed) <= set(one.sources)
        assert len(one.sources) <= rule.at_most
        assert (one.nearest is None) == (not passages or bool(one.alone))
        assert all(s.similarity <= 1 + 1e-9 for s in one.sources)
        if one.sources:
            assert one.sources[0] == one.nearest
            assert one.nearest.similarity >= one.threshold
        over = [rule.thresholds([one.sources]).surplus(source) for source in one.sources]
        assert over == sorted(over, reverse=True)
        assert all(x >= 0 for x in over)
    cells = Faithfulness().rate(told, passages).cells
    assert all(cell.support is None or 0 <= cell.support <= 1 for cell in cells)
    assert [cell.support is None for cell in cells] == [bool(one.alone) for one in told]


@pytest.mark.parametrize("rule", spread(RULES, 1))
def test_another_embedder_and_passages_of_no_corpus(rule: CitationRule) -> None:
    other = replace(rule, embedder=LSA(size=4))
    shortened = Document("leave", "年假可以结转到下一年。")
    (one,) = other.cite(["年假可以结转到下一年。"], (shortened, REFUND), CORPUS)
    assert one.nearest is not None
    assert one.nearest.place.read((shortened, REFUND)) == shortened.text


def test_a_passage_in_another_language_has_a_threshold_of_its_own_and_is_cited() -> None:
    rule = BestSentence()
    same, across, unlike = rule.cite(
        ["退款需要 14 天。", "A refund takes 14 days.", "月亮上有水，没有商店。"], (REFUND,), CORPUS
    )
    assert [s.place.read((REFUND,)) for s in same.sources] == ["A refund takes 14 days."]
    assert (same.threshold, across.threshold, unlike.threshold) == (rule.across, rule.threshold, rule.across)
    assert unlike.sources == ()


def test_a_name_in_another_script_makes_no_other_language() -> None:
    texts = ["The company 华为 sells phones.", "华为 Mate 60 的电池有 4750 mAh", "1999-2001", "", "Straße 電池電池"]
    assert [mostly_han(text) for text in texts] == [False, True, None, None, True]


# ------------------------------------------------------------------------------------------------ pieces


def read(text: str) -> list[str]:
    return [text[a:b] for a, b in pieces(text)]


def test_an_answer_is_cut_into_sentences_and_blocks_stay_whole() -> None:
    answer = """# 结论
年假有 7 天。可以结转！

- 先申请。再审批。
  审批要两天。
- 然后休假

1. One. Two.
2、二

| 天数 | 7 |
|---|---|
| x | y |
后记。
```python
a = 1。b

c
```
End. Fin."""
    found = read(answer)
    assert found == [
        "# 结论",
        "年假有 7 天。",
        "可以结转！",
        "- 先申请。再审批。\n  审批要两天。",
        "- 然后休假",
        "1. One. Two.",
        "2、二",
        "| 天数 | 7 |\n|---|---|\n| x | y |",
        "后记。",
        "```python\na = 1。b\n\nc\n```",
        "End.",
        "Fin.",
    ]
    assert [kind(piece) for piece in found] == [
        *["heading", "", "", "item", "item", "item", "item"],
        *["table", "", "code", "", ""],
    ]


def test_a_block_of_code_that_does_not_end_goes_to_the_end() -> None:
    assert read("Yes.\n```\na. b.\n\nc") == ["Yes.", "```\na. b.\n\nc"]


@for_each("text", ["", " \n\n ", *HOSTILE, "|" * 50_000, "-" * 50_000 + "|", "```\n" * 5_000, " " * 50_000 + "|x"])
def test_pieces_are_in_order_and_hold_all_but_blanks(text: str) -> None:
    spans = pieces(text)
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))
    kept = "".join(text[a:b] for a, b in spans)
    assert "".join(kept.split()) == "".join(text.split())
