"""Cross-encoders: models that read a question and a passage together and give one number.

They are found by name (a Hugging Face repository, or a mirror of it) or by folder, and loaded when they are
first needed.  Whatever keeps one from loading becomes a `ModelError` that says what to do; the lab's own
`lab.refine.coverage.Coverage` needs none of this.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lab.errors import MissingExtra, ModelError
from lab.models.embedders import Progress, well_formed
from lab.words import Said

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

OFFERED = ("BAAI/bge-reranker-base", "cross-encoder/ms-marco-MiniLM-L6-v2")
"""Names to offer: the first reads Chinese and English (1.1 GB), the second English only (91 MB)."""

ACTIVATIONS = ("logit", "sigmoid")

_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_HUB = "https://huggingface.co"


@dataclass(frozen=True, eq=False)
class PairScorer:
    """A loaded cross-encoder.  ``name`` is what was asked for, ``folder`` where its files are."""

    name: str
    folder: str
    model: CrossEncoder

    def logits(self, query: str, texts: Sequence[str], *, batch_size: int = 32) -> NDArray[np.float64]:
        """The model's raw number for every (query, text), in the order of the texts, shape [n].

        Not a probability and without a common zero: only the order counts.  See `sigmoid`.
        """
        from torch.nn import Identity

        if not texts:
            return np.zeros(0)
        pairs = [(well_formed(query), well_formed(text)) for text in texts]
        scores = self.model.predict(pairs, batch_size=batch_size, activation_fn=Identity(), show_progress_bar=False)
        return np.asarray(scores, dtype=np.float64)

    def scores(self, query: str, texts: Sequence[str], *, batch_size: int = 32, activation: str = "logit") -> NDArray[np.float64]:
        """`logits`, or their `sigmoid` where ``activation`` is one."""
        logits = self.logits(query, texts, batch_size=batch_size)
        return sigmoid(logits) if activation == "sigmoid" else logits


def sigmoid(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """``1 / (1 + exp(-x))``: the same order, between 0 and 1."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logits)))


def load(name: str, *, progress: Progress | None = None) -> PairScorer:
    """The cross-encoder with this name, or in this folder; the last two stay loaded.

    What is not on this machine is downloaded from Hugging Face (or the mirror in ``HF_ENDPOINT``);
    ``progress`` is called with (bytes done, bytes in all) and may raise to stop.  Raises `MissingExtra` and
    `ModelError`.
    """
    _packages()
    folder = str(_folder(name, progress))
    with _LOADING:  # two visitors who want the same model wait for one loading
        return _open(name, folder)


_LOADING = threading.Lock()


def here(name: str) -> bool:
    """Whether this model is on this machine: a folder, or downloaded before."""
    if find_spec("sentence_transformers") is None:
        return False
    return bool(name.strip()) and (Path(name).expanduser().is_dir() or _downloaded(name) is not None)


def _packages() -> None:
    if find_spec("sentence_transformers") is None:
        raise MissingExtra("neural", "sentence-transformers")


@lru_cache(maxsize=2)
def _open(name: str, folder: str) -> PairScorer:
    from sentence_transformers import CrossEncoder

    try:
        model = CrossEncoder(folder, local_files_only=True)
    except Exception as error:  # whatever a broken folder makes transformers raise: there is no common class
        raise ModelError(
            Said("The model {name} cannot be loaded ({reason}).", name=name, reason=_first_line(error)),
            Said("A cross-encoder is a folder with config.json, its weights and its tokenizer, as CrossEncoder.save_pretrained writes it."),
        ) from error
    if model.num_labels != 1:
        raise ModelError(
            Said("The model {name} gives {n} numbers per pair; a reranker gives one.", name=name, n=model.num_labels),
            Said("Choose a model made for reranking, for instance {names}.", names=", ".join(OFFERED)),
        )
    return PairScorer(name, folder, model)


def _folder(name: str, progress: Progress | None) -> Path:
    """The folder of a model: itself, where it was downloaded to before, or where it is downloaded to now."""
    path = Path(name).expanduser()
    if name.strip() and path.is_dir():
        return path
    if not name.strip() or path.is_absolute() or name.startswith(("~", ".")) or name.count("/") > 1 or "\\" in name:
        raise ModelError(Said("There is no folder “{name}”.", name=name), Said("Give the folder of a saved model, or a name such as {names}.", names=OFFERED[0]))
    return _downloaded(name) or _download(name, progress)


def _downloaded(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None
    whole = (folder / "config.json").exists() and any((folder / weights).exists() for weights in _WEIGHTS)
    return folder if whole else None


def _download(name: str, progress: Progress | None) -> Path:
    """Ask once whether the model is there (the libraries below would try for most of a minute), then fetch it."""
    from huggingface_hub import HfApi, constants, hf_hub_download
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, RepositoryNotFoundError

    mirror = os.environ.get("HF_ENDPOINT", _HUB).rstrip("/")
    if constants.HF_HUB_OFFLINE:
        raise _offline(name, mirror, Said("HF_HUB_OFFLINE is set"))
    try:
        info = HfApi(endpoint=mirror).model_info(name, timeout=10, files_metadata=True)
        sizes = _needed({s.rfilename: s.size or 0 for s in info.siblings or ()})
        if "config.json" not in sizes or not any(weights in sizes for weights in _WEIGHTS):
            raise ModelError(
                Said("{name} holds no cross-encoder that PyTorch can load.", name=name),
                Said("Choose a model made for reranking, for instance {names}.", names=", ".join(OFFERED)),
            )
        counted = _counting(progress, sum(sizes.values()))
        for file in sorted(sizes, key=lambda f: (f in _WEIGHTS, f)):  # the weights last: without them it is not whole
            path = hf_hub_download(name, file, endpoint=mirror, tqdm_class=counted)
        return Path(path).parent
    except GatedRepoError as error:
        raise ModelError(
            Said("{name} is given only to those who asked for it.", name=name),
            Said("Ask on its page, then set HF_TOKEN; or choose another model, for instance {names}.", names=", ".join(OFFERED)),
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise ModelError(
            Said("There is no model “{name}” at {where}.", name=name, where=mirror),
            Said("Check the name (owner/model), or give the folder of a saved model. Known to work: {names}.", names=", ".join(OFFERED)),
        ) from error
    except HfHubHTTPError as error:
        raise _offline(name, mirror, _first_line(error)) from error
    except (OSError, OfflineModeIsEnabled) as error:
        raise _offline(name, mirror, _first_line(error)) from error
    except Exception as error:
        if _is_network(error):
            raise _offline(name, mirror, _first_line(error)) from error
        raise


def _needed(sizes: dict[str, int]) -> dict[str, int]:
    """The files that PyTorch loads, with their sizes: not those for other runtimes, and one format of the weights."""
    kept = {f: n for f, n in sizes.items() if f.endswith((".json", ".txt", ".model", *_WEIGHTS)) and f.split("/")[0] not in ("onnx", "openvino")}
    return {f: n for f, n in kept.items() if not (f.endswith(_WEIGHTS[1]) and f.removesuffix(_WEIGHTS[1]) + _WEIGHTS[0] in kept)}


def _is_network(error: BaseException) -> bool:
    return type(error).__module__.split(".")[0].startswith(("httpx", "httpcore", "requests", "urllib3"))


def _offline(name: str, mirror: str, reason: str) -> ModelError:
    return ModelError(
        Said("{name} is not on this machine and cannot be downloaded from {where} ({reason}).", name=name, where=mirror, reason=reason),
        Said(
            "Connect to the network; or set HF_ENDPOINT to a mirror that you can reach; or give the folder of a model that was "
            "downloaded elsewhere. Coverage reranks without any model."
        ),
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def _counting(progress: Progress | None, total: int) -> Any:
    """A tqdm class that draws nothing and reports the bytes of all files together; None without ``progress``."""
    if progress is None:
        return None
    from tqdm import tqdm  # type: ignore[import-untyped]

    done, report = 0, progress

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            super().__init__(*args, **{**kwargs, "disable": True})

        def update(self, n: float | None = 1) -> None:
            nonlocal done
            done += int(n or 0)
            report(min(done, total), total)

    return Bar
