"""Summaries, questions, keywords: by a model, which may fail in the midst, and by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from models.scripted import ScriptedModel

from lab.algebra import Corpus, Document, Env, Query, Runner
from lab.derive.written import Keywords, Questions, Summaries, Written, keywords
from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.models.consult import TOGETHER
from lab.retrieve.lexical import BM25
from lab.words import Said

CORPUS = Corpus(
    "c",
    (
        Document(
            "leave", "Annual leave is fifteen days. It is booked in the portal. The portal is open at night.", "Leave"
        ),
        Document("pay", "工资每月十日发放。逢周末提前到周五。工资条在系统里查询。", "工资"),
        Document("empty", ""),
    ),
)


@dataclass(eq=False)
class Failing:
    """Answers so many prompts, then fails; counts what it was asked."""

    good: int
    label: str = "failing"
    asked: list[str] = field(default_factory=list)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        assert isinstance(prompt, str)
        self.asked.append(prompt)
        if len(self.asked) > self.good:
            raise ModelError(Said("The server is away."), Said("Start it."))
        return Completion(f"What is text {len(self.asked)}?", self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


def derived(written: Written, corpus: Corpus = CORPUS, env: Env | None = None) -> dict[str, list[str]]:
    made = written(corpus, env=env or Env())
    return {d.id: [x.text for x in made if made.origins[x.id] == d.id] for d in corpus}


def test_a_summary_by_the_rule_is_sentences_of_the_document_in_their_order() -> None:
    found = derived(Summaries(n=2))
    (summary,) = found["leave"]
    sentences = ["Annual leave is fifteen days.", "It is booked in the portal.", "The portal is open at night."]
    kept = [s for s in sentences if s in summary]
    assert summary == " ".join(kept)
    assert len(kept) == 2
    assert len(found["pay"]) == 1
    assert found["empty"] == []


def test_questions_by_the_rule_are_sentences_or_templates() -> None:
    assert len(derived(Questions(n=2))["pay"]) == 2
    templates = derived(Questions(n=2, rule_of="templates"))
    assert all(q.startswith("What is ") and q.endswith("?") for q in templates["leave"])
    assert all(q.endswith("是什么？") for q in templates["pay"])
    assert templates["leave"]
    assert templates["pay"]


def test_a_keyword_is_a_whole_word_that_names_something() -> None:
    texts = {
        "pc": "计算机科学研究计算机。计算机能够处理数据，允许远程登录。",
        "chain": "互联网具有一个账本，互联网不可篡改。",
        "sound": "The WH-1000XM5 headphones cancel noise.",
        "tea": "茶叶分为红茶和绿茶。",
    }
    corpus = Corpus("c", tuple(Document(name, text) for name, text in texts.items()))
    found = dict(zip(texts, keywords(corpus, 10, None), strict=True))
    assert found["pc"][0] == "计算机"
    assert "互联网" in found["chain"]
    for word in ("算机", "能够", "允许", "具有", "一个", "1000xm5", "互联"):
        assert all(word not in words for words in found.values()), word
    assert "wh-1000xm5" in found["sound"]


def test_keywords_stand_behind_the_text_as_often_as_wanted() -> None:
    (text,) = derived(Keywords(n=1, times=2))["pay"]
    own = CORPUS.get("pay")
    assert own is not None
    assert text.startswith(own.text + "\n")
    first, second = text.removeprefix(own.text + "\n").split()
    assert first == second == "工资"


def test_a_model_writes_and_its_answers_are_read() -> None:
    model = ScriptedModel(
        (("fifteen", "1. How many days?\n2. Where is it booked?\n3. When?"), ("工资", "工资何时发放？"))
    )
    found = derived(Questions(n=2, model="m"), env=Env(models={"m": model}))
    assert found == {"leave": ["How many days?", "Where is it booked?"], "pay": ["工资何时发放？"], "empty": []}


def test_a_prompt_of_ones_own_is_filled() -> None:
    assert (
        Questions(n=4, template="{n}: {text}").request(CORPUS.documents[1])
        == "4: 工资\n工资每月十日发放。逢周末提前到周五。工资条在系统里查询。"
    )
    for written in (Summaries(), Questions(), Keywords()):
        for language in ("en", "zh"):
            assert "{text}" in written.prompt(language)
            assert "{n}" in written.prompt(language)


def test_what_was_written_before_a_failure_is_kept_and_only_the_rest_is_asked() -> None:
    corpus = Corpus("many", tuple(Document(f"d{i}", f"text {i}") for i in range(3 * TOGETHER)))
    model, written = Failing(good=TOGETHER + 3), Questions(model="m")
    with pytest.raises(ModelError, match="The server is away") as failed:
        derived(written, corpus, Env(models={"m": model}))
    left = len(written.missing(corpus, model))
    assert left == len(corpus) - TOGETHER - 3
    assert str(left) in failed.value.message
    model.asked.clear()
    model.good = len(corpus)
    found = derived(written, corpus, Env(models={"m": model}))
    assert len(model.asked) == left
    assert all(len(texts) == 1 for texts in found.values())


def test_a_stop_keeps_what_is_done() -> None:
    corpus = Corpus("many", tuple(Document(f"d{i}", f"text {i}") for i in range(3 * TOGETHER)))
    model, written = Failing(good=1000), Questions(model="m")

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert total == len(corpus)
        if done >= TOGETHER:
            raise Stop

    with pytest.raises(Stop):
        derived(written, corpus, Env(models={"m": model}, progress=stop))
    assert len(written.missing(corpus, model)) <= len(corpus) - TOGETHER


def test_another_model_writes_its_own() -> None:
    def one(answer: str) -> list[str]:
        return derived(Summaries(model="m"), env=Env(models={"m": ScriptedModel((("", answer),), name=answer)}))["pay"]

    assert (one("short"), one("long"), one("short")) == (["short"], ["long"], ["short"])


def test_without_the_model_it_says_so() -> None:
    with pytest.raises(ModelError, match="no language model “m”"):
        derived(Summaries(model="m"))


@pytest.mark.parametrize("written", [Summaries(), Questions(), Keywords()])
def test_what_is_found_is_the_document(written: Written) -> None:
    found = Runner(CORPUS)(written(BM25()), Query("portal"), 3)
    assert found.ids == ["leave"]
    parts: Sequence[str] = [hit.document.text for hit in found.evidence.children["leave"]]
    assert all("portal" in text for text in parts)
