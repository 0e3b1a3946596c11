"""The page of the index side: lists over each index, what was matched, what it costs, and a model that writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from night import spread
from opened_as import same_as_pipelines
from streamlit.testing.v1 import AppTest

from lab import catalog, formats
from lab.algebra import Corpus, Document, Lift, Pipeline, Query, Ranking, Runner, Searcher
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.derive.context import ContextLine
from lab.derive.parts import ParentChild
from lab.derive.written import Keywords, Questions
from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.ui import components
from lab.ui.layout import frame
from lab.ui.layout.page import Page
from lab.ui.people.visitor import Visitor
from lab.words import Said
from pages.index.granularity import parts as granularity
from ui.conftest import answered

ROOT = Path(__file__).parents[2]
TINY = Collection(
    Corpus(
        "tiny",
        (
            Document(
                "lock", "The lock has lost the time. " * 9 + "ERR-140 is gone at once. " + "It beeps. " * 9, "Lock"
            ),
            Document("door", "The door is shut. The lock is not. ERR-104 shows.", "Door"),
            Document("mail", "Mail comes at ten. Nobody opens.", "Mail"),
        ),
    ),
    (Query("ERR-140 lock time", id="q1"),),
    {"q1": {"lock": 2}},
)


@dataclass
class Seen:
    """What a page gave to its export and drew as cuts and cards the last time."""

    searches: Mapping[str, Searcher] = field(default_factory=dict)
    rankings: Sequence[Ranking] = ()
    names: Sequence[str] = ()
    cuts: Any = None
    context: Any = None
    cards: Any = None


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    last, own, cuts, cards = Seen(), Page.end, components.cuts, components.lists

    def end(page: Page, searches: Mapping[str, Searcher], rankings: Mapping[str, Ranking], *took: Any) -> None:
        last.searches, last.names, last.rankings = dict(searches), list(rankings), list(rankings.values())
        own(page, searches, rankings, *took)

    def drawn(data: Any, **how: Any) -> None:
        if how["key"] == "granularity.cuts":
            last.cuts = data
        else:
            last.context = data
        cuts(data, **how)

    def listed(data: Any, **how: Any) -> None:
        last.cards = data
        cards(data, **how)

    monkeypatch.setattr(Page, "end", end)
    monkeypatch.setattr(components, "cuts", drawn)
    monkeypatch.setattr(components, "lists", listed)
    return last


def opened(
    model: Any = None,
    page: str = "index/granularity",
    uploads: Mapping[str, Collection] = MappingProxyType({}),
    **params: str,
) -> AppTest:
    """The page in English, on the tiny corpus unless another is named."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[frame.VISITOR] = Visitor("")
    app.session_state[frame.VISITOR].store(frame.UPLOADS).update({"tiny": TINY, **uploads})
    if model is not None:
        app.session_state["_language_model"] = model
    for key, value in {"lang": "en", "corpus": "tiny", **params}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{page}/page.py")
    return answered(app.run())


def said(app: AppTest) -> str:
    found = (app.markdown, app.caption, app.subheader, app.info, app.error)
    return "\n".join(str(x.value) for own in found for x in own).replace("\\", "")


EVERY = ",".join(["whole", *granularity.kinds(), "beside-parentchild", "beside-summaries"])


def test_every_index_is_listed_drawn_measured_and_opens_as_a_pipeline(seen: Seen):
    link = {"granularity.indexes": EVERY, "granularity.parentchild.child": "40", "q": "ERR-140 lock time"}
    app = opened(**link)
    own = dict(zip(seen.names, seen.rankings, strict=True))
    assert len(own) == 1 + len(granularity.kinds()) + 2
    runner = Runner(TINY.corpus)
    for name, search in seen.searches.items():
        assert own[name] == runner(search, "ERR-140 lock time"), name
        assert own[name].ids[0] == "lock", name
        inner = [s for s in catalog.inside(search) if isinstance(s, Lift)]
        assert bool(inner) == (name != "Vector, whole passages only")
    # the document under each cut: the pieces restate it, and what counts is lit
    rows = {row["name"]: row["pieces"] for row in seen.cuts["rows"]}
    assert set(rows) == {
        "Parent and child", "Chunks with context", "Sentences", "Summaries", "Hypothetical questions", "Keywords added"
    }  # fmt: skip
    for name in ("Parent and child", "Chunks with context", "Sentences"):
        inside = [piece for piece in rows[name] if piece[1] != "border"]
        assert "".join(text for text, _, _ in inside) == TINY.corpus.documents[0].text
        (lit,) = (text for text, kind, _ in inside if "lit" in kind)
        assert "ERR-140" in lit
    cards = {column["title"]: column["hits"][0] for column in seen.cards["lists"]}
    assert cards["Parent and child"]["reason"].startswith("matched: chunk ")
    assert cards["Summaries"]["reason"].startswith("matched: ")
    assert "characters returned: " in cards["Sentences"]["reason"], "a sentence with its neighbours"
    assert cards["Vector, whole passages only"]["reason"] == ""
    assert any("ERR-140" in text for text, on in cards["Parent and child"]["text"] if on)
    # the table: sizes at once, the rest by a click
    before = app.dataframe[0].value
    assert list(before["entries"])[0] == 3
    assert "quality" not in before
    app.button("granularity.measure").click().run()
    after = app.dataframe[0].value
    assert (after["quality"] == 1).all()
    assert (after["build"] > 0).all()
    assert (after["memory"] > 0).all()
    assert app.dataframe[0].value.equals(after), "kept"
    same_as_pipelines(app, "granularity", seen, dict(list(seen.searches.items())[:4]))


def test_chunks_that_are_cut_first_are_what_comes_back_and_count_for_their_passages(seen: Seen):
    link = {"granularity.indexes": "whole,parentchild,beside-parentchild", "q": "ERR-140 lock time"}
    app = opened(**link, **{"granularity.first": "60", "granularity.parentchild.child": "30"})
    own = dict(zip(seen.names, seen.rankings, strict=True))
    first = own["Parent and child"].hits[0].document
    assert first.id != "lock"
    assert "ERR-140" in first.text
    assert len(first.text) <= 60 < len(TINY.corpus.documents[0].text)
    assert own["Whole + Parent and child"].ids[0] == "lock", "beside the whole they are passages"
    assert own["Vector, whole passages only"].ids[0] == "lock"
    columns = {column["title"]: column["hits"] for column in seen.cards["lists"]}
    assert columns["Parent and child"][0]["tags"], "a chunk of what is judged relevant is marked"
    assert seen.cuts["rows"], "the chunk is drawn with its children"
    app.button("granularity.measure").click().run()
    after = answered(app).dataframe[0].value
    assert (after["quality"] == 1).all(), "it is the passages that are judged"


def test_pieces_of_an_exact_length_are_drawn_as_they_are_cut(seen: Seen):
    link = {"granularity.parentchild.at": "exact", "granularity.parentchild.child": "20"}
    opened(q="ERR-140 lock time", **{"granularity.indexes": "parentchild", **link})
    (row,) = seen.cuts["rows"]
    sizes = [len(text) for text, kind, _ in row["pieces"] if kind not in ("border", "gap", "")]
    text = TINY.corpus.documents[0].text
    assert sizes[0] >= 19
    assert text[19:20] not in ".。" or text[18:19] not in ".。", "cut in mid-sentence"


def test_the_sum_is_told_for_what_it_is_and_a_link_restores_the_experiment(seen: Seen):
    knobs = {"lift.by": "sum", "of": "bm25", "indexes": "whole,parentchild", "parentchild.child": "30", "share": "0.2"}
    link = {f"granularity.{name}": value for name, value in knobs.items()}
    app = opened(**link, q="lock shut")
    assert "by its best chunk alone it would be at 2" in said(app)
    again = dict(app.query_params.items())
    assert {k: v[0] if isinstance(v, list) else v for k, v in again.items()}.items() >= link.items() - {
        ("granularity.share", "0.2")
    }
    first = seen.searches
    opened(**{k: v[0] if isinstance(v, list) else v for k, v in again.items()})
    assert seen.searches == first


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"granularity.indexes": ""}, "Choose an index"),
        ({"q": " "}, "The query is empty"),
        ({"q": "zebra", "granularity.of": "bm25"}, "The corpus contains none of these words"),
    ],
)
def test_where_there_is_nothing_to_show_it_says_why(params: dict[str, str], told: str, seen: Seen):
    app = opened(**params)
    assert not app.exception
    assert not app.error
    assert told in said(app) + str(seen.cards)


@dataclass(eq=False)
class Writer:
    """Answers so many prompts, then fails; counts what it was asked."""

    good: int = 99
    label: str = "writer"
    asked: list[str] = field(default_factory=list)
    answer: Callable[[str], str] = lambda text: "What does ERR-140 mean?"

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        text = prompt if isinstance(prompt, str) else prompt[-1].text
        if len(self.asked) >= self.good:
            raise ModelError(Said("The server is away."), Said("Start it."))
        self.asked.append(text)
        return Completion(self.answer(text), self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


def test_a_model_writes_after_a_click_and_after_a_failure_only_what_is_missing(seen: Seen):
    TINY.corpus.forget()
    model = Writer(good=2)
    link = {"granularity.indexes": "whole,questions", "q": "ERR-140 lock time"}
    app = opened(model, **link, **{"granularity.questions.template": "{n} about {text}"})
    assert model.asked == [], "a link asks nobody"
    assert "passages 3, requests 3" in said(app)
    size = sum(len(f"3 about {d.content}") for d in TINY.corpus)
    assert f"characters sent {size:,}" in said(app), "the estimate is of the prompt of the link"
    app.button("granularity.write.questions.start").click().run()
    assert not app.exception
    assert "The server is away." in said(app)
    assert len(model.asked) == 2
    assert "passages 3, requests 1" in said(app)
    assert all(part.model == "" for s in seen.searches.values() for part in catalog.inside(s) if hasattr(part, "n"))
    model.good = 99
    app.button("granularity.write.questions.start").click().run()
    assert len(model.asked) == 3
    assert model.asked[0] == f"3 about {TINY.corpus.documents[0].content}"
    assert "written by writer, kept with the corpus" in said(app)
    assert any(getattr(part, "model", "") == "chat" for s in seen.searches.values() for part in catalog.inside(s))
    assert "What does ERR-140 mean?" in str(seen.cuts)
    app.button("granularity.measure").click().run()
    assert "do not include the language model's writing" in said(app)
    assert len(model.asked) == 3
    app.query_params["granularity.indexes"] = "whole"
    TINY.corpus.forget()


def test_on_every_other_page_a_model_writes_about_a_corpus_after_a_click_only_too():
    TINY.corpus.forget()
    model, search = Writer(), Questions(model="chat")(BM25()) % 3
    app = opened(model, "whole/pipeline", q="ERR-140 lock time", **{"pipeline.a": formats.to_link(search)})
    app.text_input("q").set_value("what does ERR-140 mean")
    next(b for b in app.button if b.form_id == "pipeline-ask").click().run()
    assert not app.exception
    assert model.asked == [], "who types a question has not asked for three texts"
    assert "is not written yet. With the model: passages 3, requests 3" in said(app)
    next(b for b in app.button if b.label == "Write with writer").click().run()
    assert not app.exception
    assert len(model.asked) == 3
    assert "not written yet" not in said(app)
    TINY.corpus.forget()


def test_a_model_in_a_row_of_derivations_writes_about_what_stands_before_it():
    TINY.corpus.forget()
    model, cut = Writer(), ParentChild(parent=100, child=60)
    search = Pipeline((BM25(),), derive=(cut, Questions(model="chat"), Keywords(model="chat"))) % 3
    pieces = cut(TINY.corpus)
    assert len(pieces) > 3
    app = opened(model, "whole/pipeline", q="ERR-140 lock time", **{"pipeline.a": formats.to_link(search)})
    assert f"passages {len(pieces)}, requests {len(pieces)}" in said(app)
    next(b for b in app.button if b.label == "Write with writer").click().run()
    assert not app.exception
    assert len(model.asked) == len({d.content for d in pieces}), "what two pieces say alike is asked once"
    assert "“Keywords added” is not written yet. With the model: passages 3" not in said(app)
    assert "“Keywords added” is not written yet." in said(app), "what it writes about is there now"
    next(b for b in app.button if b.label == "Write with writer").click().run()
    assert not app.exception
    assert "not written yet" not in said(app)
    TINY.corpus.forget()


CONTEXT = {"granularity.indexes": "contextline", "granularity.parentchild.child": "40", "q": "ERR-140 lock time"}


def test_a_chunk_is_drawn_under_each_line_of_context_with_its_rank_among_the_chunks(seen: Seen):
    app = opened(**CONTEXT)
    rows = {row["name"]: row for row in seen.context["rows"]}
    assert [*rows] == ["No line", "Title and headings", "First sentence"]
    document, cut = TINY.corpus.documents[0], ParentChild(child=40, titles=False)
    lines = {"No line": None, "Title and headings": "Lock", "First sentence": "The lock has lost the time."}
    texts = set()
    for name, derivation in zip(rows, (cut, ContextLine(cut=cut), ContextLine("sentence", cut=cut)), strict=True):
        *line, (text, kind, _) = rows[name]["pieces"]
        assert [own[:2] for own in line] == ([[lines[name], "own context"]] if lines[name] else [])
        assert kind == "own"
        assert "ERR-140" in text
        texts.add(text)
        pieces = derivation(TINY.corpus)
        (wanted,) = [d.id for d in pieces if d.text == text]
        rank = Runner(pieces)(Vector(pieces="whole"), "ERR-140 lock time", 100).rank(wanted)
        assert rows[name]["note"] == f"rank {rank} among all chunks ({len(pieces)})"
    assert len(texts) == 1, "the same chunk in every row"
    assert document.text.count(texts.pop()) == 1
    n = sum(d.metadata["parent"] == "lock" for d in ContextLine(cut=cut).units(TINY.corpus))
    assert f"Late chunking with Built-in bilingual: chunks of this document compared {n}, changed none" in said(app)
    exact = said(opened(**{**CONTEXT, "granularity.parentchild.at": "exact", "granularity.parentchild.child": "25"}))
    assert "Only chunks that begin or end inside a word change" in exact
    words = said(opened(**CONTEXT, **{"granularity.of": "bm25"}))
    assert "Late chunking" not in words


def test_chunks_without_a_line_are_counted_and_what_is_not_split_needs_none(seen: Seen):
    untitled = tuple(replace(d, title="") for d in TINY.corpus)
    link = {**CONTEXT, "corpus": "untitled"}
    collection = Collection(Corpus("untitled", (*untitled, Document("note", "ERR-9.", "Note"))))
    app = opened(uploads={"untitled": collection}, **link)
    chunks = ParentChild(child=40)(collection.corpus)
    split = [d for d in chunks if d.id != chunks.origins[d.id]]
    assert f"Title and headings: chunks without a line {len(split)} of {len(split)}." in said(app)
    app = opened(uploads={"untitled": collection}, **{**link, "q": "ERR-9"})
    assert "“Note” is not split" in said(app)


def test_a_model_writes_lines_after_a_click_and_a_chunk_without_one_is_named(seen: Seen):
    TINY.corpus.forget()
    model = Writer()
    model.answer = lambda text: (
        "I'm sorry, but I can't help with that." if "ERR-104 shows." in text[-40:] else "A line."
    )
    app = opened(model, **CONTEXT)
    chunks = ContextLine(cut=ParentChild(child=40, titles=False)).units(TINY.corpus)
    assert model.asked == []
    assert f"requests {len(chunks)}" in said(app)
    assert len(seen.context["rows"]) == 3
    app.button("granularity.write.contextline.start").click().run()
    asked = len({d.content for d in chunks})
    assert len(model.asked) == asked, "what two chunks of a document say alike is asked once"
    assert [row["name"] for row in seen.context["rows"]][3:] == ["Language model"]
    assert seen.context["rows"][3]["pieces"][0][:2] == ["A line.", "own context"]
    (warning,) = app.warning
    assert f"without a text of the model 1 of {len(chunks)}: door" in warning.value
    assert "could not be read" in warning.value
    assert f"Language model: chunks without a line 1 of {len(chunks)}." in said(app)
    model.answer = lambda text: "A line at last."
    app.button("granularity.write.contextline.again").click().run()
    assert len(model.asked) == asked + 1, "only about the one without a line"
    assert not app.warning
    TINY.corpus.forget()


def test_an_error_of_the_model_stays_on_the_page_until_the_next_start(seen: Seen):
    TINY.corpus.forget()
    model = Writer(good=0)
    app = opened(model, **CONTEXT)
    app.button("granularity.write.contextline.start").click().run()
    assert "The server is away." in said(app)
    assert "The server is away." in said(app.run())
    model.good = 99
    app.button("granularity.write.contextline.start").click().run()
    assert "The server is away." not in said(app)
    TINY.corpus.forget()


@pytest.mark.parametrize("corpus", spread(samples.names(), 1))
def test_the_example_is_one_on_which_the_indexes_differ(corpus: str, seen: Seen):
    opened(corpus=corpus)
    assert len({tuple(r.ids[:5]) for r in seen.rankings}) > 1
