"""Collections of ir_datasets by name: what is on the disk is read, nothing downloaded, what is missing said."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lab import cli
from lab.corpus import datasets
from lab.corpus.beir import Collection
from lab.errors import CorpusError, MissingExtra, UnknownName

DOCUMENTS = "d1\tLeave\tTen days of leave a year.\thttps://a.example\nd2\tPay\tOn the 25th.\t\nd3\t\tNo title.\t\n"
QUERIES = "q1\thow much leave\tnumber\nq2\twhen is pay day\tdate\nq3\twho judges this\tname\n"
QRELS = "q1 0 d1 3\nq1 0 d2 0\nq1 0 d1 1\nq2 0 d2 1\nq2 0 gone -1\nlost 0 d1 1\n"


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str
    url: str

    def default_text(self) -> str:
        return f"{self.title} {self.text}"


class Bare(NamedTuple):
    doc_id: str
    title: str
    body: str
    url: str

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


class Asked(NamedTuple):
    query_id: str
    text: str
    type: str

    def default_text(self) -> str:
        return self.text


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Registers a dataset of these files under a name of the test's own; what is None would have to be downloaded."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    import ir_datasets
    import requests

    monkeypatch.setattr(requests, "get", lambda *_, **__: pytest.fail("something was downloaded"))

    def make(
        docs: str | None = DOCUMENTS, queries: str | None = QUERIES, qrels: str | None = QRELS, *, cls: Any = Doc
    ) -> str:
        name = f"lab-{tmp_path.name}-{len(list(ir_datasets.registry))}"
        home = tmp_path / name
        home.mkdir()

        def source(part: str, text: str | None) -> Any:
            if text is not None:
                (home / part).write_text(text, "utf-8")
            far = [ir_datasets.util.RequestsDownload(f"https://nowhere.invalid/{n}") for n in range(3)]
            return ir_datasets.util.Download(far, cache_path=str(home / part))

        formats = ir_datasets.formats
        own = ir_datasets.Dataset(
            formats.TsvDocs(source("docs.tsv", docs), doc_cls=cls),
            formats.TsvQueries(source("queries.tsv", queries), query_cls=Asked),
            None if qrels == "none" else formats.TrecQrels(source("qrels", qrels), {}),
        )
        ir_datasets.registry.register(name, own)
        return name

    return make


def test_documents_questions_their_kinds_and_graded_judgments_are_read(registered: Callable[..., str]) -> None:
    name = registered()
    found = datasets.load(name)
    assert isinstance(found, Collection)
    assert found.name == name
    assert [(d.id, d.title, d.text) for d in found.corpus] == [
        ("d1", "Leave", "Ten days of leave a year."),
        ("d2", "Pay", "On the 25th."),
        ("d3", "", "No title."),
    ]
    assert dict(found.corpus.documents[0].metadata) == {"url": "https://a.example"}
    assert [(q.id, q.text, q.metadata["type"]) for q in found.judged] == [
        ("q1", "how much leave", "number"),
        ("q2", "when is pay day", "date"),
    ]
    assert {q: dict(own) for q, own in found.qrels.items()} == {"q1": {"d1": 3, "d2": 0}, "q2": {"d2": 1, "gone": -1}}
    assert set(found.unknown) == {("q2", "gone"), ("lost", "d1")}


def test_where_the_text_is_in_other_fields_it_is_what_the_collection_calls_its_text(
    registered: Callable[..., str],
) -> None:
    first = datasets.load(registered(cls=Bare)).corpus.documents[0]
    assert (first.title, first.text) == ("", "Leave Ten days of leave a year.")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingExtra, match=r"ir_datasets.*retrieval-lab\[datasets\]"):
        datasets.load("vaswani")


def test_what_is_not_on_the_disk_is_not_downloaded_and_the_commands_that_would_are_named(
    registered: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = registered(docs=None, qrels=None)
    with pytest.raises(CorpusError) as caught:
        datasets.load(name)
    assert caught.value.message == f"{name} is not on this machine, or incomplete."
    for part in ("docs", "qrels"):
        assert f"ir_datasets export {name} {part}" in caught.value.remedy
    assert "queries" not in caught.value.remedy
    assert capsys.readouterr().err == "", "the package's own complaints stay away"


def test_a_download_outside_of_the_lab_goes_on_as_ever(
    registered: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import ir_datasets
    import requests

    name, asked = registered(docs=None), list[Any]()

    def get(url: str, **_: Any) -> None:
        asked.append(url)
        raise requests.exceptions.ConnectionError

    with pytest.raises(CorpusError):
        datasets.load(name)
    monkeypatch.setattr(requests, "get", get)
    with pytest.raises(RuntimeError, match="All download sources failed"):
        next(iter(ir_datasets.load(name).docs_iter()))
    assert {"https://nowhere.invalid/0", "https://nowhere.invalid/2"} <= set(asked)


def test_a_name_that_nobody_knows_has_a_near_one(registered: Callable[..., str]) -> None:
    registered()
    with pytest.raises(UnknownName, match="vaswani"):
        datasets.load("vaswanni")


def test_what_is_too_large_is_said_before_and_in_the_midst_of_the_work(
    registered: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = registered()
    with pytest.raises(CorpusError, match=rf"{name} has more than 2 documents"):
        datasets.load(name, most=2)
    assert len(datasets.load(name, most=3).corpus) == 3
    monkeypatch.setattr(datasets, "_count", lambda _: 9_000_000)
    with pytest.raises(CorpusError, match=rf"{name} has 9,000,000 documents; at most 1,000,000 are read"):
        datasets.load(name)


def test_progress_is_told_and_may_stop(registered: Callable[..., str]) -> None:
    name = registered("".join(f"d{i}\t\ttext {i}\t\n" for i in range(2_000)))
    told = list[tuple[int, int]]()

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasets.load(name, progress=stop)
    assert len(told) == 1
    assert 0 < told[0][0] < 2_000


def test_without_judgments_the_parts_that_have_some_are_named(registered: Callable[..., str]) -> None:
    import ir_datasets

    name = registered(qrels="none")
    found = datasets.load(name)
    assert not found.judged
    assert found.problems == (f"{name} has no judged questions.",)
    ir_datasets.registry.register(f"{name}/test", ir_datasets.load(registered()))
    assert datasets.load(name).problems == (f"{name} has no judged questions; these have: {name}/test.",)
    assert datasets.load(f"{name}/test").judged


@pytest.mark.parametrize("bad", [{"docs": "d1\tonly two fields\n"}, {"qrels": "q1 0 d1 good\n"}, {"queries": "q\n"}])
def test_a_line_that_the_package_cannot_read_is_an_error_and_no_traceback(
    registered: Callable[..., str], bad: dict[str, str]
) -> None:
    name = registered(**bad)
    with pytest.raises(CorpusError, match=f"{name}.*cannot be read"):
        datasets.load(name)


def test_the_command_line_measures_a_collection_by_its_name(
    registered: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = registered()
    assert cli.main(["evaluate", "--corpus", f"ir_datasets:{name}", "--retriever", "bm25", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["corpus"], found["documents"], found["queries"]) == (name, 3, 2)
    assert cli.main(["evaluate", "--corpus", "ir_datasets:nobody", "--retriever", "bm25"]) == 2
    assert "nobody" in capsys.readouterr().err
    more = ["--retriever", "bm25", "--queries", "mine.jsonl"]
    assert cli.main(["evaluate", "--corpus", f"ir_datasets:{name}", *more]) == 2
    assert "Leave out --queries" in capsys.readouterr().err
