"""With the lowest versions that pyproject.toml allows: some commands and two pages.  `make lowest` runs it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from streamlit.testing.v1 import AppTest

from lab import BM25, cli, samples
from lab.adapters.langchain import LabRetriever

ROOT = Path(__file__).parents[1]
COMMANDS = (
    ["search", "--corpus", "devices", "-k", "3", "reset the router"],
    ["search", "--corpus", "handbook", "-k", "3", "--pipeline", "best", "护理假多少天"],
    ["search", "--corpus", "devices", "-k", "3", "--retriever", "chromavector", "reset the router"],
    ["search", "--corpus", "devices", "-k", "3", "--retriever", "milvusbm25", "reset the router"],
    ["evaluate", "--corpus", "devices", "--retriever", "bm25", "--retriever", "vector", "--limit", "10"],
)
PAGES = ("pages/retrieve/compare/page.py", "pages/combine/fusion/page.py")


def main() -> None:
    os.environ["LAB_MILVUS_URI"] = f"{tempfile.mkdtemp()}/lab.db"
    for words in COMMANDS:
        print("\n$ retrieval-lab", *words, flush=True)  # noqa: T201 - it says how far it has come
        assert cli.main(words) == 0, words
    assert LabRetriever(BM25(), samples.load("devices").corpus, 3).invoke("reset the router")
    for page in PAGES:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params["q"] = "battery empty in the morning"
        app.switch_page(page).run()
        assert not app.exception, f"{page}: {[x.value for x in app.exception]}"
        assert app.title[0].value, page
        print(f"\n{page} is drawn", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
