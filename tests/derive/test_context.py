"""A line of context before every chunk: by title, by the first sentence, by a model whose answers may be of no use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from night import spread

from lab import formats
from lab.algebra import Corpus, Document, Env, Runner
from lab.corpus import samples
from lab.derive.chunk import Chunk, Parts
from lab.derive.context import AROUND, BEGINNING, LONGEST, ContextLine, excerpt, first_sentence, shortened
from lab.derive.parts import ParentChild, Sentences
from lab.errors import ModelError
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.models.consult import TOGETHER
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text.borders import sentences
from lab.words import Said

CUT = ParentChild(child=40, parent=80, titles=False)
CORPUS = Corpus(
    "c",
    (
        Document("warranty", "The warranty is long. It takes ninety days. It is free for members of the club.", "Pump"),
        Document("short", "One line only.", "Short"),
        Document(
            "untitled",
            "年假每年十五天。到期前可以顺延三个月。在系统里申请，由主管批准。逾期作废，不折算成工资，也不能转让给同事。",
        ),
    ),
)


@dataclass(eq=False)
class Writer:
    """Answers every prompt by a function, and keeps the prompts."""

    answer: Callable[[str], str]
    label: str = "writer"
    prompts: list[str] = field(default_factory=list)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        assert isinstance(prompt, str)
        self.prompts.append(prompt)
        return Completion(self.answer(prompt), self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


def away(prompt: str) -> str:
    raise ModelError(Said("The server is away."), Said("Start it."))


def lines(context: ContextLine, corpus: Corpus = CORPUS, model: Writer | None = None) -> dict[str, list[str]]:
    derived = context(corpus, env=Env(models={"m": model} if model else {}))
    return {d.id: [x.title for x in derived if derived.origins[x.id] == d.id] for d in corpus}


CUTS: list[Parts] = [
    ParentChild(), ParentChild(child=40, parent=80, overlap=10), Sentences(), Chunk(size=120, overlap=0),
    Chunk(size=200, overlap=20, at="heading"),
]  # fmt: skip


@pytest.mark.parametrize("cut", spread(CUTS, 2), ids=lambda cut: repr(cut)[:40])
@pytest.mark.parametrize("name", spread(samples.names(), 1))
def test_with_the_title_the_chunks_and_their_lists_are_those_of_the_cut_with_titles(name: str, cut: Parts):
    corpus = samples.load(name).corpus
    bare = replace(cut, titles=False) if hasattr(cut, "titles") else cut
    with_titles = cut(corpus)
    derived = ContextLine(cut=bare)(corpus)
    assert derived.documents == with_titles.documents
    assert dict(derived.origins) == dict(with_titles.origins)
    for retriever in (BM25(), Vector(pieces="whole")):
        found = Runner(corpus)(ContextLine(cut=bare)(retriever), "how long is the battery life", 20)
        assert found.ids == Runner(corpus)(cut(retriever), "how long is the battery life", 20).ids


def test_a_chunk_keeps_its_text_and_its_place_under_every_line():
    texts = {line: ContextLine(line, cut=CUT)(CORPUS) for line in ("title", "sentence")}
    bare = CUT(CORPUS)
    for derived in texts.values():
        assert [d.text for d in derived] == [d.text for d in bare]
        assert [d.metadata for d in derived] == [d.metadata for d in bare]
    assert lines(ContextLine("sentence", cut=CUT))["warranty"] == ["The warranty is long."] * 3
    assert set(lines(ContextLine("sentence", cut=CUT))["untitled"]) == {"年假每年十五天。"}
    assert lines(ContextLine(cut=CUT))["short"] == ["Short"], "a document that is not split stays as it is"
    assert lines(ContextLine("sentence", cut=CUT))["short"] == ["Short"]


def test_chunks_without_a_title_have_an_empty_line_and_are_counted():
    context = ContextLine(cut=CUT)
    derived = context(CORPUS)
    of_untitled = [d for d in derived if derived.origins[d.id] == "untitled"]
    assert len(of_untitled) > 1
    assert context.empty_lines(derived) == len(of_untitled)
    assert ContextLine("sentence", cut=CUT).empty_lines(ContextLine("sentence", cut=CUT)(CORPUS)) == 0


def test_headings_stand_behind_the_title():
    text = "# Setup\n" + "Press the knob for five seconds. " * 3 + "\n# Care\n" + "Wipe it with a dry cloth. " * 3
    corpus = Corpus("h", (Document("d", text, "Manual"),))
    found = lines(ContextLine(cut=Chunk(size=60, overlap=0, at="heading")), corpus)["d"]
    assert set(found) == {"Manual › Setup", "Manual › Care"}


def test_a_model_writes_a_line_for_each_chunk_from_the_whole_document():
    model = Writer(lambda prompt: f"Line {len(prompt)}.")
    context = ContextLine(cut=CUT, model="m")
    found = lines(context, model=model)
    units = context.units(CORPUS)
    assert len(model.prompts) == len(units) == len(CUT(CORPUS)) - 1, "nobody is asked about what is not split"
    for unit, prompt in zip(
        units, sorted(model.prompts, key=[*map(context.prompt_about, units, [CORPUS] * 99)].index), strict=True
    ):
        origin = CORPUS.get(str(unit.metadata["parent"]))
        assert origin is not None
        assert origin.content in prompt
        assert unit.text in prompt.replace(origin.content, "", 1)
        assert ("文本块" in prompt) == (origin.id == "untitled")
    assert all(line.startswith("Line ") for line in found["warranty"])
    model.prompts.clear()
    lines(replace(context, line="sentence", fetch=5), model=model)
    assert model.prompts == [], "the rule's line and the depth change no prompt"
    lines(replace(context, template="{chunk} in {document}"), model=model)
    assert len(model.prompts) == len(units), "another prompt is asked anew"


def test_an_answer_of_no_use_leaves_its_chunk_bare_and_is_named_and_can_be_asked_again():
    corpus = Corpus("other", CORPUS.documents)
    model = Writer(
        lambda prompt: "I'm sorry, but I can't help with that." if prompt.endswith("ninety days.") else "Fine line."
    )
    context = ContextLine(cut=CUT, model="m")
    found = lines(context, corpus, model)
    (failure,) = context.failures(corpus, model)
    assert failure.document.text == "It takes ninety days."
    assert "could not be read" in failure.problem.message
    assert sorted(found["warranty"]) == ["", "Fine line.", "Fine line."]
    assert context.missing(corpus, model) == [], "it has been asked"
    model.answer = lambda prompt: "The pump's warranty."
    assert sorted(lines(context, corpus, model)["warranty"]) == ["", "Fine line.", "Fine line."]
    context.discard_failures(corpus, model)
    assert context.missing(corpus, model) == [failure.document]
    assert sorted(lines(context, corpus, model)["warranty"]) == ["Fine line.", "Fine line.", "The pump's warranty."]
    assert context.failures(corpus, model) == []


def test_a_model_of_which_nothing_arrives_ends_the_run_and_what_is_written_stays():
    corpus = Corpus("many", tuple(Document(f"d{i}", f"First text {i}. Second text {i}.", "T") for i in range(TOGETHER)))
    context = ContextLine(cut=ParentChild(child=20, parent=40, titles=False), model="m")
    assert len(context.units(corpus)) == 2 * TOGETHER
    model = Writer(lambda prompt: "A line." if len(model.prompts) <= TOGETHER else away(prompt))
    with pytest.raises(ModelError, match="The server is away"):
        lines(context, corpus, model)
    assert len(context.missing(corpus, model)) == TOGETHER
    assert context.failures(corpus, model) == []
    model.answer = lambda prompt: "A line."
    assert all(line == "A line." for own in lines(context, corpus, model).values() for line in own)


def test_a_request_that_fails_among_others_that_succeed_leaves_one_chunk_bare():
    corpus = Corpus("one", CORPUS.documents)
    model = Writer(lambda prompt: away(prompt) if prompt.endswith("ninety days.") else "A line.")
    found = lines(ContextLine(cut=CUT, model="m"), corpus, model)
    assert found["warranty"].count("") == 1
    (failure,) = ContextLine(cut=CUT, model="m").failures(corpus, model)
    assert "The server is away" in failure.problem.message


def test_the_estimate_is_of_the_prompts_that_are_sent():
    model = Writer(lambda prompt: "A line.")
    corpus = Corpus("estimated", CORPUS.documents)
    context = ContextLine(cut=CUT, model="m")
    estimate = context.estimate(corpus, model)
    lines(context, corpus, model)
    assert (estimate.requests, estimate.characters) == (len(model.prompts), sum(map(len, model.prompts)))


@pytest.mark.parametrize(
    "sentence", ["This is one of many sentences. ", "这是许多句子里的一句。", "no end of it, and on, ", "x" * 50]
)
def test_a_long_answer_ends_with_a_whole_sentence(sentence: str):
    text = shortened(sentence * 200)
    assert LONGEST // 2 < len(text) <= LONGEST
    assert (sentence * 200).startswith(text)
    if sentence.strip()[-1] in ".。":
        assert text.endswith(sentence.strip())
    assert shortened("short. ") == "short."
    assert shortened("") == ""


def test_the_first_sentence_of_nothing_is_nothing():
    assert first_sentence(" \n ") == first_sentence("") == ""
    assert first_sentence("One. Two.") == "One."
    text = samples.load("handbook").corpus.documents[0].text
    a, b = sentences(text)[0]
    assert first_sentence(text) == text[a:b]


@pytest.mark.parametrize("start", [0, 3_000, 9_000, 50_000, 99_900])
def test_of_a_very_long_document_a_model_reads_the_beginning_and_what_is_around_the_chunk(start: int):
    text = "".join(f"{i:07d} " for i in range(12_500))
    assert len(text) == 100_000
    read = excerpt(text, start, 100)
    assert read.startswith(text[:BEGINNING])
    assert text[start : start + 100] in read
    assert len(read) <= BEGINNING + AROUND + 20
    assert excerpt(text[:500], start, 100) == text[:500]


def test_a_search_with_context_is_written_and_read():
    for context in (
        ContextLine(),
        ContextLine("sentence", cut=Sentences(titles=False)),
        ContextLine(model="chat", cut=Chunk()),
    ):
        search = context(BM25())
        assert formats.parse(formats.expression(search)) == search
        assert formats.from_toml(formats.to_toml(search)) == search
        assert formats.from_link(formats.to_link(search)) == search
