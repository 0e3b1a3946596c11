"""A turn of a conversation: what it is for, what it is asked with, by rule and by a model that may fail."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each

from lab.algebra import Corpus, Document, Env, Hit, Pipeline, Query, Ranking, Rewrite, Runner, Turn
from lab.corpus import samples
from lab.errors import ModelError
from lab.fuse import WeightedSum
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.refine.unseen import Unseen
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector
from lab.rewrite.contextual import MOST, Contextual, Told
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.rewrite.turns import KINDS, meant
from lab.text import Analyzer
from lab.words import Said

BLANKS = Analyzer(mode="whitespace", stem="none", questions=False)
PLAIN = Contextual(analyzer=BLANKS)
HOUSE = Corpus(
    "house",
    tuple(
        Document(name, text, title)
        for name, title, text in [
            ("v450", "RV-450W", "The RV-450W vacuum is quiet at night and loud by day."),
            ("v460", "RV-460S", "The RV-460S vacuum is loud."),
            ("lock", "Lock", "The lock opens by code. Its battery lasts a year."),
            ("lamp", "Lamp", "The lamp has no battery."),
            ("watch", "Watch", "The watch has a battery, and it is charged at night."),
        ]
    ),
)


def asked(text: str, *before: str | Turn, **more: object) -> Query:
    return Query(text, turns=tuple(Turn(x) if isinstance(x, str) else x for x in before), **more)  # type: ignore[arg-type]


def made(query: Query, rewriter: Contextual = PLAIN, corpus: Corpus = HOUSE) -> list[dict[str, float]]:
    """The weights of every query that is asked, word by word (the turn's own text is one)."""
    return [dict(variant.weights) for variant in rewriter.rewrite(query, corpus).queries]


# -------------------------------------------------------------------------------------------- the fading words

WORD = st.sampled_from(["lock", "lamp", "watch", "battery", "night", "the", "it", "and", "vacuum", "code"])
TURN = st.lists(WORD, max_size=5).map(" ".join)


@examples(200)
@given(st.lists(TURN, max_size=8), TURN.filter(bool), st.sampled_from([0.3, 0.7, 1.0]))
def test_each_word_weighs_its_decay_by_the_turns_since_it_was_said_last(before: list[str], text: str, decay: float):
    told = [turn for turn in before if turn]
    wanted = {text: 1.0}
    for age, turn in enumerate(reversed(told), 1):
        for word in turn.split():
            if word not in text.split() and word not in FUNCTION_WORDS:
                wanted.setdefault(word, decay**age)
    found = made(asked(text, *before), replace(PLAIN, decay=decay))
    assert found == ([wanted] if len(wanted) > 1 else [])


@examples(100)
@given(st.lists(TURN, min_size=1, max_size=6), st.data())
def test_without_a_turn_it_is_as_if_that_had_never_been_said(before: list[str], data: st.DataObject):
    gone = data.draw(st.integers(0, len(before) - 1))
    left = before[:gone] + before[gone + 1 :]
    runner = Runner(HOUSE)
    search = Contextual()(BM25()) >> Unseen()
    assert runner(search, asked("and at night", *left)) == Runner(HOUSE)(search, asked("and at night", *left))
    assert made(asked("and at night", *left)) == made(asked("and at night", *[*before[:gone], "", *before[gone + 1 :]]))


def test_the_weights_that_are_shown_sum_the_score_of_the_query_that_is_searched():
    query = asked("how long does it last", "what opens the lock", "and the battery?")
    (variant,) = Contextual().rewrite(query, HOUSE).queries
    assert dict(variant.weights) == {
        query.text: 1.0,
        "battery": 0.7,
        "opens": pytest.approx(0.49),
        "lock": pytest.approx(0.49),
    }
    runner = Runner(HOUSE)
    found = runner(Contextual()(BM25()), query)
    for hit in found.hits:
        alone = {word: runner(BM25(), word).hit(hit.document.id) for word, _ in variant.weights}
        assert hit.score == pytest.approx(sum(w * h.score for word, w in variant.weights if (h := alone[word])))
        assert hit.score == pytest.approx(sum(part.value for part in hit.why))
    told: Told = found.evidence.evidence
    assert [(p.text, p.turn) for p in told.parts[0]] == [(query.text, None), ("battery", 1), ("opens", 0), ("lock", 0)]
    assert found.ids[0] == "lock"


@pytest.mark.parametrize("searcher", [BM25(), TFIDF(), Vector()], ids=lambda s: s.key)
def test_words_vectors_and_both_fused_take_the_weights(searcher: BM25 | TFIDF | Vector):
    query = asked("does it last", "the battery of the lock")
    runner = Runner(HOUSE)
    assert runner(Contextual()(searcher), query).hits != runner(searcher, query).hits
    both = Pipeline((searcher, BM25()), rewrite=Contextual(), fuse=WeightedSum((0.5, 0.5)))
    assert runner(both, query).ids[0] == "lock"


def test_a_long_conversation_costs_no_more_than_a_short_one():
    before = [f"word{i} 电池{i} other{i % 7}" for i in range(200)]
    (weights,) = made(asked("and now", *before), Contextual())
    assert len(weights) == 1 + Contextual().words
    assert min(weights.values()) > 0
    for same in (["lock"] * 200, [""] * 200, ["锁 lock 鎖 " * 50] * 200):
        Runner(HOUSE)(Contextual()(BM25()), asked("and now", *same))
    assert made(asked("and now", *["lock"] * 200)) == made(asked("and now", "lock"))


def test_a_first_turn_and_an_assistants_words_are_not_remembered():
    assert made(asked("how loud")) == []
    assert made(asked("how loud", Turn("the lamp", role="assistant"))) == []


# ---------------------------------------------------------------------------------------------- what a turn is for

SHOWN = Turn("which vacuum is quiet", shown=("v450", "v460", "watch"))


@for_each(
    "text, kind",
    [
        ("and at night?", "follow-up"),
        ("the first day of leave", "follow-up"),
        ("第二个月的工资怎么算", "follow-up"),
        ("thanks a lot!", "small-talk"),
        ("好的，谢谢！", "small-talk"),
        ("   ", "small-talk"),
        ("By the way, how long does the battery last?", "change"),
        ("换个话题，年假有几天", "change"),
        ("tell me about the second one", "choice"),
        ("第二个呢", "choice"),
        ("最后一条讲的是什么", "choice"),
        ("the fourth one", "follow-up"),  # three were shown
        ("no, I meant the RV-460S", "correction"),
        ("no, I meant the second", "correction"),
        ("不是RV-450W，是RV-460S", "correction"),
        ("不，我是说第二个", "correction"),
        ("compare the RV-450W with the RV-460S", "comparison"),
        ("Which is quieter, the RV-450W or the RV-460S?", "comparison"),
        ("RV-450W 和 RV-460S 哪个更吵？", "comparison"),
        ("年假和病假有什么区别", "comparison"),
        ("Is the RV-450W louder than the RV-460S?", "comparison"),
        ("Does the 550S charge my phone faster than the 550C?", "comparison"),
        ("should I buy the RV-450W or the RV-460S?", "comparison"),
        ("How does the RV-450W differ from the RV-460S?", "comparison"),
        ("年假比病假多几天", "comparison"),
        ("RV-450W 比 RV-460S 吵吗？", "comparison"),
        ("应该选年假还是调休", "comparison"),
        ("高铁一等座和飞机超级经济舱，我不是总监，能坐哪个？", "comparison"),
        ("试用期和正式员工的年假一样吗", "comparison"),
        ("Is it better than before?", "follow-up"),
        ("is the shop open for more than three hours", "follow-up"),
        ("Does it take more than one card?", "follow-up"),
        ("do I need a receipt or not?", "follow-up"),
        ("这个比较贵吗", "follow-up"),
        ("能不能比现在更快", "follow-up"),
        ("要还是不要", "follow-up"),
        ("那我要后一个", "choice"),
        ("前面那款多少钱", "choice"),
        ("第二个怎么用", "choice"),
        ("就前者吧", "choice"),
        ("option two, please", "choice"),
        ("前一个月的工资", "change"),
        ("room number two on the third floor", "follow-up"),
    ],
)
def test_a_turn_is_taken_for_what_its_words_say(text: str, kind: str):
    told = meant(Query(text, turns=(SHOWN,)), HOUSE)
    assert told.kind == kind, told.why
    assert told.why
    assert meant(Query(text, turns=(SHOWN,)), HOUSE, intent="follow-up").kind in ("follow-up", "small-talk")


def test_each_object_of_a_comparison_is_asked_without_the_other_and_the_hits_say_which():
    query = asked("which is louder, the RV-450W or the RV-460S?", "vacuum at night")
    first, second = made(query, Contextual())
    assert first == {"RV-450W": 1.0, "louder": 1.0, "vacuum": 0.7, "night": 0.7}
    assert second == {"RV-460S": 1.0, "louder": 1.0, "vacuum": 0.7, "night": 0.7}
    found = Runner(HOUSE)(Contextual()(BM25()), query)
    firsts = ["first for RV-450W", "first for RV-460S"]
    assert [parent.query.kind for parent in found.parents] == ["RV-450W", "RV-460S", *firsts]
    assert {found.ids[0], found.ids[1]} == {"v450", "v460"}
    assert made(asked("compare the RV-450W with the RV-460S")) != [], "an opening may compare, too"


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("苍鹭和白鹭的重量哪个大", ("苍鹭", "白鹭")),
        ("苍鹭的重量比白鹭大吗", ("苍鹭", "白鹭")),
        ("苍鹭、白鹭和麻雀的体长哪个最大", ("苍鹭", "白鹭", "麻雀")),
        ("年假和病假的规定有什么区别", ("年假", "病假")),
        ("手表和防水的耳机哪个好", ("手表", "防水的耳机")),
        ("苍鹭的重量和白鹭的翼展相比", ("苍鹭的重量", "白鹭的翼展")),
        ("compare the weight of the grey heron and the little egret", ("grey heron", "little egret")),
        ("Compare the grey heron's weight with the little egret's", ("grey heron", "little egret")),
        ("is the weight of the heron greater than that of the egret?", ("heron", "egret")),
        ("difference in weight between the heron and the egret", ("heron", "egret")),
        ("compare the Bank of England and the Fed", ("Bank of England", "Fed")),
        ("compare the with the lamp", ()),
        ("Compare A-100, B-200, C-300 and D-400", ("A-100", "B-200", "C-300", "D-400")),
        ("difference between black tea, green tea and coffee", ("black tea", "green tea", "coffee")),
        ("A-100 vs. B-200 vs. C-300", ("A-100", "B-200", "C-300")),
        ("How is A-100 different from B-200 and C-300?", ("A-100", "B-200", "C-300")),
        ("该买A-100、B-200还是C-300", ("A-100", "B-200", "C-300")),
        ("compare price and weight of A-100 and B-200", ("A-100", "B-200")),
        ("Compare the A-100 with the B-200 in price and weight", ("A-100", "B-200")),
        ("价格方面苍鹭和白鹭哪个好", ("苍鹭", "白鹭")),
        ("和白鹭相比，苍鹭怎么样", ("苍鹭", "白鹭")),
        ("Can you compare it, or is it too new and expensive?", ()),
        ("I compared prices and bought it", ()),
        ("compare A-100 and A-100", ()),
    ],
)
def test_the_sides_of_a_comparison_are_the_things_and_not_their_property(text: str, sides: tuple[str, ...]) -> None:
    assert meant(Query(text)).sides == sides


@pytest.mark.parametrize(
    "sides", [("heron", "egret"), ("heron", "egret", "stork"), ("heron", "egret", "stork", "crane")]
)
def test_nothing_is_between_the_first_results_of_the_compared_things(sides: tuple[str, ...]) -> None:
    shared = [Document(f"all{i}", " ".join([*sides, "and others"] * (i + 1)), "Birds") for i in range(3)]
    corpus = Corpus("birds", (*shared, *(Document(side, f"{side} {side} {side}", side) for side in sides)))
    query = asked("which is heavier?", f"{', '.join(s.title() for s in sides[:-1])} and {sides[-1].title()}")
    found = Runner(corpus)(Contextual(intent="comparison")(BM25()), query)
    assert {*found.ids[: len(sides)]} == {*sides}
    assert sum(part.value for part in found.hits[0].why) == pytest.approx(found.hits[0].score)


WARES = Corpus(
    "wares",
    tuple(
        Document(name, text, title)
        for name, title, text in [
            ("kettle", "Nova 电热水壶", "Nova 电热水壶保修一年，不能放进洗碗机。"),
            ("mixer", "Orbit 搅拌机", "Orbit 搅拌机保修三年，刀头可以放进洗碗机。"),
            ("toaster", "Pico 烤面包机", "Pico 烤面包机是卖得最好的产品，产品保修两年。"),
            ("grill", "Rho grill", "The Rho grill weighs nine kilograms and has a warranty of five years."),
            ("fryer", "Tau fryer", "The Tau fryer weighs four kilograms and has a warranty of two years."),
        ]
    ),
)


@for_each(
    "before, text, sides",
    [
        (["我想在Nova电热水壶和Orbit搅拌机里选", "主要看保修"], "哪个产品保修更长？", ["Nova电热水壶", "Orbit搅拌机"]),
        (["Nova电热水壶和Orbit搅拌机怎么清洗"], "它们都能放进洗碗机吗？", ["Nova电热水壶", "Orbit搅拌机"]),
        (["Nova 电热水壶保修多久", "那 Orbit 搅拌机呢？"], "两者哪个更贵？", ["Nova 电热水壶", "Orbit 搅拌机"]),
        (["事假和婚假怎么请"], "有什么区别？", ["事假", "婚假"]),
        (["手表、耳机和音箱里选一个"], "哪个最便宜？", ["手表", "耳机", "音箱"]),
        (
            ["I cannot choose between the Rho grill and the Tau fryer."],
            "Which one is heavier?",
            ["Rho grill", "Tau fryer"],
        ),
        (
            ["Tell me about the Rho grill.", "What about the Tau fryer?"],
            "How do they compare?",
            ["Rho grill", "Tau fryer"],
        ),
        (["How heavy is the QX-12?", "And the QX-14S?"], "Which of them lasts longer?", ["QX-12", "QX-14S"]),
        (["Is cedar or oak better for a fence?", "How long does it last?"], "Which is cheaper?", ["cedar", "oak"]),
    ],
)
def test_a_comparison_without_sides_takes_them_from_the_turns_before(before: list[str], text: str, sides: list[str]):
    told = meant(asked(text, *before), WARES)
    assert (told.kind, list(told.sides)) == ("comparison", sides), told.why
    rewrite = Contextual().rewrite(asked(text, *before), WARES)
    for side, weights in zip(sides, (dict(v.weights) for v in rewrite.queries), strict=True):
        assert weights[side] == 1.0
        assert not any(other.lower() in word.lower() for word in weights for other in sides if other != side)
        assert not {"产品", "one", "two", "them", "两者"} & {*weights}, "a word for things in general is not asked"


@for_each(
    "before, text",
    [
        ([], "哪个更长？"),
        (["保修多久"], "哪个产品更贵？"),
        (["Tell me about the weather in spring."], "Which one is better?"),
        (["What are the pros and cons of it?", "Is it heavy?", "Is it old?"], "How do they compare?"),
        (["I’ve seen it. It is nice and quiet."], "Which of the two is better?"),
        (["年假和病假怎么请"], "哪个部门审批？"),
        (["the Rho grill and the Tau fryer"], "which papers are in the order?"),
    ],
)
def test_what_the_turns_before_do_not_name_is_not_compared(before: list[str], text: str):
    assert meant(asked(text, *before), WARES).sides == ()


def test_the_first_hits_of_a_comparison_across_turns_are_what_is_compared():
    before = ["我想在Nova电热水壶和Orbit搅拌机里选，了解一下售后。", "主要看保修。"]
    query = asked("哪个产品保修更长？", *before)
    assert {*Runner(WARES)(Contextual()(BM25()), query).ids[:2]} == {"kettle", "mixer"}
    alone = replace(query, turns=())
    assert Runner(WARES)(BM25(), alone).ids[0] == "toaster", "else the word for things in general decides"


@for_each(
    "before, text, gone",
    [
        (["Nova电热水壶保修多久"], "那Orbit搅拌机呢？", ["Nova", "电热水壶"]),
        (["How long is the warranty of the Rho grill?"], "What about the Tau fryer?", ["Rho", "grill"]),
        (["How long is the warranty of the Rho grill?"], "And how about the Tau?", ["Rho"]),
        (["从北京出发的火车几点开"], "南京呢？", ["北京"]),
        (["What are the rules in Norway?", "Who pays?"], "What about in Sweden?", ["Norway"]),
        (["Does the Rho grill have GPS?"], "And what about the Tau?", ["Rho"]),
        (["Nova电热水壶支持NFC吗"], "那Orbit呢，好清洗吗？", ["Nova", "电热水壶"]),
        (["服务台几点有人"], "半夜呢？", []),  # it adds: nothing there is of its kind
        (["Why is the grill hot?"], "What about my complaint, who reads it?", []),
        (["不锈钢的壶好清洗吗"], "它呢？", []),
    ],
)
def test_asking_about_something_else_takes_the_place_of_its_counterpart(before: list[str], text: str, gone: list[str]):
    told = meant(asked(text, *before), WARES)
    assert told.kind == "follow-up"
    assert set(gone) <= set(told.gone), told
    assert bool(told.gone) == bool(gone), told
    assert ("takes the place of" in told.why) == bool(gone)
    for variant in Contextual().rewrite(asked(text, *before), WARES).queries:
        words = {word.lower() for word, _ in variant.weights}
        assert not words & {word.lower() for word in gone}
        later = Contextual().rewrite(asked("is it heavy 重吗", *before, text), WARES).queries
        assert not {w.lower() for v in later for w, _ in v.weights} & {w.lower() for w in gone}, "nor in later turns"


@for_each(
    "before, text, queries",
    [
        (["Nova电热水壶保修多久"], "那Orbit搅拌机呢？还有重量多少？", ["那Orbit搅拌机呢", "重量多少 Orbit搅拌机"]),
        (["Nova电热水壶好用吗"], "它多重？有什么颜色？", ["它多重 nova", "有什么颜色 nova"]),
        (["Nova电热水壶好用吗"], "换个话题，发票怎么开？几天能到？", ["换个话题，发票怎么开", "几天能到 发票"]),
        (["Tell me about the Rho grill."], "What about the Tau fryer, and does it need oil?",
         ["What about the Tau fryer", "does it need oil Tau fryer"]),
        (["Tell me about the Rho grill."], "Is it heavy? And which colours are there?",
         ["Is it heavy rho", "which colours are there rho"]),
        ([], "Who delivers the Rho grill? How often does it need cleaning?",
         ["Who delivers the Rho grill", "How often does it need cleaning Rho grill"]),
        (["Nova电热水壶多少钱"], "那Orbit呢？两者哪个便宜？", ["那Orbit呢", "Nova电热水壶 便宜", "Orbit 便宜"]),
    ],
)  # fmt: skip
def test_each_question_of_a_turn_is_searched_with_its_subject(before: list[str], text: str, queries: list[str]):
    rewrite = Contextual().rewrite(asked(text, *before), WARES)
    assert len(rewrite.queries) == len(queries), rewrite.queries
    assert "asks several questions" in rewrite.queries[0].why
    for variant, words in zip(rewrite.queries, queries, strict=True):
        head = variant.text[: len(words.split(" ")[0])]
        assert words.startswith(head), (variant.text, words)
        assert all(word in variant.text for word in words.split(" ")), (variant.text, words)
    ranking = Runner(WARES)(Contextual()(BM25()), asked(text, *before), 5)
    assert [x.query.kind for x in ranking.parents[: len(queries)]] == [
        variant.weights[0][0] for variant in rewrite.queries
    ]


@for_each(
    "text",
    [
        "那Orbit呢，好清洗吗？", "你家有几种，还是只有这一种？", "哪天坏了，怎么修？",
        "我买了Orbit。没有说明书怎么办？",
        "What about the Tau, does it need oil?", "Is it heavy, or is it light?", "When the bag is full, what do I do?",
        "In the dark, does it glow?", "Who knew? Is it heavy?", "What does it cost? Why?",
        "How many do we have, approximately?", "Which is heavier, the Rho or the Tau?",
    ],
)  # fmt: skip
def test_a_turn_with_one_question_is_one_query_or_a_comparison(text: str):
    before = ["Tell me about the Rho grill."]
    rewrite = Contextual().rewrite(asked(text, *before), WARES)
    assert "questions:" not in str(rewrite.queries[0].why)


def test_another_thing_takes_the_place_of_the_thing_not_of_what_is_asked_about_it():
    tents = samples.load("textbook-dialogue-zh").corpus  # with the title “苍鹭的重量”
    assert meant(asked("那白鹭呢？", "苍鹭的重量是多少？"), tents).gone == ("苍鹭",)
    assert meant(asked("苍鹭呢？", "白鹭的保修有多久？"), tents).gone == ("白鹭",)
    assert meant(asked("那白鹭的保修呢？", "苍鹭的重量是多少？"), tents).gone == ("苍鹭", "重量")


def test_a_pattern_of_a_comparison_ends_on_any_text():
    for text in ("which one is " * 150, "哪个更" * 600, "what about the " * 120, "A and " * 300, "那" * 2000):
        meant(asked(text, "A and B", text), WARES)


def test_a_correction_takes_back_what_it_names_and_the_codes_that_it_replaces():
    (weights,) = made(asked("not the lamp, the lock", "battery of the lamp"), replace(PLAIN, intent="correction"))
    assert "lamp" not in " ".join(weights)
    assert weights["battery"] == 0.7
    (weights,) = made(asked("no, I meant the RV-460S", "how loud is the RV-450W"), Contextual())
    assert weights == {"no, I meant the RV-460S": 1.0, "loud": 0.7}


def test_a_choice_asks_for_the_passage_that_was_shown_there():
    query = Query("tell me more about the second one", turns=(SHOWN,))
    (weights,) = made(query, Contextual())
    assert weights["RV-460S"] == 1.0
    assert Runner(HOUSE)(Contextual()(BM25()), query).ids[0] == "v460"


WORK = Corpus(
    "work",
    tuple(
        Document(name, text, title)
        for name, title, text in [
            ("sick", "病假材料", "病假要交诊断证明和病历。"),
            ("pay", "病假工资标准", "病假期间的工资按八成发放。"),
            ("router", "路由器指示灯", "红色表示断网，橙色表示正在启动，E-1043 表示过热。"),
            ("contract", "采购合同", "合同总金额是三十万元，分三期支付。"),
            ("canteen", "Canteen", "The canteen opens at noon, on Saturdays at ten."),
            ("annual", "Annual leave", "Annual leave is thirty days a year."),
            ("parental", "Parental leave", "Parental leave is up to three years."),
        ]
    ),
)


@for_each(
    "before, text, gone",
    [
        (["我买了Alpha手表", "保修还有多久"], "那Beta呢？", {"alpha", "手表"}),  # the object is two turns back
        (["Alpha手表怎么充电", "它防水吗", "保修多久"], "Gamma呢", {"alpha", "手表"}),
        (["How heavy is the QX-12?", "And how loud?"], "What about the QX-14S?", {"qx-12"}),
        (["How many days of annual leave do I get?"], "What about parental leave?", {"annual"}),
        (["Who signs a fixed-term contract?"], "How about a part-time contract?", {"fixed-term"}),
        (["产假工资怎么算", "谁审批"], "那病假工资呢？", {"产假"}),
        (["红色指示灯是什么意思"], "橙色的呢", {"红色"}),
    ],
)
def test_the_object_that_was_named_last_is_replaced_whole_and_some_turns_back(
    before: list[str], text: str, gone: set[str]
):
    query = asked(text, *before)
    assert gone <= {word.lower() for word in meant(query, WORK).gone}, meant(query, WORK)
    (weights,) = made(query, Contextual(), WORK) or [{}]
    assert not gone & {word.lower() for word in weights}
    assert "的" not in str(meant(query, WORK).why)[:10]


@for_each(
    "before, words",
    [
        ("难道没有别的办法吗", set()),
        ("好像不行，最近有几个人问过", set()),
        ("请问第二个是不是更好", set()),
        ("我想了解一下年会抽奖", {"年会", "抽奖"}),
        ("听说可以报销", {"报销"}),
        ("你们有几种型号，分别多少钱", {"型号"}),
        ("到底有三款还是 4 款手表", {"手表"}),
        ("报错 720，重试了 3 次", {"报错", "720", "重试"}),
        ("I was wondering whether the canteen is open", {"canteen", "open"}),
        ("Maybe the second one, I guess", set()),
        ("I recently read that leave lapses", {"leave", "lapses"}),
        ("How many lockers do we have, approximately?", {"lockers"}),
    ],
)
def test_words_of_the_speaker_and_of_the_frame_are_not_remembered(before: str, words: set[str]):
    (weights,) = made(asked("zzz", before), Contextual(), WORK) or [{}]
    remembered = {word for word in weights if word != "zzz"}
    assert words <= remembered or (not words and not remembered)
    assert all(any(word in wanted or wanted in word for wanted in words) for word in remembered), remembered


@for_each(
    "before, text, gone, stays",
    [
        (["连 VPN 报 809，怎么处理", "看错了，是 720。"], "服务台几点有人", "809", "720"),
        (["E-1043 怎么办", "不对，是 E-2001"], "还要重启吗", "e-1043", "e-2001"),
        (["How loud is the RV-450W?", "no, I meant the RV-460S"], "and at night?", "rv-450w", "rv-460s"),
        (["battery of the lamp", "no, not the lamp, the lock"], "how long?", "lamp", "lock"),
        (["产假怎么请", "不对，我是说病假"], "谁审批", "产假", "病假"),
    ],
)
def test_what_was_corrected_never_comes_back(before: list[str], text: str, gone: str, stays: str):
    for later in ([], ["谢谢 okay"], ["价格 price", "重量 weight"]):
        (weights,) = made(asked(text, *before, *later), Contextual(), WORK)
        remembered = {word.lower() for word in weights} - {text.lower()}
        assert stays in remembered
        assert gone not in remembered


@for_each(
    "before, carried",
    [
        ("人工智能是什么", {"人工智能"}),
        ("中华人民共和国民法典怎么说", {"中华人民共和国", "民法典"}),
        ("scikit-learn 的自然语言接口", {"scikit-learn", "自然语言", "接口"}),
    ],
)
def test_a_compound_of_the_dictionary_is_remembered_without_its_parts(before: str, carried: set[str]):
    (weights,) = made(asked("它难吗", before), Contextual(), WORK)
    assert weights.keys() == {"它难吗", *carried}


@for_each(
    "ordinal, shown, carried, not_carried",
    [
        ("第二个呢", ("sick", "pay"), {"工资标准"}, {"二个", "第二", "材料"}),
        ("the second one", ("sick", "pay"), {"工资标准"}, {"second", "one"}),
        ("最后一条讲的是什么", ("sick", "pay"), {"工资标准"}, {"最后"}),
        ("the first one", ("parental", "annual"), {"parental"}, {"first"}),
        ("第一个呢", ("contract", "sick"), {"采购", "合同"}, {"第一个"}),
        ("the last one", ("annual", "untitled"), set(), {"bicycles", "locked", "cellar"}),
    ],
)
def test_after_a_choice_what_distinguishes_its_title_is_remembered(
    ordinal: str, shown: tuple[str, ...], carried: set[str], not_carried: set[str]
):
    cellar = Document("untitled", "Bicycles are locked in the cellar.")
    corpus = Corpus("work", (*WORK, cellar))
    query = asked("怎么发", Turn("病假要交什么材料" if "sick" in shown else "How many days?", shown=shown), ordinal)
    (weights,) = made(query, Contextual(), corpus) or [{}]
    assert carried <= {*weights}
    assert not (not_carried - {"材料"}) & {*weights}
    assert weights.get("leave", 0) == 0, "all titles that were shown have it"


@for_each(
    "text, kind",
    [
        ("合同总金额是多少", "change"),
        ("Which canteen opens on Saturdays?", "change"),
        ("Who signs the purchase contract, and when?", "change"),
        ("Does it open on Saturdays?", "follow-up"),
        ("Which colours are on?", "follow-up"),
        ("那合同总金额是多少", "follow-up"),
        ("它的合同总金额是多少", "follow-up"),
        ("红色是什么意思", "follow-up"),
        ("多少钱", "follow-up"),
    ],
)
def test_a_turn_that_shares_nothing_with_the_conversation_changes_the_topic(text: str, kind: str):
    shown = Turn("橙色指示灯是什么意思", shown=("router",))
    assert meant(asked(text, shown), WORK).kind == kind
    (weights,) = made(asked("什么时候", shown, Turn(text, shown=("contract",))), Contextual(), WORK)
    assert ("橙色" in weights) == (kind == "follow-up"), "nor later"
    assert meant(asked(text, shown.text), WORK).kind == "follow-up", "what was shown is not known"


def test_both_means_the_two_that_were_named_last_and_the_first_of_each_leads():
    before = ["Alpha手表的保修多久", "那Beta呢", "那Gamma呢"]
    assert meant(asked("两者哪个更长", *before), WORK).sides == ("Beta", "Gamma")
    query = asked("Which is heavier, the Rho grill or the Tau fryer?")
    found = Runner(WARES)(Contextual()(BM25()), query)
    assert {*found.ids[:2]} == {parent.ids[0] for parent in found.parents} == {"grill", "fryer"}


@for_each(
    "turns, leading",
    [
        (["我买了Alpha智能手表。", "保修期还有多久?", "那Beta呢?"], ["Alpha", "Alpha", "Beta"]),
        (["Gamma音箱有什么颜色?", "和Beta耳机比，哪个保修期更长?"], ["Gamma", "Beta Gamma"]),
        (["我想买Delta手机或者Epsilon平板。", "哪个更便宜?", "保修呢?"], ["Delta Epsilon"] * 3),
    ],
)
def test_conversations_as_a_course_holds_them_are_right_on_six_products(turns: list[str], leading: list[str]):
    names = ["Alpha智能手表", "Beta蓝牙耳机", "Gamma智能音箱", "Delta手机", "Epsilon平板", "Zeta路由器"]
    facts = [
        "保修期一年，续航七天",
        "保修期两年，降噪",
        "保修期三年，黑白两色",
        "价格三千元",
        "价格四千元",
        "保修期五年",
    ]
    products = Corpus("six", tuple(Document(n[:3], f"{n}{fact}。", n) for n, fact in zip(names, facts, strict=True)))
    for i, first in enumerate(leading):
        found = Runner(products)(Contextual()(BM25()), asked(turns[i], *turns[:i])).ids
        assert {*found[: len(first.split())]} == {name[:3] for name in first.split()}, (turns[i], found)


def test_a_change_of_topic_lets_go_and_small_talk_searches_nothing():
    changed = asked("by the way, what has a battery", "the vacuum at night")
    assert made(changed) == []
    assert "are dropped" in Contextual().rewrite(changed, HOUSE).unchanged
    assert Runner(HOUSE)(Contextual()(BM25()), asked("thanks!", "the vacuum")).hits == ()
    by_hand = replace(PLAIN, intent="follow-up")
    assert made(changed, by_hand) == [{changed.text: 1.0, "vacuum": 0.7, "night": 0.7}]


@pytest.mark.parametrize("intent", KINDS)
@pytest.mark.parametrize("text", ["and the lamp?", "the first one", "A or B, which", "no, not that", "是", "!?"])
def test_every_kind_can_be_set_by_hand_for_any_turn(intent: str, text: str):
    runner = Runner(HOUSE)
    for before in ((), (SHOWN,), (Turn(""), SHOWN, Turn("电池"))):
        runner(Contextual(intent=intent)(BM25()) >> Unseen(), Query(text, turns=before))


# --------------------------------------------------------------------------------------------------------- HQE


def test_hqe_asks_again_what_searches_well():
    query, runner = asked("how long", "the lock at night", "has it a battery"), Runner(HOUSE)

    def peak(word: str) -> float:
        found: Ranking = runner(BM25(), word)
        return found.hits[0].score if found.hits else 0.0

    words = ("battery", "lock", "night")
    topic = sorted(map(peak, words))[-1] - 1e-9  # only the best one is a topic
    rule = Contextual(rule_of="hqe", topic=topic, subtopic=0.1, clear=0.0)
    assert peak(query.text) >= rule.clear
    best = max(words, key=peak)
    assert {w for w in made(query, rule)[0] if w != query.text} == {w for w in words if peak(w) > topic} == {best}
    unclear = replace(rule, clear=100.0, window=1)
    assert {w for w in made(query, unclear)[0] if w != query.text} == {best, "battery"}
    assert set(made(query, unclear)[0].values()) == {1.0}


# ---------------------------------------------------------------------------------------------------- by a model


@dataclass(eq=False)
class Says:
    """Answers everything alike, or not at all."""

    answer: str | None
    label: str = "says"
    heard: str = ""

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        self.heard = str(prompt)
        if self.answer is None:
            raise ModelError(Said("The server is silent."), Said("Wait."))
        return Completion(self.answer, self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


QUERY = asked("and how loud is it?", "which vacuum is quiet at night", Turn("The RV-450W.", role="assistant"))


def by(answer: str | None, query: Query = QUERY) -> Rewrite:
    return Contextual(model="chat").rewrite(query, HOUSE, Env({"chat": Says(answer)}))


def test_a_model_gives_questions_that_stand_by_themselves():
    told = json.dumps({"kind": "follow-up", "queries": ["How loud is the RV-450W?"]})
    rewrite = by(f"Sure!\n```json\n{told}\n```")
    assert rewrite.by == "model"
    assert [v.query for v in rewrite.queries] == ["How loud is the RV-450W?"]
    two = by(
        json.dumps({"kind": "comparison", "queries": ["RV-450W loudness", "RV-460S loudness", "rv-450w loudness"]})
    )
    assert [v.kind for v in two.queries] == ["RV-450W loudness", "RV-460S loudness"]
    assert two.evidence.purpose.kind == "comparison"
    assert by(json.dumps({"kind": "small-talk", "queries": []})).wordings[0].blank
    model = Says(told)
    Contextual(model="chat").rewrite(QUERY, HOUSE, Env({"chat": model}))
    assert "user: which vacuum is quiet at night\nassistant: The RV-450W." in model.heard
    assert "{" not in model.heard.replace('{"kind"', "").partition("Last turn")[2]


@for_each(
    "answer",
    [
        None,
        "",
        "I'm sorry, but I can't help with that.",
        "{}",
        '{"kind": "poem", "queries": ["x"]}',
        '{"kind": "choice"}',
    ]
    + [
        '{"kind": "follow-up", "queries": []}',
        '{"kind": "follow-up", "queries": ["", "  "]}',
        '{"kind": "follow-up", "que',
    ]
    + ['{"kind": "follow-up", "queries": "x"}', '{"kind": ["follow-up"], "queries": ["x"]}', "{" * 5000],
)
def test_where_a_model_is_silent_or_talks_rubbish_the_rule_stands(answer: str | None):
    rewrite = by(answer)
    assert rewrite.by == "rule"
    assert isinstance(rewrite.problem, ModelError)
    assert rewrite.queries == Contextual().rewrite(QUERY, HOUSE).queries


def test_of_three_thousand_questions_four_are_asked():
    told = json.dumps({"kind": "follow-up", "queries": [f"question number {n}" for n in range(3000)]})
    assert len(by(told).queries) == MOST
    assert by(None, asked("how loud")).problem is None, "a first turn asks nobody"


# -------------------------------------------------------------------------------------------------------- unseen


def test_what_was_shown_before_is_held_back_with_its_turn_as_the_reason():
    query = Query("battery", turns=(Turn("lamp", shown=("lamp", "watch", "lock", "v450")), Turn("x", shown=("watch",))))
    plain, search = BM25().index(HOUSE).search(query), BM25() >> Unseen(2, how="drop")
    found = Runner(HOUSE)(search, query)
    assert set(plain.ids) == {"lock", "lamp", "watch"}
    assert found.ids == ["lock"]
    reasons = {drop.document.id: drop.reason for drop in found.dropped}
    assert reasons == {
        "lamp": "Shown before: turn 1, position 1.",
        "watch": "Shown before: turn 2, position 1.",
    }
    down = Runner(HOUSE)(BM25() >> Unseen(2, how="down"), query)
    assert down.ids == ["lock", *(i for i in plain.ids if i != "lock")]
    assert Runner(HOUSE)(search, "battery").ids == plain.ids, "without a conversation nothing was shown"


def test_what_was_shown_before_counts_less_by_addends_that_are_restated():
    query = Query("battery", turns=(Turn("lamp", shown=("lamp", "watch", "lock", "v450")), Turn("x", shown=("watch",))))
    plain = {hit.document.id: hit for hit in BM25().index(HOUSE).search(query)}
    found = Runner(HOUSE)(BM25() >> Unseen(2, share=0.5, fade=0.9), query)
    scores = {hit.document.id: hit.score for hit in found}
    assert scores["lock"] == plain["lock"].score, "third of the first turn: two count"
    assert scores["lamp"] == pytest.approx(plain["lamp"].score * (1 - 0.5 * 0.9))
    assert scores["watch"] == pytest.approx(plain["watch"].score * (1 - 0.5 / 2 * 0.9) * (1 - 0.5))
    assert found.ids == sorted(scores, key=lambda doc: -scores[doc])
    assert not found.dropped
    watch = next(hit for hit in found if hit.document.id == "watch")
    assert [c.source for c in watch.why][-2:] == [
        "shown in turn 1, position 2: 22.5% less",
        "shown in turn 2, position 1: 50.0% less",
    ]
    assert math.fsum(c.value for c in watch.why) == pytest.approx(watch.score)
    assert Runner(HOUSE)(BM25() >> Unseen(), "battery").ids == list(plain), "without a conversation nothing was shown"


@given(
    scores=st.lists(st.floats(-5, 5), min_size=1, max_size=5, unique=True),
    shown=st.lists(st.lists(st.integers(0, 4), max_size=4, unique=True), max_size=4),
    share=st.floats(0, 1),
    fade=st.floats(0, 1),
)
def test_counted_less_is_never_more_and_never_turns_a_score_round(
    scores: list[float], shown: list[list[int]], share: float, fade: float
):
    docs = HOUSE.documents
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    turns = tuple(Turn("t", shown=tuple(docs[i].id for i in own)) for own in shown)
    query = Query("q", turns=turns)
    ranking = Ranking(query, tuple(Hit(docs[i], scores[i]) for i in order), BM25(), corpus=HOUSE)
    after = Unseen(share=share, fade=fade)(ranking)
    before = {docs[i].id: scores[i] for i in order}
    assert {h.document.id for h in after} == set(before)
    for hit in after:
        own, places = (
            before[hit.document.id],
            [t.shown.index(hit.document.id) for t in turns if hit.document.id in t.shown],
        )
        if not any(place < 3 for place in places):
            assert hit.score == own
        assert hit.score <= own + 1e-12
        assert own <= 0 or hit.score >= -1e-12, "a part of it is taken, and no more"
