"""The page of conversations: every turn with what it was asked, edited, removed, restored from a link or a file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from night import examples, for_each, spread
from streamlit.testing.v1 import AppTest

from lab import formats
from lab.algebra import Query, Runner, Turn
from lab.corpus import samples
from lab.errors import CorpusError, ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.reading.encodings import clean
from lab.retrieve.lexical import BM25
from lab.rewrite.contextual import Contextual
from lab.rewrite.turns import KINDS
from lab.ui import cache, components
from lab.words import Said
from pages.query.dialogue import parts as dialogue
from pages.query.dialogue.parts import Line
from ui.conftest import answered, play

ROOT = Path(__file__).parents[2]
HANDBOOK = samples.load("handbook")
DEVICES = samples.load("devices")


def opened(talk: list[Any] | None = None, model: Any = None, **params: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    said = (
        {}
        if talk is None
        else {"dialogue.said": dialogue.written([Line(x) if isinstance(x, str) else Line(*x) for x in talk])}
    )
    for key, value in {"lang": "en", "corpus": "devices", **said, **params}.items():
        app.query_params[key] = value
    if model is not None:
        app.session_state["_language_model"] = model
    app.switch_page("pages/query/dialogue/page.py")
    return answered(app.run())


def text_of(app: AppTest) -> str:
    every = (app.markdown, app.caption, app.subheader, app.info, app.error)
    bubbles = [button.label for button in app.button if str(button.key).startswith("dialogue.look.")]
    return "\n".join([*bubbles, *(str(x.value) for own in every for x in own)]).replace("\\", "")


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The lists that the page has drawn, the last first."""
    drawn, own = list[Any](), components.lists

    def listed(data: Any, **how: Any) -> None:
        drawn.insert(0, data)
        own(data, **how)

    monkeypatch.setattr(components, "lists", listed)
    return drawn


def ids(data: Any) -> list[list[str]]:
    """The eight documents that are shown of every list; behind them stands the selected one, where it is not there."""
    return [[hit["id"] for hit in column["hits"]][:8] for column in data["lists"]]


def link_of(app: AppTest) -> list[Line]:
    told = app.query_params["dialogue.said"]
    return dialogue.parsed(told[0] if isinstance(told, list) else told)


# ------------------------------------------------------------------------------------------ links and files

LINE = st.builds(
    Line, st.text(max_size=30).map(lambda x: " ".join(x.split())).filter(bool), st.sampled_from(["", *KINDS])
)


@examples(200)
@given(st.lists(LINE, max_size=12))
@example([Line("\u202a"), Line("How long?")])
@example([Line("\u202a")])
def test_a_conversation_is_the_same_after_a_link_and_after_a_file(talk: list[Line]):
    told = [x for x in talk if x.text.encode("utf-8", "ignore").decode() == x.text]
    link = dialogue.written(told)
    assert dialogue.parsed(link) == told
    assert dialogue.read(link) == link
    # a file is read like every other: without invisible characters, and with ideographs instead of radicals
    plain = [Line(text, x.kind) for x in told if (text := clean(x.text, controls=False)[0]).strip()]
    if plain:
        assert dialogue.of_file(dialogue.as_jsonl(told)) == plain
    else:
        with pytest.raises(CorpusError):
            dialogue.of_file(dialogue.as_jsonl(told))


def test_a_long_conversation_is_packed_and_what_is_too_much_is_left_out():
    long = [Line(f"question number {n} about the battery of the lock") for n in range(dialogue.MOST + 50)]
    link = dialogue.written(long)
    assert link.startswith("~")
    assert len(link) < 2000
    assert dialogue.parsed(link) == long[: dialogue.MOST]
    assert dialogue.parsed(json.dumps(["x" * 5000])) == [Line("x" * dialogue.LONGEST)]


@for_each("raw", ["{}", "~", "~!!", "[1]", '[["a","b","c"]]', "nonsense", "[" * 10_000, "~eJyLVkpMSlaK", "3"])
def test_a_link_that_is_no_conversation_is_refused(raw: str):
    with pytest.raises(ValueError, match="."):
        dialogue.read(raw)


@for_each(
    "text, told",
    [
        ("", "no conversation"),
        ("{}", "Line 1"),
        ('{"_id": "a", "conversation": "c", "turn": 0, "text": "x"}', "whole number"),
        ("~", "Line 1"),
    ],
)
def test_a_file_that_is_no_conversation_says_what_is_wrong(text: str, told: str):
    with pytest.raises(CorpusError, match=told):
        dialogue.of_file(text)


# ------------------------------------------------------------------------------------------------- the page


def test_every_turn_shows_what_it_was_asked_and_the_last_its_lists(cards: list[Any]):
    talk = ["How loud is the RV-450W?", "and at night?", "which is quieter, the RV-450W or the RV-460S?"]
    app = opened(talk)
    shown = text_of(app)
    query = Query(talk[1], turns=(Turn(talk[0]),))
    (variant,) = Contextual().rewrite(query, DEVICES.corpus).queries
    assert "this turn 1]" in shown
    for word, weight in variant.weights[1:]:
        assert f"{word} {weight:.2g}]" in shown
    assert "**a comparison** · The turn compares “RV-450W”, “RV-460S”" in shown
    titles = [column["title"] for column in cards[0]["lists"]]
    assert titles == ["This turn alone", "RV-460S", "RV-450W", "With the conversation"]
    assert any("RV-450W #1" in str(hit["reason"]) for hit in cards[0]["lists"][-1]["hits"])
    app.button("dialogue.look.1").click().run()
    runner = Runner(DEVICES.corpus)
    shown_before = Turn(talk[0], shown=tuple(runner(Contextual()(BM25()), talk[0], 50).ids))
    wanted = runner(Contextual()(BM25()), replace(query, turns=(shown_before,)), 8).ids
    assert ids(cards[0]) == [runner(BM25(), talk[1], 8).ids, wanted]


def test_a_removed_turn_was_never_said(cards: list[Any]):
    talk = ["How loud is the RV-450W?", "what about the printer?", "and at night?"]
    app = opened(talk)
    app.button("dialogue.away.1").click().run()
    removed = ids(cards[0])
    assert link_of(app) == [Line(talk[0]), Line(talk[2])]
    app.button("dialogue.look.1").click().run()
    again = ids(cards[0])
    opened([talk[0], talk[2]])
    assert ids(cards[0]) == again
    assert removed != again, "after a turn is removed the one before it is looked at"


def test_an_edited_turn_changes_all_that_follows_and_its_kind_can_be_set(cards: list[Any]):
    app = opened(["How loud is the RV-450W?", "and at night?"])
    first = ids(cards[0])
    app.text_area("dialogue.edit.0").set_value("Does the lock beep?").run()
    assert "Does the lock beep?" in text_of(app)
    app.button("dialogue.look.1").click().run()
    assert ids(cards[0]) != first
    app.selectbox("dialogue.kind.1").set_value("change").run()
    assert "**a change of topic** (set by hand) · Set by hand." in text_of(app)
    assert ids(cards[0])[0] == ids(cards[0])[1], "what was said before is let go"
    assert link_of(app) == [Line("Does the lock beep?"), Line("and at night?", "change")]


def test_clear_undo_ask_on_and_small_talk(cards: list[Any]):
    app = opened(["How loud is the RV-450W?", "thanks!"])
    assert "The turn asks nothing: nothing is searched." in text_of(app)
    assert ids(cards[0])[1] == []
    app.button("dialogue.undo").click().run()
    assert "thanks!" not in text_of(app)
    app.button("dialogue.clear").click().run()
    assert "There are no turns yet." in text_of(app)
    app.chat_input("dialogue.next").set_value("  Does the   lock beep? ").run()
    assert link_of(app) == [Line("Does the lock beep?")]
    assert not app.exception


def test_what_was_shown_is_held_back_with_its_reason(cards: list[Any]):
    talk = ["How loud is the RV-450W?", "How loud is the RV-450W?"]
    opened(talk, **{"dialogue.unseen": "1", "dialogue.unseen.first": "2", "dialogue.unseen.how": "drop"})
    whole = Runner(DEVICES.corpus)(Contextual()(BM25()), talk[0], 3).ids
    assert ids(cards[0])[1][0] == whole[2]
    assert "Shown before: turn 1, position 1." in str(cards[0])


def test_what_was_shown_counts_less_at_first(cards: list[Any]):
    talk = ["How loud is the RV-450W?", "How loud is the RV-450W?"]
    app = opened(talk, **{"dialogue.unseen": "1"})
    assert next(box.value for box in app.selectbox if box.key == "dialogue.unseen.how") == "less"
    first = Runner(DEVICES.corpus)(Contextual()(BM25()), talk[0], 1).ids[0]
    assert first in ids(cards[0])[0]


@pytest.mark.parametrize(("lang", "corpus"), spread([*product(["en", "zh"], samples.names())], 3))
def test_the_example_is_a_conversation_of_the_corpus_in_which_history_matters(corpus: str, lang: str, cards: list[Any]):
    app = opened(corpus=corpus, lang=lang)
    assert not app.exception
    assert "dialogue.said" not in app.query_params
    assert len(samples.load(corpus).conversations) >= 8
    moved = (
        r"rank (\d+) alone, (?!\1 )\d+ with the conversation|rank \d+ with the conversation, alone not in"
        r"|单看第 (\d+) 名，带上对话第 (?!\2 )\d+ 名|带上对话第 \d+ 名，单看不在"
    )
    assert re.search(moved, text_of(app)), "the conversation puts another passage first"


def test_what_is_too_long_for_a_link_says_so_and_stays(cards: list[Any]):
    import random

    rng = random.Random(1)
    talk = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=900)) for _ in range(9)]
    app = opened()
    app.session_state["dialogue.said"] = dialogue.written([Line(" ".join(x.split())) for x in talk])
    app.run()
    assert "too long for a link" in text_of(app)
    assert "dialogue.said" not in app.query_params
    assert "4 earlier turns" in str([x.label for x in app.expander])
    assert not app.exception


def test_two_visitors_conversations_never_meet():
    first, second = opened(["How loud is the RV-450W?"]), opened(["Does the lock beep?"])
    first.run()
    second.run()
    assert "beep" not in text_of(first)
    assert "loud" not in text_of(second).replace("How loud", "loud")


def test_its_searches_open_as_pipelines(cards: list[Any]):
    app = opened(["How loud is the RV-450W?", "and at night?"])
    app.button("dialogue.open").click().run()
    assert not app.exception
    assert [formats.parse(formats.expression(formats.read(app.session_state[f"pipeline.{x}"]))) for x in "ab"] == [
        Contextual()(BM25()),
        BM25(),
    ]


@dataclass(eq=False)
class Says:
    """Answers everything alike, or not at all."""

    answer: str | None
    label: str = "says"
    asked: int = 0

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        self.asked += 1
        if self.answer is None:
            raise ModelError(Said("The server is silent."), Said("Wait."))
        return Completion(self.answer, self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


def test_a_model_writes_the_questions_and_where_it_is_silent_the_rule_stands(cards: list[Any]):
    talk = ["How loud is the RV-450W?", "and at night?"]
    model = Says(json.dumps({"kind": "follow-up", "queries": ["How loud is the RV-450W at night?"]}))
    app = opened(talk, model)
    assert "The model decided this." in text_of(app)
    assert "How loud is the RV-450W at night? 1]" in text_of(app)
    assert model.asked == 1, "a first turn asks nobody, and an answer is remembered"
    by_model = ids(cards[0])
    assert by_model[1] == Runner(DEVICES.corpus)(BM25(), "How loud is the RV-450W at night?", 8).ids
    for bad in (None, "no idea"):
        app = opened(talk, Says(bad))
        assert "The rule's result is used." in text_of(app)
        assert "loud 0.7]" in text_of(app)


def test_a_lesson_sets_the_conversation_and_goes_when_one_asks_on(cards: list[Any]):
    app = opened()
    lesson = next(x for x in cache.lessons() if x.id == "one-question-each")
    play(app, "dialogue", f"devices/{lesson.id}")
    assert link_of(app) == [Line(x) for x in (*lesson.turns, lesson.query)]
    assert lesson.claim["en"][:40] in text_of(app)
    assert ids(cards[0])[-1] == lesson.ranking("told", Runner(DEVICES.corpus)).ids[:8]
    app.chat_input("dialogue.next").set_value("and the price?").run()
    assert lesson.claim["en"][:40] not in text_of(app)
    assert link_of(app) == [Line("and the price?")]
    app.button("dialogue.rejoin").click().run()
    assert link_of(app) == [Line(x) for x in (*lesson.turns, lesson.query, "and the price?")]


def example_of(app: AppTest, how: str) -> AppTest:
    """Puts an example on the page, in one of the ways in which it comes there."""
    if how == "lesson":
        return play(app, "dialogue", "devices/one-question-each")
    if how == "corpus":
        return app.selectbox("dialogue.sample").select_index(3).run()
    if how == "undone":
        return app.button("dialogue.undo").click().run()
    if how == "edited":
        return app.text_area("dialogue.edit.0").set_value("Does the lock beep?").run()
    if how == "other corpus":
        play(app, "dialogue", "devices/one-question-each")
        return app.selectbox("corpus").set_value("staff").run()
    return app


@pytest.mark.parametrize("how", spread(["first", "lesson", "corpus", "undone", "edited", "other corpus"], 2))
def test_the_first_turn_after_an_example_begins_the_visitors_own_conversation(how: str):
    app = example_of(opened(), how)
    example = dialogue.parsed(app.session_state["dialogue.said"])
    assert example
    app.chat_input("dialogue.next").set_value("Which kettle is the quietest?").run()
    assert link_of(app) == [Line("Which kettle is the quietest?")]
    app.chat_input("dialogue.next").set_value("and at night?").run()
    assert link_of(app) == [Line("Which kettle is the quietest?"), Line("and at night?")]
    assert not [button for button in app.button if button.key == "dialogue.rejoin"]
    assert not app.exception


def test_an_example_can_be_gone_on_with_by_one_click():
    app = opened()
    example = dialogue.parsed(app.session_state["dialogue.said"])
    app.chat_input("dialogue.next").set_value("and at night?").run()
    app.button("dialogue.rejoin").click().run()
    assert link_of(app) == [*example, Line("and at night?")]
    app.chat_input("dialogue.next").set_value("why?").run()
    assert link_of(app) == [*example, Line("and at night?"), Line("why?")]


def test_every_turn_says_where_its_judged_answer_is_with_and_without_the_conversation():
    own = next(c for c in HANDBOOK.conversations if len(c) > 3 and HANDBOOK.spoken.relevant(c.turns[1].id))
    app = opened([turn.text for turn in own.turns[:2]], corpus="handbook")
    relevant = HANDBOOK.spoken.relevant(own.turns[1].id)
    runner = Runner(HANDBOOK.corpus)
    shown_first = Turn(own.turns[0].text, shown=tuple(runner(Contextual()(BM25()), own.turns[0].text, 3).ids))
    whole = runner(Contextual()(BM25()), Query(own.turns[1].text, turns=(shown_first,)), 50).ids
    rank = next(i for i, doc in enumerate(whole, 1) if doc in relevant)
    document = HANDBOOK.corpus.get(whole[rank - 1])
    assert document is not None
    assert f"Answer: **{document.label}** (rank" in text_of(app)
    assert f"{rank} with the conversation)" in text_of(app) or f"(rank {rank})" in text_of(app)


def test_what_was_judged_for_a_turn_holds_in_its_own_conversation_alone(cards: list[Any]):
    def tagged() -> bool:
        return any(hit["tags"] for column in cards[0]["lists"] for hit in column["hits"])

    own = next(c for c in HANDBOOK.conversations if len(c) > 3 and HANDBOOK.spoken.relevant(c.turns[3].id))
    talk = [turn.text for turn in own.turns[:4]]
    opened(talk, corpus="handbook")
    assert tagged()
    opened(["食堂在哪", *talk[1:]], corpus="handbook")
    assert not tagged()
    assert "grading" not in cards[0], "a turn alone is no question to be judged"


def test_the_last_one_is_the_last_that_the_page_has_shown():
    app = opened(["How loud is the RV-450W?", "the last one"])
    third = DEVICES.corpus.get(Runner(DEVICES.corpus)(BM25(), "How loud is the RV-450W?", 3).ids[2])
    assert third is not None
    assert f"“the last one” is the passage “{third.label}”, shown at position 3." in text_of(app)


def test_a_lesson_on_the_pages_own_example_shows_its_last_turn():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.query_params["corpus"] = "devices"
    app.switch_page("pages/query/dialogue/page.py").run()
    play(app, "dialogue", "devices/once-it-is-full")
    assert [x.value for x in app.subheader if x.value.startswith("Turn ")] == ["Turn 3: And once it is full?"]


@for_each("turn", ["3", "4"])
def test_the_bars_of_a_passage_show_its_words_on_one_scale(turn: str):
    talk = ["连 VPN 报 809，怎么处理？", "看错了，是 720。", "重装也不行，服务台几点有人？", "半夜呢？"]
    app = opened(talk, corpus="handbook", lang="zh", **{dialogue.LOOKED: turn, "doc": "hb-135"})
    bars = [x.body for x in app.get("html") if x.body.startswith('<div class="lab-sum"')]
    widths = [[float(x) for x in re.findall(r"width:([\d.]+)%", bar)] for bar in bars]
    values = [[float(x) for x in re.findall(r"<b>([\d.]+)</b>", bar)] for bar in bars]
    assert len(bars) == (2 if turn == "3" else 1)
    assert all(len(of_bar) > 5 for of_bar in values)
    longest = max(map(sum, values))
    assert [sum(x) for x in widths] == pytest.approx([100 * sum(x) / longest for x in values], rel=0.01)
    assert all("<i>服务</i>" in bar for bar in bars)
