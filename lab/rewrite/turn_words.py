"""Words and phrases that identify the kind of a turn, in both languages, from ``turns.toml``."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

LONGEST = 2000
"""So many characters of a turn are looked at."""
_TABLE: dict[str, dict[str, Any]] = tomllib.loads((files("lab.rewrite") / "turns.toml").read_text("utf-8"))
FUNCTION_WORDS = frozenset(" ".join(_TABLE["function_words"].values()).split())
"""Words that say nothing of a topic, in both languages: a conversation's earlier turns are not remembered by them."""
ASKING_VERBS = frozenset(_TABLE["words"]["asking_verbs"].split())
"""English verbs that stand before what a question is about, and do not belong to it."""
CLASS_WORDS = tuple(_TABLE["words"]["class_words"].split())
"""Words for things in general (product, model, 产品): as the subject of a comparison they name nothing."""


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
    return re.compile(form.format(joined), re.IGNORECASE)
