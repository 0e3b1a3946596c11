"""PDF files: whole words, honest titles, no headers; and what every viewer opens opens here."""

from __future__ import annotations

import io
from collections import Counter

import pypdf
import pytest
from making import owner_locked_pdf, pdf
from pypdf.errors import DependencyError

from lab.algebra import Corpus
from lab.errors import UploadError
from lab.reading.hyphens import rejoined
from lab.reading.read import read_file
from lab.retrieve.lexical import BM25


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256", "AES-256-R5"])
def test_a_file_that_everybody_may_open_opens(algorithm: str) -> None:
    result = read_file("plan.pdf", owner_locked_pdf("The pier closes at nine.", algorithm=algorithm))
    assert [d.text for d in result] == ["The pier closes at nine."]


def test_a_package_that_is_missing_here_is_not_the_files_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    import pypdf

    def lacking(*_: object) -> None:
        raise DependencyError("cryptography>=3.1 is required for AES algorithm")

    monkeypatch.setattr(pypdf.PdfReader, "decrypt", lacking)
    with pytest.raises(UploadError) as caught:
        read_file("plan.pdf", owner_locked_pdf("The pier closes at nine.", algorithm="RC4-128"))
    assert "lacks the package" in caught.value.message
    assert "password" not in str(caught.value)
    assert "pip install" in caught.value.remedy


def test_words_that_were_cut_at_the_end_of_a_line_are_whole_and_found() -> None:
    page = "The club keeps a written inven-\ntory of every boat and its main-\ntenance, and a well-\nknown list."
    result = read_file("boats.pdf", pdf(page))
    assert result.documents[0].text == (
        "The club keeps a written inventory of every boat and its maintenance, and a well-known list."
    )
    found = BM25().index(Corpus("c", result.documents)).search("inventory maintenance")
    assert found.hits


@pytest.mark.parametrize(
    ("line", "following", "joined"),
    [
        ("a photosyn-", "thesis of", "a photosynthesis of"),
        ("re-", "search", "research"),
        ("water-", "proof coat", "waterproof coat"),
        ("a well-", "known fact", "a well-known fact"),
        ("long-", "term", "long-term"),
        ("state-of-", "the-art", "state-of-the-art"),
        ("COVID-", "19 cases", "COVID-19 cases"),
        ("Anglo-", "Saxon", "Anglo-Saxon"),
        ("pre-", "and post-war", "pre- and post-war"),
        ("Wartungs-", "arbeiten", "Wartungsarbeiten"),
        ("mainte\u00ad", "nance", "maintenance"),
        ("the blue-", "grass field", "the blue-grass field"),
        ("an end -", "of it", None),
        ("A-", "线", "A-线"),
    ],
)
def test_a_hyphen_of_the_word_itself_stays(line: str, following: str, joined: str | None) -> None:
    assert rejoined(line, following, Counter(["blue-grass"])) == joined


BODY = [
    "Kites fly in March and rest in May, says the almanac of the northern club.",
    "Moles dig by night and sleep by day, says the keeper of the old garden.",
    "Owls see well in the dark and hear better still, says everybody in town.",
]


def pages(*extra: str) -> list[str]:
    return [
        "\n".join(
            [
                *(line.format(n=n, total=3) for line in extra[:1]),
                body,
                body,
                *(x.format(n=n, total=3) for x in extra[1:]),
            ]
        )
        for n, body in enumerate(BODY, 1)
    ]


@pytest.mark.parametrize(
    "extra",
    [("Almanac 2024", "Page {n} of {total}"), ("Internal - {n}/{total}",), ("Club paper 17", "{n}", "www.example.org")],
)
def test_headers_footers_and_page_numbers_are_left_out_and_said(extra: tuple[str, ...]) -> None:
    result = read_file("almanac.pdf", pdf(*pages(*extra)))
    assert [d.text for d in result] == [f"{body}\n{body}" for body in BODY]
    (problem,) = result.problems
    assert "Repeated lines at page edges were left out" in problem.message


def test_lines_that_differ_or_are_all_of_a_page_stay() -> None:
    numbers = [f"{body}\nTotal {n}" for body, n in zip(BODY, (7, 19, 3), strict=True)]
    assert [d.text.split("\n")[-1] for d in read_file("a.pdf", pdf(*numbers))] == ["Total 7", "Total 19", "Total 3"]
    same = read_file("b.pdf", pdf(*[f"page about topic {i}" for i in range(4)]))
    assert [d.text for d in same] == [f"page about topic {i}" for i in range(4)]
    assert same.problems == ()


@pytest.mark.parametrize(
    "junk",
    [
        *("about:blank", "Microsoft Word - letter_final2.doc", "Untitled", "Document1", "PowerPoint Presentation"),
        *(
            "file:///C:/Users/x/y.html",
            "https://example.org/a?b=1",
            "C:\\\\temp\\\\x.doc",
            "scan0001",
            "letter final.docx",
        ),
        *("550e8400-e29b-41d4-a716-446655440000", "none", "null", "12345", "Slide 1", "tmp3.tmp"),
    ],
)
def test_a_title_that_a_program_wrote_is_none(junk: str) -> None:
    assert [d.title for d in read_file("Boat plan.pdf", pdf("Boats.", title=junk))] == ["Boat plan"]


@pytest.mark.parametrize(
    "title", ["Boats of the north", "Word for beginners", "Untitled Goose: a review", "Report 2024"]
)
def test_an_honest_title_stays(title: str) -> None:
    assert [d.title for d in read_file("x.pdf", pdf("Boats.", title=title))] == [title]


def test_what_was_read_is_said_in_one_line() -> None:
    (summary,) = read_file("x.pdf", pdf("One.", "Two.")).files
    assert summary.text == "2 pages"


MANUAL = [
    f"# Workshop manual\n## The chain\n{BODY[0]}\n{BODY[1]}\n## The brakes\n{BODY[2]}",
    f"{BODY[1]}\n## Storage\n## of wheels\n{BODY[0]}",
]


def test_clearly_larger_lines_are_headings_also_over_pages() -> None:
    assert [(d.title, d.text, d.metadata["page"]) for d in read_file("m.pdf", pdf(*MANUAL))] == [
        ("Workshop manual › The chain", f"{BODY[0]}\n{BODY[1]}", 1),
        ("Workshop manual › The brakes", BODY[2], 1),
        ("Workshop manual › The brakes", BODY[1], 2),
        ("Workshop manual › Storage of wheels", BODY[0], 2),
    ]
    ids = [d.id for d in read_file("m.pdf", pdf(*MANUAL))]
    assert ids == ["m.pdf/1", "m.pdf/1.2", "m.pdf/2", "m.pdf/2.2"]


def with_bookmarks(data: bytes, *bookmarks: tuple[str, int, bool]) -> bytes:
    """A PDF with these bookmarks: the name, the page, and whether it is below the first."""
    writer, above, out = pypdf.PdfWriter(clone_from=io.BytesIO(data)), None, io.BytesIO()
    for title, page, below in bookmarks:
        item = writer.add_outline_item(title=title, page_number=page, parent=above if below else None)
        above = above or item
    writer.write(out)
    return out.getvalue()


def test_bookmarks_are_headings_where_their_names_stand() -> None:
    text = [f"1. The chain\n{BODY[0]}\n1.1 Oil\n{BODY[1]}", f"2. The\nbrakes\n{BODY[2]}"]
    data = with_bookmarks(
        pdf(*text, title="Manual"), ("The chain", 0, False), ("Oil", 0, True), ("The brakes", 1, False)
    )
    assert [(d.title, d.text) for d in read_file("m.pdf", data)] == [
        ("Manual › 1. The chain", BODY[0]),
        ("Manual › 1. The chain › 1.1 Oil", BODY[1]),
        ("Manual › 2. The brakes", BODY[2]),
    ]


def test_bookmarks_that_no_line_has_and_a_page_of_large_letters_change_nothing() -> None:
    odd = with_bookmarks(pdf(*BODY), ("Page 1", 0, False), ("Slide 2", 1, False), ("", 2, False))
    assert [(d.title, d.text) for d in read_file("odd.pdf", odd)] == [("odd", body) for body in BODY]
    poster = read_file("poster.pdf", pdf("## Row with us\n## every Sunday\nat noon"))
    assert "Row with us" in poster.documents[0].title + poster.documents[0].text


def test_a_heading_without_a_text_is_kept() -> None:
    result = read_file("m.pdf", pdf(f"# Rules\n## Chain\n{BODY[0]} {BODY[1]}\n## The end"))
    assert [(d.title, d.text) for d in result][1:] == [("Rules › The end", "The end")]


LINE = "the keeper of the harbour writes into the log which of the ferries came late"


def test_a_sentence_that_goes_on_on_the_next_page_is_whole() -> None:
    first, second = read_file("a.pdf", pdf(f"{LINE}.\n{LINE}", f"because of fog. Then {LINE}.\n{LINE}."))
    assert first.text == f"{LINE}.\n{LINE} because of fog."
    assert second.text == f"Then {LINE}.\n{LINE}."


@pytest.mark.parametrize(("header", "footer"), [("Club paper 17", "www.example.org"), ("ACME rules", "ACME rules v2")])
def test_lines_on_both_pages_of_two_are_left_out_and_said(header: str, footer: str) -> None:
    result = read_file("a.pdf", pdf(*(f"{header}\n{body}\n{LINE}.\n{footer}" for body in BODY[:2])))
    assert [d.text for d in result] == [f"{body}\n{LINE}." for body in BODY[:2]]
    assert all(line in str(result.problems[0]) for line in (header, footer))


def test_a_sentence_on_both_pages_of_two_stays() -> None:
    result = read_file("a.pdf", pdf(*(f"{LINE}.\n{body}\n{LINE}\nBye." for body in BODY[:2])))
    assert [d.text.split("\n")[0] for d in result] == [f"{LINE}."] * 2
    assert result.problems == ()
