"""The upload panel without a browser: what is read, cut and named becomes the corpus of all pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import streamlit as st
from making import xlsx, zipped
from night import spread
from streamlit.testing.v1 import AppTest

from lab.algebra import Corpus, Document, Top
from lab.corpus.beir import Collection
from lab.derive.chunk import Chunk
from lab.models.static import BuiltIn
from lab.reading.uploads import Limits
from lab.refine.hybrid import HybridSimilarity
from lab.retrieve.lexical import BM25
from lab.ui import address, cache
from lab.ui.documents import uploading
from lab.ui.layout import export, frame, stages
from lab.ui.layout.frame import Frame
from lab.ui.lists import facets
from lab.ui.people.visitor import Visitors

ROOT = Path(__file__).parents[2]


def uploaded(name: str, data: bytes) -> Collection:
    """The collection that the page makes of a file, with everything as it is offered."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    files.set_value([(name, data, "application/octet-stream")]).run()
    assert not app.exception
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert isinstance(found, Collection)
    return found


def lines(*records: dict[str, object]) -> bytes:
    return "".join(json.dumps(r) + "\n" for r in records).encode()


def test_a_document_that_is_called_like_a_chunk_of_another_keeps_its_id():
    corpus = uploaded("d.jsonl", lines({"id": "a", "text": "word " * 200}, {"id": "a#1", "text": "short"})).corpus
    assert ("a#1", "short") in [(d.id, d.text) for d in corpus]
    assert [d.id for d in corpus if d.metadata.get("parent") == "a"][:2] == ["a#1-2", "a#2"]


def test_a_zipped_collection_keeps_the_kinds_of_its_queries_and_names_lost_judgments():
    files = {
        "corpus.jsonl": lines({"_id": "d", "text": "ten days"}),
        "queries.jsonl": lines({"_id": "q", "text": "how many?", "metadata": {"type": "number"}}),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\nq\tgone\t1\n",
    }
    found = uploaded("set.zip", zipped(files))
    assert [(q.id, q.text, dict(q.metadata)) for q in found.queries] == [("q", "how many?", {"type": "number"})]
    assert found.unknown == (("q", "gone"),)


def test_a_zipped_collection_keeps_its_conversations_and_names_where_one_breaks_off():
    turns = [{"_id": f"t{n}", "conversation": "c", "turn": n, "text": f"days? {n}"} for n in (1, 2, 4)]
    files = {
        "corpus.jsonl": lines({"_id": "d", "text": "ten days"}),
        "conversations.jsonl": lines(*turns),
        "qrels/conversations.tsv": "query-id\tcorpus-id\tscore\nt2\td\t1\nt4\td\t1\n",
    }
    found = uploaded("set.zip", zipped(files))
    assert [(c.id, [turn.text for turn in c]) for c in found.conversations] == [("c", ["days? 1", "days? 2"])]
    assert {turn: dict(grades) for turn, grades in found.turn_qrels.items()} == {"t2": {"d": 1}}
    assert found.problems == ("Turn 3 of “c” is missing. The turns after it are left out.",)
    assert (found.queries, dict(found.qrels)) == ((), {})


def test_an_upload_is_read_once_and_cut_once_whatever_is_clicked(monkeypatch: pytest.MonkeyPatch):
    calls = {"read": 0, "cut": 0}
    read, cut = uploading.read_files, Chunk.chunk_all

    def counted_read(*args, **named):
        calls["read"] += 1
        return read(*args, **named)

    def counted_cut(*args, **named):
        calls["cut"] += 1
        return cut(*args, **named)

    monkeypatch.setattr(uploading, "read_files", counted_read)
    monkeypatch.setattr(Chunk, "chunk_all", counted_cut)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    table = "title,text,note\n" + "".join(f"t{i},word number {i},n{i}\n" for i in range(30))
    files.set_value([("table.csv", table.encode(), "text/csv")]).run()
    app.run()
    assert calls == {"read": 1, "cut": 1}
    next(s for s in app.selectbox if s.key == "corpus.col.text.0").set_value("note").run()
    app.run()
    assert calls == {"read": 2, "cut": 2}  # other columns are another reading
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    assert calls == {"read": 2, "cut": 2}
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert found.corpus.documents[3].text == "n3"
    assert uploading._KEPT not in app.session_state


def test_another_text_is_another_cut():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    for text in ("red foxes. " * 90, "blue whales. " * 90):
        next(a for a in app.text_area if a.key == "corpus.paste").set_value(text).run()
        assert not app.exception
        documents, _chunk = app.session_state[uploading._KEPT]["cut"][0]
        assert documents[0].text.startswith(text[:10])  # what was cut is held, so that no other is taken for it
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert all("whale" in d.text or "blue" in d.text for d in found.corpus)


def pasted(text: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    next(a for a in app.text_area if a.key == "corpus.paste").set_value(text).run()
    return app


def test_what_would_become_too_many_passages_is_not_cut_at_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(uploading, "LIMITS", Limits(max_documents=100))
    calls = []
    cut = Chunk.chunk_all
    monkeypatch.setattr(Chunk, "chunk_all", lambda *args, **named: calls.append(1) or cut(*args, **named))
    app = pasted("word " * 1000)
    assert len(calls) == 1
    next(n for n in app.number_input if n.key == "corpus.chunk.overlap").set_value(0).run()
    next(n for n in app.number_input if n.key == "corpus.chunk.size").set_value(40).run()
    calls.clear()
    app.run()
    assert any("would have 125 passages or more; the maximum is 100" in e.value for e in app.error)
    assert calls == []
    assert not [b for b in app.button if b.label == "Search this corpus"]
    next(n for n in app.number_input if n.key == "corpus.chunk.size").set_value(60).run()
    assert not app.error
    assert calls == [1]


@pytest.mark.parametrize(
    ("of_all", "said"), spread([("0.1", "the limit per visitor is"), ("0.22", "Other visitors' uploads fill")], 1)
)
def test_uploads_stay_within_the_labs_room_for_them(of_all: str, said: str, monkeypatch: pytest.MonkeyPatch):
    visitors = Visitors()
    monkeypatch.setattr(cache, "VISITORS", visitors)
    visitors.find_or_add("").store(frame.UPLOADS)["others"] = Collection(Corpus("o", (Document("1", "x" * 200_000),)))
    monkeypatch.setenv("LAB_UPLOADS_MB", of_all)
    app = pasted("word " * 15_000)
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert any(said in e.value.replace("\\", "") for e in app.error)
    assert not app.session_state[frame.VISITOR].store(frame.UPLOADS)
    monkeypatch.setenv("LAB_UPLOADS_MB", "40")
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert len(app.session_state[frame.VISITOR].store(frame.UPLOADS)) == 1


def test_each_sheet_of_a_workbook_is_given_its_own_columns():
    rows = [["name", "text", "note"], ["Ada", "alpha beta", "one two"]]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    files.set_value([("a.xlsx", xlsx({"S": rows, "T": rows}), "application/octet-stream")]).run()
    assert {"Columns of a.xlsx, S", "Columns of a.xlsx, T"} <= {e.label.replace("\\", "") for e in app.expander}
    next(s for s in app.selectbox if s.key == "corpus.col.text.1").set_value("note").run()
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert [d.text for d in found.corpus] == ["alpha beta", "one two"]


def test_long_reading_can_be_stopped_and_goes_on_at_a_click(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lab.ui.work.LATE", 0)
    read = uploading.read_files
    pressed = []

    def stopped(files, *, progress, **named):
        if not pressed:  # what a click on Stop does, and the next report of progress
            pressed.append(1)
            st.session_state["_stopped"]["corpus.read"] = about[0]
            raise st.runtime.scriptrunner.StopException
        return read(files, progress=progress, **named)

    about = []
    work = uploading.work

    def noted(name, doing, make, *, about: object):
        noting.append(about)
        return work(name, doing, make, about=about)

    noting = about
    monkeypatch.setattr(uploading, "work", noted)
    monkeypatch.setattr(uploading, "read_files", stopped)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    files.set_value([("a.txt", b"alpha beta", "text/plain")]).run()
    app.run()
    assert any("Stopped." in m.value for m in app.markdown)
    assert not [b for b in app.button if b.label == "Search this corpus"]
    next(b for b in app.button if b.key == "corpus.read.go_on").click().run()
    assert [b for b in app.button if b.label == "Search this corpus"]


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a test collection of ir_datasets that lies on the disk."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    import ir_datasets

    name = f"lab/{tmp_path.name}/{len(list(ir_datasets.registry))}"
    for part, text in {"docs": "d1\tTen days.\nd2\tPay day.\n", "queries": "q1\tpay\n", "qrels": "q1 0 d2 2\n"}.items():
        (tmp_path / part).write_text(text, "utf-8")
    files = (str(tmp_path / part) for part in ("docs", "queries", "qrels"))
    ir_datasets.registry.register(name, ir_datasets.create_dataset(*files))
    return name


def test_a_test_collection_is_searched_by_its_name_and_what_is_not_here_is_said(named: str):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()

    def search(name: str) -> None:
        app.text_input("corpus.dataset").set_value(name)
        next(b for b in app.button if b.form_id == "corpus.named").click().run()
        assert not app.exception

    search("no/such")
    assert "no/such" in app.error[0].value.replace("\\", "")
    search(named)
    assert not app.error
    found = app.session_state[frame.VISITOR].store(frame.UPLOADS)[named]
    assert [(q.text, dict(found.qrels[q.id])) for q in found.judged] == [("pay", {"d2": 2})]
    assert app.session_state["corpus"] == named
    app.switch_page("pages/whole/evaluate/page.py").run()
    assert not app.exception
    assert not app.error
    assert "judged questions: 1" in " ".join(c.value for c in app.caption)


def test_a_public_lab_reads_nothing_of_its_own_disk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LAB_PUBLIC", "1")
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.switch_page("pages/start/corpus/page.py").run()
    assert not app.exception
    assert "ir_datasets" not in [tab.label for tab in app.tabs]
    assert "corpus.dataset" not in [field.key for field in app.text_input]


CHAPTERS = "\n\n".join(
    f"Chapter {i}: {x}\n\nWhat happened with {x}." for i, x in enumerate(("ferry", "lamp", "mole"), 1)
)


def test_after_an_upload_what_was_read_is_told_and_a_question_is_asked_by_a_click():
    app = pasted(CHAPTERS)
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    told = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert "**Languages**: English 100%" in told
    assert "passages with a title: 3 of 3" in told
    assert "Passages: only 3. Every list contains nearly all of them" in told
    assert "No metadata fields" in told  # what cutting has noted is none of the documents'
    asked = [b for b in app.button if str(b.key).startswith("corpus.ask.")]
    assert [b.label.replace("\\", "") for b in asked] == ["ferry", "lamp", "mole"]
    asked[1].click().run()
    assert not app.exception
    assert app.title[0].value == "Compare"
    assert app.session_state[address.QUESTION] == "lamp"
    app.switch_page("pages/start/corpus/page.py").run()
    next(s for s in app.selectbox if s.key == "corpus").set_value("devices").run()
    assert not [b for b in app.button if str(b.key).startswith("corpus.ask.")]


def fields_table() -> bytes:
    rows = [
        f"t{i},text number {i} of the shop,{'北京' if i % 2 else 'Oslo'},2024-0{i}-01,{i},m{i}" for i in range(1, 9)
    ]
    return ("title,text,branch,opened,price,maker\n" + "\n".join(rows)).encode()


def test_the_fields_of_an_upload_are_offered_in_filter_counts_and_tags():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    next(f for f in app.file_uploader if f.key == "corpus.files").set_value(
        [("s.csv", fields_table(), "text/csv")]
    ).run()
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    app.switch_page("pages/refine/filter/page.py").run()
    assert not app.exception
    (fields,) = (s for s in app.selectbox if s.key == "filter.where.new.field")
    assert {"branch", "maker", "opened"} <= set(fields.options)
    (chain,) = (m for m in app.multiselect if m.key == "filter.chain")
    chain.set_value(["metadatafilter"]).run()
    (sources,) = (m for m in app.multiselect if m.key == "filter.metadatafilter.sources")
    assert sources.options == ["Oslo", "北京"]
    (field,) = (s for s in app.selectbox if s.key == "filter.metadatafilter.source_field")
    assert field.value == "branch"
    (day,) = (s for s in app.selectbox if s.key == "filter.metadatafilter.date_field")
    assert day.value == "opened"
    sources.set_value(["Oslo"]).run()
    assert not app.exception
    field.set_value("maker").run()
    (sources,) = (m for m in app.multiselect if m.key == "filter.metadatafilter.sources")
    assert sources.options == [f"m{i}" for i in range(1, 9)]
    assert not app.exception
    documents = next(iter(app.session_state[frame.VISITOR].store(frame.UPLOADS).values())).corpus.documents
    assert facets.offered(documents) == ["branch"]
    assert (
        stages.for_corpus(HybridSimilarity(), Frame(Collection(Corpus("o", documents)), BuiltIn())).tagger.tag_field
        == "branch"
    )


def test_the_python_of_an_upload_gives_the_list_of_the_page(tmp_path: Path):
    app = pasted(CHAPTERS)
    field = next(t for t in app.text_input if t.label == "Name of the corpus")
    field.set_value("a/b: “notes”")
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    (own,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    search = BM25() >> Top(2)
    lines = export.corpus_lines(Frame(own, BuiltIn()), [search])
    assert "corpus = beir.load('a_b_ “notes”.zip').corpus" in lines[-1]
    (tmp_path / export.zipped(own.name)).write_bytes(uploading.as_zip(own))
    told: dict[str, Corpus] = {}
    exec("\n".join(lines).replace("beir.load('", f"beir.load('{tmp_path}/"), told)
    assert told["corpus"].fingerprint == own.corpus.fingerprint


def test_columns_that_were_chosen_for_one_table_are_not_those_of_the_next():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()

    def given(name: str, text: str) -> None:
        files = next(f for f in app.file_uploader if f.key == "corpus.files")
        files.set_value([(name, text.encode(), "text/csv")]).run()
        assert not app.exception

    given("a.csv", "title,text,from\nOne,first words here,Ada\n")
    next(m for m in app.multiselect if m.key == "corpus.col.meta.0").set_value([]).run()
    given("b.csv", "title,text,room\nTwo,other words here,hall\n")
    assert next(m for m in app.multiselect if m.key == "corpus.col.meta.0").value == ["room"]
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.file_uploader  # the panel is closed: what was read is told
    (own,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert own.corpus.documents[0].metadata["room"] == "hall"


def test_every_file_of_an_upload_can_be_looked_at_and_duplicates_can_be_left_out():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    rows = [["id", "text"], ["1", "Kites are mended in March by the river"], ["2", "Moles dig below the old oak tree"]]
    table = "\n".join(",".join(map(str, row)) for row in rows).encode()
    files = [
        ("faq.csv", table, "text/csv"),
        ("faq.xlsx", xlsx({"S": rows}), "application/octet-stream"),
        ("long.md", ("# Long\n\n" + "The keeper lights a lamp at dusk. " * 40).encode(), "text/markdown"),
        ("staff.db", b"SQLite format 3\0" + bytes(100), "application/octet-stream"),
    ]
    next(f for f in app.file_uploader if f.key == "corpus.files").set_value(files).run()
    assert not app.exception
    listed = next(d for d in app.dataframe if "Chunks" in d.value.columns).value
    assert listed["File"].tolist() == ["faq.csv", "faq.xlsx", "long.md", "staff.db"]
    assert listed["Document count"].tolist() == [2, 2, 1, 0]
    assert listed["Chunks"].tolist() == [2, 2, 4, 0]
    assert listed["Contents"].tolist() == ["2 rows", "2 rows", "1 section", ""]
    assert listed["Remarks"].tolist() == [0, 1, 0, 1]  # the workbook's ids were taken
    next(s for s in app.selectbox if s.key == "corpus.preview_file").set_value(1).run()
    assert any("Ids already used by an earlier file" in c.value for c in app.caption)
    toggle = next(t for t in app.toggle if t.key == "corpus.duplicates")
    assert "Leave out documents that are in other files, too: 2" in toggle.label
    assert "faq.xlsx = faq.csv (2)" in toggle.help.replace("\\", "")
    toggle.set_value(True).run()
    assert not app.exception
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    (own,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert [d.id for d in own.corpus] == ["1", "2", *(f"long.md#{i}" for i in range(1, 5))]


@pytest.mark.parametrize(
    ("text", "guess", "count", "other", "then"),
    [
        ('docs = [Document(page_content="Kites fly."), Document(page_content="Moles dig.")]', "python", 2, "lines", 1),
        ("Kites fly in May.\nMoles dig all year.\nReels turn.", "lines", 3, "paragraphs", 1),
        ("id\ttext\nk1\t风筝高飞\nk2\t鼹鼠挖洞", "table", 2, "paragraphs", 1),
    ],
)
def test_the_guess_about_a_pasted_text_is_shown_and_one_click_changes_it(
    text: str, guess: str, count: int, other: str, then: int
):
    app = pasted(text)
    assert not app.exception
    (choice,) = (b for b in app.button_group if b.key == f"corpus.paste.{guess}")
    assert choice.value == guess
    assert any("Recognised as" in c.value for c in app.caption)
    assert app.success[0].value.split(" · ")[0] == f"Documents read: {count}"
    choice.set_value(other).run()
    assert not app.exception
    assert app.success[0].value.split(" · ")[0] == f"Documents read: {then}"


LONG = "Exchange the filter of pump {n}, close both valves, and write the time into the log of the station. "


@pytest.mark.parametrize(
    ("click", "text", "field"),
    spread([("Make it a field", "problem", "solution"), ("Make it text", "solution", "problem")], 1),
)
def test_a_click_takes_in_what_the_account_names(click: str, text: str, field: str):
    rows = "".join(f"t{n},Pump {n} is loud today.,{3 * LONG.format(n=n)!r}\n".replace("'", '"') for n in range(5))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    files.set_value([("tickets.csv", b"id,problem,solution\n" + rows.encode(), "text/csv")]).run()
    next(s for s in app.selectbox if s.key == "corpus.col.text.0").set_value("problem").run()
    next(m for m in app.multiselect if m.key == "corpus.col.meta.0").set_value([]).run()
    assert not app.exception
    captions = [caption.value for caption in app.caption]
    assert any("“solution”" in caption and "in 5 rows" in caption for caption in captions), captions
    next(b for b in app.button if b.label == click).click().run()
    assert not app.exception
    captions = [caption.value for caption in app.caption]
    assert "Everything is in passages or fields." in captions
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert field in found.corpus.documents[0].metadata
    words = {"problem": "loud", "solution": "Exchange"}
    assert words[text] in found.corpus.documents[0].text
    assert words[field] in str(found.corpus.documents[0].metadata[field])


def account_of_upload(name: str, data: bytes) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus/page.py").run()
    next(f for f in app.file_uploader if f.key == "corpus.files").set_value([(name, data, "text/plain")]).run()
    assert not app.exception
    return app


def is_left_out(app: AppTest, place: str) -> bool:
    return any(c.value.replace("\\", "").startswith(f"{place}, left out. Characters: ") for c in app.caption)


NOTEBOOK = (
    b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["print(1)"], "outputs": [{"text": ["secret one"]}]}]}'
)


@pytest.mark.parametrize(
    ("name", "data", "place"),
    spread(
        [
            ("a.html", b"<p>The pier is closed.</p><p hidden>secret words</p>", "Hidden text"),
            ("a.md", b"The pier is closed.\n\n<!-- secret words -->\n", "Comments"),
            ("a.ipynb", NOTEBOOK, "Outputs of cells"),
        ],
        1,
    ),
)
def test_a_click_takes_in_what_was_left_out_and_another_leaves_it_out_again(name: str, data: bytes, place: str):
    app = account_of_upload(name, data)
    assert "haracters" not in app.success[0].value, "the account alone counts them"
    assert sum("Characters without spaces: " in c.value for c in app.caption) == 1
    assert is_left_out(app, place)
    next(b for b in app.button if b.label == "Take it in").click().run()
    assert not app.exception
    captions = [c.value for c in app.caption]
    assert f"{place}: taken in." in captions
    assert "Everything is in passages or fields." in captions
    assert not [b for b in app.button if b.label == "Take it in"]
    next(b for b in app.button if b.label == "Leave it out").click().run()
    assert is_left_out(app, place)
    next(b for b in app.button if b.label == "Take it in").click().run()
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert "secret" in " ".join(d.text for d in found.corpus)


def test_a_column_of_sentences_that_became_a_field_becomes_text_by_a_click():
    rows = "".join(f"t{n},Pump {n} is loud today.,ward {n},{LONG.format(n=n)!r}\n".replace("'", '"') for n in range(5))
    app = account_of_upload("tickets.csv", b"id,problem,place,solution\n" + rows.encode())
    next(s for s in app.selectbox if s.key == "corpus.col.text.0").set_value("problem").run()
    next(m for m in app.multiselect if m.key == "corpus.col.more.0").set_value([]).run()
    next(m for m in app.multiselect if m.key == "corpus.col.meta.0").set_value(["place", "solution"]).run()
    named = [c.value for c in app.caption if "is a field: filters use it, searches do not." in c.value]
    assert named == ["Column “solution” is a field: filters use it, searches do not."]
    next(b for b in app.button if b.label == "Make it text").click().run()
    assert not app.exception
    assert not any("is a field" in c.value for c in app.caption)
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    (found,) = app.session_state[frame.VISITOR].store(frame.UPLOADS).values()
    assert all("loud" in d.text and "Exchange" in d.text and d.metadata["place"] for d in found.corpus)
