"""What frames a page: navigation, footers, breadcrumbs, notes on the last change, line numbers of code, copy buttons.

Programs that export pages mark it by ids, classes and labels: Confluence, MediaWiki, SharePoint, Notion, Google Docs,
Sphinx, MkDocs, Docusaurus, GitHub.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lab.reading.known import FOOTERS, LINE_NUMBERS, NAVIGATION

_LABELS = re.compile(
    r"breadcrumbs?|navigation|footer|pagination|table of contents"
    r"|(?:site|main|page|top|side|primary|secondary) (?:navigation|menu|footer)"
    r"|面包屑(?:导航)?|导航|導航|页脚|頁腳|分页|分頁|目录导航",
    re.IGNORECASE,
)
_ROLES = frozenset(["navigation", "search", "menubar", "doc-pagelist", "doc-toc"])
_CONTENT = frozenset(["html", "body", "main", "article"])
_COPY = re.compile(r"(?:copy|copied|clipboard)\b|复制|複製|拷贝", re.IGNORECASE)
_COPY_WORDS = frozenset(["copy", "copied", "copied!", "copy code", "copy link", "复制", "复制代码", "複製", "拷贝"])


def is_frame(tag: str, attributes: Mapping[str, str], *, owned: bool) -> bool:
    """Whether an element frames the page; ``owned``: its footer belongs to a part of the page."""
    if tag == "nav" or (tag == "footer" and not owned):
        return True
    if not attributes:
        return False
    roles = attributes.get("role", "").lower().split()
    if not _ROLES.isdisjoint(roles) or (not owned and "contentinfo" in roles):
        return True
    if tag in _CONTENT:
        return False
    marks = f"{attributes.get('id', '')} {attributes.get('class', '')}".lower().split()
    if not NAVIGATION.isdisjoint(marks) or (not owned and not FOOTERS.isdisjoint(marks)):
        return True
    numbers = tag in ("td", "th", "span") or (tag in ("div", "pre") and marks in (["linenodiv"], ["lineno"]))
    if numbers and not LINE_NUMBERS.isdisjoint(marks):
        return True
    if tag == "button":
        return _COPY.search(" ".join(attributes.values())) is not None
    return _LABELS.fullmatch(attributes.get("aria-label", "").strip()) is not None


def is_copy_button(text: str) -> bool:
    """Whether the words of a button copy the text beside it."""
    return text.strip().lower() in _COPY_WORDS
