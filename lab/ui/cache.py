"""The only caches of the app.  Keys are the corpus' fingerprint and the frozen operator.

Visitors with the same corpus share an index; an uploaded corpus itself stays in its visitor's session.
"""

from __future__ import annotations

import streamlit as st

from lab.core import Corpus, Index, Retriever
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.errors import ModelError
from lab.lessons import Lesson
from lab.lessons import read as read_lessons
from lab.models.embedders import Embedder, encoder_of, vectors_of
from lab.models.lsa import LSA
from lab.models.static import BuiltIn, StaticEncoder
from lab.models.vocabulary import Unknown, Vocabulary
from lab.models.vocabulary import unknown as unknown_of
from lab.retrieve.chroma import ChromaIndex, ChromaVector
from lab.retrieve.vector import Vector, VectorIndex
from lab.text import Analyzer
from lab.ui import address
from lab.ui.i18n import _, say


@st.cache_resource(max_entries=16, show_spinner=False)
def sample(name: str) -> Collection:
    """A sample corpus with its queries and judgments."""
    return samples.load(name)


@st.cache_resource(max_entries=96, show_spinner=False)
def _index(key: tuple[str, int], _retriever: Retriever, _corpus: Corpus) -> Index:
    return _retriever.index(_corpus)


def index(retriever: Retriever, corpus: Corpus) -> Index:
    """The index of this retriever over this corpus, made once for everybody.

    Embedding a corpus with a large model takes a while: a bar shows how far it is, and a button stops it.
    """
    if isinstance(retriever, Vector):
        _embed(retriever.embedder, corpus)
    return _index((corpus.fingerprint, hash(retriever)), retriever, corpus)


@st.cache_resource(show_spinner=False)
def lessons() -> tuple[Lesson, ...]:
    """Every lesson of every sample corpus."""
    return tuple(lesson for name in samples.names() for lesson in read_lessons(samples.folder(name)))


def _embed(embedder: Embedder, corpus: Corpus) -> None:
    """Make the vectors of the corpus before the index is made, where that is slow work."""
    if embedder.name in ready_embedders() or corpus.holds(("vectors", embedder)):
        return
    place = st.empty()
    with place.container(border=True):
        bar = st.progress(0.0, text=_("Embedding {n} passages with {model} …", n=len(corpus), model=embedder.label))
        st.button(
            _("Stop, and use the built-in model"),
            key=f"stop.{embedder.name}",
            on_click=lambda: address.put("embedder", "built-in"),
            icon=":material/stop:",
        )

        def progress(done: int, total: int) -> None:
            bar.progress(
                done / total,
                text=_(
                    "Embedding with {model}: {done} of {total} passages", model=embedder.label, done=done, total=total
                ),
            )

        vectors_of(embedder, corpus, progress=progress)
    place.empty()


def ready_embedders() -> dict[str, Embedder]:
    """The embedders that need no settings, by their short names; the built-in one first."""
    return {e.name: e for e in (BuiltIn(), LSA())}


@st.cache_resource(max_entries=16, show_spinner=False)
def _tokens(key: tuple[str, int], _corpus: Corpus, _analyzer: Analyzer) -> list[list[str]]:
    return [_analyzer.tokens(d.content) for d in _corpus]


def tokens(corpus: Corpus, analyzer: Analyzer) -> list[list[str]]:
    """The tokens of every document."""
    return _tokens((corpus.fingerprint, hash(analyzer)), corpus, analyzer)


@st.cache_resource(max_entries=24, show_spinner=False)
def _chroma(key: tuple[str, int], _retriever: ChromaVector, _corpus: Corpus) -> ChromaIndex:
    return _retriever.index(_corpus)


def chroma(retriever: ChromaVector, corpus: Corpus) -> ChromaIndex | VectorIndex:
    """A Chroma collection filled with this corpus, or, where the server fails, the exact store with a warning."""
    key = (corpus.fingerprint, hash(retriever))
    if not retriever.url:
        _embed(retriever.embedder, corpus)
        return _chroma(key, retriever, corpus)
    made = st.session_state.setdefault("_chroma_servers", {})
    if key not in made:
        place = st.empty()
        bar = place.progress(0.0, text=_("Filling the collection on {url} …", url=retriever.url))

        def filled(done: int, total: int) -> None:
            bar.progress(
                done / max(total, 1),
                text=_("Filling the collection: {done} of {total} passages", done=done, total=total),
            )

        try:
            made[key] = retriever.index(corpus, progress=filled)
        except ModelError as error:
            place.empty()
            st.warning(
                f"{say(error.message)} {say(error.remedy)} " + _("Until then the exact store does the work."),
                icon=":material/cloud_off:",
            )
            return retriever.exact(corpus)
        place.empty()
    return made[key]  # type: ignore[no-any-return]


@st.cache_resource(max_entries=4, show_spinner=False)
def _vocabulary(key: int, _encoder: StaticEncoder) -> Vocabulary:
    return Vocabulary.of(_encoder)


def vocabulary(embedder: Embedder, corpus: Corpus) -> Vocabulary:
    """The vocabulary of a static embedder."""
    encoder = encoder_of(embedder, corpus)
    assert isinstance(encoder, StaticEncoder)
    return _vocabulary(hash(embedder), encoder)


@st.cache_resource(max_entries=16, show_spinner=False)
def _unknown(key: tuple[int, str], _encoder: StaticEncoder, _corpus: Corpus) -> Unknown:
    return unknown_of(_encoder, _corpus)


def unknown(embedder: Embedder, corpus: Corpus) -> Unknown:
    """What a static embedder does not know of a corpus."""
    encoder = encoder_of(embedder, corpus)
    assert isinstance(encoder, StaticEncoder)
    return _unknown((hash(embedder), corpus.fingerprint), encoder, corpus)


def pieces(encoder: StaticEncoder, text: str) -> list[list[object]]:
    """How a static model cuts a text: [token, start, end, kind], unknown parts as ``out``."""
    encoding = encoder.model.tokenizer.encode(text, add_special_tokens=False)
    out: list[list[object]] = []
    for token, (start, end), i in zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True):
        out.append([token.removeprefix("▁"), start, end, "out" if i == encoder.model.unk_token_id else "hit"])
    return out
