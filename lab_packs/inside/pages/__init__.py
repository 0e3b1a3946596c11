"""The page of the pack."""

from __future__ import annotations

from lab.packs import Listed
from lab.words import N_

PAGES = (
    Listed(
        "index/inside",
        "manage_search",
        N_("Inside the index"),
        N_("postings: read or skipped"),
        questions={"staff": "Who does not get a bonus?", "handbook": "打款账户在哪里改"},
    ),
)
