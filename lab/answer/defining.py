"""Questions for the meaning of a term, and the sentences that say what a term means.

“What is music?” asks for more than a sentence with the word music: for one that says what music is.  Such sentences
have few forms (M. A. Hearst, *Automatic Acquisition of Hyponyms from Large Text Corpora*, COLING 1992,
doi:10.3115/992133.992154; for questions: S. Blair-Goldensohn et al., *A Hybrid Approach for Answering Definitional
Questions*, SIGIR 2003): “X is a …”, “X means …”, “…, called X”, “X (…)”; X 是…, X 指…, …称为 X.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lab.answer.asking import every
from lab.answer.kinds import found
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import fold, is_han, jieba_dictionary, known_word, well_formed
from lab.text.writing import HAN

WORDS = 3
"""Maximum number of words of an English term; longer ones are mostly descriptions (“the first MLS team to …”)."""
SHORT = 3
"""Maximum characters of a Chinese term in no dictionary; longer ones are mostly attributes (默认密码, 报销标准)."""
_ASK_ZH, _WHAT_ZH = "(?:请问)?(?:请?(?:解释|说明)(?:一下|下)?)?", "(?:什么|啥)"
_END_ZH = r"(?:呢|啊|呀|吗)?"
_MEANING = [
    re.compile(rf"^\W*{pattern}\W*$", re.IGNORECASE)
    for pattern in (
        rf"{_ASK_ZH}(?:{_WHAT_ZH}(?:是|叫做?)|何谓|何为)(?P<term>[^,，?？的]{{1,30}}?){_END_ZH}",
        rf"{_ASK_ZH}(?P<term>[^,，?？的]{{1,30}}?)(?:是{_WHAT_ZH}意思|的(?:意思|含义|定义)是{_WHAT_ZH}|指的?是{_WHAT_ZH}){_END_ZH}",
        r"(?:(?:can|could|would|will) you )?(?:please )?(?:explain|tell me|do you know) what (?P<term>[^,?]{1,60}?) "
        r"(?:is|are|means?)",
        r"(?:please )?define (?P<term>[^,?]{1,60}?)",
        r"(?:what(?:['’]s| is) )?(?:the )?(?:meaning|definition) of (?:(?:the )?(?:word|term) )?(?P<term>[^,?]{1,60}?)",
        r"what (?:does|do) (?:(?:the )?(?:word|term) )?(?P<term>[^,?]{1,60}?) (?:mean|stand for)",
    )
]
"""Forms that ask for the meaning of a term, whatever the term is."""
_IDENTITY = [
    re.compile(rf"^\W*{pattern}\W*$", re.IGNORECASE)
    for pattern in (
        rf"{_ASK_ZH}(?P<term>[^,，?？的]{{1,30}}?)是{_WHAT_ZH}(?:东西)?{_END_ZH}",
        r"what(?:['’]s| is| are) (?P<term>[^,?]{1,60}?)",
    )
]
"""Forms that also ask for a value or a name (默认密码是什么, “what is the deadline”), so that the term decides."""
_QUOTE = "\"'“”‘’「」《》"
_HAN = re.compile(f"[{HAN}]")
_ARTICLE = re.compile(r"^(?:an?|any) ", re.IGNORECASE)
_PARTICIPLE = re.compile(r"[a-z]{2,}ed$")


def defined(question: str) -> str:
    """Returns the term whose meaning a question asks for: X in “what is X?”, 什么是 X; empty for other questions.

    A term is a noun without attributes in other phrases: not “the deadline”, “rate of …”, 公司的地址, 默认密码是什么.
    """
    text = " ".join(well_formed(question).split())
    for pattern in _MEANING:
        if match := pattern.match(text):
            return _term(match["term"])
    for pattern in _IDENTITY:
        if (match := pattern.match(text)) and not every(text):
            term = _term(match["term"])
            if is_han(term) and len(term) > SHORT and not (known_word(term) or len(_cut(term)) == 1):
                return ""
            return "" if _PARTICIPLE.search(term) and not _ARTICLE.match(match["term"]) else term
    return ""


def _term(text: str) -> str:
    """Returns a noun without its article and quotation marks; empty if the text is more than a noun."""
    text = _ARTICLE.sub("", text.strip()).strip(_QUOTE + "？?!！。. ")
    words = [word for piece in text.lower().split() for word in (_cut(piece) if _HAN.search(piece) else [piece])]
    too_long = len(text.split()) > WORDS
    return "" if too_long or FUNCTION_WORDS & set(words) or "'s" in text or "’s" in text else text


def _cut(text: str) -> list[str]:
    """Returns the words of a text by jieba's dictionary."""
    words: list[str] = jieba_dictionary().cut(text)
    return words


def designation(term: str) -> bool:
    """Whether a term is a code or a version (P-14, 0x80F4): what it stands for is known only from its use."""
    return any(fact.unit in ("code", "version") for fact in found(term))


_BRACKET = r"(?:\s*[(〈][^)〉]{0,80}[)〉])?"
_CLAUSE = r"(?:^|[.;:,!?(\n—–-]\s*|\b(?:and|but|that|because|so|while)\s+)"
_DETERMINER = r"(?:an?|the|any|one|when|what|that|our|those|anything)"
_EN = (
    # X is a …, X is always the …, X are those …; plurals: X are small … that
    r"{clause}(?:(?:an?|the|our|this|these)\s+)?{quote}{term}{quote}{bracket},?\s+(?:is|are|was|were)\s+(?:\w+ly\s+|also\s+)?"
    r"(?:{determiner}\b|(?:type|kind|form|part|branch|sort|name)s?\s+of\b|(?:\w+\s+){{1,4}}(?:that|which|who|whose)\b)",
    # X means …, X stands for …
    r"{quote}{term}{quote}{bracket},?\s+(?:also\s+)?(?:means?|meant|refers?\s+to|stands?\s+for|denotes?|(?:is|are|was|were)\s+"
    r"(?:(?:also|usually|often|generally|commonly)\s+)?(?:called|known\s+as|defined|named|short\s+for))\b",
    # X, a …; X: a …; X, also called …; inside a sentence “X, a …” is rather a list
    r"{clause}(?:(?:an?|the)\s+)?{quote}{term}{quote}{bracket}\s*[,:–—]\s*(?:an?|the|our|your)\s+\w",
    r"{quote}{term}{quote}{bracket}\s*,\s*(?:i\.e\.|that\s+is|(?:also\s+|or\s+|better\s+)?(?:known\s+as|called))\b",
    # …, called X; …, known as X
    r"\b(?:called|known\s+as|named|termed|referred\s+to\s+as|defined\s+as)\s+(?:an?\s+|the\s+)?{quote}{term}\b",
    # Employee assistance programme (X); X (employee assistance programme)
    r"\w\s*[(]\s*{quote}{term}{quote}\s*[)]|{quote}{term}{quote}\s*[(][^)\d]{{3,}}[)]",
)
_ZH = (
    # X 是…, but not 是免费的; X 是指, X 即
    r"(?:^|[。;:,!?\n“《「(]|所谓的?|其中|而|但|这种|该)\s*{quote}{term}{quote}{bracket}\s*,?\s*(?:就|便|也|都|原本?|乃|曾|亦|均)?"
    r"(?:是(?!否|不是|[在从因谁哪怎什按])(?![^。;,]{{0,40}}的(?:[。;,]|$))|为(?:一|[^。;,]{{0,24}}(?:之一|的[^。;,]))|系)",
    r"{quote}{term}{quote}{bracket}\s*,?\s*(?:(?:通常|一般|原本?|主要|就|也|都)?(?:是?指|意[思为指]|即(?![可使将刻日时便])|表示|意味|代表|属于)"
    r"|,?(?:又|也|亦|俗|简|别|古|通|原|或)(?:称|名|叫)|[,]一[种个类项款名])",
    # 称为 X, 叫做 X, 即 X
    r"(?:称[为作之]|[叫称]做|[叫名]作|名叫|简称|名为|(?<![立随当])即|所谓的?)\s*(?:一?种)?{quote}{term}",
    r"[\w”》]\s*[(]\s*{quote}{term}{quote}\s*[)]|{quote}{term}{quote}\s*(?:[(][^)\d]{{3,}}[)]|——)",
)


def defines(sentence: str, term: str) -> bool:
    return _forms(fold(term)).search(fold(sentence)) is not None


@lru_cache(512)
def _forms(term: str) -> re.Pattern[str]:
    han = _HAN.search(term)
    word = r"\s+".join(map(re.escape, term.split()))
    if not han:
        singular = re.sub(r"(?<=\w\w)s$", "s?", word) if term.endswith("s") else word + "(?:s|es)?"
        word = rf"(?<![^\W{HAN}]){singular}(?![^\W{HAN}])"
    parts = {"term": word, "quote": f"[{_QUOTE}]?", "bracket": _BRACKET, "clause": _CLAUSE, "determiner": _DETERMINER}
    return re.compile("|".join(form.format(**parts) for form in (*_ZH, *_EN)))


_COPULA_ZH = r"(?:就?是(?!否|不是|[在从因谁哪怎什按])(?![^。;,]{0,40}的(?:[。;,]|$))|指|意[思为指])"
_HEADS = re.compile(
    rf"{_CLAUSE}(?:(?:an?|the)\s+)?(?P<en>[a-z][\w-]*(?:\s[\w-]+){{0,2}}?){_BRACKET}\s+(?:(?:is|are)\s+{_DETERMINER}|means?|refers?\s+to)\b"
    rf"|(?:^|[。;:,!?\n])\s*(?P<zh>[{HAN}]{{1,8}}?){_BRACKET},?{_COPULA_ZH}"
)


def heads(sentence: str) -> tuple[str, ...]:
    """Returns the terms that a sentence says the meaning of, to be compared with a term of another language."""
    return tuple(match["en"] or match["zh"] for match in _HEADS.finditer(fold(sentence)))
