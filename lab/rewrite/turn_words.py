"""Words and phrases that identify the kind of a turn, in both languages, from ``turns.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from lab.patterns import lazy_pattern
from lab.text.asking import ASKER_WORDS, QUESTIONS

LONGEST = 2000
"""So many characters of a turn are looked at."""
_TABLE: dict[str, dict[str, Any]] = tomllib.loads((files("lab.rewrite") / "turns.toml").read_text("utf-8"))
FUNCTION_WORDS = QUESTIONS | ASKER_WORDS | frozenset(" ".join(_TABLE["function_words"].values()).split())
"""Words that say nothing of a topic, in both languages: a conversation's earlier turns are not remembered by them."""
ASKING_VERBS = frozenset(_TABLE["words"]["asking_verbs"].split())
"""English verbs that stand before what a question is about, and do not belong to it."""
SPEAKER_WORDS = frozenset(_TABLE["words"]["speaker_words"].split())
"""Words of what the speaker thinks, knows or asks, how surely and how much: they are no topic either."""
CLASS_WORDS = tuple(_TABLE["words"]["class_words"].split())
"""Words for things in general (product, model, 产品): as the subject of a comparison they name nothing."""

PROPERTY = {
    "zh": re.compile(
        r"(?:[量度价费期长高率积数龄温速重距宽厚深展]|期限|价[格钱值]|费用|时间|寿命|续航|尺寸|大小|颜色|人口|性能|成本|规模|特点|优缺?点"
        r"|缺点|作用|功能|用途|习性|结构)\Z"
    ),
    "en": re.compile(
        r"\b(?:warranty|guarantee|price|costs?|fees?|battery life|weight|size|colou?rs?|deadline|length|height)\Z",
        re.I,
    ),
}
"""A property, which belongs to a thing that is named beside it."""
COMPARED = (
    r"(?:(?!(?:other|over|under|after|ever|never|order|number|paper|water|power|computer|printer|router|speaker|charger|user"
    r"|offer|answer|letter|member|matter|together|whether|rather|another|however|remember|consider|prefer|refer)\b)"
    r"\w{2,}er|(?!(?:test|rest|west|guest|request|interest|forest|invest|suggest|latest)\b)\w{2,}est)\b"
)
"""An English comparative or superlative by its ending."""


def phrases(name: str, form: str = "{}") -> re.Pattern[str]:
    """Compiles the phrases of this name into one pattern, inserted into ``form``, with their placeholders filled in."""
    joined = "|".join(_TABLE["phrases"][name])
    word_lists = {
        "compared": COMPARED,
        "class_en": f"(?:{'|'.join(w for w in CLASS_WORDS if w.isascii())})",
        "class_zh": f"(?:{'|'.join(w for w in CLASS_WORDS if not w.isascii())})",
    }
    for placeholder, pattern in word_lists.items():
        joined = joined.replace("{" + placeholder + "}", pattern)
    return lazy_pattern(form.format(joined), re.IGNORECASE)


_FRAMES = (phrases("frame"), phrases("correction"), phrases("change"))


def frames(text: str) -> list[tuple[int, int]]:
    """Returns (start, end) of what only a turn's frame has: “I wonder”, 看错了, numerals with a classifier."""
    return [match.span() for pattern in _FRAMES for match in pattern.finditer(text)]


def is_content(word: str, start: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Returns whether a word (in lower case) is about something; ``spans`` are the frames of its text."""
    end = start + len(word)
    return (
        (len(word) > 1 or word.isdigit())
        and word not in FUNCTION_WORDS
        and word not in SPEAKER_WORDS
        and not any(a <= start and end <= b for a, b in spans)
    )
