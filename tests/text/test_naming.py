"""Names that tell documents apart: on any two cards a visitor can see which is which, however narrow the list is."""

from __future__ import annotations

import pickle
from itertools import combinations

import pytest
from making import docx, pdf, xlsx
from own_documents import SETS

from lab.algebra import Document, Label
from lab.derive.chunk import Chunk
from lab.reading.read import read_file
from lab.text import cut, width
from lab.text.naming import VISIBLE, distinct, name_documents, shared_title, shorten

NARROW = 20
"""Columns of the narrowest name in a chart or a list."""

SECTIONS = ["Returning a bike", "Loan bikes", "Puncture repair", "Booking a service", "Full service", "Basic service"]
CLAUSES = ["第一章 总则", "第二章 供应商管理", "第三章 询价与比价", "第四章 验收与付款", "第五章 附则"]
TEXT = "Bring it back by six in the evening, clean and locked. The desk notes the kilometres and the damage, if any."
LONG = "It may be kept for {n} days, and the desk must know about it before. "


def markdown(title: str, sections: list[str]) -> bytes:
    return "\n\n".join([f"# {title}", *(f"## {name}\n\n{TEXT} ({name})" for name in sections)]).encode()


OWN = {
    "workshop.md": markdown("Kettenblatt workshop manual", SECTIONS),
    "采购办法.md": markdown("云岭科技有限公司采购管理办法", CLAUSES),
    "workshop.docx": docx(
        "# Kettenblatt workshop manual",
        *(x for name in SECTIONS for x in (f"## {name}", TEXT)),
        title="Kettenblatt workshop manual",
    ),
    "law.docx": docx(*(x for n in range(1, 7) for x in (f"# Works agreement on working time § {n}", LONG.format(n=n)))),
    "prices.csv": ("name,text\n" + "".join(f'Price list 2025: {s},"{TEXT}"\n' for s in SECTIONS)).encode(),
    "价目表.csv": ("标题,正文\n" + "".join(f"二〇二五年价目表：第{n}类,每件{n}十元\n" for n in "一二三四五")).encode(),
    "minutes.md": "\n\n".join(
        f"# Minutes of {day}\n\n## Roof\n\nThe roof leaks since {day}.\n\n## Garden\n\nTwo trees on {day}."
        for day in ("4 March", "8 April", "6 May")
    ).encode(),
    "faq.csv": (
        "question,answer\n" + "".join(f"How do I return a bike in {s}?,On {s} days\n" for s in ("winter", "summer"))
    ).encode(),
    "manual.pdf": pdf(
        *("\n".join(f"The wheel number {9 * p + n} turns freely in its fork." for n in range(9)) for p in range(3)),
        title="Kettenblatt workshop manual",
    ),
    "reports.xlsx": xlsx(
        {
            "Reports": [
                ["title", "text"],
                *([f"Annual report {y} of the works council", LONG] for y in range(2020, 2026)),
            ]
        }
    ),
    "parts.csv": b"name,text\n"
    + b"Saddle,Black leather\n" * 1
    + b"Saddle,Brown leather\nSaddle,Gel\nChain,Nine links\n",
    "same.csv": b"name,text\nNote,the same words\nNote,the same words\nNote,the same words\n",
} | {name: data() for name, data in SETS.items()}


@pytest.mark.parametrize("size", [0, 60])
@pytest.mark.parametrize("name", OWN)
def test_any_two_documents_have_names_that_differ_where_they_are_cut(name: str, size: int):
    documents = list(read_file(name, OWN[name]).documents)
    if size:
        documents = Chunk(size=size).chunk_all(documents)
    labels = [document.label for document in name_documents(documents)]
    for first, second in combinations(labels, 2):
        assert first != second
        assert cut(first, NARROW) != cut(second, NARROW), (first, second)
        assert shown(first) != shown(second), (first, second)
    assert all(width(cut(label, NARROW)) <= NARROW for label in labels)


def shown(label: Label) -> tuple[str, str]:
    """What the narrowest card shows: the beginning of both parts, each cut at its end."""
    return cut(label[: label.start], 5), cut(label[label.start :], VISIBLE + 1 if label.start == 0 else VISIBLE - 3)


def labels_of(*titles: str) -> list[str]:
    return [str(d.label) for d in name_documents(Document(str(i), f"Text {i}", t) for i, t in enumerate(titles))]


def test_what_all_titles_share_is_left_out_and_what_two_share_stays():
    assert labels_of("Manual", "Manual › Brakes", "Manual › Gears") == ["Manual", "Brakes", "Gears"]
    assert labels_of("M › Brakes › Pads", "M › Gears › Pads", "M › Gears") == ["Brakes › Pads", "Gears › Pads", "Gears"]
    assert labels_of("A › Winter", "B › Winter") == ["A › Winter", "B › Winter"]
    assert labels_of("Prices 2025: Saddle", "Prices 2025: Fork", "Prices 2025: Bell") == ["Saddle", "Fork", "Bell"]
    assert labels_of("Annual leave (2022)", "Annual leave (2025)") == ["Annual leave (2022)", "Annual leave (2025)"]
    assert labels_of("采购管理办法第一章", "采购管理办法第二章", "采购管理办法第三章") == ["第一章", "第二章", "第三章"]


def test_passages_that_share_a_title_have_their_first_words_and_their_place():
    texts = ["Loan bikes are free", "The fee is due", "The fee is due", "Pads wear"]
    made = name_documents(Document(str(i), t, "Manual", {"page": 1 + i // 2}) for i, t in enumerate(texts))
    assert [str(d.label) for d in made] == [
        "Loan bikes are free (p. 1, 1/4)",
        "The fee is due (p. 1, 2/4)",
        "The fee is due (p. 2, 3/4)",
        "Pads wear (p. 2, 4/4)",
    ]
    assert cut(made[1].label, 18) == "The fee is…1, 2/4)"
    chinese = name_documents(Document(str(i), "押金五十元", "手册", {"page": 2}) for i in range(2))
    assert str(chinese[1].label) == "押金五十元 (第 2 页，2/2)"


def test_first_words_keep_the_beginning_that_all_share():
    texts = ["The wheel number 1 turns", "The wheel number 2 turns", "The wheel number 3 turns"]
    made = name_documents(Document(str(i), text) for i, text in enumerate(texts))
    assert [str(d.label) for d in made] == texts
    assert cut(made[1].label, 18) == "The wheel…2 turns"


def test_a_label_is_cut_before_what_tells_it_apart():
    first, second = distinct(["Password rules (2020)", "Password rules (2024)"])
    assert (cut(first, 16), cut(second, 16)) == ("Password…(2020)", "Password…(2024)")
    assert cut(first, 40) == "Password rules (2020)"
    assert cut(first.after("1 "), 18) == "1 Password…(2020)"
    assert [x.start for x in distinct(["Saddle", "Handlebar"])] == [0, 0]


def test_a_name_is_no_content_and_is_kept_when_a_document_travels():
    plain = Document("1", "a", "Manual › Gears")
    named = name_documents([plain, Document("2", "b", "Manual › Brakes")])[0]
    assert named == plain
    assert hash(named) == hash(plain)
    assert named.content == plain.content
    assert pickle.loads(pickle.dumps(named)).label == "Gears"


@pytest.mark.parametrize(
    ("titles", "shared", "of_two"),
    [
        (["Manual › Chain › Care", "Manual › Chain › Wear", "Manual › Brakes"], "Manual", "Manual › Chain"),
        (["Pump guide: start", "Pump guide: stop", "Pump guide: service"], "Pump guide:", "Pump guide:"),
        (["差旅制度 › 住宿 › 标准", "差旅制度 › 住宿 › 例外", "差旅制度 › 报销"], "差旅制度", "差旅制度 › 住宿"),
        (["Minutes"] * 7, "Minutes", "Minutes"),
        (["Pay day", "Parking", "Pensions"], "", ""),
        (["Manual › Chain › Care", "Brakes", "Manual › Wheels"], "", ""),
        ([""] * 3, "", ""),
    ],
)
def test_what_names_leave_out_of_every_title_is_known(titles: list[str], shared: str, of_two: str):
    documents = name_documents(Document(f"d{i}", f"Text number {i}.", t) for i, t in enumerate(titles))
    assert shared_title(documents) == shared
    assert shared_title(documents[:2]) == of_two
    assert shared_title(documents[:1]) == ""
    for document in documents:
        assert document.title.startswith(shared)
        assert not shared or not document.label.startswith(shared)


def test_names_of_searches_keep_what_tells_them_apart():
    names = [
        "BM25",
        "Vector · Built-in bilingual",
        "Vector · LSA",
        "向量 · 内置双语模型",
        "Vector · Built-in quick bilingual",
    ]
    assert shorten(names[:4], 20) == ["BM25", "Vector…bilingual", "Vector · LSA", "向量 · 内置双语模型"]
    assert len(set(shorten(names, 20))) == len(names)
    assert (
        shorten(["Vector · Unbreakablelongname", "External · a b c d e f g h"], 20)[0] == "Vector · Unbreakablelongname"
    )
