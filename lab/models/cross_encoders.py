"""Cross-encoders: models that read a question and a passage together and return one number.

They are found by name or by folder (see `lab.models.hub`), and loaded when they are first needed.  One comes with the
lab, `TEXTBOOK`: it is trained on short sentences alone, to show the technique without a download.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from lab.algebra import Progress
from lab.errors import MissingExtra, ModelError
from lab.kept import Shared
from lab.models.hub import Wanted, folder_of, unloadable
from lab.models.pair_reader import PairReader
from lab.text import well_formed
from lab.words import Said

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

TEXTBOOK = "textbook"
"""The name of the model that comes with the lab."""
OFFERED = ("BAAI/bge-reranker-base", "cross-encoder/ms-marco-MiniLM-L6-v2")
"""Names to offer: the first reads Chinese and English (1.1 GB), the second English only (91 MB)."""

ACTIVATIONS = {"logit": Said("logit"), "sigmoid": Said("sigmoid")}

WANTED = Wanted(OFFERED, Said("Reranking by coverage needs no model."))
_SAVED = Said(
    "A cross-encoder is a folder with config.json, its weights and its tokenizer, "
    "as CrossEncoder.save_pretrained writes it."
)
_LOADED = Shared(3, quick=math.inf)
"""The textbook's model and two others."""


class Scorer(Protocol):
    """A cross-encoder that is ready to score."""

    def scores(
        self,
        query: str,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        activation: str = "logit",
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        """Returns the model's number for every (query, text), in the order of the texts, shape [n].

        A ``logit`` is not a probability and has no common zero: only the order counts, which a ``sigmoid`` keeps.
        """


@dataclass(frozen=True, eq=False)
class PairScorer:
    """A loaded cross-encoder.  ``name`` is the requested model, ``folder`` has its files."""

    name: str
    folder: str
    model: CrossEncoder

    def scores(
        self,
        query: str,
        texts: Sequence[str],
        *,
        batch_size: int = 32,
        activation: str = "logit",
        progress: Progress | None = None,
    ) -> NDArray[np.float64]:
        from scipy.special import expit
        from torch.nn import Identity

        if not texts:
            return np.zeros(0)
        pairs = [(well_formed(query), well_formed(text)) for text in texts]
        outputs: list[float] = []
        for i in range(0, len(pairs), batch_size):
            outputs += np.asarray(
                self.model.predict(
                    pairs[i : i + batch_size], batch_size=batch_size, activation_fn=Identity(), show_progress_bar=False
                ),
                dtype=np.float64,
            ).tolist()
            if progress:
                progress(len(outputs), len(pairs))
        logits = np.asarray(outputs, dtype=np.float64)
        return np.asarray(expit(logits)) if activation == "sigmoid" else logits


def load_textbook() -> PairReader:
    file = Path(__file__).with_name("built_in") / "textbook_cross_encoder.npz"
    return cast(PairReader, _LOADED.once(TEXTBOOK, lambda _: PairReader(file), None))


def load(name: str, *, progress: Progress | None = None) -> Scorer:
    """Loads the cross-encoder with this name, or in this folder; the last two stay loaded, for ten minutes.

    A model that is not on this machine is downloaded from Hugging Face (or the mirror in ``HF_ENDPOINT``);
    ``progress`` is called with (bytes done, bytes in all) and may raise to stop.  Raises `MissingExtra` and
    `ModelError`.
    """
    if name == TEXTBOOK:
        return load_textbook()
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("neural", "sentence-transformers")
    folder = str(folder_of(name, WANTED, progress=progress))
    return cast(PairScorer, _LOADED.once((name, folder), lambda _: _open(name, folder), None))


def _open(name: str, folder: str) -> PairScorer:
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(folder, local_files_only=True)
    except Exception as error:  # whatever a broken folder makes transformers raise: there is no common class
        raise unloadable(name, error, _SAVED) from error
    if model.num_labels != 1:
        many = Said("The model {name} gives {n} numbers per pair; a reranker gives one.", name=name, n=model.num_labels)
        remedy = Said("Choose a model made for reranking, for instance {names}.", names=[*OFFERED])
        raise ModelError(many, remedy)
    return PairScorer(name, folder, model)
