"""Schema inference: looks at a database through the guarded door and says what is in it.

Everything here is bounded: a column's values are read from the first ``SAMPLE`` rows, ranges in one pass per
table, and a table or view that cannot be read in time is listed as skipped instead of failing the rest.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from os.path import commonprefix
from pathlib import Path
from typing import Any

from lab.errors import LabError, QueryError
from lab.text.quantities import measure
from lab.words import Said
from lab_packs.text2sql.guard import connection, quoted
from lab_packs.text2sql.hints import Hints, date_cues, propose, singular, words_of
from lab_packs.text2sql.lexicon import MARKS, TRUTHS, UNKNOWN, in_names, is_participle, word_lists, words_in
from lab_packs.text2sql.moments import ORDERS, read_stamp
from lab_packs.text2sql.schema import Column, ForeignKey, Schema, Table
from lab_packs.text2sql.tree import Kind, Scalar

SAMPLE = 50_000
"""Rows that are looked at for kinds and values."""
KNOWN_VALUES = 1000
"""Different values of a text column that are kept in mind; beyond that the database is asked."""

_STYLES = {
    "iso": re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"),
    "slash": re.compile(r"\d{4}/\d{2}/\d{2}(?: .*)?"),
    "compact": re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])"),
    "us": re.compile(r"(?:0[1-9]|1[0-2])/\d{2}/\d{4}(?: .*)?"),
    "eu": re.compile(r"(?:[0-2]\d|3[01])[./-](?:0[1-9]|1[0-2])[./-]\d{4}(?: .*)?"),
    "loose": re.compile(r"(?:19|20)\d\d([./-])\d{1,2}\1\d{1,2}(?: .*)?|(?:19|20)\d\d年\d{1,2}月\d{1,2}日"),
    "loose us": re.compile(r"(?:0?[1-9]|1[0-2])([./-])(?:[0-2]?\d|3[01])\1(?:19|20)\d\d(?: .*)?"),
    "loose eu": re.compile(r"(?:[0-2]?\d|3[01])([./-])(?:0?[1-9]|1[0-2])\1(?:19|20)\d\d(?: .*)?"),
}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_CLOCK = re.compile(r"[0-2]\d:[0-5]\d(?::[0-5]\d)?")
_TIMELIKE = {"date", "time", "at", "ts", "timestamp", "day", "created", "updated", "epoch", "日期", "时间"}
_COUNTED = set("count number num qty quantity amount score rank level id 数量 次数 个数".split())  # noqa: SIM905
_NUMBERED = {"id", "code", "phone", "zip", "number", "no", "编号", "电话"}
_NAMING = {"id", "code", "name", "key", "no", "number", "编号"}
_SEPARATORS = ("、", "，", ",", "；", ";", "|", "/")


def inspect(path: Path, hints: Hints | None = None, *, seconds: float = 20.0) -> Schema:
    """Returns the schema of a SQLite file.  Raises `QueryError` if it is not a database or has no table."""
    skipped: dict[str, str] = {}
    tables: list[Table] = []
    declared: list[ForeignKey] = []
    with connection(path, tables=None, seconds=seconds, inspect=True) as db:
        catalogue = "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
        entries = db.execute(catalogue).fetchall()
    shadows = _shadows(entries)
    for name, kind, _ in entries:
        if not isinstance(name, str) or name.lower().startswith("sqlite_"):
            continue
        if name in shadows.values():
            skipped[name] = Said("A virtual table: its rows are kept in an index.")
            continue
        if name in shadows:
            skipped[name] = Said("It belongs to the index “{name}”.", name=shadows[name])
            continue
        try:
            with connection(path, tables=None, seconds=2.0 if kind == "view" else seconds, inspect=True) as db:
                tables.append(_table(db, name, view=kind == "view"))
                if kind == "table":
                    declared += _declared(db, name)
        except (QueryError, UnicodeError, ValueError) as error:
            skipped[name] = error.message if isinstance(error, LabError) else Said("It could not be read.")
    if not tables:
        nothing = Said("This database has no readable table.")
        raise QueryError(nothing, Said("Use a file with at least one table."))
    table_columns = {c.name.lower() for t in tables if not t.view for c in t.columns}
    for view in [t for t in tables if t.view and {c.name.lower() for c in t.columns} <= table_columns]:
        tables.remove(view)
        skipped[view.name] = Said("A view of columns that the tables have.")
    foreign = _resolved(declared, tables)
    foreign += _guess_keys(path, tables, foreign, seconds)
    schema = Schema(tuple(_with_better_names(tables, foreign)), tuple(foreign), skipped)
    proposed = schema.hints()
    return schema.with_hints({k: h.over(proposed[k]) for k, h in hints.items() if k in proposed}) if hints else schema


_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL\s+TABLE\b", re.IGNORECASE)
_SHADOWS = ("data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid")
"""How FTS3 to FTS5 and R*Tree call the tables in which they keep their index."""


def _shadows(entries: Sequence[tuple[Any, Any, Any]]) -> dict[str, str]:
    """Returns the tables in which virtual tables keep their index, with the name of these."""
    virtual = [name for name, _, sql in entries if isinstance(sql, str) and _VIRTUAL.match(sql)]
    names = {name for name, *_ in entries}
    return {shadow: name for name in virtual for end in _SHADOWS if (shadow := f"{name}_{end}") in names}


def _with_better_names(tables: Sequence[Table], foreign: Sequence[ForeignKey]) -> list[Table]:
    """Returns the tables with better names: shared prefixes are left out, and synonyms are added.

    The price of a row in a child table without a name and a number of pieces (a ticket) is the amount spent.
    """
    keys = {(f.table, f.column) for f in foreign} | {c.ref for t in tables for c in t.keys}
    pointing = word_lists()["pointing"]
    shared = _prefix([words_of(t.name) for t in tables])
    short = [" ".join(words_of(t.name)[shared:]) for t in tables]
    nouns = {singular(n) for n in (*short, *(t.name.lower() for t in tables))}
    renamed = []
    for t, noun in zip(tables, short, strict=True):
        cut, columns = _prefix([words_of(c.name) for c in t.columns]), []
        own_columns = [c for c in t.columns if not c.is_key and c.ref not in keys]
        once = any(f.table == t.name for f in foreign) and not any(c.tags & {"label", "piece"} for c in own_columns)
        for c in t.columns:
            words, own_tags = words_of(c.name)[cut:], propose(c.name)[1] if cut else c.tags
            hint, tags = propose(" ".join(words)) if cut else (c.hint, c.tags)
            tags -= {"each"} if once and not _UNIT_PRICE.search(c.name.lower()) else set()
            if c.kind == "date" or c.is_year:
                hint = replace(hint, cues=tuple(d for d in date_cues(hint, words) if singular(d) not in nouns))
            elif not hint.cues:
                money = "money" in tags or measure(hint.unit.lower())[0] == "money"
                spent = money and "each" not in tags and not _NOT_SPENT.search(f"{hint.zh} {hint.en}")
                cues = (own_tags for tag, own_tags in pointing.items() if tag in tags or c.name.startswith(tag))
                cue_words = _without(words_in(next(cues, pointing["money spent"] if spent else "")), c, t)
                hint = replace(hint, cues=cue_words)
            other_names = {" ".join(words_of(other.name)) for other in t.columns if other is not c}
            also = (n for n in hint.synonyms if singular(n) not in nouns and n not in other_names)
            hint = replace(hint, synonyms=tuple(also))
            tags |= (c.tags - own_tags) | ({"key"} if c.ref in keys else set())
            columns.append(replace(c, hint=hint, tags=tags))
        hint = propose(noun, loosely=False)[0] if shared else t.hint
        renamed.append(replace(t, columns=tuple(columns), hint=hint))
    return renamed


def _without(cues: tuple[str, ...], c: Column, t: Table) -> tuple[str, ...]:
    """Returns verbs for a sum of money, without verbs that belong to another column: paid, costs."""
    priced = any("price" in o.tags and "cost" not in words_of(o.name) for o in t.columns if o is not c)
    if c.is_aside(t):  # a fee is paid, too, but nobody spends it
        return tuple(w for w in cues if w.startswith(("pay", "paid", "charg")))
    excluded = {"cost", "costs", "costing"} if priced and "cost" in words_of(c.name) else set[str]()
    paid = any("paid" in words_of(o.name) for o in t.columns if o is not c)
    return tuple(w for w in cues if w not in excluded and not (paid and w.startswith(("paid", "pay"))))


_UNIT_PRICE = re.compile("单|unit|per|rate|each|率")
_NOT_SPENT = re.compile(
    "优惠|折扣|押金|定金|税|运费|余额|预算|奖金|退款|discount|deposit|tax|budget|balance|bonus|profit|refund|goal|target|limit|estimate|planned|目标|上限"
)


def _prefix(names: Sequence[list[str]]) -> int:
    """How many words all names begin with; a name is never used up."""
    return len(commonprefix([w[:-1] for w in names])) if len(names) > 2 else 0


def _table(db: sqlite3.Connection, name: str, *, view: bool) -> Table:
    infos = [i for i in db.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall() if i[6] != 1]
    if not infos:
        raise QueryError(Said("It has no columns."))
    columns, table = [str(i[1]) for i in infos], quoted(name)
    # one pass for everything that needs every row
    parts = ["count(*)"] + [f"{f}({quoted(c)})" for c in columns for f in ("count", "min", "max")]
    facts: list[Any] = []
    for start in range(0, len(parts), 900):
        facts += db.execute(f"SELECT {', '.join(parts[start : start + 900])} FROM {table}").fetchone()
    rows = int(facts[0])
    first = f"SELECT * FROM (SELECT {', '.join(map(quoted, columns))} FROM {table}) LIMIT {SAMPLE}"
    sample, described = db.execute(first).fetchall(), []
    for i, info in enumerate(infos):
        filled, low, high = facts[1 + 3 * i : 4 + 3 * i]
        values = [r[i] for r in sample if r[i] is not None]
        column = _column(name, columns[i], str(info[2] or ""), bool(info[5]), values, rows)
        if column.style == "text":  # as text, "10" would come before "9"
            low, high = min(map(float, values)), max(map(float, values))
        blanks = sum(v == "" for v in values) if column.kind in ("text", "category", "list") else 0
        missing = rows - int(filled) + blanks
        low, high = _bound(column, low), _bound(column, high)
        described.append(replace(column, empty=missing, blank=blanks > 0, low=low, high=high))
    if rows and not view and not any(c.key for c in described):  # the first unique column that is called an id
        with_key_names = (c for c in described if c.unique and _CALLED.search(" ".join(words_of(c.name))))
        key = next(with_key_names, None)
        described = [replace(c, key=True, tags=c.tags - {"piece"}) if c is key else c for c in described]
    return Table(name, tuple(described), rows, propose(name, loosely=False)[0], view)


_CALLED = re.compile(r"\b(code|key|no|nr|ref|reference)$|id$|编号$|单号$|流水号$")
"""What ends the name of a column that tells rows apart."""


def _bound(column: Column, value: Any) -> Scalar:
    """A column's smallest or largest value, as people read it."""
    if column.kind == "number":
        with suppress(TypeError, ValueError):
            return float(value)
    if column.kind == "date" and column.style in ("iso", "slash", "stamp") and isinstance(value, str):
        return value[:10].replace("/", "-")
    return None


def _column(table: str, name: str, declared: str, key: bool, values: list[object], rows: int) -> Column:
    hint, tags = propose(name)
    words = words_of(name)
    texts, different = [v for v in values if isinstance(v, str)], list(dict.fromkeys(values))
    distinct = len(different)
    unique = bool(values) and distinct == len(values) == min(rows, SAMPLE)
    tags |= {"label"} if unique and re.search("(?<![排报签别用笔])名$", name) else set()  # 店名, where each has its own
    base = Column(table, name, declared, "text", hint, key, unique, tags=tags, distinct=distinct)
    if truth := _truth(declared, words, different, gaps=len(values) < min(rows, SAMPLE)):
        return replace(base, kind="boolean", truth=truth)
    if style := _date_style(declared, words, different):
        either = style in ("us", "eu", "loose us", "loose eu") and _either_order(different)
        base = replace(base, ambiguous=either)
        timed = any(re.search(r"[ T午](?!00:00)\d?\d:\d\d", str(v)) for v in different)
        timed = timed and (style not in ORDERS or all(read_stamp(v, ORDERS[style]) for v in different))
        return replace(base, kind="date", style=style, tags=tags | {"date"} | ({"timed"} if timed else set()))
    if not values:
        return replace(base, kind="number" if re.search("int|real|num|dec|doub|float", declared, re.I) else "text")
    if all(isinstance(v, (int, float)) for v in values):
        whole = all(isinstance(v, int) for v in values) and words and singular(words[-1]) != words[-1]
        tags |= {"piece"} if whole and not (tags or hint.unit) else set()  # seats, copies
        return replace(base, kind="number", tags=tags, is_year=_are_years(values, words, name))
    numbers = len(texts) == len(values) and not set(words[-1:]) & _NUMBERED
    if numbers and all(_NUMBER.fullmatch(t.strip()) and not re.match(r"0\d", t) for t in texts):
        return replace(base, kind="number", style="text", is_year=_are_years([float(t) for t in texts], words, name))
    if separator := _separator(texts):
        parts = tuple(dict.fromkeys(p.strip() for t in texts for p in t.split(separator) if p.strip()))
        return replace(base, kind="list", style=separator, values=parts, distinct=len(parts))
    known = tuple(dict.fromkeys(t for t in texts if 0 < len(t) <= 80))
    orders = (words_in(words_in_order) for words_in_order in word_lists()["orders"].values())
    if order := next(
        (order_of_values for order_of_values in orders if distinct > 1 and set(texts) <= set(order_of_values)), None
    ):
        base = replace(base, hint=replace(hint, order=tuple(v for v in order if v in texts)))
    few = distinct <= 12 or distinct <= min(200, 0.5 * len(values))
    kind: Kind = "category" if few and not unique else "text"
    if len(known) > KNOWN_VALUES:
        return replace(base, kind=kind, complete=False)
    if texts and all(map(_CLOCK.fullmatch, texts)):
        base = replace(base, style="clock")
    return replace(base, kind=kind, values=known, complete=rows <= SAMPLE and len(known) == distinct)


def _are_years(numbers: Sequence[Any], words: Sequence[str], name: str) -> bool:
    """Whether numbers are years, by their range and the column's name: built_year, Planted, 入学年."""
    has_year_name = (
        in_names("years") & set(words) or name.endswith(("年", "年份", "年度")) or any(map(is_participle, words))
    )
    has_year_name = has_year_name or words[-1:] == ["by"]  # drink by
    return bool(has_year_name) and all(v == int(v) and 1500 <= v <= 2200 for v in numbers)


def _truth(declared: str, words: list[str], values: list[object], *, gaps: bool) -> tuple[Scalar, Scalar] | None:
    """Returns the stored yes and no of a column; values for "unknown" are neither, and no mark is a no."""
    if not values:
        return (1, 0) if "bool" in declared.lower() else None
    seen = set(values)
    if all(isinstance(v, int) for v in seen) and seen <= {0, 1}:
        return (1, 0) if seen == {0, 1} and not set(words) & _COUNTED or "bool" in declared.lower() else None
    if all(isinstance(v, str) for v in seen):
        folded = {str(v).lower(): str(v) for v in seen if v and str(v).lower() not in UNKNOWN}
        if not folded or len(folded) > 2 or len({str(v) for v in seen if str(v).lower() in folded}) > 2:
            return None
        if gaps and len(folded) == 1 and set(folded) <= MARKS:
            return next(iter(folded.values())), None
        like = next(iter(folded.values()))  # the unseen word is written like the seen one
        style = str.upper if like.isupper() else str.capitalize if like[:1].isupper() else str
        for yes, no in TRUTHS:
            if set(folded) <= {yes, no}:
                return folded.get(yes, style(yes)), folded.get(no, style(no))
    return None


def _date_style(declared: str, words: list[str], values: list[Any]) -> str:
    if not values:
        return "iso" if re.search("date|time", declared, re.I) else ""
    if all(isinstance(v, str) for v in values):
        styles = (s for s, pattern in _STYLES.items() if all(pattern.fullmatch(v.strip()) for v in values))
        return next(styles, "stamp" if all(map(read_stamp, values)) else "")
    if all(isinstance(v, int) for v in values) and set(words) & _TIMELIKE:
        if all(_STYLES["compact"].fullmatch(str(v)) for v in values):
            return "compact"
        scales = {"epoch": (3e8, 5e9), "epoch ms": (3e11, 5e12)}
        return next((s for s, (low, high) in scales.items() if all(low < v < high for v in values)), "")
    return ""


def _either_order(values: Sequence[Any]) -> bool:
    """Whether all days can be read as day/month and as month/day."""
    numbers = [re.split(r"[./-]", str(v).strip().split(" ")[0])[:2] for v in values]
    return all(len(n) == 2 and all(x.isdigit() and int(x) <= 12 for x in n) for n in numbers)


def _separator(texts: Sequence[str]) -> str:
    """The separator of a column of lists: few short words that come back in many rows.

    Few lists among single values make one, too, if each of their parts is the whole value of another row: an equality
    would miss the rows that join it with others.
    """
    separators = [s for s in _SEPARATORS if len(texts) > 2 and any(s in text for text in texts)]
    for separator in separators:
        whole = {text.strip() for text in texts if separator not in text}
        joined = [text.split(separator) for text in texts if separator in text]
        known = all(part.strip() in whole for parts in joined for part in parts)
        if known and not all(map(_NUMBER.fullmatch, whole)):
            return separator
    for separator in (s for s in separators if sum(s in t for t in texts) >= 0.3 * len(texts)):
        parts = [p.strip() for t in texts for p in t.split(separator)]
        kinds = set(parts)
        short = all(0 < len(p) <= 24 for p in parts) and len(kinds) <= min(500, 0.6 * len(parts))
        if short and not all(map(_NUMBER.fullmatch, kinds)):
            return separator
    return ""


def _declared(db: sqlite3.Connection, table: str) -> list[ForeignKey]:
    rows = db.execute(f"PRAGMA foreign_key_list({quoted(table)})").fetchall()
    many = {r[0] for r in rows if r[1] > 0}  # keys of several columns are left out
    return [ForeignKey(table, r[3], r[2], r[4] or "") for r in rows if r[0] not in many and r[3] and r[2]]


def _resolved(keys: Sequence[ForeignKey], tables: Sequence[Table]) -> list[ForeignKey]:
    """Returns declared keys with the spelling of the catalogue, without keys that point nowhere."""
    resolved, by_name = [], {t.name.lower(): t for t in tables}
    for f in keys:
        parent, child = by_name.get(f.parent.lower()), by_name.get(f.table.lower())
        if parent is not None and child is not None:
            only_key = parent.keys[0].name if len(parent.keys) == 1 else ""
            column = next((c.name for c in child.columns if c.name.lower() == f.column.lower()), None)
            key = next((c.name for c in parent.columns if c.name.lower() == (f.key or only_key).lower()), None)
            if column and key:
                resolved.append(ForeignKey(f.table, column, parent.name, key))
    return resolved


def _guess_keys(
    path: Path, tables: Sequence[Table], declared: Sequence[ForeignKey], seconds: float
) -> list[ForeignKey]:
    """Finds undeclared foreign keys: a column named like a unique column elsewhere, with all its values in there."""
    declared_columns = {(f.table, f.column) for f in declared}
    joined = {frozenset((f.table, f.parent)) for f in declared}
    guessed: list[ForeignKey] = []
    for child in tables:
        other_tables = [p for p in tables if p is not child and not child.view and not p.view]
        free = [p for p in other_tables if frozenset((child.name, p.name)) not in joined]
        for column in (
            c for c in child.columns if c.ref not in declared_columns and c.kind not in ("date", "boolean", "list")
        ):
            is_only_key = column.key and len(child.keys) == 1  # one row of the child for one of the parent, perhaps
            keys = _points_to(column, free, by_name=is_only_key)
            if key := next((k for k in keys if _included(path, column, k, seconds)), None):
                guessed.append(ForeignKey(child.name, column.name, key.table, key.name, declared=False))
    return guessed


def _points_to(column: Column, parents: Sequence[Table], *, by_name: bool) -> list[Column]:
    """Returns the unique columns that this one may refer to, likely ones first: member_id -> members.id, did -> domain.did.

    A parent that the name contains is the only one; with ``by_name`` a column of the same name is not enough.  Of several
    those come first whose own name begins like it (jid: journal).  A column named after its own table refers to none.
    """
    words, name = words_of(column.name), column.name.lower()
    stem = [singular(w) for w in words[:-1]] if words[-1:] and words[-1] in _NAMING else []
    if stem and stem == [singular(w) for w in words_of(column.table)]:
        return []
    lax, begins, tail = list[Column](), name.removesuffix("id").rstrip("_"), words[-2:]
    for parent in sorted(parents, key=lambda p: (not p.name.lower().startswith(begins), len(p.name))):
        is_named_after = bool(stem) and stem == [singular(w) for w in words_of(parent.name)]
        for key in parent.columns:
            if not key.unique or (key.kind == "number") != (column.kind == "number"):
                continue
            same = name == key.name.lower()
            if is_named_after and (same or (words[-1] == "id" and (key.key or key.name.lower() == "id"))):
                return [key]
            plain = key.kind != "number" and not key.complete or key.kind == "text"
            is_key_name = plain or name.endswith(("id", "code", "no", "编号", "号"))
            # the same name behind the prefixes of two tables: sbTxCustId, sbCustId
            behind = len(tail) == 2 and tail == words_of(key.name)[-2:] and tail[-1] in ("id", "code") and key.key
            if behind or (same and name != "id" and is_key_name):
                lax.append(key)
    return [] if by_name else lax


def _included(path: Path, column: Column, key: Column, seconds: float) -> bool:
    child, c, parent, k = map(quoted, (column.table, column.name, key.table, key.name))
    sql = (
        f"SELECT count(*), sum(v IN (SELECT {k} FROM {parent})) "
        f"FROM (SELECT DISTINCT {c} AS v FROM (SELECT {c} FROM {child} WHERE {c} IS NOT NULL LIMIT {SAMPLE}))"
    )
    try:
        with connection(path, tables=None, seconds=seconds, inspect=True) as db:
            all_of_them, inside = db.execute(sql).fetchone()
    except QueryError:
        return False
    return bool(all_of_them) and (inside or 0) >= 0.9 * all_of_them
