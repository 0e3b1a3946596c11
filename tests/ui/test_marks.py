"""The words of a question are marked once per text, and anew where something else is asked."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from lab.ui.lists import show

    looked: list[str] = st.session_state.setdefault("looked", [])

    def mark(text: str) -> list[tuple[int, int]]:
        looked.append(text)
        return [(0, len(text))]

    told = show.remembered(mark, st.session_state.get("about", "battery"))
    st.write(str(told("a") + told("bb") + told("a")))


def test_a_text_is_looked_at_once_until_something_else_is_asked() -> None:
    app = AppTest.from_function(page).run().run()
    assert app.markdown[0].value == str([(0, 1), (0, 2), (0, 1)])
    assert app.session_state["looked"] == ["a", "bb"]
    app.session_state["about"] = "headset"
    app.run()
    assert app.session_state["looked"] == ["a", "bb", "a", "bb"]
    for n in range(20):
        app.session_state["about"] = str(n)
        app.run()
    assert len(app.session_state["_marks"]) <= 8
