"""Kept files that were damaged: what cannot be used is said, and every page is drawn without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from night import NIGHT
from regressions import load_cases
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document
from lab.corpus.beir import Collection
from lab.ui import cache
from lab.ui.layout import frame
from lab.ui.people import keeping
from lab.ui.people.visitor import Visitor, Visitors

ROOT = Path(__file__).parents[2]
TOKEN = "t" * 43
NOTES = Collection(Corpus("notes", (Document("1", "The kiln fires on Tuesdays."),)))
PAGES = ("start/home", "start/corpus", "whole/judge", "retrieve/compare", "start/course") if NIGHT else ("start/home",)


def damage(home: Path, case: dict[str, Any]) -> None:
    """Do to a kept file what the case says."""
    (file,) = home.rglob(case["file"])
    if "bytes" in case:
        file.write_bytes(bytes.fromhex(case["bytes"]))
    elif "replace" in case:
        before, after = case["replace"]
        text = file.read_text("utf-8")
        assert before in text
        file.write_text(text.replace(before, after), "utf-8")
    elif "append" in case:
        file.write_text(f"{file.read_text('utf-8')}{case['append']}\n", "utf-8")
    else:
        file.write_text(case["content"] * case.get("times", 1), "utf-8")


@pytest.mark.parametrize("case", load_cases("kept_files"))
def test_a_damaged_kept_file_is_said_and_every_page_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]
) -> None:
    monkeypatch.setenv("LAB_UPLOADS_DIR", str(tmp_path))
    monkeypatch.setattr(frame, "_cookie", lambda what="": "notes" if what == "_corpus" else TOKEN)
    before = Visitor(TOKEN)
    keeping.OwnCorpora(before)["notes"] = NOTES
    keeping.change(before, lambda judgments: judgments.given("when?", NOTES.corpus.documents[0], 2))
    damage(tmp_path, case)
    for page in PAGES:
        monkeypatch.setattr(cache, "VISITORS", Visitors())  # a server that knows nobody
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params["lang"] = "en"
        app.query_params["corpus"] = "notes"
        app.switch_page(f"pages/{page}/page.py").run()
        assert not app.exception, page
        said = " ".join(message.value for message in (*app.warning, *app.error)).replace("\\", "")
        assert case["shown"] in said, page
        assert str(tmp_path) not in said
        assert any(s.key == "corpus" for s in app.selectbox), "the sidebar is drawn"
        visitor: Visitor = app.session_state[frame.VISITOR]
        assert len(keeping.judgments(visitor)) == case.get("kept", 1)
