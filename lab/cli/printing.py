"""What the command line writes: lists, tables and bars, in columns that are aligned for wide characters as well."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lab.algebra import Query, Ranking
from lab.text import cut, disarm, width

if TYPE_CHECKING:
    import argparse

    from lab.corpus.beir import Collection
    from lab.evaluate.runs import Run

PROGRAM = "retrieval-lab"


def say(text: str) -> None:
    sys.stderr.write(f"{PROGRAM}: {text}\n")


def say_unknown(collection: Collection) -> None:
    """Which judgments name what is not there."""
    if collection.unknown:
        first = " ".join(collection.unknown[0])
        say(f"{len(collection.unknown)} judgments name unknown queries or documents, the first: {first}")


def say_problems(*runs: Run) -> None:
    """Which searches asked a question as it stood, because a model failed."""
    for made in runs:
        if made.problems:
            first = " ".join(str(next(iter(made.problems.values()))).split())
            say(f"{made.name}: {len(made.problems)} of {len(made)} questions were not rewritten, the first: {first}")


def say_sharing(address: str) -> None:
    """Prints the address at which others open the lab, what they see there, and what they may do."""
    from lab.models.endpoint import public

    where = f"Everybody in your network can now open the lab: {address}"
    print(where if address else "This machine has no address in a network. Connect it, and start again.")
    print("- They see their own questions, settings, uploads and grades, and nobody else's.")
    print("- A language model that you have set up answers them, too.")
    if public():
        print("- LAB_PUBLIC is set: they cannot name folders or addresses for this machine to open.")
    else:
        print("- They can name folders and addresses for this machine to open. LAB_PUBLIC=1 forbids it.")
    print("- Ctrl-C ends it for all.", flush=True)


def bar(label: str) -> Callable[[int, int], None] | None:
    """A progress bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty():
        return None
    label, drawn = cut(label, 30), -1

    def show(done: int, total: int) -> None:
        nonlocal drawn
        share = int(100 * done / total)
        if share != drawn:
            drawn = share
            bar = f"\r{label}  {'█' * (share // 4):<25} {share:3d} %  {done}/{total}"
            sys.stderr.write(bar if done < total else "\r\x1b[K")
            sys.stderr.flush()

    return show


def print_json(value: Mapping[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


class Figures(NamedTuple):
    """What a command found, and its tables: of all questions together, and of each."""

    found: dict[str, Any]
    table: Callable[[], Any]
    each: Callable[[], Any]


def show(options: argparse.Namespace, made: Sequence[Figures], show: Callable[[Mapping[str, Any]], None]) -> None:
    """The figures as they are wanted: text, JSON or CSV; with those of every question, or not.

    Of several searches one after the other; CSV has a column with their names then, JSON a list under ``searches``.
    """
    if options.csv:
        frames = [(f.each if options.per_query else f.table)() for f in made]
        for f, frame in zip(made, frames, strict=True):
            if len(made) > 1:
                frame.insert(0, "search", f.found["search"])
        print(_joined(frames).map(disarm).rename(columns=disarm).to_csv(index=False), end="")
        return
    rows = [f.each() if options.per_query else None for f in made]
    if options.json:
        told = [
            f.found if r is None else {**f.found, "per_query": r.to_dict("records")}
            for f, r in zip(made, rows, strict=True)
        ]
        print_json(told[0] if len(told) == 1 else {"searches": told})
        return
    for i, (f, own) in enumerate(zip(made, rows, strict=True)):
        print(end="\n" * bool(i))
        show(f.found)
        if own is not None:
            print()
            cells = [[f"{x:.4f}" if isinstance(x, float) else str(x) for x in r] for r in own.itertuples(index=False)]
            print_table([list(own.columns), *cells], left=len(own.columns) - 1)


def _joined(frames: Sequence[Any]) -> Any:
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def head(collection: Collection, asked: Sequence[Query]) -> dict[str, Any]:
    return {"corpus": collection.name, "documents": len(collection.corpus), "queries": len(asked)}


def print_ranking(ranking: Ranking) -> None:
    """Rank, score, id, title; under it the beginning of the text."""
    columns = min(shutil.get_terminal_size((100, 24)).columns, 140)
    ids = [cut(document_id) for document_id in ranking.ids]
    wide = max(map(width, ids))
    for rank, (name, hit) in enumerate(zip(ids, ranking.hits, strict=True), 1):
        head = f"{rank:3d}  {hit.score:10.4f}  {name}{' ' * (wide - width(name))}  "
        print((head + cut(hit.document.title, max(1, columns - width(head)))).rstrip())
        print(" " * 17 + cut(hit.document.text[: 2 * columns], columns - 17))


_HEAD = "{corpus}: {documents} documents, {queries} judged queries"


def print_evaluation(found: Mapping[str, Any]) -> None:
    rows, differences = found["searches"], found["differences"]
    print(_HEAD.format(**found) + "\n")
    table = [["search", *rows[0]["measures"], *rows[0]["judged"], "ready s", "median ms", "95 % ms"]]
    for row in rows:
        times = ["–" if t is None else f"{t:.2f}" for t in (row["ready_seconds"], row["query_ms"], row["late_ms"])]
        means = [f"{value:.4f}" for value in row["measures"].values()] + [f"{x:.2f}" for x in row["judged"].values()]
        table.append([row["name"], *means, *times])
    print_table(table)
    _print_depths(found)
    if not differences:
        return
    said = "95 % interval; p of the t-test and, corrected by Holm, of the t-test and of the randomisation test"
    print(f"\nPaired differences from {found['baseline']} ({said})\n")
    columns = [
        "search",
        "measure",
        "difference",
        "from",
        "to",
        "better",
        "equal",
        "worse",
        "p",
        "corrected",
        "randomised",
    ]
    table = [columns]
    for d in differences:
        counts = [str(d[name]) for name in ("better", "equal", "worse")]
        ps = map(_p, (d["p"], d["corrected"], d["randomised_corrected"]))
        table.append([d["second"], d["measure"], *map(_signed, (d["mean"], d["low"], d["high"])), *counts, *ps])
    print_table(table, left=2)
    print()
    for d in differences:
        print(f"{d['second']}, {d['measure']}: {' '.join(d['said'])}")


def _print_depths(found: Mapping[str, Any]) -> None:
    """A measure by depth, a table for every way in which the turns are grouped."""
    tables: dict[tuple[tuple[int, int], ...], list[Any]] = {}
    for row in found["searches"]:
        if depths := row.get("depths"):
            tables.setdefault(tuple((d["depth"], d["turns"]) for d in depths), []).append(row)
    for counts, rows in tables.items():
        told = f"{found['conversations']} conversations, {found['shown']} passages of every earlier turn shown"
        print(f"\n{found['measure']} by the depth of the turn; {told}\n")
        columns = [[f"{d['mean']:.4f}" for d in row["depths"]] for row in rows]
        head = ["turn", "judged", *(row["name"] for row in rows)]
        print_table([head, *([str(d), str(n), *own] for (d, n), *own in zip(counts, *columns, strict=True))])


def print_sweep(found: Mapping[str, Any]) -> None:
    m, axes = found["measure"], found["axes"]
    print(_HEAD.format(**found) + f"; {found['search']}\n")
    now = [axis["current"] for axis in axes]
    table = [[*(axis["path"] for axis in axes), m, "from", "to", "median ms", ""]]
    for row in found["settings"]:
        ends = [f"{x:.4f}" for x in row["interval"] or ()] or ["–", "–"]
        marks = [mark for mark, values in (("now", now), ("best", found["best"])) if row["values"] == values]
        cells = [*map(str, row["values"]), f"{row['value']:.4f}", *ends, f"{row['query_ms']:.2f}", ", ".join(marks)]
        table.append(cells)
    print_table(table, left=len(axes))
    for left in found["left_out"]:
        print(f"left out: {', '.join(map(str, left['values']))}: {left['reason']}")
    for said in found["said"]:
        print(("\n" if said == found["said"][0] else "") + said)


def print_ablation(found: Mapping[str, Any]) -> None:
    print(_HEAD.format(**found))
    print(f"{found['search']}: {found['measure']} {found['value']:.4f}, {_times(found)}")
    said = "differences from the whole; p of the paired t-test, corrected by Holm for all variants"
    for alone, head in ((False, ["without", "saved", "cost"]), (True, ["alone", "better", "worse"])):
        rows = [v for v in found["variants"] if v["alone"] == alone]
        if not rows:
            continue
        print(f"\n{'Each part alone' if alone else 'Without each part'} ({said})\n")
        table = [[head[0], "", found["measure"], "difference", *head[1:], "p", "median ms", "95 % ms"]]
        for v in rows:
            counts = (v["better"], v["worse"]) if alone else (v["worse"], v["better"])
            figures = [f"{v['value']:.4f}", _signed(v["difference"]), *map(str, counts), _p(v["corrected"])]
            table.append([v["path"], v["part"], *figures, f"{v['median_ms']:.2f}", f"{v['late_ms']:.2f}"])
        print_table(table, left=2)
    if found["kept"]:
        print()
        print_table([["stays", "", "because"], *(list(kept.values()) for kept in found["kept"])], left=3)


def _times(found: Mapping[str, Any]) -> str:
    return f"{found['median_ms']:.2f} ms (95 % of the questions within {found['late_ms']:.2f} ms)"


def _signed(number: float | None) -> str:
    return "–" if number is None else f"{number:+.4f}"


def _p(p: float | None) -> str:
    return "–" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def print_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Aligned columns, the first ``left`` to the left, the others to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        blanks = [" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
        cells = [c + blank if i < left else blank + c for i, (c, blank) in enumerate(zip(row, blanks, strict=True))]
        print("  ".join(cells).rstrip())
