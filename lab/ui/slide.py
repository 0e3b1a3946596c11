"""A page as a slide: one block of Markdown with the claim of the sentence that is performed, else with what was found.

The browser adds the picture of the page and its link (`take.js`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lab.algebra import Ranking
from lab.corpus import samples
from lab.text import cut, well_formed
from lab.ui import escape, performing
from lab.ui.i18n import _, both

FIRST = 3
"""So many documents of every list stand on a slide."""


def text(page: str, title: str, question: str, rankings: Mapping[str, Ranking]) -> tuple[str, str]:
    """The heading of the slide, and what stands below its picture.

    ``title`` is the page's, ``question`` the one that it answers where no list has been asked for anything.
    """
    told = performing.current()
    if told is not None and told.page == page and told.lines:
        lesson = told.lesson
        sentence = both(dict(lesson.steps[told.step].text))
        shown = sentence if lesson.corpus in samples.every_name() else escape.plain(sentence, performing.LONGEST)
        verdicts = (f"- {'✓' if held else '✗'} {escape.plain(line, 300)}" for _mark, held, line in told.lines)
        return well_formed(f"## {both(dict(lesson.title))}"), well_formed(f"{shown}\n\n" + "\n".join(verdicts))
    asked = next((r.query.text for r in rankings.values()), "")
    lines = [f"- **{escape.plain(name, 60)}**: {_first(ranking)}" for name, ranking in rankings.items()]
    head = escape.plain(title)
    if asked.strip():
        head = _("{title}: {question}", title=head, question=escape.plain(cut(asked, 120)))
    return well_formed(f"## {head}"), well_formed("\n".join(lines) or escape.plain(question))


def _first(ranking: Ranking) -> str:
    """The first few of a list in one line, with their ranks."""
    found = [f"{i} {escape.plain(h.document.label, 50)}" for i, h in enumerate(ranking.hits[:FIRST], 1)]
    return " · ".join(found) or _("Nothing was found.")
