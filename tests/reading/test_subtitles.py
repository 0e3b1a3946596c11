"""Subtitles and transcripts: what is said, once, by whom; no times, numbers and marks."""

from __future__ import annotations

import pytest

from lab.reading.read import ReadResult, read_file

SRT = """1
00:00:01,000 --> 00:00:04,200
Welcome to the <i>boat</i> course.

2
00:00:04,300 --> 00:00:08,000
{\\an8}Today we learn how to tie
a bowline knot.
"""
TEAMS = """WEBVTT

0f1e2d3c-1111-2222-3333-444455556666/12-0
00:00:03.000 --> 00:00:05.000
<v Mira Holm>Shall we begin?</v>

0f1e2d3c-1111-2222-3333-444455556666/13-0
00:00:05.100 --> 00:00:07.000
<v Mira Holm>The tide is at noon.</v>

0f1e2d3c-1111-2222-3333-444455556666/14-0
00:00:07.100 --> 00:00:09.000
<v Ben>R&amp;D is late. In 2019
we were on time.</v>
"""
ROLLING = """WEBVTT
Kind: captions
Language: en

NOTE made by a machine
in two lines

STYLE
::cue { color: red }

00:00:00.000 --> 00:00:02.000 align:start position:0%
{blank}
welcome<00:00:00.500><c> to the</c><00:00:01.000><c> course</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
welcome to the course
{blank}

00:00:02.010 --> 00:00:04.000 align:start position:0%
welcome to the course
today we<00:00:02.500><c> tie knots</c>

00:00:04.000 --> 00:00:04.010
today we tie knots
{blank}

00:00:04.010 --> 00:00:06.000
today we tie knots
with a rope
""".replace("{blank}", " ")


def said(text: str, name: str = "a.srt") -> str:
    return "\n".join(d.text for d in read_file(name, text.encode()))


@pytest.mark.parametrize("name", ["course.srt", "course.txt", "course.vtt"])
def test_subtitles_are_what_is_said(name: str) -> None:
    document = read_file(name, SRT.encode()).documents[0]
    assert document.text == "Welcome to the boat course. Today we learn how to tie a bowline knot."
    assert (document.title, document.metadata["time"]) == ("course", "00:00:01")


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (TEAMS, "Mira Holm: Shall we begin? The tide is at noon.\nBen: R&D is late. In 2019 we were on time."),
        (ROLLING, "welcome to the course today we tie knots with a rope"),
        ("1\n00:00:01,000 --> 00:00:02,000\nNo.\n\n2\n00:00:03,000 --> 00:00:04,000\nNo.\n", "No. No."),
        ("1\n0:01,0 --> 0:02,0\nIn\n2\n0:02,0 --> 0:03,0\n1984\n\n3\n0:03,0 --> 0:04,0\nit was wet.",
         "In 1984 it was wet."),
        ("0:00:01.000,0:00:02.000\nHello\n\n0:00:02.000,0:00:03.000\nboats", "Hello boats"),
        ("WEBVTT\n\n1\n00:01.000 --> 00:02.000\nMira: hi\n\n2\n00:02.000 --> 00:03.000\nBen: hello",
         "Mira: hi\nBen: hello"),
        ("1\n00:00:01,000 --> 00:00:02,000\ntoday\n\n2\n00:00:02,000 --> 00:00:03,000\ntoday we row\n\n"
         "3\n00:00:03,000 --> 00:00:04,000\ntoday we row home\n", "today we row home"),
        ("1\r\n00:00:01,000 --> 00:00:02,000\r\n欢迎来到课程\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\n今天打结\r\n",
         "欢迎来到课程 今天打结"),
    ],
)  # fmt: skip
def test_dialects_and_transcripts(text: str, spoken: str) -> None:
    assert said(text) == spoken


def long(count: int) -> ReadResult:
    times = (f"00:{n // 60:02}:{n % 60:02}" for n in range(count))
    cues = (f"{n}\n{at},000 --> {at},900\nBoat {n} is\nin the harbour." for n, at in enumerate(times))
    return read_file("a.srt", "\n\n".join(cues).encode())


def test_a_long_film_is_read_in_passages_that_end_with_sentences() -> None:
    result = long(200)
    assert len(result) > 5
    assert all(400 <= len(d.text) <= 500 and d.text.endswith(".") for d in result.documents[:-1])
    assert " ".join(d.text for d in result) == " ".join(f"Boat {n} is in the harbour." for n in range(200))
    assert [d.metadata["time"] for d in result][:2] == ["00:00:00", "00:00:16"]


def test_a_text_about_subtitles_stays_a_text() -> None:
    text = "A subtitle has two times:\n\n00:00:01,000 --> 00:00:04,200\n\nThe rest is text."
    assert read_file("a.txt", text.encode()).documents[0].text == text
