"""The kind of answer that a question asks for, by its question words: how many, how long, when, who, where."""

from __future__ import annotations

import re

from lab.text import fold, well_formed
from lab.text.writing import QUOTES
from lab.words import Said

ASKED = {
    "number": Said("how many"),
    "duration": Said("how long"),
    "age": Said("what age"),
    "money": Said("what price"),
    "length": Said("what length"),
    "weight": Said("what weight"),
    "date": Said("when"),
    "person": Said("who"),
    "place": Said("where"),
    "name": Said("what name"),
}
"""The kinds of answer that a question can ask for, and their names."""
ASKING = frozenset("几多少吗呢谁哪何啥么")
"""The characters of Chinese words that ask."""
SUBJECT = re.compile("(.{2,12}?)有(?:没有|(?=.*[吗么嘛]$))(?!多少|几|什么|哪)")
"""The part of a question of existence before what is looked for: 食堂 of 食堂有清真窗口吗."""
_KINDS = "type types kind kinds sort genre name called 叫 名叫 名字 名称 类型 种类"
KINDS_OF = frozenset(_KINDS.split())
"""Words of a question for the kind of its answer, which need not say them."""
_TIMES = "天|日|年|个?月|个?小时|个?钟头|分钟|秒|周|个?星期|个?礼拜|个?工作日|个?世纪|岁"
_PLACES = "国家|城市|省份?|州|地区?|地方|国|市|县|区|洲|岛|镇|村|大陆|海|河|港口"
_WHICH = r"(?:what|which) (?:\w+ ){0,2}"
_ASKS_ZH = [
    (kind, re.compile("|".join(patterns)))
    for kind, *patterns in (
        (
            "date",
            "什么时候|什么时间|(?<!任)何(?:时|年|月|日)|哪一?(?:年|天|月|日|个?月份|时)",
            "哪一?个(?:世纪|年代|时期|朝代|年份|月|季度)|几几年|(?:在|于|是|从|到|至)几(?:年|月|号|点|时)",
            "几(?:月|号|点)(?!个)|星期几|周几|礼拜几|(?:日期|时间)(?:是|为)(?:什么|多少|哪)",
        ),
        ("age", "(?:几|多少)周?岁|多大(?:年[纪龄]|岁数|了)|今年多大|(?:年[纪龄]|岁数)(?:是|为|有)?(?:多[少大]|几)"),
        ("money", "多少(?:钱|元|块)|(?:价[格钱]|[售票房]价|费用|[押租]金)(?:是|为)?(?:什么|多少)"),
        ("length", "多[宽深厚远]|多高(?=[?？]?$)|多少(?:厘?米|公里)"),
        ("weight", "多重(?=[?？呢]*$)|重量?(?:是|为)?多少|多少(?:公?斤|克|吨)"),
        ("duration", f"多久|多长时间|多少(?:{_TIMES})|(?<![十好数这那后])(?<!(?<!提)前)几(?:{_TIMES})"),
        (
            "number",
            "多少|多大|多高|多长|多远|多重|多宽|多深|多厚|多快|百分之几|第几",
            "(?<![十好数这那前后上下])几(?=[^乎何率内天年月])",
            "(?:数量|人数|人口|面积|长度|高度|比例|占比|价格|温度|海拔)(?:是|为)(?:什么|多少)",
        ),
        ("person", "谁|(?<!任)何人|什么人|哪一?(?:位|名|个人)"),
        (
            "place",
            f"哪里|哪儿|(?<!任)何[处地]|什么地方|哪一?(?:个|座|片|块)?(?:{_PLACES})",
            "(?<=[位落在]于)哪(?![一个家所支部年])|(?<=在)哪(?![一个家所支部年])|(?:地点|位置|地址|首都|首府)(?:是|在)(?:什么|哪)",
        ),
        (
            "name",
            "叫什么|什么名字|名字(?:是|叫)什么|(?:称为|称作|叫做|叫作|被称)什么",
            "哪一?(?:家|所|支|部|本|首|款|届|场)",
        ),
    )
]
_HOW = "many|much|old|tall|high|large|big|far|wide|deep|heavy|often|fast|few|thick|hot"
HOW = re.compile(rf"\bhow (?:long|{_HOW})\b", re.IGNORECASE)
"""Questions of degree, whose second word is not a subject of the question."""
_WH = re.compile(r"\b(?:what|which|who|whom|whose|when|where|why|how)\b")
_ASKS_EN = [
    (kind, re.compile("|".join(patterns)))
    for kind, *patterns in (
        (
            "duration",
            r"how long\b",
            r"how (?:many|much) (?:more |working |business )?(?:second|minute|hour|day|week|month|year)s?\b",
            r"how much (?:more )?time\b",
        ),
        ("age", r"how old\b|what (?:is |was )?(?:\w+ )?age\b"),
        (
            "money",
            r"how much (?:money\b|(?:is|are|was|were) an? )",
            r"how much (?:do|does|did|will|must|is|are) [^?]*\b(?:cost|pay|paid|charged?)\b",
            r"what(?:['’]s| is| are| was| were) the (?:\w+ ){0,2}(?:price|cost|fee)s?\b",
        ),
        ("length", r"how (?:tall|wide|deep|thick)\b"),
        ("weight", r"how heavy\b|how much (?:do|does|did) [^?]*\bweigh\b|what(?:['’]s| is) the (?:\w+ )?weight\b"),
        (
            "number",
            rf"how (?:{_HOW})\b",
            r"(?:what|which) (?:is |was |are |were )?(?:the )?(?:\w+ )?(?:number|percent\w*|proportion|fraction|amount|"
            r"total|ratio|score|price|cost)\b",
            r"(?:what|which) (?:is|was|are|were) the (?:\w+ ){0,2}(?:population|length|height|weight|size|area|"
            r"distance|temperature|speed|rate)\b",
        ),
        (
            "date",
            r"when\b|(?:what|which) (?:\w+ )?(?:year|date|day|month|century|decade|time|era|season)s?\b(?! of)",
            r"(?:what|which) (?:is|was) the (?:\w+ )?(?:date|year)\b",
        ),
        ("person", rf"who\b|whom\b|whose\b|{_WHICH}(?:person|man|woman|king|queen|president|player|author)\b"),
        (
            "place",
            rf"where\b|{_WHICH}(?:city|cities|country|countries|state|place|location|town|county|continent)\b",
            rf"{_WHICH}(?:region|river|island|street)\b",
        ),
        (
            "name",
            r"(?:what|which) (?:is|was|are|were) the (?:\w+ )?names?\b|what name\b",
            rf"{_WHICH}(?:company|team|university|school|organi[sz]ation|book|album|song|film|movie|group|party)\b",
        ),
    )
]


_ANY_ZH = re.compile(
    "什么|啥|怎么|怎样|如何|为何|为什么|哪|谁|几[^乎]|多[少久大高长远重宽深快]|何[时处人地]|是否|能否|可否|有没有|是不是|能不能|可不可以|要不要|"
    "会不会|[吗么][?？]?$"
)
_ANY_EN = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how)\b"
    r"|^\W*(?:[\w -]+: )?(?:is|are|was|were|do|does|did|can|could|may|must|"
    r"should|shall|will|would|has|have)\b"
)


def asks(text: str) -> bool:
    """Whether a part of a question asks something by itself: by a question word, or by the order of its words."""
    folded = QUOTES.sub(lambda m: " " * len(m[0]), fold(well_formed(text))).rstrip(" ?？.。")
    return bool(_ANY_ZH.search(folded) or _ANY_EN.search(folded))


def asked(question: str) -> str | None:
    """Returns the first kind that a question asks for, one of `ASKED`, or None if no question word is recognised.

    In English the first question word decides.  Chinese question words are anywhere in the sentence, in the position of
    the answer; the first of them counts.  Quoted text is ignored.
    """
    return next(iter(every(question)), None)


def every(question: str) -> tuple[str, ...]:
    """Returns every kind that a question asks for, in the order of its words: 要几天，由谁支付 asks how long and who.

    Only the first of an English question: a second "who" or "when" mostly joins clauses.
    """
    text = QUOTES.sub(lambda m: " " * len(m[0]), fold(well_formed(question)))
    first = _WH.search(text)
    if first:
        for kind, pattern in _ASKS_EN:
            if pattern.match(text, first.start()):
                return (kind,)
    end, kinds = 0, list[str]()
    matches = ((m.start(), i, m.end(), kind) for i, (kind, p) in enumerate(_ASKS_ZH) for m in p.finditer(text))
    for start, _, stop, kind in sorted(matches):
        if start >= end:
            kinds.append(kind)
            end = stop
    return tuple(dict.fromkeys(kinds))


_ROLE = re.compile(
    r"^\W*who(?:['’]s| is| are| was| were) (?:the|our|my|your|its|his|her|their|[\w ]+['’]s) [\w '’-]+\W*$"
)


def asks_for_holder(question: str) -> bool:
    """Whether a question asks who holds a role: “who is the director?”.

    English only: names are capitalised there, while few Chinese ones are in a dictionary.
    """
    return bool(_ROLE.match(fold(well_formed(question))))
