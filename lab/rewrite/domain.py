"""Replaces everyday words by the terms of an industry, with adapters stored as data.

An adapter is a TOML file: ``name``, ``title`` and ``prompt`` in both languages, ``[terms]`` from lay words to terms,
``[drop] phrases`` that say nothing, ``only_questions`` to keep of several sentences those with a number or a question.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from typing import Any

from lab.algebra import Corpus, QueryVariant, knob, one_of
from lab.errors import ParameterError, UnknownName
from lab.models.prompting import missing_names
from lab.rewrite.base import Found, Rewording
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import cutting, is_han, known_word, language_of
from lab.text.borders import sentences
from lab.toml import TomlError, read_toml
from lab.words import LANGUAGES, Said, joined

_EVERY_WORD = cutting(mode="precise", single=True)

_CLAUSE_ENDS = ",，.。!！?？;；:：、~～…"

LARGEST = 200_000
"""Characters of an adapter file."""
MOST = 2000
"""Terms of an adapter."""


@dataclass(frozen=True)
class Adapter:
    """A domain vocabulary: pairs of (everyday words, terms), phrases to drop, and the prompt in both languages."""

    name: str
    title: tuple[tuple[str, str], ...]
    prompts: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str], ...] = ()
    drop: tuple[str, ...] = ()
    only_questions: bool = False

    @staticmethod
    def read(text: str) -> Adapter:
        """Parses an adapter from TOML.  Raises `ParameterError`, which describes the fault."""
        if len(text) > LARGEST:
            raise _wrong(Said("it is longer than {n} characters", n=LARGEST))
        try:
            table = read_toml(text)
        except TomlError as error:
            raise _wrong(Said("it cannot be read: {reason}", reason=error.reason)) from None
        for key in table:
            if key not in ("name", "title", "prompt", "terms", "drop", "only_questions"):
                raise _wrong(Said("“{name}” is unknown", name=key))
        name = table.get("name")
        if not isinstance(name, str) or not name.strip():
            raise _wrong(Said("“{name}” is missing", name="name"))
        title, prompt, terms = (_words(table, key) for key in ("title", "prompt", "terms"))
        dropped = table.get("drop", {})
        phrases = dropped.get("phrases", []) if isinstance(dropped, dict) else None
        if not isinstance(phrases, list) or not all(isinstance(p, str) and p.strip() for p in phrases):
            raise _wrong(Said("“{name}” must be a list of words", name="drop.phrases"))
        for language, template in prompt:
            if language not in LANGUAGES or missing_names(template, ["question"]):
                raise _wrong(Said("a prompt needs the language en or zh, and {placeholder}", placeholder="{question}"))
        if len(terms) > MOST:
            raise _wrong(Said("it has more than {n} terms", n=MOST))
        if not terms and not phrases and not prompt:
            raise _wrong(Said("it has no terms, phrases or prompts"))
        return Adapter(name.strip(), title, prompt, terms, tuple(phrases), table.get("only_questions") is True)

    @staticmethod
    def of_lines(name: str, text: str) -> Adapter:
        """Parses an adapter from TOML, or from lines of “lay word = term”.  Raises `ParameterError`."""
        if "[terms]" in text or "name =" in text:
            return Adapter.read(text)
        quoted = partial(json.dumps, ensure_ascii=False)
        pairs = [line.split("=", 1) for line in text.splitlines() if "=" in line]
        terms = "".join(f"{quoted(lay.strip())} = {quoted(term.strip())}\n" for lay, term in pairs)
        return Adapter.read(f"name = {quoted(name)}\n[terms]\n{terms}")

    def with_terms(self, text: str) -> Adapter:
        """Returns this adapter with more lines of “lay word = term”, which override its own.

        Raises `ParameterError` for an invalid line.
        """
        if not text.strip():
            return self
        terms = dict(self.terms) | dict(Adapter.of_lines(self.name, text).terms)
        return replace(self, terms=tuple(terms.items()))

    def own_terms(self) -> tuple[tuple[str, str], ...]:
        """Returns the terms that the built-in adapter of this name does not have."""
        usual = dict(adapters()[self.name].terms) if self.name in adapters() else {}
        return tuple((lay, term) for lay, term in self.terms if usual.get(lay) != term)

    @classmethod
    def named(cls, name: str) -> Adapter:
        """Returns the built-in adapter of this name.  Raises `UnknownName`, which lists the known ones."""
        if name not in adapters():
            known = Said("Valid names: {names}.", names=[*adapters()])
            raise UnknownName(Said("There is no domain vocabulary “{name}”.", name=name), known)
        return adapters()[name]

    @staticmethod
    def names() -> tuple[str, ...]:
        """Returns the names of the built-in adapters."""
        return tuple(adapters())

    def short(self) -> str:
        """Returns the name used for it in files, links and expressions; empty if it is not built in."""
        return self.name if adapters().get(self.name) == self else ""

    def called(self, language: str) -> str:
        """Returns the title in this language, or the name if there is no such title."""
        return dict(self.title).get(language, self.name)


def _words(table: dict[str, Any], key: str) -> tuple[tuple[str, str], ...]:
    entries = table.get(key, {})
    if not isinstance(entries, dict) or not all(
        isinstance(v, str) and k.strip() and v.strip() for k, v in entries.items()
    ):
        raise _wrong(Said("“{name}” must be a table of words", name=key))
    return tuple(entries.items())


def _wrong(message: Said) -> ParameterError:
    return ParameterError(
        Said("This is not a domain vocabulary: {what}.", what=message),
        Said("Use the format of the built-in ones: name, title, prompt, terms, drop."),
    )


@cache
def adapters() -> dict[str, Adapter]:
    """Returns the built-in adapters by name."""
    paths = [f for f in (files("lab.rewrite") / "industries").iterdir() if f.name.endswith(".toml")]
    loaded = [Adapter.read(f.read_text("utf-8")) for f in sorted(paths, key=lambda f: f.name)]
    return {adapter.name: adapter for adapter in loaded}


@dataclass(frozen=True)
class DomainVocabulary(Rewording):
    """Asks the question in the terms of a domain.

    The rule replaces lay words by terms, longest first, and drops empty phrases, with the words that only lead up to
    them.
    """

    technique = Said("Domain vocabulary")
    kind = Said("industry wording")
    about = Said("Asks the question in the terms of a domain.")

    adapter: Adapter = knob(
        default_factory=lambda: adapters()["education"],
        kind="spec",
        label=Said("Industry"),
        help=Said("Everyday words and their technical terms, as data."),
    )

    def __post_init__(self) -> None:
        if isinstance(self.adapter, str):  # by its name, as an expression has it
            object.__setattr__(self, "adapter", Adapter.named(self.adapter))
        super().__post_init__()

    @property
    def label(self) -> str:
        return Said("Domain vocabulary · {name}", name=self.adapter.name)

    def prompt(self, language: str) -> str:
        one_of("language", language, LANGUAGES)
        prompts = dict(self.adapter.prompts)
        return self.template or prompts.get(language) or next(iter(prompts.values()), "{question}")

    def rule(self, query: str, corpus: Corpus, search: Found) -> tuple[QueryVariant, ...]:
        text, replacements = self._asking(query), []
        if text != query:
            replacements.append(Said("kept the clauses with a question or a number"))
        for phrase in sorted(self.adapter.drop, key=len, reverse=True):
            shorter = _dropped(text, _pattern(phrase))
            if shorter != text:
                replacements.append(Said("dropped “{phrase}”", phrase=phrase))
                text = shorter
        terms = dict(self.adapter.terms)
        if terms:  # in one pass, so that an inserted term is not replaced again
            ordered = sorted(terms, key=len, reverse=True)
            either = re.compile("|".join(f"({_pattern(lay).pattern})" for lay in ordered), re.I)
            borders = {at for t in _EVERY_WORD.spans(text) for at in (t.start, t.end)}

            put_in = dict[str, str]()

            def put(m: re.Match[str]) -> str:
                if any(is_han(text[at - 1 : at + 1]) and at not in borders for at in m.span() if 0 < at < len(text)):
                    return m.group()  # in the middle of a longer word: 租房 in 廉租房
                lay = ordered[int(m.lastindex or 1) - 1]
                words = terms[lay].split(" ") if is_han(terms[lay][:1]) else [terms[lay]]
                new = [word for word in words if word not in put_in]
                if not new and (len(words) > 1 or put_in[words[0]] != lay):  # said already: it would only weigh more
                    return m.group()
                new = new or words  # the same word again
                put_in.update(dict.fromkeys(new, lay))
                replacements.append(Said("{lay} → {term}", lay=m.group(), term=" ".join(new)))
                return f" {' '.join(new)} " if is_han(new[0][:1]) else new[0]

            text = either.sub(put, text)
        text = " ".join(text.split()).lstrip(_CLAUSE_ENDS + " ").rstrip(" ,，。.!！;；:：")
        if not replacements or not any(c.isalnum() for c in text):
            return ()
        return (QueryVariant(text, self.kind, Said("{changes}.", changes=joined(replacements, "; "))),)

    def _asking(self, query: str) -> str:
        """Keeps the sentences that ask something or contain a number, if there are several."""
        if not self.adapter.only_questions:
            return query
        parts = [query[a:b] for a, b in sentences(query)]
        asking_parts = [p for p in parts if p.endswith(("?", "？")) or any(c.isdigit() for c in p)]
        return (
            (" " if language_of(query) == "en" else "").join(asking_parts) if asking_parts and len(parts) > 1 else query
        )


def _dropped(text: str, phrase: re.Pattern[str]) -> str:
    """Removes a phrase and, at the end of a clause, the words that lead up to it (我该 before 怎么办)."""
    for m in reversed([*phrase.finditer(text)]):
        before, behind = text[: m.start()], text[m.end() :]
        if not behind or behind[0] in _CLAUSE_ENDS:
            for token in reversed([*_EVERY_WORD.spans(before)]):
                if before[token.end :].strip() or not _says_nothing(token.text):
                    break
                before = before[: token.start]
            if before.rstrip()[-1:] in _CLAUSE_ENDS:  # nothing is left of the clause
                before = before.rstrip(_CLAUSE_ENDS + " ")
        text = before + behind
    return text


def _says_nothing(word: str) -> bool:
    """Returns whether a word is a function word, or two one-character ones joined by the tokenizer (我该)."""
    return word in FUNCTION_WORDS or (is_han(word) and not known_word(word) and FUNCTION_WORDS.issuperset(word))


def _pattern(phrase: str) -> re.Pattern[str]:
    """Compiles a phrase, with whole Latin words; ``…`` stands for up to eight characters."""
    inner = re.escape(phrase).replace("…", r"\S{1,8}?")
    left = r"\b" if phrase[0].isalnum() and not is_han(phrase[0]) else ""
    right = r"\b" if phrase[-1].isalnum() and not is_han(phrase[-1]) else ""
    return re.compile(left + inner + right, re.I)
