"""The pages of the pack."""

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
    Listed(
        "retrieve/compression",
        "data_object",
        N_("Vector compression"),
        N_("what fewer bits cost"),
        {
            "en": (
                "Vector quantization",
                "Product quantization",
                "PQ",
                "Scalar quantization",
                "Binary quantization",
                "Matryoshka",
            ),
            "zh": ("向量量化", "乘积量化", "标量量化", "二值量化"),
        },
    ),
)
