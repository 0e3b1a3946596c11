"""A word that the lexicon does not have makes its question fail: it is never read as another question."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import exam_databases
import pytest
from examination import questions, split
from night import sample

from lab.text2sql import conditions, linking, phrases
from lab.text2sql.dialogue import Turn, say
from lab.text2sql.guard import Limits
from lab.text2sql.lexicon import lexicon, word_lists, words_in
from lab.text2sql.tree import Select

LIGHT = {
    "stop", "show", "find", "all", "have", "during", "records", "stat", "what", "which", "unit", "classifier", "exists",
    "per", "times", "follow", "who",
}  # fmt: skip
"""Roles of words without weight: a question may well do without them."""


def cases() -> list[tuple[str, str, str]]:
    """Every (database, question, word) of the seen half where the word weighs something."""
    weighty = [w for w, roles in lexicon().items() if len(w) > 1 and not {r[0] for r in roles} & LIGHT]
    asked = [q for q in split(questions())[0] if len(q.turns) == 1]
    return [(q.database, q.turns[0], w) for q in asked for w in weighty if w in q.turns[0].lower()]


def without(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """A lexicon that lacks one word."""
    left = {w: roles for w, roles in lexicon().items() if w != word}
    for module in (linking, conditions, phrases):
        monkeypatch.setattr(module, "roles_of", lambda said: left.get(said, ()))


def _of_rows(turn: Turn) -> Select | None:
    """The tree less what is shown of its rows and in which order."""
    return turn.after and replace(turn.after, show=(), order=turn.after.order if turn.after.limit else ())


def test_a_word_taken_out_of_the_lexicon_never_gives_the_rows_of_another_question() -> None:
    limits, found, wrong = Limits(rows=1000), Counter[str](), []
    drawn = sample(cases(), 12)
    for name, question, word in drawn:
        db = exam_databases.build(name)
        before = say(db, question, as_of=exam_databases.TODAY, limits=limits)
        if before.result is None:
            continue
        with pytest.MonkeyPatch.context() as patch:
            without(patch, word)
            after = say(db, question, as_of=exam_databases.TODAY, limits=limits)
        if after.result is None:
            found["not answered"] += 1
        elif Counter(after.result.rows) == Counter(before.result.rows) or _of_rows(after) == _of_rows(before):
            found["the same"] += 1  # other words of the question said it, too
        else:
            wrong.append(f"{question} without “{word}”: {after.answer}")
    assert not wrong, wrong
    assert found["not answered"] >= len(drawn) // 5


def test_the_lists_of_words_are_whole() -> None:
    lists = word_lists()
    assert set(lists) == {
        "names",
        "about",
        "known by",
        "pointing",
        "sexes",
        "orders",
        "roles",
        "overview",
        "adjectives",
        "units",
        "abbreviated",
        "alike",
        "states",
        "peoples",
        "in names",
        "opposites",
        "verbs",
        "kinds",
        "measured",
    }
    for tags, en, zh in lists["names"]:
        assert words_in(en), tags
        assert words_in(zh), tags
    for kind in lists["kinds"]:
        assert set(kind) == {"rows", "told"}
        assert len(words_in(kind["told"])) > 1
    entries = [said for by in lists["roles"].values() for said in by.values()]
    entries += [said for sides in lists["adjectives"].values() for by in sides.values() for said in by.values()]
    entries += [*lists["overview"].values(), *lists["units"].values(), *lists["abbreviated"].values(), *lists["alike"]]
    for said in entries:
        assert len(set(words_in(said))) == len(words_in(said)), f"twice in {said[:60]}"
    assert all(set(by) <= {"zh", "en"} for by in lists["roles"].values())
    for sides in lists["adjectives"].values():
        assert set(sides) == {"<", ">"}
        assert all(len(forms.split()) in (1, 3) for by in sides.values() for forms in words_in(by["en"]))


def test_every_role_has_a_part_in_the_grammar() -> None:
    modules = Path(linking.__file__).parent.glob("*.py")
    strings = {
        node.value
        for file in modules
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert {role.split()[0] for role in word_lists()["roles"]} <= strings
