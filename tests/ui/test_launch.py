"""A server makes itself ready for its first visitor."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc, sys
from lab.ui import cache, launch

launch.ready()
frozen = gc.get_freeze_count()
print(frozen > 50_000, {"pandas", "plotly.io", "lab.ui.why"} <= set(sys.modules), cache.sample("devices").corpus.name)
"""


def test_what_every_page_needs_is_there_and_is_not_looked_at_by_the_collector_of_garbage_again() -> None:
    made = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=True)
    assert made.stdout.split() == ["True", "True", "devices"]
