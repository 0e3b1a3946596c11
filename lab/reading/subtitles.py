"""Subtitles and transcripts of meetings (srt, vtt, sbv): words and their speakers, in passages that know their time.

Captions that roll over show each line two or three times; each is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape

from lab.reading.account import COMMENTS, HIDDEN, Statement
from lab.reading.format import Format, Sample
from lab.reading.sections import document_name, honest
from lab.reading.uploads import Metadata, Reading
from lab.text.borders import CLOSING, STOPS
from lab.words import N_, Said, ngettext

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*(?P<begin>{_TIME})(?:[ \t]*-->[ \t]*|,)(?P<end>{_TIME})(?:[ \t].*)?$")
_BEGINS = re.compile(rf"\s*+(?:WEBVTT\b[^\n]*\n|(?:[^\n]{{1,100}}\n)?{_TIMES.pattern})", re.MULTILINE)
_ASIDE = re.compile(r"(?:NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?[ \t]+(?P<name>[^<>\n]{1,100})>")
_TAG = re.compile(r"</?(?:[a-z]+(?:[. ][^<>\n]*)?|[\d:.]+)>|\{\\[^{}\n]*\}", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[^\W\d_][^:：?!.。，,\n]{0,40})[:：]\s*(?P<said>\S.*)")
_SHORTEST, _LONGEST = 400, 1200
"""Characters of a passage: from the first it ends with a sentence or a speaker, at the second with any subtitle."""
_PAUSE = 5.0
"""Seconds of silence that end a passage, too."""
_ROLLING = 0.25
"""Share of subtitles that repeat the one before, in captions that roll over."""


@dataclass
class _Cue:
    """A subtitle: its times in seconds, and its lines, each with the name of its speaker (empty: the same)."""

    begin: float
    end: float
    lines: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class _Passage:
    begin: float
    text: str = ""
    speaker: str = ""

    def add(self, cue: _Cue) -> None:
        """Adds the words of a subtitle; another speaker begins a line."""
        for speaker, line in cue.lines:
            if speaker and speaker != self.speaker:
                self.text += f"\n{speaker}: {line}"
                self.speaker = speaker
            else:
                self.text += f" {line}"


def is_vtt(sample: Sample) -> bool:
    """Whether a file begins as WebVTT does."""
    return sample.text.lstrip("\ufeff\n\r ").startswith("WEBVTT")


def is_srt(sample: Sample) -> bool:
    """Whether a file begins as other subtitles do."""
    return not is_vtt(sample) and _BEGINS.match(sample.text.lstrip("\ufeff\n\r ")) is not None


def read_subtitles(reading: Reading, data: bytes) -> None:
    """Adds a document per passage, with the time at which it begins."""
    text = reading.decode(data)
    cues = [cue for cue in _cues(reading, text) if cue.lines]
    if not cues:
        raise reading.nothing(N_("“{file}” has no subtitles with a text."), Said("Upload a file with text in it."))
    if _roll(cues):
        _unroll(cues)
    _name_speakers(cues)
    heading = re.match(r"\s*WEBVTT[ \t]+(?:-+[ \t]*)?(\S[^\n]*)", text)
    title = (honest(heading[1]) if heading else "") or document_name(reading)
    passages = list(_passages([cue for cue in cues if cue.lines]))
    for n, passage in enumerate(passages, 1):
        id = reading.name if len(passages) == 1 else f"{reading.name}/{n}"
        source: Metadata = {"source": reading.source, "time": _clock(passage.begin)}
        reading.add(passage.text.strip(), id=id, title=title, metadata=source)
    remarks = "\n".join(_remarks(text)) if reading.takes_in("comments") else ""
    reading.add(remarks, id=f"{reading.name}/{len(passages) + 1}", title=title, metadata={"source": reading.source})
    reading.fact(ngettext("{n:,} subtitle", "{n:,} subtitles", len(cues)))


def _remarks(text: str) -> Iterator[str]:
    """The lines of remarks, which are for those who write the file."""
    for block in re.split(r"\n[ \t]*\n", text):
        if _ASIDE.match(block.lstrip("\n")):
            yield from block.strip("\n").split("\n")


def _cues(reading: Reading, text: str) -> Iterator[_Cue]:
    """The subtitles in order; numbers, names of subtitles and what is a remark in the file are left out."""
    cue: _Cue | None = None
    aside, before, blank = False, "", True
    for step, line in enumerate([*text.split("\n"), ""]):
        reading.hurry(step)
        times = _TIMES.match(line)
        if times:
            if cue is not None:
                if not blank and cue.lines and before.strip().isdecimal():
                    cue.lines.pop()  # the number of this subtitle, without a blank line before it
                yield cue
            cue, aside, speaker = _Cue(_seconds(times["begin"]), _seconds(times["end"])), False, ""
        elif not line.strip():
            aside = False
            if cue is not None and not blank and cue.lines:
                yield cue
                cue = None
        elif blank and cue is None and _ASIDE.match(line):
            aside = True
        elif cue is not None and not aside:
            speaker = _add_line(cue, line, speaker)
        before, blank = line, not line.strip() or bool(times)
    if cue is not None:
        yield cue


def _add_line(cue: _Cue, line: str, speaker: str) -> str:
    """Adds the words of a line, with their speakers; returns the last speaker."""
    at = 0
    for voice in (*_VOICE.finditer(line), None):
        said = " ".join(unescape(_TAG.sub("", line[at : voice.start() if voice else len(line)])).split())
        if said:
            cue.lines.append((speaker, said))
        if voice:
            speaker, at = " ".join(unescape(voice["name"]).split()), voice.end()
    return speaker


def _seconds(time: str) -> float:
    *hours, minutes, seconds = time.replace(",", ".").split(":")
    return 3600 * int(hours[0] if hours else 0) + 60 * int(minutes) + float(seconds)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def _name_speakers(cues: Sequence[_Cue]) -> None:
    """Takes the names before colons as those of speakers, if half of the subtitles begin with one."""
    named = {i: name for i, cue in enumerate(cues) if cue.lines and (name := _NAMED.match(cue.lines[0][1]))}
    if len(named) < 2 or 2 * len(named) < len(cues):
        return
    for i, name in named.items():
        cues[i].lines[0] = name["name"], name["said"]


# ------------------------------------------------------------------------------------------------- rolling over


def _repeated(before: _Cue, cue: _Cue) -> int:
    """The number of lines at the beginning of a subtitle that are those at the end of the one before."""
    most = min(len(before.lines), len(cue.lines))
    return next((n for n in range(most, 0, -1) if before.lines[-n:] == cue.lines[:n]), 0)


def _grows(before: _Cue, cue: _Cue) -> bool:
    """Whether a subtitle is the one before with more words."""
    short, long = (" ".join(line for _, line in c.lines) for c in (before, cue))
    return not _repeated(before, cue) and long.startswith(f"{short} ") and cue.begin <= before.end + 1


def _roll(cues: Sequence[_Cue]) -> bool:
    """Whether captions roll over: many repeat a line of the one before, and add one."""
    pairs = list(zip(cues, cues[1:], strict=False))
    rolling = sum(
        (_repeated(a, b) > 0 and (len(a.lines) > 1 or len(b.lines) > 1) and b.begin <= a.end + 1) or _grows(a, b)
        for a, b in pairs
    )
    return bool(pairs) and rolling >= max(1, _ROLLING * len(pairs))


def _unroll(cues: Sequence[_Cue]) -> None:
    """Leaves out of each subtitle what was shown by the one before."""
    shown = [_Cue(cue.begin, cue.end, list(cue.lines)) for cue in cues]
    for i, (before, cue) in enumerate(zip(shown, shown[1:], strict=False), 1):
        if _grows(before, cue):
            cues[i - 1].lines = []
        else:
            cues[i].lines = cue.lines[_repeated(before, cue) :]


# ------------------------------------------------------------------------------------------------- passages


def _passages(cues: Sequence[_Cue]) -> Iterator[_Passage]:
    """The subtitles in passages, which end with a sentence where there are sentences."""
    passage = _Passage(cues[0].begin)
    for i, cue in enumerate(cues):
        if passage.text and _is_full(passage, cues[i - 1], cue):
            yield passage
            passage = _Passage(cue.begin)
        passage.add(cue)
    yield passage


def _is_full(passage: _Passage, before: _Cue, cue: _Cue) -> bool:
    length = len(passage.text)
    if length < _SHORTEST:
        return False
    sentence = passage.text.rstrip(CLOSING)[-1:] in f"{STOPS}.…"
    other = bool(cue.lines[0][0]) and cue.lines[0][0] != passage.speaker
    return length >= _LONGEST or sentence or other or cue.begin - before.end >= _PAUSE


# ------------------------------------------------------------------------------------------------- what is said


def say_lines(reading: Reading, data: bytes) -> Iterator[Statement]:
    """Yields each line that is shown, once: captions that roll over or grow show it several times."""
    lines = reading.text_again(data).split("\n")
    shown, remarks, aside = dict[str, None](), list[str](), False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        aside = bool(line.strip()) and (aside or _ASIDE.match(line) is not None)
        if aside:
            remarks.append(line)
        elif not (_TIMES.match(line) or _TIMES.match(after) or line.startswith("WEBVTT")):
            for text in (*_VOICE.findall(line), " ".join(unescape(_TAG.sub("", line)).split())):
                shown[text] = None
    ordered = sorted(shown)
    kept = [a for a, b in zip(ordered, [*ordered[1:], ""], strict=True) if not b.startswith(f"{a} ")]
    yield Statement("text", "", kept)
    yield Statement(HIDDEN, COMMENTS, remarks)


FORMATS = (
    Format("srt", ("srt", "sbv"), lambda r, d, _: read_subtitles(r, d), is_srt, statements=say_lines),
    Format("vtt", ("vtt",), lambda r, d, _: read_subtitles(r, d), is_vtt, statements=say_lines),
)
