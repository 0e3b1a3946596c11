"""Parses the operators in a question into a value that filters, counts and explains.

    "factory reset" camera -watch
    battery AND (charge OR charger) AND NOT laptop
    +title:warranty  重置「出厂设置」 -手表

Quotation marks (straight, curly or 「」): these words in a row.  ``+`` and ``-`` before a word: required, excluded (one
inside of WH-1000 is not an operator).  ``AND``, ``OR``, ``NOT`` in capitals, brackets; AND binds tighter.
``field:word``: the word in the title, the text or a metadata field.  A sign before a number belongs to it: -5 °C, -10%;
``-"5"`` excludes 5.  Words without a sign: at least one of them; if
something is required, they only rank.  A sign that fits nowhere is read as a word.

A word in quotation marks is found in its variants of spelling alone (`one_spelling`: Wi-Fi and wifi, 3.5mm and 3.5 mm),
as `KeywordExclusion` finds it, a Latin one only if neither a letter nor a digit touches it; any other Latin word also
in its other forms.  Chinese needs no word boundaries for this.

Source: the set semantics follow the query parsers of Lucene and Tantivy; a phrase alone in its group is required, as in
web search engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial, reduce

from lab.algebra import Document
from lab.corpus.conditions import All, AnyOf, Condition, Not, Test, children, holds
from lab.corpus.fields import elements
from lab.patterns import lazy_pattern
from lab.refine.finders import Finder
from lab.text import Analyzer, Folded, fold, is_han, one_spelling, short
from lab.text.writing import HAN
from lab.words import N_, Said, joined

MOST, DEEPEST = 64, 16
"""Words and phrases with operators, and brackets in each other; beyond, a question is read as words."""
SHOWN = 60
"""Characters of a word in a sentence."""
TITLE, TEXT = "title", "text"
WORD, PHRASE = "word", "phrase"
"""The tests of a question's operators."""
NAMES: Mapping[str, str] = {TITLE: TITLE, "标题": TITLE, TEXT: TEXT, "正文": TEXT}
"""The fields that every document has, by how they are written."""

WORDS = Analyzer(bigrams=False, characters=False, numbers=False)
"""How texts are read before words are looked for."""
_SIGNS = {"+": "+", "＋": "+", "-": "-", "－": "-", "−": "-"}
_OPENING = {'"': '"', "＂": "＂", "“": "”", "「": "」", "『": "』"}
_STRAIGHT = '"＂'
_BRACKETS = {"(": ")", "（": "）"}
_ENDS = "".join(_BRACKETS.values())
_LETTER = lazy_pattern(rf"[^\W_{HAN}]")
_WORD_SIGN = lazy_pattern(r"\w")
_FIELD = lazy_pattern(rf"([^\W\d_{HAN}][^\W{HAN}]*|[{HAN}]+)[:：](?=[\w\"“「『＂])")
_RUN_TO_BLANK = lazy_pattern(r"\S+")
_NUMBER = lazy_pattern(rf"\d[\d.,]*(?:(?:d[bB]m?|m?V|[CF])(?![^\W{HAN}])|(?![^\W{HAN}]|[-_]\w))")
"""A number after its sign, with or without a unit that can be negative: what else begins with digits is a word."""
_CAPITALS = ("AND", "OR", "NOT")
_EDGES = lazy_pattern(r"^\W+|\W+$")


# ------------------------------------------------------------------------------------------------- what a question asks


@dataclass(frozen=True, slots=True)
class Word(Test):
    """A word or a phrase to find; ``field``: only in this field; ``bare``: it has no operator."""

    bare: bool = False

    @staticmethod
    def of(text: str, field: str = "", phrase: bool = False, bare: bool = False) -> Word:
        """Returns the test for a word or phrase."""
        return Word(field, PHRASE if phrase else WORD, (text,), bare=bare)

    @property
    def text(self) -> str:
        """Returns the word or phrase as it is written."""
        return str(self.values[0])

    @property
    def phrase(self) -> bool:
        """Returns whether it is in quotation marks."""
        return self.op == PHRASE

    @property
    def _several(self) -> bool:
        return len(self.text) > 1 and (" " in self.text.strip() or any(map(is_han, self.text)))


def label(node: Condition) -> Said:
    """Returns a condition in words, for use in a sentence."""
    if isinstance(node, Word):
        text = short(node.text, SHOWN)
        said = Said("“{phrase}” in a row", phrase=text) if node.phrase and node._several else joined((text,), "")
        return Said("{field}: {word}", field=field_label(node.field), word=said) if node.field else said
    if isinstance(node, Not):
        return Said("not {part}", part=_bracketed(node.part))
    template = N_("{first} or {second}") if isinstance(node, AnyOf) else N_("{first} and {second}")
    return _listed(children(node), template)


def _bracketed(node: Condition) -> Said:
    several = isinstance(node, All | AnyOf) and len(node.parts) > 1
    return joined(("(", label(node), ")"), "") if several else label(node)


def _listed(parts: Iterable[Condition], template: str = N_("{first}, {second}")) -> Said:
    return _chained(template, map(_bracketed, parts))


def _chained(template: str, labels: Iterable[Said]) -> Said:
    return reduce(lambda first, second: Said(template, first=first, second=second) if first else second, labels, Said())


def field_label(name: str) -> str:
    return {TITLE: Said("title"), TEXT: Said("body text")}.get(name, name)


@dataclass(frozen=True)
class Group:
    """The parts of a question, or of a bracket: ``required``, ``excluded``, and ``others``, of which one is enough.

    If something is required, the others only rank.
    """

    required: tuple[Condition, ...] = ()
    excluded: tuple[Condition, ...] = ()
    others: tuple[Condition, ...] = ()

    @property
    def needed(self) -> tuple[Condition, ...]:
        """Returns the required parts; without any, the optional parts as one alternative."""
        if self.required or not self.others:
            return self.required
        return self.others if len(self.others) == 1 else (AnyOf(self.others),)

    @property
    def tree(self) -> Condition:
        parts = (*self.needed, *(Not(part) for part in self.excluded))
        return parts[0] if len(parts) == 1 else All(parts)


@dataclass(frozen=True)
class BooleanQuery:
    """A question with its operators read: ``group`` is what it asks, ``words`` what remains to rank by.

    ``signs`` are the operators as they are written, in their order; without any, nothing is to be filtered.
    ``remarks`` say which signs were read as words, and why.
    """

    text: str
    group: Group
    words: str
    signs: tuple[str, ...] = ()
    remarks: tuple[Said, ...] = ()

    @property
    def tree(self) -> Condition:
        return self.group.tree

    @cached_property
    def only_excludes(self) -> bool:
        """Returns whether there are operators, but no word to search by."""
        return bool(self.signs) and not _WORD_SIGN.search(self.words)

    @property
    def reading(self) -> Said:
        """Explains in a sentence how the question was read; empty without operators."""
        if not self.signs:
            return Said()
        if self.only_excludes:
            return ONLY_EXCLUDES
        parts = list[Said]()
        group, needed = self.group, self.group.needed
        if len(needed) == 1 and isinstance(needed[0], AnyOf):
            parts.append(Said("at least one of: {words}", words=_listed(needed[0].parts)))
        elif needed:
            parts.append(Said("required: {words}", words=_listed(needed)))
        if group.excluded:
            parts.append(Said("excluded: {words}", words=_listed(group.excluded)))
        parts.append(Said("ranked by: {words}", words=short(self.words, 2 * SHOWN)))
        return Said("Read as: {parts}.", parts=_chained(N_("{first}; {second}"), parts))


ONLY_EXCLUDES = Said("The question only excludes: there is no word to search by. Add a word that texts should contain.")


# -------------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a question: ``word``, ``phrase``, ``(``, ``)``, ``AND``, ``OR``, ``NOT`` or ``other``, with its place.

    ``start`` and ``end`` are the place of the text without signs.
    """

    kind: str
    text: str
    start: int
    end: int
    sign: str = ""
    field: str = ""


def parse(text: str, fields: Collection[str] = ()) -> BooleanQuery:
    """Reads a question; ``fields`` are the metadata fields that it may name."""
    names = {**{fold(name): name for name in fields}, **{fold(k): v for k, v in NAMES.items()}}
    remarks = list[Said]()
    tokens = _tokens(text, names, remarks)
    if (operands := sum(token.kind in ("word", "phrase") for token in tokens)) > MOST:
        signs = [sign for token in tokens for sign in _signs_of(token)]
        said = N_("Words with operators: {n}, maximum {limit}. The operators are read as words.")
        return BooleanQuery(text, Group(), text, (), (Said(said, n=operands, limit=MOST),) if signs else ())
    reader = _Reader(tokens)
    group = reader.group()
    for token in reader.idle:
        remarks.append(Said("“{word}” joins nothing here, so it is read as a word.", word=token.text))
    signs = [sign for token in tokens if token not in reader.idle for sign in _signs_of(token)]
    words = _joined(text, reader.kept) if signs else text
    return BooleanQuery(text, group, words, tuple(dict.fromkeys(signs)), tuple(remarks))


def _signs_of(token: _Token) -> list[str]:
    """Returns the operators of a piece, as they are written."""
    own = "“…”" if token.kind == "phrase" else token.kind if token.kind in _CAPITALS else ""
    return [sign for sign in (token.sign, f"{token.field}:" if token.field else "", own) if sign]


def _tokens(text: str, names: Mapping[str, str], remarks: list[Said]) -> list[_Token]:
    """Splits a question into tokens; an unmatched closing sign is read as a word."""
    tokens, open_ = list[_Token](), list[int]()
    at = 0
    while at < len(text):
        character = text[at]
        fresh = not at or text[at - 1].isspace() or text[at - 1] in _BRACKETS
        if character.isspace():
            at += 1
            continue
        if character in _ENDS:
            if open_ and character in _BRACKETS.values():
                open_.pop()
                tokens.append(_Token(")", "", at, at + 1))
            at += 1
            continue
        sign = _SIGNS.get(character, "") if fresh and _begins_operand(text, at + 1) else ""
        if sign and (number := _NUMBER.match(text, at + 1)):
            said = N_("“{number}” is read as a number. To exclude or require it, put it in quotation marks.")
            remarks.append(Said(said, number=sign + number[0].rstrip(".,")))
            sign = ""
        begin = at + bool(sign)
        if text[begin] in _BRACKETS and (fresh or sign):
            if len(open_) < DEEPEST:
                open_.append(len(tokens))
                tokens.append(_Token("(", "", begin, begin + 1, sign))
            at = begin + 1
            continue
        field, named = "", _FIELD.match(text, begin) if fresh or sign else None
        if named:
            field = names.get(fold(named[1]), "")
            if field:
                begin = named.end()
            elif names.keys() - set(map(fold, NAMES)):
                said = N_("“{name}” is not a field here, so “{text}” is read as words.")
                rest = _RUN_TO_BLANK.match(text, begin)
                remarks.append(Said(said, name=named[1], text=short(rest[0] if rest else "", SHOWN)))
        token = _operand(text, begin, sign, field, bool(fresh or sign or field), remarks)
        tokens.append(token)
        at = token.end + (token.kind == "phrase")
    if open_:
        remarks.append(Said("A bracket is not closed, so it is read as a word."))
    return [token for i, token in enumerate(tokens) if i not in open_]


def _begins_operand(text: str, at: int) -> bool:
    return at < len(text) and bool(_WORD_SIGN.match(text, at) or text[at] in _OPENING or text[at] in _BRACKETS)


def _opens(text: str, at: int) -> bool:
    """Returns whether a quotation mark opens here: not a straight one after a letter or digit, as in 5" and 6'2"."""
    if text[at] not in _OPENING:
        return False
    return text[at] not in _STRAIGHT or not (at and _LETTER.match(text, at - 1))


def _operand(text: str, at: int, sign: str, field: str, fresh: bool, remarks: list[Said]) -> _Token:
    """Reads a phrase, or a word up to whitespace, a bracket or the next quotation mark."""
    if text[at] in _OPENING and (fresh or _opens(text, at)):
        ends = [text.find(mark, at + 1) for mark in {_OPENING[text[at]], *('"' if text[at] == "“" else "")}]
        end = min((e for e in ends if e > 0), default=-1)
        content = text[at + 1 : end]
        if end > 0 and _WORD_SIGN.search(content):
            left = at + 1 + len(content) - len(content.lstrip())
            return _Token("phrase", content.strip(), left, end, sign, field)
        if end < 0:
            remarks.append(Said("A quotation mark is not closed, so it is read as a word."))
        return _Token("other", "", at, max(at, end) + 1)
    end = at + 1
    while end < len(text) and not (text[end].isspace() or text[end] in _ENDS or _opens(text, end)):
        if text[end] in _BRACKETS and text.find(_BRACKETS[text[end]], end) < 0:
            break
        if text[end] in _BRACKETS:  # inside of a word it groups nothing: f(x), 退货（七天）
            end = text.find(_BRACKETS[text[end]], end)
        end += 1
    raw = text[at:end]
    alone = end == len(text) or text[end].isspace() or text[end] in _ENDS + "".join(_BRACKETS)
    if fresh and alone and not sign and not field and raw in _CAPITALS:
        return _Token(raw, raw, at, end)
    word = _EDGES.sub("", raw)
    return _Token("word" if word else "other", word, at, end, sign if word else "", field if word else "")


class _Reader:
    """Reads the pieces of a question into groups.

    ``kept`` are those that lists are to rank by, ``idle`` the AND, OR and NOT that join nothing.
    """

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.tokens, self.at = tokens, 0
        self.kept, self.idle = list[_Token](), list[_Token]()

    def group(self, negated: bool = False) -> Group:
        """Parses a group up to its closing bracket or the end of the question."""
        required, excluded, others = list[Condition](), list[Condition](), list[Condition]()
        while self.at < len(self.tokens) and self.tokens[self.at].kind != ")":
            token = self.tokens[self.at]
            if not self._starts(self.at):
                if token.kind in _CAPITALS:
                    self.idle.append(token)
                    self._keep(token, negated)
                    others.append(Word.of(token.text, bare=True))
                elif token.kind == "other":
                    self._keep(token, negated)
                self.at += 1
                continue
            chain = [[self._operand(negated)]]
            while self._joins():
                word = self.tokens[self.at].kind
                self.at += 1
                operand = self._operand(negated)
                if word == "AND":
                    chain[-1].append(operand)
                else:
                    chain.append([operand])
            if len(chain) == len(chain[0]) == 1:
                sign, node = chain[0][0]
                if sign == "-":
                    excluded.append(node)
                elif sign == "+" or (isinstance(node, Word) and (node.phrase or node.field)):
                    required.append(node)
                else:
                    others.append(replace(node, bare=not negated) if isinstance(node, Word) else node)
            else:
                every = [[Not(node) if sign == "-" else node for sign, node in row] for row in chain]
                some = [row[0] if len(row) == 1 else All(tuple(row)) for row in every]
                others.append(some[0] if len(some) == 1 else AnyOf(tuple(some)))
        return Group(tuple(required), tuple(excluded), tuple(others))

    def _starts(self, at: int) -> bool:
        """Returns whether an operand begins here, with or without NOT before it."""
        while at < len(self.tokens) and self.tokens[at].kind == "NOT":
            at += 1
        if at == len(self.tokens):
            return False
        if self.tokens[at].kind != "(":
            return self.tokens[at].kind in ("word", "phrase")
        depth = 0
        for token in self.tokens[at:]:
            depth += (token.kind == "(") - (token.kind == ")")
            if token.kind in ("word", "phrase"):
                return True
            if not depth:
                return False
        return False

    def _joins(self) -> bool:
        """Returns whether the next token is AND or OR and an operand follows it."""
        here = self.at < len(self.tokens) and self.tokens[self.at].kind in ("AND", "OR")
        return here and self._starts(self.at + 1)

    def _operand(self, negated: bool) -> tuple[str, Condition]:
        """Parses an operand and its sign."""
        excluded = False
        while self.tokens[self.at].kind == "NOT":
            excluded = not excluded
            self.at += 1
        token = self.tokens[self.at]
        self.at += 1
        if token.sign == "-":
            excluded = not excluded
        if token.kind == "(":
            node = self.group(negated != excluded).tree
            self.at += 1
        else:
            self._keep(token, negated != excluded)
            node = Word.of(token.text, token.field, token.kind == "phrase")
        return "-" if excluded else token.sign, node

    def _keep(self, token: _Token, negated: bool) -> None:
        if not negated and token.field in ("", TITLE, TEXT):
            self.kept.append(token)


def _joined(text: str, kept: Sequence[_Token]) -> str:
    """Joins the kept pieces in one line; Chinese pieces that were adjacent get no space."""
    out = ""
    for before, token in zip((None, *kept), kept, strict=False):
        piece = text[token.start : token.end].strip() if token.kind != "other" else ""
        touching = (
            before is not None
            and token.start - before.end <= 2
            and not re.search(r"\s", text[before.end : token.start])
        )
        if out and piece and not (touching and (is_han(out[-1]) or is_han(piece[0]))):
            out += " "
        out += piece
    return out


# ------------------------------------------------------------------------------------------------------------ matching


class Reading:
    """A document for matching leaves: each part is folded on first use."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._parts = dict[str, list[tuple[Folded, Callable[[], Folded]]]]()

    def parts(self, field: str) -> list[tuple[Folded, Callable[[], Folded]]]:
        """Returns the folded texts of a field (title, text or metadata values), each also in one spelling, when called.

        The places of the second are those in the first.
        """
        if field not in self._parts:
            if field == TITLE:
                raw = [self.document.title]
            elif field == TEXT:
                raw = [self.document.text]
            else:
                raw = [str(value) for value in elements(self.document.metadata.get(field))]
            read = [WORDS.read(part) for part in raw if part]
            self._parts[field] = [(part, cache(partial(one_spelling, part.text))) for part in read]
        return self._parts[field]


@dataclass(frozen=True, slots=True)
class Matching:
    """How words are found; ``stems``: a Latin word without quotation marks also in its other forms."""

    stems: bool = True

    def holds(self, node: Condition, reading: Reading) -> bool:
        """Returns whether a document matches."""
        return holds(node, lambda test: isinstance(test, Word) and self.has(test, reading))

    def finders(self, leaf: Word) -> tuple[Finder, ...]:
        """Returns the finders of a leaf, of which one is enough."""
        return _finders(leaf.text, leaf.bare, self.stems and not leaf.phrase)

    def has(self, leaf: Word, reading: Reading) -> bool:
        """Returns whether a document has a match of a leaf; most have it as it is written, which is quick to see."""
        fields = (leaf.field,) if leaf.field else (TEXT, TITLE)
        texts = [part.text for field in fields for part, _ in reading.parts(field)]
        written = (place for finder in self.finders(leaf) for text in texts for place in finder.written.places(text))
        return any(written) or self.find(leaf, reading) is not None

    def find(self, leaf: Word, reading: Reading) -> tuple[str, int] | None:
        """Returns the field of the first match of a leaf, the text before the title, and its character, from 1."""
        for field in (leaf.field,) if leaf.field else (TEXT, TITLE):
            for part, spelled in reading.parts(field):
                if found := [at for finder in self.finders(leaf) for at in finder.places(part.text, spelled())]:
                    return field, part.place(*min(found))[0] + 1
        return None

    def reasons(self, node: Condition, reading: Reading) -> list[Said]:
        """Returns why a document does not match, one sentence for each unmet part."""
        if self.holds(node, reading):
            return []
        if isinstance(node, All):
            return [reason for part in node.parts for reason in self.reasons(part, reading)]
        if isinstance(node, Word):
            return [self._missing(node, reading)]
        if isinstance(node, AnyOf):
            if all(isinstance(part, Word) for part in node.parts):
                return [Said("It contains none of these: {words}.", words=_listed(node.parts))]
            return [Said("It does not fit this condition: {condition}.", condition=label(node))]
        (part,) = children(node)
        if isinstance(part, Word):
            return [self._excluded(part, reading)]
        return [Said("It fits an excluded condition: {condition}.", condition=label(part))]

    def _missing(self, leaf: Word, reading: Reading) -> Said:
        word = short(leaf.text, SHOWN)
        if leaf.field:
            return Said("The field “{field}” does not contain “{word}”.", field=field_label(leaf.field), word=word)
        words = [Word.of(part, phrase=True) for part in _words(leaf.text)]
        if leaf.phrase and len(words) > 1 and all(self.find(part, reading) for part in words):
            return Said("It contains the words of “{phrase}”, but not in a row.", phrase=word)
        return Said("It does not contain “{word}”.", word=word)

    def _excluded(self, leaf: Word, reading: Reading) -> Said:
        field, position = self.find(leaf, reading) or (TITLE, 0)
        word = short(leaf.text, SHOWN)
        if leaf.field or field != TEXT:
            field = field_label(leaf.field or TITLE)
            return Said("The field “{field}” contains “{word}”, which is excluded.", field=field, word=word)
        return Said("It contains “{word}” at character {position}, which is excluded.", word=word, position=position)


@lru_cache(maxsize=1024)
def _finders(text: str, bare: bool, stems: bool) -> tuple[Finder, ...]:
    """Returns the finders of a leaf: any one word of a bare run of Chinese is enough, as it has no spaces."""
    shown = WORDS.read(text).text.strip()
    words = dict.fromkeys(token.text for token in WORDS.spans(text)) if bare and _mixed(shown) else {}
    return tuple(Finder.of(word, stems) for word in [*filter(None, words)] or [shown])


def _words(text: str) -> list[str]:
    """Returns the words of a phrase, split at whitespace; Chinese text is tokenized."""
    if not _mixed(text):
        return WORDS.read(text).text.split()
    words = dict.fromkeys(text[token.start : token.end] for token in WORDS.spans(text))
    return [word for word in words if word != text.strip()]  # a compound is listed as well as its parts


def _mixed(text: str) -> bool:
    return any(map(is_han, text))
