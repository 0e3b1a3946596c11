"""How the lab speaks: plain English, one Chinese term per concept, and names of pages as they are in the navigation."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import places
import pytest
from babel.messages.pofile import read_po
from markdown_it import MarkdownIt

from lab.ui import i18n, navigation
from lab.ui.i18n import translate

ROOT = Path(__file__).parents[1]
BE = r"(?:is|are|was|were|be|been|being)"
ENGLISH = {
    "number of, maximum": r"\b(?<!not )so (?:many|much|often|few)\b(?! (?:that|as)\b)(?![^.;:]{0,70}\bthat\b)",
    "is not a": rf"(?<![Tt]here )\b{BE} no (?:search|list|parameter|text|number|day|proof|sum|row|address|choice)\b",
    "which document, readers who": r"\bwhom\b|\bwhoever\b|\b(?:for|of|by|to|from) who\b|\bwho (?:stands|stays|wins)\b",
    "is, appears, is listed": r"\b(?:stands?|stood|standing) (?:in(?! for\b)|at|beside|there|behind|by|before|above)\b",
    "asks for clarification": r"\bask(?:s|ed|ing)? back\b",
    "continue, resume": r"\b(?:go|goes|went|gone) on\b(?! to )",
    "export, keep": r"\btak(?:e|es|en|ing) (?:\w+ )?(?:along|away)\b",
    "instead of": r"\bin the place of\b|\bin (?:its|their) place\b",
    "ranks it first": r"\b(?:has|have|had|puts?) (?:it|them|“[^”]+”|the answer) (?:first|second|third|at rank)\b",
    "compute, again, expensive, separated, repair": r"\breckon\w*|\banew\b|\bthrice\b|\bdear(?:er|est)?\b|\bparted by\b"
    r"|\bmend(?:s|ed|ing)?\b|\blet go of\b|\bhang together\b",
    "score component, space, split": r"(?<!\{)\baddends?\b(?!\})|\bblanks\b|\bnearness\b|\bhalvings?\b|\bstruck\b",
    "penalised, hidden": rf"\b{BE} held (?:back|against)\b",
    "a noun instead of a pronoun": r"^(?:Of|Then|Otherwise|Its lists|It alone|They are|Only it|Without it)$",
    "maximum, minimum": r"^(?:\w+ ){0,3}\w+ at (?:most|least)$",
}
"""What to write instead, and the pattern of what not to."""
CHINESE = {
    "你": "您",
    "结果列表": "榜单",
    "标注": "打分|评判",
    "参数": "旋钮",
    "token": "词元",
    "阈值": "门槛",
    "案例": "小课|(?:退出|下一个)演示",
    "二元组": "双字",
    "分块": "切块",
    "词项软匹配": "软覆盖",
    "语料库": "(?<!训练)(?<!平行)语料(?!库|级)",
}
"""The glossary's term, and the words that it replaces."""


@cache
def messages() -> list[tuple[str, str]]:
    found = []
    for path in places.CATALOGUES:
        with path.open("rb") as file:
            for m in read_po(file):
                ids, forms = (m.id, m.string) if isinstance(m.id, tuple) else ((m.id,), (m.string,))
                found += [(str(text), str(forms[-1])) for text in ids if text]
    return found


def values(node: Any, language: str) -> Iterator[str]:
    """Every text of one language in a TOML document."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == language and isinstance(value, str):
                yield value
            else:
                yield from values(value, language)
    elif isinstance(node, list):
        for value in node:
            yield from values(value, language)


@cache
def lessons(language: str) -> list[str]:
    files = [
        *(ROOT / "sample_corpora").rglob("lessons.toml"),
        *ROOT.glob("lab_packs/*/**/lessons.toml"),
        *(ROOT / "lab/lessons").glob("*.toml"),
        ROOT / "lab/presets.toml",
    ]
    return [text for path in sorted(files) for text in values(tomllib.loads(path.read_text("utf-8")), language)]


@cache
def guides(language: str) -> list[str]:
    """Lines of the guides without code and formulas."""
    files = [*(ROOT / "pages").rglob(f"*.{language}.md"), *places.guides(language)]
    text = "\n".join(path.read_text("utf-8") for path in sorted(files))
    return re.sub(r"```.*?```|`[^`]+`|\$\$.*?\$\$|\$[^$\n]+\$", "·", text, flags=re.DOTALL).split("\n")


@pytest.mark.parametrize(("better", "pattern"), ENGLISH.items())
def test_english_is_plain(better: str, pattern: str) -> None:
    texts = [*(english for english, _ in messages()), *lessons("en"), *guides("en")]
    assert len(texts) > 3000
    found = [text for text in texts if re.search(pattern, text)]
    assert found == [], f"write {better}"


@pytest.mark.parametrize(("better", "pattern"), CHINESE.items())
def test_chinese_has_one_term_for_a_concept(better: str, pattern: str) -> None:
    texts = [*(chinese for _, chinese in messages()), *lessons("zh"), *guides("zh")]
    found = [text for text in texts if re.search(pattern, text)]
    assert found == [], f"write {better}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_that_a_text_names_exists(language: str) -> None:
    every = [navigation.HOME, navigation.COURSE, *(x for *_head, pages in navigation.PATH for x in pages)]
    titles = {translate(listed.title, language) for listed in every}
    texts = [*(m[language == "zh"] for m in messages()), *lessons(language), *guides(language)]
    pattern = r"“([^”{}]+)”页|“([^”{}]+)”这一页" if language == "zh" else r"\bpage “([^”{}]+)”|“([^”{}]+)” page\b"
    named = {one or other for text in texts for one, other in re.findall(pattern, text)}
    assert named, "some texts name a page"
    assert named - titles == set()


def test_no_message_types_the_name_of_a_page() -> None:
    """A message that names a page has a placeholder, filled from the navigation: so a renamed page is named right."""
    every = [navigation.HOME, navigation.COURSE, *(x for *_head, pages in navigation.PATH for x in pages)]
    for language in ("en", "zh"):
        titles = "|".join(re.escape(translate(listed.title, language)) for listed in every)
        typed = re.compile(rf"“(?:{titles})”|\bpages? (?:{titles})\b")
        assert typed.search("Add it on the page “Documents”." if language == "en" else "到“语料库”页添加。")
        found = [text for text in (m[language == "zh"] for m in messages()) if typed.search(text)]
        assert found == []


@pytest.mark.parametrize(("language", "title"), [("en", "Vector store"), ("zh", "向量库")])
def test_a_page_is_named_by_its_title_in_the_reader_s_language(
    monkeypatch: pytest.MonkeyPatch, language: str, title: str
) -> None:
    monkeypatch.setattr(i18n, "language", lambda: language)
    assert navigation.title("vector_store") == title


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_written_bold_is_bold(language: str) -> None:
    """After a full-width mark and before a character, ** closes nothing: the stars stand on the screen."""
    texts = [*(m[language == "zh"] for m in messages()), *lessons(language), *guides(language)]
    bold = [text for text in texts if "**" in text]
    assert len(bold) > 50
    shown = [span.content for text in bold for block in MarkdownIt().parse(text) for span in block.children or ()]
    assert [text for text in shown if "**" in text] == []
