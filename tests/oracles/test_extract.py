"""The score of the extractive answer against a restatement in loops."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from night import spread

from lab.algebra import Corpus, Document
from lab.answer import asking
from lab.answer.defining import defined
from lab.answer.extract import Extractive
from lab.answer.kinds import Found, every, fits, found
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn
from lab.refine.features import Neighbours
from lab.rewrite.turn_words import FUNCTION_WORDS
from lab.text import Analyzer, is_han, known_word, plain
from lab.text.borders import sentences

ENGLISH = [
    "battery",
    "cable",
    "parcel",
    "days",
    "charge",
    "the",
    "of",
    "Berlin",
    "Anna",
    "14",
    "three",
    "1990",
    "price",
]
CHINESE = ["电池", "充电", "退货", "年假", "天", "的", "北京", "三十", "屏幕", "价格", "2019年", "申请"]
HAN = re.compile("[\u4e00-\u9fff]")
FIGURES = {"number", "duration", "date", "age", "money", "length", "weight"}
ASKING = ["How many", "When", "Who", "What", "多少", "谁", "哪一年"]


def text(rng: random.Random, words: list[str], stops: str, joint: str) -> str:
    said = [joint.join(rng.choices(words, k=rng.randint(1, 7))) + rng.choice(stops) for _ in range(rng.randint(1, 4))]
    return " ".join(said)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    length = math.sqrt(float(a @ a)) * math.sqrt(float(b @ b))
    return float(a @ b) / length if length else 0.0


def grouped(said: list[tuple[int, int, str]]) -> list[list[tuple[int, int, str]]]:
    """The sentences, those that ask together with all that follow up to the next one that asks."""
    groups = list[list[tuple[int, int, str]]]()
    for one in said:
        asks = one[2].endswith(("?", "？"))
        before = groups[-1] if groups else []
        open_question = any(other[2].endswith(("?", "？")) for other in before)
        if before and (before[-1][2].endswith(("?", "？")) if asks else open_question):
            before.append(one)
        else:
            groups.append([one])
    return [group for group in groups if not group[-1][2].endswith(("?", "？"))]


def restated(by: Extractive, question: str, passages: list[Document], corpus: Corpus) -> dict[tuple[int, int], float]:
    """The score of every sentence, by passage and by where it begins in its content."""
    analyzer, encoder = Analyzer().for_query(question), encoder_of(BuiltIn(), corpus)
    have = [set(analyzer.tokens(d.content)) for d in corpus]
    n = len(corpus)

    def idf(df: int) -> float:
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    terms = list(dict.fromkeys(analyzer.tokens(question)))
    weight = {t: idf(sum(t in own for own in have)) for t in terms}
    whole = sum(weight.values()) or 1.0

    def tokens(said: str) -> dict[tuple[str, bytes], np.ndarray]:
        return {(a, r.tobytes()): r for a, r in zip(*encoder.tokens(said), strict=True)}

    held_by = [set(tokens(d.content)) for d in corpus]
    asked_tokens = tokens(question)
    pull = {k: idf(sum(k in own for own in held_by)) * float(np.linalg.norm(r)) for k, r in asked_tokens.items()}
    chinese = [k for k in pull if is_han(k[0][:1])]
    only_asking = {k for k in chinese if k[0] in FUNCTION_WORDS or not plain(k[0]) or set(k[0]) <= asking.ASKING}
    if 0.25 <= sum(pull[k] for k in only_asking) / (sum(pull.values()) or 1.0) < 1:
        pull = {k: 0.0 if k in only_asking else value for k, value in pull.items()}
    total = sum(pull.values()) or 1.0

    def meaning(*texts: str) -> float:
        best = {
            k: max([0.0, *(cosine(r, o) for t in texts for o in tokens(t).values())]) for k, r in asked_tokens.items()
        }
        return sum(pull[k] * best[k] for k in best) / total

    def words(*texts: str) -> float:
        there = {t for one in texts for t in analyzer.tokens(one)}
        return sum(weight[t] for t in terms if t in there) / whole

    vector = encoder.queries([question])[0].astype(float)
    neighbours, kinds = Neighbours.of(corpus, analyzer), every(question)
    own_pairs = set(neighbours(question).tolist())
    own_values = {(one.kind, one.value) for one in found(question)}
    out = {}
    for i, d in enumerate(passages):
        first = len(d.content) - len(d.text)
        spans, texts, nears = list[tuple[int, int]](), list[str](), list[float]()
        for group in grouped([(a, b, d.text[a:b]) for a, b in sentences(d.text)]):
            spans.append(next((a, b) for a, b, one in group if not one.endswith(("?", "？"))))
            texts.append(d.text[group[0][0] : group[-1][1]])
            own = [cosine(vector, encoder.documents([one])[0].astype(float)) for *_, one in group]
            nears.append(max(own))
        for j, ((a, _), said) in enumerate(zip(spans, texts, strict=True)):
            around = [d.title, texts[0], texts[j - 1] if j else d.title, said]
            fit = any(
                any(fits(one, k) for k in kinds) and (one.kind, one.value) not in own_values for one in found(said)
            )
            rare = sum(
                weight[t] * math.log(1 + len(texts) / max(1, sum(t in analyzer.tokens(x) for x in texts)))
                for t in terms
                if t in analyzer.tokens(said)
            )
            pairs = own_pairs & set(neighbours(said).tolist())
            out[i, first + a] = (
                by.words * words(said)
                + by.rare * rare / whole
                + by.meaning * meaning(said)
                + by.cosine * nears[j]
                + by.pairs * len(pairs) / max(1, len(own_pairs))
                + by.topic * (words(*around) - words(said))
                + by.theme * (meaning(*around) - meaning(said))
                + by.fits * fit
                - by.lacks * (bool(kinds) and set(kinds) <= FIGURES and not fit)
                - by.rank * (1 - 1 / (i + 1))
            )
    return out


@pytest.mark.parametrize("seed", spread(range(40), 4))
def test_every_score_is_that_of_the_restatement(seed: int) -> None:
    rng = random.Random(seed)
    words, stops, joint = (ENGLISH, ".?!", " ") if seed % 2 else (CHINESE, "。？！", "")
    documents = {text(rng, words, stops, joint): rng.choice(["", "Title", "标题 battery"]) for _ in range(6)}
    passages = [Document(f"d{i}", body, title) for i, (body, title) in enumerate(documents.items())]
    corpus = Corpus(f"random {seed}", tuple(passages))
    opening, asked = rng.choice(ASKING), rng.choices(words, k=rng.randint(1, 5))
    question = f"{opening} {joint.join(asked)}?"
    by = Extractive(read=rng.randint(1, 6), rank=rng.random(), topic=rng.random(), rare=rng.random())
    told = by.answer(question, passages, corpus)
    if set(asked) <= {"the", "of", "的"}:
        assert not told.nearest, "without words nothing is scored"
        return
    scores = restated(by, question, passages[: by.read], corpus)
    assert {(s.place.passage, s.place.start) for s in told.nearest} == scores.keys()
    for s in told.nearest:
        assert s.score == pytest.approx(scores[s.place.passage, s.place.start], abs=1e-6)
        assert s.score == pytest.approx(math.fsum(c.value for c in s.why))
    if told.best is None:
        assert not scores
        return
    best = {p: max(x for (q, _), x in scores.items() if q == p) for p, _ in scores}
    top = max(best.values())
    others = sorted(best.values())[:-1]
    mean = sum(others) / len(others) if others else 0.3 * top
    passage = passages[told.best.place.passage].content
    chinese = 3 * len(HAN.findall(passage)) > sum(c.isascii() and c.isalpha() for c in passage)
    across = bool(HAN.search(question)) != chinese
    named = list(found(question))
    gone = [
        one
        for one in named
        if absent(question[one.start : one.end], one, passage) and not (across and one.kind == "name")
    ]
    reached = top + by.lead * (top - mean) - (by.absent * len(gone) / len(named) if gone else 0)
    assert not defined(question), "no question here asks what a term means"
    shared = shared_weight(question, passage, corpus)
    share = 0.0 if across and not shared else uncovered(question, passage, corpus)
    reached -= by.uncovered * max(0.0, share - 0.6) / 0.4
    assert told.reached == pytest.approx(reached, abs=1e-6)
    assert told.limit == pytest.approx(by.limit * (by.across + (1 - by.across) * shared if across else 1))
    assert told.says is (told.reached >= told.limit)


def shared_weight(question: str, passage: str, corpus: Corpus) -> float:
    """The share of the question's IDF weight whose words the passage has."""
    analyzer, n = Analyzer().for_query(question), len(corpus)
    have, there = [set(analyzer.tokens(d.content)) for d in corpus], set(analyzer.tokens(passage))
    weight = {
        t: math.log(1 + (n - (df := sum(t in own for own in have)) + 0.5) / (df + 0.5))
        for t in analyzer.tokens(question)
    }
    return sum(w for t, w in weight.items() if t in there) / (sum(weight.values()) or 1.0)


def uncovered(question: str, passage: str, corpus: Corpus) -> float:
    """The share of the weight of the content words outside the names that resembles no word of the passage."""
    encoder, n = encoder_of(BuiltIn(), corpus), len(corpus)
    names = [plain(question[one.start : one.end]) for one in found(question) if one.kind == "name"]

    def tokens(said: str) -> dict[tuple[str, bytes], np.ndarray]:
        return {(a, r.tobytes()): r for a, r in zip(*encoder.tokens(said), strict=True)}

    asked, there, each = tokens(question), tokens(passage), [set(tokens(d.content)) for d in corpus]
    alone = total = 0.0
    for key, row in asked.items():
        word = key[0].strip()
        if word in FUNCTION_WORDS or set(word) <= set("几多少吗呢谁哪何啥么") or not plain(word):
            continue
        if any(plain(word) in name for name in names):
            continue
        df = sum(key in own for own in each)
        pull = math.log(1 + (n - df + 0.5) / (df + 0.5)) * float(np.linalg.norm(row))
        total += pull
        alone += pull * (max([0.0, *(cosine(row, other) for other in there.values())]) < 0.3)
    return alone / (total or 1.0)


def absent(said: str, one: Found, passage: str) -> bool:
    """Whether neither the letters nor the value stand in the passage."""
    name, there = (plain(Analyzer().read(x).text) for x in (said, passage))
    if one.kind == "name" and HAN.fullmatch(name[:1]) and not known_word(name) and set(name) <= set(there):
        return False
    return name not in there and (one.kind, one.value) not in {(x.kind, x.value) for x in found(passage)}
