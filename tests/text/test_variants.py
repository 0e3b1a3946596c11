"""Chinese as Taiwan, Hong Kong and the mainland write it is one in an index."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import nightly, spread

from lab.algebra import Corpus, Document
from lab.retrieve.lexical import BM25
from lab.text import Analyzer
from lab.text.folding import simplified_characters
from lab.text.variants import Variants, lines, variants
from maintenance import variants as source

ROOT = Path(__file__).parents[2]
ANALYZER = Analyzer()
REGIONS = ("s2t", "s2tw", "s2hk")


@cache
def frequencies() -> dict[str, int]:
    """The words of jieba's dictionary with several characters."""
    return {word: n for word, n in source.dictionary().items() if len(word) > 1}


@cache
def written(region: str) -> dict[str, str]:
    """Each word as a region writes it."""
    return dict(zip(frequencies(), source.converted(frequencies(), region), strict=True))


@pytest.mark.parametrize(
    ("spelling", "simple"),
    [
        ("瞭解", "了解"),
        ("明瞭", "明了"),
        ("回覆", "回复"),
        ("答覆", "答复"),
        ("隨著", "随着"),
        ("他騎著車", "他骑着车"),
        ("計畫", "计划"),
        ("藉口", "借口"),
        ("憑藉", "凭借"),
        ("彷彿", "仿佛"),
        ("甚麼", "什么"),
        ("甚么", "什么"),
        ("衞生", "卫生"),
        ("妳們", "你们"),
        ("祇有", "只有"),
        ("姪子", "侄子"),
        ("牠", "它"),
        ("帳戶", "账户"),
        ("帳篷", "帐篷"),
        ("想像中", "想象中"),
        ("座標", "坐标"),
        ("沈默", "沉默"),
        ("餅乾", "饼干"),
        ("擦乾淨", "擦干净"),
    ],
)
def test_a_word_is_one_in_every_region(spelling: str, simple: str) -> None:
    assert ANALYZER.tokens(spelling) == ANALYZER.tokens(simple)
    corpus = Corpus("c", [Document("a", "", f"請先{spelling}，再說"), Document("b", "", "覆蓋範圍")])
    for query in (spelling, simple):
        assert {h.document.id: h.score for h in BM25().index(corpus).search(query)} == {
            h.document.id: h.score for h in BM25().index(corpus).search(simple)
        }


@pytest.mark.parametrize(
    "word",
    [
        "乾隆皇帝",
        "乾县",
        "乾坤",
        "瞭望塔",
        "著名",
        "显著",
        "覆盖范围",
        "慰藉",
        "彷徨",
        "等待",
        "神祇",
        "沈先生",
        "座位",
    ],
)
def test_a_simplified_word_stays(word: str) -> None:
    assert ANALYZER.read(word).text == word
    assert ANALYZER.tokens(word) == Analyzer(simplified=False).tokens(word)


def test_the_longest_word_around_a_character_counts():
    table = {"台": "台", "台風": "台风", "颱台風": "颱台风", "風": "風"}
    assert Variants(table).put("颱台風") == "颱台风"
    assert Variants(table | {"台風口": "台风口"}).put("台風口風") == "台风口風"
    assert Variants({"a": "x", "ab": "yz", "abc": "uvw"}).put("abc ab a") == "uvw yz x"


@pytest.mark.parametrize("region", spread(REGIONS, 1))
@pytest.mark.nightly
def test_nearly_every_running_word_is_one_in_a_region(region: str) -> None:
    words, read = [*frequencies()], ANALYZER.read
    simple, spelt = read("\n".join(words)).text.split("\n"), read("\n".join(written(region).values())).text.split("\n")
    apart = sum(frequencies()[word] for word, a, b in zip(words, simple, spelt, strict=True) if a != b)
    share = 1 - apart / sum(frequencies().values())
    assert share > 0.9999
    for language in ("en", "zh"):
        guide = (ROOT / "pages" / "start" / "tokenizer" / f"guide.{language}.md").read_text("utf-8")
        (said,) = re.findall(r"(99\.\d{3})%", guide)
        assert round(100 * share, 3) >= float(said)


@pytest.mark.nightly
def test_the_guide_says_how_many_running_words_are_one_character_by_character() -> None:
    """In the region that differs most."""
    single = str.maketrans(simplified_characters())
    frequent, shares = frequencies(), []
    for region in REGIONS:
        spelt = written(region)
        apart = sum(n for word, n in frequent.items() if word.translate(single) != spelt[word].translate(single))
        shares.append(1 - apart / sum(frequent.values()))
    for language in ("en", "zh"):
        guide = (ROOT / "pages" / "start" / "tokenizer" / f"guide.{language}.md").read_text("utf-8")
        assert re.findall(r"(99\.\d{2})%", guide) == [f"{100 * min(shares):.2f}"]


@given(st.data())
def test_any_two_words_are_found_in_any_spelling_with_exact_positions(data: st.DataObject) -> None:
    common = [word for word in sorted(frequencies()) if frequencies()[word] > 500]
    word = data.draw(st.sampled_from(common))
    spelt = written(data.draw(st.sampled_from(REGIONS)))[word]
    text = f"我{spelt}，{word}™"
    tokens = [t for t in ANALYZER.spans(text) if t.kind == "word"]
    assert ANALYZER.tokens(spelt) == ANALYZER.tokens(word)
    for token in tokens:
        assert token.end - token.start == len(token.text)
    assert ANALYZER.tokens(text) == [t.text for t in ANALYZER.spans(text)]
    together = [[*kind] for kind, _ in ANALYZER.many([text])]
    assert together[0][:-1] == [t.text for t in tokens]


@given(st.text(st.sampled_from("著瞭覆乾隆县名解回复像想象座标帳户账甚麼么計畫划a "), max_size=12))
def test_the_spelling_of_a_class_is_its_own(text: str) -> None:
    once = ANALYZER.read(text)
    assert ANALYZER.read(once.text).text == once.text
    assert len(once.text) == len(text)


def test_question_words_in_traditional_spelling_are_filtered() -> None:
    for question in ("這是甚麼東西", "為什麼", "怎麼辦", "哪裡有", "哪裏有", "請問", "有嗎"):
        assert ANALYZER.tokens(question) == ANALYZER.tokens(
            source.converted([question.replace("甚麼", "什麼")], "t2s")[0]
        )
    assert ANALYZER.tokens("這是甚麼東西") == ANALYZER.tokens("这是什么东西")


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("滑鼠", "鼠标"),
        ("軟體", "软件"),
        ("資訊", "信息"),
        ("印表機", "打印机"),
        ("記憶體", "内存"),
        ("計程車", "出租车"),
        ("網路", "网络"),
    ],
)
def test_regional_words_are_one_only_if_chosen(here: str, there: str) -> None:
    folding = Analyzer(regional=True)
    text = f"新的{here}很好"
    assert folding.tokens(text) == folding.tokens(f"新的{there}很好")
    assert ANALYZER.tokens(text) != ANALYZER.tokens(f"新的{there}很好")
    marked = [text[t.start : t.end] for t in folding.spans(text) if t.text == there]
    assert marked == [here]
    assert [*next(kind for kind, _ in folding.many([text]))][:-1] == [
        t.text for t in folding.spans(text) if t.kind == "word"
    ]
    assert Analyzer(regional=True, simplified=False).tokens(text) == Analyzer(simplified=False).tokens(text)


@pytest.mark.parametrize("name", ["regional", nightly("variants")])
def test_the_tables_are_what_opencc_has(name: str) -> None:
    assert getattr(source, name)() == lines(name)
    assert variants().put("著名") == "著名"
