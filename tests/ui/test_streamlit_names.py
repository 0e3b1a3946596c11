"""What the lab uses of Streamlit: documented commands, and in one module the few names for which there is none.

Public is what ``import streamlit as st`` gives and its documentation lists, and the exceptions that those commands
raise (``streamlit.errors``).  Private is every name with a leading underscore: of those there is none, anywhere.  What
is left, names without an underscore in modules that are not documented, is listed below with the reason.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import places
import pytest
import streamlit

ROOT = Path(__file__).parents[2]
SERVER = "lab/ui/server.py"
"""The only module that may import what is not documented."""
DOCUMENTED = {"streamlit", "streamlit.errors"}
PARTS = {"column_config", "components"}
"""Modules that are documented as parts of ``st``."""
EXCEPTIONS = {
    "streamlit.emojis": "imported before the first visitor comes, who would wait for it",
    "streamlit.net_util": "no option keeps Streamlit from asking another machine for this one's address",
    "streamlit.proto.BackMsg_pb2.BackMsg": "asks for a sign of life, so that Streamlit lets go of its last session",
    "streamlit.proto.ForwardMsg_pb2.ForwardMsg": "the type of the answer",
    "streamlit.runtime.Runtime": "only Streamlit's own server is asked, and nothing that stands in for it in tests",
    "streamlit.runtime.RuntimeState": "no command says whether the server has started",
    "streamlit.runtime.SessionClient": "the type of the connection that takes the place of the last one",
    "streamlit.runtime.exists": "no command says whether there is a server",
    "streamlit.runtime.get_instance": "no command says which sessions have a browser, or ends one",
    "streamlit.runtime.pages_manager.PagesManager": "st.navigation says too late that the folder pages is no old app's",
    "streamlit.runtime.scriptrunner.get_script_run_ctx": "no command gives the id of a session, or the way back",
    "streamlit.runtime.state.common.user_key_from_element_id": "no command says which widgets the browser shows",
}
"""What the server module imports, and why no documented command does it."""


@cache
def private_names() -> frozenset[str]:
    """Returns every name with a leading underscore that Streamlit's source defines."""
    defined = re.compile(r"\b(?:def|class) (_\w+)|^[ \t]*(?:[\w.]+\.)?(_\w+)(?:: | = )", re.M)
    files = Path(streamlit.__file__).parent.rglob("*.py")
    names = {name for file in files for both in defined.findall(file.read_text("utf-8")) for name in both}
    return frozenset(filter(is_private, names))


def is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields line and full name of everything that is imported of Streamlit."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if is_streamlit(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level and is_streamlit(node.module or ""):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def is_streamlit(module: str) -> bool:
    return module.partition(".")[0] == "streamlit"


def is_module(module: str, name: str) -> bool:
    """Returns whether a name of a module is itself one of Streamlit's modules."""
    found = getattr(importlib.import_module(module), name, None)
    return isinstance(found, ModuleType) and is_streamlit(found.__name__)


def problems(source: str, file: str) -> list[str]:
    """Returns a sentence for every use of Streamlit that is not allowed in this file."""
    tree = ast.parse(source)
    return [f"{file}:{line} {told}" for line, told in (*bad_imports(tree, file), *bad_names(tree))]


def bad_imports(tree: ast.AST, file: str) -> Iterator[tuple[int, str]]:
    """Yields line and sentence of every import of Streamlit that is not allowed in this file."""
    for line, full in imports(tree):
        module = full.rpartition(".")[0]
        if any(is_private(part) for part in full.split(".")):
            yield line, f"imports {full}, a private name of Streamlit: use a documented command."
        elif full in EXCEPTIONS:
            if file != SERVER:
                yield line, f"imports {full}, which only {SERVER} may: add a function there."
        elif full not in DOCUMENTED and (module not in DOCUMENTED or is_module(module, full.rpartition(".")[2])):
            yield line, f"imports {full}, which Streamlit does not document: use a command of st."


def bad_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields line and sentence of every private name of Streamlit, and of every module that is reached without import.

    A private attribute of ``self`` or ``cls`` is the lab's own.
    """
    aliases = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "streamlit"
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in aliases:
                if name not in PARTS and is_module("streamlit", name):
                    yield node.lineno, f"uses st.{name}, a module that Streamlit does not document."
            case ast.Attribute(attr=name):
                pass
            case ast.Call(
                func=ast.Name(id="getattr" | "setattr" | "hasattr" | "delattr"), args=[_, ast.Constant(name), *_]
            ):
                pass
            case ast.Constant(value=str(name)) if name.startswith("streamlit."):
                yield node.lineno, f"names {name}, a module that Streamlit does not document."
            case _:
                continue
        if name in private_names():
            yield node.lineno, f"uses {name}, a private name of Streamlit: see {SERVER}."


FILES = [ROOT / "app.py", *places.code()]
WITH_STREAMLIT = [f for f in FILES if f.relative_to(ROOT).parts[0] != "lab" or f.relative_to(ROOT).parts[1] == "ui"]
"""Those that may hold an object of Streamlit: the other rooms do not import it (`tests/test_layers.py`)."""


def test_no_private_name_of_streamlit_is_used_and_what_is_not_documented_in_one_module_only() -> None:
    found = [
        sentence
        for file in WITH_STREAMLIT
        for sentence in problems(file.read_text("utf-8"), file.relative_to(ROOT).as_posix())
    ]
    assert found == [], "\n".join(found)
    assert len(WITH_STREAMLIT) > 90, "the files are read"


def test_every_exception_has_a_reason_and_is_needed() -> None:
    used = {name for _line, name in imports(ast.parse((ROOT / SERVER).read_text("utf-8")))}
    assert used - DOCUMENTED == EXCEPTIONS.keys()
    assert all(len(reason.split()) >= 4 for reason in EXCEPTIONS.values())
    for name in EXCEPTIONS:
        assert pkgutil.resolve_name(name), "it is in the installed version"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("from streamlit.runtime import Runtime", "only lab/ui/server.py may"),
        ("from streamlit.runtime.runtime import Runtime", "does not document"),
        ("import streamlit.runtime", "does not document"),
        ("from streamlit import runtime", "does not document"),
        ("from streamlit import _main", "private name"),
        ("import streamlit as st\nst.runtime.get_instance()", "a module that Streamlit does not document"),
        ("import streamlit as st\nst._main", "uses _main, a private name"),
        ("def f(runtime): return runtime._session_mgr", "uses _session_mgr, a private name"),
        ("def f(context): context.session_state._state._key_id_mapper", "uses _key_id_mapper, a private name"),
        ("def f(session): session._browser_queue.clear()", "uses _browser_queue, a private name"),
        ("def f(session): return getattr(session, '_scriptrunner')", "uses _scriptrunner, a private name"),
        ("from importlib import import_module\nimport_module('streamlit.runtime')", "names streamlit.runtime"),
    ],
)
def test_what_is_not_allowed_is_found_and_named(source: str, told: str) -> None:
    (first, *_others) = problems(source, "pages/x.py")
    assert told in first
    assert first.startswith("pages/x.py:")


@pytest.mark.parametrize(
    "source",
    [
        "import streamlit as st\nst.session_state['x'] = st.column_config.TextColumn()",
        "from streamlit.errors import StreamlitAPIException",
        "import streamlit as st\nst.components.v2.component('x')",
        "class A:\n    def f(self): return self._state",
        "def f(visitor): return visitor._own_name_of_the_lab",
    ],
)
def test_what_is_allowed_is_not_found(source: str) -> None:
    assert problems(source, "pages/x.py") == []
