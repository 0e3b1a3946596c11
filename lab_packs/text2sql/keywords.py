"""The words that open slots, from ``keywords.toml``: comparisons, counting, grouping, order, days, and what a turn does."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lab_packs.text2sql.calling import letters, tokens
from lab_packs.text2sql.lexicon import words_in


class Role(NamedTuple):
    """What a word does in a question, and with which argument: compare ">=", super ">price", count."""

    name: str
    of: str = ""


FILLERS = "个 位 名 家 条 张 笔 单 部 本 辆 台 场 套 间 只 门 份 件 款 项 人 种 次 棵 头 匹 块 座 节 栋 双 瓶 袋 箱 盒 杯 批 趟 户 首".split()  # noqa: SIM905
"""Measure words, which stand between 哪, 多少, 几, 每 and what is meant."""


@cache
def keywords() -> Mapping[str, tuple[Role, ...]]:
    """Returns all keywords, folded and tokenized, with their roles."""
    by_form: dict[str, dict[Role, None]] = {}

    def put(form: str, role: Role) -> None:
        if key := " ".join(t.text for t in tokens(letters(form))):
            by_form.setdefault(key, {})[role] = None

    data = tomllib.loads(Path(__file__).with_name("keywords.toml").read_text("utf-8"))
    for group in ("compare", "behind", "day", "part", "nth", "direction"):
        for of, languages in data[group].items():
            for words_of_language in languages.values():
                for word in words_in(words_of_language):
                    put(word, Role(group, of))
    for name, languages in data["words"].items() if "part" in data else ():
        for words_of_language in languages.values():
            for word in words_in(words_of_language):
                put(word, Role(name))
    for filler in FILLERS:
        for role, heads in {
            "which": ("哪", "哪几", "哪一", "是哪", "有哪几"),
            "count": ("多少", "几", "有多少", "有几", "共有多少"),
        }.items():
            for head in heads:
                put(head + filler, Role(role))
        for no in ("没", "没有", "都没", "也没", "都没有", "也没有"):
            put(f"一{filler}{no}", Role("none"))
        for head in ("每", "每一", "各"):
            put(head + filler, Role("per"))
    for of, languages in data["adjective"].items():
        _adjective(put, of, languages)
    return {form: tuple(roles) for form, roles in by_form.items()}


def _adjective(put: object, of: str, languages: Mapping[str, str]) -> None:
    """An adjective's base, comparative and superlative in both languages."""
    assert callable(put)
    down = ("<" if of[0] == ">" else ">") + of[1:]
    for word in words_in(languages.get("zh", "")):
        if len(word) > 1:
            put(f"{word[:-1]}最{word[-1]}", Role("super", of))  # 年纪最大
        for n, nth in enumerate("二三四五", 2):
            put(f"第{nth}{word}", Role("super", of))
            put(f"第{nth}{word}", Role("nth", str(n)))
        put(f"最{word}", Role("super", of))
        put(f"最为{word}", Role("super", of))
        put(f"更{word}", Role("more", of))
        if len(word) > 1 or of[1:] not in ("any", "many", "rating", "size", "date", "old", "length"):
            put(word, Role("base", of))
    for forms in words_in(languages.get("en", "")):
        base, *more = forms.split()
        comparative, superlative = more or (f"more {base}", f"most {base}")
        put(superlative, Role("super", of))
        put(f"the {superlative}", Role("super", of))
        if comparative != superlative:
            put(comparative, Role("more", of))
            put(f"{comparative} than", Role("compare adjective", of))
            put(f"no {comparative} than", Role("compare adjective", ("<=" if of[0] == ">" else ">=") + of[1:]))
            put(f"not {comparative} than", Role("compare adjective", ("<=" if of[0] == ">" else ">=") + of[1:]))
        if not more:
            put(f"least {base}", Role("super", down))
        put(f"how {base}", Role("how", of))
        if of[1:] not in ("any", "many"):
            put(base, Role("base", of))
