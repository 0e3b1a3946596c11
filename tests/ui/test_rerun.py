"""A rerun does only what the page needs: features that nobody uses cost nothing."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]
NOT_IN_USE = (
    "lab_packs/milvus",
    "lab/ui/models/engines.py",
    "lab_packs/e5",
    "lab/models/lsa.py",
    "lab/evaluate/judging.py",
    "lab/ui/models/writing.py",
    "lab/explain/indexing.py",
)
"""Milvus, other embedders, a visitor's own grades, models that write."""


def functions_of_a_rerun(app: AppTest) -> Counter[tuple[str, str]]:
    """Returns how often each function of the lab is called when the page is drawn again: (file, name) to a number."""
    calls = Counter[tuple[str, str]]()

    def count(frame: Any, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            calls[path.relative_to(ROOT).as_posix(), frame.f_code.co_name] += 1

    threading.setprofile(count)
    sys.setprofile(count)
    try:
        app.run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert not app.exception, app.exception
    return calls


def test_a_rerun_of_fusion_enters_no_file_of_a_feature_that_is_not_in_use() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/combine/fusion/page.py").run()
    app.run()
    calls = functions_of_a_rerun(app)
    assert calls["pages/combine/fusion/page.py", "<module>"] == 1, "the page was drawn"
    entered = {file for file, name in calls if file.startswith(NOT_IN_USE)}
    assert entered == set()
    assert not calls["lab/ui/lists/facets.py", "shows"], "no value is chosen, so no card is asked whether it is shown"
