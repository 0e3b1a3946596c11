"""What who runs the lab sees of it: a line in the log for every search that a visitor sees.

A line says nothing that somebody has typed: of a search the names of its parts, of an upload that it is one.  The
question stands in it only where ``LAB_LOG_QUESTIONS=1`` asks for that.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping

from lab.algebra import Ranking
from lab.corpus import samples
from lab.errors import PluginError

LOG = logging.getLogger("retrieval_lab")
"""Name and level are Python's: ``logging.getLogger("retrieval_lab").setLevel("WARNING")`` makes it silent."""


def begin() -> None:
    """Write to the standard error stream, where nobody has said otherwise."""
    if not LOG.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        LOG.addHandler(handler)
    if LOG.level == logging.NOTSET:
        LOG.setLevel(logging.INFO)


def left_out(problem: PluginError) -> None:
    """A plug-in, or one of its operators, that the lab could not take in."""
    begin()
    LOG.warning("%s", problem)


def failed(error: Exception) -> None:
    """The traceback of an error in a plug-in, of which the page shows a sentence only."""
    begin()
    LOG.error("a plug-in failed", exc_info=error)


def searched(page: str, corpus: str, found: Mapping[str, Ranking]) -> None:
    """A line for each of these lists of a page."""
    begin()
    known = corpus if corpus in samples.every_name() else "own documents"
    for ranking in found.values():
        steps = ">".join(type(step.made_by).__name__ for step in ranking.lineage())
        ms = 1000 * sum(step.seconds for step in ranking.lineage())
        line = f"search page={page} search={steps} corpus={json.dumps(known)} ms={ms:.1f} hits={len(ranking)}"
        if os.environ.get("LAB_LOG_QUESTIONS", "").strip() == "1":
            line += f" question={json.dumps(ranking.query.text)}"  # one line, whatever is in it
        LOG.info("%s", line)
