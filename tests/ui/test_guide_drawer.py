"""The guide stands beside the page: opened and closed by a button, on every page its own, and in no link."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from lab.ui.layout import frame
from lab.ui.people.visitor import Visitor

ROOT = Path(__file__).parents[2]


def press(app: AppTest, key: str) -> AppTest:
    next(b for b in app.button if b.key == key).click().run()
    assert not app.exception
    return app


def test_the_guide_opens_beside_the_page_follows_to_the_next_and_closes():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    for name, value in {"lang": "en", "corpus": "devices", "q": "battery"}.items():
        app.query_params[name] = value

    def reads(page: str) -> bool:
        text, _, last = (ROOT / f"pages/{page}/guide.en.md").read_text("utf-8").strip().rpartition("\n### ")
        return any(m.value.startswith(text) and m.value.strip().endswith(last) for m in app.markdown)

    app.switch_page("pages/retrieve/compare/page.py").run()
    assert not reads("retrieve/compare")
    before = dict(app.query_params)
    press(app, "compare.guide")
    assert reads("retrieve/compare")
    assert app.text_input("q").value == "battery"
    assert dict(app.query_params) == before
    app.switch_page("pages/combine/fusion/page.py").run()
    assert reads("combine/fusion")
    press(app, "fusion.guide.close")
    assert not reads("combine/fusion")
    press(press(app, "fusion.guide"), "fusion.guide")
    assert not reads("combine/fusion")
