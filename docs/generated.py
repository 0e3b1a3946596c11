"""The pages of the documentation that are made from what the lab has: guides, techniques, commands, file format.

A hook of MkDocs (`on_config`, `on_files`, `on_page_content`): nothing that it makes is stored, so that a page cannot
differ from the code.
"""

from __future__ import annotations

import argparse
import html
import inspect
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from latex2mathml.converter import convert  # noqa: E402
from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.exceptions import PluginError  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402

from lab import catalog, cli, formats, presets  # noqa: E402
from lab.algebra import Derivation, Fusion, Operator, Retriever, Rewriter, Stage  # noqa: E402
from lab.models.embedders import Embedder  # noqa: E402
from lab.ui import i18n, navigation  # noqa: E402
from lab.words import LANGUAGES, Said  # noqa: E402
from maintenance import claims  # noqa: E402

KINDS: dict[str, tuple[type[Operator], dict[str, str]]] = {
    "rewriters": (Rewriter, {"en": "Rewriters", "zh": "改写"}),
    "retrievers": (Retriever, {"en": "Retrievers", "zh": "召回"}),
    "fusions": (Fusion, {"en": "Fusions", "zh": "融合"}),
    "stages": (Stage, {"en": "Stages: rerankers, filters, reorders", "zh": "后处理：重排、过滤、重排列"}),
    "derivations": (Derivation, {"en": "Derivations: what is indexed", "zh": "派生：索引什么"}),
    "embedders": (Embedder, {"en": "Embedding models", "zh": "向量模型"}),
}
"""The kinds of technique, each with its page."""
PACKAGES = {
    "algebra": "lab.algebra", "text": "lab.text", "corpus": "lab.corpus", "retrieve": "lab.retrieve",
    "fuse": "lab.fuse", "refine": "lab.refine", "derive": "lab.derive", "rewrite": "lab.rewrite",
    "evaluate": "lab.evaluate", "explain": "lab.explain", "answer": "lab.answer", "formats": "lab.formats",
    "adapters": "lab.adapters",
}  # fmt: skip
"""The packages whose public names the reference of the library shows."""
WORDS = {
    "shown": {"en": "Shown on", "zh": "出现在"},
    "names": {"en": "Other names", "zh": "其他名称"},
    "knob": {"en": "Parameter", "zh": "参数"},
    "default": {"en": "Default", "zh": "默认值"},
    "range": {"en": "Values", "zh": "取值"},
    "about": {"en": "What it does", "zh": "作用"},
    "method": {"en": "Method and source", "zh": "方法与出处（英文）"},
    "none": {"en": "No parameters.", "zh": "没有参数。"},
}
COMMANDS = {
    "en": "Every command of `retrieval-lab`, as `--help` prints it.",
    "zh": "`retrieval-lab` 的每条命令，内容与 `--help` 相同。",
}
FORMAT = {
    "en": (
        "# File format\n\nA search as a file (TOML), as it is saved on the page *Pipeline* and read by `--pipeline`. "
        "Parameters that are left out keep their defaults; an error names the line. The same search can be written as "
        "an expression, as Python and as a link.\n\n## The ready-made searches\n"
    ),
    "zh": (
        "# 文件格式\n\n检索可以存成文件（TOML）：在*流水线*页保存，用 `--pipeline` 读取。"
        "没写的参数取默认值；出错时指出行号。同一个检索也可以写成表达式、Python 或链接。\n\n## 现成的检索\n"
    ),
}
OTHERS = {
    "en": (
        "# What we say about others\n\nEach statement of guides, interface and library about other software: its "
        "version, how it was seen (run by a test or script of the project, or read in a file), and when. "
        "If one is no longer true, please report it.\n",
        ("Software", "What we say", "Version", "Seen", "Date"),
        {"run": "run", "read": "read"},
    ),
    "zh": (
        "# 我们怎么说别的软件\n\n各页指南、界面和程序库里关于其他软件的说法：对哪个版本成立、怎么看到的"
        "（由项目的测试或脚本实际运行，或读了哪个文件）、什么时候看的。发现哪条已经不对，请告诉我们。\n",
        ("软件", "说法", "版本", "依据", "日期"),
        {"run": "运行", "read": "阅读"},
    ),
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts the generated pages into the navigation."""
    language = _language(config)
    lists: dict[str, list[dict[str, str]]] = {
        "GUIDES": [{title: f"guides/{name}.md"} for name, title, _ in _guides(language)],
        "TECHNIQUES": [{names[language]: f"reference/{kind}.md"} for kind, (_, names) in KINDS.items()],
        "LIBRARY": [{package: f"library/{name}.md"} for name, package in PACKAGES.items()],
    }

    def filled(item: Any) -> Any:
        if isinstance(item, dict):
            return {k: lists.get(v, filled(v)) if isinstance(v, str) else filled(v) for k, v in item.items()}
        return [filled(x) for x in item] if isinstance(item, list) else item

    config.nav = filled(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages."""
    language = _language(config)
    pages = {f"guides/{name}.md": f"# {title}\n\n{_deeper(text)}" for name, title, text in _guides(language)}
    pages |= {f"reference/{kind}.md": techniques(kind, language) for kind in KINDS}
    pages |= {f"library/{name}.md": f"# {package}\n\n::: {package}\n" for name, package in PACKAGES.items()}
    pages["reference/commands.md"] = commands(language)
    pages["reference/format.md"] = file_format(language)
    pages["reference/others.md"] = others(language)
    pages["contributing.md"] = _rooted("CONTRIBUTING.md")
    pages["changes.md"] = _rooted("CHANGELOG.md")
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for picture in sorted((ROOT / "docs").glob(f"*.{language}.webp")):
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Draws formulas as MathML, which browsers know without a script."""

    def drawn(match: re.Match[str]) -> str:
        formula = html.unescape(match["formula"]).strip()
        source = formula[2:-2].replace(r"\arg\max", r"\operatorname{arg\,max}")
        drawing = convert(source, display="block" if formula.startswith(r"\[") else "inline")
        if "\\" in drawing:
            raise PluginError(f"a command that MathML does not know: {source}")
        return drawing

    return re.sub(r'<(span|div) class="arithmatex">(?P<formula>.*?)</\1>', drawn, content, flags=re.DOTALL)


def techniques(kind: str, language: str) -> str:
    """Returns the reference of one kind: for each technique its parameters, its method, and the pages that show it."""
    base, names = KINDS[kind]
    parts = [f"# {names[language]}"]
    for name, cls in catalog.concrete(base).items():
        parts += [f"## {name}", f"**{_said(catalog.title(cls), language)}**. {_said(cls.about, language)}"]
        if shown := _pages_of(cls, language):
            links = ", ".join(f"[{title}](../guides/{page}.md)" for page, title in shown)
            parts.append(f"{WORDS['shown'][language]}: {links}")
        if others := _names(cls, "", language):
            parts.append(f"{WORDS['names'][language]}: {others}")
        parts += [_knobs(cls, language), f'??? note "{WORDS["method"][language]}"\n\n{_indented(inspect.getdoc(cls))}']
    return "\n\n".join(parts) + "\n"


def _names(cls: type[Operator], knob: str, language: str) -> str:
    """Returns the terms of this language and the names of other software, each followed by the software."""
    table = catalog.other_names(cls, knob)
    terms = table.get(language, ())
    classes = (f"`{name}` ({origin})" for origin, names in table.items() if origin not in LANGUAGES for name in names)
    return "; ".join((*terms, *classes))


def _knobs(cls: type[Operator], language: str) -> str:
    rows = catalog.describe_knobs(cls)
    if not rows:
        return WORDS["none"][language]
    head = [WORDS[x][language] for x in ("knob", "default", "range", "about")]
    lines = ["| " + " | ".join(head) + " |", "|---|---|---|---|"]
    for row in rows:
        label, about = (_said(row[x], language) for x in ("label", "help"))
        names = _names(cls, row["name"], language)
        cells = [
            f"`{row['name']}`",
            _code(row["default"]),
            _code(row["range"].replace(" | ", ", ")),
            f"**{label}** {about}" + (f" {WORDS['names'][language]}: {names}." if names else ""),
        ]
        lines.append("| " + " | ".join(x.replace("|", r"\|").replace("\n", " ") for x in cells) + " |")
    return "\n".join(lines)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def commands(language: str) -> str:
    """Returns what ``--help`` prints of the program and of each of its commands."""
    os.environ["COLUMNS"] = "100"
    parser = cli.parser()
    (subparsers,) = (x for x in parser._actions if isinstance(x, argparse._SubParsersAction))
    heads = {"en": "# Command line", "zh": "# 命令行"}
    parts = [heads[language], COMMANDS[language], f"```text\n{parser.format_help()}```"]
    for name, command in subparsers.choices.items():
        parts += [f"## {name}", f"```text\n{command.format_help()}```"]
    return "\n\n".join(parts) + "\n"


def file_format(language: str) -> str:
    """Returns the ready-made searches as files, with their expressions."""
    parts = [FORMAT[language]]
    for name, preset in presets.presets().items():
        parts += [f"### {name}", preset.title[language], f"```toml\n{formats.to_toml(preset.search)}```"]
        parts.append(f"```text\n{formats.expression(preset.search)}\n```")
    return "\n\n".join(parts) + "\n"


def others(language: str) -> str:
    """Returns the statements about other software, by its name, with version, source and date."""
    intro, head, seen = OTHERS[language]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for claim in sorted(claims.read()[1], key=lambda c: c.software.lower()):
        parts = claim.parts(language) or claim.en
        statements = "<br>".join(re.sub(r"\s*[*`|]+\s*", " ", part).strip() for part in parts)
        cells = (claim.software, statements, claim.version, f"{seen[claim.seen]}: `{claim.how}`", str(claim.when))
        lines.append("| " + " | ".join(cells) + " |")
    return intro + "\n" + "\n".join(lines) + "\n"


def _language(config: MkDocsConfig) -> str:
    return str(config.theme["language"])


def _said(text: str, language: str) -> str:
    """Returns a text of the library in a language."""
    template = text.template if isinstance(text, Said) else text
    return i18n.translate(template, language)


@cache
def _guides(language: str) -> list[tuple[str, str, str]]:
    """Returns name, title and text of each guide, in the order of the app's navigation."""
    found = []
    for _, _, _, listed in navigation.PATH:
        for page in listed:
            guide = page.folder / f"guide.{language}.md"
            if guide.is_file():
                found.append((page.name, i18n.translate(page.title, language), guide.read_text("utf-8")))
    return found


@cache
def _sources() -> dict[str, str]:
    """Returns the source of each page by its name."""
    return {
        page.name: "\n".join(x.read_text("utf-8") for x in sorted(page.folder.glob("*.py")))
        for page in navigation.every()
    }


def _pages_of(cls: type[Operator], language: str) -> list[tuple[str, str]]:
    """Returns name and title of each page whose source names this technique or offers every one of its role."""
    role, kind = getattr(cls, "role", ""), _kind_of(cls)
    offers = re.compile(rf'with_role\(catalog\.{kind}, "{role}"\)|catalog\.{kind}\(\)\.values|\b{cls.__name__}\b')
    return [(name, title) for name, title, _ in _guides(language) if offers.search(_sources().get(name, ""))]


def _kind_of(cls: type[Operator]) -> str:
    return next(kind for kind, (base, _) in KINDS.items() if issubclass(cls, base))


def _deeper(text: str) -> str:
    """Puts the headings of a guide, which begin at the third level, below a title."""
    return re.sub(r"^##(#+) ", r"\1# ", text, flags=re.MULTILINE)


def _indented(text: str | None) -> str:
    lines = re.sub(r"``(.+?)``", r"`\1`", text or "").splitlines()
    return "\n".join(f"    {line}".rstrip() for line in lines)


def _rooted(name: str) -> str:
    """Returns a document of the project's top folder; its links to files that are no page become plain names.

    The file that a block of code belongs to is written above it.
    """
    text = (ROOT / name).read_text("utf-8")
    text = re.sub(r"^( *```\w+) (\S+)$", r'\1 title="\2"', text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]+\)", r"\1", text)
