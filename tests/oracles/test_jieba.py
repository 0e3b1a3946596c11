"""The three jieba modes against jieba itself, and the places of the full mode against its dictionary.

Equal on characters that jieba takes for Chinese (U+4E00 to U+9FD5), but for exact ties between two ways of
cutting an unknown word; outside that range the two differ, which is held here as well.
"""

from __future__ import annotations

import random
import re

import jieba
import pytest
from night import NIGHT, spread
from plain import cutting

from lab.text import HAN

jieba.setLogLevel(60)

TEXT = """
员工入职满一年后，每年可以休五天年假；满十年的可以休十天，满二十年的可以休十五天。年假应当在当年休完，确因工作需要不能休完的，
经部门负责人批准，可以推迟到第二年三月底以前。病假需要医院开具的诊断证明，连续超过三天的还要附上病历复印件。报销差旅费时请把
发票按日期贴好，注明出差的目的地、事由和同行的人，住宿标准以城市级别为准，超出部分由个人承担。
降噪耳机开机以后先听到提示音，再长按电源键七秒进入配对模式，指示灯会交替闪烁红色和蓝色。如果屡次无法连接，请删除手机里的旧
记录，然后重新启动蓝牙。充电盒的电量低于百分之二十时会亮起橙色的灯，充满大约需要两个半小时。请不要在潮湿的地方使用本产品，
也不要自行拆开外壳更换电池，否则可能引起短路、起火或者爆炸。
小明从南京市长江大桥走到乒乓球馆，路上买了一斤苹果和两盒牛奶。他研究生命的起源已经很久了，却说自己只是喜欢看星星的普通人。
结婚的和尚未结婚的都来了，王老板的女儿把手表放在把手上。工信处女干事每月经过下属科室都要亲口交代二十四口交换机等技术性器件
的安装工作。我来到北京清华大学，后来又去了中国科学院计算技术研究所深造，在那里遇见了永和服装饰品有限公司的杭研大厦设计师。
他来到了网易杭研大厦。隔夜的茶水，冬天的炉火，远山的雪线，都让人想起外婆讲过的那些故事：狐狸借走了月亮，渔夫钓起了一座钟。
哈哈哈哈，人人网人人都用；高高兴兴上学去，明明白白做人，认认真真记账，雄赳赳气昂昂。
"""
# 台湾、香港的写法和少见的字
TRADITIONAL = (
    "請於下週三以前將報銷單據送到財務處，逾期不予受理。耳機無法開機時，請先充電三十分鐘，再長按電源鍵。龘靐齉爩麤灩"
)

HAN_RUN = re.compile(f"[{HAN}]+")
RUNS = HAN_RUN.findall(TEXT + TRADITIONAL)
KNOWN = sorted(set("".join(RUNS)))

MODES = {"search": jieba.lcut_for_search, "precise": jieba.lcut, "full": lambda run: jieba.lcut(run, cut_all=True)}


def random_runs(number: int) -> list[str]:
    """Pieces of the text put side by side, its characters shuffled, and any characters in jieba's range."""
    rng = random.Random(7)
    text = "".join(RUNS)
    out = []
    for i in range(number):
        pieces = []
        for _ in range(rng.randint(1, 5)):
            kind = i % 3
            if kind == 0:
                start = rng.randrange(len(text))
                pieces.append(text[start : start + rng.randint(1, 8)])
            elif kind == 1:
                pieces.append("".join(rng.choices(KNOWN, k=rng.randint(1, 4))))
            else:
                pieces.append("".join(chr(rng.randint(0x4E00, 0x9FD5)) for _ in range(rng.randint(1, 4))))
        out.append("".join(pieces))
    return out


@pytest.mark.parametrize("mode", MODES)
def test_equals_jieba_on_real_and_on_random_runs(mode: str) -> None:
    ours, theirs = cutting(mode=mode, single=True), MODES[mode]
    runs = RUNS + random_runs(3000 if NIGHT else 400)
    different = [run for run in runs if ours.tokens(run) != theirs(run)]
    assert not different, [(ours.tokens(run), theirs(run)) for run in different[:3]]


def test_a_tie_between_two_cuts_may_fall_differently() -> None:
    # as an unknown word 常在 is as likely as 常 and 在, to the last digit of a double
    assert cutting(mode="precise", single=True).tokens("常在的海身") == ["常在", "的", "海身"]
    assert jieba.lcut("常在的海身") == ["常", "在", "的", "海身"]


@pytest.mark.parametrize("run", ["㐀㐁", "鿗鿦", "𠀀𠀁"], ids=["extension A", "later additions", "extension B"])
def test_characters_outside_jiebas_tables_are_joined_where_jieba_keeps_them_apart(run: str) -> None:
    assert jieba.lcut(run) == list(run)
    assert cutting(mode="precise").tokens(run) == [run]


@pytest.mark.parametrize("mode", spread(MODES, 1))
def test_user_words_cut_as_in_jieba(mode: str) -> None:
    words = ("墨鱼云盘", "杭研大厦", "乒乓球拍卖")
    reference = jieba.Tokenizer()
    for word in words:
        reference.add_word(word)
    theirs = {
        "search": reference.lcut_for_search,
        "precise": reference.lcut,
        "full": lambda run: reference.lcut(run, cut_all=True),
    }[mode]
    ours = cutting(mode=mode, single=True, user_words=words)
    for run in ["他用墨鱼云盘存照片", "来到杭研大厦里面", "乒乓球拍卖完了", *RUNS]:
        assert ours.tokens(run) == theirs(run), run


def test_the_full_mode_stands_where_the_dictionary_finds_it() -> None:
    """Places from jieba's own graph of words: for each start, the ends of the words that begin there."""
    analyzer = cutting(mode="full")
    for run in RUNS + random_runs(600 if NIGHT else 100):
        graph = jieba.dt.get_DAG(run)
        expected = [(start, end + 1) for start, ends in graph.items() for end in ends if end > start]
        assert [(t.start, t.end) for t in analyzer.spans(run)] == expected, run


@pytest.mark.parametrize("mode", ["search", "precise"])
def test_the_other_modes_stand_where_jieba_finds_them(mode: str) -> None:
    analyzer = cutting(mode=mode, single=True)
    for run in RUNS + random_runs(600 if NIGHT else 100):
        theirs = list(jieba.tokenize(run, "search" if mode == "search" else "default"))
        assert [(t.text, t.start, t.end) for t in analyzer.spans(run)] == theirs, run
