"""A search outside of the program: as a TOML file, as an expression, as runnable Python, in a link.

An operator is a table with ``type`` and the knobs that differ from their defaults; a pipeline is a table with
``retrieve``, ``derive``, ``rewrite``, ``merge``, ``fuse``, ``refine``, ``depth``, ``name``; wherever a searcher is
expected, either is allowed.  Reading builds only classes of the catalogue: no code is run, no name leads to a module,
no address is contacted, and an unknown name is an error with its line and the nearest known name.

Names from before a renaming are still understood (`lab.former_names`).
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
from types import MappingProxyType
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
from lab.retrieve.external import External
from lab.rewrite.routing import Route
from lab.toml import NestedTooDeeply, TomlError, read_toml
from lab.words import N_, Said

FORMAT = 1
"""The format of the files that are written and read; raised when the meaning of a file changes."""
LARGEST = 100_000
"""Maximum characters of a file, and of the file in a link."""
LONGEST = 200
"""Characters of a line that are searched for its key, to find the line of an error."""
DEEPEST = 24
"""Maximum levels of tables and lists inside each other."""
MOST = 64
"""Maximum steps of a search, including those of the searches inside it."""
ROWS = ("retrieve", "derive", "refine", "routes")
"""The fields that hold several steps."""
ORDER = ("name", "retrieve", "derive", "rewrite", "merge", "fuse", "refine", "depth")
_EXAMPLE = Said("Write it like RRF()(BM25(), Vector()) >> MMR(k=8).")
_ADDRESS = re.compile(r"://|^\s*(?:[/\\~.]|[A-Za-z]:[/\\])")


# -------------------------------------------------------------------------------------------------- tables


def to_table(search: Operator) -> dict[str, Any]:
    """Converts a search (or any operator) to plain tables, with only the values that differ from the defaults.

    Raises `PipelineError` for values that belong to the machine: an address, a folder, a key.
    """
    if not getattr(search, "portable", True):
        message = N_("{name} belongs to this machine: files and links contain no addresses or keys.")
        remedy = Said("Give the model to the run under a name, or choose another one.")
        raise PipelineError(Said(message, name=search.label), remedy)
    fields = catalog.changed(search)
    table: dict[str, Any] = {} if isinstance(search, Pipeline) else {"type": type(search).__name__}
    for name in sorted(fields, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER)):
        with catalog.at(name):
            value = _file_value(fields[name], catalog.usual(type(search), name))
            if name == "model" and isinstance(value, str) and _ADDRESS.search(value):
                message = N_("“{value}” is an address or a folder; files and links cannot contain it.")
                remedy = Said("Write a model's name as on the model hub, or the name of a setting.")
                raise PipelineError(Said(message, value=value[:80]), remedy)
        if value is not None:
            table[name] = value
    return table


def _file_value(value: Any, usual: Any = None) -> Any:
    """Returns a value as written in a file; a table without a type only has the values that differ from ``usual``."""
    if isinstance(value, Operator):
        return to_table(value)
    if hasattr(value, "short") and (short := value.short()):
        return short
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: plain
            for name, field_value in catalog.changed(value, usual).items()
            if (plain := _file_value(field_value)) is not None
        }
    if isinstance(value, str):
        return _whole_characters(value)
    if isinstance(value, frozenset | set):
        return sorted(map(_file_value, value))
    if isinstance(value, tuple | list):
        values = []
        for i, item in enumerate(value):
            with catalog.at(str(i)):
                values.append(_file_value(item))
        return values
    return value


def _whole_characters(text: str) -> str:
    """Returns the text.  Raises `PipelineError` for a lone surrogate, which files and links cannot contain."""
    replaced = text.encode("utf-8", "replace").decode("utf-8")
    if replaced != text:
        message = Said("“{text}” contains half a character.", text=replaced[:80])
        raise PipelineError(message, Said("Type or paste the text again."))
    return text


def _checked_table(search: Operator) -> dict[str, Any]:
    """Returns a search as plain tables.  Raises `PipelineError` for content that files and links must not have."""
    table = to_table(search)
    _check_size(table)
    if isinstance(search, Composed):
        _check_steps(len(search.parts()))
    return table


def _check_steps(number: int) -> None:
    if number > MOST:
        raise _too_many_steps()


def _too_many_steps() -> PipelineError:
    message = Said("This search has more than {n} steps.", n=MOST)
    return PipelineError(message, Said("Remove some lists or steps."))


def from_table(table: Mapping[str, Any], *, text: str = "") -> Searcher:
    """Returns the search that these tables describe; ``text`` is their file, for the lines of errors.

    Raises `PipelineError`.
    """
    try:
        _check_size(table)
        search = catalog.searcher(table)
        _checked_table(search)  # forbidden content is refused, however it was written
    except LabError as error:
        raise _placed(error, text) from error
    except (TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:  # an unexpected value
        remedy = Said("Compare it with a file of this lab.")
        raise PipelineError(Said("This is not a search: {reason}.", reason=str(error)[:200]), remedy) from error
    return search


def _check_size(value: Any, depth: int = 0) -> None:
    """Raises `PipelineError` for tables that are nested too deeply, and for more rows than a search has steps."""
    if depth > DEEPEST:
        raise _too_deep()
    for row in (value.get(name) for name in ROWS) if isinstance(value, Mapping) else ():
        _check_steps(len(row) if isinstance(row, list) else 0)
    if isinstance(value, list | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            _check_size(item, depth + 1)


def _too_deep() -> PipelineError:
    message = Said("This is nested too deeply: the limit is {n} levels.", n=DEEPEST)
    return PipelineError(message, Said("Put fewer searches inside each other."))


def _placed(error: LabError, text: str) -> PipelineError:
    """Returns the error with its line in the file, found by the longest part of its path that the file has."""
    lines, path = dict(_lines(text)), ".".join(error.path)
    known = path
    while known and known not in lines:
        known = known.rpartition(".")[0]
    path = path[:LONGEST]
    if known in lines:
        message = Said("Line {line}, {path}: {what}", line=lines[known], path=path, what=error.message)
    else:
        message = Said("{path}: {what}", path=path, what=error.message) if path else Said("{what}", what=error.message)
    return PipelineError(message, error.remedy)


# ---------------------------------------------------------------------------------------------------- TOML


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yields (path, line) of every table and key that begins a line; arrays of tables are counted."""
    count: dict[str, int] = {}
    table, quoted = "", ""
    for number, line in enumerate(text.split("\n"), 1):
        if quoted:
            quoted = "" if line.count(quoted) % 2 else quoted
            continue
        begun = line.strip()[:LONGEST]  # these patterns are slow on long lines
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
    """Writes the search as a file, its phases in the order in which they run.

    Raises `PipelineError` for an address, a folder or a key in it, and for one that is too deep or has too many steps.
    """
    single, tables = [f"format = {FORMAT}"], list[str]()
    for name, value in _checked_table(search).items():
        rows = isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)
        if not rows and not isinstance(value, Mapping):
            single.append(f"{name} = {_inline(value)}")
            continue
        for row in value if rows else [value]:
            tables += ["", f"[[{name}]]" if rows else f"[{name}]"]
            tables += [f"{knob} = {_inline(knob_value)}" for knob, knob_value in row.items()]
    return "\n".join([*single, *tables]) + "\n"


def _inline(value: Any) -> str:
    """Writes a value in one line.  TOML's strings are JSON's, except for the delete character."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{name} = {_inline(item)}" for name, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def from_toml(text: str) -> Searcher:
    """Reads the search of a file.  Raises `PipelineError`, which names the line and the nearest known name."""
    if len(text) > LARGEST:
        raise PipelineError(
            Said("The file is longer than {n} characters.", n=LARGEST), Said("A search has a limited length.")
        )
    try:
        table = read_toml(text)
    except NestedTooDeeply:
        raise _too_deep() from None
    except TomlError as error:
        message = Said("This is not TOML: {reason}.", reason=error.reason)
        raise PipelineError(message, Said("Correct that line.")) from None
    version = table.pop("format", None)
    if type(version) is not int or version != FORMAT:
        raise _placed(_other_format(version), text)
    return from_table(table, text=text)


def _other_format(version: object) -> PipelineError:
    """Returns the error for a file without a format, or of another one."""
    if version is None:
        message, remedy = (
            Said("The file does not name its format."),
            Said("Start the file with format = {n}.", n=FORMAT),
        )
    else:
        message = Said(
            "The format is {format}; only format {n} can be read.", format=str(shown(version))[:40], n=FORMAT
        )
        remedy = Said("Write format = {n}, and check every step.", n=FORMAT)
    error = PipelineError(message, remedy)
    error.path = ("format",)
    return error


# ---------------------------------------------------------------------------------------------------- links


def to_link(search: Searcher) -> str:
    """Writes the search for a link: its TOML, deflated, in URL-safe base64."""
    return base64.urlsafe_b64encode(zlib.compress(to_toml(search).encode("utf-8"), 9)).decode("ascii").rstrip("=")


def from_link(text: str) -> Searcher:
    """Reads the search of a link.  Raises `PipelineError`."""
    broken = PipelineError(Said("This link contains no readable search."), Said("Copy the whole link."))
    if len(text) > LARGEST:
        raise broken
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        raw = unpack.decompress(packed, LARGEST)
        if unpack.unconsumed_tail or unpack.unused_data or not unpack.eof:
            raise broken
        toml = raw.decode("utf-8")
    except (ValueError, binascii.Error, zlib.error):
        raise broken from None
    return from_toml(toml)


def read(text: str) -> Searcher:
    """Reads a search from a file, a link or an expression.  Raises `PipelineError`."""
    text = text.strip().removeprefix("\ufeff")
    if re.fullmatch(r"eN[\w-]{16,}", text):  # data deflated at the best level begins so
        return from_link(text)
    if re.search(r"^[ \t]*(?:\[|#|[\w-]+[ \t]*=)", text, re.MULTILINE) and not re.match(r"\w+\(", text):
        return from_toml(text)
    return parse(text)


# --------------------------------------------------------------------------------------------- expressions


def parse(text: str) -> Searcher:
    """Reads an expression: ``RRF(k=60)(BM25(b=0), Vector()) >> MMR(k=8) % 5``, or ``bm25:k1=0.9,b=0.4``.

    Only names of the catalogue, calls, ``>>``, ``%``, ``*`` and values; nothing is executed.  Raises `PipelineError`.
    """
    search = build(text)
    if not isinstance(search, Searcher):
        remedy = Said("A search begins with a list, for instance BM25().")
        raise PipelineError(Said("“{text}” is not a search.", text=text[:80]), remedy)
    return search


def build(text: str) -> Any:
    """Builds the value of an expression: a search, a stage, a fusion.  Raises `PipelineError`."""
    if len(text) > LARGEST:
        message = Said("The expression is longer than {n} characters.", n=LARGEST)
        raise PipelineError(message, Said("A search has a limited length."))
    text = text.strip()
    try:
        if re.fullmatch(r"[\w .-]+(?::[^()]*)?", text):
            built = catalog.from_text(catalog.operators, text)
        else:
            built = _value(ast.parse(text, mode="eval").body, 0)
        for stage in built.stages if isinstance(built, Stages) else (built,) if isinstance(built, Operator) else ():
            _checked_table(stage)  # forbidden in files, so forbidden in expressions
        return built
    except PipelineError:
        raise
    except LabError as error:  # before ValueError, since a ParameterError is one, too
        raise PipelineError(error.message, error.remedy) from error
    except (RecursionError, MemoryError):
        raise (_too_many_steps() if text.count(">>") + text.count("%") > MOST else _too_deep()) from None
    except (SyntaxError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        reason = str(getattr(error, "msg", error)).split(". ")[0]
        message = Said("“{text}” cannot be read: {reason}.", text=text[:80], reason=reason)
        raise PipelineError(message, _EXAMPLE) from None


def _value(node: ast.AST, depth: int) -> Any:
    if depth > 2 * DEEPEST:
        raise _too_deep()
    down = depth + 1
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, down)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        _check_steps(sum(isinstance(item, ast.Call | ast.Name) for item in node.elts))
        return tuple(_value(item, down) for item in node.elts)
    if isinstance(node, ast.Dict):
        return {_value(k, down): _value(v, down) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.Name):
        return _call(node.id, {})
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift | ast.Mod):
        return _row(node, down)
    combined = _combined(node, down) if isinstance(node, ast.BinOp) else _call_result(node, down)
    if combined is None:
        raise _no_place(node)
    return combined


def _row(node: ast.BinOp, depth: int) -> Any:
    """Returns a search or stage with the stages that follow it by ``>>`` and ``%``: a long row is not a deep one."""
    first: ast.AST = node
    after: list[ast.BinOp] = []
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.RShift | ast.Mod):
        after.append(first)
        first = first.left
    _check_steps(len(after))
    search = _value(first, depth)
    for operation in reversed(after):
        right = _value(operation.right, depth)
        begins = isinstance(search, Rewriter) and isinstance(operation.op, ast.RShift) and isinstance(right, Searcher)
        if not (begins or isinstance(search, Searcher | Stage | Stages)):
            raise _no_place(operation)
        search = search >> right if isinstance(operation.op, ast.RShift) else search % right
    return search


def _no_place(node: ast.AST) -> PipelineError:
    return PipelineError(Said("“{text}” is not allowed in a search.", text=ast.unparse(node)[:60]), _EXAMPLE)


def _combined(node: ast.BinOp, depth: int) -> Any:
    """Evaluates ``*`` of searches and ``/`` of numbers; returns None for anything else."""
    left, right = _value(node.left, depth), _value(node.right, depth)
    if isinstance(node.op, ast.Div) and isinstance(left, int | float) and isinstance(right, int | float) and right:
        return left / right
    weighs = isinstance(node.op, ast.Mult) and (isinstance(left, Searcher) or isinstance(right, Searcher))
    return left * right if weighs else None


def _call_result(node: ast.AST, depth: int) -> Any:
    """Evaluates a call of a class of the catalogue, or of an operator with searchers; None for anything else."""
    if not isinstance(node, ast.Call) or any(k.arg is None for k in node.keywords):
        return None
    if not isinstance(node.func, ast.Name):  # a fusion that is called with its lists
        _check_steps(len(node.args))
    keywords = {str(k.arg): _value(k.value, depth) for k in node.keywords}
    if len(keywords) < len(node.keywords):  # a keyword given twice, which Python would refuse, too
        return None
    values = [_value(argument, depth) for argument in node.args]
    if (
        ast.unparse(node.func) == "frozenset"
        and not keywords
        and [type(argument) for argument in values] in ([], [tuple])
    ):
        return tuple(*values)  # a set of words, as `expression` writes it; the field converts it to a set
    if isinstance(node.func, ast.Name):
        return _call(node.func.id, keywords, values)
    operator = _value(node.func, depth)
    if not values or not all(isinstance(argument, Searcher | Weighted) for argument in values):
        return None
    if isinstance(operator, Derivation) and not keywords:
        return operator(*values)
    keywords = {former_names.present_knob(Pipeline, name): value for name, value in keywords.items()}
    return operator(*values, **keywords) if isinstance(operator, Fusion | Rewriter) else None


def _call(name: str, keywords: Mapping[str, Any], values: Sequence[Any] = ()) -> Any:
    known: dict[str, type[Any]] = {**catalog.operators(), **catalog.specifications()}
    cls = catalog.among(known, "operator", name)
    fields = [f.name for f in dataclasses.fields(cls) if f.init and not f.kw_only]
    if len(values) > len(fields):
        raise PipelineError(Said("Maximum number of values without a name for {name}: {n}.", name=name, n=len(fields)))
    instance = catalog.make(cls, {**dict(zip(fields, values, strict=False)), **keywords})
    if isinstance(instance, Operator):
        to_table(instance)  # forbidden in files, so forbidden in expressions
    return instance


def expression(search: Any) -> str:
    """Writes a search as an expression that `parse` and Python read: ``RRF()(BM25(), Vector()) >> MMR(k=8)``."""
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
    fields = ", ".join(f"{name}={expression(value)}" for name, value in catalog.changed(search).items())
    return f"{type(search).__name__}({fields})"


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
        fields = ", ".join(f"{name}={expression(value)}" for name, value in catalog.changed(p).items())
        return f"Pipeline({fields})"
    return " >> ".join([head, *map(expression, p.refine)])


# --------------------------------------------------------------------------------------------------- Python


def to_python(
    searches: Mapping[str, Searcher],
    *,
    corpus: Sequence[str],
    query: str | Query,
    k: int,
    retrievers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Writes a program that runs these searches and prints their lists; ``corpus`` are the lines that load it.

    If a search names other `collections`, these lines load them as ``others``.  ``retrievers`` are external retrievers
    as Python, by their names; those of plug-ins are taken from these.
    """
    query, models = Query.of(query), _models(searches.values(), retrievers)
    arguments = "".join([", others=others" * bool(collections(searches.values())), f", models={models}" * bool(models)])
    return "\n".join(
        [
            *_imports(searches.values(), retrievers, "Runner"),
            *corpus,
            "",
            "searches = {",
            *(f"    {name!r}: {expression(search)}," for name, search in searches.items()),
            "}",
            f"runner = Runner(corpus{arguments})",
            "for name, search in searches.items():",
            f"    ranking = runner(search, {query.text!r}, {k})",
            "    print(name)",
            '    print(ranking.to_frame()[["rank", "id", "title", "score"]].to_string(index=False))',
            "    for drop in ranking.dropped:",
            '        print("   ", drop.document.id, drop.reason)',
            "",
        ]
    )


def to_langchain(
    search: Searcher,
    *,
    corpus: Sequence[str],
    query: str | Query,
    k: int,
    retrievers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Writes a program that runs this search as a LangChain retriever; see `to_python`."""
    query, models = Query.of(query), _models([search], retrievers)
    arguments = "".join([", others=others" * bool(collections([search])), f", models={models}" * bool(models)])
    return "\n".join(
        [
            *_imports([search], retrievers),
            "from lab.adapters.langchain import LabRetriever",
            *corpus,
            "",
            f"search = {expression(search)}",
            f"retriever = LabRetriever(search, corpus, k={k}{arguments})",
            f"for document in retriever.invoke({query.text!r}):",
            '    print(document.metadata["rank"], document.id, document.metadata["score"])',
            "",
        ]
    )


def _imports(searches: Iterable[Searcher], retrievers: Mapping[str, str], *more: str) -> list[str]:
    """Returns the lines that import the names in these searches, and what their external retrievers need."""
    searches = list(searches)
    nodes = chain.from_iterable(ast.walk(ast.parse(expression(s), mode="eval")) for s in searches)
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} - {"frozenset"} | set(more))
    chat = ["from lab.models.endpoint_chat import from_environment"] if _chat_models(searches) else []
    written, own = _external(searches, retrievers), list[str]()
    if any("os.environ" in text for text in written.values()):
        own.append("import os")
    if any("catalog." in text for text in written.values()):
        own.append("from lab import catalog")
    if any("HttpRetriever(" in text for text in written.values()):
        own.append("from lab.retrieve.http import HttpRetriever")
    return [*_needed(names), *_needed_retrievers(written), f"from lab import {', '.join(names)}", *chat, *own]


def _needed_retrievers(written: Mapping[str, str]) -> list[str]:
    """Returns comments on the external retrievers of a program: what to set, or to write."""
    lines = list[str]()
    plugs = {name: plugin.name for plugin in catalog.plugins().loaded for name, _ in plugin.retrievers}
    for name, text in written.items():
        if text == "None":
            lines.append(f"# {name}: put a function of the question, LangChain(…) or HttpRetriever(…) in place of None")
        elif name in plugs and "catalog." in text:
            how = "set LAB_PLUGINS to its path" if plugs[name].endswith(".py") else "install that package"
            lines.append(f"# {name}: from the plug-in {plugs[name]}; {how}")
        lines += [f"# {name}: set {variable}" for variable in re.findall(r"os\.environ\[\W(\w+)\W\]", text)]
    return lines


def _needed(names: Iterable[str]) -> list[str]:
    """Returns comments on the plug-ins that a program with these operators needs."""
    loaded, lines = catalog.plugins().loaded, list[str]()
    for plugin in loaded:
        if operators := [cls.__name__ for cls in plugin.operators if cls.__name__ in names]:
            how = "set LAB_PLUGINS to its path" if plugin.name.endswith(".py") else "install that package"
            lines.append(f"# {', '.join(operators)}: from the plug-in {plugin.name}; {how}")
    return lines


def collections(searches: Iterable[Searcher]) -> list[str]:
    """Returns the names of the collections to which the routes of these searches lead, without the run's own."""
    routes = (x for s in searches for x in catalog.inside(s) if isinstance(x, Route))
    return list(dict.fromkeys(to.collection for route in routes for to in route.routes if to.collection))


def _models(searches: Iterable[Searcher], retrievers: Mapping[str, str]) -> str:
    """Returns the ``models`` of a run as Python: language models and external retrievers by name; empty if none."""
    searches = list(searches)
    by_name = dict.fromkeys(_chat_models(searches), "from_environment()") | _external(searches, retrievers)
    return f"{{{', '.join(f'{name!r}: {text}' for name, text in by_name.items())}}}" if by_name else ""


def _chat_models(searches: Iterable[Searcher]) -> list[str]:
    """Returns every name of a language model in these searches."""
    asking = (x for s in searches for x in catalog.inside(s) if "model" in x.needs)
    return sorted({str(getattr(x, "model", "")) for x in asking})


def _external(searches: Iterable[Searcher], retrievers: Mapping[str, str]) -> dict[str, str]:
    """Returns the external retrievers of these searches as Python; ``None`` for one that is not known here."""
    names = sorted({x.name for s in searches for x in catalog.inside(s) if isinstance(x, External) and x.name})
    plugged = {name: f"catalog.plugins().retrievers[{name!r}]" for name in catalog.plugins().retrievers}
    return {name: plugged.get(name) or retrievers.get(name, "None") for name in names}
