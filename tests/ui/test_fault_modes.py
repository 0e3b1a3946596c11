"""Every way in which a language model is known to misbehave, on every page that asks one.

On each of them: no exception, no endless wait, no flood, no part of the key, one request for each question, the
rules' results beside it; and what is no answer is said to be none.  ``fault_modes.md`` is what was seen, written by

    LAB_WRITE=1 python -m pytest -n 0 tests/ui/test_fault_modes.py -k table
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import places
import pytest
from models.server import Server
from night import nightly
from streamlit.testing.v1 import AppTest

from lab import packs
from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.models.endpoint_chat import EndpointModel
from lab.models.secrets import Secret
from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("fault_modes.md")
KEY = "sk-EXAMSECRET-1234"
FLOOD = 500_000
"""Bytes that a page sends to the browser, at most; with a good answer it is less than half of that."""
QUESTION = "battery empty in the morning"
SPORTS = {"column": "products.category", "op": "=", "values": ["运动"]}
SLOTS = {"table": "products", "fresh": True, "filters": [SPORTS]}
SQL = "SELECT id FROM products WHERE category = '运动'"
LINKS = {
    "rewrite": {"rewrite.techniques": "multiquery"},
    "filter": {"filter.chain": "languagemodeljudge", "filter.depth": "3"},
    "compress": {"compress.by": "modelextractor", "compress.n": "3"},
    "rerank": {
        "rerank.from": "bm25",
        "rerank.by": "listwise",
        "rerank.depth": "3",
        "rerank.listwise.model": "chat",
    },
    "judge": {"judge.searches": "bm25", "judge.k": "3", "judge.fold.rater": "1", "judge.rated": "model"},
    "text2sql": {"text2sql.db": "shop", "text2sql.said": "sports products"},
    "granularity": {"corpus": "pumps", "granularity.indexes": "contextline"},
}
LINKS = {page: link for page, link in LINKS.items() if page not in packs.missing()}
CLICKS = {
    "text2sql": "text2sql.model",
    "rerank": "rerank.listwise.ask",
    "judge": "judge.rate.start",
    "granularity": "granularity.write.contextline.start",
}
"""The buttons without which a page does not ask."""
ASKED = {"rewrite": 1, "filter": 3, "compress": 3, "rerank": 1, "judge": 3, "text2sql": 4, "granularity": 4}
"""Requests at most: one for each question; Text2SQL asks for a tree and for SQL, and repairs each once; a line of
context is asked for each chunk."""
PUMPS = Collection(
    Corpus(
        "pumps",
        tuple(
            Document(
                f"p{i}", f"Pump number {i} is in the cellar. " * 2 + f"It needs {i} minutes to start. " * 2, "Pumps"
            )
            for i in (1, 2)
        ),
    )
)
Reply = dict[str, Any]


def good(page: str, system: str) -> str:
    """What a good model says to a page."""
    if page == "rewrite":
        return "phone battery drained overnight\nbattery loses charge"
    if page == "text2sql":
        from lab_packs.text2sql.model_tree import SYSTEM

        return json.dumps(SLOTS, ensure_ascii=False) if system == SYSTEM else SQL
    if page == "rerank":
        return "[3] > [1] > [2]"
    if page == "judge":
        return json.dumps({"grade": 2})
    if page == "granularity":
        return "This is about the start of a pump in the cellar."
    return json.dumps({"relevant": False, "reason": "off topic", "extracts": []})


def message(change: Callable[[Any], Any]) -> Callable[[Reply], Any]:
    """An answer whose text is changed, or is something else."""

    def shape(reply: Reply) -> Any:
        own = reply["choices"][0]["message"]
        own["content"] = change(own["content"])
        return reply

    return shape


def with_(part: Callable[[Reply], Any], **values: Any) -> Callable[[Reply], Any]:
    """An answer with other values in a part of it."""

    def shape(reply: Reply) -> Any:
        part(reply).update(values)
        return reply

    return shape


def whole(reply: Reply) -> Any:
    return reply


def choice(reply: Reply) -> Any:
    return reply["choices"][0]


def said(reply: Reply) -> Any:
    return choice(reply)["message"]


def fenced(text: str) -> str:
    return f"```\n{text}\n```"


def everywhere(*pages: str) -> frozenset[str]:
    return frozenset(pages or LINKS)


@dataclass(frozen=True)
class Mode:
    """A way to answer: a behaviour of the server, a shape of its answer; ``used``: the pages that may go by it."""

    behaviour: str = "answer"
    shape: Callable[[Reply], Any] = whole
    used: frozenset[str] = frozenset()


ALL, LINES, JSON = everywhere(), everywhere("rewrite"), everywhere("filter", "compress", "judge")
TEXT = everywhere("rewrite", "granularity")
MODES: dict[str, Mode] = {
    "good": Mode(used=ALL),
    "prose around": Mode(shape=message(lambda t: f"Sure, here it is:\n{fenced(t)}\nI hope this helps!"), used=ALL),
    "code fence": Mode(shape=message(fenced), used=ALL),
    "usage in words": Mode(shape=with_(whole, usage={"prompt_tokens": "twelve", "total_tokens": None}), used=ALL),
    "broken JSON": Mode(shape=message(lambda t: '{"queries": ["a b", "c')),
    "refusal": Mode(shape=message(lambda t: "I'm sorry, but I can't help with that.")),
    "cut at its length": Mode("cut", used=JSON),  # which is whole
    "stopped by a filter": Mode(shape=with_(choice, finish_reason="content_filter"), used=JSON),
    "no reason for its end": Mode(shape=with_(choice, finish_reason=None), used=ALL),
    "thoughts before": Mode(shape=message(lambda t: f"<think>\nThe user wants me to …\n</think>\n{t}"), used=ALL),
    "thoughts without an end": Mode(shape=message(lambda t: "<think>\nThe user wants me to")),
    "empty": Mode("nothing"),
    "no choices": Mode("choiceless"),
    "choices null": Mode(shape=with_(whole, choices=None)),
    "tool call": Mode(shape=with_(said, content=None, tool_calls=[{"id": "x", "type": "function", "function": {}}])),
    "reasoning only": Mode(shape=with_(said, content="", reasoning_content="The user wants")),
    "error in a 200": Mode("reports"),
    "error in the choice": Mode(shape=with_(choice, finish_reason="error", error={"message": "it is gone"})),
    "error without its key": Mode(shape=lambda reply: {"object": "error", "message": "it is gone", "code": 500}),
    "error beside the answer": Mode(shape=with_(whole, error="it is gone")),
    "401": Mode("401"),
    "404": Mode("404"),
    "429": Mode("429"),
    "500": Mode("500"),
    "reset": Mode("drop"),
    "HTML": Mode("page"),
    "JSON array": Mode(shape=lambda reply: [reply]),
    "message null": Mode(shape=with_(choice, message=None)),
    "choices a dict": Mode(shape=with_(whole, choices={"message": {"content": "a b"}})),
    "not UTF-8": Mode(shape=lambda reply: json.dumps(reply).encode().replace(b"assistant", b"\xff\xfe\xc3")),
    "truncated": Mode("truncated"),
    "redirect": Mode("moved"),
    "400 that repeats the key": Mode(f"400 the key {KEY} and half of it, {KEY[3:]}, are wrong"),
    "429 for an hour": Mode("429 after 3600"),
    "every second 500": Mode("500 then answer"),
    "text in parts": Mode(shape=message(lambda t: [{"type": "text", "text": t}]), used=ALL),
    "a number for a text": Mode("number"),
    "half characters, NUL": Mode(shape=message(lambda t: f"{t}\ud800\x00"), used=ALL),
    "numbers for words": Mode(shape=message(lambda t: "3\n1\n2"), used=everywhere("rerank")),  # an order
    "100,000 brackets": Mode(shape=message(lambda t: "[" * 100_000)),
    "5 MB of words": Mode(shape=message(lambda t: "word " * 1_000_000)),
    "200,000 lines": Mode(shape=message(lambda t: "\n".join(f"a {i}" for i in range(200_000))), used=TEXT),
    "JSON of 100,000 items": Mode(
        shape=message(lambda t: json.dumps(dict.fromkeys(("queries", "extracts"), [f"a {i}" for i in range(50_000)]))),
        used=LINES,
    ),
    "markup": Mode(shape=message(lambda t: "<script>alert(1)</script> <img src=x onerror=alert(1)>")),
    "hostile SQL": Mode(shape=message(lambda t: "DROP TABLE products; SELECT load_extension('x')"), used=TEXT),
    "answers too late": Mode("late"),
    "never answers": Mode("stall"),
    "a byte now and then": Mode("trickles"),
    "headers byte by byte": Mode("dribbles"),
    "300 MB": Mode("huge"),
}
IN_SUITE = [
    ("every second 500", "filter"), ("text in parts", "compress"), ("good", "rerank"), ("broken JSON", "judge"),
    ("400 that repeats the key", "text2sql"), ("markup", "rewrite"), ("hostile SQL", "text2sql"),
    ("refusal", "granularity"),
]  # fmt: skip
"""Every page with a good or a bad answer, and what attacks; the other cells are nightly."""
IN_SUITE = [(mode, page) for mode, page in IN_SUITE if page in LINKS]
EVERY = [(mode, page) for mode in MODES for page in LINKS]


class Faulty(Server):
    """A model of one page in one mode."""

    def __init__(self, mode: Mode, page: str) -> None:
        super().__init__()
        self.mode, self.page = mode, page
        self.then(*mode.behaviour.split(" then ") * (20 if " then " in mode.behaviour else 1))

    def shaped(self, reply: Reply) -> bytes:
        if isinstance(choice(reply)["message"]["content"], str) and said(reply)["content"]:
            said(reply)["content"] = good(self.page, self.requests[-1]["messages"][0]["content"])
        made = self.mode.shape(reply)
        return made if isinstance(made, bytes) else json.dumps(made).encode()


def outcome(mode: str, page: str) -> str:
    """What a visitor sees of the answer: “used”, or “said” where the page says that there is none to go by."""
    with Faulty(MODES[mode], page) as server:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        for name, value in {"lang": "en", "corpus": "devices", "q": QUESTION, **LINKS[page]}.items():
            app.query_params[name] = value
        model = EndpointModel("m", server.url, Secret(KEY), retries=0, timeout=1.0)
        app.session_state["_language_model"] = model
        app.session_state[frame.VISITOR] = Visitor("")
        app.session_state[frame.VISITOR].store(frame.UPLOADS)["pumps"] = PUMPS
        PUMPS.corpus.forget()
        app.switch_page(places.file_of(page))
        answered(app.run())
        if page in CLICKS:
            assert not server.requests, "nothing is asked before the click"
            answered(app.button(CLICKS[page]).click().run())
        asked = len(server.requests)
        answered(app.run())
        assert len(server.requests) == asked <= ASKED[page], "every question is asked once"
    shown = sent(app)
    assert len(shown) < FLOOD
    assert not any(part in shown for part in (KEY, KEY[:9], KEY[3:12], KEY[-8:])), "no part of the key"
    told = [*app.error, *app.warning]
    assert all(len(x.value) < 4000 for x in told)
    assert standing(app, page), "what the rules have is there"
    assert bool(told) != used(app, page), [x.value for x in told]
    return "said" if told else "used"


def sent(app: AppTest) -> str:
    """All that goes to the browser."""

    def protos(block: Any) -> Iterator[str]:
        for child in block.children.values():
            if hasattr(child, "children"):
                yield from protos(child)
            elif getattr(child, "proto", None) is not None:
                yield str(child.proto)

    return "\n".join(protos(app._tree))


def standing(app: AppTest, page: str) -> bool:
    """Whether the page has what needs no model."""
    if page == "rewrite":
        return any(tab.label == "Multi-query · rule" for tab in app.tabs)
    if page == "text2sql":
        return rows(app, "text2sql.rows")
    if page in ("rerank", "judge"):  # the list before, and the passages to judge
        return not app.exception and any(" ms" in c.value for c in app.caption)
    if page == "granularity":
        return "No line" in sent(app)
    return any(
        c.value.startswith(("Passages left after each filter", "Characters left"))
        for c in [*app.subheader, *app.caption]
    )


def rows(app: AppTest, key: str) -> bool:
    """Whether there is a table of this key with rows in it."""
    try:
        return bool(len(app.get_by_key(f"{key}.box").dataframe[0].value))  # type: ignore[union-attr]
    except KeyError:
        return False


def used(app: AppTest, page: str) -> bool:
    """Whether the page goes by what the model said."""
    if page == "rewrite":
        return any(tab.label == "Multi-query · m" for tab in app.tabs)
    if page == "text2sql":
        return rows(app, "text2sql.model.rows") and rows(app, "text2sql.model.free")
    if page == "rerank":
        return any("largest move: " in c.value for c in app.caption)
    if page == "judge":
        return any("Every pair of this choice has a grade by m" in x.value for x in app.markdown)
    if page == "granularity":
        return any("kept with the corpus" in c.value for c in app.caption) and not app.warning
    if page == "filter":
        return any("Kept (0)" in str(getattr(e, "proto", "")) for e in app.main)
    return any("passages: 0/" in m.value for m in app.markdown)


def expected(mode: str, page: str) -> str:
    return "used" if page in MODES[mode].used else "said"


def table(cell: Callable[[str, str], str]) -> str:
    """All modes and pages as Markdown."""
    head = "| the model's answer | " + " | ".join(LINKS) + " |\n|---|" + "---|" * len(LINKS) + "\n"
    rows = (f"| {mode} | " + " | ".join(cell(mode, page) for page in LINKS) + " |\n" for mode in MODES)
    told = (
        "What a visitor sees of each answer of a language model: it is *used*, or the page *said* why there is none to "
        "go by.\nWritten by `LAB_WRITE=1 python -m pytest -n 0 tests/ui/test_fault_modes.py -k table`.\n\n"
    )
    return told + head + "".join(rows)


@pytest.mark.parametrize(("mode", "page"), [cell if cell in IN_SUITE else nightly(cell) for cell in EVERY])
def test_every_faulty_answer_is_said_to_be_none_and_every_good_one_is_used(mode: str, page: str) -> None:
    assert outcome(mode, page) == expected(mode, page)


@pytest.mark.skipif(bool(packs.missing()), reason="a page with a model is in a pack that is left out")
def test_the_table_is_what_the_tests_expect() -> None:
    if os.environ.get("LAB_WRITE"):
        TABLE.write_text(table(outcome), "utf-8")
    assert TABLE.read_text("utf-8") == table(expected)
