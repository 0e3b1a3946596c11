"""Spelling: which words are corrected, by what, and which are left alone, with the reason."""

from __future__ import annotations

import random
import sys
from importlib.util import find_spec
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Corpus, Document, Query, Rewrite, Runner
from lab.corpus import samples
from lab.errors import MissingExtra, ParameterError
from lab.fuse import RRF
from lab.retrieve.lexical import BM25
from lab.rewrite import nearest, spelling
from lab.rewrite.nearest import CorpusWords, common_sound, sounds_alike
from lab.rewrite.spelling import Corrected, Spelling, offered

CORPUS = Corpus(
    "machines",
    (
        Document("a", "The filter is washable. Wash the filters monthly."),
        Document("b", "The filler valve of the tank. The receipt is in the box."),
        Document("c", "The filter needs a warranty card, and the wireless pad a receipt."),
        Document("d", "打印机卡纸怎么办：先关机，再打开后盖。"),
        Document("e", "打印机的墨盒、后盖和退货政策。"),
        Document("f", "退货政策以发票为准。"),
    ),
)
needs_pinyin = pytest.mark.skipif(not find_spec("pypinyin"), reason="pypinyin is not installed")


def corrected(text: str, corpus: Corpus = CORPUS, **knobs: object) -> Corrected:
    return Spelling(**knobs).correct(text, corpus)


def made(text: str, **knobs: object) -> Rewrite:
    return Spelling(**knobs).rewrite(Query(text), CORPUS)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("filtter", "filter"),
        ("flter", "filter"),
        ("filtre", "filter"),
        ("reciept", "receipt"),
        ("Wirless pad", "Wireless pad"),
        ("WARANTY CARD", "WARRANTY CARD"),
        ("wireles-charging", "wireless-charging"),
        ("a filtter, washeable?", "a filter, washable?"),
    ],
)
def test_a_word_becomes_the_nearest_word_of_the_corpus_and_the_rest_stays_as_it_is(typed: str, wanted: str):
    assert corrected(typed).result == wanted


def test_of_words_as_near_the_one_in_more_passages_is_taken_then_the_first_in_the_corpus():
    assert corrected("filer").result == "filter", "filler is as near, but in one passage"
    one = Corpus("one", (Document("a", "battle cattle"),))
    assert corrected("xattle", one).result == "battle"


def test_two_edits_are_for_long_words_and_can_be_switched_off():
    assert corrected("wierlesss").result == "wireless"
    assert corrected("wierlesss", far=10).result == "wierlesss"
    assert corrected("wierlesss", far=0).result == "wierlesss"
    assert corrected("rceiptt").result == "rceiptt", "seven letters are too few for two edits"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("ERR-140", spelling.CODE),
        ("F1lter", spelling.CODE),
        ("www.filtre.com", spelling.CODE),
        ("bix", spelling.SHORT),
        ("FILTR", spelling.CAPITALS),
        ("same", spelling.KNOWN),
        ("zyzzyvas", spelling.FAR),
    ],
)
def test_what_stays_has_its_reason(word: str, reason: str):
    told = corrected(f"the {word} one")
    assert told.corrections == ()
    assert dict(told.kept)[word] == reason


def test_a_word_whose_stem_the_corpus_has_is_not_unknown():
    told = corrected("washing filter filters")
    assert (told.corrections, told.kept) == ((), ())


def test_a_good_word_that_the_corpus_lacks_is_corrected_only_if_one_wants_that():
    corpus = Corpus("same", (Document("a", "safe kids keep"),))
    assert corrected("same deep", corpus).result == "same deep"
    assert corrected("same deep", corpus, known=False).result == "safe keep"


def test_contractions_are_words():
    corpus = Corpus("does", (Document("a", "she does it"),))
    assert corrected("doesn't doesn’t", corpus, known=False).result == "doesn't doesn’t"


def test_the_shortest_word_can_be_chosen():
    assert corrected("bix", shortest=3, known=False).result == "box"


def test_one_wrong_character_of_a_longer_chinese_word_is_corrected_without_any_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    assert corrected("打音机卡纸").result == "打印机卡纸"
    (own,) = corrected("打音机").corrections
    assert (own.by, own.near.distance, own.near.passages) == ("character", 1, 2)
    assert corrected("打音机卡纸", one=False).result == "打音机卡纸"


@needs_pinyin
def test_a_character_of_the_same_sound_is_corrected_where_that_is_chosen():
    assert corrected("打印机的墨合", one=False).result == "打印机的墨合"
    told = corrected("打印机的墨合", sound="same")
    assert told.result == "打印机的墨盒"
    assert [(c.word, c.near.word, c.by) for c in told.corrections] == [("墨合", "墨盒", "sound")]


@needs_pinyin
def test_the_phrases_of_pypinyin_are_loaded_only_to_choose_between_readings(monkeypatch: pytest.MonkeyPatch):
    loaded, load = list[object](), nearest._pypinyin
    monkeypatch.setattr(nearest, "_pypinyin", lambda **how: loaded.extend(how) or load(**how))
    same, similar = sounds_alike(near=False), sounds_alike(near=True)
    assert [same("权", "行政", 1), same("马", "密码", 1), same("长", "生长", 1), similar("难", "篮子", 0)] == [
        0,
        1,
        1,
        1,
    ]
    assert loaded == []
    assert [same("航", "银行", 1), same("星", "银行", 1), same("行", "银行", 1)] == [1, 0, 1]
    assert loaded


@needs_pinyin
@pytest.mark.nightly
def test_a_character_sounds_like_one_in_a_word_where_pypinyin_reads_it_so():
    from pypinyin import lazy_pinyin, pinyin
    from pypinyin.phrases_dict import phrases_dict

    rng, same = random.Random(1), sounds_alike(near=False)
    words = [word for word in phrases_dict if 2 <= len(word) <= 4]
    same("航", "银行", 1)
    for _ in range(30_000):
        word, other = rng.choice(words), rng.choice(rng.choice(words))
        i = rng.randrange(len(word))
        for character in (other, word[i]):
            readings = pinyin(character, style=0, heteronym=True)[0]
            assert same(character, word, i) == (lazy_pinyin(word)[i] in readings), (character, word)


@needs_pinyin
def test_similar_sounds_are_corrected_only_where_they_are_chosen():
    corpus = Corpus("lan", (Document("a", "这是一只篮子。"), Document("b", "篮子很大。")))
    assert corrected("难子", corpus, sound="same").result == "难子"
    assert corrected("难子", corpus, sound="near").result == "篮子"


@needs_pinyin
def test_chinese_that_the_dictionary_or_the_corpus_has_is_no_mistake():
    for text in ("打印机卡纸怎么办", "今天天气很好", "退货政策是什么", "发票"):
        assert corrected(text, sound="near").corrections == (), text


@needs_pinyin
def test_word_borders_can_be_kept():
    corpus = samples.load("handbook").corpus
    assert corrected("怎么改密马", corpus, sound="same").result == "怎么改密码"
    assert corrected("怎么改密马", corpus, sound="same", borders=True).result == "怎么改密马", "it is cut 改密 / 马"


def test_without_the_package_sound_is_refused_with_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    with pytest.raises(MissingExtra, match=r"retrieval-lab\[pinyin\]"):
        corrected("墨合", sound="same")


def test_places_are_those_of_the_text_as_it_was_written():
    text = "Ｗirless and the ﬁltter 打音機"
    for own in corrected(text).corrections:
        assert text[own.start : own.end] == own.word
    assert corrected("ﬁltter").result == "filter"


def test_a_rewrite_asks_the_corrected_question_instead_or_beside():
    run = Runner(CORPUS)
    instead, beside = (run(Spelling(ask=how)(BM25()), "filtter washable") for how in ("instead", "beside"))
    assert instead.ids == run(BM25(), "filter washable").ids
    assert [h.score for h in instead] == [h.score for h in run(BM25(), "filter washable")]
    assert beside.ids == RRF()([run(BM25(), "filtter washable"), run(BM25(), "filter washable")]).ids
    (variant,) = made("filtter").queries
    assert variant.text == "filter"
    assert str(variant.why) == "filtter → filter (edits: 1, passages: 2)."


def test_a_question_with_weights_keeps_them():
    query = Query("filtter", weights=(("filtter", 0.7), ("reciept", -0.2)))
    (variant,) = Spelling().rewrite(query, CORPUS).queries
    assert variant.weights == (("filter", 0.7), ("receipt", -0.2))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("filter ERR-140 vpn", "Words that stay as they are: “ERR-140” (a code), “vpn” (too short)."),
        ("washable filter", "The corpus has every word of the question."),
        ("打印机", "No word of the question looks misspelt."),
        ("", ""),
    ],
)
def test_what_is_not_rewritten_says_why(text: str, said: str):
    told = made(text)
    assert told.queries == ()
    assert str(told.unchanged).startswith(said)


def test_a_corpus_of_no_word_of_letters_has_nothing_to_correct_them_by():
    chinese = Corpus("zh", CORPUS.documents[3:])
    told = Spelling().rewrite(Query("filtter"), chinese)
    assert "no words of letters" in str(told.unchanged)
    assert Spelling().rewrite(Query("filtter"), Corpus("empty", ())).queries == ()


def test_bad_knobs_are_refused_in_words():
    for bad in ({"shortest": 1}, {"far": -1}, {"ask": "never"}, {"sound": "loud"}):
        with pytest.raises(ParameterError):
            Spelling(**bad)


def test_an_offer_is_a_correction_or_nothing():
    told = offered("filtter", CORPUS)
    assert told is not None
    assert told.result == "filter"
    assert offered("filter", CORPUS) is None
    assert offered("", CORPUS) is None


def test_the_words_of_a_large_corpus_are_not_counted_for_an_offer(monkeypatch):
    monkeypatch.setattr(spelling, "LARGEST", 2)
    corpus = Corpus("other", CORPUS.documents)
    assert offered("filtter", corpus) is None
    CorpusWords.of(corpus)
    assert offered("filtter", corpus) is not None


@pytest.mark.parametrize("name", ["devices", "handbook", "staff"])
def test_hardly_any_clean_question_of_a_sample_is_touched(name: str):
    collection = samples.load(name)
    clean = [q for q in collection.queries if q.metadata.get("type") != "typo"]
    touched = [q.text for q in clean if Spelling().correct(q.text, collection.corpus).corrections]
    assert len(touched) <= 0.02 * len(clean), touched


def test_the_typos_of_the_staff_sample_become_words_of_the_corpus():
    collection = samples.load("staff")
    typed = [q.text for q in collection.queries if q.metadata.get("type") == "typo"]
    found = [Spelling().correct(text, collection.corpus) for text in typed]
    assert sum(bool(own.corrections) for own in found) >= 7


OFFICE = Corpus(
    "office",
    (
        Document("a", "款项到账以后，财务会开收据。"),
        Document("b", "路由器的设置在说明书里，设置完要重启路由器。"),
        Document("c", "合同在签字前要由法务看，4月2日前交。年休假要提前三天申请。"),
        Document("d", "填写报销单，附上发票。报销单交给财务。打印机的驱动程序要安装在电脑上。"),
        Document("e", "登录系统时输入密码。三个月前的合同不用交。"),
    ),
)


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("钱什么时候到帐", "钱什么时候到账"),
        ("年修假怎么请", "年休假怎么请"),
        ("路由气怎么重启", "路由器怎么重启"),
        ("怎么设制路由器", "怎么设置路由器"),
        ("报消单交给谁", "报销单交给谁"),
        ("打印积坏了", "打印机坏了"),
        ("按装驱动", "安装驱动"),
        ("登路系统", "登录系统"),
        ("忘了蜜码", "忘了密码"),
    ],
)
def test_a_character_of_the_same_sound_is_corrected_without_any_package(typed, wanted, monkeypatch):
    monkeypatch.setattr(spelling, "find_spec", lambda name: None)
    found = offered(typed, OFFICE)
    assert found is not None
    assert found.result == wanted
    assert offered(wanted, OFFICE) is None


@pytest.mark.parametrize("sound", ["off", pytest.param("same", marks=needs_pinyin)])
@pytest.mark.parametrize(
    "question",
    [
        "2024年4月2日签的合同",
        "4月2日签",
        "3个月签的合同",
        "三个月签的合同",
        "第2章钱",
        "十二日签字",
        "5号签的",
        "2０日签的",
        "怎么搬",
        "到哪年",
    ],
)
def test_nothing_is_corrected_across_a_number_or_where_nothing_is_misspelt(question, sound):
    assert Spelling(sound=sound).correct(question, OFFICE).corrections == ()


@given(st.sampled_from("年月日号天个次"), st.integers(1, 31), st.sampled_from("签前钱章装账制"))
def test_what_a_number_counts_is_never_changed(unit, number, behind):
    text = f"{number}{unit}{behind}的合同"
    assert all(c.start >= len(f"{number}{unit}") for c in Spelling().correct(text, OFFICE).corrections)


@needs_pinyin
def test_common_characters_sound_as_they_are_ordered():
    from pypinyin import Style, pinyin

    common = [bytes([a, b]).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)]
    for one, other in pairwise(common):
        if common_sound(one, other, 0):
            readings = [set(pinyin(c, style=Style.NORMAL, heteronym=True)[0]) for c in (one, other)]
            assert not readings[0].isdisjoint(readings[1]), one + other
    assert common_sound("帐", "到账", 1)
    assert not common_sound("帐", "到达", 1)
    assert not common_sound("A", "账", 0)
    assert not common_sound("魍", "网", 0), "not a common character"


@pytest.mark.parametrize("name", ["handbook", "devices", "staff"])
def test_no_chinese_question_of_a_sample_is_touched(name):
    sample = samples.load(name)
    for question in sample.queries:
        assert all(c.by == "edit" for c in Spelling().correct(question.text, sample.corpus).corrections), question.text
