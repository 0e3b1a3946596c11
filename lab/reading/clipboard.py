"""Text from the clipboard: Python lists and documents, JSON, tables of a spreadsheet, lines or paragraphs.

Python is read as data (`ast`), never run: lists of texts, of dictionaries and of ``Document(page_content=…)``.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lab.reading.delimited import widths
from lab.reading.headings import headings
from lab.reading.known import NAMES, STRONG

PARAGRAPHS, LINES, HEADINGS, TABLE, JSON, PYTHON = "paragraphs", "lines", "headings", "table", "json", "python"
_LONGEST_PYTHON, _LARGEST_VALUES = 2_000_000, 10_000_000
"""Characters of code, and characters and items of its values, which names can multiply."""
_TEXTS = ("page_content", "text", "content", "body", "document")
_DOCUMENTS = re.compile(
    r"doc|text|passage|corpus|chunk|node|sentence|paragraph|content|data|语料|文档|段落", re.IGNORECASE
)
_QUESTIONS = re.compile(r"quer|question|prompt|问题|查询", re.IGNORECASE)
_METADATA = re.compile(r"meta", re.IGNORECASE)
_IDS = re.compile(r"(?:^|_)(?:id|uuid|key)s?$", re.IGNORECASE)
_PROMPT = re.compile(r"(?m)^(?:>>>|\.\.\.|In \[\d+\]:) ?")
_SENTENCE_END = tuple("。.！!？?…;；")
_CLOSING = "\"'”’」』)）]】*_"
_BULLET = re.compile(r"(?:[-*•·–]|\(?\d{1,3}[.)、）])\s+\S")
_FEWEST_LINES = 3
_SHORT = 3


@dataclass(frozen=True)
class Pasted:
    """A pasted text: its kind, and for Python its records and the parts left out.

    ``left_out`` are names of other values, ``unknown`` counts values that only running the code would give.
    """

    kind: str
    records: Sequence[object] = ()
    left_out: Sequence[str] = ()
    unknown: int = 0

    @property
    def as_json(self) -> bytes:
        """The records as the text of a JSON file."""
        return json.dumps(list(self.records), ensure_ascii=False, default=str).encode("utf-8", "replace")


def recognise(text: str) -> Pasted:
    """Returns what a text seems to be; paragraphs if nothing else is clear."""
    if is_json(text):
        return Pasted(JSON)
    if (python := read_python(text)) is not None:
        return python
    if headings(text):
        return Pasted(HEADINGS)
    return Pasted(TABLE if delimiter(text) else LINES if _are_passages(text) else PARAGRAPHS)


def is_json(text: str) -> bool:
    """Returns whether a text is a JSON list or object, or lines of JSON objects."""
    begin = text.lstrip()[:1]
    if begin not in ("[", "{"):
        return False
    try:
        return bool(json.loads(text))
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False


def delimiter(text: str) -> str:
    """A tab if most lines have as many; another sign only below the usual names of columns; empty for a text."""
    lines = [line + "\n" for line in text.split("\n") if line.strip()][:200]
    if len(lines) < 2:
        return ""
    width, share = widths(lines, "\t")
    if width > 1 and share >= 0.8:
        return "\t"
    for sign in (",", ";", "|"):
        width, share = widths(lines, sign)
        names = [name.strip().strip("\"'").lower() for name in lines[0].split(sign)]
        if width > 1 and share == 1.0 and sum(name in NAMES for name in names) > len(names) / 2:
            return sign
    return ""


def _are_passages(text: str) -> bool:
    """Whether every line is a passage: lines without blank ones between them that end as sentences or begin as items.

    Lines that a program broke at a width are one text.
    """
    lines = text.strip().split("\n")
    if len(lines) < _FEWEST_LINES or any(not line.strip() for line in lines):
        return False
    lines = [line.strip() for line in lines]
    ended = sum(line.rstrip(_CLOSING).endswith(_SENTENCE_END) for line in lines)
    if ended >= 0.9 * len(lines) or all(map(_BULLET.match, lines)):
        return True
    lengths = [len(line) for line in lines[:-1]]
    return not ended and not any(line[0].islower() for line in lines) and 10 * min(lengths) < 7 * max(lengths) <= 700


# ------------------------------------------------------------------------------------------------- Python


class _NoValueError(Exception):
    """An expression that is not data."""


class _TooLargeError(Exception):
    """Code whose values would be far larger than the code."""


@dataclass
class _Code:
    """The values of a piece of code, by name and in order, the names that other values use, and what has no value."""

    names: dict[str, object] = field(default_factory=dict)
    values: list[tuple[str, object]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unknown: int = 0
    size: int = 0

    def charge(self, value: object) -> None:
        """Counts the characters and items of a value once more.  Raises `_TooLargeError`."""
        self.size += _size(value)
        if self.size > _LARGEST_VALUES:
            raise _TooLargeError


class _Record(dict[str, Any]):
    """What a call such as ``Document(page_content=…)`` holds."""


def read_python(text: str) -> Pasted | None:
    """Returns the texts and documents in Python code, which is not run; None if it is not code that holds some."""
    if len(text) > _LONGEST_PYTHON or not re.search("[\"']", text):
        return None
    module = _parsed(textwrap.dedent(_PROMPT.sub("", text)).strip())
    if module is None:
        return None
    code = _Code()
    try:
        for statement in module.body:
            _read_statement(code, statement)
        return _chosen(code)
    except (RecursionError, _TooLargeError):
        return None


def _parsed(text: str) -> ast.Module | None:
    """The code; a list whose bracket was not copied is completed."""
    for begin, end in (("", ""), ("", "]"), ("[", ""), ("[", "]"), ("", ")])")):
        try:
            return ast.parse(f"{begin}{text}\n{end}")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
    return None


def _read_statement(code: _Code, statement: ast.stmt) -> None:
    """Notes the value of an assignment, of an expression, or of the named arguments of a call."""
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        name = targets[0].id if isinstance(targets[0], ast.Name) else ""
        _note(code, name, statement.value)
    elif isinstance(statement, ast.Expr):
        _note(code, "", statement.value)


def _note(code: _Code, name: str, expression: ast.expr) -> None:
    used = set(code.used)
    try:
        value = _value(code, expression)
    except _NoValueError:
        code.used = used
        if isinstance(expression, ast.Call):  # collection.add(documents=[…], ids=[…])
            for argument in (*expression.args, *(keyword.value for keyword in expression.keywords)):
                if isinstance(argument, ast.List | ast.Tuple):
                    key = next((k.arg or "" for k in expression.keywords if k.value is argument), "")
                    _note(code, key, argument)
        return
    if name:
        code.names[name] = value
    code.values = [(old, v) for old, v in code.values if not name or old != name]
    code.values.append((name, value))


def _value(code: _Code, node: ast.expr) -> Any:
    """The value of an expression of texts, numbers, lists, dictionaries and documents.  Raises `_NoValueError`."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | int | float | bool | None) else str(node.value)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return list(_items(code, node.elts))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_value(code, k)): _value(code, v) for k, v in pairs if k is not None}
    if isinstance(node, ast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
        return list(_repeated(code, node))
    if isinstance(node, ast.Name):
        return _named(code, node.id)
    if isinstance(node, ast.Call):
        return _called(code, node)
    if isinstance(node, ast.JoinedStr):
        return "".join(_in_braces(code, part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(code, node.left), _value(code, node.right)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if isinstance(left, list) and isinstance(right, list):
            return left + right
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(code, node.operand)
        if isinstance(number, int | float):
            return -number
    raise _NoValueError


def _items(code: _Code, nodes: Sequence[ast.expr]) -> Iterator[object]:
    """The items of a list; items that are not data are counted."""
    for node in nodes:
        try:
            if isinstance(node, ast.Starred):
                inner = _value(code, node.value)
                yield from inner if isinstance(inner, list) else [inner]
            else:
                yield _value(code, node)
        except _NoValueError:
            code.unknown += 1


def _size(value: object) -> int:
    if isinstance(value, str):
        return 1 + len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, inner))


def _repeated(code: _Code, node: ast.ListComp) -> Iterator[object]:
    """The items of ``[Document(page_content=t) for t in texts]``, also with `enumerate` and `zip`."""
    loop, before = node.generators[0], dict(code.names)
    for value in _sequence(code, loop.iter):
        code.charge(value)
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        values = value if isinstance(loop.target, ast.Tuple) and isinstance(value, list) else [value]
        code.names |= {t.id: v for t, v in zip(targets, values, strict=False) if isinstance(t, ast.Name)}
        yield from _items(code, [node.elt])
    code.names = before


def _sequence(code: _Code, node: ast.expr) -> list[Any]:
    """The list that a loop runs over.  Raises `_NoValueError`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("enumerate", "zip"):
        columns = [_sequence(code, argument) for argument in node.args]
        if node.func.id == "enumerate":
            columns = [[*range(len(columns[0]))], columns[0]] if columns else []
        return [list(row) for row in zip(*columns, strict=False)]
    value = _value(code, node)
    if not isinstance(value, list):
        raise _NoValueError
    return value


def _named(code: _Code, name: str) -> object:
    if name in code.names:
        code.charge(code.names[name])
        code.used.add(name)
        return code.names[name]
    if name in ("true", "false", "null", "nan"):
        return {"true": True, "false": False}.get(name)
    raise _NoValueError


def _in_braces(code: _Code, part: ast.expr) -> str:
    """A part of an f-string; a value that is not known stays as it is written."""
    if isinstance(part, ast.FormattedValue):
        try:
            return str(_value(code, part.value))
        except _NoValueError:
            return f"{{{ast.unparse(part.value)}}}"
    return str(_value(code, part))


def _called(code: _Code, node: ast.Call) -> object:
    """A document from its named arguments, or a text after `strip` or `dedent`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in ("strip", "lstrip", "rstrip") and isinstance(node.func, ast.Attribute) and not node.args:
        return str(getattr(str(_value(code, node.func.value)), name)())
    if name in ("dedent", "cleandoc", "str", "list", "tuple") and len(node.args) == 1:
        value = _value(code, node.args[0])
        return textwrap.dedent(value) if isinstance(value, str) else value
    if name == "dict" and not node.args:
        return {k.arg: _value(code, k.value) for k in node.keywords if k.arg}
    fields = {k.arg: k.value for k in node.keywords if k.arg}
    text = next((fields.pop(key) for key in _TEXTS if key in fields), None)
    first = node.args[0] if text is None and node.args and name[:1].isupper() else None
    given = text or first
    content = _value(code, given) if given else None
    if not isinstance(content, str):
        raise _NoValueError
    record = _Record(text=content)
    for key, expression in fields.items():
        try:
            record[{"id_": "id", "doc_id": "id", "meta": "metadata", "extra_info": "metadata"}.get(key, key)] = _value(
                code, expression
            )
        except _NoValueError:
            code.unknown += 1
    return record


def _chosen(code: _Code) -> Pasted | None:
    """The records of the code: documents, or the lists of texts that are called so, or else the longest."""
    lists = [(name, _as_records(value)) for name, value in code.values if name not in code.used]
    lists = [(name, records) for name, records in lists if records]
    loose = [(name, records) for name, records in lists if len(records) == 1 and _is_loose(name, records[0])]
    if len(loose) > 1:  # doc_1 = Document(…), doc_2 = Document(…); lines of a list whose brackets were not copied
        lists = [entry for entry in lists if entry not in loose]
        lists.append(("", [record for _, records in loose for record in records]))
    metadata = [records for name, records in lists if _METADATA.search(name)]
    ids = [records for name, records in lists if _IDS.search(name)]
    texts = [entry for entry in lists if entry[1] not in metadata and entry[1] not in ids]
    named = [e for e in texts if _DOCUMENTS.search(e[0]) and not _QUESTIONS.search(e[0])]
    called = [e for e in texts if any(isinstance(record, _Record) for record in e[1])]
    asked = [e for e in texts if _QUESTIONS.search(e[0])]
    others = [e for e in texts if e not in asked] or texts
    taken = called or named or ([max(others, key=lambda e: _length(e[1]))] if others else [])
    records = [record for _, some in taken for record in _with(some, metadata, ids)]
    if not records or not any(any(_texts(record)) for record in records):
        return None
    if len(records) == 1 and isinstance(records[0], str) and not _DOCUMENTS.search(taken[0][0]):
        return None  # a sentence in quotation marks, the name of a model
    left_out = [name for name, some in texts if name and (name, some) not in taken]
    return Pasted(PYTHON, records, left_out, code.unknown)


def _is_loose(name: str, record: object) -> bool:
    """Whether a single value is one of several passages: a document, or a text without a name or called a text."""
    if _QUESTIONS.search(name):
        return False
    return not name or isinstance(record, _Record) or bool(_DOCUMENTS.search(name))


def _as_records(value: object) -> list[object]:
    if isinstance(value, list):
        rows = [item for item in value if isinstance(item, list)]
        if len(rows) == len(value) > 0 and len({len(row) for row in rows}) == 1 < len(rows[0]):
            return _rows(rows)
        flat = [item for part in value for item in (part if isinstance(part, list) else [part])]
        return [item for item in flat if isinstance(item, str | dict)]
    if isinstance(value, dict) and not isinstance(value, _Record):
        inner = list(value.values())
        if inner and all(isinstance(v, list) and len(v) == len(inner[0]) > 0 for v in inner):
            return [dict(zip(value, row, strict=True)) for row in zip(*inner, strict=True)]
        if inner and all(isinstance(v, dict) for v in inner):
            return [{"id": k, **v} for k, v in value.items()]
        if not any(str(k).lower() in STRONG or k in _TEXTS for k in value) and all(isinstance(v, str) for v in inner):
            return [{"id": k, "text": v} for k, v in value.items()]
    return [value] if isinstance(value, str | dict) else []


def _rows(rows: Sequence[list[object]]) -> list[object]:
    """Rows of values as records: pairs such as (id, text)."""
    firsts = [str(row[0]) for row in rows]
    ids = len(set(firsts)) == len(firsts) and all(" " not in first and any(map(str.isdigit, first)) for first in firsts)
    names = ["id" if i == 1 and ids else f"column {i}" for i in range(1, len(rows[0]) + 1)]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _with(records: Sequence[object], metadata: Sequence[list[object]], ids: Sequence[list[object]]) -> list[object]:
    """The records with the metadata and the ids of lists beside them that have the same length."""
    joined = [dict(r) if isinstance(r, dict) else {"text": r} for r in records]
    for values, key in ((metadata, "metadata"), (ids, "id")):
        for beside in values:
            if len(beside) == len(joined):
                for record, value in zip(joined, beside, strict=True):
                    record.setdefault(key, value)
    return [r["text"] if r.keys() == {"text"} else _flat(r) for r in joined]


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record under the names that readers of records know."""
    if "text" not in record and "page_content" in record:
        record = {"text": record["page_content"], **{k: v for k, v in record.items() if k != "page_content"}}
    return {k: v for k, v in record.items() if v is not None}


def _length(records: Sequence[object]) -> int:
    return sum(len(text) for record in records for text in _texts(record))


def _texts(record: object) -> Iterator[str]:
    """The texts of a record of more than a short word."""
    for text in record.values() if isinstance(record, dict) else [record]:
        if isinstance(text, str) and (" " in text.strip() or len(text.strip()) > _SHORT):
            yield text
