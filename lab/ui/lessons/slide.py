"""A page as a slide: a block of Markdown with the claim of the performed sentence, or with the lists.

The browser adds the picture of the page and its link (`take.js`).
"""

from __future__ import annotations

from collections.abc import Mapping

from lab.algebra import Ranking
from lab.corpus import samples
from lab.text import cut, well_formed
from lab.ui import escape
from lab.ui.i18n import _, both, labelled
from lab.ui.lessons import performing

FIRST = 3
"""Number of documents of every list on a slide."""


def text(page: str, title: str, question: str, rankings: Mapping[str, Ranking]) -> tuple[str, str]:
    """Returns the heading of the slide, and the text below its picture.

    ``title`` is the page's, ``question`` the one that the page answers before it has searched.
    """
    performance = performing.current()
    if performance is not None and performance.page == page and performance.lines:
        lesson = performance.lesson
        sentence = both(dict(lesson.steps[performance.step].text))
        claim = sentence if lesson.corpus in samples.every_name() else escape.plain(sentence, performing.LONGEST)
        verdicts = (f"- {'✓' if holds else '✗'} {escape.plain(line, 300)}" for _mark, holds, line in performance.lines)
        return well_formed(f"## {both(dict(lesson.title))}"), well_formed(f"{claim}\n\n" + "\n".join(verdicts))
    query_text = next((r.query.text for r in rankings.values()), "")
    lines = ["- " + labelled(f"**{escape.plain(name, 60)}**", _first(ranking)) for name, ranking in rankings.items()]
    head = escape.plain(title)
    if query_text.strip():
        head = _("{title}: {question}", title=head, question=escape.plain(cut(query_text, 120)))
    return well_formed(f"## {head}"), well_formed("\n".join(lines) or escape.plain(question))


def _first(ranking: Ranking) -> str:
    """Returns the first few results of a list in one line, with their ranks."""
    entries = [f"{i} {escape.plain(h.document.label, 50)}" for i, h in enumerate(ranking.hits[:FIRST], 1)]
    return " · ".join(entries) or _("Nothing was found.")
