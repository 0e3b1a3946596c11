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

__all__ = [
    "announces",
    "clean",
    "content_lines",
    "is_item",
    "is_nothing",
    "item_lines",
    "says",
    "unemphasised",
    "unfenced",
    "without_label",
    "without_remark",
]

_NAMES = r"""(?:
    (?:(?:search|rewritten|reworded|rephrased|alternative|sub|step|back|final|hypothetical|short|general)[\s-]?){0,3}
    (?:quer(?:y|ies)|questions?|re(?:write|wording|phrasing|written|worded|phrased)|alternative|option|version|variation
      |answer|output|response|result|step|q|passage|text|document|summary|paragraph)
  | (?:改写后?的?|后退|子|假设性|检索)?
    (?:改写|问题|查询|问法|说法|提问|答案|回答|结果|步骤|选项|短文|段落|文档|概要|摘要)(?:如下)?)"""
_NUMBERS = rf"(?:\d{{1,2}}|{UP_TO_99})"
_MARK = re.compile(
    rf"""\s*(?:
      (?P<bullet>[-*+–—>•·●▪◦→►✅✔](?=\s)(?:\s+\[[ xX]?\](?=\s))? | [•●▪◦] | [-+–—](?=[^\d\s+–—-]))
    | (?P<number> \d{{1,2}}(?:[.．:：](?!\d)[)）]? | [、)）](?!\d+\s*[、)）]))  # 1.5 and 1、2、3 are no marks
      | [(（\[【](?:{_NUMBERS}|[a-z]|[ivx]{{2,4}})[)）\]】][.:：]? | [①-⑳] | \d\ufe0f?\u20e3
      | [\#№]\s?\d{{1,2}}(?:[.:：)]|(?=\s))
      | {UP_TO_99}[、.．:：)）] | (?:[a-z]|[ivx]{{2,4}})\)(?=\s) | (?:第{_NUMBERS}[步点个条]?|其{_NUMBERS})[，,、：:])
    | (?P<label>{_NAMES}\s?(?:[#№]?\s?(?:{_NUMBERS}|[A-H]))?\s?[:：] | 【{_NAMES}{_NUMBERS}】)
    )\s*""",
    re.X | re.I,
)
_SERIES = re.compile(
    r"\s*(?P<number>(?:[a-z]|[ivxⅠ-Ⅻ]{1,4})[.、．:：](?=\s|[^\W\d_a-z])|\d{1,2}\s?[-–—](?=\s)"
    r"|(?:first|second|third|fourth|fifth)(?:ly)?\s?:)\s*",
    re.I,
)
_FIRST = ("a", "i", "1", "first", "firstly", "ⅰ")
"""Marks of a list only if two lines have one: “a. m. or p. m.” is none."""
_POLITE = r"""(?:sure(?:\ thing)?|of\ course|certainly|absolutely|okay|ok|understood|got\ it|no\ problem
    |thanks?|thank\ you|(?:great|good)\ question|好的?|当然(?:可以)?|没问题|明白了?|收到)"""
_ANNOUNCES = r"""(?:(?:here\ (?:are|is)|here['’]s|below\ (?:are|is)|the\ following)\b[^.!?:：\n]{0,90}?
      \b(?:quer|question|version|variation|alternative|re\w+ing|list|passage|answer|summar|keyword|sentence|way|text)
    | here\ you\ go\b
    | (?:以下|下面|这里)(?:就|将)?(?:是|为|有|列出|给出)[^。！？：:\n]{0,20}?
      (?:改写|查询|问题|问法|说法|短文|段落|概要|摘要|关键词|答案|回答|句子))"""
_TELLS = r"""(?:.{0,90}(?:\bthe\ following|\bas\ follows|如下)\W{0,3}$
    | i(?:\ have|['’]ve)?\ (?:rewrote|rewritten|reworded|rephrased|reformulated|used\ (?:syn|other|diff))
    | 我(?:换|用|把|从))"""
_GREETS = re.compile(
    rf"\W{{0,3}}(?:{_POLITE}(?:\W{{0,9}}$|[!.~]+\s|[,–—-]\s*(?:here|i|let|below)\b|[，。！：])|{_ANNOUNCES}|{_TELLS})",
    re.X | re.I,
)
_ONLY_GREETS = re.compile(
    rf"\W{{0,3}}(?:{_POLITE}\W{{1,9}})?(?:{_POLITE}|{_ANNOUNCES}[^.!?:：。！？\n]*)?\W*", re.X | re.I
)
_LABEL = re.compile(
    rf"(?:{_POLITE}\s?[!！。，]\s*)?(?:{_ANNOUNCES}[^.!?:：。！？\n]*[:：]\s*|{_NAMES}\s*[:：]\s*)?", re.X | re.I
)
"""The usual words of a greeting or an announcement: at the beginning of a line, as all of it, and before a text."""
_REMARK = re.compile(
    r"""\W{0,3}(?:
      (?:i\ )?hope\ (?:this|these|that|it)\b.*\bhelp | (?:please\ )?(?:let\ me\ know|feel\ free)\b
    | (?:these|each|all)\ (?:of\ these\ )?(?:\w+\ )?(?:quer|question|version|variation|alternative|re\w+ing)
    | would\ you\ (?:like|want|prefer)\ (?:me|more|any|another|to)\b | do\ you\ (?:want|need)\ (?:me|more|any\ more)\b
    | (?:is\ there\ )?anything\ else\b | if\ you\ (?:need|want|would|like|have)\b.*\b(?:let\ me|i\ can|tell\ me)\b
    | note\ that\b | (?:notes?|explanations?|reasoning|rationale)\W{0,3}[:：]
    | 希望.{0,12}(?:帮助|帮到|有用) | 以上(?:就?是|为|这?些|均|都)
    | 这(?:些|.种|.个)(?:改写|问题|查询|问法|说法|表述)(?:都|均|分别|保留|可以)
    | 如(?:果|有|需).{0,20}(?:告诉|告知|随时)
    | (?:是否|还|要不要)?需要(?:我|更多|其他|别的).{0,6}(?:改写|问法|查询|帮).{0,6}[吗？?]
    | 还有(?:其他|什么|别的)问题 | (?:注意?|备注|附注|说明|提示|解释)[:：]
    )""",
    re.X | re.I,
)
_ORIGINAL = re.compile(r"\W{0,3}(?:original|原始?)(?:\s*(?:query|question|问题|查询))?\W{0,3}[:：]", re.I)
_NOTHING = re.compile(r"(?:none|na|null|nil|nothing|answer|output|query|queries|questions?|没有|无|空|暂无|\d{1,2})?")
_FENCED = re.compile(r"(```|~~~)(?:[\w-]*[ \t]*\r?\n|sqlite\b|sql\b|json\b)?(.*?)(?:\1|\Z)", re.DOTALL | re.IGNORECASE)
_LEAD, _STATES = re.compile(r"[:：]\W{0,3}$"), re.compile(r"[.!。！~～:：]\W{0,3}$")
_ELEMENT = re.compile(r"</\w+>|\S<br|^\s*<\w[^<>]*>", re.I)
_TITLE = re.compile(rf"\W*(?:(?:the|your|some|\d{{1,2}}|新|[几种个条])\s?){{0,3}}{_NAMES}s?\W*", re.X | re.I)
_FOREIGN = re.compile(r"[^\w\"'“‘「『《<(（\[{.$€£¥@*+/\\%&?¿¡~=^#`-]|#{1,6}\s|\|.*\|$")
"""The beginning of something else than an item: a picture, a heading, a row of a table."""
_BARE = re.compile(rf"\W*{_NAMES}\s*[#№]?\s?(?:{_NUMBERS}|[A-H])\W*", re.X | re.I)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_OPENS, _CLOSES = r"[^\W_]|[\"'“‘「『《(（\[【{$#@&<?¿¡`~+-]", r"[^\W_]|[\"'”’」』》)）\]】}>.?!…。？！:：;；，,%°`~+-]"
_STARS = re.compile(
    rf"(?<![A-Za-z0-9*/\\])(\*{{1,3}})(?={_OPENS})((?:(?!\1).)+?)(?<={_CLOSES})\1(?!\*|(?<=[^*]\*)[A-Za-z0-9])"
)
_UNDERSCORES = re.compile(rf"(?<!\w)(_{{1,3}})(?={_OPENS})(?![a-z0-9_]+__)((?:(?!\1).)+?)(?<={_CLOSES})\1(?!\w)")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]+)\1(?!`)")
LONGEST = 300
"""Characters of a line that are searched for the words of a greeting or a remark."""


def unemphasised(line: str) -> str:
    """Returns a line without the marks of bold, italic and code; 2 * 3 * 4, snake_case and *.txt stay."""
    bare = _CODE.sub(r"\2", line)
    for pattern in (_STARS, _UNDERSCORES):
        bare = pattern.sub(r"\2", bare)
    return bare if bare == line else unemphasised(bare)


def unquoted(text: str) -> str:
    """Returns a text without the quotation marks around the whole of it."""
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        inner = re.sub(r"(?<=\w)['’](?=\w)", "", text[1:-1])  # an apostrophe is not a quote
        return text if text[-1] in inner else text[1:-1]
    return text[2:-2] if len(text) > 4 and text[:2] == text[-2:] == "**" else text


def without_label(text: str) -> str:
    """Returns a text without the quotation marks around it, and without greeting and label: “Sure! Passage: …”."""
    bare = unquoted(text.strip())
    label = _LABEL.match(bare)
    return unquoted(bare[label.end() :]) if label else bare


def clean(line: str) -> str:
    """Returns an item without its mark, label, quotes and emphasis."""
    while True:
        bare = re.sub(r"(?<=[\"'”’」』》`*_])[,，]$", "", line.strip())
        mark = _MARK.match(bare) if bare[:1] not in ("*", "_", "`") else None  # 4.**3.5 mm jack**
        bare = unquoted(unemphasised(bare[mark.end() :] if mark else bare).strip())
        if mark := _MARK.match(bare):
            bare = unquoted(bare[mark.end() :].strip())
        if bare == line:
            return line
        line = bare


def is_nothing(text: str) -> bool:
    """Whether a text has no words, or says that there is nothing."""
    return _NOTHING.fullmatch(plain(text)) is not None


def says(item: str) -> bool:
    """Whether a text is an item: not “none”, and not a heading without text."""
    return not is_nothing(item) and not _LEAD.search(item) and not _ORIGINAL.match(item)


def is_item(text: str) -> bool:
    """Whether a cleaned line is no heading (“Query 1”), picture or row of a table."""
    return _FOREIGN.match(text) is None and _BARE.fullmatch(text) is None


def announces(line: str) -> bool:
    """Whether a line begins with the usual words of a greeting or an announcement."""
    return _GREETS.match(unemphasised(line.strip()[:LONGEST])) is not None


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
    leads = [i for i, line in enumerate(lines[:4]) if _LEAD.search(line[-9:]) and _introduces(line, lines[:i])]
    lines = lines[leads[-1] + 1 :] if leads and leads[-1] + 1 < len(lines) else lines
    while len(lines) > 1 and (_ONLY_GREETS.fullmatch(lines[0][:LONGEST]) or _is_title(*lines[:2])):
        lines = lines[1:]
    while len(lines) > 1 and _remarks(lines[-1]):
        lines = lines[:-1]
    return lines


def _introduces(line: str, before: Sequence[str]) -> bool:
    """Whether a line that ends with a colon is no item (“Queries:”, not “Query 1:”), and those before it are none."""
    title = _TITLE.fullmatch(line[:LONGEST]) is not None or not _MARK.match(unemphasised(line[:LONGEST]))
    return title and all(
        _states(other) or announces(other) for other in before if not _TITLE.fullmatch(other[:LONGEST])
    )


def _is_title(line: str, following: str) -> bool:
    """Whether a line is a heading that only says what follows: “## Rewritten queries”."""
    heading = line.lstrip().startswith("#") or ("**" in line and "**" not in following)
    return heading and _TITLE.fullmatch(line[:LONGEST]) is not None


def item_lines(lines: Sequence[str]) -> list[str]:
    """Returns the lines that are items, without marks of a series; none if it is not sure which lines are items."""
    bare = [unemphasised(line[:LONGEST]) for line in lines]
    if any(_ELEMENT.search(line) for line in bare):
        return []
    for pattern in (_MARK, _SERIES):
        marks = [pattern.match(a) or pattern.match(b[:LONGEST]) for a, b in zip(bare, lines, strict=True)]
        if sum(mark is not None for mark in marks) >= 2:
            marked = _marked(lines, marks)
            return [line if pattern is _MARK else mark.string[mark.end() :] for line, mark in marked]
    if any((mark := _SERIES.match(line)) and mark[0].strip(" .:、-–—：．").lower() in _FIRST for line in bare):
        return []
    numbers = [number[1] for line in bare if (number := re.match(r"\D{0,12}(\d{1,2})(?!\d)", line))]
    if len(lines) > 1 and numbers[:2] == ["1", "2"]:  # numbered in an unknown way
        return []
    lines = [without_label(lines[0])] if len(lines) == 1 else lines
    explained = all(_states(line) or _remarks(line) for line in lines[1:])
    if any(map(announces, lines)):
        return []
    if len(lines) < 2 or (explained and not _states(lines[0])):
        return [*lines[:1]]
    if any(map(_MARK.match, bare)) or any(map(_remarks, lines)):
        return []
    return [*lines] if len({(_states(line), _indent(line)) for line in lines}) == 1 else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _states(line: str) -> bool:
    """Whether a line ends as a statement does, and no query."""
    return _STATES.search(line[-5:]) is not None


def _marked(lines: Sequence[str], marks: Sequence[re.Match[str] | None]) -> list[tuple[str, re.Match[str]]]:
    """Returns the lines with a mark of the first one's kind; none if other lines may be items as well.

    Lines before the first mark are an introduction; behind it, indented lists and statements explain an item.
    """
    first = next(mark for mark in marks if mark)
    alike = [i for i, mark in enumerate(marks) if mark and mark.lastgroup == first.lastgroup]
    if alike[0] and (number := re.search(r"\d+", first[0])) and int(number[0]) > 1:
        return []  # an item before it has no mark
    least = min(_indent(lines[i]) for i in alike)
    if first.lastgroup == "bullet":  # a list below an item explains it
        alike = [i for i in alike if _indent(lines[i]) < least + 2]
        if len(alike) == 1:
            return []
    for i, (line, mark) in enumerate(zip(lines, marks, strict=True)):
        beside = _indent(line) >= least and line.lstrip()[0] not in "-+*" and (i < alike[0] or _states(line))
        explains = _indent(line) > least + 1 if mark else beside
        if not (i in alike or explains or _remarks(line)):
            return []
    return [(lines[i], mark) for i in alike if (mark := marks[i])]
