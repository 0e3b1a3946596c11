"""Chunks are slices of their text: nothing is lost, nothing is longer than asked, borders stand at sentences."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from night import examples, for_each

from lab.algebra import Corpus, Document, Lift, Pipeline, Runner
from lab.derive.chunk import Chunk
from lab.derive.parts import ParentChild
from lab.errors import ParameterError
from lab.reading.headings import paragraphs, sections
from lab.retrieve.lexical import BM25
from lab.text import count_tokens

mixed = st.text(alphabet="员工请假。，！？、；：“” ab.\n c,1", max_size=500)
repeated = st.builds(
    lambda unit, times: unit * times, st.text(alphabet="员工。 ab.\n", min_size=1, max_size=9), st.integers(0, 120)
)


@st.composite
def chunkers(draw: st.DrawFn) -> Chunk:
    size = draw(st.integers(20, 90))
    return Chunk(
        size=size, overlap=draw(st.integers(0, size - 1)), unit=draw(st.sampled_from(["characters", "tokens"]))
    )


@examples(200)
@given(chunkers(), mixed | repeated)
def test_chunks_cover_the_text_in_order_and_none_is_longer_than_its_size(chunker: Chunk, text: str) -> None:
    spans = chunker.spans(text)
    measure = len if chunker.unit == "characters" else count_tokens
    for start, end in spans:
        piece = text[start:end]
        assert piece
        assert piece == piece.strip()
        assert measure(piece) <= chunker.size
    for (start, end), (next_start, next_end) in zip(spans, spans[1:], strict=False):
        assert start < next_start
        assert end < next_end
        assert measure(text[next_start:end]) <= chunker.overlap  # "" where they do not touch
    covered = {i for start, end in spans for i in range(start, end)}
    assert all(i in covered for i, c in enumerate(text) if not c.isspace())


@examples(50)
@given(chunkers(), mixed | repeated)
def test_the_chunks_of_a_document_are_the_slices_of_its_spans(chunker: Chunk, text: str) -> None:
    document = Document("d", text, "T", {"topic": "x"})
    chunks = chunker.chunk(document)
    if chunks == [document]:
        assert len(text) <= chunker.size or chunker.unit == "tokens"
    else:
        assert [c.text for c in chunks] == [text[a:b] for a, b in chunker.spans(text)]
        assert [c.id for c in chunks] == [f"d#{i}" for i in range(1, len(chunks) + 1)]
        assert all(
            dict(c.metadata) == {"topic": "x", "parent": "d", "chunk": i, "start": a} and c.title == "T"
            for i, (c, (a, _)) in enumerate(zip(chunks, chunker.spans(text), strict=True), 1)
        )


def test_borders_stand_at_the_strongest_mark_that_fits() -> None:
    zh = "员工请假应提前三天提出申请。经批准后方可生效，逾期不予受理！特殊情况另行通知。"
    assert [zh[a:b] for a, b in Chunk(size=20, overlap=0).spans(zh)] == [
        "员工请假应提前三天提出申请。",
        "经批准后方可生效，逾期不予受理！",
        "特殊情况另行通知。",
    ]
    en = "Update to v2.1 first. Then wait 3.5 minutes, please. Done."
    assert [en[a:b] for a, b in Chunk(size=32, overlap=0).spans(en)] == [
        "Update to v2.1 first.",
        "Then wait 3.5 minutes, please.",
        "Done.",
    ]
    paragraphs = "One. Two.\n\nThree. Four.\nFive."
    assert [paragraphs[a:b] for a, b in Chunk(size=20, overlap=0).spans(paragraphs)] == [
        "One. Two.",
        "Three. Four.\nFive.",
    ]


def test_a_closing_quotation_mark_stays_with_its_sentence() -> None:
    text = "他说：“请先关闭电源，再打开后盖。”然后他就走了，再也没有回来。"
    assert [text[a:b] for a, b in Chunk(size=20, overlap=0).spans(text)] == [
        "他说：“请先关闭电源，再打开后盖。”",
        "然后他就走了，再也没有回来。",
    ]


def test_an_overlap_of_one_token_is_the_last_word_once_more() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon"
    first, second = (text[a:b].split() for a, b in Chunk(size=20, overlap=1, unit="tokens").spans(text))
    assert first[-1] == second[0]


def test_the_overlap_begins_at_a_sentence_a_clause_or_a_blank_where_there_is_one() -> None:
    text = "First sentence is here. Second one, with more. " * 4
    spans = Chunk(size=60, overlap=25).spans(text)
    assert len(spans) > 2
    assert all(text[a - 1] == " " for a, _ in spans[1:])
    assert any(a < end for (a, _), (_, end) in zip(spans[1:], spans, strict=False))
    solid = "字" * 100
    assert Chunk(size=40, overlap=10).spans(solid) == [(0, 30), (20, 60), (50, 90), (80, 100)]


def test_a_short_document_stays_whole_under_its_own_id() -> None:
    document = Document("d", "字" * 400)
    assert Chunk(size=400).chunk(document) == [document]
    assert len(Chunk(size=399).chunk(document)) == 2


def test_a_blank_text_has_no_chunks() -> None:
    assert Chunk().spans("") == []
    assert Chunk(size=20, overlap=0).spans(" \n" * 100) == []


def test_chunking_a_corpus_gives_ids_that_all_differ_and_documents_keep_theirs() -> None:
    documents = [Document("a", "字" * 50), Document("a#1", "short"), Document("b", "word " * 20)]
    for several in (documents, documents[::-1]):
        chunks = Chunk(size=20, overlap=5).chunk_all(several)
        assert next(c for c in chunks if c.id == "a#1").text == "short"
        assert [c.id for c in chunks if c.metadata.get("parent") == "a"] == ["a#1-2", "a#2", "a#3", "a#4"]
        assert len(Corpus("c", tuple(chunks))) == len(chunks)


@for_each(
    "knobs, says",
    [
        ({"size": 50, "overlap": 50}, "overlap is 50, but must be smaller than size, which is 50"),
        ({"size": 5}, "size is 5"),
        ({"overlap": -1}, "overlap is -1"),
        ({"unit": "words"}, "characters, tokens"),
        ({"size": 100.5}, "whole number"),
    ],
)
def test_knobs_outside_their_range_are_refused(knobs: dict[str, object], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Chunk(**knobs)  # type: ignore[arg-type]


chapters = st.lists(
    st.sampled_from(
        ["# A", "Chapter 2: Light", "第三章 灯塔", "1. One", "2. Two", "", "员工请假。", "ab " * 30, "c, d. e"]
    ),
    max_size=12,
).map("\n".join)


@examples(200)
@given(chunkers(), st.sampled_from(["paragraph", "heading"]), chapters)
def test_no_chunk_reaches_over_a_heading_or_a_paragraph_where_these_are_borders(base: Chunk, at: str, text: str):
    chunker = replace(base, at=at)
    measure = len if chunker.unit == "characters" else count_tokens
    borders = [(s.start, s.end) for s in sections(text)] if at == "heading" else [*paragraphs(text)]
    spans = chunker.spans(text)
    assert all(text[a:b].strip() == text[a:b] and 0 < measure(text[a:b]) <= chunker.size for a, b in spans)
    for a, b in spans:
        assert sum(begin <= a and b <= end for begin, end in borders) == 1
    for begin, end in borders:  # and inside of one all is as it is by size
        inside = [(a - begin, b - begin) for a, b in spans if begin <= a < end]
        assert inside == base.spans(text[begin:end])
    each = [base.at_least([Document("d", text[begin:end])]) for begin, end in borders]
    assert chunker.at_least([Document("d", text)]) == (sum(each) or 1)


def test_seven_chapters_are_never_two_chunks_and_each_is_called_by_its_heading():
    names = ["The harbour", "The keeper", "The storm", "The letter", "The lamp", "The birds", "The ferry"]
    text = "\n\n".join(f"Chapter {i}: {name}\n\nWhat happened there." for i, name in enumerate(names, 1))
    chunks = Chunk(at="heading").chunk(Document("novel", text, "Novel", {"year": 1871}))
    assert [c.title for c in chunks] == [f"Novel › Chapter {i}: {name}" for i, name in enumerate(names, 1)]
    assert dict(chunks[1].metadata) == {
        "year": 1871,
        "parent": "novel",
        "chunk": 2,
        "start": text.index("What", text.index("keeper")),
        "heading": "Chapter 2: The keeper",
        "level": 1,
    }
    assert len(Chunk().chunk(Document("novel", text))) < 7  # as it was by size alone


def test_a_long_section_is_cut_by_size_and_all_its_chunks_have_its_heading():
    text = "# Rules\n" + "员工请假应提前三天提出申请。" * 5 + "\n# End\nBye."
    chunks = Chunk(size=30, overlap=0, at="heading").chunk(Document("d", text))
    assert [c.title for c in chunks] == ["Rules"] * 3 + ["End"]
    assert {c.metadata["level"] for c in chunks} == {1}


def test_a_short_document_without_headings_stays_whole_and_one_with_a_heading_does_not():
    by_heading = Chunk(at="heading")
    plain, headed = Document("d", "One.\n\nTwo."), Document("d", "# A\nOne.")
    assert by_heading.chunk(plain) == [plain]
    assert [(c.id, c.title, c.text) for c in by_heading.chunk(headed)] == [("d#1", "A", "One.")]
    assert [c.text for c in Chunk(at="paragraph").chunk(plain)] == ["One.", "Two."]


@for_each(
    "size, overlap, unit",
    [(100, 0, "characters"), (100, 20, "characters"), (20, 19, "characters"), (25, 0, "tokens"), (40, 10, "tokens")],
)
def test_the_exact_length_cuts_wherever_it_is_full(size: int, overlap: int, unit: str) -> None:
    rng = random.Random(size + overlap)
    texts = [
        "机器学习使计算机能够从数据中学习，不需要写明规则。" * 12,
        "Nobody reads pneumonoultramicroscopic words twice. " * 9,
    ]
    texts.append("".join(rng.choice(["家", "a", " ", "👨‍👩‍👧", "🇩🇪", "e\u0301", "。"]) for _ in range(400)))
    chunk = Chunk(size=size, overlap=overlap, unit=unit, at="exact")
    length = len if unit == "characters" else count_tokens
    for text in texts:
        spans = chunk.spans(text)
        assert {i for a, b in spans for i in range(a, b)} >= {i for i, c in enumerate(text) if not c.isspace()}
        for a, b in spans:
            assert length(text[a:b]) <= size + (32 if unit == "characters" else 8), (
                "a sign that is seen as one stays whole"
            )
            assert text[a:b] == text[a:b].strip()
        if unit == "characters" and "👨" not in text:
            step = size - overlap
            wanted = [text[i : i + size].strip() for i in range(0, max(1, len(text) - overlap), step)]
            assert [text[a:b] for a, b in spans] == [w for w in wanted if w]
    assert "".join(texts[2][a:b] for a, b in Chunk(20, overlap=0, at="exact").spans(texts[2])).count("👨‍👩‍👧") == texts[
        2
    ].count("👨‍👩‍👧")


def test_parents_and_children_of_an_exact_length_are_cut_in_mid_sentence() -> None:
    text = "机器学习使计算机能够从数据中学习，不需要写明规则。" * 8
    corpus = Corpus("c", (Document("d", text),))
    derived = ParentChild(parent=120, child=50, at="exact")(corpus)
    assert [len(d.text) for d in derived] == [50, 50, 20, 50, 30]
    assert [d.text[-1] in "。，" for d in derived][:2] == [False, False] or text[49] in "。，"
    soft = ParentChild(parent=120, child=50)(corpus)
    assert all(d.text[-1] in "。，" for d in soft)


def test_chunks_before_parents_and_children_are_what_comes_back() -> None:
    text = " ".join(f"Sentence {i} is about topic {'kiln' if i == 17 else 'glaze'}." for i in range(40))
    corpus = Corpus("c", (Document("d", text), Document("e", "A kiln.")))
    search = Pipeline((BM25(),), derive=(Chunk(300, overlap=0), ParentChild(parent=300, child=60)), refine=(Lift(),))
    found = next(hit for hit in Runner(corpus)(search, "kiln topic 17").hits if hit.document.id.startswith("d"))
    assert "kiln" in found.document.text
    assert len(found.document.text) <= 300 < len(text)
    assert Runner(corpus)(search >> Lift(), "kiln topic 17").ids[:2] in (["d", "e"], ["e", "d"])


@pytest.mark.parametrize("size", [100, 200, 400])
@pytest.mark.parametrize("tail", ["\n\n好。", " Ok.", "\n—"])
@pytest.mark.parametrize("word", ["风筝在风大的时候总是往左偏", "kites fly over the pier and "])
def test_no_crumb_is_left_behind_a_long_sentence(word: str, tail: str, size: int) -> None:
    for length in range(size - 6, size + 1):
        text = (word * 40)[:length].rstrip() + "。" + tail
        chunks = [text[a:b] for a, b in Chunk(size=size, overlap=0).spans(text)]
        assert all(len(chunk) <= size for chunk in chunks)
        assert all(len(chunk) >= 5 for chunk in chunks), chunks
        assert "".join("".join(chunks).split()) == "".join(text.split())


CONTRACT = """软件开发服务合同
第一章 总则
第一条　为了规范采购，制定本办法。
第二条 本办法适用于全体员工。依照
第一条规定的情形除外。
第三条 工期
工期为六十天。
第二章 付款
第四条【付款方式】分三期支付。
第五条之一：乙方违约的，赔偿。"""


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            CONTRACT,
            ["C", "第一章 总则 › 第一条", "第一章 总则 › 第二条", "第一章 总则 › 第三条 工期",
             "第二章 付款 › 第四条 付款方式", "第二章 付款 › 第五条之一"],
        ),
        (
            "Article 1. Term\nTwo years, as in\nArticle 3 of the law.\n\nArticle II - Fees\nMonthly.\n"
            "Clause 3: No cash.",
            ["Article 1. Term", "Article II - Fees", "Clause 3"],
        ),
        ("§ 1 Miete\nSie ist fällig.\n§ 2 Abs. 1 gilt.\n§ 2a Die Frist ist kurz.", ["§ 1 Miete", "§ 2a"]),
        (
            "Contract\n1. Deposit\n1.1 It is 65 euros.\n1.2 It is paid back.",
            ["C", "1. Deposit › 1.1", "1. Deposit › 1.2"],
        ),
        ("**第一条** 甲方付款。\n\n**第二条** 乙方开发。", ["第一条", "第二条"]),
        ("Prices rose by\n3.5 percent in May.", ["C"]),
    ],
)  # fmt: skip
def test_clauses_are_chunks_with_the_clause_in_the_title(text: str, titles: list[str]) -> None:
    chunks = Chunk(at="clause").chunk(Document("d", text, "C"))
    assert [c.title.removeprefix("C › ") for c in chunks] == titles
    kept = "".join(c.title + c.text for c in chunks)
    assert all(word in kept for word in text.replace("**", " ").replace("【", " ").replace("】", " ").split())


@pytest.mark.parametrize("heading", ["第{n}条 名称", "## Part {n}", "{n}.1 Fees", "Article {n} - Fees", "第{n}节 名称"])
@pytest.mark.parametrize("size", [100, 150, 200])
def test_a_heading_is_never_parted_from_its_text(heading: str, size: int) -> None:
    text = "\n".join(f"{heading.format(n=n)}\n{'甲方应当按时付款。' * (n % 4 + 5)}" for n in range(1, 9))
    chunks = Chunk(size=size, overlap=20).chunk(Document("d", text))
    assert all(c.text.endswith("。") for c in chunks)
