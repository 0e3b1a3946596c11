"""Every sentence that explains is true of small corpora drawn by chance, on every page that asks the question.

What is true is worked out here from the corpus and the lists alone.  A sentence that says something of a case and
that nobody checks makes the test fail: it gets a checker (`@about`), or a line in `OF_NO_CASE` where it says the
same of every case.
"""

from __future__ import annotations

import ast
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import places
import pytest
from night import NIGHT
from rank_bm25 import BM25Okapi
from scipy.stats import kendalltau
from Stemmer import Stemmer

from lab.algebra import DEPTH, Corpus, Document, Query, Ranking, Runner
from lab.corpus.beir import Collection
from lab.derive.parts import ParentChild
from lab.explain.graph import Probe
from lab.explain.graph import Walk as GraphWalk
from lab.explain.structures import Asked as Nearness
from lab.explain.structures import structures_of
from lab.models.embedders import encoder_of, rows_for
from lab.models.static import load_built_in
from lab.numeric import unit
from lab.refine.compress import SentenceExtractor
from lab.refine.filters import EmbeddingsFilter
from lab.retrieve.lexical import BM25, TFIDF
from lab.retrieve.store import ExactVector, neighbours
from lab.retrieve.vector import Vector
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.text import MODES, Analyzer, cutting
from lab.ui.i18n import say
from lab.ui.layout import operators
from ui.drawn import CHECKS, Screen, Told, about, plain, screen, terms

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    "/".join(path.parts[-3:-1]) for path in places.PAGES if re.search(r"\bp\.query\(", path.read_text("utf-8"))
)
for _truths in ROOT.glob("lab_packs/*/tests/truths_of_*.py"):
    import_module(_truths.stem)  # with checkers of its own
CASES = 2000 if NIGHT else 24
WORDS = (
    "kiln",
    "kilns",
    "overrunning",
    "clay",
    "glaze",
    "ferry",
    "the",
    "runs",
    "running",
    "superkiln",
    "0x80F4",
    "1871",
    "what is",
)
CHINESE = ("停车位", "车位", "年假", "几天", "园区", "报销", "什么")
MARKS = ("!!!", "…", "。", "<b>", "$x$", "“”")


# ------------------------------------------------------------------------------------------------ what is drawn


def text(rng: random.Random) -> str:
    """One text: empty, one word, punctuation only, or some words of one or both languages."""
    pool = rng.choice([WORDS, WORDS, CHINESE, MARKS, (*WORDS, *CHINESE, *MARKS)])
    joint = "" if pool is CHINESE and rng.random() < 0.7 else rng.choice([" ", ". ", "\n"])
    return joint.join(rng.choice(pool) for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 12])))


def drawn(seed: int) -> tuple[Collection, str]:
    """A corpus of at most four documents and a question."""
    rng = random.Random(seed)
    texts = [text(rng) for _ in range(rng.choice([1, 2, 2, 3, 4, 4]))]
    if rng.random() < 0.3:
        texts = [rng.choice(texts) for _ in texts]  # some of them more than once
    documents = tuple(
        Document(f"d{i}", body, rng.choice(["", "", body[:9], "Kiln hours"])) for i, body in enumerate(texts)
    )
    own = [w for body in texts for w in re.findall(r"\w+", body)] or ["kiln"]
    asked = rng.choice(
        [
            rng.choice(own),
            " ".join(rng.sample(own, min(3, len(own)))),
            f"{rng.choice(own)} zebra",
            rng.choice(["zebra", "斑马", "qzxv", "a"]),
            rng.choice(["???", " ", "。", "the", "什么"]),
            " ".join(rng.choice((*WORDS, *CHINESE)) for _ in range(60)),
            rng.choice((*WORDS, *CHINESE)),
        ]
    )
    query = Query(asked, id="q")
    graded = {d.id: grade for d in documents if (grade := rng.choice([0, 0, 1, 2]))}
    judged = rng.random() < 0.4 and graded and asked.strip()
    corpus = Corpus("own", documents)
    return Collection(corpus, (query,) if judged else (), {"q": graded} if judged else {}), asked


# ------------------------------------------------------------------------------------------------- what is true


def words(told: str) -> list[str]:
    """The words of a list in a sentence."""
    told = re.sub(r", by its stem \S+?(?=, |$)", "", plain(told))
    return [w for w in told.split(", ") if w and not w.endswith("…")]


def by_words(s: Screen) -> list[Analyzer]:
    """The analyzers of the lists by words that are on the page; where none is, that of BM25."""
    made = (panel.ranking.made_by for _page, panels, _how, _data in s.lists for panel in panels)
    return [m.analyzer for m in made if isinstance(m, BM25 | TFIDF)] or [BM25().analyzer]


def spoken(title: str) -> str:
    """A title as it stands between quotation marks: those inside it are single ones."""
    return " ".join(title.split()).replace("“", "‘").replace("”", "’")


def documents(s: Screen, title: str) -> list[Document]:
    """Those that a title in a sentence may mean."""
    start = spoken(plain(title).rstrip("…"))
    return [d for d in s.corpus if spoken(d.label).startswith(start) or not start]


def one_of(s: Screen, check: Callable[[Ranking], bool], page: str = "") -> bool:
    """Whether it is so of a list of the page."""
    return any(check(r) for r in s.rankings(page).values())


def tied_ranks(ranking: Ranking) -> list[range]:
    """The ranks that share one score, for each such score."""
    sizes, first, groups = Counter(hit.score for hit in ranking.hits), 1, list[range]()
    for size in sizes.values():
        groups += [range(first, first + size)] if size > 1 else []
        first += size
    return groups


@about(
    "Equal score: ranks {first} to {last}. Order: a hash of the id.",
    "Equal score: ranks {first} to {last}. Order: that of the list before, then a hash of the id.",
    "Equal score: ranks {first} to {last}. Order: better rank in one of the lists, then a hash of the id.",
)
def equal_score(s: Screen, v: dict[str, Any], told: str) -> bool:
    ranks = range(v["first"], v["last"] + 1)
    return one_of(s, lambda r: ranks in tied_ranks(r) and ("lists" in told) == (len(r.parents) > 1))


@about("Results with equal scores: {n} of {of}; groups: {groups}. The order within a group is arbitrary.")
def equal_scores(s: Screen, v: dict[str, Any], _: str) -> bool:
    groups = [(sum(map(len, ranks)), len(r), len(ranks)) for r in s.rankings().values() if (ranks := tied_ranks(r))]
    return (v["n"], v["of"], v["groups"]) in groups


@about("The corpus contains none of these words: {words}. Try other words, or a vector list.")
def nowhere(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = " ".join(d.content for d in s.corpus).casefold()
    return not any(w.casefold() in every for w in words(v["words"])) and s.question.strip() != ""


@about("Did you mean “{question}”?")
def meant(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = {t for d in s.corpus for t in cutting().tokens(d.content)}
    asked, offered = (set(cutting().tokens(text)) for text in (s.question, plain(v["question"])))
    return bool(offered - asked) and offered - asked <= every and not (asked - offered) & every


@about("With this tokenizer, no passage contains any of these words: {words}.")
def cut_otherwise(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = " ".join(d.content for d in s.corpus).casefold()
    lacking = any(not any(own & set(d) for d in them) for a in by_words(s) for own, them in [terms(s, a)] if own)
    return lacking and any(w.casefold() in every for w in words(v["words"]))


@about("The query contains no searchable word. Try a whole word.")
def no_word(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(not terms(s, a)[0] for a in by_words(s)) or not any(map(str.isalnum, s.question))


@about("The query is empty. Type a question.")
def empty(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not s.question.strip()


@about("{model} knows no word of this question, so it has no vector to compare.")
def unknown(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not encoder_of(Vector().embedder, s.corpus).queries([s.question]).any()


@about("With {model}, no passage is similar to the question.")
def nothing_near(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not (cosines(s) > 0).any()


def cosines(s: Screen) -> Any:
    """The cosines of the documents with the question, by the built-in model."""
    asked = encoder_of(Vector().embedder, s.corpus).queries([s.question or " "])[0]
    return np.asarray(rows_for(Vector().embedder, list(s.corpus), s.corpus)) @ asked


@about("The passages of this corpus have no metadata fields.")
def no_fields(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not any(document.metadata for document in s.corpus)


SPACES_SHOWN = ("cosine", "L2, squared", "inner product")


@about(
    "The stored vectors have length 1: the three spaces give the same order. L2, squared, is twice the cosine "
    "distance, so the same limit is half as wide."
)
def one_order(s: Screen, v: dict[str, Any], _: str) -> bool:
    lists = s.rankings("vector_store")
    first, *others = ([hit.document.id for hit in lists[name].hits] for name in SPACES_SHOWN)
    near, far = ({n.document.id: n.distance for n in neighbours(lists[name])} for name in SPACES_SHOWN[:2])
    twice = all(abs(far[d] - 2 * near[d]) < 1e-4 for d in near.keys() & far.keys())
    return twice and all(other == first for other in others)


@about("graph found {n} of the exact first {m}")
def graph_found(s: Screen, v: dict[str, Any], _: str) -> bool:
    lists = s.rankings("vector_store")
    exact, own = ([hit.document.id for hit in lists[name].hits] for name in ("inner product", "Chroma"))
    return len(exact) == v["m"] and len(set(exact) & set(own)) == v["n"]


@about("None of these searches finds anything for this question.", "Both lists are empty.")
def none_finds(s: Screen, v: dict[str, Any], _: str) -> bool:
    own, them = terms(s)
    return not any(own & set(d) for d in them) and not Runner(s.corpus)(Vector(), Query(s.question), DEPTH).hits


@about("All lists are empty: there is nothing to fuse.", "Nothing was found here.", "Nothing was found.")
def one_is_empty(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: not r.hits)


@about("{n} found")
def found(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: len(r.hits) == v["n"])


@about("{ms} ms")
def a_time(s: Screen, v: dict[str, Any], _: str) -> bool:
    return 0 <= float(v["ms"]) < 60_000


@about("{name} {ms} ms")
def took(s: Screen, v: dict[str, Any], _: str) -> bool:
    def every_step(ranking: Ranking) -> float:
        return sum(step.seconds for step in ranking.lineage())

    if v["name"].replace("\\", "") not in s.rankings():
        return True  # a step on the way, or a list that is not on the page
    return one_of(s, lambda r: v["ms"] in (f"{r.seconds * 1000:.1f}", f"{every_step(r) * 1000:.1f}"))


@about("rank {n}", "not found")
def rank_of_selected(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: r.rank(selected(s)) == v.get("n"))


@about("{m} of {m}: there are no more.")
def no_more(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: len(r) == v["m"] and not r.asked)


@about("{m} of {m}: the search requested no more.")
def asked_for_no_more(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: len(r) == v["m"] == r.asked)


@about("{n} of {m}")
def some_of(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] < v["m"] and one_of(s, lambda r: len(r) == v["m"])


@about("{n} more")
def more(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(
        any(len(r) - how["depth"] >= v["n"] for r in (p.ranking for p in panels)) for _p, panels, how, _d in s.lists
    )


@about("▲▼ against the list on the left")
def against(s: Screen, v: dict[str, Any], _: str) -> bool:
    """And every row of the page says what is true against the list at its left, which has hits."""
    for _page, panels, how, data in s.lists:
        still = how.get("moves") is False or how.get("linked") is False
        for i, column in enumerate(data["lists"][: len(panels)]):
            left = None if still or not i or not panels[i - 1].ranking.hits else panels[i - 1].ranking
            for card in column["hits"]:
                if card["move"] != ("" if left is None else moved(left, card["id"], card["rank"])):
                    return False
    return any("▲▼" in data["moves"] for _p, _panels, _how, data in s.lists)


def moved(left: Ranking, doc: str, rank: int) -> str:
    """What a row says of its movement against this list."""
    before = left.rank(doc)
    if before is None:
        return f"> #{left.asked}" if left.asked else "new"
    return f"▲ {before - rank}" if before > rank else f"▼ {rank - before}" if before < rank else "＝"


@about("new: not in that list")
def new(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(
        card.get("move") == "new" for _p, _l, _h, data in s.lists for own in data["lists"] for card in own["hits"]
    )


@about("> #{n}: not among the first {n} requested")
def behind(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: r.asked == v["n"] == len(r))


@about("Hollow ring: judged relevant")
def hollow(s: Screen, v: dict[str, Any], _: str) -> bool:
    """And every row with a ring is judged relevant, and no other."""
    for _page, _panels, how, data in s.lists:
        good = {doc for doc, grade in how["relevant"].items() if grade > 0}
        if any(bool(card["tags"]) != (card["id"] in good) for own in data["lists"] for card in own["hits"]):
            return False
    return True


@about("5 + 1: the ranks that were fused")
def fused_ranks(s: Screen, v: dict[str, Any], _: str) -> bool:
    """And every row of the fused list says the ranks of its document in the lists that were fused."""
    for _page, panels, _how, data in s.lists:
        for panel, own in zip(panels, data["lists"], strict=False):
            for card in own["hits"]:
                ranks = [str(r.rank(card["id"]) or "–") for r in panel.ranking.parents]
                if "ranks" in card and [rank for rank, _colour in card["ranks"]] != ranks:
                    return False
    return True


# ----------------------------------------------------------------------------------------------- the tipping strip


def winners(s: Screen) -> list[tuple[float, str]]:
    """The document that is first, from where on: by fusing again at many weights."""
    fused = next(p.ranking for _page, panels, _how, _d in s.lists for p in panels if p.ranks)
    fusion = fused.made_by
    found: list[tuple[float, str]] = []
    for step in range(1, 400):
        weight = step / 400
        first = [hit.document.id for hit in fusion.weighted((weight, 1 - weight)).fuse(fused.parents)][:1]
        if first and (not found or found[-1][1] != first[0]):
            found.append((weight, first[0]))
    return found


@about(
    "The first rank changes {n} time",
    "The first rank changes {n} times",
    "The same document is first everywhere on this axis.",
    "from {value}: “{title}”",
)
def first_places(s: Screen, v: dict[str, Any], said: str) -> bool:
    changes = winners(s)[1:]
    if "value" in v:
        near = [doc for at, doc in changes if abs(at - float(v["value"])) < 0.01]
        return any(doc in [d.id for d in documents(s, v["title"])] for doc in near) or len(changes) > 4
    return len(changes) == v.get("n", int("once" in said))


@about("{value} here", "best {value}, from {low} to {high}")
def quality_along(s: Screen, v: dict[str, Any], said: str) -> bool:
    return 0 <= float(v["value"]) <= 1 and float(v.get("low", 0)) <= float(v.get("high", 1))


# ------------------------------------------------------------------------------------------------ why, by words


def selected(s: Screen) -> str:
    """The document that is looked at."""
    return next((str(how["chosen"]) for _p, _panels, how, _d in s.lists if how["chosen"]), "")


@about("How “{title}” is scored", "Why “{title}” is missing", "“{title}” in each index")
def is_here(s: Screen, v: dict[str, Any], said: str) -> bool:
    doc, page = selected(s), s.page.split("/")[1]
    lists = [r for name, r in s.rankings(page).items()]
    own = lists[1:] if page == "rerank" and len(lists) > 1 else lists
    there = any(r.rank(doc) for r in own)
    right = doc in [d.id for d in documents(s, v["title"])]
    return right and (page == "granularity" or there == ("is scored" in said))


@about("Why “{title}” is at rank {rank}", "no list contains “{title}”")
def at_rank(s: Screen, v: dict[str, Any], _: str) -> bool:
    fused = next(p.ranking for _page, panels, _how, _d in s.lists for p in panels if p.ranks)
    return selected(s) in [d.id for d in documents(s, v["title"])] and fused.rank(selected(s)) == v.get("rank")


@about("lists that contain it: {n} of {of}")
def in_so_many(s: Screen, v: dict[str, Any], _: str) -> bool:
    lists = s.rankings("compare").values()
    return (v["n"], v["of"]) == (sum(r.rank(selected(s)) is not None for r in lists), len(lists))


@about("This passage contains no word of the query: its score is 0, and the list does not include it.")
def not_in_passage(s: Screen, v: dict[str, Any], _: str) -> bool:
    own, them = terms(s)
    bm25 = next(iter(s.rankings("compare").values()))
    return not own & set(them[s.corpus.positions[selected(s)]]) and bm25.rank(selected(s)) is None


@about("**Why it is not in this list**", "This list does not contain this passage.")
def lacks(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: r.rank(selected(s)) is None)


@about("Not in this passage, 0 each: {words}")
def not_these(s: Screen, v: dict[str, Any], _: str) -> bool:
    used = BM25().analyzer.for_query(s.question)
    document = s.corpus.documents[s.corpus.positions[selected(s)]]
    there = set(used.tokens(document.content))
    return not any(set(used.tokens(w)) and set(used.tokens(w)) <= there for w in words(v["words"]) if w.isascii())


@about("passages: N = {n} · words in this one: {length}, on average {average}")
def lengths(s: Screen, v: dict[str, Any], _: str) -> bool:
    sizes = list(map(len, terms(s)[1]))
    mean = sum(sizes) / len(sizes)
    own = (len(s.corpus), f"{sizes[s.corpus.positions[selected(s)]]}", f"{mean:.1f}")
    return (v["n"], v["length"], v["average"]) == own


@about("score {score} = the sum of one part per word of the query")
def summed(s: Screen, v: dict[str, Any], _: str) -> bool:
    """By the formula of Lucene's BM25 with k1 = 1.5 and b = 0.75, word by word; Okapi's by rank-bm25."""
    used = next(r.made_by for r in s.rankings("compare").values() if isinstance(r.made_by, BM25))
    them, asked = terms(s)[1], BM25().analyzer.for_query(s.question).tokens(s.question)
    at, n, mean = s.corpus.positions[selected(s)], len(s.corpus), sum(map(len, terms(s)[1])) / len(s.corpus)
    if used.variant == "okapi":
        score = float(BM25Okapi(them, epsilon=used.epsilon).get_scores(asked)[at])
    else:
        score = 0.0
        for word in asked:
            df, tf = sum(word in d for d in them), them[at].count(word)
            idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
            score += idf * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(them[at]) / mean)) if tf else 0.0
    return (
        any(abs(float(told) - score) < 1e-3 for told in (v["score"],)) or s.app.session_state["compare.why"] != "BM25"
    )


@about(
    "In half of the passages or more: {words}. Okapi's IDF of such a word is 0, or a share of the mean IDF that "
    "may be negative; Lucene's IDF is always above 0."
)
def in_half(s: Screen, v: dict[str, Any], _: str) -> bool:
    them = terms(s)[1]
    told = re.findall(r"\((\d+)/(\d+)\)", plain(v["words"]))
    counts = {n for w in terms(s)[0] if 2 * (n := sum(w in d for d in them)) >= len(them)}
    said = {int(n) for n, _of in told}
    whole = said <= counts if "…" in v["words"] else said == counts
    return whole and bool(said) and {int(of) for _n, of in told} == {len(them)}


@about("Passages: {n}. Okapi's IDF of a word in {half} of them or more is 0 or less; Lucene's is always above 0.")
def half(s: Screen, v: dict[str, Any], _: str) -> bool:
    n, df = len(s.corpus), v["half"]
    return n == v["n"] and math.log((n - df + 0.5) / (df + 0.5)) <= 0 < math.log((n - df + 1.5) / (df - 0.5))


@about("{word}, by its stem {stem}", "{list} rank {rank}")
def part(s: Screen, v: dict[str, Any], said: str) -> bool:
    if "list" in v:  # a component of a fused score: some list that was fused has a document at this rank
        steps = [step for r in s.rankings().values() for step in r.lineage()]
        fused = [
            (r, hit, c) for r in steps for hit in r.hits for c in hit.why if c.of is not None and c.of < len(r.parents)
        ]
        return any(str(c.source) == said and r.parents[c.of].rank(hit.document.id) == v["rank"] for r, hit, c in fused)
    return v["stem"] in terms(s)[0]


# ---------------------------------------------------------------------------------------- what the stages say


@about("largest move: {title} {move}")
def largest(s: Screen, v: dict[str, Any], _: str) -> bool:
    before, *after = s.rankings("rerank").values()
    n = int(v["move"][1:]) * (1 if v["move"][0] == "▲" else -1)
    for r in after:
        changes = {d: (before.rank(d) or 0) - rank for rank, d in enumerate(r.ids, 1)}
        far = max(map(abs, changes.values()), default=0)
        if abs(n) == far and any(changes.get(d.id) == n for d in documents(s, v["title"])):
            return True
    return False


@about("score {score} = the sum of its components", "The score {score} is not a sum and cannot be split.")
def parts(s: Screen, v: dict[str, Any], said: str) -> bool:
    hits = [h for r in s.rankings("rerank").values() for h in r.hits if h.document.id == selected(s)]
    own = [h for h in hits if f"{h.score:.4f}" == v["score"]]
    return any(not h.why or abs(sum(c.value for c in h.why) - h.score) < 1e-6 for h in own)


@about("rank {rank} → position {place} of {n}")
def placed(s: Screen, v: dict[str, Any], _: str) -> bool:
    before, after = s.rankings("reorder").values()
    doc = after.ids[v["place"] - 1]
    return before.rank(doc) == v["rank"] and len(after) == v["n"]


def mmr(s: Screen, share: float) -> list[str]:
    """The labels that MMR picks by hand, one after the other."""
    plain_list = next(iter(s.rankings("mmr").values()))
    docs = [h.document for h in plain_list.hits[:20]]
    asked = encoder_of(Vector().embedder, s.corpus).queries([s.question])[0].astype(float)
    rows = np.asarray(rows_for(Vector().embedder, docs, s.corpus), dtype=float)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    near, alike = unit @ (asked / max(np.linalg.norm(asked), 1e-12)), unit @ unit.T
    picked: list[int] = []
    while len(picked) < min(5, len(docs)):
        value = near if not picked else share * near - (1 - share) * alike[:, picked].max(axis=1)
        picked.append(max((i for i in range(len(docs)) if i not in picked), key=lambda i: (round(value[i], 9), -i)))
    return [docs[i].label for i in picked]


def step(s: Screen) -> int:
    return int(s.app.session_state["mmr.step"]) - 1


@about("**This pick is the same for every λ.**")
def same_for_all(s: Screen, v: dict[str, Any], _: str) -> bool:
    return len({mmr(s, share)[step(s)] for share in (0.0005, 0.25, 0.5, 0.75, 0.9995)}) == 1


@about("**This pick is the same for λ from {low} to {high}.**")
def stays(s: Screen, v: dict[str, Any], _: str) -> bool:
    low, high, own = float(v["low"]), float(v["high"]), mmr(s, 0.5)[step(s)]
    inside = [low + 0.002, (low + high) / 2, high - 0.002] if high - low > 0.005 else []
    return low <= 0.5 <= high and all(mmr(s, x)[step(s)] == own for x in inside)


@about("below {value}: “{title}”", "above {value}: “{title}”")
def beyond(s: Screen, v: dict[str, Any], said: str) -> bool:
    at = float(v["value"]) + (-0.001 if said.startswith("below") else 0.001)
    near = [mmr(s, at + d)[step(s)] for d in (-5e-4, 0, 5e-4)]
    return any(d.label in near for d in documents(s, v["title"]))


@about("MMR value {value} = λ × similarity to the query − (1 − λ) × similarity to the nearest earlier pick")
def value_of(s: Screen, v: dict[str, Any], _: str) -> bool:
    hit = s.rankings("mmr")["MMR"].hit(selected(s))
    return (
        hit is not None and f"{hit.score:.4f}" == v["value"] and abs(sum(c.value for c in hit.why) - hit.score) < 1e-6
    )


@about("mean cosine of two picks: {mean}")
def mean_cosine(s: Screen, v: dict[str, Any], _: str) -> bool:
    docs = [h.document for h in s.rankings("mmr")["MMR"].hits]
    rows = np.asarray(rows_for(Vector().embedder, docs, s.corpus), dtype=float)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    table, n = unit @ unit.T, len(docs)
    mean = (table.sum() - np.trace(table)) / (n * (n - 1)) if n > 1 else 0.0
    return abs(float(v["mean"]) - mean) < 2e-3


@about("Not picked: cosine {relevance:.3f} with the query; the only pick has {best:.3f}.")
def not_picked(s: Screen, v: dict[str, Any], _: str) -> bool:
    return bool(v["relevance"] <= v["best"])


@about(
    "Not picked (k = {k}): {share:.2f} × {near:.3f} − {rest:.2f} × {far:.3f} = {value:.3f}, because it is similar "
    "to “{document}”; the last pick had {best:.3f}."
)
def not_among(s: Screen, v: dict[str, Any], _: str) -> bool:
    told = v["share"] * v["near"] - v["rest"] * v["far"]
    return abs(told - v["value"]) < 1e-6 and v["value"] <= v["best"] + 1e-9


@about("Kept ({n})")
def kept(s: Screen, v: dict[str, Any], _: str) -> bool:
    return len(next(iter(s.rankings("filter").values()))) == v["n"]


@about("Removed ({n})", "Nothing was removed.", "Removed ({n})")
def removed(s: Screen, v: dict[str, Any], _: str) -> bool:
    drops = [len(how["removed"][1]) for _p, _panels, how, _d in s.lists if how.get("removed")]
    return v.get("n", 0) in (drops or [0])


@about("Cosine {cosine:.3f} with “{document}”, kept at rank {rank}; limit {limit:.2f}.")
def twin(s: Screen, v: dict[str, Any], _: str) -> bool:
    ranking = next(iter(s.rankings("filter").values()))
    rows = np.asarray(rows_for(Vector().embedder, list(s.corpus), s.corpus), dtype=float)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    table = unit @ unit.T
    near = [d for d in documents(s, v["document"]) if ranking.rank(d.id)]
    at = [s.corpus.positions[d.id] for d in near]
    return v["cosine"] >= v["limit"] and any(abs(table[i] - v["cosine"]).min() < 2e-3 for i in at)


@about("No document judged relevant was removed.")
def none_lost(s: Screen, v: dict[str, Any], _: str) -> bool:
    how = next(how for name, _panels, how, _d in s.lists if name == "filter")
    return bool(how["relevant"]) and not any(how["relevant"].get(d.document.id, 0) > 0 for d, *_ in how["removed"][1])


@about("“{title}” is judged relevant, and {filter} removes it: {reason}")
def lost(s: Screen, v: dict[str, Any], _: str) -> bool:
    how = next(how for name, _panels, how, _d in s.lists if name == "filter")
    gone = [drop.document for drop, *_ in how["removed"][1] if how["relevant"].get(drop.document.id, 0) > 0]
    return any(d in documents(s, v["title"]) for d in gone)


@about("**{title}**: {sentence} (score {x})")
def nearest_sentence(s: Screen, v: dict[str, Any], _: str) -> bool:
    start = plain(v["sentence"]).rstrip("…").strip()
    return any(start in d.content for d in documents(s, v["title"])) and math.isfinite(float(v["x"]))


@about(
    "What do you want to know about “{term}”? The passages can answer questions about it, and a passage with the "
    "sentence “{term} is …” would answer the question."
)
def mentioned(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(plain(v["term"]).casefold() in d.content.casefold() for d in s.corpus)


@about("{rank}{judged} · best sentence {best} · sentences kept: {kept} of {n}")
def sentences_kept(s: Screen, v: dict[str, Any], _: str) -> bool:
    return 0 <= v["kept"] <= v["n"] and (v["kept"] >= 1 or v["n"] == 0) and -1.001 <= float(v["best"]) <= 1.001


@about("**Characters left: {share}%** · passages: {passages} · sentences: {sentences} · tokens (estimated): {tokens}")
def left_by_compression(s: Screen, v: dict[str, Any], _: str) -> bool:
    before = Runner(s.corpus)(BM25(), Query(s.question), 8)
    after = Runner(s.corpus)(BM25() % 8 >> EmbeddingsFilter(k=0, threshold=0.1) >> SentenceExtractor(), s.question, 8)
    sizes = [sum(len(hit.document.text) for hit in r.hits) for r in (after, before)]
    share = f"{100 * sizes[0] / max(sizes[1], 1):.0f}"
    return v["passages"] == f"{len(after)}/{len(before)}" and v["share"] == share


@about("judged relevant: {n}")
def good_left(s: Screen, v: dict[str, Any], _: str) -> bool:
    left, of = map(int, v["n"].split("/"))
    lost = [
        told for told in s.said if told.template == "“{title}” is judged relevant and is lost here." and told.values
    ]
    return of - left == len(lost)


@about("below the threshold {limit}: {n}, kept because the minimum is {least}")
def below(s: Screen, v: dict[str, Any], _: str) -> bool:
    own = SentenceExtractor()
    return 0 < v["n"] <= v["least"] == own.at_least and v["limit"] == f"{own.threshold:.2f}"


@about("No sentence is relevant to the query: best cosine {cosine:.3f}; threshold {limit:.2f}.")
@about("Cosine {cosine:.3f} with the query; limit {limit:.2f}.")
def too_far(s: Screen, v: dict[str, Any], _: str) -> bool:
    return bool(v["cosine"] < v["limit"])


@about("“{title}” is judged relevant and is lost here.")
def lost_here(s: Screen, v: dict[str, Any], _: str) -> bool:
    good = {d for d, grade in s.collection.qrels.get("q", {}).items() if grade > 0}
    return any(d.id in good for d in documents(s, v["title"])) and "judged relevant" in s.texts


@about("The same list: {names}")
def same_list(s: Screen, v: dict[str, Any], _: str) -> bool:
    """The lists that are named are equal to one that is drawn, and are not drawn themselves."""
    techniques = {"Multi-query": MultiQuery(), "Hypothetical documents": HyDE()}
    panels = [panel for _page, drawn_, _how, _d in s.lists for panel in drawn_]
    named = {name: techniques[name.split(" · ")[0]](BM25()) for name in v["names"].split(", ")}
    lists = [Runner(s.corpus)(search, s.question, DEPTH).hits for search in named.values()]
    equal = all(any(panel.ranking.hits == hits for panel in panels) for hits in lists)
    return equal and not {panel.name for panel in panels} & {*named}


@about("The rule found nothing to change in this question.")
def unchanged(s: Screen, v: dict[str, Any], _: str) -> bool:
    tables = [frame.value for frame in s.app.dataframe if "wording" in frame.value]
    asked = " ".join(s.question.split())
    return any(all(" ".join(str(w).split()) == asked for w in table["wording"]) for table in tables)


@about("Relevant passages compared with the raw question: {won} won, {lost} lost.")
def won_and_lost(s: Screen, v: dict[str, Any], _: str) -> bool:
    (_p, panels, how, _d) = next(x for x in s.lists if x[0] == "rewrite")
    raw, *others = [set(p.ranking.ids[: how["depth"]]) for p in panels]
    good = {d for d, grade in how["relevant"].items() if grade > 0}
    alike = [raw] if "same list" in panels[0].below else []  # a technique whose list is the raw question's own
    return any((v["won"], v["lost"]) == (len((own - raw) & good), len((raw - own) & good)) for own in others + alike)


@about("nDCG@10 of this question: {before:.3f} → {after:.3f}.")
def gain(s: Screen, v: dict[str, Any], _: str) -> bool:
    return 0 <= v["before"] <= 1.0000001 and 0 <= v["after"] <= 1.0000001


@about("words: {n}", "changed: {n}")
def counted(s: Screen, v: dict[str, Any], _: str) -> bool:
    return bool(0 <= v["n"] <= 4 * len(s.question) + 1)


@about("the same: {names}")
def cut_alike(s: Screen, v: dict[str, Any], _: str) -> bool:
    titles = {str(title): mode for mode, title in MODES.items()}
    made = {
        mode: [(t.start, t.end, t.kind) for t in replace(BM25().analyzer, mode=mode).spans(s.question)]
        for mode in MODES
    }
    named = [titles[name] for name in re.findall("|".join(map(re.escape, sorted(titles, reverse=True))), v["names"])]
    others = [mode for mode in MODES if mode not in named]
    (one,) = {tuple(made[mode]) for mode in named}
    return any(tuple(made[mode]) == one for mode in others)


# -------------------------------------------------------------------------------------------- vectors


@about("The model knows no word of the question, so there is no vector to compare.")
def no_question_vector(s: Screen, v: dict[str, Any], told: str) -> bool:
    return unknown(s, v, told)


# --------------------------------------------------------------------------------------- a graph and cells, watched


def nearest_by_hand(s: Screen) -> list[str]:
    """The passages with a vector, nearest first by the inner product of vectors of length 1, ties in corpus order."""
    encoder = encoder_of(Vector().embedder, s.corpus)
    rows = unit(rows_for(Vector().embedder, s.corpus.documents, s.corpus))
    scores = np.einsum("ij,j->i", rows, unit(encoder.queries([s.question]))[0]).round(12).tolist()
    there = [i for i in range(len(rows)) if rows[i].any() and scores[i]]
    return [s.corpus.documents[i].id for i in sorted(there, key=lambda i: (-scores[i], i))]


def watched(s: Screen) -> tuple[Nearness, GraphWalk | Probe]:
    """The search that the fold of Vector store shows: in the graph or in the cells, as it begins."""
    asked = structures_of(ExactVector(space="ip", scale="unit"), s.corpus).ask(s.question)
    assert asked is not None
    cells = s.app.session_state["vector_store.watch.kind"] == "cells"
    return asked, asked.probe(1) if cells else asked.walk(min(10, len(asked.structures)))


@about(
    "Means over questions of this corpus ({n}): the share of the exact first {k} that is found, and the share of the "
    "passages that is compared. Filled dot: the breadth chosen here. Diamond: this question."
)
def questions_averaged(s: Screen, v: dict[str, Any], _: str) -> bool:
    encoder = encoder_of(Vector().embedder, s.corpus)
    known = [query for query in s.collection.queries if encoder.queries([query.text]).any()]
    return v["k"] == 10 and (v["n"] == len(known) if s.collection.queries else v["n"] >= 1)


@about("No passage has a vector.")
def no_vectors(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not rows_for(Vector().embedder, s.corpus.documents, s.corpus).any()


@about("Fewer than 3 passages with a vector: the graph has one layer.")
def few_vectors(s: Screen, v: dict[str, Any], _: str) -> bool:
    return sum(row.any() for row in rows_for(Vector().embedder, s.corpus.documents, s.corpus)) < 3


@about("All vectors are equal: the graph has one layer.")
def equal_vectors(s: Screen, v: dict[str, Any], _: str) -> bool:
    rows = unit(rows_for(Vector().embedder, s.corpus.documents, s.corpus))
    rows = rows[rows.any(axis=1)]
    return len(rows) >= 3 and bool((np.ptp(rows, axis=0) == 0).all())


@about("**ef {ef}:** passages compared: {n} of {total} ({share}%)")
@about("**nprobe {nprobe}:** passages compared: {n} of {total} ({share}%), and centres: {centres}")
def passages_compared(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    total = sum(row.any() for row in rows_for(Vector().embedder, s.corpus.documents, s.corpus))
    cells = v.get("centres", len(asked.structures.cells)) == len(asked.structures.cells)
    n = len(searched.compared())
    return (v["n"], v["total"], v["share"]) == (n, total, f"{100 * n / total:.0f}") and n <= total and cells


@about("found {n} of the exact first {m}")
def found_of_exact(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    kept, exact = {asked.structures.documents[node].id for node in searched.kept[:10]}, nearest_by_hand(s)[:10]
    return (v["n"], v["m"]) == (len(kept & set(exact)), len(exact))


@about("no passage passes the filter")
def none_passes(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not nearest_by_hand(s)


@about("**Step {step} of {steps}, layer {layer}:** “{title}”")
def walked_to(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    assert isinstance(searched, GraphWalk)
    step = searched.steps[v["step"] - 1]
    node = asked.structures.documents[step.node]
    return (v["steps"], v["layer"]) == (len(searched.steps), step.layer) and node in documents(s, v["title"])


@about("The walk begins at the entry of the graph.")
def begins(s: Screen, v: dict[str, Any], _: str) -> bool:
    return len(watched(s)[1].steps) == 1  # type: ignore[union-attr]


@about("The walk goes down one layer, with the nearest passage of the layer above.")
def goes_down(s: Screen, v: dict[str, Any], _: str) -> bool:
    *_rest, before, last = watched(s)[1].steps  # type: ignore[union-attr]
    return before.layer == last.layer + 1 and last.compared == (last.node,)


@about("Neighbours: {m}; compared for the first time on this layer: {n}")
def neighbours_compared(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    last = searched.steps[-1]  # type: ignore[union-attr]
    return (v["m"], v["n"]) == (len(asked.structures.graph.layers[last.layer][last.node]), len(last.compared))


@about("Kept: {n} of at most {ef}; new: {new}, dropped: {gone}")
def kept_there(s: Screen, v: dict[str, Any], _: str) -> bool:
    searched = watched(s)[1]
    assert isinstance(searched, GraphWalk)
    return (v["n"], v["ef"]) == (len(searched.kept), searched.ef) and v["new"] <= len(searched.steps[-1].compared)


@about("Waiting to be visited: none", "**The walk ends:** no passage is waiting.")
@about("Waiting to be visited: {n}, the nearest at distance {distance}")
@about("**The walk ends:** all {ef} kept are at most {last} away, and the nearest that waits is {far} away.")
def waits(s: Screen, v: dict[str, Any], _: str) -> bool:
    searched = watched(s)[1]
    assert isinstance(searched, GraphWalk)
    visited = {step.node for step in searched.steps if step.layer == 0 and step.node not in step.compared}
    waiting = {node for step in searched.steps if step.layer == 0 for node in step.queued} - visited
    return (v.get("n", 0) == len(waiting) or "ef" in v) and (searched.stop is None) == (not v) == (not waiting)


@about("lost by the graph (exact rank {rank})", "lost by the cells (exact rank {rank})")
def lost_there(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    lost = nearest_by_hand(s)[v["rank"] - 1]
    return lost not in [asked.structures.documents[node].id for node in searched.kept[:10]]


@about("**Cell {step} of {steps} searched, of {cells} in all**")
def cell_searched(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    return (v["step"], v["steps"], v["cells"]) == (1, 1, len(asked.structures.cells))


@about("Distance of its centre: {distance}", "Passages in it: {m}; compared: {n}")
def cell_itself(s: Screen, v: dict[str, Any], _: str) -> bool:
    asked, searched = watched(s)
    assert isinstance(searched, Probe)
    members = searched.cells.members[searched.visited[0]]
    nearest = f"{asked.to_centres.min():.4f}"
    return v.get("distance", nearest) == nearest and v.get("m", len(members)) == v.get("n", len(members)) == len(
        members
    )


@about("Of the nearest {k} so far, from this cell: {n}")
def from_cell(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["k"] == v["n"] == min(10, len(watched(s)[1].kept))


# -------------------------------------------------------------------------------------- answers, pieces, routes


@about("**Do the passages answer it?** {parts} = {x}, not below {limit}: yes.")
@about("**Do the passages answer it?** {parts} = {x}, below {limit}: no.")
def says(s: Screen, v: dict[str, Any], said: str) -> bool:
    total = sum((-1 if sign == "−" else 1) * float(n) for sign, n in re.findall(r"(?:^|([+−]) )(\d+\.\d+)", v["parts"]))
    return abs(total - float(v["x"])) < 5e-3 and (float(v["x"]) >= float(v["limit"])) == said.endswith("yes.")


@about(
    "[{n}]: {parts} = **{x}**, cited (threshold {limit}).",
    "[{n}]: {parts} = **{x}**, not cited: another passage is more similar.",
    "[{n}], the most similar: {parts} = **{x}**, below the threshold {limit}: not cited.",
    "[{n}]: {parts} = **{x}**, not cited: the most similar passage is not cited, either.",
)
def cited(s: Screen, v: dict[str, Any], said: str) -> bool:
    total = sum(float(w) * float(x) for w, x in re.findall(r"([\d.]+) × (-?[\d.]+)", v["parts"]))
    if abs(total - float(v["x"])) > 5e-3:
        return False
    near, limit = float(v["x"]), float(v["limit"])
    return near >= limit if "cited (threshold" in said else near <= limit if "below the threshold" in said else True


@about(
    "Sentences with a source: {n} of {total}.",
    "Each sentence was copied from a passage; exactly that passage is cited for {n}.",
)
def sources(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] <= v.get("total", len(s.corpus) * 20)


@about("Passages: {n}, tokens: about {tokens} of {budget} (an estimate).")
def context(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] <= len(s.corpus) and int(str(v["tokens"]).replace(",", "")) <= int(str(v["budget"]).replace(",", ""))


@about("named in the question, not in the passage: {names}")
def named(s: Screen, v: dict[str, Any], _: str) -> bool:
    return all(name.casefold() in s.question.casefold() for name in str(v["names"]).split(", "))


@about("nothing similar in the passage: {words}")
def dissimilar(s: Screen, v: dict[str, Any], _: str) -> bool:
    words = [word.casefold() for word in str(v["words"]).split(", ")]
    lacking = [all(word not in d.content.casefold() for word in words) for d in s.corpus]
    return all(word in s.question.casefold() for word in words) and any(lacking)


@about(
    "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; the question's words are spread "
    "over several sentences or passages.",
    "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; it is in another language than the "
    "question.",
    "The best sentence scores {reached:.2f}, below the threshold {limit:.2f}; in no passage: {words}.",
)
def silent(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = " ".join(d.content for d in s.corpus).casefold()
    lacking = [w.strip("“”").casefold() for w in str(v.get("words", "")).split(", ") if w]
    return v["reached"] < v["limit"] and all(w in s.question.casefold() and w not in every for w in lacking)


@about(
    "Passage {n} is near, at {near:.3f}; the threshold is {limit:.3f}.",
    "Passage {n} is similar ({near:.3f}), but does not contain all of the sentence.",
    "Not cited: the most similar passage is {n}, with {near:.3f}; the threshold is {limit:.3f}.",
)
def near_enough(s: Screen, v: dict[str, Any], said: str) -> bool:
    if "limit" not in v or not 1 <= v["n"] <= len(s.corpus):
        return 1 <= v["n"] <= len(s.corpus)
    return bool((v["near"] >= v["limit"]) == said.startswith("Passage"))


@about("Documents of the chunks retrieved: {n} for the first {k}, {all} for all {pieces}.")
def pieces(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["n"] <= v["k"] <= v["pieces"] and v["n"] <= v["all"] <= len(s.corpus)


@about("The first {k} of both lists are the same, in the same order.")
@about("In both lists among the first {k}: {n}; the first result is the same.")
@about("In both lists among the first {k}: {n}; the first result is different.")
def agreeing(s: Screen, v: dict[str, Any], said: str) -> bool:
    home = list(s.rankings("home").values())
    a, b = (r.ids for r in ((home[0], home[-1]) if home else list(s.rankings("pipeline").values())[:2]))
    if "same order" in said:
        return a[: v["k"]] == b[: v["k"]]
    return len(set(a[: v["k"]]) & set(b[: v["k"]])) == v["n"] and (a[0] == b[0]) == said.endswith("the same.")


def parted(s: Screen) -> tuple[Ranking, list[Ranking], int]:
    """The first pipeline's list, the other's lists from its first (or fused) one on, and how many are compared."""
    theirs, last = list(s.rankings("pipeline").values())[:2]
    steps = [last]
    while len(steps[0].parents) == 1 and steps[0].parents[0].corpus.name == last.corpus.name:
        steps.insert(0, steps[0].parents[0])
    return theirs, steps, min(8, len(theirs.hits), len(last.hits))


def titled(text: str) -> str:
    """The beginning of a title on one line, as a sentence has it."""
    return " ".join(text.split())[:12].rstrip("…").strip()


@about("Among the first {k}, this list and {name} differ from this step on: {step}.")
def parting(s: Screen, v: dict[str, Any], _: str) -> bool:
    """The step is the first with an effect on a document that lasts to the end and is not that of the other list."""
    theirs, steps, k = parted(s)
    other, last = theirs.ids[:k], steps[-1].ids[:k]
    lasting = [
        min(j for j in range(len(steps)) if all((i in x.ids[:k]) == (i in last) for x in steps[j:]))
        for i in set(other) ^ set(last)
    ]
    return (
        v["k"] == k
        and v["name"] == "A"
        and other != last
        and (not lasting or say(steps[min(lasting)].made_by.label) == say(v["step"]))
    )


@about("{name} ranks “{a}” before “{b}”; here it is behind it.")
def swapped(s: Screen, v: dict[str, Any], _: str) -> bool:
    theirs, steps, k = parted(s)
    a, b = next((x, y) for x, y in zip(theirs.hits[:k], steps[-1].hits[:k], strict=True) if x.document != y.document)
    return [titled(a.document.label), titled(b.document.label)] == [titled(v["a"]), titled(v["b"])]


@about("“{title}”, rank {rank} in {name}, has rank {there} here.")
@about("“{title}”, rank {rank} in {name}, is removed: {reason}")
@about("“{title}”, rank {rank} in {name}, is not in the list.")
@about("“{title}” has rank {there} here, and rank {rank} in {name}.")
@about("“{title}” has rank {there} here, and {name} does not list it.")
def parting_document(s: Screen, v: dict[str, Any], _: str) -> bool:
    """A document of this title has these ranks: among the first of one list, and not of the other."""
    theirs, steps, k = parted(s)
    rank, there = v.get("rank"), v.get("there")
    return any(
        titled(d.label) == titled(v["title"])
        and theirs.rank(d.id) == rank
        and any(step.rank(d.id) == there for step in steps)
        and (d.id in theirs.ids[:k]) != (d.id in steps[-1].ids[:k])
        for d in s.corpus
    )


@about("One of the two lists is empty.")
def one_empty(s: Screen, v: dict[str, Any], _: str) -> bool:
    a, b = list(s.rankings("pipeline").values())[:2]
    return bool(a.hits) != bool(b.hits)


@about("{name} removed all {n} results.")
@about("No results to work on: an earlier part found nothing, or removed everything.")
def none_left(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: not r.hits)


@about("matched: {text}")
def matched(s: Screen, v: dict[str, Any], _: str) -> bool:
    """Some sentences of a passage, in its order."""

    def within(part: str, whole: Iterator[str]) -> bool:
        return all(c in whole for c in part)

    own = re.sub(r"\W", "", plain(str(v["text"])))
    return any(within(own, iter(re.sub(r"\W", "", d.content))) for d in s.corpus)


@about(
    "matched: chunk {n} of {all}, characters {a} of {b}", "chunks that count: {n} of {all}", "characters returned: {n}"
)
def matched_piece(s: Screen, v: dict[str, Any], _: str) -> bool:
    longest = max(len(d.text) for d in s.corpus)
    return 1 <= v["n"] <= v.get("all", longest) and v.get("a", 0) <= v.get("b", longest) <= longest


@about("{n} pieces")
def cut_into(s: Screen, v: dict[str, Any], _: str) -> bool:
    return bool(1 <= v["n"] <= max(len(d.text) for d in s.corpus))


@about("First {first}, runner-up {second}.")
def routed(s: Screen, v: dict[str, Any], _: str) -> bool:
    return v["first"] != v["second"]


@about("No passage is left: every candidate is below the threshold.", "No passage is left. Loosen a filter: ")
def all_gone(s: Screen, v: dict[str, Any], _: str) -> bool:
    return one_of(s, lambda r: not r.hits)


@about("Example question. Type your own; it follows you across pages.")
def example(s: Screen, v: dict[str, Any], _: str) -> bool:
    return "q" not in s.app.query_params


@about("rank-bm25 computes the same: {value}")
def the_same(s: Screen, v: dict[str, Any], _: str) -> bool:
    them, asked = terms(s)[1], BM25().analyzer.for_query(s.question).tokens(s.question)
    at = s.corpus.positions[selected(s)]
    return f"{float(BM25Okapi(them).get_scores(asked)[at]):.4f}".lstrip("-") == v["value"].lstrip("-")


@about("rank-bm25 computes {value} for it: the difference is {difference}")
def differs(s: Screen, v: dict[str, Any], _: str) -> bool:
    return False  # there is none, whatever the corpus


@about("and {n} more words in the same way")
def and_more(s: Screen, v: dict[str, Any], _: str) -> bool:
    return 0 < v["n"] <= len(terms(s)[0])


@about(
    "This question has no judgments, so the page cannot tell whether the change helps.",
    "No judgments for this query: attention is weighted by 1 / rank.",
)
def not_judged(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not any(grade > 0 for grade in s.collection.qrels.get("q", {}).values())


@about(
    "Share of the (illustrative) attention on passages judged relevant.",
    "Choose one under “Suggestions”.",
)
def judged(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(grade > 0 for grade in s.collection.qrels.get("q", {}).values())


@about("judged: answers the question", "judged: helps")
def graded(s: Screen, v: dict[str, Any], said: str) -> bool:
    grade = s.collection.qrels.get("q", {}).get(selected(s), 0)
    answers = 2 if set(s.collection.qrels.get("q", {}).values()) - {0, 1} else 1
    return (grade >= answers) == said.endswith("question")


@about("Large numbers: ranks of “{title}”. Click a step for its settings and list; + adds one.")
def followed(s: Screen, v: dict[str, Any], _: str) -> bool:
    return any(document.label.startswith(v["title"].rstrip("…")) for document in s.corpus)


@about("Questions of this corpus with a grade of yours: {done} of {n}.")
def done(s: Screen, v: dict[str, Any], _: str) -> bool:
    return (v["done"], v["n"]) == (0, len(s.collection.queries))


@about("{name}, passages: {n}")
def size(s: Screen, v: dict[str, Any], _: str) -> bool:
    return (v["name"], v["n"]) == (s.collection.name, len(s.corpus))


@about("There is nothing to pick from.")
def blank(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not s.question.strip()


@about("{n} passages")
def as_many(s: Screen, v: dict[str, Any], _: str) -> bool:
    return int(v["n"]) == len(s.corpus)


HEADS = {
    str(node.args[2].args[0].value)
    for page in PAGES
    for node in ast.walk(ast.parse((ROOT / places.file_of(page)).read_text("utf-8")))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Page"
}
"""The sentences under the titles of the pages."""
OF_NO_CASE = {
    "Every point is a document, the number its rank.",
    "All passages and the query (star) in two dimensions. Click a point to read its passage.",
    "LangChain's functions of the distance d in each space.",
    "Which of these did you mean? A question in the words of a passage finds its sentence.",
    "The corpus does not have a word of your question. One click asks the question with a word that it has.",
    *("A 90-minute course: predict, then check.", "A class predicts together."),
    "Upload text, PDF, Word or tables. Only you can see them.",
    "The path of a query: “{query}”",
    "**Why this sentence**: the components of its score {x}",
    "Each bar is a passage at its position; the number is its rank in the list, and a higher bar is a better "
    "rank. The dashed curve is the illustrative attention.",
    ("Each point is a passage; hollow ones are removed. The dashed line is the threshold. Click a point to select it."),
    "Each tint is a chunk. Underlined: retrieved for this question; yellow: counts in the score.",
    "An illustration, not a measurement of your model: the points of Liu et al. 2023 for GPT-3.5-Turbo with 20 "
    "documents ({points}% correct). You can change the curve.",
    "Candidates and query in two dimensions. Numbers are the picks in order.",
    (
        "Characters left after each step. Below, kept text is black and removed text grey; the "
        "number is the cosine of the best sentence."
    ),
    "Decided by the rule, without a language model. With one (sidebar), the model can decide instead.",
    "First pick: the candidate most similar to the query, for every λ.",
    "Hides the other cards; ranks and movements do not change.",
    "In this process, or a Chroma server that many labs share (LAB_CHROMA_URL).",
    "Does “{name}” answer the question?",
    "In the first {k} of the merged list. “Only this query”: found by this rewrite alone. “Added”: missing "
    "without this rewrite. “Displaced”: present without it.",
    "Passage {n}, supporting sentence marked",
    "Passage {n}, nearest sentence marked",
    "Unchanged: {list}",
    "Rows: words of the query and their share of its weight. Each row uses its best column.",
    "Sentence {n}: its sources",
    ("Compares the best sentence and the words of a passage; checks each sentence of the answer by itself."),
    (
        "The dashed line is the first route's score minus the margin. If the runner-up passes it, "
        "the router is not confident."
    ),
    "The fused scores of all documents that are among the first five anywhere on this axis. A ring marks the "
    "exact value at which two documents swap ranks; click a line or a ring to set the parameter to it.",
    "The lab's steps from a text to the terms of an index. Yellow: changed or added by this step.",
    "Compares the whole passage's vector and a few words; lowers the threshold until a sentence is cited.",
    "Threshold {limit}.",
    (
        "Right: λ × similarity to the query. Left: (1 − λ) × similarity to the named nearest earlier pick. The "
        "highest difference is picked."
    ),
    "**nDCG@10 along the axis**",
    "{half}: {pair}",
    "“{title}”: {reason}",
    "similar to “{title}”",
    "similar to “{document}”",
    "covers {token}",
    "{n} other pair",
    "{n} other pairs",
    "{kind} {number}",
    "**What a wider search costs, and what it finds**",
    (),
    "With a filter (above), you choose here when it works.",
    "layer {n}",
    "{list} ({number})",
    "cosine {score} = the sum over all pairs of a query word and a passage word ({n})",
    "Top {k}",
    "Try another tokenizer, other words, or a vector list.",
    "Try other words, another embedding model, or a list by words (BM25).",
    "Vector · {embedder}",
    "Rater agreement appears here once a second rater has judged.",
    "Set {setting} (a file, a server or a cluster) to compare with {engine}.",
    "Picks (rows) by λ (columns); each change of colour is an exact tipping point.",
    "Whole + {index}",
    "Adds up words, meaning, best sentence and coverage with weights learned from judged questions.",
    "Written by rules, without a language model. With one (sidebar), the model writes them instead.",
    ("Written by rules, without a language model. With one (sidebar), its rewrites appear beside the rule's."),
    "Yellow: in the corpus. Crossed out: removed. Dashed: bigrams, characters. ●: the lab's default.",
    "{ms:.1f} ms · {pace} pairs per second",
}
"""What is said of every case alike: what a picture shows, what a knob does, what a list is called."""
HELD_ELSEWHERE = {
    "{feature} × coverage {covered:.2f}": "refine/test_learned.py",
    "It contains no word of the question.": "explain/test_apart.py",
    "It contains “{words}”.": "explain/test_apart.py",
    "It contains “{words}”, the first result “{first}”.": "explain/test_apart.py",
    "{votes} = {score}: no sum is larger.": "explain/test_apart.py",
    "{votes} = {score}. “{title}” has {most} and is first.": "explain/test_apart.py",
    "Not among the first {n}.": "explain/test_apart.py",
    "Neither list has the answer.": "explain/test_apart.py",
    "Here fusing keeps the answer at rank {rank}.": "explain/test_apart.py",
    "Here fusing costs the answer its first place: from 1 to {after}.": "explain/test_apart.py",
    "Here fusing lifts the answer: from {before} to {after}.": "explain/test_apart.py",
    "Here fusing lowers the answer: from {before} to {after}.": "explain/test_apart.py",
    "What counts most {where} is “{theirs}”, near “{ours}” of the question.": "explain/test_apart.py",
    "What counts most {where} is “{word}”, the question’s own word.": "explain/test_apart.py",
    "The lesson “{title}” does not work on your documents: it needs {needs}.": "test_forms.py",
    "besides the words: {n} pairs and characters": "ui/test_lists.py",
    "besides the words: {n} pair or character": "ui/test_lists.py",
    "{first}, {then}": "explain/test_differences.py",
    "{what} only in the first.": "explain/test_differences.py",
    "{what} only in the second.": "explain/test_differences.py",
    "{where}Results per list": "explain/test_differences.py",
    "{where}{a} against {b}.": "explain/test_differences.py",
    "{where}{name}": "explain/test_differences.py",
    "Routes without judged questions of their own, to which questions can only be sent wrongly: "
    "{names}.": "ui/test_routing_page.py",
    "Needs: {names}.": "ui/test_pipeline_page.py",
}
"""What is about searches or other collections and not about this corpus, and the tests that hold it."""


def explains(told: Told) -> bool:
    """Whether a text says something: a sentence, or one with figures in it."""
    return bool(told.values) or told.template.endswith((".", "**"))


def judged_sentences(shown: Screen) -> tuple[list[str], set[str]]:
    """The sentences of a screen that are not true, and the templates of those that nobody checks."""
    wrong, unchecked = list[str](), set[str]()
    for told in shown.said:
        if told.template in CHECKS:
            if not CHECKS[told.template](shown, told.values, told.text):
                wrong.append(told.text)
        elif explains(told) and told.template not in OF_NO_CASE | HELD_ELSEWHERE.keys() | HEADS:
            unchecked.add(told.template)
    return wrong, unchecked


def test_documents_of_question_words_alone_have_no_words_on_average():
    own, question = drawn(761)
    assert {d.text for d in own.corpus} == {"什么"}
    (told,) = {t.text for t in screen("retrieve/compare", own, question).said if "words in this one" in t.template}
    assert told.endswith("words in this one: 0, on average 0.0")


@pytest.mark.parametrize("page", PAGES)
def test_every_sentence_that_explains_is_true_of_corpora_drawn_by_chance(page: str):
    wrong, unknown_ones = [], set()
    for seed in range(PAGES.index(page), CASES, len(PAGES)):
        own, question = drawn(seed)
        shown = screen(
            page, own, question, **({"compare.bm25.variant": "okapi"} if seed % 2 and "comp" in page else {})
        )
        false_ones, unchecked = judged_sentences(shown)
        wrong += [f"{page} {seed}: {text}" for text in false_ones]
        unknown_ones |= unchecked
    assert not wrong, "not true:\n" + "\n".join(wrong)
    assert not unknown_ones, "nobody checks:\n" + "\n".join(sorted(unknown_ones))


@pytest.mark.parametrize("kind", ["graph", "cells"])
def test_what_is_said_of_a_search_in_a_graph_and_in_cells_is_true_of_corpora_drawn_by_chance(kind: str):
    wrong, unknown_ones, seen = list[str](), set[str](), set[str]()
    for seed in range(3, CASES // 4):
        own, question = drawn(seed)
        link = {"vector_store.fold.watch": "1", "vector_store.watch.kind": kind}
        shown = screen("retrieve/vector_store", own, question, **link)
        false_ones, unchecked = judged_sentences(shown)
        wrong += [f"{seed}: {text}" for text in false_ones]
        unknown_ones |= unchecked
        seen |= {told.template for told in shown.said}
    assert not wrong, "not true:\n" + "\n".join(wrong)
    assert not unknown_ones, "nobody checks:\n" + "\n".join(sorted(unknown_ones))
    assert "found {n} of the exact first {m}" in seen


# ------------------------------------------------------------------------------------------------- cosine bands


def in_bands(s: Screen) -> tuple[list[Any], list[Any]]:
    """The cosines of the related and of all other pairs by the built-in model; judged pairs, or neighbours by words.

    A small corpus has fewer pairs than are drawn at random, so the unrelated ones are all others.
    """
    encoder, documents, judged = encoder_of(Vector().embedder, s.corpus), list(s.corpus), s.collection.judged
    rows = unit(rows_for(Vector().embedder, documents, s.corpus))
    if judged:
        texts = [q.text for q in judged]
        grades = [s.collection.relevant(q.id) for q in judged]
        near = {(i, j) for i, own in enumerate(grades) for j, d in enumerate(documents) if d.id in own}
        lefts, without = unit(encoder.queries(texts)), near
    else:
        own = [d.content for d in documents if d.content.strip()]
        near = set()
        for i, text in enumerate(own):
            others = [h.document for h in Runner(s.corpus)(BM25(), Query(text), 10).hits if h.document.content != text]
            near |= {(i, s.corpus.positions[others[0].id])} if others else set()
        without = near | {(i, j) for i, text in enumerate(own) for j, d in enumerate(documents) if d.content == text}
        lefts = unit(encoder.documents(own)) if own else rows[:0]
    every = {(i, j) for i in range(len(lefts)) for j in range(len(documents))} - without
    return [
        [lefts[i] @ rows[j] if lefts[i].any() and rows[j].any() else None for i, j in sorted(pairs)]
        for pairs in (near, every)
    ]  # type: ignore[return-value]


@about("Bands need at least one related and one unrelated pair of texts. This corpus has too few.")
def too_few_for_bands(s: Screen, v: dict[str, Any], _: str) -> bool:
    return not all(in_bands(s))


@about(
    "Related pairs, a question and a passage judged relevant to it: {n:,}. Unrelated pairs, a random question and "
    "passage: {m:,}. Thick line: the middle half; thin line: 90%; circle: the median.",
    "Nothing is judged in this corpus. Related pairs, a passage and the one nearest to it by words: {n:,}. Unrelated "
    "pairs, two random passages: {m:,}. Thick line: the middle half; thin line: 90%; circle: the median.",
)
def pairs_of_bands(s: Screen, v: dict[str, Any], said: str) -> bool:
    related, unrelated = in_bands(s)
    kind = said.startswith("Related") == bool(s.collection.judged)
    return kind and (v["n"], v["m"]) == (len(related), len(unrelated))


@about("{model}: {share} of the unrelated pairs are above the median of the related ones ({median}).")
def bands_overlap(s: Screen, v: dict[str, Any], _: str) -> bool:
    related, unrelated = ([x for x in side if x is not None] for side in in_bands(s))
    median = float(np.median(related))
    near = [abs(x - median) < 1e-9 for x in unrelated]
    low, high = (100 * sum(x > median + e for x in unrelated) / len(unrelated) for e in (1e-9, -1e-9))
    share = float(v["share"].rstrip("%"))
    return abs(float(v["median"]) - median) < 0.006 and (low - 0.06 <= share <= high + 0.06) and len(near) > 0


@about("{model}: pairs left out because a text has no vector: {n} of {m}.")
def bands_lack(s: Screen, v: dict[str, Any], _: str) -> bool:
    every = [x for side in in_bands(s) for x in side]
    return v["n"] == sum(x is None for x in every) > 0 and v["m"] == len(every)


def test_what_is_said_of_cosine_bands_is_true_of_corpora_drawn_by_chance():
    wrong, unknown_ones, seen = list[str](), set[str](), set[str]()
    link = {"vector_store.fold.bands": "1", "vector_store.bands": "built-in"}
    for seed in range(CASES // 2) if NIGHT else (0, 1, 2, 6):
        own, question = drawn(seed)
        shown = screen("retrieve/vector_store", own, question, **link)
        false_ones, unchecked = judged_sentences(shown)
        wrong += [f"{seed}: {text}" for text in false_ones]
        unknown_ones |= unchecked
        seen |= {told.template for told in shown.said}
        related, unrelated = ([x for x in side if x is not None] for side in in_bands(shown))
        tables = [x.value for x in shown.app.dataframe if "meaning" in x.value]
        assert len(tables) == bool(related and unrelated), seed
        for table in tables:
            (row,) = table.to_dict("records")
            shares = [100 * sum(x >= 0.6 for x in side) / len(side) for side in (related, unrelated)]
            assert [row["related"], row["unrelated"]] == [f"{share:.1f}%" for share in shares], seed
            start = "nothing" if shares[1] >= 50 else "too high" if shares[0] <= 5 else "related"
            assert row["meaning"].startswith(start if start != "related" or shares[1] <= 5 else "unclear"), seed
    assert not wrong, "not true:\n" + "\n".join(wrong)
    assert not unknown_ones, "nobody checks:\n" + "\n".join(sorted(unknown_ones))
    assert {x for x, check in CHECKS.items() if "bands" in check.__name__} <= seen


# ------------------------------------------------------------------------------------------- context of the chunks


def splits(s: Screen) -> tuple[Corpus, list[Document]]:
    """The chunks of the page, and those of the document that is looked at."""
    own = {f: s.app.session_state[f"granularity.parentchild.{f}"] for f in ("child", "parent", "at")}
    chunks = ParentChild(**own)(s.corpus)
    return chunks, [d for d in chunks if chunks.origins[d.id] == selected(s) != d.id]


@about("“{title}” is not split, so it has no chunk that needs context.")
def not_split(s: Screen, v: dict[str, Any], _: str) -> bool:
    return splits(s)[1] == [] and selected(s) in [d.id for d in documents(s, v["title"])]


@about("The tinted line is searched with the chunk (number {n} of “{title}”). Ranks are among all chunks.")
def tinted(s: Screen, v: dict[str, Any], _: str) -> bool:
    return 1 <= v["n"] <= len(splits(s)[1]) and selected(s) in [d.id for d in documents(s, v["title"])]


@about("{name}: chunks without a line {n} of {all}.")
def without_line(s: Screen, v: dict[str, Any], _: str) -> bool:
    chunks, _own = splits(s)
    parts = [d for d in chunks if d.id != chunks.origins[d.id]]
    titled = v["name"] == "Title and headings"
    empty = [d for d in parts if not (origin := s.corpus.get(chunks.origins[d.id])) or not origin.title]
    return (v["n"], v["all"]) == (len(empty) if titled else 0, len(parts)) and bool(empty)


@about(
    "Late chunking with {model}: chunks of this document compared {n}, changed none (largest difference {difference}). "
    "The model gives a word the same vector in every text, so reading the whole text first adds nothing.",
    "Late chunking with {model}: chunks of this document compared {n}, changed {differing} (largest difference "
    "{difference}). Only chunks that begin or end inside a word change, because the model gives a word the same vector "
    "in every text.",
)
def late(s: Screen, v: dict[str, Any], said: str) -> bool:
    """By the tokens alone: a chunk whose words are those of the whole text there has the same mean."""
    model, (_chunks, own) = load_built_in().model, splits(s)
    document = s.corpus.documents[s.corpus.positions[selected(s)]]

    def tokens(text: str) -> list[tuple[int, int, int]]:
        read = model.tokenizer.encode(text, add_special_tokens=False)
        return [(i, *at) for i, at in zip(read.ids, read.offsets, strict=True) if i != model.unk_token_id]

    every, compared, changed = tokens(document.text), 0, 0
    for d in own:
        start, alone = int(str(d.metadata["start"])), [i for i, *_ in tokens(d.text)]
        there = [i for i, a, b in every if start < b and a < start + len(d.text)]
        compared += bool(there and alone)
        changed += bool(there and alone and there != alone)
    inside = s.app.session_state["granularity.parentchild.at"] == "exact"
    return (
        (v["n"], v["differing"]) == (compared, changed)
        and ("changed none" in said) == (not changed)
        and (inside or not changed)
    )


def test_what_is_said_of_context_is_true_of_corpora_drawn_by_chance():
    seen, wrong = set[str](), list[Any]()
    for seed in range(12) if NIGHT else (0, 2, 7):
        rng = random.Random(seed)
        bodies = [" ".join(f"{text(rng)}." for _ in range(rng.choice([1, 3, 6]))) for _ in range(rng.choice([1, 2, 3]))]
        own = tuple(Document(f"d{i}", body, rng.choice(["", "Kiln hours"])) for i, body in enumerate(bodies))
        link = {"child": "20", "parent": "40", "at": "exact" if seed % 3 == 2 else "sentence"}
        link = {f"granularity.parentchild.{name}": value for name, value in link.items()}
        shown = screen(
            "index/granularity",
            Collection(Corpus("own", own)),
            rng.choice(WORDS[:6]),
            **{"granularity.indexes": "contextline", **link},
        )
        for told in shown.said:
            if told.template in CHECKS:
                seen.add(told.template)
                wrong += [(seed, told.text)] * (not CHECKS[told.template](shown, told.values, told.text))
    assert not wrong
    assert (
        len(seen & {template for template in CHECKS if CHECKS[template] in (tinted, not_split, without_line, late)})
        == 5
    )


# ------------------------------------------------------------------------------------------ operators in the question

STEM = Stemmer("english").stemWord
PLAIN, TWO = ("kiln", "kilns", "clay", "glaze", "ferry", "running", "zebra"), ("kiln clay", "glaze ferry", "clay kiln")
HAN_WORDS = ("停车位", "年假", "报销")
APPLYING = [page for page in PAGES if "p.query(operators=True)" in (ROOT / places.file_of(page)).read_text("utf-8")]


@dataclass
class Asked:
    """A question with operators, as it was put together: its words by what they ask for."""

    text: str = ""
    signs: list[str] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def with_operators(seed: int) -> tuple[Collection, Asked]:
    """A corpus of at most four documents, and one to four words with operators."""
    rng, asked = random.Random(seed), Asked()
    bodies = [" ".join(rng.choices((*PLAIN[:-1], *HAN_WORDS), k=rng.choice([0, 2, 4, 6, 8]))) for _ in range(4)]
    bodies = bodies[: rng.choice([1, 2, 3, 4, 4])]
    documents = tuple(Document(f"d{i}", x, rng.choice(["", "Kiln hours", "Clay"])) for i, x in enumerate(bodies))
    for word in rng.sample((*PLAIN, *HAN_WORDS), rng.choice([1, 2, 2, 3, 3, 4])):
        kind = rng.choice(["+", "-", "“…”", ""]) if word not in HAN_WORDS else rng.choice("+-")
        word = rng.choice(TWO) if kind == "“…”" else word
        asked.text += " " * bool(asked.text) + (f"“{word}”" if kind == "“…”" else kind + word)
        asked.signs += [kind] if kind and kind not in asked.signs else []
        {"+": asked.required, "“…”": asked.required, "-": asked.excluded}.get(kind, asked.others).append(word)
        asked.kept += [word] if kind != "-" else []
    return Collection(Corpus("own", documents)), asked


def place(word: str, text: str) -> int:
    """Where a word or phrase begins in a text, counted from 1; 0 if the text does not contain it."""
    if " " in word or word in HAN_WORDS:
        found = re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", text.casefold())
        return found.start() + 1 if found else 0
    places = (m.start() + 1 for m in re.finditer("[a-z]+", text.casefold()) if STEM(m[0]) == STEM(word))
    return next(places, 0)


def within(word: str, d: Document) -> bool:
    return bool(place(word, d.text) or place(word, d.title))


def called(word: str) -> str:
    return f"“{word}” in a row" if " " in word else word


def line(asked: Asked) -> str:
    """What stands under the field if the operators are used."""
    if not asked.kept:
        return "The question only excludes: there is no word to search by. Add a word that texts should contain."
    parts = []
    if asked.required:
        parts.append("required: " + ", ".join(map(called, asked.required)))
    elif len(asked.others) == 1:
        parts.append("required: " + asked.others[0])
    else:
        parts.append("at least one of: " + ", ".join(asked.others))
    if asked.excluded:
        parts.append("excluded: " + ", ".join(asked.excluded))
    return f"Read as: {'; '.join(parts)}; ranked by: {' '.join(asked.kept)}."


def reasons(asked: Asked, d: Document) -> str:
    """Why a document does not fit; empty if it does."""
    said = []
    needed = asked.required or (asked.others if len(asked.others) == 1 else [])
    for word in needed:
        if within(word, d):
            continue
        exact = [re.search(rf"(?<![a-z]){part}(?![a-z])", f"{d.text}\n{d.title}".casefold()) for part in word.split()]
        scattered = len(exact) > 1 and all(exact)
        said.append(
            f"It contains the words of “{word}”, but not in a row." if scattered else f"It does not contain “{word}”."
        )
    if not needed and asked.others and not any(within(word, d) for word in asked.others):
        said.append(f"It contains none of these: {', '.join(asked.others)}.")
    for word in asked.excluded:
        if at := place(word, d.text):
            said.append(f"It contains “{word}” at character {at}, which is excluded.")
        elif within(word, d):
            said.append(f"The field “title” contains “{word}”, which is excluded.")
    return " ".join(said)


def sizes(asked: Asked, own: Collection) -> list[int]:
    """How many documents BM25, and vectors, find for the words that are not excluded: a page begins with either."""
    return [len(Runner(own.corpus)(by, Query(" ".join(asked.kept)), DEPTH)) for by in (BM25(), Vector())]


@pytest.mark.parametrize("page", APPLYING)
def test_what_is_said_of_operators_is_true_of_questions_drawn_by_chance(page: str):
    seen = set[str]()
    for seed in range(APPLYING.index(page), CASES, len(APPLYING)):
        own, asked = with_operators(seed)
        if not asked.signs:
            continue
        off, on = (screen(page, own, asked.text, operators=switch) for switch in "01")
        captions = [plain(c.value) for c in off.app.caption]
        assert f"Read as plain words: {' '.join(asked.signs)}" in captions, seed
        assert line(asked) in [plain(c.value) for c in on.app.caption], seed
        if not asked.kept:
            assert not any(r.hits for r in on.rankings().values()), seed
            continue
        documents, gone = {d.id: d for d in own.corpus}, dict[str, str]()
        for name, panels, _how, _data in on.lists:
            for panel in panels:
                assert not [h.document.id for h in panel.ranking.hits if reasons(asked, h.document)], (seed, name)
                own_drops = {drop.document.id: say(drop.reason) for drop in operators.removed(panel.ranking)}
                for doc, said in own_drops.items():
                    assert said == reasons(asked, documents[doc]), seed
                gone |= own_drops
                if own_drops and not panel.ranking.hits and page == "retrieve/compare":
                    first = documents[next(iter(own_drops))].label
                    assert plain(panel.empty) == (
                        f"The operators of the question removed all results ({len(own_drops)}). "
                        f"First “{first}”: {next(iter(own_drops.values()))}"
                    )
                    seen.add("empty")
        for info in on.app.info:  # a page without candidates ends there
            empty = re.fullmatch(r"The operators .*? results \((\d+)\)\. First “(.*?)”: (.*)", plain(info.value))
            if empty:
                assert empty[3] in {reasons(asked, d) for d in own.corpus if d.label == empty[2]}, seed
                assert int(empty[1]) in sizes(asked, own), seed
                seen.add("empty")
        labels = [e.label for e in on.app.expander]
        assert any(f"Removed by operators ({len(gone)})" in label for label in labels) == bool(gone), seed
        seen |= {"gone"} if gone else {"none"}
    assert seen & {"gone", "empty"}
    assert page != "retrieve/compare" or "empty" in seen


# -------------------------------------------------------------------------------------------------- a threshold


def judged_by_chance(seed: int) -> Collection:
    """A corpus of short texts, equal ones among them, and up to 45 judged questions of two words."""
    rng = random.Random(seed)
    bodies = [" ".join(rng.choices(PLAIN[:-1], k=rng.choice([1, 2, 3, 5]))) for _ in range(rng.choice([3, 12, 30]))]
    documents = tuple(Document(f"d{i}", body) for i, body in enumerate(bodies))
    queries, qrels, shares = [], {}, rng.choice([(0.05, 0.05, 0.05), (0.02, 0.1, 0.9), (0.3, 0.3, 0.3), (0, 0.98, 1)])
    for i in range(rng.choice([1, 3, 19, 20, 45, 45])):
        asked = rng.sample(PLAIN, 2)
        held = [len({*asked} & {*d.text.split()}) for d in documents]  # words of the question in each document
        drawn_grades = ((d.id, int(rng.random() < shares[n])) for d, n in zip(documents, held, strict=True))
        grades = {doc: grade for doc, grade in drawn_grades if rng.random() < 0.9}
        grades[rng.choice(documents).id] = 1
        queries.append(Query(f"{' '.join(asked)} {i}", id=f"q{i}"))
        qrels[f"q{i}"] = grades
    return Collection(Corpus("own", documents), tuple(queries), qrels)


def numbered(own: Collection, number: str) -> list[tuple[str, float, bool]]:
    """Of every question the first twenty results of BM25, each with its number and whether it is judged relevant."""
    rows = []
    for query in own.judged:
        ranking = Runner(own.corpus)(BM25(), query, DEPTH)
        words_asked = {STEM(w) for w in query.text.split()}
        for hit in ranking.hits[:20]:
            held = words_asked & {STEM(w) for w in hit.document.text.split()}
            value = {
                "score": hit.score,
                "best": hit.score / ranking.hits[0].score,
                "coverage": len(held) / len(words_asked),
            }[number]
            rows.append((query.id, value, own.qrels[query.id].get(hit.document.id, 0) > 0))
    return rows


def kept_of(rows: list[tuple[str, float, bool]], value: float) -> tuple[int, int]:
    """How many of these results reach a value, and how many relevant ones."""
    kept = [good for _query, number, good in rows if number >= value - 1e-9]
    return len(kept), sum(kept)


def stated_of_thresholds(own: Collection, number: str, wanted: float) -> dict[str, set[str]]:
    """Every sentence about a threshold that is true of these judgments, by how it begins."""
    rows, ids = numbered(own, number), [q.id for q in own.judged]
    n, good, values = len(rows), sum(r[2] for r in rows), sorted({r[1] for r in rows})
    true: dict[str, set[str]] = {}
    if not good or good == n or len(values) == 1:
        return true
    pairs = [(a > b) + (a == b) / 2 for _q, a, x in rows if x for _r, b, y in rows if not y]
    true["In "] = {f"In {np.mean(pairs):.0%} of all pairs"}
    for value in values:
        equal = [r[2] for r in rows if r[1] == value]
        true.setdefault("ties", set()).add(
            f"Results with exactly {value:.4g}: {len(equal)} of {n}; relevant among them: {sum(equal)}. "
        )
    if len(ids) < 20:
        return true
    shuffled = random.Random(0).sample(ids, len(ids))
    tuning, held_out = (
        [r for r in rows if r[0] in half] for half in (shuffled[: len(ids) // 2], shuffled[len(ids) // 2 :])
    )
    enough = [(v, *kept_of(tuning, v)) for v in sorted({r[1] for r in tuning}) if kept_of(tuning, v)[0] >= 10]
    reaching = [row for row in enough if row[2] / row[1] >= wanted - 1e-9]
    if not enough:
        true["No threshold separates"] = {"the tuning half has fewer than 10 results."}
    elif not reaching:
        highest = max(hits / kept for _v, kept, hits in enough)
        true["No threshold separates"] = {
            f"the highest precision on the tuning half is {highest:.3f}; the target is {wanted:.2f}."
        }
    elif reaching[0][1] == len(tuning):
        true["No threshold is needed"] = {
            f"on the tuning half is {reaching[0][2] / reaching[0][1]:.2f}; the target is {wanted:.2f}."
        }
    else:
        value, kept, hits = reaching[0]
        there, here = hits / kept, kept_of(held_out, value)
        true["Chosen on"] = {f"Precision there {there:.2f}"}
        true["Chosen on"] |= {f"on the held-out half {here[1] / here[0]:.2f}"} if here[0] else {"it keeps no result"}
    return true


def test_what_is_said_of_thresholds_is_true_of_judgments_drawn_by_chance():
    seen = set[str]()
    for seed in range(CASES // 2) if NIGHT else (0, 1, 2, 4):
        own, number = judged_by_chance(seed), ("score", "best", "coverage")[seed % 3]
        wanted = random.Random(seed).choice([0.3, 0.5, 0.9])
        link = {"evaluate.tab": "threshold", "evaluate.searches": "bm25", "evaluate.number": number}
        shown = screen("whole/evaluate", own, "", **link, **{"evaluate.wanted": str(wanted)})
        rows = numbered(own, number)
        good, texts = sum(r[2] for r in rows), [plain(m.value) for m in shown.app.markdown]
        true = stated_of_thresholds(own, number, wanted)
        for start in ("No threshold separates", "No threshold is needed", "Chosen on", "In "):
            said = [text for text in texts if text.startswith(start)]
            assert bool(said) == (start in true), (seed, start, texts)
            assert all(part in said[0] for part in true.get(start, ())), (seed, said, true[start])
            seen |= {start} if said else set()
        tied = [text for text in texts if "Results with exactly" in text]
        assert all(any(text.startswith(x) for x in true["ties"]) for text in tied), (seed, tied)
        nothing = [text for text in texts if "nothing to separate" in text or "same number" in text]
        assert bool(nothing) == (not true), (seed, nothing)
        assert not nothing or f"({len(rows)})" in nothing[0]
        assert not nothing or nothing[0].startswith("None") == (good == 0), seed
        few = [text for text in texts if text.startswith("Judged questions: ")]
        assert bool(few) == (bool(true) and len(own.judged) < 20), seed
        assert not few or f"{len(own.judged)}." in few[0]
        seen |= {text[:9] for text in nothing + few}
    assert seen >= {"No threshold separates", "No threshold is needed", "Chosen on", "In ", "Judged qu"}, seen


# ------------------------------------------------------------------------------------------- can a list be trusted?


def of_list(own: Collection, query: Query) -> list[float | None]:
    """What the page may show of BM25's list: spread, gap, overlap and share of the words, worked out from the list."""
    runner = Runner(own.corpus)
    hits, near = (runner(search, query, DEPTH).hits for search in (BM25(), Vector()))
    if not hits:
        return [None] * 4
    scores = np.array([hit.score for hit in hits])
    words_asked = {STEM(w) for w in query.text.split()}
    first, others = ({hit.document.id for hit in side[:10]} for side in (hits, near))
    held = [len(words_asked & {STEM(w) for w in hit.document.text.split()}) / len(words_asked) for hit in hits[:10]]
    spread = scores[:10].std() / scores.mean() if len(hits) > 1 else None
    gap = 1 - scores[1] / scores[0] if len(hits) > 1 else None
    return [spread, gap, len(first & others) / max(len(first), len(others)), max(held)]


def discounted(own: Collection, query: Query) -> float:
    """nDCG@10 of BM25's list, where results with equal scores share their mean grade."""
    grades, shares = own.qrels[query.id], list[float]()
    for _, tied in groupby(Runner(own.corpus)(BM25(), query, DEPTH).hits, lambda hit: hit.score):
        group = [grades.get(hit.document.id, 0) for hit in tied]
        shares += [sum(group) / len(group)] * len(group)
    gain = sum(share / math.log2(i + 2) for i, share in enumerate(shares[:10]))
    return gain / sum(g / math.log2(i + 2) for i, g in enumerate(sorted(grades.values(), reverse=True)[:10]))


def test_what_is_said_of_trust_is_true_of_judgments_drawn_by_chance():
    seen = set[str]()
    for seed in range(CASES // 2) if NIGHT else (0, 2, 5, 6, 12):  # these say everything that can be said
        own = judged_by_chance(seed)
        own = replace(own, qrels={}) if seed % 7 == 6 else own
        asked = random.Random(seed).choice([*own.queries, Query("kiln glaze"), Query("zebra")])
        link = {"compare.fold.trust": "1", "compare.trust": "BM25", "compare.lists": "bm25,tfidf"}
        shown = screen("retrieve/compare", own, asked.text, **link)
        said = "\n".join(plain(x.value) for kind in (shown.app.markdown, shown.app.caption) for x in kind)
        values = of_list(own, asked)
        if values[3] is None:
            assert "nothing to trust or distrust" in said, seed
            seen.add("empty")
            continue
        table = next(frame.value for frame in shown.app.dataframe if "label" in frame.value)
        drawn_values = [None if math.isnan(x) else x for x in table["value"].astype(float)]
        assert drawn_values == pytest.approx(values), seed
        others = [q for q in own.judged if q.id != asked.id]
        if not others:
            assert "nobody knows whether these figures say anything" in said, seed
            seen.add("no judgments")
            continue
        if len(others) < 20:
            assert f"Judged questions: {len(others)}. Showing whether these figures say anything" in said, seed
            seen.add("few")
            continue
        gains = [discounted(own, q) for q in others]
        rows, taus = [of_list(own, q) for q in others], []
        for i in range(4):
            known = [(row[i], gain) for row, gain in zip(rows, gains, strict=True) if row[i] is not None]
            flat = [len({*side}) < 2 for side in zip(*known, strict=True)]
            test = None if not known or any(flat) else kendalltau(*zip(*known, strict=True))
            taus.append((test.statistic, test.pvalue) if test else (None, None))
        order = sorted((p, i) for i, (_tau, p) in enumerate(taus) if p is not None)
        highest = 0.0
        telling = set[int]()
        for rank, (p, i) in enumerate(order):
            highest = max(highest, p * (len(order) - rank))
            telling |= {i} if highest <= 0.05 and taus[i][0] > 0 else set()
        assert ("none of them tells anything" in said) == (not telling), (seed, taus)
        names = ["spread of the scores", "gap between", "overlap of words", "best share"]
        for start, rest in (
            ("These rise with", "The others tell nothing."),
            ("All of them rise with", "strongest first"),
        ):
            line_said = next((text for text in said.splitlines() if text.startswith(start)), "")
            assert bool(line_said) == (bool(telling) and (len(telling) == 4) == start.startswith("All")), seed
            if line_said:
                assert rest in line_said
                assert {i for i, name in enumerate(names) if name in line_said} == telling, seed
        if telling and "The judged questions nearest in" in said:
            mean = re.search(r"all judged questions (\d\.\d\d)\.", said)
            assert mean
            assert float(mean[1]) == pytest.approx(sum(gains) / len(gains), abs=0.0051), seed
        seen.add("telling" if telling else "nothing")
    assert seen == {"empty", "no judgments", "few", "telling", "nothing"}, seen


# ------------------------------------------------------------------------------------------ who may see what


def with_groups(seed: int) -> tuple[Collection, str, int]:
    """A corpus of at most six documents, each for one group, for two or for none; a question; and how many to show."""
    rng = random.Random(seed)
    metadata: list[Any] = [{"groups": "a"}, {"groups": "b"}, {"groups": ["a", "b"]}, {}]
    bodies = [" ".join(rng.choices(PLAIN, k=rng.choice([1, 3, 5]))) for _ in range(rng.choice([2, 4, 6]))]
    documents = (
        Document("d0", bodies[0], "", {"groups": "a"}),
        *(Document(f"d{i}", body, "", rng.choice(metadata)) for i, body in enumerate(bodies[1:], 1)),
    )
    return Collection(Corpus("own", documents)), " ".join(rng.sample(PLAIN, 2)), rng.choice([1, 2, 4, 8])


def readable(corpus: Corpus) -> list[Document]:
    """The documents of the group that most documents name, the first of them if there are several."""
    named = [[g] if isinstance(g := d.metadata.get("groups", []), str) else g for d in corpus]
    counts = Counter(name for names in named for name in names)
    reader = max(counts, key=counts.__getitem__)
    return [d for d, names in zip(corpus, named, strict=True) if reader in names]


@dataclass
class Permitted:
    """What the page must have counted: the first k of all, of which a reader sees some, and the first k of those."""

    cut: list[str]
    after: list[str]
    before: list[str]

    @staticmethod
    def of(own: Collection, question: str, k: int) -> Permitted:
        seen = readable(own.corpus)
        cut = Runner(own.corpus)(BM25(), question, k).ids
        before = Runner(Corpus("seen", tuple(seen)))(BM25(), question, k).ids
        return Permitted(cut, [i for i in cut if i in {d.id for d in seen}], before)


def test_what_permissions_let_a_reader_infer_is_true_of_corpora_drawn_by_chance():
    kinds = set()
    for seed in range(12) if NIGHT else (0, 4, 5, 7):
        own, question, k = with_groups(seed)
        shown = screen("refine/filter", own, question, **{"filter.chain": "allowed", "filter.k": str(k)})
        right, seen = Permitted.of(own, question, k), readable(own.corpus)
        if not right.cut:
            continue
        texts = {told.template: told.values for told in shown.said if told.template in INFERRED}
        remain = [told.values for told in shown.said if told.template == "Results that remain: {n} of {k}."]
        assert {(len(right.after), k), (len(right.before), k)} == {(v["n"], v["k"]) for v in remain}
        hidden = len(right.cut) - len(right.after)
        assert (INFERRED[0] in texts) == (hidden == 0), seed
        assert (INFERRED[1] in texts) == (hidden > 0 and len(right.cut) == k), seed
        assert (INFERRED[2] in texts) == (hidden > 0 and len(right.cut) < k), seed
        assert (INFERRED[3] in texts) == (len(right.before) < k), seed
        assert (INFERRED[4] in texts) == (len(right.before) == k), seed
        if v := texts.get(INFERRED[2]):
            assert (v["n"], v["left"], v["hidden"]) == (len(right.cut), len(right.after), hidden)
        if v := texts.get(INFERRED[3]):
            assert v["visible"] == len(seen)
        leaking = [word for word in question.split() if any(within(word, d) for d in own.corpus if d not in seen)]
        assert (INFERRED[5] in texts) == bool(leaking), seed
        if v := texts.get(INFERRED[5]):
            counts = [sum(within(v["word"], d) for d in passages) for passages in (own.corpus, seen)]
            assert (v["n"], v["total"], v["hidden"]) == (counts[0], len(own.corpus), counts[0] - counts[1])
            sizes = zip((v["idf"], v["own"]), (len(own.corpus), len(seen)), counts, strict=True)
            for idf, total, n in sizes:
                assert float(idf) == pytest.approx(math.log(1 + (total - n + 0.5) / (n + 0.5)), abs=0.006)
        kinds |= texts.keys()
    assert kinds == set(INFERRED), "every sentence was seen"


INFERRED = (
    "None of the first {n} is hidden, so the number of results reveals nothing.",
    "A reader who sees only {n} of {k} can infer that hidden passages match.",
    "The list itself ends after {n}, so a length of {left} does not prove that passages are hidden. Hidden here: "
    "{hidden}.",
    "Fewer than {k}: no other visible passage matches, and hidden ones are not counted. Visible passages: {visible}.",
    "As many as requested: neither their number nor a score depends on the hidden passages.",
    "Passages with “{word}”: {n} of {total}, among them hidden: {hidden}. A BM25 score of a shared index uses the IDF "
    "{idf}; of the visible passages alone, it is {own}. A reader who knows the visible ones can compute that hidden "
    "passages contain the word.",
)
