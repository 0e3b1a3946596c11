"""The address bar: what a link says, what is read from it, and that reading gives back what was written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import for_each
from streamlit.testing.v1 import AppTest

from lab.ui import address

# ------------------------------------------------------------------------------------------------ readers


@for_each("raw, value", [("3", 3), ("0", 0), ("10", 10), (" 4 ", 4), ("5.0", 5)])
def test_whole_numbers_within_their_range_are_read(raw: str, value: int) -> None:
    read = address.number(0, 10, whole=True)(raw)
    assert read == value
    assert isinstance(read, int)


@pytest.mark.parametrize("raw", ["-1", "11", "seven", "", "nan", "inf", "-inf", "1e999", "0x10", "1,5", "٣٣"])
@pytest.mark.parametrize("whole", [True, False])
def test_numbers_outside_and_what_is_no_number_are_refused(raw: str, whole: bool) -> None:
    with pytest.raises(ValueError):
        address.number(0, 10, whole=whole)(raw)


@pytest.mark.parametrize("raw", ["nan", "inf", "-inf", "1e999", "-1e999"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_number_without_bounds_is_still_finite(raw: str, whole: bool) -> None:
    with pytest.raises(ValueError):
        address.number(None, None, whole=whole)(raw)


def test_a_choice_is_one_of_the_options() -> None:
    read = address.choice(["min-max", "z-score"])
    assert read("z-score") == "z-score"
    for raw in ("", "Z-score", "none", "min-max,z-score"):
        with pytest.raises(ValueError):
            read(raw)


def test_several_keeps_the_order_of_the_link_and_leaves_out_what_is_unknown() -> None:
    read = address.several(["bm25", "tfidf", "vector"])
    assert read("vector,bm25") == ["vector", "bm25"]
    assert read("vector,unknown,bm25") == ["vector", "bm25"]
    assert read("vector\nbm25") == ["vector", "bm25"]
    assert read("") == read("unknown") == []


@for_each("raw, value", [("1", True), ("true", True), ("0", False), ("false", False)])
def test_switches_are_read(raw: str, value: bool) -> None:
    assert address.flag(raw) is value


@for_each("raw", ["", "2", "yes", "seven", "True "])
def test_what_is_no_switch_leaves_the_switch_alone(raw: str) -> None:
    with pytest.raises(ValueError):
        address.flag(raw)


def test_sentences_are_twenty_at_most_and_blank_ones_are_none() -> None:
    assert address.lines("a, ,b") == ["a", "b"]
    assert len(address.lines(",".join(map(str, range(50))))) == 20


# --------------------------------------------------------------------------------- written and read again

words = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(',"\n\\ '), min_size=1, max_size=12)


@given(st.lists(words, max_size=5))
def test_any_list_of_options_is_read_as_it_was_written(options: list[str]) -> None:
    assert address.several(options)(address._written(options)) == options


@given(st.lists(words.filter(str.strip), max_size=5))
def test_any_sentences_are_read_as_they_were_written(sentences: list[str]) -> None:
    assert address.lines(address._written(sentences)) == sentences


@for_each(
    "sentences",
    [
        ["revenue", "2024"],
        ["revenue, by month"],
        ["上个月的销售额", "按城市，再分"],
        ['say "hi"'],
        ["two\nlines", "one"],
    ],
)
def test_a_conversation_is_read_as_it_was_written(sentences: list[str]) -> None:
    assert address.lines(address._written(sentences)) == sentences


def test_plain_lists_look_plain_in_the_link() -> None:
    assert address._written(["bm25", "vector-lsa"]) == "bm25,vector-lsa"
    assert address._written([]) == ""


@given(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)))
def test_numbers_are_read_as_they_were_written(value: float) -> None:
    assert address.number(None, None, whole=False)(address._written(value)) == pytest.approx(value, rel=1e-11, abs=0)


def test_numbers_are_short_in_the_link() -> None:
    assert address._written(0.1 + 0.2) == "0.3"
    assert address._written(1.0) == "1"
    assert address._written(1234.5678) == "1234.5678"
    assert address._written(3) == "3"
    assert not math.isnan(float(address._written(1e-7)))


@pytest.mark.parametrize("value", [True, False])
def test_switches_are_read_as_they_were_written(value: bool) -> None:
    assert address.flag(address._written(value)) is value


# -------------------------------------------------------------------------------------------- with widgets


def script() -> None:
    """A page with one widget of each kind."""
    import streamlit as st

    from lab.ui import address

    address.begin()
    options = ["bm25", "tfidf", "vector", "Acme, Inc.", "Miller"]
    address.keep("q", "an example")
    address.keep("k1", 1.5, address.number(0.0, 10.0, whole=False))
    address.keep("n", 8, address.number(1, 50, whole=True))
    address.keep("by", "score", address.choice(["score", "best"]))
    address.keep("on", True, address.flag)
    address.keep("lists", ["bm25", "vector"], address.several(options))
    address.keep("lesson", None, address.choice(["one", "two"]))
    st.text_input("q", key="q")
    st.slider("k1", 0.0, 10.0, step=0.1, key="k1")
    st.number_input("n", 1, 50, key="n")
    st.selectbox("by", ["score", "best"], key="by")
    st.toggle("on", key="on")
    st.multiselect("lists", options, key="lists")
    st.pills("lesson", ["one", "two"], key="lesson")
    if st.button("apply", key="apply", on_click=lambda: [address.put("k1", 2.5), address.put("lesson", "two")]):
        pass
    st.button("back", key="back", on_click=lambda: address.forget("k"))
    address.write()
    st.json(address.current(), expanded=True)


def opened(**params: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=60)
    for key, value in params.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def link(app: AppTest) -> dict[str, str]:
    """The parameters in the address bar, one value each."""
    out = {}
    for key, value in app.query_params.items():
        values: list[str] = value if isinstance(value, list) else [value]
        assert len(values) == 1
        out[key] = values[0]
    return out


def values(app: AppTest) -> dict[str, Any]:
    return {k: app.session_state[k] for k in ("q", "k1", "n", "by", "on", "lists", "lesson")}


DEFAULTS: dict[str, Any] = {
    "q": "an example",
    "k1": 1.5,
    "n": 8,
    "by": "score",
    "on": True,
    "lists": ["bm25", "vector"],
    "lesson": None,
}


def test_an_untouched_page_has_nothing_in_its_address() -> None:
    app = opened()
    assert values(app) == DEFAULTS
    assert link(app) == {}


def test_only_what_differs_from_its_default_is_in_the_address() -> None:
    app = opened()
    app.slider("k1").set_value(0.4)
    app.toggle("on").set_value(False)
    app.multiselect("lists").set_value(["vector"])
    app.run()
    assert link(app) == {"k1": "0.4", "on": "0", "lists": "vector"}
    app.slider("k1").set_value(1.5).run()
    assert link(app) == {"on": "0", "lists": "vector"}


CHANGED: dict[str, Any] = {
    "q": "年假 & leave = ? 100 %",
    "k1": 0.4,
    "n": 3,
    "by": "best",
    "on": False,
    "lists": ["Acme, Inc.", "Miller", "bm25"],
    "lesson": "two",
}


def test_a_link_gives_somebody_else_the_same_page() -> None:
    app = opened()
    app.text_input("q").set_value(CHANGED["q"])
    app.slider("k1").set_value(CHANGED["k1"])
    app.number_input("n").set_value(CHANGED["n"])
    app.selectbox("by").set_value(CHANGED["by"])
    app.toggle("on").set_value(CHANGED["on"])
    app.multiselect("lists").set_value(CHANGED["lists"])
    app.button_group("lesson").set_value("two")
    app.run()
    assert values(app) == CHANGED
    assert link(app).keys() == CHANGED.keys()
    other = opened(**link(app))
    assert values(other) == CHANGED
    assert link(other) == link(app)


def test_an_emptied_list_stays_empty_in_the_link() -> None:
    app = opened()
    app.multiselect("lists").set_value([]).run()
    assert link(app) == {"lists": ""}
    assert opened(**link(app)).session_state["lists"] == []


BAD = {"k1": "inf", "n": "1e999", "by": "worst", "on": "seven", "lists": "unknown", "lesson": "three"}


@pytest.mark.parametrize("key", [k for k in BAD if k != "lists"])
def test_nonsense_in_a_link_leaves_the_default(key: str) -> None:
    app = opened(**{key: BAD[key]})
    assert values(app) == DEFAULTS
    assert link(app) == {}  # and goes away


def labelled() -> None:
    """A page whose selectbox and list hold labels of the language before."""
    import streamlit as st

    from lab.ui import address

    address.begin()
    for key, label in {"by": "Der beste", "lists": ["bm25", "Vektor"]}.items():
        st.session_state[key] = label
    address.keep("by", "score", address.choice(["score", "best"]))
    address.keep("lists", ["bm25"], address.several(["bm25", "vector"]))
    st.selectbox("by", ["score", "best"], key="by")
    st.multiselect("lists", ["bm25", "vector"], key="lists")


def test_a_label_of_another_language_is_no_choice() -> None:
    """The browser sends labels: just after the language changed, one that no option has any more."""
    app = AppTest.from_function(labelled, default_timeout=60)
    app.query_params["by"], app.query_params["lists"] = "best", "bm25,vector"
    for _ in range(2):
        app.run()
        assert not app.exception
        assert (app.session_state["by"], app.session_state["lists"]) == ("best", ["bm25", "vector"])


def test_parameters_that_no_widget_knows_go_away() -> None:
    assert link(opened(k1="0.4", nobody="knows", me="1")) == {"k1": "0.4"}


def test_a_callback_can_set_values_and_take_them_back() -> None:
    app = opened(n="3")
    app.button("apply").click().run()
    assert (app.session_state["k1"], app.session_state["lesson"]) == (2.5, "two")
    assert link(app) == {"n": "3", "k1": "2.5", "lesson": "two"}
    app.button("back").click().run()
    assert app.session_state["k1"] == 1.5
    assert link(app) == {"n": "3", "lesson": "two"}


def test_the_address_is_read_once_and_widgets_rule_from_then_on() -> None:
    app = opened(k1="0.4")
    app.slider("k1").set_value(3.0).run()
    assert app.session_state["k1"] == 3.0
    assert link(app) == {"k1": "3"}
    app.run()
    assert link(app) == {"k1": "3"}


def sent(app: AppTest) -> list[str]:
    """The keys of all widgets whose value the last run has sent to the browser, over whatever was typed there since."""
    widgets = [
        *app.text_input,
        *app.slider,
        *app.number_input,
        *app.selectbox,
        *app.toggle,
        *app.multiselect,
        *app.button_group,
    ]
    return [w.key for w in widgets if w.proto.set_value]


def test_a_run_sends_no_value_that_the_widget_has_already() -> None:
    app = opened(k1="0.4")
    assert "k1" in sent(app)
    app.run()
    assert sent(app) == []
    app.slider("k1").set_value(3.0).run()
    assert sent(app) == []
    app.button("apply").click().run()
    assert sorted(sent(app)) == ["k1", "lesson"]
    app.run()
    assert sent(app) == []


def test_a_text_of_a_link_is_cut_at_its_longest() -> None:
    assert address.text(3)("abcdef") == "abc"
    assert len(address.text()("x" * 1_000_000)) == 10_000


def test_what_embeds_the_page_stays_in_its_address() -> None:
    assert link(opened(embed="true", k1="0.4")) == {"embed": "true", "k1": "0.4"}


def returning() -> None:
    """A page whose widgets vanish and return; where ``stop`` is set, the run without them ends early, as pages do."""
    import streamlit as st

    from lab.ui import address

    address.begin()
    address.enter("here")
    address.keep("shown", True, address.flag)
    if st.toggle("Shown", key="shown"):
        address.keep("slider", 0.02, address.number(0.005, 0.2, whole=False))
        address.keep("number", 114, address.number(1, 200, whole=True))
        address.keep("choice", "b", address.choice(["a", "b", "c"]))
        address.keep("word", "a word")
        address.keep("several", ["b", "c"], address.several(["a", "b", "c"]))
        address.keep("flag", True, address.flag)
        address.keep("radio", "c", address.choice(["a", "b", "c"]))
        st.slider("Slider", 0.005, 0.2, step=0.005, key="slider")
        st.number_input("Number", 1, 200, key="number")
        st.selectbox("Choice", ["a", "b", "c"], key="choice")
        st.text_input("Word", key="word")
        st.multiselect("Several", ["a", "b", "c"], key="several")
        st.checkbox("Flag", key="flag")
        st.radio("Radio", ["a", "b", "c"], key="radio")
    elif st.session_state["stop"]:
        address.write()
        st.stop()
    address.write()


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("moved", [{}, {"slider": 0.1, "number": 7, "choice": "c"}])
def test_a_widget_that_vanishes_and_returns_shows_the_value_that_it_has(stop: bool, moved: dict[str, object]) -> None:
    app = AppTest.from_function(returning)
    app.session_state["stop"] = stop
    app.run()
    kept = {"slider": 0.02, "number": 114, "choice": "b", "word": "a word", "several": ["b", "c"], "flag": True}
    kept |= {"radio": "c"}

    def told() -> dict[str, bool]:
        """Whether the browser is told the value of each widget."""
        widgets = [*app.slider, *app.number_input, *app.selectbox, *app.text_input, *app.multiselect]
        return {widget.key: widget.proto.set_value for widget in [*widgets, *app.checkbox, *app.radio]}

    assert told() == dict.fromkeys(kept, True)
    for key, value in moved.items():
        next(w for w in [*app.slider, *app.number_input, *app.selectbox] if w.key == key).set_value(value).run()
    app.run()
    assert told() == dict.fromkeys(kept, False), "what the browser shows is not written over"
    app.toggle[0].set_value(False).run()
    assert told() == {}
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert {key: app.session_state[key] for key in kept} == kept | moved
    assert told() == dict.fromkeys(kept, True)


def test_a_choice_whose_options_changed_meanwhile_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"pick": "Leave · hb-010"}
    monkeypatch.setattr(address.st, "session_state", state)
    monkeypatch.setattr(address, "put", state.__setitem__)
    address.follow("pick", {"hb-010": "Leave"}, "doc")
    assert "doc" not in state, "Streamlit gives the text of a choice that its select does not have any more"
    state["pick"] = "hb-010"
    address.follow("pick", {"hb-010": "Leave"}, "doc")
    assert state["doc"] == "hb-010"
