"""Tables, columns and stored values as small documents, which the words of a question are linked to.

`SchemaDocuments` holds one document per table, column and value that is known by heart: its name cut into words, its
label in both languages, its synonyms.  Two ways lead from words to documents:

- `named`: the documents that are called exactly so, in any grammatical number (a value), by the stem (a name), or by
  a part of the name.  A reading runs on these.
- `ranked`: BM25, the built-in vectors and their fusion (RRF), the same operators as on the other pages.  A document that
  is only similar is a candidate for a clarification, and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lab.algebra import Corpus, Document, Ranking, Runner, Searcher
from lab.fuse import RRF
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab_packs.text2sql.calling import (
    GENERIC,
    LONGEST,
    PART,
    SYNONYM,
    column_forms,
    letters,
    stem,
    table_forms,
    tokens,
    value_forms,
)
from lab_packs.text2sql.hints import bare_name, dictionary, singular, words_of
from lab_packs.text2sql.keywords import keywords
from lab_packs.text2sql.lexicon import is_participle
from lab_packs.text2sql.schema import Schema
from lab_packs.text2sql.tree import Ref


class Thing(NamedTuple):
    """A table, a column of it, or a value of that."""

    table: str
    column: str = ""
    value: str = ""

    @property
    def kind(self) -> str:
        """table, column or value."""
        return "value" if self.value else "column" if self.column else "table"

    @property
    def ref(self) -> Ref:
        return Ref(self.table, self.column)

    @property
    def id(self) -> str:
        return ".".join(filter(None, (self.table, self.column))) + (f" = {self.value}" if self.value else "")


class Linked(NamedTuple):
    """A thing that words can mean.  ``how``: name, cue (points to it without naming it), part (of a value), not."""

    thing: Thing
    cost: float
    how: str = "name"


def _consonants(word: str) -> str:
    return re.sub("[aeiou]", "", singular(word))


def is_verb(word: str) -> bool:
    """Whether an English word is a verb form that points to a column without naming it: operated, funded, departs."""
    known = keywords().get(word, ())
    return is_participle(word) or any(role.name == "deed" for role in known)


def by_stems(words: Sequence[str]) -> str:
    return " ".join(map(stem, words))


def by_words(words: Sequence[str]) -> str:
    return " ".join(singular(w) if w.isascii() else w for w in words)


def _key(text: str, make: object) -> str:
    words = [t.text for t in tokens(letters(text))]
    return by_stems(words) if make is by_stems else by_words(words)


@dataclass(frozen=True)
class SchemaDocuments:
    """The documents of one schema."""

    schema: Schema

    # ------------------------------------------------------------------------------------------- by their names

    def named(self, words: Sequence[str]) -> list[Linked]:
        """Returns all things with exactly this name, nearest first."""
        by_thing: dict[Thing, Linked] = {}
        key = by_words(words)
        for link in (*self._names.get(by_stems(words), ()), *self._values.get(key, ())):
            if not link.thing.value and link.thing not in self._whole.get(key, ()):  # by the stem only
                how = "cue" if len(words) == 1 and is_verb(words[0]) else link.how
                link = link._replace(cost=link.cost + 0.15, how=how)
            if link.how == "name" and len(words) == 1 and is_verb(words[0]) and self._is_day(link.thing):
                link = link._replace(how="cue")  # paid points to the day of payment
            if link.thing not in by_thing or link.cost < by_thing[link.thing].cost:
                by_thing[link.thing] = link
        if not by_thing and len(words) == 2 and all(w.isascii() and w not in keywords() for w in words):
            joined = ["".join(words)]  # check-ins: the table checkin; but grade d, colour red are not graded, coloured
            written = self._whole.get(by_words(joined), frozenset[Thing]())
            return [link for link in self.named(joined) if link.thing in written]
        return sorted(by_thing.values(), key=lambda link: link.cost)

    def _is_day(self, thing: Thing) -> bool:
        column = self.schema.column(thing.ref) if thing.kind == "column" else None
        return column is not None and column.kind == "date" and "birth" not in column.tags

    @cached_property
    def _names(self) -> Mapping[str, list[Linked]]:
        by_form: dict[str, list[Linked]] = {}
        for table in self.schema.tables:
            is_only_table = len(self.schema.tables) == 1
            thing = Thing(table.name)
            for form, cost, how in table_forms(table, only_table=is_only_table):
                _put(by_form, form, Linked(thing, cost, how))
            for column in table.columns:
                for form, cost, how in column_forms(column, table):
                    _put(by_form, form, Linked(Thing(*column.ref), cost, how))
        return by_form

    def _nouns(self, table: str) -> tuple[str, ...]:
        """What rows are called, in both languages and grammatical numbers."""
        t = self.schema.table(table)
        return (t.hint.zh, t.hint.en, singular(t.hint.en) if t.hint.en else "")

    @cached_property
    def _whole(self) -> Mapping[str, frozenset[Thing]]:
        """Names as written, normalised only by grammatical number."""
        by_form: dict[str, set[Thing]] = {}
        for table in self.schema.tables:
            for form, _, _ in table_forms(table, only_table=len(self.schema.tables) == 1):
                by_form.setdefault(_key(form, by_words), set()).add(Thing(table.name))
            for column in table.columns:
                for form, _, _ in column_forms(column, table):
                    by_form.setdefault(_key(form, by_words), set()).add(Thing(*column.ref))
        return {k: frozenset(v) for k, v in by_form.items()}

    @cached_property
    def _values(self) -> Mapping[str, list[Linked]]:
        by_form: dict[str, list[Linked]] = {}
        for column in self.schema.columns():
            if column.kind in ("boolean", "number", "date"):
                continue
            for value, form, cost, how in value_forms(column, self._nouns(column.table)):
                key = _key(form, by_words)
                if key:
                    by_form.setdefault(key, []).append(Linked(Thing(*column.ref, value), cost, how))
        return by_form

    def is_part(self, thing: Thing, raw: str) -> bool:
        """Whether a value contains words as they are written; a person's name must have its capital letter."""
        if not raw.isascii():
            return raw in thing.value
        proper = all(word[:1].isupper() for word in thing.value.split())
        return raw in thing.value if proper else raw.lower() in thing.value.lower()

    def abbreviated(self, word: str) -> list[Linked]:
        """Returns columns whose name has an abbreviation of a word: furnished, Furn."""
        if len(word) < 5 or not word.isascii():
            return []
        denied = word.startswith("un")
        links = []
        for table in self.schema.tables:
            if 3 <= len(table.name) <= 4 and singular(word).startswith(table.name.lower()):
                links.append(Linked(Thing(table.name), SYNONYM))
        if links:
            return links
        for short, ref, is_whole_name in self._short:
            for spelling, how in ((word, "name"), (word[2:], "not")) if denied else ((word, "name"),):
                if spelling.startswith(short) or (
                    spelling[0] == short[0] and len(short) > 3 and _consonants(spelling) == _consonants(short)
                ):
                    links.append(Linked(Thing(*ref), 0.2 if is_whole_name else PART, how))
        return links

    @cached_property
    def _short(self) -> list[tuple[str, Ref, bool]]:
        abbreviations = []
        for c in self.schema.columns():
            words = words_of(bare_name(c.name)[0])
            abbreviations += [
                (w, c.ref, len(words) == 1)
                for w in words
                if w.isascii() and 3 <= len(w) <= 6 and (w,) not in ((g,) for g in GENERIC) and w not in dictionary()
            ]
        return abbreviations

    @cached_property
    def longest(self) -> int:
        return min(LONGEST, max((k.count(" ") + 1 for k in (*self._names, *self._values)), default=1))

    # ---------------------------------------------------------------------------------------------- by rankings

    @cached_property
    def things(self) -> Mapping[str, Thing]:
        by_id = {}
        for table in self.schema.tables:
            by_id[table.name] = Thing(table.name)
            for column in table.columns:
                by_id[Thing(*column.ref).id] = Thing(*column.ref)
                if column.kind in ("category", "list", "text"):
                    by_id |= {t.id: t for t in (Thing(*column.ref, v) for v in column.values)}
        return by_id

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as a corpus that every searcher of the lab can search."""
        return Corpus("schema", tuple(self._documents()))

    def _documents(self) -> Iterator[Document]:
        texts: dict[Thing, dict[str, None]] = {}
        for table in self.schema.tables:
            forms = (form for form, cost, _ in table_forms(table, only_table=False) if cost <= SYNONYM)
            texts[Thing(table.name)] = dict.fromkeys(forms)
            for column in table.columns:
                forms_of_column = (form for form, cost, _ in column_forms(column, table) if cost <= SYNONYM)
                texts[Thing(*column.ref)] = dict.fromkeys((*forms_of_column, column.label("en"), column.label("zh")))
        for column in self.schema.columns():
            for value in column.values if column.kind in ("category", "list", "text") else ():
                also = column.hint.values.get(value, ())
                texts[Thing(*column.ref, value)] = dict.fromkeys((value, *also, column.label("en"), column.label("zh")))
        for name, thing in self.things.items():
            yield Document(
                name, ", ".join(texts[thing]), thing.value or thing.column or thing.table, {"kind": thing.kind}
            )

    def ranked(self, words: str, *, searcher: Searcher | None = None, k: int = 10) -> Ranking:
        """The documents that words may mean, best first, with the parts of every score."""
        return Runner(self.corpus)(searcher or SEARCH, words, k)


BM25_LIST, VECTOR_LIST = BM25(), Vector(pieces="whole")
SEARCH: Searcher = RRF(k=60)(BM25_LIST, VECTOR_LIST, depth=50)
"""Words and meaning, fused: what the page shows, what is asked about, what a language model is given."""


def _put(by_form: dict[str, list[Linked]], form: str, link: Linked) -> None:
    if key := _key(form, by_stems):
        by_form.setdefault(key, []).append(link)
