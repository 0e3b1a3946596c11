"""The upload panel without a browser: what is read, cut and named becomes the corpus of all pages."""

from __future__ import annotations

import json
from pathlib import Path

from making import zipped
from streamlit.testing.v1 import AppTest

from lab.corpus.beir import Collection
from lab.ui import frame

ROOT = Path(__file__).parents[2]


def uploaded(name: str, data: bytes) -> Collection:
    """The collection that the page makes of a file, with everything as it is offered."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.switch_page("pages/start/corpus.py").run()
    files = next(f for f in app.file_uploader if f.key == "corpus.files")
    files.set_value([(name, data, "application/octet-stream")]).run()
    assert not app.exception
    next(b for b in app.button if b.label == "Search this corpus").click().run()
    assert not app.exception
    (found,) = app.session_state[frame.UPLOADS].values()
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
