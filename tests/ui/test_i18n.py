"""The catalogues: every text of the interface and of the library is there in Chinese, with the same values."""

from __future__ import annotations

import ast
import string
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po

from lab import formats
from lab.ui import i18n
from lab.words import Said

ROOT = Path(__file__).parents[2]
KEYWORDS = {"_": None, "N_": None, "Said": None, "refuse": None}


@cache
def messages() -> dict[str, str]:
    """Every marked text with the place where it stands."""
    found: dict[str, str] = {}
    for path in [ROOT / "app.py", *sorted((ROOT / "lab").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]:
        with path.open("rb") as file:
            for line, text, _comments, _context in extract("python", file, keywords=KEYWORDS):
                text = text[0] if isinstance(text, tuple) else text
                if text:
                    found.setdefault(text, f"{path.relative_to(ROOT)}:{line}")
    return found


def test_no_text_is_marked_that_is_empty(capfd: pytest.CaptureFixture[str]):
    """Babel warns of each; the empty sentence is ``Said()``."""
    messages.cache_clear()
    assert messages()
    assert "Empty msgid" not in capfd.readouterr().err


def fields(text: str) -> set[str]:
    return {name for _literal, name, _spec, _conversion in string.Formatter().parse(text) if name}


def test_every_text_has_a_chinese_one():
    chinese = i18n.catalogue("zh")
    missing = [f"{place}: {text!r}" for text, place in messages().items() if text not in chinese]
    assert not missing, f"{len(missing)} texts without translation:\n" + "\n".join(missing)


def test_no_text_is_marked_inside_an_f_string():
    """There it is not found by what looks for texts, and stays English without a word."""
    hidden = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for folder in ("lab", "pages")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for joined in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(joined, ast.JoinedStr)
        for call in ast.walk(joined)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS
    ]
    assert hidden == []


def test_translations_name_the_same_values():
    texts = messages()
    wrong = [f"{m!r} -> {t!r}" for m, t in i18n.catalogue("zh").items() if m in texts and fields(m) != fields(t)]
    assert not wrong, "\n".join(wrong)


def test_no_translation_is_left_over():
    texts = messages()
    left = [m for m in i18n.catalogue("zh") if m not in texts]
    assert not left, "no longer used:\n" + "\n".join(left)


def test_no_message_is_in_two_catalogues():
    seen: dict[str, str] = {}
    twice = []
    for path in sorted((i18n.LOCALE / "zh" / "LC_MESSAGES").glob("*.po")):
        with path.open("rb") as file:
            for message in read_po(file, locale="zh"):
                if message.id in seen and message.id:
                    twice.append(f"{message.id!r}: {seen[message.id]}, {path.name}")
                seen[message.id] = path.name
    assert not twice, "\n".join(twice)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ('"Card not usable"', "‘Card not usable’"),
        ('"Card not usab…', "‘Card not usab…"),
        ('What "in stock" means', "What ‘in stock’ means"),
        ("错误“卡不可用”", "错误‘卡不可用’"),
        ('A 5" disc', 'A 5" disc'),
        ("plain", "plain"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_marks_within_quotation_marks_are_single(monkeypatch, title: str, shown: str, lang: str):
    monkeypatch.setattr(i18n, "language", lambda: lang)
    template = i18n.translate("Why this list contains “{title}”", lang)
    assert i18n._("Why this list contains “{title}”", title=title) == template.format(title=shown)
    assert Said("Why this list contains “{title}”", title=title) == f"Why this list contains “{shown}”"
    assert i18n._("{title}", title=title) == title


def test_a_sentence_of_the_library_is_said_in_both_languages(monkeypatch: pytest.MonkeyPatch):
    said = Said("{name} is {value}, but must be at least {low}.", name="k", value=0, low=1)
    monkeypatch.setattr(i18n, "language", lambda: "en")
    assert i18n.say(said) == "k is 0, but must be at least 1."
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n.say(said) != said
    assert "k" in i18n.say(said)


def test_a_pipeline_is_called_by_its_stages_in_the_visitor_s_language(monkeypatch: pytest.MonkeyPatch):
    label = formats.parse("MultiQuery()(BM25()) % 20 >> MMR(k=5)").label
    assert label == "Multi-query (BM25) → Top 20 → MMR"
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n.say(label) == "多路改写（BM25） → 前 20 条 → MMR"
