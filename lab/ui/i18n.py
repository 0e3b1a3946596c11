"""The interface in two languages: gettext catalogues, English as the message itself.

Catalogues are every ``*.po`` file in ``locale/zh/LC_MESSAGES`` here and in packs; a test holds them complete.  `_` says
a literal text, `say` a `Said` from the library (an error, the reason of a removal) in the visitor's language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar

import streamlit as st

from lab import packs
from lab.words import N_ as N_
from lab.words import Said, filled, joined, ngettext, with_commas

LANGUAGES = {"zh": "中文", "en": "English"}
LOCALE = Path(__file__).parent / "locale"


_SIGNS = {", ": "、", "; ": "；", ": ": "：", ". ": "。", " ": ""}
_JOINED, _BETWEEN = re.compile(r"\{part0\}([^{}]*\{part\d+\})*"), re.compile(r"\}([^{}]*)\{")
_HAN = r"\u2e80-\u9fff\uff00-\uffef“”‘’"
_GAP = re.compile(rf"(?:\{{(\w++)[^{{}}]*\}}|(?<=([\w{_HAN}]))) (?=\{{(\w++)[^{{}}]*\}}|([\w{_HAN}]))")
"""A blank in a Chinese text, between its words, signs and values."""
_SPOKEN = ContextVar("spoken", default="")
T = TypeVar("T")


def begin() -> None:
    """Settles the language of this run: asking the session for every text would take a twentieth of a run."""
    _SPOKEN.set(_chosen())


def language() -> str:
    """Returns the visitor's language, ``zh`` or ``en``; by default the browser's."""
    return _SPOKEN.get() or _chosen()


def _chosen() -> str:
    chosen = st.session_state.get("lang")
    return chosen if chosen in LANGUAGES else browser_language()


def browser_language() -> str:
    """Returns ``zh`` if the browser's language is Chinese, else ``en``."""
    try:
        return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
    except Exception:  # outside of a browser session (tests, a bare import) there is no locale
        return "en"


def in_language(make: Callable[[], T]) -> Callable[[], T]:
    """Returns ``make`` for a thread without a session, where it uses the language of this run."""
    chosen = language()

    def made() -> T:
        token = _SPOKEN.set(chosen)
        try:
            return make()
        finally:
            _SPOKEN.reset(token)

    return made


@lru_cache(maxsize=4)
def catalogue(lang: str) -> dict[str, str]:
    """Returns the translation of each message, from every .po file of this language; no pack changes the lab's."""
    own = sorted((LOCALE / lang / "LC_MESSAGES").glob("*.po"))
    files = [*packs.each(packs.catalogues(lang), partial(_read, lang)), *map(partial(_read, lang), own)]
    return {text: translation for file in files for text, translation in file.items()}


def _read(lang: str, path: Path) -> dict[str, str]:
    from babel.messages.pofile import read_po

    messages: dict[str, str] = {}
    with path.open("rb") as file:
        for message in read_po(file, locale=lang, abort_invalid=True):
            # a plural has two, its Chinese one
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
            values, translated = (set(re.findall(r"\{[^{}]*\}?", "".join(map(str, texts)))) for texts in (ids, forms))
            if not translated <= values:
                raise ValueError(f"the translation of “{ids[0]}” has values that the text lacks")
            messages |= {str(text): str(forms[-1]) for text in ids if text and forms and forms[-1]}
    return messages


def translate(text: str, lang: str) -> str:
    """Returns the text in this language; English if the catalogue lacks it."""
    return text if lang == "en" else catalogue(lang).get(text, text)


def _(text: str, /, **values: object) -> str:
    """Returns the text in the visitor's language, with ``{names}`` filled in; lists have the language's commas."""
    values = {name: _shown(value) for name, value in values.items()}
    if _JOINED.fullmatch(text):
        parts = [str(value) for value in values.values()]
        return _with_chinese_signs(text, parts) if language() == "zh" else filled(text, values)
    text = translate(text, language())
    return filled(_GAP.sub(partial(_gap, values), text) if language() == "zh" else text, values)


def _gap(values: Mapping[str, object], at: re.Match[str]) -> str:
    """Returns the gap without its blank beside a full-width sign, or if a value and the text beside it are Chinese."""
    value, text, next_value, next_text = at.groups()
    left, right = text or str(values.get(value, ""))[-1:], next_text or str(values.get(next_value, ""))[:1]
    pair = left + (" " if bool(text) == bool(next_text) else "") + right
    return (
        at[0].rstrip()
        if re.fullmatch(rf"[{_HAN}]{{2}}|(?=.*[\u3000-\u303f\uff00-\uffef])[\w{_HAN}] ?[\w{_HAN}]", pair)
        else at[0]
    )


def _with_chinese_signs(template: str, parts: list[str]) -> str:
    """Returns the parts with Chinese signs between them; a blank stays between words and numbers if one is Latin."""
    text = parts[0]
    for english, part in zip(_BETWEEN.findall(template), parts[1:], strict=True):
        words = english == " " and text[-1:].isalnum() and part[:1].isalnum()
        sign = english if words and (text[-1:] + part[:1]).encode("ascii", "ignore") else _SIGNS.get(english, english)
        text += sign + part
    return text


def _shown(value: object) -> object:
    value = with_commas(value)
    return say(value) if isinstance(value, str) else value


def listed(parts: Iterable[object], between: str = ", ") -> str:
    """Returns the parts with the signs of the visitor's language between them: ``a, b`` and ``a、b``."""
    return say(joined(parts, between))


def labelled(label: str, text: object) -> str:
    """Returns a label before a text, with the colon of the visitor's language: ``a: b`` and ``a：b``."""
    return listed((label, text), ": ")


def _n(singular: str, plural: str, count: float, /, **values: object) -> str:
    """A text that depends on a number, in the visitor's language: ``_n("{n} page", "{n} pages", 3)``."""
    return say(ngettext(singular, plural, count, **values))


def say(text: str) -> str:
    """Returns a `Said` of the library in the visitor's language; any other text unchanged."""
    if not isinstance(text, Said):
        return text
    return _(text.template, **text.values)


def both(texts: Mapping[str, str]) -> str:
    """Returns one of ``{"en": ..., "zh": ...}``: the visitor's language, else any other."""
    return texts.get(language()) or next(iter(texts.values()), "")
