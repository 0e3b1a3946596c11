"""Puts a turn into plain words: a rhetorical question as what it asks, a relative time as the days that it means.

“Last year” counts from the date of the conversation, “three months earlier” from the date that was named last.  A time
whose date is not known stays as it is and is named; so does a rhetorical question that asks nothing in particular.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from lab.algebra import Query
from lab.patterns import lazy_pattern
from lab.rewrite.objects import pieces
from lab.rewrite.turn_words import LONGEST
from lab.text import HAN_QUESTION, half_width, is_han
from lab.text.quantities import Days, read_days, read_shift, written_days
from lab.text.quantities.dates import MONTH_NAME
from lab.text.quantities.days import ANY_DAYS
from lab.text.writing import QUOTES
from lab.words import N_, Said

# ------------------------------------------------------------------------------------------------ relative times

_DATES = date(1999, 3, 10), date(2013, 8, 23)
"""Words that mean the same days on both dates are absolute."""
_TIMES = lazy_pattern(
    r"[年月日号天周今昨明]|季度|星期|礼拜|\b(?:day|week|month|quarter|year|yesterday|today|tomorrow|q[1-4]\b|(?:19|20)\d\d\b)"
    rf"|\b(?:{MONTH_NAME})\b"
)
"""Without one of these a turn names no time: looking for it takes less time than reading."""
_BEFORE = lazy_pattern(r"(?:^|\b(?:in|of|for|from|since|until|till|before|after|during|by|to|and|between|about) )$")
"""Before the name of a month."""
_EVENT = lazy_pattern(
    "(?<=[一-鿿])(?<![那再比和与跟就是])之?[前后](?![年天])|(?<=[一-鿿])(?<![那再比和与跟就是在了从我你您他她它们的]).{1,6}[前后]$"
)
"""Before or after an event: 请假前一天."""
_AWAY = lazy_pattern(r"(?P<day>天|日|周|星期|礼拜|day|week)|(?P<month>月|month)|季度|quarter|年|year")
"""The unit in which a day is so far away."""
_FROM_TODAY = lazy_pattern("(?!that|the same|之?[那同]).*?(?:年|月|季|month|quarter|year|previous|上一周)")
"""What counts from today where no days were named."""
_ARTWORK = lazy_pattern(
    r"\b(?:song|film|movie|book|novel|album|track|series|show|play|band|called|(?:en)?titled|named) (?=[A-Z\d])"
    "|(?:名为|名叫|叫做?|[书片歌剧]名[是为叫]?|(?:歌曲?|曲子|电影|影片|小说|专辑)(?=.{2,3}(?:是谁|谁|有歌词|的(?:歌|作|词|导|主))))"
)
"""Before the title of a work: the song Yesterday."""
_THE = lazy_pattern(r"\bthe $", re.IGNORECASE)


class Dated(NamedTuple):
    """A turn with its times in absolute words, the last days that are named, and a sentence about each time."""

    text: str
    named: Days | None
    remarks: tuple[Said, ...] = ()


@lru_cache(maxsize=512)
def dated(text: str, named: Days | None, today: date | None) -> Dated:
    """Writes the relative times of a turn as the days that they mean; ``named`` are the days named before it."""
    folded, chinese = half_width(text[:LONGEST]), any(map(is_han, text))
    written, remarks, at, done = "", list[Said](), 0, 0
    while _TIMES.search(folded, at) and (place := ANY_DAYS.search(folded, at)):
        at = place.start()
        days, base = _read(folded, at, named, today)
        if days is None or _in_title(text, days):
            at += 1 if days is None else days.end - at
            continue
        words, at = text[days.start : days.end], days.end
        if base == days:
            named = days
        elif base is None:
            message = N_("“{words}” depends on a date that is neither named nor set, and is searched unchanged.")
            remarks.append(Said(message, words=words))
        else:
            named = _whole(days, folded)
            meaning = written_days(named.first, named.after, chinese=chinese)
            written += _THE.sub("", text[done : days.start]) + meaning
            done = days.end
            message = N_("“{words}” means “{meaning}”, counted from {base}.")
            counted = written_days(base.first, base.after, chinese=chinese)
            remarks.append(Said(message, words=words, meaning=meaning, base=counted))
    return Dated(written + text[done:], named, tuple(remarks))


def _in_title(text: str, days: Days) -> bool:
    """Returns whether words for a time are part of a title: 《昨天》, the song Yesterday, in The Day After Tomorrow."""
    quoted = any(m.start() < days.start and days.end < m.end() for m in QUOTES.finditer(text))
    named = any(m.end() == days.start for m in _ARTWORK.finditer(text))
    return quoted or named or (text.startswith("The ", days.start) and text[: days.start][-2:-1].isalpha())


def names_time(text: str) -> bool:
    """Returns whether a turn by itself names a time that depends on the date of the conversation."""
    return dated(text, None, None).remarks != ()


def _read(text: str, at: int, named: Days | None, today: date | None) -> tuple[Days | None, Days | None]:
    """Returns the days that are named at a place, and what they count from: themselves, other days, or None."""
    if at and all(c.isascii() and c.isalnum() for c in text[at - 1 : at + 1]):
        return None, None
    bare = text[at].isdigit() or _BEFORE.search(text, 0, at) is not None
    now = Days(0, 0, today, today + timedelta(1)) if today and today < date.max else None
    first, second = (read_days(text, at, day, bare=bare) for day in _DATES)
    base = named or now
    shifted = read_shift(text, at, base or Days(0, 0, _DATES[0], _DATES[0] + timedelta(1)))
    if shifted and (first is None or shifted.end >= first.end):
        first, now = shifted, named if text[at : shifted.end].endswith(" later") else base  # later than what is named
        if not named and not _FROM_TODAY.match(text, at, shifted.end):
            return None, None  # “the next day” is not one after today, and “that year” is not this one
    elif first is None or first.first == first.after:
        return read_shift(text, at, Days(0, 0, _DATES[0], _DATES[0] + timedelta(1))) if named else None, None
    elif first == second:
        return first, first
    elif first.yearless:  # of the year that was named
        now = named
        first = read_days(text, at, date(named.first.year, 12, 31), bare=bare) if named else None
    else:
        first = read_days(text, at, today, bare=bare) if today else first
    event = first and _EVENT.search(text[: first.end], max(0, at - 1))
    return (None, None) if event and event.start() <= at else (first, now)


def _whole(days: Days, text: str) -> Days:
    """Returns the whole month, quarter or year of a day that is so many of them away: two years ago."""
    words = text[days.start : days.end]
    unit = _AWAY.search(words) if re.search("ago|earlier|later|before|after|前|后", words) else None
    if unit is None or unit.lastgroup == "day" or days.after - days.first > timedelta(1):
        return days
    name = "month" if unit.lastgroup else "quarter" if unit[0] in ("季度", "quarter") else "year"
    stretch = read_shift(f"that {name}", 0, days)
    return days if stretch is None else days._replace(first=stretch.first, after=stretch.after)


# ------------------------------------------------------------------------------------------ rhetorical questions

_VERBS = r"is|are|was|were|do|does|did|has|have|had|could|should|would|must|ca(?=n)|wo(?=n)|can|will"
_WHO = r"(?:it|they|he|she|you|we|i|there|this|that)\b"
_SUBJECT = rf"(?:{_WHO}|(?:an?|the|my|our|your|their|his|her|its|every|all|most|each|these|those)\b|(?-i:[A-Z]))"
_NOT = rf"(?P<verb>{_VERBS})(?:n['’]?t\b|not\b)"
_CLAUSE = r"(?:^|(?<=[,;:–—] )|(?<=\bbut )|(?<=\band )|(?<=\bso )|(?<=\bthen ))"
_ENGLISH_FRAME = lazy_pattern(
    rf"^surely,? |^don['’]t tell me,? (?:that )?(?={_WHO}|the \w+ (?:{_VERBS})\b)"
    r"|\bhow (?=can (?:it|this|that|there) not (?:be|have)\b)"
    r"|\bdo(?:es)? (?:you|anyone|they) (?:really|seriously) (?:think|believe) (?:that )?"
    rf"|, ?(?P<tag>{_VERBS})(?P<positive>n['’]?t)? {_WHO}(?P<not> not)?(?=\?)",
    re.IGNORECASE,
)
"""What makes a statement or a question rhetorical, in English; “isn't it?” stands behind what is not negated."""
_ECHOED = {"ca": "can", "can": "can", "could": "could", "should": "should", "must": "must", "would": "would|['’]d"}
_ECHOED |= dict.fromkeys(("will", "wo"), "will|won['’]?t|['’]ll")
"""What a statement has if a modal verb behind it is its tag; “I take no pills, should I?” asks something else."""
_NEGATION = lazy_pattern(
    rf"\b(?:{_NOT}|never\b ?|not\b(?! (?:all|every\w*|only|just|always)\b) ?|no\b(?! (?:one|longer|more)\b) ?)",
    re.IGNORECASE,
)
_SUBORDINATE = lazy_pattern(r"\w (?:that|which|who|whose|if|when|because|unless|with)\b", re.IGNORECASE)
"""A negation behind one of these is not that of the sentence: lamps that don't need batteries."""
_NEGATIVE_QUESTION = lazy_pattern(
    rf"{_CLAUSE}(?:{_NOT}(?! (?:i|you) dare\b)(?= (?:{_WHO}|{_SUBJECT}.*\?)"
    rf"|(?:(?<=isn['’]t)|(?<=aren['’]t))(?! \w+ing\b) [a-z][^,]*\?)"
    rf"|(?P<verb2>does|do|did|has|have) (?P<who>{_WHO}) not\b(?! (?:only|just|all|every|yet)\b))",
    re.IGNORECASE,
)
_CHINESE_FRAME = lazy_pattern(
    "(?P<drop>难道说?|不也(?=[^不没，,]*[吗么])|岂不(?:就?是)?|岂(?=[能会可是])|怎么可能|怎么[会能](?=[不没])|哪[能会](?=[不没])|哪有(?=.*道理))"
    "|(?P<is>岂非|(?<![是还而])不就?是(?:说好?)?)(?=[^，,]*[吗么])|(?P<must>(?:何必|何苦|[用犯]得着)(?![非要]))"
)
"""What makes a sentence rhetorical, in Chinese."""
_CHINESE_END = lazy_pattern(r"(?:的?道理)?(?P<asks>(?<![什怎多这那要])么|[吗呢啊吧]|不成)?[\s？?！!。]*$")
_CHINESE_QUESTION = lazy_pattern(rf"{HAN_QUESTION}|有没有|([一-鿿])不\1")
"""A question that has no negation to take away."""
_MAY = lazy_pattern("可以|[能要行]|会(?![员议计])")
_BOUND = lazy_pattern(
    "(?<=[还也又都毫再从而])|(?<=从来)"
    "|(?<=[连打买看找听说赶进出用做想睡吃喝修收见等受忍拿搬走开关])不[上下开到了起出进过来去动完住懂掉着见]"
)
"""A negation that is more than one: 还没, 从来没有, 连不上."""
_SPLIT = lazy_pattern(r"(?<=[。！？!?；;])|(?<=\.)(?=\s)")
_ASKS_NOTHING = lazy_pattern(
    r"\bwho (?:would|wants to)(?:n['’]t)? (?:buy|want|pay|use|like|take|choose)\b"
    r"(?= (?:it|that|this|these|those|such|so|.*\bwithout)\b)(?!.*\bor\b)|\bwho cares\b(?=\W*$)"
    r"|\bwhat(?:['’]s| is) the (?:point (?:of|in)(?! (?:care|sale|contact|entry|origin|departure|view)\b)"
    r"|(?:use|good) (?:of|in) (?:it|that|this|\w+ing)\b)|\bwhat (?:good|use) is\b"
    r"|\bwhy (?:bother|would (?:anyone|anybody)(?! be\b))\b"
    r"|谁(?:会|愿意|肯|敢)去?(?:不|[买用要选信](?=.*(?:没|不|[这那]么|呢|啊)))"
    r"|(?:[没不无]|[这那]么).*有(?:什么|何)(?:用(?![途法处户场])|意义|好(?!处))|凭什么(?=[不没要收扣让我你他])|算什么",
    re.IGNORECASE,
)
"""Rhetorical, but nobody can say what is asked."""


def asked_plainly(text: str) -> tuple[str, tuple[Said, ...]]:
    """Returns a turn with its rhetorical and negative questions as the positive ones that they ask, and a sentence."""
    pairs = [(sentence, _asked(sentence)) for sentence in _SPLIT.split(text)]
    changed = ((sentence.strip(), plain.strip()) for sentence, plain in pairs if sentence != plain)
    if remarks := tuple(Said("“{text}” asks: “{plain}”.", text=sentence, plain=plain) for sentence, plain in changed):
        return "".join(plain for _, plain in pairs), remarks
    if unclear := _ASKS_NOTHING.search(text):
        message = N_("“{words}” may be rhetorical: it is searched unchanged. What would you like to know?")
        return text, (Said(message, words=unclear[0].strip()),)
    return text, ()


def _asked(sentence: str) -> str:
    """Returns one sentence as the positive question that it asks; unchanged if it is not rhetorical."""
    if any(map(is_han, sentence)):
        return _asked_in_chinese(sentence)
    frame = _ENGLISH_FRAME.search(sentence) if re.search(r"^(?!I .*\byou\?).*\?\s*$", sentence) else None
    echoed = frame and _ECHOED.get((frame["tag"] or "").lower())
    if frame is None or (echoed and not re.search(echoed, sentence[: frame.start()], re.IGNORECASE)):
        return _NEGATIVE_QUESTION.sub(_affirmed, sentence, count=1)
    bare = _ENGLISH_FRAME.sub("", sentence)
    negation = _NEGATION.search(bare)
    positive = frame["positive"] or frame["not"] or (negation and _SUBORDINATE.search(bare, 0, negation.start()))
    return bare if positive else _NEGATION.sub(_affirmed, bare, count=1)


def _affirmed(match: re.Match[str]) -> str:
    """Returns an English negation without its “not”."""
    words = match.groupdict()
    if words.get("who"):
        return f"{words['verb2']} {words['who']}"
    verb = words.get("verb") or ""
    return {"ca": "can", "Ca": "Can", "wo": "will", "Wo": "Will"}.get(verb, verb)


def _asked_in_chinese(sentence: str) -> str:
    end, frame = _CHINESE_END.search(sentence), _CHINESE_FRAME.search(sentence)
    if end is None or not (frame or (end["asks"] or "") in ("吗", "么")):
        return sentence
    start, first = frame.span() if frame else [max(map(sentence.rfind, ",，")) + 1] * 2
    before, rest = sentence[:start], sentence[first : end.start()]
    if not rest.strip() or _CHINESE_QUESTION.search(before + rest):
        return sentence
    if frame and frame["is"]:
        if "说" not in frame[0] and any(_MAY.match(piece.text) for piece in pieces(rest)[1:]):
            return sentence  # 不是会员可以买吗
        positive = rest if "说" in frame[0] else f"是{rest}"
    else:
        positive = ("要" if frame and frame["must"] else "") + _affirmed_chinese(rest, framed=frame is not None)
    return f"{before}{positive}吗？" if frame or positive != rest else sentence


def _affirmed_chinese(text: str, *, framed: bool) -> str:
    """Returns a Chinese clause without its last negation, unless that belongs to a condition or a qualifier."""
    every = pieces(text)
    for i, piece in reversed([*enumerate(every)]):
        rest, behind = text[piece.end :], every[i + 1 : i + 2]
        if not re.fullmatch("不(?:是|[会能可以行要用该应想肯让给算]{1,2})?|没有?|未", piece.text):
            continue
        qualifies = "的" in rest and any(before.tag.startswith("v") for before in every[:i])  # 没有不含糖的
        verbs = sum(p.tag == "v" for p in every[i + 1 :]) if len(piece.text) == 1 or piece.text == "没有" else 0
        bound = verbs > (piece.text in "不未") and not framed  # 没有发票退钱吗
        stops = "[就能会可要行还才是]" if framed else "[就能会可要行还才也的是得]"
        if qualifies or bound or _BOUND.match(text, piece.start) or re.search(stops, rest):
            continue
        has = piece.text == "没" and any(p.kind == "name" or p.tag.startswith("n") for p in behind)
        return text[: piece.start] + ("有" if has else piece.text.lstrip("不没未")) + rest
    return text


# ---------------------------------------------------------------------------------------------------- both


def in_plain_words(query: Query, today: date | None) -> tuple[Query, tuple[Said, ...]]:
    """Returns the query with its turns in plain words, and sentences on what became of the turn that is asked."""
    named, turns = None, []
    for turn in query.turns:
        if turn.role == "user":
            earlier = dated(turn.text, named, today)
            turn, named = replace(turn, text=earlier.text), earlier.named
        turns.append(turn)
    text, remarks = asked_plainly(query.text)
    last = dated(text, named, today)
    return replace(query, text=last.text, turns=tuple(turns)), (*remarks, *last.remarks)
