"""Figures of the guides on rewriting, reranking, comparing, compressing and others, recomputed on the samples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise, takewhile

import numpy as np
import places
import pytest

from benchmarks.summary import Results
from lab import formats, presets
from lab.algebra import Corpus, Document, Env, Query, Runner, Searcher, ties
from lab.corpus import samples
from lab.corpus.beir import Collection
from lab.evaluate.growing import Growth, grow, growing
from lab.evaluate.measures import Scores, measure_run
from lab.evaluate.rating import CoverageRater, agreement_of, grades_by, grades_of, judged_pairs, order_of
from lab.evaluate.runs import run_many
from lab.evaluate.significance import Difference, compare
from lab.explain.near_duplicates import near_duplicates
from lab.explain.saving import saving
from lab.explain.structures import curve, structures_of
from lab.fuse import RRF, WeightedSum
from lab.models.mixed import MixedModels
from lab.models.static import BuiltIn
from lab.models.vocabulary import unknown
from lab.numeric import unit
from lab.reading.ratings import same
from lab.refine.compress import SentenceExtractor, extracts
from lab.refine.learned import BUILT_IN, shipped
from lab.refine.listwise import Listwise
from lab.refine.title import TitleMix
from lab.retrieve.lexical import BM25
from lab.retrieve.likelihood import QueryLikelihood
from lab.retrieve.selective import Selective
from lab.retrieve.store import ExactVector, relevance
from lab.retrieve.vector import Vector
from lab.rewrite.feedback import RM3
from lab.rewrite.hyde import HyDE
from lab.rewrite.multi_query import MultiQuery
from lab.rewrite.sub_questions import SubQuestions

from .guide_figures import ROOT

LANGUAGES = ("en", "zh")
HEADING = re.compile("^### ", re.MULTILINE)
THREE = r"(?<![\d.])\d\.\d{3}(?!\d)"
TWO = r"(?<![\d.])\d\.\d{2}(?!\d)"


def section(page: str, language: str, number: int) -> str:
    return HEADING.split(places.guide(page, language).read_text("utf-8"))[number]


def line(text: str, *words: str) -> str:
    """The only line with these words."""
    (found,) = (row for row in text.splitlines() if all(word in row for word in words))
    return found


def cells(text: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    rows = [row for row in text.splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


@cache
def results(name: str) -> Results:
    return Results((ROOT / f"benchmarks/results/{name}.md").read_text("utf-8"))


def first_figure(name: str, column: str, row: str) -> str:
    """The mean in a cell of a benchmark, without its interval or difference."""
    return results(name).cell(column, row).split()[0].rstrip("*")


@cache
def scores_of(name: str, searches: Sequence[Searcher]) -> list[Scores]:
    c = samples.load(name)
    named = {str(i): search for i, search in enumerate(searches)}
    return [measure_run(run, c.qrels, ["nDCG@10", "R@10"]) for run in run_many(named, c.corpus, c.judged).values()]


def gains(name: str, searches: Sequence[Searcher]) -> list[str]:
    return [f"{scores.means['nDCG@10']:.3f}" for scores in scores_of(name, searches)]


def recall(c: Collection, scores: Scores, kind: str = "") -> str:
    ids = [q.id for q in c.judged if not kind or q.metadata.get("type") == kind]
    return f"{sum(scores.per_query['R@10'][i] for i in ids) / len(ids):.3f}"


# ---------------------------------------------------------------------------- Rewrite


def multi_query(name: str) -> list[Scores]:
    """Of BM25, of multi-query as shipped, and of multi-query for every question."""
    return scores_of(name, (BM25(), MultiQuery()(BM25()), MultiQuery(abstains=False)(BM25())))


@pytest.mark.nightly
def test_the_guide_of_rewrite_shows_the_recall_of_multi_query() -> None:
    wanted = []
    for kind in ("synonym", "crosslingual", "colloquial", ""):
        row = []
        for name in ("handbook", "devices"):
            raw, by_default, _ = multi_query(name)
            row.append(" → ".join(recall(samples.load(name), x, kind) for x in (raw, by_default)))
        wanted.append(row)
    for language in LANGUAGES:
        assert [row[1:] for row in cells(section("query/rewrite", language, 5))] == wanted


@pytest.mark.nightly
def test_the_guide_of_rewrite_says_what_the_condition_misses_in_another_language() -> None:
    _, by_default, always = multi_query("devices")
    misses = " → ".join(recall(samples.load("devices"), x, "crosslingual") for x in (always, by_default))
    for language in LANGUAGES:
        assert re.findall(r"0\.\d{3} → 0\.\d{3}", section("query/rewrite", language, 4)) == [misses]


def test_the_guide_of_rewrite_says_what_multi_query_costs_legal_questions() -> None:
    table = results("rewrite").table("stard_pool (1543)")
    column = table.place("stard_pool (1543)")
    raw = table.row("as it is, BM25")[column]
    change = float(table.row("multi-query")[column].split()[0])
    for language in LANGUAGES:
        sentence = line(section("query/rewrite", language, 6), "stard_pool").replace(",", "")
        assert re.findall(r"\b1543\b", sentence, re.ASCII) == ["1543"]
        assert re.findall(THREE, sentence) == [raw, f"{float(raw) + change:.3f}"]


@pytest.mark.nightly
def test_the_guide_of_rewrite_says_what_feedback_costs() -> None:
    raw, by_feedback = scores_of("handbook", (BM25(), RM3()(BM25())))
    wanted = [f"{x.means['nDCG@10']:.3f}" for x in (raw, by_feedback)]
    wanted += gains("devices", (BM25(), RM3()(BM25()), Vector(), RM3()(Vector())))
    difference: Difference = compare(raw, by_feedback, "nDCG@10")
    for language in LANGUAGES:
        sentence = line(section("query/rewrite", language, 6), "RM3")
        assert re.findall(THREE, sentence) == wanted
        counts = [int(n) for n in re.findall(r"(?<![\d.])\d\d(?![\d.])", re.sub(r"BM25|nDCG@10", "", sentence))]
        assert counts == [difference.better, difference.worse]


@pytest.mark.nightly
def test_the_guide_of_rewrite_says_what_codes_and_double_questions_lose() -> None:
    for name, kind, rule, word in (
        ("handbook", "code", HyDE, {"en": "**Codes**", "zh": "**编号**"}),
        ("devices", "multi", SubQuestions, {"en": "**Double questions**", "zh": "**复合问题**"}),
    ):
        c = samples.load(name)
        searches = (BM25(), rule(abstains=False)(BM25()), rule()(BM25()))
        raw, always, by_default = (recall(c, x, kind) for x in scores_of(name, searches))
        wanted = [raw, always] if by_default == raw else [raw, always, by_default]
        for language in LANGUAGES:
            assert re.findall(THREE, line(section("query/rewrite", language, 6), word[language])) == wanted


# ---------------------------------------------------------------------------- Rerank


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_titles_bring_to_vectors() -> None:
    searches = (Vector(), *(Vector() >> TitleMix(w) for w in (0.1, 0.3, 0.5)))
    wanted = {name: gains(name, searches) for name in ("devices", "handbook", "staff")}
    for language in LANGUAGES:
        wins, loses = section("refine/rerank", language, 5).split("\n- ")[1:]
        assert re.findall(THREE, wins) == [*wanted["devices"], *wanted["handbook"]]
        ours = {"en": "staff", "zh": "英文员工手册"}[language]
        assert re.findall(THREE, loses.partition(ours)[2]) == wanted["staff"]


@pytest.mark.nightly
def test_the_guide_of_rerank_shows_what_reading_in_windows_reaches() -> None:
    first = BM25() % 50
    rules = (Listwise(), Listwise(rule="early"), Listwise(rule="early", shuffles=9))
    searches = (first, *(first >> rule for rule in rules))
    wanted = [x for name in ("devices", "handbook", "staff") for x in gains(name, searches)]
    for language in LANGUAGES:
        assert re.findall(THREE, section("refine/rerank", language, 9)) == wanted


def test_the_guide_of_rerank_shows_the_figures_of_learning_to_rank_and_of_the_benchmark() -> None:
    provenance = shipped()[BUILT_IN].provenance
    table, by = provenance["left out"], ("learned", "two lists and soft coverage")
    means = [f"{np.mean([row[name] for row in table.values()]):.3f}" for name in by]
    across = [f"{table['xquad_en2zh'][name]:.3f}" for name in by]
    (questions,) = set(provenance["collections"].values())
    collections = ("stard_pool (1543)", "xquad_en (1190)", "xquad_en2zh (1190)")
    rows = ("both lists, soft coverage 0.4", "BM25")
    soft = [first_figure("rerank", collection, row) for collection in collections for row in rows]
    exact = results("rerank").table("xquad_en (1190)").row("BM25, exact coverage 0.5")
    changes = [float(x) for cell in exact for x in re.findall(r"\(([+-]\d\.\d+)\*?\)", cell)]
    limits = [f"{x:+.3f}".replace("-", "−") for x in (min(changes), max(changes))]
    for language in LANGUAGES:
        text = section("refine/rerank", language, 10)
        shown = re.findall(r"[−+]?\d\.\d{3}", text)
        assert shown == [*means, *across, *soft, *limits]
        assert re.findall(r"(?<![\d.])\d{3}(?!\d)", text) == [str(questions)]


# ---------------------------------------------------------------------------- Fusion and Compare


def test_the_guide_of_fusion_shows_what_an_english_model_reaches_on_chinese_text() -> None:
    rows = ("{} alone", "BM25 + {}, equal RRF", "0.7 BM25 + 0.3 {}, min-max")
    table = results("embedders").tables[0]
    place = table.place("cmrc2018")
    model = [float(table.row(row.format("all-MiniLM-L6-v2"))[place].rstrip("*")) for row in rows]
    words = next(row for row in table.rows if row[0].startswith("BM25") and "+" not in row[0])[place]
    for language in LANGUAGES:
        sentence = line(section("combine/fusion", language, 9), "all-MiniLM")
        assert re.findall(r"(?<![\d.])0\.\d{2,3}(?!\d)", sentence) == [*(f"{x:.2f}" for x in model), words]


@pytest.mark.nightly
def test_the_guide_of_fusion_says_how_many_first_places_are_ties() -> None:
    shares, counts = list[int](), list[str]()
    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        counts.append(str(len(c.judged)))
        run = Runner(c.corpus, explain=False)
        for fusion in (RRF(), WeightedSum()):
            groups = [ties(run(fusion(BM25(), Vector()), query, 100)) for query in c.judged]
            shares.append(round(100 * sum(group[:1] != [] and group[0][0] == 0 for group in groups) / len(groups)))
    rrf = RRF()(BM25(), Vector())
    staff = measure_run(run_many({"": rrf}, c.corpus, c.judged)[""], c.qrels, ["nDCG@10"])
    for language in LANGUAGES:
        sentence = line(section("combine/fusion", language, 9), "RRF", "12%")
        assert [int(x) for x in re.findall(r"(\d+)%", sentence)] == [*shares[::2], *shares[1::2]]
        assert set(counts) <= set(re.findall(r"\d+", sentence))
        values = (staff.means["nDCG@10"], *staff.range("nDCG@10"))
        assert re.findall(THREE, sentence) == [f"{x:.3f}" for x in values]


def test_the_guide_of_compare_says_how_near_the_others_are_to_bm25() -> None:
    table = results("quality").table("cast_conv (438)")
    shown = [name for name in table.columns if name.partition(" ")[0] not in ("system", "staff")]

    def figure(system: str, collection: str) -> float:
        return float(table.row(system)[table.place(collection)].split()[0])

    words, surprise = "BM25, all steps", "DFR InL2"
    apart = max(abs(figure(surprise, name) - figure(words, name)) for name in shown)
    loses = figure(words, "cast_conv (438)") - figure("query likelihood, Jelinek–Mercer", "cast_conv (438)")
    for language in LANGUAGES:
        text = section("retrieve/compare", language, 6)
        assert re.findall(r"0\.00\d", text) == [f"{apart:.3f}"]
        assert re.findall(r"(?<![\d.])0\.02\d*", text) == [f"{loses:.2f}"]


def test_the_guide_of_compare_shows_the_idf_of_words_of_half_the_passages() -> None:
    corpus = samples.load("devices").corpus
    by_word: dict[str, list[float]] = {}
    counts = []
    for variant in ("okapi", "lucene"):
        index = BM25(variant=variant).index(corpus)
        for word in ("the", "and"):
            place = next(d.id for d in corpus if f" {word} " in d.text)
            part = index.explain(word, place)[0]
            by_word.setdefault(variant, []).append(part.idf)
            counts.append(part.df)
    the, and_ = counts[:2]
    high, low = by_word["okapi"]
    idf = [f"{high:.1f}", f"{low:.2f}", *(f"{x:.2f}" for x in by_word["lucene"])]
    for language in LANGUAGES:
        text = section("retrieve/compare", language, 15)
        sentence = line(text, "Okapi", str(the))
        assert re.findall(r"\d+\.\d+", sentence) == idf
        numbers = {int(n) for n in re.findall(r"(?<![\d.])\d{2,3}(?![\d.])", sentence)}
        assert numbers == {the, and_, len(corpus)}
        assert len(re.findall(rf"\b{len(corpus)}\b", text, re.ASCII)) >= 2


# ---------------------------------------------------------------------------- Compress, Corpus, Vocabulary


@pytest.mark.nightly
def test_the_guide_of_compress_says_how_much_of_the_first_passages_goes() -> None:
    shares = []
    for name in ("handbook", "devices"):
        c = samples.load(name)
        run = Runner(c.corpus, explain=False)
        found = [x.characters for q in c.judged for x in extracts(SentenceExtractor(), run(BM25(), q, 8))]
        shares.append(f"{1 - sum(after for _, after in found) / sum(before for before, _ in found):.0%}")
    for language in LANGUAGES:
        assert re.findall(r"\d+%", section("refine/compress", language, 3)) == shares


def test_the_guide_of_compress_shows_the_lengths_and_the_cosine_of_its_examples() -> None:
    c = samples.load("handbook")
    first = Runner(c.corpus)(BM25(), Query("周牧野是谁"), 8)
    (found,) = (x for x in extracts(SentenceExtractor(0.4), first) if x.original.title == "总部搬迁安排总览")
    c = samples.load("devices")
    sentence = "Forbidden areas are now kept in the robot itself"
    (passage,) = (d for d in c.corpus if sentence in d.text)
    asked = Query("Do no-go zones on the RV-450S work without internet?")
    ranking = Runner(c.corpus)(Vector(), asked, len(c.corpus))
    (extract,) = (x for x in extracts(SentenceExtractor(), ranking) if x.original.id == passage.id)
    (span,) = (s for s in extract.spans if sentence in passage.text[s.start : s.end])
    for language in LANGUAGES:
        lengths = re.findall(
            r"(?<![\d.])\d{2,3}(?![\d.%])", section("refine/compress", language, 3).replace("BM25", "")
        )
        assert lengths == [str(n) for n in found.characters]
        assert re.findall(TWO, section("refine/compress", language, 4)) == [f"{span.similarity:.2f}"]


def test_the_guide_of_corpus_says_what_a_second_copy_costs_a_rare_word() -> None:
    corpus = samples.load("handbook").corpus
    documents = (*corpus.documents, Document("rare", "zyzzyva"))[1:]
    assert len(documents) == len(corpus)
    idf = []
    for copies in (1, 2):
        listed = (*documents, *(Document(f"copy {i}", "zyzzyva") for i in range(1, copies)))
        idf.append(f"{BM25().index(Corpus('c', listed)).explain('zyzzyva', 'rare')[0].idf:.2f}")
    for language in LANGUAGES:
        sentence = line(section("start/corpus", language, 6), "IDF", idf[0])
        assert re.findall(TWO, sentence) == idf
        assert re.findall(r"(?<![\d.])\d{3}(?!\d)", sentence) == [str(len(documents))]


def test_the_guide_of_corpus_counts_near_duplicates() -> None:
    numbers = [0.9]
    for name in ("devices", "handbook", "staff"):
        report = near_duplicates(samples.load(name).corpus, BuiltIn(), 0.9)
        numbers += [report.count, report.passages]
        if name == "devices":
            assert all(pair.first.metadata["product"] != pair.second.metadata["product"] for pair in report.pairs)
    for language in LANGUAGES:
        text = line(section("start/corpus", language, 6), "0.9").partition("0.9")[2]
        found = [int(number) for number in re.findall(r"\d+", text)]
        assert sorted(found) == sorted(map(int, numbers[1:]))


@pytest.mark.nightly
def test_the_guide_of_pipeline_shows_what_a_selective_search_keeps() -> None:
    rows = []
    reworded, reranked = "MultiQuery()(BM25())", "BM25() >> MaxSim()"
    for name, then in [("handbook", reworded), ("devices", reworded), ("staff", reworded), ("devices", reranked)]:
        search = formats.parse(f"Selective(BM25(), {then}, minimum=0.5)")
        assert isinstance(search, Selective)
        x = saving(search, samples.load(name))
        assert x
        means = [f"{value:.3f}" for value in (x.first, x.then, x.selective, x.by_chance)]
        rows.append([str(x.skipped), str(x.questions), *means])
        assert x.first_ms < x.ms < x.then_ms
    for language in LANGUAGES:
        table = [row for row in section("whole/pipeline", language, 5).splitlines() if len(re.findall(THREE, row)) == 4]
        assert [re.findall(r"[0-9.]+", row) for row in table] == rows


def cosine(one: str, other: str) -> str:
    first, second = unit(BuiltIn().fit(samples.load("devices").corpus).queries([one, other]))
    return f"{float(first @ second):.2f}"


NEAR = {("冷气", "空调"), ("password", "密码"), ("salary", "工资")}
FAR = {("can be washed", "must not be washed"), ("可以洗", "不可以洗"), ("AX-7200M", "AX-7200N")}


@pytest.mark.parametrize(("number", "pairs"), [(3, NEAR), (4, FAR)])
def test_the_guide_of_vocabulary_shows_the_cosines_of_its_examples(number: int, pairs: set[tuple[str, str]]) -> None:
    for language in LANGUAGES:
        text = section("start/vocabulary", language, number)
        shown = {(one, other): text[max(text.rfind(one), text.rfind(other)) :] for one, other in pairs}
        for (one, other), after in shown.items():
            assert re.findall(TWO, after)[:1] == [cosine(one, other)], (one, other)
        assert len(re.findall(TWO, text)) == len(pairs)


def test_the_guide_of_vocabulary_says_how_many_words_of_the_devices_are_broken() -> None:
    corpus = samples.load("devices").corpus
    found = unknown(BuiltIn().fit(corpus), corpus)
    for language in LANGUAGES:
        text = section("start/vocabulary", language, 5)
        assert re.findall(r"\d+\.\d+%", text) == [f"{found.broken / found.words:.1%}"]


# ---------------------------------------------------------------------------- Evaluate


def test_the_guide_of_evaluate_says_how_many_questions_are_needed() -> None:
    spread, tiny = 0.2, 1e-4
    half = spread / 2**0.5

    def needed(effect: float, comparisons: int = 1) -> int:
        return Difference("a", "b", "nDCG@10", {"1": half, "2": -half}, comparisons).needed(effect) or 0

    quantiles = [f"{needed(tiny, n) ** 0.5 * tiny / spread - 0.84:.2f}" for n in (1, 2, 3, 4)]
    needs = [str(needed(effect)) for effect in (0.02, 0.05)]
    for language in LANGUAGES:
        text = section("whole/evaluate", language, 2)
        sentence = line(text, "2.24")
        assert re.findall(r"(?<![\d.])[12]\.\d\d(?!\d)", sentence.replace("(1.96 + 0.84)", "")) == quantiles
        assert re.findall(r"(?<![\d.])\d{3}(?!\d)", sentence) == needs


# ---------------------------------------------------------------------------- Judge


@pytest.mark.nightly
def test_the_guide_of_evaluate_shows_what_holds_when_the_corpus_grows() -> None:
    others = [samples.load(name).corpus for name in samples.names() if name != "staff"]
    corpora = growing(samples.load("staff"), others, sentences=True)
    searches = {"BM25": BM25(), "b 0": BM25(b=0.0), "likelihood": QueryLikelihood()}
    searches |= {name: presets.find(name) for name in ("hybrid", "best")}
    growth = Growth(tuple(grow(searches, corpora, corpora.sizes(), ["nDCG@10"])), "nDCG@10")
    columns = [[f"{point.mean:.3f}" for point in points] for points in growth.points.values()]
    rows = [[f"{size:,}", *means] for size, *means in zip(growth.sizes, *columns, strict=True)]
    first, *_, last = growth.leads["BM25", "likelihood"]
    assert (first.significant, last.significant) == (False, True)
    for language in LANGUAGES:
        text = section("whole/evaluate", language, 8)
        assert cells(text) == rows
        told = line(text, "b = 0.75")
        assert re.findall(THREE, told) == [f"{abs(lead.difference.mean):.3f}" for lead in (first, last)]


@cache
def rule_against_people() -> list[str]:
    """On each sample: kappa, then on each Kendall's tau over ten searches."""
    offline = [name for name in presets.presets() if "neural" not in name]
    searches = {"bm25": BM25(), "vectors": Vector(), **{name: presets.find(name) for name in offline}}
    four, kappas, taus = ("bm25", "vectors", "hybrid", "best"), [], []
    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        pairs = judged_pairs(c, sum(map(len, c.qrels.values())))
        both = agreement_of("people", grades_of(c), "rule", grades_by(CoverageRater(), pairs, c.corpus, Env()))
        runs = run_many(searches, c.corpus, c.judged)
        order = order_of(runs, both, {same(q.text): q.id for q in c.queries}, "nDCG@10")
        assert min(four, key=lambda x: order.people[x]) == "bm25"
        assert order.rater["bm25"] > order.rater["vectors"]
        kappas.append(f"{both.kappa:.2f}")
        taus.append(f"{order.tau:.2f}".replace("-", "−"))
    assert len(offline) == 8, "the guide says eight presets"
    return [*kappas, *taus]


@pytest.mark.nightly
def test_the_guide_of_judge_says_how_a_rule_grades_and_ranks() -> None:
    for language in LANGUAGES:
        assert re.findall(r"−?\d\.\d\d", section("whole/judge", language, 6)) == rule_against_people()


# ---------------------------------------------------------------------------- Vector store


def test_the_guide_of_vector_store_shows_what_a_relevance_makes_of_a_product() -> None:
    cosines = np.arange(1, 100) / 100
    below = max(x for x in cosines if relevance("l2", 2 - 2 * float(x)) < 0)
    products = [f"{relevance('ip', 1 - x):.2f}" for x in (0.99, 1.01)]
    same = [f"{relevance(space, 1 - 0.6):.1f}" for space in ("cosine", "ip")]
    for language in LANGUAGES:
        text = section("retrieve/vector_store", language, 4)
        shown = re.findall(r"(?<![\d.$−-])\d\.\d+(?!\d)", re.sub(r"\$[^$]*\$", "", text))
        assert shown == ["0.6", same[0], f"{below:.2f}", "0.99", products[0], "1.01", products[1]]
        assert same[0] == same[1] == "0.6"
    assert [b < a for a, b in pairwise(products)] == [True], "a better product, a worse relevance"


def test_the_guide_of_vector_store_shows_the_figures_of_the_benchmark_of_graphs() -> None:
    table = results("graph").tables[0]
    rows = [row for row in table.rows if row[table.place("ef")] == "50"]
    compared = [row[table.place("compared")] for row in rows]
    found = [f"{float(row[table.place('recall@10')]):.2f}" for row in rows]
    for language in LANGUAGES:
        sentence = line(section("retrieve/vector_store", language, 5), "benchmarks/graph.py", "faiss")
        assert re.findall(r"\d+%", sentence) == compared
        assert re.findall(TWO, sentence) == found
        assert "2,000 " in results("graph").text
        assert set(re.findall(r"\d,\d{3}", sentence)) == {"2,000"}


def rows_by_size(page: str, language: str, number: int, column: str) -> list[list[str]]:
    """The rows of the table of a section whose head has this column; of the first cell, only what it measures on."""
    lines = section(page, language, number).splitlines()
    start = next(i for i, row in enumerate(lines) if row.startswith("|") and column in row)
    rows = takewhile(lambda row: row.startswith("|"), lines[start + 2 :])
    return [[re.sub(r"[^\w,.]|[\u4e00-\u9fff]", "", x) for x in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_of_vector_store_shows_the_recall_by_size(language: str) -> None:
    rows = rows_by_size("retrieve/vector_store", language, 5, "ef 200")
    expected = [row[0].split(", ")[1:] + list(row[1:]) for row in results("graph").table("ef 200").rows]
    assert [[re.sub(r"^\D+", "", row[0]), *row[1:]] for row in rows] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_of_answer_says_what_the_rise_of_the_threshold_keeps(language: str) -> None:
    table = results("abstain").table("passages, rise")
    cells = {rise: [table.row(name, f"20,000, {rise}")[2:] for name in samples.names()] for rise in ("0.3", "0.0")}
    counts = {
        rise: [[int(x.split()[0]) for x in column] for column in zip(*rows, strict=True)]
        for rise, rows in cells.items()
    }
    (other, meaning, near, refused), (other_0, meaning_0, near_0, refused_0) = counts["0.3"], counts["0.0"]
    totals = [int(row[-1].split()[-1]) for row in cells["0.3"]]
    text = (ROOT / f"pages/whole/answer/guide.{language}.md").read_text("utf-8")
    shown = [int(x) for x in re.findall(r"\d+", text[text.index("20,000") + 6 :])]
    ends = [*refused, *totals, *refused_0] if language == "en" else [*totals, *refused, *refused_0]
    assert shown[:24] == [*other, *other_0, *near, *near_0, *meaning, *ends]
    assert meaning == meaning_0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_guide_of_compare_shows_where_lengths_spread(language: str) -> None:
    table, text = results("lengths").tables[0], results("lengths").text
    by_name = [(row[0].split(", ")[0], *row[1:7]) for row in table.rows]
    names = ("cmrc2018", "xquad_zh", "xquad_en")
    shown = rows_by_size("retrieve/compare", language, 6, "b 0.75")
    rows = [(next(name for name in names if row[0].startswith(name)), *row[1:]) for row in shown]
    assert rows == [row for row in by_name if row[0] in names]
    adaptive = {
        name: table.row("xquad_zh, with sentences")[table.place(f"adaptive, {name}")] for name in ("spread", "kind")
    }
    sentence = line(section("retrieve/compare", language, 6), adaptive["spread"], "0.787")
    assert adaptive["kind"] in sentence
    assert table.row("xquad_zh, with sentences")[table.place("b .75")] == "0.787"
    losses = dict(re.findall(r"adaptive, (\w+) against b \.75: \w+, with passages \(-(0\.\d+)\)", text))
    assert re.findall(r"0\.01\d", sentence) == ["0.012", losses["kind"]]
    assert "adaptive, spread against b .75: stard_pool, with passages (-0.012)" in text


@pytest.mark.nightly
@pytest.mark.parametrize(("language", "name"), [("en", "staff"), ("zh", "handbook")])
def test_the_guide_of_vector_store_says_what_no_breadth_reaches(language: str, name: str) -> None:
    c = samples.load(name)
    index = structures_of(ExactVector(space="ip", scale="by length"), c.corpus)
    last = curve([case for query in c.queries if (case := index.ask(query))], "graph", "none")[-1]
    text = section("retrieve/vector_store", language, 8)
    sentence = line(text, "`ef`")
    wanted = {f"{100 * last.share:.0f}", str(last.breadth), f"{last.recall:.2f}"}
    assert wanted == set(re.findall(r"(?<![\d.])\d+(?:\.\d+)?", sentence)) - {"1"}


def test_the_guide_of_vector_store_says_what_a_distance_means_as_a_cosine() -> None:
    half = 0.5
    by_distance = [f"{x:g}" for x in (half, 1 - half, 1 - half / 2)]  # 1 − cosine twice, and (2 − distance) / 2
    for language in LANGUAGES:
        sentence = next(
            x for x in section("retrieve/vector_store", language, 8).splitlines() if x.startswith("- **`l2`")
        )
        assert re.findall(r"\d\.\d+", sentence) == by_distance


def test_the_guide_of_vector_store_says_how_many_neighbours_are_long() -> None:
    c = samples.load("devices")
    lengths = np.array([len(d.text) for d in c.corpus])
    rows = unit(BuiltIn().fit(c.corpus).documents([d.content for d in c.corpus])) * lengths[:, None]
    products = rows @ rows.T
    np.fill_diagonal(products, -np.inf)
    near = np.argsort(-products, axis=1)[:, :16]
    share = f"{(lengths[near] > np.median(lengths)).mean():.0%}"
    for language in LANGUAGES:
        sentence = line(section("retrieve/vector_store", language, 8), "HNSW", "16")
        assert re.findall(r"\d+%", sentence) == [share]


@pytest.mark.nightly
def test_the_guide_of_vector_store_shows_what_two_models_in_one_index_cost() -> None:
    shares, rows = (0.0, 0.5, 1.0), list[list[str]]()
    for name in ("devices", "handbook", "staff"):
        c = samples.load(name)
        runs = run_many({str(x): Vector(MixedModels(x), pieces="whole") for x in shares}, c.corpus, c.judged)
        qrels = {q.id: c.qrels[q.id] for q in c.judged}
        rows.append([f"{measure_run(run, qrels, ['nDCG@10']).means['nDCG@10']:.3f}" for run in runs.values()])
    for language in LANGUAGES:
        sentence = line(section("retrieve/vector_store", language, 8), "0.676")
        assert re.findall(THREE, sentence) == [value for column in zip(*rows, strict=True) for value in column]
