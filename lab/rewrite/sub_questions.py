"""Sub-questions: a question with several parts, one part at a time.

Source: O. Press et al., *Measuring and Narrowing the Compositionality Gap in Language Models* (self-ask), 2022;
LlamaIndex's ``SubQuestionQueryEngine``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lab.algebra import Corpus, QueryVariant, knob
from lab.models.answers import items
from lab.rewrite.base import Found, Rewording
from lab.rewrite.objects import pieces as tagged
from lab.rewrite.turn_words import FUNCTION_WORDS, PROPERTY
from lab.rewrite.wording import Wording
from lab.text import is_han, known_word, language_of
from lab.words import Said

_MARKS = re.compile(r"[?？。！!；;\n]+|[，,：:](?!\d|\s*not\b)|\.(?=\s|$)|\s[–—-]\s")
_JOINTS = {
    "zh": re.compile(r"以及|还有|并且|而且|同时|另外|或者|还是|(?:和|与|及|跟)(?!谁|别人|什么人)|、(?!\d)"),
    "en": re.compile(r"\b(?:as well as|and|or|but|also|then|versus|vs\.?)\b(?! not\b)", re.I),
}
_RELATES = {
    "zh": re.compile(
        r"关系|关联|联系|区别|异同|差别|差异|差距|差多少|不同|不一样|一样|相同|相似|类似|对比|比较|相比|比起来|之间|共同|一起|"
        r"哪一?[个种款家台项者]|谁更"
    ),
    "en": re.compile(
        r"\b(?:relat(?:ed?|es|ions?|ionships?)|connect(?:ed|ions?)|differ(?:s|ent|ences?)?|similar(?:ity|ities)?|same|"
        r"alike|compar(?:ed?|es|ing|isons?)|in common|interact|overlap|equally|together)\b",
        re.I,
    ),
}
"""What is said of two things together: behind them, it holds for neither alone."""
_OPENS_RELATION = {
    "zh": re.compile(r"比较|对比|比一比|区分|分清"),
    "en": re.compile(
        r"\b(?:between|compar(?:e|ing|isons? of)|distinguish|contrast|tell apart|relationship of|difference of)\b", re.I
    ),
}
"""What is said of two things together before they are named."""
_NEW_QUESTION = {
    "zh": re.compile(r"\s*(?:怎么|怎样|如何|为什么|为何|什么时候|多少|多久|是否|能否|要不要|能不能|可不可以|有没有)"),
    "en": re.compile(
        r"\s*(?:how|what|when|where|who|whom|whose|why|is|are|was|were|do|does|did|can|could|should|must|may|will)\b",
        re.I,
    ),
}
"""What begins a question of its own behind a conjunction."""
_ASKS = re.compile(
    r"(?:各自?|分别|都)?(?:(?P<word>怎|如何|为什么|为何|什么|哪|几|多[少久长大高重远])|有|是|要|能|会|可以|需要|吗|呢|(?P<a>[一-鿿])不(?P=a))"
)
"""In Chinese, what is asked of a thing, behind its name."""
_ATTRIBUTE = re.compile(r"多(?:[久长大高重远]|少(?!钱))")
"""Behind an attribute of the thing: 保修多久 asks for the warranty of what stands before it."""
_TELLS = re.compile(
    r"(?:(?:so|and|but|well|then|now|also|if|when|because)\s+)*(?:(?:i|we|he|she|they|it|there|somebody|someone|this|that|got|forgot|lost"
    r"|was|went|had)\b|(?:my|our|his|her|their|the|an?|some|every|all|most)\b.*\b(?:(?:is|are|was|were|am|has|have|had|got|do"
    r"|does|did|\w{3,}ed)\b|ca(?=n['’]t)))",
    re.I,
)
"""An English clause that tells something, unless it has a question word."""
_WH = re.compile(r"\b(?:how|what|which|who|whom|why)\b", re.I)
_QUESTION = re.compile(
    r"(?:怎么?|如何|什么|啥|谁|哪[里儿个]?)(?![都也里儿个么])|为何|咋|多[少久长大高重远]|(?<![好这那过了前没])几(?!个人|乎)|是否|能否|还是|[吗呢么？?]"
    r"|([一-鿿])[不没](?=\1)"
)
"""A Chinese clause with one of these asks something; 几个人 are some people, and 啥都没 is nothing."""
_NAME = re.compile(
    r"《[^》]*》|“[^”]*”|\"[^\"]*\"|\b[A-Z][\w-]* (?:and|&) [A-Z][\w-]*(?: [A-Z][\w-]*)+"
    r"|[一-鿿]{2,}?[与和及][一-鿿]{2,}?(?:学院|研究[院所]|委员会|办公室|协会|学会|局)"
)
"""A name with a conjunction in it."""
_PLACE = re.compile(r"(?:in|on|at|with|for|from|to|by|during|after|before)\b", re.I)
_QUESTION_WORD = re.compile(r"\s*(?:how(?: (?:much|many|long|often|far))?|when|where|who|why)\W*", re.I)
_EACH = re.compile("分别|各自?(?!种)|都")
_WAY = f"方法|办法|流程|规定|要求|步骤|条件|标准|做法|原因|{PROPERTY['zh'].pattern}"
_SHARED = re.compile(rf"[^的]+(的[^的]*(?:{_WAY}))")
"""A property of several things, behind the last one: 绿茶和普洱的储存方法."""
_BOUND = re.compile("^.$|[自于在用为成到需要合]$")
"""Verbs that need an object, so that they do not belong to the thing before them."""
_MINE = ("", "我", "我的", "我们", "我们的", "你们", "你们的", "请问")
_WORDS = 3
"""Content words of a thing, at most."""
_OWNER = re.compile(r"\s*(?:of|for|on)\s+(?:(?:the|an?|my|our|your)\s+)?", re.I)
"""Between a property and its thing."""
_SAYS_NOTHING = re.compile(r"(?:办|样|回事|说|了|呢|吗|啊|的|会|是|这|那|\W)*")
"""Behind a question word, what asks for nothing else: 怎么办."""
_POINTS = {
    "zh": re.compile(r"它们?|他们|她们|两者|这些|那些"),
    "en": re.compile(r"\b(?:its?|they|them|their|these|(?<!which )ones?)\b", re.I),
}
"""Words that stand for what an earlier part names."""
_OPENS = re.compile(r"[和与跟]|(?:[又还也都]|各自?)?(?:[能可会要有需该应得怎几]|如何|为[什何]|多[少久长]|是否|什么时)")
"""What begins a Chinese clause without a subject."""
_MODAL = "(?:do|did|can|could|should|must|may|will|would)"
FRAME = re.compile(
    r"\bhow (?:(?:far|long|often|much|many|old|big|soon|well|hot|fast)\b|\w+(?= (?:is|are|does|do|can|will)\b))"
    rf"|\b{_MODAL} (?:i|you|we|they) \w+|\b(?:who|what) \w+(?= (?:the|an?|my|our|your)\b)",
    re.I,
)
"""What an English question has before its topic: how long, do I store."""
_ARTICLE = r"(?:(?:the|an?|my|our|your) )?"
_VERB_BEHIND = re.compile(rf"\b(?:do|does|did|can|will) {_ARTICLE}\Z", re.I)
_VERB_ENDS = re.compile(r"\s*(?:$|(?:in|on|at) (?!the\b|an?\b|my\b|our\b|your\b))")
_SHORT = re.compile(
    rf"(?:(?:(?:what|which)(?:['’]s| is| are)?|(?:tell|show|give) me) )?{_ARTICLE}[\w-]+(?: [\w-]+)?", re.I
)
_COMPLEMENT = re.compile(rf"{_ARTICLE}[\w-]+(?: [\w-]+)?( (?:for|of) .+)", re.I)
"""Parts of which only the last one has what is asked about: temperature and time for bread."""


_NEGATED = re.compile(r"(?:^|(.))(?:[不没](?!\1)|除)", re.S)
"""In Chinese, a negation, not a choice (能不能): it may hold for one of two things or for both."""
_HEAD_ALONE = re.compile(
    rf"(?:(?:what|how|why|when|where) )?(?:(?:if|is|are|was|were|does|{_MODAL}) {_ARTICLE}[\w-]+"
    rf"|{_MODAL} (?:i|you|we|they) \w+)",
    re.I,
)
"""An English part without its predicate or object: can students and staff use the gym, how do I clean and store it."""


@dataclass(frozen=True)
class SubQuestions(Rewording):
    """Splits the question into up to ``n`` sub-questions.

    The rule cuts at punctuation and conjunctions, but not between two things of which one thing is said together
    (their relation, their difference).  A piece without a content word joins the one before; a piece with a single one
    (“and when?”), or with a pronoun, gets the topic words of the first piece, unless these are a property alone (the
    warranty, without the thing that has it).  A piece that only names another thing (“And rye bread?”, 普洱呢) is asked
    what the piece before it asks.
    """

    label = Said("Sub-questions")
    about = Said("One question for each thing that the question asks.")

    n: int = knob(4, low=1, high=10, label=Said("Sub-questions"), help=Said("Maximum number."))

    def parse(self, query: str, answers: Sequence[str]) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(text, Said("sub-question")) for text in items(answers[0], self.n, questions=True))

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        wording, language = Wording.of(corpus), language_of(query)
        pieces, whole = list[str](), set[str]()
        for before, clause in _clauses(query, language):
            for i, piece in enumerate(_cut(clause, language, wording)):
                piece = before + piece if i == 0 else piece
                if not wording.content(piece) and pieces and not _asks_anew(piece, language):
                    pieces[-1] = f"{pieces[-1]}{'' if language == 'zh' else ' '}{piece}"
                elif pieces:
                    completed = _completed(piece, pieces[-1 if i else 0], language, wording, same_clause=i > 0)
                    if completed != piece or (i and piece[-2:] == pieces[-1][-2:]):  # asked of each
                        whole.add(completed)
                    pieces.append(completed)
                elif wording.content(piece):
                    pieces.append(piece)
        if len(pieces) < 2:
            return ()
        if language == "en" and (complemented := _complemented(pieces)) != pieces:
            pieces = complemented
            whole.update(pieces)
        if len(pieces) > 2 and not _is_thing(pieces[-1], wording) and all(_is_thing(p, wording) for p in pieces[:-1]):
            pieces = [f"{piece}: {pieces[-1]}" for piece in pieces[:-1]]
            whole.update(pieces)  # flour, water and salt: how much of each?
        about = _subject(re.split("[，,]", pieces[0])[0], language, wording)
        mark = "？" if language == "zh" else "?"
        variants = []
        for i, piece in enumerate(pieces[: self.n]):
            bare = _NEW_QUESTION[language].sub("", piece, count=1) if language == "zh" else piece
            lonely = (
                i > 0
                and about not in piece
                and (
                    len(wording.content(bare)) < 2
                    or _POINTS[language].search(piece)
                    or (language == "zh" and _OPENS.match(piece) is not None)
                )
                and piece not in whole
            )
            why = Said("Part {i} of {n}.", i=i + 1, n=len(pieces))
            if lonely:
                why = Said("Part {i} of {n}; “{about}” is from the first part.", i=i + 1, n=len(pieces), about=about)
                piece = f"{about}{'，' if language == 'zh' else ': '}{piece}"
            variants.append(QueryVariant(piece.rstrip("?？.。 ") + mark, Said("sub-question"), why))
        return tuple(variants)


def _clauses(query: str, language: str) -> list[tuple[str, str]]:
    """Splits a question at punctuation: each clause that asks, with what is told before it."""
    every = [clause.strip() for clause in _MARKS.split(query) if clause.strip()]
    telling = [_tells(clause, language) for clause in every]
    if language == "zh" and all(telling):  # nothing is asked: words of a search, or a story
        story = len(every) > 1 and any(p.tag[:1] in ("v", "p", "d") and p.tag != "vn" for c in every for p in tagged(c))
        return [] if story else [("", clause) for clause in every]
    clauses, before, comma = list[tuple[str, str]](), "", "，" if language == "zh" else ", "
    for clause, tells in zip(every, telling, strict=True):
        if tells or (before and not (_WH.search(clause) or _NEW_QUESTION[language].match(clause) or language == "zh")):
            before += clause + comma
        else:
            clauses.append((before, clause))
            before = ""
    return clauses


def _tells(clause: str, language: str) -> bool:
    """Returns whether a clause tells something without asking: my phone got wet, 钥匙丢了."""
    if language == "en":
        return _TELLS.match(clause) is not None and not _WH.search(clause)
    return not _QUESTION.search(clause)


def _share_verb(parts: Sequence[str]) -> bool:
    """Returns whether Chinese parts are only verbs of one object, or objects of one verb."""
    first, last = tagged(parts[0]), tagged(parts[-1])
    asks = _QUESTION.match(parts[0]) or _ASKS.match(parts[0])
    verbs = first and last and first[-1].tag.startswith("v") and last[0].tag.startswith("v")
    bare = not any(p.tag.startswith("v") for p in last) and not _QUESTION.search(parts[-1].rstrip("吗呢？? "))
    return bool(asks) and bool(verbs or (bare and len(first) > 1))


def _subject(piece: str, language: str, wording: Wording) -> str:
    """Returns the topic of a piece: the words before what is asked of it, else its first run of content words."""
    if language == "zh" and (opened := _NEW_QUESTION[language].match(piece)):
        piece = piece[opened.end() :]
    start = _asked(piece, language, wording)
    if start > 0 and (head := piece[:start].strip()):
        words = wording.content(head)
        attribute = _ATTRIBUTE.match(piece, start) and len(words) > 1 and words[-1].end == len(head)
        topic = head[: words[-1].start].rstrip("的 ") if attribute else head
        *names, last = tagged(topic)
        while names and last.tag.startswith(("v", "p")) and _BOUND.search(last.text):  # 龙井用, 龙井产自
            topic, last = topic[: last.start], names.pop()
        return "" if len(words) < 2 and PROPERTY[language].search(topic) else topic.rstrip("了")
    frames = [m.span() for m in FRAME.finditer(piece)]
    words = wording.content(piece)
    words = [t for t in words if piece[t.end : t.end + 1] not in ("'", "’")] or words  # don't
    topics = [t for t in words if not any(a <= t.start < b for a, b in frames)]
    first, *other_tokens = topics or words
    before, end = 0, first.end
    for token in other_tokens:
        if piece[end : token.start].strip() not in ("", "of"):
            break
        before, end = end, token.end
    if before and _VERB_BEHIND.search(piece, 0, first.start) and _VERB_ENDS.match(piece, end):
        end = before  # does the battery last
    end = max([end, *(p.end for p in tagged(piece) if language == "zh" and p.start == end and p.kind == "noun")])
    topic = piece[first.start : end]
    if not PROPERTY[language].search(topic):
        return topic
    owner = _OWNER.match(piece, end)
    rest = piece[owner.end() :] if owner else ""
    return _subject(rest, language, wording) if wording.content(rest) else ""


def _asks_anew(piece: str, language: str) -> bool:
    """Returns whether a piece without a content word asks something of its own: and when, 怎么申请, but not 怎么办."""
    if language == "en":
        return (_QUESTION_WORD.fullmatch(piece) or _NEW_QUESTION[language].match(piece)) is not None
    asks = _NEW_QUESTION[language].match(piece) or _ASKS.search(piece) or re.search("谁", piece)
    return asks is not None and not _SAYS_NOTHING.fullmatch(piece[: asks.start()] + piece[asks.end() :])


def _is_thing(piece: str, wording: Wording) -> bool:
    """Returns whether an English piece only names a thing: the chain, rye bread."""
    words = wording.content(piece)
    bare = re.sub(rf"^{_ARTICLE}", "", piece.strip(), flags=re.I)
    alone = bare.lower() not in FUNCTION_WORDS and not any(map(is_han, piece))
    return alone and 0 < len(words) <= _WORDS and len(bare.split()) == len(words)


def _completed(piece: str, first: str, language: str, wording: Wording, *, same_clause: bool) -> str:
    """Returns a piece that only names another thing as the question about it: “And rye bread?”, 普洱呢."""
    words = wording.content(first)
    if language == "zh":
        thing = piece.removesuffix("呢")
        if thing == piece or not words or not wording.content(thing) or _ASKS.search(thing):
            return piece
        begins = words[0] if first[: words[0].start] in _MINE else words[-1]
        old = next((t for t in words if t.text[-1] == thing[-1]), begins)
        return first[: old.start] + thing + first[old.end :]
    place = _PLACE.match(piece) if same_clause else None
    if place and (at := first.rfind(f" {place[0]} ")) > 0:
        return f"{first[:at]} {piece}"
    if not _is_thing(piece, wording) or _is_thing(first, wording):
        return piece
    if same_clause:
        thing = rf"[\w-]+(?: [\w-]+){{{len(wording.content(piece)) - 1}}}$"
    else:
        thing = re.escape(_subject(first, language, wording)) + r"\b"
    return re.sub(rf"\b{_ARTICLE}{thing}", lambda _: piece, first, count=1, flags=re.I)


def _asked(text: str, language: str, wording: Wording) -> int:
    """Returns where that begins which is asked of the thing named before it; -1 if that is not clear."""
    words = wording.content(text)
    places = (
        m.start()
        for m in _ASKS.finditer(text if language == "zh" else "")
        if not any(
            t.start < m.start() < t.end
            or (t.start <= m.start() and m.end() < t.end and not m["word"] and known_word(t.text))
            for t in words
        )
    )
    return next(places, -1)


def _cut(clause: str, language: str, wording: Wording) -> list[str]:
    """Splits a clause at conjunctions with content words on both sides, and never inside a word."""
    words = [(t.start, t.end) for t in wording.content(clause)]
    names = [m.span() for m in _NAME.finditer(clause)]
    parts, start = [], 0
    for m in _JOINTS[language].finditer(clause):
        inside = any(a < m.start() < b or a < m.end() < b for a, b in [*words, *names])
        if not inside and not clause[start : m.start()].strip():  # a clause that begins with “and”
            start = m.start() if m[0] in "和与跟" and _RELATES["zh"].search(clause) else m.end()
        elif inside or _together(clause, start, m, language):
            continue
        elif wording.content(clause[start : m.start()]) and (
            wording.content(behind := clause[m.end() :]) or _asks_anew(behind, language)
        ):
            parts.append(clause[start : m.start()].strip())
            start = m.end()
    parts = [part for part in [*parts, clause[start:].strip()] if part]
    if len(parts) < 2:
        return parts
    negated = language == "zh" and _NEGATED.search(clause) and not _EACH.search(clause)
    alone = _HEAD_ALONE.fullmatch(parts[0]) and not _NEW_QUESTION[language].match(parts[1])
    if negated or alone or (language == "zh" and _share_verb(parts)):
        return [clause.strip()]
    return _shared_out(parts, wording) if language == "zh" else _complemented(parts)


def _complemented(parts: list[str]) -> list[str]:
    """Returns English parts with the thing that only the last one names: hours, prices and rules of the pool."""
    complement = _COMPLEMENT.fullmatch(parts[-1])
    if complement and all(_SHORT.fullmatch(part) or part.endswith(complement[1]) for part in parts[:-1]):
        return [part if part.endswith(complement[1]) else part + complement[1] for part in parts]
    return parts


def _shared_out(parts: list[str], wording: Wording) -> list[str]:
    """Returns Chinese parts with what only the first one or the last one has: the owner, the property, the question."""
    owner = re.match("[^的]+的(?=[^的]+$)", parts[0])
    if owner and not any("的" in part or _QUESTION.match(part) for part in parts[1:]):
        parts = [parts[0], *(owner[0] + part for part in parts[1:])]  # 咖啡机的价格和保修期
    shared = _SHARED.fullmatch(parts[-1])
    if shared and all(len(wording.content(part)) == 1 for part in parts[:-1]):  # 绿茶和普洱的储存方法
        return [*(part + shared[1] for part in parts[:-1]), parts[-1]]
    each = _EACH.search(parts[-1])
    if (start := each.start() if each else _asked(parts[-1], "zh", wording)) > 0:
        same = _EACH.sub("", parts[-1][start:], count=1)  # asked of each of them
        parts = [*parts[:-1], parts[-1][:start]]
        parts = [part if _asked(part, "zh", wording) >= 0 else part + same for part in parts]
    return parts


def _together(clause: str, start: int, joint: re.Match[str], language: str) -> bool:
    """Returns whether a conjunction joins two things asked about together: their relation, their difference."""
    if _NEW_QUESTION[language].match(clause, joint.end()):
        return False
    behind, before = clause[joint.end() :], clause[start : joint.start()]
    opened = _OPENS_RELATION[language].search(before)
    better = joint[0] == "还是" and "更" in behind
    joined = opened and _JOINTS[language].search(before, opened.end())  # its second thing was named already
    return bool(better or _RELATES[language].search(behind) or (opened and not joined))
