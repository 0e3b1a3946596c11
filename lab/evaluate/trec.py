"""Runs as TREC files.

Ties: evaluation tools ignore the rank column, sort by score and break ties by document id.  A file gets a score one
step of single precision lower wherever the true one would tie, so that every tool sees our order.  Other scores are at
least two steps apart, so a step is read as a tie."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from lab.errors import EvaluationError
from lab.evaluate.runs import Run
from lab.text.quantities.numbers import read_decimal
from lab.words import N_, Said

GREATEST = 1e38
"""The size of a score, short of the end of single precision."""


def write_trec(run: Run, target: str | Path | TextIO) -> None:
    """Write `trec_text` into a file; nothing is written if it raises."""
    text = trec_text(run)
    if isinstance(target, str | Path):
        Path(target).write_text(text, encoding="utf-8", newline="\n")
    else:
        target.write(text)


def trec_text(run: Run, *, on_blank: str = "") -> str:
    """The lines ``query Q0 document rank score tag``; the tag is the run's name.

    Scores are written in full, unless one would not be below its predecessor in single precision: see `falling`.  A
    query without results has no line: the format has no empty lists.  Whitespace in an id is written as ``on_blank``.
    Raises `EvaluationError` if that is empty, and for a score beyond single precision.
    """
    tag = re.sub(r"\s+", "_", run.name.strip()) or "run"
    lines = [
        f"{_word(query, on_blank)} Q0 {_word(document, on_blank)} {rank} {score!r} {tag}\n"
        for query, hits in run.results.items()
        for rank, ((document, _), score) in enumerate(
            zip(hits, falling([s for _, s in hits], tied=query not in run.by_rank), strict=True), 1
        )
    ]
    return "".join(lines)


def falling(scores: Sequence[float], *, tied: bool = True) -> list[float]:
    """The scores with every tie broken downwards, by one step of single precision each, and all others by two or more.

    Without ``tied``, the order of equal scores has a meaning, and they are not ties.
    """
    distinct: list[float] = []
    for i, score in enumerate(scores):
        if not abs(score) <= GREATEST:
            message = Said("A score is {value}, which a TREC file cannot hold.", value=score)
            raise EvaluationError(message, Said("Evaluation tools read single-precision numbers: scale the scores."))
        if distinct:
            step = _step_below(distinct[-1])
            if tied and score == scores[i - 1]:
                score = step
            elif not np.float32(score) < np.float32(step):
                score = _step_below(step)
        distinct.append(float(score))
    return distinct


def _step_below(score: float) -> float:
    return float(np.nextafter(np.float32(score), np.float32(-np.inf)))


def _with_ties(scores: Sequence[float]) -> list[float]:
    """Returns the scores of a file, where one that is a step below its predecessor has the same score."""
    restored: list[float] = []
    for i, score in enumerate(scores):
        restored.append(restored[-1] if i and score == _step_below(scores[i - 1]) else score)
    return restored


def _word(identity: str, on_blank: str) -> str:
    word = on_blank.join(identity.split()) or on_blank
    if not on_blank and (word != identity or not word):
        message = Said("The id “{id}” contains whitespace, which a TREC file cannot hold.", id=identity)
        raise EvaluationError(message, Said("Rename it in the corpus or the queries."))
    return word


def read_trec(source: str | Path | TextIO, *, name: str = "") -> Run:
    """Read a TREC run: by score, best first; ties by the rank column, then as in the file.

    A score one step of single precision below its predecessor ties with it, as in `falling`.

    ``name`` is the tag in the file where it is not given.  Raises `EvaluationError` naming the line.
    """
    where = str(source) if isinstance(source, str | Path) else getattr(source, "name", name or "the run")
    try:
        text = Path(source).read_text("utf-8-sig") if isinstance(source, str | Path) else source.read()
    except UnicodeDecodeError:
        raise EvaluationError(Said("{file} is not UTF-8.", file=where), Said("Give a TREC run in UTF-8.")) from None
    except OSError:
        raise EvaluationError(Said("There is no file {file}.", file=where), Said("Give a TREC run.")) from None
    lists, tag = defaultdict[str, dict[str, tuple[float, float]]](dict), ""
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if not cells:
            continue
        try:
            query, _, document, place, value, tag = cells
            score, rank = read_decimal(value), read_decimal(place)
            if score is None or rank is None or abs(score) > GREATEST or document in lists[query]:
                raise ValueError
        except ValueError:
            twice = len(cells) == 6 and cells[2] in lists[cells[0]]
            problem = (
                Said("this query's list already contains the document")
                if twice
                else Said("this line is not in TREC run format")
            )
            message = Said("{file}, line {line}: {what}.", file=where, line=number, what=problem)
            shape = N_("A line is: query Q0 document rank score tag. Rank and score are numbers such as 3 and 0.75.")
            raise EvaluationError(message, Said(shape)) from None
        lists[query][document] = (-score, rank)
    ordered = {q: sorted(entries.items(), key=lambda e: e[1]) for q, entries in lists.items()}
    results = {
        q: tuple(zip([d for d, _ in entries], _with_ties([-s for _, (s, _) in entries]), strict=True))
        for q, entries in ordered.items()
    }
    return Run(name or tag or "run", results)
