"""Regression reports: text for a terminal, and GitHub's Markdown for a pull request (https://github.github.com/gfm/)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lab.cli.printing import print_table
from lab.evaluate.regression import Change, Regression
from lab.evaluate.significance import told_p
from lab.text import cut

SHOWN = 20
"""Questions of a table in text and Markdown; JSON has all."""
RANKS = "; rank: of the first relevant result"
Floors = Mapping[str, Mapping[str, str]]
"""By search and measure, the sentence on a missed minimum of --at-least."""


def print_changes(report: Regression) -> None:
    """Prints the questions that every search has lost and won."""
    for name in report.names:
        for head, changes in _tables(report, name):
            print(f"\n{head}{RANKS if changes else ''}")
            if changes:
                print()
                rows = [[*_cells(c)[:1], cut(" ".join(c.query.text.split()), 60), *_cells(c)[1:]] for c in changes]
                print_table([_COLUMNS, *rows[:SHOWN]], left=2)
            if len(changes) > SHOWN:
                print(f"… and {len(changes) - SHOWN} more (--json has all)")


_COLUMNS = ["query", "question", "before", "now", "difference", "rank before", "rank now"]


def _tables(report: Regression, name: str) -> list[tuple[str, tuple[Change, ...]]]:
    n, m = len(report.experiment.queries), report.measure
    lost, won = report.lost(name), report.won(name)
    return [
        (f"{name}, {m}: {len(lost)} of {n} questions lost against {report.earlier}", lost),
        (f"{name}, {m}: {len(won)} of {n} questions won", won),
    ]


def _cells(c: Change) -> list[str]:
    ranks = ["–" if rank is None else str(rank) for rank in (c.rank_before, c.rank_now)]
    return [c.query.id, f"{c.before:.4f}", f"{c.now:.4f}", f"{c.difference:+.4f}", *ranks]


# ---------------------------------------------------------------------------------------------- Markdown


def markdown(report: Regression, notes: Sequence[str], missed: Floors) -> str:
    """Returns a report in GitHub's Markdown; no text of a corpus, a question or a file can format it."""
    e = report.experiment
    failures = [*report.failures, *(text for by_measure in missed.values() for text in by_measure.values())]
    verdict = f"❌ Limits broken: {len(failures)}" if failures else "✅ No limit is broken"
    lines = [f"### Retrieval regression against {_code(report.earlier)}", ""]
    lines += [f"{_code(e.collection.name)}, questions compared: {len(e.queries)}. {verdict}.", ""]
    for name in report.names:
        lines += [f"#### {_code(name)}", ""]
        heads = ["measure", "before", "now", "difference", "95% CI", "won", "equal", "lost", "p", "randomized p"]
        lines += [_row(heads), _row(["---"] + ["--:"] * (len(heads) - 1))]
        for m in e.measures:
            d, ps = e.differences[name, m], e.corrected[name, m]
            ends = "–" if d.low is None or d.high is None else f"{d.low:+.4f} to {d.high:+.4f}"
            means = [f"{e.scores[run].means[m]:.4f}" for run in (report.earlier, name)]
            figures = [*means, f"{d.mean:+.4f}", ends, str(d.better), str(d.equal), str(d.worse)]
            lines.append(_row([_code(m), *figures, *("–" if p is None else told_p(p).removeprefix("= ") for p in ps)]))
        lines += ["", *(f"- {_plain(' '.join(e.told(name, m)))}" for m in e.measures)]
        for head, changes in (("Lost", report.lost(name)), ("Won", report.won(name))):
            title = f"{head}: {len(changes)} of {len(e.queries)} questions ({report.measure})"
            lines += ["", f"**{_plain(title)}**{RANKS if changes else ''}"]
            if changes:
                lines += ["", _row(_COLUMNS), _row(["---"] * 2 + ["--:"] * 5)]
                for c in changes[:SHOWN]:
                    cells = _cells(c)
                    lines.append(_row([_code(cells[0]), _code(cut(c.query.text, 120)), *cells[1:]]))
            if len(changes) > SHOWN:
                lines += ["", f"… and {len(changes) - SHOWN} more."]
        lines.append("")
    for head, sentences in (("Limits broken", failures), ("Notes", notes)):
        if sentences:
            lines += [f"**{head}**", "", *(f"- {_plain(text)}" for text in sentences), ""]
    return "\n".join(lines).rstrip() + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Returns a text as code, in which GitHub makes no links, mentions or formats."""
    text = " ".join(_printable(text).split()) or "–"
    if "`" not in text and "|" not in text:
        return f"`{text}`"
    return f"<code>{_entities(text)}</code>"


def _plain(text: str) -> str:
    """Returns a sentence with nothing in it that formats, and no @ or # that GitHub would link."""
    text = " ".join(_printable(text).split())
    first = text[:1] if text[:1].isalpha() else "".join(f"&#{ord(c)};" for c in text[:1])  # no list begins there
    written = first + _entities(text[1:])
    return re.sub(r"(?<!\w)(&#64;|&#35;)|(&#64;)(?!\d)", r"\1\2<!-- -->", written).replace("www.", "www&#46;")


def _entities(text: str) -> str:
    kept = " .,:;%()=+-?!'"
    return "".join(c if c.isalnum() or c in kept or ord(c) > 127 else f"&#{ord(c)};" for c in text)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c.isspace() else "�" for c in text)
