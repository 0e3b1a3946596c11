"""Formulas on the page: the numbers in them give the value behind the equals sign, and no text can break them."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence

import pytest
from night import NIGHT, for_each, spread

from lab import formula as formulas
from lab.algebra import Corpus, Document, Ranking
from lab.fuse import NORMALISATIONS, RRF, Borda, ListPart, ShareSum, WeightedSum
from lab.retrieve.lexical import BM25, TFIDF, LexicalIndex
from lab.text import Analyzer

BLANKS = Analyzer("whitespace")
HOSTILE = [
    "\\",
    "\\frac{1}{0}",
    "$x$",
    "$$",
    "{",
    "}",
    "}{",
    "%",
    "50%",
    "_",
    "a_b",
    "^",
    "x^2",
    "~",
    "#",
    "a&b",
    "\\\\",
    "\\end{aligned}",
    "\\text",
    "<b>",
    "耳机_5",
]


# ------------------------------------------------------------------------ LaTeX, read as the page shows it


def arithmetic(latex: str) -> str:
    """The formula as Python: the few commands that the formulas use, everything else as it stands."""
    out, i = "", 0

    def group() -> str:
        nonlocal i
        assert latex[i] == "{", latex[i:]
        start, depth = i + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(latex[i], 0)
            i += 1
            if not depth:
                return latex[start : i - 1]

    while i < len(latex):
        command = re.compile(r"\\(?:[a-z]+|[,;])|.").match(latex, i)
        assert command is not None
        i = command.end()
        match command.group():
            case "\\frac":
                out += f"(({arithmetic(group())})/({arithmetic(group())}))"
            case "\\underbrace":
                out += f"({arithmetic(group())})"
                assert latex[i] == "_"
                i += 1
                group()
            case "\\overline":
                group()
                out += "mean"
            case "\\ln" if latex[i] in "\\ ":
                argument = re.compile(r"\\frac|\\left\(| [\d.]+").match(latex, i)
                assert argument is not None, latex[i:]
                if argument.group() == "\\frac":
                    i = argument.end()
                    out += f"log(({arithmetic(group())})/({arithmetic(group())}))"
                elif argument.group() == "\\left(":
                    i = argument.end()
                    out += "log("
                else:
                    i = argument.end()
                    out += f"log({argument.group()})"
            case "\\left" | "\\right" | "\\," | "\\;" | " " | "\\small":
                pass
            case "\\cdot":
                out += "*"
            case "^":
                out += f"**({arithmetic(group())})"
            case plain:
                assert not plain.startswith("\\"), latex
                out += plain
    return re.sub(r"(?<=[\d)])\(", "*(", out)


def value(latex: str, **names: float) -> float:
    return float(eval(arithmetic(latex), {"log": math.log, **names}))


def sound(latex: str) -> None:
    """Braces balance, and no character of a text acts on LaTeX."""
    assert not re.search(r"(?<!\\)&", latex), latex
    depth = 0
    for character in re.sub(r"\\[{}]", "", latex):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0, latex
    assert depth == 0, latex
    assert not re.search(r"(?<!\\)[$%#]", latex), latex


def near(latex: str, expected: float, **names: float) -> bool:
    """Equal within what four digits per number lose."""
    return value(latex, **names) == pytest.approx(expected, rel=4e-3, abs=2e-4)


# ----------------------------------------------------------------------------------------------- lexical


def corpora(seed: int) -> tuple[Corpus, str]:
    """A small corpus of few words, hostile ones among them, and a query with repeated and unknown words."""
    rng = random.Random(seed)
    words = [*"abcdefg", *HOSTILE]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 40))) for _ in range(rng.randint(3, 30))]
    return Corpus("c", tuple(Document(str(i), text) for i, text in enumerate(texts))), " ".join(
        [*rng.choices(words, k=9), "a", "a", "nowhere"]
    )


def split(line: str) -> tuple[str, str, str]:
    """Term, formula, and what stands behind the equals sign."""
    term, _, rest = line.partition(r":\; ")
    formula, _, result = rest.partition(" = ")
    return term, formula, result


@pytest.mark.parametrize("variant", ["okapi", "lucene", "l", "plus", "no-log-idf"])
@pytest.mark.parametrize(
    "knobs", spread([{}, {"k1": 0.0}, {"k1": 2.3, "b": 0.0}, {"b": 1.0, "delta": 0.3, "epsilon": 0.1}], 1), ids=str
)
def test_the_numbers_of_bm25_give_the_addend(variant: str, knobs: dict[str, float]) -> None:
    told = 0
    for seed in range(4 if NIGHT else 1):
        corpus, query = corpora(seed)
        index = BM25(variant=variant, analyzer=BLANKS, **knobs).index(corpus)
        for document in corpus:
            hit = index.search(query).hit(document.id)
            total = 0.0
            parts = {p.term: p for p in index.explain(query, document.id)}
            for name, addend in index.operator.formula(list(parts.values()), len(corpus)):
                part, line = parts[name], addend.line(name)
                assert addend.value == pytest.approx(part.value, rel=1e-9)
                sound(line)
                term, formula, result = split(line)
                assert term == formulas.text(part.term)
                shown, _, c = result.partition(r",\; c=")
                assert shown == f"{part.value:.4f}"
                mean = part.idf / index.operator.epsilon if index.operator.epsilon else 0.0
                assert near(formula, part.value, mean=mean, c=value(c) if c else 0.0), line
                total += float(shown)
                told += 1
            if hit is not None:
                assert total == pytest.approx(hit.score, abs=1e-3)
    assert told > 50


@pytest.mark.parametrize("form", ["smooth", "plain", "textbook"])
@pytest.mark.parametrize("sublinear", [False, True])
def test_the_numbers_of_tfidf_give_the_addend(form: str, sublinear: bool) -> None:
    told = 0
    for seed in range(4):
        corpus, query = corpora(seed)
        index = TFIDF(form, sublinear, analyzer=BLANKS).index(corpus)
        for document in corpus:
            parts = index.explain(query, document.id)
            lines = [f.line(term) for term, f in index.operator.formula(parts, len(corpus))]
            shared = [p for p in parts if p.value]
            assert len(lines) == len(shared)
            for part, line in zip(shared, lines, strict=True):
                sound(line)
                term, formula, result = split(line)
                assert term == formulas.text(part.term)
                assert result == f"{part.value:.4f}"
                assert near(formula, part.value), line
                told += 1
    assert told > 50


def test_the_two_brackets_of_tfidf_are_the_weights_of_query_and_document() -> None:
    corpus = Corpus("c", (Document("1", "a a b"), Document("2", "b c"), Document("3", "c d")))
    index = TFIDF(analyzer=BLANKS).index(corpus)
    line = next(f.tex for term, f in index.operator.formula(index.explain("a b", "1"), 3) if term == "a")
    q, d = (value(x) for x in re.findall(r"underbrace\{(.*?)\}_\{[qd]\}", line))
    idf_a, idf_b = math.log(4 / 2) + 1, math.log(4 / 3) + 1
    assert q == pytest.approx(idf_a / math.hypot(idf_a, idf_b), rel=2e-3)
    assert d == pytest.approx(2 * idf_a / math.hypot(2 * idf_a, idf_b), rel=2e-3)


def test_a_one_letter_query_is_told_with_the_index_that_answers_it() -> None:
    corpus = Corpus("c", (Document("1", "猫 在 家"), Document("2", "狗 在 外"), Document("3", "鸟")))
    index = BM25().index(corpus)
    used = index.for_query("猫")
    assert isinstance(used, LexicalIndex)
    ((_, addend),) = used.operator.formula(index.explain("猫", "1"), 3)
    assert near(addend.tex, index.search("猫").hits[0].score)


def test_each_of_several_lines_is_a_formula_of_its_own() -> None:
    corpus, query = corpora(1)
    index = BM25(analyzer=BLANKS).index(corpus)
    best = index.search(query).hits[0].document.id
    lines = [f.line(term) for term, f in index.operator.formula(index.explain(query, best), len(corpus))]
    assert len(lines) > 1
    assert formulas.lines(lines).split("\n$$\n\n$$\n") == [rf"\small {line}" for line in lines]


# ------------------------------------------------------------------------------------------------- texts


@for_each("text", [*HOSTILE, "".join(HOSTILE), "耳机", "WH-1000XM5", "", "\\" * 5])
def test_no_text_acts_on_the_formula(text: str) -> None:
    latex = formulas.text(text)
    sound(latex)
    inside = latex.removeprefix("\\text{").removesuffix("}")
    assert set(re.findall(r"\\(.)", inside)) <= set("_{}$#%&")  # the only commands: a character itself
    assert not re.search(r"(?<!\\)[_^~&#%$]", inside)
    kept = re.sub(r"\\(.)", r"\1", inside)
    assert kept == re.sub(r"[\\^~]", " ", text)  # what LaTeX cannot show in a text is a blank


@for_each("number, text", [
        (3, "3"), (3.0, "3"), (0, "0"), (-2.0, "-2"), (0.5, "0.5"),
        (1.23456, "1.235"), (0.00012345, r"0.0001234"), (1234.5, "1234"),
        (123456.7, "123457"), (0.000012345, r"1.234\cdot 10^{-5}"),
        (2e9, r"2\cdot 10^{9}"), (12345678.9, r"1.235\cdot 10^{7}"),
    ])  # fmt: skip
def test_numbers_are_short_and_never_in_computer_notation(number: float, text: str) -> None:
    assert formulas.number(number) == text


def test_numbers_keep_four_digits() -> None:
    rng = random.Random(3)
    for _ in range(500):
        number = rng.choice([-1, 1]) * 10 ** rng.uniform(-9, 12)
        assert value(formulas.number(number)) == pytest.approx(number, rel=5.1e-4), number
        assert "e" not in formulas.number(number)


# ------------------------------------------------------------------------------------------------- fusion


def rankings(seed: int) -> list[Ranking]:
    corpus, query = corpora(seed)
    makers = (BM25(analyzer=BLANKS), TFIDF(analyzer=BLANKS), BM25(variant="lucene", k1=0.3, analyzer=BLANKS))
    return [m.index(corpus).search(query, k=rng) for m, rng in zip(makers, (20, 4, 9), strict=True)]


def told(fusion: ShareSum, parts: Sequence[ListPart], names: Sequence[str]) -> list[tuple[str, formulas.Formula]]:
    return [(name, fusion.formula(p)) for name, p in zip(names, parts, strict=True) if p.rank]


FUSIONS: list[ShareSum] = [
    RRF(),
    RRF(0),
    RRF(7, (0.7, 0.2, 0.1)),
    *(WeightedSum((0.5, 0.3, 0.2), n) for n in NORMALISATIONS),
    Borda(),
    Borda((0.5, 0.3, 0.2)),
]


@pytest.mark.parametrize("fusion", FUSIONS, ids=repr)
def test_the_numbers_of_a_fusion_give_the_fused_score(fusion: ShareSum) -> None:
    names = ["BM25 & Co_1", "TF-IDF 100%", "{lucene}"]
    for seed in range(4):
        lists = rankings(seed)
        for hit in fusion(lists):
            parts = fusion.explain(lists, hit.document.id)
            latex = formulas.total(told(fusion, parts, names))
            sound(latex)
            total, terms, values = latex.removeprefix(r"\small ").split(" = ")
            assert total == f"{hit.score:.5f}"
            assert near(terms, hit.score), latex
            assert value(values) == pytest.approx(hit.score, abs=3e-5)
            assert [part.rank is not None for part in parts] == [formulas.text(name) in latex for name in names]
            assert values.count(" + ") == sum(part.rank is not None for part in parts) - 1


def test_a_weight_of_nothing_is_shown_as_nothing() -> None:
    lists = rankings(2)[:2]
    doc = lists[1].hits[0].document.id
    fusion = RRF(weights=(0.0, 1.0))
    latex = formulas.total(told(fusion, fusion.explain(lists, doc), ["a", "b"]))
    rank = lists[0].rank(doc)
    assert rf"\frac{{0}}{{60+{rank}}}" in latex
    assert f"{1 / (60 + 1):.5f} = " in latex
