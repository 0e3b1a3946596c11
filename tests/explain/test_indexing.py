"""What the indexes of a search cost: counted, measured anew, and never by asking a language model again."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from lab.algebra import Corpus, Document
from lab.derive.parts import ParentChild, Sentences
from lab.derive.written import Summaries
from lab.errors import ModelError
from lab.explain.indexing import cost, leaves, size
from lab.fuse import RRF
from lab.models.chat import Completion, Prompt, Shape, Stream
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.vector import Vector

TEXT = "One two three four. Five six seven eight. Nine ten eleven twelve."
CORPUS = Corpus("c", (Document("a", TEXT, "Numbers"), Document("b", "Short.")))


@dataclass(eq=False)
class Counting:
    """Answers everything alike, and counts how often."""

    label: str = "counting"
    asked: list[str] = field(default_factory=list)

    def ask(self, prompt: Prompt, *, system: str = "", shape: Shape | None = None) -> Completion:
        assert isinstance(prompt, str)
        self.asked.append(prompt)
        return Completion("numbers", self.label, seconds=0.0)

    def stream(self, prompt: Prompt, *, system: str = "") -> Stream:
        raise NotImplementedError


def test_the_size_of_an_index_is_what_is_searched() -> None:
    assert size(BM25(), CORPUS).entries == 2
    assert size(BM25(), CORPUS).characters == len("Numbers\n") + len(TEXT) + len("Short.")
    derived = Sentences()(CORPUS)
    assert size(Sentences()(BM25()), CORPUS).entries == len(derived) == 3 + 1
    both = size(RRF()(BM25(), Sentences()(BM25())), CORPUS)
    assert both.entries == 2 + 4
    assert size(RRF()(BM25(), TFIDF()), CORPUS).entries == 2 + 2, "two indexes of the same passages"


def test_what_several_lists_share_is_counted_once() -> None:
    shared = RRF()(Sentences()(BM25(b=0.1)), Sentences()(BM25(b=0.1)))
    assert size(shared, CORPUS) == size(Sentences()(BM25(b=0.1)), CORPUS)
    assert len([*leaves(shared, CORPUS, lambda d, c: d(c))]) == 1


def test_the_indexes_are_made_anew_and_measured() -> None:
    before = CORPUS.bytes
    whole, children = cost(Vector(), CORPUS), cost(ParentChild(child=20, parent=40)(Vector()), CORPUS)
    assert CORPUS.bytes == before, "nothing of it is kept with the corpus"
    assert whole.seconds > 0
    assert children.bytes > whole.bytes > 0, "more entries, more vectors, and their texts"
    assert not whole.written


def test_progress_may_stop_it() -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        cost(Summaries()(BM25()), CORPUS, progress=stop)


def test_a_model_that_has_written_is_not_asked_again() -> None:
    model, search = Counting(), Summaries(model="m")(BM25())
    with pytest.raises(ModelError):
        size(search, CORPUS)
    assert size(search, CORPUS, {"m": model}).entries == 2
    asked = len(model.asked)
    told = cost(search, CORPUS, {"m": model})
    assert told.written
    assert told.bytes > 0
    assert len(model.asked) == asked == 2
