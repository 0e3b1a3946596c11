"""Models by name: finds one on this machine, downloads it, or explains why that is impossible.

Without a network, the libraries that load models would retry for most of a minute; here the hub is asked once, the
files are downloaded with progress, and every obstacle becomes a `ModelError` with a remedy. ``HF_ENDPOINT`` names a
mirror, ``HF_HUB_OFFLINE`` forbids the network, as everywhere in this family.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.algebra import Progress
from lab.errors import ModelError
from lab.models.endpoint import public
from lab.words import N_, Said

WEIGHTS = ("model.safetensors", "pytorch_model.bin")
LARGEST = 8000
"""Maximum megabytes of a model to download."""
_HUB = "https://huggingface.co"
_NAME = re.compile(r"(?!\.\.?/)[\w.-]+/(?!\.\.?$)[\w.-]+", re.ASCII)
_OFFLINE = N_(
    "Connect to the network; or set HF_ENDPOINT to a mirror that you can reach; or give the folder of a model that was "
    "downloaded elsewhere. {instead}"
)


@dataclass(frozen=True)
class Wanted:
    """The models of a technique: known names to offer, and a sentence on what works without any model."""

    offered: tuple[str, ...]
    instead: str = ""


def folder_of(name: str, choice: Wanted, *, progress: Progress | None = None) -> Path:
    """Returns the folder of a model: the named folder, an earlier download, or a new one.

    ``progress`` is called with (bytes done, bytes in all) and may raise to stop.  Raises `ModelError`.
    """
    if public() and name not in choice.offered:  # strangers must not learn which folders exist
        closed = Said("This lab is open to the public (LAB_PUBLIC): only the listed models can be loaded.")
        raise ModelError(closed, Said("Choose one of: {names}.", names=[*choice.offered]))
    if _is_path(name):
        if name.strip() and (path := Path(name).expanduser()).is_dir():
            return path
        raise ModelError(
            Said("There is no folder “{name}”.", name=name),
            Said(
                "Give the folder of a saved model (./folder for one in the working directory), or a name such as "
                "{names}.",
                names=choice.offered[0],
            ),
        )
    return downloaded(name) or _download(name, choice, progress)


def _is_path(name: str) -> bool:
    """Whether this is meant as a folder.  owner/name is not, even if the working directory has such a folder."""
    outside = Path(name).is_absolute() or name.startswith(("~", ".")) or "\\" in name or not name.strip()
    return outside or name.count("/") > 1 or not {".", ".."}.isdisjoint(name.split("/"))


def is_name(name: str) -> bool:
    """Whether this is owner/name, the form of names on the hub."""
    return _NAME.fullmatch(name) is not None


def downloads(name: str, choice: Wanted) -> bool:
    """Whether `folder_of` would download this model, which a page only does after a click."""
    return not ((public() and name not in choice.offered) or _is_path(name) or downloaded(name))


def downloaded(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        return None
    whole = (folder / "config.json").exists() and any((folder / weights).exists() for weights in WEIGHTS)
    return folder if whole else None


def _download(name: str, choice: Wanted, progress: Progress | None) -> Path:
    """Asks the hub once for the model (the libraries would retry for most of a minute), then downloads it."""
    from huggingface_hub import HfApi, constants, hf_hub_download
    from huggingface_hub import errors as hub

    mirror = os.environ.get("HF_ENDPOINT", _HUB).rstrip("/")
    values: dict[str, object] = {"name": name, "where": mirror, "names": [*choice.offered], "instead": choice.instead}

    def refusal(message: str, remedy: str) -> ModelError:
        return ModelError(Said(message, **values), Said(remedy, **values))

    def offline(reason: str) -> ModelError:
        values["reason"] = reason
        return refusal(N_("{name} is not on this machine and cannot be downloaded from {where} ({reason})."), _OFFLINE)

    if constants.HF_HUB_OFFLINE:
        raise offline(Said("HF_HUB_OFFLINE is set"))
    try:
        info = HfApi(endpoint=mirror).model_info(name, timeout=10, files_metadata=True)
        sizes = _needed({s.rfilename: s.size or 0 for s in info.siblings or ()})
        if "config.json" not in sizes or not any(weights in sizes for weights in WEIGHTS):
            remedy = N_("Choose a model of the right kind, for instance {names}.")
            raise refusal(N_("{name} holds no model that can be loaded here."), remedy)
        if (size := sum(sizes.values()) // 10**6) > LARGEST:
            values |= {"size": size, "most": LARGEST}
            remedy = N_("Choose a smaller model, for instance {names}; or download it elsewhere and give its folder.")
            raise refusal(N_("{name} has {size} MB; at most {most} MB are downloaded."), remedy)
        counted = _counting(progress, sum(sizes.values()))
        # the weights last: without them it counts as incomplete
        for file in sorted(sizes, key=lambda f: (f in WEIGHTS, f)):
            path = hf_hub_download(name, file, endpoint=mirror, tqdm_class=counted)
        return Path(path).parent
    except hub.GatedRepoError as error:
        remedy = N_("Request access on its page, then set HF_TOKEN; or choose another model, for instance {names}.")
        raise refusal(N_("{name} is available only on request."), remedy) from error
    except (hub.RepositoryNotFoundError, hub.HFValidationError) as error:
        remedy = N_("Check the name (owner/model), or give the folder of a saved model. Known to work: {names}.")
        raise refusal(N_("There is no model “{name}” at {where}."), remedy) from error
    except (hub.HfHubHTTPError, hub.OfflineModeIsEnabled, OSError) as error:
        raise offline(first_line(error)) from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # the answer is not that of a model hub
        remedy = N_("Check HF_ENDPOINT; a login page, for instance, is not a model hub.")
        raise refusal(N_("{where} is not a model hub."), remedy) from error
    except Exception as error:
        if not type(error).__module__.startswith(("httpx", "httpcore", "requests", "urllib3")):
            raise
        raise offline(first_line(error)) from error


def _needed(sizes: dict[str, int]) -> dict[str, int]:
    """Returns the files that PyTorch loads, with their sizes: none for other runtimes, one format of the weights."""
    endings = (".json", ".txt", ".model", *WEIGHTS)
    loaded = {f: n for f, n in sizes.items() if f.endswith(endings) and not f.startswith(("onnx/", "openvino/"))}
    better, other = WEIGHTS
    twice = {f for f in loaded if f.endswith(other) and f.removesuffix(other) + better in loaded}
    return {f: n for f, n in loaded.items() if f not in twice}


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def unloadable(name: str, error: BaseException, remedy: Said) -> ModelError:
    """Returns the error for a folder whose model cannot be loaded."""
    reason = first_line(error)
    return ModelError(Said("The model {name} cannot be loaded ({reason}).", name=name, reason=reason), remedy)


def _counting(progress: Progress | None, total: int) -> Any:
    """Returns a tqdm class that draws nothing and reports the bytes of all files; None without ``progress``."""
    if progress is None:
        return None
    from tqdm import tqdm  # type: ignore[import-untyped]

    done_bytes, report = 0, progress

    class Bar(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs.pop("name", None)
            super().__init__(*args, **{**kwargs, "disable": True})

        def update(self, n: float | None = 1) -> None:
            nonlocal done_bytes
            done_bytes += int(n or 0)
            report(min(done_bytes, total), total)

    return Bar
