"""Step 1 of the cross-encoder: questions with a passage that answers each, and passages that do not.

Questions are cut from paragraphs, or are titles and translations; the wrong passages are the nearest by BM25 and by
the built-in vectors.  Examples of order and of negation have one more: the right passage with its words in another
order, or with a negation more or less.  As often the changed one is the right one, so that the passage alone does not
tell which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.models.static import load_built_in
from training.batches import QUESTION_WORDS, Texts, nearest
from training.material import Pair, arguments, is_held_out, kind_of, read_pairs, read_texts, timed
from training.relations import example, relations
from training.weights import rarity

KINDS = ("span", "title", "parallel", "order", "negation", "relation")
NEAREST, AMONG = 20, 48
"""Wrong passages of an example, and among how many of the nearest by BM25 and by vectors they are drawn.

The very nearest are chosen for their words, and against them the words of the question would seem to count for little:
a list that is reranked has the others, too.
"""
LONGEST = 400
VERBS = "is are was were can will should must may does do did has have could"
NEGATIONS = {
    **{word: f"{word} not" for word in VERBS.split()},
    **{"是": "不是", "能": "不能", "会": "不会", "有": "没有", "可以": "不可以", "应当": "不得", "需要": "不需要"},
    **{"支持": "不支持", "允许": "不允许", "能够": "不能", "必须": "不必", "应该": "不应该", "属于": "不属于"},
    **{"包含": "不包含", "使用": "不使用"},
}
"""Words and their negated form; both directions are used."""

Tokens = list[int]


class Asked(NamedTuple):
    """A question before its wrong passages are known; ``changed`` is a passage that only looks right."""

    kind: str
    question: Tokens
    positive: Tokens
    changed: Tokens | None = None
    held_out: bool = False
    equals: frozenset[tuple[int, ...]] = frozenset()
    """Passages that answer the question as well: those under the same title."""


@dataclass(frozen=True)
class Cutter:
    """Cuts questions from passages, token by token."""

    weight: NDArray[np.float64]
    """How much the built-in model lets a token count."""
    content: float
    """Tokens that weigh less are function words."""
    near: NDArray[np.int32]
    """Tokens of similar meaning, the other language's last, [tokens, n]."""
    words: Tokens
    """Words of any passages, as often as they occur."""
    asking: Mapping[str, Sequence[int]]
    negated: Mapping[tuple[int, ...], tuple[int, ...]]

    def span(self, text: Tokens, language: str, random: Random) -> tuple[Tokens, Tokens]:
        """Returns a question and the passage, now and then without one or two of the question's words.

        People seldom ask in the order of the passage, or with its words alone: without that, the layers learn to trust
        the order more than the words.
        """
        way, size = random.random(), random.randint(4, 14)
        if way < 0.55:
            size = random.randint(8, 30)
        start = random.randrange(max(1, len(text) - size + 1))
        places = list(range(start, min(start + size, len(text))))
        if way < 0.55:
            share = {i: 0.55 if self.weight[text[i]] >= self.content else 0.3 for i in places}
            places = [i for i in places if random.random() < share[i]][:16] or places[:4]
        elif way > 0.75:
            keys = [random.random() ** (1 / max(self.weight[t], 1.0)) for t in text]
            places = sorted(sorted(range(len(text)), key=keys.__getitem__)[-random.randint(2, 6) :])
        missing = set(random.sample(places, min(len(places) // 3, random.choice((0, 0, 1, 2)))))
        passage = [t for i, t in enumerate(text) if i not in missing]
        words = [random.choice(self.words) if random.random() < 0.1 else text[i] for i in places]
        words += random.choices(self.words, k=random.choice((0, 0, 0, 1, 2)))
        if random.random() < 0.65 and len(words) > 2:
            cuts = sorted(random.sample(range(1, len(words)), min(len(words) - 1, random.randint(1, 4))))
            parts = [words[i:j] for i, j in zip([0, *cuts], [*cuts, len(words)], strict=True)]
            words = [word for part in random.sample(parts, len(parts)) for word in part]
        return self.edited(words, language, random, answer=0.5), passage

    def edited(
        self, words: Tokens, language: str, random: Random, *, answer: float = 0.0, content: float = 0.08
    ) -> Tokens:
        """Returns words as one would ask: less function words, other words of their meaning, question words."""
        kept = []
        other = random.random() < 0.1
        for word in words:
            light = self.weight[word] < self.content
            if len(words) > 2 and random.random() < (0.45 if light else content):
                continue
            swap = (0.9 if other else 0.12) if not light else 0.0
            choices = self.near[word]
            kept.append(int(choices[-1] if other else random.choice(choices[:-1])) if random.random() < swap else word)
        if random.random() < 0.55:
            asked = random.choices(self.asking[language], k=random.randint(1, 3))
            place = random.randrange(len(kept) + 1) if language == "zh" else 0
            gap = random.randint(1, 2) if random.random() < answer and len(kept) > 4 else 0
            after = kept[place + gap :] if place else kept[: len(kept) - gap]
            kept = kept[:place] + asked + after
        return kept or words

    def order(self, text: Tokens, language: str, random: Random) -> tuple[Tokens, Tokens, Tokens] | None:
        """Returns a question, the passage with its words in the question's order, and in another one."""
        size = random.randint(4, 12)
        start = random.randrange(max(1, len(text) - size + 1))
        span = text[start : start + size]
        heavy = [i for i, t in enumerate(span) if self.weight[t] >= self.content]
        if len(heavy) < 2:
            return None
        mixed, way = list(span), random.random()
        if way < 0.5:
            i, j = sorted(random.sample(heavy, 2))
            mixed[i], mixed[j] = mixed[j], mixed[i]
        elif way < 0.8:
            i, j = sorted(random.sample(heavy, 2))
            left, right = random.randint(0, i), random.randint(j + 1, len(span))
            middle = random.randint(i + 1, j)
            end = random.randint(i + 1, middle)
            mixed = span[:left] + span[middle:right] + span[end:middle] + span[left:end] + span[right:]
        else:
            random.shuffle(mixed)
        if [t for t in mixed if self.weight[t] >= self.content] == [span[i] for i in heavy]:
            return None
        changed = text[:start] + mixed + text[start + size :]
        if random.random() < 0.5:
            text, changed, span = changed, text, mixed
        return self.edited(span, language, random, content=0.0), text, changed

    def negation(self, text: Tokens, language: str, random: Random) -> tuple[Tokens, Tokens, Tokens] | None:
        """Returns a question, the passage that says the same, and the one with a negation more or less."""
        places = [(i, n) for i in range(len(text)) for n in (1, 2, 3) if tuple(text[i : i + n]) in self.negated]
        if not places:
            return None
        i, n = random.choice(places[-3:])
        was, other = text[i : i + n], list(self.negated[tuple(text[i : i + n])])
        changed = text[:i] + other + text[i + n :]
        before, after = text[max(0, i - random.randint(1, 6)) : i], text[i + n : i + n + random.randint(2, 6)]
        if random.random() < 0.5:
            text, changed, was = changed, text, other
        before, after = (
            [t for t in words if self.weight[t] >= self.content or random.random() < 0.6] for words in (before, after)
        )
        return before + was + after, text, changed


def similar(table: NDArray[np.float32], tokens: Sequence[str], *, count: int = 4) -> NDArray[np.int32]:
    """Returns the nearest tokens of the same script and the nearest one of the other, [tokens, count + 1]."""
    han = np.array([any("\u4e00" <= c <= "\u9fff" for c in token) for token in tokens])
    near = np.zeros((len(table), count + 1), np.int32)
    for i in range(0, len(table), 1000):
        cosines = table[i : i + 1000] @ table.T
        cosines[np.arange(len(cosines)), np.arange(i, i + len(cosines))] = -1
        alike = han[i : i + 1000, None] == han
        near[i : i + 1000, count] = np.where(alike, -1, cosines).argmax(axis=1)
        near[i : i + 1000, :count] = np.argpartition(np.where(alike, cosines, -1), -count, axis=1)[:, -count:]
    return near


def texts_of(rows: Iterable[Tokens]) -> Texts:
    rows = list(rows)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
    return Texts(np.array([t for row in rows for t in row], dtype=np.int32), starts, np.arange(len(rows)))


def paragraphs(groups: Mapping[str, list[Pair]], plain: Sequence[str], most: int) -> dict[str, list[str]]:
    """Returns distinct paragraphs by language, at most ``most`` of a group."""
    found: dict[str, dict[str, None]] = {"zh": {}, "en": {}}
    for group, pairs in groups.items():
        kind = kind_of(group)
        if kind.startswith(("span", "title")):
            found[kind[-2:]].update((pair[-1], None) for pair in pairs[:: 1 + len(pairs) // most])
    long = [text for text in plain if len(text) >= 120]
    found["en"].update((text, None) for text in long[:: 1 + len(long) // most])
    return {language: [*texts] for language, texts in found.items()}


def titles(
    groups: Mapping[str, list[Pair]],
    language: str,
    tokens: Callable[[Sequence[str]], list[Tokens]],
    per: int,
    random: Random,
) -> Iterator[Asked]:
    """Yields at most ``per`` titles as questions, each with one of its passages."""
    under: dict[str, list[tuple[str, Tokens]]] = {}
    named = {group: rows for group, rows in groups.items() if kind_of(group) == f"title_{language}"}
    for rows in named.values():
        long = [pair for pair in rows if len(pair[1]) > 20]
        for (title, text), passage in zip(long, tokens([pair[1] for pair in long]), strict=True):
            under.setdefault(title, []).append((text, passage[:LONGEST]))
    chosen = random.sample(sorted(under), min(per, len(under)))
    for title, question in zip(chosen, tokens(chosen), strict=True):
        text, passage = random.choice(under[title])
        equals = frozenset(tuple(other) for _, other in under[title])
        yield Asked("title", question[:30], passage, None, is_held_out(text), equals)


def draw(
    groups: Mapping[str, list[Pair]],
    pools: Mapping[str, list[str]],
    cutter: Cutter,
    tokens: Callable[[Sequence[str]], list[Tokens]],
    per: int,
    random: Random,
) -> Iterator[tuple[str, Asked]]:
    """Yields (pool, question), about ``per`` of each kind and language."""
    sentences = {side: [pair[i] for pair in groups["tatoeba"]] for i, side in enumerate(("zh", "en"))}
    for language, pool in pools.items():
        cut = [(list(t[:LONGEST]), is_held_out(s)) for t, s in zip(tokens(pool), pool, strict=True)]
        short = [(t, is_held_out(s)) for t, s in zip(tokens(sentences[language]), sentences[language], strict=True)]
        for text, out in (random.choice(cut) for _ in range(2 * per)):
            if len(text) >= 9:
                yield language, Asked("span", *cutter.span(text, language, random), None, out)
        for kind, make in (("order", cutter.order), ("negation", cutter.negation)):
            made = 0
            for _ in range(40 * per):
                text, out = random.choice(cut if random.random() < 0.6 else short)
                if len(text) >= 5 and (parts := make(text[:150], language, random)):
                    made += 1
                    yield language, Asked(kind, *parts, out)
                if made == per:
                    break
        yield from ((language, asked) for asked in titles(groups, language, tokens, per, random))
    parallel = [p for g, rows in groups.items() if kind_of(g) == "parallel" for p in rows if len(p[0]) >= 8]
    chosen = random.sample(parallel, min(2 * per, len(parallel)))
    zh, en = (tokens([p[i] for p in chosen]) for i in range(2))
    for pair, chinese, english in zip(chosen, zh, en, strict=True):
        out = any(map(is_held_out, pair))
        asked, passage, side = (english, chinese, "en") if random.random() < 0.6 else (chinese, english, "zh")
        if min(len(asked), len(passage)) >= 3:
            question = cutter.span(asked, side, random)[0] if random.random() < 0.7 else asked[:30]
            yield f"parallel {side}", Asked("parallel", question, passage[:LONGEST], None, out)
    names = [p for g in ("osm", "cldr") for p in groups[g]]
    for side, language in ((0, "zh"), (1, "en")):
        words = sorted({p[side].split(";")[0].strip() for p in names if len(p[side]) <= (4, 14)[side]})
        drawn = [example(relations(language), words, sentences[language], random) for _ in range(per)]
        columns = (tokens([e[i] for e in drawn]) for i in range(3))
        for e, question, right, wrong in zip(drawn, *columns, strict=True):
            yield f"relation {language}", Asked("relation", question, right, wrong, e.relation % 6 == 0)


def build(
    drawn: Sequence[tuple[str, Asked]], table: NDArray[np.float32], random: Random
) -> dict[str, NDArray[np.generic]]:
    """Returns the arrays of all examples; the nearest passages are looked for in the pool of each question."""
    rows: dict[tuple[int, ...], int] = {}
    number = lambda text: rows.setdefault(tuple(text), len(rows))  # noqa: E731
    columns: list[list[int]] = []
    pools = sorted({pool for pool, _ in drawn})
    rare = np.zeros((len(pools), len(table)), np.float16)
    for place, pool in enumerate(pools):
        questions = [asked for name, asked in drawn if name == pool]
        passages = sorted({tuple(a.positive) for a in questions if a.kind != "order" and a.kind != "negation"})
        answers = texts_of([*map(list, passages)])
        rare[place] = rarity(passages, len(table))
        asked = texts_of([a.question for a in questions])
        lexical = nearest(asked, answers, len(table), count=AMONG)
        semantic = nearest_vectors(means(asked, table), means(answers, table), count=AMONG)
        for a, left, right in zip(questions, lexical.tolist(), semantic.tolist(), strict=True):
            mine = {tuple(a.positive), tuple(a.changed or ()), *a.equals}
            drawn_from = [i for side in (left, right) for i in random.sample(side, min(len(side), NEAREST // 2))]
            close = [i for i in drawn_from if i >= 0 and passages[i] not in mine]
            if a.kind == "order" or a.kind == "negation":
                content = set(a.positive)
                close = [i for i in close if len(content & set(passages[i])) < 0.9 * len(content)]
            chance = random.sample(range(len(passages)), min(len(passages), 2 * NEAREST))
            wrong = [*dict.fromkeys([*close, *(i for i in chance if passages[i] not in mine)])]
            negatives = [number(passages[i]) for i in (wrong * NEAREST)[:NEAREST]]
            forced = number(a.changed) if a.changed else -1
            columns.append(
                [place, KINDS.index(a.kind), a.held_out, number(a.question), number(a.positive), forced, *negatives]
            )
    texts, table_of = texts_of(map(list, rows)), np.array(columns, np.int64)
    return {"flat": texts.flat, "starts": texts.starts, "examples": table_of, "rare": rare}


def means(texts: Texts, table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the built-in vector of each text at length 1."""
    sums = np.zeros((len(texts.number), table.shape[1]), np.float32)
    lengths = np.diff(texts.starts)
    row = np.repeat(np.arange(len(lengths)), lengths)
    for i in range(0, len(row), 200_000):
        part = slice(i, i + 200_000)
        filled = np.unique(row[part])
        begin = np.searchsorted(row[part], filled)
        sums[filled] += np.add.reduceat(table[texts.flat[part]], begin)
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)


def nearest_vectors(asked: NDArray[np.float32], answers: NDArray[np.float32], *, count: int) -> NDArray[np.int64]:
    """Returns the nearest vectors by cosine, [asked, at most count]."""
    parts: list[NDArray[np.int64]] = []
    count = min(count, len(answers))
    for i in range(0, len(asked), 500):
        cosines = asked[i : i + 500] @ answers.T
        parts.append(np.argpartition(cosines, -count, axis=1)[:, -count:].copy())
    return np.concatenate(parts)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--per", type=int, default=20_000, help="questions of each kind and language")
    parser.add_argument("--textbook", action="store_true", help="short sentences and relations alone")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    random, encoder = Random(options.seed), load_built_in()
    table = np.asarray(encoder.model.embedding, dtype=np.float32)
    weight = np.linalg.norm(table, axis=1)
    if not (file := options.work / "similar.npy").exists():
        with timed("Similar words"):
            np.save(file, similar(table / np.maximum(weight[:, None], 1e-9), encoder.model.tokens))
    near = np.load(file)
    groups = read_pairs(options.data)
    numbers = encoder.numbers
    if options.textbook:
        groups = {name: groups[name] for name in ("tatoeba", "osm", "cldr")}
        pools = {side: sorted({pair[i] for pair in groups["tatoeba"]}) for i, side in enumerate(("zh", "en"))}
    else:
        pools = paragraphs(groups, read_texts(options.data, "en"), options.per)
    some = [t for text in numbers(pools["zh"][:2000] + pools["en"][:2000]) for t in text]
    asking = {
        language: [t for text in numbers(words.split()) for t in text] for language, words in QUESTION_WORDS.items()
    }
    plain, negative = numbers([*NEGATIONS]), numbers([*NEGATIONS.values()])
    both = [*zip(plain, negative, strict=True), *zip(negative, plain, strict=True)]
    negated = {tuple(a): tuple(b) for a, b in both}
    cutter = Cutter(weight, float(np.quantile(weight[some], 0.4)), near, some, asking, negated)
    with timed("Questions"):
        drawn = list(draw(groups, pools, cutter, numbers, options.per, random))
    with timed("Nearest passages"):
        arrays = build([(pool, a) for pool, a in drawn if a.question and a.positive], table, random)
    if options.textbook:
        arrays["rare"][:] = 1
    with Path(options.work / "questions.npz").open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    kinds = np.bincount(arrays["examples"][:, 1], minlength=len(KINDS))
    print(dict(zip(KINDS, kinds.tolist(), strict=True)), "held out:", int(arrays["examples"][:, 2].sum()))


if __name__ == "__main__":
    main()
