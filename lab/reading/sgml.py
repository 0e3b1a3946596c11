"""Files that are almost XML, made well-formed: several roots, a bare ``&`` or ``<``, tags that are never closed.

Collections of TREC and exports put together by scripts look like this.  A forgiving parser stops behind the first root
and drops what it does not know; here every sign that is not a tag stays as text.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.entities import html5
from itertools import count

from lab.reading.uploads import Reading

_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
_DOCTYPE = r"<!(?i:DOCTYPE|ELEMENT|ATTLIST|ENTITY)[^<>\[\]]{0,1000}"
_NAME = r"(?![\d.-])[\w:.-]+"
_VALUE = r"\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+"
_TAG = rf"<(?P<close>/?)(?P<name>{_NAME})(?P<attributes>(?:\s+[\w:.-]+(?:\s*=\s*(?:{_VALUE}))?)*)\s*(?P<empty>/?)>"
_TOKEN = re.compile(rf"(?P<block><!--|<!\[CDATA\[|<\?)|(?P<declaration>{_DOCTYPE}[>\[]?|(?<=[>\s])\]\s*>)|{_TAG}|[<>&]")
_ATTRIBUTE = re.compile(rf"([\w:.-]+)(?:\s*=\s*({_VALUE}))?")
_REFERENCE = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_BAD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def repaired(reading: Reading, text: str) -> str:
    """Returns the text as well-formed XML inside one root."""
    counts = Counter((m["name"], bool(m["close"])) for m in _TOKEN.finditer(text) if m["name"])
    parts, stack, opened, at = ["<all>"], list[str](), Counter[str](), 0
    last = {end: text.rfind(end) for end in _ENDS.values()}
    for step in count():
        reading.hurry(step)
        token = _TOKEN.search(text, at)
        if token is None:
            break
        parts.append(text[at : token.start()])
        at, name, end = token.end(), token["name"], _ENDS.get(token["block"] or "", "")
        if end and last[end] >= at:
            at = text.index(end, at) + len(end)
            parts.append(text[token.start() : at] if end == "]]>" else "")
        elif token["declaration"]:
            continue
        elif not name:
            reference = _REFERENCE.match(text, token.start())
            at = reference.end() if reference else at
            parts.append(_escaped(_character(reference[1]) if reference else token[0]))
        elif token["close"]:
            while opened[name]:
                opened[stack[-1]] -= 1
                parts.append(f"</{stack[-1]}>")
                if stack.pop() == name:
                    break
        else:
            alone = bool(token["empty"]) or (not counts[name, True] and counts[name, False] > 1)
            parts.append(f"<{name}{_attributes(token['attributes'])}{'/' if alone else ''}>")
            if not alone:
                stack.append(name)
                opened[name] += 1
    parts.append(text[at:])
    return _BAD.sub(" ", "".join([*parts, *(f"</{name}>" for name in reversed(stack)), "</all>"]))


def _attributes(written: str) -> str:
    """The attributes of a tag, each with a value in quotation marks, and each once."""
    values = {name: value.strip("\"'") if value else name for name, value in _ATTRIBUTE.findall(written)}
    return "".join(f' {name}="{_escaped(unescape(value))}"' for name, value in values.items())


def _character(reference: str) -> str:
    """The character of a reference; an unknown one stays as it is written."""
    known = reference.startswith("#") or f"{reference};" in html5
    return unescape(f"&{reference};") if known else f"&{reference};"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
