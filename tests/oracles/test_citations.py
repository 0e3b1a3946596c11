"""Both rules of citation against plain restatements (RAGFlow's: ``insert_citations``), on random answers."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from night import seeds

from lab.algebra import Corpus, Document
from lab.answer.citations import BestSentence, RAGFlowCitations
from lab.models.embedders import encoder_of
from lab.models.static import BuiltIn, StaticEncoder
from lab.text import Analyzer
from lab.text.borders import sentences

WORDS = [
    "battery",
    "refund",
    "fourteen days",
    "14 days",
    "leave",
    "screen",
    "年假",
    "退货",
    "电池续航",
    "七天内",
    "申请",
    "屏幕",
]


def text(rng: random.Random, most: int) -> str:
    """Up to so many sentences of a few words, in two languages."""
    made = [" ".join(rng.choices(WORDS, k=rng.randint(1, 6))) + rng.choice([". ", "。", "! "]) for _ in range(most)]
    return "".join(made[: rng.randint(1, most)])


def made_up(seed: int) -> tuple[Corpus, tuple[Document, ...], list[str]]:
    """A corpus, some passages of it (now and then one twice, or a shortened one), and the sentences of an answer."""
    rng = random.Random(seed)
    documents = tuple(
        Document(f"d{i}", text(rng, 4), rng.choice(["", "Title", "年假"])) for i in range(rng.randint(1, 12))
    )
    passages = tuple(rng.choices(documents, k=rng.randint(0, 6)))
    if passages and rng.random() < 0.3:
        passages = (*passages, Document(passages[0].id, "shortened 年假", passages[0].title))
    fixed = ["ok.", "```\ncode\n```", f"```\n{rng.choice(WORDS)}\n```", "zebra quartz 斑马"]
    answer = [rng.choice([text(rng, 1), rng.choice(WORDS), *fixed]) for _ in range(5)]
    return Corpus("made up", documents), passages, answer


def idf(term: str, corpus: Corpus, cut: Analyzer) -> float:
    n, df = len(corpus), sum(term in cut.tokens(d.content) for d in corpus)
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def share(sentence: str, text: str, corpus: Corpus, cut: Analyzer) -> float:
    """The share of the sentence's IDF that the text holds."""
    terms, held = set(cut.tokens(sentence)), set(cut.tokens(text))
    whole = sum(idf(t, corpus, cut) for t in terms)
    return sum(idf(t, corpus, cut) for t in terms & held) / whole if whole else 0.0


def cosine(a: str, b: str, corpus: Corpus) -> float:
    x, y = (np.asarray(v, np.float64) for v in encoder_of(BuiltIn(), corpus).documents([a, b]))
    length = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / length if length else 0.0


def insert_citations(
    rule: RAGFlowCitations, answer: list[str], passages: tuple[Document, ...], corpus: Corpus
) -> tuple[list[list[int]], list[list[int]]]:
    """What is cited behind each piece, and what of it is printed."""
    cut = Analyzer(bigrams=False, numbers=False, questions=False, characters=False)
    cites: dict[int, list[int]] = {}
    threshold = rule.threshold
    while (threshold == rule.threshold or threshold > rule.floor) and not cites and passages:
        for i, piece in enumerate(answer):
            if len(piece) < rule.shortest or (piece.startswith("```") and not rule.code):
                continue
            sim = [
                rule.words * share(piece, p.content, corpus, cut) + (1 - rule.words) * cosine(piece, p.content, corpus)
                for p in passages
            ]
            mx = max(sim) * rule.margin
            if mx < threshold:
                continue
            above = [j for j in range(len(sim)) if sim[j] > mx]
            cites[i] = sorted(above, key=lambda j: (-round(sim[j], 9), j))[: rule.at_most]
        threshold *= rule.relaxation
    seen: set[int] = set()
    cited, printed = [], []
    for i in range(len(answer)):
        cited.append(cites.get(i, []))
        printed.append([j for j in cited[-1] if j not in seen])
        seen |= set(cited[-1])
    return cited, printed


@pytest.mark.parametrize("seed", seeds(80))
def test_ragflows_rule_cites_and_prints_what_its_source_does(seed: int) -> None:
    corpus, passages, answer = made_up(seed)
    rng = random.Random(-seed)
    rule = RAGFlowCitations(
        rng.choice([0.63, 0.5, 0.9]),
        code=rng.random() < 0.5,
        words=rng.choice([0.1, 0.5]),
        relaxation=rng.choice([0.8, 0.5]),
        floor=rng.choice([0.3, 0.1, 0.7]),
        at_most=rng.choice([1, 4]),
        margin=rng.choice([0.99, 0.8]),
    )
    told = rule.cite(answer, passages, corpus)
    cited, printed = insert_citations(rule, answer, passages, corpus)
    assert [[s.place.passage for s in one.sources] for one in told] == cited
    assert [[s.place.passage for s in one.printed] for one in told] == printed


def test_the_thresholds_are_those_of_the_source() -> None:
    assert RAGFlowCitations().tried == pytest.approx((0.63, 0.63 * 0.8, 0.63 * 0.8**2, 0.63 * 0.8**3))


@pytest.mark.parametrize("seed", seeds(40))
def test_the_parts_of_ragflows_rule_are_the_cosine_and_the_share_of_the_words(seed: int) -> None:
    corpus, passages, answer = made_up(seed)
    rule = RAGFlowCitations()
    for one in rule.cite(answer, passages, corpus):
        if one.nearest is not None:
            vector, words = one.nearest.parts
            passage = passages[one.nearest.place.passage]
            assert words.value == pytest.approx(share(one.sentence, passage.content, corpus, rule.analyzer))
            assert vector.value == pytest.approx(cosine(one.sentence, passage.content, corpus), abs=1e-6)


def meaning(sentence: str, text: str, corpus: Corpus) -> float:
    """For each distinct token of the sentence its best cosine with a token of the text, weighed by its length."""
    encoder = encoder_of(BuiltIn(), corpus)
    assert isinstance(encoder, StaticEncoder)
    own, there = ({row.tobytes(): row for row in encoder.tokens(t)[1]}.values() for t in (sentence, text))
    best = [
        max((max(float(a @ b) / math.sqrt(a @ a) / math.sqrt(b @ b), 0.0) for b in there), default=0.0) for a in own
    ]
    lengths = [math.sqrt(a @ a) for a in own]
    return sum(map(float.__mul__, lengths, best)) / sum(lengths) if lengths else 0.0


def chinese(text: str) -> bool | None:
    han, others = len(re.findall("[一-鿿]", text)), len(re.findall("[a-zA-Z]+", text))
    return None if han + others == 0 else han > others


def best_sentence(rule: BestSentence, sentence: str, passage: Document, corpus: Corpus) -> tuple[float, bool]:
    """The similarity, and whether the two are in different languages."""
    foreign = None not in (pair := (chinese(sentence), chinese(passage.content))) and pair[0] != pair[1]
    first = len(passage.content) - len(passage.text)
    parts = [passage.text[a:b] for a, b in sentences(passage.text)] or [passage.content[:first].strip()]

    def held(text: str) -> float:
        return meaning(sentence, text, corpus) if foreign else share(sentence, text, corpus, rule.analyzer)

    own = max((1 - rule.words) * cosine(sentence, t, corpus) + rule.words * (1 - rule.context) * held(t) for t in parts)
    return own + rule.words * rule.context * held(passage.content), foreign


@pytest.mark.parametrize("seed", seeds(80))
def test_the_labs_rule_is_its_formula(seed: int) -> None:
    corpus, passages, answer = made_up(seed)
    rng = random.Random(-seed)
    rule = BestSentence(
        rng.choice([0.46, 0.3, 0.8]),
        across=rng.choice([0.3, 0.1]),
        words=rng.choice([0.5, 0.2, 1.0]),
        context=rng.choice([0.5, 0.0, 1.0]),
        at_most=rng.choice([1, 4]),
        margin=rng.choice([0.99, 0.8]),
    )
    for one in rule.cite(answer, passages, corpus):
        if one.sentence.startswith("```") or not passages:
            continue
        told = [best_sentence(rule, one.sentence, p, corpus) for p in passages]
        limits = [rule.across if foreign else rule.threshold for _, foreign in told]
        over = [near - limit for (near, _), limit in zip(told, limits, strict=True)]
        best = max(range(len(over)), key=lambda i: (round(over[i], 9), -i))
        assert one.nearest is not None
        assert one.nearest.place.passage == best
        assert one.nearest.similarity == pytest.approx(told[best][0], abs=1e-6)
        assert one.threshold == limits[best]
        above = rule.margin * told[best][0] - limits[best]
        close = sorted(
            (i for i, x in enumerate(over) if i == best or (x > above and x >= 0)),
            key=lambda i: (-round(over[i], 9), i),
        )
        expected = close[: rule.at_most] if over[best] >= 0 else []
        assert [s.place.passage for s in one.sources] == expected
