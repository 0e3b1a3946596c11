"""Reads by rule which conditions on metadata fields a question states in words: “reports from HR after 2024”.

The rule looks in the question for the fields of the corpus and their values:

- a word field: one of its values (of tags and other lists only if the field is named), negated after “not”, “except”,
  不要 or 除了; several values are alternatives;
- a field of yes and no: its name, negated after “without”, 不支持 and the like;
- a number field: its name beside a number, compared as the words around the number say (at least, 以上), and converted
  if the name of the field has a unit;
- a field of days: a day, month or year, after, before or within it, or a period; “last week” only if it is named;
- a field that is to be empty: without a rating, 日期不详.

Numbers or days of a field that are joined by “or”, or that no value fits at once, are alternatives; an exclusion holds
for what is listed with it.  Nothing is guessed.  Reported as unused are: a condition in the scope of a negation or a
modal verb that the rule does not read (need not be from HR, 我们没有手表); a number or a day that belongs to no field,
or to several; a part of a year that nobody has fixed (early 2023); a word that asks for an order (newest); a word that
is excluded, given for a field or an alternative and is no part of exactly one value.  Every other number, day, value
and negation of the question is reported as searched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain, pairwise
from typing import Any, NamedTuple

from lab.algebra import Corpus
from lab.corpus.conditions import BETWEEN, EQUAL, IN, MISSING, All, AnyOf, Condition, Test, combine
from lab.corpus.fields import DAY, NUMBER, TEXT, FieldReading, elements, field_period, field_reading, read_number
from lab.errors import ModelError
from lab.refine.finders import stem_of
from lab.refine.where import Checked
from lab.text import half_width
from lab.text.quantities import Days, Quantity, convert, measure, quantities, read_days, read_unit
from lab.text.quantities.days import ANY_DAYS
from lab.text.writing import QUOTES

MOST = 200
"""Values of a word field that are looked for; a field with more is an identifier or a text."""
NEAR = 8
"""Characters between the name of a number field and its number."""
FAR = 1000

_BEFORE = {
    ">=": "at least|no less than|not less than|a minimum of|minimum|min"
    "|(?:别|勿|不(?:能|得|可以?|应该?|要)?)(?:低于|少于|小于)|至少|起码|大于(?:或)?等于|>=|≥",
    "<=": "at most|no more than|not more than|up to|a maximum of|maximum|max"
    "|至多|最多|(?:别|勿|不(?:能|得|可以?|应该?|要)?)(?:超过?|高于|多于|大于)|小于(?:或)?等于|<=|≤",
    ">": "more than|over|above|exceed(?:s|ing)?|longer than|higher than|greater than|larger than"
    "|超过?|大于|高于|多于|长于|贵于|重于|>",
    "<": "less than|fewer than|under|below|shorter than|lower than|cheaper than"
    "|低于|少于|小于|不到|不足|未满|不满|便宜于|轻于|短于|<",
}
_AFTER = {
    ">=": "or more|or longer|or higher|or above|and up|and more|(?:at least|min|minimum)\\b|及以上|或以上|以上|起|[+]",
    "<=": "or less|or fewer|or under|or shorter|(?:at most|max|maximum)\\b|及以下|或以下|以下|以内|之内|内",
}
_DAYS_BEFORE = {
    "<>": "before or after",
    ">=": "(?:on|in|during|from) or (?:after|since)|after or (?:on|in|during)|since|starting from|starting in"
    "|no earlier than|not earlier than|not before|自从|自|从|不早于|>=|≥",
    "<=": "(?:on|in|during) or before|before or (?:on|in|during)|until|till|by the end of|by|up to(?: and including)?"
    "|no later than|not later than|not after|截至|截止到|直到|不晚于|不迟于|<=|≤",
    ">": "later than|newer than|younger than|after|晚于|>",
    "<": "earlier than|older than|before|prior to|早于|<",
    "": "between|during|within|in|on|of|from|either|dated|=|:",
}
_DAYS_AFTER = {
    "<>": "(?:以前|之前|前)[或和](?:以后|之后|后)",
    ">=": "以来|起|开始|[或及](?:以后|之后|更晚|其后)|[到至](?:今|现在|目前)|onwards?|at the earliest"
    "|(?:to|until|till) (?:now|date|(?:the )?present)|(?:or|and) (?:later|newer)(?! than)|(?:or|and) after(?! \\w)",
    "<=": "[或及](?:以前|之前|更早|其前)|[底末](?:以前|之前|前)|at the latest"
    "|(?:or|and) (?:earlier|older)(?! than)|(?:or|and) before(?! \\w)",
    ">": "[底末]?(?:以后|之后|后)",
    "<": "初?(?:以前|之前|前(?!后))",
}


Words = tuple[str, re.Pattern[str]]
Place = tuple[int, int]


def _ends(table: dict[str, str]) -> list[Words]:
    return [(sign, re.compile(rf"(?:{words})(?: (?:the|a|an))?\s?$")) for sign, words in table.items()]


def _begins(table: dict[str, str]) -> list[Words]:
    return [(sign, re.compile(rf"[\s的]?(?:{words})")) for sign, words in table.items()]


_BEFORE_NUMBER, _AFTER_NUMBER = _ends(_BEFORE), _begins(_AFTER)
_BEFORE_DAYS, _AFTER_DAYS = _ends(_DAYS_BEFORE), _begins(_DAYS_AFTER)
_EXCEPT = (
    r"except|exclud(?:e|ing)|other than|apart from|(?:(?:every|any)(?:thing|one|where)|(?:all|any|every)(?: \w+)?) but"
    r"|(?:do not|don't) (?:show|list|include|want)|(?:i|we) (?:(?:do|would) not|(?:do|would)n't) (?:want|like)"
    r"|not interested in|rather not (?:read|see|have|use)"
    r"|(?<![a-z] )(?:skip|hide|omit|ignore|leave out)|minus|avoid|not including"
)
_NOT = re.compile(
    r"(?:\b(?:not|never|nothing|neither|nor|outside|none of|(?<=\w )(?:is|are|was|were)n't|(?:should|must)n't"
    rf"|doesn't have|(?:no|without|{_EXCEPT})(?: \w+(?= from))?)"
    r"(?: (?:from|in|on|at|with|for|by|any|the|those|an?|about|updated|written|published|of|yet|been|be))*\s?"
    r"|(?:^|(?<=\s))-|≠\s*"
    r"|(?:不(?:想要|考虑|[要是看含带在]|包括|支持|属于|[产来出源]自|[位处]于)|除[了去]?|排除|跳过|忽略|去掉|剔除|避[开免]|别[要看]"
    r"|(?<![有会能们我你他她])没有?|[非无未])(?:来自|支持|带|在|有)?)$"
)
_NOT_AFTER = re.compile(
    r"(?:[、和与及][一-鿿\d]{1,6}?){0,3}年?的?(?:除外|以外|之外|(?:不[要算看]|不考虑)(?=$|[^\w\s]|的))"
    r"|(?:\s(?:and|or)\s\w+)?(?:\s\w+)?(?:\s(?:is|are))?(?:\sexcluded|(?:\snot|n't) (?:what i|wanted))"
)
_NEGATION = re.compile(
    r"\b(?:\w+n't|not|cannot|never|no(?!-)|nor|neither|none|nothing|nobody|without|hardly|barely|rarely|seldom|unless|unlike"
    r"|whether|regardless|instead of|rather than|unable|impossible|unlikely|doubt|hates?|dislikes?|refuses?|avoids?"
    r"|lacks?|allergic|(?:tired|sick|out) of|enough|less|fewer|stop \w+ing|too \w+ (?:for|to))\b"
    r"|≠|(?<![级类性分特区个差识])别(?![的人墅名处])|无(?![线锡])|非(?![常洲])|未(?!来)"
    r"|不(?![锈过错同断]|[太很够]?[辣贵甜咸大小长短高低多少难冷热重轻远]的)|[没勿莫除]|避[开免]|讨厌|拒绝|难道"
)
"""Words whose scope is the rest of their clause."""
_HEDGES = "maybe|perhaps|possibly|probably|likely|apparently|preferably|ideally|optionally|if"
_WEAK = re.compile(
    r"\b(?:(?:may|might)(?! (?:i|we)\b)|(?:can|could)(?= (?:\w+ )?be\b)|(?:need|did|does|do)(?= not\b)"
    rf"|(?:there (?:is|are)|(?:we|i) have)(?= no\b)|{_HEDGES})\b"
    r"|可[能以](?=[不没是超高低多少大小早晚])|也许|或许|大概|好像|似乎|估计|最好|尽量|优先|如果|要是|假如|[哪即]怕|即[使便]|何[必苦须]|宁[可愿肯]|与其"
)
"""Words whose scope is what follows soon: preferably from HR."""
_COMPARED = re.compile(r"\b(?:than|above|below|over|under|beyond|double|half|twice|far|near)\b|比(?!如)")
_SCOPES = ((_NEGATION, 1000), (_WEAK, 5), (_COMPARED, 2))
"""Words of which it is not known what they do to a condition behind them, and the words that may be between."""
_OPEN = re.compile(
    r"\b(?:with or without|whether or not|why not)\b|不是(?=[^，。；]*(?:[吗么]|就是))|(?:怎么|为什么|何)[不没]"
)
"""Negations that demand and exclude nothing."""
_DOUBTED = re.compile(
    r"[\s　]*(?:or (?:not|otherwise)\b|preferred\b|aside\b|(?:\w+ ){0,2}would be\b|与否"
    r"|\W{0,2}no,? thank|,? but (?:i|we) (?:don't|do not)\b"
    rf"|,? (?:{_HEDGES})\b|的?也(?:可以|[能行])"
    r"|(?:有无)?的?[也都]?(?:可以|行|没关系|随便|无所谓|可有可无|就?[算免]了)(?=$|[^\w\s])"
    r"|(?:(?:is|are|was|were|would|will|do|does|did|has|have|had|can|could|need|must|should|we|i|you|they|he|she|it)\s?)*"
    r"(?:\w*n't|not|never|hardly|cannot|might|may|(?:be )?(?:fine|ok|optional|unnecessary|irrelevant|out))\b"
    r"|[我你他她们都也还真的是就]{0,4}(?:太|(?!(.)[不没]\1)[一-鿿]?[不没未无]))"
)
"""Behind a condition, what takes it back: HR is not a must, 手表我们没有."""
_WORDS = re.compile(r"[a-z0-9][\w'-]*|[一-鿿]")
_LETTER = re.compile(r"\s?([a-z])\b")
"""A unit that is read only beside a field: 500 g."""
_COUNTED = re.compile(r"\s?(?!(?:or|and|nor)\b)\w")
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|circa|nearly|almost)\s|大?约|大概|差不多|第|(?<![最附])近)$"
)
_ABOUT_AFTER = re.compile(r"\s?(?:左右|上下|前后|[那这]么|or so\b)")
"""Before and behind a number or day that is not meant exactly."""
_EXCLUDED = re.compile(
    rf"\b(?:{_EXCEPT}|not from)(?: (?:for|from|in|the|those|documents))* "
    r"(?P<words>\w+(?:(?:, | and | or | nor )\w+)*)"
    r"|除了?(?P<besides>[^，。？除]{2,16}?)(?:以外|之外|外)|(?:不要|不看|排除|不含|不包括|非(?!常))(?P<without>[^，。？]{2,8}?)的"
    r"|(?P<outside>[一-鿿]{2,6}?)(?:以外|之外|除外)"
)
"""Words that a question excludes."""
_OR_WORD = re.compile(r"(?:,?\s(?:or|nor)\s|或者?|还是)(?:the )?(?P<words>[a-z]\w+|[一-鿿]{2,4})")
_WORD_OR = re.compile(r"(?P<words>\b[a-z]\w+)\s(?:or|nor)\s$")
_PIECE = re.compile(
    r"\b(?!(?:and|or|nor|neither|not|one|those|from|in|an?|the|any|by|on|of|under|over)\b)[a-z0-9][\w-]*|[^\x00-\x7f、和与或及的]+"
)
_OR = re.compile(r",?\s?(?:or|或者?|还是|要么)\s?")
_ASKED = re.compile("有没有|是不是|支不支持|能不能|带不带|要不要")
"""Questions of yes or no: their negation is none."""
_BETWEEN, _AND = re.compile(r"(?:between|介于)\s?$"), re.compile(r"\s?(?:and|和|与|到|至)\s?")
_TO = re.compile(r"\s?(?:(?:back |up )?to|through|until|till|到|至|[-–—~])\s?")
_JOINT = re.compile(r"[、,/]\s?(?:(?:or|and|nor)\s)?|\s?(?:or|and|nor|和|或者?|与|及|以及|还是)\s?")
_NAME_PARTS = re.compile(r"[\s_\-()（）\[\]/.]+")
_TRUE, _FALSE = ("true", "yes", "是", "有"), ("false", "no", "否", "无")
_UN = ("un", "in", "non", "non-", "non ", "not-")
_NOT_WITHIN = (" not ", " is not ", " are not ", " isn't ", " aren't ")
"""Negations within the name of a field of yes and no: pets not allowed."""
_YEAR = re.compile(r"[0-9〇零一二三四五六七八九]{4}")
_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARS = re.compile(
    rf"(?:{_BARE_YEAR.pattern}\s?(?:[、,/~到至和与或及–—-]|to|through|and|or)\s?)+{_BARE_YEAR.pattern}(?!\d)"
)
"""Years in a row, which need no word before them, and perhaps only one 年."""
_UNCOUNTED = ("", "years", "hours")
"""Units that a year may seem to have: 2024年, 2024 HR policies."""
_INFLECTED = re.compile(r"\b[a-z]{2,}(?:s|ed)\b")
_CLAUSE = re.compile(r"[,;:?!。，；：？！]|\.(?=\s|$)")
_SCOPE_END = re.compile(
    rf"{_CLAUSE.pattern}|(?<!thing )(?<!one )(?<!where )\bbut\b|\b(?:although|though|because|while|whereas)\b"
    "|但|可是|不过|然而|因为|所以"
)
_LISTS = re.compile(rf"\b(?:{_EXCEPT})\b|除|不[要看含]|不包括|跳过|忽略|去掉|别[要看]")
"""What excludes all that is listed behind it, whatever its field."""
_ABSENT = re.compile(r"(?:\b(?:without|no|lacking|missing)(?: (?:an?|any|the))?\s|没有|无|缺少?|未标?)$")
_IS_ABSENT = re.compile(
    r"\s?(?:(?:is|are)\s)?(?:(?P<present>known|given|set\b|not (?:missing|unknown|empty)|已知|不为空)"
    "|missing|unknown|empty|not (?:given|known|set)|缺失|不详|未知|为空)"
)
_WORD = r"(?:[a-z0-9][\w-]*|(?![和与或及的有在])[一-鿿]{1,6}?(?=的|[和或与且但也]|[^\w\s]|$))"
_GIVEN = re.compile(
    rf"\s?(?:(?P<sign>[:=]|(?:is|are)\b|不?是|为)|of\b)?\s?(?P<no>not\s)?(?:the\s)?(?P<words>{_WORD}"
    rf"(?:(?:[、/]|,\s(?=[\w-]+(?:,|$| and | or ))|\s?(?:or|and|和|或者?|与)\s?){_WORD})*)"
)
"""Words behind the name of a field: topic Security, 来源是论坛."""
_ENDS = re.compile(r"\s*(?:$|[^\w\s]|[的和或与且但]|(?:and|or|but|in|from|since|before|after|with|until)\b)")
"""What ends the words of a condition."""
_ASKS = re.compile(r"\b(?:what|which|whose|how|who|where|why)\b|什么|怎|哪|几|多少|如何|为何|谁|吗|是否")
_DENIED = re.compile(
    r"\s?(?:[:=]|is|是|为)?\s?(?:false|no\b|否|无(?!所谓)|不支持"
    r"|(?:not|没有)(?=\s*(?:$|[^\w\s]|的|supported\b|available\b)))"
)
_PART = "(?:early|late|mid|around|circa|season|spring|summer|autumn|fall|winter|christmas|easter)"
_PART_BEFORE, _PART_AHEAD = (
    re.compile(
        rf"\b(?:{_PART}(?:(?: (?:of|in))? | ?[-–] ?)?|(?:fy|fiscal|financial|academic|school|tax) (?:year )?"
        r"|(?:the )?(?:\w+ ){0,2}(?:\w*days?|weeks?|weekends?|months?|quarters?|middle|part) (?:of|in) (?:the )?)$"
    ),
    re.compile(rf"{_PART}\b"),
)
_FEASTS = "春节|元旦|除夕|清明|端午|中秋|国庆|五一|圣诞|[寒暑]假"
_PART_AFTER = re.compile(
    r"年?的?(?:初|底|末|中(?=$|[的到至、，。])|[春夏秋冬][天季]?(?![节运招游])|[上中下]旬|[财学]年|第[^\W\d]+[周天]"
    rf"|{_FEASTS})|[ -](?:christmas|easter|fiscal|season)\b"
)
"""Parts of a year or month that nobody has fixed."""
_VAGUE = re.compile(
    r"\bfy ?'?\d+|\b(?:fiscal|financial|academic|school|tax) years?\b|\b(?:weekends?|weekdays?|(?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)days?|recent(?:ly)?|newly|lately|(?:some|several|many|long|a while|a few)(?: \w+)? ago|at night"
    r"|christmas|easter|the (?:day|week|month|year|night) (?:of|when|after|before))\b"
    rf"|周末|工作日|最近|近期|近来|新(?=发布|出|上)|[财学]年|(?:{_FEASTS})(?:期间)?"
)
"""Times that are no stretch of days."""
_ORDER = re.compile(
    r"\b(?:(?P<age>newest|latest|youngest|most recent)|oldest|earliest|highest|lowest|longest|shortest|cheapest|largest"
    r"|smallest|biggest|fewest|(?:most|least) expensive)\b"
    r"|(?P<age_in_chinese>最(?:新|近的))|最(?:[旧早晚高低长短大小多少贵快慢]|便宜)"
)
"""Words that ask for an order of the list: newest, 最便宜."""
_EXACT = {(">=", "初"), ("<", "初"), ("<=", "底"), ("<=", "末"), (">", "底"), (">", "末")}
"""Comparisons with the start or the end of a year."""
_NUMBER_LINKS = "|".join(
    [*_BEFORE.values(), *_AFTER.values(), _EXCEPT, "not|is|are|should|must|be|of|the|an?|是|为|的"]
)
_BESIDE_NUMBER = re.compile(f"(?<![a-z])(?:{_NUMBER_LINKS})(?![a-z])")
"""Words between a number and its field that are about neither."""
_DAY_LINKS = "|".join([*_DAYS_BEFORE.values(), "those|any|with|by|来自|在"])
_LINKS = re.compile(f"(?<![a-z])(?:{_NUMBER_LINKS}|{_DAY_LINKS})(?![a-z])")
"""Words between two conditions that are about neither."""


class Stated(NamedTuple):
    """A comparison that ``text[start:end]`` of a question states; ``listed``: excluded with the one before it.

    ``marks`` are the place with the words of the comparison, and those of its negations.
    """

    start: int
    end: int
    comparison: Test
    marks: tuple[Place, ...] = ()
    listed: bool = False

    @property
    def whole(self) -> Place:
        """The start and the end with all marks."""
        return min(a for a, _ in self.marks), max(b for _, b in self.marks)


@dataclass(frozen=True, slots=True)
class QuestionConditions:
    """What a question demands of the fields: the condition, where it is stated, and what was not used.

    ``unused`` are the parts that may be meant as a condition and are not read; ``orders`` are those of them that ask
    for the newest.  ``searched`` are the other numbers, days, values and negations, which are only words.
    ``checked`` is the result of the condition for the list; ``problem`` is why a model's answer was not used.
    """

    condition: Condition | None
    stated: tuple[Stated, ...] = ()
    unused: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    checked: Checked | None = None
    problem: ModelError | None = None


# ------------------------------------------------------------------------------------------------ by the rule


def values_of(corpus: Corpus, name: str) -> list[str]:
    """Returns the different values of a field, the longest first."""

    def find() -> list[str]:
        values = {str(v).strip() for document in corpus for v in elements(document.metadata.get(name))}
        return sorted(values, key=lambda value: (-len(value), value))

    return corpus.once(("values in questions", name), find)


def _has_lists(corpus: Corpus, name: str) -> bool:
    """Returns whether a field has lists, such as tags: their words are topics unless the question names the field."""
    return corpus.once(("lists", name), lambda: any(isinstance(d.metadata.get(name), list) for d in corpus))


def _name_parts(name: str) -> list[str]:
    return [part for part in _NAME_PARTS.split(half_width(re.sub("(?<=[a-z])(?=[A-Z])", " ", name))) if part]


def _is_unit(word: str) -> bool:
    return read_unit(word, 0) == len(word)


def _name_forms(name: str) -> list[str]:
    """Returns the words for a field, the longest first: its name, and that without its unit and “is”, “has”."""
    parts = _name_parts(name)
    bare = [part for part in parts if not _is_unit(part) and part not in ("is", "has", "是否", "in")]
    forms = [" ".join(parts), " ".join(bare)]
    forms += [re.sub("^是否", "", form) for form in forms]
    forms += [re.sub("^(?:支持|有|含|带)", "", form) for form in forms]
    forms += [re.sub("(?:日期|时间|期限|期| date| at)$", "", form) for form in forms]
    forms += [form.replace(" ", "-") for form in forms]
    return sorted({form for form in forms if len(form) > 1}, key=len, reverse=True)


class Rule:
    """Reads the conditions of one question: first days, then numbers, then words, each where nothing was read yet."""

    def __init__(self, question: str, corpus: Corpus, readings: Sequence[FieldReading], as_of: date | None) -> None:
        self.question, self.corpus, self.as_of = question, corpus, as_of
        self.text = _ASKED.sub(lambda m: "　" * len(m[0]), half_width(question).replace("!=", "≠ ").replace("’", "'"))
        self.stated, self.unused = list[Stated](), list[Place]()
        self.quoted = [(m.start() + 1, m.end() - 1) for m in QUOTES.finditer(self.text)]
        self.flags, self.named = set[str](), {r.name: self.name_places(r.name) for r in readings}
        """Where the question names each field."""
        self.in_names = {i for places in self.named.values() for place in places for i in range(*place)}
        numbers = [reading.name for reading in readings if reading.kind == NUMBER]
        self.counted = [
            (a.start, a.end) for a in self.amounts() if measure(a.unit)[0] not in _UNCOUNTED or self.near(a, numbers)
        ]
        self.read_days([reading for reading in readings if reading.kind == DAY])
        self.read_numbers(numbers)
        names = [
            reading.name
            for reading in readings
            if reading.kind == TEXT and (self.named[reading.name] or not _has_lists(corpus, reading.name))
        ]
        for name in names:
            self.read_words(name, values_of(corpus, name))
        self.read_absent()
        self.read_parts(names)
        self.stated.sort(key=lambda s: s.start)
        self.spread_exclusions()
        self.name_doubtful()
        kinds = {reading.kind for reading in readings}
        orders = [m for m in _ORDER.finditer(self.text) if kinds & {DAY, NUMBER} and not self.is_used(*m.span())]
        vague = [m for m in _VAGUE.finditer(self.text) if DAY in kinds and not self.is_used(*m.span())]
        self.unused += [m.span() for m in (*orders, *vague)]
        self.orders = self.parts(m.span() for m in orders if DAY in kinds and m.lastgroup)
        self.searched = self.parts(self.rest(readings))

    @property
    def conditions(self) -> QuestionConditions:
        fields = dict.fromkeys(s.comparison.field for s in self.stated)
        parts = {name: combine(All, *self.of_field(name)) for name in fields}
        for first, second in pairwise(self.stated):
            a, b = first.comparison, second.comparison
            joint = _OR.match(self.text, self.after_name(first.end, a.field))
            near = joint and (second.start - first.end <= NEAR + 2 or self.is_linked(joint.end(), second.start))
            if near and not second.listed and a.field != b.field and {a.field, b.field} <= parts.keys():
                parts[b.field] = combine(AnyOf, parts.pop(a.field), parts[b.field])
        condition = combine(All, *parts.values()) if parts else None
        return QuestionConditions(condition, tuple(self.stated), self.parts(self.unused), self.orders, self.searched)

    def parts(self, places: Iterable[Place]) -> tuple[str, ...]:
        """Returns the parts of the question at these places, those that overlap as one."""
        joined = list[Place]()
        for start, end in sorted(places):
            if joined and start <= joined[-1][1]:
                start, end = joined[-1][0], max(end, joined.pop()[1])
            joined.append((start, end))
        return tuple(self.question[start:end] for start, end in joined)

    def rest(self, readings: Sequence[FieldReading]) -> Iterator[Place]:
        """Yields the numbers, days, values and negations of the question that are neither read nor named as unused."""
        names = [r.name for r in readings if r.kind == TEXT and len(values_of(self.corpus, r.name)) <= MOST]
        values = (v for name in names for v in values_of(self.corpus, name) if len(v) > 1)
        places = [at for v in values for at in self.places(v) if _is_written(self.question, v, *at)]
        places += [(a.start, a.end) for a in self.amounts() if not self.splits_word(a.start)]
        days = (read_days(self.text, m.start(), date.today(), bare=True) for m in ANY_DAYS.finditer(self.text))
        places += [(d.start, d.end) for d in days if d] + [m.span() for m in _NEGATION.finditer(self.text)]
        yield from (at for at in places if not self.is_used(*at) and at[0] not in self.in_names)

    def is_used(self, start: int, end: int, *, named: bool = True) -> bool:
        """Returns whether a place is part of a condition, with its negations, or else ``named`` as unused."""
        used = (*(self.unused if named else ()), *(at for s in self.stated for at in s.marks))
        return any(start < b and a < end for a, b in used)

    def name_doubtful(self) -> None:
        """Names, instead of applying, what a negation or modal verb governs that is not read, and what is listed."""
        doubts = [self.doubt(s) for s in self.stated]
        pairs = [*enumerate(pairwise(self.stated))]
        for i, (a, b) in [*pairs, *reversed(pairs)]:
            (_, end), (start, _) = a.whole, b.whole
            linked = start < end or self.is_linked(end, start)
            listed = linked or _JOINT.fullmatch(self.text, end, start)
            before = (doubts[i] or a.whole)[0] < a.whole[0]
            governed = before and not _SCOPE_END.search(self.text, end, start)
            if governed or (listed and (doubts[i] or doubts[i + 1])) or self.excludes_together(a, b, linked=linked):
                doubts[i], doubts[i + 1] = doubts[i] or a.whole, doubts[i + 1] or b.whole
                self.unused.append((end, max(start, end)))
        self.unused += filter(None, doubts)
        self.stated = [s for s, doubt in zip(self.stated, doubts, strict=True) if not doubt]

    def doubt(self, stated: Stated) -> Place | None:
        """Returns the place of a condition and of what it is not known to do to it; None if nothing does."""
        start, end = stated.whole
        begin = max((m.end() for m in _SCOPE_END.finditer(self.text, 0, start)), default=0)
        cues = [m.start() for m in _OPEN.finditer(self.text, begin) if m.start() < stated.start]
        for pattern, most in _SCOPES:
            spans = (m.span() for m in pattern.finditer(self.text, begin) if m.end() <= start)
            near = (at for at in spans if len(_WORDS.findall(self.text, at[1], start)) <= most)
            cues += [at[0] for at in near if at[0] not in self.in_names and not self.is_used(*at, named=False)]
        after = _DOUBTED.match(self.text, self.after_name(end, stated.comparison.field))
        if after and self.is_used(after.end() - 1, after.end(), named=False):
            after = None
        return (min([start, *cues]), after.end() if after else end) if cues or after else None

    def excludes_together(self, a: Stated, b: Stated, *, linked: bool) -> bool:
        """Returns whether an exclusion may hold for both at once (不要2023年的川菜), or whether two contradict."""
        if not linked or b.listed:
            return a.comparison == replace(b.comparison, negated=not b.comparison.negated)
        words = [self.text[start:end] for start, end in a.marks[1:]]
        ahead = any(_LISTS.search(mark) or mark.startswith(("no ", "without")) for mark in words)
        behind = any(start >= b.end for start, _ in b.marks[1:])
        if a.comparison.negated == b.comparison.negated:
            return any(mark[0] == other[0] for mark in a.marks[1:] for other in b.marks[1:])
        return ahead if a.comparison.negated else behind

    def of_field(self, name: str) -> Iterator[Condition]:
        """Yields the conditions on a field; what is joined by “or”, or fits no value at once, are alternatives."""
        kept, excluded, end = list[list[Test]](), list[Condition](), 0
        for stated in (s for s in self.stated if s.comparison.field == name):
            test = stated.comparison
            if test.negated:
                excluded.append(test)
            elif kept and (test in kept[-1] or (not _OR.match(self.text, end) and _overlap([*kept[-1], test]))):
                kept[-1] = [*dict.fromkeys((*kept[-1], test))]
            else:
                kept.append([test])
            end = stated.end
        if kept:
            yield combine(AnyOf, *_merged([combine(All, *tests) for tests in kept]))
        yield from _merged(excluded)

    def spread_exclusions(self) -> None:
        """Excludes what is listed with an exclusion: not from HR or IT, except in 2023 and the forum."""
        lists = False
        for i, stated in enumerate(self.stated[1:]):
            before, test = self.stated[i], stated.comparison
            lists = lists or _LISTS.search(self.text, max(0, before.start - 32), before.start) is not None
            joint = _JOINT.match(self.text, before.end)
            alike = before.comparison.field == test.field
            excluded = before.comparison.negated or (lists and before.comparison.field in self.flags)
            if not excluded or joint is None or not self.is_linked(joint.end(), stated.start):
                lists = False
            elif alike or (lists and joint[0].strip() not in (",", "/") and test.op in (EQUAL, BETWEEN)):
                self.stated[i + 1] = stated._replace(comparison=replace(test, negated=True), listed=True)

    def is_linked(self, start: int, end: int) -> bool:
        """Returns whether only names of fields and words of comparison are between two places."""
        text = "".join(c for i, c in enumerate(self.text[start:end], start) if i not in self.in_names)
        return start <= end and not _LINKS.sub("", text).strip()

    def name_places(self, name: str) -> list[Place]:
        """Returns where the question names a field, also in another number and as a participle: tag, tags, tagged."""
        forms = _name_forms(name)
        forms += [form[:-1] for form in forms if form.isascii() and form.endswith("s")]
        places = [at for form in forms for at in self.places(form)]
        stems = {stem_of(form) for form in forms if form.isascii() and form.isalpha() and len(form) > 2}
        words = (m for m in _INFLECTED.finditer(self.text) if stems and stem_of(m[0]) in stems)
        return [*places, *(m.span() for m in words if m.span() not in places)]

    def places(self, words: str) -> Iterator[Place]:
        """Yields where words stand in the question, Latin ones as whole words."""
        words = half_width(words).strip()
        at = self.text.find(words) if words else -1
        while at >= 0:
            end = at + len(words)
            if not (self.splits_word(at) or self.splits_word(end)):
                yield at, end
            at = self.text.find(words, at + 1)

    def splits_word(self, at: int) -> bool:
        """Returns whether a place is inside a Latin word or a number."""
        a, b = self.text[at - 1 : at] if at else "", self.text[at : at + 1]
        return bool(a and b) and all(c.isascii() and c.isalnum() for c in (a, b))

    def is_free(self, start: int, end: int) -> bool:
        """Returns whether a place is not read yet, and no part of a title in quotation marks."""
        inside = any(a <= start and end <= b and (a, b) != (start, end) for a, b in self.quoted)
        taken = (*self.unused, *((s.start, s.end) for s in self.stated))
        return not inside and not any(start < b and a < end for a, b in taken)

    def is_negated(self, start: int, end: int, name: str = "") -> bool:
        """Returns whether a condition is excluded, before it, behind it or before the name of its field."""
        *before, behind = self.negations(start, end, name)
        around = any(before) and "除" in self.text[max(0, start - NEAR) : start]  # 除了…以外 excludes once
        return around or any(len(places) % 2 for places in before) != bool(behind)

    def negations(self, start: int, end: int, name: str) -> list[list[Place]]:
        """Returns the negations before a condition, before each name of its field, and behind it."""
        names = ((a, b) for a, b in self.named.get(name, ()) if 0 <= start - b < 64)
        starts = [start, *(a for a, b in names if self.is_linked(b, start))]
        behind = _NOT_AFTER.match(self.text, self.after_name(end, name))
        return [*map(self.negations_before, starts), [behind.span()] if behind else []]

    def negations_before(self, at: int, most: int = 4) -> list[Place]:
        """Returns the negations right before a place, at ``most`` so many: two in 不要没有, which demands."""
        negation = _NOT.search(self.text, max(0, at - 32), at) if most else None
        return [negation.span(), *self.negations_before(negation.start(), most - 1)] if negation else []

    def after_name(self, at: int, name: str) -> int:
        """Returns where the name of a field ends that stands right here, or this place."""
        return max(
            (b for a, b in self.named.get(name, ()) if a >= at and self.text[at:a].strip() in ("", "of", "的")),
            default=at,
        )

    def is_rough(self, start: int, end: int) -> bool:
        """Returns whether a number or day is not meant exactly, and names it as unused then."""
        before, behind = _ABOUT.search(self.text, max(0, start - 32), start), _ABOUT_AFTER.match(self.text, end)
        if before or behind:
            self.unused.append((before.start() if before else start, behind.end() if behind else end))
        return bool(before or behind)

    def state(self, at: Place, test: Test, extent: Place | None = None) -> None:
        """Takes a condition at a place; ``extent`` is the place with the words of its comparison."""
        first, last = extent or at
        negations = (n for start in (first, at[0]) for n in self.negations(start, last, test.field))
        marks = (min(first, at[0]), max(last, at[1])), *chain.from_iterable(negations)
        self.stated.append(Stated(*at, test, marks))

    def sign(self, start: int, end: int, before: Sequence[Words], after: Sequence[Words]) -> tuple[str, int, int]:
        """Returns the comparison that the words around a number or day express, and where it begins and ends."""
        area = max(0, start - 24), start
        ends = ((sign, m.end()) for sign, pattern in after if (m := pattern.match(self.text, end)))
        starts = ((sign, m.start()) for sign, pattern in before if (m := pattern.search(self.text, *area)))
        (behind, end), (ahead, start) = next(ends, ("", end)), next(starts, ("", start))
        return behind or ahead, start, end

    # ---------------------------------------------------------------------------------------- words

    def read_words(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of words: each of its values in the question is demanded, after a negation excluded."""
        folded_values = {half_width(value).strip() for value in values}
        if folded_values and folded_values <= {*_TRUE, *_FALSE}:
            self.flags.add(name)
            self.read_flag(name, values)
            return
        for value in values if len(values) <= MOST else ():
            for start, end in self.places(value) if len(value) > 1 else ():
                if self.is_free(start, end) and _is_written(self.question, value, start, end):
                    self.state((start, end), Test(name, EQUAL, (value,), self.is_negated(start, end, name)))

    def read_flag(self, name: str, values: Sequence[str]) -> None:
        """Reads a field of yes and no: its name in the question demands yes, after a negation no."""
        forms = [prefix + form for form in _name_forms(name) for prefix in _UN]
        forms += [re.sub(" (?=[^ ]+$)", no, form) for form in _name_forms(name) if " " in form for no in _NOT_WITHIN]
        opposites = [at for form in forms for at in self.places(form)]
        for start, end in [*opposites, *(at for form in _name_forms(name) for at in self.places(form))]:
            if self.is_free(start, end):
                denial = _DENIED.match(self.text, end)
                denied = ((start, end) in opposites) != self.is_negated(start, end) or denial
                words = _FALSE if denied else _TRUE
                value = next((v for v in values if half_width(v).strip() in words), words[0])
                self.state((start, end), Test(name, EQUAL, (value,)), (start, denial.end() if denial else end))

    def read_parts(self, names: Sequence[str]) -> None:
        """Reads words that are excluded, given for a field or joined by “or” as the only value that contains them."""
        rest: list[tuple[Place, Sequence[str], bool]]
        rest = [(m.span(m.lastgroup or 0), names, True) for m in _EXCLUDED.finditer(self.text)]
        for s in self.stated:
            name, m = s.comparison.field, _OR_WORD.match(self.text, s.end) or _WORD_OR.search(self.text, 0, s.start)
            if name in names and m:
                rest.append((m.span("words"), [name], False))
        rest += [(span, [name], no) for name in names if name not in self.flags for span, no in self.given(name)]
        pieces = [(m.span(), names, no) for span, names, no in rest for m in _PIECE.finditer(self.text, *span)]
        for (start, end), fields, negated in pieces:
            words = re.escape(self.text[start:end])
            part = re.compile(rf"\b{words}\b" if words.isascii() else words)
            values = [(name, v) for name in fields for v in values_of(self.corpus, name) if part.search(half_width(v))]
            values = [v for v in values if part.fullmatch(half_width(v[1]))] or values
            if len(values) == 1 and self.is_free(start, end):
                self.state((start, end), Test(values[0][0], EQUAL, (values[0][1],), negated))
            elif self.is_free(start, end) and start not in self.in_names:
                self.unused.append((start, end))

    def given(self, name: str) -> Iterator[tuple[Place, bool]]:
        """Yields each word that a question gives for a field, and whether it is excluded: source is not Wiki."""
        asks = _ASKS.search(self.text)
        for start, end in self.named[name]:
            m = _GIVEN.match(self.text, end)
            if m is None or self.splits_word(m.start("words")) or (asks and m["sign"] not in (":", "=")):
                continue
            at, clause = m.start("words"), re.split(_CLAUSE, self.text[:start])[-1].strip()
            alone = clause in ("", "的") and _ENDS.match(self.text, m.end())
            if m["sign"] or self.question[at].isupper() or alone:
                yield m.span("words"), bool(m["no"] or m["sign"] == "不是")

    def read_absent(self) -> None:
        """Reads the fields that a question wants to be empty: without a rating, 没有评分的."""
        for name, places in ((name, places) for name, places in self.named.items() if name not in self.flags):
            stated = [s.start for s in self.stated if s.comparison.field == name]
            for start, end in places:
                near = any(-NEAR < at - end < 2 * NEAR for at in stated)
                behind = _IS_ABSENT.match(self.text, end)
                before = _ABSENT.search(self.text, max(0, start - 16), start)
                if near or not (behind or before) or not self.is_free(start, end):
                    continue
                if behind or _ENDS.match(self.text, end):
                    last = behind.end() if behind else end
                    self.state((start, last), Test(name, MISSING, (), bool(behind and behind["present"])))
                else:
                    self.unused.append((start, end))

    # -------------------------------------------------------------------------------------- numbers

    def read_numbers(self, names: Sequence[str]) -> None:
        """Reads fields of numbers; an amount that belongs to none, or to several, is not used."""
        for amount in self.amounts():
            start, end = amount.start, amount.end
            if not self.is_free(start, end) or self.splits_word(start):
                continue
            sign, first, last = self.sign(start, end, _BEFORE_NUMBER, _AFTER_NUMBER)
            near = self.near(amount, names) or self.listed(amount)
            if near and self.is_rough(start, end):
                continue
            if near and not sign:  # 6 credits or more
                behind = self.after_name(end, near[0][1])
                sign, _, last = self.sign(behind, behind, (), _AFTER_NUMBER)
            only = near and near[0][0] not in [d for d, _ in near[1:]]
            if numbers := _in_unit_of(amount, self.corpus, near[0][1]) if only else []:
                op = BETWEEN if len(numbers) == 2 else sign or EQUAL
                negated = self.is_negated(first, last, near[0][1])
                self.state((start, last), Test(near[0][1], op, tuple(numbers), negated), (first, last))
                continue
            beside = any(self.distance(amount, name) < FAR for name in names)
            if amount.unit or sign or beside or _BARE_YEAR.fullmatch(self.text, start, end):
                self.unused.append((start, end))

    def listed(self, amount: Quantity) -> list[tuple[int, str]]:
        """Returns the field of the number that a bare number is listed with: rating of 3 stars or 5."""
        last = max((s for s in self.stated if s.end <= amount.start), default=None)
        if last is None or amount.unit or not _JOINT.fullmatch(self.text, last.end, amount.start):
            return []
        is_number = field_reading(self.corpus, last.comparison.field).kind == NUMBER
        return [(0, last.comparison.field)] if is_number and not _COUNTED.match(self.text, amount.end) else []

    def amounts(self) -> Iterator[Quantity]:
        """Yields the amounts of a question; the two of “between 100 and 300” as one."""
        left = quantities(self.text)
        while left:
            amount = left.pop(0)
            if not amount.unit and (letter := _LETTER.match(self.text, amount.end)) and _is_unit(letter[1]):
                amount = replace(amount, unit=letter[1], end=letter.end())
            place = (amount.end, left[0].start) if left and amount.high is None else (0, 0)
            between = _AND.fullmatch(self.text, *place) and self.is_between(amount.start, left[0].end)
            if between or _TO.fullmatch(self.text, *place):
                second = left.pop(0)
                amount = replace(second, start=amount.start, low=amount.low, high=second.low)
            yield amount

    def is_between(self, start: int, end: int) -> bool:
        """Returns whether two limits are those of “between … and …”."""
        return bool(_BETWEEN.search(self.text, max(0, start - 12), start) or self.text.startswith("之间", end))

    def near(self, amount: Quantity, names: Sequence[str]) -> list[tuple[int, str]]:
        """Returns the fields that are named beside an amount, with their distances, the nearest first."""
        source = measure(amount.unit)[0]
        parts = [(name, part) for name in names for part in _name_parts(name) if source and _is_unit(part)]
        alike = [name for name, part in parts if convert(1.0, source, measure(part)[0]) is not None]
        distances = sorted((self.distance(amount, name), name) for name in alike or names)
        return [(distance, name) for distance, name in distances if distance < NEAR]

    def distance(self, amount: Quantity, name: str) -> int:
        """Returns the number of characters between an amount and the name of a field in the same clause.

        The words of a comparison between them do not count; without the name it is `FAR`.
        """
        best = FAR
        for start, end in self.named[name]:
            between = self.text[end : amount.start] if end <= amount.start else self.text[amount.end : start]
            between = between.strip(" :=≠")
            if amount.start < start and end <= amount.end:  # its unit: more than 10 hours
                return 0
            if _CLAUSE.search(between) or between.startswith("with") or (start < amount.end and amount.start < end):
                continue
            best = min(best, len(_BESIDE_NUMBER.sub("", between).strip()) + (end > amount.start))
        return best

    # ----------------------------------------------------------------------------------------- days

    def read_days(self, readings: Sequence[FieldReading]) -> None:
        """Reads fields of days; a day that belongs to none, or to several, is not used."""
        at = end = 0
        while at < len(self.text):
            listed = (end and _JOINT.fullmatch(self.text, end, at)) or _YEARS.match(self.text, at)
            before = any(pattern.search(self.text, max(0, at - 24), at) for _relation, pattern in _BEFORE_DAYS)
            before |= any(p.match(self.text, at + 4) for _, p in _AFTER_DAYS if _BARE_YEAR.match(self.text, at))
            counted = any(first <= at < after for first, after in self.counted)
            reading = self.day_field(at, readings)
            latest = self.as_of or _latest(self.corpus, reading)
            bare = not counted and bool(listed or before or self.is_negated(at, at))
            days = read_days(self.text, at, latest, bare=bare)
            if days is None or not self.is_free(days.start, days.end):
                at += 1
                continue
            sign, start, end = self.sign(days.start, days.end, _BEFORE_DAYS, _AFTER_DAYS)
            part = self.part(days.start, sign, end)
            if period := self.period(days, sign, end, latest):
                days, sign, end, part = period, "", period.end, self.part(days.start, "<=", period.end)
            at = end
            if part or (not sign and (days.first == days.after or self.sign(days.start, end, _BEFORE_NUMBER, ())[0])):
                self.unused.append(part or (days.start, end))
                at = max(at, self.unused[-1][1])
            elif reading and (sign or _YEAR.search(self.text, days.start, days.end) or self.named[reading.name]):
                first, last = days.first.isoformat(), (days.after - timedelta(1)).isoformat()
                limits = {">=": [first], "<": [first], ">": [last], "<=": [last]}.get(sign, [first, last])
                negated = sign == "<>" or self.is_negated(start, end, reading.name) or self.is_negated(days.start, end)
                op = sign if len(limits) == 1 else BETWEEN
                if not self.is_rough(days.start, end):
                    self.state((days.start, end), Test(reading.name, op, tuple(limits), negated), (start, end))
            else:
                self.unused.append((days.start, days.end))

    def part(self, start: int, sign: str, end: int) -> Place | None:
        """Returns the place of a part of a year or month that nobody has fixed: early 2023, 2023年夏天."""
        before = _PART_BEFORE.search(self.text, max(0, start - 32), start)
        after = _PART_AFTER.match(self.text, end)
        to = _TO.match(self.text, end)
        if before or (to and _PART_AHEAD.match(self.text, to.end())) or (after and (sign, after[0][-1]) not in _EXACT):
            return before.start() if before else start, after.end() if after else end
        return None

    def period(self, days: Days, sign: str, end: int, latest: date) -> Days | None:
        """Returns the period from these days to others, as in “from 2023 to 2024”, in any order; None without others.

        A month without a year belongs to the year of the other limit.
        """
        to = _TO.match(self.text, end + self.text.startswith("初", end))
        joint = to or _AND.match(self.text, days.end)
        last = read_days(self.text, joint.end(), latest, bare=True) if joint else None
        if joint is None or last is None or not (to or self.is_between(days.start, last.end)):
            return None
        if days.yearless:
            days = read_days(self.text, days.start, last.after - timedelta(1), bare=True) or days
        elif last.yearless:
            last = read_days(self.text, last.start, days.first + timedelta(364), bare=True) or last
        first = days.after if sign == ">" and days.after < last.after else days.first
        end = last.end + self.text.startswith(("底", "末"), last.end)
        return Days(days.start, end, min(first, last.first), max(days.after, last.after))

    def day_field(self, at: int, readings: Sequence[FieldReading]) -> FieldReading | None:
        """Returns the field of days that is named nearest before or behind this place, or the only one."""
        named = [
            (min(abs(at - start), abs(at - end)), reading.name, reading)
            for reading in readings
            for start, end in self.named[reading.name]
        ]
        return min(named)[2] if named else readings[0] if len(readings) == 1 else None


def _comparable(value: str) -> Any:
    """Returns a number as such; days and words stay texts."""
    return value if read_number(value) is None else read_number(value)


def _overlap(tests: Sequence[Test]) -> bool:
    """Returns whether a number or day can fit all these comparisons."""
    if any(test.op == MISSING for test in tests):
        return False
    lows = [(_comparable(test.values[0]), test.op == ">") for test in tests if test.op not in ("<", "<=")]
    highs = [(_comparable(test.values[-1]), -(test.op == "<")) for test in tests if test.op not in (">", ">=")]
    return not lows or not highs or max(lows) <= min(highs)


def _merged(conditions: Sequence[Condition]) -> list[Condition]:
    """Returns the conditions, those of several values as one."""
    equal = [test for test in conditions if isinstance(test, Test) and test.op == EQUAL]
    values = tuple(dict.fromkeys(test.values[0] for test in equal))
    one = [replace(equal[0], op=IN, values=values) if len(values) > 1 else equal[0]] if equal else []
    return [*one, *dict.fromkeys(condition for condition in conditions if condition not in equal)]


def _is_written(question: str, value: str, start: int, end: int) -> bool:
    """Returns whether a short Latin value has its own capitals in the question: IT is not it, US is not us."""
    return len(value) > 3 or not value.isascii() or not value.isalpha() or question[start:end] == value


def _in_unit_of(amount: Quantity, corpus: Corpus, name: str) -> list[str]:
    """Returns the numbers of an amount in the unit of a field, as a condition has them; none if that is not known.

    The unit stands in the name of the field.  If it does not, the numbers are those of the field if they are of its
    size: 24 months are not 24 of a field with 1, 2 and 3.
    """
    target = next((part for part in _name_parts(name) if _is_unit(part)), "")
    (source, scale), (wanted, size) = measure(amount.unit), measure(target)
    if not amount.unit or amount.measure == name:
        return [_written(value) for value in sorted(amount.values)]
    if target and source:
        numbers = [convert(value * scale, source, wanted) for value in sorted(amount.values)]
        return [_written(number / size) for number in numbers if number is not None]
    field_numbers = [n for value in values_of(corpus, name) if (n := read_number(value)) is not None]
    low, high = min(field_numbers) / 2, max(field_numbers) * 2
    fits = all(low <= value <= high for value in amount.values)
    return [_written(value) for value in sorted(amount.values)] if fits else []


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.15g}"


def _latest(corpus: Corpus, reading: FieldReading | None) -> date:
    """Returns the latest day of a field; without a field today."""
    if reading is None:
        return date.today()
    values = (v for document in corpus for v in elements(document.metadata.get(reading.name)))
    return max((p.last for v in values if (p := field_period(v, reading))), default=date.today())
