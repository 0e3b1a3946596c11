"""Evaluate a static model: on the development pairs (to choose by) and on whole collections (to report only).

The development set is what `material.is_dev` keeps out of training.  Every task is a retrieval: given one
side of a pair, find the other among all texts of its kind in the development set and (titles apart) ten
thousand training texts that stand in the way.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from training.material import Pair, arguments, kind_of, read_pairs, split, timed

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts in, unit vectors out."""

AREAS = {
    "cross-lingual": ("parallel en>zh", "parallel zh>en", "words en>zh", "words zh>en"),
    "Chinese": ("title zh", "first sentence zh", "words zh"),
    "English": ("title en", "first sentence en", "words en"),
    "dictionary": ("word zh>en", "definition zh>en", "definition en"),
}
"""The development tasks by area; the score to choose by is the mean over areas of the mean over tasks."""

LIMIT = 1500
"""Queries per task, taken in the order of their checksum."""

DISTRACTORS = 10_000
"""Training texts in every pool, the same for every model."""


class Task(NamedTuple):
    """A retrieval task: the answer to query i is every text of the pool that equals one of answers[i]."""

    queries: list[str]
    answers: list[set[str]]
    pool: list[str]


def task_of(pairs: Sequence[tuple[str, str]], pool: Sequence[str], distractors: Sequence[str]) -> Task:
    """Queries with all their answers, at most LIMIT of them, against a pool of distinct texts."""
    answers: dict[str, set[str]] = {}
    for query, answer in pairs:
        answers.setdefault(query, set()).add(answer)
    queries = sorted(answers, key=lambda q: zlib.crc32(q.encode()))[:LIMIT]
    others = sorted(set(distractors) - set(pool), key=lambda text: zlib.crc32(text.encode()))[:DISTRACTORS]
    return Task(queries, [answers[q] for q in queries], sorted(set(pool)) + others)


def some_words(text: str, *, language: str) -> str:
    """Up to six pieces of a text in their order, as one types them into a search box.

    English: words of four letters and more; Chinese: runs of two to four characters.  The choice is seeded
    with the text's checksum.
    """
    random = Random(zlib.crc32(text.encode()))
    pattern = r"[A-Za-z][A-Za-z'-]{3,}" if language == "en" else r"[\u4e00-\u9fff]{2,4}"
    found = re.findall(pattern, text)
    chosen = sorted(random.sample(range(len(found)), min(6, len(found))))
    return " ".join(found[i] for i in chosen)


def first_and_rest(text: str) -> tuple[str, str] | None:
    """A paragraph's first sentence and the rest; None where either is too short to be a question or a text."""
    parts = re.split(r"(?<=[。！？])|(?<=[.!?])\s", text, maxsplit=1)
    if len(parts) < 2 or len(parts[0]) < 12 or len(parts[1]) < 40:
        return None
    return parts[0], parts[1].strip()


def by_kind(groups: dict[str, list[Pair]]) -> dict[str, list[Pair]]:
    """The pairs by kind and by group."""
    of: dict[str, list[Pair]] = {}
    for group, pairs in groups.items():
        of.setdefault(group, []).extend(pairs)
        if kind_of(group) != group:
            of.setdefault(kind_of(group), []).extend(pairs)
    return of


def dev_tasks(train: dict[str, list[Pair]], dev: dict[str, list[Pair]]) -> dict[str, Task]:
    """All development tasks by name."""
    of, other = by_kind(dev), by_kind(train)
    parallel = [(a, b) for a, b in of["parallel"] if len(a) >= 8]
    long = [(a, b) for a, b in parallel if len(a) >= 40]
    zh, en = ([pair[side] for pair in parallel] for side in (0, 1))
    other_zh, other_en = ([pair[side] for pair in other["parallel"]] for side in (0, 1))
    tasks = {
        "parallel en>zh": task_of([(b, a) for a, b in parallel], zh, other_zh),
        "parallel zh>en": task_of(parallel, en, other_en),
        "words en>zh": task_of([(some_words(b, language="en"), a) for a, b in long], zh, other_zh),
        "words zh>en": task_of([(some_words(a, language="zh"), b) for a, b in long], en, other_en),
    }
    for language in ("zh", "en"):
        titles = [(a, b) for a, b in of[f"title_{language}"]]
        paragraphs = [p[0] for p in of[f"span_{language}"] if len(p[0]) >= 40]
        pool = [b for _, b in titles] + paragraphs
        others = [p[0] for p in other[f"span_{language}"]]
        cut = [c for p in dict.fromkeys(pool) if (c := first_and_rest(p))]
        rests = [rest for _, rest in cut]
        # No distractors for titles: a training paragraph of the same article would be a right answer, too.
        tasks[f"title {language}"] = task_of(titles, pool, [])
        tasks[f"first sentence {language}"] = task_of(cut, rests, others)
        tasks[f"words {language}"] = task_of(
            [(some_words(rest, language=language), rest) for rest in rests], rests, others
        )
    for name, groups in (
        ("word zh>en", ("wikt", "cow_en", "cldr", "osm")),
        ("definition zh>en", ("cedict", "wikt_def", "cow_def")),
        ("definition en", ("wn_def",)),
    ):
        pairs = [(a, b) for group in groups for a, b in of.get(group, [])]
        tasks[name] = task_of(pairs, [b for _, b in pairs], [b for group in groups for _, b in other.get(group, [])])
    return tasks


def first_ranks(task: Task, encode: Encode) -> NDArray[np.int64]:
    """The rank (from 1) of the best answer to every query, by cosine; ties count against the model."""
    place = {text: i for i, text in enumerate(task.pool)}
    scores = encode(task.queries) @ encode(task.pool).T
    ranks = []
    for row, answers in zip(scores, task.answers, strict=True):
        best = max(row[place[a]] for a in answers)
        others = np.delete(row, [place[a] for a in answers])
        ranks.append(1 + int((others >= best).sum()))
    return np.array(ranks, dtype=np.int64)


def evaluate_dev(train: dict[str, list[Pair]], dev: dict[str, list[Pair]], encode: Encode) -> dict[str, Any]:
    """Recall@1, recall@10 and MRR@10 per task, MRR@10 per area, and the score to choose by."""
    tasks: dict[str, Any] = {}
    for name, task in dev_tasks(train, dev).items():
        ranks = first_ranks(task, encode)
        tasks[name] = {
            "queries": len(ranks),
            "pool": len(task.pool),
            "R@1": float((ranks == 1).mean()),
            "R@10": float((ranks <= 10).mean()),
            "MRR@10": float(np.where(ranks <= 10, 1 / ranks, 0).mean()),
        }
    areas = {area: float(np.mean([tasks[name]["MRR@10"] for name in names])) for area, names in AREAS.items()}
    return {"score": float(np.mean(list(areas.values()))), "areas": areas, "tasks": tasks}


def ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float:
    """nDCG@10 with linear gains, sum of gain / log2(rank + 1), as in trec_eval."""
    discount = 1 / np.log2(np.arange(2, 12))
    best = sorted(ideal, reverse=True)[:10]
    return float(
        (np.array(gains[:10]) * discount[: len(gains[:10])]).sum() / (np.array(best) * discount[: len(best)]).sum()
    )


def evaluate_collection(folder: Path, encode: Encode) -> float:
    """Mean nDCG@10 over all judged queries of a collection in the BEIR layout, by exact cosine search."""
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    queries = {q["_id"]: q["text"] for q in map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines())}
    judged: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, gain = line.split("\t")
        if float(gain) > 0:
            judged.setdefault(query, {})[document] = float(gain)
    names = [d["_id"] for d in corpus]
    documents = encode([f"{d.get('title') or ''}\n{d['text']}".strip() for d in corpus])
    asked = [q for q in judged if q in queries]
    scores = encode([queries[q] for q in asked]) @ documents.T
    top = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    return float(
        np.mean(
            [
                ndcg([judged[q].get(names[i], 0.0) for i in row], list(judged[q].values()))
                for q, row in zip(asked, top, strict=True)
            ]
        )
    )


def encoder_of(folder: Path) -> Encode:
    """The encoder of a model folder in model2vec's format."""
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder, force_download=False)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.asarray(model.encode(list(texts), use_multiprocessing=False), dtype=np.float32)
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    return encode


def show(result: dict[str, Any]) -> None:
    """Print a result of `evaluate_dev`."""
    print(f"DEV {result['score']:.4f}  " + "  ".join(f"{area} {value:.4f}" for area, value in result["areas"].items()))
    for name, row in result["tasks"].items():
        print(
            f"  {name:20} R@1 {row['R@1']:.3f}  R@10 {row['R@10']:.3f}  MRR@10 {row['MRR@10']:.3f}  ({row['queries']} "
            f"of {row['pool']})"
        )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--model", type=Path, action="append", help="model folder (more than once); default: WORK/model"
    )
    parser.add_argument(
        "--collections", type=Path, help="folder of collections in the BEIR layout: reported, never for choosing"
    )
    options = parser.parse_args()
    with timed("Evaluation"):
        train, dev = split(read_pairs(options.data))
        for folder in options.model or [options.work / "model"]:
            print(f"== {folder}")
            encode = encoder_of(folder)
            result = evaluate_dev(train, dev, encode)
            show(result)
            if options.collections:
                result["collections"] = {}
                for qrels in sorted(options.collections.glob("*/qrels/test.tsv")):
                    collection = qrels.parent.parent
                    result["collections"][collection.name] = evaluate_collection(collection, encode)
                print("nDCG@10 " + "  ".join(f"{name} {value:.4f}" for name, value in result["collections"].items()))
            options.work.mkdir(parents=True, exist_ok=True)
            (options.work / f"evaluation-{folder.name}.json").write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
