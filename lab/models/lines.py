"""The second form of an answer, after JSON: plain lines, each with one item.

A line may have a usual list mark, a label, quotation marks and emphasis.  Lines before and behind the items are left
out if they have the usual words of a greeting or a remark.  Anything else makes the whole answer not readable: what is
an item and what is not would be a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.text import plain
from lab.text.quantities.numbers import UP_TO_99

_NAMES = r"""(?:
    (?:(?:search|rewritten|reworded|rephrased|alternative|sub|step|back|final|hypothetical|short|general)[\s-]?){0,3}
    (?:quer(?:y|ies)|questions?|re(?:write|wording|phrasing|written|worded|phrased)|alternative|option|version|variation
      |answer|output|response|result|step|q|passage|text|document|summary|paragraph)
  | (?:改写后?的?|后退|子|假设性|检索)?
    (?:改写|问题|查询|问法|说法|提问|答案|回答|结果|步骤|选项|短文|段落|文档|概要|摘要|关键词|句子)(?:如下)?)"""
_NUMBERS = rf"(?:\d{{1,2}}|{UP_TO_99})"
_LABELLED = rf"{_NAMES}\s?[#№]?\s?(?:{_NUMBERS}|[A-H])?"
_MARK = re.compile(
    rf"""\s*(?:
      (?P<bullet>[-*+–—>•·●▪◦→►✅✔](?=\s)(?:\s+\[[ xX]?\](?=\s))? | [•●▪◦] | [-+–—](?=[^\d\s+–—-]))
    | (?P<number> \d{{1,2}}(?:[.．:：](?!\d)[)）]? | [、)）](?!\d+\s*[、)）]))  # 1.5 and 1、2、3 are no marks
      | [(（\[【](?:{_NUMBERS}|[a-z]|[ivx]{{2,4}})[)）\]】][.:：]? | [①-⑳] | \d\ufe0f?\u20e3
      | [\#№]\s?\d{{1,2}}(?:[.:：)]|(?=\s))
      | {UP_TO_99}[、.．:：)）] | (?:[a-z]|[ivx]{{2,4}})\)(?=\s) | (?:第{_NUMBERS}[步点个条]?|其{_NUMBERS})[，,、：:])
    | (?P<label>{_LABELLED}\s?[:：] | 【{_NAMES}{_NUMBERS}】))\s*""",
    re.X | re.I,
)
_FIRST = re.compile(r"\W{0,3}(?:[ai1ⅰ]\s?[-–—.、．:：/]\s|first(?:ly)?\s?:)", re.I)
"""The first line of a list with other marks: which of its lines are items is not known."""
_GREETING = re.compile(
    rf"""\W{{0,3}}
    (?:(?:sure(?:\ thing)?|of\ course|certainly|absolutely|okay|ok|understood|got\ it|no\ problem|thanks?|thank\ you
        |(?:great|good)\ question|好的?|当然(?:可以)?|没问题|明白了?|收到)
      (?:\W{{0,9}}$ | \s?[!.~！。]+\s* | \s?[,，–—-]\s*(?=(?:here|let|below)\b|以下|下面|这里|{_NAMES}\s*[:：])))?
    (?:here\ you\ go\W*$
      | (?:here\ (?:are|is)\b|here['’]s\b|below\ (?:are|is)\b|the\ following\b|(?:以下|下面|这里)就?(?:是|为|有))
        [^.!?:：。！？\n]{{0,90}}?(?:{_NAMES}|keyword|sentence|\bways?\b|\blist\b)[^.!?:：。！？\n]*(?:[:：]\s*|\W*$))?
    (?:{_NAMES}\s*[:：]\s*)?""",
    re.X | re.I,
)
"""A greeting, an announcement and a label before a text: “Sure! Here is the passage: …”."""
_REMARK = re.compile(
    r"""\W{0,3}(?:
      (?:i\ )?hope\ (?:this|these|that|it)\b.*\bhelp | (?:please\ )?(?:let\ me\ know|feel\ free)\b
    | (?:would|do)\ you\ (?:like|want|need|prefer)\ (?:me|any|more|another)\b | (?:is\ there\ )?anything\ else\b
    | if\ you\ (?:need|want|would|like|have)\b.*\b(?:let\ me|i\ can|tell\ me)\b
    | note\ that\b | (?:notes?|explanations?|reasoning|rationale)\W{0,3}[:：]
    | 希望.{0,12}(?:帮助|帮到|有用) | 以上(?:就?是|为|这?些|均|都) | 如(?:果|有|需).{0,20}(?:告诉|告知|随时)
    | (?:是否|还|要不要)?需要(?:我|更多|其他|别的).{0,6}(?:改写|问法|查询|帮).{0,6}[吗？?]
    | 还有(?:其他|什么|别的)问题 | (?:注意?|备注|附注|说明|提示|解释)[:：]
    )""",
    re.X | re.I,
)
_NOTHING = re.compile(r"(?:none|na|null|nil|nothing|answer|output|query|queries|questions?|没有|无|空|暂无|\d{1,2})?")
_ORIGINAL = re.compile(r"\W{0,3}(?:original|原始?)(?:\s*(?:query|question|问题|查询))?\W{0,3}[:：]", re.I)
_FENCED = re.compile(r"(```|~~~)(?:[\w-]*[ \t]*\r?\n|sqlite\b|sql\b|json\b)?(.*?)(?:\1|\Z)", re.DOTALL | re.IGNORECASE)
_LEAD, _STATES = re.compile(r"[:：]\W{0,3}$"), re.compile(r"[.!。！~～:：]\W{0,3}$")
_HEADING = re.compile(rf"\W*(?:(?:the|your|some|\d{{1,2}}|新|[几种个条])\s?){{0,3}}{_NAMES}s?\W*", re.X | re.I)
_NO_ITEM = re.compile(
    rf"""[^\w"'“‘「『《<(（\[{{.$€£¥@*+/\\%&?¿¡~=^\#`-] | \#{{1,6}}\s | \|.*\|$ | <\w[^<>]*> | .*(?:</\w+>|\S<br)
      | \W*{_LABELLED}\W*$""",
    re.X | re.I,
)
"""A picture, a heading, a row of a table, an element, a label without a text."""
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_EMPHASIS = re.compile(
    r"(?<![A-Za-z0-9*/\\])(\*{1,3})(?=[^\s)\].,;*])((?:(?!\1).)+?)(?<=[^\s(\[])\1(?!\*|(?<=[^*]\*)[A-Za-z0-9])"
    r"|(?<!\w)(_{1,3})(?=[^\s_])(?![a-z0-9_]+__)((?:(?!\3).)+?)(?<=\S)\3(?!\w)"
    r"|(?<!`)(`{1,3})(?!`)([^`\n]+)\5(?!`)"
)
"""Text between stars, underscores or backticks; 2 * 3 * 4, snake_case and *.txt are none."""
LONGEST = 300
"""Characters of a line that are searched for the words of a greeting or a remark."""


def unemphasised(line: str) -> str:
    """Returns a line without the marks of bold, italic and code."""
    bare = _EMPHASIS.sub(lambda m: m[2] or m[4] or m[6], line)
    return bare if bare == line else unemphasised(bare)


def _unquoted(text: str) -> str:
    """Returns a text without the quotation marks around the whole of it."""
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        inner = re.sub(r"(?<=\w)['’](?=\w)", "", text[1:-1])  # an apostrophe is not a quote
        return text if text[-1] in inner else text[1:-1]
    return text[2:-2] if len(text) > 4 and text[:2] == text[-2:] == "**" else text


def without_label(text: str) -> str:
    """Returns a text without the quotation marks around it, and without greeting and label: “Sure! Passage: …”."""
    bare = _unquoted(text.strip())
    return _unquoted(_GREETING.sub("", bare, count=1)) if greets(bare) else bare


def clean(line: str) -> str:
    """Returns an item without its mark, label, quotes and emphasis."""
    bare = re.sub(r"(?<=[\"'”’」』》`*_])[,，]$", "", line.strip())
    mark = _MARK.match(bare)
    bare = _unquoted(unemphasised(bare[mark.end() :] if mark else bare).strip())
    return bare if bare == line else clean(bare)


def is_nothing(text: str) -> bool:
    """Whether a text has no words, or says that there is nothing."""
    return _NOTHING.fullmatch(plain(text)) is not None


def says(item: str) -> bool:
    """Whether a text is an item: not “none”, and not a heading without text."""
    return not (is_nothing(item) or _LEAD.search(item) or _ORIGINAL.match(item))


def is_item(text: str) -> bool:
    """Whether a cleaned line is no heading (“Query 1”), picture, element or row of a table."""
    return _NO_ITEM.match(text) is None


def greets(line: str) -> bool:
    """Whether a line begins with the usual words of a greeting, an announcement or a label."""
    match = _GREETING.match(line[:LONGEST])
    return match is not None and re.search(r"\w", match[0]) is not None


def _remarks(line: str) -> bool:
    return _REMARK.match(unemphasised(line.strip()[:LONGEST])) is not None


def without_remark(text: str) -> str:
    """Returns a text without the remarks that it ends with: “It lasts 30 hours. I hope this helps!”"""
    borders = [0, *(m.end() for m in re.finditer(r"[.!?。！？]\s*(?=\S)", text))]
    while len(borders) > 1 and _remarks(text[borders[-1] :]):
        text = text[: borders.pop()].rstrip()
    return text


def unfenced(text: str) -> list[str]:
    """Returns the text in each code fence of an answer; the whole answer if there is no fence."""
    return [m[2] for m in _FENCED.finditer(text)] or [text]


def content_lines(text: str) -> list[str]:
    """Returns the lines that are not blank, from all fences, without greetings before and remarks behind them."""
    lines = [line for part in unfenced(text) for line in part.splitlines() if line.strip()]
    begin = next((i for i, line in enumerate(lines) if not (_introduces(line) or _states(line))), 0)
    if not (begin and _LEAD.search(lines[begin - 1][-9:]) and _introduces(lines[begin - 1])):
        # a statement is left out only before “…:”
        begin = next((i for i, line in enumerate(lines) if not _introduces(line)), len(lines) - 1)
    lines = lines[begin:]
    while len(lines) > 1 and _remarks(lines[-1]):
        lines = lines[:-1]
    return lines


def _introduces(line: str) -> bool:
    """Whether a line is a greeting, or says what follows: “Sure!”, “Queries:”, “## Rewritten queries”."""
    text = unemphasised(line.strip()[:LONGEST])
    lead = _LEAD.search(line[-9:]) is not None
    if (lead or line.lstrip().startswith(("#", "**"))) and _HEADING.fullmatch(text):
        return True
    return not re.search(r"\w", _GREETING.sub("", text, count=1)) or (lead and not _MARK.match(text))


def _states(line: str) -> bool:
    """Whether a line ends as a statement does, and no query."""
    return _STATES.search(line[-5:]) is not None


def item_lines(lines: Sequence[str]) -> list[str]:
    """Returns the lines that are items; none if it is not sure which lines are items."""
    bare = [unemphasised(line[:LONGEST]) for line in lines]
    marks = [_MARK.match(a) or _MARK.match(b[:LONGEST]) for a, b in zip(bare, lines, strict=True)]
    if any(marks):
        return _marked(lines, marks)
    numbers = [number[1] for line in bare if (number := re.match(r"\D{0,12}(\d{1,2})(?!\d)", line))]
    if any(map(_FIRST.match, bare)) or numbers[:2] == ["1", "2"]:  # numbered in another way
        return []
    if len(lines) == 1:
        return [without_label(lines[0])]
    while len(lines) > 1 and re.search(r"[!！]\W{0,3}$", lines[0][-5:]) and not _states(lines[1]):
        lines = lines[1:]
    while len(lines) > 1 and _states(lines[-1]) and not _states(lines[0]):
        lines = lines[:-1]
    alike = len({(_states(line), len(line) - len(line.lstrip())) for line in lines}) == 1
    return [*lines] if alike and not any(greets(line) or _remarks(line) for line in bare) else []


def _marked(lines: Sequence[str], marks: Sequence[re.Match[str] | None]) -> list[str]:
    """Returns the lines from the first to the last mark; none if they are not one list with one kind of mark.

    Between them only statements may stand, which explain an item.
    """
    at = [i for i, mark in enumerate(marks) if mark]
    first = marks[at[0]]
    assert first
    kinds = {(mark.lastgroup, len(line) - len(line.lstrip())) for mark, line in zip(marks, lines, strict=True) if mark}
    others = [line for i, line in enumerate(lines) if not at[0] <= i <= at[-1]]
    sure = len(at) > 1 or all(map(_aside, others))
    number = re.search(r"\d+", first[0])
    whole = not at[0] or number is None or int(number[0]) == 1  # else an item before it has no mark
    explained = all(marks[i] or _states(lines[i]) for i in range(at[0], at[-1]))
    return [lines[i] for i in at] if len(kinds) == 1 and sure and whole and explained else []


def _aside(line: str) -> bool:
    """Whether a line is a greeting, a statement or a remark."""
    return _states(line) or _introduces(line) or _remarks(line)
