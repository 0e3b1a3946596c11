"""The training material: reading it, sorting its groups into kinds, and holding a development set out.

Material is a folder with `pairs.jsonl.xz` (one JSON list a line: `[group, a, b]`, or `[group, a]` for a
paragraph), `mono_zh.txt.xz`, `mono_en.txt.xz` and `traditional_to_simplified.json`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

Pair = tuple[str, ...]
"""(a, b), or (a,) where the group is made of paragraphs."""

HOLDOUT = 0.01
"""Share of the texts that are kept out of training for the development set."""

KINDS = {
    "cedict": "dictionary", "wikt": "dictionary", "cow_en": "dictionary", "cldr": "dictionary", "osm": "dictionary",
    "wikt_def": "definition", "cow_def": "definition",
    "cow_syn": "synonym", "osm_syn": "synonym", "wn_syn": "synonym",
    "wn_def": "english", "wn_ex": "english", "wn_hyp": "english",
    "csl": "title_zh", "tatoeba": "parallel", "react": "parallel", "vue": "parallel", "d2l": "parallel",
}  # fmt: skip
ENGLISH_DOCUMENTS = ("docen", "wikien", "plain")


def kind_of(group: str) -> str:
    """What the pairs of a group are: dictionary, definition, synonym, english, parallel, title_*, near_*, span_*."""
    if group in KINDS:
        return KINDS[group]
    source, _, part = group.rpartition("_")
    language = "en" if source in ENGLISH_DOCUMENTS else "zh"
    if part in ("title", "adj", "para"):
        return {"title": "title", "adj": "near", "para": "span"}[part] + "_" + language
    if part == "sec" or source == "po":
        return "parallel"
    raise ValueError(f"The group {group!r} is of no known kind: add it to training/material.py.")


def is_held_out(text: str, *, share: float = HOLDOUT) -> bool:
    """Whether a text belongs to the development set; decided by its hash, so the same in every run."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") < share * 2**64


def is_dev(group: str, pair: Pair, *, share: float = HOLDOUT) -> bool:
    """Whether a pair is kept out of training.

    Sentences and paragraphs are held out as texts, wherever they occur; words (dictionaries, synonyms) only
    pair by pair, because a word without any pair could be learned by no model.
    """
    kind = kind_of(group)
    if kind in ("dictionary", "synonym") or group == "wn_hyp":
        return is_held_out("\t".join(pair), share=share)
    if kind.startswith("title") or kind == "definition" or group in ("wn_def", "wn_ex"):
        return is_held_out(pair[1], share=share)
    return any(is_held_out(text, share=share) for text in pair)


def read_pairs(data: Path) -> dict[str, list[Pair]]:
    """All pairs by group, in the order of the file."""
    groups: dict[str, list[Pair]] = defaultdict(list)
    with lzma.open(data / "pairs.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            group, *texts = json.loads(line)
            groups[group].append(tuple(texts))
    return dict(groups)


def split(
    groups: dict[str, list[Pair]], *, share: float = HOLDOUT
) -> tuple[dict[str, list[Pair]], dict[str, list[Pair]]]:
    """(training pairs, development pairs), by group."""
    train: dict[str, list[Pair]] = {}
    dev: dict[str, list[Pair]] = {}
    for group, pairs in groups.items():
        train[group], dev[group] = [], []
        for pair in pairs:
            (dev if is_dev(group, pair, share=share) else train)[group].append(pair)
    return train, dev


def read_texts(data: Path, language: str) -> list[str]:
    """The plain texts of a language (zh, en) that are not held out."""
    with lzma.open(data / f"mono_{language}.txt.xz", "rt", encoding="utf-8") as lines:
        return [text for line in lines if (text := line.rstrip("\n")) and not is_held_out(text)]


def read_variants(data: Path) -> dict[str, str]:
    """Traditional character to simplified character."""
    table: dict[str, str] = json.loads((data / "traditional_to_simplified.json").read_text("utf-8"))
    return table


def sides(group: str, pair: Pair) -> Iterator[tuple[str, str]]:
    """(language, text) for each text of a pair."""
    kind = kind_of(group)
    if kind in ("dictionary", "definition", "parallel") and group != "osm_syn":
        languages = ("zh", "en")
    elif kind == "english" or kind.endswith("_en") or group == "wn_syn":
        languages = ("en", "en")
    else:
        languages = ("zh", "zh")
    yield from zip(languages, pair, strict=False)


# ------------------------------------------------------------------------------------------ command lines


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that every step has."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the pairs and texts")
    parser.add_argument("--work", type=Path, required=True, help="folder for what the steps leave for each other")
    parser.add_argument("--seed", type=int, default=0)
    return parser


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long a step took."""
    start = time.perf_counter()
    print(f"{what} ...", flush=True)
    yield
    print(f"{what}: {time.perf_counter() - start:.0f} s", flush=True)
