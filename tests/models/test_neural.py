"""Embedders by name and by folder: what they load, what they send to the model, and why one cannot be had."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from loopback import Answering, Loopback
from models import tiny_sentence_model
from night import for_each

from lab.algebra import Corpus, Document
from lab.errors import ModelError, ParameterError
from lab.models import neural
from lab.models.embedders import Embedder, vectors_of
from lab.models.neural import OFFERED, STATIC, Model2Vec, SentenceTransformer, known_prompts
from lab.models.static import BuiltIn, StaticEncoder
from lab.numeric import unit
from lab.retrieve.vector import Vector

ROOT = Path(__file__).parents[2]
NOBODY = Corpus("nobody", ())
QUERIES = ["电池 battery", "", "退货", "bluetooth " * 60]
TEXTS = ["耳机充电", "annual leave 年假", "battery", "", "bluetooth 断开 " * 40, "申请报销"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A sentence-transformers model that has prompts of its own."""
    pytest.importorskip("sentence_transformers")
    return tiny_sentence_model.bert(tmp_path_factory.mktemp("bert"), tiny_sentence_model.PROMPTS)


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_sentence_model.static(tmp_path_factory.mktemp("static"))


# ------------------------------------------------------------------------------------ sentence-transformers


def test_a_saved_model_gives_what_sentence_transformers_gives(bert: str) -> None:
    import sentence_transformers

    theirs = sentence_transformers.SentenceTransformer(bert, device="cpu", local_files_only=True)
    own = SentenceTransformer(bert).fit(NOBODY)
    assert own.dimensions == 16
    np.testing.assert_allclose(own.documents(TEXTS), theirs.encode_document(TEXTS), atol=1e-6)
    np.testing.assert_allclose(own.queries(QUERIES), theirs.encode_query(QUERIES), atol=1e-6)
    assert own.documents(TEXTS).dtype == np.float32


def test_texts_of_like_length_go_together_and_equal_texts_once(bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = SentenceTransformer(bert, batch_size=3).fit(NOBODY)
    alone = {text: own.documents([text])[0] for text in TEXTS}
    sent: list[list[str]] = []
    encode = own.model.encode_document

    def watched(texts: list[str], **more: object) -> object:
        sent.append(texts)
        return encode(texts, **more)

    monkeypatch.setattr(own.model, "encode_document", watched)
    told: list[tuple[int, int]] = []
    some = [*TEXTS, *TEXTS[:3], "a", "b " * 30]
    rows = own.documents(some, progress=lambda done, of: told.append((done, of)))
    np.testing.assert_allclose(rows, [alone.get(text, own.documents([text])[0]) for text in some], atol=1e-6)
    assert np.array_equal(rows[:3], rows[len(TEXTS) : len(TEXTS) + 3])  # the same text, the same vector: a tie is a tie
    lengths = [len(text) for batch in sent[:3] for text in batch]
    assert lengths == sorted({text: len(text) for text in some}.values(), reverse=True)
    assert told == [(3, 8), (6, 8), (8, 8)]
    assert own.documents([]).shape == (0, 16)


def test_the_models_own_prompts_tell_a_query_from_a_document(bert: str) -> None:
    own = SentenceTransformer(bert).fit(NOBODY)
    assert not np.allclose(own.queries(["battery"]), own.documents(["battery"]), atol=1e-3)
    bare = own.model.encode(["query: battery", "passage: battery"])
    np.testing.assert_allclose(own.queries(["battery"])[0], bare[0], atol=1e-5)
    np.testing.assert_allclose(own.documents(["battery"])[0], bare[1], atol=1e-5)


def test_the_prompt_of_the_specification_goes_before_the_models_own(bert: str) -> None:
    plain, mine = SentenceTransformer(bert).fit(NOBODY), SentenceTransformer(bert, query_prompt="find: ").fit(NOBODY)
    np.testing.assert_allclose(mine.queries(["battery"])[0], plain.model.encode(["find: battery"])[0], atol=1e-5)
    np.testing.assert_allclose(mine.documents(["battery"]), plain.documents(["battery"]), atol=1e-6)


@pytest.mark.parametrize("name", OFFERED)
def test_the_prompts_of_the_offered_models_reach_the_model(
    bert: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neural, "folder_of", lambda model, wanted: Path(bert))  # these weights under that name
    own = SentenceTransformer(name).fit(NOBODY)
    query = OFFERED[name] or tiny_sentence_model.PROMPTS["query"]
    document = known_prompts(name).document or tiny_sentence_model.PROMPTS["document"]
    bare = own.model.encode([query + "电池 battery", document + "耳机充电"])
    np.testing.assert_allclose(own.queries(["电池 battery"])[0], bare[0], atol=1e-5)
    np.testing.assert_allclose(own.documents(["耳机充电"])[0], bare[1], atol=1e-5)


@for_each(
    "model, query, document",
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("./saved/e5-large", "query: ", "passage: "),
        ("/models/multilingual-e5-base/", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("owner/like-e5-small", "", ""),
        ("BAAI/bge-small-zh-v1.5", OFFERED["BAAI/bge-small-zh-v1.5"], ""),
        ("owner/model", "", ""),
    ],
)
def test_the_name_of_a_model_tells_what_it_was_trained_to_see(model: str, query: str, document: str) -> None:
    assert known_prompts(model) == (query, document)


def test_an_e5_model_in_a_folder_gets_its_prefixes(bert: str, tmp_path: Path) -> None:
    folder = tmp_path / "multilingual-e5-small"
    folder.symlink_to(bert)
    own = SentenceTransformer(str(folder)).fit(NOBODY)
    assert own.prompts == ("query: ", "passage: ")
    bare = own.model.encode(["query: battery", "passage: battery"], prompt="")
    np.testing.assert_allclose([own.queries(["battery"])[0], own.documents(["battery"])[0]], bare, atol=1e-5)


@pytest.mark.parametrize("model", ["own prompts", "multilingual-e5-small"])
def test_with_prompts_off_nothing_goes_before_a_text(bert: str, tmp_path: Path, model: str) -> None:
    (tmp_path / model).symlink_to(bert)
    own = SentenceTransformer(str(tmp_path / model), query_prompt="find: ", prompts=False).fit(NOBODY)
    bare = own.model.encode(["battery"], prompt="")[0]
    assert own.prompts == ("", "")
    np.testing.assert_allclose(own.queries(["battery"])[0], bare, atol=1e-5)
    np.testing.assert_allclose(own.documents(["battery"])[0], bare, atol=1e-5)
    assert own.spec.label == f"{model}, without prefixes"
    assert own.spec != SentenceTransformer(str(tmp_path / model), query_prompt="find: ")


def test_batches_report_progress_and_do_not_change_the_vectors(bert: str) -> None:
    seen: list[tuple[int, int]] = []
    small = (
        SentenceTransformer(bert, batch_size=4)
        .fit(NOBODY)
        .documents(TEXTS, progress=lambda done, total: seen.append((done, total)))
    )
    assert seen == [(4, 6), (6, 6)]
    np.testing.assert_allclose(small, SentenceTransformer(bert, batch_size=1).fit(NOBODY).documents(TEXTS), atol=1e-5)


def test_embedding_can_be_stopped_and_leaves_nothing_half_made(bert: str) -> None:
    corpus = Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(TEXTS)))
    embedder, seen = SentenceTransformer(bert, batch_size=2), list[int]()

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vectors_of(embedder, corpus, progress=stop)
    assert seen == [2, 4]
    assert not corpus.holds(("vectors", embedder))
    assert vectors_of(embedder, corpus).shape == (6, 16)
    assert vectors_of(embedder, corpus) is vectors_of(SentenceTransformer(bert, batch_size=2), corpus)


def test_no_texts_are_no_vectors_and_broken_characters_do_no_harm(bert: str) -> None:
    own = SentenceTransformer(bert).fit(NOBODY)
    assert own.documents([]).shape == own.queries([]).shape == (0, 16)
    np.testing.assert_allclose(own.documents(["half \ud83d"]), own.documents(["half ?"]), atol=1e-6)
    np.testing.assert_allclose(own.queries(["half \ud83d"]), own.queries(["half ?"]), atol=1e-6)


def test_vector_search_asks_with_the_query_prompt(bert: str) -> None:
    corpus = Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(TEXTS) if text))
    embedder = SentenceTransformer(bert)
    encoder = embedder.fit(corpus)
    cosines = unit(encoder.documents([d.text for d in corpus])) @ unit(encoder.queries(["电池"]))[0]
    ranking = Vector(embedder, pieces="whole").index(corpus).search("电池")
    assert {h.document.id: h.score for h in ranking} == pytest.approx(
        {d.id: c for d, c in zip(corpus, cosines, strict=True)}, abs=1e-6
    )
    assert all(h.why == () for h in ranking)  # no sum of token pairs: nothing is claimed


# --------------------------------------------------------------------------------------------------- model2vec


def test_a_saved_static_model_gives_what_model2vec_gives(static: str) -> None:
    from model2vec import StaticModel

    own = Model2Vec(static).fit(NOBODY)
    assert own.dimensions == 8
    np.testing.assert_allclose(own.documents(TEXTS), StaticModel.from_pretrained(static).encode(TEXTS), atol=1e-6)
    for text in ("battery 电池", "耳机"):
        one, two = unit(own.documents([text, TEXTS[4]]))
        assert own.pairs(text, TEXTS[4])[2].sum() == pytest.approx(one @ two, abs=1e-6)


def test_the_folder_of_the_built_in_model_is_a_model2vec_model() -> None:
    folder = ROOT / "lab" / "models" / "built_in"
    texts = ["耳机 battery WH-1000XM5", "", "年假怎么申请"]
    assert np.array_equal(Model2Vec(str(folder)).fit(NOBODY).documents(texts), BuiltIn().fit(NOBODY).documents(texts))


# --------------------------------------------------------------------------------------- specifications


@pytest.mark.parametrize("make", [SentenceTransformer, Model2Vec], ids=lambda c: c.__name__)
def test_specifications_are_values(make: type[SentenceTransformer | Model2Vec]) -> None:
    one, two, other = make("owner/model"), make("owner/model"), make("owner/another")
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert {one: "x"}[two] == "x"
    assert eval(repr(one), {make.__name__: make}) == one
    with pytest.raises(AttributeError):
        one.model = "owner/another"  # type: ignore[misc]
    assert SentenceTransformer("owner/model") != Model2Vec("owner/model")


@for_each("name", [*OFFERED, *STATIC])
def test_the_name_in_a_link_says_kind_and_model(name: str) -> None:
    embedder: Embedder = SentenceTransformer(name) if name in OFFERED else Model2Vec(name)
    kind, _, model = embedder.name.partition("/")
    assert {"sentence-transformer": SentenceTransformer, "model2vec": Model2Vec}[kind](model) == embedder
    assert embedder.label == name.split("/")[1]


def test_a_batch_has_at_least_one_text() -> None:
    with pytest.raises(ParameterError, match="batch_size is 0"):
        SentenceTransformer("owner/model", batch_size=0)


# --------------------------------------------------------------------------------------------- by name


class Mirror(Answering):
    """As much of the Hugging Face protocol as it takes to hand out folders as repositories ``lab/<name>``."""

    folders: dict[str, Path]
    commit = "0123456789abcdef0123456789abcdef01234567"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        for name, root in self.folders.items():
            if path.startswith(f"/api/models/lab/{name}"):
                files = [f for f in root.rglob("*") if f.is_file()]
                siblings = [{"rfilename": f.relative_to(root).as_posix(), "size": f.stat().st_size} for f in files]
                siblings += [
                    {"rfilename": "onnx/model.onnx", "size": 10**9},
                    {"rfilename": "openvino/openvino_model.bin", "size": 10**9},
                ]
                return self.answer(
                    200, json.dumps({"id": f"lab/{name}", "sha": self.commit, "siblings": siblings}).encode()
                )
            file = root / path.removeprefix(f"/lab/{name}/resolve/main/")
            if path.startswith(f"/lab/{name}/resolve/main/") and file.is_file():
                body = file.read_bytes()
                return self.answer(
                    200,
                    body,
                    {
                        "ETag": f'"{hashlib.sha1(body).hexdigest()}"',
                        "X-Repo-Commit": self.commit,
                        "Accept-Ranges": "bytes",
                    },
                )
        return self.answer(404, b"", {"X-Error-Code": "RepoNotFound"})


@pytest.fixture
def mirror(
    request: pytest.FixtureRequest, static: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    folders = {"static": Path(static)}
    if "bert" in request.fixturenames:
        folders["bert"] = Path(request.getfixturevalue("bert"))
    handler = type("Folders", (Mirror,), {"folders": folders})
    with Loopback(handler) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.root)
        yield server.root


def test_a_sentence_model_comes_by_name_with_its_prompts_and_stays(
    mirror: str, bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = SentenceTransformer(bert).fit(NOBODY)
    there = SentenceTransformer("lab/bert").fit(NOBODY)
    np.testing.assert_array_equal(there.queries(QUERIES), here.queries(QUERIES))
    np.testing.assert_array_equal(there.documents(TEXTS), here.documents(TEXTS))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # nobody answers there: it must be here
    np.testing.assert_array_equal(SentenceTransformer("lab/bert").fit(NOBODY).queries(QUERIES), here.queries(QUERIES))


def test_a_static_model_comes_by_name(mirror: str, static: str) -> None:
    own = Model2Vec("lab/static").fit(NOBODY)
    assert isinstance(own, StaticEncoder)
    np.testing.assert_array_equal(own.documents(TEXTS), Model2Vec(static).fit(NOBODY).documents(TEXTS))


KINDS = pytest.mark.parametrize("kind", [SentenceTransformer, Model2Vec], ids=lambda c: c.__name__)


@KINDS
def test_a_misspelt_name_is_told_from_a_missing_network(mirror: str, kind: type[Embedder]) -> None:
    with pytest.raises(ModelError, match=f"There is no model “lab/bret” at {mirror}") as caught:
        kind("lab/bret").fit(NOBODY)  # type: ignore[call-arg]
    assert all(name in caught.value.remedy for name in (OFFERED if kind is SentenceTransformer else STATIC))


@KINDS
def test_without_a_network_the_ways_out_are_named_at_once(
    mirror: str, kind: type[Embedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    start = time.monotonic()
    with pytest.raises(ModelError, match="not on this machine and cannot be downloaded") as caught:
        kind().fit(NOBODY)
    assert time.monotonic() - start < 10  # the libraries themselves try for most of a minute
    for way in ("HF_ENDPOINT", "folder", "built-in", "LSA"):
        assert way in caught.value.remedy


# -------------------------------------------------------------------------------------------- obstacles


@KINDS
@pytest.mark.parametrize(
    "content",
    [{}, {"config.json": "{}"}, {"config.json": "{}", "model.safetensors": "x"}, {"notes.txt": "x"}],
    ids=lambda c: "+".join(c) or "empty",
)
def test_a_folder_without_a_model_is_explained(kind: type[Embedder], content: dict[str, str], tmp_path: Path) -> None:
    if kind is SentenceTransformer:
        pytest.importorskip("sentence_transformers")
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        kind(str(tmp_path)).fit(NOBODY)  # type: ignore[call-arg]
    assert "folder into which the model was saved" in caught.value.remedy


@KINDS
@pytest.mark.parametrize("name", ["/no/such/folder", "./mine", "~/no/such", "a/b/c", "C:\\models", "", " "])
def test_a_folder_that_is_not_there_is_said_to_be_none(kind: type[Embedder], name: str) -> None:
    if kind is SentenceTransformer:
        pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match="There is no folder"):
        kind(name).fit(NOBODY)  # type: ignore[call-arg]


def test_the_missing_package_is_named_and_static_models_do_without_it(static: str) -> None:
    code = f"""
import sys
for missing in ("sentence_transformers", "transformers", "torch"):
    sys.modules[missing] = None
from lab.algebra import Corpus
from lab.errors import MissingExtra
from lab.models.neural import Model2Vec, SentenceTransformer
nobody = Corpus("nobody", ())
assert Model2Vec({static!r}).fit(nobody).documents(["battery"]).any()
try:
    SentenceTransformer("owner/model").fit(nobody)
except MissingExtra as error:
    assert "sentence-transformers" in error.message and "retrieval-lab[neural]" in error.remedy, error
else:
    raise SystemExit("no error")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
