"""A search outside of the program: as a TOML file, as an expression, as runnable Python, in a link.

An operator is a table with ``type`` and the knobs that differ from their defaults; a pipeline is a table with
``retrieve``, ``derive``, ``rewrite``, ``merge``, ``fuse``, ``refine``, ``depth``, ``name``; wherever a searcher is
wanted, either may stand.  What is read is built from the catalogue's classes and nothing else: no code is run, no name
leads to a module, no address is contacted, and what is not known is an error that names its line and the nearest name.

What has been renamed since a search was written is found under its former name (`lab.former_names`).
"""

from __future__ import annotations

import ast
import base64
import binascii
import dataclasses
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from lab import catalog, former_names
from lab.algebra import (
    Composed,
    Derivation,
    Fusion,
    Operator,
    Pipeline,
    Query,
    Rewriter,
    Searcher,
    Stage,
    Stages,
    Weighted,
    shown,
)
from lab.errors import LabError, PipelineError
from lab.rewrite.routing import Route
from lab.toml import NestedTooDeeply, TomlError, read_toml
from lab.words import N_, Said

FORMAT = 1
"""The format of the files that are written and read; raised when the meaning of a file changes."""
LARGEST = 100_000
"""Characters of a file, and of what a link holds."""
LONGEST = 200
"""Characters of a line that are looked at for its key, when an error is placed."""
DEEPEST = 24
"""Levels of tables and lists, one inside the other."""
MOST = 64
"""Steps of a search, those of the searches inside it included."""
ROWS = ("retrieve", "derive", "refine", "routes")
"""The fields that hold several steps."""
ORDER = ("name", "retrieve", "derive", "rewrite", "merge", "fuse", "refine", "depth")
_EXAMPLE = Said("Write it like RRF()(BM25(), Vector()) >> MMR(k=8).")
_ADDRESS = re.compile(r"://|^\s*(?:[/\\~.]|[A-Za-z]:[/\\])")


# -------------------------------------------------------------------------------------------------- tables


def to_table(search: Operator) -> dict[str, Any]:
    """A search (or any operator) as plain tables, with only what differs from the defaults.

    Raises `PipelineError` for what belongs to the machine and not to the search: an address, a folder, a key.
    """
    if not getattr(search, "portable", True):
        said = N_("{name} belongs to this machine: files and links contain no addresses or keys.")
        remedy = Said("Give the model to the run under a name, or choose another one.")
        raise PipelineError(Said(said, name=search.label), remedy)
    own = catalog.changed(search)
    table: dict[str, Any] = {} if isinstance(search, Pipeline) else {"type": type(search).__name__}
    for name in sorted(own, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER)):
        with catalog.at(name):
            value = _plain(own[name], catalog.usual(type(search), name))
            if name == "model" and isinstance(value, str) and _ADDRESS.search(value):
                said = N_("“{value}” is an address or a folder; files and links cannot contain it.")
                remedy = Said("Write a model's name as on the model hub, or the name of a setting.")
                raise PipelineError(Said(said, value=value[:80]), remedy)
        if value is not None:
            table[name] = value
    return table


def _plain(value: Any, usual: Any = None) -> Any:
    """A value as it stands in a file; of a table without a type what differs from the usual one of its field."""
    if isinstance(value, Operator):
        return to_table(value)
    if hasattr(value, "short") and (short := value.short()):
        return short
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: plain for name, own in catalog.changed(value, usual).items() if (plain := _plain(own)) is not None
        }
    if isinstance(value, str):
        return _whole_characters(value)
    if isinstance(value, frozenset | set):
        return sorted(map(_plain, value))
    if isinstance(value, tuple | list):
        out = []
        for i, one in enumerate(value):
            with catalog.at(str(i)):
                out.append(_plain(one))
        return out
    return value


def _whole_characters(text: str) -> str:
    """Returns the text.  Raises `PipelineError` for a lone surrogate, which no file and no link can hold."""
    shown = text.encode("utf-8", "replace").decode("utf-8")
    if shown != text:
        said = Said("“{text}” contains half a character.", text=shown[:80])
        raise PipelineError(said, Said("Type or paste the text again."))
    return text


def _checked_table(search: Operator) -> dict[str, Any]:
    """Returns a search as plain tables.  Raises `PipelineError` for what no file, link or expression may hold."""
    table = to_table(search)
    _check_size(table)
    if isinstance(search, Composed):
        _check_steps(len(search.parts()))
    return table


def _check_steps(number: int) -> None:
    if number > MOST:
        raise _too_many_steps()


def _too_many_steps() -> PipelineError:
    said = Said("This search has more than {n} steps.", n=MOST)
    return PipelineError(said, Said("Remove some lists or steps."))


def from_table(table: Mapping[str, Any], *, text: str = "") -> Searcher:
    """The search that these tables describe; ``text`` is the file that they come from, for the lines of errors.

    Raises `PipelineError`.
    """
    try:
        _check_size(table)
        made = catalog.searcher(table)
        _checked_table(made)  # what a file must not hold is refused, however it was written
    except LabError as error:
        raise _placed(error, text) from error
    except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:  # an unexpected value
        remedy = Said("Compare it with a file of this lab.")
        raise PipelineError(Said("This is not a search: {reason}.", reason=str(error)[:200]), remedy) from error
    return made


def _check_size(value: Any, depth: int = 0) -> None:
    """Raises `PipelineError` for tables that are nested too deeply, and for more rows than a search has steps."""
    if depth > DEEPEST:
        raise _too_deep()
    for row in (value.get(name) for name in ROWS) if isinstance(value, Mapping) else ():
        _check_steps(len(row) if isinstance(row, list) else 0)
    if isinstance(value, list | Mapping):
        for one in value.values() if isinstance(value, Mapping) else value:
            _check_size(one, depth + 1)


def _too_deep() -> PipelineError:
    said = Said("This is nested too deeply: the limit is {n} levels.", n=DEEPEST)
    return PipelineError(said, Said("Put fewer searches inside each other."))


def _placed(error: LabError, text: str) -> PipelineError:
    """The error with its line in the file: that of its path, or of the longest part of the path that is there."""
    lines, path = dict(_lines(text)), ".".join(error.path)
    known = path
    while known and known not in lines:
        known = known.rpartition(".")[0]
    path = path[:LONGEST]
    if known in lines:
        said = Said("Line {line}, {path}: {what}", line=lines[known], path=path, what=error.message)
    else:
        said = Said("{path}: {what}", path=path, what=error.message) if path else Said("{what}", what=error.message)
    return PipelineError(said, error.remedy)


# ---------------------------------------------------------------------------------------------------- TOML


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """(path, line) of every table and key that begins a line; arrays of tables are counted."""
    count: dict[str, int] = {}
    table, quoted = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if quoted:
            quoted = "" if line.count(quoted) % 2 else quoted
            continue
        begun = line.strip()[:LONGEST]  # long lines would take these patterns long
        head = re.match(r"(\[\[?)([\w.\"' -]+)\]\]?\s*(?:#.*)?$", begun)
        key = re.match(r"([\w-]+|\"[^\"]*\"|'[^']*')\s*(?:\.[\w.\s-]+)?=", begun)
        if head:
            table = ""
            steps = [step.strip() for step in head[2].split(".")]
            for i, step in enumerate(steps):
                table = f"{table}.{step}".lstrip(".")
                if i == len(steps) - 1 and head[1] == "[[":
                    count[table] = count.get(table, -1) + 1
                if table in count:
                    table = f"{table}.{count[table]}"
            yield table, number
        elif key:
            name = key[1].strip("\"'")
            yield f"{table}.{name}".lstrip("."), number
            quoted = next((q for q in ('"""', "'''") if line.count(q) % 2), "")


def to_toml(search: Searcher) -> str:
    """The search as a file, its phases in the order in which they work.

    Raises `PipelineError` for an address, a folder or a key in it, and for one that is too deep or has too many steps.
    """
    single, tables = [f"format = {FORMAT}"], list[str]()
    for name, value in _checked_table(search).items():
        rows = isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
        if not rows and not isinstance(value, Mapping):
            single.append(f"{name} = {_inline(value)}")
            continue
        for one in value if rows else [value]:
            tables += ["", f"[[{name}]]" if rows else f"[{name}]"]
            tables += [f"{knob} = {_inline(own)}" for knob, own in one.items()]
    return "\n".join([*single, *tables]) + "\n"


def _inline(value: Any) -> str:
    """A value in one line.  TOML's strings are JSON's, but for the delete character."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name} = {_inline(own)}" for name, own in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def from_toml(text: str) -> Searcher:
    """The search in a file.  Raises `PipelineError`, which names the line and the nearest known name."""
    if len(text) > LARGEST:
        raise PipelineError(
            Said("The file is longer than {n} characters.", n=LARGEST), Said("A search has a limited length.")
        )
    try:
        table = read_toml(text)
    except NestedTooDeeply:
        raise _too_deep() from None
    except TomlError as error:
        said = Said("This is not TOML: {reason}.", reason=error.reason)
        raise PipelineError(said, Said("Correct that line.")) from None
    given = table.pop("format", None)
    if type(given) is not int or given != FORMAT:
        raise _placed(_other_format(given), text)
    return from_table(table, text=text)


def _other_format(given: object) -> PipelineError:
    """Returns the error for a file without a format, or of another one."""
    if given is None:
        said, remedy = Said("The file does not name its format."), Said("Start the file with format = {n}.", n=FORMAT)
    else:
        said = Said("The format is {format}; only format {n} can be read.", format=str(shown(given))[:40], n=FORMAT)
        remedy = Said("Write format = {n}, and check every step.", n=FORMAT)
    error = PipelineError(said, remedy)
    error.path = ("format",)
    return error


# ---------------------------------------------------------------------------------------------------- links


def to_link(search: Searcher) -> str:
    """The search in letters that stand in an address: its TOML, deflated, in base64."""
    return base64.urlsafe_b64encode(zlib.compress(to_toml(search).encode("utf-8"), 9)).decode("ascii").rstrip("=")


def from_link(text: str) -> Searcher:
    """The search in a link.  Raises `PipelineError`."""
    broken = PipelineError(Said("This link contains no readable search."), Said("Copy the whole link."))
    if len(text) > LARGEST:
        raise broken
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        raw = unpack.decompress(packed, LARGEST)
        if unpack.unconsumed_tail or unpack.unused_data or not unpack.eof:
            raise broken
        told = raw.decode("utf-8")
    except (ValueError, binascii.Error, zlib.error):
        raise broken from None
    return from_toml(told)


def read(text: str) -> Searcher:
    """A search however it is written: a file, a link, an expression.  Raises `PipelineError`."""
    text = text.strip().removeprefix("\ufeff")
    if re.fullmatch(r"eN[\w-]{16,}", text):  # as what is deflated at the best level begins
        return from_link(text)
    if re.search(r"^[ \t]*(?:\[|#|[\w-]+[ \t]*=)", text, re.MULTILINE) and not re.match(r"\w+\(", text):
        return from_toml(text)
    return parse(text)


# --------------------------------------------------------------------------------------------- expressions


def parse(text: str) -> Searcher:
    """A search from an expression: ``RRF(k=60)(BM25(b=0), Vector()) >> MMR(k=8) % 5``, or from ``bm25:k1=0.9,b=0.4``.

    Only names of the catalogue, calls, ``>>``, ``%``, ``*`` and values; nothing is executed.  Raises `PipelineError`.
    """
    made = build(text)
    if not isinstance(made, Searcher):
        remedy = Said("A search begins with a list, for instance BM25().")
        raise PipelineError(Said("“{text}” is not a search.", text=text[:80]), remedy)
    return made


def build(text: str) -> Any:
    """Whatever an expression stands for: a search, a stage, a fusion.  Raises `PipelineError`."""
    if len(text) > LARGEST:
        said = Said("The expression is longer than {n} characters.", n=LARGEST)
        raise PipelineError(said, Said("A search has a limited length."))
    text = text.strip()
    try:
        if re.fullmatch(r"[\w .-]+(?::[^()]*)?", text):
            made = catalog.from_text(catalog.operators, text)
        else:
            made = _value(ast.parse(text, mode="eval").body, 0)
        for one in made.stages if isinstance(made, Stages) else (made,) if isinstance(made, Operator) else ():
            _checked_table(one)  # what a file must not hold, an expression must not hold either
        return made
    except PipelineError:
        raise
    except LabError as error:  # before ValueError, which a ParameterError is too
        raise PipelineError(error.message, error.remedy) from error
    except (RecursionError, MemoryError):
        raise (_too_many_steps() if text.count(">>") + text.count("%") > MOST else _too_deep()) from None
    except (SyntaxError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        reason = str(error).split("(")[0].strip() or "?"
        said = Said("“{text}” cannot be read: {reason}.", text=text[:80], reason=reason)
        raise PipelineError(said, _EXAMPLE) from None


def _value(node: ast.AST, depth: int) -> Any:
    if depth > 2 * DEEPEST:
        raise _too_deep()
    down = depth + 1
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, down)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        _check_steps(sum(isinstance(one, ast.Call | ast.Name) for one in node.elts))
        return tuple(_value(one, down) for one in node.elts)
    if isinstance(node, ast.Dict):
        return {_value(k, down): _value(v, down) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.Name):
        return _call(node.id, {})
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift | ast.Mod):
        return _row(node, down)
    made = _combined(node, down) if isinstance(node, ast.BinOp) else _called(node, down)
    if made is None:
        raise _no_place(node)
    return made


def _row(node: ast.BinOp, depth: int) -> Any:
    """Returns a search or stage with the stages that follow it by ``>>`` and ``%``: a long row is not a deep one."""
    first: ast.AST = node
    after: list[ast.BinOp] = []
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.RShift | ast.Mod):
        after.append(first)
        first = first.left
    _check_steps(len(after))
    made = _value(first, depth)
    for one in reversed(after):
        right = _value(one.right, depth)
        begins = isinstance(made, Rewriter) and isinstance(one.op, ast.RShift) and isinstance(right, Searcher)
        if not (begins or isinstance(made, Searcher | Stage | Stages)):
            raise _no_place(one)
        made = made >> right if isinstance(one.op, ast.RShift) else made % right
    return made


def _no_place(node: ast.AST) -> PipelineError:
    return PipelineError(Said("“{text}” is not allowed in a search.", text=ast.unparse(node)[:60]), _EXAMPLE)


def _combined(node: ast.BinOp, depth: int) -> Any:
    """``*`` of searches, ``/`` of numbers; None for anything else."""
    left, right = _value(node.left, depth), _value(node.right, depth)
    if isinstance(node.op, ast.Div) and isinstance(left, int | float) and isinstance(right, int | float) and right:
        return left / right
    weighs = isinstance(node.op, ast.Mult) and (isinstance(left, Searcher) or isinstance(right, Searcher))
    return left * right if weighs else None


def _called(node: ast.AST, depth: int) -> Any:
    """A call of a class of the catalogue, or of what makes a pipeline of searchers; None for anything else."""
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return None
    if not isinstance(node.func, ast.Name):  # a fusion that is called with its lists
        _check_steps(len(node.args))
    named = {str(k.arg): _value(k.value, depth) for k in node.keywords}
    if len(named) < len(node.keywords):  # one given twice: Python would refuse it as well
        return None
    given = [_value(one, depth) for one in node.args]
    if ast.unparse(node.func) == "frozenset" and not named and [type(one) for one in given] in ([], [tuple]):
        return tuple(*given)  # a set of words, as `expression` writes it: the field makes a set of it again
    if isinstance(node.func, ast.Name):
        return _call(node.func.id, named, given)
    called = _value(node.func, depth)
    if not given or not all(isinstance(one, Searcher | Weighted) for one in given):
        return None
    if isinstance(called, Derivation) and not named:
        return called(*given)
    named = {former_names.present_knob(Pipeline, name): value for name, value in named.items()}
    return called(*given, **named) if isinstance(called, Fusion | Rewriter) else None


def _call(name: str, named: Mapping[str, Any], given: Sequence[Any] = ()) -> Any:
    known: dict[str, type[Any]] = {**catalog.operators(), **catalog.specifications()}
    cls = catalog.among(known, "operator", name)
    fields = [f.name for f in dataclasses.fields(cls) if f.init and not f.kw_only]
    if len(given) > len(fields):
        raise PipelineError(Said("Maximum number of values without a name for {name}: {n}.", name=name, n=len(fields)))
    made = catalog.make(cls, {**dict(zip(fields, given, strict=False)), **named})
    if isinstance(made, Operator):
        to_table(made)  # what a file must not hold, an expression must not hold either
    return made


def expression(search: Any) -> str:
    """A search as an expression that `parse` and Python read: ``RRF()(BM25(), Vector()) >> MMR(k=8)``."""
    if isinstance(search, Pipeline):
        return _pipeline_expression(search)
    if isinstance(search, tuple):
        inner = ", ".join(map(expression, search))
        return f"({inner},)" if len(search) == 1 else f"({inner})"
    if isinstance(search, frozenset):
        return f"frozenset({{{', '.join(map(expression, sorted(search)))}}})" if search else "frozenset()"
    if hasattr(search, "short") and (short := search.short()):
        return repr(short)
    if not dataclasses.is_dataclass(search) or isinstance(search, type):
        return repr(search)
    own = ", ".join(f"{name}={expression(value)}" for name, value in catalog.changed(search).items())
    return f"{type(search).__name__}({own})"


def _pipeline_expression(p: Pipeline) -> str:
    simple = not p.name and not p.derive and not (p.rewrite and (p.fuse or len(p.retrieve) > 1))
    depth = "" if p.depth is None else f", depth={p.depth}"
    if simple and p.rewrite is not None:
        merge = "" if p.merge is None else f", merge={expression(p.merge)}"
        head = f"{expression(p.rewrite)}({expression(p.retrieve[0])}{merge}{depth})"
    elif simple and p.fuse is not None and p.merge is None:
        head = f"{expression(p.fuse)}({', '.join(map(expression, p.retrieve))}{depth})"
    elif simple and p.refine and not depth and p.merge is None and not isinstance(p.retrieve[0], Pipeline):
        head = expression(p.retrieve[0])
    else:
        own = ", ".join(f"{name}={expression(value)}" for name, value in catalog.changed(p).items())
        return f"Pipeline({own})"
    return " >> ".join([head, *map(expression, p.refine)])


# --------------------------------------------------------------------------------------------------- Python


def to_python(searches: Mapping[str, Searcher], *, corpus: Sequence[str], query: str | Query, k: int) -> str:
    """A program that makes these searches again and prints their lists; ``corpus`` are the lines that load it.

    Where a search names other `collections`, these lines load them as ``others``.
    """
    query, models = Query.of(query), _models(searches.values())
    given = "".join([", others=others" * bool(collections(searches.values())), f", models={models}" * bool(models)])
    return "\n".join(
        [
            *_imports(searches.values(), "Runner"),
            *corpus,
            "",
            "searches = {",
            *(f"    {name!r}: {expression(search)}," for name, search in searches.items()),
            "}",
            f"runner = Runner(corpus{given})",
            "for name, search in searches.items():",
            f"    ranking = runner(search, {query.text!r}, {k})",
            "    print(name)",
            '    print(ranking.to_frame()[["rank", "id", "title", "score"]].to_string(index=False))',
            "    for drop in ranking.dropped:",
            '        print("   ", drop.document.id, drop.reason)',
            "",
        ]
    )


def to_langchain(search: Searcher, *, corpus: Sequence[str], query: str | Query, k: int) -> str:
    """A program that asks this search as a LangChain retriever; ``corpus`` are the lines that load the corpus."""
    query, models = Query.of(query), _models([search])
    given = "".join([", others=others" * bool(collections([search])), f", models={models}" * bool(models)])
    return "\n".join(
        [
            *_imports([search]),
            "from lab.adapters.langchain import LabRetriever",
            *corpus,
            "",
            f"search = {expression(search)}",
            f"retriever = LabRetriever(search, corpus, k={k}{given})",
            f"for document in retriever.invoke({query.text!r}):",
            '    print(document.metadata["rank"], document.id, document.metadata["score"])',
            "",
        ]
    )


def _imports(searches: Iterable[Searcher], *more: str) -> list[str]:
    """The lines that import what these searches are written with."""
    searches = list(searches)
    nodes = chain.from_iterable(ast.walk(ast.parse(expression(s), mode="eval")) for s in searches)
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} - {"frozenset"} | set(more))
    chat = ["from lab.models.endpoint_chat import from_environment"] if _models(searches) else []
    return [*_needed(names), f"from lab import {', '.join(names)}", *chat]


def _needed(names: Iterable[str]) -> list[str]:
    """Comments on what a program needs beside the lab: the plug-ins of these operators."""
    found, lines = catalog.plugins().loaded, list[str]()
    for plugin in found:
        if mine := [cls.__name__ for cls in plugin.operators if cls.__name__ in names]:
            how = "set LAB_PLUGINS to its path" if plugin.name.endswith(".py") else "install that package"
            lines.append(f"# {', '.join(mine)}: from the plug-in {plugin.name}; {how}")
    return lines


def collections(searches: Iterable[Searcher]) -> list[str]:
    """The collections that the routes of these searches lead to, by name, each once; not that of the run."""
    routes = (x for s in searches for x in catalog.inside(s) if isinstance(x, Route))
    return list(dict.fromkeys(to.collection for route in routes for to in route.routes if to.collection))


def _models(searches: Iterable[Searcher]) -> str:
    """The language models of a run, by the names that the searches know them under; empty where there is none."""
    asking = (x for s in searches for x in catalog.inside(s) if "model" in x.needs)
    chat = sorted({str(getattr(x, "model", "")) for x in asking})
    return f"{{{', '.join(f'{name!r}: from_environment()' for name in chat)}}}" if chat else ""
