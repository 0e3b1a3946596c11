"""Operators in a question: what is one, what it asks, how it is said, and which texts fit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.algebra import Document
from lab.corpus.conditions import each_test
from lab.refine.boolean import DEEPEST, MOST, BooleanQuery, Matching, Reading, Word, parse


def fits(question: str, text: str, title: str = "", **metadata: str) -> bool:
    asked = parse(question, metadata)
    return Matching().holds(asked.tree, Reading(Document("d", text, title, metadata)))


def reading(question: str, *fields: str) -> str:
    return str(parse(question, fields).reading)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ('"factory reset" -watch', "required: “factory reset” in a row; excluded: watch; ranked by: factory reset."),
        ("“factory reset” watch", "required: “factory reset” in a row; ranked by: factory reset watch."),
        ("+a -b c", "required: a; excluded: b; ranked by: a c."),
        ("a b -c", "at least one of: a, b; excluded: c; ranked by: a b."),
        ("a AND b OR c", "at least one of: (a and b), c; ranked by: a b c."),
        ("a OR b AND c", "at least one of: a, (b and c); ranked by: a b c."),
        ("(a OR b) AND c", "required: ((a or b) and c); ranked by: a b c."),
        ("a AND NOT (b OR c)", "required: (a and not (b or c)); ranked by: a."),
        ("title:reset x", "required: title: reset; ranked by: reset x."),
        ("source:faq x", "required: source: faq; ranked by: x."),
        ('source:"user manual" -x y', "required: source: “user manual” in a row; excluded: x; ranked by: y."),
        ("重置「出厂设置」 -手表", "required: “出厂设置” in a row; excluded: 手表; ranked by: 重置出厂设置."),
        ("（年假 OR 病假） AND 天数", "required: ((年假 or 病假) and 天数); ranked by: 年假 病假 天数."),
        ("标题：重置 －手表", "required: title: 重置; excluded: 手表; ranked by: 重置."),
        ("NOT NOT a", "at least one of: a; ranked by: a."),
    ],
)
def test_a_question_is_read_and_said(question: str, said: str) -> None:
    assert reading(question, "source") == "Read as: " + said.replace("at least one of: a; r", "required: a; r")


@pytest.mark.parametrize(
    "question",
    [
        "WH-1000XM5 case",
        "state-of-the-art wi-fi",
        "how to - reset - it",
        '5" x 7" photo',
        "6'2\" tall",
        "f(x) of x (in words)",
        "退货（非质量问题）要几天",
        "and or not And",
        "10:30 http://a.b std::sort",
        "C++ or c#",
        "--help",
        '( ) “” "" :)',
        "",
        "  ",
    ],
)
def test_these_signs_are_no_operators(question: str) -> None:
    asked = parse(question, ["source"])
    assert (asked.signs, asked.words, asked.remarks, asked.reading) == ((), question, (), "")


@pytest.mark.parametrize(
    ("question", "remark"),
    [
        ('"factory reset', "A quotation mark is not closed, so it is read as a word."),
        ("「出厂设置", "A quotation mark is not closed, so it is read as a word."),
        ("a (b OR", "A bracket is not closed, so it is read as a word."),
        ("a AND", "“AND” joins nothing here, so it is read as a word."),
        ("OR a", "“OR” joins nothing here, so it is read as a word."),
        ("a NOT", "“NOT” joins nothing here, so it is read as a word."),
        ("foo:bar a", "“foo” is not a field here, so “foo:bar” is read as words."),
    ],
)
def test_what_closes_or_joins_nothing_is_read_as_a_word_and_said(question: str, remark: str) -> None:
    asked = parse(question, ["source"])
    assert asked.signs == ()
    assert asked.words == question
    assert remark in map(str, asked.remarks)


def test_what_is_right_beside_a_mistake_still_works() -> None:
    asked = parse('(kiln -wax "loom')
    assert asked.signs == ("-",)
    assert len(asked.remarks) == 2
    assert fits('(kiln -wax "loom', "a kiln")
    assert not fits('(kiln -wax "loom', "a kiln with wax")


@pytest.mark.parametrize("question", ["-a", "NOT a", "-a -b", "NOT (a OR b)", '-"a b"', "source:faq", "-手表"])
def test_a_question_that_only_excludes_is_refused_in_words(question: str) -> None:
    asked = parse(question, ["source"])
    assert asked.only_excludes
    assert "no word to search by" in asked.reading


def test_too_much_is_read_as_words() -> None:
    many = " ".join(f"+w{i}" for i in range(MOST + 1))
    asked = parse(many)
    assert asked.signs == ()
    assert asked.words == many
    assert f"{MOST + 1}, maximum {MOST}" in asked.remarks[0]
    deep = "(" * (DEEPEST + 5) + "a AND b" + ")" * (DEEPEST + 5)
    assert fits(deep, "a b")
    assert not fits(deep, "a")


@given(st.text(alphabet='ab "“”「」()（）+-：:ANDORT\t年假', max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    asked = parse(text, ["a"])
    assert isinstance(asked, BooleanQuery)
    if not asked.signs:
        assert asked.words == text
    for leaf in each_test(asked.tree):
        assert leaf.values[0] in text
    reader = Reading(Document("d", "ab 年假", "a", {"a": "b"}))
    held = Matching().holds(asked.tree, reader)
    assert bool(Matching().reasons(asked.tree, reader)) != held


def test_a_tree_means_what_logic_says() -> None:
    """Drawn trees against Python's own and, or, not."""
    rng = random.Random(7)
    words = "abcd"
    for _ in range(300):

        def tree(depth: int) -> tuple[str, str]:
            if not depth:
                word = rng.choice(words)
                return word, f"('{word}' in t)"
            (a, pa), (b, pb) = tree(depth - 1), tree(rng.randrange(depth))
            if rng.random() < 0.3:
                a, pa = f"NOT ({a})", f"(not {pa})"
            word = rng.choice(["AND", "OR"])
            return f"({a} {word} {b})", f"({pa} {word.lower()} {pb})"

        question, code = tree(3)
        for n in range(16):
            held = [w for i, w in enumerate(words) if n >> i & 1]
            text = " ".join(held) or "x"
            assert fits(question, text) == eval(code, {"t": held}), (question, text)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ('"factory reset"', "Do a factory reset.", True),
        ('"factory reset"', "Do a FACTORY\nRESET.", True),
        ('"factory reset"', "factory and reset", False),
        ('"factory reset"', "prefactory reset", False),
        ('"factory reset"', "factory resets", False),
        ('"factory reset"', "factory-reset", False),
        ("「出厂设置」", "恢复出厂设置的方法", True),
        ("「出厂设置」", "出厂的设置", False),
        ("「iPhone手机」", "iPhone 手机", True),
        ("“電池”", "电池", True),
        ("+filter x", "filters", True),
        ("+filter x", "filtering", True),
        ('+"filter" x', "filters", False),
        ("x -washable", "x is washable", False),
        ("x -washable", "x unwashable", True),
        ("x -WH-1000", "x of WH-1000", False),
        ("x -WH-1000", "x of WH-10000", True),
        ("x -wifi", "x by Wi-Fi", False),
        ("x -Wi-Fi", "x by wifi", False),
        ("x -Wi-Fi", "x of wi and fi", True),
        ("x -fi", "x by Wi-Fi", False),
        ('"wifi" x', "by Wi-Fi", True),
        ('"wi-fi" x', "by wifi", True),
        ('"e-mail" x', "emails", False),
        ("+e-mail x", "emails", True),
        ('"3.5 mm plug"', "3.5mm plug", True),
        ('"3.5mm" x', "3.5 mm", True),
        ('"3.5mm" x', "3.9 mm", False),
        ('"1,000" x', "above 1000", True),
        ('"5" x', "5l", False),
        ("x -US", "x of the U.S.", True),
        ("怎么用 -wifi", "怎么用Wi-Fi", False),
        ("怎么申请年假 -病假", "年假三天", True),
        ("怎么申请年假 -病假", "年假和病假", False),
        ("怎么申请年假 -病假", "报销", False),
        ("+年假 病假", "休年假", True),
    ],
)
def test_words_and_phrases_are_found(question: str, text: str, expected: bool) -> None:
    assert fits(question, text) == expected


def test_fields_are_looked_into_alone() -> None:
    assert fits("title:reset x", "x", "Factory reset")
    assert not fits("title:reset x", "reset x", "Sound")
    assert fits("text:reset x", "reset x", "Sound")
    assert not fits("正文:reset x", "x", "Reset")
    assert fits("source:faq x", "x", source="The FAQ")
    assert not fits("source:faq x", "x faq", source="manual")
    assert fits("-source:faq x", "x faq", source="manual")
    assert not fits("x -source:faq", "x", source="faq")


def test_every_reason_has_its_case() -> None:
    def why(question: str, text: str, title: str = "") -> list[str]:
        reader = Reading(Document("d", text, title, {"source": "faq"}))
        return list(map(str, Matching().reasons(parse(question, ["source"]).tree, reader)))

    assert why("+kiln x", "wax") == ["It does not contain “kiln”."]
    assert why('"kiln wax"', "wax and kiln") == ["It contains the words of “kiln wax”, but not in a row."]
    assert why('"kiln wax"', "wax") == ["It does not contain “kiln wax”."]
    assert why("「上班时间」", "上班打卡，下班时间") == ["It contains the words of “上班时间”, but not in a row."]
    assert why("「VPN 账号」", "账号和 VPN") == ["It contains the words of “VPN 账号”, but not in a row."]
    assert why("「蜡烛」", "蜡和烛") == ["It does not contain “蜡烛”."]
    assert why("kiln -wax", "kiln, wax") == ["It contains “wax” at character 7, which is excluded."]
    assert why("kiln -wax", "kiln", "Wax") == ["The field “title” contains “wax”, which is excluded."]
    assert why("kiln loom", "wax") == ["It contains none of these: kiln, loom."]
    assert why("kiln AND loom OR clay", "wax") == ["It does not fit this condition: (kiln and loom) or clay."]
    assert why("kiln -(wax AND clay)", "kiln wax clay") == ["It fits an excluded condition: wax and clay."]
    assert why("source:manual kiln", "kiln") == ["The field “source” does not contain “manual”."]
    assert why("+kiln -wax", "the wax") == [
        "It does not contain “kiln”.",
        "It contains “wax” at character 5, which is excluded.",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "heater at -5 °C",
        "温度 -5度",
        "price -10%",
        "−20℃ 以下",
        "gain -3.5dB",
        "a +5% b",
        "(-40)",
        "x -1,000.5 y",
        "－3 度",
    ],
)
def test_a_sign_before_a_number_belongs_to_it_and_this_is_said(question: str) -> None:
    asked = parse(question)
    assert not asked.signs
    assert asked.group.excluded == asked.group.required == ()
    assert ["is read as a number" in str(remark) for remark in asked.remarks] == [True]


@given(
    st.sampled_from("-+"),
    st.decimals(0, 10**6, places=2).map(str) | st.integers(0, 10**6).map(str),
    st.sampled_from(["", "%", " °C", "度", "°", " 元"]),
)
def test_any_number_after_a_sign_is_a_word(sign: str, number: str, unit: str) -> None:
    asked = parse(f"heater {sign}{number}{unit}")
    assert asked.group.excluded == asked.group.required == ()
    assert asked.words == asked.text
    (node,) = parse(f'heater {sign}"{number}"').group.excluded or parse(f'heater {sign}"{number}"').group.required
    assert isinstance(node, Word)
    assert node.text == number


@pytest.mark.parametrize("word", ["5G", "4K", "360-cam", "3D", "2024-06", "小米13", "1080p", "7200rpm"])
def test_a_word_that_begins_with_digits_is_excluded(word: str) -> None:
    (node,) = parse(f"phone -{word}").group.excluded
    assert isinstance(node, Word)
    assert node.text == word
