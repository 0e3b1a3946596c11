"""The operator's log: a line for every search that a visitor sees.

A line contains nothing that a visitor has typed: of a search it names the parts, of an upload only that it is one.
The question is included only with ``LAB_LOG_QUESTIONS=1``.
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
    """Makes the log write to the standard error stream, unless logging is configured otherwise."""
    if not LOG.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        LOG.addHandler(handler)
    if LOG.level == logging.NOTSET:
        LOG.setLevel(logging.INFO)


def left_out(problem: PluginError) -> None:
    """Logs a plug-in, or one of its operators, that the lab could not load."""
    begin()
    LOG.warning("%s", problem)


def failed(error: Exception) -> None:
    """Logs the traceback of an error in a page or in a plug-in, of which the page shows only a sentence."""
    begin()
    LOG.error("a page failed", exc_info=error)


def searched(page: str, corpus: str, rankings: Mapping[str, Ranking]) -> None:
    """Logs a line for each of these lists of a page."""
    begin()
    known = corpus if corpus in samples.every_name() else "own documents"
    for ranking in rankings.values():
        steps = ">".join(type(step.made_by).__name__ for step in ranking.lineage())
        ms = 1000 * sum(step.seconds for step in ranking.lineage())
        line = f"search page={page} search={steps} corpus={json.dumps(known)} ms={ms:.1f} hits={len(ranking)}"
        if os.environ.get("LAB_LOG_QUESTIONS", "").strip() == "1":
            line += f" question={json.dumps(ranking.query.text)}"  # one line, whatever is in it
        LOG.info("%s", line)
