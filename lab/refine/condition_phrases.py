"""The words around a condition in a question: comparisons, negations, hedges and vague times; forms of a name."""

from __future__ import annotations

import re

from lab.text import HAN_QUESTION, half_width
from lab.text.quantities import read_unit
from lab.text.word_lists import WEEKDAYS

BEFORE = {
    ">=": "at least|no less than|not less than|a minimum of|minimum|min"
    "|(?:别|勿|不(?:能|得|可以?|应该?|要)?)(?:低于|少于|小于)|至少|起码|最[低少](?!的)|大于(?:或)?等于|>=|≥",
    "<=": "at most|no more than|not more than|up to|a maximum of|maximum|max"
    "|至多|最多|(?:别|勿|不(?:能|得|可以?|应该?|要)?)(?:超过?|高于|多于|大于)|最[高大多](?!的)|小于(?:或)?等于|<=|≤",
    ">": "more than|over|above|exceed(?:s|ing)?|longer than|higher than|greater than|larger than"
    "|超过?|大于|高于|多于|长于|贵于|重于|>",
    "<": "less than|fewer than|under|below|shorter than|lower than|cheaper than"
    "|低于|少于|小于|不到|不足|未满|不满|便宜于|轻于|短于|<",
}
AFTER = {
    ">=": "or more|or longer|or higher|or above|and up|and more|(?:at least|min|minimum)\\b|及以上|或以上|以上|起|[+]",
    "<=": "or less|or fewer|or under|or shorter|(?:at most|max|maximum)\\b|及以下|或以下|以下|以内|之内|内",
}
DAYS_BEFORE = {
    "<>": "before or after",
    ">=": "(?:on|in|during|from) or (?:after|since)|after or (?:on|in|during)|since|starting from|starting in"
    "|no earlier than|not earlier than|not before|自从|自|从|不早于|>=|≥",
    "<=": "(?:on|in|during) or before|before or (?:on|in|during)|until|till|by the end of|by|up to(?: and including)?"
    "|no later than|not later than|not after|截至|截止到|直到|不晚于|不迟于|<=|≤",
    ">": "later than|newer than|younger than|after|晚于|>",
    "<": "earlier than|older than|before|prior to|早于|<",
    "": "between|during|within|in|on|of|from|either|dated|=|:",
}
DAYS_AFTER = {
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


BEFORE_NUMBER, AFTER_NUMBER = _ends(BEFORE), _begins(AFTER)
BEFORE_DAYS, AFTER_DAYS = _ends(DAYS_BEFORE), _begins(DAYS_AFTER)
EXCEPT = (
    r"except|exclud(?:e|ing)|other than|apart from|(?:(?:every|any)(?:thing|one|where)|(?:all|any|every)(?: \w+)?) but"
    r"|(?:do not|don't) (?:show|list|include|want)|(?:i|we) (?:(?:do|would) not|(?:do|would)n't) (?:want|like)"
    r"|not interested in|rather not (?:read|see|have|use)"
    r"|(?<![a-z] )(?:skip|hide|omit|ignore|leave out)|minus|avoid|not including"
)
REFUSED = "不[要看含]|不包括|排除|跳过|忽略|去掉|剔除|避[开免]|别[要看]"
NOT = re.compile(
    r"(?:\b(?:not|never|nothing|neither|nor|outside|none of|(?<=\w )(?:is|are|was|were)n't|(?:should|must)n't"
    rf"|doesn't have|(?:no|without|{EXCEPT})(?: \w+(?= from))?)"
    r"(?: (?:from|in|on|at|with|for|by|any|the|those|an?|about|updated|written|published|of|yet|been|be))*\s?"
    r"|(?:^|(?<=\s))-|≠\s*"
    rf"|(?:{REFUSED}|不(?:想要|考虑|[是带在]|支持|属于|[产来出源]自|[位处]于)|除[了去]?"
    r"|(?<![有会能们我你他她])没有?|[非无未])(?:来自|支持|带|在|有)?)$"
)
NOT_AFTER = re.compile(
    r"(?:[、和与及][一-鿿\d]{1,6}?){0,3}[一-鿿]?的?(?:除外|以外|之外|(?:不[要算看]|不考虑)(?=$|[^\w\s]|的))"
    r"|(?:\s(?:and|or)\s\w+)?(?:\s\w+)?(?:\s(?:is|are))?(?:\sexcluded|(?:\snot|n't) (?:what i|wanted))"
)
NEGATION = re.compile(
    r"\b(?:\w+n't|not|cannot|never|no(?!-)|nor|neither|none|nothing|nobody|without|hardly|barely|rarely|seldom|unless|unlike"
    r"|whether|regardless|instead of|rather than|unable|impossible|unlikely|doubt|hates?|dislikes?|refuses?|avoids?"
    r"|lacks?|allergic|(?:tired|sick|out) of|enough|less|fewer|stop \w+ing|too \w+ (?:for|to))\b"
    r"|≠|(?<![级类性分特区个差识])别(?![的人墅名处])|无(?![线锡])|非(?![常洲])|未(?!来)"
    r"|不(?![锈过错同断]|[太很够]?[辣贵甜咸大小长短高低多少难冷热重轻远]的)|[没勿莫除]|避[开免]|讨厌|拒绝|难道"
)
"""Words whose scope is the rest of their clause."""
HEDGES = "maybe|perhaps|possibly|probably|likely|apparently|preferably|ideally|optionally|if"
WEAK = re.compile(
    r"\b(?:(?:may|might)(?! (?:i|we)\b)|(?:can|could)(?= (?:\w+ )?be\b)|(?:need|did|does|do)(?= not\b)"
    rf"|(?:there (?:is|are)|(?:we|i) have)(?= no\b)|{HEDGES})\b"
    r"|可[能以](?=[不没是超高低多少大小早晚])|也许|或许|大概|好像|似乎|估计|最好|尽量|优先|如果|要是|假如|[哪即]怕|即[使便]|何[必苦须]|宁[可愿肯]|与其"
)
"""Words whose scope is what follows soon: preferably from HR."""
COMPARED = re.compile(r"\b(?:than|above|below|over|under|beyond|double|half|twice|far|near)\b|比(?!如)")
SCOPES = ((NEGATION, 1000), (WEAK, 5), (COMPARED, 2))
"""Words of which it is not known what they do to a condition behind them, and the words that may be between."""
OPEN = re.compile(
    r"\b(?:with or without|whether or not|why not)\b|不是(?=[^，。；]*(?:[吗么]|就是))|(?:怎么|为什么|何)[不没]"
)
"""Negations that demand and exclude nothing."""
DOUBTED = re.compile(
    r"[\s　]*(?:or (?:not|otherwise)\b|preferred\b|aside\b|(?:\w+ ){0,2}would be\b|与否"
    r"|\W{0,2}no,? thank|,? but (?:i|we) (?:don't|do not)\b"
    rf"|,? (?:{HEDGES})\b|的?也(?:可以|[能行])"
    r"|(?:有无?)?的?[也都]?(?:可以|行|没关系|随便|无所谓|可有可无|就?[算免]了)(?=$|[^\w\s])"
    r"|(?:(?:is|are|was|were|would|will|do|does|did|has|have|had|can|could|need|must|should|we|i|you|they|he|she|it)\s?)*"
    r"(?:\w*n't|not|never|hardly|cannot|might|may|(?:be )?(?:fine|ok|optional|unnecessary|irrelevant|out))\b"
    r"|[我你他她们都也还真的是就]{0,4}(?:太|(?!(.)[不没]\1)[一-鿿]?[不没未无]))"
)
"""Behind a condition, what takes it back: HR is not a must, 手表我们没有."""
WORDS = re.compile(r"[a-z0-9][\w'-]*|[一-鿿]")
LETTER = re.compile(r"\s?([a-z])\b")
"""A unit that is read only beside a field: 500 g."""
COUNTED = re.compile(r"\s?(?!(?:or|and|nor)\b)\w")
ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|circa|nearly|almost)\s|大?约|大概|差不多|第|(?<![最附])近)$"
)
ABOUT_AFTER = re.compile(r"\s?(?:左右|上下|前后|[那这]么|(?:or so|of (?:us|you|them))\b)")
"""Before and behind a number or day that is not meant exactly."""
EXCLUDED = re.compile(
    rf"\b(?:{EXCEPT}|not from)(?: (?:for|from|in|the|those|documents))* "
    r"(?P<words>\w+(?:(?:, | and | or | nor )\w+)*)"
    rf"|除了?(?P<besides>[^，。？除]{{2,16}}?)(?:以外|之外|外)|(?:{REFUSED}|非(?!常))(?P<without>[^，。？]{{2,8}}?)的"
    r"|(?P<outside>[一-鿿]{2,6}?)(?:以外|之外|除外)"
)
"""Words that a question excludes."""
OR_WORD = re.compile(r"(?:,?\s(?:or|nor)\s|或者?|还是)(?:the )?(?P<words>[a-z]\w+|[一-鿿]{2,4})")
WORD_OR = re.compile(r"(?P<words>\b[a-z]\w+)\s(?:or|nor)\s$")
PIECE = re.compile(
    r"\b(?!(?:and|or|nor|neither|not|one|those|from|in|an?|the|any|by|on|of|under|over)\b)[a-z0-9][\w-]*|[^\x00-\x7f、和与或及的]+"
)
OR = re.compile(r",?\s?(?:or|或者?|还是|要么)\s?")
ASKED = re.compile(r"([一-鿿])[不没](?=\1)")
"""Questions of yes or no: their negation is none."""
BETWEEN, AND = re.compile(r"(?:between|介于)\s?$"), re.compile(r"\s?(?:and|和|与|到|至)\s?")
TO = re.compile(r"\s?(?:(?:back |up )?to|through|until|till|到|至|[-–—~])\s?")
JOINT = re.compile(r"[、,/]\s?(?:(?:or|and|nor)\s)?|\s?(?:or|and|nor|和|或者?|与|及|以及|还是)\s?")
NAME_PARTS = re.compile(r"[\s_\-()（）\[\]/.]+")
TRUE, FALSE = ("true", "yes", "是", "有"), ("false", "no", "否", "无")
UN = ("un", "in", "non", "non-", "non ", "not-", "不")
NOT_WITHIN = (" not ", " is not ", " are not ", " isn't ", " aren't ")
"""Negations within the name of a field of yes and no: pets not allowed."""
YEAR = re.compile(r"[0-9〇零一二三四五六七八九]{4}")
BARE_YEAR = re.compile(r"(?:19|20)\d\d")
YEARS = re.compile(
    rf"(?:{BARE_YEAR.pattern}\s?(?:[、,/~到至和与或及–—-]|to|through|and|or)\s?)+{BARE_YEAR.pattern}(?!\d)"
)
"""Years in a row, which need no word before them, and perhaps only one 年."""
UNCOUNTED = ("", "years", "hours")
"""Units that a year may seem to have: 2024年, 2024 HR policies."""
INFLECTED = re.compile(r"\b[a-z]{2,}(?:s|ed)\b")
CLAUSE = re.compile(r"[,;:?!。，；：？！]|\.(?=\s|$)")
SCOPE_END = re.compile(
    rf"{CLAUSE.pattern}|(?<!thing )(?<!one )(?<!where )\bbut\b|\b(?:although|though|because|while|whereas)\b"
    "|但|可是|不过|然而|因为|所以"
)
LISTS = re.compile(rf"\b(?:{EXCEPT})\b|除|{REFUSED}")
"""What excludes all that is listed behind it, whatever its field."""
ABSENT = re.compile(r"(?:\b(?:without|no|lacking|missing)(?: (?:an?|any|the))?\s|没有|无|缺少?|未标?)$")
IS_ABSENT = re.compile(
    r"\s?(?:(?:is|are)\s)?(?:(?P<present>known|given|set\b|not (?:missing|unknown|empty)|已知|不为空)"
    "|missing|unknown|empty|not (?:given|known|set)|缺失|不详|未知|为空)"
)
WORD = r"(?:[a-z0-9][\w-]*|(?![和与或及的有在])[一-鿿]{1,6}?(?=的|[和或与且但也]|[^\w\s]|$))"
GIVEN = re.compile(
    rf"\s?(?:(?P<sign>[:=]|(?:is|are)\b|不?是|为)|of\b)?\s?(?P<no>not\s)?(?:the\s)?(?P<words>{WORD}"
    rf"(?:(?:[、/]|,\s(?=[\w-]+(?:,|$| and | or ))|\s?(?:or|and|和|或者?|与)\s?){WORD})*)"
)
"""Words behind the name of a field: topic Security, 来源是论坛."""
ENDS = re.compile(r"\s*(?:$|[^\w\s]|[的和或与且但]|(?:and|or|but|in|from|since|before|after|with|until)\b)")
"""What ends the words of a condition."""
ASKS = re.compile(rf"\b(?:what|which|whose|how|who|where|why)\b|{HAN_QUESTION}|吗")
DENIED = re.compile(
    r"\s?(?:[:=]|is|是|为)?\s?(?:false|no\b|否|无(?!所谓)|不支持"
    r"|(?:not|没有)(?=\s*(?:$|[^\w\s]|的|supported\b|available\b)))"
)
PART = "(?:early|late|mid|around|circa|season|spring|summer|autumn|fall|winter|christmas|easter)"
PART_BEFORE, PART_AHEAD = (
    re.compile(
        rf"\b(?:{PART}(?:(?: (?:of|in))? | ?[-–] ?)?|(?:fy|fiscal|financial|academic|school|tax) (?:year )?"
        r"|(?:the )?(?:\w+ ){0,2}(?:\w*days?|weeks?|weekends?|months?|quarters?|middle|part) (?:of|in) (?:the )?)$"
    ),
    re.compile(rf"{PART}\b"),
)
FEASTS = "春节|元旦|除夕|清明|端午|中秋|国庆|五一|圣诞|[寒暑]假"
PART_AFTER = re.compile(
    r"年?的?(?:初|底|末|中(?=$|[的到至、，。])|[春夏秋冬][天季]?(?![节运招游])|[上中下]旬|[财学]年|第[^\W\d]+[周天]"
    rf"|{FEASTS})|[ -](?:christmas|easter|fiscal|season)\b"
)
"""Parts of a year or month that nobody has fixed."""
VAGUE = re.compile(
    rf"\bfy ?'?\d+|\b(?:fiscal|financial|academic|school|tax) years?\b|\b(?:weekends?|weekdays?|(?:{WEEKDAYS})s?"
    r"|recent(?:ly)?|newly|lately|(?:some|several|many|long|a while|a few)(?: \w+)? ago|at night"
    r"|christmas|easter|the (?:day|week|month|year|night) (?:of|when|after|before))\b"
    rf"|周末|工作日|最近|近期|近来|新(?=发布|出|上)|[财学]年|(?:{FEASTS})(?:期间)?"
)
"""Times that are no stretch of days."""
ORDER = re.compile(
    r"\b(?:(?P<age>newest|latest|youngest|most recent)|oldest|earliest|highest|lowest|longest|shortest|cheapest|largest"
    r"|smallest|biggest|fewest|(?:most|least) expensive)\b"
    r"|(?P<age_in_chinese>最(?:新|近的))|最(?:[旧早晚高低长短大小多少贵快慢]|便宜)"
)
"""Words that ask for an order of the list: newest, 最便宜."""
EXACT = {(">=", "初"), ("<", "初"), ("<=", "底"), ("<=", "末"), (">", "底"), (">", "末")}
"""Comparisons with the start or the end of a year."""
NUMBER_LINKS = "|".join([*BEFORE.values(), *AFTER.values(), EXCEPT, "not|is|are|should|must|be|of|the|an?|是|为|的"])
BESIDE_NUMBER = re.compile(f"(?<![a-z])(?:{NUMBER_LINKS})(?![a-z])")
"""Words between a number and its field that are about neither."""
DAY_LINKS = "|".join([*DAYS_BEFORE.values(), "those|any|with|by|来自|在"])
LINKS = re.compile(f"(?<![a-z])(?:{NUMBER_LINKS}|{DAY_LINKS})(?![a-z])")
"""Words between two conditions that are about neither."""


def name_parts(name: str) -> list[str]:
    return [part for part in NAME_PARTS.split(half_width(re.sub("(?<=[a-z])(?=[A-Z])", " ", name))) if part]


def is_unit(word: str) -> bool:
    return read_unit(word, 0) == len(word)


def name_forms(name: str) -> list[str]:
    """Returns the words for a field, the longest first: its name, and that without its unit and “is”, “has”."""
    parts = name_parts(name)
    bare = [part for part in parts if not is_unit(part) and part not in ("is", "has", "是否", "in")]
    forms = [" ".join(parts), " ".join(bare)]
    forms += [re.sub("^是否", "", form) for form in forms]
    forms += [re.sub("^(?:支持|有|含|带)", "", form) for form in forms]
    forms += [re.sub("(?:日期|时间|期限|期| date| at)$", "", form) for form in forms]
    forms += [form.replace(" ", "-") for form in forms]
    return sorted({form for form in forms if len(form) > 1}, key=len, reverse=True)
