"""PDF files: whole words, honest titles, no headers; and what every viewer opens opens here."""

from __future__ import annotations

from collections import Counter

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
    [
        ("Almanac 2024", "Page {n} of {total}"),
        ("Internal - {n}/{total}",),
        ("Club paper 17", "{n}", "www.example.org"),
    ],
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
