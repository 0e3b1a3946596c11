"""Text from the clipboard: what it is recognised as, and the documents with their metadata."""

from __future__ import annotations

from typing import Any

import pytest

from lab.reading.clipboard import JSON, LINES, PARAGRAPHS, PYTHON, TABLE, recognise
from lab.reading.read import paste

DOCUMENTS = """
from langchain_core.documents import Document

docs = [
    # the first of two
    Document(page_content="Tents are aired in May.", metadata={"source": "camp.md", "page": 1}),
    Document(
        page_content="The ferry "
        "leaves at noon.",
        metadata=dict(source="boat.md", page=2),
    ),
]
queries = ["When does the ferry leave?", "Who airs the tents?"]
store = Store.from_documents(docs, embeddings)
"""
ONE_BY_ONE = '''
first = Document("""帐篷每年五月晾晒，
由两个人负责。""", metadata={"页": 3})
second = Document(page_content="渡轮中午开航。", metadata={"页": 4})
docs = [first, second]
'''
WRAPPED = """A program broke this text at a width of some
forty signs, so that all of its lines are about
as long as each other and none is a passage of
its own."""
ADDED = """
collection.add(
    documents=["Tents are aired in May.", "The ferry leaves at noon."],
    metadatas=[{"area": "camp"}, {"area": "boat"}],
    ids=["d1", "d2"],
)
"""


def read(text: str, **options: Any) -> list[tuple[str, str, dict[str, Any]]]:
    documents = paste(text, **options).documents
    return [(d.id, d.text, {k: v for k, v in d.metadata.items() if v != "pasted"}) for d in documents]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        (
            DOCUMENTS,
            [
                ("pasted/1", "Tents are aired in May.", {"source": "camp.md", "page": 1}),
                ("pasted/2", "The ferry leaves at noon.", {"source": "boat.md", "page": 2}),
            ],
        ),
        (
            ONE_BY_ONE,
            [("pasted/1", "帐篷每年五月晾晒，\n由两个人负责。", {"页": 3}), ("pasted/2", "渡轮中午开航。", {"页": 4})],
        ),
        (
            ADDED,
            [
                ("d1", "Tents are aired in May.", {"area": "camp"}),
                ("d2", "The ferry leaves at noon.", {"area": "boat"}),
            ],
        ),
        ("texts = ['Kites fly', \"It's a mole\",]", [("pasted/1", "Kites fly", {}), ("pasted/2", "It's a mole", {})]),
        ('    "Kites fly",\n    "Moles dig",\n', [("pasted/1", "Kites fly", {}), ("pasted/2", "Moles dig", {})]),
        (
            "rows = [{'id': 'k1', 'text': 'Kites fly', 'n': 1}, {'id': 'k2', 'text': 'Moles dig', 'n': None}]",
            [("k1", "Kites fly", {"n": 1}), ("k2", "Moles dig", {})],
        ),
        ("[('k1', 'Kites fly'), ('k2', 'Moles dig')]", [("k1", "Kites fly", {}), ("k2", "Moles dig", {})]),
        (
            "texts = ['Kites fly', 'Moles dig']\n"
            "docs = [Document(page_content=t, metadata={'n': i}) for i, t in enumerate(texts)]",
            [("pasted/1", "Kites fly", {"n": 0}), ("pasted/2", "Moles dig", {"n": 1})],
        ),
        (
            "data = {'text': ['Kites fly', 'Moles dig'], 'n': [4, 5]}\nframe = pd.DataFrame(data)",
            [("pasted/1", "Kites fly", {"n": 4}), ("pasted/2", "Moles dig", {"n": 5})],
        ),
        (">>> corpus = {'k1': 'Kites fly', 'k2': 'Moles dig'}", [("k1", "Kites fly", {}), ("k2", "Moles dig", {})]),
    ],
)
def test_python_is_read_as_data_with_its_metadata(text: str, documents: list[Any]) -> None:
    assert recognise(text).kind == PYTHON
    assert read(text) == documents


def test_what_the_code_leaves_open_is_named_and_nothing_runs() -> None:
    text = "docs = [Document(page_content=open('/etc/passwd').read()), Document(page_content='Kites fly high')]"
    result = paste(text + "\nqueries = ['Who flies high up?']")
    assert [d.text for d in result] == ["Kites fly high"]
    assert "running the code would give were left out: 1" in str(result.problems[0])
    assert "queries" in str(result.files[0].text)


@pytest.mark.parametrize(
    ("text", "kind", "documents"),
    [
        ('[{"id": "k1", "text": "Kites fly", "tags": ["sky"]}]', JSON, [("k1", "Kites fly", {"tags": ["sky"]})]),
        (
            '{"text": "Kites fly"}\n{"text": "Moles dig"}',
            JSON,
            [("pasted/1", "Kites fly", {}), ("pasted/2", "Moles dig", {})],
        ),
        (
            "id\ttext\tprice\nk1\tKites fly\t3\nk2\t鼹鼠挖洞\t4",
            TABLE,
            [("k1", "Kites fly", {"price": 3}), ("k2", "鼹鼠挖洞", {"price": 4})],
        ),
        ("k1\tKites fly high\nk2\tMoles dig deep", TABLE, [("k1", "Kites fly high", {}), ("k2", "Moles dig deep", {})]),
        (
            "Kites fly in May.\nMoles dig all year.\nWho winds the reels?",
            LINES,
            [
                ("pasted/1", "Kites fly in May.", {}),
                ("pasted/2", "Moles dig all year.", {}),
                ("pasted/3", "Who winds the reels?", {}),
            ],
        ),
        (
            "风筝五月放飞。\n鼹鼠整年挖洞。\n谁来收线？",
            LINES,
            [("pasted/1", "风筝五月放飞。", {}), ("pasted/2", "鼹鼠整年挖洞。", {}), ("pasted/3", "谁来收线？", {})],
        ),
    ],
)
def test_json_tables_and_lines_are_recognised(text: str, kind: str, documents: list[Any]) -> None:
    assert recognise(text).kind == kind
    assert read(text) == documents


@pytest.mark.parametrize(
    "text",
    [
        WRAPPED,
        "One paragraph\nover two lines.\n\nAnother one.",
        '"Kites fly," she said.\n"Moles dig," he said, and left.',
        "import os\nos.system('echo kites')\nprint('moles dig')",
        'He wrote: "kites".',
        "model = 'some name of a model'\nsize = 400",
    ],
)
def test_other_texts_stay_paragraphs(text: str) -> None:
    assert recognise(text).kind == PARAGRAPHS
    assert len(read(text)) == text.count("\n\n") + 1


def test_the_guess_can_be_changed() -> None:
    text = "Kites fly in May.\nMoles dig all year.\nReels turn."
    assert len(read(text)) == 3
    assert len(read(text, kind=PARAGRAPHS)) == 1
    assert [t for _, t, _ in read('["Kites fly", "Moles dig"]', kind=LINES)] == ['["Kites fly", "Moles dig"]']


@pytest.mark.parametrize("twice", ["{0} + {0}", "[{0}, {0}]", "[*{0}, *{0}]", "[{0} for i in {0} for j in {0}]"])
def test_names_cannot_multiply_a_text_without_end(twice: str) -> None:
    code = "a0 = ['kites fly']\n" + "".join(f"a{i + 1} = {twice.format(f'a{i}')}\n" for i in range(60))
    assert len(paste(code)) == 1
