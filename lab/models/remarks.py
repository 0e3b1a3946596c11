"""What language models say around an answer: greetings and announcements before it, offers and notes behind it."""

from __future__ import annotations

import re

from lab.models.markup import unemphasised
from lab.patterns import lazy_pattern

__all__ = ["announces", "remarks", "without_greeting", "without_remark"]

LONGEST = 300
"""A longer line is no greeting, and of a remark so many characters are looked at."""
_KINDS = (
    r"(?:quer(?:y|ies)|(?:sub-?)?questions?|versions?|variations?|variants?|alternatives?|re\w+s|wordings?|ways|options?"
    r"|suggestions?|list|results?|examples?|passages?|texts?|paragraphs?|answers?|summar(?:y|ies)|documents?|keywords?"
    r"|terms|phras(?:es|ings))"
)
_KINDS_ZH = (
    "(?:改写|查询|子?问题|问法|说法|表述|版本|选项|例子|示例|建议|短文|段落|文段|答案|回答|结果"
    "|列表|摘要|概要|关键词|文档)"
)
_SURE = r"""(?:
    sure(?:\s+thing)? | of\s+course | certainly | absolutely | definitely | okay | ok | all\s*right | got\s+it
    | understood | i\s+(?:understand|see) | no\s+problem | with\s+pleasure | gladly | happy\s+to\s+help | my\s+pleasure
    | as\s+requested | i\s+can\s+help[^.!?\n]{0,40}
    | (?:what\s+an?\s+|that(?:['’]s|\s+is)\s+an?\s+)?(?:great|good|interesting|excellent|nice)\s+question
    | (?:i['’]d|i\s+would|i['’]m)\s+(?:(?:be\s+)?(?:happy|glad)|love)\s+to\b[^.!?\n]{0,60}
    | 好的?呀? | 好嘞 | 当然(?:可以|没问题|了)? | 没问题 | 可以的? | 明白了? | 收到 | 了解了? | 嗯+ | 好问题
    | (?:这是)?一?个?很?好的问题 | 很高兴(?:为[您你])?[^。！!\n]{0,10} | 非常乐意[^。！!\n]{0,10}
)"""
_HELLO = r"""(?:
    great | perfect | excellent | good | yes | hello | hi(?:\s+there)? | thanks?
    | thank\s+you(?:\s+for\s+[^.!?\n]{0,40})? | 行 | [您你]好 | 谢谢[^。！!\n]{0,10} | 是的?
)"""
_ANNOUNCES = rf"""(?:
    (?:[^.!?:\n]{{0,60}},\s+)?here(?:['’]s|\s+(?:is|are))\b[^.!?:：\n]{{0,80}}?\b{_KINDS}\b[^.!?:：\n]{{0,60}}
    | here\s+(?:you\s+(?:go|are)|it\s+is|they\s+are|we\s+go)
    | (?:below|the\s+following|these|those)\s+(?:is|are)\b[^.!?:：\n]{{0,60}}?\b{_KINDS}\b[^.!?:：\n]{{0,60}}
    | (?:i['’]ve|i\s+have|i['’]ll|i\s+will|let\s+me|let['’]s)\s+
      (?:re\w+|broken?|created?|written?|generated?|prepared?|listed?|split|made|provided?|give|come|tr(?:y|ied)|help|think)\b
      [^.!?:：\n]{{0,80}}
    | (?:以下|下面|下列|这里|这)(?:就|将)?(?:是|为|列出|给出|提供)[^。！？!?:：\n]{{0,30}}?{_KINDS_ZH}
      [^。！？!?:：\n]{{0,20}}
    | {_KINDS_ZH}如下
)"""
_FOLLOWS = r"(?:以下|下面|这|我|为[您你]|给[您你]|根据|针对|按照)[^。！？!?:：\n]{0,40}"
_ANNOUNCING = lazy_pattern(
    rf"(?:(?:{_SURE}|{_HELLO})(?:\W+(?:{_SURE}|{_HELLO}|{_ANNOUNCES}|{_FOLLOWS}))*|{_ANNOUNCES})\W*",
    re.VERBOSE | re.IGNORECASE,
)
_SAID_FIRST = lazy_pattern(
    rf"{_SURE}(?:\s*[!！.。~～]+\s+|\s*[！。～]+|，|(?<=sure),\s+|(?<=okay),\s+|(?<=ok),\s+)(?=\S)",
    re.VERBOSE | re.IGNORECASE,
)
_INTRODUCED = lazy_pattern(rf"{_ANNOUNCES}\s*[:：]\s*(?=\S)", re.VERBOSE | re.IGNORECASE)
_REMARK = lazy_pattern(
    rf"""[(（\[]?\s*(?:
      (?:i\s+)?hope\s+(?:this|these|that|it|they)\b.*\bhelp
    | (?:please\s+)?(?:let\s+me\s+know|feel\s+free|(?:don['’]t|do\s+not)\s+hesitate)\b
    | (?:these|those|the\s+above|all(?:\s+of)?(?:\s+(?:these|them|the))?|each(?:\s+of\s+(?:these|them))?|both)\s+
      (?:\w+\s+){{0,2}}?{_KINDS}\s+
      (?:should|will|can|may|cover|are|is|use|ask|keep|aim|focus|capture|target|explore|address|preserve|approach)s?\b
    | would\s+you\s+(?:like|prefer|want)\s+
      (?:me|more|any|another|other|additional|further|to\s+(?:see|hear|have|try|get|explore))\b
    | do\s+you\s+(?:want|need)\s+(?:me|more|any\s+(?:more|other|further)|another|other|additional|further)\b
    | shall\s+i\b | should\s+i\s+(?:add|continue|provide|give|write|generate|go\s+on|try|rewrite|rephrase|also)\b
    | (?:want|need)\s+(?:me\s+to\b|(?:any\s+|some\s+)?(?:more|other)(?:\s+{_KINDS})?\s*\?)
    | (?:is\s+there\s+)?anything\s+(?:else|more)(?:\s*[?!.]*$|\s+(?:that\s+)?(?:i|we|you)\b)
    | if\s+you(?:['’]d)?\s+(?:need|want|would\s+like|like|have|prefer)\b.*
      \b(?:let\s+me|tell\s+me|ask\s+me|i\s+can|i['’]ll|feel\s+free|just\s+(?:ask|say)|happy\s+to)\b
    | i\s*(?:can|could|would\s+be\s+(?:happy|glad)\s+to|['’]m\s+happy\s+to|['’]d\s+be\s+(?:happy|glad)\s+to)\s+
      (?:also\s+)?(?:provide|help|offer|give|generate|write|refine|adjust|rephrase|add)\b
    | (?:please\s+)?note\s+that\b
    | (?:(?:please\s+)?notes?|explanations?|rationale|remarks?|comments?|tips?|ps|nb|disclaimer|reasoning|reasons?)
      \s*[:：]
    | p\.\s?s\.|n\.\s?b\. | that(?:['’]s|\s+is)\s+(?:it|all)\b
    | (?:thanks?|thank\s+you|good\s+luck|cheers|enjoy|done|end|best(?:\s+regards)?|happy\s+\w+ing)\W*$
    | you\s+can\s+(?:use|choose|pick|try|combine|adjust)\b.*\b(?:these|them|any|one|ones)\b
    | which\s+(?:one|of\s+these)\b.*\b(?:prefer|like|works?)\b
    | do(?:es)?\s+(?:these|this|any\s+of\s+these)\s+(?:work|help|look)\b
    | is\s+(?:this|that)\s+what\s+you\b | how\s+do(?:es)?\s+(?:this|that|these)\s+(?:look|sound)\b
    | are\s+(?:these|they)\s+(?:helpful|ok|okay|fine|good|what\s+you)\b
    | 希望(?:这些|以上|上述|能|可以|对|它们)?.{{0,12}}(?:帮助|帮到|有用)
    | 以上(?:就?是|为|这?些|\d+|[一二两三四五六七八九十几]).{{0,12}}(?:{_KINDS_ZH}|供)
    | 这(?:些|(?:[几两三四五六七八九十]|\d+\s?)[个种条句]).{{0,4}}{_KINDS_ZH}
      (?:都|均|分别|能够?|可以|保留|保持|覆盖|涵盖|侧重|使用|换用|从)
    | 如(?:果|有|需|[您你]).{{0,20}}
      (?:告诉我|告知我?|通知我|联系我|和我说|跟我说|随时(?:说|提|问|告诉|告知|联系我|吩咐|沟通))
    | (?:请问)?[您你]?(?:是否|还|要不要)?(?:需要|想要?|要)?我?(?:再|继续|提供|补充|换|来|给出|生成|看看?)*
      (?:更多|其他|其它|别的|几个|一些|另外)的?{_KINDS_ZH}.{{0,6}}[吗么呢]?[？?]$
    | (?:请问)?[您你]?还(?:有|需要|想要?)(?:什么|其他|其它|别的|更多).{{0,8}}
      (?:问题|需要|帮助|要求|补充|别的|修改|帮[您你]).{{0,8}}[？?]$
    | (?:是否需要|要不要|需要)我.{{0,20}}[？?]$ | 需要的话.*我
    | 我(?:还|也)?(?:可以|能)(?:再|继续|[为帮][您你]|提供|补充).*
    | (?:这样|这些|[您你]看|以上).{{0,6}}(?:可以|行|够用?|满意|合适)[吗么][？?]?$
    | 还需要(?:别的|什么|更多|其他)?吗[？?]$
    | (?:请|欢迎|可以)?随时(?:告诉|告知|联系|吩咐|提出|补充|沟通|提问).* | (?:请|欢迎)(?:告诉|告知)我.*
    | (?:注意?|备注|附注|说明|提示|解释|注释|补充(?:说明)?|温馨提示)\s*[:：]
    | (?:谢谢|祝[您你].{{0,10}}|完毕|以上)[。！!]*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_LAST_SENTENCE = lazy_pattern(r"(?<=[.!?。！？])\s*(?=[^.!?。！？]+[.!?。！？)）]*$)")


def announces(line: str) -> bool:
    """Whether a line only greets or says what comes: “Sure!”, “Here are some alternatives”, 好的，以下是改写。"""
    return len(line) <= LONGEST and _ANNOUNCING.fullmatch(unemphasised(line.strip())) is not None


def remarks(line: str) -> bool:
    """Whether a line is about the answer: “Would you like more?”, “Note: these are synonyms.”, 需要更多改写吗？"""
    return _REMARK.match(unemphasised(line.strip()[:LONGEST])) is not None


def without_greeting(line: str) -> str:
    """A line without the greeting and the announcement that it begins with: “Sure! The battery lasts 30 hours.”"""
    while m := _SAID_FIRST.match(line) or _INTRODUCED.match(line):
        line = line[m.end() :]
    return line


def without_remark(text: str) -> str:
    """A text without the remarks that it ends with: “It lasts 30 hours. I hope this helps!”"""
    while m := _LAST_SENTENCE.search(text):
        if not remarks(text[m.end() :]):
            return text
        text = text[: m.start()]
    return text
