"""Removes what is not the answer from what a model writes: its thoughts, and the marks of its chat template.

Servers usually separate both; where they do not, each family of models has its own signs.  The table was compared with
the reasoning parsers of vLLM and Ollama (November 2026).  A sign that an answer mentions stays: it is quoted, stands in
code or in the middle of a sentence.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from lab.patterns import lazy_pattern

_THINKING = (
    r"(?:ant|\w{1,12}[_:]){0,2}(?:think(?:ing)?|thoughts?|reasoning|analysis|scratchpad|reflection|monologue"
    r"|思考|思维|推理)(?:过程)?(?:[_:]\w{1,20})?"
)
"""The names of elements of thoughts: think, seed:think, inner_thoughts, reasoning_content, 思考."""
_SIGNS = (
    (rf"<\s?{_THINKING}(?:\s[^<>\n]{{0,40}})?>", rf"</\s?{_THINKING}\s?>"),  # most
    (rf"【{_THINKING}】", rf"【/{_THINKING}】"),
    (r"<ifm\|think>", r"</ifm\|think>"),  # K2 Horizon
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral, Ministral
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|open\|>\s?think\s?<\|sep\|>", r"<\|close\|>\s?think\s?<\|sep\|>"),  # Kimi K3
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),  # Cohere
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|think:start\|>", r"<\|think:end\|>"),  # Solar
    (r"<\|think(?:ing)?\|>", r"<\|/think(?:ing)?\|>"),
    (r"<\|begin_of_(?:thought|think)(?:ing)?\|>", r"<\|end_of_(?:thought|think)(?:ing)?\|>"),  # Sky-T1, OpenThinker
    (r"<\|channel>\s?(?:thought|analysis)", r"<channel\|>"),  # Gemma 4
    (r"\[unused16\]", r"\[unused17\]"),  # Pangu
)
_WORDS = (
    (r"/think\n", r"<\|im_start\|>assistant"),  # HyperCLOVA X
    (r"(?i:Here(?:'s|’s| is) my thought process:)", r"(?i:Here(?:'s|’s| is) my response:)"),  # Granite
    (r"analysis(?=[A-Z“\"(\u4e00-\u9fff])", r"assistant ?final"),  # gpt-oss without its special tokens
)
"""Openings and endings of thoughts, as patterns; those in words count only at the beginning of an answer."""

_FAMILIES = [(re.compile(a, re.I | re.S), re.compile(b, re.I | re.S)) for a, b in _SIGNS]
_FAMILIES_IN_WORDS = [(re.compile(a, re.S), re.compile(b, re.S)) for a, b in _WORDS]
_OPENING = lazy_pattern("|".join(opening for opening, _ in _SIGNS), re.I)
_ENDING = lazy_pattern("|".join(ending for _, ending in _SIGNS), re.I)
_MUST_END = lazy_pattern(rf"<(?!\s?(?:\w{{1,12}}:)?think(?:ing)?\b)\s?{_THINKING}\b", re.I)
"""Openings that count behind the beginning only if they are closed."""
_JOINS = {"and", "or", "to", "with", "then", "until", "和", "与", "或", "及", "到"}
"""Between two signs that a sentence names: “<think> and </think>”."""
_NAMES_IT = lazy_pattern(
    r"(?:\b(?:is|are|with|by|the|an?|tags?|tokens?|marks?|markers?|called|as|of|and|or|to|like|uses?|emits?|writes?)\s"
    r"|(?:是|为|用|叫|以|标记|标签|符号|和|或|与)\s?)\Z",
    re.I,
)
_SAYS_OF_IT = lazy_pattern(
    r"\s(?:is|are|was|tags?|tokens?|elements?|opens?|closes?|ends?|marks?|means?|starts?|begins?|and|or|stands)\b"
    r"|\s?(?:表示|是|标签|标记|用来|用于|和|与|的意思)",
    re.I,
)
"""Words before and behind a sign that is mentioned."""
_OPENS_QUOTE = lazy_pattern(r"[`“‘「『(（]\Z|(?:^|[\s\[({:,，：])[\"']\Z")
_QUOTES = "\"'`“”‘’「」『』()（）,，、"
_SENTENCE_ENDS = "\n.!?。！？…~～>]▷】"

_HEAD_END = r"[ \t]?(?:<\|[a-z]{1,20}\|>[ \t]?\w{0,40}[ \t]?){0,2}\Z"
_CHANNEL = lazy_pattern(rf"<\|channel\|>(\w{{1,40}}){_HEAD_END}")
_RECIPIENT = lazy_pattern(rf"to=([\w.-]{{1,80}}){_HEAD_END}")
_BODY_END = lazy_pattern(r"<\|(?:start|channel|end|return|call|eom|eot)\|>")
"""The head of a message of gpt-oss (by channel) or Muse (by recipient), and the end of one."""
_FIRST_MESSAGE = lazy_pattern(r"<\|start\|>\s?assistant|<\|channel\|>\w|to=[\w.-]{1,80}<\|message\|>|<\|message\|>")
_TURN = (
    r"<\|(?:open|close)\|>\s?(?:response|message)\s?<\|sep\|>|<[|｜][^<>|｜\s]{1,40}[|｜]>(?:assistant\b)?|</?s>|<(?:end|start)_of_turn>(?:model\b)?|<turn\|>|<\|turn>(?:model\b)?"
    r"|\[/?INST\]|\[e~\[|<[eb]o[as]>|<pad>|<reserved_\d{1,3}>"
)
_TURN_FIRST = lazy_pattern(_TURN, re.I)
_TURN_LAST = lazy_pattern(rf"(?:{_TURN}|<[|｜][\w▁]{{0,40}}[|｜]?)$", re.I)
_NEXT_TURN = lazy_pattern(
    r"(?:<\|im_end\|>|<\|eot_id\|>|<\|end\|>|</s>|<end_of_turn>|<turn\|>|<\|END_OF_TURN_TOKEN\|>)\s?\n?"
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<\|START_OF_TURN_TOKEN\|>|<start_of_turn>|<\|turn>)\W{0,5}(?:user|system|human)",
    re.I,
)
"""The turn of somebody else, which a model invents behind its own."""
_ANSWER_BEGINS = lazy_pattern(r"\s{0,20}<(answer|response|final|final_answer)>", re.I)


class _Opening(NamedTuple):
    start: int
    end: int
    ending: re.Pattern[str]


_HALF_SIGN = lazy_pattern(r"<[|｜/]?[^<>\s]{1,30}>\s?[a-z=_.]{0,12}", re.I)
"""A sign, and perhaps the beginning of the word that belongs to it."""
_BEGINNINGS = (
    "Here is my thought process:",
    "Here's my thought process:",
    "analysis",
    "to=self<|message|>",
    "/think\n",
)


def without_thoughts(text: str) -> str:
    """Returns an answer without thoughts and marks of turns; nothing remains of thoughts that never end.

    Some servers cut off the opening of the thoughts: then everything before the ending is thought.
    """
    if not _has_signs(text):
        return text
    bare = _final_messages(_without_turns(text))
    answer, at = _without_lone_endings(bare), 0
    while opening := _next_opening(answer, at):
        ending = _ending(answer, opening)
        if ending is None and opening.start and _MUST_END.match(answer, opening.start):
            at = opening.end
        elif ending is None:
            answer = answer[: opening.start]
        elif answer[opening.end : ending[0]].strip(" ,/、…").lower() in _JOINS:
            at = ending[1]
        else:
            before, after = answer[: opening.start], answer[ending[1] :]
            answer = before + after if before.strip() else after.lstrip()
            at = len(before) if before.strip() else 0
    return _unwrapped(_without_turns(answer), wholly=answer == bare)


def visible(text: str) -> str:
    """Returns the part of an unfinished answer to show: without thoughts, and without a sign that has only begun."""
    for _ in range(4):  # a sign may consist of several
        last = max(map(text.rfind, "<[◁【"))
        near = last >= max(0, len(text) - 40)
        if not near or (any(s in text[last:] for s in ">]▷】") and not _HALF_SIGN.fullmatch(text, last)):
            break
        text = text[:last]
    return "" if any(words.startswith(text.strip()) for words in _BEGINNINGS) else without_thoughts(text)


def seems_to_think(text: str) -> bool:
    """Whether an answer probably has thoughts in it that cannot be told apart: a label without an end, a lone sign."""
    if labels_thoughts(text):
        return True
    signs = (sign for pattern in (_OPENING, _ENDING) for sign in pattern.finditer(text))
    return any(not (_mentioned(text, *sign.span()) or _in_code(text, sign.start())) for sign in signs)


def labels_thoughts(text: str) -> bool:
    """Whether an answer begins with a line that only names thoughts, as some servers leave it; their end is unknown."""
    return re.match(r"\s{0,9}(?:thoughts?|thinking|analysis|reasoning)[ \t]?\n", text, re.I) is not None


def _has_signs(text: str) -> bool:
    """Whether an answer has any sign at all; most have none."""
    return any(sign in text for sign in "<[◁【") or text.lstrip().startswith(("Here", "analysis", "/think"))


def _next_opening(text: str, at: int) -> _Opening | None:
    """Returns the first opening of thoughts from a place on: at the beginning, or behind a line or sentence."""
    begin = len(text) - len(text.lstrip())
    if not at:
        for opening, ending in _FAMILIES_IN_WORDS:
            if match := opening.match(text, begin):
                return _Opening(begin, match.end(), ending)
    for match in _OPENING.finditer(text, at):
        before = text[max(0, match.start() - 80) : match.start()].rstrip(" \t")
        begins = match.start() == begin or not before or before[-1] in _SENTENCE_ENDS
        if begins and not _mentioned(text, *match.span()) and not _in_code(text, match.start()):
            ending = next(ending for opening, ending in _FAMILIES if opening.fullmatch(match[0]))
            return _Opening(match.start(), match.end(), ending)
    return None


def _ending(text: str, opening: _Opening) -> tuple[int, int] | None:
    """Returns where the ending of a thought stands: the first that is not only mentioned, or ends a thought in it."""
    endings = (m.span() for m in opening.ending.finditer(text, opening.end) if not _named(text, *m.span()))
    ending, inner = next(endings, None), _next_opening(text, opening.end)
    while ending and inner and inner.start < ending[0]:
        ending, inner = next(endings, ending), _next_opening(text, inner.end)
    return ending


def _without_lone_endings(text: str) -> str:
    """Returns what stands behind the endings of thoughts whose openings were cut off."""
    opening, end = _next_opening(text, 0), 0
    for match in _ENDING.finditer(text, 0, opening.start if opening else len(text)):
        if not _mentioned(text, *match.span()) and not _in_code(text, match.start()):
            end = match.end()
    return text[end:].lstrip() if end else text


def _named(text: str, start: int, end: int) -> bool:
    """Whether a sign is quoted, or the words beside it speak of it."""
    before, after = text[max(0, start - 80) : start], text[end : end + 20]
    quoted = bool(_OPENS_QUOTE.search(before)) or (before[-1:] in tuple(_QUOTES) and after[:1] in tuple(_QUOTES))
    return quoted or bool(_NAMES_IT.search(before)) or bool(_SAYS_OF_IT.match(after))


def _mentioned(text: str, start: int, end: int) -> bool:
    """Whether a sign is named, or stands in the middle of a sentence."""
    if _named(text, start, end):
        return True
    line = text[max(0, start - 80) : start].rpartition("\n")[2]
    bare, after = line.rstrip(" \t"), text[end : end + 40]
    if not bare or bare == line or bare[-1] in _SENTENCE_ENDS + ':：;；"”':
        return False
    follows = after.lstrip(" \t")[:1]
    return not (not follows or follows.isupper() or follows.isdigit() or follows in '\n{[#*-<`"“')


def _in_code(text: str, at: int) -> bool:
    """Whether a place is inside a fence."""
    return (text.count("```", 0, at) + text.count("~~~", 0, at)) % 2 == 1


def _final_messages(text: str) -> str:
    """Returns the messages to the reader, if an answer consists of messages."""
    if not _FIRST_MESSAGE.match(text.lstrip()) or "<|message|>" not in text:
        return text
    bodies, parts = list[str](), text.split("<|message|>")
    for head, body in pairwise(parts):
        channel, recipient = (pattern.search(head[-200:]) for pattern in (_CHANNEL, _RECIPIENT))
        if (channel is None or channel[1] == "final") and (recipient is None or recipient[1] == "user"):
            bodies.append(_BODY_END.split(body, maxsplit=1)[0].strip())
    return "\n".join(bodies)


def _without_turns(text: str) -> str:
    """Returns an answer without the marks of turns before and behind it, and without the next turn."""
    if match := _NEXT_TURN.search(text):
        text = text[: match.start()]
    bare = text.strip()
    while (match := _TURN_FIRST.match(bare)) and not (_OPENING.match(bare) or _FIRST_MESSAGE.match(bare)):
        if _SAYS_OF_IT.match(bare, match.end()):
            break
        bare = bare[match.end() :].lstrip()
    while (match := _TURN_LAST.search(bare, max(0, len(bare) - 80))) and not _ENDING.fullmatch(match[0]):
        if _named(bare, *match.span()):
            break
        bare = bare[: match.start()].rstrip()
    return text if bare == text.strip() else bare


def _unwrapped(text: str, *, wholly: bool) -> str:
    """Returns an answer without the element around it: behind thoughts, or if the element is the whole answer."""
    match, end = _ANSWER_BEGINS.match(text), text.rstrip()
    closing = f"</{match[1]}>" if match else ""
    if not match or (wholly and not end.lower().endswith(closing.lower())):
        return text
    return end[match.end() : len(end) - len(closing) if end.lower().endswith(closing.lower()) else None].strip()
