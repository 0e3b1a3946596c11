"""Every technique by its rule and by a scripted model."""

from __future__ import annotations

import dataclasses
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models.scripted import ScriptedModel
from night import for_each
from specimens import corpora, queries

from lab.algebra import Corpus, Document, Env, Query, Rewrite, Runner, Top
from lab.corpus import samples
from lab.errors import ModelError, ParameterError
from lab.fuse import RRF
from lab.models.answers import Unreadable
from lab.models.chat import Completion, Prompt, Shape
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.rewrite.base import PromptRewriter
from lab.rewrite.domain import Adapter, DomainVocabulary, adapters
from lab.rewrite.hyde import PERSPECTIVES, HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.query2doc import Query2Doc
from lab.rewrite.step_back import StepBack
from lab.rewrite.sub_questions import SubQuestions
from lab.rewrite.wording import Wording
from lab.text import plain

TECHNIQUES: list[PromptRewriter] = [
    MultiQuery(abstains=False),
    SubQuestions(abstains=False),
    StepBack(abstains=False),
    Query2Doc(abstains=False),
    HyDE(abstains=False),
    *(DomainVocabulary(adapter, abstains=False) for adapter in adapters().values()),
]
HANDBOOK = samples.load("handbook").corpus
DEVICES = samples.load("devices").corpus


def apply(technique: PromptRewriter, query: str, corpus: Corpus, *, model: object = None) -> Rewrite:
    """What the technique makes of a question: by its rule, which abstains from nothing here, or by this model."""
    if model is None:
        return dataclasses.replace(technique, abstains=False).rewrite(Query(query), corpus)
    return dataclasses.replace(technique, model="chat").rewrite(Query(query), corpus, Env(models={"chat": model}))


each = pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda t: t.label)


@each
@given(corpus=corpora(), query=queries())
def test_a_rule_gives_queries_with_reasons_on_anything(technique: PromptRewriter, corpus: Corpus, query: str) -> None:
    rewrite = apply(technique, query, corpus)
    assert rewrite.by == "rule"
    assert rewrite.made_by == technique
    assert rewrite.original == Query(query)
    assert len(rewrite.queries) <= technique.wanted
    assert all(g.text.strip() and g.query.strip() and g.kind and g.why for g in rewrite.queries)
    assert len({plain(g.query) for g in rewrite.queries} | {plain(query)}) == len(rewrite.queries) + 1
    assert apply(technique, query, corpus) == rewrite


@each
@given(query=st.text(max_size=40))
def test_any_text_can_be_rewritten(technique: PromptRewriter, query: str) -> None:
    apply(technique, query, HANDBOOK)


@each
def test_techniques_are_specifications(technique: PromptRewriter) -> None:
    assert hash(technique) == hash(dataclasses.replace(technique))
    assert pickle.loads(pickle.dumps(technique)) == technique
    assert technique.label
    assert apply(technique, " ", HANDBOOK).queries == ()


@dataclasses.dataclass(frozen=True)
class Cut:
    """A model whose answers are cut at their longest."""

    label = "cut"

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        return Completion("1. restart the headset\n2. restart", complete=False)


@each
def test_half_an_answer_is_no_wording(technique: PromptRewriter) -> None:
    with pytest.raises(ModelError, match="truncated at the maximum length: “1. restart") as caught:
        apply(technique, "headset broken", DEVICES, model=Cut())
    assert caught.value.remedy


@each
def test_a_refusal_is_no_wording(technique: PromptRewriter) -> None:
    with pytest.raises(Unreadable, match="I'm sorry"):
        apply(technique, "headset", DEVICES, model=ScriptedModel((("", "I'm sorry, but I can't help with that."),)))


def test_a_word_that_the_corpus_lacks_is_replaced_by_one_that_it_has() -> None:
    rewrite = apply(MultiQuery(), "领薪水的日子", HANDBOOK)
    assert rewrite.queries[0].text == "领工资的日期"
    assert "薪水 → 工资" in rewrite.queries[0].why
    known = Wording.of(HANDBOOK).df
    assert "薪水" not in known
    assert "工资" in known


SHELF_TEXTS = """The lift leads to all floors.
Wireless internet is free.
A cappuccino costs three euros.
Books are returned at the desk.
乌龙茶要用沸水冲泡。
快递放在东门的柜子里。
公猫六个月后绝育。
停车要登记。"""
SHELF = Corpus("shelf", tuple(Document(str(i), text) for i, text in enumerate(SHELF_TEXTS.splitlines())))


@pytest.mark.parametrize(
    ("query", "rewrites"),
    [
        ("Is there an elevator?", ["Is there an lift?"]),
        ("wifi", ["wireless"]),
        ("包裹放在哪", ["快递放在哪"]),
        ("returning a book", []),  # other forms of words that the corpus has
        ("price of a mocha", ["costs of a mocha"]),  # a cappuccino is another thing
        ("红茶怎么泡", []),
        ("小猫", []),
        ("泊车", []),
    ],
)
def test_a_rewrite_says_the_same_in_other_words_or_there_is_none(query: str, rewrites: list[str]) -> None:
    rewrite = apply(MultiQuery(), query, SHELF)
    assert [variant.text for variant in rewrite.queries] == rewrites, rewrite
    assert rewrites or "language model" in rewrite.unchanged


HOUSE_TEXTS = """房屋每年检修一次。
租客带宠物要登记。
室内禁止吸烟。
Vacant flats are painted.
学生卡在前台领取。
车库夜间关闭。"""
HOUSE = Corpus("house", tuple(Document(str(i), text) for i, text in enumerate(HOUSE_TEXTS.splitlines())))


@pytest.mark.parametrize(
    ("query", "rewrites"),
    [
        ("房子", ["房屋"]),  # a common character says little of words that the model knows whole
        ("抽烟", ["吸烟"]),
        ("门卡", []),  # of words that it reads in pieces, the rest is compared
        ("No smoking!", ["No 吸烟!", "吸烟 禁止"]),
    ],
)
def test_words_that_share_a_character_are_compared_whole_if_the_model_knows_them(
    query: str, rewrites: list[str]
) -> None:
    assert [variant.text for variant in apply(MultiQuery(), query, HOUSE).queries] == rewrites


@pytest.mark.parametrize("technique", [MultiQuery(), StepBack()], ids=lambda t: t.label)
def test_the_nearest_words_are_shown_with_their_cosines_if_they_are_wanted(technique: PromptRewriter) -> None:
    for query, nearest in (("红茶", "乌龙茶 (0.43)"), ("泊车", "停车 (0.29)")):
        assert not apply(technique, query, SHELF).queries
        (variant,) = apply(dataclasses.replace(technique, nearest=True), query, SHELF).queries
        assert nearest in variant.why
        assert "may name another thing" in variant.why
    nothing = apply(dataclasses.replace(technique, nearest=True), "…", SHELF)
    assert not nothing.queries
    assert nothing.unchanged


def test_words_that_the_corpus_has_and_codes_stay() -> None:
    for one in apply(MultiQuery(), "VPN-809 报错", HANDBOOK).queries:
        if one.kind == "rewording":
            assert "VPN-809" in one.text


def test_only_words_of_the_corpus_are_offered() -> None:
    wording = Wording.of(DEVICES)
    found = wording.near("broken screen", 20)
    assert found
    assert all(word in wording.df for word, _ in found)
    assert [c for _, c in found] == sorted((c for _, c in found), reverse=True)
    assert not {"broken", "screen"} & {word for word, _ in found}


def test_function_words_say_nothing_and_codes_do() -> None:
    wording = Wording.of(DEVICES)
    assert [w for w in ("the", "how", "的", "battery", "电池", "E21") if wording.says_something(w)] == [
        "battery",
        "电池",
        "E21",
    ]


@for_each(
    "query, parts",
    [
        ("How do I pair the headphones and reset the router?", ["How do I pair the headphones?", "reset the router?"]),
        ("年假有几天？病假怎么申请？", ["年假有几天？", "病假怎么申请？"]),
        ("年假有几天，以及病假怎么申请", ["年假有几天？", "病假怎么申请？"]),
        ("printer paper jam", []),
        ("咖啡机和净水器的关系是什么？", []),  # of both one thing is asked
        ("合同法与劳动法有什么异同", []),
        ("年假、病假和事假之间的差别", []),
        ("对比一下打印机和扫描仪", []),
        ("How are the router and the repeater related?", []),
        ("What is the difference between a mesh and a repeater?", []),
        ("Compare the router and the repeater, and how do I reset them?", None),
        ("路由器和中继器有什么区别，以及怎么重置", ["路由器和中继器有什么区别？", "路由器和中继器，怎么重置？"]),
        (
            "What is the difference between a mesh and a repeater and how do I reset the router?",
            ["What is the difference between a mesh and a repeater?", "how do I reset the router?"],
        ),
        ("Gamma智能音箱保修多久,有什么颜色?", ["Gamma智能音箱保修多久？", "Gamma智能音箱，有什么颜色？"]),
        ("年假有几天？怎么申请？能不能结转？", ["年假有几天？", "年假，怎么申请？", "年假，能不能结转？"]),
        ("婚假和产假各有几天？", ["婚假有几天？", "产假有几天？"]),
        ("会议室和停车位怎么预订？", ["会议室怎么预订？", "停车位怎么预订？"]),
        (
            "机器学习和深度学习有什么关系？它们各是什么？",
            ["机器学习和深度学习有什么关系？", "机器学习和深度学习，它们各是什么？"],
        ),
        ("How many days of leave do I get? And how do I apply?", None),
        ("电池充满要多久、耳机怎么配对", ["电池充满要多久？", "耳机怎么配对？"]),
    ],
)
def test_a_question_is_cut_at_punctuation_and_conjunctions(query: str, parts: list[str] | None) -> None:
    made = [g.text for g in apply(SubQuestions(), query, DEVICES).queries]
    if parts is None:
        assert "router and the repeater" in made[0] or made[1] == "days of leave: how do I apply?"
    else:
        assert made == parts


def test_a_corpus_without_other_words_or_a_wider_subject_is_named() -> None:
    few = Corpus("few", tuple(Document(str(i), f"机器学习是一种技术，第{i}段。") for i in range(3)))
    rewrite = apply(MultiQuery(), "机器学习是什么?", few)
    assert rewrite.queries == ()
    assert rewrite.unchanged.startswith("The corpus has every word of the question.")
    rewrite = apply(StepBack(), "机器学习是什么?", few)
    assert rewrite.queries == ()
    assert "is in more passages than the others (机器学习 (3))" in rewrite.unchanged


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("Gamma智能音箱保修多久,有什么颜色?", ["Gamma智能音箱保修多久？", "Gamma智能音箱，有什么颜色？"]),
        ("年假有几天？怎么申请？", ["年假有几天？", "年假，怎么申请？"]),
        ("Alpha手表多少钱，怎么买？", ["Alpha手表多少钱？", "Alpha手表，怎么买？"]),
        ("隧道多长？什么时候通车？", ["隧道多长？", "隧道，什么时候通车？"]),
        ("保修期多长？有什么颜色？", ["保修期多长？", "有什么颜色？"]),
        ("婚假要交什么材料，能不能分两次休", ["婚假要交什么材料？", "婚假，能不能分两次休？"]),
        ("How long is the warranty? What colours are there?", ["How long is the warranty?", "What colours are there?"]),
        (
            "What is the price of the lamp? What colours are there?",
            ["What is the price of the lamp?", "lamp: What colours are there?"],
        ),
    ],
)
def test_every_part_is_asked_about_the_thing_and_not_about_its_property(query: str, parts: list[str]) -> None:
    tiny = Corpus("tiny", (Document("a", "年假每年五天。", "年假"), Document("b", "The lamp has a battery.", "Lamp")))
    for corpus in (tiny, HANDBOOK):
        assert [v.text for v in apply(SubQuestions(abstains=False), query, corpus).queries] == parts


SMALL = (
    Corpus(
        "bread",
        (Document("a", "Rye bread is dark; a baguette has a thin crust.", "Rye bread"), Document("b", "Dry yeast.")),
    ),
    Corpus("tea", (Document("a", "龙井是绿茶，普洱要洗茶。", "龙井"), Document("b", "紫砂壶适合泡普洱。", "茶具"))),
)


def test_a_pair_that_the_corpus_has_side_by_side_is_one_thing() -> None:
    texts = ["Salt and pepper shakers of glass.", "Salt and pepper are free.", "Forks and knives."]
    corpus = Corpus("table", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    for query, n in [("Do you sell salt and pepper shakers?", 0), ("Do you sell forks and salt?", 2)]:
        assert len(apply(SubQuestions(abstains=False), query, corpus).queries) == n


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("How do I make a starter and feed it?", ["How do I make a starter?", "starter: feed it?"]),
        (
            "How long does a baguette keep? And rye bread?",
            ["How long does a baguette keep?", "How long does rye bread keep?"],
        ),
        ("Does yeast need warm water or cold water?", ["Does yeast need warm water?", "Does yeast need cold water?"]),
        ("Can I bake in the pan or in a tin?", ["Can I bake in the pan?", "Can I bake in a tin?"]),
        ("What temperature and time for baguettes?", ["What temperature for baguettes?", "time for baguettes?"]),
        ("Who invented the croissant and when?", ["Who invented the croissant?", "croissant: when?"]),
        ("Flour, water and salt: how much?", ["Flour: how much?", "water: how much?", "salt: how much?"]),
        ("Do brake pads and chains last equally long?", []),
        ("Which is cheaper, the baguette, the roll or the toast?", []),
        ("Which is better for toast, a gas oven or a pan?", []),
        ("Do you sell milk and pepper mills?", ["Do you sell milk?", "Do you sell pepper mills?"]),
        ("小张和小李是谁？", ["小张是谁？", "小李是谁？"]),
        ("小王和小赵在哪个部门？", ["小王在哪个部门？", "小赵在哪个部门？"]),
        ("猫粮、罐头哪里买？", ["猫粮哪里买？", "罐头哪里买？"]),
        ("拿铁和美式的热量是多少？", ["拿铁的热量是多少？", "美式的热量是多少？"]),
        ("会场在哪里，几点开始？", ["会场在哪里？", "会场，几点开始？"]),
        ("北京和上海的门店地址在哪？", ["北京的门店地址在哪？", "上海的门店地址在哪？"]),
        (
            "Is rye bread better than toast and rolls?",
            ["Is rye bread better than toast?", "Is rye bread better than rolls?"],
        ),
        ("Can students and staff bake here?", []),
        ("除了绿茶和普洱还有什么？", []),
        ("不喝绿茶和普洱喝什么？", []),
        ("龙井多少钱一斤？普洱呢？", ["龙井多少钱一斤？", "普洱多少钱一斤？"]),
        ("如何保存绿茶？普洱呢？", ["如何保存绿茶？", "如何保存普洱？"]),
        ("龙井用多少度的水泡，能泡几次？", ["龙井用多少度的水泡？", "龙井，能泡几次？"]),
        ("铁观音可以泡几次，产自哪里？", ["铁观音可以泡几次？", "铁观音，产自哪里？"]),
        ("紫砂壶和玻璃杯分别适合泡什么茶？", ["紫砂壶适合泡什么茶？", "玻璃杯适合泡什么茶？"]),
        ("绿茶和普洱的储存方法", ["绿茶的储存方法？", "普洱的储存方法？"]),
        ("铁观音能泡几次，和龙井有什么不同？", ["铁观音能泡几次？", "铁观音，和龙井有什么不同？"]),
        ("明前龙井贵不贵，值得买吗？", ["明前龙井贵不贵？", "明前龙井，值得买吗？"]),
        ("Can I return milk but not bread?", []),
        ("Is it free for children but not for adults?", []),
        ("How do I clean and store the tin?", []),  # one object
        ("Should I knead or fold the dough?", []),
        ("What is a starter and why do I feed it?", ["What is a starter?", "starter: why do I feed it?"]),
        ("怎么清洗和保存茶壶？", []),
        ("需要茶壶还是杯子？", []),
        ("Where is the Ford and Baker Bread Museum?", []),
        ("《茶与禅》讲什么？", []),
        ("I bought yeast, it smells odd, and the bag is open. Who pays?", []),  # a story and one question
        ("昨天买的茶壶，盖子坏了，找谁修？", []),
        ("人在外地，钥匙丢了，急死了", []),
        (
            "My yeast got wet. Can I dry it, and will it work again?",
            ["My yeast got wet, Can I dry it?", "yeast: will it work again?"],
        ),
        ("客人来喝茶，要不要洗茶，能泡几次？", ["客人来喝茶，要不要洗茶？", "客人，能泡几次？"]),
        ("紫砂壶的价格和保修期是多少？", ["紫砂壶的价格是多少？", "紫砂壶的保修期是多少？"]),
        (
            "What are the opening hours, prices and rules of the bakery?",
            ["What are the opening hours of the bakery?", "prices of the bakery?", "rules of the bakery?"],
        ),
    ],
)
def test_every_part_of_a_question_is_complete_in_a_small_corpus(query: str, parts: list[str]) -> None:
    corpus = SMALL[not query.isascii()]
    assert [v.text for v in apply(SubQuestions(abstains=False), query, corpus).queries] == parts


@for_each(
    "query",
    [
        "Can I return milk but not bread?",
        "I want tea, not coffee",
        "Can I bring a dog and not a cat?",
        "可以退牛奶而不是面包吗",
    ],
)
def test_what_is_excluded_is_no_part_of_its_own(query: str) -> None:
    corpus = SMALL[not query.isascii()]
    assert apply(SubQuestions(abstains=False), query, corpus).queries == ()


def test_a_part_without_a_subject_is_told_what_it_is_about() -> None:
    made = apply(SubQuestions(), "病假工资怎么算，以及找谁申请", HANDBOOK).queries
    assert made[1].text == "病假工资，找谁申请？"
    assert "病假工资" in made[1].why
    made = apply(SubQuestions(), "什么是年终奖？它和绩效工资有什么关系？", HANDBOOK).queries
    assert [g.text for g in made] == ["什么是年终奖？", "年终奖，它和绩效工资有什么关系？"]
    made = apply(SubQuestions(), "What does noise cancelling do? Does it drain the battery?", DEVICES).queries
    assert made[1].text == "noise cancelling: Does it drain the battery?"


def test_stepping_back_drops_the_code_and_adds_what_the_neighbours_share() -> None:
    corpus = Corpus(
        "c",
        (
            Document("a", "打印机 卡纸 维修 报修"),
            Document("b", "打印机 墨盒 维修 报修"),
            Document("c", "年假 申请 天数"),
            *(Document(f"d{i}", "工资 发放") for i in range(50)),
        ),
    )
    (one,) = apply(StepBack(learns_from=BM25()), "打印机 E-4031 卡纸", corpus).queries
    assert "E-4031" not in one.text
    assert "e-4031 (0), 卡纸 (1)" in one.why
    assert "打印机 (2)" in one.why
    assert "打印机" in one.text
    assert "维修" in one.text


@for_each(
    "query, whole, parts",
    [
        ("机器学习是什么", "机器学习", {"机器", "学习"}),
        ("知识图谱怎么建", "知识图谱", {"知识", "图谱"}),
        ("what is gradient descent", "gradient descent", {"gradient", "descent"}),
        ("装 scikit-learn 要多久", "scikit-learn", {"scikit", "learn"}),
    ],
)
def test_a_compound_that_the_corpus_knows_stays_whole(query: str, whole: str, parts: set[str]) -> None:
    texts = (
        "机器学习需要数据。", "机器学习评估模型。", "知识图谱需要审核。", "知识图谱有节点。", "scikit-learn 评估模型。",
        "Gradient descent needs data.", "Descent of a curve: gradient descent.", "数据要审核。",
    )  # fmt: skip
    corpus = Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    topics = Wording.of(corpus).topics(query, corpus)
    assert any(whole in topic for topic in topics), topics
    assert not parts & topics.keys()
    assert topics[next(t for t in topics if whole in t)] >= 1


def test_words_that_meet_by_chance_are_no_compound() -> None:
    texts = "预算要审批。", "审批预算。", "年度预算审批。", "预算表。"
    corpus = Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    assert Wording.of(corpus).topics("预算审批", corpus).keys() == {"预算", "审批"}
    assert Wording.of(corpus).join(["审批", "预算"], corpus) == ["审批", "预算"]


def test_a_pseudo_document_is_made_of_sentences_of_the_first_hits() -> None:
    query = "午饭在哪里吃"
    (one,) = apply(Query2Doc(repeat=2, sentences=2), query, HANDBOOK).queries
    assert one.searched == f"{query}\n{query}\n{one.text}"
    ids = one.why.rstrip(".").split(": ")[1].split(", ")
    text = "".join(document.text for i in ids if (document := HANDBOOK.get(i)))
    assert all(part in text for part in re.split("(?<=[。！？；])", one.text))
    assert "pseudo-relevance feedback" in one.why


def test_three_perspectives_share_no_sentence() -> None:
    made = apply(HyDE(), "how long does the battery last", DEVICES).queries
    assert tuple(g.kind for g in made) == PERSPECTIVES
    assert len({g.text for g in made}) == 3


def test_a_rule_learns_from_the_search_that_it_is_given() -> None:
    index = BM25().index(HANDBOOK)
    query = "zzz 打印机"
    own, other = apply(Query2Doc(learns_from=BM25()), query, HANDBOOK), apply(Query2Doc(), query, HANDBOOK)
    best = index.search(query, k=3).hits
    assert all(i in [h.document.id for h in best] for i in own.queries[0].why.rstrip(".").split(": ")[1].split(", "))
    assert own.by == other.by == "rule"


def test_a_rule_may_learn_from_a_whole_pipeline() -> None:
    search = RRF()(BM25(), Vector()) >> Top(3)
    ids = Runner(HANDBOOK)(search, "午饭在哪里吃", 3).ids
    (one,) = apply(Query2Doc(learns_from=search), "午饭在哪里吃", HANDBOOK).queries
    assert set(one.why.rstrip(".").split(": ")[1].split(", ")) <= set(ids)


# ------------------------------------------------------------------------------------------------ models


@each
def test_a_model_is_named_and_a_run_without_it_says_what_to_do(technique: PromptRewriter) -> None:
    named = dataclasses.replace(technique, model="small")
    with pytest.raises(ModelError, match="no language model “small”") as caught:
        named.rewrite(Query("年假有几天"), HANDBOOK, Env(models={"chat": ScriptedModel()}))
    assert "the rule does the work" in caught.value.remedy
    patient = Runner(HANDBOOK, patient=True)(named(BM25()), "年假有几天")
    assert isinstance(patient.evidence.problem, ModelError)
    assert patient == Runner(HANDBOOK)(BM25(), "年假有几天")


def test_a_model_is_asked_in_the_language_of_the_question() -> None:
    model = ScriptedModel(
        (("请把下面的检索问题换成 3 种", "1. 发工资的日期\n2. 薪酬何时到账\n3. 领薪水的日子\n4. 多余"), ("", "en"))
    )
    rewrite = apply(MultiQuery(n=3), "领薪水的日子", HANDBOOK, model=model)
    assert rewrite.by == "model"
    assert [g.text for g in rewrite.queries] == ["发工资的日期", "薪酬何时到账"]  # the third is the query itself
    assert rewrite.answers[0].text.startswith("1.")
    assert apply(MultiQuery(), "pay day", HANDBOOK, model=model).queries[0].text == "en"


def test_each_perspective_is_asked_for_by_itself() -> None:
    model = ScriptedModel((("figures", "R."), ("step by step", "P."), ("newcomer", "B.")))
    made = apply(HyDE(), "why?", DEVICES, model=model).queries
    assert [(g.kind, g.text) for g in made] == [("research", "R."), ("practice", "P."), ("basics", "B.")]


@each
def test_a_model_that_fails_is_an_error_and_the_rule_is_still_there(technique: PromptRewriter) -> None:
    with pytest.raises(ModelError, match="no answer for this prompt"):
        apply(technique, "年假有几天，怎么申请", HANDBOOK, model=ScriptedModel())
    with pytest.raises(Unreadable) as caught:
        apply(technique, "年假有几天，怎么申请", HANDBOOK, model=ScriptedModel((("", "？？"),)))
    assert caught.value.answer == "？？"
    apply(technique, "年假有几天，怎么申请", HANDBOOK)


# -------------------------------------------------------------------------------------------- industries


def test_the_adapters_that_come_with_the_lab_are_three() -> None:
    assert set(adapters()) == {"education", "medicine", "law"}
    for adapter in adapters().values():
        assert adapter.called("en") != adapter.called("zh")
        assert len(adapter.terms) > 15


@for_each(
    "name, query, said",
    [
        ("medicine", "肚子疼还拉肚子，怎么办啊", "腹痛 还 腹泻"),
        ("medicine", "I have a bellyache and feel dizzy", "I have a bellyache and feel dizziness"),
        ("law", "房东不退押金，气死我了", "出租人 不退 押金 保证金"),
        ("education", "小明家很远。甲乙两车相向而行，几小时相遇？", "甲乙两车 相遇问题 ，几小时相遇？"),
        ("education", "no word of it", None),
        ("education", "修了5天，剩下120米，一共几米", "修了5天，剩下120米， 总数 几米"),
        ("education", "有50元，花了30元，还剩多少", "有50元，花了30元， 剩余数量"),
        ("law", "卖家收了钱不发货，我该怎么办", "出卖人 收了钱 未按约定交付 违约"),
        ("law", "那我现在应该怎么办？房东要涨租金", "出租人 要涨租金"),
        ("law", "The seller kept my deposit, so what can I do?", "The seller kept my deposit?"),
        ("medicine", "头晕想吐，我要怎么办啊", "头晕 恶心"),
        ("education", "6个工人修路，还剩300米，总共几米", "6个工人 工程问题 ，还剩300米， 总数 几米"),
        ("education", "3 boxes of 4 apples, how many altogether?", "3 boxes of 4 apples, how many total?"),
        ("education", "每人5元，8人一共几元", "每人5元，8人 总数 几元"),  # a multiplication
        ("education", "买3支笔，每支2元，带了20元，还差多少", None),
        ("education", "He earns 9 euros per hour", "He earns 9 euros rate"),
        ("law", "新买的洗衣机漏水，老板不管", "新买的洗衣机 漏水 财产损害 ，老板不管"),
        ("medicine", "heat stroke", None),
        ("law", "廉租房的分配信息", None),  # 租房 is in the middle of a word
    ],
)
def test_lay_words_become_terms(name: str, query: str, said: str | None) -> None:
    made = apply(DomainVocabulary(adapters()[name]), query, HANDBOOK).queries
    assert (made[0].text if made else None) == said


def test_terms_that_were_put_in_are_not_replaced_again() -> None:
    adapter = Adapter.read('name = "x"\n[terms]\na = "b"\nb = "c"')
    assert apply(DomainVocabulary(adapter), "a b", HANDBOOK).queries[0].text == "b c"


def test_an_adapter_of_ones_own_brings_its_prompt() -> None:
    adapter = Adapter.read('name = "cooking"\n[prompt]\nen = "As a cook: {question}"\n[drop]\nphrases = ["yummy"]')
    assert DomainVocabulary(adapter).requests("soup", "zh") == ("As a cook: soup",)
    assert apply(DomainVocabulary(adapter), "yummy soup", HANDBOOK).queries[0].text == "soup"


@for_each(
    "text, words",
    [
        ("name = ", "cannot be read"),
        ("x = 1", "“x” is unknown"),
        ("[terms]\na = 'b'", "“name” is missing"),
        ("name = 'x'", "no terms, phrases or prompts"),
        ("name = 'x'\nterms = 3", "“terms” must be"),
        ("name = 'x'\n[terms]\na = 3", "“terms” must be"),
        ("name = 'x'\n[terms]\n' ' = 'b'", "“terms” must be"),
        ("name = 'x'\ndrop = 3", "“drop.phrases” must be"),
        ("name = 'x'\n[drop]\nphrases = ['']", "“drop.phrases” must be"),
        ("name = 'x'\n[prompt]\nen = 'no place'", "{question}"),
        ("name = 'x'\n[prompt]\nfr = '{question}'", "en or zh"),
        ("name = 'x'\n" + "#" * 300_000, "longer than"),
    ],
)
def test_a_broken_adapter_is_refused_with_the_reason(text: str, words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Adapter.read(text)
    assert words in str(caught.value)


@given(text=st.text(max_size=60))
def test_no_adapter_text_does_anything_worse(text: str) -> None:
    with pytest.raises(ParameterError):
        Adapter.read(text)


@pytest.mark.parametrize("technique", [HyDE(), Query2Doc()], ids=repr)
def test_a_text_without_a_full_stop_is_not_searched_as_a_whole(technique: PromptRewriter) -> None:
    endless = Corpus("endless", (Document("a", "battery " * 12_500), Document("b", "A battery lasts.")))
    made = apply(technique, "battery", endless)
    assert made.queries
    assert all(len(q.query) < 9000 for q in made.queries)  # two sentences of 4,000 characters at most


def test_nothing_is_learned_from_results_that_are_most_of_the_corpus_and_names_stay_whole() -> None:
    texts = ("支持向量机是一种监督学习模型。", "密码学是一种加密技术。", "机器学习是一种人工智能技术。")
    tiny = Corpus("tiny", tuple(Document(f"d{i}", text) for i, text in enumerate(texts)))
    index = BM25().index(tiny)
    for operator in (MultiQuery(), StepBack()):
        for query in ("机器学习是什么？", "怎么用 scikit-learn 训练模型？"):
            rewrites = [
                variant.text for variant in operator.rule(query, tiny, lambda text, n: index.search(text, k=n).hits)
            ]
            assert not any("一种" in text or "密码学" in text for text in rewrites), rewrites
