"""Loading cross-encoders: by folder, by name from a mirror, and every way in which it can fail."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tiny_cross_encoder
from loopback import Answering, Loopback
from night import for_each

from lab.errors import MissingExtra, ModelError
from lab.models import cross_encoders
from lab.models.cross_encoders import OFFERED, WANTED, load
from lab.models.hub import downloads

QUERY, TEXTS = "电池 battery", ["耳机充电", "annual leave 年假", "battery", "", "bluetooth 断开 " * 40, "\ud83d half"]


@pytest.fixture(scope="module")
def tiny() -> str:
    return tiny_cross_encoder.folder()


def test_a_saved_model_gives_what_sentence_transformers_gives(tiny: str) -> None:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity, Sigmoid

    theirs = CrossEncoder(tiny, local_files_only=True)
    pairs = [(QUERY, text.replace("\ud83d", "?")) for text in TEXTS]
    scorer = load(tiny)
    assert scorer.folder == tiny
    np.testing.assert_allclose(scorer.scores(QUERY, TEXTS), theirs.predict(pairs, activation_fn=Identity()), rtol=1e-5)
    np.testing.assert_allclose(
        scorer.scores(QUERY, TEXTS, activation="sigmoid"), theirs.predict(pairs, activation_fn=Sigmoid()), rtol=1e-5
    )


def test_batches_do_not_change_the_scores(tiny: str) -> None:
    whole, single = load(tiny).scores(QUERY, TEXTS), load(tiny).scores(QUERY, TEXTS, batch_size=1)
    assert len(set(whole.tolist())) == len(TEXTS)
    np.testing.assert_allclose(single, whole, atol=1e-5)


def test_no_texts_no_scores(tiny: str) -> None:
    assert load(tiny).scores(QUERY, []).shape == (0,)


def test_a_model_is_loaded_once(tiny: str) -> None:
    assert load(tiny) is load(tiny)


def test_the_package_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_encoders, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"retrieval-lab\[neural\]"):
        load("owner/model")


@for_each("name", ["/no/such/folder", "./models/mine", "~/no/such", "a/b/c", "C:\\models", "", " "])
def test_a_folder_that_is_not_there_is_said_to_be_none(name: str) -> None:
    with pytest.raises(ModelError, match="There is no folder") as caught:
        load(name)
    assert OFFERED[0] in caught.value.remedy


def test_a_folder_without_a_model_is_explained(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load(str(tmp_path))
    assert "save_pretrained" in caught.value.remedy


def test_a_classifier_is_no_reranker() -> None:
    with pytest.raises(ModelError, match="gives 3 numbers per pair"):
        load(tiny_cross_encoder.folder(labels=3))


# ---------------------------------------------------------------------------------------------- by name


class Mirror(Answering):
    """As much of the Hugging Face protocol as it takes to hand out one repository from a folder."""

    root: Path
    commit = "0123456789abcdef0123456789abcdef01234567"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path == "/api/models/lab/gated":
            self.answer(403, b"", {"X-Error-Code": "GatedRepo"})
        elif path == "/api/models/lab/broken":
            self.answer(500, b"")
        elif path == "/api/models/lab/empty":
            self.answer(
                200,
                json.dumps(
                    {"id": "lab/empty", "sha": self.commit, "siblings": [{"rfilename": "README.md", "size": 1}]}
                ).encode(),
            )
        elif path.startswith("/api/models/lab/huge"):
            files = [{"rfilename": "config.json", "size": 1}, {"rfilename": "model.safetensors", "size": 10**12}]
            self.answer(200, json.dumps({"id": "lab/huge", "sha": self.commit, "siblings": files}).encode())
        elif path.startswith("/api/models/lab/login"):
            self.answer(200, b"{}")
        elif path.startswith("/api/models/lab/tiny"):
            files = [{"rfilename": f.name, "size": f.stat().st_size} for f in self.root.iterdir()]
            files += [
                {"rfilename": "onnx/model.onnx", "size": 10**9},
                {"rfilename": "pytorch_model.bin", "size": 10**9},
            ]
            self.answer(200, json.dumps({"id": "lab/tiny", "sha": self.commit, "siblings": files}).encode())
        elif path.startswith("/lab/tiny/resolve/main/") and (self.root / Path(path).name).is_file():
            body = (self.root / Path(path).name).read_bytes()
            self.answer(
                200,
                body,
                {"ETag": f'"{hashlib.sha1(body).hexdigest()}"', "X-Repo-Commit": self.commit, "Accept-Ranges": "bytes"},
            )
        else:
            self.answer(404, b"", {"X-Error-Code": "RepoNotFound"})


@pytest.fixture
def mirror(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    root = Path(request.getfixturevalue("tiny")) if "tiny" in request.fixturenames else tmp_path
    handler = type("TinyMirror", (Mirror,), {"root": root})
    with Loopback(handler) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.root)
        yield server.root


def test_a_name_is_downloaded_once_with_progress_and_then_found_here(
    mirror: str, tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    assert downloads("lab/tiny", WANTED)
    scorer = load("lab/tiny", progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(scorer.scores(QUERY, TEXTS), load(tiny).scores(QUERY, TEXTS))
    needed = sum(f.stat().st_size for f in Path(tiny).iterdir() if f.suffix in (".json", ".txt", ".safetensors"))
    assert seen[-1] == (needed, needed)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert not downloads("lab/tiny", WANTED)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody answers there: it must be here
    assert load("lab/tiny").folder == scorer.folder


def test_a_download_can_be_stopped(tiny: str, mirror: str) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load("lab/tiny", progress=stop)
    assert downloads("lab/tiny", WANTED)
    assert load("lab/tiny").model is not None  # what is half there does no harm


def test_a_wrong_name_is_told_from_a_missing_network(mirror: str) -> None:
    with pytest.raises(ModelError, match=f"There is no model “lab/nothing” at {mirror}") as caught:
        load("lab/nothing")
    assert OFFERED[0] in caught.value.remedy


def test_a_name_that_cannot_be_one_is_a_wrong_name(mirror: str) -> None:
    with pytest.raises(ModelError, match="There is no model “no spaces please”"):
        load("no spaces please")


def test_a_gated_model_is_explained(mirror: str) -> None:
    with pytest.raises(ModelError, match="only on request"):
        load("lab/gated")


def test_a_repository_without_a_model_is_explained(mirror: str) -> None:
    with pytest.raises(ModelError, match="holds no model"):
        load("lab/empty")


def test_a_model_of_a_size_that_nobody_wants_to_wait_for_is_not_downloaded(mirror: str) -> None:
    with pytest.raises(ModelError, match="lab/huge has 1000000 MB; at most 8000 MB are downloaded") as caught:
        load("lab/huge")
    assert OFFERED[0] in caught.value.remedy


def test_a_page_that_is_no_hub_is_said_to_be_none(mirror: str) -> None:
    with pytest.raises(ModelError, match=f"{mirror} is not a model hub"):
        load("lab/login")


def test_a_server_in_trouble_is_no_wrong_name(mirror: str) -> None:
    with pytest.raises(ModelError, match="cannot be downloaded"):
        load("lab/broken")


def test_without_a_network_the_ways_out_are_named(mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match="not on this machine and cannot be downloaded") as caught:
        load(OFFERED[1])
    for way in ("HF_ENDPOINT", "folder", "coverage"):
        assert way in caught.value.remedy


def test_offline_mode_does_not_try(mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="HF_HUB_OFFLINE is set"):
        load("lab/tiny")
