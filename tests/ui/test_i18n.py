"""The catalogues: every text of the interface and of the library is there in Chinese, with the same values."""

from __future__ import annotations

import ast
import contextlib
import io
import pickle
import re
import string
from functools import cache
from pathlib import Path

import places
import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po

from lab import formats, packs
from lab.ui import i18n
from lab.words import Said, ngettext

ROOT = Path(__file__).parents[2]
KEYWORDS = {"_": None, "N_": None, "Said": None, "refuse": None, "_n": (1, 2), "ngettext": (1, 2)}
CALLED = re.compile(rf"""\br?f(?:"|')[^\n]*\{{[^\n]*\b(?:{"|".join(KEYWORDS)})\(|\br?f(?:\"\"\"|''')""")
"""A line that may have a call of a keyword inside an f-string, and every f-string of several lines."""


WARNINGS = io.StringIO()
"""What Babel says of the marked texts."""


@cache
def messages() -> dict[str, str]:
    """Every marked text with the place where it stands."""
    found: dict[str, str] = {}
    for path in [ROOT / "app.py", *places.code()]:
        with path.open("rb") as file, contextlib.redirect_stderr(WARNINGS):
            for line, text, _comments, _context in extract("python", file, keywords=KEYWORDS):
                for one in text if isinstance(text, tuple) else (text,):
                    if one:
                        found.setdefault(one, f"{path.relative_to(ROOT)}:{line}")
    return found


def test_no_text_is_marked_that_is_empty():
    """Babel warns of each; the empty sentence is ``Said()``."""
    assert messages()
    assert "Empty msgid" not in WARNINGS.getvalue()


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
        for path in places.code()
        for text in [path.read_text("utf-8")]
        if CALLED.search(text)
        for joined in ast.walk(ast.parse(text))
        if isinstance(joined, ast.JoinedStr)
        for call in ast.walk(joined)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS
    ]
    assert hidden == []


DRAWN = r"(?:st\.(?:info|warning|error|success)|\.(?:caption|title|subheader|button|toggle|slider|selectbox|expander))"
UNMARKED = re.compile(rf"""{DRAWN}\(\s*f?["'][^"'\n]*[A-Za-z]{{2,}} [a-z]{{2,}}""")


def test_no_sentence_is_drawn_without_a_mark():
    for path in places.code():
        assert not UNMARKED.search(path.read_text("utf-8")), path


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
    for path in places.CATALOGUES:
        with path.open("rb") as file:
            for message in read_po(file, locale="zh"):
                for text in message.id if isinstance(message.id, tuple) else (message.id,):
                    if text in seen and text:
                        twice.append(f"{text!r}: {seen[text]}, {path.name}")
                    seen[text] = path.name
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
    template = i18n.translate("How “{title}” is scored", lang)
    assert i18n._("How “{title}” is scored", title=title) == template.format(title=shown)
    assert Said("How “{title}” is scored", title=title) == f"How “{shown}” is scored"
    assert i18n._("{title}", title=title) == title


def test_a_sentence_of_the_library_is_said_in_both_languages(monkeypatch: pytest.MonkeyPatch):
    said = Said("{name} is {value}, but must be at least {low}.", name="k", value=0, low=1)
    monkeypatch.setattr(i18n, "language", lambda: "en")
    assert i18n.say(said) == "k is 0, but must be at least 1."
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n.say(said) != said
    assert "k" in i18n.say(said)


@pytest.mark.parametrize(
    ("between", "parts", "english", "chinese"),
    [
        (", ", ["BM25", Said("whole passage")], "BM25, whole passage", "BM25、整段"),
        (", ", ["a, b", "{c}"], "a, b, {c}", "a, b、{c}"),
        ("; ", ["a", 2, "b"], "a; 2; b", "a；2；b"),
        (". ", [Said("whole passage"), "第三条"], "whole passage. 第三条", "整段。第三条"),
        (" ", [Said("whole passage"), "0.046"], "whole passage 0.046", "整段 0.046"),
        (" ", ["第一句。", Said("whole passage")], "第一句。 whole passage", "第一句。整段"),
        (" → ", ["a", "b"], "a → b", "a → b"),
        (", ", [], "", ""),
    ],
)
def test_a_list_has_the_signs_of_the_visitor_s_language(monkeypatch, between, parts, english, chinese):
    for lang, shown in (("en", english), ("zh", chinese)):
        monkeypatch.setattr(i18n, "language", lambda lang=lang: lang)
        assert i18n.listed(parts, between) == shown


def test_a_label_and_a_list_within_a_sentence_have_the_signs_of_the_language(monkeypatch: pytest.MonkeyPatch):
    sentence = Said("Valid names: {names}.", names=["BM25", Said("whole passage")])
    assert pickle.loads(pickle.dumps(sentence)) == sentence == "Valid names: BM25, whole passage."
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n.say(pickle.loads(pickle.dumps(sentence))).endswith("BM25、整段。")
    assert i18n._("Valid names: {names}.", names=("a", Said("whole passage"))).endswith("：a、整段。")
    assert i18n.labelled(Said("whole passage"), "冷气") == "整段：冷气"
    monkeypatch.setattr(i18n, "language", lambda: "en")
    assert i18n.labelled("BM25", Said("whole passage")) == "BM25: whole passage"


@pytest.mark.parametrize(
    ("text", "values", "shown"),
    [
        ("◂ all {list}", {"list": "整段"}, "◂ 全归整段"),
        ("◂ all {list}", {"list": "BM25"}, "◂ 全归 BM25"),
        ("◂ all {list}", {"list": ""}, "◂ 全归 "),
        ("{where}{a} against {b}.", {"where": "", "a": "加权求和", "b": "RRF"}, "加权求和对 RRF。"),
        ("{where}{a} against {b}.", {"where": "", "a": "RRF", "b": Said("whole passage")}, "RRF 对整段。"),
        ("{kind} {number}", {"kind": "推荐（best）", "number": "nDCG"}, "推荐（best）nDCG"),
        ("{kind} {number}", {"kind": "nDCG", "number": "（best）"}, "nDCG（best）"),
        ("{kind} {number}", {"kind": "BM25", "number": "nDCG"}, "BM25 nDCG"),
        ("{kind} {number}", {"kind": "authors’", "number": "papers"}, "authors’ papers"),
        ("{kind} {number}", {"kind": "第三条", "number": "年假"}, "第三条 年假"),
        ("Chroma · {embedder}", {"embedder": "（best）"}, "Chroma · （best）"),
    ],
)
def test_no_blank_stands_between_a_chinese_text_and_a_chinese_value(monkeypatch, text, values, shown):
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n._(text, **values) == shown


def test_no_blank_stands_beside_a_full_width_sign_in_any_chinese_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    beside = re.compile(r"[，。：；？！、》）」”] [\w“（]|[\w”）] [《（「“]")
    shown = set[str]()
    for text, chinese in i18n.catalogue("zh").items():
        specs = {name: spec for _, name, spec, _ in string.Formatter().parse(chinese) if name and name.isidentifier()}
        shown.add(i18n._(text, **{name: 7 if spec else "（best）" for name, spec in specs.items()}))
    assert [text for text in shown if beside.search(text)] == []


SEPARATOR = re.compile(r"""(?:"[,;] "|'[,;] ')\.join""")
LITERAL = {
    "lab/ui/layout/export.py",
    "lab_packs/text2sql/pages/query/text2sql/databases.py",
    "pages/whole/evaluate/sweeping.py",
}
"""Where commas are those of Python or of a field that the program reads again, not of a sentence."""


def test_no_page_joins_a_list_with_english_signs():
    assert SEPARATOR.search('"; ".join(names)')
    assert not SEPARATOR.search('listed(names, "; ")')
    paths = places.code(ROOT / "lab" / "ui", ROOT / "pages", *(pack / "pages" for pack in places.PACKS))
    joins = {str(p.relative_to(ROOT)) for p in paths if SEPARATOR.search(p.read_text("utf-8"))}
    assert joins - LITERAL == set()


def test_a_pipeline_is_called_by_its_stages_in_the_visitor_s_language(monkeypatch: pytest.MonkeyPatch):
    label = formats.parse("MultiQuery()(BM25()) % 20 >> MMR(k=5)").label
    assert label == "Multi-query (BM25) → Top 20 → MMR"
    monkeypatch.setattr(i18n, "language", lambda: "zh")
    assert i18n.say(label) == "多查询（Multi-Query）（BM25） → 前 20 条 → MMR"


# -------------------------------------------------------------------------------------------------- one and many


@cache
def several() -> dict[str, str]:
    """Every text that has a plural form: one and many."""
    found = {}
    for path in places.CATALOGUES:
        with path.open("rb") as file:
            found |= {m.id[0]: m.id[1] for m in read_po(file, locale="zh") if isinstance(m.id, tuple)}
    return found


THIRD = (
    "is|has|was|does|abstains|answers|begins|belongs|cannot|cites|contains|decides|defines|fails|gives|holds|leads|less|lies|"
    "makes|means|misses|names|needs|ranks|reads|redirects|refuses|rejects|removed|removes|requires|returns|scores|"
    "sends|stays|takes|this|uses|was|weighs|knows|its|as|counts"
)
"""What ends in s and is no noun in the plural, and the forms of verbs with one subject."""
NO_COUNTS = {
    *("limit", "most", "least", "points", "seconds", "ratio", "k", "d", "url", "ms", "s", "share", "rank"),
    *("name", "encoding", "as_of", "value", "pace", "b", "words"),
}
"""Values that are no number of things: limits, factors, ranks, names."""
MANY = {
    "Of {n} questions, it makes {saved} better and {cost} worse: on average, not significant (p {p}).": "two at least",
    "Stopped: the figures cover only the first {n} of {asked} questions.": "two at least",
    "Equal on {equal} of {n} questions; questions that differ: {apart}.": "two at least",
    "This search has more than {n} steps.": "a limit",
    "This is nested too deeply: the limit is {n} levels.": "a limit",
    "The file is longer than {n} characters.": "a limit",
    "The expression is longer than {n} characters.": "a limit",
    "the best of {n} settings leads by {there} on the tuning half and by {here} on the held-out half": "two at least",
    "up to {n} lines, one query each": "asked of a model as it is",
    "one to {n} queries": "asked of a model as it is",
    "The model {name} gives {n} numbers per pair; a reranker gives one.": "one would be right",
    "The embedding model has not answered within {n:g} seconds.": "a limit",
    "“{file}” contains {n} files; at most {limit} are read.": "above a limit",
    "The file has {n} pages; only the first {limit} were read.": "above a limit",
    "The folder contains {n} files; only the first {limit} were read.": "above a limit",
    "There are {n} different keys; only the first {limit} are read.": "above a limit",
    "“{file}” has {n} columns; at most {limit} are read.": "above a limit",
    "The condition has {n} characters; at most {limit} are read.": "above a limit",
    "There are {n} excluded words; the maximum is {limit}.": "above a limit",
    "{name} has more than {n} documents": "a limit",
    "Similarity {score:.3f} ({tokens:.3f} from tokens, {vector:.3f} from the vector); limit {limit:.2f}.": "a score",
    "it is longer than {n} characters": "a limit",
    "it has more than {n} terms": "a limit",
    "Ask in at most {n} characters.": "a limit",
    "{name} has more than {n} rows.": "a limit",
    "a number has more than {n} digits": "a limit",
    "a number has more than {n} digits (at line {line})": "a limit",
    "Up to {n} lists": "a limit",
    "The link's question is very long: only its first {n} characters are used.": "a limit",
    "Loads ir_datasets collections stored on the server, up to {n} documents; downloads nothing.": "a limit",
    "With these settings the corpus would have {n} passages or more; the maximum is {limit}. Choose a larger size, "
    "a smaller overlap, or fewer documents.": "above a limit",
    "At most {n} are allowed.": "a limit",
    "There are more than {n} rows.": "a limit",
    "The first {n} postings are walked: passages 1 to {end} of {of}.": "a limit",
    "The lab's own search adds up whole lists here. It skips from {postings} postings and {passages} passages on, "
    "where finding out what to skip costs less than reading it. Both give the same list.": "limits",
    "Questions searched in all {n} routes because the router is not confident: {unsure} of {asked}.": "two at least",
}
"""Texts whose number is always above one, and why."""


def counted(text: str) -> set[str]:
    """The values of a text that a noun in the plural, or a verb with several subjects, follows: "{n} hidden pages"."""
    nouns = re.findall(rf"\{{(\w+)(?::[^}}]*)?\}} (?:[a-z]+ )?(?!(?:{THIRD})\b)[a-z]{{3,}}s\b", text)
    verbs = re.findall(r"(?<!and )\{(\w+)(?::[^}]*)?\} (?:are|were|have|do|differ)\b", text)
    return {*nouns, *verbs} - NO_COUNTS


def test_a_text_with_a_number_of_things_has_its_plural():
    """“1 documents” is not English: a plural form (`_n`, `ngettext`), or the number behind the noun."""
    assert counted("{name} has {n:,} hidden pages") == counted("All {n} were read") == {"n"}
    assert counted("Hidden pages: {n}") == counted("{name} has one") == counted("The limit is {limit} pages") == set()
    plurals = several()
    assert packs.missing() or set(MANY) <= set(messages())
    without = {text for text in messages() if counted(text)} - {*plurals, *plurals.values(), *MANY}
    assert without == set(), "write _n(…) or ngettext(…), put the number last, or add a verb to THIRD"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_text_with_a_plural_says_none_one_and_two(monkeypatch: pytest.MonkeyPatch, lang: str, n: int):
    monkeypatch.setattr(i18n, "language", lambda: lang)
    wanted = {"en": ("0 passages", "1 passage", "2 passages"), "zh": ("0 段", "1 段", "2 段")}[lang][n]
    assert i18n._n("{n:,} passage", "{n:,} passages", n) == wanted
    assert i18n.say(ngettext("{n:,} passage", "{n:,} passages", n)) == wanted
    inside = Said("{what}: {n}", what=ngettext("{n:,} passage", "{n:,} passages", n), n="x")
    assert i18n.say(inside).startswith(wanted), "also within another sentence"


def test_every_plural_differs_from_its_singular_and_has_the_same_values():
    assert len(several()) > 30
    wrong = [one for one, many in several().items() if one == many or fields(one) != fields(many)]
    assert wrong == []
    chinese = i18n.catalogue("zh")
    assert all(chinese[one] == chinese[many] for one, many in several().items())
