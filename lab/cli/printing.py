"""The output of the command line: lists, tables and bars, in columns that are aligned for wide characters, too."""

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
    """Reports how many judgments name an unknown query or document."""
    if collection.unknown:
        first = " ".join(collection.unknown[0])
        say(f"{len(collection.unknown)} judgments name unknown queries or documents, the first: {first}")


def say_problems(*runs: Run) -> None:
    """Reports for how many questions of each run a model failed to rewrite them, or an external retriever failed."""
    for run in runs:
        if run.problems:
            first = " ".join(str(next(iter(run.problems.values()))).split())
            say(f"{run.name}: {len(run.problems)} of {len(run)} questions were not rewritten, the first: {first}")
        if run.failures:
            first = " ".join(str(next(iter(run.failures.values()))).split())
            say(f"{run.name}: the retriever failed for {len(run.failures)} of {len(run)} questions, the first: {first}")


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
    """Returns a progress bar on stderr; None if that is not a terminal."""
    if not sys.stderr.isatty():
        return None
    label, drawn = cut(label, 30), -1

    def show(done_count: int, total: int) -> None:
        nonlocal drawn
        share = int(100 * done_count / total)
        if share != drawn:
            drawn = share
            bar = f"\r{label}  {'█' * (share // 4):<25} {share:3d} %  {done_count}/{total}"
            sys.stderr.write(bar if done_count < total else "\r\x1b[K")
            sys.stderr.flush()

    return show


def print_json(value: Mapping[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


class Figures(NamedTuple):
    """The figures of a command, and its tables: of all questions together, and of each."""

    found: dict[str, Any]
    table: Callable[[], Any]
    each: Callable[[], Any]


def show(options: argparse.Namespace, results: Sequence[Figures], show: Callable[[Mapping[str, Any]], None]) -> None:
    """Prints the figures as text, JSON or CSV; with --per-query, the figures of every question, too.

    Several searches are printed one after the other; CSV then has a column with their names, JSON a list under
    ``searches``.
    """
    if options.csv:
        frames = [(f.each if options.per_query else f.table)() for f in results]
        for f, frame in zip(results, frames, strict=True):
            if len(results) > 1:
                frame.insert(0, "search", f.found["search"])
        print(_joined(frames).map(disarm).rename(columns=disarm).to_csv(index=False), end="")
        return
    rows = [f.each() if options.per_query else None for f in results]
    if options.json:
        figures = [
            f.found if r is None else {**f.found, "per_query": r.to_dict("records")}
            for f, r in zip(results, rows, strict=True)
        ]
        print_json(figures[0] if len(figures) == 1 else {"searches": figures})
        return
    for i, (f, per_question) in enumerate(zip(results, rows, strict=True)):
        print(end="\n" * bool(i))
        show(f.found)
        if per_question is not None:
            print()
            cells = [
                [f"{x:.4f}" if isinstance(x, float) else str(x) for x in r]
                for r in per_question.itertuples(index=False)
            ]
            print_table([list(per_question.columns), *cells], left=len(per_question.columns) - 1)


def _joined(frames: Sequence[Any]) -> Any:
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def head(collection: Collection, questions: Sequence[Query]) -> dict[str, Any]:
    return {"corpus": collection.name, "documents": len(collection.corpus), "queries": len(questions)}


def print_ranking(ranking: Ranking) -> None:
    """Prints rank, score, id and title of each result, and the beginning of its text below."""
    columns = min(shutil.get_terminal_size((100, 24)).columns, 140)
    ids = [cut(document_id) for document_id in ranking.ids]
    wide = max(map(width, ids))
    for rank, (name, hit) in enumerate(zip(ids, ranking.hits, strict=True), 1):
        head = f"{rank:3d}  {hit.score:10.4f}  {name}{' ' * (wide - width(name))}  "
        print((head + cut(hit.document.title, max(1, columns - width(head)))).rstrip())
        print(" " * 17 + cut(hit.document.text[: 2 * columns], columns - 17))


_HEAD = "{corpus}: {documents} documents, {queries} judged queries"


def print_evaluation(figures: Mapping[str, Any]) -> None:
    rows, differences = figures["searches"], figures["differences"]
    print(_HEAD.format(**figures) + "\n")
    table = [["search", *rows[0]["measures"], *rows[0]["judged"], "ready s", "median ms", "95 % ms"]]
    for row in rows:
        times = ["–" if t is None else f"{t:.2f}" for t in (row["ready_seconds"], row["query_ms"], row["late_ms"])]
        means = [f"{value:.4f}" for value in row["measures"].values()] + [f"{x:.2f}" for x in row["judged"].values()]
        table.append([row["name"], *means, *times])
    print_table(table)
    _print_depths(figures)
    _print_ceilings(rows)
    _print_unanswered(rows)
    if differences:
        _print_differences(figures)
    _print_health(figures)


def _print_differences(figures: Mapping[str, Any]) -> None:
    """Prints the paired differences from the baseline, and what they show."""
    differences = figures["differences"]
    explanation = "95 % interval; p of the t-test and, corrected by Holm, of the t-test and of the randomisation test"
    print(f"\nPaired differences from {figures['baseline']} ({explanation})\n")
    columns = ["search", "measure", "difference", "from", "to", "better", "equal", "worse"]
    table = [[*columns, "p", "corrected", "randomised"]]
    for d in differences:
        counts = [str(d[name]) for name in ("better", "equal", "worse")]
        ps = map(_p, (d["p"], d["corrected"], d["randomised_corrected"]))
        table.append([d["second"], d["measure"], *map(_signed, (d["mean"], d["low"], d["high"])), *counts, *ps])
    print_table(table, left=2)
    print()
    for d in differences:
        print(f"{d['second']}, {d['measure']}: {' '.join(d['said'])}")


def _print_ceilings(rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints what a reranker could still gain, by search and measure."""
    ceilings = [(row, m, top) for row in rows for m, top in row["ceiling"].items()]
    if not ceilings:
        return
    print(f"\nBest possible order of the first {ceilings[0][2]['depth']} results; no reranker can exceed it\n")
    table = [["search", "measure", "now", "best order", "headroom taken", "unwinnable", "misordered"]]
    for row, m, top in ceilings:
        taken, now = row["headroom_taken"][m], f"{top['now']:.4f}"
        share = "–" if taken is None else f"{taken:.0%}"
        table.append([row["name"], m, now, f"{top['best']:.4f}", share, str(top["unwinnable"]), str(top["misordered"])])
    print_table(table, left=2)


def _print_health(figures: Mapping[str, Any]) -> None:
    """Prints by type of question on how many the searches differ in the first measure."""
    m, rows = next(iter(figures["health"].items()))
    several = len(figures["searches"]) > 1
    print(f"\nWhat the questions tell by {m}: every search at the maximum, at 0{', apart' if several else ''}\n")
    table = [["type", "questions", "maximum", "zero", *(["apart"] if several else []), "words shared", "judged"]]
    for row in rows:
        counts = [str(row[name]) for name in ("questions", "top", "zero", *(["apart"] if several else []))]
        table.append([row["type"] or "all", *counts, f"{row['shared']:.2f}", f"{row['judged']:.2f}"])
    print_table(table)


def _print_unanswered(rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints how each search treats the questions without an answer, if there are any."""
    counts = [(row["name"], row["unanswered"]) for row in rows if row.get("unanswered")]
    if counts:
        print("\nQuestions without an answer; the measures above leave them out\n")
        table = [[name, str(c["questions"]), f"{c['refused']:.4f}", f"{c['shown']:.2f}"] for name, c in counts]
        print_table([["search", "questions", "Refused", "results shown in the first 10"], *table])
    answered = [(row["name"], row["answered"]) for row in rows if row.get("answered")]
    if answered:
        print("\nShare of questions answered from these results\n")
        table = [[name, *("–" if x is None else f"{x:.4f}" for x in shares.values())] for name, shares in answered]
        print_table([["search", "without an answer", "with one"], *table])


def _print_depths(figures: Mapping[str, Any]) -> None:
    """Prints a measure by depth, one table for each grouping of the turns."""
    tables: dict[tuple[tuple[int, int], ...], list[Any]] = {}
    for row in figures["searches"]:
        if depths := row.get("depths"):
            tables.setdefault(tuple((d["depth"], d["turns"]) for d in depths), []).append(row)
    for counts, rows in tables.items():
        shown_text = (
            f"{figures['conversations']} conversations, {figures['shown']} passages of every earlier turn shown"
        )
        print(f"\n{figures['measure']} by the depth of the turn; {shown_text}\n")
        columns = [[f"{d['mean']:.4f}" for d in row["depths"]] for row in rows]
        head = ["turn", "judged", *(row["name"] for row in rows)]
        print_table([head, *([str(d), str(n), *means] for (d, n), *means in zip(counts, *columns, strict=True))])


def print_sweep(figures: Mapping[str, Any]) -> None:
    m, axes = figures["measure"], figures["axes"]
    print(_HEAD.format(**figures) + f"; {figures['search']}\n")
    now = [axis["current"] for axis in axes]
    indexed = any(row["index"] for row in figures["settings"])
    columns = [m, "from", "to", "best order", "judged", "Refused", *(["chunks", "tokens", "bytes"] if indexed else [])]
    table = [[*(axis["path"] for axis in axes), *columns, "median ms", ""]]
    for row in figures["settings"]:
        ends = [f"{x:.4f}" for x in row["interval"] or ()] or ["–", "–"]
        marks = [mark for mark, values in (("now", now), ("best", figures["best"])) if row["values"] == values]
        best = "–" if row["best_order"] is None else f"{row['best_order']:.4f}"
        refused = "–" if row["refused"] is None else f"{row['refused']:.2f}"
        cells = [*map(str, row["values"]), f"{row['value']:.4f}", *ends, best, f"{row['judged']:.2f}", refused]
        cells += [f"{n:,}" for n in row["index"].values()] if row["index"] else ["–"] * 3 if indexed else []
        cells.append(f"{row['query_ms']:.2f}")
        cells.append(", ".join(marks))
        table.append(cells)
    print_table(table, left=len(axes))
    for left in figures["left_out"]:
        print(f"left out: {', '.join(map(str, left['values']))}: {left['reason']}")
    for sentence in figures["said"]:
        print(("\n" if sentence == figures["said"][0] else "") + sentence)


def print_growth(figures: Mapping[str, Any]) -> None:
    print(_HEAD.format(**figures) + f"; added: {', '.join(figures['added'])}\n")
    columns = ("value", "low", "high", "judged", "query_ms", "ready_seconds", "megabytes")
    heads = [figures["measure"], "from", "to", "judged", "median ms", "ready s", "MB", ""]
    table = [["passages", "search", *heads]]
    for row in figures["rows"]:
        cells = ["–" if row[name] is None else f"{row[name]:.{2 if i > 2 else 4}f}" for i, name in enumerate(columns)]
        table.append([f"{row['passages']:,}", row["search"], *cells, "flips" * row["flips"]])
    print_table(table, left=2)
    print("\n" + "\n".join(figures["notes"]))


def print_ablation(ablation: Mapping[str, Any]) -> None:
    print(_HEAD.format(**ablation))
    print(f"{ablation['search']}: {ablation['measure']} {ablation['value']:.4f}, {_times(ablation)}")
    explanation = "differences from the whole; p of the paired t-test, corrected by Holm for all variants"
    for is_alone, head in ((False, ["without", "saved", "cost"]), (True, ["alone", "better", "worse"])):
        rows = [v for v in ablation["variants"] if v["alone"] == is_alone]
        if not rows:
            continue
        print(f"\n{'Each part alone' if is_alone else 'Without each part'} ({explanation})\n")
        table = [[head[0], "", ablation["measure"], "difference", *head[1:], "p", "median ms", "95 % ms"]]
        if not is_alone:
            table[0] += ["best order", "headroom taken"]
        for v in rows:
            counts = (v["better"], v["worse"]) if is_alone else (v["worse"], v["better"])
            figures = [f"{v['value']:.4f}", _signed(v["difference"]), *map(str, counts), _p(v["corrected"])]
            times = [f"{v['median_ms']:.2f}", f"{v['late_ms']:.2f}"]
            table.append([v["path"], v["part"], *figures, *times, *([] if is_alone else _headroom(v))])
        print_table(table, left=2)
    if ablation["kept"]:
        print()
        print_table([["stays", "", "because"], *(list(part.values()) for part in ablation["kept"])], left=3)


def _headroom(figures: Mapping[str, Any]) -> list[str]:
    best, taken = figures["best_order"], figures["headroom_taken"]
    return ["–" if best is None else f"{best:.4f}", "–" if taken is None else f"{taken:.0%}"]


def _times(figures: Mapping[str, Any]) -> str:
    return f"{figures['median_ms']:.2f} ms (95 % of the questions within {figures['late_ms']:.2f} ms)"


def _signed(number: float | None) -> str:
    return "–" if number is None else f"{number:+.4f}"


def _p(p: float | None) -> str:
    return "–" if p is None else "<0.0001" if p < 0.0001 else f"{p:.4f}"


def print_table(rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """Prints aligned columns, the first ``left`` to the left, the others to the right."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        blanks = [" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
        cells = [c + blank if i < left else blank + c for i, (c, blank) in enumerate(zip(row, blanks, strict=True))]
        print("  ".join(cells).rstrip())
