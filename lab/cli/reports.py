"""Regression reports: text for a terminal, Markdown for a pull request, JUnit XML for continuous integration.

Markdown is GitHub's (https://github.github.com/gfm/, tables).  JUnit XML has no standard; the elements and attributes
here are those that Jenkins documents for its xUnit plug-in (junit-10.xsd) and that GitLab and GitHub's actions read: a
suite per search, a case per measure and per question.  A case fails exactly if a limit of the command line is broken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from lab.cli.printing import print_table
from lab.evaluate.regression import Change, Regression
from lab.evaluate.significance import told_p
from lab.text import cut

SHOWN = 20
"""Questions of a table in text and Markdown; JSON and JUnit XML have all."""
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


# ------------------------------------------------------------------------------------------------- JUnit


def junit(report: Regression, notes: Sequence[str], missed: Floors) -> str:
    """Returns a report in JUnit XML; characters that XML 1.0 does not have become U+FFFD."""
    root = ElementTree.Element("testsuites", name="retrieval-lab")
    for name in report.names:
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(f"{name} against {report.earlier}"))
        _properties(suite, report)
        failed, questions = report.failed_measures(name), report.failed_questions(name)
        for m in report.experiment.measures:
            reasons = [*failed.get(m, ()), *filter(None, [missed.get(name, {}).get(m)])]
            _case(suite, f"{name}.measures", m, 0.0, _measured(report, name, m), reasons)
        times = report.experiment.runs[name].times
        for c in report.changes(name):
            reasons = [questions[c.query.id]] if c.query.id in questions else []
            title = f"{c.query.id}: {' '.join(c.query.text.split())}"
            _case(suite, f"{name}.questions", title, times.get(c.query.id, 0.0), _asked(report, c), reasons)
        if notes:
            ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(notes))
        _count(suite, [suite])
    _count(root, list(root))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _properties(suite: ElementTree.Element, report: Regression) -> None:
    e, properties = report.experiment, ElementTree.SubElement(suite, "properties")
    values = {"corpus": e.collection.name, "against": report.earlier, "measure": report.measure, "k": e.k}
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=_xml(str(value)))


def _case(suite: ElementTree.Element, group: str, name: str, seconds: float, told: str, reasons: Sequence[str]) -> None:
    attributes = {"classname": _xml(group), "name": _xml(name), "time": f"{seconds:.6f}"}
    case = ElementTree.SubElement(suite, "testcase", attributes)
    if reasons:
        text = _xml("\n".join(reasons))
        failure = ElementTree.SubElement(case, "failure", type="regression", message=text.replace("\n", " "))
        failure.text = text
    ElementTree.SubElement(case, "system-out").text = _xml(told)


def _measured(report: Regression, name: str, m: str) -> str:
    e = report.experiment
    d, means = e.differences[name, m], [e.scores[run].means[m] for run in (report.earlier, name)]
    counts = f"questions won: {d.better}, equal: {d.equal}, lost: {d.worse}"
    return f"before {means[0]:.4f}, now {means[1]:.4f}, difference {d.mean:+.4f}; {counts}\n{' '.join(e.told(name, m))}"


def _asked(report: Regression, c: Change) -> str:
    _, before, now, difference, *ranks = _cells(c)
    values = f"{report.measure}: before {before}, now {now}, difference {difference}"
    return f"{values}; rank before {ranks[0]}, now {ranks[1]}{RANKS}"


def _count(element: ElementTree.Element, suites: Sequence[ElementTree.Element]) -> None:
    """Writes the numbers of cases, failures and seconds of these suites on an element."""
    cases = [case for suite in suites for case in suite.iter("testcase")]
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", "0")
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.6f}")


def _xml(text: str) -> str:
    """Returns a text with only the characters that XML 1.0 has (https://www.w3.org/TR/xml/#charsets)."""
    return re.sub("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "�", text)


FORMATS = {"markdown": markdown, "junit": junit}
