"""Finds the items of a list that a language model wrote line by line, and the text of each.

Lines with a list mark are items, and lines beside them are remarks.  Without marks every line is an item.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.models.markup import unemphasised
from lab.patterns import lazy_pattern
from lab.text import plain
from lab.text.quantities.numbers import UP_TO_99

__all__ = ["clean", "is_nothing", "marked_lines", "numbered", "says", "unquoted"]

_COUNT = rf"(?:\d{{1,2}}|{UP_TO_99})"
_NAMED = r"""(?:
    (?:search\s+|re(?:written|worded|phrased|formulated)\s+|alternative\s+|sub[-\s]?|step[-\s]back\s+)?
    (?:quer(?:y|ies)|questions?)
  | q\.? | step | option | version | variation | variant | alternative | alt | paraphrase | wording | perspective
  | angle | re(?:write|wording|phras(?:e|ing)|formulation) | example | idea | suggestion | item | prompt | answer
  | output | result | keyword | no
  | 改写 | 子?查询 | 子?问题 | 问法? | 说法 | 表述 | 版本 | 方案 | 步骤 | 角度 | 选项 | 示例 | 提问 | 关键词 )"""
_SYMBOLS = "\u2190-\u21ff\u2300-\u23ff\u25a0-\u25ff\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff"
"""Arrows, boxes, ticks and pictures."""
_MARK = lazy_pattern(
    rf"""^\s*(?:
        [-+•·●▪◦‣–—](?=\s|[^\d\s-]) | [-–—]{{2,}}(?=\s)      # bullets; a minus before a number is a minus
      | \*{{1,3}}(?=\s) | \*(?=[^\W\d_]) | \*{{2,3}}(?=[^\Wa-z\d_])  # *.txt and **kwargs are none
      | \[\s?[xX✓✔]?\s?\](?=\s)
      | \d\ufe0f?\u20e3 | [»{_SYMBOLS}]+\ufe0f?(?=\s|\w)
      | [(（\[【]\s*(?:{_COUNT}|[a-z]|[ivx]{{2,4}})\s*[)）\]】](?:\.(?!\d)|[、:：])?
      | [【\[(（]\s*{_NAMED}\s*{_COUNT}\s*[】\])）]\s*[:：]?
      | {_NAMED}\s*(?:[\#№]\s?|no\.?\s?)?{_COUNT}\s*(?:\.(?!\d)|[:：、)）]|\s[-–—]\s)
      | (?:option|version|variant|alternative|选项|方案)\s*[a-h]\s*[.:：、)）]
      | (?:q|question|query|问题?|提问)\s*[:：]
      | [\#№]\s?\d{{1,2}}\s*(?:[.:：)）](?!\d)|\s)
      | \d{{1,2}}\s*[.．。:：](?!\d)[)）]?           # 1.5 is a number
      | \d{{1,2}}\s*[、)）](?!\d+\s*[、)）])      # 1、2、3 are several
      | {UP_TO_99}\s*[、.．:：)）]
      | (?:第\s?{_COUNT}\s?[个条种步点问]?(?:改写|问题|查询|问法|说法|表述)?|其[一二三四五六])\s*(?:\.(?!\d)|[，,、：:])
      | [①-⑳❶-❿⑴-⒇][.、:：]?
      | [Ⅰ-Ⅻⅰ-ⅻ]\s*[.．、:：)）]
      | (?:[a-z]|[ivx]{{2,4}})[)）](?=\s)
      | >(?=\s)
    )\s*""",
    re.X | re.I,
)
_BY_CHANCE = lazy_pattern(r"\[\d|[a-z]\)", re.I)
"""Marks that a line outside of a list may also begin with."""
_NAME_ALONE = lazy_pattern(rf"{_NAMED}\s*(?:[#№]\s?|no\.?\s?)?(?:{_COUNT}|[A-H])", re.X | re.I)
_HEADING = lazy_pattern(r"^\s*#{1,6}(?=\s)\s*")
_SECTION = lazy_pattern(
    rf"""(?:(?:the|your|my|here|are|some|possible|suggested|new|final|different|\d+|two|three|four|five)\s+)*
      (?:re\w+\s+|alternative\s+|alternate\s+|search\s+)*(?:{_NAMED}s?|rewrites|wordings|queries|keywords)
    | (?:[新\d几个种的条]|所有|最终|以下|如下|检索)*
      (?:改写|问题|查询|问法|说法|结果|列表|表述|关键词)+(?:结果|列表|如下)?""",
    re.X | re.I,
)
_LABEL = lazy_pattern(
    r"""^[*_]*(?:(?:re(?:written|worded|phrased|formulated)\s+|step[-\s]?back\s+|more\s+general\s+)?
          (?:(?:search\s+)?quer(?:y|ies)|(?:sub-?)?questions?|version)
        | (?:final\s+)?answer | output | wording | alternative | rewording
        | re(?:write|written|worded|phrased|formulated)
        | 改写后?的?(?:问题|查询)? | 查询 | (?:子|后退|更一般的)?问题 | 后退提问 | 问法 | 说法 | 答案?)
      \s*\d{0,2}[*_]*\s*[:：][*_]*\s*""",
    re.X | re.I,
)
_ORIGINAL = lazy_pattern(r"^[*_]*(?:original|原始?)(?:\s*(?:query|question|问题|问句|查询|句))?[*_]*\s*[:：]", re.I)
_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth")
_IN_SERIES = lazy_pattern(
    rf"""^\s*(?:(?P<letter>[a-z]|[ivx]{{2,4}})(?:\s*[.．:：]\s+|\s*、\s*)
      | (?P<word>{"|".join(_WORDS)})(?:ly)?\s*[:：]\s*
      | (?P<number>\d{{1,2}})\s*[-–—]\s+(?=[^\W\d]))""",
    re.X | re.I,
)
"""Numbers of items that count as such only in a series over several lines: a. b. c., first: second:, 1 - 2 -."""
_SERIES = (
    [*"abcdefghijklmnopqrstuvwxyz"],
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"],
    [*_WORDS],
    [str(i) for i in range(1, 30)],
)
_NOTHING = lazy_pattern(r"(?:none|na|null|nil|nothing|answer|output|query|queries|questions?|没有|无|空|暂无|\d{1,2})?")
_LEAD = lazy_pattern(r"[:：]\s*$")
_TAGGED = lazy_pattern(r"<(\w+)(?:\s[^<>]*)?>\s*(.*?)\s*</\1>", re.DOTALL)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_RULE = lazy_pattern(r"\|?[\s:|-]*-[\s:|-]*\|?")
_ROW = lazy_pattern(r"\|.*\|")
_EMPHASIS = ("*", "_", "`")
_BEGINNING = 300
"""Characters of a line that are searched for its mark."""


def marked_lines(lines: Sequence[str], n: int) -> list[str]:
    """Returns the lines that are items, if at most ``n`` are wanted.

    If two or more lines have a list mark, or one has and several items are wanted, lines without one are dropped.
    A line with nothing behind its mark (“Query 1:”) is replaced by the line below it.
    """
    lines = _of_series(_without_heads(lines))
    kinds = [_kind(line) for line in lines]
    marks = kinds.count("mark")
    if marks == 1 and len(lines) > 1 and _leads(lines[0]):
        return lines
    if marks + kinds.count("perhaps") >= 2 or (marks and n > 1):
        marked = [i for i, kind in enumerate(kinds) if kind in ("mark", "perhaps", "minus")]
        return [lines[i + 1 if i + 1 < len(lines) and not kinds[i + 1] and _is_bare(lines[i]) else i] for i in marked]
    if "heading" in kinds:
        return _below_headings(lines, kinds)
    if kinds.count("quoted") >= 2:
        first = kinds.index("quoted")
        last = len(kinds) - kinds[::-1].index("quoted")
        return lines[first:last]
    return lines


def _leads(line: str) -> bool:
    """Whether a line begins with a label for all lines: “Queries: …”, but not “Query 1: …” or “1. Query: …”."""
    bare = unemphasised(line.strip()[:_BEGINNING])
    return bool(_LABEL.match(bare)) and not _MARK.match(bare) and not numbered(line)


def _kind(line: str) -> str:
    """Returns the look of a line: ``mark``, ``perhaps`` one ([1]), ``minus``, ``heading``, ``quoted`` or empty."""
    text = line.strip()[:_BEGINNING]
    bare = unemphasised(text)
    inner = unquoted(_HEADING.sub("", bare).strip())
    if _ROW.fullmatch(inner) or _LABEL.match(inner):
        return "mark"
    if _NAME_ALONE.fullmatch(inner):
        return "perhaps" if inner == text else "mark"
    if m := _MARK.match(inner) or (None if text[:1] in _EMPHASIS else _MARK.match(text)):
        return "perhaps" if _BY_CHANCE.match(m[0].lstrip()) else "mark"
    if _HEADING.match(bare) or (bare != text and text in (f"**{bare}**", f"__{bare}__")):
        return "heading"
    if re.match(r"-\d", inner):
        return "minus"
    return "quoted" if inner != bare else ""


def _is_bare(line: str) -> bool:
    """Whether a line has nothing behind its mark: “1.”, “Query 1”, “Synonyms:”."""
    item = clean(line)
    return not says(item) or bool(_NAME_ALONE.fullmatch(item))


def _below_headings(lines: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Returns the items among lines with headings; the headings themselves if about every second line is one."""
    headings = [i for i, kind in enumerate(kinds) if kind == "heading" and not _SECTION.fullmatch(clean(lines[i]))]
    plain_lines = [i for i, kind in enumerate(kinds) if kind != "heading"]
    if len(headings) >= 2 and len(headings) >= len(plain_lines):
        return [lines[i] for i in headings]
    return [lines[i] for i in (plain_lines if len(plain_lines) >= 2 else sorted([*headings, *plain_lines]))]


def _without_heads(lines: Sequence[str]) -> list[str]:
    """Returns the lines without the head of a table."""
    rules = {i for i, line in enumerate(lines) if _RULE.fullmatch(line.strip()[:_BEGINNING]) and "|" in line}
    return [line for i, line in enumerate(lines) if i not in rules and i + 1 not in rules]


def _of_series(lines: list[str]) -> list[str]:
    """Returns the lines numbered in a series, without their numbers; all lines without a series (“a. m.” alone)."""
    marks = [mark for line in lines[:100] if (mark := _IN_SERIES.match(unemphasised(line.strip()[:_BEGINNING])))]
    counted = [(mark["letter"] or mark["word"] or mark["number"]).lower() for mark in marks]
    if counted != ["1"] and (len(counted) < 2 or not any(counted == series[: len(counted)] for series in _SERIES)):
        return lines
    return [mark.string[mark.end() :] for mark in marks]


def numbered(line: str) -> bool:
    """Whether a line is only the number of an item: “Query 1:”, “1.”."""
    inner = unemphasised(_HEADING.sub("", line.strip()[:_BEGINNING])).strip(" :：")
    return bool(_NAME_ALONE.fullmatch(inner) or re.fullmatch(_COUNT, inner))


def clean(line: str) -> str:
    """Returns an item without its number, label, quotes and emphasis."""
    while True:
        bare = re.sub(r"(?<=[\"'”’」』》`*_])[,，]$", "", line.strip())
        if bare[:1] not in _EMPHASIS:  # 4.**3.5 mm jack**
            bare = _MARK.sub("", bare, count=1)
        bare = unquoted(unemphasised(bare).strip())
        if tagged := _TAGGED.fullmatch(bare):
            bare = tagged[2]
        if len(bare) > 1 and bare[0] == bare[-1] == "|":  # a row of a table: the longest cell has the text
            bare = max(bare.split("|"), key=len).strip()
        bare = _MARK.sub("", _HEADING.sub("", bare), count=1).strip()
        shorter = unquoted(_LABEL.sub("", bare, count=1)).strip()
        if shorter == line:
            return line
        line = shorter


def says(item: str) -> bool:
    """Whether a text is an item: not “none”, and not a heading without text."""
    return not is_nothing(item) and not _LEAD.search(item) and not _ORIGINAL.match(item)


def is_nothing(text: str) -> bool:
    """Whether a text has no words, or says that there is nothing."""
    return _NOTHING.fullmatch(plain(text)) is not None


def unquoted(text: str) -> str:
    """Returns a text without the quotation marks around the whole of it."""
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        inner = re.sub(r"(?<=\w)['’](?=\w)", "", text[1:-1])  # an apostrophe is not a quote
        if text[-1] not in inner:
            return text[1:-1]
    if len(text) > 4 and text[:2] == text[-2:] == "**":
        return text[2:-2]
    return text
